"""The shape that nearly every transformation has: a formula on one leaf, mapped over the tree.

A transformation is written as a formula ``(g, *slots, **hyperparameters) -> (u, *slots)``. All that
is not its mathematics stands here, once: trees, ``None`` gradients, step counters, schedules and
tensor-valued hyperparameters, dtypes, and the refusal of wrong input.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from optree import PyTreeSpec

from torchopt import errors
from torchopt.pytree import _registry as pytree
from torchopt.transform import _hyper
from torchopt.transform._base import EmptyState, GradientTransformation

__all__ = ["elementwise", "running_mean", "safe_sqrt"]


def safe_sqrt(x: torch.Tensor) -> torch.Tensor:
    """Square root whose derivatives at zero are zero.

    The second moment and the first vanish together, and their quotient has a finite derivative;
    the infinite one of the root is selected away before it is taken, never multiplied by zero.
    Zero gives the root of the smallest normal number, which vanishes in a sum with any epsilon.

    Args:
        x: A tensor of any shape, not negative.

    Returns:
        The elementwise root, of the same shape and dtype; NaN where ``x`` is NaN.

    Example:
        >>> import torch
        >>> x = torch.tensor([0.0, 4.0], requires_grad=True)
        >>> safe_sqrt(x).sum().backward()
        >>> x.grad
        tensor([0.0000, 0.2500])
    """
    return x.clamp(min=torch.finfo(x.dtype).tiny).sqrt()


def running_mean(old: torch.Tensor, new: torch.Tensor, decay: Any) -> torch.Tensor:
    """Return the running mean ``decay * old + (1 - decay) * new``.

    Args:
        old: The mean so far.
        new: The next value, of the same shape.
        decay: A number, or a tensor that broadcasts.

    Example:
        >>> import torch
        >>> running_mean(torch.tensor(4.0), torch.tensor(8.0), 0.75)
        tensor(5.)
    """
    if isinstance(decay, torch.Tensor) or old.dtype != new.dtype:
        return decay * old + (1 - decay) * new
    return torch.lerp(old, new, 1 - decay)


@dataclass(frozen=True, eq=False)
class _Elementwise:
    formula: Callable[..., tuple[torch.Tensor, ...]]
    state_type: type[Any]
    slots: Mapping[str, Any]
    hyper: Mapping[str, Any]
    scalars: Callable[..., Mapping[str, Any]] | None
    needs_params: bool
    slots_require_grad: bool
    scheduled: bool

    @property
    def counters(self) -> dict[str, bool]:
        """The counters that the state has, and whether each skips leaves without a gradient."""
        kept = {"count": True} if self.scalars is not None else {}
        return kept | ({"step": False} if self.scheduled else {})

    def init(self, params: Any) -> Any:
        leaves, spec = pytree.flatten(params)
        errors.check_not_empty(spec, "params")
        errors.check_floating(leaves, spec, "params")
        columns = {
            name: [self._fill(leaf, value) for leaf, value in zip(leaves, values, strict=True)]
            for name, values in self._initial_values(leaves, spec)
        }
        columns |= {name: _new_counts(leaves) for name in self.counters}
        return self.state_type(**{k: pytree.unflatten(spec, v) for k, v in columns.items()})

    def _initial_values(
        self, leaves: list[Any], spec: PyTreeSpec
    ) -> Iterator[tuple[str, list[Any]]]:
        for slot, initial in self.slots.items():
            name, value = initial if isinstance(initial, tuple) else (slot, initial)
            yield slot, _hyper.per_leaf(name, value, leaves, leaves, spec, root="params")

    def _fill(self, leaf: torch.Tensor | None, value: Any) -> torch.Tensor | None:
        if leaf is None:
            return None
        if isinstance(value, torch.Tensor):
            return torch.zeros_like(leaf) + value.to(leaf.dtype)
        return torch.full_like(leaf, value, requires_grad=self.slots_require_grad)

    def update(
        self, updates: Any, state: Any, *, params: Any = None, inplace: bool = True
    ) -> tuple[Any, Any]:
        grads, spec = pytree.flatten(updates)
        errors.check_floating(grads, spec, "updates")
        if not isinstance(state, self.state_type):
            raise TypeError(
                f"a state of type {self.state_type.__name__} is expected, but {type(state).__name__} "
                f"was given: pass what this transformation's `init` or `update` returned."
            )
        columns = [self._column(name, getattr(state, name), grads, spec) for name in self.slots]
        weights = self._params(params, grads, spec, inplace) if self.needs_params else None
        counts = {name: self._counts(getattr(state, name), spec) for name in self.counters}
        hyper = {
            name: _hyper.per_leaf(name, value, counts.get("step", grads), grads, spec)
            for name, value in self.hyper.items()
        }
        new_counts = {
            name: _advance(counts[name], grads, skip=skip) for name, skip in self.counters.items()
        }

        rows: list[tuple[Any, ...]] = []
        memo = _Memo(self.scalars)
        updates_done = new_counts.get("count", grads)
        for index, g in enumerate(grads):
            slots = tuple(column[index] for column in columns)
            if g is None:
                rows.append((None, *slots))
                continue
            arguments = {name: values[index] for name, values in hyper.items()}
            arguments |= memo(updates_done[index], arguments)
            head = (g,) if weights is None else (g, weights[index])
            row = self.formula(*head, *slots, **arguments)
            # Scalars are kept in float64; a 0-dimensional leaf must not be promoted by them.
            dtypes = [slots[0].dtype if slots else g.dtype, *(slot.dtype for slot in slots)]
            rows.append(
                tuple(
                    x if x.dtype == dtype else x.to(dtype)
                    for x, dtype in zip(row, dtypes, strict=True)
                )
            )

        out, *new_slots = (list(column) for column in zip(*rows, strict=True))
        fields = dict(zip(self.slots, new_slots, strict=True)) | new_counts
        state = self.state_type(**{k: pytree.unflatten(spec, v) for k, v in fields.items()})
        return pytree.unflatten(spec, out), state

    @staticmethod
    def _counts(tree: Any, spec: PyTreeSpec) -> list[Any]:
        counts, found = pytree.flatten(tree)
        _check_as_before(found, spec)
        return counts

    @staticmethod
    def _column(name: str, tree: Any, grads: list[Any], spec: Any) -> list[Any]:
        leaves, found = pytree.flatten(tree)
        _check_as_before(found, spec)
        for index, (g, slot) in enumerate(zip(grads, leaves, strict=True)):
            if g is None or (slot is not None and g.shape == slot.shape):
                continue
            path = errors.leaf_path(spec, index, "updates")
            if slot is None:
                raise ValueError(
                    f"`{path}` has a gradient, but its parameter was None when the state was made: "
                    f"call `init` again with the parameter in place."
                )
            errors.raise_shape_mismatch(path, g.shape, slot.shape, f"its state `{name}`")
        return leaves

    @staticmethod
    def _params(params: Any, grads: list[Any], spec: Any, inplace: bool) -> list[Any]:
        if params is None:
            raise ValueError(
                "this transformation needs the parameters (weight decay reads them): call "
                "`update(grads, state, params=params)`."
            )
        leaves, found = pytree.flatten(params)
        errors.check_same_structure(spec, found, root="params", reference="the updates")
        errors.check_floating(leaves, found, "params")
        out: list[Any] = []
        for index, (g, p) in enumerate(zip(grads, leaves, strict=True)):
            if g is not None and (p is None or p.shape != g.shape):
                shape = "None" if p is None else tuple(p.shape)
                raise ValueError(
                    f"`{errors.leaf_path(spec, index, 'params')}` is {shape}, but its gradient has "
                    f"shape {tuple(g.shape)}: pass the parameters that the gradients belong to."
                )
            # Plain training: a leaf parameter is a constant, so that the state grows no graph.
            constant = inplace and g is not None and not g.requires_grad and p.is_leaf
            out.append(p.detach() if constant and p.requires_grad else p)
        return out


def _check_as_before(before: PyTreeSpec, now: PyTreeSpec) -> None:
    errors.check_same_structure(
        before,
        now,
        root="updates",
        reference="the tree that `init` was given",
        advice="pass the gradients of the same parameters, or call `init` again for new ones",
    )


class _Memo:
    """Computes per-step scalars once for leaves that share a counter and hyperparameters."""

    def __init__(self, scalars: Callable[..., Mapping[str, Any]] | None) -> None:
        self._scalars = scalars
        self._key: tuple[Any, ...] = ()
        self._value: Mapping[str, Any] = {}

    def __call__(self, count: Any, hyper: Mapping[str, Any]) -> Mapping[str, Any]:
        if self._scalars is None:
            return self._value
        key = (count, *hyper.values())
        if len(key) != len(self._key) or any(
            a is not b for a, b in zip(key, self._key, strict=True)
        ):
            self._key = key
            self._value = self._scalars(_hyper.as_float(count), **hyper)
        return self._value


def _new_counts(leaves: list[Any]) -> list[Any]:
    """Return a counter at zero for each leaf; the leaves on a device share one tensor."""
    shared = {
        device: torch.zeros((), dtype=torch.int64, device=device)
        for device in dict.fromkeys(leaf.device for leaf in leaves if leaf is not None)
    }
    return [None if leaf is None else shared[leaf.device] for leaf in leaves]


def _advance(counts: list[Any], grads: list[Any], *, skip: bool) -> list[Any]:
    """Increment counters, one addition for those in lockstep; ``skip`` those without a gradient."""
    advanced: dict[int, torch.Tensor] = {}
    out = []
    for count, g in zip(counts, grads, strict=True):
        if count is None or (skip and g is None):
            out.append(count)
            continue
        if id(count) not in advanced:
            advanced[id(count)] = count + 1
        out.append(advanced[id(count)])
    return out


def elementwise(
    formula: Callable[..., tuple[torch.Tensor, ...]],
    *,
    state: type[Any] = EmptyState,
    slots: Mapping[str, Any] | None = None,
    hyper: Mapping[str, Any] | None = None,
    scalars: Callable[..., Mapping[str, Any]] | None = None,
    needs_params: bool = False,
    slots_require_grad: bool = False,
) -> GradientTransformation:
    """Make a gradient transformation from a formula on one leaf.

    Args:
        formula: ``(g, *slots, **hyper) -> (u, *slots)``, or ``(g, p, *slots, **hyper)`` with
            ``needs_params``; out of place, in differentiable PyTorch operations. Define it at the
            top level of a module, so that the transformation can be pickled.
        state: A NamedTuple with one field for each slot; ``count`` if there are ``scalars``: the
            updates of each leaf; and ``step``, with a default: all updates, for schedules.
        slots: Name and initial value of each slot, a tree like the parameters; the value may be a
            pair of the argument's name, for messages, and a number, a tensor or a tree of these.
        hyper: Name and value of each hyperparameter: a number, a schedule, a tensor, or a tree of
            these. The formula is given the value for its leaf at this step.
        scalars: ``(t, **hyper) -> dict`` of further arguments of the formula, computed once for
            leaves in lockstep; ``t`` is the number of the leaf's update, from 1, a float64 scalar.
        needs_params: Whether the formula reads the parameter.
        slots_require_grad: Whether the initial slots are leaves that require grad.

    Returns:
        The gradient transformation. Its ``update`` raises ``ValueError`` or ``TypeError``, naming
        the leaf, if the tree, a shape, a dtype or the state is not what ``init`` was given.
    """
    rule = _Elementwise(
        formula=formula,
        state_type=state,
        slots=dict(slots or {}),
        hyper=dict(hyper or {}),
        scalars=scalars,
        needs_params=needs_params,
        slots_require_grad=slots_require_grad,
        scheduled=any(map(_hyper.has_schedule, (hyper or {}).values())),
    )
    return GradientTransformation(rule.init, rule.update)

"""The shape that nearly every transformation has: a formula on one leaf, mapped over the tree.

A transformation is written as a formula ``(g, *slots, **hyperparameters) -> (u, *slots)``. All that
is not its mathematics stands here, once: trees, ``None`` gradients, step counters, schedules and
tensor-valued hyperparameters, dtypes, and the refusal of wrong input.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import torch
from optree import PyTreeSpec

from torchopt import errors
from torchopt.pytree import _registry as pytree
from torchopt.transform import _hyper
from torchopt.transform._base import EmptyState, GradientTransformation

__all__ = ["elementwise", "sqrt"]


def sqrt(x: torch.Tensor) -> torch.Tensor:
    """Square root whose derivatives at zero are zero.

    The second moment and the first vanish together, and their quotient has a finite derivative;
    the infinite one of the root is selected away before it is taken, never multiplied by zero.
    """
    zero = x == 0
    return torch.where(zero, 0.0, torch.where(zero, 1.0, x).sqrt())


@dataclass(frozen=True, eq=False)
class _Elementwise:
    formula: Callable[..., tuple[torch.Tensor, ...]]
    state_type: type[Any]
    slots: Mapping[str, Any]
    hyper: Mapping[str, Any]
    scalars: Callable[..., Mapping[str, Any]] | None
    needs_params: bool
    slots_require_grad: bool
    counted: bool = field(init=False)

    def __post_init__(self) -> None:
        counted = self.scalars is not None or any(map(_hyper.has_schedule, self.hyper.values()))
        object.__setattr__(self, "counted", counted)

    def init(self, params: Any) -> Any:
        leaves, spec = pytree.flatten(params)
        errors.check_not_empty(spec, "params")
        errors.check_floating(leaves, spec, "params")
        slots = {
            name: pytree.unflatten(spec, [self._fill(leaf, value) for leaf in leaves])
            for name, value in self.slots.items()
        }
        if "count" in self.state_type._fields:
            slots["count"] = pytree.unflatten(spec, _new_counts(leaves)) if self.counted else None
        return self.state_type(**slots)

    def _fill(self, leaf: torch.Tensor | None, value: Any) -> torch.Tensor | None:
        if leaf is None:
            return None
        if isinstance(value, torch.Tensor):
            return torch.zeros_like(leaf) + value
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
        if self.counted:
            counts, found = pytree.flatten(state.count)
            _check_as_before(found, spec)
        else:
            counts = [None] * len(grads)
        hyper = {
            name: _hyper.per_leaf(name, value, counts, grads, spec)
            for name, value in self.hyper.items()
        }
        new_counts = _advance(counts, grads) if self.counted else counts

        rows: list[tuple[Any, ...]] = []
        memo = _Memo(self.scalars)
        for index, g in enumerate(grads):
            slots = tuple(column[index] for column in columns)
            if g is None:
                rows.append((None, *slots))
                continue
            arguments = {name: values[index] for name, values in hyper.items()}
            arguments |= memo(new_counts[index], arguments)
            head = (g,) if weights is None else (g, weights[index])
            row = self.formula(*head, *slots, **arguments)
            # Scalars are kept in float64; a 0-dimensional leaf must not be promoted by them.
            dtypes = [slots[0].dtype if slots else g.dtype, *(slot.dtype for slot in slots)]
            rows.append(tuple(x.to(dtype) for x, dtype in zip(row, dtypes, strict=True)))

        out, *new_slots = (pytree.unflatten(spec, column) for column in zip(*rows, strict=True))
        fields = dict(zip(self.slots, new_slots, strict=True))
        if "count" in self.state_type._fields:
            fields["count"] = pytree.unflatten(spec, new_counts) if self.counted else state.count
        return out, self.state_type(**fields)

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
            self._value = self._scalars(_as_float(count), **hyper)
        return self._value


def _as_float(count: torch.Tensor) -> torch.Tensor:
    # Bias corrections lose half of their digits in float32; MPS has no float64.
    return count.to(torch.float32 if count.device.type == "mps" else torch.float64)


def _new_counts(leaves: list[Any]) -> list[Any]:
    """Return a zero counter for each leaf; the leaves on a device share one tensor."""
    shared = {
        device: torch.zeros((), dtype=torch.int64, device=device)
        for device in dict.fromkeys(leaf.device for leaf in leaves if leaf is not None)
    }
    return [None if leaf is None else shared[leaf.device] for leaf in leaves]


def _advance(counts: list[Any], grads: list[Any]) -> list[Any]:
    """Increment the counters of leaves with a gradient; one addition for those in lockstep."""
    advanced: dict[int, torch.Tensor] = {}
    out = []
    for count, g in zip(counts, grads, strict=True):
        if g is None:
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
        state: A NamedTuple with one field for each slot, and ``count`` where steps are counted.
        slots: Name and initial value of each slot: a tree like the parameters.
        hyper: Name and value of each hyperparameter: a number, a schedule, a tensor, or a tree of
            these. The formula is given the value for its leaf at this step.
        scalars: ``(t, **hyper) -> dict`` of further arguments of the formula, computed once a step;
            ``t`` is the number of this update, from 1, as a float64 scalar tensor.
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
    )
    return GradientTransformation(rule.init, rule.update)

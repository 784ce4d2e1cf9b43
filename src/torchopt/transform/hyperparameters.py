"""Hyperparameters: numbers, schedules, tensors, and trees of these that follow the parameters."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from numbers import Real
from typing import Any

import torch

from torchopt import checks
from torchopt.autodiff.loops import is_readable
from torchopt.autodiff.transforms import outside, requires_grad, unseen_by_modes, value_of
from torchopt.prox.vectors import broadcasts
from torchopt.pytree import PyTreeSpec
from torchopt.pytree import flattening as pytree
from torchopt.pytree.named import by_name


class Same(list[Any]):
    """The values of all leaves where they are known to be one object."""


def check(
    name: str,
    value: Any,
    *,
    lower: float | None = 0.0,
    upper: float | None = None,
    schedules: bool = True,
) -> Any:
    """Raise where a number among the leaves of a hyperparameter lies outside ``[lower, upper)``.

    The values of tensors are not checked: they may be traced, batched or learned. Returned is the
    hyperparameter, with schedules that raise where they leave the range.
    """
    if type(value) in (int, float) and _within(value, lower, upper):
        return value  # as most are; a tree takes ten times as long
    leaves, spec = pytree.flatten(value)
    ranged: dict[int, Any] = {}  # leaves that share a schedule go on to share it
    for index, leaf in enumerate(leaves):
        error: type[Exception] = TypeError
        if isinstance(leaf, torch.Tensor):
            if leaf.is_floating_point() or not (leaf.is_complex() or leaf.dtype == torch.bool):
                continue
            fault = f"has dtype {leaf.dtype}: use a real number or tensor"
        elif callable(leaf) and schedules:
            read = partial(_in_range, leaf, name, lower, upper)
            leaves[index] = ranged.setdefault(id(leaf), read)
            continue
        elif leaf is None and spec.num_leaves > 1:
            continue
        elif isinstance(leaf, bool) or not isinstance(leaf, Real):
            fault = (
                f"is an object of type {type(leaf).__name__}: use a number, a tensor, "
                f"{'a schedule, ' if schedules else ''}or a tree of these with the structure of the "
                f"parameters"
            )
        elif _within(leaf, lower, upper):
            continue
        else:
            error, fault = ValueError, f"is {leaf}, but it must be {_bound(leaf, lower, upper)}"
        raise error(f"`{checks.leaf_path(spec, index, name)}` {fault}.")
    return pytree.unflatten(spec, leaves) if ranged else value


def _in_range(
    schedule: Callable[[Any], Any],
    name: str,
    lower: float | None,
    upper: float | None,
    count: Any,
) -> Any:
    """Return the value of a schedule; raise if it is known at no cost, and outside of a range."""
    value = number = schedule(count)
    if isinstance(value, torch.Tensor):
        if value.dim() or value.requires_grad or not is_readable(value):
            return value
        with unseen_by_modes():
            number = value.item()
    if isinstance(number, Real) and not _within(number, lower, upper):
        bound = _bound(number, lower, upper)
        raise ValueError(f"`{name}` is {number} by its schedule, but it must be {bound}.")
    return value


#: Arguments of several elements: what formulas call these, an example, and their bounds.
_ELEMENTS: dict[str, tuple[tuple[str, ...], tuple[float, ...], tuple[Any, ...]]] = {
    "betas": (("b1", "b2", "b3"), (0.9, 0.999, 0.9999), ((0.0, 1.0),) * 3),
    "adam_betas": (("adam_b1", "adam_b2"), (0.9, 0.999), ((0.0, 1.0),) * 2),
    "etas": (("eta_minus", "eta_plus"), (0.5, 1.2), ((0.0, 1.0), (1.0, None))),
    "step_sizes": (("min_step_size", "max_step_size"), (1e-6, 50.0), ((0.0, None),) * 2),
}

#: What messages call the elements of an argument.
SHOWN = {own: f"{k}[{i}]" for k, (names, *_) in _ELEMENTS.items() for i, own in enumerate(names)}


def checked(*, many: int = 2, **hyper: Any) -> dict[str, Any]:
    """Return hyperparameters, of which none is negative, by their names in formulas.

    Of an argument such as ``betas`` they are its elements, as many as ``many``, in their ranges.
    """
    found: dict[str, Any] = {}
    for name, value in hyper.items():
        if name not in _ELEMENTS:
            found[name] = check(name, value)
            continue
        names, example, bounds = _ELEMENTS[name]
        for index, element in enumerate(several(name, value, example[:many])):
            lower, upper = bounds[index]
            found[names[index]] = check(f"{name}[{index}]", element, lower=lower, upper=upper)
    return found


def _within(number: Any, lower: float | None, upper: float | None) -> bool:
    x = float(number)
    return (lower is None or x >= lower) and (upper is None or x < upper)


def _bound(number: Any, lower: float | None, upper: float | None) -> str:
    return f"less than {upper:g}" if _within(number, lower, None) else f"at least {lower:g}"


RATES = frozenset({"lr", "max_learning_rate"})
"""The names of learning rates."""


def warn_of_ascent(lr: Any) -> None:
    """Warn if a learning rate that is learned is negative, where that is known at no cost.

    A GPU's numbers are not read, nor those of compiled code.
    """
    if type(lr) in (int, float) or torch.compiler.is_compiling():
        return
    for rate in {id(x): x for x in pytree.leaves(lr)}.values():
        if not isinstance(rate, torch.Tensor) or not requires_grad(rate):
            continue
        with unseen_by_modes(), outside():  # no mode is to see that its value is read
            rate = value_of(rate).detach()
            uphill = is_readable(rate) and bool((rate < 0).any())
        if uphill:
            checks.warn(
                "a learned `lr` has become negative, so that steps go uphill: learn its logarithm and "
                "pass `log_lr.exp()`, or keep it positive between outer steps."
            )


def is_zero(value: Any) -> bool:
    """Whether a hyperparameter is the number zero, not a schedule or tensor that may be zero."""
    return not isinstance(value, bool) and isinstance(value, Real) and value == 0


def smoothing(smooth: Any) -> dict[str, Any]:
    """Return the hyperparameters of a formula with the argument ``smooth``, the width of its sign.

    None and the number 0 stand for the sign itself, and give none: the argument of the formula, which
    passes it to :func:`torchopt.ops.smooth_sign`, has the default None.
    """
    if smooth is None or is_zero(smooth):
        return {}
    check("smooth", smooth)
    return {"smooth": smooth}


def has_schedule(value: Any) -> bool:
    """Whether a hyperparameter depends on the step count."""
    return not is_scalar(value) and any(map(callable, pytree.leaves(value)))


def first(t: torch.Tensor, **_: Any) -> dict[str, Any]:
    """Return the scalar of a formula that treats the first update otherwise."""
    return {"first": t == 1}


def as_float(count: torch.Tensor) -> torch.Tensor:
    """Return a step count in float64: in float32, bias corrections lose half of their digits."""
    # MPS has no float64.
    return count.to(torch.float32 if count.device.type == "mps" else torch.float64)


def several(name: str, value: Any, example: tuple[Any, ...]) -> list[Any]:
    """Return the elements of a hyperparameter such as ``betas``, as many as in the example."""
    # Of any sequence, such as that of a configuration file, or a tensor.
    elements = [*value] if isinstance(value, Iterable) and not is_scalar(value) else []
    if len(elements) != len(example):
        raise ValueError(f"`{name}` is {value!r}: use {len(example)} elements, such as {example}.")
    return elements


def is_scalar(value: Any) -> bool:
    """Whether a hyperparameter is a number or a tensor without dimensions, for all leaves and steps."""
    return isinstance(value, (int, float)) or (isinstance(value, torch.Tensor) and not value.dim())


def now(value: Any, count: torch.Tensor) -> Any:
    """Return the value of a hyperparameter of the whole tree, after a number of updates."""
    return value(as_float(count)) if callable(value) else value


def lockstep(counts: Sequence[Any]) -> bool:
    """Whether all leaves share one counter."""
    if isinstance(counts, Same):
        return True
    if not torch.compiler.is_compiling():
        return len({*map(id, counts)} - _ABSENT) == 1
    # Not by `id`, on whose value a compiled step would be specialized.
    present = [count for count in counts if count is not None]
    return len(present) > 0 and all(count is present[0] for count in present)


_ABSENT = {id(None)}


def advance(counts: Sequence[Any], grads: list[Any], *, skip: bool) -> Sequence[Any]:
    """Increment counters, one addition for those in lockstep; ``skip`` those without a gradient."""
    if isinstance(counts, Same):
        moves = any(g is not None for g in grads)
        return Same([counts[0] + 1] * len(grads)) if moves else counts
    if type(None) not in {*map(type, grads), *map(type, counts)} and lockstep(counts):
        return Same([counts[0] + 1] * len(grads))
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


def counters(values: Sequence[int], params: Sequence[Any]) -> list[Any]:
    """Return a counter for each parameter; parameters with equal counts share one tensor."""
    made: dict[Any, torch.Tensor] = {}
    for n, p in zip(values, params, strict=True):
        if p is not None and (n, p.device) not in made:
            made[n, p.device] = torch.full((), n, dtype=torch.int64, device=p.device)
    pairs = zip(values, params, strict=True)
    return [None if p is None else made[n, p.device] for n, p in pairs]


def spread(
    name: str, value: Any, spec: PyTreeSpec, leaves: Sequence[Any], like: Any = None
) -> list[Any] | None:
    """Return one value for each leaf of a tree, or None where the value does not fit.

    Of a dict of parameters the values may be a tuple in the dict's order (that of ``like``, if that is
    given: updates may be in another), or a dict without the names of parameters that are None.
    """
    values = pytree.broadcast_prefix(value, spec)
    if values is not None:
        return values
    params = pytree.unflatten(spec, leaves)
    if isinstance(params, Mapping):
        value = by_name(value, like if isinstance(like, Mapping) else params, what=name)
        if isinstance(value, Mapping):
            absent = [key for key, p in params.items() if p is None]
            value = dict.fromkeys(absent) | dict(value)
        return pytree.broadcast_prefix(value, spec)
    if isinstance(value, Mapping) and isinstance(params, (tuple, list)):
        raise ValueError(
            f"`{name}` is a dict, but the parameters are a {type(params).__name__} without names: "
            f"pass the parameters as a dict by name or as `named_parameters()`, or `{name}` as a tuple."
        )
    return None


def per_leaf(
    name: str,
    value: Any,
    counts: Sequence[Any],
    leaves: Sequence[Any],
    spec: PyTreeSpec,
    *,
    root: str = "updates",
    like: Any = None,
) -> Sequence[Any]:
    """Return the value of a hyperparameter for each leaf of a tree of updates.

    Args:
        name: The name of the hyperparameter, for messages.
        value: A number, a tensor that broadcasts to each leaf, a schedule (called with the number
            of updates done before this one, a float64 scalar), or a tree of these, which is
            a prefix of ``spec``.
        counts: The step counter of each leaf; leaves in lockstep share one tensor.
        leaves: The updates; None for a missing gradient.
        spec: The structure of the updates.
        root: The name of the tree of leaves, for messages.
        like: The parameters, if known, in whose order tuples are.

    Raises:
        ValueError: If the tree does not fit, or a tensor does not broadcast to its leaf.
    """
    if is_scalar(value):
        return Same([value] * len(leaves))
    values = spread(name, value, spec, leaves, like)
    if values and values[0] is value and callable(value) and lockstep(counts):
        now = value(as_float(next(c for c in counts if c is not None)))
        if not isinstance(now, torch.Tensor) or now.dim() == 0:
            return Same([now] * len(leaves))
    if values is None:
        checks.raise_not_prefix(spec, pytree.flatten(value)[1], name, "the parameters")
    last_schedule, last_count, last = None, None, None
    out: list[Any] = []
    for index, (v, leaf) in enumerate(zip(values, leaves, strict=True)):
        if leaf is None:
            out.append(None)
            continue
        if callable(v):
            # Leaves that share a schedule and a counter share its value.
            if v is not last_schedule or counts[index] is not last_count:
                last_schedule, last_count = v, counts[index]
                last = v(as_float(last_count))
            v = last
        if isinstance(v, torch.Tensor) and v.dim() > 0:
            _check_broadcast(name, v, leaf, index, spec, root)
        elif v is None:
            path = checks.leaf_path(spec, index, name)
            raise ValueError(f"`{path}` is None, but its gradient is not: give it a value.")
        out.append(v)
    return out


def _check_broadcast(
    name: str, value: torch.Tensor, leaf: torch.Tensor, index: int, spec: PyTreeSpec, root: str
) -> None:
    if not broadcasts(value.shape, leaf.shape):
        raise ValueError(
            f"hyperparameter `{name}` of shape {tuple(value.shape)} does not broadcast to "
            f"`{checks.leaf_path(spec, index, root)}` of shape {tuple(leaf.shape)}: use a "
            f"scalar, that shape, or a tree with the structure of the parameters."
        )

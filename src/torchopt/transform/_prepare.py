"""The numbers that a rule makes of whole leaves before its formula runs, such as norms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from torchopt.autodiff.half import stored
from torchopt.autodiff.loops import wide
from torchopt.autodiff.shards import largest, plain
from torchopt.prox.vectors import norm_of, unit
from torchopt.transform import hyperparameters
from torchopt.transform._step import Step, taken
from torchopt.transform.hyperparameters import as_float

Leaves = Sequence[torch.Tensor]


def prepare(step: Step, columns: list[Any], heads: int) -> None:
    """Give a step the numbers that its rule makes, of each leaf or of all that have a gradient.

    Args:
        step: The step of the first rule of a pass.
        columns: The gradients, the parameters if they are read, and the slots.
        heads: How many columns come before the slots: 1, or 2 with the parameters.
    """
    rule = step.rule
    assert rule.prepare is not None
    _check_hyper(step)
    slots = columns[heads : heads + len(rule.slots)]
    columns = [*columns[: 1 + rule.needs_params], *slots]
    grads = columns[0]
    present = [index for index, g in enumerate(grads) if g is not None]
    made: list[Any] = [None] * len(grads)
    memory: dict[str, Any] = {name: [*column] for name, column in step.memory.items()}
    tree = rule.over == "tree"
    for members in [[index] for index in present] if not tree else [present] if present else []:
        first = members[0]
        place = grads[first].device
        kept = {name: column[first] for name, column in memory.items()}
        # Copies: the old tensors may be written into.
        values = {name: _on(as_float(x).clone(), place) for name, x in kept.items()}
        if "count" in step.counts:
            values["count"] = step.time(first)
        given = taken(rule.prepare, rule.prepare_takes, {**step.values(first), **values})
        found = rule.prepare(*[[wide(x[i]) for i in members] for x in columns], **given)
        if not isinstance(found, dict):
            raise TypeError(
                f"`prepare` returned a {type(found).__name__}: return a dict of numbers."
            )
        for name, x in found.items():
            if isinstance(x, torch.Tensor) and x.dim():
                raise ValueError(
                    f"`prepare` returned `{name}` of shape {tuple(x.shape)}: return scalars."
                )
        values |= found
        copies = {place: values}
        for index in members:
            place = grads[index].device
            if place not in copies:
                copies[place] = {name: _on(x, place) for name, x in values.items()}
            made[index] = copies[place]
        for name, old in kept.items():
            new = _stored(values[name], old)
            memory[name][first] = new
            memory[name] = hyperparameters.Same([new] * len(grads)) if tree else memory[name]
    if present:
        step.memory, step.prepared = memory, made
        step.shared = step.shared and hyperparameters.lockstep(made)


def _check_hyper(step: Step) -> None:
    """Raise if a hyperparameter of which numbers are made is not one number where it must be."""
    for name in step.rule.prepare_takes if step.hyper else ():
        column = (step.hyper or {}).get(name, ())
        values = [value for value in column if value is not None]
        if dims := [value for value in values if isinstance(value, torch.Tensor) and value.dim()]:
            raise ValueError(
                f"hyperparameter `{name}` has shape {tuple(dims[0].shape)}, but one number of each "
                f"leaf is made with it: use a number, a scalar tensor, or a tree of these."
            )
        if step.rule.over == "tree" and any(value is not values[0] for value in values):
            raise ValueError(
                f"hyperparameter `{name}` is a tree, but one number of all leaves is made with it: "
                f"use a number, a scalar tensor or a schedule."
            )


def _on(x: Any, device: torch.device) -> Any:
    return x.to(device) if isinstance(x, torch.Tensor) and x.device != device else x


def _stored(value: Any, old: torch.Tensor) -> torch.Tensor:
    """Return a number with the dtype and on the device of the one that it replaces in the state."""
    if isinstance(value, torch.Tensor):
        value = stored(value, old.dtype)
    return torch.as_tensor(value, dtype=old.dtype, device=old.device)


def total(term: Callable[..., torch.Tensor], *columns: Leaves, **numbers: Any) -> torch.Tensor:
    """Return the sum of ``term(*leaves, **numbers)`` over all elements, in float64."""
    sums = []
    for row in zip(*columns, strict=True):
        here = {name: _on(x, row[0].device) for name, x in numbers.items()}
        x = term(*row, **here).sum()
        sums.append(as_float(plain(x) if hasattr(x, "full_tensor") else x))
    return torch.stack([_on(x, sums[0].device) for x in sums]).sum()


def unit_of(leaves: Leaves) -> torch.Tensor:
    """Return the power of two near the largest element, by which squares are numbers of their dtype."""
    device = leaves[0].device
    # A call less for each leaf that is no DTensor.
    sizes = [
        as_float(largest(x) if hasattr(x, "full_tensor") else x.detach().abs().amax()).to(device)
        for x in leaves
        if x.numel()
    ]
    return unit(torch.stack(sizes).amax() if sizes else torch.ones((), device=device))


def inner(xs: Leaves, ys: Leaves) -> torch.Tensor:
    """Return the inner product of two lists of leaves at any scale, in float64."""
    a = unit_of(xs)
    b = a if ys is xs else unit_of(ys)
    return total(lambda x, y, a, b: (x / a) * (y / b), xs, ys, a=a, b=b) * a * b


def norm(xs: Leaves, a: torch.Tensor | None = None) -> torch.Tensor:
    """Return the 2-norm of leaves at any scale, in float64; its derivative at zero is zero.

    Their unit may be given.
    """
    a = unit_of(xs) if a is None else a
    return norm_of(total(lambda x, a: (x / a) * (x / a), xs, a=a)) * a


def by_unit(unit: torch.Tensor, factor: Any) -> dict[str, Any]:
    """Return the scalars of :func:`rescale`, which multiplies leaves of this unit by a factor."""
    return {"factor": factor * unit, "unit": unit}


def rescale(g: torch.Tensor, p: Any = None, *, factor: Any, unit: Any) -> tuple[torch.Tensor]:
    """Multiply by a factor that may be too large for the dtype."""
    return (factor * (g / unit),)

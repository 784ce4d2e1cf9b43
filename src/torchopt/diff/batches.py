"""Data that changes from step to step, in one of four kinds, and the batch of a step from any of them.

- *A function of the step*, ``batches(step)``.
- *A tree of stacked tensors*: a tensor, or a tuple, dictionary or other container of them, whose first
  axis counts steps. A tuple is such a tree.
- *A list of batches*, each of which is any tree.
- *Anything that can be iterated again*, such as a ``DataLoader``: a batch at a time.

A list, and what is iterated, starts over when it has ended.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import torch

from torchopt import checks
from torchopt.autodiff.scan_tracing import stacked
from torchopt.pytree import flattening as pytree
from torchopt.pytree.typing import Fields

Batches: TypeAlias = (
    Callable[[int], object] | Iterable[object] | Mapping[str, object] | torch.Tensor | Fields
)
"""A function of the step, batches one after the other, or a tree of stacked tensors."""

_KINDS = (
    "pass a function of the step, a tuple or dictionary of stacked tensors, a list of batches, or an "
    "object that can be iterated again, such as a `DataLoader`"
)


def batches_of_steps(batches: Any, steps: int) -> Any:
    """Return batches of any kind as one of those that :func:`batch_at` takes.

    A loader is iterated here, once for all: the batch of a step is the same however often the step is
    computed, and whatever the loader shuffles.

    Args:
        batches: Of any kind, or None for no data.
        steps: How many steps there are.

    Returns:
        None, a function, a tree of stacked tensors, or a list.

    Raises:
        ValueError: If there is no batch, the first axis of a stacked tensor is not ``steps``, or a list
            of tensors may be meant as a tree of stacked ones.
        TypeError: If it is an iterator, which cannot be iterated again, or of no kind.

    Example:
        >>> import torch
        >>> loader = torch.utils.data.DataLoader(torch.arange(4), batch_size=2)
        >>> batches_of_steps(loader, 3)
        [tensor([0, 1]), tensor([2, 3]), tensor([0, 1])]
    """
    if batches is None or _is_function(batches):
        return batches
    if isinstance(batches, list):
        _check_list(batches, steps)
        return batches
    if _is_tree(batches):
        _check_stacked(batches, steps)
        return batches
    return _drawn(_checked_loader(batches), steps)


def batch_at(batches: Any, step: int) -> tuple[Any, ...]:
    """Return the batch of a step as a tuple of one, empty where there is no data.

    Args:
        batches: As :func:`batches_of_steps` returns them.
        step: The number of the step, from zero. A function is called with it each time.

    Example:
        >>> import torch
        >>> x, y = torch.arange(6).view(3, 2), torch.arange(3)
        >>> batch_at((x, y), 2)
        ((tensor([4, 5]), tensor(2)),)
        >>> batch_at([(x, y), (x + 6, y)], 3)[0][0][0]
        tensor([6, 7])
    """
    if batches is None:
        return ()
    if _is_function(batches):
        return (batches(step),)
    if isinstance(batches, list):
        return (batches[step % len(batches)],)
    return (pytree.map_leaves(lambda b: b[step], batches),)


def can_be_sliced(batches: Any) -> bool:
    """Whether batches are stacked tensors, or none."""
    return not (_is_function(batches) or isinstance(batches, list))


def batches_between(batches: Any, steps: range) -> tuple[Any, ...]:
    """Return the batches of some steps as one tree with a first axis of steps, as a tuple of one."""
    if batches is None:
        return ()
    if _is_function(batches) or isinstance(batches, list):
        return stacked([batch_at(batches, step) for step in steps])
    part = slice(steps.start, steps.stop)
    return (pytree.map_leaves(lambda b: b[part], batches),)


def stacked_batches(batches: Any, loops: tuple[int, ...]) -> Any:
    """Return batches of any kind as a tree of tensors with one axis of steps for each of some loops.

    Args:
        batches: Of any kind, or None. A tree is returned as it is.
        loops: The number of steps of each loop, the outermost first; steps are counted through.
    """
    if batches is None or (_is_tree(batches) and not isinstance(batches, list)):
        return batches
    steps = math.prod(loops)
    (tree,) = batches_between(batches_of_steps(batches, steps), range(steps))
    return pytree.map_leaves(lambda b: b.unflatten(0, loops), tree)


def iterable_batches(batches: Any, name: str) -> Any:
    """Return batches of any kind as what is iterated, a batch at a time; an iterator is left as it is.

    Args:
        batches: Of any kind.
        name: What errors call it.

    Raises:
        TypeError: If it is of no kind.
        ValueError: If the first axes of stacked tensors differ.

    Example:
        >>> import torch
        >>> iterable_batches({"x": torch.arange(2)}, "the loader")
        [{'x': tensor(0)}, {'x': tensor(1)}]
    """
    if isinstance(batches, (list, Iterator)):
        return batches
    if _is_function(batches):
        return _Calls(batches)
    if not _is_tree(batches):
        return _checked_loader(batches, name)
    tensors = [leaf for leaf in pytree.leaves(batches) if leaf is not None]
    first = tensors[0] if tensors else None
    count = len(first) if isinstance(first, torch.Tensor) and first.dim() else 0
    _check_stacked(batches, count, name)
    return [batch_at(batches, k)[0] for k in range(count)]


@dataclass
class _Calls:
    """A function of the step as batches without end, which know their position."""

    function: Callable[[int], Any]
    step: int = 0

    def __iter__(self) -> Iterator[Any]:
        while True:
            self.step += 1
            yield self.function(self.step - 1)

    def state_dict(self) -> dict[str, int]:
        return {"step": self.step}

    def load_state_dict(self, state: dict[str, int]) -> None:
        self.step = state["step"]


def _is_function(batches: Any) -> bool:
    return callable(batches) and not hasattr(batches, "__iter__")


def _is_tree(batches: Any) -> bool:
    leaves = pytree.leaves(batches)
    return isinstance(batches, torch.Tensor) or not (len(leaves) == 1 and leaves[0] is batches)


def _drawn(loader: Iterable[Any], steps: int) -> list[Any]:
    """Return the first batches of a loader, which starts over when it has ended."""
    batches: list[Any] = []
    while len(batches) < steps:
        before = len(batches)
        for batch in loader:
            batches.append(batch)
            if len(batches) == steps:
                break
        if len(batches) == before:
            raise ValueError(f"`batches`, a {type(loader).__name__}, yields no batch.")
    return batches


def _checked_loader(batches: Any, name: str = "`batches`") -> Any:
    kind = type(batches).__name__
    if isinstance(batches, Iterator):
        raise TypeError(
            f"{name} is an iterator ({kind}), which cannot be iterated again: pass what it iterates, "
            f"or a function of the step."
        )
    if isinstance(batches, (str, bytes)) or not hasattr(batches, "__iter__"):
        raise TypeError(f"{name} is an object of type {kind}: {_KINDS}.")
    return batches


def _check_list(batches: list[Any], steps: int) -> None:
    if not batches and steps:
        raise ValueError("`batches` is an empty list: pass one batch at least, or None.")
    if len(batches) != steps and all(_is_stacked(b, steps) for b in batches):
        raise ValueError(
            f"`batches` is a list, so one of {len(batches)} batches, but its tensors look stacked, "
            f"with a first axis of {steps} steps: pass a tuple of stacked tensors, or a function of "
            f"the step."
        )


def _check_stacked(batches: Any, steps: int, name: str = "batches") -> None:
    leaves, spec = pytree.flatten(batches)
    for index, leaf in enumerate(leaves):
        if leaf is None or _is_stacked(leaf, steps):
            continue
        what = (
            f"a tensor of shape {tuple(leaf.shape)}"
            if isinstance(leaf, torch.Tensor)
            else f"an object of type {type(leaf).__name__}"
        )
        raise ValueError(
            f"`{checks.leaf_path(spec, index, name)}` is {what}, but its first axis must count "
            f"the {steps} steps: stack one batch for each step, pass a list of batches, a function of "
            f"the step or a `DataLoader`, or put one batch for all steps into `args`."
        )


def _is_stacked(leaf: Any, steps: int) -> bool:
    return isinstance(leaf, torch.Tensor) and leaf.dim() > 0 and len(leaf) == steps

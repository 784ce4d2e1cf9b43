r"""How many examples each process has: losses that are means are weighted by these numbers.

The mean over the examples of all processes is that of the processes' means with the weights
:math:`n_r R / \sum_r n_r`, which are 1 where all parts are equal.
"""

from __future__ import annotations

import numbers
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import torch

from torchopt.pytree import flattening as pytree


class WeightedBatch(NamedTuple):
    """A process's part of a batch, and the weight of its loss in the mean over processes."""

    batch: Any
    weight: float = 1.0


class Examples(NamedTuple):
    """The description of a batch that the other processes need.

    Attributes:
        number: The number of its examples; None if it is unknown.
        is_user_defined: Whether the user defines that number (`num_examples`).
        shapes: The shapes of its arrays; None if it holds an object of another kind.
        structure: The tree structure of the whole batch.
    """

    number: float | None
    is_user_defined: bool
    shapes: list[tuple[int, ...]] | None
    structure: str


def count_examples(batch: Any) -> int | None:
    """Return the common length of a batch's arrays along their first dimension, if there is one."""
    lengths = {shape[0] for shape in shapes_of(batch) or () if shape}
    return lengths.pop() if len(lengths) == 1 else None


def weights_of(name: str, parts: Sequence[Examples]) -> list[float]:
    """Return the weight of each process's part of a batch.

    Raises:
        ValueError: If a part has no examples, or the numbers cannot be told and matter.
    """
    counts = [part.number for part in parts]
    for rank, part in enumerate(parts):
        if part.number == 0 and not (part.is_user_defined and any(counts)):
            raise ValueError(
                f"the batch of problem {name!r} has no examples in process {rank}, so that its loss "
                f"is a mean over nothing: give each process at least one example."
            )
    known = [count for count in counts if count is not None]
    if len(known) == len(parts):
        return [count * len(parts) / sum(known) for count in known]
    if all(p.shapes is not None and p[2:] == parts[0][2:] for p in parts):
        return [1.0] * len(parts)
    raise ValueError(
        f"the processes have unequal parts of a batch of problem {name!r}, or parts that cannot be "
        f"compared, and their numbers of examples cannot be told, since {_why(parts)}: define "
        f"`num_examples(self, batch)` in the problem's class, which returns over how many examples "
        f"the loss of a batch is a mean."
    )


def differ_inside(parts: Sequence[Examples]) -> bool:
    """Whether shapes differ in other dimensions than the first, which then may not be the examples."""
    inside = [None if p.shapes is None else [shape[1:] for shape in p.shapes] for p in parts]
    return not all(p.is_user_defined for p in parts) and any(
        shapes != inside[0] for shapes in inside
    )


def _why(parts: Sequence[Examples]) -> str:
    rank, part = next((r, p) for r, p in enumerate(parts) if p.number is None)
    if part.shapes is None:
        return f"process {rank} has objects that are neither tensors nor containers of them"
    if not part.shapes:
        return f"process {rank} has no tensors"
    return f"process {rank} has tensors of shapes {', '.join(map(str, part.shapes))}"


def shapes_of(batch: Any) -> list[tuple[int, ...]] | None:
    """Return the shapes of all arrays; None if there are other objects, which may hold examples."""
    shapes: list[tuple[int, ...]] = []
    for leaf in pytree.leaves(batch):
        if isinstance(leaf, torch.Tensor) and leaf.is_nested:
            shapes.append((leaf.size(0),))
        elif isinstance(shape := getattr(leaf, "shape", None), tuple):
            shapes.append(tuple(shape))
        elif isinstance(leaf, Mapping):
            inside = shapes_of(dict(leaf))
            if inside is None:
                return None
            shapes += inside
        elif not isinstance(leaf, None | numbers.Number | str | bytes):
            return None
    return shapes

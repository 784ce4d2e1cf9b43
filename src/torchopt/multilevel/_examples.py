r"""How many examples each process has: losses that are means are weighted by these numbers.

The mean over the examples of all processes is that of the processes' means with the weights
:math:`n_r R / \sum_r n_r`, which are 1 where all parts are equal.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import torch

from torchopt.pytree import flattening as pytree

if TYPE_CHECKING:
    from torchopt.multilevel._problem import Problem

__all__ = ["Examples", "Part", "count_examples", "differ_inside", "examples_of", "weights_of"]


class Part(NamedTuple):
    """A process's part of a batch, and what its loss counts in the mean over all processes."""

    batch: Any
    weight: float = 1.0


class Examples(NamedTuple):
    """What other processes have to know of a batch.

    Attributes:
        number: That of its examples; None where it cannot be told.
        told: Whether the user has told it.
        shapes: Those of its arrays; None where it holds an object of another kind.
        structure: Of the whole batch.
    """

    number: float | None
    told: bool
    shapes: list[tuple[int, ...]] | None
    structure: str


def count_examples(batch: Any) -> int | None:
    """Return the common length of a batch's arrays along their first dimension, if there is one."""
    lengths = {shape[0] for shape in _shapes(batch) or () if shape}
    return lengths.pop() if len(lengths) == 1 else None


def examples_of(problem: Problem, batch: Any) -> Examples:
    """Return the number of a batch's examples, and its shapes."""
    found, told = problem.num_examples(batch), problem.is_implemented("num_examples")
    count = None if found is None else float(found)
    if count is not None and not 0 <= count < math.inf:
        raise ValueError(
            f"`num_examples` of problem {problem.name!r} returned {found!r}: return a number, at "
            f"least 0."
        )
    return Examples(count, told, _shapes(batch), str(pytree.flatten(batch)[1]))


def weights_of(name: str, parts: Sequence[Examples]) -> list[float]:
    """Return the weight of each process's part of a batch.

    Raises:
        ValueError: If a part has no examples, or the numbers cannot be told and matter.
    """
    counts = [part.number for part in parts]
    for rank, part in enumerate(parts):
        if part.number == 0 and not (part.told and any(counts)):
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
    """Whether numbers that were not told may be none of examples: other dimensions differ, too."""
    inside = [None if p.shapes is None else [shape[1:] for shape in p.shapes] for p in parts]
    return not all(p.told for p in parts) and any(shapes != inside[0] for shapes in inside)


def _why(parts: Sequence[Examples]) -> str:
    rank, part = next((r, p) for r, p in enumerate(parts) if p.number is None)
    if part.shapes is None:
        return f"process {rank} has objects that are neither tensors nor containers of them"
    if not part.shapes:
        return f"process {rank} has no tensors"
    return f"process {rank} has tensors of shapes {', '.join(map(str, part.shapes))}"


def _shapes(batch: Any) -> list[tuple[int, ...]] | None:
    """Return the shapes of all arrays; None if there are objects that may hold examples unseen."""
    found: list[tuple[int, ...]] = []
    for leaf in pytree.flatten(batch)[0]:
        if isinstance(leaf, torch.Tensor) and leaf.is_nested:
            found.append((leaf.size(0),))
        elif isinstance(shape := getattr(leaf, "shape", None), tuple):
            found.append(tuple(shape))
        elif isinstance(leaf, Mapping):
            inside = _shapes(dict(leaf))
            if inside is None:
                return None
            found += inside
        elif not isinstance(leaf, None | numbers.Number | str | bytes):
            return None
    return found

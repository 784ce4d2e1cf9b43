"""The tensors that the steps of an unroll read besides the carry."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch

from torchopt.autodiff.closed import Closed
from torchopt.autodiff.environment import Environment
from torchopt.autodiff.graph import leaf
from torchopt.pytree import flattening as pytree

Tensors = Sequence[torch.Tensor]

_INSTEAD = 'pass it in `args`, or use memory="graph"'


class Captured(Closed):
    """The steps as a closed function, and what varies among the arguments and batches of a problem.

    A list of tensors with one for each of these, and then one for each variable that is closed over, is
    called *others*: steps can be evaluated at other values.

    Args:
        environment: The environment of the steps.
        args: The arguments that are the same in each step.
        indices: The steps.
        inside: Whether the first run is inside of ``torch.func``, where each tensor may vary.
    """

    def __init__(
        self, environment: Environment, args: tuple[Any, ...], indices: range, *, inside: bool
    ) -> None:
        super().__init__(environment, "the objective", _INSTEAD, inside=inside)
        self._args = args
        self._indices = indices
        self._batches: list[tuple[Any, ...]] = []
        self._places: list[tuple[int, int]] = []  # a step (-1 for arguments), and a leaf

    @property
    def passed(self) -> int:
        """How many of *others* come before those that are closed over."""
        return len(self._places)

    def __len__(self) -> int:
        """Return the number of *others*."""
        return len(self._places) + len(self.free)

    def take(self, tree: Any, step: int = -1) -> tuple[list[torch.Tensor], Any]:
        """Note the batch of the next step, or the arguments.

        Args:
            tree: The batch, or the arguments.
            step: The step; -1 for the arguments.

        Returns:
            What varies in it, and what to run with.
        """
        if step >= 0:
            self._batches.append(tree)
        # Variables become leaves of their own: then what is closed over differs from what is passed,
        # also where it is the same tensor and a custom autograd.Function reads it.
        leaves, spec = pytree.flatten(tree)
        varying = []
        for place, x in enumerate(leaves):
            if isinstance(x, torch.Tensor) and (self.inside or x.requires_grad):
                varying.append(x)
                self._places.append((step, place))
                if not self.inside:
                    leaves[place] = leaf(x)
                    self.note_copies([leaves[place]])
        return varying, pytree.unflatten(spec, leaves)

    @contextmanager
    def step(
        self, index: int, others: Tensors, *, replace: bool
    ) -> Iterator[tuple[tuple[Any, ...], tuple[Any, ...]]]:
        """Run a step at other values; yield its arguments and its batch.

        Args:
            index: The step.
            others: The values.
            replace: Whether what the objective closes over is replaced, too. Else it is read as it is.
        """
        args, spec = pytree.flatten(self._args)
        batch, batch_spec = pytree.flatten(self._batches[index - self._indices.start])
        given: dict[int, torch.Tensor] = {}  # what is passed may be closed over, too
        for (step, place), tensor in zip(self._places, others, strict=False):
            if step in (-1, index):
                leaves = args if step == -1 else batch
                given[id(leaves[place])] = tensor
                leaves[place] = tensor
        with self.at(others[self.passed :], given, replace=replace):
            yield pytree.unflatten(spec, args), pytree.unflatten(batch_spec, batch)

    def replaced(self, leaves: list[Any], others: Tensors) -> list[Any]:
        """Return leaves of a result with the other values in place of variables closed over."""
        pairs = zip(self.free, others[self.passed :], strict=True)
        table = {id(t): s for t, s in pairs}
        self.used |= {id(x) for x in leaves if id(x) in table}
        return [table.get(id(x), x) for x in leaves]

    def not_closed_over(self, outputs: list[torch.Tensor]) -> list[torch.Tensor]:
        """Return outputs but for those that the objective closes over, which count as read."""
        free = set(map(id, self.free))
        self.used |= {id(t) for t in outputs if id(t) in free}
        return [t for t in outputs if id(t) not in free]

    def varying_at(self, index: int) -> list[int]:
        """Return the positions in *others* of what a step reads."""
        number = len(self._places)
        placed = [i for i, (step, _) in enumerate(self._places) if step in (-1, index)]
        return [*placed, *range(number, number + len(self.free))]

    def with_own(self, others: Tensors) -> list[torch.Tensor]:
        """Return *others* with what the objective closes over as it is, unless it is composed."""
        return [*others[: self.passed], *self.own(others[self.passed :])]

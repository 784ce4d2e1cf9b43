"""The tensors that the steps of an unroll read besides the carry."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any

import torch

from torchopt.autodiff.closed import Closed
from torchopt.autodiff.environment import Environment
from torchopt.autodiff.graph import leaf
from torchopt.pytree import flattening as pytree

Tensors = Sequence[torch.Tensor]

ARGS = -1
"""Stands in place of a step for the arguments, which are the same in each."""

_INSTEAD = 'pass it in `args`, or use memory="graph"'


class Captured(Closed):
    """The steps as a closed function, and what varies among the arguments and batches of a problem.

    A list of tensors with one for each of these, and then one for each variable that is closed over, is
    called *others*: steps can be evaluated at other values.

    Args:
        environment: The environment of the steps.
        inside: Whether the first run is inside of ``torch.func``, where each tensor may vary.

    Attributes:
        passed: How many of *others* come before those that are closed over.
    """

    def __init__(self, environment: Environment, *, inside: bool) -> None:
        super().__init__(environment, "the objective", _INSTEAD, inside=inside)
        self._batches: dict[int, Any] = {}
        self._places: dict[int, dict[int, int]] = {}  # by step: leaves, by place in *others*
        self.passed = 0

    def __len__(self) -> int:
        """Return the number of *others*."""
        return self.passed + len(self.free)

    def take(self, tree: Any, step: int = ARGS) -> tuple[list[torch.Tensor], Any]:
        """Note the batch of the next step, or the arguments.

        Args:
            tree: The batch, or the arguments.
            step: The step; by default, the arguments.

        Returns:
            What varies in it, and what to run with.
        """
        self._batches[step] = tree
        # Variables become leaves of their own: then what is closed over differs from what is passed,
        # also where it is the same tensor and a custom autograd.Function reads it.
        leaves, spec = pytree.flatten(tree)
        varying = []
        places = self._places.setdefault(step, {})
        for place, x in enumerate(leaves):
            if isinstance(x, torch.Tensor) and (self.inside or x.requires_grad):
                varying.append(x)
                places[self.passed] = place
                self.passed += 1
                if not self.inside:
                    leaves[place] = leaf(x)
                    self.note_copies([leaves[place]])
        return varying, pytree.unflatten(spec, leaves)

    def step(
        self, index: int, others: Tensors, *, replace: bool
    ) -> tuple[tuple[Any, ...], tuple[Any, ...], AbstractContextManager[None]]:
        """Return the arguments and the batch of a step at other values, and what encloses it there.

        Args:
            index: The step.
            others: The values.
            replace: Whether what the objective closes over is replaced, too. Else it is read as it is.
        """
        given: dict[int, torch.Tensor] = {}  # what is passed may be closed over, too
        args, batch = (self._placed(step, others, given) for step in (ARGS, index))
        return args, batch, self.at(others[self.passed :], given, replace=replace)

    def _placed(self, step: int, others: Tensors, given: dict[int, torch.Tensor]) -> Any:
        """Return the batch of a step, or the arguments, with other values, which are noted."""
        leaves, spec = pytree.flatten(self._batches[step])  # a copy, which it may write into
        for i, place in self._places[step].items():
            given[id(leaves[place])] = others[i]
            leaves[place] = others[i]
        return pytree.unflatten(spec, leaves)

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
        return [*self._places[ARGS], *self._places[index], *range(self.passed, len(self))]

    def with_own(self, others: Tensors) -> list[torch.Tensor]:
        """Return *others* with what the objective closes over as it is, unless it is composed."""
        return [*others[: self.passed], *self.own(others[self.passed :])]

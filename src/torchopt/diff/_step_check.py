"""Whether the steps of an unroll give the same when they are computed again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NoReturn

import torch

from torchopt.autodiff import transforms
from torchopt.autodiff.fingerprint import Fingerprint, ReplayCheck
from torchopt.autodiff.transforms import values_of
from torchopt.errors import ReplayError

__all__ = ["StepCheck"]

Tensors = Sequence[torch.Tensor]


@dataclass(frozen=True)
class _First:
    """The fingerprints of a step at first; of auxiliary outputs, if the last step returns them."""

    gradients: Fingerprint
    carry: Fingerprint
    aux: list[Fingerprint]


class StepCheck:
    """Compares steps that are computed again with the first run.

    Args:
        autocast: The dtypes of autocast in the first run.
    """

    def __init__(self, autocast: Iterable[torch.dtype]) -> None:
        self._check = ReplayCheck(autocast)
        self._first: dict[int, _First] = {}
        self._gradients: list[torch.Tensor] = []  # of the step that was evaluated last
        self._same = True  # whether these have the same bits as at first

    def note(self, index: int, gradients: Iterable[torch.Tensor]) -> None:
        """Note the gradients of a step that is being evaluated, and compare them with the first."""
        with transforms.unseen_by_modes():
            self._gradients = [values_of(g) for g in gradients]
        if index in self._first:
            first = self._first[index].gradients
            self._same = not first.distance(self._gradients, together=True)
            if not self._same:
                distance = self._distance(first, self._gradients)
                self._require(index, distance, self._gradients, "other parameters")

    def record(self, index: int, carry: Tensors, aux: Tensors) -> None:
        """Keep the fingerprints of the step that was evaluated last.

        Args:
            index: The step.
            carry: The tensors of its carry.
            aux: Those of the auxiliary output, if the step is the last one.
        """
        self._first[index] = _First(
            Fingerprint(self._gradients),
            Fingerprint(map(values_of, carry)),
            [Fingerprint([values_of(t)]) for t in aux],
        )

    def compare(self, index: int, carry: Tensors, aux: Tensors) -> None:
        """Raise if the step that was evaluated last differs from the first run; see :meth:`record`."""
        if torch.compiler.is_compiling():
            return
        if index not in self._first:  # the first run inside of torch.func
            self.record(index, carry, aux)
        first, self._gradients = self._first[index], []
        if self._same:
            values = [values_of(t) for t in carry]
            self._require(index, first.carry.distance(values), values, "other parameters")
        for t, fingerprint in zip(aux, first.aux, strict=False):
            if t.requires_grad:  # else no gradient goes through it
                floor = 0.0 if self._same else self._check.rounding([t]) * self._size
                distance = fingerprint.distance([values_of(t)], floor=floor)
                self._require(index, distance, [t], "another auxiliary output")

    def require_gradient(
        self, index: int, first: Fingerprint, gradient: Tensors, error: float
    ) -> None:
        """Raise if an evaluation for a product of a step has another gradient.

        Args:
            index: The step.
            first: Its gradient, for the same micro-batch.
            gradient: The gradient of the evaluation.
            error: The distance that is allowed, since the gradient was taken nearby.
        """
        gradient = [values_of(g) for g in gradient]
        if not self._distance(first, gradient, error) <= self._check.rounding(gradient):
            _refuse(index, "another gradient")

    def _distance(self, first: Fingerprint, gradients: Tensors, floor: float = 0.0) -> float:
        """Return the distance of gradients from the first, where it is more than rounding."""
        # As one vector: that of a single tensor may be rounding alone. So may be all, at a minimum.
        half = self._check.rounding(gradients)
        floor = max(floor, min(64 * half**2, half / 4) * self._size)
        return first.distance(gradients, together=True, floor=floor)

    @property
    def _size(self) -> float:
        """The largest norm of the gradients of the steps."""
        return max(first.gradients.size for first in self._first.values())

    def _require(self, index: int, distance: float, values: Tensors, what: str) -> None:
        if not self._check.accepts(distance, values):
            _refuse(index, what)

    def warn(self) -> None:
        """Warn if steps differed by rounding since the last warning."""
        if transforms.forward_depth():  # where operations may be made of others
            self.forget()
        self._check.warn(
            "steps gave not quite the same gradients when they were computed again: an operation "
            "is not deterministic, and the meta-gradient is as inexact. Try "
            'torch.use_deterministic_algorithms(True), or use memory="graph".'
        )

    def forget(self) -> None:
        """Forget the differences so far."""
        self._check.forget()


def _refuse(index: int, what: str) -> NoReturn:
    raise ReplayError(
        f"step {index} gave {what} when it was computed again: what the objective reads "
        f"has changed before the backward pass, or is random in a way that cannot be replayed. "
        f'Leave it as it is, pass it in `batches`, or use memory="graph".'
    )

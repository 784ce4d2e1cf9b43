r"""Forward-mode derivatives through steps: for few variables, and any number of steps.

With :math:`\theta_{k+1} = \Phi_k(\theta_k, \varphi)`, the Jacobian :math:`Z_k = d\theta_k / d\varphi`
obeys :math:`Z_{k+1} = \partial \Phi_k / \partial \theta \; Z_k + \partial \Phi_k / \partial \varphi`:
a forward derivative of the step for each entry of :math:`\varphi`.

References:
    Franceschi et al., *Forward and Reverse Gradient-Based Hyperparameter Optimization*, 2017, section
    3.2.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import torch
from torch.autograd import forward_ad

from torchopt.autodiff.environment import Snapshot
from torchopt.autodiff.tracking import untracked
from torchopt.diff._steps import CheckpointedUnroll, Inputs, Unroll, tensors_of
from torchopt.diff.problem import InnerProblem, Iterate

Tensors = Sequence[torch.Tensor]
Along = list[torch.Tensor | None]


class ForwardUnroll(CheckpointedUnroll):
    """Steps whose derivatives are pushed along in the first run, so that no checkpoint is kept.

    Args:
        unroll: The steps.
    """

    def __init__(self, unroll: Unroll) -> None:
        super().__init__(replace(unroll, policy=0), inside=False)
        self._tangents = Tangents([])
        self._variables: list[torch.Tensor] = []
        self._pushing = False

    def first_run(self, start: Iterate) -> tuple[list[torch.Tensor], list[torch.Tensor]]:
        """Do all steps; see :class:`CheckpointedUnroll`."""
        self._tangents = Tangents(tensors_of(start.start_of_next()))
        carry, others = super().first_run(start)
        self._variables = [*carry, *others]
        return carry, others

    def first_step(
        self,
        problem: InnerProblem,
        index: int,
        inputs: Inputs,
        batch: tuple[Any, ...],
        known: Tensors,
        before: Snapshot,
    ) -> tuple[list[Any], list[torch.Tensor]]:
        """Do a step, and push the derivatives through it."""
        out, free = super().first_step(problem, index, inputs, batch, known, before)
        self.captured.settle()

        def evaluate(carry: list[Any], others: list[torch.Tensor]) -> list[Any]:
            self.environment.rewind(before)
            # An auxiliary output has a tangent only where it is tracked.
            with torch.set_grad_enabled(index == self.unroll.last - 1):
                again = self.evaluate(index, Inputs(carry, others))
            self.compare(index, again)
            return again

        self._pushing = True
        try:
            self._tangents.step(evaluate, inputs.carry, [*inputs.others, *self.captured.free])
        finally:
            self._pushing = False
        self.check.settle()
        self.check.forget()  # operations on dual numbers may be made of others
        self.captured.check_used()
        return out, free

    def replaces(self) -> bool:
        """Whether what the objective closes over is replaced: by dual numbers, in the first run."""
        return self._pushing or super().replaces()

    def pull(
        self, needed: Sequence[bool], cotangents: Sequence[torch.Tensor]
    ) -> tuple[torch.Tensor, ...]:
        """Return the cotangents of the inputs that are wanted, for those of the result."""
        return self._tangents.pull(self._variables, needed, cotangents)


class Tangents:
    """The derivatives of a carry with respect to each entry of the tensors that require grad.

    Args:
        start: The tensors of the first carry.
    """

    def __init__(self, start: Tensors) -> None:
        self._along: dict[tuple[int, int], Along] = {}  # by the identity of a tensor, and the entry
        self._values = {
            id(t): t.detach() for t in start
        }  # an unroll around this one looks for variables
        for t in start:
            for n in _entries(t):
                self._along[id(t), n] = [_unit(t, n) if s is t else None for s in start]

    def step(
        self,
        evaluate: Callable[[list[Any], list[torch.Tensor]], list[Any]],
        carry: list[Any],
        others: Tensors,
    ) -> None:
        """Push the derivatives through a step.

        Args:
            evaluate: Returns the leaves of the result, for leaves of a carry and other tensors.
            carry: The leaves of the carry.
            others: The other tensors.
        """
        number = sum(isinstance(x, torch.Tensor) for x in carry)
        for t in others:
            self._values.setdefault(id(t), t.detach())
            for n in _entries(t):
                self._along.setdefault((id(t), n), [None] * number)
        for (variable, n), along in self._along.items():
            with untracked(), forward_ad._set_fwd_grad_enabled(True), forward_ad.dual_level():
                it = iter(along)
                at = [_dual(x, next(it)) if isinstance(x, torch.Tensor) else x for x in carry]
                given = [_dual(t, _unit(t, n) if id(t) == variable else None) for t in others]
                out = [x for x in evaluate(at, given) if isinstance(x, torch.Tensor)]
                self._along[variable, n] = [forward_ad.unpack_dual(x).tangent for x in out]

    def pull(
        self, variables: Tensors, needed: Sequence[bool], cotangents: Sequence[torch.Tensor]
    ) -> tuple[torch.Tensor, ...]:
        """Return the cotangents of variables, for those of the result.

        Args:
            variables: The tensors that the derivatives are with respect to. For a tensor that comes
                twice, the second cotangent is zero.
            needed: Whether the cotangent of each variable is wanted.
            cotangents: One for each tensor in the result.
        """
        pulled: list[torch.Tensor] = []
        done: set[int] = set()
        for variable, need in zip(variables, needed, strict=True):
            if not need:
                continue
            key, t = id(variable), self._values[id(variable)]
            again = key in done
            done.add(key)
            entries = [
                cotangents[0].new_zeros(()) if again else self._product((key, n), cotangents)
                for n in range(t.numel())
            ]
            pulled.append(
                torch.stack(entries).to(t).view(t.shape) if entries else torch.zeros_like(t)
            )
        return tuple(pulled)

    def _product(
        self, direction: tuple[int, int], cotangents: Sequence[torch.Tensor]
    ) -> torch.Tensor:
        along = self._along[direction]
        pairs = [(v, c) for v, c in zip(along, cotangents, strict=True) if v is not None]
        return sum(((v * c).sum() for v, c in pairs), cotangents[0].new_zeros(()))


def _entries(t: torch.Tensor) -> range:
    if t.requires_grad and t.is_complex():
        raise ValueError(
            f'memory="forward" is for real variables, but one of shape {tuple(t.shape)} is complex: '
            f'use memory="tree".'
        )
    return range(t.numel() if t.requires_grad else 0)


def _unit(t: torch.Tensor, n: int) -> torch.Tensor:
    unit = torch.zeros(t.numel(), dtype=t.dtype, device=t.device)
    unit[n] = 1
    return unit.view(t.shape)


def _dual(t: torch.Tensor, tangent: torch.Tensor | None) -> torch.Tensor:
    t = t.detach()
    return t if tangent is None else forward_ad.make_dual(t, tangent)

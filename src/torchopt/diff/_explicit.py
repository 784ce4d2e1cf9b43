"""The explicit mode: backpropagate through the unrolled solver."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any, ClassVar

import torch

from torchopt._tracking import constant
from torchopt.diff._problem import Differentiates, InnerProblem, Solution
from torchopt.diff._rematerialize import rematerialize

__all__ = ["Explicit"]

# What to keep of a step for the backward pass. A new policy is a function from a step to a step.
_POLICIES = {
    "graph": lambda step: step,
    "step": rematerialize,
}


@dataclass(frozen=True)
class Explicit:
    r"""Backpropagate through the steps of the solver.

    With :math:`\theta_{k+1} = \Phi(\theta_k, \varphi)`, the best-response derivative is

    .. math::
        \frac{d\theta_K}{d\varphi} = \sum_{k=1}^{K}
            \left( \prod_{j=k+1}^{K} \frac{\partial \Phi(\theta_{j-1})}{\partial \theta} \right)
            \frac{\partial \Phi(\theta_{k-1})}{\partial \varphi}

    It is exact for the solver's output, to any order; memory grows with the number of steps. Use it
    for few steps, and where the start matters (MAML); it reaches everything that the objective
    reads, passed or closed over.

    Args:
        memory: What to keep for the backward pass. ``"graph"``: everything. ``"step"``: the
            parameters and the state between steps, while each step is computed again; the gradient
            is the same. PyTorch's random numbers and the buffers of modules are replayed; other
            things that the objective reads must not change before the backward pass. Inside
            ``torch.compile``, the compiler plans the memory instead.
        truncate: Differentiate through the last so many steps only; where that is not all of them,
            nothing flows back to the starting point. By default, through all.
        first_order: Whether the objective's gradients count as constants, which leaves out all
            second derivatives (first-order MAML).

    Raises:
        ValueError: If ``memory`` is unknown or ``truncate`` negative.

    Example:
        >>> import torch, torchopt
        >>> start = torch.tensor(1.0, requires_grad=True)
        >>> solution = torchopt.minimize(
        ...     lambda x: x ** 2, start, solver=torchopt.sgd(0.25), steps=3,
        ...     diff=torchopt.diff.Explicit(memory="step"))
        >>> solution.params.backward()
        >>> start.grad
        tensor(0.1250)

    References:
        Franceschi et al., *Forward and Reverse Gradient-Based Hyperparameter Optimization*, 2017.
        Shaban et al., *Truncated Back-propagation for Bilevel Optimization*, 2019 (``truncate``).
        Finn et al., *MAML*, 2017, section 5.2 (``first_order``).
    """

    differentiates: ClassVar[Differentiates] = "steps"

    memory: str = "graph"
    truncate: int | None = None
    first_order: bool = False

    def __post_init__(self) -> None:
        if self.memory not in _POLICIES:
            known = ", ".join(repr(name) for name in _POLICIES)
            raise ValueError(f"`memory` is {self.memory!r}: use one of {known}.")
        if self.truncate is not None and (
            not isinstance(self.truncate, int)
            or isinstance(self.truncate, bool)
            or self.truncate < 0
        ):
            raise ValueError(
                f"`truncate` is {self.truncate!r}: use a number of steps, not negative, or None."
            )

    def solve(self, problem: InnerProblem) -> Solution:
        """Run the solver; see :class:`DifferentiationMode`."""
        if not problem.is_fixed_length:
            if self != Explicit():
                raise ValueError(
                    "`memory`, `truncate` and `first_order` are for a given number of updates of a "
                    "gradient transformation: leave them and `tol` out, or use `diff.Implicit()`."
                )
            return problem.run()
        carry = problem.start()
        cut = 0 if self.truncate is None else max(problem.steps - self.truncate, 0)
        with torch.no_grad() if cut else nullcontext():
            for index in range(cut):
                carry = problem.step(index, carry, problem.batch(index), first_order=True)
        if cut:
            carry = constant(carry)
        for index in range(cut, problem.steps):
            carry = self.step(problem, index, carry, problem.batch(index))
        return carry._replace(iterations=torch.tensor(problem.steps))

    def step(
        self, problem: InnerProblem, index: int, carry: Solution, batch: tuple[Any, ...]
    ) -> Solution:
        """Do one update through which autograd can go, for who runs the steps one by one.

        Args:
            problem: The problem.
            index: The number of the step.
            carry: What the step before returned; at first ``problem.start()``.
            batch: What ``problem.batch(index)`` returned.
        """

        def step(index: int, carry: Solution, batch: tuple[Any, ...]) -> Solution:
            return problem.step(index, carry, batch, first_order=self.first_order)

        policy = _POLICIES["graph" if torch.compiler.is_compiling() else self.memory]
        return policy(step)(index, carry, batch)

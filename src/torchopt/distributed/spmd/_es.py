"""Zero-order estimates whose evaluations are divided among ranks; only values are sent."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch

from torchopt.autodiff.generators import seed_of, seeded
from torchopt.collectives.group import Group, ranks_of
from torchopt.collectives.typed import Replicated, all_gather, balanced
from torchopt.diff.zero_order import Estimator, Evaluation, Loop, ZeroOrder
from torchopt.io.calls import CallRepr

_LOOP = Loop()


@dataclass(frozen=True)
class Sharded(CallRepr):
    """Evaluates each rank's part of the points of a zero-order estimate, and gathers the values.

    As ``evaluation`` of :class:`torchopt.diff.ZeroOrder`, for any estimator. Every rank draws all
    directions, from the same seed: give the mode a ``generator``.

    Args:
        evaluation: How a rank evaluates its part. With :class:`~torchopt.diff.zero_order.Loop` the
            estimate has the same bits on any number of processes with devices of one kind,
            deterministic kernels and as many threads.
        group: As for :func:`psum`.

    Raises:
        RuntimeError: When it is called, if the ranks' points are not the same.
    """

    evaluation: Evaluation = _LOOP
    group: Group = field(default=None, kw_only=True)

    def __call__(
        self,
        function: Callable[[Sequence[torch.Tensor]], Sequence[torch.Tensor]],
        points: Sequence[torch.Tensor],
    ) -> Sequence[torch.Tensor]:
        """See :class:`~torchopt.diff.zero_order.Evaluation`."""
        ranks = ranks_of(self.group)
        count = len(points[0])
        sizes = balanced(count, ranks.size)
        first, own = sum(sizes[: ranks.rank]), sizes[ranks.rank]
        begin = first if own else 0  # who has none does the first, for the shapes of its values
        mine = [p[begin : begin + max(own, 1)] for p in points]
        values = [y[:own] for y in self.evaluation(function, mine)]
        mark = torch.stack([p[0].detach().double().sum() for p in points]).sum().reshape(1)
        ends = all_gather(mark, 0, group=self.group, sizes=[1] * ranks.size)
        if not bool(((ends == ends[0]) | (ends.isnan() & ends[0].isnan())).all()):
            raise RuntimeError(
                "the ranks evaluate different points: parameters must be replicated, and directions "
                "must come from one seed; give `ZeroOrder` a `generator`, the same on each rank."
            )
        return list(all_gather(values, 0, group=self.group, sizes=sizes))


def es_map(
    function: Callable[..., Any],
    /,
    estimator: Estimator,
    *,
    generator: torch.Generator | int,
    group: Group = None,
    evaluation: Evaluation | None = None,
) -> Callable[..., Replicated]:
    """Make a function differentiable by evolution strategies, with the population spread over ranks.

    Replicated → replicated. A rank evaluates its part of the perturbed points; what travels is one
    number for each of them, and never a direction or a gradient: 64 bytes for 16 evaluations in
    float32, whatever the number of parameters. By default value and estimate have the same bits on
    any number of processes with devices of one kind, deterministic kernels and as many threads.

    Args:
        function: Anything that returns numbers for tensors; see :class:`torchopt.diff.ZeroOrder`.
        estimator: The formula, such as :class:`torchopt.diff.zero_order.Antithetic`.
        generator: Where the directions and the random numbers of the function come from: a number,
            with which each call has the same, or a ``torch.Generator`` in the same state on each rank.
        group: As for :func:`psum`.
        evaluation: How a rank evaluates its part; by default one point after the other.

    Returns:
        The function, differentiable with respect to the floating tensors that it is called with.

    Raises:
        RuntimeError: In a backward pass, if the ranks' parameters are not the same.

    Example:
        >>> import torch
        >>> from torchopt.diff.zero_order import Antithetic
        >>> x = torch.tensor([1.0, -2.0], requires_grad=True)
        >>> f = es_map(lambda x: x.square().sum(), Antithetic(num_samples=500, sigma=0.1), generator=0)
        >>> torch.autograd.grad(f(x), x)[0].round()
        tensor([ 2., -4.])

    References:
        Salimans et al., Evolution Strategies as a Scalable Alternative to Reinforcement Learning, 2017,
        algorithm 2 (shared seeds).
    """
    spread = Sharded(Loop() if evaluation is None else evaluation, group=group)

    def call(*args: Any, **kwargs: Any) -> Any:
        seed = seed_of(generator)
        with seeded(seed):
            return ZeroOrder(estimator, spread, generator=seed)(function)(*args, **kwargs)

    return call

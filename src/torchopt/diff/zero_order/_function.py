"""The differentiable call of a function that has no gradient: its derivatives are estimates.

An estimate is a linear combination of values of the function at perturbed points. These values are
calls of the same kind, so that an estimate can be differentiated again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch._functorch.pyfunctorch import temporarily_clear_interpreter_stack
from torch.autograd import forward_ad

from torchopt._replay import Replay
from torchopt._tracking import tracking, untracked
from torchopt.diff.zero_order._estimator import Estimator
from torchopt.diff.zero_order._evaluation import Evaluation
from torchopt.pytree import _registry as pytree

__all__ = ["BlackBox", "call", "flat_function"]

Tensors = Sequence[torch.Tensor]

# Two numbers that have nothing to do with one another, to make a seed from a seed.
_MIX, _STEP = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9
_SEEDS = 1 << 63


@dataclass(frozen=True, eq=False)
class BlackBox:
    """A function of tensors, and how its derivative is estimated.

    Attributes:
        function: Takes a list of tensors and returns a list of floating tensors.
        estimator: The formula.
        evaluation: How points are evaluated.
        seed: From which all directions follow.
        replay: Lets each evaluation see the random numbers of the first.
    """

    function: Callable[[Tensors], Tensors]
    estimator: Estimator
    evaluation: Evaluation
    seed: int
    replay: Replay

    def value(self, theta: Tensors) -> Tensors:
        """Return the function's value."""
        with untracked():
            return [y.detach() for y in self._replayed(theta)]

    def values(self, points: Tensors) -> Tensors:
        """Return the function's values at many points, stacked."""
        with untracked():
            return [y.detach() for y in self.evaluation(self._replayed, points)]

    def _replayed(self, theta: Tensors) -> Tensors:
        with self.replay():
            return self.function(theta)

    def child(self, index: int) -> BlackBox:
        """Return the same function, with directions of its own."""
        return replace(self, seed=(self.seed * _MIX + (index + 1) * _STEP) % _SEEDS)

    def directions(self, like: torch.Tensor) -> torch.Tensor:
        """Return the estimator's directions for a vector."""
        # Drawn outside of every transform: directions are constants.
        with untracked(), temporarily_clear_interpreter_stack():
            generator = torch.Generator().manual_seed(self.seed)
            noise = self.estimator.directions(torch.empty(like.shape, dtype=like.dtype), generator)
        return noise.to(like.device)


def call(box: BlackBox, theta: Tensors) -> Tensors:
    """Return the function's value, differentiable with respect to theta by estimates."""
    if not tracking():
        return box.value(theta)
    out: Tensors = _Estimated.apply(box, *theta)
    return out


class _Estimated(torch.autograd.Function):
    @staticmethod
    def forward(box: BlackBox, *theta: torch.Tensor) -> Tensors:
        return tuple(box.value(theta))

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        ctx.box, *theta = inputs
        ctx.save_for_backward(*theta, *output)
        ctx.save_for_forward(*theta, *output)
        ctx.size = len(theta)

    @staticmethod
    def backward(ctx: Any, *cotangents: torch.Tensor) -> tuple[Any, ...]:
        theta, base = ctx.saved_tensors[: ctx.size], ctx.saved_tensors[ctx.size :]
        needed = ctx.needs_input_grad[1:]
        moving = [k for k, need in enumerate(needed) if need]
        vector, unravel = _ravel([theta[k] for k in moving])
        noise = ctx.box.directions(vector.detach())
        columns = _evaluate(ctx.box, theta, moving, unravel, noise, base)
        values = sum(
            torch.einsum("mn...,...->mn", y.reshape(*y.shape[:2], -1), c.reshape(-1))
            for y, c in zip(columns, cotangents, strict=True)
        )
        assert isinstance(values, torch.Tensor)
        estimate = ctx.box.estimator.estimate(noise, values.to(noise.dtype))
        found = iter(unravel(estimate))
        return (None, *(next(found) if need else None for need in needed))

    @staticmethod
    def jvp(ctx: Any, _box: Any, *tangents: torch.Tensor | None) -> Any:
        saved = [forward_ad.unpack_dual(t).primal for t in ctx.saved_tensors]
        theta, base = saved[: ctx.size], saved[ctx.size :]
        moving = [k for k, t in enumerate(tangents) if t is not None]
        with forward_ad._set_fwd_grad_enabled(True):
            vector, unravel = _ravel([theta[k] for k in moving])
            direction, _ = _ravel([t for t in tangents if t is not None])
            noise = ctx.box.directions(vector.detach())
            columns = _evaluate(ctx.box, theta, moving, unravel, noise, base)
            along = noise @ direction[:, None]  # an estimate is linear in the directions

            def estimate(values: torch.Tensor) -> torch.Tensor:
                return ctx.box.estimator.estimate(along, values)[0]

            return tuple(
                torch.stack([estimate(v) for v in y.reshape(*y.shape[:2], -1).unbind(-1)]).reshape(
                    y.shape[2:]
                )
                for y in columns
            )

    @staticmethod
    def vmap(info: Any, in_dims: Any, box: BlackBox, *theta: torch.Tensor) -> tuple[Any, Any]:
        # A loop, since a black box can be no batch: each problem has directions of its own.
        rows = [
            call(
                box.child(-k - 2),
                [
                    t if d is None else t.select(d, k)
                    for t, d in zip(theta, in_dims[1:], strict=True)
                ],
            )
            for k in range(info.batch_size)
        ]
        out = tuple(torch.stack(column) for column in zip(*rows, strict=True))
        return out, (0,) * len(out)


def _evaluate(
    box: BlackBox,
    theta: Tensors,
    moving: Sequence[int],
    unravel: Callable[[torch.Tensor], Tensors],
    noise: torch.Tensor,
    base: Tensors,
) -> list[torch.Tensor]:
    """Return the values at all offsets along all directions; each of shape ``(m, n, ...)``."""
    estimator = box.estimator
    offsets = [o for o in estimator.offsets if o != 0]
    n = noise.shape[0]
    scale = noise.new_tensor(offsets) * estimator.sigma
    steps = (scale[:, None, None] * noise).reshape(len(offsets) * n, -1)
    points: list[torch.Tensor] = [t.expand(len(steps), *t.shape) for t in theta]
    shifts = [torch.stack(column) for column in zip(*map(unravel, steps), strict=True)]
    for k, shift in zip(moving, shifts, strict=True):
        points[k] = theta[k] + shift
    if tracking():
        rows = [call(box.child(index), row) for index, row in enumerate(zip(*points, strict=True))]
        found: Tensors = [torch.stack(column) for column in zip(*rows, strict=True)]
    else:
        found = box.values(points)
    columns = [y.reshape(len(offsets), n, *y.shape[1:]) for y in found]
    if len(offsets) < len(estimator.offsets):
        columns = [
            torch.cat([y, z.expand(1, n, *z.shape)]) for y, z in zip(columns, base, strict=True)
        ]
    return columns


def _ravel(
    tensors: Sequence[torch.Tensor],
) -> tuple[torch.Tensor, Callable[[torch.Tensor], list[torch.Tensor]]]:
    """Return tensors as one vector, and the way back."""
    dtype = torch.float64 if any(t.dtype == torch.float64 for t in tensors) else torch.float32
    vector = torch.cat([t.reshape(-1).to(dtype) for t in tensors])
    sizes = [t.numel() for t in tensors]

    def unravel(vector: torch.Tensor) -> list[torch.Tensor]:
        parts = zip(vector.split(sizes), tensors, strict=True)
        return [part.reshape(t.shape).to(t.dtype) for part, t in parts]

    return vector, unravel


def flat_function(
    fn: Callable[..., Any], arguments: Any, like: torch.dtype
) -> tuple[Callable[[Tensors], Tensors], Tensors, list[Any]]:
    """Return a function of arguments as a function of their floating tensors.

    Returns:
        The function; the tensors; and a list in which each call leaves how to make its result of
        the tensors that it returns.
    """
    leaves, spec = pytree.flatten(arguments)
    places = [
        i for i, x in enumerate(leaves) if isinstance(x, torch.Tensor) and x.is_floating_point()
    ]
    constant = [None if i in places else x for i, x in enumerate(leaves)]
    made: list[Any] = []

    def function(theta: Tensors) -> Tensors:
        filled = list(constant)
        for i, t in zip(places, theta, strict=True):
            filled[i] = t
        args, kwargs = pytree.unflatten(spec, filled)
        outputs, out_spec = pytree.flatten(fn(*args, **kwargs))
        outputs = [_as_tensor(y, like) for y in outputs]
        floating = [isinstance(y, torch.Tensor) and y.is_floating_point() for y in outputs]
        made[:] = [(out_spec, [None if f else y for y, f in zip(outputs, floating, strict=True)])]
        return [y for y, f in zip(outputs, floating, strict=True) if f]

    return function, [leaves[i] for i in places], made


def _as_tensor(y: Any, dtype: torch.dtype) -> Any:
    """Return a number, of Python or NumPy, as a tensor."""
    if isinstance(y, float) or type(y).__module__ == "numpy":
        return torch.as_tensor(y, dtype=dtype) if not isinstance(y, torch.Tensor) else y
    return y

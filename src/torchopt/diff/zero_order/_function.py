"""The differentiable call of a function without a gradient: its derivatives are estimates.

An estimate is a linear combination of values of the function at perturbed points. These values are
calls of the same kind, so that an estimate can be differentiated again.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from torch.autograd import forward_ad

from torchopt import checks
from torchopt.autodiff import transforms
from torchopt.autodiff.closure_guard import ClosureGuard
from torchopt.autodiff.environment import Environment, TorchSettings
from torchopt.autodiff.generators import seeded
from torchopt.autodiff.shards import divided, is_sharded, layout_of, plain
from torchopt.autodiff.tracebacks import door
from torchopt.autodiff.tracking import copied, dual_numbers, make_dual, tracking, untracked
from torchopt.diff.zero_order._estimator import Estimator, check_resolution
from torchopt.diff.zero_order._evaluation import Evaluation, Loop, evaluating
from torchopt.diff.zero_order._low_rank import Factored, ThinShift
from torchopt.diff.zero_order._perturbed import Perturbed
from torchopt.pytree import flattening as pytree

Tensors = Sequence[torch.Tensor]

# Two numbers that have nothing to do with one another, to make a seed from a seed.
_MIX, _STEP = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9
_SEEDS = 1 << 63


@dataclass(frozen=True, eq=False)
class BlackBox:
    """A function of tensors, and how its derivative is estimated.

    Attributes:
        function: Takes a list of tensors and returns a list of floating tensors. It may write to what
            it takes, and so it is given copies of what is not made for a call.
        estimator: The formula.
        evaluation: Evaluates the function at many points.
        seed: Determines all directions.
        environment: The environment of each evaluation.
        bindings: Variables that the function reads by name; they must not change before its derivative.
        has_more: Returns whether a call has left other numbers besides those that it returns.
        settings: The settings under which the function was called, autocast among them.
    """

    function: Callable[[Tensors], Tensors]
    estimator: Estimator
    evaluation: Evaluation
    seed: int
    environment: Environment
    bindings: ClosureGuard | None = None
    has_more: Callable[[], bool] = lambda: False
    settings: TorchSettings = field(default_factory=TorchSettings.current)

    def value(self, theta: Tensors) -> Tensors:
        """Return the function's value."""
        with evaluating(), self.unchanged(), self.environment.evaluation(trace=True):
            return [y.detach().clone() for y in self.function(copied(list(theta)))]

    def values(self, at: Callable[[Tensors], Tensors], points: Tensors) -> Tensors:
        """Return the values of a function that calls this one at many points, stacked."""

        def replayed(row: Tensors) -> Tensors:
            with self.settings.applied(), self.environment.evaluation(trace=True):
                return at(row)

        with evaluating(), self.unchanged():
            return [y.detach() for y in self.evaluation(replayed, points)]

    def unchanged(self) -> AbstractContextManager[None]:
        """Enclose a call; raise if what the function reads has changed."""
        return nullcontext() if self.bindings is None else self.bindings.call()

    def child(self, index: int) -> BlackBox:
        """Return the same function with another seed, and so with other directions."""
        seed = (self.seed * _MIX + (index + 1) * _STEP) % _SEEDS
        return replace(self, seed=seed, has_more=lambda: False)

    def directions(self, like: Tensors) -> Any:
        """Return the estimator's directions for tensors."""
        specs: list[Any] = []
        with untracked():  # directions are constants
            leaves: Any = _Drawn.apply(self, specs.append, *like)
        parts = pytree.unflatten(specs[0], leaves)
        return Factored(parts) if isinstance(parts, list) else parts


def call(box: BlackBox, theta: Tensors) -> Tensors:
    """Return the function's value, differentiable with respect to theta by estimates."""
    if not tracking():
        return box.value(theta)
    out: Tensors = _Estimated.apply(box, *theta)
    return out


class _Drawn(torch.autograd.Function):
    """The directions for tensors; each problem of a batch has directions of its own."""

    @staticmethod
    def forward(box: BlackBox, note: Callable[[Any], None], *like: torch.Tensor) -> Tensors:
        # Drawn outside of every transform.
        with transforms.outside():
            generator = torch.Generator("cpu").manual_seed(box.seed)
            shapes = [torch.empty(t.shape, dtype=t.dtype, device="cpu") for t in like]
            noise = box.estimator.noise(shapes, generator).to(like[0].device)
            if not box.estimator.tangents:
                check_resolution(box.estimator.sigma, like)
        leaves, spec = pytree.flatten(noise.parts if isinstance(noise, Factored) else noise)
        note(spec)
        return tuple(leaves)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        ctx.mark_non_differentiable(*output)
        ctx.count = len(output)

    @staticmethod
    def jvp(ctx: Any, *tangents: Any) -> Any:
        return (None,) * ctx.count

    @staticmethod
    def vmap(
        info: Any, in_dims: Any, box: BlackBox, note: Callable[[Any], None], *like: torch.Tensor
    ) -> tuple[Any, Any]:
        rows = [
            _Drawn.apply(row, note, *tensors)
            for row, tensors in _problems(info, in_dims[2:], box, like)
        ]
        return _stacked(rows)


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
        ctx.set_materialize_grads(False)

    @staticmethod
    @door()
    def backward(ctx: Any, *cotangents: torch.Tensor | None) -> tuple[Any, ...]:
        transforms.refuse_legacy_batches(cotangents, "the zero-order mode")
        saved = ctx.saved_tensors  # once: checkpointing unpacks them anew each time
        theta, base = saved[: ctx.size], saved[ctx.size :]
        moving = [k for k in range(ctx.size) if ctx.needs_input_grad[k + 1]]
        vary = [theta[k] for k in moving]
        noise = ctx.box.directions(vary)
        columns = _evaluate(ctx.box, theta, moving, noise, base)
        values = sum(
            _product(y, c.to(y.dtype)).to(noise.device)
            for y, c in zip(columns, cotangents, strict=True)
            if c is not None  # what is not used may be NaN
        )
        if not isinstance(values, torch.Tensor):
            return (None,) * (1 + ctx.size)
        wide = torch.promote_types(noise.dtype, values.dtype)  # differences need all their digits
        estimate = ctx.box.estimator.estimate(noise.to(wide), values.to(wide))
        pairs = zip(_unravel(estimate, vary), vary, strict=True)
        gradients = dict(zip(moving, [divided(g, layout_of(t)) for g, t in pairs], strict=True))
        return (None, *(gradients.get(k) for k in range(ctx.size)))

    @staticmethod
    def jvp(ctx: Any, _box: Any, *tangents: torch.Tensor | None) -> Any:
        saved = [forward_ad.unpack_dual(t).primal for t in ctx.saved_tensors]
        theta, base = saved[: ctx.size], saved[ctx.size :]
        moving = [k for k in range(ctx.size) if tangents[k] is not None]
        with forward_ad._set_fwd_grad_enabled(True):
            noise = ctx.box.directions([theta[k] for k in moving])
            columns = _evaluate(ctx.box, theta, moving, noise, base)
            present = [t for t in tangents if t is not None]
            direction = torch.cat([t.reshape(-1).to(noise.device, noise.dtype) for t in present])
            along = noise @ direction[:, None]  # an estimate is linear in the directions

            def estimate(values: torch.Tensor) -> torch.Tensor:
                wide = torch.promote_types(along.dtype, values.dtype)
                here = along.to(values.device, wide)
                return ctx.box.estimator.estimate(here, values.to(wide))[0].to(values)

            def derivative(y: torch.Tensor) -> torch.Tensor:
                shape = y.shape[2:]
                rows = [estimate(v) for v in y.reshape(*y.shape[:2], shape.numel()).unbind(-1)]
                return torch.stack(rows).reshape(shape) if rows else y.new_zeros(shape)

            return tuple(map(derivative, columns))

    @staticmethod
    def vmap(info: Any, in_dims: Any, box: BlackBox, *theta: torch.Tensor) -> tuple[Any, Any]:
        # One by one: a black box cannot be batched.
        rows = [call(row, tensors) for row, tensors in _problems(info, in_dims[1:], box, theta)]
        if box.has_more():
            raise ValueError(
                "the zero-order mode cannot batch what is not differentiated by `torch.func.vmap`: "
                "return numbers without auxiliary ones, or use a loop; of a solution take the "
                "parameters, `ZeroOrder(...)(lambda *args: minimize(...).params)`."
            )
        return _stacked(rows)


def _problems(
    info: Any, dims: Sequence[int | None], box: BlackBox, tensors: Tensors
) -> list[tuple[BlackBox, Tensors]]:
    """Return the function, with directions of its own, and the tensors of each problem of a batch."""
    if not info.batch_size:
        raise ValueError("the zero-order mode has nothing to evaluate in a batch of size zero.")
    return [
        (
            box.child(-k - 2),
            [t if d is None else t.select(d, k) for t, d in zip(tensors, dims, strict=True)],
        )
        for k in range(info.batch_size)
    ]


def _stacked(rows: Sequence[Tensors]) -> tuple[Any, Any]:
    out = tuple(torch.stack(column) for column in zip(*rows, strict=True))
    return out, (0,) * len(out)


def _evaluate(
    box: BlackBox, theta: Tensors, moving: Sequence[int], noise: Any, base: Tensors
) -> list[torch.Tensor]:
    """Return the values at all offsets along all directions; each of shape ``(m, n, ...)``."""
    estimator = box.estimator
    if estimator.tangents:
        slopes = _slopes if tracking() else _values
        return [y[None] for y in slopes(box, theta, moving, noise)]
    offsets = [o for o in estimator.offsets if o != 0]
    n = noise.shape[0]
    if tracking():
        vary = [theta[k] for k in moving]
        rows = [
            call(box.child(index), _moved(theta, moving, _unravel(step, vary)))
            for index, step in enumerate(_steps(estimator, noise))
        ]
        values: Tensors = [torch.stack(column) for column in zip(*rows, strict=True)]
    else:
        values = _values(box, theta, moving, noise)
    columns = [y.reshape(len(offsets), n, *y.shape[1:]) for y in values]
    if len(offsets) == len(estimator.offsets):
        return columns
    if tracking():
        # Not the value itself, whose own estimate would share the directions of this one.
        base = call(box.child(len(offsets) * n), theta)
    return [_with_base(y, z, estimator.offsets) for y, z in zip(columns, base, strict=True)]


def _with_base(column: torch.Tensor, base: torch.Tensor, offsets: Sequence[float]) -> torch.Tensor:
    """Insert the value at the point itself at the position of offset zero."""
    rows = iter(column)
    still = base.expand(column.shape[1:])
    return torch.stack([still if offset == 0 else next(rows) for offset in offsets])


def _values(box: BlackBox, theta: Tensors, moving: Sequence[int], noise: Any) -> Tensors:
    """Return the values at all points, stacked; the evaluation may compute them in other processes."""
    spread = getattr(box.evaluation, "spread", None)
    if spread is None:
        return box.values(*_points(box, theta, moving, noise))
    count = noise.shape[0] * (1 if box.estimator.tangents else _moves(box.estimator))
    with (
        evaluating(),
        box.unchanged(),
        box.environment.evaluation(trace=True),
    ):  # parts are sent with the first random state
        part = Part(
            box.function,
            box.estimator,
            box.seed,
            box.settings,
            tuple(theta),
            tuple(moving),
            torch.get_rng_state(),
        )
        values: Tensors = spread(part, count)
    return values


@dataclass(frozen=True, eq=False)
class Part:
    """The points of an estimate; another process draws them again from their seed."""

    function: Callable[[Tensors], Tensors]
    estimator: Estimator
    seed: int
    settings: TorchSettings
    theta: tuple[torch.Tensor, ...]
    moving: tuple[int, ...]
    random: torch.Tensor

    def __call__(self, first: int, last: int) -> list[torch.Tensor]:
        """Return the values at some of the points, stacked."""
        box = BlackBox(
            self.function,
            self.estimator,
            Loop(),
            self.seed,
            Environment(),
            settings=self.settings,
        )
        noise = box.directions([self.theta[k] for k in self.moving])
        at, points = _points(box, self.theta, self.moving, noise)
        with seeded(0):  # puts the state back
            torch.set_rng_state(self.random)
            first_random = replace(box, environment=Environment())
            return list(first_random.values(at, [p[first:last] for p in points]))


def _points(
    box: BlackBox, theta: Tensors, moving: Sequence[int], noise: Any
) -> tuple[Callable[[Tensors], Tensors], Tensors]:
    """Return a function of a point, and all points, stacked along a leading axis."""
    vary = [theta[k] for k in moving]
    if box.estimator.tangents:
        return lambda row: _slope(box, theta, moving, row), _unravel(noise, vary)
    steps = _steps(box.estimator, noise)
    if isinstance(steps, Factored):
        return _thin(box, theta, moving, steps)

    def at(row: Tensors) -> Tensors:
        return box.function(_moved(_kept(theta, moving), moving, row))

    return at, _unravel(steps, vary)


def _steps(estimator: Estimator, noise: Any) -> Any:
    """Return the difference of each point from theta, offset by offset."""
    offsets = [o for o in estimator.offsets if o != 0]
    scale = torch.tensor(offsets, dtype=noise.dtype, device=noise.device) * estimator.sigma
    if isinstance(noise, Factored):
        return noise.scaled(scale)
    return (scale[:, None, None] * noise).flatten(0, 1)


def _moves(estimator: Estimator) -> int:
    return sum(o != 0 for o in estimator.offsets)


def _slope(box: BlackBox, theta: Tensors, moving: Sequence[int], direction: Tensors) -> Tensors:
    """Return the derivative along a direction; raise for constant values."""

    def function(*varied: torch.Tensor) -> tuple[torch.Tensor, ...]:
        copies = [t.clone() for t in varied]
        return tuple(box.function(_filled(_kept(theta, moving), moving, copies)))

    at = [theta[k] for k in moving]
    try:
        if checks.transforms_active() or forward_ad._current_level >= 0:
            return torch.func.jvp(function, tuple(at), tuple(direction), strict=True)[1]
        # Eagerly, where the function may write to buffers.
        with dual_numbers():
            duals = [make_dual(t, v) for t, v in zip(at, direction, strict=True)]
            slopes = [forward_ad.unpack_dual(y).tangent for y in function(*duals)]
        if any(slope is None for slope in slopes):
            raise RuntimeError("a value is independent of the inputs")
        return slopes
    except RuntimeError as error:
        if "is independent of the inputs" not in str(error):
            raise
        raise ValueError(
            "a value of the function does not depend on its arguments in a way that forward-mode "
            "differentiation sees: use an estimator that needs values only, such as `Antithetic`, "
            "and return constants as auxiliary outputs."
        ) from None


def _slopes(box: BlackBox, theta: Tensors, moving: Sequence[int], noise: Any) -> Tensors:
    """Return the derivatives along all directions, stacked, which autograd differentiates."""
    vary = [theta[k] for k in moving]
    rows = []
    with evaluating(tracked=True), box.unchanged(), box.settings.applied():
        for step in noise:
            with box.environment.evaluation(trace=True):
                rows.append(_slope(box, theta, moving, _unravel(step, vary)))
    return [torch.stack(column) for column in zip(*rows, strict=True)]


def _thin(
    box: BlackBox, theta: Tensors, moving: Sequence[int], steps: Factored
) -> tuple[Callable[[Tensors], Tensors], Tensors]:
    """Return a function of the factors of a step, and the factors of all of them."""
    vary = [theta[k] for k in moving]
    points: list[torch.Tensor] = []
    for part, t in zip(steps.parts, vary, strict=True):
        if isinstance(part, tuple):
            points += [factor.to(t) for factor in part]
        else:
            points.append(part.reshape(len(part), *t.shape).to(t))

    def moved_at(row: Tensors, dense: Container[int]) -> tuple[Tensors, list[int]]:
        shifts = iter(row)
        moved = _kept(theta, moving)
        table, places = {}, {}
        for k, part in zip(moving, steps.parts, strict=True):
            if isinstance(part, tuple):
                shift = ThinShift(next(shifts), next(shifts))
                if k in dense:
                    moved[k] = shift.moved(theta[k])
                    continue
                moved[k] = theta[k].view_as(theta[k])  # a tensor of its own for the table
                table[id(moved[k])], places[id(moved[k])] = shift, k
            else:
                moved[k] = theta[k] + next(shifts)
        with Perturbed(table) as mode:
            out = box.function(moved)
        # A transform of torch.func, or a copy, hides a matrix from the mode that would move it.
        hidden = [k for i, k in places.items() if mode.transforms or i not in mode.seen]
        return [mode.result(y) for y in out], hidden

    def at(row: Tensors) -> Tensors:
        out, hidden = moved_at(row, ())
        return moved_at(row, hidden)[0] if hidden else out

    return at, points


def _kept(theta: Tensors, moving: Container[int]) -> list[torch.Tensor]:
    """Return tensors with copies of those that are not moved."""
    return [t if k in moving else copied(t) for k, t in enumerate(theta)]


def _filled(theta: Tensors, moving: Sequence[int], varied: Tensors) -> list[torch.Tensor]:
    filled = list(theta)
    for k, t in zip(moving, varied, strict=True):
        filled[k] = t
    return filled


def _moved(theta: Tensors, moving: Sequence[int], shifts: Tensors) -> list[torch.Tensor]:
    pairs = zip(moving, shifts, strict=True)
    return _filled(theta, moving, [theta[k] + divided(s, layout_of(theta[k])) for k, s in pairs])


def _product(y: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
    """Return the inner products of values, of shape ``(m, n, ...)``, with a cotangent."""
    if is_sharded(y):  # whose dimensions cannot be joined
        return plain((y * c).sum(tuple(range(2, y.dim()))) if c.dim() else y * c)
    return y.reshape(*y.shape[:2], c.numel()) @ c.reshape(-1)


def _unravel(vector: torch.Tensor, like: Tensors) -> list[torch.Tensor]:
    """Return a vector, or many along a first axis, as tensors of given shapes."""
    parts = torch.split(vector, [t.numel() for t in like], dim=-1)
    rows = vector.shape[:-1]
    pairs = zip(parts, like, strict=True)
    return [p.reshape(rows + t.shape).to(t.device, t.dtype) for p, t in pairs]

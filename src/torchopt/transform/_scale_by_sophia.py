"""Sophia's rescaling: by a running mean of estimates of the Hessian's diagonal."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import torch

from torchopt import checks
from torchopt.autodiff.loops import any_true, select
from torchopt.autodiff.shards import placed_as
from torchopt.autodiff.tracing import tracing
from torchopt.io.calls import Partial, records_call
from torchopt.ops import running_mean, where
from torchopt.pytree import flattening as pytree
from torchopt.pytree.typing import Hyperparameter, TensorTree
from torchopt.transform import hyperparameters
from torchopt.transform._rule import check_params, check_state
from torchopt.transform._select import counter_like
from torchopt.transform._tree_scalars import dot, gradient_at
from torchopt.transform.chaining import (
    GradientTransformation,
    GradientTransformationExtraArgs,
    elementwise,
)

_GENERATOR = checks.of_type((torch.Generator, type(None)), "`torch.Generator().manual_seed(seed)`")
#: ``(value_fn, params) -> tree``, an estimate of the diagonal of the Hessian.
Diagonal = Callable[[Callable[[TensorTree], torch.Tensor], TensorTree], TensorTree]


class ScaleBySophiaState(NamedTuple):
    """The state of :func:`scale_by_sophia`.

    Attributes:
        mu: First moment.
        nu: Running mean of the estimates of the Hessian's diagonal.
        count: The updates of each leaf.
        number: The number of all updates.
        step: The same for each leaf, if there is a schedule.
    """

    mu: Any
    nu: Any
    count: Any
    number: Any
    step: Any = ()


class _Rescaled(NamedTuple):
    mu: Any
    nu: Any
    count: Any
    step: Any = ()


class _Average(NamedTuple):
    nu: Any
    step: Any = ()


def _formula(
    g: Any, mu: Any, nu: Any, *, b1: Any, b2: Any, eps: Any, gamma: Any, gain: Any
) -> tuple[Any, ...]:
    # `b2` may be a schedule, for which the state then counts.
    mu = running_mean(mu, g, b1)
    size = gamma * nu
    return gain * mu / where(size > eps, size, eps), mu, nu


def _clipped(g: Any, mu: Any, nu: Any, *, clip_threshold: Any, **scalars: Any) -> tuple[Any, ...]:
    u, mu, nu = _formula(g, mu, nu, **scalars)
    u = where(u > clip_threshold, clip_threshold, u)
    return where(u < -clip_threshold, -clip_threshold, u), mu, nu


def _gain(t: Any, *, b1: Any, **_: Any) -> dict[str, Any]:
    return {"gain": 1 / (1 - b1**t)}


def _averaged(h: Any, nu: Any, *, b2: Any) -> tuple[Any, Any]:
    return h, running_mean(nu, h, b2)


@dataclass(frozen=True, eq=False)
class _Sophia:
    rescale: GradientTransformation
    average: GradientTransformation
    interval: int
    diagonal: Diagonal

    def init(self, params: Any) -> ScaleBySophiaState:
        inner = self.rescale.init(params)
        number = counter_like(params)
        return ScaleBySophiaState(inner.mu, inner.nu, inner.count, number, inner.step)

    def update(
        self,
        updates: Any,
        state: Any,
        params: Any = None,
        *,
        inplace: bool = True,
        value_fn: Callable[[Any], torch.Tensor],
        **extra: Any,
    ) -> tuple[Any, ScaleBySophiaState]:
        check_state(state, (ScaleBySophiaState,))
        check_params(params, "Sophia")
        due = state.number % self.interval == 0
        nu = state.nu
        # Traced code cannot look, and evaluates the estimate in each step.
        if torch.compiler.is_compiling() or tracing() or any_true(due):
            at = pytree.map_leaves(torch.Tensor.detach, params) if inplace else params
            with torch.set_grad_enabled(torch.is_grad_enabled() and not inplace):
                found = self.diagonal(value_fn, at)
            found = pytree.map_leaves(lambda _, h: h, updates, found)
            new = self.average.update(found, _Average(nu, state.step), inplace=False)[1].nu
            nu = select(due, new, nu)
        # The update has the mean before this step's estimate.
        before = _Rescaled(state.mu, state.nu, state.count, state.step)
        out, inner = self.rescale.update(updates, before, inplace=inplace)
        return out, ScaleBySophiaState(inner.mu, nu, inner.count, state.number + 1, inner.step)


def _signs(p: torch.Tensor, generator: torch.Generator | None) -> torch.Tensor:
    device = p.device if generator is None else generator.device
    bits = torch.randint(0, 2, p.shape, generator=generator, device=device)
    return placed_as((2 * bits - 1).to(p.device, p.dtype), p)


def _hutchinson(
    generator: torch.Generator | None, value_fn: Callable[[Any], torch.Tensor], params: Any
) -> Any:
    signs = pytree.map_leaves(lambda p: _signs(p, generator), params)

    def slope(x: Any) -> torch.Tensor:
        return dot(gradient_at(value_fn, x, track=True), signs)

    return pytree.map_leaves(torch.mul, gradient_at(slope, params, track=True), signs)


@records_call
def hutchinson(generator: torch.Generator | None = None) -> Diagonal:
    r"""Estimate the diagonal of the Hessian by a product with random signs.

    .. math:: \operatorname{diag} H \approx z \odot H z, \qquad z_i = \pm 1

    It is unbiased, and exact for a diagonal Hessian. It costs a product of the Hessian with a vector,
    by reverse mode over reverse mode.

    Args:
        generator: Of random numbers, which differ from call to call: a ``torch.Generator``, or None for
            PyTorch's own. Inside ``torch.func.vmap`` leave it out, and pass ``randomness="different"``
            or ``"same"`` there.

    Returns:
        A function ``(value_fn, params) -> tree``.

    Raises:
        TypeError: If ``generator`` is something else, such as a number.

    Example:
        >>> import torch
        >>> hutchinson()(lambda x: (x ** 3).sum(), torch.tensor([1.0, 2.0]))
        tensor([ 6., 12.])

    References:
        Hutchinson, *A stochastic estimator of the trace of the influence matrix*, 1989. Liu et al.,
        *Sophia*, 2023, algorithm 1.
    """
    checks.check("generator", generator, _GENERATOR)
    return Partial(_hutchinson, generator)


def _bartlett(
    logits_fn: Callable[[TensorTree], torch.Tensor],
    generator: torch.Generator | None,
    value_fn: Any,
    params: Any,
) -> Any:
    def sampled(x: Any) -> torch.Tensor:
        logits = logits_fn(x).flatten(0, -2)
        # The largest of logits with Gumbel noise is a sample of their distribution.
        shape, device = logits.shape, logits.device if generator is None else generator.device
        uniform = torch.rand(shape, generator=generator, device=device, dtype=logits.dtype)
        tiny = torch.finfo(logits.dtype).tiny
        noise = -(-uniform.clamp(min=tiny).log()).clamp(min=tiny).log()
        labels = (logits.detach() + noise.to(logits)).argmax(-1, keepdim=True)
        # The mean is the loss; its gradient, squared, is to be times the number of samples.
        loss = -logits.log_softmax(-1).gather(-1, labels).mean()
        return loss * len(logits) ** 0.5

    return pytree.map_leaves(torch.square, gradient_at(sampled, params, track=True))


@records_call
def gauss_newton_bartlett(
    logits_fn: Callable[[TensorTree], torch.Tensor], generator: torch.Generator | None = None
) -> Diagonal:
    r"""Estimate the diagonal of the Gauss–Newton matrix of a classifier, for :func:`scale_by_sophia`.

    Labels :math:`\hat y_b` are drawn from the model's own distribution. With the mean cross entropy
    :math:`\hat f` of these labels over a batch of :math:`B`,

    .. math:: \operatorname{diag} G \approx B \, \nabla \hat f(\theta) \odot \nabla \hat f(\theta)

    It is never negative, and costs one gradient.

    Args:
        logits_fn: ``logits_fn(params)``, the model's logits on a batch: the last axis is that of
            classes, all others are those of samples.
        generator: Of random numbers, as for :func:`hutchinson`.

    Returns:
        A function ``(value_fn, params) -> tree``, which does not call ``value_fn``.

    Raises:
        TypeError: As :func:`hutchinson`.

    Example:
        >>> import torch
        >>> data = torch.tensor([[1.0, 2.0], [3.0, -1.0]])
        >>> diagonal = gauss_newton_bartlett(lambda w: data @ w)
        >>> bool((diagonal(None, torch.zeros(2, 3)) >= 0).all())
        True

    References:
        Liu et al., *Sophia*, 2023, equations 11 to 13 and algorithm 2. Bartlett, *Approximate
        confidence intervals*, 1953.
    """
    checks.check("generator", generator, _GENERATOR)
    return Partial(_bartlett, logits_fn, generator)


@records_call
def scale_by_sophia(
    betas: tuple[Hyperparameter, Hyperparameter] = (0.965, 0.99),
    eps: Hyperparameter = 1e-8,
    *,
    gamma: Hyperparameter = 0.01,
    clip_threshold: Hyperparameter = 1.0,
    update_interval: int = 10,
    hessian_diagonal_fn: Diagonal | None = None,
) -> GradientTransformation:
    r"""Divide the first moment by an estimate of the Hessian's diagonal, and clip.

    .. math::
        \mu_t &= \beta_1 \mu_{t-1} + (1 - \beta_1) g_t, \qquad
        u_t = \operatorname{clip}\left(
            \frac{\mu_t / (1 - \beta_1^t)}{\max(\gamma \, h_{t-1}, \varepsilon)}, \pm c \right) \\
        h_t &= \beta_2 h_{t-1} + (1 - \beta_2) \hat h_t \quad
            \text{if } t \equiv 1 \bmod k, \text{ else } h_{t-1}

    with an estimate :math:`\hat h_t` of the diagonal. As in Optax, an update has the mean of the
    estimates before it; so the first one is the sign of the gradient times :math:`c`. In the paper it
    has the new one, and no bias correction. Where it is clipped, an update has derivative zero.

    ``update`` reads ``value_fn``; see :class:`torchopt.transform.GradientTransformationExtraArgs`. In
    compiled code the estimate is evaluated in each step.

    Args:
        betas: Decay rates of the first moment and of the mean of estimates, each in ``[0, 1)``.
        eps: Least divisor.
        gamma: Factor :math:`\gamma` of the diagonal.
        clip_threshold: Bound :math:`c` of an update's elements; None for no bound.
        update_interval: Number :math:`k` of updates for each estimate.
        hessian_diagonal_fn: ``(value_fn, params) -> tree``, an estimate of the diagonal; by default
            :func:`hutchinson`. Another one is :func:`gauss_newton_bartlett`.

    Returns:
        A transformation that matches Optax's ``contrib.scale_by_sophia``. The
        hyperparameters that are no integers may be numbers, schedules, tensors that require grad, or
        trees of these.

    Raises:
        ValueError: If a number is out of range.

    Example:
        >>> import torch, torchopt
        >>> tx = torchopt.chain(scale_by_sophia(gamma=1.0), torchopt.transform.scale(-1.0))
        >>> torchopt.minimize(
        ...     lambda x: (x ** 2).sum(), torch.tensor([3.0, 4.0]), solver=tx, steps=1).params
        tensor([2., 3.])

    References:
        Liu et al., *Sophia: A Scalable Stochastic Second-order Optimizer for Language Model
        Pre-training*, 2023, algorithm 3.
    """
    hyper = hyperparameters.checked(betas=betas, eps=eps, gamma=gamma)
    checks.check_count("update_interval", update_interval, 1)
    if clip_threshold is not None:
        hyperparameters.check("clip_threshold", clip_threshold)
        hyper["clip_threshold"] = clip_threshold
    rescale = elementwise(
        _formula if clip_threshold is None else _clipped,
        state=_Rescaled,
        slots={"mu": 0.0, "nu": 0.0},
        hyper=hyper,
        scalars=_gain,
    )
    average = elementwise(_averaged, state=_Average, slots={"nu": 0.0}, hyper={"b2": hyper["b2"]})
    diagonal = hutchinson() if hessian_diagonal_fn is None else hessian_diagonal_fn
    rule = _Sophia(rescale, average, update_interval, diagonal)
    return GradientTransformationExtraArgs(rule.init, rule.update)

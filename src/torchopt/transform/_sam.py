"""Sharpness-aware minimization: the gradient is that of the worst point nearby."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import torch

from torchopt import checks
from torchopt.autodiff.loops import wide
from torchopt.io.calls import records_call
from torchopt.prox.vectors import unit
from torchopt.pytree import flattening as pytree
from torchopt.pytree.typing import Hyperparameter
from torchopt.transform import hyperparameters
from torchopt.transform._rule import check_params, check_state
from torchopt.transform._select import counter_like
from torchopt.transform._tree_scalars import gradient_at, norm
from torchopt.transform.chaining import GradientTransformation, GradientTransformationExtraArgs
from torchopt.transform.checking import check_transformation
from torchopt.transform.extra_args import select


class SAMState(NamedTuple):
    """The state of :func:`sam` and :func:`asam`.

    Attributes:
        opt_state: The state of the optimizer.
        count: The number of updates, for schedules.
    """

    opt_state: Any
    count: Any


@dataclass(frozen=True, eq=False)
class _Sam:
    optimizer: GradientTransformation
    rho: Any
    eta: Any  # None for an unscaled ball
    sync_period: int

    def init(self, params: Any) -> SAMState:
        return SAMState(self.optimizer.init(params), counter_like(params))

    def update(
        self,
        updates: Any,
        state: Any,
        params: Any = None,
        *,
        inplace: bool = True,
        value_fn: Any,
        **extra: Any,
    ) -> tuple[Any, SAMState]:
        check_state(state, (SAMState,))
        check_params(params, "`sam`")
        at = pytree.map_leaves(torch.Tensor.detach, params) if inplace else params
        rho, eta = (hyperparameters.now(x, state.count) for x in (self.rho, self.eta))
        grads, adversary = updates, at
        for _ in range(self.sync_period - 1):
            adversary = _ascended(adversary, grads, rho, eta)
            there = gradient_at(value_fn, adversary, track=not inplace)
            grads = pytree.map_leaves(lambda _, g: g, updates, there)
        # The optimizer's own gradient is that of the worst point, so a chain inside sees that one.
        more = select(self.optimizer, {**extra, "value_fn": value_fn})
        out, inner = self.optimizer.update(
            grads, state.opt_state, params=params, inplace=inplace, **more
        )
        return out, SAMState(inner, state.count + 1)


def _ascended(params: Any, grads: Any, rho: Any, eta: Any) -> Any:
    """Return where the loss is largest near the parameters, to first order."""
    present = [wide(g).detach() for g in pytree.leaves(grads) if g is not None and g.numel()]
    largest = [g.abs().amax() for g in present]
    # It cancels: the direction has no unit.
    scale = unit(torch.stack([x.to(largest[0]) for x in largest]).amax()) if largest else None

    def scaled(g: torch.Tensor, p: torch.Tensor) -> torch.Tensor:
        g = wide(g) if scale is None else wide(g) / scale.to(g.device)
        return g if eta is None else (p.abs() + eta) * g

    direction = pytree.map_leaves(scaled, grads, params)
    size = norm(direction)
    # A zero gradient has no direction: there the point stays, with derivative zero.
    is_zero = size == 0
    length = torch.where(is_zero, 0.0, rho / torch.where(is_zero, 1.0, size))

    def moved(p: torch.Tensor, d: torch.Tensor | None) -> torch.Tensor:
        if d is None:
            return p
        step = length.to(p.device) * (d if eta is None else (p.abs() + eta) * d)
        return p + step.to(p.dtype)

    return pytree.map_leaves(moved, params, direction)


def _checked(
    optimizer: GradientTransformation, rho: Any, eta: Any, sync_period: int
) -> GradientTransformation:
    check_transformation(optimizer, "optimizer")
    hyperparameters.check("rho", rho)
    checks.check_count("sync_period", sync_period, 1)
    rule = _Sam(optimizer, rho, eta, sync_period)
    return GradientTransformationExtraArgs(
        rule.init, rule.update, optimizer.reads - {"grad"} | {"value_fn"}
    )


@records_call
def sam(
    optimizer: GradientTransformation, /, rho: Hyperparameter = 0.05, *, sync_period: int = 2
) -> GradientTransformation:
    r"""Sharpness-aware minimization: an optimizer on the gradients of the worst points nearby.

    .. math::
        \hat\theta = \theta + \rho \, \frac{\nabla f(\theta)}{\lVert \nabla f(\theta) \rVert_2},
        \qquad u = \text{optimizer}\left( \nabla f(\hat\theta) \right)

    with the norm over all leaves. A step evaluates the gradient ``sync_period`` times: once by the
    caller, and here by ``value_fn``. Derivatives of an update are exact: they go through
    :math:`\hat\theta` and have second derivatives of the loss there.

    ``update`` reads ``value_fn``; see :class:`torchopt.transform.GradientTransformationExtraArgs`.

    Args:
        optimizer: What takes the gradients at :math:`\hat\theta`, a gradient transformation.
        rho: The radius :math:`\rho`, not negative: a number, a schedule, or a scalar tensor, which may
            require grad.
        sync_period: Number of gradients in a step: there are ``sync_period - 1`` steps of ascent, each
            by :math:`\rho`. With 1 it is the optimizer alone.

    Returns:
        A transformation that matches
        Optax's ``contrib.sam`` with ``opaque_mode=True`` and the adversarial optimizer
        ``chain(normalize(), sgd(rho))``. A zero gradient stays zero, where Optax gives NaN.

    Raises:
        TypeError: If ``optimizer`` is no gradient transformation.
        ValueError: If a number is out of range.

    Example:
        >>> import torch, torchopt
        >>> tx = sam(torchopt.sgd(0.1), rho=1.0)
        >>> x = torchopt.minimize(
        ...     lambda x: (x ** 2).sum(), torch.tensor([3.0, 4.0]), solver=tx, steps=1).params
        >>> x  # by the gradient 2 * [3.6, 4.8]
        tensor([2.2800, 3.0400])

    References:
        Foret et al., *Sharpness-Aware Minimization for Efficiently Improving Generalization*, 2021,
        equation 3 (without the term in which the derivative of :math:`\hat\theta` stands).
    """
    return _checked(optimizer, rho, None, sync_period)


@records_call
def asam(
    optimizer: GradientTransformation,
    /,
    rho: Hyperparameter = 0.5,
    eta: Hyperparameter = 0.01,
    *,
    sync_period: int = 2,
) -> GradientTransformation:
    r"""Adaptive sharpness-aware minimization: the ball of :func:`sam`, on the scale of the parameters.

    .. math::
        \hat\theta = \theta + \rho \, \frac{T^2 \nabla f(\theta)}{\lVert T \nabla f(\theta) \rVert_2},
        \qquad T = \operatorname{diag}(|\theta| + \eta)

    So the update stays the same if layers are rescaled without a change of the function.

    Args:
        optimizer: What takes the gradients at :math:`\hat\theta`, a gradient transformation.
        rho: The radius :math:`\rho`, not negative: a number, a schedule, or a scalar tensor, which may
            require grad.
        eta: Added to the scale, so that zero parameters move, too; of the same kinds as ``rho``. The
            authors' program adds it to weights only, and here it is added everywhere.
        sync_period: Number of gradients in a step, as for :func:`sam`.

    Returns:
        A gradient transformation.

    Raises:
        TypeError: If ``optimizer`` is no gradient transformation.
        ValueError: If a number is out of range.

    Example:
        >>> import torch, torchopt
        >>> tx = asam(torchopt.sgd(0.1), rho=1.0, eta=0.0)
        >>> torchopt.minimize(lambda x: x ** 2, torch.tensor(2.0), solver=tx, steps=1).params
        tensor(1.2000)

    References:
        Kwon et al., *ASAM: Adaptive Sharpness-Aware Minimization for Scale-Invariant Learning of Deep
        Neural Networks*, 2021, equation 9 and algorithm 1.
    """
    hyperparameters.check("eta", eta)
    return _checked(optimizer, rho, eta, sync_period)

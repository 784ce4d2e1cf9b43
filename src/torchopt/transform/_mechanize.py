"""Mechanic: the scale of another optimizer's updates, learned as it goes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import torch

from torchopt import checks
from torchopt.io.calls import records_call
from torchopt.ops import safe_sqrt
from torchopt.pytree import flattening as pytree
from torchopt.pytree.typing import Hyperparameter
from torchopt.transform import hyperparameters
from torchopt.transform._rule import check_params, check_state
from torchopt.transform._tree_scalars import dot, dtypes_of, norm
from torchopt.transform.chaining import GradientTransformation, GradientTransformationExtraArgs
from torchopt.transform.checking import check_transformation
from torchopt.transform.extra_args import select


class MechanicState(NamedTuple):
    """The state of :func:`mechanize`.

    Attributes:
        base_optimizer_state: The state of the optimizer.
        count: The number of updates.
        r: The reward of each tuner.
        m: The largest product of gradient and displacement, of each tuner.
        v: The sum of squares of these products, of each tuner.
        s: The scale of each tuner; that of the updates is their sum.
        x0: The parameters before the first update.
    """

    base_optimizer_state: Any
    count: Any
    r: Any
    m: Any
    v: Any
    s: Any
    x0: Any


@dataclass(frozen=True, eq=False)
class _Mechanic:
    optimizer: GradientTransformation
    weight_decay: Any
    eps: Any
    s_init: Any
    num_betas: int

    def init(self, params: Any) -> MechanicState:
        leaves, spec = pytree.flatten(params)
        checks.check_floating(leaves, spec, "params")
        dtype, _, device = dtypes_of(leaves)
        zeros = torch.zeros(self.num_betas, dtype=dtype, device=device)
        return MechanicState(
            self.optimizer.init(params),
            torch.zeros((), dtype=torch.int64, device=device),
            r=zeros,
            m=zeros.clone(),
            v=zeros.clone(),
            s=(zeros + self.s_init).to(dtype),
            # A copy, since parameters may be written to; the first update takes them again.
            x0=pytree.map_leaves(lambda p: p.detach().clone(), params),
        )

    def update(
        self, updates: Any, state: Any, params: Any = None, *, inplace: bool = True, **extra: Any
    ) -> tuple[Any, MechanicState]:
        check_state(state, (MechanicState,))
        check_params(params, "`mechanize`")
        if inplace:
            params = pytree.map_leaves(torch.Tensor.detach, params)
        weight_decay, eps = (
            hyperparameters.now(x, state.count) for x in (self.weight_decay, self.eps)
        )
        scale = state.s.sum()
        # The optimizer may write into what it is given, so this comes first.
        decay = weight_decay * scale * norm(updates) / (norm(params) + eps)
        grads = pytree.map_leaves(
            lambda g, p: g + (decay.to(p.device) * p).to(p.dtype), updates, params
        )
        first = state.count == 0
        x0 = pytree.map_leaves(lambda p, x: torch.where(first.to(p.device), p, x), params, state.x0)
        before = pytree.map_leaves(
            lambda p, x: (x - p) / (scale.to(p.device) + eps), params, x0
        )  # the sum of all updates so far, with the other sign
        h = dot(grads, before).to(state.s)
        more = select(self.optimizer, extra)
        step, inner = self.optimizer.update(
            updates, state.base_optimizer_state, params=params, inplace=inplace, **more
        )
        tuned = self._tuned(state, h, eps)
        total = tuned["s"].sum()

        def moved(u: torch.Tensor, p: torch.Tensor, x: torch.Tensor, d: torch.Tensor) -> Any:
            return (x - total.to(p.device) * (d - u) - p).to(p.dtype)

        out = pytree.map_leaves(moved, step, params, x0, before)
        new = MechanicState(base_optimizer_state=inner, count=state.count + 1, x0=x0, **tuned)
        return out, new

    def _tuned(self, state: MechanicState, h: torch.Tensor, eps: Any) -> dict[str, torch.Tensor]:
        """Return the tuners after a product ``h`` of gradient and displacement."""
        powers = torch.arange(1, self.num_betas + 1, dtype=state.s.dtype, device=state.s.device)
        betas = 1.0 - 0.1**powers
        m = torch.maximum(betas * state.m, h.abs() + eps)
        v = betas.square() * state.v + h.square()
        r = betas * state.r + torch.clamp(h, -state.m, state.m) * state.s
        wealth = (self.s_init / self.num_betas) * m + r.clamp(min=0.0)
        s = wealth / (safe_sqrt(v) + eps)
        return {k: x.to(state.s.dtype) for k, x in {"r": r, "m": m, "v": v, "s": s}.items()}


@records_call
def mechanize(
    base_optimizer: GradientTransformation,
    /,
    *,
    weight_decay: Hyperparameter = 1e-2,
    eps: Hyperparameter = 1e-8,
    s_init: Hyperparameter = 1e-6,
    num_betas: int = 6,
) -> GradientTransformation:
    r"""Learn the scale of an optimizer's updates: Mechanic, a tuner of learning rates.

    With :math:`\Delta_t` the sum of the optimizer's updates :math:`u_1, \dots, u_t`, and for each
    :math:`\beta_i = 1 - 10^{-i}` a tuner of its own,

    .. math::
        h_t &= -\langle \tilde g_t, \Delta_{t-1} \rangle, \qquad
        \tilde g_t = g_t + \lambda \, s_{t-1}
            \frac{\lVert g_t \rVert}{\lVert \theta_t \rVert + \varepsilon} \theta_t \\
        m_t &= \max(\beta m_{t-1}, |h_t| + \varepsilon), \qquad
        v_t = \beta^2 v_{t-1} + h_t^2 \\
        r_t &= \beta r_{t-1} + s_{t-1} \operatorname{clip}(h_t, -m_{t-1}, m_{t-1}), \qquad
        s_t = \frac{s_0 m_t / n + \max(r_t, 0)}{\sqrt{v_t} + \varepsilon} \\
        \theta_{t+1} &= \theta_1 + \Delta_t \sum\nolimits_{\beta} s_t

    A schedule of the optimizer's learning rate still matters; its size does not, so set it to 1. Not
    for optimizers that normalize their updates, such as LARS and LAMB.

    Args:
        base_optimizer: The optimizer, such as ``torchopt.adam(1.0)``.
        weight_decay: Weight decay :math:`\lambda` of the gradients that the tuners see.
        eps: :math:`\varepsilon`. These two are numbers, schedules, or scalar tensors, which may require
            grad; and not negative.
        s_init: The scale at first, :math:`s_0`, a number or a scalar tensor.
        num_betas: The number :math:`n` of tuners.

    Returns:
        A transformation that matches Optax's ``contrib.mechanize``. A NaN gradient
        makes all parameters NaN, since the scale is that of all.

    Raises:
        ValueError: If a number is out of range.
        TypeError: If ``base_optimizer`` is no gradient transformation.

    Example:
        >>> import torch, torchopt
        >>> tx = mechanize(torchopt.sgd(1.0), s_init=0.1)
        >>> x = torchopt.minimize(
        ...     lambda x: (x ** 2).sum(), torch.tensor([3.0, 4.0]), solver=tx, steps=60).params
        >>> bool(x.norm() < 0.1)
        True

    References:
        Cutkosky, Defazio and Mehta, *Mechanic: A Learning Rate Tuner*, 2023, algorithm 1.
    """
    check_transformation(base_optimizer, "base_optimizer")
    hyperparameters.checked(weight_decay=weight_decay, eps=eps)
    hyperparameters.check("s_init", s_init, schedules=False)
    checks.check_count("num_betas", num_betas, 1)
    rule = _Mechanic(base_optimizer, weight_decay, eps, s_init, num_betas)
    return GradientTransformationExtraArgs(rule.init, rule.update, base_optimizer.reads)

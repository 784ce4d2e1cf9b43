"""L-BFGS's direction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import torch

from torchopt import checks
from torchopt.autodiff.line_search import divide, two_loop
from torchopt.autodiff.shards import AS_ONE_VECTOR, refuse_sharded
from torchopt.io.calls import records_call
from torchopt.pytree import flattening as pytree
from torchopt.transform._rule import check_params, check_state
from torchopt.transform.chaining import GradientTransformation


class ScaleByLBFGSState(NamedTuple):
    """The state of :func:`scale_by_lbfgs`; vectors have the elements of all leaves.

    Attributes:
        count: The number of updates.
        params: The parameters at the last one.
        updates: The gradients then.
        diff_params_memory: The last changes of the parameters, one a row.
        diff_updates_memory: The changes of the gradients that belong to them.
    """

    count: Any
    params: Any
    updates: Any
    diff_params_memory: Any
    diff_updates_memory: Any


@dataclass(frozen=True, eq=False)
class _LBFGS:
    history_size: int
    scale_init_precond: bool

    def init(self, params: Any) -> ScaleByLBFGSState:
        leaves, spec = pytree.flatten(params)
        checks.check_floating(leaves, spec, "params")
        refuse_sharded(leaves, "L-BFGS", *AS_ONE_VECTOR)
        x = torch.zeros_like(_vector(leaves, leaves))
        rows = x.new_zeros(self.history_size, len(x))
        count = torch.zeros((), dtype=torch.int64, device=x.device)
        return ScaleByLBFGSState(count, x, x.clone(), rows, rows.clone())

    def update(
        self, updates: Any, state: Any, params: Any = None, *, inplace: bool = True, **extra: Any
    ) -> tuple[Any, ScaleByLBFGSState]:
        check_state(state, (ScaleByLBFGSState,))
        check_params(params, "L-BFGS")
        if inplace:
            params = pytree.map_leaves(torch.Tensor.detach, params)
        weights = pytree.leaves(params)
        leaves, spec = pytree.flatten(updates)
        x, g = _vector(weights, weights), _vector(leaves, weights)
        first = state.count == 0
        dx = torch.where(first, 0.0, x - state.params)
        dg = torch.where(first, 0.0, g - state.updates)
        s, y = (
            torch.cat([rows[1:], row[None]])
            for rows, row in (
                (state.diff_params_memory, dx),
                (state.diff_updates_memory, dg),
            )
        )
        scale = torch.ones_like(x[:1].sum())
        if self.scale_init_precond:
            square = dg.square().sum()
            scale = torch.where(square > 0, divide(dg @ dx, square), 1.0)
            # The first step is no longer than one.
            scale = torch.where(first, g.detach().norm().clamp(min=1.0).reciprocal(), scale)
        direction = two_loop(g, s, y, scale)
        parts = direction.split([0 if w is None else w.numel() for w in weights])
        out = [
            None if u is None else part.reshape(u.shape).to(u.dtype)
            for u, part in zip(leaves, parts, strict=True)
        ]
        return pytree.unflatten(spec, out), ScaleByLBFGSState(state.count + 1, x, g, s, y)


def _vector(leaves: list[Any], weights: list[Any]) -> torch.Tensor:
    """Return the elements of leaves; zeros for those that are None."""
    pairs = [(x, w) for x, w in zip(leaves, weights, strict=True) if w is not None]
    parts = [(torch.zeros_like(w) if x is None else x).reshape(-1) for x, w in pairs]
    return torch.cat(parts) if parts else torch.zeros(0, device="cpu")


@records_call
def scale_by_lbfgs(
    history_size: int = 10, scale_init_precond: bool = True
) -> GradientTransformation:
    r"""Multiply gradients by L-BFGS's approximation of the inverse Hessian.

    .. math::
        u_k = P_k g_k, \qquad P_{k, j+1} = V_j^\top P_{k, j} V_j + \rho_j \, s_j s_j^\top, \qquad
        P_{k, k-m} = \gamma_k I

    with :math:`s_j = \theta_{j+1} - \theta_j`, :math:`y_j = g_{j+1} - g_j`,
    :math:`\rho_j = 1 / y_j^\top s_j`, :math:`V_j = I - \rho_j \, y_j s_j^\top` and
    :math:`\gamma_k = s_{k-1}^\top y_{k-1} / \lVert y_{k-1} \rVert^2`. At first
    :math:`\gamma_0 = \min(1, 1 / \lVert g_0 \rVert)`, which is constant for derivatives.

    It is for deterministic losses, with a line search behind it:
    ``chain(scale_by_lbfgs(), scale(-1.0), scale_by_zoom_linesearch(20, initial_guess_strategy="one"))``
    is Optax's ``lbfgs``. :class:`torchopt.solver.LBFGS` is a solver with a tolerance, and safeguards
    against pairs that are rounding errors; prefer it where no transformation is needed.

    Args:
        history_size: The number :math:`m` of pairs to keep.
        scale_init_precond: Whether :math:`\gamma_k` is as above; else it is one.

    Returns:
        A transformation that matches Optax's. ``update`` needs ``params``. All leaves
        are on one device.

    Raises:
        ValueError: If ``history_size`` is not positive. In ``update``, without the parameters.

    Example:
        >>> import torch, torchopt
        >>> tx = torchopt.chain(
        ...     scale_by_lbfgs(), torchopt.transform.scale(-1.0),
        ...     torchopt.transform.scale_by_zoom_linesearch(initial_guess_strategy="one"))
        >>> rosenbrock = lambda x: (1 - x[0]) ** 2 + 100 * (x[1] - x[0] ** 2) ** 2
        >>> torchopt.minimize(
        ...     rosenbrock, torch.tensor([-1.2, 1.0], dtype=torch.float64), solver=tx, steps=50
        ... ).params.round(decimals=6)
        tensor([1., 1.], dtype=torch.float64)

    References:
        Liu and Nocedal, *On the limited memory BFGS method*, 1989. Nocedal and Wright, *Numerical
        Optimization*, 2006, algorithms 7.4 and 7.5.
    """
    checks.check_count("history_size", history_size, 1)
    rule = _LBFGS(history_size, scale_init_precond)
    return GradientTransformation(rule.init, rule.update)

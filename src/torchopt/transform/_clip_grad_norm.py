"""Clip the norm of all updates together."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import torch

from torchopt import checks
from torchopt.formula import optimizers
from torchopt.io.calls import records_call
from torchopt.prox.vectors import length
from torchopt.pytree.typing import Hyperparameter
from torchopt.transform import hyperparameters
from torchopt.transform._rule import Rule
from torchopt.transform.chaining import EmptyState, GradientTransformation, from_rule

_POSITIVE = checks.number(0, ends="(]")  # infinite ones, too


@dataclass(frozen=True, eq=False)
class _ClipGradNorm:
    max_norm: Any
    norm_type: float
    error_if_nonfinite: bool

    def __call__(self, leaves: list[torch.Tensor]) -> dict[str, Any]:
        grads = [g for g in leaves if g.numel() > 0]
        if not grads:
            return {"step_size": 1.0}
        # Reciprocals of its square, in derivatives, are numbers in float64.
        norm = hyperparameters.as_float(self._norm(grads))
        if self.error_if_nonfinite and not bool(torch.isfinite(norm.detach())):
            raise RuntimeError(
                f"the total norm of order {self.norm_type:g} of the updates is {float(norm)}: it "
                f"cannot be clipped; pass `error_if_nonfinite=False` to scale by it all the same."
            )
        # With an axis: PyTorch (2.13) gives a float32 scalar and a number a tangent in float64, where a
        # gradient has tangents.
        return {"step_size": (self.max_norm / (norm[None] + 1e-6)).clamp(max=1.0)[0]}

    def _norm(self, grads: list[torch.Tensor]) -> torch.Tensor:
        device = grads[0].device
        if self.norm_type == 2:
            lengths = [length(g, tuple(range(g.dim()))).squeeze().to(device) for g in grads]
            return length(torch.stack(torch.broadcast_tensors(*lengths)))[0]
        largest = torch.stack([g.abs().max().to(device) for g in grads]).max()
        if math.isinf(self.norm_type):
            return largest
        # Relative to the largest, whose power may be no number of the dtype.
        unit = largest.detach()
        unit = torch.where((unit > 0) & unit.isfinite(), unit, 1.0)
        terms = [_power(g.abs() / unit.to(g.device), self.norm_type) for g in grads]
        # In float64, where the product is a number.
        total = hyperparameters.as_float(_sum([t.sum().to(device) for t in terms]))
        return unit * _power(total, 1 / self.norm_type)


def _sum(terms: list[torch.Tensor]) -> torch.Tensor:
    return torch.stack(torch.broadcast_tensors(*terms)).sum()


def _power(x: torch.Tensor, exponent: float) -> torch.Tensor:
    # Select before the power, whose derivatives at zero may be infinite.
    zero = x == 0
    return torch.where(zero, 0.0, torch.where(zero, 1.0, x) ** exponent)


@records_call
def clip_grad_norm(
    max_norm: Hyperparameter, norm_type: float = 2.0, error_if_nonfinite: bool = False
) -> GradientTransformation:
    r"""Scale all updates down together where their norm exceeds a bound.

    .. math:: u = g \cdot \min\left(1, \frac{c}{\lVert g \rVert_p + 10^{-6}}\right)

    with the norm over all leaves, as ``torch.nn.utils.clip_grad_norm_``, in float32 at least. The
    factor is a function of the gradients and is differentiated as such.

    Args:
        max_norm: The bound :math:`c`: a positive number, or a tensor, which may require grad.
        norm_type: The order :math:`p` of the norm; ``float("inf")`` or ``"inf"`` is the maximum.
        error_if_nonfinite: Whether to raise if the norm is NaN or infinite (this looks at its
            value, so it cannot be traced).

    Returns:
        A gradient transformation. ``update`` raises ``RuntimeError`` as asked.

    Raises:
        TypeError: If ``max_norm`` is neither a number nor a tensor.
        ValueError: If ``max_norm`` or ``norm_type`` is not positive.

    Example:
        >>> import torch
        >>> tx = clip_grad_norm(1.0)
        >>> g = (torch.tensor([3.0]), torch.tensor([4.0]))
        >>> tx.update(g, tx.init(g))[0]
        (tensor([0.6000]), tensor([0.8000]))

    References:
        Pascanu, Mikolov and Bengio, *On the difficulty of training recurrent neural networks*,
        2013, algorithm 1.
    """
    norm_type = float(norm_type)
    if not isinstance(max_norm, torch.Tensor):
        checks.check("max_norm", max_norm, _POSITIVE)
    checks.check("norm_type", norm_type, _POSITIVE)
    clip = _ClipGradNorm(max_norm, norm_type, error_if_nonfinite)
    rule = Rule(
        formula=optimizers.scale,
        state_types=EmptyState,
        overwrites=True,
        prepare=clip,
        over="tree",
    )
    return from_rule(rule)

"""Functions of scores: sparse distributions, and relaxed choices of k."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TypeAlias

import torch

from torchopt import checks
from torchopt.autodiff.compiling import uncompiled
from torchopt.autodiff.conversion import as_tensor
from torchopt.autodiff.loops import is_readable, iterate
from torchopt.io.names import publish as _publish
from torchopt.operators.implicit_function import implicit
from torchopt.prox.term import check_parameter, parameter
from torchopt.prox.vectors import DIM, Dim, along, last
from torchopt.pytree.typing import Numeric
from torchopt.sets import BoxSection, Set, Simplex

__all__ = ["entmax", "k_subset", "sparsemax"]

_Bracket: TypeAlias = tuple[torch.Tensor, ...]


def sparsemax(x: torch.Tensor, dim: Dim = -1) -> torch.Tensor:
    r"""Return the nearest distribution, in which scores far below the largest get zero.

    .. math:: \operatorname{sparsemax}(x) = \arg\min_{p \in \Delta} \lVert p - x \rVert_2^2

    It replaces a softmax whose small probabilities are to be zero. Derivatives of any order are those
    of the piece; see :class:`torchopt.sets.Simplex`.

    Args:
        x: Scores, a floating tensor; a score of minus infinity has probability zero.
        dim: The axis or axes along which the probabilities sum to 1. None: all of them.

    Returns:
        A tensor like ``x``.

    Raises:
        ValueError: If ``x`` has no such axis.
        TypeError: If ``dim`` is no integers.

    Example:
        >>> import torch, torchopt
        >>> torchopt.nn.functional.sparsemax(torch.tensor([1.0, 0.5, -1.0]))
        tensor([0.7500, 0.2500, 0.0000])

    References:
        Martins and Astudillo, *From Softmax to Sparsemax*, 2016.
    """
    return Simplex(dim=dim).project(x)


def k_subset(x: torch.Tensor, k: Numeric, dim: Dim = -1) -> torch.Tensor:
    r"""Return the nearest relaxed choice of ``k`` elements: a sparse, differentiable top-k.

    .. math::
        \arg\min_{y} \lVert y - x \rVert_2^2 \quad
        \text{subject to} \quad 0 \leq y \leq 1, \; \textstyle\sum_i y_i = k

    If the ``k`` largest scores are larger than the others by 1 or more, these get 1 and the others 0,
    and the derivative is zero; divide the scores by a temperature to make the choice softer. For
    ``k = 1`` it is :func:`sparsemax`. See :class:`torchopt.sets.BoxSection`.

    Args:
        x: Scores, a floating tensor.
        k: How many are chosen, between 0 and their number, not necessarily an integer: a number, or a
            tensor that broadcasts with the shape of ``x`` without ``dim`` and may require grad.
        dim: The axis or axes along which is chosen. None: all of them.

    Returns:
        A tensor like ``x``.

    Raises:
        ValueError: If ``k`` is out of range, or ``x`` has no such axis. A tensor is looked at on the
            CPU outside of transforms and compiled code; elsewhere the result is NaN.
        TypeError: If ``k`` is neither a number nor a floating tensor, or ``dim`` no integers.

    Example:
        >>> import torch, torchopt
        >>> torchopt.nn.functional.k_subset(torch.tensor([2.0, 0.75, 0.25, -3.0]), 2)
        tensor([1.0000, 0.7500, 0.2500, 0.0000])

    References:
        Malaviya, Ferreira and Martins, *Sparse and Constrained Attention for Neural Machine
        Translation*, 2018. Sander et al., *Fast, Differentiable and Sparse Top-k*, 2023.
    """
    check_parameter("k", k)
    chosen, count = BoxSection(k, dim=dim), as_tensor(k).detach()
    largest = count.max().item() if is_readable(count) and count.numel() else 0

    def check(v: torch.Tensor) -> torch.Tensor:
        if largest > v.shape[-1]:
            raise ValueError(
                f"`k` is {largest!r}: use a number from 0 to {v.shape[-1]}, the number of elements."
            )
        return v

    along(check, x, dim)
    return chosen.project(x)


def entmax(x: torch.Tensor, alpha: Numeric = 1.5, dim: Dim = -1) -> torch.Tensor:
    r"""Return the distribution between softmax (``alpha`` to 1) and sparsemax (2), and beyond.

    .. math::
        \arg\max_{p \in \Delta} \; \langle p, x \rangle
            + \frac{\sum_i (p_i - p_i^\alpha)}{\alpha (\alpha - 1)}, \qquad
        p_i = \max((\alpha - 1) x_i - \tau, 0)^{1 / (\alpha - 1)}

    The threshold :math:`\tau`, for which the sum is 1, is found by Newton's method and bisection. Its
    derivatives of any order, in ``alpha`` too, are those of the implicit function that this equation
    defines. ``torch.compile`` leaves the function out of its graph. For ``alpha`` above 2 a small
    probability has a large derivative: rounding errors of the scores are then seen in it.

    Args:
        x: Scores, a floating tensor; a score of minus infinity has probability zero.
        alpha: How sparse the result is (> 1): a number, or a tensor that broadcasts with the shape of
            ``x`` without ``dim`` and may require grad.
        dim: The axis or axes along which the probabilities sum to 1. None: all of them.

    Returns:
        A tensor like ``x``.

    Raises:
        ValueError: If ``alpha`` is not more than 1, or ``x`` has no such axis. A tensor is looked at on
            the CPU outside of transforms and compiled code; elsewhere the result is NaN.
        TypeError: If ``alpha`` is neither a number nor a floating tensor, or ``dim`` no integers.

    Example:
        >>> import torch, torchopt
        >>> x = torch.tensor([1.0, 0.5, -2.0])
        >>> torchopt.nn.functional.entmax(x)
        tensor([0.6740, 0.3260, 0.0000])

    References:
        Peters, Niculae and Martins, *Sparse Sequence-to-Sequence Models*, 2019. Correia, Niculae and
        Martins, *Adaptively Sparse Transformers*, 2019 (the derivative in ``alpha``).
    """
    return _Entmax(alpha, dim).project(x)


@dataclass(frozen=True, eq=False)
class _Entmax(Set):
    """The function as if it were a projection, whose arguments are checked in the same way."""

    alpha: Numeric = field(metadata=parameter("vector", above=1))
    dim: Dim = checks.field(-1, DIM)

    def project_leaf(self, x: torch.Tensor) -> torch.Tensor:
        """Return the distributions."""
        return along(lambda v: _entmax(v, last(self.alpha)), x, self.dim)


@uncompiled
def _entmax(x: torch.Tensor, alpha: Numeric) -> torch.Tensor:
    # A constant that is subtracted from all scores changes nothing but the threshold.
    x = x - x.detach().amax(-1, keepdim=True)
    order = torch.as_tensor(alpha, dtype=x.dtype, device=x.device) - 1

    def excess(threshold: torch.Tensor, x: torch.Tensor, order: torch.Tensor) -> torch.Tensor:
        return _powers(x, order, threshold).sum(-1, keepdim=True) - 1

    threshold = _threshold(x.detach(), order.detach())
    # The thresholds of other vectors do not matter: the Jacobian is diagonal.
    threshold = implicit(
        excess,
        threshold,
        inputs=(x, order),
        linear_solve=lambda jacobian, b: b / jacobian(torch.ones_like(b)),
    )
    return torch.where((x == x).all(-1, keepdim=True), _powers(x, order, threshold), torch.nan)


def _powers(x: torch.Tensor, order: torch.Tensor, threshold: torch.Tensor) -> torch.Tensor:
    positive = order.detach() * x.detach() > threshold.detach()
    base = order * torch.where(positive, x, 0.0) - threshold
    return torch.where(positive, (torch.where(positive, base, 1.0).log() / order).exp(), 0.0)


def _threshold(x: torch.Tensor, order: torch.Tensor) -> torch.Tensor:
    """Return the thresholds, within rounding errors."""
    count = x.shape[-1]
    # With the lower end the largest score alone has 1, with the upper none has more than a share.
    low = torch.full_like(x[..., :1], -1.0)
    high = -torch.exp(-order * math.log(count)).expand_as(low)
    eps = torch.finfo(x.dtype).eps

    def step(carry: _Bracket) -> _Bracket:
        at, low, high, slow, _ = carry
        powers = _powers(x, order, at)
        excess = powers.sum(-1, keepdim=True) - 1
        slope = torch.where(powers > 0, powers ** (1 - order), 0.0).sum(-1, keepdim=True) / order
        newton = at + excess / slope
        width = high - low
        low, high = torch.where(excess >= 0, at, low), torch.where(excess >= 0, high, at)
        inside = (newton > low) & (newton < high) & ~slow
        done = (excess.abs() <= 4 * eps) | (high - low <= eps * high.abs())
        after = torch.where(inside, newton, (low + high) / 2)
        return torch.where(done, at, after), low, high, high - low > width / 2, ~done

    def active(carry: _Bracket) -> torch.Tensor:
        return carry[-1].any()

    flags = torch.zeros_like(low, dtype=torch.bool)
    start: _Bracket = (low, low, high, flags, ~flags)
    return iterate(step, start, active, maxiter=200)[0][0]


_publish(__name__)

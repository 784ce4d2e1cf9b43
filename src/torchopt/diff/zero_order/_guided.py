"""Guided evolution strategies: directions that prefer a subspace."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from torchopt import checks
from torchopt.diff.zero_order._antithetic import Antithetic
from torchopt.diff.zero_order._estimator import check_sigma, preset
from torchopt.prox.vectors import direction
from torchopt.pytree import flattening as pytree
from torchopt.pytree.typing import TensorTree


@dataclass(frozen=True, kw_only=True, eq=False)
class Guided(Antithetic):
    r"""Antithetic pairs along directions that prefer the span of surrogate gradients.

    Directions are normal with covariance

    .. math:: \Sigma = \frac{\alpha}{d} I + \frac{1 - \alpha}{k} U U^\top,

    where the :math:`k` columns of :math:`U` are an orthonormal basis of what surrogate gradients (of
    the last steps, of a biased model, of a truncated problem) span, and the estimate is

    .. math::
        \frac{\beta}{n} \sum_i \varepsilon_i \,
        \frac{f(\theta + \sigma \varepsilon_i) - f(\theta - \sigma \varepsilon_i)}{2 \sigma}.

    Its mean for linear and quadratic functions is :math:`\beta \Sigma g`: biased, but a direction of
    descent. Its total variance there is
    :math:`\beta^2 (g^\top \Sigma g + \lVert \Sigma g \rVert^2) / n`, whatever the number of unknowns.

    Args:
        subspace: The surrogate gradients: a tree like the arguments that are differentiated, each
            leaf with a leading axis of gradients; or a matrix with a gradient in each row.
        alpha: The share of the perturbation that is isotropic, from 0 (all in the subspace) to 1.
        beta: The scale of the estimate. The default 2 is the authors'; ``1 / (alpha / d + (1 - alpha)
            / k)`` makes the mean exact for a gradient in the subspace.
        num_samples: The number of pairs.
        sigma: See :class:`Estimator`.
        baseline: See :class:`Estimator`.
        shaping: See :class:`Estimator`.
        nonfinite: See :class:`Estimator`.

    Raises:
        ValueError: If a value is out of its range or the leaves of ``subspace`` do not have the same
            first axis or are zero; at a call, if their sizes are not those of the arguments.

    Example:
        >>> import torch, torchopt
        >>> surrogate = torch.tensor([[1.0, 1.0, 0.0]])
        >>> estimator = Guided(subspace=surrogate, num_samples=8, sigma=0.1)
        >>> x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
        >>> torchopt.diff.ZeroOrder(estimator)(lambda x: (x**2).sum())(x).backward()
        >>> x.grad.shape
        torch.Size([3])

    References:
        Maheswaranathan et al., *Guided Evolutionary Strategies: Augmenting Random Search with
        Surrogate Gradients*, 2019, equations 1 and 2.
    """

    subspace: TensorTree
    alpha: float = 0.5
    beta: float = 2.0
    distribution: None = preset(None)

    def __post_init__(self) -> None:
        super().__post_init__()
        checks.check("alpha", self.alpha, checks.number(0, 1))
        check_sigma(self.beta, "beta")
        leaves = self._leaves()
        if not leaves or any(t.dim() < 1 or len(t) != len(leaves[0]) for t in leaves):
            raise ValueError(
                "the leaves of `subspace` must be tensors with the same first axis, of surrogate "
                "gradients."
            )
        if not all(bool(t.isfinite().all()) for t in leaves):
            raise ValueError("`subspace` has values that are NaN or infinite.")
        if not any(bool(t.any()) for t in leaves):
            raise ValueError(
                "`subspace` is zero, which is no direction to prefer: leave such surrogate gradients "
                "out, or use `Antithetic`."
            )

    def directions(self, like: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
        """Return the directions; see :meth:`Estimator.directions`."""
        n, d = self.num_samples, like.numel()
        leaves = [t.flatten(1).to(generator.device, torch.float64) for t in self._leaves()]
        basis = torch.cat(leaves, dim=1)
        if basis.shape[1] != d:
            raise ValueError(
                f"`subspace` has {len(basis)} gradients of size {basis.shape[1]}, but the arguments "
                f"that are differentiated have {d} unknowns."
            )
        # Gradients of any size count the same; those that are zero or depend on others add nothing.
        basis = direction(basis[basis.any(dim=1)])
        u, lengths, _ = torch.linalg.svd(basis.T, full_matrices=False)
        u = u[:, lengths > len(basis) * torch.finfo(torch.float32).eps]
        k = u.shape[1]
        everywhere = torch.randn(
            (n, d), dtype=torch.float64, generator=generator, device=generator.device
        )
        within = torch.randn(
            (n, k), dtype=torch.float64, generator=generator, device=generator.device
        )
        noise = (self.alpha / d) ** 0.5 * everywhere + ((1 - self.alpha) / k) ** 0.5 * within @ u.T
        return noise.to(like.dtype)

    def gradient(self, noise: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
        """Return the estimate; see :meth:`Estimator.gradient`."""
        return self.beta * super().gradient(noise, values)

    def _leaves(self) -> list[torch.Tensor]:
        leaves = pytree.leaves(self.subspace)
        return [t.detach() for t in leaves if isinstance(t, torch.Tensor)]

"""Perturbations of matrices by low-rank products, which are never formed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import torch
from torch.nn import functional as F

from torchopt import checks
from torchopt.diff.zero_order._antithetic import Antithetic
from torchopt.diff.zero_order._estimator import preset

Part: TypeAlias = torch.Tensor | tuple[torch.Tensor, torch.Tensor]
"""Directions for one tensor: as they are; or the factors of those of a matrix, A and B of A B^T."""


@dataclass(frozen=True, kw_only=True, eq=False)
class LowRank(Antithetic):
    r"""Antithetic pairs along directions that are matrices of low rank (EGGROLL).

    The direction for a matrix is :math:`A B^\top / \sqrt r` with normal :math:`A` and :math:`B` of
    :math:`r` columns; for any other tensor it is normal. Where the function uses the matrix in
    ``linear``, ``matmul``, ``@`` or ``embedding``, the moved matrix is never made: the product is

    .. math:: x (W + \sigma A B^\top / \sqrt r)^\top = x W^\top + \sigma (x B) A^\top / \sqrt r,

    so that with ``evaluation=Vmap()`` the products with :math:`W` of all members are a single one, and
    a population costs little more than that. Any other use of the matrix is right, but makes it.

    The entries of a direction are uncorrelated and of unit variance: the estimate is unbiased for
    linear and quadratic functions. Its total variance there, for a matrix of shape
    :math:`m \times p` with gradient :math:`G`, is

    .. math:: \frac{1}{n} \Bigl( m p + 1 + \frac{2 (m + p + 1)}{r} \Bigr) \lVert G \rVert^2.

    Args:
        rank: The number :math:`r` of columns of the factors.
        num_samples: The number of pairs.
        sigma: See :class:`Estimator`.
        baseline: See :class:`Estimator`.
        shaping: See :class:`Estimator`.
        nonfinite: See :class:`Estimator`.

    Example:
        >>> import torch, torchopt
        >>> mode = torchopt.diff.ZeroOrder(
        ...     LowRank(num_samples=64, sigma=0.1), evaluation=torchopt.diff.zero_order.Vmap())
        >>> x, weight = torch.randn(8, 5), torch.randn(3, 5, requires_grad=True)
        >>> loss = mode(lambda weight: torch.nn.functional.linear(x, weight).sign().mean())
        >>> loss(weight).backward()
        >>> weight.grad.shape
        torch.Size([3, 5])

    References:
        Sarkar et al., *Evolution Strategies at the Hyperscale*, 2025.
    """

    rank: int = 1
    distribution: None = preset(None)

    def __post_init__(self) -> None:
        super().__post_init__()
        checks.check_count("rank", self.rank, 1, of="directions")

    def noise(self, like: Sequence[torch.Tensor], generator: torch.Generator) -> Factored:
        """Return the directions as factors; see :meth:`Estimator.noise`."""
        n, r = self.num_samples, self.rank
        dtype = torch.float64 if any(t.dtype == torch.float64 for t in like) else torch.float32

        def normal(*shape: int) -> torch.Tensor:
            return torch.randn(shape, dtype=dtype, generator=generator, device=generator.device)

        parts: list[Part] = []
        for t in like:
            if t.dim() == 2:
                m, p = t.shape
                parts.append((normal(n, m, r) / r**0.5, normal(n, p, r)))
            else:
                parts.append(normal(n, t.numel()))
        return Factored(parts)


class Factored:
    """Directions of shape ``(n, d)`` as factors, with the operations that estimators do on a matrix.

    Args:
        parts: The directions for each tensor, with a leading axis of directions.
    """

    def __init__(self, parts: Sequence[Part]) -> None:
        self.parts = list(parts)
        first = parts[0][0] if isinstance(parts[0], tuple) else parts[0]
        sizes = [
            part[0].shape[1] * part[1].shape[1] if isinstance(part, tuple) else part.shape[1]
            for part in self.parts
        ]
        self.sizes = sizes
        self.shape = torch.Size((len(first), sum(sizes)))
        self.dtype, self.device = first.dtype, first.device

    def to(self, where: torch.device | torch.dtype) -> Factored:
        """Return the directions on a device or in a dtype."""
        return self._map(lambda t: t.to(where), lambda t: t.to(where))

    def scaled(self, scale: torch.Tensor) -> Factored:
        """Return the directions times each of some numbers, one after the other."""

        def times(t: torch.Tensor) -> torch.Tensor:
            return torch.cat([s * t for s in scale.unbind()])

        return self._map(times, lambda t: t.repeat(len(scale), *[1] * (t.dim() - 1)))

    def __getitem__(self, rows: torch.Tensor) -> Factored:
        """Return some of the directions."""
        return self._map(lambda t: t[rows], lambda t: t[rows])

    def __iter__(self) -> Iterator[torch.Tensor]:
        """Yield each direction as a vector."""
        for k in range(self.shape[0]):
            flat = [
                (part[0][k] @ part[1][k].T).reshape(-1) if isinstance(part, tuple) else part[k]
                for part in self.parts
            ]
            yield torch.cat(flat)

    def __rmatmul__(self, weights: torch.Tensor) -> torch.Tensor:
        """Return the sum of the directions with some weights."""
        flat = []
        for part in self.parts:
            if isinstance(part, tuple):
                n, m, r = part[0].shape
                a = (part[0] * weights[:, None, None]).transpose(0, 1).reshape(m, n * r)
                b = part[1].transpose(1, 2).reshape(n * r, -1)
                flat.append((a @ b).reshape(-1))
            else:
                flat.append(weights @ part)
        return torch.cat(flat)

    def __matmul__(self, column: torch.Tensor) -> torch.Tensor:
        """Return the inner products of the directions with a column."""
        products: list[torch.Tensor] = []
        pieces = torch.split(column, self.sizes)
        for part, piece in zip(self.parts, pieces, strict=True):
            if isinstance(part, tuple):
                a, b = part
                matrix = piece.reshape(a.shape[1], b.shape[1])
                products.append(((matrix @ b) * a).sum((1, 2))[:, None])
            else:
                products.append(part @ piece)
        return torch.stack(products).sum(0)

    def _map(self, first: Any, second: Any) -> Factored:
        return Factored(
            [(first(p[0]), second(p[1])) if isinstance(p, tuple) else first(p) for p in self.parts]
        )


@dataclass(frozen=True)
class ThinShift:
    """A matrix moved by a product ``a @ b.T``; see :class:`Perturbation`."""

    a: torch.Tensor
    b: torch.Tensor

    def moved(self, tensor: torch.Tensor) -> torch.Tensor:
        """Return the moved matrix."""
        return tensor + self.a @ self.b.mT

    def product(self, func: Any, args: Any, kwargs: Any, tensor: torch.Tensor) -> Any:
        """Return a product with the moved matrix, or None where the operation is another."""
        if func is F.embedding and len(args) >= 2 and args[1] is tensor:
            bound = args[3] if len(args) > 3 else kwargs.get("max_norm")
            if bound is None:
                return func(*args, **kwargs) + self.a[args[0]] @ self.b.mT
        if func is F.linear and len(args) >= 2 and args[1] is tensor:
            return func(*args, **kwargs) + (args[0] @ self.b) @ self.a.mT
        if getattr(func, "__name__", "") in ("matmul", "mm") and len(args) == 2 and not kwargs:
            if args[1] is tensor:
                return func(*args) + (args[0] @ self.a) @ self.b.mT
            return func(*args) + self.a @ (self.b.mT @ args[1])
        return None

"""Single loops for bilevel quadratics in plain NumPy, from the formulas of their papers.

Nothing here imports the library. Sizes, schedules and the order of updates are those of
`benchopt/benchmark_bilevel` for F2SA, BOME, SOBA and SABA on its quadratic data; a batch is drawn where
it draws one, but for what shares one here: both sequences of an inner loop, and both gradients in x.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

Array = np.ndarray
Point = tuple[Array, ...]


@dataclass
class Quadratic:
    """The mean over samples of ``½ yᵀ A y + ½ xᵀ B x + xᵀ C y + aᵀ y + bᵀ x``."""

    A: Array
    B: Array
    C: Array
    a: Array
    b: Array

    @classmethod
    def draw(
        cls, samples: int, inner: int, outer: int, rng: np.random.RandomState, *, least: float
    ) -> Quadratic:
        """Return samples whose eigenvalues go from ``least`` to one, on a logarithmic scale."""

        def spectrum(size: int, first: float) -> Array:
            values = np.logspace(np.log10(first), 0, size)
            bases = [np.linalg.qr(rng.randn(size, size))[0] for _ in range(samples)]
            return np.stack([u @ np.diag(values) @ u.T for u in bases])

        return cls(
            spectrum(inner, least),
            spectrum(outer, least),
            0.1 * rng.randn(samples, outer, inner) / np.sqrt(inner),
            rng.randn(samples, inner),
            rng.randn(samples, outer),
        )

    def of(self, batch: Array) -> Quadratic:
        """Return the mean of some samples, as one."""
        return Quadratic(*(part[batch].mean(0) for part in vars(self).values()))

    def grad_y(self, x: Array, y: Array) -> Array:
        return self.A @ y + self.C.T @ x + self.a

    def grad_x(self, x: Array, y: Array) -> Array:
        return self.B @ x + self.C @ y + self.b


Batches = Iterator[tuple[list[Quadratic], Quadratic]]
"""For each step: the lower problem on the batch of each inner step, and the upper one."""
Rates = Callable[[int], float]


def f2sa(x: Array, y: Array, batches: Batches, *, inner: Rates, star: Rates, outer: Rates,
         penalty: Rates) -> Iterator[Point]:  # fmt: skip
    """Kwon et al., 2023, algorithm 1: x, the penalized y, and z that solves the lower problem."""
    z = y.copy()
    for i, (lowers, f) in enumerate(batches):
        lam = penalty(i)
        for g in lowers:
            toward = lam * g.grad_y(x, y) + f.grad_y(x, y)
            y, z = y - inner(i) * toward, z - star(i) * g.grad_y(x, z)
        g = lowers[-1]
        x = x - outer(i) * (f.grad_x(x, y) + lam * (g.grad_x(x, y) - g.grad_x(x, z)))
        yield x, z, y


def descent(g: list[Quadratic], x: Array, y: Array, rate: float) -> Array:
    for each in g:
        y = y - rate * each.grad_y(x, y)
    return y


def bome(x: Array, y: Array, batches: Batches, *, inner: float, outer: float,
         eta: float) -> Iterator[Point]:  # fmt: skip
    """Ye et al., 2022, algorithm 1, with φ = η ‖∇q‖²."""
    for lowers, f in batches:
        z, g = descent(lowers, x, y, inner), lowers[-1]
        qy, qx = g.grad_y(x, y), g.grad_x(x, y) - g.grad_x(x, z)
        fy, fx = f.grad_y(x, y), f.grad_x(x, y)
        size = qy @ qy + qx @ qx
        lam = max(eta * size - (fy @ qy + fx @ qx), 0.0) / size
        x, y = x - outer * (fx + lam * qx), y - inner * (fy + lam * qy)
        yield x, y


def pbgd(x: Array, y: Array, batches: Batches, *, alpha: float, beta: float,
         gamma: float) -> Iterator[Point]:  # fmt: skip
    """Shen and Chen, 2023, algorithm 1: one step size for both levels of f + γ (g - g*)."""
    for lowers, f in batches:
        z, g = descent(lowers, x, y, beta), lowers[-1]
        dx = f.grad_x(x, y) + gamma * (g.grad_x(x, y) - g.grad_x(x, z))
        dy = f.grad_y(x, y) + gamma * g.grad_y(x, y)
        x, y = x - alpha * dx, y - alpha * dy
        yield x, y


def pbgd_free(x: Array, y: Array, batches: Batches, *, outer: float, inner: float,
              gamma: float) -> Iterator[Point]:  # fmt: skip
    """Jiang et al., 2025: the penalized y first, then x by the upper loss alone."""
    for lowers, f in batches:
        for g in lowers:
            y = y - inner * (f.grad_y(x, y) / gamma + g.grad_y(x, y))
        x = x - outer * f.grad_x(x, y)
        yield x, y


def meha(x: Array, y: Array, batches: Batches, *, eta: float, alpha: float, beta: Rates, gamma: float,
         penalty: Rates) -> Iterator[Point]:  # fmt: skip
    """Liu et al., 2024, algorithm 1, smooth and without constraints: θ, then y, then x."""
    theta = y.copy()
    for k, (lowers, f) in enumerate(batches):
        c = penalty(k)
        for g in lowers:
            theta = theta - eta * (g.grad_y(x, theta) + (theta - y) / gamma)
            y = y - alpha * (f.grad_y(x, y) / c + g.grad_y(x, y) - (y - theta) / gamma)
        g = lowers[-1]
        x = x - beta(k) * (f.grad_x(x, y) / c + g.grad_x(x, y) - g.grad_x(x, theta))
        yield x, y, theta


def soba(x: Array, y: Array, batches: Batches, *, inner: Rates, outer: Rates,
         average: float = 1.0) -> Iterator[Point]:  # fmt: skip
    """Dagréou et al., 2022, algorithm 1; with an average below one, Chen et al., 2023 (MA-SOBA)."""
    v, h = np.zeros_like(y), np.zeros_like(x)
    for i, ((g,), f) in enumerate(batches):
        dy, dv = g.grad_y(x, y), g.A @ v + f.grad_y(x, y)
        h = (1 - average) * h + average * (g.C @ v + f.grad_x(x, y))
        x, y, v = x - outer(i) * h, y - inner(i) * dy, v - inner(i) * dv
        yield x, y, v


def saba(x: Array, y: Array, batches: Iterator[tuple[int, int, Quadratic, Quadratic]], *, sizes:
         tuple[int, int], inner: float, outer: float) -> Iterator[Point]:  # fmt: skip
    """Dagréou et al., 2022, section 3: a memory of zeros, and the number of each batch before it."""
    v, old = np.zeros_like(y), {}
    means = [np.zeros_like(t) for t in (x, y, y, x, y)]
    for i, j, g, f in batches:
        terms = [f.grad_x(x, y), f.grad_y(x, y), g.grad_y(x, y), g.C @ v, g.A @ v]
        moves = []
        for k, d in enumerate(terms):
            key, count = (k, j if k < 2 else i), sizes[1] if k < 2 else sizes[0]
            change = d - old.get(key, 0.0)
            moves.append(change + means[k])
            means[k] = means[k] + change / count
            old[key] = d
        fx, fy, dy, cross, product = moves
        x, y, v = x - outer * (cross + fx), y - inner * dy, v - inner * (product + fy)
        yield x, y, v

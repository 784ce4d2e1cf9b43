"""PSGD Kron: its equations with dense matrices, what it fits, and what that is good for."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import torchopt
from _trees import generator, random_tensor
from torchopt import transform
from torchopt.transform._scale_by_kron import _largest_eigenvalue


def dense(factors: list[np.ndarray]) -> np.ndarray:
    """Return the Kronecker product of the factors."""
    product = np.ones((1, 1))
    for q in factors:
        product = np.kron(product, q)
    return product


def partial_trace(matrix: np.ndarray, shape: tuple[int, ...], axis: int) -> np.ndarray:
    """Return the sum over all dimensions but one of a matrix over a whole tensor."""
    before, after = math.prod(shape[:axis]), math.prod(shape[axis + 1 :])
    sizes = (before, shape[axis], after)
    return np.einsum("aibajb->ij", matrix.reshape(*sizes, *sizes))


def norm_bound(matrix: np.ndarray) -> float:
    """Return |A^2 a| / |A a|, with the longest row a."""
    row = max(matrix, key=np.linalg.norm)
    return float(np.linalg.norm(matrix @ matrix @ row) / np.linalg.norm(matrix @ row))


def by_dense_matrices(
    gradients: list[np.ndarray],
    *,
    lr: float,
    decay: float,
    damping: float,
    is_diagonal: Callable[[int], bool],
) -> list[np.ndarray]:
    """Return the updates, with the moment of gradients and noise as one matrix."""
    shape = gradients[0].shape or (1,)
    factors, bounds, updates = [np.eye(n) for n in shape], [0.0] * len(shape), []
    for g in gradients:
        size = g.size
        preconditioner = dense(factors) @ dense(factors)
        noisy = np.outer(g, g) + damping**2 * np.eye(size)
        moment = preconditioner @ noisy @ preconditioner
        for axis, n in enumerate(shape):
            t = partial_trace(moment, shape, axis)
            if is_diagonal(n):
                t = np.diag(np.diag(t))
            now = (np.diag(t).max() if is_diagonal(n) else norm_bound(t)) + size / n
            bounds[axis] = max(decay * bounds[axis] + (1 - decay) * now, now)
            gain = np.eye(n) - lr / (2 * bounds[axis]) * (t - size / n * np.eye(n))
            factors[axis] = gain @ factors[axis] @ gain
        preconditioner = dense(factors) @ dense(factors)
        updates.append((preconditioner @ g.reshape(-1)).reshape(g.shape))
    return updates


@pytest.mark.parametrize("matrices", [True, False], ids=["matrices", "diagonals"])
@pytest.mark.parametrize("shape", [(3, 2), (2, 4, 3), (4,), ()], ids=str)
def test_updates_are_those_of_the_equations_with_dense_matrices(
    shape: tuple[int, ...], matrices: bool
) -> None:
    gen = generator(3)
    gradients = [random_tensor(gen, shape) for _ in range(25)]
    expected = by_dense_matrices(
        [g.numpy() for g in gradients],
        lr=0.7,
        decay=0.8,
        damping=0.3,
        is_diagonal=lambda n: not matrices or n > 3,
    )
    tx = transform.scale_by_kron(
        0.7, 0.8, 0.3, max_precondition_dim=3 if matrices else 1, precondition_1d=True
    )
    state = tx.init((gradients[0],))
    for g, u in zip(gradients, expected, strict=True):
        (found,), state = tx.update((g,), state, inplace=False)
        torch.testing.assert_close(found, torch.from_numpy(np.array(u)), rtol=1e-12, atol=1e-13)


def test_the_bound_of_the_norm_is_below_it_and_near() -> None:
    for seed in range(20):
        x = random_tensor(generator(seed), (6, 1 + seed % 9))
        for size in (1e-12, 1.0, 1e12):
            bound, norm = _largest_eigenvalue(size * x @ x.mT), size * torch.linalg.norm(x, 2) ** 2
            assert 0.7 * norm < bound < (1 + 1e-12) * norm
    zero = torch.zeros(3, 3, requires_grad=True)
    bound = _largest_eigenvalue(zero)
    assert bound == 0
    assert torch.autograd.grad(bound, zero)[0].isfinite().all()


def left_and_right() -> tuple[torch.Tensor, torch.Tensor]:
    """Return matrices of conditions 60 and 20, without a symmetry."""
    gen = generator(5)
    turned = torch.linalg.qr(random_tensor(gen, (3, 3)))[0]
    other = torch.linalg.qr(random_tensor(gen, (2, 2)))[0]
    sizes = torch.tensor([3.0, 0.5, 0.05]).double(), torch.tensor([2.0, 0.1]).double()
    return turned * sizes[0], sizes[1][:, None] * other


def test_preconditioned_gradients_are_white() -> None:
    left, right = left_and_right()
    covariance = torch.kron(left @ left.T, right.T @ right)
    assert torch.linalg.cond(covariance) > 1e6
    steps = 600
    tx = transform.scale_by_kron(torchopt.schedule.linear_schedule(0.1, 1e-3, steps))
    state = tx.init((torch.zeros(3, 2, dtype=torch.float64),))
    gen = torch.Generator().manual_seed(1)
    for _ in range(steps):
        noise = torch.randn(3, 2, dtype=torch.float64, generator=gen)
        _, state = tx.update((left @ noise @ right,), state, inplace=False)
    preconditioner = torch.kron(*[q @ q for q in state.factors[0]])
    white = preconditioner @ covariance @ preconditioner
    torch.testing.assert_close(white, torch.eye(6).double(), rtol=0.3, atol=0.3)


def test_damping_bounds_the_preconditioner_where_gradients_are_zero() -> None:
    tx = transform.scale_by_kron(0.5, damping=1e-3)
    g = random_tensor(generator(2), (3, 2))
    g[1] = 0.0
    state = tx.init((g,))
    for _ in range(600):
        (u,), state = tx.update((g,), state, inplace=False)
    assert u[1].eq(0).all()
    largest = torch.kron(*[q @ q for q in state.factors[0]]).diagonal().max()
    assert 0.3 / 1e-3 < largest < 3 / 1e-3


#: A quadratic of condition 1000, between turned axes.
TURNS = [torch.linalg.qr(random_tensor(generator(n), (n, n)))[0] for n in (3, 2)]
CURVES = torch.tensor([1.0, 0.1, 0.01]).double(), torch.tensor([1.0, 0.1]).double()
BEGIN = random_tensor(generator(7), (3, 2))


def steps_to(tx: Any, fraction: float) -> int:
    """Return the number of steps to a fraction of the first loss."""
    left, right = (t @ torch.diag(c) @ t.T for t, c in zip(TURNS, CURVES, strict=True))
    params = (BEGIN,)
    state, first = tx.init(params), None
    for step in range(10_000):
        grads = (left @ params[0] @ right,)
        loss = (params[0] * grads[0]).sum().item()
        first = loss if first is None else first
        if loss < fraction * first:
            return step
        updates, state = tx.update(grads, state, params=params, inplace=False)
        params = torchopt.apply_updates(params, updates, inplace=False)
    return 10_000


def test_a_badly_conditioned_quadratic_takes_fewer_steps_than_by_gradient_descent() -> None:
    # Along each axis, a step of gradient descent is a factor.
    curves, at = CURVES[0][:, None] * CURVES[1], TURNS[0].T @ BEGIN @ TURNS[1]
    counts = torch.arange(10_000)[:, None, None]
    best = 10_000
    for lr in (1.0, 1.5, 1.9, 1.95):
        losses = (curves * ((1 - lr * curves) ** counts * at).square()).sum((1, 2))
        best = min(best, int((losses >= 1e-6 * losses[0]).sum()))
    kron = steps_to(torchopt.kron(torchopt.schedule.exponential_decay(0.1, 0.97)), 1e-6)
    assert kron < best / 3

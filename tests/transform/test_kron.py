"""PSGD Kron: its equations with dense matrices, what it fits, and what that is good for."""

from __future__ import annotations

import torch

import torchopt
from _trees import generator, random_tensor
from torchopt import transform
from torchopt.transform._scale_by_kron import _largest_eigenvalue


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

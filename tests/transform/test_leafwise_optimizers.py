"""Optimizers that see whole leaves: roots of matrices, iterations and projections."""

from __future__ import annotations

import pytest
import torch

import torchopt
from _differences import assert_derivatives_are_differences
from _trees import generator, random_tensor
from torchopt import transform
from torchopt.transform._scale_by_kron import _largest_eigenvalue
from torchopt.transform._scale_by_shampoo import inverse_root


def symmetric(eigenvalues: list[float], seed: int = 3) -> torch.Tensor:
    """Return a matrix with these eigenvalues."""
    n = len(eigenvalues)
    basis = torch.linalg.qr(random_tensor(generator(seed), (n, n)))[0]
    return basis @ torch.diag(torch.tensor(eigenvalues, dtype=torch.float64)) @ basis.T


@pytest.mark.parametrize("order", [2, 4, 6])
@pytest.mark.parametrize("smallest", [1.0, 1e-3, 1e-9])
def test_inverse_root_is_that_of_the_eigenvalues(order: int, smallest: float) -> None:
    values = [smallest, 2.0, 2.0, 5.0]
    root = inverse_root(symmetric(values), order)
    expected = symmetric([x ** (-1 / order) for x in values])
    torch.testing.assert_close(root, expected, rtol=1e-12 / smallest, atol=1e-12 / smallest)


@pytest.mark.parametrize("order", [2, 4])
def test_derivatives_of_an_inverse_root_are_right_for_equal_eigenvalues(order: int) -> None:
    def root(x: torch.Tensor) -> torch.Tensor:
        return inverse_root((x + x.T) / 2, order)

    assert_derivatives_are_differences(root, (2.0 * torch.eye(3, dtype=torch.float64),))


def test_muon_approaches_the_polar_factor_of_each_matrix_of_a_batch() -> None:
    g = random_tensor(generator(1), (2, 5, 3))
    tx = transform.scale_by_muon(
        ns_coefficients=(1.5, -0.5, 0.0), ns_steps=60, adjust_lr_fn="match_rms_adamw"
    )
    (u,), _ = tx.update((g,), tx.init((g,)))
    left, _, right = torch.linalg.svd(g, full_matrices=False)
    torch.testing.assert_close(u, 0.2 * 5**0.5 * left @ right, rtol=1e-10, atol=1e-12)


def test_the_iteration_in_bfloat16_keeps_the_dtype_of_the_leaf() -> None:
    g = random_tensor(generator(1), (4, 3), torch.float32)
    updates = []
    for dtype in (None, torch.bfloat16):
        tx = transform.scale_by_muon(ns_dtype=dtype)
        (u,), _ = tx.update((g,), tx.init((g,)))
        assert u.dtype == torch.float32
        updates.append(u)
    torch.testing.assert_close(*updates, rtol=0.05, atol=0.05)
    assert not torch.equal(*updates)


@pytest.mark.parametrize(
    "make",
    [
        torchopt.optimizers.shampoo,
        torchopt.optimizers.soap,
        torchopt.optimizers.kron,
        torchopt.optimizers.galore,
    ],
)
def test_what_is_renewed_now_and_then_is_the_same_where_steps_are_traced(make: object) -> None:
    options = {
        torchopt.optimizers.shampoo: {"preconditioning_compute_steps": 2, "matrix_eps": 0.3},
        torchopt.optimizers.soap: {"precondition_frequency": 2},
        torchopt.optimizers.kron: {"precondition_frequency": 2},
        torchopt.optimizers.galore: {"update_proj_gap": 2, "rank": 2},
    }[make]  # type: ignore[index]
    tx = make(0.1, **options)  # type: ignore[operator]
    gen = generator(5)
    gradients = [random_tensor(gen, (4, 3)) for _ in range(5)]

    def last(gradients: list[torch.Tensor]) -> torch.Tensor:
        params, state = (torch.zeros_like(gradients[0]),), None
        state = tx.init(params)
        for g in gradients:
            updates, state = tx.update((g,), state, params=params, inplace=False)
            params = torchopt.apply_updates(params, updates, inplace=False)
        return params[0]

    traced = torch.func.vmap(last)([g[None] for g in gradients])[0]
    torch.testing.assert_close(traced, last(gradients), rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize(
    ("make", "options", "sentence"),
    [
        (torchopt.optimizers.adafactor, {"beta2_decay": 0.8}, "must not be positive"),
        (torchopt.optimizers.adafactor, {"eps": 1e-3}, "use 2 elements"),
        (torchopt.muon, {"ns_steps": 100}, "use an integer in"),
        (torchopt.muon, {"ns_coefficients": (1.0, 2.0)}, "use 3 elements"),
        (torchopt.muon, {"adjust_lr_fn": "other"}, "use one of 'original', "),
        (torchopt.optimizers.shampoo, {"matrix_eps": 0}, "must be positive"),
        (
            torchopt.optimizers.shampoo,
            {"preconditioning_compute_steps": 0},
            "use an integer, at least 1",
        ),
        (torchopt.optimizers.soap, {"precondition_frequency": 0.5}, "use an integer, at least 1"),
        (torchopt.optimizers.kron, {"precondition_frequency": 0}, "use an integer, at least 1"),
        (torchopt.optimizers.kron, {"max_precondition_dim": 1.0}, "use an integer, at least 1"),
        (torchopt.optimizers.kron, {"precondition_init_scale": 0.0}, "use a positive number"),
        (torchopt.optimizers.kron, {"damping": -1.0}, "damping"),
        (torchopt.optimizers.galore, {"rank": 0}, "use an integer, at least 1"),
    ],
)
def test_wrong_options_are_refused(make: object, options: dict, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        make(**options)  # type: ignore[operator]


def test_muon_alone_refuses_a_vector() -> None:
    tx = transform.scale_by_muon()
    with pytest.raises(ValueError, match=r"takes matrices, but a parameter has shape \(3,\)"):
        tx.init((torch.ones(3),))


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

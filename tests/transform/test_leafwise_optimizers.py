"""Optimizers that see whole leaves: roots of matrices, iterations and projections."""

from __future__ import annotations

import pytest
import torch

import torchopt
from _differences import assert_derivatives_are_differences
from _trees import generator, random_tensor
from torchopt import transform
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


@pytest.mark.parametrize("rows", [5, 3], ids=["tall", "wide"])
def test_full_rank_galore_is_adam_in_the_basis_of_the_first_gradient(rows: int) -> None:
    gen = generator(4)
    gradients = [random_tensor(gen, (rows, 8 - rows)) for _ in range(3)]
    left, _, right = torch.linalg.svd(gradients[0], full_matrices=False)
    galore, adam = transform.scale_by_galore(rank=9), transform.scale_by_adam()
    rotated = [g @ right.T if rows > 4 else left.T @ g for g in gradients]
    state, other = galore.init((gradients[0],)), adam.init((rotated[0],))
    for g, low in zip(gradients, rotated, strict=True):
        (u,), state = galore.update((g,), state, inplace=False)
        (v,), other = adam.update((low,), other, inplace=False)
    expected = v @ right if rows > 4 else left @ v
    torch.testing.assert_close(u, expected, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("make", [torchopt.shampoo, torchopt.soap, torchopt.kron, torchopt.galore])
def test_what_is_renewed_now_and_then_is_the_same_where_steps_are_traced(make: object) -> None:
    options = {
        torchopt.shampoo: {"preconditioning_compute_steps": 2, "matrix_eps": 0.3},
        torchopt.soap: {"precondition_frequency": 2},
        torchopt.kron: {"precondition_frequency": 2},
        torchopt.galore: {"update_proj_gap": 2, "rank": 2},
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
        (torchopt.adafactor, {"beta2_decay": 0.8}, "must not be positive"),
        (torchopt.adafactor, {"eps": 1e-3}, "use 2 elements"),
        (torchopt.muon, {"ns_steps": 100}, "must be an integer in"),
        (torchopt.muon, {"ns_coefficients": (1.0, 2.0)}, "must have three elements"),
        (torchopt.muon, {"adjust_lr_fn": "other"}, "use None, 'original' or"),
        (torchopt.shampoo, {"matrix_eps": 0}, "must be positive"),
        (torchopt.shampoo, {"preconditioning_compute_steps": 0}, "use an integer, at least 1"),
        (torchopt.soap, {"precondition_frequency": 0.5}, "use an integer, at least 1"),
        (torchopt.kron, {"precondition_frequency": 0}, "use an integer, at least 1"),
        (torchopt.kron, {"max_precondition_dim": 1.0}, "use an integer, at least 1"),
        (torchopt.kron, {"precondition_init_scale": 0.0}, "must be positive"),
        (torchopt.kron, {"damping": -1.0}, "damping"),
        (torchopt.galore, {"rank": 0}, "use an integer, at least 1"),
    ],
)
def test_wrong_options_are_refused(make: object, options: dict, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        make(**options)  # type: ignore[operator]


def test_muon_alone_refuses_a_vector() -> None:
    tx = transform.scale_by_muon()
    with pytest.raises(ValueError, match=r"takes matrices, but a parameter has shape \(3,\)"):
        tx.init((torch.ones(3),))


def test_steps_of_torch_optim_adafactor_go_on_from_its_state() -> None:
    gen = generator(6)
    tensors = {"w": random_tensor(gen, (3, 2)), "b": random_tensor(gen, (2,))}
    twin = {name: p.clone().requires_grad_() for name, p in tensors.items()}
    optimizer = torch.optim.Adafactor(list(twin.values()), lr=0.1)
    for step in range(4):
        grads = {name: random_tensor(gen, tuple(p.shape)) for name, p in twin.items()}
        if step == 3:
            tx, state = torchopt.from_torch(optimizer, twin)
            params = {name: p.detach().clone() for name, p in twin.items()}
            updates, _ = tx.update(grads, state, params=params, inplace=False)
            expected = torchopt.apply_updates(params, updates, inplace=False)
        for name, p in twin.items():
            p.grad = grads[name]
        optimizer.step()
    for name, p in twin.items():
        torch.testing.assert_close(expected[name], p.detach(), rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("name", ["shampoo", "soap", "kron", "adaptive_grad_clip"])
def test_matrices_and_norms_are_in_32_bits_for_parameters_of_16(
    name: str, dtype: torch.dtype
) -> None:
    tx = {
        "shampoo": transform.scale_by_shampoo(1e-3),
        "soap": transform.scale_by_soap(0.5, 0.5, 1e-3, precondition_frequency=1),
        "kron": transform.scale_by_kron(),
        "adaptive_grad_clip": transform.adaptive_grad_clip(0.5),
    }[name]
    found = []
    for kind in (dtype, torch.float32):
        # Squares of these overflow in float16.
        params = {"w": (400 * random_tensor(generator(1), (3, 2))).to(dtype).to(kind)}
        state = tx.init(params)
        for seed in range(3):
            grads = {"w": (400 * random_tensor(generator(seed), (3, 2))).to(dtype).to(kind)}
            updates, state = tx.update(grads, state, params=params, inplace=False)
        assert updates["w"].dtype == kind
        found.append(updates["w"].float())
        zero, _ = tx.update({"w": torch.zeros_like(params["w"])}, tx.init(params), params=params)
        assert (zero["w"] == 0).all()
    if name != "soap" or dtype == torch.bfloat16:  # SOAP's moments are those of Adam, in 16 bits
        torch.testing.assert_close(*found, rtol=0.02, atol=0.02)

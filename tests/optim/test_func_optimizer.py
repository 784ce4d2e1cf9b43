"""``torchopt.compat.FuncOptimizer`` is a gradient transformation that keeps its state."""

from __future__ import annotations

import functools
from typing import Any

import pytest
import torch
from _classes import OPTIONS

import _public
import torchopt
from _trees import assert_trees_equal, generator, leaves, random_tensor, saved, snapshot

BY_NAME = {name.lower(): options for name, options in OPTIONS.items()}
OPTIMIZERS = {
    name: functools.partial(getattr(torchopt.optimizers, name), 0.1, **BY_NAME.get(name, {}))
    for name in _public.ALIASES
}
every_name = pytest.mark.parametrize("name", OPTIMIZERS)


def make_params() -> dict[str, torch.Tensor]:
    gen = generator(1)
    return {
        name: random_tensor(gen, shape).requires_grad_() for name, shape in (("b", ()), ("w", (3,)))
    }


def loss_of(params: dict[str, torch.Tensor], phi: Any = 1.0) -> torch.Tensor:
    return (params["w"] * phi - params["b"]).sin().sum() + (params["w"] ** 2).sum() * phi


def test_steps_of_sgd_on_a_quadratic_give_the_meta_gradient_of_the_closed_form() -> None:
    # x_n - phi = (1 - 2 lr)^n (x_0 - phi).
    phi = torch.tensor(0.7, dtype=torch.float64, requires_grad=True)
    lr = torch.tensor(0.1, dtype=torch.float64, requires_grad=True)
    start = torch.tensor([1.5, -2.0], dtype=torch.float64, requires_grad=True)
    optimizer, params = torchopt.compat.FuncOptimizer(torchopt.sgd(lr)), (start,)
    for _ in range(4):
        params = optimizer.step((params[0] - phi).square().sum(), params)
    d_phi, d_lr, d_start = torch.autograd.grad(params[0].sum(), (phi, lr, start))
    assert d_phi.item() == pytest.approx(2 * (1 - 0.8**4), rel=1e-13)
    assert d_lr.item() == pytest.approx(-8 * 0.8**3 * (start - phi).sum().item(), rel=1e-13)
    torch.testing.assert_close(d_start, torch.full((2,), 0.8**4, dtype=torch.float64))


@every_name
def test_inplace_writes_the_same_numbers_into_the_same_tensors(name: str) -> None:
    new = make_params()
    written = make_params()
    held = list(written.values())
    a = torchopt.compat.FuncOptimizer(OPTIMIZERS[name]())
    b = torchopt.compat.FuncOptimizer(OPTIMIZERS[name](), inplace=True)
    for _ in range(3):
        new = a.step(loss_of(new), new)
        written = b.step(loss_of(written), written)
    assert all(p is q and p.is_leaf for p, q in zip(written.values(), held, strict=True))
    assert not any(x.requires_grad for x in leaves(b.state_dict()))
    assert_trees_equal(snapshot(written), snapshot(new), rtol=1e-14, atol=0)


@pytest.mark.parametrize("default", [False, True])
def test_inplace_of_a_step_goes_before_that_of_the_optimizer(default: bool) -> None:
    optimizer = torchopt.compat.FuncOptimizer(torchopt.sgd(0.1), inplace=default)
    for inplace in (False, True):
        params = make_params()
        moved = optimizer.step(loss_of(params), params, inplace=inplace)
        assert (moved["w"] is params["w"]) == inplace


def test_parameters_without_part_in_the_loss_stay() -> None:
    params = {**make_params(), "unused": torch.ones(2, requires_grad=True), "none": None}
    params["frozen"] = torch.ones(2)
    optimizer = torchopt.compat.FuncOptimizer(torchopt.adamw(0.1))
    moved = optimizer.step(loss_of(params), params)
    assert moved["unused"] is params["unused"]
    assert moved["frozen"] is params["frozen"]
    assert moved["none"] is None
    assert (moved["w"] != params["w"]).all()


@every_name
def test_saved_optimizer_continues_with_the_same_numbers(name: str) -> None:
    params = make_params()
    optimizer = torchopt.compat.FuncOptimizer(OPTIMIZERS[name](), inplace=True)
    for _ in range(3):
        params = optimizer.step(loss_of(params), params)
    twins = {k: p.detach().clone().requires_grad_() for k, p in params.items()}
    twin = torchopt.compat.FuncOptimizer(OPTIMIZERS[name](), inplace=True)
    twin.load_state_dict(saved(optimizer.state_dict()))
    for _ in range(2):
        params = optimizer.step(loss_of(params), params)
        twins = twin.step(loss_of(twins), twins)
    assert_trees_equal(snapshot(twins), snapshot(params))
    assert_trees_equal(twin.state_dict(), optimizer.state_dict())

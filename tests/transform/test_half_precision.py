"""Leaves of 16 bits: numbers are those of float64 that have been rounded, at gradients of any size."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
import torch

import torchopt
from _public import ALIASES
from _trees import generator, leaves, makers, random_like, random_params

SHAPES = {"w": (3, 2), "b": (5,)}
#: Sizes of gradients: those of "mixed" alternate.
SIZES = {
    "zero": [0.0],
    "tiny": [6e-8],
    "small": [1e-4],
    "huge": [2e4],
    "mixed": [0.0, 6e-8, 1e-3, 1.0, 2e4],
}
# With defaults: epsilons of 1e-8 are no numbers of float16. That here is the machine epsilon.
MAKERS = makers(adafactor=lambda: torchopt.optimizers.adafactor(1e-3, eps=(1e-5, 1e-3)))


def by_half(names: Iterable[str]) -> Any:
    """Parametrize a test by names, in float16; the larger range of bfloat16 needs a sample of them."""
    each = [*names]
    cases = [(name, torch.float16) for name in each]
    cases += [(name, torch.bfloat16) for name in each[::6]]
    return pytest.mark.parametrize(("name", "dtype"), cases, ids=str)


def drawn(size: str, dtype: torch.dtype) -> tuple[Any, Any]:
    """Return parameters and gradients that are numbers of a dtype, in float64."""
    gen = generator(3)
    params = random_params(gen, SHAPES)
    sizes = torch.tensor(SIZES[size], dtype=torch.float64)

    def scaled(g: torch.Tensor) -> torch.Tensor:
        place = torch.arange(g.numel()) % len(sizes)
        return (g * sizes[place].reshape(g.shape)).to(dtype).double()

    grads = {name: scaled(g) for name, g in random_like(gen, params).items()}
    return {name: p.to(dtype).double() for name, p in params.items()}, grads


def step(tx: Any, params: Any, grads: Any, dtype: torch.dtype) -> tuple[Any, Any, Any, Any]:
    """Return gradients of a dtype, the first update for them, the state, and the parameters."""
    params = {name: p.to(dtype) for name, p in params.items()}
    grads = {name: g.to(dtype).requires_grad_() for name, g in grads.items()}
    updates, state = tx.update(grads, tx.init(params), params=params, inplace=False)
    return grads, updates, state, params


#: Of these more is rounded than what enters and leaves: losses, sums with the parameters, the initial
#: state; or eigenvectors are those of float32.
OTHERS = ("asam", "cocob", "galore", "lookahead", "mechanize", "project", "scale_by_backtracking")
OTHERS += ("scale_by_yogi", "scale_by_zoom", "shampoo")
each_exact_one = by_half(n for n in MAKERS if not n.startswith(OTHERS))


def slopes(grads: Any, *outputs: Any) -> list[torch.Tensor]:
    """Return derivatives of a sum of outputs in the gradients, and with a graph."""
    total = sum(
        (u.double() * torch.linspace(0.1, 1.0, u.numel(), dtype=torch.float64).view_as(u)).sum()
        for u in leaves(outputs)
    )
    if not total.requires_grad:
        return []
    found = torch.autograd.grad(total, [*grads.values()], create_graph=True, allow_unused=True)
    return [x for x in found if x is not None]


@each_exact_one
def test_the_first_update_and_its_derivative_are_those_of_float64_rounded(
    name: str, dtype: torch.dtype
) -> None:
    """Or finite where 16 bits cannot hold the derivative."""
    info = torch.finfo(dtype)
    for size in SIZES:
        given = drawn(size, dtype)
        (grads, found, *_), (others, exact, *_) = (
            step(MAKERS[name](), *given, kind) for kind in (dtype, torch.float64)
        )
        for u, v in zip(leaves(found), leaves(exact), strict=True):
            assert u.dtype == dtype
            atol = 16 * info.tiny * info.eps
            torch.testing.assert_close(u, v.to(dtype), rtol=8 * info.eps, atol=atol)
        for x, y in zip(slopes(grads, found), slopes(others, exact), strict=True):
            y = torch.where(y.abs() > info.max, y.sign() * info.max / 16, y)
            atol = 16 * info.eps * y.abs().max().item() + 1e-6
            torch.testing.assert_close(x.double(), y, rtol=0, atol=atol)


@each_exact_one
def test_a_zero_gradient_after_a_small_one_moves_no_further_than_in_float64(
    name: str, dtype: torch.dtype
) -> None:
    """The square of the first is no number of float16, and the second update is divided by it."""
    params, grads = drawn("small", dtype)
    largest = []
    for kind in (dtype, torch.float64):
        tx = MAKERS[name]()
        _, _, state, start = step(tx, params, grads, kind)
        none = {k: torch.zeros_like(g) for k, g in start.items()}
        updates, _ = tx.update(none, state, params=start, inplace=False)
        largest.append(max(u.double().abs().max().item() for u in leaves(updates)))
    assert largest[0] <= 4 * largest[1] + 1e-6


#: A loss, or a square, of these gradients is no number of float16.
LOSSES = ("measure_with_ema", "scale_by_zoom_linesearch")


@by_half(n for n in MAKERS if n not in LOSSES)
def test_two_steps_have_finite_derivatives(name: str, dtype: torch.dtype) -> None:
    tx = MAKERS[name]()
    for size in SIZES:
        grads, first, state, params = step(tx, *drawn(size, dtype), dtype)
        params = torchopt.apply_updates(params, first, inplace=False)
        assert all(p.isfinite().all() for p in leaves(params))
        again = {k: g.detach().requires_grad_() for k, g in grads.items()}
        second, _ = tx.update(again, state, params=params, inplace=False)
        found = slopes({**grads, **{f"{k}2": g for k, g in again.items()}}, first, second)
        assert all(x.isfinite().all() for x in found)


PEERS = {"adam": torch.optim.Adam, "nadam": torch.optim.NAdam, "radam": torch.optim.RAdam}
PEERS |= {"rmsprop": torch.optim.RMSprop, "adagrad": torch.optim.Adagrad}
PEERS |= {"adadelta": torch.optim.Adadelta, "adamax": torch.optim.Adamax}


@pytest.mark.parametrize("name", PEERS)
@pytest.mark.parametrize("size", [1e-2, 1e-3, 1e-4, 1e-5, 1e-6])
def test_steps_with_float16_states_are_no_worse_than_those_of_torch(name: str, size: float) -> None:
    gen = torch.Generator().manual_seed(0)
    grads = size * torch.randn(10, 6, generator=gen)
    sums = {}
    for dtype in (torch.float64, torch.float16):
        tx, params = ALIASES[name](lr=1e-3), torch.zeros(6, dtype=dtype)
        state, sums[dtype] = tx.init((params,)), torch.zeros(6, dtype=torch.float64)
        for g in grads.half().to(dtype):
            (u,), state = tx.update((g,), state, params=(params,), inplace=False)
            sums[dtype] += u
    weight = torch.nn.Parameter(torch.zeros(6, dtype=torch.float16))
    optimizer, peer = PEERS[name]([weight], lr=1e-3), torch.zeros(6, dtype=torch.float64)
    for g in grads.half():
        with torch.no_grad():
            weight.zero_()  # what is compared are updates, not their sum in float16
        weight.grad = g
        optimizer.step()
        peer += weight.detach()
    found, theirs = (float((x - sums[torch.float64]).norm()) for x in (sums[torch.float16], peer))
    size = float(sums[torch.float64].norm())
    assert found <= 8 * size
    assert not theirs < found - 0.05 * size

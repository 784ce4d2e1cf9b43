"""Each input of each optimizer and transformation by itself, from 1e-30 to 1e30."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import torchopt
from _cases import covering
from _public import ALIASES
from _trees import (
    TRANSFORMS,
    Case,
    assert_trees_equal,
    case_id,
    generator,
    leaves,
    makers,
    random_like,
    random_params,
)
from torchopt import transform

SCALES = {torch.float64: [1e-30, 1e-8, 1e8, 1e30], torch.float32: [1e-12, 1e-6, 1e6, 1e12]}
# The default is the machine epsilon.
MAKERS = makers(adafactor=lambda: torchopt.optimizers.adafactor(1e-3, eps=(1e-9, 1e-3)))


def drawn(which: str, scale: float, dtype: torch.dtype) -> tuple[Any, Any]:
    """Return parameters and gradients that are numbers of a dtype, in float64, one of them scaled."""
    gen = generator(3)
    params = random_params(gen, {"w": (3, 2), "b": (5,)})
    made = {"params": params, "grads": random_like(gen, params)}
    made[which] = {k: scale * x for k, x in made[which].items()}
    params, grads = ({k: x.to(dtype).double() for k, x in tree.items()} for tree in made.values())
    return params, grads


def two_steps(name: str, params: Any, grads: Any, dtype: torch.dtype) -> tuple[Any, Any]:
    """Return the updates of two steps, and the gradients that they are functions of."""
    tx, params = MAKERS[name](), {k: p.to(dtype) for k, p in params.items()}
    state, updates, given = tx.init(params), [], []
    for _ in range(2):
        given.append({k: g.to(dtype).requires_grad_() for k, g in grads.items()})
        u, state = tx.update(given[-1], state, params=params, inplace=False)
        params = torchopt.apply_updates(params, u, inplace=False)
        updates.append(u)
    return updates, given


def slopes(updates: Any, given: Any) -> list[torch.Tensor]:
    """Return derivatives of a sum of updates in the gradients."""
    total = sum(
        (u.double() * torch.linspace(0.1, 1.0, u.numel()).double().view_as(u)).sum()
        for u in leaves(updates)
    )
    if not total.requires_grad:
        return []
    found = torch.autograd.grad(total, leaves(given), allow_unused=True)
    return [x for x in found if x is not None]


#: A loss of the largest gradients is infinite, or they show their squares.
INFINITE = ("measure_with_ema",)


@pytest.mark.parametrize("name", [n for n in MAKERS if n != "scale_by_zoom_linesearch"])
def test_updates_and_derivatives_are_finite_at_any_scale(name: str) -> None:
    for which, dtype in itertools.product(("params", "grads"), SCALES):
        for scale in SCALES[dtype][::3]:
            updates, given = two_steps(name, *drawn(which, scale, dtype), dtype)
            found = (*leaves(updates), *slopes(updates, given))
            assert all(x.isfinite().all() for x in found), (which, scale)
    info = torch.finfo(torch.float32)
    for sizes in (
        *([0.0], [info.tiny], [1e-30], [1e30], [info.max / 8]),  # times numbers of up to four
        [0.0, info.tiny, 1.0, info.max / 8, 1e-3],
    ):
        if name in INFINITE:
            continue
        params, grads = drawn("grads", 1.0, torch.float64)
        factors = torch.tensor(sizes, dtype=torch.float64)
        grads = {
            k: g.clamp(-3.9, 3.9) * factors[torch.arange(g.numel()) % len(sizes)].view_as(g)
            for k, g in grads.items()
        }
        updates, given = two_steps(name, params, grads, torch.float32)
        assert all(u.isfinite().all() for u in leaves(updates)), sizes
        assert not any(x.isnan().any() for x in slopes(updates, given)), sizes


#: Of these float32 has other numbers: what is less than the rounding errors of a sum with the
#: parameters, or of a loss, is lost; eigenvectors of the value zero are any.
ROUNDED = (
    "asam",
    "lookahead",
    "mechanize",
    "project",
    "sam",
    "scale_by_backtracking",
    "scale_by_dog",
)
ROUNDED += ("scale_by_momo", "scale_by_polyak", "scale_by_soap", "scale_by_zoom", "soap")
COMPARED = [name for name in MAKERS if not name.startswith(ROUNDED)]


@pytest.mark.parametrize(("name", "which"), covering(COMPARED, ["grads", "params"]))
def test_float32_has_the_numbers_of_float64_at_any_scale(name: str, which: str) -> None:
    for scale in (1e-12, 1e-6, 1e12):
        given = drawn(which, scale, torch.float32)
        found, exact = (two_steps(name, *given, d)[0] for d in (torch.float32, torch.float64))
        for u, v in zip(leaves(found), leaves(exact), strict=True):
            atol = 3e-4 * float(v.detach().abs().max())
            torch.testing.assert_close(u.double(), v, rtol=0, atol=atol)


#: A transformation, given a length, and the factor of the gradient in float64.
NORMS: dict[str, tuple[Callable[[float], Any], Callable[..., Any]]] = {
    "clip_grad_norm": (
        lambda size: torchopt.transform.clip_grad_norm(size / 2),
        lambda g, p, size: (size / 2 / (g.norm() + 1e-6)).clamp(max=1),
    ),
    "clip_by_block_rms": (
        lambda size: transform.clip_by_block_rms(size / 9),
        lambda g, p, size: (size / 9 / g.square().mean().sqrt()).clamp(max=1),
    ),
    "adaptive_grad_clip": (
        lambda size: transform.adaptive_grad_clip(0.5, eps=0.0),
        lambda g, p, size: (p.norm() / 2 / g.norm().clamp(min=1e-6)).clamp(max=1),
    ),
    "scale_by_trust_ratio": (
        lambda size: transform.scale_by_trust_ratio(),
        lambda g, p, size: p.norm() / g.norm(),
    ),
    "normalize_by_update_norm": (
        lambda size: transform.normalize_by_update_norm(3.0, 0.0),
        lambda g, p, size: 3 / g.norm(),
    ),
    "per_example_global_norm_clip": (
        lambda size: lambda g: transform.per_example_global_norm_clip(g, size / 2)[0],
        lambda g, p, size: (size / 2 / g.norm()).clamp(max=1),
    ),
}


@pytest.mark.parametrize("name", NORMS)
@pytest.mark.parametrize("scale", [1e-23, 1.0, 1e19, 1e30])
def test_norms_square_nothing_that_is_no_number_in_float32(name: str, scale: float) -> None:
    gen = generator(4)
    g, p = (scale * x for x in random_params(gen, {"g": (2, 3), "p": (2, 3)}).values())
    g, p = (x.flatten().float().double().requires_grad_() for x in (g, p))
    size = float(g.detach().norm())
    make, factor = NORMS[name]
    expected = g * factor(g, p, size)
    given = g.detach().float().requires_grad_()
    if name.startswith("per_example"):
        found = make(size)({"w": given[None]})["w"]
    else:
        params = {"w": p.detach().float()}
        tx = make(size)
        found = tx.update({"w": given}, tx.init(params), params=params, inplace=False)[0]["w"]
    tiny = torch.finfo(torch.float32).tiny
    torch.testing.assert_close(found.double(), expected, rtol=3e-6, atol=tiny)
    cotangent = torch.linspace(0.5, 1.0, 6).double()
    (slope,) = torch.autograd.grad(found, given, cotangent.float())
    (exact,) = torch.autograd.grad(expected, g, cotangent)
    torch.testing.assert_close(
        slope.double(), exact, rtol=1e-5, atol=1e-5 * float(exact.abs().max())
    )


NUMERIC = [case for case in TRANSFORMS if any(isinstance(x, float) for x in case.hyper.values())]


@pytest.mark.parametrize("case", NUMERIC, ids=lambda case: case.name)
def test_hyperparameters_may_be_numbers_of_numpy(case: Case) -> None:
    params, grads = drawn("grads", 1.0, torch.float64)
    hyper = {k: np.float64(x) if isinstance(x, float) else x for k, x in case.hyper.items()}
    found, expected = (
        tx.update(grads, tx.init(params), params=params, inplace=False)[0]
        for tx in (case.build(**hyper), case.build())
    )
    assert_trees_equal(found, expected)


@pytest.mark.parametrize("order", ["ab", "ba"])
def test_a_norm_over_leaves_of_unlike_size_is_a_number(order: str) -> None:
    """Squares of the larger one, in the unit of the smaller, are no numbers of float32."""
    sizes = {"a": [1e-30, -2e-30], "b": [3e25, 4e25]}
    grads = tuple(torch.tensor(sizes[name]) for name in order)
    tx = transform.normalize_by_update_norm()
    updates, _ = tx.update(grads, tx.init(grads), inplace=False)
    found = dict(zip(order, updates, strict=True))
    torch.testing.assert_close(found["b"], torch.tensor([0.6, 0.8]))
    assert not found["a"].any()


#: A gradient of any size by itself, as its norm or a ratio cancels; and the least loss, if one is read.
WITHOUT_UNITS = {
    "scale_by_novograd": lambda: transform.scale_by_novograd(eps=0.0),
    "scale_by_dog": lambda: transform.scale_by_dog(("distance", 0.5), eps=0.0),
    "sam": lambda: transform.sam(transform.scale_by_trust_ratio(), rho=0.1),
    "scale_by_polyak": lambda: transform.scale_by_polyak(max_learning_rate=1e300),
    "scale_by_momo": lambda: transform.scale_by_momo(lr=1e300),
    "clip_grad_norm-1": lambda: torchopt.transform.clip_grad_norm(1.0, 1.0),
}


@pytest.mark.parametrize("name", WITHOUT_UNITS)
@pytest.mark.parametrize("size", [1e-30, 1e19, 1e25, 1e30, 4e37])
def test_sums_of_squares_are_those_of_float64(name: str, size: float) -> None:
    tx, gen = WITHOUT_UNITS[name](), generator(5)
    start = random_params(gen, {"w": (3, 2), "b": (5,)})
    grads = {k: (size * g).float() for k, g in random_like(gen, start).items()}
    found: list[list[torch.Tensor]] = []
    for dtype in (torch.float32, torch.float64):
        params = {k: p.to(dtype) for k, p in start.items()}
        g = {k: x.to(dtype).requires_grad_() for k, x in grads.items()}
        extra = {}
        if name in ("scale_by_polyak", "scale_by_momo"):
            extra["value"] = torch.tensor(size, dtype=torch.float64)
        if name == "sam":
            extra["value_fn"] = lambda p, g=g: sum((p[k] * g[k]).sum() for k in p)
        u, _ = tx.update(g, tx.init(params), params=params, inplace=False, **extra)
        slopes = torch.autograd.grad(sum(x.double().sum() for x in leaves(u)), leaves(g))
        found.append(
            [*(x.detach().double() for x in leaves(u)), *(x.double() * size for x in slopes)]
        )
    for x, y in zip(*found, strict=True):
        torch.testing.assert_close(x, y, rtol=1e-5, atol=1e-5 * float(y.abs().max()))


BOUNDED = ("adafactor", "kron", "learned", "shampoo", "soap", "yogi")


@pytest.mark.parametrize(
    "case",
    [case for case in TRANSFORMS if case.name.removeprefix("scale_by_") in BOUNDED],
    ids=case_id,
)
def test_gradients_whose_squares_are_no_numbers_count_as_the_largest(case: Case) -> None:
    gen = generator(6)
    params = {k: p.float() for k, p in random_params(gen, {"w": (3, 2)}).items()}
    most = {"w": torch.finfo(torch.float32).max ** 0.5 / 6**0.5 / 64}
    if case.name == "scale_by_yogi":
        most["w"] = torch.finfo(torch.float32).tiny ** -0.5
    grads = [
        {k: size * g.float() for k, g in random_like(gen, params).items()} for size in (1e25, 1.0)
    ]
    results = []
    for bound in (torch.inf, most["w"]):
        tx, updates = case.build(), []
        state = tx.init(params)
        for g in grads:
            g = {k: x.clamp(-bound, bound) for k, x in g.items()}
            u, state = tx.update(g, state, params=params, inplace=False)
            updates.append(u)
        results.append(updates)
    assert_trees_equal(*results)
    # An infinite gradient does not become a plausible step.
    infinite, tx = {"w": grads[1]["w"].clone()}, case.build()
    infinite["w"][0, 0] = torch.inf
    state = tx.init(params)
    for _ in range(2):  # the first of SOAP makes the basis only
        u, state = tx.update(infinite, state, params=params, inplace=False)
    assert not u["w"].isfinite().all()


@pytest.mark.parametrize("name", ["scale_by_novograd", "scale_by_dog"])
@pytest.mark.parametrize("size", [1e-30, 1e25, 1e30])
def test_a_sum_that_float32_cannot_keep_is_its_largest_or_zero(name: str, size: float) -> None:
    """So the second update has the size of one for which the sum is kept, not zero or NaN."""
    norms = []
    for scale in (1.0, size):
        tx, params = WITHOUT_UNITS[name](), {"w": torch.ones(5)}
        state, g = tx.init(params), {"w": scale * torch.linspace(-1.0, 2.0, 5)}
        for _ in range(2):
            u, state = tx.update(g, state, params=params, inplace=False)
        norms.append(float(u["w"].norm()))
    assert 0.5 < norms[1] / norms[0] < 2


@pytest.mark.parametrize(
    ("name", "peer"),
    [
        ("adam", torch.optim.Adam),
        ("adamw", torch.optim.AdamW),
        ("nadam", torch.optim.NAdam),
        ("radam", torch.optim.RAdam),
        ("rmsprop", torch.optim.RMSprop),
        ("adagrad", torch.optim.Adagrad),
        ("adadelta", torch.optim.Adadelta),
    ],
)
def test_a_second_moment_that_is_infinite_is_that_of_torch(name: str, peer: Any) -> None:
    """Its element has no update, from then on; the others are as ever."""
    g = torch.tensor([1e25, -3e25, 1.0, 1e-3])
    weight, params = torch.nn.Parameter(torch.ones(4)), torch.ones(4)
    optimizer, tx = peer([weight], lr=1e-3), ALIASES[name](lr=1e-3)
    state = tx.init((params,))
    for factor in (1.0, 1e-25, 1e-20):
        weight.grad = g * factor
        optimizer.step()
        (u,), state = tx.update((g * factor,), state, params=(params,), inplace=False)
        params = params + u
        torch.testing.assert_close(params, weight.detach(), rtol=1e-6, atol=0)

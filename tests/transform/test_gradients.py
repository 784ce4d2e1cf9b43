"""``update`` is differentiable, to second order, in all that it is given; also where roots vanish."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import optree
import pytest
import torch

import torchopt
from _cases import covering, diagonal
from _public import ALIASES as ALIASES_BY_NAME
from _trees import (
    CASES,
    TRANSFORMS,
    Case,
    advance,
    case_id,
    generator,
    leaves,
    random_like,
    random_params,
)
from torchopt import transform

SHAPES = {"b": (), "w": (1, 3)}
#: One number for all leaves, in every case.
ONE = {"max_norm", "begin", "end", "initial_scale", "initial_accumulator_value"}
KINDS = ["scalar", "per-tensor", "per-element"]
#: A slope along a random direction of all inputs at once. A wrong derivative in one of them is a
#: part of it, so that it must be closer than slopes of each input would have to be.
CLOSE: dict[str, Any] = {"fast_mode": True, "rtol": 1e-6, "atol": 1e-7}


def as_hyper(value: float, kind: str) -> Any:
    """Return a hyperparameter as a tensor or a tree of tensors, each leaf with its own value."""
    scalar = torch.tensor(value, dtype=torch.float64)
    if kind == "scalar":
        return scalar
    if kind == "per-tensor":
        return {"b": scalar, "w": 0.9 * scalar}
    spread = torch.tensor([[0.9, 1.0, 0.95]], dtype=torch.float64)
    return {"b": scalar, "w": spread * scalar}


def setup(case: Case, kind: str) -> tuple[Callable[..., Any], torch.Tensor]:
    """Return ``update`` as a function of the numbers that it depends on, and those as one vector."""
    gen = generator(len(case.name))

    def kind_of(name: str) -> str:
        if name in ONE or name in case.whole:
            return "scalar"
        return "per-tensor" if name in case.per_leaf and kind == "per-element" else kind

    hyper = {name: as_hyper(value, kind_of(name)) for name, value in case.hyper.items()}
    start = random_params(gen, SHAPES)
    params, state = advance(case.build(), start, case.warm_up, gen)
    if case.warm_up:
        # A state that no step has just produced: no ties between a maximum and its argument.
        factor = itertools.count(1.01, 0.001)
        state = optree.tree_map(
            lambda x: next(factor) * x if x.is_floating_point() else x, state, namespace="torchopt"
        )
    grads = random_like(gen, params)
    flat, spec = optree.tree_flatten((grads, params, state, hyper), namespace="torchopt")
    places = [i for i, x in enumerate(flat) if x.is_floating_point()]
    sizes = [flat[i].numel() for i in places]
    numbers = torch.cat([flat[i].detach().flatten() for i in places])

    def update(numbers: torch.Tensor) -> tuple[torch.Tensor, ...]:
        filled = list(flat)
        for place, values in zip(places, numbers.split(sizes), strict=True):
            filled[place] = values.view_as(flat[place])
        grads, params, state, hyper = optree.tree_unflatten(spec, filled)
        tx = case.build(**hyper)
        if case.warm_up == 0:
            state = tx.init(params)
        updates, state = tx.update(grads, state, params=params, inplace=False)
        out = [updates, *(x for x in leaves(state) if x.is_floating_point())]
        return tuple(x for x in leaves(out) if x.requires_grad)

    return update, numbers.requires_grad_()


def differing(case: Case) -> int:
    """Return how many of the kinds give a case other hyperparameters than those before."""
    trees = case.hyper.keys() - ONE - {*case.whole}
    return 3 if trees - {*case.per_leaf} else 2 if trees else 1


@pytest.mark.parametrize(
    ("case", "kind"),
    # The kinds take turns: one place hands numbers to leaves, and formulas see no other difference.
    [p for n in (1, 2, 3) for p in diagonal([c for c in CASES if differing(c) == n], KINDS[:n])],
    ids=lambda x: getattr(x, "name", x),
)
def test_first_derivatives_equal_finite_differences(case: Case, kind: str) -> None:
    update, numbers = setup(case, kind)
    # PyTorch calls hooks with None where gradcheck leaves a gradient undefined; users' hooks need none.
    undefined = case.name != "register_hook"
    assert torch.autograd.gradcheck(update, numbers, check_undefined_grad=undefined, **CLOSE)


@pytest.mark.parametrize("case", TRANSFORMS, ids=case_id)  # optimizers are chains of these
def test_second_derivatives_equal_finite_differences(case: Case) -> None:
    update, numbers = setup(case, "per-element")
    assert torch.autograd.gradgradcheck(update, numbers, gen_non_contig_grad_outputs=True, **CLOSE)


# --- at a zero gradient, a zero second moment, and no regularization in the root ---------------------

#: Those that see whole leaves, where an element disturbs the others.
WHOLE = {"adafactor", "dadapt_adamw", "dog", "fromage", "galore", "kron", "lamb", "lars", "muon"}
WHOLE |= {"novograd", "prodigy", "shampoo", "sm3", "soap"}
#: Without `smooth` a sign has no derivative.
SMOOTH = {name: {"smooth": 0.1} for name in ("lion", "rprop", "sign_sgd", "signum")}
SMOOTH |= {"yogi": {"initial_accumulator_value": 0.0}}
OPTIMIZERS = {
    name: make(1.0, **SMOOTH.get(name, {}))
    for name, make in ALIASES_BY_NAME.items()
    if name != "noisy_sgd"
}
ADAPTIVE = {name: tx for name, tx in OPTIMIZERS.items() if name not in WHOLE} | {
    "adam-amsgrad": torchopt.adam(1.0, amsgrad=True),
    "rmsprop-momentum": torchopt.rmsprop(1.0, momentum=0.9, nesterov=True),
    "rmsprop-centered": torchopt.rmsprop(1.0, centered=True),
    "adabelief-nesterov": torchopt.optimizers.adabelief(1.0, eps=1e-8, eps_root=0.0, nesterov=True),
    "adopt-nesterov": torchopt.optimizers.adopt(1.0, nesterov=True, use_clipping=False),
}
LEAFWISE = {name: tx for name, tx in OPTIMIZERS.items() if name in WHOLE} | {
    "soap-often": torchopt.optimizers.soap(1.0, precondition_frequency=2),
    "kron-often": torchopt.optimizers.kron(1.0, precondition_frequency=2),
    "galore-often": torchopt.optimizers.galore(1.0, rank=1, update_proj_gap=2),
    "adaptive_grad_clip": torchopt.chain(transform.adaptive_grad_clip(0.1), torchopt.sgd(1.0, 0.9)),
    "centralize": torchopt.chain(transform.centralize(), torchopt.sgd(1.0, 0.9)),
    "dog-layer_wise": torchopt.optimizers.dog(layer_wise=True),
}


def unroll(
    tx: Any, grads: list[torch.Tensor], params: torch.Tensor | None = None
) -> tuple[torch.Tensor, Any]:
    params = torch.zeros_like(grads[0]) if params is None else params
    state = tx.init((params,))
    for g in grads:
        (u,), state = tx.update((g,), state, params=(params,), inplace=False)
    return u, state


@pytest.mark.parametrize(
    ("name", "dtype", "steps"),
    covering([*ADAPTIVE, *LEAFWISE], [torch.float64, torch.float32], [1, 3, 12]),
)
def test_values_and_two_derivatives_are_finite_at_zero_gradient(
    name: str, dtype: torch.dtype, steps: int
) -> None:
    grads = [torch.zeros(2, 3, dtype=dtype, requires_grad=True) for _ in range(steps)]
    u, state = unroll({**ADAPTIVE, **LEAFWISE}[name], grads)
    assert u.isfinite().all()
    assert all(x.isfinite().all() for x in leaves(state))
    assert (u == 0).all()
    first = torch.autograd.grad(u.sum(), grads, create_graph=True, materialize_grads=True)
    assert all(d.isfinite().all() for d in first)
    connected = [d for d in first if d.requires_grad]
    if connected:
        second = torch.autograd.grad(
            sum((d * d.detach()).sum() for d in connected), grads, allow_unused=True
        )
        assert all(d is None or d.isfinite().all() for d in second)


@pytest.mark.parametrize("name", ADAPTIVE)
def test_a_zero_element_does_not_disturb_the_derivatives_of_the_others(name: str) -> None:
    gen = generator(11)
    values = [random_like(gen, torch.empty(4, dtype=torch.float64)) for _ in range(3)]
    alone = [v[1:].clone().requires_grad_() for v in values]
    together = [
        torch.cat([torch.zeros(1, dtype=torch.float64), v[1:]]).requires_grad_() for v in values
    ]
    expected, found = (
        torch.autograd.grad(unroll(ADAPTIVE[name], grads)[0].sum(), grads, materialize_grads=True)
        for grads in (alone, together)
    )
    for a, b in zip(found, expected, strict=True):
        torch.testing.assert_close(a[1:], b, rtol=1e-12, atol=1e-12)
        assert a.isfinite().all()


@pytest.mark.parametrize("name", ADAPTIVE)
def test_derivatives_stay_finite_as_a_float32_gradient_vanishes(name: str) -> None:
    for exponent in (-10, -14, -18, -20.3, -21.2, -22, -30, -44):
        g = torch.tensor([10.0**exponent, -(10.0**exponent)], requires_grad=True)
        u, _ = unroll(ADAPTIVE[name], [g])
        (first,) = torch.autograd.grad(u.sum(), g, create_graph=True)
        assert u.isfinite().all()
        assert first.isfinite().all()
        if first.requires_grad:
            (second,) = torch.autograd.grad(first.sum(), g)
            assert second.isfinite().all(), exponent


@pytest.mark.parametrize("size", [1e-3, 1e-9, 1e-15])
def test_derivatives_of_first_adam_update_equal_closed_form(size: float) -> None:
    eps = 1e-8
    g = torch.tensor([size, -3 * size], dtype=torch.float64, requires_grad=True)
    u, _ = unroll(transform.scale_by_adam(eps=eps), [g])
    (first,) = torch.autograd.grad(u.sum(), g, create_graph=True)
    (second,) = torch.autograd.grad(first.sum(), g)
    x = g.detach()
    torch.testing.assert_close(u.detach(), x / (x.abs() + eps), rtol=1e-12, atol=0)
    torch.testing.assert_close(first.detach(), eps / (x.abs() + eps) ** 2, rtol=1e-8, atol=0)
    expected = -2 * eps * x.sign() / (x.abs() + eps) ** 3
    # The terms that cancel in the first derivative leave rounding of this size in the second.
    rounding = 1e-13 / (x.abs() + eps) / x.abs()
    assert ((second - expected).abs() <= 1e-7 * expected.abs() + rounding).all()


def test_derivatives_at_zero_equal_limits_of_closed_forms() -> None:
    def slope(tx: Any) -> float:
        g = torch.zeros((), dtype=torch.float64, requires_grad=True)
        return torch.autograd.grad(unroll(tx, [g])[0], g)[0].item()

    # Each first update is g / (c |g| + eps) for a constant c.
    assert slope(transform.scale_by_rms(0.9, 1e-5)) == pytest.approx(1e5, rel=1e-12)
    assert slope(transform.scale_by_stddev(0.9, 1e-5)) == pytest.approx(1e5, rel=1e-12)
    assert slope(transform.scale_by_rss(0.0, 1e-5)) == pytest.approx(1e5, rel=1e-12)
    # Adamax: g / (|g| + eps); Adadelta: sqrt(eps / ((1 - rho) g^2 + eps)) g; RAdam: g at first.
    assert slope(transform.scale_by_adamax(eps=1e-5)) == pytest.approx(1e5, rel=1e-12)
    assert slope(transform.scale_by_adadelta(0.9, 1e-5)) == pytest.approx(1.0, rel=1e-12)
    assert slope(transform.scale_by_radam()) == pytest.approx(1.0, rel=1e-12)
    # With eps_root: g / (sqrt(g^2 + r) + eps).
    assert slope(transform.scale_by_adam(eps=1e-5, eps_root=1e-6)) == pytest.approx(
        1 / (1e-3 + 1e-5), rel=1e-12
    )


def test_select_before_root_leaves_radam_differentiable_in_a_short_memory() -> None:
    # With beta2 = 0.6 a denominator of the rectification, which is then not used, is zero.
    b2 = torch.tensor(0.6, dtype=torch.float64, requires_grad=True)
    tx = transform.scale_by_radam((0.9, b2))
    u, state = unroll(tx, [torch.tensor([1.0, -2.0], dtype=torch.float64)] * 3)
    (grad,) = torch.autograd.grad(u.sum() + state.nu[0].sum(), b2)
    assert grad.isfinite()


def test_initial_moments_that_require_grad_receive_exact_gradients() -> None:
    g = torch.tensor([0.5, -1.5], dtype=torch.float64)
    for make, names in (
        (transform.scale_by_adam, ("mu", "nu")),
        (transform.scale_by_amsgrad, ("mu", "nu", "nu_max")),
        (transform.scale_by_adamax, ("mu", "nu")),
        (transform.scale_by_radam, ("mu", "nu")),
        (transform.scale_by_adadelta, ("mu", "nu")),
        (transform.trace, ("trace",)),
    ):
        tx = make(moment_requires_grad=True)
        state = tx.init((g,))
        slots = [getattr(state, name)[0] for name in names]
        assert all(slot.requires_grad and slot.is_leaf for slot in slots)
        (u,), _ = tx.update((g,), state, inplace=False)
        grads = torch.autograd.grad(u.sum(), slots)
        assert all(d.isfinite().all() for d in grads)
        assert grads[0].abs().min() > 0


@pytest.mark.parametrize("make", [torchopt.sgd, torchopt.adamw], ids=["sgd", "adamw"])
def test_weight_decay_of_a_leaf_parameter_is_differentiated_with_constant_gradients(
    make: Callable[..., Any],
) -> None:
    p = torch.tensor([1.5, -0.5], dtype=torch.float64, requires_grad=True)
    tx = make(lr=0.5, weight_decay=0.2)
    (u,), _ = tx.update((torch.ones_like(p).detach(),), tx.init((p,)), params=(p,), inplace=False)
    (slope,) = torch.autograd.grad(u.sum(), p)
    torch.testing.assert_close(slope, torch.full_like(slope, -0.5 * 0.2), rtol=1e-14, atol=0)

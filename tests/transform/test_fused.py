"""Kernels in optimizers: the numbers and all derivatives of formulas written by hand, in one pass."""

from __future__ import annotations

import copy
import itertools
import math
import os
import sys
import threading
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch
from torch.fx.experimental.proxy_tensor import make_fx
from torch.utils.checkpoint import checkpoint

import torchopt
from _cases import covering
from _trees import (
    ALIASES,
    Case,
    assert_trees_close,
    assert_trees_equal,
    case_id,
    generator,
    leaves,
    random_like,
    random_params,
    random_tensor,
    with_options,
)
from _ulp import ieee
from _warm import Program
from torchopt import native, pytree, transform
from torchopt.ops import function
from torchopt.transform.chaining import is_absent, owner_of, rule_of

Tree = Any
DTYPES = [torch.float64, torch.float32]


@pytest.fixture
def kernel_calls(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The graphs that have been run as kernels, in order."""
    calls: list[Any] = []
    run = function._run

    def spy(how: Any, *rest: Any) -> Any:
        calls.append(how.graph)
        return run(how, *rest)

    monkeypatch.setattr(function, "_run", spy)
    return calls


def tensor(value: float, dtype: torch.dtype = torch.float64) -> torch.Tensor:
    return torch.tensor(value, dtype=dtype, requires_grad=True)


# --- formulas by hand: (p, gradients, hyperparameters) to the parameter after all steps --------------


def by_adam(p: Any, grads: Any, h: Any, *, decoupled: bool = False, amsgrad: bool = False) -> Any:
    m, v, largest = 0 * p, 0 * p, 0 * p
    for t, g in enumerate(grads, start=1):
        g = g if decoupled else g + h["weight_decay"] * p
        m = h["b1"] * m + (1 - h["b1"]) * g
        v = h["b2"] * v + (1 - h["b2"]) * g**2
        largest = torch.maximum(largest, v) if amsgrad else v
        step = (m / (1 - h["b1"] ** t)) / (torch.sqrt(largest / (1 - h["b2"] ** t)) + h["eps"])
        p = p - h["lr"] * (step + h["weight_decay"] * p if decoupled else step)
    return p


def by_sgd(p: Any, grads: Any, h: Any, *, nesterov: bool = False) -> Any:
    buffer = None
    for g in grads:
        g = g + h["weight_decay"] * p
        damped = g if nesterov else (1 - h["dampening"]) * g
        buffer = g if buffer is None else h["momentum"] * buffer + damped
        p = p - h["lr"] * (g + h["momentum"] * buffer if nesterov else buffer)
    return p


def by_rmsprop(p: Any, grads: Any, h: Any, *, centered: bool = False) -> Any:
    mean, square, buffer = 0 * p, 0 * p, 0 * p
    for g in grads:
        g = g + h["weight_decay"] * p
        mean = h["alpha"] * mean + (1 - h["alpha"]) * g
        square = h["alpha"] * square + (1 - h["alpha"]) * g**2
        radicand = square - mean**2 if centered else square
        buffer = h["momentum"] * buffer + g / (torch.sqrt(radicand) + h["eps"])
        p = p - h["lr"] * buffer
    return p


def by_adagrad(p: Any, grads: Any, h: Any) -> Any:
    total = 0 * p + 0.3
    for t, g in enumerate(grads):
        g = g + h["weight_decay"] * p
        total = total + g**2
        p = p - h["lr"] / (1 + t * h["lr_decay"]) * g / (torch.sqrt(total) + h["eps"])
    return p


def by_adadelta(p: Any, grads: Any, h: Any) -> Any:
    square, moved = 0 * p, 0 * p
    for g in grads:
        g = g + h["weight_decay"] * p
        square = h["rho"] * square + (1 - h["rho"]) * g**2
        step = torch.sqrt(moved + h["eps"]) / torch.sqrt(square + h["eps"]) * g
        moved = h["rho"] * moved + (1 - h["rho"]) * step**2
        p = p - h["lr"] * step
    return p


def by_adamax(p: Any, grads: Any, h: Any) -> Any:
    m, norm = 0 * p, 0 * p
    for t, g in enumerate(grads, start=1):
        g = g + h["weight_decay"] * p
        m = h["b1"] * m + (1 - h["b1"]) * g
        norm = torch.maximum(h["b2"] * norm, g.abs() + h["eps"])
        p = p - h["lr"] / (1 - h["b1"] ** t) * m / norm
    return p


def by_radam(p: Any, grads: Any, h: Any) -> Any:
    m, v = 0 * p, 0 * p
    for t, g in enumerate(grads, start=1):
        g = g + h["weight_decay"] * p
        m = h["b1"] * m + (1 - h["b1"]) * g
        v = h["b2"] * v + (1 - h["b2"]) * g**2
        longest = 2 / (1 - h["b2"]) - 1
        length = longest - 2 * t * h["b2"] ** t / (1 - h["b2"] ** t)
        step = m / (1 - h["b1"] ** t)
        if length > 5:
            ratio = ((length - 4) * (length - 2) * longest) / (
                (longest - 4) * (longest - 2) * length
            )
            corrected = torch.sqrt(1 - h["b2"] ** t) / (torch.sqrt(v) + h["eps"])
            step = step * torch.sqrt(ratio) * corrected
        p = p - h["lr"] * step
    return p


COMMON = {"lr": 0.3, "weight_decay": 0.2}
BETAS = {"b1": 0.8, "b2": 0.9, "eps": 0.05}


def _betas(make: Callable[..., Any], **options: Any) -> Callable[..., Any]:
    return lambda b1, b2, **rest: make(betas=(b1, b2), **rest, **options)


def _bind(make: Callable[..., Any], **options: Any) -> Callable[..., Any]:
    return lambda **rest: make(**rest, **options)


#: name: the optimizer, the formula by hand, hyperparameters, number of steps.
BY_HAND: dict[str, tuple[Callable[..., Any], Callable[..., Any], dict[str, float], int]] = {
    "adam": (_betas(torchopt.adam), by_adam, {**COMMON, **BETAS}, 3),
    "adamw": (
        _betas(torchopt.adamw),
        lambda p, g, h: by_adam(p, g, h, decoupled=True),
        {**COMMON, **BETAS},
        3,
    ),
    "amsgrad": (
        _betas(torchopt.adam, amsgrad=True),
        lambda p, g, h: by_adam(p, g, h, amsgrad=True),
        {**COMMON, **BETAS},
        3,
    ),
    "sgd": (torchopt.sgd, by_sgd, {**COMMON, "momentum": 0.8, "dampening": 0.3}, 3),
    "nesterov": (
        _bind(torchopt.sgd, nesterov=True),
        lambda p, g, h: by_sgd(p, g, h, nesterov=True),
        {**COMMON, "momentum": 0.8},
        3,
    ),
    "rmsprop": (
        torchopt.rmsprop,
        by_rmsprop,
        {**COMMON, "alpha": 0.8, "eps": 0.05, "momentum": 0.7},
        3,
    ),
    "rmsprop-centered": (
        _bind(torchopt.rmsprop, centered=True),
        lambda p, g, h: by_rmsprop(p, g, h, centered=True),
        {**COMMON, "alpha": 0.8, "eps": 0.05, "momentum": 0.7},
        3,
    ),
    "adagrad": (
        _bind(torchopt.adagrad, initial_accumulator_value=0.3),
        by_adagrad,
        {**COMMON, "lr_decay": 0.2, "eps": 0.05},
        3,
    ),
    "adadelta": (torchopt.adadelta, by_adadelta, {**COMMON, "rho": 0.8, "eps": 0.05}, 3),
    "adamax": (_betas(torchopt.adamax), by_adamax, {**COMMON, **BETAS}, 3),
    "radam-plain": (_betas(torchopt.radam), by_radam, {**COMMON, **BETAS}, 3),
    "radam-rectified": (_betas(torchopt.radam), by_radam, {**COMMON, **BETAS}, 8),
}


def unroll(tx: Any, params: Tree, steps: list[Tree]) -> Tree:
    """Return the parameters after all steps, out of place."""
    state = tx.init(params)
    for grads in steps:
        params, state = transform.advance(tx, grads, state, params)
    return params


def two_derivatives(
    value: torch.Tensor, inputs: list[torch.Tensor]
) -> tuple[list[torch.Tensor], list[torch.Tensor]]:
    """Return the gradient of a number, and the gradient of a generic function of that gradient."""
    first = torch.autograd.grad(value, inputs, create_graph=True, materialize_grads=True)
    terms = [(d * torch.cos(d.detach() + k)).sum() for k, d in enumerate(first) if d.requires_grad]
    if not terms:  # a linear function
        return [d.detach() for d in first], [torch.zeros_like(x) for x in inputs]
    second = torch.autograd.grad(sum(terms), inputs, materialize_grads=True)
    return [d.detach() for d in first], list(second)


@pytest.mark.parametrize("name", BY_HAND)
def test_steps_and_two_derivatives_equal_those_of_the_formula_by_hand(
    name: str, kernel_calls: list[Any]
) -> None:
    make, formula, hyper, count = BY_HAND[name]
    gen = generator(len(name))
    shapes = {"b": (), "w": (3, 7)}
    params = random_params(gen, shapes)
    steps = [random_like(gen, params) for _ in range(count)]

    def run(by_hand: bool) -> tuple[Any, list[torch.Tensor], list[torch.Tensor]]:
        h = {key: tensor(value) for key, value in hyper.items()}
        p = {key: value.clone().requires_grad_() for key, value in params.items()}
        grads = [{k: g.clone().requires_grad_() for k, g in step.items()} for step in steps]
        if by_hand:
            end = {k: formula(p[k], [step[k] for step in grads], h) for k in p}
        else:
            end = unroll(make(**h), p, grads)
        loss = sum((x * torch.sin(x.detach() + 1)).sum() for x in end.values())
        inputs = [*leaves(p), *leaves(grads), *h.values()]
        return (end, *two_derivatives(loss, inputs))

    end, first, second = run(by_hand=False)
    assert kernel_calls
    expected, expected_first, expected_second = run(by_hand=True)
    assert_trees_equal(end, expected, rtol=1e-12, atol=1e-13)
    for a, b in zip(first, expected_first, strict=True):
        torch.testing.assert_close(a, b, rtol=1e-11, atol=1e-11)
    for a, b in zip(second, expected_second, strict=True):
        torch.testing.assert_close(a, b, rtol=1e-9, atol=1e-9)


# --- one pass ----------------------------------------------------------------------------------------


def clipped_adamw(**options: Any) -> Any:
    lr = torchopt.schedule.linear_schedule(0.3, 0.1, 5)
    return torchopt.chain(
        torchopt.clip_grad_norm(0.7), torchopt.adamw(lr, weight_decay=0.2, **options)
    )


def stepped(tx: Any, dtype: torch.dtype, seed: int = 4) -> tuple[Tree, list[torch.Tensor]]:
    """Return the parameters after three steps, and all tensors that they depend on."""
    gen = generator(seed)
    start = random_params(gen, {"a": (4, 5), "b": (), "c": (7,)}, dtype)
    p = {k: x.clone().requires_grad_() for k, x in start.items()}
    steps = [
        {k: random_tensor(gen, tuple(x.shape), dtype).requires_grad_() for k, x in p.items()}
        for _ in range(3)
    ]
    return unroll(tx, p, steps), [*leaves(p), *leaves(steps)]


def train(tx: Any, dtype: torch.dtype, *, seed: int = 4) -> tuple[Any, Any]:
    """Return the parameters after three steps, and the derivatives of a number made of them."""
    end, inputs = stepped(tx, dtype, seed)
    loss = sum((x * torch.cos(x.detach())).sum() for x in end.values())
    return end, two_derivatives(loss, inputs)


def test_clipping_weight_decay_schedule_and_step_are_one_kernel_call(
    kernel_calls: list[Any],
) -> None:
    tx = clipped_adamw()
    gen = generator(1)
    params = random_params(gen)
    state = tx.init(params)
    transform.advance(tx, random_like(gen, params), state, params)
    assert len(kernel_calls) == 1
    tx.update(random_like(gen, params), state, params=params)
    assert len(kernel_calls) == 2
    grads = {k: random_like(gen, p).requires_grad_() for k, p in params.items()}
    moved, _ = transform.advance(tx, grads, state, params)
    kernel_calls.clear()
    torch.autograd.grad(sum(x.sum() for x in moved.values()), list(grads.values()))
    assert [graph.order for graph in kernel_calls] == ["vjps"]


FUSED = {
    "clip-adamw-schedule": clipped_adamw,
    "maximize": lambda **o: torchopt.adam(0.1, maximize=True, weight_decay=0.1, **o),
    "clip-maximize": lambda **o: torchopt.chain(
        torchopt.clip_grad_norm(0.5), torchopt.sgd(0.1, 0.9, maximize=True, **o)
    ),
    "scale-first": lambda **o: torchopt.chain(transform.scale(0.7), torchopt.adam(0.1, **o)),
    "clip-scale": lambda **o: torchopt.chain(
        torchopt.clip_grad_norm(0.5), transform.scale(0.7), torchopt.adam(0.1, **o)
    ),
    "clip-in-the-middle": lambda **o: torchopt.chain(
        transform.scale_by_rms(), torchopt.clip_grad_norm(0.5), torchopt.sgd(0.1, 0.9, **o)
    ),
    "clip-last": lambda **o: torchopt.chain(torchopt.adam(0.1, **o), torchopt.clip_grad_norm(0.05)),
    "hook-between": lambda **o: torchopt.chain(
        torchopt.adam(0.1, **o),
        torchopt.register_hook(lambda g: g * 2),
        torchopt.sgd(0.5, momentum=0.8, **o),
    ),
    "masked": lambda **o: torchopt.adamw(
        0.1, weight_decay=0.3, mask={"a": True, "b": False, "c": True}, **o
    ),
    "masked-optimizer": lambda **o: torchopt.chain(
        transform.masked(torchopt.adam(0.1, **o), {"a": False, "b": True, "c": True}),
        torchopt.sgd(0.5, momentum=0.8, **o),
    ),
    "tree-of-rates": lambda **o: torchopt.adam({"a": 0.1, "b": torch.tensor(0.2), "c": 0.3}, **o),
    "rate-of-each-element": lambda **o: torchopt.adam(
        {"a": torch.tensor([[0.1], [0.2], [0.3], [0.4]]), "b": 0.1, "c": 0.3}, **o
    ),
    "schedules-of-leaves": lambda **o: torchopt.sgd(
        {"a": torchopt.schedule.linear_schedule(0.3, 0.1, 5), "b": 0.1, "c": 0.3}, 0.9, **o
    ),
    "nan-to-num": lambda **o: torchopt.chain(transform.nan_to_num(), torchopt.rmsprop(0.1, **o)),
}

#: One of the rules next to one another cannot be recorded, or no kernel came for all together.
WITHOUT_KERNEL = {"clip-scale", "hook-between", "nan-to-num"}


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("name", FUSED)
def test_fused_chains_have_the_numbers_of_plain_operations(
    name: str, dtype: torch.dtype, kernel_calls: list[Any]
) -> None:
    end, found = train(FUSED[name](), dtype)
    assert kernel_calls or name in WITHOUT_KERNEL
    plain = with_options(FUSED[name](), fused=False)
    plain_end, expected = train(plain, dtype)
    assert_trees_close(end, plain_end)
    if dtype == torch.float64:
        with ieee():
            assert_trees_equal(stepped(FUSED[name](), dtype)[0], stepped(plain, dtype)[0])
    tolerance = 1e-9 if dtype == torch.float64 else 1e-3
    for order, (mine, theirs) in enumerate(zip(found, expected, strict=True)):
        scale = max(float(x.abs().max()) for x in theirs)
        for a, b in zip(mine, theirs, strict=True):
            torch.testing.assert_close(
                a, b, rtol=tolerance, atol=tolerance * scale, msg=lambda m, o=order: f"{o}: {m}"
            )


@pytest.mark.parametrize("case", ALIASES, ids=case_id)
def test_every_optimizer_has_the_bits_of_correctly_rounded_operations(case: Case) -> None:
    if case.options.get("mask"):
        options = {**case.options, "mask": {"a": True, "b": False, "c": True}}
    else:
        options = case.options

    def end(fused: bool | None) -> Tree:
        tx = case.make(**case.hyper, **options, use_accelerated_op=fused)
        return stepped(tx, torch.float64)[0]

    assert_trees_close(end(None), end(False))
    with ieee():
        assert_trees_equal(end(None), end(False))


def drop_options(case: Case) -> Callable[..., Any]:
    options = {k: v for k, v in case.options.items() if k != "mask"}
    return lambda **more: case.make(**{**case.hyper, **more}, **options)


def sees_leaves(case: Case) -> bool:
    """Whether a formula of an optimizer sees leaves with their shapes."""
    tx = case.build()
    rules = map(rule_of, getattr(tx, "transformations", (tx,)))
    return any(rule is not None and rule.leafwise for rule in rules)


def is_elementwise(case: Case) -> bool:
    parts = [part for part in drop_options(case)().transformations if not is_absent(part)]
    rules = [*map(rule_of, parts)]
    return all(rule and not rule.leafwise and not rule.prepare for rule in rules)


ELEMENTWISE = [case for case in ALIASES if is_elementwise(case)]


@pytest.mark.parametrize("case", ELEMENTWISE, ids=case_id)
def test_the_formula_of_every_elementwise_optimizer_is_recorded(case: Case) -> None:
    (segment,) = owner_of(drop_options(case)()).segments
    assert segment.graph(True) is not None


@pytest.mark.slow
@pytest.mark.parametrize("case", ELEMENTWISE, ids=case_id)
def test_a_kernel_that_is_compiled_for_an_optimizer_equals_plain_operations(
    case: Case, kernel_calls: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert native.is_live()  # with its own flags; what is compiled here is compiled soon
    monkeypatch.setenv("TORCHOPT_CXXFLAGS", "-O1")
    make = drop_options(case)
    end, found = train(make(use_accelerated_op=True), torch.float64)
    assert kernel_calls
    expected_end, expected = train(make(use_accelerated_op=False), torch.float64)
    assert_trees_close(end, expected_end)
    for mine, theirs in zip(found, expected, strict=True):
        for a, b in zip(mine, theirs, strict=True):
            torch.testing.assert_close(a, b, rtol=1e-9, atol=1e-9)


# --- leaves of all kinds -----------------------------------------------------------------------------


def assert_as_plain(params: Tree, grads: Tree, make: Any = None, *, exact: bool = False) -> Any:
    """Compare two steps, fused and plain; return the parameters.

    With ``exact=True``, bit for bit where roots are correctly rounded.
    """
    make = make or (lambda **o: torchopt.adamw(0.1, weight_decay=0.2, **o))

    def end(fused: bool | None) -> tuple[Tree, Any]:
        tx = make(use_accelerated_op=fused)
        moved, state = params, tx.init(params)
        for _ in range(2):
            moved, state = transform.advance(tx, grads, state, moved)
        return moved, state

    fused = end(None)
    assert_trees_close(fused, end(False))
    if exact:
        with ieee():
            assert_trees_equal(end(None), end(False))
    return fused[0]


def test_leaves_without_gradient_stay(kernel_calls: list[Any]) -> None:
    gen = generator(2)
    params = random_params(gen)
    grads = random_like(gen, params)
    grads["vector"] = grads["matrix"] = None
    end = assert_as_plain(params, grads, exact=True)
    assert kernel_calls
    assert end["vector"] is params["vector"]


def test_leaves_of_several_dtypes_are_updated_in_their_own(kernel_calls: list[Any]) -> None:
    gen = generator(2)
    dtypes = [torch.float32, torch.float64, torch.bfloat16, torch.float16, torch.float32]
    params = {f"{k}": random_tensor(gen, (k + 1, 3), dtype) for k, dtype in enumerate(dtypes)}
    end = assert_as_plain(params, random_like(gen, params))
    assert [end[f"{k}"].dtype for k in range(5)] == dtypes
    assert len(kernel_calls) == 4  # two steps, float32 and float64


def test_gradients_of_another_dtype_than_their_parameters_run_in_operations() -> None:
    gen = generator(2)
    params = random_params(gen, dtype=torch.float32)
    grads = {k: g.to(torch.bfloat16) for k, g in random_like(gen, params).items()}
    end = assert_as_plain(params, grads, exact=True)
    assert all(p.dtype == torch.float32 for p in end.values())


def test_leaves_on_several_devices_do_not_disturb_one_another() -> None:
    gen = generator(2)
    params = {**random_params(gen), "elsewhere": torch.empty(3, device="meta")}
    grads = {**random_like(gen, random_params(gen)), "elsewhere": torch.empty(3, device="meta")}
    tx = torchopt.adam(0.1)
    updates, _ = tx.update(grads, tx.init(params), params=params)
    assert updates["elsewhere"].device.type == "meta"
    alone = {k: p for k, p in params.items() if k != "elsewhere"}
    expected, _ = tx.update({k: grads[k] for k in alone}, tx.init(alone), params=alone)
    assert_trees_equal({k: updates[k] for k in alone}, expected)


class Tagged(torch.Tensor):
    """A subclass, which PyTorch's operations keep."""


def test_subclasses_of_tensors_are_kept() -> None:
    gen = generator(2)
    params = {"a": random_tensor(gen, (5,)).as_subclass(Tagged)}
    end = assert_as_plain(params, {"a": random_tensor(gen, (5,)).as_subclass(Tagged)}, exact=True)
    assert type(end["a"]) is Tagged


def test_parameters_as_modules_have_them_are_plain_tensors(kernel_calls: list[Any]) -> None:
    net = torch.nn.Linear(4, 3)
    params = dict(net.named_parameters())
    assert_as_plain(params, random_like(generator(1), params))
    assert kernel_calls


def test_memory_formats_of_all_kinds() -> None:
    gen = generator(2)

    def odd() -> Tree:
        return {
            "empty": random_tensor(gen, (0, 3)),
            "one": random_tensor(gen, (1,)),
            "odd": random_tensor(gen, (129,)),
            "scalar": random_tensor(gen, ()),
            "transposed": random_tensor(gen, (5, 7)).t(),
            "every-other": random_tensor(gen, (20,))[::2],
            "channels-last": random_tensor(gen, (2, 3, 4, 5)).to(memory_format=torch.channels_last),
            "offset": random_tensor(gen, (11,))[3:],
            "negated": torch._neg_view(random_tensor(gen, (6,))),
        }

    params = odd()
    grads = {**odd(), "odd": random_tensor(gen, ()).expand(129)}
    assert_as_plain(params, grads, exact=True)


def test_sums_give_expanded_gradients(kernel_calls: list[Any]) -> None:
    gen = generator(2)
    x = random_tensor(gen, (5, 4)).requires_grad_()
    (g,) = torch.autograd.grad(x.sum(), x)
    assert g.stride() == (0, 0)
    assert_as_plain((x.detach(),), (g,), exact=True)
    assert kernel_calls


def test_sparse_gradients_run_in_operations() -> None:
    places = torch.tensor([[0, 2]])
    values = torch.tensor([1.0, 2.0], dtype=torch.float64)
    g = torch.sparse_coo_tensor(places, values, (3,), check_invariants=True).coalesce()
    assert_as_plain(
        (torch.ones(3, dtype=torch.float64),), (g,), lambda **o: torchopt.adam(0.1, **o)
    )


def test_three_hundred_tensors(kernel_calls: list[Any]) -> None:
    gen = generator(2)
    params = [random_tensor(gen, (k % 7, k % 5 + 1), torch.float32) for k in range(300)]
    assert_as_plain(params, random_like(gen, params))
    assert len(kernel_calls) == 2


def test_results_can_be_changed_in_place() -> None:
    # Leaves share a buffer: a write into one must reach no other, nor break the graph.
    gen = generator(2)
    params = random_params(gen)
    grads = {k: g.requires_grad_() for k, g in random_like(gen, params).items()}
    tx = torchopt.adam(0.1)
    updates, _ = tx.update(grads, tx.init(params), inplace=False)
    kept = {k: u.detach().clone() for k, u in updates.items()}
    updates["vector"].add_(1.0)
    for k in ("matrix", "scalar", "single", "tensor"):
        assert torch.equal(updates[k], kept[k])
    torch.testing.assert_close(updates["vector"], kept["vector"] + 1)
    slopes = torch.autograd.grad(sum(u.sum() for u in updates.values()), list(grads.values()))
    assert all(d.isfinite().all() for d in slopes)


@pytest.mark.parametrize(
    ("case", "dtype"),
    [
        pytest.param(case, dtype, id=f"{case.name}-{dtype}")
        for case, dtype in zip(ALIASES, itertools.cycle(DTYPES))
    ],
)
def test_infinities_and_nan_reach_results_and_gradients_as_in_plain_operations(
    case: Case, dtype: torch.dtype
) -> None:
    tiny = torch.finfo(dtype).tiny
    odd = torch.tensor([1.0, float("nan"), float("inf"), -float("inf"), tiny / 8, 0.0], dtype=dtype)
    options = {k: v for k, v in case.options.items() if k != "mask"}
    found = []
    for fused in (None, False):
        tx = case.make(**case.hyper, **options, use_accelerated_op=fused)
        p = (random_tensor(generator(3), (6,), dtype).requires_grad_(),)
        steps = [(random_tensor(generator(k), (6,), dtype).requires_grad_(),) for k in range(2)]
        steps.append((odd.clone().requires_grad_(),))
        (end,) = unroll(tx, p, steps)
        inputs = [*p, *leaves(steps)]
        found.append([end, *torch.autograd.grad(end.sum(), inputs, materialize_grads=True)])
    for a, b in zip(*found, strict=True):
        assert torch.equal(a.isnan(), b.isnan()), (a, b)
        torch.testing.assert_close(a, b, equal_nan=True, rtol=1e-3, atol=1e-3)


def test_formulas_that_no_kernel_can_do_run_as_they_are_written() -> None:
    g = torch.tensor([3.0, -1.0, 2.0])
    formulas: list[Callable[[Any], Any]] = [
        lambda g: g - g[0],
        lambda g: g % 2,
        lambda g: g * torch.ones(3),
        lambda g: g * (g @ g),
        lambda g: torch.where((g > 0) & (g < 3), g, 0 * g),
        lambda g: torch.where(~(g > 0), g, 0 * g),
        lambda g: g * float(g[0]),
        lambda g: g / g.norm(),
        lambda g: g ** float("inf"),
        lambda g: torch.stack([2 * x for x in g]),
    ]
    for formula in formulas:
        tx = transform.elementwise(lambda g, formula=formula: (formula(g),))
        (u,), _ = tx.update((g,), tx.init((g,)))
        assert torch.equal(u, formula(g))


class Amplifier:
    """A formula with a value, and so without a hash."""

    def __init__(self, factor: float) -> None:
        self.factor = factor

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Amplifier) and other.factor == self.factor

    __hash__ = None  # type: ignore[assignment]

    def __call__(self, g: Any) -> tuple[Any]:
        return (self.factor * g,)


def test_formulas_without_a_hash_run_as_they_are_written() -> None:
    g = torch.tensor([3.0, -1.0])
    tx = transform.elementwise(Amplifier(2.0))
    assert torch.equal(tx.update((g,), tx.init((g,)))[0][0], 2 * g)


def sine(g: Any) -> tuple[Any]:
    return (torch.sin(g),)


def test_a_formula_without_kernel_warns_where_one_was_asked_for() -> None:
    tx = transform.elementwise(sine, fused=True)
    g = torch.tensor([3.0, -1.0])
    with pytest.warns(UserWarning, match="kernel"):
        (u,), _ = tx.update((g,), tx.init((g,)))
    assert torch.equal(u, torch.sin(g))


def test_kernels_of_other_chains_are_compiled_where_they_are_asked_for(
    kernel_calls: list[Any],
) -> None:
    def make(fused: bool) -> Any:
        return torchopt.chain(
            torchopt.clip_grad_norm(0.5),
            transform.scale(0.7),
            torchopt.adam(0.1, use_accelerated_op=fused),
        )

    end, found = train(make(True), torch.float64)
    assert kernel_calls
    expected_end, expected = train(make(False), torch.float64)
    assert_trees_close(end, expected_end)
    with ieee():
        assert_trees_equal(*(stepped(make(fused), torch.float64)[0] for fused in (True, False)))
    for a, b in zip([*found[0], *found[1]], [*expected[0], *expected[1]], strict=True):
        torch.testing.assert_close(a, b, rtol=1e-9, atol=1e-9)


# --- hyperparameters ---------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_gradients_of_hyperparameters_have_the_same_bits_for_any_number_of_threads(
    dtype: torch.dtype,
) -> None:
    gen = generator(5)
    params = {k: torch.randn(n, generator=gen, dtype=dtype) for k, n in (("a", 200_003), ("b", 9))}
    grads = {k: torch.randn(p.shape, generator=gen, dtype=dtype) for k, p in params.items()}
    hyper = {"lr": 0.1, "weight_decay": 0.3, "b1": 0.7, "b2": 0.9, "eps": 0.05}
    found, before = [], torch.get_num_threads()
    try:
        for threads in (1, 2):
            torch.set_num_threads(threads)
            h = {k: tensor(v) for k, v in hyper.items()}
            params_after = unroll(_betas(torchopt.adamw)(**h), params, [grads, grads])
            loss = sum((x * x.detach().cos()).sum() for x in params_after.values())
            first, second = two_derivatives(loss, list(h.values()))
            found.append([*first, *second])
    finally:
        torch.set_num_threads(before)
    assert all(map(torch.equal, *found))
    assert all(d != 0 for d in found[0])


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_hyperparameters_of_either_dtype_get_their_gradients(
    dtype: torch.dtype, kernel_calls: list[Any]
) -> None:
    def slopes(leaf: torch.dtype, fused: bool | None) -> list[torch.Tensor]:
        gen = generator(6)
        params = random_params(gen, dtype=leaf)
        names = {"lr": 0.3, "weight_decay": 0.2, **BETAS, "max_norm": 0.9}
        h = {k: tensor(v, dtype) for k, v in names.items()}
        clip = torchopt.clip_grad_norm(h["max_norm"])
        rest = {k: v for k, v in h.items() if k != "max_norm"}
        tx = torchopt.chain(clip, _betas(torchopt.adamw, use_accelerated_op=fused)(**rest))
        end = unroll(tx, params, [random_like(gen, params) for _ in range(2)])
        loss = sum((x * x).sum() for x in end.values())
        first, second = two_derivatives(loss, list(h.values()))
        assert all(d.dtype == dtype and d.dim() == 0 and d != 0 for d in [*first, *second])
        return [*first, *second]

    for leaf in DTYPES:
        found, expected = slopes(leaf, None), slopes(leaf, False)
        assert any(graph.order == "vjps_vjps" for graph in kernel_calls)
        exact = leaf == dtype == torch.float64
        for a, b in zip(found, expected, strict=True):
            torch.testing.assert_close(
                a.double(), b.double(), rtol=1e-9 if exact else 5e-3, atol=1e-9 if exact else 5e-3
            )


BATCHED: dict[str, Callable[[Any, Any, Any], Any]] = {
    "adamw": lambda lr, b1, c: torchopt.adamw(lr, (b1, 0.9), 0.1, c),
    "adam": lambda lr, b1, c: torchopt.adam(lr, (b1, 0.9), c),  # passes cotangents of p through
    "sgd": lambda lr, b1, c: torchopt.sgd(lr, momentum=b1, weight_decay=c),
    "clipped": lambda lr, b1, c: torchopt.chain(torchopt.clip_grad_norm(c), torchopt.sgd(lr, b1)),
}


@pytest.mark.parametrize("name", BATCHED)
def test_hyperparameters_are_batched(name: str) -> None:
    g = torch.tensor([1.0, -2.0, 3.0], dtype=torch.float64)

    def loss(*hyper: torch.Tensor) -> torch.Tensor:
        tx = BATCHED[name](*hyper)
        params: Any = (torch.ones(3, dtype=torch.float64),)
        state = tx.init(params)
        for k in range(2):
            params, state = transform.advance(tx, (g / (1 + k),), state, params)
        return (params[0] ** 3).sum()

    values = [torch.tensor(v, dtype=torch.float64) for v in ([0.1, 0.2], [0.7, 0.9], [0.3, 0.4])]
    for derive in (
        lambda f: f,
        lambda f: torch.func.grad(f, argnums=(0, 1, 2)),
        lambda f: torch.func.hessian(f, argnums=(0, 1, 2)),
    ):
        found = torch.utils._pytree.tree_leaves(torch.func.vmap(derive(loss))(*values))
        for k in range(2):
            one = torch.utils._pytree.tree_leaves(derive(loss)(*(v[k] for v in values)))
            for a, b in zip(found, one, strict=True):
                torch.testing.assert_close(a[k], b, rtol=1e-11, atol=1e-11)


def test_integer_tensors_as_hyperparameters() -> None:
    p, g = (torch.tensor([1.0, 2.0]),), (torch.tensor([3.0, -1.0]),)
    tx = torchopt.sgd(torch.tensor(2))
    update = tx.update(g, tx.init(p), inplace=False)[0][0]
    assert torch.equal(update, torch.tensor([-6.0, 2.0]))
    found = torch.func.vmap(lambda x: tx.update((x,), tx.init(p))[0][0])(torch.stack([*g, *g]))
    assert torch.equal(found[1], torch.tensor([-6.0, 2.0]))


def test_steps_of_sgd_are_differentiated_twice_and_mapped() -> None:
    tx, gen = torchopt.sgd(0.25), generator(3)
    shapes = [(2, 3), (), (2, 3), ()]
    inputs = [torch.randn(s, generator=gen, dtype=torch.float64).requires_grad_() for s in shapes]

    def advanced(*x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        p, g = [*x[:2]], [*x[2:]]
        return tuple(y**3 for y in transform.advance(tx, g, tx.init(p), p)[0])

    def updated(*x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        p, g = [*x[:2]], [*x[2:]]
        updates, _ = tx.update(g, tx.init(p), params=p, inplace=False)
        return tuple(y**3 for y in torchopt.apply_updates(p, updates, inplace=False))

    for step in (advanced, updated):
        for k, y in enumerate(step(*inputs)):
            torch.testing.assert_close(y, (inputs[k] - 0.25 * inputs[k + 2]) ** 3)
        assert torch.autograd.gradcheck(step, inputs, check_forward_ad=True)
        assert torch.autograd.gradgradcheck(step, inputs)
        mapped = torch.func.vmap(step)(*[torch.stack([x, -x]) for x in inputs])
        for y, expected in zip(mapped, step(*inputs), strict=True):
            torch.testing.assert_close(y, torch.stack([expected, -expected]))


def test_moments_are_read_leaf_by_leaf_with_gradients() -> None:
    params = {"weight": torch.ones(2, 3), "bias": torch.ones(5)}
    grads = {k: torch.full_like(p, 2.0).requires_grad_() for k, p in params.items()}
    tx = torchopt.adam(0.1, (0.75, 0.9))
    _, state = tx.update(grads, tx.init(params), inplace=False)
    (mu,) = (part.mu for part in state if isinstance(part, transform.ScaleByAdamState))
    assert torch.equal(mu[0], torch.full((5,), 0.5))
    leaves = [grads["bias"], grads["weight"]]
    reached, other = torch.autograd.grad(mu[0].sum(), leaves, allow_unused=True)
    assert torch.equal(reached, torch.full((5,), 0.25))
    assert other is None


# --- the rest of PyTorch -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "backend"),
    [
        (partial(torchopt.sgd, momentum=0.9), "eager"),
        pytest.param(torchopt.adamw, "eager", marks=pytest.mark.slow),
        pytest.param(torchopt.adamw, "aot_eager", marks=pytest.mark.slow),
    ],
    ids=["sgd-eager", "adamw-eager", "adamw-aot"],
)
@pytest.mark.compiled
def test_compiled_updates_have_eager_numbers_and_gradients(
    make: Callable[..., Any], backend: str
) -> None:
    gen = generator(10)
    params = random_params(gen, {"a": (3, 2), "b": (5,)})
    grads = {k: g.requires_grad_() for k, g in random_like(gen, params).items()}
    lr = tensor(0.1)

    def step(grads: Tree, params: Tree, lr: torch.Tensor) -> Tree:
        tx = make(lr, weight_decay=0.2)
        state = tx.init(params)
        _, state = tx.update(grads, state, params=params, inplace=False)
        return tx.update(grads, state, params=params, inplace=False)[0]

    torch._dynamo.reset()
    try:
        compiled = torch.compile(step, fullgraph=True, backend=backend)
        results = [f(grads, params, lr) for f in (step, compiled)]
    finally:
        torch._dynamo.reset()
    assert_trees_equal(results[1], results[0], rtol=1e-12)
    inputs = [*grads.values(), lr]
    slopes = [
        torch.autograd.grad(sum((u * u.detach().cos()).sum() for u in r.values()), inputs)
        for r in results
    ]
    for a, b in zip(*slopes, strict=True):
        torch.testing.assert_close(a, b, rtol=1e-10, atol=1e-12)


@pytest.mark.compiled
def test_an_update_is_compiled_with_its_state_as_an_argument() -> None:
    gen = generator(10)
    params = random_params(gen, {"a": (3, 2), "b": (5,)})
    tx = torchopt.adam(0.1)
    state = tx.init(params)
    grads = random_like(gen, params)

    def step(grads: Tree, state: Any) -> Any:
        return tx.update(grads, state, inplace=False)

    torch._dynamo.reset()
    try:
        updates, new = torch.compile(step, fullgraph=True, backend="aot_eager")(grads, state)
    finally:
        torch._dynamo.reset()
    expected, expected_state = step(grads, state)
    assert_trees_equal(updates, expected, rtol=1e-12)
    assert_trees_equal(step(grads, new)[0], step(grads, expected_state)[0], rtol=1e-12)


def chain_of_steps(grads: tuple[torch.Tensor, ...]) -> torch.Tensor:
    tx = clipped_adamw()
    params: Any = tuple(0.1 * g.detach() + 1 for g in grads)
    state = tx.init(params)
    for _ in range(2):
        params, state = transform.advance(tx, grads, state, params)
    return sum((p * p.sin()).sum() for p in params)


def drawn(seed: int = 11) -> tuple[torch.Tensor, ...]:
    gen = generator(seed)
    return tuple(random_tensor(gen, shape).requires_grad_() for shape in ((3, 4), (), (6,)))


def test_checkpoints_recompute_updates() -> None:
    grads = drawn()
    expected = two_derivatives(chain_of_steps(grads), list(grads))
    again = checkpoint(lambda *g: chain_of_steps(g), *grads, use_reentrant=False)
    first = torch.autograd.grad(again, grads)
    for a, b in zip(first, expected[0], strict=True):
        assert torch.equal(a, b)


def test_saved_tensors_pass_through_hooks() -> None:
    grads = drawn()
    expected = torch.autograd.grad(chain_of_steps(grads), grads)
    packed: list[torch.Tensor] = []

    def pack(x: torch.Tensor) -> tuple[torch.Tensor]:
        packed.append(x)
        return (x.clone(),)

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda x: x[0]):
        found = torch.autograd.grad(chain_of_steps(grads), grads)
    assert packed
    assert all(map(torch.equal, found, expected))


def test_writing_into_what_an_update_has_read_is_an_error() -> None:
    g = torch.tensor([1.0, 2.0], requires_grad=True)
    read = g * 1
    tx = torchopt.adam(0.1)
    (u,), _ = tx.update((read,), tx.init((g,)), inplace=False)
    with torch.no_grad():
        read.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        u.sum().backward()


def test_anomaly_mode_names_the_node_that_made_nan() -> None:
    g = torch.tensor([1.0, float("nan")], requires_grad=True)
    tx = torchopt.adam(0.1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that anomaly mode is slow, and where the node was made
        with torch.autograd.detect_anomaly():
            (u,), _ = tx.update((g,), tx.init((g,)), inplace=False)
            with pytest.raises(RuntimeError, match=r"FusedBackward.*nan"):
                u.sum().backward()


def test_hessians_and_third_derivatives_equal_those_of_plain_operations() -> None:
    def loss(fused: bool | None) -> Callable[[torch.Tensor], torch.Tensor]:
        def run(g: torch.Tensor) -> torch.Tensor:
            tx = torchopt.chain(
                torchopt.clip_grad_norm(0.7), torchopt.adam(0.3, use_accelerated_op=fused)
            )
            params, state = (g.detach(),), tx.init((g,))
            for _ in range(2):
                params, state = transform.advance(tx, (g,), state, params)
            return (params[0] ** 3).sum()

        return run

    x = random_tensor(generator(12), (4,))
    for derive in (
        lambda f: torch.autograd.functional.hessian(f, x),
        lambda f: torch.func.hessian(f)(x),
        lambda f: torch.func.jacrev(torch.func.jacrev(torch.func.grad(f)))(x),
        lambda f: torch.func.jacfwd(torch.func.jacrev(f))(x),
        lambda f: torch.func.jacrev(torch.func.jacfwd(f))(x),
        lambda f: torch.func.jacfwd(torch.func.jacfwd(f))(x),
    ):
        torch.testing.assert_close(derive(loss(None)), derive(loss(False)), rtol=1e-8, atol=1e-9)


def test_gradients_in_batches_equal_those_one_by_one() -> None:
    gen = generator(12)
    g = [random_tensor(gen, (4,)).requires_grad_(), random_tensor(gen, (2, 3)).requires_grad_()]
    bound = tensor(0.7)
    for tx in (
        torchopt.adam(0.3),
        torchopt.chain(torchopt.clip_grad_norm(bound), torchopt.adam(0.3)),
    ):
        updates, _ = tx.update(g, tx.init(g), inplace=False)
        directions = torch.eye(4, dtype=torch.float64)
        y = updates[0] ** 3 * updates[1].sum()
        batched = torch.autograd.grad(y, g, directions, is_grads_batched=True, retain_graph=True)
        for k, direction in enumerate(directions):
            one = torch.autograd.grad(y, g, direction, retain_graph=True)
            for a, b in zip(batched, one, strict=True):
                torch.testing.assert_close(a[k], b, rtol=1e-12, atol=1e-13)


def test_autograd_goes_through_vmap_of_updates() -> None:
    tx = torchopt.adamw(0.1, weight_decay=0.2)
    x = random_tensor(generator(13), (3, 5)).requires_grad_()
    params = (torch.ones(5, dtype=torch.float64),)
    state = tx.init(params)

    def step(g: torch.Tensor) -> torch.Tensor:
        return tx.update((g,), state, params=params, inplace=False)[0][0]

    found = torch.func.vmap(step)(x)
    expected = torch.stack([step(row) for row in x])
    torch.testing.assert_close(found, expected, rtol=1e-12, atol=0)
    for y in (found, expected):
        assert y.requires_grad
    a, b = (torch.autograd.grad((y * y).sum(), x)[0] for y in (found, expected))
    torch.testing.assert_close(a, b, rtol=1e-11, atol=1e-12)


# --- faults, threads, memory -------------------------------------------------------------------------


def test_an_exception_leaves_parameters_and_state_as_they_were() -> None:
    gen = generator(14)
    params = random_params(gen)
    tx = clipped_adamw()
    _, state = tx.update(random_like(gen, params), tx.init(params), params=params)
    kept = (
        {k: p.clone() for k, p in params.items()},
        [x.clone() for x in leaves(state)],
    )
    grads = random_like(gen, params)
    wrong: list[tuple[Tree, type[Exception], str]] = [
        ({**grads, "vector": torch.ones(4, dtype=torch.float64)}, ValueError, "vector"),
        ({**grads, "vector": torch.ones(5, dtype=torch.int64)}, TypeError, "vector"),
        ({k: g for k, g in grads.items() if k != "vector"}, ValueError, "vector"),
    ]
    for broken, error, name in wrong:
        with pytest.raises(error, match=name):
            tx.update(broken, state, params=params)
        with pytest.raises(error, match=name):
            transform.advance(tx, broken, state, params)
        assert_trees_equal((params, leaves(state)), kept)


def test_many_threads_step_different_optimizers() -> None:
    makes = [drop_options(case) for case in ALIASES[::3]]
    expected = [train(make(), torch.float64, seed=k) for k, make in enumerate(makes)]
    found: list[Any] = [None] * len(makes)
    start = threading.Barrier(len(makes))

    def work(k: int) -> None:
        start.wait()
        for _ in range(2):
            found[k] = train(makes[k](), torch.float64, seed=k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(len(makes))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for mine, theirs in zip(found, expected, strict=True):
        assert_trees_equal(mine[0], theirs[0])
        assert_trees_equal(mine[1], theirs[1])


def resident_pages() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1])


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs Linux's /proc")
def test_resident_memory_stays_over_many_steps_and_gradients() -> None:
    tx = clipped_adamw()
    start = random_params(generator(15), {"a": (64, 64), "b": (7,)}, torch.float32)

    def step(count: int) -> None:
        for _ in range(count):
            params = {k: p.clone().requires_grad_() for k, p in start.items()}
            state = tx.init(params)
            grads = {k: p * p for k, p in params.items()}
            moved, state = transform.advance(tx, grads, state, params)
            moved, state = transform.advance(tx, moved, state, moved)
            sum(p.sum() for p in moved.values()).backward()

    step(100)
    before = resident_pages()
    step(300)  # two updates each
    # A leak of one leaf a step would be 1,200 pages.
    assert resident_pages() - before < 500


# --- what is live ------------------------------------------------------------------------------------

LIVE = sys.platform == "linux"


@pytest.mark.skipif(not LIVE, reason="other systems need no compiler")
def test_kernels_are_live_on_this_machine(kernel_calls: list[Any]) -> None:
    assert torchopt.accelerated_op_available("cpu")
    tx = torchopt.adam(0.1)
    p = (torch.ones(3),)
    tx.update((torch.ones(3),), tx.init(p))
    assert len(kernel_calls) == 1
    torchopt.adam(0.1, use_accelerated_op=False).update((torch.ones(3),), tx.init(p))
    assert len(kernel_calls) == 1


OFF = """
import warnings
import torch, torchopt
from torchopt.transform import advance

assert not torchopt.accelerated_op_available("cpu")
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    optimizers = [make(0.1, use_accelerated_op=True) for make in (torchopt.adam, torchopt.sgd)]
    optimizers.append(torchopt.adamw(0.1))
    for tx in optimizers:
        g = torch.tensor([1.0, -2.0], dtype=torch.float64, requires_grad=True)
        params, state = (torch.ones_like(g),), tx.init((g,))
        for _ in range(2):
            params, state = advance(tx, (g,), state, params)
        (first,) = torch.autograd.grad((params[0] ** 2).sum(), g, create_graph=True)
        if first.requires_grad:
            first.sum().backward()
messages = [str(w.message) for w in caught if "use_accelerated_op" in str(w.message)]
assert len(messages) == 1, messages
assert "TORCHOPT_NATIVE=off" in messages[0]
"""


@pytest.mark.processes
def test_everything_works_without_kernels() -> None:
    status, _, err = Program(["-c", OFF], {**os.environ, "TORCHOPT_NATIVE": "off"}).end()
    assert status == 0, err


def test_a_transformation_in_many_chains_has_the_formula_of_each() -> None:
    # The tails are collected in between, and the memory of one is that of the next.
    first = transform.scale_by_adam()
    g = torch.tensor([0.5, -2.0], dtype=torch.float64)
    for step in range(40):
        rate = 0.1 * (step + 1)
        tails = [transform.scale(-rate), transform.trace(rate), transform.scale_by_rms(0.5)]
        tx = torchopt.chain(first, tails[step % 3])
        plain = torchopt.chain(
            with_options(first, fused=False),
            with_options(tails[step % 3], fused=False),
        )
        del tails
        found, _ = tx.update((g,), tx.init((g,)))
        expected, _ = plain.update((g,), plain.init((g,)))
        torch.testing.assert_close(found, expected, rtol=1e-13, atol=0)
        del tx, plain


def _cubed(g: Any) -> tuple[Any]:
    return (g * g * g,)


def test_schedules_are_asked_once_a_step_where_a_chain_is_cut(kernel_calls: list[Any]) -> None:
    asked: list[float] = []

    def schedule(count: torch.Tensor) -> float:
        asked.append(float(count))
        return 0.1

    tx = torchopt.chain(transform.elementwise(_cubed), torchopt.adam(schedule))
    g = torch.tensor([0.5, -2.0], dtype=torch.float64)
    state = tx.init((g,))
    for _ in range(3):
        (found,), state = tx.update((g,), state)
    assert asked == [0.0, 1.0, 2.0]
    assert len(kernel_calls) == 3  # of Adam; no kernel came for the cube
    torch.testing.assert_close(found, -0.1 * g.sign(), rtol=1e-6, atol=0)


# --- graphs ------------------------------------------------------------------------------------------


def _momentum(**options: Any) -> Any:
    return torchopt.sgd(0.1, momentum=0.9, **options)


def _adam(**options: Any) -> Any:
    return torchopt.adam(0.1, **options)


@pytest.mark.parametrize(
    ("modes", "make"),
    covering(["".join(modes) for modes in itertools.product("fr", repeat=3)], [_adam, _momentum]),
)
def test_nested_modes_of_differentiation_equal_those_of_plain_operations(
    make: Callable[..., Any], modes: str
) -> None:
    def loss(fused: bool | None) -> Callable[[torch.Tensor], torch.Tensor]:
        def run(g: torch.Tensor) -> torch.Tensor:
            tx = make(use_accelerated_op=fused)
            params, state = (0.5 * g.detach(),), tx.init((g,))
            for _ in range(2):
                params, state = transform.advance(tx, (g * params[0],), state, params)
            return (params[0] ** 3).sum()

        return run

    x = random_tensor(generator(3), (2,))
    fused, plain = loss(None), loss(False)
    for mode in modes:
        jacobian = torch.func.jacfwd if mode == "f" else torch.func.jacrev
        fused, plain = jacobian(fused), jacobian(plain)
    torch.testing.assert_close(fused(x), plain(x), rtol=1e-8, atol=1e-9)


def test_states_grow_no_graph_where_nothing_flows() -> None:
    lr = torch.tensor(0.1, requires_grad=True)
    for tx in (
        torchopt.adamw(0.1),
        torchopt.adam(lr),
        torchopt.sgd(lr, momentum=0.9),
    ):
        p, g = [torch.tensor([1.0, -2.0], requires_grad=True)], [torch.tensor([0.5, 3.0])]
        updates, state = tx.update(g, tx.init(p), params=p, inplace=False)
        assert updates[0].requires_grad
        slots = [x for x in pytree.flatten(state)[0] if x is not None and x.dim() > 0]
        assert slots
        assert not any(x.requires_grad for x in slots)


def test_frozen_leaves_stay_frozen_beside_others() -> None:
    p = [torch.tensor([1.0, 2.0], requires_grad=True), torch.tensor([3.0])]
    g = [torch.tensor([0.5, 1.5]), torch.tensor([2.5])]
    tx = torchopt.adam(0.1)
    moved, _ = transform.advance(tx, g, tx.init(p), p)
    assert [x.requires_grad for x in moved] == [True, False]


def test_parameters_that_nothing_flows_back_to_have_no_gradient() -> None:
    p = [torch.tensor([1.0, 2.0], requires_grad=True), torch.tensor([3.0], requires_grad=True)]
    tx = torchopt.sgd(0.1)
    moved, _ = transform.advance(tx, [2 * x for x in p], tx.init(p), p)
    moved[0].sum().backward()
    torch.testing.assert_close(p[0].grad, torch.tensor([0.8, 0.8]))
    assert p[1].grad is None


def test_memory_format_of_parameters_is_kept() -> None:
    net = torch.nn.Conv2d(3, 4, 3).to(memory_format=torch.channels_last)
    plain = copy.deepcopy(net)
    x = random_tensor(generator(5), (2, 3, 6, 6)).float()
    for each, fused in ((net, None), (plain, False)):
        start = list(each.parameters())
        optimizer = torchopt.MetaAdam(each, lr=0.1, use_accelerated_op=fused)
        optimizer.step(each(x.contiguous(memory_format=torch.channels_last)).square().mean())
        assert each.weight.is_contiguous(memory_format=torch.channels_last)
        each.weight.square().sum().backward()
        assert start[0].grad is not None
    torch.testing.assert_close(net.weight, plain.weight)


@pytest.mark.parametrize("shape", [(3,), (1,), (), (2, 3), (0, 2)], ids=str)
@pytest.mark.parametrize("which", range(1, 8))
def test_tensors_without_memory_are_zeros(shape: tuple[int, ...], which: int) -> None:
    """Autograd's zeros, in the place of the gradient, of a moment, or of several, in each column."""
    tx = torchopt.adam(0.1, weight_decay=0.5)
    (p,) = params = (torch.linspace(1.0, 2.0, math.prod(shape)).reshape(shape),)
    state = tx.init(params)
    (at,) = (k for k, part in enumerate(state) if isinstance(part, transform.ScaleByAdamState))

    def step(zero: torch.Tensor) -> Any:
        g, mu, nu = (zero if which >> k & 1 else p / 2 for k in range(3))
        moments = state[at]._replace(mu=[mu], nu=[nu])
        return transform.advance(tx, (g,), (*state[:at], moments, *state[at + 1 :]), params)

    assert_trees_equal(step(torch._efficientzerotensor(shape)), step(torch.zeros(shape)))


def test_steps_are_traced_by_proxies() -> None:
    p = torch.tensor([1.0, -2.0], dtype=torch.float64)
    tx = torchopt.sgd(0.1)
    state = tx.init((p,))

    def step(g: torch.Tensor) -> torch.Tensor:
        return transform.advance(tx, (g,), state, (p,))[0][0]

    traced = make_fx(step)(torch.ones_like(p))
    g = torch.tensor([0.3, 5.0], dtype=torch.float64)
    torch.testing.assert_close(traced(g), step(g))

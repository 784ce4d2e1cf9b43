"""Kernels in optimizers: the numbers and all derivatives of formulas written by hand, in one pass."""

from __future__ import annotations

import copy
import itertools
import math
import os
import re
import threading
import warnings
from collections.abc import Callable
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
    with_tuples,
)
from _ulp import ieee
from _warm import Program
from torchopt import native, pytree, transform
from torchopt.ops import derivatives, function
from torchopt.ops._backend import functor_of
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


# --- one pass ----------------------------------------------------------------------------------------


def clipped_adamw(**options: Any) -> Any:
    lr = torchopt.schedule.linear_schedule(0.3, 0.1, 5)
    return torchopt.chain(
        torchopt.transform.clip_grad_norm(0.7), torchopt.adamw(lr, weight_decay=0.2, **options)
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
        torchopt.transform.clip_grad_norm(0.5), torchopt.sgd(0.1, 0.9, maximize=True, **o)
    ),
    "scale-first": lambda **o: torchopt.chain(transform.scale(0.7), torchopt.adam(0.1, **o)),
    "clip-scale": lambda **o: torchopt.chain(
        torchopt.transform.clip_grad_norm(0.5), transform.scale(0.7), torchopt.adam(0.1, **o)
    ),
    "clip-in-the-middle": lambda **o: torchopt.chain(
        transform.scale_by_rms(),
        torchopt.transform.clip_grad_norm(0.5),
        torchopt.sgd(0.1, 0.9, **o),
    ),
    "clip-last": lambda **o: torchopt.chain(
        torchopt.adam(0.1, **o), torchopt.transform.clip_grad_norm(0.05)
    ),
    "hook-between": lambda **o: torchopt.chain(
        torchopt.adam(0.1, **o),
        torchopt.transform.register_hook(lambda g: g * 2),
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


def is_elementwise(case: Case) -> bool:
    parts = [part for part in drop_options(case)().transformations if not is_absent(part)]
    rules = [*map(rule_of, parts)]
    return all(rule and not rule.leafwise and not rule.prepare for rule in rules)


ELEMENTWISE = [case for case in ALIASES if is_elementwise(case)]


@pytest.mark.parametrize("case", ELEMENTWISE, ids=case_id)
def test_the_formula_of_every_elementwise_optimizer_is_recorded(case: Case) -> None:
    (segment,) = owner_of(drop_options(case)()).segments
    assert segment.graph(True) is not None


#: Each is compiled for seconds, of the functions and numbers of tensors that others have.
ALIKE = {
    *("adabelief", "adamaxw", "ademamix", "asgd", "lion", "nadam", "nadamw", "rprop", "yogi"),
    *("optimistic_adam", "optimistic_gradient_descent"),
}
COMPILED = [case for case in ELEMENTWISE if case.name.split("-")[0] not in ALIKE]


def parts_of_kernels(cases: list[Case]) -> set[Any]:
    """Return how many tensors and results kernels have, and the functions that they call."""
    parts = set[Any]()
    for case in cases:
        (segment,) = owner_of(drop_options(case)()).segments
        graph = segment.graph(True)
        parts |= {(len(graph.tensors), len(graph.outputs))}
        for each in derivatives(graph):
            parts |= {*re.findall(r"\w+(?=\()", functor_of(each).text)}
    return parts


def test_kernels_of_all_have_no_part_that_those_compiled_have_not() -> None:
    assert parts_of_kernels(COMPILED) == parts_of_kernels(ELEMENTWISE)


@pytest.mark.slow
@pytest.mark.parametrize("case", COMPILED, ids=case_id)
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
    with ieee():
        both = [
            stepped(make(use_accelerated_op=fused), torch.float64)[0] for fused in (True, False)
        ]
    assert_trees_equal(*both)
    for mine, theirs in zip(found, expected, strict=True):
        for a, b in zip(mine, theirs, strict=True):
            torch.testing.assert_close(a, b, rtol=1e-9, atol=1e-9)
    assert_same_infinities(case, torch.float64, True)


# --- leaves of all kinds -----------------------------------------------------------------------------


class Tagged(torch.Tensor):
    """A subclass, which PyTorch's operations keep."""


def odd(seed: int) -> Tree:
    gen = generator(seed)
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


def drawn_as(dtypes: list[torch.dtype], seed: int) -> Tree:
    return [random_tensor(generator(seed), (k + 1, 3), dtype) for k, dtype in enumerate(dtypes)]


_KINDS = [torch.float32, torch.float64, torch.bfloat16, torch.float16, torch.float32]
#: Parameters, gradients, and how many kernels run in two steps.
LEAVES: dict[str, tuple[Tree, Tree, int]] = {
    "no gradient": (drawn_as(DTYPES, 1), [None, *drawn_as(DTYPES, 2)[1:]], 2),
    "several dtypes": (drawn_as(_KINDS, 1), drawn_as(_KINDS, 2), 4),
    "gradients of another dtype": (drawn_as(DTYPES, 1), drawn_as(DTYPES[::-1], 2), 0),
    "of a module": ([*torch.nn.Linear(4, 3).parameters()], [torch.ones(3, 4), torch.ones(3)], 2),
    "memory formats": (odd(1), {**odd(2), "odd": random_tensor(generator(3), ()).expand(129)}, 2),
    "subclasses": (*([random_tensor(generator(k), (5,)).as_subclass(Tagged)] for k in (1, 2)), 0),
    "three hundred": (drawn_as(300 * DTYPES[:1], 1), drawn_as(300 * DTYPES[:1], 2), 2),
}


@pytest.mark.parametrize("kind", LEAVES)
def test_leaves_of_any_kind_are_moved_as_by_plain_operations(
    kind: str, kernel_calls: list[Any]
) -> None:
    start, grads, count = LEAVES[kind]

    def end(fused: bool | None) -> tuple[Tree, Any]:
        tx = torchopt.adamw(0.1, weight_decay=0.2, use_accelerated_op=fused)
        moved, state = start, tx.init(start)
        for _ in range(2):
            moved, state = transform.advance(tx, grads, state, moved)
        return moved, state

    moved, _ = found = end(None)
    assert len(kernel_calls) == count
    assert_trees_close(found, end(False))
    assert [type(x) for x in leaves(moved)] == [
        torch.Tensor if type(p) is torch.nn.Parameter else type(p) for p in leaves(start)
    ]
    assert kind != "no gradient" or moved[0] is start[0]


def test_sparse_gradients_run_in_operations() -> None:
    g = torch.sparse_coo_tensor([[0, 2]], [1.0, 2.0], (3,), check_invariants=True).coalesce()
    ends = []
    for fused in (None, False):
        tx, params = torchopt.adam(0.1, use_accelerated_op=fused), (torch.ones(3),)
        ends.append(transform.advance(tx, (g,), tx.init(params), params)[0])
    assert_trees_close(*ends)


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
    assert_same_infinities(case, dtype, None)


def assert_same_infinities(case: Case, dtype: torch.dtype, kernels: bool | None) -> None:
    tiny = torch.finfo(dtype).tiny
    odd = torch.tensor([1.0, float("nan"), float("inf"), -float("inf"), tiny / 8, 0.0], dtype=dtype)
    options = {k: v for k, v in case.options.items() if k != "mask"}
    found = []
    for fused in (kernels, False):
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
            params_after = unroll(with_tuples(torchopt.adamw, **h), params, [grads, grads])
            loss = sum((x * x.detach().cos()).sum() for x in params_after.values())
            first, second = two_derivatives(loss, list(h.values()))
            found.append([*first, *second])
    finally:
        torch.set_num_threads(before)
    assert all(map(torch.equal, *found))
    assert all(d != 0 for d in found[0])


def test_integer_tensors_as_hyperparameters() -> None:
    p, g = (torch.tensor([1.0, 2.0]),), (torch.tensor([3.0, -1.0]),)
    tx = torchopt.sgd(torch.tensor(2))
    update = tx.update(g, tx.init(p), inplace=False)[0][0]
    assert torch.equal(update, torch.tensor([-6.0, 2.0]))
    found = torch.func.vmap(lambda x: tx.update((x,), tx.init(p))[0][0])(torch.stack([*g, *g]))
    assert torch.equal(found[1], torch.tensor([-6.0, 2.0]))


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


def test_gradients_in_batches_equal_those_one_by_one() -> None:
    gen = generator(12)
    g = [random_tensor(gen, (4,)).requires_grad_(), random_tensor(gen, (2, 3)).requires_grad_()]
    bound = tensor(0.7)
    for tx in (
        torchopt.adam(0.3),
        torchopt.chain(torchopt.transform.clip_grad_norm(bound), torchopt.adam(0.3)),
    ):
        updates, _ = tx.update(g, tx.init(g), inplace=False)
        directions = torch.eye(4, dtype=torch.float64)
        y = updates[0] ** 3 * updates[1].sum()
        batched = torch.autograd.grad(y, g, directions, is_grads_batched=True, retain_graph=True)
        for k, direction in enumerate(directions):
            one = torch.autograd.grad(y, g, direction, retain_graph=True)
            for a, b in zip(batched, one, strict=True):
                torch.testing.assert_close(a[k], b, rtol=1e-12, atol=1e-13)


# --- faults, threads, memory -------------------------------------------------------------------------


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


OFF = """
import warnings
import torch, torchopt
from torchopt.transform import advance

assert not torchopt.experimental.status().live
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
        slots = [x for x in pytree.flattening.flatten(state)[0] if x is not None and x.dim() > 0]
        assert slots
        assert not any(x.requires_grad for x in slots)


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

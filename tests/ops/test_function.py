"""The call of a graph is differentiable, to any order, by every route of PyTorch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from _kernel_cases import run_call

import torchopt
from _trees import generator, random_tensor
from torchopt.ops import ABSENT, LIST, Graph, derivatives, signature, trace
from torchopt.ops import call as call_graph
from torchopt.transform.chaining import owner_of

SHAPES = [(3,), (), (2, 2)]


def adam_graph() -> Graph:
    graph = owner_of(torchopt.adam(0.1, weight_decay=0.1)).segments[0].graph(True)
    assert graph is not None
    return graph


def undecayed_graph() -> Graph:
    """Adam without weight decay: new parameters are the old ones and an update without them."""
    graph = owner_of(torchopt.adam(0.1)).segments[0].graph(True)
    assert graph is not None
    return graph


def arguments(
    graph: Graph, seed: int = 0, dtype: torch.dtype = torch.float64
) -> tuple[list[torch.Tensor], list[torch.Tensor]]:
    """Return leaves of all tensors, one after the other, and scalars."""
    gen = generator(seed)
    tensors = [random_tensor(gen, shape, dtype) for _ in graph.tensors for shape in SHAPES]
    second = [i for i, name in enumerate(graph.tensors) if name == "s1"]
    for i in second:
        for k in range(i * len(SHAPES), (i + 1) * len(SHAPES)):
            tensors[k] = tensors[k].abs() + 0.5
    scalars = [
        0.3 + 0.4 * torch.rand((), generator=gen, dtype=torch.float64) for _ in graph.scalars
    ]
    return tensors, scalars


def columns(tensors: Any) -> list[Any]:
    return [tensors[i : i + len(SHAPES)] for i in range(0, len(tensors), len(SHAPES))]


def as_function(graph: Graph, *, scalars: bool = True) -> tuple[Callable[..., Any], list[Any]]:
    """Return the call as a function of tensors, and arguments that require grad."""
    tensors, knobs = arguments(graph)
    count = len(tensors)
    moving = range(len(knobs)) if scalars else ()

    def function(*inputs: torch.Tensor) -> tuple[torch.Tensor, ...]:
        values: list[Any] = [float(h) for h in knobs]
        for k, h in zip(moving, inputs[count:], strict=True):
            values[k] = h
        return tuple(run_call(graph, columns(inputs[:count]), values))

    inputs = [*tensors, *(knobs[k] for k in moving)]
    return function, [x.clone().requires_grad_() for x in inputs]


def plain(function: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Return a function as it is where there are no kernels."""

    def run(*inputs: torch.Tensor) -> Any:
        with monkeypatch.context() as patch:
            patch.setattr("torchopt.ops.function.kernel_of", lambda graph, like: None)
            return function(*inputs)

    return run


def number(function: Callable[..., Any]) -> Callable[..., torch.Tensor]:
    return lambda *inputs: sum((y * y * torch.cos(y)).sum() for y in function(*inputs))


def pushed(f: Callable[..., Any], inputs: Any) -> Any:
    return torch.func.jvp(f, inputs, tuple(torch.cos(x) for x in inputs))[1]


TRANSFORMED: dict[str, Callable[[Callable[..., Any], Any], Any]] = {
    "grad": lambda f, x: torch.func.grad(number(f))(*x),
    "grad(grad)": lambda f, x: torch.func.grad(
        lambda *a: torch.func.grad(number(f))(*a).cos().sum()
    )(*x),
    "grad(grad(grad))": lambda f, x: torch.func.grad(
        lambda *a: (
            torch.func.grad(lambda *b: torch.func.grad(number(f))(*b).cos().sum())(*a).sin().sum()
        )
    )(*x),
    "jvp": pushed,
    "jvp(grad)": lambda f, x: pushed(lambda *a: torch.func.grad(number(f))(*a), x),
    "grad(jvp)": lambda f, x: torch.func.grad(lambda *a: sum((t * t).sum() for t in pushed(f, a)))(
        *x
    ),
    "jvp(jvp)": lambda f, x: pushed(lambda *a: pushed(f, a), x),
    "jacrev": lambda f, x: torch.func.jacrev(f)(*x),
    "jacfwd": lambda f, x: torch.func.jacfwd(f)(*x),
    "jacrev of scalars": lambda f, x: torch.func.jacrev(f, argnums=len(x) - 1)(*x),
    "jacfwd of scalars": lambda f, x: torch.func.jacfwd(f, argnums=len(x) - 1)(*x),
    "hessian": lambda f, x: torch.func.hessian(number(f))(*x),
    "vjp": lambda f, x: torch.func.vjp(f, *x)[1](tuple(torch.sin(y) for y in f(*x))),
}


@pytest.mark.parametrize("name", TRANSFORMED)
def test_transforms_of_torch_func_equal_those_of_plain_operations(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    function, inputs = as_function(adam_graph())
    point = tuple(x.detach() for x in inputs)
    found = TRANSFORMED[name](function, point)
    expected = TRANSFORMED[name](plain(function, monkeypatch), point)
    torch.testing.assert_close(found, expected, rtol=1e-10, atol=1e-10)


VMAPS: dict[str, tuple[Callable[[Callable[..., Any]], Callable[..., Any]], bool]] = {
    "vmap": (lambda f: f, False),
    "vmap with scalars": (lambda f: f, True),
    "vmap(grad)": (lambda f: torch.func.grad(number(f)), False),
    "vmap(grad) with scalars": (lambda f: torch.func.grad(number(f)), True),
    "vmap(jvp)": (lambda f: lambda *x: pushed(f, x), False),
    "vmap(jacrev)": (torch.func.jacrev, False),
    "vmap(hessian)": (lambda f: torch.func.hessian(number(f)), True),
}


@pytest.mark.parametrize("name", VMAPS)
def test_vmap_equals_a_loop(name: str) -> None:
    derive, batch_scalars = VMAPS[name]
    function, inputs = as_function(adam_graph())
    count = len(SHAPES) * len(adam_graph().tensors)
    gen = generator(5)
    batch, dims = [], []
    for k, x in enumerate(inputs):
        batched = k < count or batch_scalars
        factor = 0.9 + 0.1 * torch.rand(4, generator=gen, dtype=torch.float64)
        rows = torch.stack([x.detach() * f for f in factor])
        # Batches along any dimension, and arguments without one.
        dim = None if not batched or k == 1 else x.dim() if k % 2 else 0
        batch.append(x.detach() if dim is None else rows.movedim(0, dim))
        dims.append(dim)
    derived = derive(function)
    found = torch.func.vmap(derived, in_dims=tuple(dims))(*batch)
    for row in range(4):
        one = [x if d is None else x.select(d, row) for x, d in zip(batch, dims, strict=True)]
        expected = torch.utils._pytree.tree_leaves(derived(*one))
        for a, b in zip(torch.utils._pytree.tree_leaves(found), expected, strict=True):
            torch.testing.assert_close(a[row], b, rtol=1e-10, atol=1e-10)


def test_vmap_in_vmap_and_derivatives_of_vmap() -> None:
    function, inputs = as_function(adam_graph(), scalars=False)
    batch = tuple(
        x.detach() * (1 + 0.1 * torch.arange(6).double()).reshape(2, 3, *[1] * x.dim())
        for x in inputs
    )
    twice = torch.func.vmap(torch.func.vmap(function))

    def loop(*x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        rows = [function(*each) for each in zip(*(t.flatten(0, 1) for t in x), strict=True)]
        return tuple(torch.stack(y).unflatten(0, (2, 3)) for y in zip(*rows, strict=True))

    torch.testing.assert_close(twice(*batch), loop(*batch), rtol=1e-12, atol=1e-13)
    for name in ("grad", "jvp", "grad(grad)"):
        found, expected = (TRANSFORMED[name](f, batch) for f in (twice, loop))
        torch.testing.assert_close(found, expected, rtol=1e-10, atol=1e-10)


# --- how arguments travel ----------------------------------------------------------------------------


def test_outputs_that_are_not_wanted_are_not_returned() -> None:
    graph = adam_graph()
    tensors, scalars = arguments(graph)
    expected = run_call(graph, columns(tensors), scalars)
    found = run_call(graph, columns(tensors), scalars, [ABSENT, LIST, ABSENT])
    assert len(found) == len(SHAPES)
    assert all(map(torch.equal, found, expected[len(SHAPES) : 2 * len(SHAPES)]))


@pytest.mark.parametrize("kernels", [True, False])
def test_absent_inputs_are_zeros(kernels: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    for graph in derivatives(adam_graph())[1:]:
        tensors, scalars = arguments(graph)
        lists: list[Any] = columns(tensors)
        names = [k for k, name in enumerate(graph.tensors) if name[0] in "cd"]
        for gone in (names[:1], names[1:], names):
            zeros = [[0 * x for x in c] if k in gone else c for k, c in enumerate(lists)]
            expected = run_call(graph, zeros, scalars)
            how = signature(
                graph,
                len(SHAPES),
                tuple(ABSENT if k in gone else LIST for k in range(len(lists))),
                (LIST,) * len(graph.outputs),
            )
            present = [x for k, c in enumerate(lists) if k not in gone for x in c]
            with monkeypatch.context() as patch:
                if not kernels:
                    patch.setattr("torchopt.ops.function.kernel_of", lambda *_: None)
                found = call_graph(how, [float(h) for h in scalars], present)
            for a, b in zip(found, expected, strict=True):
                torch.testing.assert_close(a, b, rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize("alone", [False, True], ids=["all", "parameters"])
def test_a_gradient_that_is_a_cotangent_is_that_tensor(alone: bool) -> None:
    graph = undecayed_graph()
    tensors, scalars = arguments(graph)
    lists = columns(tensors)
    params = lists[graph.tensors.index("p")]
    for x in params if alone else [*params, *tensors]:
        x.requires_grad_()
    outputs = run_call(graph, lists, list(map(float, scalars)))
    outputs = [y for y in outputs if y.requires_grad]
    assert len(outputs) == len(params) + (0 if alone else 2 * len(SHAPES))
    cotangents = [torch.randn_like(y) for y in outputs]
    gradients = torch.autograd.grad(outputs, params, cotangents)
    places = [c.data_ptr() for c in cotangents[: len(params)]]
    assert [g.data_ptr() for g in gradients] == places


def test_a_leaf_of_which_a_moment_is_asked_alone_has_a_gradient_of_zero() -> None:
    graph = undecayed_graph()
    tensors, scalars = arguments(graph)
    for x in tensors:
        x.requires_grad_()
    moment = run_call(graph, columns(tensors), list(map(float, scalars)))[len(SHAPES)]
    params = columns(tensors)[graph.tensors.index("p")]
    zero, *others = torch.autograd.grad(moment.sum(), params, allow_unused=True)
    assert torch.equal(zero, torch.zeros_like(zero))
    assert others == [None] * len(others)


def test_a_sum_flows_back_to_leaves_whose_own_gradient_is_not_used() -> None:
    found = []
    for kernels in (None, False):
        lr = torch.tensor(0.1, dtype=torch.float64, requires_grad=True)
        tx = torchopt.adam(lr, use_accelerated_op=kernels)
        grads = [
            random_tensor(generator(k), (2,), torch.float64).requires_grad_() for k in range(2)
        ]
        total = sum(u.sin().sum() for u in tx.update(grads, tx.init(grads), inplace=False)[0])
        of_lr, first = torch.autograd.grad(total, [lr, grads[0]], create_graph=True)
        found.append(torch.autograd.grad(of_lr + first.sum(), grads))
    for a, b in zip(*found, strict=True):
        torch.testing.assert_close(a, b, rtol=1e-11, atol=1e-13)


def test_arguments_may_be_called_as_derivatives_call_theirs() -> None:
    graph = trace(lambda c0, dp, d, cc0, *, c1, dc0: (c0 * dp * c1 + d * cc0, dc0 * c0 * d * d))
    reference = trace(lambda a, b, e, f, *, x, y: (a * b * x + e * f, y * a * e * e))
    for mine, theirs in zip(derivatives(graph), derivatives(reference), strict=True):
        assert len({*mine.tensors, *mine.scalars}) == len(mine.tensors) + len(mine.scalars)
        tensors, scalars = arguments(mine)
        for a, b in zip(
            run_call(mine, columns(tensors), scalars),
            run_call(theirs, columns(tensors), scalars),
            strict=True,
        ):
            torch.testing.assert_close(a, b)

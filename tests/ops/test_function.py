"""The call of a graph is differentiable, to any order, by every route of PyTorch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from _kernel_cases import run_call

import torchopt
from _cases import covering
from _trees import generator, random_tensor
from torchopt.ops import (
    ABSENT,
    LIST,
    Graph,
    derivatives,
    signature,
    trace,
)
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


def radam_graph() -> Graph:
    graph = owner_of(torchopt.radam(0.1)).segments[0].graph(False)
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
    # Those that matter: finite differences have no place for gradients that are zero by algebra.
    idle = ("eps", "eps_root", "rectified") if graph.root is None else ("eps", "eps_root")
    moving = [k for k, n in enumerate(graph.scalars) if n.lstrip("d").rstrip("01") not in idle]
    if not scalars:
        moving = []

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


GRAPHS = {
    "adam": adam_graph,
    "adam, no decay": undecayed_graph,
    "adam, vjp": lambda: adam_graph().vjp,
    "adam, vjps": lambda: adam_graph().vjps,
    "adam, jvp": lambda: adam_graph().jvp,
    "radam": radam_graph,
}


@pytest.mark.parametrize(
    ("name", "scalars"),
    covering([*GRAPHS], [True, False]),
    ids=lambda x: {True: "tensors", False: "numbers"}.get(x, x),
)
def test_derivatives_equal_finite_differences_in_both_modes(name: str, scalars: bool) -> None:
    function, inputs = as_function(GRAPHS[name](), scalars=scalars)
    assert torch.autograd.gradcheck(
        function, inputs, check_forward_ad=True, fast_mode=True, rtol=1e-4, atol=1e-6
    )


@pytest.mark.parametrize(
    "name", ["adam", *(pytest.param(n, marks=pytest.mark.slow) for n in ("adam, vjp", "radam"))]
)
def test_second_derivatives_equal_finite_differences(name: str) -> None:
    function, inputs = as_function(GRAPHS[name]())
    assert torch.autograd.gradgradcheck(
        function,
        inputs,
        check_fwd_over_rev=True,
        check_rev_over_rev=True,
        gen_non_contig_grad_outputs=True,
        fast_mode=True,
        rtol=1e-4,
        atol=1e-5,
    )


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
        torch.stack([torch.stack([x.detach() * (1 + 0.1 * i + 0.03 * j) for j in range(3)])
                     for i in range(2)])
        for x in inputs
    )  # fmt: skip
    twice = torch.func.vmap(torch.func.vmap(function))

    def loop(*x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        rows = [[function(*(t[i, j] for t in x)) for j in range(3)] for i in range(2)]
        return tuple(
            torch.stack([torch.stack([y[k] for y in row]) for row in rows])
            for k in range(len(rows[0][0]))
        )

    torch.testing.assert_close(twice(*batch), loop(*batch), rtol=1e-12, atol=1e-13)
    for derive in (
        lambda f: torch.func.grad(number(f))(*batch),
        lambda f: pushed(f, batch),
        lambda f: torch.func.grad(lambda *a: torch.func.grad(number(f))(*a).cos().sum())(*batch),
    ):
        torch.testing.assert_close(derive(twice), derive(loop), rtol=1e-10, atol=1e-10)


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

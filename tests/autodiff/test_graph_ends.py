"""What steps and blocks read is found where their graphs end: derivatives are right, or refused."""

from __future__ import annotations

import gc
import warnings
import weakref
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.autograd import forward_ad, grad

import torchopt
from torchopt.diff import Explicit
from torchopt.errors import ReplayError

GRAPH = Explicit()
POLICIES = {
    "step": Explicit("step"),
    "tree": Explicit("tree"),
    "forward": Explicit("forward"),
    "hvp": Explicit("step", hvp="forward"),
}
Wrap = Callable[[Any], Any]


def variable(*values: float) -> Tensor:
    return torch.tensor(values, dtype=torch.float64, requires_grad=True)


def solved(f: Any, x: Tensor, diff: Explicit, *args: Any, **options: Any) -> Any:
    return torchopt.minimize(f, x, args, solver=torchopt.sgd(0.1), steps=3, diff=diff, **options)


def plain(function: Any) -> Any:
    return function


class Held:
    """Holds a tensor and a generator where no search finds them."""

    tensor: Tensor
    generator: torch.Generator


# Steps: each program returns derivatives, which are those of the graph.


def frozen_before_the_backward_pass(diff: Explicit) -> Any:
    w, v, x = variable(0.7, 0.3), variable(0.2, 0.5), variable(1.0, 2.0)
    found = solved(lambda x: ((x - w) ** 2 * v).sum() + (x**4).sum(), x, diff)
    w.requires_grad_(False)
    return grad(found.params.sin().sum(), [v, x])


def frozen_before_the_second_derivative(diff: Explicit) -> Any:
    w, x = variable(0.7, 0.3), variable(1.0, 2.0)
    found = solved(lambda x: ((x - w) ** 4).sum(), x, diff)
    first = grad(found.params.sum(), [w, x], create_graph=True)
    w.requires_grad_(False)
    return grad(sum((t**2).sum() for t in first), [x])  # type: ignore[arg-type]


def a_gradient_that_is_retained(diff: Explicit) -> Any:
    a, x = variable(0.7, 0.3), variable(1.0, 2.0)
    c = a.exp()
    c.retain_grad()
    found = solved(lambda x: ((x - c) ** 2).sum() + (x**4).sum(), x, diff)
    found.params.sin().sum().backward()
    return [a.grad, x.grad, c.grad]


def an_output_that_is_closed_over(diff: Explicit) -> Any:
    w, x = variable(0.7, 0.3), variable(1.0, 2.0)
    c = w * 2
    found = solved(lambda x: (((x - w) ** 4).sum(), (w, c, x, c)), x, diff, has_aux=True)
    value = (found.params.sin() * found.aux[0] * found.aux[1]).sum()
    value = value + found.aux[2].exp().sum() + (found.aux[3] ** 2).sum()
    return grad(value, [w, x])


def a_pass_that_failed_before(diff: Explicit) -> Any:
    w, x = variable(0.7, 0.3), variable(1.0, 2.0)
    state = {"scale": 1.0, "fails": False}

    def f(x: Tensor, k: Tensor) -> Tensor:
        if state["fails"] and k == 0:
            raise KeyError
        return ((x - w) ** 4).sum() * state["scale"]

    value = solved(f, x, diff, batches=torch.arange(3)).params.sin().sum()
    if diff.memory in ("step", "tree"):
        state.update(scale=2.0, fails=True)
        with pytest.raises((KeyError, ReplayError)):
            grad(value, [w, x], retain_graph=True)
        state.update(scale=1.0, fails=False)
    return grad(value, [w, x])


def a_gradient_of_torch_func_that_autograd_differentiates(diff: Explicit) -> Any:
    w, x, a = variable(0.7, 0.3), variable(1.0, 2.0), variable(0.4, 0.5)

    def value(t: Tensor) -> Tensor:
        found = solved(lambda y: ((y - t * w) ** 4).sum(), x, diff)
        return found.params.sin().sum()  # type: ignore[no-any-return]

    g = torch.func.grad(value)(a)
    return [g, *grad((g**2).sum(), [w, x, a])]


def a_backward_pass_inside(diff: Explicit) -> Any:
    w, x = variable(0.7, 0.3), variable(1.0, 2.0)

    def f(x: Tensor) -> Tensor:
        ((x.detach() * w) ** 2).sum().backward()
        return ((x - w) ** 4).sum()

    found = solved(f, x * 0.1, diff)
    return [*grad(found.params.sum(), [w, x]), w.grad]


def a_generator_of_a_class(diff: Explicit) -> Any:
    w, x = variable(0.7, 0.3), variable(1.0, 2.0)
    Held.generator = torch.Generator().manual_seed(5)

    def f(x: Tensor) -> Tensor:
        noise = torch.randn(2, generator=Held.generator, dtype=torch.float64)
        return ((x - w * noise) ** 4).sum()

    return grad(solved(f, x, diff).params.sum(), [w, x])


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize(
    "program",
    [
        a_gradient_of_torch_func_that_autograd_differentiates,
        a_generator_of_a_class,
        frozen_before_the_backward_pass,
        frozen_before_the_second_derivative,
        a_gradient_that_is_retained,
        an_output_that_is_closed_over,
        a_pass_that_failed_before,
    ],
    ids=lambda f: f.__name__,
)
def test_steps_have_the_derivatives_of_the_graph(program: Any, policy: str) -> None:
    found, expected = program(POLICIES[policy]), program(GRAPH)
    torch.testing.assert_close(found, expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("policy", ["step", "tree", "hvp"])
def test_a_backward_pass_inside_adds_once(policy: str) -> None:
    found, expected = a_backward_pass_inside(POLICIES[policy]), a_backward_pass_inside(GRAPH)
    torch.testing.assert_close(found, expected, rtol=1e-9, atol=1e-12)


def test_second_derivatives_of_differences_are_those_of_plain_operations() -> None:
    """PyTorch's fused normalization has others; the meta-gradient itself is of differences."""

    def derivatives(diff: Explicit) -> Any:
        torch.manual_seed(0)
        net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.BatchNorm1d(4), torch.nn.Tanh())
        net = net.double()
        w, data = variable(0.7, 0.3, 0.2), torch.linspace(-1, 1, 15, dtype=torch.float64).view(5, 3)
        start = {k: v.detach().clone() for k, v in net.named_parameters()}
        params = torchopt.minimize(
            lambda p: (torch.func.functional_call(net, p, (data.sin() * w,)) ** 2).mean(),
            start,
            solver=torchopt.sgd(0.1),
            steps=2,
            diff=diff,
        ).params
        value = sum(v.sin().sum() for v in params.values())
        (first,) = grad(value, w, create_graph=True)  # type: ignore[arg-type]
        return [first.detach(), *grad((first**2).sum(), w)]

    found = derivatives(Explicit("step", hvp="finite_difference"))
    torch.testing.assert_close(found, derivatives(GRAPH), rtol=1e-4, atol=1e-6)


# Steps that are refused.


@pytest.mark.parametrize("policy", ["step", "tree", "hvp"])
def test_a_variable_replaced_before_the_second_derivative_is_refused(policy: str) -> None:
    w, x = variable(0.7, 0.3), variable(1.0, 2.0)
    held = [w]
    found = solved(lambda x: ((x - held[0]) ** 4).sum(), x, POLICIES[policy])
    first = grad(found.params.sum(), [w, x], create_graph=True)
    held[0] = w.detach().clone().requires_grad_()
    with pytest.raises(ReplayError, match="was replaced before the backward pass"):
        grad(sum((t**2).sum() for t in first), [w, x])  # type: ignore[arg-type]


# Blocks, and blocks in steps and steps in blocks.


def steps_in_a_block(wrap: Wrap, diff: Explicit) -> Any:
    w, x = variable(0.7, 0.3), variable(1.0, 2.0)
    c = w.exp()
    block = wrap(lambda x: solved(lambda y: ((y - c * x) ** 4 * w).sum(), x, diff).params)
    return grad(block(x * 1).sum(), [w, x])


def a_block_in_steps(wrap: Wrap, diff: Explicit) -> Any:
    w, x = variable(0.7, 0.3), variable(1.0, 2.0)
    c = w.exp()
    block = wrap(lambda x: (x - c) ** 3 * w)
    return grad(solved(lambda x: block(x).sin().sum(), x, diff).params.sin().sum(), [w, x])


def a_block_in_a_block(wrap: Wrap, _: Explicit) -> Any:
    w, x = variable(0.7, 0.3), variable(1.0, 2.0)
    c = w.exp()
    inner = wrap(lambda x: (x * c * w).sin())
    first = grad(wrap(lambda x: inner(inner(x) * c) * w)(x).sum(), [w, x], create_graph=True)
    return [*first, *grad(sum((t**2).sum() for t in first), [w, x])]  # type: ignore[arg-type]


def a_block_of_dual_numbers(wrap: Wrap, _: Explicit) -> Any:
    w = variable(0.7, 0.3)
    y = wrap(lambda x: (x * w).sin() * w)(w * 2)
    with forward_ad.dual_level():
        direction = torch.tensor([1.0, 2.0], dtype=torch.float64)
        cotangent = forward_ad.make_dual(torch.ones_like(w), direction)
        dual = forward_ad.unpack_dual(grad(y, w, cotangent, create_graph=True)[0])
        return [dual.primal.detach(), dual.tangent.detach()]  # type: ignore[union-attr]


def a_block_under_vmap(wrap: Wrap, _: Explicit) -> Any:
    w = variable(0.7, 0.3)
    y = wrap(lambda x: (x * w).sin() * w)(w * 2)
    directions = torch.eye(2, dtype=torch.float64)
    return torch.func.vmap(lambda v: grad(y, w, v, retain_graph=True)[0])(directions)


def a_block_with_a_gradient_inside(wrap: Wrap, _: Explicit) -> Any:
    w, x = variable(0.7, 0.3), variable(1.0, 2.0)
    Held.tensor = w.exp()

    def block(x: Tensor) -> Tensor:
        return grad((x * Held.tensor * w).pow(3).sum(), x, create_graph=True)[0] * w

    return grad(wrap(block)(x * 1).sin().sum(), [w, x])


def a_block_and_a_frozen_variable(wrap: Wrap, _: Explicit) -> Any:
    w, x = variable(0.7, 0.3), variable(1.0, 2.0)
    first = grad(wrap(lambda x: (x * w).sin() * x * w)(x).sum(), [w, x], create_graph=True)
    w.requires_grad_(False)
    return grad(sum((t**2).sum() for t in first), [x])  # type: ignore[arg-type]


def a_block_and_a_gradient_that_is_retained(wrap: Wrap, _: Explicit) -> Any:
    a, x = variable(0.7, 0.3), variable(1.0, 2.0)
    c = a.exp()
    c.retain_grad()
    wrap(lambda x: (x * c).sin())(x).sum().backward()
    return [a.grad, x.grad, c.grad]


@pytest.mark.parametrize("diff", [GRAPH, Explicit("step")], ids=["graph", "step"])
@pytest.mark.parametrize(
    "program",
    [
        steps_in_a_block,
        a_block_in_steps,
        a_block_in_a_block,
        a_block_of_dual_numbers,
        a_block_under_vmap,
        a_block_with_a_gradient_inside,
        a_block_and_a_frozen_variable,
        a_block_and_a_gradient_that_is_retained,
    ],
    ids=lambda f: f.__name__,
)
def test_blocks_have_the_derivatives_of_the_plain_program(program: Any, diff: Explicit) -> None:
    found, expected = program(torchopt.remat, diff), program(plain, GRAPH)
    torch.testing.assert_close(found, expected, rtol=1e-9, atol=1e-12)


def test_statistics_in_a_script_advance_once() -> None:
    """Also those of its parts."""
    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.BatchNorm1d(4)).double()
    data, x = torch.randn(5, 3, dtype=torch.float64), variable(1.0, 2.0, 0.5)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        script = torch.jit.trace(net, data)
    found = solved(lambda x: (script(data * x) ** 2).mean(), x, Explicit("step"))
    tracked = script.state_dict()["1.num_batches_tracked"].clone()
    grad(found.params.sum(), x)
    assert torch.equal(script.state_dict()["1.num_batches_tracked"], tracked)


# Memory.


@pytest.mark.parametrize("what", ["steps", "block"])
def test_a_result_that_is_named_is_not_kept_alive(what: str) -> None:
    w, x = variable(0.7, 0.3), variable(1.0, 2.0)
    last: list[Any] = [None]
    alive = []

    def f(x: Tensor) -> Tensor:
        assert last is not None  # which is named, and not read
        return (x - w) ** 2

    for _ in range(4):
        if what == "steps":
            y = solved(lambda x: f(x).sum(), x, Explicit("step")).params
        else:
            y = torchopt.remat(f)(x)
        y.sum().backward()
        last[0] = y
        alive.append(weakref.ref(y))
        del y
    gc.collect()
    assert [reference() is not None for reference in alive] == [False, False, False, True]

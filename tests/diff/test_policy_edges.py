"""Programs on which a memory policy could differ from the graph without a word: it must not."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.autograd import forward_ad
from torch.func import grad, jvp

import torchopt
from _cases import covering
from _functions import Hidden
from torchopt.diff import Explicit

DTYPE = torch.float64
POLICIES = {
    "step": Explicit("step"),
    "tree": Explicit("tree"),
    "forward": Explicit("forward"),
    "step, forward over reverse": Explicit("step", hvp="forward"),
}


def draw(*shape: int, seed: int) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=DTYPE)


W, START, ONES = draw(3, seed=0), draw(3, seed=1), torch.ones(3, dtype=DTYPE)


def variable() -> Tensor:
    return W.clone().requires_grad_()


def solve(objective: Callable[..., Any], mode: Explicit, **options: Any) -> Any:
    given = {"solver": torchopt.sgd(0.1, momentum=0.9), "steps": 3, **options}
    return torchopt.minimize(objective, START, diff=mode, **given)


def near(v: Tensor) -> Callable[[Tensor], Tensor]:
    return lambda x: ((x - v) ** 2).sum() + (x * v).sin().sum()


def outer(solution: Any) -> Tensor:
    return (solution.params**3).sum()


def by(solution: Any, v: Tensor) -> Tensor:
    return torch.autograd.grad(outer(solution), v)[0]


def forward_over_forward(mode: Explicit) -> Tensor:
    def value(v: Tensor) -> Tensor:
        return outer(solve(near(v), mode))

    return jvp(lambda v: jvp(value, (v,), (ONES,))[1], (W,), (ONES,))[1]


def dual_numbers(mode: Explicit) -> Tensor:
    with forward_ad.dual_level():
        solution = solve(near(forward_ad.make_dual(W, ONES)), mode)
        return forward_ad.unpack_dual(solution.params).tangent


class Noisy(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.dropout = nn.Dropout(0.5)

    def forward(self, x: Tensor) -> Tensor:
        return self.dropout(x)


class Scaled(Noisy):
    def __init__(self) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.ones(1, dtype=W.dtype))

    def forward(self, x: Tensor) -> Tensor:
        return self.dropout(x * self.scale)


def evaluated_before_the_backward_pass(mode: Explicit) -> Tensor:
    net, v = Noisy(), variable()
    torch.manual_seed(1)
    solution = solve(lambda x: (net(x * v).sin() + (x - v) ** 2).sum(), mode)
    net.eval()
    found = by(solution, v)
    assert not net.dropout.training
    return found


def a_functional_call_evaluated_before_the_backward_pass(mode: Explicit) -> Tensor:
    v, net = variable(), Scaled()
    fmodel = functools.partial(torchopt.nn.functional_call, net)
    scale = next(net.parameters())
    torch.manual_seed(1)
    solution = solve(lambda x: (fmodel((scale,), x * v).sin() + (x - v) ** 2).sum(), mode)
    net.eval()
    return by(solution, v)


def evaluated_inside_grad(mode: Explicit) -> Tensor:
    net = Noisy()
    torch.manual_seed(1)

    def value(v: Tensor) -> Tensor:
        net.train()
        solution = solve(lambda x: (net(x * v).sin() + (x - v) ** 2).sum(), mode)
        net.eval()
        return (net(solution.params * v) ** 2).sum()

    return grad(value)(W)


def a_variable_of_another_thread(mode: Explicit) -> Tensor:
    u = variable()
    for _ in range(300):  # the count of operations is of the thread
        v = u.exp()
    found: list[Tensor] = []

    def run() -> None:
        found.append(by(solve(lambda x: near(v)(x) + (x * u).sum(), mode), u))

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    return found[0]


def a_batch_that_requires_grad(mode: Explicit) -> Tensor:
    batches = [ONES, variable(), ONES]
    return by(solve(lambda x, u: near(u)(x), mode, batches=lambda i: batches[i]), batches[1])


def batched_cotangents(mode: Explicit) -> Tensor:
    v = variable()
    params = solve(near(v), mode).params
    one = lambda c: torch.autograd.grad(params, v, c, retain_graph=True)[0]  # noqa: E731
    return torch.func.vmap(one)(torch.eye(3, dtype=DTYPE))


def unfrozen_before_the_backward_pass(mode: Explicit) -> Tensor:
    torch.manual_seed(0)
    net, v = nn.Linear(3, 3, dtype=DTYPE).requires_grad_(False), variable()
    solution = solve(lambda x: ((net(x) - v) ** 2).sum(), mode)
    net.requires_grad_(True)
    return by(solution, v)


PROGRAMS = [
    forward_over_forward,
    dual_numbers,
    evaluated_before_the_backward_pass,
    a_functional_call_evaluated_before_the_backward_pass,
    evaluated_inside_grad,
    a_variable_of_another_thread,
    a_batch_that_requires_grad,
    batched_cotangents,
    unfrozen_before_the_backward_pass,
]


@pytest.mark.parametrize(("program", "policy"), covering(PROGRAMS, [*POLICIES]))
def test_a_policy_has_the_derivatives_of_the_graph(program: Any, policy: str) -> None:
    found = program(POLICIES[policy])
    torch.testing.assert_close(found, program(Explicit()), rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("policy", ["step", "tree"])
def test_a_hook_of_a_leaf_that_a_custom_function_reads_is_called_once(policy: str) -> None:
    def run(mode: Explicit) -> Tensor:
        v = variable()
        v.register_hook(lambda g: 2 * g)
        return by(solve(lambda x: (Hidden.apply(x, v).sin() ** 2).sum(), mode), v)

    torch.testing.assert_close(run(POLICIES[policy]), run(Explicit()), rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("policy", ["step", "tree"])
def test_a_variable_that_is_replaced_by_its_value_is_noticed(policy: str) -> None:
    held = [variable().exp()]
    solution = solve(lambda x: ((x * held[0]).sin() ** 2).sum(), POLICIES[policy])
    held[0] = held[0].detach()
    with pytest.raises(RuntimeError, match="was replaced before the backward pass"):
        solution.params.sum().backward()


@pytest.mark.parametrize("offload", ["cpu", "disk"])
def test_data_that_changed_before_the_backward_pass_is_an_error(offload: str) -> None:
    v, data = variable(), ONES.clone()
    solution = solve(lambda x: near(v)(x * data), Explicit(offload=offload))
    data.mul_(2)
    with pytest.raises(RuntimeError, match="changed in place"):
        by(solution, v)


def test_modules_of_other_threads_are_left_alone() -> None:
    norm, v = nn.BatchNorm1d(3), variable()
    started, done = threading.Event(), threading.Event()

    def elsewhere() -> None:
        started.wait(10)
        norm(torch.randn(8, 3))
        done.set()

    thread = threading.Thread(target=elsewhere)
    thread.start()

    def objective(x: Tensor) -> Tensor:
        started.set()
        done.wait(10)
        return ((x - v) ** 2).sum()

    solution = solve(objective, Explicit("step"))
    thread.join()
    mean, seen = norm.running_mean.clone(), []

    def look(x: Tensor) -> Tensor:
        seen.append(torch.equal(norm.running_mean, mean))
        return x

    v.register_hook(lambda g: look(g))
    by(solution, v)
    assert torch.equal(norm.running_mean, mean)
    assert all(seen)


def test_complex_variables_are_refused_in_forward_mode() -> None:
    v = torch.complex(W, START).requires_grad_()
    with pytest.raises(ValueError, match="for real variables"):
        solve(lambda x: (x - v).abs().square().sum(), Explicit("forward"))

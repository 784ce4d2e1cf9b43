"""A variable that requires grad and gets none because of the mode: a warning at the user's line."""

from __future__ import annotations

import contextlib
import inspect
import warnings
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.func import functional_call

import torchopt
from torchopt.diff import Explicit, Implicit
from torchopt.errors import TorchOptWarning

F64 = torch.float64
MODES: dict[str, dict[str, Any]] = {
    "implicit": {"solver": torchopt.solver.LBFGS(), "diff": Implicit()},
    "by_steps": {"solver": torchopt.sgd(0.3), "steps": 60, "diff": Implicit()},
    "by_default": {"solver": torchopt.solver.Newton()},
}


def quadratic(x: dict[str, Tensor], phi: Tensor) -> Tensor:
    return (x["w"] - phi).square().sum()


@pytest.mark.parametrize("mode", MODES)
def test_the_gradient_of_a_start_is_zero_with_a_warning(mode: str) -> None:
    start = {"w": torch.ones(2, dtype=F64, requires_grad=True)}
    phi = torch.tensor(0.5, dtype=F64, requires_grad=True)
    x = torchopt.minimize(quadratic, start, (phi,), **MODES[mode]).params["w"]
    (d,) = torch.autograd.grad(x.sum(), phi, retain_graph=True)
    assert d.item() == pytest.approx(2.0)
    with pytest.warns(TorchOptWarning, match=r"`params\['w'\]`, where the solver starts") as record:
        (g,) = torch.autograd.grad(x.sum(), start["w"])
    assert [w.filename for w in record] == [__file__]
    assert not g.any()


def solved(start: Tensor, phi: Tensor, *rest: Tensor, function: Any = quadratic) -> Tensor:
    options: dict[str, Any] = {"solver": torchopt.solver.LBFGS(), "diff": Implicit()}
    return torchopt.minimize(function, {"w": start}, (phi, *rest), **options).params["w"].sum()


START, PHI = torch.ones(2, dtype=F64), torch.tensor(0.5, dtype=F64)
BOTH = (START.repeat(3, 1), PHI.repeat(3))
TRANSFORMS: dict[str, Callable[[Callable[..., Tensor]], Any]] = {
    "grad": lambda f: torch.func.grad(f, (0, 1))(START, PHI),
    "vjp": lambda f: torch.func.vjp(f, START, PHI)[1](torch.ones_like(PHI)),
    "jacrev": lambda f: torch.func.jacrev(f, (0, 1))(START, PHI),
    "vmap_of_grad": lambda f: torch.func.vmap(torch.func.grad(f, (0, 1)))(*BOTH),
    "grad_of_vmap": lambda f: torch.func.grad(lambda *x: torch.func.vmap(f)(*x).sum(), (0, 1))(
        *BOTH
    ),
    "meta_grad": lambda f: torchopt.meta_grad_and_value(f, (0, 1))(START, PHI)[0],
}


@pytest.mark.parametrize("transform", TRANSFORMS)
def test_the_gradient_of_a_start_is_warned_of_under_transforms(transform: str) -> None:
    with pytest.warns(TorchOptWarning, match=r"`params\['w'\]`, where the solver starts") as record:
        g, d = TRANSFORMS[transform](solved)
    assert {w.filename for w in record} == {__file__}
    assert not g.any()
    torch.testing.assert_close(d, torch.full_like(d, 2.0))


@pytest.mark.parametrize("transform", TRANSFORMS)
def test_a_start_that_the_objective_reads_has_a_gradient_under_transforms(transform: str) -> None:
    g, d = TRANSFORMS[transform](lambda start, phi: solved(2 * start, phi + start.sum()))
    torch.testing.assert_close((g, d), (torch.full_like(g, 2.0), torch.full_like(d, 2.0)))


PULLED: dict[str, tuple[Any, float]] = {
    "unread": (lambda x, phi, s: quadratic(x, phi), 0.0),
    "detached": (lambda x, phi, s: quadratic(x, phi) + (x["w"] - s.detach()).square().sum(), 0.0),
    "read": (lambda x, phi, s: quadratic(x, phi) + (x["w"] - s).square().sum(), 0.5),
}


@pytest.mark.parametrize("name", PULLED)
def test_a_start_that_is_an_argument_is_warned_of_where_it_is_not_read(name: str) -> None:
    function, expected = PULLED[name]
    start, phi = START.clone().requires_grad_(), PHI.clone().requires_grad_()
    value = solved(start, phi, start, function=function)
    told = pytest.warns(TorchOptWarning, match="where the solver starts")
    with told if not expected else contextlib.nullcontext():
        (g,) = torch.autograd.grad(value, start)
    torch.testing.assert_close(g, torch.full_like(g, expected))


PROBLEMS: dict[str, Callable[[Tensor], Any]] = {
    "root": lambda x: torchopt.root(lambda x: x - 1, x),
    "fixed_point": lambda x: torchopt.fixed_point(lambda x: x / 2, x),
    "least_squares": lambda x: torchopt.least_squares(lambda x: x - 1, x),
}


@pytest.mark.parametrize("name", PROBLEMS)
def test_the_start_of_any_problem_is_warned_of(name: str) -> None:
    x = PROBLEMS[name](torch.ones(2, dtype=F64, requires_grad=True)).params
    with pytest.warns(TorchOptWarning, match="`params`, where the solver starts"):
        x.sum().backward()


def test_parameters_of_a_module_are_warned_of_if_the_solution_depends_on_nothing_else() -> None:
    net = nn.Linear(2, 1, dtype=F64)
    x, y = torch.eye(2, dtype=F64), torch.ones(2, 1, dtype=F64)

    def loss(p: Any, *penalty: Tensor) -> Tensor:
        fit = (functional_call(net, p, (x,)) - y).square().sum()
        return fit + sum(penalty, torch.tensor(0.1, dtype=F64)) * p["weight"].square().sum()

    start = dict(net.named_parameters())
    options: dict[str, Any] = {"solver": torchopt.solver.LBFGS(), "diff": Implicit()}
    solution = torchopt.minimize(loss, start, **options)
    with pytest.warns(TorchOptWarning, match=r"`params\['weight'\]`"):
        torch.autograd.grad(solution.params["weight"].sum(), net.weight)
    penalty = torch.tensor(0.1, dtype=F64, requires_grad=True)
    solution = torchopt.minimize(loss, start, (penalty,), **options)
    solution.params["weight"].sum().backward()
    assert penalty.grad is not None


def with_a_rate() -> list[str]:
    names = [name for name in torchopt.optimizers.__all__ if name.islower()]
    functions = {name: getattr(torchopt.optimizers, name) for name in names}
    return [
        name
        for name, function in functions.items()
        if callable(function) and "lr" in inspect.signature(function).parameters
    ]


@pytest.mark.parametrize("name", with_a_rate())
def test_a_learned_rate_that_has_become_negative_is_warned_of(name: str) -> None:
    log = torch.tensor([0.01], dtype=F64, requires_grad=True)

    def train() -> Any:
        solver = getattr(torchopt.optimizers, name)(lr=log[0])
        return torchopt.minimize(
            lambda x: x.square().sum(), torch.ones(3, dtype=F64), solver=solver, steps=2
        )

    train()
    with torch.no_grad():
        log -= 0.02  # as an outer step does
    with pytest.warns(TorchOptWarning, match="has become negative") as record:
        train()
    assert {w.filename for w in record} == {__file__}


@pytest.mark.parametrize("memory", ["graph", "step"])
@pytest.mark.parametrize("shape", ["elements", "tree"])
def test_rates_of_elements_and_leaves_are_warned_of(shape: str, memory: Any) -> None:
    rate = nn.Parameter(torch.tensor([0.1, -0.1], dtype=F64))
    solver = torchopt.sgd(rate if shape == "elements" else {"w": rate})
    start = {"w": torch.ones(2, dtype=F64)}
    with pytest.warns(TorchOptWarning, match="has become negative"):
        torchopt.minimize(
            lambda x: x["w"].square().sum(), start, solver=solver, steps=1, diff=Explicit(memory)
        )


def trained(lr: Any, memory: Any = "graph") -> Tensor:
    start = torch.ones(2, dtype=F64)
    solver, diff = torchopt.sgd(lr), Explicit(memory)
    x = torchopt.minimize(lambda x: x.square().sum(), start, solver=solver, steps=2, diff=diff)
    return x.params.square().sum()


RATES: dict[str, Callable[[Tensor], Any]] = {
    "eager": lambda r: trained(r.requires_grad_()),
    "grad": lambda r: torch.func.grad(trained)(r),
    "step": lambda r: torch.func.grad(lambda r: trained(r, "step"))(r),
    "vmap_of_grad": lambda r: torch.func.vmap(torch.func.grad(trained))(torch.stack([r, r.abs()])),
    "vmap_of_learned": lambda r: torch.func.vmap(trained)(
        torch.stack([r, r.abs()]).requires_grad_()
    ),
    "schedule": lambda r: trained(lambda count: r.requires_grad_() / (1 + count)),
    "decay": lambda r: trained(torchopt.schedule.cosine_decay_schedule(r.requires_grad_(), 10)),
    "schedule_in_grad": lambda r: torch.func.grad(lambda r: trained(lambda count: r + 0 * count))(
        r
    ),
}


@pytest.mark.parametrize("rate", [0.1, -0.1])
@pytest.mark.parametrize("name", RATES)
def test_negative_rates_are_warned_of_in_transforms_and_schedules(name: str, rate: float) -> None:
    told = pytest.warns(TorchOptWarning, match="has become negative")
    with told if rate < 0 else contextlib.nullcontext():
        RATES[name](torch.tensor(rate, dtype=F64))


def test_meta_optimizers_warn_of_a_negative_rate() -> None:
    net = nn.Linear(2, 1)
    rate = torch.tensor(0.1, requires_grad=True)
    optimizer = torchopt.MetaSGD(net, lr=rate)
    optimizer.step(net(torch.ones(1, 2)).sum())
    with torch.no_grad():
        rate.neg_()
    with pytest.warns(TorchOptWarning, match="has become negative"):
        optimizer.step(net(torch.ones(1, 2)).sum())


def test_a_rate_that_is_not_learned_is_not_read() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        x = (torch.ones(2),)
        tx = torchopt.sgd(torch.tensor(-0.1))
        tx.update(x, tx.init(x))

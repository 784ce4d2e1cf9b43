"""PyTorch's default device is for the user's tensors: the library's own are where it needs them.

Each thing that it has runs under a default device on which nothing may be made. That of a GPU's user is
the CPU: a tensor of the library without a device would be there, and its arguments elsewhere.
"""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.utils._device import DeviceContext, _device_constructors

import torchopt
from _public import COMPOSITE, POLICIES, SMOOTH, exported, other_solvers
from _trees import CASES as TRANSFORMS
from _trees import drawn, leaves, trained
from linear_solve._systems import SOLVERS as LINEAR_SOLVERS
from prox._terms import CASES as TERMS
from sets._table import CASES as SETS
from torchopt import diff

HERE = torch.get_default_device()
F64: dict[str, Any] = {"dtype": torch.float64, "device": HERE}
Program = Callable[[], Any]


class Forbidden(DeviceContext):
    """A default device that refuses to be used."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Refuse to make a tensor that has no device."""
        if func in _device_constructors() and (kwargs or {}).get("device") is None:
            raise AssertionError(f"{func.__name__} makes a tensor without a device")
        return func(*args, **(kwargs or {}))


def start() -> Tensor:
    return torch.linspace(0.2, 1.0, 3, **F64)


def parameter() -> Tensor:
    return torch.linspace(0.5, 0.8, 3, **F64).requires_grad_()


def slope(find: Callable[..., Any], function: Callable[..., Any], **options: Any) -> Any:
    """Return a program that differentiates a solution by the parameter of its problem."""
    x, a = start(), parameter()

    def program() -> Any:
        solution = find(function, x, args=(a,), **options)
        return solution.params, torch.autograd.grad(solution.params.sum(), a)

    return program


def bowl(x: Tensor, a: Tensor) -> Tensor:
    return ((x - a) ** 4).sum() + (x * a).sum()


def optimized(mode: Any, **options: Any) -> Program:
    options = {"solver": torchopt.adam(0.1), "steps": 5, **options}
    return slope(torchopt.minimize, bowl, diff=mode, **options)


def transformed(case: Any) -> Program:
    tx, (params, gradients) = case.build(), drawn(5, 3, {"b": (), "w": (1, 3)})
    return lambda: trained(tx, params, gradients)


def differentiated(case: Any) -> Program:
    inputs = [x.detach().requires_grad_() for x in case.inputs]

    def program() -> Any:
        value = case.function(*inputs)
        return value, torch.autograd.grad(value.pow(3).sum(), inputs, allow_unused=True)

    return program


def solved(method: Any, kind: str) -> Program:
    function, find = {
        "minimum": (lambda x, a: ((x - a) ** 2 * (1 + x**2)).sum(), torchopt.minimize),
        "root": (lambda x, a: x - a + 0.1 * x**3, torchopt.root),
        "fixed_point": (lambda x, a: a - 0.1 * x**3, torchopt.fixed_point),
        "least_squares": (lambda x, a: x - a + 0.1 * x**3, torchopt.least_squares),
        "composite": (lambda x, a: ((x - a) ** 2 * (1 + x**2)).sum(), torchopt.minimize),
        "composite_least_squares": (lambda x, a: x - a + 0.1 * x**3, torchopt.least_squares),
    }[kind]
    mirrors = isinstance(method, torchopt.solver.MirrorDescent)
    method = dataclasses.replace(method, maxiter=3, on_failure="ignore")  # each runs all its code
    within = torchopt.sets.Simplex() if mirrors else torchopt.sets.Box(0.0, 0.6)
    among = {"subject_to": within} if kind in COMPOSITE else {}
    return slope(find, function, solver=method, diff=diff.Implicit(), **among)


def system(method: Any, make: Callable[[int], Tensor]) -> Program:
    matrix, right = make(5), torch.linspace(-1.0, 1.0, 5, **F64)
    return lambda: method.solve(lambda v: matrix @ v, right)


def estimated(cls: Any) -> Program:
    x = start()
    more = {"subspace": torch.eye(1, 3, **F64)} if cls is diff.zero_order.Guided else {}
    estimator, generator = cls(**more), torch.Generator("cpu").manual_seed(0)
    mode = diff.ZeroOrder(estimator, generator=0)

    def program() -> Any:
        noise = estimator.noise([x], generator)  # a derivative draws it where no default is known
        noise = getattr(noise, "parts", noise)
        return noise, torch.func.jvp(mode(lambda x: x.square().sum()), (x,), (x + 1,))

    return program


def constrained() -> Program:
    # One of each kind: a tree without tensors has no device.
    within = torchopt.Constraints(lambda x, a: x.sum() - a.sum(), lambda x, a: x - 0.9 * a.sum())
    return slope(
        torchopt.minimize,
        lambda x, a: ((x - a) ** 2).sum(),
        subject_to=within,
        solver=torchopt.solver.AugmentedLagrangian(),
        diff=diff.Implicit(),
    )


def quadratic(mode: Any) -> Program:
    Q, G, h = (2 * torch.eye(3, **F64), torch.ones(1, 3, **F64), torch.ones(1, **F64))

    def program() -> Any:
        c = parameter()
        solution = torchopt.quadratic_program(Q, -c, G=G, h=h, diff=mode)
        return torch.autograd.grad(solution.params.sum(), c)

    return program


def equilibrium() -> Program:
    layer, x = torchopt.nn.Equilibrium(lambda z, x: torch.cos(z) * x), start().requires_grad_()
    return lambda: torch.autograd.grad(layer(torch.zeros_like(x)[:, None], x[:, None]).sum(), x)


def quadratic_layer() -> Program:
    torch.manual_seed(0)
    layer = torchopt.nn.QuadraticLayer(3, inequalities=2, equalities=1, **F64)
    x = torch.linspace(-1.0, 1.0, 6, **F64).view(2, 3)
    return lambda: torch.autograd.grad(layer(x).square().sum(), [*layer.parameters()])


def normalized() -> Program:
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(3, 4, **F64), nn.BatchNorm1d(4, **F64), nn.Linear(4, 1, **F64))
    x = torch.linspace(-1.0, 1.0, 15, **F64).view(5, 3)
    params = dict(net.named_parameters())

    def program() -> Any:
        out = torchopt.nn.functional_call(net, params, x)
        grads = torch.autograd.grad(out.pow(2).sum(), [*params.values()], create_graph=True)
        return torch.autograd.grad(sum(g.pow(2).sum() for g in grads), [*params.values()])

    return program


def sparse() -> Program:
    table, chosen = torch.ones(4, 3, **F64), torch.tensor([0, 2, 0], device=HERE)
    a = parameter()

    def objective(table: Tensor, a: Tensor) -> Tensor:
        return (nn.functional.embedding(chosen, table, sparse=True) - a).pow(2).sum()

    def program() -> Any:
        solution = torchopt.minimize(objective, table, (a,), solver=torchopt.sgd(0.1), steps=2)
        return torch.autograd.grad(solution.params.pow(2).sum(), a)

    return program


def meta_optimized() -> Program:
    torch.manual_seed(0)
    net, a = nn.Linear(3, 1, **F64), parameter()

    def program() -> Any:
        before = torchopt.extract_state_dict(net)
        optimizer = torchopt.MetaAdam(net, lr=0.1)
        for _ in range(2):
            optimizer.step(net(a).square().sum())
        found = torch.autograd.grad(net(a).sum(), a)
        torchopt.recover_state_dict(net, before)
        return found

    return program


def dropped(mode: Any) -> Program:
    def objective(x: Tensor, a: Tensor) -> Tensor:
        return bowl(nn.functional.dropout(x, 0.5), a)

    inner = slope(torchopt.minimize, objective, solver=torchopt.sgd(0.1), steps=3, diff=mode)

    def program() -> Any:
        torch.manual_seed(0)
        return inner()

    return program


MODES = {"graph": diff.Explicit(), **POLICIES}
ROWS: dict[str, Callable[[], Program]] = {
    **{f"transform {case.name}": partial(transformed, case) for case in TRANSFORMS},
    **{f"term {name}": partial(differentiated, case) for name, case in TERMS.items()},
    **{f"set {case.name}": partial(differentiated, case) for case in SETS},
    **{f"system {name}": partial(system, *row) for name, row in LINEAR_SOLVERS.items()},
    **{
        f"solver {name}": partial(solved, *row)
        for name, row in other_solvers({}, SMOOTH | COMPOSITE).items()
    },
    **{
        f"estimator {name}": partial(estimated, cls)
        for name, cls in exported(diff.zero_order, diff.zero_order.Estimator).items()
    },
    **{f"mode {name}": partial(optimized, mode) for name, mode in MODES.items()},
    **{f"dropout {name}": partial(dropped, mode) for name, mode in MODES.items()},
    "mode OneStep": partial(optimized, diff.OneStep()),
    "mode ValueFunction": partial(optimized, diff.ValueFunction(steps=2)),
    "solver AugmentedLagrangian": constrained,
    "quadratic Implicit": partial(quadratic, diff.Implicit()),
    "quadratic CentralPath": partial(quadratic, diff.CentralPath(mu=0.1)),
    "layer Equilibrium": equilibrium,
    "layer QuadraticLayer": quadratic_layer,
    "layer of normalization": normalized,
    "sparse gradients": sparse,
    "MetaAdam": meta_optimized,
}


@pytest.mark.filterwarnings("ignore::torchopt.errors.NotConvergedWarning")
@pytest.mark.parametrize("name", ROWS)
def test_no_tensor_of_the_library_is_made_without_a_device(name: str) -> None:
    expected, program = ROWS[name]()(), ROWS[name]()
    with Forbidden(torch.device("meta", 0)):
        found = program()
    for x, y in zip(leaves(found), leaves(expected), strict=True):
        torch.testing.assert_close(x, y, rtol=0.0, atol=0.0, equal_nan=True)


@pytest.mark.parametrize("again", ["remat", "step"])
def test_what_is_computed_again_has_the_default_device_of_the_first_time(again: str) -> None:
    # The backward pass on a GPU runs in another thread, which has a default device of its own.
    seen: list[torch.device] = []

    def function(x: Tensor) -> Tensor:
        seen.append(torch.get_default_device())
        return (x**3).sum()

    x = torch.ones(2, **F64).requires_grad_()
    with torch.device("meta"):
        if again == "remat":
            value = torchopt.remat(function)(x)
        else:
            step = torchopt.minimize(
                function, x, solver=torchopt.sgd(0.1), steps=1, diff=diff.Explicit("step")
            )
            value = step.params.sum()
    count = len(seen)
    thread = threading.Thread(target=value.backward)
    thread.start()
    thread.join()
    assert x.grad is not None
    assert len(seen) > count
    assert set(seen) == {torch.device("meta")}
    assert torch.get_default_device() == HERE

"""task_map, sharded_hessian_operator, es_map and all_reduce_grads, against one process."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from _ranks import WORLD, Ranks, shared_ranks
from torch import nn

import torchopt
from torchopt.diff import zero_order as zo
from torchopt.distributed import spmd

pytestmark = pytest.mark.processes

Tensor = torch.Tensor
GEN = torch.Generator().manual_seed(0)
X, Y = (torch.randn(7, n, generator=GEN, dtype=torch.float64) for n in (3, 1))


@pytest.fixture(scope="module")
def ranks() -> Ranks:
    return shared_ranks()


def close(found: Any, expected: Any) -> None:
    torch.testing.assert_close(found, expected, rtol=1e-12, atol=1e-12)


def start() -> dict[str, Tensor]:
    gen = torch.Generator().manual_seed(1)
    return {
        "w": torch.randn(3, 4, generator=gen, dtype=torch.float64),
        "v": torch.randn(4, 1, generator=gen, dtype=torch.float64),
        "step": torch.tensor(0.1, dtype=torch.float64),
    }


# MAML


TASKS = [(torch.randn(4, 3, generator=GEN).double(), 0.5 * k + 1) for k in range(6)]


def adapted_loss(params: dict[str, Tensor], task: tuple[Tensor, float]) -> dict[str, Tensor]:
    x, amplitude = task

    def loss(weights: dict[str, Tensor]) -> Tensor:
        out = (x @ weights["w"]).tanh() @ weights["v"]
        return (out - amplitude * x.sum(1, keepdim=True).sin()).square().mean()

    weights = {name: params[name] for name in ("w", "v")}
    for _ in range(2):
        grads = torch.func.grad(loss)(weights)
        weights = {name: weights[name] - params["step"] * grads[name] for name in weights}
    return {"loss": loss(weights), "norm": weights["w"].norm()}


def meta_loss(found: dict[str, Tensor]) -> Tensor:
    return found["loss"].mean() + 0.1 * (found["norm"] ** 2).sum()


def maml(group: Any, count: int) -> list[Any]:
    params = {name: p.requires_grad_() for name, p in start().items()}
    found = spmd.task_map(adapted_loss, params, TASKS[:count], group=group)
    grads = torch.autograd.grad(meta_loss(found), list(params.values()), create_graph=True)
    second = torch.autograd.grad(sum((g**2).sum() for g in grads), list(params.values()))

    def functional(params: dict[str, Tensor]) -> Tensor:
        return meta_loss(spmd.task_map(adapted_loss, params, TASKS[:count], group=group))

    third = torch.func.jvp(torch.func.grad(functional), (start(),), (start(),))[1]
    return [found["loss"].detach(), [g.detach() for g in grads], second, third]


def serial_maml(count: int) -> list[Any]:
    def stacked(params: dict[str, Tensor]) -> dict[str, Tensor]:
        rows = [adapted_loss(params, task) for task in TASKS[:count]]
        return {name: torch.stack([row[name] for row in rows]) for name in rows[0]}

    params = {name: p.requires_grad_() for name, p in start().items()}
    found = stacked(params)
    grads = torch.autograd.grad(meta_loss(found), list(params.values()), create_graph=True)
    second = torch.autograd.grad(sum((g**2).sum() for g in grads), list(params.values()))
    functional = torch.func.grad(lambda params: meta_loss(stacked(params)))
    third = torch.func.jvp(functional, (start(),), (start(),))[1]
    return [found["loss"].detach(), [g.detach() for g in grads], second, third]


@pytest.mark.parametrize(("size", "count"), [(2, 5), (3, 2)])
def test_task_map_is_the_loop_over_all_tasks(ranks: Ranks, size: int, count: int) -> None:
    expected = serial_maml(count)
    for found in ranks.run(maml, count, size=size):
        assert torch.equal(found[0], expected[0])  # losses have the same bits
        close(found, expected)


# A rank's own tasks may be constant, or linear, so that it has no derivative of some order.
DEGREES = {"constant": (3, 0), "linear": (3, 1), "alone": (0, 3), "all constant": (0, 0)}


def graded(theta: Tensor, task: tuple[int, Tensor]) -> dict[str, Tensor]:
    degree, x = task
    first = (theta @ x) ** degree if degree else x.sum()
    return {"loss": first, "norm": first.detach() if degree < 3 else first.sin()}


def orders(function: Any) -> list[Tensor]:
    theta = torch.tensor([0.3, -0.7, 0.2], dtype=torch.float64)
    found, gradient = [], torch.func.grad(function)
    x = theta.clone().requires_grad_()
    (first,) = torch.autograd.grad(function(x), x, create_graph=True)
    (second,) = torch.autograd.grad((first * theta.cos()).sum(), x)
    found += [first.detach(), second, gradient(theta)]
    found.append(torch.func.jvp(gradient, (theta,), (theta.cos(),))[1])
    found.append(torch.func.grad(lambda t: (gradient(t) * theta.cos()).sum())(theta))
    found += [torch.func.hessian(function)(theta), torch.func.jacfwd(function)(theta)]
    return found


def graded_tasks(kind: str) -> list[tuple[int, Tensor]]:
    return [(DEGREES[kind][k >= 2], TASKS[k][0][0]) for k in range(4)]


def graded_loss(found: dict[str, Tensor]) -> Tensor:
    return (found["loss"] ** 2).sum() + found["loss"].mean() + found["norm"].sum()


def uneven(group: Any, kind: str) -> list[Tensor]:
    tasks = graded_tasks(kind)
    found = orders(lambda t: graded_loss(spmd.task_map(graded, t, tasks, group=group)))
    after = spmd.psum(torch.ones(1), group=group)  # which must meet nothing that was left over
    return [*found, after]


@pytest.mark.parametrize("kind", DEGREES)
def test_task_map_is_right_where_tasks_of_a_rank_do_not_depend_on_parameters(
    ranks: Ranks, kind: str
) -> None:
    tasks = graded_tasks(kind)

    def serial(theta: Tensor) -> Tensor:
        rows = [graded(theta, task) for task in tasks]
        found = {name: torch.stack([row[name] for row in rows]) for name in rows[0]}
        return graded_loss(found) + 0 * (theta**3).sum()  # so that it has all derivatives

    expected = [*orders(serial), torch.full((1,), 2.0)]
    for found in ranks.run(uneven, kind, size=2):
        close(found, expected)


# Hessians and implicit differentiation


def rows_of(group: Any) -> slice:
    sizes = {1: [7], 2: [5, 2], 3: [1, 4, 2], 4: [2, 1, 3, 1]}[group.size()]
    begin = sum(sizes[: group.rank()])
    return slice(begin, begin + sizes[group.rank()])


def mean_loss(w: Tensor, x: Tensor, y: Tensor) -> Tensor:
    return ((x @ w).tanh() - y).square().mean() + 2 * (w**2).sum()


def hessian(group: Any) -> list[Tensor]:
    mine, w = rows_of(group), start()["w"][:, :1]
    found = []
    for hvp in ("reverse", "forward"):
        H = spmd.sharded_hessian_operator(
            lambda w: mean_loss(w, X[mine], Y[mine]), w, group=group, weight=len(X[mine]), hvp=hvp
        )
        found += [H(w.cos()).detach(), torchopt.linear_solve.CG(rtol=1e-13)(H, w.cos()).detach()]
    return found


@pytest.mark.parametrize("size", [1, 3])
def test_sharded_hessian_operator_is_the_product_with_the_whole_hessian(
    ranks: Ranks, size: int
) -> None:
    w = start()["w"][:, :1]
    H = torch.func.hessian(mean_loss)(w, X, Y).reshape(3, 3)
    v = w.cos()
    for found in ranks.run(hessian, size=size):
        for product, solved in (found[:2], found[2:]):
            close(product, H @ v)
            torch.testing.assert_close(solved, torch.linalg.solve(H, v), rtol=1e-9, atol=1e-11)


def ridge(group: Any) -> list[Tensor]:
    mine = rows_of(group)

    def inner(w: Tensor, penalty: Tensor) -> Tensor:
        w = spmd.pvary(w, group=group)
        share = len(X[mine]) / len(X)
        data = (X[mine] @ w - Y[mine]).square().mean() * share
        return spmd.psum(data, group=group) + penalty.exp() * spmd.pmean((w**2).sum(), group=group)

    penalty = torch.tensor(-1.0, dtype=torch.float64, requires_grad=True)
    solution = torchopt.minimize(
        inner,
        torch.zeros(3, 1, dtype=torch.float64),
        (penalty,),
        solver=torchopt.solver.LBFGS(rtol=0.0, atol=1e-13),
        diff=torchopt.diff.Implicit(torchopt.linear_solve.CG(rtol=1e-13)),
    )
    outer = (solution.params**3).sum()
    (first,) = torch.autograd.grad(outer, penalty, create_graph=True)
    (second,) = torch.autograd.grad(first, penalty)
    return [solution.params.detach(), first.detach(), second]


def test_implicit_differentiation_over_sharded_data_equals_the_closed_form(ranks: Ranks) -> None:
    def closed(penalty: Tensor) -> Tensor:
        A = X.mT @ X / len(X) + penalty.exp() * torch.eye(3, dtype=torch.float64)
        return torch.linalg.solve(A, X.mT @ Y / len(X))

    penalty = torch.tensor(-1.0, dtype=torch.float64)
    outer = lambda p: (closed(p) ** 3).sum()  # noqa: E731
    expected = [closed(penalty), *(f(penalty) for f in (torch.func.grad(outer),))]
    second = torch.func.grad(torch.func.grad(outer))(penalty)
    for found in ranks.run(ridge, size=3):
        torch.testing.assert_close(found, [*expected, second], rtol=1e-8, atol=1e-10)


# Evolution strategies


def rugged(params: dict[str, Tensor]) -> Tensor:
    noise = torch.rand(())  # the function's own random number
    return (params["w"].sin().sum() * 100).round() / 100 + noise.double() * params["v"].sum()


def estimates(group: Any) -> list[Tensor]:
    torch.manual_seed(group.rank())  # which must not matter
    found: list[Tensor] = []
    for estimator in (zo.Antithetic(num_samples=5, sigma=0.1), zo.Coordinate(sigma=0.1)):
        params = {name: p.requires_grad_() for name, p in start().items()}
        value = spmd.es_map(rugged, estimator, generator=3, group=group)(params)
        (w, v) = torch.autograd.grad(value, [params["w"], params["v"]])
        found += [value.detach(), w, v]
    return found


def test_an_estimate_has_the_same_bits_on_any_number_of_processes(ranks: Ranks) -> None:
    (expected,) = ranks.run(estimates, size=1)
    assert expected[1].norm() > 0
    for size in (2, 3, WORLD):
        for found in ranks.run(estimates, size=size):
            assert all(torch.equal(a, b) for a, b in zip(found, expected, strict=True))


# Gradients in parameters


def trained(group: Any) -> tuple[list[Tensor], Any, Any]:
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1)).double()
    rare, unused = (nn.Parameter(torch.ones(2)) for _ in range(2))
    mine = rows_of(group)
    params = [*net.parameters(), rare, unused]
    optimizer = torch.optim.Adam(params, lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        (net(X[mine]) - Y[mine]).square().mean().backward()
        if group.rank() == 0:  # 2 with the weight of the rank
            (2 * rare.sum() * len(X) / len(X[mine])).backward()
        spmd.all_reduce_grads(params, group=group, weight=len(X[mine]))
        optimizer.step()
    return [p.detach() for p in params], unused.grad, rare.grad


def test_all_reduce_grads_trains_as_one_process_does(ranks: Ranks) -> None:
    ((expected, _, _),) = ranks.run(trained, size=1)
    for params, unused, rare in ranks.run(trained, size=3):
        close(params, expected)
        assert unused is None
        close(rare, torch.full((2,), 2.0))


def own_directions(group: Any) -> str:
    mode = torchopt.diff.ZeroOrder(
        zo.Antithetic(num_samples=2), spmd.Sharded(group=group), generator=group.rank()
    )
    x = torch.ones(3, requires_grad=True)
    try:
        mode(torch.sum)(x).backward()
    except RuntimeError as error:
        return str(error)
    return "nothing was raised"


def test_directions_that_differ_between_ranks_are_refused(ranks: Ranks) -> None:
    assert all("the same on each rank" in text for text in ranks.run(own_directions, size=2))

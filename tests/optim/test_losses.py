"""L-BFGS, Sophia, MoMo and Polyak's step size: optimizers that read the loss, and their classes."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
import torch

import torchopt
from _trees import generator, random_tensor
from torchopt import transform

Loss = Callable[[torch.Tensor], torch.Tensor]
CURVATURES = torch.tensor([4.0, 1.0, 0.3, 2.0], dtype=torch.float64)


def quadratic(x: torch.Tensor) -> torch.Tensor:
    return (CURVATURES * (x - 1).square()).sum() / 2 + 0.2 * x.sum().square()


def rosenbrock(x: torch.Tensor) -> torch.Tensor:
    return (1 - x[0]) ** 2 + 100 * (x[1] - x[0] ** 2) ** 2


START = {
    quadratic: torch.tensor([1.3, -0.7, 0.4, 2.0], dtype=torch.float64),
    rosenbrock: torch.tensor([-1.2, 1.0], dtype=torch.float64),
}
every_loss = pytest.mark.parametrize("loss", START)


def path(make: Callable[..., Any], loss: Loss, steps: int) -> list[torch.Tensor]:
    """Return the parameters after each step of an optimizer with a closure."""
    x = START[loss].clone().requires_grad_()
    optimizer = make([x])

    def closure() -> torch.Tensor:
        optimizer.zero_grad()
        value = loss(x)
        value.backward()
        return value

    points = []
    for _ in range(steps):
        optimizer.step(closure)
        points.append(x.detach().clone())
    return points


@every_loss
@pytest.mark.parametrize(("memory", "lr"), [(10, 0.5), (2, 0.3)])
def test_iterates_without_line_search_equal_those_of_torch_optim(
    loss: Loss, memory: int, lr: float
) -> None:
    g = torch.func.grad(loss)(START[loss])
    # The first step there has the 1-norm of the gradient, and here the 2-norm.
    first = lr * g.norm().clamp(min=1.0) / g.abs().sum().clamp(min=1.0)
    options = {"history_size": memory, "linesearch": None}

    def rate(count: torch.Tensor) -> torch.Tensor:
        return torch.where(count == 0, first, lr)

    expected = path(
        lambda p: torch.optim.LBFGS(p, lr, max_iter=1, history_size=memory), loss, steps=15
    )
    points = [START[loss], *expected]
    grads = [torch.func.grad(loss)(x) for x in points]
    # torch.optim leaves out pairs below this: none is here.
    assert all(
        (x - y) @ (g - h) > 1e-10
        for (x, y), (g, h) in zip(pairwise(points), pairwise(grads), strict=True)
    )
    assert (expected[-1] - START[loss]).norm() > 0.1
    actual = path(lambda p: torchopt.optim.LBFGS(p, rate, **options), loss, steps=15)
    for found, reference in zip(actual, expected, strict=True):
        torch.testing.assert_close(found, reference, rtol=1e-9, atol=1e-9)


@every_loss
def test_a_step_of_either_class_is_that_of_minimize(loss: Loss) -> None:
    solution = torchopt.minimize(loss, START[loss], solver=torchopt.lbfgs(), steps=15)
    torch.testing.assert_close(path(torchopt.optim.LBFGS, loss, 15)[-1], solution.params)

    class Point(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.x = torch.nn.Parameter(START[loss].clone())

        def forward(self) -> torch.Tensor:
            return loss(self.x)

    point = Point()
    optimizer = torchopt.MetaOptimizer(point, torchopt.lbfgs())
    for _ in range(15):
        optimizer.step(point(), point)
    torch.testing.assert_close(point.x, solution.params)


@pytest.mark.parametrize(
    "make",
    [
        torchopt.lbfgs,
        lambda: torchopt.optimizers.sophia(
            0.1, gamma=0.5, hessian_diagonal_fn=transform.hutchinson(generator(3))
        ),
    ],
    ids=["lbfgs", "sophia"],
)
def test_meta_steps_have_the_derivatives_of_minimize(make: Any) -> None:
    x, y = random_tensor(generator(1), (6, 3)), random_tensor(generator(2), (6, 1))
    scale = torch.tensor(0.8, dtype=torch.float64, requires_grad=True)
    net = torch.nn.Linear(3, 1).double()
    start = {name: p.detach().clone().requires_grad_() for name, p in net.named_parameters()}
    other = {name: p.clone() for name, p in start.items()}
    with torch.no_grad():
        for name, p in net.named_parameters():
            p.copy_(start[name])
    begin = dict(net.named_parameters())

    def closure() -> torch.Tensor:
        return (net(scale * x) - y).square().mean() + net(x).sin().mean()

    def objective(params: Any, scale: torch.Tensor) -> torch.Tensor:
        def at(x: torch.Tensor) -> torch.Tensor:
            return x @ params["weight"].T + params["bias"]

        return (at(scale * x) - y).square().mean() + at(x).sin().mean()

    optimizer = torchopt.MetaOptimizer(net, make())
    for _ in range(3):
        optimizer.step(closure(), closure)
    found = dict(net.named_parameters())
    expected = torchopt.minimize(objective, other, (scale,), solver=make(), steps=3).params
    for name in start:
        torch.testing.assert_close(found[name], expected[name])
    slopes, references = (
        torch.autograd.grad(sum(p.square().sum() for p in end.values()), [scale, *first.values()])
        for end, first in ((found, begin), (expected, start))
    )
    torch.testing.assert_close(slopes, references)


@pytest.mark.parametrize("name", ["MoMo", "PolyakSGD"])
def test_classes_that_read_the_loss_take_the_steps_of_minimize(name: str) -> None:
    make = getattr(torchopt.optimizers, name.lower().replace("sgd", "_sgd"))
    expected = torchopt.minimize(quadratic, START[quadratic], solver=make(0.3), steps=4).params
    found = path(lambda p: getattr(torchopt.optim, name)(p, 0.3), quadratic, 4)[-1]
    torch.testing.assert_close(found, expected)
    net = torch.nn.Linear(4, 1, bias=False).double()
    with torch.no_grad():
        net.weight.copy_(START[quadratic])
    optimizer = torchopt.MetaOptimizer(net, make(0.3))
    for _ in range(4):
        optimizer.step(quadratic(net.weight[0]))
    torch.testing.assert_close(net.weight[0], expected)


def test_a_closure_leaves_the_module_as_it_was_also_after_an_error() -> None:
    net = torch.nn.Linear(2, 1).double()
    optimizer = torchopt.MetaOptimizer(net, torchopt.lbfgs())
    before = dict(net.named_parameters())
    calls = []

    def closure() -> torch.Tensor:
        calls.append(net.weight)
        raise KeyError("a user's error")

    with pytest.raises(KeyError, match="a user's error"):
        optimizer.step(net(torch.ones(1, 2, dtype=torch.float64)).square().sum(), closure)
    assert calls[0] is not before["weight"]
    assert all(p is before[name] for name, p in net.named_parameters())

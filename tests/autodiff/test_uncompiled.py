"""What is left alone by torch.compile costs nothing to those who do not compile."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn

import torchopt

# Dynamo looks at the `grad` of what is no leaf.
pytestmark = pytest.mark.filterwarnings("ignore:The .grad attribute of a Tensor")


class Cubes(nn.Module):
    """The sum of ``exp(w * y)``: of its backward pass only the output is kept."""

    def __init__(self) -> None:
        super().__init__()
        self.inner = Exponential()

    def forward(self, y: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
        return self.inner(y, w).sum()


class Exponential(nn.Module):
    def forward(self, y: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
        return torch.exp(w * y)


def a_function() -> Any:
    return torch.compile(lambda y, w: torch.exp(w * y).sum(), backend="aot_eager")


def a_module() -> Any:
    return torch.compile(Cubes(), backend="aot_eager")


def a_module_in_place() -> Any:
    module = Cubes()
    module.compile(backend="aot_eager")
    return module


def a_submodule() -> Any:
    module = Cubes()
    module.inner.compile(backend="aot_eager")
    return module


COMPILED = [a_function, a_module, a_module_in_place, a_submodule]


def started() -> tuple[torch.Tensor, torch.Tensor]:
    torch._dynamo.reset()
    x = torch.tensor([0.5, -1.0], dtype=torch.float64, requires_grad=True)
    return x, torch.tensor(0.3, dtype=torch.float64, requires_grad=True)


@pytest.mark.parametrize("made", COMPILED)
@pytest.mark.compiled
def test_what_is_compiled_is_not_differentiated_twice(made: Callable[[], Any]) -> None:
    x, w = started()
    compiled = made()
    solution = torchopt.minimize(lambda y: compiled(y, w), x, solver=torchopt.sgd(0.1), steps=2)
    for variable in (x, w):
        with pytest.raises(RuntimeError, match=r"calls what torch\.compile has .*compile=True"):
            torch.autograd.grad(solution.params.sum(), variable, retain_graph=True)


def test_meta_optimizers_refuse_what_is_compiled() -> None:
    x, w = started()
    compiled = a_submodule()

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.y = nn.Parameter(x.detach().clone())

    net = Net()
    optimizer = torchopt.MetaSGD(net, lr=0.1)
    optimizer.step(compiled(net.y, w))
    (moved,) = torchopt.compat.FuncOptimizer(torchopt.sgd(0.1)).step(compiled(x, w), (x,))
    for y in (net.y, moved):
        with pytest.raises(RuntimeError, match=r"torch\.compile has compiled"):
            y.sum().backward()


def test_first_order_derivatives_go_through_what_is_compiled() -> None:
    x, w = started()
    compiled = a_function()
    eager = lambda y, w: torch.exp(w * y).sum()  # noqa: E731
    for mode in (
        torchopt.diff.Explicit(first_order=True),
        torchopt.diff.ZeroOrder(torchopt.diff.zero_order.Antithetic(num_samples=2), generator=0),
    ):
        expected, found = (
            torch.autograd.grad(
                torchopt.minimize(
                    f, x, (w,), solver=torchopt.sgd(0.1), steps=2, diff=mode
                ).params.sum(),
                x,
            )
            for f in (eager, compiled)
        )
        torch.testing.assert_close(found, expected)
    with torch.no_grad():
        plain = torchopt.minimize(compiled, x, (w,), solver=torchopt.sgd(0.1), steps=2)
    y = x.detach()
    for _ in range(2):
        y = y - 0.1 * w.detach() * torch.exp(w.detach() * y)
    torch.testing.assert_close(plain.params, y)


@pytest.mark.compiled
def test_compiled_code_beside_the_parameters_is_right() -> None:
    _, w = started()
    start = torch.tensor([0.5, -1.0], dtype=torch.float64)
    target = torch.compile(torch.exp, backend="aot_eager")

    def objective(y: torch.Tensor) -> torch.Tensor:
        return ((y - target(w)) ** 2).sum() / 2

    solution = torchopt.minimize(objective, start, solver=torchopt.sgd(0.1), steps=3)
    (found,) = torch.autograd.grad(solution.params.sum(), w)
    torch.testing.assert_close(found, 2 * (1 - 0.9**3) * w.detach().exp())


def squares() -> Any:
    """Return what keeps no argument for its backward pass: PyTorch's double backward is silent."""
    return torch.compile(lambda y, w: ((y - w) ** 2).sum(), backend="aot_eager")


def test_levels_run_what_is_compiled_as_it_is_written() -> None:
    x, w = started()
    compiled = squares()
    lower = torchopt.multilevel.Level(
        "y", lambda y, values, _: compiled(y, values["w"]), solver=torchopt.sgd(0.1), steps=2
    )
    program = torchopt.multilevel.Level(
        "w", lambda _, values, __: values["y"].sum(), solver=torchopt.sgd(0.1), lowers=[lower]
    )
    state = program.init({"w": w.detach(), "y": x.detach()})
    moved = program.params(program.step(state).state)["w"]
    # Each of two elements has the derivative `1 - 0.8²` after two steps.
    torch.testing.assert_close(moved, w.detach() - 0.1 * 2 * (1 - 0.8**2))


@pytest.mark.parametrize(
    "mode",
    [
        torchopt.diff.Implicit(),
        torchopt.diff.OneStep(0.1, hvp="finite_difference"),
        torchopt.diff.Explicit(),
    ],
)
def test_solvers_run_an_objective_that_takes_gradients_as_it_is_written(mode: Any) -> None:
    x, w = started()
    compiled = squares()

    def objective(y: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
        (slope,) = torch.autograd.grad(compiled(y, w), [y], create_graph=True)
        return slope.square().sum() + y.square().sum()  # of 2 (y - w)

    with torch.set_grad_enabled(not isinstance(mode, torchopt.diff.Explicit)):
        solution = torchopt.minimize(
            objective, x.detach(), (w,), solver=torchopt.sgd(0.05), steps=60, diff=mode
        )
    expected = (0.8 * w.detach()).expand(2)
    torch.testing.assert_close(solution.params.detach(), expected, rtol=1e-6, atol=1e-8)
    if isinstance(mode, torchopt.diff.Implicit):
        (found,) = torch.autograd.grad(solution.params.sum(), w)
        torch.testing.assert_close(found, torch.tensor(1.6, dtype=torch.float64))


@pytest.mark.parametrize("made", [squares, a_function])
def test_a_gradient_in_an_objective_through_what_is_compiled_is_refused(
    made: Callable[[], Any],
) -> None:
    x, w = started()
    compiled = made()

    def objective(y: torch.Tensor) -> torch.Tensor:
        (slope,) = torch.autograd.grad(compiled(y, w), [y], create_graph=True)
        return (slope * y).sum() + (y * w).sin().sum()

    with pytest.raises(RuntimeError, match=r"torch\.compile has compiled"):
        torchopt.minimize(objective, x, solver=torchopt.sgd(0.1), steps=2)


def by_tasks(compiled: Any, y: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    def adapted(scale: torch.Tensor) -> torch.Tensor:
        solver = torchopt.sgd(0.1)
        return torchopt.minimize(compiled, y, (w * scale,), solver=solver, steps=3).params

    return torchopt.vmap_tasks(adapted)(torch.ones(2, dtype=torch.float64)).mean(0)


def by(diff: Any, *, closed_over: bool = False, **options: Any) -> Any:
    options = options or {"solver": torchopt.sgd(0.1), "steps": 3}

    def solve(compiled: Any, y: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
        objective, args = ((lambda y: compiled(y, w)), ()) if closed_over else (compiled, (w,))
        return torchopt.minimize(objective, y, args, diff=diff, **options).params

    return solve


#: Programs, and how far they go from the start to the minimum, which is `w`.
PROGRAMS: dict[str, tuple[Any, float]] = {
    "tasks": (by_tasks, 1 - 0.8**3),
    "implicit": (by(torchopt.diff.Implicit(), solver=torchopt.solver.LBFGS()), 1.0),
} | {
    f"{mode!r}, {closed_over}": (by(mode, closed_over=closed_over), 1 - 0.8**3)
    for mode in (
        torchopt.diff.Explicit("step"),
        torchopt.diff.Explicit("sqrt", hvp="forward"),
        torchopt.diff.Explicit("step", hvp="finite_difference"),
        torchopt.diff.Explicit("forward"),
    )
    for closed_over in (False, True)
}


@pytest.mark.parametrize("program", PROGRAMS)
def test_what_has_derivatives_of_its_own_runs_the_objective_as_it_is_written(program: str) -> None:
    x, w = started()
    solve, share = PROGRAMS[program]
    (found,) = torch.autograd.grad(solve(squares(), x.detach(), w).sum(), w)
    torch.testing.assert_close(found, torch.tensor(2 * share, dtype=torch.float64))

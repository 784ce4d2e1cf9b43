"""A kind of problem of a program's own: the lasso, by what a proximal gradient step leaves as it is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import pytest
import torch

import torchopt
from torchopt import diff
from torchopt.solver import FlatProblem, Newton, Solver

DTYPE = torch.float64
A = torch.tensor(
    [[1.0, 0.4, -0.3], [0.2, 1.3, 0.5], [-0.6, 0.1, 0.9], [0.7, -0.2, 0.8]], dtype=DTYPE
)
B = torch.tensor([1.5, 0.2, 0.9, 2.0], dtype=DTYPE)
WEIGHTS = torch.tensor([1.0, -0.7, 0.4], dtype=DTYPE)
PHI = torch.tensor(-0.5, dtype=DTYPE)
STEP = 0.3
SUPPORT, SIGNS = [0, 2], torch.tensor([1.0, 1.0], dtype=DTYPE)


@dataclass(frozen=True)
class Composite(diff.ProblemKind):
    """Minimize ``f(x) + g(x)``, where ``g`` has a proximal operator."""

    smooth: Callable[..., torch.Tensor]
    prox: Callable[..., torch.Tensor]

    def residual(self, x: torch.Tensor, args: tuple[Any, ...]) -> torch.Tensor:
        gradient = torch.func.grad(self.smooth)(x, *args)
        return x - self.prox(x - STEP * gradient, *args)


def smooth(x: torch.Tensor, b: torch.Tensor, phi: torch.Tensor) -> torch.Tensor:
    return (A @ x - b).square().sum() / 2


def shrink(x: torch.Tensor, b: torch.Tensor, phi: torch.Tensor) -> torch.Tensor:
    return x.sign() * (x.abs() - STEP * phi.exp()).relu()


class Residual(NamedTuple):
    residual: torch.Tensor


class ProximalGradient(Solver[Residual]):
    """A solver for this kind only, which calls functions of the kind itself."""

    kinds = frozenset({Composite})

    def init(self, problem: FlatProblem, x: torch.Tensor) -> Residual:
        return Residual(problem.residual(x))

    def step(
        self, problem: FlatProblem, x: torch.Tensor, state: Residual
    ) -> tuple[torch.Tensor, Residual]:
        kind = problem.kind
        assert isinstance(kind, Composite)
        gradient = torch.func.grad(kind.smooth)(x, *problem.args)
        x = kind.prox(x - STEP * gradient, *problem.args)
        return x, Residual(problem.residual(x))


LASSO = Composite(smooth, shrink)
START = torch.tensor([0.9, 0.1, 0.8], dtype=DTYPE)


def closed_form(b: torch.Tensor, phi: torch.Tensor) -> torch.Tensor:
    """The solution on its support, where the signs are known."""
    A_S = A[:, SUPPORT]
    on_support = torch.linalg.solve(A_S.T @ A_S, A_S.T @ b - phi.exp() * SIGNS)
    zero = torch.zeros_like(on_support[0])
    return torch.stack([on_support[0], zero, on_support[1]])


def proximal(b: torch.Tensor, phi: torch.Tensor, mode: Any = None) -> torch.Tensor:
    solver = ProximalGradient(rtol=0.0, atol=1e-13, maxiter=1000)
    return torchopt.solver.solve(
        LASSO, START, (b, phi), solver=solver, diff=mode or diff.Implicit()
    ).params


def descent(b: torch.Tensor, phi: torch.Tensor, mode: Any = None) -> torch.Tensor:
    options: dict[str, Any] = {"steps": 50} if mode else {"maxiter": 400, "atol": 1e-13}
    return torchopt.solver.solve(
        LASSO, START, (b, phi), solver=torchopt.sgd(1.0), diff=mode or diff.Implicit(), **options
    ).params


def function(b: torch.Tensor, phi: torch.Tensor) -> torch.Tensor:
    def lasso(start: torch.Tensor, b: torch.Tensor, phi: torch.Tensor) -> torch.Tensor:
        return closed_form(b, phi).detach()

    return torchopt.solver.solve(LASSO, START, (b, phi), solver=lasso).params


def newton(b: torch.Tensor, phi: torch.Tensor) -> torch.Tensor:
    return torchopt.solver.solve(LASSO, START, (b, phi), solver=Newton(rtol=0.0, atol=1e-12)).params


@pytest.mark.parametrize("solve", [proximal, descent, function, newton])
def test_derivatives_are_those_of_the_closed_form(solve: Any) -> None:
    def loss(x: Any, b: torch.Tensor, phi: torch.Tensor) -> Any:
        return (WEIGHTS @ x(b, phi) - 0.3).square()

    inputs = B.clone().requires_grad_(), PHI.clone().requires_grad_()
    found = torch.autograd.grad(loss(solve, *inputs), inputs, create_graph=True)
    wanted = torch.autograd.grad(loss(closed_form, *inputs), inputs, create_graph=True)
    torch.testing.assert_close(found, wanted)
    second = [torch.autograd.grad(g.sum(), inputs) for g in (found[1], wanted[1])]
    torch.testing.assert_close(*second)

    tangents = torch.ones_like(B), torch.tensor(0.4, dtype=DTYPE)
    torch.testing.assert_close(
        torch.func.jvp(solve, (B, PHI), tangents), torch.func.jvp(closed_form, (B, PHI), tangents)
    )
    phis = PHI + torch.tensor([0.0, 0.1, -0.2], dtype=DTYPE)
    batched = torch.func.vmap(torch.func.jacrev(solve, argnums=1), in_dims=(None, 0))
    torch.testing.assert_close(batched(B, phis), phis.exp()[:, None] * _slope())


def _slope() -> torch.Tensor:
    return torch.func.jacrev(closed_form, argnums=1)(B, torch.zeros_like(PHI))


@pytest.mark.parametrize(
    ("mode", "tolerance"),
    [(diff.Explicit(), 1e-9), (diff.ZeroOrder(diff.zero_order.Coordinate(sigma=1e-4)), 1e-6)],
    ids=["explicit", "zero order"],
)
def test_each_mode_differentiates_a_solver_of_ones_own(mode: Any, tolerance: float) -> None:
    inputs = B.clone().requires_grad_(), PHI.clone().requires_grad_()
    found = torch.autograd.grad(WEIGHTS @ proximal(*inputs, mode=mode), inputs)
    wanted = torch.autograd.grad(WEIGHTS @ closed_form(*inputs), inputs)
    torch.testing.assert_close(found, wanted, rtol=tolerance, atol=tolerance)


def test_a_solver_of_ones_own_kind_runs_in_the_users_units() -> None:
    def far(x: torch.Tensor, b: torch.Tensor, phi: torch.Tensor) -> torch.Tensor:
        return smooth(x / 1e6, b, phi) * 1e12

    def shrink_far(x: torch.Tensor, b: torch.Tensor, phi: torch.Tensor) -> torch.Tensor:
        return shrink(x / 1e6, b, phi) * 1e6

    solution = torchopt.solver.solve(
        Composite(far, shrink_far), 1e6 * START, (B, PHI), solver=ProximalGradient(maxiter=1000)
    )
    assert solution.converged
    torch.testing.assert_close(solution.params, 1e6 * closed_form(B, PHI))


class Consistent(diff.ProblemKind):
    """Linear equations of a tree, with an auxiliary output."""

    has_aux = True
    symmetric = True

    def __init__(self) -> None:
        self.scale = torch.tensor([2.0, 5.0], requires_grad=True)

    def residual(self, x: dict[str, torch.Tensor], args: tuple[Any, ...]) -> tuple[Any, Any]:
        residual = {"a": self.scale * x["a"] - args[0], "b": 4 * x["b"] - x["b"].new_ones(1)}
        return residual, x["a"].sum()


def test_auxiliary_output_batches_and_what_the_kind_holds() -> None:
    kind = Consistent()
    start = {"a": torch.zeros(2), "b": torch.zeros(1)}
    batches = torch.tensor([[2.0, 10.0], [6.0, 20.0]]).repeat(100, 1)
    solution = torchopt.solver.solve(kind, start, solver=torchopt.sgd(0.01), steps=200, batches=batches,
        diff=diff.Implicit())  # fmt: skip
    # The mean residual is zero at `mean / scale`.
    (found,) = torch.autograd.grad(solution.params["a"].sum(), kind.scale)
    x = solution.params["a"].detach()
    torch.testing.assert_close(found, -x / kind.scale.detach())
    assert solution.aux is not None

    exact = torchopt.solver.solve(kind, start, (torch.tensor([2.0, 10.0]),), solver=Newton())
    torch.testing.assert_close(exact.params["a"], torch.tensor([1.0, 2.0]))
    torch.testing.assert_close(exact.params["b"], torch.tensor([0.25]))
    torch.testing.assert_close(exact.aux, torch.tensor(3.0))


def test_sentences() -> None:
    refused = "`ProximalGradient` is a solver for problems of kind `Composite`, not for `Root`: use"
    with pytest.raises(ValueError, match=refused + r" `torchopt.solver.Newton\(\)`.$"):
        torchopt.root(lambda x: x, torch.ones(2), solver=ProximalGradient())
    with pytest.raises(
        ValueError, match=r"of kind `Minimum`, not for `Composite`: use `.*Newton\(\)`"
    ):
        torchopt.solver.solve(LASSO, START, (B, PHI), solver=torchopt.solver.LBFGS())
    with pytest.raises(TypeError, match="`kind` is an object of type function: pass one of a sub"):
        torchopt.solver.solve(smooth, START, solver=ProximalGradient())  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="but this is a `Composite`"):
        torchopt.solver.solve(
            LASSO, START, (B, PHI), solver=torchopt.sgd(1.0), steps=1, diff=diff.OneStep()
        )
    with pytest.raises(ValueError, match="this problem is a `Composite`"):
        torchopt.solver.solve(
            LASSO,
            START,
            (B, PHI.clone().requires_grad_()),
            solver=torchopt.sgd(1.0),
            steps=1,
            diff=diff.Explicit(memory="step", hvp="forward"),
        )
    with pytest.raises(ValueError, match="needs residuals"):
        torchopt.solver.solve(
            LASSO,
            START,
            (B, PHI),
            solver=ProximalGradient(),
            diff=diff.Implicit(hvp="gauss_newton"),
        )
    wrong = Composite(smooth, lambda x, *_: x[:2].sum().expand(2, 3))
    with pytest.raises(ValueError, match=r"`residual\(params\)` has shape \(2, 3\)"):
        torchopt.solver.solve(wrong, START, (B, PHI), solver=torchopt.sgd(1.0), steps=1)


class Objective(Solver[Residual]):
    """Asks a root for an objective."""

    kinds = frozenset({diff.Root})

    def init(self, problem: FlatProblem, x: torch.Tensor) -> Residual:
        return Residual(problem.value(x).expand_as(x))

    def step(self, problem: Any, x: Any, state: Any) -> Any:
        raise AssertionError


def test_a_solver_that_asks_for_what_the_kind_has_not() -> None:
    with pytest.raises(TypeError, match="asks for the objective of a problem of kind `Composite`"):
        torchopt.solver.solve(LASSO, START, (B, PHI), solver=Objective())


class Above(diff.Minimum):
    """A kind that derives from a ready-made one."""


class Below(Composite):
    """A kind that derives from one of a program."""


def test_a_kind_is_solved_by_the_solvers_of_its_bases() -> None:
    kind = Above(lambda x: (x - 3).square().sum())
    solution = torchopt.solver.solve(kind, torch.zeros(2), solver=torchopt.solver.LBFGS())
    torch.testing.assert_close(solution.params, torch.full((2,), 3.0))
    solver = ProximalGradient(rtol=0.0, atol=1e-13, maxiter=1000)
    solution = torchopt.solver.solve(Below(smooth, shrink), START, (B, PHI), solver=solver)
    torch.testing.assert_close(solution.params, closed_form(B, PHI))


@pytest.mark.parametrize(
    ("kinds", "sentence"),
    [
        (
            None,
            r"`Mine` has no `kinds`: list the classes of problems .* `kinds = \{.*Minimum\}`\.$",
        ),
        (diff.Root, "`kinds` of `Mine` is the class Root: pass a set of classes"),
        ("root", "`kinds` of `Mine` is an object of type str: pass a set of classes"),
        ({"root"}, "`kinds` of `Mine` is an object of type str: list subclasses"),
        ({diff.Root, Solver}, "`kinds` of `Mine` is the class Solver: list subclasses"),
    ],
)
def test_kinds_are_checked_when_the_class_is_made(kinds: Any, sentence: str) -> None:
    body = {"init": ProximalGradient.init, "step": ProximalGradient.step}
    with pytest.raises(TypeError, match=sentence):
        type("Mine", (Solver,), body if kinds is None else {**body, "kinds": kinds})


@pytest.mark.parametrize(
    ("returned", "words"),
    [
        (
            lambda x, state: x,
            r"a tensor of shape \(2,\): return a tuple `\(x, state\)`, the first a",
        ),
        (lambda x, state: state, "an object of type Pair with 2 entries: return a tuple"),
        (
            lambda x, state: (state, x),
            "an object of type Pair with 2 entries as its first entry: ret",
        ),
        (lambda x, state: (x[:1], state), r"a tensor of shape \(1,\) as its first entry: return"),
    ],
)
@pytest.mark.parametrize("mode", [None, diff.Explicit("step")], ids=["implicit", "step"])
def test_a_step_that_returns_no_pair_is_refused(returned: Any, words: str, mode: Any) -> None:
    class Pair(NamedTuple):
        residual: torch.Tensor
        other: torch.Tensor

    class Mine(Solver[Any]):
        kinds = frozenset({diff.Root})

        def init(self, problem: FlatProblem, x: torch.Tensor) -> Any:
            return Pair(problem.residual(x), x)

        def step(self, problem: FlatProblem, x: torch.Tensor, state: Any) -> Any:
            return returned(x, state)

    a = torch.ones(2, requires_grad=True)
    with pytest.raises(TypeError, match="^`Mine.step` returned " + words):
        torchopt.root(lambda x, a: x - a, torch.zeros(2), (a,), solver=Mine(), diff=mode)


def test_a_state_without_a_residual_is_refused() -> None:
    class Mine(ProximalGradient):
        kinds = frozenset({diff.Root})

        def init(self, problem: FlatProblem, x: torch.Tensor) -> Any:
            return x

    with pytest.raises(TypeError, match=r"`Mine.init` returned an object of type Tensor: return"):
        torchopt.root(lambda x: x, torch.ones(2), solver=Mine())

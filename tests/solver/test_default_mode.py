"""By default steps of a given number are unrolled, and all else is differentiated as a solution."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import pytest
import torch

import torchopt
from torchopt.diff import Explicit
from torchopt.errors import TorchOptWarning
from torchopt.solver import (
    LBFGS,
    Anderson,
    Broyden,
    FixedPointIteration,
    GaussNewton,
    LevenbergMarquardt,
    Newton,
)


def _phi() -> torch.Tensor:
    return torch.tensor(0.7, dtype=torch.float64, requires_grad=True)


def _x0() -> torch.Tensor:
    return torch.tensor([0.5, -0.2], dtype=torch.float64)


_C = torch.tensor([1.0, 3.0], dtype=torch.float64)


def _objective(x: torch.Tensor, phi: torch.Tensor) -> torch.Tensor:
    return 0.5 * (x - phi * _C).square().sum() + 0.25 * x.square().sum()


def _solution(phi: torch.Tensor) -> torch.Tensor:
    return phi * _C / 1.5


def _by_hand(x: torch.Tensor, phi: torch.Tensor) -> torch.Tensor:
    """Gradient descent without a graph."""
    with torch.no_grad():
        for _ in range(200):
            x = x - 0.3 * (x - phi * _C + 0.5 * x)
    return x


@torch.no_grad()
def _closed_form(x: torch.Tensor, phi: torch.Tensor) -> torch.Tensor:
    return _solution(phi)


#: Each face with a problem whose solution is phi c / 1.5, and its solvers.
_FACES: dict[str, tuple[Callable[..., Any], Callable[..., Any], tuple[Any, ...]]] = {
    "minimize": (torchopt.minimize, _objective, (LBFGS(rtol=0.0, atol=1e-12), Newton(), _by_hand)),
    "root": (
        torchopt.root,
        lambda x, phi: 1.5 * x - phi * _C,
        (Newton(), Broyden(rtol=0.0, atol=1e-12), _closed_form),
    ),
    "fixed_point": (
        torchopt.fixed_point,
        lambda x, phi: phi * _C - 0.5 * x,
        (Anderson(), FixedPointIteration(), _closed_form),
    ),
    "least_squares": (
        torchopt.least_squares,
        lambda x, phi: torch.cat([x - phi * _C, 0.5**0.5 * x]),
        (GaussNewton(), LevenbergMarquardt(), _closed_form),
    ),
}


@pytest.mark.parametrize("face", _FACES)
def test_a_given_number_of_steps_is_unrolled_and_a_tolerance_is_not(face: str) -> None:
    solve, function, _ = _FACES[face]
    start, phi = _x0().requires_grad_(), _phi()
    lr = 0.2 if face != "least_squares" else 0.1
    x = solve(function, start, (phi,), solver=torchopt.sgd(lr), steps=2).params
    explicit = solve(
        function, start, (phi,), solver=torchopt.sgd(lr), steps=2, diff=Explicit()
    ).params
    for a, b in zip(
        torch.autograd.grad(x.sum(), (start, phi)),
        torch.autograd.grad(explicit.sum(), (start, phi)),
        strict=True,
    ):
        assert b.abs().max() > 0.1
        assert torch.equal(a, b)

    solver, options = torchopt.sgd(lr), {"maxiter": 500, "atol": 1e-12}
    x = solve(function, start, (phi,), solver=solver, **options).params
    with pytest.warns(TorchOptWarning, match="where the solver starts"):
        gradients = torch.autograd.grad(x.sum(), (start, phi), allow_unused=True)
    assert gradients[0] is None or not gradients[0].any()
    torch.testing.assert_close(gradients[1], _C.sum() / 1.5, rtol=1e-8, atol=0)


@pytest.mark.parametrize("face", _FACES)
def test_a_solver_without_a_graph_is_refused_by_the_explicit_mode(face: str) -> None:
    solve, function, _ = _FACES[face]
    with pytest.raises(ValueError, match=r"not depend on `args\[0\]`.* Use `diff.Implicit\(\)`"):
        solve(function, _x0(), (_phi(),), solver=_closed_form, diff=Explicit())
    start = {"x": _x0().requires_grad_()}
    with pytest.raises(ValueError, match=r"not depend on `params\['x'\]`"):
        solve(
            lambda p, phi: function(p["x"], phi) if face != "fixed_point" else p,
            start,
            (_phi().detach(),),
            solver=lambda p, phi: {"x": _closed_form(p["x"], phi)},
            diff=Explicit(),
        )


def test_a_tensor_that_is_closed_over_counts_as_read() -> None:
    phi = _phi()

    def solver(x: torch.Tensor) -> torch.Tensor:
        return _closed_form(x, phi)

    with pytest.raises(ValueError, match=r"not depend on a tensor that the objective closes over"):
        torchopt.minimize(lambda x: _objective(x, phi), _x0(), solver=solver, diff=Explicit())
    x = torchopt.minimize(lambda x: _objective(x, phi), _x0(), solver=solver).params
    torch.testing.assert_close(torch.autograd.grad(x.sum(), phi)[0], _C.sum() / 1.5)


def _without_create_graph(x: torch.Tensor, *args: torch.Tensor) -> torch.Tensor:
    x = x.requires_grad_()
    for _ in range(100):
        (gradient,) = torch.autograd.grad(_objective(x, *args), x)
        x = x - 0.3 * gradient
    return x


def _of_torch(x: torch.Tensor, *args: torch.Tensor) -> torch.Tensor:
    copy = x.detach().requires_grad_()
    optimizer = torch.optim.SGD([copy], lr=0.3)
    for _ in range(100):
        optimizer.zero_grad()
        _objective(copy, *args).backward(inputs=[copy])
        optimizer.step()
    return copy


@pytest.mark.parametrize("learned_start", [False, True])
@pytest.mark.parametrize("solver", [_without_create_graph, _of_torch])
def test_a_solver_with_a_graph_of_its_own_alone_is_refused_by_the_explicit_mode(
    solver: Callable[..., Any], learned_start: bool
) -> None:
    """A graph that goes to the start, or to a copy of it, has nothing of the outer variable."""
    phi, start = _phi(), _x0().requires_grad_(learned_start)
    assert solver(_x0(), phi).requires_grad
    options: dict[str, Any] = {"solver": solver, "diff": Explicit()}
    with pytest.raises(ValueError, match=r"not depend on `args\[0\]`.*without `create_graph`"):
        torchopt.minimize(_objective, start, (phi,), **options)
    closed: dict[str, Any] = {**options, "solver": lambda x: solver(x, phi)}
    with pytest.raises(ValueError, match="not depend on a tensor that the objective closes over"):
        torchopt.minimize(lambda x: _objective(x, phi), start, **closed)
    # Also where the start is made of what the solution should depend on.
    with pytest.raises(ValueError, match=r"not depend on `args\[0\]`"):
        torchopt.minimize(_objective, phi * _x0(), (2 * phi,), **options)
    x = torchopt.minimize(_objective, start, (phi,), solver=solver).params
    torch.testing.assert_close(torch.autograd.grad(x.sum(), phi)[0], _C.sum() / 1.5)


def test_a_learned_start_is_missed_by_a_copy_and_kept_by_a_gradient_of_first_order() -> None:
    def objective(x: torch.Tensor) -> torch.Tensor:
        return _objective(x, torch.tensor(0.7))

    def solve(solver: Callable[..., Any]) -> torch.Tensor:
        x = torchopt.minimize(objective, start, solver=solver, diff=Explicit()).params
        return torch.autograd.grad(x.sum(), start)[0]

    start = _x0().requires_grad_()
    with pytest.raises(ValueError, match="not depend on `params`"):
        solve(lambda x: _of_torch(x, torch.tensor(0.7)))
    assert torch.equal(solve(lambda x: _without_create_graph(x, torch.tensor(0.7))), torch.ones(2))


@pytest.mark.parametrize(
    ("solver", "options"),
    [
        (Newton(), {}),
        (LBFGS(), {}),
        (torchopt.sgd(0.2), {"maxiter": 5, "atol": 1e-6}),
        (lambda x, phi: x, {}),
    ],
)
def test_a_solver_that_starts_at_the_solution_has_no_derivative(
    solver: Any, options: dict[str, Any]
) -> None:
    phi, start = _phi(), _solution(_phi()).detach()
    with pytest.raises(
        ValueError, match=r"not depend on `args\[0\]`.* the solver returned its start"
    ):
        torchopt.minimize(_objective, start, (phi,), solver=solver, diff=Explicit(), **options)
    x = torchopt.minimize(_objective, start, (phi,), solver=solver, **options).params
    torch.testing.assert_close(torch.autograd.grad(x.sum(), phi)[0], _C.sum() / 1.5)
    # Nothing is lost where nothing requires grad.
    torchopt.minimize(_objective, start, (phi.detach(),), solver=solver, diff=Explicit(), **options)


def test_a_solver_may_read_what_the_objective_reads_by_another_way() -> None:
    """The objective reads 2 phi, made outside, and the solver phi; both in an outer problem, too."""

    def solved(phi: torch.Tensor) -> torch.Tensor:
        double = 2 * phi
        x: torch.Tensor = torchopt.minimize(
            lambda x: _objective(x, double / 2),
            _x0(),
            solver=lambda x: _solution(phi),
            diff=Explicit(),
        ).params
        return x

    phi = _phi()
    torch.testing.assert_close(torch.autograd.grad(solved(phi).sum(), phi)[0], _C.sum() / 1.5)
    # One step from 1 by 0.1 (phi c / 1.5)², of which phi is closed over, and computed again.
    weight, phi = torch.tensor(1.0, dtype=torch.float64), _phi()
    y = torchopt.minimize(
        lambda w: w * solved(phi).square().sum(),
        weight,
        solver=torchopt.sgd(0.1),
        steps=1,
        diff=Explicit("step"),
    ).params
    expected = -0.2 * phi.detach() * _C.square().sum() / 2.25
    torch.testing.assert_close(torch.autograd.grad(y, phi)[0], expected)


def test_a_leaf_that_the_objective_makes_for_itself_is_not_asked_for() -> None:
    def objective(x: torch.Tensor) -> torch.Tensor:
        noise = torch.zeros(2, dtype=torch.float64, requires_grad=True)
        return (x - noise).square().sum()

    x = torchopt.minimize(objective, _x0(), solver=lambda x: 0 * x + 1, diff=Explicit()).params
    assert not x.requires_grad


def test_an_objective_that_differentiates_by_itself_is_evaluated_with_a_graph() -> None:
    def objective(x: torch.Tensor) -> torch.Tensor:
        y = x.detach().requires_grad_()
        (g,) = torch.autograd.grad(y.square().sum(), y)
        return ((x - g) ** 2).sum()

    x = torchopt.minimize(objective, _x0(), solver=lambda x: 2 * x, diff=Explicit()).params
    assert torch.equal(x, 2 * _x0())


def test_inside_torch_func_the_default_is_the_same_and_the_explicit_mode_cannot_tell() -> None:
    def outer(phi: torch.Tensor, diff: Any = None) -> torch.Tensor:
        x: torch.Tensor = torchopt.minimize(
            _objective, _x0(), (phi,), solver=_closed_form, diff=diff
        ).params
        return x.sum()

    phi = _phi().detach()
    torch.testing.assert_close(torch.func.grad(outer)(phi), _C.sum() / 1.5)
    values = torch.stack([phi, 2 * phi])
    torch.testing.assert_close(
        torch.func.vmap(torch.func.grad(outer))(values), (_C.sum() / 1.5).expand(2)
    )
    assert torch.func.grad(outer)(phi, Explicit()) == 0  # as the docstring of `Explicit` says


def test_an_explicit_mode_of_a_learned_rate_is_asked_for_where_a_tolerance_is_given() -> None:
    lr = torch.tensor(0.2, dtype=torch.float64, requires_grad=True)
    options: dict[str, Any] = {"solver": torchopt.sgd(lr), "maxiter": 500, "atol": 1e-10}
    with pytest.raises(ValueError, match=r"a hyperparameter of the solver, .* by `Implicit`"):
        torchopt.minimize(_objective, _x0(), (_phi(),), **options)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        x = torchopt.minimize(_objective, _x0(), (_phi(),), diff=Explicit(), **options).params
    assert x.requires_grad


def test_a_solver_may_run_in_inference_mode() -> None:
    c = torch.tensor([1.0, 2.0], requires_grad=True)
    x = torchopt.minimize(
        lambda x, c: (x - c / 2).square().sum(),
        torch.zeros(2),
        (c,),
        solver=torch.inference_mode()(lambda x, c: c / 2),
    ).params
    (g,) = torch.autograd.grad(x.sum(), c)
    torch.testing.assert_close(g, torch.tensor([0.5, 0.5]))


@pytest.mark.parametrize(
    "mode", [Explicit(), Explicit("step"), Explicit("forward"), torchopt.diff.Implicit()], ids=repr
)
def test_a_start_may_come_from_inference_mode(mode: Any) -> None:
    c = torch.tensor([1.0, 2.0], requires_grad=True)
    with torch.inference_mode():
        start = {"x": torch.zeros(2), "none": None}
    x = torchopt.minimize(
        lambda x, c: (x["x"] - c).square().sum(),
        start,
        (c,),
        solver=torchopt.sgd(0.5),
        steps=1,
        diff=mode,
    ).params["x"]
    torch.testing.assert_close(torch.autograd.grad(x.sum(), c)[0], torch.ones(2))
    level = torchopt.multilevel.Level(
        "x", lambda p, values, batch: (p - 1).square().sum(), solver=torchopt.sgd(0.5)
    )
    state = level.step(level.init({"x": start["x"]})).state
    torch.testing.assert_close(state.params, torch.ones(2))

"""The one-step mode against a step unrolled by hand, closed forms and autograd."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import pytest
import torch

import torchopt
from torchopt.diff import OneStep
from torchopt.diff.equations import FixedPoint
from torchopt.diff.kinds import Minimum
from torchopt.diff.problem import InnerProblem

DTYPE = torch.float64
difference = functools.partial(OneStep, hvp="finite_difference")
moving = functools.partial(difference, eps=1e-3, detached="moves")
SOLVERS = {
    "sgd": lambda: torchopt.sgd(0.1),
    "momentum": lambda: torchopt.sgd(0.05, momentum=0.9, nesterov=True, weight_decay=0.1),
    "adam": lambda: torchopt.adam(0.05, weight_decay=0.1),
    "adamw": lambda: torchopt.adamw(0.05, weight_decay=0.1, amsgrad=True),
    "rmsprop": lambda: torchopt.rmsprop(0.02, centered=True, momentum=0.5),
    "adagrad": lambda: torchopt.adagrad(0.1),
    "clipped": lambda: torchopt.chain(torchopt.transform.clip_grad_norm(0.3), torchopt.adamw(0.05)),
}
Params = dict[str, torch.Tensor]


def randn(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(*shape, dtype=DTYPE, generator=torch.Generator().manual_seed(seed))


def network(dtype: torch.dtype = DTYPE) -> Params:
    shapes = {"a": (3, 6), "b": (6,), "c": (6, 2)}
    return {k: (0.6 * randn(*s, seed=i)).to(dtype) for i, (k, s) in enumerate(shapes.items())}


X, Y = randn(9, 3, seed=10), randn(9, 2, seed=11)


def losses(params: Params) -> torch.Tensor:
    x, y = X.to(params["a"].dtype), Y.to(params["a"].dtype)
    hidden = torch.tanh(x @ params["a"] + params["b"])
    return (hidden @ params["c"] - y).square().sum(1)


def weighted(params: Params, logits: torch.Tensor, penalty: torch.Tensor) -> torch.Tensor:
    decay = penalty.exp() * sum(p.square().sum() for p in params.values())
    return (logits.sigmoid() * losses(params)).mean() + decay


def upper_tensors() -> tuple[torch.Tensor, torch.Tensor]:
    return randn(9, seed=12).requires_grad_(), torch.tensor(-2.0, dtype=DTYPE, requires_grad=True)


def trained(
    solver: Any,
    objective: Callable[..., Any],
    params: Params,
    args: tuple[Any, ...],
    steps: int = 3,
) -> tuple[Params, Any]:
    solution = torchopt.minimize(
        objective, params, args, solver=solver, steps=steps, diff=torchopt.diff.Explicit()
    )
    return torchopt.pytree.tree_map(torch.Tensor.detach, (solution.params, solution.state))


def attached(
    mode: Any, objective: Callable[..., Any], params: Any, args: tuple[Any, ...], **more: Any
) -> Any:
    more = {"solver": torchopt.sgd(1.0), **more}
    return mode.differentiate(InnerProblem(Minimum(objective), params, args, **more)).params


def cotangents(params: Params) -> list[torch.Tensor]:
    return [randn(*p.shape, seed=20 + i).to(p.dtype) for i, p in enumerate(params.values())]


def hypergradient(
    mode: Any, objective: Callable[..., Any], params: Params, args: tuple[Any, ...], **more: Any
) -> tuple[torch.Tensor, ...]:
    found = attached(mode, objective, params, args, **more)
    moving = [t for t in args if isinstance(t, torch.Tensor) and t.requires_grad]
    return torch.autograd.grad(list(found.values()), moving, cotangents(params))


def by_hand(
    solver: Any, state: Any, objective: Callable[..., Any], params: Params, args: tuple[Any, ...]
) -> tuple[torch.Tensor, ...]:
    """Autograd through one step, with parameters and state as constants."""
    theta = {k: p.clone().requires_grad_() for k, p in params.items()}
    g = torch.autograd.grad(
        objective(theta, *args),
        list(theta.values()),
        create_graph=True,
        allow_unused=True,
        materialize_grads=True,
    )
    grads = dict(zip(theta, g, strict=True))
    updates, _ = solver.update(grads, state, params=params, inplace=False)
    moving = [t for t in args if isinstance(t, torch.Tensor) and t.requires_grad]
    return torch.autograd.grad(list(updates.values()), moving, cotangents(params))


def assert_near(found: Any, expected: Any, tolerance: float) -> None:
    for a, b in zip(found, expected, strict=True):
        assert b.abs().max() > 0
        assert torch.linalg.vector_norm(a - b) <= tolerance * torch.linalg.vector_norm(b)


@pytest.mark.parametrize("hvp", ["reverse", "finite_difference"])
@pytest.mark.parametrize("name", SOLVERS)
def test_hypergradient_is_that_of_one_more_step_of_the_solver(name: str, hvp: Any) -> None:
    solver, args = SOLVERS[name](), upper_tensors()
    params, state = trained(solver, weighted, network(), args)
    expected = by_hand(solver, state, weighted, params, args)
    mode = OneStep(hvp=hvp)
    found = hypergradient(mode, weighted, params, args, solver=solver, state=state)
    assert_near(found, expected, 1e-12 if hvp == "reverse" else 1e-8)


@pytest.mark.parametrize("hvp", ["reverse", "finite_difference"])
@pytest.mark.parametrize("size", [1e-30, 1e-6, 1.0, 1e6])
def test_step_of_gradient_descent_on_a_quadratic_is_the_closed_form(size: float, hvp: Any) -> None:
    root, x, v = randn(4, 4), randn(4, seed=1), size * randn(4, seed=2)
    hessian = (root @ root.T).requires_grad_()
    target = randn(4, seed=3).requires_grad_()

    def bowl(x: torch.Tensor, hessian: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        return 0.5 * (x - target) @ hessian @ (x - target)

    found = attached(OneStep(0.3, hvp=hvp), bowl, x, (hessian, target))
    by_hessian, by_target = torch.autograd.grad(found, (hessian, target), v)
    assert_near([by_target], [0.3 * hessian.detach() @ v], 1e-9)
    outer = torch.outer(v, x - target.detach())
    assert_near([by_hessian], [-0.15 * (outer + outer.T)], 1e-9)


def test_values_are_those_of_the_parameters_bit_for_bit() -> None:
    params = {"a": torch.tensor([-0.0, 0.0, 1e-310, 1.0], dtype=DTYPE), "b": randn(3)}
    phi = randn(3).requires_grad_()

    def objective(p: Params, phi: torch.Tensor) -> torch.Tensor:
        return (p["a"].exp().sum() * phi * p["b"]).sum()

    for mode in (
        difference(),
        difference(0.1),
        OneStep(hvp="reverse"),
        OneStep(0.1, hvp="reverse"),
    ):
        found = attached(mode, objective, params, (phi,))
        for key, p in params.items():
            assert found[key].requires_grad
            assert torch.equal(found[key].detach().view(torch.int64), p.view(torch.int64))


def test_epsilon_is_the_rule_of_darts() -> None:
    phi = torch.tensor(1.0, dtype=DTYPE, requires_grad=True)
    x, v = randn(3), randn(3, seed=1)

    def objective(x: torch.Tensor, phi: torch.Tensor) -> torch.Tensor:
        return phi * x.pow(3).sum()

    def product(x: torch.Tensor) -> torch.Tensor:
        return x.pow(3).sum()

    step = 0.01 / torch.linalg.vector_norm(v)
    expected = -0.1 * (product(x + step * v) - product(x - step * v)) / (2 * step)
    found = attached(difference(0.1, eps=0.01), objective, x, (phi,))
    (found,) = torch.autograd.grad(found, phi, v)
    torch.testing.assert_close(found, expected, rtol=1e-12, atol=0)


def counted(objective: Callable[..., Any]) -> tuple[Callable[..., Any], list[int]]:
    calls = [0]

    def function(*args: Any) -> Any:
        calls[0] += 1
        return objective(*args)

    return function, calls


@pytest.mark.parametrize("step_size", [0.1, None])
def test_evaluations_are_two_at_the_solution_and_four_near_it(step_size: float | None) -> None:
    function, calls = counted(lambda p, phi: (phi * losses(p)).mean())
    phi = randn(9, seed=1).requires_grad_()
    out = attached(difference(step_size), function, network(), (phi,))
    assert calls == [1]
    torch.autograd.grad(list(out.values()), phi, cotangents(network()))
    assert calls == [6]


@pytest.mark.parametrize("step_size", [0.1, None])
def test_zero_cotangent_gives_zero(step_size: float | None) -> None:
    phi = randn(9).requires_grad_()
    out = attached(
        difference(step_size), lambda p, phi: (phi * losses(p)).mean(), network(), (phi,)
    )
    zeros = [torch.zeros_like(t) for t in out.values()]
    (found,) = torch.autograd.grad(list(out.values()), phi, zeros)
    assert torch.equal(found, torch.zeros_like(phi))


@pytest.mark.parametrize("hvp", ["reverse", "finite_difference"])
def test_frozen_and_unread_parameters_stay_where_they_are(hvp: Any) -> None:
    params = {"frozen": None, "unread": randn(3), **network()}
    phi, unread = randn(9).requires_grad_(), randn(2).requires_grad_()

    def objective(p: Any, phi: torch.Tensor, unread: torch.Tensor, word: str) -> torch.Tensor:
        assert p["frozen"] is None
        assert word == "word"
        return (phi * losses(p)).mean()

    solver, args = torchopt.adam(0.1), (phi, unread, "word")
    out = attached(OneStep(hvp=hvp), objective, params, args, solver=solver)
    assert out["frozen"] is None
    v = {"unread": 1e6 * randn(3), **dict(zip(network(), cotangents(network()), strict=True))}
    loss = sum((out[key] * c).sum() for key, c in v.items())
    found, none = torch.autograd.grad(loss, (phi, unread), materialize_grads=True)
    assert torch.equal(none, torch.zeros(2, dtype=DTYPE))
    bare = lambda p, phi: (phi * losses(p)).mean()  # noqa: E731
    expected = by_hand(solver, solver.init(network()), bare, network(), (phi,))
    assert_near([found], expected, 1e-8)


def test_only_what_needs_a_gradient_gets_one() -> None:
    logits, penalty = upper_tensors()
    mode, constant = difference(0.1), penalty.detach()
    (found,) = hypergradient(mode, weighted, network(), (logits, constant))
    assert_near([found], hypergradient(mode, weighted, network(), (logits, penalty))[:1], 1e-9)
    out = attached(mode, weighted, network(), (logits.detach(), constant))
    assert not any(t.requires_grad for t in out.values())
    with torch.no_grad():
        out = attached(mode, weighted, network(), (logits, penalty))
    assert not any(t.requires_grad for t in out.values())


def constant_weights(p: Params, phi: torch.Tensor) -> torch.Tensor:
    each = losses(p)
    return ((phi * each.detach()).sigmoid() * each).mean()


@pytest.mark.parametrize("name", ["sgd", "adam", "clipped"])
def test_reverse_is_differentiable_again_exactly(name: str) -> None:
    solver = SOLVERS[name]()
    params, state = trained(solver, weighted, network(), upper_tensors())
    mode = OneStep(hvp="reverse")

    def solve(*args: torch.Tensor) -> torch.Tensor:
        out = attached(mode, constant_weights, params, args, solver=solver, state=state)
        return torch.cat([t.flatten() for t in out.values()])

    phi = randn(9, seed=1).requires_grad_()
    assert torch.autograd.gradgradcheck(solve, (phi,))


@pytest.mark.parametrize("step_size", [0.1, None])
def test_difference_is_differentiable_again(step_size: float | None) -> None:
    solver = torchopt.adam(0.05)
    phi, w = randn(9, seed=1).requires_grad_(), randn(9, seed=2)

    def objective(p: Params, phi: torch.Tensor) -> torch.Tensor:
        return (phi.exp() * losses(p)).sigmoid().mean()

    params, state = trained(solver, objective, network(), (phi,))
    v = [c.requires_grad_() for c in cotangents(params)]

    def second(hvp: Any) -> tuple[torch.Tensor, ...]:
        mode = OneStep(step_size, hvp=hvp)
        out = attached(mode, objective, params, (phi,), solver=solver, state=state)
        (first,) = torch.autograd.grad(list(out.values()), phi, v, create_graph=True)
        return torch.autograd.grad(first, (phi, *v), w)

    assert_near(second("finite_difference"), second("reverse"), 1e-5)


def test_exact_nesting_equals_unrolled_steps_from_constants() -> None:
    theta, phi, top = randn(4, seed=1), randn(3, seed=2), randn(3, seed=3).requires_grad_()
    A = randn(3, 4, seed=4)

    def lowest(x: torch.Tensor, phi: torch.Tensor) -> torch.Tensor:
        return (torch.tanh(A @ x) - phi).square().sum()

    def between(x: torch.Tensor, phi: torch.Tensor, top: torch.Tensor) -> torch.Tensor:
        return (A @ x).sin().sum() * (phi * top).sum()

    def modes(phi: torch.Tensor, top: torch.Tensor) -> torch.Tensor:
        return between(attached(OneStep(0.1), lowest, theta, (phi,)), phi, top)

    out = attached(OneStep(0.2), modes, phi, (top,))
    (found,) = torch.autograd.grad(out, top, randn(3, seed=6))

    # θ' - θ'(φ₀) + θ has the value of θ, and the derivative of a step from it.
    def best_response(phi: torch.Tensor) -> torch.Tensor:
        x = theta.clone().requires_grad_()
        (g,) = torch.autograd.grad(lowest(x, phi), x, create_graph=True)
        return theta - 0.1 * (g - g.detach())

    p = phi.clone().requires_grad_()
    (g,) = torch.autograd.grad(between(best_response(p), p, top), p, create_graph=True)
    (expected,) = torch.autograd.grad(-0.2 * g, top, randn(3, seed=6))
    assert_near([found], [expected], 1e-7)


@pytest.mark.parametrize("hvp", ["reverse", "finite_difference"])
def test_hyperparameters_of_the_solver_are_reached(hvp: Any) -> None:
    lr, phi = torch.tensor(0.1, dtype=DTYPE, requires_grad=True), randn(9).requires_grad_()

    def objective(p: Params, phi: torch.Tensor) -> torch.Tensor:
        return (phi * losses(p)).mean()

    solver = torchopt.sgd(lr)
    out = attached(OneStep(hvp=hvp), objective, network(), (phi,), solver=solver)
    (found,) = torch.autograd.grad(list(out.values()), lr, cotangents(network()))
    theta = {k: p.requires_grad_() for k, p in network().items()}
    g = torch.autograd.grad(objective(theta, phi), list(theta.values()))
    expected = -sum((a * b).sum() for a, b in zip(g, cotangents(network()), strict=True))
    torch.testing.assert_close(found, expected)


@pytest.mark.parametrize("hvp", ["reverse", "finite_difference"])
def test_objective_must_depend_on_the_parameters_and_not_be_nan(hvp: Any) -> None:
    phi = randn(9).requires_grad_()
    for objective, message in (
        (lambda p, phi: phi.sum(), "does not depend on the parameters"),
        (lambda p, phi: losses(p).sum() * phi.sum() * float("nan"), "is NaN"),
    ):
        with pytest.raises(ValueError, match=message):
            attached(OneStep(0.1, hvp=hvp), objective, network(), (phi,))


def test_batches_are_the_last_ones() -> None:
    data = randn(4, 9, seed=3).requires_grad_()
    phi = randn(9).requires_grad_()

    def objective(p: Params, phi: torch.Tensor, batch: torch.Tensor) -> torch.Tensor:
        return (phi * batch * losses(p)).mean()

    found = []
    for hvp in ("finite_difference", "reverse"):
        solution = torchopt.minimize(
            objective, network(), (phi,), solver=torchopt.sgd(0.1), steps=4, batches=data,
            diff=OneStep(hvp=hvp),
        )  # fmt: skip
        v = cotangents(network())
        found.append(torch.autograd.grad(list(solution.params.values()), (phi, data), v))
        assert torch.equal(found[-1][1][:3], torch.zeros(3, 9, dtype=DTYPE))
    assert_near(*found, 1e-7)


@pytest.mark.parametrize("hvp", ["reverse", "finite_difference"])
def test_auxiliary_output_is_that_at_the_solution(hvp: Any) -> None:
    phi = randn(9).requires_grad_()

    def objective(p: Params, phi: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        each = losses(p)
        return (phi * each).mean(), each

    problem = InnerProblem(
        Minimum(objective, has_aux=True), network(), (phi,), torchopt.sgd(0.1), steps=0
    )
    solution = OneStep(hvp=hvp).differentiate(problem)
    torch.testing.assert_close(solution.aux, losses(network()))
    assert not solution.aux.requires_grad


def test_transforms_take_the_exact_derivative() -> None:
    phi = randn(9)

    def solve(phi: torch.Tensor, mode: OneStep) -> torch.Tensor:
        objective = lambda p, phi: (phi.sigmoid() * losses(p)).mean()  # noqa: E731
        return attached(mode, objective, network(), (phi,), solver=torchopt.adam(0.1))["a"]

    (expected,) = torch.autograd.functional.jacobian(
        lambda phi: solve(phi, OneStep(hvp="reverse")), (phi,)
    )
    found = torch.func.jacrev(lambda phi: solve(phi, OneStep(hvp="reverse")))(phi)
    torch.testing.assert_close(found, expected)
    found = torch.func.jacrev(lambda phi: solve(phi, difference()))(phi)
    torch.testing.assert_close(found, expected)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"hvp": "forward"}, "`hvp` is 'forward'"),
        ({"step_size": 0.0}, "`step_size` is 0.0"),
        ({"step_size": -1.0}, "`step_size` is -1.0"),
        ({"eps": float("nan")}, "`eps` is nan"),
    ],
)
def test_options_are_checked(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        OneStep(**options)


def test_problems_that_have_no_such_step_are_refused() -> None:
    phi = randn(3).requires_grad_()
    with pytest.raises(TypeError, match="a step of descent, but this is a `FixedPoint`"):
        difference().differentiate(
            InnerProblem(FixedPoint(lambda x, a: a), phi, (phi,), torchopt.sgd(1.0))
        )
    loss = Minimum(lambda x, a: (x * a).sum())
    with pytest.raises(TypeError, match="without an update"):
        difference().differentiate(InnerProblem(loss, phi, (phi,), lambda x, a: x))
    with pytest.raises(ValueError, match="`batches` is a function"):
        difference().differentiate(
            InnerProblem(loss, phi, (), torchopt.sgd(1.0), 1, batches=lambda k: phi)
        )
    still = torchopt.GradientTransformation(
        lambda params: None, lambda g, s, *, params=None, inplace=True: (torch.zeros_like(g), s)
    )
    # A step that does not depend on the gradient has no derivative.
    assert not OneStep().differentiate(InnerProblem(loss, phi, (phi,), still)).params.requires_grad


@pytest.mark.parametrize("step_size", [0.5, None])
def test_detached_values_move_where_that_is_asked_for(step_size: float | None) -> None:
    """``f = φ sg(x) x²``: autograd's mixed derivative is 2 x², that of moving values 3 x²."""
    evaluations: list[torch.Tensor] = []

    def objective(x: torch.Tensor, phi: torch.Tensor) -> torch.Tensor:
        evaluations.append(x)
        return phi * x.detach() * x.square()

    for mode, number in ((OneStep(step_size), -4.0), (moving(step_size), -6.0)):
        phi = torch.tensor(1.0, dtype=DTYPE, requires_grad=True)
        start = torch.tensor(2.0, dtype=DTYPE)
        x = attached(mode, objective, start, (phi,), solver=torchopt.sgd(0.5))
        evaluations.clear()
        (g,) = torch.autograd.grad(x, phi)
        torch.testing.assert_close(g, torch.tensor(number, dtype=DTYPE))
    assert len(evaluations) == 5
    with pytest.raises(ValueError, match="`detached`"):
        OneStep(detached="other")  # type: ignore[arg-type]


@pytest.mark.parametrize("hvp", ["reverse", "finite_difference"])
def test_steps_are_done_first_and_the_last_state_is_used(hvp: Any) -> None:
    solver, args = torchopt.adam(0.05), upper_tensors()
    params, state = trained(solver, weighted, network(), args, steps=4)
    expected = by_hand(solver, state, weighted, params, args)
    solution = torchopt.minimize(
        weighted, network(), args, solver=solver, steps=4, diff=OneStep(hvp=hvp)
    )
    for key, p in params.items():
        torch.testing.assert_close(solution.params[key], p, rtol=1e-12, atol=0)
    found = torch.autograd.grad(list(solution.params.values()), args, cotangents(params))
    assert_near(found, expected, 1e-8)

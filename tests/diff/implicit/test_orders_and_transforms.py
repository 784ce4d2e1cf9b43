"""Higher orders, every nesting of transforms, batches of problems, problems inside problems."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch.autograd import forward_ad
from torch.func import grad, hessian, jacfwd, jacrev, vmap

import torchopt
from _cases import covering
from torchopt import diff, solver

Function = Callable[[torch.Tensor], torch.Tensor]

TRANSFORMS: dict[str, Callable[[Function], Function]] = {
    "grad": grad,
    "jacfwd": jacfwd,
    "jacrev": jacrev,
}
NESTINGS = [names for n in (1, 2) for names in itertools.product(TRANSFORMS, repeat=n)]
DEEPEST = [*itertools.product(TRANSFORMS, repeat=3)]
EACH_IN_EACH_PLACE = [(*(names := [*TRANSFORMS])[k:], *names[:k]) for k in range(3)]
POINT = torch.tensor(2.0, dtype=torch.float64)
POINTS = torch.tensor([2.0, 0.5, 30.0], dtype=torch.float64)
ONE = torch.tensor(1.0, dtype=torch.float64)


def root(function: Callable[..., torch.Tensor], *args: Any) -> torch.Tensor:
    newton = solver.Newton(rtol=0.0, atol=1e-12)
    return torchopt.root(function, ONE, args, solver=newton).params


def passed(a: torch.Tensor) -> torch.Tensor:
    return root(lambda x, a: x**3 - a * a, a)


def also_the_start(a: torch.Tensor) -> torch.Tensor:
    newton = solver.Newton(rtol=0.0, atol=1e-12)
    return torchopt.root(lambda x: x**3 - a * a, a, solver=newton).params


def by_minimization(a: torch.Tensor) -> torch.Tensor:
    """The derivative of x^4/4 - a^2 x is x^3 - a^2."""
    return torchopt.minimize(
        lambda x, a: x**4 / 4 - a * a * x,
        ONE,
        (a,),
        solver=solver.LBFGS(rtol=0.0, atol=1e-12),
        diff=diff.Implicit(),
    ).params


def by_decorator(a: torch.Tensor) -> torch.Tensor:
    @torchopt.compat.custom_root(lambda x, a, b: x**3 - a * b)
    def solve(x: torch.Tensor, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return (a * b) ** (1 / 3)

    return solve(ONE, a, a)


def truth(a: torch.Tensor) -> torch.Tensor:
    return (a * a) ** (1 / 3)


ROUTES = [passed, also_the_start, by_minimization, by_decorator]


def nested(f: Function, names: tuple[str, ...]) -> Function:
    for name in names:
        f = TRANSFORMS[name](f)
    return f


@pytest.mark.parametrize(
    "names",
    [
        *NESTINGS,
        *(
            pytest.param(n, marks=() if n in EACH_IN_EACH_PLACE else pytest.mark.slow)
            for n in DEEPEST
        ),
    ],
    ids="-".join,
)
def test_every_nesting_of_transforms_to_third_order(names: tuple[str, ...]) -> None:
    found, expected = nested(passed, names), nested(truth, names)
    # A batch has the first point in it.
    torch.testing.assert_close(vmap(found)(POINTS), vmap(expected)(POINTS))
    if len(names) < 3:
        torch.testing.assert_close(found(POINT), expected(POINT))


@pytest.mark.parametrize(("route", "names"), covering(ROUTES[1:], NESTINGS))
def test_second_order_by_every_route_that_a_tensor_can_take(
    route: Function, names: tuple[str, ...]
) -> None:
    torch.testing.assert_close(nested(route, names)(POINT), nested(truth, names)(POINT))


def of_two_unknowns(t: torch.Tensor) -> torch.Tensor:
    """Of conditions whose Jacobian is not symmetric, and changes."""

    def conditions(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
        first = x[0] - t.sin() + 0.3 * (x[1] - t.sin() ** 2 * t.exp())
        return torch.stack([first, x[1] - x[0] ** 2 * t.exp()])

    start = torch.tensor([0.1, 0.1], dtype=torch.float64)
    newton = solver.Newton(rtol=0.0, atol=1e-12)
    x = torchopt.root(conditions, start, (t,), solver=newton).params
    return x[0] + 2 * x[1]


def their_solution(t: torch.Tensor) -> torch.Tensor:
    return t.sin() + 2 * t.sin() ** 2 * t.exp()


@pytest.mark.parametrize("names", EACH_IN_EACH_PLACE, ids="-".join)
def test_third_derivatives_of_conditions_that_are_not_symmetric(names: tuple[str, ...]) -> None:
    found, expected = nested(of_two_unknowns, names), nested(their_solution, names)
    torch.testing.assert_close(found(POINTS[1]), expected(POINTS[1]), rtol=1e-8, atol=0)


def test_four_orders_of_conditions_that_are_not_symmetric() -> None:
    t, s = (POINTS[1].clone().requires_grad_() for _ in range(2))
    found, expected = of_two_unknowns(t), their_solution(s)
    for _ in range(4):
        (found,) = torch.autograd.grad(found, t, create_graph=True)
        (expected,) = torch.autograd.grad(expected, s, create_graph=True)
        torch.testing.assert_close(found, expected, rtol=1e-8, atol=0)


@pytest.mark.parametrize("route", ROUTES)
def test_four_orders_in_eager_mode(route: Function) -> None:
    a = POINT.clone().requires_grad_()
    value, expected = route(a), truth
    for _ in range(4):
        (value,) = torch.autograd.grad(value, a, create_graph=True)
        expected = grad(expected)
        torch.testing.assert_close(value.detach(), expected(POINT))


@pytest.mark.parametrize("route", ROUTES)
def test_eager_forward_mode_and_both_mixtures_with_reverse_mode(route: Function) -> None:
    a = POINT.clone().requires_grad_()
    with forward_ad.dual_level():
        dual = forward_ad.make_dual(a, ONE)
        value, tangent = forward_ad.unpack_dual(route(dual))
        (curvature,) = torch.autograd.grad(tangent, a)
        gradient, forward = forward_ad.unpack_dual(
            torch.autograd.grad(route(dual), dual, create_graph=True)[0]
        )
    torch.testing.assert_close(value.detach(), truth(POINT))
    torch.testing.assert_close(tangent.detach(), grad(truth)(POINT))
    torch.testing.assert_close(gradient.detach(), grad(truth)(POINT))
    torch.testing.assert_close(curvature, hessian(truth)(POINT))
    torch.testing.assert_close(forward.detach(), hessian(truth)(POINT))


@pytest.mark.parametrize("route", ROUTES)
def test_derivatives_of_a_batch_of_problems(route: Function) -> None:
    def total(points: torch.Tensor) -> torch.Tensor:
        return vmap(route)(points).sum()

    expected = vmap(hessian(truth))(POINTS)
    torch.testing.assert_close(jacfwd(jacrev(total))(POINTS), torch.diag(expected))
    points = POINTS.clone().requires_grad_()
    (gradient,) = torch.autograd.grad(total(points), points, create_graph=True)
    (curvature,) = torch.autograd.grad(gradient.sum(), points)
    torch.testing.assert_close(gradient.detach(), vmap(grad(truth))(POINTS))
    torch.testing.assert_close(curvature, expected)


def test_a_tensor_of_the_eager_graph_under_transforms() -> None:
    """The closed-over tensor belongs to no transform; its gradient comes by `.backward()`."""
    b = torch.tensor(3.0, dtype=torch.float64, requires_grad=True)
    batch = vmap(lambda a: root(lambda x: x**3 - a * b))(POINTS)
    (found,) = torch.autograd.grad(batch.sum(), b)
    (expected,) = torch.autograd.grad(((POINTS * b) ** (1 / 3)).sum(), b)
    torch.testing.assert_close(found, expected)
    slope = grad(lambda a: root(lambda x: x**3 - a * b))(POINT)
    (found,) = torch.autograd.grad(slope, b)
    (expected,) = torch.autograd.grad(grad(lambda a: (a * b) ** (1 / 3))(POINT), b)
    torch.testing.assert_close(found, expected)


def test_several_cotangents_at_once() -> None:
    a = POINTS.clone().requires_grad_()
    weights = torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64)

    def objective(x: torch.Tensor, a: torch.Tensor) -> torch.Tensor:
        return (weights * (x - a) ** 2).sum() / 2 + x.sum() ** 2 / 2

    x = torchopt.minimize(
        objective, torch.zeros_like(a), (a,), solver=solver.Newton(), diff=diff.Implicit()
    ).params
    matrix = torch.diag(weights)
    expected = torch.linalg.solve(matrix + 1, matrix)
    eye = torch.eye(3, dtype=torch.float64)
    found = vmap(lambda v: torch.autograd.grad(x, a, v, retain_graph=True)[0])(eye)
    torch.testing.assert_close(found, expected)
    with pytest.raises(RuntimeError, match="a linear solve cannot be batched by"):
        torch.autograd.grad(x, a, eye, is_grads_batched=True)


# Contexts.


def test_transforms_work_where_grad_mode_is_off() -> None:
    with torch.no_grad():
        torch.testing.assert_close(grad(passed)(POINT), grad(truth)(POINT))
        torch.testing.assert_close(jacfwd(passed)(POINT), grad(truth)(POINT))
        assert not passed(POINT.clone().requires_grad_()).requires_grad


def test_no_grad_inside_a_transform_makes_a_constant() -> None:
    def frozen(a: torch.Tensor) -> torch.Tensor:
        with torch.no_grad():
            x = passed(a)
        return x * a

    torch.testing.assert_close(grad(frozen)(POINT), truth(POINT))


@pytest.mark.filterwarnings("ignore:The .grad attribute of a Tensor")  # Dynamo looks at it
@pytest.mark.compiled
def test_compiled_code_around_a_solution_has_its_gradient() -> None:
    scale = torch.nn.Parameter(torch.tensor(1.5, dtype=torch.float64))

    @torch.compile(backend="eager")
    def compiled(a: torch.Tensor) -> torch.Tensor:
        b = a * 2
        x = root(lambda x, b: x**3 - b * scale, b)
        return x * b

    a = POINT.clone().requires_grad_()
    found = torch.autograd.grad(compiled(a), (a, scale))
    value = (2 * a * scale) ** (1 / 3) * 2 * a
    expected = torch.autograd.grad(value, (a, scale))
    torch.testing.assert_close(found, expected)

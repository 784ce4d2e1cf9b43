"""The decorators `custom_root` and `custom_fixed_point`: faces of the mode."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import pytest
import torch
from torch.func import grad, hessian, jacfwd, vmap

from torchopt.compat import custom_fixed_point, custom_root

DOUBLE = torch.float64


def double(*values: float) -> torch.Tensor:
    data = torch.tensor(values, dtype=DOUBLE)
    return data[0] if len(values) == 1 else data


def variable(*values: float) -> torch.Tensor:
    return double(*values).clone().requires_grad_()


def product_root(x: torch.Tensor, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return x**3 - a * b


def solve_product(x: torch.Tensor, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return (a * b) ** (1 / 3)


def test_without_argnums_all_arguments_are_differentiated() -> None:
    a, b = variable(2.0), variable(3.0)
    x = custom_root(product_root)(solve_product)(double(1.0), a, b)
    found = torch.autograd.grad(x, (a, b))
    expected = torch.autograd.grad((a * b) ** (1 / 3), (a, b))
    torch.testing.assert_close(found, expected)


@pytest.mark.parametrize("argnums", [1, (1,), (0, 1), (2, 1)])
def test_argnums_say_which_arguments_are_differentiated(argnums: Any) -> None:
    a, b = variable(2.0), variable(3.0)
    given = b if argnums == (2, 1) else b.detach()
    x = custom_root(product_root, argnums=argnums)(solve_product)(double(1.0), a, given)
    (found,) = torch.autograd.grad(x, a, retain_graph=True)
    torch.testing.assert_close(found, torch.autograd.grad((a * b) ** (1 / 3), a)[0])
    if given is b:
        torch.autograd.grad(x, b)


def test_an_argument_that_matters_and_is_left_out_is_told_once() -> None:
    a, b = variable(2.0), variable(3.0)
    solve = custom_root(product_root, argnums=1)(solve_product)
    with pytest.warns(UserWarning, match=r"argument 2 of `solve_product` requires grad.*`argnums`"):
        x = solve(double(1.0), a, b)
    assert torch.autograd.grad(x, b, allow_unused=True) == (None,)
    solve(double(1.0), a, b)  # warnings are errors here


def test_an_argument_that_matters_and_is_left_out_is_told_under_transforms() -> None:
    solve = custom_root(product_root, argnums=1)(solve_product)
    with pytest.warns(UserWarning, match=r"argument 2 of `solve_product`.*`argnums`"):
        found = grad(lambda b: solve(double(1.0), double(2.0), b))(double(3.0))
    assert found == 0


def test_an_argument_that_is_left_out_and_does_not_matter_is_not_told() -> None:
    a, idle = variable(2.0), variable(3.0)

    @custom_root(lambda x, a, idle: x**3 - a, argnums=1)
    def solve(x: torch.Tensor, a: torch.Tensor, idle: torch.Tensor) -> torch.Tensor:
        return a ** (1 / 3)

    x = solve(double(1.0), a, idle)
    assert torch.autograd.grad(x, a)[0] > 0


def test_keywords_defaults_and_other_things_than_tensors() -> None:
    b = variable(3.0)

    def optimality(x: Any, b: Any, power: int = 2, *, mode: str) -> Any:
        assert mode == "positive"
        return x**power - b

    @custom_root(optimality, argnums=1)
    def solve(x: Any, b: Any, power: int = 2, *, mode: str) -> Any:
        return b ** (1 / power)

    for args, kwargs, power in (
        ((b,), {"mode": "positive"}, 2),
        ((b, 3), {"mode": "positive"}, 3),
        ((), {"b": b, "power": 4, "mode": "positive"}, 4),
    ):
        x = solve(double(1.0), *args, **kwargs)
        (found,) = torch.autograd.grad(x, b)
        torch.testing.assert_close(found, double(3 ** (1 / power - 1) / power))


def test_auxiliary_output_is_passed_through() -> None:
    @custom_root(lambda x, a: x**2 - a, has_aux=True)
    def solve(x: torch.Tensor, a: torch.Tensor) -> Any:
        return a.sqrt(), {"steps": 1, "word": "done"}

    a = variable(4.0)
    x, aux = solve(double(1.0), a)
    assert aux == {"steps": 1, "word": "done"}
    torch.testing.assert_close(torch.autograd.grad(x, a)[0], double(0.25))


class Point(NamedTuple):
    x: Any
    y: Any


@pytest.mark.parametrize("kind", ["tuple", "list", "dict", "namedtuple", "nested"])
def test_solutions_and_arguments_are_any_trees(kind: str) -> None:
    make: Any = {
        "tuple": lambda x, y: (x, y),
        "list": lambda x, y: [x, y],
        "dict": lambda x, y: {"y": y, "x": x},
        "namedtuple": Point,
        "nested": lambda x, y: {"a": [x, None], "b": Point(None, (y,))},
    }[kind]
    take: Any = {
        "dict": lambda t: (t["x"], t["y"]),
        "nested": lambda t: (t["a"][0], t["b"].y[0]),
    }.get(kind, tuple)

    def optimality(z: Any, theta: Any) -> Any:
        (x, y), (a, b) = take(z), take(theta)
        return make(x**2 - a, y - b * x)

    @custom_root(optimality)
    def solve(z: Any, theta: Any) -> Any:
        a, b = take(theta)
        return make(a.sqrt(), b * a.sqrt())

    a, b = variable(4.0), variable(3.0, 5.0)
    start = make(double(1.0), double(1.0, 1.0))
    z = solve(start, make(a, b))
    assert type(z) is type(start)
    x, y = take(z)
    found = torch.autograd.grad(x + (y * y).sum(), (a, b))
    expected = torch.autograd.grad(a.sqrt() + ((b * a.sqrt()) ** 2).sum(), (a, b))
    torch.testing.assert_close(found, expected)


def test_conditions_may_be_a_list_where_the_solution_is_a_tuple() -> None:
    a = variable(4.0)

    @custom_root(lambda z, a: [z[0] ** 2 - a, z[1] - a])
    def solve(z: Any, a: torch.Tensor) -> Any:
        return a.sqrt(), a

    x, y = solve((double(1.0), double(1.0)), a)
    torch.testing.assert_close(torch.autograd.grad(x + y, a)[0], double(1.25))


def test_the_solver_may_differentiate_with_respect_to_the_start_it_was_given() -> None:
    """As the published examples do."""
    a, start = variable(2.0), variable(1.0)

    @custom_root(lambda x, a: x**3 - a)
    def solve(x: torch.Tensor, a: torch.Tensor) -> torch.Tensor:
        with torch.enable_grad():
            for _ in range(40):
                (g,) = torch.autograd.grad(x**4 / 4 - a * x, x)
                x = x - 0.15 * g
        return x

    x = solve(start, a)
    (found,) = torch.autograd.grad(x, a)
    torch.testing.assert_close(found, double(2 ** (-2 / 3) / 3), rtol=1e-5, atol=0)
    assert torch.autograd.grad(solve(start, a), start, allow_unused=True)[0] in (None, 0)


@pytest.mark.parametrize("transform", [grad, jacfwd, hessian])
def test_fixed_points_under_transforms(transform: Any) -> None:
    def heron(x: torch.Tensor, a: torch.Tensor) -> torch.Tensor:
        return (x + a / x) / 2

    @custom_fixed_point(heron)
    def solve(x: torch.Tensor, a: torch.Tensor) -> torch.Tensor:
        for _ in range(12):
            x = heron(x, a)
        return x

    points = double(2.0, 0.7, 9.0)
    found = vmap(transform(lambda a: solve(double(1.0), a)))(points)
    torch.testing.assert_close(found, vmap(transform(torch.sqrt))(points))


def test_a_decorated_method_and_a_function_are_named_as_before() -> None:
    solve = custom_root(product_root)(solve_product)
    assert solve.__name__ == "solve_product"
    assert solve.__wrapped__ is solve_product


# What is wrong is said in one sentence.


@pytest.mark.parametrize("argnums", ["1", 1.0, True, -1, (1, None), [-1]])
def test_argnums_that_are_no_positions(argnums: Any) -> None:
    with pytest.raises(TypeError, match=r"`argnums` is .*: use a position"):
        custom_root(product_root, argnums=argnums)


def test_argnums_beyond_the_arguments() -> None:
    solve = custom_root(product_root, argnums=3)(solve_product)
    with pytest.raises(ValueError, match="`argnums` has 3, but `solve_product` was called with 3"):
        solve(double(1.0), double(2.0), double(3.0))


def test_a_solver_without_arguments() -> None:
    with pytest.raises(TypeError, match="no argument to start from"):
        custom_root(lambda: 0)(lambda: double(1.0))()


@pytest.mark.parametrize("output", [double(1.0), (double(1.0),), [double(1.0), 1]])
def test_has_aux_and_no_pair(output: Any) -> None:
    solve = custom_root(lambda x: x, has_aux=True)(lambda x: output)
    with pytest.raises(TypeError, match="must return a pair"):
        solve(double(1.0))


@pytest.mark.parametrize(
    ("output", "error"),
    [
        (None, "tensor"),
        (3.0, "tensor"),
        (torch.tensor(3), "int64"),
        ({}, "no leaves"),
        ("word", "tensor"),
    ],
)
def test_a_solution_that_is_no_tree_of_floating_tensors(output: Any, error: str) -> None:
    a = variable(2.0)
    solve = custom_root(lambda x, a: a)(lambda x, a: output)
    with pytest.raises((TypeError, ValueError), match=error):
        solve(double(1.0), a)


def test_conditions_that_hide_their_argument() -> None:
    a = variable(2.0)
    solve = custom_root(lambda x, a: x.detach() - a)(lambda x, a: a.clone())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            (found,) = torch.autograd.grad(solve(double(1.0), a), a)
        except (ValueError, RuntimeError):
            return
    pytest.fail(f"a gradient of {found.item()} was made of nothing")

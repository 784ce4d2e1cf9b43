"""Gradients reach everything that the conditions read, and nothing is read in silence."""

from __future__ import annotations

import threading
from collections import namedtuple
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn
from torch.autograd import forward_ad
from torch.utils.checkpoint import checkpoint

import torchopt
from torchopt import diff, linalg, solver
from torchopt.errors import ReplayError

DOUBLE = torch.float64


def double(*values: float) -> torch.Tensor:
    data = torch.tensor(values, dtype=DOUBLE)
    return data[0] if len(values) == 1 else data


def variable(*values: float) -> torch.Tensor:
    return double(*values).clone().requires_grad_()


def fixed_point(function: Callable[..., torch.Tensor], size: int, *args: Any) -> torch.Tensor:
    start = torch.zeros(size, dtype=DOUBLE)
    return torchopt.fixed_point(
        function, start, args, solver=solver.Anderson(rtol=0.0, atol=1e-12)
    ).params


def iterated(function: Callable[..., torch.Tensor], size: int, *args: Any) -> torch.Tensor:
    z = torch.zeros(size, dtype=DOUBLE)
    for _ in range(60):
        z = function(z, *args)
    return z


def assert_same_derivatives(
    function: Callable[..., torch.Tensor], size: int, variables: list[torch.Tensor], *args: Any
) -> None:
    """First and second derivatives, against unrolling to convergence."""
    weights = torch.linspace(1, 2, size, dtype=DOUBLE)
    results = []
    for solve in (fixed_point, iterated):
        loss = (weights * solve(function, size, *args) ** 2).sum()
        first = torch.autograd.grad(loss, variables, create_graph=True)
        square = sum((g * g).sum() for g in first)
        second = torch.autograd.grad(square, variables, retain_graph=True)
        results.append(([g.detach() for g in first], second))
    torch.testing.assert_close(results[0], results[1], rtol=1e-6, atol=1e-9)


@pytest.fixture(autouse=True)
def seed() -> None:
    torch.manual_seed(0)


def test_a_tensor_that_is_passed_and_never_read_has_gradient_zero() -> None:
    a, idle = variable(2.0), variable(3.0, 4.0)
    x = torchopt.root(lambda x, a, idle: x**3 - a, double(1.0), (a, idle)).params
    (found,) = torch.autograd.grad(x, idle, create_graph=True)
    assert found.tolist() == [0, 0]


class Product(torch.autograd.Function):
    """x a, whose arguments no mode of PyTorch shows."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, a: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(x, a)
        return x * a

    @staticmethod
    def backward(ctx: Any, g: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        x, a = ctx.saved_tensors
        return g * a, g * x


def test_what_a_custom_function_reads_beside_another_variable_is_refused() -> None:
    a = variable(2.0)
    made = a * 2
    with pytest.raises(RuntimeError, match=r"custom autograd.Function.*pass it in `args`"):
        torchopt.root(lambda x: Product.apply(x, made) + a * x - 3, double(1.0))


# Trees, types.

Pair = namedtuple("Pair", "left right")


@pytest.mark.parametrize("used", [False, True])
@pytest.mark.parametrize("derivative", [torch.func.grad, torch.func.jacfwd])
def test_an_operator_that_conditions_close_over_shows_what_it_reads(
    derivative: Any, used: bool
) -> None:
    """Of ``a x = b``: its products are held from one to the next, and its function reads ``a``."""
    b = double(1.0, 2.0)

    def solved(a: torch.Tensor) -> torch.Tensor:
        A = linalg.jacobian_operator(lambda v: a * v, torch.ones_like(b))
        with torch.no_grad():
            if used:
                A(b)
        return torchopt.root(lambda x: A(x) - b, torch.zeros_like(b)).params.sum()

    torch.testing.assert_close(derivative(solved)(double(2.0)), double(-3 / 4))


def test_any_tree_with_none_and_other_things_in_it() -> None:
    s = variable(2.0)
    theta = {"list": [s * 3, None, "word"], "pair": Pair(s, 4)}

    def function(x: Any, theta: Any, n: int) -> Any:
        assert (n, theta["list"][2], theta["pair"].right) == (2, "word", 4)
        cubes = x["u"].left ** 3 - theta["list"][0]
        return {"v": (x["v"][0] - s * x["u"].left.sum(),), "u": Pair(cubes, None)}

    start = {"u": Pair(torch.ones(2, dtype=DOUBLE), None), "v": (double(0.0),)}
    x = torchopt.root(function, start, (theta, 2)).params
    assert isinstance(x["u"], Pair)
    assert x["u"].right is None
    (found,) = torch.autograd.grad(x["v"][0], s)
    torch.testing.assert_close(found, 2 * (3 * double(2.0)) ** (1 / 3) * 4 / 3)


def test_single_precision_stays_single_precision() -> None:
    a = torch.tensor(2.0, requires_grad=True)
    x = torchopt.root(lambda x, a: x**3 - a, torch.tensor(1.0), (a,)).params
    (found,) = torch.autograd.grad(x, a)
    assert x.dtype == found.dtype == torch.float32
    torch.testing.assert_close(found, torch.tensor(2 ** (-2 / 3) / 3))


def test_mixed_types_keep_their_own() -> None:
    a = torch.tensor(2.0, requires_grad=True)

    def function(x: dict[str, torch.Tensor], a: torch.Tensor) -> dict[str, torch.Tensor]:
        return {"d": x["d"] ** 3 - a.double(), "f": x["f"] - x["d"].float() * a}

    x = torchopt.root(function, {"d": double(1.0), "f": torch.zeros(2)}, (a,)).params
    assert (x["d"].dtype, x["f"].dtype) == (DOUBLE, torch.float32)
    (found,) = torch.autograd.grad(x["f"].sum(), a)
    torch.testing.assert_close(found, torch.tensor(2 * 4 / 3 * 2 ** (1 / 3)), rtol=1e-5, atol=0)


def test_conditions_in_higher_precision_than_the_parameters() -> None:
    a = variable(2.0)
    x = torchopt.root(lambda x, a: x**3 - a, torch.tensor(1.0), (a,)).params
    (found,) = torch.autograd.grad(x, a)
    assert found.dtype == DOUBLE
    torch.testing.assert_close(found, double(2 ** (-2 / 3) / 3), rtol=1e-4, atol=0)


def test_the_mean_over_batches_is_what_is_zero() -> None:
    a = variable(2.0)
    batches = torch.randn(4, 6, dtype=DOUBLE, requires_grad=True)
    solution = torchopt.minimize(
        lambda w, a, b: (w - b).square().mean() + a * w**2,
        double(0.5),
        (a,),
        solver=torchopt.sgd(0.1),
        steps=4,
        batches=batches,
        diff=diff.Implicit(),
    )
    found = torch.autograd.grad(solution.params, (a, batches))
    w = solution.params.detach()
    torch.testing.assert_close(found[0], -2 * w / (2 + 2 * 2))
    torch.testing.assert_close(found[1], torch.full_like(batches, 2 / 24 / (2 + 2 * 2)))


# What residuals are made of.


def test_modules_that_compute_their_parameters_and_recurrent_cells() -> None:
    layer = nn.utils.parametrizations.weight_norm(nn.Linear(2, 2, dtype=DOUBLE))
    assert_same_derivatives(lambda z: 0.3 * torch.tanh(layer(z)), 2, list(layer.parameters()))
    cell = nn.LSTMCell(2, 3, dtype=DOUBLE)
    x, scale = torch.randn(1, 2, dtype=DOUBLE), variable(0.5)

    def step(z: torch.Tensor) -> torch.Tensor:
        return 0.5 * torch.cat(cell(x * scale, (z[None, :3], z[None, 3:])), 1)[0]

    assert_same_derivatives(step, 6, [scale, *cell.parameters()])


@pytest.mark.filterwarnings("ignore:Anomaly Detection")
def test_hooks_on_a_solution_and_anomaly_mode() -> None:
    a = variable(2.0)
    with torch.autograd.detect_anomaly():
        x = torchopt.root(lambda x, a: x**3 - a, double(1.0), (a,)).params
        x.register_hook(lambda g: 2 * g)
        x.backward()
    torch.testing.assert_close(a.grad, double(2 * 2 ** (-2 / 3) / 3))


# Randomness and buffers.


class Hooked(nn.Module):
    def __init__(self, v: torch.Tensor) -> None:
        super().__init__()
        self.register_full_backward_hook(lambda m, given, out: (given[0] * (1 + v.square()),))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * 1.0


@pytest.mark.parametrize("hvp", ["reverse", "forward"])
@pytest.mark.parametrize("hook", ["tensor", "reading", "copy", "module"])
def test_a_hook_that_changes_the_gradient_is_refused(hook: str, hvp: Any) -> None:
    v = variable(0.3, -0.4, 0.5)
    weights = double(1.0, 2.0, 0.5)

    def objective(x: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
        y = Hooked(v)(x) if hook == "module" else x * 1.0
        if hook != "module" and y.requires_grad:
            factor = 1 + v.square() if hook == "reading" else weights
            y.register_hook(lambda g: g.clone() if hook == "copy" else g * factor)
        return (y - v).square().sum() + y.pow(4).sum()

    with pytest.raises(RuntimeError, match=r"changes its own gradient .* tensor, even a copy"):
        torchopt.minimize(
            objective,
            torch.zeros(3, dtype=DOUBLE),
            (v,),
            solver=torchopt.sgd(0.1),
            steps=80,
            diff=diff.Implicit(hvp=hvp),
        ).params.sum().backward()


@pytest.mark.parametrize(
    "mode",
    [
        diff.Implicit(),
        diff.Implicit(hvp="forward"),
        diff.Explicit("forward"),
        diff.Explicit("step", hvp="forward"),
        diff.Explicit("step", hvp="finite_difference"),
    ],
    ids=str,
)
def test_a_hook_that_looks_at_the_gradient_is_welcome(mode: Any) -> None:
    v = variable(0.3, -0.4, 0.5)
    seen: list[float] = []

    def objective(x: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
        y = x * 1.0
        if y.requires_grad:
            y.register_hook(lambda g: seen.append(g.detach().abs().max()))
        return (y - v).square().sum() / 2 + y.pow(4).sum() / 4

    solution = torchopt.minimize(
        objective, torch.zeros(3, dtype=DOUBLE), (v,), solver=torchopt.sgd(0.6), steps=25, diff=mode
    ).params
    (found,) = torch.autograd.grad(solution.sum(), v)
    torch.testing.assert_close(found, 1 / (1 + 3 * solution.detach() ** 2), rtol=1e-6, atol=1e-8)
    assert seen


# What changes between forward and backward.


def unsettled(s: torch.Tensor, args: tuple[Any, ...], closed: Any) -> torch.Tensor:
    def objective(w: torch.Tensor, *args: torch.Tensor) -> torch.Tensor:
        a, d = args if args else closed
        return ((w - a * d) ** 2).sum() + (w**4).sum() * a.sum()

    start = torch.zeros(2, dtype=DOUBLE)
    return torchopt.minimize(
        objective, start, args, solver=solver.Newton(), diff=diff.Implicit()
    ).params


@pytest.mark.parametrize("changed", ["variable", "constant"])
@pytest.mark.parametrize("passed", [True, False])
def test_a_change_in_place_before_the_backward_is_an_error(passed: bool, changed: str) -> None:
    s, d = variable(1.0, 2.0), double(1.0, 1.5)
    w = unsettled(s, (s, d) if passed else (), (s, d))
    with torch.no_grad():
        (s if changed == "variable" else d).mul_(3)
    with pytest.raises(RuntimeError, match=r"modified (in place|by an inplace operation)"):
        torch.autograd.grad(w.sum(), s)


def test_a_constant_that_changes_where_it_counts_for_the_derivative_only_is_refused() -> None:
    """The conditions have the same value at the solution; the derivative was the constant."""
    a, c = variable(2.0), double(3.0)
    x = torchopt.root(lambda x: x - 1 - c * (a - 2), double(0.5), diff=diff.Implicit()).params
    (slope,) = torch.autograd.grad(x, a, create_graph=True)
    torch.testing.assert_close(slope, double(3.0))
    c.fill_(5.0)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        torch.autograd.grad(x, a, create_graph=True)


def test_a_change_of_the_solution_in_place_is_an_error() -> None:
    s, d = variable(1.0, 2.0), double(1.0, 1.5)
    w = unsettled(s, (s, d), None)
    with torch.no_grad():
        w.mul_(3)
    with pytest.raises(RuntimeError, match=r"modified (in place|by an inplace operation)"):
        torch.autograd.grad(w.sum(), s)


def test_two_backwards_accumulate_and_a_freed_graph_says_so() -> None:
    s, d = variable(1.0, 2.0), double(1.0, 1.5)
    loss = unsettled(s, (s, d), None).sum()
    loss.backward(retain_graph=True)
    once = s.grad.clone()
    loss.backward()
    torch.testing.assert_close(s.grad, 2 * once)
    with pytest.raises(RuntimeError, match="second time"):
        loss.backward()


def right_or_refused(loss: torch.Tensor, a: torch.Tensor, expected: torch.Tensor) -> None:
    """Conditions are evaluated anew for the derivative: what changed must not be read in silence."""
    try:
        (found,) = torch.autograd.grad(loss, a)
    except RuntimeError as error:
        assert "`args`" in str(error)  # noqa: PT017
    else:
        torch.testing.assert_close(found, expected)


def test_loop_variables_that_objectives_close_over() -> None:
    """Python binds them late: by the time of the backward all of them are the last task's."""
    a = variable(0.3)
    tasks = [(torch.randn(5, 2, dtype=DOUBLE), torch.randn(5, dtype=DOUBLE)) for _ in range(3)]
    losses, expected = [], []
    for X, y in tasks:
        w = torchopt.minimize(
            lambda w: (X @ w - y).square().mean() + a * w.square().sum(),  # noqa: B023
            torch.zeros(2, dtype=DOUBLE),
            solver=solver.LBFGS(rtol=0.0, atol=1e-11),
            diff=diff.Implicit(),
        ).params
        losses.append((w**2).sum())
        matrix = X.T @ X / 5 + a * torch.eye(2, dtype=DOUBLE)
        expected.append((torch.linalg.solve(matrix, X.T @ y / 5) ** 2).sum())
    right_or_refused(sum(losses), a, torch.autograd.grad(sum(expected), a)[0])


def _by_vmap(function: Callable[..., torch.Tensor], at: torch.Tensor) -> torch.Tensor:
    points = at.expand(2).clone().requires_grad_()
    return torch.autograd.grad(torch.func.vmap(function)(points).sum(), points)[0][1]


def _again(function: Callable[..., torch.Tensor], at: torch.Tensor) -> torch.Tensor:
    """By a gradient with a graph, for which the conditions are evaluated anew."""
    at = at.clone().requires_grad_()
    return torch.autograd.grad(function(at), at, create_graph=True)[0]


@pytest.mark.parametrize("kept", [lambda w: w, torch.Tensor.detach, torch.clone, torch.ones_like])
@pytest.mark.parametrize(
    "derivative",
    [
        lambda f, w: torch.func.grad(f)(w),
        lambda f, w: torch.func.jacrev(f)(w),
        lambda f, w: torch.func.jacfwd(f)(w),
        lambda f, w: torch.func.vmap(torch.func.grad(f))(w.expand(2))[1],
        _by_vmap,
        _again,
    ],
    ids=["grad", "jacrev", "jacfwd", "vmap of grad", "grad of vmap", "again"],
)
def test_a_variable_that_is_replaced_before_its_derivative_is_right_or_refused(
    derivative: Callable[..., torch.Tensor], kept: Callable[[torch.Tensor], torch.Tensor]
) -> None:
    """Of ``x^3 + x = w``, also if what takes its place has the same value, or a graph to it."""

    def solved(w: torch.Tensor) -> torch.Tensor:
        held = {"w": w}
        x = torchopt.root(
            lambda x: x**3 + x - held["w"], torch.zeros_like(w), diff=diff.Implicit()
        ).params
        held["w"] = kept(w)
        return x

    try:
        found = derivative(solved, double(2.0))
    except ReplayError as error:
        assert "`args`" in str(error)  # noqa: PT017
    else:
        torch.testing.assert_close(found, double(1 / 4))


def test_python_state_that_changed_before_the_backward() -> None:
    a, state = variable(2.0), {"power": 3.0}
    x = torchopt.root(lambda x, a: x ** state["power"] - a, double(1.0), (a,)).params
    state["power"] = 5.0
    right_or_refused(x, a, double(2 ** (-2 / 3) / 3))


@pytest.mark.parametrize("dtype", [torch.float32, DOUBLE], ids=str)
@pytest.mark.parametrize("unit", [1e-10, 1e-5, 1.0, 1e5])
def test_what_changed_is_seen_in_all_units_of_the_objective(
    dtype: torch.dtype, unit: float
) -> None:
    """By second derivatives, which evaluate the conditions anew."""
    target, state = torch.tensor(1.3, dtype=dtype, requires_grad=True), {"factor": 2.0}

    def objective(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
        return unit * ((x - state["factor"] * t**2) ** 2).sum()

    x = torchopt.minimize(
        objective,
        torch.zeros(3, dtype=dtype),
        (target,),
        solver=torchopt.sgd(0.2 / unit),
        steps=100,
        diff=diff.Implicit(),
    ).params
    (first,) = torch.autograd.grad(x.sum(), target, create_graph=True)  # the same: no error
    (second,) = torch.autograd.grad(first, target, retain_graph=True)
    torch.testing.assert_close(second, torch.tensor(12.0, dtype=dtype), rtol=1e-4, atol=0)
    state["factor"] = 2.1
    (first,) = torch.autograd.grad(x.sum(), target, create_graph=True)  # on the graph of that time
    torch.testing.assert_close(first, torch.tensor(15.6, dtype=dtype), rtol=1e-4, atol=0)
    with pytest.raises(RuntimeError, match="another value at the solution"):
        torch.autograd.grad(first, target)


def test_numbers_of_a_generator_are_drawn_again_and_leave_its_state() -> None:
    generator = torch.Generator().manual_seed(3)
    before = generator.get_state()
    noise = torch.randn(3, generator=torch.Generator().manual_seed(3), dtype=DOUBLE)
    scale = torch.tensor(1.5, dtype=DOUBLE, requires_grad=True)

    def objective(x: torch.Tensor, scale: torch.Tensor) -> torch.Tensor:
        drawn = torch.randn(3, generator=generator, dtype=DOUBLE)
        return (x - scale**3 * drawn).square().sum()

    def function(x: torch.Tensor, scale: torch.Tensor) -> torch.Tensor:
        return scale**3 * noise

    x = torchopt.minimize(
        objective, torch.zeros(3, dtype=DOUBLE), (scale,), solver=function, diff=diff.Implicit()
    ).params
    (first,) = torch.autograd.grad(x.sum(), scale, create_graph=True)
    (second,) = torch.autograd.grad(first, scale)
    torch.testing.assert_close(first.detach(), 3 * 1.5**2 * noise.sum())
    torch.testing.assert_close(second, 6 * 1.5 * noise.sum())
    assert torch.equal(generator.get_state(), before)


class Dual(Product):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, a: torch.Tensor) -> torch.Tensor:
        ctx.save_for_forward(x, a)
        return Product.forward(ctx, x, a)

    @staticmethod
    def jvp(ctx: Any, dx: torch.Tensor, da: torch.Tensor) -> torch.Tensor:
        x, a = ctx.saved_tensors
        return dx * a + x * da


@pytest.mark.parametrize("passed", [True, False])
def test_a_custom_function_in_forward_mode_is_right_or_refused(passed: bool) -> None:
    a = variable(2.0)
    args = (a,) if passed else ()
    with forward_ad.dual_level():
        c = forward_ad.make_dual(double(3.0), double(1.0))
        try:
            x = torchopt.root(
                lambda x, c, *b: Dual.apply(x, *(b or (a,))) - c, double(1.0), (c, *args)
            ).params
        except RuntimeError as error:
            assert not passed
            assert "custom autograd.Function" in str(error)  # noqa: PT017
        else:
            primal, tangent = forward_ad.unpack_dual(x)
            for y, slope in ((primal, -3 / 4), (tangent, -1 / 4)):
                (found,) = torch.autograd.grad(y, a, retain_graph=True)
                torch.testing.assert_close(found, double(slope))


def test_a_pullback_without_a_graph_of_what_requires_grad() -> None:
    y = variable(0.1)
    with torch.no_grad():
        x, pull = torch.func.vjp(
            lambda y: (
                torchopt.minimize(
                    lambda x: (0.7 * x - y) ** 2 / 2 + x**2 / 2,
                    torch.zeros_like(y),
                    solver=solver.Newton(),
                    diff=diff.Implicit(),
                ).params
            ),
            y,
        )
        (slope,) = pull(torch.ones_like(x))
    torch.testing.assert_close(slope, double(0.7 / 1.49))


def given(function: Any, solution: Callable[[], Any], start: Any = 1.0) -> torch.Tensor:
    """Return a root that another program found."""
    x: torch.Tensor = torchopt.root(
        function, double(start), solver=lambda _: solution(), diff=diff.Implicit()
    ).params
    return x


@pytest.mark.parametrize("change", ["detached", "converted"])
def test_a_variable_that_gets_another_place_in_the_graph_is_refused(change: str) -> None:
    a, layer = variable(2.0), nn.Linear(1, 1, bias=False, dtype=DOUBLE)
    hidden = a * 1
    nn.init.ones_(layer.weight)
    x = torchopt.root(lambda x: x**3 - hidden - layer.weight.sum(), double(1.0)).params
    if change == "detached":
        hidden.detach_()
    else:
        layer.float()
    with pytest.raises(ReplayError, match="Leave it where it is"):
        x.backward()


def test_a_gradient_that_is_retained_after_the_solve() -> None:
    a = variable(2.0)
    m = a * 1
    x = torchopt.root(lambda x: x**3 - m, double(1.0)).params
    m.retain_grad()
    x.backward()
    assert m.grad is not None
    torch.testing.assert_close(m.grad, double(2 ** (-2 / 3) / 3))
    torch.testing.assert_close(a.grad, m.grad)


class Slow(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        return x.clone()

    @staticmethod
    def backward(ctx: Any, g: torch.Tensor) -> torch.Tensor:
        Slow.other()
        return g.clone()

    other: Callable[[], Any] = staticmethod(lambda: None)  # type: ignore[assignment]


def test_what_another_thread_adds_to_a_gradient_meanwhile_stays(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    a = variable(2.0)
    a.grad = double(0.0)
    x = given(lambda x: Slow.apply(x**3 - a), lambda: double(2 ** (1 / 3)))

    def elsewhere() -> None:
        thread = threading.Thread(target=lambda: (a * 1.0).backward())
        thread.start()
        thread.join()

    monkeypatch.setattr(Slow, "other", staticmethod(elsewhere))
    x.backward()
    added = round((a.grad - 2 ** (-2 / 3) / 3).item())
    assert added > 0
    torch.testing.assert_close(a.grad, double(added + 2 ** (-2 / 3) / 3))


def test_a_variable_made_of_another_in_what_is_evaluated_again_under_vmap() -> None:
    a = variable(2.0)
    m = a * a

    def block(y: torch.Tensor) -> torch.Tensor:
        y = y * 1
        x = given(lambda x: x - y * a - m, lambda: (y * a + m).detach())

        def product(v: torch.Tensor) -> torch.Tensor:
            return torch.autograd.grad(x, y, v, create_graph=True)[0]

        return torch.func.vmap(product)(double(1.0).reshape(1)).sum()

    (found,) = torch.autograd.grad(torchopt.remat(block)(variable(1.0)), a)
    torch.testing.assert_close(found, double(1.0))


def test_a_variable_made_of_another_three_deep() -> None:
    a = variable(2.0)
    m = a * a

    def outer(y: torch.Tensor) -> torch.Tensor:
        def middle(z: torch.Tensor) -> torch.Tensor:
            inner = given(lambda x: x - y * a - m - z / 2, lambda: (y * a + m + z / 2).detach())
            return z - inner / 5

        return y - torchopt.root(middle, double(1.0)).params / 5

    (found,) = torch.autograd.grad(torchopt.root(outer, double(1.0)).params, a)
    # z = (y a + a^2) / 4.5, and y = z / 5
    slope = (2 * 2.0 * (22.5 - 2.0) + 4.0) / (22.5 - 2.0) ** 2
    torch.testing.assert_close(found, double(slope))


def test_a_solver_inside_a_checkpoint_runs_once_more() -> None:
    a, count = variable(2.0), 0
    A = torch.eye(6, dtype=DOUBLE) * 4 + torch.arange(36.0, dtype=DOUBLE).view(6, 6).sin()

    def solved(a: torch.Tensor) -> torch.Tensor:
        def solution(_: torch.Tensor) -> torch.Tensor:
            nonlocal count
            count += 1
            return torch.linalg.solve(A, torch.ones(6, dtype=DOUBLE) * a.detach())

        start = torch.zeros(6, dtype=DOUBLE)
        x = torchopt.root(lambda x: A @ x - a, start, solver=solution, diff=diff.Implicit())
        total: torch.Tensor = x.params.sum()
        return total

    value = checkpoint(solved, a, use_reentrant=False)
    (found,) = torch.autograd.grad(value, a)
    torch.testing.assert_close(found, A.inverse().sum())
    assert count == 2


def test_a_solver_may_write_to_its_result_again() -> None:
    a, buffer = variable(2.0), np.zeros(1)

    @torchopt.compat.custom_root(lambda x, a: x**3 - a)
    def solve(start: torch.Tensor, a: torch.Tensor) -> torch.Tensor:
        buffer[0] = float(a.detach()) ** (1 / 3)
        return torch.from_numpy(buffer)

    x = solve(torch.ones(1, dtype=DOUBLE), a)
    solve(torch.ones(1, dtype=DOUBLE), variable(5.0))
    (slope,) = torch.autograd.grad(x.sum(), a, create_graph=True)
    torch.testing.assert_close(slope, double(2 ** (-2 / 3) / 3))
    (bend,) = torch.autograd.grad(slope, a)
    torch.testing.assert_close(bend, double(-2 / 9 * 2 ** (-5 / 3)))


def _square_by(transform: str, w: torch.Tensor) -> torch.Tensor:
    """Return the sum of squares, by a transform that is given what is closed over."""
    func, ones = torch.func, torch.ones_like(w)
    total: torch.Tensor = {
        "vmap": lambda: func.vmap(lambda a: a**2)(w).sum(),
        "vmap twice": lambda: func.vmap(func.vmap(lambda a: a**2))(w[None]).sum(),
        "vmap of grad": lambda: func.vmap(func.grad(lambda a: a**3 / 3))(w).sum(),
        "grad of vmap": lambda: func.grad(lambda u: func.vmap(lambda a: a**3 / 3)(u).sum())(
            w
        ).sum(),
        "grad": lambda: func.grad(lambda a: (a**3).sum() / 3)(w).sum(),
        "jvp": lambda: func.jvp(lambda a: (a**3).sum() / 3, (w,), (ones,))[1],
        "vjp": lambda: func.vjp(lambda a: a**3 / 3, w)[1](ones)[0].sum(),
        "hessian": lambda: func.hessian(lambda a: (a**4).sum() / 12)(w).sum(),
    }[transform]()
    return total


@pytest.mark.parametrize("memory", ["implicit", "step"])
@pytest.mark.parametrize("derivative", [torch.func.grad, torch.func.jacfwd])
@pytest.mark.parametrize(
    "transform",
    ["vmap", "vmap twice", "vmap of grad", "grad of vmap", "grad", "jvp", "vjp", "hessian"],
)
def test_a_variable_that_an_inner_transform_is_given(
    transform: str, derivative: Any, memory: str
) -> None:
    w = double(1.0, 2.0)

    def solved(w: torch.Tensor) -> torch.Tensor:
        start = torch.zeros((), dtype=DOUBLE)

        def objective(x: torch.Tensor) -> torch.Tensor:
            return (x - _square_by(transform, w)) ** 2 / 2

        if memory == "step":
            tx = torchopt.sgd(0.5)
            return torchopt.minimize(
                objective, start, solver=tx, steps=2, diff=diff.Explicit("step")
            ).params
        return torchopt.minimize(
            objective, start, solver=solver.Newton(), diff=diff.Implicit()
        ).params

    share = 1.0 if memory == "implicit" else 0.75
    torch.testing.assert_close(derivative(solved)(w), share * 2 * w)


@pytest.mark.parametrize("passed", [True, False])
def test_conditions_that_return_a_variable_itself(passed: bool) -> None:
    a = variable(2.0, 3.0)
    args = (a,) if passed else ()
    x = torchopt.fixed_point(lambda x, *args: args[0] if passed else a, double(1.0, 1.0), args)
    (found,) = torch.autograd.grad(x.params.sum(), a)
    torch.testing.assert_close(found, double(1.0, 1.0))

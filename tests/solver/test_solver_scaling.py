"""A problem in other units has the same solution in other units, whatever the solver and the dtype."""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Callable
from typing import Any

import pytest
import torch

import _public
import torchopt
from _cases import covering, diagonal
from solver._rows import DISTINCT, SMOOTH
from torchopt import sets, solver

DOUBLE = torch.float64
TARGET = torch.tensor([0.7, -0.4, 1.2], dtype=DOUBLE)
FACES: dict[str, Callable[..., Any]] = {
    "root": torchopt.root,
    "fixed_point": torchopt.fixed_point,
    "minimum": torchopt.minimize,
    "least_squares": torchopt.least_squares,
}
close = torch.testing.assert_close
SCALES = [1.0, 1e-12, 1e12]
STARTS = {
    "near": torch.tensor([0.2, 0.3, 0.9], dtype=DOUBLE),
    "zero": torch.zeros(3, dtype=DOUBLE),
    "far": torch.tensor([30.0, -50.0, 20.0], dtype=DOUBLE),
}


#: Damped and mixed steps are not those of a Newton step, and plain ones do not begin far away. Of the
#: solvers for any objective, L-BFGS sees one in the units of a fit.
SOLVERS = {
    name: row
    for name, row in SMOOTH.items()
    if not name.endswith(("_damped", "_mixed", "_short", "_plain", "_identity"))
    if name in DISTINCT or name == "LBFGS-least_squares"
}


def problem(kind: str, x: torch.Tensor, theta: Any) -> torch.Tensor:
    f = x + 0.3 * torch.sin(theta * x.flip(0)) - TARGET.to(x)
    if kind == "minimum":
        return f.square().sum() / 2 + torch.cosh(0.5 * x).sum()
    if kind == "least_squares":
        return torch.cat([f, 0.1 * theta * x[:2] + 0.2])
    return x - 0.9 * f if kind == "fixed_point" else f


def stationary(kind: str, x: torch.Tensor) -> torch.Tensor:
    if kind in ("root", "fixed_point"):
        return problem("root", x, 1.1)

    def value(x: torch.Tensor) -> torch.Tensor:
        out = problem(kind, x, 1.1)
        return out if kind == "minimum" else out.square().sum() / 2

    return torch.func.grad(value)(x)


@functools.cache
def solution(kind: str) -> torch.Tensor:
    """Return the solution by plain Newton steps, in float64."""
    x = STARTS["near"]
    for _ in range(20):
        J = torch.func.jacrev(lambda x: stationary(kind, x))(x)
        x = x - torch.linalg.solve(J, stationary(kind, x))
    return x


def pairs() -> dict[str, tuple[torch.Tensor, torch.dtype, float, float]]:
    """Return each pair of a start, a size and a unit, and each of these in both dtypes."""
    single = {(0, 1), (1, 1), (1, 2), (2, 0)}
    return {
        f"{start}-size {SCALES[j]:g}-unit {SCALES[(i + j + 1) % 3]:g}": (
            STARTS[start],
            torch.float32 if (i, j) in single else DOUBLE,
            SCALES[j],
            SCALES[(i + j + 1) % 3],
        )
        for i, start in enumerate(STARTS)
        for j in range(3)
    }


@pytest.mark.parametrize(
    ("name", "pair"),
    [  # of each solver a third, in turn
        case
        for k, case in enumerate(covering([*SOLVERS], [*pairs()]))
        if not case.marks or (k + k // len(pairs())) % 3 == 0
    ],
)
def test_solutions_scale_with_the_problem(name: str, pair: str) -> None:
    (method, kind), (start, dtype, size, unit) = SOLVERS[name], pairs()[pair]
    if kind == "fixed_point":
        size = unit  # its values are in the units of x
    found = FACES[kind](
        lambda x: problem(kind, x / unit, 1.1) * size,
        start.to(dtype) * unit,
        solver=method,
        diff=torchopt.diff.Implicit(),
    )
    assert found.stats.converged
    tol = 1e-4 if dtype == torch.float32 else 1e-8
    torch.testing.assert_close(found.params.to(DOUBLE) / unit, solution(kind), rtol=tol, atol=tol)


SWEEP = {DOUBLE: [1e-30, 1e-15, 1e15, 1e30], torch.float32: [1e-12, 1e-6, 1e6, 1e12]}


@pytest.mark.parametrize(("name", "dtype"), diagonal([*SOLVERS], [*SWEEP]))
@pytest.mark.parametrize("by_itself", ["function", "unknowns"])
def test_each_input_by_itself_at_every_scale(name: str, dtype: torch.dtype, by_itself: str) -> None:
    method, kind = SOLVERS[name]
    for scale in SWEEP[dtype][::3]:  # those between are in the test above
        size, unit = (scale, 1.0) if by_itself == "function" else (1.0, scale)
        if kind == "fixed_point":  # its values are in the units of x
            size = unit
        found = FACES[kind](
            lambda x, unit=unit, size=size: problem(kind, x / unit, 1.1) * size,
            STARTS["near"].to(dtype) * unit,
            solver=method,
        )
        assert found.converged
        tol = 1e-4 if dtype == torch.float32 else 1e-8
        close(found.params.to(DOUBLE) / unit, solution(kind), rtol=tol, atol=tol)


#: Methods whose steps do not depend on the units of single unknowns, nor of single equations.
INVARIANT = {"GaussNewton", "LevenbergMarquardt", "FixedPointIteration", "Newton"}
#: Methods that take many trial steps there.
SEARCHING = {"BFGS", "BlockCoordinateDescent", "LBFGS", "LBFGSB", "NonlinearCG"}
DEFAULTS = {name: row for name, row in _public.other_solvers({}).items() if name in DISTINCT}
QUICK = [name for name, (method, _) in DEFAULTS.items() if type(method).__name__ not in SEARCHING]


@pytest.mark.parametrize(
    ("name", "dtype", "by_itself"),
    [
        *(
            case
            for more in ([], ["equation"])
            for case in covering(
                [name for name in QUICK if (DEFAULTS[name][1] == "root") == bool(more)],
                [*SWEEP],
                ["first", "second", *more],
            )
        ),
        *(
            pytest.param(name, *case.values, marks=pytest.mark.slow)
            for name in DEFAULTS
            if name not in QUICK
            for case in diagonal([*SWEEP], ["second", "first"])
        ),
    ],
)
def test_one_unknown_or_equation_in_units_of_its_own(
    name: str, dtype: torch.dtype, by_itself: str
) -> None:
    """Either it is solved, or it is said that it is not: a method may need too many steps."""
    method, kind = DEFAULTS[name]
    invariant, scales = type(method).__name__ in INVARIANT, SWEEP[dtype]
    if type(method).__name__ in SEARCHING:  # a small and a large one, of each unknown others
        scales = scales[by_itself == "second" :: 2]
    method = dataclasses.replace(method, maxiter=30, on_failure="ignore")
    for scale in scales:
        units = torch.ones(3, dtype=dtype)
        units[0 if by_itself == "first" else 1] = scale
        of_x, of_f = (torch.ones_like(units), units) if by_itself == "equation" else (units, 1.0)
        if kind == "fixed_point":
            of_f = of_x
        with torch.no_grad():  # nothing is differentiated, and `Implicit` is silent
            found = FACES[kind](
                lambda x, of_x=of_x, of_f=of_f: problem(kind, x / of_x, 1.1) * of_f,
                STARTS["near"].to(dtype) * of_x,
                solver=method,
            )
        assert found.converged or not invariant
        z = found.params.to(DOUBLE) / of_x
        if found.converged and z.abs().max() < 1e6:  # far out, waves have minima of their own
            tol = 1e-3 if dtype == torch.float32 else 1e-7
            close(z, solution(kind), rtol=tol, atol=tol)


COMPOSITE = {
    name: row
    for name, row in _public.other_solvers({}, _public.COMPOSITE).items()
    if name in DISTINCT
}
CURVATURE = torch.tensor([[2.0, 0.5, 0.0], [0.5, 1.0, 0.3], [0.0, 0.3, 1.5]], dtype=DOUBLE)


@pytest.mark.parametrize(
    ("name", "dtype", "by_itself"),
    [
        # Which is as slow as all others.
        pytest.param(*case.values, marks=pytest.mark.slow)
        if case.values[0] == "DouglasRachford-composite"
        else case
        for case in covering([*COMPOSITE], [*SWEEP], ["unknowns", "function"])
        if not (case.marks and "DouglasRachford" in case.values[0])
    ],
)
def test_each_input_of_a_problem_with_bounds_at_every_scale(
    name: str, dtype: torch.dtype, by_itself: str
) -> None:
    """The gradient is zero in the first unknown, and pushes against zero in the second."""
    method, kind = COMPOSITE[name]
    at = torch.tensor([0.6, 0.0, 0.8], dtype=DOUBLE)
    slope = torch.tensor([0.0, 0.5, 0.0], dtype=DOUBLE)
    root = torch.linalg.cholesky(CURVATURE).T
    middle = (at - torch.linalg.solve(CURVATURE, slope)).to(dtype)
    slow = isinstance(method, solver.DouglasRachford)  # it solves a problem in each of its steps
    for scale in SWEEP[dtype][1:2] if slow else SWEEP[dtype][::3]:
        size, unit = (scale, 1.0) if by_itself == "function" else (1.0, scale)

        def residuals(x: torch.Tensor, size: float = size, unit: float = unit) -> torch.Tensor:
            return root.to(dtype) @ (x / unit - middle) * size

        def value(x: torch.Tensor, size: float = size, unit: float = unit) -> torch.Tensor:
            return residuals(x, 1.0, unit).square().sum() / 2 * size

        mirror = isinstance(method, solver.MirrorDescent)
        found = (torchopt.minimize if kind == "composite" else torchopt.least_squares)(
            value if kind == "composite" else residuals,
            torch.full((3,), unit / 2, dtype=dtype),
            subject_to=sets.NonNegative() if mirror else sets.Box(0.0, unit),
            solver=method,
        )
        assert found.converged
        tol = 1e-3 if dtype == torch.float32 else 1e-7
        close(found.params.to(DOUBLE) / unit, at, rtol=tol, atol=tol)


def test_a_steep_problem_is_not_taken_for_solved_after_one_long_step() -> None:
    """The gradient falls by many orders in one step; then the slope over that step says nothing."""
    for unit in (1.0, 1e-12):
        found = torchopt.minimize(
            lambda x, unit=unit: torch.cosh(x / unit).sum() + (x / unit - 1).square().sum(),
            torch.tensor([12.0, -30.0]) * unit,
            solver=solver.LBFGS(),
            diff=torchopt.diff.Implicit(),
        )
        assert found.stats.converged
        x = found.params / unit
        torch.testing.assert_close(torch.sinh(x) + 2 * (x - 1), torch.zeros(2), rtol=0, atol=1e-4)


def test_a_curvature_above_the_largest_number_is_not_taken_for_none() -> None:
    unit = 1e-30  # curvatures of 1e60, in float32
    found = torchopt.minimize(
        lambda x: ((x / unit) ** 4 / 4 - x / unit / 2).sum(),
        torch.full((3,), 0.4 * unit),
        subject_to=sets.Box(0.1 * unit, 0.9 * unit),
        solver=solver.ProximalGradient(),
    )
    torch.testing.assert_close(
        found.params / unit, torch.full((3,), 0.5 ** (1 / 3)), rtol=1e-3, atol=0
    )


#: Equations, and their roots.
FLAT: dict[str, tuple[Callable[..., torch.Tensor], Callable[[float], float]]] = {
    "cube": (lambda x, t: x**3 - t, lambda t: t ** (1 / 3)),
    "exp": (lambda x, t: torch.exp(x) - t, math.log),
    "reciprocal": (lambda x, t: 1 / x - t, lambda t: 1 / t),
}


@pytest.mark.parametrize(
    ("method", "dtype", "name"),
    covering([solver.Anderson, solver.Broyden], [torch.float32, DOUBLE], [*FLAT]),
)
def test_large_residuals_on_the_way_do_not_excuse_that_of_the_last_point(
    method: type[solver.Solver[Any]], dtype: torch.dtype, name: str
) -> None:
    """Far from solutions, the residual may be flat: a step changes nothing, and yet it is no root."""
    function, root = FLAT[name]
    for t in (1e-8, 1e-4, 0.3, 1e6):
        found = torchopt.root(
            function,
            torch.ones((), dtype=dtype),
            (t,),
            solver=method(on_failure="ignore"),
            diff=torchopt.diff.Implicit(),
        )
        if found.stats.converged:
            assert float(found.params) == pytest.approx(root(t), rel=1e-3)


def test_an_absolute_tolerance_is_on_the_residual() -> None:
    def run(**options: float) -> Any:
        return torchopt.root(
            lambda x: 1e6 * (x**2 - 2),
            torch.tensor(1.0, dtype=DOUBLE),
            solver=solver.Newton(**options),  # type: ignore[arg-type]
        )

    loose, tight = run(rtol=0.0, atol=1e3), run(rtol=0.0, atol=1e-3)
    assert loose.stats.converged
    assert 1e-3 < loose.stats.error <= 1e3
    assert tight.stats.error <= 1e-3
    assert run(atol=1e3).iterations <= loose.stats.iterations
    with pytest.raises(ValueError, match="`rtol` is -1"):
        solver.Newton(rtol=-1.0)

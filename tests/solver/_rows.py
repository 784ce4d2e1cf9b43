"""Every solver with every kind of problem that it knows; problems of each kind, and their solutions.

A solver that the package exports is a row by itself, with its defaults; rows with options are listed.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable
from typing import Any

import pytest
import torch
from _problems import (
    FlatProblem,
    composite,
    composite_least_squares,
    constrained,
    fixed_point,
    least_squares,
    minimum,
    root,
)

import _public
from _cases import first_of_each
from torchopt import sets, solver
from torchopt.linear_solve import CG, GMRES

DTYPE = torch.float64
Row = tuple[solver.Solver[Any], str]

#: Options other than the defaults.
SMOOTH: dict[str, Row] = {
    "fixed_point_iteration_damped": (solver.FixedPointIteration(relaxation=0.6), "fixed_point"),
    "anderson_mixed": (solver.Anderson(history_size=3, relaxation=0.7), "fixed_point"),
    "broyden_short": (solver.Broyden(history_size=4), "root"),
    "broyden_plain": (solver.Broyden(line_search=False, scale=0.5), "root"),
    "newton_plain": (solver.Newton(line_search=False), "root"),
    "newton_gmres": (solver.Newton(linear_solve=GMRES()), "root"),
    "newton_cg": (solver.Newton(linear_solve=CG(on_failure="ignore")), "minimum"),
    "lbfgs_short": (solver.LBFGS(history_size=2, c2=0.5), "minimum"),
    "gauss_newton_cg": (solver.GaussNewton(linear_solve=CG()), "least_squares"),
    "levenberg_marquardt_identity": (
        solver.LevenbergMarquardt(scaling="identity"),
        "least_squares",
    ),
    "levenberg_marquardt_cg": (
        solver.LevenbergMarquardt(scaling="identity", linear_solve=CG()),
        "least_squares",
    ),
}
SMOOTH = _public.other_solvers({}) | SMOOTH
#: The gap is an error of the objective, and its root one of the solution.
ACCURATE = {"FrankWolfe": {"rtol": 1e-16}}
#: The first of a class is the one of the fast tests: with these options it takes fewer steps.
COMPOSITE: dict[str, Row] = {
    "relaxed": (solver.DouglasRachford(relaxation=1.6, step_size=0.5), "composite")
}
COMPOSITE |= {
    f"{name}-{kind}": (cls(**ACCURATE.get(name, {})), kind)
    for name, cls in _public.exported(solver, solver.Solver).items()
    for kind in sorted(_public.solved_by(cls) & _public.COMPOSITE)
}
COMPOSITE |= {
    "plain": (solver.ProximalGradient(acceleration=False), "composite"),
    "restart_by_value": (solver.ProximalGradient(restart="value"), "composite"),
    "fixed_step": (solver.ProximalGradient(step_size=0.25), "composite"),
    "mirror_fixed_step": (solver.MirrorDescent(step_size=0.7), "composite"),
    "away": (solver.FrankWolfe(rtol=1e-16, variant="away"), "composite"),
    "exact": (solver.FrankWolfe(rtol=1e-16, line_search="exact"), "composite"),
    "admm_by_lbfgs": (
        solver.DouglasRachford(inner=solver.LBFGS(rtol=1e-12, on_failure="ignore")),
        "composite",
    ),
}
ROWS = {
    **SMOOTH,
    "augmented_lagrangian": (solver.AugmentedLagrangian(), "constrained"),
    **COMPOSITE,
}


def group(kind: str) -> str:
    """Return "equation", "objective" or "composite"."""
    if kind in _public.COMPOSITE:
        return "composite"
    return "equation" if kind in ("root", "fixed_point") else "objective"


def rows(table: dict[str, Row], key: Any = None) -> Any:
    """Parametrize a test by rows, fast but for those whose key is that of an earlier one."""
    cases = (
        first_of_each(table, lambda row: (type(row[0]), key(row[1])))
        if key
        else [pytest.param(*row, id=name) for name, row in table.items()]
    )
    return pytest.mark.parametrize(("method", "kind"), cases)


def is_dear(method: solver.Solver[Any]) -> bool:
    """Whether each of its steps is a run of another solver."""
    return isinstance(method, solver.DouglasRachford)


def but_dear(each: Any, *, options: bool = True) -> Any:
    """Return a mark without the slow cases that are dear, or with no slow one; the dear are slow."""
    return pytest.mark.parametrize(
        ("method", "kind"),
        [
            pytest.param(
                *case.values,
                id=case.id,
                marks=case.marks or (pytest.mark.slow if is_dear(case.values[0]) else ()),
            )
            for case in each.args[1]
            if not case.marks or (options and not is_dear(case.values[0]))
        ],
    )


#: To a solver for any objective a fit is one more: that it finds the solution is enough.
OBJECTIVE = {"least_squares": "minimum", "composite_least_squares": "composite"}
#: So it is where others solve the problem in each step: their steps are not differentiated.
DISTINCT = {
    name: (method, kind)
    for name, (method, kind) in ROWS.items()
    if OBJECTIVE.get(kind) not in _public.solved_by(method) and name != "admm_by_lbfgs"
}
#: Of those whose steps are runs of another solver, `test_constrained.py` differentiates the steps.
STEPPING = {name: row for name, row in DISTINCT.items() if row[1] != "constrained"}
every = rows(ROWS)
each_kind = rows(DISTINCT, lambda kind: kind if kind not in _public.COMPOSITE else "composite")
each_group = rows(STEPPING, group)
each_group_but_dear = but_dear(each_group)
#: With the options of the first row: of others each step is a problem's own, in a batch, too.
each_class = but_dear(each_group, options=False)
each_smooth_group = rows({name: DISTINCT[name] for name in SMOOTH if name in DISTINCT}, group)
each_smooth_class = but_dear(each_smooth_group, options=False)
each_composite = but_dear(
    rows({name: DISTINCT[name] for name in COMPOSITE if name in DISTINCT}, group)
)

MATRIX = torch.tensor(
    [[1.4, 0.3, -0.2], [-0.4, 1.1, 0.3], [0.1, -0.5, 1.3]], dtype=DTYPE
)  # not symmetric; eigenvalues near one
TARGET = torch.tensor([0.7, -0.4, 1.2], dtype=DTYPE)
#: Of composite problems, for which some bounds are active.
FAR = torch.tensor([0.9, -0.4, 1.2], dtype=DTYPE)
LOWER = torch.tensor([0.2, -0.1, -0.3], dtype=DTYPE)
UPPER = torch.tensor([0.8, 0.9, 1.5], dtype=DTYPE)


def on_simplex(method: solver.Solver[Any]) -> bool:
    """Whether a solver needs a mirror map or a linear minimizer; all others have a box."""
    return isinstance(method, (solver.MirrorDescent, solver.FrankWolfe))


#: A set of each shape with a problem of each kind: a mode does not know by which solver it was solved.
each_solution = pytest.mark.parametrize(
    ("method", "kind"),
    [
        pytest.param(solver.LBFGSB(), "composite", id="box"),
        pytest.param(solver.LevenbergMarquardt(), "composite_least_squares", id="fit in a box"),
        pytest.param(*COMPOSITE["FrankWolfe-composite"], id="simplex"),
        pytest.param(solver.MirrorDescent(), "composite_least_squares", id="fit on a simplex"),
    ],
)


def constraint(method: solver.Solver[Any], like: torch.Tensor, unit: Any = 1.0) -> sets.Set:
    """Return the set of a composite problem."""
    if on_simplex(method):
        return sets.Simplex(1.5 * unit)
    return sets.Box(LOWER.to(like) * unit, UPPER.to(like) * unit)


def start(method: solver.Solver[Any], kind: str) -> torch.Tensor:
    """Return where a solver begins."""
    if group(kind) != "composite":
        return torch.linspace(-0.4, 0.9, 3, dtype=DTYPE)
    return torch.tensor([0.5, 0.6, 0.4] if on_simplex(method) else [0.3, 0.4, 0.5], dtype=DTYPE)


def residuals(x: torch.Tensor, theta: Any, curve: float = 0.0) -> torch.Tensor:
    """Return residuals of a composite problem that are linear in x, or bent a little."""
    r = MATRIX.to(x) @ x * (1 + 0.1 * theta) - FAR.to(x) * theta
    return r + curve * torch.sin(x.flip(0))


def pose(
    method: solver.Solver[Any], kind: str, theta: Any, curve: float, dtype: torch.dtype
) -> FlatProblem:
    """Pose a composite problem."""
    term = constraint(method, torch.empty(0, dtype=dtype))
    if kind == "composite_least_squares":
        return composite_least_squares(lambda x: residuals(x, theta, curve), term)
    return composite(lambda x: residuals(x, theta, curve).square().sum() / 2, term)


def linear(
    method: solver.Solver[Any], kind: str, theta: float, dtype: torch.dtype = DTYPE
) -> tuple[FlatProblem, torch.Tensor]:
    """Pose a linear problem, whose Jacobian and right-hand side depend on theta; and solve it."""
    if group(kind) == "composite":
        return pose(method, kind, theta, 0.0, dtype), by_faces(method, theta)
    A, b = MATRIX.to(dtype) * (1 + 0.1 * theta), TARGET.to(dtype) * theta
    H = A.T @ A
    problem = {
        "minimum": minimum(lambda x: x @ H @ x / 2 - b @ x),
        "root": root(lambda x: A @ x - b),
        "fixed_point": fixed_point(lambda x: x - 0.8 * (A @ x - b)),
        "least_squares": least_squares(lambda x: torch.cat([A @ x - b, 0 * b[:1] + 0.3])),
        "constrained": constrained(
            lambda x: (A @ x - b).square().sum() / 2 + (A @ x - b)[0], lambda x: (A @ x - b)[:1]
        ),
    }[kind]
    return problem, torch.linalg.solve(H if kind == "minimum" else A, b)


def curved(method: solver.Solver[Any], kind: str, theta: torch.Tensor) -> FlatProblem:
    """Pose a nonlinear problem that depends on theta."""
    if group(kind) == "composite":
        return pose(method, kind, theta, 0.2, DTYPE)

    def f(x: torch.Tensor) -> torch.Tensor:
        return x + 0.3 * torch.sin(theta * x.flip(0)) - TARGET.to(x)

    return {
        "minimum": minimum(lambda x: f(x).square().sum() / 2 + torch.cosh(0.5 * x).sum()),
        "root": root(f),
        "fixed_point": fixed_point(lambda x: x - 0.9 * f(x)),
        "least_squares": least_squares(lambda x: torch.cat([f(x), 0.1 * theta * x[:2] + 0.2])),
        "constrained": constrained(
            lambda x: f(x).square().sum() / 2 + torch.cosh(0.5 * x).sum(),
            lambda x: x[:1] * x[-1:] - 0.2 * theta,
            lambda x: x.square() - theta,
        ),
    }[kind]


def by_faces(method: solver.Solver[Any], theta: Any) -> torch.Tensor:
    """Return the solution of the linear composite problem: the best of the minimizers on all faces.

    It is differentiable in theta.
    """
    A, b = MATRIX * (1 + 0.1 * theta), FAR * theta
    points = []
    for places in itertools.product((-1, 0, 1), repeat=3):
        free = torch.tensor([p == 0 for p in places])
        if on_simplex(method):
            if 1 in places or not free.any():
                continue
            n = int(free.sum())
            H = torch.zeros(n + 1, n + 1, dtype=DTYPE)
            H[:n, n] = H[n, :n] = 1
            Q = torch.nn.functional.pad((A.T @ A)[free][:, free], (0, 1, 0, 1)) + H
            rhs = torch.cat([(A.T @ b)[free], torch.full((1,), 1.5, dtype=DTYPE)])
            x = torch.zeros(3, dtype=DTYPE).masked_scatter(free, torch.linalg.solve(Q, rhs)[:n])
            inside = (x >= 0).all()
        else:
            x = torch.where(torch.tensor(places) < 0, LOWER, UPPER)
            if free.any():
                rest = b - A @ torch.where(free, 0.0, x)
                B = A[:, free]
                x = x.masked_scatter(free, torch.linalg.solve(B.T @ B, B.T @ rest))
            inside = (x >= LOWER).all() & (x <= UPPER).all()
        if inside:
            points.append((float((A @ x - b).square().sum()), x))
    return min(points, key=lambda pair: pair[0])[1]


def for_precision(method: solver.Solver[Any], dtype: torch.dtype) -> solver.Solver[Any]:
    """Return a solver with the tolerance of single precision, or as it is."""
    if dtype == DTYPE:
        return method
    if isinstance(inner := getattr(method, "inner", None), solver.LBFGS):
        method = dataclasses.replace(method, inner=dataclasses.replace(inner, rtol=1e-6))
    return dataclasses.replace(method, rtol=None)


def accuracy(method: solver.Solver[Any], kind: str, dtype: torch.dtype) -> float:
    """Return how far a solver may end from the solution of a linear problem."""
    if group(kind) != "composite":  # the smallest singular value of the matrices is about one
        return 3 * float(torch.finfo(dtype).eps ** 0.5)
    return 3e-8 if dtype == DTYPE else 3e-2 if type(method) is solver.FrankWolfe else 1e-3


def sooner(method: solver.Solver[Any], kind: str) -> solver.Solver[Any]:
    """Return a solver that ends sooner, if it takes many steps or these are runs of another solver."""
    if isinstance(method, solver.FrankWolfe):
        return dataclasses.replace(method, rtol=1e-9)
    if isinstance(method, solver.DouglasRachford):
        return dataclasses.replace(method, rtol=1e-4)
    return method


def unrolled(method: solver.Solver[Any], kind: str, steps: int) -> Callable[..., torch.Tensor]:
    """Return the point after steps on the nonlinear problem, as a function of theta and the start."""

    def solve(theta: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        problem = curved(method, kind, theta)
        state = method.init(problem, x)
        for _ in range(steps):
            x, state = method.step(problem, x, state)
        return x

    return solve

"""Composite problems against other libraries, and what their derivatives reach.

`tests/reference/make_composite.py` wrote the numbers.
"""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import pytest
import torch

import torchopt
from _differences import assert_derivatives_are_differences
from torchopt import diff, prox, sets
from torchopt.solver import (
    BlockCoordinateDescent,
    DouglasRachford,
    FlatProblem,
    FrankWolfe,
    MirrorDescent,
    ProximalGradient,
    Solver,
)

DTYPE = torch.float64
REFERENCE = {
    name: torch.tensor(rows, dtype=DTYPE)
    for name, rows in json.loads(Path(__file__).with_name("composite.json").read_text()).items()
}
ROW, COLUMN = torch.meshgrid(
    torch.arange(1, 15, dtype=DTYPE), torch.arange(1, 10, dtype=DTYPE), indexing="ij"
)
A = torch.sin(ROW * COLUMN + 0.3 * ROW) + 0.2 * torch.cos(COLUMN**2)
B = torch.cos(0.7 * ROW[:, 0]) + 0.5 * A[:, 0] - 0.8 * A[:, 4]
SIGNS = torch.sin(2.3 * ROW[:, 0]).sign()
START = 0.1 * torch.cos(torch.arange(9, dtype=DTYPE))
POSITIVE = COLUMN[0] / COLUMN[0].sum()
WEIGHTS = torch.cos(1.7 * COLUMN[0])


def residuals(x: torch.Tensor) -> torch.Tensor:
    return A.to(x) @ x - B.to(x)


def smooth(x: torch.Tensor) -> torch.Tensor:
    return residuals(x).square().sum() / 2


def logistic(x: torch.Tensor) -> torch.Tensor:
    return torch.nn.functional.softplus(-SIGNS * (A @ x)).sum()


@pytest.mark.parametrize(
    ("name", "objective", "term"),
    [
        ("lasso", smooth, prox.L1(1.5)),
        ("elastic_net", lambda x: smooth(x) + 0.3 * x.square().sum(), prox.L1(0.9)),
        ("logistic", logistic, prox.L1(0.7)),
        ("box", smooth, sets.Box(-0.3, 0.25)),
        ("non_negative", smooth, sets.NonNegative()),
        ("simplex", smooth, sets.Simplex()),
    ],
)
def test_solutions_are_those_of_other_libraries(name: str, objective: Any, term: Any) -> None:
    start = POSITIVE if name == "simplex" else START
    word = "subject_to" if term.is_set else "prox"
    method = ProximalGradient(rtol=1e-11)
    found = torchopt.minimize(objective, start, solver=method, **{word: term})
    # JAXopt and L-BFGS-B end at about eight digits.
    tol = 1e-6 if name in ("logistic", "simplex") else 1e-9
    torch.testing.assert_close(found.params, REFERENCE[name], rtol=tol, atol=tol)
    torch.testing.assert_close(
        found.value, objective(found.params) + term.value(found.params), rtol=1e-12, atol=0.0
    )


@pytest.mark.parametrize("acceleration", [True, False], ids=["fista", "ista"])
def test_iterates_are_those_of_jaxopt(acceleration: bool) -> None:
    expected = REFERENCE["fista" if acceleration else "ista"]
    method = ProximalGradient(step_size=0.02, acceleration=acceleration, restart="none")
    check_path(method, START, prox.L1(1.5), expected)


@pytest.mark.parametrize(
    ("name", "step_size"), [("mirror", 0.05), ("mirror_decaying", lambda k: 0.2 / (1 + k) ** 0.5)]
)
def test_iterates_of_mirror_descent_are_those_of_jaxopt(name: str, step_size: Any) -> None:
    check_path(MirrorDescent(step_size=step_size), POSITIVE, sets.Simplex(), REFERENCE[name])


@pytest.mark.parametrize(
    ("start", "words"),
    [
        ([0.0, 0.0], "the mirror map of the set is not finite at the start"),
        ([torch.nan, 0.5], "the objective's value at the start is NaN"),
    ],
)
def test_a_start_of_mirror_descent_without_a_step_is_named(start: Any, words: str) -> None:
    with pytest.raises(torchopt.errors.NonFiniteError, match=f"^{words}"):
        torchopt.minimize(
            lambda x: x.square().sum(),
            torch.tensor(start),
            subject_to=sets.Simplex(),
            solver=MirrorDescent(),
        )


def check_path(method: Any, x: torch.Tensor, term: Any, expected: torch.Tensor) -> None:
    problem, _ = FlatProblem.at(torchopt.diff.kinds.Composite(smooth, term=term), x, ())
    state = method.init(problem, x)
    for point in expected:
        x, state = method.step(problem, x, state)
        torch.testing.assert_close(x, point, rtol=1e-9, atol=1e-12)


def test_a_step_costs_one_gradient_and_the_values_of_its_line_search() -> None:
    values, gradients = [], []

    class Count(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
            values.append(1)
            return x.clone()

        @staticmethod
        def backward(ctx: Any, g: torch.Tensor) -> torch.Tensor:
            gradients.append(1)
            return g

    found = torchopt.minimize(
        lambda x: smooth(Count.apply(x)), START, prox=prox.L1(1.5), solver=ProximalGradient()
    )
    steps = int(found.iterations)
    assert len(gradients) <= steps + 20  # estimates of scales at the start and the end
    assert len(values) <= 2.6 * steps + 30


def solve(penalty: Any, data: Any, factor: Any, mode: Any = None, **options: Any) -> torch.Tensor:
    """Lasso whose penalty, data and a tensor that the objective closes over are variables."""
    found = torchopt.minimize(
        lambda x, data: factor * (A @ x - data).square().sum() / 2,
        START,
        (data,),
        prox=prox.L1(penalty),
        solver=ProximalGradient(rtol=1e-13, **options),
        diff=mode or diff.Implicit(),
    )
    return WEIGHTS @ found.params


def variables() -> tuple[torch.Tensor, ...]:
    return tuple(
        t.clone().requires_grad_() for t in (torch.tensor(1.5, dtype=DTYPE), B, A[0, 1].exp())
    )


def test_implicit_derivatives_reach_penalty_data_and_closures() -> None:
    def function(penalty: torch.Tensor, data: torch.Tensor, factor: torch.Tensor) -> torch.Tensor:
        return solve(penalty, data, factor, diff.Implicit())

    assert_derivatives_are_differences(
        function, variables(), second=False, step=1e-5, rtol=1e-4, atol=1e-6
    )


def test_second_derivatives_are_those_of_differences() -> None:
    assert_derivatives_are_differences(solve, variables(), step=1e-5)


def test_a_path_of_penalties_is_a_batch() -> None:
    penalties = torch.tensor([0.3, 1.5, 4.0, 30.0], dtype=DTYPE)

    def path(penalty: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        x = torchopt.minimize(
            smooth, START, prox=prox.L1(penalty), solver=ProximalGradient()
        ).params
        return x, x

    slopes, found = torch.func.vmap(torch.func.jacfwd(path, has_aux=True))(penalties)
    torch.testing.assert_close(found[1], REFERENCE["lasso"], rtol=1e-7, atol=1e-8)
    assert (found[3] == 0).all()
    assert (slopes[3] == 0).all()
    for x, slope, penalty in zip(found, slopes, penalties, strict=True):
        # On the support, A_S' (A_S x_S - B) = -penalty sign(x_S).
        on = x != 0
        if on.any():
            rest = torch.linalg.solve(A[:, on].T @ A[:, on], -x[on].sign())
            torch.testing.assert_close(slope[on], rest, rtol=1e-6, atol=1e-8)
            forces = A[:, on].T @ residuals(x)
            torch.testing.assert_close(forces, -penalty * x[on].sign(), rtol=1e-6, atol=1e-7)
        assert (slope[~on] == 0).all()


@pytest.mark.parametrize(
    "method", [ProximalGradient(rtol=1e-12), MirrorDescent()], ids=["proximal", "mirror"]
)
def test_a_tree_has_a_term_for_each_part(method: Any) -> None:
    mirror = isinstance(method, MirrorDescent)
    options: dict[str, Any] = {"subject_to": {"a": sets.Simplex(1.2), "b": None, "c": None}}
    if mirror:
        options["subject_to"] |= {"b": sets.NonNegative(), "c": sets.NonNegative()}
    else:
        options["prox"] = {"a": None, "b": None, "c": prox.L1(0.8)}
    start = {"a": POSITIVE[:4], "b": POSITIVE[:2], "c": POSITIVE[:3]}

    def objective(tree: dict[str, torch.Tensor]) -> torch.Tensor:
        x = torch.cat([tree["a"], tree["b"], tree["c"]])
        return smooth(x) + x.square().sum()

    found = torchopt.minimize(objective, start, solver=method, **options).params
    gradient = torch.func.grad(objective)(found)
    torch.testing.assert_close(found["a"].sum(), torch.tensor(1.2, dtype=DTYPE))
    # The multiplier of the sum, where elements are positive, is the least of the gradient.
    inside = found["a"] > 1e-6
    assert (gradient["a"][inside] - gradient["a"].min()).abs().max() < 1e-6
    if mirror:
        for part in "bc":
            assert (found[part] * gradient[part]).abs().max() < 1e-6
            assert gradient[part].min() > -1e-6
    else:
        torch.testing.assert_close(gradient["b"], torch.zeros(2, dtype=DTYPE), rtol=0, atol=1e-8)
        moved = prox.L1(0.8).prox(found["c"] - gradient["c"])
        torch.testing.assert_close(moved, found["c"], rtol=0, atol=1e-8)


def test_a_learned_step_length_has_the_derivative_of_differences() -> None:
    def outer(step: torch.Tensor) -> torch.Tensor:
        method = ProximalGradient(step_size=step, maxiter=6, on_failure="ignore")
        found = torchopt.minimize(
            smooth, START, prox=prox.L1(1.5), solver=method, diff=diff.Explicit()
        )
        return smooth(found.params)

    assert torch.autograd.gradcheck(outer, (torch.tensor(0.02, dtype=DTYPE, requires_grad=True),))


def test_two_terms_without_gradients_are_split() -> None:
    """Basis pursuit: the least sum of absolute values on an affine set, against its dual."""
    C, d = A[:3], A[:3] @ REFERENCE["lasso"] + 0.1
    inverse = torch.linalg.inv(C @ C.T)
    method = DouglasRachford(
        objective_prox=lambda x, t: x - C.T @ (inverse @ (C @ x - d)), step_size=0.3, maxiter=5000
    )
    found = torchopt.minimize(
        lambda x: 0 * x.sum(), START, prox=prox.L1(1.0), solver=method, diff=diff.Explicit()
    )
    x = found.params
    torch.testing.assert_close(C @ x, d, rtol=0, atol=1e-7)
    # A certificate: C' y is the sign on the support, and at most one elsewhere.
    on = x != 0
    y = torch.linalg.lstsq(C[:, on].T, x[on].sign()[:, None]).solution[:, 0]
    torch.testing.assert_close(C[:, on].T @ y, x[on].sign(), rtol=0, atol=1e-9)
    assert (C.T @ y).abs().max() < 1 + 1e-9


def test_frank_wolfe_bounds_the_distance_to_the_least_value() -> None:
    least = smooth(REFERENCE["simplex"])
    for variant in ("pairwise", "away", "plain"):
        for atoms in (None, 3):
            method = FrankWolfe(variant=variant, atoms=atoms, maxiter=60, on_failure="ignore")  # type: ignore[arg-type]
            found = torchopt.minimize(smooth, POSITIVE, subject_to=sets.Simplex(), solver=method)
            assert found.error >= smooth(found.params) - least - 1e-9
            assert (found.params >= 0).all()
            torch.testing.assert_close(found.params.sum(), torch.tensor(1.0, dtype=DTYPE))


def test_a_cycle_of_blocks_evaluates_once_for_each_of_them() -> None:
    evaluated: list[int] = []

    def objective(p: dict[str, torch.Tensor]) -> torch.Tensor:
        evaluated.append(0)
        return (p["w"] * p["h"] - 2).square().sum() + (p["w"] - 1).square().sum()

    def run(cycles: int) -> int:
        evaluated.clear()
        start = {name: torch.full((3,), 1.2, dtype=DTYPE) for name in ("h", "w")}
        method = BlockCoordinateDescent(maxiter=cycles, atol=0.0, rtol=0.0)
        with warnings.catch_warnings(action="ignore"):
            torchopt.minimize(objective, start, prox=prox.L1(0.1), solver=method)
        return len(evaluated)

    assert run(2) - run(1) == 2


@pytest.mark.parametrize(
    ("method", "size"),
    [
        (ProximalGradient(), 30),
        pytest.param(ProximalGradient(acceleration=False), 20, marks=pytest.mark.slow),
        pytest.param(BlockCoordinateDescent(), 20, marks=pytest.mark.slow),
    ],
    ids=repr,
)
def test_rounding_errors_of_values_do_not_stop_random_problems(
    method: Solver[Any], size: int
) -> None:
    generator = torch.Generator().manual_seed(1)
    A = torch.randn(10, 40, size, generator=generator, dtype=torch.float64)
    w, noise = (torch.randn(10, n, generator=generator, dtype=torch.float64) for n in (size, 40))
    b = (A @ w[..., None]).squeeze(
        -1
    ) + 0.3 * noise  # the loss is less than the terms of its errors

    def solve(A: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return torchopt.minimize(
            lambda w: (A @ w - b).square().mean() / 2,
            torch.zeros(size, dtype=torch.float64),
            prox=prox.L1(0.01),
            solver=method,
        ).params

    x = torch.func.vmap(solve)(A, b)  # a warning, were one not converged, is an error
    gradient = (A.mT @ (A @ x[..., None] - b[..., None])).squeeze(-1) / 40
    moved = prox.L1(0.01).prox(x - gradient)
    torch.testing.assert_close(x, moved, rtol=0, atol=1e-7)


def test_douglas_rachford_does_not_take_an_arbitrary_start_for_the_solution() -> None:
    # Of equal curvatures, the first point of the two proximal operators is the solution itself.
    target = torch.tensor([1.0, 2.0, -3.0], dtype=torch.float64)
    for start in ([1.0, 0.0, 0.0], [5.0, -4.0, 9.0], [0.0, 1.0, 0.0]):
        found = torchopt.minimize(
            lambda x: (x - target).square().sum(),
            torch.tensor(start, dtype=torch.float64),
            subject_to=torchopt.sets.Simplex(),
            solver=DouglasRachford(),
        )
        assert found.converged
        torch.testing.assert_close(
            found.params, torch.tensor([0.0, 1.0, 0.0], dtype=torch.float64), rtol=0, atol=1e-7
        )

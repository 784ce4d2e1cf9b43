"""Scaling a system changes nothing but the scale of its solution; precision is that of its tensors."""

import dataclasses
import math

import pytest
import torch

from _cases import covering
from linear_solve._systems import (
    EXACT,
    F64,
    SOLVERS,
    near_identity_symmetric,
    nonsymmetric,
    spd,
    vector,
)
from torchopt import linear_solve as ls

N = 7
DTYPES = [torch.float32, F64]
#: Each by itself.
SIZES = [(1e-30, 1), (1e30, 1), (1, 1e-30), (1, 1e30)]
SCALES = [(1, 1e-12), (1, 1e12), (1e-12, 1), (1e12, 1), (1e-12, 1e12), (1e12, 1e-12), (1e12, 1e12)]


def both(table):
    return pytest.mark.parametrize(("solver", "make"), table.values(), ids=table.keys())


def system(make, dtype, of_A=1.0, of_b=1.0):
    return (of_A * make(N)).to(dtype), (of_b * vector(N)).to(dtype)


def in_units_of(solver, of_A):
    """The same solver where ``A`` is so many times as large: what stands for its inverse is smaller."""
    for name, factor in (("step_size", 1 / of_A), ("rho", of_A)):
        if hasattr(solver, name):
            value = 0.1 if name == "rho" else getattr(solver, name)
            solver = dataclasses.replace(solver, **{name: factor * value})
    return solver


def off(x, expected):
    """The relative error, without overflow."""
    return float((x.double() - expected).norm() / expected.norm())


@pytest.mark.parametrize(("name", "dtype"), covering([*SOLVERS], DTYPES))
def test_solution_has_the_scale_of_its_system(name, dtype):
    solver, make = SOLVERS[name]
    A, b = system(make, F64)
    truth = in_units_of(solver, 1.0)(lambda v: A @ v, b)
    if type(solver) in {type(s) for s, _ in EXACT.values()}:
        truth = torch.linalg.solve(A, b) if not isinstance(solver, ls.Neumann) else truth
    bound = 1e-3 if dtype == torch.float32 else 1e-7
    for of_A, of_b in SCALES[4:] + SIZES:
        if (
            isinstance(solver, ls.NormalCG)
            and dtype == torch.float32
            and abs(math.log10(of_A)) > 12
        ):
            continue  # the square of the matrix is no float32
        A, b = system(make, dtype, of_A, of_b)
        scaled = in_units_of(solver, of_A)

        def solve(b, scaled=scaled, A=A):
            return scaled.solve(lambda v: A @ v, b)

        solution = solve(b)
        x, stats = solution.x, solution.stats
        assert off(x.double() * (of_A / of_b), truth) < bound, (of_A, of_b)
        assert stats.converged or isinstance(solver, ls.Nystrom)
        x = torch.func.vmap(solve)(torch.stack([b, vector(N).to(dtype)])).x
        assert off(x[0].double() * (of_A / of_b), truth) < bound, (of_A, of_b)
        assert off(x[1].double() * of_A, truth) < bound, (of_A, of_b)


@pytest.mark.parametrize(("name", "dtype"), covering([*EXACT], DTYPES))
def test_gradients_have_the_scale_of_their_system(name, dtype):
    solver, make = EXACT[name]
    weight = vector(N, 11)

    def gradients(solve, A, b):
        A, b = A.requires_grad_(), b.requires_grad_()
        return torch.autograd.grad(solve(A, b) @ weight.to(A.dtype), (A, b))

    truth = gradients(torch.linalg.solve, *system(make, F64))
    bound = 1e-3 if dtype == torch.float32 else 1e-7
    for of_A, of_b in [s for s in SCALES if s != (1e-12, 1e12)]:  # its gradient has 1e36
        scaled = in_units_of(solver, of_A)
        dA, db = gradients(
            lambda A, b, scaled=scaled: scaled(lambda v: A @ v, b), *system(make, dtype, of_A, of_b)
        )
        assert off(dA.double() * of_A * (of_A / of_b), truth[0]) < bound, (of_A, of_b)
        assert off(db.double() * of_A, truth[1]) < bound, (of_A, of_b)


def test_absolute_tolerance_is_in_the_units_of_the_right_hand_side():
    A, b = spd(20), 1e-8 * vector(20)
    loose = ls.CG(rtol=0.0, atol=1e-9).solve(lambda v: A @ v, b).stats
    assert 0 < loose.error <= 1e-9
    assert loose.converged
    assert ls.CG(atol=1.0).solve(lambda v: A @ v, b).stats.iterations == 0


SMALL = {name: case for name, case in SOLVERS.items() if name != "bicgstab"}
"""Without BiCGSTAB, whose coefficients are quotients of cancelling products."""


@both(SMALL)
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
def test_half_precision_is_solved_to_its_precision(solver, make, dtype):
    eps = torch.finfo(dtype).eps
    if isinstance(solver, ls.Nystrom):
        solver = dataclasses.replace(solver, rho=1e-3)
    A = (make(N) if isinstance(solver, ls.JacobianFree) else near_identity_symmetric(N)).to(dtype)
    b, weight = vector(N).to(dtype), vector(N, 11).to(dtype)
    if isinstance(solver, ls.Richardson | ls.Phantom):
        solver = dataclasses.replace(solver, step_size=1.0)
    truth = torch.linalg.solve(A.double(), b.double())
    solution = solver.solve(lambda v: A @ v, b)
    x, stats = solution.x, solution.stats
    assert x.dtype == dtype
    assert off(x, truth) < 20 * eps
    assert stats.converged
    assert stats.error <= 5 * eps * b.double().norm()

    def gradient(b):
        return torch.func.grad(lambda b: solver(lambda v: A @ v, b) @ weight)(b)

    found = torch.func.vmap(gradient)(torch.stack([b, 2 * b]))
    assert off(found[1], torch.linalg.solve(A.double().T, weight.double())) < 40 * eps


def test_bicgstab_takes_half_precision():
    A, b = near_identity_symmetric(N).half(), vector(N).half()
    x = ls.BiCGSTAB()(lambda v: A @ v, b)
    assert off(x, torch.linalg.solve(A.double(), b.double())) < 0.01


def test_tolerance_by_default_is_that_of_the_least_precise_leaf():
    A = nonsymmetric(4)

    def matvec(v):
        product = A @ torch.cat([v["a"].double(), v["b"]])
        return {"a": product[:2].half(), "b": product[2:]}

    b = {"a": vector(2).half(), "b": vector(2, 2)}
    solution = ls.GMRES().solve(matvec, b)
    x, stats = solution.x, solution.stats
    assert stats.converged
    truth = torch.linalg.solve(A, torch.cat([b["a"].double(), b["b"]]))
    assert off(torch.cat([x["a"].double(), x["b"]]), truth) < 0.01

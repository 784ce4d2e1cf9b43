"""A problem of a batch whose equation is NaN at its solution has the gradient NaN, and no other has."""

import pytest
import torch

import torchopt
from torchopt.diff import Implicit
from torchopt.linear_solve import CG, GMRES, Dense, Neumann

DOUBLE = torch.float64
POINTS = torch.tensor([2.0, float("nan"), 0.7, float("inf")], dtype=DOUBLE)
FINITE = [0, 2]


def quiet(solver):
    return Implicit(linear_solve=solver(on_failure="ignore"))


def minimum(t, diff):
    """Of ``(x - t)² + x⁴``."""
    return torchopt.minimize(
        lambda x, t: ((x - t) ** 2 + x**4).sum(),
        torch.ones(2, dtype=DOUBLE),
        (t,),
        solver=torchopt.sgd(0.1),
        steps=40,
        diff=diff,
    ).params.sum()


def root(t, diff):
    # Its Jacobian is finite where the equation is not.
    return torchopt.root(lambda x, t: x**3 + x - t, torch.ones(2, dtype=DOUBLE), (t,), diff=diff)


def fixed_point(t, diff):
    return torchopt.fixed_point(
        lambda x, t: x - (x**3 + x - t) / 20, torch.ones(2, dtype=DOUBLE), (t,), diff=diff
    )


def derivative_of_minimum(t):
    """By bisection of ``2 (x - t) + 4 x³``, and the implicit function theorem."""
    return 2 * 2 / (2 + 12 * solved(lambda x: 2 * (x - t) + 4 * x**3) ** 2)


def derivative_of_root(t):
    return 2 / (1 + 3 * solved(lambda x: x**3 + x - t) ** 2)


def solved(increasing):
    low, high = -10.0, 10.0
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if increasing(middle) < 0 else (low, middle)
    return low


@pytest.mark.filterwarnings("ignore:.* did not converge")
@pytest.mark.parametrize(
    ("problem", "derivative", "solver"),
    [
        (minimum, derivative_of_minimum, CG),
        (minimum, derivative_of_minimum, Dense),
        (root, derivative_of_root, GMRES),
        (root, derivative_of_root, Dense),
        (fixed_point, derivative_of_root, GMRES),
    ],
)
def test_gradients_of_a_batch(problem, derivative, solver):
    diff = quiet(solver)

    def value(t):
        found = problem(t, diff)
        return found if isinstance(found, torch.Tensor) else found.params.sum()

    functional = torch.func.vmap(torch.func.grad(value))(POINTS)
    leaf = POINTS.clone().requires_grad_()
    torch.func.vmap(value)(leaf).sum().backward()
    forward = torch.func.vmap(torch.func.jacfwd(value))(POINTS)
    wanted = torch.tensor([derivative(float(POINTS[i])) for i in FINITE], dtype=DOUBLE)
    for gradient in (functional, leaf.grad, forward):
        torch.testing.assert_close(gradient[FINITE], wanted, rtol=1e-5, atol=1e-7)
        assert gradient[[1, 3]].isnan().all()


@pytest.mark.filterwarnings("ignore:.* did not converge")
def test_a_single_problem_is_an_error():
    t = torch.tensor(float("nan"), dtype=DOUBLE, requires_grad=True)
    solution = root(t, Implicit())
    assert not solution.converged
    with pytest.raises(ValueError, match="NaN or infinity"):
        solution.params.sum().backward()


def test_a_truncated_series_is_nan_too():
    diff = Implicit(linear_solve=Neumann(maxiter=2, step_size=0.1, on_failure="ignore"))
    gradient = torch.func.vmap(torch.func.grad(lambda t: minimum(t, diff)))(POINTS)
    assert gradient.isnan().tolist() == [False, True, False, True]

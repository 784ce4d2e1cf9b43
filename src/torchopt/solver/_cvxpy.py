"""A problem of CVXPY, as a solution map of its parameters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from torchopt.diff import CentralPath, Implicit, Solution
from torchopt.io.optional import optional
from torchopt.solver._quadratic_program import ProgramSolver, quadratic_program

_BLOCKS = ("P", "q", "F", "G", "A", "b")


def from_cvxpy(
    problem: Any,
    parameters: Sequence[Any],
    variables: Sequence[Any],
    *,
    solver: ProgramSolver | None = None,
    diff: Implicit | CentralPath | None = None,
    **options: Any,
) -> Callable[..., Solution[tuple[torch.Tensor, ...], None]]:
    r"""Return the solution of a problem of CVXPY as a function of its parameters.

    The problem must follow CVXPY's rules for parametrized problems, ``problem.is_dpp()``. There are two
    ways:

    - A quadratic or linear program becomes a :func:`torchopt.quadratic_program`, whose matrices are
      affine functions of the parameters. CVXPY is called once, when the function is made. The solution
      has derivatives of every order, in forward mode and under ``torch.func.vmap`` too.
    - A problem with other cones (norms, exponentials, semi-definite matrices) is solved and
      differentiated by cvxpylayers, to first order in reverse mode only.

    It needs the extra ``cvxpy``: ``pip install "torchopt-diff[cvxpy]"``.

    Args:
        problem: A ``cvxpy.Problem``.
        parameters: All its parameters, in the order in which the function gets their values.
        variables: Those of its variables that are returned.
        solver: The solver for a quadratic program, as for :func:`torchopt.quadratic_program`.
        diff: Its differentiation mode.
        **options: For other cones, the ``solver_args`` of cvxpylayers.

    Returns:
        ``solve(*values) -> Solution``: ``params`` is a tuple of the variables' values. Each value is a
        tensor of its parameter's shape, with or without leading axes for a batch; all have the same
        ones, or none.

    Raises:
        ImportError: If CVXPY, or for other cones cvxpylayers, is not installed.
        ValueError: If the problem has integer variables or other parameters, does not follow the
            rules, or a variable has an attribute such as ``nonneg=True``, which is a constraint.

    Example:
        .. code-block:: python

            x, p = cvxpy.Variable(2), cvxpy.Parameter(2)
            problem = cvxpy.Problem(cvxpy.Minimize(cvxpy.sum_squares(x - p)), [x >= 0, sum(x) == 1])
            project = torchopt.solver.from_cvxpy(problem, [p], [x])
            (y,) = project(torch.tensor([0.3, 0.2], requires_grad=True)).params

    References:
        Agrawal, Amos, Barratt, Boyd, Diamond and Kolter, *Differentiable Convex Optimization Layers*,
        2019.
    """
    cvxpy = optional("cvxpy", "cvxpy", "`from_cvxpy`")
    if not problem.is_dpp():
        raise ValueError(
            "the problem does not follow CVXPY's rules for parametrized problems, `problem.is_dpp()`: "
            "write it so that no term has a product of parameters."
        )
    if {p.id for p in parameters} != {p.id for p in problem.parameters()}:
        raise ValueError(
            f"`parameters` are {[p.name() for p in parameters]}, but those of the problem are "
            f"{[p.name() for p in problem.parameters()]}: pass exactly these."
        )
    if problem.is_mixed_integer():
        raise ValueError("the problem has integer variables, and its solution no derivative.")
    if problem.is_qp():
        return _quadratic(cvxpy, problem, parameters, variables, solver, diff)
    layers = optional("cvxpylayers.torch", "cvxpy", "`from_cvxpy` with other cones")
    layer = layers.CvxpyLayer(problem, parameters=list(parameters), variables=list(variables))

    def solve(*values: torch.Tensor) -> Solution[tuple[torch.Tensor, ...], None]:
        _check_values(parameters, values)
        return Solution(
            tuple(layer(*values, **({"solver_args": options} if options else {}))), None
        )

    return solve


def _quadratic(
    cvxpy: Any,
    problem: Any,
    parameters: Sequence[Any],
    variables: Sequence[Any],
    solver: ProgramSolver | None,
    diff: Implicit | CentralPath | None,
) -> Callable[..., Solution[tuple[torch.Tensor, ...], None]]:
    before = [p.value for p in problem.parameters()]
    try:
        offset, slopes = _affine(cvxpy, problem, parameters)
        columns = problem.get_problem_data(cvxpy.OSQP)[0]["param_prob"].var_id_to_col
    finally:
        for p, value in zip(problem.parameters(), before, strict=True):
            p.save_value(value)
    for v in variables:
        if v.id not in columns:
            raise ValueError(
                f"the variable {v.name()!r} has an attribute, such as `nonneg=True`, or is not in the "
                f"problem: write attributes as constraints."
            )

    def solve(*values: torch.Tensor) -> Solution[tuple[torch.Tensor, ...], None]:
        theta = _stacked(parameters, values)
        blocks = [
            constant.to(theta) + torch.tensordot(theta, slope.to(theta), 1)
            for constant, slope in zip(offset, slopes, strict=True)
        ]
        Q, c, G, h, A, b = blocks
        rows = {"G": G, "h": h} if h.shape[-1] else {}
        equalities = {"A": A, "b": b} if b.shape[-1] else {}
        solution = quadratic_program(Q, c, **rows, **equalities, solver=solver, diff=diff)
        parts = []
        for v in variables:
            part = solution.params[..., columns[v.id] : columns[v.id] + v.size]
            parts.append(_from_columns(part, v.shape))
        # Without a value: the program has neither the constant of the objective nor its sign.
        return Solution(tuple(parts), None, stats=solution.stats)

    return solve


def _affine(
    cvxpy: Any, problem: Any, parameters: Sequence[Any]
) -> tuple[list[torch.Tensor], list[torch.Tensor]]:
    """Return the blocks of a program at zero parameters, and their derivatives, which are constant."""
    numpy = optional("numpy", "cvxpy", "`from_cvxpy`")

    def blocks(theta: Any) -> list[torch.Tensor]:
        start = 0
        for p in parameters:
            value = theta[start : start + p.size].reshape(p.shape, order="F")
            p.save_value(value)  # without a look at its sign or other attributes
            start += p.size
        data = problem.get_problem_data(cvxpy.OSQP)[0]
        dense = [data[name] for name in _BLOCKS]
        dense = [numpy.asarray(t.todense() if hasattr(t, "todense") else t) for t in dense]
        return [torch.tensor(t, dtype=torch.float64, device="cpu") for t in dense]

    size = sum(p.size for p in parameters)
    offset = blocks(numpy.zeros(size))
    slopes = [torch.zeros(size, *t.shape, dtype=torch.float64, device="cpu") for t in offset]
    for k, direction in enumerate(numpy.eye(size)):
        for slope, there, here in zip(slopes, blocks(direction), offset, strict=True):
            slope[k] = there - here
    return offset, slopes


def _check_values(parameters: Sequence[Any], values: Sequence[torch.Tensor]) -> None:
    if len(values) != len(parameters):
        raise ValueError(
            f"there are {len(parameters)} parameters, but {len(values)} values: pass one for each."
        )
    for p, value in zip(parameters, values, strict=True):
        if tuple(value.shape[value.dim() - len(p.shape) :]) != tuple(p.shape):
            raise ValueError(
                f"the value of the parameter {p.name()!r} has shape {tuple(value.shape)}: pass a "
                f"tensor of shape {tuple(p.shape)}, or with leading axes before it."
            )


def _stacked(parameters: Sequence[Any], values: Sequence[torch.Tensor]) -> torch.Tensor:
    """Return the values of all parameters as one vector for each problem of a batch."""
    _check_values(parameters, values)
    pairs = list(zip(parameters, values, strict=True))
    batch = torch.broadcast_shapes(*(v.shape[: v.dim() - len(p.shape)] for p, v in pairs))
    columns = []
    for p, value in pairs:
        turned = value.mT if len(p.shape) == 2 else value  # columns come first
        lead = value.shape[: value.dim() - len(p.shape)]
        columns.append(turned.reshape(*lead, p.size).expand(*batch, p.size))
    return torch.cat(columns, -1)


def _from_columns(vector: torch.Tensor, shape: tuple[int, ...]) -> torch.Tensor:
    """Return a vector of columns as an array."""
    lead = vector.shape[:-1]
    if len(shape) == 2:
        return vector.reshape(*lead, shape[1], shape[0]).mT
    return vector.reshape((*lead, *shape))

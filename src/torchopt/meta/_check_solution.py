"""Whether an implicit derivative is noise: how far the solution and the linear solve are from exact."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import torch

from torchopt import checks
from torchopt.autodiff.generators import generator_of
from torchopt.autodiff.loops import norm
from torchopt.autodiff.tracking import untracked
from torchopt.diff import Solution
from torchopt.errors import NonFiniteError
from torchopt.linear_solve import GMRES, MINRES, Dense
from torchopt.meta._noise import Measure, SoundnessCheck, measured
from torchopt.operators.implicit_function import NonlinearEquation
from torchopt.operators.linear import LinearOperator, derivative_operator
from torchopt.pytree import flattening as pytree

P = TypeVar("P")
A = TypeVar("A")
#: So many unknowns are solved for by a factorization; more by a Krylov method.
_DENSE, _KRYLOV = 200, 200
NEWTON = "a step of Newton's method and an accurate linear solve"
SOLVE = "solve the problem and the linear system to smaller tolerances"


def check_solution(
    solution: Solution[P, A],
    /,
    outer: Callable[[P], torch.Tensor] | None = None,
    *,
    steps: int = 20,
    generator: torch.Generator | int = 0,
) -> SoundnessCheck:
    r"""Check whether the derivative of a solution by ``diff.Implicit`` is noise.

    It computes the derivative of ``outer(solution.params)`` with respect to what the optimality
    conditions :math:`F(\theta, \varphi) = 0` read, as the backward pass does, and again after one step
    of Newton's method with an accurate linear solve. Their distance estimates the error due to an
    unconverged solution and linear solve, up to the square of the distance to the solution. Terms of
    the outer loss that depend on :math:`\varphi` directly are ignored.

    :class:`torchopt.meta.SoundnessCheck` explains each measure.

    The cost: two accurate linear solves (a factorization for up to 200 unknowns, else at most 200
    products each), one as in the backward pass, and ``steps`` products.

    Args:
        solution: A solution of ``torchopt.minimize``, ``root`` or another solver by ``diff.Implicit``,
            before a backward pass has freed its graph.
        outer: ``outer(params)``, a scalar; by default a random linear function.
        steps: The number of steps of Lanczos' process (at least 1): all eigenvalues, if there are no
            more unknowns.
        generator: Draws the start of that process and the default of ``outer``: a generator, or a seed.

    Returns:
        The report; it is true if nothing indicates noise.

    Raises:
        TypeError: If the solution is not a ``Solution``, or its optimality conditions are not
            available: under another mode, in a batch, or after a backward pass.
        ValueError: If ``steps`` is less than 1, or ``outer`` does not return a scalar that requires
            grad.

    Example:
        >>> import torch, torchopt
        >>> X, y = torch.tensor([[1.0, 0.0], [0.0, 0.1]]), torch.tensor([1.0, 3.0])
        >>> penalty = torch.tensor(0.01, requires_grad=True)
        >>> solution = torchopt.minimize(
        ...     lambda w, penalty: (X @ w - y).square().sum() + penalty * w.square().sum(),
        ...     torch.zeros(2), (penalty,))
        >>> check = check_solution(solution, lambda w: w.square().sum())
        >>> bool(check), round(check["condition"])
        (True, 51)

    References:
        Pedregosa, *Hyperparameter Optimization with Approximate Gradient*, 2016, theorem 1. Golub and
        Van Loan, *Matrix Computations*, 2013, chapter 10.
    """
    checks.check("solution", solution, _SOLUTION)
    checks.check_count("steps", steps, 1, of="steps")
    found = FoundConditions.of(solution.params)
    if found is None:
        raise TypeError(
            "the solution has no optimality conditions to look at: solve by `diff=torchopt.diff."
            "Implicit()`, one problem at a time, with a tensor that requires grad, and check before a "
            "backward pass frees the graph; for other modes, use `torchopt.check_training`."
        )
    draws = generator_of(generator)
    v = [_drawn(t, draws) for t in found.x]

    def cotangent(x: Tensors) -> Tensors:
        return v if outer is None else _gradient(outer, found.equation.combine, x)

    return SoundnessCheck(tuple(found.measures(cotangent, steps, draws)))


_SOLUTION = checks.of_type(Solution, "what `torchopt.minimize` returns")
Tensors = list[torch.Tensor]
Cotangent = Callable[[Tensors], Tensors]


def _drawn(t: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    options: dict[str, Any] = {"dtype": torch.float64, "device": generator.device}
    return torch.randn(t.shape, generator=generator, **options).to(t)


def _gradient(outer: Callable[[P], torch.Tensor], combine: Callable[..., P], x: Tensors) -> Tensors:
    """Return the gradient of an outer loss with respect to the solution."""
    with torch.enable_grad():
        at = [t.detach().requires_grad_() for t in x]
        value = outer(combine(at))
        checks.check_loss(value, what="the outer loss", value=False)
        return list(torch.autograd.grad(value.squeeze(), at, materialize_grads=True))


def relative(a: Tensors, b: Tensors) -> tuple[float, float]:
    """Return the distance of ``a`` from ``b`` relative to ``b``, and the cosine between them."""
    one, other = (torch.cat([t.detach().double().reshape(-1).cpu() for t in ts]) for ts in (a, b))
    distance, sizes = float((one - other).norm()), one.norm() * other.norm()
    if distance == 0:
        return 0.0, 1.0
    size = float(other.norm())
    return distance / size if size else math.inf, float(one @ other / sizes) if sizes > 0 else 0.0


def exact_solve(x: Tensors, *, symmetric: bool) -> Callable[..., Any]:
    """Return a linear solver that is as accurate as the precision, as far as the size allows."""
    if sum(t.numel() for t in x) <= _DENSE and torch.finfo(x[0].dtype).bits >= 32:
        return Dense(batched=False, on_failure="ignore")
    solver = MINRES if symmetric else GMRES
    return solver(maxiter=_KRYLOV, on_failure="ignore")


@dataclass(frozen=True, eq=False)
class FoundConditions:
    """The optimality conditions that the graph of a solution holds.

    Attributes:
        equation: What is zero.
        x: The solution.
        theta: What the equation reads.
    """

    equation: NonlinearEquation
    x: Tensors
    theta: Tensors

    @classmethod
    def of(cls, params: Any) -> FoundConditions | None:
        """Return those of a solution; None where its graph has none."""
        tensors = pytree.partition(params)[0]
        node: Any = tensors[0].grad_fn if tensors else None
        equation = getattr(node, "equation", None)
        if not isinstance(equation, NonlinearEquation):
            return None
        try:
            saved = node.saved_tensors
        except RuntimeError:  # they were freed
            return None
        copies = [t.detach().requires_grad_(t.requires_grad) for t in saved]
        x = [t.detach() for t in copies[: node.size]]
        return cls(replace(equation, held=None, check=None), x, copies[node.size :])

    def corrected(self) -> Tensors:
        """Return the point after one step of Newton's method."""
        with untracked():
            f = self.equation.evaluated(self.x, self.theta)
            step = self._exact(self.x).solve(self.x, self.theta, f, False)
            return [t - d for t, d in zip(self.x, step, strict=True)]

    def _exact(self, x: Tensors) -> NonlinearEquation:
        solve = exact_solve(x, symmetric=self.equation.symmetric)
        return replace(self.equation, linear_solve=solve, hvp="reverse", residuals=None)

    def _derivative(self, x: Tensors, u: Tensors) -> Tensors:
        """Return ``-uᵀ ∂F/∂θ``, for each tensor that requires grad."""
        # What the residual closes over, it reads itself.
        inputs, free = self.equation.split(self.theta)
        theta = [*inputs, *(free if self.equation.closed is None else self.equation.closed.free)]
        wanted = [t for t in theta if t.requires_grad]
        with torch.enable_grad():
            pairs = zip(self.equation.evaluated(x, theta), u, strict=True)
            value = torch.stack([-(y * c).sum() for y, c in pairs]).sum()
            return list(torch.autograd.grad(value, wanted, materialize_grads=True))

    def measures(
        self, cotangent: Cotangent, steps: int, generator: torch.Generator, *, error: bool = True
    ) -> list[Measure]:
        """Return what is measured; with ``error``, also at the point that Newton's method reaches."""
        x, theta, equation = self.x, self.theta, self.equation
        v = cotangent(x)
        symmetric = equation.symmetric
        operator = derivative_operator(
            lambda x: equation.evaluated(x, theta), x, symmetric=symmetric, gradient=symmetric
        )
        with untracked():
            f = norm(equation.evaluated(x, theta))
            inputs, _ = equation.split(theta)
            start = pytree.partition(equation.combine_inputs(inputs)[2])[0]
            f0 = norm(equation.evaluated(start, theta))
            u = list(equation.solve(x, theta, v, True))
            left = [a - b for a, b in zip(v, operator.T(u), strict=True)]
            eigenvalues = _lanczos(operator, x, steps, generator)
        out = [measured("residual", float(f) / max(float(f0), 1e-300))]
        if error:
            value = measured("error", self._error(cotangent, u), better=NEWTON, advice=SOLVE)
            out = [measured("norm", float(norm(v))), value, *out]
        out.append(measured("linear_residual", float(norm(left)) / max(float(norm(v)), 1e-300)))
        eps = torch.finfo(x[0].dtype).eps
        largest, least = (float(a) for a in (eigenvalues.abs().max(), eigenvalues.abs().min()))
        out.append(measured("condition", largest / max(least, 1e-300), 0.1 / eps))
        if symmetric:
            curvature = float(eigenvalues.min()) / largest
            out.append(measured("curvature", curvature, -(eps**0.5)))
        return out

    def _error(self, cotangent: Cotangent, u: Tensors) -> float:
        """Return the distance from the derivative at the point that Newton's method reaches."""
        try:
            there = self.corrected()
            with untracked():
                exact = list(self._exact(there).solve(there, self.theta, cotangent(there), True))
            return relative(self._derivative(self.x, u), self._derivative(there, exact))[0]
        except NonFiniteError:  # a singular matrix
            return math.inf


def _lanczos(
    A: LinearOperator, like: Tensors, steps: int, generator: torch.Generator
) -> torch.Tensor:
    """Return Ritz values of a symmetric operator; else of ``[[0, A], [Aᵀ, 0]]``, ± singular values."""
    flat, combine = pytree.ravel(like)
    n = len(flat)

    def of(B: LinearOperator, w: torch.Tensor) -> torch.Tensor:
        return pytree.ravel(B(combine(w)))[0].double()

    def product(w: torch.Tensor) -> torch.Tensor:
        if A.symmetric:
            return of(A, w)
        return torch.cat([of(A, w[n:]), of(A.T, w[:n])])

    q = _drawn(flat.double(), generator)
    if not A.symmetric:
        q, steps = torch.cat([torch.zeros_like(q), q]), 2 * steps
    q = q / q.norm()
    basis: Tensors = []
    products: Tensors = []
    for _ in range(min(steps, len(q))):
        basis.append(q)
        products.append(product(q))
        rows, w = torch.stack(basis), products[-1]
        for _ in range(2):  # twice is enough, against rounding
            w = w - rows.T @ (rows @ w)
        if not w.norm() > 1e-12 * products[-1].norm():
            break
        q = w / w.norm()
    T = torch.stack(basis) @ torch.stack(products).T
    values: torch.Tensor = torch.linalg.eigvalsh((T + T.T).cpu() / 2)
    return values

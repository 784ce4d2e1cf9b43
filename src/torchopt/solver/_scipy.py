"""SciPy's ``minimize``, as a solver."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, ClassVar

import torch

from torchopt import checks
from torchopt.diff.constrained import Constrained
from torchopt.diff.flat_problem import FlatProblem
from torchopt.diff.kinds import AT_START, Kind, Objective
from torchopt.errors import NotConvergedError, NotConvergedWarning
from torchopt.io.calls import CallRepr
from torchopt.io.optional import optional
from torchopt.linear_solve.failure import ON_FAILURE, OnFailure, fail
from torchopt.prox.term import passed
from torchopt.pytree.typing import TensorTree
from torchopt.solver._augmented_lagrangian import constraints

_OUTCOME = (NotConvergedError, NotConvergedWarning)

#: The methods that need no Hessian, which SciPy would take from differences of gradients.
_METHODS = (
    *("SLSQP", "trust-constr", "L-BFGS-B", "TNC", "BFGS", "CG"),
    *("Nelder-Mead", "Powell", "COBYLA", "COBYQA"),
)

#: The methods with a relative tolerance, and SciPy's option for it.
_RELATIVE = {"BFGS": "xrtol", "L-BFGS-B": "ftol"}


@dataclass(frozen=True, eq=False)
class SciPy(checks.Checked, CallRepr):
    r"""A method of ``scipy.optimize.minimize``, for :func:`torchopt.minimize`.

    It gets the gradient of the objective, and the Jacobian of constraints, by autograd. It knows
    ``Constraints`` (methods ``"SLSQP"`` and ``"trust-constr"``), boxes as ``subject_to=`` (those and
    ``"L-BFGS-B"``, ``"TNC"``), and problems without constraints. SciPy computes in float64 on the CPU,
    one problem at a time, also under ``torch.func.vmap``, for which all data of a problem must be in
    ``args``. The solution has the derivatives of :class:`torchopt.diff.Implicit`, which are as accurate
    as the solution. It needs the extra ``scipy``: ``pip install "torchopt-diff[scipy]"``.

    Args:
        method: The method.
        atol: The absolute tolerance: SciPy's ``tol``, of which the method makes what it stops by, such
            as the norm of the gradient, unless ``options`` say it. With None the library selects one,
            at present 1e-10.
        rtol: The relative tolerance, for methods that have one: of ``"L-BFGS-B"`` on the decrease of
            the objective, of ``"BFGS"`` on the step; None for ``atol`` there, too.
        options: SciPy's ``options``, a dict; None for none.
        on_failure: What is done when SciPy reports a failure: ``"warn"``, ``"raise"`` or ``"ignore"``.

    Raises:
        TypeError: If an argument has the wrong type.
        ImportError: When it solves a problem, if SciPy is not installed.
        ValueError: If ``rtol`` is for a method without a relative tolerance; when it solves a problem,
            if this is of another kind.

    Example:
        >>> import torch, torchopt
        >>> torchopt.solver.SciPy("trust-constr", atol=1e-8)
        SciPy(method='trust-constr', atol=1e-08)

    References:
        Kraft, *A software package for sequential quadratic programming*, 1988 (SLSQP). Byrd, Hribar and
        Nocedal, *An interior point algorithm for large-scale nonlinear programming*, 1999
        (trust-constr).
    """

    method: str = checks.field("SLSQP", checks.one_of(_METHODS))
    _: KW_ONLY
    atol: float | None = checks.field(None, checks.or_none(checks.NOT_NEGATIVE))
    rtol: float | None = checks.field(None, checks.or_none(checks.NOT_NEGATIVE))
    options: Mapping[str, object] | None = None
    on_failure: OnFailure = checks.field("warn", ON_FAILURE)
    __promised__: ClassVar[tuple[str, ...]] = (
        "__init__", "method", "atol", "rtol", "options", "on_failure",
    )  # fmt: skip

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.rtol is not None and self.method not in _RELATIVE:
            raise ValueError(
                f"`rtol` is {self.rtol!r}, but SciPy's {self.method} has no relative tolerance: pass "
                f"`atol`, or what the method has as `options`."
            )

    def function_for(self, kind: Kind) -> Callable[..., TensorTree]:
        """Return ``solve(params, *args) -> params`` for a kind of problem."""
        if not isinstance(kind, Objective):
            raise ValueError(
                f"`SciPy` minimizes, but the problem is a `{kind.title}`: use another solver of "
                f"`torchopt.solver`, or a function of `(params, *args)` that calls SciPy."
            )
        return lambda params, *args: self._solve(*FlatProblem.at(kind, params, args))

    def _solve(self, problem: FlatProblem, x: torch.Tensor) -> Any:
        minimize = optional("scipy.optimize", "scipy", "`SciPy`").minimize

        def point(v: Any) -> torch.Tensor:
            return torch.as_tensor(v, dtype=x.dtype, device=x.device)

        where = [AT_START]

        def value_and_gradient(v: Any) -> tuple[float, Any]:
            at = replace(problem, where=where.pop() if where else None)
            value, gradient = at.value_and_gradient(point(v))
            return float(value), _array(gradient)

        limits: dict[str, Any] = {}
        if problem.is_composite:
            if not problem.term.is_box:
                raise ValueError(
                    f"{passed(problem.term)}, but `SciPy` takes bounds only: use a "
                    f"`torchopt.sets.Box`, or a solver for other terms."
                )
            limits["bounds"] = list(zip(*map(_array, problem.bounds(x)), strict=True))
        if isinstance(problem.of, Constrained):
            limits["constraints"] = _constraints(problem, point, x)
        start = _array(problem.prox(x) if problem.is_composite else x)
        options = dict(self.options or {})
        if self.rtol is not None:
            options.setdefault(_RELATIVE[self.method], self.rtol)
        with warnings.catch_warnings():
            # Of each linear constraint, in each step of "trust-constr".
            warnings.filterwarnings("ignore", "delta_grad == 0.0")
            result = minimize(
                value_and_gradient,
                start,
                jac=True,
                method=self.method,
                tol=1e-10 if self.atol is None else self.atol,
                options=options,
                **limits,
            )
        solution = point(result.x)
        if not result.success and self.on_failure != "ignore":
            fail(
                f"SciPy's {self.method} did not converge",
                f"it says {result.message!r}",
                torch.tensor(True, device="cpu"),
                on_failure=self.on_failure,
                outcome=_OUTCOME,
                error=float(problem.residual(solution).norm()),
                iterations=int(result.get("nit", 0)),
            )
        return problem.unravel(solution)


def _constraints(
    problem: FlatProblem, point: Callable[[Any], torch.Tensor], x: torch.Tensor
) -> list[dict[str, Any]]:
    """Return constraints as SciPy has them: inequalities are not to be negative."""

    def values(which: int, sign: float) -> Callable[[torch.Tensor], torch.Tensor]:
        return lambda v: sign * constraints(problem, v)[which]

    found: list[dict[str, Any]] = []
    for which, (name, sign) in enumerate((("eq", 1.0), ("ineq", -1.0))):
        of = values(which, sign)
        if len(of(x)):
            jacobian = torch.func.jacrev(of)
            found.append(
                {
                    "type": name,
                    "fun": lambda v, of=of: _array(of(point(v))),
                    "jac": lambda v, jacobian=jacobian: _array(jacobian(point(v))),
                }
            )
    return found


def _array(t: torch.Tensor) -> Any:
    return t.detach().double().cpu().numpy()

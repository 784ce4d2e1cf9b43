"""The implicit mode in compiled code: one graph of the function, and all else by Python code.

`torch.compile` traces the function of the problem once (:mod:`torchopt.autodiff.handed`). The residual,
its derivatives and the linear solve are made of its graph by the code that runs eagerly elsewhere; the
linear solve is a :class:`~torchopt.autodiff.region.Region`, whose loop is traced once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import torch

from torchopt.autodiff.exact import higher_order
from torchopt.autodiff.handed import announce, constants, hand
from torchopt.autodiff.loops import norm, wide
from torchopt.autodiff.region import Region
from torchopt.autodiff.scan import Meta, call
from torchopt.autodiff.tracking import untracked
from torchopt.autodiff.transforms import in_forward_mode
from torchopt.diff._explicit import Explicit
from torchopt.diff.called import solve_by_call
from torchopt.diff.constrained import Constrained
from torchopt.diff.equations import Equation, OwnKind
from torchopt.diff.flat_problem import External
from torchopt.diff.kinds import Composite, Evaluation, Kind, Objective, SumOfSquares
from torchopt.diff.problem import InnerProblem
from torchopt.diff.solution import Solution
from torchopt.linear_solve import CG, GMRES, LinearSolver
from torchopt.linear_solve.stats import Stats
from torchopt.operators.implicit_function import NonlinearEquation, Root, implicit
from torchopt.operators.linear import HVP
from torchopt.pytree import flattening as pytree
from torchopt.transform.chaining import GradientTransformation

Tensors: TypeAlias = Sequence[torch.Tensor]


def refusal(problem: InnerProblem) -> str | None:
    """Return why a problem is not solved by compiled code, None if it may be."""
    if problem.batches is not None:
        return "`Implicit` with `batches` is not compiled: pass all data in `args`"
    if isinstance(problem.kind, Composite):
        return "`Implicit` with `prox`, or a set as `subject_to`, is not compiled"
    if isinstance(problem.kind, Constrained):
        return "`Implicit` with `Constraints` is not compiled"
    if isinstance(problem.solver, External):
        return f"`{type(problem.solver).__name__}` is not compiled"
    if problem.carry is not None:
        return "levels with a state of their own are not compiled"
    if not isinstance(problem.solver, GradientTransformation) and hasattr(problem.solver, "run"):
        return "the solver looks at values"
    if problem.atol is not None or problem.rtol is not None:
        return "a tolerance looks at values"
    return None


def solve_compiled(mode: Any, problem: InnerProblem) -> Solution:
    """Solve a problem in code that is traced."""
    kind = problem.kind
    with torch.no_grad():
        if isinstance(problem.solver, GradientTransformation):
            solution = Explicit().differentiate(problem)
            params, last, state = solution.params, solution.aux, solution.state
            iterations, before = solution.stats.iterations, solution.stats.last_value
        else:
            solver: Any = problem.solver
            params = solve_by_call(solver, problem.params, problem.args)
            last = state = iterations = before = None
    leaves, spec = pytree.flatten(params)
    places = [i for i, x in enumerate(leaves) if x is not None]
    numbered = pytree.unflatten(spec, [None if x is None else i for i, x in enumerate(leaves)])
    number = announce(
        Attachment,
        (type(kind), kind.symmetric),
        numbered,
        described(mode.linear_solve),
        mode.hvp,
    )

    def function(*tensors: torch.Tensor) -> tuple[list[torch.Tensor], Any]:
        filled: list[Any] = list(leaves)
        for i, t in zip(places, tensors, strict=True):
            filled[i] = t
        x = pytree.unflatten(spec, filled)
        out = kind.function(x, *problem.args)
        out, aux = out if kind.has_aux else (out, None)
        rest, rest_spec = pytree.flatten(aux)
        outputs = [t for t in rest if isinstance(t, torch.Tensor)]
        results, out_spec = pytree.flatten(out)
        if isinstance(kind, SumOfSquares):
            results = [torch.cat([r.reshape(-1) for r in results if r is not None])]
        elif not isinstance(kind, Objective) and out_spec != spec:
            raise ValueError(f"the {kind.word} must return a tree like its first argument.")
        results = [r for r in results if r is not None]
        # As the solution's derivatives will, its stand-in depends on all that the function reads.
        total = sum([0 * r.sum() for r in results])
        moved = [t + total.to(t.dtype) for t in tensors]
        value = total.detach()
        known = [None if isinstance(t, torch.Tensor) else t for t in rest]
        return [*moved, value, wide(value), *results, *outputs], (known, rest_spec)

    with higher_order():
        out, (rest, rest_spec) = hand(function, [leaves[i].detach() for i in places], number)
    for i, t in zip(places, out, strict=False):
        leaves[i] = t
    value, error, *out = out[len(places) :]
    outputs = out[len(places) if isinstance(kind, Equation) else 1 :]
    aux = None
    if kind.has_aux:
        filled = iter(outputs)
        aux = pytree.unflatten(rest_spec, [next(filled) if t is None else t for t in rest])
    return Solution(
        pytree.unflatten(spec, leaves),
        aux if last is None else last,
        value=value.detach() if isinstance(kind, Objective) else None,
        state=state,
        stats=Stats(iterations=iterations, error=error.detach(), last_value=before),
    )


def described(x: Any) -> Any:
    """Return a configuration as its class and fields, so that compiled code is for equal ones."""
    if isinstance(x, LinearSolver):
        cls = type(x)
        return (_MADE, cls, [(name, described(getattr(x, name))) for name in constants(cls)])
    return x


_MADE = "made of its fields"


def _made(description: Any) -> Any:
    """Return the configuration of a description."""
    if not isinstance(description, tuple) or description[:1] != (_MADE,):
        return description
    _, cls, fields = description
    out = object.__new__(cls)
    for name, value in fields:
        object.__setattr__(out, name, _made(value))
    return out


class Attachment:
    """Attaches the derivatives of a solution to it."""

    def __init__(self, kind: tuple[Any, ...], numbered: Any, linear_solve: Any, hvp: HVP) -> None:
        self._cls, self._symmetric = kind
        self._linear_solve: Any = _made(linear_solve)
        self._hvp = hvp
        self._numbers, self._spec = pytree.flatten(numbered)
        # The compiler calls this more than once.
        self._regions: dict[Any, Region] = {}
        self._checked: set[Any] = set()

    def __call__(
        self,
        function: Callable[[Tensors, Tensors], list[torch.Tensor]],
        x: Tensors,
        read: Tensors | None,
    ) -> list[torch.Tensor]:
        if read is not None and in_forward_mode():
            raise RuntimeError("an implicit derivative in forward mode is not compiled")
        size = len(x)
        m = 1 if issubclass(self._cls, Objective) else size

        def output(tree: Any, *theta: torch.Tensor) -> tuple[Any, Any]:
            tensors = pytree.partition(tree)[0]
            out = function(tensors, theta)[size + 2 :]
            if issubclass(self._cls, Objective):
                return out[0], out[1:]
            return self._combine(out[:m]), out[m:]

        if issubclass(self._cls, OwnKind):
            kind: Kind = OwnKind(output, has_aux=True, symmetric=self._symmetric)
        else:
            kind = self._cls(output, has_aux=True)

        def residual(tree: Any, *theta: torch.Tensor) -> Any:
            return kind.evaluate(tree, theta, where=None, conditions=True).residual

        def residuals(tree: Any, *theta: torch.Tensor) -> Any:
            assert isinstance(kind, SumOfSquares)
            return kind.residuals(tree, theta)

        gauss_newton = self._hvp == "gauss_newton"
        asked: dict[str, Any] = {
            "linear_solve": self._linear_solve or (CG() if kind.symmetric else GMRES()),
            "symmetric": kind.symmetric,
            "hvp": "reverse" if gauss_newton else self._hvp,
            "residuals": residuals if gauss_newton else None,
        }
        with untracked():
            at_end = kind.evaluate(self._combine(x), tuple(read or ()), where=None)
        if read is None:
            tree = implicit(residual, self._combine(x), **asked)
            return self._results(pytree.partition(tree)[0], m, at_end)
        self._check(residual, x, read)
        equation = _Equation(residual, self._combine, tuple, **asked, regions=self._regions)
        params = Root.apply(equation, size, *(t.detach() for t in x), *read)
        return self._results(params, m, at_end)

    def _results(self, params: Tensors, m: int, at_end: Evaluation) -> list[torch.Tensor]:
        """Return what the function returns; nobody reads the ``m`` results of the user's function."""
        error = norm(at_end.residual)
        value = error if at_end.value is None else at_end.value
        return [*params, value, error, *[error] * m, *at_end.aux]

    def _combine(self, tensors: Tensors) -> Any:
        it = iter(tensors)
        leaves = [None if i is None else next(it) for i in self._numbers]
        return pytree.unflatten(self._spec, leaves)

    def _check(self, residual: Callable[..., Any], x: Tensors, read: Tensors) -> None:
        """Raise if the residual is not the same each time: eager code would replay it."""
        n = len(x)

        def evaluate(*tensors: torch.Tensor) -> Tensors:
            tree = residual(self._combine(tensors[:n]), *tensors[n:])
            return pytree.partition(tree)[0]

        metas = tuple(Meta.of(t) for t in (*x, *read))
        if metas not in self._checked:
            Region(evaluate, metas, metas[:n], "the function").check()
            self._checked.add(metas)


@dataclass(frozen=True, eq=False)
class _Equation(NonlinearEquation):
    """The equation of a traced function, whose linear solve is one operation."""

    regions: dict[Any, Region] = field(default_factory=dict)

    def solve(self, x: Tensors, theta: Tensors, b: Tensors, transposed: bool) -> Tensors:
        tensors = [*x, *theta, *b]
        n = len(x)

        def solved(*tensors: torch.Tensor) -> Tensors:
            return NonlinearEquation.solve(
                self, tensors[:n], tensors[n:-n], tensors[-n:], transposed
            )

        metas = tuple(map(Meta.of, tensors))
        key = (metas, transposed)
        if key not in self.regions:
            solver = self.linear_solve
            known = isinstance(solver, LinearSolver)
            refused = None if known else "it is a function that may keep a state"
            name = getattr(solver, "__qualname__", type(solver).__name__)
            results = [Meta.of(t) for t in b]
            self.regions[key] = Region(
                solved, metas, results, f"the linear solve by `{name}`", refused
            )
        with torch.no_grad():
            return call(self.regions[key], *tensors)

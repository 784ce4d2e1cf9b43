"""Solve a problem of any kind and differentiate its solution: what `minimize` and the others call.

:func:`solve` makes the problem of what it is given, and its mode solves it; :func:`make_problem` checks
the arguments.
"""

from __future__ import annotations

import copy
import os
from collections.abc import Callable
from dataclasses import replace
from typing import Any, cast

import torch

from torchopt import checks
from torchopt.autodiff.tracking import without_inference
from torchopt.diff import DifferentiationMode, Explicit, Implicit, ProblemKind, Solution
from torchopt.diff.batches import batches_of_steps
from torchopt.diff.constrained import Constrained, with_duals
from torchopt.diff.equations import OwnKind
from torchopt.diff.kinds import Composite, Kind
from torchopt.diff.modes import refuse_mode
from torchopt.diff.problem import InnerProblem, differentiate, is_mode
from torchopt.io.calls import explained
from torchopt.io.terminal import progress
from torchopt.prox.term import passed
from torchopt.pytree import flattening as pytree
from torchopt.sets import Set
from torchopt.solver._arguments import default_solver
from torchopt.solver._check_solver import check_solver
from torchopt.solver._solver import Solver
from torchopt.solver.types import Batches, InnerSolver, P
from torchopt.transform import project
from torchopt.transform.chaining import GradientTransformation, chain

_KIND = checks.of_type(ProblemKind, "one of a subclass of `torchopt.diff.ProblemKind`")
_FOLDER = checks.Word("pass the path of a folder", (str, os.PathLike))
_ARGS = checks.of_type(tuple, "a tuple, such as `(phi,)`")


@explained
def solve(
    kind: ProblemKind,
    params: P,
    args: tuple[object, ...] = (),
    *,
    solver: InnerSolver[P] | None = None,
    steps: int | None = None,
    maxiter: int | None = None,
    atol: float | None = None,
    rtol: float | None = None,
    batches: Batches | None = None,
    micro_batches: int = 1,
    diff: DifferentiationMode | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    verbose: bool = False,
) -> Solution[P, Any]:
    r"""Solve a problem of your own kind, with a derivative for autograd.

    .. math:: r(\theta^*, \varphi) = 0

    :func:`torchopt.minimize`, :func:`torchopt.root` and the others solve the ready-made kinds.

    Args:
        kind: What is zero at a solution: a :class:`torchopt.diff.ProblemKind`.
        params: The starting point, a tree of floating tensors. It is not modified.
        args: Further arguments, the same in each step.
        solver: A gradient transformation, to which the residual is the gradient; a solver whose
            ``kinds`` has the class of the kind, a base of it, or :class:`torchopt.diff.Root`; or a
            function ``solver(params, *args)`` that returns the solution. By default that of
            :func:`torchopt.minimize` and the others for their kinds, and ``Newton()`` for yours.
        steps: The exact number of steps of a gradient transformation (≥ 0). Solvers such as
            ``Newton()`` have their own ``maxiter``.
        maxiter: The maximal number of steps of a gradient transformation that stops by a tolerance;
            instead of ``steps``.
        atol: A gradient transformation stops when the Euclidean norm of the residual is at most
            this, as for :func:`torchopt.minimize`. Solvers have their own tolerances.
        rtol: It also stops when the residual is this small relative to its scale.
        batches: Data that changes from step to step; see :func:`torchopt.minimize`.
        micro_batches: The number of equal parts into which each batch is split.
        diff: The differentiation mode. By default ``diff.Explicit()`` for a given number of steps of
            a gradient transformation, and ``diff.Implicit()`` for everything else.
        checkpoint: A folder by which a run goes on after its process was killed; see
            :func:`torchopt.minimize`.
        verbose: Whether to show the steps while they are done; on a terminal only, see
            :class:`torchopt.logging.Progress`.

    Returns:
        The solution, with the solver's last state, the auxiliary output and statistics.

    Raises:
        TypeError: If an argument has the wrong type, or a leaf is not a floating tensor.
        ValueError: If the tree is empty, shapes differ, or the solver is for other problems.

    Warns:
        NotConvergedWarning: If the tolerance is not reached.

    Example:
        The median, below which half of the mass is. Its derivative is one over the density there:

        >>> import torch, torchopt
        >>> class Quantile(torchopt.diff.ProblemKind):
        ...     def __init__(self, distribution):
        ...         self.distribution = distribution
        ...     def residual(self, x, args):
        ...         return self.distribution.cdf(x) - args[0]
        >>> mass = torch.tensor(0.5, requires_grad=True)
        >>> kind = Quantile(torch.distributions.Normal(1.0, 2.0))
        >>> solver = torchopt.solver.Newton()
        >>> x = torchopt.solver.solve(kind, torch.tensor(0.0), (mass,), solver=solver).params
        >>> x.detach().round(decimals=3), torch.autograd.grad(x, mass)
        (tensor(1.), (tensor(5.0133),))

    References:
        Blondel et al., *Efficient and Modular Implicit Differentiation*, NeurIPS 2022.
    """
    options: dict[str, Any] = {
        "solver": solver, "steps": steps, "maxiter": maxiter, "atol": atol, "rtol": rtol, "diff": diff,
        "batches": batches, "micro_batches": micro_batches,
    }  # fmt: skip
    problem = make_problem(kind, params, args, **options)
    if diff is None:
        diff = Explicit() if problem.is_fixed_length else Implicit()
    if checkpoint is not None:
        _check_resumable(checkpoint, diff, problem)
        problem = replace(problem, checkpoint=checkpoint)
    watched = verbose and not torch.compiler.is_compiling()
    solution = (_solve_watched if watched else differentiate)(diff, problem)
    if isinstance(problem.kind, Constrained):
        return with_duals(problem.kind, solution, args)
    return solution


def _check_resumable(checkpoint: Any, diff: Any, problem: InnerProblem) -> None:
    checks.check("checkpoint", checkpoint, _FOLDER)
    recomputes = isinstance(diff, Explicit) and diff.memory in ("step", "sqrt", "tree")
    if not (recomputes and diff.truncate is None and problem.is_fixed_length):
        raise ValueError(
            f"`checkpoint` is for a number of steps that are computed again, and `diff` is {diff!r}: "
            f'pass `steps` and `diff=torchopt.diff.Explicit("sqrt")`, "step" or "tree", without '
            f"`truncate`, or leave `checkpoint` out."
        )
    if checks.transforms_active():
        raise RuntimeError(
            "`checkpoint` writes files, which torch.func's transforms and torch.compile do not: call "
            "the function outside of them, or leave `checkpoint` out."
        )


def solve_by_compiled_code(
    function: Callable[..., Solution[P, Any]],
    of: Callable[..., Any],
    params: P,
    args: tuple[Any, ...],
    **options: Any,
) -> Solution[P, Any]:
    """Call a public function, such as ``root``, with the function of a problem, from compiled code."""
    # Here, since the compiler is not for everybody.
    from torchopt.compiled.call import call_compiled

    solution: Solution[P, Any] = call_compiled(function, (of, params, args), options, owner=of)
    return solution


def _solve_watched(diff: DifferentiationMode, problem: InnerProblem) -> Solution:
    """Solve a problem and show the steps."""
    if isinstance(problem.solver, Solver):
        solver = copy.copy(problem.solver)
        object.__setattr__(solver, "verbose", True)
        return differentiate(diff, replace(problem, solver=solver))
    with progress(problem.kind.title, problem.steps, verbose=problem.steps > 0) as bar:
        return differentiate(diff, replace(problem, progress=bar))


def make_problem(
    kind: ProblemKind,
    params: Any,
    args: tuple[Any, ...],
    *,
    solver: Any,
    steps: int | None,
    maxiter: int | None = None,
    atol: float | None = None,
    rtol: float | None = None,
    diff: Any = None,
    batches: Any = None,
    micro_batches: int = 1,
) -> InnerProblem:
    """Check the arguments of a public function, and return its problem."""
    if not isinstance(kind, Kind):
        checks.check("kind", kind, _KIND)
    known = kind if isinstance(kind, Kind) else OwnKind.of(kind)
    if not isinstance(args, tuple):  # the right call enters no other file
        checks.check("args", args, _ARGS)  # type: ignore[unreachable]
    if isinstance(args, GradientTransformation):  # which is a tuple
        raise TypeError("`args` is a gradient transformation: pass it by name, as `solver=`.")
    if diff is not None and not is_mode(diff):
        refuse_mode(diff)
    solver = default_solver(known) if solver is None else solver
    is_transformation = isinstance(solver, GradientTransformation)
    if not is_transformation:
        check_solver(solver, steps=steps, maxiter=maxiter, atol=atol, rtol=rtol, batches=batches)
    count = _updates(steps, maxiter, atol, rtol) if is_transformation else 0
    if isinstance(solver, GradientTransformation) and isinstance(known, Composite):
        if not known.term.is_set:
            raise ValueError(
                f"{passed(known.term)}, whose proximal operator needs a step length, and a "
                f"gradient transformation has none: use `solver=torchopt.solver.ProximalGradient()`."
            )
        solver = chain(solver, project(cast("Set", known.term)))
    if is_transformation and isinstance(known, Constrained):
        raise ValueError(
            "a gradient transformation knows no `Constraints`: use "
            "`solver=torchopt.solver.AugmentedLagrangian()`, or a set of `torchopt.sets`."
        )
    if isinstance(params, torch.nn.Module):
        raise TypeError(
            f"`params` is a module ({type(params).__name__}): pass its parameters, "
            f"`dict(module.named_parameters())`, and call it with these in the {known.word}, by "
            f"`torchopt.nn.functional_call(module, params, inputs)`."
        )
    leaves, spec = pytree.flatten(params)
    checks.check_not_empty(spec, "params")
    checks.check_floating(leaves, spec, "params")
    if all(leaf is None for leaf in leaves):
        raise ValueError("`params` has no tensors: there is nothing to solve for.")
    usable = without_inference(leaves)
    params = params if usable is leaves else pytree.unflatten(spec, usable)
    if batches is not None:
        batches = batches_of_steps(batches, count)
    checks.check_count("micro_batches", micro_batches, 1, of="parts")
    if micro_batches > 1 and batches is None:
        raise ValueError(
            "`micro_batches` are parts of the batch of a step, but there are no `batches`: pass the "
            "data there instead of in `args`."
        )
    posed = InnerProblem(known, params, args, solver, count, atol, rtol, batches, is_whole=True)
    return posed if micro_batches == 1 else replace(posed, micro_batches=micro_batches)


def _updates(steps: Any, maxiter: Any, atol: Any, rtol: Any) -> int:
    """Return how many updates there are: exactly ``steps``, or with a tolerance at most ``maxiter``."""
    exact = atol is None and rtol is None
    if exact:
        name, count = "steps", steps
        if maxiter is not None:
            raise ValueError(
                "`maxiter` is the most updates until a tolerance is met, but there is none: pass "
                "`atol` or `rtol`, too, or pass `steps`, which is exact."
            )
    else:
        name, count = "maxiter", maxiter
        if steps is not None:
            raise ValueError(
                "`steps` is exact, but a run with `atol` or `rtol` stops when this is met: pass "
                "`maxiter` instead."
            )
        for word, value in (("atol", atol), ("rtol", rtol)):
            checks.check(word, value, checks.or_none(checks.NOT_NEGATIVE))
    if count is None:
        missing = "a number of steps" if exact else "the most steps to do until a tolerance is met"
        raise ValueError(
            f"a gradient transformation needs {missing}: pass `{name}=`, or a solver with a `maxiter` "
            f"and tolerances of its own, such as `torchopt.solver.LBFGS()`."
        )
    checks.check_count(name, count, of="steps")
    return int(count)

"""What `prox=` and `subject_to=` mean together, and the solver of each kind where none is passed."""

from __future__ import annotations

from typing import Any

from torchopt import checks
from torchopt.diff.constrained import Constraints
from torchopt.diff.kinds import Kind
from torchopt.prox import ProximalTerm, SeparableSum
from torchopt.prox.separable_sum import as_term
from torchopt.pytree import flattening as pytree
from torchopt.pytree import tree_flatten
from torchopt.sets import Set
from torchopt.solver._anderson import Anderson
from torchopt.solver._augmented_lagrangian import AugmentedLagrangian
from torchopt.solver._lbfgs import LBFGS
from torchopt.solver._lbfgsb import LBFGSB
from torchopt.solver._levenberg_marquardt import LevenbergMarquardt
from torchopt.solver._newton import Newton
from torchopt.solver._proximal_gradient import ProximalGradient
from torchopt.solver._solver import Solver, advised

#: The solvers where none is passed, by their names.
_DEFAULTS = {
    solver.__name__: solver()
    for solver in (
        Anderson,
        AugmentedLagrangian,
        LBFGS,
        LBFGSB,
        LevenbergMarquardt,
        Newton,
        ProximalGradient,
    )
}

_SETS = checks.of_type(
    Set, "a set of `torchopt.sets`, a tree of sets, or `torchopt.Constraints(...)`"
)
_TERMS = checks.of_type(ProximalTerm, "a term of `torchopt.prox`, or a tree of terms")


def default_solver(kind: Kind) -> Solver[Any]:
    """Return the solver of a problem for which none is passed."""
    return _DEFAULTS[advised(kind)]


def term_of(prox: Any, subject_to: Any, params: Any) -> ProximalTerm | None:
    """Return the term of a problem: that of ``prox=``, the sets of ``subject_to=``, or both together.

    Args:
        prox: A term, a tree of terms, or None.
        subject_to: A set, a tree of sets, or None.
        params: The parameters, of which both trees are prefixes.

    Raises:
        TypeError: If one of them is something else.
        ValueError: If a leaf has both a term and a set.
    """
    prox = prox if _has_parts("prox", prox, _TERMS) else None
    subject_to = subject_to if _has_parts("subject_to", subject_to, _SETS) else None
    if prox is None or subject_to is None:
        either = prox if subject_to is None else subject_to
        return None if either is None else as_term(either)
    spec = pytree.flatten(params)[1]
    pairs = list(zip(*(_sum(part)._terms_at(spec) for part in (prox, subject_to)), strict=True))
    for index, (term, constraint) in enumerate(pairs):
        if term is not None and constraint is not None:
            raise ValueError(
                f"`{checks.leaf_path(spec, index, 'params')}` has the term {term!r} of `prox` and the "
                f"set {constraint!r} of `subject_to`: pass one of them for each leaf, or a term that "
                f"is both, such as `torchopt.prox.NonNegativeLasso`."
            )
    return SeparableSum(pytree.unflatten(spec, [a if b is None else b for a, b in pairs]))


def _sum(parts: Any) -> SeparableSum:
    return parts if isinstance(parts, SeparableSum) else SeparableSum(parts)


def _has_parts(name: str, tree: Any, word: checks.Word) -> bool:
    """Check that a tree has terms only, or sets only; return whether it has any."""
    parts = tree_flatten(
        tree,
        lambda part: isinstance(part, (ProximalTerm, Constraints)),
        none_is_leaf=True,
        namespace=pytree.NAMESPACE,
    )[0]
    for part in parts or [tree]:
        if isinstance(part, Constraints):
            raise TypeError(
                f"`{name}` has `Constraints` where terms and sets are expected: pass one `Constraints` "
                f"with all that the parameters are to satisfy as `subject_to` of `torchopt.minimize`."
            )
        if part is None:
            continue
        if not isinstance(part, ProximalTerm):
            checks.check(name, part, word)
        elif part.is_set != (name == "subject_to"):
            what, other = ("set", "subject_to") if part.is_set else ("term", "prox")
            raise TypeError(f"`{name}` is {part!r}, which is a {what}: pass it as `{other}=`.")
    return any(part is not None for part in parts)

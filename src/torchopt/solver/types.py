"""What the arguments of `minimize` and its kind may be, in the words of type checkers.

The parameters are any tree, of a type that the function says. Overloads on ``has_aux`` take the options
that they share from the dictionaries here.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Literal, Protocol, TypeAlias, TypedDict, TypeVar, cast

import torch
from typing_extensions import Unpack, overload

from torchopt.diff import Constraints, DifferentiationMode, Solution
from torchopt.diff.batches import Batches as Batches
from torchopt.diff.flat_problem import External
from torchopt.io.calls import explained
from torchopt.prox.separable_sum import Terms
from torchopt.pytree.typing import Fields
from torchopt.sets.base import Sets as Sets
from torchopt.solver._solver import Solver
from torchopt.transform.chaining import GradientTransformation


class Keys(Protocol):
    """A ``TypedDict``, whose values checkers know one by one."""

    __total__: ClassVar[bool]


Tree: TypeAlias = "torch.Tensor | Mapping[Any, Tree] | Sequence[Tree] | Fields | Keys | None"
"""Parameters. (That they are no functions shows that an optimizer is to be called.)"""

P = TypeVar("P", bound=Tree)
Aux = TypeVar("Aux")

InnerSolver: TypeAlias = GradientTransformation | Solver[Any] | External | Callable[..., P]
"""A gradient transformation, a solver, or a function ``solver(params, *args) -> params``."""


class Options(TypedDict, total=False):
    """The options of :func:`torchopt.root` and its kind, but for ``solver`` and ``has_aux``."""

    steps: int | None
    maxiter: int | None
    atol: float | None
    rtol: float | None
    diff: DifferentiationMode | None
    compile: bool
    verbose: bool


class Equation(Protocol):
    """The call of :func:`torchopt.root` and of :func:`torchopt.fixed_point`."""

    @overload
    def __call__(
        self,
        function: Callable[..., P],
        /,
        params: P,
        args: tuple[object, ...] = ...,
        *,
        solver: InnerSolver[P] | None = ...,
        has_aux: Literal[False] = ...,
        **options: Unpack[Options],
    ) -> Solution[P, None]: ...

    @overload
    def __call__(
        self,
        function: Callable[..., tuple[P, Aux]],
        /,
        params: P,
        args: tuple[object, ...] = ...,
        *,
        solver: InnerSolver[P] | None = ...,
        has_aux: Literal[True],
        **options: Unpack[Options],
    ) -> Solution[P, Aux]: ...


def equation(function: Callable[..., Solution[Any, Any]]) -> Equation:
    """Let checkers know a function by :class:`Equation`, and explain unknown keywords."""
    return cast("Equation", explained(function))


class LeastSquaresOptions(Options, total=False):
    """The options of :func:`torchopt.least_squares`."""

    prox: Terms | None
    subject_to: Sets | None


class MinimizeOptions(Options, total=False):
    """The options of :func:`torchopt.minimize`."""

    prox: Terms | None
    subject_to: Sets | Constraints | None
    batches: Batches | None
    micro_batches: int
    checkpoint: str | os.PathLike[str] | None

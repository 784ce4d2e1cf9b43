"""What the arguments of `minimize` and its kind may be, in the words of type checkers.

The parameters are any tree, of a type that the function says. Overloads on ``has_aux`` take the options
that they share from the dictionaries here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ClassVar, Protocol, TypeAlias, TypedDict, TypeVar

import torch

from torchopt.diff import Constraints, DifferentiationMode
from torchopt.diff.flat_problem import External
from torchopt.prox.separable_sum import Parts, Terms
from torchopt.sets import Set
from torchopt.solver._solver import Solver
from torchopt.transform.chaining import GradientTransformation


class Fields(Protocol):
    """A dataclass, as a container of its fields."""

    __dataclass_fields__: ClassVar[dict[str, Any]]


Tree: TypeAlias = "torch.Tensor | Mapping[Any, Tree] | Sequence[Tree] | Fields | None"
"""Parameters. (That they are no functions shows that an optimizer is to be called.)"""

P = TypeVar("P", bound=Tree)

InnerSolver: TypeAlias = GradientTransformation | Solver[Any] | External | Callable[..., P]
"""A gradient transformation, a solver, or a function ``solver(params, *args) -> params``."""

Sets: TypeAlias = "Set | Parts[Sets | None]"
"""A set, or a tree of them, a prefix of the parameters."""

Batches: TypeAlias = (
    Callable[[int], object] | Iterable[object] | Mapping[str, object] | torch.Tensor | Fields
)
"""A function of the step, batches one after the other, or a tree of stacked tensors."""


class Options(TypedDict, total=False):
    """The options of :func:`torchopt.root` and its kind, but for ``solver`` and ``has_aux``."""

    steps: int | None
    maxiter: int | None
    atol: float | None
    rtol: float | None
    diff: DifferentiationMode | None
    compile: bool
    verbose: bool


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

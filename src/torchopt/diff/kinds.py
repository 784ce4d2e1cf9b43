r"""The kinds of inner problems: each has a residual that is zero at its solution.

A program may have kinds of its own, subclasses of ``ProblemKind``; these are ready-made. Here are those
with an objective, in :mod:`torchopt.diff.equations` the others, in :mod:`torchopt.diff.constrained`
that with nonlinear constraints, whose linearization ``P`` projects onto. A problem with a term or with
constraints is no ``Minimum``: where it has its solution, the gradient need not be zero.

=================  ==========================  ================================
kind               problem                     residual
=================  ==========================  ================================
``Minimum``        minimize ``f(x)``           ``∇f(x)``
``Root``           ``F(x) = 0``                ``F(x)``
``FixedPoint``     ``x = T(x)``                ``x - T(x)``
``LeastSquares``   minimize ``½ ‖r(x)‖²``      ``Jᵀ r(x)``
``Composite``      minimize ``f(x) + g(x)``    ``(x - prox(x - t ∇f(x))) / t``
``Constrained``    minimize ``f(x)`` subject   ``x - P(x - t ∇f(x))``
                   to constraints
=================  ==========================  ================================
"""

from __future__ import annotations

import abc
import copy
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, field
from types import FrameType
from typing import Any, ClassVar, NamedTuple

import torch

from torchopt import checks
from torchopt.autodiff.gradients import Exact, eager_gradient, functional_gradient
from torchopt.autodiff.loops import norm
from torchopt.autodiff.tracebacks import CALLS
from torchopt.autodiff.tracing import tracing
from torchopt.autodiff.tracking import with_ends
from torchopt.autodiff.transforms import unseen_by_modes
from torchopt.diff.protocols import ProblemKind
from torchopt.prox import ProximalTerm
from torchopt.pytree import flattening as pytree
from torchopt.pytree import tree_add_scalar_mul, tree_scalar_mul, tree_sub
from torchopt.pytree.typing import TensorTree

#: Where a solver is, in the words of an error about NaN.
_FUNCTION = checks.a_function("`(params, *args)`")
AT_START, AT_STEP, AT_END = " at the start", " at step {}", " at the solution"


class Evaluation(NamedTuple):
    """What an evaluation of a problem's function gives.

    Attributes:
        residual: A tree like the parameters, zero at a solution.
        aux: The auxiliary output.
        value: What is minimized, a scalar, without a graph unless it was asked for; None if nothing is.
        root: What is minimized, with the graph of the evaluation.
    """

    residual: Any
    aux: Any = None
    value: torch.Tensor | None = None
    root: torch.Tensor | None = None


@dataclass(frozen=True)
class Kind(ProblemKind):
    """A function, and what its solution is: a kind as modes and solvers see it.

    Attributes:
        function: ``function(x, *args)``, with the output that the kind asks for.
        has_aux: Whether the function returns a pair, the second of which is passed through.
    """

    function: Callable[..., Any]
    _: KW_ONLY
    has_aux: bool = False

    #: What a program may use; the other members are the library's own.
    __promised__: ClassVar[tuple[str, ...]] = ("__init__", "function", "has_aux", "residual")

    word: ClassVar[str] = "function"
    returns: ClassVar[str] = "value"

    @property
    def posed(self) -> ProblemKind:
        """The kind as the program has written it."""
        return self

    @property
    def title(self) -> str:
        """The name of its public class, for messages."""
        classes = type(self.posed).__mro__
        return next(cls.__name__ for cls in classes if not cls.__name__.startswith("_"))

    def __post_init__(self) -> None:
        if not callable(self.function):  # the right call enters no other file
            checks.check(f"the {self.word}", self.function, _FUNCTION)  # type: ignore[unreachable]

    def output(self, x: Any, args: tuple[Any, ...]) -> tuple[Any, Any]:
        """Return what the function returns, and its auxiliary output."""
        try:
            out = with_ends(self.function, x, *args)
        except (RuntimeError, StopIteration) as error:
            why = (
                "registers a hook on a tensor, but is evaluated without a graph here: register it "
                "only `if tensor.requires_grad`."
            )
            if isinstance(error, StopIteration):  # which would end a loop around it
                why = (
                    "raised StopIteration: what it reads by `next` has ended; let it start again, for "
                    "example by `itertools.cycle`."
                )
            elif "cannot register a hook on a tensor that" not in str(error):
                raise
            raise RuntimeError(f"the {self.word} {why}") from error
        if not self.has_aux:
            return out, None
        return checks.pair_of(out, f"has_aux=True: the {self.word}", f"{self.returns}, aux")

    def residual(self, x: TensorTree, args: tuple[Any, ...]) -> TensorTree:
        """Return what is zero at a solution; see :class:`ProblemKind`."""
        residual, aux, *_ = self.evaluate(x, args)
        return (residual, aux) if self.has_aux else residual

    @abc.abstractmethod
    def evaluate(
        self,
        x: Any,
        args: tuple[Any, ...],
        *,
        where: str | None = "",
        first_order: bool = False,
        conditions: bool = False,
        tracked: bool = False,
        exact: Exact | None = None,
    ) -> Evaluation:
        """Return the residual, the auxiliary output and the value, from one evaluation.

        Args:
            x: A tree of tensors.
            args: Further arguments of the function.
            where: Words for errors, such as ``" at step 3"``; None at a point that a solver tries,
                where a value may be NaN.
            first_order: Whether the gradient of an objective counts as a constant.
            conditions: Whether the gradient of an objective is to determine ``x``: a leaf that the
                objective does not read then stays where it is, instead of being anything.
            tracked: Whether the value keeps its graph, unless ``first_order``.
            exact: Makes the mode in which an objective is evaluated; None for the one that it needs.
        """

    def value(self, x: Any, args: tuple[Any, ...]) -> tuple[torch.Tensor | None, Any]:
        """Return what is minimized, None if nothing is, and the auxiliary output."""
        return None, self.output(x, args)[1] if self.has_aux else None

    def objective(self, x: Any, args: tuple[Any, ...]) -> tuple[torch.Tensor | None, Any]:
        """Return all that is minimized, and the auxiliary output; see :meth:`value`."""
        return self.value(x, args)

    def optimality(self, x: Any, gradient: Any) -> Any:
        """Return what is zero at a solution, from what :meth:`evaluate` gives a descent."""
        return gradient

    def read(self, x: Any, args: tuple[Any, ...]) -> None:
        """Evaluate all that the residual reads, for those who watch."""
        self.output(x, args)

    def norm(self, tree: Any, order: float = 2.0) -> torch.Tensor:
        """Return the norm of a tree like ``x``, over all processes if each has a part of it."""
        return norm(tree, order)

    def worst(self, error: torch.Tensor) -> torch.Tensor:
        """Return the largest error over all processes that evaluate together."""
        return error


def _described(frame: FrameType, step: str) -> str:
    """Return a note on what :meth:`Kind.output` calls."""
    kind, x = frame.f_locals["self"], frame.f_locals["x"]
    function = getattr(kind.function, "func", kind.function)  # of a partial
    own = kind.posed if kind.posed is not kind else function
    name = f" `{getattr(own, '__qualname__', type(own).__name__)}`"
    if str(getattr(own, "__module__", "")).startswith("torchopt."):  # such as the levels of a tree
        name = ""
    leaves, spec = pytree.flatten(x)
    shapes = [
        f"{checks.leaf_path(spec, i, 'params')} {tuple(leaf.shape)}"
        for i, leaf in enumerate(leaves)
        if isinstance(leaf, torch.Tensor)
    ]
    more = f" and {len(shapes) - 4} more" if len(shapes) > 4 else ""
    called = f"{', '.join(shapes[:4])}{more}, and {len(frame.f_locals['args'])} more arguments"
    return f"raised in the {kind.word}{name}{step}; shapes: {called}"


CALLS[id(Kind.output.__code__)] = _described


@dataclass(frozen=True)
class Objective(Kind):
    """A kind with something that is minimized."""

    __promised__: ClassVar[tuple[str, ...]] = ("__init__",)

    # Not empty once the function has used gradients of compiled code, which have no derivatives.
    compiled: list[bool] = field(default_factory=list, init=False, repr=False, compare=False)

    word = "objective"
    returns = "loss"

    def value(self, x: Any, args: tuple[Any, ...]) -> tuple[torch.Tensor, Any]:
        """Return the objective's value, a scalar, and its auxiliary output."""
        return self.output(x, args)

    def evaluate(
        self, x: Any, args: tuple[Any, ...], *, tracked: bool = False, **options: Any
    ) -> Evaluation:
        """Return the gradient, the auxiliary output and the value, from one evaluation."""
        value, gradient, aux = self.value_and_residual(x, args, **options)
        keeps = tracked and not options.get("first_order", False)
        return Evaluation(gradient, aux, value if keeps else value.detach(), value)

    def value_and_residual(
        self,
        x: Any,
        args: tuple[Any, ...],
        *,
        where: str | None = "",
        first_order: bool = False,
        conditions: bool = False,
        exact: Exact | None = None,
    ) -> tuple[torch.Tensor, Any, Any]:
        """Return the value, the gradient and the auxiliary output of one evaluation."""
        tensors, combine = pytree.partition(x)
        # The words for a step, if it is one of many: other errors are the same at each point.
        step = "" if where in (None, AT_START, AT_END) else where
        what = f"the {self.word}'s value{step}"
        options: dict[str, Any] = {"value": where is not None and not tracing(), "pairs": True}
        if where in (AT_START, AT_END):
            options |= {"where": where, "advice": "look at the inputs, or start elsewhere"}

        def evaluate(tensors: list[torch.Tensor]) -> tuple[torch.Tensor, Any]:
            loss, aux = self.value(combine(tensors), args)
            with unseen_by_modes():
                checks.check_loss(loss, what=what, **options)
                is_scalar = loss.dim() == 0
            return loss if is_scalar else loss.squeeze(), aux

        if checks.transforms_active():
            loss, grads, aux = functional_gradient(evaluate, tensors, first_order, exact)
        else:
            loss, grads, aux = eager_gradient(
                evaluate, tensors, first_order, conditions, what, self.compiled, exact
            )
        if first_order:  # in forward mode, too
            grads = [g.detach() for g in grads]
        return loss, combine(grads), aux


class Minimum(Objective):
    """Minimize ``f(x)``: the kind of problem of :func:`torchopt.minimize`.

    A solver for minima lists it in its ``kinds``. A subclass is solved by the same solvers.

    Args:
        function: ``f(params, *args) -> loss``, a scalar.
        has_aux: Whether the function returns a pair ``(loss, aux)``.

    Raises:
        TypeError: If the function cannot be called.

    Example:
        >>> import torch, torchopt
        >>> kind = torchopt.diff.Minimum(lambda x, a: (x - a).square())
        >>> torchopt.solver.solve(
        ...     kind, torch.tensor(0.0), (torch.tensor(3.0),), solver=torchopt.solver.LBFGS()).params
        tensor(3.)
    """

    symmetric = True


class SumOfSquares(Objective):
    """A kind whose function returns residuals."""

    __promised__: ClassVar[tuple[str, ...]] = ()

    word = "function"
    returns = "residuals"

    def residuals(self, x: Any, args: tuple[Any, ...]) -> list[torch.Tensor]:
        """Return the tensors whose squares are summed."""
        return self._residuals(self.output(x, args)[0])

    def value(self, x: Any, args: tuple[Any, ...]) -> tuple[torch.Tensor, Any]:
        """Return half of the sum of squares, and the auxiliary output."""
        out, aux = self.output(x, args)
        residuals = self._residuals(out)
        squares = [r.square().sum() for r in residuals]
        return sum(squares[1:], squares[0]) / 2, aux

    def _residuals(self, out: Any) -> list[torch.Tensor]:
        leaves, spec = pytree.flatten(out)
        checks.check_not_empty(spec, "residuals")
        checks.check_floating(leaves, spec, "residuals")
        residuals = [r for r in leaves if r is not None]
        if not residuals:
            raise ValueError("the function returned no residuals: return a tree of tensors.")
        return residuals


class LeastSquares(SumOfSquares, Minimum):
    """Minimize ``½ ‖r(x)‖²``: the kind of problem of :func:`torchopt.least_squares`.

    It is a :class:`Minimum`, whose solvers solve it, too.

    Args:
        function: ``r(params, *args)``, a tree of tensors, the residuals.
        has_aux: Whether the function returns a pair ``(residuals, aux)``.

    Raises:
        TypeError: If the function cannot be called.

    Example:
        >>> import torch, torchopt
        >>> kind = torchopt.diff.LeastSquares(lambda x, a: a * x - 6)
        >>> torchopt.solver.solve(
        ...     kind, torch.tensor(0.0), (torch.tensor(3.0),),
        ...     solver=torchopt.solver.LevenbergMarquardt()).params
        tensor(2.0000)
    """


@dataclass(frozen=True)
class Composite(Objective):
    """Minimize ``f(x) + g(x)``, with a proximal term ``g`` whose arguments are its own.

    It is the kind of problem of :func:`torchopt.minimize` with ``prox=`` or a set. Its value and
    gradient are those of ``f``, whose steps of descent a projection follows; solvers ask for ``g``,
    too.

    Args:
        function: ``f(params, *args) -> loss``, a scalar.
        has_aux: Whether the function returns a pair ``(loss, aux)``.
        term: The term, such as :class:`torchopt.prox.L1`, or a set.

    Attributes:
        length: The length of the proximal step in the residual, a constant; None for one. One over the
            curvature of ``f`` makes the residual a gradient in each part, however steep ``f`` is.

    Raises:
        TypeError: If the function cannot be called.

    Example:
        >>> import torch, torchopt
        >>> kind = torchopt.diff.Composite(
        ...     lambda x, a: (x - a).square(), term=torchopt.sets.Box(0.0, 2.0))
        >>> torchopt.solver.solve(
        ...     kind, torch.tensor(0.0), (torch.tensor(3.0),), solver=torchopt.solver.LBFGSB()).params
        tensor(2.)
    """

    __promised__: ClassVar[tuple[str, ...]] = ("__init__", "term")

    term: ProximalTerm = field(kw_only=True)
    length: torch.Tensor | None = field(default=None, init=False)

    def evaluate(
        self, x: Any, args: tuple[Any, ...], *, conditions: bool = False, **options: Any
    ) -> Evaluation:
        """Return the gradient of ``f``; with ``conditions``, the residual of the whole problem."""
        evaluation = super().evaluate(x, args, conditions=conditions, **options)
        if not conditions:
            return evaluation
        assert evaluation.value is not None
        return evaluation._replace(
            residual=self.optimality(x, evaluation.residual),
            value=evaluation.value + self.term.value(x).to(evaluation.value.dtype).detach(),
        )

    def optimality(self, x: Any, gradient: Any) -> Any:
        """Return by how much a proximal step moves, divided by its length: the gradient mapping."""
        t = 1.0 if self.length is None else self.length
        moved = tree_sub(x, self.term.prox(tree_add_scalar_mul(x, gradient, -t), t))
        return tree_scalar_mul(1 / t, moved)

    def with_length(self, length: torch.Tensor) -> Composite:
        """Return the same kind with another length of the step in its residual."""
        kind = copy.copy(self)  # not `replace`: what is noted of the function belongs to both
        object.__setattr__(kind, "length", length)
        return kind

    def objective(self, x: Any, args: tuple[Any, ...]) -> tuple[torch.Tensor, Any]:
        """Return ``f(x) + g(x)``, and the auxiliary output."""
        value, aux = self.value(x, args)
        return value + self.term.value(x).to(value.dtype), aux

    def read(self, x: Any, args: tuple[Any, ...]) -> None:
        """Evaluate all that the residual reads, for those who watch."""
        super().read(x, args)
        self.term.prox(x)


class CompositeLeastSquares(Composite, SumOfSquares):
    """Minimize ``½ ‖r(x)‖² + g(x)``: the kind of :func:`torchopt.least_squares` with a term.

    It is a :class:`Composite` problem, whose solvers solve it, too.

    Args:
        function: ``r(params, *args)``, a tree of tensors, the residuals.
        has_aux: Whether the function returns a pair ``(residuals, aux)``.
        term: The term, such as :class:`torchopt.prox.L1`, or a set.

    Raises:
        TypeError: If the function cannot be called.

    Example:
        >>> import torch, torchopt
        >>> kind = torchopt.diff.CompositeLeastSquares(
        ...     lambda x, a: a * x - 6, term=torchopt.sets.Box(0.0, 1.0))
        >>> torchopt.solver.solve(
        ...     kind, torch.tensor(0.0), (torch.tensor(3.0),),
        ...     solver=torchopt.solver.LevenbergMarquardt()).params
        tensor(1.)
    """

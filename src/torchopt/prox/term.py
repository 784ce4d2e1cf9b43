"""The base of proximal terms: what a term computes on one leaf, for all leaves of a tree."""

from __future__ import annotations

import abc
import copy
import math
from collections.abc import Callable
from dataclasses import Field, dataclass
from functools import partial
from numbers import Real
from typing import Any, ClassVar, Literal, TypeVar

import torch

from torchopt import checks
from torchopt.autodiff.conversion import plain
from torchopt.autodiff.half import narrow
from torchopt.autodiff.loops import is_readable, wide
from torchopt.io.calls import CallRepr
from torchopt.prox.vectors import broadcasts, or_nan, shape_of
from torchopt.pytree import PyTreeSpec
from torchopt.pytree import flattening as pytree
from torchopt.pytree.typing import Numeric, TensorTree

T = TypeVar("T")


def parameter(
    fits: Literal["element", "vector", "matrix", ""] = "", *, positive: bool = False, **limits: Any
) -> dict[str, Any]:
    """Return the metadata of a field that is a number or a tensor of them.

    Args:
        fits: With what of a leaf a tensor broadcasts: its elements, its vectors, its matrices.
        positive: Whether a number must be positive; elements of a tensor may be zero.
        **limits: See :func:`check_parameter`.
    """
    return {"parameter": (fits, positive, limits)}


@dataclass(frozen=True, eq=False)
class ProximalTerm(checks.Checked, CallRepr, abc.ABC):
    r"""A function :math:`g` with a proximal operator, for ``prox=`` of :func:`torchopt.minimize`.

    .. math::
        \operatorname{prox}_{t g}(x) = \arg\min_z \; g(z) + \frac{1}{2 t} \lVert z - x \rVert_2^2

    A subclass writes :meth:`prox_leaf` and :meth:`value_leaf` for one tensor; the term of a tree is the
    sum over its leaves. Write plain differentiable operations without branches on values, so that
    derivatives of any order, in the term's parameters too, and ``torch.func.vmap`` work.

    Example:
        A term of one's own, the squared distance to a point:

        >>> import torch, torchopt
        >>> class Distance(torchopt.prox.ProximalTerm):
        ...     def __init__(self, point):
        ...         object.__setattr__(self, "point", point)
        ...     def prox_leaf(self, x, step_size):
        ...         return (x + step_size * self.point) / (1 + step_size)
        ...     def value_leaf(self, x):
        ...         return (x - self.point).square().sum() / 2
        >>> Distance(4.0).prox({"a": torch.tensor([1.0, 2.0])}, 0.5)
        {'a': tensor([2.0000, 2.6667])}

    References:
        Parikh and Boyd, *Proximal Algorithms*, 2014.
    """

    #: Whether the term is the indicator of a set, whose proximal operator is the projection.
    is_set: ClassVar[bool] = False
    #: Whether the term is the indicator of bounds for each element, each by itself.
    is_box: ClassVar[bool] = False
    #: What is known of parameters: see :func:`parameter`, and the errors of tensors among them.
    _parameters: ClassVar[dict[str, tuple[Any, ...]]] = {}
    _rounding: ClassVar[float] = 0.0

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        fields = {name: f for name, f in vars(cls).items() if isinstance(f, Field)}
        own = {
            name: (*f.metadata["parameter"], f.default is None)
            for name, f in fields.items()
            if "parameter" in f.metadata
        }
        cls._parameters = {**cls._parameters, **own}

    def __post_init__(self) -> None:
        """Check the arguments, and turn those that are tensors of one number into numbers."""
        super().__post_init__()
        for name, (_, positive, limits, optional) in self._parameters.items():
            value = getattr(self, name)
            if value is None and optional:
                continue
            if positive and not isinstance(value, torch.Tensor):
                limits = {**limits, "above": 0}
            check_parameter(name, value, **limits)
            object.__setattr__(self, name, plain(value))
            if isinstance(value, torch.Tensor):
                rounding = max(self._rounding, torch.finfo(value.dtype).eps)
                object.__setattr__(self, "_rounding", rounding)

    def prox(self, x: T, step_size: Numeric = 1.0) -> T:
        """Return the proximal operator at each leaf of a tree.

        Args:
            x: A tree of floating tensors.
            step_size: The factor :math:`t > 0` of the term, a number or a scalar tensor.

        Returns:
            A tree like ``x``, of the same dtypes; what is computed is in float32 at least. A leaf
            without elements stays as it is.

        Raises:
            TypeError: If a leaf is no floating tensor.
            ValueError: If a parameter of the term does not broadcast with a leaf, or is out of its
                range. Tensors are looked at on the CPU outside of transforms and compiled code;
                elsewhere results are NaN.
        """
        if isinstance(step_size, torch.Tensor):
            step_size = wide(
                step_size
            )  # not read: solvers refuse one that has become NaN themselves
        else:
            check_parameter("step_size", step_size := plain(step_size))
        return self._map("x", lambda term, leaf: term.prox_leaf(leaf, step_size), x)

    def _map(self, root: str, function: Callable[..., torch.Tensor], tree: T, *others: Any) -> T:
        """Return a tree of ``function(term, leaf, *other_leaves)``, computed in float32 at least."""
        leaves, spec = self._leaves(root, tree)
        term, known = self._checked()

        def at(leaf: torch.Tensor, *rest: torch.Tensor) -> torch.Tensor:
            return _like(leaf, known(function(term, *map(wide, (leaf, *rest)))))

        columns = zip(leaves, *map(pytree.leaves, others), strict=True)
        return pytree.unflatten(
            spec, [c[0] if c[0] is None or not c[0].numel() else at(*c) for c in columns]
        )

    def _leaves(self, root: str, tree: Any) -> tuple[list[Any], PyTreeSpec]:
        """Return the leaves of a tree, with which the parameters fit, and its structure."""
        leaves, spec = pytree.flatten(tree)
        checks.check_floating(leaves, spec, root)
        for index, leaf in enumerate(leaves):
            if leaf is not None:
                self._check_leaf(leaf, partial(checks.leaf_path, spec, index, root))
        return leaves, spec

    def _checked(self) -> tuple[Any, Callable[[torch.Tensor], torch.Tensor]]:
        """Return the term with tensors in float32 at least, and what makes its results NaN.

        They are NaN where a tensor that cannot be read is out of its range.
        """
        term, right = self, None
        for name, (_, _, limits, _) in self._parameters.items():
            value = getattr(self, name)
            if not isinstance(value, torch.Tensor):
                continue
            check_parameter(name, value, **limits)
            if not is_readable(value.detach()):
                inside = _inside(value.detach(), **limits).all()
                right = inside if right is None else right & inside
            if (wider := wide(value)) is not value:
                term = copy.copy(self) if term is self else term
                object.__setattr__(term, name, wider)
        return term, lambda out: out if right is None else or_nan(out, right)

    def _check_leaf(self, leaf: torch.Tensor, path: Callable[[], str]) -> None:
        """Raise ``ValueError`` for a parameter that does not broadcast with a leaf."""
        for name, (fits, *_) in self._parameters.items():
            value = getattr(self, name)
            if not (fits and isinstance(value, torch.Tensor) and value.dim()):
                continue
            dim = (-2, -1) if fits == "matrix" else getattr(self, "dim", None)
            shape = leaf.shape if fits == "element" else shape_of(leaf, dim)
            if not broadcasts(value.shape, shape):
                vectors = f", and vectors along `dim={dim!r}`" if fits == "vector" else ""
                raise ValueError(
                    f"`{path()}` has shape {tuple(leaf.shape)}{vectors}, with which `{name}` of shape "
                    f"{tuple(value.shape)} does not broadcast: pass one number, or one for each "
                    f"{fits}, or take `torch.func.vmap` for a batch of parameters."
                )

    def value(self, x: TensorTree) -> torch.Tensor:
        """Return the term's value, summed over the leaves of a tree, as a scalar.

        Parameters and leaves are checked as by :meth:`prox`.
        """
        leaves = [leaf for leaf in self._leaves("x", x)[0] if leaf is not None]
        term, known = self._checked()
        values = [
            known(term.value_leaf(wide(leaf))) if leaf.numel() else wide(leaf).sum()
            for leaf in leaves
        ]
        return sum(values[1:], values[0])

    @abc.abstractmethod
    def prox_leaf(self, x: torch.Tensor, step_size: Numeric) -> torch.Tensor:
        """Return the proximal operator at a tensor, as one of the same shape."""

    @abc.abstractmethod
    def value_leaf(self, x: torch.Tensor) -> torch.Tensor:
        """Return the value at a tensor, as a scalar."""


def passed(term: ProximalTerm) -> str:
    """Return how a term was passed, for errors: a set by ``subject_to=``, others by ``prox=``."""
    return f"`{'subject_to' if term.is_set else 'prox'}` is {term!r}"


def _like(leaf: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
    """Return what a term computes for a leaf, in the leaf's dtype.

    Raises:
        ValueError: If its shape is another.
    """
    if out.shape != leaf.shape:
        raise ValueError(
            f"for a leaf of shape {tuple(leaf.shape)} the result has shape {tuple(out.shape)}: pass "
            f"parameters that broadcast with the leaf, or take `torch.func.vmap` for a batch of them."
        )
    return narrow(out, leaf.dtype)


def _inside(
    x: Any, above: float | None = None, signed: bool = False, infinite: bool = False
) -> Any:
    """Return whether a number, or which of a tensor, is in the range of :func:`check_parameter`."""
    large = x > above if above is not None else x == x if signed else x >= 0
    return large if infinite else large & (abs(x) != math.inf)


_NUMBER_OR_TENSOR = checks.Word(
    "pass a number or a tensor", holds=lambda value: False, error=TypeError
)


def check_parameter(
    name: str,
    value: Any,
    *,
    above: float | None = None,
    signed: bool = False,
    infinite: bool = False,
) -> None:
    """Raise for a parameter that is neither a floating tensor nor a number, or out of its range.

    Numbers of a tensor are looked at on the CPU outside of transforms and compiled code.

    Args:
        name: The name of the argument.
        value: The parameter.
        above: What numbers must be more than; None if they may be zero.
        signed: Whether they may be negative.
        infinite: Whether they may be infinite.

    Raises:
        TypeError: If it is something else.
        ValueError: If a number is out of its range.
    """
    limits: dict[str, Any] = {"above": above, "signed": signed, "infinite": infinite}
    at: tuple[int, ...] = ()
    if isinstance(value, torch.Tensor):
        checks.check(name, value, checks.FLOATING)
        value = value.detach()
        if not (is_readable(value) and value.numel()):
            return
        if all(_inside(end.item(), **limits) for end in value.aminmax()):  # of NaN both are
            return
        at = tuple(_inside(value, **limits).logical_not().nonzero()[0].tolist())
        value = value[at].item()
    elif isinstance(value, bool) or not isinstance(value, Real):
        checks.check(name, value, _NUMBER_OR_TENSOR)
    elif _inside(plain(value), **limits):
        return
    where = f" at {at}" if at else ""
    finite = "" if infinite else "finite "
    words = "" if signed else " that is not negative"
    if above is not None:
        words = " that is positive" if above == 0 else f" that is more than {above}"
    raise ValueError(f"`{name}` is {plain(value)!r}{where}: use a {finite}number{words}.")

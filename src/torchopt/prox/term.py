"""The base of proximal terms: what a term computes on one leaf, for all leaves of a tree."""

from __future__ import annotations

import abc
import copy
import math
from dataclasses import dataclass
from numbers import Real
from typing import Any, ClassVar, TypeVar

import torch

from torchopt.autodiff.conversion import plain
from torchopt.autodiff.half import narrow, wide
from torchopt.io.calls import CallRepr
from torchopt.pytree import flattening as pytree

__all__ = ["ProximalTerm", "check_parameter", "floating", "like", "widened"]

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class ProximalTerm(CallRepr, abc.ABC):
    r"""A function :math:`g` with a proximal operator, for ``plus=`` of :func:`torchopt.minimize`.

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
        ...     def prox_leaf(self, x, step):
        ...         return (x + step * self.point) / (1 + step)
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
    #: Penalties, by name, where results are NaN if a tensor among them has a negative element.
    penalties: ClassVar[tuple[str, ...]] = ()

    def _take(self, name: str, *, positive: bool = False, signed: bool = False) -> None:
        """Check a parameter, and keep a number, such as one of NumPy, as one of Python.

        A tensor is computed with in float32 at least.
        """
        value = getattr(self, name)
        check_parameter(name, value, positive=positive, signed=signed)
        object.__setattr__(self, name, plain(value))
        vars(self)["_parameters"] = (*vars(self).get("_parameters", ()), name)

    def prox(self, x: T, step: Any = 1.0) -> T:
        """Return the proximal operator at each leaf of a tree.

        Args:
            x: A tree of floating tensors.
            step: The factor :math:`t > 0` of the term, a number or a scalar tensor.

        Returns:
            A tree like ``x``, of the same dtypes; what is computed is in float32 at least.

        Raises:
            TypeError: If a leaf is no floating tensor.
            ValueError: If a parameter of the term does not broadcast with a leaf.
        """
        step = wide(step) if isinstance(step, torch.Tensor) else plain(step)
        term = widened(self)

        def at(leaf: torch.Tensor) -> torch.Tensor:
            out = term.prox_leaf(floating(leaf), step)
            for penalty in (getattr(self, name) for name in self.penalties):
                if isinstance(penalty, torch.Tensor):
                    out = torch.where((penalty >= 0).all(), out, torch.nan)
            return like(leaf, out)

        return pytree.map_leaves(at, x)

    def value(self, x: Any) -> torch.Tensor:
        """Return the term's value, summed over the leaves of a tree, as a scalar."""
        leaves = [leaf for leaf in pytree.leaves(x) if leaf is not None]
        values = [widened(self).value_leaf(floating(leaf)) for leaf in leaves]
        return sum(values[1:], values[0])

    @abc.abstractmethod
    def prox_leaf(self, x: torch.Tensor, step: Any) -> torch.Tensor:
        """Return the proximal operator at a tensor, as one of the same shape."""

    @abc.abstractmethod
    def value_leaf(self, x: torch.Tensor) -> torch.Tensor:
        """Return the value at a tensor, as a scalar."""


def widened(term: ProximalTerm) -> Any:
    """Return a term whose parameters are in float32 at least, as what is computed."""
    values = {name: getattr(term, name) for name in vars(term).get("_parameters", ())}
    wider = {name: wide(x) for name, x in values.items() if isinstance(x, torch.Tensor)}
    if all(x is values[name] for name, x in wider.items()):
        return term
    other = copy.copy(term)
    for name, value in wider.items():
        object.__setattr__(other, name, value)
    return other


def floating(leaf: torch.Tensor) -> torch.Tensor:
    """Return a leaf in float32 at least.

    Raises:
        TypeError: If it is no floating tensor.
    """
    if not leaf.is_floating_point():
        raise TypeError(
            f"a leaf of shape {tuple(leaf.shape)} is a tensor of {leaf.dtype}: pass floating ones."
        )
    return wide(leaf)


def like(leaf: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
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


def check_parameter(name: str, value: Any, *, positive: bool = False, signed: bool = False) -> None:
    """Raise for a parameter that is neither a floating tensor nor a number in its range.

    Args:
        name: The name of the argument.
        value: A number, not negative, or a tensor, whose values are not looked at.
        positive: Whether a number must not be zero.
        signed: Whether any number will do, also a negative or infinite one.

    Raises:
        TypeError: If it is something else.
        ValueError: If it is a number out of its range.
    """
    if isinstance(value, torch.Tensor):
        if not value.is_floating_point():
            raise TypeError(f"`{name}` is a tensor of {value.dtype}: pass a floating one.")
        return
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(
            f"`{name}` is an object of type {type(value).__name__}: pass a number or a tensor."
        )
    value = plain(value)
    if signed:
        if math.isnan(value):
            raise ValueError(f"`{name}` is {value!r}: use a number.")
        return
    if not (value > 0 if positive else value >= 0) or math.isinf(value):
        word = "positive" if positive else "not negative"
        raise ValueError(f"`{name}` is {value!r}: use a finite number that is {word}.")

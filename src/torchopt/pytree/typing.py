"""The words of the library's annotations.

A tree is any nesting of containers, an open set that a type checker cannot describe: to it the
trees are ``Any``; at run time they are :mod:`optree` types, which say what the leaves are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeAlias, runtime_checkable

from optree import PyTree, PyTreeTypeVar
from torch import Size, Tensor
from typing_extensions import TypeAliasType

__all__ = [
    "Hyperparameter",
    "Mask",
    "Numeric",
    "ParameterGroups",
    "Samplable",
    "Schedule",
    "TensorTree",
]

Numeric: TypeAlias = Tensor | float | int | bool
"""A tensor or a Python number."""

Schedule: TypeAlias = Callable[[Numeric], Numeric]
"""A function of the number of updates done so far."""


class Fields(Protocol):
    """A dataclass, as a container of its fields."""

    __dataclass_fields__: ClassVar[dict[str, Any]]


class Update(Protocol):
    """The function ``update`` of a gradient transformation, with what the library passes it."""

    def __call__(
        self,
        updates: TensorTree,
        state: Any,
        /,
        params: TensorTree = None,
        *,
        inplace: bool = True,
        value: Tensor = ...,
        value_fn: Callable[[TensorTree], Tensor] = ...,
        grad: TensorTree = ...,
        **extra: Any,
    ) -> tuple[TensorTree, Any]:
        """Return the updates and the new state."""
        ...


if TYPE_CHECKING:
    TensorTree: TypeAlias = Any
    # Of a container, checkers see what it is, and not what it contains.
    Hyperparameter: TypeAlias = (
        float
        | Tensor
        | Callable[[Tensor], Any]
        | Mapping[Any, Any]
        | tuple[Any, ...]
        | list[Any]
        | Fields
    )
    Mask: TypeAlias = bool | Callable[[Any], Any] | Mapping[Any, Any] | tuple[Any, ...] | list[Any]
    ParameterGroups: TypeAlias = (
        Tensor
        | Iterable[Tensor]
        | Iterable[tuple[str, Tensor]]
        | Iterable[dict[str, Any]]
        | Mapping[Any, Any]
        | tuple[Any, ...]
        | list[Any]
        | Fields
    )
else:
    TensorTree = PyTreeTypeVar("TensorTree", Tensor)
    # With a name, so that a signature is short.
    # A number, a tensor that may require grad, a schedule, or a tree of these.
    Hyperparameter = TypeAliasType("Hyperparameter", float | Tensor | Schedule | PyTree)
    # A tree of booleans, or a function from the parameters to one.
    Mask = TypeAliasType("Mask", bool | Callable[[Any], Any] | PyTree)
    # Tensors, names and tensors, groups of them with options, or a tree of tensors.
    ParameterGroups = TypeAliasType(
        "ParameterGroups", Iterable[Tensor | tuple[str, Tensor] | dict[str, Any]] | PyTree
    )


@runtime_checkable
class Samplable(Protocol):
    """Anything that draws samples, such as a :class:`torch.distributions.Distribution`."""

    def sample(self, sample_shape: Size = Size()) -> Tensor | Sequence[Numeric]:  # noqa: B008
        """Return a sample, or a batch of samples of shape ``sample_shape``."""
        ...

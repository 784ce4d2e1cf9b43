"""The words of the library's annotations.

A tree is any nesting of containers, an open set that a type checker cannot describe: to it the
trees are ``Any``; at run time they are :mod:`optree` types, which say what the leaves are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeAlias, TypeVar, runtime_checkable

import torch
import torch.distributed.rpc
from optree import PyTree, PyTreeTypeVar
from torch import Size, Tensor
from torch.distributions import Distribution
from torch.futures import Future
from typing_extensions import TypeAliasType

__all__ = [
    "Device",
    "Distribution",
    "Future",
    "Hyperparameter",
    "LinearSolver",
    "ListOfOptionalTensors",
    "ListOfTensors",
    "Mask",
    "ModuleTensorContainers",
    "Numeric",
    "OptState",
    "OptionalTensor",
    "OptionalTensorOrOptionalTensors",
    "OptionalTensorTree",
    "ParameterGroups",
    "Params",
    "PyTree",
    "RRef",
    "Samplable",
    "SampleFunc",
    "Scalar",
    "ScalarOrSchedule",
    "Schedule",
    "SequenceOfOptionalTensors",
    "SequenceOfTensors",
    "Size",
    "Tensor",
    "TensorContainer",
    "TensorOrTensors",
    "TensorTree",
    "TupleOfOptionalTensors",
    "TupleOfTensors",
    "Updates",
]

Scalar: TypeAlias = float | int | bool
Numeric: TypeAlias = Tensor | Scalar
Device: TypeAlias = torch.device | str | int

Schedule: TypeAlias = Callable[[Numeric], Numeric]
"""A function of the number of updates done so far."""
ScalarOrSchedule: TypeAlias = float | Schedule

OptionalTensor: TypeAlias = Tensor | None
ListOfTensors: TypeAlias = list[Tensor]
ListOfOptionalTensors: TypeAlias = list[OptionalTensor]
TupleOfTensors: TypeAlias = tuple[Tensor, ...]
TupleOfOptionalTensors: TypeAlias = tuple[OptionalTensor, ...]
SequenceOfTensors: TypeAlias = Sequence[Tensor]
SequenceOfOptionalTensors: TypeAlias = Sequence[OptionalTensor]
TensorOrTensors: TypeAlias = Tensor | SequenceOfTensors
OptionalTensorOrOptionalTensors: TypeAlias = OptionalTensor | SequenceOfOptionalTensors

TensorContainer: TypeAlias = dict[str, OptionalTensor]
"""The parameters, or the buffers, of one module."""
ModuleTensorContainers: TypeAlias = tuple[TensorContainer, ...]

if TYPE_CHECKING:
    TensorTree: TypeAlias = Any
    OptionalTensorTree: TypeAlias = Any
    # Of a container, checkers see what it is, and not what it contains.
    Hyperparameter: TypeAlias = (
        float | Tensor | Callable[[Tensor], Any] | Mapping[Any, Any] | tuple[Any, ...] | list[Any]
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
    )
else:
    TensorTree = PyTreeTypeVar("TensorTree", Tensor)
    OptionalTensorTree = PyTreeTypeVar("OptionalTensorTree", OptionalTensor)
    # With a name, so that a signature is short.
    # A number, a tensor that may require grad, a schedule, or a tree of these.
    Hyperparameter = TypeAliasType("Hyperparameter", float | Tensor | Schedule | PyTree)
    # A tree of booleans, or a function from the parameters to one.
    Mask = TypeAliasType("Mask", bool | Callable[[Any], Any] | PyTree)
    # Tensors, names and tensors, groups of them with options, or a tree of tensors.
    ParameterGroups = TypeAliasType("ParameterGroups", Iterable[Any] | PyTree)

Params: TypeAlias = TensorTree
Updates: TypeAlias = TensorTree
OptState: TypeAlias = TensorTree

LinearSolver: TypeAlias = Callable[[Callable[[TensorTree], TensorTree], TensorTree], TensorTree]
"""``(matvec, b) -> x`` with ``matvec(x) = b``."""

SampleFunc: TypeAlias = Callable[[Size], Tensor | Sequence[Numeric]]


@runtime_checkable
class Samplable(Protocol):
    """Anything that draws samples, such as a :class:`torch.distributions.Distribution`."""

    def sample(self, sample_shape: Size = Size()) -> Tensor | Sequence[Numeric]:  # noqa: B008
        """Return a sample, or a batch of samples of shape ``sample_shape``."""
        ...


if TYPE_CHECKING or torch.distributed.rpc.is_available():
    from torch.distributed.rpc import RRef
else:
    _T = TypeVar("_T")

    class RRef(Generic[_T]):
        """Stands for :class:`torch.distributed.rpc.RRef` in a torch that was built without it."""

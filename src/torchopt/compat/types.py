"""What TorchOpt 0.7.3 has in ``torchopt.typing``, for programs only: aliases, and names of PyTorch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

import torch
import torch.distributed.rpc
from optree import PyTree as PyTree
from optree import PyTreeTypeVar
from torch import Size as Size
from torch import Tensor as Tensor
from torch.distributions import Distribution as Distribution
from torch.futures import Future as Future

from torchopt.pytree.typing import Numeric, Schedule, TensorTree
from torchopt.transform import ChainedGradientTransformation as ChainedGradientTransformation
from torchopt.transform import EmptyState as EmptyState
from torchopt.transform import GradientTransformation as GradientTransformation
from torchopt.transform import UninitializedState as UninitializedState

Device: TypeAlias = torch.device | str | int
Scalar: TypeAlias = float | int | bool
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
ModuleTensorContainers: TypeAlias = tuple[TensorContainer, ...]

if TYPE_CHECKING:
    OptionalTensorTree: TypeAlias = Any
else:
    OptionalTensorTree = PyTreeTypeVar("OptionalTensorTree", OptionalTensor)

Params: TypeAlias = TensorTree
Updates: TypeAlias = TensorTree
OptState: TypeAlias = TensorTree

LinearSolver: TypeAlias = Callable[[Callable[[TensorTree], TensorTree], TensorTree], TensorTree]
SampleFunc: TypeAlias = Callable[[Size], Tensor | Sequence[Numeric]]

if TYPE_CHECKING or torch.distributed.rpc.is_available():
    from torch.distributed.rpc import RRef as RRef
else:
    _T = TypeVar("_T")

    class RRef(Generic[_T]):
        """Stands for :class:`torch.distributed.rpc.RRef` in a torch that was built without it."""

"""A trial of a function under ``vmap``, whose effects are undone if it fails."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import torch
from torch import nn
from torch.overrides import TorchFunctionMode
from torch.utils.weak import WeakTensorKeyDictionary

from torchopt.autodiff import transforms
from torchopt.autodiff.environment import GeneratorLog, default_generators
from torchopt.autodiff.exact_normalization import ExactDerivatives
from torchopt.autodiff.running_statistics import (
    NORMS,
    STATISTICS,
    NotBatchableError,
    RunningStatistics,
)
from torchopt.autodiff.tracking import top_hooks
from torchopt.autodiff.transforms import is_wrapped, value_of
from torchopt.pytree import tree_leaves


class Draws(GeneratorLog):
    """A log of the default generators, as they are now, and of those that operations are given."""

    def __init__(self) -> None:
        super().__init__({id(g): (g, g.get_state()) for g in default_generators()})

    def happened(self) -> bool:
        """Whether random numbers were drawn."""
        return any(not torch.equal(g.get_state(), state) for g, state in self._states.values())

    def rewind(self) -> None:
        """Restore the generators."""
        for generator, state in self._states.values():
            generator.set_state(state)


class ConstantReads(TorchFunctionMode):
    """Collects the constants that operations read: running statistics may be among them."""

    def __init__(self) -> None:
        super().__init__()
        self._read: WeakTensorKeyDictionary = WeakTensorKeyDictionary()

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Note the arguments of an operation, and run it."""
        # An attribute, as the shape or the dtype, is not what a task may have updated.
        if getattr(func, "__name__", "") != "__get__":
            self.note((args, kwargs))
        return func(*args, **(kwargs or {}))

    def note(self, tree: Any) -> None:
        """Note the constants in arguments or results."""
        for value in tree_leaves(tree):
            if (
                isinstance(value, torch.Tensor)
                and not value.requires_grad
                and not is_wrapped(value)
            ):
                self._read[value] = None

    def __contains__(self, tensor: object) -> bool:
        """Whether a tensor was read."""
        return tensor in self._read


class Trial:
    """One attempt to run a function for many tasks at once."""

    def __init__(self) -> None:
        self.draws = Draws()
        self.reads = ConstantReads()
        self.statistics = RunningStatistics()
        self._attributes: dict[int, _Attributes] = {}
        self._buffers: dict[int, _Buffer] = {}

    @contextmanager
    def running(self) -> Iterator[None]:
        """Enclose the function, inside of ``vmap``."""
        with ExitStack() as stack:
            stack.enter_context(self.statistics.taking())
            hook = nn.modules.module.register_module_forward_pre_hook(self._before_call)
            stack.callback(hook.remove)
            if not top_hooks(True):
                # What a checkpoint computes again, in the backward pass, is outside of this `vmap`.
                stack.enter_context(
                    torch.autograd.graph.disable_saved_tensors_hooks(
                        "checkpoints and other hooks on saved tensors are not batched"
                    )
                )
            stack.enter_context(ExactDerivatives())
            stack.enter_context(self.draws)
            stack.enter_context(self.reads)
            yield

    def finish(self) -> None:
        """Update running statistics as a loop over the tasks would; raise where a loop is needed."""
        for kept in self._attributes.values():
            kept.check()
        for buffer in self._buffers.values():
            if buffer.changed():
                raise NotBatchableError(f"the buffer `{buffer.name}` is written by each task")
        self.statistics.refuse(self.reads)
        self.statistics.write()

    def rewind(self) -> None:
        """Restore modules, buffers and generators."""
        with transforms.outside(), torch.no_grad():
            for buffer in self._buffers.values():
                buffer.rewind()
        for kept in self._attributes.values():
            kept.rewind()
        self.draws.rewind()

    def _before_call(self, module: nn.Module, _: Any) -> None:
        if torch.compiler.is_compiling():
            return
        # It is not in another thread, or in a trial inside of this one.
        if not self.statistics.is_active():
            return
        if module._backward_hooks or module._backward_pre_hooks:  # under `vmap` they are left out
            raise NotBatchableError(f"`{type(module).__name__}` has backward hooks")
        if id(module) not in self._attributes:
            self._attributes[id(module)] = _Attributes(module)
        for name, buffer in module._buffers.items():
            if buffer is not None and not is_wrapped(buffer) and id(buffer) not in self._buffers:
                with transforms.unseen_by_modes():  # it is we who read it
                    self._buffers[id(buffer)] = _Buffer(buffer, module, name)


class _Attributes:
    """A module's attributes before a function called it."""

    def __init__(self, module: nn.Module) -> None:
        self._module = module
        self._before = [dict(table) for table in self._tables()]

    def _tables(self) -> tuple[dict[str, Any], ...]:
        return vars(self._module), self._module._parameters, self._module._buffers

    def check(self) -> None:
        """Raise if an attribute keeps a tensor of the tasks."""
        for name, value in ((n, v) for table in self._tables() for n, v in table.items()):
            if _has_escaped(value):
                raise NotBatchableError(
                    f"`{type(self._module).__name__}.{name}` keeps a tensor of a task"
                )

    def rewind(self) -> None:
        """Restore attributes; of parameters and buffers, only those that keep tensors of tasks."""
        for table, before in zip(self._tables(), self._before, strict=True):
            for name in list(table):
                # Inside of `functional_call` a module has other parameters than outside.
                if table is not vars(self._module) and not _has_escaped(table[name]):
                    continue
                if name not in before:
                    del table[name]
                elif table[name] is not before[name]:
                    table[name] = before[name]


class _Buffer:
    """A buffer's value before a function called its module."""

    def __init__(self, buffer: torch.Tensor, module: nn.Module, name: str) -> None:
        self.name = f"{type(module).__name__}.{name}"
        # Running statistics may be written without a new version; those of PyTorch are taken.
        self._silent = name in STATISTICS and not isinstance(module, NORMS)
        self._buffer = buffer
        self._value = value_of(buffer.detach().clone())
        self._version = _version(buffer)

    def changed(self) -> bool:
        """Whether the buffer has another value now."""
        with transforms.outside():
            if self._version == _version(self._buffer) and not self._silent:
                return False
            return not torch.equal(self._buffer, self._value)

    def rewind(self) -> None:
        """Restore the value."""
        if self.changed():
            self._buffer.copy_(self._value)


def _version(buffer: torch.Tensor) -> int:
    return -1 if buffer.is_inference() else buffer._version


def _has_escaped(value: Any) -> bool:
    """Whether a tensor belongs to a ``vmap`` that has ended."""
    if not isinstance(value, torch.Tensor):
        return False
    value = transforms.unwrap_dead(value)
    level = transforms.current_level()
    return transforms.is_batched(value) and transforms.level_of(value) > level

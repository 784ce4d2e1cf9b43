"""A function that is evaluated several times sees the same random numbers and buffers each time."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary, ref

import torch
from torch import nn
from torch.autograd.grad_mode import _unsafe_preserve_version_counter
from torch.overrides import TorchFunctionMode

from torchopt import errors
from torchopt.autodiff.running_statistics import RunningStatistics

__all__ = [
    "VIEWED",
    "Course",
    "Replay",
    "Standing",
    "at_states",
    "default_generators",
    "generator_states",
    "replaying",
    "seeded",
]


VIEWED: WeakKeyDictionary[nn.Module, ref[nn.Module]] = WeakKeyDictionary()
"""Of which module each view is one: those of a call come and go, and have the mode of the module."""


class Replay:
    """What a function reads and changes besides its inputs, as it was before: buffers, generators.

    Args:
        default: Whether PyTorch's default generators are replayed too.
        trace: Whether the first run leaves what it changed; no other does.
    """

    def __init__(self, *, default: bool = False, trace: bool = True) -> None:
        self._default = default
        self._trace = trace
        self._buffers: dict[int, BufferValue] = {}
        self._generators: dict[int, tuple[torch.Generator, torch.Tensor]] = {}
        self._started = False

    def __call__(self) -> AbstractContextManager[None]:
        """Record what the first run sees; let each further run start there and leave no trace."""
        # A further run may come within the first: the inner gradient asks for recomputation too.
        if self._started:
            return self._restored()
        self._started = True
        return self._recorded()

    @contextmanager
    def _recorded(self) -> Iterator[None]:
        def remember(module: nn.Module, _: Any) -> None:
            # Inside torch.func buffers cannot be written to.
            for buffer in () if errors.transforms_active() else module._buffers.values():
                if buffer is not None and id(buffer) not in self._buffers:
                    self._buffers[id(buffer)] = BufferValue(buffer)

        handle = nn.modules.module.register_module_forward_pre_hook(remember)
        if self._default:
            for generator in default_generators():
                self._generators[id(generator)] = (generator, generator.get_state())
        try:
            with _Generators(self._generators), nullcontext() if self._trace else _dropped():
                yield
        finally:
            handle.remove()
            if not self._trace:
                self._rewind()

    @contextmanager
    def _restored(self) -> Iterator[None]:
        with _dropped(), ExitStack() as undo:
            for kept in self._buffers.values():
                undo.callback(kept.exchange().put)
            for generator, _ in self._generators.values():
                undo.callback(generator.set_state, generator.get_state())
            for generator, state in self._generators.values():
                generator.set_state(state)
            yield

    def _rewind(self) -> None:
        for kept in self._buffers.values():
            kept.put()
        for generator, state in self._generators.values():
            generator.set_state(state)


_REPLAYING: ContextVar[bool] = ContextVar("going over a course again", default=False)


def replaying() -> bool:
    """Whether steps are gone over again."""
    return _REPLAYING.get()


@dataclass(frozen=True)
class Standing:
    """What buffers and generators were at some time; those met later were then as they were first."""

    buffers: dict[int, BufferValue]
    generators: dict[int, tuple[torch.Generator, torch.Tensor]]


class Course:
    """What a chain of steps reads and changes besides its inputs, noted on the way to go over it again.

    The generators are PyTorch's default ones, and those that are passed to operations.
    """

    def __init__(self) -> None:
        self._buffers: dict[int, BufferValue] = {}  # as they were first
        self._generators = {id(g): (g, g.get_state()) for g in default_generators()}
        self._last = Standing({}, {})
        # Whether modules were in training mode, which is often changed before the backward pass.
        self._modes: WeakKeyDictionary[nn.Module, bool] = WeakKeyDictionary()

    @contextmanager
    def followed(self, modules: Iterable[nn.Module] = ()) -> Iterator[None]:
        """Take note of what is read for the first time: by modules that are called, and by these."""
        thread = threading.get_ident()

        def remember(module: nn.Module, _: Any) -> None:
            if threading.get_ident() != thread:  # hooks are for all modules
                return
            at: nn.Module | None = module
            while at is not None:
                self._modes.setdefault(at, at.training)
                at = VIEWED[at]() if at in VIEWED else None
            # Inside torch.func buffers cannot be written to.
            for buffer in () if errors.transforms_active() else module._buffers.values():
                if buffer is not None and id(buffer) not in self._buffers:
                    self._buffers[id(buffer)] = BufferValue(buffer)

        for module in modules:
            remember(module, None)
        handle = nn.modules.module.register_module_forward_pre_hook(remember)
        try:
            with _Generators(self._generators):
                yield
        finally:
            handle.remove()

    def keep_no_constants(self) -> None:
        """Keep no copies of large buffers that nothing was written to, such as masks."""
        for key, kept in self._buffers.items():
            if kept.is_constant():
                self._buffers[key] = ConstantBuffer(kept.buffer)

    def standing(self) -> Standing:
        """Return how things stand, sharing what has not changed since the last time."""
        before = self._last
        self._last = Standing(
            {
                key: kept if (kept := before.buffers.get(key, first)).is_current() else kept.now()
                for key, first in self._buffers.items()
            },
            {
                key: (generator, generator.get_state())
                for key, (generator, _) in self._generators.items()
            },
        )
        return self._last

    @contextmanager
    def revisited(self) -> Iterator[None]:
        """Leave all as it is now, after a block that goes over the course again."""
        token = _REPLAYING.set(True)
        with _dropped(), ExitStack() as undo:
            undo.callback(_REPLAYING.reset, token)
            for first in self._buffers.values():
                undo.callback(first.now().put)
            for module, training in list(self._modes.items()):
                undo.callback(setattr, module, "training", module.training)
                module.training = training
            for generator, _ in self._generators.values():
                undo.callback(generator.set_state, generator.get_state())
            yield

    def rewind(self, to: Standing) -> None:
        """Put back what was at some time."""
        for key, first in self._buffers.items():
            to.buffers.get(key, first).put()
        for key, first_state in self._generators.items():
            generator, state = to.generators.get(key, first_state)
            generator.set_state(state)


class BufferValue:
    """The value of a buffer at some time."""

    def __init__(self, buffer: torch.Tensor) -> None:
        self.buffer = buffer
        self._value = buffer.detach().clone()
        self._version = buffer._version

    def exchange(self) -> BufferValue:
        """Write the value; return that which was there, to be written when the exchange ends."""
        current = BufferValue(self.buffer)
        self.put()
        current._version = self.buffer._version
        return current

    def now(self) -> BufferValue:
        """Return the value that is there now."""
        return BufferValue(self.buffer)

    def is_current(self) -> bool:
        """Whether the value is there still."""
        return self._version == self.buffer._version and torch.equal(self.buffer, self._value)

    def is_constant(self) -> bool:
        """Whether nothing was written to it, as far as its size tells: statistics are small."""
        return self.buffer.nbytes > _SMALL and self._version == self.buffer._version

    def put(self) -> None:
        """Write the value back, if it has changed."""
        buffer = self.buffer
        if torch.equal(buffer, self._value):  # batch normalization writes without a new version
            return
        # What was written without a new version is in no graph that would need it.
        silent = buffer._version == self._version
        with torch.no_grad(), _unsafe_preserve_version_counter(buffer) if silent else nullcontext():
            buffer.copy_(self._value)


_SMALL = 1 << 16


class ConstantBuffer(BufferValue):
    """A buffer that must not change, of which no copy is kept."""

    def __init__(self, buffer: torch.Tensor) -> None:
        self.buffer = buffer
        self._version = buffer._version

    def now(self) -> BufferValue:
        """Return the buffer itself, whatever it is now."""
        return ConstantBuffer(self.buffer)

    def is_current(self) -> bool:
        """Whether nothing was written to it."""
        return self._version == self.buffer._version

    def put(self) -> None:
        """Check that the value is there still."""
        if self.buffer._version != self._version:
            raise RuntimeError(
                f"a buffer of shape {tuple(self.buffer.shape)} was changed in place, but is read again "
                f"by the backward pass: call `backward` before it changes, or put a new tensor there."
            )


def _dropped() -> AbstractContextManager[Any]:
    """Leave running statistics alone, where ``torch.func`` would refuse to write to them."""
    if not errors.transforms_active():
        return nullcontext()
    return RunningStatistics(drop=True).taking()


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """Run a block with PyTorch's default generators seeded, and put them back as they were."""
    # Not by torch.manual_seed, which would seed GPUs that nobody uses when they are used one day.
    before = generator_states()
    try:
        for generator in default_generators():
            generator.manual_seed(seed)
        yield
    finally:
        _set(before)


@contextmanager
def at_states(states: list[torch.Tensor]) -> Iterator[None]:
    """Run a block with PyTorch's default generators as they were, and put them back."""
    before = generator_states()
    try:
        _set(states)
        yield
    finally:
        _set(before)


def generator_states() -> list[torch.Tensor]:
    """Return the states of PyTorch's default generators."""
    return [generator.get_state() for generator in default_generators()]


def _set(states: list[torch.Tensor]) -> None:
    for generator, state in zip(default_generators(), states, strict=False):
        generator.set_state(state)


def default_generators() -> list[torch.Generator]:
    """Return PyTorch's default generators: of the CPU, and of each GPU in use."""
    on_gpu = torch.cuda.default_generators if torch.cuda.is_initialized() else ()
    return [torch.default_generator, *on_gpu]


class _Generators(TorchFunctionMode):
    """Records the state of each generator before it is used for the first time."""

    def __init__(self, seen: dict[int, tuple[torch.Generator, torch.Tensor]]) -> None:
        super().__init__()
        self._seen = seen

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Look for a generator among the arguments of an operation, and run it."""
        generator = kwargs.get("generator") if kwargs else None
        if generator is not None:
            self._seen.setdefault(id(generator), (generator, generator.get_state()))
        return func(*args, **(kwargs or {}))

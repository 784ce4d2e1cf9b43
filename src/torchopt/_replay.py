"""A function that is evaluated several times sees the same random numbers and buffers each time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from typing import Any

import torch
from torch import nn
from torch.autograd.grad_mode import _unsafe_preserve_version_counter
from torch.overrides import TorchFunctionMode

from torchopt import errors

__all__ = ["Replay", "at_states", "generator_states", "seeded"]


class Replay:
    """What a function reads and changes besides its inputs, as it was before: buffers, generators.

    Args:
        default: Whether PyTorch's default generators are replayed too.
        trace: Whether the first run leaves what it changed; no other does.
    """

    def __init__(self, *, default: bool = False, trace: bool = True) -> None:
        self._default = default
        self._trace = trace
        self._buffers: dict[int, _Buffer] = {}
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
                    self._buffers[id(buffer)] = _Buffer(buffer)

        handle = nn.modules.module.register_module_forward_pre_hook(remember)
        if self._default:
            for generator in _default_generators():
                self._generators[id(generator)] = (generator, generator.get_state())
        try:
            with _Generators(self._generators):
                yield
        finally:
            handle.remove()
            if not self._trace:
                self._rewind()

    @contextmanager
    def _restored(self) -> Iterator[None]:
        with ExitStack() as undo:
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


class _Buffer:
    """The value of a buffer at some time."""

    def __init__(self, buffer: torch.Tensor) -> None:
        self._buffer = buffer
        self._value = buffer.detach().clone()
        self._version = buffer._version

    def exchange(self) -> _Buffer:
        """Write the value; return that which was there, to be written when the exchange ends."""
        current = _Buffer(self._buffer)
        self.put()
        current._version = self._buffer._version
        return current

    def put(self) -> None:
        """Write the value back, if it has changed."""
        buffer = self._buffer
        if torch.equal(buffer, self._value):  # batch normalization writes without a new version
            return
        # What was written without a new version is in no graph that would need it.
        silent = buffer._version == self._version
        with torch.no_grad(), _unsafe_preserve_version_counter(buffer) if silent else nullcontext():
            buffer.copy_(self._value)


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """Run a block with PyTorch's default generators seeded, and put them back as they were."""
    # Not by torch.manual_seed, which would seed GPUs that nobody uses when they are used one day.
    before = generator_states()
    try:
        for generator in _default_generators():
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
    return [generator.get_state() for generator in _default_generators()]


def _set(states: list[torch.Tensor]) -> None:
    for generator, state in zip(_default_generators(), states, strict=False):
        generator.set_state(state)


def _default_generators() -> list[torch.Generator]:
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

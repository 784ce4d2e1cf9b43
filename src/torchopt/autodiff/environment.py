"""The environment of a function, to evaluate it again in the same one.

That is what it sees besides its arguments: random generators, the tensors and training modes of
modules, the values of their buffers, the default dtype and device, and autocast.
"""

from __future__ import annotations

import functools
import itertools
import sys
import threading
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias
from weakref import WeakKeyDictionary, ref

import torch
from torch import nn
from torch._C._dynamo.eval_frame import get_eval_frame_callback
from torch.overrides import TorchFunctionMode

from torchopt import checks
from torchopt.autodiff import transforms
from torchopt.autodiff.buffers import BufferValue
from torchopt.autodiff.exact import DRAWS
from torchopt.autodiff.module_tensors import ModuleTensors
from torchopt.autodiff.running_statistics import RunningStatistics
from torchopt.autodiff.shards import GATHERED

GeneratorStates: TypeAlias = dict[int, tuple[torch.Generator, torch.Tensor]]
"""Generators and their states, by the identity of the generator."""


class TorchSettings(NamedTuple):
    """The default dtype and device, and the dtype of autocast on each device where it is on."""

    dtype: torch.dtype
    device: torch.device
    autocast: tuple[tuple[str, torch.dtype], ...]

    @classmethod
    def current(cls) -> TorchSettings:
        """Return the settings of this thread."""
        devices = [d for d in _device_types() if torch.is_autocast_enabled(d)]
        autocast = tuple(zip(devices, map(torch.get_autocast_dtype, devices), strict=True))
        with transforms.outside():  # PyTorch makes a tensor to find its index
            device = torch.get_default_device()
        return cls(torch.get_default_dtype(), device, autocast)

    @contextmanager
    def applied(self) -> Iterator[None]:
        """Run a block under these settings."""
        now = TorchSettings.current()
        if now == self:
            yield
            return
        on = dict(self.autocast)
        with ExitStack() as stack:
            for device in _device_types():
                dtype = on.get(device)
                if dtype is not None or torch.is_autocast_enabled(device):
                    stack.enter_context(
                        torch.autocast(device, dtype=dtype, enabled=dtype is not None)
                    )
            torch.set_default_dtype(self.dtype)
            stack.callback(torch.set_default_dtype, now.dtype)
            # Each thread has its own, and the backward pass on a GPU runs in another one.
            if now.device != self.device:
                stack.enter_context(self.device)
            yield


def _device_types() -> list[str]:
    """Return the types of this machine's devices: the CPU, and the accelerator that PyTorch has."""
    accelerator = torch.accelerator.current_accelerator()
    return ["cpu", *([] if accelerator is None else [accelerator.type])]


def default_generators() -> list[torch.Generator]:
    """Return PyTorch's default generators: of the CPU, and of each device of the accelerator in use."""
    generators = [torch.default_generator]
    for module in map(torch.get_device_module, _device_types()):
        generators += getattr(module, "default_generators", ())
    return generators


class GeneratorLog(TorchFunctionMode):
    """Notes the state of each generator that an operation is given, before its first use.

    Args:
        states: The dictionary to write to.
    """

    def __init__(self, states: GeneratorStates) -> None:
        super().__init__()
        self._states = states

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Look for a generator among the arguments of an operation, and run it."""
        if not kwargs:
            return func(*args)
        _note_generator(self._states, kwargs.get("generator"))
        return func(*args, **kwargs)


def _note_generator(states: GeneratorStates, generator: torch.Generator | None) -> None:
    """Note the state of a generator before its first use."""
    if generator is not None and id(generator) not in states:
        states[id(generator)] = generator, generator.get_state()


@dataclass(frozen=True)
class Snapshot:
    """The values of buffers and the states of generators at some time.

    An object that is not in it has not been used before that time: it is as it was at its first use.

    Attributes:
        buffers: The values, by the identity of the buffer.
        generators: The states.
        slots: Buffers that modules have assigned: what is in their tables instead of the first ones.
    """

    buffers: dict[int, BufferValue] = field(default_factory=dict)
    generators: GeneratorStates = field(default_factory=dict)
    slots: dict[int, dict[str, BufferValue]] = field(default_factory=dict)


class Environment:
    """All that a function sees besides tensors, to evaluate it again in the same environment.

    Buffers are those of modules that it calls. Generators are PyTorch's default ones, those that it
    names, and those that operations are given. Modules have the training modes of the first evaluation,
    and hold its tensors. It is evaluated again under the torch settings of the time at which the
    environment is made.

    Args:
        *functions: What is evaluated: functions, and other values that it can read.
        noted_by_modes: Whether what is evaluated is inside of :class:`HigherOrder`, which notes the
            generators that operations are given. Else another mode does.

    Attributes:
        tensors: The tensors that the modules hold which it can read.
        settings: The torch settings.
    """

    _recorded = False

    def __init__(self, *functions: Any, noted_by_modes: bool = False) -> None:
        GATHERED.set(None)  # what is evaluated again would not find what was gathered around it
        self.tensors = ModuleTensors(*functions)
        self.settings = TorchSettings.current()
        self._noted_by_modes = noted_by_modes
        self._called: list[nn.Module] = []
        self._plain: dict[int, ref[nn.Module]] = {}  # those that have been called
        self._buffers: dict[int, BufferValue] = {}  # at their first use
        generators = [*default_generators(), *self.tensors.generators]
        self._generators = {id(g): (g, g.get_state()) for g in generators}
        self._last = Snapshot()
        # Programs often change modes between the forward and the backward pass.
        self._modes: WeakKeyDictionary[nn.Module, bool] = WeakKeyDictionary()
        for module in self.tensors:
            self._modes[module] = module.training

    @property
    def autocast(self) -> list[torch.dtype]:
        """The dtypes of autocast in the first evaluation."""
        return [dtype for _, dtype in self.settings.autocast]

    @contextmanager
    def evaluation(self, *, trace: bool = False) -> Iterator[None]:
        """Enclose an evaluation: the first one, or a later one from where that has begun.

        Args:
            trace: Whether the first evaluation may leave its changes; no other does.
        """
        # The second may come within the first, in the inner gradient of a checkpointed function.
        if self._recorded:
            with self.again():
                self.rewind()
                yield
            return
        self._recorded = True
        try:
            with self.recording(), nullcontext() if trace else dropping_statistics():
                yield
        finally:
            if not trace:
                self.rewind()

    @contextmanager
    def recording(self, modules: Iterable[nn.Module] = ()) -> Iterator[None]:
        """Note what the function uses for the first time.

        Args:
            modules: Modules whose buffers are noted without a call.
        """
        thread, plain = threading.get_ident(), self._plain

        def before_call(module: nn.Module, _: Any) -> None:
            known = plain.get(id(module))
            if known is not None and known() is module and not module._buffers:
                return
            if threading.get_ident() == thread:  # the hook is for all threads
                self.note(module)
                plain[id(module)] = ref(module)

        for module in modules:
            self.note(module)
        handle = nn.modules.module.register_module_forward_pre_hook(before_call)
        note = functools.partial(_note_generator, self._generators)
        token = DRAWS.set(note) if self._noted_by_modes else None
        try:
            with GeneratorLog(self._generators) if token is None else nullcontext():
                yield
        finally:
            handle.remove()
            if token is not None:
                DRAWS.reset(token)
            # Now: while a module is called, it may hold tensors that the function itself put there.
            for module in self._called:
                self.tensors.note(module)
            self._called.clear()

    def note(self, module: nn.Module) -> None:
        """Note the buffers of a module that is about to be called, and its mode."""
        original: nn.Module | None = module
        while original is not None:
            self._modes.setdefault(original, original.training)
            original = ORIGINALS[original]() if original in ORIGINALS else None
        if module not in self.tensors:
            self._called.append(module)
        if checks.transforms_active():  # where buffers cannot be written to
            return
        # The parts of a script are called where no hook sees it.
        scripted = isinstance(module, torch.jit.ScriptModule)
        for buffer in module.buffers() if scripted else module._buffers.values():
            if buffer is not None and id(buffer) not in self._buffers:
                self._buffers[id(buffer)] = BufferValue(buffer)

    def keep_no_constants(self) -> None:
        """Drop the copies of large buffers, such as masks, that nothing was written to."""
        for first in self._buffers.values():
            if first.is_constant():
                first.value = None

    def snapshot(self) -> Snapshot:
        """Return the present values, sharing with the last snapshot what has not changed."""
        last, slots = self._last, {}
        for module, first in self.tensors.buffers():
            now = module._buffers
            if changed := {n: b for n, b in now.items() if b is not None and b is not first.get(n)}:
                slots[id(module)] = {name: BufferValue(b) for name, b in changed.items()}
                self._forget(last.slots.get(id(module), {}).values(), changed)
        before = last.buffers
        self._last = Snapshot(
            {key: before.get(key, first).now() for key, first in self._buffers.items()},
            {
                key: (generator, generator.get_state())
                for key, (generator, _) in self._generators.items()
            },
            slots,
        )
        return self._last

    def moved(self, since: Snapshot) -> GeneratorStates:
        """Return the states of the generators that have moved since a snapshot."""
        return {
            key: (generator, state)
            for key, (generator, before) in since.generators.items()
            if not torch.equal(state := generator.get_state(), before)
        }

    def _forget(self, last: Iterable[BufferValue], now: dict[str, torch.Tensor]) -> None:
        """Forget assigned buffers that others have replaced."""
        for value in last:
            if all(value.buffer is not b for b in now.values()):
                self._buffers.pop(id(value.buffer), None)

    # Snapshots in files.

    def size(self) -> tuple[int, ...]:
        """Return how many things of each kind have been noted; copies of modules live for a call."""
        first = len(self._buffers.keys() - _assigned(self._last))
        modules = (list(self._modes), self.tensors)
        numbers = (sum(m not in ORIGINALS for m in known) for known in modules)
        return first, len(self._generators), *numbers

    def packed(self, snapshot: Snapshot) -> dict[str, Any]:
        """Return a snapshot as what can be saved, without buffers that are as at their first use."""
        place = {id(module): i for i, (module, _) in enumerate(self.tensors.buffers())}
        assigned, own = _assigned(snapshot), self._buffers
        pairs = [(own.get(key), v) for key, v in snapshot.buffers.items() if key not in assigned]
        return {
            "buffers": [None if v is first else v.value for first, v in pairs],
            "slots": [
                (place[module], name, v.value)
                for module, slots in snapshot.slots.items()
                for name, v in slots.items()
            ],
            "random": [state for _, state in snapshot.generators.values()],
        }

    def unpacked(self, packed: dict[str, Any], start: list[torch.Tensor]) -> Snapshot:
        """Return a snapshot in this process of what :meth:`packed` returned in another.

        Args:
            packed: What was returned.
            start: The states of generators at the start there: as here, unless they are not used.
        """
        assigned = _assigned(self._last)
        firsts = {key: first for key, first in self._buffers.items() if key not in assigned}
        values = zip(firsts.items(), packed["buffers"], strict=False)
        buffers = {k: f if v is None else BufferValue(f.buffer, v) for (k, f), v in values}
        slots: dict[int, dict[str, BufferValue]] = {}
        modules = self.tensors.buffers()
        for place, name, value in packed["slots"]:
            module, table = modules[place]
            b = value.to(table[name].device)
            slots.setdefault(id(module), {})[name] = BufferValue(b)
            buffers[id(b)] = slots[id(module)][name]
        self._last = Snapshot(buffers, self._generators_at(packed["random"], start), slots)
        return self._last

    def _generators_at(
        self, states: list[torch.Tensor], start: list[torch.Tensor]
    ) -> GeneratorStates:
        made: GeneratorStates = {}
        every = itertools.zip_longest(list(self._generators.items()), states, start)
        for (key, (generator, own)), state, first in every:
            unused = state is None or (first is not None and torch.equal(state, first))
            made[key] = generator, own if unused else state
        return made

    def stands_at(self, start: list[torch.Tensor], later: list[torch.Tensor]) -> bool:
        """Whether the generators that moved from a start to a later state have this start."""
        own = [state for _, state in self._generators.values()]
        moved = [not torch.equal(a, b) for a, b in zip(start, later, strict=False)]
        return len(own) == len(start) and all(
            torch.equal(mine, a) for mine, a, m in zip(own, start, moved, strict=False) if m
        )

    def rewind(self, to: Snapshot | None = None) -> None:
        """Restore a snapshot; by default, the values at first use."""
        to = to or Snapshot()
        for key, first in self._buffers.items():
            to.buffers.get(key, first).put()
        for module, table in self.tensors.buffers():
            assigned = to.slots.get(id(module), {})
            for name, b in table.items():
                if name in assigned:
                    assigned[name].put()
                    b = assigned[name].buffer
                if module._buffers.get(name) is not b:
                    module._buffers[name] = b
        for key, first_state in self._generators.items():
            generator, state = to.generators.get(key, first_state)
            generator.set_state(state)

    @contextmanager
    def again(self) -> Iterator[None]:
        """Enclose later evaluations, which leave everything as it is now."""
        with (
            self.settings.applied(),
            dropping_statistics(),
            self.tensors.holding(),
            ExitStack() as undo,
        ):
            for first in self._buffers.values():
                undo.callback(first.now().put)
            for generator, _ in self._generators.values():
                undo.callback(generator.set_state, generator.get_state())
            undo.callback(_REPLAYING.reset, _REPLAYING.set(True))
            for module, training in list(self._modes.items()):
                if module.training != training:
                    undo.callback(setattr, module, "training", module.training)
                    module.training = training
            yield


def _assigned(snapshot: Snapshot) -> set[int]:
    """Return the identities of the buffers that modules have assigned."""
    return {id(v.buffer) for slots in snapshot.slots.values() for v in slots.values()}


ORIGINALS: WeakKeyDictionary[nn.Module, ref[nn.Module]] = WeakKeyDictionary()
"""By functional module, the module that it is a copy of, whose mode it has."""

_REPLAYING: ContextVar[bool] = ContextVar("whether a block is evaluated again", default=False)


def replaying() -> bool:
    """Whether a block is being evaluated again."""
    return _REPLAYING.get()


def eagerly() -> AbstractContextManager[Any]:
    """Run functions compiled by ``torch.compile`` eagerly, so that modes see their operations."""
    # Nothing is where that is not imported; and where it works already it refuses.
    if "torch._dynamo.eval_frame" not in sys.modules or get_eval_frame_callback():
        return nullcontext()
    return torch.compiler.set_stance("force_eager")


def leaving_no_trace() -> AbstractContextManager[None]:
    """Enclose an evaluation that leaves random generators, buffers and running statistics alone."""
    return Environment().evaluation()


def dropping_statistics() -> AbstractContextManager[Any]:
    """Leave running statistics as they are, where ``torch.func`` would refuse to write to them."""
    if not checks.transforms_active():
        return nullcontext()
    return RunningStatistics(drop=True).taking()

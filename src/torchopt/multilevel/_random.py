"""The random generators and counters that draws of a loader change, and how they are restored.

A *source* has a value that can be read, kept in a checkpoint, and written back: the state of a
generator, or a number that an object counts.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import ModuleType
from typing import Any, NamedTuple

import torch
from torch.utils.data import DataLoader, Dataset, Sampler

from torchopt.autodiff.environment import default_generators


class Source(NamedTuple):
    """A value outside the program's own state.

    Attributes:
        read: Returns the value, made of plain Python objects and tensors.
        write: Puts a value back.
    """

    read: Callable[[], Any]
    write: Callable[[Any], Any]


def random_state() -> dict[str, Any]:
    """Return the states of the default generators: PyTorch's (on each device), Python's and NumPy's."""
    return {name: source.read() for name, source in _default_sources().items()}


def set_random_state(state: Mapping[str, Any]) -> None:
    """Restore the states of :func:`random_state`.

    Args:
        state: The states.

    Raises:
        ValueError: If a generator is missing, such as that of a device that this machine lacks.
    """
    if torch.cuda.is_available() and any(name.startswith("cuda") for name in state):
        torch.cuda.init()
    if "numpy" in state:
        import numpy.random  # noqa: F401
    _write(_default_sources(), state)


@contextmanager
def untouched() -> Iterator[None]:
    """Run a block, and restore the default generators afterwards."""
    state = random_state()
    try:
        yield
    finally:
        set_random_state(state)


class Trace:
    """A record of the sources that an epoch's draws change, to repeat the draws.

    A source's value before a draw is stored only if it differs from the value after the previous draw:
    memory grows only with randomness that the loader shares with the training loop.

    Args:
        loader: The loader; ``None`` if its draws need no trace.

    Attributes:
        known: Whether the code that draws is all PyTorch's.
        persistent: The loaders, of those that the loader is made of, whose workers go on when they are
            opened again.
    """

    def __init__(self, loader: Any) -> None:
        self._loader = loader
        self._changed: set[str] = set()  # of the loader's own sources, in any epoch
        self.begin()

    def begin(self) -> None:
        """Begin an epoch."""
        self._own: dict[str, Source] = {}
        self.persistent: list[DataLoader[Any]] = []
        seen = {*map(id, default_generators())}
        self.known = self._collect(self._loader, "loader", seen, depth=6)
        self._seen: dict[int, dict[str, Any]] = {}
        self._left: dict[str, Any] = {}

    @contextmanager
    def draw(
        self, index: int, seen: Mapping[int, Mapping[str, Any]] | None = None
    ) -> Iterator[None]:
        """Record a draw, or repeat it.

        Args:
            index: Its number in the epoch; 0 is the opening of the loader.
            seen: The record of the draw in the run that is repeated.
        """
        if self._loader is None:
            yield
            return
        if seen is not None:
            _write({**_default_sources(), **self._own}, seen.get(index, {}))
            yield
            return
        # Reading NumPy's and Python's generators takes longer than a draw may.
        sources = {**(_torch_sources() if self.known else _default_sources()), **self._own}
        before = {name: source.read() for name, source in sources.items()}
        try:
            yield
        finally:
            after = {name: source.read() for name, source in sources.items()}
            changed = {name for name in sources if not equal(before[name], after[name])}
            news = {
                name: before[name]
                for name in changed
                if name not in self._left or not equal(self._left[name], before[name])
            }
            if news:
                self._seen[index] = news
            self._left.update({name: after[name] for name in changed})
            self._changed |= changed & self._own.keys()

    def state_dict(self) -> dict[str, Any]:
        """Return the record of this epoch, and the present values of the loader's own sources."""
        own = {name: source.read() for name, source in self._own.items()}
        return {"seen": self._seen, "own": own, "changed": sorted(self._changed)}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Restore a state, after its draws have been repeated."""
        self._changed |= set(state["changed"])
        _write(self._own, {n: v for n, v in state["own"].items() if n in self._changed})
        self._seen = dict(state["seen"])
        self._left = {}

    def _collect(self, holder: Any, path: str, seen: set[int], *, depth: int) -> bool:
        """Collect the generators, numbers and persistent workers in an object and its attributes.

        Return whether its code is all PyTorch's, which draws from PyTorch's generators only.
        """
        seen.add(id(holder))
        if isinstance(holder, DataLoader) and holder.persistent_workers and holder.num_workers > 0:
            self.persistent.append(holder)
        attributes = getattr(holder, "__dict__", {})
        known = (getattr(holder, "__module__", None) or "").startswith("torch.")
        for name, value in attributes.items():
            at = f"{path}.{name}"
            if type(value) in _NUMBERS:
                self._own[at] = _number(attributes, name)
                continue
            parts = {at: value}
            if isinstance(value, (list, tuple)) and value and isinstance(value[0], _PARTS):
                parts = {f"{at}[{index}]": part for index, part in enumerate(value)}
            elif isinstance(value, dict) and any(isinstance(v, _PARTS) for v in value.values()):
                parts = {f"{at}[{key!r}]": part for key, part in value.items()}
            for where, part in parts.items():
                if id(part) in seen or _is_data(part):
                    continue
                if _is_generator(part):
                    seen.add(id(part))
                    self._own[where] = _source(part)
                elif depth and not isinstance(part, torch.nn.Module):
                    known &= self._collect(part, where, seen, depth=depth - 1)
                else:
                    known = False
        return known


def _write(sources: Mapping[str, Source], values: Mapping[str, Any]) -> None:
    for name, value in values.items():
        if name in sources:
            sources[name].write(value)
        elif type(value) not in _NUMBERS:  # a number may be made by the draw that comes now
            raise ValueError(
                f"The saved run drew from the generator `{name}`, which is missing now: resume with "
                f"the same loaders, on a machine with the same devices."
            )


def equal(a: Any, b: Any) -> bool:
    return torch.equal(a, b) if isinstance(a, torch.Tensor) else bool(a == b)


# Sources


_NUMBERS = (bool, int, float)


def _torch_sources() -> dict[str, Source]:
    """Return PyTorch's: a sampler draws its seed on the default device."""
    others = {str(g.device): _source(g) for g in default_generators() if g.device.type != "cpu"}
    return {**_TORCH, **others}


def _default_sources() -> dict[str, Source]:
    """Return the default generators of all libraries."""
    sources = {**_torch_sources(), "python": Source(random.getstate, random.setstate)}
    if torch.backends.mps.is_available():
        sources["mps"] = Source(torch.mps.get_rng_state, torch.mps.set_rng_state)
    if "numpy.random" in sys.modules:  # else nobody has drawn from it
        sources["numpy"] = _source(sys.modules["numpy.random"])
    return sources


# Lists of these are looked into; a list of a million samples is not.
_PARTS = (DataLoader, Dataset, Sampler, torch.Generator, random.Random)


def _is_data(value: Any) -> bool:
    """Whether a value is plain data: drawing a batch runs none of its code."""
    if isinstance(value, (list, tuple)) and value:
        return _is_data(value[0])
    if isinstance(value, dict):
        return not value
    plain = (str, bytes, range, list, tuple, *_NUMBERS, torch.Tensor)
    # An iterator of a loader.
    theirs = type(value).__module__ == DataLoader.__module__ and not isinstance(value, DataLoader)
    return value is None or theirs or isinstance(value, (*plain, type, ModuleType))


def _is_generator(value: Any) -> bool:
    numpy = sys.modules.get("numpy.random")
    kinds = () if numpy is None else (numpy.Generator, numpy.RandomState)
    return isinstance(value, (torch.Generator, random.Random, *kinds))


def _source(generator: Any) -> Source:
    if isinstance(generator, torch.Generator):
        return Source(generator.get_state, generator.set_state)
    if isinstance(generator, random.Random):
        return Source(generator.getstate, generator.setstate)
    if hasattr(generator, "get_state"):  # NumPy's module, or one of its old generators
        return Source(
            lambda: _plain(generator.get_state(legacy=False)),
            lambda value: generator.set_state(_array(value)),
        )
    bits = generator.bit_generator
    return Source(lambda: _plain(bits.state), lambda value: setattr(bits, "state", _array(value)))


def _number(attributes: dict[str, Any], name: str) -> Source:
    return Source(lambda: attributes.get(name), lambda value: attributes.update({name: value}))


_TORCH = {"torch": _source(torch.default_generator)}


def _plain(value: Any) -> Any:
    """Return a state of NumPy with bytes for its arrays, which a safe loader refuses."""
    if isinstance(value, dict):
        return {name: _plain(part) for name, part in value.items()}
    return (str(value.dtype), value.tobytes()) if hasattr(value, "dtype") else value


def _array(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _array(part) for name, part in value.items()}
    if isinstance(value, tuple):
        dtype, content = value
        return sys.modules["numpy"].frombuffer(content, dtype)
    return value

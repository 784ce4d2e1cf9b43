"""PyTorch's random generators: their states, and those that operations use."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TypeAlias

import torch
from torch.overrides import TorchFunctionMode

__all__ = [
    "GeneratorLog",
    "GeneratorStates",
    "at_states",
    "default_generators",
    "generator_states",
    "seeded",
]

GeneratorStates: TypeAlias = dict[int, tuple[torch.Generator, torch.Tensor]]
"""Generators and their states, by the identity of the generator."""


def default_generators() -> list[torch.Generator]:
    """Return PyTorch's default generators: of the CPU, and of each GPU in use."""
    on_gpu = torch.cuda.default_generators if torch.cuda.is_initialized() else ()
    return [torch.default_generator, *on_gpu]


def generator_states() -> list[torch.Tensor]:
    """Return the states of PyTorch's default generators."""
    return [generator.get_state() for generator in default_generators()]


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """Seed PyTorch's default generators for a block, and restore their states afterwards."""
    # Not by torch.manual_seed, which would also seed GPUs that are not in use yet.
    before = generator_states()
    try:
        for generator in default_generators():
            generator.manual_seed(seed)
        yield
    finally:
        _set(before)


@contextmanager
def at_states(states: list[torch.Tensor]) -> Iterator[None]:
    """Set the states of PyTorch's default generators for a block, and restore them afterwards."""
    before = generator_states()
    try:
        _set(states)
        yield
    finally:
        _set(before)


def _set(states: list[torch.Tensor]) -> None:
    for generator, state in zip(default_generators(), states, strict=False):
        generator.set_state(state)


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
        generator = kwargs.get("generator") if kwargs else None
        if generator is not None:
            self._states.setdefault(id(generator), (generator, generator.get_state()))
        return func(*args, **(kwargs or {}))

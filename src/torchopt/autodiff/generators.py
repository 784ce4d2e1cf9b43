"""Random generators: what an argument ``generator`` may be, and the states of PyTorch's own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import Any

import torch

from torchopt.autodiff import transforms
from torchopt.autodiff.environment import default_generators
from torchopt.autodiff.tracking import untracked


def check_generator(generator: Any) -> None:
    """Raise ``TypeError`` or ``ValueError`` unless an argument is a generator, a seed or None."""
    if isinstance(generator, bool) or not isinstance(generator, (torch.Generator, int, type(None))):
        raise TypeError(
            f"`generator` is {generator!r}: use a `torch.Generator`, a number of type int, or None."
        )
    if isinstance(generator, int) and not -(1 << 63) <= generator < 1 << 63:
        raise ValueError(f"`generator` is {generator}: use a number of at most 63 bits.")


def seed_of(generator: torch.Generator | int | None) -> int:
    """Return a seed: the number itself, or one drawn from the generator, PyTorch's own for None."""
    check_generator(generator)
    if isinstance(generator, int):
        return generator
    with untracked(), transforms.outside():  # `vmap` refuses to draw
        generator = torch.default_generator if generator is None else generator
        return int(torch.randint(1 << 62, (), generator=generator, device=generator.device))


def generator_of(generator: torch.Generator | int | None) -> torch.Generator:
    """Return the generator itself, a new one with a number as its seed, or PyTorch's own for None."""
    check_generator(generator)
    if isinstance(generator, int):
        return torch.Generator("cpu").manual_seed(generator)
    return torch.default_generator if generator is None else generator


def generator_states() -> list[torch.Tensor]:
    """Return the states of PyTorch's default generators."""
    return [generator.get_state() for generator in default_generators()]


def seeded(seed: int) -> AbstractContextManager[None]:
    """Seed PyTorch's default generators for a block, and restore their states afterwards."""
    # Not by torch.manual_seed, which would also seed GPUs that are not in use yet.
    new = [torch.Generator(g.device).manual_seed(seed) for g in default_generators()]
    return at_states([generator.get_state() for generator in new])


@contextmanager
def at_states(states: list[torch.Tensor]) -> Iterator[None]:
    """Set the states of PyTorch's default generators for a block, and restore them afterwards."""
    with ExitStack() as undo:
        for generator, state in zip(default_generators(), states, strict=False):
            undo.callback(generator.set_state, generator.get_state())
            generator.set_state(state)
        yield

"""What an argument ``generator`` may be, a generator or a number, and what it is turned into."""

from __future__ import annotations

from typing import Any

import torch

from torchopt.autodiff import transforms
from torchopt.autodiff.tracking import untracked

__all__ = ["check_generator", "generator_of", "seed_of"]


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
        return int(torch.randint(1 << 62, (), generator=generator))


def generator_of(generator: torch.Generator | int | None) -> torch.Generator:
    """Return the generator itself, a new one with a number as its seed, or PyTorch's own for None."""
    check_generator(generator)
    if isinstance(generator, int):
        return torch.Generator().manual_seed(generator)
    return torch.default_generator if generator is None else generator

"""A generated functor as text, and the program that its kernels are: ``cuda.cuh`` and the texts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import torch

SOURCES = Path(__file__).parent.parent / "csrc"
C_TYPES = {torch.float32: "float", torch.float64: "double"}


@dataclass(frozen=True)
class Functor:
    """A formula's functor, as the operators emit it.

    Attributes:
        name: The name of the C++ class.
        text: Its definition.
        inputs: Number of tensor arguments.
        outputs: Number of tensor results.
        scalars: Number of values that are the same for all elements.
        sums: Number of terms that are summed over all elements.
    """

    name: str
    text: str
    inputs: int
    outputs: int
    scalars: int
    sums: int


@cache
def kernel_source() -> str:
    """Return the text of the kernel that all functors run in."""
    return (SOURCES / "cuda.cuh").read_text(encoding="utf-8")


def program(texts: Iterable[str]) -> str:
    """Return a CUDA program of the kernel and these functors, for compilers that see no files."""
    return "\n".join(
        [kernel_source(), "namespace torchopt {", *texts, "}  // namespace torchopt\n"]
    )

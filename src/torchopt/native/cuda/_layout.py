"""How leaves lie in one buffer, and how they are dealt out to launches and blocks.

``cuda.cuh`` has the same numbers and the other side of :class:`Launch.words`.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate

THREADS = 256
PARAMETER_BYTES = 4096
PADDING = 64

# Elements of a block: enough to hide what a block costs; fewer where there would be too few blocks.
CHUNK, SMALL_CHUNK, MANY_ELEMENTS = 4096, 1024, 1 << 22

# Columns of the table that are not pointers: size, first chunk.
COLUMNS = 2


@dataclass(frozen=True)
class Launch:
    """Leaves that one launch works on.

    Attributes:
        leaves: Their indices; none is empty.
        words: The columns that are the same in every call.
        chunks: Number of blocks.
        first: The number of chunks of the launches before.
    """

    leaves: tuple[int, ...]
    words: bytes
    chunks: int
    first: int


@dataclass(frozen=True)
class Plan:
    """All launches for leaves of certain sizes.

    Attributes:
        launches: One after another.
        chunk: Elements of a block.
        chunks: Number of blocks in all launches.
    """

    launches: tuple[Launch, ...]
    chunk: int
    chunks: int


@lru_cache(maxsize=512)
def offsets(sizes: tuple[int, ...], itemsize: int) -> tuple[int, ...]:
    """Return where each leaf starts in one buffer, in elements, and at the end its size.

    Args:
        sizes: Elements of each leaf.
        itemsize: Bytes of an element.

    Example:
        >>> offsets((3, 0, 17), 4)
        (0, 16, 16, 48)
    """
    pad = PADDING // itemsize
    return tuple(accumulate((-(-n // pad) * pad for n in sizes), initial=0))


@lru_cache(maxsize=512)
def plan(sizes: tuple[int, ...], words: int, pointers: int) -> Plan:
    """Deal leaves out to launches.

    Args:
        sizes: Elements of each leaf.
        words: 64-bit words in the table of a launch.
        pointers: Arguments that are lists of tensors.

    Returns:
        The launches; leaves of size 0 are in none.
    """
    chunk = CHUNK if sum(sizes) >= MANY_ELEMENTS else SMALL_CHUNK
    present = [i for i, n in enumerate(sizes) if n > 0]
    capacity = words // (COLUMNS + pointers)
    assert capacity > 0, "a formula of hundreds of tensors"
    launches: list[Launch] = []
    done = 0
    for begin in range(0, len(present), capacity):
        leaves = present[begin : begin + capacity]
        firsts = list(accumulate((-(-sizes[i] // chunk) for i in leaves), initial=0))
        table = [*(sizes[i] for i in leaves), *firsts[:-1]]
        launches.append(Launch(tuple(leaves), array("q", table).tobytes(), firsts[-1], done))
        done += firsts[-1]
    return Plan(tuple(launches), chunk, done)

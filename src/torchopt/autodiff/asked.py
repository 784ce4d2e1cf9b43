"""Which option of a program has the library cut the graph off, for recordings of cuts to name."""

from __future__ import annotations

from dataclasses import dataclass

#: The options, as written in the program; the outermost first. A list, which compilers can trace.
OPTIONS: list[str] = []


@dataclass(frozen=True)
class cutting:  # noqa: N801
    """Encloses what the library cuts off the graph because a program asked for it.

    Args:
        option: What it asked for, as written in the program: ``"truncate=2"``.
    """

    option: str

    def __enter__(self) -> None:
        OPTIONS.append(self.option)

    def __exit__(self, *exception: object) -> None:
        OPTIONS.pop()

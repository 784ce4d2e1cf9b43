"""What an example shows and keeps: a bar with the time left, tables, pictures, checkpoints."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TypeVar

from matplotlib.figure import Figure
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from torchopt import checkpoint

__all__ = ["Report", "bar", "progress", "table"]

State = TypeVar("State")


def bar(console: Console, what: str, text: str) -> Progress:
    """Return a bar that shows what is done, how much of it, a text and the time left."""
    columns = (
        TextColumn(what),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn(text),
        TimeRemainingColumn(),
    )
    return Progress(*columns, console=console)


@contextmanager
def progress(
    console: Console, what: str, total: int, *, lines: int = 5
) -> Iterator[Callable[[str], None]]:
    """Show a bar; a few plain lines where there is no terminal.

    Args:
        console: Where.
        what: What is done.
        total: The number of steps.
        lines: How many lines at most, where there is no terminal.

    Yields:
        ``advance(text)``, to be called after each step with what there is to say.
    """
    if console.is_terminal:
        with bar(console, what, "{task.fields[text]}") as shown:
            task = shown.add_task("", total=total, text="")
            yield lambda text: shown.update(task, advance=1, text=text)
        return
    began, done = time.monotonic(), 0

    def advance(text: str) -> None:
        nonlocal done
        done += 1
        if done * lines // total > (done - 1) * lines // total:
            left = (time.monotonic() - began) / done * (total - done)
            console.print(f"{what:24} {done:5d}/{total}  {text}  {left:.0f} s left", soft_wrap=True)

    yield advance


def table(title: str, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> Table:
    """Return a table whose first column is text, and the others numbers."""
    made = Table(title=title)
    for index, column in enumerate(columns):
        made.add_column(column, justify="right" if index else "left")
    for row in rows:
        made.add_row(*row)
    return made


class Report:
    """Where an example puts its results; by default it shows nothing and writes no file.

    Args:
        console: Shows bars and tables.
        folder: Keeps the pictures, and what the example writes there itself.

    Attributes:
        tables: Every table so far: its title, its columns and its rows.
        pictures: Every picture so far, by name.
    """

    def __init__(self, console: Console | None = None, folder: Path | None = None) -> None:
        self.console = Console(quiet=True) if console is None else console
        self.folder = folder
        self.tables: list[tuple[str, list[str], list[list[str]]]] = []
        self.pictures: dict[str, Figure] = {}

    def progress(self, what: str, total: int) -> AbstractContextManager[Callable[[str], None]]:
        """Show a bar; the ``with`` block gets ``advance(text)``, to be called after each step."""
        return progress(self.console, what, total)

    def save(self, state: object) -> None:
        """Keep what :meth:`load` returns, as ``checkpoint.pt`` in the folder."""
        if self.folder is not None:
            checkpoint.save(state, self.folder / "checkpoint.pt")

    def load(self, initial: State) -> State:
        """Return what an interrupted run has saved; ``initial`` if there is nothing."""
        path = None if self.folder is None else self.folder / "checkpoint.pt"
        if path is None or not path.exists():
            return initial
        saved: State = checkpoint.load(path)
        return saved

    def table(self, title: str, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
        """Show a table whose first column is text, and the others numbers."""
        self.tables.append((title, [*columns], [[*row] for row in rows]))
        self.console.print(table(*self.tables[-1]))

    def picture(self, name: str, figure: Figure) -> None:
        """Keep a picture, as ``NAME.png`` in the folder."""
        self.pictures[name] = figure
        if self.folder is not None:
            figure.savefig(self.folder / f"{name}.png", dpi=120)

"""What programs show on the way and at the end: a bar with the time left, a table."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

__all__ = ["bar", "progress", "table"]


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

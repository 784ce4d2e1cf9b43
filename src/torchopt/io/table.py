"""Tables as text."""

from __future__ import annotations

from collections.abc import Container, Sequence


def table(
    rows: Sequence[Sequence[str]], *, right: Container[int] = (), rule: bool = False
) -> list[str]:
    """Return the lines of a table.

    Args:
        rows: Its cells; the first row has the headings.
        right: The columns that are aligned on the right.
        rule: Whether each heading is underlined.

    Example:
        >>> table([("step", "time"), ("forward", "1.5")], right={1}, rule=True)
        ['step     time', '-------  ----', 'forward   1.5']
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    head, *body = rows
    lines = [head, ["-" * width for width in widths], *body] if rule else rows
    return [
        "  ".join(
            cell.rjust(width) if column in right else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    ]

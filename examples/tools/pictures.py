"""Pictures that several examples draw."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

__all__ = ["bar_figure", "draw_lines", "line_figure"]


def draw_lines(
    axes: Axes,
    lines: Mapping[str, Sequence[float]],
    x: Sequence[float] | None = None,
    *,
    style: str = "-",
    **settings: Any,
) -> None:
    """Draw lines with a legend.

    Args:
        axes: Where.
        lines: The values of each line, by its name.
        x: Their places; by default 1, 2, and so on.
        style: Matplotlib's format of a line.
        **settings: Those of :meth:`matplotlib.axes.Axes.set`, as ``xlabel="step"``.
    """
    for name, values in lines.items():
        axes.plot(range(1, len(values) + 1) if x is None else x, values, style, lw=1, label=name)
    axes.set(**settings)
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8)


def line_figure(
    lines: Mapping[str, Sequence[float]],
    x: Sequence[float] | None = None,
    *,
    style: str = "-",
    **settings: Any,
) -> Figure:
    """Return a figure of lines; the arguments are those of :func:`draw_lines`."""
    figure = Figure(figsize=(6, 3.5), layout="constrained")
    draw_lines(figure.subplots(), lines, x, style=style, **settings)
    return figure


def bar_figure(values: Mapping[str, float], *, xlabel: str) -> Figure:
    """Return a figure of horizontal bars, the first one on top."""
    figure = Figure(figsize=(6, 3.5), layout="constrained")
    axes = figure.subplots()
    axes.barh([*values], [*values.values()])
    axes.invert_yaxis()
    axes.set(xlabel=xlabel)
    return figure

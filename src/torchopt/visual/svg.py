"""A picture as SVG: no fonts, scripts or ids, so that it can stand anywhere."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Sequence
from pathlib import Path
from xml.sax.saxutils import escape

from torchopt.visual.layout import BOX_HEIGHT, BOX_WIDTH, Cell, Layout, Picture, Point, lay_out

__all__ = ["draw", "style", "written"]

# Fill and stroke of each kind of box, in light and in dark; a wire has the stroke of its owner.
_KINDS = {
    "inputs": ("#fff3d6", "#c48a1a", "#3a2f16", "#d9a741"),
    "loss": ("#fde9e7", "#c9554d", "#3d2221", "#e08078"),
    "gradient": ("#f0eafb", "#7d5fc0", "#2d2540", "#a98fe0"),
    "update": ("#def3ef", "#23897b", "#16332f", "#4fb8a9"),
    "params": ("#e2edfc", "#356fc0", "#1b2c45", "#6ea3ea"),
    "outer": ("#e6f4df", "#4d8c31", "#213319", "#86c46a"),
    "step": ("#eceff3", "#6b7787", "#2a3038", "#94a1b2"),
}
# Paper, panel, border of panels, text, lesser text.
_LIGHT = ("#ffffff", "#f5f7fa", "#d8dfe8", "#1b2531", "#56616f")
_DARK = ("#14181d", "#1b2127", "#343d48", "#e6eaf0", "#a2adba")


def style() -> str:
    """Return the rules for a picture's colours, light and dark."""
    base = (
        ".tg text{font-family:system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif}"
        ".tg-title{font-size:13px;font-weight:600}.tg-detail{font-size:11px}"
        ".tg-count{font-size:10px;text-anchor:middle}.tg-center{text-anchor:middle}"
        ".tg-wire path{fill:none;stroke-width:1.5}.tg-wire .tg-head{stroke-width:1}"
        ".tg-dashed path{stroke-dasharray:5 4}.tg-dashed .tg-head{stroke-dasharray:none}"
        ".tg-box rect{stroke-width:1.3}.tg-panel{stroke-width:1}"
    )
    return f"{base}{_rules(_LIGHT, 0)}@media(prefers-color-scheme:dark){{{_rules(_DARK, 2)}}}"


def _rules(ground: Sequence[str], shade: int) -> str:
    paper, panel, border, text, lesser = ground
    rules = [
        f".tg-paper{{fill:{paper}}}.tg-panel{{fill:{panel};stroke:{border}}}"
        f".tg-title{{fill:{text}}}.tg-detail,.tg-count{{fill:{lesser}}}"
    ]
    for kind, colours in _KINDS.items():
        fill, stroke = colours[shade : shade + 2]
        rules.append(
            f".tg-{kind} rect{{fill:{fill};stroke:{stroke}}}"
            f".tg-of-{kind} path{{stroke:{stroke}}}.tg-of-{kind} .tg-head{{fill:{stroke}}}"
        )
    return "".join(rules)


def draw(shown: Picture) -> str:
    """Return a picture as the text of an SVG file."""
    places = lay_out(shown)
    width = max(places.width, 24.0 + 7.4 * len(shown.title))
    size = f"{_n(width)} {_n(places.height)}"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="tg" viewBox="0 0 {size}" '
        f'width="{_n(width)}" height="{_n(places.height)}" role="img" '
        f'style="max-width:100%;height:auto">',
        f"<title>{_text(shown.title)}</title><desc>{_text(shown.description)}</desc>",
        f"<style>{style()}</style>",
        '<rect class="tg-paper" width="100%" height="100%" rx="8"/>',
        f'<text class="tg-title" x="14" y="28">{_text(shown.title)}</text>',
    ]
    parts += [
        f'<rect class="tg-panel" x="{_n(x)}" y="{_n(y)}" width="{_n(w)}" height="{_n(h)}" rx="8"/>'
        for _, x, y, w, h in places.panels
    ]
    for row, (x, y) in zip(shown.rows, places.headers, strict=True):
        parts.append(
            f'<text class="tg-title" x="{_n(x)}" y="{_n(y + 20)}">{_text(row.title)}</text>'
            f'<text class="tg-detail" x="{_n(x)}" y="{_n(y + 37)}">{_text(row.detail)}</text>'
            if row.title
            else ""
        )
    parts += _wires(shown, places)
    parts += [
        _box(number, cell, *point)
        for number, (cell, point) in enumerate(zip(shown.cells, places.boxes, strict=True))
    ]
    return "\n".join(filter(None, [*parts, "</svg>"])) + "\n"


def _wires(shown: Picture, places: Layout) -> list[str]:
    parts = []
    for wire, corners in zip(shown.wires, places.paths, strict=True):
        kind = shown.cells[wire.source].kind
        count = _text(wire.label) or f"{wire.tensors} tensor{'s' if wire.tensors > 1 else ''}"
        label = ""
        (x1, y1), (x2, y2) = corners[0], corners[-1]
        if len(corners) == 2 and y1 == y2 and wire.tensors > 1:
            label = (
                f'<text class="tg-count" x="{_n((x1 + x2) / 2 - 2)}" y="{_n(y1 - 5)}">'
                f"{wire.tensors}</text>"
            )
        dashed = " tg-dashed" if wire.dashed else ""
        parts.append(
            f'<g class="tg-wire tg-of-{kind}{dashed}" data-source="{wire.source}" '
            f'data-target="{wire.target}"><title>{_text(shown.cells[wire.source].title)} to '
            f"{_text(shown.cells[wire.target].title)}: {count}</title>"
            f'<path d="{_rounded(corners)}"/><path class="tg-head" d="{_head(corners)}"/>{label}</g>'
        )
    return parts


def _box(number: int, cell: Cell, x: float, y: float) -> str:
    middle = _n(x + BOX_WIDTH / 2)
    sheets, title = "", _fit(cell.title, 17)
    if cell.times > 1:  # several steps: as a pile of sheets
        times = f" \u00d7{cell.times}"
        title = _fit(cell.title, 17 - len(times)) + times
        sheets = "".join(
            f'<rect x="{_n(x + k)}" y="{_n(y + k)}" width="{_n(BOX_WIDTH)}" '
            f'height="{_n(BOX_HEIGHT)}" rx="7"/>'
            for k in (6, 3)
        )
    return (
        f'<g class="tg-box tg-{cell.kind}" data-cell="{number}"><title>{_text(cell.tooltip)}</title>'
        f'{sheets}<rect x="{_n(x)}" y="{_n(y)}" width="{_n(BOX_WIDTH)}" height="{_n(BOX_HEIGHT)}" '
        f'rx="7"/><text class="tg-title tg-center" x="{middle}" y="{_n(y + 20)}">'
        f"{_text(title)}</text>"
        f'<text class="tg-detail tg-center" x="{middle}" y="{_n(y + 36)}">'
        f"{_text(_fit(cell.detail, 21))}</text></g>"
    )


def _fit(text: str, length: int) -> str:
    return text if len(text) <= length else text[: length - 1].rstrip(" ,") + "…"


def _text(text: str) -> str:
    """Return a text as XML, without the control characters that XML does not have."""
    return escape(
        "".join(c for c in text if c == "\n" or not unicodedata.category(c).startswith("C"))
    )


def _n(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def _rounded(corners: Sequence[Point], radius: float = 5.0) -> str:
    """Return a path through corners, which are rounded."""
    points = [corners[0]]
    for point in corners[1:]:
        if point != points[-1]:
            points.append(point)
    parts = [f"M{_n(points[0][0])},{_n(points[0][1])}"]
    for before, corner, after in zip(points, points[1:], points[2:], strict=False):
        a, b = _toward(corner, before, radius), _toward(corner, after, radius)
        parts.append(
            f"L{_n(a[0])},{_n(a[1])}Q{_n(corner[0])},{_n(corner[1])} {_n(b[0])},{_n(b[1])}"
        )
    end = _toward(points[-1], points[-2], 5.0)
    return "".join([*parts, f"L{_n(end[0])},{_n(end[1])}"])


def _toward(start: Point, end: Point, distance: float) -> Point:
    """Return the point at a distance from one point towards another, at most half of the way."""
    dx, dy = end[0] - start[0], end[1] - start[1]
    length = abs(dx) + abs(dy)  # ways are horizontal or vertical
    share = min(distance / length, 0.5) if length else 0.0
    return start[0] + dx * share, start[1] + dy * share


def _head(corners: Sequence[Point]) -> str:
    (x, y), before = corners[-1], corners[-2]
    if before[1] == y:
        return f"M{_n(x)},{_n(y)}l-7,-4v8z"
    if before[1] > y:
        return f"M{_n(x)},{_n(y)}l-4,7h8z"
    return f"M{_n(x)},{_n(y)}l-4,-7h8z"


def written(text: str, path: str | os.PathLike[str] | None) -> str:
    """Return a text, and write it to a file where one is given."""
    if path is not None:
        Path(path).write_text(text, encoding="utf-8")
    return text

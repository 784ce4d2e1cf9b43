"""The report whether a derivative is noise: numbers, what they say in words, and a picture."""

from __future__ import annotations

import math
import operator
import os
from dataclasses import dataclass
from typing import Any

from torchopt.io.table import table
from torchopt.visual.svg import style, written

__all__ = ["Measure", "SoundnessCheck", "measured"]

# What a sound derivative has, and what the number says where it has something else.
_SOUND: dict[str, tuple[str, float, str]] = {
    "norm": (">", 0.0, "the gradient is {:.2g}{why}"),
    "growth": (
        "<=",
        1e4,
        "the adjoint grows by {:.2g}, {factor:.2g} times a step{where}: {advice}",
    ),
    "exponent": ("", 0.0, ""),
    "explodes_at": ("", 0.0, ""),
    "cosine": (">=", 0.9, "the cosine with the gradient by {better} is {:.2g}: {advice}"),
    "error": ("<=", 0.2, "the gradient by {better} is {:.2g} of itself away: {advice}"),
    "residual": ("", 0.0, ""),
    "linear_residual": (
        "<=",
        0.1,
        "the linear solve has left {:.2g} of its right-hand side: {advice}",
    ),
    "condition": ("<=", 0.0, "the conditions are singular (condition {:.2g}): {advice}"),
    "curvature": (">=", 0.0, "the Hessian has {:.2g} of its largest eigenvalue: {advice}"),
    "standard_error": ("<=", 0.5, "the standard error is {:.2g} of the estimate: {advice}"),
    "bias": ("<=", 0.2, "the smoothing changes the estimate by about {:.2g} of it: {advice}"),
    "metasmoothness": (
        ">=",
        0.25,
        "moves of {shift:.2g} along the gradient agree by {:.2g}: {advice}",
    ),
    "kinks": ("", 0.0, ""),
    "slope": ("", 0.0, ""),
}
_ADVICE = {
    "growth": "lower the learning rate, or differentiate fewer steps",
    "cosine": "take a higher precision, or a better mode",
    "linear_residual": "raise its `maxiter`, or take another solver",
    "condition": "add a penalty, or a `ridge` to the linear solver",
    "curvature": "the point is no minimum, and CG is not for it",
    "standard_error": "draw more samples",
    "bias": "take a smaller `sigma`",
    "metasmoothness": "take smooth functions, a lower learning rate, or averages",
}
_HOLDS = {"<=": operator.le, ">=": operator.ge, ">": operator.gt}
# Where the picture has its curve, of that size.
_LEFT, _TOP, _WIDTH, _HEIGHT = 64, 46, 436, 160


@dataclass(frozen=True)
class Measure:
    """One number about a derivative.

    Attributes:
        name: What is measured.
        value: The number.
        limit: What a sound derivative has, such as ``"<= 0.2"``; empty if the number is only told.
        is_noise: Whether the number is not that.
        meaning: What it says then, in words.
    """

    name: str
    value: float
    limit: str
    is_noise: bool
    meaning: str


def measured(name: str, value: float, bound: float | None = None, **words: Any) -> Measure:
    """Return a measure. With a limit, it is noise beyond it, and if it is NaN or infinite.

    Args:
        name: Its name in the table.
        value: The number.
        bound: The bound, if it is not that of the table.
        **words: What its meaning has besides.
    """
    relation, usual, meaning = _SOUND[name]
    bound = usual if bound is None else bound
    relation = relation if math.isfinite(bound) else ""  # only told
    words = {"advice": _ADVICE.get(name), "why": "", **words}
    is_noise = bool(relation) and not (math.isfinite(value) and _HOLDS[relation](value, bound))
    limit = f"{relation} {bound:.3g}" if relation else ""
    return Measure(name, value, limit, is_noise, meaning.format(value, **words))


@dataclass(frozen=True)
class SoundnessCheck:
    """What :func:`torchopt.check_solution` or :func:`torchopt.check_training` found.

    It is true if no number says that the derivative is noise. ``check["error"]`` is the value of a
    measure; as text it is a table and a sentence.

    Attributes:
        measures: The numbers.
        adjoint: The norm of the derivative of the outer loss with respect to the parameters after
            each step that was differentiated, the first one first; empty without such steps.
    """

    measures: tuple[Measure, ...]
    adjoint: tuple[float, ...] = ()

    def __bool__(self) -> bool:
        return not any(m.is_noise for m in self.measures)

    def __contains__(self, name: object) -> bool:
        return any(m.name == name for m in self.measures)

    def __getitem__(self, name: str) -> float:
        for m in self.measures:
            if m.name == name:
                return m.value
        raise KeyError(
            f"{name!r} was not measured: {', '.join(m.name for m in self.measures)} were."
        )

    @property
    def sentence(self) -> str:
        """What was found, for people."""
        bad = [m.meaning for m in self.measures if m.is_noise]
        if not bad:
            return "No number says that the derivative is noise."
        return f"The derivative may be noise: {'; '.join(bad)}."

    def __str__(self) -> str:
        rows = [("measure", "value", "sound", "verdict")]
        for m in self.measures:
            verdict = "" if not m.limit else "noise" if m.is_noise else "sound"
            rows.append((m.name, f"{m.value:.4g}", m.limit, verdict))
        return "\n".join([*table(rows, rule=True), self.sentence])

    __repr__ = __str__

    def to_svg(self, path: str | os.PathLike[str] | None = None) -> str:
        """Return a picture of the adjoint's norm over the steps, on a logarithmic scale, as SVG.

        Args:
            path: Where to write it, too.

        Raises:
            ValueError: If no step was differentiated, or no norm is finite and positive.
        """
        logs = [math.log10(a) if 0 < a < math.inf else math.nan for a in self.adjoint]
        finite = [y for y in logs if math.isfinite(y)]
        if not finite:
            raise ValueError(
                "there is no adjoint to draw: the picture is of a run by `torchopt.diff.Explicit` that "
                "`torchopt.check_training` has looked at."
            )
        low, high = math.floor(min(finite)), math.floor(max(finite)) + 1
        across, up = _WIDTH / max(len(logs) - 1, 1), _HEIGHT / (high - low)
        drawn = [(k, y) for k, y in enumerate(logs) if math.isfinite(y)]
        points = [f"{_LEFT + across * k:.1f},{_TOP + up * (high - y):.1f}" for k, y in drawn]
        texts = [
            (14.0, 28.0, "norm of the adjoint after each step"),
            (14.0, _TOP + 8, f"1e{high:+d}"),
            (14.0, _TOP + _HEIGHT, f"1e{low:+d}"),
            (_LEFT, _TOP + _HEIGHT + 20, "first"),
            (_LEFT + _WIDTH - 80, _TOP + _HEIGHT + 20, f"last of {len(logs)} steps"),
        ]
        svg = [
            f'<svg xmlns="http://www.w3.org/2000/svg" class="tg" viewBox="0 0 520 240" width="520" '
            f'height="240" role="img"><title>{texts[0][2]}</title><desc>From {self.adjoint[0]:.3g} '
            f"after the first step to {self.adjoint[-1]:.3g} after the last.</desc>"
            f'<style>{style()}</style><rect class="tg-paper" width="100%" height="100%" rx="8"/>',
            f'<rect class="tg-panel" x="{_LEFT}" y="{_TOP}" width="{_WIDTH}" height="{_HEIGHT}"/>',
            *(f'<text class="tg-detail" x="{x:g}" y="{y:g}">{text}</text>' for x, y, text in texts),
            f'<g class="tg-wire tg-of-gradient"><path d="M{" L".join(points)}"/></g></svg>',
        ]
        return written("\n".join(svg) + "\n", path)

    def _repr_html_(self) -> str | None:
        drawn = any(0 < a < math.inf for a in self.adjoint)
        return f"<pre>{self}</pre>{self.to_svg()}" if drawn else None

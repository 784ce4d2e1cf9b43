"""The report whether a derivative is noise: numbers, what they say in words, and a picture."""

from __future__ import annotations

import math
import operator
import os
from dataclasses import dataclass
from typing import Any

from torchopt.io.table import table
from torchopt.visual.svg import style, written

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
    "metasmoothness": "take smooth functions, a lower learning rate, averages, or a larger `shift`",
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
    r"""What :func:`torchopt.check_solution` or :func:`torchopt.check_training` found.

    It is true if no number says that the derivative is noise. ``check["error"]`` is the value of a
    measure; as text it is a table and a sentence. The measures of a solution by ``diff.Implicit``, with
    the derivative :math:`A` of its optimality conditions:

    ====================  =========================================================================
    measure               what it is
    ====================  =========================================================================
    ``norm``              that of the derivative of ``outer``: not zero
    ``residual``          the norm of the residual, relative to that at the start
    ``linear_residual``   the residual of the linear system of the backward pass, relative; at most 0.1
    ``error``             the estimated relative error of the derivative; at most 0.2
    ``condition``         the condition number of :math:`A` on a Krylov space, a lower bound; at most
                          a tenth of the precision's inverse
    ``curvature``         for a symmetric :math:`A`, its least eigenvalue there, relative to the largest
                          magnitude: below zero, the solution is no minimum
    ====================  =========================================================================

    Those of a training, by the modes of its problems:

    ``growth``, ``exponent``, ``explodes_at`` (``Explicit``)
        The adjoint is the derivative of the outer loss with respect to the parameters after a step. Its
        largest norm relative to that after the last step, at most 1e4; by how much the logarithm of
        the norm grows with each step backwards (the median slope of all pairs, so that few steps do
        not matter); the step, counted from 1, after which it is beyond 1e4 or not finite, if any.
    ``cosine``, ``error``
        The cosine between the meta-gradient and a better one, at least 0.9, and their relative distance
        (at most 0.2 for ``Implicit``, ``ValueFunction`` and ``truncate``, else only told). What is
        better:

        - ``Explicit`` below float64: the same in float64, both through the ``last`` steps only. All
          operations of the program run in float64, with the same random numbers.
        - ``truncate``: through twice as many steps.
        - ``first_order``: with second derivatives, both through the ``last`` steps.
        - ``OneStep``: through ``last`` further steps, 4 by default.
        - ``Implicit``: at the point after a step of Newton's method, with an accurate linear solve.
        - ``ValueFunction``: with ten times the ``penalty``, by a second run; left out if that raises
          a ``RuntimeError``, as where a solver's tolerance takes so small a tilt for zero.
    ``residual``, ``linear_residual``, ``condition``, ``curvature`` (``Implicit``)
        As above.
    ``standard_error``, ``bias`` (``ZeroOrder``)
        The standard error of the estimate, relative to it, by a jackknife over the samples that are
        drawn anyway: at most 0.5. The distance to the estimate with twice the ``sigma`` and the same
        directions, divided by 3 as the bias grows with the square of ``sigma``: at most 0.2.
    ``metasmoothness``
        With :math:`\Delta(z) = \theta(z + h v) - \theta(z)` for the trained parameters :math:`\theta`
        (the outer loss, if no problem is seen), the agreement of signs of :math:`\Delta(\varphi)` and
        :math:`\Delta(\varphi + h v)`, weighted by the magnitudes of the first: 1 for a smooth
        training, near 0 for a chaotic one; at least 0.25. The direction is that of the meta-gradient.
        The weights also have the derivative of the outer loss as a factor, where it is known: what the
        loss does not read, such as a bias before a normalization, may move by rounding alone. Where
        the ``slope`` fits it is only told.
    ``slope``
        The slope of the line that fits the outer loss best at the four points :math:`\varphi - h v,
        \ldots, \varphi + 2 h v`, relative to that by the meta-gradient. From 1/2 to 2 it fits: then it
        helps to go along the gradient, though single parameters jump, as behind ReLUs and a dropout. It
        is known if no training is shortened. Some trainings with kinks follow their gradient over a
        longer way only: ask again with a larger ``shift``.
    ``kinks``
        The share, weighted likewise, of the trained parameters whose values at the four
        points :math:`\varphi - h v, \ldots, \varphi + 2 h v` are not those of a curve: their third
        difference is more than a tenth of the largest first one. A ReLU whose input changes its sign
        between the points does this, and so does noise. It is only told, since averages over many kinks
        have useful gradients.

    Attributes:
        measures: The numbers.
        adjoint: The norm of the derivative of the outer loss with respect to the parameters after
            each step that was differentiated, the first one first; empty without such steps.

    References:
        Engstrom et al., *Optimizing ML Training with Metagradient Descent*, 2025, definition 2. Sen,
        *Estimates of the Regression Coefficient Based on Kendall's Tau*, 1968. Efron, *The Jackknife*,
        1982.
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

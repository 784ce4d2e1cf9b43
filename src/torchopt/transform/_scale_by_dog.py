"""Distance over gradients."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import torch

from torchopt.io.calls import records_call
from torchopt.ops import where
from torchopt.prox.vectors import norm_of
from torchopt.pytree.typing import Hyperparameter
from torchopt.transform import hyperparameters
from torchopt.transform._prepare import Leaves, by_unit, inner, norm, rescale, unit_of
from torchopt.transform.beyond_elements import reduced
from torchopt.transform.chaining import GradientTransformation


class ScaleByDogState(NamedTuple):
    """Initial parameters, the largest distance from them, the sum of squares, and counters."""

    start: Any
    max_dist: Any
    sum_of_squares: Any
    count: Any
    step: Any = ()


def _start(p: torch.Tensor) -> torch.Tensor:
    return p.clone()


def _step(
    g: Leaves,
    p: Leaves,
    start: Leaves,
    *,
    max_dist: torch.Tensor,
    sum_of_squares: torch.Tensor,
    distance: Any,
    heuristic: Any,
    learning_rate: Any,
    steps: Any,
    eps: Any,
    count: Any,
) -> dict[str, torch.Tensor]:
    least = distance + heuristic * (1 + norm(start))
    moved = norm([x - x0 for x, x0 in zip(p, start, strict=True)])
    max_dist = torch.maximum(torch.maximum(max_dist, least), moved)
    sum_of_squares = sum_of_squares + inner(g, g)
    rate = where(count > steps, max_dist / norm_of(sum_of_squares + eps), learning_rate)
    return {"max_dist": max_dist, "sum_of_squares": sum_of_squares, **by_unit(unit_of(g), rate)}


def _scale(
    g: torch.Tensor, p: torch.Tensor, start: torch.Tensor, *, factor: Any, unit: Any
) -> tuple[torch.Tensor, ...]:
    return (*rescale(g, factor=factor, unit=unit), start)


_Kind = Literal["distance", "heuristic", "learning_rate"]


@records_call
def scale_by_dog(
    init_step: tuple[_Kind, Hyperparameter] = ("heuristic", 1e-6),
    eps: Hyperparameter = 1e-8,
    *,
    layer_wise: bool = False,
) -> GradientTransformation:
    r"""Scale updates by the distance from the start over the norm of all gradients so far.

    .. math::
        \bar r_t = \max\left(r_\epsilon, \max_{k < t} \lVert \theta_k - \theta_0 \rVert\right), \qquad
        u_t = \frac{\bar r_t}{\sqrt{\sum_{k \le t} \lVert g_k \rVert^2 + \varepsilon}} \, g_t

    with norms over all leaves, or of each leaf. At a zero gradient all is finite if ``eps`` is
    positive. A NaN in a leaf makes its later updates NaN, and those of all leaves that it is summed
    with.

    Args:
        init_step: What the first step is made of, and a number that is not negative.
            ``("heuristic", a)`` is :math:`r_\epsilon = a (1 + \lVert \theta_0 \rVert)`,
            ``("distance", r)`` is :math:`r_\epsilon = r`, and ``("learning_rate", lr)`` multiplies the
            first updates by that, with :math:`r_\epsilon = 0`. Small numbers are safe: the distance
            grows by itself.
        eps: :math:`\varepsilon`, added to the sum of squares.
        layer_wise: Whether each leaf has a distance and a sum of its own (L-DoG).

    Returns:
        A gradient transformation whose ``update`` needs ``params``; it remembers the parameters that
        ``init`` was given. The numbers may be scalar tensors that require grad, or schedules, and
        trees of these if ``layer_wise``.

    Raises:
        ValueError: If a number is negative, or the first part of ``init_step`` is another.

    Example:
        >>> import torch
        >>> tx = scale_by_dog(("distance", 0.5), eps=0.0)
        >>> p, g = (torch.tensor([1.0, 1.0]),), (torch.tensor([3.0, 4.0]),)
        >>> tx.update(g, tx.init(p), params=p)[0]
        (tensor([0.3000, 0.4000]),)

    References:
        Ivgi, Hinder and Carmon, *DoG is SGD's Best Friend*, 2023, section 2, and its appendix for
        L-DoG. The ways to begin are those of Optax.
    """
    kind, number = init_step
    numbers = dict.fromkeys(("distance", "heuristic", "learning_rate"), 0.0)
    if kind not in numbers:
        raise ValueError(
            f"`init_step` begins with {kind!r}, but it must be one of {', '.join(map(repr, numbers))}."
        )
    hyperparameters.check("init_step", number)
    hyperparameters.check("eps", eps)
    return reduced(
        _scale,
        prepare=_step,
        over="leaf" if layer_wise else "tree",
        memory={"max_dist": 0.0, "sum_of_squares": 0.0},
        state=ScaleByDogState,
        slots={"start": _start},
        hyper={**numbers, kind: number, "steps": float(kind == "learning_rate"), "eps": eps},
        needs_params=True,
    )

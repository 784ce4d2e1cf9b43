"""The 35 problems of Moré, Garbow and Hillstrom, *Testing Unconstrained Optimization Software*, 1981.

Each has residuals, a start, and the published sums of squares at its minima.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import torch

Residuals = Callable[[torch.Tensor], torch.Tensor]


class Case(NamedTuple):
    """A problem of the collection.

    Attributes:
        residuals: What is squared and summed.
        start: The standard start.
        minima: The published sums of squares.
    """

    residuals: Residuals
    start: list[float]
    minima: tuple[float, ...] = (0.0,)


def _like(x: torch.Tensor, numbers: str) -> torch.Tensor:
    return torch.tensor([float(n) for n in numbers.split()], dtype=x.dtype)


def _count(x: torch.Tensor, n: int) -> torch.Tensor:
    return torch.arange(1, n + 1, dtype=x.dtype)


def rosenbrock(x: torch.Tensor) -> torch.Tensor:
    return torch.stack([10 * (x[1] - x[0] ** 2), 1 - x[0]])


def freudenstein_roth(x: torch.Tensor) -> torch.Tensor:
    a, b = x
    return torch.stack([-13 + a + ((5 - b) * b - 2) * b, -29 + a + ((b + 1) * b - 14) * b])


def powell_badly_scaled(x: torch.Tensor) -> torch.Tensor:
    a, b = x
    return torch.stack([1e4 * a * b - 1, torch.exp(-a) + torch.exp(-b) - 1.0001])


def brown_badly_scaled(x: torch.Tensor) -> torch.Tensor:
    a, b = x
    return torch.stack([a - 1e6, b - 2e-6, a * b - 2])


def beale(x: torch.Tensor) -> torch.Tensor:
    a, b = x
    return torch.stack([1.5 - a * (1 - b), 2.25 - a * (1 - b**2), 2.625 - a * (1 - b**3)])


def jennrich_sampson(x: torch.Tensor) -> torch.Tensor:
    i = _count(x, 10)
    return 2 + 2 * i - torch.exp(i * x[0]) - torch.exp(i * x[1])


def helical_valley(x: torch.Tensor) -> torch.Tensor:
    a, b, c = x
    angle = torch.atan(b / a) / (2 * math.pi) + torch.where(a < 0, 0.5, 0.0)
    return torch.stack([10 * (c - 10 * angle), 10 * ((a**2 + b**2).sqrt() - 1), c])


def bard(x: torch.Tensor) -> torch.Tensor:
    y = _like(x, ".14 .18 .22 .25 .29 .32 .35 .39 .37 .58 .73 .96 1.34 2.10 4.39")
    u = _count(x, 15)
    v = 16 - u
    return y - (x[0] + u / (v * x[1] + torch.minimum(u, v) * x[2]))


def gaussian(x: torch.Tensor) -> torch.Tensor:
    half = ".0009 .0044 .0175 .0540 .1295 .2420 .3521"
    y = _like(x, f"{half} .3989 {' '.join(reversed(half.split()))}")
    t = (8 - _count(x, 15)) / 2
    return x[0] * torch.exp(-x[1] * (t - x[2]) ** 2 / 2) - y


def meyer(x: torch.Tensor) -> torch.Tensor:
    y = _like(
        x, "34780 28610 23650 19630 16370 13720 11540 9744 8261 7030 6005 5147 4427 3820 3307 2872"
    )
    return x[0] * torch.exp(x[1] / (45 + 5 * _count(x, 16) + x[2])) - y


def gulf(x: torch.Tensor) -> torch.Tensor:
    t = _count(x, 99) / 100
    y = 25 + (-50 * torch.log(t)) ** (2 / 3)
    return torch.exp(-((y - x[1]).abs() ** x[2]) / x[0]) - t


def box(x: torch.Tensor) -> torch.Tensor:
    t = _count(x, 10) / 10
    return torch.exp(-t * x[0]) - torch.exp(-t * x[1]) - x[2] * (torch.exp(-t) - torch.exp(-10 * t))


def powell_singular(x: torch.Tensor) -> torch.Tensor:
    a, b, c, d = x
    return torch.stack([a + 10 * b, 5**0.5 * (c - d), (b - 2 * c) ** 2, 10**0.5 * (a - d) ** 2])


def wood(x: torch.Tensor) -> torch.Tensor:
    a, b, c, d = x
    return torch.stack(
        [
            10 * (b - a**2),
            1 - a,
            90**0.5 * (d - c**2),
            1 - c,
            10**0.5 * (b + d - 2),
            (b - d) / 10**0.5,
        ]
    )


def kowalik_osborne(x: torch.Tensor) -> torch.Tensor:
    y = _like(x, ".1957 .1947 .1735 .1600 .0844 .0627 .0456 .0342 .0323 .0235 .0246")
    u = _like(x, "4 2 1 .5 .25 .167 .125 .1 .0833 .0714 .0625")
    return y - x[0] * (u**2 + u * x[1]) / (u**2 + u * x[2] + x[3])


def brown_dennis(x: torch.Tensor) -> torch.Tensor:
    t = _count(x, 20) / 5
    first = x[0] + t * x[1] - torch.exp(t)
    return first**2 + (x[2] + x[3] * torch.sin(t) - torch.cos(t)) ** 2


def osborne_1(x: torch.Tensor) -> torch.Tensor:
    y = _like(
        x,
        ".844 .908 .932 .936 .925 .908 .881 .850 .818 .784 .751 .718 .685 .658 .628 .603 .580 .558 "
        ".538 .522 .506 .490 .478 .467 .457 .448 .438 .431 .424 .420 .414 .411 .406",
    )
    t = 10 * (_count(x, 33) - 1)
    return y - (x[0] + x[1] * torch.exp(-t * x[3]) + x[2] * torch.exp(-t * x[4]))


def biggs(x: torch.Tensor) -> torch.Tensor:
    t = _count(x, 13) / 10
    y = torch.exp(-t) - 5 * torch.exp(-10 * t) + 3 * torch.exp(-4 * t)
    first = x[2] * torch.exp(-t * x[0]) - x[3] * torch.exp(-t * x[1])
    return first + x[5] * torch.exp(-t * x[4]) - y


def osborne_2(x: torch.Tensor) -> torch.Tensor:
    y = _like(
        x,
        "1.366 1.191 1.112 1.013 .991 .885 .831 .847 .786 .725 .746 .679 .608 .655 .616 .606 .602 "
        ".626 .651 .724 .649 .649 .694 .644 .624 .661 .612 .558 .533 .495 .500 .423 .395 .375 .372 "
        ".391 .396 .405 .428 .429 .523 .562 .607 .653 .672 .708 .633 .668 .645 .632 .591 .559 .597 "
        ".625 .739 .710 .729 .720 .636 .581 .428 .292 .162 .098 .054",
    )
    t = (_count(x, 65) - 1) / 10
    out = y - x[0] * torch.exp(-t * x[4])
    for k in range(3):
        out = out - x[k + 1] * torch.exp(-((t - x[k + 8]) ** 2) * x[k + 5])
    return out


def watson(x: torch.Tensor) -> torch.Tensor:
    t, j = _count(x, 29) / 29, _count(x, len(x)) - 1
    powers = t[:, None] ** j
    slopes = j[1:] * t[:, None] ** (j[1:] - 1)
    first = slopes @ x[1:] - (powers @ x) ** 2 - 1
    return torch.cat([first, x[:1], x[1:2] - x[:1] ** 2 - 1])


def extended(function: Residuals, of: int) -> Residuals:
    return lambda x: torch.cat([function(part) for part in x.reshape(-1, of)])


def penalty_1(x: torch.Tensor) -> torch.Tensor:
    return torch.cat([1e-5**0.5 * (x - 1), (x @ x - 0.25)[None]])


def penalty_2(x: torch.Tensor) -> torch.Tensor:
    a, n = 1e-5**0.5, len(x)
    i = _count(x, n)
    y = torch.exp(i[1:] / 10) + torch.exp(i[:-1] / 10)
    e = torch.exp(x / 10)
    return torch.cat(
        [
            x[:1] - 0.2,
            a * (e[1:] + e[:-1] - y),
            a * (e[1:] - math.exp(-0.1)),
            ((n - i + 1) @ x**2 - 1)[None],
        ]
    )


def variably_dimensioned(x: torch.Tensor) -> torch.Tensor:
    total = _count(x, len(x)) @ (x - 1)
    return torch.cat([x - 1, total[None], total[None] ** 2])


def trigonometric(x: torch.Tensor) -> torch.Tensor:
    c = torch.cos(x)
    return len(x) - c.sum() + _count(x, len(x)) * (1 - c) - torch.sin(x)


def brown_almost_linear(x: torch.Tensor) -> torch.Tensor:
    return torch.cat([x[:-1] + x.sum() - (len(x) + 1), (x.prod() - 1)[None]])


def _neighbours(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    zero = torch.zeros_like(x[:1])
    return torch.cat([zero, x[:-1]]), torch.cat([x[1:], zero])


def discrete_boundary_value(x: torch.Tensor) -> torch.Tensor:
    h = 1 / (len(x) + 1)
    before, after = _neighbours(x)
    return 2 * x - before - after + h**2 * (x + h * _count(x, len(x)) + 1) ** 3 / 2


def discrete_integral_equation(x: torch.Tensor) -> torch.Tensor:
    h = 1 / (len(x) + 1)
    t = h * _count(x, len(x))
    cubes = (x + t + 1) ** 3
    low = torch.cumsum(t * cubes, 0)
    rest = (1 - t) * cubes
    return x + h / 2 * ((1 - t) * low + t * (rest.sum() - torch.cumsum(rest, 0)))


def broyden_tridiagonal(x: torch.Tensor) -> torch.Tensor:
    before, after = _neighbours(x)
    return (3 - 2 * x) * x - before - 2 * after + 1


def broyden_banded(x: torch.Tensor) -> torch.Tensor:
    n = len(x)
    near = torch.ones(n, n, dtype=x.dtype).tril(1).triu(-5) - torch.eye(n, dtype=x.dtype)
    return x * (2 + 5 * x**2) + 1 - near @ (x * (1 + x))


def linear_full_rank(x: torch.Tensor) -> torch.Tensor:
    m = 2 * len(x)
    total = 2 / m * x.sum() + 1
    return torch.cat([x - total, -total.expand(m - len(x))])


def linear_rank_1(x: torch.Tensor) -> torch.Tensor:
    return _count(x, 2 * len(x)) * (_count(x, len(x)) @ x) - 1


def linear_rank_1_zero(x: torch.Tensor) -> torch.Tensor:
    m = 2 * len(x)
    inner = (_count(x, len(x)) @ x) - x[0] - len(x) * x[-1]
    weights = _count(x, m) - 1
    return torch.where((weights == 0) | (weights == m - 1), 0.0, weights) * inner - 1


def chebyquad(x: torch.Tensor) -> torch.Tensor:
    y = 2 * x - 1
    before, now, out = torch.ones_like(y), y, []
    for i in range(1, len(x) + 1):
        integral = -1 / (i**2 - 1) if i % 2 == 0 else 0.0
        out.append(now.mean() - integral)
        before, now = now, 2 * y * now - before
    return torch.stack(out)


def _mesh(n: int) -> list[float]:
    return [j / (n + 1) * (j / (n + 1) - 1) for j in range(1, n + 1)]


CASES: dict[str, Case] = {
    "rosenbrock": Case(rosenbrock, [-1.2, 1]),
    "freudenstein_roth": Case(freudenstein_roth, [0.5, -2], (0.0, 48.9842)),
    "powell_badly_scaled": Case(powell_badly_scaled, [0, 1]),
    "brown_badly_scaled": Case(brown_badly_scaled, [1, 1]),
    "beale": Case(beale, [1, 1]),
    "jennrich_sampson": Case(jennrich_sampson, [0.3, 0.4], (124.362,)),
    "helical_valley": Case(helical_valley, [-1, 0, 0]),
    "bard": Case(bard, [1, 1, 1], (8.21487e-3, 17.4286)),
    "gaussian": Case(gaussian, [0.4, 1, 0], (1.12793e-8,)),
    "meyer": Case(meyer, [0.02, 4000, 250], (87.9458,)),
    "gulf": Case(gulf, [5, 2.5, 0.15]),
    "box": Case(box, [0, 10, 20]),
    "powell_singular": Case(powell_singular, [3, -1, 0, 1]),
    "wood": Case(wood, [-3, -1, -3, -1]),
    "kowalik_osborne": Case(kowalik_osborne, [0.25, 0.39, 0.415, 0.39], (3.07505e-4, 1.02734e-3)),
    "brown_dennis": Case(brown_dennis, [25, 5, -5, -1], (85822.2,)),
    "osborne_1": Case(osborne_1, [0.5, 1.5, -1, 0.01, 0.02], (5.46489e-5,)),
    "biggs": Case(biggs, [1, 2, 1, 1, 1, 1], (0.0, 5.65565e-3)),
    "osborne_2": Case(osborne_2, [1.3, 0.65, 0.65, 0.7, 0.6, 3, 5, 7, 2, 4.5, 5.5], (4.01377e-2,)),
    "watson": Case(watson, [0.0] * 6, (2.28767e-3,)),
    "extended_rosenbrock": Case(extended(rosenbrock, 2), [-1.2, 1] * 5),
    "extended_powell_singular": Case(extended(powell_singular, 4), [3, -1, 0, 1] * 2),
    "penalty_1": Case(penalty_1, [1, 2, 3, 4], (2.24997e-5,)),
    "penalty_2": Case(penalty_2, [0.5] * 4, (9.37629e-6,)),
    "variably_dimensioned": Case(variably_dimensioned, [1 - j / 10 for j in range(1, 11)]),
    "trigonometric": Case(trigonometric, [0.1] * 10, (0.0, 2.79506e-5)),
    "brown_almost_linear": Case(brown_almost_linear, [0.5] * 10, (0.0, 1.0)),
    "discrete_boundary_value": Case(discrete_boundary_value, _mesh(10)),
    "discrete_integral_equation": Case(discrete_integral_equation, _mesh(10)),
    "broyden_tridiagonal": Case(broyden_tridiagonal, [-1.0] * 10),
    "broyden_banded": Case(broyden_banded, [-1.0] * 10),
    "linear_full_rank": Case(linear_full_rank, [1.0] * 5, (5.0,)),
    "linear_rank_1": Case(linear_rank_1, [1.0] * 5, (10 * 9 / 2 / 21,)),
    "linear_rank_1_zero": Case(linear_rank_1_zero, [1.0] * 5, (124 / 2 / 17,)),
    "chebyquad": Case(chebyquad, [j / 9 for j in range(1, 9)], (3.51687e-3,)),
}

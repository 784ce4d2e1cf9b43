"""Classic problems with bounds, as functions of PyTorch: name, objective, start, bounds.

Hock and Schittkowski, *Test Examples for Nonlinear Programming Codes*, 1981 (HS); Moré, Garbow and
Hillstrom, *Testing Unconstrained Optimization Software*, 1981, with bounds that cut off a part.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import torch

from solver import _more_garbow_hillstrom as mgh

INF = math.inf


def squares(residuals: mgh.Residuals) -> mgh.Residuals:
    return lambda x: residuals(x).square().sum()


class Bounded(NamedTuple):
    function: Callable[[torch.Tensor], torch.Tensor]
    start: list[float]
    lower: list[float]
    upper: list[float]


def chained_rosenbrock(x: torch.Tensor) -> torch.Tensor:
    """The problem of the driver of the original code, with 25 unknowns."""
    return 4 * (0.25 * (x[0] - 1) ** 2 + (x[1:] - x[:-1] ** 2).square().sum())


def hs3(x: torch.Tensor) -> torch.Tensor:
    return x[1] + 1e-5 * (x[1] - x[0]) ** 2


def hs4(x: torch.Tensor) -> torch.Tensor:
    return (x[0] + 1) ** 3 / 3 + x[1]


def hs5(x: torch.Tensor) -> torch.Tensor:
    return torch.sin(x[0] + x[1]) + (x[0] - x[1]) ** 2 - 1.5 * x[0] + 2.5 * x[1] + 1


def hs25(x: torch.Tensor) -> torch.Tensor:
    i = torch.arange(1, 100, dtype=x.dtype) / 100
    u = 25 + (-50 * i.log()) ** (2 / 3)
    return (-i + torch.exp(-((u - x[1]) ** x[2]) / x[0])).square().sum()


def hs45(x: torch.Tensor) -> torch.Tensor:
    return 2 - x.prod() / 120


def hs110(x: torch.Tensor) -> torch.Tensor:
    return ((x - 2).log().square() + (10 - x).log().square()).sum() - x.prod() ** 0.2


def himmelblau(x: torch.Tensor) -> torch.Tensor:
    return (x[0] ** 2 + x[1] - 11) ** 2 + (x[0] + x[1] ** 2 - 7) ** 2


def dixon_price(x: torch.Tensor) -> torch.Tensor:
    i = torch.arange(2, len(x) + 1, dtype=x.dtype)
    return (x[0] - 1) ** 2 + (i * (2 * x[1:] ** 2 - x[:-1]) ** 2).sum()


def obstacle(x: torch.Tensor) -> torch.Tensor:
    """A string with a load, above a floor."""
    n = len(x)
    zero = torch.zeros_like(x[:1])
    stretch = torch.cat([x, zero]) - torch.cat([zero, x])
    load = torch.sin(3 * math.pi * torch.arange(1, n + 1, dtype=x.dtype) / (n + 1))
    return (n + 1) * stretch.square().sum() / 2 - 40 * (load * x).sum() / (n + 1)


CLASSICS: dict[str, Bounded] = {
    "hs1": Bounded(squares(mgh.rosenbrock), [-2, 1], [-INF, -1.5], [INF, INF]),
    "hs2": Bounded(squares(mgh.rosenbrock), [-2, 1], [-INF, 1.5], [INF, INF]),
    "hs3": Bounded(hs3, [10, 1], [-INF, 0], [INF, INF]),
    "hs4": Bounded(hs4, [1.125, 0.125], [1, 0], [INF, INF]),
    "hs5": Bounded(hs5, [0, 0], [-1.5, -3], [4, 3]),
    "hs25": Bounded(hs25, [50, 20, 1], [0.1, 0, 0], [100, 25.6, 5]),
    "hs38": Bounded(squares(mgh.wood), [-3, -1, -3, -1], [-10] * 4, [10] * 4),
    "hs45": Bounded(hs45, [2.0] * 5, [0] * 5, [1, 2, 3, 4, 5]),
    "hs110": Bounded(hs110, [9] * 10, [2.001] * 10, [9.999] * 10),
    "rosenbrock_25": Bounded(chained_rosenbrock, [3] * 25, [1, -100] * 12 + [1], [100] * 25),
    "rosenbrock_100": Bounded(
        squares(mgh.extended(mgh.rosenbrock, 2)),
        [-1.2, 1] * 50,
        [-1.5] * 100,
        [0.7, 3, 2, 0.8] * 25,
    ),
    "beale": Bounded(squares(mgh.beale), [1, 1], [-4.5, -4.5], [2.5, 4.5]),
    "himmelblau": Bounded(himmelblau, [0, 0], [-5, -5], [2.9, 5]),
    "powell_20": Bounded(
        squares(mgh.extended(mgh.powell_singular, 4)),
        [3, -1, 0, 1] * 5,
        [0.1, -20, -20, -20] * 5,
        [20] * 20,
    ),
    "dixon_price_20": Bounded(dixon_price, [1] * 20, [0.1] * 20, [0.6] * 20),
    "obstacle_100": Bounded(obstacle, [0.1] * 100, [-0.05] * 100, [INF] * 100),
}


def decay(x: torch.Tensor) -> torch.Tensor:
    """Two exponentials, fitted to data that none with such amplitudes gives."""
    t = torch.arange(12, dtype=x.dtype) / 4
    data = 2 * torch.exp(-0.8 * t) + 0.3 * torch.cos(5 * t)
    return x[0] * torch.exp(-x[1] * t) + x[2] * torch.exp(-x[3] * t) - data


def linear(x: torch.Tensor) -> torch.Tensor:
    i = torch.arange(1, 9, dtype=x.dtype)[:, None]
    j = torch.arange(1, 6, dtype=x.dtype)
    return torch.cos(i * j) @ x - torch.sin(3 * i[:, 0])


FITS: dict[str, Bounded] = {
    "rosenbrock": Bounded(mgh.rosenbrock, [-1.2, 0], [-3, -3], [0.5, 0.2]),
    "rosenbrock_above": Bounded(mgh.rosenbrock, [-1.2, 2], [-2, 1.5], [INF, INF]),
    "powell": Bounded(mgh.powell_singular, [3, -1, 0, 1], [0.1, -20, -20, -20], [20] * 4),
    "kowalik_osborne": Bounded(
        mgh.kowalik_osborne, [0.25, 0.39, 0.415, 0.39], [0, 0, 0, 0.15], [0.42] * 4
    ),
    "box_3d": Bounded(mgh.box, [0.5, 9, 15], [0, 5, 0], [2, 9.5, 20]),
    "decay": Bounded(decay, [1, 1, 0.5, 1.5], [0] * 4, [1.7, 5, 1, 2]),
    "linear": Bounded(linear, [0.5] * 5, [0] * 5, [INF] * 5),
}

"""Each proximal term: how it is made of its parameters, a leaf for it, and its value by a formula."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

from torchopt import prox

GROUPS = [0, 1, 1, 0, 2]
STEP = torch.tensor(1.3, dtype=torch.float64)


@dataclass(frozen=True)
class Case:
    """A term of parameters, a leaf that is no tie of the term, and the value of the term."""

    make: Callable[..., prox.ProximalTerm]
    parameters: tuple[torch.Tensor, ...]
    x: torch.Tensor
    value: Callable[..., torch.Tensor]

    def prox(self, x: torch.Tensor, step: Any, *parameters: torch.Tensor) -> torch.Tensor:
        """Return the proximal operator as a function of all that it depends on."""
        return self.make(*parameters).prox(x, step)

    function = prox

    @property
    def inputs(self) -> tuple[torch.Tensor, ...]:
        """What the function takes: a leaf, a step, the parameters."""
        return (self.x, STEP, *self.parameters)


def number(value: float) -> torch.Tensor:
    """Return a scalar of float64."""
    return torch.tensor(value, dtype=torch.float64)


X = torch.tensor(
    [[1.9, -1.1, 0.2, -0.6, 2.3], [0.1, -0.3, 0.25, 0.15, -0.2], [-1.3, 0.8, 1.7, 0.4, -2.1]],
    dtype=torch.float64,
)
#: With an equal row, singular values are repeated: two of 2, and one of 0.3.
TURN = torch.linalg.qr(torch.tensor([[1.0, 2, 3], [0, 1, 4], [5, 6, 0]]).double()).Q
REPEATED = torch.cat([TURN * torch.tensor([2.0, 2.0, 0.3]), torch.zeros(3, 1)], 1).double()

CASES = {
    "L1": Case(prox.L1, (number(0.5),), X, lambda x, p: p * x.abs().sum()),
    "L1, a penalty for each element": Case(
        prox.L1,
        (torch.linspace(0.2, 1.0, 5).double(),),
        X,
        lambda x, p: sum(p[i] * x[:, i].abs().sum() for i in range(5)),
    ),
    "L2": Case(
        lambda p: prox.L2(p, dim=None), (number(0.7),), X, lambda x, p: p * (x * x).sum() ** 0.5
    ),
    "L2, columns": Case(
        lambda p: prox.L2(p, dim=0),
        (torch.linspace(0.2, 1.0, 5).double(),),
        X,
        lambda x, p: sum(p[i] * (x[:, i] ** 2).sum() ** 0.5 for i in range(5)),
    ),
    "L2, rows, one of which becomes zero": Case(
        prox.L2, (number(0.9),), X, lambda x, p: sum(p * (row**2).sum() ** 0.5 for row in x)
    ),
    "SquaredL2": Case(prox.SquaredL2, (number(0.7),), X, lambda x, p: p * (x * x).sum() / 2),
    "ElasticNet": Case(
        lambda l1, l2: prox.ElasticNet(l1=l1, l2=l2),
        (number(0.5), number(0.3)),
        X,
        lambda x, p, q: p * x.abs().sum() + q * (x * x).sum() / 2,
    ),
    "GroupLasso": Case(
        lambda p: prox.GroupLasso(p, GROUPS),
        (torch.tensor([0.4, 0.9, 0.3]).double(),),
        X,
        lambda x, p: sum(
            p[k] * sum(row[i] ** 2 for i in range(5) if GROUPS[i] == k) ** 0.5
            for row in x
            for k in range(3)
        ),
    ),
    "NonNegativeLasso": Case(
        prox.NonNegativeLasso,
        (number(0.5),),
        X,
        lambda x, p: p * x.sum() if (x >= 0).all() else torch.inf,
    ),
    "NonNegativeRidge": Case(
        prox.NonNegativeRidge,
        (number(0.5),),
        X,
        lambda x, p: p * (x * x).sum() / 2 if (x >= 0).all() else torch.inf,
    ),
    "LogBarrier": Case(prox.LogBarrier, (number(0.5),), X, lambda x, p: -p * x.log().sum()),
    "Linf": Case(
        lambda p: prox.Linf(p, dim=None), (number(1.5),), X, lambda x, p: p * x.abs().max()
    ),
    "Linf, rows, one of which becomes zero": Case(
        prox.Linf, (number(1.5),), X, lambda x, p: p * sum(row.abs().max() for row in x)
    ),
    "TotalVariation": Case(
        prox.TotalVariation,
        (number(0.4),),
        X,
        lambda x, p: p * sum((row[i + 1] - row[i]).abs() for row in x for i in range(4)),
    ),
    "TotalVariation, columns": Case(
        lambda p: prox.TotalVariation(p, dim=0),
        (torch.linspace(0.2, 1.0, 5).double(),),
        X,
        lambda x, p: (p * (x[1:] - x[:-1]).abs()).sum(),
    ),
    "NuclearNorm": Case(
        prox.NuclearNorm, (number(1.1),), X, lambda x, p: p * torch.linalg.matrix_norm(x, "nuc")
    ),
    "NuclearNorm, of equal singular values": Case(
        prox.NuclearNorm,
        (number(0.9),),
        REPEATED,
        lambda x, p: p * torch.linalg.matrix_norm(x, "nuc"),
    ),
    "SeparableSum": Case(
        lambda p: prox.SeparableSum(prox.L1(p)), (number(0.5),), X, lambda x, p: p * x.abs().sum()
    ),
}

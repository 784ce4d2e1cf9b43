"""Trees of quadratic levels, and their solutions and total gradients by elimination."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

import torchopt
from torchopt.diff import DifferentiationMode
from torchopt.multilevel._level import Level

DTYPE = torch.float64
Tree = Mapping[str, Any]  # of trees, by name; {} is a leaf
CHAIN3: Tree = {"a": {"b": {"c": {}}}}
CHAIN4: Tree = {"a": {"b": {"c": {"d": {}}}}}
BRANCHES: Tree = {"a": {"b": {}, "c": {"d": {}}}}


def randn(*shape: int, seed: int) -> torch.Tensor:
    return torch.randn(*shape, dtype=DTYPE, generator=torch.Generator().manual_seed(seed))


def names_of(tree: Tree) -> list[str]:
    return [n for name, below in tree.items() for n in (name, *names_of(below))]


@dataclass(frozen=True)
class QuadraticProgram:
    """Level P minimizes ``z @ Q[P] @ z / 2 + q[P] @ z``, where z is all that it reads, and its own.

    Attributes:
        tree: Who is below whom.
        coupling: How large the terms are in which a level reads others.
    """

    tree: Tree
    coupling: float = 0.15

    def __post_init__(self) -> None:
        names = names_of(self.tree)
        places, start = {}, 0
        for k, name in enumerate(names):
            places[name] = slice(start, start + 2 + k % 2)
            start = places[name].stop
        object.__setattr__(self, "places", places)
        terms = {}
        for k, name in enumerate(names):
            root = randn(start, start, seed=k)
            Q = (root + root.T) / 2
            if k:  # the uppermost is not solved: any will do
                Q *= self.coupling
                own = places[name]
                Q[own, own] += torch.eye(own.stop - own.start, dtype=DTYPE)
            read = torch.zeros(start, dtype=DTYPE)
            for other in self._seen_by(name):
                read[places[other]] = 1
            terms[name] = (Q * read[:, None] * read, randn(start, seed=100 + k) * read)
        object.__setattr__(self, "terms", terms)

    def objective(self, name: str) -> Callable[..., torch.Tensor]:
        Q, q = self.terms[name]
        size = len(q)

        def objective(
            params: torch.Tensor, values: Mapping[str, torch.Tensor], batch: Any
        ) -> torch.Tensor:
            z = torch.zeros(size, dtype=params.dtype)
            for other, x in {**values, name: params}.items():
                place = self.places[other]
                z = z + torch.nn.functional.pad(x, (place.start, size - place.stop))
            value = z @ Q @ z / 2 + q @ z
            return value if batch is None else value + batch @ params

        return objective

    def params(self, seed: int = 0) -> dict[str, torch.Tensor]:
        return {
            name: randn(place.stop - place.start, seed=200 + 50 * seed + place.start)
            for name, place in self.places.items()
        }

    def gradient(self, value: torch.Tensor) -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
        """Return the total gradient of the uppermost level at a value, and all solutions there."""
        ((top, below),) = self.tree.items()
        E, e = self._responses(below, (top,))
        z = E @ value + e
        Q, q = self.terms[top]
        return E.T @ (Q @ z + q), {name: z[place] for name, place in self.places.items()}

    def _responses(self, below: Tree, given: tuple[str, ...]) -> tuple[torch.Tensor, torch.Tensor]:
        """Return z = E u + e when all below have responded, as a function of what is given, u."""
        size = len(self.terms[given[0]][1])
        eye = torch.eye(size, dtype=DTYPE)
        E = torch.cat([eye[:, self.places[name]] for name in given], 1)
        e = torch.zeros(size, dtype=DTYPE)
        for name, lowers in below.items():
            # z as a function of u and of this level's own, when those below it have responded.
            F, f = self._responses(lowers, (*given, name))
            Q, q = self.terms[name]
            n = E.shape[1]
            H, g = F.T @ Q @ F, F.T @ (Q @ f + q)
            R = -torch.linalg.solve(H[n:, n:], H[n:, :n])
            r = -torch.linalg.solve(H[n:, n:], g[n:])
            read = torch.zeros(size, 1, dtype=DTYPE)
            for other in names_of({name: lowers}):
                read[self.places[other]] = 1
            E = E + read * (F[:, :n] + F[:, n:] @ R)
            e = e + read[:, 0] * (F[:, n:] @ r + f)
        return E, e

    def levels(
        self,
        modes: Sequence[DifferentiationMode] | DifferentiationMode,
        steps: int,
        solver: Callable[[], Any] = lambda: torchopt.sgd(1.0),
    ) -> Level:
        """Return the tree of levels; ``modes`` are by depth below the uppermost."""

        def level(name: str, below: Tree, depth: int) -> Level:
            mode = modes[depth - 1] if isinstance(modes, (list, tuple)) else modes
            return Level(
                name,
                self.objective(name),
                solver=solver() if depth else torchopt.sgd(0.1),
                lowers=[level(n, rest, depth + 1) for n, rest in below.items()],
                **({"steps": steps, "diff": mode} if depth else {}),
            )

        ((top, below),) = self.tree.items()
        return level(top, below, 0)

    def _seen_by(self, name: str) -> list[str]:
        def path(tree: Tree, above: tuple[str, ...]) -> list[str]:
            for n, below in tree.items():
                if n == name:
                    return [*above, *names_of({n: below})]
                if found := path(below, (*above, n)):
                    return found
            return []

        return path(self.tree, ())

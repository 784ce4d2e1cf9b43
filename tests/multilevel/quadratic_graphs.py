"""Programs of quadratic problems, whose best responses and total gradients are linear algebra."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from _shapes import linked

import torchopt
from torchopt.diff import DifferentiationMode
from torchopt.multilevel import Config, Level, Problem
from torchopt.multilevel._graph import Dependencies


class Quadratic(Problem):
    """``½ zᵀ Q z + bᵀ z``, with ``z`` its own parameters and those of all that it reads."""

    def __init__(self, name: str, names: tuple[str, ...], Q: Any, b: Any, **kwargs: Any) -> None:
        super().__init__(name, **kwargs)
        self.names, self.Q, self.b = names, Q, b

    def training_step(self, batch: Any) -> torch.Tensor:
        z = torch.cat(
            [self.params if n == self.name else getattr(self, n).params for n in self.names]
        )
        return z @ self.Q @ z / 2 + self.b @ z


class Program:
    """Random quadratics on a graph, and the truth about them."""

    def __init__(
        self,
        dependencies: Mapping[str, Any],
        sizes: Mapping[str, int],
        seed: int,
        coupling: float | None = None,
    ) -> None:
        """Draw the problems; with ``coupling``, descent with rate one soon solves those below."""
        self.graph = Dependencies.of(list(sizes), dependencies)
        self.edges = dependencies
        generator = torch.Generator().manual_seed(seed)
        self.slices, end = {}, 0
        for name, size in sizes.items():
            self.slices[name] = slice(end, end + size)
            end += size
        self.total = end
        self.reads, self.Q, self.b = {}, {}, {}
        for name, size in sizes.items():
            names = (name, *self.graph.reads(name), *self.graph.solutions(name))
            width = sum(sizes[n] for n in names)
            A = torch.randn(width, width, generator=generator, dtype=torch.float64) * 0.25
            Q = (A + A.T) / 2
            eye = torch.eye(size, dtype=torch.float64)
            if coupling is None:
                Q[:size, :size] = eye + A[:size, :size] @ A[:size, :size].T
            elif self.graph.uppers(name):
                Q *= 4 * coupling
                Q[:size, :size] += eye
            self.reads[name], self.Q[name] = names, Q
            self.b[name] = torch.randn(width, generator=generator, dtype=torch.float64)
        self.start = torch.randn(end, generator=generator, dtype=torch.float64)

    def problems(self, configs: Mapping[str, Config], at: torch.Tensor, lr: Any) -> list[Problem]:
        found = []
        for name, place in self.slices.items():
            p = at[place].clone().requires_grad_()
            rate = lr[name] if isinstance(lr, Mapping) else lr
            found.append(
                Quadratic(
                    name,
                    self.reads[name],
                    self.Q[name],
                    self.b[name],
                    params=p,
                    optimizer=torch.optim.SGD([p], rate),
                    config=configs.get(name, Config()),
                )
            )
        return found

    # The truth: affine maps ``x -> M x + c`` of all variables.

    def gradient(self, name: str) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the total gradient of a problem as an affine map of what is not below it."""
        M, c = self.below(name)
        rows = torch.cat([torch.arange(self.total)[self.slices[n]] for n in self.reads[name]])
        Q, b = self.Q[name], self.b[name]
        # z = M[rows] x + c[rows]; df/dx_own = (dz/dx_own)^T (Q z + b)
        J = M[rows][:, self.slices[name]]
        return J.T @ Q @ M[rows], J.T @ (Q @ c[rows] + b)

    def below(self, name: str) -> tuple[torch.Tensor, torch.Tensor]:
        """Return all variables as a map of themselves, with best responses below a problem."""
        M = torch.eye(self.total, dtype=torch.float64)
        c = torch.zeros(self.total, dtype=torch.float64)
        for group in self.graph.groups(name):
            rows = torch.cat([torch.arange(self.total)[self.slices[m]] for m in group])
            parts = [self.gradient(m) for m in group]
            G = torch.cat([g for g, _ in parts])
            h = torch.cat([k for _, k in parts])
            H = G[:, rows]
            rest = G.clone()
            rest[:, rows] = 0
            # x_group = -H^{-1} (rest x + h), of variables that are responses already
            X, k = -torch.linalg.solve(H, rest), -torch.linalg.solve(H, h)
            M[rows], c[rows] = X @ M, X @ c + k
        return M, c

    def solved(self, name: str, x: torch.Tensor) -> torch.Tensor:
        """Return the variables with all below a problem at their best responses."""
        M, c = self.below(name)
        return M @ x + c

    def truth(self, name: str, x: torch.Tensor) -> torch.Tensor:
        """Return the total gradient of a problem."""
        G, h = self.gradient(name)
        return G @ x + h


BILEVEL = {"u2l": {"top": ["low"]}, "l2u": {"low": ["top"]}}
CHAIN = {"u2l": {"top": ["mid", "low"], "mid": ["low"]}, "l2u": {"low": ["mid"], "mid": ["top"]}}
CHAIN_DIRECT = {
    "u2l": {"top": ["mid"], "mid": ["low"]},
    "l2u": {"low": ["mid", "top"], "mid": ["top"]},
}
FOUR = {
    "u2l": {"top": ["mid"], "mid": ["low", "base"], "low": ["base"]},
    "l2u": {"base": ["low", "mid"], "low": ["mid"], "mid": ["top"]},
}
TREE = {
    "u2l": {"top": ["left", "right"], "left": ["low"]},
    "l2u": {"left": ["top"], "right": ["top"], "low": ["left"]},
}
DIAMOND = {
    "u2l": {"top": ["left", "right"], "left": ["low"], "right": ["low"]},
    "l2u": {"low": ["left", "right"], "left": ["top"], "right": ["top"]},
}
TWO_UPPERS = {"u2l": {"top": ["low"], "side": ["low"]}, "l2u": {"low": ["top", "side"]}}

GRAPHS = {
    "bilevel": (BILEVEL, {"top": 3, "low": 2}),
    "chain": (CHAIN, {"top": 2, "mid": 3, "low": 2}),
    "chain_direct": (CHAIN_DIRECT, {"top": 2, "mid": 2, "low": 3}),
    "four": (FOUR, {"top": 2, "mid": 2, "low": 3, "base": 2}),
    "tree": (TREE, {"top": 3, "left": 2, "right": 2, "low": 3}),
    "diamond": (DIAMOND, {"top": 2, "left": 3, "right": 2, "low": 2}),
    "two_uppers": (TWO_UPPERS, {"top": 2, "side": 3, "low": 2}),
}


# Trees of levels, of which each reads all above it and all below it

Tree = Mapping[str, Any]  # of trees, by name; {} is a leaf


def below(tree: Tree, above: tuple[str, ...] = ()) -> list[tuple[str, str]]:
    """Return the pairs of a level and one below it, at any distance."""
    return [
        pair
        for name, rest in tree.items()
        for pair in [*((a, name) for a in above), *below(rest, (*above, name))]
    ]


class Levels(Program):
    """A tree of quadratic levels, the uppermost of which is ``a``."""

    def __init__(self, tree: Tree, coupling: float = 0.05) -> None:
        pairs = below(tree)
        sizes = {
            name: 2 + k % 2 for k, name in enumerate(["a", *(b for a, b in pairs if a == "a")])
        }
        super().__init__(linked(*pairs), sizes, 0, coupling)
        self.tree = tree

    def params(self, seed: int = 0) -> dict[str, torch.Tensor]:
        generator = torch.Generator().manual_seed(seed)
        x = torch.randn(self.total, generator=generator, dtype=torch.float64)
        return self.split(x)

    def split(self, x: torch.Tensor) -> dict[str, torch.Tensor]:
        return {name: x[place] for name, place in self.slices.items()}

    def level(
        self,
        modes: DifferentiationMode | list[DifferentiationMode],
        steps: int,
        solver: Any = lambda: torchopt.sgd(1.0),
    ) -> Level:
        """Return the levels; ``modes`` are by depth below the uppermost, or one for all."""

        def made(name: str, rest: Tree, depth: int) -> Level:
            def objective(params: Any, values: Any, batch: Any) -> torch.Tensor:
                z = torch.cat([params if n == name else values[n] for n in self.reads[name]])
                value = z @ self.Q[name] @ z / 2 + self.b[name] @ z
                return value if batch is None else value + batch @ params

            mode = modes[depth - 1] if isinstance(modes, list) else modes
            return Level(
                name,
                objective,
                solver=solver() if depth else torchopt.sgd(0.1),
                lowers=[made(n, r, depth + 1) for n, r in rest.items()],
                **({"steps": steps, "diff": mode} if depth else {}),
            )

        return made("a", self.tree["a"], 0)

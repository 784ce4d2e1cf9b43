"""What type checkers know of the arguments of `minimize` and its kind.

`make types` checks this file, and no test imports it. Each ``type: ignore`` is a mistake that both
checkers must refuse: an unused one is an error.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypedDict

import torch
from typing_extensions import assert_type

import torchopt
from torchopt import diff, multilevel, nn, prox, sets, solver

X = torch.ones(2)
TREE = {"w": X, "b": X}


def loss(x: torch.Tensor) -> torch.Tensor:
    return x.square().sum()


def of_tree(p: dict[str, torch.Tensor], batch: torch.Tensor) -> torch.Tensor:
    return (p["w"] - batch).square().sum() + p["b"].square().sum()


def with_aux(x: torch.Tensor, a: torch.Tensor) -> tuple[torch.Tensor, dict[str, int]]:
    return (a * x.square()).sum(), {"n": 1}


def residual_with_aux(x: torch.Tensor) -> tuple[torch.Tensor, str]:
    return x - 1, "aux"


def solve(x: torch.Tensor, a: torch.Tensor) -> torch.Tensor:
    return x * a


# The auxiliary output has a type; without, there is none.

assert_type(torchopt.minimize(loss, X).aux, None)
assert_type(torchopt.minimize(with_aux, X, (X,), has_aux=True).aux, dict[str, int])
assert_type(torchopt.root(residual_with_aux, X, has_aux=True).aux, str)
assert_type(torchopt.fixed_point(residual_with_aux, X, has_aux=True).params, torch.Tensor)
assert_type(torchopt.least_squares(residual_with_aux, X, has_aux=True).aux, str)
torchopt.minimize(loss, X, has_aux=True)  # type: ignore[call-overload]
torchopt.minimize(with_aux, X, (X,))  # type: ignore[arg-type]
torchopt.root(residual_with_aux, X)  # type: ignore[arg-type]
torchopt.minimize(with_aux, X, (X,), has_aux=True).aux.add(1)  # type: ignore[attr-defined]

# A solver is a gradient transformation, a solver, or a function that returns what it is given.

torchopt.minimize(loss, X, solver=torchopt.sgd(0.1), steps=3)
torchopt.minimize(loss, X, solver=solver.SciPy(atol=1e-6))
torchopt.minimize(loss, X, (X,), solver=solve)
torchopt.minimize(loss, X, solver="sgd")  # type: ignore[call-overload]
torchopt.minimize(loss, X, solver=torchopt.sgd, steps=3)  # type: ignore[arg-type]
torchopt.minimize(of_tree, TREE, (X,), solver=torchopt.adam)  # type: ignore[arg-type]
torchopt.root(loss, X, solver=0.1)  # type: ignore[call-overload]
nn.Equilibrium(loss, solver=solver.Newton(), rtol=1e-3)
nn.Equilibrium(loss, solver="anderson")  # type: ignore[arg-type]

# Keywords of other libraries.

torchopt.minimize(loss, X, tol=1e-3)  # type: ignore[call-overload]
torchopt.least_squares(loss, X, max_iter=3)  # type: ignore[call-overload]
torchopt.fixed_point(loss, X, learning_rate=0.1)  # type: ignore[call-overload]
torchopt.minimize(loss, X, plus=prox.L1(1.0))  # type: ignore[call-overload]
nn.Equilibrium(loss, tol=1e-3)  # type: ignore[call-arg]
solver.LBFGS(tol=1e-3)  # type: ignore[call-arg]

# Terms, sets and batches, each a tree.

PENALTIES = {"w": prox.L1(1.0)}
DATA: list[tuple[torch.Tensor, int]] = [(X, 1), (X, 2)]
torchopt.minimize(loss, X, prox=prox.L1(1.0))
torchopt.minimize(of_tree, TREE, (X,), prox=PENALTIES)
torchopt.minimize(
    of_tree, TREE, (X,), prox={"w": prox.L1(1.0), "b": None}, subject_to={"b": sets.Simplex()}
)
torchopt.minimize(loss, X, subject_to=(None, [sets.Simplex(), None]))
torchopt.minimize(loss, X, subject_to=torchopt.Constraints(equality=loss))
torchopt.minimize(of_tree, TREE, solver=torchopt.sgd(0.1), steps=2, batches=DATA)
torchopt.minimize(of_tree, TREE, solver=torchopt.sgd(0.1), steps=2, batches={"x": X})
torchopt.minimize(of_tree, TREE, solver=torchopt.sgd(0.1), steps=2, batches=lambda step: X)
torchopt.minimize(loss, X, prox=3.0)  # type: ignore[call-overload]
torchopt.minimize(loss, X, subject_to=prox.L1(1.0))  # type: ignore[call-overload]
torchopt.minimize(loss, X, batches=3)  # type: ignore[call-overload]
torchopt.minimize(loss, X, args=[X])  # type: ignore[call-overload]
torchopt.least_squares(loss, X, subject_to=torchopt.Constraints(loss))  # type: ignore[call-overload]
torchopt.root(loss, X, subject_to=sets.Simplex())  # type: ignore[call-overload]
torchopt.minimize(loss, torch.nn.Linear(1, 1))  # type: ignore[call-overload]

# Parameters whose parts have types of their own.


class Weights(TypedDict):
    w: torch.Tensor
    b: torch.Tensor


@dataclass
class Point:
    x: torch.Tensor


def of_weights(p: Weights) -> torch.Tensor:
    return p["w"].square().sum() + p["b"].square().sum()


def of_point(p: Point) -> tuple[torch.Tensor, str]:
    return p.x.square().sum(), "aux"


def halved(p: Weights) -> Weights:
    return {"w": p["w"] / 2, "b": p["b"] / 2}


WEIGHTS: Weights = {"w": X, "b": X}
assert_type(torchopt.minimize(of_weights, WEIGHTS, solver=solver.LBFGS()).params, Weights)
assert_type(torchopt.minimize(of_point, Point(X), has_aux=True).params, Point)
assert_type(torchopt.fixed_point(halved, WEIGHTS).params, Weights)
assert_type(torchopt.root(halved, WEIGHTS, solver=torchopt.sgd(0.1)).params, Weights)
torchopt.optim.Adam(Point(X), lr=Point(X))

# Other calls that are wrong.


class Own(solver.Solver[solver.NewtonState]):
    kinds = {"root"}  # type: ignore[arg-type]  # noqa: RUF012


multilevel.Config(diff.Implicit())  # type: ignore[call-arg]
multilevel.EngineConfig(100, 10)  # type: ignore[call-arg]
torchopt.checkpoint.save("run.pt", {"net": X})  # type: ignore[arg-type]
torchopt.MetaSGD(torch.nn.Linear(1, 1)).step(loss(X).item())  # type: ignore[arg-type]
torchopt.schedule.exponential_decay_schedule(1.0, 0.5, 0, 10)  # type: ignore[call-arg]
torchopt.transform.scale_by_adam(0.9, 0.999)  # type: ignore[arg-type]

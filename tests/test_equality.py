"""Solvers, sets, terms, estimators and modes are values: equal to those that are made the same way."""

from __future__ import annotations

import pickle
from dataclasses import replace
from typing import Any

import pytest
import torch

import _public
from torchopt import diff, linear_solve, multilevel, prox, sets, solver
from torchopt.diff import zero_order

BASES = {
    solver: (solver.Solver, solver.QuadraticSolver, solver.SciPy),
    linear_solve: linear_solve.LinearSolver,
    sets: sets.Set,
    prox: prox.ProximalTerm,
    zero_order: zero_order.Estimator,
}
#: Arguments without a default.
ARGUMENTS: dict[str, dict[str, Any]] = {
    **{name: {"penalty": 0.5} for name in ("L1", "L2", "Linf", "LogBarrier", "NonNegativeLasso")},
    **{name: {"penalty": 0.5} for name in ("NonNegativeRidge", "NuclearNorm", "SquaredL2")},
    "TotalVariation": {"penalty": 0.5},
    "ElasticNet": {"l1": 0.5, "l2": 0.25},
    "BoxSection": {"total": 1.0},
    **{name: {"normal": 1.0} for name in ("HalfSpace", "Hyperplane")},
    "TransportPolytope": {"rows": 1.0, "columns": 1.0},
}
TENSORS = {"GroupLasso", "AffineSet", "Polyhedron", "Guided", "SeparableSum", "Product"}
CLASSES = {
    f"{room.__name__}.{name}": cls
    for room, bases in BASES.items()
    for base in (bases if isinstance(bases, tuple) else (bases,))
    for name, cls in _public.exported(room, base).items()
    if name not in TENSORS
}


@pytest.mark.parametrize("path", CLASSES)
def test_an_object_equals_its_copy_from_a_file(path: str) -> None:
    cls = CLASSES[path]
    made = cls(**ARGUMENTS.get(cls.__name__, {}))
    copied = pickle.loads(pickle.dumps(made))
    assert copied is not made
    assert copied == made
    assert hash(copied) == hash(made)
    assert made != object()


@pytest.mark.parametrize(
    ("made", "change"),
    [
        (solver.MirrorDescent(), {"maxiter": 3}),
        (solver.AugmentedLagrangian(), {"inner": solver.LBFGS(maxiter=3)}),
        (linear_solve.CG(), {"rtol": 0.5}),
        (diff.Implicit(linear_solve.CG()), {"linear_solve": linear_solve.CG(maxiter=2)}),
        (diff.CentralPath(0.5), {"mu": 0.25}),
        (sets.Box(0.0, torch.ones(2)), {"upper": torch.ones(2)}),  # another tensor
        (zero_order.Guided(subspace=torch.eye(2)), {"subspace": torch.ones(1, 2)}),
        (multilevel.Config(diff=diff.Implicit()), {"diff": diff.Explicit()}),
    ],
    ids=lambda x: type(x).__name__,
)
def test_objects_differ_where_a_field_does(made: Any, change: dict[str, Any]) -> None:
    assert replace(made) == made
    assert replace(made, **change) != made
    assert {made: 1}[replace(made)] == 1

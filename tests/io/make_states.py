"""Writes `states/`, states of all kinds: ``python tests/io/make_states.py tests/io/states``.

Run it with the release whose files these are, and never again. Each file holds states by name, each
with the numbers of its leaves as lists.
"""

from __future__ import annotations

import sys
import warnings
from functools import cache, partial
from pathlib import Path
from typing import Any

import torch

import torchopt
from torchopt import diff, solver
from torchopt.diff import zero_order
from torchopt.multilevel import Level

GRADS = {"w": torch.tensor([0.5, -2.0], dtype=torch.float64)}
PARAMS = {"w": torch.tensor([1.0, 3.0], dtype=torch.float64)}


def _loss(params: Any) -> torch.Tensor:
    return (params["w"] * GRADS["w"]).sum() + params["w"].square().sum()


def stepped(tx: Any) -> Any:
    """Return the state of a gradient transformation after two steps."""
    state = tx.init(PARAMS)
    extra = {"value": _loss(PARAMS), "value_fn": _loss}
    read = {name: x for name, x in extra.items() if name in tx.reads}
    for _ in range(2):
        _, state = tx.update(GRADS, state, params=PARAMS, inplace=False, **read)
    return state


@cache
def optimizers() -> dict[str, Any]:
    """Return a state of each optimizer, and of those whose options have other states."""
    falling = torchopt.schedule.linear_schedule(0.1, 0.0, 4)
    return {
        "adagrad": stepped(torchopt.adagrad(lr_decay=0.1)),
        "adam": stepped(torchopt.adam(falling)),
        "adam_amsgrad": stepped(torchopt.adam(amsgrad=True)),
        "adamw": stepped(torchopt.adamw(mask={"w": True})),
        "rmsprop": stepped(torchopt.rmsprop()),
        "rmsprop_centered": stepped(torchopt.rmsprop(centered=True)),
        "sgd": stepped(torchopt.sgd(0.1, momentum=0.9, dampening=0.1)),
        # Any other one with its defaults.
        **{
            name: stepped(getattr(torchopt.optimizers, name)())
            for name in torchopt.optimizers.__all__
            if name not in ("sgd", "adam", "adamw", "rmsprop", "adagrad")
        },
        "uninitialized": torchopt.transform.UninitializedState(),
    }


def fourth_power(x: torch.Tensor) -> torch.Tensor:
    return (x**4).sum()


@cache
def solvers() -> dict[str, Any]:
    """Return a state of each solver."""
    start = torch.tensor([1.0, 0.7], dtype=torch.float64)
    states = {}
    constraints = torchopt.Constraints(equality=lambda x: x.sum() - 1)
    faces: dict[type, tuple[Any, bool]] = {
        diff.Minimum: (torchopt.minimize, True),
        diff.FixedPoint: (torchopt.fixed_point, False),
        diff.Root: (torchopt.root, False),
        diff.LeastSquares: (torchopt.least_squares, False),
        diff.Composite: (partial(torchopt.minimize, subject_to=torchopt.sets.Simplex()), True),
        diff.Constrained: (partial(torchopt.minimize, subject_to=constraints), True),
    }
    things = [getattr(solver, name) for name in solver.__all__]
    for cls in things:
        if not isinstance(cls, type) or not issubclass(cls, solver.Solver) or cls is solver.Solver:
            continue
        face, objective = next(
            pair for kind, pair in faces.items() if issubclass(kind, (*cls.kinds,))
        )
        function = fourth_power if objective else torch.cos
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # two iterations are too few
            states[cls.__name__] = face(function, start, solver=cls(maxiter=2)).state
    return states


@cache
def searches() -> dict[str, Any]:
    """Return what searches and levels are handed from step to step."""
    search = zero_order.GaussianSearch(population=4)
    begin = (PARAMS, torch.zeros(1))
    level = Level("a", lambda p, values, batch: (p["w"] ** 2).sum(), solver=torchopt.sgd(0.1))
    return {
        "GaussianSearch": search.init(PARAMS, generator=0),
        "NoiseReuseES": zero_order.NoiseReuseES(num_samples=1).init(*begin, generator=0),
        "PersistentES": zero_order.PersistentES(num_samples=1).init(*begin, generator=0),
        "Level": level.init({"a": PARAMS}),
    }


@cache
def solution() -> dict[str, Any]:
    """Return a solution."""

    def objective(params: Any) -> torch.Tensor:
        return (params["w"] ** 2).sum()

    return {"minimize": torchopt.minimize(objective, PARAMS, solver=torchopt.adam(0.1), steps=2)}


def main(folder: Path) -> None:
    groups = {
        "optimizers": optimizers(),
        "solvers": solvers(),
        "searches": searches(),
        "solution": solution(),
    }
    for group, states in groups.items():
        described = {name: (state, numbers(state)) for name, state in states.items()}
        # The older format is smaller.
        torch.save(described, folder / f"{group}.pt", _use_new_zipfile_serialization=False)


def numbers(state: Any) -> list[Any]:
    """Return the leaves of a state as lists and numbers."""
    leaves = torchopt.pytree.tree_leaves(state, namespace="torchopt")
    return [leaf.tolist() if isinstance(leaf, torch.Tensor) else leaf for leaf in leaves]


if __name__ == "__main__":
    main(Path(sys.argv[1]))

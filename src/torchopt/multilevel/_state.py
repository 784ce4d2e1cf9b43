"""A run as data: saved whole, and gone on with bit for bit."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import torch

from torchopt import checkpoint
from torchopt.multilevel._data import to_device
from torchopt.multilevel._examples import Part
from torchopt.multilevel._random import random_state, set_random_state
from torchopt.optim import Optimizer

if TYPE_CHECKING:
    from torchopt.multilevel._engine import Engine
    from torchopt.multilevel._node import Node
    from torchopt.multilevel._problem import Problem

__all__ = ["of_problem", "put_back", "resume", "save"]

_FORMAT = 1


def of_problem(node: Node) -> dict[str, Any]:
    """Return all that a problem's steps change."""
    problem = node.problem
    module = problem._module
    return {
        "module": None if module is None else dict(module.state_dict()),
        "held": [p.detach().clone() for p in problem._held],
        "optimizer": problem.optimizer.state_dict(),
        "scheduler": None if problem.scheduler is None else problem.scheduler.state_dict(),
        "precision": node.precision.state_dict(),
        "count": problem.count,
        "kinds": _kinds(problem),
    }


def put_back(node: Node, state: Mapping[str, Any]) -> None:
    """Put back what :func:`of_problem` returned."""
    problem, optimizer = node.problem, state["optimizer"]
    if problem._module is not None:
        problem._module.load_state_dict(state["module"])
    with torch.no_grad():
        for p, value in zip(problem._held, state["held"], strict=True):
            p.copy_(value)
    is_ours = isinstance(problem.optimizer, Optimizer)
    problem.optimizer.load_state_dict(tuple(optimizer) if is_ours else optimizer)
    if problem.scheduler is not None:
        problem.scheduler.load_state_dict(state["scheduler"])
    node.precision.load_state_dict(state["precision"])
    problem.count = state["count"]


def save(engine: Engine, path: Any) -> None:
    """Write a run to a file; see :meth:`Engine.save`."""
    for node in engine._nodes.values():
        if node.pending:
            raise RuntimeError(
                f"problem {node.name!r} is amid steps that are differentiated as a whole and cannot be "
                f"saved ({len(node.window.batches)} of {node.problem.config.unroll_steps}): save after "
                f"the step of the problem above, or set `EngineConfig(checkpoint=...)`, which waits "
                f"for it."
            )
    divided = {
        name: engine._ranks.packed(node.problem, of_problem(node))
        for name, node in engine._nodes.items()
        if engine._ranks.in_place(node.problem)
    }
    own = {
        "random": random_state(),
        "data": {n: _data(node) for n, node in engine._nodes.items()},
        "env": None if engine.env is None else dict(engine.env.state_dict()),
        "problems": divided,
    }
    parts = engine._ranks.gather(own)
    if engine.is_rank_zero():
        checkpoint.save(
            path,
            {
                "format": _FORMAT,
                "global_step": engine.global_step,
                "schedule": engine._schedule.state_dict(),
                "left": engine._left,
                "best": engine._best,
                "worse": engine._worse,
                "problems": {
                    name: of_problem(node)
                    for name, node in engine._nodes.items()
                    if name not in divided
                },
                "ranks": parts,
            },
        )
    engine._ranks.wait()


def resume(engine: Engine, path: Any) -> None:
    """Read a run from a file; see :meth:`Engine.resume`."""
    state, digest = engine._ranks.all_do(lambda: _read(engine, path))
    engine._ranks.agree({"the digest of the file that is resumed": digest})
    own = state["ranks"][engine._ranks.rank]
    problems = {**state["problems"], **own["problems"]}
    for name, node in engine._nodes.items():
        _load(node, engine._ranks.unpacked(node.problem, problems[name]), own["data"][name])
    engine.global_step = state["global_step"]
    engine._schedule.load_state_dict(state["schedule"])
    engine._left = list(state["left"])
    engine._best, engine._worse = state["best"], state["worse"]
    if engine.env is not None and own["env"] is not None:
        engine.env.load_state_dict(own["env"])
    engine._checked = True
    engine.sink.resume(engine.global_step)
    set_random_state(own["random"])


def _read(engine: Engine, path: Any) -> tuple[Any, bytes]:
    state = checkpoint.load(path)
    _check(engine, state, path)
    with open(path, "rb") as file:
        return state, checkpoint._digest(file, os.path.getsize(path))


def _data(node: Node) -> dict[str, Any]:
    window = node.window
    # What an upper problem's step may still read: one that waits has no newer batch by then.
    steps = window.batches if node.scope == "solution" else []
    return {
        "loaders": [loader.state_dict() for loader in node.loaders],
        "ahead": node._ahead,
        "generators": {name: g.get_state() for name, g in _generators(node).items()},
        "window": {
            "batches": [[part.batch for part in parts] for parts in steps],
            "weights": [[part.weight for part in parts] for parts in steps],
            "closed": window.closed,
            "saved": window.saved,
        },
    }


def _generators(node: Node) -> dict[str, torch.Generator]:
    """Return the generators that a problem and its mode have for themselves."""
    found = {**vars(node.problem), "mode": getattr(node.mode, "generator", None)}
    return {name: g for name, g in found.items() if isinstance(g, torch.Generator)}


def _load(node: Node, state: Mapping[str, Any], data: Mapping[str, Any]) -> None:
    node.abandon()
    put_back(node, state)
    for loader, position in zip(node.loaders, data["loaders"], strict=True):
        loader.load_state_dict(position)
    for name, generator in _generators(node).items():
        generator.set_state(data["generators"][name])
    node._ahead = to_device(list(data["ahead"]), node._device)
    saved = dict(data["window"])
    batches = to_device(saved.pop("batches"), node._device)
    weights = saved.pop("weights", [[1.0] * len(step) for step in batches])
    parts: list[Any] = [list(map(Part, *step)) for step in zip(batches, weights, strict=True)]
    node.window = type(node.window)(batches=parts, **saved)


def _check(engine: Engine, state: Any, path: Any) -> None:
    def refuse(why: str) -> None:
        raise ValueError(f"{path} cannot be resumed here: {why}.")

    if not isinstance(state, Mapping) or state.get("format") != _FORMAT:
        refuse("it was not written by `Engine.save` of this version")
    found, mine = [*state["problems"], *state["ranks"][0]["problems"]], list(engine._nodes)
    if sorted(found) != sorted(mine):
        refuse(f"its problems are {', '.join(found)}, and those of this engine {', '.join(mine)}")
    if len(state["ranks"]) != engine._ranks.size:
        refuse(
            f"it was written by {len(state['ranks'])} processes, and here are {engine._ranks.size}"
        )
    data = state["ranks"][engine._ranks.rank]["data"]
    for name, problem in state["problems"].items():
        why = _difference(engine._nodes[name], problem, data[name])
        if why is not None:
            refuse(why)
    lowers = {name: set(made) for name, made in engine._schedule.state_dict().items()}
    if {name: set(made) for name, made in state["schedule"].items()} != lowers:
        refuse("its problems depend on one another in another way")


def _difference(node: Node, state: Mapping[str, Any], data: Mapping[str, Any]) -> str | None:
    """Return in what a problem differs from the one that was saved."""
    problem, name = node.problem, repr(node.name)
    if [p.shape for p in state["held"]] != [p.shape for p in problem._held]:
        return f"the parameters of problem {name} have other shapes there"
    module = problem._module
    there, here = state["module"] or {}, {} if module is None else module.state_dict()
    for key in sorted({*there, *here}):
        if _shape(there.get(key)) != _shape(here.get(key)):
            return f"the module of problem {name} has other entries there, such as {key!r}"
    kinds, precision = state["kinds"], problem.config.precision
    for what, saved, mine in (
        *[(what, kinds[what], kind) for what, kind in _kinds(problem).items()],
        ("precision", state["precision"]["name"], precision),
        ("number of loaders", len(data["loaders"]), len(node.loaders)),
        ("set of generators", sorted(data["generators"]), sorted(_generators(node))),
    ):
        if saved != mine:
            return f"the {what} of problem {name} was {saved}, and is {mine} here"
    return None


def _kinds(problem: Problem) -> dict[str, Any]:
    """Return of what kind the objects are whose states are kept."""
    groups = problem.optimizer.param_groups
    return {
        "optimizer": type(problem.optimizer).__name__,
        "scheduler": type(problem.scheduler).__name__,
        "sizes of groups": [len(g["params"] if isinstance(g, dict) else g) for g in groups],
    }


def _shape(value: Any) -> Any:
    return getattr(value, "shape", None)

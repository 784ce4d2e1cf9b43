"""A checkpoint of a run: all of its state, from which it goes on bit for bit."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import torch

from torchopt import checkpoint
from torchopt.io.atomic import digest_of
from torchopt.multilevel._data import to_device
from torchopt.multilevel._examples import WeightedBatch
from torchopt.multilevel._node import Node
from torchopt.multilevel._problem import Env
from torchopt.multilevel._problem_state import kinds_of, load_problem_state, problem_state
from torchopt.multilevel._random import random_state, set_random_state
from torchopt.multilevel._stepper import Stepper

_FORMAT = 1


def save(path: Any, stepper: Stepper, env: Env | None, state: Mapping[str, Any]) -> None:
    """Write a run to a file, with further state of the engine; see :meth:`Engine.save`."""
    nodes, ranks = stepper.nodes, stepper.ranks
    for node in nodes.values():
        if node.pending:
            raise RuntimeError(
                f"problem {node.name!r} is amid steps that are differentiated as a whole and cannot be "
                f"saved ({len(node.window.batches)} of {node.problem.config.unroll_steps}): save after "
                f"the step of the problem above, or set `EngineConfig(checkpoint=...)`, which waits "
                f"for it."
            )
    divided = {
        name: ranks.packed(node.problem, problem_state(node))
        for name, node in nodes.items()
        if ranks.in_place(node.problem)
    }
    own = {
        "random": random_state(),
        "data": {n: _data(node) for n, node in nodes.items()},
        "env": None if env is None else dict(env.state_dict()),
        "problems": divided,
    }
    parts = ranks.gather(own)
    if ranks.rank == 0:
        whole = {n: problem_state(node) for n, node in nodes.items() if n not in divided}
        contents = {"format": _FORMAT, "problems": whole, "ranks": parts}
        checkpoint.save({**contents, **stepper.state_dict(), **state}, path)
    ranks.wait()


def resume(path: Any, stepper: Stepper, env: Env | None) -> dict[str, Any]:
    """Restore a run from a file, and return all that is in it; see :meth:`Engine.resume`."""
    ranks = stepper.ranks
    state, digest = ranks.all_do(lambda: _read(path, stepper))
    ranks.agree({"the digest of the file that is resumed": digest})
    own = state["ranks"][ranks.rank]
    problems = {**state["problems"], **own["problems"]}
    for name, node in stepper.nodes.items():
        _load(node, ranks.unpacked(node.problem, problems[name]), own["data"][name])
    stepper.load_state_dict(state)
    if env is not None and own["env"] is not None:
        env.load_state_dict(own["env"])
    set_random_state(own["random"])
    return dict(state)


def _read(path: Any, stepper: Stepper) -> tuple[Any, bytes]:
    state = checkpoint.load(path)
    _check(path, state, stepper)
    with open(path, "rb") as file:
        return state, digest_of(file, os.path.getsize(path))


def _data(node: Node) -> dict[str, Any]:
    window = node.window
    # An upper problem's next step may read the latest batch of this one.
    steps = window.batches if node.pointwise else []
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
    """Return the random generators that are attributes of a problem or of its mode."""
    of_mode = {f"mode.{name}": value for name, value in getattr(node.mode, "__dict__", {}).items()}
    candidates = {**vars(node.problem), **of_mode}
    return {name: g for name, g in candidates.items() if isinstance(g, torch.Generator)}


def _load(node: Node, state: Mapping[str, Any], data: Mapping[str, Any]) -> None:
    node.discard_steps()
    load_problem_state(node, state)
    for loader, position in zip(node.loaders, data["loaders"], strict=True):
        loader.load_state_dict(position)
    for name, generator in _generators(node).items():
        generator.set_state(data["generators"][name])
    node._ahead = to_device(list(data["ahead"]), node._device)
    saved = dict(data["window"])
    batches = to_device(saved.pop("batches"), node._device)
    weights = saved.pop("weights", [[1.0] * len(step) for step in batches])
    parts: list[Any] = [
        list(map(WeightedBatch, *step)) for step in zip(batches, weights, strict=True)
    ]
    node.window = type(node.window)(batches=parts, **saved)


def _check(path: Any, state: Any, stepper: Stepper) -> None:
    nodes, ranks = stepper.nodes, stepper.ranks

    def refuse(why: str) -> None:
        raise ValueError(f"{path} cannot be resumed here: {why}.")

    if not isinstance(state, Mapping) or state.get("format") != _FORMAT:
        refuse("it was not written by `Engine.save` of this version")
    theirs, mine = [*state["problems"], *state["ranks"][0]["problems"]], list(nodes)
    if sorted(theirs) != sorted(mine):
        refuse(f"its problems are {', '.join(theirs)}, and those of this engine {', '.join(mine)}")
    if len(state["ranks"]) != ranks.size:
        refuse(f"it was written by {len(state['ranks'])} processes, and here are {ranks.size}")
    data = state["ranks"][ranks.rank]["data"]
    for name, problem in state["problems"].items():
        why = _difference(nodes[name], problem, data[name])
        if why is not None:
            refuse(why)
    lowers = {name: set(made) for name, made in stepper.schedule.state_dict().items()}
    if {name: set(made) for name, made in state["schedule"].items()} != lowers:
        refuse("its problems depend on one another in another way")


def _difference(node: Node, state: Mapping[str, Any], data: Mapping[str, Any]) -> str | None:
    """Return how a problem differs from the saved one, or None."""
    problem, name = node.problem, repr(node.name)
    if [p.shape for p in state["held"]] != [p.shape for p in problem._held]:
        return f"the parameters of problem {name} have other shapes there"
    module = problem._module
    there, here = state.get("module", {}), {} if module is None else module.state_dict()
    for key in sorted({*there, *here}):
        if _shape(there.get(key)) != _shape(here.get(key)):
            return f"the module of problem {name} has other entries there, such as {key!r}"
    kinds, precision = state["kinds"], problem.config.precision or "fp32"
    for what, saved, mine in (
        *[(what, kinds[what], kind) for what, kind in kinds_of(problem).items()],
        ("precision", state["precision"]["name"], precision),
        ("number of loaders", len(data["loaders"]), len(node.loaders)),
        ("set of generators", sorted(data["generators"]), sorted(_generators(node))),
    ):
        if saved != mine:
            return f"the {what} of problem {name} was {saved}, and is {mine} here"
    return None


def _shape(value: Any) -> Any:
    return getattr(value, "shape", None)

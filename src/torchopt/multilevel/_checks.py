"""Checks of a program before its first step; each mistake is one sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

import torch

from torchopt import checks
from torchopt.autodiff.environment import Environment
from torchopt.autodiff.graph import leaves_reached
from torchopt.diff import Explicit, Implicit
from torchopt.multilevel._config import Config, EngineConfig
from torchopt.multilevel._graph import Dependencies
from torchopt.multilevel._node import Node
from torchopt.multilevel._parallel import Ranks
from torchopt.multilevel._problem import Problem, evaluate, viewed

_SWAPPED = (
    "are `u2l` and `l2u` swapped (`u2l` is {upper: [lowers that read its parameters]}, `l2u` is "
    "{lower: [uppers that read its solution]})?"
)


def check_shared(problems: Sequence[Problem]) -> None:
    """Refuse a tensor that two problems train."""
    owner: dict[int, str] = {}
    for problem in problems:
        for p in problem._held:
            if owner.setdefault(id(p), problem.name) != problem.name:
                raise ValueError(
                    f"problems {owner[id(p)]!r} and {problem.name!r} train the same tensor, of "
                    f"shape {tuple(p.shape)}: give it to the optimizer of one of them."
                )


def program(
    problems: Sequence[Problem], config: EngineConfig, dependencies: Dependencies
) -> dict[str, Any]:
    """Return the settings that must be equal in all processes, by their names in messages."""
    own = ("folder", "sink", "progress", "backend", "checkpoint", "log_step")
    settings_of_run: dict[str, Any] = {
        "the order of problems": [p.name for p in problems],
        "the dependencies": dependencies,
        "whether there is a `checkpoint`": config.checkpoint is not None,
    }
    configs: dict[str, Config | EngineConfig] = {"`EngineConfig`": config}
    configs |= {f"the config of problem {p.name!r}": p.config for p in problems}
    for what, settings in configs.items():
        for f in fields(settings):
            value = getattr(settings, f.name)
            plain = isinstance(value, int | float | str | None)
            if f.name not in own:
                settings_of_run[f"`{f.name}` of {what}"] = value if plain else type(value).__name__
    for p in problems:
        module = p._module
        buffers = {} if module is None else dict(module.named_buffers())
        shapes = [(tuple(t.shape), t.dtype) for t in (*p._held, *buffers.values())]
        settings_of_run[f"the list of shapes and dtypes of problem {p.name!r}"] = shapes
        settings_of_run[f"the optimizer of problem {p.name!r}"] = type(p.optimizer).__name__
    return settings_of_run


def check_modes(nodes: Mapping[str, Node], dependencies: Dependencies, ranks: Ranks) -> None:
    """Refuse modes that cannot be combined, or cannot be used at their place in the graph."""
    _check_direction(nodes, dependencies)
    for name, node in nodes.items():
        read = (*dependencies.reads(name), *dependencies.solutions(name))
        ranks.check_mode(node, [nodes[other] for other in read])
        below = [nodes[lower] for lower in dependencies.below(name)]
        if _is_forward(node):
            for lower in below:
                if _is_forward(lower):
                    raise ValueError(
                        f'problem {name!r} has hvp="forward", and so has problem {lower.name!r} '
                        f'below it, but PyTorch cannot nest forward mode: use hvp="reverse" in one.'
                    )
        if node.scope == "run" and below:
            raise ValueError(
                f"problem {name!r} is solved again at other values of the problems above it, "
                f"where those below it ({', '.join(lower.name for lower in below)}) would stay: "
                f"choose another mode, or write the program with `torchopt.multilevel.Level`."
            )
        unrolled = [lower for lower in below if lower.unrolled]
        again = unrolled if node.unrolled else [u for u in unrolled if dependencies.lowers(u.name)]
        if node.problem.config.repeat > 1 and again:
            raise ValueError(
                f"problem {name!r} has repeat={node.problem.config.repeat}, but the unrolled steps "
                f"of problem {again[0].name!r} below it are of its first step's values: use "
                f"repeat=1, or another mode there."
            )
        if node.unrolled and node.explicit.memory != "graph" and dependencies.lowers(name):
            raise ValueError(
                f"problem {name!r} is unrolled with memory={node.explicit.memory!r}, which is for "
                f'a problem with none below it: use memory="graph" there.'
            )


def _is_forward(node: Node) -> bool:
    return isinstance(node.mode, (Explicit, Implicit)) and node.mode.hvp == "forward"


def _check_direction(nodes: Mapping[str, Node], dependencies: Dependencies) -> None:
    """Refuse an uppermost problem that names a mode while a problem below it names none."""
    for name, node in nodes.items():
        settings = _settings(node)
        plain = [low for low in dependencies.lowers(name) if not _settings(nodes[low])]
        if node.mode is None and settings and plain:
            raise ValueError(
                f"the config of problem {name!r} has {settings[0]}, which is for a problem with "
                f"another above it, but by the dependencies nothing is above {name!r}, and "
                f"{plain[0]!r}, which is below it, has no such setting: {_SWAPPED} If they are "
                f"right, move the setting to the config of {plain[0]!r}."
            )


def _settings(node: Node) -> list[str]:
    """Return the settings of a problem's config that say how its solution is differentiated."""
    config = node.problem.config
    values = [(f.name, getattr(config, f.name), f.default) for f in fields(config)]
    return [f"{n}={v!r}" for n, v, old in values if n in config._of_lowers and v != old]


def check_reads(
    node: Node,
    batch: Any,
    problems: Sequence[Problem],
    dependencies: Dependencies,
    ranks: Ranks,
) -> str | None:
    """Evaluate a loss without side effects, and compare the problems that it reads with the edges.

    Returns:
        What is wrong with the edges, in a sentence; None if nothing is.
    """
    problem = node.problem
    ranks.weighted(problem, [batch])  # parts that are refused are so in all processes
    fixed = {other for other in problems if ranks.in_place(other)}
    stand_ins = {
        other: [p.detach().requires_grad_() for p in other._held]
        for other in problems
        if other not in fixed
    }
    environment = Environment()
    with environment.evaluation():
        with torch.enable_grad(), viewed(stand_ins), node.precision.autocast():
            loss, _ = evaluate(problem, batch)
        ranks.check_parts(problem, batch, loss)
    leaf_ids = {id(t) for t in leaves_reached([loss])}
    depended_on = {
        other.name for other, ts in stand_ins.items() if any(id(t) in leaf_ids for t in ts)
    }
    reads = set(dependencies.reads(node.name))
    solutions = set(dependencies.solutions(node.name))
    depended_on |= {other.name for other in fixed} & (reads | solutions | {node.name})
    if node.mode is not None and node.name not in depended_on:
        checks.check_loss(loss, what=f"the loss of problem {node.name!r}", value=False)
        above = dependencies.uppers(node.name)[0]
        return (
            f"the loss of problem {node.name!r} does not depend on its own parameters, so that it has "
            f"no solution for problem {above!r} above it to read: {_SWAPPED}"
        )
    for other in sorted(depended_on - reads - solutions - {node.name}):
        return (
            f"an edge is missing: the loss of problem {node.name!r} depends on the parameters of "
            f"problem {other!r}; add {{{other!r}: [{node.name!r}]}} to `u2l` if {other!r} is above "
            f"it, or to `l2u` if it is below; or read them without a gradient, under "
            f"torch.no_grad()."
        )
    for other in sorted(solutions - depended_on):
        return _no_way(node, "solution", other, "l2u")
    if node.scope == "run" and not node.unrolled:
        return None  # needs no derivative in what is above
    for other in sorted(reads - depended_on):
        return _no_way(node, "parameters", other, "u2l")
    return None


def _no_way(node: Node, what: str, other: str, edges: str) -> str:
    return (
        f"the dependencies say that the loss of problem {node.name!r} depends on the {what} of "
        f"problem {other!r}, but autograd finds no way: use `self.{other}` in its `training_step`, "
        f"without detaching it, or remove the edge from `{edges}`."
    )

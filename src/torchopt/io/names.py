"""Names in files: by which path a pickle finds a class or function, and what PyTorch loads safely.

A pickle names things by ``__module__``. What the package exports has its public path there, so that
modules may be moved and files still load.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from types import FunctionType, ModuleType
from typing import Any, ForwardRef

import torch

__all__ = ["WRITTEN_IN", "publish", "set_module"]

#: Where the classes of states stood when files named the private modules: to be added to only if a
#: name that files have is moved or renamed.
FORMER = {
    "torchopt.base": """
        transform._base.EmptyState transform._base.UninitializedState
        transform.chaining.EmptyState transform.chaining.UninitializedState
    """,
    "torchopt.transform": """
        alias._adagrad.ScaleByDecayState
        transform._masked.MaskedState
        transform._scale.ScaleByScheduleState
        transform._scale_by_adadelta.ScaleByAdadeltaState
        transform._scale_by_adam.ScaleByAdamState
        transform._scale_by_adamax.ScaleByAdamaxState
        transform._scale_by_amsgrad.ScaleByAmsgradState
        transform._scale_by_radam.ScaleByRAdamState
        transform._scale_by_rms.ScaleByRmsState transform._scale_by_rms.ScaleByRStdDevState
        transform._scale_by_rss.ScaleByRssState
        transform._trace.TraceState
    """,
    "torchopt.diff.zero_order": """
        diff.zero_order._persistent.Particles
        diff.zero_order._search.SearchState
        diff.zero_order._seed_replay.ProjectedGradient
    """,
    "torchopt.multilevel": "multilevel._level.LevelState",
    "torchopt.solver": """
        solver._anderson.AndersonState
        solver._broyden.BroydenState
        solver._fixed_point_iteration.FixedPointState
        solver._lbfgs.LBFGSState
        solver._levenberg_marquardt.LevenbergMarquardtState
        solver._newton.NewtonState
        solver._solver.Run
    """,
}

#: The module in which the text of each exported path is, for tools that show source.
WRITTEN_IN: dict[str, str] = {}


def publish(root: str) -> None:
    """Name what a package exports by its shortest path, and let ``torch.load`` load its NamedTuples.

    Args:
        root: The name of the package. The modules that it exports, and those that these export, follow.
    """
    for room, thing in _exported(root):
        WRITTEN_IN[f"{room}.{thing.__name__}"] = thing.__module__
        if isinstance(thing, type):
            _bind_annotations(thing)
            if issubclass(thing, tuple):  # holds data only
                torch.serialization.add_safe_globals([thing])
        set_module(thing, room)
    torch.serialization.add_safe_globals([*_former()])


def _exported(root: str) -> Iterator[tuple[str, Any]]:
    """Yield the room of the shortest path of each class and function, and the thing."""
    queue, found = [root], dict[Any, list[str]]()
    for room in queue:  # which grows
        module = importlib.import_module(room)
        for name in module.__all__:
            thing = getattr(module, name)
            if isinstance(thing, ModuleType):
                queue += [thing.__name__] if thing.__name__ == f"{room}.{name}" else []
            elif not isinstance(thing, (type, FunctionType)) or thing.__qualname__ != name:
                continue
            elif thing.__module__.startswith("torchopt."):
                found.setdefault(thing, []).append(room)
    for thing, places in found.items():
        # Of equals that in which it is written.
        yield min(places, key=lambda room: (room.count("."), room != thing.__module__)), thing


def set_module(thing: Any, module: str) -> None:
    """Name a class, with the functions that are written in it, or a function by a module."""
    thing.__module__ = module
    for name, part in vars(thing).items():
        function = getattr(part, "__func__", part)  # of a class method
        if (
            isinstance(function, FunctionType)
            and function.__qualname__ == f"{thing.__name__}.{name}"
        ):
            function.__module__ = module


def _bind_annotations(cls: type) -> None:
    """Have annotations that are text looked up in the module in which they are written."""
    annotations = vars(cls).get("__annotations__", {})
    texts = {name: getattr(x, "__forward_arg__", x) for name, x in annotations.items()}
    for name, text in texts.items():
        if isinstance(text, str):
            annotations[name] = ForwardRef(text, module=cls.__module__, is_class=True)


def _former() -> Iterator[tuple[Any, str]]:
    """Yield classes by the names that they had in files."""
    for room, names in FORMER.items():
        for name in names.split():
            thing = getattr(importlib.import_module(room), name.rpartition(".")[2])
            yield thing, f"torchopt.{name}"

"""Names: by which path users and files find a class or function, and what PyTorch loads safely.

A pickle names things by ``__module__``. What a room exports has its public path there, so that modules
may be moved and files still load.
"""

from __future__ import annotations

import difflib
import functools
import importlib
import pkgutil
import sys
from collections.abc import Iterable, Iterator
from types import FunctionType, ModuleType
from typing import Any, ForwardRef

import torch

from torchopt.io import published

#: Where each name of the package itself is written or exported: it is imported when it is asked for.
HOMES = {
    name: f"torchopt.{home}"
    for home, names in {
        "autodiff.exact": "higher_order",
        "autodiff.remat": "remat",
        "diff": "Constraints Solution",
        "meta": "check_meta_grad check_solution check_training meta_grad_and_value vmap_tasks",
        "optim": "MetaAdam MetaOptimizer MetaSGD Optimizer from_torch to_torch",
        "optim.states": "extract_state_dict recover_state_dict stop_gradient",
        "optimizers": "adadelta adagrad adam adamax adamw lbfgs lion muon radam rmsprop sgd",
        "solver": "fixed_point least_squares minimize plan quadratic_program root",
        "transform": "GradientTransformation apply_updates chain",
    }.items()
    for name in names.split()
}


#: What other libraries call a thing, and what it is called here.
_MEANT = {
    "clipbyglobalnorm": "clip_grad_norm",
    "clipbyvalue": "clip",
    "lasso": "L1",
    "ridge": "SquaredL2",
}


def no_such(path: str, name: str, rooms: Iterable[str] = ()) -> AttributeError:
    """Return the error about a name that a module has not, with what to write instead.

    Args:
        path: The module.
        name: The name.
        rooms: Of the package, the rooms that may have the name.
    """
    error = f"module {path!r} has no attribute {name!r}"
    names = sys.modules[path].__all__
    homes = [x for x in rooms if name in importlib.import_module(f"torchopt.{x}").__all__]
    # Of names that differ in a last underscore, the one without.
    spelled = {_spelling(n): n for n in sorted(names, reverse=True)}
    same = _spelling(name)
    same = _spelling(_MEANT.get(same, name))
    makes = rooms or path in ("torchopt.optim", "torchopt.solver")
    function = optimizer_of(name) if makes else None
    if homes:
        error += f": use `torchopt.{homes[0]}.{name}`."
    elif function is not None and same not in spelled and path == "torchopt.solver":
        error += f": use `torchopt.optimizers.{function}(...)`."
    elif function is not None and (name.startswith("Meta") or same not in spelled):
        error += f": use `torchopt.MetaOptimizer(module, torchopt.optimizers.{function}(...))`."
    elif not name.startswith("_"):
        near = [same] if same in spelled else difflib.get_close_matches(same, spelled, 2, 0.75)
        near = near or [n for n in sorted(spelled, key=len) if n.startswith(same)][:2]
        error += f": did you mean {' or '.join(repr(spelled[n]) for n in near)}?" if near else ""
    # With an object, lest Python advises to use a private module that it finds in this one.
    return AttributeError(error, name=name, obj=None)


def optimizer_of(name: str) -> str | None:
    """Return the name of the function that makes the optimizer of a class; None if there is none."""
    functions = {_spelling(n): n for n in importlib.import_module(HOMES["adam"]).__all__}
    return functions.get(name.removeprefix("Meta").lower())


def _spelling(name: str) -> str:
    return name.replace("_", "").lower()


#: The states: classes that lie in files, of which only the names are promised. They and
#: :data:`RESULTS` hold data only, and ``torch.load(weights_only=True)`` loads them.
DATA = {
    "torchopt.diff.zero_order": "Particles SearchState",
    "torchopt.multilevel": "LevelState SingleLoopState",
    "torchopt.solver": """
        AndersonState AugmentedLagrangianState BFGSState BlockCoordinateDescentState BroydenState
        DoglegState DouglasRachfordState FixedPointState FrankWolfeState LBFGSBState LBFGSState
        LevenbergMarquardtState MirrorDescentState NewtonState NonlinearCGState
        ProximalGradientState
    """,
    "torchopt.optim": "ModuleState",
    "torchopt.transform": """
        UninitializedState
        MaskedState ScaleByAdadeltaState ScaleByAdamState ScaleByAdamaxState ScaleByAmsgradState
        ScaleByDecayState ScaleByRAdamState ScaleByRStdDevState ScaleByRmsState ScaleByRssState
        ScaleByScheduleState TraceState
        LearnedState
        ScaleByAdafactorState ScaleByGaloreState ScaleByMuonState ScaleBySM3State ScaleBySOAPState
        ScaleByKronState ScaleByShampooState
        MechanicState ReduceLROnPlateauState SAMState ScaleBySophiaState
        ScaleByBacktrackingLinesearchState ScaleByLBFGSState ScaleByZoomLinesearchState
        ApplyIfFiniteState ConditionallyMaskState ConditionallyTransformState EmaState
        InjectHyperparamsState LookaheadState MonitorState MultiStepsState PartitionState
        PolyakAverageState ResetState SnapshotState DifferentiallyPrivateAggregateState
        AddNoiseState ScaleByAdemamixState ScaleByAdoptState ScaleByCocobState ScaleByMadgradState
        ScaleByOptimisticGradientState ScaleBySignumState ScheduleFreeState ScaleByCorrectedRmsState
        ScaleByNovogradState
        ScaleByDAdaptAdamState ScaleByDogState ScaleByProdigyState
        ScaleByMomoState
        ScaleByAdanState ScaleByAsgdState ScaleByBeliefState ScaleByLionState ScaleByNAdamState
        ScaleByRpropState ScaleByYogiState
    """,
}

#: Classes in files that programs read, too: what the list ``core`` has of them is promised.
RESULTS = {
    "torchopt": "Solution",
    "torchopt.diff": "ConstrainedStats QuadraticStats Stats",
    "torchopt.diff.zero_order": "SeedReplayGradient",
    "torchopt.distributed.world": "WorldInfo",
    "torchopt.linear_solve": "LinearSolution",
    "torchopt.multilevel": "LevelGradient LevelStep",
    "torchopt.quadratic": "Certificate Point Program",
    "torchopt.transform": "EmptyState",
    "torchopt.visual": "Explanation",
}

#: The path of a class by the one that files of an earlier release name.
FORMER = {
    "torchopt.base.EmptyState": "torchopt.transform.EmptyState",
    "torchopt.base.UninitializedState": "torchopt.transform.UninitializedState",
    "torchopt.diff.Solution": "torchopt.Solution",
    "torchopt.distributed.WorldInfo": "torchopt.distributed.world.WorldInfo",
    "torchopt.linear_solve.Stats": "torchopt.diff.Stats",
    "torchopt.linear_solve.stats.Stats": "torchopt.diff.Stats",
    "torchopt.utils.ModuleState": "torchopt.optim.ModuleState",
}

#: The module in which the text of each exported path is, for tools that show source.
WRITTEN_IN: dict[str, str] = {}


def publish(room: str) -> None:
    """Name what a room exports by its shortest path. Each room does this when it has been imported.

    The modules that the room exports, and those that these export, follow; so do the modules that the
    room had in TorchOpt 0.7.3. The package's names are bound now: asked for later, they might be what
    a test has put into the room for a time.

    Args:
        room: The full name of the room.
    """
    package = vars(sys.modules["torchopt"])
    queue = [room]
    for path in queue:  # which grows
        module = importlib.import_module(path)
        vars(module).setdefault("__dir__", functools.partial(list, module.__all__))
        vars(module).setdefault("__getattr__", functools.partial(_missing, path))
        for name in module.__all__:
            thing = getattr(module, name)
            if HOMES.get(name) == path:
                package.setdefault(name, thing)
            if isinstance(thing, ModuleType):
                queue += [thing.__name__] if thing.__name__ == f"{path}.{name}" else []
            elif not isinstance(thing, (type, FunctionType)) or thing.__qualname__ != name:
                continue
            elif thing.__module__.partition(".")[0] == "torchopt":
                name_as(thing, "torchopt" if HOMES.get(name) == path else path)
    published.install(room)


def _missing(path: str, name: str) -> Any:
    raise no_such(path, name)


def import_rooms() -> None:
    """Import all rooms, before several threads do, which can make Python import a module in part."""
    package = importlib.import_module(__name__.partition(".")[0])
    for name in package.__all__:
        getattr(package, name)


def name_as(thing: Any, place: str) -> None:
    """Name a class or function by a place that exports it, unless it has a shorter name already."""
    path, former = f"{place}.{thing.__name__}", f"{thing.__module__}.{thing.__name__}"
    written = WRITTEN_IN.get(former, thing.__module__)
    if former in WRITTEN_IN:
        # Of equals that in which it is written.
        if (place.count("."), place != written) >= (
            former.count(".") - 1,
            thing.__module__ != written,
        ):
            return
        del WRITTEN_IN[former]
    elif isinstance(thing, type):
        _bind_annotations(thing)
    WRITTEN_IN[path] = written
    set_module(thing, place)


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


def allow_data() -> None:
    """Let ``torch.load(weights_only=True)`` load states and results, by present and former names.

    Rooms need not have been imported: what a file names is.
    """
    present = [f"{room}.{name}" for table in (DATA, RESULTS) for room, name in pairs(table)]
    targets = {path: path for path in present} | FORMER
    allowed: list[Any] = [(_stand_in(target), path) for path, target in targets.items()]
    torch.serialization.add_safe_globals(allowed)


def pairs(table: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Yield each room of a table with each of its names."""
    return ((room, name) for room, names in table.items() for name in names.split())


def _stand_in(path: str) -> type:
    """Return what makes an object of the class at a path."""

    def new(cls: type, *args: Any) -> Any:
        thing = pkgutil.resolve_name(path)
        # PyTorch asks whether the class is allowed, too, before it sets attributes.
        torch.serialization.add_safe_globals([(thing, f"{path} itself")])
        return thing.__new__(thing, *args)

    return type(path, (), {"__new__": new})

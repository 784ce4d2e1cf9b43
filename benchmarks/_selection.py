"""What `benchmarks.trend` measures: a few cases of the other benchmarks, each beside a baseline.

A row of the trend is the time of a baseline / ours. The baseline is PyTorch alone, or another library:
never other code of ours, or a change of that would look like a change of what is beside it.
"""

from __future__ import annotations

import contextlib
import functools
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks import _runner, implicit, import_time, memory, meta_step, optimizer, peers
from benchmarks._lane import Case, ProcessLane
from benchmarks._runner import Contender

Samples = dict[str, list[float]]
Targets = Mapping[str, str]
PUBLISHED, JAX = "published", "JAX"


class Setting(NamedTuple):
    """How much is measured, and where.

    Attributes:
        threads: Threads of torch.
        device: Where the tensors are.
        rounds: The interleaved rounds of a case.
        budget: The least seconds of a contender's turn.
        python: The interpreter of the peers, if they are installed.
        cache: A folder for what processes share.
    """

    threads: int
    device: str
    rounds: int
    budget: float
    python: Path | None
    cache: str

    def lane(self, peer: str = "", variables: Mapping[str, str] | None = None) -> ProcessLane:
        """Return a new process, of ours or of a peer."""
        if not peer:
            return ProcessLane(sys.executable, self.threads, path=sys.path, variables=variables)
        assert self.python is not None
        own = peers.xla(self.threads) if peer == JAX else {}
        return ProcessLane(self.python, self.threads, variables={**own, **(variables or {})})


class Contest(NamedTuple):
    """Contenders that are timed in the same rounds.

    Attributes:
        name: What the rows are called first.
        case: What every contender is given.
        baseline: The name and the target of PyTorch alone.
        ours: Targets by name.
        theirs: Targets of peers by name: their process, the target, and which of ours is beside it.
    """

    name: str
    case: Case
    baseline: tuple[str, str]
    ours: Targets
    theirs: Mapping[str, tuple[str, str, str]] = {}

    def measure(self, setting: Setting, lanes: Mapping[str, ProcessLane]) -> Samples:
        """Return the ratios of each row, round by round."""
        first, target = self.baseline
        pairs = [(first, name) for name in self.ours]
        contenders = [Contender(first, f"benchmarks.{target}", lanes[""])]
        contenders += [Contender(n, f"benchmarks.{t}", lanes[""]) for n, t in self.ours.items()]
        for name, (peer, target, beside) in self.theirs.items():
            if peer in lanes:
                contenders.append(Contender(name, f"benchmarks.{target}", lanes[peer]))
                pairs.append((name, beside))
        case = {
            "dtype": "float32", "device": setting.device, "cache": setting.cache, **self.case
        }  # fmt: skip
        times = _runner.measure(contenders, case, rounds=setting.rounds, budget=setting.budget)
        return {f"{self.name}: {a} / {b}": ratios(times[a], times[b]) for a, b in pairs}


def ratios(theirs: Sequence[float], ours: Sequence[float]) -> list[float]:
    """Return the ratios within rounds."""
    return [a / b for a, b in zip(theirs, ours, strict=True)]


def contests(found: Sequence[Contest], setting: Setting) -> Samples:
    """Measure one after the other, in processes of their own."""
    kinds = {peer for each in found for peer, *_ in each.theirs.values()} if setting.python else ()
    samples: Samples = {}
    with contextlib.ExitStack() as stack:
        lanes = {kind: stack.enter_context(setting.lane(kind)) for kind in ("", *sorted(kinds))}
        for each in found:
            _runner.progress(each.name)
            samples |= each.measure(setting, lanes)
    return samples


def _optimizer(name: str) -> Contest:
    case = {"shapes": optimizer.CASES[name]}
    theirs = {"0.7.3": (PUBLISHED, "_optimizer:published", "ours")}
    targets = {"ours": "_optimizer:ours"}
    return Contest(f"optimizer, {name}", case, ("plain", "_optimizer:plain"), targets, theirs)


def _maml(model: str, kind: str, *, more: bool = False) -> Contest:
    case = {"model": model, "optimizer": kind, "steps": 5, "tasks": 4, "shots": 1, "width": 64}
    ours = {"minimize": "_maml_minimize:loop"}
    theirs = {"0.7.3": (PUBLISHED, "_maml_torchopt:functional", "minimize")}
    if more:
        ours |= {"OOP": "_maml_torchopt:oop", "vmap": "_maml_minimize:vmapped"}
        theirs["0.7.3, OOP"] = (PUBLISHED, "_maml_torchopt:oop", "OOP")
    name = f"maml_step, {model}, {kind}"
    return Contest(name, case, ("by hand", "_maml_plain:loop"), ours, theirs)


def _meta_step(tasks: int) -> Contest:
    case = {"model": "sinusoid", **meta_step.MODELS["sinusoid"], "tasks": tasks, "steps": 5}
    ours = {"batched": "_maml_minimize:vmapped", "compiled": "_maml_minimize:compiled"}
    return Contest(
        f"meta_step, {tasks} task{'s' * (tasks > 1)}",
        {**case, "optimizer": "adam", "eps": meta_step.EPS},
        ("torch.func", "_maml_plain:vmapped"),
        ours,
        {JAX: (JAX, "_maml_jax:scanned", "compiled")},
    )


def _implicit(name: str) -> Contest:
    return Contest(
        f"implicit, {name}",
        implicit.CASES[name],
        ("as hypertorch", "_implicit_hypertorch:cg"),
        {"minimize": "_implicit_minimize:cg", "custom_root": "_implicit_torchopt:root"},
        {
            "0.7.3": (PUBLISHED, "_implicit_torchopt:root", "custom_root"),
            "JAXopt": (JAX, "_implicit_jaxopt:cg", "minimize"),
        },
    )


def _multilevel(mode: str) -> Contest:
    case = {"width": 300, "batch": 128, "steps": 1}
    ours = {"engine": f"_multilevel:{mode}"}
    return Contest(f"multilevel, {mode}", case, ("by hand", f"_multilevel:{mode}_by_hand"), ours)


def _pytree(operation: str, tree: str) -> Contest:
    case = {"operation": operation, "tree": tree}
    ours = {"ours": "_pytree:ours"}
    return Contest(f"pytree, {operation}, {tree}", case, ("optree", "_pytree:optree"), ours)


def _memory(setting: Setting) -> Samples:
    """Return the MiB and the seconds of an unroll by hand / ours, each in a fresh process."""
    case = {
        "model": "mlp", "width": 256, "blocks": 4, "examples": 1024, "optimizer": "sgd", "steps": 10,
        "dtype": "float32", "device": setting.device,
    }  # fmt: skip

    def cost(target: str, mode: Case) -> tuple[float, float]:
        with setting.lane(variables=memory.ALLOCATOR) as lane:
            return lane.cost(f"benchmarks._memory:{target}", {**case, "mode": mode})

    _runner.progress("memory")
    by_hand = cost("by_hand", {})
    samples = {}
    for name in ("graph", "step", "tree"):
        found = cost("unroll", {"memory": name})
        for unit, theirs, ours in zip(("MiB", "seconds"), by_hand, found, strict=True):
            samples[f"memory, {name}: by hand / ours, {unit}"] = [theirs / ours]
    return samples


def _imports(setting: Setting) -> Samples:
    """Return the seconds of `import torch` / what the use of `torchopt.minimize` adds to them."""
    _runner.progress("import")
    base, ours = import_time.BASE, "import torchopt; torchopt.minimize"
    timers = {x: functools.partial(import_time.seconds, x) for x in (base, ours)}
    times = _runner.interleave(timers, min(setting.rounds, 2))
    added = [b - a for a, b in zip(times[base], times[ours], strict=True)]
    return {"import_time: torch / what torchopt.minimize adds": ratios(times[base], added)}


def _first_call(setting: Setting) -> Samples:
    """Return the first call of a small compiled function / that of a meta-step, nothing cached."""
    _runner.progress("first call")
    case = {**_meta_step(32).case, "dtype": "float32", "device": setting.device}
    plain = {"shapes": optimizer.MLP, "dtype": "float32", "device": setting.device}
    with (
        tempfile.TemporaryDirectory() as cache,
        setting.lane(variables={"TORCHINDUCTOR_CACHE_DIR": cache}) as lane,
    ):
        lane.gradient(meta_step.COMPILERS[meta_step.COMPILED], case)
        theirs = lane.first("benchmarks._optimizer:compiled", plain)
        ours = lane.first(meta_step.TARGETS[meta_step.COMPILED], case)
    return {"first_call, 32 tasks: torch.compile of Adam / compiled": [theirs / ours]}


PARTS: dict[str, Sequence[Contest] | Callable[[Setting], Samples]] = {
    "optimizer": [
        _optimizer("1e4"),
        _optimizer("1e6"),
        _optimizer("MLP, 6 tensors"),
        _optimizer("300 small tensors"),
    ],
    "maml_step": [
        _maml("mlp", "sgd", more=True),
        _maml("mlp", "adam"),
        _maml("cnn", "sgd"),
    ],
    "meta_step": [_meta_step(1), _meta_step(32)],
    "first_call": _first_call,
    "implicit": [
        _implicit("ridge, 200 x 20"),
        _implicit("logistic, 2000 x 100"),
    ],
    "multilevel": [_multilevel("darts"), _multilevel("cg")],
    "memory": _memory,
    "pytree": [
        _pytree(operation, tree)
        for operation in ("flatten", "unflatten", "map")
        for tree in ("ResNet18", "MLP, dict of dicts")
    ],
    "import_time": _imports,
}


def measure(parts: Sequence[str], setting: Setting, runs: int) -> Samples:
    """Return the ratios of each row of so many runs, each of which starts its processes anew."""
    samples: dict[str, list[float]] = defaultdict(list)
    for run in range(runs):
        _runner.progress(f"run {run + 1} of {runs}")
        for name in parts:
            part = PARTS[name]
            found = part(setting) if callable(part) else contests(part, setting)
            for row, sample in found.items():
                samples[row] += sample
    return dict(samples)

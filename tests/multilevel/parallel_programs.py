"""Programs that one process runs on all data, and several run on their parts."""

from __future__ import annotations

import copy
import itertools
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
from _toys import typed
from torch import nn
from torch.utils._pytree import tree_map

import torchopt
from torchopt.distributed import spmd
from torchopt.linear_solve import CG, Dense
from torchopt.multilevel import Config, Engine, EngineConfig, Env, Problem

SAMPLES = 8
FEW = torchopt.diff.zero_order.Antithetic(num_samples=3, sigma=0.1)
MODES: dict[str, dict[str, Any]] = {
    "darts": {},
    "reverse": {"diff": torchopt.diff.OneStep(step_size=0.1, hvp="reverse")},
    "sama": {"diff": torchopt.diff.OneStep(hvp="finite_difference", eps=0.01)},
    "neumann": {"type": "neumann", "neumann_alpha": 0.2, "neumann_iterations": 3},
    "cg": {"type": "cg", "cg_iterations": 4},
    "f2sa": {"type": "f2sa"},
    "implicit": {"diff": torchopt.diff.Implicit(Dense())},
    "implicit_forward": {
        "diff": torchopt.diff.Implicit(CG(maxiter=4, on_failure="ignore"), hvp="forward")
    },
    "unroll": {"type": "unroll", "unroll_steps": 3},
    "unroll_recomputed": {"diff": torchopt.diff.Explicit(memory="step"), "unroll_steps": 3},
    "zero_order_drawn": {"diff": torchopt.diff.ZeroOrder(FEW), "unroll_steps": 2},
    "zero_order": {"diff": torchopt.diff.ZeroOrder(FEW, generator=7), "unroll_steps": 2},
}


Sizes = Sequence[int] | None
"""How many samples each process has; None for equal parts."""


def part(*tensors: torch.Tensor, sizes: Sizes = None) -> tuple[torch.Tensor, ...]:
    """Return this process's share of data, all of them where there is one process."""
    if not dist.is_initialized():
        return tensors
    rank, size = dist.get_rank(), dist.get_world_size()
    if sizes is not None:
        return tuple(t.split(list(sizes))[rank] for t in tensors)
    return tuple(t.tensor_split(size)[rank] for t in tensors)


def data(seed: int, sizes: Sizes = None) -> list[Any]:
    """Return a loader with one batch."""
    generator = torch.Generator().manual_seed(seed)
    samples = SAMPLES if sizes is None else sum(sizes)
    x = torch.randn(samples, 3, generator=generator, dtype=torch.float64)
    scale = torch.linspace(0.2, 3, samples, dtype=torch.float64)  # no part is like another
    y = torch.randn(samples, 1, generator=generator, dtype=torch.float64)
    return [part(x * scale[:, None], y, sizes=sizes)]


def network(sizes: tuple[int, ...], seed: int) -> nn.Module:
    """Return a network in float64, with the same weights in each process."""
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        layers: list[nn.Module] = []
        for a, b in itertools.pairwise(sizes):
            layers += [nn.Linear(a, b), nn.Tanh()]
        return nn.Sequential(*layers[:-1]).double()


def decay(problem: Problem) -> Any:
    """Return a loss of parameters, which are read where they are."""
    return sum(p.square().sum() for p in problem.module.parameters())


class Classifier(Problem):
    """Samples are weighted by their losses, which are constants there."""

    def training_step(self, batch: Any) -> torch.Tensor:
        x, y = batch
        losses = (self.module(x) - y).square()
        loss = (self.outer(losses).sigmoid() * losses).mean()
        return loss + 0.05 * decay(self) if self.extra_config else loss


class Outer(Problem):
    def training_step(self, batch: Any) -> dict[str, torch.Tensor]:
        x, y = batch
        loss = (self.inner.module(x) - y).square().mean() + 0.1 * self.module(y).square().mean()
        return {"loss": loss + 0.01 * decay(self) if self.extra_config else loss, "size": len(x)}


BILEVEL = {"u2l": {"outer": ["inner"]}, "l2u": {"inner": ["outer"]}}
ADAM = torch.optim.Adam


def reweighting(
    mode: str,
    strategy: str,
    *,
    shard: str | None = None,
    settings: Any = None,
    sizes: tuple[Sizes, Sizes] = (None, None),
) -> Engine:
    """Return a bilevel program; with ``shard``, of modules that may be sharded, and whose are."""
    chosen = {"unroll_steps": 2, **MODES[mode], **(settings or {})}
    net, weigher = network((3, 4, 1), 1), network((1, 3, 1), 2)
    for name, module in (("inner", net), ("outer", weigher)):
        if name in (shard or ""):
            fully_sharded(module)
    inner = Classifier(
        "inner",
        typed(**chosen),
        net,
        ADAM(net.parameters(), lr=0.05),
        train_data_loader=data(3, sizes[0]),
        extra_config=shard is None,
    )
    outer = Outer(
        "outer",
        None,
        weigher,
        ADAM(weigher.parameters(), lr=0.05),
        train_data_loader=data(4, sizes[1]),
        extra_config=shard is None,
    )
    # A step of the outer problem, and some of the inner one after it or with accumulated gradients.
    iterations = 4 if "gradient_accumulation" in chosen else 3
    config = EngineConfig(train_iters=iterations, strategy=strategy, check=False)
    return Engine([outer, inner], config, BILEVEL)


def outcome(engine: Engine) -> dict[str, Any]:
    """Return the loss and hypergradient of the uppermost problem, and the values after some steps."""
    engine.run()
    top = engine.problems[0]
    grads, loss = engine.hypergradient(top)
    values = [p.detach() for problem in engine.problems for p in problem._held]
    return {"loss": loss, "grads": grads, "values": values}


def bilevel(
    mode: str,
    strategy: str,
    *,
    inner: Sizes = None,
    outer: Sizes = None,
    sharded: str | None = None,
    **settings: Any,
) -> dict[str, Any]:
    """Run the bilevel program, on parts of these sizes; with "fsdp", with these modules sharded."""
    shard = "" if sharded and strategy != "fsdp" else sharded
    engine = reweighting(mode, strategy, shard=shard, settings=settings, sizes=(inner, outer))
    found = whole(outcome(engine))
    logged = [node.metrics["loss"] for node in engine._nodes.values()]
    return {**found, "values": [*found["values"], *logged]}


# Losses that are sums


class Summed(Problem):
    """Losses that are sums over the samples."""

    def training_step(self, batch: Any) -> torch.Tensor:
        x, y = batch
        error = (x @ self.params - y[:, 0]).square()
        return (error * (0.1 * error * self.outer.params).sigmoid()).sum()


class SummedOuter(Problem):
    def training_step(self, batch: Any) -> torch.Tensor:
        x, y = batch
        return (x @ self.inner.params - y[:, 0]).square().sum()


def summed(mode: str, strategy: str, sizes: Sizes) -> dict[str, Any]:
    """Run a program of sums."""
    phi, w = (torch.full((n,), 0.3, dtype=torch.float64).requires_grad_() for n in (1, 3))
    sgd = torch.optim.SGD
    config = typed(**{**MODES[mode], "reduction": "sum"})
    inner = Summed(
        "inner", config, params=w, optimizer=sgd([w], 0.01), train_data_loader=data(5, sizes)
    )
    outer = SummedOuter(
        "outer",
        Config(reduction="sum"),
        params=phi,
        optimizer=sgd([phi], 0.01),
        train_data_loader=data(6, sizes),
    )
    settings = EngineConfig(strategy=strategy, train_iters=3, check=False)
    return outcome(Engine([outer, inner], settings, BILEVEL))


def unlike(what: str) -> str:
    """Return what is said where processes differ in this."""
    rank = dist.get_rank()
    engine = reweighting("darts", "distributed", sizes=((7, 3), None))
    x, y = engine.inner.train_data_loader[0]
    batches = {
        "empty": (x[: 7 * rank], y[: 7 * rank]),
        "graph": {"nodes": x, "edges": torch.ones(4 + rank, 2)},
        "object": object(),
        "number of steps": (x, y),
    }
    try:
        if what in batches:
            engine.inner.train_data_loader = [batches[what]]
            config = EngineConfig(strategy="distributed")  # refused by the check already
            engine = Engine(engine.problems, config, BILEVEL)
        if what == "train_iters":
            engine = Engine(
                engine.problems, EngineConfig(train_iters=4 + rank, strategy="distributed"), BILEVEL
            )
        if what == "unroll_steps":
            reweighting("darts", "distributed", settings={"unroll_steps": 1 + rank})
        if what == "shapes":
            engine.inner._module = engine.inner.module = nn.Linear(3 + rank, 1).double()
            engine.inner.optimizer = ADAM(engine.inner.module.parameters())
            Engine(engine.problems, engine.config, BILEVEL)
        if what == "number of steps":
            engine.inner.count += rank
        engine.train_step()
    except (RuntimeError, ValueError) as error:
        return str(error)
    return "nothing was raised"


class Sequences(Problem):
    """Its network takes sequences, or all that it has if there is no batch."""

    def training_step(self, batch: Any) -> torch.Tensor:
        x = self.extra_config if batch is None else batch
        return (self.module(x) * self.outer.params - 1).square().mean()


class SequencesJudge(Problem):
    def training_step(self, batch: Any) -> torch.Tensor:
        return (self.inner.module(batch).mean() - self.params).square()


def said(what: str) -> list[str]:
    """Return the warnings of a run of two steps."""
    rank = dist.get_rank()
    generator = torch.Generator().manual_seed(rank)
    x = torch.randn(4, 2, 5, generator=generator)
    norm = nn.InstanceNorm1d(2, track_running_stats=what == "buffers", affine=True)
    loaders: dict[str, Any] = {
        "lengths": [x] * (2 + rank),
        "no tensors": None,
        "buffers": [x],
        "inside": [x[:, :, rank:]],
        "nothing": [x[rank:]],
    }
    p = torch.tensor(0.5, requires_grad=True)
    inner = Sequences(
        "inner",
        None,
        norm,
        torch.optim.SGD(norm.parameters(), 0.1),
        train_data_loader=loaders[what],
        extra_config=x,
    )
    outer = SequencesJudge(
        "outer", params=p, optimizer=torch.optim.SGD([p], 0.1), train_data_loader=[x]
    )
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        Engine([outer, inner], EngineConfig(train_iters=2, strategy="distributed"), BILEVEL).run()
    return [str(warning.message) for warning in caught]


# Batch normalization


def normalized(mode: str, strategy: str, sizes: Sizes, synchronized: bool) -> dict[str, Any]:
    """Run a program whose inner network has batch normalization."""
    plain = network((3, 4, 4, 1), 1)
    norms = [nn.BatchNorm1d(4).double(), nn.BatchNorm1d(4, momentum=None, affine=False).double()]
    net = nn.Sequential(plain[0], norms[0], plain[1], plain[2], norms[1], plain[3], plain[4])
    weigher = network((1, 3, 1), 2)
    inner = Classifier(
        "inner",
        typed(**{"unroll_steps": 2, **MODES[mode]}),
        net,
        ADAM(net.parameters(), 0.05),
        train_data_loader=data(3, sizes),
        extra_config=True,
    )
    outer = Outer(
        "outer",
        None,
        weigher,
        ADAM(weigher.parameters(), 0.05),
        train_data_loader=data(4, None if sizes is None else sizes[::-1]),
        extra_config=True,
    )
    if synchronized:
        assert spmd.sync_batch_norm(net) is net
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        engine = Engine([outer, inner], EngineConfig(train_iters=3, strategy=strategy), BILEVEL)
        if mode == "cg":
            engine.hypergradient(outer)  # before the run is checked
        found = outcome(engine)
    buffers = [b.double() for b in net.buffers()]
    said = [str(warning.message) for warning in caught]
    return {**found, "values": [*found["values"], *buffers], "said": said}


class Low(Problem):
    def training_step(self, batch: Any) -> torch.Tensor:
        x, y = batch
        penalty = (self.mid.params.exp() * self.params**2).sum()
        return (x @ self.params - y[:, 0]).square().mean() + penalty


class Mid(Problem):
    def training_step(self, batch: Any) -> torch.Tensor:
        x, y = batch
        error = (x @ self.low.params - y[:, 0]).square().mean()
        return error + ((self.params - 0.1).square() * (1 + self.top.params.exp())).sum()


class Top(Problem):
    def training_step(self, batch: Any) -> torch.Tensor:
        x, y = batch
        return (x @ self.low.params - y[:, 0]).abs().mean() + self.mid.params.square().sum()


def trilevel(mode: str, strategy: str) -> dict[str, Any]:
    """Run a program of three levels, nested."""
    start = {"low": 0.3, "mid": -0.2, "top": 0.1}
    kinds = {"low": Low, "mid": Mid, "top": Top}
    problems = []
    for seed, name in enumerate(("top", "mid", "low")):
        p = torch.full((3,), start[name], dtype=torch.float64) + torch.arange(3.0).double() / 10
        p.requires_grad_()
        config = typed(**MODES[mode]) if name != "top" else None
        sgd = torch.optim.SGD([p], 0.05)
        problems.append(
            kinds[name](name, config, params=p, optimizer=sgd, train_data_loader=data(seed))
        )
    dependencies = {
        "u2l": {"top": ["mid"], "mid": ["low"]},
        "l2u": {"low": ["mid", "top"], "mid": ["top"]},
    }
    unrolled = mode == "unroll"  # 3 times 3 steps for each of the uppermost problem
    settings = EngineConfig(train_iters=9 if unrolled else 2, strategy=strategy, check=False)
    engine = Engine(problems, settings, dependencies)
    if not unrolled:
        return outcome(engine)
    engine.run()  # whose steps of two levels are not made again for a further gradient
    values = [p.detach() for problem in problems for p in problem._held]
    return {"loss": engine._nodes["top"].metrics["loss"], "grads": values[0], "values": values}


class Branching(Problem):
    """A loss that reads the upper problem where there are positive numbers in its part."""

    def training_step(self, batch: Any) -> torch.Tensor:
        positive = batch[batch > 0]
        loss = (self.params - batch).square().sum() + 0.1 * self.params**4 * len(batch)
        if len(positive):
            loss = loss + (self.outer.params.exp() * positive * self.params).sum()
        return loss / len(batch)


def branching(mode: str, strategy: str) -> dict[str, Any]:
    """Run a program in which the loss of one process reads less than that of the other."""
    (batch,) = part(torch.tensor([1.0, 2.0, -1.0, -0.5], dtype=torch.float64))
    phi, w = (torch.tensor(v, dtype=torch.float64, requires_grad=True) for v in (0.3, 0.4))
    sgd = torch.optim.SGD
    config = typed(**MODES[mode])
    inner = Branching("inner", config, params=w, optimizer=sgd([w], 0.1), train_data_loader=[batch])
    outer = Judge("outer", params=phi, optimizer=sgd([phi], 0.1), train_data_loader=[batch**2])
    settings = EngineConfig(train_iters=3, strategy=strategy, check=False)
    return outcome(Engine([outer, inner], settings, BILEVEL))


# What differs so much that a mean over processes is another number


class Judge(Problem):
    def training_step(self, batch: Any) -> torch.Tensor:
        return (self.inner.params - 3.0).square() * batch.mean()


# Long runs


class Noisy(Problem):
    def training_step(self, batch: Any) -> torch.Tensor:
        x, y = batch
        losses = (self.module(x) - y).square()
        return (self.outer(losses).sigmoid() * losses).mean()


class Chance(Env):
    """A state of each process of its own."""

    def __init__(self) -> None:
        self.seen = torch.tensor(float(dist.get_rank()) if dist.is_initialized() else 0.0)

    def state_dict(self) -> dict[str, Any]:
        return {"seen": self.seen.clone()}

    def load_state_dict(self, state: Any) -> None:
        self.seen = state["seen"]


class Run(Engine):
    """An engine that writes down who validated."""

    validated = 0

    def validation(self) -> dict[str, float]:
        self.validated += 1
        return {"loss": float(self.global_step % 3)}


def noisy(mode: str, steps: int, seed: int = 0, **options: Any) -> Run:
    """Return a program with dropout, batch normalization and shuffled data."""
    rank = dist.get_rank()
    torch.manual_seed(seed + rank)  # also other weights, which do not count on ranks but the first
    net = nn.Sequential(
        nn.Linear(3, 6), nn.BatchNorm1d(6), nn.Tanh(), nn.Dropout(0.4), nn.Linear(6, 1)
    )
    weigher = nn.Sequential(nn.Linear(1, 4), nn.Tanh(), nn.Linear(4, 1))
    generator = torch.Generator().manual_seed(rank)
    samples = 24 - 8 * rank  # in other numbers of batches, the last of which is smaller
    x, y = (torch.randn(samples, n, generator=generator) for n in (3, 1))
    dataset = torch.utils.data.TensorDataset(x, y)
    loaders = [torch.utils.data.DataLoader(dataset, batch_size=6, shuffle=True) for _ in range(2)]
    inner = Noisy(
        "inner",
        typed(unroll_steps=2, **mode_settings(mode)),
        net,
        ADAM(net.parameters(), 0.01),
        train_data_loader=loaders[0],
    )
    outer = Outer(
        "outer", None, weigher, ADAM(weigher.parameters(), 0.01), train_data_loader=loaders[1]
    )
    config = EngineConfig(train_iters=steps, strategy="distributed", **options)
    return Run([outer, inner], config, BILEVEL, Chance())


def mode_settings(mode: str) -> dict[str, Any]:
    return {k: v for k, v in MODES[mode].items() if k != "unroll_steps"}


def digest(engine: Engine) -> list[torch.Tensor]:
    """Return all parameters and buffers."""
    modules = [problem._module for problem in engine.problems]
    return [t.detach().clone() for m in modules for t in (*m.parameters(), *m.buffers())]


def long_run(mode: str, steps: int) -> list[torch.Tensor]:
    """Return what a run has come to."""
    engine = noisy(mode, steps)
    engine.run()
    return digest(engine)


def resumed(mode: str, folder: str) -> tuple[bool, bool]:
    """Return whether a run that was saved and resumed ends as the one that went on."""
    path = Path(folder) / "run.pt"
    whole = noisy(mode, 7)
    whole.run()
    first = noisy(mode, 4)
    first.run()
    first.env.seen += 1
    first.save(path)
    second = noisy(mode, 7, seed=100)
    second.resume(path)
    same_env = bool(second.env.seen == dist.get_rank() + 1)
    second.run()
    pairs = zip(digest(whole), digest(second), strict=True)
    return all(torch.equal(a, b) for a, b in pairs), same_env


def resumed_apart(folder: str, missing: bool) -> str:
    """Return what is said where a process has no such file, or another one."""
    path = Path(folder) / f"{dist.get_rank()}.pt"
    engine = noisy("darts", 3)
    engine.run()
    if not missing or dist.get_rank() == 0:
        part = Engine(engine.problems, EngineConfig(train_iters=3), BILEVEL)
        part.save(path)  # a file of this process alone
        state = torchopt.checkpoint.load(path)
        state["ranks"] *= 2
        state["problems"]["inner"]["held"][0] += dist.get_rank()
        torchopt.checkpoint.save(state, path)
    before = digest(engine)
    try:
        engine.resume(path)
    except (OSError, RuntimeError, ValueError) as error:
        pairs = zip(before, digest(engine), strict=True)
        assert all(torch.equal(a, b) for a, b in pairs)
        return f"{type(error).__name__}: {error}"
    return "nothing was raised"


def roles(folder: str) -> dict[str, Any]:
    """Return who has validated and logged, and when the run stopped."""
    engine = noisy(
        "darts",
        50,
        valid_step=2,
        sink="jsonl",
        folder=folder,
        early_stopping=True,
        early_stopping_tolerance=2,
    )
    engine.run()
    sink = type(engine.sink).__name__
    return {"validated": engine.validated, "step": engine.global_step, "sink": sink}


# Modules that are sharded by `fully_shard`


def whole(tree: Any) -> Any:
    """Return values without DTensors."""
    return tree_map(lambda t: t.full_tensor() if hasattr(t, "full_tensor") else t, tree)


def fully_sharded(module: nn.Sequential) -> None:
    """Shard a network, layer by layer."""
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.fsdp import fully_shard

    mesh = init_device_mesh("cpu", (dist.get_world_size(),))
    for layer in module:
        if isinstance(layer, nn.Linear):
            fully_shard(layer, mesh=mesh)
    fully_shard(module, mesh=mesh)


def refused(mode: str, strategy: str, clipped: str = "") -> str:
    """Return why a program with a sharded module is refused."""
    settings = {"gradient_clipping": 1.0} if clipped else {}
    try:
        reweighting(mode, strategy, shard="inner", settings=settings)
    except (TypeError, ValueError) as error:
        return str(error)
    return ""


def sharded_and_resumed(mode: str, folder: str) -> bool:
    """Return whether a sharded run that was saved and resumed ends as the one that went on."""
    path = Path(folder) / "run.pt"
    first, second = (reweighting(mode, "fsdp", shard="inner") for _ in range(2))
    first.run()
    first.save(path)
    second.check()
    second.resume(path)
    for engine in (first, second):
        for _ in range(3):
            engine.train_step()
    return all(torch.equal(a, b) for a, b in zip(local(first), local(second), strict=True))


def local(engine: Engine) -> list[torch.Tensor]:
    """Return this process's parts of all parameters, and of all that optimizers keep."""
    states = [
        [p, *problem.optimizer.state[p].values()]
        for problem in engine.problems
        for p in problem._held
    ]
    return [t.to_local() if hasattr(t, "to_local") else t for each in states for t in each]


def in_place(mode: str) -> bool:
    """Return whether a hypergradient leaves a sharded module bit for bit as it is."""
    engine = reweighting(mode, "fsdp", shard="inner")
    engine.train_step()
    before = [t.clone() for t in local(engine)]
    engine.hypergradient("outer")
    return all(torch.equal(a, b) for a, b in zip(before, local(engine), strict=True))


def same_data() -> list[str]:
    """Return what is said where all processes have the same batch."""
    engine = reweighting("darts", "distributed")
    batch = [torch.ones(4, 3, dtype=torch.float64), torch.ones(4, 1, dtype=torch.float64)]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        engine._ranks.check_parts(engine.inner, batch, torch.zeros(()))
    return [str(warning.message) for warning in caught]


def diverged() -> str:
    """Return the error of a loss that is not a number in one process."""
    engine = reweighting("darts", "distributed")
    if dist.get_rank() == 1:
        engine.inner.train_data_loader[0][0].fill_(float("nan"))
    try:
        engine.run()
    except ValueError as error:
        return str(error)
    return "nothing was raised"


if __name__ == "__main__":  # under torchrun
    torch.save(bilevel(sys.argv[1], "distributed"), f"{sys.argv[2]}/{sys.argv[1]}{dist.get_rank()}")
    dist.destroy_process_group()


def as_wrapped(strategy: str) -> dict[str, Any]:
    """Run a program of Betty's that reads ``module.module`` where there are several processes."""
    from torchopt.multilevel.compat import configs, engine, problems

    class Averaging(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.net = nn.Linear(3, 1, dtype=torch.float64)
            nn.init.constant_(self.net.weight, 0.3)
            nn.init.zeros_(self.net.bias)
            self.register_buffer("mean", self.net.weight.detach().clone())

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return self.net(x) + x @ self.mean.T

        def average(self) -> None:
            self.mean.lerp_(self.net.weight.detach(), 0.5)

    class Inner(problems.ImplicitProblem):
        def training_step(self, batch: Any) -> Any:
            x, y = batch
            return (self.outer(x).sigmoid() * (self(x) - y) ** 2).mean()

        def param_callback(self) -> None:
            (self.module if strategy == "default" else self.module.module).average()

    class Outer(problems.ImplicitProblem):
        def training_step(self, batch: Any) -> Any:
            x, y = batch
            return ((self.inner(x) - y) ** 2).mean()

    made = []
    for cls, name in ((Inner, "inner"), (Outer, "outer")):
        net = Averaging()
        sgd = torch.optim.SGD(net.parameters(), 0.1)
        made.append(cls(name, configs.Config(), net, sgd, None, data(len(made))))
    inner, outer = made
    run = engine.Engine(
        problems=[outer, inner],
        config=configs.EngineConfig(train_iters=3, strategy=strategy),
        dependencies={"u2l": {outer: [inner]}, "l2u": {inner: [outer]}},
    )
    run.run()
    module = inner.module if strategy == "default" else copy.deepcopy(inner.module).module
    if strategy != "default":
        inner.set_module(copy.deepcopy(inner.module))
        assert inner.module.module is inner.module
    return module.state_dict()

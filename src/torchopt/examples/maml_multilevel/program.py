"""The run: two levels, then Core's example on the same tasks; a table of both and a picture."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import torch
from matplotlib.figure import Figure
from rich.console import Console

from torchopt.examples.imaml.learner import ImplicitLearner
from torchopt.examples.maml.evaluate import Estimate, estimate
from torchopt.examples.maml.functional import FunctionalLearner
from torchopt.examples.maml.functional import Meta as Start
from torchopt.examples.maml.problem import build
from torchopt.examples.maml.sinusoid import Sinusoid
from torchopt.examples.maml_multilevel.config import PRESETS, Config
from torchopt.examples.maml_multilevel.levels import make_engine
from torchopt.examples.tools.command import run_program
from torchopt.examples.tools.engine import records
from torchopt.examples.tools.report import progress, table

__all__ = ["Result", "core", "learn", "main", "make_waves", "two_levels"]

_TEST = 1_000_002  # an offset of the seed: not the tasks of meta-training
_TEST_QUERIES = 100


class Result(NamedTuple):
    """What was learned.

    Attributes:
        losses: Of each meta-step, after adaptation.
        start: The parameters that adaptation sets out from, at the end.
    """

    losses: torch.Tensor
    start: dict[str, torch.Tensor]

    def distance(self, other: Result) -> tuple[torch.Tensor, float]:
        """Return the relative differences of the losses, and the largest of the parameters."""
        difference = (self.losses - other.losses).abs() / other.losses.abs()
        moved = [(p - other.start[name]).abs().max() for name, p in self.start.items()]
        return difference, max(moved).item()


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program; return the exit status."""
    return run_program(
        _run,
        argv,
        name="maml_multilevel",
        description="MAML as a program of two levels: the numbers of Core's example, on sine waves.",
        presets=PRESETS,
        resumable=True,
    )


def make_waves(config: Config) -> Sinusoid:
    """Return the tasks of a configuration."""
    return Sinusoid(
        shots=config.shots,
        queries=config.queries,
        test_queries=_TEST_QUERIES,
        channels=config.width,
        dtype=getattr(torch, config.dtype),
    )


def learn(config: Config) -> FunctionalLearner:
    """Return Core's learner of the same settings, at its start."""
    settings, waves = config.of_core(), make_waves(config)
    network = build(waves, seed=config.seed, dtype=getattr(torch, config.dtype))
    if config.mode == "implicit":
        return ImplicitLearner(settings, waves, network)
    return FunctionalLearner(settings.meta_learning(), waves, network)


def two_levels(config: Config, folder: Path, console: Console) -> Result:
    """Meta-learn by the program of two levels, from its checkpoint in the folder if there is one."""
    waves = make_waves(config)
    network = build(waves, seed=config.seed, dtype=getattr(torch, config.dtype))
    engine = make_engine(config, network, waves, folder, console)
    engine.plan().save(folder / "plan.svg")
    engine.run()
    losses = [loss for _, loss in records(folder, "meta/loss")]
    names = (name for name, _ in network.named_parameters())
    params = (p.detach() for p in engine.problems[0].params)
    start = dict(zip(names, params, strict=True))
    return Result(torch.tensor(losses, dtype=torch.float64), start)


def core(config: Config, console: Console) -> Result:
    """Meta-learn by Core's example, on the same tasks."""
    learner, waves, losses = learn(config), make_waves(config), []
    generator = torch.Generator().manual_seed(config.seed)
    with progress(console, "Core's example", config.iterations) as advance:
        for _ in range(config.iterations):
            loss, _ = learner.step(waves.sample("train", config.meta_batch, generator))
            losses.append(loss.item())
            advance(f"loss {losses[-1]:.3f}")
    return Result(torch.tensor(losses, dtype=torch.float64), learner.meta.params)


def _run(config: Config, folder: Path, console: Console) -> None:
    ours = two_levels(config, folder, console)
    theirs = core(config, console)
    difference, moved = ours.distance(theirs)
    waves = make_waves(config)
    rows = [(waves.reference[0], "", "", f"{waves.reference[1]:.3f}")]
    named = {"the start": None, "two levels": ours, "Core's example": theirs}
    scores = {}
    for name, result in named.items():
        scores[name] = _judge(config, result)
        first, last = ("", "") if result is None else (f"{result.losses[i]:.12f}" for i in (0, -1))
        rows.append((name, first, last, f"{scores[name].score:.3f} ± {scores[name].interval:.3f}"))
    apart = abs(scores["two levels"].score - scores["Core's example"].score)
    rows.append(
        ("their difference", f"{difference[0]:.1e}", f"{difference[-1]:.1e}", f"{apart:.1e}")
    )
    columns = ("method", "first loss", f"loss {config.iterations}", "error on held-out waves")
    title = {"unroll": "MAML", "implicit": "implicit MAML"}[config.mode]
    console.print(table(f"{title} on sine waves, {config.inner_steps} steps a task", columns, rows))
    console.print(
        f"largest difference in {config.iterations} meta-steps: {difference.max():.1e} of a loss, and "
        f"{moved:.1e} in the parameters at the end."
    )
    _draw(config, ours, theirs, folder / "same_numbers.png")


def _judge(config: Config, result: Result | None) -> Estimate:
    """Judge a start by the tasks of the test; by default the one before meta-learning."""
    learner = learn(config)
    if result is not None:
        learner.meta = Start(result.start, {})
    return estimate(
        lambda tasks: learner.predict(tasks, steps=config.inner_steps),
        make_waves(config),
        "test",
        count=config.test_tasks,
        seed=config.seed + _TEST,
    )


def _draw(config: Config, ours: Result, theirs: Result, path: Path) -> None:
    figure = Figure(figsize=(12, 3.5), layout="constrained")
    left, middle, right = figure.subplots(1, 3)
    left.plot(ours.losses.numpy(), lw=2.5, color="C1", label="two levels")
    left.plot(theirs.losses.numpy(), lw=0.8, color="black", label="Core's example")
    left.set(xlabel="meta-step", ylabel="loss after adaptation")
    left.legend(fontsize=8)
    difference = ours.distance(theirs)[0].clamp_min(1e-17)  # zero has no logarithm
    middle.semilogy(difference.numpy(), ".", ms=2)
    middle.set(xlabel="meta-step", ylabel="relative difference", ylim=(5e-18, 1))
    learner = learn(config)
    learner.meta = Start(ours.start, {})
    generator = torch.Generator().manual_seed(config.seed + _TEST)
    tasks = make_waves(config).sample("test", 1, generator)
    order = tasks.query_x[0, :, 0].argsort()
    at, truth = (t[0, order, 0].numpy() for t in (tasks.query_x, tasks.query_y))
    right.plot(at, truth, color="black", lw=0.8, label="truth")
    for steps, style in ((0, ":"), (config.inner_steps, "-")):
        output = learner.predict(tasks, steps=steps)[0, order, 0]
        right.plot(at, output.numpy(), style, color="C1", label=f"after {steps} steps")
    right.plot(tasks.support_x[0, :, 0], tasks.support_y[0, :, 0], "k^", ms=4, label="learned from")
    right.set(xlabel="x", title="a held-out wave")
    right.legend(fontsize=8)
    figure.savefig(path, dpi=120)

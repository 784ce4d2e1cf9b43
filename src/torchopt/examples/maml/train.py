"""A run: meta-training with records, validation and checkpoints, from a start or from a checkpoint.

All that the numbers depend on is in the checkpoint, so that a resumed run is the uninterrupted one.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch

import torchopt
from torchopt import checkpoint
from torchopt.examples.maml.config import PLACE, Config
from torchopt.examples.maml.distributed import DistributedLearner, Spread
from torchopt.examples.maml.evaluate import Estimate, Learner, estimate, train_from_scratch
from torchopt.examples.maml.functional import FunctionalLearner
from torchopt.examples.maml.letters import Letters
from torchopt.examples.maml.object_oriented import ObjectOrientedLearner
from torchopt.examples.maml.problem import Problem, build
from torchopt.examples.maml.sinusoid import Sinusoid
from torchopt.io.atomic import replacing

__all__ = ["Run", "make_problem"]

Record = dict[str, Any]

# Offsets of the seed: what must not share random numbers with meta-training.
_VALIDATION, _TEST, _SCRATCH = 1_000_001, 1_000_002, 1_000_003


def make_problem(config: Config) -> Problem:
    """Return the tasks of a configuration, reading or rendering the letters that they need."""
    sizes = {
        "shots": config.shots,
        "queries": config.queries,
        "test_queries": config.test_queries,
        "channels": config.channels,
    }
    dtype = getattr(torch, config.dtype)
    if config.task == "sinusoid":
        return Sinusoid(**sizes, dtype=dtype)
    if config.data == "omniglot":
        from torchopt.examples.maml.omniglot import load_omniglot

        return Letters(load_omniglot(config.root), ways=config.ways, **sizes, dtype=dtype)
    from torchopt.examples.maml.glyphs import load_glyphs

    return Letters(load_glyphs(), ways=config.ways, **sizes, dtype=dtype)


class Run:
    """A meta-training run and its folder.

    Args:
        config: The settings.
        folder: Where ``metrics.jsonl`` and ``checkpoint.pt`` go.
        problem: The tasks; by default, those of the configuration.
        learner: Who learns; by default, the configuration's.
        spread: How the tasks of a meta-step are spread over workers; by default, in one process.

    Attributes:
        iteration: Meta-steps done.
        records: What ``metrics.jsonl`` holds.
    """

    def __init__(
        self,
        config: Config,
        folder: Path,
        problem: Problem | None = None,
        learner: Learner | None = None,
        spread: Spread | None = None,
    ) -> None:
        self.config, self.folder = config, folder
        self.problem = make_problem(config) if problem is None else problem
        self._dtype = getattr(torch, config.dtype)
        self.learner = self._make_learner(spread) if learner is None else learner
        self._generator = torch.Generator().manual_seed(config.seed)
        self.iteration = 0
        self.records: list[Record] = []
        self._seconds = 0.0

    def _make_learner(self, spread: Spread | None) -> Learner:
        network = build(self.problem, seed=self.config.seed, dtype=self._dtype)
        if spread is not None:
            return DistributedLearner(self.config, self.problem, network, spread)
        make = FunctionalLearner if self.config.api == "functional" else ObjectOrientedLearner
        return make(self.config, self.problem, network)

    @classmethod
    def resume(
        cls,
        folder: Path,
        problem: Problem | None = None,
        spread: Spread | None = None,
        **place: Any,
    ) -> Run:
        """Return the run of a folder as it was at its last checkpoint.

        Args:
            folder: Of the run.
            problem: As for the run.
            spread: As for the run.
            **place: The settings that say where it runs now.

        Raises:
            FileNotFoundError: If there is no checkpoint.
            ValueError: If it is damaged.
        """
        path = folder / "checkpoint.pt"
        if not path.exists():
            raise FileNotFoundError(
                f"there is no `{path}` to resume: start the run without --resume."
            )
        saved = checkpoint.load(path)
        run = cls(Config(**saved["config"], **place), folder, problem, spread=spread)
        run.learner.load_state_dict(saved["learner"])
        run._generator.set_state(saved["generator"])
        run.iteration, run.records = saved["iteration"], saved["records"]
        run._seconds = saved["seconds"]
        return run

    def train(
        self,
        *,
        until: int | None = None,
        on_step: Callable[[int, float, float], None] = lambda iteration, loss, score: None,
        on_record: Callable[[Record], None] = lambda record: None,
    ) -> None:
        """Do the meta-steps that are left.

        Args:
            until: Stop after this meta-step already, as an interruption would.
            on_step: Called with the iteration, its loss and its score.
            on_record: Called with each new record.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        self._write_metrics()
        if self.iteration == 0:
            self.save()  # so that an interruption before the first validation can be resumed too
        config = self.config
        window: list[tuple[float, float]] = []
        began = time.monotonic() - self._seconds
        end = config.iterations if until is None else min(until, config.iterations)
        while self.iteration < end:
            loss, score = self._advance()
            window.append((loss, score))
            on_step(self.iteration, loss, score)
            last = self.iteration == config.iterations
            self._seconds = time.monotonic() - began
            if self.iteration % config.log_every == 0 or last:
                losses, scores = zip(*window, strict=True)
                mean = {"loss": sum(losses) / len(losses), "score": sum(scores) / len(scores)}
                on_record(self._record("train", mean))
                window.clear()
            if self.iteration % config.validate_every == 0 or last:
                result = self.judge("validation", config.validation_tasks, _VALIDATION)
                on_record(self._record("validation", result._asdict()))
                self.save()

    def follow(self) -> None:
        """Do the meta-steps that are left on a rank that only helps: another one records them."""
        while self.iteration < self.config.iterations:
            self._advance()

    def _advance(self) -> tuple[float, float]:
        tasks = self.problem.sample("train", self.config.meta_batch, self._generator)
        loss, score = self.learner.step(tasks)
        self.iteration += 1
        return loss.item(), score.item()

    def judge(self, split: str, count: int, offset: int) -> Estimate:
        """Return loss and score after adaptation, on tasks of a split."""
        return estimate(
            lambda tasks: self.learner.predict(tasks, steps=self.config.test_steps),
            self.problem,
            split,
            count=count,
            seed=self.config.seed + offset,
        )

    def test(self) -> dict[str, Estimate]:
        """Judge the learner, and training from scratch, on the same held-out tasks."""
        config = self.config

        def from_scratch(solver: torchopt.base.GradientTransformation, steps: int) -> Estimate:
            return estimate(
                lambda tasks: train_from_scratch(
                    self.problem,
                    tasks,
                    solver=solver,
                    steps=steps,
                    seed=config.seed + _SCRATCH,
                    dtype=self._dtype,
                ),
                self.problem,
                "test",
                count=config.test_tasks,
                seed=config.seed + _TEST,
            )

        strongest = torchopt.sgd if config.scratch_solver == "sgd" else torchopt.adam
        results = {
            f"from scratch, {config.test_steps} steps of sgd({config.inner_lr})": from_scratch(
                torchopt.sgd(config.inner_lr), config.test_steps
            ),
            f"from scratch, {config.scratch_steps} steps of "
            f"{config.scratch_solver}({config.scratch_lr})": from_scratch(
                strongest(config.scratch_lr), config.scratch_steps
            ),
            f"{config.algorithm}, {config.test_steps} steps": self.judge(
                "test", config.test_tasks, _TEST
            ),
        }
        for name, result in results.items():
            self._record("test", result._asdict(), method=name)
        return results

    def save(self) -> None:
        """Write the checkpoint, whole or not at all."""
        saved = {
            "config": {k: v for k, v in asdict(self.config).items() if k not in PLACE},
            "learner": self.learner.state_dict(),
            "generator": self._generator.get_state(),
            "iteration": self.iteration,
            "records": self.records,
            "seconds": self._seconds,
        }
        checkpoint.save(self.folder / "checkpoint.pt", saved)

    def _record(self, split: str, result: Record, **more: Any) -> Record:
        record = {
            "iteration": self.iteration,
            "split": split,
            **more,
            **result,
            "seconds": round(self._seconds, 3),
        }
        self.records.append(record)
        self._write_metrics()
        return record

    def _write_metrics(self) -> None:
        # Whole: after a resume, nothing that came after the checkpoint may stay.
        lines = "".join(json.dumps(record) + "\n" for record in self.records)
        with replacing(self.folder / "metrics.jsonl") as file:
            file.write(lines.encode("utf-8"))

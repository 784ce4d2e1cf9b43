"""Settings of a run, and the presets."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Annotated, Literal

from torchopt.examples.imaml.config import Config as ImplicitMetaLearning

__all__ = ["PRESETS", "Config"]


@dataclass(frozen=True)
class Config:
    """Everything that the numbers of a run depend on; the command line's options."""

    mode: Annotated[Literal["unroll", "implicit"], "MAML, or implicit MAML"] = "unroll"
    shots: Annotated[int, "points of a wave to learn from"] = 10
    queries: Annotated[int, "points to be judged on"] = 10
    width: Annotated[int, "of the two hidden layers"] = 40
    inner_lr: Annotated[float, "learning rate within a task"] = 0.01
    inner_steps: Annotated[int, "steps within a task"] = 2
    penalty: Annotated[float, "of the squared distance to the start (implicit)"] = 100.0
    outer_lr: Annotated[float, "Adam's learning rate, between tasks; it falls along a line"] = 5e-3
    meta_batch: Annotated[int, "tasks in a meta-step"] = 16
    iterations: Annotated[int, "meta-steps"] = 1000
    checkpoint_every: Annotated[int, "meta-steps between checkpoints"] = 200
    test_tasks: Annotated[int, "tasks in the final test"] = 500
    dtype: Annotated[Literal["float32", "float64"], "precision"] = "float64"
    seed: Annotated[int, "of the network's start and the tasks"] = 0
    threads: Annotated[int, "CPU threads; part of the numbers' last digits"] = 1

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            if name not in ("mode", "dtype", "seed") and value <= 0:
                raise ValueError(f"`{name}` is {value}: use a positive number.")
        if self.test_tasks < 2:
            raise ValueError("`test_tasks` is 1: use at least 2, for an interval.")

    def of_core(self) -> ImplicitMetaLearning:
        """Return the same settings in the words of the examples ``imaml`` and ``maml``."""
        return ImplicitMetaLearning(
            shots=self.shots,
            queries=self.queries,
            channels=self.width,
            inner_lr=self.inner_lr,
            inner_steps=self.inner_steps,
            penalty=self.penalty,
            cg_steps=100,
            outer_lr=self.outer_lr,
            meta_batch=self.meta_batch,
            iterations=self.iterations,
            log_every=1,
            validate_every=1,
            dtype=self.dtype,
            seed=self.seed,
        )


_TEST = Config(
    shots=5, queries=5, width=8, meta_batch=3, iterations=8, checkpoint_every=3, test_tasks=20
)

PRESETS = {
    "default": Config(),
    "implicit": Config(mode="implicit", inner_lr=0.005, inner_steps=8, iterations=150),
    "test": _TEST,
}

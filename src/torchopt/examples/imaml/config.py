"""Settings of a run, and the presets."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import Annotated, Literal

from torchopt.examples.maml.config import Config as MetaLearning

__all__ = ["PRESETS", "Config"]


@dataclass(frozen=True)
class Config:
    """Everything that the numbers of a run depend on; the command line's options."""

    ways: Annotated[int, "letters in a task"] = 5
    shots: Annotated[int, "support examples of each letter"] = 1
    queries: Annotated[int, "query examples of each letter"] = 5
    test_queries: Annotated[int, "the same in validation and test"] = 15
    channels: Annotated[int, "width of the network"] = 32
    inner_lr: Annotated[float, "learning rate within a task"] = 0.1
    inner_steps: Annotated[int, "steps within a task, in meta-training and in test"] = 16
    penalty: Annotated[float, "of the squared distance to the start (implicit MAML)"] = 0.5
    cg_steps: Annotated[int, "of conjugate gradients in a meta-gradient (implicit MAML)"] = 5
    warmup: Annotated[int, "steps of ordinary classification that both learners start from"] = 800
    warmup_lr: Annotated[float, "Adam's learning rate there"] = 3e-3
    outer_lr: Annotated[float, "Adam's learning rate, between tasks"] = 3e-3
    meta_batch: Annotated[int, "tasks in a meta-step"] = 4
    iterations: Annotated[int, "meta-steps"] = 50
    log_every: Annotated[int, "meta-steps between records"] = 5
    validate_every: Annotated[int, "meta-steps between validations (and checkpoints)"] = 25
    validation_tasks: Annotated[int, "tasks in a validation"] = 50
    test_tasks: Annotated[int, "tasks in the final test"] = 200
    dtype: Annotated[Literal["float32", "float64"], "precision"] = "float32"
    seed: Annotated[int, "of the network's start and the tasks"] = 0
    threads: Annotated[int, "CPU threads; part of the numbers' last digits"] = 1

    def __post_init__(self) -> None:
        self.meta_learning()  # has checks of its own
        for name in ("penalty", "cg_steps", "warmup"):
            if getattr(self, name) <= 0:
                raise ValueError(f"`{name}` is {getattr(self, name)}: use a positive number.")

    def meta_learning(self) -> MetaLearning:
        """Return the settings that both learners share with the ``maml`` program."""
        shared = {field.name for field in fields(MetaLearning)}
        values = {name: value for name, value in asdict(self).items() if name in shared}
        return MetaLearning(**values, test_steps=self.inner_steps)


PRESETS = {
    "default": Config(),
    "full": Config(meta_batch=16, iterations=400, validate_every=100, test_tasks=1000),
}

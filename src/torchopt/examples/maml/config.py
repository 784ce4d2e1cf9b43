"""Settings of a run, and the recipes: functions that return settings which work."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Annotated, Literal

__all__ = ["PLACE", "Algorithm", "Config", "Preset", "Task", "recipe"]

Task = Literal["letters", "sinusoid"]
Preset = Literal["default", "full"]
PLACE = ("distributed", "workers")  # the settings that the numbers do not depend on
Algorithm = Literal["maml", "fomaml", "anil", "metasgd", "reptile"]


@dataclass(frozen=True)
class Config:
    """Everything that the numbers of a run depend on, and where it runs; the command line's options."""

    task: Annotated[Task, "classification of letters, or regression of sine waves"] = "letters"
    data: Annotated[Literal["glyphs", "omniglot"], "letters from a font, or Omniglot's"] = "glyphs"
    root: Annotated[str, "the folder of Omniglot, for --data omniglot"] = ""
    algorithm: Annotated[Algorithm, "how to learn to learn"] = "maml"
    api: Annotated[Literal["functional", "oop"], "which face of the library"] = "functional"
    vmap: Annotated[bool, "batch the tasks (functional face) instead of looping over them"] = True
    compile: Annotated[bool, "compile the meta-gradient (functional face)"] = False
    distributed: Annotated[
        Literal["no", "spmd", "process", "rpc", "ray"], "what adapts to the tasks of a meta-step"
    ] = "no"
    workers: Annotated[int, "how many, for --distributed; under torchrun, those it started"] = 2
    ways: Annotated[int, "letters in a task"] = 5
    shots: Annotated[int, "support examples of each letter, or points of a wave"] = 1
    queries: Annotated[int, "query examples of each letter, or points of a wave"] = 5
    test_queries: Annotated[int, "the same in validation and test"] = 15
    channels: Annotated[int, "width of the network"] = 32
    inner_lr: Annotated[float, "learning rate within a task"] = 0.1
    inner_steps: Annotated[int, "steps within a task, in meta-training"] = 1
    test_steps: Annotated[int, "steps within a task, in validation and test"] = 3
    outer_lr: Annotated[float, "Adam's learning rate, between tasks"] = 3e-3
    outer_lr_end: Annotated[float, "what it falls to, along a straight line"] = 0.0
    meta_batch: Annotated[int, "tasks in a meta-step"] = 16
    iterations: Annotated[int, "meta-steps"] = 600
    log_every: Annotated[int, "meta-steps between records"] = 20
    validate_every: Annotated[int, "meta-steps between validations (and checkpoints)"] = 200
    validation_tasks: Annotated[int, "tasks in a validation"] = 100
    test_tasks: Annotated[int, "tasks in the final test"] = 400
    scratch_solver: Annotated[
        Literal["sgd", "adam"], "of training from scratch, the strongest baseline found"
    ] = "sgd"
    scratch_lr: Annotated[float, "its learning rate"] = 0.4
    scratch_steps: Annotated[int, "its steps"] = 50
    dtype: Annotated[Literal["float32", "float64"], "precision"] = "float32"
    seed: Annotated[int, "of the network's start and the tasks"] = 0
    threads: Annotated[int, "CPU threads; part of the numbers' last digits"] = 1

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            counts = isinstance(value, int) and not isinstance(value, bool) and name != "seed"
            if counts and value < 1:
                raise ValueError(f"`{name}` is {value}: use a positive number.")
        if min(self.validation_tasks, self.test_tasks) < 2:
            raise ValueError(
                "`validation_tasks` and `test_tasks` must be at least 2: they have intervals."
            )
        if self.validate_every % self.log_every:
            raise ValueError(
                f"`validate_every` is {self.validate_every}, but it must be a multiple of "
                f"`log_every`, {self.log_every}."
            )
        if self.data == "omniglot" and not self.root:
            raise ValueError("`--data omniglot` needs `--root DIR`, the folder of its images.")
        if self.api == "oop" and self.compile:
            raise ValueError("`--compile` compiles the functional face: leave out `--api oop`.")
        if self.distributed != "no" and (self.api == "oop" or self.compile):
            raise ValueError(
                "`--distributed` is for the functional face, not compiled: leave out `--api oop` and "
                "`--compile`."
            )


def recipe(task: Task, preset: Preset, algorithm: Algorithm) -> Config:
    """Return settings that work.

    Args:
        task: What to learn.
        preset: ``"default"`` shows the thing in minutes, ``"full"`` takes what it takes.
        algorithm: How to learn to learn.
    """
    make = {
        ("letters", "default"): _letters,
        ("letters", "full"): _letters_full,
        ("sinusoid", "default"): _sinusoid,
        ("sinusoid", "full"): _sinusoid_full,
    }[task, preset]
    config = replace(make(), algorithm=algorithm)
    return _reptile(config) if algorithm == "reptile" else config


def _letters() -> Config:
    return Config()


def _letters_full() -> Config:
    return replace(_letters(), iterations=2000, validate_every=500, test_tasks=1000)


def _sinusoid() -> Config:
    return Config(
        task="sinusoid",
        shots=10,
        queries=10,
        test_queries=100,
        channels=40,
        inner_lr=0.01,
        test_steps=1,
        outer_lr=1e-3,
        outer_lr_end=1e-3,
        meta_batch=25,
        iterations=5000,
        log_every=100,
        validate_every=1000,
        validation_tasks=500,
        test_tasks=2000,
        scratch_solver="adam",
        scratch_lr=0.03,
        scratch_steps=500,
    )


def _sinusoid_full() -> Config:
    return replace(_sinusoid(), iterations=70_000, log_every=500, validate_every=5000)


def _reptile(config: Config) -> Config:
    return replace(config, inner_steps=5, test_steps=10)

"""Settings of a run, and the presets."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Annotated

__all__ = ["PRESETS", "Config"]


@dataclass(frozen=True)
class Config:
    """Everything that the numbers of a run depend on; the command line's options."""

    meta_batch: Annotated[int, "tasks in a meta-step"] = 12
    outer_pairs: Annotated[int, "pairs of perturbations of the start, in a meta-step"] = 24
    outer_sigma: Annotated[float, "their scale"] = 0.05
    outer_lr: Annotated[float, "Adam's learning rate"] = 0.04
    inner_steps: Annotated[int, "steps of an adaptation"] = 3
    robot_pairs: Annotated[int, "pairs of perturbations in each, of the robot's policy"] = 8
    wave_pairs: Annotated[int, "the same, of the waves' network"] = 32
    inner_sigma: Annotated[float, "their scale"] = 0.1
    inner_lr: Annotated[float, "the size of a step"] = 0.05
    robot_iterations: Annotated[int, "meta-steps, of the robot"] = 150
    wave_iterations: Annotated[int, "meta-steps, of the waves"] = 250
    horizon: Annotated[int, "steps of the robot"] = 10
    shots: Annotated[int, "points of a wave"] = 10
    width: Annotated[int, "of the networks' hidden layers"] = 16
    test_tasks: Annotated[int, "held-out tasks"] = 200
    seed: Annotated[int, "of the start, the tasks and the perturbations"] = 0
    threads: Annotated[int, "CPU threads; part of the numbers' last digits"] = 1

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            if name != "seed" and value <= 0:
                raise ValueError(f"`{name}` is {value}: use a positive number.")
        if self.test_tasks < 2:
            raise ValueError("`test_tasks` must be at least 2: there are intervals.")


PRESETS = {
    "default": Config(),
    "full": Config(robot_iterations=500, wave_iterations=1500, outer_pairs=48),
}

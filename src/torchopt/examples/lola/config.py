"""Settings of a run, and the presets."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Annotated

from torchopt.examples.tools.workers import ExecutorName

__all__ = ["PRESETS", "Config"]


@dataclass(frozen=True)
class Config:
    """Everything that the numbers of a run depend on; the command line's options."""

    executor: Annotated[ExecutorName, "where the agents play"] = "process"
    workers: Annotated[int, "how many; the numbers do not depend on them"] = 2
    iterations: Annotated[int, "steps of each agent"] = 100
    lookaheads: Annotated[int, "steps of the other agent that an agent looks ahead"] = 1
    batch: Annotated[int, "games at once"] = 1024
    rounds: Annotated[int, "of a game"] = 50
    discount: Annotated[float, "of rewards"] = 0.96
    inner_lr: Annotated[float, "of the steps that the other one is thought to take"] = 1.0
    lr: Annotated[float, "of the agents' own steps, by Adam"] = 0.2
    seeds: Annotated[int, "pairs of agents that are trained"] = 2
    seed: Annotated[int, "of the first pair"] = 0
    threads: Annotated[int, "CPU threads; part of the numbers' last digits"] = 1

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            if name not in ("seed", "executor", "lookaheads") and value <= 0:
                raise ValueError(f"`{name}` is {value}: use a positive number.")
        if self.lookaheads < 0:
            raise ValueError(f"`lookaheads` is {self.lookaheads}: use a number of steps, or zero.")
        if self.discount >= 1:
            raise ValueError(f"`discount` is {self.discount}: use a number below one.")


PRESETS = {"default": Config(), "full": Config(iterations=200, rounds=75, seeds=5)}

"""Settings of a run, and the presets."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Annotated

__all__ = ["PRESETS", "Config"]


@dataclass(frozen=True)
class Config:
    """Everything that the numbers of a run depend on; the command line's options."""

    strategies: Annotated[int, "of a game"] = 100
    skill: Annotated[float, "how much of a game is skill; the rest goes in circles"] = 0.2
    growth: Annotated[int, "best responses that are added to a population"] = 20
    width: Annotated[int, "of the network's hidden layer"] = 16
    rounds: Annotated[int, "in which the network revises its mixture"] = 8
    iterations: Annotated[int, "meta-steps"] = 150
    meta_batch: Annotated[int, "games in a meta-step"] = 8
    pairs: Annotated[int, "pairs of perturbations of the network, in a meta-step"] = 16
    sigma: Annotated[float, "their scale"] = 0.1
    lr: Annotated[float, "Adam's learning rate"] = 0.03
    test_games: Annotated[int, "held-out games, of each size"] = 100
    large: Annotated[int, "strategies of larger held-out games"] = 300
    nash_steps: Annotated[int, "of regret matching, in PSRO"] = 1000
    seed: Annotated[int, "of the network, the games and the perturbations"] = 0
    threads: Annotated[int, "CPU threads; part of the numbers' last digits"] = 1

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            if name not in ("seed", "skill") and value <= 0:
                raise ValueError(f"`{name}` is {value}: use a positive number.")
        if self.skill < 0:
            raise ValueError(f"`skill` is {self.skill}: use a number that is not negative.")
        if self.test_games < 2:
            raise ValueError("`test_games` must be at least 2: there are intervals.")


PRESETS = {"default": Config(), "full": Config(strategies=200, iterations=1500, meta_batch=32)}

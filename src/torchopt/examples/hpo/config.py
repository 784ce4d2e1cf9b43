"""Settings of a run, and the presets."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Annotated

__all__ = ["PRESETS", "Config"]


@dataclass(frozen=True)
class Config:
    """Everything that the numbers of a run depend on; the command line's options."""

    features: Annotated[int, "inputs of the logistic regression"] = 60
    relevant: Annotated[int, "how many of them matter"] = 6
    network_features: Annotated[int, "inputs of the network; two of them matter"] = 10
    width: Annotated[int, "of the network's hidden layers"] = 8
    examples: Annotated[int, "to train on; four times as many to choose penalties by"] = 100
    start: Annotated[float, "every penalty at the start"] = 0.02
    steps: Annotated[int, "of the outer optimizer"] = 40
    lr: Annotated[float, "its learning rate, on logarithms of penalties"] = 0.2
    grid: Annotated[int, "points of the grid search, from 1e-3 to 1"] = 25
    terms: Annotated[int, "of the Neumann series, and steps of unrolling, to compare with"] = 2000
    seed: Annotated[int, "of the data and of the network's start"] = 0
    threads: Annotated[int, "CPU threads; part of the numbers' last digits"] = 1

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            if name != "seed" and value <= 0:
                raise ValueError(f"`{name}` is {value}: use a positive number.")
        if self.relevant > self.features:
            raise ValueError(
                f"`relevant` is {self.relevant}, but there are {self.features} features only."
            )
        if self.network_features < 2:
            raise ValueError(f"`network_features` is {self.network_features}: use at least 2.")


PRESETS = {
    "default": Config(),
    "full": Config(features=200, relevant=10, examples=200, width=16, steps=150, lr=0.1, grid=49),
}

"""Settings of a run, and the presets."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Annotated, Literal

__all__ = ["PRESETS", "Config"]


@dataclass(frozen=True)
class Config:
    """Everything that the numbers of a run depend on; the command line's options."""

    type: Annotated[
        Literal["cg", "neumann", "unroll", "darts", "sama"], "how the network is differentiated"
    ] = "cg"
    unroll_steps: Annotated[int, "steps of the network for one of the hyperparameters"] = 10
    steps: Annotated[int, "of the network, while hyperparameters move"] = 3000
    lr: Annotated[float, "learning rate of the network, by SGD with momentum"] = 0.1
    outer_lr: Annotated[float, "Adam's learning rate, of the hyperparameters"] = 0.05
    penalty: Annotated[float, "of every weight at the start"] = 1e-3
    smoothing: Annotated[float, "of labels at the start, below one half"] = 0.05
    noise: Annotated[float, "its deviation, on pixels from 0 to 1, at the start"] = 0.05
    trial_steps: Annotated[int, "of a network with hyperparameters that stay"] = 300
    width: Annotated[int, "of the network's hidden layer"] = 64
    train_images: Annotated[int, "to train on"] = 100
    validation_images: Annotated[int, "to choose hyperparameters by"] = 300
    test_images: Annotated[int, "held out, of 1797"] = 1000
    networks: Annotated[int, "fresh ones in the final test"] = 5
    validate_every: Annotated[int, "steps of the network between records and checkpoints"] = 200
    seed: Annotated[int, "of the split, the networks' starts and the random search"] = 0
    threads: Annotated[int, "CPU threads; part of the numbers' last digits"] = 1

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            if name not in ("type", "seed") and value <= 0:
                raise ValueError(f"`{name}` is {value}: use a positive number.")
        if self.smoothing >= 0.5:
            raise ValueError(f"`smoothing` is {self.smoothing}: use a number below one half.")
        if self.validate_every % self.unroll_steps or self.steps % self.validate_every:
            raise ValueError(
                f"`steps`, `validate_every` and `unroll_steps` are {self.steps}, {self.validate_every} "
                f"and {self.unroll_steps}: use multiples of one another."
            )
        if self.train_images + self.validation_images + self.test_images > 1797:
            raise ValueError(
                f"`train_images`, `validation_images` and `test_images` are {self.train_images}, "
                f"{self.validation_images} and {self.test_images}: there are 1797 in all."
            )


PRESETS = {
    "default": Config(),
    "full": Config(steps=10000, width=256, networks=20, validate_every=500),
    "test": Config(unroll_steps=2, steps=12, trial_steps=6, width=8, networks=2, validate_every=4),
}

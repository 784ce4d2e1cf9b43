"""Settings of a run, and the presets."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Annotated, Literal

__all__ = ["PRESETS", "Config"]


@dataclass(frozen=True)
class Config:
    """Everything that the numbers of a run depend on; the command line's options."""

    type: Annotated[
        Literal["unroll", "darts", "sama", "neumann", "cg"], "how the network is differentiated"
    ] = "unroll"
    unroll_steps: Annotated[int, "steps of the network for one of the weights"] = 10
    steps: Annotated[int, "of the network"] = 900
    batch: Annotated[int, "images in a step of the network"] = 200
    lr: Annotated[float, "learning rate of the network, by SGD with momentum"] = 0.2
    weight_lr: Annotated[float, "learning rate of the weights, by SGD"] = 10.0
    width: Annotated[int, "of the network's hidden layer"] = 128
    wrong: Annotated[float, "fraction of the labels that are wrong"] = 0.5
    clean_images: Annotated[int, "with right labels, to judge by"] = 100
    test_images: Annotated[int, "held out, of 1797"] = 500
    validate_every: Annotated[int, "steps between tests and checkpoints"] = 50
    seed: Annotated[int, "of the split, the labels and the start"] = 0
    threads: Annotated[int, "CPU threads; part of the numbers' last digits"] = 1

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            if name not in ("type", "seed") and value <= 0:
                raise ValueError(f"`{name}` is {value}: use a positive number.")
        if self.validate_every % self.unroll_steps or self.steps % self.validate_every:
            raise ValueError(
                f"`steps`, `validate_every` and `unroll_steps` are {self.steps}, {self.validate_every} "
                f"and {self.unroll_steps}: use multiples of one another."
            )
        if self.wrong >= 1:
            raise ValueError(f"`wrong` is {self.wrong}: use a fraction below one.")
        if self.clean_images + self.test_images > 1797 - self.batch:
            raise ValueError(
                f"`clean_images` and `test_images` are {self.clean_images} and {self.test_images}, "
                f"which leaves less than a batch of {self.batch} of the 1797 images to train on."
            )


PRESETS = {
    "default": Config(),
    "full": Config(width=512, steps=2000),
    "test": Config(width=16, unroll_steps=5, steps=60, validate_every=20),
}

"""Settings of a run, and the presets."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Annotated, Literal

__all__ = ["PRESETS", "Config"]


@dataclass(frozen=True)
class Config:
    """Everything that the numbers of a run depend on; the command line's options."""

    type: Annotated[
        Literal["unroll", "darts", "sama"], "through all steps of the network, or the last only"
    ] = "unroll"
    inner_steps: Annotated[int, "of a fresh network, on the ten images"] = 20
    rate: Annotated[float, "learning rate of the network at the start; it is learned too"] = 0.5
    steps: Annotated[int, "of the images"] = 500
    lr: Annotated[float, "Adam's learning rate, of the images"] = 0.01
    rate_lr: Annotated[float, "the same, of the logarithm of the network's learning rate"] = 0.002
    batch: Annotated[int, "real images in a step"] = 256
    width: Annotated[int, "of the network's hidden layer"] = 64
    test_images: Annotated[int, "held out, of 1797"] = 500
    networks: Annotated[int, "fresh ones in the final test"] = 20
    validate_every: Annotated[int, "steps of the images between tests and checkpoints"] = 25
    seed: Annotated[int, "of the split and the networks' starts"] = 0
    threads: Annotated[int, "CPU threads; part of the numbers' last digits"] = 1

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            if name not in ("type", "seed") and value <= 0:
                raise ValueError(f"`{name}` is {value}: use a positive number.")
        if self.networks < 2:
            raise ValueError("`networks` is 1: use at least 2, for a deviation.")
        if self.test_images > 1797 - self.batch:
            raise ValueError(
                f"`test_images` is {self.test_images}, which leaves less than a batch of {self.batch} "
                f"of the 1797 images to learn from."
            )


PRESETS = {
    "default": Config(),
    "full": Config(steps=3000, width=128, validate_every=100),
    "test": Config(inner_steps=3, steps=9, batch=128, width=8, networks=2, validate_every=3),
}

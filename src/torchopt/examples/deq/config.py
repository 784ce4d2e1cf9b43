"""Settings of a run, and the presets."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Annotated

__all__ = ["PRESETS", "Config"]


@dataclass(frozen=True)
class Config:
    """Everything that the numbers of a run depend on; the command line's options."""

    channels: Annotated[int, "of the equilibrium"] = 16
    contraction: Annotated[float, "bound on the layer's slope in z, below one"] = 0.9
    tol: Annotated[float, "on the norm of layer(z, x) - z, of a batch"] = 1e-2
    test_tol: Annotated[float, "the same in test"] = 1e-3
    epochs: Annotated[int, "passes over the training images"] = 30
    batch: Annotated[int, "images in a step"] = 128
    lr: Annotated[float, "Adam's learning rate; it falls along a straight line"] = 0.01
    test_images: Annotated[int, "held out, of 1797"] = 500
    seed: Annotated[int, "of the split, the batches and the start"] = 0
    threads: Annotated[int, "CPU threads; part of the numbers' last digits"] = 1

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            if name != "seed" and value <= 0:
                raise ValueError(f"`{name}` is {value}: use a positive number.")
        if self.contraction >= 1:
            raise ValueError(
                f"`contraction` is {self.contraction}: use a number below one, for an equilibrium to "
                f"exist."
            )
        if self.test_images > 1797 - self.batch:
            raise ValueError(
                f"`test_images` is {self.test_images}, which leaves less than a batch of "
                f"{self.batch} of the 1797 images to train on."
            )


PRESETS = {"default": Config(), "full": Config(channels=48, epochs=60)}

"""Settings of a run, and the presets."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Annotated, Literal

__all__ = ["PRESETS", "Config"]


@dataclass(frozen=True)
class Config:
    """Everything that the numbers of a run depend on; the command line's options."""

    activation: Annotated[
        Literal["tanh", "softplus", "gelu", "relu"], "of the network; the last has kinks"
    ] = "tanh"
    width: Annotated[int, "of the network's hidden layer"] = 32
    steps: Annotated[int, "of training, by SGD with momentum 0.9"] = 300
    batch: Annotated[int, "images in a step"] = 100
    lr: Annotated[float, "the first learning rate; it falls along a straight line"] = 0.1
    images: Annotated[int, "to train on, of 1797"] = 1000
    targets: Annotated[int, "held-out images whose losses are explained"] = 20
    subsets: Annotated[int, "retrainings for each fraction that is left out"] = 100
    memory: Annotated[
        Literal["graph", "step", "sqrt", "tree"], "what is kept of training for its derivative"
    ] = "tree"
    seed: Annotated[int, "of the split, the start, the batches and the subsets"] = 0
    threads: Annotated[int, "CPU threads; part of the numbers' last digits"] = 1

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            if isinstance(value, (int, float)) and name != "seed" and value <= 0:
                raise ValueError(f"`{name}` is {value}: use a positive number.")
        for name, least in (("subsets", 2), ("targets", 2), ("steps", 10)):
            if getattr(self, name) < least:
                raise ValueError(f"`{name}` is {getattr(self, name)}: use at least {least}.")
        if not 100 <= self.images <= 1797 - self.targets:
            raise ValueError(
                f"`images` is {self.images}: use at least 100, so that a hundredth is an image, and "
                f"at most {1797 - self.targets}, which are not targets."
            )
        if self.batch > self.images:
            raise ValueError(f"`batch` is {self.batch}, but there are {self.images} images only.")


PRESETS = {
    "default": Config(),
    "full": Config(targets=50, subsets=500),
    "test": Config(width=6, steps=12, batch=20, images=100, targets=3, subsets=6),
}

"""Settings of a run, and the presets."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Annotated

__all__ = ["PRESETS", "Config"]


@dataclass(frozen=True)
class Config:
    """Everything that the numbers of a run depend on; the command line's options."""

    train: Annotated[int, "images to train weights on"] = 400
    judge: Annotated[int, "images to choose the architecture by"] = 400
    channels: Annotated[int, "of the cell"] = 8
    steps: Annotated[int, "of the search"] = 300
    lr: Annotated[float, "learning rate of the weights, in the search"] = 0.1
    mix_lr: Annotated[float, "Adam's learning rate of the mixture"] = 0.03
    warmup: Annotated[int, "steps of the weights before the mixture moves"] = 50
    final_steps: Annotated[int, "of training an architecture alone"] = 100
    final_lr: Annotated[float, "learning rate there; it falls along a line"] = 0.1
    repeats: Annotated[int, "networks trained of each architecture, from different starts"] = 2
    batch: Annotated[int, "images in a step"] = 100
    valid_every: Annotated[int, "steps between records and checkpoints"] = 20
    seed: Annotated[int, "of the data, the batches and the starts"] = 0
    threads: Annotated[int, "CPU threads; part of the numbers' last digits"] = 1

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            if name not in ("seed", "warmup") and value <= 0:
                raise ValueError(f"`{name}` is {value}: use a positive number.")
        if self.train + self.judge > 1697:
            raise ValueError(
                f"`train` and `judge` are {self.train + self.judge} images together: use at most 1697 "
                f"of the 1797, to leave some for the test."
            )
        if self.batch > min(self.train, self.judge):
            raise ValueError(
                f"`batch` is {self.batch}, more than the {min(self.train, self.judge)} images that "
                f"there are."
            )


_TEST = Config(
    train=40,
    judge=40,
    channels=2,
    steps=6,
    warmup=2,
    final_steps=1,
    repeats=1,
    batch=20,
    valid_every=2,
)

PRESETS = {"default": Config(), "test": _TEST}

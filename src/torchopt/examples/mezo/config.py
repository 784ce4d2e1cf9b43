"""Settings of a run, and the presets."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Annotated

__all__ = ["PRESETS", "Config"]


@dataclass(frozen=True)
class Config:
    """Everything that the numbers of a run depend on; the command line's options."""

    width: Annotated[int, "of the transformer"] = 256
    layers: Annotated[int, "of the transformer"] = 4
    heads: Annotated[int, "of its attention"] = 4
    length: Annotated[int, "words in a text"] = 16
    batch: Annotated[int, "texts in a step"] = 16
    pretraining: Annotated[int, "steps of Adam on topics"] = 100
    pretraining_lr: Annotated[float, "their learning rate"] = 3e-4
    steps: Annotated[int, "of fine-tuning by MeZO"] = 250
    sigma: Annotated[float, "scale of its perturbations"] = 1e-3
    lr: Annotated[float, "its learning rate; it falls along a straight line"] = 1e-3
    backprop_steps: Annotated[int, "of fine-tuning by backpropagation and Adam"] = 30
    backprop_lr: Annotated[float, "its learning rate"] = 1e-4
    test_texts: Annotated[int, "held out"] = 512
    memory_batch: Annotated[int, "texts in the steps whose memory is measured"] = 64
    seed: Annotated[int, "of the texts, the start and the perturbations"] = 0
    threads: Annotated[int, "CPU threads; part of the numbers' last digits"] = 1

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            if name != "seed" and value <= 0:
                raise ValueError(f"`{name}` is {value}: use a positive number.")
        if self.width % self.heads:
            raise ValueError(
                f"`width` is {self.width}, but it must be a multiple of `heads`, {self.heads}."
            )


PRESETS = {
    "default": Config(),
    "full": Config(width=512, layers=6, heads=8, pretraining=300, steps=2000, batch=32),
}

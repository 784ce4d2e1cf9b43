"""Settings of a run, and the presets."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Annotated, Literal

__all__ = ["PRESETS", "Config"]


@dataclass(frozen=True)
class Config:
    """Everything that the numbers of a run depend on; the command line's options."""

    words: Annotated[int, "in the dictionary of a document"] = 8
    chunk: Annotated[int, "characters between two inner steps"] = 32
    chunks: Annotated[int, "in a document"] = 8
    window: Annotated[int, "characters that attention sees"] = 16
    width: Annotated[int, "of the transformer"] = 48
    layers: Annotated[int, "of the transformer; the last one's MLP has the fast weights"] = 2
    heads: Annotated[int, "of its attention"] = 4
    batch: Annotated[int, "documents in a step of training"] = 8
    steps: Annotated[int, "of training"] = 240
    lr: Annotated[float, "Adam's learning rate; it falls along a straight line"] = 1e-2
    rate: Annotated[float, "learning rate of the inner steps that training starts from"] = 1.0
    rate_lr: Annotated[float, "Adam's learning rate for the logarithms of the inner rates"] = 0.05
    validation_documents: Annotated[int, "to choose the rate of inner steps without training"] = 64
    test_documents: Annotated[int, "held out, written with words that training has not seen"] = 128
    dtype: Annotated[Literal["float32", "float64"], "precision"] = "float32"
    seed: Annotated[int, "of the documents and the start"] = 0
    threads: Annotated[int, "CPU threads; part of the numbers' last digits"] = 1

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            if name not in ("dtype", "seed") and value <= 0:
                raise ValueError(f"`{name}` is {value}: use a positive number.")
        for name, whole, part in (
            ("width", self.width, "heads"),
            ("chunk * chunks", self.length, "window"),
        ):
            if whole % getattr(self, part):
                raise ValueError(
                    f"`{name}` is {whole}, but it must be a multiple of `{part}`, "
                    f"{getattr(self, part)}."
                )

    @property
    def length(self) -> int:
        """How many characters of a document are predicted."""
        return self.chunk * self.chunks


PRESETS = {
    "default": Config(),
    "full": Config(chunks=32, words=24, width=128, layers=4, steps=2000, lr=3e-3),
}

"""Settings of a run, and the presets."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Annotated

__all__ = ["PRESETS", "Config"]


@dataclass(frozen=True)
class Config:
    """Everything that the numbers of a run depend on; the command line's options."""

    source: Annotated[int, "doubtful examples, to pretrain on"] = 1200
    wrong: Annotated[float, "the part of them with a wrong label"] = 0.4
    foreign: Annotated[float, "the part of them that is upside down"] = 0.3
    tune: Annotated[int, "clean examples, to finetune on"] = 20
    judge: Annotated[int, "clean examples, to judge finetuning by"] = 80
    width: Annotated[int, "of the networks' hidden layer"] = 32
    lr: Annotated[float, "learning rate of pretraining"] = 0.3
    tune_lr: Annotated[float, "learning rate of finetuning"] = 0.1
    nearness: Annotated[
        float, "penalty on leaving what was pretrained, while weights are learned"
    ] = 1.0
    ignore_lr: Annotated[float, "Adam's learning rate of the weights"] = 0.1
    steps: Annotated[int, "of all three levels"] = 600
    warmup: Annotated[int, "steps of the lower two before"] = 50
    final_steps: Annotated[int, "of one level, and of two that are given weights"] = 300
    cg_steps: Annotated[int, "of conjugate gradients through a level"] = 5
    valid_every: Annotated[int, "steps between records and checkpoints"] = 25
    seed: Annotated[int, "of the data and of the networks' start"] = 0
    threads: Annotated[int, "CPU threads; part of the numbers' last digits"] = 1

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            if name not in ("seed", "wrong", "foreign", "warmup") and value <= 0:
                raise ValueError(f"`{name}` is {value}: use a positive number.")
        if min(self.wrong, self.foreign) <= 0 or self.wrong + self.foreign >= 1:
            raise ValueError(
                f"`wrong` and `foreign` are {self.wrong} and {self.foreign}: use positive parts that "
                f"leave good examples."
            )
        if self.source + self.tune + self.judge > 1697:
            raise ValueError(
                f"`source`, `tune` and `judge` are {self.source + self.tune + self.judge} images "
                f"together: use at most 1697 of the 1797, to leave some for the test."
            )


_TEST = Config(
    source=60, tune=10, judge=20, width=6, steps=7, warmup=2, final_steps=4, valid_every=3
)

PRESETS = {"default": Config(), "test": _TEST}

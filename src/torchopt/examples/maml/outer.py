"""The outer loop's learning rate, the same for both faces."""

from __future__ import annotations

from typing import Any

import torchopt
from torchopt.examples.maml.config import Config

__all__ = ["outer_lr"]


def outer_lr(config: Config) -> Any:
    """Return the schedule of the outer learning rate."""
    return torchopt.schedule.linear_schedule(
        config.outer_lr, config.outer_lr_end, transition_steps=config.iterations
    )

"""Betty's early stopping."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from torchopt.multilevel import EngineConfig
from torchopt.multilevel._early_stopping import EarlyStopping as _EarlyStopping

__all__ = ["EarlyStopping"]


class EarlyStopping(_EarlyStopping):
    """Says whether to stop, when it is called with the metrics of a validation.

    Args:
        metric: By which of the metrics.
        tolerance: After how many validations in a row without a better one.
        mode: Whether ``"min"`` or ``"max"`` is better.

    Example:
        >>> from torchopt.multilevel.compat.misc import EarlyStopping
        >>> stop = EarlyStopping("loss", tolerance=2)
        >>> [stop({"loss": loss}) for loss in (3.0, 2.0, 2.0, 2.5)]
        [False, False, False, True]
    """

    def __init__(
        self, metric: str = "loss", tolerance: int = 5, mode: Literal["min", "max"] = "min"
    ) -> None:
        super().__init__(
            EngineConfig(
                early_stopping=True,
                early_stopping_metric=metric,
                early_stopping_tolerance=tolerance,
                early_stopping_mode=mode,
            )
        )

    def __call__(self, validation_stats: Mapping[str, Any]) -> bool:
        """Note metrics, and return whether to stop."""
        self.note(validation_stats)
        return self.is_over()

"""Betty's early stopping."""

from __future__ import annotations

from collections.abc import Callable, Mapping
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


class StoppedBy(_EarlyStopping):
    """What ends a run as a function of metrics says; None never does.

    Args:
        stop: Returns whether to stop.
    """

    def __init__(self, stop: Callable[[Mapping[str, Any]], Any] | None) -> None:
        super().__init__(EngineConfig(early_stopping=stop is not None, early_stopping_tolerance=1))
        self.stop = stop

    def note(self, metrics: Mapping[str, Any]) -> None:
        """Ask whether to stop."""
        self._worse = int(self.stop is not None and bool(self.stop(metrics)))

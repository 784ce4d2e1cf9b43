"""Early stopping: the best value of a validation metric, and the number of validations since."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from torchopt.multilevel._config import EngineConfig


class EarlyStopping:
    """Decides from validation metrics whether to end a run."""

    def __init__(self, config: EngineConfig) -> None:
        self._config = config
        self._best: float | None = None
        self._worse = 0

    def note(self, metrics: Mapping[str, Any]) -> None:
        """Record the metrics of a validation."""
        config = self._config
        if not self.is_active:
            return
        if config.early_stopping_metric not in metrics:
            raise ValueError(
                f"`early_stopping_metric` is {config.early_stopping_metric!r}, but `validation` "
                f"returned {', '.join(map(repr, metrics))}: return it, or choose one of these."
            )
        value = float(metrics[config.early_stopping_metric])
        sign = 1 if config.early_stopping_mode == "min" else -1
        if self._best is None or sign * value < sign * self._best:
            self._best, self._worse = value, 0
        else:
            self._worse += 1

    def is_over(self) -> bool:
        """Whether the last ``early_stopping_tolerance`` validations brought no improvement."""
        return self.is_active and self._worse >= self._config.early_stopping_tolerance

    @property
    def is_active(self) -> bool:
        """Whether it may end a run."""
        return self._config.early_stopping

    def state_dict(self) -> dict[str, Any]:
        """Return the best value, and the number of validations since."""
        return {"best": self._best, "worse": self._worse}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Restore what :meth:`state_dict` returned."""
        self._best, self._worse = state["best"], state["worse"]

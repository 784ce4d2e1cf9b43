"""What a sink is, and several as one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, runtime_checkable

from torchopt import checks
from torchopt.io.calls import called


@runtime_checkable
class Sink(Protocol):
    """Where metrics go.

    A run that is resumed from step ``n`` calls ``resume(n)`` before it logs anything: what was logged
    at later steps, by the run that was interrupted, is taken back, since it comes again.
    """

    def log(self, metrics: Mapping[str, Any], step: int) -> None:
        """Write the metrics of a step.

        Args:
            metrics: Numbers, or tensors of one element, by name.
            step: The step.
        """

    def resume(self, step: int) -> None:
        """Continue after ``step`` what an earlier run has written.

        Args:
            step: The last step of the earlier run that counts.
        """

    def close(self) -> None:
        """Bring everything to its place. May be called twice."""


_SINK = checks.of_type(
    Sink, "an object with its methods, or make one by `torchopt.logging.make_sink`"
)
_METRICS = checks.of_type(Mapping, "a dict of numbers by name, and then the step")


class Several:
    """Several sinks as one. With none of them, metrics go nowhere.

    Args:
        *sinks: The sinks.

    Example:
        >>> from torchopt.logging import Console
        >>> Several(Console(), Console()).log({"loss": 0.25}, step=1)
        step 1 | loss 0.25
        step 1 | loss 0.25
    """

    def __init__(self, *sinks: Sink) -> None:
        for sink in sinks:
            checks.check("the sink", sink, _SINK)
        self.sinks = sinks

    def __repr__(self) -> str:
        return called(type(self).__name__, {}, {}, self.sinks)

    def log(self, metrics: Mapping[str, Any], step: int) -> None:
        """See :class:`Sink`."""
        for sink in self.sinks:
            sink.log(metrics, step)

    def resume(self, step: int) -> None:
        """See :class:`Sink`."""
        for sink in self.sinks:
            sink.resume(step)

    def close(self) -> None:
        """See :class:`Sink`."""
        for sink in self.sinks:
            sink.close()


def numbers(metrics: Mapping[str, Any]) -> dict[str, int | float]:
    """Return metrics as plain numbers: each a number of any kind, or a tensor of one element."""
    checks.check("metrics", metrics, _METRICS)
    return {name: _number(value, name) for name, value in metrics.items()}


def _number(value: Any, name: str) -> int | float:
    try:
        plain = value.item() if hasattr(value, "item") else value
        return int(plain) if isinstance(plain, int) else float(plain)
    except (TypeError, ValueError, RuntimeError) as error:
        raise TypeError(
            f"The metric `{name}` is not one number: log numbers or tensors of one element."
        ) from error

"""The number format of a problem's loss: automatic casts, and the scale that float16 gradients need."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

import torch

_DTYPES = {"fp32": None, "bf16": torch.bfloat16, "fp16": torch.float16}


class Precision:
    """Evaluates losses in a number format, and steps with their gradients.

    With ``"bf16"`` and ``"fp16"``, operators that are safe in the format compute in it, as
    ``torch.autocast`` says; parameters keep theirs. With ``"fp16"``, gradients are those of a loss
    that is multiplied by a scale, since small ones would become zero. A step whose gradients
    overflow is left out, and the scale is halved; see ``torch.amp.GradScaler``. With None
    nothing is done.

    Args:
        name: ``"bf16"``, ``"fp16"`` or None.
        device: Where the loss is computed.
        scale: The first scale.
        growth_factor: By what it grows.
        growth_interval: After how many steps in a row without overflow it does.

    Raises:
        ValueError: If there is no such precision.

    Example:
        >>> x = torch.nn.Parameter(torch.tensor([1.0]))
        >>> optimizer = torch.optim.SGD([x], lr=0.5)
        >>> precision = Precision("fp16", scale=1024.0)
        >>> with precision.autocast():
        ...     loss = (x**2).sum()
        >>> (x.grad,) = torch.autograd.grad(precision.scale(loss), x)
        >>> precision.unscale(optimizer)
        >>> x.grad
        tensor([2.])
        >>> precision.step(optimizer), x.data
        (True, tensor([0.]))

    References:
        Micikevicius et al., Mixed precision training, 2018, section 3.2.
    """

    def __init__(
        self,
        name: str | None = None,
        device: torch.device | str = "cpu",
        *,
        scale: float = 2.0**16,
        growth_factor: float = 2.0,
        growth_interval: int = 2000,
    ) -> None:
        self.name = name or "fp32"  # as in files
        self._dtype = _DTYPES[self.name]
        self._device = torch.device(device).type
        self.scaler = (
            torch.amp.GradScaler(
                self._device,
                init_scale=scale,
                growth_factor=growth_factor,
                growth_interval=growth_interval,
            )
            if name == "fp16"
            else None
        )
        self._stepper: _Stepper | None = None

    def autocast(self) -> AbstractContextManager[Any]:
        """Return the context in which the loss is evaluated."""
        if self._dtype is None:
            return nullcontext()
        return torch.autocast(self._device, dtype=self._dtype)

    def precise(self, tensors: Iterable[Any]) -> AbstractContextManager[Any]:
        """Return the context in which the loss is evaluated without rounding to the format.

        Args:
            tensors: What it reads; if some are of half precision, they are cast to float32.
        """
        if self._dtype is None:
            return nullcontext()
        halves = (torch.float16, torch.bfloat16)
        mixed = any(isinstance(t, torch.Tensor) and t.dtype in halves for t in tensors)
        return (
            _cast_to_float32(self._device) if mixed else torch.autocast(self._device, enabled=False)
        )

    def scale(self, loss: torch.Tensor) -> torch.Tensor:
        """Return the loss of which the gradients are to be taken.

        Args:
            loss: The loss.
        """
        return loss if self.scaler is None else self.scaler.scale(loss)

    def unscale(self, optimizer: Any) -> None:
        """Divide the gradients by the scale, in place, to read or clip them before the step.

        Args:
            optimizer: The optimizer whose parameters' ``.grad`` are divided, once between two steps.
        """
        if self.scaler is not None and self._has_grads(optimizer):
            self.scaler.unscale_(self._of(optimizer))

    def step(self, optimizer: Any, step: Callable[[], Any] | None = None) -> bool:
        """Step the optimizer, unless a gradient has overflowed.

        Args:
            optimizer: The optimizer. Its gradients are divided by the scale, if they have not been.
            step: What steps it; by default its own ``step``.

        Returns:
            Whether the step was made. If not, parameters and the optimizer's state are as they were.
        """
        step = step or optimizer.step
        if self.scaler is None or not self._has_grads(optimizer):
            step()
            return True
        before = self.scaler.get_scale()
        stepped = self._of(optimizer)
        stepped.step = step
        self.scaler.step(stepped)
        self.scaler.update()
        return self.scaler.get_scale() >= before

    def state_dict(self) -> dict[str, Any]:
        """Return the precision's name and the scaler's state."""
        scaler = {} if self.scaler is None else self.scaler.state_dict()
        return {"name": self.name, "scaler": scaler}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Put a state back.

        Args:
            state: What :meth:`state_dict` of the same precision has returned.
        """
        if self.scaler is not None:
            self.scaler.load_state_dict(state["scaler"])

    def _of(self, optimizer: Any) -> Any:
        """Return the optimizer as the scaler takes it; unscale and step get the same object."""
        if self._stepper is None or self._stepper.optimizer is not optimizer:
            self._stepper = _Stepper(optimizer)
        return self._stepper

    def _has_grads(self, optimizer: Any) -> bool:
        groups = optimizer.param_groups
        return any(p.grad is not None for group in groups for p in group["params"])


@contextmanager
def _cast_to_float32(device: str) -> Iterator[None]:
    """Let operators cast to float32, which ``torch.autocast`` takes for an error."""
    with torch.autocast(device, enabled=False):  # which restores what is set here
        torch.set_autocast_dtype(device, torch.float32)
        torch.set_autocast_enabled(device, True)
        yield


class _Stepper:
    """An optimizer with the step that the problem makes."""

    def __init__(self, optimizer: Any) -> None:
        self.optimizer = optimizer
        self.step: Callable[[], Any] = optimizer.step

    @property
    def param_groups(self) -> Any:
        return self.optimizer.param_groups

"""A ``TorchFunctionMode`` that also sees the operations of the gradients that a function takes.

PyTorch switches such modes off while it handles ``torch.autograd.grad``. Hooks and custom backward
functions that run meanwhile may read variables, too.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from typing import Any

import torch
from torch.overrides import TorchFunctionMode, _get_current_function_mode_stack

from torchopt.autodiff.exact import HigherOrder
from torchopt.autodiff.second_order import gradient
from torchopt.autodiff.tracebacks import trim

_REGISTER_HOOK = torch.Tensor.register_hook


class BackwardAwareMode(TorchFunctionMode):
    """A mode that stays on while a gradient is taken; subclasses define :meth:`visit`.

    Attributes:
        backward: Number of nested gradients that are being taken.
        blind: Number of nested blocks of :func:`unseen`.
    """

    backward = 0
    blind = 0

    def __init__(self) -> None:
        super().__init__()
        self._changed: list[bool] = []  # a list, since hooks outlive the mode

    @property
    def hooked(self) -> bool:
        """Whether a hook that was registered in this mode has changed the gradient of a tensor."""
        return bool(self._changed)

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Pass an operation to :meth:`visit`, unless it is hidden or a part of another operation."""
        kwargs = kwargs or {}
        if self.blind or (self.backward and _below_autograd()):
            return func(*args, **kwargs)
        return self.visit(func, args, kwargs)

    def visit(self, func: Any, args: Any, kwargs: Any) -> Any:
        """Inspect an operation, and return the result of :meth:`run`."""
        raise NotImplementedError

    def know(self, results: Any) -> None:
        """Take note of results of a transform of ``torch.func``, which no operation has shown."""

    def run(self, func: Any, args: Any, kwargs: Any) -> Any:
        """Run an operation, with the mode on where it takes a gradient."""
        if func is _REGISTER_HOOK:
            hook = args[1] if len(args) > 1 else kwargs["hook"]
            args, kwargs = (args[0], _recording_change(hook, self._changed)), {}
        if func is not torch.autograd.grad:
            return func(*args, **kwargs)
        entered = (*_ENTERED.get(), self)
        # The innermost mode looks at the call first; the outermost enters all of them.
        outer = any(
            isinstance(mode, BackwardAwareMode) for mode in _get_current_function_mode_stack()
        )
        token = _ENTERED.set(entered if outer else ())
        try:
            if outer:
                return func(*args, **kwargs)
            with ExitStack() as stack:
                for around in _get_current_function_mode_stack():
                    if isinstance(around, HigherOrder):
                        stack.enter_context(around.around_gradient())
                for mode in reversed(entered):
                    stack.enter_context(mode)
                    stack.callback(setattr, mode, "backward", mode.backward)
                    mode.backward += 1
                return gradient(*args, run=seen_grad, **kwargs)
        finally:
            _ENTERED.reset(token)


def _recording_change(
    hook: Callable[[torch.Tensor], Any], changed: list[bool]
) -> Callable[..., Any]:
    """Return the same hook, which also appends to ``changed`` where it returns another gradient."""

    @functools.wraps(hook)
    def run(gradient: torch.Tensor) -> Any:
        new = hook(gradient)
        if new is not None and new is not gradient and not changed:
            changed.append(True)
        return new

    return run


def _below_autograd() -> bool:
    """Whether PyTorch is inside one of its own operations, some of which are written in Python."""
    key = torch._C.DispatchKey.AutogradFunctionality
    return bool(torch._C._dispatch_tls_is_dispatch_key_excluded(key))


def replacing_modes() -> list[Any]:
    """Return the modes around that replace tensors, by their ``table``."""
    return [mode for mode in _get_current_function_mode_stack() if hasattr(mode, "table")]


def made(results: Any) -> None:
    """Tell all modes of tensors that a transform of ``torch.func`` has returned."""
    if torch.compiler.is_compiling():
        return
    for mode in _get_current_function_mode_stack():
        if isinstance(mode, BackwardAwareMode):
            mode.know(results)


@contextmanager
def unseen(by: type[BackwardAwareMode] = BackwardAwareMode) -> Iterator[None]:
    """Hide the operations of a block, such as the library's own backward passes, from such modes."""
    modes = [m for m in _get_current_function_mode_stack() if isinstance(m, by)]
    for mode in modes:
        mode.blind += 1
    try:
        yield
    except Exception as error:
        trim(error, skip=1)
        raise
    finally:
        for mode in modes:
            mode.blind -= 1


_ENTERED: ContextVar[tuple[BackwardAwareMode, ...]] = ContextVar(
    "modes to enter around a gradient", default=()
)


seen_grad: Callable[..., Any] = types.FunctionType(
    torch.autograd.grad.__code__,
    {**torch.autograd.grad.__globals__, "has_torch_function": lambda _: False},
    argdefs=torch.autograd.grad.__defaults__,
)
"""``torch.autograd.grad`` that leaves modes on, for hooks and custom backward functions."""

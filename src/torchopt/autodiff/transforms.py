"""Questions to ``torch.func``, the autograd engine, the dispatcher and the compiler."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import Any

import torch
from torch._C import _functorch
from torch._functorch.pyfunctorch import temporarily_pop_interpreter_stack
from torch.autograd import forward_ad

# Bound once: the call of a kernel asks them for each step.
are_active: Callable[[], bool] = torch._C._are_functorch_transforms_active
"""Whether a transform of ``torch.func`` is running; :func:`torchopt.checks.transforms_active` asks for
``torch.compile``, too."""

is_wrapped: Callable[[Any], bool] = _functorch.is_functorch_wrapped_tensor
"""Whether a tensor belongs to a transform of ``torch.func``."""

is_batched: Callable[[Any], bool] = _functorch.is_batchedtensor
"""Whether a tensor belongs to a ``vmap``. The compiler traces this question, not :data:`batch_axis`."""

batch_axis: Callable[[torch.Tensor], int] = _functorch.maybe_get_bdim
"""The dimension of the tensor below that a ``vmap`` maps; negative where none is."""

level_of: Callable[[torch.Tensor], int] = _functorch.maybe_get_level
"""The level of the transform that a tensor belongs to; negative where it belongs to none."""

unwrapped: Callable[[torch.Tensor], torch.Tensor] = _functorch.get_unwrapped
"""The tensor below that of a transform."""

unwrap_dead: Callable[[torch.Tensor], torch.Tensor] = _functorch.unwrap_if_dead
"""The tensor below that of a transform that has ended; any other as it is."""

add_batch_axis: Callable[[torch.Tensor, int, int], torch.Tensor] = _functorch._add_batch_dim
"""``(tensor, axis, level)``: the tensor of a ``vmap`` at this level that maps this dimension."""

is_legacy_batch: Callable[[Any], bool] = _functorch.is_legacy_batchedtensor
"""Whether a tensor belongs to the older ``vmap`` of ``is_grads_batched=True``."""


def refuse_legacy_batches(tensors: Iterable[torch.Tensor | None], what: str) -> None:
    """Raise for tensors that an older ``vmap`` has batched: their values cannot be read."""
    if any(t is not None and is_legacy_batch(t) for t in tensors):
        raise RuntimeError(
            f"{what} cannot be batched by `is_grads_batched=True`, `vectorize=True` or "
            f"`check_batched_grad=True`: call `torch.autograd.grad` inside `torch.func.vmap`."
        )


unseen_by_modes: Callable[[], AbstractContextManager[None]] = torch._C.DisableTorchFunction
"""Run a block whose operations no ``TorchFunctionMode`` sees."""

set_grad_enabled: Callable[[bool], None] = torch._C._set_grad_enabled
"""What ``torch.no_grad()`` calls, as modes see it."""

current_node: Callable[[], Any] = torch._C._current_autograd_node
"""The node of the autograd graph whose backward pass is running, or None."""


@contextmanager
def outside(level: int = 0) -> Iterator[None]:
    """Run a block outside of the transforms of ``torch.func`` above a level, by default of all."""
    with ExitStack() as stack:
        while current_level() > level:
            stack.enter_context(temporarily_pop_interpreter_stack())
        yield


def current_level() -> int:
    """Return how many transforms of ``torch.func`` are running: the level of the innermost."""
    return _functorch.maybe_current_level() or 0


def stack_of_levels() -> list[Any]:
    """Return what the transforms of ``torch.func`` that are running are, the outermost first."""
    return [interpreter.key() for interpreter in _functorch.get_interpreter_stack() or ()]


def only_vmaps() -> bool:
    """Whether all transforms of ``torch.func`` that are running are ``vmap``."""
    return all(key == _functorch.TransformType.Vmap for key in stack_of_levels())


def in_forward_mode() -> bool:
    """Whether ``torch.func.jvp`` is running, also in a graph of the compiler, which hides its level."""
    return _functorch.TransformType.Jvp in stack_of_levels()


def forward_depth() -> int:
    """Return how many derivatives in forward mode are being taken, one within another."""
    if forward_ad._current_level < 0:
        return 0
    stack = _functorch.get_interpreter_stack() or []
    return max(1, sum(i.key() == _functorch.TransformType.Jvp for i in stack))


def levels_of(x: torch.Tensor) -> set[int]:
    """Return the levels of the transforms of ``torch.func`` that a tensor belongs to."""
    levels = set()
    while is_wrapped(x):
        levels.add(level_of(x))
        x = unwrapped(x)
    return levels


def derivatives_of(x: torch.Tensor) -> set[tuple[int, bool]]:
    """Return the levels of ``torch.func`` in which a tensor has a derivative, and if in forward mode.

    Level 0 is outside of all transforms.
    """
    derivatives = set()
    while True:
        while (below := unwrap_dead(x)) is not x:
            x = below
        level = max(level_of(x), 0)
        if x.requires_grad:
            derivatives.add((level, False))
        if forward_ad._current_level >= 0:
            with outside(level):  # a tangent is seen in its own level only
                can = not level or stack_of_levels()[-1] == _functorch.TransformType.Jvp
                if can and forward_ad.unpack_dual(x).tangent is not None:
                    derivatives.add((level, True))
        if not is_wrapped(x):
            return derivatives
        x = unwrapped(x)


def requires_grad(x: torch.Tensor) -> bool:
    """Whether a tensor requires grad, in a transform of ``torch.func`` or below: ``vmap`` hides it."""
    while not x.requires_grad and is_wrapped(x):
        x = unwrapped(x)
    return x.requires_grad


def within(x: torch.Tensor, level: int) -> torch.Tensor:
    """Return the tensor below those of the transforms of ``torch.func`` above a level."""
    while is_wrapped(x) and level_of(x) > level:
        x = unwrapped(x)
    return x


def value_of(x: torch.Tensor) -> torch.Tensor:
    """Return the plain tensor below the wrappers of ``torch.func``, batch dimensions and all."""
    while is_wrapped(x):
        x = unwrapped(x)
    return x


def values_of(x: torch.Tensor) -> torch.Tensor:
    """Return a plain tensor without a graph: :func:`value_of` with batch dimensions in front."""
    while is_wrapped(x):
        axis = batch_axis(x)
        x = unwrapped(x)
        x = x if axis < 0 else x.movedim(axis, 0)
    return x.detach()


def frees_graph() -> bool:
    """Whether the backward pass that is running frees the graph: without ``retain_graph``."""
    return not torch._C._autograd._get_current_graph_task_keep_graph()


def compiler_is_imported() -> bool:
    """Whether code may have been compiled: who compiles has imported the compiler."""
    return "torch._dynamo" in sys.modules

"""Distributed autograd of TorchOpt 0.7.3: derivatives for leaves of this process, through RPC.

Results of :mod:`torchopt.distributed` are part of the caller's graph and need none of this:
``torch.autograd`` goes through them to any order. These functions do it to the first order, and go
through plain calls of ``torch.distributed.rpc`` as well.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import torch
from torch.distributed import autograd

from torchopt.distributed._rpc import initialized
from torchopt.io.names import publish as _publish

__all__ = ["is_available"]

_AUTOGRAD: Any = autograd  # whose stubs leave most of it out
_LOCK = threading.Lock()


def is_available() -> bool:
    """Whether this torch was built with distributed autograd."""
    return autograd.is_available()


if is_available():
    DistAutogradContext: Any = _AUTOGRAD.DistAutogradContext
    get_gradients: Any = _AUTOGRAD.get_gradients

    __all__ += ["DistAutogradContext", "backward", "context", "get_gradients", "grad"]

    class context(autograd.context):  # noqa: N801
        """A context manager, within which distributed autograd records calls of RPC.

        Its value is the number by which :func:`backward` and :func:`grad` know it.

        Raises:
            RuntimeError: If there is no RPC group.
        """

        def __enter__(self) -> int:
            initialized()
            return super().__enter__()

    def backward(
        autograd_ctx_id: int,
        tensors: torch.Tensor | Sequence[torch.Tensor],
        retain_graph: bool = False,
        inputs: torch.Tensor | Sequence[torch.Tensor] | None = None,
    ) -> None:
        """Add the gradient of the sum of tensors to ``.grad`` of the leaves of this process.

        Args:
            autograd_ctx_id: The value of the :class:`context`.
            tensors: Scalars, of which the gradient is computed.
            retain_graph: Whether the graph is kept for another call.
            inputs: The leaves; by default all that the tensors were made from.

        Raises:
            RuntimeError: If there are no inputs, or one of them is no leaf or requires no gradient.
        """
        chosen = None if inputs is None else _leaves(inputs)
        gradients = _gradients(autograd_ctx_id, tensors, retain_graph)
        if chosen is not None:
            gradients = {
                leaf: gradient for leaf, gradient in gradients.items() if leaf in set(chosen)
            }
        with _LOCK:
            for leaf, gradient in gradients.items():
                leaf.grad = gradient if leaf.grad is None else leaf.grad + gradient

    def grad(
        autograd_ctx_id: int,
        outputs: torch.Tensor | Sequence[torch.Tensor],
        inputs: torch.Tensor | Sequence[torch.Tensor],
        retain_graph: bool = False,
        allow_unused: bool = False,
    ) -> tuple[torch.Tensor | None, ...]:
        """Return the gradient of the sum of outputs with respect to leaves of this process.

        Args:
            autograd_ctx_id: The value of the :class:`context`.
            outputs: Scalars, of which the gradient is computed.
            inputs: The leaves.
            retain_graph: Whether the graph is kept for another call.
            allow_unused: Whether an input that the outputs do not depend on has the gradient None,
                rather than being an error.

        Raises:
            RuntimeError: If there are no inputs, or one of them is no leaf, requires no gradient, or is
                unused.
        """
        chosen = _leaves(inputs)
        gradients = _gradients(autograd_ctx_id, outputs, retain_graph)
        for k, leaf in enumerate(chosen):
            if leaf not in gradients and not allow_unused:
                raise RuntimeError(
                    f"input {k} was not used to make the outputs: pass `allow_unused=True` if its "
                    f"gradient is to be None."
                )
        return tuple(gradients.get(leaf) for leaf in chosen)

    def _leaves(inputs: torch.Tensor | Sequence[torch.Tensor]) -> tuple[torch.Tensor, ...]:
        leaves = (inputs,) if isinstance(inputs, torch.Tensor) else tuple(inputs)
        if not leaves:
            raise RuntimeError("there are no inputs: pass at least one, or None.")
        for k, leaf in enumerate(leaves):
            if not leaf.requires_grad:
                raise RuntimeError(f"input {k} does not require grad.")
            if not leaf.is_leaf:
                raise RuntimeError(
                    f"input {k} is no leaf, and distributed autograd keeps the gradients of leaves "
                    f"only: use `torch.autograd.grad`, which goes through remote calls of "
                    f"torchopt.distributed."
                )
        return leaves

    def _gradients(
        context_id: int, tensors: torch.Tensor | Sequence[torch.Tensor], retain_graph: bool
    ) -> dict[torch.Tensor, torch.Tensor]:
        roots: Sequence[Any] = [tensors] if isinstance(tensors, torch.Tensor) else list(tensors)
        _AUTOGRAD.backward(context_id, list(roots), retain_graph=retain_graph)
        return get_gradients(context_id)


_publish(__name__)

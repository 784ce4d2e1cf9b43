"""The value and the gradient of a function, which can be differentiated again if they are tracked."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, NoReturn, TypeAlias

import torch

from torchopt import checks
from torchopt.autodiff.checkpointed import refuse_reentrant
from torchopt.autodiff.compiling import has_compiled_gradient
from torchopt.autodiff.environment import eagerly
from torchopt.autodiff.exact import HigherOrder, higher_order
from torchopt.autodiff.function_mode import made
from torchopt.autodiff.second_order import Watch, gradient
from torchopt.autodiff.tracking import constant, without_graph_to
from torchopt.autodiff.transforms import compiler_is_imported, forward_depth
from torchopt.pytree import flattening as pytree

_requires_grad = operator.attrgetter("requires_grad")

Exact: TypeAlias = Callable[[], AbstractContextManager[Any]]


def value_and_gradient(
    function: Callable[[Any], torch.Tensor], x: Any, *, track: bool
) -> tuple[torch.Tensor, Any]:
    """Return the value of a function of a tree, and its gradient.

    Args:
        function: Returns a scalar.
        x: A tree of tensors; one without tensors is its own gradient.
        track: Whether both have a graph, in grad mode.
    """
    tensors, combine = pytree.partition(x)

    def evaluate(tensors: list[torch.Tensor]) -> tuple[torch.Tensor, None]:
        return function(combine(tensors)), None

    with torch.set_grad_enabled(track and torch.is_grad_enabled()):
        if not tensors:
            return function(x), x
        if checks.transforms_active():
            value, grads, _ = functional_gradient(evaluate, tensors, False)
        else:
            value, grads, _ = eager_gradient(evaluate, tensors, False, False, "the loss", [])
    return value, combine(grads)


# Fused kernels have derivatives of first order only, or wrong ones of higher: a gradient that is to be
# differentiated again is taken of plain operations.


def functional_gradient(
    evaluate: Callable[..., Any],
    tensors: list[torch.Tensor],
    first_order: bool,
    exact: Exact | None = None,
) -> tuple[torch.Tensor, list[torch.Tensor], Any]:
    """Return value, gradient and auxiliary output, inside of ``torch.func``.

    Args:
        evaluate: Returns the value and the auxiliary output.
        tensors: Where.
        first_order: Whether the gradient is not differentiated again.
        exact: Makes the mode in which the function is evaluated; None for the one that it needs.
    """
    exact = exact or (nullcontext if first_order else higher_order)
    structure: list[Callable[..., Any]] = []
    watches: list[Watch] = []

    def traced(tensors: list[torch.Tensor]) -> tuple[torch.Tensor, list[torch.Tensor]]:
        # A transform returns tensors only; the other leaves of the auxiliary output are in `combine`.
        with exact():
            loss, aux = evaluate(tensors)
        if not (first_order or torch.compiler.is_compiling()):
            watches.append(Watch([loss], tensors, constant=True).__enter__())
        outputs, combine = pytree.partition(aux)
        structure[:] = [combine]
        return loss, outputs

    try:
        grads, (loss, outputs) = torch.func.grad_and_value(traced, has_aux=True)(tensors)
    finally:
        for watch in watches:
            watch.__exit__()
    for watch in watches:
        grads = watch.checked(grads, [loss])
    made((loss, list(grads), list(outputs)))
    return loss, list(grads), structure[0](outputs)


@contextmanager
def _apart(inputs: list[torch.Tensor]) -> Iterator[None]:
    """Raise if a gradient that is taken here goes through the parameters to earlier steps."""
    made = set() if torch.compiler.is_compiling() else {t.grad_fn for t in inputs}

    def refuse(_: Any) -> NoReturn:
        raise RuntimeError(
            "the objective takes a gradient with respect to a tensor that its parameters were made of "
            "by earlier steps, and would go through these: take it with respect to a copy, "
            '`x.detach().requires_grad_()`, or use `Explicit(memory="step")`, whose steps are apart.'
        )

    handles = [node.register_prehook(refuse) for node in made if node is not None]
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()


def eager_gradient(
    evaluate: Callable[..., Any],
    tensors: list[torch.Tensor],
    first_order: bool,
    conditions: bool,
    what: str,
    compiled: list[bool],
    exact: Exact | None = None,
) -> tuple[torch.Tensor, list[torch.Tensor], Any]:
    """Return value, gradient and auxiliary output, outside of ``torch.func``.

    Args:
        evaluate: Returns the value and the auxiliary output.
        tensors: Where.
        first_order: Whether the gradient is not differentiated again.
        conditions: Whether the gradient is to determine the tensors: one that is not read then stays
            where it is.
        what: The name of the value, for messages.
        compiled: Not empty once the function has used gradients of compiled code.
        exact: Makes the mode in which the function is evaluated; None for the one that it needs.
    """
    track = torch.is_grad_enabled()
    if track:
        inputs = [t if t.requires_grad else t.view_as(t).requires_grad_() for t in tensors]
    else:
        inputs = [t.clone().requires_grad_() for t in tensors]
    graph = track and not first_order
    mode = (exact or (higher_order if graph else nullcontext))()
    if isinstance(mode, HigherOrder):  # which sees gradients: hooks on the graph take time
        mode.around_gradient = functools.partial(_apart, inputs)
    else:
        mode = _apart(inputs)
    with torch.enable_grad():
        with mode:
            if graph or not compiled:
                loss, aux = evaluate(inputs)
                if not graph and compiler_is_imported() and has_compiled_gradient(loss):
                    compiled.append(True)
            if compiled and not graph:
                with eagerly():
                    loss, aux = evaluate(inputs)
        grads = gradient(loss, inputs, create_graph=graph, allow_unused=True)
    gradients = list(grads)
    missing = [i for i, g in enumerate(grads) if g is None]
    if missing:
        refuse_reentrant(loss)
    if len(missing) == len(grads):
        raise ValueError(
            f"{what} does not depend on the parameters: compute it from the first argument."
        )
    for i in missing:
        t = inputs[i]
        gradients[i] = t - t.detach() if conditions and track else torch.zeros_like(t)
    if not track:
        # A tangent stays, as it does at the gradients.
        loss = loss.clone() if forward_depth() else loss.detach()
        aux = constant(aux)
    # In forward mode a tangent may have a graph of its own.
    if track and not forward_depth() and not any(map(_requires_grad, tensors)):
        return without_graph_to((loss, gradients, aux), inputs)
    return loss, gradients, aux

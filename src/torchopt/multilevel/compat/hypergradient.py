"""Betty's products of a vector with the Jacobian of a lower problem's response."""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import torch

from torchopt.diff.protocols import differentiated_by
from torchopt.multilevel._node import rates_of
from torchopt.multilevel.compat.utils import replace_none_with_zero

__all__ = ["cg", "darts", "get_grads", "jvp_fn_mapping", "neumann", "reinforce", "sama"]


def _product(
    kind: Any, vector: Sequence[torch.Tensor], curr: Any, prev: Any, sync: bool = False
) -> list[torch.Tensor] | None:
    """Return the vector times the derivative of ``curr``'s response in the parameters of ``prev``.

    It is added to the gradients of ``prev`` instead if ``sync``.
    """
    engine, node = curr._running(), copy.copy(curr._node())
    node.mode = replace(curr.config, type=kind)._mode(
        functools.partial(rates_of, curr),
        has_lower=bool(engine.dependencies.lowers(curr.name)),
        adam="adam" in type(curr.optimizer).__name__.lower(),
        sharded=False,
    )
    node.scope = differentiated_by(node.mode)
    params = prev.trainable_parameters()
    with torch.enable_grad():
        response = engine._stepper.responses._respond(node, {prev.name: params})
        grads = torch.autograd.grad(response, params, list(vector), allow_unused=True)
    product = list(replace_none_with_zero(grads, params))
    if not sync:
        return product
    prev.set_grads(params, product)
    return None


def reinforce(vector: Any, curr: Any, prev: Any, sync: bool = False) -> Any:
    """Raise: Betty has not written it."""
    raise NotImplementedError(
        '"reinforce" has no estimator: use type="zero_order", or a score function in the loss.'
    )


jvp_fn_mapping: dict[str, Callable[..., Any]] = {
    **{kind: functools.partial(_product, kind) for kind in ("darts", "sama", "neumann", "cg")},
    "reinforce": reinforce,
    "f2sa": functools.partial(_product, "f2sa"),
}
darts, sama, neumann, cg, *_ = jvp_fn_mapping.values()


def get_grads(
    loss: torch.Tensor, path: Sequence[Any], retain_graph: bool, do_sync: bool = False
) -> Any:
    """Return the part of a hypergradient that goes along a path, the problem itself at both ends."""
    inner = path[1].meta_trainable_parameters()
    grads = torch.autograd.grad(loss, inner, retain_graph=retain_graph, allow_unused=True)
    product: Any = replace_none_with_zero(grads, inner)
    for i in range(1, len(path) - 1):
        sync = do_sync and i == len(path) - 2
        product = jvp_fn_mapping[path[i].config.type](product, path[i], path[i + 1], sync)
    return product

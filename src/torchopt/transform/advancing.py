"""An update and its application to the parameters, together."""

from __future__ import annotations

from typing import Any

from torchopt.pytree.typing import TensorTree
from torchopt.transform._pass import Pass
from torchopt.transform.applying import apply_updates
from torchopt.transform.chaining import Chain, GradientTransformation, owner_of
from torchopt.transform.extra_args import select


def advance(
    tx: GradientTransformation, /, grads: TensorTree, state: Any, params: TensorTree, **extra: Any
) -> tuple[TensorTree, Any]:
    """Return new parameters and state after an update, out of place and differentiable.

    The same as ``update`` and :func:`torchopt.apply_updates`, in one pass over memory where that is
    possible.

    Args:
        tx: The gradient transformation.
        grads: The tree of gradients.
        state: Its state.
        params: The tree of parameters; where its gradient is None, a parameter stays.
        **extra: Further arguments of ``update``, such as the loss as ``value``. Those that the
            transformation does not read are left out.

    Raises:
        TypeError: If the transformation reads an argument that is missing.

    Example:
        >>> import torch, torchopt
        >>> opt = torchopt.sgd(0.5)
        >>> params = (torch.tensor([1.0]),)
        >>> advance(opt, (torch.tensor([2.0]),), opt.init(params), params)[0]
        (tensor([0.]),)
    """
    owner = owner_of(tx)
    if isinstance(owner, Pass):
        updated, states = owner.run(
            grads, (state,), params=params, inplace=False, apply=True, extra=extra
        )
        return updated, states[0]
    if isinstance(owner, Chain) and owner.segments and isinstance(owner.segments[-1], Pass):
        return owner.run(grads, state, params, inplace=False, apply=True, extra=extra)
    updates, state = tx.update(grads, state, params=params, inplace=False, **select(tx, extra))
    return apply_updates(params, updates, inplace=False), state

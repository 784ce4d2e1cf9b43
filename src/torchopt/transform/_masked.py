"""Apply a transformation to some of the leaves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import torch

from torchopt import checks
from torchopt.io.calls import records_call
from torchopt.pytree import flattening as pytree
from torchopt.pytree.typing import Mask
from torchopt.transform._rule import check_state
from torchopt.transform.chaining import (
    EmptyState,
    GradientTransformation,
    GradientTransformationExtraArgs,
)
from torchopt.transform.checking import check_transformation
from torchopt.transform.extra_args import at_params, select
from torchopt.transform.hyperparameters import spread


class MaskedState(NamedTuple):
    """The state of the inner transformation, with None at the leaves that it does not see."""

    inner_state: Any


_KEPT = checks.Word(
    "use True where the transformation applies, else False",
    torch.Tensor,
    lambda value: value.dtype == torch.bool and value.dim() == 0,
    TypeError,
)


@dataclass(frozen=True, eq=False)
class _Masked:
    inner: GradientTransformation
    mask: Any

    def _select(
        self, tree: Any, root: str, reference: Any = None
    ) -> tuple[list[bool], list[Any], Any]:
        """Return the mask for each leaf of a tree, the leaves and the structure."""
        leaves, spec = pytree.flatten(tree)
        mask = (
            self.mask(tree if reference is None else reference)
            if callable(self.mask)
            else self.mask
        )
        keep = spread("mask", mask, spec, leaves, reference)
        if keep is None:
            checks.raise_not_prefix(spec, pytree.flatten(mask)[1], "mask", f"`{root}`")
        for index, value in enumerate(keep):
            if not (isinstance(value, bool) or (value is None and leaves[index] is None)):
                checks.check(checks.leaf_path(spec, index, "mask"), value, _KEPT)
        return [bool(value) for value in keep], leaves, spec

    def init(self, params: Any) -> MaskedState:
        keep, leaves, spec = self._select(params, "params")
        return MaskedState(self.inner.init(_hide(spec, leaves, keep)))

    def update(
        self, updates: Any, state: Any, params: Any = None, *, inplace: bool = True, **extra: Any
    ) -> tuple[Any, MaskedState]:
        check_state(state, (MaskedState, EmptyState))
        if isinstance(state, EmptyState):  # of no weight decay, say
            state = MaskedState(state)
        keep, leaves, spec = self._select(updates, "updates", params)
        if not any(keep):  # a tree of one leaf would be None, as if there were none
            return updates, state
        if params is not None:
            weights, params_spec = pytree.flatten(params)
            checks.check_same_structure(spec, params_spec, root="params", reference="the updates")
            params = _hide(params_spec, weights, keep)

            def place(seen: Any) -> Any:
                pairs = zip(pytree.leaves(seen), weights, keep, strict=True)
                return pytree.unflatten(params_spec, [new if k else old for new, old, k in pairs])

            extra = at_params(extra, place)
        inner, inner_state = self.inner.update(
            _hide(spec, leaves, keep),
            state.inner_state,
            params=params,
            inplace=inplace,
            **select(self.inner, extra),
        )
        merged = [
            new if kept else old
            for new, old, kept in zip(pytree.leaves(inner), leaves, keep, strict=True)
        ]
        return pytree.unflatten(spec, merged), MaskedState(inner_state)


def _hide(spec: Any, leaves: list[Any], keep: list[bool]) -> Any:
    return pytree.unflatten(
        spec, [leaf if kept else None for leaf, kept in zip(leaves, keep, strict=True)]
    )


@records_call
def masked(inner: GradientTransformation, mask: Mask | None = None) -> GradientTransformation:
    """Apply a transformation where a mask is True; other updates pass unchanged.

    Args:
        inner: The transformation. Masked-out leaves are None for it, and have no state.
        mask: A tree of booleans with the structure of the parameters (or a prefix of it), or a
            function that returns one, called with the parameters where ``update`` is given them
            and with the updates otherwise. None applies ``inner`` everywhere.

    Returns:
        A gradient transformation.

    Raises:
        ValueError: In ``init`` and ``update``, if the mask does not have the tree's structure.
        TypeError: In ``init`` and ``update``, if a leaf of the mask is not a boolean.

    Example:
        >>> import torch, torchopt
        >>> tx = masked(torchopt.transform.scale(10.0), {"w": True, "b": False})
        >>> g = {"w": torch.tensor([1.0]), "b": torch.tensor([1.0])}
        >>> tx.update(g, tx.init(g))[0]
        {'w': tensor([10.]), 'b': tensor([1.])}
    """
    check_transformation(inner, "inner")
    if mask is None:
        return inner
    rule = _Masked(inner, mask)
    return GradientTransformationExtraArgs(rule.init, rule.update, inner.reads)

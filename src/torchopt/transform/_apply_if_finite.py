"""Leave out updates with NaN or infinity."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import torch

from torchopt import checks
from torchopt.io.calls import records_call
from torchopt.pytree import flattening as pytree
from torchopt.transform._rule import check_state
from torchopt.transform._select import all_of, counter_like, update_if, zeros_like
from torchopt.transform.chaining import GradientTransformation, GradientTransformationExtraArgs
from torchopt.transform.checking import check_transformation


class ApplyIfFiniteState(NamedTuple):
    """How many updates in a row, and in all, were not finite; whether the last was; the inner state."""

    notfinite_count: Any
    last_finite: Any
    total_notfinite: Any
    inner_state: Any


@dataclass(frozen=True, eq=False)
class _ApplyIfFinite:
    inner: GradientTransformation
    max_consecutive_errors: int

    def init(self, params: Any) -> ApplyIfFiniteState:
        count = counter_like(params)
        return ApplyIfFiniteState(count, count == 0, count, self.inner.init(params))

    def update(
        self, updates: Any, state: Any, params: Any = None, *, inplace: bool = True, **extra: Any
    ) -> tuple[Any, ApplyIfFiniteState]:
        check_state(state, (ApplyIfFiniteState,))
        grads = [g for g in pytree.leaves(updates) if g is not None]
        finite = all_of([g.detach().isfinite().all() for g in grads])
        count = torch.where(finite, 0, state.notfinite_count + 1)
        new, inner_state = update_if(
            finite | (count > self.max_consecutive_errors),
            self.inner,
            updates,
            state.inner_state,
            zeros_like(updates),
            params=params,
            inplace=inplace,
            extra=extra,
        )
        total = state.total_notfinite + finite.logical_not()
        return new, ApplyIfFiniteState(count, finite, total, inner_state)


@records_call
def apply_if_finite(
    inner: GradientTransformation, /, max_consecutive_errors: int
) -> GradientTransformation:
    """Leave out updates in which an element of any leaf is NaN or infinite.

    Such an update is zero, and the state of ``inner`` stays as it is. After
    ``max_consecutive_errors`` of them in a row, ``inner`` is given the next ones as they are.

    Args:
        inner: The transformation.
        max_consecutive_errors: How many updates in a row are left out at most, not negative.

    Returns:
        A gradient transformation. The derivatives of an update that was left out are zero.

    Raises:
        TypeError: If ``inner`` is no gradient transformation.
        ValueError: If ``max_consecutive_errors`` is no integer, or is negative.

    Example:
        >>> import torch, torchopt
        >>> tx = apply_if_finite(torchopt.sgd(1.0), max_consecutive_errors=5)
        >>> g = (torch.tensor([1.0, float("nan")]),)
        >>> updates, state = tx.update(g, tx.init(g))
        >>> updates, state.total_notfinite
        ((tensor([0., 0.]),), tensor(1))

    References:
        Optax's ``apply_if_finite``.
    """
    check_transformation(inner, "inner")
    checks.check_count("max_consecutive_errors", max_consecutive_errors, of="updates")
    made = _ApplyIfFinite(inner, max_consecutive_errors)
    return GradientTransformationExtraArgs(made.init, made.update, inner.reads)

"""Project the parameters onto a set after each step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from torchopt.autodiff.shards import placed_as
from torchopt.collectives.dtensor import unshard
from torchopt.io.calls import records_call
from torchopt.prox import ProximalTerm
from torchopt.prox.separable_sum import as_term
from torchopt.pytree import flattening as pytree
from torchopt.sets.base import Sets
from torchopt.transform.chaining import EmptyState, GradientTransformation


@records_call
def project(onto: Sets) -> GradientTransformation:
    r"""Change the updates so that the parameters lie in a set after each step.

    .. math:: u_t = P_C(\theta_t + g_t) - \theta_t

    It is the last transformation of a chain: projected gradient descent, projected Adam. Since updates
    are added, the parameters meet the constraint up to rounding errors. Start from a point of the set.

    Args:
        onto: A set of ``torchopt.sets``, or a tree of sets, a prefix of the parameters.

    Returns:
        A gradient transformation whose ``update`` needs ``params``. Derivatives go through the
        projection, to the parameters of the set, too.

    Raises:
        TypeError: If ``onto`` is no set.

    Example:
        >>> import torch, torchopt
        >>> tx = torchopt.chain(torchopt.sgd(0.1), project(torchopt.sets.NonNegative()))
        >>> p, g = torch.tensor([1.0, 0.25]), torch.tensor([-1.0, 5.0])
        >>> torchopt.apply_updates(p, tx.update(g, tx.init(p), params=p)[0])
        tensor([1.1000, 0.0000])

    References:
        Bertsekas, *On the Goldstein-Levitin-Polyak Gradient Projection Method*, 1976. Optax's
        ``projections``.
    """
    term = as_term(onto, "onto")
    if not term.is_set:
        raise TypeError(
            f"`onto` is {term!r}, which is no set: use a set of `torchopt.sets`, or "
            f"`torchopt.solver.ProximalGradient()` for a term."
        )

    rule = _Project(term)
    return GradientTransformation(rule.init, rule.update)


@dataclass(frozen=True)
class _Project:
    term: ProximalTerm

    needs_params: ClassVar[bool] = True

    def init(self, params: Any) -> EmptyState:
        return EmptyState()

    def update(
        self, updates: Any, state: EmptyState, params: Any = None, *, inplace: bool = True
    ) -> tuple[Any, EmptyState]:
        if params is None:
            raise ValueError("`project` needs the parameters: pass `params` to `update`.")
        moved = pytree.map_leaves(lambda u, p: p + u, updates, params)
        # Whole leaves: DTensor lacks operations of many sets, such as those that sort.
        there = self.term.prox(unshard(moved, varying=False))
        return pytree.map_leaves(lambda x, p: placed_as(x, p) - p, there, params), state

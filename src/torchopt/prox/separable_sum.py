"""A term for each part of a tree."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias, TypeVar

import torch

from torchopt import checks
from torchopt.prox.term import ProximalTerm
from torchopt.pytree import PyTreeSpec, tree_flatten
from torchopt.pytree import flattening as pytree
from torchopt.pytree.typing import Numeric, TensorTree

T = TypeVar("T")
_Part = TypeVar("_Part")

Parts: TypeAlias = Mapping[str, _Part] | Mapping[int, _Part] | Sequence[_Part]

Terms: TypeAlias = "ProximalTerm | Parts[Terms | None]"
"""A proximal term, or a tree of them, a prefix of the parameters."""

_TERMS = "sets of `torchopt.sets`, terms of `torchopt.prox`, or a tree of them"
_TERM = checks.of_type(ProximalTerm, _TERMS)
_PART = checks.or_none(_TERM)


@dataclass(frozen=True, eq=False)
class SeparableSum(ProximalTerm):
    r"""A proximal term for each part of a tree.

    .. math::
        g(x) = \sum_p g_p(x_p), \qquad \operatorname{prox}_{t g}(x)_p = \operatorname{prox}_{t g_p}(x_p)

    Wherever a term is taken, as in ``prox=`` of :func:`torchopt.minimize`, a tree of terms stands for
    their sum.

    Args:
        parts: A tree of proximal terms and sets, a prefix of the parameters: each is that of all leaves
            below its place. With ``None`` these leaves have no term.

    Raises:
        TypeError: If a part is neither a term, nor a set, nor ``None``.

    Example:
        >>> import torch, torchopt
        >>> parts = torchopt.prox.SeparableSum({"w": torchopt.prox.L1(1.0), "b": None})
        >>> parts.prox({"w": torch.tensor([3.0, 0.5]), "b": torch.tensor([0.5])})
        {'w': tensor([2., 0.]), 'b': tensor([0.5000])}
    """

    parts: Terms | None

    def __post_init__(self) -> None:
        for part in _flatten(self.parts)[0]:
            checks.check("the part of a sum", part, _PART)

    @property
    def is_set(self) -> bool:  # type: ignore[override]
        """Whether each part is a set."""
        return all(part is None or part.is_set for part in _flatten(self.parts)[0])

    @property
    def is_box(self) -> bool:  # type: ignore[override]
        """Whether each part has bounds only."""
        return all(part is None or part.is_box for part in _flatten(self.parts)[0])

    def prox(self, x: T, step_size: Numeric = 1.0) -> T:
        """Return the proximal operator at each part of a tree; see :class:`ProximalTerm`."""
        return self._map_parts(lambda term, leaf: term.prox(leaf, step_size), x)

    def value(self, x: TensorTree) -> torch.Tensor:
        """Return the sum of the values of all parts."""
        values: list[torch.Tensor] = []

        def add(term: ProximalTerm, leaf: torch.Tensor) -> torch.Tensor:
            values.append(term.value(leaf))
            return leaf

        self._map_parts(add, x)
        leaf = next(leaf for leaf in pytree.leaves(x) if leaf is not None)
        return sum(values, leaf.new_zeros(()))

    def _terms_at(self, spec: PyTreeSpec) -> list[ProximalTerm | None]:
        """Return the term of each leaf of a tree with a structure.

        Raises:
            ValueError: If the parts are no prefix of the tree.
        """
        parts, structure = _flatten(self.parts)
        numbers = pytree.unflatten(structure, range(len(parts)))
        places = pytree.broadcast_prefix(numbers, spec)
        if places is None:
            raise ValueError(
                f"the terms have the structure {structure}, which is no prefix of "
                f"the parameters' structure {spec}: pass one term for each part of the parameters."
            )
        return [parts[place] for place in places]

    def _map_parts(
        self,
        function: Callable[..., torch.Tensor],
        x: T,
        *others: TensorTree,
        free: Callable[..., torch.Tensor] = lambda leaf, *_: leaf,
    ) -> T:
        """Return a tree of ``function(term, leaf, *other_leaves)``.

        Args:
            function: The function of a term and leaves.
            x: A tree, of which the parts are a prefix.
            *others: Trees like ``x``.
            free: ``free(leaf, *other_leaves)`` for leaves without a term; by default they stay.

        Raises:
            ValueError: If the parts are no prefix of the tree.
        """
        leaves, spec = pytree.flatten(x)
        terms = self._terms_at(spec)
        checked = [None if term is None else leaf for term, leaf in zip(terms, leaves, strict=True)]
        checks.check_floating(checked, spec, "x")
        for index, (term, leaf) in enumerate(zip(terms, checked, strict=True)):
            if term is not None and leaf is not None:
                term._check_leaf(leaf, partial(checks.leaf_path, spec, index, "x"))
        columns = zip(terms, leaves, *(pytree.leaves(other) for other in others), strict=True)
        return pytree.unflatten(
            spec,
            [
                leaf
                if leaf is None
                else free(leaf, *rest)
                if term is None
                else function(term, leaf, *rest)
                for term, leaf, *rest in columns
            ],
        )

    def prox_leaf(self, x: torch.Tensor, step_size: Numeric) -> torch.Tensor:
        """Return the proximal operator at a tree that is one tensor."""
        return self.prox(x, step_size)

    def value_leaf(self, x: torch.Tensor) -> torch.Tensor:
        """Return the value at a tree that is one tensor."""
        return self.value(x)


def _flatten(parts: Any) -> tuple[list[Any], PyTreeSpec]:
    """Return the terms of a tree and its structure; a term, though a dataclass, is a leaf."""
    return tree_flatten(
        parts,
        lambda part: isinstance(part, ProximalTerm),
        none_is_leaf=True,
        namespace=pytree.NAMESPACE,
    )


def as_term(term: Any, name: str = "prox") -> ProximalTerm:
    """Return a term, or a tree of terms as their sum.

    Raises:
        TypeError: If it is something else.
    """
    if isinstance(term, ProximalTerm):
        return term
    if not any(isinstance(leaf, ProximalTerm) for leaf in _flatten(term)[0]):
        checks.check(name, term, _TERM)
    return SeparableSum(term)

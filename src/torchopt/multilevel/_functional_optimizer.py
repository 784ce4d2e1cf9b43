"""An optimizer as a transformation on the list of its parameters, which may join several."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple

import torch

from torchopt import checks
from torchopt.pytree import flattening as pytree
from torchopt.transform.chaining import GradientTransformation

__all__ = ["FunctionalOptimizer", "OptimizerPart", "join", "refuse_other_steps"]


class FunctionalOptimizer(ABC):
    """An optimizer as a gradient transformation on the list of its parameters."""

    @property
    @abstractmethod
    def groups(self) -> list[list[torch.Tensor]]:
        """The tensors of each parameter group that require grad."""

    @property
    def params(self) -> list[torch.Tensor]:
        """All tensors that the optimizer holds and that require grad, group by group."""
        return [p for group in self.groups for p in group]

    @abstractmethod
    def transformation(self) -> GradientTransformation:
        """Return the transformation, with the hyperparameters as they are now.

        It takes and returns lists like :attr:`params`; where a gradient is None, parameter and state
        stay. Hyperparameters are copied: a scheduler that changes them later does not change steps
        that were done. Those that are tensors remain differentiable. It is the same object until a
        hyperparameter changes.

        Raises:
            ValueError: If a hyperparameter is out of range.
        """

    @abstractmethod
    def state(self) -> Any:
        """Return the optimizer's present state, as a state of :meth:`transformation`.

        Its tensors share memory with those of the optimizer: they hold until the optimizer itself
        steps. :meth:`write` leaves them as they are.
        """

    def write(self, params: Sequence[torch.Tensor], state: Any) -> None:
        """Put values into the parameters, and a state into the optimizer.

        Args:
            params: The new values, a list like :attr:`params`. They are copied into the parameters,
                so do this after the backward pass through the steps.
            state: The new state of :meth:`transformation`; it stays as it is when the optimizer steps.

        Raises:
            ValueError: If number or shapes of the values differ; nothing is then written.
        """
        mine = self.params
        if len(params) != len(mine):
            raise ValueError(
                f"{len(params)} tensors were given for the {len(mine)} parameters of the optimizer."
            )
        for index, (p, new) in enumerate(zip(mine, params, strict=True)):
            if p.shape != new.shape:
                checks.raise_shape_mismatch(f"params[{index}]", new.shape, p.shape, "its parameter")
        with torch.no_grad():
            self._write_state(state)
            for p, new in zip(mine, params, strict=True):
                p.copy_(new)

    @abstractmethod
    def _write_state(self, state: Any) -> None: ...


def refuse_other_steps(optimizer: Any, base: type[Any], *methods: str) -> None:
    """Refuse an optimizer that overrides methods of its base class."""
    for method in methods:
        # Schedulers and profilers wrap the step.
        mine = inspect.unwrap(getattr(optimizer, method))
        if getattr(mine, "__func__", mine) is not inspect.unwrap(getattr(base, method)):
            raise TypeError(
                f"{type(optimizer).__name__} has a `{method}` of its own, so it does not step like "
                f"{base.__name__} and cannot be unrolled: use {base.__name__} itself, a "
                f"`torchopt.Optimizer`, or a mode that does not unroll."
            )


class OptimizerPart(NamedTuple):
    """A transformation, and the tree of parameters that it takes.

    Attributes:
        tx: The transformation.
        kept: For each leaf of the tree, whether it is in the list of parameters; if not, it is None.
        spec: The structure of the tree; None for a list.
    """

    tx: GradientTransformation
    kept: tuple[bool, ...]
    spec: Any = None

    def tree(self, leaves: Iterator[Any]) -> Any:
        """Return the tree of the next elements of a list."""
        if self.spec is None:
            return [*islice(leaves, len(self.kept))]
        return pytree.unflatten(self.spec, [next(leaves) if kept else None for kept in self.kept])

    def list(self, tree: Any) -> Any:
        """Return the elements of a tree."""
        if self.spec is None:
            return tree
        leaves = pytree.flatten(tree)[0]
        return [x for x, kept in zip(leaves, self.kept, strict=True) if kept]


@dataclass(frozen=True, eq=False)
class _Joined:
    """Transformations, each on a part of one list."""

    parts: Sequence[OptimizerPart]

    def init(self, params: Sequence[Any]) -> tuple[Any, ...]:
        return tuple(
            part.tx.init(tree)
            for part, tree in zip(self.parts, self._trees(params, "params"), strict=True)
        )

    def update(
        self,
        updates: Sequence[Any],
        state: tuple[Any, ...],
        *,
        params: Sequence[Any] | None = None,
        inplace: bool = True,
    ) -> tuple[list[Any], tuple[Any, ...]]:
        trees = self._trees(updates, "updates")
        weights = [None] * len(trees) if params is None else self._trees(params, "params")
        new_updates, states = [], []
        for part, grads, inner, p in zip(self.parts, trees, state, weights, strict=True):
            out, new = part.tx.update(grads, inner, params=p, inplace=inplace)
            new_updates += part.list(out)
            states.append(new)
        return new_updates, tuple(states)

    def _trees(self, leaves: Sequence[Any], root: str) -> list[Any]:
        total = sum(sum(part.kept) for part in self.parts)
        if len(leaves) != total:
            raise ValueError(
                f"`{root}` has {len(leaves)} elements, but the optimizer has {total} parameters."
            )
        elements = iter(leaves)
        return [part.tree(elements) for part in self.parts]


def join(parts: Sequence[OptimizerPart]) -> GradientTransformation:
    """Return one transformation of the concatenated lists of all parts."""
    if len(parts) == 1 and parts[0].spec is None:
        return parts[0].tx
    joined = _Joined(parts)
    return GradientTransformation(joined.init, joined.update)

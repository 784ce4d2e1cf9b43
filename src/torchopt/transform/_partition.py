"""One transformation for each group of leaves."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

from torchopt import checks
from torchopt.io.calls import records_call
from torchopt.pytree import flattening as pytree
from torchopt.pytree.typing import TensorTree
from torchopt.transform._masked import masked
from torchopt.transform._rule import check_state
from torchopt.transform.chaining import GradientTransformation, GradientTransformationExtraArgs
from torchopt.transform.checking import check_transformation
from torchopt.transform.extra_args import select, union
from torchopt.transform.hyperparameters import spread


class PartitionState(NamedTuple):
    """The state of each transformation by its label, with None at the leaves that it does not see."""

    inner_states: Any


@dataclass(frozen=True, eq=False)
class _HasLabel:
    """The mask of the leaves with a label."""

    param_labels: Any
    label: Any
    known: tuple[Any, ...]

    def __call__(self, tree: Any) -> Any:
        leaves, spec = pytree.flatten(tree)
        labels = self.param_labels(tree) if callable(self.param_labels) else self.param_labels
        values = spread("param_labels", labels, spec, leaves)
        if values is None:
            structure = pytree.flatten(labels)[1]
            checks.raise_not_prefix(spec, structure, "param_labels", "the parameters")
        for index, (value, leaf) in enumerate(zip(values, leaves, strict=True)):
            if leaf is not None and value not in self.known:
                raise ValueError(
                    f"`{checks.leaf_path(spec, index, 'param_labels')}` is {value!r}, which is no key "
                    f"of `transforms`: use one of {', '.join(map(repr, self.known))}, or add a "
                    f"transformation for it."
                )
        return pytree.unflatten(spec, [value == self.label for value in values])


@dataclass(frozen=True, eq=False)
class _Partition:
    parts: dict[Any, GradientTransformation]

    def init(self, params: Any) -> PartitionState:
        return PartitionState({label: tx.init(params) for label, tx in self.parts.items()})

    def update(
        self, updates: Any, state: Any, params: Any = None, *, inplace: bool = True, **extra: Any
    ) -> tuple[Any, PartitionState]:
        check_state(state, (PartitionState,))
        states = {}
        for label, tx in self.parts.items():
            updates, states[label] = tx.update(
                updates,
                state.inner_states[label],
                params=params,
                inplace=inplace,
                **select(tx, extra),
            )
        return updates, PartitionState(states)


_Label = TypeVar("_Label")


@records_call
def partition(
    transforms: Mapping[_Label, GradientTransformation],
    param_labels: Callable[[TensorTree], Any] | object,
) -> GradientTransformation:
    """Apply to each leaf the transformation of its label.

    Args:
        transforms: The transformations by label. Each sees the leaves with its label; for it, the
            others are None, and have no state.
        param_labels: A tree of labels with the structure of the parameters (or a prefix of it), or a
            function that returns one, called with the parameters where ``update`` is given them and
            with the updates otherwise.

    Returns:
        A gradient transformation.

    Raises:
        TypeError: If a value of ``transforms`` is no gradient transformation.
        ValueError: In ``init`` and ``update``, if the labels do not have the tree's structure, or one
            is not in ``transforms``.

    Example:
        >>> import torch, torchopt
        >>> tx = partition({"fast": torchopt.sgd(1.0), "slow": torchopt.sgd(0.1)},
        ...                {"body": "slow", "head": "fast"})
        >>> g = {"body": (torch.tensor([1.0]), torch.tensor([2.0])), "head": torch.tensor([1.0])}
        >>> tx.update(g, tx.init(g))[0]
        {'body': (tensor([-0.1000]), tensor([-0.2000])), 'head': tensor([-1.])}

    References:
        Optax's ``partition``, once called ``multi_transform``.
    """
    for label, tx in transforms.items():
        check_transformation(tx, f"transforms[{label!r}]")
    known = tuple(transforms)
    made = _Partition(
        {
            label: masked(tx, _HasLabel(param_labels, label, known))
            for label, tx in transforms.items()
        }
    )
    return GradientTransformationExtraArgs(made.init, made.update, union(made.parts.values()))

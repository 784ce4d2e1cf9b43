"""Values in a tree by the name of their field or key, such as one in the state of a chain."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

from optree import PyTreeKind

from torchopt.pytree import _engine
from torchopt.pytree._nodes import NAMESPACE
from torchopt.pytree._spec import PyTreeSpec

_Tree = TypeVar("_Tree")


def _children(tree: Any) -> tuple[list[tuple[Any, str, Any]], PyTreeSpec]:
    """Return the names of a container's children with source text and values, and its structure."""
    values, spec = _engine.flatten(tree, lambda x: x is not tree, True, NAMESPACE)
    entries = [accessor[0] for accessor in spec.accessors() if accessor]
    names = [getattr(entry, "field", entry.entry) for entry in entries]
    texts = [entry.codify("") for entry in entries]
    return [*zip(names, texts, values, strict=False)], spec


def _places(tree: Any, key: str, path: str) -> Iterator[tuple[str, Any]]:
    """Yield the places at which a name occurs, and their values, but none within another."""
    for name, text, value in _children(tree)[0]:
        if name == key:
            yield path + text, value
        else:
            yield from _places(value, key, path + text)


def tree_get(tree: object, key: str) -> Any:
    """Return the value of a field or key, wherever it is in a tree.

    Args:
        tree: Nested dicts, lists, tuples, NamedTuples and dataclasses, such as the state of a chain.
        key: The name of a field, or a key of a dict.

    Raises:
        KeyError: If the tree has none of this name, or several.

    Example:
        >>> import torch, torchopt
        >>> tx = torchopt.chain(torchopt.sgd(0.1), torchopt.transform.polyak_average())
        >>> tree_get(tx.init({"w": torch.zeros(2)}), "average")
        {'w': tensor([0., 0.])}

    References:
        Optax's ``optax.tree.get``.
    """
    found = [*_places(tree, key, "tree")]
    if len(found) == 1:
        return found[0][1]
    if not found:
        raise KeyError(f"the tree has no field or key {key!r}")
    paths = ", ".join(path for path, _ in found)
    raise KeyError(f"the tree has {key!r} at several places, {paths}: take it from one of them")


def tree_set(tree: _Tree, **values: Any) -> _Tree:
    """Return a tree with other values of some fields or keys, wherever they are.

    Args:
        tree: Nested dicts, lists, tuples, NamedTuples and dataclasses, such as the state of a chain.
        **values: The new values by name.

    Raises:
        KeyError: If the tree has no field or key of such a name.

    Example:
        >>> import torch, torchopt
        >>> state = torchopt.transform.add_noise(generator=3).init({"w": torch.zeros(2)})
        >>> tree_get(tree_set(state, key=torch.tensor(5)), "key")
        tensor(5)

    References:
        Optax's ``optax.tree.set``.
    """
    for key in values:
        if next(_places(tree, key, "tree"), None) is None:
            raise KeyError(f"the tree has no field or key {key!r}")
    return _replaced(tree, values)


def _replaced(tree: Any, values: Mapping[str, Any]) -> Any:
    entries, spec = _children(tree)
    new = [values[k] if k in values else _replaced(x, values) for k, _, x in entries]
    return spec.unflatten(new) if spec.kind != PyTreeKind.LEAF else tree

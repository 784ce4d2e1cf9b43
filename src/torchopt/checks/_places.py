"""Errors that name a leaf of a tree by its path, as Python source."""

from __future__ import annotations

from typing import Any, NoReturn, Protocol

import torch


class Structure(Protocol):
    """What is asked of the structure of a tree."""

    @property
    def num_leaves(self) -> int:
        """The number of leaves."""

    def paths(self) -> list[tuple[Any, ...]]:
        """Return the keys that lead to each leaf."""

    def accessors(self) -> list[Any]:
        """Return a description of each leaf's place, whose ``codify`` writes it as source."""


def leaf_paths(spec: Structure, root: str) -> list[str]:
    """Return the path of each leaf as Python source, such as ``params['encoder'][0].weight``."""
    return [accessor.codify(root) for accessor in spec.accessors()]


def leaf_path(spec: Structure, index: int, root: str) -> str:
    """Return the path of leaf number ``index`` as Python source."""
    return leaf_paths(spec, root)[index]


def raise_other_structure(
    expected: Structure, found: Structure, root: str, reference: str, advice: str
) -> NoReturn:
    """Raise ``ValueError`` naming the first leaf at which two trees differ."""
    wanted, given = leaf_paths(expected, root), leaf_paths(found, root)
    known, present = set(wanted), set(given)
    missing = next((index for index, path in enumerate(wanted) if path not in present), None)
    extra = next((path for path in given if path not in known), None)
    if missing is not None:
        path, depth = wanted[missing], len(expected.accessors()[missing])
        inside = (a for a in found.accessors() if a[:depth].codify(root) == path)
        container = next((accessor[depth].type.__name__ for accessor in inside), None)
        where = f"`{path}` is missing"
        if container is not None:
            where = f"`{path}` is of type {container}, where one leaf is expected"
    elif extra is not None:
        where = f"`{extra}` is not expected"
    else:
        where = f"the containers differ (expected {expected}, found {found})"
    raise ValueError(
        f"`{root}` does not have the tree structure of {reference}: {where}; {advice}."
    )


def check_like(
    tree: tuple[list[Any], Structure],
    like: tuple[list[Any], Structure],
    *,
    root: str,
    reference: str,
) -> list[torch.Tensor]:
    """Return the tensors of a flattened tree; raise if it is not like another, leaf by leaf."""
    (leaves, found), (wanted, spec) = tree, like
    if not (found == spec or found.paths() == spec.paths()):
        raise_other_structure(spec, found, root, reference, "return a tree of the same structure")
    for i, (y, x) in enumerate(zip(leaves, wanted, strict=True)):
        if isinstance(x, torch.Tensor) != isinstance(y, torch.Tensor):
            raise TypeError(
                f"`{leaf_path(found, i, root)}` is an object of type {type(y).__name__}, but that leaf "
                f"of {reference} is one of type {type(x).__name__}: return a tensor for each tensor."
            )
        if isinstance(x, torch.Tensor) and y.shape != x.shape:
            raise ValueError(
                f"`{leaf_path(found, i, root)}` has shape {tuple(y.shape)}, but that leaf of "
                f"{reference} has shape {tuple(x.shape)}: return a tensor of that shape."
            )
    return [y for y in leaves if isinstance(y, torch.Tensor)]


def raise_not_prefix(spec: Structure, found: Structure, root: str, reference: str) -> NoReturn:
    """Raise ``ValueError`` naming the first leaf that a tree that should be a prefix lacks."""
    wanted, given = spec.paths(), found.paths()
    covered = [any(path[: len(g)] == g for g in given) for path in wanted]
    fitting = [any(path[: len(g)] == g for path in wanted) for g in given]
    if not all(covered):
        where = f"`{leaf_path(spec, covered.index(False), root)}` is missing"
    elif not all(fitting):
        where = f"`{leaf_path(found, fitting.index(False), root)}` is not expected"
    else:
        where = f"the containers differ (expected {spec}, found {found})"
    raise ValueError(
        f"`{root}` does not have the tree structure of {reference}, nor the beginning of it: {where}; "
        f"pass one value for each leaf, for a whole branch, or for all."
    )


def raise_shape_mismatch(path: str, found: Any, expected: Any, reference: str) -> NoReturn:
    """Raise ``ValueError`` for a leaf whose shape is not that of its reference."""
    raise ValueError(
        f"`{path}` has shape {tuple(found)}, but {reference} has shape {tuple(expected)}; "
        f"shapes must not change between steps."
    )

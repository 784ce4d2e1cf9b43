"""Arithmetic leaf by leaf: a tree is a vector whose coordinates keep their names.

Every function is pure, and differentiable where the leaves are tensors. ``None`` leaves stay
``None``. Leaves broadcast as tensors do; where they cannot, the error names the leaf.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from functools import partial, reduce
from typing import Any, TypeVar

import torch

from torchopt import checks
from torchopt.pytree.flattening import flatten, map_leaves, unflatten
from torchopt.pytree.typing import Numeric, TensorTree

_Tree = TypeVar("_Tree")
_Shape = Sequence[int]


def tree_neg(tree: _Tree) -> _Tree:
    """Return ``-tree``."""
    return map_leaves(operator.neg, tree)


def tree_add(*trees: _Tree) -> _Tree:
    """Add trees.

    Args:
        *trees: One or more trees of the same structure.

    Returns:
        Their sum, with the containers of the first tree.

    Raises:
        TypeError: If there is no tree.
        ValueError: If structures differ, leaves do not broadcast, or only one of two is ``None``.

    Example:
        >>> tree_add({"a": 1, "b": None}, {"a": 2, "b": None}, {"a": 3, "b": None})
        {'a': 6, 'b': None}
    """
    return _fold(operator.add, trees)


def tree_add_scalar_mul(tree_x: _Tree, tree_y: TensorTree, alpha: Numeric | None = None) -> _Tree:
    """Return ``tree_x + alpha * tree_y``.

    Args:
        tree_x: The tree that is added to.
        tree_y: A tree of the same structure.
        alpha: A number or a tensor that broadcasts to each leaf; one if not given.

    Returns:
        A tree with the containers of ``tree_x``.

    Raises:
        ValueError: If structures differ, leaves do not broadcast, or only one of two is ``None``.

    Example:
        >>> tree_add_scalar_mul((1.0, 2.0), (10.0, 20.0), alpha=0.5)
        (6.0, 12.0)
    """
    if alpha is None:
        return _binary(operator.add, "tree_x", tree_x, "tree_y", tree_y)
    return _binary(lambda x, y: x + alpha * y, "tree_x", tree_x, "tree_y", tree_y)


def tree_sub(minuend_tree: _Tree, subtrahend_tree: _Tree) -> _Tree:
    """Return ``minuend_tree - subtrahend_tree``.

    Args:
        minuend_tree: The tree that is subtracted from.
        subtrahend_tree: A tree of the same structure.

    Returns:
        A tree with the containers of ``minuend_tree``.

    Raises:
        ValueError: If structures differ, leaves do not broadcast, or only one of two is ``None``.
    """
    return _binary(operator.sub, "minuend_tree", minuend_tree, "subtrahend_tree", subtrahend_tree)


def tree_sub_scalar_mul(tree_x: _Tree, tree_y: TensorTree, alpha: Numeric | None = None) -> _Tree:
    """Return ``tree_x - alpha * tree_y``.

    Args:
        tree_x: The tree that is subtracted from.
        tree_y: A tree of the same structure.
        alpha: A number or a tensor that broadcasts to each leaf; one if not given.

    Returns:
        A tree with the containers of ``tree_x``.

    Raises:
        ValueError: If structures differ, leaves do not broadcast, or only one of two is ``None``.
    """
    if alpha is None:
        return _binary(operator.sub, "tree_x", tree_x, "tree_y", tree_y)
    return _binary(lambda x, y: x - alpha * y, "tree_x", tree_x, "tree_y", tree_y)


def tree_mul(*trees: _Tree) -> _Tree:
    """Multiply trees, element by element.

    Args:
        *trees: One or more trees of the same structure.

    Returns:
        Their product, with the containers of the first tree.

    Raises:
        TypeError: If there is no tree.
        ValueError: If structures differ, leaves do not broadcast, or only one of two is ``None``.
    """
    return _fold(operator.mul, trees)


def tree_scalar_mul(scalar: Numeric, multiplicand_tree: _Tree) -> _Tree:
    """Return ``scalar * multiplicand_tree``.

    Args:
        scalar: A number or a tensor that broadcasts to each leaf.
        multiplicand_tree: The tree to scale.

    Returns:
        A tree of the same structure.
    """
    return map_leaves(partial(operator.mul, scalar), multiplicand_tree)


def tree_truediv(dividend_tree: _Tree, divisor_tree: _Tree) -> _Tree:
    """Return ``dividend_tree / divisor_tree``, element by element.

    Args:
        dividend_tree: The tree to divide.
        divisor_tree: A tree of the same structure.

    Returns:
        A tree with the containers of ``dividend_tree``.

    Raises:
        ValueError: If structures differ, leaves do not broadcast, or only one of two is ``None``.
    """
    return _binary(operator.truediv, "dividend_tree", dividend_tree, "divisor_tree", divisor_tree)


def tree_vdot_real(tree_x: TensorTree, tree_y: TensorTree) -> torch.Tensor:
    r"""Return the real part of the inner product :math:`\langle x, y \rangle` of two trees.

    This is the Euclidean inner product of the trees as real vectors: a complex leaf counts with its
    real and imaginary parts. Leaves of different dtypes are promoted, and all to float32 at least.

    Args:
        tree_x: A tree of tensors or numbers; complex leaves are conjugated.
        tree_y: A tree of the same structure and the same shapes.

    Returns:
        A scalar tensor; zero for a tree without leaves.

    Raises:
        ValueError: If structures or shapes differ, or only one of two leaves is ``None``.

    Example:
        >>> import torch
        >>> x = {"w": torch.tensor([1.0, 2.0]), "b": torch.tensor(1.0 + 2.0j)}
        >>> tree_vdot_real(x, x)
        tensor(10.)
    """
    products = _binary(_vdot_real, "tree_x", tree_x, "tree_y", tree_y, shapes_fit=operator.eq)
    terms = [term for term in flatten(products)[0] if term is not None]
    return reduce(torch.add, terms) if terms else torch.zeros(())


def _broadcastable(x: _Shape, y: _Shape) -> bool:
    pairs = zip(reversed(x), reversed(y), strict=False)
    return all(m == n or 1 in (m, n) for m, n in pairs)


def _vdot_real(x: Any, y: Any) -> torch.Tensor:
    # Products of large half-precision tensors overflow, and long sums of small ones stand still.
    x, y = (
        t.float()
        if isinstance(t, torch.Tensor) and t.dtype in (torch.float16, torch.bfloat16)
        else t
        for t in (x, y)
    )
    tensors = isinstance(x, torch.Tensor), isinstance(y, torch.Tensor)
    if all(tensors) and x.dtype == y.dtype and (x.is_floating_point() or x.is_complex()):
        product = torch.vdot(x.reshape(-1), y.reshape(-1))
    else:  # multiplication promotes; vdot does not, nor is it there for integers on a GPU
        product = (x.conj() if tensors[0] else x.conjugate()) * y
        product = product.sum() if any(tensors) else torch.as_tensor(product)
    return product.real if product.is_complex() else product


def _fold(op: Callable[[Any, Any], Any], trees: Sequence[_Tree]) -> _Tree:
    if not trees:
        raise TypeError("expected one or more trees, but was given none.")
    total = map_leaves(lambda leaf: leaf, trees[0])
    for index, tree in enumerate(trees[1:], start=1):
        total = _binary(op, "trees[0]", total, f"trees[{index}]", tree)
    return total


def _binary(
    op: Callable[[Any, Any], Any],
    name_x: str,
    tree_x: _Tree,
    name_y: str,
    tree_y: Any,
    shapes_fit: Callable[[_Shape, _Shape], bool] = _broadcastable,
) -> _Tree:
    """Apply ``op`` to pairs of leaves, or say which leaf does not fit."""
    xs, spec = flatten(tree_x)
    ys, spec_y = flatten(tree_y)
    checks.check_same_structure(spec, spec_y, root=name_y, reference=f"`{name_x}`")
    out: list[Any] = []
    for index, (x, y) in enumerate(zip(xs, ys, strict=True)):
        if x is None and y is None:
            out.append(None)
            continue
        if x is None or y is None:
            missing, other = (name_x, name_y) if x is None else (name_y, name_x)
            raise ValueError(
                f"`{checks.leaf_path(spec, index, missing)}` is None, but "
                f"`{checks.leaf_path(spec, index, other)}` is not: give both a value, or neither."
            )
        shape_x, shape_y = getattr(x, "shape", ()), getattr(y, "shape", ())
        if not shapes_fit(shape_x, shape_y):
            raise ValueError(
                f"`{checks.leaf_path(spec, index, name_y)}` has shape {tuple(shape_y)}, which does "
                f"not fit shape {tuple(shape_x)} of `{checks.leaf_path(spec, index, name_x)}`."
            )
        out.append(op(x, y))
    result: _Tree = unflatten(spec, out)
    return result

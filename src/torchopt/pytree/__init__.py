"""Tree operations on an engine of our own, arithmetic on trees, and the rest of optree's names.

Semantics are optree's. What is not written here is optree's function, which takes our structures.
"""

from types import FunctionType
from typing import Any

import optree

from torchopt.io.names import publish as _publish
from torchopt.pytree._arithmetic import (
    tree_add,
    tree_add_scalar_mul,
    tree_as_rref,
    tree_flatten_as_tuple,
    tree_matmul,
    tree_mul,
    tree_neg,
    tree_pos,
    tree_scalar_mul,
    tree_sub,
    tree_sub_scalar_mul,
    tree_to_here,
    tree_truediv,
    tree_vdot_real,
    tree_wait,
)
from torchopt.pytree._by_field import tree_get, tree_set
from torchopt.pytree._engine import engine
from torchopt.pytree._functions import (
    tree_flatten,
    tree_is_leaf,
    tree_leaves,
    tree_map,
    tree_map_,
    tree_structure,
    tree_unflatten,
)
from torchopt.pytree._nodes import (
    NAMESPACE,
    dict_insertion_ordered,
    register_pytree_node,
    register_pytree_node_class,
    unregister_pytree_node,
)
from torchopt.pytree._operations import tree_broadcast_prefix, tree_ravel
from torchopt.pytree._optree import through_optree as _through_optree
from torchopt.pytree._spec import PyTreeSpec
from torchopt.pytree.flattening import flatten, unflatten

PyTreeDef = PyTreeSpec

__all__ = [
    "NAMESPACE",
    "PyTreeDef",
    "PyTreeSpec",
    "dict_insertion_ordered",
    "engine",
    "flatten",
    "register_pytree_node",
    "register_pytree_node_class",
    "tree_add",
    "tree_add_scalar_mul",
    "tree_as_rref",
    "tree_broadcast_prefix",
    "tree_flatten",
    "tree_flatten_as_tuple",
    "tree_get",
    "tree_is_leaf",
    "tree_leaves",
    "tree_map",
    "tree_map_",
    "tree_matmul",
    "tree_mul",
    "tree_neg",
    "tree_pos",
    "tree_ravel",
    "tree_scalar_mul",
    "tree_set",
    "tree_structure",
    "tree_sub",
    "tree_sub_scalar_mul",
    "tree_to_here",
    "tree_truediv",
    "tree_unflatten",
    "tree_vdot_real",
    "tree_wait",
    "unflatten",
    "unregister_pytree_node",
]
_NOT_OURS = {*__all__, "treespec_transform"}  # whose functions get optree's structures: our method
__all__ += [name for name in optree.__all__ if name not in _NOT_OURS]


def __getattr__(name: str) -> Any:
    """Return what else optree exports."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    thing = getattr(optree, name)
    globals()[name] = _through_optree(thing) if isinstance(thing, FunctionType) else thing
    return globals()[name]


_publish(__name__)

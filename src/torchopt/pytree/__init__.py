"""Tree operations on an engine of our own, arithmetic on trees, and the rest of optree's names.

Semantics are optree's. What is not written here is optree's function, which takes our structures.
"""

from types import FunctionType
from typing import TYPE_CHECKING, Any

import optree

from torchopt.io.names import publish as _publish
from torchopt.pytree._arithmetic import tree_add as tree_add
from torchopt.pytree._arithmetic import tree_add_scalar_mul as tree_add_scalar_mul
from torchopt.pytree._arithmetic import tree_as_rref as tree_as_rref
from torchopt.pytree._arithmetic import tree_flatten_as_tuple as tree_flatten_as_tuple
from torchopt.pytree._arithmetic import tree_matmul as tree_matmul
from torchopt.pytree._arithmetic import tree_mul as tree_mul
from torchopt.pytree._arithmetic import tree_neg as tree_neg
from torchopt.pytree._arithmetic import tree_pos as tree_pos
from torchopt.pytree._arithmetic import tree_scalar_mul as tree_scalar_mul
from torchopt.pytree._arithmetic import tree_sub as tree_sub
from torchopt.pytree._arithmetic import tree_sub_scalar_mul as tree_sub_scalar_mul
from torchopt.pytree._arithmetic import tree_to_here as tree_to_here
from torchopt.pytree._arithmetic import tree_truediv as tree_truediv
from torchopt.pytree._arithmetic import tree_vdot_real as tree_vdot_real
from torchopt.pytree._arithmetic import tree_wait as tree_wait
from torchopt.pytree._by_field import tree_get as tree_get
from torchopt.pytree._by_field import tree_set as tree_set
from torchopt.pytree._engine import engine as engine
from torchopt.pytree._functions import tree_flatten as tree_flatten
from torchopt.pytree._functions import tree_is_leaf as tree_is_leaf
from torchopt.pytree._functions import tree_leaves as tree_leaves
from torchopt.pytree._functions import tree_map as tree_map
from torchopt.pytree._functions import tree_map_ as tree_map_
from torchopt.pytree._functions import tree_structure as tree_structure
from torchopt.pytree._functions import tree_unflatten as tree_unflatten
from torchopt.pytree._nodes import NAMESPACE as NAMESPACE
from torchopt.pytree._nodes import dict_insertion_ordered as dict_insertion_ordered
from torchopt.pytree._nodes import register_pytree_node as register_pytree_node
from torchopt.pytree._nodes import register_pytree_node_class as register_pytree_node_class
from torchopt.pytree._nodes import unregister_pytree_node as unregister_pytree_node
from torchopt.pytree._operations import tree_broadcast_prefix as tree_broadcast_prefix
from torchopt.pytree._operations import tree_ravel as tree_ravel
from torchopt.pytree._optree import through_optree as _through_optree
from torchopt.pytree._spec import PyTreeSpec as PyTreeSpec
from torchopt.pytree.flattening import flatten as flatten
from torchopt.pytree.flattening import unflatten as unflatten

PyTreeDef = PyTreeSpec

_OURS = [
    name
    for name, thing in sorted(globals().items())
    if name == "NAMESPACE"
    or (name[0] != "_" and getattr(thing, "__module__", "").startswith(__name__))
]
# A function for `treespec_transform` would get optree's structures: our method gives it ours.
_THEIRS = [name for name in optree.__all__ if name not in (*_OURS, "treespec_transform")]
if not TYPE_CHECKING:  # to checkers, all names here are exported
    __all__ = [name for names in (_OURS, _THEIRS) for name in names]


def __getattr__(name: str) -> Any:
    """Return what else optree exports."""
    if name not in _THEIRS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    thing = getattr(optree, name)
    globals()[name] = _through_optree(thing) if isinstance(thing, FunctionType) else thing
    return globals()[name]


_publish(__name__)

"""Operations and arithmetic on trees, by an engine of the library's own.

The semantics are optree's. Programs for 0.7.3 find optree's other names here, too.
"""

from typing import TYPE_CHECKING

from torchopt.io.names import publish as _publish
from torchopt.pytree._arithmetic import tree_add as tree_add
from torchopt.pytree._arithmetic import tree_add_scalar_mul as tree_add_scalar_mul
from torchopt.pytree._arithmetic import tree_mul as tree_mul
from torchopt.pytree._arithmetic import tree_neg as tree_neg
from torchopt.pytree._arithmetic import tree_scalar_mul as tree_scalar_mul
from torchopt.pytree._arithmetic import tree_sub as tree_sub
from torchopt.pytree._arithmetic import tree_sub_scalar_mul as tree_sub_scalar_mul
from torchopt.pytree._arithmetic import tree_truediv as tree_truediv
from torchopt.pytree._arithmetic import tree_vdot_real as tree_vdot_real
from torchopt.pytree._by_field import tree_get as tree_get
from torchopt.pytree._by_field import tree_set as tree_set
from torchopt.pytree._engine import backend as backend
from torchopt.pytree._functions import tree_flatten as tree_flatten
from torchopt.pytree._functions import tree_is_leaf as tree_is_leaf
from torchopt.pytree._functions import tree_leaves as tree_leaves
from torchopt.pytree._functions import tree_map as tree_map
from torchopt.pytree._functions import tree_map_ as tree_map_
from torchopt.pytree._functions import tree_structure as tree_structure
from torchopt.pytree._functions import tree_unflatten as tree_unflatten
from torchopt.pytree._nodes import dict_insertion_ordered as dict_insertion_ordered
from torchopt.pytree._nodes import register_pytree_node as register_pytree_node
from torchopt.pytree._nodes import register_pytree_node_class as register_pytree_node_class
from torchopt.pytree._nodes import unregister_pytree_node as unregister_pytree_node
from torchopt.pytree._operations import tree_ravel as tree_ravel
from torchopt.pytree._spec import PyTreeSpec as PyTreeSpec

if TYPE_CHECKING:  # as 0.7.3 names them
    from torchopt.compat import tree_as_rref as tree_as_rref
    from torchopt.compat import tree_flatten_as_tuple as tree_flatten_as_tuple
    from torchopt.compat import tree_matmul as tree_matmul
    from torchopt.compat import tree_pos as tree_pos
    from torchopt.compat import tree_to_here as tree_to_here
    from torchopt.compat import tree_wait as tree_wait

PyTreeDef = PyTreeSpec

# What states, parameters and extensions need. The rest is for programs of 0.7.3.
__all__ = [
    "PyTreeSpec",
    "backend",
    "register_pytree_node",
    "tree_add",
    "tree_add_scalar_mul",
    "tree_flatten",
    "tree_get",
    "tree_leaves",
    "tree_map",
    "tree_mul",
    "tree_neg",
    "tree_ravel",
    "tree_scalar_mul",
    "tree_set",
    "tree_structure",
    "tree_sub",
    "tree_sub_scalar_mul",
    "tree_truediv",
    "tree_unflatten",
    "tree_vdot_real",
]

_publish(__name__)

"""Names of TorchOpt 0.7.3, functorch, JAXopt and qpth, for programs that are written with them.

New programs write the core names; ``docs/api/compat.md`` has both. ``io.published`` says where else
programs of 0.7.3 find them.
"""

from torchopt.compat.decorators import custom_fixed_point, custom_root
from torchopt.compat.func_optimizer import FuncOptimizer
from torchopt.compat.functional_module import FunctionalModule, make_functional
from torchopt.compat.implicit_module import ImplicitMetaGradientModule
from torchopt.compat.linalg import cg, ns, ns_inv
from torchopt.compat.linear_solve import solve_cg, solve_inv, solve_normal_cg
from torchopt.compat.modules import module_detach_
from torchopt.compat.quadratic_function import QPFunction
from torchopt.compat.schedules import exponential_decay
from torchopt.compat.stateless import reparameterize, reparametrize, swap_state
from torchopt.compat.trees import (
    tree_as_rref,
    tree_flatten_as_tuple,
    tree_matmul,
    tree_pos,
    tree_to_here,
    tree_wait,
)
from torchopt.compat.zero_order_function import zero_order
from torchopt.compat.zero_order_module import ZeroOrderGradientModule
from torchopt.io.names import publish as _publish
from torchopt.optim import Adadelta as AdaDelta
from torchopt.optim import Adagrad as AdaGrad
from torchopt.optim import Adamax as AdaMax
from torchopt.optim import MetaAdadelta as MetaAdaDelta
from torchopt.optim import MetaAdagrad as MetaAdaGrad
from torchopt.optim import MetaAdamax as MetaAdaMax
from torchopt.optim import MetaRMSprop as MetaRMSProp
from torchopt.optim import RMSprop as RMSProp

__all__ = [
    "AdaDelta",
    "AdaGrad",
    "AdaMax",
    "FuncOptimizer",
    "FunctionalModule",
    "ImplicitMetaGradientModule",
    "MetaAdaDelta",
    "MetaAdaGrad",
    "MetaAdaMax",
    "MetaRMSProp",
    "QPFunction",
    "RMSProp",
    "ZeroOrderGradientModule",
    "cg",
    "custom_fixed_point",
    "custom_root",
    "exponential_decay",
    "make_functional",
    "module_detach_",
    "ns",
    "ns_inv",
    "reparameterize",
    "reparametrize",
    "solve_cg",
    "solve_inv",
    "solve_normal_cg",
    "swap_state",
    "tree_as_rref",
    "tree_flatten_as_tuple",
    "tree_matmul",
    "tree_pos",
    "tree_to_here",
    "tree_wait",
    "zero_order",
]

_publish(__name__)

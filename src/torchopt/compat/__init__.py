"""Names of TorchOpt 0.7.3, functorch, JAXopt and qpth, for programs that are written with them.

New programs write the core names; ``docs/api/compat.md`` has both. A module here is imported when
one of its names is asked for; ``io.published`` says where else programs of 0.7.3 find them.
"""

import importlib
from typing import TYPE_CHECKING, Any

from torchopt.io import names as _names

if TYPE_CHECKING:
    from torchopt.compat.decorators import custom_fixed_point as custom_fixed_point
    from torchopt.compat.decorators import custom_root as custom_root
    from torchopt.compat.func_optimizer import FuncOptimizer as FuncOptimizer
    from torchopt.compat.functional_module import FunctionalModule as FunctionalModule
    from torchopt.compat.functional_module import make_functional as make_functional
    from torchopt.compat.implicit_module import (
        ImplicitMetaGradientModule as ImplicitMetaGradientModule,
    )
    from torchopt.compat.linalg import cg as cg
    from torchopt.compat.linalg import ns as ns
    from torchopt.compat.linalg import ns_inv as ns_inv
    from torchopt.compat.linear_solve import solve_cg as solve_cg
    from torchopt.compat.linear_solve import solve_inv as solve_inv
    from torchopt.compat.linear_solve import solve_normal_cg as solve_normal_cg
    from torchopt.compat.modules import module_detach_ as module_detach_
    from torchopt.compat.quadratic_function import QPFunction as QPFunction
    from torchopt.compat.spellings import AdaDelta as AdaDelta
    from torchopt.compat.spellings import AdaGrad as AdaGrad
    from torchopt.compat.spellings import AdaMax as AdaMax
    from torchopt.compat.spellings import MetaAdaDelta as MetaAdaDelta
    from torchopt.compat.spellings import MetaAdaGrad as MetaAdaGrad
    from torchopt.compat.spellings import MetaAdaMax as MetaAdaMax
    from torchopt.compat.spellings import MetaRMSProp as MetaRMSProp
    from torchopt.compat.spellings import RMSProp as RMSProp
    from torchopt.compat.stateless import reparameterize as reparameterize
    from torchopt.compat.stateless import reparametrize as reparametrize
    from torchopt.compat.stateless import swap_state as swap_state
    from torchopt.compat.trees import tree_as_rref as tree_as_rref
    from torchopt.compat.trees import tree_flatten_as_tuple as tree_flatten_as_tuple
    from torchopt.compat.trees import tree_matmul as tree_matmul
    from torchopt.compat.trees import tree_pos as tree_pos
    from torchopt.compat.trees import tree_to_here as tree_to_here
    from torchopt.compat.trees import tree_wait as tree_wait
    from torchopt.compat.zero_order_function import zero_order as zero_order
    from torchopt.compat.zero_order_module import ZeroOrderGradientModule as ZeroOrderGradientModule

if not TYPE_CHECKING:  # else any name would be known
    _HOMES = {
        name: f"{__name__}.{home}"
        for home, names in {
            "decorators": "custom_fixed_point custom_root",
            "func_optimizer": "FuncOptimizer",
            "functional_module": "FunctionalModule make_functional",
            "implicit_module": "ImplicitMetaGradientModule",
            "linalg": "cg ns ns_inv",
            "linear_solve": "solve_cg solve_inv solve_normal_cg",
            "quadratic_function": "QPFunction",
            "spellings": """
                AdaDelta AdaGrad AdaMax MetaAdaDelta MetaAdaGrad MetaAdaMax MetaRMSProp RMSProp
            """,
            "stateless": "reparameterize reparametrize swap_state",
            "trees": """
                tree_as_rref tree_flatten_as_tuple tree_matmul tree_pos tree_to_here tree_wait
            """,
            "zero_order_function": "zero_order",
            "zero_order_module": "ZeroOrderGradientModule",
            "modules": "module_detach_",
        }.items()
        for name in names.split()
    }
    __all__ = sorted(_HOMES)  # noqa: PLE0605

    def __getattr__(name: str) -> Any:
        if name not in _HOMES:
            raise _names.no_such(__name__, name)
        thing = globals()[name] = getattr(importlib.import_module(_HOMES[name]), name)
        if thing.__module__ == _HOMES[name]:
            _names.name_as(thing, __name__)
        return thing

    def __dir__() -> list[str]:
        return __all__

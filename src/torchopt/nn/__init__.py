"""Modules that differentiate, and modules as functions of their tensors."""

from typing import TYPE_CHECKING

from torchopt.io.names import publish as _publish
from torchopt.modules.meta_module import MetaGradientModule
from torchopt.nn import functional
from torchopt.nn._equilibrium import Equilibrium
from torchopt.nn._functional import functional_call
from torchopt.nn._quadratic_layer import QuadraticLayer
from torchopt.optim.states import module_clone

if TYPE_CHECKING:  # as 0.7.3 names them
    from torchopt.compat import ImplicitMetaGradientModule as ImplicitMetaGradientModule
    from torchopt.compat import ZeroOrderGradientModule as ZeroOrderGradientModule
    from torchopt.compat import reparameterize as reparameterize
    from torchopt.compat import reparametrize as reparametrize
    from torchopt.compat import swap_state as swap_state

__all__ = [
    "Equilibrium",
    "MetaGradientModule",
    "QuadraticLayer",
    "functional",
    "functional_call",
    "module_clone",
]

_publish(__name__)

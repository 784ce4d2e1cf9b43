"""Modules that differentiate, and modules as functions of their tensors."""

from torchopt.nn._functional import FunctionalModule, functional_call, make_functional
from torchopt.nn._implicit_module import ImplicitMetaGradientModule
from torchopt.nn._meta_module import MetaGradientModule
from torchopt.nn._stateless import reparameterize, reparametrize, swap_state
from torchopt.nn._zero_order_module import ZeroOrderGradientModule

__all__ = [
    "FunctionalModule",
    "ImplicitMetaGradientModule",
    "MetaGradientModule",
    "ZeroOrderGradientModule",
    "functional_call",
    "make_functional",
    "reparameterize",
    "reparametrize",
    "swap_state",
]

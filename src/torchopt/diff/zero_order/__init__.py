"""Zero-order differentiation: the mode, the decorator, and one estimator a file."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

from torchopt.diff.zero_order._antithetic import Antithetic
from torchopt.diff.zero_order._decorator import zero_order
from torchopt.diff.zero_order._estimator import Estimator, NonFiniteWarning
from torchopt.diff.zero_order._evaluation import Evaluation, Loop, Vmap
from torchopt.diff.zero_order._forward import Forward
from torchopt.diff.zero_order._mode import ZeroOrder
from torchopt.diff.zero_order._naive import Naive

if TYPE_CHECKING:
    from torchopt.nn import ZeroOrderGradientModule

__all__ = [
    "Antithetic",
    "Estimator",
    "Evaluation",
    "Forward",
    "Loop",
    "Naive",
    "NonFiniteWarning",
    "Vmap",
    "ZeroOrder",
    "ZeroOrderGradientModule",
    "zero_order",
]


def __getattr__(name: str) -> Any:
    # Modules lean on the modes, so theirs is looked up only when asked for.
    if name == "ZeroOrderGradientModule":
        from torchopt.nn import ZeroOrderGradientModule

        return ZeroOrderGradientModule
    if name == "nn":
        import importlib

        return importlib.import_module("torchopt.diff.zero_order.nn")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


class _CallableModule(ModuleType):
    """Existing programs call ``torchopt.diff.zero_order(...)`` as well as its function of that name."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return zero_order(*args, **kwargs)


sys.modules[__name__].__class__ = _CallableModule

"""What to say of an argument that should be a gradient transformation and is something like it."""

from __future__ import annotations

import functools
import inspect
from typing import Any

from torchopt import checks
from torchopt.io.names import optimizer_of
from torchopt.transform.chaining import GradientTransformation

_TRANSFORMATION = checks.of_type(
    GradientTransformation, "a gradient transformation, such as `torchopt.adam(1e-3)`"
)


def refuse_optimizer(value: Any, name: str) -> None:
    """Raise ``TypeError`` for an optimizer with parameters of its own, or a factory not yet called.

    Args:
        value: The argument: an object, a class or a function.
        name: Its name.
    """
    kind = value if isinstance(value, type) else type(value)
    if hasattr(kind, "add_param_group"):
        made = optimizer_of(kind.__name__) or "sgd"
        what = "the class" if kind is value else "an object of type"
        this = (
            ", or the first result of `torchopt.from_torch(optimizer, params)`, which begins anew"
        )
        this *= kind is not value
        raise TypeError(
            f"`{name}` is {what} {kind.__name__}, which changes parameters of its own in place: pass a "
            f"gradient transformation, such as `torchopt.optimizers.{made}()`{this}."
        )
    function = value
    while isinstance(function, functools.partial):
        function = function.func
    module = function.__globals__["__name__"] if inspect.isfunction(function) else ""
    if module.startswith(("torchopt.optimizers", "torchopt.transform")):
        optimizer = module.startswith("torchopt.optimizers")
        example = (
            f"{function.__module__}.{function.__name__}(0.1)" if optimizer else "torchopt.sgd(0.1)"
        )
        raise TypeError(
            f"`{name}` is the function `{function.__name__}` itself: call it, and pass the gradient "
            f"transformation that it returns, such as `{example}`."
        )


def check_transformation(impl: Any, name: str = "impl") -> None:
    """Raise ``TypeError`` unless an argument is a gradient transformation."""
    if not isinstance(impl, GradientTransformation):
        refuse_optimizer(impl, name)
    checks.check(name, impl, _TRANSFORMATION)

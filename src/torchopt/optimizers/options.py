"""The options that every optimizer takes by keyword."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import ParamSpec, TypedDict, get_type_hints

from torchopt.io.calls import records_call
from torchopt.transform.chaining import GradientTransformation

__all__ = ["DEFAULTS", "Common", "optimizer"]

_P = ParamSpec("_P")


class Common(TypedDict, total=False):
    """What every optimizer takes by keyword."""

    maximize: bool
    use_accelerated_op: bool | None


DEFAULTS: Common = {"maximize": False, "use_accelerated_op": None}


def optimizer(make: Callable[_P, GradientTransformation]) -> Callable[_P, GradientTransformation]:
    """Note the calls of a function that makes an optimizer, and show ``**common`` in its signature."""
    signature, types = inspect.signature(make, eval_str=True), get_type_hints(Common)
    own = [p for p in signature.parameters.values() if p.kind is not p.VAR_KEYWORD]
    shared = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=x, annotation=types[name])
        for name, x in DEFAULTS.items()
    ]
    make.__dict__["__signature__"] = signature.replace(parameters=[*own, *shared])
    return records_call(make)

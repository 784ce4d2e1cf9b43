"""The options that every optimizer takes by keyword."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import ParamSpec, TypedDict, get_type_hints

from torchopt.io.calls import records_call
from torchopt.transform.chaining import GradientTransformation, rules_of

__all__ = ["DEFAULTS", "Common", "optimizer"]

_P = ParamSpec("_P")
#: What transformations call the elements of an argument.
_PARTS = {
    "betas": ("b1", "b2", "b3"),
    "adam_betas": ("b1", "b2"),
    "etas": ("eta_minus", "eta_plus"),
    "step_sizes": ("min_step_size", "max_step_size"),
}


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
    shown = {
        part: f"{name}[{index}]"
        for name in signature.parameters
        for index, part in enumerate(_PARTS.get(name, ()))
    }
    return records_call(_showing(shown, make) if shown else make)


def _showing(
    shown: dict[str, str], make: Callable[_P, GradientTransformation]
) -> Callable[_P, GradientTransformation]:
    """Let messages name an element as the user passes it: ``betas[0]``, not ``b1``."""

    @functools.wraps(make)
    def named(*args: _P.args, **options: _P.kwargs) -> GradientTransformation:
        tx = make(*args, **options)
        for rule in rules_of(tx):
            rule.shown = shown
        return tx

    return named

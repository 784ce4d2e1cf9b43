"""What is passed by position: a function that is evaluated, never an option."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import pytest

import _public

P = inspect.Parameter
#: Signatures of others: that of ``torch.func``, and those of published TorchOpt and of optree.
FOREIGN = {"functional_call", "custom_root", "zero_order"}
ROOMS = {"pytree", "alias", "autograd", "schedule", "transform", "visual", "utils"}
EVALUATED = {"objective", "function", "fn", "residuals", "closure", "loss", "step"}


def functions() -> dict[str, Callable[..., Any]]:
    """Return the public functions that follow the rule, by their paths."""
    return {
        f"{module.__name__}.{name}": thing
        for module in _public.modules()
        for name, thing in vars(module).items()
        if name in module.__all__
        and inspect.isfunction(thing)
        and (written := thing.__globals__["__name__"].split("."))[0] == "torchopt"
        and name not in FOREIGN
        and not ROOMS & set(written)
    }


FUNCTIONS = functions()


def test_there_are_functions_to_check() -> None:
    assert {"torchopt.minimize", "torchopt.linalg.hessian_operator"} <= set(FUNCTIONS)


@pytest.mark.parametrize("path", FUNCTIONS)
def test_a_function_to_evaluate_is_positional_only_and_options_are_keywords(path: str) -> None:
    parameters = list(inspect.signature(FUNCTIONS[path]).parameters.values())
    if parameters and parameters[0].name in EVALUATED:
        assert parameters[0].kind is P.POSITIONAL_ONLY
    positional = [
        p.name for p in parameters if p.kind in (P.POSITIONAL_ONLY, P.POSITIONAL_OR_KEYWORD)
    ]
    assert len(positional) <= 3, f"{path} takes {positional} by position"

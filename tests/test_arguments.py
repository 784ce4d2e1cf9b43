"""What may be passed by position (a function that is evaluated, never an option), and as a number."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import pytest
import torch

import _public
import torchopt
from torchopt import diff

P = inspect.Parameter
#: Signatures of others: that of ``torch.func``, and those of published TorchOpt and of optree.
FOREIGN = {"functional_call", "custom_root", "zero_order"}
ROOMS = {"pytree", "optimizers", "autograd", "schedule", "transform", "visual", "utils"}
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


#: The optimizers and schedules of 0.7.3 and ``torch.optim``, whose order of arguments is kept.
KEPT = {
    *("adadelta", "adagrad", "adam", "adamax", "adamw", "radam", "rmsprop", "sgd"),
    *("adafactor", "asgd", "muon", "nadam", "rprop"),
    *("linear_schedule", "polynomial_schedule"),
}


@pytest.mark.parametrize(
    "make",
    [
        getattr(room, name)
        for room in (torchopt.optimizers, torchopt.schedule)
        for name in room.__all__
        if name not in KEPT
    ],
)
def test_new_optimizers_and_schedules_take_one_or_two_arguments_by_position(make: Any) -> None:
    positional = [
        p.name for p in inspect.signature(make).parameters.values() if p.kind is not P.KEYWORD_ONLY
    ]
    if make.__module__ == "torchopt.schedule":
        assert len(positional) <= 2
    else:
        assert positional in (["lr"], ["lr", "betas"])


#: Arguments that count something: each in what makes the object, by name.
_COUNTS: list[tuple[str, Callable[..., Any]]] = [
    ("steps", lambda **o: torchopt.minimize(_square, torch.ones(2), solver=torchopt.sgd(0.1), **o)),
    (
        "maxiter",
        lambda **o: torchopt.minimize(
            _square, torch.ones(2), solver=torchopt.sgd(0.1), atol=1e-3, **o
        ),
    ),
    ("maxiter", torchopt.solver.Newton),
    ("history_size", torchopt.solver.LBFGS),
    ("history_size", torchopt.solver.Anderson),
    ("line_search_maxiter", torchopt.solver.Broyden),
    ("maxiter", torchopt.linear_solve.CG),
    ("restart", torchopt.linear_solve.GMRES),
    ("chunk_size", torchopt.linear_solve.Dense),
    ("truncate", diff.Explicit),
    ("num_samples", diff.zero_order.SPSA),
    ("population", diff.zero_order.GaussianSearch),
    ("chunk_size", lambda **o: torchopt.vmap_tasks(_square, **o)),
    ("batch_dims", lambda **o: torchopt.nn.Equilibrium(_square, **o)),
    ("parts", torchopt.distributed.Workers),
]


def _square(x: torch.Tensor) -> torch.Tensor:
    return x.square().sum()


@pytest.mark.parametrize("value", [True, 2.0, "3", -2])
@pytest.mark.parametrize(("name", "make"), _COUNTS)
def test_a_count_is_an_integer_and_no_boolean(
    name: str, make: Callable[..., Any], value: Any
) -> None:
    with pytest.raises(
        ValueError, match=rf"`{name}` is {value!r}: use (a whole number of|an integer)"
    ):
        make(**{name: value})

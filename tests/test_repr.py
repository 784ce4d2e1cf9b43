"""What public objects print at the prompt: the call that makes them, on one line."""

from __future__ import annotations

import copy
import functools
import inspect
import pickle
from collections.abc import Callable
from typing import Any, Protocol

import pytest
import torch
from torch import nn

import _public
import torchopt
from torchopt import diff, linear_solve, optimizers, schedule, solver, transform
from torchopt.diff import zero_order
from torchopt.transform.chaining import GradientTransformation

#: What shows state, a result or several parts is a table, an error or PyTorch's own.
OTHER = (torch.optim.Optimizer, nn.Module, BaseException, tuple)
#: These need a package, other processes, or what only the library makes.
NEEDS_MORE = {"Constraints", "Polyhedron", "PyTreeSpec", "RayExecutor", "WandB", "context"}
#: The names that a program has which writes these calls.
NAMES = {
    name: thing
    for module in (
        torchopt,
        optimizers,
        transform,
        schedule,
        solver,
        linear_solve,
        diff,
        zero_order,
    )
    for name in module.__all__
    if callable(thing := getattr(module, name))
} | {"tensor": torch.tensor}


def makes_alone(thing: Any) -> bool:
    """Return whether a class or a factory of transformations can be called without arguments."""
    if inspect.isclass(thing):
        if issubclass(thing, diff.Stats):  # a result
            return False
        if inspect.isabstract(thing) or issubclass(thing, OTHER) or Protocol in thing.__bases__:
            return False
    elif not returns_transformation(thing):
        return False
    try:
        inspect.signature(thing).bind()
    except (TypeError, ValueError):
        return False
    return thing.__module__.startswith("torchopt") and not NEEDS_MORE & {thing.__name__}


def returns_transformation(thing: Any) -> bool:
    made = {"GradientTransformation", "LinearSolver", "Schedule"}
    return inspect.isfunction(thing) and _public.returned(thing) in made


THINGS = {name: thing for name, (_, thing) in _public.names().items() if makes_alone(thing)}


@pytest.mark.parametrize("name", THINGS)
def test_what_a_public_name_makes_prints_as_a_call_on_one_line(name: str) -> None:
    made = THINGS[name]()
    try:
        text = repr(made)
    finally:
        if isinstance(made, torchopt.distributed.Executor):
            made.close()
    assert len(text) <= 100
    assert "\n" not in text
    assert " at 0x" not in text
    assert text.endswith(")")
    head = text.partition("(")[0]
    names = NAMES | {THINGS[name].__name__: THINGS[name]}  # two rooms may have one name
    if head in NAMES:
        assert repr(eval(text, dict(names))) == text


@pytest.mark.parametrize("name", _public.ALIASES)
@pytest.mark.parametrize("options", [{}, {"weight_decay": 0.25}, {"maximize": True}], ids=str)
def test_the_text_of_an_optimizer_makes_one_with_its_numbers(
    name: str, options: dict[str, Any]
) -> None:
    make = _public.ALIASES[name]
    if not options.keys() <= inspect.signature(make).parameters.keys():
        options = {}
    tx = make(lr=0.125, **options)
    text = repr(tx)
    words = "".join(f", {key}={value}" for key, value in options.items())
    assert text == f"{name}(lr=0.125{words})"
    again = eval(text, dict(NAMES))
    params = {"w": torch.tensor([1.5, -0.5])}
    results = []
    for each in (tx, again, pickle.loads(pickle.dumps(tx)), copy.deepcopy(tx)):
        assert repr(each) == text
        state = each.init(params)
        for _ in range(3):
            updates, state = each.update({"w": torch.tensor([0.3, 2.0])}, state, params=params)
        results.append(updates["w"])
    for result in results[1:]:
        assert torch.equal(result, results[0])


@pytest.mark.parametrize(
    "text",
    [
        "sgd(lr=0.1, momentum=0.9)",
        "adam(lr=0.001, betas=(0.8, 0.99))",
        "adam(lr=tensor(0.5000))",
        "chain(clip_grad_norm(max_norm=1.0), adamw(lr=0.001))",
        "lookahead(sgd(lr=0.5), sync_period=5, slow_step_size=0.3)",
        "masked(inner=sgd(lr=0.5), mask={'w': True, 'b': False})",
        "sgd(lr=exponential_decay_schedule(init_value=1.0, decay_rate=0.5))",
        "scale(step_size=linear_schedule(init_value=1, end_value=0, transition_steps=4))",
        "chain(sgd(lr=0.5))",
        "identity()",
        "Newton(maxiter=7, linear_solve=CG(maxiter=3))",
        "Implicit(linear_solve=NormalCG(ridge=0.5))",
        "Explicit(memory='sqrt')",
        "ZeroOrder(estimator=SPSA(num_samples=3), evaluation=Vmap(chunk_size=8))",
    ],
)
def test_arguments_that_differ_from_their_defaults_are_shown(text: str) -> None:
    assert repr(eval(text, dict(NAMES))) == text


def _formula(g: torch.Tensor, *, rate: float) -> tuple[torch.Tensor]:
    return (rate * g,)


def test_what_no_factory_made_prints_without_addresses() -> None:
    mine = GradientTransformation(lambda p: (), lambda updates, state, *, params: (updates, state))
    assert " at 0x" not in repr(mine)
    own = transform.elementwise(_formula, hyper={"rate": 0.5})
    assert repr(own) == "elementwise(formula=_formula, hyper={'rate': 0.5})"
    large = torchopt.sgd(torch.full((3, 4), 0.1))
    assert repr(large) == "sgd(lr=<Tensor of shape (3, 4)>)"
    partial = torchopt.sgd(functools.partial(max, 0.5))
    assert repr(partial) == "sgd(lr=partial(max, ...))"


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda net: torchopt.MetaAdam(net), "MetaAdam(lr=0.001, parameters=6)"),
        (
            lambda net: torchopt.MetaSGD(net, 0.5, momentum=0.9),
            "MetaSGD(lr=0.5, momentum=0.9, parameters=6)",
        ),
        (
            lambda net: torchopt.MetaOptimizer(net, torchopt.adam()),
            "MetaOptimizer(impl=adam(lr=0.001), parameters=6)",
        ),
        (
            lambda net: torchopt.compat.FuncOptimizer(torchopt.sgd(1.0)),
            "FuncOptimizer(impl=sgd(lr=1.0))",
        ),
    ],
)
def test_optimizers_with_state_print_their_hyperparameters(
    make: Callable[[nn.Module], Any], text: str
) -> None:
    net = nn.Linear(2, 2)
    assert repr(make(net)) == text
    assert repr(copy.deepcopy(make(net))) == text

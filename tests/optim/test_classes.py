"""Each class has the arguments, types and documentation of its function."""

from __future__ import annotations

import inspect
import pickle
import re
import typing
from typing import Any

import pytest
import torch
from _classes import META, PLAIN
from static_types import MyAdam, MyMetaSGD, accepted, hyperparameters, parameters

import torchopt
from _trees import assert_trees_close
from torchopt import optimizers

FUNCTIONS = {name: getattr(optimizers, name) for name in optimizers.__all__}
#: By the name of the class in small letters.
BY_CLASS = {name.replace("_", ""): function for name, function in FUNCTIONS.items()}
every_class = pytest.mark.parametrize("cls", {**PLAIN, **META}.values(), ids={**PLAIN, **META})

# Signatures of the published package, 0.7.3. Ours have further keywords.
_ADAM = "lr=0.001, betas=(0.9, 0.999), eps=1e-08, weight_decay=0.0"
_ADAMW = "lr=0.001, betas=(0.9, 0.999), eps=1e-08, weight_decay=0.01"
# Of SGD, only those that `torch.optim` has at the same position; its `lr` is required there.
_SGD = "lr=0.001, momentum=0.0, *, dampening=0.0, weight_decay=0.0, nesterov=False"
PUBLISHED = {
    "SGD": f"{_SGD}, maximize=False",
    "Adadelta": "lr=1.0, rho=0.9, eps=1e-06, weight_decay=0.0",
    "Adagrad": "lr=0.01, lr_decay=0.0, weight_decay=0.0, initial_accumulator_value=0.0, eps=1e-10, "
    "*, maximize=False",
    "Adam": f"{_ADAM}, *, eps_root=0.0, maximize=False",
    "AdamW": f"{_ADAMW}, *, eps_root=0.0, mask=None, maximize=False",
    "Adamax": "lr=0.002, betas=(0.9, 0.999), eps=1e-08, weight_decay=0.0",
    "RAdam": _ADAM,
    "RMSprop": "lr=0.01, alpha=0.99, eps=1e-08, weight_decay=0.0, momentum=0.0, centered=False, "
    "*, initial_scale=0.0, nesterov=False, maximize=False",
}
PUBLISHED |= {
    "MetaSGD": f"{_SGD}, moment_requires_grad=True, maximize=False",
    "MetaAdadelta": f"{PUBLISHED['Adadelta']}, *, moment_requires_grad=True",
    "MetaAdagrad": PUBLISHED["Adagrad"],
    "MetaAdam": f"{_ADAM}, *, eps_root=0.0, moment_requires_grad=True, maximize=False",
    "MetaAdamW": f"{_ADAMW}, *, eps_root=0.0, mask=None, moment_requires_grad=False, maximize=False",
    "MetaAdamax": f"{PUBLISHED['Adamax']}, *, moment_requires_grad=True",
    "MetaRAdam": f"{_ADAM}, *, moment_requires_grad=True",
    "MetaRMSprop": PUBLISHED["RMSprop"],
}


def function_of(name: str) -> Any:
    return BY_CLASS[name.removeprefix("Meta").lower()]


def test_each_function_has_a_class_and_all_are_names_of_the_package() -> None:
    # Sophia differentiates the loss twice, and a closure that calls `backward` has one derivative.
    assert {name.lower() for name in PLAIN} == set(BY_CLASS) - {"sophia"}
    assert {*META} == {name for name in PUBLISHED if name.startswith("Meta")}
    assert {*PLAIN, *META} <= set(torchopt.optim.__all__)


@pytest.mark.parametrize(
    ("name", "function"),
    [("MetaADOPT", "adopt"), ("MetaScheduleFreeSGD", "schedule_free_sgd"), ("Sophia", "sophia")],
)
@pytest.mark.parametrize("module", [torchopt, torchopt.optim])
def test_a_class_that_there_is_not_names_its_function(
    module: Any, name: str, function: str
) -> None:
    with pytest.raises(
        AttributeError, match=rf"MetaOptimizer\(module, torchopt\.optimizers\.{function}\("
    ):
        getattr(module, name)


@every_class
def test_a_class_takes_the_arguments_of_its_function(cls: type[Any]) -> None:
    first, *ours = inspect.signature(cls).parameters.values()
    assert first.name == ("module" if issubclass(cls, torchopt.MetaOptimizer) else "params")
    function = inspect.signature(function_of(cls.__name__), eval_str=True).parameters
    assert {p.name: p.annotation for p in ours} == {p.name: p.annotation for p in function.values()}
    if "SGD" not in cls.__name__:
        assert [(p.name, p.kind) for p in ours] == [(p.name, p.kind) for p in function.values()]
    assert typing.get_type_hints(cls.__init__).keys() == {first.name, *function}


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_signatures_are_kept(name: str) -> None:
    namespace: dict[str, Any] = {}
    exec(f"def published({PUBLISHED[name]}): ...", namespace)
    expected = inspect.signature(namespace["published"]).parameters
    _, *ours = inspect.signature(getattr(torchopt.optim, name)).parameters.values()
    assert [(p.name, p.default) for p in ours if p.name in expected] == [
        (p.name, p.default) for p in expected.values()
    ]
    positional = [p.name for p in expected.values() if p.kind is not p.KEYWORD_ONLY]
    assert [p.name for p in ours if p.kind is not p.KEYWORD_ONLY] == positional


@every_class
def test_other_defaults_than_those_of_the_function_are_published_and_in_the_docstring(
    cls: type[Any],
) -> None:
    function = inspect.signature(function_of(cls.__name__)).parameters
    others = {
        name: p.default
        for name, p in inspect.signature(cls).parameters.items()
        if name in function and p.default != function[name].default
    }
    named = re.search("Other defaults than the function's.*: ``(.*)``", inspect.getdoc(cls))
    assert (named[1] if named else "") == ", ".join(f"{k}={x!r}" for k, x in others.items())
    published = eval(f"lambda {PUBLISHED.get(cls.__name__, '')}: 0")
    for of in (getattr(torch.optim, cls.__name__, published), published):
        known = {k: p.default for k, p in inspect.signature(of).parameters.items()}
        others = {k: x for k, x in others.items() if known.get(k) != x}
    assert not others


@every_class
def test_docstring_names_the_function_and_documents_each_argument(cls: type[Any]) -> None:
    name = function_of(cls.__name__).__name__
    documented = inspect.getdoc(cls)
    assert f":func:`torchopt.optimizers.{name}`" in documented.splitlines()[0]
    assert f">>> optimizer = torchopt.optim.{cls.__name__}(net" in documented
    section = documented.partition("\nArgs:\n")[2].partition("\n\n")[0]
    entries = [line.split(":")[0].strip() for line in section.splitlines() if line[4] != " "]
    assert entries == list(inspect.signature(cls).parameters)


@every_class
def test_a_class_is_found_by_its_name(cls: type[Any]) -> None:
    assert pickle.loads(pickle.dumps(cls)) is cls
    assert cls.__qualname__ == cls.__name__
    assert (cls.__init__.__name__, cls.__init__.__module__) == ("__init__", cls.__module__)
    assert cls.__init__.__qualname__ == f"{cls.__name__}.__init__"


@every_class
def test_wrong_arguments_are_refused_by_name(cls: type[Any]) -> None:
    net = torch.nn.Linear(2, 1)
    target = net if issubclass(cls, torchopt.MetaOptimizer) else list(net.parameters())
    first = next(iter(inspect.signature(cls).parameters))
    with pytest.raises(TypeError, match=rf"{cls.__name__}\.__init__\(\) missing .* '{first}'"):
        cls()
    with pytest.raises(TypeError, match="unexpected keyword argument 'learning_rate'"):
        cls(target, learning_rate=0.1)
    with pytest.raises(TypeError, match="multiple values for argument 'lr'"):
        cls(target, 0.1, lr=0.1)


def test_a_typed_program_runs() -> None:
    net = torch.nn.Linear(2, 1)
    assert hyperparameters(torch.tensor([0.1]), {"w": 0.1}) == 12
    assert parameters(net) == 7
    for optimizer in accepted(net):
        optimizer.step(net(torch.ones(1, 2)).square().sum())
    assert not net.weight.is_leaf


def test_subclasses_are_pickled_with_their_state() -> None:
    net = torch.nn.Linear(2, 1)
    optimizer = MyAdam(net, 0.1)
    net(torch.ones(1, 2)).sum().backward()
    optimizer.step()
    again = pickle.loads(pickle.dumps(optimizer))
    assert isinstance(again, torchopt.optim.Adam)
    assert_trees_close(again.state_dict(), optimizer.state_dict())
    assert inspect.signature(MyMetaSGD) == inspect.signature(torchopt.MetaSGD)


#: Arguments with several elements, with a wrong number for each.
_ELEMENTS = {"betas": (1.0, -0.1, 2.0), "adam_betas": (1.0, -0.1), "etas": (-0.5, 0.5)}
_ELEMENTS |= {"step_sizes": (-1.0, -1.0)}


@pytest.mark.parametrize(
    ("name", "argument"),
    [
        (name, argument)
        for name, function in FUNCTIONS.items()
        for argument in _ELEMENTS
        if argument in inspect.signature(function).parameters
    ],
)
def test_errors_name_an_element_as_it_was_passed(name: str, argument: str) -> None:
    default = inspect.signature(FUNCTIONS[name]).parameters[argument].default
    for index in range(len(default)):
        values = [*default]
        values[index] = _ELEMENTS[argument][index]
        with pytest.raises(ValueError, match=rf"`{argument}\[{index}\]` is {values[index]}, but"):
            FUNCTIONS[name](**{argument: values})
        values[index] = "0.9"
        with pytest.raises(TypeError, match=rf"`{argument}\[{index}\]` is an object of type str"):
            FUNCTIONS[name](**{argument: values})


@pytest.mark.parametrize("name", ["adam", "adan", "lamb", "rprop"])
def test_errors_of_a_step_name_an_element_as_it_was_passed(name: str) -> None:
    argument = "etas" if name == "rprop" else "betas"
    default = inspect.signature(FUNCTIONS[name]).parameters[argument].default
    tx = FUNCTIONS[name](0.1, **{argument: (torch.full((7,), 0.5), *default[1:])})
    grads = torch.ones(3, 2)
    with pytest.raises(ValueError, match=rf"hyperparameter `{argument}\[0\]` of shape \(7,\)"):
        tx.update(grads, tx.init(grads), params=grads)

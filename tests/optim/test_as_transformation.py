"""An optimizer as a transformation does the optimizer's steps, and can be differentiated."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any

import pytest
import torch
from _classes import CASES as TORCH

import torchopt
from _cases import RELEASE, covering
from _trees import assert_trees_equal, generator, leaves, random_tensor, snapshot
from torchopt.optim.as_transformation import FunctionalOptimizer, as_transformation
from torchopt.transform import advance

SHAPES = ((2, 3), (), (4,), (1, 2, 3), (5,))
Params = list[torch.Tensor]
Make = Callable[[Params], Any]


def make_params(seed: int = 1) -> Params:
    gen = generator(seed)
    return [random_tensor(gen, shape).requires_grad_() for shape in SHAPES]


def grouped(optimizer: Any, options: dict[str, Any], second: dict[str, Any] | None = None) -> Make:
    """Return how to make an optimizer with two groups of different options."""

    def make(params: Params) -> Any:
        groups = [{"params": params[:3]}, {"params": params[3:], "lr": 0.03, **(second or {})}]
        return optimizer(groups, **{"lr": 0.1, **options})

    return make


SGD, Adam, Adagrad = torch.optim.SGD, torch.optim.Adam, torch.optim.Adagrad


@pytest.fixture(autouse=True)
def doubles() -> Iterator[None]:
    """NAdam and ASGD of ``torch.optim`` keep scalars in the default dtype."""
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(before)


CASES: dict[str, Make] = {
    name: grouped(getattr(torch.optim, cls), options, second)
    for name, (cls, options, second) in TORCH.items()
    if cls not in ("ASGD", "Rprop")
}
CASES |= {
    name: grouped(cls, {"decoupled_weight_decay": True, "weight_decay": 0.2}, {"maximize": True})
    for name, cls in (
        ("adam decoupled", Adam),
        ("radam decoupled", torch.optim.RAdam),
        ("nadam decoupled", torch.optim.NAdam),
    )
}
every_case = pytest.mark.parametrize("make", CASES.values(), ids=CASES.keys())


def loss(params: Sequence[torch.Tensor], step: int = 0) -> torch.Tensor:
    """Return a smooth loss, another at each step."""
    terms = [((1.3 + 0.1 * step) * p + 0.2 * k).sin().sum() for k, p in enumerate(params)]
    return torch.stack(terms).sum()


def gradients(step: int, params: Params, *, create_graph: bool = False) -> list[Any]:
    """Return gradients; the last parameter gets its first at step 6, the second skips some steps."""
    missing = {len(params) - 1} if step < 6 else set()
    missing |= {1} if step % 3 == 1 else set()
    used = [p for k, p in enumerate(params) if k not in missing]
    grads = iter(torch.autograd.grad(loss(used, step), used, create_graph=create_graph))
    return [None if k in missing else next(grads) for k in range(len(params))]


def step_itself(optimizer: Any, step: int) -> None:
    params = as_transformation(optimizer).params
    for p, g in zip(params, gradients(step, params), strict=True):
        p.grad = g
    optimizer.step()


def functional_step(
    function: FunctionalOptimizer, step: int, params: Params, state: Any
) -> tuple[Params, Any]:
    grads = gradients(step, params, create_graph=True)
    return advance(function.transformation(), grads, state, params)


def decay(optimizer: Any) -> Any:
    return torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.8)


def train(make: Make, who: str, schedule: Callable[[Any], Any] = decay) -> Any:
    """Train with the optimizer ("o") and its transformation ("t"), under a scheduler; return it."""
    optimizer = make(make_params())
    scheduler = schedule(optimizer)
    function = as_transformation(optimizer)
    params, state = function.params, function.state()
    for step, (now, then) in enumerate(zip(who, who[1:] + "o", strict=True)):
        if now == "o":
            step_itself(optimizer, step)
            params, state = function.params, function.state()
        else:
            params, state = functional_step(function, step, params, state)
            if then == "o":
                function.write(params, state)
        scheduler.step()
    return optimizer


@cache
def trained(make: Make, steps: int) -> Any:
    """Return an optimizer that has done steps by itself; a copy of it may do more."""
    return train(make, "o" * steps)


def assert_same(found: Any, expected: Any) -> None:
    """Compare parameters and state dictionaries of two optimizers of PyTorch's."""
    close = {"rtol": 1e-12, "atol": 1e-13}
    for a, b in zip(found.param_groups, expected.param_groups, strict=True):
        torch.testing.assert_close(a["params"], b["params"], **close)
    a, b = found.state_dict(), expected.state_dict()
    torch.testing.assert_close(a["state"], b["state"], **close, check_device=False)
    assert a["param_groups"] == b["param_groups"]


@pytest.mark.parametrize(("case", "who"), covering([*CASES], ["tttttttt", "ootttoto", "tooootto"]))
def test_steps_of_the_transformation_are_steps_of_the_optimizer(case: str, who: str) -> None:
    make = CASES[case]
    assert_same(train(make, who), trained(make, len(who)))


@every_case
def test_writing_the_first_state_makes_the_optimizer_as_new(make: Make) -> None:
    optimizer, other = make(make_params()), make(make_params())
    function = as_transformation(optimizer)
    params, state = [p.detach().clone() for p in function.params], function.state()
    function.write(*functional_step(function, 0, function.params, state))
    function.write(params, state)
    for step in range(4):
        step_itself(optimizer, step)
        step_itself(other, step)
    assert_same(optimizer, other)


def test_a_learning_rate_of_one_element_moves_a_scalar() -> None:
    x = torch.tensor(2.0, requires_grad=True)
    rate = torch.tensor([0.5], requires_grad=True)
    function = as_transformation(SGD([x], lr=rate))
    (y,), _ = advance(function.transformation(), [torch.tensor(3.0)], function.state(), [x])
    assert y.shape == ()
    assert torch.autograd.grad(y, rate)[0].tolist() == [-3.0]


def test_steps_keep_the_learning_rate_that_they_were_done_with() -> None:
    x = torch.tensor([2.0], dtype=torch.float64, requires_grad=True)
    rate = torch.tensor(0.5, dtype=torch.float64, requires_grad=True)
    optimizer = SGD([x], lr=rate)
    function = as_transformation(optimizer)
    params, state = function.params, function.state()
    for _ in range(2):
        params, state = advance(function.transformation(), [params[0] * 3], state, params)
        with torch.no_grad():
            rate.mul_(0.1)
    # x (1 - 3 rate) (1 - 0.3 rate), where the copies of the rate count as the rate itself.
    (found,) = torch.autograd.grad(params[0].sum(), rate)
    assert params[0].item() == pytest.approx(2 * (1 - 1.5) * (1 - 0.15))
    assert found.item() == pytest.approx(2 * (-3 * (1 - 0.15) - 3 * (1 - 1.5)))


def test_frozen_parameters_and_groups_are_left_out() -> None:
    params = make_params()
    for p in (params[1], *params[3:]):
        p.requires_grad_(False)
    optimizer = CASES["adam"](params)
    function = as_transformation(optimizer)
    assert [id(p) for p in function.params] == [id(params[0]), id(params[2])]
    before = [p.clone() for p in params]
    function.write(*functional_step(function, 7, function.params, function.state()))
    assert {id(p) for p in optimizer.state} == {id(params[0])}
    changed = [not torch.equal(p, b) for p, b in zip(params, before, strict=True)]
    assert changed == [True, False, False, False, False]


OWN: dict[str, Callable[[Any], torchopt.Optimizer]] = {
    "adam": lambda params: torchopt.optim.Adam(params, 0.1, amsgrad=True),
    "sgd": lambda params: torchopt.optim.SGD(params, 0.1, momentum=0.9, dampening=0.3),
    "chain": lambda params: torchopt.Optimizer(
        params, torchopt.chain(torchopt.transform.clip_grad_norm(0.5), torchopt.rmsprop(0.1))
    ),
}


@pytest.mark.skipif(
    RELEASE < (2, 13), reason="PyTorch's own step of such a group fails before 2.13"
)
def test_a_group_that_is_added_later_has_the_initial_value_of_the_optimizer() -> None:
    def make() -> Any:
        params = make_params()
        optimizer = Adagrad(params[:2], lr=0.1, initial_accumulator_value=0.5)
        optimizer.add_param_group({"params": params[2:], "initial_accumulator_value": 9.0})
        return optimizer

    found, expected = make(), make()
    function = as_transformation(found)
    function.write(*functional_step(function, 6, function.params, function.state()))
    step_itself(expected, 6)
    assert_same(found, expected)


@pytest.mark.parametrize("groups", [1, 2])
@pytest.mark.parametrize("make", OWN.values(), ids=OWN.keys())
def test_our_own_optimizer_as_a_transformation_does_its_steps(
    make: Callable[[Any], torchopt.Optimizer], groups: int
) -> None:
    def run(who: str) -> torchopt.Optimizer:
        params = make_params()
        params[2].requires_grad_(False)
        first = {"a": params[0], "b": [params[1], None, params[2]]}
        if groups == 1:
            optimizer = make({**first, "c": params[3:]})
        else:
            optimizer = make(first)
            optimizer.add_param_group(params[3:])
        function = as_transformation(optimizer)
        for step, one in enumerate(who):
            if one == "o":
                step_itself(optimizer, step)
            else:
                function.write(*functional_step(function, step, function.params, function.state()))
        return optimizer

    found, expected = run("otototttt"), run("ooooooooo")
    ends = [[p.detach() for p in as_transformation(o).params] for o in (found, expected)]
    assert_trees_equal(*ends, rtol=1e-12, atol=1e-13)
    states = [o.state_dict()["state"] for o in (found, expected)]
    assert_trees_equal(*states, rtol=1e-12, atol=1e-13)
    assert not any(x.requires_grad for x in leaves(states))


def test_values_of_other_shapes_are_refused_and_nothing_is_written() -> None:
    optimizer = CASES["adam"](make_params())
    function = as_transformation(optimizer)
    before = snapshot(function.params)
    params, state = functional_step(function, 0, function.params, function.state())
    with pytest.raises(ValueError, match="4 tensors were given for the 5 parameters"):
        function.write(params[:-1], state)
    with pytest.raises(ValueError, match=r"`params\[3\]` has shape \(1,\)"):
        function.write([*params[:3], torch.ones(1), params[4]], state)
    with pytest.raises(ValueError, match="`updates` has 2 elements, but the optimizer has 5"):
        function.transformation().update(params[:2], state, params=params)
    assert_trees_equal(function.params, before)
    assert not optimizer.state


@pytest.mark.parametrize(
    ("cls", "options"),
    [
        (torch.optim.Rprop, {}),
        (torch.optim.Rprop, {"lr": 0.1, "etas": (0.4, 1.3), "step_sizes": (1e-3, 0.2)}),
        (torch.optim.ASGD, {}),
        (torch.optim.ASGD, {"lr": 0.1, "lambd": 0.1, "alpha": 0.6, "t0": 2.0, "weight_decay": 0.1}),
        (torch.optim.Muon, {}),
        (torch.optim.Muon, {"lr": 0.1, "momentum": 0.8, "nesterov": False, "weight_decay": 0.2}),
        (torch.optim.Muon, {"lr": 0.1, "adjust_lr_fn": "match_rms_adamw"}),
    ],
)
def test_from_torch_steps_as_the_optimizer_from_where_it_is(cls: Any, options: Any) -> None:
    shapes = [(2, 3), (4, 2)] if cls is torch.optim.Muon else [(2, 3), (4,)]
    params = {
        f"p{k}": torch.nn.Parameter(torch.linspace(-1, 2, math.prod(shape)).reshape(shape))
        for k, shape in enumerate(shapes)
    }
    optimizer = cls(params.values(), **options)
    for start in (0, 7):  # a new optimizer, and one that has stepped
        tx, state = torchopt.from_torch(optimizer, params)
        x = {name: p.detach().clone() for name, p in params.items()}
        for step in range(start, start + 7):
            for p, g in zip(
                params.values(),
                torch.autograd.grad(loss([*params.values()], step), params.values()),
                strict=True,
            ):
                p.grad = g
            optimizer.step()
            grads = torch.func.grad(lambda x, step=step: loss([*x.values()], step))(x)
            updates, state = tx.update(grads, state, params=x, inplace=False)
            x = torchopt.apply_updates(x, updates, inplace=False)
            for name, p in params.items():
                torch.testing.assert_close(x[name], p.detach(), rtol=1e-13, atol=1e-14)
    with pytest.raises(
        TypeError, match=rf"`torchopt.optimizers.{cls.__name__.lower()}\(\)`, or .*from_torch"
    ):
        torchopt.minimize(lambda x: x["p0"].sum(), x, solver=optimizer, steps=1)

"""Wrong losses, parameters and arguments are refused in one sentence, and nothing has changed."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn

import torchopt
from _trees import assert_trees_equal, snapshot
from torchopt.optim.as_transformation import as_transformation

X = torch.tensor([[1.0, -2.0], [0.5, 3.0]], dtype=torch.float64)
Call = Callable[[], Any]
#: Of the loss `y`.
LOSSES: dict[str, tuple[Callable[[Any], Any], type[Exception], str]] = {
    "nan": (lambda y: y * math.nan, ValueError, "loss is NaN"),
    "vector": (lambda y: y.expand(2), ValueError, r"shape \(2,\)"),
    "integer": (lambda y: torch.tensor(3), TypeError, "dtype torch.int64"),
    "complex": (lambda y: y * 1j, TypeError, "dtype torch.complex128"),
    "detached": (lambda y: y.detach(), ValueError, "does not require grad"),
    "elsewhere": (lambda y: torch.ones((), requires_grad=True) * 2, ValueError, "does not depend"),
    "number": (lambda y: y.item(), TypeError, r"of type float: .* without `\.item\(\)`"),
    "function": (lambda y: lambda: y, TypeError, "of type function: call it"),
    "pair": (lambda y: (y, 1), TypeError, "of type tuple: it must be a scalar tensor"),
    "none": (lambda y: None, TypeError, "NoneType"),
}
FACES = ["meta", "function", "function, in place", "plain"]
#: A closure of plain training may return these.
TAKEN = {"detached", "elsewhere", "number", "none", "function", "pair"}


def begun(face: str) -> tuple[Callable[[Any], Any], Callable[[], Any]]:
    """Return a step with a loss that is made of the right one, and what must not change."""
    net = nn.Linear(2, 1).double()
    if face == "meta":
        meta = torchopt.MetaAdam(net, lr=0.1)
        return (
            lambda make: meta.step(make(net(X).sum())),
            lambda: (list(net.parameters()), meta.state_dict()),
        )
    if face == "plain":
        plain = torchopt.optim.Adam(net.parameters(), lr=0.1)

        def step(make: Any) -> None:
            def closure() -> Any:
                plain.zero_grad()
                loss = net(X).sum()
                loss.backward()
                return make(loss)

            plain.step(closure)

        return step, lambda: (list(net.parameters()), plain.state_dict())
    functional = torchopt.compat.FuncOptimizer(torchopt.adam(0.1), inplace="place" in face)
    params = [dict(net.named_parameters())]

    def advance(make: Any) -> None:
        loss = (X @ params[0]["weight"].T + params[0]["bias"]).sum()
        params[0] = functional.step(make(loss), params[0])

    return advance, lambda: (params[0], functional.state_dict())


@pytest.mark.parametrize("started", [False, True])
@pytest.mark.parametrize("face", FACES)
@pytest.mark.parametrize("kind", LOSSES)
def test_a_wrong_loss_is_refused_and_changes_nothing(kind: str, face: str, started: bool) -> None:
    make, error, words = LOSSES[kind]
    if face == "plain" and kind in TAKEN:
        return
    step, held = begun(face)
    if started:
        step(lambda y: y)
    before = snapshot(held())
    with pytest.raises(error, match=words) as caught:
        step(make)
    assert "\n" not in str(caught.value)
    assert_trees_equal(snapshot(held()), before)


def parameters(count: int = 2) -> list[torch.Tensor]:
    return [torch.ones(2, requires_grad=True) for _ in range(count)]


def module() -> nn.Module:
    return nn.Linear(2, 1)


P, Q = parameters()
OWN = "which changes parameters of its own"
WRONG: list[tuple[Call, type[Exception], str]] = []
# Parameters.
WRONG += [
    (lambda given=given: torchopt.optim.Adam(given), error, words)
    for given, error, words in (
        ([], ValueError, "no leaves"),
        ([torch.ones(2)], ValueError, "requires grad"),
        ([torch.tensor([1, 2])], TypeError, r"params\[0\]"),
        ({"w": torch.ones(2, dtype=torch.complex64)}, TypeError, r"params\['w'\]"),
        (3, TypeError, "params"),
        ([P, Q, P], ValueError, r"params\[2\]"),
    )
]
WRONG += [
    (lambda: torchopt.optim.Adam(iter(())), ValueError, "no leaves"),
    (
        lambda: torchopt.MetaAdam([P]),
        TypeError,
        "`module` is an object of type list.*torchopt.minimize",
    ),
    (
        lambda: torchopt.MetaAdam(module().requires_grad_(False)),
        ValueError,
        "no parameter of Linear requires grad",
    ),
    *(
        (
            lambda p=p: torchopt.compat.FuncOptimizer(torchopt.sgd(0.1)).step(P.sum(), p),
            error,
            "params",
        )
        for p, error in (({}, ValueError), ([torch.tensor([1])], TypeError), ([1.0], TypeError))
    ),
]
# Transformations.
WRONG += [
    (lambda make=make, impl=impl: make(impl), TypeError, f"`impl` is {words}")
    for impl, words in (
        (torchopt.optim.SGD, f"the class SGD, {OWN} in place"),
        (torchopt.MetaAdam, f"the class MetaAdam, {OWN}"),
        (torch.optim.Adam, f"the class Adam, {OWN}"),
        (torchopt.sgd, r"the function `sgd` itself: call it, .*`torchopt\.sgd\(0\.1\)`"),
        (0.1, "an object of type float: pass a gradient transformation"),
    )
    for make in (
        lambda impl: torchopt.MetaOptimizer(module(), impl),
        torchopt.compat.FuncOptimizer,
        lambda impl: torchopt.Optimizer([P], impl),
    )
]


# Options, closures and checkpoints.
def decoupled(saved: str, name: str) -> Any:
    state = getattr(torch.optim, saved)([P], weight_decay=0.1).state_dict()
    return getattr(torchopt.optim, name)([P]).load_state_dict(state)


def twice_differentiated() -> Any:
    optimizer = torchopt.Optimizer([P], torchopt.optimizers.sophia(0.1))

    def closure() -> torch.Tensor:
        value = P.square().sum()
        value.backward()
        return value

    return optimizer.step(closure)


def without_closure() -> Any:
    p = torch.ones(2, requires_grad=True)
    p.sum().backward()
    return torchopt.optim.LBFGS([p]).step()


def without_objective(make: Any) -> Any:
    net = module()
    return torchopt.MetaOptimizer(net, make()).step(net(torch.ones(1, 2)).sum())


WRONG += [
    (
        lambda: torchopt.optim.Adam([P]).step(P.sum()),
        TypeError,
        r"`loss\.backward\(\)` and then.*MetaOp",
    ),
    (lambda: decoupled("AdamW", "Adam"), ValueError, "decoupled_weight_decay=True, but Adam"),
    (lambda: decoupled("Adam", "AdamW"), ValueError, "decoupled_weight_decay=False, but AdamW"),
    *(
        (
            lambda groups=groups, option=option: torchopt.optim.Adam(
                groups, decoupled_weight_decay=option
            ),
            ValueError,
            r"Adam has False: use `torchopt\.optim\.AdamW`",
        )
        for groups, option in (
            ([P], True),
            ([{"params": [P], "decoupled_weight_decay": True}], False),
        )
    ),
    (without_closure, TypeError, r"reads `value`.*give `step` a closure"),
    *(
        (lambda m=m: without_objective(m), TypeError, r"reads `value_fn`.*give `step` a closure")
        for m in (torchopt.lbfgs, torchopt.optimizers.sophia)
    ),
    (twice_differentiated, TypeError, "differentiates the loss twice"),
    *(
        (
            lambda o=o: torchopt.optim.LBFGS([P], **{o: 5}),
            TypeError,
            f"unexpected keyword argument '{o}'",
        )
        for o in ("max_iter", "tolerance_grad", "line_search_fn")
    ),
]
# To PyTorch, and from it.
WRONG += [
    (lambda make=make: torchopt.to_torch(make(), {"p": P}), ValueError, words)
    for make, words in (
        (lambda: torchopt.optimizers.rprop(smooth=0.1), "has smooth=0.1, but Rprop has None"),
        (
            lambda: torchopt.optimizers.rprop(weight_decay=0.1),
            "has weight_decay=0.1, but Rprop has 0.0",
        ),
        (lambda: torchopt.muon(), "has ns_dtype=None, but Muon has torch.bfloat16"),
        (lambda: torchopt.optimizers.asgd(lambda k: 0.1), "`lr` that is a sched"),
        (
            lambda: torchopt.chain(torchopt.transform.clip_grad_norm(1.0), torchopt.adam()),
            "none of those",
        ),
        (lambda: torchopt.transform.scale_by_adam(), "none of those"),
        (lambda: torchopt.sgd(torchopt.schedule.linear_schedule(1, 0, 5)), "`lr` that is a sched"),
        (lambda: torchopt.adam(eps_root=0.1), "has eps_root=0.1, but Adam has 0.0"),
        (lambda: torchopt.adamw(mask={"p": True}), "has mask={'p': True}, but Adam has None"),
        (lambda: torchopt.rmsprop(momentum=0.9, nesterov=True), "nesterov=True, but RMSprop"),
    )
]
SGD = torch.optim.SGD


def from_state(named: Any, params: Any, tx: Any = None, make: Any = SGD) -> Any:
    optimizer = make(named.items(), 0.1, **({"momentum": 0.9} if make is SGD else {}))
    optimizer.zero_grad()
    sum(p.sum() for p in named.values()).backward()
    value = P.detach().clone()
    optimizer.step()
    P.data.copy_(value)
    tx = torchopt.sgd(0.1, momentum=0.9) if tx is None else tx
    return torchopt.from_torch(optimizer.state_dict(), params, tx=tx)


WRONG += [
    (lambda: torchopt.from_torch(SGD([P], 0.1), module()), TypeError, "`params` is a module"),
    (lambda: torchopt.from_torch(SGD([P, Q], 0.1), {"p": P}), ValueError, "parameter 1 of the opt"),
    (
        lambda: torchopt.from_torch(SGD([P], 0.1), {"p": P, "q": Q}),
        ValueError,
        r"`params\['q'\]` is no parameter of the optimizer",
    ),
    (lambda: torchopt.from_torch(torch.optim.LBFGS([P])), TypeError, "LBFGS has no transformation"),
    (
        lambda: torchopt.from_torch({}, {"p": P}),
        TypeError,
        "does not say what a step is: pass a tran",
    ),
    (
        lambda: from_state({"p": P}, {"q": P}),
        ValueError,
        "of 'p' that is not in `params`: pass all",
    ),
    (lambda: from_state({"p": P}, [P]), TypeError, "pass them by name, `dict"),
    (lambda: from_state({"p": P}, {"p": {"q": P}}), TypeError, "pass them by name, `dict"),
    (
        lambda: torchopt.from_torch({"state.p.step": P}, {"p": P}, tx=torchopt.sgd(0.1)),
        ValueError,
        "returned, not flattened",
    ),
    (lambda: from_state({"p": P}, None), TypeError, "`params`"),
    (
        lambda: from_state({"p": P}, {"p": P}, torchopt.adam(0.1)),
        ValueError,
        "without `exp_avg`, which the transformation needs",
    ),
    (
        lambda: from_state({"p": P}, {"p": P}, torchopt.adam(0.1, amsgrad=True), torch.optim.Adam),
        ValueError,
        "without `max_exp_avg_sq`, which the transformation needs",
    ),
    (
        lambda: torchopt.to_torch(
            torchopt.adam(0.1), {"p": P}, torchopt.sgd(0.1, momentum=0.9).init({"p": P})
        ),
        ValueError,
        "without `exp_avg`, which the transformation needs: pass the state",
    ),
]


# Optimizers as transformations.
class WithOwnStep(torch.optim.Adam):
    def step(self, closure: Any = None) -> None:
        super().step(closure)


class WithOwnName(torch.optim.Adam):
    pass


class OwnWithOwnStep(torchopt.optim.Adam):
    def step(self, closure: Any = None) -> None:
        super().step(closure)


class Cautious(torch.optim.Adam):
    def __init__(self, params: Any) -> None:
        super().__init__(params)
        self.defaults["cautious"] = True


def scheduled(optimizer: Any) -> Any:
    torch.optim.lr_scheduler.ConstantLR(optimizer)
    return optimizer


def replaced() -> Any:
    optimizer = torch.optim.Adam(parameters())
    optimizer.step = lambda closure=None: None
    return optimizer


def hooked(when: str) -> Any:
    optimizer = SGD(parameters(), lr=0.1)
    getattr(optimizer, f"register_step_{when}_hook")(lambda *args: None)
    return optimizer


def given_twice() -> Any:
    with pytest.warns(UserWarning, match="duplicate parameters"):
        return SGD([P, Q, Q], lr=0.1)


def changed() -> Any:
    optimizer = torch.optim.Adam(parameters())
    for p in optimizer.param_groups[0]["params"]:
        p.grad = torch.ones(2)
    optimizer.step()
    optimizer.param_groups[0]["amsgrad"] = True
    as_transformation(optimizer).state()


NOT_UNROLLED = r"cannot be unrolled: use one of torch.optim's SGD, Adam"
WRONG += [
    (lambda make=make: as_transformation(make()), error, words)
    for make, error, words in (
        *(
            (make, TypeError, "has a `step` of its own, so it does not step like")
            for make in (
                lambda: WithOwnStep(parameters()),
                lambda: scheduled(WithOwnStep(parameters())),
                lambda: OwnWithOwnStep(parameters()),
                lambda: scheduled(OwnWithOwnStep(parameters())),
            )
        ),
        (replaced, TypeError, "has a `step` of its own"),
        *(
            (make, TypeError, NOT_UNROLLED)
            for make in (
                lambda: torch.optim.LBFGS([P]),
                lambda: torch.optim.ASGD([P]),
                lambda: torch.optim.Rprop([P]),
                lambda: torchopt.compat.FuncOptimizer(torchopt.adam()),
                lambda: torchopt.MetaAdam(module()),
                lambda: None,
            )
        ),
        (lambda: hooked("pre"), ValueError, "has hooks on its step"),
        (lambda: hooked("post"), ValueError, "has hooks on its step"),
        (lambda: Cautious(parameters()), ValueError, "option `cautious` of Cautious is not known"),
        (given_twice, ValueError, "parameters 1 and 2 of SGD are one tensor"),
        (lambda: SGD([torch.ones(3)], lr=0.1), ValueError, "no parameter of SGD requires grad"),
    )
]
WRONG += [(changed, ValueError, "without `max_exp_avg_sq`")]
WRONG += [
    (lambda: torchopt.MetaAdam(module()).zero_grad(), AttributeError, "neither reads nor writes"),
    (lambda: torchopt.MetaAdam(module()).zero_gard(), AttributeError, "no attribute 'zero_gard'"),
    (
        lambda: torchopt.optim.SGD([P], 0.1).step(1.0),
        TypeError,
        "the closure of SGD.step is an object of type float: call",
    ),
    (
        lambda: torchopt.optim.LBFGS([P]).step(lambda: 1.0),
        TypeError,
        "closure's loss .* type float: give",
    ),
    (lambda: torchopt.optim.LBFGS([P]).step(), TypeError, "reads `value`.* give `step` a closure"),
]


@pytest.mark.parametrize(("call", "error", "words"), WRONG)
def test_wrong_arguments_are_refused(call: Call, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words) as caught:
        call()
    assert "\n" not in str(caught.value)


def test_what_is_nearly_wrong_is_taken() -> None:
    for make in (lambda x: x, scheduled):
        optimizer = make(WithOwnName(parameters(), lr=0.1))
        assert len(as_transformation(optimizer).params) == 2
    optimizer = hooked("pre")
    optimizer._optimizer_step_pre_hooks.clear()
    as_transformation(optimizer)
    torchopt.optim.Adam([P], decoupled_weight_decay=False)


def test_no_group_is_added_if_a_parameter_is_in_another_one() -> None:
    first, second = parameters()
    optimizer = torchopt.optim.Adam([first, second])
    with pytest.raises(ValueError, match=r"params\[1\]"):
        optimizer.add_param_group([*parameters(1), second])
    assert len(optimizer.param_groups) == len(optimizer.state_dict()["param_groups"]) == 1

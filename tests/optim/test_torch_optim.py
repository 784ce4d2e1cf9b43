"""The classes for plain training are optimizers of ``torch.optim``, which is the truth in each test."""

from __future__ import annotations

import copy
import functools
import inspect
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import pytest
import torch
from _classes import CASES
from torch.distributed.checkpoint.state_dict import (
    StateDictOptions,
    get_optimizer_state_dict,
    set_optimizer_state_dict,
)
from torch.optim import lr_scheduler as schedulers

import torchopt
from _cases import covering
from _public import exported
from _trees import assert_trees_equal, saved, snapshot


@pytest.fixture(autouse=True)
def doubles() -> Iterator[None]:
    """NAdam and ASGD of ``torch.optim`` keep scalars in the default dtype."""
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(before)


every_case = pytest.mark.parametrize("case", CASES)
Make = Callable[[Any], torch.optim.Optimizer]


class Run(NamedTuple):
    """A net in training.

    The second layer is used only now and then, and a parameter is frozen.
    """

    net: torch.nn.Module
    optimizer: torch.optim.Optimizer

    @classmethod
    def of(cls, make: Make) -> Run:
        torch.manual_seed(0)
        net = torch.nn.ModuleList([torch.nn.Linear(3, 4), torch.nn.Linear(4, 2)]).double()
        net[1].bias.requires_grad_(False)
        return cls(net, make(net))

    def train(self, steps: Any, scheduler: Any = None) -> Run:
        net, optimizer = self.net, self.optimizer
        for step in steps:
            x = torch.linspace(-1, 1 + step, 6, dtype=torch.float64).reshape(2, 3)
            optimizer.zero_grad()
            y = net[0](x).tanh()
            loss = (net[1](y) if step % 3 else y).square().sum() + y.sin().mean()
            loss.backward()
            optimizer.step()
            if isinstance(scheduler, schedulers.ReduceLROnPlateau):
                scheduler.step(loss.item())
            elif scheduler is not None:
                scheduler.step()
        return self

    def with_optimizer(self, make: Make) -> Run:
        other = copy.deepcopy(self.net)
        for p in other.parameters():
            p.grad = None
        return Run(other, make(other))


def maker(package: Any, case: str, **changes: Any) -> Make:
    """Return how to make an optimizer with two groups, of which the second has other options."""
    name, options, second = CASES[case]
    known = inspect.signature(getattr(torch.optim, name)).parameters
    changes = {"foreach": False, **changes}  # else PyTorch writes to gradients on a GPU
    changes = {option: x for option, x in changes.items() if option in known}

    def make(net: torch.nn.Module) -> torch.optim.Optimizer:
        groups = [
            {"params": net[0].parameters(), "name": "first"},
            {"params": [*net[1].parameters()], **second},
        ]
        made: torch.optim.Optimizer = getattr(package, name)(groups, **{**options, **changes})
        return made

    return make


def ours(case: str, **changes: Any) -> Make:
    return maker(torchopt.optim, case, **changes)


def theirs(case: str, **changes: Any) -> Make:
    return maker(torch.optim, case, **changes)


def assert_same_params(found: Run, expected: Run) -> None:
    for a, b in zip(found.net.parameters(), expected.net.parameters(), strict=True):
        torch.testing.assert_close(a.detach(), b.detach(), rtol=1e-9, atol=1e-11)


def assert_same(found: Run, expected: Run) -> None:
    """Compare parameters, states and learning rates."""
    close = {"rtol": 1e-9, "atol": 1e-11}  # steps amplify an ulp
    assert_same_params(found, expected)
    states = [run.optimizer.state_dict()["state"] for run in (found, expected)]
    # PyTorch counts steps on the CPU.
    torch.testing.assert_close(*states, **close, check_device=False)
    for a, b in zip(found.optimizer.param_groups, expected.optimizer.param_groups, strict=True):
        assert a["lr"] == pytest.approx(b["lr"], rel=1e-14)


@every_case
def test_groups_with_options_of_their_own_step_as_in_torch(case: str) -> None:
    found, expected = Run.of(ours(case)), Run.of(theirs(case))
    assert isinstance(found.optimizer, torch.optim.Optimizer)
    for step in range(12):
        assert_same(found.train([step]), expected.train([step]))
    shared = expected.optimizer.param_groups[1].keys() - {"foreach", "fused", "capturable"}
    shared -= {"differentiable"}
    for a, b in zip(found.optimizer.param_groups, expected.optimizer.param_groups, strict=True):
        assert {k: a[k] for k in shared - {"params"}} == {k: b[k] for k in shared - {"params"}}


@pytest.mark.parametrize(("case", "steps"), covering([*CASES], [0, 1, 5]))
def test_a_checkpoint_of_torch_loads_here_and_back(case: str, steps: int) -> None:
    expected = Run.of(theirs(case)).train(range(steps + 6))
    for first, second in ((ours, theirs), (theirs, ours), (ours, ours)):
        begun = Run.of(first(case)).train(range(steps))
        # Options come with the checkpoint.
        resumed = begun.with_optimizer(second(case, lr=7.0, weight_decay=0.7))
        resumed.optimizer.load_state_dict(saved(begun.optimizer.state_dict()))
        assert_same(resumed.train(range(steps, steps + 6)), expected)


#: By epochs, with momenta, and by a loss.
SCHEDULES: dict[str, Callable[[Any], Any]] = {
    "cosine": lambda o: schedulers.CosineAnnealingLR(o, 5, 1e-3),
    "one cycle": lambda o: schedulers.OneCycleLR(o, [0.2, 0.3], total_steps=11),
    "plateau": lambda o: schedulers.ReduceLROnPlateau(o, factor=0.5, patience=0),
}


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("case", ["sgd with momentum", "adamw"])
def test_schedulers_change_options_of_groups(case: str, schedule: str) -> None:
    runs = [Run.of(make(case)) for make in (ours, theirs)]
    found, expected = [run.train(range(10), SCHEDULES[schedule](run.optimizer)) for run in runs]
    assert_same(found, expected)
    assert found.optimizer.param_groups[0]["lr"] != CASES[case][1]["lr"]


def test_a_tree_of_parameters_has_its_entries_and_a_tuple_may_hold_groups() -> None:
    def tree(net: Any) -> torch.optim.Optimizer:
        return torchopt.optim.Adagrad({"a": None, "b": [*net.parameters()]}, lr=0.1, lr_decay=0.2)

    def groups(net: Any) -> torch.optim.Optimizer:
        return torchopt.optim.Adagrad(({"params": net.parameters()},), lr=0.1, lr_decay=0.2)

    def expected(net: Any) -> torch.optim.Optimizer:
        return torch.optim.Adagrad(net.parameters(), lr=0.1, lr_decay=0.2)

    for make in (tree, groups):
        begun = Run.of(make).train(range(3))
        resumed = begun.with_optimizer(make)
        resumed.optimizer.load_state_dict(copy.deepcopy(begun.optimizer.state_dict()))
        assert_same(resumed.train(range(3, 7)), Run.of(expected).train(range(7)))


def test_groups_may_be_frozen_or_empty_or_come_later() -> None:
    def make(package: Any) -> Make:
        def made(net: Any) -> torch.optim.Optimizer:
            net[1].requires_grad_(False)
            groups = [{"params": []}, {"params": net[1].parameters()}, {"params": net[0].weight}]
            optimizer: torch.optim.Optimizer = package.Adam(groups, lr=0.1)
            return optimizer

        return made

    runs = [Run.of(make(package)) for package in (torchopt.optim, torch.optim)]
    for run in runs:
        run.train(range(3))
        run.net[1].requires_grad_(True)
        run.train(range(3, 6))
        run.optimizer.add_param_group({"params": [run.net[0].bias], "lr": 0.3})
        run.train(range(6, 9))
    assert_same(*runs)


@pytest.mark.parametrize("overflows", [False, True])
def test_a_gradient_scaler_unscales_and_leaves_steps_out(overflows: bool) -> None:
    results = []
    for package in (torchopt.optim, torch.optim):
        p = torch.nn.Parameter(torch.tensor([1.0, -2.0]))
        optimizer = package.Adam([p], lr=0.1)
        scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
        for step in range(4):
            optimizer.zero_grad()
            factor = float("inf") if overflows and step == 1 else 1.0
            scaler.scale((p.square() * factor).sum()).backward()
            scaler.unscale_(optimizer)
            torch.nn.utils.clip_grad_norm_([p], 1.0)
            scaler.step(optimizer)
            scaler.update()
        results.append((p.detach(), scaler.get_scale(), int(optimizer.state[p]["step"])))
    torch.testing.assert_close(*results)
    assert results[0][2] == (3 if overflows else 4)


class OwnStep(torchopt.optim.SGD):
    def step(self, closure: Any = None) -> Any:
        return super().step(closure)


@pytest.mark.parametrize("cls", [torchopt.optim.SGD, OwnStep])
def test_hooks_of_all_optimizers_are_called_once_and_profiles_show_the_step(cls: Any) -> None:
    from torch.optim.optimizer import (
        register_optimizer_step_post_hook,
        register_optimizer_step_pre_hook,
    )

    called: list[str] = []
    p = torch.nn.Parameter(torch.ones(2))
    optimizer = cls([p], lr=0.1)
    handles = [
        register_optimizer_step_pre_hook(lambda *_: called.append("before")),
        register_optimizer_step_post_hook(lambda *_: called.append("after")),
    ]
    p.grad = torch.ones(2)
    optimizer.step()
    for handle in handles:
        handle.remove()
    assert called == ["before", "after"]
    with torch.profiler.profile(acc_events=True) as profile:
        optimizer.step()
    names = [event.key for event in profile.key_averages()]
    assert names.count(f"Optimizer.step#{cls.__name__}.step") == 1


@pytest.mark.parametrize(
    "change",
    [
        lambda o, p: o.state.clear(),
        lambda o, p: o.state.pop(p),
        lambda o, p: o.state[p].clear(),
        lambda o, p: o.state[p]["exp_avg"].mul_(0.5),
        lambda o, p: o.state[p].update(exp_avg=torch.full_like(p, 0.3)),
        lambda o, p: o.state[p].update(step=torch.tensor(7.0)),
        lambda o, p: o.param_groups[0].update(betas=(0.1, 0.2), lr=0.7),
        lambda o, p: o.param_groups[0].update(params=o.param_groups[0]["params"][1:]),
        lambda o, p: o.param_groups[0]["params"].pop(),
        lambda o, p: o.param_groups.pop(),
    ],
)
def test_other_hands_may_change_state_and_groups(change: Any) -> None:
    runs = [Run.of(make("adam")).train(range(5)) for make in (ours, theirs)]
    for run in runs:
        change(run.optimizer, run.net[0].weight)
    assert_same_params(*[run.train(range(5, 9)) for run in runs])


def test_an_option_out_of_range_is_refused_and_nothing_moves() -> None:
    run = Run.of(ours("adam")).train(range(2))
    run.optimizer.param_groups[1]["lr"] = -1.0
    before = snapshot([*run.net.parameters()])
    with pytest.raises(ValueError, match=r"`lr` is -1\.0, but it must be at least 0"):
        run.train([2])
    assert_trees_equal(snapshot([*run.net.parameters()]), before)
    with pytest.raises(ValueError, match=r"`betas\[0\]` is 2"):
        run.optimizer.add_param_group({"params": [torch.ones(1)], "betas": (2, 0.9)})
    assert len(run.optimizer.param_groups) == 2


@pytest.mark.parametrize("name", sorted({name for name, _, _ in CASES.values()}))
def test_options_that_choose_an_implementation_change_nothing(name: str) -> None:
    theirs = inspect.signature(getattr(torch.optim, name)).parameters
    options = {"foreach": False, "fused": False, "capturable": False, "differentiable": False}
    options = {key: value for key, value in options.items() if key in theirs}
    runs = []
    for package in (torchopt.optim, torch.optim):
        make = lambda net: getattr(package, name)(net.parameters(), lr=0.1, **options)  # noqa: B023, E731
        runs.append(Run.of(make).train(range(4)))
    assert_same(*runs)
    mine, expected = (run.optimizer.param_groups[0].keys() for run in runs)
    assert mine ^ expected <= {"decoupled_weight_decay", "nesterov"}
    p = torch.ones(1, requires_grad=True)
    assert getattr(torchopt.optim, name)([p], foreach=True).param_groups[0]["foreach"]
    with pytest.raises(
        ValueError, match=rf"use `torchopt\.MetaOptimizer.*torchopt\.optimizers\.{name.lower()}\("
    ):
        getattr(torchopt.optim, name)([p], differentiable=True)
    with pytest.raises(TypeError, match="'fusedd'"):
        getattr(torchopt.optim, name)([p], fusedd=True)


def test_each_group_may_have_a_rate_and_sgd_the_one_of_torch() -> None:
    p, q = (torch.ones(1, requires_grad=True) for _ in range(2))
    optimizer = torchopt.optim.SGD([{"params": [p], "lr": 0.5}, {"params": [q]}], momentum=0.9)
    assert [group["lr"] for group in optimizer.param_groups] == [0.5, 0.001]
    assert torch.optim.SGD([p]).defaults["lr"] == 0.001


@pytest.mark.parametrize(
    ("case", "flat"),
    # PyTorch refuses a state that only some of the parameters have.
    covering(sorted(CASES.keys() - {"sgd with dampening"}), [False, True]),
)
def test_a_distributed_checkpoint_goes_both_ways(case: str, flat: bool) -> None:
    """By names of parameters, where each entry of a group must be known."""
    options = StateDictOptions(flatten_optimizer_state_dict=flat)
    for first, second in ((ours, theirs), (theirs, ours)):
        begun = Run.of(first(case)).train(range(4))
        resumed = begun.with_optimizer(second(case, lr=7.0))
        state = copy.deepcopy(get_optimizer_state_dict(begun.net, begun.optimizer, options=options))
        set_optimizer_state_dict(resumed.net, resumed.optimizer, state, options=options)
        assert_same_params(resumed.train(range(4, 8)), Run.of(theirs(case)).train(range(8)))
        assert resumed.optimizer.param_groups[0]["lr"] == begun.optimizer.param_groups[0]["lr"]


SPARSE: dict[str, tuple[str, dict[str, Any]]] = {
    **{case: (name, options) for case, (name, options, _) in CASES.items()},
    "sgd that decays": ("SGD", {"lr": 0.1, "weight_decay": 0.1}),
}


@pytest.mark.parametrize("case", SPARSE)
def test_sparse_gradients_are_dense_ones(case: str) -> None:
    name, options = SPARSE[case]

    def run(package: Any, sparse: bool) -> torch.Tensor:
        torch.manual_seed(0)
        table = torch.nn.Embedding(6, 3, sparse=sparse, dtype=torch.float64)
        optimizer = getattr(package, name)(table.parameters(), **options)
        for step in range(4):
            optimizer.zero_grad()
            table(torch.tensor([1, 2, 2 + step])).square().sum().backward()
            optimizer.step()
        return table.weight.detach()

    torch.testing.assert_close(
        run(torchopt.optim, True), run(torch.optim, False), rtol=1e-12, atol=1e-12
    )


def test_schedules_are_options_and_are_left_out_of_a_checkpoint() -> None:
    schedule = torchopt.schedule.linear_schedule(0.1, 0.01, 10)
    make = lambda net: torchopt.optim.Adam(net.parameters(), lr=schedule)  # noqa: E731
    begun = Run.of(make).train(range(5))
    state = begun.optimizer.state_dict()
    assert "lr" not in state["param_groups"][0]
    resumed = begun.with_optimizer(make)
    resumed.optimizer.load_state_dict(saved(state))
    assert resumed.optimizer.param_groups[0]["lr"] is schedule
    resumed.train(range(5, 9))
    # The same by PyTorch: the rate of each step is set by hand.
    expected = Run.of(lambda net: torch.optim.Adam(net.parameters()))
    for step in range(9):
        expected.optimizer.param_groups[0]["lr"] = float(schedule(step))
        expected.train([step])
    assert_same_params(resumed, expected)


def test_states_of_the_published_layout_load() -> None:
    params = [torch.ones(2, dtype=torch.float64, requires_grad=True)]
    tx = torchopt.adam(0.1)
    state = tx.init(params)
    for _ in range(3):
        updates, state = tx.update([torch.full_like(params[0], 0.5)], state, params=params)
        torchopt.apply_updates(params, updates)
    optimizer = torchopt.optim.Adam([params[0].detach().clone().requires_grad_()], lr=0.1)
    optimizer.load_state_dict((state,))
    (p,) = optimizer.param_groups[0]["params"]
    p.grad = torch.full_like(p, -0.25)
    optimizer.step()
    updates, state = tx.update([p.grad], state, params=params)
    torch.testing.assert_close(p, torchopt.apply_updates(params, updates)[0], rtol=1e-15, atol=0)
    assert int(optimizer.state[p]["step"]) == 4


class Momenta(NamedTuple):
    """The state of a transformation that a user has written."""

    slow: Any
    energy: Any
    calls: Any


def muon_like(lr: float) -> torchopt.GradientTransformation:
    """Return momentum divided by a norm of all gradients, whose state holds scalars of the whole."""

    def init(params: Any) -> Momenta:
        zeros = torchopt.pytree.tree_map(torch.zeros_like, params)
        zero = torch.zeros((), dtype=torch.float64)
        return Momenta(zeros, zero, torch.zeros((), dtype=torch.int64))

    def update(updates: Any, state: Any, *, params: Any = None, inplace: bool = True) -> Any:
        slow = torchopt.pytree.tree_map(lambda m, g: 0.9 * m + g, state.slow, updates)
        energy = state.energy + sum(g.square().sum() for g in torchopt.pytree.tree_leaves(updates))
        new = torchopt.pytree.tree_map(lambda m: -lr * m / energy.sqrt(), slow)
        return new, Momenta(slow, energy, state.calls + 1)

    return torchopt.GradientTransformation(init, update)


def test_a_transformation_that_a_user_wrote_is_saved_with_what_all_parameters_share() -> None:
    def make() -> tuple[list[torch.Tensor], torchopt.Optimizer]:
        params = [torch.full((k + 1,), 1.0, dtype=torch.float64) for k in range(3)]
        params = [p.requires_grad_() for p in params]
        groups = [{"params": params[:2]}, {"params": params[2:], "impl": torchopt.sgd(0.1)}]
        return params, torchopt.Optimizer(groups, muon_like(0.5))

    def train(params: list[torch.Tensor], optimizer: torchopt.Optimizer, steps: Any) -> None:
        for step in steps:
            for k, p in enumerate(params):
                p.grad = (p.detach() * (step + k + 1)).cos()
            optimizer.step()

    params, optimizer = make()
    train(params, optimizer, range(3))
    resumed, again = make()
    with torch.no_grad():
        for p, q in zip(resumed, params, strict=True):
            p.copy_(q)
    again.load_state_dict(saved(optimizer.state_dict()))
    train(params, optimizer, range(3, 6))
    train(resumed, again, range(3, 6))
    assert_trees_equal(snapshot(resumed), snapshot(params))
    # Without the class: the functions alone.
    tx, values = muon_like(0.5), [torch.full((k + 1,), 1.0, dtype=torch.float64) for k in range(2)]
    state = tx.init(values)
    for step in range(6):
        grads = [(p * (step + k + 1)).cos() for k, p in enumerate(values)]
        updates, state = tx.update(grads, state, params=values)
        values = torchopt.apply_updates(values, updates, inplace=False)
    torch.testing.assert_close([p.detach() for p in params[:2]], values, rtol=1e-14, atol=0)


def test_a_transformation_has_the_learning_rate_of_its_group() -> None:
    def make(net: Any) -> torch.optim.Optimizer:
        groups = [{"params": net[0].parameters()}, {"params": net[1].parameters(), "lr": 0.02}]
        return torchopt.Optimizer(groups, torchopt.chain(torchopt.adam(0.1)))

    def expected(net: Any) -> torch.optim.Optimizer:
        groups = [{"params": net[0].parameters()}, {"params": net[1].parameters(), "lr": 0.02}]
        return torch.optim.Adam(groups, lr=0.1)

    runs = [Run.of(one) for one in (make, expected)]
    assert_same(*[run.train(range(8), SCHEDULES["cosine"](run.optimizer)) for run in runs])
    with pytest.raises(ValueError, match="no chain with one learning rate"):
        torchopt.Optimizer([{"params": [torch.ones(1, requires_grad=True)], "lr": 1}], muon_like(1))


def named(optimizer: torch.optim.Optimizer, net: torch.nn.Module) -> dict[str, torch.Tensor]:
    return {name: p for name, p in reversed([*net.named_parameters()]) if p.requires_grad}


@pytest.mark.parametrize(
    ("case", "way"),
    covering([*CASES], ["torchopt-list", "torch-tree", "torchopt-tree", "torch-list"]),
)
def test_from_torch_and_to_torch_go_on_in_mid_run(case: str, way: str) -> None:
    make, tree = maker(torchopt.optim if "torchopt" in way else torch.optim, case), "tree" in way
    run = Run.of(make).train(range(5))
    params: Any = named(run.optimizer, run.net) if tree else None
    tx, state = torchopt.from_torch(run.optimizer, params)
    if not tree:
        groups = run.optimizer.param_groups
        params = [p for group in groups for p in group["params"] if p.requires_grad]
    values = torchopt.pytree.tree_map(lambda p: p.detach().clone(), params)
    twin = Run.of(theirs(case)).train(range(5))
    before = snapshot([run.optimizer.state_dict()["state"], state])
    for step in range(5, 15):
        twin.train([step])
        # The gradients of that step, at values that should be the same.
        names = {id(p): name for name, p in run.net.named_parameters()}
        table = dict(twin.net.named_parameters())
        grads = torchopt.pytree.tree_map(lambda p: table[names[id(p)]].grad, params)  # noqa: B023
        updates, state = tx.update(grads, state, params=values, inplace=False)
        values = torchopt.apply_updates(values, updates, inplace=False)
        expected = torchopt.pytree.tree_map(lambda p: table[names[id(p)]].detach(), params)  # noqa: B023
        torch.testing.assert_close(values, expected, rtol=1e-9, atol=1e-11)
    assert_trees_equal([run.optimizer.state_dict()["state"], before[1]], before)

    leaves = torchopt.pytree.tree_map(lambda v: v.clone().requires_grad_(), values)
    back = torchopt.to_torch(tx, leaves, state)
    assert type(back).__module__.startswith("torch.optim")
    for step in range(15, 25):
        twin.train([step])
        for leaf, p in zip(
            torchopt.pytree.tree_leaves(leaves), torchopt.pytree.tree_leaves(params), strict=True
        ):
            grad = table[names[id(p)]].grad
            leaf.grad = None if grad is None else grad.clone()
        back.step()
        expected = torchopt.pytree.tree_map(lambda p: table[names[id(p)]].detach(), params)
        found = torchopt.pytree.tree_map(torch.Tensor.detach, leaves)
        torch.testing.assert_close(found, expected, rtol=1e-9, atol=1e-11)


#: By class, options that function and class have; their default learning rates differ.
MOMENTS: dict[str, dict[str, Any]] = {
    "SGD": {"momentum": 0.9, "nesterov": True},
    "Adam": {},
    "AdamW": {"amsgrad": True, "weight_decay": 0.1},
    "NAdam": {},
    "RAdam": {"eps": 1e-8},
    "Adamax": {"eps": 1e-8},
    "Adadelta": {},
    "Adagrad": {},
    "RMSprop": {"centered": True, "momentum": 0.5},
    "Adafactor": {},
    "Muon": {},
}


@pytest.mark.parametrize("name", MOMENTS)
def test_moments_are_exchanged_by_the_names_of_parameters(name: str) -> None:
    """The last is where ``step`` is not in the order of leaves: dictionaries are sorted."""
    cls, options = getattr(torch.optim, name), {"lr": 0.02, **MOMENTS[name]}
    shapes = {"b": (8, 6), "a": (8, 6), "c": (5, 7)}

    def begin() -> dict[str, Any]:
        torch.manual_seed(1)
        return {key: torch.randn(shape).requires_grad_() for key, shape in shapes.items()}

    def train(optimizer: torch.optim.Optimizer, params: Any, steps: range) -> None:
        for step in steps:
            torch.manual_seed(step)
            for p in params.values():
                p.grad = torch.randn(p.shape)
            optimizer.step()

    params, expected = begin(), begin()
    train(cls(expected.values(), **options), expected, range(9))
    first = cls(params.items(), **options)
    train(first, params, range(3))
    saved = first.state_dict()
    by_name = {  # as torch.distributed.checkpoint has it
        "state": dict(zip(shapes, saved["state"].values(), strict=True)),
        "param_groups": [{"params": [*shapes]}],
    }
    # The schedule goes on where the optimizer is, if that counts.
    rates = torch.tensor(
        [0.02 if name in ("SGD", "Muon") else 5.0] * 3 + [0.02] * 3, dtype=torch.float64
    )
    make = getattr(torchopt.optimizers, name.lower())
    if name == "Muon":
        make = functools.partial(make, ns_dtype=torch.bfloat16)
    options["lr"] = torchopt.schedule.table_schedule(rates)
    ours = torchopt.chain(torchopt.transform.clip_grad_norm(1e9), make(**options))
    for source in (first, saved, by_name):
        tx, state = torchopt.from_torch(source, params, tx=ours)
        values: Any = {key: p.detach().clone() for key, p in params.items()}
        for step in range(3, 6):
            torch.manual_seed(step)
            grads = {key: torch.randn(p.shape) for key, p in values.items()}
            updates, state = tx.update(grads, state, params=values, inplace=False)
            values = torchopt.apply_updates(values, updates, inplace=False)
        leaves = {key: x.clone().requires_grad_() for key, x in values.items()}
        back = torchopt.to_torch(make(**{**options, "lr": 0.02}), leaves, state)
        assert back.state_dict()["param_groups"][0]["param_names"] == [*shapes]
        # One that was made of unnamed parameters takes it by their order.
        other = cls(leaves.values(), lr=0.02, **MOMENTS[name])
        other.load_state_dict(back.state_dict())
        train(other, leaves, range(6, 9))
        close = {"rtol": 1e-3, "atol": 1e-3} if name == "Muon" else {"rtol": 1e-5, "atol": 1e-6}
        torch.testing.assert_close(leaves, expected, **close)


def test_to_torch_takes_what_the_functions_make() -> None:
    p = torch.ones(2, requires_grad=True)
    optimizer = torchopt.to_torch(torchopt.adamw(0.5, (0.5, 0.6), maximize=True), {"p": p})
    assert type(optimizer) is torch.optim.AdamW
    assert not optimizer.state
    group = optimizer.param_groups[0]
    assert (group["lr"], group["betas"], group["maximize"]) == (0.5, (0.5, 0.6), True)
    optimizer = torchopt.to_torch(torchopt.adagrad(0.5, initial_accumulator_value=2.0), [p])
    assert optimizer.state[p]["sum"].tolist() == [2.0, 2.0]
    nested = {"a": {"w": p}, "b": {"w": torch.ones(3, requires_grad=True)}}
    assert "param_names" not in torchopt.to_torch(torchopt.sgd(0.1), nested).param_groups[0]
    optimizer = torchopt.to_torch(
        torchopt.optimizers.rprop(torch.tensor(0.5), [0.25, 2.0], maximize=True), p
    )
    group = optimizer.param_groups[0]
    assert (group["lr"], group["etas"], group["maximize"]) == (0.5, (0.25, 2.0), True)


#: Those of `torch.optim` whose steps are a function of gradients, with some options.
CLASSES = {
    name: {"lr": 0.05, **options}
    for name, cls in exported(torch.optim, torch.optim.Optimizer).items()
    if name not in ("LBFGS", "SparseAdam")
    for options in [{"ASGD": {"lambd": 0.1, "t0": 1}, "SGD": {"momentum": 0.9}}.get(name, {})]
}


@pytest.mark.parametrize("name", CLASSES)
def test_all_classes_of_torch_are_taken_over_and_given_back(name: str) -> None:
    """The matrices are large enough for the rounding of Muon's bfloat16 not to be all."""
    make = getattr(torch.optim, name)
    torch.manual_seed(1)
    params = [torch.randn(8, 6).requires_grad_(), torch.randn(5, 7).requires_grad_()]
    optimizer = make(params, **CLASSES[name])

    def step(optimizer: torch.optim.Optimizer, params: Any, count: int) -> None:
        torch.manual_seed(count)
        for p in params:
            p.grad = torch.randn(p.shape)
        optimizer.step()

    for count in range(3):
        step(optimizer, params, count)
    tx, state = torchopt.from_torch(optimizer)
    copies = [p.detach().clone().requires_grad_() for p in params]
    back = torchopt.to_torch(tx, copies, state)
    assert type(back) is make
    assert {k: v for k, v in back.defaults.items() if k not in CLASSES[name]} == {
        k: v for k, v in optimizer.defaults.items() if k not in CLASSES[name]
    }
    values: Any = [p.detach().clone() for p in params]
    for count in range(3, 6):
        step(optimizer, params, count)
        step(back, copies, count)
        updates, state = tx.update([p.grad for p in params], state, params=values, inplace=False)
        values = torchopt.apply_updates(values, updates, inplace=False)
    torch.testing.assert_close(copies, params, rtol=1e-9, atol=1e-11)
    close = {"rtol": 1e-3, "atol": 1e-3} if name == "Muon" else {"rtol": 1e-9, "atol": 1e-11}
    torch.testing.assert_close(values, [p.detach() for p in params], **close)


@pytest.mark.parametrize("shape", [(0,), (3, 0), (), (1,)])
@pytest.mark.parametrize("frozen", [False, True])
@pytest.mark.parametrize("name", [n for n in CLASSES if n not in ("Muon", "Adafactor")])
def test_states_of_empty_and_scalar_parameters_are_those_of_torch(
    name: str, shape: tuple[int, ...], frozen: bool
) -> None:
    """Muon takes matrices only, and Adafactor divides by the number of elements."""

    def begin(package: Any) -> Any:
        params = [torch.full(shape, 0.5), torch.full((2, 3), 0.5), torch.ones(2)]
        for p in params[: 2 if frozen else 3]:
            p.requires_grad_()
        return params, getattr(package, name)(params, **CLASSES[name])

    def train(params: Any, optimizer: Any, steps: Any) -> Any:
        for count in steps:
            for p in params:
                p.grad = torch.full_like(p, 0.1 + count) if p.requires_grad else None
            optimizer.step()
        return [p.detach() for p in params]

    for first, second in ((torchopt.optim, torch.optim), (torch.optim, torchopt.optim)):
        params, optimizer = begin(first)
        train(params, optimizer, range(3))
        others, other = begin(second)
        other.load_state_dict(copy.deepcopy(optimizer.state_dict()))
        for p, q in zip(others, params, strict=True):
            p.data.copy_(q.data)
        expected = train(*begin(torch.optim), range(6))
        torch.testing.assert_close(train(others, other, range(3, 6)), expected)
        states = [made.state_dict()["state"] for made in (other, optimizer)]
        shapes = [
            {k: v.shape for k, v in state[0].items()} if 0 in state else None for state in states
        ]
        assert shapes[0] == shapes[1]


def test_a_rate_that_asgd_has_from_the_next_step_but_one_on_is_refused() -> None:
    p = torch.ones(2, requires_grad=True)
    p.grad = torch.ones(2)
    optimizer = torch.optim.ASGD([p], lr=0.1)
    optimizer.step()
    optimizer.param_groups[0]["lr"] = 0.2
    with pytest.raises(ValueError, match="the learning rate or the decay of ASGD was changed"):
        torchopt.from_torch(optimizer)
    optimizer.step()
    torchopt.from_torch(optimizer)

"""The functional face of multilevel programs against closed forms, differences and plain loops."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest
import torch
from quadratic_graphs import Levels
from torch import nn
from torch.utils import _pytree

import torchopt
from _cases import diagonal
from torchopt.diff import Explicit, Implicit, OneStep, ZeroOrder, zero_order
from torchopt.linear_solve import CG, GMRES, Neumann
from torchopt.multilevel._level import Level, LevelState

EXACT = {
    "explicit": Explicit(),
    "memory": Explicit(memory="step"),
    "cg": Implicit(CG(rtol=1e-12)),
    "gmres": Implicit(GMRES(rtol=1e-12)),
    "neumann": Implicit(Neumann(maxiter=60)),
}


DTYPE = torch.float64
CHAIN3 = {"a": {"b": {"c": {}}}}
CHAIN4 = {"a": {"b": {"c": {"d": {}}}}}
BRANCHES = {"a": {"b": {}, "c": {"d": {}}}}


def randn(*shape, seed):
    return torch.randn(*shape, dtype=DTYPE, generator=torch.Generator().manual_seed(seed))


def modes_of(words):
    return [EXACT[word] for word in words.split("-")]


def close(found, expected, **tolerance):
    # As trees: containers of a state have types of their own.
    pairs = zip(_pytree.tree_leaves(found), _pytree.tree_leaves(expected), strict=True)
    for x, y in pairs:
        torch.testing.assert_close(x, y, **tolerance)


def check_closed_form(program, level):
    params = program.params()
    x = torch.cat([*params.values()])
    state = level.init(params)
    found = level.gradient(state)
    torch.testing.assert_close(found.grads, program.truth("a", x), rtol=0, atol=1e-8)
    after = level.params(LevelState(state.params, state.solver, found.lowers))
    close(after, program.split(program.solved("a", x)), rtol=0, atol=1e-8)


# Closed forms of quadratic programs.


@pytest.mark.parametrize("words", EXACT)
def test_bilevel_gradient_is_the_closed_form(words):
    program = Levels({"a": {"b": {}}})
    check_closed_form(program, program.level(EXACT[words], 25))


@pytest.mark.parametrize("words", ["cg-cg", "explicit-cg", "cg-explicit", "gmres-neumann"])
def test_gradient_of_a_chain_of_three_is_the_closed_form(words):
    program = Levels(CHAIN3, coupling=0.01)
    check_closed_form(program, program.level(modes_of(words), 5))


def test_gradient_of_a_chain_of_four_is_the_closed_form():
    program = Levels(CHAIN4, coupling=0.01)
    check_closed_form(program, program.level(modes_of("explicit-cg-explicit"), 5))


@pytest.mark.parametrize("words", ["explicit-explicit", "cg-explicit"])
def test_gradient_of_a_tree_is_the_closed_form(words):
    program = Levels(BRANCHES, coupling=0.01)
    check_closed_form(program, program.level(modes_of(words), 5))


def test_the_gradient_over_batches_is_that_of_their_mean_with_an_implicit_level():
    program = Levels({"a": {"b": {}}})
    params, shifts = program.params(), randn(4, 3, seed=5)
    # For the mean of the batches, at whose solution it stays.
    x, b = torch.cat([*params.values()]), program.b["b"]
    program.b["b"] = b + torch.nn.functional.pad(shifts.mean(0), (0, 2))
    expected, solutions = program.truth("a", x), program.split(program.solved("a", x))
    program.b["b"] = b
    level = program.level(EXACT["cg"], 4)
    still = replace(level.lowers[0], solver=torchopt.sgd(0.0))
    level = replace(level, lowers=[still])
    found = level.gradient(level.init({**params, "b": solutions["b"]}), {"b": shifts})
    torch.testing.assert_close(found.grads, expected, rtol=0, atol=1e-8)


# The program that runs: nonlinear, few steps, batches, momentum.

SHAPES = {"b": (2, 3), "c": (2, 2, 3)}


def loss_a(p, values, batch):
    return ((values["c"] * batch).sum() * p[:2].sin()).sum() + (values["b"] * p[1]).tanh().sum()


def loss_b(p, values, batch):
    c, a = values["c"], values["a"]
    return (p * a).sin().sum() + (p * c).square().sum() + (batch * p).exp().sum() / 4


def loss_c(p, values, batch):
    a, b = values["a"], values["b"]
    return ((p - a) ** 2 * (1 + b.sin())).sum() / 2 + (batch * p * a).sum()


def small(diff=EXACT["explicit"], solver=None, steps=2):
    solver = solver or torchopt.sgd(0.1, momentum=0.5)
    c = Level("c", loss_c, solver=solver, steps=steps, diff=diff)
    b = Level("b", loss_b, solver=solver, steps=2, diff=diff, lowers=[c])
    return Level("a", loss_a, solver=solver, lowers=[b])


def start(seed=0):
    return {name: randn(3, seed=seed + k) for k, name in enumerate("abc")}


def data(seed=0):
    return {
        "a": randn(3, seed=seed + 10),
        **{name: randn(*shape, seed=seed + 11) for name, shape in SHAPES.items()},
    }


def by_hand(params, momenta, batches):
    """Do one step of the uppermost level as a plain loop."""
    a, b, c = (params[n] for n in "abc")
    a = a.detach().requires_grad_()

    def moved(x, m, g, lr=0.1):
        m = 0.5 * m + g
        return x - lr * m, m

    m = dict(momenta)
    for i in range(2):
        b = b + torch.zeros(3, requires_grad=True)
        for j in range(2):
            x = c + torch.zeros(3, requires_grad=True)  # what b is made of is not varied
            loss = loss_c(x, {"a": a, "b": b}, batches["c"][i, j])
            (g,) = torch.autograd.grad(loss, x, create_graph=True)
            c, m["c"] = moved(x, m["c"], g)
        loss = loss_b(b, {"a": a, "c": c}, batches["b"][i])
        (g,) = torch.autograd.grad(loss, b, create_graph=True)
        b, m["b"] = moved(b, m["b"], g)
    loss = loss_a(a, {"b": b, "c": c}, batches["a"])
    (g,) = torch.autograd.grad(loss, a)
    a, m["a"] = moved(a, m["a"], g)
    return {"a": a, "b": b, "c": c}, m, loss


@pytest.mark.parametrize("memory", ["graph", "step"])
def test_steps_are_those_of_a_plain_loop_and_go_on_from_where_they_were(memory):
    level = small(Explicit(memory=memory))
    params, state = start(), level.init(start())
    momenta = {n: torch.zeros(3, dtype=DTYPE) for n in "abc"}
    for k in range(3):
        params, momenta, expected = by_hand(params, momenta, data(20 * k))
        params, momenta = ({n: t.detach() for n, t in d.items()} for d in (params, momenta))
        step = level.step(state, data(20 * k))
        state = step.state
        torch.testing.assert_close(step.loss, expected.detach(), rtol=1e-12, atol=1e-12)
        close(level.params(state), params, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("words", ["explicit", "memory"])
def test_func_grad_and_jvp_through_a_step_are_those_of_autograd(words):
    level, batches = small(EXACT[words], steps=1), {**data(), "c": data()["c"][:, :1]}
    first = level.init(start())
    point, direction = randn(3, seed=30), randn(3, seed=31)
    weights = {n: randn(3, seed=40 + k) for k, n in enumerate("abc")}

    def value(b):
        lower = replace(first.lowers["b"], params=b)
        moved = {**batches, "a": b * batches["a"]}
        step = level.step(replace(first, params=b.cos(), lowers={"b": lower}), moved)
        after = level.params(step.state)
        return step.loss + sum((after[n] * weights[n]).sum() for n in "abc")

    x = point.clone().requires_grad_()
    (expected,) = torch.autograd.grad(value(x), x)
    assert expected.abs().min() > 1e-3
    close(torch.func.grad(value)(point), expected, rtol=1e-8, atol=1e-8)
    slope = torch.func.jvp(value, (point,), (direction,))[1]
    close(slope, expected @ direction, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize(
    ("words", "derive"),
    diagonal(["explicit-explicit", "cg-explicit"], [torch.func.jacrev, torch.func.jacfwd]),
)
def test_the_jacobian_of_the_total_gradient_is_the_closed_form(words, derive):
    program = Levels(CHAIN3, coupling=0.005)
    level = program.level(modes_of(words), 4)
    state = level.init(program.params())
    found = derive(lambda a: level.gradient(replace(state, params=a)).grads)(state.params)
    total, _ = program.gradient("a")  # an affine map
    torch.testing.assert_close(found, total[:, program.slices["a"]], rtol=0, atol=1e-8)


def stacked(trees):
    return _pytree.tree_map(lambda *leaves: torch.stack(leaves), *trees)


@pytest.mark.parametrize("words", ["explicit", "cg-explicit"])
def test_a_batch_of_programs_is_a_loop_over_them(words):
    if "cg" in words:
        program = Levels(CHAIN3)
        level = program.level(modes_of(words), 2, lambda: torchopt.adam(0.1))
        params = [program.params(k) for k in range(3)]
        shapes = {"b": (2, 3), "c": (2, 2, 2)}
        batches = [{n: randn(*s, seed=k) for n, s in shapes.items()} for k in range(3)]
    else:
        level = small(EXACT[words])
        params, batches = ([make(7 * k) for k in range(3)] for make in (start, data))
    states = [level.init(p) for p in params]
    expected = stacked([level.step(s, b) for s, b in zip(states, batches, strict=True)])
    found = torch.func.vmap(level.step)(stacked(states), stacked(batches))
    close(found, expected, rtol=1e-9, atol=1e-9)


def check_compiled(level, batches, backend):
    names = [level.name, *("bc" if level.lowers[0].lowers else "c")]
    state = there = level.init({name: start()[name] for name in names})
    compiled = torch.compile(level.step, fullgraph=True, backend=backend)
    for _ in range(2):
        expected, found = level.step(state, batches), compiled(there, batches)
        close(found, expected, rtol=1e-10, atol=1e-10)
        state, there = expected.state, found.state
    assert isinstance(there, LevelState)


@pytest.mark.slow
def test_a_compiled_step_of_nested_levels_is_the_step():
    graphs = []

    def backend(graph, example_inputs):
        graphs.append(graph)
        return graph

    batches = {**data(), "c": data()["c"][:, :1]}
    check_compiled(small(steps=1), batches, backend)
    assert len(graphs) == 1


# What lies below a level with another mode than the explicit one.


@pytest.mark.parametrize("words", ["cg-cg", "cg-explicit"])
def test_levels_below_an_implicit_level_keep_their_values(words):
    upper, lower = modes_of(words)
    sgd, seen = torchopt.sgd(0.25), {}

    def objective(a, values, batch):
        seen.update(values)
        return values["c"].sum() + a.sum()

    c = Level("c", lambda c, values, _: (c - 1).square().sum(), solver=sgd, steps=3, diff=lower)

    def between(b, values, batch):
        return (b - values["a"] + values["c"]).square().sum()

    b = Level("b", between, solver=sgd, steps=2, diff=upper, lowers=[c])
    level = Level("a", objective, solver=sgd, lowers=[b])
    state = level.step(level.init(start())).state
    for name in "bc":
        assert torch.equal(seen[name], level.params(state)[name])
    # Each step halves the distance, and there are three for each of two.
    close(seen["c"], 1 + (start()["c"] - 1) / 2**6, rtol=1e-14, atol=1e-14)


@pytest.mark.parametrize("words", ["cg-cg", "cg-explicit"])
def test_levels_below_an_implicit_level_respond_to_its_solution_on_their_last_batches(words):
    upper, lower = modes_of(words)
    sgd = torchopt.sgd(0.4)

    def follow(b, values, batch):
        return (b - values["a"]).square().sum()

    def between(c, values, weight):
        return (weight * (c - values["b"]).square() + c.square()).sum() / 2

    c = Level("c", between, solver=sgd, steps=15, diff=lower)
    b = Level("b", follow, solver=sgd, steps=2, diff=upper, lowers=[c])
    level = Level("a", lambda a, values, _: values["c"].sum(), solver=sgd, lowers=[b])
    weights = torch.tensor([[1.0], [2.0]], dtype=DTYPE).expand(2, 15)
    found = level.gradient(level.init(start()), {"c": weights})
    torch.testing.assert_close(found.grads, torch.full((3,), 2 / 3, dtype=DTYPE))


def test_a_zero_order_level_has_the_gradient_of_differences():
    program = Levels({"a": {"b": {}}})
    mode = ZeroOrder(zero_order.Coordinate(sigma=0.1))
    check_closed_form(program, program.level(mode, 25))


def test_a_one_step_level_has_the_gradient_of_its_next_step():
    program = Levels({"a": {"b": {}}})
    params = program.params()
    level = program.level(OneStep(hvp="reverse"), 3, lambda: torchopt.sgd(0.2))
    found = level.gradient(level.init(params))
    z = torch.cat([params["a"], found.lowers["b"].params])
    direct = program.Q["a"] @ z + program.b["a"]
    expected = direct[:2] - 0.2 * program.Q["b"][3:, :3] @ direct[2:]  # b comes first in its own
    torch.testing.assert_close(found.grads, expected, rtol=1e-10, atol=1e-10)


# The state, and what it carries.


@pytest.mark.parametrize("words", ["explicit", "cg"])
def test_a_loop_of_steps_grows_no_graph_even_from_the_parameters_of_modules(words):
    level = small(EXACT[words])
    modules = {name: nn.Parameter(value) for name, value in start().items()}
    state = level.init(modules)
    with torch.no_grad():
        modules["c"].zero_()
    assert state.lowers["b"].lowers["c"].params.abs().min() > 0
    step = level.step(state, data())
    assert not any(t.requires_grad for t in _pytree.tree_leaves(step))


def test_a_saved_state_goes_on_as_if_it_had_not_been_saved():
    level = small(solver=torchopt.adam(0.05))
    state = level.step(level.init(start()), data()).state
    file = io.BytesIO()
    torch.save(state, file)
    file.seek(0)
    found = level.step(torch.load(file, weights_only=True), data(1))
    for x, y in zip(
        _pytree.tree_leaves(found), _pytree.tree_leaves(level.step(state, data(1))), strict=True
    ):
        assert torch.equal(x, y)


@pytest.mark.parametrize("words", ["explicit", "cg"])
def test_auxiliary_outputs_come_by_the_name_of_their_level(words):
    def with_aux(loss):
        return lambda p, values, batch: (loss(p, values, batch), {"at": p.detach(), "word": "x"})

    level = small(EXACT[words])
    b = level.lowers[0]
    c = replace(b.lowers[0], objective=with_aux(loss_c), has_aux=True)
    level = replace(
        level, objective=with_aux(loss_a), has_aux=True, lowers=[replace(b, lowers=[c])]
    )
    state = level.init(start())
    step = level.step(state, data())
    aux = step.aux
    assert sorted(aux) == ["a", "c"]
    assert aux["c"]["word"] == "x"
    assert torch.equal(aux["a"]["at"], state.params)
    close(replace(step, aux={}), small(EXACT[words]).step(state, data()), rtol=1e-12, atol=1e-12)


def test_parameters_and_batches_are_any_trees_and_batches_may_be_missing():
    def lower(params, values, batch):
        x, extra = batch["x"], batch["none"]
        assert extra is None
        return (params["w"] * x - values["top"][0]).square().sum() + params["v"][0].square()

    def upper(params, values, batch):
        assert batch is None
        return (values["low"]["w"] - 1).square().sum() + params[0].square() + params[1] ** 2

    low = Level("low", lower, solver=torchopt.adam(0.1), steps=2)
    top = Level("top", upper, solver=torchopt.sgd(0.1), lowers=(low,))
    params = {
        "top": (torch.tensor(0.3), torch.tensor(0.2)),
        "low": {"w": torch.ones(3), "v": [torch.tensor(2.0), None]},
    }
    one = {"x": torch.arange(3.0), "none": None}
    batches = {"low": {"x": one["x"].expand(2, 3), "none": None}}
    step = top.step(top.init(params), batches)
    state = step.state
    assert step.loss > 0
    assert state.lowers["low"].params["v"][1] is None
    assert (state.params[0] != params["top"][0]) & (state.params[1] != params["top"][1])


# Errors.


def test_levels_are_checked_when_they_are_made():
    sgd = torchopt.sgd(0.1)
    c = Level("c", loss_c, solver=sgd)
    with pytest.raises(TypeError, match=r"`name` is ''"):
        Level("", loss_c, solver=sgd)
    with pytest.raises(TypeError, match=r"objective of level 'c' is an object of type int"):
        Level("c", 3, solver=sgd)
    with pytest.raises(TypeError, match=r"solver of level 'c'.*torchopt.sgd"):
        Level("c", loss_c, solver=torch.optim.SGD)
    with pytest.raises(TypeError, match=r"`diff` of level 'c' is the string 'darts'"):
        Level("c", loss_c, solver=sgd, diff="darts")
    with pytest.raises(TypeError, match=r"`diff` of level 'c'.*Explicit\(\)"):
        Level("c", loss_c, solver=sgd, diff=Explicit)
    with pytest.raises(ValueError, match=r"`steps` of level 'c' is 0"):
        Level("c", loss_c, solver=sgd, steps=0)
    with pytest.raises(TypeError, match=r"`lowers` of level 'b'"):
        Level("b", loss_b, solver=sgd, lowers={"c": c})
    with pytest.raises(ValueError, match=r"two levels have the name 'c'"):
        Level("b", loss_b, solver=sgd, lowers=[c, c])


def test_parameters_are_checked():
    level = small()
    with pytest.raises(ValueError, match=r"`params` has nothing for level 'c'"):
        level.init({n: x for n, x in start().items() if n != "c"})
    with pytest.raises(ValueError, match=r"`params` has 'd', which is no level.*'a', 'b', 'c'"):
        level.init({**start(), "d": torch.ones(3)})
    with pytest.raises(TypeError, match=r"`params` is an object of type tuple"):
        level.init(tuple(start().values()))
    with pytest.raises(TypeError, match=r"`params\['b'\]\[0\]` is a tensor of dtype torch.int64"):
        level.init({**start(), "b": [torch.arange(3)]})
    with pytest.raises(ValueError, match=r"`params\['b'\]` has no leaves"):
        level.init({**start(), "b": []})
    with pytest.raises(ValueError, match=r"`params\['b'\]` has no tensors"):
        level.init({**start(), "b": [None]})


def test_batches_of_a_level_below_are_of_any_kind():
    level, tree = small(), data()
    state = level.init(start())
    expected = level.gradient(state, tree).grads
    rows = list(tree["c"].flatten(0, 1))  # of all the steps in a step of the level above all
    for given in (
        rows,
        lambda step: rows[step],
        torch.utils.data.DataLoader(rows, batch_size=None),
    ):
        batches = {**tree, "b": list(tree["b"]), "c": given}
        torch.testing.assert_close(level.gradient(state, batches).grads, expected)


def test_batches_are_checked():
    level = small()
    state = level.init(start())
    with pytest.raises(ValueError, match=r"`batches` has 'd', which is no level"):
        level.step(state, {**data(), "d": torch.ones(3)})
    with pytest.raises(ValueError, match=r"`batches\['c'\]` has shape \(2, 3\).*must be \(2, 2\)"):
        level.step(state, {**data(), "c": torch.ones(2, 3)})
    with pytest.raises(ValueError, match=r"`batches\['b'\]\['x'\]` has shape \(4, 3\).*\(2,\)"):
        level.step(state, {**data(), "b": {"x": torch.ones(4, 3)}})
    with pytest.raises(TypeError, match=r"`batches\['b'\]\[0\]` is an object of type int"):
        level.step(state, {**data(), "b": (1, 2)})
    with pytest.raises(TypeError, match=r"`batches` is an object of type Tensor"):
        level.step(state, torch.ones(2))


def test_states_are_checked():
    level = small()
    state = level.init(start())
    with pytest.raises(TypeError, match=r"`state` is an object of type dict"):
        level.step(start())
    with pytest.raises(ValueError, match=r"`state.lowers\['b'\].lowers` has the levels none"):
        level.step(replace(state, lowers={"b": replace(state.lowers["b"], lowers={})}))


def test_losses_are_checked_by_the_name_of_their_level():
    level = small()
    b = level.lowers[0]
    wide = replace(b, objective=lambda p, values, batch: p * values["a"])
    with pytest.raises(ValueError, match=r"the objective of level 'b''s value.*shape \(3,\)"):
        replace(level, lowers=[wide]).step(level.init(start()), data())
    unread = replace(level, objective=lambda p, values, batch: values["b"].detach().sum())
    with pytest.raises(ValueError, match=r"the objective of level 'a''s value"):
        unread.step(level.init(start()), data())
    alone = replace(level, has_aux=True)
    with pytest.raises(TypeError, match=r"objective of level 'a' must return a pair"):
        alone.step(level.init(start()), data())

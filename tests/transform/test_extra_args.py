"""Further arguments of ``update``, the loss and its function, reach what reads them."""

from __future__ import annotations

import pickle
from functools import cache, partial
from typing import Any

import pytest
import torch

import _public
import torchopt
from _trees import (
    assert_trees_close,
    assert_trees_equal,
    generator,
    leaves,
    random_tensor,
    snapshot,
)
from torchopt import transform
from torchopt.optim._joined import OptimizerPart, join
from torchopt.transform import EmptyState, GradientTransformation, GradientTransformationExtraArgs
from torchopt.transform.chaining_leaves import chain_flat

A = torch.tensor([3.0, 1.0], dtype=torch.float64)


def _init(params: Any) -> EmptyState:
    return EmptyState()


def _by_value(
    updates: Any, state: Any, *, params: Any = None, inplace: bool = True, value: Any
) -> Any:
    return torchopt.pytree.tree_map(lambda g: -0.1 * value * g, updates), state


def _by_value_fn(
    updates: Any, state: Any, *, params: Any = None, inplace: bool = True, value_fn: Any
) -> Any:
    start = torchopt.pytree.tree_map(torch.Tensor.detach, params) if inplace else params
    there = torchopt.pytree.tree_map(lambda p, g: p - 0.05 * g, start, updates)
    return torchopt.pytree.tree_map(lambda g: -0.1 * value_fn(there) * g, updates), state


BY_VALUE = GradientTransformationExtraArgs(_init, _by_value)
BY_VALUE_FN = GradientTransformationExtraArgs(_init, _by_value_fn)


def _scaled(g: torch.Tensor, *, value: Any) -> tuple[torch.Tensor]:
    return (-0.1 * value * g,)


ELEMENTWISE = transform.elementwise(_scaled, reads=("value",))
BOTH = torchopt.chain(transform.scale(0.5), BY_VALUE, transform.scale(2.0), BY_VALUE_FN)
MASKED = transform.masked(BY_VALUE_FN, {"w": True, "b": False})
FLAT = chain_flat(BY_VALUE, BY_VALUE_FN)
READERS = {
    "value": BY_VALUE,
    "value_fn": BY_VALUE_FN,
    "elementwise": ELEMENTWISE,
    "chain": BOTH,
    "masked": MASKED,
    "flat": FLAT,
    "pass": torchopt.chain(transform.trace(0.9), ELEMENTWISE, transform.scale(1.5)),
}


def objective(params: Any, target: torch.Tensor) -> torch.Tensor:
    return (A * (params["w"] - target).square()).sum() / 2 + (params["b"] * target).sum().cos()


def start() -> Any:
    return {
        "w": torch.tensor([1.0, -0.7], dtype=torch.float64),
        "b": torch.tensor([0.4], dtype=torch.float64),
    }


def by_hand(tx: Any, target: torch.Tensor, steps: int, params: Any | None = None) -> Any:
    """Return the parameters after steps, each with the loss and its function as arguments."""
    params = start() if params is None else params
    params = {name: p.clone().requires_grad_() for name, p in params.items()}
    state = tx.init(params)
    for _ in range(steps):
        value = objective(params, target)
        grads = torch.autograd.grad(value, [*params.values()], create_graph=True)
        params, state = transform.advance(
            tx,
            dict(zip(params, grads, strict=True)),
            state,
            params,
            value=value,
            value_fn=lambda p: objective(p, target),
        )
    return params


def meta_gradients(run: Any) -> Any:
    target = torch.tensor(0.8, dtype=torch.float64, requires_grad=True)
    params = run(target)
    (first,) = torch.autograd.grad(params["w"].square().sum(), target, create_graph=True)
    (second,) = torch.autograd.grad(first, target)
    return params, first, second


@cache
def four_by_hand(name: str) -> Any:
    return meta_gradients(lambda target: by_hand(READERS[name], target, 4))


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("memory", ["graph", *_public.POLICIES, 1])
def test_minimize_gives_loss_and_objective_under_every_memory_policy(
    name: str, memory: Any
) -> None:
    tx, expected = READERS[name], four_by_hand(name)
    diff = _public.keeping(memory)

    def run(target: torch.Tensor) -> Any:
        return torchopt.minimize(
            objective, start(), (target,), solver=tx, steps=4, diff=diff
        ).params

    if memory == "forward":
        target = torch.tensor(0.8, dtype=torch.float64, requires_grad=True)
        params = run(target)
        (first,) = torch.autograd.grad(params["w"].square().sum(), target)
        assert_trees_close((params, first), expected[:2])
    else:
        assert_trees_close(meta_gradients(run), expected, ulps=256)


@pytest.mark.parametrize("name", ["value", "chain"])
@pytest.mark.parametrize(("hvp", "rtol"), [("forward", 1e-12), ("finite_difference", 1e-7)])
def test_steps_whose_product_is_computed_otherwise_go_through_the_loss(
    name: str, hvp: Any, rtol: float
) -> None:
    target = torch.tensor(0.8, dtype=torch.float64, requires_grad=True)
    mode = torchopt.diff.Explicit("step", hvp=hvp)
    params = torchopt.minimize(
        objective, start(), (target,), solver=READERS[name], steps=4, diff=mode
    ).params
    (slope,) = torch.autograd.grad(params["w"].square().sum(), target)
    torch.testing.assert_close(slope, four_by_hand(name)[1], rtol=rtol, atol=0.0)


@pytest.mark.parametrize("tx", [BY_VALUE, BOTH], ids=["value", "chain"])
@pytest.mark.parametrize("hvp", ["reverse", "finite_difference"])
def test_one_step_goes_through_loss_and_objective(tx: Any, hvp: Any) -> None:
    target = torch.tensor(0.8, dtype=torch.float64, requires_grad=True)
    solution = torchopt.minimize(
        objective, start(), (target,), solver=tx, steps=3, diff=torchopt.diff.OneStep(hvp=hvp)
    )
    (slope,) = torch.autograd.grad(solution.params["w"].square().sum(), target)
    with torch.no_grad():
        last = torchopt.minimize(objective, start(), (target,), solver=tx, steps=3).params
    stepped = by_hand(tx, target, 1, last)["w"] - by_hand(tx, target, 1, last)["w"].detach()
    (expected,) = torch.autograd.grad((last["w"] + stepped).square().sum(), target)
    torch.testing.assert_close(slope, expected)


def test_the_loss_is_evaluated_once_for_a_step_that_reads_its_value() -> None:
    calls = []

    def counted(params: Any, target: torch.Tensor) -> torch.Tensor:
        calls.append(1)
        return objective(params, target)

    target = torch.tensor(0.8, dtype=torch.float64)
    torchopt.minimize(counted, start(), (target,), solver=BY_VALUE, steps=3)
    assert len(calls) == 3


def test_micro_batches_give_the_mean_of_loss_and_objective() -> None:
    batches = torch.tensor([[0.8, 0.2], [0.5, -0.3]], dtype=torch.float64)

    def of_batch(params: Any, batch: torch.Tensor) -> torch.Tensor:
        return torch.stack([objective(params, target) for target in batch]).mean()

    found = {
        n: torchopt.minimize(
            of_batch, start(), solver=BOTH, steps=2, batches=batches, micro_batches=n
        ).params
        for n in (1, 2)
    }
    assert_trees_close(found[2], found[1])


@pytest.mark.parametrize("tx", READERS.values(), ids=READERS)
def test_vmap_gives_each_task_its_own_loss(tx: Any) -> None:
    targets = torch.tensor([0.8, -0.4, 1.3], dtype=torch.float64)

    def slope(target: torch.Tensor) -> torch.Tensor:
        def after(target: torch.Tensor) -> torch.Tensor:
            params = torchopt.minimize(objective, start(), (target,), solver=tx, steps=2).params
            return params["w"].square().sum()

        return torch.func.grad(after)(target)

    mapped = torch.func.vmap(slope)(targets)
    torch.testing.assert_close(mapped, torch.stack([slope(t) for t in targets]))


@pytest.mark.parametrize("tx", READERS.values(), ids=READERS)
def test_a_reader_pickles(tx: Any) -> None:
    again = pickle.loads(pickle.dumps(tx))
    assert again.reads == tx.reads
    assert again.requires == tx.requires
    target = torch.tensor(0.8, dtype=torch.float64)
    assert_trees_equal(by_hand(again, target, 2), by_hand(tx, target, 2))


def test_what_is_read_is_the_union_and_plain_transformations_read_nothing() -> None:
    assert BOTH.reads == {"value", "value_fn"}
    assert not torchopt.adam().reads
    assert not GradientTransformation(_init, _by_value).reads


@pytest.mark.parametrize(
    ("tx", "name"),
    [
        (BY_VALUE, "value"),
        (ELEMENTWISE, "value"),
        (torchopt.chain(torchopt.sgd(0.1), BY_VALUE_FN), "value_fn"),
        (torchopt.transform.masked(BY_VALUE, True), "value"),
    ],
)
def test_a_missing_argument_is_named_with_its_transformation(tx: Any, name: str) -> None:
    params = start()
    grads = torchopt.pytree.tree_map(torch.ones_like, params)
    with pytest.raises(TypeError, match=rf"(_by_|_scaled).*`?{name}`?"):
        tx.update(grads, tx.init(params), params=params, inplace=False)


def test_a_root_has_no_loss_to_give() -> None:
    with pytest.raises(TypeError, match="reads `value`, the loss"):
        torchopt.root(
            lambda x: x**3 - 2.0, torch.tensor(1.0), solver=BY_VALUE, maxiter=2, atol=1e-3
        )


@pytest.mark.parametrize("inplace", [False, True])
@pytest.mark.parametrize("tx", [BY_VALUE, BY_VALUE_FN, BOTH], ids=["value", "value_fn", "chain"])
def test_func_optimizer_gives_them(tx: Any, inplace: bool) -> None:
    target = torch.tensor(0.8, dtype=torch.float64)
    optimizer = torchopt.compat.FuncOptimizer(tx, inplace=inplace)
    params = {name: p.requires_grad_() for name, p in start().items()}
    for _ in range(2):
        loss = objective(params, target)
        params = optimizer.step(loss, params, value_fn=lambda p: objective(p, target))
    assert_trees_close(params, by_hand(tx, target, 2))


@pytest.mark.parametrize("tx", [BY_VALUE, BY_VALUE_FN, BOTH], ids=["value", "value_fn", "chain"])
def test_optimizer_gives_them_by_its_closure(tx: Any) -> None:
    target = torch.tensor(0.8, dtype=torch.float64)
    params = {name: p.requires_grad_() for name, p in start().items()}
    optimizer = torchopt.Optimizer(params, tx)

    def closure() -> torch.Tensor:
        optimizer.zero_grad()
        loss = objective(params, target)
        loss.backward()
        return loss

    for _ in range(2):
        optimizer.step(closure)
    assert_trees_close(params, by_hand(tx, target, 2))
    with pytest.raises(TypeError, match=r"reads `value"):
        optimizer.step()


def test_meta_optimizer_gives_its_loss() -> None:
    target = torch.tensor(0.8, dtype=torch.float64, requires_grad=True)
    module = torch.nn.Module()
    for name, p in start().items():
        module.register_parameter(name, torch.nn.Parameter(p))
    optimizer = torchopt.MetaOptimizer(module, BY_VALUE)
    for _ in range(3):
        optimizer.step(objective({"w": module.w, "b": module.b}, target))
    slope = torch.autograd.grad(module.w.square().sum(), target)
    expected = meta_gradients(lambda target: by_hand(BY_VALUE, target, 3))[1]
    torch.testing.assert_close(slope[0], expected)
    other = torchopt.MetaOptimizer(torch.nn.Linear(1, 1), BY_VALUE_FN)
    with pytest.raises(TypeError, match=r"_by_value_fn.*reads `value_fn`"):
        other.step(other.param_groups[0].module.weight.sum())


def test_groups_evaluate_the_loss_at_their_own_parameters_with_those_of_others_as_they_are() -> (
    None
):
    target = torch.tensor(0.8, dtype=torch.float64)
    params = start()
    joined = join([OptimizerPart(BY_VALUE_FN, (True,)), OptimizerPart(torchopt.sgd(0.1), (True,))])
    leaves = [params["w"], params["b"]]

    def value_fn(leaves: Any) -> torch.Tensor:
        return objective({"w": leaves[0], "b": leaves[1]}, target)

    grads, _ = torch.func.grad_and_value(value_fn)(leaves)
    updates, _ = joined.update(grads, joined.init(leaves), params=leaves, value_fn=value_fn)
    there = [leaves[0] - 0.05 * grads[0], leaves[1]]
    torch.testing.assert_close(updates[0], -0.1 * value_fn(there) * grads[0])


# --- what reads them ------------------------------------------------------------------------------


def rosenbrock(x: torch.Tensor) -> torch.Tensor:
    return (1 - x[0]) ** 2 + 100 * (x[1] - x[0] ** 2) ** 2


LBFGS = torchopt.chain(
    transform.scale_by_lbfgs(),
    transform.scale(-1.0),
    transform.scale_by_zoom_linesearch(initial_guess_strategy="one"),
)


@pytest.mark.parametrize("seed", range(5))
def test_the_step_of_the_zoom_line_search_satisfies_the_strong_wolfe_conditions(seed: int) -> None:
    x = random_tensor(generator(seed), (2,))
    gradient, value = torch.func.grad_and_value(rosenbrock)(x)
    tx = torchopt.chain(
        torchopt.sgd(1.0), transform.scale_by_zoom_linesearch(30, 1e-4, curv_rtol=0.1)
    )
    updates, state = tx.update(
        gradient.clone(), tx.init(x), params=x, value=value, value_fn=rosenbrock, inplace=False
    )
    t, slope = state[-1].learning_rate, -gradient @ gradient
    assert t > 0
    torch.testing.assert_close(updates, -t * gradient)
    torch.testing.assert_close(rosenbrock(x + updates), state[-1].value)
    assert rosenbrock(x + updates) <= value + 1e-4 * t * slope
    assert (torch.func.grad(rosenbrock)(x + updates) @ -gradient).abs() <= 0.1 * slope.abs()


@pytest.mark.parametrize("first", [torchopt.sgd(1.0), transform.masked(torchopt.sgd(1.0), True)])
def test_a_line_search_reads_the_gradient_although_updates_are_written_into_it(first: Any) -> None:
    tx = torchopt.chain(first, transform.scale_by_zoom_linesearch())
    x = torch.tensor([1.0, 2.0], dtype=torch.float64)
    gradient, value = torch.func.grad_and_value(rosenbrock)(x)
    found = [
        tx.update(
            gradient.clone(),
            tx.init(x),
            params=x,
            value=value,
            value_fn=rosenbrock,
            inplace=inplace,
        )
        for inplace in (True, False)
    ]
    assert_trees_equal(*found)


@pytest.mark.parametrize(
    "last", [transform.scale_by_trust_ratio, transform.reduce_on_plateau, transform.scale_by_polyak]
)
def test_a_chain_that_lacks_an_argument_writes_nothing(last: Any) -> None:
    tx = torchopt.chain(transform.scale_by_adam(), last())
    grads = {"w": torch.ones(2)}
    state = tx.init(grads)
    before = snapshot(state)
    with pytest.raises((TypeError, ValueError), match=r"params|value"):
        tx.update(grads, state)
    assert_trees_equal(state, before)


SHARP = {
    "sam": transform.sam(torchopt.sgd(0.1), 0.3),
    "asam": transform.asam(torchopt.sgd(0.1), 0.3),
    "mechanize": transform.mechanize(torchopt.sgd(0.1)),
    "sophia": torchopt.chain(transform.scale_by_sophia(gamma=0.5), transform.scale(-0.1)),
    "plateau": torchopt.chain(torchopt.sgd(0.1), transform.reduce_on_plateau()),
    "backtracking": torchopt.chain(
        torchopt.sgd(0.1), transform.scale_by_backtracking_linesearch(3)
    ),
    "lbfgs": LBFGS,
}


@pytest.mark.parametrize("name", SHARP)
def test_a_zero_gradient_stays_zero_with_finite_derivatives(name: str) -> None:
    scale = torch.tensor(1.0, dtype=torch.float64, requires_grad=True)
    start = torch.zeros(2, dtype=torch.float64, requires_grad=True)
    found = torchopt.minimize(
        lambda x: scale * (x**2).sum(), start, solver=SHARP[name], steps=2
    ).params
    assert (found == 0).all()
    slopes = torch.autograd.grad(found.sum(), [scale, start], create_graph=True)
    assert all(s.isfinite().all() for s in slopes)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_losses_and_scales_are_kept_in_32_bits_for_parameters_of_16(dtype: torch.dtype) -> None:
    params = {"w": torch.ones(2, dtype=dtype)}
    tx = transform.reduce_on_plateau(0.5, patience=2)
    state = tx.init(params)
    for step in range(8):
        value = torch.tensor(1e5 * (1 - 0.001 * step))
        updates, state = tx.update(params, state, value=value, inplace=False)
    assert state.scale == 1
    assert state.best_value == value
    assert updates["w"].dtype == dtype
    for search in (
        transform.mechanize(torchopt.sgd(0.1)),
        transform.scale_by_backtracking_linesearch(3),
        transform.scale_by_zoom_linesearch(),
    ):
        dtypes = {x.dtype for x in leaves(search.init(params)) if not x.dim()}
        assert dtypes <= {torch.float32, torch.int64}


def test_the_loss_on_a_plateau_may_be_a_number_or_have_one_element() -> None:
    tx = transform.reduce_on_plateau()
    params = {"s": torch.tensor(1.0)}
    for value in (2.0, torch.tensor([2.0])):
        updates, state = tx.update(params, tx.init(params), value=value, inplace=False)
        assert updates["s"].shape == state.best_value.shape == ()


@pytest.mark.parametrize("name", SHARP)
def test_a_leaf_that_the_loss_does_not_read_stays(name: str) -> None:
    tx = SHARP[name]
    params = [torch.tensor([1.0, -2.0]), torch.tensor([3.0])]
    state = tx.init(params)
    grads = [2 * params[0], None]
    params, state = transform.advance(
        tx, grads, state, params, value=torch.tensor(5.0), value_fn=lambda p: (p[0] ** 2).sum()
    )
    assert params[1].item() == 3.0
    assert (params[0] != torch.tensor([1.0, -2.0])).all()


def test_hutchinson_is_unbiased_and_gauss_newton_bartlett_estimates_the_gauss_newton_matrix() -> (
    None
):
    gen = torch.Generator().manual_seed(3)
    x = random_tensor(generator(1), (3,))

    def coupled(x: torch.Tensor) -> torch.Tensor:
        return (x.prod() + x.sum().sin()) * 1.0

    exact = torch.func.hessian(coupled)(x).diagonal()
    estimate = transform.hutchinson(gen)
    mean = torch.stack([estimate(coupled, x) for _ in range(400)]).mean(0)
    torch.testing.assert_close(mean, exact, rtol=0.0, atol=0.3)

    for make in (transform.hutchinson, lambda g: transform.gauss_newton_bartlett(torch.square, g)):
        with pytest.raises(TypeError, match=r"`generator` is an object of type int: .*manual_seed"):
            make(5)

    data, w = random_tensor(generator(2), (64, 3)), random_tensor(generator(4), (3, 2)) / 4
    estimate = transform.gauss_newton_bartlett(lambda w: data @ w, gen)
    mean = torch.stack([estimate(None, w) for _ in range(400)]).mean(0)
    # With logits that are linear in the parameters it is the Hessian of the cross entropy.
    labels = torch.zeros(64, dtype=torch.int64)
    loss = torch.func.hessian(lambda w: torch.nn.functional.cross_entropy(data @ w, labels))
    exact = loss(w).reshape(6, 6).diagonal().reshape(3, 2)
    torch.testing.assert_close(mean, exact, rtol=0.25, atol=0.02)


def test_parameters_are_passed_by_name_or_by_position() -> None:
    def decayed(updates: Any, state: Any, *, params: Any = None) -> Any:
        return torchopt.pytree.tree_map(lambda g, p: g + p, updates, params), state

    own = GradientTransformation(lambda params: (), decayed)
    params, grads = {"w": torch.tensor([2.0, -1.0])}, {"w": torch.tensor([0.5, 0.25])}
    for tx in (own, own.chain(transform.scale(-1.0)), torchopt.sgd(0.1, weight_decay=0.5)):
        by_name, by_position = (
            tx.update(grads, tx.init(params), inplace=False, params=params)[0]["w"],
            tx.update(grads, tx.init(params), params, inplace=False)[0]["w"],
        )
        assert torch.equal(by_name, by_position)
        assert not torch.equal(by_name, grads["w"])


class _Halve:
    """An ``update`` that is an object."""

    def __call__(self, updates: Any, state: Any, *, params: Any = None) -> Any:
        return torchopt.pytree.tree_map(lambda g: g / 2, updates), state


def _halve(updates: Any, state: Any, *, params: Any = None) -> Any:
    return _Halve()(updates, state)


def _halve_by(factor: float, updates: Any, state: Any, params: Any = None, **others: Any) -> Any:
    assert set(others) == {"inplace"}
    return torchopt.pytree.tree_map(lambda g: factor * g, updates), state


def _write_halves(updates: Any, state: Any, *, params: Any = None, inplace: bool = True) -> Any:
    return torchopt.pytree.tree_map(lambda g: g.mul_(0.5) if inplace else g / 2, updates), state


def _halve_value(updates: Any, state: Any, *, params: Any = None, value: Any) -> Any:
    return _halve(updates, state)


@pytest.mark.parametrize(
    "wrap", [lambda tx: tx, lambda tx: torchopt.chain(tx, transform.scale(1.0))]
)
@pytest.mark.parametrize(
    ("kind", "update", "written"),
    [
        (GradientTransformation, _halve, False),
        (GradientTransformation, _Halve(), False),
        (GradientTransformation, _Halve().__call__, False),
        (GradientTransformation, partial(_halve_by, 0.5), False),
        (GradientTransformation, _write_halves, True),
        (GradientTransformationExtraArgs, _halve_value, False),
        (GradientTransformationExtraArgs, _write_halves, True),
    ],
)
def test_update_is_given_inplace_if_its_signature_has_it(
    wrap: Any, kind: Any, update: Any, written: bool
) -> None:
    tx = pickle.loads(pickle.dumps(wrap(kind(_init, update))))
    for inplace in (True, False):
        grads = torch.tensor([3.0, -1.0])
        more = {"value": torch.tensor(1.0)} if tx.reads else {}
        updates, _ = tx.update(grads, tx.init(grads), params=grads, inplace=inplace, **more)
        assert_trees_equal(updates, torch.tensor([1.5, -0.5]))
        assert (updates.data_ptr() == grads.data_ptr()) == (written and inplace)


def test_optimizers_take_a_transformation_that_is_never_in_place() -> None:
    tx = torchopt.chain(GradientTransformation(_init, _halve), torchopt.sgd(1.0))
    x = torch.nn.Parameter(torch.tensor([2.0]))
    optimizer = torchopt.Optimizer([x], tx)
    optimizer.zero_grad()
    x.square().sum().backward()
    optimizer.step()
    torch.testing.assert_close(x.data, torch.zeros(1))
    moved = torchopt.minimize(lambda x: x.square().sum(), torch.ones(1), solver=tx, steps=1)
    torch.testing.assert_close(moved.params, torch.zeros(1))


def test_an_update_that_cannot_take_the_parameters_is_refused() -> None:
    with pytest.raises(TypeError, match="`update` has no argument `params`: define"):
        GradientTransformation(_init, lambda updates, state: (updates, state))


@pytest.mark.parametrize("returned", [{"a": 1.0, "b": 2.0}, torch.ones(2), (1.0,)])
def test_an_update_that_returns_no_pair_is_refused(returned: Any) -> None:
    tx = GradientTransformation(_init, lambda updates, state, *, params=None: returned)
    with pytest.raises(TypeError, match=rf"\(updates, state\).* {type(returned).__name__}\.$"):
        torchopt.minimize(lambda x: x.sum(), torch.ones(2), solver=tx, steps=1)


def _cut(make: Any) -> GradientTransformation:
    """Return a transformation that makes each update of its gradient under ``no_grad``."""

    def update(updates: Any, state: Any, *, params: Any = None) -> Any:
        with torch.no_grad():
            return torchopt.pytree.tree_map(make, updates), state

    return GradientTransformation(_init, update)


@pytest.mark.parametrize("memory", ["graph", *_public.POLICIES])
@pytest.mark.parametrize(
    ("make", "follows"),
    [
        (lambda g: -0.1 * g, True),
        (lambda g: -0.1 * g / g.norm(), True),
        (lambda g: torch.where(g > 0, -0.1, 0.1).to(g.dtype), False),
        (lambda g: 0.1 * torch.randn_like(g), False),
    ],
)
def test_an_update_that_follows_its_gradient_without_a_graph_is_refused(
    make: Any, follows: bool, memory: Any
) -> None:
    # The update of signs, and of noise, has the derivative zero.
    start = A.clone().requires_grad_()

    def solve() -> torch.Tensor:
        tx = torchopt.chain(_cut(make), transform.scale(2.0))
        mode = torchopt.diff.Explicit(memory)
        solution = torchopt.minimize(lambda x: (x**4).sum(), start, solver=tx, steps=2, diff=mode)
        return torch.autograd.grad(solution.params.sum(), start)[0]

    if follows:
        with pytest.raises(torchopt.errors.LostGraphError, match="without a graph that change"):
            solve()
    else:
        assert solve().tolist() == [1.0, 1.0]


def test_an_update_of_a_narrower_dtype_is_refused() -> None:
    tx = GradientTransformation(_init, lambda g, state, *, params=None: (g.float(), state))
    assert tx.update(A.half(), EmptyState())[0].dtype == torch.float32
    with pytest.raises(TypeError, match=r"float32: return it as .* in torch\.float64"):
        torchopt.minimize(lambda x: (x**2).sum(), A, solver=tx, steps=1)

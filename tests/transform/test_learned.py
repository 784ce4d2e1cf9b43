"""A learned optimizer: its features by their formulas, its meta-gradient, and what it composes with."""

from __future__ import annotations

import io
import itertools
import math
from functools import partial
from typing import Any, NamedTuple

import pytest
import torch
from torch.func import functional_call

import torchopt
from _traced import TRACED
from _trees import Rule, generator, random_like, random_params, random_tensor
from torchopt.autodiff import compiler
from torchopt.diff import Explicit
from torchopt.diff.zero_order import NoiseReuseES, PersistentES, Vmap
from torchopt.transform import LearnedState, ParameterFeatures, learned

SHAPES = {"matrix": (2, 3), "wide": (3, 2), "vector": (4,), "scalar": (), "kernel": (2, 4, 3)}
SMALL = ParameterFeatures(timescales=(1, 10))
RULE = Rule(SMALL.size)


class Expected(NamedTuple):
    """What the features of a leaf should be, and the means that they are made of."""

    features: list[torch.Tensor]
    means: dict[str, list[Any]]


def by_hand(
    features: ParameterFeatures, p: torch.Tensor, gradients: list[torch.Tensor]
) -> Expected:
    """Compute the features after some gradients as the paper says, one after the other."""
    order = sorted(range(p.dim()), key=lambda axis: p.shape[axis])
    means: dict[str, list[Any]] = {name: [] for name in ("m", "v", "r", "c", "both")}

    def mean_of(values: list[torch.Tensor], decay: float) -> torch.Tensor:
        count = len(values)
        terms = [(1 - decay) * decay ** (count - 1 - k) * x for k, x in enumerate(values)]
        return torch.stack(terms).sum(0)

    squares = [g**2 for g in gradients]
    g = gradients[-1]
    means["m"] = [mean_of(gradients, d) for d in features.momentum_decays]
    means["v"] = [mean_of(squares, d) for d in features.rms_decays]
    for decay in features.factored_decays:
        v = mean_of(squares, decay)
        if p.dim() < 2:
            means["r"].append(v)
            means["c"].append(v)
            continue
        row, column = v.mean(order[-1], keepdim=True), v.mean(order[-2], keepdim=True)
        means["r"].append(row.expand_as(v))
        means["c"].append(column.expand_as(v))
        means["both"].append((row / row.mean(order[-2], keepdim=True) * column).expand_as(v))
    both = means["both"] or means["r"]
    roots = [1 / (v + 1e-6).sqrt() for v in means["v"]]
    momenta = means["m"]
    pairs = list(itertools.zip_longest(momenta, roots, fillvalue=roots[0])) if roots else []
    seen = [g] + ([g.clip(-features.clip, features.clip)] if features.clip else []) + [p, *momenta]
    if roots:
        seen += [*means["v"], *(m * root for m, root in pairs), *roots]
    seen += [g / x.sqrt() for x in both]
    seen += [g * root for root in roots] if features.clip else []
    if both:
        seen += [*means["r"], *means["c"]]
        seen += [1 / (x + 1e-8).sqrt() for x in (*means["r"], *means["c"])]
        small = 1e-6 if p.dim() < 2 else 0.0
        seen += [m / (x + small).sqrt() for m, x in zip(momenta, both, strict=True)]
    seen = [x / (x.square().mean() + 1e-5).sqrt() for x in seen]
    t = len(gradients) - 1
    ages = [torch.full_like(p, math.tanh(t / tau - 1)) for tau in features.timescales]
    return Expected([*seen, *ages], means)


@pytest.mark.parametrize(
    ("features", "size"),
    [
        (ParameterFeatures(), 39),
        (ParameterFeatures(clip=0.3, timescales=()), 30),
        (
            ParameterFeatures(
                momentum_decays=(0.1, 0.5, 0.9, 0.99, 0.999, 0.9999),
                rms_decays=(),
                factored_decays=(),
            ),
            19,
        ),
    ],
    ids=["metz-2022", "celo", "metz-2020"],
)
@pytest.mark.parametrize("shape", SHAPES.values(), ids=str)
def test_features_are_those_of_the_papers(
    features: ParameterFeatures, size: int, shape: tuple[int, ...]
) -> None:
    gen = generator(3)
    p, gradients = random_tensor(gen, shape), [random_tensor(gen, shape) for _ in range(4)]
    means = features.init(p)
    for g in gradients:
        means = features.advance(g, means)
    found = features(gradients[-1], p, means, 3)
    expected = torch.stack(by_hand(features, p, gradients).features, -1)
    assert features.size == size
    # The numbers below the roots differ between the features, and are left out by hand.
    torch.testing.assert_close(found, expected, rtol=1e-5, atol=1e-6)


def test_an_update_is_direction_times_exponential_of_magnitude() -> None:
    gen = generator(0)
    p, g = random_tensor(gen, (3, 2)), random_tensor(gen, (3, 2))
    rule = Rule(SMALL.size)
    tx = learned(rule, features=SMALL, step_size=0.7, exp_mult=0.4)
    update, _ = tx.update(g, tx.init(p), params=p)
    seen = SMALL(g, p, SMALL.advance(g, SMALL.init(p)), 0)
    direction, magnitude = rule(seen).unbind(-1)
    torch.testing.assert_close(update, -0.7 * direction * (0.4 * magnitude).exp())
    scaled = learned(
        rule, features=SMALL, step_size=0.7, multiply_by_parameter_scale=True, exp_mult=0.4
    )
    again, _ = scaled.update(g, scaled.init(p), params=p)
    torch.testing.assert_close(again, update * p.square().mean().sqrt())
    alone = learned(lambda x: rule(x)[..., :1], features=SMALL, step_size=0.7)
    torch.testing.assert_close(alone.update(g, alone.init(p), params=p)[0], -0.7 * direction)


def objective(x: dict[str, torch.Tensor], target: dict[str, torch.Tensor]) -> torch.Tensor:
    """Return a loss without symmetries."""
    terms = [((x[k] - target[k]) ** 2).sum() + x[k].sin().sum() ** 2 / 9 for k in x]
    return torch.stack(terms).sum()


def problem() -> tuple[dict[str, torch.Tensor], dict[str, torch.Tensor]]:
    """Return start and target."""
    params = random_params(generator(5), {"w": (2, 3), "b": (3,)})
    return params, random_like(generator(6), params)


def solved(
    weights: dict[str, torch.Tensor], diff: Any, given: Any = None, steps: int = 4
) -> torch.Tensor:
    """Return the loss after some steps of a learned optimizer with these weights."""
    start, target = given or problem()
    tx = learned(
        partial(functional_call, RULE, weights),
        features=SMALL,
        step_size=0.1,
        exp_mult=0.3,
    )
    s = torchopt.minimize(objective, start, (target,), solver=tx, steps=steps, diff=diff)
    return objective(s.params, target)


def weights_of(rule: Rule) -> dict[str, torch.Tensor]:
    """Return the weights as variables."""
    return {name: p.detach().clone().requires_grad_() for name, p in rule.named_parameters()}


def test_meta_gradient_equals_finite_differences_to_second_order() -> None:
    weights = weights_of(RULE)

    def loss(*values: torch.Tensor) -> torch.Tensor:
        return solved(dict(zip(weights, values, strict=True)), Explicit())

    inputs = tuple(weights.values())
    assert torch.autograd.gradcheck(loss, inputs, fast_mode=True)
    assert torch.autograd.gradgradcheck(loss, inputs, fast_mode=True)


@pytest.mark.parametrize(
    "memory", ["step", "sqrt", "tree", 2, pytest.param("forward", marks=pytest.mark.slow)]
)
def test_every_memory_policy_gives_the_same_meta_gradient(memory: Any) -> None:
    start, target = problem()
    few = ParameterFeatures(momentum_decays=(0.9,), factored_decays=(0.9,), timescales=(10,))
    rule = Rule(few.size).requires_grad_()

    def gradient(diff: Any) -> tuple[torch.Tensor, ...]:
        tx = learned(rule, features=few, step_size=0.1, exp_mult=0.3)  # the module is captured
        s = torchopt.minimize(objective, start, (target,), solver=tx, steps=3, diff=diff)
        return torch.autograd.grad(objective(s.params, target), list(rule.parameters()))

    expected = gradient(Explicit())
    assert all(g.abs().max() > 1e-4 for g in expected)
    torch.testing.assert_close(gradient(Explicit(memory=memory)), expected, rtol=1e-9, atol=1e-12)


def test_weights_that_are_passed_get_the_gradient_of_those_that_are_captured() -> None:
    rule = Rule(SMALL.size).requires_grad_()
    start, target = problem()
    tx = learned(rule, features=SMALL, step_size=0.1, exp_mult=0.3)
    s = torchopt.minimize(objective, start, (target,), solver=tx, steps=4)
    expected = torch.autograd.grad(objective(s.params, target), list(rule.parameters()))
    grads, _ = torchopt.meta_grad_and_value(partial(solved, diff=Explicit()))(weights_of(rule))
    torch.testing.assert_close((*grads.values(),), expected)


def test_decays_are_learned() -> None:
    start, target = problem()

    def loss(momenta: torch.Tensor, factored: torch.Tensor) -> torch.Tensor:
        features = ParameterFeatures(momentum_decays=momenta, factored_decays=factored)
        tx = learned(Rule(39), features=features, step_size=0.1)
        s = torchopt.minimize(objective, start, (target,), solver=tx, steps=3)
        return objective(s.params, target)

    decays = [torch.tensor(x, dtype=torch.float64) for x in ([0.7, 0.8, 0.9], [0.6, 0.9, 0.95])]
    assert torch.autograd.gradcheck(loss, [d.requires_grad_() for d in decays], fast_mode=True)


def test_a_learned_schedule_gets_a_gradient_where_the_rule_is_frozen() -> None:
    start, target = problem()
    rule = Rule(30)  # its weights require no grad: the second stage of Celo
    net = torch.nn.Linear(9, 1).double()
    places = torch.tensor([0.03, 0.1, 0.2, 0.4, 0.6, 0.8, 0.9, 1.0, 1.1], dtype=torch.float64)

    def schedule(count: torch.Tensor) -> torch.Tensor:
        return 0.1 * net(((count / 5 - places) * 10).tanh())[0].exp()

    celo = ParameterFeatures(clip=0.1, timescales=())
    tx = learned(rule, features=celo, step_size=schedule, multiply_by_parameter_scale=True)
    s = torchopt.minimize(objective, start, (target,), solver=tx, steps=5)
    grads = torch.autograd.grad(objective(s.params, target), list(net.parameters()))
    assert all(g.abs().max() > 1e-6 for g in grads)


@pytest.mark.parametrize("estimator", [PersistentES, NoiseReuseES])
def test_persistent_estimators_find_the_direction_of_the_meta_gradient(estimator: Any) -> None:
    start, target = problem()
    rule = Rule(SMALL.size)
    theta = {"last": rule.last.clone()}  # eight unknowns, for few particles

    def truncation(theta: Any, carry: Any) -> tuple[torch.Tensor, Any]:
        weights = {"first": rule.first, **theta}
        module = partial(functional_call, rule, weights)
        tx = learned(module, features=SMALL, step_size=0.1, exp_mult=0.3)
        params, state = carry
        for _ in range(2):
            grads = torch.func.grad(objective)(params, target)
            updates, state = tx.update(grads, state, params=params, inplace=False)
            params = torchopt.apply_updates(params, updates, inplace=False)
        return objective(params, target), (params, state)

    def episode(theta: Any) -> torch.Tensor:
        carry, total = begun, torch.zeros((), dtype=torch.float64)
        for _ in range(2):
            loss, carry = truncation(theta, carry)
            total = total + loss
        return total

    begun = (start, learned(rule, features=SMALL).init(start))
    exact, _ = torchopt.meta_grad_and_value(episode)(theta)
    pes = estimator(num_samples=300, sigma=1e-3, evaluation=Vmap())
    particles, total = pes.init(theta, begun, generator=0), torch.zeros((4, 2), dtype=torch.float64)
    for _ in range(2):
        gradient, particles, _ = pes(truncation, theta, particles)
        total = total + gradient["last"]
    cosine = torch.cosine_similarity(total.flatten(), exact["last"].flatten(), 0)
    assert cosine > 0.9


def test_vmap_over_tasks_is_the_loop() -> None:
    rule = Rule(SMALL.size).requires_grad_()
    tx = learned(rule, features=SMALL, step_size=0.1)
    starts = random_params(generator(8), {"w": (3, 2, 4), "b": (3, 4)})
    target = random_params(generator(9), {"w": (2, 4), "b": (4,)})

    def solve(start: Any) -> torch.Tensor:
        s = torchopt.minimize(objective, start, (target,), solver=tx, steps=3)
        return objective(s.params, target)

    found = torch.func.vmap(solve)(starts)
    expected = torch.stack([solve({k: v[i] for k, v in starts.items()}) for i in range(3)])
    torch.testing.assert_close(found, expected)
    weights = list(rule.parameters())
    each = [torch.autograd.grad(x.sum(), weights) for x in (found, expected)]
    torch.testing.assert_close(*each)
    states = torch.func.vmap(tx.init)(starts)
    assert states.means["w"][2].shape == (3, 2, 1, 3)


@pytest.mark.slow
@pytest.mark.compiled
def test_compiled_meta_gradient_is_the_eager_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiler, "current", TRACED)  # what is traced is what is compiled
    arguments = (weights_of(RULE), Explicit(), problem(), 20)
    expected = torchopt.meta_grad_and_value(solved)(*arguments)
    found = torchopt.meta_grad_and_value(solved, compile=True)(*arguments)
    torch.testing.assert_close(found, expected)


def test_updates_and_their_derivatives_are_finite_at_zero_gradients() -> None:
    rule = Rule(39).requires_grad_()
    tx = learned(rule, step_size=torch.tensor(0.1, requires_grad=True))
    params = random_params(generator(2), {"w": (2, 3), "b": (3,), "s": ()})
    zeros = {k: torch.zeros_like(p).requires_grad_() for k, p in params.items()}
    state = tx.init(params)
    for _ in range(2):
        updates, state = tx.update(zeros, state, params=params, inplace=False)
    total = torch.stack([(u * u).sum() for u in updates.values()]).sum()
    grads = torch.autograd.grad(total, [*zeros.values(), *rule.parameters()])
    assert total.isfinite()
    assert all(g.isfinite().all() for g in grads)


def test_half_precision_and_a_module_of_another_precision() -> None:
    rule = Rule(39).float()
    tx = learned(rule, step_size=0.1)
    params = random_params(generator(4), {"w": (3, 2)}, torch.float64)
    mixed = {"double": params["w"], "half": params["w"].half(), "bfloat": params["w"].bfloat16()}
    updates, state = tx.update(random_like(generator(5), mixed), tx.init(mixed), params=mixed)
    assert [u.dtype for u in updates.values()] == [torch.float64, torch.float16, torch.bfloat16]
    assert all(u.isfinite().all() and u.abs().max() > 0 for u in updates.values())
    assert all(x.isfinite().all() for means in state.means.values() for x in means)


def test_a_nan_stays_in_its_leaf() -> None:
    tx = learned(Rule(39), step_size=0.1)
    params = random_params(generator(4), {"a": (3, 2), "b": (3,)})
    grads = random_like(generator(5), params)
    grads["a"][0, 0] = math.nan
    updates, _ = tx.update(grads, tx.init(params), params=params)
    assert updates["a"].isnan().all()
    assert updates["b"].isfinite().all()


def test_state_is_loaded_safely() -> None:
    tx = learned(Rule(39), step_size=0.1)
    params = random_params(generator(4), {"a": (3, 2), "b": (3,)})
    _, state = tx.update(random_like(generator(5), params), tx.init(params), params=params)
    file = io.BytesIO()
    torch.save(state, file)
    file.seek(0)
    loaded = torch.load(file, weights_only=True)
    assert isinstance(loaded, LearnedState)
    grads = random_like(generator(6), params)
    found, _ = tx.update(grads, loaded, params=params, inplace=False)
    expected, _ = tx.update(grads, state, params=params, inplace=False)
    torch.testing.assert_close(found, expected, rtol=0, atol=0)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"momentum_decays": ()}, "`momentum_decays` is empty"),
        ({"rms_decays": (0.9, 0.99)}, "`rms_decays` has 2 decays"),
        ({"factored_decays": (0.9, 1.0, 0.5)}, r"`factored_decays\[1\]` is 1.0"),
        ({"timescales": (1, 0)}, "use positive numbers"),
        ({"clip": -1.0}, "`clip` is -1.0"),
    ],
)
def test_bad_features_are_one_sentence(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ParameterFeatures(**arguments)


def test_decays_that_are_separate_tensors_are_refused() -> None:
    with pytest.raises(TypeError, match="stack them into one vector"):
        ParameterFeatures(rms_decays=(torch.tensor(0.9),))


def test_a_module_with_outputs_of_another_shape_is_refused() -> None:
    p = torch.ones(3, 2)
    tx = learned(lambda x: x.sum(-1))
    with pytest.raises(ValueError, match=r"of shape \(3, 2\) of features of shape \(3, 2, 39\)"):
        tx.update(p, tx.init(p), params=p)


def test_a_mode_that_does_not_reach_the_weights_refuses_them() -> None:
    start, target = problem()

    def run(module: Any) -> Any:
        tx = learned(module, features=SMALL, step_size=0.1)
        diff = torchopt.diff.Implicit()
        return torchopt.minimize(objective, start, (target,), solver=tx, steps=2, diff=diff)

    rule = Rule(SMALL.size).requires_grad_()
    fixed = {name: p.detach() for name, p in rule.named_parameters()}
    for module in (rule, partial(functional_call, rule, weights_of(rule))):
        with pytest.raises(ValueError, match="requires grad"):
            run(module)
    with pytest.warns(torchopt.errors.NotConvergedWarning):  # and so does not refuse
        run(partial(functional_call, rule, fixed))

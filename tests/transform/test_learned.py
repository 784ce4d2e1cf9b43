"""A learned optimizer: its features by their formulas, its meta-gradient, and what it composes with."""

from __future__ import annotations

import itertools
import math
from functools import partial
from typing import Any, NamedTuple

import pytest
import torch
from torch.func import functional_call

import torchopt
from _trees import Rule, generator, random_like, random_params, random_tensor
from torchopt.diff import Explicit
from torchopt.transform import ParameterFeatures, learned

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
        partial(functional_call, RULE, weights), features=SMALL, step_size=0.1, exp_mult=0.3
    )
    s = torchopt.minimize(objective, start, (target,), solver=tx, steps=steps, diff=diff)
    return objective(s.params, target)


def weights_of(rule: Rule) -> dict[str, torch.Tensor]:
    """Return the weights as variables."""
    return {name: p.detach().clone().requires_grad_() for name, p in rule.named_parameters()}


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


def test_half_precision_and_a_module_of_another_precision() -> None:
    rule = Rule(39).float()
    tx = learned(rule, step_size=0.1)
    params = random_params(generator(4), {"w": (3, 2)}, torch.float64)
    mixed = {"double": params["w"], "half": params["w"].half(), "bfloat": params["w"].bfloat16()}
    updates, state = tx.update(random_like(generator(5), mixed), tx.init(mixed), params=mixed)
    assert [u.dtype for u in updates.values()] == [torch.float64, torch.float16, torch.bfloat16]
    assert all(u.isfinite().all() and u.abs().max() > 0 for u in updates.values())
    assert all(x.isfinite().all() for means in state.means for x in means)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"momentum_decays": ()}, "`momentum_decays` is empty"),
        ({"rms_decays": (0.9, 0.99)}, "`rms_decays` has 2 decays"),
        ({"factored_decays": (0.9, 1.0, 0.5)}, r"`factored_decays\[1\]` is 1.0"),
        ({"timescales": (1, 0)}, "use a positive number"),
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

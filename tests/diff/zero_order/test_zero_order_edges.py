"""What a reviewer broke: each of these was wrong, or silent, once."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
import torch
from torch import nn

import torchopt
from torchopt.diff import ZeroOrder
from torchopt.diff import zero_order as zo

D = torch.float64


def leaf(*values, dtype=D):
    return torch.tensor(values, dtype=dtype, requires_grad=True)


def test_second_derivatives_by_forward_differences_are_unbiased():
    generator = torch.Generator().manual_seed(0)
    for n in (1, 2, 4):
        square = ZeroOrder(zo.Forward(num_samples=n, sigma=0.5), generator=generator)(
            lambda x: (x**2).sum()
        )
        found = []
        for _ in range(4000 // n):
            x = leaf(1.0)
            (g,) = torch.autograd.grad(square(x), x, create_graph=True)
            found.append(torch.autograd.grad(g.sum(), x)[0])
        samples = torch.stack(found)
        error = samples.std() / len(samples) ** 0.5
        assert abs(samples.mean() - 2) < 4 * error


@dataclass(frozen=True, kw_only=True)
class _FromHere(zo.Estimator):
    offsets = (0.0, 1.0)

    def gradient(self, noise, values):
        return (values[1] - values[0]) @ noise / (self.sigma * noise.shape[0])


@dataclass(frozen=True, kw_only=True)
class _Around(zo.Estimator):
    offsets = (-1.0, 0.0, 1.0)

    def gradient(self, noise, values):
        return (values[2] - values[0]) @ noise / (2 * self.sigma * noise.shape[0])


@pytest.mark.parametrize("estimator", [_FromHere, _Around])
def test_offsets_of_an_estimator_may_stand_in_any_order(estimator):
    x = leaf(1.0)
    (ZeroOrder(estimator(num_samples=8000, sigma=1e-3), generator=0)(lambda x: (x**2).sum()))(
        x
    ).backward()
    assert abs(x.grad - 2) < 4 * 2 * (2 / 8000) ** 0.5


@pytest.mark.parametrize("shaping", [None, "rank", "z_score"])
def test_values_that_are_nan_are_an_error_within_torch_func(shaping):
    def function(x):
        return torch.where(x[0] > 1, torch.nan, x.sum())

    estimator = zo.Antithetic(num_samples=8, sigma=0.1, shaping=shaping)
    with pytest.raises(ValueError, match="NaN or infinite"):
        torch.func.grad(ZeroOrder(estimator, generator=0)(function))(torch.ones(3, dtype=D))
    estimator = zo.Antithetic(num_samples=8, sigma=0.1, nonfinite="drop")
    with pytest.raises((ValueError, zo.NonFiniteWarning), match="NaN or infinite"):
        torch.func.grad(ZeroOrder(estimator, generator=0)(function))(torch.ones(3, dtype=D))


@pytest.mark.parametrize("dtype", [D, torch.float32, torch.bfloat16, torch.float16])
@pytest.mark.parametrize("out", [D, torch.float32])
def test_jvp_keeps_the_dtype_of_the_value(dtype, out):
    one = torch.ones(3, dtype=dtype)
    linear = ZeroOrder(zo.SPSA(num_samples=4, sigma=0.5), generator=0)(lambda x: x.to(out).sum())
    value, along = torch.func.jvp(linear, (one,), (one,))
    assert (value.dtype, along.dtype) == (out, out)
    x = one.clone().requires_grad_()
    linear(x).backward()
    torch.testing.assert_close(along, (x.grad.to(out) * one.to(out)).sum(), rtol=1e-2, atol=0)


def test_an_output_that_is_not_used_may_be_nan():
    x = leaf(1.0, 2.0)
    found = ZeroOrder(zo.SPSA(num_samples=4), generator=0)(
        lambda x: {"loss": x.sum(), "metric": x.sum() * torch.nan}
    )(x)
    found["loss"].backward()
    assert torch.isfinite(x.grad).all()


@pytest.mark.parametrize("change", ["weight", "rate", "mode"])
def test_a_module_among_the_arguments_must_not_change(change):
    net = nn.Sequential(nn.Linear(2, 2), nn.Dropout(0.5)).double().requires_grad_(False)
    x = leaf(1.0, 2.0)
    value = ZeroOrder(zo.SPSA(), generator=0)(lambda x, net: net(x).sum())(x, net)
    if change == "weight":
        net[0].weight.mul_(2)
    elif change == "rate":
        net[1].p = 0.1
    else:
        net.eval()
    with pytest.raises(RuntimeError, match="argument 0 that is no tensor.*has changed"):
        value.backward()


def test_an_array_among_the_arguments_must_not_change():
    numpy = pytest.importorskip("numpy")
    x, array = leaf(1.0), numpy.array([2.0])
    value = ZeroOrder(zo.SPSA(), generator=0)(lambda x, a: x.sum() * float(a[0]))(x, array)
    array[0] = 7.0
    with pytest.raises(RuntimeError, match="has changed"):
        value.backward()


def test_differences_of_numbers_keep_their_digits():
    x = leaf(1.0, 2.0, dtype=torch.float32)
    value = ZeroOrder(zo.SPSA(num_samples=4, sigma=1e-2), generator=0)(
        lambda x: 1e8 + 3 * float(x[0].double())
    )(x)
    assert value.dtype == torch.float32
    value.backward()
    torch.testing.assert_close(x.grad[0], torch.tensor(3.0), rtol=1e-4, atol=0)


def test_autocast_is_that_of_the_call():
    weight = torch.randn(4, 3, dtype=torch.bfloat16)
    x = torch.randn(2, 3, requires_grad=True)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        value = ZeroOrder(zo.Antithetic(num_samples=4, sigma=0.5), generator=0)(
            lambda x: nn.functional.linear(x, weight).float().sum()
        )(x)
    value.backward()  # without autocast the dtypes do not fit together
    assert x.grad.isfinite().all()


def test_low_rank_directions_move_what_torch_func_hides():
    weight = torch.randn(3, 2, dtype=D, generator=torch.Generator().manual_seed(0))
    data = torch.randn(4, 2, dtype=D, generator=torch.Generator().manual_seed(1))

    def loss(w):
        return ((data @ w.T) ** 2).sum()

    def adapted(w):
        return loss(w - 0.05 * torch.func.grad(loss)(w))

    def hidden(w):
        return loss(nn.Parameter(w)) if not w.requires_grad else loss(w)

    for function in (adapted, hidden):
        w = weight.clone().requires_grad_()
        (true,) = torch.autograd.grad(function(w), w)
        found = []
        for estimator in (zo.Antithetic, zo.LowRank):
            mode = ZeroOrder(estimator(num_samples=4000, sigma=1e-3), generator=0)
            found.append(torch.autograd.grad(mode(function)(w), w)[0])
        for estimate in found:
            assert (estimate - true).norm() < 0.15 * true.norm()


def test_seed_replay_says_what_it_cannot_see():
    w, v = torch.ones(3, dtype=D), torch.ones(3, dtype=D)
    with pytest.raises(ValueError, match="torch.func"):
        zo.SeedReplay()(lambda: torch.func.grad(lambda a: (a**2).sum())(w).sum() + v.sum(), [w, v])
    with pytest.warns(UserWarning, match="does not read tensor 0"):
        zo.SeedReplay()(lambda: nn.Parameter(w).sum() + v.sum(), [w, v])


def test_seed_replay_moves_the_tensors_of_the_estimate_only():
    net = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1))
    x = torch.randn(5, 2)
    projected = zo.SeedReplay()(lambda: net(x).square().mean(), net)
    net[0].requires_grad_(False)
    before = [p.clone() for p in net.parameters()]
    with pytest.raises(ValueError, match="before the estimate"):
        projected.step_(net, lr=0.1)
    with pytest.raises(ValueError, match="before the estimate"):
        projected.gradients(net)
    assert all(torch.equal(a, b) for a, b in zip(before, net.parameters(), strict=True))


def test_evolution_strategies_solve_what_has_no_graph():
    target = leaf(1.0, 2.0)

    def objective(x, target):
        return float((x - target).square().sum())

    search = zo.GaussianSearch(population=20, sigma=0.5)
    solution = torchopt.minimize(
        objective,
        torch.zeros(2, dtype=D),
        (target,),
        solver=search.solver(objective, steps=200, generator=0),
        diff=ZeroOrder(zo.SPSA(num_samples=8, sigma=0.1), generator=0),
    )
    solution.params.sum().backward()
    assert torch.isfinite(target.grad).all()


@pytest.mark.parametrize("estimator", [zo.PersistentES, zo.NoiseReuseES])
def test_the_states_of_particles_are_not_written_to(estimator):
    es = estimator(num_samples=2, sigma=0.5)
    particles = es.init(torch.ones(2), torch.zeros(1), generator=0)
    calls = []

    def truncation(params, state):
        calls.append(None)
        if len(calls) == 3:
            raise KeyError("third")
        state.add_(1)
        return params.sum() * state.sum(), state

    with pytest.raises(KeyError):
        es(truncation, torch.ones(2), particles)
    assert torch.equal(particles.states, torch.zeros(4, 1))
    _, after, _ = es(truncation, torch.ones(2), particles)
    assert torch.equal(particles.states, torch.zeros(4, 1))
    assert torch.equal(after.states, torch.ones(4, 1))


def test_integer_parameters_are_refused_where_they_would_be_rounded():
    params = {"a": torch.ones(2), "k": torch.tensor([3, 4])}
    with pytest.raises(TypeError, match=r"params\['k'\]"):
        zo.GaussianSearch(population=4).init(params)
    es = zo.PersistentES(num_samples=2)
    with pytest.raises(TypeError, match=r"params\['k'\]"):
        particles = es.init(params, torch.zeros(1))
        es(lambda p, s: (p["a"].sum(), s), params, particles)


def test_a_perturbation_that_is_lost_in_rounding_is_told():
    x = torch.ones(4, dtype=torch.bfloat16, requires_grad=True)
    value = ZeroOrder(zo.Antithetic(num_samples=4, sigma=1e-3), generator=0)(
        lambda x: x.float().sum()
    )(x)
    with pytest.warns(UserWarning, match="lost in rounding"):
        value.backward()
    net = nn.Linear(4, 1, dtype=torch.bfloat16)
    with torch.no_grad():
        net.weight.fill_(1.0)
    with pytest.warns(UserWarning, match="lost in rounding"):
        zo.SeedReplay(sigma=1e-3)(lambda: net(x.detach()).float().sum(), net)


def test_samplers_leave_the_default_generator_as_it_was():
    state = torch.get_rng_state()
    x = leaf(1.0, 2.0)
    estimator = zo.Antithetic(num_samples=4, distribution=torch.randn)
    ZeroOrder(estimator, generator=0)(lambda x: x.sum())(x).backward()
    assert torch.equal(torch.get_rng_state(), state)

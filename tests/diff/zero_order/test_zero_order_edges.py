"""What a reviewer broke: each of these was wrong, or silent, once."""

from __future__ import annotations

import types
from dataclasses import dataclass

import pytest
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

import torchopt
from torchopt.diff import ZeroOrder
from torchopt.diff import zero_order as zo
from torchopt.errors import NonFiniteWarning

D = torch.float64


def leaf(*values, dtype=D):
    return torch.tensor(values, dtype=dtype, requires_grad=True)


def square(x):
    return (x**2).sum()


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
    ZeroOrder(estimator(num_samples=8000, sigma=1e-3), zo.Vmap(), generator=0)(square)(x).backward()
    assert abs(x.grad - 2) < 4 * 2 * (2 / 8000) ** 0.5


@pytest.mark.parametrize("shaping", [None, "rank", "z_score"])
def test_values_that_are_nan_are_an_error_within_torch_func(shaping):
    def function(x):
        return torch.where(x[0] > 1, torch.nan, x.sum())

    estimator = zo.Antithetic(num_samples=8, sigma=0.1, shaping=shaping)
    with pytest.raises(ValueError, match="NaN or infinite"):
        torch.func.grad(ZeroOrder(estimator, generator=0)(function))(torch.ones(3, dtype=D))
    estimator = zo.Antithetic(num_samples=8, sigma=0.1, nonfinite="drop")
    with pytest.raises((ValueError, NonFiniteWarning), match="NaN or infinite"):
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


def test_differences_of_numbers_keep_their_digits():
    x = leaf(1.0, 2.0, dtype=torch.float32)
    value = ZeroOrder(zo.SPSA(num_samples=4, sigma=1e-2), generator=0)(
        lambda x: 1e8 + 3 * float(x[0].double())
    )(x)
    assert value.dtype == torch.float32
    value.backward()
    torch.testing.assert_close(x.grad[0], torch.tensor(3.0), rtol=1e-4, atol=0)


def test_low_rank_directions_move_what_torch_func_hides():
    weight = torch.randn(3, 2, dtype=D, generator=torch.Generator().manual_seed(0))
    data = torch.randn(4, 2, dtype=D, generator=torch.Generator().manual_seed(1))

    def loss(w):
        return ((data @ w.T) ** 2).sum()

    def adapted(w):
        return loss(w - 0.05 * torch.func.grad(loss)(w))

    def hidden(w):
        return loss(nn.Parameter(w)) if not w.requires_grad else loss(w)

    estimator = zo.LowRank(num_samples=3, sigma=0.1)
    noise = estimator.noise([weight], torch.Generator().manual_seed(0))
    for function in (adapted, hidden):
        found = torch.func.grad(ZeroOrder(estimator, generator=0)(function))(weight)
        expected = torch.zeros_like(weight)
        for row in noise:
            step = 0.1 * row.reshape(weight.shape)
            slope = (function(weight + step) - function(weight - step)) / 0.2
            expected += slope * row.reshape(weight.shape) / 3
        torch.testing.assert_close(found, expected)


def test_seed_replay_says_what_it_cannot_see():
    w, v = torch.ones(3, dtype=D), torch.ones(3, dtype=D)
    with pytest.raises(ValueError, match=r"torch\.func"):
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


EXACT = zo.Coordinate(sigma=0.1)


def gradient_of(function, *, estimator=EXACT, evaluation=zo.Loop(), at=(1.0, 2.0)):  # noqa: B008
    x = leaf(*at)
    value = ZeroOrder(estimator, evaluation, generator=0)(function)(x)
    value.sum().backward()
    return value.detach(), x.grad


@pytest.mark.parametrize("kind", ["numpy", "torch"])
def test_a_function_may_return_the_same_buffer_each_time(kind):
    state = torch.zeros(2, dtype=D)
    buffer = state.numpy() if kind == "numpy" else state

    def simulator(x):
        state.copy_(x**2)
        return buffer

    value, gradient = gradient_of(simulator)
    torch.testing.assert_close(value, torch.tensor([1.0, 4.0], dtype=D))
    torch.testing.assert_close(gradient, torch.tensor([2.0, 4.0], dtype=D))


@pytest.mark.parametrize("evaluation", [zo.Loop(), zo.Vmap()], ids=["loop", "vmap"])
@pytest.mark.compiled
def test_a_compiled_function_has_the_same_values_each_time(evaluation):
    compiled = torch.compile(lambda x: (3 * x**2 + 1).sum(), backend="aot_eager")
    for _ in range(3):
        value, gradient = gradient_of(compiled, evaluation=evaluation)
        torch.testing.assert_close(value, torch.tensor(17.0, dtype=D))
        torch.testing.assert_close(gradient, torch.tensor([6.0, 12.0], dtype=D))


class _Policy(
    torchopt.compat.ZeroOrderGradientModule, method="antithetic", num_samples=16, sigma=1e-2
):
    """Reads its parameter by ways that a copy of the module would not have.

    For two and four unknowns its directions have the unit covariance exactly.
    """

    def __init__(self, way="lambda"):
        super().__init__()
        self.inner = nn.Linear(2, 1, bias=False, dtype=D)
        nn.init.ones_(self.inner.weight)
        self.norm = nn.BatchNorm1d(1, dtype=D)
        self.register_buffer("count", torch.tensor(0))
        self.norm.requires_grad_(False)
        self.calls = 0
        self.way = way
        self.environment = types.SimpleNamespace(run=lambda: float(square(self.inner.weight)))
        self.body = lambda: square(self.inner.weight.detach())

    def forward(self, scale=1.0):
        self.calls += 1
        self.count += 1
        self.norm(torch.ones(3, 1, dtype=D))
        value = self.environment.run() if self.way == "environment" else self.body()
        return scale * torch.as_tensor(value, dtype=D)

    def sample(self, sample_shape=torch.Size()):  # noqa: B008
        signs = torch.tensor([[1.0, 1, 1, 1], [1, -1, 1, -1], [1, 1, -1, -1], [1, -1, -1, 1]])
        return (
            torch.cat([signs, -signs])
            .flatten()
            .repeat(sample_shape.numel() // 32)
            .view(sample_shape)
        )


@pytest.mark.parametrize("way", ["lambda", "environment"])
def test_a_module_is_moved_wherever_it_is_held(way):
    policy = _Policy(way)
    before = policy.inner.weight
    policy().backward()
    assert policy.inner.weight is before
    torch.testing.assert_close(before.grad, torch.full_like(before, 2))
    assert policy.count == 1  # and the buffers advance as for one evaluation
    assert policy.norm.num_batches_tracked == 1


def test_a_module_is_called_with_parameters_of_others():
    policy = _Policy()
    params = {k: p.detach().clone() for k, p in policy.named_parameters()}
    params["inner.weight"] *= 3

    def value(params):
        return torch.func.functional_call(policy, params, (2.0,))

    expected = torch.full((1, 2), 12.0, dtype=D)
    torch.testing.assert_close(torch.func.grad(value)(params)["inner.weight"], expected)
    batch = torch.stack([params["inner.weight"], 2 * params["inner.weight"]])
    gradient = torch.func.grad(lambda w: value({**params, "inner.weight": w}))
    found = torch.func.vmap(gradient)(batch)
    torch.testing.assert_close(found, torch.stack([expected, 2 * expected]))
    weight = params["inner.weight"].requires_grad_()
    value(params).backward()  # when the module has its own parameters again
    torch.testing.assert_close(weight.grad, expected)
    torch.testing.assert_close(policy.inner.weight.detach(), torch.ones(1, 2, dtype=D))


@pytest.mark.parametrize("replace", ["functional_call", "parameter"])
def test_the_backward_reads_the_parameters_that_the_value_read(replace):
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = nn.Linear(2, 1, bias=False, dtype=D)

        def forward(self, x):
            return ZeroOrder(EXACT)(lambda x: self.inner(x).sum())(x)

    net, x = Net(), leaf(1.0, 2.0)
    there = torch.tensor([[3.0, 5.0]], dtype=D)
    if replace == "functional_call":
        value = torch.func.functional_call(net, {"inner.weight": there}, (x,))
    else:
        net.inner.weight = nn.Parameter(there)
        value = net(x)
        net.inner.weight = nn.Parameter(there + 1)
    after = net.inner.weight
    value.backward()
    torch.testing.assert_close(x.grad, there[0])
    assert net.inner.weight is after


def test_a_call_may_be_checkpointed():
    x = leaf(1.0, 2.0)
    value = checkpoint(lambda x: ZeroOrder(EXACT)(square)(3 * x), x, use_reentrant=False)
    value.backward()
    torch.testing.assert_close(x.grad, 18 * x.detach())
    target = leaf(1.0, 2.0)
    solution = torchopt.minimize(
        ZeroOrder(EXACT)(lambda p, b: square(p - b)),
        torch.zeros(2, dtype=D),
        (target,),
        solver=torchopt.sgd(0.1),
        steps=2,
        diff=torchopt.diff.Explicit(memory="step"),
    )
    solution.params.sum().backward()
    torch.testing.assert_close(target.grad, torch.full((2,), 1 - 0.8**2, dtype=D))


@pytest.mark.parametrize("shaping", ["rank", "z_score"])
def test_a_single_value_has_no_rank(shaping):
    estimator = zo.Naive(num_samples=1, sigma=0.01, shaping=shaping)
    assert torch.equal(gradient_of(square, estimator=estimator)[1], torch.zeros(2, dtype=D))
    search = zo.GaussianSearch(population=2, nonfinite="drop", shaping=shaping)
    state = search.init(torch.ones(2, dtype=D), generator=0)
    with pytest.warns(NonFiniteWarning):
        state = search.tell(state, [1.0, float("nan")])
    assert torch.equal(state.mean, torch.ones(2, dtype=D))


@pytest.mark.parametrize(
    "estimator",
    [zo.Antithetic(num_samples=2), zo.LowRank(num_samples=2), zo.ForwardGradient(num_samples=2)],
    ids=["Antithetic", "LowRank", "ForwardGradient"],
)
def test_the_problems_of_a_batch_have_directions_of_their_own(estimator):
    mode = ZeroOrder(estimator, generator=0)(square)
    x = torch.ones(3, 2, 2, dtype=D)
    within = torch.func.vmap(torch.func.grad(mode))(x)
    around = torch.func.grad(lambda x: torch.func.vmap(mode)(x).sum())(x)
    torch.testing.assert_close(within, around)
    along = torch.func.vmap(lambda x: torch.func.jvp(mode, (x,), (torch.ones_like(x),))[1])(x)
    torch.testing.assert_close(along, around.sum((1, 2)))
    assert len({float(g.sum()) for g in within}) == 3


def test_the_square_of_an_estimate_has_the_bias_that_the_documentation_says():
    n, count, g = 1, 200, torch.tensor([1.0, 2.0], dtype=D)
    value = ZeroOrder(zo.Antithetic(num_samples=n, sigma=0.1), generator=0)(lambda x: g @ x)
    at = torch.tensor([[2.0, -1.0]], dtype=D).expand(count, 2)  # where the value is zero
    hessians = torch.func.vmap(torch.func.hessian(lambda x: value(x) ** 2 / 2))(at)
    product = torch.outer(g, g)
    expected = product + (g @ g * torch.eye(2, dtype=D) + product) / n
    error = hessians.std(0) / count**0.5
    assert ((hessians.mean(0) - expected).abs() < 4 * error).all()
    assert (4 * error.diagonal() < (expected - product).diagonal()).any()


@pytest.mark.parametrize(
    "surrogates",
    [
        [[1, 1, 0], [1, 1, 0]],
        [[3, 3, 0], [0, 0, 0]],
        [[1e-9, 1e-9, 0], [2, 2, 0]],
        [[1e-200, 1e-200, 0], [1e200, 1e200, 0]],
    ],
)
def test_guided_directions_stay_in_the_span_of_their_surrogates(surrogates):
    estimator = zo.Guided(
        subspace=torch.tensor(surrogates, dtype=D), alpha=0.0, beta=1.0, num_samples=50
    )
    noise = estimator.noise([torch.zeros(3, dtype=D)], torch.Generator().manual_seed(0))
    torch.testing.assert_close(noise[:, 0], noise[:, 1])
    torch.testing.assert_close(noise[:, 2], torch.zeros(50, dtype=D))
    assert abs(noise.square().sum(1).mean() - 1) < 5 * (2 / 50) ** 0.5


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
@pytest.mark.parametrize("estimator", [EXACT, zo.LowRank(num_samples=2)])
def test_values_and_arguments_may_be_on_several_devices(estimator):
    x = torch.ones(2, 2, dtype=D, device="cuda", requires_grad=True)
    y = torch.ones(3, dtype=D, requires_grad=True)

    def simulator(x, y):
        return {"number": float(square(x)), "here": square(y), "there": x.sum()}

    found = ZeroOrder(estimator, generator=0)(simulator)(x, y)
    sum(v.cpu() for v in found.values()).backward()
    assert (x.grad.device, y.grad.device) == (x.device, y.device)
    if estimator is EXACT:
        torch.testing.assert_close(x.grad, torch.full_like(x, 3.0))
        torch.testing.assert_close(y.grad, torch.full_like(y, 2.0))
    mode = ZeroOrder(estimator, generator=0)(lambda x: float(square(x)))
    along = torch.func.jvp(mode, (x.detach(),), (torch.ones_like(x),))[1]
    assert along.isfinite()


def test_batches_of_another_kind_get_one_sentence():
    mode, x = ZeroOrder(EXACT)(lambda x: x.sin()), leaf(1.0, 2.0)
    with pytest.raises(RuntimeError, match="the zero-order mode cannot be batched by"):
        torch.autograd.grad(mode(x), x, torch.eye(2, dtype=D), is_grads_batched=True)
    with pytest.raises(RuntimeError, match="the zero-order mode cannot be batched by"):
        torch.autograd.functional.jacobian(mode, x, vectorize=True)
    with pytest.raises(ValueError, match="batch of size zero"):
        torch.func.vmap(ZeroOrder(EXACT)(square))(torch.ones(0, 2))


def test_a_solution_is_batched_by_its_parameters():
    def solve(b, diff):
        return torchopt.minimize(
            lambda p, b: square(p - b),
            torch.zeros(2, dtype=D),
            (b,),
            solver=torchopt.sgd(0.25),
            steps=3,
            diff=diff,
        ).params

    b = torch.ones(3, 2, dtype=D)
    with pytest.raises(ValueError, match=r"minimize\(...\).params"):
        torch.func.vmap(lambda b: solve(b, ZeroOrder(EXACT)))(b)
    mode = ZeroOrder(EXACT)(lambda b: solve(b, torchopt.diff.Explicit()))
    gradient = torch.func.vmap(torch.func.grad(lambda b: mode(b).sum()))(b)
    torch.testing.assert_close(gradient, torch.full((3, 2), 1 - 0.5**3, dtype=D))


@pytest.mark.parametrize(
    "result",
    [
        lambda x: 0 if x[0] > 1 else float(x.sum()),
        lambda x: float(x.sum()) if x[0] > 1 else 0,
        lambda x: x[x >= 1],
        lambda x: (x.sum(),) if x[0] > 1 else x.sum(),
    ],
)
def test_results_have_the_same_structure_everywhere(result):
    x = leaf(1.0, 2.0)
    value = ZeroOrder(EXACT)(lambda x: (result(x), x.sum()))(x)[1]
    with pytest.raises(ValueError, match="in the same structure everywhere"):
        value.backward()


@pytest.mark.parametrize("evaluation", [zo.Loop(), zo.Vmap()], ids=["loop", "vmap"])
@pytest.mark.parametrize(
    "estimator", [zo.Orthogonal(num_samples=3), zo.Sobol(), EXACT, zo.LowRank(), zo.Antithetic()]
)
def test_tensors_may_be_empty(estimator, evaluation):
    empty, w = torch.zeros(0, dtype=D, requires_grad=True), torch.ones(2, 3, dtype=D)
    mode = ZeroOrder(estimator, evaluation, generator=0)(lambda e, w: e.sum() + square(w))
    mode(empty, w).backward()
    assert empty.grad.shape == (0,)
    w.requires_grad_()
    mode(empty, w).backward()
    assert w.grad.norm() > 0
    along = torch.func.jvp(ZeroOrder(estimator)(lambda w: w[:0]), (w.detach(),), (w.detach(),))[1]
    assert along.shape == (0, 3)


def test_estimators_of_others_are_checked():
    @dataclass(frozen=True, kw_only=True)
    class NoOffsets(zo.Estimator):
        def gradient(self, noise, values):
            return noise.sum(0)

    with pytest.raises(TypeError, match="`NoOffsets` has no `offsets`"):
        NoOffsets()

    @dataclass(frozen=True, kw_only=True)
    class Narrow(zo.Antithetic):
        def directions(self, like, generator):
            return torch.ones(3, 1, dtype=like.dtype)

    with pytest.raises(ValueError, match=r"`Narrow.directions` returned shape \(3, 1\)"):
        gradient_of(square, estimator=Narrow())


def test_second_derivatives_by_forward_differences_are_unbiased():
    generator = torch.Generator().manual_seed(0)
    mode = ZeroOrder(zo.ForwardDifference(num_samples=1, sigma=2.0), generator=generator)(square)
    found = []
    for _ in range(150):
        x = leaf(1.0)
        (g,) = torch.autograd.grad(mode(x), x, create_graph=True)
        found.append(torch.autograd.grad(g.sum(), x)[0])
    samples = torch.stack(found)
    error = samples.std() / len(samples) ** 0.5
    # With the directions of the estimate for the value, too, the mean would be -1.
    assert abs(samples.mean() - 2) < 4 * error < 3


def test_an_array_among_the_arguments_must_not_change():
    numpy = pytest.importorskip("numpy")
    x, array = leaf(1.0), numpy.array([2.0])
    value = ZeroOrder(zo.SPSA(), generator=0)(lambda x, a: x.sum() * float(a[0]))(x, array)
    array[0] = 7.0
    with pytest.raises(RuntimeError, match="has changed"):
        value.backward()


def test_buffers_advance_as_for_one_evaluation_within_torch_func():
    norm = nn.BatchNorm1d(2, dtype=D)
    x = torch.randn(4, 2, dtype=D, generator=torch.Generator().manual_seed(0))
    mode = ZeroOrder(zo.Antithetic(num_samples=3), generator=0)(lambda x: square(norm(x)))
    torch.func.grad(mode)(x)
    assert norm.num_batches_tracked == 1
    torch.testing.assert_close(norm.running_mean, 0.1 * x.mean(0))


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
    after = es(truncation, torch.ones(2), particles).particles
    assert torch.equal(particles.states, torch.zeros(4, 1))
    assert torch.equal(after.states, torch.ones(4, 1))


def test_members_and_particles_may_return_the_same_buffer_each_time():
    one, two = torch.zeros((), dtype=D), torch.zeros(2, dtype=D)

    def objective(x):
        return one.copy_(square(x))

    search = zo.GaussianSearch(population=10)
    solver = search.solver(steps=100, generator=0)
    start = torch.ones(2, dtype=D)
    found = torchopt.minimize(objective, start, solver=solver, diff=ZeroOrder()).params
    assert found.norm() < 1e-3

    def truncation(x, state, shared):
        state = two.copy_(state + x) if shared else state + x
        return square(state), state

    gradients = []
    for shared in (False, True):
        es = zo.NoiseReuseES(num_samples=2, sigma=0.1)
        x = torch.tensor([1.0, 2.0], dtype=D)
        particles = es.init(x, torch.zeros(2, dtype=D), generator=0)
        for _ in range(2):
            truncated = es(truncation, x, particles, shared)
            particles = truncated.particles
        gradients.append(truncated.grads)
    torch.testing.assert_close(*gradients)


@pytest.mark.parametrize("write", ["list", "out", "inplace", "iadd"])
def test_a_write_to_a_moved_parameter_is_told(write):
    w = torch.ones(2, dtype=D)

    def closure():
        if write == "list":
            torch._foreach_mul_([w], 2.0)
        elif write == "out":
            torch.mul(w, 2.0, out=w)
        elif write == "inplace":
            nn.functional.relu(w, inplace=True)
        else:
            v = w
            v += 1
        return w.sum()

    with pytest.raises(ValueError, match="writes to a parameter"):
        zo.SeedReplay()(closure, [w])
    assert torch.equal(w, torch.ones(2, dtype=D))

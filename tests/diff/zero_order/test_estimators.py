"""What each estimator claims of its mean and its variance, against closed forms."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import replace

import pytest
import torch

from _cases import covering
from _public import exported
from torchopt.diff import zero_order as zo
from torchopt.diff.zero_order._low_rank import Factored

D, SIGMA, MANY = 3, 0.4, 2000
G = torch.tensor([0.7, -1.1, 0.4], dtype=torch.float64)
H = torch.tensor([[0.9, 0.3, -0.2], [0.3, -0.5, 0.1], [-0.2, 0.1, 0.4]], dtype=torch.float64)
VALUE = 0.6  # of the functions at the point
X = torch.tensor([0.3, -0.2, 0.5], dtype=torch.float64)
U = torch.tensor([[1.0, -1.0, 0.5], [0.2, 0.3, 0.9]], dtype=torch.float64)

Function = Callable[[torch.Tensor], torch.Tensor]


def linear(x: torch.Tensor) -> torch.Tensor:
    return VALUE + (x - X) @ G


def quadratic(x: torch.Tensor) -> torch.Tensor:
    y = x - X
    return linear(x) + (y @ H * y).sum(-1) / 2


def sine(x: torch.Tensor) -> torch.Tensor:
    return torch.sin(x @ G + 0.2)


def many(estimator: zo.Estimator, function: Function, count: int) -> torch.Tensor:
    """Return independent estimates of the gradient at X, of shape ``(count, d)``."""
    slope = torch.func.jacrev(function)(X)

    def one(noise: torch.Tensor) -> torch.Tensor:
        if estimator.tangents:
            values = (noise @ slope)[None]
        else:
            values = torch.stack(
                [function(X + o * estimator.sigma * noise) for o in estimator.offsets]
            )
        return estimator.estimate(noise, values)

    found: torch.Tensor = torch.func.vmap(one)(noises(estimator, count))
    return found


@functools.cache  # hundreds of calls a second
def noises(estimator: zo.Estimator, count: int) -> torch.Tensor:
    """Return the directions of many estimates."""
    generator = torch.Generator().manual_seed(0)
    if isinstance(estimator, (zo.Orthogonal, zo.Sobol, zo.Coordinate)):
        each = [estimator.directions(X, generator.manual_seed(seed)) for seed in range(count)]
        return torch.stack(each)
    # The directions of an estimate are independent: all of them at once.
    all_of_them = replace(estimator, num_samples=count * estimator.num_samples)
    return all_of_them.directions(X, generator).unflatten(0, (count, -1))


def assert_mean(estimates: torch.Tensor, expected: torch.Tensor) -> None:
    error = estimates.std(0) / len(estimates) ** 0.5
    assert ((estimates.mean(0) - expected).abs() <= 4 * error + 1e-12).all()


def assert_variance(estimates: torch.Tensor, expected: float) -> None:
    assert float(estimates.var(0).sum()) == pytest.approx(expected, rel=0.1, abs=1e-20)


N = 5
COMMON = {"num_samples": N, "sigma": SIGMA}
NORMAL = {
    "naive": zo.Naive(**COMMON),
    "naive with leave-one-out": zo.Naive(**COMMON, baseline="leave_one_out"),
    "forward": zo.ForwardDifference(**COMMON),
    "antithetic": zo.Antithetic(**COMMON),
    "orthogonal, normal lengths": zo.Orthogonal(**COMMON, lengths="normal"),
    "sobol": zo.Sobol(**COMMON),
}
OTHERS = {
    "spsa": zo.SPSA(**COMMON),
    "orthogonal": zo.Orthogonal(**COMMON),
    "coordinate": zo.Coordinate(sigma=SIGMA),
    "forward gradient": zo.ForwardGradient(num_samples=N),
}


def test_every_estimator_of_the_package_is_in_a_list() -> None:
    in_tests_of_their_own = {zo.Guided, zo.LowRank}  # here, and in test_low_rank.py
    listed = {type(estimator) for estimator in (NORMAL | OTHERS).values()}
    assert listed == set(exported(zo, zo.Estimator).values()) - in_tests_of_their_own


@pytest.mark.parametrize("name", [*NORMAL, *OTHERS])
def test_the_mean_on_a_quadratic_is_its_gradient(name: str) -> None:
    assert_mean(many((NORMAL | OTHERS)[name], quadratic, MANY), G)


@pytest.mark.parametrize("name", NORMAL)
def test_the_mean_on_a_sine_is_the_gradient_of_the_smoothed_sine(name: str) -> None:
    smoothed = torch.exp(-(SIGMA**2) * G @ G / 2) * torch.cos(X @ G + 0.2) * G
    assert_mean(many(NORMAL[name], sine, MANY), smoothed)


def test_the_mean_of_spsa_on_a_sine_is_that_over_signs() -> None:
    cos, sin = torch.cos(SIGMA * G), torch.sin(SIGMA * G)
    expected = torch.cos(X @ G + 0.2) * sin / cos * cos.prod() / SIGMA
    assert_mean(many(OTHERS["spsa"], sine, MANY), expected)


def test_the_mean_of_orthogonal_on_a_sine_is_the_gradient_of_the_mean_over_a_ball() -> None:
    z = G.norm() * SIGMA * D**0.5
    mean = 3 * (z.sin() - z * z.cos()) / z**3
    assert_mean(many(OTHERS["orthogonal"], sine, MANY), mean * torch.cos(X @ G + 0.2) * G)


def test_the_mean_of_forward_gradients_on_a_sine_is_its_gradient() -> None:
    assert_mean(many(OTHERS["forward gradient"], sine, MANY), torch.cos(X @ G + 0.2) * G)


def test_central_differences_on_a_sine_are_closed_form() -> None:
    (found,) = many(OTHERS["coordinate"], sine, 1)
    torch.testing.assert_close(found, torch.cos(X @ G + 0.2) * torch.sin(SIGMA * G) / SIGMA)


def test_the_mean_with_a_mean_baseline_is_short_by_one_part_in_n() -> None:
    estimator = zo.Naive(**COMMON, baseline="mean")
    assert_mean(many(estimator, linear, MANY), (1 - 1 / N) * G)


def test_the_mean_of_guided_directions_is_the_covariance_times_the_gradient() -> None:
    estimator = zo.Guided(**COMMON, subspace=U, alpha=0.3, beta=1.5)
    assert_mean(many(estimator, quadratic, MANY), 1.5 * covariance(0.3) @ G)


def test_guided_directions_in_the_subspace_only_are_exact_there_for_a_suitable_beta() -> None:
    estimator = zo.Guided(num_samples=20000, subspace=U[:1], alpha=0.0, beta=1.0)
    found = many(estimator, lambda x: x @ U[0], 1)[0]
    torch.testing.assert_close(found, U[0], rtol=0.05, atol=0)


def covariance(alpha: float) -> torch.Tensor:
    q = torch.linalg.qr(U.T).Q
    return alpha / D * torch.eye(D, dtype=torch.float64) + (1 - alpha) / len(U) * q @ q.T


TR, TR2 = float(H.trace()), float((H @ H).trace())
G2 = float(G @ G)
CURVED = SIGMA**2 / 4 * (D + 4) * (TR**2 + 2 * TR2)
NAIVE = (D + 1) * G2 + D * VALUE**2 / SIGMA**2
BOTH = {  # per total variance times n, for the linear and the quadratic function
    "naive": (zo.Naive(**COMMON), NAIVE, NAIVE + CURVED + (D + 2) * VALUE * TR),
    "forward": (zo.ForwardDifference(**COMMON), (D + 1) * G2, (D + 1) * G2 + CURVED),
    "antithetic": (zo.Antithetic(**COMMON), (D + 1) * G2, (D + 1) * G2),
    "spsa": (zo.SPSA(**COMMON), (D - 1) * G2, (D - 1) * G2),
    "orthogonal": (OTHERS["orthogonal"], 2 * (D - 2) * G2 / N, 2 * (D - 2) * G2 / N),
    "orthogonal, all": (zo.Orthogonal(num_samples=2 * D, sigma=SIGMA), 0.0, 0.0),
    "orthogonal, normal lengths": (
        NORMAL["orthogonal, normal lengths"],
        (2 * (N - 2) + 2 * D) * G2 / N,
        (2 * (N - 2) + 2 * D) * G2 / N,
    ),
    "forward gradient": (zo.ForwardGradient(num_samples=N), (D + 1) * G2, (D + 1) * G2),
    "forward gradient, signs": (
        zo.ForwardGradient(num_samples=N, distribution=lambda s: 2.0 * torch.randint(2, s) - 1),
        (D - 1) * G2,
        (D - 1) * G2,
    ),
    "coordinate": (OTHERS["coordinate"], 0.0, 0.0),
}


def test_every_estimator_of_the_package_has_a_variance() -> None:
    in_tests_of_their_own = {zo.Guided, zo.LowRank, zo.Sobol}
    listed = {type(estimator) for estimator, *_ in BOTH.values()}
    assert listed == set(exported(zo, zo.Estimator).values()) - in_tests_of_their_own


@pytest.mark.parametrize(("name", "curved"), covering([*BOTH], [False, True]))
def test_the_variance_is_that_of_the_formula(name: str, curved: bool) -> None:
    estimator, *expected = BOTH[name]
    found = many(estimator, quadratic if curved else linear, MANY)
    assert_variance(found, expected[curved] / N)


def test_the_variance_of_guided_directions_is_that_of_the_formula() -> None:
    S = covariance(0.3)
    expected = 1.5**2 * float(G @ S @ G + (S @ G) @ (S @ G)) / N
    for function in (linear, quadratic):
        found = many(zo.Guided(**COMMON, subspace=U, alpha=0.3, beta=1.5), function, MANY)
        assert_variance(found, expected)


@pytest.mark.parametrize("rank", [1, 3])
def test_the_mean_and_the_variance_of_low_rank_directions_are_those_of_the_formula(
    rank: int,
) -> None:
    torch.manual_seed(0)
    m, p, n = 3, 4, 6
    W = torch.randn(m, p, dtype=torch.float64)
    S = torch.randn(m * p, m * p, dtype=torch.float64)
    estimator = zo.LowRank(num_samples=n, sigma=SIGMA, rank=rank)
    # The directions of an estimate are independent: all of them at once.
    drawn = replace(estimator, num_samples=2000 * n).noise([W], torch.Generator().manual_seed(0))
    ((first, second),) = drawn.parts

    def one(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        noise = Factored([(a, b)])
        rows = (a @ b.mT).flatten(1)
        steps = torch.cat([SIGMA * rows, -SIGMA * rows])
        values = steps @ W.reshape(-1) + (steps @ S * steps).sum(1)
        return estimator.estimate(noise, values.reshape(2, n))

    estimates = torch.func.vmap(one)(first.unflatten(0, (-1, n)), second.unflatten(0, (-1, n)))
    assert_mean(estimates, W.reshape(-1))
    formula = (m * p + 1 + 2 * (m + p + 1) / rank) * float(W.square().sum()) / n
    assert_variance(estimates, formula)


def test_quasi_monte_carlo_converges_faster_than_monte_carlo() -> None:
    def spread(estimator: zo.Estimator) -> float:
        return float(many(estimator, sine, 200).var(0).sum())

    common = {"num_samples": 128, "sigma": SIGMA}
    assert spread(zo.Sobol(**common)) < 0.2 * spread(zo.Antithetic(**common))


def test_baselines_take_the_value_out_of_the_variance() -> None:
    def far(x: torch.Tensor) -> torch.Tensor:
        return linear(x) + 100

    none = many(zo.Naive(**COMMON), far, 500).var(0).sum()
    for baseline in ("mean", "leave_one_out"):
        estimator = zo.Naive(**COMMON, baseline=baseline)
        assert many(estimator, far, 500).var(0).sum() < 1e-2 * none


def test_rank_shaping_sees_the_order_only_and_ties_are_equal() -> None:
    estimator = zo.Antithetic(**COMMON, shaping="rank")
    torch.testing.assert_close(
        many(estimator, quadratic, 5), many(estimator, lambda x: quadratic(x).exp(), 5)
    )
    assert (many(estimator, lambda x: torch.ones(len(x)).double(), 5) == 0).all()
    values = torch.tensor([[3.0, 1.0, 1.0, 2.0, 9.0]])
    one = zo.Naive(num_samples=5, sigma=1.0, shaping="rank").estimate(torch.eye(5), values)
    torch.testing.assert_close(5 * one, torch.tensor([0.25, -0.375, -0.375, 0.0, 0.5]))


def test_z_score_shaping_does_not_see_the_scale_and_a_constant_is_zero() -> None:
    estimator = zo.Antithetic(**COMMON, shaping="z_score")
    torch.testing.assert_close(
        many(estimator, quadratic, 5), many(estimator, lambda x: 7 * quadratic(x) + 3, 5)
    )
    assert (many(estimator, lambda x: torch.ones(len(x)).double(), 5) == 0).all()

"""Sets that need a search: against stored numbers, other algorithms, and where they are difficult."""

import itertools
import sys

import pytest
import torch
from torch.func import hessian, jacrev, vmap

import torchopt
from _differences import assert_derivatives_are_differences
from torchopt import sets


def normal(seed, *shape):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(shape, generator=generator, dtype=torch.float64)


def pool_adjacent_violators(x):
    blocks = []
    for value in x.tolist():
        blocks.append((value, 1))
        while len(blocks) > 1 and blocks[-2][0] >= blocks[-1][0]:
            (last, n), (before, m) = blocks.pop(), blocks.pop()
            blocks.append(((last * n + before * m) / (n + m), n + m))
    return torch.tensor([mean for mean, n in blocks for _ in range(n)], dtype=x.dtype)


@pytest.mark.parametrize(
    "x",
    [
        pytest.param(normal(0, 300), id="noise"),
        pytest.param(normal(1, 300).cumsum(0), id="random walk"),
        pytest.param(torch.arange(300).double(), id="in order"),
        pytest.param(-(torch.arange(300).double() ** 2), id="in reverse order"),
        pytest.param(1.5 ** torch.arange(60).double(), id="geometric"),
        pytest.param(torch.cat([torch.arange(300).double(), -normal(2, 1).abs() * 1e4]), id="late"),
        pytest.param(normal(3, 300).round(), id="ties"),
        pytest.param(torch.full((300,), 0.1, dtype=torch.float64), id="constant"),
        pytest.param(normal(4, 1), id="one"),
        pytest.param(normal(5, 0), id="none"),
        pytest.param(normal(6, 300) + 1e9, id="far from zero"),
    ],
)
def test_isotonic_regression_is_that_of_pooling_adjacent_violators(x):
    found = sets.Monotone().project(x)
    tolerance = 1e-13 * (1 + float(x.abs().sum()) if x.numel() else 1)
    torch.testing.assert_close(found, pool_adjacent_violators(x), rtol=0, atol=tolerance)
    falling = sets.Monotone(increasing=False).project(-x)
    torch.testing.assert_close(falling, -found, rtol=0, atol=tolerance)


@pytest.mark.parametrize(
    "values", [[2.0, 2.0, 1.0, -1.0, -1.0], [1.0] * 5, [-1.0] * 5, [3.0, 1e-9, -1e-9, -3.0, -3.0]]
)
def test_derivatives_are_right_at_repeated_eigenvalues(values):
    basis = torch.linalg.qr(normal(7, 5, 5)).Q
    x = (basis * torch.tensor(values, dtype=torch.float64)) @ basis.T
    x = (x + x.mT) / 2
    project = sets.PositiveSemidefinite().project
    if min(map(abs, values)) > 1e-3:  # no kink within the differences
        assert_derivatives_are_differences(project, (x,), fwd_over_rev=True)
    assert hessian(lambda x: (project(x) ** 3).sum())(x).isfinite().all()


@pytest.mark.parametrize("seed", range(3))
def test_the_projection_of_large_scores_is_the_best_permutation(seed):
    scores = normal(seed, 5, 5)
    eye = torch.eye(5, dtype=torch.float64)
    best = max(
        (eye[list(p)] for p in itertools.permutations(range(5))), key=lambda p: (p * scores).sum()
    )
    found = sets.Birkhoff().project(1e4 * scores)
    torch.testing.assert_close(found, best, rtol=0, atol=1e-9)
    # A corner that stays: nothing moves it.
    assert jacrev(sets.Birkhoff().project)(1e4 * scores).abs().max() < 1e-14
    # In other units the same.
    scaled = sets.TransportPolytope(1e-9, 1e-9).project(1e-5 * scores)
    torch.testing.assert_close(scaled, 1e-9 * best, rtol=0, atol=1e-18)


def balanced(x, gradient, step, p, q):
    """A mirror step, whose sums have the same total."""
    return sets.TransportPolytope(p / p.sum(), q / q.sum()).mirror_step(x, gradient, step)


MIRROR = (
    normal(11, 3, 4).exp(),
    normal(12, 3, 4),
    torch.tensor(0.7, dtype=torch.float64),
    normal(13, 3).exp(),
    normal(14, 4).exp(),
)


def test_derivatives_of_a_mirror_step_are_those_of_differences():
    assert_derivatives_are_differences(balanced, MIRROR)


def test_a_mirror_step_fulfils_its_optimality_conditions():
    x, gradient, step, p, q = MIRROR
    new = balanced(*MIRROR)
    torch.testing.assert_close(new.sum(-1), p / p.sum())
    torch.testing.assert_close(new.sum(-2), q / q.sum())
    # The derivative of the objective is a sum of a number for the row and one for the column.
    slope = gradient + (new / x).log() / step
    centred = slope - slope.mean(0) - slope.mean(1, keepdim=True) + slope.mean()
    torch.testing.assert_close(centred, torch.zeros_like(centred), rtol=0, atol=1e-12)


def test_mirror_steps_of_a_batch_are_those_of_each():
    x, *others = MIRROR
    batch = torch.stack([x, 2 * x, x**2])
    found = vmap(balanced, (0, None, None, None, None))(batch, *others)
    torch.testing.assert_close(found, torch.stack([balanced(x, *others) for x in batch]))
    torch.testing.assert_close(found, balanced(batch, *others))


def test_the_permutation_of_least_cost_is_that_of_all_permutations():
    costs = normal(3, 5, 4, 4)
    every = torch.eye(4, dtype=costs.dtype)[torch.tensor([*itertools.permutations(range(4))])]
    best = torch.einsum("bij,pij->bp", costs, every).argmin(-1)
    birkhoff = sets.Birkhoff()
    for found in (
        birkhoff.linear_minimizer(costs),
        torch.func.vmap(birkhoff.linear_minimizer)(costs),
        torch.stack([birkhoff.linear_minimizer(one.float()) for one in costs]).double(),
    ):
        torch.testing.assert_close(found, every[best])
    assert (jacrev(birkhoff.linear_minimizer)(costs[0]) == 0).all()


def test_without_scipy_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "scipy.optimize", None)
    with pytest.raises(ImportError, match=r"torchopt-diff\[scipy\]"):
        sets.Birkhoff().linear_minimizer(normal(0, 3, 3))


def test_frank_wolfe_finds_the_projection_onto_permutations():
    x = normal(4, 5, 5)
    found = torchopt.minimize(
        lambda p, x: (p - x).square().sum(),
        torch.full((5, 5), 0.2, dtype=x.dtype),
        (x,),
        subject_to=sets.Birkhoff(),
        solver=torchopt.solver.FrankWolfe(rtol=1e-12),
    )
    torch.testing.assert_close(found.params, sets.Birkhoff().project(x), rtol=0, atol=1e-5)

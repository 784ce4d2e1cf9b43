"""Zero-order estimates on workers: the same numbers as in a loop, from seeds."""

from __future__ import annotations

import functools
import signal

import pytest
import torch
from torch import nn

import torchopt
from _cases import diagonal
from distributed import remote_programs as programs
from torchopt.diff import ZeroOrder
from torchopt.diff import zero_order as zo
from torchopt.distributed import Workers

ESTIMATORS = {
    "naive": zo.Naive(num_samples=5, sigma=0.1),
    "forward": zo.ForwardDifference(num_samples=5, sigma=0.1),
    "antithetic": zo.Antithetic(num_samples=5, sigma=0.1, baseline="leave_one_out"),
    "orthogonal": zo.Orthogonal(num_samples=4, sigma=0.1),
    "low rank": zo.LowRank(num_samples=5, sigma=0.1),
    "coordinate": zo.Coordinate(sigma=0.1),
    "forward gradient": zo.ForwardGradient(num_samples=5),
}


@pytest.fixture(autouse=True)
def one_thread():
    """As many threads as a worker has: the sums of two round otherwise."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def gradients(evaluation, estimator, function, *args):
    leaves = [a.detach().clone().requires_grad_() for a in args]
    torch.manual_seed(7)  # of the function's own random numbers
    value = ZeroOrder(estimator, evaluation, generator=3)(function)(*leaves)
    return value.detach(), *torch.autograd.grad(value.sum(), leaves)


@pytest.mark.parametrize(("name", "parts"), diagonal([*ESTIMATORS], [None, 3]))
def test_workers_give_the_numbers_of_a_loop(executor, name, parts):
    weight = torch.linspace(-1, 1, 6, dtype=torch.float64).reshape(2, 3)
    x = torch.tensor([[0.3, -0.2, 0.5], [1.0, 0.1, -0.4]], dtype=torch.float64)
    function = programs.noisy_layer
    expected = gradients(zo.Loop(), ESTIMATORS[name], function, weight, x)
    found = gradients(Workers(executor, parts=parts), ESTIMATORS[name], function, weight, x)
    for one, two in zip(found, expected, strict=True):
        assert torch.equal(one, two)


def test_modules_and_auxiliary_output_travel(executor):
    net = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Dropout(0.3)).double()
    x = torch.randn(5, 3, dtype=torch.float64)
    found = []
    for evaluation in (zo.Loop(), Workers(executor)):
        torch.manual_seed(0)
        net[1].reset_running_stats()
        mode = ZeroOrder(zo.Antithetic(num_samples=4, sigma=0.1), evaluation, generator=0)
        y = x.clone().requires_grad_()
        value, aux = mode(programs.with_label, argnums=0, has_aux=True)(y, net)
        value.backward()
        found.append((y.grad, net[1].running_mean.clone(), net[1].num_batches_tracked.clone()))
        assert aux == "a label"
    for one, two in zip(*found, strict=True):
        assert torch.equal(one, two)


@pytest.mark.processes
def test_a_worker_that_dies_costs_a_retry(process_executor, tmp_path):
    function = functools.partial(
        programs.first_dies_later, path=str(tmp_path / "died"), how=signal.SIGKILL
    )
    x = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
    mode = ZeroOrder(zo.Coordinate(sigma=0.1), Workers(process_executor))
    mode(function)(x).backward()
    torch.testing.assert_close(x.grad, 2 * x.detach())


@pytest.mark.processes
def test_what_cannot_be_used_is_told(process_executor):
    x = torch.ones(2, requires_grad=True)
    mode = ZeroOrder(zo.SPSA(num_samples=2), Workers(process_executor))
    value = mode(lambda x: x.sum())(x)
    with pytest.raises(TypeError, match="cannot be sent to a worker"):
        value.backward()
    with pytest.raises(ValueError, match="`parts` is 0"):
        Workers(parts=0)
    search = zo.GaussianSearch(population=4)
    solver = search.solver(steps=1, evaluation=Workers("local"))
    with pytest.raises(TypeError, match="`Workers` is for `ZeroOrder`"):
        torchopt.minimize(torch.sum, torch.ones(2), solver=solver)

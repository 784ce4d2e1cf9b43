"""What all loops and norms are made of."""

from __future__ import annotations

import pytest
import torch

import torchopt
from torchopt.autodiff.loops import norm

HALVES = [torch.float16, torch.bfloat16]


@pytest.mark.parametrize("order", [0.5, 1, 2, 3, float("inf"), -float("inf")])
@pytest.mark.parametrize("dtype", HALVES)
@pytest.mark.parametrize("size", [5e3, 1e-4])
def test_norms_of_half_precision_are_those_of_float64(
    order: float, dtype: torch.dtype, size: float
) -> None:
    draws = torch.randn(900, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    x = (size * draws).to(dtype)
    expected = torch.linalg.vector_norm(x.double(), order)
    torch.testing.assert_close(
        norm({"x": x[:7], "y": x[7:]}, order).double(), expected, rtol=1e-5, atol=0
    )


@pytest.mark.parametrize("dtype", HALVES)
def test_inner_products_of_half_precision_are_those_of_float64(dtype: torch.dtype) -> None:
    x = torch.linspace(-300, 400, 600, dtype=torch.float64).to(dtype)
    y = torch.linspace(90, 500, 600, dtype=torch.float64).to(dtype)
    found = torchopt.pytree.tree_vdot_real((x[:50], x[50:]), (y[:50], y[50:]))
    torch.testing.assert_close(found.double(), x.double() @ y.double(), rtol=1e-5, atol=0)


@pytest.mark.parametrize("dtype", HALVES)
def test_gradients_of_micro_batches_have_the_mean_of_float64(dtype: torch.dtype) -> None:
    start, data = torch.zeros(3, dtype=dtype), torch.full((4, 3), 3e4, dtype=dtype)
    solution = torchopt.minimize(
        lambda x, batch: (x * batch).sum(1).mean(),
        start,
        solver=torchopt.sgd(1e-3),
        steps=1,
        batches=data[None],
        micro_batches=4,
    )
    expected = torch.full((3,), -30.0, dtype=torch.float64)
    torch.testing.assert_close(solution.params.double(), expected, rtol=0.01, atol=0)

"""The functions of formulas on numbers and tensors; on expressions, the formulas' own tests."""

from __future__ import annotations

import pytest
import torch

from _trees import generator, random_tensor
from torchopt.ops import running_mean, safe_sqrt, smooth_sign, sqrt, where


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32], ids=str)
def test_safe_root_is_the_root_and_flat_at_zero(dtype: torch.dtype) -> None:
    tiny = torch.finfo(dtype).tiny
    # At `tiny` itself releases of PyTorch differ: the derivative is zero, or that of the root.
    x = torch.tensor(
        [0.0, tiny / 2, 2 * tiny, 0.3, 7.0, torch.inf], dtype=dtype, requires_grad=True
    )
    y = safe_sqrt(x)
    ulps = 4 * torch.finfo(dtype).eps
    torch.testing.assert_close(y[2:], torch.sqrt(x[2:]), rtol=ulps, atol=0)
    torch.testing.assert_close(y[:2], torch.full_like(y[:2], tiny**0.5), rtol=ulps, atol=0)
    (first,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    (second,) = torch.autograd.grad(first[:5].sum(), x)
    assert torch.equal(first[:2].detach(), torch.zeros(2, dtype=dtype))
    torch.testing.assert_close(first[2:].detach(), 0.5 / torch.sqrt(x.detach()[2:]))
    assert second[:2].eq(0).all()
    assert safe_sqrt(torch.tensor(float("nan"), dtype=dtype)).isnan()


def test_running_mean_keeps_a_share_of_the_old() -> None:
    gen = generator(1)
    old, new = random_tensor(gen, (3, 2)), random_tensor(gen, (3, 2))
    for decay in (0.3, torch.tensor(0.3, dtype=torch.float64)):
        torch.testing.assert_close(running_mean(old, new, decay), old * 0.3 + new * 0.7)


def test_roots_and_choices_of_numbers_and_tensors() -> None:
    x = torch.tensor([4.0, 9.0], requires_grad=True)
    assert sqrt(9.0) == 3.0
    assert torch.equal(sqrt(x), torch.tensor([2.0, 3.0]))
    assert where(False, 1.0, 2.0) == 2.0
    assert torch.equal(where(x > 5, x, 0.0), torch.tensor([0.0, 9.0]))
    # Both branches stay in the graph whatever the condition is.
    y = torch.tensor([1.0, 1.0], requires_grad=True)
    slopes = torch.autograd.grad(where(True, x, y).sum(), (x, y))
    assert torch.equal(slopes[0], torch.ones(2))
    assert torch.equal(slopes[1], torch.zeros(2))


def test_smooth_sign_is_a_hyperbolic_tangent_whose_limit_is_the_sign() -> None:
    x = torch.tensor([-3.0, -0.5, 0.0, 2.0], dtype=torch.float64, requires_grad=True)
    assert torch.equal(smooth_sign(x), torch.tensor([-1.0, -1.0, 0.0, 1.0], dtype=torch.float64))
    for width in (0.7, torch.tensor(0.7, dtype=torch.float64)):
        torch.testing.assert_close(smooth_sign(x, width), torch.tanh(x / 0.7))
    torch.testing.assert_close(smooth_sign(x, 1e-3), smooth_sign(x), rtol=0, atol=0)
    (slope,) = torch.autograd.grad(smooth_sign(x, 0.7).sum(), x)
    assert slope.min() > 0
    (flat,) = torch.autograd.grad(smooth_sign(x).sum(), x)
    assert flat.eq(0).all()

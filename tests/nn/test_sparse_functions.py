"""Sparsemax, entmax and relaxed top-k: closed forms, bisection, derivatives in all arguments."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable

import pytest
import torch
from torch.func import jacrev, vmap

from torchopt.nn.functional import entmax, k_subset, sparsemax

F64 = torch.float64


def scores(seed: int, *shape: int) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=F64)


def number(value: float) -> torch.Tensor:
    return torch.tensor(value, dtype=F64)


def by_bisection(value: Callable[[float], list[float]], total: float) -> list[float]:
    """Return the elements at the threshold where their sum, which falls, is a total."""
    low, high = -1e3, 1e3
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if math.fsum(value(middle)) > total else (low, middle)
    return value(low)


def entmax_by_bisection(x: list[float], alpha: float) -> list[float]:
    return by_bisection(
        lambda t: [max((alpha - 1) * s - t, 0.0) ** (1 / (alpha - 1)) for s in x], 1.0
    )


FUNCTIONS = {
    "sparsemax": sparsemax,
    "entmax": entmax,
    "entmax-3": functools.partial(entmax, alpha=3.0),
    "k_subset": functools.partial(k_subset, k=1.6),
}
by_function = pytest.mark.parametrize("function", FUNCTIONS.values(), ids=FUNCTIONS)


@pytest.mark.parametrize("alpha", [1.05, 1.3, 1.5, 2.0, 2.5, 6.0])
@pytest.mark.parametrize("spread", [0.01, 1.0, 30.0])
def test_entmax_is_that_of_bisection(alpha: float, spread: float) -> None:
    for x in spread * scores(1, 5, 7):
        expected = torch.tensor(entmax_by_bisection(x.tolist(), alpha), dtype=F64)
        found = entmax(x, alpha)
        # Of a power of 20 digits are lost, and a root makes the rounding errors of what is small large.
        power = max(alpha - 1, 1.0)
        torch.testing.assert_close(found**power, expected**power, rtol=0, atol=1e-11)
        if alpha <= 2:
            assert (found.sum() - 1).abs() <= 1e-12


def test_entmax_of_order_two_is_sparsemax_and_near_one_softmax() -> None:
    x = scores(2, 3, 8)
    torch.testing.assert_close(entmax(x, 2.0), sparsemax(x))
    torch.testing.assert_close(entmax(x, 1 + 1e-7), x.softmax(-1), rtol=0, atol=1e-6)


@pytest.mark.parametrize("k", [0.4, 1.0, 2.5, 4.0, 6.9])
def test_k_subset_is_that_of_bisection(k: float) -> None:
    def relaxed(x: list[float]) -> list[float]:
        return by_bisection(lambda t: [min(max(s - t, 0.0), 1.0) for s in x], k)

    for x in 2 * scores(4, 5, 7):
        expected = torch.tensor(relaxed(x.tolist()), dtype=F64)
        torch.testing.assert_close(k_subset(x, k), expected)


def test_k_subset_chooses_all_or_nothing_of_scores_that_are_far_apart() -> None:
    x = torch.tensor([4.0, -2.0, 9.0, 1.0, 2.5], dtype=F64)
    expected = torch.tensor([1.0, 0.0, 1.0, 0.0, 0.0], dtype=F64)
    torch.testing.assert_close(k_subset(x, 2), expected)
    assert jacrev(k_subset)(x, 2).eq(0).all()
    # One more is the third; one less is the second.
    k = number(2.0)
    assert jacrev(k_subset, 1)(x, k).tolist() == [1.0, 0.0, 0.0, 0.0, 0.0]
    torch.testing.assert_close(k_subset(x, 5), torch.ones(5, dtype=F64))
    assert k_subset(x, 0).eq(0).all()


@by_function
def test_derivatives_in_scores_are_those_of_differences(
    function: Callable[..., torch.Tensor],
) -> None:
    x = (scores(6, 5) / 2).requires_grad_()
    assert torch.autograd.gradcheck(function, x, check_forward_ad=True)
    assert torch.autograd.gradgradcheck(function, x)


def test_derivatives_in_alpha_are_those_of_differences() -> None:
    x = (scores(7, 3, 3) / 3).requires_grad_()
    order = torch.tensor([1.2, 1.5, 2.7], dtype=F64, requires_grad=True)
    assert torch.autograd.gradcheck(entmax, (x, order))
    assert torch.autograd.gradgradcheck(entmax, (x, order))


def test_the_derivative_in_k_is_that_of_differences() -> None:
    x, k = (scores(10, 2, 5) / 2).requires_grad_(), number(1.7).expand(2).clone().requires_grad_()
    assert torch.autograd.gradcheck(k_subset, (x, k), check_forward_ad=True)
    assert torch.autograd.gradgradcheck(k_subset, (x, k))


def test_batches_of_scores_and_of_orders() -> None:
    x, alpha = scores(11, 3, 6), torch.tensor([1.1, 1.5, 2.2], dtype=F64)
    rows = torch.stack([entmax(v, a) for v, a in zip(x, alpha, strict=True)])
    torch.testing.assert_close(entmax(x, alpha), rows)
    torch.testing.assert_close(vmap(entmax)(x, alpha), rows)
    torch.testing.assert_close(
        vmap(entmax, (None, 0))(x[0], alpha), torch.stack([entmax(x[0], a) for a in alpha])
    )
    torch.testing.assert_close(
        vmap(jacrev(entmax, (0, 1)))(x, alpha)[1],
        torch.stack([jacrev(entmax, 1)(v, a) for v, a in zip(x, alpha, strict=True)]),
    )
    torch.testing.assert_close(
        vmap(k_subset)(x, alpha),
        torch.stack([k_subset(v, a) for v, a in zip(x, alpha, strict=True)]),
    )


@by_function
def test_along_any_axis_and_in_any_precision(function: Callable[..., torch.Tensor]) -> None:
    x = scores(12, 2, 4, 3)
    torch.testing.assert_close(function(x, dim=1), function(x.mT).mT)
    torch.testing.assert_close(
        function(x, dim=(0, 2)).sum((0, 2)), function(x, dim=1).sum(1)[0, :1].expand(4)
    )
    torch.testing.assert_close(function(x, dim=None), function(x.flatten()).reshape(x.shape))
    for dtype in (torch.float32, torch.bfloat16, torch.float16):
        out = function(x.to(dtype))
        assert out.dtype == dtype
        exact = function(x.to(dtype).double())
        torch.testing.assert_close(out.double(), exact, rtol=0, atol=8 * torch.finfo(dtype).eps)


@by_function
def test_masked_scores_have_zero_and_no_derivative(function: Callable[..., torch.Tensor]) -> None:
    x = scores(13, 5)
    masked = torch.cat([x[:2], torch.full((1,), -torch.inf, dtype=F64), x[2:]])
    out = function(masked)
    assert out[2] == 0
    torch.testing.assert_close(torch.cat([out[:2], out[3:]]), function(x))
    jacobian = jacrev(function)(masked)
    assert jacobian.isfinite().all()
    assert jacobian[:, 2].eq(0).all()
    assert jacobian[2].eq(0).all()


def test_the_derivative_in_alpha_of_masked_scores_is_finite() -> None:
    x = torch.tensor([0.3, -torch.inf, 0.1], dtype=F64)
    assert jacrev(entmax, 1)(x, number(1.5)).isfinite().all()


@by_function
def test_large_scores_do_not_overflow(function: Callable[..., torch.Tensor]) -> None:
    x = scores(14, 6)
    torch.testing.assert_close(function(x + 2.0**30), function(x), rtol=0, atol=1e-6)
    assert function(1e30 * x).isfinite().all()


def test_wrong_arguments_are_refused() -> None:
    x = scores(16, 3)
    with pytest.raises(
        ValueError, match=r"`alpha` is 1\.0: use a finite number that is more than 1"
    ):
        entmax(x, 1.0)
    with pytest.raises(TypeError, match="`alpha` is an object of type str"):
        entmax(x, "2")
    with pytest.raises(ValueError, match="lie along `dim=1`"):
        entmax(x, dim=1)
    with pytest.raises(ValueError, match="`k` is 4: use a number from 0 to 3"):
        k_subset(x, 4)
    with pytest.raises(TypeError, match="`k` is an object of type str"):
        k_subset(x, "2")
    with pytest.raises(TypeError, match=r"`dim` is an object of type float"):
        sparsemax(x, 0.5)


def test_scores_that_are_nan_have_no_distribution() -> None:
    x = torch.tensor([[1.0, float("nan")], [0.0, 1.0]])
    for function in (entmax, functools.partial(k_subset, k=1), sparsemax):
        out = function(x)
        assert out[0].isnan().all()
        torch.testing.assert_close(out[1], function(x[1]))

"""The work of matrix products and convolutions, counted by hand and by `work_of`."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch.fx.experimental.proxy_tensor import make_fx

from torchopt.autodiff.matrix_work import Work, work_of


def work(function: Callable[..., object], *shapes: tuple[int, ...], device: str = "cpu") -> Work:
    inputs = (torch.empty(shape, device=device) for shape in shapes)
    return work_of(make_fx(function, tracing_mode="fake")(*inputs))


def test_products_and_convolutions_are_counted_and_the_rest_are_other_operations() -> None:
    product = work(lambda a, b: (a @ b).tanh().sin(), (3, 5), (5, 7))
    assert product == (2 * 3 * 5 * 7, 2)
    batched = work(torch.bmm, (4, 3, 5), (4, 5, 7))
    assert batched == (4 * 2 * 3 * 5 * 7, 0)
    image = work(torch.nn.functional.conv2d, (2, 3, 8, 8), (5, 3, 3, 3))
    assert image.flops == 2 * (2 * 5 * 6 * 6) * (3 * 3 * 3)


def test_what_is_computed_elsewhere_is_not_counted() -> None:
    assert work(torch.mm, (3000, 3000), (3000, 3000)).is_products
    assert not work(torch.mm, (3000, 3000), (3000, 3000), device="meta").is_products


@pytest.mark.parametrize(("width", "dominates"), [(20, False), (1000, True)])
def test_wide_layers_dominate_and_narrow_ones_do_not(width: int, dominates: bool) -> None:
    def layer(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
        return torch.func.grad(lambda w: (x @ w).tanh().square().mean())(w)

    assert work(layer, (100, width), (width, width)).is_products is dominates


def test_the_body_of_a_loop_counts_once() -> None:
    def loop(x: torch.Tensor) -> torch.Tensor:
        count = torch.zeros((), dtype=torch.int64)
        _, out = torch._higher_order_ops.while_loop(
            lambda i, x: i < 5, lambda i, x: (i + 1, x @ x), (count, x)
        )
        return out

    assert work(loop, (3, 3)).flops == 2 * 3 * 3 * 3


def test_nothing_does_not_dominate() -> None:
    assert not Work().is_products

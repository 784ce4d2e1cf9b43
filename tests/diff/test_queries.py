"""Gradients of several losses after one training: one backward pass for all, under each mode."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

import torchopt
from _cases import diagonal
from torchopt import diff
from torchopt.diff import Explicit
from torchopt.diff.zero_order import Antithetic

F64 = torch.float64
GEN = torch.Generator().manual_seed(0)
X, Y, QUERIES = (torch.randn(n, 3, generator=GEN, dtype=F64) for n in (6, 6, 3))

#: The mode, and whether ``is_grads_batched=True`` takes it, too.
MODES: dict[str, tuple[Any, bool]] = {
    "graph": (Explicit(), True),
    "graph, offloaded": (Explicit(offload="disk"), True),
    "step": (Explicit("step"), True),
    "step, first order": (Explicit("step", first_order=True), True),
    "step, first order, by differences": (
        Explicit("step", hvp="finite_difference", first_order=True),
        True,
    ),
    "step, forward": (Explicit("step", hvp="forward"), False),
    "step, by differences": (Explicit("step", hvp="finite_difference"), False),
    "step, offloaded": (Explicit("step", offload="disk"), True),
    "sqrt": (Explicit("sqrt"), True),
    "tree": (Explicit("tree"), True),
    "tree, truncated": (Explicit("tree", truncate=3), True),
    "forward": (Explicit("forward"), True),
    "one step": (diff.OneStep(), True),
    "implicit": (diff.Implicit(), False),
    "zero order": (diff.ZeroOrder(Antithetic(num_samples=2), generator=0), False),
}


def evaluations(call: Callable[[], Tensor], count: list[int]) -> tuple[Tensor, int]:
    before = len(count)
    return call(), len(count) - before


@pytest.mark.parametrize(("name", "parts"), diagonal([*MODES], [1, 2]))
def test_queries_are_one_backward_pass(name: str, parts: int) -> None:
    mode, is_legacy = MODES[name]
    weights = torch.linspace(0.5, 1.5, 6, dtype=F64).requires_grad_()
    count: list[int] = []

    def loss(params: Tensor, weights: Tensor, rows: Tensor) -> Tensor:
        count.append(1)
        errors = (X[rows] * (params - Y[rows])).square().sum(1)
        return (weights[rows] * errors).mean() + (params**4).sum() / 10

    rows: Any = torch.arange(6)
    options: Any = {
        "solver": torchopt.sgd(0.1, momentum=0.9),
        "steps": 4,
        "batches": [rows] * 4,
        "micro_batches": parts,
    }
    args: Any = (weights,)
    if name == "implicit":
        args, options = (weights, rows), {}
    params = torchopt.minimize(loss, torch.zeros(3, dtype=F64), args, diff=mode, **options).params
    values = (QUERIES @ params).square()

    def along(cotangent: Tensor) -> Tensor:
        return torch.autograd.grad(values, weights, cotangent, retain_graph=True)[0]

    eye = torch.eye(len(QUERIES), dtype=F64)
    truth, one = evaluations(lambda: along(eye[0]), count)
    expected = torch.stack([truth, *map(along, eye[1:])])
    found, all_at_once = evaluations(lambda: torch.func.vmap(along)(eye), count)
    tolerance = 1e-8 if "differences" in name else 1e-12
    torch.testing.assert_close(found, expected, rtol=tolerance, atol=tolerance)
    assert all_at_once <= one or name == "zero order"  # which takes samples of its own
    in_chunks, twice = evaluations(lambda: torch.func.vmap(along, chunk_size=2)(eye), count)
    torch.testing.assert_close(in_chunks, expected, rtol=tolerance, atol=tolerance)
    assert twice == 2 * all_at_once

    def by_flag() -> Tensor:
        return torch.autograd.grad(values, weights, eye, is_grads_batched=True, retain_graph=True)[
            0
        ]

    if is_legacy:
        found, all_at_once = evaluations(by_flag, count)
        torch.testing.assert_close(found, expected, rtol=1e-12, atol=1e-12)
        assert all_at_once == one
    else:
        with pytest.raises(
            RuntimeError, match=r"call `torch.autograd.grad` inside `torch.func.vmap`"
        ):
            by_flag()

"""Low-rank directions: the moved matrix, used in any way, without being made where it need not be."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch.nn import functional as F

from torchopt import diff
from torchopt.diff import zero_order as zo
from torchopt.diff.zero_order._low_rank import ThinShift
from torchopt.diff.zero_order._perturbed import Perturbed

torch.manual_seed(0)
W = torch.randn(4, 5, dtype=torch.float64)
A, B = torch.randn(4, 2, dtype=torch.float64), torch.randn(5, 2, dtype=torch.float64)
ROWS, COLUMNS = torch.randn(3, 5, dtype=torch.float64), torch.randn(3, 4, dtype=torch.float64)
STACK = torch.randn(2, 5, 6, dtype=torch.float64)
BIAS = torch.randn(4, dtype=torch.float64)
INDEX = torch.tensor([[0, 3], [1, 1]])

THIN = {
    "linear": lambda w: F.linear(ROWS, w),
    "linear of a vector, with a bias": lambda w: F.linear(ROWS[0], w, bias=BIAS),
    "x @ w": lambda w: COLUMNS @ w,
    "vector @ w": lambda w: COLUMNS[0] @ w,
    "w @ vector": lambda w: w @ ROWS[0],
    "w @ batch": lambda w: w @ STACK,
    "matmul": lambda w: torch.matmul(COLUMNS, w),
    "mm": lambda w: w.mm(ROWS.T),
    "embedding": lambda w: F.embedding(INDEX, w),
}
MADE = {
    "linear by keywords": lambda w: F.linear(input=ROWS, weight=w),
    "transposed": lambda w: ROWS @ w.T,
    "of itself": lambda w: w @ w.T @ w,
    "matmul of two": lambda w: torch.matmul(w.T, w),
    "norm": lambda w: w.norm(),
    "rows": lambda w: torch.stack([row.sin() for row in w]),
    "a list of it": lambda w: torch.cat([w, w]),
    "item": lambda w: torch.tensor(w[0, 0].item()),
    "numpy": lambda w: torch.as_tensor(w.numpy() ** 2),
    "the matrix itself": lambda w: w,
    "detached": lambda w: w.detach() * 2,
    "data": lambda w: w.data * 2,
    "bilinear": lambda w: torch.einsum("ij,kj->ik", ROWS, w),
    "a bounded embedding": lambda w: F.embedding(INDEX, w.clone(), max_norm=0.5),
}


@pytest.mark.parametrize("name", [*THIN, *MADE])
def test_every_use_of_a_matrix_sees_it_moved(name: str) -> None:
    use = (THIN | MADE)[name]
    moved = W.clone()
    with Perturbed({id(moved): ThinShift(A, B)}) as mode:
        found = use(moved)
    found = mode.result(found)
    torch.testing.assert_close(found, use(W + A @ B.T))
    assert torch.equal(moved, W)


@pytest.mark.parametrize("name", THIN)
def test_products_do_not_make_the_moved_matrix(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise AssertionError("made")

    monkeypatch.setattr(ThinShift, "moved", fail)
    with Perturbed({id(W): ThinShift(A, B)}):
        THIN[name](W)


def test_what_tells_of_the_matrix_but_not_its_values_makes_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(ThinShift, "moved", None)
    with Perturbed({id(W): ThinShift(A, B)}) as mode:
        assert (W.shape, W.size(0), len(W), W.dtype) == ((4, 5), 4, 4, torch.float64)
        assert W.grad is None
    assert not mode.seen


@pytest.mark.parametrize(
    "write",
    [
        lambda w: w.mul_(2),
        lambda w: w.__setitem__(0, 1.0),
        lambda w: torch.nn.init.zeros_(w),
        lambda w: setattr(w, "data", W),
    ],
)
def test_writing_to_a_moved_tensor_gets_one_sentence(
    write: Callable[[torch.Tensor], object],
) -> None:
    moved = W.clone()
    mode = Perturbed({id(moved): ThinShift(A, B)})
    with pytest.raises(ValueError, match="the function writes to a parameter of shape"), mode:
        write(moved)
    assert torch.equal(moved, W)


def dense(
    estimator: zo.LowRank, fn: Callable[..., torch.Tensor], theta: list[torch.Tensor]
) -> list:
    """Return the estimate at seed 0, with all moved tensors made."""
    noise = estimator.noise(theta, torch.Generator().manual_seed(0))
    total = torch.zeros(noise.shape[1], dtype=torch.float64)
    sizes = [t.numel() for t in theta]
    for row in noise:
        steps = [
            s.reshape(t.shape) * estimator.sigma
            for s, t in zip(row.split(sizes), theta, strict=True)
        ]
        plus = fn(*[t + s for t, s in zip(theta, steps, strict=True)])
        minus = fn(*[t - s for t, s in zip(theta, steps, strict=True)])
        total += (plus - minus) * row / (2 * estimator.sigma * noise.shape[0])
    return [part.reshape(t.shape) for part, t in zip(total.split(sizes), theta, strict=True)]


def network(table: torch.Tensor, first: torch.Tensor, bias: torch.Tensor, last: torch.Tensor):
    x = F.embedding(INDEX, table)
    x = torch.tanh(F.linear(x, first, bias))
    return (F.conv1d(x.mT, last).sum() + x.sum() * first.square().mean()).sin()


@pytest.mark.parametrize("evaluation", [zo.Loop(), zo.Vmap(), zo.Vmap(chunk_size=3)], ids=repr)
@pytest.mark.parametrize("rank", [1, 3])
def test_the_estimate_for_a_network_is_that_of_moved_tensors(
    rank: int, evaluation: zo.Evaluation
) -> None:
    generator = torch.Generator().manual_seed(1)
    shapes = [(4, 5), (6, 5), (6,), (2, 6, 1)]
    theta = [torch.randn(s, dtype=torch.float64, generator=generator) for s in shapes]
    estimator = zo.LowRank(num_samples=4, sigma=0.1, rank=rank)
    leaves = [t.clone().requires_grad_() for t in theta]
    found = torch.autograd.grad(
        diff.ZeroOrder(estimator, evaluation, generator=0)(network)(*leaves), leaves
    )
    for f, e in zip(found, dense(estimator, network, theta), strict=True):
        torch.testing.assert_close(f, e)


def test_a_matrix_that_is_passed_twice_is_two_unknowns() -> None:
    estimator = zo.LowRank(num_samples=4, sigma=0.1)
    w = W.clone().requires_grad_()
    fn = diff.ZeroOrder(estimator, generator=0)(lambda a, b: (a @ b.T).sum().sin())
    (found,) = torch.autograd.grad(fn(w, w), w)
    expected = dense(estimator, lambda a, b: (a @ b.T).sum().sin(), [W, W])
    torch.testing.assert_close(found, expected[0] + expected[1])


def test_the_population_is_one_product_with_the_shared_matrix() -> None:
    """The moved matrices of all members would be n times m times p numbers."""
    seen = []

    class Log(torch.utils._python_dispatch.TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            out = func(*args, **(kwargs or {}))
            seen.extend(t.numel() for t in [out] if isinstance(t, torch.Tensor))
            return out

    n, m, p = 50, 40, 30
    w = torch.randn(m, p, requires_grad=True)
    x = torch.randn(3, p)
    fn = diff.ZeroOrder(zo.LowRank(num_samples=n, sigma=0.1), zo.Vmap(), generator=0)(
        lambda w: F.linear(x, w).square().sum()
    )
    y = fn(w)
    with Log():
        y.backward()
    assert max(seen) < 2 * n * m * p / 5
    assert w.grad is not None


def test_half_precision_matrices_keep_their_dtype() -> None:
    w = torch.randn(3, 4, dtype=torch.bfloat16, requires_grad=True)
    fn = diff.ZeroOrder(zo.LowRank(num_samples=4, sigma=0.5), zo.Vmap(), generator=0)(
        lambda w: F.linear(torch.ones(2, 4, dtype=torch.bfloat16), w).sum()
    )
    fn(w).backward()
    assert w.grad.dtype == torch.bfloat16
    assert bool(w.grad.isfinite().all())

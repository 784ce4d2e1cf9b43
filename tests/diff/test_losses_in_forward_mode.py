"""Losses under dual numbers: predictions, targets or both move, and the rest is constant."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch
import torch.nn.functional as F
from torch.autograd import forward_ad

import torchopt
from _cases import covering
from torchopt.diff import Explicit, Implicit

Tensor = torch.Tensor
DTYPE = torch.float64
LABELS = torch.tensor([1, 0, 2, 2])
LOSSES: dict[str, Callable[..., Tensor]] = {
    "mse": F.mse_loss,
    "weighted mse": lambda p, t, **o: F.mse_loss(p, t, weight=torch.ones_like(p).cumsum(0), **o),
    "l1": F.l1_loss,
    "smooth_l1": F.smooth_l1_loss,
    "huber": F.huber_loss,
    "bce": lambda p, t, **o: F.binary_cross_entropy(p.sigmoid(), t, **o),
    "bce with logits": F.binary_cross_entropy_with_logits,
    "kl": lambda p, t, reduction: F.kl_div(
        p.log_softmax(1), t, reduction=reduction.replace("mean", "batchmean")
    ),
    "nll": lambda p, t, **o: F.nll_loss((p * t).log_softmax(1), LABELS, **o),
    "cross entropy": F.cross_entropy,
    "poisson": F.poisson_nll_loss,
    "gaussian": lambda p, t, **o: F.gaussian_nll_loss(p, t, t + 0.1, **o),
}
MODES = [Explicit("forward"), Explicit("step", hvp="forward")]


def draw(*shape: int, seed: int) -> Tensor:
    return torch.rand(*shape, generator=torch.Generator().manual_seed(seed), dtype=DTYPE)


@pytest.mark.parametrize(
    ("what", "name", "reduction"),
    covering(["prediction", "target", "both"], [*LOSSES], ["none", "mean", "sum"]),
)
def test_a_loss_has_the_hypergradient_of_reverse_mode(what: str, name: str, reduction: str) -> None:
    x, target, phi = draw(4, 2, seed=1), draw(4, 3, seed=2), draw((), seed=3).requires_grad_()

    def objective(w: Tensor, phi: Tensor) -> Tensor:
        y = x @ w if what == "target" else (x @ w) * phi
        t = target if what == "prediction" else target * (0.5 + 0.5 * phi)
        return LOSSES[name](y, t, reduction=reduction).sum()

    def hypergradient(diff: Explicit) -> Tensor:
        start = draw(2, 3, seed=4).requires_grad_(diff.memory != "forward")
        solver = torchopt.sgd(0.1)
        solution = torchopt.minimize(objective, start, (phi,), solver=solver, steps=2, diff=diff)
        (found,) = torch.autograd.grad(solution.params.square().sum(), phi)
        return found

    expected = hypergradient(Explicit())
    for diff in MODES:
        torch.testing.assert_close(hypergradient(diff), expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(
    ("kind", "dtype"), covering([torch.nn.LSTM, torch.nn.GRU, torch.nn.RNN], [torch.float32, DTYPE])
)
def test_a_recurrent_network_has_the_hypergradient_of_reverse_mode(
    kind: type[torch.nn.RNNBase], dtype: torch.dtype
) -> None:
    """In float32 there is a kernel of oneDNN for the first, without forward derivatives."""
    torch.manual_seed(0)
    net = kind(3, 4, num_layers=2, batch_first=True)
    start = {k: v.detach().to(dtype) for k, v in net.named_parameters()}
    net.to(dtype)
    x, y = draw(5, 6, 3, seed=1).to(dtype), draw(5, 4, seed=2).to(dtype)

    def objective(params: dict[str, Tensor], phi: Tensor) -> Tensor:
        out = torch.func.functional_call(net, params, (x,))[0][:, -1]
        return F.mse_loss(phi * out, y) + phi**2 * params["weight_hh_l0"].square().mean()

    def hypergradient(diff: Explicit) -> Tensor:
        phi = torch.tensor(0.7, dtype=dtype, requires_grad=True)
        solver = torchopt.sgd(0.3, momentum=0.5)
        solution = torchopt.minimize(objective, start, (phi,), solver=solver, steps=3, diff=diff)
        total = sum(t.square().sum() for t in solution.params.values())
        return torch.autograd.grad(total, phi)[0]

    expected = hypergradient(Explicit())
    tol = 1e-4 if dtype == torch.float32 else 1e-9
    for diff in MODES:
        torch.testing.assert_close(hypergradient(diff), expected, rtol=tol, atol=0)


@pytest.mark.parametrize("diff", MODES, ids=str)
@pytest.mark.parametrize("start", ["expanded", "windows"])
def test_entries_of_a_start_may_share_memory(start: str, diff: Explicit) -> None:
    def hypergradients(diff: Explicit) -> tuple[Tensor, ...]:
        base = draw(4, seed=4).requires_grad_()
        rows = base[:2].expand(3, 2) if start == "expanded" else base.unfold(0, 2, 1)
        phi, weights = draw(3, 2, seed=5).requires_grad_(), draw(3, 2, seed=6)
        x = torchopt.minimize(
            lambda x, phi: (x.pow(4) * phi).sum(),
            rows,
            (phi,),
            solver=torchopt.sgd(0.1),
            steps=2,
            diff=diff,
        ).params
        return torch.autograd.grad((x * weights).sum(), (base, phi))

    for found, expected in zip(hypergradients(diff), hypergradients(Explicit()), strict=True):
        torch.testing.assert_close(found, expected)


@pytest.mark.parametrize("diff", MODES, ids=str)
@pytest.mark.parametrize("layout", [torch.sparse_coo, torch.sparse_csr])
@pytest.mark.filterwarnings("ignore:Sparse")
def test_a_constant_sparse_matrix_is_refused(layout: torch.layout, diff: Explicit) -> None:
    matrix, phi = draw(3, 3, seed=7).to_sparse(layout=layout), draw(3, seed=8).requires_grad_()

    def solve() -> Tensor:
        return torchopt.minimize(
            lambda x, phi: (matrix @ x - phi).pow(4).sum(),
            draw(3, seed=9),
            (phi,),
            solver=torchopt.sgd(0.1),
            steps=2,
            diff=diff,
        ).params

    with pytest.raises(
        NotImplementedError, match=r"^PyTorch has no forward mode for sparse tensors"
    ):
        torch.autograd.grad(solve().sum(), phi)


def test_forward_mode_in_two_threads_is_named() -> None:
    c = torch.ones(2, requires_grad=True)

    def gradient() -> torch.Tensor:
        x = torchopt.minimize(
            lambda x, c: (x - c).square().sum(),
            torch.zeros_like(c),  # a thread has no default device
            (c,),
            solver=torchopt.solver.Newton(),
            diff=Implicit(hvp="forward"),
        ).params
        return torch.autograd.grad(x.sum(), c)[0]

    with ThreadPoolExecutor() as pool:
        torch.testing.assert_close(pool.submit(gradient).result(), torch.ones(2))
        with forward_ad.dual_level():
            error = pool.submit(gradient).exception()
    assert str(error).startswith("a derivative in forward mode is under way, ")

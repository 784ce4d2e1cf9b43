"""Random quadratic programs, who solves them, and gradients by the equations of the active rows."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

import torch

__all__ = ["CONTENDERS", "problem", "reference"]

Blocks = tuple[torch.Tensor, ...]
Solve = Callable[[], torch.Tensor]


def problem(batch: int, n: int, device: str = "cpu", seed: int = 0) -> Blocks:
    """Return feasible programs with n inequalities and n / 5 equalities, as leaves."""
    g = torch.Generator().manual_seed(seed)
    p = n // 5

    def normal(*shape: int) -> torch.Tensor:
        return torch.randn(*shape, generator=g, dtype=torch.float64)

    L = normal(batch, n, n)
    Q = L @ L.mT / n + 0.1 * torch.eye(n, dtype=torch.float64)
    c, G, x = normal(batch, n), normal(batch, n, n) / n**0.5, normal(batch, n, 1)
    h = (G @ x).squeeze(-1) + torch.rand(batch, n, generator=g, dtype=torch.float64)
    A = normal(batch, p, n) / n**0.5
    blocks = (Q, c, G, h, A, (A @ x).squeeze(-1))
    return tuple(t.to(device).requires_grad_() for t in blocks)


def reference(blocks: Blocks, weights: torch.Tensor) -> tuple[list[torch.Tensor], torch.Tensor]:
    """Return the gradients of the weighted solutions, and by how much complementarity is strict."""
    near = _ours(blocks)().detach()
    gradients, margins = [torch.zeros_like(t) for t in blocks], []
    for i in range(len(near)):
        Q, c, G, h, A, b = single = [t[i].detach().requires_grad_() for t in blocks]
        active = (h - G @ near[i]).detach() < 1e-8
        rows, side = torch.cat([G[active], A]), torch.cat([h[active], b])
        zero = rows.new_zeros(len(rows), len(rows))
        Q = (Q + Q.mT) / 2
        matrix = torch.cat([torch.cat([Q, rows.mT], 1), torch.cat([rows, zero], 1)])
        both = torch.linalg.solve(matrix, torch.cat([-c, side]))
        x, z = both[: len(c)], both[len(c) : len(c) + int(active.sum())]
        margin = torch.cat([z, (h - G @ x)[~active]]).min().detach()
        assert margin > -1e-9, "the active rows are not those of the solution"
        margins.append(margin)
        for whole, g in zip(
            gradients, torch.autograd.grad((x * weights[i]).sum(), single), strict=True
        ):
            whole[i] = g
    return gradients, torch.stack(margins)


def _ours(blocks: Blocks) -> Solve:
    import torchopt

    Q, c, G, h, A, b = blocks
    return lambda: torchopt.quadratic_program(Q, c, G=G, h=h, A=A, b=b).params


def _qpth(blocks: Blocks) -> Solve:
    function = import_module("qpth.qp").QPFunction
    return lambda: function(verbose=-1, eps=1e-9, maxIter=30)(*blocks)


def _proxsuite(blocks: Blocks) -> Solve:
    Q, c, G, h, A, b = blocks
    lower = torch.full_like(h, -1e20)
    solve = import_module("proxsuite.torch.qplayer").QPFunction(
        structural_feasibility=True, eps=1e-9
    )
    return lambda: solve(Q, c, A, b, G, lower, h)[0]


def _diffcp(blocks: Blocks) -> Solve:
    cp = import_module("cvxpy")
    n, m, p = blocks[1].shape[-1], blocks[3].shape[-1], blocks[5].shape[-1]
    shapes = ((n, n), (n,), (m, n), (m,), (p, n), (p,))
    root, c, G, h, A, b = parameters = [cp.Parameter(shape) for shape in shapes]
    x = cp.Variable(n)
    objective = cp.Minimize(0.5 * cp.sum_squares(root @ x) + c @ x)
    layer = import_module("cvxpylayers.torch").CvxpyLayer(
        cp.Problem(objective, [G @ x <= h, A @ x == b]), parameters, [x]
    )
    return lambda: layer(torch.linalg.cholesky(blocks[0]).mT, *blocks[1:])[0]


CONTENDERS: dict[str, Callable[[Blocks], Solve]] = {
    "ours": _ours,
    "qpth": _qpth,
    "proxsuite": _proxsuite,
    "diffcp": _diffcp,
}

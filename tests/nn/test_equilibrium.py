"""A batch of fixed points: a tolerance for each row, and gradients of a loop over rows."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import nn

import torchopt
from _differences import assert_derivatives_are_differences
from torchopt.diff import Explicit, Implicit
from torchopt.linear_solve import GMRES
from torchopt.nn import Equilibrium
from torchopt.solver import Anderson, FixedPointIteration, Newton

_EXACT = Implicit(linear_solve=GMRES(rtol=1e-12))
_WIDTH = 4


class _Cell(nn.Module):
    """A contraction whose rows are hard to different degrees."""

    def __init__(self, norm: nn.Module | None = None) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.recur = nn.Linear(_WIDTH, _WIDTH, dtype=torch.float64)
        with torch.no_grad():
            self.recur.weight *= 0.9 / torch.linalg.matrix_norm(self.recur.weight, 2)
        self.norm = nn.Identity() if norm is None else norm.double()

    def forward(self, z: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        assert z.dim() == x.dim() == 2
        return torch.tanh(self.recur(self.norm(z)) + x)


def _rows(count: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(1)
    x = torch.randn(count, _WIDTH, dtype=torch.float64, generator=generator)
    return (x * torch.linspace(0.1, 3, count, dtype=torch.float64)[:, None]).requires_grad_()


def _looped(cell: nn.Module, x: torch.Tensor, **options: Any) -> torch.Tensor:
    """One fixed point after the other."""
    start = torch.zeros(1, _WIDTH, dtype=torch.float64)
    return torch.cat([torchopt.fixed_point(cell, start, (r[None],), **options).params for r in x])


def test_the_iterations_of_a_row_do_not_depend_on_the_rows_beside_it() -> None:
    cell, x = _Cell(), _rows(64)
    layer, start = Equilibrium(cell), torch.zeros_like(x)
    together = layer.solve(start, x)
    assert together.iterations.shape == together.error.shape == together.converged.shape == (64,)
    assert together.converged.all()
    assert together.iterations.min() < together.iterations.max()
    for k in (0, 8, 40, 63):
        row = slice(k, k + 1)
        alone = layer.solve(start[row], x[row])
        # Rounding may be worth one iteration, and as much as the tolerance of the solver leaves.
        assert abs(int(alone.iterations) - int(together.iterations[k])) <= 1
        torch.testing.assert_close(alone.params, together.params[row], rtol=1e-7, atol=1e-8)


def test_a_row_out_of_scale_leaves_the_tolerance_of_the_others() -> None:
    scale = torch.tensor([[1.0], [1e8]], dtype=torch.float64)
    target = torch.tensor([[0.1, 0.2], [0.3, 0.4]], dtype=torch.float64) * scale

    def cell(z: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        return target + 0.5 * torch.sin(z)

    z = Equilibrium(cell, solver=FixedPointIteration(rtol=1e-6))(target, target).detach()
    residual = (z - cell(z, target).detach()).norm(dim=1)
    assert residual[0] < 1e-6  # of a batch as one vector, within 1e-6 * 1e8


@pytest.mark.parametrize(
    ("solver", "diff"),
    [
        (Anderson(rtol=0.0, atol=1e-13), _EXACT),
        (Anderson(rtol=0.0, atol=1e-13), Explicit()),
        (Newton(rtol=0.0, atol=1e-13), _EXACT),
        (FixedPointIteration(rtol=0.0, atol=1e-13), Explicit()),
    ],
)
def test_solution_and_gradients_equal_those_of_a_loop_over_rows(solver: Any, diff: Any) -> None:
    cell, x = _Cell(), _rows(5)
    options = {"solver": solver, "diff": diff}
    weight = torch.randn(5, _WIDTH, generator=torch.Generator().manual_seed(2)).double()
    variables = [x, *cell.parameters()]
    z = Equilibrium(cell, **options)(torch.zeros_like(x), x)
    expected = _looped(cell, x, **options)
    torch.testing.assert_close(z, expected, rtol=0, atol=1e-12)
    gradients = torch.autograd.grad((z * weight).sum(), variables)
    wanted = torch.autograd.grad((expected * weight).sum(), variables)
    for g, w in zip(gradients, wanted, strict=True):
        assert w.abs().max() > 0.1
        torch.testing.assert_close(g, w, rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("norm", [nn.LayerNorm(_WIDTH), pytest.param(None, marks=pytest.mark.slow)])
def test_first_and_second_derivatives_are_differences(norm: nn.Module | None) -> None:
    cell = _Cell(norm)
    layer = Equilibrium(cell, solver=Anderson(rtol=0.0, atol=1e-13), diff=_EXACT)

    def f(x: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
        tensors = {"cell.recur.bias": bias}
        return torchopt.nn.functional_call(layer, tensors, (0.1 + torch.zeros_like(x), x))

    assert_derivatives_are_differences(f, (_rows(2), cell.recur.bias.detach()))


def test_batch_dims_zero_is_one_fixed_point_and_two_are_a_grid() -> None:
    cell, x = _Cell(), _rows(6)
    one = Equilibrium(cell, batch_dims=0).solve(torch.zeros_like(x), x)
    face = torchopt.fixed_point(cell, torch.zeros_like(x), (x,))
    assert one.iterations == face.iterations
    assert one.iterations.dim() == 0
    assert one.params.equal(face.params)

    def wide(z: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        assert z.shape == (1, 1, _WIDTH)
        return cell(z[0], x[0])[None]

    rows = Equilibrium(cell).solve(torch.zeros_like(x), x)
    grid = Equilibrium(wide, batch_dims=2).solve(
        torch.zeros(2, 3, _WIDTH).double(), x.view(2, 3, -1)
    )
    assert grid.iterations.shape == (2, 3)
    assert grid.iterations.flatten().equal(rows.iterations)
    assert grid.params.flatten(0, 1).equal(rows.params)


def test_batch_norm_is_refused_in_training_and_read_in_evaluation() -> None:
    cell, x = _Cell(nn.BatchNorm1d(_WIDTH)), _rows(5)
    layer = Equilibrium(cell)
    with pytest.raises(ValueError, match=r"`cell.norm` is a BatchNorm1d .* use `batch_dims=0`"):
        layer(torch.zeros_like(x), x)
    layer.eval()
    torch.testing.assert_close(layer(torch.zeros_like(x), x), _looped(cell, x))
    without = _Cell(nn.BatchNorm1d(_WIDTH, track_running_stats=False))
    with pytest.raises(ValueError, match="the whole batch"):
        Equilibrium(without).eval()(torch.zeros_like(x), x)


@pytest.mark.parametrize(
    ("options", "error"),
    [({"batch_dims": -1}, ValueError), ({"batch_dims": True}, ValueError), ({}, TypeError)],
)
def test_wrong_arguments_are_refused(options: Any, error: type[Exception]) -> None:
    cell: Any = _Cell() if options else 3
    with pytest.raises(error):
        Equilibrium(cell, **options)


def test_tensors_without_the_rows_of_the_start_are_refused() -> None:
    layer, x = Equilibrium(_Cell()), _rows(3)
    with pytest.raises(ValueError, match="first 1 of its axes must count rows, of which `z` has"):
        layer(torch.zeros_like(x), x[:2])
    with pytest.raises(ValueError, match="by keyword"):
        layer(torch.zeros_like(x), torch.tensor(1.0))
    with pytest.raises(ValueError, match="no rows"):
        layer(x[:0], x[:0])


def test_a_batch_by_keyword_is_refused_with_its_name() -> None:
    layer, x = Equilibrium(lambda z, x: z / 2 + x["b"][0]), _rows(3)
    words = r"`cell\(z\)` has shape \(3, 4\) for one row: .*, and `x\['b'\]\[0\]` has a batch: "
    with pytest.raises(ValueError, match=words + r"pass it by position\."):
        layer(torch.zeros_like(x), x={"b": [x, x[0]]})
    with pytest.raises(
        ValueError, match=r"has shape \(4,\) for one row: return one row for one row, or use `b"
    ):
        Equilibrium(lambda z: z[0] / 2)(x)
    # What all rows share has no batch.
    solved = layer(torch.zeros_like(x), x={"b": [x[:1]]})
    torch.testing.assert_close(solved, 2 * x[:1].expand(3, -1))

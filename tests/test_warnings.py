"""Warnings point at the line of the user, once for each line."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

import torchopt
from _traced import TRACED
from torchopt import diff, linear_solve, multilevel, transform
from torchopt.autodiff import compiler
from torchopt.diff import ZeroOrder
from torchopt.diff import zero_order as zo
from torchopt.multilevel import Config, EngineConfig, Problem
from torchopt.ops import availability

F64 = torch.float64


def hard(scales: torch.Tensor) -> Callable[[torch.Tensor], torch.Tensor]:
    return lambda v: scales * v + v.sum()


def not_converged(path: Path, patch: pytest.MonkeyPatch) -> None:
    torchopt.root(lambda x: x**2 + 1.0, torch.ones(2), solver=torchopt.solver.Newton(maxiter=2))


def a_linear_solve_in_the_backward_pass(path: Path, patch: pytest.MonkeyPatch) -> None:
    a = torch.arange(5.0, dtype=F64).requires_grad_()
    scales = torch.arange(1.0, 6.0, dtype=F64)
    solution = torchopt.minimize(
        lambda x, a: (scales * (x - a) ** 2).sum() + x.sum() ** 2,
        torch.zeros(5, dtype=F64),
        (a,),
        solver=torchopt.solver.Newton(),
        diff=diff.Implicit(linear_solve=linear_solve.CG(maxiter=1)),
    )
    (solution.params**2).sum().backward()


def a_closed_over_variable(path: Path, patch: pytest.MonkeyPatch) -> None:
    c = torch.ones(2, requires_grad=True)
    torchopt.minimize(
        lambda x, a: ((x - a - c) ** 2).sum(),
        torch.zeros(2),
        (torch.ones(2, requires_grad=True),),
        solver=torchopt.sgd(0.1),
        steps=1,
        diff=ZeroOrder(zo.Naive(num_samples=2), generator=0),
    )


def directions_left_out(path: Path, patch: pytest.MonkeyPatch) -> None:
    x = torch.zeros(3, requires_grad=True)
    estimator = zo.Antithetic(num_samples=40, sigma=1.0, nonfinite="drop")
    value = ZeroOrder(estimator, generator=0)(
        lambda x: x.sum() if float(x[0]) < 0.5 else x.sum() * torch.nan
    )(x)
    value.backward()


def lost_in_rounding(path: Path, patch: pytest.MonkeyPatch) -> None:
    x = torch.ones(4, dtype=torch.bfloat16, requires_grad=True)
    estimator = zo.Antithetic(num_samples=2, sigma=1e-3)
    ZeroOrder(estimator, generator=0)(lambda x: x.float().sum())(x).backward()


def a_cut_graph_in_compiled_code(path: Path, patch: pytest.MonkeyPatch) -> None:
    def step(x: torch.Tensor, u: torch.Tensor) -> torch.Tensor:
        return torchopt.apply_updates((x,), (u * 2,), inplace=True)[0].sum()

    x = torch.ones(2, requires_grad=True)
    torch.compile(step, backend="eager", fullgraph=True)(x, x.detach().clone().requires_grad_())


def a_formula_without_kernel(path: Path, patch: pytest.MonkeyPatch) -> None:
    tx = transform.elementwise(lambda g: (torch.sin(g),), fused=True)
    g = (torch.ones(2),)
    tx.update(g, tx.init(g))


def no_operators(path: Path, patch: pytest.MonkeyPatch) -> None:
    patch.setattr(availability, "_warned", False)
    patch.setattr(availability, "is_available", lambda devices: False)
    torchopt.adam(1e-3, use_accelerated_op=True)


def a_kink(path: Path, patch: pytest.MonkeyPatch) -> None:
    torchopt.check_meta_grad(lambda p: p.relu().sum(), torch.zeros(3, dtype=F64))


def a_loop_over_tasks(path: Path, patch: pytest.MonkeyPatch) -> None:
    torchopt.vmap_tasks(lambda x: x * float(x))(torch.arange(3.0))


def not_compiled(path: Path, patch: pytest.MonkeyPatch) -> None:
    patch.setattr(compiler, "current", TRACED)

    def outer(x: torch.Tensor) -> torch.Tensor:
        return (x * (2 if float(x.detach().sum()) > 0 else 3)).sum()

    torchopt.meta_grad_and_value(outer, compile=True)(torch.ones(2))


def a_damaged_checkpoint(path: Path, patch: pytest.MonkeyPatch) -> None:
    for _ in range(2):
        torchopt.minimize(
            torch.square, torch.ones(()), solver=torchopt.sgd(0.1), steps=3, checkpoint=path,
            diff=torchopt.diff.Explicit("step"),
        )  # fmt: skip
        for point in path.glob("*/point-*.pt"):
            point.write_bytes(b"x")


class Descent(Problem):
    def training_step(self, batch: Any) -> torch.Tensor:
        return ((self.module.weight - batch[0] * self.outer.module.weight) ** 2).sum()


class Outer(Problem):
    def training_step(self, batch: Any) -> torch.Tensor:
        return (self.module.weight * self.inner.module.weight).sum()


def _engine(checkpoint: Path | None) -> multilevel.Engine:
    def problem(cls: type[Problem], name: str, config: Config) -> Problem:
        module = torch.nn.Linear(1, 1, bias=False)
        optimizer = torch.optim.SGD(module.parameters(), lr=0.1)
        return cls(name, config, module=module, optimizer=optimizer,
                   train_data_loader=[(torch.ones(1),)])  # fmt: skip

    inner = problem(Descent, "inner", Config(diff=torchopt.diff.Explicit(), unroll_steps=3))
    outer = problem(Outer, "outer", Config())
    config = EngineConfig(train_iters=4, checkpoint=checkpoint)
    edges = {"u2l": {outer: [inner]}, "l2u": {inner: [outer]}}
    return multilevel.Engine([outer, inner], config, edges)


def a_run_amid_steps(path: Path, patch: pytest.MonkeyPatch) -> None:
    _engine(path / "run.pt").run()


CASES = [
    not_converged, a_linear_solve_in_the_backward_pass, a_closed_over_variable, directions_left_out,
    lost_in_rounding, a_cut_graph_in_compiled_code, a_formula_without_kernel, no_operators, a_kink,
    a_loop_over_tasks, not_compiled, a_damaged_checkpoint, a_run_amid_steps,
]  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_a_warning_points_at_the_line_of_the_user(
    case: Callable[[Path, pytest.MonkeyPatch], None],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        case(tmp_path, monkeypatch)
    assert told
    for warning in told:
        assert warning.filename == __file__, warning
        assert warning.lineno > case.__code__.co_firstlineno


def test_the_library_warns_in_one_way() -> None:
    room = Path(torchopt.__file__).parent
    others = [
        path.relative_to(room)
        for path in room.rglob("*.py")
        if path.name != "errors.py" and re.search(r"warnings\.warn\b", path.read_text())
    ]
    assert not others


def test_each_place_warns_once_whatever_the_numbers_are() -> None:
    scales = torch.arange(1.0, 6.0)

    def solve(scale: float, maxiter: int) -> None:
        linear_solve.CG(maxiter=maxiter)(hard(scales), scale * torch.arange(5.0))

    with warnings.catch_warnings(record=True) as told:
        warnings.resetwarnings()
        warnings.simplefilter("default")
        for k in range(1, 4):
            solve(10.0**k, maxiter=k)
        linear_solve.CG(maxiter=1)(hard(scales), torch.arange(5.0))
    assert len(told) == 2
    first = told[0].message
    assert isinstance(first, torchopt.errors.LinearSolveWarning)
    assert (first.iterations, first.failed) == (1, 1)
    torch.testing.assert_close(first.tolerance, 1e-5 * 10 * 30**0.5)
    assert first.error > first.tolerance

"""What is shown to those who watch: notices of compilation, progress, and ``python -m torchopt``."""

from __future__ import annotations

import io
import logging
import re
import sys
from collections.abc import Callable
from contextlib import redirect_stderr
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
import torch

import torchopt
from _traced import TRACED
from torchopt import __main__ as program
from torchopt.autodiff import compiler
from torchopt.io import terminal

ROOT = Path(__file__).resolve().parents[1]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def _without_a_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TORCHOPT_PROGRESS", raising=False)


@pytest.mark.parametrize(
    ("setting", "isatty", "shown"),
    [("", True, True), ("", False, False), ("0", True, False), ("1", False, True)],
)
def test_what_is_shown_depends_on_the_terminal_and_the_setting(
    setting: str, isatty: bool, shown: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    stream = Terminal() if isatty else io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setenv("TORCHOPT_PROGRESS", setting)
    terminal.say("hello")
    assert stream.getvalue() == ("torchopt: hello\n" if shown else "")


def test_a_logger_that_takes_it_gets_what_is_said(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.INFO, logger="torchopt"), redirect_stderr(Terminal()) as screen:
        terminal.say("hello")
    assert [record.message for record in caplog.records] == ["hello"]
    assert screen.getvalue() == ""


@pytest.mark.parametrize("with_rich", [True, False])
@pytest.mark.parametrize("total", [20, None])
def test_progress_has_the_last_step_and_its_numbers(
    total: int | None, with_rich: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not with_rich:
        monkeypatch.setitem(sys.modules, "rich.progress", None)
    with redirect_stderr(Terminal()) as screen:
        bar = terminal.Progress(total, title="searching")
        for step in range(1, 18):
            bar.log({"loss": torch.tensor(1 / step)} if step % 16 == 0 else {}, step)
        bar.close()
        bar.close()
    last = [line for line in re.split(r"[\r\n]", screen.getvalue()) if "17" in line][-1]
    assert "searching" in last
    assert "loss 0.0625" in last
    assert ("17/20" in last) == (total == 20)


def test_progress_in_a_pipe_writes_nothing_and_reads_no_value(
    capfd: pytest.CaptureFixture[str],
) -> None:
    class Unread:
        def __float__(self) -> float:
            raise AssertionError

    bar = terminal.Progress(3)
    bar.log({"loss": Unread()}, 1)
    bar.close()
    assert capfd.readouterr() == ("", "")


PROBLEMS: dict[str, tuple[Callable[..., Any], dict[str, Any], str]] = {
    "steps": (torchopt.minimize, {"solver": torchopt.sgd(0.1), "steps": 5}, r"minimum.* value "),
    "recomputed steps": (
        torchopt.minimize,
        {"solver": torchopt.sgd(0.1), "steps": 5, "diff": torchopt.diff.Explicit("step")},
        "minimum.* value ",
    ),
    "tolerance": (
        torchopt.minimize,
        {"solver": torchopt.sgd(0.4), "maxiter": 50, "tol": 1e-6},
        "minimum.* value ",
    ),
    "solver": (torchopt.minimize, {"solver": torchopt.solver.LBFGS()}, "LBFGS.* error "),
    "root": (torchopt.root, {"solver": torchopt.solver.Broyden()}, "Broyden.* error "),
    "fixed point": (torchopt.fixed_point, {}, "Anderson.* error "),
    "least squares": (torchopt.least_squares, {}, "LevenbergMarquardt.* error "),
    "transformation of a root": (torchopt.root, {"solver": torchopt.sgd(0.1), "steps": 5}, "root"),
}


@pytest.mark.parametrize(("face", "options", "shown"), PROBLEMS.values(), ids=PROBLEMS)
@pytest.mark.parametrize("batched", [False, True])
def test_a_verbose_solver_shows_each_step_and_gives_the_same_numbers(
    face: Callable[..., Any], options: dict[str, Any], shown: str, batched: bool
) -> None:
    def function(x: torch.Tensor, a: torch.Tensor) -> torch.Tensor:
        return (x - a).square().sum() if face is torchopt.minimize else 0.5 * (x - a)

    def gradient(verbose: bool) -> torch.Tensor:
        def outer(a: torch.Tensor) -> torch.Tensor:
            solution = face(function, torch.zeros(2), (a,), verbose=verbose, **options)
            return solution.params.square().sum()

        a = torch.tensor([[1.0, -2.0], [0.5, 3.0]])
        grad = torch.func.grad(outer)
        return torch.func.vmap(grad)(a) if batched else grad(a[0])

    with redirect_stderr(Terminal()) as screen:
        expected = gradient(verbose=False)
        assert screen.getvalue() == ""
        found = gradient(verbose=True)
    assert torch.equal(found, expected)
    assert re.search(shown, screen.getvalue())
    if options.get("steps"):
        assert "5/5" in screen.getvalue()


def test_a_solver_may_be_verbose_by_itself() -> None:
    solver = torchopt.solver.Newton(verbose=True)
    assert repr(solver) == "Newton(verbose=True)"
    with redirect_stderr(Terminal()) as screen:
        torchopt.root(lambda x: x**2 - 2, torch.tensor(1.0), solver=solver)
    assert re.search(r"/100.*Newton error ", screen.getvalue())


def test_the_check_of_a_meta_gradient_counts_its_evaluations() -> None:
    evaluations = 0

    def outer(x: torch.Tensor) -> torch.Tensor:
        nonlocal evaluations
        evaluations += 1
        return (x**3).sum()

    x = torch.tensor([1.0, -2.0], dtype=torch.float64)
    with redirect_stderr(Terminal()) as screen:
        assert torchopt.check_meta_grad(outer, x)
        assert screen.getvalue() == ""
        evaluations = 0
        assert torchopt.check_meta_grad(outer, x, verbose=True)
    assert re.search(rf"\b{evaluations}\b.*check_meta_grad", screen.getvalue())


@pytest.mark.compiled
def test_a_verbose_problem_can_be_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiler, "current", TRACED)
    a = torch.tensor([1.0, 2.0], requires_grad=True)

    def solve(compile: bool) -> torch.Tensor:
        solution = torchopt.minimize(
            lambda x: (x - a).square().sum(),
            torch.zeros(2),
            solver=torchopt.sgd(0.1),
            steps=3,
            compile=compile,
            verbose=True,
        )
        return torch.autograd.grad(solution.params.sum(), a)[0]

    torch.testing.assert_close(solve(True), solve(False))


@pytest.fixture
def compiled_lines(monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[str]]:
    """What is shown while a gradient is compiled; tests stop after tracing."""
    monkeypatch.setattr(compiler, "current", TRACED)

    def lines(gradient: Callable[..., Any], x: torch.Tensor) -> list[str]:
        with redirect_stderr(Terminal()) as screen:
            gradient(x)
        return [re.sub(r"\d+\.\d s$", "0.0 s", line) for line in screen.getvalue().splitlines()]

    return lines


@pytest.mark.compiled
def test_compilation_is_announced_and_timed(compiled_lines: Callable[..., list[str]]) -> None:
    def cube(x: torch.Tensor) -> torch.Tensor:
        return (x**3).sum()

    gradient = torchopt.meta_grad_and_value(cube, compile=True)
    x = torch.tensor([1.0, 2.0])
    name = f"`{cube.__qualname__}`"
    assert compiled_lines(gradient, x) == [
        f"torchopt: compiling {name} for seconds or minutes ...",
        f"torchopt: compiled {name} in 0.0 s",
    ]
    assert compiled_lines(gradient, x + 1) == []  # the code is there
    assert compiled_lines(gradient, x.double()) == [
        f"torchopt: compiling {name} again, for other shapes or values ...",
        f"torchopt: compiled {name} in 0.0 s",
    ]


@pytest.mark.compiled
def test_compilation_that_fails_says_so(compiled_lines: Callable[..., list[str]]) -> None:
    def printing(x: torch.Tensor) -> torch.Tensor:
        print(float(x.detach().sum()))
        return (x**3).sum()

    gradient = torchopt.meta_grad_and_value(printing, compile=True)
    with pytest.warns(torchopt.errors.NotCompiledWarning):
        lines = compiled_lines(gradient, torch.tensor([1.0, 2.0]))
    assert lines[-1] == f"torchopt: did not compile `{printing.__qualname__}` in 0.0 s"


# ``python -m torchopt``


def test_the_report_says_what_is_there(capsys: pytest.CaptureFixture[str]) -> None:
    assert program.main([]) == 0
    out = capsys.readouterr().out
    assert torchopt.__version__ in out
    assert torch.__version__ in out
    state = torchopt.experimental.status()
    assert state.reason in out
    if state.path is not None:
        assert str(state.path) in out
    assert "self-test" in out


def test_a_missing_extra_is_named_with_the_command_that_installs_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    requirements = ['graphviz>=0.20; extra == "viz"', "rich>=13; extra == 'progress'"]
    requirements += [
        "torch>=2.11",
        'nvidia-cuda-nvrtc>=12.6; sys_platform == "linux" and extra == "test"',
    ]
    monkeypatch.setattr(metadata, "requires", lambda name: requirements)

    def version(name: str) -> str:
        if name == "graphviz":
            raise metadata.PackageNotFoundError(name)
        return "13.1"

    monkeypatch.setattr(metadata, "version", version)
    assert program.extras() == {"viz": ["graphviz"], "progress": []}
    program.main([])
    assert 'pip install "torchopt[viz]" (lacks graphviz)' in capsys.readouterr().out


def test_the_report_has_every_extra_for_users() -> None:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    section = text.partition("[project.optional-dependencies]\n")[2].partition("\n[")[0]
    declared = set(re.findall(r"^(\w+) = \[", section, re.MULTILINE))
    assert program.extras().keys() == declared - {"docs", "lint", "test"}


def test_a_wrong_gradient_fails_the_self_test(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    right = torchopt.sgd
    monkeypatch.setattr(torchopt, "sgd", lambda lr: right(1.01 * lr))
    assert program.main([]) == 1
    assert "WRONG" in capsys.readouterr().out

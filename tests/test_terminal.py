"""What is shown to those who watch: notices of compilation, progress, and ``python -m torchopt``."""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Callable
from contextlib import redirect_stderr
from typing import Any

import pytest
import torch

import torchopt
from _traced import TRACED
from torchopt import __main__ as program
from torchopt.autodiff import compiler
from torchopt.io import terminal


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


PROBLEMS: dict[str, tuple[Callable[..., Any], dict[str, Any], str]] = {
    "steps": (torchopt.minimize, {"solver": torchopt.sgd(0.1), "steps": 5}, r"Minimum.* value "),
    "recomputed steps": (
        torchopt.minimize,
        {"solver": torchopt.sgd(0.1), "steps": 5, "diff": torchopt.diff.Explicit("step")},
        "Minimum.* value ",
    ),
    "tolerance": (
        torchopt.minimize,
        {"solver": torchopt.sgd(0.4), "maxiter": 50, "atol": 1e-6},
        "Minimum.* value ",
    ),
    "solver": (torchopt.minimize, {"solver": torchopt.solver.LBFGS()}, "LBFGS.* error "),
    "root": (torchopt.root, {"solver": torchopt.solver.Broyden()}, "Broyden.* error "),
    "fixed point": (torchopt.fixed_point, {}, "Anderson.* error "),
    "least squares": (torchopt.least_squares, {}, "LevenbergMarquardt.* error "),
    "transformation of a root": (torchopt.root, {"solver": torchopt.sgd(0.1), "steps": 5}, "Root"),
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


def test_a_wrong_gradient_fails_the_self_test(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    right = torchopt.sgd
    monkeypatch.setattr(torchopt, "sgd", lambda lr: right(1.01 * lr))
    assert program.main([]) == 1
    assert "WRONG" in capsys.readouterr().out

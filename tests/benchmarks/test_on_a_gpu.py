"""The commands that measure on a GPU run, as far as they can without one.

Tensors of contenders on the device ``meta`` have no values, but an operation on it and another device
fails as on a GPU. The commands of the page run with tensors on the CPU that count as tensors of a GPU.
"""

from __future__ import annotations

import importlib
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import torch

from benchmarks import _lane, memory, meta_step

PAGE = Path(__file__).parents[2] / "docs" / "performance.md"
LINES = PAGE.read_text().replace(" \\\n   ", "")  # a command may go on in the next line
COMMANDS = re.findall(r"^\$ python -m (benchmarks\.\w+ .*--device cuda.*)$", LINES, re.M)
MODEL = "An emulated GPU"
TINY = {
    # One optimizer with a twin in `torch.optim` and one without.
    "optimizer": [
        *("--cases", "MLP, 6 tensors", "--compile", "0", "--budget", "0"),
        *("--optimizers", "adam", "lion"),
    ],
    # A compiled contender takes a minute.
    "meta_step": [
        *("--models", "sinusoid", "--steps", "2", "--tasks", "2", "--budget", "0", "--first"),
        *("--contenders", *(x for x in meta_step.TARGETS if x != meta_step.COMPILED)),
    ],
    "memory": ["--steps", "2", "--policies", "graph", "step", "step, on the host"],
}


@pytest.fixture
def allocator(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Emulate a GPU; return the calls that its allocator gets."""
    build, calls = _lane._build, []

    def on_the_cpu(contender: str, case: _lane.Case) -> Any:
        assert case["device"] == "cuda"
        return build(contender, {**case, "device": "cpu"})

    def call(name: str, mebibytes: int) -> Any:
        return lambda: calls.append(name) or mebibytes * 2**20

    monkeypatch.setattr(_lane, "_build", on_the_cpu)
    for name, mebibytes in {
        "synchronize": 0,
        "reset_peak_memory_stats": 0,
        "memory_allocated": 5,
        "max_memory_allocated": 7,
    }.items():
        monkeypatch.setattr(torch.cuda, name, call(name, mebibytes))
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda _: MODEL)
    # A lane synchronizes where there is a GPU; everything else still sees that there is none.
    monkeypatch.setattr(_lane.Lane, "_synchronize", lambda self: torch.cuda.synchronize())
    return calls


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_of_the_page_writes_tables_with_the_name_of_the_device(
    command: str, allocator: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program, *words = shlex.split(command)
    name = program.removeprefix("benchmarks.")
    monkeypatch.setattr(memory, "ProcessLane", lambda python, threads=1, **_: _lane.Lane(threads))
    monkeypatch.setattr(memory, "MODELS", {x: memory.SMALL[x] for x in memory.MODELS})
    tiny = [*TINY[name], "--rounds", "1", "--output", str(tmp_path / "out.md")]
    if name != "memory":
        tiny += ["--peers", str(tmp_path / "absent")]
    report = importlib.import_module(program).main([*words, *tiny])
    assert f", device cuda ({MODEL})\n" in report
    assert "--device cuda" in report
    assert "synchronize" in allocator
    if name == "memory":  # 7 MiB at the peak, 5 before
        assert "| step, on the host " in report
        assert "| 2.0 (2.0 to 2.0) |" in report
        assert allocator.index("reset_peak_memory_stats") < allocator.index("memory_allocated")


def test_the_page_has_a_command_for_each_benchmark_that_measures_a_gpu() -> None:
    assert sorted(x.split()[0].removeprefix("benchmarks.") for x in COMMANDS) == sorted(TINY)


@pytest.mark.parametrize("target", ["plain", "foreach", "fused_by_hand", "in_place", "triad"])
def test_a_step_of_adam_has_all_tensors_on_the_device(target: str) -> None:
    case = {"shapes": [[7, 3], [5]], "dtype": "float32", "device": "meta"}
    assert {x.device.type for x in _lane._build(f"benchmarks._optimizer:{target}", case)()} == {
        "meta"
    }

"""MAML on workers: the losses are those of one process, also where a run is resumed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from distributed._programs import launch
from examples import maml_sinusoid
from examples.maml_distributed import Config, learn_with, run
from examples.tools.report import Report
from torchopt import checkpoint
from torchopt.distributed import LocalExecutor

_TINY = Config(
    dtype="float64",
    width=4,
    shots=3,
    queries=2,
    test_queries=3,
    meta_batch=5,
    iterations=4,
    save_every=2,
    test_tasks=3,
)
_CHANGED = {k: v for k, v in vars(_TINY).items() if v != getattr(Config(), k)}
_OPTIONS = [f"--{name.replace('_', '-')}={value}" for name, value in _CHANGED.items()]
pytestmark = pytest.mark.usefixtures("few_threads")


@pytest.fixture(scope="module")
def alone() -> list[float]:
    """The losses in one process."""
    return maml_sinusoid.run(replace(_TINY, scratch_steps=1))[0]


@pytest.mark.parametrize("workers", [1, 3])
def test_losses_over_parts_are_those_of_the_whole(workers: int, alone: list[float]) -> None:
    _, losses = learn_with(LocalExecutor(workers), _TINY, Report())
    assert losses == pytest.approx(alone, rel=1e-12)


@pytest.mark.slow
@pytest.mark.processes
def test_so_it_is_in_a_program_of_two_processes(alone: list[float], tmp_path: Path) -> None:
    program = "import runpy; runpy.run_module('examples', run_name='__main__')"
    options = ["maml_distributed", *_OPTIONS, "--on=spmd", f"--runs={tmp_path}", "--name=it"]
    ended = launch(["-c", program, *options], 2)
    assert ended.codes == [0, 0], ended.errors
    assert "±" in ended.outputs[0]
    *_, losses = checkpoint.load(tmp_path / "it" / "checkpoint.pt")
    assert losses == pytest.approx(alone, rel=1e-12)


@pytest.mark.slow
@pytest.mark.processes
def test_a_run_is_resumed_on_workers(alone: list[float], tmp_path: Path) -> None:
    report = Report(folder=tmp_path)
    maml_sinusoid.run(
        replace(_TINY, iterations=2, scratch_steps=1), report
    )  # no learning rate decays
    _, losses = run(replace(_TINY, on="process"), report)
    assert losses[:2] == alone[:2]
    assert losses == pytest.approx(alone, rel=1e-12)

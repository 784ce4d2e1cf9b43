"""The meta-batch on workers: the numbers are those of one process, also where it is resumed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import pytest
import torch

from torchopt.distributed import LocalExecutor
from torchopt.examples.maml import main
from torchopt.examples.maml.config import Algorithm, Config, recipe
from torchopt.examples.maml.distributed import DistributedLearner, by_executor
from torchopt.examples.maml.functional import FunctionalLearner
from torchopt.examples.maml.letters import Letters
from torchopt.examples.maml.problem import Problem, build
from torchopt.examples.maml.sinusoid import Sinusoid
from torchopt.examples.maml.train import Run

_SETTINGS = {
    "task": "sinusoid",
    "dtype": "float64",
    "channels": 4,
    "shots": 3,
    "queries": 2,
    "test_queries": 3,
    "meta_batch": 5,
    "iterations": 4,
    "log_every": 1,
    "validate_every": 2,
    "validation_tasks": 3,
    "test_tasks": 3,
    "scratch_steps": 2,
    "threads": 1,
}
_OPTIONS = [f"--{name.replace('_', '-')}={value}" for name, value in _SETTINGS.items()]


@pytest.mark.parametrize("algorithm", get_args(Algorithm))
@pytest.mark.parametrize("task", ["letters", "sinusoid"])
def test_meta_steps_over_parts_are_those_of_the_whole(
    algorithm: Algorithm, task: str, tiny: Config, letters: Letters
) -> None:
    waves = Sinusoid(shots=5, queries=5, test_queries=5, channels=6, dtype=torch.float64)
    problem: Problem = letters if task == "letters" else waves
    config = replace(tiny, algorithm=algorithm, inner_lr=0.05)
    network = build(problem, seed=0, dtype=torch.float64)
    with torch.no_grad():
        for p in network.parameters():  # off the symmetric start, where gradients vanish
            p += 0.1 * torch.linspace(-1, 1, p.numel(), dtype=p.dtype).reshape(p.shape)
    learners = [
        FunctionalLearner(config, problem, network),
        DistributedLearner(config, problem, network, by_executor(LocalExecutor(3))),
    ]
    found = []
    for learner in learners:
        generator = torch.Generator().manual_seed(0)
        steps = [learner.step(problem.sample("train", 4, generator)) for _ in range(2)]
        found.append([*learner.state_dict()["meta"], *(t for step in steps for t in step)])
    torch.testing.assert_close(found[1], found[0], rtol=1e-9, atol=1e-10)


def _run(folder: Path, name: str, *options: str) -> list[dict[str, Any]]:
    threads = torch.get_num_threads()
    try:
        assert main([*_OPTIONS, f"--runs={folder}", f"--name={name}", *options]) == 0
    finally:
        torch.set_num_threads(threads)
    return _records(folder / name)


def _records(folder: Path) -> list[dict[str, Any]]:
    lines = (folder / "metrics.jsonl").read_text(encoding="utf-8").splitlines()
    return [{k: v for k, v in json.loads(line).items() if k != "seconds"} for line in lines]


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """The records of the run in one process."""
    return _run(tmp_path_factory.mktemp("alone"), "it")


def _assert_same(found: list[dict[str, Any]], expected: list[dict[str, Any]]) -> None:
    assert len(found) == len(expected)
    for ours, theirs in zip(found, expected, strict=True):
        assert ours.keys() == theirs.keys()
        for name, value in theirs.items():
            number = isinstance(value, float)
            assert ours[name] == (pytest.approx(value, rel=1e-10) if number else value)


@pytest.mark.slow
@pytest.mark.processes
@pytest.mark.parametrize("how", ["spmd", "process"])
def test_the_learning_curve_is_that_of_one_process(
    how: str, alone: list[dict[str, Any]], tmp_path: Path
) -> None:
    _assert_same(_run(tmp_path, "it", f"--distributed={how}", "--workers=2"), alone)
    assert (tmp_path / "it" / "predictions.png").exists()
    # Nothing in the checkpoint says where the run was made.
    _assert_same(_run(tmp_path, "it", "--resume"), alone)


@pytest.mark.slow
@pytest.mark.processes
@pytest.mark.parametrize(
    ("start", "how"),
    [
        (["-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2"], "spmd"),
        ([], "rpc"),  # a process can be in one RPC group only
    ],
)
def test_so_it_is_in_programs_of_their_own(
    start: list[str], how: str, alone: list[dict[str, Any]], tmp_path: Path
) -> None:
    program = ["-m", "torchopt.examples", "maml", *_OPTIONS, f"--distributed={how}"]
    done = subprocess.run(
        [sys.executable, *start, *program, f"--runs={tmp_path}", "--name=it"],
        capture_output=True,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1", "GLOO_SOCKET_IFNAME": "lo"},
        check=False,
        timeout=200,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("±") > 2
    _assert_same(_records(tmp_path / "it"), alone)


@pytest.mark.slow
@pytest.mark.processes
def test_a_run_is_resumed_on_workers(alone: list[dict[str, Any]], tmp_path: Path) -> None:
    config = replace(recipe("sinusoid", "default", "maml"), **_SETTINGS)
    Run(config, tmp_path / "it").train(until=3)
    options = ("--resume", "--distributed=process", "--workers=2")
    _assert_same(_run(tmp_path, "it", *options), alone)


@pytest.mark.parametrize("option", ["--api=oop", "--compile"])
def test_what_cannot_be_distributed_is_one_sentence(
    option: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--distributed=process", option]) == 1
    error = capsys.readouterr().err
    assert "leave out `--api oop`" in error
    assert error.count("\n") == 1

"""The benchmark of language models runs with a tiny one, on any device."""

from __future__ import annotations

import math
import re
import subprocess
from pathlib import Path

import pytest
import torch

from benchmarks import _scale, scale

ROOT = Path(__file__).parents[2]
CASE = {"size": "tiny", "device": "cpu", "dtype": "float64", "steps": 3}


def test_the_weights_of_examples_have_the_derivatives_of_differences() -> None:
    (found,) = _scale.metagradient(CASE | {"mode": {}})()
    for mode in ({"memory": "step"}, {"memory": "tree"}):
        (same,) = _scale.metagradient(CASE | {"mode": mode, "remat": True, "micro_batches": 4})()
        torch.testing.assert_close(same, found, rtol=1e-9, atol=1e-14)
    used = found != 0
    assert used.sum() == 3 * _scale.BATCH  # each example once


@pytest.mark.slow
def test_has_a_row_for_each_kind_of_derivative(tmp_path: Path) -> None:
    rows = ["training", "4 steps, graph", "4 steps, step", "SAMA", "implicit, 3 products"]
    options = ["--size", "tiny", "--rounds", "1", "--output", str(tmp_path / "scale.md")]
    report = scale.main([*options, "--rows", *rows])
    assert "Not measured" not in report
    found = re.findall(r"^\| ([a-zA-Z0-9 ,]+?) +\| .* \| +(-|[\d.]+) \| +\S+ \|$", report, re.M)
    assert [name for name, _ in found] == rows
    assert math.isclose(float(dict(found)["4 steps, step"]), 1.0)


@pytest.mark.slow
@pytest.mark.processes
def test_the_commands_of_the_check_on_a_gpu_run(tmp_path: Path) -> None:
    """Tiny sizes on the CPU; the other sections call benchmarks that have tests of their own."""
    import os
    import sys

    place = {"DEVICE": "cpu", "PY": sys.executable, "OUT": str(tmp_path)}
    command = ["bash", "tools/gpu_check.sh", "programs", "optimizer", "suite"]
    done = subprocess.run(
        command, cwd=ROOT, env=os.environ | place, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]
    assert "ours" in (tmp_path / "programs_cpu.txt").read_text()
    assert " passed" in (tmp_path / "suite.txt").read_text()

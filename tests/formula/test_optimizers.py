"""Kernels are generated where there is no PyTorch, from the formulas that the transformations run."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from torchopt.formula import header, optimizers

ROOT = Path(__file__).parents[2]
# As an isolated build does: `import torch` fails.
BUILD = """
import runpy, sys
sys.modules["torch"] = None
sys.argv = ["setup.py", "--quiet", "--name"]
runpy.run_path("setup.py")
print(sys.modules["torchopt.native._build"].kernels("baseline").header())
"""


def test_setup_writes_the_kernels_of_every_optimizer_without_torch() -> None:
    done = subprocess.run(
        [sys.executable, "-c", BUILD], cwd=ROOT, capture_output=True, text=True, check=True
    )
    name, _, text = done.stdout.partition("\n")
    assert name == "torchopt-diff"
    assert text.strip() == header(optimizers.formulas()).strip()
    assert text.count("struct k_") == 408

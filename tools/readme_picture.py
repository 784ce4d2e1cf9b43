"""Draw the picture of the README from its first program: ``python tools/readme_picture.py``."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import matplotlib
import matplotlib.pyplot as plt
import torch

ROOT = Path(__file__).parents[1]


def main() -> None:
    """Write ``docs/_static/penalties.svg``."""
    program = re.search(r"^```python\n(.*?)^```", (ROOT / "README.md").read_text(), re.M | re.S)
    names: dict[str, Any] = {}
    exec(program[1] if program else "", names)

    def error(log_penalties: torch.Tensor) -> float:
        return names["mse"](names["fit"](log_penalties), *names["test"]).item()

    matplotlib.rc_file(ROOT / "docs/matplotlibrc")
    plt.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "readme"})
    figure, axes = plt.subplots(figsize=(7, 3.2))
    common = torch.linspace(-7, 1, 25)
    axes.plot(common.exp(), [error(c.expand(20)) for c in common], label="one penalty for all")
    axes.axhline(error(names["log_penalties"]), color="C1", label="20 penalties, learned")
    axes.axhline(0.25, color="gray", linestyle=":", label="noise of the data")
    axes.set(xscale="log", xlabel="the one penalty", ylabel="test error", ylim=(0, 3))
    axes.legend(loc="upper right")
    figure.savefig(ROOT / "docs/_static/penalties.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()

"""The directives ``trend`` and ``trend-chart``: the ratios that each release was measured with.

The chart has the newest ones on a CPU and on a GPU.
"""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib
import matplotlib.pyplot as plt
from docutils import nodes
from matplotlib.patheffects import withStroke
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

sys.path.append(str(Path(__file__).parents[2]))

from benchmarks import trend

# What the chart shows, from above to below.
LABELS = {
    "optimizer, 1e6: plain / ours": "Adam, 1e6 elements: plain PyTorch",
    "optimizer, MLP, 6 tensors: plain / ours": "Adam, MLP: plain PyTorch",
    "optimizer, 300 small tensors: plain / ours": "Adam, 300 tensors: plain PyTorch",
    "maml_step, mlp, adam: by hand / minimize": "MAML with Adam: by hand",
    "maml_step, mlp, sgd: by hand / minimize": "MAML with SGD: by hand",
    "meta_step, 32 tasks: torch.func / batched": "32 tasks, batched: torch.func",
    "meta_step, 32 tasks: torch.func / compiled": "32 tasks, compiled: torch.func",
    "meta_step, 32 tasks: JAX / compiled": "32 tasks, compiled: JAX",
    "meta_step, 1 task: JAX / compiled": "1 task, compiled: JAX",
    "implicit, logistic, 2000 x 100: as hypertorch / minimize": "Hypergradient: as hypertorch",
    "implicit, logistic, 2000 x 100: JAXopt / minimize": "Hypergradient: JAXopt, compiled",
    "multilevel, cg: by hand / engine": "Two levels, CG: by hand",
    "memory, step: by hand / ours, seconds": "Memory of one step: by hand",
    "pytree, flatten, ResNet18: optree / ours": "Trees, flatten: optree",
}
FOLDERS = {"CPU, two cores": trend.FOLDER, "GPU, H100": trend.FOLDER / "cuda"}
IMAGE = "/_build/trend.svg"
ALT = "Each benchmark as a dot: their time divided by ours, on a logarithmic scale"


def draw(path: Path) -> None:
    """Draw the chart into a file."""
    config = Path(__file__).parents[1] / "matplotlibrc"
    with (
        matplotlib.rc_context(fname=config),
        matplotlib.rc_context({"svg.hashsalt": "trend"}),
    ):
        figure, axes = plt.subplots(figsize=(6, 5))
        for k, (device, folder) in enumerate(FOLDERS.items()):
            found = trend.records(folder)[-1].rows
            points = [
                (found[n].median, y)
                for y, n in enumerate(LABELS)
                if not k or n in found
            ]
            axes.scatter(
                *zip(*points, strict=True),
                s=45,
                marker="os"[k],
                color=f"C{k}",
                label=device,
                zorder=3,
            )
            for x, y in points:
                axes.annotate(
                    f"{x:.2g}",
                    (x, y),
                    (0, (6, -13)[k]),
                    textcoords="offset points",
                    ha="center",
                    size=8,
                    path_effects=[withStroke(linewidth=2, foreground="white")],
                )
        axes.axvline(1, color="black", linewidth=1)
        axes.set_xscale("log")
        axes.set_xticks([0.3, 1, 3, 10, 30], ["0.3", "1", "3", "10", "30"], minor=False)
        axes.set_xticks([], minor=True)
        axes.set_xlabel("their time / ours: right of 1, ours is faster")
        axes.set_yticks(range(len(LABELS)), LABELS.values())
        axes.invert_yaxis()
        figure.legend(
            *axes.get_legend_handles_labels(), loc="outside upper center", ncols=2
        )
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, metadata={"Date": None}, facecolor="white")
        plt.close(figure)


class Trend(SphinxDirective):
    """The tables of `benchmarks.trend`, made from its files."""

    def run(self) -> list[nodes.Node]:
        """Return the tables as nodes."""
        for path in trend.FOLDER.glob("*.json"):
            self.env.note_dependency(path)
        return self.parse_text_to_nodes(trend.page(), allow_section_headings=True)


class TrendChart(SphinxDirective):
    """The chart of the newest files of `benchmarks.trend`."""

    def run(self) -> list[nodes.Node]:
        """Draw the chart, and return its node."""
        for path in trend.FOLDER.rglob("*.json"):
            self.env.note_dependency(path)
        draw(Path(self.env.srcdir, IMAGE[1:]))
        return [nodes.image(uri=IMAGE, alt=ALT)]


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directives with Sphinx."""
    app.add_directive("trend", Trend)
    app.add_directive("trend-chart", TrendChart)
    return {"parallel_read_safe": True}

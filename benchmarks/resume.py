"""Claim: a folder of checkpoints costs a run a few per cent; after a kill the run goes on.

The gradient of a loss after steps of Adam on a network, by the starting point, the learning rate and a
weight for each example: without a folder, with one, and with one by a process that was killed in the
middle of each pass. Seconds of a killed run are those of all its processes, without their starts.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from torch.nn.functional import gelu

import torchopt
from benchmarks import _runner
from torchopt import checkpoint
from torchopt.diff import Explicit


class Killed(BaseException):
    """Stands for the end of a process."""


class Writes:
    """What :func:`torchopt.checkpoint.save` is called for, and when it ends the process.

    Args:
        folder: Where the files are.
    """

    def __init__(self, folder: Path) -> None:
        self.folder, self.save = folder, checkpoint.save
        self.count, self.bytes, self.seconds, self.most = 0, 0, 0.0, 0
        self.kill = ""  # the kind of the file, and the step, after which the process ends

    def __call__(self, state: Any, path: Any) -> None:
        """Write a file."""
        begun = time.perf_counter()
        self.save(state, path)
        self.seconds += time.perf_counter() - begun
        self.count, self.bytes = self.count + 1, self.bytes + Path(path).stat().st_size
        self.most = max(self.most, sum(f.stat().st_size for f in self.folder.glob("*/*")))
        kind, _, step = Path(path).stem.partition("-")
        killed, _, middle = self.kill.partition(" ")
        if kind == killed and (int(step) < int(middle)) == (kind == "pulled"):
            raise Killed


def gradient(width: int, depth: int, steps: int, policy: Any, folder: Path | None) -> list[Any]:
    """Return the gradient of a run."""
    torch.manual_seed(0)
    start = [torch.randn(width, width).div_(width**0.5).requires_grad_() for _ in range(depth)]
    lr, weights = torch.tensor(1e-4, requires_grad=True), torch.zeros(16, requires_grad=True)
    x, y = torch.randn(steps, 16, width), torch.randn(16, width)

    def loss(params: list[torch.Tensor], batch: torch.Tensor) -> torch.Tensor:
        h = batch
        for w in params:
            h = h + gelu(h @ w)
        return (weights.exp() * (h - y).square().mean(1)).mean()

    solution = torchopt.minimize(
        loss,
        start,
        solver=torchopt.adam(lr),
        steps=steps,
        batches=x,
        diff=Explicit(policy),
        checkpoint=folder,
    )
    outer = torch.stack([p.square().mean() for p in solution.params]).sum()
    return [*torch.autograd.grad(outer, [lr, weights, *start])]


def row(name: str, options: Any, policy: Any, first: list[Any]) -> list[str]:
    """Return a row of the table; the first one has the gradient that the others should have."""
    _runner.progress(f"{policy}, {name}")
    folder = Path(tempfile.mkdtemp(dir=options.folder))
    writes = checkpoint.save = Writes(folder)
    middle = options.steps // 2
    kills = {"killed in the first pass": f"point {middle}"}.get(name, f"pulled {middle}")
    begun = time.perf_counter()
    try:
        place = None if name == "no folder" else folder
        for writes.kill in (kills, "") if name.startswith("killed") else ("",):
            try:
                found = gradient(options.width, options.depth, options.steps, policy, place)
            except Killed:
                continue
    finally:
        checkpoint.save = writes.save
        shutil.rmtree(folder)
    seconds = time.perf_counter() - begun
    if not first:
        first += [seconds, found]
    same = all(a.equal(b) for a, b in zip(found, first[1], strict=True))
    mib = [f"{number / 2**20:.0f}" for number in (writes.bytes, writes.most)]
    share = f"{100 * writes.seconds / seconds:.1f} %"
    counts = [f"{writes.count}", f"{writes.seconds:.2f}", share, *mib]
    return [policy, name, f"{seconds:.1f}", f"{seconds / first[0]:.2f}", *counts, str(same)]


def main(argv: Sequence[str] | None = None) -> str:
    """Run the benchmark and return its report."""
    made = _runner.parser("resume", __doc__)
    made.set_defaults(rounds=1)
    made.add_argument("--policies", nargs="+", default=["sqrt", "tree"])
    made.add_argument("--width", type=int, default=1024)
    made.add_argument("--depth", type=int, default=10)
    made.add_argument("--steps", type=int, default=200)
    made.add_argument("--folder", help="where folders are made; by default that of temporary files")
    names = ["no folder", "a folder", "killed in the first pass", "killed in the backward pass"]
    made.add_argument("--rows", nargs="+", default=names, choices=names)
    options = made.parse_args(argv)
    torch.set_num_threads(options.threads)
    rows = []
    for policy in options.policies:
        gradient(options.width, options.depth, 2, policy, None)  # kernels are loaded
        first: list[Any] = []
        rows += [row(name, options, policy, first) for name in options.rows]
    header = ["policy", "", "seconds", "times", "files", "s of writing", "share", "MiB written"]
    text = f"{options.depth * options.width**2:,} parameters, {options.steps} steps of Adam"
    table = _runner.table([*header, "MiB at most", "same bits"], rows)
    return _runner.write("Runs that go on", [text, table], made=made, options=options)


if __name__ == "__main__":
    main()

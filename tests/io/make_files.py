"""Writes `files/`, what 1.x must load: ``PYTHONPATH=src python tests/io/make_files.py tests/io/files``.

Run it with the release whose files these are, and never again: `test_files.py` loads them with all
later ones. Its numbers are those of the formulas.
"""

from __future__ import annotations

import pickle
import sys
from functools import partial
from pathlib import Path
from typing import Any

import torch
from torch import nn

import torchopt
from torchopt.diff import zero_order
from torchopt.multilevel import Config, Engine, EngineConfig, Problem

START = torch.tensor([1.0, 3.0], dtype=torch.float64)
GRADS = torch.tensor([0.5, -2.0], dtype=torch.float64)


def adam() -> torchopt.GradientTransformation:
    """Return Adam with a learning rate that falls from 0.1 to 0 in four updates, and weight decay."""
    schedule = torchopt.schedule.linear_schedule(0.1, 0.0, 4)
    return torchopt.adamw(schedule, weight_decay=0.5, mask={"w": False})


def net() -> nn.Linear:
    """Return a linear module with the starting point as its weight."""
    module = nn.Linear(2, 1, bias=False, dtype=torch.float64)
    module.load_state_dict({"weight": START[None]})
    return module


def trained(module: nn.Linear, optimizer: Any) -> Any:
    """Do two steps on a loss with the gradient `GRADS`, and return the optimizer."""
    for _ in range(2):
        loss = (module.weight * GRADS).sum()
        if isinstance(optimizer, torchopt.MetaOptimizer):
            optimizer.step(loss)
        else:
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return optimizer


class Lower(Problem):
    """Minimizes ``(w - phi)² / 2``."""

    def training_step(self, batch: Any = None) -> torch.Tensor:
        """Return the loss."""
        return (self.params - self.upper.params).square() / 2


class Upper(Problem):
    """Minimizes ``(w - 1)² / 2``."""

    def training_step(self, batch: Any = None) -> torch.Tensor:
        """Return the loss."""
        return (self.lower.params - 1).square() / 2


def engine() -> Engine:
    """Return a program: ``w`` takes half of its way to ``phi``, then ``phi`` one step of rate 1."""
    problems = []
    for kind, name, lr in ((Upper, "upper", 1.0), (Lower, "lower", 0.5)):
        x = torch.zeros((), dtype=torch.float64, requires_grad=True)
        optimizer = torch.optim.SGD([x], lr=lr)
        config = Config(diff=torchopt.diff.Explicit(), unroll_steps=1)
        problems.append(kind(name, config, params=x, optimizer=optimizer))
    upper, lower = problems
    edges = {"u2l": {upper: [lower]}, "l2u": {lower: [upper]}}
    return Engine(problems, EngineConfig(train_iters=2), edges)


def parabola(x: torch.Tensor) -> torch.Tensor:
    """Return ``|x - GRADS|²``."""
    return (x - GRADS).square().sum()


def main(folder: Path) -> None:
    """Write the files."""
    tx, params, grads = adam(), {"w": START}, {"w": GRADS}
    state = tx.init(params)
    for _ in range(2):
        _, state = tx.update(grads, state, params=params, inplace=False)
    save = partial(torch.save, _use_new_zipfile_serialization=False)  # the older format is smaller
    torch.save(state, folder / "transformation.pt")
    (folder / "transformation.pickle").write_bytes(pickle.dumps(state))
    module, meta_module = net(), net()
    optimizer = trained(module, torchopt.optim.Adam(module.parameters(), lr=0.1))
    meta = trained(meta_module, torchopt.MetaAdam(meta_module, lr=0.1))
    save(optimizer.state_dict(), folder / "optimizer.pt")
    save(meta.state_dict(), folder / "meta_optimizer.pt")
    extracted = [torchopt.extract_state_dict(x, by="copy") for x in (meta_module, meta)]
    save(extracted, folder / "extracted.pt")
    checkpoint = {"step": 2, "state": state, "net": module.state_dict(), "seed": 7}
    torchopt.checkpoint.save(checkpoint, folder / "checkpoint.pt")
    program = engine()
    program.run()
    program.save(folder / "multilevel.pt")
    es = zero_order.PersistentES(num_samples=1)
    searches = {
        "gaussian": zero_order.GaussianSearch(population=4).init(params, generator=0),
        "persistent": es.init(params, torch.full((1,), 2.0), generator=0),
    }
    save(searches, folder / "search.pt")
    steps = torchopt.minimize(parabola, START, solver=torchopt.sgd(0.25), steps=3)
    found = torchopt.minimize(parabola, START, solver=torchopt.solver.LBFGS())
    save({"steps": steps, "lbfgs": found}, folder / "solution.pt")


if __name__ == "__main__":
    main(Path(sys.argv[1]))

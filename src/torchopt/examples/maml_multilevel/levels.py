"""Two problems: adaptation to each task of a batch, and the start that it sets out from.

The start can be learned through the loss of a lower problem only if that loss reads it. So the lower
problem's parameters are displacements, one for each task: its network is the start plus the
displacement. They are put back to zero before each round of adaptation, and a step of gradient descent
on them is a step of MAML.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import torch
from rich.console import Console
from torch import nn

from torchopt.diff import Explicit, Implicit
from torchopt.examples.maml.problem import Tasks
from torchopt.examples.maml.sinusoid import Sinusoid
from torchopt.examples.maml_multilevel.config import Config
from torchopt.examples.tools.engine import Run, engine_config
from torchopt.linear_solve import solve_cg
from torchopt.multilevel import Config as LevelConfig
from torchopt.multilevel import Engine, Problem
from torchopt.nn import functional_call

__all__ = ["Adaptation", "Meta", "Model", "TaskLoader", "make_engine"]

Params = tuple[torch.Tensor, ...]


class Model(NamedTuple):
    """What both problems compute with.

    Attributes:
        network: ``network(params, x)``.
        waves: The tasks and their loss.
        penalty: Of the squared displacement; 0 for none.
    """

    network: Callable[[Params, torch.Tensor], torch.Tensor]
    waves: Sinusoid
    penalty: float = 0.0

    def losses(
        self, start: Params, displacements: Params, x: torch.Tensor, y: torch.Tensor
    ) -> torch.Tensor:
        """Return the loss of each task at its place, the start plus its displacement."""

        def one(displacement: Params, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
            params = tuple(s + d for s, d in zip(start, displacement, strict=True))
            return self.waves.loss(self.network(params, x), y)

        return torch.func.vmap(one)(displacements, x, y)


class Adaptation(Problem):
    """Fit each task from the start: a problem for each, side by side."""

    def training_step(self, batch: tuple[torch.Tensor, ...]) -> torch.Tensor:
        """Return the sum of the tasks' losses, so that each task has the gradient of its own."""
        model: Model = self.extra_config
        tasks = Tasks(*batch)
        losses = model.losses(self.meta.params, self.params, tasks.support_x, tasks.support_y)
        distance = sum(d.square().sum() for d in self.params)
        return losses.sum() + 0.5 * model.penalty * distance

    def on_inner_loop_start(self) -> None:
        """Begin at the start."""
        with torch.no_grad():
            for displacement in self.params:
                displacement.zero_()


class Meta(Problem):
    """Find the start from which adaptation leads to a small loss on new points."""

    def training_step(self, batch: tuple[torch.Tensor, ...]) -> torch.Tensor:
        """Return the mean loss on the queries, after adaptation."""
        model: Model = self.extra_config
        tasks = Tasks(*batch)
        places = self.adaptation.params
        return model.losses(self.params, places, tasks.query_x, tasks.query_y).mean()


class TaskLoader:
    """Batches of tasks without end, each given several times in a row.

    Both problems have one, of the same seed: adaptation takes a batch of tasks at each of its steps,
    and must be given the same ones until the start makes its step, which then is given them too.

    Args:
        waves: The tasks.
        count: How many in a batch.
        seed: Of the draw.
        times: How often each batch is given.
    """

    def __init__(self, waves: Sinusoid, *, count: int, seed: int, times: int) -> None:
        self._waves, self._count, self._times = waves, count, times
        self._before = torch.Generator().manual_seed(seed).get_state()
        self._given = 0

    def __iter__(self) -> Iterator[tuple[torch.Tensor, ...]]:
        generator = torch.Generator()
        while True:
            generator.set_state(self._before)
            tasks = self._waves.sample("train", self._count, generator)
            while self._given < self._times:
                self._given += 1
                yield tuple(tasks)  # of types that a checkpoint may hold
            self._before, self._given = generator.get_state(), 0

    def state_dict(self) -> dict[str, Any]:
        """Return the position: the random numbers of the batch, and how often it was given."""
        return {"before": self._before, "given": self._given}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go to a position."""
        self._before, self._given = state["before"], state["given"]


def make_engine(
    config: Config, network: nn.Module, waves: Sinusoid, folder: Path, console: Console
) -> Engine:
    """Return the program.

    Args:
        config: The settings.
        network: Where the start is at first; it is copied.
        waves: The tasks.
        folder: Where the log and the checkpoint go.
        console: Where its progress is shown.
    """
    implicit = config.mode == "implicit"
    names = [name for name, _ in network.named_parameters()]

    def outputs(params: Params, x: torch.Tensor) -> torch.Tensor:
        result: torch.Tensor = functional_call(network, dict(zip(names, params, strict=True)), x)
        return result

    model = Model(outputs, waves, config.penalty if implicit else 0.0)
    start = tuple(p.detach().clone().requires_grad_() for p in network.parameters())
    displacements = tuple(p.new_zeros(config.meta_batch, *p.shape).requires_grad_() for p in start)

    def loader(times: int) -> TaskLoader:
        return TaskLoader(waves, count=config.meta_batch, seed=config.seed, times=times)

    adaptation = Adaptation(
        "adaptation",
        LevelConfig(
            diff=Implicit(solve_cg(rtol=1e-6)) if implicit else Explicit(),
            unroll_steps=config.inner_steps,
        ),
        params=displacements,
        optimizer=torch.optim.SGD(displacements, config.inner_lr),
        train_data_loader=loader(config.inner_steps),
        extra_config=model,
    )
    optimizer = torch.optim.Adam(start, config.outer_lr)
    meta = Meta(
        "meta",
        LevelConfig(log_step=1),
        params=start,
        optimizer=optimizer,
        scheduler=torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.0, config.iterations),
        train_data_loader=loader(1),
        extra_config=model,
    )
    return Run(
        [meta, adaptation],
        engine_config(
            folder,
            steps=config.iterations * config.inner_steps,
            valid_step=config.checkpoint_every * config.inner_steps,
        ),
        {"u2l": {meta: [adaptation]}, "l2u": {adaptation: [meta]}},
        console=console,
        what=config.mode,
    )

"""A program that asks how much each training example changed a model: scores through training.

It has the shape of data-attribution libraries that are written on the published package: parameters are
a dict by name, states are flattened by path, saved at each step, loaded again into the tensors of a
later state, and each step is taken again and differentiated, from the last to the first.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import torch
from optree import tree_flatten_with_path, tree_iter
from torch import nn

import torchopt
from torchopt.pytree import tree_map
from torchopt.transform import GradientTransformation, chain
from torchopt.typing import OptState, Params, Updates

STEPS, BATCH = 5, 2
Tensors = dict[str, torch.Tensor]


class PolarState(NamedTuple):
    """Lists in the order of the parameters; None for those of the other kind."""

    traces: list[torch.Tensor | None]
    squares: list[torch.Tensor | None]
    step: torch.Tensor


def polar(momentum: float = 0.9, decay: float = 0.99) -> GradientTransformation:
    """One step towards the orthogonal factor of matrices' momentum; other leaves divided by a root."""

    def init(params: Params) -> OptState:
        matrix = [p.ndim == 2 for p in params.values()]
        zeros = [torch.zeros_like(p) for p in params.values()]
        return PolarState(
            [z if m else None for z, m in zip(zeros, matrix, strict=True)],
            [None if m else z for z, m in zip(zeros, matrix, strict=True)],
            torch.tensor(0),
        )

    def update(
        updates: Updates, state: OptState, *, params: Params | None = None, inplace: bool = False
    ) -> tuple[Updates, OptState]:
        traces, squares, new = [], [], {}
        for (name, g), trace, square in zip(
            updates.items(), state.traces, state.squares, strict=True
        ):
            if trace is not None:
                trace = trace.mul_(momentum).add_(g) if inplace else momentum * trace + g
                x = trace / (trace.norm() + 1e-7)
                new[name] = 1.5 * x - 0.5 * x @ x.T @ x
            else:
                square = decay * square + (1 - decay) * g**2
                bias = 1 - decay ** (state.step.item() + 1)
                new[name] = g / ((square / bias + 1e-8).sqrt() + 1e-8)
            traces.append(trace)
            squares.append(square)
        return new, PolarState(traces, squares, state.step + 1)

    return GradientTransformation(init, update)


def falling(step: Any) -> Any:
    return 0.02 * (1 - step / 10)


OPTIMIZERS: dict[str, Callable[[], GradientTransformation]] = {
    "adamw": lambda: torchopt.adamw(falling, betas=(0.9, 0.99), eps_root=1e-8, weight_decay=0.1),
    "linear schedule": lambda: torchopt.adamw(
        torchopt.schedule.linear_schedule(0.02, 0.001, transition_steps=4), eps_root=1e-8
    ),
    "sgd": lambda: torchopt.sgd(falling, momentum=0.9, weight_decay=0.1),
    "adamax": lambda: torchopt.adamax(falling),
    "rmsprop": lambda: torchopt.rmsprop(falling, eps=1e-3),
    "of one's own": lambda: chain(
        polar(), torchopt.transform.scale_by_schedule(lambda t: -falling(t))
    ),
}


class Trainer:
    """A model of two layers on fixed data; its parameters are elsewhere."""

    def __init__(self, optimizer: GradientTransformation) -> None:
        draw = torch.Generator().manual_seed(0)

        def normal(*shape: int) -> torch.Tensor:
            return torch.randn(*shape, generator=draw, dtype=torch.float64)

        self.model = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1)).double()
        self.start = {k: 0.5 * normal(*p.shape) for k, p in self.model.named_parameters()}
        self.x, self.y = normal(STEPS * BATCH, 3), normal(STEPS * BATCH, 1)
        self.query = normal(4, 3), normal(4, 1)
        self.optimizer = optimizer

    def loss(self, params: Tensors, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return (torch.func.functional_call(self.model, params, x) - y).square().squeeze(1)

    def query_loss(self, params: Tensors) -> torch.Tensor:
        return self.loss(params, *self.query).mean()

    def step(
        self,
        params: Tensors,
        state: Any,
        weights: torch.Tensor,
        at: int,
        *,
        inplace: bool,
        trace: bool,
    ) -> tuple[Tensors, Any]:
        if not trace:
            params = {name: p.detach().requires_grad_() for name, p in params.items()}
        rows = slice(at * BATCH, (at + 1) * BATCH)
        loss = (weights[rows] * self.loss(params, self.x[rows], self.y[rows])).mean()
        found = torch.autograd.grad(loss, tuple(params.values()), create_graph=trace)
        if not trace:
            params = {name: p.detach() for name, p in params.items()}
        grads = dict(zip(params, found, strict=True))
        updates, state = self.optimizer.update(grads, state, params=params, inplace=inplace)
        return torchopt.apply_updates(params, updates, inplace=inplace), state


def tensors(state: Any) -> list[torch.Tensor]:
    return [t for t in tree_iter(state) if isinstance(t, torch.Tensor) and t.is_floating_point()]


def save(path: Path, params: Tensors, state: Any) -> None:
    paths, leaves, _ = tree_flatten_with_path(state)
    names = ["state/" + ".".join(map(str, p)) for p in paths]
    assert len(set(names)) == len(names)
    torch.save({**params, **dict(zip(names, leaves, strict=True))}, path)


def load(path: Path, params: Tensors, state: Any) -> None:
    """Copy what was saved into the tensors of another time."""
    saved = torch.load(path)
    for name, p in params.items():
        p.copy_(saved.pop(name))
    for t, value in zip(tree_iter(state), saved.values(), strict=True):
        t.copy_(value)


def train(
    trainer: Trainer, weights: torch.Tensor, folder: Path | None = None, *, inplace: bool = False
) -> tuple[Tensors, Any]:
    params = {name: p.clone() for name, p in trainer.start.items()}
    state = trainer.optimizer.init(params)
    for at in range(STEPS):
        if folder is not None:
            save(folder / str(at), params, state)
        params, state = trainer.step(params, state, weights, at, inplace=inplace, trace=False)
    return params, state


def scores(trainer: Trainer, folder: Path, *, inplace: bool) -> torch.Tensor:
    """Differentiate the query loss after training by the examples' weights, one step at a time."""
    weights = torch.ones(STEPS * BATCH, dtype=torch.float64)
    params, state = train(trainer, weights, folder, inplace=inplace)
    leaves = [p.requires_grad_() for p in params.values()]
    cotangents = [
        *torch.autograd.grad(trainer.query_loss(params), leaves),
        *map(torch.zeros_like, tensors(state)),
    ]
    total = torch.zeros_like(weights)
    for at in reversed(range(STEPS)):
        params = {name: p.detach() for name, p in params.items()}
        state = tree_map(lambda t: t.detach(), state)
        load(folder / str(at), params, state)
        weights.requires_grad_()
        inputs = [t.requires_grad_() for t in (*params.values(), *tensors(state))]
        after, later = trainer.step(params, state, weights, at, inplace=False, trace=True)
        *cotangents, of_weights = torch.autograd.grad(
            [*after.values(), *tensors(later)], [*inputs, weights], cotangents, allow_unused=True
        )
        total += of_weights
    return total


@pytest.mark.parametrize("inplace", [False, True], ids=["new tensors", "in place"])
@pytest.mark.parametrize("name", OPTIMIZERS)
def test_scores_through_training_equal_finite_differences(
    name: str, inplace: bool, tmp_path: Path
) -> None:
    trainer = Trainer(OPTIMIZERS[name]())
    found = scores(trainer, tmp_path, inplace=inplace)
    width = 1e-5
    for example in range(STEPS * BATCH):
        ends = []
        for side in (width, -width):
            weights = torch.ones(STEPS * BATCH, dtype=torch.float64)
            weights[example] += side
            ends.append(trainer.query_loss(train(trainer, weights)[0]).item())
        difference = (ends[0] - ends[1]) / (2 * width)
        assert found[example].item() == pytest.approx(difference, rel=1e-5, abs=1e-9)
    assert found.abs().min() > 1e-7


def second_moments(model: nn.Module, state: Any) -> dict[str, torch.Tensor]:
    """Return the second moments by name, as such a library writes them for others to read."""
    names = sorted(name for name, _ in model.named_parameters())
    nu = list(next(part for part in state if hasattr(part, "nu")).nu)
    return dict(zip(names, nu, strict=True))


def test_second_moments_are_exported_by_name() -> None:
    trainer = Trainer(torchopt.adamw(0.02, betas=(0.9, 0.99), weight_decay=0.1))
    weights = torch.ones(STEPS * BATCH, dtype=torch.float64)
    found = second_moments(trainer.model, train(trainer, weights)[1])

    trainer.model.load_state_dict(trainer.start)
    params = dict(trainer.model.named_parameters())
    optimizer = torch.optim.AdamW(params.values(), lr=0.02, betas=(0.9, 0.99), weight_decay=0.1)
    for at in range(STEPS):
        rows = slice(at * BATCH, (at + 1) * BATCH)
        optimizer.zero_grad()
        trainer.loss(params, trainer.x[rows], trainer.y[rows]).mean().backward()
        optimizer.step()
    expected = {name: optimizer.state[p]["exp_avg_sq"] for name, p in params.items()}
    torch.testing.assert_close(found, expected, rtol=1e-12, atol=0)

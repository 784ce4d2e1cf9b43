"""The digits, training on them, and the memory that training takes."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch.nn.functional import cross_entropy

from torchopt.diff import DifferentiationMode
from torchopt.examples.deq.config import Config
from torchopt.examples.deq.model import Equilibrium
from torchopt.solver import Anderson, FixedPointIteration

__all__ = ["Digits", "accuracy", "fit", "load_digits", "make_model", "saved_bytes", "steps_of"]


class Digits(NamedTuple):
    """Images of shape ``(count, 1, 8, 8)`` in [0, 1] and the digits that they show.

    Attributes:
        train_x: Images to train on.
        train_y: Their digits.
        test_x: Held-out images.
        test_y: Their digits.
    """

    train_x: torch.Tensor
    train_y: torch.Tensor
    test_x: torch.Tensor
    test_y: torch.Tensor


def load_digits(config: Config) -> Digits:
    """Return scikit-learn's digits, split at random by the seed."""
    from sklearn import datasets  # type: ignore[import-not-found,import-untyped,unused-ignore]

    data = datasets.load_digits()
    order = torch.randperm(len(data.target), generator=torch.Generator().manual_seed(config.seed))
    x = torch.as_tensor(data.images, dtype=torch.float32)[order, None] / 16
    y = torch.as_tensor(data.target)[order]
    held_out = config.test_images
    return Digits(x[held_out:], y[held_out:], x[:held_out], y[:held_out])


def make_model(config: Config, diff: DifferentiationMode) -> Equilibrium:
    """Return the network of a configuration; the same start for each mode."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(config.seed)
        return Equilibrium(
            config.channels,
            contraction=config.contraction,
            solver=Anderson(rtol=0.0, atol=config.tol),
            diff=diff,
        )


def fit(
    config: Config,
    digits: Digits,
    diff: DifferentiationMode,
    *,
    on_step: Callable[[float], None] = lambda loss: None,
) -> tuple[Equilibrium, list[float]]:
    """Train a network.

    Args:
        config: The settings.
        digits: The data.
        diff: How the equilibrium is differentiated.
        on_step: Called with the loss.

    Returns:
        The network, and the loss at each step.
    """
    model = make_model(config, diff)
    optimizer = torch.optim.Adam(model.parameters(), config.lr)
    steps = steps_of(config, digits)
    schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.01, steps)
    generator = torch.Generator().manual_seed(config.seed)
    losses = []
    for _ in range(config.epochs):
        order = torch.randperm(len(digits.train_x), generator=generator)
        for batch in order.split(config.batch)[: steps // config.epochs]:
            loss = cross_entropy(model(digits.train_x[batch]), digits.train_y[batch])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
            losses.append(loss.item())
            on_step(losses[-1])
    model.solver = Anderson(rtol=0.0, atol=config.test_tol)
    return model, losses


def steps_of(config: Config, digits: Digits) -> int:
    """Return the number of steps of a training; the rest of an epoch is left out."""
    return config.epochs * (len(digits.train_x) // config.batch)


@torch.no_grad()
def accuracy(model: Equilibrium, digits: Digits) -> float:
    """Return the fraction of held-out images that are read right."""
    return (model(digits.test_x).argmax(-1) == digits.test_y).double().mean().item()


def saved_bytes(model: Equilibrium, x: torch.Tensor, *, steps: int) -> int:
    """Return how many bytes the forward pass keeps for the backward pass.

    Args:
        model: The network; its mode is used, its solver is not.
        x: Images.
        steps: How many times the layer is applied.
    """
    kept: dict[int, int] = {}

    def pack(t: torch.Tensor) -> torch.Tensor:
        storage = t.untyped_storage()
        kept[storage.data_ptr()] = storage.nbytes()
        return t

    # So many steps and no more are asked for.
    all_steps = FixedPointIteration(rtol=0.0, maxiter=steps, on_failure="ignore")
    solver, model.solver = model.solver, all_steps
    try:
        with torch.autograd.graph.saved_tensors_hooks(pack, lambda t: t):
            logits = model(x)
    finally:
        model.solver = solver
    assert logits.requires_grad  # the graph lives until here, so that no address is used twice
    return sum(kept.values())

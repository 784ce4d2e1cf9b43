"""Trainings of small networks, on scikit-learn's digits, for optimizers to be tried on."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple, TypeAlias

import torch
from torch.func import vmap
from torch.nn.functional import cross_entropy

import torchopt
from examples.tools.digits import split_digits
from torchopt.transform import GradientTransformation

__all__ = ["Network", "Trainings", "begin", "draw", "go_on", "loss_of", "vary"]

Network: TypeAlias = tuple[Callable[[torch.Tensor], torch.Tensor], Sequence[int]]
"""The activation and the widths of the hidden layers of a perceptron."""


class Trainings(NamedTuple):
    """Some trainings of one kind of network, each to read five digits whose labels are shuffled.

    Attributes:
        network: What is trained.
        weights: The first weights, with a leading axis of trainings.
        x: Images for each step, ``(trainings, steps, batch, 64)``.
        y: Their labels.
        test_x: Other images, the same for each training.
        test_y: Their labels, ``(trainings, images)``.
    """

    network: Network
    weights: dict[str, torch.Tensor]
    x: torch.Tensor
    y: torch.Tensor
    test_x: torch.Tensor
    test_y: torch.Tensor


def draw(
    network: Network,
    digits: range,
    generator: torch.Generator,
    *,
    number: int,
    steps: int,
    batch: int,
) -> Trainings:
    """Draw trainings on some digits; a third of the images is for the tests, in all trainings.

    Args:
        network: What is trained.
        digits: The digits to tell apart.
        generator: Of weights, batches and labels.
        number: The number of trainings.
        steps: In a training.
        batch: Images in a step.
    """
    (data,) = split_digits(0)
    chosen = (data.y >= digits.start) & (data.y < digits.stop)
    x, y, cut = data.x[chosen], data.y[chosen] - digits.start, 2 * int(chosen.sum()) // 3
    weights = {}
    for k, sizes in enumerate(itertools.pairwise((64, *network[1], len(digits)))):
        noise = torch.rand(number, *sizes, generator=generator) * 2 - 1
        weights[f"weight{k}"] = noise / sizes[0] ** 0.5
        weights[f"bias{k}"] = torch.zeros(number, sizes[1])
    index = torch.randint(cut, (number, steps, batch), generator=generator)
    labels = torch.rand(number, len(digits), generator=generator).argsort(1)[:, y]
    shown = labels.gather(1, index.flatten(1)).view_as(index)
    return Trainings(network, weights, x[index], shown, x[cut:], labels[:, cut:])


def vary(trainings: Trainings, generator: torch.Generator) -> Trainings:
    """Return the trainings with another contrast and with noise in all images, both random.

    Learned optimizers that have seen one difficulty only take too large steps on a harder one.
    """
    contrast, noise = torch.rand(2, generator=generator).tolist()
    x, test_x = (
        4**contrast / 2 * t + 0.4 * noise * torch.randn(t.shape, generator=generator)
        for t in (trainings.x, trainings.test_x)
    )
    return trainings._replace(x=x, test_x=test_x)


def loss_of(
    network: Network, weights: dict[str, torch.Tensor], batch: tuple[torch.Tensor, torch.Tensor]
) -> torch.Tensor:
    """Return the cross entropy of a network on some images and labels."""
    activation, widths = network
    x, last = batch[0], len(widths)
    for k in range(last):
        x = activation(x @ weights[f"weight{k}"] + weights[f"bias{k}"])
    return cross_entropy(x @ weights[f"weight{last}"] + weights[f"bias{last}"], batch[1])


def begin(tx: GradientTransformation, trainings: Trainings) -> Any:
    """Return what the first steps begin with: weights, and the optimizer's state for each training."""
    return trainings.weights, vmap(tx.init)(trainings.weights)


def go_on(
    tx: GradientTransformation, trainings: Trainings, carry: Any, start: int, steps: int
) -> tuple[torch.Tensor, Any]:
    """Do some steps of each training, differentiably.

    Args:
        tx: The optimizer.
        trainings: The trainings.
        carry: What :func:`begin` or the last call returned.
        start: The number of steps before.
        steps: How many.

    Returns:
        The losses on the test images after them, and what the next steps begin with.
    """
    loss = partial(loss_of, trainings.network)

    def train(carry: Any, batches: Any, test_y: torch.Tensor) -> tuple[torch.Tensor, Any]:
        weights, state = carry
        resumed = GradientTransformation(lambda _: state, tx.update)
        s = torchopt.minimize(loss, weights, solver=resumed, steps=steps, batches=batches)
        return loss(s.params, (trainings.test_x, test_y)), (s.params, s.state)

    batches = tuple(t[:, start : start + steps] for t in (trainings.x, trainings.y))
    return vmap(train)(carry, batches, trainings.test_y)

"""Ordinary classification of the training scripts' letters, which both learners start from.

Unrolling sixteen steps costs sixteen times one step; a start that knows strokes saves most of the
meta-steps.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import nn
from torch.nn.functional import cross_entropy

from torchopt.examples.maml.letters import Split

__all__ = ["warm_up"]

_BATCH = 64


def warm_up(
    network: nn.Module,
    letters: Split,
    *,
    steps: int,
    lr: float,
    seed: int,
    on_step: Callable[[float], None] = lambda loss: None,
) -> None:
    """Train the features of a network, in place, by a head that tells all letters apart.

    Args:
        network: It has ``features`` and a ``head``; the head is left as it is.
        letters: What to tell apart.
        steps: The number of steps of Adam.
        lr: Its learning rate, which falls along a straight line.
        seed: Of the examples and of the head that is thrown away.
        on_step: Called with the loss.
    """
    features, head = network.get_submodule("features"), network.get_submodule("head")
    classes, writers = letters.images.shape[:2]
    like = head.get_parameter("weight")
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        classifier = nn.Linear(like.shape[1], classes, dtype=like.dtype)
    generator = torch.Generator().manual_seed(seed)
    optimizer = torch.optim.Adam([*features.parameters(), *classifier.parameters()], lr)
    schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.01, steps)
    for _ in range(steps):
        y = torch.randint(classes, (_BATCH,), generator=generator)
        by = torch.randint(writers, (_BATCH,), generator=generator)
        x = letters.images[y, by][:, None].to(like.dtype) / 255
        loss = cross_entropy(classifier(features(x)), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
        on_step(loss.item())

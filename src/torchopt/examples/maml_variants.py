"""Variants of MAML on the same letters: first-order MAML, ANIL, Meta-SGD and Reptile.

- First-order MAML takes the inner gradients for constants (Finn et al., 2017).
- ANIL adapts the last layer only (Raghu et al., *Rapid Learning or Feature Reuse?*, 2020).
- Meta-SGD learns a learning rate for each weight, too (Li et al., *Meta-SGD*, 2017).
- Reptile moves the start towards the adapted parameters (Nichol et al., *On First-Order
  Meta-Learning Algorithms*, 2018); it needs no queries and several inner steps.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple

import torch
from torch import nn
from torch.nn.functional import cross_entropy

import torchopt
from torchopt.examples import maml
from torchopt.examples.maml import Params, Reader, make_network, reader
from torchopt.examples.tools import letters
from torchopt.examples.tools.command import command
from torchopt.examples.tools.report import Report
from torchopt.examples.tools.statistics import interval
from torchopt.examples.tools.tasks import Tasks
from torchopt.nn import functional_call


@dataclass(frozen=True)
class Config(maml.Config):
    """The settings of ``maml``; fewer meta-steps."""

    iterations: Annotated[int, "meta-steps"] = 200
    test_tasks: Annotated[int, "tasks in the final test"] = 100
    reptile_steps: Annotated[int, "steps within a task, of Reptile"] = 5


class Meta(NamedTuple):
    """What Meta-SGD learns: a start, and a learning rate for each weight."""

    params: Params
    rates: Params


def meta_sgd_reader(network: nn.Module, steps: int) -> Reader:
    """Return the reader of ``maml``, with learned learning rates."""

    def read(meta: Meta, task: Tasks) -> torch.Tensor:
        return adapted_outputs(network, meta.params, task, torchopt.sgd(meta.rates), steps)

    return torchopt.vmap_tasks(read, (None, 0), chunk_size=25)


def anil_reader(network: nn.Module, lr: float, steps: int) -> Reader:
    """Return the reader of ``maml``, with gradient descent on the last layer only."""

    def read(params: Params, task: Tasks) -> torch.Tensor:
        return adapted_outputs(network, params, task, torchopt.sgd(lr), steps, moving=HEAD)

    return torchopt.vmap_tasks(read, (None, 0), chunk_size=25)

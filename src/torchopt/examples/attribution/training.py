r"""A whole training as a function of how much each image counts.

.. math::
    \theta_{k+1} = \mathrm{step}\Big(\theta_k,\; \nabla_\theta \frac{1}{B}
        \sum_{i \in \text{batch } k} w_i\, \ell_i(\theta_k)\Big), \qquad w_i = 1

An image whose weight is 0 is left out, and nothing else changes: neither the start, nor the order.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import nn
from torch.nn.functional import cross_entropy

import torchopt
from torchopt.diff import DifferentiationMode, Explicit
from torchopt.examples.attribution.config import Config
from torchopt.examples.tools.digits import Data, split_digits
from torchopt.nn import functional_call

__all__ = ["Params", "Training", "load_digits", "prepare"]

Params = dict[str, torch.Tensor]

_ACTIVATIONS = {"tanh": nn.Tanh, "softplus": nn.Softplus, "gelu": nn.GELU, "relu": nn.ReLU}
_EXPLICIT = Explicit()


@dataclass(frozen=True)
class Training:
    """A training from a fixed start with fixed batches.

    Attributes:
        config: The settings.
        data: The images.
        network: Returns logits.
        start: Where training starts.
        order: The places of the images of each step, of shape ``(steps, batch)``.
    """

    config: Config
    data: Data
    network: nn.Module
    start: Params
    order: torch.Tensor

    @property
    def all_images(self) -> torch.Tensor:
        """Weights by which every image counts."""
        return torch.ones_like(self.data.x[:, 0])

    def objective(
        self, params: Params, weights: torch.Tensor, places: torch.Tensor
    ) -> torch.Tensor:
        """Return the weighted loss on the images of these places; it is divided by their number."""
        images = Data(self.data.x[places], self.data.y[places])
        return (weights[places] * self.losses(params, images)).mean()

    def model(self, params: Params, x: torch.Tensor) -> torch.Tensor:
        """Return logits."""
        logits: torch.Tensor = functional_call(self.network, params, x)
        return logits

    def losses(self, params: Params, data: Data) -> torch.Tensor:
        """Return the loss on each image."""
        return cross_entropy(self.model(params, data.x), data.y, reduction="none")

    @property
    def lr(self) -> torchopt.typing.Schedule:
        """The learning rate of each step: a network that is led gently has smooth derivatives."""
        return torchopt.schedule.linear_schedule(self.config.lr, 0.0, self.config.steps)

    def run(
        self,
        weights: torch.Tensor,
        *,
        steps: int | None = None,
        diff: DifferentiationMode = _EXPLICIT,
    ) -> Params:
        """Return the trained parameters.

        Args:
            weights: How much each image counts.
            steps: Stop after so many; by default, at the end.
            diff: How the parameters are differentiated with respect to the weights.
        """
        count = self.config.steps if steps is None else steps
        solution = torchopt.minimize(
            self.objective,
            self.start,
            (weights,),
            solver=torchopt.sgd(self.lr, momentum=0.9),
            steps=count,
            batches=self.order[:count],
            diff=diff,
        )
        params: Params = solution.params
        return params

    @torch.no_grad()
    def trained(self, steps: int | None = None) -> Params:
        """Return where training with all images is after some steps, by default at the end."""
        return self.run(self.all_images, steps=steps)


def load_digits(config: Config) -> tuple[Data, Data, Data]:
    """Return images to train on, images whose losses are explained, and the rest."""
    targets, train, rest = split_digits(config.seed, config.targets, config.images)
    return train, targets, rest


def prepare(config: Config, data: Data) -> Training:
    """Return the training of a configuration; networks of one seed and width start the same."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(config.seed)
        net = nn.Sequential(
            nn.Linear(64, config.width),
            _ACTIVATIONS[config.activation](),
            nn.Linear(config.width, 10),
        )
    net = net.to(data.x.dtype)
    start = {name: p.detach() for name, p in net.named_parameters()}
    generator = torch.Generator().manual_seed(config.seed)
    count, batch = len(data.y), config.batch
    epochs = -(-config.steps // (count // batch))
    order = [
        torch.randperm(count, generator=generator)[: count // batch * batch].view(-1, batch)
        for _ in range(epochs)
    ]
    return Training(config, data, net, start, torch.cat(order)[: config.steps])

r"""Online hyperparameter optimization: penalties, label smoothing and noise, learned while training.

67 hyperparameters of a network follow the gradient of the validation loss in a single training run:

.. math::
    \min_{\lambda, s, \sigma}\; \ell(\theta^*; \text{validation}) \quad\text{with}\quad \theta^* =
    \arg\min_\theta\, \mathbb{E}_\varepsilon\, \ell_s(\theta; x + \sigma\varepsilon)
        + \tfrac12 \sum_j \lambda_j \|w_j\|^2

:math:`w_j` are the weights of one pixel or of the last layer, and :math:`\ell_s` has smoothed labels.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import torch
from matplotlib.figure import Figure
from torch import nn

from examples.tools.command import command
from examples.tools.digits import Data, accuracy, split_digits
from examples.tools.engine import engine_config, run_engine
from examples.tools.report import Report
from torchopt import multilevel
from torchopt.diff import Implicit
from torchopt.linear_solve import CG

Hyper = dict[str, torch.Tensor]


@dataclass(frozen=True)
class Config:
    """Settings; the command line's options."""

    unroll_steps: Annotated[int, "steps of the network for one of the hyperparameters"] = 10
    steps: Annotated[int, "of the network, while hyperparameters move"] = 3000
    lr: Annotated[float, "learning rate of the network, by SGD with momentum"] = 0.1
    outer_lr: Annotated[float, "Adam's learning rate, of the hyperparameters"] = 0.05
    final_steps: Annotated[int, "of a network with fixed hyperparameters, in the final test"] = 300
    width: Annotated[int, "of the network's hidden layer"] = 64
    networks: Annotated[int, "fresh ones in the final test"] = 5
    validate_every: Annotated[int, "steps of the network between records and checkpoints"] = 200
    seed: Annotated[int, "of the split and of the networks' starts"] = 0
    threads: Annotated[int, "CPU threads; part of the numbers' last digits"] = 1


def make_start() -> Hyper:
    """Return 65 penalties, the smoothing and the noise, as numbers without bounds."""
    return {
        "log_penalties": torch.full((65,), 1e-3).log(),
        "smoothing": torch.tensor(2 * 0.05).logit(),  # at most one half
        "log_noise": torch.tensor(0.05).log(),
    }


def make_network(config: Config) -> tuple[nn.Sequential, torch.optim.Optimizer]:
    """Return a network with a random start, and its optimizer."""
    net = nn.Sequential(nn.Linear(64, config.width), nn.ReLU(), nn.Linear(config.width, 10))
    return net, torch.optim.SGD(net.parameters(), config.lr, momentum=0.9)


def training_loss(net: nn.Sequential, h: Hyper, data: Data) -> torch.Tensor:
    """Return the penalized cross entropy with smoothed labels, on images with new noise."""
    x = data.x + h["log_noise"].exp() * torch.randn_like(data.x)
    log_p, s = net(x).log_softmax(1), 0.5 * h["smoothing"].sigmoid()
    hidden, _, last, _ = net.parameters()  # without the biases
    squares = torch.cat([hidden.square().sum(0), last.square().sum()[None]])
    penalty = 0.5 * (h["log_penalties"].exp() * squares).sum()
    return penalty - (1 - s) * log_p.gather(1, data.y[:, None]).mean() - s * log_p.mean()


def loss(net: nn.Module, data: Data) -> torch.Tensor:
    """Return the cross entropy."""
    return nn.functional.cross_entropy(net(data.x), data.y)


def make_engine(config: Config, train: Data, validation: Data, report: Report) -> multilevel.Engine:
    """Return the program; the network is differentiated implicitly, by conjugate gradients."""

    class Network(multilevel.Problem):  # lower: train with the hyperparameters
        def training_step(self, batch: None) -> torch.Tensor:
            return training_loss(self.module, self.tuning.params, train)

    class Tuning(multilevel.Problem):  # upper: the trained network should do well on other images
        def training_step(self, batch: None) -> torch.Tensor:
            return loss(self.network, validation)

    class Program(multilevel.Engine):
        def validation(self) -> dict[str, float]:
            return {"loss": loss(self.network, validation).item()}

    net, optimizer = make_network(config)
    h = {name: value.requires_grad_() for name, value in make_start().items()}
    solve = CG(maxiter=10, on_failure="ignore")
    mode = multilevel.Config(diff=Implicit(solve), unroll_steps=config.unroll_steps)
    network = Network("network", mode, net, optimizer)
    tuning = Tuning("tuning", params=h, optimizer=torch.optim.Adam(h.values(), config.outer_lr))
    edges = {"u2l": {tuning: [network]}, "l2u": {network: [tuning]}}
    settings = engine_config(report, config.steps, config.validate_every)
    return Program([tuning, network], settings, edges)


def evaluate(config: Config, h: Hyper, parts: list[Data]) -> list[float]:
    """Train networks with fixed hyperparameters; return mean losses and the test accuracy."""
    train, validation, test, _ = parts
    torch.manual_seed(config.seed)
    scores = []
    for _ in range(config.networks):
        net, optimizer = make_network(config)
        for _ in range(config.final_steps):
            optimizer.zero_grad()
            training_loss(net, h, train).backward()
            optimizer.step()
        scores.append([loss(net, validation).item(), loss(net, test).item(), accuracy(net, test)])
    return [sum(values) / config.networks for values in zip(*scores, strict=True)]


def run(config: Config, report: Report = Report()) -> dict[str, list[float]]:
    """Learn the hyperparameters; return how fresh networks do with them, and with the start."""
    parts = split_digits(config.seed, 100, 300, 1000)
    torch.manual_seed(config.seed)
    engine = make_engine(config, parts[0], parts[1], report)
    curve = run_engine(engine, report, "hyperparameters")["validation/loss"]
    h = {name: value.detach() for name, value in engine.tuning.params.items()}
    start = evaluate(config, make_start(), parts)
    result = {"the start": start, "learned": evaluate(config, h, parts)}
    rows = [(k, f"{s[0]:.4f}", f"{s[1]:.4f}", f"{100 * s[2]:.1f} %") for k, s in result.items()]
    report.table("loss of fresh networks", ("trained with", "validation", "test", "accuracy"), rows)

    figure = Figure(figsize=(9, 3.5), layout="constrained")
    left, right = figure.subplots(1, 2)
    left.plot(*zip(*curve, strict=True), "o-", ms=3, label="while they are learned")
    left.axhline(result["the start"][0], color="C1", label="with those of the start")
    left.set(xlabel="step", ylabel="validation loss")
    left.legend()
    right.set(xticks=[], yticks=[], title="logarithm of the penalty of each pixel")
    figure.colorbar(right.imshow(h["log_penalties"][:-1].view(8, 8).numpy()), ax=right)
    report.picture("hyperparameters", figure)
    return result


PRESETS = {
    "quick": Config(steps=1000, networks=2),
    "default": Config(),
    "full": Config(steps=10000, width=256, networks=20, validate_every=500),
}

main = command(run, PRESETS, resumable=True)

if __name__ == "__main__":
    raise SystemExit(main())

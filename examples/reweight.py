r"""Learning to reweight: a weight for each image, when half of the labels are wrong.

The weights change so that a network trained on the weighted images reads a few images with right
labels well (Ren et al., *Learning to Reweight Examples for Robust Deep Learning*, 2018):

.. math::
    \min_{0 \le w \le 1}\; \ell(\theta^*(w); \text{clean images}) \quad\text{with}\quad \theta^*(w)
    = \arg\min_\theta \sum_i w_i\, \ell_i(\theta; \text{noisy labels})
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import torch
from matplotlib.figure import Figure
from torch import nn
from torch.nn.functional import cross_entropy

from examples.tools.command import command
from examples.tools.digits import Data, accuracy, random_batches, split_digits
from examples.tools.engine import engine_config, run_engine
from examples.tools.report import Report
from torchopt import multilevel
from torchopt.diff import Explicit
from torchopt.multilevel import Engine, Problem


@dataclass(frozen=True)
class Config:
    """Settings; the command line's options."""

    unroll_steps: Annotated[int, "steps of the network for one of the weights"] = 10
    steps: Annotated[int, "of the network"] = 900
    batch: Annotated[int, "images in a step of the network"] = 200
    lr: Annotated[float, "learning rate of the network, by SGD with momentum"] = 0.2
    weight_lr: Annotated[float, "learning rate of the weights, by SGD"] = 10.0
    width: Annotated[int, "of the network's hidden layer"] = 128
    wrong: Annotated[float, "fraction of the labels that are wrong, below one"] = 0.5
    clean_images: Annotated[int, "with right labels, to judge by"] = 100
    validate_every: Annotated[int, "steps between tests and checkpoints"] = 50
    seed: Annotated[int, "of the split, the labels and the start"] = 0
    threads: Annotated[int, "CPU threads; part of the numbers' last digits"] = 1

    def __post_init__(self) -> None:
        if self.validate_every % self.unroll_steps or self.steps % self.validate_every:
            raise ValueError("`unroll_steps` must divide `validate_every`, and that `steps`.")


def make_data(config: Config) -> tuple[Data, torch.Tensor, Data, Data]:
    """Return images with noisy labels, which of these are wrong, and clean and test images."""
    test, clean, noisy = split_digits(config.seed, 500, config.clean_images)
    generator = torch.Generator().manual_seed(config.seed)
    chosen = torch.randperm(len(noisy.y), generator=generator)[: round(config.wrong * len(noisy.y))]
    y = noisy.y.index_add(0, chosen, torch.randint(1, 10, (len(chosen),), generator=generator))
    return Data(noisy.x, y % 10), y != noisy.y, clean, test


def make_network(config: Config) -> tuple[nn.Module, torch.optim.Optimizer]:
    """Return a network, which always starts the same, and its optimizer."""
    torch.manual_seed(config.seed)
    net = nn.Sequential(nn.Linear(64, config.width), nn.ReLU(), nn.Linear(config.width, 10))
    return net, torch.optim.SGD(net.parameters(), config.lr, momentum=0.9)


def make_engine(config: Config, noisy: Data, clean: Data, test: Data, report: Report) -> Engine:
    """Return the program; each step of the weights is differentiated through those of the network."""

    class Classifier(Problem):  # the lower problem: train the network on weighted images
        def training_step(self, batch: torch.Tensor) -> torch.Tensor:
            losses = cross_entropy(self.module(noisy.x[batch]), noisy.y[batch], reduction="none")
            return (self.weights.params[batch] * losses).mean()

    class Weights(Problem):  # the upper problem: the trained network should read clean images
        def training_step(self, batch: None) -> torch.Tensor:
            return cross_entropy(self.classifier(clean.x), clean.y)

        @torch.no_grad()
        def param_callback(self) -> None:
            self.params.clamp_(0.0, 1.0)

    class Reweighting(Engine):
        def validation(self) -> dict[str, float]:
            return {"accuracy": accuracy(self.classifier.module, test)}

    net, optimizer = make_network(config)
    w = torch.full((len(noisy.y),), 0.5, requires_grad=True)
    mode = multilevel.Config(diff=Explicit(), unroll_steps=config.unroll_steps)
    batches = random_batches(len(noisy.y), config.batch, config.steps, config.seed)
    classifier = Classifier("classifier", mode, net, optimizer, train_data_loader=batches)
    weights = Weights("weights", params=w, optimizer=torch.optim.SGD([w], config.weight_lr))
    edges = {"u2l": {weights: [classifier]}, "l2u": {classifier: [weights]}}
    settings = engine_config(report, config.steps, config.validate_every)
    return Reweighting([weights, classifier], settings, edges)


def train(config: Config, data: Data, judges: list[Data]) -> list[list[float]]:
    """Train without weights; return the accuracies on other images after every few steps."""
    (net, optimizer), history = make_network(config), []
    batches = random_batches(len(data.y), config.batch, config.steps, config.seed)
    for step, batch in enumerate(batches, 1):
        loss = 0.5 * cross_entropy(net(data.x[batch]), data.y[batch])  # weights of 0.5
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % config.validate_every == 0:
            history.append([accuracy(net, judge) for judge in judges])
    return history


def run(config: Config, report: Report = Report()) -> dict[str, float]:
    """Train with and without weights; return the accuracies on held-out images, and the AUC."""
    noisy, wrong, clean, test = make_data(config)
    engine = make_engine(config, noisy, clean, test, report)
    curve = run_engine(engine, report, "reweighting")["validation/accuracy"]
    plain = train(config, noisy, [clean, test])
    result = {
        "noisy labels": plain[-1][1],
        "noisy labels, stopped early": max(plain, key=lambda scores: scores[0])[1],
        "the clean images alone": train(config, clean, [test])[-1][0],
        "noisy labels, with weights": curve[-1][1],
    }
    rows = [(name, f"{100 * value:.1f} %") for name, value in result.items()]
    report.table(f"accuracy on {len(test.y)} held-out digits", ("trained on", "accuracy"), rows)
    weights = engine.weights.params.detach()
    # How often an image weighs more than one with a wrong label; equal weights count half.
    gaps = weights[~wrong, None] - weights[wrong]
    result["area under the curve"] = auc = (gaps.sign().double().mean().item() + 1) / 2

    figure = Figure(figsize=(9, 3.5), layout="constrained")
    left, right = figure.subplots(1, 2)
    left.plot(*zip(*curve, strict=True), "o-", ms=3, label="with weights")
    left.plot([step for step, _ in curve], [p[1] for p in plain], "o-", ms=3, label="without")
    left.set(xlabel="step", ylabel="test accuracy")
    right.hist([weights[~wrong], weights[wrong]], bins=20, label=["right label", "wrong label"])
    right.set(xlabel="weight", ylabel="images", title=f"area under the ROC curve {auc:.3f}")
    figure.legend(loc="outside lower center", ncols=4)
    report.picture("weights", figure)
    return result


PRESETS = {
    "quick": Config(steps=500),
    "default": Config(),
    "full": Config(width=512, steps=2000),
}

main = command(run, PRESETS, resumable=True)

if __name__ == "__main__":
    raise SystemExit(main())

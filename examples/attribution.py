"""Attribution: which training images taught the network to read this digit?

With weights w_i, a step of training is ``theta <- step(theta, grad mean_i w_i loss_i(theta))``. The
derivative of a held-out image's final loss by w, through all steps, predicts what happens when images
are left out (Engstrom et al., *Optimizing ML Training with Metagradient Descent*, 2025). Retraining
shows whether it is right. Influence functions (Koh and Liang, 2017) and products of gradients (TracIn,
Pruthi et al., 2020) are the same derivative by other differentiation modes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, Literal

import torch
from torch import nn
from torch.func import jacrev
from torch.nn.functional import cross_entropy

import torchopt
from examples.tools.command import command
from examples.tools.digits import Data, draw_extremes, split_digits
from examples.tools.report import Report
from examples.tools.statistics import rank_correlation
from torchopt.diff import DifferentiationMode, Explicit, Implicit, OneStep
from torchopt.linear_solve import MINRES

FRACTIONS = (0.01, 0.05, 0.2)
Params = dict[str, torch.Tensor]
Mode = DifferentiationMode | None


@dataclass(frozen=True)
class Config:
    """The settings of a run."""

    activation: Annotated[Literal["Tanh", "Softplus", "GELU", "ReLU"], "of the network"] = "Tanh"
    width: Annotated[int, "of the network's hidden layer"] = 32
    steps: Annotated[int, "of training, by SGD with momentum 0.9"] = 300
    batch: Annotated[int, "images in a step"] = 100
    lr: Annotated[float, "the first learning rate; it falls along a straight line"] = 0.1
    images: Annotated[int, "to train on, of 1797"] = 1000
    targets: Annotated[int, "held-out images whose losses are explained"] = 20
    subsets: Annotated[int, "retrainings for each fraction that is left out"] = 100
    seed: Annotated[int, "of the split, the start, the batches and the subsets"] = 0
    threads: Annotated[int, "CPU threads; part of the numbers' last digits"] = 1

    def __post_init__(self) -> None:
        if self.images > 1797 - self.targets or self.images % self.batch:
            raise ValueError(
                f"`images` is {self.images}: use whole batches, and leave the targets."
            )


class Training:
    """A training from a fixed start with fixed batches, as a function of the images' weights."""

    def __init__(self, config: Config, data: Data) -> None:
        self.data, self.ones = data, torch.ones_like(data.x[:, 0])
        torch.manual_seed(config.seed)
        hidden = getattr(nn, config.activation)()
        self.net = nn.Sequential(nn.Linear(64, config.width), hidden, nn.Linear(config.width, 10))
        self.start = {name: p.detach().to(data.x) for name, p in self.net.named_parameters()}
        # A learning rate that falls to zero makes the derivative smooth.
        self.lr = torchopt.schedule.linear_schedule(config.lr, 0.0, config.steps)
        self.sgd = torchopt.sgd(self.lr, momentum=0.9)
        generator = torch.Generator().manual_seed(config.seed)
        orders = [torch.randperm(config.images, generator=generator) for _ in range(config.steps)]
        self.batches = torch.cat(orders).view(-1, config.batch)[: config.steps]

    def losses(self, params: Params, data: Data) -> torch.Tensor:
        """Return the loss on each image."""
        logits = torchopt.nn.functional_call(self.net, params, data.x)
        return cross_entropy(logits, data.y, reduction="none")

    def loss(self, params: Params, w: torch.Tensor, batch: torch.Tensor) -> torch.Tensor:
        """Return the weighted mean of the losses on the images at some places."""
        return (w[batch] * self.losses(params, Data(*(t[batch] for t in self.data)))).mean()

    def run(self, w: torch.Tensor, mode: Mode = None, steps: int | None = None) -> Params:
        """Return the parameters after training, or after the first steps of it."""
        data = self.batches[:steps]
        return torchopt.minimize(
            self.loss, self.start, (w,), solver=self.sgd, steps=len(data), batches=data, diff=mode
        ).params

    def at(self, w: torch.Tensor, mode: Mode, params: Params) -> Params:
        """Return ``params``, differentiated as though they minimized the loss on all images."""
        args, solver = (w, torch.arange(len(w))), lambda params, *_: params
        return torchopt.minimize(self.loss, params, args, solver=solver, diff=mode).params

    @torch.no_grad()
    def changes(self, targets: Data, weights: torch.Tensor) -> torch.Tensor:
        """Return the real changes of the targets' losses, for each row of weights."""
        retrain = torchopt.vmap_tasks(lambda w: self.losses(self.run(w), targets), chunk_size=100)
        return retrain(weights) - retrain(self.ones[None])


def score(
    training: Training, targets: Data, params: Callable[..., Params], *args: Any
) -> torch.Tensor:
    """Return derivatives of the targets' losses by all weights, ``(targets, images)``."""
    return jacrev(lambda w: training.losses(params(w, *args), targets))(training.ones)


def gradient_products(training: Training, targets: Data) -> torch.Tensor:
    """Return the sum of one step's derivatives at ten points of the training."""
    steps, products = len(training.batches), []
    for step in [k * steps // 10 for k in range(1, 11)]:
        params = training.run(training.ones, steps=step)
        one_step = OneStep(step_size=float(training.lr(step - 1)), hvp="reverse")
        products.append(score(training, targets, training.at, one_step, params))
    return torch.stack(products).sum(0)


def all_scores(training: Training, targets: Data) -> dict[str, torch.Tensor]:
    """Return the scores of each image, by name."""
    of, half = partial(score, training, targets), len(training.batches) // 2
    scores = {"metagradient": of(training.run, Explicit(memory="tree"))}
    scores[f"last {half} steps"] = of(training.run, Explicit(truncate=half))
    params = training.run(training.ones)
    for damping in (0.003, 0.01, 0.03):  # around the best, as retraining judges
        # The Hessian of a network has negative eigenvalues, so conjugate gradients may fail.
        solve = MINRES(ridge=damping, rtol=1e-3, maxiter=200, on_failure="ignore")
        scores[f"influence, {damping}"] = of(training.at, Implicit(linear_solve=solve), params)
    return {**scores, "gradient products": gradient_products(training, targets)}


def run(config: Config, report: Report = Report()) -> dict[str, list[torch.Tensor]]:
    """Return the rank correlation of predicted and real changes, by scores and by fraction."""
    targets, data, _ = split_digits(config.seed, config.targets, config.images)
    training, generator = Training(config, data), torch.Generator().manual_seed(config.seed)
    scores = all_scores(training, targets)
    agreement: dict[str, list[torch.Tensor]] = {name: [] for name in scores}
    with report.progress("retraining", len(FRACTIONS)) as advance:
        for fraction in FRACTIONS:
            order = torch.rand(config.subsets, config.images, generator=generator).argsort(-1)
            weights = (order >= round(fraction * config.images)).to(data.x)
            changes = training.changes(targets, weights)
            for name, of in scores.items():
                agreement[name].append(rank_correlation((weights - 1) @ of.T, changes))
            advance(f"{fraction:.0%} left out")
    rows = [(n, *(f"{x.mean():.3f} ± {x.std():.3f}" for x in xs)) for n, xs in agreement.items()]
    columns = ("scores", *(f"{fraction:.0%} left out" for fraction in FRACTIONS))
    report.table("rank correlation, mean and deviation over held-out images", columns, rows)
    report.picture("images", draw_extremes(targets, data, scores["metagradient"]))
    return agreement


PRESETS = {
    "quick": Config(steps=100, images=400, targets=8, subsets=50),
    "default": Config(),
    "full": Config(targets=50, subsets=500),
}
main = command(run, PRESETS)

if __name__ == "__main__":
    raise SystemExit(main())

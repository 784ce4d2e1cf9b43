"""Learned schedule: 500 learning rates by metagradient descent, and a cosine tuned at equal cost.

The derivative of a validation loss, through all steps of training, by the rate of each step says which
rates should grow; after a few moves against it, training begins anew. A cosine with a warm-up has
three numbers instead, of which a random search tries as many as the same cost allows. Cost is counted
in evaluations of the training loss's gradient: a metagradient evaluates each step's gradient and
multiplies by its derivatives, at the price of two more; so it costs three trainings. Both choose by
the validation loss, and are judged by the loss on other images: with the start and the batches that
they were chosen with, and with others.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Annotated

import torch
from torch import nn
from torch.nn.functional import cross_entropy

import torchopt
from examples.tools.command import command
from examples.tools.digits import Data, random_batches, split_digits
from examples.tools.pictures import line_figure
from examples.tools.report import Report

COST = 3  # of a metagradient, in trainings


@dataclass(frozen=True)
class Config:
    """The settings of a run."""

    images: Annotated[int, "to train on"] = 500
    held: Annotated[int, "images to choose by"] = 400
    wrong: Annotated[float, "fraction of the labels to train on that are wrong"] = 0.2
    width: Annotated[int, "of the network's hidden layer"] = 64
    steps: Annotated[int, "of training, by SGD with momentum 0.9; each has a rate"] = 500
    batch: Annotated[int, "images in a step"] = 25
    rounds: Annotated[int, "metagradients"] = 4
    first: Annotated[float, "the learning rate of all steps in the first round"] = 0.1
    meta_lr: Annotated[float, "by which the logarithm of a rate moves in a round"] = 0.3
    seeds: Annotated[int, "splits, each with labels and a network of its own"] = 3
    seed: Annotated[int, "of the first split"] = 0
    threads: Annotated[int, "CPU threads; part of the numbers' last digits"] = 1

    def __post_init__(self) -> None:
        if self.images + self.held > 1497:
            raise ValueError(
                f"`images` and `held` are {self.images} and {self.held}: use at most 1497 together, "
                f"to leave 300 for the test."
            )


class Training:
    """A network and images with noisy labels; another ``start`` has other weights and batches."""

    def __init__(self, config: Config, start: int = 0) -> None:
        self.config = config
        data, self.held, self.test = split_digits(config.seed, config.images, config.held)
        generator = torch.Generator().manual_seed(config.seed)
        shift = torch.randint(1, 10, (config.images,), generator=generator)
        shift[round(config.wrong * config.images) :] = 0
        self.data = Data(data.x, (data.y + shift) % 10)
        torch.manual_seed(1000 * start + config.seed)
        self.net = nn.Sequential(
            nn.Linear(64, config.width), nn.Tanh(), nn.Linear(config.width, 10)
        )
        self.start = {name: p.detach().clone() for name, p in self.net.named_parameters()}
        seed = 1000 * start + config.seed
        self.batches = random_batches(config.images, config.batch, config.steps, seed)
        self.evaluations = 0

    def loss(self, params: dict[str, torch.Tensor], data: Data) -> torch.Tensor:
        """Return the mean loss on images."""
        return cross_entropy(torchopt.nn.functional_call(self.net, params, data.x), data.y)

    def judged(self, log_rates: torch.Tensor, *parts: Data) -> torch.Tensor:
        """Return the losses on some images, after training with the rate of each step."""

        def loss(params: dict[str, torch.Tensor], batch: torch.Tensor) -> torch.Tensor:
            self.evaluations += 1
            return self.loss(params, Data(*(t[batch] for t in self.data)))

        solution = torchopt.minimize(
            loss,
            self.start,
            solver=torchopt.sgd(torchopt.schedule.table_schedule(log_rates.exp()), momentum=0.9),
            steps=self.config.steps,
            batches=self.batches,
        )
        return torch.stack([self.loss(solution.params, data) for data in parts]).squeeze()


def learn(
    training: Training, log_rates: torch.Tensor, advance: Callable[[str], None]
) -> torch.Tensor:
    """Return the logarithms of rates by metagradient descent: those of the best round."""
    config = training.config
    optimizer = torchopt.adam(config.meta_lr, betas=(0.5, 0.9))
    state, best, least = optimizer.init(log_rates), log_rates, math.inf

    def judged(log_rates: torch.Tensor) -> torch.Tensor:
        return training.judged(log_rates, training.held)

    for _ in range(config.rounds):
        gradient, value = torchopt.meta_grad_and_value(judged)(log_rates)
        if value < least:
            best, least = log_rates, float(value)
        updates, state = optimizer.update(gradient, state)
        log_rates = torchopt.apply_updates(log_rates, updates, inplace=False)
        advance(f"validation loss {value:.3f}")
    return best


def cosine(steps: int, peak: float, warmup: float, last: float) -> torch.Tensor:
    """Return the logarithms of a cosine's rates: a linear rise, then a fall to a fraction."""
    step = torch.arange(1.0, steps + 1)
    rise = warmup * steps
    along = ((step - rise) / (steps - rise)).clamp(0, 1)
    fall = last + (1 - last) * (1 + (math.pi * along).cos()) / 2
    return (peak * fall * (step / max(rise, 1)).clamp(max=1)).log()


@torch.no_grad()
def tune(training: Training, trials: int) -> torch.Tensor:
    """Return the logarithms of the best cosine's rates, of some trials that are trained together."""
    draws = torch.quasirandom.SobolEngine(3, scramble=True, seed=training.config.seed)
    tried = torch.stack(
        [
            cosine(training.config.steps, 0.01 * 100**peak, 0.3 * warmup, 10 ** (-3 * last))
            for peak, warmup, last in draws.draw(trials).tolist()
        ]
    )
    losses = torch.func.vmap(lambda rates: training.judged(rates, training.held))(tried)
    return tried[losses.argmin()]


def run(config: Config, report: Report = Report()) -> dict[str, torch.Tensor]:
    """Return the losses of each schedule, ``(seeds, 3)``: two of the training, one of another."""
    losses: dict[str, list[list[float]]] = {}
    trials = COST * config.rounds
    with report.progress("schedule", config.seeds * config.rounds) as advance:
        for seed in range(config.seed, config.seed + config.seeds):
            training = Training(replace(config, seed=seed))
            first = torch.full((config.steps,), math.log(config.first))
            rates = {
                "constant": first,
                "cosine, tuned": tune(training, trials),
                "learned": learn(training, first, advance),
            }
            with torch.no_grad():
                every = torch.stack([*rates.values()])
                other, parts = Training(training.config, 1), (training.held, training.test)
                own = torch.func.vmap(lambda r, t=training, p=parts: t.judged(r, *p))(every)
                others = torch.func.vmap(lambda r, t=other: t.judged(r, t.test))(every)
            for name, pair, last in zip(rates, own.tolist(), others.tolist(), strict=True):
                losses.setdefault(name, []).append([*pair, last])
    result = {name: torch.tensor(values) for name, values in losses.items()}
    table = [
        (name, *(f"{x.mean():.3f} ({x.min():.3f} to {x.max():.3f})" for x in values.T))
        for name, values in result.items()
    ]
    columns = ("rates", "validation", "test", "test, another start")
    title = f"loss after training, mean of {config.seeds} seeds and range; each at the cost of "
    report.table(title + f"{trials} trainings", columns, table)
    lines = {name: values.exp().tolist() for name, values in rates.items()}
    report.picture("rates", line_figure(lines, xlabel="step", ylabel="rate", yscale="log"))
    return result


PRESETS = {"quick": Config(seeds=1), "default": Config()}
main = command(run, PRESETS)

if __name__ == "__main__":
    raise SystemExit(main())

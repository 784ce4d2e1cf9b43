"""MeZO: fine-tune a transformer in the memory of inference.

A step is ``theta <- theta - lr (L(theta + sigma z) - L(theta - sigma z)) / (2 sigma) z`` (Malladi et
al., *Fine-Tuning Language Models with Just Forward Passes*, 2023, algorithm 1). A seed stands for the
random direction z, which is drawn again, tensor by tensor, wherever it is needed: no gradient, no
activation and no optimizer state is kept.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Annotated

import torch
from torch import Generator, nn
from torch.nn.functional import cross_entropy

from examples.tools.command import command
from examples.tools.memory import PeakMemory
from examples.tools.pictures import bar_figure, line_figure
from examples.tools.report import Report
from examples.tools.topics import OPINIONS, TOPICS, VOCABULARY, opinions, texts
from examples.tools.transformer import Classifier
from torchopt.diff.zero_order import SeedReplay

Loss = Callable[..., torch.Tensor]
Step = Callable[..., float]


@dataclass(frozen=True)
class Config:
    """The settings of a run."""

    width: Annotated[int, "of the transformer"] = 256
    layers: Annotated[int, "of the transformer"] = 4
    heads: Annotated[int, "of its attention"] = 4
    length: Annotated[int, "words in a text"] = 16
    batch: Annotated[int, "texts in a step"] = 16
    pretraining: Annotated[int, "steps of Adam on topics"] = 100
    pretraining_lr: Annotated[float, "their learning rate"] = 3e-4
    steps: Annotated[int, "of fine-tuning by MeZO"] = 250
    sigma: Annotated[float, "scale of its perturbations"] = 1e-3
    lr: Annotated[float, "its learning rate; it falls along a straight line"] = 1e-3
    backprop_steps: Annotated[int, "of fine-tuning by backpropagation and Adam"] = 30
    backprop_lr: Annotated[float, "its learning rate"] = 1e-4
    memory_batch: Annotated[int, "texts in the steps whose memory is measured"] = 64
    seed: Annotated[int, "of the texts, the start and the perturbations"] = 0
    threads: Annotated[int, "CPU threads; part of the numbers' last digits"] = 1

    def __post_init__(self) -> None:
        if self.width % self.heads:
            raise ValueError(f"`width` is {self.width}: use a multiple of `heads`, {self.heads}.")


def opinion_loss(model: nn.Module, text: torch.Tensor, topics: torch.Tensor) -> torch.Tensor:
    """Return the loss of fine-tuning: the cross entropy between the labels that are opinions."""
    return cross_entropy(model(text)[:, TOPICS:], opinions(topics))


def mezo_step(model: nn.Module, config: Config, loss: Loss, seeds: Generator, done: float) -> float:
    """Evaluate the loss twice, and move along the direction of a seed; return the loss."""
    projected = SeedReplay(sigma=config.sigma)(loss, model, generator=seeds)
    projected.step_(model, config.lr * (1 - 0.9 * done))
    return projected.loss


def backprop_step(optimizer: torch.optim.Optimizer, loss: Loss, *_: object) -> float:
    """Do a step of backpropagation; return the loss."""
    optimizer.zero_grad()
    value = loss()
    value.backward()
    optimizer.step()
    return value.item()


def train(step: Step, loss: Loss, steps: int, config: Config, seed: int) -> Iterator[float]:
    """Train on new texts in each step; yield the losses."""
    generator = Generator().manual_seed(seed)
    for k in range(steps):
        data = texts(config.batch, config.length, generator)
        yield step(partial(loss, *data), generator, k / steps)


@torch.no_grad()
def accuracy(model: nn.Module, config: Config) -> float:
    """Return the accuracy on held-out questions about opinions."""
    text, topics = texts(512, config.length, Generator().manual_seed(config.seed + 1_000_005))
    return (model(text)[:, TOPICS:].argmax(1) == opinions(topics)).double().mean().item()


def peaks(pretrained: nn.Module, config: Config) -> dict[str, int]:
    """Return the most bytes that each kind of step takes besides the model's parameters."""
    generator, peak = Generator().manual_seed(config.seed), {}
    data = texts(config.memory_batch, config.length, generator)
    for kind in ("inference", "MeZO", "SGD", "Adam"):
        model = copy.deepcopy(pretrained)
        model.zero_grad()
        loss, step = partial(opinion_loss, model, *data), partial(mezo_step, model, config)
        if kind in ("SGD", "Adam"):
            step = partial(backprop_step, getattr(torch.optim, kind)(model.parameters()))
        with PeakMemory() as memory, torch.set_grad_enabled(kind != "inference"):
            for _ in range(2):  # an optimizer's state is there from the second step on
                loss() if kind == "inference" else step(loss, generator, 0.0)
        peak[kind] = memory.peak
    return peak


def run(config: Config, report: Report = Report()) -> tuple[dict[str, float], dict[str, int]]:
    """Return the accuracy after each fine-tuning, and the peak of memory of each kind of step."""
    torch.manual_seed(config.seed)
    shape = (config.length, config.width, config.layers, config.heads)
    model = Classifier(VOCABULARY, TOPICS + OPINIONS, *shape)
    step = partial(backprop_step, torch.optim.Adam(model.parameters(), config.pretraining_lr))
    steps, loss = config.pretraining, lambda text, topics: cross_entropy(model(text), topics)
    with report.progress("pre-training", steps) as advance:
        for value in train(step, loss, steps, config, config.seed):
            advance(f"loss {value:.3f}")
    accuracies, losses, memory = {"none": accuracy(model, config)}, {}, peaks(model, config)
    for how, steps in (("MeZO", config.steps), ("backpropagation", config.backprop_steps)):
        tuned, values = copy.deepcopy(model), []
        adam = torch.optim.Adam(tuned.parameters(), config.backprop_lr)
        step = partial(mezo_step, tuned, config) if how == "MeZO" else partial(backprop_step, adam)
        with report.progress(how, steps) as advance:
            loss, seed = partial(opinion_loss, tuned), config.seed + 2_000_005
            for value in train(step, loss, steps, config, seed):
                values.append(value)
                advance(f"loss {value:.3f}")
        accuracies[how], losses[how] = accuracy(tuned, config), values
    rows = [(how, f"{value:.1%}") for how, value in accuracies.items()]
    report.table("opinions on held-out texts", ("fine-tuning", "accuracy"), rows)
    sizes = {name: count / 2**20 for name, count in memory.items()}
    rows = [(name, f"{size:.1f} MiB") for name, size in sizes.items()]
    report.table("peak of tensors besides the parameters", ("step", "peak"), rows)
    report.picture("loss", line_figure(losses, xlabel="step", ylabel="loss", xscale="log"))
    report.picture("memory", bar_figure(sizes, xlabel="peak besides the parameters, MiB"))
    return accuracies, memory


PRESETS = {
    "quick": Config(width=64, layers=2, pretraining_lr=3e-3, lr=3e-3, backprop_lr=1e-3),
    "default": Config(),
    "full": Config(width=512, layers=6, heads=8, pretraining=300, steps=2000, batch=32),
}
main = command(run, PRESETS)

if __name__ == "__main__":
    raise SystemExit(main())

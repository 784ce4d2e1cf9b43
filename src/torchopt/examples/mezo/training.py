"""Pre-training, and fine-tuning by seeds or by backpropagation."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator

import torch
from torch.nn.functional import cross_entropy

from torchopt.diff.zero_order import SeedReplay
from torchopt.examples.mezo.config import Config
from torchopt.examples.mezo.memory import PeakMemory
from torchopt.examples.mezo.model import Transformer
from torchopt.examples.mezo.texts import LABELS, TOPICS, VOCABULARY, opinions, texts

__all__ = [
    "accuracy",
    "backpropagation_step",
    "fine_tune",
    "make_model",
    "mezo_step",
    "peaks",
    "pretrain",
]

_TEST, _FINE = 1_000_005, 2_000_005  # offsets of the seed
OnStep = Callable[[float], None]
Step = Callable[[], float]


def make_model(config: Config) -> Transformer:
    """Make the model, the same for the same seed."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(config.seed)
        return Transformer(
            vocabulary=VOCABULARY,
            labels=LABELS,
            length=config.length,
            width=config.width,
            layers=config.layers,
            heads=config.heads,
        )


def pretrain(config: Config, *, on_step: OnStep = lambda loss: None) -> Transformer:
    """Return a model that tells topics apart, but was never asked for opinions."""
    model = make_model(config)
    generator = torch.Generator().manual_seed(config.seed)
    optimizer = torch.optim.Adam(model.parameters(), config.pretraining_lr)
    for _ in range(config.pretraining):
        text, topics = texts(config.batch, config.length, generator)
        on_step(backpropagation_step(model, text, topics, optimizer))
    return model


def opinion_loss(model: Transformer, text: torch.Tensor, answers: torch.Tensor) -> torch.Tensor:
    """Return the cross entropy between the labels that are opinions."""
    return cross_entropy(model(text)[:, TOPICS:], answers - TOPICS)


def backpropagation_step(
    model: Transformer, text: torch.Tensor, answers: torch.Tensor, optimizer: torch.optim.Optimizer
) -> float:
    """Do a step of an optimizer; return the loss."""
    optimizer.zero_grad()
    opinion = bool((answers >= TOPICS).all())
    loss = (opinion_loss if opinion else _topic_loss)(model, text, answers)
    loss.backward()
    optimizer.step()
    return loss.item()


def mezo_step(
    model: Transformer,
    text: torch.Tensor,
    answers: torch.Tensor,
    *,
    sigma: float,
    lr: float,
    generator: torch.Generator,
) -> float:
    """Do a step of MeZO: two evaluations, and a move along the direction of a seed.

    Args:
        model: Moved in place.
        text: Some texts.
        answers: To the question.
        sigma: The scale of the perturbation.
        lr: The learning rate.
        generator: The source of seeds.

    Returns:
        The mean of both losses.
    """
    estimator = SeedReplay(sigma=sigma)
    projected = estimator(lambda: opinion_loss(model, text, answers), model, generator=generator)
    projected.step_(model, lr)
    return projected.loss


def fine_tune(
    config: Config, pretrained: Transformer, how: str, *, on_step: OnStep = lambda loss: None
) -> Transformer:
    """Return a model that was taught opinions.

    Args:
        config: The settings.
        pretrained: Where to start; it is copied.
        how: ``"MeZO"`` or ``"backpropagation"``.
        on_step: Called with the loss.
    """
    model = copy.deepcopy(pretrained)
    generator = torch.Generator().manual_seed(config.seed + _FINE)
    if how == "MeZO":
        for k in range(config.steps):
            text, answers = next(_questions(config, generator))
            lr = config.lr * (1 - 0.9 * k / config.steps)
            on_step(mezo_step(model, text, answers, sigma=config.sigma, lr=lr, generator=generator))
        return model
    optimizer = torch.optim.Adam(model.parameters(), config.backprop_lr)
    for _ in range(config.backprop_steps):
        on_step(backpropagation_step(model, *next(_questions(config, generator)), optimizer))
    return model


@torch.no_grad()
def accuracy(config: Config, model: Transformer, *, topics: bool = False) -> float:
    """Return how many held-out questions are answered right; about opinions, or topics."""
    generator = torch.Generator().manual_seed(config.seed + _TEST)
    text, truth = texts(config.test_texts, config.length, generator)
    logits = model(text)
    if topics:
        return float((logits[:, :TOPICS].argmax(1) == truth).double().mean())
    return float((logits[:, TOPICS:].argmax(1) + TOPICS == opinions(truth)).double().mean())


def peaks(config: Config, pretrained: Transformer) -> dict[str, int]:
    """Return the most bytes that each kind of step takes besides the model's parameters."""
    generator = torch.Generator().manual_seed(config.seed)
    text, topics = texts(config.memory_batch, config.length, generator)
    answers = opinions(topics)

    def optimizer(kind: type[torch.optim.Optimizer]) -> Callable[[Transformer], Step]:
        def make(model: Transformer) -> Step:
            made = kind(model.parameters(), lr=1e-9)  # type: ignore[call-arg]
            return lambda: backpropagation_step(model, text, answers, made)

        return make

    def inference(model: Transformer) -> Step:
        return torch.no_grad()(lambda: opinion_loss(model, text, answers).item())

    def mezo(model: Transformer) -> Step:
        sigma, lr = config.sigma, config.lr
        return lambda: mezo_step(model, text, answers, sigma=sigma, lr=lr, generator=generator)

    kinds = {
        "inference": inference,
        "MeZO": mezo,
        "backpropagation, SGD": optimizer(torch.optim.SGD),
        "backpropagation, Adam": optimizer(torch.optim.Adam),
    }
    found = {}
    for name, make in kinds.items():
        model = copy.deepcopy(pretrained)
        model.zero_grad()
        step = make(model)
        with PeakMemory() as memory:
            for _ in range(2):  # an optimizer's state is there from the second step on
                step()
        found[name] = memory.peak
    return found


def _topic_loss(model: Transformer, text: torch.Tensor, answers: torch.Tensor) -> torch.Tensor:
    return cross_entropy(model(text), answers)


def _questions(
    config: Config, generator: torch.Generator
) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
    while True:
        text, topics = texts(config.batch, config.length, generator)
        yield text, opinions(topics)

"""Test-time training: a character transformer that goes on learning while it reads.

Each document has words of its own, and attention sees the last few characters only. What was read
before is kept in the weights W of the last MLP, by ``W_k = W_{k-1} - eta * grad loss(c_k; W_{k-1})``
after each chunk c_k. Training lowers the mean of ``loss(c_k; W_{k-1})`` through all steps, by W_0, eta
and all other weights (Sun et al., *Learning to (Learn at Test Time)*, 2024, section 2).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Annotated

import torch
from torch import nn
from torch.nn.functional import cross_entropy

import torchopt
from examples.tools.command import command
from examples.tools.documents import ALPHABET, split_words, write
from examples.tools.pictures import line_figure
from examples.tools.report import Report
from examples.tools.statistics import interval
from examples.tools.transformer import MLP, make_backbone
from torchopt.nn import functional_call

Params = dict[str, torch.Tensor]
Meta = dict[str, Params]  # weights by part, and "rates"


@dataclass(frozen=True)
class Config:
    """The settings of a run."""

    words: Annotated[int, "in the dictionary of a document"] = 8
    chunk: Annotated[int, "characters between two inner steps"] = 32
    chunks: Annotated[int, "in a document"] = 8
    window: Annotated[int, "characters that attention sees"] = 16
    width: Annotated[int, "of the transformer"] = 48
    layers: Annotated[int, "of the transformer; the last one's MLP has the fast weights"] = 2
    heads: Annotated[int, "of its attention"] = 4
    batch: Annotated[int, "documents in a step of training"] = 8
    steps: Annotated[int, "of training"] = 240
    lr: Annotated[float, "Adam's learning rate; it falls along a straight line"] = 1e-2
    rate: Annotated[float, "learning rate of the inner steps that training starts from"] = 1.0
    seed: Annotated[int, "of the documents and the start"] = 0
    threads: Annotated[int, "CPU threads; part of the numbers' last digits"] = 1

    def __post_init__(self) -> None:
        if self.width % self.heads or self.chunk * self.chunks % self.window:
            raise ValueError("`width` must be a multiple of `heads`, `chunk * chunks` of `window`.")


class Reader:
    """A transformer that learns while it reads, with the trained weights ``meta``."""

    def __init__(self, config: Config, diff: torchopt.diff.Explicit, learns: bool) -> None:
        self.config, self.diff, width = config, diff, config.width
        torch.manual_seed(config.seed)
        sizes = {"heads": config.heads, "window": config.window, "layers": config.layers}
        self.parts = {
            "backbone": make_backbone(len(ALPHABET), width, **sizes),
            "head": nn.Sequential(nn.LayerNorm(width), nn.Linear(width, len(ALPHABET))),
            "fast": MLP(width),
        }
        self.meta: Meta = {part: dict(module.state_dict()) for part, module in self.parts.items()}
        self.meta["rates"] = self.rates(config.rate) if learns else {}
        self.all_losses = torchopt.vmap_tasks(self.losses, in_dims=(None, 0))

    def rates(self, rate: float) -> Params:
        """Return the logarithm of a learning rate, for each fast tensor."""
        return {name: torch.tensor(rate).log() for name in self.meta["fast"]}

    def losses(self, meta: Meta, text: torch.Tensor) -> torch.Tensor:
        """Return the loss of each chunk of a document, from before it is learned from."""

        def objective(fast: Params, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
            hidden = functional_call(self.parts["fast"], fast, x)
            return cross_entropy(functional_call(self.parts["head"], meta["head"], hidden), y)

        features = functional_call(self.parts["backbone"], meta["backbone"], text[:-1])
        solver = torchopt.sgd({name: rate.exp() for name, rate in meta["rates"].items()})
        losses, fast, size = [], meta["fast"], self.config.chunk
        for chunk in zip(features.split(size), text[1:].split(size), strict=True):
            losses.append(objective(fast, *chunk))
            if meta["rates"]:  # a frozen reader has none
                task = (objective, fast, chunk)
                fast = torchopt.minimize(*task, solver=solver, steps=1, diff=self.diff).params
        return torch.stack(losses)

    def bits(self, meta: Meta, texts: torch.Tensor) -> torch.Tensor:
        """Return bits per character, of shape ``(documents, chunks)``."""
        return self.all_losses(meta, texts) / math.log(2)


def train(reader: Reader, sample: Callable[[], torch.Tensor], report: Report, name: str) -> None:
    """Train a reader on documents."""
    config, lrs = reader.config, {}
    for part, params in reader.meta.items():
        peak = 0.05 if part == "rates" else config.lr
        lr = torchopt.schedule.linear_schedule(peak, 0.05 * peak, config.steps, 0)
        lrs[part] = dict.fromkeys(params, lr)
    optimizer = torchopt.chain(torchopt.transform.clip_grad_norm(1.0), torchopt.adam(lrs))
    state = optimizer.init(reader.meta)
    meta_grad = torchopt.meta_grad_and_value(lambda *args: reader.all_losses(*args).mean())
    with report.progress(name, config.steps) as advance:
        for _ in range(config.steps):
            grads, loss = meta_grad(reader.meta, sample())
            updates, state = optimizer.update(grads, state, params=reader.meta)
            reader.meta = torchopt.apply_updates(reader.meta, updates, inplace=False)
            advance(f"{loss.item() / math.log(2):.3f} bits")


def run(config: Config, report: Report = Report()) -> dict[str, torch.Tensor]:
    """Return the bits per character of each reader, of shape ``(test documents, chunks)``."""
    words, generator = split_words(config.seed), torch.Generator().manual_seed(config.seed)
    documents = partial(write, length=config.chunk * config.chunks + 1, of=config.words)
    validation = documents(words.validation, 64, generator=generator)
    test = documents(words.test, 128, generator=generator)
    bits = {}
    for name in ("through the steps", "first order", "frozen"):  # the last one is used again
        diff = torchopt.diff.Explicit(first_order=name == "first order")
        reader = Reader(config, diff, learns=name != "frozen")
        generator = torch.Generator().manual_seed(config.seed + 1)
        sample = partial(documents, words.train, config.batch, generator=generator)
        train(reader, sample, report, name)
        bits[name] = reader.bits(reader.meta, test)
    tried = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0)
    adapted = [{**reader.meta, "rates": reader.rates(rate)} for rate in tried]
    best = min(adapted, key=lambda meta: reader.bits(meta, validation).mean().item())
    bits["frozen, adapted at test time"] = reader.bits(best, test)
    rows = [(name, interval(x[:, -1], z=1), interval(x.mean(1), z=1)) for name, x in bits.items()]
    report.table("bits per character, ± standard error", ("reader", "last chunk", "all"), rows)
    means = {name: x.mean(0).tolist() for name, x in bits.items()}
    report.picture("loss_by_position", line_figure(means, xlabel="chunk", ylabel="bits"))
    return bits


PRESETS = {
    "quick": Config(words=3, chunk=16, chunks=6, window=8, width=24, heads=2, steps=60),
    "default": Config(),
    "full": Config(chunks=32, words=24, width=128, layers=4, steps=2000, lr=3e-3),
}
main = command(run, PRESETS)

if __name__ == "__main__":
    raise SystemExit(main())

"""Attribution for a small GPT: which lines of its corpus taught it to continue this one?

As in `attribution`, every line has a weight, and the derivative of a held-out line's loss by the
weights, through all steps of Adam, predicts what happens when lines are left out (Ilyas and Engstrom,
*MAGIC: Near-Optimal Data Attribution for Deep Learning*, 2025).
The corpus is written by six small grammars of which some share rules, and has lines of noise.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

import torch
from matplotlib.figure import Figure
from torch.func import jacrev
from torch.nn.functional import cross_entropy

import torchopt
from examples.tools.command import command
from examples.tools.grammars import SOURCES, VOCABULARY, Corpus, write_corpus
from examples.tools.report import Report
from examples.tools.statistics import rank_correlation
from examples.tools.transformer import GPT
from torchopt.diff import DifferentiationMode, Explicit, Implicit, OneStep
from torchopt.linear_solve import MINRES

Params = dict[str, torch.Tensor]
Mode = DifferentiationMode | None


@dataclass(frozen=True)
class Config:
    """The settings of a run."""

    width: Annotated[int, "of the transformer"] = 32
    layers: Annotated[int, "of the transformer"] = 2
    heads: Annotated[int, "of its attention"] = 4
    length: Annotated[int, "words in a line"] = 16
    lines: Annotated[int, "to train on"] = 240
    noise: Annotated[float, "fraction of the lines whose words are random"] = 0.2
    steps: Annotated[int, "of training, by Adam"] = 120
    batch: Annotated[int, "lines in a step"] = 24
    lr: Annotated[float, "the first learning rate; it falls along a straight line"] = 3e-3
    smoothing: Annotated[float, "added inside Adam's root"] = 1e-5
    queries: Annotated[int, "held-out lines whose losses are explained"] = 6
    left_out: Annotated[float, "fraction of the lines that are left out at once"] = 0.05
    retrainings: Annotated[int, "each without some random lines"] = 20
    damping: Annotated[float, "of the Hessian of the influence functions"] = 0.1
    seed: Annotated[int, "of the corpus, the start, the batches and the lines left out"] = 0
    threads: Annotated[int, "CPU threads; part of the numbers' last digits"] = 1

    def __post_init__(self) -> None:
        if self.width % self.heads:
            raise ValueError(f"`width` is {self.width}: use a multiple of `heads`, {self.heads}.")
        if self.batch and self.lines % self.batch:
            raise ValueError(f"`lines` is {self.lines}: use whole batches of {self.batch}.")


class Training:
    """A training from a fixed start with fixed batches, as a function of the lines' weights."""

    def __init__(self, config: Config, corpus: Corpus, dtype: torch.dtype = torch.float32) -> None:
        self.text, self.ones = corpus.text, torch.ones(len(corpus.text), dtype=dtype)
        torch.manual_seed(config.seed)
        self.net = GPT(VOCABULARY, config.length, config.width, config.layers, config.heads)
        self.start = {name: p.detach().to(dtype) for name, p in self.net.named_parameters()}
        self.lr = torchopt.schedule.linear_schedule(config.lr, 0.0, config.steps)
        self.adam = torchopt.adam(self.lr, betas=(0.9, 0.95), eps_root=config.smoothing)
        generator = torch.Generator().manual_seed(config.seed)
        orders = [torch.randperm(config.lines, generator=generator) for _ in range(config.steps)]
        self.batches = torch.cat(orders).view(-1, config.batch)[: config.steps]

    def losses(self, params: Params, text: torch.Tensor) -> torch.Tensor:
        """Return the loss on each line: the mean over its words, but for the first."""
        logits = torchopt.nn.functional_call(self.net, params, text[:, :-1])
        return cross_entropy(logits.mT, text[:, 1:], reduction="none").mean(1)

    def loss(self, params: Params, w: torch.Tensor, batch: torch.Tensor) -> torch.Tensor:
        """Return the weighted mean of the losses on some lines."""
        return (w[batch] * self.losses(params, self.text[batch])).mean()

    def run(self, w: torch.Tensor, mode: Mode = None, steps: int | None = None) -> Params:
        """Return the parameters after training, or after the first steps of it."""
        data = self.batches[:steps]
        return torchopt.minimize(
            self.loss, self.start, (w,), solver=self.adam, steps=len(data), batches=data, diff=mode
        ).params

    def at(self, w: torch.Tensor, mode: Mode, params: Params) -> Params:
        """Return ``params``, differentiated as though they minimized the loss on all lines."""
        args, solver = (w, torch.arange(len(w))), lambda params, *_: params
        return torchopt.minimize(self.loss, params, args, solver=solver, diff=mode).params

    @torch.no_grad()
    def changes(self, queries: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
        """Return the real changes of the queries' losses, for each row of weights."""
        retrain = torchopt.vmap_tasks(lambda w: self.losses(self.run(w), queries), chunk_size=10)
        return retrain(weights) - retrain(self.ones[None])


def all_scores(
    training: Training, queries: torch.Tensor, damping: float
) -> dict[str, torch.Tensor]:
    """Return derivatives of the queries' losses by all weights, ``(queries, lines)``."""

    def score(params: Callable[..., Params], *args: Any) -> torch.Tensor:
        return jacrev(lambda w: training.losses(params(w, *args), queries))(training.ones)

    scores = {"metagradient": score(training.run, Explicit("sqrt"))}
    params, products, steps = training.start, [], len(training.batches)
    for step in [k * steps // 5 for k in range(1, 6)]:
        params = training.run(training.ones, steps=step)
        one_step = OneStep(step_size=float(training.lr(step - 1)), hvp="reverse")
        products.append(score(training.at, one_step, params))
    # The Hessian of a network has negative eigenvalues, so conjugate gradients may fail.
    solve = MINRES(ridge=damping, rtol=1e-2, maxiter=30, on_failure="ignore")
    scores["influence functions"] = score(training.at, Implicit(linear_solve=solve), params)
    return {**scores, "gradient products": torch.stack(products).sum(0)}


def run(config: Config, report: Report = Report()) -> dict[str, torch.Tensor]:
    """Return the rank correlation of predicted and real changes for each query, by scores."""
    generator, rules = torch.Generator().manual_seed(config.seed), config.seed
    corpus = write_corpus(config.lines, config.length, config.noise, rules, generator)
    queries = write_corpus(config.queries, config.length, 0.0, rules, generator)
    training = Training(config, corpus)
    order = torch.rand(config.retrainings, config.lines, generator=generator).argsort(-1)
    weights = (order >= round(config.left_out * config.lines)).to(training.ones)
    changes = training.changes(queries.text, weights)
    scores = all_scores(training, queries.text, config.damping)
    result = {name: rank_correlation((weights - 1) @ of.T, changes) for name, of in scores.items()}
    rows = [(name, f"{x.mean():.3f}", f"{x.min():.3f}") for name, x in result.items()]
    title = f"rank correlation with {config.retrainings} retrainings, {config.queries} queries"
    report.table(title, ("scores", "mean", "worst query"), rows)
    report.picture("sources", draw_sources(-scores["metagradient"], corpus, queries))
    return result


def draw_sources(helpful: torch.Tensor, corpus: Corpus, queries: Corpus) -> Figure:
    """Draw how much an average line of each source helps the queries of each source."""
    of = torch.arange(SOURCES + 1)
    lines = (corpus.source == of[:, None]).to(helpful)
    asked = (queries.source == of[:SOURCES, None]).to(helpful)
    lines, asked = (t / t.sum(1, keepdim=True).clamp(min=1) for t in (lines, asked))
    figure = Figure(figsize=(5, 3.5), layout="constrained")
    axes, names = figure.subplots(), [*map(str, range(1, SOURCES + 1)), "noise"]
    values = asked @ helpful @ lines.T
    top = float(values.abs().max())
    figure.colorbar(axes.imshow(values.tolist(), cmap="RdBu", vmin=-top, vmax=top))
    axes.set_xticks(range(SOURCES + 1), names)
    axes.set_yticks(range(SOURCES), names[:-1])
    axes.set(
        xlabel="source of training lines", ylabel="source of queries", title="blue helps, red hurts"
    )
    return figure


PRESETS = {"quick": Config(steps=60, queries=3), "default": Config()}
main = command(run, PRESETS)

if __name__ == "__main__":
    raise SystemExit(main())

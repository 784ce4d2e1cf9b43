"""Neural auto-curricula: learn which opponents to train against, from exploitability alone.

A population of strategies for a game grows by best responses to mixtures of its members. A uniform
mixture is fictitious play, an equilibrium of the population is PSRO (Lanctot et al., 2017). Here a
network returns the mixture, and learns from how exploitable the populations are (Feng et al., *Neural
Auto-Curricula*, 2021). A best response is an argmax, which has zero gradient, so the meta-gradient is
estimated from function values, by antithetic perturbations of the network.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

import torch
from matplotlib.figure import Figure

import torchopt
from examples.tools.command import command
from examples.tools.games import nash, random_games
from examples.tools.pictures import draw_lines
from examples.tools.report import Report
from examples.tools.statistics import interval
from torchopt.diff.zero_order import Antithetic, Vmap

MetaSolver = Callable[[torch.Tensor], torch.Tensor]
"""From payoffs within populations, ``(games, k, k)``, to mixtures over them, ``(games, k)``."""

SOLVERS: dict[str, MetaSolver] = {
    "self-play": lambda payoffs: torch.eye(payoffs.shape[-1])[-1].expand(payoffs.shape[:-1]),
    "uniform": lambda payoffs: torch.full(payoffs.shape[:-1], 1 / payoffs.shape[-1]),
    "PSRO": nash,
}


@dataclass(frozen=True)
class Config:
    """The settings of a run."""

    strategies: Annotated[int, "of a game"] = 100
    skill: Annotated[float, "how much of a game is skill; the rest goes in circles"] = 0.2
    growth: Annotated[int, "best responses that are added to a population"] = 20
    width: Annotated[int, "of the network's hidden layer"] = 16
    rounds: Annotated[int, "in which the network revises its mixture"] = 8
    iterations: Annotated[int, "meta-steps"] = 150
    meta_batch: Annotated[int, "games in a meta-step"] = 8
    pairs: Annotated[int, "pairs of perturbations of the network, in a meta-step"] = 16
    sigma: Annotated[float, "their scale"] = 0.1
    lr: Annotated[float, "Adam's learning rate"] = 0.03
    test_games: Annotated[int, "held-out games, of each size"] = 100
    large: Annotated[int, "strategies of larger held-out games"] = 300
    seed: Annotated[int, "of the network, the games and the perturbations"] = 0
    threads: Annotated[int, "CPU threads; part of the numbers' last digits"] = 1


def grow(games: torch.Tensor, meta_solver: MetaSolver, growth: int) -> torch.Tensor:
    """Return what a best response wins against each population's mixture, ``(growth + 1, games)``."""
    count, n, _ = games.shape
    members = torch.zeros(count, 1, dtype=torch.long)
    exploitability = []
    for size in range(1, growth + 2):
        against = games.gather(2, members[:, None].expand(-1, n, -1))
        payoffs = against.gather(1, members[..., None].expand(-1, -1, size))
        wins = (against @ meta_solver(payoffs)[..., None])[..., 0]
        exploitability.append(wins.amax(1))
        members = torch.cat([members, wins.argmax(1)[:, None]], 1)
    return torch.stack(exploitability)


def network(theta: torch.Tensor, config: Config) -> MetaSolver:
    """Return a meta-solver that revises the scores of strategies by what they win in the mixture."""
    first, last, temper = theta.split([6 * config.width, config.width, 1])

    def meta_solver(payoffs: torch.Tensor) -> torch.Tensor:
        k = payoffs.shape[-1]
        plain = payoffs.mean(-1)
        age = (torch.linspace(-1, 1, k) if k > 1 else torch.zeros(1)).expand(plain.shape)
        size = torch.full_like(plain, k).log() / 3
        score = torch.zeros_like(plain)
        for _ in range(config.rounds):
            wins = (payoffs @ score.softmax(-1)[..., None])[..., 0]
            features = torch.stack([wins, plain, score / 3, age, size, torch.ones_like(wins)], -1)
            score = score + (features @ first.view(6, -1)).tanh() @ last + temper * wins
        return score.softmax(-1)

    return meta_solver


def meta_train(config: Config, report: Report) -> tuple[torch.Tensor, list[float]]:
    """Return the network's parameters, and the mean exploitability in each meta-step."""
    generator = torch.Generator().manual_seed(config.seed)
    hidden = torch.randn(6 * config.width, generator=generator) / 5**0.5
    # The last layer starts at zero, so that the first mixtures are uniform.
    theta = torch.cat([hidden, torch.zeros(config.width + 1)]).requires_grad_()
    mode = torchopt.diff.ZeroOrder(
        Antithetic(num_samples=config.pairs, sigma=config.sigma), Vmap(), generator=generator
    )

    @mode
    def objective(theta: torch.Tensor, games: torch.Tensor) -> torch.Tensor:
        return grow(games, network(theta, config), config.growth).mean()

    optimizer = torch.optim.Adam([theta], config.lr)
    schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.1, config.iterations)
    curve = []
    with report.progress("meta-training", config.iterations) as advance:
        for _ in range(config.iterations):
            games = random_games(config.meta_batch, config.strategies, config.skill, generator)
            optimizer.zero_grad()
            value = objective(theta, games)
            value.backward()
            optimizer.step()
            schedule.step()
            curve.append(value.item())
            advance(f"exploitability {curve[-1]:.3f}")
    return theta.detach(), curve


def run(config: Config, report: Report = Report()) -> dict[int, dict[str, torch.Tensor]]:
    """Return the exploitability in held-out games, by their size and by the meta-solver."""
    theta, curve = meta_train(config, report)
    solvers = {**SOLVERS, "neural auto-curricula": network(theta, config)}
    figure = Figure(figsize=(11, 3.5), layout="constrained")
    left, *others = figure.subplots(1, 3)
    draw_lines(left, {"training": curve}, xlabel="meta-step", ylabel="exploitability")
    shown, results = (config.growth // 4, config.growth // 2, config.growth), {}
    columns = ("best responses", *map(str, shown))
    for size, axes in zip((config.strategies, config.large), others, strict=True):
        generator = torch.Generator().manual_seed(config.seed + 1_000_004)  # not those of training
        games = random_games(config.test_games, size, config.skill, generator)
        grown = results[size] = {name: grow(games, s, config.growth) for name, s in solvers.items()}
        rows = [(name, *(interval(x[k]) for k in shown)) for name, x in grown.items()]
        title = f"held-out games of {size} strategies"
        report.table(f"exploitability in {title}", columns, rows)
        means = {name: x.mean(1).tolist() for name, x in grown.items()}
        draw_lines(axes, means, range(config.growth + 1), xlabel="best responses", title=title)
    report.picture("exploitability", figure)
    return results


PRESETS = {
    "quick": Config(iterations=60, growth=10, test_games=40, large=200),
    "default": Config(),
    "full": Config(strategies=200, iterations=1500, meta_batch=32),
}
main = command(run, PRESETS)

if __name__ == "__main__":
    raise SystemExit(main())

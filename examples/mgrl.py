r"""MGRL: an agent that learns its own discount and lambda while it learns to act.

The return :math:`g_t = r_{t+1} + \gamma ((1 - \lambda) v_{t+1} + \lambda g_{t+1})` is a choice. Xu, van
Hasselt and Silver (*Meta-Gradient Reinforcement Learning*, 2018) learn it: an update with
:math:`\eta = (\gamma, \lambda)` is judged by the experience :math:`\tau'` that follows it.

.. math:: \theta' = \theta - \alpha \nabla_\theta L(\tau, \theta, \eta), \qquad
          \frac{dJ'(\tau', \theta')}{d\eta} = \frac{\partial J'}{\partial\theta'} \frac{d\theta'}{d\eta}
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import torch
from matplotlib.figure import Figure
from torch import nn

import torchopt
from examples.tools.catch import Games, play_catch
from examples.tools.command import command
from examples.tools.pictures import draw_lines
from examples.tools.report import Report

# Two states: a reliable reward follows the first, a noisy one the second, after a state that is the
# same for both, so that its value is wrong for each.
MEAN, DEVIATION, VALUE_BETWEEN = torch.tensor([1.0, 0.2]), torch.tensor([0.5, 2.0]), 0.6


@dataclass(frozen=True)
class Config:
    """The settings of a run."""

    state_steps: Annotated[int, "updates of the two states"] = 1500
    value_lr: Annotated[float, "step size of the two states' values"] = 0.1
    board: Annotated[int, "height and width of the board of catch"] = 10
    games: Annotated[int, "played at once"] = 64
    steps: Annotated[int, "updates of an agent that plays catch"] = 600
    lr: Annotated[float, "of the agent, by Adam"] = 3e-3
    meta_lr: Annotated[float, "of the logits of gamma and lambda, by Adam"] = 0.02
    seeds: Annotated[int, "agents trained in each way"] = 3
    seed: Annotated[int, "of the first agent"] = 0
    threads: Annotated[int, "CPU threads; part of the numbers' last digits"] = 1


def closed_form(value_lr: float) -> torch.Tensor:
    """Return where gamma and lambda come to rest, between a biased and a noisy return."""
    bias = torch.stack([MEAN, MEAN - VALUE_BETWEEN]) ** 2
    return bias / (bias + value_lr * DEVIATION**2)


def learn_states(config: Config, agents: int = 512) -> torch.Tensor:
    """Return gamma (with lambda = 1) and lambda (with gamma = 1) of both states after each step."""
    generator = torch.Generator().manual_seed(config.seed)
    logits = torch.zeros(2, 2, requires_grad=True)
    meta, solver = torch.optim.Adam([logits], 0.02), torchopt.sgd(config.value_lr)
    values, one, history = torch.zeros(agents, 2, 2), torch.ones(2), []

    def loss(values: torch.Tensor, reward: torch.Tensor, eta: torch.Tensor) -> torch.Tensor:
        gamma, lam = torch.stack([eta[0], one]), torch.stack([one, eta[1]])
        target = gamma * ((1 - lam) * VALUE_BETWEEN + lam * reward)
        return 0.5 * ((target - values) ** 2).sum()

    for _ in range(config.state_steps):
        now, later = MEAN + DEVIATION * torch.randn(2, agents, 1, 2, generator=generator)
        updated = torchopt.minimize(loss, values, (now, logits.sigmoid()), solver=solver, steps=1)
        meta.zero_grad()
        ((updated.params - later) ** 2).mean().backward()
        meta.step()
        values = updated.params.detach()
        history.append(logits.detach().sigmoid())
    return torch.stack(history)


def lambda_return(games: Games, eta: torch.Tensor) -> torch.Tensor:
    """Return g after each step of the games."""
    gamma, lam = eta
    g, returns = games.values[-1], []
    for reward, value in zip(games.rewards.flip(0), games.values[1:].flip(0), strict=True):
        g = reward + gamma * ((1 - lam) * value + lam * g)
        returns.append(g)
    return torch.stack(returns[::-1])


def actor_critic_loss(
    net: nn.Module, games: Games, eta: torch.Tensor, *, value: float = 0.25, entropy: float = 0.01
) -> torch.Tensor:
    """Return the loss of advantage actor-critic, with these weights of its parts."""
    out, returns = net(games.boards), lambda_return(games, eta)
    log_policy = out[..., :3].log_softmax(-1)
    chosen = log_policy.gather(-1, games.actions[..., None])[..., 0]
    loss = value * (returns - out[..., 3]) ** 2 - (returns - games.values[:-1]) * chosen
    return (loss + entropy * (log_policy.exp() * log_policy).sum(-1)).mean()


def learn_catch(config: Config, seed: int, start: float, learned: bool) -> torch.Tensor:
    """Return the mean reward of a game, gamma and lambda after each step."""
    generator = torch.manual_seed(seed)
    net = nn.Sequential(nn.Linear(config.board**2, 64), nn.ReLU(), nn.Linear(64, 4))
    inner = torchopt.MetaAdam(net, config.lr)
    logits = torch.full((2,), start).logit().requires_grad_()
    meta, history = torch.optim.Adam([logits], config.meta_lr), []
    games = play_catch(net, config.games, config.board, config.board, generator)
    for _ in range(config.steps):
        inner.step(actor_critic_loss(net, games, logits.sigmoid()))
        # These games judge the update, and then make the next one.
        games = play_catch(net, config.games, config.board, config.board, generator)
        if learned:
            meta.zero_grad()
            actor_critic_loss(net, games, torch.ones(2), value=0.0, entropy=0.0).backward()
            meta.step()
        torchopt.stop_gradient(net)
        torchopt.stop_gradient(inner)
        history.append([games.rewards.sum(0).mean().item(), *logits.detach().sigmoid().tolist()])
    return torch.tensor(history)


def run(config: Config, report: Report = Report()) -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
    """Return the histories of both states, and of catch: ``(seeds, steps, 3)`` for each way."""
    states, best = learn_states(config), closed_form(config.value_lr)
    names = ("gamma, reliable", "gamma, noisy", "lambda, reliable", "lambda, noisy")
    numbers = zip(names, states[-len(states) // 2 :].mean(0).flatten(), best.flatten(), strict=True)
    compared = [(name, f"{x:.3f}", f"{y:.3f}") for name, x, y in numbers]
    report.table("two states", ("", "learned", "closed form"), compared)
    ways = {"learned": (0.5, True), "fixed, 0.5": (0.5, False), "fixed, 0.99": (0.99, False)}
    seeds, catch = range(config.seed, config.seed + config.seeds), {}
    with report.progress("catch", len(ways)) as advance:
        for name, way in ways.items():
            catch[name] = torch.stack([learn_catch(config, seed, *way) for seed in seeds])
            advance(f"{name}: reward {catch[name][:, -50:, 0].mean():.2f}")
    rows = [(k, *(f"{x:.2f}" for x in r[:, -50:].mean((0, 1)))) for k, r in catch.items()]
    report.table("the last 50 steps of catch", ("return", "reward", "gamma", "lambda"), rows)
    figure = Figure(figsize=(10, 3.5), layout="constrained")
    left, right = figure.subplots(1, 2)
    draw_lines(left, dict(zip(names, states.flatten(1).T.tolist(), strict=True)), xlabel="step")
    left.hlines(best.flatten().tolist(), 0, len(states), color="black", lw=0.5, ls=":")
    curves = {f"reward, {name}": runs.mean(0)[:, 0].tolist() for name, runs in catch.items()}
    draw_lines(right, curves, title="catch", xlabel="step")
    eta = zip(("gamma, learned", "lambda, learned"), catch["learned"].mean(0).T[1:], strict=True)
    draw_lines(right, {name: line.tolist() for name, line in eta}, style="--")
    report.picture("mgrl", figure)
    return states, catch


PRESETS = {"quick": Config(state_steps=600, steps=400, seeds=1), "default": Config()}
main = command(run, PRESETS)

if __name__ == "__main__":
    raise SystemExit(main())

"""LOLA: two agents learn to cooperate by differentiating through one another's next learning step.

In the iterated prisoner's dilemma, an agent that takes the other for constant learns to defect. A
LOLA agent differentiates ``L_1(theta_1, theta_2 - alpha d/d theta_2 L_2(theta_1, theta_2))``, its loss
after the other's step (Foerster et al., *Learning with Opponent-Learning Awareness*, 2018, eq. 4).
Losses are estimated by games, each agent's on its own worker. By DiCE, the estimate's derivatives of
every order are right on average (Foerster et al., *DiCE*, 2018, eq. 5 and section 4.3).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

import torch
from torch.nn.functional import logsigmoid

from examples.tools.command import command
from examples.tools.dice import magic_box
from examples.tools.pictures import line_figure
from examples.tools.report import Report
from examples.tools.workers import ExecutorName, executor_of
from torchopt.distributed import Executor, remote_map

# My reward after I and the other cooperate or defect: CC, CD, DC, DD.
PAYOFF = (-1.0, -3.0, 0.0, -2.0)
SWAP = (0, 1, 3, 2, 4)  # what is CD for me is DC for the other


@dataclass(frozen=True)
class Config:
    """The settings of a run."""

    executor: Annotated[ExecutorName, "where the agents play"] = "process"
    iterations: Annotated[int, "steps of each agent"] = 100
    lookaheads: Annotated[int, "steps of the other agent that an agent looks ahead"] = 1
    batch: Annotated[int, "games at once"] = 1024
    rounds: Annotated[int, "of a game"] = 50
    discount: Annotated[float, "of rewards"] = 0.96
    inner_lr: Annotated[float, "of the steps that an agent expects of the other"] = 1.0
    lr: Annotated[float, "of the agents' own steps, by Adam"] = 0.2
    seeds: Annotated[int, "pairs of agents that are trained"] = 2
    seed: Annotated[int, "of the first pair"] = 0
    threads: Annotated[int, "CPU threads; part of the numbers' last digits"] = 1

    def __post_init__(self) -> None:
        if self.discount >= 1:
            raise ValueError(f"`discount` is {self.discount}: use a number below one.")


def dice_loss(mine: torch.Tensor, theirs: torch.Tensor, config: Config) -> torch.Tensor:
    """Return minus my discounted reward, estimated by games.

    A policy is five logits, of cooperation at the start and after each of the four joint actions.
    """
    state = torch.zeros(config.batch, dtype=torch.int64)
    log_probabilities, rewards = [], []
    for t in range(config.rounds):
        logits = torch.stack([mine[state], theirs[torch.tensor(SWAP)[state]]])
        defects = (torch.rand(2, config.batch) > logits.detach().sigmoid()).long()
        # log sigmoid(z) is that of cooperation, log sigmoid(-z) of defection
        log_probabilities.append(logsigmoid(logits * (1 - 2 * defects)).sum(0))
        joint = 2 * defects[0] + defects[1]
        rewards.append(config.discount**t * torch.tensor(PAYOFF)[joint])
        state = joint + 1
    now, reward = torch.stack(log_probabilities), torch.stack(rewards)  # (rounds, batch)
    # A baseline, what is expected from a round on, makes the derivatives less noisy.
    baseline = reward.flip(0).cumsum(0).flip(0).mean(1, keepdim=True)
    return -(magic_box(now.cumsum(0)) * reward + (1 - magic_box(now)) * baseline).sum(0).mean()


def exact_value(mine: torch.Tensor, theirs: torch.Tensor, discount: float) -> torch.Tensor:
    """Return my discounted reward in a game without end, by the chain of the joint actions."""
    p, q = mine.sigmoid(), theirs[list(SWAP)].sigmoid()
    joint = torch.stack([p * q, p * (1 - q), (1 - p) * q, (1 - p) * (1 - q)], dim=1)
    chain = torch.eye(4).to(mine) - discount * joint[1:]
    return joint[0] @ torch.linalg.solve(chain, torch.tensor(PAYOFF).to(mine))


def mean_reward(agents: list[torch.Tensor], discount: float) -> float:
    """Return the mean reward of a round, over both agents."""
    one, two = (agent.detach().double() for agent in agents)
    total = exact_value(one, two, discount) + exact_value(two, one, discount)
    return total.item() / 2 * (1 - discount)


def train(
    config: Config, executor: Executor | str, *, lookaheads: int, seed: int
) -> Iterator[list[torch.Tensor]]:
    """Train two agents against one another; yield them after each step."""
    generator = torch.Generator().manual_seed(seed)
    agents = [0.1 * torch.randn(5, generator=generator) for _ in range(2)]
    optimizer = torch.optim.Adam([agent.requires_grad_() for agent in agents], config.lr)

    def loss(*pairs: tuple[torch.Tensor, torch.Tensor]) -> torch.Tensor:
        mine, theirs = zip(*pairs, strict=True)
        configs = [config] * len(pairs)
        losses = remote_map(
            dice_loss, mine, theirs, configs, executor=executor, generator=generator
        )
        return torch.stack(losses).sum()

    for _ in range(config.iterations):
        # What each agent expects of the other, which learns against it.
        others = [agent.detach().requires_grad_() for agent in reversed(agents)]
        for _ in range(lookaheads):
            total = loss((others[1], agents[1]), (others[0], agents[0]))
            steps = torch.autograd.grad(total, others, create_graph=True)
            others = [x - config.inner_lr * step for x, step in zip(others, steps, strict=True)]
        optimizer.zero_grad()
        loss((agents[0], others[0]), (agents[1], others[1])).backward()
        optimizer.step()
        yield agents


def run(config: Config, report: Report = Report()) -> dict[str, list[list[float]]]:
    """Return the mean reward after each step, for each pair of agents of each kind."""
    rewards, rows = dict[str, list[list[float]]](), []
    with executor_of(config.executor, 2, config.threads) as executor:
        for name, lookaheads in (("independent", 0), ("LOLA", config.lookaheads)):
            rewards[name] = [[] for _ in range(config.seeds)]
            with report.progress(name, config.iterations * config.seeds) as advance:
                for seed, curve in enumerate(rewards[name], config.seed):
                    for agents in train(config, executor, lookaheads=lookaheads, seed=seed):
                        curve.append(mean_reward(agents, config.discount))
                        advance(f"reward {curve[-1]:.2f}")
            last = ", ".join(f"{curve[-1]:.2f}" for curve in rewards[name])
            rows.append((name, last, " ".join(f"{p:.2f}" for p in agents[0].sigmoid().tolist())))
    columns = ("agents", "reward of each pair", "P(C) at the start, after CC, CD, DC, DD")
    report.table("reward of a round (mutual defection: -2, cooperation: -1)", columns, rows)
    means = {name: torch.tensor(curves).mean(0).tolist() for name, curves in rewards.items()}
    figure = line_figure(means, xlabel="step", ylabel="mean reward of a round")
    report.picture("rewards", figure)
    return rewards


PRESETS = {
    "quick": Config(executor="local", batch=256, rounds=30, seeds=1),
    "default": Config(),
    "full": Config(iterations=200, rounds=75, seeds=5),
}
main = command(run, PRESETS)

if __name__ == "__main__":
    raise SystemExit(main())

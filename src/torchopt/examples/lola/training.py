"""The agents' steps: through the other's next step (LOLA), or as if the other stood still."""

from __future__ import annotations

from collections.abc import Callable

import torch

import torchopt
from torchopt.distributed import Executor, remote_map
from torchopt.examples.lola.config import Config
from torchopt.examples.lola.game import dice_loss, exact_value

__all__ = ["mean_reward", "train"]


def train(
    config: Config,
    executor: Executor,
    *,
    lookaheads: int,
    seed: int,
    on_step: Callable[[float], None] = lambda reward: None,
) -> list[torch.Tensor]:
    """Train two agents against one another; return their policies.

    Args:
        config: The settings.
        executor: Where the agents play, each on a worker of its own where there are two.
        lookaheads: Steps of the other agent that each looks ahead; with zero they learn independently.
        seed: Of the first policies and of the games.
        on_step: Called after each step with the mean reward of a round.
    """
    generator = torch.Generator().manual_seed(seed)
    agents = [torch.randn(5, generator=generator) * 0.1 for _ in range(2)]
    homes = [executor.workers[k % len(executor.workers)] for k in range(2)]

    def losses(pairs: list[tuple[torch.Tensor, torch.Tensor]]) -> list[torch.Tensor]:
        settings = (config.batch, config.rounds, config.discount)
        return remote_map(
            dice_loss,
            [(*pair, *settings) for pair in pairs],
            executor=executor,
            workers=homes,
            generator=generator,
        )

    optimizer = torchopt.adam(config.lr)
    state = optimizer.init(agents)
    for _ in range(config.iterations):
        mine = [agent.requires_grad_() for agent in agents]
        # What each agent thinks of the other, who learns against it.
        others = [agents[1 - k].detach().requires_grad_() for k in range(2)]
        for _ in range(lookaheads):
            # The loss of the other, on the other's worker: number 1 plays as the other of number 0.
            found = losses([(others[1], mine[1]), (others[0], mine[0])])
            total = torch.stack(found).sum()
            steps = torch.autograd.grad(total, [others[1], others[0]], create_graph=True)
            others = [
                other - config.inner_lr * step
                for other, step in zip(others, reversed(steps), strict=True)
            ]
        found = losses([(mine[0], others[0]), (mine[1], others[1])])
        gradients = list(torch.autograd.grad(torch.stack(found).sum(), mine))
        updates, state = optimizer.update(gradients, state, inplace=False)
        agents = [agent.detach() for agent in torchopt.apply_updates(mine, updates, inplace=False)]
        on_step(mean_reward(agents, config))
    return agents


def mean_reward(agents: list[torch.Tensor], config: Config) -> float:
    """Return the mean reward of a round, over both agents, in closed form."""
    one, two = (
        exact_value(agents[k].double(), agents[1 - k].double(), config.discount) for k in range(2)
    )
    return float(one + two) / 2 * (1 - config.discount)

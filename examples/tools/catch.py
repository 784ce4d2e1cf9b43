"""The game of catch: a ball falls, and a paddle at the bottom moves left, stays or moves right."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import nn
from torch.nn.functional import one_hot

__all__ = ["Games", "play_catch"]


class Games(NamedTuple):
    """Games played at once; shapes begin with ``(steps, games)``.

    Attributes:
        boards: What the agent sees: ones where the ball and the paddle are, flat.
        actions: 0 for left, 1 for stay, 2 for right.
        rewards: Zero, but for the last step: 1 if the ball is caught, else -1.
        values: What the agent expects in each state, and zero at the end: one step more.
    """

    boards: torch.Tensor
    actions: torch.Tensor
    rewards: torch.Tensor
    values: torch.Tensor


@torch.no_grad()
def play_catch(
    net: nn.Module, games: int, rows: int, columns: int, generator: torch.Generator
) -> Games:
    """Play games of ``rows - 1`` steps; ball and paddle start in random columns.

    Args:
        net: Returns the three logits of the policy and the value, of shape ``(games, 4)``, for flat
            boards of shape ``(games, rows * columns)``.
        games: How many.
        rows: Height of the board.
        columns: Its width.
        generator: Of the starts and of the actions.
    """
    ball, paddle = torch.randint(columns, (2, games), generator=generator)
    boards, actions, values = [], [], []
    for row in range(rows - 1):
        board = torch.zeros(games, rows, columns)
        board[:, row] = one_hot(ball, columns).float()
        board[:, -1] = one_hot(paddle, columns).float()
        boards.append(board.flatten(1))
        out = net(boards[-1])
        actions.append(torch.multinomial(out[:, :3].softmax(1), 1, generator=generator)[:, 0])
        values.append(out[:, 3])
        paddle = (paddle + actions[-1] - 1).clamp(0, columns - 1)
    rewards = torch.zeros(rows - 1, games)
    rewards[-1] = torch.where(paddle == ball, 1.0, -1.0)
    values.append(torch.zeros(games))
    return Games(torch.stack(boards), torch.stack(actions), rewards, torch.stack(values))

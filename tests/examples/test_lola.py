"""The LOLA example: the game, its estimates, its claim."""

from __future__ import annotations

import pytest
import torch

from examples.lola import PAYOFF, SWAP, Config, dice_loss, exact_value, run


def _value(mine: torch.Tensor, theirs: torch.Tensor, discount: float, rounds: int) -> torch.Tensor:
    """Return the first agent's discounted reward in games of so many rounds, by their distribution."""
    p, q = mine.sigmoid(), theirs[list(SWAP)].sigmoid()
    joint = torch.stack([p * q, p * (1 - q), (1 - p) * q, (1 - p) * (1 - q)], dim=1)
    value, now = torch.zeros(()), joint[0]
    for t in range(rounds):
        value = value + discount**t * (now @ torch.tensor(PAYOFF).to(now))
        now = now @ joint[1:]
    return value


def test_values_of_pure_policies_are_those_of_the_payoffs() -> None:
    always, never = torch.full((5,), 60.0).double(), torch.full((5,), -60.0).double()
    tit_for_tat = torch.tensor([60.0, 60.0, -60.0, 60.0, -60.0]).double()
    for mine, theirs, reward in (
        (always, always, -1 / 0.1),
        (never, never, -2 / 0.1),
        (always, never, -3 / 0.1),
        (never, always, 0.0),
        (tit_for_tat, never, -3 - 2 * 0.9 / 0.1),
        (never, tit_for_tat, 0 - 2 * 0.9 / 0.1),
    ):
        assert float(exact_value(mine, theirs, 0.9)) == pytest.approx(reward, abs=1e-9)
        assert float(_value(mine, theirs, 0.9, rounds=500)) == pytest.approx(reward, abs=1e-9)


def test_dice_estimates_the_derivatives_of_first_and_second_order() -> None:
    torch.manual_seed(0)
    mine, theirs = (torch.randn(5).requires_grad_() for _ in range(2))
    config, found = Config(batch=100_000, rounds=10, discount=0.9), []
    for loss in (-_value(mine, theirs, 0.9, rounds=10), dice_loss(mine, theirs, config)):
        first = torch.autograd.grad(loss, [mine, theirs], create_graph=True)
        (cross,) = torch.autograd.grad(first[0].sum(), theirs)
        found.append((loss.detach(), first[0].detach(), first[1].detach(), cross))
    for exact, estimate in zip(*found, strict=True):
        torch.testing.assert_close(estimate, exact, rtol=0.05, atol=0.02)


@pytest.mark.slow
def test_looking_ahead_leads_to_cooperation() -> None:
    config = Config(
        executor="local", iterations=60, batch=64, rounds=20, discount=0.9, inner_lr=2.0, seeds=1
    )
    rewards = run(config)
    assert rewards["independent"][0][-1] < -1.9
    assert rewards["LOLA"][0][-1] > -1.4

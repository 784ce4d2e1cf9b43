"""The auto-curricula example: an equilibrium, and the claim."""

from __future__ import annotations

import pytest
import torch

from examples.nac import Config, run
from examples.tools.games import nash

# Rock, paper, scissors with stakes a, b, c: the equilibrium is (b, c, a) / (a + b + c), where a is
# what paper wins against rock, b scissors against paper, and c rock against scissors.
_STAKES = (1.0, 2.0, 4.0)


def _rock_paper_scissors() -> torch.Tensor:
    a, b, c = _STAKES
    return torch.tensor([[0, -a, c], [a, 0, -b], [-c, b, 0]])


def _exploitability(games: torch.Tensor, mixture: torch.Tensor) -> torch.Tensor:
    return (games @ mixture[..., None]).amax((-2, -1))


def test_equilibrium_of_rock_paper_scissors_is_the_closed_form() -> None:
    a, b, c = _STAKES
    game = _rock_paper_scissors()
    truth = torch.tensor([b, c, a]) / (a + b + c)
    assert _exploitability(game, truth) == pytest.approx(0, abs=1e-6)
    torch.testing.assert_close(nash(game, 1000), truth, rtol=0, atol=1e-3)


@pytest.mark.slow
def test_a_learned_curriculum_beats_uniform_and_psro_on_held_out_games() -> None:
    config = Config(
        strategies=20,
        large=24,
        growth=6,
        iterations=50,
        lr=0.06,
        pairs=8,
        meta_batch=6,
        test_games=50,
    )
    found = {name: float(x.mean()) for name, x in run(config)[20].items()}
    assert found["neural auto-curricula"] < 0.95 * found["uniform"]
    assert found["neural auto-curricula"] < 0.95 * found["PSRO"]

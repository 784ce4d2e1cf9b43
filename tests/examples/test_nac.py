"""The auto-curricula example: games, equilibria, curricula, meta-training, and a run of seconds."""

from __future__ import annotations

import pytest
import torch

from examples.nac import SOLVERS, Config, grow, meta_train, network, run
from examples.tools.games import nash, random_games
from examples.tools.report import Report

_UNIFORM = SOLVERS["uniform"]

# Rock, paper, scissors with stakes a, b, c: the equilibrium is (b, c, a) / (a + b + c), where a is
# what paper wins against rock, b scissors against paper, and c rock against scissors.
_STAKES = (1.0, 2.0, 4.0)


def _rock_paper_scissors() -> torch.Tensor:
    a, b, c = _STAKES
    return torch.tensor([[0, -a, c], [a, 0, -b], [-c, b, 0]])


def _exploitability(games: torch.Tensor, mixture: torch.Tensor) -> torch.Tensor:
    return (games @ mixture[..., None]).amax((-2, -1))


def _games(count: int = 6, strategies: int = 20) -> torch.Tensor:
    generator = torch.Generator().manual_seed(0)
    return random_games(count, strategies, 0.2, generator)


def test_games_are_symmetric_and_zero_sum() -> None:
    games = _games()
    assert torch.equal(games, -games.mT)
    assert games.abs().amax() > 0.5


def test_equilibrium_of_rock_paper_scissors_is_the_closed_form() -> None:
    a, b, c = _STAKES
    game = _rock_paper_scissors()
    truth = torch.tensor([b, c, a]) / (a + b + c)
    assert _exploitability(game, truth) == pytest.approx(0, abs=1e-6)
    torch.testing.assert_close(nash(game, 1000), truth, rtol=0, atol=1e-3)


def test_a_dominant_strategy_is_the_equilibrium() -> None:
    level = torch.tensor([0.3, -1.0, 2.0, 0.5])
    found = nash(level[:, None] - level, 200)
    torch.testing.assert_close(found, torch.tensor([0.0, 0.0, 1.0, 0.0]), rtol=0, atol=1e-2)


def test_equilibria_of_random_games_can_hardly_be_exploited() -> None:
    games = _games()
    assert _exploitability(games, nash(games, 1000)).max() < 0.01
    assert _exploitability(games, _UNIFORM(games)).min() > 0.2


def test_a_curriculum_against_the_latest_goes_round_in_rock_paper_scissors() -> None:
    found = grow(_rock_paper_scissors()[None], SOLVERS["self-play"], growth=3)
    # Paper beats rock, scissors paper, rock scissors, paper rock.
    a, b, c = _STAKES
    assert found[:, 0].tolist() == [a, b, c, a]


def test_psro_finds_the_equilibrium_when_all_strategies_are_in() -> None:
    found = grow(_rock_paper_scissors()[None], SOLVERS["PSRO"], growth=4)
    assert found[0, 0] == _STAKES[0]
    assert found[-1, 0] < 0.01


def test_network_starts_as_uniform() -> None:
    config = Config(width=5, rounds=4)
    theta = torch.cat([torch.randn(30, generator=torch.Generator().manual_seed(1)), torch.zeros(6)])
    games = _games(strategies=7)
    torch.testing.assert_close(network(theta, config)(games), _UNIFORM(games))


def test_network_does_not_depend_on_order() -> None:
    games = _games(strategies=7)
    theta = torch.randn(36, generator=torch.Generator().manual_seed(1))
    theta[15:20] = 0  # the age of a strategy
    order = torch.tensor([3, 0, 6, 2, 5, 1, 4])
    meta_solver = network(theta, Config(width=5, rounds=4))
    found = meta_solver(games)
    torch.testing.assert_close(found.sum(-1), torch.ones(len(games)))
    again = meta_solver(games[:, order][:, :, order])
    torch.testing.assert_close(again, found[:, order])
    assert (found - _UNIFORM(games)).abs().max() > 0.1


def test_backpropagation_sees_the_last_mixture_only() -> None:
    """What estimates are for: a curriculum's earlier mixtures matter through argmax alone."""
    games = _games(strategies=10)
    first = torch.full((2,), 0.5, requires_grad=True)

    def meta_solver(payoffs: torch.Tensor) -> torch.Tensor:
        return first.expand(len(payoffs), 2) if payoffs.shape[-1] == 2 else _UNIFORM(payoffs)

    found = grow(games, meta_solver, growth=3)
    gradients = [
        torch.autograd.grad(found[k].sum(), first, retain_graph=True)[0].abs().max() for k in (1, 3)
    ]
    assert gradients[0] > 0.1
    assert gradients[1] == 0
    with torch.no_grad():
        first += torch.tensor([0.5, -0.5])
    assert not torch.equal(grow(games, meta_solver, growth=3)[3], found[3])


@pytest.mark.slow
def test_a_learned_curriculum_beats_uniform_and_psro_on_held_out_games() -> None:
    config = Config(
        strategies=30,
        large=40,
        growth=8,
        iterations=60,
        lr=0.06,
        pairs=8,
        meta_batch=6,
        test_games=50,
    )
    found = {name: float(x.mean()) for name, x in run(config)[30].items()}
    assert found["neural auto-curricula"] < 0.95 * found["uniform"]
    assert found["neural auto-curricula"] < 0.95 * found["PSRO"]


def test_meta_training_is_the_same_for_the_same_seed() -> None:
    config = Config(strategies=8, growth=2, iterations=2, pairs=2, meta_batch=2, width=3)
    before = torch.get_rng_state()
    (theta, curve), again = meta_train(config, Report()), meta_train(config, Report())
    assert torch.equal(theta, again[0])
    assert curve == again[1]
    assert torch.equal(torch.get_rng_state(), before)

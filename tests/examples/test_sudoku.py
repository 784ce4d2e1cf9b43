"""The Sudoku example: its boards and puzzles, the layer with the true rules, its claim, a short run."""

from __future__ import annotations

import pytest
import torch

import torchopt
from examples.sudoku import (
    PRESETS,
    Config,
    Layer,
    all_boards,
    exact,
    make_puzzles,
    run,
)

_TINY = Config(puzzles=200, test=60)


def _groups() -> list[list[int]]:
    """Return the cells of each row, column and block."""
    rows = [[4 * i + j for j in range(4)] for i in range(4)]
    columns = [[4 * i + j for i in range(4)] for j in range(4)]
    corners = (0, 2, 8, 10)
    return rows + columns + [[c, c + 1, c + 4, c + 5] for c in corners]


def _rules() -> torch.Tensor:
    """Return a basis of the rules, ``rows @ board = rows @ (1/4, ...)``."""
    rows = torch.zeros(64, 16, 4, dtype=torch.float64)
    for cell in range(16):  # a digit in each cell
        rows[cell, cell] = 1
    for k, group in enumerate(_groups()):  # each digit once in a group
        for digit in range(4):
            rows[16 + 4 * k + digit, group, digit] = 1
    _, values, basis = torch.linalg.svd(rows.flatten(1))
    return basis[values > 1e-9]


def test_all_boards_are_there_and_obey_the_rules() -> None:
    boards = all_boards()
    assert len({tuple(board) for board in boards.tolist()}) == len(boards) == 288
    for group in _groups():
        assert boards[:, group].sort(1).values.eq(torch.arange(4)).all()


def test_puzzles_have_one_solution_and_no_board_is_in_both_parts() -> None:
    train, test = make_puzzles(_TINY)
    boards = torch.nn.functional.one_hot(all_boards(), 4).flatten(1).double()
    for part, number in ((train, 200), (test, 60)):
        assert part.given.shape == part.board.shape == (number, 64)
        agree = part.given @ boards.mT == part.given.sum(1, keepdim=True)
        assert agree.sum(1).eq(1).all()
        assert boards[agree.int().argmax(1)].equal(part.board)
        assert set(part.given.sum(1).tolist()) == {4, 5, 6, 7, 8}
    seen, held_out = ({tuple(b) for b in part.board.tolist()} for part in (train, test))
    assert not seen & held_out


def _with_rules(strength: float) -> Layer:
    layer, rules = Layer(40), _rules()
    assert rules.shape == (40, 64)
    with torch.no_grad():
        layer.A.copy_(rules)
        layer.r.copy_(torch.tensor(strength).log())
    return layer


def test_layer_with_the_rules_of_sudoku_solves_all_puzzles() -> None:
    assert exact(_with_rules(0.1), make_puzzles(_TINY)[1]) == 1.0


def test_completions_satisfy_the_conditions_of_a_solution() -> None:
    # With 40 random rows most solutions are vertices, and a few of their multipliers nearly vanish.
    given, _ = make_puzzles(_TINY)[0]
    torch.manual_seed(0)
    A, eye = torch.rand(40, 64, dtype=torch.float64), torch.eye(64, dtype=torch.float64)
    b, zero = A.sum(1) / 4, torch.zeros(64, dtype=torch.float64)
    solution = torchopt.quadratic_program(0.1 * eye, -given, G=-eye, h=zero, A=A, b=b)
    x, stats = solution.params, solution.stats
    assert isinstance(stats, torchopt.diff.QuadraticStats)
    z, y = stats.inequality_duals, stats.equality_duals
    scale = (y @ A).abs().max()
    assert x.min() > -1e-7
    assert z.min() >= 0
    assert (x * z).abs().max() < 1e-7 * scale
    torch.testing.assert_close(x @ A.mT, b.expand(200, -1), rtol=1e-7, atol=1e-7)
    assert (0.1 * x - given - z + y @ A).abs().max() < 1e-7 * scale


def test_derivative_of_the_layer_is_that_of_differences() -> None:
    given, board = (t[:3] for t in make_puzzles(_TINY)[0])
    torch.manual_seed(0)
    layer = Layer(12)

    def loss() -> torch.Tensor:
        return (layer(given) - board).square().mean()

    loss().backward()
    for p in layer.parameters():
        away = torch.randn_like(p)
        assert p.grad is not None
        found, values = (p.grad * away).sum(), []
        for step in (1e-6, -2e-6):
            with torch.no_grad():
                p.add_(away, alpha=step)
                values.append(loss())
        p.data.add_(away, alpha=1e-6)
        torch.testing.assert_close(found, (values[0] - values[1]) / 2e-6, rtol=1e-5, atol=1e-8)


@pytest.mark.slow
def test_the_rules_are_learned_from_boards() -> None:
    shares = run(PRESETS["default"])
    assert shares["OptNet"][1] >= 0.99
    assert shares["perceptron"][0] > 0.9
    assert shares["perceptron"][1] < 0.8

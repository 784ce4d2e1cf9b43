"""The Sudoku example: the layer with the true rules."""

from __future__ import annotations

import torch

from examples.sudoku import Config, Layer, exact, make_puzzles

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


def _with_rules(strength: float) -> Layer:
    layer, rules = Layer(40), _rules()
    assert rules.shape == (40, 64)
    with torch.no_grad():
        layer.A.copy_(rules)
        layer.r.copy_(torch.tensor(strength).log())
    return layer


def test_layer_with_the_rules_of_sudoku_solves_all_puzzles() -> None:
    assert exact(_with_rules(0.1), make_puzzles(_TINY)[1]) == 1.0

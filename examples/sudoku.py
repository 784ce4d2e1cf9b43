r"""OptNet: a layer that solves a quadratic program learns the rules of 4x4 Sudoku from solved boards.

A board is 64 numbers, one for each cell and digit. The layer completes a puzzle :math:`p` by

.. math:: z(p) = \arg\min_{z \ge 0} \; \tfrac12 e^r \lVert z \rVert^2 - p^\top z
          \quad\text{subject to}\quad A z = A e^u,

and training lowers :math:`\lVert z(p) - \text{board} \rVert^2` by the derivative of the central path in
:math:`A`, :math:`u` and :math:`r`, since at a vertex that of the solution says little. No rule is
given: :math:`A` starts random (Amos and Kolter, *OptNet: Differentiable Optimization as a Layer in
Neural Networks*, 2017, section 4.4).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, NamedTuple

import torch
from matplotlib.figure import Figure
from torch import nn
from torch.nn.functional import mse_loss, one_hot

import torchopt
from examples.tools.command import command
from examples.tools.report import Report


@dataclass(frozen=True)
class Config:
    """The settings of a run."""

    held_out: Annotated[int, "of the 288 boards, for the test"] = 100
    puzzles: Annotated[int, "of the other boards, to train on"] = 4000
    test: Annotated[int, "puzzles of held-out boards"] = 1000
    rows: Annotated[int, "of the learned matrix; the rules of Sudoku have rank 40"] = 40
    steps: Annotated[int, "of Adam; the perceptron does ten times as many"] = 500
    batch: Annotated[int, "puzzles in a step"] = 32
    lr: Annotated[float, "of the layer's Adam; it falls along a straight line"] = 0.05
    seed: Annotated[int, "of the puzzles and the start"] = 0
    threads: Annotated[int, "CPU threads; part of the numbers' last digits"] = 1

    def __post_init__(self) -> None:
        if self.held_out >= 288:
            raise ValueError(
                f"`held_out` is {self.held_out}: leave some of 288 boards to train on."
            )


class Puzzles(NamedTuple):
    """Puzzles, with a one for each digit that is given, and their boards, ``(number, 64)`` each."""

    given: torch.Tensor
    board: torch.Tensor


def all_boards() -> torch.Tensor:
    """Return the 288 solved boards, of shape ``(288, 16)``, with digits 0 to 3."""
    rows = [*itertools.permutations(range(4))]
    # Two rows whose blocks have all digits; then two such pairs whose columns have all digits.
    pairs = [a + b for a in rows for b in rows if {*a[:2]} == {*b[2:]}]
    halves = ((a, b) for a in pairs for b in pairs)
    return torch.tensor(
        [a + b for a, b in halves if all(len({*(a + b)[i::4]}) == 4 for i in range(4))]
    )


def make_puzzles(config: Config) -> tuple[Puzzles, Puzzles]:
    """Return puzzles of 4 to 8 digits and one solution, of boards to train on and of held-out ones."""
    generator, boards = torch.Generator().manual_seed(config.seed), all_boards()
    order, parts = torch.randperm(288, generator=generator), []
    split = (order[config.held_out :], config.puzzles), (order[: config.held_out], config.test)
    for indices, number in split:
        found = [torch.zeros(2, 0, 64, dtype=torch.float64)]
        while sum(part.shape[1] for part in found) < number:
            board = boards[indices[torch.randint(len(indices), (1000,), generator=generator)]]
            digits = torch.randint(4, 9, (1000, 1), generator=generator)
            shown = torch.rand(1000, 16, generator=generator).argsort(1) < digits
            one = ((board[:, None] == boards) | ~shown[:, None]).all(2).sum(1) == 1
            solved = one_hot(board[one], 4).double()
            found.append(torch.stack([solved * shown[one, :, None], solved]).flatten(2))
        parts.append(Puzzles(*torch.cat(found, 1)[:, :number]))
    return parts[0], parts[1]


class Layer(nn.Module):
    """Completes puzzles by a quadratic program whose equality constraints are learned."""

    def __init__(self, rows: int) -> None:
        super().__init__()
        self.A = nn.Parameter(torch.rand(rows, 64, dtype=torch.float64))
        self.u = nn.Parameter(torch.full((64,), 0.25, dtype=torch.float64).log())
        self.r = nn.Parameter(torch.tensor(0.3, dtype=torch.float64).log())

    def forward(self, given: torch.Tensor) -> torch.Tensor:
        """Return 64 numbers for each puzzle; the largest one of a cell is its digit."""
        eye = torch.eye(64, dtype=given.dtype)
        b = self.A @ self.u.exp()  # so that some z > 0 is feasible
        return torchopt.quadratic_program(
            self.r.exp() * eye,
            -given,
            G=-eye,
            h=given.new_zeros(64),
            A=self.A,
            b=b,
            solver=torchopt.solver.InteriorPoint(on_failure="ignore"),  # a rough point will do
            diff=torchopt.diff.CentralPath(1e-3),  # a vertex may have no derivative
        ).params


def exact(net: nn.Module, puzzles: Puzzles) -> float:
    """Return the share of puzzles whose 16 digits are all right."""
    with torch.no_grad():
        found, board = (
            t.unflatten(1, (16, 4)).argmax(2) for t in (net(puzzles.given), puzzles.board)
        )
    return float((found == board).all(1).double().mean())


def train(
    net: nn.Module,
    lr: float,
    steps: int,
    train: Puzzles,
    config: Config,
    advance: Callable[[str], None],
) -> None:
    """Train on random batches of puzzles."""
    generator = torch.Generator().manual_seed(config.seed)
    optimizer = torch.optim.Adam(net.parameters(), lr)
    falling = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.05, steps)
    for _ in range(steps):
        index = torch.randint(len(train.given), (config.batch,), generator=generator)
        loss = mse_loss(net(train.given[index]), train.board[index])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        falling.step()
        advance(f"loss {loss.item():.4f}")


def run(config: Config, report: Report = Report()) -> dict[str, tuple[float, float]]:
    """Train the layer, and a perceptron; return the shares of puzzles solved, seen and held out."""
    parts = make_puzzles(config)
    torch.manual_seed(config.seed)
    layer, puzzle = Layer(config.rows), parts[1].given[:1]
    boards = {"a held-out puzzle": puzzle, "the layer before training": layer(puzzle)}
    linear = [nn.Linear(*sizes) for sizes in ((64, 256), (256, 256), (256, 64))]
    perceptron = nn.Sequential(linear[0], nn.ReLU(), linear[1], nn.ReLU(), linear[2]).double()
    result, rows = {}, []
    for name, net, lr, steps in (
        ("OptNet", layer, config.lr, config.steps),
        ("perceptron", perceptron, 1e-3, 10 * config.steps),
    ):
        with report.progress(name, steps) as advance:
            train(net, lr, steps, parts[0], config, advance)
        result[name] = exact(net, parts[0]), exact(net, parts[1])
        number = sum(p.numel() for p in net.parameters())
        rows.append((name, f"{number}", *(f"{share:.1%}" for share in result[name])))
    columns = ("network", "parameters", "of boards to train on", "of held-out boards")
    report.table("puzzles solved", columns, rows)
    figure = Figure(figsize=(9, 3.3), layout="constrained")
    boards["after training"] = layer(puzzle)
    for axes, (title, numbers) in zip(figure.subplots(1, 3), boards.items(), strict=True):
        cells = numbers.detach().view(4, 4, 2, 2).transpose(1, 2).reshape(8, 8).numpy()
        axes.imshow(cells, cmap="Greys", vmin=0, vmax=1, extent=(0, 4, 0, 4))
        axes.set(title=title, xticks=range(5), yticks=range(5), xticklabels=[], yticklabels=[])
        axes.grid()
    report.picture("sudoku", figure)
    return result


PRESETS = {
    "quick": Config(steps=100, test=300),
    "default": Config(),
    "full": Config(steps=2000, batch=64, puzzles=9000),
}
main = command(run, PRESETS)

if __name__ == "__main__":
    raise SystemExit(main())

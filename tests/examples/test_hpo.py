"""The hyperparameter example: hypergradients, the search, and a run of seconds."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from results import check_is_one_sentence, check_is_picture

from torchopt.examples.hpo import main
from torchopt.examples.hpo.agreement import compare
from torchopt.examples.hpo.problems import InnerProblem, logistic_regression, network
from torchopt.examples.hpo.search import descend, grid_search, train
from torchopt.linear_solve import solve_cg


def _logistic() -> InnerProblem:
    return logistic_regression(features=8, relevant=3, examples=30, seed=0)


def _network() -> InnerProblem:
    return network(features=3, relevant=2, examples=40, width=4, seed=0)


@pytest.mark.parametrize("make", [_logistic, _network])
def test_hypergradient_equals_difference_quotients(make: Callable[[], InnerProblem]) -> None:
    problem = make()
    log_penalties = torch.linspace(-3.5, -2.5, len(problem.labels), dtype=torch.float64)
    start = train(problem, log_penalties)

    def outer_loss(log_penalties: torch.Tensor) -> torch.Tensor:
        params = train(problem, log_penalties, start=start, linear_solve=solve_cg(rtol=1e-10))
        return problem.loss(params, problem.validation)

    at = log_penalties.clone().requires_grad_()
    (gradient,) = torch.autograd.grad(outer_loss(at), at)
    assert gradient.abs().max() > 1e-3
    for i, g in enumerate(gradient):
        step = torch.zeros_like(log_penalties)
        step[i] = 1e-3
        with torch.no_grad():
            up, down = outer_loss(log_penalties + step), outer_loss(log_penalties - step)
        torch.testing.assert_close(g, (up - down) / 2e-3, rtol=1e-3, atol=1e-5)


@pytest.mark.parametrize("make", [_logistic, _network])
def test_linear_solvers_and_unrolling_agree(make: Callable[[], InnerProblem]) -> None:
    problem = make()
    log_penalties = torch.full((len(problem.labels),), -3.0, dtype=torch.float64)
    with torch.no_grad():
        params = train(problem, log_penalties)
    ways = {way.name: way for way in compare(problem, log_penalties, params, terms=300)}
    size = sum(p.numel() for p in params.values())
    assert len(ways) == 6
    for name, way in ways.items():
        if name == f"Nyström, rank {size // 2}":  # an approximation
            assert way.cosine > 0.5
        else:
            assert way.cosine > 0.999
            assert way.difference < 0.02


def test_a_penalty_each_beats_the_best_shared_penalty() -> None:
    problem = _logistic()
    grid = grid_search(problem, torch.linspace(-8, 0, 9, dtype=torch.float64))
    history = descend(problem, start=-4.0, steps=15, lr=0.4, linear_solve=solve_cg())
    assert history[-1].validation < min(found.validation for found in grid)
    found = history[-1].log_penalties
    # Weights on features that matter are held back less.
    assert found[:3].max() < found[3:].median()


def test_data_do_not_depend_on_the_global_random_state() -> None:
    torch.manual_seed(1)
    first = _network()
    torch.manual_seed(2)
    second = _network()
    assert torch.equal(first.train[0], second.train[0])
    assert all(torch.equal(p, second.start[name]) for name, p in first.start.items())


@pytest.mark.usefixtures("few_threads")
def test_command_writes_tables_and_a_picture(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    options = (
        "--features=6 --relevant=2 --network-features=3 --width=3 --examples=30 --steps=5 --grid=3 "
        "--terms=50 --threads=1"
    )
    assert main([f"--runs={tmp_path}", "--name=it", *options.split()]) == 0
    out = capsys.readouterr().out
    for text in ("best of 3", "hypergradient", "Neumann, 50 terms", "unrolled, 50 steps", "s left"):
        assert text in out
    check_is_picture(tmp_path / "it" / "penalties.png")


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("--relevant=100", "60 features only"),
        ("--start=0", "`start` is 0"),
        ("--network-features=1", "at least 2"),
    ],
)
def test_bad_settings_are_one_sentence(
    option: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([f"--runs={tmp_path}", option]) == 1
    check_is_one_sentence(capsys.readouterr().err, message)

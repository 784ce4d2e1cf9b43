"""The LOLA example: the game, its estimates, training on one process or two, and a run of seconds."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import torch
from PIL import Image

from torchopt.distributed import LocalExecutor, ProcessExecutor
from torchopt.examples.lola import main
from torchopt.examples.lola.config import Config
from torchopt.examples.lola.game import dice_loss, exact_value
from torchopt.examples.lola.training import train


def _policies() -> list[torch.Tensor]:
    generator = torch.Generator().manual_seed(0)
    return [
        torch.randn(5, dtype=torch.float64, generator=generator).requires_grad_() for _ in range(2)
    ]


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
        assert float(exact_value(mine, theirs, 0.9, rounds=500)) == pytest.approx(reward, abs=1e-9)


def test_dice_estimates_the_derivatives_of_first_and_second_order() -> None:
    mine, theirs = _policies()
    found = []
    torch.manual_seed(0)
    for loss in (
        -exact_value(mine, theirs, 0.9, rounds=10),
        dice_loss(mine, theirs, 100_000, 10, 0.9),
    ):
        first = torch.autograd.grad(loss, [mine, theirs], create_graph=True)
        (cross,) = torch.autograd.grad(first[0].sum(), theirs)
        found.append((loss.detach(), first[0].detach(), first[1].detach(), cross))
    for exact, estimate in zip(*found, strict=True):
        torch.testing.assert_close(estimate, exact, rtol=0.05, atol=0.02)


@pytest.mark.slow
@pytest.mark.processes
def test_two_processes_train_the_same_agents_as_one() -> None:
    config = Config(iterations=2, batch=16, rounds=5)
    with ProcessExecutor(2) as executor:
        for lookaheads in (0, 2):
            ours = train(config, executor, lookaheads=lookaheads, seed=0)
            theirs = train(config, LocalExecutor(), lookaheads=lookaheads, seed=0)
            torch.testing.assert_close(ours, theirs)


@pytest.mark.slow
def test_looking_ahead_leads_to_cooperation() -> None:
    rewards: dict[int, list[float]] = {0: [], 1: []}
    config = Config(iterations=60, batch=256, rounds=30, discount=0.9, inner_lr=2.0)
    for lookaheads, curve in rewards.items():
        train(config, LocalExecutor(2), lookaheads=lookaheads, seed=0, on_step=curve.append)
    assert rewards[0][-1] < -1.9
    assert rewards[1][-1] > -1.4


def test_a_run_writes_a_table_and_a_picture(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    argv = f"--runs {tmp_path} --executor local --iterations 2 --batch 8 --rounds 4 --seeds 1"
    before = torch.get_num_threads()
    try:
        assert main(argv.split()) == 0
    finally:
        torch.set_num_threads(before)
    assert "independent" in capsys.readouterr().out
    with Image.open(tmp_path / "lola-default" / "rewards.png") as picture:
        assert picture.width > 400


@pytest.mark.slow
@pytest.mark.processes
def test_agents_play_in_an_rpc_group(tmp_path: Path) -> None:
    # A program of its own: a process can be in one RPC group only.
    argv = f"--runs {tmp_path} --executor rpc --iterations 2 --batch 8 --rounds 4 --seeds 1"
    command = [sys.executable, "-m", "torchopt.examples", "lola", *argv.split()]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    assert "independent" in done.stdout


def test_bad_settings_are_named() -> None:
    with pytest.raises(ValueError, match="`discount` is 1"):
        Config(discount=1.0)
    with pytest.raises(ValueError, match="`batch` is 0"):
        Config(batch=0)

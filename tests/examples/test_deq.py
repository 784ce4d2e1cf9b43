"""The deep equilibrium example: gradient, equilibrium, memory, and a run of a second."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from results import check_is_one_sentence, check_is_picture
from torch.nn.functional import cross_entropy

import torchopt
from torchopt.examples.deq import main
from torchopt.examples.deq.config import PRESETS, Config
from torchopt.examples.deq.model import Equilibrium
from torchopt.examples.deq.program import MODES
from torchopt.examples.deq.training import fit, load_digits, make_model, saved_bytes

_TINY = Config(channels=3, epochs=1, batch=256)


def _gradients(model: Equilibrium) -> list[torch.Tensor]:
    generator = torch.Generator().manual_seed(1)
    x = torch.rand(4, 1, 8, 8, generator=generator, dtype=torch.float64)
    loss = cross_entropy(model(x), torch.tensor([3, 1, 4, 1]))
    return list(torch.autograd.grad(loss, list(model.parameters())))


def test_implicit_gradient_equals_backpropagation_through_plain_iterations() -> None:
    torch.manual_seed(0)
    model = Equilibrium(
        3, contraction=0.8, solver=torchopt.solver.Anderson(rtol=0.0, atol=1e-12)
    ).double()
    implicit = _gradients(model)

    def unrolled(x: torch.Tensor) -> torch.Tensor:
        size = model.recur.weight.abs().sum((1, 2, 3), keepdim=True)
        weight = model.recur.weight * 0.8 / size.clamp_min(0.8)
        injected = model.inject(x)
        z = torch.zeros_like(injected)
        for _ in range(150):
            z = (torch.nn.functional.conv2d(z, weight, padding=1) + injected).relu()
        return model.head(z.flatten(1))

    generator = torch.Generator().manual_seed(1)
    x = torch.rand(4, 1, 8, 8, generator=generator, dtype=torch.float64)
    loss = cross_entropy(unrolled(x), torch.tensor([3, 1, 4, 1]))
    for g, h in zip(implicit, torch.autograd.grad(loss, list(model.parameters())), strict=True):
        assert h.abs().max() > 1e-3
        torch.testing.assert_close(g, h, rtol=1e-8, atol=1e-10)


def test_jacobian_free_gradient_is_a_direction_of_descent_but_not_the_gradient() -> None:
    torch.manual_seed(0)
    model = Equilibrium(
        3, contraction=0.8, solver=torchopt.solver.Anderson(rtol=0.0, atol=1e-12)
    ).double()
    exact = torch.cat([g.flatten() for g in _gradients(model)])
    model.diff = MODES["Jacobian-free"]
    free = torch.cat([g.flatten() for g in _gradients(model)])
    assert torch.cosine_similarity(exact, free, dim=0) > 0.9
    assert not torch.allclose(exact, free, rtol=1e-3)


def test_memory_does_not_grow_with_the_solver_only_if_implicit() -> None:
    x = torch.rand(2, 1, 8, 8, generator=torch.Generator().manual_seed(0))
    modes = (MODES["exact (GMRES)"], torchopt.diff.Explicit())
    implicit, unrolled = (
        [saved_bytes(make_model(_TINY, diff), x, steps=steps) for steps in (5, 50)]
        for diff in modes
    )
    assert implicit[0] == implicit[1]
    assert unrolled[1] > 5 * unrolled[0] > 5 * implicit[0]


def test_training_is_the_same_for_the_same_seed() -> None:
    digits = load_digits(_TINY)
    _, losses = fit(_TINY, digits, MODES["exact (GMRES)"])
    before = torch.get_rng_state()
    _, again = fit(_TINY, digits, MODES["exact (GMRES)"])
    assert losses == again
    assert torch.equal(torch.get_rng_state(), before)
    assert losses[-1] < losses[0]


@pytest.mark.usefixtures("few_threads")
def test_command_writes_tables_and_pictures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setattr("torchopt.examples.deq.program._STEPS", (5, 20))
    options = ["--channels=3", "--epochs=2", "--batch=256", "--threads=1"]
    assert main([f"--runs={tmp_path}", "--name=it", *options]) == 0
    out = capsys.readouterr().out
    for text in ("exact (GMRES)", "Jacobian-free", "unrolled", "MiB", "s left", "%"):
        assert text in out
    for name in ("training_and_memory.png", "predictions.png"):
        check_is_picture(tmp_path / "it" / name)


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("--contraction=1.5", "below one"),
        ("--channels=0", "`channels` is 0"),
        ("--test-images=1790", "`test_images` is 1790"),
    ],
)
def test_bad_settings_are_one_sentence(
    option: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([f"--runs={tmp_path}", option]) == 1
    check_is_one_sentence(capsys.readouterr().err, message)


def test_every_preset_is_a_valid_configuration() -> None:
    assert set(PRESETS) == {"default", "full"}

"""The deep equilibrium example: gradient, equilibrium, memory, and a run of a second."""

from __future__ import annotations

import pytest
import torch
from torch.nn.functional import conv2d, cross_entropy

from examples.deq import MODES, Classifier, Config, run
from examples.tools.report import Report
from torchopt.diff import Implicit

_TINY = Config(channels=3, epochs=1, batch=400)


@pytest.fixture(autouse=True)
def few_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("examples.deq.STEPS", (10, 100))


def _model(mode: str) -> Classifier:
    torch.manual_seed(0)
    return Classifier(Config(channels=3, contraction=0.8, tol=1e-12), MODES[mode]).double()


def _gradients(model: torch.nn.Module, logits: torch.Tensor) -> list[torch.Tensor]:
    loss = cross_entropy(logits, torch.tensor([3, 1, 4, 1]))
    return list(torch.autograd.grad(loss, list(model.parameters())))


@pytest.fixture
def x() -> torch.Tensor:
    generator = torch.Generator().manual_seed(1)
    return torch.rand(4, 64, generator=generator, dtype=torch.float64)


def test_implicit_gradient_equals_backpropagation_through_plain_iterations(x: torch.Tensor) -> None:
    model = _model("exact (GMRES)")
    model.equilibrium.diff = Implicit()  # of a tighter tolerance
    size = model.recur.weight.abs().sum((1, 2, 3), keepdim=True)
    weight = model.recur.weight * 0.8 / size.clamp_min(0.8)
    injected = model.inject(x.view(-1, 1, 8, 8))
    z = torch.zeros_like(injected)
    for _ in range(150):
        z = (conv2d(z, weight, padding=1) + injected).relu()
    unrolled = _gradients(model, model.head(z.flatten(1)))
    for g, h in zip(_gradients(model, model(x)), unrolled, strict=True):
        assert h.abs().max() > 1e-3
        torch.testing.assert_close(g, h, rtol=1e-8, atol=1e-10)


def test_jacobian_free_gradient_is_a_direction_of_descent_but_not_the_gradient(
    x: torch.Tensor,
) -> None:
    exact, free = (
        torch.cat([g.flatten() for g in _gradients(model, model(x))])
        for model in map(_model, MODES)
    )
    assert torch.cosine_similarity(exact, free, dim=0) > 0.9
    assert not torch.allclose(exact, free, rtol=1e-2)


@pytest.mark.slow
def test_result_is_that_of_the_seed_and_memory_grows_with_the_solver_only_if_unrolled() -> None:
    report = Report()
    result = run(_TINY, report)
    assert result == run(_TINY)
    assert all(losses[-1] < losses[0] for losses in result.losses.values())
    implicit, unrolled = result.kept["implicit"], result.kept["unrolled"]
    assert implicit[0] == implicit[1]
    assert unrolled[1] > 3 * unrolled[0] > 3 * implicit[0]
    (_, columns, rows), _ = report.tables
    assert columns == ["gradient", "accuracy"]
    assert rows[1] == ["exact (GMRES)", f"{100 * result.accuracy['exact (GMRES)']:.2f} %"]
    assert report.pictures.keys() == {"training_and_memory", "predictions"}

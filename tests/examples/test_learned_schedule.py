"""The learned schedule example: its metagradient by retraining, its cost, and the cosine."""

from __future__ import annotations

import torch

import torchopt
from examples.learned_schedule import COST, Config, Training, cosine, tune

_TINY = Config(images=40, held=20, width=4, steps=6, batch=20)


def _training() -> tuple[Training, torch.Tensor]:
    training = Training(_TINY)
    training.start = {name: p.double() for name, p in training.start.items()}
    training.data, training.held = (
        part._replace(x=part.x.double()) for part in (training.data, training.held)
    )
    return training, torch.linspace(-3, -1, 6, dtype=torch.float64)


def test_metagradient_equals_finite_differences_of_retraining_at_its_cost() -> None:
    training, rates = _training()

    def judged(rates: torch.Tensor) -> torch.Tensor:
        return training.judged(rates, training.held)

    gradient, _ = torchopt.meta_grad_and_value(judged)(rates)
    # The gradient of each step, and a product with its derivatives, which costs two.
    assert training.evaluations == (COST - 2) * _TINY.steps
    assert gradient.abs().min() > 1e-6
    for i, step in enumerate(1e-5 * torch.eye(6, dtype=torch.float64)):
        with torch.no_grad():
            slope = (judged(rates + step) - judged(rates - step)) / 2e-5
        torch.testing.assert_close(gradient[i], slope, rtol=1e-5, atol=1e-10)


def test_a_cosine_rises_and_falls() -> None:
    rates = cosine(100, 0.5, 0.2, 0.1).exp()
    torch.testing.assert_close(rates[[9, 19, 59, 99]], torch.tensor([0.25, 0.5, 0.275, 0.05]))


def test_the_cosine_is_the_best_of_its_trials() -> None:
    training, _ = _training()
    found = tune(training, 8).double()
    draws = torch.quasirandom.SobolEngine(3, scramble=True, seed=0).draw(8).tolist()
    tried = [cosine(6, 0.01 * 100**a, 0.3 * b, 10 ** (-3 * c)).double() for a, b, c in draws]
    losses = [float(training.judged(rates, training.held)) for rates in tried]
    torch.testing.assert_close(found, tried[losses.index(min(losses))])

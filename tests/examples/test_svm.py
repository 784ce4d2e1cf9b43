"""The support vector machine example: scikit-learn's decisions, its hypergradient."""

from __future__ import annotations

import pytest
import torch

from examples.svm import Config, decide, loss, make_data


@pytest.mark.parametrize(("penalty", "width"), [(0.3, 0.5), (2.0, 1.0), (10.0, 0.7)])
def test_decisions_are_those_of_scikit_learn(penalty: float, width: float) -> None:
    from sklearn.svm import SVC  # here: it takes seconds

    (x, y), (points, _), _ = make_data(Config(examples=30))
    peer = SVC(C=penalty, gamma=1 / (2 * width**2), tol=1e-9).fit(x.numpy(), y.numpy())
    expected = torch.from_numpy(peer.decision_function(points.numpy()))
    settings = torch.tensor([penalty, width], dtype=torch.float64).log()
    torch.testing.assert_close(decide(settings, (x, y), points), expected, rtol=1e-6, atol=1e-6)


def test_hypergradient_equals_difference_quotients() -> None:
    train, validation, _ = make_data(Config(examples=30))
    at = torch.tensor([0.5, -0.2], dtype=torch.float64, requires_grad=True)
    (gradient,) = torch.autograd.grad(loss(at, train, validation), at)
    for step, g in zip(1e-5 * torch.eye(2, dtype=torch.float64), gradient, strict=True):
        with torch.no_grad():
            up, down = (loss(at + s, train, validation) for s in (step, -step))
        torch.testing.assert_close(g, (up - down) / 2e-5, rtol=1e-5, atol=1e-8)

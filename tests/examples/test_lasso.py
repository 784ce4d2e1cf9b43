"""The elastic net example: its fits, its hypergradient, its claim, a run of a second."""

from __future__ import annotations

import pytest
import torch

from examples.lasso import PRESETS, Config, fit, loss, make_data, run, search

_SMALL = Config(features=8, relevant=3, examples=20, grid=2)


def test_weights_are_those_of_scikit_learn() -> None:
    from sklearn.linear_model import ElasticNet  # here: it takes seconds

    parts = make_data(_SMALL)
    for penalties, w in zip(*search(_SMALL, parts), strict=True):
        sparse, ridge = penalties.exp().tolist()
        peer = ElasticNet(
            alpha=sparse + ridge,
            l1_ratio=sparse / (sparse + ridge),
            fit_intercept=False,
            tol=1e-10,
            max_iter=100000,
        )
        peer.fit(*(t.numpy() for t in parts[0]))
        torch.testing.assert_close(w, torch.from_numpy(peer.coef_), rtol=1e-4, atol=1e-5)


def test_hypergradient_equals_difference_quotients() -> None:
    train, validation, _ = make_data(_SMALL)
    start = torch.zeros(8, dtype=torch.float64)

    def outer(penalties: torch.Tensor) -> torch.Tensor:
        return loss(fit(penalties, train, start), validation)

    at = torch.tensor([0.2, 0.1], dtype=torch.float64).log().requires_grad_()
    assert 0 < int((fit(at, train, start) != 0).sum()) < 8
    (gradient,) = torch.autograd.grad(outer(at), at)
    # Fits are as accurate as their tolerance, 1e-7, which a short step would divide by.
    for step, g in zip(1e-2 * torch.eye(2, dtype=torch.float64), gradient, strict=True):
        with torch.no_grad():
            expected = (outer(at + step) - outer(at - step)) / 2e-2
        torch.testing.assert_close(g, expected, rtol=1e-3, atol=1e-6)


@pytest.mark.slow
def test_twenty_steps_are_as_good_as_a_grid_of_169_points() -> None:
    result = run(PRESETS["default"])
    assert result["hypergradient"][0] < result["best of the grid"][0]

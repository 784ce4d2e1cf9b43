"""The elastic net example: its fits, its claim."""

from __future__ import annotations

import pytest
import torch

from examples.lasso import PRESETS, Config, make_data, run, search

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


@pytest.mark.slow
def test_twenty_steps_are_as_good_as_a_grid_of_169_points() -> None:
    result = run(PRESETS["default"])
    assert result["hypergradient"][0] < result["best of the grid"][0]

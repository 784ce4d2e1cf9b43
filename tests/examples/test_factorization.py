"""The factorization example: its stationary point."""

from __future__ import annotations

import torch

from examples.factorization import Config, fit, make_data

_SMALL = Config(side=2, images=8, observed=0.7)


def test_factors_are_a_stationary_point_of_the_constrained_problem() -> None:
    data, start = make_data(_SMALL)
    sparse, ridge = 0.3, 0.2
    with torch.no_grad():
        factors = fit(torch.tensor([sparse, ridge], dtype=torch.float64).log(), data, start)
    codes, parts = factors["codes"], factors["parts"]
    misfit = data.masks[0] * (codes @ parts - data.x)
    slope = misfit @ parts.mT + sparse
    torch.testing.assert_close(codes, (codes - slope).clamp(min=0), rtol=0, atol=1e-4)
    slope = codes.mT @ misfit + ridge * parts
    torch.testing.assert_close(parts, (parts - slope).clamp(0, 1), rtol=0, atol=1e-4)
    assert (codes == 0).any()
    assert (codes > 0).any()
    assert (parts > 0).any()

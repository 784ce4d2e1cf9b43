"""The factorization example: its masks, its derivative, its claim, a short run."""

from __future__ import annotations

import pytest
import torch

from examples.factorization import PRESETS, Config, error, fit, make_data, run

_SMALL = Config(side=2, images=8, observed=0.7)


def test_masks_share_all_pixels_out() -> None:
    data, _ = make_data(_SMALL)
    assert torch.equal(torch.stack(data.masks).sum(0), torch.ones_like(data.x))
    assert all(mask.any() for mask in data.masks)


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


def test_hypergradient_equals_difference_quotients() -> None:
    data, start = make_data(_SMALL)
    at = torch.tensor([0.3, 0.2], dtype=torch.float64).log().requires_grad_()
    factors = fit(at, data, start, rtol=1e-8)
    (gradient,) = torch.autograd.grad(error(factors, data.x, data.masks[1]), at)
    start = {name: part.detach() for name, part in factors.items()}
    for step, g in zip(1e-3 * torch.eye(2, dtype=torch.float64), gradient, strict=True):
        with torch.no_grad():
            ends = [fit(at + sign * step, data, start, rtol=1e-8) for sign in (1, -1)]
        above, below = (error(end, data.x, data.masks[1]) for end in ends)
        torch.testing.assert_close(g, (above - below) / 2e-3, rtol=1e-2, atol=1e-6)


@pytest.mark.slow
def test_hypergradient_beats_the_grid_and_finds_the_parts() -> None:
    result = run(PRESETS["default"])
    assert result["hypergradient"][0] < result["best of the grid"][0]

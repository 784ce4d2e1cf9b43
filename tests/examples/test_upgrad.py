"""The UPGrad example: weights as another solver has them, its claim."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from examples.upgrad import PRESETS, run, upgrad_weights


@pytest.mark.parametrize(("tasks", "features"), [(1, 3), (5, 9), (12, 7)])
def test_weights_are_those_of_non_negative_least_squares(tasks: int, features: int) -> None:
    from scipy.optimize import nnls  # here: it takes seconds

    generator = torch.Generator().manual_seed(tasks)
    jacobian = torch.randn(tasks, features, generator=generator, dtype=torch.float64)
    expected = torch.zeros(tasks, dtype=torch.float64)
    for i, row in enumerate(jacobian):  # |J'(e_i + u)| is least
        u, _ = nnls(jacobian.mT.numpy(), -row.numpy())
        expected += torch.from_numpy(u)
        expected[i] += 1
    found = upgrad_weights(jacobian @ jacobian.mT)
    direction = found @ jacobian
    torch.testing.assert_close(direction, expected / tasks @ jacobian, rtol=1e-9, atol=1e-9)
    assert (jacobian @ direction).min() > -1e-9


def test_weights_do_not_depend_on_units() -> None:
    jacobian = torch.randn(6, 4, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    one, other = (upgrad_weights(c * jacobian @ jacobian.mT) @ jacobian for c in (1.0, 1e-16))
    torch.testing.assert_close(one, other, rtol=1e-7, atol=1e-9)


@pytest.mark.slow
def test_no_step_of_upgrad_makes_one_of_64_tasks_worse() -> None:
    result = run(replace(PRESETS["default"], steps=25))
    assert result["UPGrad"][0] == 0.0
    assert result["mean"][0] > 0.1
    assert result["UPGrad"][1] < 0.6 * result["mean"][1]

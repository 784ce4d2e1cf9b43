"""The layer of OptNet is a quadratic program, feasible for any parameters, that learns."""

from __future__ import annotations

import pytest
import torch

import torchopt


@pytest.mark.parametrize(("m", "p"), [(3, 2), (0, 1), (4, 0)])
def test_outputs_satisfy_the_conditions_of_the_program_for_any_parameters(m: int, p: int) -> None:
    torch.manual_seed(0)
    layer = torchopt.nn.QuadraticLayer(4, inequalities=m, equalities=p, dtype=torch.float64)
    with torch.no_grad():
        for parameter in layer.parameters():
            parameter.normal_()
    c = torch.randn(2, 5, 4, dtype=torch.float64)
    solution = layer.solve(c)
    Q, _, G, h, A, b = (t.detach() for t in vars(layer.program(c)).values())
    x, stats = solution.params.detach(), solution.stats
    assert solution.converged.shape == (2, 5)
    assert solution.converged.all()
    assert (x @ G.mT <= h + 1e-8).all()
    torch.testing.assert_close(x @ A.mT, b.expand(2, 5, p), rtol=1e-7, atol=1e-7)
    forces = stats.inequality_duals.detach() @ G + stats.equality_duals.detach() @ A
    torch.testing.assert_close(x @ Q + c + forces, torch.zeros_like(c), rtol=0, atol=1e-6)


def test_gradients_of_all_parameters_are_those_of_differences() -> None:
    torch.manual_seed(1)
    layer = torchopt.nn.QuadraticLayer(
        3, inequalities=2, equalities=1, eps=0.1, dtype=torch.float64
    )
    c = torch.randn(2, 3, dtype=torch.float64)
    with torch.no_grad():
        layer.L.normal_()
    parameters = dict(layer.named_parameters())

    def output(*values: torch.Tensor) -> torch.Tensor:
        return torch.func.functional_call(layer, dict(zip(parameters, values, strict=True)), (c,))

    assert torch.autograd.gradcheck(output, tuple(parameters.values()), atol=1e-6)


def test_wrong_sizes_are_refused() -> None:
    with pytest.raises(ValueError, match="leaves no choice"):
        torchopt.nn.QuadraticLayer(3, equalities=3)
    with pytest.raises(ValueError, match="`eps`"):
        torchopt.nn.QuadraticLayer(3, eps=0)

"""The loss of `docs/force_matching.md`, compiled, has the gradient that autograd takes twice."""

from __future__ import annotations

import pytest
import torch

import torchopt
from test_docs import run


@pytest.mark.slow
@pytest.mark.compiled
def test_a_compiled_loss_with_forces_has_the_gradient_of_autograd(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    page = run("docs/force_matching.md", monkeypatch)
    x, forces = page.x[:4].double(), page.forces[:4].double()
    params = {name: p.double() for name, p in page.params.items()}
    grads, value = torchopt.meta_grad_and_value(page.loss, compile=True)(params, x, forces)

    leaves = [p.clone().requires_grad_() for p in params.values()]
    named, x = dict(zip(params, leaves, strict=True)), x.requires_grad_()
    energy = torch.stack([page.energy(named, atoms) for atoms in x]).sum()
    (slope,) = torch.autograd.grad(energy, x, create_graph=True)
    expected = (slope + forces).square().mean()
    *known, _ = torch.autograd.grad(expected, leaves, allow_unused=True)  # not the last bias
    torch.testing.assert_close(value, expected.detach(), rtol=1e-12, atol=0)
    for grad, truth in zip(grads.values(), known, strict=False):
        torch.testing.assert_close(grad, truth, rtol=1e-12, atol=1e-12)

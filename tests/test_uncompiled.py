"""What is left alone by torch.compile costs nothing to those who do not compile."""

from __future__ import annotations

import subprocess
import sys

import torch

import torchopt


def test_the_package_does_not_import_the_compiler() -> None:
    code = "import sys, torchopt; sys.exit('torch._dynamo' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_an_implicit_problem_in_compiled_code_has_its_gradient() -> None:
    def outer(w: torch.Tensor) -> torch.Tensor:
        solution = torchopt.minimize(
            lambda x: ((x - w.exp()) ** 2).sum(),
            torch.zeros(3, dtype=torch.float64),
            solver=torchopt.sgd(0.4),
            steps=50,
            diff=torchopt.diff.Implicit(),
        )
        return (solution.params**2).sum()

    w = torch.linspace(-1, 1, 3, dtype=torch.float64, requires_grad=True)
    (found,) = torch.autograd.grad(torch.compile(outer, backend="eager")(w), w)
    torch.testing.assert_close(found, 2 * (2 * w).exp().detach())

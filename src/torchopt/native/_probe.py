"""The formula of ``csrc/probe.h``, correctly rounded: every library of kernels must agree with it."""

from __future__ import annotations

import math

import torch


def probe_difference(kernel: int) -> str | None:
    """Run the probe on a few awkward numbers, in both dtypes.

    Args:
        kernel: The address of the kernel ``probe`` of the library that is to be trusted.

    Returns:
        None if outputs are correctly rounded, and sums right to rounding; else what differs.
    """
    for dtype in (torch.float32, torch.float64):
        tensors = _inputs(dtype)
        scalars = [0.3, 0.7]
        results = torch.ops.torchopt.fused(tensors, kernel, 1, [1] * 5, scalars)
        references = _reference(tensors, scalars)
        for index, (result, expected) in enumerate(zip(results, references, strict=True)):
            tolerance = 0.0 if index < 2 else 1e-5
            if not torch.allclose(result, expected, rtol=tolerance, atol=0.0, equal_nan=True):
                return f"output {index} of the probe in {dtype} is {result}, not {expected}"
    return None


def _inputs(dtype: torch.dtype) -> list[torch.Tensor]:
    special = [0.0, -0.0, 1.0, -1.0, 1e-40, 3e30, float("inf"), -2.5]
    x = torch.tensor(special * 5 + [0.1, -0.2, 0.3], dtype=dtype, device="cpu")
    y = torch.linspace(-2.0, 3.0, x.numel(), dtype=dtype, device="cpu")
    finite = torch.where(x.isinf(), torch.ones_like(x), x)
    return [finite, y, x.roll(3)]


def _reference(tensors: list[torch.Tensor], scalars: list[float]) -> list[torch.Tensor]:
    x, y, z = tensors
    u = torch.tensor([scalars[0], math.sqrt(scalars[1])], dtype=torch.float64, device="cpu")
    u = u.to(x.dtype)
    # On some processors torch.sqrt is an ulp off. A root in float64 rounds correctly to float32.
    roots = [math.sqrt(value) for value in x.abs().tolist()]
    root = torch.tensor(roots, dtype=torch.float64, device="cpu").to(x.dtype) + u[1]
    side = torch.where(x >= y, z, -z) * y.sign()
    tiny = torch.finfo(x.dtype).tiny
    return [
        u[0] * side / root,
        torch.where(z > tiny, z, torch.where(z == 0, u[0], y)),
        (x.double() * y.double()).sum().reshape(1),
    ]

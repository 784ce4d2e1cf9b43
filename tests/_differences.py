"""Derivatives by autograd against central differences, of which all points are evaluated at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch


def assert_derivatives_are_differences(
    function: Callable[..., torch.Tensor],
    inputs: Sequence[torch.Tensor],
    *,
    second: bool = True,
    fwd_over_rev: bool = False,
    step: float = 1e-6,
    rtol: float = 1e-3,
    atol: float = 1e-5,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Compare all first derivatives, in both modes, and all second ones of a mix of the outputs.

    Returns the Jacobians by reverse and by forward mode, which may be compared more exactly.
    Autograd differentiates at one point, ``torch.func.vmap`` evaluates the points of the differences.
    The tolerances are those of ``gradcheck``.
    """
    shapes = [x.shape for x in inputs]
    start = torch.cat([x.detach().reshape(-1) for x in inputs])

    def flat(x: torch.Tensor) -> torch.Tensor:
        parts = x.split([shape.numel() for shape in shapes])
        return function(*map(torch.reshape, parts, shapes)).reshape(-1)

    def differences(f: Callable[[torch.Tensor], torch.Tensor]) -> torch.Tensor:
        steps = step * torch.eye(len(start), dtype=start.dtype)
        ahead, behind = torch.func.vmap(f)(start + torch.cat([steps, -steps])).chunk(2)
        return (ahead - behind).detach().mT / (2 * step)

    def rows_of(y: torch.Tensor) -> torch.Tensor:
        if not y.requires_grad:
            return torch.zeros(len(y), len(x), dtype=x.dtype)
        return torch.stack([torch.autograd.grad(e, x, retain_graph=True)[0] for e in y])

    x = start.clone().requires_grad_()
    y = flat(x)
    expected = differences(flat)
    reverse, forward = rows_of(y), torch.func.jacfwd(flat)(start).detach()
    for found in (reverse, forward):
        torch.testing.assert_close(found, expected, rtol=rtol, atol=atol)
    if second:
        weights = torch.arange(1, len(y) + 1, dtype=y.dtype).cos()
        slope = torch.func.grad(lambda x: weights @ flat(x))
        expected = differences(slope)
        found = rows_of(torch.autograd.grad(weights @ y, x, create_graph=True)[0])
        torch.testing.assert_close(found, expected, rtol=rtol, atol=atol)
        if fwd_over_rev:
            found = torch.func.jacfwd(slope)(start)
            torch.testing.assert_close(found, expected, rtol=rtol, atol=atol)
    return reverse, forward

r"""Forward-mode derivatives through steps: for few variables, without checkpoints.

.. math::
    \frac{d\theta_{k+1}}{d\varphi} = \frac{\partial \Phi_k}{\partial \theta} \frac{d\theta_k}{d\varphi}
        + \frac{\partial \Phi_k}{\partial \varphi}

is a forward derivative of the steps for each entry of :math:`\varphi`.

References:
    Franceschi et al., *Forward and Reverse Gradient-Based Hyperparameter Optimization*, 2017, section
    3.2.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch.autograd import forward_ad

from torchopt.autodiff.graph import Cotangents, Tensors
from torchopt.autodiff.shards import IN_FORWARD_MODE, refuse_sharded
from torchopt.autodiff.tracking import dual_numbers, make_dual, untracked
from torchopt.diff._steps import CheckpointedUnroll, Inputs, tensors_in


def push(
    steps: CheckpointedUnroll, needed: Sequence[bool], tensors: Tensors, cotangents: Cotangents
) -> tuple[torch.Tensor, ...]:
    """Return the cotangents of the wanted inputs, by a run of all steps for each entry of them.

    Args:
        steps: The steps.
        needed: Whether the cotangent of each input is wanted.
        tensors: The inputs.
        cotangents: Those of the tensors in the result; None counts as zero.
    """
    pulled = []
    for place, t in enumerate(tensors):
        if needed[place]:
            entries = [_slope(steps, tensors, place, n, cotangents) for n in range(t.numel())]
            slopes = torch.stack(entries).to(t) if entries else torch.zeros_like(t)
            pulled.append(slopes.view(t.shape))
    steps.check.settle()
    steps.check.replay.forget()  # operations on dual numbers may be made of others
    return tuple(pulled)


def _slope(
    steps: CheckpointedUnroll, tensors: Tensors, place: int, entry: int, cotangents: Cotangents
) -> torch.Tensor:
    """Return the product of cotangents with the derivative of the result by one entry of a tensor."""
    at = [t.detach() for t in tensors]
    unit = torch.zeros_like(at[place], memory_format=torch.contiguous_format)
    unit.view(-1)[entry] = 1
    steps.environment.rewind(steps.start)
    with untracked(), dual_numbers(), steps.captured.reading_again():
        at[place] = make_dual(at[place], unit)
        inputs = steps.inputs(at)
        for index in steps.unroll.indices:
            # An auxiliary output has a tangent only where it is tracked.
            with torch.set_grad_enabled(index == steps.unroll.indices.stop - 1):
                out = steps.evaluate(index, inputs, replace=True)
            steps.compare(index, out)
            inputs = Inputs(steps.carried(index + 1, out), inputs.others)
        tangents = [forward_ad.unpack_dual(x).tangent for x in tensors_in(out)]
    pairs = zip(tangents, cotangents, strict=True)
    products = [(v * c).sum() for v, c in pairs if v is not None and c is not None]
    return torch.stack(products).sum() if products else unit.new_zeros(())


def check_variables(variables: Tensors) -> None:
    """Raise for a variable that is no real number, and for DTensors."""
    refuse_sharded(variables, 'memory="forward"', IN_FORWARD_MODE, 'memory="tree"')
    for t in variables:
        if t.requires_grad and t.is_complex():
            raise ValueError(
                f'memory="forward" is for real variables, but one of shape {tuple(t.shape)} is '
                f'complex: use memory="tree".'
            )

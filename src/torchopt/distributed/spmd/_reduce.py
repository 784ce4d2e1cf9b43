"""The reduction over ranks of gradients in ``.grad``."""

from __future__ import annotations

from collections.abc import Iterable

import torch
from torch import nn

from torchopt.collectives.group import Group, ranks_of
from torchopt.collectives.typed import psum


def all_reduce_grads(
    params: nn.Module | Iterable[torch.Tensor],
    *,
    group: Group = None,
    weight: float | None = None,
) -> None:
    r"""Replace the gradients in parameters by their mean over the ranks.

    .. math:: g \leftarrow \sum_r w_r g_r \Big/ \sum_r w_r

    For loops that call ``backward()`` on each rank with its own data, any number of times, and then
    ``optimizer.step()``: the one exchange of a step, as one message for each dtype. Where a parameter
    has a gradient on some ranks only, the others count as zero; one that has none anywhere keeps None.

    Args:
        params: A module or parameters, the same on each rank.
        group: As for :func:`psum`.
        weight: The number of the rank's samples, where they are not equal; by default 1 each. The
            total number of samples is also what to divide by where losses are sums. Not for modules
            of :func:`sync_batch_norm`, where losses have to be weighted before ``backward()``.

    Raises:
        TypeError: If a gradient is a DTensor, which reduces itself, or sparse.
        ValueError: If a gradient has a graph: this is no part of it.

    Example:
        >>> import torch
        >>> net = torch.nn.Linear(1, 1, bias=False)
        >>> net(torch.ones(1, 1)).sum().backward()
        >>> all_reduce_grads(net)
        >>> net.weight.grad
        tensor([[1.]])
    """
    ranks = ranks_of(group)
    tensors = list(params.parameters() if isinstance(params, nn.Module) else params)
    for index, p in enumerate(tensors):
        _check_gradient(index, p.grad)
    if not tensors:
        return
    mass = torch.tensor(1.0 if weight is None else float(weight), dtype=torch.float64, device="cpu")
    present = torch.tensor([p.grad is not None for p in tensors], dtype=torch.int32, device="cpu")
    with torch.no_grad():
        counts, total = psum(
            (present.to(tensors[0].device), mass.to(tensors[0].device)), group=group
        )
        kept = [p for p, n in zip(tensors, counts.tolist(), strict=True) if n]
        if ranks.size == 1 or not kept:
            return
        share = float(mass / total.cpu())
        scaled = [
            torch.zeros_like(p) if p.grad is None else (p.grad * share).contiguous() for p in kept
        ]
        for p, gradient in zip(kept, psum(scaled, group=group), strict=True):
            if p.grad is None:
                p.grad = gradient
            else:
                p.grad.copy_(gradient)


def _check_gradient(index: int, gradient: torch.Tensor | None) -> None:
    if gradient is None:
        return
    if gradient.requires_grad:
        raise ValueError(
            f"the gradient of parameter {index} has a graph (`create_graph=True`), which this would "
            f"leave out: use `pvary` on the parameters and `psum` on the loss, and differentiate that."
        )
    if hasattr(gradient, "full_tensor"):
        raise TypeError(
            f"the gradient of parameter {index} is a DTensor: it is reduced already, by its placements."
        )
    if gradient.layout is not torch.strided:
        raise TypeError(f"the gradient of parameter {index} is sparse: make it dense.")

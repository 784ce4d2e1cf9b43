"""Clip the gradient of each example, and add them: the sums of private learning."""

from __future__ import annotations

import math
from typing import Any

import torch

from torchopt import checks
from torchopt.autodiff.half import narrow, wide
from torchopt.prox.vectors import length
from torchopt.pytree import flattening as pytree
from torchopt.pytree.typing import Numeric, TensorTree
from torchopt.transform import hyperparameters


def per_example_global_norm_clip(
    grads: TensorTree, l2_norm_clip: Numeric
) -> tuple[TensorTree, torch.Tensor]:
    r"""Clip the gradient of each example to a norm over all leaves, and add them.

    .. math::
        \bar g = \sum_{i=1}^{B} g_i \cdot \min\left(1, \frac{C}{\lVert g_i \rVert_2}\right)

    Args:
        grads: A tree of tensors of shape ``(B, ...)``, or None: one gradient for each example, as
            ``torch.func.vmap`` of a gradient returns them.
        l2_norm_clip: The bound :math:`C`, not negative: a number or a tensor, which may require grad.

    Returns:
        The sums, each without the first dimension; and the number of examples that were clipped, an
        integer tensor.

    Raises:
        ValueError: If a leaf has no first dimension, or its size is not that of the others.

    Example:
        >>> import torch
        >>> g = torch.tensor([[0.0, 0.0], [3.0, 4.0], [0.6, 0.8]])
        >>> per_example_global_norm_clip({"w": g}, 1.0)
        ({'w': tensor([1.2000, 1.6000])}, tensor(1))

    References:
        Abadi et al., *Deep Learning with Differential Privacy*, 2016, algorithm 1.
    """
    leaves, spec = pytree.flatten(grads)
    check_examples(leaves, spec)
    rows = [g for g in leaves if g is not None]
    if not rows:
        return grads, torch.zeros((), dtype=torch.int64, device="cpu")
    factors, clipped = _factors(rows, l2_norm_clip)
    sums = [None if g is None else _weighted_sum(factors, g) for g in leaves]
    return pytree.unflatten(spec, sums), clipped.sum()


def per_example_layer_norm_clip(
    grads: TensorTree, global_l2_norm_clip: Numeric, uniform: bool = True
) -> tuple[TensorTree, TensorTree]:
    r"""Clip the gradient of each example to a norm of each leaf, and add them.

    Leaf :math:`l` of :math:`L` is clipped to :math:`C / \sqrt L`, or to :math:`C \sqrt{d_l / d}` with
    its number of parameters :math:`d_l` and that of all, :math:`d`: the norm over all leaves is then
    :math:`C` at most.

    Args:
        grads: A tree of tensors of shape ``(B, ...)``, or None.
        global_l2_norm_clip: The bound :math:`C`, not negative: a number or a tensor.
        uniform: Whether all leaves have the same bound.

    Returns:
        The sums, each without the first dimension; and for each leaf the number of examples that were
        clipped, an integer tensor.

    Raises:
        ValueError: If a leaf has no first dimension, or its size is not that of the others.

    Example:
        >>> import torch
        >>> g = {"b": torch.tensor([3.0, 0.5]), "w": torch.tensor([[0.0, 4.0], [0.1, 0.0]])}
        >>> per_example_layer_norm_clip(g, 2.0 ** 0.5)
        ({'b': tensor(1.5000), 'w': tensor([0.1000, 1.0000])}, {'b': tensor(1), 'w': tensor(1)})

    References:
        McMahan et al., *Learning Differentially Private Recurrent Language Models*, 2018.
    """
    leaves, spec = pytree.flatten(grads)
    check_examples(leaves, spec)
    sizes = [0 if g is None else math.prod(g.shape[1:]) for g in leaves]
    number, total = sum(g is not None for g in leaves), sum(sizes)
    sums: list[Any] = []
    counts: list[Any] = []
    for g, size in zip(leaves, sizes, strict=True):
        if g is None:
            sums.append(None)
            counts.append(None)
            continue
        share = 1 / number if uniform else size / total
        factors, clipped = _factors([g], global_l2_norm_clip * math.sqrt(share))
        sums.append(_weighted_sum(factors, g))
        counts.append(clipped.sum())
    return pytree.unflatten(spec, sums), pytree.unflatten(spec, counts)


def check_examples(leaves: list[Any], spec: Any) -> int:
    """Raise unless all leaves have one row for each example; return the number of examples."""
    checks.check_floating(leaves, spec, "updates")
    size = None
    for index, g in enumerate(leaves):
        if g is None:
            continue
        if size is None and g.dim() > 0:
            size = g.shape[0]
        if g.dim() == 0 or g.shape[0] != size:
            raise ValueError(
                f"`{checks.leaf_path(spec, index, 'updates')}` has shape {tuple(g.shape)}, but one "
                f"gradient for each example is needed, with all examples in the first dimension: "
                f"pass what `torch.func.vmap` of a gradient returns."
            )
    return size or 0


def _factors(rows: list[torch.Tensor], bound: Any) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the factor of each example, and whether it was clipped."""
    device = rows[0].device
    lengths = [length(wide(g).reshape(g.shape[0], -1)).to(device) for g in rows]
    # Reciprocals of its square, in derivatives, are numbers in float64.
    norm = hyperparameters.as_float(length(torch.cat(lengths, -1)).squeeze(-1))
    clipped = norm.detach() > bound
    factors = bound / torch.where(clipped, norm, 1.0)
    return torch.where(clipped, factors, 1.0), clipped


def _weighted_sum(factors: torch.Tensor, g: torch.Tensor) -> torch.Tensor:
    rows = wide(g)
    return narrow(torch.tensordot(factors.to(rows), rows, dims=1), g.dtype)

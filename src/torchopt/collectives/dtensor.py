"""Parameters that are DTensors, gathered inside of the graph.

``DTensor.full_tensor`` is right to the second derivative, and wrong from the third on (PyTorch 2.13).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from torchopt import checks
from torchopt.autodiff.shards import is_sharded, local
from torchopt.collectives.typed import Varying, all_gather, pvary
from torchopt.pytree import flattening as pytree
from torchopt.pytree.typing import TensorTree

if TYPE_CHECKING:
    from torch.distributed.tensor import DTensor


def unshard(tree: TensorTree, *, varying: bool = True) -> Varying:
    """Gather DTensors as plain tensors, differentiably to any order.

    A parameter is stored as its shards, and is whole only in the computation that reads it: what
    ``fully_shard`` does, as a part of the graph. The gradient with respect to the DTensor is a DTensor
    of the same placements; each rank has its shard, summed over the ranks. With activation
    checkpointing around a layer's ``unshard`` and its call, no more than a layer is whole at a time.

    Args:
        tree: DTensors, sharded or replicated over their mesh, in any containers. Other leaves stay.
        varying: Whether each rank uses the result with its own data, so that a cotangent is a part of
            the gradient (a transpose of :func:`reduce_scatter`); otherwise all ranks of the mesh
            compute the same with it (a transpose of :func:`shard`, which costs nothing).

    Returns:
        The tree, with whole tensors.

    Raises:
        ValueError: If a placement is neither ``Shard`` nor ``Replicate``.

    Example:
        >>> import torch
        >>> unshard({"weight": torch.ones(2)})  # no DTensor: it stays
        {'weight': tensor([1., 1.])}

    References:
        Zhao et al., PyTorch FSDP, 2023, section 3 (what is gathered when).
    """
    leaves, spec = pytree.flatten(tree)
    wholes = []
    for index, leaf in enumerate(leaves):
        whole = leaf
        if is_sharded(leaf):
            whole = _whole(leaf, checks.leaf_path(spec, index, "tree"), varying=varying)
        wholes.append(whole)
    return pytree.unflatten(spec, wholes)


def _whole(tensor: DTensor, path: str, *, varying: bool) -> torch.Tensor:
    # Where there is a DTensor, this is imported; it takes a second.
    from torch.distributed.tensor import Replicate, Shard

    mesh, shape = tensor.device_mesh, list(tensor.shape)
    place = mesh.get_coordinate()
    assert place is not None, "a DTensor is only used by the ranks of its mesh"
    steps: list[tuple[int, tuple[int, ...]]] = []
    for axis, placement in enumerate(tensor.placements):
        sizes: tuple[int, ...] = ()
        if type(placement) is Shard:
            sizes = _chunks(shape[placement.dim], mesh.size(axis))
            shape[placement.dim] = sizes[place[axis]]
        elif not isinstance(placement, Replicate):
            raise ValueError(
                f"`{path}` is placed as {placement}: parameters must be `Shard` or `Replicate`; call "
                f"`.redistribute()` first."
            )
        steps.append((axis, sizes))
    x = local(tensor)
    for axis, sizes in reversed(steps):  # what was divided last is joined first
        group = mesh.get_group(axis)
        if sizes:
            placement = tensor.placements[axis]
            assert isinstance(placement, Shard)
            x = all_gather(x, placement.dim, group=group, sizes=sizes, varying=varying)
        elif varying:
            x = pvary(x, group=group)
    return x


def _chunks(length: int, parts: int) -> tuple[int, ...]:
    """Return the lengths that DTensor gives to shards, as ``torch.chunk`` does."""
    longest = -(-length // parts)
    return tuple(min(longest, max(0, length - k * longest)) for k in range(parts))

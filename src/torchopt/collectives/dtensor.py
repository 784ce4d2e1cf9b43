"""Parameters that are DTensors, gathered inside of the graph.

``DTensor.full_tensor`` is right to the second derivative, and wrong from the third on (PyTorch 2.13).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from torchopt import checks
from torchopt.autodiff.shards import is_sharded, local
from torchopt.collectives.typed import Varying, gather_together, pvary
from torchopt.pytree import flattening as pytree
from torchopt.pytree.typing import TensorTree

if TYPE_CHECKING:
    from torch.distributed.tensor import DTensor


def unshard(tree: TensorTree, *, varying: bool = True) -> Varying:
    """Gather DTensors as plain tensors, differentiably to any order.

    A parameter is stored as its shards, and is whole only in the computation that reads it: what
    ``fully_shard`` does, as a part of the graph. The gradient with respect to the DTensor is a DTensor
    of the same placements; each rank has its shard, summed over the ranks. All leaves of a mesh and a
    dtype travel as one message, and so do their gradients. With activation checkpointing around a
    layer's ``unshard`` and its call, no more than a layer is whole at a time.

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
    alike: dict[Any, dict[int, Any]] = {}
    for k, x in enumerate(leaves):
        if is_sharded(x):
            row = _lengths(x, checks.leaf_path(spec, k, "tree"))
            alike.setdefault((id(x.device_mesh), x.dtype, x.requires_grad), {})[k] = x, row
    for rows in alike.values():
        wholes = {k: local(x) for k, (x, _) in rows.items()}
        mesh = next(iter(rows.values()))[0].device_mesh
        for axis in reversed(range(mesh.ndim)):  # what was divided last is joined first
            group = mesh.get_group(axis)
            cut = {k: lengths[axis] for k, (_, lengths) in rows.items() if lengths[axis]}
            dims = [leaves[k].placements[axis].dim for k in cut]
            parts, sizes = [wholes[k] for k in cut], [*cut.values()]
            every = gather_together(parts, dims, sizes, group=group, varying=varying)
            if varying:
                wholes |= {k: pvary(x, group=group) for k, x in wholes.items() if k not in cut}
            wholes.update(zip(cut, every, strict=True))
        for k, whole in wholes.items():
            leaves[k] = whole
    return pytree.unflatten(spec, leaves)


def _lengths(tensor: DTensor, path: str) -> list[tuple[int, ...]]:
    """Return, for each axis of the mesh, the lengths of the shards; none where it is replicated."""
    # Where there is a DTensor, this is imported; it takes a second.
    from torch.distributed.tensor import Replicate, Shard

    mesh, shape = tensor.device_mesh, list(tensor.shape)
    place = mesh.get_coordinate()
    assert place is not None, "a DTensor is only used by the ranks of its mesh"
    lengths: list[tuple[int, ...]] = []
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
        lengths.append(sizes)
    return lengths


def _chunks(length: int, parts: int) -> tuple[int, ...]:
    """Return the lengths that DTensor gives to shards, as ``torch.chunk`` does."""
    longest = -(-length // parts)
    return tuple(min(longest, max(0, length - k * longest)) for k in range(parts))

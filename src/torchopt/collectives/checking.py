"""A mode in which every collective verifies that all ranks make the same call, with equal values."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

import torch

from torchopt import checks
from torchopt.collectives.group import Group, Ranks, ranks_of
from torchopt.pytree import flattening as pytree
from torchopt.pytree.typing import TensorTree

__all__ = ["check_replicated", "checked", "verify"]

_switched = False  # for all threads: backward passes on a device have one of their own


@contextlib.contextmanager
def checked() -> Iterator[None]:
    """Verify the order of collectives and what they are given, at the price of an exchange for each.

    Inside, also in backward passes, a collective raises the same error on all ranks where

    - ranks make different collectives, or the same with tensors of different shapes or dtypes
      (without the check: a time-out, a crash, or a wrong number);
    - an argument or a cotangent that must be replicated differs between ranks, in any bit (without the
      check: a wrong gradient), as where a loss is used on one rank only.

    It sees collectives, not what is missing: a gradient of parameters that did not go through
    :func:`pvary` is that of one rank's data, and so is one of a loss that was not summed. Let
    :func:`check_replicated` see the gradients.

    Example:
        >>> import torch
        >>> from torchopt.distributed.spmd import psum, pvary
        >>> with checked():
        ...     psum(pvary(torch.ones(2)))
        tensor([1., 1.])
    """
    global _switched
    before, _switched = _switched, True
    try:
        yield
    finally:
        _switched = before


def check_replicated(tree: TensorTree, *, group: Group = None, name: str = "tree") -> None:
    """Raise unless each rank holds the same values, bit for bit.

    A check of a gradient, of parameters after some steps, of a restored state; costs one exchange of a
    few bytes for each leaf. Every rank must call it.

    Args:
        tree: Tensors, in any containers.
        group: Among which ranks.
        name: What the tree is called in the error.

    Raises:
        ValueError: On all ranks, with the path of the first leaf that differs.

    Example:
        >>> import torch
        >>> check_replicated({"w": torch.ones(3)})
    """
    ranks = ranks_of(group)
    leaves, spec = pytree.flatten(tree)
    mine = [_signature(leaf) for leaf in leaves]
    for rank, theirs in enumerate(ranks.objects(mine)):
        for index, (a, b) in enumerate(zip(mine, theirs, strict=False)):
            if a != b:
                raise ValueError(
                    f"`{checks.leaf_path(spec, index, name)}` is not replicated: rank {rank} of the "
                    f"group has another value than rank {ranks.rank}; was a gradient summed over all "
                    f"ranks, and were all ranks given the same seed?"
                )
        if len(theirs) != len(mine):
            raise ValueError(f"`{name}` has {len(mine)} leaves here, {len(theirs)} on rank {rank}.")


def verify(ranks: Ranks, call: str, tensors: Sequence[torch.Tensor], *, replicated: bool) -> None:
    """Raise if ranks disagree about a collective; does nothing outside of :func:`checked`."""
    if not _switched or ranks.size == 1:
        return
    shapes = [(tuple(t.shape), str(t.dtype)) for t in tensors]
    digests = [digest_of(t) for t in tensors] if replicated else None
    everyone = ranks.objects((call, shapes, digests, _caller()))
    for rank, (name, theirs, _, where) in enumerate(everyone):
        first = everyone[0]
        if (name, theirs) != first[:2]:
            raise RuntimeError(
                f"ranks do not make the same collective: rank 0 of the group {first[0]} of "
                f"{_text(first[1])} at {first[3]}, rank {rank} {name} of {_text(theirs)} at {where}."
            )
    for rank, (_, _, theirs, where) in enumerate(everyone):
        if theirs != everyone[0][2]:
            raise RuntimeError(
                f"what {call} takes at {where} must be replicated, but rank {rank} of the group has "
                f"other values than rank 0: is a `pvary` missing where replicated parameters meet this "
                f"rank's data, or is a loss used on some ranks only?"
            )


def _text(shapes: Sequence[tuple[tuple[int, ...], str]]) -> str:
    return ", ".join(f"{dtype} {shape}" for shape, dtype in shapes)


def _signature(leaf: Any) -> Any:
    if not isinstance(leaf, torch.Tensor):
        return repr(leaf)
    return tuple(leaf.shape), str(leaf.dtype), digest_of(leaf)


def digest_of(tensor: torch.Tensor) -> int:
    if tensor.layout is not torch.strided:
        return hash(
            tuple(map(digest_of, _pieces(tensor.detach())))
        )  # of numbers: the same everywhere
    data = tensor.detach().resolve_conj().resolve_neg().contiguous().reshape(-1)
    octets = data.view(torch.uint8).to(torch.int64)
    places = torch.arange(1, len(octets) + 1, device=octets.device)
    # Wraps around; odd multipliers, so that no single change of a byte is lost.
    return int((octets * (places * 0x1E3779B97F4A7C15 * 2 + 1)).sum())


def _pieces(tensor: torch.Tensor) -> Sequence[torch.Tensor]:
    """Return the dense tensors of a sparse tensor."""
    if tensor.layout is torch.sparse_coo:
        tensor = tensor.coalesce()
        return [tensor.indices(), tensor.values()]
    if tensor.layout in (torch.sparse_csr, torch.sparse_bsr):
        return [tensor.crow_indices(), tensor.col_indices(), tensor.values()]
    if tensor.layout in (torch.sparse_csc, torch.sparse_bsc):
        return [tensor.ccol_indices(), tensor.row_indices(), tensor.values()]
    return [tensor.to_dense()]


def _caller() -> str:
    frame = checks.users_frame()
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"

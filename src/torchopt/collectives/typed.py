r"""Collectives that are right under differentiation, because they are typed.

A tensor of a program that several ranks run is *replicated* (one value, which each rank holds) or
*varying* (each rank has its own). The two have different cotangents: that of a replicated value is
replicated, and is one derivative, not a part of it for each rank. Each collective is a linear map
between such spaces, and its transpose is another of them:

=================  ======================  ==========================
collective         argument → result       transpose
=================  ======================  ==========================
``psum``           varying → replicated    ``pvary``
``pvary``          replicated → varying    ``psum``
``all_gather``     varying → replicated    ``shard``
``shard``          replicated → varying    ``all_gather``
``reduce_scatter``  varying → varying      ``all_gather(varying=True)``
``broadcast``      varying → replicated    the cotangent at the source
``ppermute``       varying → varying       ``ppermute``, inverted
=================  ======================  ==========================
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeAlias

import torch

from torchopt import checks
from torchopt.autodiff import transforms
from torchopt.autodiff.function_mode import unseen
from torchopt.autodiff.tracking import is_differentiable
from torchopt.collectives.checking import verify
from torchopt.collectives.group import Group, Ranks, ranks_of
from torchopt.pytree import flattening as pytree
from torchopt.pytree.typing import Numeric

Replicated: TypeAlias = Any
"""A tree of tensors that is the same on each rank, and so is its cotangent."""

Varying: TypeAlias = Any
"""A tree of tensors of which each rank has its own."""


def psum(tree: Varying, *, group: Group = None) -> Replicated:
    r"""Sum over the ranks.

    .. math:: y = \sum_r x_r

    Varying → replicated; its transpose is :func:`pvary`, so a backward pass through it costs nothing.
    All leaves of a dtype travel as one message. Only what varies is summed: a replicated value would be
    counted once for each rank.

    Args:
        tree: Tensors of the same shapes on each rank, in any containers.
        group: Among which ranks: a process group, one dimension of a ``DeviceMesh``, or None for all.

    Returns:
        The sums, with the same bits on each rank.

    Raises:
        TypeError: If a leaf is not a tensor.
        WorkerLostError: If a rank was lost; names it.

    Example:
        >>> import torch  # one process: the sum of one value
        >>> psum({"loss": torch.tensor(2.0)})
        {'loss': tensor(2.)}

    References:
        Shoeybi et al., Megatron-LM, 2019, section 3 (the operators f and g). Bradbury et al., JAX,
        ``shard_map`` (the types).
    """
    return _together(_Map("psum", ranks_of(group)), tree)


def pvary(tree: Replicated, *, group: Group = None) -> Varying:
    r"""Use a replicated value with what varies: with the data of a rank.

    .. math:: y_r = x

    Replicated → varying; its transpose is :func:`psum`. Nothing is sent until the backward pass,
    which sums the cotangents of the ranks: the gradient is that of all data. Every rank must take part
    in that sum, so what it computes must depend on ``y``, also where it has no data: :func:`task_map`
    sees to it.

    Args:
        tree: What is differentiated: parameters, hyperparameters.
        group: As for :func:`psum`.

    Returns:
        The same values.

    Raises:
        TypeError: If a leaf is not a tensor.

    Example:
        >>> import torch
        >>> theta, data = torch.tensor(3.0), torch.tensor([1.0, 2.0])
        >>> torch.func.grad(lambda t: psum((pvary(t) * data).sum()))(theta)
        tensor(3.)
    """
    return _together(_Map("pvary", ranks_of(group)), tree)


def pmean(tree: Varying, *, group: Group = None, weight: Numeric | None = None) -> Replicated:
    r"""Average over the ranks.

    .. math:: y = \sum_r w_r x_r \Big/ \sum_r w_r

    Varying → replicated; its transpose is :func:`pvary` with the weights. With the size of a rank's
    batch as its weight, means over unequal batches give the mean over all samples. The mean of whole
    numbers is one of PyTorch's default dtype.

    Args:
        tree: As for :func:`psum`.
        group: As for :func:`psum`.
        weight: The rank's weight, a number or a tensor of one element; by default 1 each.

    Returns:
        The averages.

    Raises:
        TypeError: If a leaf is not a tensor.

    Example:
        >>> import torch
        >>> pmean(torch.tensor([1.0, 5.0]), weight=32)
        tensor([1., 5.])
    """
    leaves, spec = pytree.flatten(tree)
    _check_tensors(leaves, spec)
    tree = pytree.map_leaves(
        lambda x: x if is_differentiable(x) else x.to(torch.get_default_dtype()), tree
    )
    if weight is None:
        size = ranks_of(group).size
        return pytree.map_leaves(lambda x: x / size, psum(tree, group=group))
    if not isinstance(weight, torch.Tensor):
        device = next((x.device for x in leaves if x is not None), None)
        weight = torch.tensor(float(weight), dtype=torch.float64, device=device)

    def weigh(x: torch.Tensor) -> torch.Tensor:
        return x * weight.to(x)  # a mean over no samples is NaN, and has no weight

    total, mass = psum((pytree.map_leaves(weigh, tree), weight), group=group)
    return pytree.map_leaves(lambda x: x / mass.to(x), total)


def all_gather(
    tree: Varying,
    dim: int = 0,
    *,
    group: Group = None,
    sizes: Sequence[int] | None = None,
    varying: bool = False,
) -> Replicated | Varying:
    """Concatenate what the ranks have.

    Varying → replicated; its transpose is :func:`shard`, and costs nothing. With ``varying``, the
    result is used with each rank's own data: varying → varying, and the transpose is
    :func:`reduce_scatter`, as for sharded parameters (``all_gather(x, varying=True)`` is
    ``pvary(all_gather(x))``, at half the bytes).

    Args:
        tree: Tensors that may differ in length along ``dim``, not otherwise.
        dim: Along which dimension.
        group: As for :func:`psum`.
        sizes: The length along ``dim`` on each rank, where it is known; else it is asked for, which
            costs an exchange.
        varying: Whether the result is used as a varying one.

    Returns:
        The whole.

    Raises:
        TypeError: If a leaf is not a tensor.
        ValueError: If a tensor lacks the dimension or has not the length given for this rank.

    Example:
        >>> import torch
        >>> all_gather(torch.tensor([[1.0, 2.0]]), dim=1)
        tensor([[1., 2.]])
    """
    ranks = ranks_of(group)
    name = _VARYING if varying else "all_gather"

    def gather(x: torch.Tensor, path: str) -> torch.Tensor:
        at = _from_end(x, dim, path)
        lengths = (
            _lengths(ranks, x.shape[at], x.device) if sizes is None else _check_sizes(ranks, sizes)
        )
        if x.shape[at] != lengths[ranks.rank]:
            raise ValueError(
                f"`{path}` has length {x.shape[at]} along dimension {dim} on rank {ranks.rank}, but "
                f"`sizes` says {lengths[ranks.rank]}."
            )
        return _apply(_Map(name, ranks, (at,), (lengths,)), x)

    return _each(gather, tree)


def gather_together(
    tensors: Sequence[torch.Tensor], dims: Sequence[int], sizes: Sequence[Any], **how: Any
) -> Sequence[torch.Tensor]:
    """Gather each tensor of one dtype along a dimension of its own, in one message."""
    name = _VARYING if how["varying"] else "all_gather"
    ends = tuple(dim - x.dim() for x, dim in zip(tensors, dims, strict=True))
    linear = _Map(name, ranks_of(how["group"]), ends, tuple(sizes))
    return _Collective.apply(linear, *tensors) if tensors else ()


def shard(
    tree: Replicated, dim: int = 0, *, group: Group = None, sizes: Sequence[int] | None = None
) -> Varying:
    """Take the rank's own part of a replicated tensor.

    Replicated → varying; its transpose is :func:`all_gather`.

    Args:
        tree: The whole, on each rank.
        dim: Along which dimension it is divided.
        group: As for :func:`psum`.
        sizes: The length of each rank's part; by default as equal as can be.

    Returns:
        The parts.

    Raises:
        TypeError: If a leaf is not a tensor.
        ValueError: If a tensor lacks the dimension, or the sizes do not add up to its length.

    Example:
        >>> import torch
        >>> shard(torch.arange(4))
        tensor([0, 1, 2, 3])
    """
    return _apart("shard", tree, dim, ranks_of(group), sizes)


def reduce_scatter(
    tree: Varying, dim: int = 0, *, group: Group = None, sizes: Sequence[int] | None = None
) -> Varying:
    """Sum over the ranks, and leave each its part of the sum.

    Varying → varying; its transpose is ``all_gather(varying=True)``.

    Args:
        tree: Tensors of the same shapes on each rank.
        dim: Along which dimension the sum is divided.
        group: As for :func:`psum`.
        sizes: As for :func:`shard`.

    Returns:
        The rank's part.

    Raises:
        TypeError: If a leaf is not a tensor.
        ValueError: If a tensor lacks the dimension, or the sizes do not add up to its length.

    Example:
        >>> import torch
        >>> reduce_scatter(torch.tensor([1.0, 2.0]))
        tensor([1., 2.])
    """
    return _apart("reduce_scatter", tree, dim, ranks_of(group), sizes)


def broadcast(tree: Varying, source: int = 0, *, group: Group = None) -> Replicated:
    """Give each rank the value of one of them.

    Varying → replicated; its transpose gives the cotangent to the source, and zeros to all others.

    Args:
        tree: Tensors of the same shapes and dtypes on each rank; only the source's values matter.
        source: A number in the group.
        group: As for :func:`psum`.

    Returns:
        The source's values.

    Raises:
        TypeError: If a leaf is not a tensor.
        ValueError: If there is no such rank.

    Example:
        >>> import torch
        >>> broadcast(torch.tensor(1.0))
        tensor(1.)
    """
    ranks = ranks_of(group)
    _check_rank(ranks, source, "source")
    return _together(_Map("broadcast", ranks, source=source), tree)


def ppermute(tree: Varying, pairs: Sequence[tuple[int, int]], *, group: Group = None) -> Varying:
    """Send what ranks have to other ranks.

    Varying → varying; its transpose sends the cotangents back.

    Args:
        tree: Tensors of the same shapes and dtypes on each rank.
        pairs: ``(from, to)`` by numbers in the group, the same on each rank. Nobody sends or receives
            twice; who receives nothing has zeros.
        group: As for :func:`psum`.

    Returns:
        What was received.

    Raises:
        TypeError: If a leaf is not a tensor.
        ValueError: If there is no such rank, or one is named twice.

    Example:
        >>> import torch
        >>> ppermute(torch.tensor(1.0), [(0, 0)])
        tensor(1.)
    """
    ranks = ranks_of(group)
    fixed = tuple((int(a), int(b)) for a, b in pairs)
    for what, ends in (("sends", [a for a, _ in fixed]), ("receives", [b for _, b in fixed])):
        for rank in ends:
            _check_rank(ranks, rank, "pairs")
            if ends.count(rank) > 1:
                raise ValueError(f"rank {rank} {what} twice in `pairs`: it can only once.")
    return _together(_Map("ppermute", ranks, pairs=fixed), tree)


# The linear maps


@dataclass(frozen=True)
class _Map:
    """A linear map of tensors that are distributed over ranks.

    Dimensions are negative, so that ``vmap`` can add a batch dimension in front.

    Attributes:
        name: Its row in ``_MAPS``.
        ranks: The ranks.
        dims: The dimension of each tensor that is divided.
        sizes: The lengths of the ranks' parts of each tensor.
        source: The rank whose value counts.
        pairs: Which rank sends to which.
    """

    name: str
    ranks: Ranks
    dims: tuple[int, ...] = ()
    sizes: tuple[tuple[int, ...], ...] = ()
    source: int = 0
    pairs: tuple[tuple[int, int], ...] = ()

    def __call__(self, tensors: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        """Return the results on plain tensors."""
        return _MAPS[self.name].run(self, tensors)

    def transpose(self) -> _Map:
        """The transpose."""
        back = tuple((b, a) for a, b in self.pairs)
        return replace(self, name=_MAPS[self.name].transpose, pairs=back)


def _summed(how: _Map, tensors: Sequence[torch.Tensor]) -> list[torch.Tensor]:
    return _coalesced(how.ranks.sum, tensors)


def _copied(how: _Map, tensors: Sequence[torch.Tensor]) -> list[torch.Tensor]:
    return [t.clone() for t in tensors]


def _in_front(how: _Map, tensors: Sequence[torch.Tensor]) -> Iterator[tuple[Any, ...]]:
    """Yield each tensor with the divided dimension in front, that dimension, and the ranks' lengths."""
    for t, dim, sizes in zip(tensors, how.dims, how.sizes, strict=True):
        yield t.movedim(dim, 0), dim, sizes


def _gathered(how: _Map, tensors: Sequence[torch.Tensor]) -> list[torch.Tensor]:
    own = [_padded(rows, max(sizes)) for rows, _, sizes in _in_front(how, tensors)]
    flats = how.ranks.gather(_joined([rows.reshape(-1) for rows in own], 0))
    every = zip(*(flat.split([rows.numel() for rows in own]) for flat in flats), strict=True)
    wholes = []
    for rows, parts, dim, sizes in zip(own, every, how.dims, how.sizes, strict=True):
        cut = [part.view(rows.shape)[:n] for part, n in zip(parts, sizes, strict=True)]
        wholes.append(torch.cat(cut).movedim(0, dim))
    return wholes


def _divided(how: _Map, tensors: Sequence[torch.Tensor]) -> list[torch.Tensor]:
    me, rows = how.ranks.rank, _in_front(how, tensors)
    return [t.split(sizes)[me].movedim(0, dim).clone() for t, dim, sizes in rows]


def _scattered(how: _Map, tensors: Sequence[torch.Tensor]) -> list[torch.Tensor]:
    own = [
        torch.stack([_padded(part, max(sizes)) for part in rows.split(sizes)])
        for rows, _, sizes in _in_front(how, tensors)
    ]
    flat = [rows.reshape(how.ranks.size, -1) for rows in own]
    pieces = how.ranks.scatter_sum(_joined(flat, 1)).split([rows.shape[1] for rows in flat])
    sums = []
    for rows, piece, dim, sizes in zip(own, pieces, how.dims, how.sizes, strict=True):
        part = piece.view(rows.shape[1:])[: sizes[how.ranks.rank]]
        # Tensors that share no memory: an output of autograd may be written to.
        sums.append((part.clone() if len(own) > 1 else part).movedim(0, dim))
    return sums


def _sent(how: _Map, tensors: Sequence[torch.Tensor]) -> list[torch.Tensor]:
    return _coalesced(functools.partial(how.ranks.send, source=how.source), tensors)


def _at_source(how: _Map, tensors: Sequence[torch.Tensor]) -> list[torch.Tensor]:
    here = how.ranks.rank == how.source
    return [t.clone() if here else torch.zeros_like(t) for t in tensors]


def _traded(how: _Map, tensors: Sequence[torch.Tensor]) -> list[torch.Tensor]:
    me, size = how.ranks.rank, how.ranks.size

    def trade(flat: torch.Tensor) -> None:
        there = [len(flat) * ((me, rank) in how.pairs) for rank in range(size)]
        back = [len(flat) * ((rank, me) in how.pairs) for rank in range(size)]
        received = how.ranks.trade(flat[: sum(there)].clone(), back, there)
        flat.copy_(received) if sum(back) else flat.zero_()

    return _coalesced(trade, tensors)


class _Row(NamedTuple):
    run: Callable[[_Map, Sequence[torch.Tensor]], list[torch.Tensor]]
    transpose: str
    takes_replicated: bool = False


_VARYING, _BACK = "all_gather(varying=True)", "the transpose of broadcast"
_MAPS = {
    "psum": _Row(_summed, "pvary"),
    "pvary": _Row(_copied, "psum", True),
    "all_gather": _Row(_gathered, "shard"),
    "shard": _Row(_divided, "all_gather", True),
    _VARYING: _Row(_gathered, "reduce_scatter"),
    "reduce_scatter": _Row(_scattered, _VARYING),
    "broadcast": _Row(_sent, _BACK),
    _BACK: _Row(_at_source, "broadcast", True),
    "ppermute": _Row(_traded, "ppermute"),
}


class _Collective(torch.autograd.Function):
    """Applies a linear map; its derivatives are the map and its transpose."""

    @staticmethod
    def forward(linear: _Map, *tensors: torch.Tensor) -> tuple[torch.Tensor, ...]:
        verify(
            linear.ranks,
            linear.name,
            tensors,
            replicated=_MAPS[linear.name].takes_replicated,
        )
        return tuple(linear(tensors))

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        ctx.linear, *tensors = inputs
        # Of what is divided, a tensor that nothing has read has no gradient, and none is sent.
        ctx.set_materialize_grads(not ctx.linear.dims)
        # The same leaves on each rank, whether or not a gradient is asked for there.
        ctx.differentiable = [is_differentiable(t) for t in tensors]

    @staticmethod
    @unseen()
    def backward(ctx: Any, *cotangents: torch.Tensor) -> tuple[Any, ...]:
        return None, *_on_moving(ctx.linear.transpose(), ctx.differentiable, cotangents)

    @staticmethod
    def jvp(ctx: Any, _: None, *tangents: torch.Tensor) -> tuple[Any, ...]:
        return tuple(_on_moving(ctx.linear, ctx.differentiable, tangents))

    @staticmethod
    def vmap(
        info: Any, in_dims: tuple[Any, ...], linear: _Map, *tensors: torch.Tensor
    ) -> tuple[Any, Any]:
        dims = in_dims[1:]
        front = [t if d is None else t.movedim(d, 0) for t, d in zip(tensors, dims, strict=True)]
        return _Collective.apply(linear, *front), tuple(None if d is None else 0 for d in dims)


def _on_moving(
    linear: _Map, differentiable: Sequence[bool], tensors: Sequence[torch.Tensor | None]
) -> list[torch.Tensor | None]:
    moves = [m and t is not None for m, t in zip(differentiable, tensors, strict=True)]
    pick = functools.partial(itertools.compress, selectors=moves)
    linear = replace(linear, dims=(*pick(linear.dims),), sizes=(*pick(linear.sizes),))
    moving = [*pick(tensors)]
    results = iter(_Collective.apply(linear, *moving) if moving else ())
    return [next(results) if m else None for m in moves]


def _coalesced(
    exchange: Callable[[torch.Tensor], None], tensors: Sequence[torch.Tensor]
) -> list[torch.Tensor]:
    """Run an in-place operation once for all tensors of a dtype."""
    exchanged: list[torch.Tensor] = [t.resolve_conj().resolve_neg() for t in tensors]
    kinds: dict[tuple[torch.dtype, torch.device], list[int]] = {}
    for k, t in enumerate(exchanged):
        kinds.setdefault((t.dtype, t.device), []).append(k)
    for places in kinds.values():
        flat = torch.cat([exchanged[k].reshape(-1) for k in places])  # a copy, also of one
        exchange(flat)
        pieces = flat.split([exchanged[k].numel() for k in places])
        for k, piece in zip(places, pieces, strict=True):
            # Tensors that share no memory: an output of autograd may be written to.
            exchanged[k] = (piece.clone() if len(places) > 1 else piece).view(exchanged[k].shape)
    return exchanged


def _joined(tensors: Sequence[torch.Tensor], dim: int) -> torch.Tensor:
    return tensors[0] if len(tensors) == 1 else torch.cat([*tensors], dim)


def _padded(rows: torch.Tensor, length: int) -> torch.Tensor:
    missing = rows.new_zeros((length - rows.shape[0], *rows.shape[1:]))
    return torch.cat([rows, missing]) if len(missing) else rows.contiguous()


# Trees and arguments


def _apply(linear: _Map, *tensors: torch.Tensor) -> Any:
    results = _Collective.apply(linear, *tensors)
    return results[0] if len(tensors) == 1 else results


def _together(linear: _Map, tree: Any) -> Any:
    leaves, spec = pytree.flatten(tree)
    _check_tensors(leaves, spec)
    present = [leaf for leaf in leaves if leaf is not None]
    results = iter(_Collective.apply(linear, *present) if present else ())
    return pytree.unflatten(spec, [None if leaf is None else next(results) for leaf in leaves])


def _each(function: Callable[[torch.Tensor, str], torch.Tensor], tree: Any) -> Any:
    leaves, spec = pytree.flatten(tree)
    _check_tensors(leaves, spec)
    paths = checks.leaf_paths(spec, "tree")
    rows = zip(leaves, paths, strict=True)
    return pytree.unflatten(spec, [None if x is None else function(x, path) for x, path in rows])


def _apart(name: str, tree: Any, dim: int, ranks: Ranks, sizes: Sequence[int] | None) -> Any:
    def part(x: torch.Tensor, path: str) -> torch.Tensor:
        at = _from_end(x, dim, path)
        return _apply(_Map(name, ranks, (at,), (_parts(ranks, sizes, x.shape[at], path),)), x)

    return _each(part, tree)


def _check_tensors(leaves: Sequence[Any], spec: Any) -> None:
    checks.check_leaves(leaves, spec, "tree", checks.A_TENSOR)


def _check_rank(ranks: Ranks, rank: int, name: str) -> None:
    checks.check(f"`{name}`, a rank of the group,", rank, checks.number(0, ranks.size - 1))


def _from_end(x: torch.Tensor, dim: int, path: str) -> int:
    if not -x.dim() <= dim < x.dim():
        raise ValueError(
            f"`{path}` has shape {tuple(x.shape)}, and so no dimension {dim} to divide or join along; "
            f"of scalars make vectors with `.reshape(1)`."
        )
    return dim if dim < 0 else dim - x.dim()


def balanced(length: int, parts: int) -> tuple[int, ...]:
    """Return the lengths of parts that are as equal as can be, the longer first."""
    return tuple(length // parts + (k < length % parts) for k in range(parts))


def _parts(ranks: Ranks, sizes: Sequence[int] | None, length: int, path: str) -> tuple[int, ...]:
    if sizes is None:
        return balanced(length, ranks.size)
    lengths = _check_sizes(ranks, sizes)
    if sum(lengths) != length:
        raise ValueError(f"`{path}` has length {length}, but `sizes` adds up to {sum(lengths)}.")
    return lengths


def _check_sizes(ranks: Ranks, sizes: Sequence[int]) -> tuple[int, ...]:
    lengths = tuple(int(n) for n in sizes)
    if len(lengths) != ranks.size or min(lengths) < 0:
        raise ValueError(f"`sizes` is {lengths}: give a length for each of the {ranks.size} ranks.")
    return lengths


def _lengths(ranks: Ranks, own: int, device: torch.device) -> tuple[int, ...]:
    with transforms.outside():
        return tuple(int(n) for n in ranks.gather(torch.tensor([own], device=device)))

"""Tensors that are divided among processes (DTensors), and the parts that this process holds.

A DTensor has operations for what solvers compute. What is compared, written to a file or counted is
the part that lies here; and a number that decides what to do next is a plain one, the same everywhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, NamedTuple, TypeGuard

import torch
from torch import distributed as dist

from torchopt.autodiff.function_mode import unseen

if TYPE_CHECKING:
    from torch.distributed.tensor import DTensor


GATHERED: ContextVar[tuple[tuple[Any, ...], dict[Any, tuple[Any, torch.Tensor]]] | None]
GATHERED = ContextVar("modules that are evaluated, and what they have gathered", default=None)


@contextmanager
def gathering(*values: Any) -> Iterator[None]:
    """Enclose an evaluation of a function: what it gathers is whole until it ends.

    Args:
        *values: The modules among them are those whose parameters are gathered together.
    """
    token = GATHERED.set((values, {}))
    try:
        yield
    finally:
        GATHERED.reset(token)


class Layout(NamedTuple):
    """How a DTensor is divided."""

    kind: type[DTensor]  # its import takes a second
    mesh: Any
    placements: Any
    shape: torch.Size
    stride: tuple[int, ...]


def is_sharded(x: Any) -> TypeGuard[Any]:
    """Whether something is a DTensor."""
    return hasattr(x, "full_tensor")


def any_sharded(leaves: Iterable[Any]) -> bool:
    """Whether one of some leaves is a DTensor."""
    return any(map(is_sharded, leaves))


def refuse_sharded(leaves: Iterable[Any], what: str, why: str, instead: str) -> None:
    """Raise if there is a DTensor where an argument asks for what it cannot do."""
    if any_sharded(leaves):
        raise ValueError(f"{what} is not for DTensors, {why}: use {instead}.")


IN_FORWARD_MODE = "whose operations have no derivatives in forward mode (PyTorch 2.13)"
AS_ONE_VECTOR = (
    "since it computes with one vector of all unknowns",
    ("a gradient transformation, such as `solver=torchopt.adam(0.1)`, or whole tensors"),
)


def layout_of(x: Any) -> Layout | None:
    """Return how a DTensor is divided; None for other tensors."""
    if not is_sharded(x):
        return None
    return Layout(type(x), x.device_mesh, x.placements, x.shape, x.stride())


def local(x: torch.Tensor) -> torch.Tensor:
    """Return the part of a DTensor that lies here, differentiable to any order; others as they are."""
    return _Local.apply(x) if is_sharded(x) else x


def joined(part: torch.Tensor, layout: Layout) -> torch.Tensor:
    """Return the DTensor whose part here is given, differentiably to any order."""
    whole: torch.Tensor = _Joined.apply(part, layout)
    return whole


def divided(whole: torch.Tensor, layout: Layout | None) -> torch.Tensor:
    """Return a tensor that each process has, divided as another tensor is; nothing is sent."""
    if layout is None:
        return whole
    from torch.distributed.tensor import Replicate

    every = [Replicate()] * layout.mesh.ndim
    copies: Any = layout.kind.from_local(whole, layout.mesh, every, run_check=False)
    shards: torch.Tensor = copies.redistribute(placements=layout.placements)
    return shards


def beside(x: Any, like: Any) -> Any:
    """Return a tensor that each process has as one for operations with a DTensor; others as they are.

    Its gradient is a plain tensor then, and not a DTensor of parts of the sum.
    """
    if not isinstance(x, torch.Tensor) or is_sharded(x) or not (x.requires_grad or x.dim()):
        return x
    from torch.distributed.tensor import Replicate

    mesh = like.device_mesh
    return joined(x, Layout(type(like), mesh, (Replicate(),) * mesh.ndim, x.shape, x.stride()))


def placed_as(x: Any, like: Any) -> Any:
    """Return a tensor, or each of a tuple, placed as the one that it replaces: it may be gathered."""
    if isinstance(like, tuple):
        return tuple(map(placed_as, x, like))
    if not is_sharded(x) or not is_sharded(like):
        return divided(x, layout_of(like))
    return x if x.placements == like.placements else x.redistribute(placements=like.placements)


def plain(x: Any) -> torch.Tensor:
    """Return the whole of a DTensor, such as a norm, on each process; other tensors as they are."""
    whole: torch.Tensor = x.full_tensor() if is_sharded(x) else x
    return whole


def inner_product(x: Sequence[torch.Tensor], y: Sequence[torch.Tensor]) -> torch.Tensor:
    """Return the real inner product of two lists of tensors, a plain number."""
    products = [plain((a.conj() * b).real.sum()) for a, b in zip(x, y, strict=True)]
    return sum((p.to(products[0]) for p in products[1:]), products[0])


def meshes_of(tensors: Iterable[Any]) -> list[Any]:
    """Return the meshes of the DTensors among some tensors, each once."""
    return list({id(m): m for t in tensors if (m := getattr(t, "device_mesh", None))}.values())


def agreed(value: float, meshes: Iterable[Any]) -> float:
    """Return the largest of a number that each process of some meshes has."""
    for mesh in meshes:
        most = torch.tensor(float(value), dtype=torch.float64, device=mesh.device_type)
        for axis in range(mesh.ndim):
            dist.all_reduce(most, dist.ReduceOp.MAX, group=mesh.get_group(axis))
        value = most.item()
    return value


def largest(x: Any, dim: int | tuple[int, ...] = (), *, keepdim: bool = False) -> torch.Tensor:
    """Return the largest absolute value along axes, of a DTensor along all; a constant.

    PyTorch (2.13) has no maximum of a DTensor of which a process has no element.
    """
    x = x.detach().abs()
    if not is_sharded(x):
        value: torch.Tensor = x.amax(dim, keepdim=keepdim)
        return value
    from torch.distributed.tensor import Partial, Replicate

    part = local(x)
    here = part.amax() if part.numel() else part.new_zeros(())
    places = [p if isinstance(p, Replicate) else Partial("max") for p in x.placements]
    return plain(type(x).from_local(here, x.device_mesh, places, run_check=False))


class _Local(torch.autograd.Function):
    """The part that lies here; as ``to_local``, whose derivatives have no graph of ours."""

    @staticmethod
    def forward(x: Any) -> torch.Tensor:
        part = x.to_local()
        # What a collective has yet to bring is waited for; autograd writes to what is returned.
        part = part.wait() if hasattr(part, "wait") else part
        return part.view_as(part)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        ctx.layout = layout_of(inputs[0])

    @staticmethod
    @unseen()
    def backward(ctx: Any, cotangent: torch.Tensor) -> Any:
        return joined(cotangent, ctx.layout)


class _Joined(torch.autograd.Function):
    """The DTensor of a part."""

    @staticmethod
    def forward(part: torch.Tensor, layout: Layout) -> torch.Tensor:
        made: torch.Tensor = layout.kind.from_local(
            part,
            layout.mesh,
            layout.placements,
            run_check=False,
            shape=layout.shape,
            stride=layout.stride,
        )
        return made

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        ctx.placements = inputs[1].placements

    @staticmethod
    @unseen()
    def backward(ctx: Any, cotangent: Any) -> Any:
        if cotangent.placements != ctx.placements:
            cotangent = cotangent.redistribute(placements=ctx.placements)
        return local(cotangent), None

"""Sparse tensors: how they are made of values, products with them, and gradients that are sparse.

In PyTorch (2.13) the derivative of a sparse tensor in its values has no graph, so that every second
derivative in them is zero without a word. Here, to place values and to look them up are two functions,
each the transpose of the other; products gather rows, multiply them by values, and add them up.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import torch
import torch.nn.functional as F
from torch import Tensor

from torchopt.autodiff import transforms
from torchopt.autodiff.decompositions.wrappers import Rules, up

Op: TypeAlias = Callable[..., Tensor]


@dataclass(frozen=True, eq=False)
class _Pattern:
    """Where the values of a sparse tensor are.

    Attributes:
        like: A sparse tensor with values at these places.
    """

    like: Tensor

    def indices(self) -> Tensor:
        """Return the coordinates of each value, a row for each sparse dimension."""
        like = self.like
        if like.layout == torch.sparse_coo:
            return like._indices()
        begins, inner = _compressed(like)
        outer = torch.arange(len(begins) - 1, device=begins.device)
        places = [outer.repeat_interleave(begins.diff()), inner]
        return torch.stack(places if like.layout == torch.sparse_csr else places[::-1])

    def filled(self, values: Tensor) -> Tensor:
        """Return the sparse tensor with these values."""
        like = self.like
        shape = (*like.shape[: like.sparse_dim()], *values.shape[1:])
        if like.layout == torch.sparse_coo:
            coalesced = like.is_coalesced()
            return torch.sparse_coo_tensor(like._indices(), values, shape, is_coalesced=coalesced)
        places = _compressed(like)
        return torch.sparse_compressed_tensor(*places, values, shape, layout=like.layout)

    def of(self, matrix: Tensor) -> _Pattern:
        """Return the same places in the layout of a cotangent of a tensor."""
        layout = torch.sparse_coo if matrix.layout == torch.strided else matrix.layout
        like = self.like
        return self if layout == like.layout else _Pattern(like.to_sparse(layout=layout))


def _compressed(matrix: Tensor) -> tuple[Tensor, Tensor]:
    if matrix.layout == torch.sparse_csr:
        return matrix.crow_indices(), matrix.col_indices()
    return matrix.ccol_indices(), matrix.row_indices()


NO_FORWARD_MODE = (
    "PyTorch has no forward mode for sparse tensors: take derivatives by their values in reverse mode, "
    "or make the tensor dense."
)
_NO_VMAP = (
    "PyTorch has no `vmap` of sparse tensors: make them of values that are not batched, and scaled and "
    "added up before, instead of scaling or adding the tensors; or make them dense, or write a loop."
)
_NO_TRANSFORM = (
    "PyTorch has no `torch.func` of sparse tensors in a compressed layout: make them dense, or "
    "(outside of `vmap`) by `torch.sparse_coo_tensor`, or use `torch.autograd.grad`."
)


def _check_transforms(values: Any, *, compressed: bool) -> None:
    """Raise if a sparse tensor of values cannot be made, since they belong to a transform."""
    while isinstance(values, Tensor) and transforms.is_wrapped(values):
        if compressed or transforms.is_batched(values):
            raise NotImplementedError(_NO_TRANSFORM if compressed else _NO_VMAP)
        values = transforms.unwrapped(values)


class _Transposed(torch.autograd.Function):
    """One of two functions of a tensor and a pattern, each of which is the transpose of the other."""

    @staticmethod
    def jvp(ctx: Any, *tangents: Any) -> Any:
        raise NotImplementedError(NO_FORWARD_MODE)

    @staticmethod
    def vmap(info: Any, in_dims: Any, *inputs: Any) -> Any:
        raise NotImplementedError(_NO_VMAP)


class _Placed(_Transposed):
    """A sparse tensor of its values."""

    @staticmethod
    def forward(values: Tensor, pattern: _Pattern) -> Tensor:
        return pattern.filled(values)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        ctx.pattern = inputs[1]

    @staticmethod
    def backward(ctx: Any, *cotangents: Any) -> Any:
        return _LookedUp.apply(cotangents[0], ctx.pattern), None


class _LookedUp(_Transposed):
    """The values of a tensor at the places of a pattern."""

    @staticmethod
    def forward(matrix: Tensor, pattern: _Pattern) -> Tensor:
        indices = pattern.indices()
        if matrix.layout == torch.strided:
            return matrix[tuple(indices)]
        own, values = _sorted(matrix)
        if own.shape == indices.shape and own.equal(indices):
            return values.clone()
        if not len(values):
            return values.new_zeros(indices.shape[1], *values.shape[1:])
        numbers, wanted = (_numbers(places, matrix.shape) for places in (own, indices))
        at = torch.searchsorted(numbers, wanted).clamp_max(len(numbers) - 1)
        found = (numbers[at] == wanted).reshape(-1, *(1,) * (values.dim() - 1))
        return torch.where(found, values[at], 0)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        ctx.pattern = inputs[1].of(inputs[0])

    @staticmethod
    def backward(ctx: Any, *cotangents: Any) -> Any:
        return _Placed.apply(cotangents[0], ctx.pattern), None


def _sorted(matrix: Tensor) -> tuple[Tensor, Tensor]:
    """Return the coordinates and the values of a sparse tensor, row by row, without duplicates."""
    if matrix.layout != torch.sparse_coo:
        places, shape = _Pattern(matrix).indices(), matrix.shape
        matrix = torch.sparse_coo_tensor(places, matrix.values(), shape)
    matrix = matrix.coalesce()
    return matrix.indices(), matrix.values()


def _numbers(indices: Tensor, shape: torch.Size) -> Tensor:
    """Return the number of each place, counted row by row."""
    number = indices[0]
    for place, size in zip(indices[1:], shape[1:], strict=False):
        number = number * size + place
    return number


def _is_ours(made: Tensor) -> bool:
    """Whether a sparse tensor is of single values, and no batch in a compressed layout."""
    if made.layout == torch.sparse_coo:
        return True
    return made.layout in (torch.sparse_csr, torch.sparse_csc) and made.values().dim() == 1


def _is_tracked(x: Any) -> bool:
    return isinstance(x, Tensor) and x.layout != torch.strided and x.requires_grad


def _placed(values: Tensor, like: Tensor) -> Tensor:
    """Return a sparse tensor of values, which remembers them: then no cotangent of it is needed."""
    made: Tensor = _Placed.apply(values, _Pattern(like))
    vars(made)[_MADE_OF] = values, made._version
    return made


_MADE_OF = "_torchopt_made_of"


def _made_of(matrix: Tensor) -> Tensor | None:
    """Return the values that a sparse tensor was made of and still has, if it remembers them."""
    values, version = vars(matrix).get(_MADE_OF, (None, -1))
    return values if version == matrix._version else None


def _parts(matrix: Tensor) -> tuple[Tensor, Tensor]:
    """Return the coordinates and the values of a sparse tensor; those of one place add up."""
    like, values = matrix.detach(), _made_of(matrix)
    if values is not None:
        return _Pattern(like).indices(), values
    pattern = _Pattern(like.coalesce() if like.layout == torch.sparse_coo else like)
    return pattern.indices(), _LookedUp.apply(matrix, pattern)


def _constructor(func: Op, position: int) -> Op:
    @functools.wraps(func)
    def run(*args: Any, **kwargs: Any) -> Tensor:
        values = args[position] if len(args) > position else kwargs.get("values")
        _check_transforms(values, compressed=func is not torch.sparse_coo_tensor)
        if not (isinstance(values, Tensor) and values.requires_grad and torch.is_grad_enabled()):
            return func(*args, **kwargs)
        plain = values.detach()
        if len(args) > position:
            made = func(*args[:position], plain, *args[position + 1 :], **kwargs)
        else:
            made = func(*args, **kwargs | {"values": plain})
        if not _is_ours(made):
            return func(*args, **kwargs)
        return _placed(values.to(made.device, made.dtype), made.detach())

    return run


def _transposed(func: Op, matrix: Any, *args: Any, **kwargs: Any) -> Tensor:
    values = _made_of(matrix)
    made = func(matrix.detach(), *args, **kwargs)  # whose values have the same order
    if values is None or made._nnz() != len(values) or not _is_ours(made):
        return func(matrix, *args, **kwargs)
    return _placed(values, made)


def _converted(func: Op, x: Any, *args: Any, **kwargs: Any) -> Tensor:
    if _made_of(x) is None:
        return func(x, *args, **kwargs)
    layout = kwargs.get("layout", torch.sparse_coo)
    _check_transforms(x, compressed=layout != torch.sparse_coo or func in _COMPRESSING)
    made = func(x.detach(), *args, **kwargs)
    if made.layout == torch.strided or not _is_ours(made) or made.sparse_dim() != x.sparse_dim():
        return func(x, *args, **kwargs)
    indices, values = _parts(x)
    places, own = (_numbers(i, x.shape) for i in (_Pattern(made).indices(), indices))
    places, order = places.sort()
    zeros = values.new_zeros(len(places), *values.shape[1:])
    return _placed(zeros.index_add(0, order[torch.searchsorted(places, own)], values), made)


def _values(func: Op, matrix: Any) -> Tensor:
    if not _is_ours(matrix) or (matrix.layout == torch.sparse_coo and not matrix.is_coalesced()):
        return func(matrix)
    return _parts(matrix)[1]


def _to_dense(func: Op, matrix: Any, *args: Any, **kwargs: Any) -> Tensor:
    if args or kwargs or not _is_ours(matrix):
        return func(matrix, *args, **kwargs)
    indices, values = _parts(matrix)
    zeros = values.new_zeros(matrix.shape)
    return zeros.index_put(tuple(indices), values, accumulate=True)


def _added_up(rows: Tensor, columns: Tensor, values: Tensor, dense: Tensor, size: int) -> Tensor:
    """Return the product of a sparse matrix of so many rows with a dense matrix or vector."""
    factors = up(values).reshape(-1, *(1,) * (dense.dim() - 1))
    terms = up(dense).index_select(0, columns) * factors
    zeros = terms.new_zeros(size, *dense.shape[1:])
    return zeros.index_add(0, rows, terms).to(dense.dtype)


def _times(a: Tensor, b: Tensor) -> Tensor:
    """Return the product of two matrices or vectors, at least one of which is a sparse matrix."""
    if a.layout == torch.strided:
        (rows, columns), values = _parts(b)
        return _added_up(columns, rows, values, a.movedim(-1, 0), b.shape[1]).movedim(0, -1)
    (rows, columns), values = _parts(a)
    if b.layout == torch.strided:
        return _added_up(rows, columns, values, b, a.shape[0])
    return _sparse_times(a, b)


def _sparse_times(a: Tensor, b: Tensor) -> Tensor:
    """Return the product of two sparse matrices, which is sparse: each pair of values that meet."""
    (rows, middle), left = _parts(a)
    (begins, columns), right = _parts(b)
    begins, order = begins.sort()
    first = torch.searchsorted(begins, middle)
    pairs = torch.searchsorted(begins, middle, right=True) - first
    i = torch.arange(len(middle), device=a.device).repeat_interleave(pairs)
    skipped = first - (pairs.cumsum(0) - pairs)
    j = order[torch.arange(len(i), device=a.device) + skipped[i]]
    places, sums = torch.unique(rows[i] * b.shape[1] + columns[j], return_inverse=True)
    terms = up(left)[i] * up(right)[j]
    values = terms.new_zeros(len(places)).index_add(0, sums, terms).to(a.dtype)
    indices = torch.stack([places // b.shape[1], places % b.shape[1]])
    like = torch.sparse_coo_tensor(
        indices, values.detach(), (a.shape[0], b.shape[1]), is_coalesced=True
    )
    if a.layout != torch.sparse_coo or b.layout != torch.sparse_coo:
        like = like.to_sparse_csr()  # whose values have the same order
    return _placed(values, like)


def _is_matrix(x: Any) -> bool:
    return x.dim() == 2 and (x.layout == torch.strided or (_is_ours(x) and not x.dense_dim()))


def _mm(func: Op, a: Any, b: Any, *args: Any, **kwargs: Any) -> Tensor:
    vector = b if _is_tracked(a) else a
    fits = vector.layout == torch.strided and vector.dim() == 1 and func not in _OF_MATRICES
    matrices = (a if vector is b else b,) if fits else (a, b)
    if args or kwargs or not all(map(_is_matrix, matrices)) or a.shape[-1] != b.shape[0]:
        return func(a, b, *args, **kwargs)
    return _times(a, b)


def _rmatmul(func: Op, a: Any, b: Any) -> Tensor:
    return _mm(torch.matmul, b, a)


def _bmm(func: Op, a: Any, b: Any, **kwargs: Any) -> Tensor:
    if kwargs or a.layout != torch.sparse_coo or b.layout != torch.strided or a.dense_dim():
        return func(a, b, **kwargs)
    (batch, rows, columns), values = _parts(a)
    size, n, m = a.shape
    dense = b.reshape(size * m, -1)
    product = _added_up(batch * n + rows, batch * m + columns, values, dense, size * n)
    return product.reshape(size, n, -1)


def _addmm(
    func: Op, x: Any, a: Any, b: Any, *args: Any, beta: Any = 1, alpha: Any = 1, **kwargs: Any
) -> Tensor:
    dense = any(t.layout == torch.strided for t in (a, b)) and x.layout == torch.strided
    if args or kwargs or not (dense and all(map(_is_matrix, (a, b) if b.dim() == 2 else (a,)))):
        return func(x, a, b, *args, beta=beta, alpha=alpha, **kwargs)
    product = alpha * _times(a, b)
    return product + beta * x if beta else product.expand(torch.broadcast_shapes(x.shape))


def _linear(func: Op, x: Any, weight: Any, bias: Tensor | None = None) -> Tensor:
    if x.layout != torch.strided or not _is_matrix(weight):
        return func(x, weight, bias)
    product = _times(weight, x.reshape(-1, x.shape[-1]).mT).mT
    product = product.reshape(*x.shape[:-1], -1)
    return product if bias is None else product + bias


def _of_sparse(rule: Op, func: Op) -> Op:
    """Apply a rule where a sparse factor requires grad: derivatives in the others are right."""

    @functools.wraps(func)
    def run(*args: Any, **kwargs: Any) -> Tensor:
        for x in args:  # no call for each of them: nearly all are dense
            if isinstance(x, Tensor) and x.layout != torch.strided and x.requires_grad:
                return rule(func, *args, **kwargs)
        return func(*args, **kwargs)

    return run


def _dense_gradient(func: Op, name: str, position: int) -> Op:
    """Let the gradient be dense, since what a sparse one is made of loses its graph."""

    @functools.wraps(func)
    def run(*args: Any, **kwargs: Any) -> Tensor:
        args = tuple(x if i != position else False for i, x in enumerate(args))
        return func(*args, **kwargs | {name: False} if name in kwargs else kwargs)

    return run


_WITH_SPARSE_GRADIENTS: dict[Op, tuple[str, int]] = {
    F.embedding: ("sparse", 6),
    torch.embedding: ("sparse", 4),
    torch.gather: ("sparse_grad", 3),
    Tensor.gather: ("sparse_grad", 3),
}
_COMPRESSING = (Tensor.to_sparse_csr, Tensor.to_sparse_csc)
_CONSTRUCTORS: dict[Op, int] = {
    torch.sparse_coo_tensor: 1,
    torch.sparse_compressed_tensor: 2,
    torch.sparse_csr_tensor: 2,
    torch.sparse_csc_tensor: 2,
}
_OF_MATRICES = (torch.mm, Tensor.mm, torch.sparse.mm)
_OPERATIONS: dict[Op, tuple[Op, ...]] = {
    _mm: (*_OF_MATRICES, torch.matmul, Tensor.matmul, Tensor.__matmul__, torch.mv, Tensor.mv),
    _rmatmul: (Tensor.__rmatmul__,),
    _bmm: (torch.bmm, Tensor.bmm),
    _addmm: (torch.addmm, Tensor.addmm, torch.sparse.addmm, torch.addmv, Tensor.addmv),
    _linear: (F.linear,),
    _to_dense: (Tensor.to_dense,),
    _values: (Tensor.values,),
    _transposed: (
        torch.t,
        Tensor.t,
        torch.transpose,
        Tensor.transpose,
        *(getattr(Tensor, name).__get__ for name in ("T", "mT")),
    ),
    _converted: (
        Tensor.coalesce,
        Tensor.to_sparse,
        Tensor.to_sparse_coo,
        Tensor.to_sparse_csr,
        Tensor.to_sparse_csc,
    ),
}
RULES: Rules = {
    **{func: _constructor(func, position) for func, position in _CONSTRUCTORS.items()},
    **{func: _dense_gradient(func, *place) for func, place in _WITH_SPARSE_GRADIENTS.items()},
    **{func: _of_sparse(rule, func) for rule, funcs in _OPERATIONS.items() for func in funcs},
}

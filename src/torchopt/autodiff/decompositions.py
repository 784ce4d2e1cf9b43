"""Operators of PyTorch (2.13) that lack a higher derivative or have a wrong one, in plain operations.

What is here was measured, on every route to a second or third derivative (reverse over reverse,
forward over reverse, reverse over forward, and their compositions), to be wrong without a word, or
to raise, on at least one of them. Multiplications, sums and triangular solves are right on all.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Callable, Sequence
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.autograd import forward_ad
from torch.nn import _reduction as _legacy
from torch.utils import _pytree

__all__ = ["COMPOSITES", "DECOMPOSITIONS", "weight_norm"]

_HALF = (torch.float16, torch.bfloat16)


def _up(x: Any) -> Any:
    return x.float() if isinstance(x, Tensor) and x.dtype in _HALF else x


def _detached(x: Any) -> Any:
    return x.detach() if isinstance(x, Tensor) else x


def _rounded_once(rule: Callable[..., Any], func: Callable[..., Any]) -> Callable[..., Any]:
    """Compute in float32 where the operator is given halves, as the fused kernel does."""

    @functools.wraps(rule)
    def run(*args: Any, **kwargs: Any) -> Any:
        tensors = [x for x in (*args, *kwargs.values()) if isinstance(x, Tensor)]
        x = next(x for x in tensors if x.is_floating_point() or x.is_complex())
        autocast = torch.is_autocast_enabled(x.device.type)
        if x.dtype not in _HALF and not autocast:
            return rule(*args, **kwargs)
        # What autocast does differs between operators and devices.
        dtype = _native(func, args, kwargs).dtype if autocast else x.dtype
        with torch.autocast(x.device.type, enabled=False):
            args, kwargs = _pytree.tree_map(_up, (args, kwargs))
            return rule(*args, **kwargs).to(dtype)

    return run


def _checked(rule: Callable[..., Tensor], func: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Let PyTorch's own, without a graph, check the arguments and say the dtype."""

    @functools.wraps(rule)
    def run(*args: Any, **kwargs: Any) -> Tensor:
        like = _native(func, args, kwargs)
        args, kwargs = _pytree.tree_map(_up, (args, kwargs))
        return rule(*args, **kwargs).to(like.dtype)

    return run


def _in_forward_mode(rule: Callable[..., Any], func: Callable[..., Any]) -> Callable[..., Any]:
    """Leave an operator alone that lacks nothing but derivatives with dual numbers in them."""

    @functools.wraps(rule)
    def run(*args: Any, **kwargs: Any) -> Any:
        return (rule if forward_ad._current_level >= 0 else func)(*args, **kwargs)

    return run


def _native(func: Callable[..., Tensor], args: Any, kwargs: Any) -> Tensor:
    args, kwargs = _pytree.tree_map(_detached, (args, kwargs))
    return func(*args, **kwargs)


# Normalizations. PyTorch's own runs too, without a graph: it checks the arguments, updates the running
# statistics and says the dtype.


def _standardized(x: Tensor, dims: tuple[int, ...], eps: float) -> Tensor:
    centred = x - x.mean(dims, keepdim=True)
    return centred * torch.rsqrt((centred * centred).mean(dims, keepdim=True) + eps)


def _affine(x: Tensor, weight: Tensor | None, bias: Tensor | None, like: Tensor) -> Tensor:
    """Scale and shift channels, if they are not the last dimensions."""
    ones = (1,) * (x.dim() - 2)
    x = x if weight is None else x * _up(weight).reshape(-1, *ones)
    x = x if bias is None else x + _up(bias).reshape(-1, *ones)
    return x.to(like.dtype)


def _layer_norm(
    input: Tensor,
    normalized_shape: Sequence[int],
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
    cudnn_enable: bool = True,
) -> Tensor:
    like = F.layer_norm(input.detach(), normalized_shape, _detached(weight), _detached(bias), eps)
    dims = range(-len(normalized_shape), 0)
    out = _standardized(_up(input), tuple(dims), eps)
    out = out if weight is None else out * _up(weight)
    out = out if bias is None else out + _up(bias)
    return out.to(like.dtype)


def _group_norm(
    input: Tensor,
    num_groups: int,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
    cudnn_enabled: bool = True,
) -> Tensor:
    like = F.group_norm(input.detach(), num_groups, _detached(weight), _detached(bias), eps)
    groups = _up(input).unflatten(1, (num_groups, -1))
    out = _standardized(groups, tuple(range(2, groups.dim())), eps).flatten(1, 2)
    return _affine(out, weight, bias, like)


def _batch_norm(
    input: Tensor,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    dims = (0, *range(2, input.dim()))
    return _by_statistics(
        F.batch_norm, dims, input, running_mean, running_var, weight, bias, training, momentum, eps
    )


def _instance_norm(
    input: Tensor,
    running_mean: Tensor | None = None,
    running_var: Tensor | None = None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    use_input_stats: bool = True,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    dims = tuple(range(2, input.dim()))
    return _by_statistics(
        F.instance_norm,
        dims,
        input,
        running_mean,
        running_var,
        weight,
        bias,
        use_input_stats,
        momentum,
        eps,
    )


def _by_statistics(
    func: Callable[..., Tensor],
    dims: tuple[int, ...],
    input: Tensor,
    mean: Tensor | None,
    var: Tensor | None,
    weight: Tensor | None,
    bias: Tensor | None,
    of_input: bool,
    momentum: float,
    eps: float,
) -> Tensor:
    like = func(
        input.detach(), mean, var, _detached(weight), _detached(bias), of_input, momentum, eps
    )
    x = _up(input)
    if of_input or mean is None or var is None:
        return _affine(_standardized(x, dims, eps), weight, bias, like)
    ones = (1,) * (x.dim() - 2)
    scale = torch.rsqrt(_up(var) + eps)
    out = (x - _up(mean).reshape(-1, *ones)) * scale.reshape(-1, *ones)
    return _affine(out, weight, bias, like)


def _reordered(rule: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Take the arguments in the order of ``torch.batch_norm``, not of ``F.batch_norm``."""

    def run(
        input: Tensor,
        weight: Tensor | None,
        bias: Tensor | None,
        running_mean: Tensor | None,
        running_var: Tensor | None,
        *rest: Any,
        cudnn_enabled: bool = True,
        **kwargs: Any,
    ) -> Tensor:
        return rule(input, running_mean, running_var, weight, bias, *rest[:3], **kwargs)

    return run


def weight_norm(v: Tensor, g: Tensor, dim: int = 0) -> Tensor:
    """Return ``g * v / ||v||``, with the norm over all dimensions but one; -1: over all."""
    rows = v.reshape(1, -1) if dim == -1 else v.movedim(dim, 0).reshape(v.shape[dim], -1)
    return v * (g / _vector_norm(rows, dim=1).reshape(g.shape))


# Norms and distances.


def _root(square: Tensor) -> Tensor:
    """Square root whose derivatives at zero are zero, as PyTorch's are in norms."""
    zero = square == 0
    return torch.where(zero, 0.0, torch.where(zero, 1.0, square).sqrt())


def _vector_norm(
    x: Tensor,
    ord: float = 2,
    dim: int | Sequence[int] | None = None,
    keepdim: bool = False,
    *,
    dtype: torch.dtype | None = None,
    out: Tensor | None = None,
) -> Tensor:
    if out is not None or ord in (0, 1, float("inf"), float("-inf")) or dim == ():
        return torch.linalg.vector_norm(x, ord, dim, keepdim, dtype=dtype, out=out)
    x = x if dtype is None else x.to(dtype)
    dim = dim if dim is None or isinstance(dim, int) else tuple(dim)
    if ord == 2:
        square = (x.conj() * x).real if x.is_complex() else x * x
        return _root(square.sum(dim, keepdim=keepdim))
    powers = x.abs().pow(ord).sum(dim, keepdim=keepdim)
    zero = powers == 0
    return torch.where(zero, 0.0, torch.where(zero, 1.0, powers).pow(1 / ord))


def _matrix_norm(
    A: Tensor,
    ord: float | str = "fro",
    dim: tuple[int, int] = (-2, -1),
    keepdim: bool = False,
    **kwargs: Any,
) -> Tensor:
    if ord == "fro":
        return _vector_norm(A, 2, dim, keepdim, **kwargs)
    return torch.linalg.matrix_norm(A, ord, dim, keepdim, **kwargs)


def _norm(
    A: Tensor,
    ord: float | str | None = None,
    dim: int | Sequence[int] | None = None,
    keepdim: bool = False,
    **kwargs: Any,
) -> Tensor:
    dims = A.dim() if dim is None else 1 if isinstance(dim, int) else len(dim)
    if ord is None or ord == "fro":
        return _vector_norm(A, 2, dim, keepdim, **kwargs)
    if dims == 1 and not isinstance(ord, str):
        return _vector_norm(A, ord, dim, keepdim, **kwargs)
    return torch.linalg.norm(A, ord, dim, keepdim, **kwargs)


def _torch_norm(
    input: Tensor,
    p: float | str | None = "fro",
    dim: int | Sequence[int] | None = None,
    keepdim: bool = False,
    out: Tensor | None = None,
    dtype: torch.dtype | None = None,
) -> Tensor:
    if isinstance(p, str) and p != "fro":
        return torch.norm(input, p, dim, keepdim, out, dtype)
    order = 2 if p is None or isinstance(p, str) else p
    return _vector_norm(input, order, dim, keepdim, dtype=dtype, out=out)


def _normalize(
    input: Tensor, p: float = 2.0, dim: int = 1, eps: float = 1e-12, out: Tensor | None = None
) -> Tensor:
    if out is not None:
        return F.normalize(input, p, dim, eps, out)
    return input / _vector_norm(input, p, dim, keepdim=True).clamp_min(eps)


def _std(*args: Any, **kwargs: Any) -> Tensor:
    return _root(torch.var(*args, **kwargs))


def _std_mean(*args: Any, **kwargs: Any) -> tuple[Tensor, Tensor]:
    var, mean = torch.var_mean(*args, **kwargs)
    return _root(var), mean


def _cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-8) -> Tensor:
    x1, x2 = torch.broadcast_tensors(x1, x2)
    x1, x2 = (x / _vector_norm(x, 2, dim, keepdim=True).clamp_min(eps) for x in (x1, x2))
    return (x1 * x2).sum(dim)


def _pairwise_distance(
    x1: Tensor, x2: Tensor, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False
) -> Tensor:
    return _vector_norm(x1 - x2 + eps, p, -1, keepdim)


def _dist(input: Tensor, other: Tensor, p: float = 2) -> Tensor:
    return _vector_norm(input - other, p)


def _cdist(x1: Tensor, x2: Tensor, p: float = 2.0, compute_mode: str = "") -> Tensor:
    return _vector_norm(x1.unsqueeze(-2) - x2.unsqueeze(-3), p, -1)


def _pdist(input: Tensor, p: float = 2) -> Tensor:
    n = input.shape[0]
    i, j = torch.triu_indices(n, n, 1, device=input.device)
    return _vector_norm(input[i] - input[j], p, -1)


def _renorm(input: Tensor, p: float, dim: int, maxnorm: float) -> Tensor:
    others = tuple(i for i in range(input.dim()) if i != dim % input.dim())
    size = _vector_norm(input, p, others, keepdim=True)
    return input * torch.where(size > maxnorm, maxnorm / (size + 1e-7), 1.0)


# Linear algebra: the factorization and the solves with it are right to any order.


def _solve(A: Tensor, B: Tensor, *, left: bool = True, out: Tensor | None = None) -> Tensor:
    if out is not None:
        return torch.linalg.solve(A, B, left=left, out=out)
    X, info = _solved(A, B, left)
    torch._linalg_check_errors(info, "torch.linalg.solve", is_matrix=A.dim() == 2)
    return X


def _solve_ex(
    A: Tensor, B: Tensor, *, left: bool = True, check_errors: bool = False, out: Any = None
) -> Any:
    if out is not None:
        return torch.linalg.solve_ex(A, B, left=left, check_errors=check_errors, out=out)
    X, info = _solved(A, B, left)
    if check_errors:
        torch._linalg_check_errors(info, "torch.linalg.solve_ex", is_matrix=A.dim() == 2)
    return torch.return_types.linalg_solve_ex((X, info))  # type: ignore[attr-defined]


def _solved(A: Tensor, B: Tensor, left: bool) -> tuple[Tensor, Tensor]:
    A, B = _up(A), _up(B)
    vector = B.dim() == 1 or (A.dim() - 1 == B.dim() and B.shape == A.shape[:-1])
    LU, pivots, info = torch.linalg.lu_factor_ex(A)
    X = torch.linalg.lu_solve(LU, pivots, B.unsqueeze(-1) if vector else B, left=left)
    return X.squeeze(-1) if vector else X, info


def _tensorsolve(
    A: Tensor, B: Tensor, dims: Sequence[int] | None = None, *, out: Tensor | None = None
) -> Tensor:
    if out is not None:
        return torch.linalg.tensorsolve(A, B, dims, out=out)
    if dims is not None:
        A = A.movedim(tuple(dims), tuple(range(-len(dims), 0)))
    shape = A.shape[B.dim() :]
    return _solve(A.reshape(B.numel(), shape.numel()), B.flatten()).reshape(shape)


def _cholesky_inverse(input: Tensor, upper: bool = False, *, out: Tensor | None = None) -> Tensor:
    if out is not None:
        return torch.cholesky_inverse(input, upper, out=out)
    input = _up(input)
    eye = torch.eye(input.shape[-1], dtype=input.dtype, device=input.device)
    return torch.cholesky_solve(eye.expand(input.shape), input, upper)


def _diagonal_of_lu(A: Tensor) -> tuple[Tensor, Tensor]:
    """Return the determinant of the permutation, and the diagonal of U."""
    A = _up(A)
    LU, pivots, _ = torch.linalg.lu_factor_ex(A)
    diagonal = LU.diagonal(dim1=-2, dim2=-1)
    rows = torch.arange(1, A.shape[-1] + 1, device=A.device, dtype=pivots.dtype)
    return 1 - 2 * ((pivots != rows).sum(-1) % 2).to(A.dtype), diagonal


def _det(A: Tensor, *, out: Tensor | None = None) -> Tensor:
    if out is not None:
        return torch.linalg.det(A, out=out)
    sign, diagonal = _diagonal_of_lu(A)
    return sign * diagonal.prod(-1)


def _torch_det(input: Tensor) -> Tensor:
    return _det(input)


def _slogdet(A: Tensor, *, out: Any = None) -> Any:
    if out is not None:
        return torch.linalg.slogdet(A, out=out)
    return torch.return_types.linalg_slogdet(_sign_and_log(A))  # type: ignore[attr-defined]


def _torch_slogdet(input: Tensor, *, out: Any = None) -> Any:
    if out is not None:
        return torch.slogdet(input, out=out)
    return torch.return_types.slogdet(_sign_and_log(input))


def _logdet(input: Tensor) -> Tensor:
    sign, logabsdet = _sign_and_log(input)
    if input.is_complex():
        return sign.log() + logabsdet
    return torch.where(sign < 0, torch.nan, logabsdet)


def _sign_and_log(A: Tensor) -> tuple[Tensor, Tensor]:
    sign, diagonal = _diagonal_of_lu(A)
    return sign * diagonal.sgn().prod(-1), diagonal.abs().log().sum(-1)


def _householder_product(A: Tensor, tau: Tensor, *, out: Tensor | None = None) -> Tensor:
    if out is not None:
        return torch.linalg.householder_product(A, tau, out=out)
    Q = torch.eye(*A.shape[-2:], dtype=A.dtype, device=A.device)
    reflectors = A.tril(-1) + Q
    for i in reversed(range(tau.shape[-1])):
        v = reflectors[..., i : i + 1]
        Q = Q - tau[..., i, None, None] * v @ (v.mH @ Q)
    return Q


# Indexing.


def _scatter_reduce(
    input: Tensor,
    dim: int,
    index: Tensor,
    src: Tensor,
    reduce: str,
    *,
    include_self: bool = True,
    out: Tensor | None = None,
) -> Tensor:
    if reduce != "prod" or out is not None or not input.dim():
        kwargs = {} if out is None else {"out": out}
        return torch.scatter_reduce(
            input, dim, index, src, reduce, include_self=include_self, **kwargs
        )
    dim %= input.dim()
    slots = torch.arange(input.shape[dim], device=input.device)
    hit = index.unsqueeze(dim) == slots.reshape(-1, *(1,) * (input.dim() - dim))
    src = src[tuple(slice(n) for n in index.shape)]
    factor = torch.where(hit, src.unsqueeze(dim), 1.0).prod(dim + 1)
    touched = hit.any(dim + 1)
    missing = [n - m for n, m in zip(input.shape, factor.shape, strict=True)]
    if any(missing):  # the index is smaller than what it points into
        pads = [pad for n in reversed(missing) for pad in (0, n)]
        factor, touched = F.pad(factor, pads, value=1.0), F.pad(touched, pads, value=False)
    return input * factor if include_self else torch.where(touched, factor, input)


def _embedding_bag(
    input: Tensor,
    weight: Tensor,
    offsets: Tensor | None = None,
    max_norm: float | None = None,
    norm_type: float = 2,
    scale_grad_by_freq: bool = False,
    mode: str = "mean",
    sparse: bool = False,
    per_sample_weights: Tensor | None = None,
    include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> Tensor:
    if scale_grad_by_freq:
        raise NotImplementedError(
            "`embedding_bag(scale_grad_by_freq=True)` has no higher derivatives: use False."
        )
    flat = input.flatten()
    if offsets is None:
        bags = torch.arange(len(input), device=input.device).repeat_interleave(input.shape[1])
        number = len(input)
    else:
        starts = offsets[:-1] if include_last_offset else offsets
        places = torch.arange(len(flat), device=input.device, dtype=starts.dtype)
        bags = torch.searchsorted(starts, places, right=True) - 1
        number = len(starts)
    padding = -1 if padding_idx is None else padding_idx % len(weight)
    members = (bags == torch.arange(number, device=input.device)[:, None]) & (flat != padding)
    rows = F.embedding(flat, weight, None, max_norm, norm_type)
    if mode == "max":
        chosen = torch.where(members[..., None], rows, -torch.inf).amax(1)
        return torch.where(members.any(1, keepdim=True), chosen, 0.0)
    matrix = members.to(rows.dtype)
    if per_sample_weights is not None:
        matrix = matrix * per_sample_weights.flatten()
    if mode == "mean":
        matrix = matrix / members.sum(1, keepdim=True).clamp_min(1)
    return matrix @ rows


# Attention.


def _attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Tensor:
    mask, device = attn_mask, query.device.type
    boolean = mask is not None and mask.dtype == torch.bool
    refused = mask is not None and (is_causal or not (boolean or mask.is_floating_point()))
    if refused or query.is_nested:
        return F.scaled_dot_product_attention(
            query, key, value, mask, dropout_p, is_causal, scale=scale, enable_gqa=enable_gqa
        )
    dtype = query.dtype
    if torch.is_autocast_enabled(device) and dtype != torch.float64:
        dtype = torch.get_autocast_dtype(device)
    with torch.autocast(device, enabled=False):
        query, key, value, mask = (_up(x) for x in (query, key, value, mask))
        if enable_gqa:
            groups = query.shape[-3] // key.shape[-3]
            key, value = (x.repeat_interleave(groups, -3) for x in (key, value))
        scores = query @ key.mT * (query.shape[-1] ** -0.5 if scale is None else scale)
        if is_causal:
            mask = torch.ones(scores.shape[-2:], dtype=torch.bool, device=query.device).tril()
            boolean = True
        if mask is not None:
            scores = torch.where(mask, scores, -torch.inf) if boolean else scores + mask
            # A row without any key attends to nothing; selected before the softmax, which is NaN.
            empty = (scores == -torch.inf).all(-1, keepdim=True)
            scores = torch.where(empty, 0.0, scores)
        weights = scores.softmax(-1)
        if mask is not None:
            weights = torch.where(empty, 0.0, weights)
        return (F.dropout(weights, dropout_p) @ value).to(dtype)


# Activations.


def _activation(formula: Callable[[Tensor], Tensor]) -> Callable[..., Tensor]:
    def run(input: Tensor, inplace: bool = False) -> Tensor:
        out = formula(_up(input)).to(input.dtype)
        return input.copy_(out) if inplace else out

    return run


def _hardsigmoid(x: Tensor) -> Tensor:
    return torch.where((x > -3) & (x < 3), x / 6 + 0.5, (x >= 3).to(x.dtype))


def _glu(input: Tensor, dim: int = -1) -> Tensor:
    a, b = input.chunk(2, dim)
    return a * b.sigmoid()


def _logit(input: Tensor, eps: float | None = None, *, out: Tensor | None = None) -> Tensor:
    if out is not None:
        return torch.logit(input, eps, out=out)
    x = input if eps is None else input.clamp(eps, 1 - eps)
    return x.log() - (1 - x).log()


# Losses.


def _reduced(loss: Tensor, reduction: str) -> Tensor:
    if reduction == "none":
        return loss
    if reduction not in ("mean", "sum"):
        raise ValueError(f"{reduction} is not a valid value for reduction")
    return loss.mean() if reduction == "mean" else loss.sum()


def _mse_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    weight: Tensor | None = None,
) -> Tensor:
    # PyTorch's own writes to the zero tangent of what does not move.
    square = (input - target) * (input - target)
    reduction = _reduction(size_average, reduce, reduction)
    if weight is None:
        return _reduced(square, reduction)
    total = _reduced(square * weight, "none" if reduction == "none" else "sum")
    return total / weight.expand_as(square).sum() if reduction == "mean" else total


def _huber_loss(
    input: Tensor,
    target: Tensor,
    reduction: str = "mean",
    delta: float = 1.0,
    weight: Tensor | None = None,
) -> Tensor:
    gap = (input - target).abs()
    loss = torch.where(gap <= delta, 0.5 * gap * gap, delta * (gap - 0.5 * delta))
    return _reduced(loss if weight is None else loss * weight, reduction)


def _soft_margin_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    return _reduced(-F.logsigmoid(input * target), _reduction(size_average, reduce, reduction))


def _bce_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    pos_weight: Tensor | None = None,
) -> Tensor:
    scale = 1 if pos_weight is None else 1 + (pos_weight - 1) * target
    loss = (1 - target) * input - scale * F.logsigmoid(input)
    loss = loss if weight is None else loss * weight
    return _reduced(loss, _reduction(size_average, reduce, reduction))


def _triplet_margin_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: float = 1.0,
    p: float = 2,
    eps: float = 1e-6,
    swap: bool = False,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    distance = functools.partial(_pairwise_distance, p=p, eps=eps)
    far = distance(anchor, negative)
    if swap:
        far = torch.minimum(far, distance(positive, negative))
    loss = (margin + distance(anchor, positive) - far).clamp_min(0)
    return _reduced(loss, _reduction(size_average, reduce, reduction))


def _cosine_embedding_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: float = 0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    # The small number is that of PyTorch's own.
    square1, square2 = ((x * x).sum(-1) + 1e-12 for x in (input1, input2))
    cosine = (input1 * input2).sum(-1) / (square1 * square2).sqrt()
    loss = torch.where(target == 1, 1 - cosine, 0.0)
    loss = loss + torch.where(target == -1, (cosine - margin).clamp_min(0), 0.0)
    return _reduced(loss, _reduction(size_average, reduce, reduction))


def _multi_margin_loss(
    input: Tensor,
    target: Tensor,
    p: int = 1,
    margin: float = 1.0,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    index = target.unsqueeze(-1)
    gap = (margin - input.gather(-1, index) + input).clamp_min(0) ** p
    gap = gap if weight is None else gap * weight[index]
    others = torch.arange(input.shape[-1], device=input.device) != index
    return _reduced((gap * others).mean(-1), _reduction(size_average, reduce, reduction))


def _recurrent(func: Callable[..., Any]) -> Callable[..., Any]:
    """Keep from the kernels of oneDNN and cuDNN, which have no forward derivatives."""

    @functools.wraps(func)
    def run(*args: Any, **kwargs: Any) -> Any:
        backends: Any = (torch.backends.mkldnn, torch.backends.cudnn)
        before = [backend.enabled for backend in backends]
        try:
            for backend in backends:
                backend.enabled = False
            return func(*args, **kwargs)
        finally:
            for backend, enabled in zip(backends, before, strict=True):
                backend.enabled = enabled

    return run


def _reduction(size_average: bool | None, reduce: bool | None, reduction: str) -> str:
    if size_average is None and reduce is None:
        return reduction
    return _legacy.legacy_get_string(size_average, reduce, emit_warning=False)


_T = Tensor
_RULES: tuple[tuple[Callable[..., Any], tuple[Callable[..., Any], ...]], ...] = (
    (_layer_norm, (F.layer_norm, torch.layer_norm)),
    (_batch_norm, (F.batch_norm,)),
    (_reordered(_batch_norm), (torch.batch_norm,)),
    (_instance_norm, (F.instance_norm,)),
    (_reordered(_instance_norm), (torch.instance_norm,)),
    (_solve, (torch.linalg.solve,)),
    (_solve_ex, (torch.linalg.solve_ex,)),
    (_tensorsolve, (torch.linalg.tensorsolve,)),
    (_cholesky_inverse, (torch.cholesky_inverse, _T.cholesky_inverse)),
    (_det, (torch.linalg.det,)),
    (_torch_det, (torch.det, _T.det)),
    (_slogdet, (torch.linalg.slogdet,)),
    (_torch_slogdet, (torch.slogdet, _T.slogdet)),
    (_logdet, (torch.logdet, _T.logdet)),
    (_householder_product, (torch.linalg.householder_product,)),
    (_attention, (F.scaled_dot_product_attention,)),
    (_activation(_hardsigmoid), (F.hardsigmoid,)),
)
_ROUNDED: tuple[tuple[Callable[..., Any], tuple[Callable[..., Any], ...]], ...] = (
    (weight_norm, (torch._weight_norm,)),
    (_vector_norm, (torch.linalg.vector_norm,)),
    (_matrix_norm, (torch.linalg.matrix_norm,)),
    (_norm, (torch.linalg.norm,)),
    (_torch_norm, (torch.norm, _T.norm)),
    (_normalize, (F.normalize,)),
    (_std, (torch.std, _T.std)),
    (_cosine_similarity, (F.cosine_similarity,)),
    (_pairwise_distance, (F.pairwise_distance,)),
    (_dist, (torch.dist, _T.dist)),
    (_cdist, (torch.cdist,)),
    (_pdist, (F.pdist,)),
    (_glu, (F.glu,)),
    (_embedding_bag, (F.embedding_bag,)),
    (_scatter_reduce, (torch.scatter_reduce, _T.scatter_reduce)),
    (_soft_margin_loss, (F.soft_margin_loss,)),
    (_multi_margin_loss, (F.multi_margin_loss,)),
    (_renorm, (torch.renorm, _T.renorm)),
)
_IN_FORWARD_MODE: tuple[tuple[Callable[..., Any], tuple[Callable[..., Any], ...]], ...] = (
    (_group_norm, (F.group_norm, torch.group_norm)),
    (_activation(lambda x: x * x.sigmoid()), (F.silu,)),
    (_activation(lambda x: x * F.softplus(x).tanh()), (F.mish,)),
    (_logit, (torch.logit, torch.special.logit, _T.logit)),
)
_CHECKED: tuple[tuple[Callable[..., Any], Callable[..., Any]], ...] = (
    (_huber_loss, F.huber_loss),
    (_triplet_margin_loss, F.triplet_margin_loss),
    (_cosine_embedding_loss, F.cosine_embedding_loss),
    (_bce_with_logits, F.binary_cross_entropy_with_logits),
)
DECOMPOSITIONS: dict[Callable[..., Any], Callable[..., Any]] = {
    **{func: rule for rule, funcs in _RULES for func in funcs},
    **{func: _rounded_once(rule, func) for rule, funcs in _ROUNDED for func in funcs},
    **{func: _checked(rule, func) for rule, func in _CHECKED},
    **{
        func: _in_forward_mode(_rounded_once(rule, func) if rule is _logit else rule, func)
        for rule, funcs in _IN_FORWARD_MODE
        for func in funcs
    },
    **{
        func: _in_forward_mode(_recurrent(func), func)
        for func in (torch.lstm, torch.gru, torch.rnn_tanh, torch.rnn_relu)
    },
    F.mse_loss: _in_forward_mode(_checked(_mse_loss, F.mse_loss), F.mse_loss),
    **dict.fromkeys((torch.std_mean,), _std_mean),
}


_QUESTIONS = ("has_torch_function", "has_torch_function_unary", "has_torch_function_variadic")


def _no(*_: Any) -> bool:
    return False


def _projections(
    q: Tensor, k: Tensor, v: Tensor, w: Tensor, b: Tensor | None = None
) -> list[Tensor]:
    """Return what attention reads; torch.compile cannot trace PyTorch's own in a mode."""
    if q is k and k is v:
        return [x.contiguous() for x in F.linear(q, w, b).chunk(3, -1)]
    biases = (None,) * 3 if b is None else b.chunk(3)
    return [F.linear(x, a, c) for x, a, c in zip((q, k, v), w.chunk(3), biases, strict=True)]


def _without_question(func: Any) -> types.FunctionType:
    """Return a copy that does not ask whether a mode is on, so that it can run with the mode on."""
    namespace = func.__globals__ | dict.fromkeys(_QUESTIONS, _no)
    namespace["_in_projection_packed"] = _projections
    copy = types.FunctionType(
        func.__code__, namespace, func.__name__, func.__defaults__, func.__closure__
    )
    copy.__kwdefaults__ = func.__kwdefaults__
    return copy


# Written in Python, they call some of the above, or what users give them.
# A mode that is asked about one of them is off meanwhile.
COMPOSITES: dict[Callable[..., Any], Callable[..., Any]] = {
    func: _without_question(func)
    for func in (
        F.multi_head_attention_forward,
        F.triplet_margin_with_distance_loss,
    )
}

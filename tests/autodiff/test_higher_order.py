"""Derivatives of any order on any route, against differences of PyTorch's own first derivatives."""

from __future__ import annotations

import contextlib
import functools
import re
import threading
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.nn.functional as F
import torchgen
from torch import Tensor, nn
from torch.autograd import forward_ad
from torch.func import functional_call, grad, jvp, vjp, vmap
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.checkpoint import checkpoint

import torchopt
from _cases import in_turn
from torchopt.autodiff.decompositions import DECOMPOSITIONS
from torchopt.autodiff.exact import HigherOrder, same_bits

Op = Callable[[Tensor], Tensor]
F64 = torch.float64
SIZE = 24  # of the one variable that all arguments of an operator are made of


@functools.cache
def constant(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed + 7), dtype=F64)


def arg(w: Tensor, *shape: int) -> Tensor:
    n = torch.Size(shape).numel()
    mixed = w @ constant(SIZE, n, seed=n) * 0.5
    return mixed.reshape(shape) + constant(*shape, seed=n + 1)


def positive(w: Tensor, n: int) -> Tensor:
    return arg(w, n).sin() + 1.5


def square(w: Tensor, *batch: int) -> Tensor:
    """Well-conditioned matrices without symmetry, whose factorization exchanges rows."""
    return (arg(w, *batch, 3, 3) * 0.4 + 1.5 * torch.eye(3, dtype=F64))[..., [1, 2, 0], :]


def qkv(w: Tensor, heads: int = 2) -> tuple[Tensor, Tensor, Tensor]:
    return arg(w, 2, 2, 3, 4), arg(w.sin(), 2, heads, 3, 4), arg(w.cos(), 2, heads, 3, 4)


def attention(w: Tensor, **kwargs: object) -> Tensor:
    return F.scaled_dot_product_attention(*qkv(w), **kwargs)  # type: ignore[arg-type]


def with_dropout(w: Tensor) -> Tensor:
    torch.manual_seed(3)
    return attention(w, dropout_p=0.4)


@functools.cache
def module(kind: str) -> nn.Module:
    torch.manual_seed(0)
    if kind == "attention":
        return nn.MultiheadAttention(4, 2, batch_first=True, dtype=F64)
    return nn.TransformerEncoderLayer(4, 2, 8, dropout=0.0, batch_first=True, dtype=F64)


def transformer(w: Tensor) -> Tensor:
    weights = {"linear1.weight": arg(w, 8, 4) * 0.3, "norm1.weight": positive(w, 4)}
    return functional_call(module("transformer"), weights, (arg(w, 2, 3, 4),))


def multi_head(w: Tensor) -> Tensor:
    x, weights = arg(w, 2, 3, 4), {"in_proj_weight": arg(w, 12, 4) * 0.3}
    return functional_call(module("attention"), weights, (x, x, x), {"need_weights": False})[0]


SIGNS = constant(3, 5).sign()
INDEX = torch.tensor([[0, 2, 2], [1, 3, 1]])
OFFSETS = torch.tensor([0, 2, 2])  # the second bag is empty
MASK = torch.tensor([[1, 0, 1], [1, 1, 0], [0, 1, 1]], dtype=torch.bool)
STATISTICS = constant(3), constant(3).abs() + 0.5

OPS: dict[str, Op] = {
    "layer_norm": lambda w: F.layer_norm(arg(w, 3, 5), (5,), positive(w, 5), positive(w, 5)),
    "layer_norm_plain": lambda w: F.layer_norm(arg(w, 2, 3, 4), (3, 4)),
    "torch_layer_norm": lambda w: torch.layer_norm(arg(w, 3, 5), (5,), positive(w, 5)),
    "batch_norm": lambda w: F.batch_norm(
        arg(w, 4, 3), None, None, positive(w, 3), positive(w, 3), training=True
    ),
    "batch_norm_2d": lambda w: F.batch_norm(arg(w, 2, 3, 2, 2), None, None, training=True),
    "batch_norm_eval": lambda w: F.batch_norm(arg(w, 4, 3, 2), *STATISTICS, positive(w, 3)),
    "torch_batch_norm": lambda w: torch.batch_norm(
        arg(w, 4, 3), positive(w, 3), None, None, None, True, 0.1, 1e-5, False
    ),
    "instance_norm": lambda w: F.instance_norm(
        arg(w, 2, 3, 4), weight=positive(w, 3), bias=positive(w, 3)
    ),
    "group_norm": lambda w: F.group_norm(arg(w, 2, 4, 3), 2, positive(w, 4), positive(w, 4)),
    "rms_norm": lambda w: F.rms_norm(arg(w, 3, 5), (5,), positive(w, 5)),
    "weight_norm": lambda w: torch._weight_norm(arg(w, 3, 5), positive(w, 3)[:, None], 0),
    "attention": attention,
    "attention_causal": lambda w: attention(w, is_causal=True),
    "attention_bool_mask": lambda w: attention(w, attn_mask=MASK, scale=0.7),
    "attention_float_mask": lambda w: attention(w, attn_mask=arg(w, 3, 3)),
    "attention_dropout": with_dropout,
    "attention_grouped": lambda w: F.scaled_dot_product_attention(*qkv(w, 1), enable_gqa=True),
    "multi_head_attention": multi_head,
    "transformer_layer": transformer,
    "solve": lambda w: torch.linalg.solve(square(w), arg(w, 3, 2)),
    "solve_vector": lambda w: torch.linalg.solve(square(w, 2), arg(w, 2, 3)),
    "solve_right": lambda w: torch.linalg.solve(square(w), arg(w, 2, 3), left=False),
    "solve_ex": lambda w: torch.linalg.solve_ex(square(w), arg(w, 3, 2)).result,
    "tensorsolve": lambda w: torch.linalg.tensorsolve(square(w).reshape(3, 1, 3), arg(w, 3, 1)),
    "det": lambda w: torch.linalg.det(square(w, 2)),
    "slogdet": lambda w: torch.slogdet(square(w)).logabsdet,
    "logdet": lambda w: (square(w) @ square(w).mT).logdet(),
    "cholesky_inverse": lambda w: torch.cholesky_inverse(square(w)[[2, 0, 1]].tril()),
    "householder_product": lambda w: torch.linalg.householder_product(
        arg(w, 2, 4, 3) * 0.3, positive(w, 4).reshape(2, 2)
    ),
    "vector_norm": lambda w: torch.linalg.vector_norm(arg(w, 3, 5), dim=-1),
    "norm": lambda w: arg(w, 3, 5).norm(dim=0) + torch.norm(arg(w, 3, 5)),
    "frobenius": lambda w: torch.linalg.norm(arg(w, 2, 3, 4), "fro", dim=(1, 2)),
    "normalize": lambda w: F.normalize(arg(w, 3, 5)),
    "cosine_similarity": lambda w: F.cosine_similarity(arg(w, 3, 5), arg(w.sin(), 1, 5)),
    "cdist": lambda w: torch.cdist(arg(w, 3, 5), arg(w.sin(), 4, 5)),
    "pdist": lambda w: F.pdist(arg(w, 3, 5)),
    "embedding_bag": lambda w: F.embedding_bag(INDEX, arg(w, 5, 3), padding_idx=1),
    "embedding_bag_sum": lambda w: F.embedding_bag(
        INDEX[0], arg(w, 5, 3), OFFSETS, mode="sum", per_sample_weights=positive(w, 3)
    ),
    "embedding_bag_offsets": lambda w: F.embedding_bag(
        INDEX[0], arg(w, 5, 3), torch.tensor([0, 1, 3]), include_last_offset=True
    ),
    "multi_margin_loss": lambda w: F.multi_margin_loss(
        arg(w, 3, 5), torch.tensor([1, 0, 4]), p=2, margin=2.5, weight=constant(5).abs()
    ),
    "multi_margin_loss_of_one": lambda w: F.multi_margin_loss(
        arg(w, 5), torch.tensor([2]), margin=2.5, reduction="sum"
    ),
    "multi_margin_loss_with_an_axis": lambda w: F.multi_margin_loss(
        arg(w, 5), torch.tensor([2]), margin=2.5, reduction="none"
    ),
    "silu": lambda w: F.silu(arg(w, 3, 5)),
    "mish": lambda w: F.mish(arg(w, 3, 5)),
    "hardsigmoid": lambda w: F.hardsigmoid(arg(w, 3, 5) * 2),
    "logit": lambda w: arg(w, 5).sigmoid().logit(),
    "cosine_embedding_loss": lambda w: F.cosine_embedding_loss(
        arg(w, 3, 5), arg(w.sin(), 3, 5), torch.tensor([1, 1, -1]), margin=-0.9
    ),
    "vector_norm_4": lambda w: torch.linalg.norm(arg(w, 3, 5), 4, dim=0),
    "renorm": lambda w: torch.renorm(arg(w, 3, 5), 2, 0, 1.7),
    "std": lambda w: arg(w, 3, 5).std(-1) + torch.std_mean(arg(w, 3, 5).cos(), 1)[0],
    "pairwise_distance": lambda w: F.pairwise_distance(arg(w, 3, 5), arg(w.sin(), 3, 5)),
    "dist": lambda w: arg(w, 3, 5).dist(arg(w.sin(), 3, 5)),
    "glu": lambda w: F.glu(arg(w, 3, 4)),
    "huber_loss": lambda w: F.huber_loss(arg(w, 3, 5), arg(w.cos(), 3, 5), delta=0.8),
    "soft_margin_loss": lambda w: F.soft_margin_loss(arg(w, 3, 5), SIGNS, reduction="none"),
    "bce_with_logits": lambda w: F.binary_cross_entropy_with_logits(
        arg(w, 3, 5), arg(w.cos(), 3, 5).sigmoid(), pos_weight=positive(w, 5)
    ),
}

POINT = constant(SIZE, seed=1) * 0.5
FIRST, SECOND = constant(SIZE, seed=2) * 0.3, constant(SIZE, seed=3) * 0.3


def loss(op: Op, w: Tensor) -> Tensor:
    out = op(w).sin()
    return (out * constant(*out.shape, seed=4)).sum()


@functools.cache
def differences(name: str) -> tuple[Tensor, Tensor]:
    """Return the second and third directional derivatives of the gradient's function."""
    g = grad(functools.partial(loss, OPS[name]))

    def second(h: float) -> Tensor:
        return (g(POINT + h * FIRST) - g(POINT - h * FIRST)) / (2 * h)

    def third(h: float) -> Tensor:
        signs = [(a, b) for a in (h, -h) for b in (h, -h)]
        return sum(a * b * g(POINT + a * FIRST + b * SECOND) for a, b in signs) / (4 * h**4)

    # Richardson's extrapolation.
    return (4 * second(2e-4) - second(4e-4)) / 3, (4 * third(1e-3) - third(2e-3)) / 3


def reverse_twice(f: Op, w: Tensor, v: Tensor) -> Tensor:
    w = w.clone().requires_grad_()
    (g,) = torch.autograd.grad(f(w), w, create_graph=True)
    return torch.autograd.grad(g, w, v)[0]


def dual_then_reverse(f: Op, w: Tensor, v: Tensor) -> Tensor:
    with forward_ad.dual_level():
        w = w.clone().requires_grad_()
        (g,) = torch.autograd.grad(f(forward_ad.make_dual(w, v)), w)
        return forward_ad.unpack_dual(g).tangent


def reverse_over_reverse(f: Op, w: Tensor, v: Tensor) -> Tensor:
    return vjp(grad(f), w)[1](v)[0]


def forward_over_reverse(f: Op, w: Tensor, v: Tensor) -> Tensor:
    return jvp(grad(f), (w,), (v,))[1]


def reverse_over_forward(f: Op, w: Tensor, v: Tensor) -> Tensor:
    return grad(lambda w: jvp(f, (w,), (v,))[1])(w)


SECOND_ORDER = {
    "reverse": reverse_over_reverse,
    "forward": forward_over_reverse,
    "reverse_forward": reverse_over_forward,
}


def reverse_thrice(f: Op, w: Tensor, v: Tensor, u: Tensor) -> Tensor:
    w = w.clone().requires_grad_()
    (g,) = torch.autograd.grad(f(w), w, create_graph=True)
    (h,) = torch.autograd.grad(g, w, v, create_graph=True)
    return torch.autograd.grad(h, w, u)[0]


def reverse_over(name: str, f: Op, w: Tensor, v: Tensor, u: Tensor) -> Tensor:
    return vjp(lambda w: SECOND_ORDER[name](f, w, v), w)[1](u)[0]


def forward_over(name: str, f: Op, w: Tensor, v: Tensor, u: Tensor) -> Tensor:
    return jvp(lambda w: SECOND_ORDER[name](f, w, v), (w,), (u,))[1]


def batched(route: Callable[..., Tensor], f: Op, *given: Tensor) -> Tensor:
    stacked = [torch.stack([x + 0.5, x]) for x in given]
    return vmap(functools.partial(route, f), randomness="same")(*stacked)[1]


ROUTES: dict[str, Callable[..., Tensor]] = {"twice": reverse_twice, "dual": dual_then_reverse}
ROUTES |= SECOND_ORDER
ROUTES |= {f"vmap_{n}": functools.partial(batched, r) for n, r in SECOND_ORDER.items()}
THIRD_ORDER: dict[str, Callable[..., Tensor]] = {"thrice": reverse_thrice}
for _name in SECOND_ORDER:
    THIRD_ORDER[f"reverse_{_name}"] = functools.partial(reverse_over, _name)
    THIRD_ORDER[f"forward_{_name}"] = functools.partial(forward_over, _name)
for _name in ("reverse", "forward"):
    THIRD_ORDER[f"vmap_reverse_{_name}"] = functools.partial(
        batched, functools.partial(reverse_over, _name)
    )


def relative(found: Tensor, expected: Tensor) -> float:
    return ((found - expected).norm() / expected.norm()).item()


def in_context(name: str) -> Op:
    loss(OPS[name], POINT)  # makes the constants outside of transforms

    def f(w: Tensor) -> Tensor:
        with torchopt.higher_order():
            return loss(OPS[name], w)

    return f


def kinds_of(routes: Iterable[str]) -> list[list[str]]:
    """Return routes of reverse mode alone, those with forward mode, and those of a batch.

    What replaces an operator asks whether forward mode is on (`decompositions.wrappers`) and is made of
    PyTorch's own derivatives, so that each operator takes one route of each kind.
    """
    kinds: dict[str, list[str]] = {}
    for route in routes:
        kind = re.search("vmap|forward|dual", route)
        kinds.setdefault(kind[0].replace("dual", "forward") if kind else "", []).append(route)
    return [*kinds.values()]


@pytest.mark.parametrize(("name", "route"), in_turn([*OPS], kinds_of(ROUTES)))
def test_second_derivative_equals_differences(name: str, route: str) -> None:
    found = ROUTES[route](in_context(name), POINT, FIRST)
    assert relative(found, differences(name)[0]) < 1e-7


@pytest.mark.parametrize(("name", "route"), in_turn([*OPS], kinds_of(THIRD_ORDER)))
def test_third_derivative_equals_differences(name: str, route: str) -> None:
    found = THIRD_ORDER[route](in_context(name), POINT, FIRST, SECOND)
    assert relative(found, differences(name)[1]) < 2e-5


@pytest.mark.parametrize("name", OPS)
def test_values_are_pytorchs(name: str) -> None:
    expected = OPS[name](POINT)
    with torchopt.higher_order():
        found = OPS[name](POINT)
    assert relative(found, expected) < 1e-13
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
    if "norm" in name:
        assert found.stride() == expected.stride()


CONVERTED = [
    name
    for name in OPS
    if not name.startswith(
        ("solve", "tensorsolve", "householder", "det", "slogdet", "logdet", "cholesky")
    )
    and name not in ("attention_dropout", "multi_head_attention", "transformer_layer")
]


class Converted(TorchFunctionMode):
    """Gives the decomposed operators their tensors in another dtype."""

    def __init__(self, dtype: torch.dtype) -> None:
        super().__init__()
        self.dtype = dtype

    def __torch_function__(self, func, types, args=(), kwargs=None):  # type: ignore[no-untyped-def]
        if func in DECOMPOSITIONS:
            args, kwargs = torch.utils._pytree.tree_map_only(
                Tensor, lambda x: x.to(self.dtype) if x.dtype == F64 else x, (args, kwargs)
            )
        return func(*args, **(kwargs or {}))


@pytest.mark.parametrize("autocast", [False, True])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("name", CONVERTED)
def test_dtypes_are_pytorchs(name: str, dtype: torch.dtype, autocast: bool) -> None:
    if name.startswith(("pdist", "multi_margin")) or (name == "cdist" and not autocast):
        dtype = torch.float32  # PyTorch has no other
    with torch.autocast("cpu", torch.bfloat16, enabled=autocast):
        with Converted(dtype):
            expected = OPS[name](POINT)
        with torchopt.higher_order(), Converted(dtype):
            found = OPS[name](POINT)
    assert found.dtype == expected.dtype
    low = torch.bfloat16 in (dtype, found.dtype)
    assert relative(found.double(), expected.double()) < (2e-2 if low else 1e-5)


@pytest.fixture
def batches() -> Iterator[Tensor]:
    return iter(constant(3, 5, 4, 3, 2, 2, seed=11).unbind())


@pytest.mark.parametrize("momentum", [0.3, None])
@pytest.mark.parametrize("dims", [1, 2, 3])
@pytest.mark.parametrize("affine", [True, False])
def test_running_statistics_of_batch_norm_are_pytorchs(
    momentum: float | None, dims: int, affine: bool, batches: Iterator[Tensor]
) -> None:
    kind = (nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d)[dims - 1]
    ours, theirs = (kind(4, momentum=momentum, affine=affine, dtype=F64) for _ in range(2))
    for x in batches:
        x = x.flatten(dims + 1)
        with torchopt.higher_order():
            found = ours(x)
        torch.testing.assert_close(found, theirs(x), rtol=1e-12, atol=1e-13)
    for name, buffer in theirs.named_buffers():
        assert torch.equal(ours.get_buffer(name), buffer), name
    with torchopt.higher_order():
        found = ours.eval()(x)
    torch.testing.assert_close(found, theirs.eval()(x), rtol=1e-12, atol=1e-13)


def test_running_statistics_are_updated_once_under_transforms() -> None:
    x, theirs = constant(6, 3), nn.BatchNorm1d(3, dtype=F64)
    mean, var = torch.zeros(3, dtype=F64), torch.ones(3, dtype=F64)

    def f(x: Tensor) -> Tensor:
        with torchopt.higher_order():
            return F.batch_norm(x, mean, var, training=True).pow(3).sum()

    jvp(grad(f), (x,), (constant(6, 3, seed=1),))
    theirs(x)
    torch.testing.assert_close(mean, theirs.running_mean, rtol=0, atol=0)
    torch.testing.assert_close(var, theirs.running_var, rtol=0, atol=0)


@pytest.mark.parametrize("norm", ["batch", "group", "instance"])
def test_channels_last_is_kept(norm: str) -> None:
    x = constant(2, 4, 3, 5).contiguous(memory_format=torch.channels_last)
    op: Op = {
        "batch": lambda x: F.batch_norm(x, None, None, training=True),
        "group": lambda x: F.group_norm(x, 2),
        "instance": lambda x: F.instance_norm(x),
    }[norm]
    with torchopt.higher_order():
        found = op(x)
    torch.testing.assert_close(found, op(x), rtol=1e-12, atol=1e-13)
    assert found.is_contiguous(memory_format=torch.channels_last)


def test_rows_without_any_key_attend_to_nothing() -> None:
    mask = MASK.clone()
    mask[1] = False

    def f(w: Tensor) -> Tensor:
        with torchopt.higher_order():
            return loss(lambda w: attention(w, attn_mask=mask), w)

    with torchopt.higher_order():
        assert attention(POINT, attn_mask=mask)[..., 1, :].eq(0).all()
    g = grad(f)
    h = 1e-5
    expected = (g(POINT + h * FIRST) - g(POINT - h * FIRST)) / (2 * h)
    for route in ROUTES.values():
        assert relative(route(f, POINT, FIRST), expected) < 1e-6


@pytest.mark.parametrize("name", ["vector_norm", "std", "cosine_similarity", "cdist"])
def test_derivatives_at_a_zero_norm_are_pytorchs(name: str) -> None:
    op: Op = {
        "vector_norm": lambda x: torch.linalg.vector_norm(x, dim=1),
        "std": lambda x: x.std(1),
        "cosine_similarity": lambda x: F.cosine_similarity(x, constant(3, 4)),
        "cdist": lambda x: torch.cdist(x, x),
    }[name]
    x = constant(3, 4).clone()
    x[1] = 0

    def g(x: Tensor) -> Tensor:
        return grad(lambda x: op(x).sum())(x)

    expected = g(x)
    with torchopt.higher_order():
        found = g(x)
    torch.testing.assert_close(found, expected, rtol=1e-12, atol=1e-12)


ZERO = torch.zeros(1, 3, dtype=F64)
AT_ZERO: dict[str, Op] = {
    "normalize": F.normalize,
    "norm": torch.norm,
    "vector_norm": torch.linalg.vector_norm,
    "vector_norm_4": lambda x: torch.linalg.vector_norm(x, 4, dim=1),
    "matrix_norm": torch.linalg.matrix_norm,
    "std": lambda x: x.std(1),
    "std_mean": lambda x: torch.std_mean(x, 1)[0],
    "dist": lambda x: x.dist(ZERO),
    "pairwise_distance": lambda x: F.pairwise_distance(x, ZERO, eps=0),
    "renorm": lambda x: x.renorm(2, 0, 1.7),
}


@pytest.mark.parametrize("name", AT_ZERO)
def test_second_derivatives_at_a_zero_norm_are_numbers_where_pytorchs_are_nan(name: str) -> None:
    def second() -> Tensor:
        """The derivative of a gradient, in the point and in a factor of the norm."""
        x, w = ZERO.clone().requires_grad_(), torch.ones(1, dtype=F64, requires_grad=True)
        loss = (1e-12 * w * AT_ZERO[name](x)).sin().sum()
        (g,) = torch.autograd.grad(loss, x, create_graph=True)
        return torch.cat([t.flatten() for t in torch.autograd.grad(g.sum(), (x, w))])

    assert second().isnan().any()
    with torchopt.higher_order():
        *point, factor = second()
    slope = {"normalize": 3, "renorm": 3e-12}.get(name, 0)
    torch.testing.assert_close(
        torch.stack([*point, factor]), torch.tensor([0, 0, 0, slope], dtype=F64)
    )


@pytest.mark.parametrize("scale", [1e-37, 1e-25, 1.0, 1e25, 1e37])
@pytest.mark.parametrize(
    "std",
    [
        lambda x: x.std(1),
        lambda x: torch.std(x, axis=(1,), keepdims=True),
        lambda x: torch.std(x, True),
        lambda x: torch.std_mean(x, 1, correction=0)[0],
        lambda x: torch.std_mean(x, dim=-1)[1],
    ],
)
def test_deviations_of_any_scale_are_those_of_float64(std: Op, scale: float) -> None:
    rows = torch.tensor([[1.0, 2.0, 4.0, -3.0], [0.5, 0.1, 0.2, 0.0]], dtype=F64) * scale
    rows[1] *= 1e-25 if scale == 1e25 else 1  # each slice has its own unit

    def value_and_derivatives(x: Tensor) -> list[Tensor]:
        """The derivatives have no unit: that of the gradient is along a direction of x's size."""
        x = x.requires_grad_()
        with torchopt.higher_order():
            out = std(x)
        (g,) = torch.autograd.grad(out.sum(), x, create_graph=True)
        v = x.detach().abs().amax(1, keepdim=True) * constant(2, 4).to(x.dtype)
        return [out.detach(), g, torch.autograd.grad(g + 0 * x, x, v)[0]]

    x = rows.float()
    value, *found = value_and_derivatives(x)
    torch.testing.assert_close(value, std(x.detach()), rtol=1e-6, atol=0)
    for ours, theirs in zip(found, value_and_derivatives(x.detach().double())[1:], strict=True):
        torch.testing.assert_close(ours.double(), theirs, rtol=1e-5, atol=2e-6)


def test_products_that_are_scattered_are_refused() -> None:
    index = torch.tensor([[0, 1, 1]])
    with torchopt.higher_order():
        for reduce in ({"reduce": "prod"}, {"reduce": "amax"}):
            refused = pytest.raises(NotImplementedError, match="higher derivatives")
            with refused if reduce["reduce"] == "prod" else contextlib.nullcontext():
                torch.ones(2, 3).scatter_reduce(0, index, torch.ones(1, 3), **reduce)
        with pytest.raises(NotImplementedError, match="higher derivatives"):
            torch.scatter_reduce(torch.ones(2, 3), 0, index, torch.ones(1, 3), "prod")


def test_determinants_have_signs_and_complex_values() -> None:
    A = square(POINT, 2)
    A = torch.stack([A[0], A[1, [1, 0, 2]]])
    for matrices in (A, torch.complex(A, A.flip(-1) * 0.3)):
        with torchopt.higher_order():
            sign, logabsdet = torch.linalg.slogdet(matrices)
            det, logdet = matrices.det(), torch.logdet(matrices)
        torch.testing.assert_close(det, torch.linalg.det(matrices), rtol=1e-12, atol=0)
        torch.testing.assert_close(sign, torch.linalg.slogdet(matrices)[0], rtol=1e-12, atol=0)
        torch.testing.assert_close(logabsdet, torch.linalg.slogdet(matrices)[1])
        torch.testing.assert_close(logdet, torch.logdet(matrices), equal_nan=True)
    assert torch.linalg.slogdet(A)[0].unique().numel() == 2


def test_what_pytorch_refuses_is_refused_in_its_words() -> None:
    x = constant(3, 5)
    with torchopt.higher_order():
        with pytest.raises(RuntimeError, match="normalized_shape"):
            F.layer_norm(x, (4,))
        with pytest.raises(ValueError, match="more than 1 value per channel"):
            F.batch_norm(x[:1], None, None, training=True)
        with pytest.raises(RuntimeError, match="weight"):
            F.batch_norm(x, None, None, x[0, :1], training=True)
        with pytest.raises(ValueError, match="must be the same as input size"):
            F.binary_cross_entropy_with_logits(x, x[0])
        with pytest.raises(torch.linalg.LinAlgError):
            torch.linalg.solve(torch.zeros(2, 2), torch.ones(2))


def test_context_is_reentrant_and_of_one_thread() -> None:
    active = torch.overrides._get_current_function_mode_stack
    seen = []
    with torchopt.higher_order(), torchopt.higher_order():
        assert [type(mode) for mode in active()] == [HigherOrder]
        other = threading.Thread(target=lambda: seen.append(len(active())))
        other.start()
        other.join()
    assert seen == [0]
    assert not active()


def test_trilevel_program_through_normalizations_equals_differences() -> None:
    """A step of a step of a step: the derivative of the outermost has third derivatives."""
    torch.manual_seed(0)
    net = nn.Sequential(
        nn.Linear(3, 4), nn.LayerNorm(4), nn.Tanh(), nn.BatchNorm1d(4), nn.Linear(4, 1)
    ).to(F64)
    params = {name: p.detach() for name, p in net.named_parameters()}
    x, y = constant(3, 6, 3), constant(3, 6, 1, seed=5)

    def risk(params: dict[str, Tensor], level: int) -> Tensor:
        buffers = {name: b.clone() for name, b in net.named_buffers()}
        return (functional_call(net, params | buffers, (x[level],)) - y[level]).pow(2).mean()

    def inner(scale: Tensor) -> Tensor:
        start = {name: p * (1 + scale) for name, p in params.items()}
        step = grad(risk)(start, 0)
        return risk({name: p - 0.3 * step[name] for name, p in start.items()}, 1)

    def outer(scale: Tensor) -> Tensor:
        adapted = scale - 0.5 * grad(inner)(scale)
        return inner(adapted - 0.5 * grad(inner)(adapted))

    def meta(scale: Tensor) -> Tensor:
        with torchopt.higher_order():
            return outer(scale)

    scale = torch.tensor(0.2, dtype=F64)
    h = 1e-4
    values = [meta(scale + k * h) for k in (-2, -1, 1, 2)]
    expected = (values[0] - 8 * values[1] + 8 * values[2] - values[3]) / (12 * h)
    assert relative(grad(meta)(scale), expected) < 1e-8
    assert relative(jvp(meta, (scale,), (torch.ones_like(scale),))[1], expected) < 1e-8
    assert relative(grad(outer)(scale), expected) > 1e-3  # PyTorch's own


def test_a_checkpointed_region_may_enter_the_mode() -> None:
    x, weight = constant(3, 5).clone().requires_grad_(), positive(POINT, 5)

    def region(x: Tensor) -> Tensor:
        y = F.layer_norm(x, (5,), weight)
        with torchopt.higher_order():
            y = F.layer_norm(y, (5,), weight)
        return F.layer_norm(y, (5,), weight).sin().sum()

    (expected,) = torch.autograd.grad(region(x), x)
    value = checkpoint(region, x, use_reentrant=False)
    (found,) = torch.autograd.grad(value, x, retain_graph=True)
    torch.testing.assert_close(found, expected, rtol=1e-12, atol=1e-12)
    value.backward()
    torch.testing.assert_close(x.grad, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("nested", [False, True])
def test_a_region_that_would_be_recomputed_by_other_operators_is_refused(nested: bool) -> None:
    def region(x: Tensor) -> Tensor:
        y = F.layer_norm(x, (5,)).sin().sum()
        return checkpoint(torch.exp, y, use_reentrant=False) if nested else y

    x = constant(3, 5).clone().requires_grad_()
    with torchopt.higher_order():
        checkpoint(lambda x: x.exp() @ x.T, x, use_reentrant=False).sum().backward()
        with pytest.raises(
            RuntimeError, match=r"saves little .* or call `torchopt\.remat\(function"
        ):
            checkpoint(region, x, use_reentrant=False)
        with torch.autograd.graph.save_on_cpu():  # other hooks on saved tensors are no regions
            F.layer_norm(x, (5,)).sum().backward()


def test_regions_that_were_evaluated_before_are_recomputed_as_they_were() -> None:
    x = constant(3, 5).clone().requires_grad_()
    value = checkpoint(lambda x: F.layer_norm(x, (5,)).sin().sum(), x, use_reentrant=False)
    with torchopt.higher_order():
        (found,) = torch.autograd.grad(value, x)
    (expected,) = torch.autograd.grad(F.layer_norm(x, (5,)).sin().sum(), x)
    torch.testing.assert_close(found, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.compiled
def test_context_compiles_with_its_transforms() -> None:
    given = constant(3, 5), positive(POINT, 5), constant(3, 5, seed=2), constant(3, 5, seed=3)

    def third(x: Tensor, weight: Tensor, v: Tensor, u: Tensor) -> Tensor:
        def f(x: Tensor) -> Tensor:
            with torchopt.higher_order():
                return F.normalize(F.layer_norm(x, (5,), weight)).square().sum()

        return vjp(lambda x: jvp(grad(f), (x,), (v,))[1], x)[1](u)[0]

    found = torch.compile(third, backend="eager", fullgraph=True)(*given)
    torch.testing.assert_close(found, third(*given), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(
    "function",
    [
        torch.linalg.matrix_norm,
        lambda A: torch.linalg.matrix_norm(A, "nuc"),
        lambda A: torch.linalg.norm(A, "nuc"),
        lambda A: torch.linalg.norm(A, 1),
        lambda A: torch.linalg.vector_norm(A, float("inf")),
        lambda A: torch.norm(A, "nuc"),
        lambda A: torch.scatter_reduce(A, 0, torch.zeros_like(A, dtype=torch.long), A, "amax"),
        lambda A: torch.linalg.tensorsolve(A, A[0], (0,)),
        lambda A: torch.linalg.solve_ex(A, A[0], check_errors=True).result,
    ],
)
def test_options_without_a_decomposition_are_pytorchs(function: Callable[[Tensor], Tensor]) -> None:
    A = torch.tensor([[1.3, 0.2, -0.4], [0.5, -0.9, 0.3], [0.1, 0.7, 1.1]], dtype=torch.float64)
    expected = function(A)
    with torchopt.higher_order():
        torch.testing.assert_close(function(A), expected)


@pytest.mark.parametrize(
    "function",
    [
        lambda A, out: torch.linalg.solve(A, A[0], out=out),
        lambda A, out: torch.linalg.tensorsolve(A, A[0], None, out=out),
        lambda A, out: torch.cholesky_inverse(A, out=out),
        lambda A, out: torch.linalg.det(A, out=out),
        lambda A, out: torch.linalg.householder_product(A, A[0], out=out),
        lambda A, out: torch.linalg.vector_norm(A, out=out),
        lambda A, out: F.normalize(A, out=out),
    ],
)
def test_results_are_written_where_they_are_asked_for(
    function: Callable[[Tensor, Tensor], Tensor],
) -> None:
    A = torch.tensor([[1.3, 0.2, -0.4], [0.5, -0.9, 0.3], [0.1, 0.7, 1.1]], dtype=torch.float64)
    expected = function(A, A.new_empty(0))
    with torchopt.higher_order():
        out = function(A, written := A.new_empty(0))
    assert out is written
    torch.testing.assert_close(written, expected)


# --- the same bits, whatever is kept -----------------------------------------------------------------

#: PyTorch's gradient of these is computed by other operations where it keeps a graph.
OTHERWISE: dict[str, Op] = {
    "silu": F.silu,
    "mish": F.mish,
    "logit": lambda x: torch.logit(x.sigmoid()),
    "native_group_norm": lambda x: F.group_norm(x, 2),
    # One factor is zero or one; and on the CPU it is plain operations.
    "native_dropout": lambda x: F.dropout(x, 0.3),
    "_fused_rms_norm": lambda x: F.rms_norm(x, x.shape[1:]),
}


def with_same_bits(op: Op, x: Tensor, *, graph: bool, tangent: bool = False) -> Tensor:
    torch.manual_seed(0)
    x = x.clone().requires_grad_()
    with forward_ad.dual_level():
        at = forward_ad.make_dual(x, torch.ones_like(x)) if tangent else x
        with same_bits():
            out = op(at).pow(3).sum()
        (found,) = torch.autograd.grad(out, x, create_graph=graph)
        return forward_ad.unpack_dual(found).primal.detach()


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
@pytest.mark.parametrize("name", OTHERWISE)
def test_a_gradient_has_the_same_bits_with_a_graph_and_without_and_with_tangents(
    name: str, dtype: torch.dtype
) -> None:
    op, x = OTHERWISE[name], constant(16, 4, 9).to(dtype)
    expected = with_same_bits(op, x, graph=False)
    assert torch.equal(with_same_bits(op, x, graph=True), expected)
    assert torch.equal(with_same_bits(op, x, graph=False, tangent=True), expected)
    torch.manual_seed(0)
    y = x.clone().requires_grad_()
    (native,) = torch.autograd.grad(op(y).pow(3).sum(), y)
    torch.testing.assert_close(native, expected)


@pytest.mark.parametrize("dtype", [torch.float64, torch.bfloat16])
@pytest.mark.parametrize("function", [F.silu, F.mish, F.hardsigmoid], ids=lambda f: f.__name__)
def test_activations_in_place_have_the_gradients_of_others(
    function: Callable[..., Tensor], dtype: torch.dtype
) -> None:
    def gradient(inplace: bool, *, tangent: bool = False) -> Tensor:
        x = constant(5, 7).to(dtype).requires_grad_()
        with forward_ad.dual_level(), same_bits():
            at = forward_ad.make_dual(x, torch.ones_like(x)) if tangent else x
            y = at * 1.5
            out = function(y, inplace=inplace)
            assert (out is y) == inplace
            (found,) = torch.autograd.grad(out.pow(2).sum(), x, create_graph=True)
            return forward_ad.unpack_dual(found).primal.detach()

    expected = gradient(inplace=False)
    assert torch.equal(gradient(inplace=True), expected)
    assert torch.equal(gradient(inplace=True, tangent=True), expected)


def test_no_other_gradients_of_pytorch_are_computed_otherwise_with_a_graph() -> None:
    formulas = (Path(torchgen.__file__).parent / "packaged/autograd/derivatives.yaml").read_text()
    names = {
        re.split(r"[.(]", entry, maxsplit=1)[0]
        for entry in formulas.split("\n- name: ")
        if "GradMode::is_enabled()" in entry
    }
    replaced = {"_weight_norm_interface", "mkldnn_rnn_layer"}
    on_a_gpu = {"_thnn_fused_gru_cell", "_thnn_fused_lstm_cell"}
    assert names <= OTHERWISE.keys() | replaced | on_a_gpu
    assert {"silu", "mish"} <= names


@pytest.mark.parametrize("kind", [nn.LSTM, nn.GRU, nn.RNN])
def test_recurrent_layers_run_without_cudnn_which_has_no_second_derivative(kind: Any) -> None:
    enabled: dict[str, bool] = {}

    class Looks(TorchDispatchMode):
        def __torch_dispatch__(
            self, func: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            enabled[func.__name__] = torch.backends.cudnn.enabled
            return func(*args, **(kwargs or {}))

    layer, x = kind(3, 4, device="meta"), torch.ones(2, 3, device="meta")
    with torchopt.higher_order(), Looks():
        layer(x)
    assert {on for name, on in enabled.items() if "tanh" in name} == {False}
    assert torch.backends.cudnn.enabled


def test_running_statistics_of_instance_norm_are_pytorchs(batches: Iterator[Tensor]) -> None:
    ours, theirs = (nn.InstanceNorm3d(4, track_running_stats=True, dtype=F64) for _ in range(2))
    for x in batches:
        with torchopt.higher_order():
            found = ours(x)
        torch.testing.assert_close(found, theirs(x), rtol=1e-12, atol=1e-13)
    assert torch.equal(ours.running_mean, theirs.running_mean)
    assert torch.equal(ours.running_var, theirs.running_var)
    with torchopt.higher_order():
        found = ours.eval()(x)
    torch.testing.assert_close(found, theirs.eval()(x), rtol=1e-12, atol=1e-13)


def test_a_singular_system_is_an_error_where_it_is_asked_for() -> None:
    A = torch.zeros(2, 2)
    with torchopt.higher_order(), pytest.raises(torch.linalg.LinAlgError, match="singular"):
        torch.linalg.solve_ex(A, A[0], check_errors=True)

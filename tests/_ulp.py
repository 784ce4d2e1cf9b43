"""The arithmetic of other processors: what no standard rounds an ulp off, or all of it as in IEEE 754.

PyTorch takes roots, powers, exponentials, sums and products of matrices from libraries whose last bit
depends on the processor, the number of threads and the layout of memory. Sums, products and quotients
of two elements are the same everywhere.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch

aten = torch.ops.aten

_NAMES = """
    sqrt rsqrt exp exp2 expm1 log log1p sin cos tanh sigmoid erf addcmul addcdiv
    mm bmm mv addmm baddbmm _softmax _log_softmax linalg_vector_norm
"""
#: Operations whose last bit depends on the machine, with the variants that write into a result.
UNROUNDED: dict[Any, Any] = {
    **{getattr(aten, name).default: getattr(aten, name).out for name in _NAMES.split()},
    aten.pow.Tensor_Scalar: aten.pow.Tensor_Scalar_out,
    aten.pow.Tensor_Tensor: aten.pow.Tensor_Tensor_out,
    aten.pow.Scalar: aten.pow.Scalar_out,
    aten.sum.dim_IntList: aten.sum.IntList_out,
    aten.mean.dim: aten.mean.out,
    aten.lerp.Scalar: aten.lerp.Scalar_out,
    aten.lerp.Tensor: aten.lerp.Tensor_out,
}
#: The integers of a float's bits, and how many of its last digits an exact result has as zeros.
_BITS = {torch.float64: (torch.int64, 20), torch.float32: (torch.int32, 8)}


def one_ulp_off(y: torch.Tensor) -> torch.Tensor:
    """Move a third of the elements by an ulp. Which ones follows from their bits, place and number.

    Numbers with few digits stay: they are probably exact, and exact on every processor.
    """
    if y.dtype not in _BITS or y.numel() == 0:
        return y
    integer, digits = _BITS[y.dtype]
    bits = y.contiguous().view(integer).long()
    place = torch.arange(y.numel()).view(y.shape)
    mixed = (bits + 31 * place + 7919 * y.numel()) * 0x9E3779B97F4A7C1 >> 33 & 0xFFFF
    moves = (mixed % 3 == 0) & (bits & ((1 << digits) - 1) != 0) & y.isfinite()
    towards = torch.where(mixed % 2 == 0, torch.inf, -torch.inf).to(y.dtype)
    return torch.where(moves, torch.nextafter(y, towards), y)


def _replace(kernels: dict[Any, Callable[..., torch.Tensor]]) -> torch.library.Library:
    """Replace PyTorch's own kernels of some operations, for as long as the result lives."""
    library = torch.library.Library("aten", "IMPL")

    def add(operation: Any, function: Callable[..., torch.Tensor]) -> None:
        def kernel(*args: Any, **kwargs: Any) -> torch.Tensor:
            with torch._C.DisableTorchFunction():
                shapes = [x.to("meta") if isinstance(x, torch.Tensor) else x for x in args]
                out = torch.empty_like(operation(*shapes, **kwargs), device="cpu")
                return out.copy_(function(*args, out=out, **kwargs))

        library.impl(operation, kernel, "CPU")

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that kernels are replaced
        for operation, function in kernels.items():
            add(operation, function)
    return library


def perturb() -> torch.library.Library:
    """Be a processor whose operations without a standard are often an ulp off."""

    def perturbed(into: Any) -> Callable[..., torch.Tensor]:
        return lambda *args, **kwargs: one_ulp_off(into(*args, **kwargs))

    return _replace({operation: perturbed(into) for operation, into in UNROUNDED.items()})


def _root(x: torch.Tensor, *, out: torch.Tensor) -> torch.Tensor:
    return torch.from_numpy(np.asarray(np.sqrt(x.detach().resolve_neg().numpy())))


def _product_and_sum(
    x: torch.Tensor, a: torch.Tensor, b: torch.Tensor, *, value: float = 1, out: torch.Tensor
) -> torch.Tensor:
    return x + value * a * b


def _tanh(x: torch.Tensor, *, out: torch.Tensor) -> torch.Tensor:
    return x.detach().clone().apply_(math.tanh)


def _power(x: torch.Tensor, exponent: float, *, out: torch.Tensor) -> torch.Tensor:
    if float(exponent).is_integer():  # a product
        return torch.pow(x, exponent, out=out)
    return x.detach().clone().apply_(lambda base: math.pow(base, exponent))


@contextmanager
def ieee() -> Iterator[None]:
    """Be a processor whose roots are correctly rounded, as NumPy's are, and that fuses no additions.

    No library rounds hyperbolic tangents and powers correctly: kernels take those of the C library,
    PyTorch others.
    """
    kernels = {aten.sqrt.default: _root, aten.addcmul.default: _product_and_sum}
    library = _replace(kernels | {aten.tanh.default: _tanh, aten.pow.Tensor_Scalar: _power})
    try:
        yield
    finally:
        library._destroy()

"""Differentiable update operators: one formula, from which forward, vjp, jvp and second vjp come.

:mod:`torchopt.formula` records and differentiates formulas, and writes them as C++; this room calls
them, as kernels or as PyTorch's operations.
"""

from torchopt.formula import (
    Graph,
    derivatives,
    kernel_name,
    record,
    running_mean,
    safe_sqrt,
    smooth_sign,
    sqrt,
    trace,
    where,
)
from torchopt.ops._backend import DTYPES, PLAIN, compile_formula, is_live, kernel_of
from torchopt.ops._evaluate import evaluate
from torchopt.ops.function import ABSENT, INTO_LIST, LIST, Signature, call, call_columns, signature

__all__ = [
    "ABSENT",
    "DTYPES",
    "INTO_LIST",
    "LIST",
    "PLAIN",
    "Graph",
    "Signature",
    "call",
    "call_columns",
    "compile_formula",
    "derivatives",
    "evaluate",
    "is_live",
    "kernel_name",
    "kernel_of",
    "record",
    "running_mean",
    "safe_sqrt",
    "signature",
    "smooth_sign",
    "sqrt",
    "trace",
    "where",
]

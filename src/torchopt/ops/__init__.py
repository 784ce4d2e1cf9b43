"""Differentiable update operators: one formula, from which forward, vjp, jvp and second vjp come.

A formula is plain PyTorch code on one element. It is recorded as a graph, from which its derivatives
are derived as graphs, and each graph is emitted as a kernel for processors and GPUs.
"""

from torchopt.ops._backend import DTYPES, PLAIN, compile_formula, derivatives, kernel_of
from torchopt.ops._emit import kernel_name
from torchopt.ops._evaluate import evaluate
from torchopt.ops._expression import FormulaError
from torchopt.ops._graph import Graph, record, trace
from torchopt.ops._math import running_mean, safe_sqrt, sqrt, where
from torchopt.ops._update import ElementwiseUpdate, elementwise_update
from torchopt.ops.function import (
    ABSENT,
    FLAT,
    LIST,
    Signature,
    call,
    pack,
    padded,
    signature,
    unpack,
)

__all__ = [
    "ABSENT",
    "DTYPES",
    "FLAT",
    "LIST",
    "PLAIN",
    "ElementwiseUpdate",
    "FormulaError",
    "Graph",
    "Signature",
    "call",
    "compile_formula",
    "derivatives",
    "elementwise_update",
    "evaluate",
    "kernel_name",
    "kernel_of",
    "pack",
    "padded",
    "record",
    "running_mean",
    "safe_sqrt",
    "signature",
    "sqrt",
    "trace",
    "unpack",
    "where",
]

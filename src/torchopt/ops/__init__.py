"""Differentiable update operators: one formula, from which forward, vjp, jvp and second vjp come.

:mod:`torchopt.formula` records and differentiates formulas, and writes them as C++; this room calls
them, as kernels or as PyTorch's operations.
"""

from torchopt.formula import Graph as Graph
from torchopt.formula import derivatives as derivatives
from torchopt.formula import kernel_name as kernel_name
from torchopt.formula import record as record
from torchopt.formula import running_mean as running_mean
from torchopt.formula import safe_sqrt as safe_sqrt
from torchopt.formula import smooth_sign as smooth_sign
from torchopt.formula import sqrt as sqrt
from torchopt.formula import trace as trace
from torchopt.formula import where as where
from torchopt.ops._backend import DTYPES as DTYPES
from torchopt.ops._backend import compile_formula as compile_formula
from torchopt.ops._backend import is_live as is_live
from torchopt.ops._backend import kernel_of as kernel_of
from torchopt.ops._evaluate import evaluate as evaluate
from torchopt.ops.function import ABSENT as ABSENT
from torchopt.ops.function import INTO_LIST as INTO_LIST
from torchopt.ops.function import LIST as LIST
from torchopt.ops.function import Signature as Signature
from torchopt.ops.function import call as call
from torchopt.ops.function import call_columns as call_columns
from torchopt.ops.function import signature as signature

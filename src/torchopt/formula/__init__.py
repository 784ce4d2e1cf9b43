"""Formulas on one element: recorded as graphs, differentiated, and written as C++.

``setup.py`` compiles the kernels of :mod:`torchopt.formula.optimizers` from here; nothing in this room
needs PyTorch until it is given a tensor.
"""

from torchopt.formula._chain import Part, compose, sequence
from torchopt.formula._emit import functor, header, kernel_name, listed
from torchopt.formula._expression import Expression
from torchopt.formula._graph import Graph, derivatives, record, trace
from torchopt.formula._math import running_mean, safe_sqrt, smooth_sign, sqrt, squarable, where

__all__ = [
    "Expression",
    "Graph",
    "Part",
    "compose",
    "derivatives",
    "functor",
    "header",
    "kernel_name",
    "listed",
    "record",
    "running_mean",
    "safe_sqrt",
    "sequence",
    "smooth_sign",
    "sqrt",
    "squarable",
    "trace",
    "where",
]

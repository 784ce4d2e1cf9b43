"""Formulas on one element: recorded as graphs, differentiated, and written as C++.

``setup.py`` compiles the kernels of :mod:`torchopt.formula.optimizers` from here; nothing in this room
needs PyTorch until it is given a tensor.
"""

from torchopt.formula._chain import Part as Part
from torchopt.formula._chain import compose as compose
from torchopt.formula._chain import sequence as sequence
from torchopt.formula._emit import functor as functor
from torchopt.formula._emit import header as header
from torchopt.formula._emit import kernel_name as kernel_name
from torchopt.formula._emit import listed as listed
from torchopt.formula._expression import COMPARISONS as COMPARISONS
from torchopt.formula._expression import UNARY as UNARY
from torchopt.formula._expression import Expression as Expression
from torchopt.formula._graph import Graph as Graph
from torchopt.formula._graph import derivatives as derivatives
from torchopt.formula._graph import record as record
from torchopt.formula._graph import trace as trace
from torchopt.formula._math import running_mean as running_mean
from torchopt.formula._math import safe_sqrt as safe_sqrt
from torchopt.formula._math import smooth_sign as smooth_sign
from torchopt.formula._math import sqrt as sqrt
from torchopt.formula._math import squarable as squarable
from torchopt.formula._math import where as where

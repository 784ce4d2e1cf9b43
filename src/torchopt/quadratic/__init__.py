"""Batched quadratic programs on tensors: the solver, and the derivative of the solution."""

from torchopt.io.names import publish as _publish
from torchopt.quadratic.program import Program
from torchopt.quadratic.solving import Certificate, Point

__all__ = ["Certificate", "Point", "Program"]

_publish(__name__)

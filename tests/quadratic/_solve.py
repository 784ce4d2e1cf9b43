"""Solve quadratic programs by their blocks."""

from __future__ import annotations

from typing import Any

from torchopt.quadratic.program import program_of
from torchopt.quadratic.solving import QuadraticSolution, solve_program


def solve_qp(
    Q: Any, c: Any, G: Any = None, h: Any = None, A: Any = None, b: Any = None, **options: Any
) -> QuadraticSolution:
    return solve_program(program_of(Q, c, G, h, A, b), **options)

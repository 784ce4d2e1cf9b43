"""Linear algebra without matrices: operators on trees, conjugate gradients and Neumann series."""

from torchopt.io.names import publish as _publish
from torchopt.linalg._cg import cg
from torchopt.linalg._neumann import ns, ns_inv
from torchopt.operators.linear import (
    LinearOperator,
    as_operator,
    gauss_newton_operator,
    hessian_operator,
    jacobian_operator,
)

__all__ = [
    "LinearOperator",
    "as_operator",
    "cg",
    "gauss_newton_operator",
    "hessian_operator",
    "jacobian_operator",
    "ns",
    "ns_inv",
]

_publish(__name__)

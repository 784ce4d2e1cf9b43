"""Linear algebra without matrices: operators on trees."""

from typing import TYPE_CHECKING

from torchopt.io.names import publish as _publish
from torchopt.operators.linear import (
    LinearOperator,
    as_operator,
    gauss_newton_operator,
    hessian_operator,
    jacobian_operator,
)

if TYPE_CHECKING:  # as 0.7.3 names them
    from torchopt.compat import cg as cg
    from torchopt.compat import ns as ns
    from torchopt.compat import ns_inv as ns_inv

__all__ = [
    "LinearOperator",
    "as_operator",
    "gauss_newton_operator",
    "hessian_operator",
    "jacobian_operator",
]

_publish(__name__)

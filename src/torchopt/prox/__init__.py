"""Proximal terms, which are added to a smooth objective."""

from torchopt.io.names import publish as _publish
from torchopt.prox._elastic_net import ElasticNet
from torchopt.prox._group_lasso import GroupLasso
from torchopt.prox._l1 import L1
from torchopt.prox._l2 import L2
from torchopt.prox._linf import Linf
from torchopt.prox._log_barrier import LogBarrier
from torchopt.prox._non_negative_lasso import NonNegativeLasso
from torchopt.prox._non_negative_ridge import NonNegativeRidge
from torchopt.prox._nuclear_norm import NuclearNorm
from torchopt.prox._squared_l2 import SquaredL2
from torchopt.prox._total_variation import TotalVariation
from torchopt.prox.separable_sum import SeparableSum
from torchopt.prox.term import ProximalTerm

__all__ = [
    "L1",
    "L2",
    "ElasticNet",
    "GroupLasso",
    "Linf",
    "LogBarrier",
    "NonNegativeLasso",
    "NonNegativeRidge",
    "NuclearNorm",
    "ProximalTerm",
    "SeparableSum",
    "SquaredL2",
    "TotalVariation",
]

_publish(__name__)

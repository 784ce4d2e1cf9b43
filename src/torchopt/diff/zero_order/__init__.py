"""Zero-order differentiation: the mode, and one estimator a file."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

from torchopt.diff.zero_order._antithetic import Antithetic
from torchopt.diff.zero_order._coordinate import Coordinate
from torchopt.diff.zero_order._estimator import Estimator
from torchopt.diff.zero_order._evaluation import Evaluation, Loop, Vmap
from torchopt.diff.zero_order._forward_difference import ForwardDifference
from torchopt.diff.zero_order._forward_gradient import ForwardGradient
from torchopt.diff.zero_order._guided import Guided
from torchopt.diff.zero_order._low_rank import LowRank
from torchopt.diff.zero_order._mode import ZeroOrder as ZeroOrder
from torchopt.diff.zero_order._naive import Naive
from torchopt.diff.zero_order._orthogonal import Orthogonal
from torchopt.diff.zero_order._persistent import (
    NoiseReuseES,
    Particles,
    PersistentES,
    TruncatedGradient,
)
from torchopt.diff.zero_order._search import GaussianSearch, SearchState
from torchopt.diff.zero_order._seed_replay import SeedReplay, SeedReplayGradient
from torchopt.diff.zero_order._sobol import Sobol
from torchopt.diff.zero_order._spsa import SPSA

if TYPE_CHECKING:  # as 0.7.3 names them
    from torchopt.compat import ZeroOrderGradientModule as ZeroOrderGradientModule
    from torchopt.compat import zero_order as zero_order

__all__ = [
    "SPSA",
    "Antithetic",
    "Coordinate",
    "Estimator",
    "Evaluation",
    "ForwardDifference",
    "ForwardGradient",
    "GaussianSearch",
    "Guided",
    "Loop",
    "LowRank",
    "Naive",
    "NoiseReuseES",
    "Orthogonal",
    "Particles",
    "PersistentES",
    "SearchState",
    "SeedReplay",
    "SeedReplayGradient",
    "Sobol",
    "TruncatedGradient",
    "Vmap",
]


class _CallableModule(ModuleType):
    """Programs of 0.7.3 call ``torchopt.diff.zero_order(...)`` itself, too."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.zero_order(*args, **kwargs)


sys.modules[__name__].__class__ = _CallableModule

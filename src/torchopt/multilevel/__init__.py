"""Problems that depend on each other, differentiated exactly: bilevel, chains, any acyclic graph."""

from torchopt.io.names import publish as _publish
from torchopt.multilevel._config import Config, EngineConfig
from torchopt.multilevel._engine import Engine
from torchopt.multilevel._level import Level, LevelGradient, LevelState, LevelStep
from torchopt.multilevel._plan import Plan
from torchopt.multilevel._problem import Env, Problem
from torchopt.multilevel._single_loop import (
    BOME,
    F2SA,
    PBGD,
    SABA,
    SOBA,
    MoreauEnvelope,
    SingleLoop,
    SingleLoopState,
)

__all__ = [
    "BOME",
    "F2SA",
    "PBGD",
    "SABA",
    "SOBA",
    "Config",
    "Engine",
    "EngineConfig",
    "Env",
    "Level",
    "LevelGradient",
    "LevelState",
    "LevelStep",
    "MoreauEnvelope",
    "Plan",
    "Problem",
    "SingleLoop",
    "SingleLoopState",
]

_publish(__name__)

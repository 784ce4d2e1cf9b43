"""Problems that read one another, differentiated exactly: bilevel, chains, trees, any acyclic graph."""

from torchopt.io.names import publish as _publish
from torchopt.multilevel._config import Config, EngineConfig
from torchopt.multilevel._engine import Engine
from torchopt.multilevel._level import Level, LevelGradient, LevelState
from torchopt.multilevel._plan import Plan
from torchopt.multilevel._problem import Env, Problem

__all__ = [
    "Config",
    "Engine",
    "EngineConfig",
    "Env",
    "Level",
    "LevelGradient",
    "LevelState",
    "Plan",
    "Problem",
]

_publish(__name__)

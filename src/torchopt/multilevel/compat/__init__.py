"""Betty's module paths: its programs run on this library with ``betty`` replaced by this package.

``sed s/betty/torchopt.multilevel.compat/g`` is the whole migration. Each module here has the name of
one of Betty's, and holds thin subclasses of :mod:`torchopt.multilevel`, whose defaults, counters and
scales are Betty's; ``docs/coming-from/betty.md`` has a table of all names.
"""

import sys

from torchopt.multilevel.compat import (
    configs,
    engine,
    envs,
    hypergradient,
    logging,
    misc,
    optim,
    patch,
    problems,
    utils,
)

__all__ = [
    "configs",
    "engine",
    "envs",
    "hypergradient",
    "logging",
    "misc",
    "optim",
    "patch",
    "problems",
    "utils",
]

__version__ = "0.2.1"  # of Betty

# What is a package of small modules there is one module here, under their names too.
_PARTS = {
    configs: "engine_dataclass problem_dataclass",
    envs: "env_base",
    hypergradient: "cg darts neumann reinforce sama utils",
    logging: "logger_base logger_tensorboard logger_wandb",
    misc: "early_stopping",
    patch: "data_loader optimizer scheduler",
    problems: "problem implicit_problem iterative_problem iterative_problem_higher "
    "iterative_problem_meta",
}
for _module, _names in _PARTS.items():
    sys.modules.update({f"{_module.__name__}.{name}": _module for name in _names.split()})

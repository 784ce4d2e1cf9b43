"""Meta-steps: the gradient of an outer loss through inner problems, batched, compiled and checked."""

from torchopt.compiled.call import NotCompiledWarning
from torchopt.meta._check import (
    Cause,
    Direction,
    InconclusiveWarning,
    MetaGradCheck,
    MetaGradientError,
    check_meta_grad,
)
from torchopt.meta._meta_grad import meta_grad_and_value
from torchopt.meta._vmap_tasks import NotBatchedWarning, vmap_tasks

__all__ = [
    "Cause",
    "Direction",
    "InconclusiveWarning",
    "MetaGradCheck",
    "MetaGradientError",
    "NotBatchedWarning",
    "NotCompiledWarning",
    "check_meta_grad",
    "meta_grad_and_value",
    "vmap_tasks",
]

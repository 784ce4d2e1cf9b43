"""Meta-steps: the gradient of an outer loss through inner problems, batched, compiled and checked."""

from torchopt.io.names import publish as _publish
from torchopt.meta._check import MetaGradCheck, check_meta_grad
from torchopt.meta._check_solution import check_solution
from torchopt.meta._check_training import check_training
from torchopt.meta._comparison import Direction
from torchopt.meta._culprits import Cause
from torchopt.meta._meta_grad import meta_grad_and_value
from torchopt.meta._noise import Measure, SoundnessCheck
from torchopt.meta._vmap_tasks import vmap_tasks

__all__ = [
    "Cause",
    "Direction",
    "Measure",
    "MetaGradCheck",
    "SoundnessCheck",
    "check_meta_grad",
    "check_solution",
    "check_training",
    "meta_grad_and_value",
    "vmap_tasks",
]

_publish(__name__)

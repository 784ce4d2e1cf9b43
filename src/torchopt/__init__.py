"""Differentiable optimization for PyTorch: a solution map and a way to differentiate it."""

from torchopt import (
    accelerated_op,
    alias,
    base,
    checkpoint,
    clip,
    combine,
    diff,
    distributed,
    errors,
    experimental,
    hook,
    linalg,
    linear_solve,
    logging,
    meta,
    multilevel,
    nn,
    optim,
    pytree,
    schedule,
    solver,
    transform,
    typing,
    update,
    utils,
    visual,
)
from torchopt.accelerated_op import is_available as accelerated_op_available
from torchopt.alias import *
from torchopt.autodiff.exact import higher_order
from torchopt.autodiff.remat import remat
from torchopt.clip import clip_grad_norm
from torchopt.combine import chain
from torchopt.compat import install as _install_published_modules
from torchopt.hook import register_hook
from torchopt.io.names import publish as _publish
from torchopt.meta import check_meta_grad, meta_grad_and_value, vmap_tasks
from torchopt.optim import *
from torchopt.solver import fixed_point, least_squares, minimize, plan, root, solve
from torchopt.transform import nan_to_num
from torchopt.update import apply_updates
from torchopt.utils import (
    extract_state_dict,
    module_clone,
    module_detach_,
    recover_state_dict,
    stop_gradient,
)
from torchopt.version import __version__

__all__ = [
    "__version__",
    "accelerated_op",
    "accelerated_op_available",
    "alias",
    "apply_updates",
    "base",
    "chain",
    "check_meta_grad",
    "checkpoint",
    "clip",
    "clip_grad_norm",
    "combine",
    "diff",
    "distributed",
    "errors",
    "experimental",
    "extract_state_dict",
    "fixed_point",
    "higher_order",
    "hook",
    "least_squares",
    "linalg",
    "linear_solve",
    "logging",
    "meta",
    "meta_grad_and_value",
    "minimize",
    "module_clone",
    "module_detach_",
    "multilevel",
    "nan_to_num",
    "nn",
    "optim",
    "plan",
    "pytree",
    "recover_state_dict",
    "register_hook",
    "remat",
    "root",
    "schedule",
    "solve",
    "solver",
    "stop_gradient",
    "transform",
    "typing",
    "update",
    "utils",
    "visual",
    "vmap_tasks",
]
__all__ += alias.__all__
__all__ += optim.__all__

_publish("torchopt")
_install_published_modules()

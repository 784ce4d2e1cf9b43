"""States of modules and of meta-optimizers, where TorchOpt 0.7.3 has them."""

from torchopt.compat import module_detach_
from torchopt.io.names import publish as _publish
from torchopt.nn import module_clone
from torchopt.optim import ModuleState
from torchopt.optim.states import extract_state_dict, recover_state_dict, stop_gradient

__all__ = [
    "ModuleState",
    "extract_state_dict",
    "module_clone",
    "module_detach_",
    "recover_state_dict",
    "stop_gradient",
]

_publish(__name__)

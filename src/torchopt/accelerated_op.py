"""Whether the compiled update operators are live, where TorchOpt 0.7.3 has it."""

from torchopt.io.names import publish as _publish
from torchopt.ops.availability import is_available

#: Its name in the package itself.
accelerated_op_available = is_available

__all__ = ["is_available"]

_publish(__name__)

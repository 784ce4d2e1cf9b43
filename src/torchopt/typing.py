"""Types for the annotations of programs."""

from typing import TYPE_CHECKING

from torchopt.io.names import publish as _publish
from torchopt.pytree import typing as _words
from torchopt.pytree.typing import *

if TYPE_CHECKING:  # as 0.7.3 names them
    from torchopt.compat.types import *

__all__ = _words.__all__

_publish(__name__)

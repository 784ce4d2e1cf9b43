"""Packages that an extra of this package installs."""

from __future__ import annotations

import importlib
from typing import Any

from torchopt.version import DISTRIBUTION


def optional(module: str, extra: str, what: str) -> Any:
    """Import what an extra of this package installs.

    Args:
        module: The name of the module.
        extra: The extra that installs it.
        what: What needs it, for the error.

    Raises:
        ImportError: If it is not installed, with what to run.
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise type(error)(
            f'{what} needs a package that is not installed: pip install "{DISTRIBUTION}[{extra}]".'
        ) from error

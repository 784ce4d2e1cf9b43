"""The checks of arguments, which word their errors: what was wrong, where, and what to do.

Every function here either returns quietly or raises; nothing in it changes its arguments. :func:`warn`
is how the library warns: at the line of the user.
"""

from torchopt.checks._arguments import (
    check_choice,
    check_count,
    check_floating,
    check_loss,
    check_not_empty,
    check_same_structure,
    is_count,
    transforms_active,
)
from torchopt.checks._places import (
    leaf_path,
    leaf_paths,
    raise_not_prefix,
    raise_shape_mismatch,
)
from torchopt.checks._warning import warn

__all__ = [
    "check_choice",
    "check_count",
    "check_floating",
    "check_loss",
    "check_not_empty",
    "check_same_structure",
    "is_count",
    "leaf_path",
    "leaf_paths",
    "raise_not_prefix",
    "raise_shape_mismatch",
    "transforms_active",
    "warn",
]

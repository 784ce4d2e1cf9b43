"""The checks of arguments, which word their errors: what was wrong, where, and what to do.

Every function here either returns quietly or raises; nothing in it changes its arguments. :func:`warn`
is how the library warns: at the line of the user.
"""

from torchopt.checks._arguments import (
    check_choice,
    check_count,
    check_floating,
    check_graph,
    check_loss,
    check_not_empty,
    check_returned,
    check_same_structure,
    is_count,
    transforms_active,
)
from torchopt.checks._keywords import check_keywords, takes
from torchopt.checks._places import (
    check_like,
    leaf_path,
    leaf_paths,
    raise_not_prefix,
    raise_shape_mismatch,
)
from torchopt.checks._warning import users_frame, warn
from torchopt.checks._words import (
    A_TENSOR,
    FLOATING,
    NOT_NEGATIVE,
    POSITIVE,
    ByValue,
    Checked,
    Word,
    a_function,
    check,
    check_known,
    check_leaves,
    count,
    field,
    number,
    of_type,
    one_of,
    or_none,
    pair_of,
)

__all__ = [
    "A_TENSOR",
    "FLOATING",
    "NOT_NEGATIVE",
    "POSITIVE",
    "ByValue",
    "Checked",
    "Word",
    "a_function",
    "check",
    "check_choice",
    "check_count",
    "check_floating",
    "check_graph",
    "check_keywords",
    "check_known",
    "check_leaves",
    "check_like",
    "check_loss",
    "check_not_empty",
    "check_returned",
    "check_same_structure",
    "count",
    "field",
    "is_count",
    "leaf_path",
    "leaf_paths",
    "number",
    "of_type",
    "one_of",
    "or_none",
    "pair_of",
    "raise_not_prefix",
    "raise_shape_mismatch",
    "takes",
    "transforms_active",
    "users_frame",
    "warn",
]

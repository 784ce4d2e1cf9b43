"""Arguments that have got another name."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

from torchopt.checks._warning import warn

_F = TypeVar("_F", bound=Callable[..., Any])


def renamed(**names: str) -> Callable[[_F], _F]:
    """Let a function take keywords by their former names, too, with a warning at the user's line.

    Signatures and type checkers have the new names only. Of a class, decorate ``__init__``.

    Args:
        **names: The new name by the former one: ``@renamed(tol="rtol")``.
    """

    def decorate(function: _F) -> _F:
        name = function.__qualname__.removesuffix(".__init__")

        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            for old in names.keys() & kwargs.keys():
                new, what = names[old], f"`{old}` of `{name}` is `{names[old]}` now"
                if new in kwargs:
                    raise TypeError(f"{what}: pass `{new}` only.")
                warn(f"{what}: write `{new}=`.", DeprecationWarning)
                kwargs[new] = kwargs.pop(old)
            return function(*args, **kwargs)

        return call  # type: ignore[return-value]

    return decorate

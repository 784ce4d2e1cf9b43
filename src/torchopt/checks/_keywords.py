"""A keyword that no argument has: Python's error, with the argument that may be meant.

The error is looked at only where Python has raised one, and the right call costs nothing more.
"""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable, Iterable
from types import FunctionType, MethodType
from typing import Any

#: What other libraries call an argument, and what it is called here.
_WORDS = {
    ("learning_rate", "alpha", "eta"): ("lr", "step_size", "solver"),
    ("lr", "stepsize"): ("step_size", "lr", "solver"),
    ("num_steps", "n_steps", "max_steps", "num_iters", "n_iter"): ("steps", "maxiter"),
    ("max_iter", "maxit", "max_iterations", "iterations", "niter"): ("maxiter", "steps", "options"),
    ("tol", "tolerance", "eps", "epsilon", "ftol", "gtol", "xtol"): ("atol", "rtol", "eps"),
    ("tolerance_grad", "tolerance_change"): ("rtol", "atol"),
    ("steps",): ("maxiter", "train_iters"),
    ("callback", "disp", "progress"): ("verbose",),
    ("plus", "regularizer", "penalty"): ("prox", "subject_to"),
    ("constraint", "constraints", "bounds", "projection"): ("subject_to",),
    ("method", "optimizer", "optim", "inner_solver"): ("solver",),
    ("x0", "init", "init_params", "initial", "start"): ("params", "x0"),
    ("mode", "differentiation", "implicit_diff", "unroll", "type"): ("diff",),
    ("data", "loader", "dataloader"): ("batches",),
    ("beta1", "beta2", "b1", "b2"): ("betas",),
    ("memory_size", "history", "m"): ("history_size",),
    ("linear_solver", "solve", "solver"): ("linear_solve",),
    ("M", "precond"): ("preconditioner",),
    ("mixing", "beta", "damping"): ("relaxation",),
    ("logger", "loggers", "logger_type", "sinks"): ("sink",),
    ("maxiter",): ("options",),
    ("p", "q"): ("c",),
    ("P",): ("Q",),
    ("axis", "axes"): ("dim",),
    ("num_samples", "sigma"): ("estimator",),
}
_MEANT = {word: meant for words, meant in _WORDS.items() for word in words}


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return the end of an error about a keyword: what may be meant, if anything.

    Args:
        name: The keyword.
        known: The names of the arguments.

    Example:
        >>> did_you_mean("tol", ["rtol", "atol", "maxiter"])
        ': did you mean `atol` or `rtol`?'
        >>> did_you_mean("maxitr", ["rtol", "atol", "maxiter"])
        ': did you mean `maxiter`?'
        >>> did_you_mean("color", ["rtol", "atol", "maxiter"])
        ''
    """
    known = list(known)
    meant = [word for word in _MEANT.get(name, ()) if word in known]
    meant = meant or difflib.get_close_matches(name, known, 1, 0.75)
    return f": did you mean {' or '.join(f'`{word}`' for word in meant)}?" if meant else ""


def takes(function: Callable[..., Any], word: str) -> bool:
    """Whether a function can be given an argument of a name; yes if its signature is not known."""
    function = function.__func__ if isinstance(function, MethodType) else function
    has_own = not {"__wrapped__", "__signature__"} & {*getattr(function, "__dict__", ())}
    if has_own and isinstance(function, FunctionType):
        code = function.__code__  # quick, and can be traced
        names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        return word in names or bool(code.co_flags & inspect.CO_VARKEYWORDS)
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return True
    return word in parameters or any(p.kind is p.VAR_KEYWORD for p in parameters.values())


def check_keywords(
    function: Callable[..., Any], keywords: Iterable[str], *, name: str = ""
) -> None:
    """Raise Python's error of a call with an unknown keyword, and say what may be meant.

    Args:
        function: The function.
        keywords: The keywords of a call.
        name: The name of the function in the error, if it is not its own.

    Raises:
        TypeError: If the function has no such argument.
    """
    for word in keywords:
        if not takes(function, word):
            raise TypeError(
                f"{name or function.__qualname__}() got an unexpected keyword argument {word!r}"
                f"{did_you_mean(word, inspect.signature(function).parameters)}"
            ) from None  # instead of Python's own error

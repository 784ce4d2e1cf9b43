"""A keyword that no argument has: Python's error, with the argument that may be meant.

The error is looked at only where Python has raised one, and the right call costs nothing more.
"""

from __future__ import annotations

import difflib
import inspect
import re
from collections.abc import Callable, Iterable, Iterator
from types import FunctionType, MethodType
from typing import Any

#: What other libraries call an argument, and what it is called here.
_WORDS = """
    learning_rate alpha eta: lr step_size solver; lr stepsize: step_size lr solver
    num_steps n_steps max_steps num_iters n_iter: steps maxiter; steps epochs: maxiter train_iters
    max_iter maxit max_iterations iterations niter: maxiter steps options; maxiter: options
    tol tolerance eps epsilon ftol gtol xtol: atol rtol eps
    tolerance_grad tolerance_change: rtol atol; callback disp progress: verbose
    plus regularizer penalty: prox subject_to; wd l2 decay: weight_decay
    constraint constraints bounds projection: subject_to; p q: c; P: Q
    method optimizer optim inner_solver: solver optimizer
    x0 init init_params initial start: params x0; model net: module
    mode differentiation implicit_diff type: diff; unroll: unroll_steps diff
    data loader dataloader data_loader: batches train_data_loader; axis axes in_axes: dim in_dims
    beta1 beta2 b1 b2: betas; memory_size history m: history_size
    checkpoint checkpoints remat: memory carries
    linear_solver solve solver: linear_solve; M precond: preconditioner
    mixing beta: relaxation; damping: relaxation ridge
    logger loggers logger_type sinks: sink; num_samples sigma: estimator
"""
_ROWS = (row.split(":") for row in re.split("[;\n]", _WORDS) if ":" in row)
_MEANT = {word: meant.split() for words, meant in _ROWS for word in words.split()}


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
    function: Callable[..., Any], keywords: Iterable[str], args: Any = (), *, name: str = ""
) -> None:
    """Raise Python's error of a call with an unknown keyword, and say what may be meant.

    Args:
        function: The function.
        keywords: The keywords of a call.
        args: Its positional arguments, of a function of hyperparameters only.
        name: The name of the function in the error, if it is not its own.

    Raises:
        TypeError: If the function has no such argument, or ``args`` begin with an iterator.
    """
    fault = ""
    for word in keywords:
        if not takes(function, word):
            hint = did_you_mean(word, inspect.signature(function).parameters)
            fault = f"got an unexpected keyword argument {word!r}{hint}"
    if args and isinstance(args[0], Iterator):  # as of `module.parameters()`
        fault = (
            f"takes hyperparameters, but was given a {type(args[0]).__name__}: pass parameters to the "
            f"`init` of what it returns, or to an optimizer of `torchopt.optim`."
        )
    if fault:  # instead of Python's own error
        raise TypeError(f"{name or function.__qualname__}() {fault}") from None

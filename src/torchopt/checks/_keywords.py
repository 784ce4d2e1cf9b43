"""Arguments that a function does not have: Python's error, with those that may be meant.

The error is looked at only where Python has raised one, and the right call costs nothing more.
"""

from __future__ import annotations

import difflib
import inspect
import re
from collections.abc import Callable, Collection, Iterable, Iterator
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
    mode differentiation implicit_diff type memory truncate hvp: diff; unroll: unroll_steps diff
    data loader dataloader data_loader: batches train_data_loader; axis axes in_axes: dim in_dims
    beta1 beta2 b1 b2: betas; memory_size history m: history_size
    checkpoint checkpoints remat: memory carries; resume: checkpoint; jit: compile; state: solver
    linear_solver solve solver: linear_solve; M precond: preconditioner
    mixing beta: relaxation; damping: relaxation ridge; eq: equality; ineq: inequality
    logger loggers logger_type sinks: sink; num_samples sigma: estimator
"""
_ROWS = (row.split(":") for row in re.split("[;\n]", _WORDS) if ":" in row)
_MEANT = {word: meant.split() for words, meant in _ROWS for word in words.split()}
_STAR = inspect.Parameter.VAR_POSITIONAL  # kinds are ordered: by position, this, by name


def did_you_mean(name: str, known: Collection[str]) -> str:
    """Return the end of an error about a keyword: which of the known ones may be meant, if any.

    Example:
        >>> did_you_mean("tol", ["rtol", "atol", "maxiter"])
        ': did you mean `atol` or `rtol`?'
        >>> did_you_mean("maxitr", ["rtol", "atol", "maxiter"])
        ': did you mean `maxiter`?'
        >>> did_you_mean("color", ["rtol", "atol", "maxiter"])
        ''
    """
    meant = [word for word in _MEANT.get(name, ()) if word in known]
    meant = meant or difflib.get_close_matches(name, known, 1, 0.75)
    return f": did you mean {' or '.join(f'`{word}`' for word in meant)}?" if meant else ""


def takes(function: Callable[..., Any], word: str) -> bool:
    """Whether a function can be given an argument of a name; yes if its signature is not known."""
    f = function.__func__ if isinstance(function, MethodType) else function
    if isinstance(f, FunctionType) and not (
        hasattr(f, "__wrapped__") or hasattr(f, "__signature__")
    ):
        code = f.__code__  # quick, and can be traced
        names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        return word in names or bool(code.co_flags & inspect.CO_VARKEYWORDS)
    try:
        parameters = inspect.signature(f).parameters
    except (TypeError, ValueError):
        return True
    return word in parameters or any(p.kind is p.VAR_KEYWORD for p in parameters.values())


def check_keywords(
    function: Callable[..., Any], keywords: Iterable[str], args: Any = (), *, name: str = ""
) -> None:
    """Raise Python's error of a call with a wrong keyword or too many positions, with ours.

    A method has a ``name``, and none of its ``args`` are looked at.
    """
    word = next((word for word in keywords if not takes(function, word)), None)
    if word is None and not args:
        return
    kinds = [(k, p.kind) for k, p in inspect.signature(function).parameters.items()][bool(name) :]
    names = ", ".join(f"`{k}`" for k, kind in kinds if kind > (0 if word else _STAR))
    if word is not None:
        fault = f"got an unexpected keyword argument {word!r}"
        fault += did_you_mean(word, dict(kinds)) or f"; it has {names}"
    elif kinds[0][1] and (
        isinstance(args[0], Iterator)  # as of `module.parameters()`
        or (isinstance(args[0], (list, dict)) and kinds[0][0] in keywords)
    ):
        fault = (
            f"takes hyperparameters, but was given a {type(args[0]).__name__}: pass parameters to the "
            f"`init` of what it returns, or to an optimizer of `torchopt.optim`."
        )
    elif _STAR in dict(kinds).values() or len(args) <= (n := sum(k < _STAR for _, k in kinds)):
        return
    else:
        fault = f"takes {n} positional arguments but {len(args)} were given: pass by name {names}"
    raise TypeError(f"{name or function.__qualname__}() {fault}") from None  # not Python's own

"""Decorators that make any solver differentiable by its optimality conditions."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, TypeVar

import torch

from torchopt import checks
from torchopt.autodiff.compiling import uncompiled
from torchopt.autodiff.functional import Reads
from torchopt.autodiff.tracking import constant, tracking, untracked
from torchopt.diff.called import call_solver
from torchopt.diff.implicit.mode import default_linear_solve
from torchopt.linear_solve.checking import check_linear_solver
from torchopt.operators.implicit_function import implicit
from torchopt.pytree import flattening as pytree
from torchopt.pytree import tree_sub

__all__ = ["custom_fixed_point", "custom_root"]

_Solver = TypeVar("_Solver", bound=Callable[..., Any])


def custom_root(
    optimality_fn: Callable[..., Any],
    argnums: int | tuple[int, ...] | None = None,
    has_aux: bool = False,
    solve: Callable[..., Any] | None = None,
) -> Callable[[_Solver], _Solver]:
    r"""Return a decorator that makes a solver differentiable by its optimality conditions.

    The decorated function ``solver(params, *args)`` runs without a graph, on detached tensors: it may
    use any library. Its solution is differentiated as the root of
    ``optimality_fn(solution, *args) = 0``; see :class:`torchopt.diff.Implicit`.

    Args:
        optimality_fn: A function of the solution and of the solver's further arguments, zero at the
            solution: a tree like it. Solution and arguments are any trees; arguments may be other
            things than tensors. Keyword arguments are passed by keyword.
        argnums: The positions of those of the solver's arguments that are differentiated; 0 is the
            starting point, to which nothing flows. By default all.
        has_aux: Whether the solver returns a pair ``(solution, aux)``.
        solve: The linear solver; see :mod:`torchopt.linear_solve`. By default ``GMRES()``; where
            the conditions are the gradient of an objective, ``CG()`` is cheaper.

    Returns:
        The decorator.

    Raises:
        TypeError, ValueError: If ``argnums`` are no positions of the solver's arguments, or its
            solution or the conditions are no trees of tensors of the same shapes.

    Warns:
        UserWarning: If the conditions read an argument that requires grad and is not in ``argnums``.

    Example:
        >>> import torch, torchopt
        >>> def stationary(x, penalty, y):
        ...     return x - y + penalty * x
        >>> @torchopt.compat.custom_root(stationary, argnums=1)
        ... def solve(x, penalty, y):
        ...     return y / (1 + penalty)
        >>> penalty = torch.tensor(1.0, requires_grad=True)
        >>> solve(torch.zeros(()), penalty, torch.tensor(2.0)).backward()
        >>> penalty.grad
        tensor(-0.5000)

    References:
        Blondel et al., *Efficient and Modular Implicit Differentiation*, NeurIPS 2022, section 2.
    """
    return functools.partial(_decorate, optimality_fn, _positions(argnums), has_aux, solve)


def custom_fixed_point(
    fixed_point_fn: Callable[..., Any],
    /,
    argnums: int | tuple[int, ...] | None = None,
    *,
    has_aux: bool = False,
    solve: Callable[..., Any] | None = None,
) -> Callable[[_Solver], _Solver]:
    r"""Return a decorator that makes a solver differentiable as the fixed point of a map.

    Args:
        fixed_point_fn: A function of the solution and of the solver's further arguments, equal to the
            solution there.
        argnums: As for :func:`custom_root`.
        has_aux: Whether the solver returns a pair ``(solution, aux)``.
        solve: The linear solver; see :mod:`torchopt.linear_solve`. By default ``GMRES()``;
            ``JacobianFree()`` is the Jacobian-free derivative.

    Returns:
        The decorator.

    Raises:
        TypeError, ValueError: As for :func:`custom_root`.

    Example:
        >>> import torch, torchopt
        >>> def heron(x, a):
        ...     return (x + a / x) / 2
        >>> @torchopt.compat.custom_fixed_point(heron)
        ... def sqrt(x, a):
        ...     for _ in range(20):
        ...         x = heron(x, a)
        ...     return x
        >>> a = torch.tensor(4.0, requires_grad=True)
        >>> sqrt(torch.tensor(1.0), a).backward()
        >>> a.grad
        tensor(0.2500)

    References:
        Blondel et al., *Efficient and Modular Implicit Differentiation*, NeurIPS 2022, section 2.
    """

    @functools.wraps(fixed_point_fn)
    def optimality_fn(x: Any, *args: Any, **kwargs: Any) -> Any:
        image = _like(fixed_point_fn(x, *args, **kwargs), x)
        (_, spec), (_, image_spec) = pytree.flatten(x), pytree.flatten(image)
        checks.check_same_structure(
            spec, image_spec, root="fixed_point_fn(...)", reference="the solution"
        )
        return tree_sub(x, image)

    return functools.partial(_decorate, optimality_fn, _positions(argnums), has_aux, solve)


def _positions(argnums: Any) -> tuple[int, ...] | None:
    if argnums is None:
        return None
    positions = tuple(argnums) if isinstance(argnums, (tuple, list)) else (argnums,)
    if not all(map(checks.is_count, positions)):
        raise TypeError(f"`argnums` is {argnums!r}: use a position, a tuple of positions, or None.")
    return positions


def _decorate(
    optimality_fn: Callable[..., Any],
    argnums: tuple[int, ...] | None,
    has_aux: bool,
    solve: Callable[..., Any] | None,
    solver_fn: Callable[..., Any],
) -> Any:
    signature = inspect.signature(solver_fn)
    name = getattr(solver_fn, "__name__", "solver")
    check_linear_solver(solve, "solve")
    linear_solve = solve or default_linear_solve(symmetric=False)
    told: set[str] = set()

    @functools.wraps(solver_fn)
    @uncompiled
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        args, kwargs = bound.args, bound.kwargs
        if not args:
            raise TypeError(f"`{name}` has no argument to start from: its first is the start.")
        moving = range(len(args)) if argnums is None else argnums
        if any(k >= len(args) for k in moving):
            raise ValueError(
                f"`argnums` has {max(moving)}, but `{name}` was called with {len(args)} positional "
                f"arguments, counted from 0."
            )
        out = call_solver(solver_fn, *args, **kwargs)
        solution, aux = _split(out, name) if has_aux else (out, None)
        _check_solution(solution, name)

        def residual(x: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
            return _like(optimality_fn(x, *args[1:], **kwargs), x)

        rest = {f"argument {k}": a for k, a in enumerate(args) if k and k not in moving}
        rest |= {f"`{key}`": a for key, a in kwargs.items()}
        forgotten = _forgotten(optimality_fn, solution, args, kwargs, rest, told)
        for word in forgotten:
            told.add(word)
            checks.warn(
                f"{word} of `{name}` requires grad, and the optimality conditions read it, but it is "
                f"not in `argnums`: no gradient flows to it."
            )
        inputs = tuple(a if k in moving else constant(a) for k, a in enumerate(args))
        solution = implicit(
            residual, solution, linear_solve=linear_solve, inputs=(inputs, constant(kwargs))
        )
        return (solution, aux) if has_aux else solution

    return wrapped


def _split(out: Any, name: str) -> tuple[Any, Any]:
    return checks.pair_of(out, f"has_aux=True: `{name}`", "solution, aux")


def _check_solution(solution: Any, name: str) -> None:
    leaves, spec = pytree.flatten(solution)
    checks.check_not_empty(spec, f"{name}(...)")
    checks.check_floating(leaves, spec, f"{name}(...)")
    if all(leaf is None for leaf in leaves):
        raise TypeError(f"`{name}` returned no tensor: return the solution.")


def _like(tree: Any, x: Any) -> Any:
    """Convert a list to a tuple, or a tuple to a list, if the solution is one."""
    if type(x) in (list, tuple) and type(tree) in (list, tuple):
        return type(x)(tree)
    return tree


def _forgotten(
    optimality_fn: Callable[..., Any],
    solution: Any,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    rest: dict[str, Any],
    told: set[str],
) -> list[str]:
    """Return the arguments outside of ``argnums`` that require grad and that the conditions read."""
    if not tracking():
        return []
    suspects = {
        word: [t for t in pytree.leaves(tree) if isinstance(t, torch.Tensor)]
        for word, tree in rest.items()
        if word not in told
    }
    if not any(suspects.values()):
        return []
    with (reads := Reads([])), untracked():
        optimality_fn(solution, *args[1:], **kwargs)
    met = set(map(id, reads.free))
    return [word for word, tensors in suspects.items() if any(id(t) in met for t in tensors)]

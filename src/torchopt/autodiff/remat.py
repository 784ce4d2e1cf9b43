"""``remat``: a function that keeps nothing but its inputs for derivatives of any order."""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from typing import Generic, ParamSpec, TypeVar

import torch

from torchopt import checks
from torchopt.autodiff import block
from torchopt.autodiff.shards import gathering
from torchopt.io.names import name_as

_P = ParamSpec("_P")
_R = TypeVar("_R")


def remat(function: Callable[_P, _R], /) -> Callable[_P, _R]:
    """Keep only a function's inputs and recompute the rest, in derivatives of any order.

    The function is evaluated again in each backward pass, and in that of a backward pass, like
    ``jax.checkpoint``. ``torch.utils.checkpoint`` saves memory only in the first derivative.

    The recomputation sees the same random numbers, buffers, autocast settings, training mode and
    :func:`torchopt.higher_order` as the first evaluation; buffers change once. Tensors that the
    function closes over, such as parameters of modules, get gradients, also under ``functional_call``.
    Everything else that the function reads must stay the same until the backward pass, and the function
    must not change it. A fingerprint of the results detects differences. Each result has its own
    memory.

    Inside ``torch.func``, forward-mode differentiation (also ``Explicit(hvp="forward")``) and
    ``torch.compile``, and if nothing requires grad, the function is called directly. Compiled code
    that it calls runs uncompiled.

    Args:
        function: A function of trees, or a module, that returns a tree. The result is not a module:
            decorate a block's ``forward``, or wrap a call, ``remat(self.block)(x)``.

    Returns:
        A function with the same arguments and results.

    Raises:
        TypeError: If ``function`` is not callable. In a call: if it returns a generator, or an object
            that contains tensors and is not a tree.
        RuntimeError: In a call: if it modifies a variable in place. In a backward pass: if the
            recomputation gives different results or reads other variables.

    Warns:
        ReplayWarning: In a backward pass, if the recomputed results differ by rounding.

    Example:
        >>> import torch, torchopt
        >>> w = torch.linspace(-1, 1, 9).view(3, 3).requires_grad_()
        >>> def block(x):
        ...     return torch.tanh(x @ w) + x
        >>> def curvature(block):
        ...     y = block(block(torch.ones(2, 3))).square().sum()
        ...     (g,) = torch.autograd.grad(y, w, create_graph=True)
        ...     return torch.autograd.grad(g.sum(), w)[0]
        >>> torch.allclose(curvature(torchopt.remat(block)), curvature(block))
        True

    References:
        Chen et al., *Training Deep Nets with Sublinear Memory Cost*, 2016. Griewank and Walther,
        *Evaluating Derivatives*, 2008, chapter 12.
    """
    checks.check("function", function, checks.of_type(Callable, "a function or a module"))
    if not isinstance(function, types.FunctionType):
        return Rematerialized(function)

    @functools.wraps(function)
    def rematerialized(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        return _call(function, *args, **kwargs)

    return rematerialized


class Rematerialized(Generic[_P, _R]):
    """A callable object, such as a module or a method, whose calls are blocks. It can be copied.

    Attributes:
        __wrapped__: The object.
    """

    __wrapped__: Callable[_P, _R]

    def __init__(self, function: Callable[_P, _R]) -> None:
        functools.update_wrapper(self, function, updated=())  # a module's attributes are its own

    def __call__(self, *args: _P.args, **kwargs: _P.kwargs) -> _R:
        """Call the object as a block."""
        return _call(self.__wrapped__, *args, **kwargs)


def _call(function: Callable[_P, _R], *args: _P.args, **kwargs: _P.kwargs) -> _R:
    if not torch.is_grad_enabled() or block.needs_plain_evaluation():
        return function(*args, **kwargs)
    with gathering():  # what is around gathers no more within, and goes on after it
        result: _R = block.evaluate(function, args, kwargs)
    return result


name_as(remat, "torchopt")

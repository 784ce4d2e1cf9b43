"""``remat``: a function that keeps nothing but its inputs for derivatives of any order."""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from typing import Generic, ParamSpec, TypeVar

import torch

from torchopt.autodiff import block
from torchopt.io.names import name_as

__all__ = ["Rematerialized", "remat"]

_P = ParamSpec("_P")
_R = TypeVar("_R")


def remat(function: Callable[_P, _R], /) -> Callable[_P, _R]:
    """Make a part of a program keep nothing but its inputs for derivatives of any order.

    What the function computes inside is computed again in each backward pass, and in the backward pass
    of a backward pass, as by ``jax.checkpoint``. With ``torch.utils.checkpoint`` only the first
    derivative saves memory: a gradient taken with ``create_graph=True`` holds all that it computed
    again. Here a Hessian-vector product, or a gradient through an inner step, of a network that is a
    chain of such blocks holds the inputs and cotangents of the blocks and the graph of one of them.

    Random numbers, buffers, autocast, training mode and :func:`torchopt.higher_order` are, when it is
    computed again, what they were; buffers are changed once. Tensors that the function reads without
    being given them, such as parameters of modules, get their gradients; those of
    ``torch.func.functional_call`` and :func:`torchopt.nn.functional_call`, too. What else it reads
    must stay as it is until the backward pass, and must not be changed by it: a fingerprint of its
    results tells whether they are the same again. Not seen are a change that leaves them as they are,
    and ``.grad`` of what it closes over; and each result has memory of its own.

    Inside of ``torch.func``, forward-mode differentiation (so in ``Explicit(hvp="forward")``) and
    ``torch.compile``, and where nothing requires grad, it is the function itself. What is compiled and
    called by it runs as it is written.

    Args:
        function: A function of trees, or a module, that returns a tree. It is also a decorator, for
            example of a block's ``forward``. The result is no module: where a module is an attribute
            of another, wrap the call, ``remat(self.block)(x)``, so that it stays registered.

    Returns:
        A function with the same arguments and results.

    Raises:
        TypeError: If ``function`` cannot be called; in a call, if it returns a generator, or an object
            that holds tensors and is not a tree.
        RuntimeError: In a call, if it changes a tensor in place that it did not make and that is no
            buffer; in a backward pass, if it gives other results than it did at first, reads other
            variables, or a variable where this cannot be seen; if a hook in it reads a variable that
            it does not read itself, and the gradient is to be differentiated.

    Warns:
        torchopt.errors.ReplayWarning: In a backward pass, if its results are nearly what they were.

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
    if not callable(function):
        raise TypeError(
            f"`function` is an object of type {type(function).__name__}: pass a function or a module."
        )

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
    result: _R = block.evaluate(function, args, kwargs)
    return result


name_as(remat, "torchopt")

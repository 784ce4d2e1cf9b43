"""A mode that replaces operations whose higher derivatives are wrong in PyTorch (2.13).

It needs the whole of :mod:`torchopt.autodiff.decompositions`;
:mod:`torchopt.autodiff.exact_normalization` has a smaller one.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from contextvars import ContextVar
from typing import Any, ClassVar

import torch
from torch.overrides import TorchFunctionMode, _get_current_function_mode_stack

from torchopt.autodiff.checkpointed import refuse_region
from torchopt.autodiff.decompositions import ALWAYS, COMPOSITES, DECOMPOSITIONS, SPARSE
from torchopt.autodiff.second_order import by_the_program, gradient
from torchopt.autodiff.tracking import PLAIN, top_hooks
from torchopt.io.names import name_as

_BACKWARD_PASSES = {torch.autograd.grad, torch.autograd.backward, torch.Tensor.backward}
_REGISTER_HOOK = torch.Tensor.register_hook
_SPECIAL = _BACKWARD_PASSES | {_REGISTER_HOOK} | COMPOSITES.keys()


DRAWS: ContextVar[Callable[[Any], None] | None] = ContextVar(
    "what notes the generators that operations are given", default=None
)


class HigherOrder(TorchFunctionMode):
    """Makes derivatives of any order, on any route, right.

    Args:
        rules: The rules of decomposition; by default, all of them.

    Attributes:
        around_gradient: Makes a context for each backward pass that runs inside of the mode.
        hooks: How many hooks of tensors have been registered in any of these modes.
    """

    around_gradient: Callable[[], AbstractContextManager[Any]] = nullcontext
    hooks: ClassVar[int] = 0

    def __init__(self, rules: Mapping[Any, Any] = DECOMPOSITIONS) -> None:
        self.rules = rules
        self._hooks = None if torch.compiler.is_compiling() else top_hooks(True)

    def __repr__(self) -> str:
        return "higher_order()"

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Decompose an operation, or its parts; everything else runs as it is."""
        if kwargs and "generator" in kwargs and (note := DRAWS.get()) is not None:
            note(kwargs["generator"])
        rule = self.rules.get(func)
        if rule is None and func not in _SPECIAL:  # nearly all
            return func(*args, **(kwargs or {}))
        if rule is not None:
            if kwargs and "out" in kwargs:
                kwargs = {**kwargs}
                if (out := kwargs.pop("out")) is not None:  # it has no derivative
                    return func(*args, **kwargs, out=out)
            # Products of dense matrices are as they are.
            if func not in SPARSE and not torch.compiler.is_compiling() and top_hooks(True):
                refuse_region(self._hooks)
            return rule(*args, **(kwargs or {}))
        if func is _REGISTER_HOOK:
            HigherOrder.hooks += 1
            return func(*args, **(kwargs or {}))
        if func in _BACKWARD_PASSES:
            graph = bool(kwargs and kwargs.get("create_graph"))
            with self.around_gradient(), by_the_program(graph):
                return (gradient if func is torch.autograd.grad else func)(*args, **(kwargs or {}))
        if not PLAIN.issuperset(types):
            return func(*args, **(kwargs or {}))
        with self:
            return COMPOSITES[func](*args, **(kwargs or {}))


def decomposed(rules: Mapping[Any, Any]) -> AbstractContextManager[Any]:
    """Return a mode with these rules, or nothing if one is on already."""
    for mode in _get_current_function_mode_stack():
        if isinstance(mode, HigherOrder) and (mode.rules is rules or mode.rules is ALWAYS):
            return nullcontext()
    return HigherOrder(rules)


same_bits = functools.partial(decomposed, ALWAYS)
"""Evaluate like :func:`higher_order`, so that a gradient has the same bits with a graph."""


def higher_order() -> AbstractContextManager[object]:
    """Evaluate operators so that their derivatives of any order are correct.

    In PyTorch 2.13 the third derivatives of layer, batch and instance normalization are silently wrong
    by 5 to 80 %. So are derivatives of a forward-mode derivative through these and through
    ``linalg.solve``, ``det`` and ``slogdet``. Attention and some losses have no second derivative. In
    this context such operators are evaluated by plain operations. Their values are the same up to
    rounding, some are slower, and their derivatives are correct in any nesting of reverse and forward
    mode.

    *Evaluate* the function inside the context; you may take the derivatives outside. A region of
    ``torch.utils.checkpoint`` with such an operator raises: use :func:`torchopt.remat`. The context
    applies to this thread, and works under :mod:`torch.func`, autocast and ``torch.compile``, but not
    inside TorchScript and C++. :func:`torchopt.minimize` and related functions enter it. The page of
    this function lists the operators and exceptions.

    Returns:
        A context manager.

    Example:
        >>> import torch, torchopt
        >>> from torch.func import grad
        >>> def f(x):
        ...     with torchopt.higher_order():
        ...         x = torch.stack([x, x**2, x**3])
        ...         return torch.nn.functional.layer_norm(x, (3,))[1]
        >>> x = torch.tensor(0.5, dtype=torch.float64)
        >>> third = grad(grad(grad(f)))(x)
        >>> h = 1e-4
        >>> difference = (grad(grad(f))(x + h) - grad(grad(f))(x - h)) / (2 * h)
        >>> torch.allclose(third, difference, rtol=1e-5)
        True

    References:
        PyTorch issue 198017 collects the faults.
    """
    return decomposed(DECOMPOSITIONS)  # a default makes a guard of Dynamo that does not hold


name_as(higher_order, "torchopt")

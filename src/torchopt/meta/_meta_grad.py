"""The gradient of an outer loss through all that it computes."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Concatenate, Literal, ParamSpec, TypeVar, overload

import torch

from torchopt import checks
from torchopt.autodiff.tracebacks import trim
from torchopt.autodiff.traced_gradient import gradients_of
from torchopt.autodiff.tracking import constant
from torchopt.compiled.call import call_compiled
from torchopt.io.calls import explained
from torchopt.pytree import flattening as pytree
from torchopt.pytree.typing import TensorTree

_M = TypeVar("_M")
_A = TypeVar("_A")
_P = ParamSpec("_P")
_PLACES = checks.Word(
    "pass the position of an argument, such as 0, or a tuple of them",
    tuple,
    lambda places: all(isinstance(place, int) for place in places),
)


@overload
def meta_grad_and_value(
    fn: Callable[Concatenate[_M, _P], torch.Tensor],
    /,
    argnums: Literal[0] = 0,
    *,
    has_aux: Literal[False] = False,
    compile: bool = False,
) -> Callable[Concatenate[_M, _P], tuple[_M, torch.Tensor]]: ...
@overload
def meta_grad_and_value(
    fn: Callable[Concatenate[_M, _P], tuple[torch.Tensor, _A]],
    /,
    argnums: Literal[0] = 0,
    *,
    has_aux: Literal[True],
    compile: bool = False,
) -> Callable[Concatenate[_M, _P], tuple[_M, tuple[torch.Tensor, _A]]]: ...
@overload
def meta_grad_and_value(
    fn: Callable[_P, Any],
    /,
    argnums: int | tuple[int, ...] = 0,
    *,
    has_aux: bool = False,
    compile: bool = False,
) -> Callable[_P, tuple[TensorTree, Any]]: ...
@explained
def meta_grad_and_value(
    fn: Callable[..., Any],
    /,
    argnums: int | tuple[int, ...] = 0,
    *,
    has_aux: bool = False,
    compile: bool = False,
) -> Callable[..., tuple[TensorTree, Any]]:
    """Return a function that computes the gradient and the value of an outer loss.

    Like :func:`torch.func.grad_and_value`, for a loss that solves inner problems, but by plain autograd
    (outside of ``torch.func``), where every memory policy of :class:`torchopt.diff.Explicit` works.

    With ``compile=True`` the loss and its gradient are compiled, a loop over inner steps as one step:
    at the first call, and again for other shapes, dtypes or Python values, so pass a number that
    varies as a tensor. A compiled version is used only if the function reads the same things as when
    it was traced; the page of this function has the exceptions. Beyond
    ``torch.compiler.config.recompile_limit`` versions, the function runs eagerly. The backward pass
    recomputes each step, under every memory policy.

    Args:
        fn: ``fn(*args) -> loss``, a scalar.
        argnums: The positions of the arguments to differentiate: trees of floating tensors.
        has_aux: Whether ``fn`` returns a pair ``(loss, aux)``.
        compile: Whether to compile. Python side effects of ``fn`` then happen only while it is traced.

    Returns:
        A function of the same arguments that returns ``(grads, loss)`` or ``(grads, (loss, aux))``
        without graphs: gradients like the argument, or a tuple of them; zero for unused leaves.

    Raises:
        TypeError: If a leaf to differentiate is not a floating tensor, or ``fn`` returns no pair.
        ValueError: If the loss is not a scalar, or does not depend on these arguments.
        NonFiniteError: If the loss is NaN.

    Warns:
        NotCompiledWarning: If ``fn`` runs eagerly, with the reason; once.

    Example:
        Differentiate the loss after one step with respect to its start and its learning rate:

        >>> import torch, torchopt
        >>> def outer(meta, target):
        ...     solution = torchopt.minimize(
        ...         lambda x: (x - target) ** 2, meta["start"],
        ...         solver=torchopt.sgd(meta["lr"]), steps=1)
        ...     return (solution.params - target) ** 2
        >>> meta = {"start": torch.tensor(1.0), "lr": torch.tensor(0.25)}
        >>> grads, value = meta_grad_and_value(outer)(meta, torch.tensor(3.0))
        >>> value
        tensor(1.)
        >>> grads
        {'start': tensor(-1.), 'lr': tensor(-8.)}

    References:
        Maclaurin et al., *Gradient-based Hyperparameter Optimization through Reversible Learning*,
        2015.
    """
    places = (argnums,) if isinstance(argnums, int) else argnums
    checks.check("argnums", places, _PLACES)

    @functools.wraps(fn)
    def grad_and_value(*args: Any) -> tuple[Any, Any]:
        if checks.transforms_active():
            return torch.func.grad_and_value(fn, argnums, has_aux=has_aux)(*args)
        inputs = list(args)
        trees = []
        for place in places:
            if not -len(args) <= place < len(args):
                raise ValueError(
                    f"`argnums` has {place}, but {len(args)} arguments were given by position: pass "
                    f"those to differentiate by position, counted from 0."
                )
            leaves, spec = pytree.flatten(args[place])
            checks.check_floating(leaves, spec, f"args[{place}]")
            moving = [x if x is None else x.detach().requires_grad_() for x in leaves]
            inputs[place] = pytree.unflatten(spec, moving)
            trees.append((spec, moving))
        with torch.enable_grad():
            call = (fn, inputs, places, has_aux)
            if compile:
                out = call_compiled(_differentiated, call, owner=fn, first_order=False)
            else:
                try:
                    out = _differentiated(*call)
                except Exception as error:
                    trim(error)
                    raise
        gradients, loss, aux = out
        checks.check_loss(loss, needs_grad=False)
        if compile and loss.is_cuda:  # copies, because CUDA graphs will write into these again
            gradients, loss, aux = pytree.map_leaves(_copy, out)
        it = iter(gradients)
        grads = tuple(
            pytree.unflatten(spec, [x if x is None else next(it) for x in moving])
            for spec, moving in trees
        )
        value = (loss, aux) if has_aux else loss
        return (grads[0] if isinstance(argnums, int) else grads), value

    return grad_and_value


def _differentiated(
    fn: Callable[..., Any], args: list[Any], places: tuple[int, ...], has_aux: bool
) -> tuple[list[torch.Tensor], torch.Tensor, Any]:
    """Return the gradients of a loss by the leaves of some arguments, the loss, and what is with it.

    All without a graph. In code that is compiled the gradients are a part of it.
    """
    out = fn(*args)
    what = "has_aux=True: the function"
    loss, aux = checks.pair_of(out, what, "loss, aux") if has_aux else (out, None)
    checks.check_loss(loss, value=False, pairs=not has_aux)
    leaves = [x for place in places for x in pytree.leaves(args[place])]
    gradients = gradients_of(loss, [x for x in leaves if x is not None])
    return gradients, loss.detach(), constant(aux)


def _copy(x: Any) -> Any:
    return x.clone() if isinstance(x, torch.Tensor) else x

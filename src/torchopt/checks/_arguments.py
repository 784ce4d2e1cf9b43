"""What arguments must be: choices, counts, trees of floating tensors, losses."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from numbers import Real
from typing import Any, NoReturn, get_args

import torch

from torchopt.checks._places import Structure, leaf_path, raise_other_structure
from torchopt.checks._words import check, count, one_of, or_none
from torchopt.errors import NonFiniteError


def transforms_active() -> bool:
    """Whether tensor values cannot be looked at: inside ``torch.func`` or ``torch.compile``."""
    return torch.compiler.is_compiling() or torch._C._are_functorch_transforms_active()


_BLACK_BOX = "; a function without a gradient is minimized as `torchopt.diff.ZeroOrder()(function)`"


def check_choice(name: str, value: Any, choices: Any, *, optional: bool = False) -> None:
    """Raise ``ValueError`` unless a value is one of a ``Literal``, or None where that is allowed.

    Args:
        name: The name of the argument.
        value: Its value.
        choices: A ``Literal``.
        optional: Whether None is allowed.

    Example:
        >>> from typing import Literal
        >>> check_choice("side", "up", Literal["left", "right"])
        Traceback (most recent call last):
        ValueError: `side` is 'up': use one of 'left', 'right'.
    """
    if value not in get_args(choices) and not (value is None and optional):
        check(name, value, one_of(choices))


def is_count(value: Any, least: int = 0) -> bool:
    """Whether a value is an integer, and not a boolean, from a bound on."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


def check_count(
    name: str,
    value: Any,
    least: int = 0,
    *,
    of: str = "",
    where: str = "",
    optional: bool = False,
) -> None:
    """Raise ``ValueError`` unless a value is an integer from a bound on, or None where allowed.

    Args:
        name: The name of the argument.
        value: Its value.
        least: The bound.
        of: What is counted.
        where: Words for the error, such as ``" of level 'a'"``.
        optional: Whether None is allowed.

    Example:
        >>> check_count("steps", 0, 1, of="updates")
        Traceback (most recent call last):
        ValueError: `steps` is 0: use a whole number of updates, at least 1.
        >>> check_count("history", 2.5, 1, optional=True)
        Traceback (most recent call last):
        ValueError: `history` is 2.5: use an integer, at least 1, or None.
    """
    if not is_count(value, least) and not (value is None and optional):
        word = count(least, of)
        check(f"`{name}`{where}", value, or_none(word) if optional else word)


def check_not_empty(spec: Structure, root: str) -> None:
    """Raise ``ValueError`` when a tree has no leaves."""
    if spec.num_leaves == 0:
        raise ValueError(f"`{root}` has no leaves: pass a tree with at least one tensor in it.")


def check_floating(leaves: Sequence[Any], spec: Structure, root: str) -> None:
    """Raise ``TypeError`` at the first leaf that is neither ``None`` nor a real floating tensor."""
    for index, leaf in enumerate(leaves):
        if leaf is None or (isinstance(leaf, torch.Tensor) and leaf.is_floating_point()):
            continue
        path = leaf_path(spec, index, root)
        if isinstance(leaf, torch.nn.Module):
            raise TypeError(
                f"`{path}` is a module ({type(leaf).__name__}): pass its parameters, "
                f"`dict(module.named_parameters())`."
            )
        if isinstance(leaf, Iterator):
            raise TypeError(
                f"`{path}` is a {type(leaf).__name__}, which can be read once only: pass a list or a "
                f"dictionary of tensors, such as `dict(module.named_parameters())`."
            )
        found = (
            f"a tensor of dtype {leaf.dtype}"
            if isinstance(leaf, torch.Tensor)
            else f"an object of type {type(leaf).__name__}"
        )
        advice = "convert it (complex tensors with `torch.view_as_real`) or put None in its place"
        if isinstance(leaf, Real):
            advice = f"make a tensor of it, `torch.tensor({float(leaf)!r})`"
        raise TypeError(
            f"`{path}` is {found}, but real floating-point tensors are needed: {advice}."
        )


def check_same_structure(
    expected: Structure,
    found: Structure,
    *,
    root: str,
    reference: str,
    advice: str = "pass a tree of the same structure",
) -> None:
    """Raise ``ValueError`` naming the first leaf at which two trees differ.

    Trees with leaves at the same paths, in the same order, are the same: a list and a tuple, say.
    """
    # In this order it can be traced where `expected` is captured.
    if not (found == expected or found.paths() == expected.paths()):
        raise_other_structure(expected, found, root, reference, advice)


def check_loss(
    loss: Any,
    *,
    what: str = "the loss",
    needs_grad: bool = True,
    value: bool = True,
    pairs: bool = False,
    where: str = "",
    advice: str = "nothing was updated; look at the inputs, or lower the learning rate",
) -> None:
    """Raise when a loss is not a scalar tensor, does not require grad, or (``value``) is NaN.

    Values are looked at only where they can be: not inside ``torch.func`` or ``torch.compile``. The
    sentence about NaN says ``where`` it is, and ends in the ``advice``. Where it is the value of a
    function that may return ``pairs``, a pair is told of ``has_aux``, a black box of ``ZeroOrder``.
    """
    if not isinstance(loss, torch.Tensor):
        advice = "it must be a scalar tensor"
        if isinstance(loss, Real):
            advice = f"give the scalar tensor, without `.item()` or `float()`{_BLACK_BOX * pairs}"
        elif callable(loss):
            advice = "call it, and give the scalar tensor that it returns"
        elif pairs and isinstance(loss, tuple) and len(loss) == 2:
            advice = "pass `has_aux=True` for a function that returns a pair (loss, aux)"
        raise TypeError(f"{what} is an object of type {type(loss).__name__}: {advice}.")
    if loss.numel() != 1 or loss.dim() > 1:
        raise ValueError(
            f"{what} has shape {tuple(loss.shape)}, but it must be a scalar: reduce it, for example "
            f"with `.mean()` or `.sum()`."
        )
    if not loss.is_floating_point():
        raise TypeError(
            f"{what} has dtype {loss.dtype}, but it must be a real floating-point scalar."
        )
    if transforms_active():
        return
    if needs_grad and not loss.requires_grad:
        _refuse_cut(what, _BLACK_BOX * pairs)
    if value and math.isnan(loss.item()):
        raise NonFiniteError(f"{what}{where} is NaN: {advice}.")


def check_graph(what: str, given: Sequence[Any], results: Sequence[Any]) -> None:
    """Raise when results have no graph, though one of the leaves they were made of requires grad."""
    made = [x.requires_grad for x in results if x is not None]
    tracked = torch.is_grad_enabled() and any(x.requires_grad for x in given if x is not None)
    if tracked and made and not any(made):
        _refuse_cut(what)


def _refuse_cut(what: str, more: str = "") -> NoReturn:
    raise ValueError(
        f"{what} does not require grad, as if it did not depend on the parameters: check for "
        f"`.detach()`, `no_grad()`, inference mode, `requires_grad=False`{more}."
    )


def check_returned(method: str, result: Any, form: str, like: torch.Tensor) -> None:
    """Check the tuple that a method of a program returned, before it is unpacked.

    A tensor of as many entries would be, too.

    Args:
        method: The name of the method, with its class.
        result: What it returned.
        form: What it is to return, such as ``"(x, state)"``.
        like: A vector of the shape of the first entry.

    Raises:
        TypeError: If the result is something else.
    """
    found = result
    if type(result) is tuple and len(result) == form.count(",") + 1:
        found = result[0]
        if getattr(found, "shape", None) == like.shape:
            return
    what = f"an object of type {type(found).__name__}"
    if isinstance(found, torch.Tensor):
        what = f"a tensor of shape {tuple(found.shape)}"
    elif isinstance(found, tuple):
        what += f" with {len(found)} entries"
    raise TypeError(
        f"`{method}` returned {what}{'' if found is result else ' as its first entry'}: return a tuple "
        f"`{form}`, the first a tensor of shape {tuple(like.shape)}."
    )

"""The checks of arguments, which word their errors: what was wrong, where, and what to do.

Every function here either returns quietly or raises; nothing in it changes its arguments. :func:`warn`
is how the library warns: at the line of the user.
"""

from __future__ import annotations

import sys
import threading
import warnings
from collections.abc import Iterator, Sequence
from types import FrameType
from typing import Any, NoReturn, Protocol, get_args

import torch

from torchopt.errors import TorchOptWarning

__all__ = [
    "check_choice",
    "check_count",
    "check_floating",
    "check_loss",
    "check_not_empty",
    "check_same_structure",
    "is_count",
    "leaf_path",
    "leaf_paths",
    "raise_not_prefix",
    "raise_shape_mismatch",
    "transforms_active",
    "warn",
]


class Structure(Protocol):
    """What is asked of the structure of a tree."""

    @property
    def num_leaves(self) -> int:
        """The number of leaves."""

    def paths(self) -> list[tuple[Any, ...]]:
        """Return the keys that lead to each leaf."""

    def accessors(self) -> list[Any]:
        """Return a description of each leaf's place, whose ``codify`` writes it as source."""


def transforms_active() -> bool:
    """Whether tensor values cannot be looked at: inside ``torch.func`` or ``torch.compile``."""
    return torch.compiler.is_compiling() or torch._C._are_functorch_transforms_active()


def leaf_paths(spec: Structure, root: str) -> list[str]:
    """Return the path of each leaf as Python source, such as ``params['encoder'][0].weight``."""
    return [accessor.codify(root) for accessor in spec.accessors()]


def leaf_path(spec: Structure, index: int, root: str) -> str:
    """Return the path of leaf number ``index`` as Python source."""
    return leaf_paths(spec, root)[index]


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
        known = ", ".join(map(repr, get_args(choices)))
        raise ValueError(f"`{name}` is {value!r}: use one of {known}.")


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
        ValueError: `steps` is 0: use a number of updates, at least 1.
        >>> check_count("history", 2.5, 1, optional=True)
        Traceback (most recent call last):
        ValueError: `history` is 2.5: use an integer, at least 1, or None.
    """
    if not is_count(value, least) and not (value is None and optional):
        what = f"a number of {of}" if of else "an integer"
        end = ", or None" if optional else ""
        raise ValueError(f"`{name}`{where} is {value!r}: use {what}, at least {least}{end}.")


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
        raise TypeError(
            f"`{path}` is {found}, but real floating-point tensors are "
            f"needed: convert it (complex tensors with `torch.view_as_real`) or put None in its place."
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
    if found == expected or found.paths() == expected.paths():
        return
    wanted, given = leaf_paths(expected, root), leaf_paths(found, root)
    known, present = set(wanted), set(given)
    missing = next((index for index, path in enumerate(wanted) if path not in present), None)
    extra = next((path for path in given if path not in known), None)
    if missing is not None:
        path, depth = wanted[missing], len(expected.accessors()[missing])
        inside = (a for a in found.accessors() if a[:depth].codify(root) == path)
        container = next((accessor[depth].type.__name__ for accessor in inside), None)
        where = f"`{path}` is missing"
        if container is not None:
            where = f"`{path}` is of type {container}, where one leaf is expected"
    elif extra is not None:
        where = f"`{extra}` is not expected"
    else:
        where = f"the containers differ (expected {expected}, found {found})"
    raise ValueError(
        f"`{root}` does not have the tree structure of {reference}: {where}; {advice}."
    )


def raise_not_prefix(spec: Structure, found: Structure, root: str, reference: str) -> NoReturn:
    """Raise ``ValueError`` naming the first leaf that a tree that should be a prefix lacks."""
    wanted, given = spec.paths(), found.paths()
    covered = [any(path[: len(g)] == g for g in given) for path in wanted]
    fitting = [any(path[: len(g)] == g for path in wanted) for g in given]
    if not all(covered):
        where = f"`{leaf_path(spec, covered.index(False), root)}` is missing"
    elif not all(fitting):
        where = f"`{leaf_path(found, fitting.index(False), root)}` is not expected"
    else:
        where = f"the containers differ (expected {spec}, found {found})"
    raise ValueError(
        f"`{root}` does not have the tree structure of {reference}, nor the beginning of it: {where}; "
        f"pass one value for each leaf, for a whole branch, or for all."
    )


def raise_shape_mismatch(path: str, found: Any, expected: Any, reference: str) -> NoReturn:
    """Raise ``ValueError`` for a leaf whose shape is not that of its reference."""
    raise ValueError(
        f"`{path}` has shape {tuple(found)}, but {reference} has shape {tuple(expected)}; "
        f"shapes must not change between steps."
    )


def check_loss(
    loss: Any, *, what: str = "the loss", needs_grad: bool = True, value: bool = True
) -> None:
    """Raise when a loss is not a scalar tensor, does not require grad, or (``value``) is NaN.

    Values are looked at only where they can be: not inside ``torch.func`` or ``torch.compile``.
    """
    if not isinstance(loss, torch.Tensor):
        raise TypeError(
            f"{what} is an object of type {type(loss).__name__}: return a scalar tensor."
        )
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
        raise ValueError(
            f"{what} does not require grad: it is not connected to the parameters; check for "
            f"`.detach()`, `torch.no_grad()`, inference mode, or parameters with `requires_grad=False`."
        )
    if value and bool(torch.isnan(loss.detach()).any()):
        raise ValueError(
            f"{what} is NaN: nothing was updated; look at the inputs, or lower the learning rate."
        )


def warn(text: str, category: type[Warning] = TorchOptWarning, **numbers: Any) -> None:
    """Warn at the line of the user that led here; once for each line, by Python's default filter.

    That line is in the innermost frame that is not the library's, PyTorch's or the standard library's.
    The backward pass of a GPU runs in a thread without such a frame: there it is that of the thread
    that waits for it. In any other thread without one it is that of the main thread.

    Args:
        text: What is wrong and what to do. It holds nothing that differs from call to call, since
            Python tells warnings that were given by their text.
        category: The class of the warning.
        **numbers: Attributes of the warning.
    """
    warning = category(text)
    vars(warning).update(numbers)
    frame = _users_frame()
    names = frame.f_globals
    warnings.warn_explicit(
        warning,
        category,
        frame.f_code.co_filename,
        frame.f_lineno,
        names.get("__name__") or "<string>",
        names.setdefault("__warningregistry__", {}),
    )


# In code that is compiled it is called while that is traced: what
# `torch.compiler.assume_constant_result` does, without importing the compiler.
warn._dynamo_marked_constant = True  # type: ignore[attr-defined]

_LIBRARIES = sys.stdlib_module_names | {"functorch", "optree", "torch", "torchopt"}


def _users_frame() -> FrameType:
    here = sys._getframe(1)
    for frame in _stack(here):
        if _is_users(frame):
            return frame
    # Without this thread: a frame that holds itself keeps the tensors of all callers.
    me = threading.get_ident()
    for top in [top for thread, top in sys._current_frames().items() if thread != me]:
        frames = list(_stack(top))
        names = [frame.f_code.co_name for frame in frames]
        if "_engine_run_backward" in names:  # of `torch.autograd.graph`
            for frame in frames[names.index("_engine_run_backward") :]:
                if _is_users(frame):
                    return frame
    # A thread that runs a function of the library itself.
    main = sys._current_frames().get(threading.main_thread().ident or me)
    return next(filter(_is_users, _stack(main)), here)


def _stack(frame: FrameType | None) -> Iterator[FrameType]:
    while frame is not None:
        yield frame
        frame = frame.f_back


def _is_users(frame: FrameType) -> bool:
    if frame.f_code.co_filename.startswith("<eval_with_key>"):  # made by `torch.fx`
        return False
    name = frame.f_globals.get("__name__") or ""
    return name.partition(".")[0] not in _LIBRARIES or name.startswith("torchopt.examples.")

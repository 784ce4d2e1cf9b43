"""Compile what is differentiated through: the steps of an inner problem, and the gradient of them.

A function is traced by ``torch.compile``, with guards on everything that it reads, but each loop over
inner steps is traced as one step (:mod:`torchopt.autodiff.scan_tracing`). Each step, its vjp, and what
is around the loops are compiled once: the time that this takes does not depend on the number of steps.
"""

from __future__ import annotations

import functools
import gc
import types
from collections.abc import Callable
from typing import Any

import torch

from torchopt import checks
from torchopt.autodiff import compiler
from torchopt.autodiff.compiled_function import CompiledFunction
from torchopt.autodiff.exact import higher_order
from torchopt.autodiff.guards import checked_at_calls
from torchopt.autodiff.scan_tracing import rolled
from torchopt.compiled.per_function import PerFunction
from torchopt.errors import NotCompiledWarning
from torchopt.pytree import flattening as pytree


def call_compiled(
    function: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any] | None = None,
    *,
    owner: Callable[..., Any],
    first_order: bool = True,
) -> Any:
    """Return ``function(*args, **kwargs)``, from compiled code with a compiled backward pass.

    Where that cannot be compiled it runs eagerly. Inside of ``torch.compile`` it is a part of what is
    compiled.

    Args:
        function: What to call; differentiable in all tensors that it reads.
        args: Its arguments.
        kwargs: Its arguments by keyword.
        owner: The user's function in it. Code is compiled anew when another function is passed, but
            not when the same one is made again (a closure over other tensors).
        first_order: Whether to say what to do where a gradient of a gradient is asked for, which
            compiled code does not have.

    Raises:
        RuntimeError: In the backward pass, with ``create_graph=True``.

    Warns:
        NotCompiledWarning: If it runs eagerly, and why; once for each function. Beyond the limit of
            ``torch.compiler.config.recompile_limit`` versions, other shapes and values run eagerly.
    """
    kwargs = kwargs or {}
    if torch.compiler.is_compiling():
        return function(*args, **kwargs)
    entry = _ENTRIES[owner]
    if entry.eager:
        return function(*args, **kwargs)
    if checks.transforms_active():
        entry.warn_once(
            owner,
            "it is called inside of torch.func.vmap or grad: put `compile=True` around them, into "
            "torchopt.meta_grad_and_value",
        )
        return function(*args, **kwargs)
    reason, graphs = None, compiler.graphs_compiled
    try:
        out = entry.call(owner, function, args, kwargs)
    except Exception as error:  # not all of the compiler's errors are of its own classes
        # What was compiled before is still used, and nothing is traced again.
        entry.limited = entry.has_most_versions
        reason = _LIMIT if entry.limited else _reason(error)
    entry.versions += compiler.graphs_compiled - graphs
    if reason or graphs != compiler.graphs_compiled:
        gc.collect()  # the compiler's cycles, which keep the function alive
    if reason is None:
        return _first_order(out) if first_order else out
    # An error of the function's own is raised here; only what eager code can do was not compiled.
    out = function(*args, **kwargs)
    entry.eager = reason != _LIMIT
    entry.warn_once(owner, reason)
    return out


_LIMIT = (
    "it has been compiled for as many shapes, dtypes and Python values as "
    "torch.compiler.config.recompile_limit allows: for those it still runs compiled; pass a tensor in "
    "place of what varies, or raise the limit"
)


def _reason(error: Exception) -> str:
    """Return the first sentences of a compiler's error."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    told = [x for i, x in enumerate(lines) if i < 2 or x.startswith("Explanation:")]
    return " ".join(told)[:600].rstrip(".") or type(error).__name__


class _Entry:
    """The compiled code of one function.

    Attributes:
        eager: Whether it cannot be compiled.
        versions: How often it has been compiled.
        limited: Whether a version more was asked for than there may be.
    """

    def __init__(self) -> None:
        self.eager = self.limited = False
        self.versions = 0
        self._few = True
        self._warned = False

    @property
    def has_most_versions(self) -> bool:
        """Whether it has been compiled as often as it may be."""
        return self.versions >= torch.compiler.config.recompile_limit

    @functools.cached_property
    def _compiled(self) -> CompiledFunction:
        # A code object of its own: how often it may be compiled anew is counted for each.
        fresh = types.FunctionType(_call.__code__.replace(), _call.__globals__, "call_compiled")
        options: Any = {"guard_filter_fn": checked_at_calls}
        return CompiledFunction(
            fresh,
            fullgraph=True,
            dynamic=False,
            backend=compiler.backend,
            options=options,
        )

    def call(self, owner: Callable[..., Any], *call: Any) -> Any:
        """Call compiled code."""
        is_first = "_compiled" not in vars(self)
        version = self._compiled.version(*call)
        if version is not None:
            return version(*call)
        with compiler.announced(_name_of(owner), now=is_first):
            if self.limited:
                with torch.compiler.set_stance("eager_on_recompile"):
                    return self._compiled(*call)
            try:
                with rolled(few=self._few):
                    return self._compiled(*call)
            except Exception:
                if not self._few or self.has_most_versions:
                    raise
                # Few steps may have side effects, if they are traced one by one.
                self._few = False
                with rolled(few=False):
                    return self._compiled(*call)

    def warn_once(self, owner: Callable[..., Any], reason: str) -> None:
        """Warn once that the function runs eagerly."""
        if self._warned:
            return
        self._warned = True
        name = _name_of(owner)
        checks.warn(f"compile=True: `{name}` runs eagerly, because {reason}.", NotCompiledWarning)


def _name_of(owner: Callable[..., Any]) -> str:
    return str(getattr(owner, "__qualname__", type(owner).__qualname__))


_ENTRIES = PerFunction(_Entry)


def _call(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    # Entered here, since a step must not change which modes are on while it is traced.
    with higher_order():
        return function(*args, **kwargs)


class _FirstOrder(torch.autograd.Function):
    """The identity, whose backward pass must not be differentiated."""

    @staticmethod
    def forward(ctx: Any, *tensors: torch.Tensor) -> tuple[torch.Tensor, ...]:
        ctx.set_materialize_grads(False)
        return tuple(t.view_as(t) for t in tensors)

    @staticmethod
    def backward(ctx: Any, *cotangents: Any) -> Any:
        if torch.is_grad_enabled():
            raise RuntimeError(
                "compile=True has no gradient of a gradient (create_graph=True): pass compile=False."
            )
        return cotangents


def _first_order(tree: Any) -> Any:
    leaves, spec = pytree.flatten(tree)
    places = [i for i, x in enumerate(leaves) if isinstance(x, torch.Tensor) and x.requires_grad]
    if not places:
        return tree
    for i, x in zip(places, _FirstOrder.apply(*(leaves[i] for i in places)), strict=True):
        leaves[i] = x
    return pytree.unflatten(spec, leaves)

"""Compile what is differentiated through: the steps of an inner problem, and the gradient of them.

A function is traced by ``torch.compile``, with guards on everything that it reads, but each loop over
inner steps is traced as one step (:mod:`torchopt.autodiff.scan_tracing`). Each step, its vjp, and what is around the
loops are compiled once, so that the time that this takes does not depend on the number of steps.
"""

from __future__ import annotations

import functools
import gc
import types
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import torch

from torchopt import errors
from torchopt.autodiff.higher_order import higher_order
from torchopt.autodiff.scan import collecting
from torchopt.autodiff.scan_tracing import rewrite, rolled
from torchopt.meta._numbers import Numbers
from torchopt.meta._per_function import PerFunction
from torchopt.pytree import flattening as pytree

__all__ = ["NotCompiledWarning", "call_compiled"]


class NotCompiledWarning(UserWarning):
    """What was to be compiled runs eagerly."""


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
            not when the same one is made again (a closure over other tensors). Floats that vary from
            call to call become tensors.
        first_order: Whether to say what to do where a gradient of a gradient is asked for, which
            compiled code does not have.

    Raises:
        RuntimeError: In the backward pass, with ``create_graph=True``.

    Warns:
        NotCompiledWarning: If it runs eagerly, and why; once for each function. Beyond the limit of
            ``torch._dynamo.config.recompile_limit`` versions, other shapes and values run eagerly.
    """
    kwargs = kwargs or {}
    if torch.compiler.is_compiling():
        return function(*args, **kwargs)
    kept = _KEPT[owner]
    if kept.eager:
        return function(*args, **kwargs)
    if errors.transforms_active():
        kept.tell(
            owner,
            "it is called inside of torch.func.vmap or grad: put `compile=True` around them, into "
            "torchopt.meta_grad_and_value",
        )
        return function(*args, **kwargs)
    from torch._dynamo.exc import FailOnRecompileLimitHit, TorchDynamoException

    reason, traced = None, _traced
    try:
        with rolled():
            out = kept.call(function, args, kwargs)
    except TorchDynamoException as error:
        reason = _reason(error)
    except FailOnRecompileLimitHit:  # what was compiled before is still used
        reason = _LIMIT
    if reason or traced != _traced:
        gc.collect()  # the compiler's cycles, which keep the function alive
    if reason is None:
        return _first_order(out) if first_order else out
    # An error of the function's own is raised here; only what eager code can do was not compiled.
    out = function(*args, **kwargs)
    kept.eager = reason is not _LIMIT
    kept.tell(owner, reason)
    return out


_LIMIT = (
    "it has been compiled for as many shapes, dtypes and Python values as "
    "torch._dynamo.config.recompile_limit allows: for those it still runs compiled; pass a tensor in "
    "place of what varies, or raise the limit"
)


def _reason(error: Exception) -> str:
    """Return the first sentences of a compiler's error."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    told = [x for i, x in enumerate(lines) if i < 2 or x.startswith("Explanation:")]
    return " ".join(told)[:600].rstrip(".") or type(error).__name__


class _Kept:
    """What is kept of one function.

    Attributes:
        eager: Whether it cannot be compiled.
    """

    def __init__(self) -> None:
        self.eager = False
        self._told = False
        self._numbers = Numbers()

    @functools.cached_property
    def _compiled(self) -> Callable[..., Any]:
        # A code object of its own: how often it may be compiled anew is counted for each.
        fresh = types.FunctionType(_call.__code__.replace(), _call.__globals__, "call_compiled")
        return torch.compile(fresh, fullgraph=True, dynamic=False, backend=_backend)

    def call(self, *call: Any) -> Any:
        """Call compiled code, with tensors in place of the numbers that vary."""
        shown, seen = self._numbers.varying(call)
        if shown is not call:
            try:
                return seen.as_of_numbers(self._compiled(*shown))
            except torch._dynamo.exc.FailOnRecompileLimitHit:
                raise
            except Exception:  # whatever needs numbers; what is wrong otherwise is raised again
                self._numbers.refused = True
        out = self._compiled(*call)
        seen.note(out)
        return out

    def tell(self, owner: Callable[..., Any], reason: str) -> None:
        """Warn, once, that it runs eagerly."""
        if self._told:
            return
        self._told = True
        name = getattr(owner, "__qualname__", type(owner).__qualname__)
        errors.warn(f"compile=True: `{name}` runs eagerly, because {reason}.", NotCompiledWarning)


_KEPT = PerFunction(_Kept)


_traced = 0
"""How many graphs have been compiled."""


def _backend(graph: torch.fx.GraphModule, inputs: list[Any]) -> Callable[..., Any]:
    global _traced
    _traced += 1
    with warnings.catch_warnings():  # of PyTorch's own use of its own deprecated names
        warnings.simplefilter("ignore", DeprecationWarning)
        return compiler.compile(graph, inputs)


def _call(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    # Entered here, since a step must not change which modes are on while it is traced.
    with higher_order():
        return function(*args, **kwargs)


class Compiler(NamedTuple):
    """Compiles a graph that has been traced, and the steps in it.

    Attributes:
        whole: Compiles a graph that is differentiated.
        step: Compiles one that is not.
    """

    whole: Callable[[Any, Any], Any]
    step: Callable[[Any], Any]

    def compile(self, graph: torch.fx.GraphModule, inputs: list[Any]) -> Callable[..., Any]:
        """Return a function of the inputs of a graph."""
        with collecting() as programs:
            out = self.whole(rewrite(graph), inputs)
        for program in programs.values():
            program.compile(self.step)
        compiled: Callable[..., Any] = out
        return compiled


def _inductor(graph: Any, inputs: Any) -> Any:
    from torch._inductor.compile_fx import compile_fx

    # CUDA graphs need fixed addresses: where all inputs are on the GPU, and their shapes are fixed.
    on_gpu = all(x.is_cuda for x in inputs if isinstance(x, torch.Tensor))
    return compile_fx(graph, inputs, config_patches={"triton.cudagraphs": on_gpu})


def _inductor_step(graph: torch.fx.GraphModule) -> Any:
    from torch._inductor.compile_fx import compile_fx
    from torch.fx.passes.split_module import split_module

    scalars = _scalars(graph)
    if not scalars:
        return compile_fx(graph, [n.meta["val"] for n in graph.graph.find_nodes(op="placeholder")])
    # By themselves: in a loop over the elements of a parameter, Inductor would compute them (the powers
    # in a bias correction, say) again for each.
    parts = split_module(graph, None, lambda node: 0 if node in scalars else 1)  # type: ignore[arg-type]
    for node in parts.graph.find_nodes(op="call_module"):
        part = getattr(parts, node.target)
        inputs = [n.meta["val"] for n in part.graph.find_nodes(op="placeholder")]
        function: Any = compile_fx(part, inputs)
        setattr(parts, node.target, _Compiled(function))
    return parts


class _Compiled(torch.nn.Module):
    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__()
        self.forward = function


def _scalars(graph: torch.fx.GraphModule) -> set[torch.fx.Node]:
    """Return the operations on scalars alone, on the CPU."""
    found: set[torch.fx.Node] = set()
    known: set[torch.fx.Node] = set()
    for node in graph.graph.nodes:
        value = node.meta.get("val")
        if not isinstance(value, torch.Tensor) or value.dim() or value.device.type != "cpu":
            continue
        if node.op == "placeholder":
            known.add(node)
        elif node.op == "call_function" and known.issuperset(node.all_input_nodes):
            known.add(node)
            found.add(node)
    return found


def _aot_eager(graph: Any, inputs: Any) -> Any:
    from torch._dynamo.backends.debugging import aot_eager

    return aot_eager(graph, inputs)


INDUCTOR = Compiler(_inductor, _inductor_step)
TRACED = Compiler(_aot_eager, lambda graph: graph)
"""Traces without compiling: to test what can be traced."""

compiler = INDUCTOR


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
    tracked = [isinstance(x, torch.Tensor) and x.requires_grad for x in leaves]
    if not any(tracked):
        return tree
    it = iter(_FirstOrder.apply(*(x for x, t in zip(leaves, tracked, strict=True) if t)))
    return pytree.unflatten(
        spec, [next(it) if t else x for x, t in zip(leaves, tracked, strict=True)]
    )

"""Gradients that may be differentiated again: their derivative is right, or raises.

Some backward passes lose their graph, or their tangents, without a word. In PyTorch 2.13 these are
those of compiled code, of sparse tensors in their values, of ``linear_cross_entropy`` in chunks, and of
custom functions that compute outside of PyTorch. A gradient that went through one raises when it is
differentiated, not before: most gradients never are. Under ``torch.func`` each level has a graph.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from contextvars import ContextVar
from typing import Any, TypeAlias

import torch
from torch.autograd import forward_ad
from torch.autograd.function import BackwardCFunction
from torch.autograd.graph import GradientEdge, get_gradient_edge

from torchopt.autodiff import transforms
from torchopt.autodiff.graph import Cotangents, Tensors, alias, is_custom, nodes_reached
from torchopt.autodiff.tracking import without_hooks
from torchopt.autodiff.transforms import unseen_by_modes, values_of
from torchopt.errors import LostGraphError

_End: TypeAlias = torch.Tensor | GradientEdge

in_this_thread = functools.partial(torch.autograd.set_multithreading_enabled, False)
"""Let backward passes run in this thread: sums are in the order in which one thread made the nodes."""

_OURS = ContextVar("whether the library takes a gradient through which tangents go", default=False)

_COMPILED = "CompiledFunctionBackward"
_ADVICE = {
    _COMPILED: (
        "the function that was optimized calls what torch.compile has compiled, whose gradient cannot "
        "be differentiated again: pass the function or module as it was before torch.compile, and "
        "compile the whole by `compile=True` of torchopt.minimize or torchopt.meta_grad_and_value."
    ),
    "GeneratedBackwardFor_torch_nn__linear_cross_entropy_batch_chunked_defaultBackward": (
        "the gradient of `linear_cross_entropy` in chunks cannot be differentiated again: call it "
        "without `options`."
    ),
}
"""What never has a second derivative, by the names of nodes."""

REFUSED_SPARSE = (
    "the objective reads a sparse tensor whose values require grad, and in PyTorch the gradient in "
    "these has no graph, so that it cannot be differentiated again: add up its products with a vector, "
    "`torch.zeros(n).index_add(0, rows, values * x[columns])`, or use a dense tensor; if you want no "
    "derivative of the solution, solve under `torch.no_grad()`."
)

_COMPRESSED = "SparseCompressedTensorBackward0"
"""A linear node whose gradient has a graph that PyTorch cannot follow, which is as good as none."""

_SPARSE = frozenset({"SparseCooTensorWithDimsAndTensorsBackward0", "ValuesBackward0", _COMPRESSED})
"""Linear nodes that lose the graph of their cotangents; nothing is lost where these are constant."""


def gradient(
    outputs: _End | Sequence[_End],
    inputs: _End | Sequence[_End],
    *args: Any,
    run: Callable[..., Any] | None = None,
    of: Sequence[torch.Tensor] | None = None,
    **kwargs: Any,
) -> Any:
    """Take a gradient as ``torch.autograd.grad``; to differentiate one without its graph raises.

    Args:
        outputs: The outputs.
        inputs: The inputs.
        *args: As of ``torch.autograd.grad``.
        run: What takes the gradient; None for ``torch.autograd.grad``.
        of: What a gradient without its graph may depend on; by default the outputs.
        **kwargs: As of ``torch.autograd.grad``.
    """
    take = functools.partial(run or torch.autograd.grad, outputs, inputs, *args, **kwargs)
    graph = kwargs.get("create_graph", args[2] if len(args) > 2 else False)
    if torch.compiler.is_compiling() or not (graph or transforms.forward_depth()):
        return take()
    outputs, inputs = _listed(outputs), _listed(inputs)
    suspects = _suspects(outputs, inputs)
    ours = _OURS.set(True)
    try:
        with in_this_thread():
            if not suspects:  # nearly always
                return take()
            with Watch(outputs, inputs, suspects, constant=not graph) as watched:
                grads = take()
    finally:
        _OURS.reset(ours)
    cotangents = args[0] if args else kwargs.get("grad_outputs")
    of = [*(outputs if of is None else of), *(() if cotangents is None else _listed(cotangents))]
    return watched.checked(grads, of)


def by_the_program(create_graph: bool) -> AbstractContextManager[Any]:
    """Hold a gradient that an objective takes without a graph constant in forward mode, too."""
    graph = create_graph or _OURS.get() or torch.compiler.is_compiling()
    if graph or not transforms.forward_depth():
        return nullcontext()
    return forward_ad._set_fwd_grad_enabled(False)


class Watch:
    """Looks at a backward pass, for gradients that lose their graph or their tangents.

    Args:
        outputs: What is differentiated.
        inputs: With respect to what.
        suspects: The nodes between them that may lose one; None to find them.
        constant: Whether the gradients have no graph in the present level of ``torch.func``: they are
            differentiated in the levels below, or in forward mode.

    Attributes:
        lost: By node, whether it loses graphs or (True) tangents.
    """

    def __init__(
        self,
        outputs: Sequence[_End],
        inputs: Sequence[_End],
        suspects: list[Any] | None = None,
        *,
        constant: bool = False,
    ) -> None:
        self._constant = constant
        self._inputs = list(inputs)
        self._outputs = list(outputs)  # keeps the graph
        self.lost: dict[Any, set[bool]] = {}
        self._handles: list[Any] = []
        self._suspects: list[Any] = []
        if torch.compiler.is_compiling():
            return
        self._level = transforms.current_level()
        self._ends = [t.node if isinstance(t, GradientEdge) else t.grad_fn for t in inputs]
        self._suspects = _suspects(outputs, inputs) if suspects is None else suspects
        if self._suspects:
            self._moves = self._derivatives(outputs)

    def __enter__(self) -> Watch:
        if self._suspects and (
            not self._constant or torch.is_grad_enabled() or transforms.forward_depth()
        ):
            self._handles = [
                node.register_hook(functools.partial(self._look, node)) for node in self._suspects
            ]
        return self

    def __exit__(self, *exception: object) -> None:
        for handle in self._handles:
            handle.remove()

    def checked(
        self, grads: Sequence[torch.Tensor | None], of: Iterable[_End | None]
    ) -> Sequence[torch.Tensor | None]:
        """Return gradients; those that went through lost nodes raise when they are differentiated.

        Args:
            grads: The gradients.
            of: What one without its graph may depend on; only tensors count.
        """
        if not self.lost:
            return grads
        reached = set(nodes_reached([GradientEdge(node, 0) for node in self.lost]))
        leaves = {id(node.variable) for node in reached if hasattr(node, "variable")}
        cut = [
            g is not None and (id(t) in leaves or end in reached)
            for g, t, end in zip(grads, self._inputs, self._ends, strict=True)
        ]
        bare = [g for g, is_cut in zip(grads, cut, strict=True) if g is not None and is_cut]
        first = next(iter(self.lost))
        # The graph of `once_differentiable` looks like a thread's; `has_compiled_gradient` finds the
        # graph of compiled code.
        if self._moves == {(0, False)} and type(first).__name__ != _COMPILED:
            with unseen_by_modes():
                bare = [g.detach() for g in bare]
        of = [t for t in of if isinstance(t, torch.Tensor) and self._derivatives([t])]
        modes = {mode for modes in self.lost.values() for mode in modes}
        given = iter(_Refuse.apply(_advice(first), modes, len(of), *of, *bare))
        return tuple(next(given) if is_cut else g for g, is_cut in zip(grads, cut, strict=True))

    def _derivatives(self, tensors: Iterable[_End | None]) -> set[tuple[int, bool]]:
        """Return which derivatives of some tensors may be taken, but for those that do not matter."""
        found: set[tuple[int, bool]] = set()
        for t in tensors:
            if isinstance(t, torch.Tensor):
                found |= transforms.derivatives_of(t)
            elif t is not None:
                found.add((self._level, False))
        return found - {(self._level, False)} if self._constant else found

    def _look(self, node: Any, gradients: Any, cotangents: Any) -> None:
        """Note a node whose gradients have no graph, though they change with its cotangents."""
        never = type(node).__name__ in _ADVICE
        with unseen_by_modes():
            moving = self._derivatives(cotangents)
            missing: dict[torch.Tensor, set[tuple[int, bool]]] = {}
            for g, (following, _) in zip(gradients, node.next_functions, strict=False):
                if g is not None and following:
                    none = never or type(node).__name__ == _COMPRESSED or _ends_here(g, cotangents)
                    missing[g] = (self._moves | moving) - self._derivatives([] if none else [g])
            bare = [g for g, derivatives in missing.items() if derivatives]
            if never or (bare and self._is_lost(node, bare, cotangents, bool(moving))):
                self.lost[node] = {forward for some in missing.values() for _, forward in some}

    def _is_lost(self, node: Any, bare: list[torch.Tensor], cotangents: Any, moving: bool) -> bool:
        if not is_custom(node):
            return moving
        # A custom function that keeps nothing of its inputs is linear.
        kept = [x for x in vars(node).values() if hasattr(x, "dtype")]
        try:
            kept += node.saved_tensors
        except RuntimeError:  # it has written into them
            return True
        written = [x for x in (*kept, *bare) if isinstance(x, torch.Tensor)]
        within = self._constant and transforms.current_level() == self._level > 0
        return bool(moving or kept) and _follows(node, cotangents, written, within)


def edge_of(y: torch.Tensor | None) -> _End | None:
    """Return what stands for a tensor in :func:`vjp` when its values are freed."""
    return y if y is None or y.grad_fn is None else get_gradient_edge(y)


def vjp(
    outputs: Sequence[_End | None],
    inputs: Tensors,
    cotangents: Cotangents,
    *,
    create_graph: bool = False,
    retain_graph: bool | None = None,
) -> list[torch.Tensor | None]:
    """Return the cotangents of inputs; None where they do not require grad or are not reached."""
    pairs = [
        (y, c)
        for y, c in zip(outputs, cotangents, strict=True)
        if y is not None and c is not None and getattr(y, "requires_grad", True)
    ]
    wanted = [t for t in inputs if t.requires_grad]
    if not pairs or not wanted:
        return [None] * len(inputs)
    ends, given = zip(*pairs, strict=True)
    found = gradient(ends, wanted, given, retain_graph, create_graph, allow_unused=True)
    gradients = iter(found)
    return [next(gradients) if t.requires_grad else None for t in inputs]


def _listed(ends: Any) -> list[Any]:
    return [ends] if isinstance(ends, torch.Tensor | GradientEdge) else list(ends)


def _suspects(outputs: Iterable[_End], inputs: Iterable[_End]) -> list[Any]:
    """Return the nodes between outputs and inputs that may lose a graph or a tangent."""
    ends = {t.node if isinstance(t, GradientEdge) else t.grad_fn for t in inputs}
    return [node for node in nodes_reached(outputs, ends) if _is_suspect(node.__class__)]


@functools.lru_cache(maxsize=1024)
def _is_suspect(kind: type) -> bool:
    return is_foreign(kind) or kind.__name__ in _SPARSE


@functools.lru_cache(maxsize=1024)
def is_foreign(kind: type) -> bool:
    """Whether nodes of a class are of a custom function that is not the library's.

    The derivatives of the library's own are right to any order.
    """
    if not issubclass(kind, BackwardCFunction):
        return False
    return _function(kind).__module__.partition(".")[0] != "torchopt"


def _function(kind: type) -> Any:
    """Return the custom function of nodes; ``torch.func`` makes others of it, level by level."""
    function: Any = getattr(kind, "_forward_cls", kind)
    while function.__module__.startswith("torch._functorch"):
        variables = inspect.getclosurevars(function.backward).nonlocals
        function = variables.get("autograd_function", object)
    return function


def _values(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.to_sparse_coo().coalesce().values() if tensor.layout != torch.strided else tensor


def _follows(
    node: Any, cotangents: Sequence[torch.Tensor | None], kept: list[torch.Tensor], within: bool
) -> bool:
    """Whether the gradients of a custom function follow its cotangents without a graph to them.

    Its backward pass is called twice more, and may write into tensors that are put back: ``kept``.

    Args:
        node: The node of the function.
        cotangents: Its cotangents.
        kept: What it may write into.
        within: Whether its backward pass runs in a level of ``torch.func`` within that of the graph.
    """
    given = [
        torch.ones(meta.shape, dtype=meta.dtype, device=meta.device) if c is None else _nonzero(c)
        for c, meta in zip(cotangents, node._input_metadata, strict=True)
    ]
    devices = [c.device for c in given if not c.is_cpu and not c.is_meta]
    kind = devices[0].type if devices else "cuda"
    with transforms.outside():
        plain = [transforms.value_of(t).data for t in kept]
        copies = [t.clone() for t in plain]

    def again(given: Sequence[torch.Tensor]) -> list[torch.Tensor | None]:
        """Return copies of the gradients without a graph."""
        apply = functools.partial(node.apply, *given)
        try:
            with torch.random.fork_rng(devices, device_type=kind):
                out = in_own_level(apply) if within else apply()
            gradients = out if isinstance(out, (tuple, list)) else (out,)
            pairs = zip(gradients, node.needs_input_grad, strict=False)
            bare = [
                g if needed and isinstance(g, torch.Tensor) and _is_bare(g, given) else None
                for g, needed in pairs
            ]
            with transforms.outside():
                return [None if g is None else _values(values_of(g)).clone() for g in bare]
        finally:
            with transforms.outside():
                for t, copy in zip(plain, copies, strict=True):
                    if not _same(t, copy, 0.0):
                        t.copy_(copy)

    try:
        with torch.enable_grad():
            once, twice = again(given), _tracked(again, [2 * c for c in given])
    except RuntimeError:  # it converts a cotangent, for example
        return True
    pairs = zip(once, twice, strict=True)
    with transforms.outside():
        return any(a is not None and b is not None and not _same(a, b, 1e-3) for a, b in pairs)


def _nonzero(c: torch.Tensor) -> torch.Tensor:
    """Return a cotangent without zeros, whose gradients are zero whatever they follow."""
    c = c.detach()
    return c.masked_fill(c == 0, 1) if c.layout == torch.strided else c


def _tracked(function: Callable[[Tensors], Any], tensors: Tensors) -> Any:
    """Return what a function returns for tensors that require grad."""
    if not transforms.are_active():
        return function([t.requires_grad_() for t in tensors])
    results: list[Any] = []

    def run(*tensors: torch.Tensor) -> Tensors:
        results.append(function(tensors))
        return tensors

    torch.func.vjp(run, *tensors)
    return results[0]


def in_own_level(function: Callable[[], Any]) -> list[Any]:
    """Return the results of a function that runs in a level of ``torch.func`` of its own."""
    track = torch.is_grad_enabled()
    results: list[Any] = []

    def run(x: torch.Tensor) -> tuple[torch.Tensor, Tensors]:
        with torch.set_grad_enabled(track):
            out = function()
        results[:] = out if isinstance(out, (tuple, list)) else [out]
        return x, [y for y in results if isinstance(y, torch.Tensor)]

    with without_hooks():
        made: Any = torch.func.vjp(run, torch.zeros((), device="cpu"), has_aux=True)[-1]
    outside = iter(made)
    return [next(outside) if isinstance(y, torch.Tensor) else y for y in results]


def _is_bare(g: torch.Tensor, cotangents: Cotangents) -> bool:
    """Whether a gradient has no graph, or one that leads nowhere."""
    return not g.requires_grad or _ends_here(g, cotangents)


def _ends_here(g: torch.Tensor, cotangents: Cotangents) -> bool:
    """Whether the graph of a gradient leads nowhere.

    It is that of ``once_differentiable``, or a leaf which is no cotangent: DTensors made anew in a
    backward pass (PyTorch 2.11).
    """
    if g.grad_fn is None:
        return g.requires_grad and all(g is not c for c in cotangents)
    return type(g.grad_fn).__name__ == "Error"


def _same(a: torch.Tensor, b: torch.Tensor, rtol: float) -> bool:
    return a.layout != torch.strided or torch.allclose(a, b, rtol=rtol, atol=0, equal_nan=True)


def _advice(node: Any) -> str:
    name = type(node).__name__
    if name in _ADVICE:
        return _ADVICE[name]
    if name in _SPARSE:
        return REFUSED_SPARSE
    if name == "_ToTorchTensorBackward":
        return (
            "before PyTorch 2.12, the gradient of `to_local` and `full_tensor` of a DTensor has no "
            "graph, so that it cannot be differentiated again: use a newer PyTorch."
        )
    return (
        f"the objective calls a custom autograd.Function ({_function(node).__name__}) whose "
        f"backward computes a gradient without a graph, so that it cannot be differentiated again: "
        f"compute it by operations of PyTorch on its saved tensors and its argument. Without second "
        f"derivatives, a mode can differentiate the steps by "
        f'`torchopt.diff.Explicit("step", hvp="finite_difference")`.'
    )


class _Refuse(torch.autograd.Function):
    """The identity on gradients, which also depends on other tensors; its derivatives raise."""

    generate_vmap_rule = True

    @staticmethod
    def forward(text: str, modes: set[bool], size: int, *tensors: torch.Tensor) -> Any:
        return tuple(map(alias, tensors[size:]))

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        ctx.text, ctx.modes, ctx.size, *_ = inputs

    @staticmethod
    def backward(ctx: Any, *cotangents: Any) -> Any:
        raise LostGraphError(ctx.text)

    @staticmethod
    def jvp(ctx: Any, *tangents: Any) -> Any:
        if True in ctx.modes:
            raise LostGraphError(ctx.text)
        return tuple(None if t is None else alias(t) for t in tangents[3 + ctx.size :])

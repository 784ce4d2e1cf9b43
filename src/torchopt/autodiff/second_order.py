"""Gradients that may be differentiated again: their derivative is right, or raises.

Some backward passes lose their graph without a word. In PyTorch 2.13 these are those of compiled code,
of sparse tensors in their values, of ``linear_cross_entropy`` in chunks, and of custom functions that
compute outside of PyTorch. A gradient that went through one raises when it is differentiated, not
before: most gradients never are.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import torch
from torch.autograd.function import BackwardCFunction
from torch.autograd.graph import GradientEdge, get_gradient_edge

from torchopt import checks
from torchopt.autodiff.graph import Cotangents, Tensors, alias, is_custom, nodes_reached
from torchopt.autodiff.transforms import unseen_by_modes
from torchopt.errors import LostGraphError

__all__ = ["gradient", "is_foreign", "vjp"]

_End: TypeAlias = torch.Tensor | GradientEdge

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
    if not graph or torch.compiler.is_compiling() or checks.transforms_active():
        return take()
    outputs, inputs = _listed(outputs), _listed(inputs)
    ends = {t.node if isinstance(t, GradientEdge) else t.grad_fn for t in inputs}
    suspects = [node for node in nodes_reached(outputs, ends) if is_suspect(node.__class__)]
    if not suspects:
        return take()
    lost: list[Any] = []
    handles = [node.register_hook(functools.partial(_look, node, lost)) for node in suspects]
    try:
        grads = take()
    finally:
        for handle in handles:
            handle.remove()
    if not lost:
        return grads
    of = [t for t in outputs if isinstance(t, torch.Tensor)] if of is None else list(of)
    return _refused(grads, inputs, lost, of)


def vjp(
    outputs: Tensors,
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
        if y.requires_grad and c is not None
    ]
    wanted = [t for t in inputs if t.requires_grad]
    if not pairs or not wanted:
        return [None] * len(inputs)
    gradients = iter(
        gradient(
            [y for y, _ in pairs],
            wanted,
            [c for _, c in pairs],
            retain_graph=retain_graph,
            create_graph=create_graph,
            allow_unused=True,
        )
    )
    return [next(gradients) if t.requires_grad else None for t in inputs]


def _listed(ends: Any) -> list[Any]:
    return [ends] if isinstance(ends, torch.Tensor | GradientEdge) else list(ends)


@functools.lru_cache(maxsize=1024)
def is_suspect(kind: type) -> bool:
    """Whether nodes of a class may lose the graph of a gradient."""
    return is_foreign(kind) or kind.__name__ in _SPARSE


@functools.lru_cache(maxsize=1024)
def is_foreign(kind: type) -> bool:
    """Whether nodes of a class are of a custom function that is not the library's.

    The derivatives of the library's own are right to any order.
    """
    function = getattr(kind, "_forward_cls", kind)
    return issubclass(kind, BackwardCFunction) and not function.__module__.startswith("torchopt")


def _look(node: Any, lost: list[Any], gradients: Any, cotangents: Any) -> None:
    """Note a node whose gradients have no graph, though they change with its cotangents."""
    with unseen_by_modes():
        if type(node).__name__ in _ADVICE or _is_lost(node, gradients, cotangents):
            lost.append(node)


def _is_lost(node: Any, gradients: Any, cotangents: Any) -> bool:
    edges = zip(gradients, node.next_functions, strict=False)
    none = type(node).__name__ == _COMPRESSED
    bare = [g for g, (n, _) in edges if g is not None and n and (none or _is_bare(g))]
    moving = any(c is not None and c.requires_grad for c in cotangents)
    if not bare:
        return False
    if not is_custom(node):
        return moving and any(bool(_values(g).count_nonzero()) for g in bare)
    # A custom function that keeps nothing of its inputs is linear.
    kept = [x for x in vars(node).values() if hasattr(x, "dtype")]
    try:
        kept += node.saved_tensors
    except RuntimeError:  # it has written into them
        return True
    if not (moving or kept):
        return False
    return _follows(node, cotangents, [x for x in (*kept, *bare) if isinstance(x, torch.Tensor)])


def _is_bare(g: torch.Tensor) -> bool:
    """Whether a gradient has no graph, or that of ``once_differentiable``, which leads nowhere."""
    return not g.requires_grad or type(g.grad_fn).__name__ == "Error"


def _values(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.to_sparse_coo().coalesce().values() if tensor.layout != torch.strided else tensor


def _follows(
    node: Any, cotangents: Sequence[torch.Tensor | None], kept: list[torch.Tensor]
) -> bool:
    """Whether the gradients of a custom function follow its cotangents without a graph to them.

    Its backward pass is called twice more, and may write into tensors that are put back: ``kept``.
    """
    given = [
        torch.zeros(meta.shape, dtype=meta.dtype, device=meta.device) if c is None else c.detach()
        for c, meta in zip(cotangents, node._input_metadata, strict=True)
    ]
    copies = [t.detach().clone() for t in kept]

    def again(given: Sequence[torch.Tensor]) -> list[torch.Tensor | None]:
        """Return copies of the gradients without a graph."""
        try:
            with torch.random.fork_rng([c.device for c in given if c.is_cuda]):
                out = node.apply(*given)
            gradients = out if isinstance(out, tuple) else (out,)
            return [
                _values(g.detach()).clone()
                if needed and isinstance(g, torch.Tensor) and _is_bare(g)
                else None
                for g, needed in zip(gradients, node.needs_input_grad, strict=False)
            ]
        finally:
            for t, copy in zip(kept, copies, strict=True):
                if not _same(t.detach(), copy, 0.0):
                    t.data.copy_(copy)

    try:
        once, twice = again(given), again([(2 * c).requires_grad_() for c in given])
    except RuntimeError:  # it converts a cotangent, for example
        return True
    pairs = zip(once, twice, strict=True)
    return any(a is not None and b is not None and not _same(a, b, 1e-3) for a, b in pairs)


def _same(a: torch.Tensor, b: torch.Tensor, rtol: float) -> bool:
    return a.layout != torch.strided or torch.allclose(a, b, rtol=rtol, atol=0, equal_nan=True)


def _refused(
    grads: Sequence[torch.Tensor | None],
    inputs: list[_End],
    lost: list[Any],
    of: list[torch.Tensor],
) -> tuple[torch.Tensor | None, ...]:
    """Return gradients; those that went through lost nodes raise when they are differentiated."""
    reached = set(nodes_reached([GradientEdge(node, 0) for node in lost]))
    ends = [t if isinstance(t, GradientEdge) else get_gradient_edge(t) for t in inputs]
    cut = [g is not None and end.node in reached for g, end in zip(grads, ends, strict=True)]
    bare = [g for g, is_cut in zip(grads, cut, strict=True) if g is not None and is_cut]
    if type(lost[0]).__name__ != _COMPILED:  # of which `has_compiled_gradient` finds the graph
        with unseen_by_modes():  # the graph of `once_differentiable` looks like a thread's
            bare = [g.detach() for g in bare]
    of = [t for t in of if t.requires_grad]
    given = iter(_Refuse.apply(_advice(lost[0]), len(of), *of, *bare))
    return tuple(next(given) if is_cut else g for g, is_cut in zip(grads, cut, strict=True))


def _advice(node: Any) -> str:
    name = type(node).__name__
    if name in _ADVICE:
        return _ADVICE[name]
    if name in _SPARSE:
        return (
            "the objective reads a sparse tensor whose values require grad, and in PyTorch the "
            "gradient in these has no graph, so that it cannot be differentiated again: make the "
            "tensor of its values (in the layout COO, CSR or CSC) and evaluate the objective inside "
            "`torchopt.higher_order()`, or use a dense tensor."
        )
    return (
        f"the objective calls a custom autograd.Function ({name.removesuffix('Backward')}) whose "
        f"backward computes a gradient without a graph, so that it cannot be differentiated again: "
        f"compute it by operations of PyTorch on its saved tensors and its argument. Without second "
        f'derivatives, a Hessian operator can take products by `hvp="finite_difference"`, and a mode '
        f'can differentiate the steps by `torchopt.diff.Explicit("step", hvp="finite_difference")`.'
    )


class _Refuse(torch.autograd.Function):
    """The identity on gradients, which also depends on other tensors; its backward pass raises."""

    @staticmethod
    def forward(ctx: Any, text: str, size: int, *tensors: torch.Tensor) -> tuple[torch.Tensor, ...]:
        ctx.text = text
        return tuple(map(alias, tensors[size:]))

    @staticmethod
    def backward(ctx: Any, *cotangents: Any) -> Any:
        raise LostGraphError(ctx.text)

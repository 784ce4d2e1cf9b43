"""Call a user's solver."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.compiler import is_dynamo_compiling

from torchopt import checks
from torchopt.autodiff.tracking import constant, copied, tracking, untracked, without_inference
from torchopt.pytree import flattening as pytree


def call_solver(solver: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Return the result of a solver, without a graph.

    It runs in grad mode, so that it may train with plain autograd, on copies of its inputs, cut off
    from what made them; only the start requires grad where it did. Under ``torch.func.vmap`` it
    is called once, as any function is. If that fails, since it looks at values or calls autograd, it
    is called for each problem by itself, on plain tensors; or, where it has an attribute ``batched``
    that is true, once on plain tensors whose first axis counts the problems.
    """
    with untracked():
        plain = not checks.transforms_active()
        batched = bool(getattr(solver, "batched", False))
        if plain or not batched:
            try:
                positional, named = _cut_off(args, kwargs)
                return _in_grad_mode(solver, positional, named)
            except RuntimeError:
                if plain:
                    raise
        tensors, combine = pytree.partition(_cut_off(args, kwargs))
        structure: list[Callable[..., Any]] = []

        def call(tensors: tuple[torch.Tensor, ...]) -> tuple[torch.Tensor, ...]:
            args, kwargs = combine(tensors)
            solution, combine_solution = pytree.partition(_in_grad_mode(solver, args, kwargs))
            structure[:] = [combine_solution]
            return tuple(solution)

        solution = _Plain.apply(call, batched, *tensors)
        return structure[0](solution)


def solve_by_call(solver: Callable[..., Any], params: Any, args: tuple[Any, ...]) -> Any:
    """Return the solution of a user's solver: a tree like ``params``, in their dtypes.

    Where results carry derivatives, the solver is called as it is, so that autograd goes through it.
    """
    if is_dynamo_compiling() or tracking():
        # Copies, which a function may change.
        solution = solver(*pytree.map_leaves(_copy, (params, *args)))
    else:
        solution = call_solver(solver, params, *args)
    root = "solver(params, *args)"
    if solution is None:
        raise TypeError(f"`{root}` returned None: return the solution, a tree like `params`.")
    (wanted, spec), (leaves, found) = pytree.flatten(params), pytree.flatten(solution)
    checks.check_like((leaves, found), (wanted, spec), root=root, reference="`params`")
    checks.check_floating(leaves, spec, root)
    leaves = without_inference(leaves)  # which a solver may have been in
    # NumPy computes in float64, which the conditions need not take.
    same = [q if p is None else q.to(p.dtype) for p, q in zip(wanted, leaves, strict=True)]
    return pytree.unflatten(spec, same)


def _copy(leaf: Any) -> Any:
    return leaf.clone() if isinstance(leaf, torch.Tensor) else leaf


def _cut_off(args: Any, kwargs: Any) -> tuple[Any, Any]:
    """Return copies of arguments, which a solver may change: the start keeps `requires_grad`."""
    start, *rest = copied(args)
    return (start, *constant(rest)), constant(copied(kwargs))


def _in_grad_mode(solver: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    with torch.enable_grad():
        return constant(solver(*args, **kwargs))


class _Plain(torch.autograd.Function):
    """Calls a function with plain tensors, below the wrappers of ``torch.func``; not differentiated."""

    @staticmethod
    def forward(call: Any, batched: bool, *tensors: torch.Tensor) -> tuple[torch.Tensor, ...]:
        outputs: tuple[torch.Tensor, ...] = call(tensors)
        return outputs

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        ctx.mark_non_differentiable(*output)

    @staticmethod
    def backward(ctx: Any, *cotangents: torch.Tensor) -> tuple[None, ...]:
        return (None,) * len(ctx.needs_input_grad)

    @staticmethod
    def vmap(
        info: Any, in_dims: Any, call: Any, batched: bool, *tensors: torch.Tensor
    ) -> tuple[Any, Any]:
        pairs = list(zip(tensors, in_dims[2:], strict=True))
        if batched:
            whole = [
                t.expand(info.batch_size, *t.shape) if d is None else t.movedim(d, 0)
                for t, d in pairs
            ]
            # Batches of batches are one batch each.
            solutions = _Plain.apply(call, False, *(t.clone() for t in whole))
        else:
            # Copies, which a solver may change.
            each = [
                _Plain.apply(
                    call, batched, *((t if d is None else t.select(d, i)).clone() for t, d in pairs)
                )
                for i in range(info.batch_size)
            ]
            solutions = tuple(map(torch.stack, zip(*each, strict=True)))
        return solutions, (0,) * len(solutions)

"""Modules that a wrapper of PyTorch computes with in its own way, which autograd alone does not see."""

from __future__ import annotations

import sys

from torch import nn

from torchopt import checks
from torchopt.errors import WrappedModuleError

# Class, how it is called, and the module that must have been imported if there is an instance.
_FSDP2 = "fully_shard (FSDP2)"
_WRAPPERS = (
    ("DistributedDataParallel", "DistributedDataParallel", "torch.nn.parallel.distributed"),
    ("FullyShardedDataParallel", "FullyShardedDataParallel (FSDP1)", "torch.distributed.fsdp"),
    ("FSDPModule", _FSDP2, "torch.distributed.fsdp"),
)


_MODULE = checks.of_type(nn.Module, "a `torch.nn.Module`")


def check_module(module: object, function: str, *, sharded: bool = False) -> None:
    """Raise ``TypeError`` for what is no module, or is wrapped for data parallelism."""
    checks.check(f"`module` of `{function}`", module, _MODULE)
    refuse_wrapped(module, what=f"`{function}`", sharded=sharded)  # type: ignore[arg-type]


def refuse_wrapped(
    module: nn.Module, *, what: str = "this function", sharded: bool = False
) -> None:
    """Raise where a module, or a part of it, is wrapped for data parallelism.

    ``DistributedDataParallel`` sums gradients in hooks of ``backward()`` only: what
    ``torch.autograd.grad`` returns is of one rank's data, and so is every second derivative. FSDP and
    ``fully_shard`` compute with parameters of their own, whatever a functional call is given. Nothing
    of that raises by itself.

    Args:
        module: What is about to be called functionally, or differentiated through.
        what: Who refuses it, for the error.
        sharded: Whether a module that ``fully_shard`` has divided is computed with functionally.

    Raises:
        TypeError: With the path of the wrapped module, and what to do instead.

    Example:
        >>> import torch
        >>> refuse_wrapped(torch.nn.Linear(1, 1))
    """
    skipped = _FSDP2 if sharded else None
    known = [(getattr(sys.modules.get(where), of, None), name) for of, name, where in _WRAPPERS]
    kinds = {cls: name for cls, name in known if isinstance(cls, type) and name != skipped}
    parts: set[nn.Module] = set()
    bases: set[type] = set()
    waiting: list[nn.Module | None] = [module]
    while waiting:
        part = waiting.pop()
        if part is not None and part not in parts:
            parts.add(part)
            bases.update(type(part).__mro__)
            waiting.extend(part._modules.values())
    if bases.isdisjoint(kinds):  # nearly always
        return
    for path, part in module.named_modules():
        for kind, name in kinds.items():
            if isinstance(part, kind):
                whole = f"whose submodule `{path}`" if path else "that"
                raise WrappedModuleError(
                    f"{what} was given a module {whole} is wrapped in {name}, which gives wrong "
                    f"gradients there: {_advice(name)}"
                )


def _advice(name: str) -> str:
    if name == "DistributedDataParallel":
        return (
            "pass the module itself, and sum over the ranks by `torchopt.distributed.spmd.pvary` and "
            "`psum`, `task_map`, or `all_reduce_grads` after each backward pass."
        )
    return (
        "divide it by `fully_shard` (FSDP2) and call it by `torchopt.nn.functional_call(module, "
        "params, inputs)`, outside of `torch.func`, with its `dict(module.named_parameters())`."
    )

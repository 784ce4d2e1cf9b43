"""Modules that ``fully_shard`` (FSDP2) has divided, computed with as a part of the graph.

The hooks of ``fully_shard`` gather parameters for one ``backward()``. A functional copy has none of
them: it gathers parameters where the module reads one, which has derivatives of any order.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Mapping
from typing import Any

import torch
from torch import nn

from torchopt.autodiff.shards import GATHERED, is_sharded
from torchopt.pytree import flattening as pytree

_HOOKS = ("_forward_pre_hooks", "_forward_hooks")


def fsdp_class() -> type | None:
    """Return the class of the modules that ``fully_shard`` has divided; None if there can be none."""
    return getattr(sys.modules.get("torch.distributed.fsdp"), "FSDPModule", None)


def without_hooks(
    module: nn.Module, fsdp: type, given: dict[str, Any]
) -> tuple[type[nn.Module], Any]:
    """Take the hooks of ``fully_shard`` from the attributes of a copy.

    Args:
        module: The module.
        fsdp: The class of divided modules, of which it is.
        given: The attributes of its copy; only the casts of the mixed precision are left in the hooks.

    Returns:
        The class that the module was of, and the state of ``fully_shard``.

    Raises:
        ValueError: If its parameters are gathered now, so that they are no DTensors.
    """
    state = next(s for s in map(_state_of, module._forward_pre_hooks.values()) if s is not None)
    if any(not group.is_sharded for group in _groups(vars(state))):
        raise ValueError(
            f"the parameters of {type(module).__name__} are gathered at the moment, as after a forward "
            f"pass of its own: call its method `reshard()` before `named_parameters()` and this call."
        )
    policy = state._mp_policy
    inputs = policy.param_dtype if policy.cast_forward_inputs else None
    own = (_cast_inputs, inputs), (_after, policy.output_dtype)
    for name, (ours, dtype) in zip(_HOOKS, own, strict=True):
        hooks = type(given[name])()
        for key, hook in given[name].items():
            theirs = _state_of(hook) is state
            hooks[key] = functools.partial(ours, dtype) if theirs else hook
        given[name] = hooks
    cls: Any = next(c for c in type(module).__mro__ if not issubclass(c, fsdp))
    return cls, state


def _state_of(hook: Any) -> Any:
    """Return the state of ``fully_shard`` whose method a hook calls; None for other hooks."""
    while not hasattr(hook, "__self__") and hasattr(hook, "__wrapped__"):
        hook = hook.__wrapped__  # those of several modules together
    state = getattr(hook, "__self__", None)
    return state if hasattr(state, "_mp_policy") else None


def _groups(state: dict[str, Any]) -> list[Any]:
    """Return the groups in which parameters are gathered: up to PyTorch 2.11, one at most."""
    return [*filter(None, state.get("_fsdp_param_groups", [state.get("_fsdp_param_group")]))]


def _cast(dtype: torch.dtype | None, tree: Any) -> Any:
    if dtype is None:
        return tree
    leaves, spec = pytree.flatten_arguments(tree)
    floating = (isinstance(x, torch.Tensor) and x.is_floating_point() for x in leaves)
    cast = [x.to(dtype) if is_so else x for x, is_so in zip(leaves, floating, strict=True)]
    return pytree.unflatten(spec, cast)


def _cast_inputs(dtype: torch.dtype | None, module: nn.Module, args: Any, kwargs: Any) -> Any:
    return _cast(dtype, args), _cast(dtype, kwargs)


def _after(dtype: torch.dtype | None, module: nn.Module, args: Any, output: Any) -> Any:
    """Drop what a module has gathered, and cast what it returns."""
    _, wholes = GATHERED.get() or ((), {})
    tables = {id(m._parameters) for m in module.modules()}
    for key in [key for key in wholes if key[0] in tables]:
        del wholes[key]
    return _cast(dtype, output)


class Gathered(dict[str, Any]):
    """The parameters of a copy, gathered where one of them is first read in an evaluation.

    Those that ``fully_shard`` gathers together are, if the evaluation is that of a module which has
    them, and are whole until it or their module has been evaluated. So a block that is computed again
    gathers them again, and has none of them in between.

    Args:
        parameters: The parameters; those that are no DTensors stay.
        state: The state of ``fully_shard``, with the policy of the mixed precision.

    Raises:
        ValueError: If a parameter is divided by more than ``fully_shard``.
    """

    def __init__(self, parameters: Mapping[str, Any], state: Any) -> None:
        super().__init__(parameters)
        axes = [group.mesh_info.mesh.ndim for group in _groups(vars(state))]
        for name, x in parameters.items():
            if axes and is_sharded(x) and x.device_mesh.ndim > max(axes):
                raise ValueError(
                    f"`{name}` is divided by `fully_shard` and by `parallelize_module`, and a "
                    f"functional call takes one of them: leave the other out."
                )
        self._state, policy = state, state._mp_policy
        self._dtype, self._sent = policy.param_dtype, policy.param_dtype
        if self._dtype is not None and policy.reduce_dtype is not None:
            # What is gathered in a dtype has gradients that are summed in it.
            self._sent = torch.promote_types(self._dtype, policy.reduce_dtype)

    def __getitem__(self, name: str) -> Any:
        x, (modules, wholes) = super().__getitem__(name), GATHERED.get() or ((), {})
        if not is_sharded(x):
            return x
        key = id(self), id(x), torch.is_grad_enabled()
        if key not in wholes:
            trees = (value.modules() for value in modules if isinstance(value, nn.Module))
            tables = {id(t := m._parameters): t for tree in trees for m in tree}
            mine = (t for t in tables.values() if getattr(t, "_state", None) is self._state)
            read = {(id(t), id(y), key[2]): y for t in mine for y in t.values() if is_sharded(y)}
            if key not in read:
                return self._gather([x])[0]
            together = {id(y): y for y in read.values()}
            found = dict(zip(together, self._gather([*together.values()]), strict=True))
            # With the DTensor, so that no other takes its place in memory while this is kept.
            wholes.update({each: (y, found[id(y)]) for each, y in read.items()})
        return wholes[key][1]

    def _gather(self, tensors: list[Any]) -> list[torch.Tensor]:
        from torchopt.collectives.dtensor import unshard

        wholes = unshard(tensors if self._sent is None else [x.to(self._sent) for x in tensors])
        return wholes if self._dtype is None else [x.to(self._dtype) for x in wholes]

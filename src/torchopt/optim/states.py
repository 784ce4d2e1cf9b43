"""States of modules and meta-optimizers: take them out, put them back, copy them, cut their graph."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Literal, NamedTuple, TypeAlias, TypeVar, overload

import torch
from torch import nn

from torchopt import checks
from torchopt.io.names import name_as
from torchopt.modules import functional
from torchopt.optim._meta import MetaOptimizer, optimizers_of
from torchopt.pytree import flattening as pytree
from torchopt.pytree.typing import TensorTree

__all__ = [
    "ModuleState",
    "extract_state_dict",
    "module_clone",
    "recover_state_dict",
    "stop_gradient",
]

_T = TypeVar("_T")
_TARGET = checks.of_type(nn.Module, "a module or a meta-optimizer")
CopyMode: TypeAlias = Literal["reference", "copy", "deepcopy", "ref", "clone", "deepclone"]
_Container = dict[str, "torch.Tensor | None"]


class ModuleState(NamedTuple):
    """The tensors of a module, as :func:`torchopt.extract_state_dict` takes them out.

    Attributes:
        params: The parameters of each submodule that has any, in the order of ``modules()``.
        buffers: The buffers of each submodule that has any.
        visual_contents: Names of the parameters, for pictures of the graph, if asked for: by leaf; by
            node, with the tensor; or by node and number of its output, where several parameters come
            from one node, as after a fused step.
        detach_buffers: Whether recovery copies the buffers, so that the state can be recovered again.
    """

    params: tuple[_Container, ...]
    buffers: tuple[_Container, ...]
    visual_contents: dict[Any, Any] | None = None
    detach_buffers: bool = False


def _by_reference(t: torch.Tensor) -> torch.Tensor:
    return t


def _by_copy(t: torch.Tensor) -> torch.Tensor:
    return t.clone()


def _by_deepcopy(t: torch.Tensor) -> torch.Tensor:
    return _as_leaf_like(t, t.detach().clone())


def _as_leaf_like(t: torch.Tensor, value: torch.Tensor) -> torch.Tensor:
    if isinstance(t, nn.Parameter):
        return nn.Parameter(value.detach(), requires_grad=t.requires_grad)
    return value.detach().requires_grad_(t.requires_grad)


_WAYS: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "reference": _by_reference,
    "ref": _by_reference,
    "copy": _by_copy,
    "clone": _by_copy,
    "deepcopy": _by_deepcopy,
    "deepclone": _by_deepcopy,
}


class _Replicator:
    """Copies tensors one way; a tensor that appears several times has one copy."""

    def __init__(self, by: CopyMode, device: Any) -> None:
        checks.check_choice("by", by, CopyMode)
        self._way = _WAYS[by]
        self._device = None if device is None else torch.device(device)
        self._done: dict[int, tuple[Any, Any]] = {}

    def __call__(self, value: Any, *, detached: bool = False) -> Any:
        if not isinstance(value, torch.Tensor):
            return value
        if id(value) not in self._done:
            copied = value.detach().clone() if detached else self._way(value)
            if self._device is not None and copied.device != self._device:
                moved = copied.to(self._device)
                copied = _as_leaf_like(copied, moved) if self._way is _by_deepcopy else moved
            self._done[id(value)] = (value, copied)
        return self._done[id(value)][1]


def _containers(module: nn.Module, table: str) -> list[tuple[str, dict[str, Any]]]:
    """Return the non-empty tables of a module's submodules, with the prefix of their names."""
    return [
        (f"{prefix}." if prefix else "", getattr(submodule, table))
        for prefix, submodule in module.named_modules()
        if getattr(submodule, table)
    ]


@overload
def extract_state_dict(
    target: nn.Module,
    *,
    by: CopyMode = ...,
    device: torch.device | str | int | None = ...,
    with_buffers: bool = ...,
    detach_buffers: bool = ...,
    enable_visual: bool = ...,
    visual_prefix: str = ...,
) -> ModuleState: ...
@overload
def extract_state_dict(
    target: MetaOptimizer, *, by: CopyMode = ..., device: torch.device | str | int | None = ...
) -> tuple[Any, ...]: ...
def extract_state_dict(
    target: nn.Module | MetaOptimizer,
    *,
    by: CopyMode = "reference",
    device: torch.device | str | int | None = None,
    with_buffers: bool = True,
    detach_buffers: bool = False,
    enable_visual: bool = False,
    visual_prefix: str = "",
) -> ModuleState | tuple[Any, ...]:
    """Return the state of a module or a meta-optimizer.

    Args:
        target: A module or a meta-optimizer.
        by: ``"reference"`` or ``"ref"``: the tensors. ``"copy"`` or ``"clone"``: copies in the graph.
            ``"deepcopy"`` or ``"deepclone"``: detached copies.
        device: The device to move the tensors to; by default they are not moved.
        with_buffers: Whether to include a module's buffers.
        detach_buffers: Whether to copy the buffers, so that in-place changes do not reach the state.
        enable_visual: Whether to record the names of a module's parameters.
        visual_prefix: A prefix of each name.

    Returns:
        A :class:`torchopt.optim.ModuleState`, or the tuple of the optimizer's states (before its
        first step, :class:`torchopt.transform.UninitializedState`).

    Raises:
        TypeError: If ``target`` is something else.
        ValueError: If ``by`` is unknown.

    Example:
        >>> import torch, torchopt
        >>> net = torch.nn.Linear(1, 1)
        >>> before = extract_state_dict(net)
        >>> torchopt.MetaSGD(net, lr=0.1).step(net(torch.ones(1, 1)).sum())
        >>> isinstance(net.weight, torch.nn.Parameter)
        False
        >>> recover_state_dict(net, before)
        >>> isinstance(net.weight, torch.nn.Parameter)
        True
    """
    replicate = _Replicator(by, device)
    if isinstance(target, MetaOptimizer):
        leaves, spec = pytree.flatten(target.state_dict())
        return pytree.unflatten(spec, [replicate(leaf) for leaf in leaves])
    checks.check("target", target, _TARGET)
    params = tuple(
        {name: replicate(p) for name, p in container.items()}
        for _, container in _containers(target, "_parameters")
    )
    buffers = tuple(
        {name: replicate(b, detached=detach_buffers) for name, b in container.items()}
        for _, container in _containers(target, "_buffers")
    )
    names: dict[Any, Any] | None = None
    if enable_visual:
        names = {}
        prefixes = [prefix for prefix, _ in _containers(target, "_parameters")]
        nodes = Counter(
            p.grad_fn for container in params for p in container.values() if p is not None
        )
        for prefix, container in zip(prefixes, params, strict=True):
            for name, p in container.items():
                label = f"{visual_prefix}{prefix}{name}"
                if p is None:
                    continue
                if p.grad_fn is None:
                    names[p] = label
                elif nodes[p.grad_fn] == 1:
                    names[p.grad_fn] = (label, p)
                else:  # all that a fused step returns comes from one node
                    names[p.grad_fn, p.output_nr] = (label, p)
    return ModuleState(params, buffers if with_buffers else (), names, detach_buffers)


def recover_state_dict(
    target: nn.Module | MetaOptimizer, state: ModuleState | Iterable[object]
) -> None:
    """Restore the state of a module or a meta-optimizer.

    A state extracted by reference restores the identical tensors. A state can be restored repeatedly.

    Args:
        target: The module or meta-optimizer that the state was taken from, or one like it.
        state: What :func:`torchopt.extract_state_dict` returned.

    Raises:
        TypeError: If ``target`` and ``state`` are of different kinds.
        ValueError: If the state does not fit; nothing is changed then.
    """
    if isinstance(target, MetaOptimizer):
        if isinstance(state, ModuleState):
            raise TypeError("a module's state was given for a meta-optimizer: give it the module.")
        target.load_state_dict(state)
        return
    checks.check("target", target, _TARGET)
    if not isinstance(state, ModuleState):
        raise TypeError(
            f"a state of type {type(state).__name__} was given for a module: pass what "
            f"`extract_state_dict(module)` returned."
        )
    tables = [("_parameters", state.params, False)]
    if state.buffers:
        tables.append(("_buffers", state.buffers, state.detach_buffers))
    pairs = []
    for table, saved, detached in tables:
        places = _containers(target, table)
        if len(places) != len(saved):
            raise ValueError(
                f"the state has {table[1:]} for {len(saved)} submodules, but {type(target).__name__} "
                f"has them in {len(places)}: recover the module that the state was taken from."
            )
        for (prefix, container), values in zip(places, saved, strict=True):
            _check_fits(prefix, container, values)
            pairs.append((container, values, detached))
    for container, values, detached in pairs:
        for name, value in values.items():
            copied = detached and value is not None
            container[name] = value.clone().detach_() if copied and value is not None else value
    functional.note_write(target)


def _check_fits(prefix: str, container: dict[str, Any], values: dict[str, Any]) -> None:
    if container.keys() != values.keys():
        name = sorted(container.keys() ^ values.keys())[0]
        raise ValueError(
            f"`{prefix}{name}` is not in both the module and the state: recover the module that the "
            f"state was taken from."
        )
    for name, value in values.items():
        old = container[name]
        if (old is None) != (value is None) or (value is not None and old.shape != value.shape):
            shapes = [None if t is None else tuple(t.shape) for t in (value, old)]
            raise ValueError(
                f"`{prefix}{name}` has shape {shapes[0]} in the state, but {shapes[1]} in the module: "
                f"recover the module that the state was taken from."
            )


def stop_gradient(target: nn.Module | MetaOptimizer | ModuleState | TensorTree) -> None:
    """Detach tensors from their graph, in place.

    The tensors keep their values and ``requires_grad``, but become leaves. For a module, the states of
    its meta-optimizers are detached, too; otherwise they would keep the graph of all earlier steps.

    Args:
        target: A module, a meta-optimizer, a state of either, a tensor, or any tree of these.

    Example:
        >>> import torch
        >>> x = torch.ones(1, requires_grad=True) * 2
        >>> stop_gradient([x])
        >>> x.is_leaf, x.requires_grad
        (True, True)
    """
    for tensor in _tensors(target):
        _detach_(tensor)


def module_clone(
    target: _T,
    *,
    by: CopyMode = "reference",
    detach_buffers: bool = False,
    device: torch.device | str | int | None = None,
) -> _T:
    """Clone a module, or a tree of tensors.

    Args:
        target: A module, a meta-optimizer (together with its modules), or any tree of tensors.
        by: How to copy tensors; see :func:`torchopt.extract_state_dict`.
        detach_buffers: Whether to copy and detach buffers regardless of ``by``.
        device: The device to move the tensors to; by default they are not moved.

    Returns:
        A new module of the same class, with tables of its own.

    Raises:
        ValueError: If ``by`` is unknown.

    Example:
        >>> import torch
        >>> net = torch.nn.Linear(1, 1)
        >>> clone = module_clone(net)
        >>> clone.weight is net.weight, clone is net
        (True, False)
    """
    replicate = _Replicator(by, device)
    if not isinstance(target, (nn.Module, MetaOptimizer)):
        leaves, spec = pytree.flatten(target)
        return pytree.unflatten(spec, [replicate(leaf) for leaf in leaves])
    # A deep copy that finds the copy of each tensor already made.
    memo: dict[int, Any] = {}
    modules = [target] if isinstance(target, nn.Module) else [g.module for g in target.param_groups]
    for module in modules:
        for submodule in module.modules():
            for b in submodule._buffers.values():
                if b is not None:
                    memo[id(b)] = replicate(b, detached=detach_buffers)
            for value in (*submodule._parameters.values(), *vars(submodule).values()):
                if isinstance(value, torch.Tensor):
                    memo[id(value)] = replicate(value)
            for value in getattr(submodule, "_meta_parameters", {}).values():
                if value is not None:
                    memo[id(value)] = replicate(value)
    if isinstance(target, MetaOptimizer):
        for leaf in pytree.leaves(target.state_dict()):
            if isinstance(leaf, torch.Tensor):
                memo[id(leaf)] = replicate(leaf)
    return copy.deepcopy(target, memo)


def _tensors(target: Any) -> Iterator[torch.Tensor]:
    if isinstance(target, ModuleState):
        for container in (*target.params, *target.buffers):
            yield from (t for t in container.values() if t is not None)
    elif isinstance(target, nn.Module):
        yield from target.parameters()
        yield from target.buffers()
        for optimizer in optimizers_of(target):
            yield from _tensors(optimizer)
    elif isinstance(target, MetaOptimizer):
        yield from _tensors(target.state_dict())
    elif isinstance(target, torch.Tensor):
        yield target
    else:
        for leaf in pytree.leaves(target):
            if isinstance(leaf, (torch.Tensor, nn.Module, MetaOptimizer)):
                yield from _tensors(leaf)


def _detach_(tensor: torch.Tensor) -> None:
    if tensor.grad_fn is not None:
        needs_grad = tensor.requires_grad
        tensor.detach_().requires_grad_(needs_grad)


for _function in (extract_state_dict, recover_state_dict, stop_gradient):
    name_as(_function, "torchopt")

"""Functional copies of modules: they share everything with a module but the tables of its tensors.

Swapping tensors into a module and out again is wrong where the model checkpoints activations: the
recomputation in the backward pass then reads the tensors of that moment, and the gradient is silently
wrong. A functional copy is never swapped back. A checkpointed region closes over its submodules, so the
tensors of a call live exactly as long as its graph.
"""

from __future__ import annotations

import copy
import functools
import types
import weakref
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from operator import is_
from typing import Any

import optree
import torch
from torch import nn
from torch.nn.utils.parametrizations import _WeightNorm
from torch.nn.utils.weight_norm import WeightNorm

from torchopt import checks
from torchopt.autodiff import transforms
from torchopt.autodiff.checkpointed import INSTEAD
from torchopt.autodiff.decompositions import weight_norm
from torchopt.autodiff.environment import ORIGINALS, replaying
from torchopt.autodiff.exact_normalization import ExactDerivatives
from torchopt.autodiff.graph import is_custom
from torchopt.autodiff.remat import Rematerialized
from torchopt.autodiff.shards import any_sharded, gathering
from torchopt.autodiff.tracking import PLAIN, top_hooks
from torchopt.modules.sharded import Gathered, fsdp_class, without_hooks
from torchopt.pytree.named import by_name

# What a copy owns; what else each module has, and which of that are tables of hooks; and what RNNs
# cache of their weights and refresh by themselves.
_OWN = frozenset({"_parameters", "_buffers", "_modules"})
_COMMON = {name: x for name, x in vars(nn.Module()).items() if name not in _OWN}
_HOOKS = [name for name, x in _COMMON.items() if isinstance(x, dict)]
_CACHES = frozenset({"_flat_weights", "_flat_weight_refs"})
# What may refer to a submodule by another way than the tables.
_HOLDERS = (dict, list, tuple, types.MethodType, functools.partial, nn.Module, Rematerialized)


def tensor_slots(
    module: nn.Module, *, buffers: bool = True
) -> Iterator[tuple[str, nn.Module, str]]:
    """Yield ``(dotted name, submodule, attribute)`` of each tensor, tied ones under each name."""
    for prefix, submodule in module.named_modules(remove_duplicate=False):
        tables = [submodule._parameters, *[submodule._buffers] * buffers]
        for table in tables:
            for name, tensor in table.items():
                if tensor is not None:
                    yield (f"{prefix}.{name}" if prefix else name), submodule, name


def table_of(module: nn.Module, attribute: str) -> dict[str, Any]:
    """Return the table of a module that holds an attribute; that of the parameters if none does."""
    tables: tuple[Any, ...] = (module._parameters, module._buffers, vars(module))
    return next((table for table in tables if attribute in table), module._parameters)


def named(module: nn.Module, tensors: Any) -> dict[str, Any]:
    """Return new tensors by name, given so, as pairs, or one for each parameter in their order."""
    if not isinstance(tensors, Mapping):
        tensors = list(tensors)
        if tensors and isinstance(tensors[0], torch.Tensor):
            tensors = by_name(tensors, dict(module.named_parameters()), what="tensors")
    return dict(tensors)


def functional_copy(
    module: nn.Module, tensors: Mapping[str, torch.Tensor] | Sequence[torch.Tensor] | None = None
) -> FunctionalCopy:
    """Copy a module, with some of its tensors replaced.

    Args:
        module: Left as it is.
        tensors: New tensors by dotted name, or one for each parameter in their order; a tied tensor
            is replaced under all of its names.

    Raises:
        ValueError: If a name is not in the module, or tied names are given different tensors.
        TypeError: If a value is not a tensor.
    """
    return FunctionalCopy(module, _by_identity(module, tensors) if tensors else {})


def _by_identity(module: nn.Module, tensors: Any) -> dict[int, torch.Tensor]:
    if type(tensors) in (tuple, list) and PLAIN.issuperset(map(type, tensors)):
        olds = [*map(id, module.parameters())]
        if len(olds) == len(tensors):
            return dict(zip(olds, tensors, strict=True))
    replacements: dict[int, torch.Tensor] = {}
    for name, new in named(module, tensors).items():
        if (old := _tensor_at(module, name)) is None:
            raise ValueError(
                f"`{name}` is neither a parameter nor a buffer of {type(module).__name__}: "
                f"use the names of `named_parameters()` and `named_buffers()`."
            )
        if not isinstance(new, torch.Tensor):
            raise TypeError(
                f"`{name}` is replaced by an object of type {type(new).__name__}: pass a tensor."
            )
        if replacements.setdefault(id(old), new) is not new:
            raise ValueError(
                f"`{name}` is tied to another name that was given a different tensor: pass one of "
                f"them, or the same tensor for both."
            )
    return replacements


def _tensor_at(module: nn.Module, name: str) -> torch.Tensor | None:
    """Return the parameter or buffer with a dotted name; None if there is none."""
    *path, attribute = str(name).split(".")
    for child in path:
        if child not in module._modules or (submodule := module._modules[child]) is None:
            return None
        module = submodule
    found = module._parameters if attribute in module._parameters else module._buffers
    return found.get(attribute)


# PyTorch's operation has a wrong second derivative.


def _weight_norm(g: torch.Tensor, v: torch.Tensor, *, dim: int) -> torch.Tensor:
    """``forward`` of the parametrization, in its order of arguments."""
    return weight_norm(v, g, dim)


def _weight_norms(module: nn.Module) -> list[WeightNorm]:
    return [x for x in module._forward_pre_hooks.values() if type(x) is WeightNorm]


def _weight_of(hook: WeightNorm, module: nn.Module) -> torch.Tensor:
    """``compute_weight`` of the hook."""
    g, v = (getattr(module, f"{hook.name}_{part}") for part in "gv")
    return weight_norm(v, g, hook.dim)


class FunctionalCopy:
    """A copy of a tree of modules, with some tensors replaced.

    Args:
        module: The root of the tree.
        replacements: New tensors, by the identity of the old ones.
    """

    def __init__(self, module: nn.Module, replacements: Mapping[int, torch.Tensor]) -> None:
        self._replacements = replacements
        self._clones: dict[int, nn.Module] = {}
        self._fsdp = fsdp_class()
        # Original, clone, the attributes that the clone was given, and which may refer to others.
        self._pairs: list[tuple[nn.Module, nn.Module, dict[str, Any], list[str]]] = []
        self.module: Any = self._clone(module)
        for _, clone, given, holders in self._pairs:
            for name in holders:
                if name in given:
                    given[name] = clone.__dict__[name] = self._rebind(given[name])

    def _clone(self, module: nn.Module, state: Any = None) -> nn.Module:
        """Return the clone of a module; ``state`` is that of the `fully_shard`ed one that it is in."""
        if id(module) in self._clones:
            return self._clones[id(module)]
        if isinstance(module, torch.jit.ScriptModule):
            return module
        given, cls = module.__dict__.copy(), type(module)
        # Nearly no module has hooks, and what else all have refers to none.
        names = given if any(map(given.get, _HOOKS)) else given.keys() - _COMMON.keys()
        holders = [name for name in names if isinstance(x := given[name], _HOLDERS) and x]
        if not holders and cls.__module__.startswith("torch.nn.modules."):
            self._clones[id(module)] = module  # such as an activation: no tensors, and nothing else
            return module
        for name in _OWN:
            given.pop(name, None)
        if self._fsdp is not None and isinstance(module, self._fsdp):
            cls, state = without_hooks(module, self._fsdp, given)
        self._clones[id(module)] = clone = object.__new__(cls)
        if type(module) is _WeightNorm:
            given["forward"] = functools.partial(_weight_norm, dim=module.dim)
        own = clone.__dict__
        own.update(given)
        ORIGINALS[clone] = weakref.ref(module)
        get = self._replacements.get
        for table in ("_parameters", "_buffers"):
            own[table] = {name: get(id(t), t) for name, t in module.__dict__[table].items()}
        if clone._buffers:
            own["_buffers"] = _Buffers(clone._buffers)
        if state is not None and any_sharded(clone._parameters.values()):
            own["_parameters"] = Gathered(clone._parameters, state)
        for hook in _weight_norms(clone) if clone._forward_pre_hooks else ():
            # It may have run.
            given[hook.name] = own[hook.name] = _weight_of(hook, clone)
        own["_modules"] = children = {}
        for name, child in module._modules.items():
            children[name] = None if child is None else self._clone(child, state)
        self._pairs.append((module, clone, given, holders))
        return clone

    def _rebind(self, value: Any) -> Any:
        """Point references to the original's submodules at their clones."""
        if isinstance(value, nn.Module):
            return self._clones.get(id(value), value)
        if isinstance(value, types.MethodType):
            owner = self._clones.get(id(value.__self__))
            return value if owner is None else types.MethodType(value.__func__, owner)
        if isinstance(value, functools.partial):
            parts = (value.func, value.args, value.keywords)
            func, args, keywords = (self._rebind(part) for part in parts)
            same = all(map(is_, (func, args, keywords), parts))
            return value if same else functools.partial(func, *args, **keywords)
        if isinstance(value, Rematerialized):
            function = self._rebind(value.__wrapped__)
            return value if function is value.__wrapped__ else Rematerialized(function)
        if type(value) in (list, tuple):
            items = [self._rebind(item) for item in value]
            return value if all(map(is_, items, value)) else type(value)(items)
        if isinstance(value, dict) and type(value).__name__ in ("dict", "OrderedDict"):
            entries = {key: self._rebind(item) for key, item in value.items()}
            same = all(map(is_, entries.values(), value.values()))
            return value if same else type(value)(entries)
        return value

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the clone; attributes that it assigns are kept by the original."""
        with nullcontext() if self._fsdp is None else gathering(self.module):
            out = self.module(*args, **kwargs)
        self.write_back()
        return out

    def write_back(self) -> None:
        """Give the original the attributes, tensors and submodules that a call has assigned."""
        for original, clone, given, _ in self._pairs:
            # What was given comes first, then three tables: is all of it there, and nothing else?
            now = clone.__dict__
            if len(now) != len(given) + 3 or not all(map(is_, given.values(), now.values())):
                for name, value in now.items():
                    if name in _OWN or name in _CACHES or given.get(name, _MISSING) is value:
                        continue
                    original.__dict__[name] = value
            for table in ("_parameters", "_buffers"):
                kept = original.__dict__[table]
                for name, tensor in clone.__dict__[table].items():
                    old = kept.get(name)
                    if tensor is not old and tensor is not self._replacements.get(id(old)):
                        kept[name] = tensor
            for name, child in clone._modules.items():
                if child is not self._clones.get(id(original._modules.get(name))):
                    original._modules[name] = child


_MISSING = object()


class _Buffers(dict[str, Any]):
    """The buffers of a copy: a region that is computed again must find them as they were."""

    def __init__(self, buffers: dict[str, Any]) -> None:
        super().__init__(buffers)
        self._held = [*buffers.values()]  # so that none that is assigned has the identity of one
        self._versions = self._now()

    def _now(self) -> list[Any]:
        return [b if b is None or b.is_inference() else (id(b), b._version) for b in self.values()]

    def __getitem__(self, name: str) -> Any:
        recomputed = transforms.current_node() is not None and top_hooks(True) is not None
        if recomputed and not replaying() and self._versions != self._now():
            raise RuntimeError(
                f"activation checkpointing recomputes a module that has changed its buffers "
                f"({', '.join(self)}): {INSTEAD}."
            )
        return super().__getitem__(name)


def call(
    module: nn.Module,
    tensors: Mapping[str, torch.Tensor] | Sequence[torch.Tensor],
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any],
) -> Any:
    """Call a module with some of its tensors replaced; attributes it assigns are kept."""
    if checks.transforms_active():
        # Nothing is recomputed in a backward pass there, and torch.compile knows this function.
        with ExactDerivatives():
            return torch.func.functional_call(module, named(module, tensors), args, {**kwargs})
    return functional_copy(module, tensors)(*args, **kwargs)


class _Watched(dict[str, Any]):
    """The parameters of a module that are replaced: what is computed again later finds others here."""

    def __init__(self, parameters: dict[str, Any], kind: str) -> None:
        super().__init__(parameters)
        self.kind = kind  # of module
        self.written = -1  # when they were replaced, counted in operations

    def _check(self) -> None:
        """Raise if a checkpointed region of before that is computed again."""
        node = transforms.current_node()
        if node is None or node._sequence_nr() >= self.written:
            return
        recomputed = top_hooks(True) is not None or is_custom(node)
        if recomputed and not (torch.compiler.is_compiling() or replaying()):
            raise RuntimeError(
                f"activation checkpointing recomputes {self.kind} after its parameters were replaced: "
                f"{INSTEAD}, or the module by `torchopt.nn.functional_call`."
            )

    def __reduce__(self) -> Any:
        return dict, (dict(self),)  # files need nothing of this package

    def __getitem__(self, name: str) -> Any:
        self._check()
        return super().__getitem__(name)

    def get(self, name: str, default: Any = None) -> Any:
        """Return a parameter."""
        self._check()
        return super().get(name, default)

    def items(self) -> Any:
        """Return the names and the parameters, for ``named_parameters()``."""
        self._check()
        return super().items()

    def values(self) -> Any:
        """Return the parameters."""
        self._check()
        return super().values()

    def __deepcopy__(self, memo: dict[int, Any]) -> _Watched:
        for name, p in self.items():
            if p is not None and not p.is_leaf and id(p) not in memo:
                raise RuntimeError(
                    f"`copy.deepcopy` cannot copy {self.kind} after a meta-step, as its parameter "
                    f'`{name}` has a graph; use `torchopt.nn.module_clone(module, by="copy")`, which '
                    f'keeps the graph, or `by="deepcopy"`, which cuts it.'
                )
        return _Watched(copy.deepcopy(dict(self), memo), self.kind)


# As a tree it is the dict that it is: programs for the published MetaOptimizer take tables apart.
optree.register_pytree_node(
    _Watched,
    lambda table: (tuple(table.values()), tuple(table), tuple(table)),  # type: ignore[attr-defined]
    lambda names, values: dict(zip(names, values, strict=True)),  # type: ignore[call-overload]
    namespace=optree.registry.__GLOBAL_NAMESPACE,
)


def watch(module: nn.Module) -> None:
    """Prepare a module whose parameters are to be replaced, and stay so after its calls."""
    for submodule in module.modules():
        if isinstance(submodule, torch.jit.ScriptModule):
            continue
        if not isinstance(table := submodule._parameters, _Watched):
            submodule.__dict__["_parameters"] = _Watched(table, type(submodule).__name__)
        if type(submodule) is _WeightNorm:
            submodule.__dict__["forward"] = functools.partial(_weight_norm, dim=submodule.dim)
        for hook in _weight_norms(submodule):
            hook.compute_weight = functools.partial(_weight_of, hook)  # type: ignore[method-assign]


def note_write(module: nn.Module) -> None:
    """Remember that the tensors of a module have just been replaced."""
    node = (torch.zeros((), requires_grad=True, device="cpu") + 0).grad_fn
    if node is None:  # without a graph nothing is computed again
        return
    for submodule in module.modules():
        if type(submodule._parameters) is dict:  # it was unpickled
            watch(submodule)
        if isinstance(table := submodule._parameters, _Watched):
            table.written = node._sequence_nr()

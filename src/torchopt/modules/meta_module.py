"""A module that tells its own (inner) parameters from those of the outer problem (meta).

The one idea: what was passed to the constructor belongs to the outer problem. Meta-modules are
ordinary entries of ``_modules``, so that PyTorch saves, loads, copies and shows them; the walks
that inner solvers use (``modules``, ``parameters``, ``train``...) leave them out by name.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator
from typing import Any, ClassVar, NamedTuple

import torch
from torch import nn

from torchopt.pytree import flattening as pytree


class MetaInputsContainer(NamedTuple):
    """What came in through the constructor, with all that its modules hold."""

    # Tensors and modules hash by identity.
    meta_parameters: set[torch.Tensor]
    meta_modules: set[nn.Module]


class MetaGradientModule(nn.Module):
    """A module whose constructor arguments are the variables of an outer problem.

    A tensor that requires grad (also one inside a list or dict, and a parameter of a module) and
    a module among the arguments of the constructor become a *meta-parameter* and a *meta-module*
    when they are assigned as attributes. Everything else that is assigned is inner, as in
    :class:`torch.nn.Module`; here a parameter may be any tensor that requires grad. A container
    that is built in ``__init__`` (such as an ``nn.ModuleList`` of modules) is inner.

    ``parameters()``, ``modules()``, ``children()`` and all that walks them (``train``, ``eval``,
    ``apply``, ``zero_grad``, ``requires_grad_``) see the inner part only: how the outer problem's
    modules behave is for their owner to say. ``state_dict``, ``load_state_dict``, ``to`` and its
    kin, copies and pickles include the meta part. A meta-parameter that is not a leaf of the
    autograd graph stays, moved by ``to``, a function of what it was computed from.

    Args:
        *args: Not used here; subclasses name their own arguments.
        **kwargs: Not used here.

    Example:
        >>> import torch
        >>> from torch import nn
        >>> class Regularized(MetaGradientModule):
        ...     def __init__(self, penalty, net):
        ...         super().__init__()
        ...         self.penalty = penalty
        ...         self.prior = net
        ...         self.weight = nn.Parameter(torch.zeros(3))
        >>> module = Regularized(torch.tensor(0.1, requires_grad=True), nn.Linear(3, 1))
        >>> [name for name, _ in module.named_parameters()]
        ['weight']
        >>> [name for name, _ in module.named_meta_parameters()]
        ['penalty', 'prior.weight', 'prior.bias']
        >>> sorted(module.state_dict())
        ['penalty', 'prior.bias', 'prior.weight', 'weight']

    References:
        Ren et al., *TorchOpt: An Efficient Library for Differentiable Optimization*, JMLR 2023.
    """

    #: What it overrides of `torch.nn.Module` has the promise of PyTorch.
    __promised__: ClassVar[tuple[str, ...]] = (
        *("__init__", "register_meta_parameter", "register_meta_module", "add_meta_module"),
        *("meta_parameters", "named_meta_parameters", "meta_children", "named_meta_children"),
        *("meta_modules", "named_meta_modules"),
    )

    _meta_inputs: MetaInputsContainer
    _meta_parameters: dict[str, torch.Tensor | None]
    # Which entries of `_modules` are meta.
    _meta_module_names: set[str]

    def __new__(cls, *args: Any, **kwargs: Any) -> MetaGradientModule:
        """Remember what is passed, before any ``__init__`` of a subclass assigns it."""
        self = super().__new__(cls)
        inputs = MetaInputsContainer(set(), set())
        for leaf in pytree.leaves((args, kwargs)):
            tensors: Iterable[torch.Tensor] = (leaf,) if isinstance(leaf, torch.Tensor) else ()
            if isinstance(leaf, nn.Module):
                inputs.meta_modules.update(module for _, module, _ in _walk(leaf))
                tensors = (t for _, t in _named_tensors(_walk(leaf, meta=True)))
            inputs.meta_parameters.update(t for t in tensors if t.requires_grad)
        # Around nn.Module.__setattr__, which is not ready before nn.Module.__init__.
        vars(self)["_meta_inputs"] = inputs
        vars(self)["_meta_parameters"] = {}
        vars(self)["_meta_module_names"] = set()
        return self

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def __getattr__(self, name: str) -> Any:
        meta = vars(self)["_meta_parameters"]
        return meta[name] if name in meta else super().__getattr__(name)

    def __setattr__(self, name: str, value: Any) -> None:
        if isinstance(value, nn.Module):
            super().__setattr__(name, value)
            self._release(name)
            if value in self._meta_inputs.meta_modules:
                self._meta_module_names.add(name)
        elif isinstance(value, torch.Tensor) and value in self._meta_inputs.meta_parameters:
            self._take(name, "_meta_parameters")
            self.register_meta_parameter(name, value)
        elif isinstance(value, nn.Parameter):
            self._release(name)
            super().__setattr__(name, value)
        elif name in self._meta_parameters:
            # A plain tensor does not change what an attribute is: it may be swapped in for one
            # call, where under vmap it does not even require grad.
            if value is not None and not isinstance(value, torch.Tensor):
                raise TypeError(
                    f"cannot assign '{torch.typename(value)}' as meta-parameter '{name}' "
                    f"(torch.Tensor or None expected)"
                )
            self._meta_parameters[name] = value
        elif isinstance(value, torch.Tensor) and value.requires_grad:
            self._take(name, "_parameters")
            self.register_parameter(name, value)
        else:
            super().__setattr__(name, value)

    def __delattr__(self, name: str) -> None:
        if name in self._meta_parameters:
            del self._meta_parameters[name]
        else:
            super().__delattr__(name)
            self._meta_module_names.discard(name)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self._meta_parameters})

    def _release(self, name: str) -> None:
        self._meta_parameters.pop(name, None)
        self._meta_module_names.discard(name)

    def _take(self, name: str, table: str) -> None:
        """Remove what has this name in any other table."""
        if "_parameters" not in vars(self):
            raise AttributeError("cannot assign parameters before Module.__init__() call")
        for other in ("_parameters", "_buffers", "_modules", "_meta_parameters"):
            if other != table:
                vars(self)[other].pop(name, None)
        vars(self).pop(name, None)
        self._non_persistent_buffers_set.discard(name)
        self._meta_module_names.discard(name)

    @property
    def _meta_modules(self) -> dict[str, nn.Module | None]:
        return {n: m for n, m in self._modules.items() if n in self._meta_module_names}

    # Registration, with the messages of the published package and of PyTorch

    def register_parameter(self, name: str, param: torch.Tensor | None) -> None:
        """Add an inner parameter.

        Args:
            name: The name of the attribute.
            param: Any tensor that requires grad, a leaf or not, an ``nn.Parameter``, or None.

        Raises:
            ValueError: If the tensor came in through the constructor, or does not require grad.
            TypeError: If ``param`` is not a tensor.
            KeyError: If the name is taken or not a valid one.
        """
        self._check_name("parameter", name, vars(self).get("_parameters", ()))
        if not isinstance(param, torch.Tensor):
            super().register_parameter(name, param)
            return
        if param in self._meta_inputs.meta_parameters:
            raise ValueError(
                f"cannot assign Tensor that is a meta-parameter to parameter '{name}'. "
                f"Use self.register_meta_parameter() instead."
            )
        if isinstance(param, nn.Parameter):
            super().register_parameter(name, param)
            return
        _check_requires_grad("parameter", name, param)
        super().register_parameter(name, None)  # checks the name
        self._parameters[name] = param  # type: ignore[assignment]

    def register_meta_parameter(self, name: str, param: torch.Tensor | None) -> None:
        """Add a meta-parameter.

        Args:
            name: The name of the attribute.
            param: Any tensor that requires grad, whether it was passed to the constructor or not,
                or None.

        Raises:
            ValueError: If the tensor does not require grad.
            TypeError: If ``param`` is not a tensor.
            KeyError: If the name is taken or not a valid one.
        """
        self._check_name("meta-parameter", name, self._meta_parameters)
        if param is not None:
            if not isinstance(param, torch.Tensor):
                raise TypeError(
                    f"cannot assign '{torch.typename(param)}' object to meta-parameter '{name}' "
                    f"(torch.Tensor or None required)"
                )
            _check_requires_grad("meta-parameter", name, param)
        if name not in self._meta_parameters:
            super().register_parameter(name, None)  # checks the name
            del self._parameters[name]
        self._meta_parameters[name] = param

    def add_module(self, name: str, module: nn.Module | None) -> None:
        """Add an inner module.

        Args:
            name: The name of the attribute.
            module: The module, or None.

        Raises:
            ValueError: If the module came in through the constructor.
            TypeError: If ``module`` is not a module.
            KeyError: If the name is taken or not a valid one.
        """
        self._check_name("module", name, self._modules.keys() - self._meta_module_names)
        if isinstance(module, nn.Module) and module in self._meta_inputs.meta_modules:
            raise ValueError(
                f"cannot add module that is a meta-module to module '{name}'. "
                f"Use self.add_meta_module() instead."
            )
        super().add_module(name, module)

    def register_module(self, name: str, module: nn.Module | None) -> None:
        """Add an inner module; another name of :meth:`add_module`."""
        self.add_module(name, module)

    def add_meta_module(self, name: str, meta_module: nn.Module | None) -> None:
        """Add a meta-module.

        Args:
            name: The name of the attribute.
            meta_module: The module, whether it was passed to the constructor or not, or None.

        Raises:
            TypeError: If ``meta_module`` is not a module.
            KeyError: If the name is taken or not a valid one.
        """
        self._check_name("meta-module", name, self._meta_module_names)
        super().add_module(name, meta_module)
        self._meta_module_names.add(name)

    def register_meta_module(self, name: str, meta_module: nn.Module | None) -> None:
        """Add a meta-module; another name of :meth:`add_meta_module`."""
        self.add_meta_module(name, meta_module)

    def _check_name(self, kind: str, name: str, same_kind: Container[str]) -> None:
        if not isinstance(name, str):
            raise TypeError(f"{kind} name should be a string. Got {torch.typename(name)}")
        if not name:
            raise KeyError(f"{kind} name can't be empty string ''")
        if "." in name:
            raise KeyError(f"{kind} name can't contain '.', got: '{name}'")
        if hasattr(self, name) and name not in same_kind:
            raise KeyError(f"attribute '{name}' already exists")

    # Walks: nn.Module's own, without the meta part, and those of the meta part

    def named_children(self) -> Iterator[tuple[str, nn.Module]]:
        """Yield the name and the module of each immediate inner child, each module once."""
        return self._children(meta=False)

    def named_modules(
        self,
        memo: set[nn.Module] | None = None,
        prefix: str = "",
        remove_duplicate: bool = True,
    ) -> Iterator[tuple[str, nn.Module]]:
        """Yield the name and the module of this module and of all inner modules below it.

        Args:
            memo: The modules that were yielded before.
            prefix: Put before each name.
            remove_duplicate: Whether each module is yielded once only.
        """
        memo = set() if memo is None else memo
        if self in memo:
            return
        if remove_duplicate:
            memo.add(self)
        yield prefix, self
        for name, module in self._modules.items():
            if module is not None and name not in self._meta_module_names:
                yield from module.named_modules(memo, _join(prefix, name), remove_duplicate)

    def meta_parameters(self, recurse: bool = True) -> Iterator[torch.Tensor]:
        """Yield the meta-parameters; see :meth:`named_meta_parameters`."""
        return (tensor for _, tensor in self.named_meta_parameters(recurse=recurse))

    def named_meta_parameters(
        self, prefix: str = "", recurse: bool = True
    ) -> Iterator[tuple[str, torch.Tensor]]:
        """Yield the name and the tensor of each meta-parameter, each tensor once.

        Args:
            prefix: Put before each name.
            recurse: Whether to yield, besides those of this module itself, the meta-parameters of
                inner modules and everything in meta-modules.
        """
        walk = _walk(self, prefix) if recurse else [(prefix, self, False)]
        return _named_tensors(walk)

    def meta_children(self) -> Iterator[nn.Module]:
        """Yield the immediate meta-modules."""
        return (module for _, module in self.named_meta_children())

    def named_meta_children(self) -> Iterator[tuple[str, nn.Module]]:
        """Yield the name and the module of each immediate meta-module, each module once."""
        return self._children(meta=True)

    def meta_modules(self) -> Iterator[nn.Module]:
        """Yield all meta-modules; see :meth:`named_meta_modules`."""
        return (module for _, module in self.named_meta_modules())

    def named_meta_modules(
        self,
        memo: set[nn.Module] | None = None,
        prefix: str = "",
        remove_duplicate: bool = True,
    ) -> Iterator[tuple[str, nn.Module]]:
        """Yield the name and the module of each meta-module, here and in inner modules.

        The modules inside a meta-module are meta-modules, too.

        Args:
            memo: The modules that were yielded before.
            prefix: Put before each name.
            remove_duplicate: Whether each module is yielded once only.
        """
        memo = set() if memo is None else memo
        for name, module, meta in _walk(self, prefix, remove_duplicate=remove_duplicate):
            if meta and module not in memo:
                if remove_duplicate:
                    memo.add(module)
                yield name, module

    def _children(self, *, meta: bool) -> Iterator[tuple[str, nn.Module]]:
        seen: set[nn.Module] = set()
        for name, module in self._modules.items():
            if module is None or module in seen:
                continue
            if (name in self._meta_module_names) is meta:
                seen.add(module)
                yield name, module

    # What PyTorch does to a whole module includes the meta part

    def extra_repr(self) -> str:
        """Name what is meta."""
        names = (*self._meta_parameters, *(n for n, _ in self.named_meta_children()))
        return f"meta=({', '.join(names)})" if names else ""

    def _apply(self, fn: Callable[[torch.Tensor], torch.Tensor], recurse: bool = True) -> Any:
        super()._apply(fn, recurse)
        if recurse:
            for module in self.meta_children():
                module._apply(fn)
        # nn.Module knows how to move a leaf and its gradient in place.
        leaves = {n: t for n, t in self._meta_parameters.items() if t is not None and t.is_leaf}
        self._meta_parameters.update(_holder(leaves)._apply(fn)._parameters)
        for name, tensor in self._meta_parameters.items():
            if tensor is not None and not tensor.is_leaf:
                self._meta_parameters[name] = fn(tensor)
        return self

    def _save_to_state_dict(
        self, destination: dict[str, Any], prefix: str, keep_vars: bool
    ) -> None:
        super()._save_to_state_dict(destination, prefix, keep_vars)
        _holder(self._meta_parameters)._save_to_state_dict(destination, prefix, keep_vars)

    def _load_from_state_dict(
        self,
        state_dict: dict[str, Any],
        prefix: str,
        local_metadata: dict[str, Any],
        strict: bool,
        missing_keys: list[str],
        unexpected_keys: list[str],
        error_msgs: list[str],
    ) -> None:
        super()._load_from_state_dict(
            state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
        )
        meta = {n: t for n, t in self._meta_parameters.items() if t is not None}
        known = {prefix + name for name in meta}
        unexpected_keys[:] = [key for key in unexpected_keys if key not in known]
        # Aliases of the same memory: nn.Module copies into them, or assigns others in their place.
        holder = _holder({name: nn.Parameter(tensor.detach()) for name, tensor in meta.items()})
        holder._load_from_state_dict(
            state_dict, prefix, local_metadata, strict, missing_keys, [], error_msgs
        )
        if local_metadata.get("assign_to_params_buffers", False):
            self._meta_parameters.update(holder._parameters)


def _holder(tensors: dict[str, Any]) -> nn.Module:
    """Make a plain module whose parameters are these tensors."""
    holder = nn.Module()
    holder._parameters.update(tensors)
    return holder


def _check_requires_grad(kind: str, name: str, tensor: torch.Tensor) -> None:
    if not tensor.requires_grad:
        raise ValueError(
            f"cannot assign Tensor that `requires_grad=False` to {kind} '{name}'. "
            f"Call `requires_grad_()` on it, or use `register_buffer`."
        )


def _join(prefix: str, name: str) -> str:
    return f"{prefix}.{name}" if prefix else name


def _walk(
    module: nn.Module,
    prefix: str = "",
    *,
    meta: bool = False,
    remove_duplicate: bool = True,
    seen: set[tuple[nn.Module, bool]] | None = None,
) -> Iterator[tuple[str, nn.Module, bool]]:
    """Yield the name of each module from this one down, the module, and whether it is meta."""
    seen = set() if seen is None else seen
    if (module, meta) in seen:
        return
    if remove_duplicate:
        seen.add((module, meta))
    yield prefix, module, meta
    names = module._meta_module_names if isinstance(module, MetaGradientModule) else ()
    for name, child in module._modules.items():
        if child is not None:
            yield from _walk(
                child,
                _join(prefix, name),
                meta=meta or name in names,
                remove_duplicate=remove_duplicate,
                seen=seen,
            )


def _named_tensors(
    walk: Iterable[tuple[str, nn.Module, bool]],
) -> Iterator[tuple[str, torch.Tensor]]:
    """Yield the name and the tensor of each meta-parameter on a walk, each tensor once."""
    seen: set[torch.Tensor | None] = {None}
    for prefix, module, meta in walk:
        own = module._meta_parameters if isinstance(module, MetaGradientModule) else {}
        for name, tensor in (*own.items(), *(module._parameters.items() if meta else ())):
            if tensor not in seen:
                seen.add(tensor)
                yield _join(prefix, name), tensor

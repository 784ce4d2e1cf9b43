"""Differentiable optimizers for modules: a step replaces the parameters by functions of them."""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from inspect import signature
from typing import TYPE_CHECKING, Any

import torch
from torch import nn

from torchopt import checks
from torchopt.io.calls import call_of, called, defaults
from torchopt.modules import functional
from torchopt.modules.wrapped import refuse_wrapped
from torchopt.optim.differentiating import differentiate
from torchopt.pytree import flattening as pytree
from torchopt.transform.advancing import advance
from torchopt.transform.chaining import GradientTransformation, UninitializedState
from torchopt.transform.checking import check_transformation

_MODULE = checks.of_type(nn.Module, "a module; for tensors, use `torchopt.minimize`")
# Number of graph nodes that are searched for a saved tensor.
_MAX_NODES = 32

# For `stop_gradient(module)`, which also detaches optimizer states in the module's graph.
_OPTIMIZERS: weakref.WeakSet[MetaOptimizer] = weakref.WeakSet()


def optimizers_of(module: nn.Module) -> list[MetaOptimizer]:
    """Return the live meta-optimizers of parameters of a module or its submodules."""
    inside = set(map(id, module.modules()))
    return [
        optimizer
        for optimizer in _OPTIMIZERS
        if any(
            id(submodule) in inside
            for group in optimizer.param_groups
            for tied in group.places.values()
            for submodule, _ in tied
        )
    ]


@dataclass(frozen=True)
class _Group:
    """Where each parameter stands: (submodule, attribute) by its first name, several if tied."""

    module: nn.Module
    places: dict[str, list[tuple[nn.Module, str]]]

    def read(self) -> dict[str, torch.Tensor | None]:
        params: dict[str, torch.Tensor | None] = {}
        for name, places in self.places.items():
            submodule, attribute = places[0]
            p = submodule._parameters.get(attribute)
            params[name] = p if p is not None and p.requires_grad else None
        return params

    def write(self, params: dict[str, torch.Tensor | None]) -> None:
        for name, places in self.places.items():
            p = params[name]
            for submodule, attribute in places:
                if p is not None:
                    # Not by setattr: nn.Module accepts a Parameter only.
                    submodule._parameters[attribute] = p  # type: ignore[assignment]
        functional.note_write(self.module)

    def loss_at(self, closure: Callable[[], torch.Tensor], params: Any) -> torch.Tensor:
        """Return a closure's loss with other parameters in the module, and put back its own."""
        present = self.read()
        self.write(params)
        try:
            loss = closure()
        finally:
            self.write(present)
        checks.check_loss(loss, what="the closure's loss", needs_grad=False)
        return loss.squeeze()


def _explain_freed_graph(tensors: list[Any]) -> None:
    """If the graph of these tensors was freed, make a backward pass through it explain the error.

    Only that backward pass is an error: steps without one, as in a test after training, are not.
    """
    if torch.compiler.is_compiling():
        return
    nodes = [t.grad_fn for t in tensors if isinstance(t, torch.Tensor) and t.grad_fn is not None]
    if nodes and _is_freed(nodes[0]):
        for node in set(nodes):
            node.register_prehook(_raise_freed)


def _raise_freed(_: Any) -> None:
    raise RuntimeError(
        "this backward pass comes to parameters or an optimizer's state that were made before another "
        "one, which has used up their graph: after each outer backward pass, bring back the state "
        "before the inner steps by `torchopt.recover_state_dict`, of the module and of its "
        "meta-optimizer, or cut the graph by `torchopt.stop_gradient`."
    )


def _is_freed(node: Any) -> bool:
    """Whether the saved tensors of a node, or of the first nodes below that save any, are freed."""
    queue, seen = [node], {node}
    while queue and len(seen) < _MAX_NODES:
        node = queue.pop(0)
        try:
            for name in _saved_attributes(node.__class__):
                saved = getattr(node, name)
                if isinstance(saved, torch.Tensor) or (isinstance(saved, tuple) and saved):
                    return False
        except RuntimeError:
            return True
        unseen = [n for n, _ in node.next_functions if n is not None and n not in seen]
        queue += unseen
        seen.update(unseen)
    return False


@functools.cache
def _saved_attributes(kind: type) -> list[str]:
    return [name for name in dir(kind) if name.startswith("_saved_") or name == "saved_tensors"]


class MetaOptimizer:
    """A differentiable optimizer of a module's parameters.

    A step computes gradients with ``create_graph=True``, and replaces the module's parameters with new
    tensors that are functions of the old ones; the old ``Parameter`` objects are the meta-parameters.
    Tied weights stay tied; parameters that are frozen, or that the loss does not use, are left alone.

    Args:
        module: The module. To checkpoint activations in it, use `torchopt.remat`; a region of
            ``torch.utils.checkpoint`` that would be recomputed with other tensors raises.
        impl: The gradient transformation.

    Raises:
        TypeError: If ``module`` is not a module, or ``impl`` is no gradient transformation.
        ValueError: If no parameter of the module requires grad.

    Example:
        >>> import torch, torchopt
        >>> net = torch.nn.Linear(1, 1, bias=False)
        >>> meta_params = list(net.parameters())
        >>> optimizer = MetaOptimizer(net, torchopt.sgd(lr=0.25))
        >>> optimizer.step(net(torch.ones(1, 1)).square().sum())
        >>> net(torch.ones(1, 1)).sum().backward()
        >>> meta_params[0].grad
        tensor([[0.5000]])

    References:
        Ren et al., *TorchOpt*, JMLR 2023, listing 1. Finn et al., *MAML*, 2017.
    """

    def __init__(self, module: nn.Module, impl: GradientTransformation) -> None:
        check_transformation(impl)
        self.impl = impl
        self.param_groups: list[_Group] = []
        self.state_groups: list[Any] = []
        self.add_param_group(module)

    def __repr__(self) -> str:
        # With the arguments of a class such as `MetaAdam`, if the transformation is as that made it.
        parameters = signature(type(self)).parameters
        call = call_of(self.impl)
        arguments = {"impl": self.impl} if call is None else call.arguments()[0]
        if not arguments.keys() <= parameters.keys():
            arguments = {"impl": self.impl}
        count = sum(
            p.numel() for g in self.param_groups for p in g.read().values() if p is not None
        )
        return called(type(self).__name__, {**arguments, "parameters": count}, defaults(parameters))

    def add_param_group(self, module: nn.Module) -> None:
        """Add a module, with a state of its own.

        Args:
            module: A module whose parameters the optimizer does not hold yet.
        """
        checks.check("module", module, _MODULE)
        refuse_wrapped(module, what="a meta-optimizer")
        places: dict[str, list[tuple[nn.Module, str]]] = {}
        first: dict[int, str] = {}
        held = {
            (id(submodule), attribute)
            for group in self.param_groups
            for tied in group.places.values()
            for submodule, attribute in tied
        }
        for name, submodule, attribute in functional.tensor_slots(module, buffers=False):
            if (id(submodule), attribute) in held:
                raise ValueError(f"parameter `{name}` is in the optimizer already: add it once.")
            p = submodule._parameters[attribute]
            tied = places.setdefault(first.setdefault(id(p), name), [])
            if (submodule, attribute) not in tied:
                tied.append((submodule, attribute))
        group = _Group(module, places)
        if all(p is None for p in group.read().values()):
            raise ValueError(
                f"no parameter of {type(module).__name__} requires grad: there is nothing to optimize."
            )
        self.param_groups.append(group)
        self._register(module)
        self.state_groups.append(UninitializedState())

    def _register(self, module: nn.Module) -> None:
        functional.watch(module)
        _OPTIMIZERS.add(self)

    def __setstate__(self, state: dict[str, Any]) -> None:
        # Unpickled and copied optimizers hold copies of the modules.
        self.__dict__.update(state)
        for group in self.param_groups:
            self._register(group.module)

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            who = type(self).__name__
            if name == "param_containers_groups":  # 0.7.3's tables of parameters, for each module
                modules = [group.module.modules() for group in self.param_groups]
                return [tuple(m._parameters for m in group if m._parameters) for group in modules]
            if name != "zero_grad":
                raise AttributeError(f"{who!r} object has no attribute {name!r}")
            raise AttributeError(
                f"`{who}` has no `zero_grad` and needs none: `step(loss)` differentiates the loss and "
                f"neither reads nor writes a `.grad`; call `zero_grad` of the outer optimizer."
            )

    def step(self, loss: torch.Tensor, closure: Callable[[], torch.Tensor] | None = None) -> None:
        """Differentiate a loss and replace the parameters by those after one update.

        Args:
            loss: A scalar computed with the module's present parameters.
            closure: Returns the loss at the parameters of that time, without ``backward``, for
                transformations that read ``value_fn``, such as line searches.

        Raises:
            TypeError: If the loss is not a floating tensor, or a closure is missing.
            ValueError: If the loss is not a scalar or does not depend on the parameters, or one has
                changed its shape. After an error, nothing is changed.
            NonFiniteError: If the loss is NaN.
        """
        checks.check_loss(loss)
        groups = [group.read() for group in self.param_groups]
        leaves = [p for params in groups for p in params.values()]
        _explain_freed_graph(leaves)
        _explain_freed_graph(pytree.leaves(self.state_groups))
        grads = iter(differentiate(loss, leaves, create_graph=True))
        advanced = []
        extra: dict[str, Any] = {"value": loss.squeeze()}
        for group, params, state in zip(self.param_groups, groups, self.state_groups, strict=True):
            if isinstance(state, UninitializedState):
                state = self.impl.init(params)
            gradients = {name: next(grads) for name in params}
            if closure is not None:
                extra["value_fn"] = functools.partial(group.loss_at, closure)
            advanced.append(advance(self.impl, gradients, state, params, **extra))
        for index, (params, state) in enumerate(advanced):
            self.param_groups[index].write(params)
            self.state_groups[index] = state

    def state_dict(self) -> tuple[Any, ...]:
        """Return the states of all groups, still connected to the graph.

        See :func:`torchopt.extract_state_dict` for copies.
        """
        return tuple(self.state_groups)

    def load_state_dict(self, state_dict: Iterable[object]) -> None:
        """Take over the states of all groups.

        Args:
            state_dict: What :meth:`state_dict` or :func:`torchopt.extract_state_dict` returned.

        Raises:
            ValueError: If the number of groups differs.
        """
        states = list(state_dict)
        if len(states) != len(self.state_groups):
            raise ValueError(
                f"the state has {len(states)} groups, but the optimizer has "
                f"{len(self.state_groups)}: load the state of an optimizer with the same groups."
            )
        self.state_groups[:] = states

"""An optimizer of ``torch.optim`` that steps by a gradient transformation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar, TypeVar, overload

import torch
from torch.optim.optimizer import _global_optimizer_post_hooks, _global_optimizer_pre_hooks

from torchopt import checks
from torchopt.optim._closure import ClosureLoss
from torchopt.optim._group_state import GroupState, Leaves, as_tree, read_options, structure
from torchopt.optim._slots import as_in_torch, numbers
from torchopt.optim._tally import with_tally
from torchopt.pytree import flattening as pytree
from torchopt.pytree.typing import ParameterGroups
from torchopt.transform.applying import apply_updates
from torchopt.transform.chaining import GradientTransformation
from torchopt.transform.checking import check_transformation
from torchopt.transform.extra_args import select
from torchopt.transform.options import learning_rate_of, with_learning_rate

_Loss = TypeVar("_Loss")
_CLOSURE = checks.Word(
    "call `loss.backward()` and then `step()`, as with `torch.optim`; "
    "`torchopt.MetaOptimizer(module, tx).step(loss)` differentiates a loss itself",
    Callable,
)


class Optimizer(torch.optim.Optimizer):
    """An optimizer of ``torch.optim`` that steps by a gradient transformation.

    It has all features of PyTorch's optimizers: parameter groups, learning rate schedulers,
    ``torch.amp.GradScaler``, hooks, ``state_dict``, names in the state of a parameter.

    Args:
        params: What ``torch.optim`` takes (tensors, names and tensors, groups with ``"params"`` and
            options of their own), or any tree of tensors, which the transformation then sees.
        impl: The gradient transformation. It is an option of each group, as is ``lr`` if the
            transformation is a chain with one learning rate.

    Raises:
        ValueError: If there are no parameters, if none requires grad, or if one is given twice.
        TypeError: If a leaf is not a real floating tensor, or ``impl`` is no transformation.

    Example:
        >>> import torch, torchopt
        >>> x, y = (torch.nn.Parameter(torch.tensor([1.0])) for _ in range(2))
        >>> clipped = torchopt.chain(torchopt.transform.clip_grad_norm(1.0), torchopt.sgd(lr=0.5))
        >>> optimizer = Optimizer([{"params": [x]}, {"params": [y], "lr": 0.25}], clipped)
        >>> (x ** 2 + y ** 2).sum().backward()
        >>> optimizer.step()
        >>> x.data, y.data
        (tensor([0.5000]), tensor([0.7500]))
    """

    #: The transformation for the options of a group, which it takes by name.
    _make: ClassVar[Callable[..., GradientTransformation]] = staticmethod(with_learning_rate)
    #: The names of these options.
    _options: ClassVar[tuple[str, ...]] = ("impl", "lr")
    #: Those that the class of this name in ``torch.optim`` has not, with their defaults: groups have
    #: them only if they are set, so that checkpoints of either class have the same entries.
    _not_in_torch: ClassVar[Mapping[str, Any]] = {}
    #: Whether weight decay is decoupled, where ``torch.optim`` has that as an option.
    _decoupled: ClassVar[bool | None] = None

    def __init__(self, params: ParameterGroups, impl: GradientTransformation) -> None:
        check_transformation(impl)
        self._start(params, {"impl": impl})

    def _start(self, params: Any, defaults: dict[str, Any], **further: Any) -> None:
        self._states: dict[int, GroupState] = {}
        if self._decoupled is not None:
            further.setdefault("decoupled_weight_decay", self._decoupled)
        unset = {k for k, x in self._not_in_torch.items() if defaults.get(k, x) is x}
        defaults = {k: x for k, x in defaults.items() if k not in unset}
        super().__init__(_groups(params), {**defaults, **further})
        if not any(p.requires_grad for group in self.param_groups for p in group["params"]):
            raise ValueError("no parameter requires grad: there is nothing to optimize.")

    def __setstate__(self, state: dict[str, Any]) -> None:
        # Of an optimizer that is unpickled or copied, or with a loaded state, which may lack options.
        before = self.__dict__.get("param_groups", ())
        super().__setstate__(state)
        self._states = {}
        for group, mine in zip(self.param_groups, before, strict=False):
            for option, value in mine.items():
                group.setdefault(option, value)

    @property
    def impl(self) -> GradientTransformation:
        """The gradient transformation of the first group, with its present options."""
        return self._transformation(self.param_groups[0])

    def _transformation(self, group: Mapping[str, Any]) -> GradientTransformation:
        return self._make(**read_options(group, self._options))

    def _state_of(self, index: int) -> tuple[GroupState, GradientTransformation, Any]:
        """Return the record of a group, with its present transformation and state."""
        group = self.param_groups[index]
        record = self._states.get(index)
        if record is None or not record.is_of(group["params"]):
            record = self._states[index] = GroupState(index, group["params"])
        options = [*map(group.get, self._options)]
        tx = record.transformation(options, lambda: with_tally(self._transformation(group)))
        return record, tx, record.read(self.state, type(self).__name__)

    def add_param_group(self, param_group: ParameterGroups) -> None:
        """Add parameters, with a state of their own.

        Args:
            param_group: The parameters, or a dictionary with ``"params"`` and options of their own;
                other entries are kept.

        Raises:
            ValueError: If a parameter is in the optimizer already, or an option is out of range.
            TypeError: If a leaf is not a real floating tensor.
        """
        group: Any = param_group
        if not (isinstance(group, dict) and "params" in group):
            group = {"params": group}
        impl = group.get("impl", self.defaults.get("impl"))
        if impl is not None:
            check_transformation(impl)
            if (lr := learning_rate_of(impl)) is not None:
                group.setdefault("lr", lr)
        self._check_further({**self.defaults, **group})
        self._transformation({**self.defaults, **group})  # raises for options out of range
        params = _listed(group["params"])
        named = isinstance(params, (list, tuple)) and any(map(_is_named, params))
        tree = [p[1] if _is_named(p) else p for p in params] if named else params
        leaves, spec = pytree.flatten(tree)
        checks.check_floating(leaves, spec, "params")
        self._check_new(leaves, spec)
        kept = [leaf is not None for leaf in leaves]
        for p in leaves:
            if p is not None and not p.is_leaf:  # as those of a module after a meta-step
                p.retain_grad()
        group["params"] = params if named else [p for p in leaves if p is not None]
        super().add_param_group(group)
        if spec != structure(leaves) or not all(kept):
            group["params"] = Leaves(group["params"], spec, kept)
        if "initial_accumulator_value" in self.defaults and any(kept):
            # PyTorch's Adagrad, too, has a state before its first step.
            record, _, state = self._state_of(len(self.param_groups) - 1)
            record.write(self.state, state, [True] * sum(kept))

    def _check_further(self, options: Mapping[str, Any]) -> None:
        """Refuse options of ``torch.optim`` that would change the numbers or the graph."""
        name = type(self).__name__
        if options.get("differentiable"):
            raise ValueError(
                f"`differentiable` is True, but {name} steps in place, without a graph: use "
                f"`torchopt.MetaOptimizer(module, tx)` with "
                f"`tx = torchopt.optimizers.{self._make.__name__}(...)`."
            )
        option = "decoupled_weight_decay"
        if option in self._options:
            return
        if options.get(option, self._decoupled) is not self._decoupled:
            others = {"Adam": "torchopt.optim.AdamW", "AdamW": "torchopt.optim.Adam"}
            raise ValueError(
                f"`{option}` is {not self._decoupled}, but {name} has {self._decoupled}: use "
                f"`{others.get(name, f'torch.optim.{name}')}`."
            )

    def _check_new(self, leaves: list[Any], spec: Any) -> None:
        known = {id(p) for group in self.param_groups for p in group["params"]}
        for index, leaf in enumerate(leaves):
            if leaf is not None and id(leaf) in known:
                raise ValueError(
                    f"`{checks.leaf_path(spec, index, 'params')}` is in the optimizer already: give "
                    f"each parameter once (tied weights too)."
                )
            known.add(id(leaf))

    def state_dict(self) -> dict[str, Any]:
        """Return the state in the layout of ``torch.optim``.

        The checkpoint of a class can be loaded into the class of this name in ``torch.optim``, and the
        other way. Options that are functions (schedules, masks, transformations) are left out; an
        optimizer that loads the state keeps its own.

        Returns:
            A dictionary like that of ``torch.optim``, with ``"state"`` and ``"param_groups"``.
        """
        handle = self.register_state_dict_post_hook(_as_torch_has_it, prepend=True)
        try:
            return super().state_dict()
        finally:
            handle.remove()

    def load_state_dict(self, state_dict: Mapping[str, Any] | Iterable[object]) -> None:
        """Take over states and options.

        Args:
            state_dict: What :meth:`state_dict` of an optimizer with the same groups returned, here or
                in ``torch.optim``; or a transformation's state for each group, as ``state_dict`` of
                the published package returned.

        Raises:
            ValueError: If the number of groups, or of parameters in a group, differs; or if the saved
                optimizer decays weights in another way.
        """
        if not isinstance(state_dict, Mapping):
            self._load_states(list(state_dict))
            return
        for group in state_dict["param_groups"]:
            decoupled = group.get("decoupled_weight_decay", self._decoupled)
            differs = self._decoupled is not None and decoupled is not self._decoupled
            if differs and group.get("weight_decay"):
                raise ValueError(
                    f"the saved optimizer has decoupled_weight_decay={decoupled}, but "
                    f"{type(self).__name__} has {self._decoupled}: load it into another class."
                )
        super().load_state_dict(dict(state_dict))

    def _load_states(self, states: list[Any]) -> None:
        if len(states) != len(self.param_groups):
            raise ValueError(
                f"the state has {len(states)} groups, but the optimizer has "
                f"{len(self.param_groups)}: load the state of an optimizer with the same groups."
            )
        self.state.clear()
        self._states = {}
        for index, (group, state) in enumerate(zip(self.param_groups, states, strict=True)):
            params = group["params"]
            record = GroupState(index, params)
            record.write(self.state, state, [True] * len(params))

    @overload
    def step(self, closure: None = None) -> None: ...
    @overload
    def step(self, closure: Callable[[], _Loss]) -> _Loss: ...
    def step(self, closure: Callable[[], _Loss] | None = None) -> _Loss | None:
        """Update the parameters from their gradients.

        Args:
            closure: Reevaluates the model, calls ``backward`` and returns the loss. It is called once;
                and again wherever a transformation evaluates the loss, which it reads as ``value_fn``.

        Returns:
            What ``closure`` returned.

        Raises:
            TypeError: If a transformation reads the loss, and no closure is given.
            ValueError: If the closure's loss is no scalar, an option of a group is out of range, or
                a loaded state is that of another optimizer; nothing is then updated.
            NonFiniteError: If the closure's loss is NaN; nothing is updated, either.
        """
        if type(self).step is Optimizer.step and self._is_observed():
            out: _Loss | None = _observed_step(self, *(() if closure is None else (closure,)))
            return out
        return self._step(closure)

    # PyTorch would wrap it with a record for the profiler, which takes longer than all else here.
    step.hooked = True  # type: ignore[attr-defined]

    def _is_observed(self) -> bool:
        """Whether a step has hooks or is profiled."""
        return bool(
            self._optimizer_step_pre_hooks
            or self._optimizer_step_post_hooks
            or _global_optimizer_pre_hooks
            or _global_optimizer_post_hooks
            or torch.autograd._profiler_enabled()  # type: ignore[attr-defined]
        )

    def _step(self, closure: Callable[[], _Loss] | None = None) -> _Loss | None:
        loss: _Loss | None = None
        if closure is not None:
            checks.check(f"the closure of {type(self).__name__}.step", closure, _CLOSURE)
            with torch.enable_grad():
                loss = closure()
            if isinstance(loss, torch.Tensor):  # torch.optim takes anything
                checks.check_loss(loss, what="the closure's loss", needs_grad=False)
        with torch.no_grad():
            pending = []
            for index, group in enumerate(self.param_groups):
                params = group["params"]
                if not params:
                    continue
                record, tx, state = self._state_of(index)
                grads = [_dense(p.grad) for p in params]
                tree = as_tree(params, params)
                more = self._extra(tx, closure, loss, params) if tx.reads else {}
                # Not in place: `.grad` is the user's.
                updates, state = tx.update(
                    as_tree(params, grads), state, params=tree, inplace=False, **more
                )
                pending.append((record, tree, updates, state, [g is not None for g in grads]))
            # Write only after all updates are computed: an error must leave everything unchanged.
            for record, tree, updates, state, moved in pending:
                apply_updates(tree, updates, inplace=True)
                record.write(self.state, state, moved)
        return loss

    def _extra(
        self,
        tx: GradientTransformation,
        closure: Callable[[], Any] | None,
        loss: Any,
        params: list[Any],
    ) -> dict[str, Any]:
        """Return what the transformation of some parameters reads besides their gradients."""
        extra: dict[str, Any] = {}
        if closure is not None:
            checks.check_loss(loss, what="the closure's loss", needs_grad=False, value=False)
            extra["value"] = loss.detach().squeeze()
            every = [p for group in self.param_groups for p in group["params"]]
            extra["value_fn"] = ClosureLoss(closure, params, every)
        return select(tx, extra)


_observed_step = torch.optim.Optimizer.profile_hook_step(Optimizer._step)


def _groups(params: Any) -> list[Any]:
    """Return the groups that a constructor was given."""
    params = _listed(params)
    if (
        isinstance(params, (list, tuple))
        and params
        and all(isinstance(p, dict) and "params" in p for p in params)
    ):
        return list(params)
    checks.check_not_empty(pytree.flatten(params)[1], "params")
    return [{"params": params}]


def _listed(params: Any) -> Any:
    """Return what can be iterated over only as a list, and trees as they are."""
    if isinstance(params, torch.Tensor):
        return [params]
    if isinstance(params, Iterable) and not isinstance(params, (dict, list, tuple, set)):
        return list(params)
    return params


def _dense(grad: torch.Tensor | None) -> torch.Tensor | None:
    return grad.to_dense() if grad is not None and grad.is_sparse else grad


def _is_named(value: Any) -> bool:
    return isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], str)


def _as_torch_has_it(_: torch.optim.Optimizer, state_dict: dict[str, Any]) -> None:
    """Give each parameter a step of its own, in floating point, and leave functions out."""
    entries = state_dict["state"]
    steps = [entry.get("step") for entry in entries.values()]
    options = {key: group for group in state_dict["param_groups"] for key in group["params"]}
    state_dict["state"] = {
        key: entry
        if step is None
        else as_in_torch(
            {**entry, "step": torch.tensor(float(number), device="cpu")}, options.get(key, {})
        )
        for (key, entry), step, number in zip(entries.items(), steps, numbers(steps), strict=True)
    }
    state_dict["param_groups"] = [
        {k: x for k, x in group.items() if not any(map(callable, pytree.leaves(x)))}
        for group in state_dict["param_groups"]
    ]

"""The user's optimizer as a gradient transformation: a pure function with the same numbers.

Unrolled steps are done by this function, under autograd. Then parameters and state are written back
to the user's optimizer, as if it had done the steps.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import torch

from torchopt import checks
from torchopt.optim._group_state import Leaves, read_options, spread
from torchopt.optim._joined import OptimizerPart, join
from torchopt.optim._optimizer import Optimizer
from torchopt.optim._slots import SHARED, Slots, as_in_torch, is_nothing, numbers, read_state
from torchopt.optim._tally import with_tally
from torchopt.optim._torch_classes import CLASSES, class_of, options_of
from torchopt.pytree import flattening as pytree
from torchopt.transform.chaining import GradientTransformation, identity

__all__ = ["FunctionalOptimizer", "as_transformation", "write_state"]


def as_transformation(optimizer: Any, *, unrolled: bool = True) -> FunctionalOptimizer:
    """Return an optimizer as a gradient transformation on the list of its parameters.

    Args:
        optimizer: One of ``torch.optim``'s SGD, Adam, AdamW, RAdam, NAdam, Adamax, Adadelta, Adagrad,
            RMSprop, Adafactor and Muon, or a :class:`torchopt.Optimizer`, with any parameter groups and
            at any time of its life.
        unrolled: Whether to refuse Rprop and ASGD, whose steps are of little use in a derivative.

    Returns:
        The optimizer as a transformation, which looks at the optimizer whenever it is asked.

    Raises:
        TypeError: If the optimizer is none of these, or a subclass that steps in its own way.
        ValueError: If it has hooks on its step, an option that is not known here, a parameter twice,
            or no parameter that requires grad.

    Example:
        >>> import torch, torchopt
        >>> w, rate = torch.tensor([1.0]), torch.tensor(0.5, requires_grad=True)
        >>> optimizer = torch.optim.SGD([w.requires_grad_()], lr=rate, momentum=0.9)
        >>> function = as_transformation(optimizer)
        >>> params, state = torchopt.transform.advance(
        ...     function.transformation(), [torch.tensor([3.0])], function.state(), function.params)
        >>> torch.autograd.grad(params[0].sum(), rate)
        (tensor(-3.),)
        >>> function.write(params, state)
        >>> w, optimizer.state_dict()["state"]
        (tensor([-0.5000], requires_grad=True), {0: {'momentum_buffer': tensor([3.])}})
    """
    function = FunctionalOptimizer(optimizer, unrolled=unrolled)
    name = type(optimizer).__name__
    if optimizer._optimizer_step_pre_hooks or optimizer._optimizer_step_post_hooks:
        raise ValueError(
            f"{name} has hooks on its step, which steps that are unrolled do not call: remove them, or "
            f"use a mode that does not unroll."
        )
    params = function.params
    if not params:
        raise ValueError(f"no parameter of {name} requires grad: there is nothing to optimize.")
    places: dict[int, int] = {}
    for index, p in enumerate(params):
        if places.setdefault(id(p), index) != index:
            raise ValueError(
                f"parameters {places[id(p)]} and {index} of {name} are one tensor: give each "
                f"parameter once (tied weights too)."
            )
    return function


class _Group(NamedTuple):
    """A parameter group with parameters that require grad.

    Attributes:
        number: Which it is.
        params: These parameters.
        part: Its transformation, and the tree of parameters that it takes.
    """

    number: int
    params: list[torch.Tensor]
    part: OptimizerPart


class FunctionalOptimizer:
    """An optimizer as a gradient transformation on the list of its parameters."""

    def __init__(self, optimizer: Any, *, unrolled: bool = True) -> None:
        self.optimizer = optimizer
        self._is_ours = isinstance(optimizer, Optimizer)
        self._class = Optimizer if self._is_ours else class_of(optimizer, unrolled=unrolled)
        _refuse_other_steps(optimizer, self._class, "step")
        if self._is_ours:
            self._make, self._names = optimizer._make, [*optimizer._options]
        else:
            _refuse_other_steps(optimizer, self._class, "_init_group")
            self._make, self._names = CLASSES[self._class], options_of(optimizer)
        # Schedulers warn where the optimizer itself has not stepped.
        optimizer._opt_called = True
        self._key: Any = None
        self._options: list[dict[str, Any]] = []
        self._groups: list[_Group] = []
        self._together = identity()

    @property
    def groups(self) -> list[list[torch.Tensor]]:
        """The tensors of each parameter group that require grad."""
        return [
            [p for p in group["params"] if p.requires_grad] for group in self.optimizer.param_groups
        ]

    @property
    def params(self) -> list[torch.Tensor]:
        """All tensors that the optimizer holds and that require grad, group by group."""
        return [p for group in self.groups for p in group]

    def transformation(self) -> GradientTransformation:
        """Return the transformation, with the hyperparameters as they are now.

        It takes and returns lists like :attr:`params`; where a gradient is None, parameter and state
        stay. Hyperparameters are copied: a scheduler that changes them later does not change steps
        that were done. Those that are tensors remain differentiable. It is the same object until a
        hyperparameter changes.

        Raises:
            ValueError: If a hyperparameter is out of range.
        """
        groups = self.optimizer.param_groups
        options = [self._read_options(group) for group in groups]
        kept = [[p.requires_grad for p in group["params"]] for group in groups]
        key = kept, [[_identity_of(value) for value in mine.values()] for mine in options]
        if key != self._key:
            # The options are kept, so that no other tensor can have the identity of one of them.
            self._key, self._options = key, options
            self._groups = [
                self._group(index, mine, live)
                for index, (mine, live) in enumerate(zip(options, kept, strict=True))
                if any(live)
            ]
            self._together = join([group.part for group in self._groups])
        return self._together

    def _read_options(self, group: Mapping[str, Any]) -> dict[str, Any]:
        options = read_options(group, self._names)
        name = "initial_accumulator_value"
        if not self._is_ours and name in options:
            # Adagrad reads it from there, whatever the group says.
            options[name] = self.optimizer.defaults[name]
        return options

    def _group(self, index: int, options: Mapping[str, Any], live: Sequence[bool]) -> _Group:
        group = self.optimizer.param_groups[index]
        params = group["params"]
        # Those of torch.optim take a learning rate of one element.
        copies = {k: _copy(x, scalar=not self._is_ours) for k, x in options.items()}
        tx = with_tally(self._make(**copies), always=True)
        kept = tuple(bool(x) for x in spread(params, live))
        spec = params.spec if isinstance(params, Leaves) else None
        if spec is None:
            kept = tuple(filter(None, kept))
        return _Group(index, [p for p in params if p.requires_grad], OptimizerPart(tx, kept, spec))

    def parts(self) -> list[OptimizerPart]:
        """Return the transformation of each group that has parameters which require grad."""
        self.transformation()
        return [group.part for group in self._groups]

    def state(self) -> Any:
        """Return the optimizer's present state, as a state of :meth:`transformation`.

        Its tensors share memory with those of the optimizer: they hold until the optimizer itself
        steps. :meth:`write` leaves them as they are.
        """
        self.transformation()
        known = self.optimizer.state
        states = []
        for index, params, part in self._groups:
            tree = part.tree(iter(params))
            entries = iter([known.get(p) or {} for p in params])
            held = [next(entries) if kept else {} for kept in part.kept]
            states.append(
                read_state(
                    part.tx,
                    tree,
                    held,
                    known.get(SHARED, {}).get(index, ()),
                    owner=type(self.optimizer).__name__,
                    complete=not self._is_ours,
                )
            )
        return tuple(states) if self.is_tuple else states[0]

    @property
    def is_tuple(self) -> bool:
        """Whether the state of :meth:`transformation` is a tuple of those of the groups."""
        return len(self._groups) > 1 or self._groups[0].part.spec is not None

    def write(self, params: Sequence[torch.Tensor], state: Any) -> None:
        """Put values into the parameters, and a state into the optimizer.

        Args:
            params: The new values, a list like :attr:`params`. They are copied into the parameters,
                so do this after the backward pass through the steps.
            state: The new state of :meth:`transformation`; it stays as it is when the optimizer steps.

        Raises:
            ValueError: If number or shapes of the values differ; nothing is then written.
        """
        mine = self.params
        if len(params) != len(mine):
            raise ValueError(
                f"{len(params)} tensors were given for the {len(mine)} parameters of the optimizer."
            )
        for index, (p, new) in enumerate(zip(mine, params, strict=True)):
            if p.shape != new.shape:
                checks.raise_shape_mismatch(f"params[{index}]", new.shape, p.shape, "its parameter")
        self.transformation()
        with torch.no_grad():
            states = state if self.is_tuple else (state,)
            for group, inner in zip(self._groups, states, strict=True):
                write_state(self.optimizer, group.number, group.params, group.part, inner)
            for p, new in zip(mine, params, strict=True):
                p.copy_(new)


def write_state(
    optimizer: torch.optim.Optimizer,
    number: int,
    params: Sequence[torch.Tensor],
    part: OptimizerPart,
    state: Any,
) -> None:
    """Put a transformation's state into an optimizer.

    Args:
        optimizer: The optimizer.
        number: The number of the group.
        params: The parameters of the group that the transformation takes.
        part: The transformation.
        state: Its state.
    """
    known: Any = optimizer.state
    leaves, slots = pytree.leaves(state), Slots(state, part.structure(params))
    columns = {
        column.key: [x for x, kept in zip(slots.of(column, leaves), part.kept, strict=True) if kept]
        for column in slots.columns
    }
    steps = columns.pop("step", None)
    if not isinstance(optimizer, Optimizer):
        columns.pop("schedule_step", None)  # read from `step`, which goes on there
    counts = None
    if steps is not None:  # of a masked transformation, only some are counted
        pairs = zip(steps, numbers(steps), strict=True)
        counts = [1 if step is None else n for step, n in pairs]
    counted = any(column.key == "step" for column in slots.stored)
    if counts is None and columns and columns.keys() != {"momentum_buffer"}:
        # PyTorch counts in every algorithm that has a state, and looks at it only in some.
        counts, counted = [1] * len(params), not isinstance(optimizer, Optimizer)
    for index, p in enumerate(params):
        if counts is not None and not counts[index] and "sum" not in columns:
            known.pop(p, None)  # as before the first step
        elif columns or counts:
            entry = known.setdefault(p, {})
            values = {key: x[index] for key, x in columns.items() if not is_nothing(x[index])}
            entry.update(pytree.map_leaves(lambda x: x.detach().clone(), values))
            if counts is not None and counted:
                group = optimizer.param_groups[number]
                entry["step"] = _step(group, p, entry.get("step"), counts[index])
                if not isinstance(optimizer, Optimizer):
                    entry.update(as_in_torch(entry, group))
    if slots.shared:
        held = known.setdefault(SHARED, {})
        held[number] = [leaves[place].detach().clone() for place in slots.shared]


def _step(group: Mapping[str, Any], p: torch.Tensor, old: Any, count: int) -> torch.Tensor:
    """Return a number of steps as ``torch.optim`` keeps it."""
    if old is not None:
        return torch.full_like(old, count)
    fused = group.get("fused")
    double = torch.get_default_dtype() == torch.float64 and not fused
    return torch.tensor(
        float(count),
        dtype=torch.float64 if double else torch.float32,
        device=p.device if fused or group.get("capturable") else "cpu",
    )


def _refuse_other_steps(optimizer: Any, base: type[Any], method: str) -> None:
    """Refuse an optimizer that overrides a method of its base class."""
    # Schedulers and profilers wrap the step.
    mine = inspect.unwrap(getattr(optimizer, method))
    if getattr(mine, "__func__", mine) is not inspect.unwrap(getattr(base, method)):
        raise TypeError(
            f"{type(optimizer).__name__} has a `{method}` of its own, so it does not step like "
            f"{base.__name__} and cannot be unrolled: use {base.__name__} itself, a "
            f"`torchopt.Optimizer`, or a mode that does not unroll."
        )


def _identity_of(value: Any) -> Any:
    """Return a key that differs when a hyperparameter has changed."""
    if isinstance(value, torch.Tensor):
        return id(value), value._version
    if type(value) in (tuple, list):
        return tuple(map(_identity_of, value))
    return value if isinstance(value, (int, float)) else id(value)


def _copy(value: Any, *, scalar: bool) -> Any:
    """Return a copy of a hyperparameter, which is differentiable."""
    if isinstance(value, torch.Tensor):
        with torch.enable_grad():
            return (value.reshape(()) if scalar else value).clone()
    if type(value) in (tuple, list):
        return tuple(_copy(x, scalar=scalar) for x in value)
    return value

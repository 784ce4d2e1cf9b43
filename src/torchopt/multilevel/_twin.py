"""The functional twin of an optimizer: its numbers, as a pure function that autograd goes through.

A level that is unrolled steps by the twin of the user's optimizer; what came of it is then written
back, so that the user's objects go on as if they had done the steps themselves.
"""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple

import torch

from torchopt import errors, optim
from torchopt.alias import adadelta, adagrad, adam, adamax, adamw, rmsprop, sgd
from torchopt.alias.descent import descend
from torchopt.pytree import flattening as pytree
from torchopt.transform import chain, scale_by_radam
from torchopt.transform.chaining import GradientTransformation, identity

__all__ = ["Twin", "twin"]


class _Kind(NamedTuple):
    """An optimizer of PyTorch's, and what it is here.

    Attributes:
        optimizer: Its class. Subclasses that step in the same way are of its kind.
        make: The transformation for the options of a parameter group, which it takes by name.
        slots: For fields of the transformation's states, the key in the optimizer's state.
        lazy: Whether the optimizer has no state for a parameter before its first gradient.
    """

    optimizer: type[torch.optim.Optimizer]
    make: Callable[..., GradientTransformation]
    slots: Mapping[str, str]
    lazy: bool = True


def _adam(
    lr: Any,
    betas: Any,
    eps: Any,
    weight_decay: Any,
    amsgrad: bool,
    maximize: bool,
    decoupled_weight_decay: bool,
) -> GradientTransformation:
    make = adamw if decoupled_weight_decay else adam
    return make(lr, betas, eps, weight_decay, amsgrad=amsgrad, maximize=maximize)


def _radam(
    lr: Any,
    betas: Any,
    eps: Any,
    weight_decay: Any,
    maximize: bool,
    decoupled_weight_decay: bool,
) -> GradientTransformation:
    b1, b2 = betas
    decay = "decoupled_weight_decay" if decoupled_weight_decay else "weight_decay"
    return descend(scale_by_radam(b1, b2, eps), lr=lr, maximize=maximize, **{decay: weight_decay})


_MOMENTS = {"mu": "exp_avg", "nu": "exp_avg_sq"}
# AdamW is a subclass of Adam.
_KINDS = (
    _Kind(torch.optim.SGD, sgd, {"trace": "momentum_buffer"}),
    _Kind(torch.optim.Adam, _adam, {**_MOMENTS, "nu_max": "max_exp_avg_sq"}),
    _Kind(torch.optim.RAdam, _radam, _MOMENTS),
    _Kind(torch.optim.Adamax, adamax, {"mu": "exp_avg", "nu": "exp_inf"}),
    _Kind(torch.optim.Adadelta, adadelta, {"mu": "square_avg", "nu": "acc_delta"}),
    _Kind(torch.optim.Adagrad, adagrad, {"sum_of_squares": "sum"}, lazy=False),
    _Kind(
        torch.optim.RMSprop,
        rmsprop,
        {"mu": "grad_avg", "nu": "square_avg", "trace": "momentum_buffer"},
    ),
)
# These say how PyTorch computes a step, not what.
_EXECUTION = {"foreach", "fused", "capturable", "differentiable"}


class Twin(ABC):
    """An optimizer as a gradient transformation on the list of its parameters; see :func:`twin`."""

    @property
    @abstractmethod
    def groups(self) -> list[list[torch.Tensor]]:
        """The tensors of each parameter group that require grad."""

    @property
    def params(self) -> list[torch.Tensor]:
        """All tensors that the optimizer holds and that require grad, group by group."""
        return [p for group in self.groups for p in group]

    @abstractmethod
    def transformation(self) -> GradientTransformation:
        """Return the transformation, with the hyperparameters as they are now.

        It takes and returns lists like :attr:`params`; where a gradient is None, parameter and state
        stay. Hyperparameters are copied: a scheduler that changes them later does not change steps
        that were done. Those that are tensors remain differentiable. It is the same object until a
        hyperparameter changes.

        Raises:
            ValueError: If a hyperparameter is out of range.
        """

    @abstractmethod
    def state(self) -> Any:
        """Return the state of :meth:`transformation` that is the optimizer's at present.

        Its tensors share memory with those of the optimizer: they hold until the optimizer itself
        steps. :meth:`write` leaves them as they are.
        """

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
                errors.raise_shape_mismatch(f"params[{index}]", new.shape, p.shape, "its parameter")
        with torch.no_grad():
            self._write_state(state)
            for p, new in zip(mine, params, strict=True):
                p.copy_(new)

    @abstractmethod
    def _write_state(self, state: Any) -> None: ...


def twin(optimizer: Any) -> Twin:
    """Return the functional twin of an optimizer.

    Args:
        optimizer: One of ``torch.optim``'s SGD, Adam, AdamW, RAdam, Adamax, Adadelta, Adagrad and
            RMSprop, with any parameter groups and at any time of its life; or a
            :class:`torchopt.Optimizer`.

    Returns:
        The twin, which looks at the optimizer whenever it is asked.

    Raises:
        TypeError: If the optimizer is none of these, or a subclass that steps in its own way.
        ValueError: If it has hooks on its step, an option that is not known here, a parameter twice,
            or no parameter that requires grad.

    Example:
        >>> import torch, torchopt
        >>> w, rate = torch.tensor([1.0]), torch.tensor(0.5, requires_grad=True)
        >>> optimizer = torch.optim.SGD([w.requires_grad_()], lr=rate, momentum=0.9)
        >>> mirror = twin(optimizer)
        >>> params, state = torchopt.transform.advance(
        ...     mirror.transformation(), [torch.tensor([3.0])], mirror.state(), mirror.params)
        >>> torch.autograd.grad(params[0].sum(), rate)
        (tensor(-3.),)
        >>> mirror.write(params, state)
        >>> w, optimizer.state_dict()["state"]
        (tensor([-0.5000], requires_grad=True), {0: {'momentum_buffer': tensor([3.])}})
    """
    found = _Own(optimizer) if isinstance(optimizer, optim.Optimizer) else _of_torch(optimizer)
    params = found.params
    if not params:
        raise ValueError(
            f"no parameter of {type(optimizer).__name__} requires grad: there is nothing to optimize."
        )
    places: dict[int, int] = {}
    for index, p in enumerate(params):
        if places.setdefault(id(p), index) != index:
            raise ValueError(
                f"parameters {places[id(p)]} and {index} of {type(optimizer).__name__} are one "
                f"tensor: give each parameter once (tied weights too)."
            )
    return found


def _of_torch(optimizer: Any) -> Twin:
    name = type(optimizer).__name__
    kind = next((kind for kind in _KINDS if isinstance(optimizer, kind.optimizer)), None)
    if kind is None:
        known = ", ".join(kind.optimizer.__name__ for kind in _KINDS)
        raise TypeError(
            f"{name} cannot be unrolled: use one of torch.optim's {known}, a `torchopt.Optimizer`, "
            f"or a mode that does not unroll."
        )
    _refuse_other_steps(optimizer, kind.optimizer, "step", "_init_group")
    if optimizer._optimizer_step_pre_hooks or optimizer._optimizer_step_post_hooks:
        raise ValueError(
            f"{name} has hooks on its step, which steps that are unrolled do not call: remove them, or "
            f"use a mode that does not unroll."
        )
    known_options = inspect.signature(kind.make).parameters
    for option in _options_of(optimizer):
        if option not in known_options:
            raise ValueError(
                f"option `{option}` of {name} is not known here: use another optimizer, or a mode that "
                f"does not unroll."
            )
    return _Torch(optimizer, kind)


def _refuse_other_steps(optimizer: Any, base: type[Any], *methods: str) -> None:
    for method in methods:
        # Schedulers and profilers wrap the step.
        mine = inspect.unwrap(getattr(optimizer, method))
        if getattr(mine, "__func__", mine) is not inspect.unwrap(getattr(base, method)):
            raise TypeError(
                f"{type(optimizer).__name__} has a `{method}` of its own, so it does not step like "
                f"{base.__name__} and cannot be unrolled: use {base.__name__} itself, a "
                f"`torchopt.Optimizer`, or a mode that does not unroll."
            )


def _options_of(optimizer: torch.optim.Optimizer) -> list[str]:
    return [name for name in optimizer.defaults if name not in _EXECUTION]


class _Torch(Twin):
    """The twin of an optimizer of ``torch.optim``."""

    def __init__(self, optimizer: torch.optim.Optimizer, kind: _Kind) -> None:
        self.optimizer = optimizer
        self.kind = kind
        # Schedulers warn where the optimizer itself has not stepped.
        optimizer._opt_called = True  # type: ignore[attr-defined]
        self._options: list[dict[str, Any]] = []
        self._key: Any = None
        self._parts: list[_Part] = []
        self._together = identity()

    @property
    def groups(self) -> list[list[torch.Tensor]]:
        return [
            [p for p in group["params"] if p.requires_grad] for group in self.optimizer.param_groups
        ]

    def transformation(self) -> GradientTransformation:
        options = [self._read_options(group) for group, _ in self._active()]
        sizes = [len(params) for _, params in self._active()]
        key = sizes, [[_identity_of(value) for value in mine.values()] for mine in options]
        if key != self._key:
            # The options are kept, so that no other tensor can have the identity of one of them.
            self._key, self._options = key, options
            self._parts = [
                _Part(self._make(mine), (True,) * size)
                for mine, size in zip(options, sizes, strict=True)
            ]
            self._together = _join(self._parts)
        return self._together

    def state(self) -> Any:
        self.transformation()
        states = [
            self._read(part.tx, params)
            for part, (_, params) in zip(self._parts, self._active(), strict=True)
        ]
        return tuple(states) if len(states) > 1 else states[0]

    def _write_state(self, state: Any) -> None:
        self.transformation()
        states = state if len(self._parts) > 1 else (state,)
        for (group, params), mine in zip(self._active(), states, strict=True):
            fields = {name: x for inner in mine for name, x in _filled(inner).items()}
            if not fields:
                continue
            counts = _numbers(fields.pop("count"))
            for index, (p, count) in enumerate(zip(params, counts, strict=True)):
                slots = {self.kind.slots[name]: column[index] for name, column in fields.items()}
                self._store(group, p, count, slots)

    def _active(self) -> list[tuple[dict[str, Any], list[torch.Tensor]]]:
        """Return the groups that have parameters which require grad, with these."""
        pairs = zip(self.optimizer.param_groups, self.groups, strict=True)
        return [(group, params) for group, params in pairs if params]

    def _read_options(self, group: Mapping[str, Any]) -> dict[str, Any]:
        options = {name: group[name] for name in _options_of(self.optimizer)}
        if not self.kind.lazy:
            # Adagrad reads it from there, whatever the group says.
            name = "initial_accumulator_value"
            options[name] = self.optimizer.defaults[name]
        return options

    def _make(self, options: Mapping[str, Any]) -> GradientTransformation:
        tx = self.kind.make(**{name: _copy(value) for name, value in options.items()})
        fields = {name for state in tx.init([torch.zeros(())]) for name in _filled(state)}
        # PyTorch counts the steps of each parameter in every algorithm that has a state.
        return chain(_tally(), tx) if fields and "count" not in fields else tx

    def _read(self, tx: GradientTransformation, params: list[torch.Tensor]) -> tuple[Any, ...]:
        known = self.optimizer.state
        held = [{k: x for k, x in known.get(p, {}).items() if x is not None} for p in params]
        # SGD does not count, but only whether there was a step matters to it.
        counts = _counters([int(h.get("step", bool(h))) for h in held], params)
        first = tx.init([None if h else p for p, h in zip(params, held, strict=True)])

        def column(field: str, initial: list[Any]) -> list[Any]:
            if field == "count":
                return counts
            key = self.kind.slots[field]
            return [self._slot(h, key) if h else x for h, x in zip(held, initial, strict=True)]

        return tuple(
            state._replace(**{name: column(name, x) for name, x in _filled(state).items()})
            for state in first
        )

    def _slot(self, held: Mapping[str, Any], key: str) -> torch.Tensor:
        if key not in held:
            raise ValueError(
                f"{type(self.optimizer).__name__} has the state of a parameter without `{key}`: an "
                f"option was changed after steps were done; make the optimizer anew."
            )
        slot: torch.Tensor = held[key].detach()
        return slot

    def _store(
        self,
        group: Mapping[str, Any],
        p: torch.Tensor,
        count: int,
        slots: Mapping[str, torch.Tensor],
    ) -> None:
        if not count and self.kind.lazy:
            self.optimizer.state.pop(p, None)
            return
        held = self.optimizer.state[p]
        held.update((key, x.detach().clone()) for key, x in slots.items())
        if self.kind.optimizer is torch.optim.SGD:
            return
        if "step" in held:
            held["step"] = torch.full_like(held["step"], count)
            return
        fused = group.get("fused")
        double = torch.get_default_dtype() == torch.float64 and not fused
        held["step"] = torch.tensor(
            float(count),
            dtype=torch.float64 if double else torch.float32,
            device=p.device if fused or group.get("capturable") else "cpu",
        )


class _Own(Twin):
    """The twin of an optimizer of this library, which has a transformation itself."""

    def __init__(self, optimizer: optim.Optimizer) -> None:
        _refuse_other_steps(optimizer, optim.Optimizer, "step")
        self.optimizer = optimizer
        self._parts: list[_Part] = []
        self._together = identity()

    @property
    def groups(self) -> list[list[torch.Tensor]]:
        return [
            [p for p in group if p is not None and p.requires_grad]
            for group in self.optimizer.param_groups
        ]

    def transformation(self) -> GradientTransformation:
        parts = [
            _Part(
                self.optimizer.impl, tuple(p is not None and p.requires_grad for p in group), spec
            )
            for group, spec in zip(
                self.optimizer.param_groups, self.optimizer.param_treespecs, strict=True
            )
        ]
        if parts != self._parts:
            self._parts, self._together = parts, _join(parts)
        return self._together

    def state(self) -> Any:
        return tuple(map(_constant, self.optimizer.state_groups))

    def _write_state(self, state: Any) -> None:
        self.optimizer.load_state_dict(map(_constant, state))


class _Part(NamedTuple):
    """A transformation, and the tree of parameters that it takes.

    Attributes:
        tx: The transformation.
        kept: For each leaf of the tree, whether it is in the list of parameters; if not, it is None.
        spec: The structure of the tree; None for a list.
    """

    tx: GradientTransformation
    kept: tuple[bool, ...]
    spec: Any = None

    def tree(self, leaves: Iterator[Any]) -> Any:
        """Return the tree of the next elements of a list."""
        if self.spec is None:
            return [*islice(leaves, len(self.kept))]
        return pytree.unflatten(self.spec, [next(leaves) if kept else None for kept in self.kept])

    def list(self, tree: Any) -> Any:
        """Return the elements of a tree."""
        if self.spec is None:
            return tree
        leaves = pytree.flatten(tree)[0]
        return [x for x, kept in zip(leaves, self.kept, strict=True) if kept]


@dataclass(frozen=True, eq=False)
class _Joined:
    """Transformations, each on a part of one list."""

    parts: Sequence[_Part]

    def init(self, params: Sequence[Any]) -> tuple[Any, ...]:
        return tuple(
            part.tx.init(tree)
            for part, tree in zip(self.parts, self._trees(params, "params"), strict=True)
        )

    def update(
        self,
        updates: Sequence[Any],
        state: tuple[Any, ...],
        *,
        params: Sequence[Any] | None = None,
        inplace: bool = True,
    ) -> tuple[list[Any], tuple[Any, ...]]:
        trees = self._trees(updates, "updates")
        weights = [None] * len(trees) if params is None else self._trees(params, "params")
        moved, states = [], []
        for part, grads, inner, p in zip(self.parts, trees, state, weights, strict=True):
            out, new = part.tx.update(grads, inner, params=p, inplace=inplace)
            moved += part.list(out)
            states.append(new)
        return moved, tuple(states)

    def _trees(self, leaves: Sequence[Any], root: str) -> list[Any]:
        wanted = sum(sum(part.kept) for part in self.parts)
        if len(leaves) != wanted:
            raise ValueError(
                f"`{root}` has {len(leaves)} elements, but the optimizer has {wanted} parameters."
            )
        elements = iter(leaves)
        return [part.tree(elements) for part in self.parts]


def _join(parts: Sequence[_Part]) -> GradientTransformation:
    if len(parts) == 1 and parts[0].spec is None:
        return parts[0].tx
    joined = _Joined(parts)
    return GradientTransformation(joined.init, joined.update)


class _TallyState(NamedTuple):
    """The number of steps of each parameter."""

    count: Any


def _tally() -> GradientTransformation:
    """Return a transformation that counts the steps of each leaf of a list, and changes nothing."""
    return GradientTransformation(_tally_init, _tally_update)


def _tally_init(params: Sequence[Any]) -> _TallyState:
    return _TallyState(_counters([0] * len(params), params))


def _tally_update(
    updates: Any, state: _TallyState, *, params: Any = None, inplace: bool = True
) -> tuple[Any, _TallyState]:
    pairs = [*zip(updates, state.count, strict=True)]
    moved = {id(c): c for g, c in pairs if g is not None}
    moved = {key: c + 1 for key, c in moved.items()}
    return updates, _TallyState([c if g is None else moved[id(c)] for g, c in pairs])


def _counters(values: Sequence[int], params: Sequence[Any]) -> list[Any]:
    """Return a counter for each parameter: one tensor for those in lockstep."""
    keys = [None if p is None else (n, p.device) for n, p in zip(values, params, strict=True)]
    made = {
        key: torch.tensor(key[0], dtype=torch.int64, device=key[1])
        for key in dict.fromkeys(keys)
        if key is not None
    }
    return [None if key is None else made[key] for key in keys]


def _numbers(counts: Sequence[torch.Tensor]) -> list[int]:
    known = {id(c): c for c in counts}
    numbers = {key: int(c) for key, c in known.items()}
    return [numbers[id(c)] for c in counts]


def _filled(state: Any) -> dict[str, Any]:
    """Return the fields of the state of a transformation that are in use."""
    return {name: x for name, x in state._asdict().items() if x is not None}


def _identity_of(value: Any) -> Any:
    """Return what differs when a hyperparameter has changed."""
    if isinstance(value, torch.Tensor):
        return id(value), value._version
    return tuple(map(_identity_of, value)) if isinstance(value, (tuple, list)) else value


def _copy(value: Any) -> Any:
    """Return a hyperparameter as it is now, differentiable."""
    if isinstance(value, torch.Tensor):
        with torch.enable_grad():
            return value.reshape(()).clone()
    return tuple(map(_copy, value)) if isinstance(value, (tuple, list)) else value


def _constant(tree: Any) -> Any:
    """Return a state that is cut off from what made it; counters in lockstep stay one tensor."""
    leaves, spec = pytree.flatten(tree)
    cut = {id(x): x.detach() if isinstance(x, torch.Tensor) else x for x in leaves}
    return pytree.unflatten(spec, [cut[id(x)] for x in leaves])

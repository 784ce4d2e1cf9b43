"""The optimizers of ``torch.optim`` as transformations: their options, and their states."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import torch

from torchopt.alias import adadelta, adagrad, adam, adamax, adamw, rmsprop, sgd
from torchopt.alias.descent import descend
from torchopt.multilevel._functional_optimizer import (
    FunctionalOptimizer,
    OptimizerPart,
    join,
    refuse_other_steps,
)
from torchopt.transform import chain, scale_by_radam
from torchopt.transform.chaining import GradientTransformation, identity

__all__ = ["of_torch"]


class _Kind(NamedTuple):
    """A class of ``torch.optim``, and its transformation.

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


def of_torch(optimizer: Any) -> TorchOptimizer:
    """Return an optimizer of ``torch.optim`` as a transformation; see :func:`as_transformation`."""
    name = type(optimizer).__name__
    kind = next((kind for kind in _KINDS if isinstance(optimizer, kind.optimizer)), None)
    if kind is None:
        known = ", ".join(kind.optimizer.__name__ for kind in _KINDS)
        raise TypeError(
            f"{name} cannot be unrolled: use one of torch.optim's {known}, a `torchopt.Optimizer`, "
            f"or a mode that does not unroll."
        )
    refuse_other_steps(optimizer, kind.optimizer, "step", "_init_group")
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
    return TorchOptimizer(optimizer, kind)


def _options_of(optimizer: torch.optim.Optimizer) -> list[str]:
    return [name for name in optimizer.defaults if name not in _EXECUTION]


class TorchOptimizer(FunctionalOptimizer):
    """An optimizer of ``torch.optim`` as a transformation."""

    def __init__(self, optimizer: torch.optim.Optimizer, kind: _Kind) -> None:
        self.optimizer = optimizer
        self.kind = kind
        # Schedulers warn where the optimizer itself has not stepped.
        optimizer._opt_called = True  # type: ignore[attr-defined]
        self._options: list[dict[str, Any]] = []
        self._key: Any = None
        self._parts: list[OptimizerPart] = []
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
                OptimizerPart(self._make(mine), (True,) * size)
                for mine, size in zip(options, sizes, strict=True)
            ]
            self._together = join(self._parts)
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
    counts = {id(c): c for g, c in pairs if g is not None}
    counts = {key: c + 1 for key, c in counts.items()}
    return updates, _TallyState([c if g is None else counts[id(c)] for g, c in pairs])


def _counters(values: Sequence[int], params: Sequence[Any]) -> list[Any]:
    """Return a counter for each parameter; parameters with equal counts share one tensor."""
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
    """Return the fields of a state that are not None."""
    return {name: x for name, x in state._asdict().items() if x is not None}


def _identity_of(value: Any) -> Any:
    """Return a key that differs when a hyperparameter has changed."""
    if isinstance(value, torch.Tensor):
        return id(value), value._version
    return tuple(map(_identity_of, value)) if isinstance(value, (tuple, list)) else value


def _copy(value: Any) -> Any:
    """Return a copy of a hyperparameter, which is differentiable."""
    if isinstance(value, torch.Tensor):
        with torch.enable_grad():
            return value.reshape(()).clone()
    return tuple(map(_copy, value)) if isinstance(value, (tuple, list)) else value

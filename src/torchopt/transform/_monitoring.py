"""Measurements of the updates, kept in the state."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import torch

from torchopt import checks
from torchopt.io.calls import records_call
from torchopt.pytree import flattening as pytree
from torchopt.pytree.typing import Hyperparameter
from torchopt.transform._ema import ema
from torchopt.transform._rule import check_state
from torchopt.transform.chaining import (
    EmptyState,
    GradientTransformation,
    GradientTransformationExtraArgs,
)
from torchopt.transform.extra_args import select, union

_MEASURE = checks.a_function("the updates")


class SnapshotState(NamedTuple):
    """The measurement by its name."""

    measurement: Any


class MonitorState(NamedTuple):
    """The measurements by name, and their states in the same order."""

    measurements: Any
    measure_states: Any


@dataclass(frozen=True, eq=False)
class _Snapshot:
    measure_name: str
    measure: Callable[[Any], Any]

    def init(self, params: Any) -> SnapshotState:
        # A value of the right form; a state needs no graph to begin with.
        params = pytree.map_leaves(torch.Tensor.detach, params)
        return SnapshotState({self.measure_name: self.measure(params)})

    def update(
        self, updates: Any, state: Any, params: Any = None, *, inplace: bool = True, **extra: Any
    ) -> tuple[Any, SnapshotState]:
        check_state(state, (SnapshotState,))
        measured = {self.measure_name: self.measure(updates)}
        return updates, SnapshotState(_in_containers_of(state.measurement, measured))


def _in_containers_of(old: Any, new: Any) -> Any:
    """Return a measurement with the containers of that which it replaces, if it has its leaves."""
    leaves, spec = pytree.flatten(new)
    structure = pytree.flatten(old)[1]
    return pytree.unflatten(structure, leaves) if structure.paths() == spec.paths() else new


@records_call
def snapshot(measure_name: str, measure: Callable[[Any], Any]) -> GradientTransformation:
    """Keep a measurement of the updates at this place of a chain in the state.

    Args:
        measure_name: Its name, by which ``torchopt.pytree.tree_get(state, name)`` reads it.
        measure: A function of the updates that returns a tensor or a tree of them. It is called with
            the parameters for the initial state.

    Returns:
        A gradient transformation that does not change the updates.

    Raises:
        TypeError: If ``measure`` cannot be called.

    Example:
        >>> import torch, torchopt
        >>> tx = torchopt.chain(
        ...     snapshot("largest", lambda updates: updates["w"].abs().max()), torchopt.sgd(0.1))
        >>> params = {"w": torch.tensor([1.0, 2.0])}
        >>> _, state = tx.update({"w": torch.tensor([3.0, -4.0])}, tx.init(params))
        >>> torchopt.pytree.tree_get(state, "largest")
        tensor(4.)

    References:
        Optax's ``snapshot``.
    """
    checks.check("measure", measure, _MEASURE)
    made = _Snapshot(measure_name, measure)
    return GradientTransformation(made.init, made.update)


@dataclass(frozen=True, eq=False)
class _Monitor:
    measures: dict[str, GradientTransformation]

    def init(self, params: Any) -> MonitorState:
        params = pytree.map_leaves(torch.Tensor.detach, params)
        states = tuple(measure.init(params) for measure in self.measures.values())
        # Values of the right form; what reads a loss has none before the first update.
        first = {
            name: ()
            if measure.reads
            else measure.update(params, state, params=params, inplace=False)[0]
            for (name, measure), state in zip(self.measures.items(), states, strict=True)
        }
        return MonitorState(first, states)

    def update(
        self, updates: Any, state: Any, params: Any = None, *, inplace: bool = True, **extra: Any
    ) -> tuple[Any, MonitorState]:
        check_state(state, (MonitorState,))
        measurements, states = {}, []
        for (name, measure), old in zip(self.measures.items(), state.measure_states, strict=True):
            # Not in place: the updates are those of the chain.
            measurements[name], new = measure.update(
                updates, old, params=params, inplace=False, **select(measure, extra)
            )
            states.append(new)
        measurements = _in_containers_of(state.measurements, measurements)
        return updates, MonitorState(measurements, tuple(states))


@records_call
def monitor(
    measures: Mapping[str, GradientTransformation | Callable[[Any], Any]],
) -> GradientTransformation:
    """Keep measurements of the updates at this place of a chain in the state, some with a memory.

    Args:
        measures: By name, functions of the updates that return a tensor or a tree of them, or gradient
            transformations whose updates are the measurement, such as :func:`measure_with_ema`.

    Returns:
        A gradient transformation that does not change the updates. Its state has ``measurements``, a
        dict by name; ``torchopt.pytree.tree_get(state, name)`` reads one.

    Raises:
        TypeError: If a value of ``measures`` is neither a function nor a gradient transformation.

    Example:
        >>> import torch, torchopt
        >>> def largest(updates):
        ...     return updates["w"].abs().max()
        >>> tx = monitor({"largest": largest, "mean": measure_with_ema(largest, decay=0.5)})
        >>> state = tx.init({"w": torch.tensor([1.0, 2.0])})
        >>> for size in (3.0, 6.0):
        ...     _, state = tx.update({"w": torch.tensor([size, 0.0])}, state)
        >>> state.measurements
        {'largest': tensor(6.), 'mean': tensor(5.)}

    References:
        Optax's ``monitor``.
    """
    made: dict[str, GradientTransformation] = {}
    for name, measure in measures.items():
        if isinstance(measure, GradientTransformation):
            made[name] = measure
            continue
        checks.check(f"measures[{name!r}]", measure, _MEASURE)
        stateless = _Measure(measure)
        made[name] = GradientTransformation(stateless.init, stateless.update)
    parts = _Monitor(made)
    return GradientTransformationExtraArgs(parts.init, parts.update, union(made.values()))


@dataclass(frozen=True, eq=False)
class _Measure:
    """The two functions of a measurement, as updates."""

    measure: Callable[[Any], Any]

    def init(self, params: Any) -> EmptyState:
        return EmptyState()

    def update(
        self, updates: Any, state: Any, params: Any = None, *, inplace: bool = True, **extra: Any
    ) -> tuple[Any, EmptyState]:
        return self.measure(updates), EmptyState()


@dataclass(frozen=True, eq=False)
class _MeasureWithEma:
    measure: Callable[[Any], Any]
    mean: GradientTransformation

    def _floating(self, tree: Any) -> Any:
        # Such as the frequency of a condition.
        measured = self.measure(tree)
        return pytree.map_leaves(
            lambda x: x if x.is_floating_point() else x.to(torch.get_default_dtype()), measured
        )

    def init(self, params: Any) -> Any:
        return self.mean.init(self._floating(params))

    def update(
        self, updates: Any, state: Any, params: Any = None, *, inplace: bool = True, **extra: Any
    ) -> tuple[Any, Any]:
        return self.mean.update(self._floating(updates), state, inplace=inplace)


@records_call
def measure_with_ema(
    measure: Callable[[Any], Any], decay: Hyperparameter, debias: bool = True
) -> GradientTransformation:
    """Measure updates with a running mean, for :func:`monitor`.

    Args:
        measure: A function of the updates that returns a tensor or a tree of them. Booleans and
            integers are averaged as numbers of the default dtype.
        decay: Decay rate of the mean, in ``[0, 1)``.
        debias: Whether to correct the bias towards the initial zero.

    Returns:
        A gradient transformation whose updates are the mean, as those of :func:`ema`.

    Raises:
        TypeError: If ``measure`` cannot be called.
        ValueError: If ``decay`` is out of range.

    Example:
        >>> import torch
        >>> often = measure_with_ema(lambda updates: updates["w"].norm() > 1, decay=0.5)
        >>> g = {"w": torch.tensor([3.0, 4.0])}
        >>> often.update(g, often.init(g))[0]
        tensor(1.)

    References:
        Optax's ``measure_with_ema``.
    """
    checks.check("measure", measure, _MEASURE)
    made = _MeasureWithEma(measure, ema(decay, debias))
    return GradientTransformation(made.init, made.update)

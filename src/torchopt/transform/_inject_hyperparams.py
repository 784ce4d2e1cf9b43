"""Hyperparameters in the state, where they can be read, written and learned."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from numbers import Real
from typing import Any, NamedTuple

import torch

from torchopt import checks
from torchopt.io.calls import records_call
from torchopt.pytree import flattening as pytree
from torchopt.transform import hyperparameters
from torchopt.transform._rule import check_state
from torchopt.transform._select import counter_like
from torchopt.transform.chaining import GradientTransformation, GradientTransformationExtraArgs
from torchopt.transform.extra_args import select

_FACTORY = checks.of_type(
    Callable, "the function itself, such as `torchopt.adam`, and call the result"
)


class InjectHyperparamsState(NamedTuple):
    """The number of updates, the hyperparameters by name, and the state of the transformation."""

    count: Any
    hyperparams: Any
    inner_state: Any


@dataclass(frozen=True, eq=False)
class _Injected:
    factory: Callable[..., GradientTransformation]
    #: All arguments, and those of them that are in the state.
    arguments: dict[str, Any]
    injected: dict[str, Any]
    dtype: torch.dtype | None

    def _with(self, values: dict[str, Any]) -> GradientTransformation:
        """Return the transformation of some hyperparameters."""
        bound = inspect.signature(self.factory).bind_partial()
        bound.arguments.update(self.arguments | values)
        return self.factory(*bound.args, **bound.kwargs)

    def _at(self, count: torch.Tensor, held: dict[str, Any]) -> dict[str, Any]:
        """Return the hyperparameters: those that are held, and the values of schedules."""
        now: dict[str, Any] = {}
        for name, value in self.injected.items():
            if name not in held:
                raise ValueError(
                    f"`hyperparams` of the state has no `{name}`: it must have a value for each of "
                    f"{', '.join(map(repr, self.injected))}."
                )
            leaves, spec = pytree.flatten(held[name])
            if hyperparameters.has_schedule(value):
                schedules, structure = pytree.flatten(value)
                checks.check_same_structure(
                    structure, spec, root=f"hyperparams[{name!r}]", reference="the argument"
                )
                t = hyperparameters.as_float(count)
                leaves = [
                    f(t) if callable(f) else x for f, x in zip(schedules, leaves, strict=True)
                ]
            now[name] = pytree.unflatten(spec, [*map(self._tensor, leaves)])
        return now

    def _tensor(self, value: Any) -> Any:
        if isinstance(value, torch.Tensor):
            return value if self.dtype is None else value.to(self.dtype)
        # On the CPU, where it is read without waiting for a device.
        return torch.tensor(float(value), dtype=self.dtype or torch.float64, device="cpu")

    def init(self, params: Any) -> InjectHyperparamsState:
        count = counter_like(params)
        values = self._at(count, self.injected)
        return InjectHyperparamsState(count, values, self._with(values).init(params))

    def update(
        self, updates: Any, state: Any, params: Any = None, *, inplace: bool = True, **extra: Any
    ) -> tuple[Any, InjectHyperparamsState]:
        check_state(state, (InjectHyperparamsState,))
        values = self._at(state.count, state.hyperparams)
        tx = self._with(values)
        updates, inner = tx.update(
            updates, state.inner_state, params=params, inplace=inplace, **select(tx, extra)
        )
        return updates, InjectHyperparamsState(state.count + 1, values, inner)


def _is_hyperparameter(value: Any) -> bool:
    """Whether an argument is a number, a tensor, a schedule, or a tree of these."""
    leaves = pytree.leaves(value)
    return bool(leaves) and all(
        isinstance(x, torch.Tensor)
        or callable(x)
        or (isinstance(x, Real) and not isinstance(x, bool))
        for x in leaves
    )


@dataclass(eq=False)
class _Factory:
    """A function of the arguments of ``inner_factory``."""

    inner_factory: Callable[..., GradientTransformation]
    static_args: frozenset[str]
    hyperparam_dtype: torch.dtype | None

    def __call__(self, *args: Any, **kwargs: Any) -> GradientTransformation:
        bound = inspect.signature(self.inner_factory).bind(*args, **kwargs)
        given = {*bound.arguments}
        bound.apply_defaults()
        injected = {
            name: value
            for name, value in bound.arguments.items()
            if name not in self.static_args and _is_hyperparameter(value)
            # A default of zero turns a part off, such as weight decay.
            if name in given or not hyperparameters.is_zero(value)
        }
        arguments = dict(bound.arguments)
        made = _Injected(self.inner_factory, arguments, injected, self.hyperparam_dtype)
        # Made once to have its arguments checked, and to know what it reads.
        reads = self.inner_factory(*args, **kwargs).reads
        return GradientTransformationExtraArgs(made.init, made.update, reads)


@records_call
def inject_hyperparams(
    inner_factory: Callable[..., GradientTransformation],
    static_args: str | Iterable[str] = (),
    hyperparam_dtype: torch.dtype | None = None,
) -> Callable[..., GradientTransformation]:
    """Put the hyperparameters of a transformation into its state.

    There they can be read, written between updates, saved with the state, and learned: gradients flow
    to a tensor of ``state.hyperparams`` that requires grad, also through many updates. To learn a
    hyperparameter or to follow a schedule only, none of this is needed: pass the tensor or the
    schedule to the function itself.

    Args:
        inner_factory: A function that makes a transformation, such as :func:`torchopt.adam`.
        static_args: Names of arguments that stay as they are: integers that must be Python's, such as
            ``sync_period``, and functions that are no schedules.
        hyperparam_dtype: The dtype of all hyperparameters. By default tensors keep their own, and
            numbers are float64, which changes no dtype of updates.

    Returns:
        A function of the arguments of ``inner_factory`` that returns a gradient transformation, whose
        state has ``hyperparams``, a dict by name. It has each argument that is a number, a tensor, a
        schedule or a tree of these (not booleans); but not one that you do not pass and whose default
        is 0, which turns a part off. The value of a schedule is written there at each update.

    Raises:
        ValueError: If ``static_args`` has a name that is no argument of ``inner_factory``; in
            ``update``, if the state lacks a hyperparameter.

    Example:
        >>> import torch, torchopt
        >>> tx = inject_hyperparams(torchopt.sgd)(lr=0.5)
        >>> g = (torch.tensor([1.0]),)
        >>> state = tx.init(g)
        >>> state.hyperparams
        {'lr': tensor(0.5000, dtype=torch.float64)}
        >>> state.hyperparams["lr"] = 0.25
        >>> tx.update(g, state)[0]
        (tensor([-0.2500]),)

    References:
        Optax's ``inject_hyperparams``.
    """
    names = frozenset([static_args] if isinstance(static_args, str) else static_args)
    checks.check("inner_factory", inner_factory, _FACTORY)
    known = inspect.signature(inner_factory).parameters
    if unknown := sorted(names - known.keys()):
        raise ValueError(
            f"`static_args` has {unknown[0]!r}, which is no argument of "
            f"`{getattr(inner_factory, '__name__', inner_factory)}`: use some of "
            f"{', '.join(map(repr, known))}."
        )
    return _Factory(inner_factory, names, hyperparam_dtype)

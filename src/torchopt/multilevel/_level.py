"""The functional interface of multilevel programs: a tree of levels as pure functions of a state.

A level's objective reads the parameters of the levels above it and the solutions of those below.
Its gradient is the total derivative: the levels below do their steps inside, each differentiated by
its own mode.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, NamedTuple

import torch
from torch import nn
from torch.autograd import forward_ad

from torchopt import checks
from torchopt.autodiff.tracking import constant
from torchopt.diff import DifferentiationMode, Explicit
from torchopt.diff.batches import stacked_batches
from torchopt.diff.kinds import Minimum
from torchopt.diff.modes import refuse_mode
from torchopt.diff.problem import InnerProblem, differentiate, is_mode
from torchopt.diff.protocols import differentiated_by
from torchopt.io.calls import CallRepr
from torchopt.pytree import flattening as pytree
from torchopt.pytree.dataclass import register_dataclass
from torchopt.pytree.typing import TensorTree
from torchopt.transform.advancing import advance
from torchopt.transform.chaining import GradientTransformation

_EXPLICIT = Explicit()
_OBJECTIVE = checks.a_function("`(params, values, batch)`")
_SOLVER = checks.of_type(
    GradientTransformation, "a gradient transformation, such as `torchopt.sgd(0.1)`"
)


@register_dataclass
@dataclass(frozen=True, eq=False)
class LevelState:
    """The state of a level and of those below it.

    It is a tree, also for PyTorch. ``torch.func.vmap`` sees only its tensors.

    Attributes:
        params: The parameters, a tree of tensors.
        solver: The solver's state.
        lowers: The states of the levels directly below, by name.
    """

    params: Any
    solver: Any
    lowers: dict[str, Any]

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take what a file has; earlier ones call ``solver`` by its former name."""
        vars(self).update({"solver" if k == "optimizer" else k: x for k, x in state.items()})


_STATE = checks.of_type(LevelState, "the state that `init` or `step` of this level returned")


@register_dataclass
@dataclass(frozen=True, eq=False)
class LevelGradient:
    """The gradient of a level's objective. Later releases may add attributes.

    Attributes:
        loss: The value of the objective.
        grads: Its total derivative with respect to the level's parameters, a tree like these.
        lowers: The states of the lower levels after their steps.
        aux: The auxiliary outputs by the name of the level, for levels that have one; for a lower
            level, that of its last step.

    Example:
        >>> import torch, torchopt
        >>> level = torchopt.multilevel.Level(
        ...     "x", lambda x, values, batch: x.square(), solver=torchopt.sgd(0.1))
        >>> gradient = level.gradient(level.init({"x": torch.tensor(3.0)}))
        >>> gradient.loss, gradient.grads
        (tensor(9.), tensor(6.))
    """

    loss: torch.Tensor
    grads: TensorTree
    lowers: dict[str, Any]
    aux: dict[str, Any]


@register_dataclass
@dataclass(frozen=True, eq=False)
class LevelStep:
    """What a step of a program returns. Later releases may add attributes.

    Attributes:
        state: The new state.
        loss: The value of the objective, before the update.
        aux: The auxiliary outputs by the name of the level, for levels that have one.

    Example:
        >>> import torch, torchopt
        >>> level = torchopt.multilevel.Level(
        ...     "x", lambda x, values, batch: x.square(), solver=torchopt.sgd(0.5))
        >>> step = level.step(level.init({"x": torch.tensor(3.0)}))
        >>> step.loss, level.params(step.state)
        (tensor(9.), {'x': tensor(0.)})
    """

    state: Any
    loss: torch.Tensor
    aux: dict[str, Any]


class _Window(NamedTuple):
    """The data of one evaluation of a level's objective: its batch, and the batches of lower levels.

    Tensors of a lower level have one more leading axis, its steps; None where there is no data.
    """

    batch: Any = None
    lowers: Mapping[str, _Window | None] = {}


@dataclass(frozen=True)
class _Total(Minimum):
    """Minimize a level's objective over its parameters, while the levels below respond."""

    level: str = ""

    @property
    def word(self) -> str:  # type: ignore[override]
        """The name of this kind in messages."""
        return f"objective of level {self.level!r}"


@dataclass(frozen=True)
class Level(CallRepr):
    r"""A level of a tree of nested problems, as pure functions of an explicit state.

    The level minimizes :math:`f(\theta, \varphi, \psi^*(\theta, \varphi))` over its parameters
    :math:`\theta`, where :math:`\varphi` are the parameters of the levels above it and :math:`\psi^*`
    the solutions of those below. For each of its steps, the levels directly below do their steps,
    starting from their present parameters. The gradient of the level is the total derivative: through
    these steps, or by the optimality conditions of their results, according to the mode of each level.

    :meth:`init`, :meth:`gradient` and :meth:`step` can be used inside ``torch.func.vmap`` (a batch of
    programs), ``grad`` and ``jvp``; with explicit modes also inside
    ``torch.compile(fullgraph=True)``. Outside of these, results carry a graph only if a tensor of the
    state or of the batches requires grad, so that a loop of steps does not grow one.

    With explicit modes, the derivative is exact for the program that runs: for a step of the uppermost
    level, it goes through all steps of the lower levels, each of which begins where the previous one
    ended; everything earlier is constant. A level with another mode, such as ``diff.Implicit()``, gives
    its starting point no gradient; the levels below it keep their values and get the derivative of
    their own response to its solution. :meth:`restart` puts lower levels back to their starts.

    Args:
        name: The name by which other levels read it; unique within a tree.
        objective: ``objective(params, values, batch) -> loss``, a scalar, where ``values`` is a
            dictionary from names to the parameters of all levels above it and to the solutions of all
            levels below it. ``batch`` is None without data.
        solver: The gradient transformation that trains the level.
        lowers: The levels directly below.
        steps: The number of its steps for each step of the level above.
        diff: The mode by which the level above differentiates its solution. The parameters of upper
            levels are arguments, not closed over, so every mode reaches them.
        has_aux: Whether the objective returns a pair ``(loss, aux)``.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If ``steps`` is not positive, or two levels of the tree have the same name.

    Example:
        The penalty of a ridge regression that makes a validation loss least:

        >>> import torch, torchopt
        >>> from torchopt.multilevel import Level
        >>> def train(w, values, batch):
        ...     return (w - 3).square() + values["penalty"] * w.square()
        >>> def validate(penalty, values, batch):
        ...     return (values["weight"] - 2).square()
        >>> weight = Level("weight", train, solver=torchopt.sgd(0.1), steps=30)
        >>> program = Level("penalty", validate, solver=torchopt.sgd(0.1), lowers=[weight])
        >>> state = program.init({"penalty": torch.tensor(0.1), "weight": torch.tensor(0.0)})
        >>> for _ in range(50):
        ...     state = program.step(state).state
        >>> {name: round(value.item(), 3) for name, value in program.params(state).items()}
        {'penalty': 0.5, 'weight': 2.0}

    References:
        Choe et al., *Betty: An Automatic Differentiation Library for Multilevel Optimization*, 2023.
        Sato et al., *A Gradient Method for Multilevel Optimization*, 2021 (nested explicit modes).
    """

    name: str
    objective: Callable[..., Any]
    _: KW_ONLY
    solver: GradientTransformation
    lowers: Sequence[Level] = ()
    steps: int = 1
    diff: DifferentiationMode = _EXPLICIT
    has_aux: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name:
            raise TypeError(f"`name` is {self.name!r}: use a string that is not empty.")
        where = f"of level {self.name!r}"
        checks.check(f"the objective {where}", self.objective, _OBJECTIVE)
        checks.check(f"the solver {where}", self.solver, _SOLVER)
        if not is_mode(self.diff):
            refuse_mode(self.diff, f"`diff` {where}")
        checks.check_count("steps", self.steps, 1, of="steps", where=f" {where}")
        lowers = self.lowers
        if not isinstance(lowers, (list, tuple)) or not all(isinstance(x, Level) for x in lowers):
            raise TypeError(f"`lowers` {where} is {lowers!r}: pass a list of levels.")
        object.__setattr__(self, "lowers", tuple(lowers))
        names = [level.name for level in self._tree()]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(
                    f"two levels have the name {name!r}: others read a level by its name, so give "
                    f"each another (`dataclasses.replace(level, name=...)`)."
                )

    def init(self, params: Mapping[str, Any]) -> LevelState:
        """Return the first state.

        Args:
            params: The parameters of this level and of each lower level, by name: trees of floating
                tensors. The state contains copies of the values of an ``nn.Parameter``.

        Raises:
            TypeError: If ``params`` is not a dictionary of trees of floating tensors.
            ValueError: If the parameters of a level are missing, or a name is unknown.
        """
        names = self._check_names(params, "params")
        missing = [name for name in names if name not in params]
        if missing:
            raise ValueError(f"`params` has nothing for level {missing[0]!r}: pass its parameters.")
        return self._init(params)

    def params(self, state: LevelState) -> dict[str, Any]:
        """Return the parameters in a state, of this level and of each below it, by name."""
        params = {self.name: state.params}
        for level in self.lowers:
            params |= level.params(state.lowers[level.name])
        return params

    def restart(self, state: LevelState, first: LevelState) -> LevelState:
        """Return a state with this level's parameters and solver, and with lower levels of another.

        Args:
            state: The state; it is not modified.
            first: Where the lower levels start again, such as what :meth:`init` returned.

        Example:
            >>> import torch, torchopt
            >>> from torchopt.multilevel import Level
            >>> low = Level("low", lambda x, values, batch: (x - values["top"]).square(),
            ...             solver=torchopt.sgd(0.25))
            >>> top = Level("top", lambda x, values, batch: values["low"].square(),
            ...             solver=torchopt.sgd(0.5), lowers=[low])
            >>> first = top.init({"top": torch.tensor(1.0), "low": torch.tensor(3.0)})
            >>> state = top.step(first).state
            >>> top.params(top.restart(state, first))
            {'top': tensor(0.), 'low': tensor(3.)}
        """
        self._check_state(state, "state")
        self._check_state(first, "first")
        return replace(state, lowers=first.lowers)

    def gradient(
        self, state: LevelState, batches: Mapping[str, Any] | None = None
    ) -> LevelGradient:
        """Return the total derivative of the objective, after the steps of the levels below.

        Args:
            state: The state.
            batches: Data by the name of the level; levels that are not named have none. For this level,
                one batch, which is any tree. For a lower level, batches of any kind, as in
                :func:`torchopt.minimize`, for its steps in one step of this level. Before the axes
                of a batch, stacked tensors have one axis of length ``steps`` for each loop that
                contains the level, outermost first: ``(steps,)`` directly below, ``(upper.steps,
                steps)`` below that. Data that is the same in each step can be expanded to that shape
                without a copy. A function is called with the number of the step among all of these.

        Raises:
            TypeError: If ``state`` or ``batches`` has the wrong type.
            ValueError: If a name is unknown, an axis has another length, or the loss of a level is not
                a scalar, or does not depend on its parameters.
            NonFiniteError: If the loss of a level is NaN.
        """
        window = self._check(state, batches)
        with _graph_where_wanted(state, batches):
            return self._gradient(state, window)

    def step(self, state: LevelState, batches: Mapping[str, Any] | None = None) -> LevelStep:
        """Do one step of this level, after the steps of the levels below.

        Args:
            state: The state; it is not modified.
            batches: As for :meth:`gradient`.

        Returns:
            The new state, the loss after the steps of the lower levels and before the update of this
            level, and auxiliary outputs as :attr:`LevelGradient.aux`.

        Raises:
            TypeError, ValueError: As :meth:`gradient`.
        """
        window = self._check(state, batches)
        with _graph_where_wanted(state, batches):
            gradient = self._gradient(state, window)
            params, solver = advance(
                self.solver, gradient.grads, state.solver, state.params, value=gradient.loss
            )
        return LevelStep(LevelState(params, solver, gradient.lowers), gradient.loss, gradient.aux)

    def _tree(self) -> Iterator[Level]:
        yield self
        for level in self.lowers:
            yield from level._tree()

    def _init(self, params: Mapping[str, Any]) -> LevelState:
        root = f"params[{self.name!r}]"
        leaves, spec = pytree.flatten(params[self.name])
        checks.check_not_empty(spec, root)
        checks.check_floating(leaves, spec, root)
        if all(leaf is None for leaf in leaves):
            raise ValueError(f"`{root}` has no tensors: there is nothing to train.")
        own = pytree.map_leaves(_value, params[self.name])
        lowers = {level.name: level._init(params) for level in self.lowers}
        return LevelState(own, self.solver.init(own), lowers)

    @property
    def _kind(self) -> Minimum:
        return _Total(self._evaluate, has_aux=True, level=self.name)

    def _gradient(self, state: LevelState, window: _Window | None) -> LevelGradient:
        args: tuple[Any, ...] = ({}, state.lowers) if self.lowers else ({},)
        args = args if window is None else (*args, window)
        # Aliases: the states below may have been made of the same tensors.
        params = pytree.map_leaves(lambda p: p.view_as(p), state.params)
        loss, grads, aux = self._kind.value_and_residual(params, args)
        lowers, aux = aux if self.lowers else ({}, aux)
        return LevelGradient(loss, grads, lowers, aux)

    def _evaluate(self, params: Any, above: dict[str, Any], *rest: Any) -> tuple[Any, Any]:
        """Let the levels below respond, and return the loss and what :class:`InnerProblem` asks for.

        Args:
            params: The parameters of this level.
            above: Those of the levels above, by name.
            *rest: The states of the levels below, where there are any; the window, where there is one.
        """
        states, rest = (rest[0], rest[1:]) if self.lowers else ({}, rest)
        window = rest[0] if rest else _Window()
        values = dict(above)
        lowers: dict[str, LevelState] = {}
        aux: dict[str, Any] = {}
        for level in self.lowers:
            name = level.name
            lowers[name], lower_aux = level._respond(
                states[name], {**above, self.name: params}, window.lowers.get(name)
            )
            values |= level.params(lowers[name])
            aux |= lower_aux
        try:
            loss = self.objective(params, values, window.batch)
        except KeyError as error:
            self._explain_missing(error, values)
            raise
        if self.has_aux:
            what = f"has_aux=True: the objective of level {self.name!r}"
            loss, aux[self.name] = checks.pair_of(loss, what, "loss, aux")
        return loss, (lowers, aux) if self.lowers else aux

    def _explain_missing(self, error: KeyError, values: Mapping[str, Any]) -> None:
        """Raise in place of the error of an objective that reads a level which is not there."""
        name = error.args[0] if error.args else None
        if isinstance(name, str) and name not in values:
            raise KeyError(
                f"the objective of level {self.name!r} reads {name!r}, but its `values` are of the "
                f"levels above and below it, {_listed(sorted(values))}: name one of these; its own "
                f"parameters are the first argument."
            ) from error

    def _respond(
        self, state: LevelState, above: dict[str, Any], window: _Window | None
    ) -> tuple[LevelState, dict[str, Any]]:
        """Do the steps of this level, and return a differentiable state, and auxiliary outputs."""
        solution = differentiate(
            self.diff,
            InnerProblem(
                self._kind,
                state.params,
                (above,),
                self.solver,
                self.steps,
                batches=window,
                state=state.solver,
                carry=state.lowers or None,
            ),
        )
        solver, lowers = solution.state if self.lowers else (solution.state, {})
        if differentiated_by(self.diff) != "steps":
            # Only these hand on, besides the parameters, what derivatives go through.
            solver, lowers = constant((solver, lowers))
            lowers = self._attached(lowers, {**above, self.name: solution.params}, window)
        return LevelState(solution.params, solver, lowers), solution.aux

    def _attached(
        self, states: dict[str, LevelState], above: dict[str, Any], window: _Window | None
    ) -> dict[str, LevelState]:
        """Return the states of the levels below as functions of the parameters above them.

        Their values stay; the derivative is that of what they would do next, on the last batches.
        """
        last: _Window = pytree.map_leaves(lambda t: t[-1], window or _Window())
        attached = {}
        for level in self.lowers:
            name = level.name
            response, _ = level._respond(states[name], above, last.lowers.get(name))
            attached[name] = _with_derivative_of(response, states[name])
        return attached

    def _check(self, state: Any, batches: Any) -> _Window | None:
        self._check_state(state, "state")
        if batches is None:
            return None
        self._check_names(batches, "batches")
        return self._window(batches, None)

    def _check_state(self, state: Any, path: str) -> None:
        names = {level.name for level in self.lowers}
        checks.check(path, state, _STATE)
        if set(state.lowers) != names:
            raise ValueError(
                f"`{path}.lowers` has the levels {_listed(state.lowers)}, but below {self.name!r} are "
                f"{_listed(names)}: pass the state that `init` or `step` of this level returned."
            )
        for level in self.lowers:
            level._check_state(state.lowers[level.name], f"{path}.lowers[{level.name!r}]")

    def _check_names(self, by_name: Any, what: str) -> list[str]:
        names = [level.name for level in self._tree()]
        known = f"a dictionary by the names of the levels, {_listed(names)}"
        checks.check(what, by_name, checks.of_type(Mapping, known))
        unknown = [name for name in by_name if name not in names]
        if unknown:
            raise ValueError(
                f"`{what}` has {unknown[0]!r}, which is no level: the levels are {_listed(names)}."
            )
        return names

    def _window(self, batches: Mapping[str, Any], loops: tuple[int, ...] | None) -> _Window | None:
        """Return the data of this level and of those below; ``loops`` are the steps around it."""
        batch = batches.get(self.name)
        if loops is not None:
            loops = (*loops, self.steps)
            batch = stacked_batches(batch, loops)
            self._check_axes(batch, loops)
        lowers = {level.name: level._window(batches, loops or ()) for level in self.lowers}
        has_data = any(leaf is not None for leaf in pytree.leaves(batch))
        if not has_data and all(window is None for window in lowers.values()):
            return None
        return _Window(batch, lowers)

    def _check_axes(self, batch: Any, loops: tuple[int, ...]) -> None:
        leaves, spec = pytree.flatten(batch)
        for index, leaf in enumerate(leaves):
            if leaf is None:
                continue
            path = checks.leaf_path(spec, index, f"batches[{self.name!r}]")
            advice = (
                f"stack one batch for each step into tensors whose leading axes must be {loops}, the "
                f"steps of each level that {self.name!r} loops in and of itself"
            )
            word = checks.Word(advice, torch.Tensor, lambda t: t.shape[: len(loops)] == loops)
            checks.check(path, leaf, word)


def _value(leaf: Any) -> Any:
    # A module's parameter may change in place; a state must not. Autograd takes no inference tensor.
    copy = isinstance(leaf, nn.Parameter) or (
        isinstance(leaf, torch.Tensor) and leaf.is_inference()
    )
    return leaf.detach().clone() if copy else leaf


def _graph_where_wanted(*trees: Any) -> AbstractContextManager[Any]:
    """Return ``torch.no_grad()`` if no argument requires grad; otherwise a context without effect."""
    if checks.transforms_active() or forward_ad._current_level >= 0:
        return nullcontext()
    leaves = pytree.leaves(trees)
    needs_graph = any(isinstance(leaf, torch.Tensor) and leaf.requires_grad for leaf in leaves)
    return nullcontext() if needs_graph else torch.no_grad()


def _with_derivative_of(response: LevelState, state: LevelState) -> LevelState:
    """Return ``state`` with its values, and with the derivatives of the parameters of ``response``."""
    values, spec = pytree.flatten(state.params)
    moving, _ = pytree.flatten(response.params)
    params = [
        None if x is None else x + (y - y.detach()) for x, y in zip(values, moving, strict=True)
    ]
    lowers = {
        name: _with_derivative_of(response.lowers[name], lower)
        for name, lower in state.lowers.items()
    }
    return LevelState(pytree.unflatten(spec, params), state.solver, lowers)


def _listed(names: Any) -> str:
    return ", ".join(map(repr, names)) or "none"

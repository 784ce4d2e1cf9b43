"""Bilevel programs whose levels move together: each step is a few gradients, none through a solution.

A method has two or three sequences: the upper parameters, the lower ones, and a second one like these
(another estimate of the lower solution, or that of a linear system). It says along what each moves; the
levels' own optimizers move them.
"""

from __future__ import annotations

import abc
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, ClassVar, NamedTuple

import torch

from torchopt import checks
from torchopt.autodiff.functional import functional_vjp
from torchopt.autodiff.second_order import vjp
from torchopt.autodiff.shards import inner_product
from torchopt.autodiff.tracking import constant
from torchopt.diff.kinds import Minimum
from torchopt.io.calls import CallRepr
from torchopt.multilevel._config import _POSITIVE
from torchopt.multilevel._level import Level, LevelState, LevelStep
from torchopt.pytree import flattening as pytree
from torchopt.pytree import tree_add, tree_add_scalar_mul, tree_sub
from torchopt.pytree.dataclass import register_dataclass
from torchopt.pytree.typing import TensorTree
from torchopt.transform.advancing import advance
from torchopt.transform.chaining import GradientTransformation
from torchopt.typing import Schedule

_PENALTY = checks.Word(
    "use a positive number, or a function of the number of steps",
    holds=lambda x: callable(x) or (isinstance(x, (int, float)) and 0 < x < float("inf")),
)
_SOLVER = checks.or_none(
    checks.of_type(GradientTransformation, "a gradient transformation, such as `torchopt.sgd(0.1)`")
)


@register_dataclass
@dataclass(frozen=True, eq=False)
class SingleLoopState:
    """The state of a :class:`SingleLoop`: a tree, also for PyTorch, which checkpoints take.

    Attributes:
        levels: The state of the levels; their parameters by ``level.params(state.levels)``.
        second: The method's second sequence, a tree like the lower parameters; None without one.
        solver: The state of the optimizer that moves it.
        count: The number of steps done, int64.
        memory: What the method keeps of each batch; None for nothing.

    Example:
        >>> import torch, torchopt
        >>> from torchopt.multilevel import F2SA, Level, SingleLoop
        >>> low = Level("y", lambda y, v, batch: (y - v["x"]).square(), solver=torchopt.sgd(0.1))
        >>> top = Level(
        ...     "x", lambda x, v, batch: v["y"].square(), solver=torchopt.sgd(0.1), lowers=[low])
        >>> state = SingleLoop(top, F2SA()).init({"x": torch.tensor(1.0), "y": torch.tensor(2.0)})
        >>> state.second, state.count
        (tensor(2.), tensor(0))
    """

    levels: LevelState
    second: Any
    solver: Any
    count: torch.Tensor
    memory: Any = None


_STATE = checks.of_type(SingleLoopState, "the state that `init` or `step` of this loop returned")


class _Gradient(NamedTuple):
    """The gradient of an objective in the upper and in the lower parameters."""

    x: Any
    y: Any


@dataclass
class Run:
    """One step of a method: its sequences, and the gradients that it asks for.

    Attributes:
        upper: The upper level.
        lower: The lower level.
        batches: The batch of the upper level, and those of the lower one, one for each of its steps.
        x: The upper parameters.
        y: The lower ones.
        second: The second sequence.
        states: The states of their optimizers, by name.
        count: The number of steps done before.
        loss: The value of the upper objective where it was evaluated last.
        aux: The auxiliary outputs of the last evaluations, by the name of the level.
        memory: What the method keeps of each batch.
        indices: The numbers of the batches of the upper and the lower level, if that is anything.
    """

    upper: Level
    lower: Level
    batches: tuple[Any, Any]
    x: Any
    y: Any
    second: Any
    states: dict[str, Any]
    count: torch.Tensor
    loss: Any
    aux: dict[str, Any]
    memory: Any = None
    indices: tuple[Any, Any] = (None, None)

    def f(self, y: Any) -> _Gradient:
        """Return the gradient of the upper objective at some lower parameters."""
        value, grads = self._evaluate(self.upper, {"x": self.x, "y": y}, self.batches[0])
        self.loss = value
        return grads

    def g(self, y: Any, step: int = -1) -> _Gradient:
        """Return that of the lower objective, by default on the batch of the last step."""
        return self._evaluate(self.lower, {"x": self.x, "y": y}, self._batch(step))[1]

    def g_and_product(self, v: Any) -> tuple[_Gradient, _Gradient]:
        """Return that and the product of ``v`` with its derivative in the lower parameters."""
        kind = Minimum(lambda p: self._objective(self.lower, p, self._batch(-1)))
        leaves, spec = pytree.flatten(_variables({"x": self.x, "y": self.y}))
        places = [i for i, t in enumerate(leaves) if t is not None]
        at = [leaves[i] for i in places]

        def filled(tensors: Sequence[torch.Tensor | None]) -> Any:
            table = dict(zip(places, tensors, strict=True))
            return pytree.unflatten(spec, [table.get(i) for i in range(len(leaves))])

        def gradient(*tensors: torch.Tensor) -> tuple[torch.Tensor, ...]:
            return tuple(_tensors(kind.value_and_residual(filled(tensors), ())[1]))

        rest: list[Any] = [None] * len(_tensors(self.x))
        with torch.enable_grad():
            grads = gradient(*at)
            cotangents = [*rest, *_tensors(v)]
            if checks.transforms_active():
                pulled = functional_vjp(gradient, at, cotangents)
            else:
                pulled = vjp(grads, at, cotangents)
        pairs = zip(at, pulled, strict=True)
        product = filled([torch.zeros_like(t) if c is None else c for t, c in pairs])
        return _Gradient(**constant(filled(grads))), _Gradient(**product)

    def descend(self, y: Any) -> Any:
        """Return the lower parameters after the lower level's steps from ``y``, with a fresh state."""
        state = self.lower.solver.init(y)
        for step in range(self.lower.steps):
            y, state = advance(self.lower.solver, self.g(y, step).y, state, y)
        return y

    def move(self, name: str, direction: Any, solver: GradientTransformation | None = None) -> None:
        """Move a sequence along a direction, by default by the optimizer of its level."""
        own = self.upper.solver if name == "x" else self.lower.solver
        more = {"value": self.loss} if name == "x" else {}
        params, self.states[name] = advance(
            solver or own, direction, self.states[name], getattr(self, name), **more
        )
        setattr(self, name, params)

    def _evaluate(self, level: Level, at: dict[str, Any], batch: Any) -> tuple[Any, _Gradient]:
        kind = Minimum(lambda p: self._objective(level, p, batch))
        with torch.enable_grad():
            value, grads, _ = kind.value_and_residual(_variables(at), (), first_order=True)
        return value.detach(), _Gradient(**grads)

    def _objective(self, level: Level, at: dict[str, Any], batch: Any) -> Any:
        x, y = at["x"], at["y"]
        own, values = (
            (x, {self.lower.name: y}) if level is self.upper else (y, {self.upper.name: x})
        )
        out = level.objective(own, values, batch)
        if level.has_aux:
            out, aux = out
            self.aux[level.name] = constant(aux)
        return out

    def _batch(self, step: int) -> Any:
        return pytree.map_leaves(lambda t: t[step], self.batches[1])


def _variables(tree: Any) -> Any:
    """Return a tree with its tensors as leaves of a graph; as they are inside ``torch.func``."""
    inside = checks.transforms_active()
    return tree if inside else pytree.map_leaves(lambda t: t.detach().requires_grad_(), tree)


def _tensors(tree: Any) -> list[torch.Tensor]:
    return [x for x in pytree.leaves(tree) if x is not None]


class SingleLoopMethod(checks.Checked, CallRepr, abc.ABC):
    """A method of a :class:`SingleLoop`."""

    __promised__: ClassVar[tuple[str, ...]] = ()

    solver: GradientTransformation | None = None
    most_steps: ClassVar[int | None] = None

    def second(self, y: TensorTree) -> TensorTree:
        """Return the first value of the second sequence; None without one."""
        return None

    def memory(self, x: TensorTree, y: TensorTree) -> TensorTree:
        """Return the first value of what is kept of each batch; None for nothing."""
        return None

    @abc.abstractmethod
    def step(self, run: Run) -> None:
        """Move the sequences of a run."""


def _number(penalty: float | Schedule, count: torch.Tensor) -> Any:
    return penalty(count) if callable(penalty) else penalty


@dataclass(frozen=True)
class F2SA(SingleLoopMethod):
    r"""Two estimates of the lower solution, one of which is drawn to a low upper loss.

    With the penalty :math:`\lambda`, for each step of the lower level

    .. math::
        y \leftarrow y - \alpha \left(\nabla_y g(x, y) + \tfrac{1}{\lambda} \nabla_y f(x, y)\right),
        \qquad z \leftarrow z - \beta\, \nabla_z g(x, z),

    and then :math:`x \leftarrow x - \eta\, (\nabla_x f(x, y) + \lambda (\nabla_x g(x, y) - \nabla_x
    g(x, z)))`. The lower level's parameters are :math:`z`, and :math:`y` is the second sequence. At the
    solutions, the error of the hypergradient is of the order :math:`1/\lambda`: let it grow.

    Args:
        penalty: The penalty :math:`\lambda`, or a function of the number of steps done so far.
        solver: What moves :math:`y`; by default the optimizer of the lower level. (The step size of
            :math:`y` in the paper is :math:`\alpha / \lambda`.)

    Raises:
        TypeError, ValueError: If an argument is wrong.

    Example:
        See :class:`SingleLoop`.

        >>> import torchopt
        >>> torchopt.multilevel.F2SA(lambda count: 1 + 0.1 * count).solver is None
        True

    References:
        Kwon et al., *A Fully First-Order Method for Stochastic Bilevel Optimization*, 2023,
        algorithm 1.
    """

    __promised__: ClassVar[tuple[str, ...]] = ("__init__", "penalty", "solver")

    penalty: float | Schedule = checks.field(10.0, _PENALTY)
    _: KW_ONLY
    solver: GradientTransformation | None = checks.field(None, _SOLVER)

    def second(self, y: TensorTree) -> TensorTree:
        """Return the start of the second sequence."""
        return y

    def step(self, run: Run) -> None:
        """Move the sequences of a run."""
        penalty = _number(self.penalty, run.count)
        for k in range(run.lower.steps):
            tilted = tree_add_scalar_mul(run.g(run.second, k).y, run.f(run.second).y, 1 / penalty)
            run.move("second", tilted, self.solver)
            run.move("y", run.g(run.y, k).y)
        f, tilted, plain = run.f(run.second).x, run.g(run.second).x, run.g(run.y).x
        run.move("x", tree_add_scalar_mul(f, tree_sub(tilted, plain), penalty))


@dataclass(frozen=True)
class PBGD(SingleLoopMethod):
    r"""Gradient descent in both levels on the upper loss plus a penalty on the lower one.

    From :math:`y`, the lower level's steps lead to :math:`z`, an estimate of the solution. Then, with
    the penalty :math:`\lambda`, both levels step at once:

    .. math::
        x \leftarrow x - \eta\, \left(\nabla_x f(x, y) + \lambda (\nabla_x g(x, y) - \nabla_x g(x, z))
            \right), \qquad
        y \leftarrow y - \alpha \left(\nabla_y g(x, y) + \tfrac{1}{\lambda} \nabla_y f(x, y)\right).

    Without ``value_function`` (PBGD-Free), :math:`y` moves first, in each of the lower level's steps,
    and :math:`x` along :math:`\nabla_x f(x, y)` alone: one model and no inner loop. That is for an
    upper loss that reads its parameters and is flat in the lower ones near the solution; a loss that
    reads :math:`x` through the solution only does not move it.

    Args:
        penalty: The penalty :math:`\lambda`, or a function of the number of steps done so far.
        value_function: Whether the lower problem's value is subtracted.

    Raises:
        ValueError: If ``penalty`` is not positive.

    Example:
        >>> import torchopt
        >>> torchopt.multilevel.PBGD(5.0).penalty
        5.0

    References:
        Shen and Chen, *On Penalty-Based Bilevel Gradient Descent Method*, 2023, algorithm 1. Jiang et
        al., *Beyond Value Functions: Single-Loop Bilevel Optimization under Flatness Conditions*, 2025.
    """

    __promised__: ClassVar[tuple[str, ...]] = ("__init__", "penalty", "value_function")

    penalty: float | Schedule = checks.field(10.0, _PENALTY)
    _: KW_ONLY
    value_function: bool = True

    def step(self, run: Run) -> None:
        """Move the sequences of a run."""
        penalty = _number(self.penalty, run.count)
        if not self.value_function:
            for k in range(run.lower.steps):
                run.move("y", tree_add_scalar_mul(run.g(run.y, k).y, run.f(run.y).y, 1 / penalty))
            run.move("x", run.f(run.y).x)
            return
        plain = run.g(run.descend(run.y)).x
        f, g = run.f(run.y), run.g(run.y)
        run.move("x", tree_add_scalar_mul(f.x, tree_sub(g.x, plain), penalty))
        run.move("y", tree_add_scalar_mul(g.y, f.y, 1 / penalty))


@dataclass(frozen=True)
class BOME(SingleLoopMethod):
    r"""Descend on the upper loss, with as much of the lower one as keeps that falling.

    From :math:`y`, the lower level's steps lead to :math:`z`. With :math:`q(x, y) = g(x, y) - g(x, z)`,
    where :math:`z` is a constant, both levels step along :math:`\nabla f + \lambda \nabla q`, with

    .. math::
        \lambda = \max\left(\eta - \frac{\langle \nabla f, \nabla q \rangle}{\|\nabla q\|^2}, 0\right).

    The penalty is so found anew in each step.

    Args:
        eta: How fast :math:`q` has to fall: :math:`\langle \text{step}, \nabla q \rangle \ge \eta
            \|\nabla q\|^2`.

    Raises:
        ValueError: If ``eta`` is not positive.

    Example:
        >>> import torchopt
        >>> torchopt.multilevel.BOME().eta
        0.5

    References:
        Ye et al., *BOME! Bilevel Optimization Made Easy: A Simple First-Order Approach*, 2022,
        algorithm 1.
    """

    __promised__: ClassVar[tuple[str, ...]] = ("__init__", "eta")

    eta: float = checks.field(0.5, _POSITIVE)

    def step(self, run: Run) -> None:
        """Move the sequences of a run."""
        plain = run.g(run.descend(run.y)).x
        f, g = run.f(run.y), run.g(run.y)
        q = _Gradient(tree_sub(g.x, plain), g.y)
        parts = _tensors(q)
        square = inner_product(parts, parts)
        slope = inner_product(_tensors(f), parts) / torch.where(square > 0, square, 1)
        penalty = torch.where(square > 0, self.eta - slope, 0.0).clamp(min=0)
        run.move("x", tree_add_scalar_mul(f.x, q.x, penalty))
        run.move("y", tree_add_scalar_mul(f.y, q.y, penalty))


@dataclass(frozen=True)
class MoreauEnvelope(SingleLoopMethod):
    r"""A penalty on the lower loss minus its Moreau envelope, for lower problems that are not convex.

    The second sequence :math:`z` follows the proximal point of :math:`y`, of weight :math:`1/\gamma`:

    .. math::
        z &\leftarrow z - \beta \left(\nabla_z g(x, z) + \tfrac{1}{\gamma} (z - y)\right), \\
        y &\leftarrow y - \alpha \left(\nabla_y g(x, y) + \tfrac{1}{\lambda} \nabla_y f(x, y)
            - \tfrac{1}{\gamma} (y - z)\right), \\
        x &\leftarrow x - \eta \left(\nabla_x f(x, y) + \lambda (\nabla_x g(x, y) - \nabla_x g(x, z))
            \right),

    one after the other. (The step size of :math:`x` in the paper is :math:`\lambda \eta`.)

    Args:
        penalty: The penalty :math:`\lambda`, or a function of the number of steps done so far.
        gamma: The parameter :math:`\gamma` of the envelope: less than one over the negative curvature.
        solver: What moves :math:`z`; by default the optimizer of the lower level.

    Raises:
        TypeError, ValueError: If an argument is wrong.

    Example:
        >>> import torchopt
        >>> torchopt.multilevel.MoreauEnvelope(gamma=2.0).gamma
        2.0

    References:
        Liu et al., *Moreau Envelope for Nonconvex Bi-Level Optimization: A Single-loop and Hessian-free
        Solution Strategy*, 2024, algorithm 1 (MEHA).
    """

    __promised__: ClassVar[tuple[str, ...]] = ("__init__", "penalty", "gamma", "solver")

    penalty: float | Schedule = checks.field(10.0, _PENALTY)
    _: KW_ONLY
    gamma: float = checks.field(1.0, _POSITIVE)
    solver: GradientTransformation | None = checks.field(None, _SOLVER)

    def second(self, y: TensorTree) -> TensorTree:
        """Return the start of the second sequence."""
        return y

    def step(self, run: Run) -> None:
        """Move the sequences of a run."""
        penalty = _number(self.penalty, run.count)
        for k in range(run.lower.steps):
            away = tree_sub(run.second, run.y)
            pulled = tree_add_scalar_mul(run.g(run.second, k).y, away, 1 / self.gamma)
            run.move("second", pulled, self.solver)
            away = tree_sub(run.second, run.y)
            tilted = tree_add_scalar_mul(run.g(run.y, k).y, run.f(run.y).y, 1 / penalty)
            run.move("y", tree_add_scalar_mul(tilted, away, 1 / self.gamma))
        f, g, plain = run.f(run.y).x, run.g(run.y).x, run.g(run.second).x
        run.move("x", tree_add_scalar_mul(f, tree_sub(g, plain), penalty))


@dataclass(frozen=True)
class SOBA(SingleLoopMethod):
    r"""The implicit derivative by one step on its linear system in each step of the levels.

    The second sequence :math:`v` follows the solution of :math:`\nabla^2_{yy} g\, v = -\nabla_y f`:

    .. math::
        y \leftarrow y - \alpha\, \nabla_y g, \qquad
        v \leftarrow v - \beta\, (\nabla^2_{yy} g\, v + \nabla_y f), \qquad
        x \leftarrow x - \eta\, (\nabla_x f + \nabla^2_{xy} g\, v),

    all at once, from one batch of each level and one product with second derivatives. The moving
    average of MA-SOBA is part of the upper level's optimizer:
    ``torchopt.chain(torchopt.transform.ema(1 - rho, debias=False), torchopt.sgd(lr))``.

    Args:
        solver: What moves :math:`v`; by default the optimizer of the lower level.

    Raises:
        TypeError: If ``solver`` is no gradient transformation.

    Example:
        >>> import torchopt
        >>> torchopt.multilevel.SOBA().solver is None
        True

    References:
        Dagréou et al., *A Framework for Bilevel Optimization that Enables Stochastic and Global
        Variance Reduction Algorithms*, 2022, algorithm 1. Chen et al., *Optimal Algorithms for
        Stochastic Bilevel Optimization under Relaxed Smoothness Conditions*, 2023 (MA-SOBA).
    """

    __promised__: ClassVar[tuple[str, ...]] = ("__init__", "solver")

    most_steps: ClassVar[int | None] = 1

    solver: GradientTransformation | None = checks.field(None, _SOLVER)

    def second(self, y: TensorTree) -> TensorTree:
        """Return the start of the second sequence."""
        return pytree.map_leaves(torch.zeros_like, y)

    def step(self, run: Run) -> None:
        """Move the sequences of a run."""
        f = run.f(run.y)
        g, product = run.g_and_product(run.second)
        run.move("y", g.y)
        run.move("second", tree_add(product.y, f.y), self.solver)
        run.move("x", tree_add(product.x, f.x))


@dataclass(frozen=True)
class SABA(SOBA):
    r"""``SOBA`` with less noise: the latest directions of each batch are kept, and their mean corrects.

    Each of the five terms of :class:`SOBA`, :math:`d_i` for the batch :math:`i`, is replaced by
    :math:`d_i - m_i + \bar m`, where :math:`m_i` is what it was when this batch was there last, zero
    at first, and :math:`\bar m` the mean of all :math:`m`. So constant step sizes lead to the solution.
    The memory is two copies of the lower parameters for each lower batch and one for each upper one,
    and one of the upper parameters for each.

    In :meth:`SingleLoop.step`, a batch of either level is a pair ``(index, batch)``, with the number of
    the batch as a tensor, from zero. Batches of a level have the same size.

    Args:
        solver: What moves :math:`v`; by default the optimizer of the lower level.
        lower_batches: The number of batches of the lower level.
        upper_batches: The number of batches of the upper level.

    Raises:
        TypeError, ValueError: If an argument is wrong.
        IndexError: In a step, if a batch has a number beyond those of its level.

    Example:
        >>> import torchopt
        >>> torchopt.multilevel.SABA(lower_batches=8, upper_batches=4).lower_batches
        8

    References:
        Dagréou et al., *A Framework for Bilevel Optimization that Enables Stochastic and Global
        Variance Reduction Algorithms*, 2022, section 3.
    """

    __promised__: ClassVar[tuple[str, ...]] = ("__init__", "lower_batches", "upper_batches")

    _: KW_ONLY
    lower_batches: int
    upper_batches: int

    def __post_init__(self) -> None:
        super().__post_init__()
        checks.check_count("lower_batches", self.lower_batches, 1)
        checks.check_count("upper_batches", self.upper_batches, 1)

    def memory(self, x: TensorTree, y: TensorTree) -> TensorTree:
        """Return zeros for each batch, and for their mean."""

        def zeros(number: int, *parts: Any) -> list[Any]:
            return [
                pytree.map_leaves(lambda t: t.new_zeros(number + 1, *t.shape), part)
                for part in parts
            ]

        upper, lower = zeros(self.upper_batches, x, y), zeros(self.lower_batches, y, x, y)
        return {"upper": upper, "lower": lower}

    def step(self, run: Run) -> None:
        """Move the sequences of a run."""
        f = run.f(run.y)
        g, product = run.g_and_product(run.second)
        fx, fy = self._corrected(run, "upper", f)
        gy, px, py = self._corrected(run, "lower", (g.y, *product))
        run.move("y", gy)
        run.move("second", tree_add(py, fy), self.solver)
        run.move("x", tree_add(px, fx))

    def _corrected(self, run: Run, name: str, terms: tuple[Any, ...]) -> list[Any]:
        """Return terms with less noise, and keep them."""
        index = run.indices[("upper", "lower").index(name)]
        number = self.upper_batches if name == "upper" else self.lower_batches
        out, kept = [], []

        def written(d: torch.Tensor, c: torch.Tensor, m: torch.Tensor) -> torch.Tensor:
            m = m.clone()
            m[:-1][index], m[-1] = d, m[-1] + c / number
            return m

        for term, table in zip(terms, run.memory[name], strict=True):
            change = pytree.map_leaves(lambda d, m: d - m[:-1][index], term, table)
            out.append(pytree.map_leaves(lambda c, m: c + m[-1], change, table))
            kept.append(pytree.map_leaves(written, term, change, table))
        run.memory = {**run.memory, name: kept}
        return out


@dataclass(frozen=True)
class SingleLoop(CallRepr):
    r"""A bilevel program whose levels move together, as pure functions of an explicit state.

    In place of the derivative of a solution, each step of the upper level takes a few gradients of the
    two objectives :math:`f` and :math:`g`, at points that are carried from step to step: most methods
    need first derivatives only, and two or three copies of the lower parameters in all. The levels'
    optimizers move all sequences, so these may be of any kind; the lower level's ``diff`` is not used.

    ========================  ==================================  ================  ====================
    method                    derivatives                         lower parameters  lower ``steps``
    ========================  ==================================  ================  ====================
    :class:`F2SA`             first                               2 copies          of both estimates
    :class:`PBGD`             first                               2 copies          of the estimate
    ``PBGD`` without value    first                               1 copy            of the lower level
    :class:`BOME`             first                               2 copies          of the estimate
    :class:`MoreauEnvelope`   first                               2 copies          of both sequences
    :class:`SOBA`             one product with second ones        2 copies          1
    :class:`SABA`             one product with second ones        2 for each batch  1
    ========================  ==================================  ================  ====================

    As a penalty grows, each but ``PBGD`` without value tends to the solution of the program that
    :meth:`Level.step` finds. Steps are not differentiated.

    Args:
        program: The upper level, with one level below it and none below that.
        method: The method, such as ``F2SA(10.0)``.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If the program is not bilevel, or the lower level has more steps than the method.

    Example:
        The penalty of a ridge regression that makes a validation loss least:

        >>> import torch, torchopt
        >>> from torchopt.multilevel import F2SA, Level, SingleLoop
        >>> def train(w, values, batch):
        ...     return (w - 3).square() + values["penalty"] * w.square()
        >>> def validate(penalty, values, batch):
        ...     return (values["weight"] - 2).square()
        >>> weight = Level("weight", train, solver=torchopt.sgd(0.1), steps=10)
        >>> program = Level("penalty", validate, solver=torchopt.sgd(0.1), lowers=[weight])
        >>> loop = SingleLoop(program, F2SA(100.0))
        >>> state = loop.init({"penalty": torch.tensor(0.1), "weight": torch.tensor(0.0)})
        >>> for _ in range(100):
        ...     state = loop.step(state).state
        >>> {name: round(value.item(), 2) for name, value in program.params(state.levels).items()}
        {'penalty': 0.5, 'weight': 2.0}
    """

    program: Level
    method: SingleLoopMethod

    def __post_init__(self) -> None:
        checks.check(
            "`program`", self.program, checks.of_type(Level, "a `torchopt.multilevel.Level`")
        )
        advice = "a method, such as `torchopt.multilevel.F2SA()`"
        checks.check("`method`", self.method, checks.of_type(SingleLoopMethod, advice))
        lowers = self.program.lowers
        if len(lowers) != 1 or lowers[0].lowers:
            raise ValueError(
                f"level {self.program.name!r} is not the upper one of two: a single loop has one "
                f"level below it, and none below that; step the program itself, by `Level.step`."
            )
        most = self.method.most_steps
        if most is not None and lowers[0].steps > most:
            raise ValueError(
                f"level {lowers[0].name!r} has steps={lowers[0].steps}, but with "
                f"{type(self.method).__name__} both levels step together: leave `steps` out."
            )

    def init(self, params: Mapping[str, Any]) -> SingleLoopState:
        """Return the first state.

        Args:
            params: The parameters of both levels by name, as for :meth:`Level.init`.
        """
        levels = self.program.init(params)
        y = levels.lowers[self.program.lowers[0].name].params
        second = pytree.map_leaves(torch.clone, constant(self.method.second(y)))
        moved = second is not None
        solver = (
            (self.method.solver or self.program.lowers[0].solver).init(second) if moved else None
        )
        memory = constant(self.method.memory(levels.params, y))
        return SingleLoopState(levels, second, solver, torch.zeros((), dtype=torch.int64), memory)

    def step(self, state: SingleLoopState, batches: Mapping[str, Any] | None = None) -> LevelStep:
        """Do one step of the method.

        Args:
            state: The state; it is not modified.
            batches: Data by the name of the level, as for :meth:`Level.step`: one batch for the upper
                level, and one for each of the lower level's ``steps``, whose last is also that of the
                gradient in the upper parameters.

        Returns:
            The new state, the upper loss where it was evaluated last, and the auxiliary outputs of the
            last evaluations, by the name of the level.

        Raises:
            TypeError, ValueError: As :meth:`Level.gradient`.
        """
        checks.check("state", state, _STATE)
        upper, (lower,) = self.program, self.program.lowers
        window = upper._check(state.levels, batches)
        below = state.levels.lowers[lower.name]
        data = None if window is None else window.lowers[lower.name]
        drawn: tuple[Any, Any] = (window and window.batch, data and data.batch)
        indices: tuple[Any, Any] = (None, None)
        if state.memory is not None:
            if not all(isinstance(batch, tuple) and len(batch) == 2 for batch in drawn):
                raise TypeError(
                    f"a batch of {type(self.method).__name__} is a pair `(index, batch)`, for both "
                    f"levels: pass the number of the batch, a tensor, with it."
                )
            indices = drawn[0][0], drawn[1][0][-1]
            drawn = drawn[0][1], drawn[1][1]
        run = Run(
            upper,
            lower,
            drawn,
            state.levels.params,
            below.params,
            state.second,
            {"x": state.levels.solver, "y": below.solver, "second": state.solver},
            state.count,
            None,
            {},
            state.memory,
            indices,
        )
        with torch.no_grad():
            self.method.step(run)
        after = replace(below, params=run.y, solver=run.states["y"])
        levels = LevelState(run.x, run.states["x"], {lower.name: after})
        state = SingleLoopState(
            levels, run.second, run.states["second"], state.count + 1, run.memory
        )
        return LevelStep(state, run.loss, run.aux)

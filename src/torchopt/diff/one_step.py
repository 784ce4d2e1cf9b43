"""The one-step mode: differentiate one further step of the solver, not the way to it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, NoReturn, TypeAlias, get_args

import torch
from torch.autograd.function import BackwardCFunction
from torch.autograd.graph import _engine_run_backward

from torchopt import errors
from torchopt.autodiff import transforms
from torchopt.autodiff.compiling import eagerly, uncompiled
from torchopt.autodiff.environment import Replay, TorchSettings
from torchopt.autodiff.fingerprint import Fingerprint
from torchopt.autodiff.freezing import FreezingMode, FrozenConstants
from torchopt.autodiff.frozen import unwatched, watched
from torchopt.autodiff.function_mode import unseen
from torchopt.autodiff.generators import at_states, generator_states
from torchopt.autodiff.graph import alias, leaves_reached
from torchopt.autodiff.loops import wide
from torchopt.autodiff.tracking import constant, tracking, untracked
from torchopt.diff.kinds import Minimum
from torchopt.diff.problem import Differentiates, InnerProblem, Solution
from torchopt.operators.central_difference import Central, middle_of, moved_by
from torchopt.operators.implicit_function import Root
from torchopt.pytree import flattening as pytree
from torchopt.transform.chaining import GradientTransformation

__all__ = ["Mixed", "OneStep"]

Mixed: TypeAlias = Literal["finite_difference", "reverse"]
"""How the product of a vector with the mixed second derivatives of the objective is computed."""

Tensors = Sequence[torch.Tensor]
Gradient = Sequence[torch.Tensor | None]


@dataclass(frozen=True)
class OneStep:
    r"""Differentiate one further step of the solver, from where it is.

    The solution is taken for the next step from it, :math:`\theta' = \theta + \Delta(\nabla_\theta
    f(\theta, \varphi))`, where :math:`\theta` and the solver's state are constants. Hence

    .. math::
        v^\top \frac{d\theta'}{d\varphi}
            = u^\top \frac{\partial^2 f}{\partial\theta\, \partial\varphi},
        \qquad u^\top = v^\top \frac{\partial \Delta}{\partial g},

    with :math:`u = -\eta v` for gradient descent (``step_size``), and in general with the Jacobian of
    the solver's own update: momentum, adaptive denominator, bias correction, clipping and all. The
    mixed product is that of autograd (``mixed="reverse"``), or a central difference,

    .. math::
        u^\top \frac{\partial^2 f}{\partial\theta\, \partial\varphi} \approx
            \frac{\nabla_\varphi f(\theta + \epsilon u, \varphi)
                - \nabla_\varphi f(\theta - \epsilon u, \varphi)}{2 \epsilon} ,

    from two first derivatives, in the memory of plain training and with any kernel. Both evaluations
    see the same random numbers of PyTorch and leave buffers as they are. Those of Python or NumPy are
    not replayed: an error tells where they make both sides differ much, but not where they agree by
    chance. What the objective detaches, compares or reads as a number is held constant, as it is for
    autograd (where there is any, at the cost of one more forward pass). They are done in the backward
    pass: what the objective reads must not change before. A custom ``autograd.Function`` moves by its
    ``forward``: where its ``backward`` is no derivative of that, as of a straight-through quantizer,
    the difference is not that of autograd (a third off, say). Write
    ``x + (quantize(x) - x).detach()``, which is followed, or use ``mixed="reverse"``.

    It is the cheapest mode and the most biased: only the last step counts, as if the solver had never
    moved before. Use it where the levels alternate and the inner problem is large. Derivatives of
    higher order are those of the same step. Nothing flows to the starting point. A tensor that is
    passed and never read has gradient zero.

    Args:
        step_size: The step of gradient descent. None: the solver, which must be a gradient
            transformation, at its present state; one more evaluation of the gradient.
        mixed: ``"finite_difference"`` or ``"reverse"``, which is exact, holds a graph of second order,
            and also reaches what the objective closes over; the former refuses that.
        epsilon: The length of the difference's steps, :math:`\epsilon \|u\|`: 0.01 is DARTS' rule,
            which is taken as it is, with a warning where it is seen to be bad. None: twice the cube
            root of the precision of the evaluation times one plus the root mean square of
            :math:`\theta`: about 0.01 in float32. If the evaluation rounds to less than float32, or
            part of it may, the difference is compared with another, by two more evaluations, and a
            better step is searched for, by about fifty.

    Raises:
        ValueError: If ``step_size`` or ``epsilon`` is not positive, or ``mixed`` unknown.
        RuntimeError: In the backward pass, if no step makes the difference good to a tenth, and none
            is given.

    Example:
        The weights of two samples, one of which is wrong:

        >>> import torch, torchopt
        >>> y = torch.tensor([1.0, 5.0])
        >>> weights = torch.ones(2, requires_grad=True)
        >>> def objective(x, weights):
        ...     return (weights * (x - y) ** 2).sum()
        >>> solution = torchopt.minimize(
        ...     objective, torch.tensor(3.0), (weights,), solver=torchopt.sgd(0.1), steps=1,
        ...     diff=torchopt.diff.OneStep())
        >>> (solution.params - 1.0).square().backward()
        >>> weights.grad
        tensor([-1.6000,  1.6000])

    References:
        Luketina et al., *Scalable Gradient-Based Tuning of Continuous Regularization Hyperparameters*,
        2016 (T1-T2). Liu et al., *DARTS: Differentiable Architecture Search*, 2019, equation 8. Choe
        et al., *Making Scalable Meta Learning Practical*, 2023 (SAMA).
    """

    differentiates: ClassVar[Differentiates] = "solution"

    step_size: float | None = None
    mixed: Mixed = "finite_difference"
    epsilon: float | None = None

    def __post_init__(self) -> None:
        if self.mixed not in get_args(Mixed):
            known = ", ".join(map(repr, get_args(Mixed)))
            raise ValueError(f"`mixed` is {self.mixed!r}: use one of {known}.")
        for name, value in (("step_size", self.step_size), ("epsilon", self.epsilon)):
            if value is not None and not 0 < value < float("inf"):
                raise ValueError(f"`{name}` is {value!r}: use a positive number, or None.")

    @uncompiled
    def solve(self, problem: InnerProblem) -> Solution:
        """Run the solver without a graph; see :class:`DifferentiationMode`."""
        kind = problem.kind
        if not isinstance(kind, Minimum):
            raise TypeError(
                f"the one-step mode differentiates a step of descent, but this is a {kind.name}: "
                f"use `diff.Implicit(linear_solve=torchopt.linear_solve.solve_one_step())`."
            )
        if callable(problem.batches):
            raise ValueError(
                "the one-step mode needs the last batch once more, but `batches` is a function: stack "
                "the batches in a tree, or pass all data in `args`."
            )
        if self.step_size is None and not isinstance(problem.solver, GradientTransformation):
            raise TypeError(
                f"the solver is an object of type {type(problem.solver).__name__} without an update "
                f"to differentiate: give the mode a `step_size`, or use a gradient transformation."
            )
        with untracked():
            solution = _run(problem)
            if kind.has_aux and solution.aux is None:
                with Replay(default=True, trace=False)():
                    aux = kind.output(solution.params, _inputs(problem))[1]
                solution = solution._replace(aux=constant(aux))
        if not tracking():
            return solution
        theta, state = constant((solution.params, solution.state))
        inputs = _inputs(problem)
        update = self._update(problem.solver, state, theta)
        # Among the evaluations of a finite difference, values must move as their derivative says.
        if self.mixed == "reverse" or watched():
            return solution._replace(params=_stepped(kind, theta, inputs, update))
        if errors.transforms_active():
            raise RuntimeError(
                "finite differences do not run inside of a transform of `torch.func`: use "
                '`diff.OneStep(mixed="reverse")`.'
            )
        leaves, spec = pytree.flatten(theta)
        given, inputs_spec = pytree.flatten(inputs)
        places, inputs_places = _Places(leaves, spec), _Places(given, inputs_spec)
        difference = _Difference(kind, places, inputs_places, self.step_size, update, self.epsilon)
        at, given_tensors = places.tensors(theta), inputs_places.tensors(inputs)
        needed = any(t.requires_grad for t in given_tensors)
        found = _Response.apply(
            difference,
            *at,
            # By an operation, which shows an equation around this one what is read here.
            *map(alias, given_tensors),
            # Without any, nothing would tell that the derivative does not reach these.
            *(() if needed else difference.closed_over(at, given_tensors)),
        )
        return solution._replace(params=places.fill(found))

    def _update(self, solver: Any, state: Any, theta: Any) -> Callable[[Any], Any]:
        if self.step_size is None:
            return lambda grads: solver.update(grads, state, params=theta, inplace=False)[0]
        step = -self.step_size
        return lambda grads: pytree.map_leaves(lambda g: step * g, grads)


def _inputs(problem: InnerProblem) -> tuple[Any, ...]:
    """Return what the objective is given besides parameters, at the last step."""
    return (*problem.args, *problem.batch(problem.steps - 1))


def _run(problem: InnerProblem) -> Solution:
    """Return the last point, the solver's state and the auxiliary output there."""
    if problem.steps or not isinstance(problem.solver, GradientTransformation):
        return problem.run()
    return problem.start()._replace(iterations=torch.zeros((), dtype=torch.int64))


def _stepped(
    kind: Minimum, theta: Any, inputs: tuple[Any, ...], update: Callable[[Any], Any]
) -> Any:
    """Return theta with the derivative of a step from it."""
    replay = Replay(default=True, trace=False)
    with replay():
        grads, _ = kind.residual(theta, inputs)
    leaves, spec = pytree.flatten(theta)
    updates, _ = pytree.flatten(update(grads))
    # In this order also a negative zero stays what it is.
    moved = [
        t if t is None or d is None else (t - (d.detach() - d)).to(t.dtype)
        for t, d in zip(leaves, updates, strict=True)
    ]
    return pytree.unflatten(spec, moved)


class _Places:
    """A tree with tensors in some places, and other things in the rest."""

    def __init__(self, leaves: list[Any], spec: Any) -> None:
        self._spec = spec
        self._rest = [None if isinstance(x, torch.Tensor) else x for x in leaves]
        self._places = [i for i, x in enumerate(leaves) if isinstance(x, torch.Tensor)]

    def __len__(self) -> int:
        return len(self._places)

    def fill(self, tensors: Tensors) -> Any:
        leaves = list(self._rest)
        for i, t in zip(self._places, tensors, strict=True):
            leaves[i] = t
        return pytree.unflatten(self._spec, leaves)

    def tensors(self, tree: Any) -> list[Any]:
        leaves = pytree.flatten(tree)[0]
        return [leaves[i] for i in self._places]


@dataclass(frozen=True, eq=False)
class _Difference:
    """The derivative of a step from theta, by differences of the objective's gradient."""

    kind: Minimum
    theta: _Places
    inputs: _Places
    step_size: float | None
    update: Callable[[Any], Any]
    epsilon: float | None
    replay: Replay = field(default_factory=lambda: Replay(default=True, trace=False))
    ambient: TorchSettings = field(default_factory=TorchSettings.current)
    random: list[torch.Tensor] = field(default_factory=generator_states)

    def pull(
        self, theta: Tensors, inputs: Tensors, v: Tensors, needed: Sequence[bool]
    ) -> list[torch.Tensor | None]:
        """Return the cotangents of inputs for those of the solution."""
        near = _Nearby(self, theta, inputs, needed)
        if self.step_size is None:
            directions, scale = self._pulled(near, v), 1.0
        else:
            directions, scale = [list(v)], -self.step_size  # the product is linear
        total = self._product(near, theta, directions[0], scale)
        for u in directions[1:]:
            part = self._product(near, theta, u, scale, significant=True)
            total = [a + b for a, b in zip(total, part, strict=True)]
        del near._cuts  # which refers to it: without a cycle all is freed at once
        found = iter(total)
        return [next(found) if need else None for need in needed]

    def closed_over(self, theta: Tensors, inputs: Tensors) -> list[torch.Tensor]:
        """Return the leaves that the objective reads besides, and that require grad."""
        x = [t.detach().requires_grad_() for t in theta]
        replay = Replay(default=True, trace=False)
        recording = FrozenConstants().recording()
        with unwatched(), replay(), recording as watch, torch.enable_grad(), eagerly():
            loss, _ = self.kind.value(self.theta.fill(x), self.inputs.fill(inputs))
        own = {*map(id, x), *watch.made}
        return [t for t in leaves_reached([loss]) if id(t) not in own]

    def _product(
        self,
        near: _Nearby,
        theta: Tensors,
        u: list[torch.Tensor],
        scale: float,
        *,
        significant: bool = False,
    ) -> list[torch.Tensor]:
        """Return the product of the mixed derivatives with ``scale * u``.

        With ``significant``, a difference that may be rounding counts as zero.
        """
        length = self.kind.norm([wide(t) for t in u])
        length = torch.where(length > 0, length, 1)
        central = Central(
            theta,
            'use `mixed="reverse"`, or a higher precision',
            step=None if self.epsilon is None else self.epsilon / length,
            routine=False,
            worst=self.kind.worst,
            significant=significant,
        )

        def gradient(h: torch.Tensor) -> list[torch.Tensor]:
            return near.gradient(
                [moved_by(t, d, h) for t, d in zip(theta, u, strict=True)], central
            )

        def seen(ahead: Gradient, behind: Gradient, _h: torch.Tensor) -> None:
            near.check(ahead, behind, central.precision)

        vector = [False] * sum(near.needed)
        found = central(gradient, self._unit(theta) / length, vector, seen=seen)
        return [t if scale == 1 else scale * t for t in found if t is not None]

    def _pulled(self, near: _Nearby, v: Tensors) -> list[list[torch.Tensor]]:
        """Return ``Jᵀ v``, with the Jacobian of the update, as a sum of directions."""
        g, read = near.gradient_at_centre()
        # Where the gradient is zero up to rounding.
        top = self.kind.norm(g, torch.inf)
        quiet = [t.detach().abs() <= 64 * torch.finfo(t.dtype).eps * top.to(t) for t in g]
        u = self._update_pullback(g, v)
        del g  # memory
        u = [d if r else torch.zeros_like(d) for d, r in zip(u, read, strict=True)]
        # Where the gradient is rounding or zero, as of a dead unit or of a bias that a normalization
        # takes out, adaptive steps are immense and lead nowhere: the rest would be lost among them.
        pairs = list(zip(u, quiet, strict=True))
        still, going = (self._norm_where(pairs, of) for of in (True, False))
        if not still > 10 * going > 0:
            return [u]
        return [[torch.where(q == of, d, 0) for d, q in pairs] for of in (False, True)]

    def _norm_where(
        self, pairs: Sequence[tuple[torch.Tensor, torch.Tensor]], of: bool
    ) -> torch.Tensor:
        parts = (torch.where(q == of, d.detach(), 0) for d, q in pairs)
        return self.kind.norm([torch.linalg.vector_norm(wide(part)) for part in parts])

    def _update_pullback(self, g: list[torch.Tensor], v: Tensors) -> list[torch.Tensor]:
        """Return the cotangents of the gradient for those of the solver's update."""
        with torch.enable_grad():
            updates = self.theta.tensors(self.update(self.theta.fill(g)))
        pairs = [
            (d, c) for d, c in zip(updates, v, strict=True) if d is not None and d.requires_grad
        ]
        if not pairs:
            raise ValueError(
                "the solver's update does not depend on the gradient, as far as autograd can see: give "
                "`diff.OneStep` a `step_size`."
            )
        _check_reads([d for d, _ in pairs], g, "the solver")
        found = torch.autograd.grad(
            [d for d, _ in pairs],
            g,
            [c.to(d.dtype) for d, c in pairs],
            create_graph=torch.is_grad_enabled(),
            allow_unused=True,  # of a parameter that the solver keeps where it is
        )
        return _zeros_for_none(found, g)

    def _unit(self, theta: Tensors) -> torch.Tensor:
        at = [wide(t) for t in theta]
        root = self.kind.norm([w.new_tensor(w.numel()).sqrt() for w in at])
        size = self.kind.norm(at) / root.clamp(min=1)
        return 2 * (1 + size)


class _Nearby:
    """An objective at points near theta, all else being the same."""

    def __init__(
        self, of: _Difference, theta: Tensors, inputs: Tensors, needed: Sequence[bool]
    ) -> None:
        self._of = of
        self._theta = theta
        self._inputs = inputs
        self.needed = needed
        self._track = torch.is_grad_enabled()
        # Where something is cut, what it is at theta is found amid the first evaluation elsewhere.
        self._cuts = FrozenConstants(self._find_cuts)
        self._checked = False
        self._first: Fingerprint | None = None  # of the gradient with respect to the inputs

    def gradient_at_centre(self) -> tuple[list[torch.Tensor], list[bool]]:
        """Return the gradient with respect to theta, which requires grad, and which of it are read."""
        x = self._centre()
        with self._evaluated(x, self._cuts.recording()) as (loss, inputs):
            moving = self._moving(inputs)
            every = self._grad(loss, [*x, *moving])
        found, beside = every[: len(x)], every[len(x) :]
        self._first = Fingerprint(map(wide, _zeros_for_none(beside, moving)))
        grads = _zeros_for_none(found, x)
        read = [g is not None for g in found]
        return [g if g.requires_grad else g.requires_grad_() for g in grads], read

    def gradient(self, x: Tensors, central: Central) -> list[torch.Tensor]:
        """Return the gradient at a point with respect to the inputs that need one."""
        # Other tensors, since autocast keeps what it has made of the same ones.
        x = [t if t.requires_grad else t.detach().requires_grad_() for t in x]
        if not self._of.kind.reentrant:
            self._cuts.known()
        # The first evaluation has shown whether anything is cut.
        watch = self._cuts.holding() if self._cuts.events or not self._checked else None
        with self._evaluated(x, watch) as (loss, inputs):
            central.note(loss)
            moving = self._moving(inputs)
            found = self._grad(loss, moving)
        return _zeros_for_none(found, moving)

    def check(self, ahead: Gradient, behind: Gradient, precision: float) -> None:
        """Raise where the gradients on both sides are not those around that at the centre."""
        if self._first is None:
            return
        middle, bends = middle_of(ahead, behind, precision)
        present = [t for t in middle if t is not None]
        off = self._first.distance(present, together=True, floor=float(bends))
        if self._of.kind.worst(bends.new_tensor(off)) > 0:
            raise RuntimeError(
                "the objective gave another gradient when it was evaluated near the solution: what it "
                "reads has changed, or is random in a way that cannot be replayed. Leave it as it is, "
                'pass it in `args` or `batches`, or use `mixed="reverse"`.'
            )

    def _moving(self, inputs: Tensors) -> list[torch.Tensor]:
        return [t for t, need in zip(inputs, self.needed, strict=True) if need]

    def _grad(self, loss: torch.Tensor, variables: Tensors) -> Sequence[torch.Tensor | None]:
        # Not by torch.autograd.grad, which every mode sees as one operation: what the backward pass
        # computes again must be watched.
        found: Sequence[torch.Tensor | None] = _engine_run_backward(
            (loss,),
            (torch.ones_like(loss),),
            self._track,
            self._track,
            tuple(variables),
            True,
            accumulate_grad=False,
        )
        return found

    def _find_cuts(self) -> None:
        # The evaluation around has not met all buffers and generators yet.
        with self._evaluated(self._centre(), self._cuts.recording(), Replay(trace=False)):
            pass

    def _centre(self) -> list[torch.Tensor]:
        return [t.detach().requires_grad_() for t in self._theta]

    @contextmanager
    def _evaluated(
        self, x: Tensors, watch: FreezingMode | None, replay: Replay | None = None
    ) -> Iterator[tuple[torch.Tensor, list[torch.Tensor]]]:
        """Enclose the differentiation of the loss at a point, by that or by these inputs."""
        of = self._of
        # Variables of this evaluation: inputs, and x, may be functions of one another.
        inputs = [
            t.detach() if not need else t.view_as(t) if self._track else t.detach().requires_grad_()
            for t, need in zip(self._inputs, self.needed, strict=True)
        ]
        with (
            # A checkpoint around must not compute itself again amid this.
            untracked(),
            of.replay(),
            nullcontext() if replay is None else replay(),
            nullcontext() if watch is None else watch,
        ):
            with torch.enable_grad():
                with eagerly():
                    loss, _ = of.kind.value(of.theta.fill(x), of.inputs.fill(inputs))
                if watch is not None:
                    watch.close()
                errors.check_loss(loss, what="the objective's value near the solution")
                loss = loss.squeeze()
            if watch is not None:
                self._checked = True
                _check_reads([loss], [*x, *inputs], "the objective", x, watch)
            yield loss, inputs


class _Response(torch.autograd.Function):
    """The solution, as a function of the objective's arguments."""

    @staticmethod
    def forward(ctx: Any, of: _Difference, *tensors: torch.Tensor) -> tuple[torch.Tensor, ...]:
        ctx.of = of
        ctx.save_for_backward(*tensors)
        return tuple(t.detach() for t in tensors[: len(of.theta)])

    @staticmethod
    @unseen()
    def backward(ctx: Any, *v: torch.Tensor) -> tuple[Any, ...]:
        if any(map(transforms.is_legacy_batch, v)):
            raise RuntimeError(
                "finite differences cannot be batched by `is_grads_batched=True`, nor by "
                "`torch.autograd.functional` with `vectorize=True`: use a loop, or "
                '`diff.OneStep(mixed="reverse")`.'
            )
        of = ctx.of
        n, m = len(of.theta), len(of.theta) + len(of.inputs)
        saved = ctx.saved_tensors
        for t in saved[m:]:
            _refuse_read(t, "the objective")
        needed = ctx.needs_input_grad[1 + n :]
        with unwatched(), of.ambient.applied(), at_states(of.random):
            return None, *[None] * n, *of.pull(saved[:n], saved[n:], v, needed)


def _zeros_for_none(found: Sequence[torch.Tensor | None], like: Tensors) -> list[torch.Tensor]:
    return [torch.zeros_like(t) if g is None else g for g, t in zip(found, like, strict=True)]


def _saved_by(node: Any) -> list[torch.Tensor]:
    return [t for t in node.saved_tensors if t is not None]


def _moves_as_derivative(node: Any) -> bool:
    return getattr(type(node)._forward_cls, "moves_as_derivative", False)


def _refuse_read(variable: torch.Tensor, what: str) -> NoReturn:
    raise ValueError(
        f"{what} reads a tensor of shape {tuple(variable.shape)} that requires grad and is not "
        f"among `args`, to which finite differences do not reach: pass it in `args`, use "
        f'`mixed="reverse"`, or turn its `requires_grad` off.'
    )


def _check_reads(
    outputs: Tensors,
    given: Tensors,
    what: str,
    params: Tensors = (),
    watch: FreezingMode | None = None,
) -> None:
    """Raise where outputs depend on other variables than those given, or not on parameters."""
    ends = {t.grad_fn or id(t) for t in given}
    made = watch.made if watch is not None else {}
    waiting: list[Any] = [y.grad_fn or y for y in outputs]
    seen: set[Any] = set()
    while waiting:
        node = waiting.pop()
        variable = getattr(node, "variable", None)
        key = node if variable is None else id(variable)
        if node is None or key in seen:
            continue
        seen.add(key)
        if key in ends or key in made:
            continue
        if variable is not None:
            _refuse_read(variable, what)
        if isinstance(node, Root._backward_cls) or (
            watch is not None
            and isinstance(node, BackwardCFunction)
            and not _moves_as_derivative(node)
            and (watch.cut or any(map(watch.is_noted, _saved_by(node))))
        ):
            raise ValueError(
                f"{what} holds a solution, or another custom autograd.Function, whose value near this "
                f'point is not known to move as its derivative says: use `mixed="reverse"`.'
            )
        waiting += [following for following, _ in node.next_functions]
    if params and not any((t.grad_fn or id(t)) in seen for t in params):
        raise ValueError(
            "the objective's value does not depend on the parameters: compute it from the first "
            "argument."
        )

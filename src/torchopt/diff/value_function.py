"""The value-function mode: differentiate a solution by solving its problem again, a little tilted."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, ClassVar, cast

import torch

from torchopt import checks
from torchopt.autodiff import transforms
from torchopt.autodiff.compiling import uncompiled
from torchopt.autodiff.detaching import RefuseDetached
from torchopt.autodiff.environment import Environment
from torchopt.autodiff.shards import inner_product
from torchopt.autodiff.tracking import constant, copied, tracking, untracked
from torchopt.diff import _adjoint
from torchopt.diff._learned import refuse_learned
from torchopt.diff._steps import VJP, CheckpointedUnroll, Unroll, tensors_of
from torchopt.diff.batches import batch_at, can_be_sliced
from torchopt.diff.flat_problem import External, Iterative
from torchopt.diff.kinds import Minimum, SumOfSquares
from torchopt.diff.one_step import Detached
from torchopt.diff.problem import InnerProblem, mean
from torchopt.diff.protocols import Differentiates
from torchopt.diff.solution import Solution
from torchopt.errors import NotConvergedWarning
from torchopt.io.calls import CallRepr
from torchopt.pytree import flattening as pytree
from torchopt.pytree import tree_sub
from torchopt.transform import scale
from torchopt.transform.chaining import GradientTransformation

_INSTEAD = 'use `diff.Implicit()`, or let it move, by `ValueFunction(detached="moves")`'


@dataclass(frozen=True)
class ValueFunction(CallRepr):
    r"""Differentiate a minimum by first derivatives only: solve the problem again, tilted.

    With the cotangent :math:`v` of the solution :math:`\theta^*(\varphi)` of an objective :math:`f`,

    .. math::
        v^\top \frac{d\theta^*}{d\varphi} \approx \frac{\lambda}{2} \left(
            \nabla_\varphi f(\theta_+, \varphi) - \nabla_\varphi f(\theta_-, \varphi) \right),
        \qquad \theta_\pm = \arg\min_\theta\; f(\theta, \varphi) \pm \frac{1}{\lambda} v^\top \theta ,

    which tends to the derivative of :class:`Implicit` as the penalty :math:`\lambda` grows. The error
    is of the order :math:`1/\lambda^2`. With ``two_sided=False`` it is :math:`\lambda\,
    (\nabla_\varphi f(\theta_+, \varphi) - \nabla_\varphi f(\theta^*, \varphi))`, one solution less,
    with an error of the order :math:`1/\lambda`: the gradient of the value-function penalty (F2SA,
    PBGD) of an upper loss that is linear in :math:`\theta`.

    The backward pass solves both problems, starting from the solution, and takes two gradients. So it
    has the memory of training and two copies of the parameters, and works where there are no second
    derivatives: fused attention, compiled code, custom functions, sharded modules. Use it for large
    models with nearly solved problems. If the solver does a given number :math:`K` of steps, both
    sides do :math:`K` steps with the same batches, and the result is about that of :math:`K` terms of
    a Neumann series; one-sided, what :math:`\theta^*` lacks to a solution is multiplied by
    :math:`\lambda`.

    A large :math:`\lambda` needs accurate solutions: their errors and the rounding of gradients are
    multiplied by it. With bfloat16 use a small one. Over batches, the gradients in :math:`\varphi` are
    those of their mean. All evaluations see the same random numbers of PyTorch and leave buffers
    unchanged; what the objective reads must not change before the backward pass. The starting point
    gets no gradient. There are no derivatives of higher order, none of a batch of cotangents, and none
    inside ``torch.func``.

    Args:
        penalty: The penalty :math:`\lambda`; the tilt is the cotangent divided by it.
        solver: What solves the tilted problems: a gradient transformation or a solver of
            ``torchopt.solver``. By default that of the problem; a gradient transformation begins
            with its state at the solution.
        steps: The number of steps of a gradient transformation there; by default those of the problem.
        two_sided: Whether the difference is that of two tilted solutions, or of one and the solution.
        detached: Whether an objective that detaches a value of the parameters and goes on with it is
            ``"refused"`` (default), or what is detached ``"moves"`` with the tilted solutions.

    Raises:
        ValueError: If ``penalty`` or ``steps`` is not positive, or ``steps`` is passed with a solver
            that has its own.
        TypeError: If ``solver`` solves nothing. When solving: if the problem is no minimum, or its
            solver is a function and ``solver`` is None.
        RuntimeError: In the backward pass, with ``create_graph=True`` or a batch of cotangents, if the
            objective detaches, or if a tilted solver does not leave the solution, since its tolerance
            is too large for the tilt.

    Warns:
        NotConvergedWarning: In the backward pass, if a tilted solution has an error of more than a
            tenth of the tilt.

    Example:
        The derivative of a ridge regression with respect to its penalty:

        >>> import torch, torchopt
        >>> X, y = torch.tensor([[1.0], [2.0]]), torch.tensor([1.0, 3.0])
        >>> penalty = torch.tensor(1.0, requires_grad=True)
        >>> def objective(w, penalty):
        ...     return (X @ w - y).square().sum() + penalty * w.square().sum()
        >>> solution = torchopt.minimize(
        ...     objective, torch.zeros(1), (penalty,), solver=torchopt.sgd(0.05), steps=50,
        ...     diff=torchopt.diff.ValueFunction(10.0))
        >>> solution.params.sum().backward()  # w = 7 / (5 + penalty)
        >>> penalty.grad
        tensor(-0.1944)

    References:
        Kwon et al., *A Fully First-Order Method for Stochastic Bilevel Optimization*, 2023 (F2SA).
        Shen and Chen, *On Penalty-Based Bilevel Gradient Descent Method*, 2023. Scellier and Bengio,
        *Equilibrium Propagation*, 2017. Laborieux et al., *Scaling Equilibrium Propagation to Deep
        ConvNets*, 2021 (two sides).
    """

    __promised__: ClassVar[tuple[str, ...]] = (
        *("__init__", "differentiate", "penalty", "solver", "steps", "two_sided", "detached"),
    )

    penalty: float = 10.0
    _: KW_ONLY
    solver: GradientTransformation | Iterative | External | None = None
    steps: int | None = None
    two_sided: bool = True
    detached: Detached = "refused"

    def __post_init__(self) -> None:
        checks.check_choice("detached", self.detached, Detached)
        if not 0 < self.penalty < float("inf"):
            raise ValueError(f"`penalty` is {self.penalty!r}: use a positive number.")
        if self.steps is not None:
            checks.check_count("steps", self.steps, 1)
        if not isinstance(self.solver, (GradientTransformation, Iterative, External, type(None))):
            raise TypeError(
                f"`solver` is an object of type {type(self.solver).__name__}: use a gradient "
                f"transformation or a solver of `torchopt.solver`."
            )
        if self.steps is not None and isinstance(self.solver, (Iterative, External)):
            raise ValueError(
                f"`steps` is for gradient transformations, but the solver is a "
                f"{type(self.solver).__name__}, which ends by itself: leave `steps` out."
            )

    @property
    def differentiates(self) -> Differentiates:
        """What it goes through."""
        return "step" if self.solver is None else "conditions"

    @uncompiled
    def differentiate(self, problem: InnerProblem) -> Solution:
        """Run the solver without a graph; see :class:`DifferentiationMode`."""
        kind = problem.kind
        if not isinstance(kind, Minimum):
            raise TypeError(
                f"`ValueFunction` tilts an objective without constraints or a proximal term, but this "
                f"is a `{kind.title}`: use `diff.Implicit()`."
            )
        if problem.carry is not None:
            raise TypeError(
                "`ValueFunction` solves a problem again, which is a level with levels below it here: "
                "use another mode for it."
            )
        problem.check_batches("`ValueFunction` solves the problem again with the same batches")
        solver = self.solver or problem.solver
        if not isinstance(solver, (GradientTransformation, Iterative, External)):
            raise TypeError(
                f"`ValueFunction` solves the tilted problem, but its solver is an object of type "
                f"{type(solver).__name__}, which knows the problem as it is: pass `solver=` to the "
                f"mode, such as `solver=torchopt.solver.LBFGS()`."
            )
        if isinstance(solver, GradientTransformation) and not (self.steps or problem.steps):
            raise ValueError(
                "`ValueFunction` does not know how many steps solve the tilted problem: pass `steps=` "
                "to the mode."
            )
        if not frozenset(getattr(solver, "kinds", [Minimum])) & frozenset(Minimum.__mro__):
            raise TypeError(
                f"`ValueFunction` tilts the problem, after which it is no sum of squares, and "
                f"`{type(solver).__name__}` is for these: pass `solver=` to the mode, such as "
                f"`solver=torchopt.solver.LBFGS()`."
            )
        few = problem.steps < (self.steps or 0) and problem.batches is not None
        if few and can_be_sliced(problem.batches):
            raise ValueError(
                f"`steps` of `ValueFunction` is {self.steps}, but `batches` are stacked for the "
                f"{problem.steps} steps of the problem: pass a list of them, which is begun again, or "
                f"fewer steps."
            )
        if tracking():
            refuse_learned(
                problem.solver,
                "a solution does not depend on the way to it: by `ValueFunction` it has gradient zero",
            )
            if checks.transforms_active() or torch.autograd.forward_ad._current_level >= 0:
                raise RuntimeError(
                    "`ValueFunction` is differentiated by `backward()` or `torch.autograd.grad` only: "
                    "inside of `torch.func` and in forward mode use `diff.Implicit()`."
                )
        with untracked():
            solution = constant(problem.run())
        if not tracking():
            return solution
        whole = Minimum(_mean_loss(kind, problem))
        one = replace(
            problem, kind=whole, params=solution.params, args=(*problem.args, problem.batches),
            solver=scale(-1.0), state=None, progress=None, batches=None, micro_batches=1, atol=None,
            rtol=None,
        )  # fmt: skip
        with Environment().evaluation():
            # A step of length one, which reads what the objective does; only its inputs are of use.
            step = Unroll(
                one, range(1), True, "step", _Tilts(self, kind, problem, solution.state), False
            )
            moved = _adjoint.run(step, one.start()).params
        return replace(solution, params=pytree.map_leaves(_Attached.apply, solution.params, moved))


def _mean_loss(kind: Minimum, problem: InnerProblem) -> Any:
    """Return the objective, over batches their mean, as a function of the arguments and these."""

    def loss(x: Any, *inputs: Any) -> torch.Tensor:
        *args, batches = inputs
        each = [()] if batches is None else [batch_at(batches, k) for k in range(problem.steps)]
        losses = [kind.value(x, (*args, *batch))[0].squeeze() for batch in each]
        return cast(torch.Tensor, mean(losses))

    return loss


class _Attached(torch.autograd.Function):
    """The values of a tensor with the derivatives of another, which have none themselves."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, _moved: torch.Tensor) -> torch.Tensor:
        return x.view_as(x)

    @staticmethod
    def backward(ctx: Any, cotangent: torch.Tensor) -> tuple[None, torch.Tensor]:
        batched = checks.transforms_active() or transforms.is_legacy_batch(cotangent)
        if torch.is_grad_enabled() or batched:
            raise RuntimeError(
                "the derivative of a solution by `ValueFunction` has no derivative and takes one "
                "cotangent at a time: leave out `create_graph=True` and `is_grads_batched=True`, and "
                "call `torch.autograd.grad` outside of `torch.func`, or use `diff.Implicit()`."
            )
        return None, cotangent


@dataclass(frozen=True)
class _Tilts:
    """The derivative of a solution, in the place of that of a step from it; see :data:`Pullback`."""

    mode: ValueFunction
    kind: Minimum
    problem: InnerProblem
    state: Any

    def __call__(self, steps: CheckpointedUnroll, asked: VJP) -> list[torch.Tensor | None]:
        index, inputs, cotangents, wanted = asked
        mode, start = self.mode, steps.environment.snapshot()
        with steps.at(index, inputs) as (one, at, _):
            v = [
                torch.zeros_like(t) if c is None else c
                for t, c in zip(tensors_of(at.params), cotangents, strict=False)
            ]

            def gradients(sign: int) -> Any:
                x = at.params
                if sign:
                    steps.environment.rewind(start)
                    x = self._solved(one, x, v, sign)
                steps.environment.rewind(start)
                x = pytree.map_leaves(lambda t: t.detach().requires_grad_(), x)
                refuses = bool(sign) and mode.detached == "refused"
                with (
                    torch.enable_grad(),
                    RefuseDetached(_INSTEAD) if refuses else nullcontext() as watch,
                ):
                    loss = one.kind.value(x, one.args)[0]
                    assert loss is not None
                    if watch is not None:
                        watch.refuse_saved(loss)
                    return torch.autograd.grad(loss, wanted, allow_unused=True)

            ahead, behind = gradients(1), gradients(-1 if mode.two_sided else 0)
        factor = mode.penalty / (2 if mode.two_sided else 1)
        pairs = zip(ahead, behind, strict=True)
        pulled = [None if a is None or b is None else factor * (a - b) for a, b in pairs]
        steps.environment.rewind(start)
        with torch.enable_grad():
            steps.compare(index, steps.evaluate(index, inputs))
        return pulled

    def _solved(self, one: InnerProblem, x: Any, v: Sequence[torch.Tensor], sign: int) -> Any:
        """Return the solution of the tilted problem, from the one without a tilt."""
        kind, mode = self.kind, self.mode
        *args, batches = one.args

        def tilted(y: Any, *inputs: Any) -> torch.Tensor:
            loss = kind.value(y, inputs)[0]
            return loss + (inner_product(v, tensors_of(y)) * (sign / mode.penalty)).to(loss)

        if isinstance(kind, SumOfSquares):
            changed: Minimum = Minimum(tilted)
        else:  # with the norm that it has
            changed = replace(kind, function=tilted, has_aux=False)
        solver, state = mode.solver, None
        if solver is None:
            solver, state = self.problem.solver, copied(constant(self.state))
        problem = replace(
            self.problem, kind=changed, params=x, args=tuple(args), batches=batches, solver=solver,
            state=state, steps=mode.steps or self.problem.steps, progress=None,
        )  # fmt: skip
        with untracked():
            solution = problem.run()
        tilt, error = kind.norm(v) / mode.penalty, solution.error
        # Over all processes, which go on together: one may have no part that moves.
        if bool(tilt > 0) and bool(kind.norm(tree_sub(solution.params, x)) == 0):
            raise RuntimeError(
                f"the solver does not leave the solution if the objective is tilted by the cotangent "
                f"divided by the penalty, of norm {float(tilt):.1e}, which its tolerance takes for "
                f"zero: lower `penalty` ({mode.penalty}), or the tolerance."
            )
        if error is not None and bool(kind.worst(error) > 0.1 * tilt):
            checks.warn(
                f"a tilted problem of `ValueFunction` is not solved: its error is more than a tenth of "
                f"the tilt, the norm of the cotangent divided by `penalty` ({mode.penalty}); lower "
                f"that, or solve more accurately.",
                NotConvergedWarning,
                error=float(error),
                iterations=0 if solution.iterations is None else int(solution.iterations),
                failed=1,
            )
        return solution.params

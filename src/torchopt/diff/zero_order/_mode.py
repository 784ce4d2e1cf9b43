"""The zero-order mode: differentiate what has no gradient, from its values alone."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, ClassVar, ParamSpec, TypeVar

import torch

from torchopt import checks
from torchopt.autodiff.closure_guard import ClosureGuard
from torchopt.autodiff.compiling import uncompiled
from torchopt.autodiff.environment import Environment, eagerly
from torchopt.autodiff.generators import check_generator, seed_of
from torchopt.autodiff.tracking import tracking, untracked
from torchopt.diff._learned import refuse_learned
from torchopt.diff.problem import WATCH, InnerProblem, closed_over, watching
from torchopt.diff.protocols import Differentiates
from torchopt.diff.solution import Solution
from torchopt.diff.zero_order._antithetic import Antithetic
from torchopt.diff.zero_order._estimator import Estimator
from torchopt.diff.zero_order._evaluation import EVALUATION, Evaluation, Loop
from torchopt.diff.zero_order._function import BlackBox, call
from torchopt.diff.zero_order._tensor_function import PartialFunction, SolutionMap, TensorFunction
from torchopt.io.calls import CallRepr
from torchopt.pytree import flattening as pytree

_P = ParamSpec("_P")
_R = TypeVar("_R")
_DEFAULT, _LOOP = Antithetic(), Loop()
_ESTIMATOR = checks.of_type(
    Estimator, "one of `torchopt.diff.zero_order`, such as `Antithetic(num_samples=16)`"
)


@dataclass(frozen=True)
class ZeroOrder(CallRepr):
    r"""Differentiate a function, or the solution of a problem, from values at perturbed points.

    The estimated derivative is that of the smoothed function,
    :math:`f_\sigma(\theta) = \mathbb{E}\, f(\theta + \sigma \varepsilon)`; ``torchopt.diff.zero_order``
    has the estimators. The function is not traced: it may branch, round, call NumPy or a simulator.
    It is evaluated once for its value, and in each backward pass at the estimator's points.

    As a mode of :func:`torchopt.minimize` and related functions, it runs the solver again for each
    point. The derivatives are with respect to the tensors in ``args`` and the starting point, not to
    tensors that the objective closes over.

    Args:
        estimator: The estimator, with the number of samples and the scale of the perturbation; by
            default ``Antithetic()``, 16 pairs at a scale of 0.01.
        evaluation: How to evaluate the points: ``Loop()``, one by one, or ``Vmap(chunk_size)``, many
            at once. The results are the same.
        generator: The source of seeds: a ``torch.Generator``, a number (then each call uses the same
            directions), or None for PyTorch's default generator.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If ``generator`` is a number of more than 63 bits. When solving: if a hyperparameter
            of the solver requires grad.

    Example:
        How the accuracy of a classifier depends on its threshold:

        >>> import torch, torchopt
        >>> scores = torch.linspace(-1, 1, 1001)
        >>> mode = torchopt.diff.ZeroOrder(
        ...     torchopt.diff.zero_order.Antithetic(num_samples=500, sigma=0.1), generator=0)
        >>> accuracy = mode(lambda cut: ((scores > cut) == (scores > 0.3)).float().mean())
        >>> threshold = torch.tensor(0.0, requires_grad=True)
        >>> accuracy(threshold).backward()
        >>> bool(threshold.grad > 0)  # a higher threshold is better
        True

    References:
        Salimans et al., 2017. Nesterov and Spokoiny, 2017. Berahas et al., *A Theoretical and Empirical
        Comparison of Gradient Approximations in Derivative-Free Optimization*, 2022.
    """

    differentiates: ClassVar[Differentiates] = "run"
    __promised__: ClassVar[tuple[str, ...]] = (
        "__init__",
        "__call__",
        "differentiate",
        "estimator",
        "evaluation",
        "generator",
    )

    estimator: Estimator = _DEFAULT
    evaluation: Evaluation = _LOOP
    _: KW_ONLY
    generator: torch.Generator | int | None = None

    def __post_init__(self) -> None:
        checks.check("estimator", self.estimator, _ESTIMATOR)
        checks.check("evaluation", self.evaluation, EVALUATION)
        check_generator(self.generator)

    def __call__(
        self,
        fn: Callable[_P, _R],
        /,
        argnums: int | Sequence[int] | None = None,
        *,
        has_aux: bool = False,
    ) -> Callable[_P, _R]:
        """Return a function with the same values and estimated derivatives.

        Args:
            fn: A function of trees and other values that returns a tree of tensors and numbers. All
                of these are differentiated: a count (an integer, a Boolean) comes back as a floating
                tensor. What must stay as it is belongs into auxiliary output.
            argnums: The positions of the arguments to differentiate; by default all positional
                arguments.
            has_aux: Whether ``fn`` returns a pair whose second element is passed through.

        Raises:
            TypeError: If ``argnums`` contains anything but positions.
        """
        chosen: Any = (argnums,) if isinstance(argnums, int) else argnums
        if chosen is not None and not (
            isinstance(chosen, (tuple, list)) and all(type(k) is int for k in chosen)
        ):
            raise TypeError(
                f"`argnums` is {argnums!r}: use a position, of type int, or a tuple of them. "
                f"The arguments come afterwards: `ZeroOrder()(fn)(x)`."
            )

        @functools.wraps(fn)
        @uncompiled
        def differentiable(*args: _P.args, **kwargs: _P.kwargs) -> Any:
            moving = range(len(args)) if chosen is None else chosen
            if any(not -len(args) <= k < len(args) for k in moving):
                raise ValueError(
                    f"`argnums` is {argnums!r}, but the function was called with {len(args)} "
                    f"positional arguments."
                )
            moving = [k % len(args) for k in moving]
            if len(set(moving)) < len(moving):
                raise ValueError(f"`argnums` is {argnums!r}, which has a position twice.")
            moved = [args[k] for k in moving]
            leaves, spec = pytree.flatten((args, kwargs))  # containers may change; these do not
            tensors = [t for t in leaves if isinstance(t, torch.Tensor)]
            others = [x for x in leaves if not isinstance(x, torch.Tensor)]
            bindings = ClosureGuard(fn, given=tensors, arguments=others)
            _warn_of_others(bindings, kwargs)

            function = PartialFunction(fn, leaves, spec, moving)
            if WATCH.solver is None:
                return self._differentiable(function, moved, has_aux, bindings)
            mode = WATCH.solver.estimating(self)
            with watching(None):  # what the function solves is a part of it
                return mode._differentiable(function, moved, has_aux, bindings)

        return differentiable

    @uncompiled
    def differentiate(self, problem: InnerProblem) -> Solution:
        """Run the solver; see :class:`DifferentiationMode`."""
        if tracking():
            refuse_learned(problem.solver, "the zero-order mode perturbs arguments only")
        problem.check_batches("the zero-order mode solves the problem several times")
        self._warn_of_closures(problem)
        trees = [problem.params, problem.args, problem.batches]
        bindings = ClosureGuard(problem.kind.function, problem.solver)
        params, solution = self._differentiable(SolutionMap(problem), trees, True, bindings)
        return replace(solution, params=params)

    def _differentiable(
        self,
        function: Callable[..., Any],
        trees: Sequence[Any],
        has_aux: bool,
        bindings: ClosureGuard,
    ) -> Any:
        flat = TensorFunction(function, trees, has_aux)
        box = BlackBox(
            flat,
            self.estimator,
            self.evaluation,
            seed_of(self.generator),
            Environment(),
            bindings,
            has_more=lambda: flat.has_more,
        )
        value = flat.value(call(box, flat.theta))
        return (value, flat.aux[0]) if has_aux else value

    def _warn_of_closures(self, problem: InnerProblem) -> None:
        if not tracking():
            return
        with untracked(), eagerly():
            free = closed_over(problem)
        if free:
            checks.warn(
                f"the problem reads a tensor of shape {tuple(free[0].shape)} that requires grad "
                f"and is not in `args`: the zero-order mode perturbs arguments only, and no gradient "
                f"flows to it."
            )


def _warn_of_others(bindings: ClosureGuard, kwargs: dict[str, Any]) -> None:
    if not tracking():
        return
    others = bindings.variables + [
        name
        for name, tree in kwargs.items()
        if any(isinstance(t, torch.Tensor) and t.requires_grad for t in pytree.leaves(tree))
    ]
    if others:
        checks.warn(
            f"`{others[0]}` requires grad, and is no differentiated argument: the zero-order mode "
            f"perturbs those that are passed by position, and no gradient flows to it."
        )

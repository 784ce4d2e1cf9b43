"""The explicit mode: backpropagate through the unrolled solver."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import KW_ONLY, dataclass, replace
from functools import partial
from typing import Any, ClassVar, Literal, TypeAlias

import torch

from torchopt import checks
from torchopt.autodiff.asked import cutting
from torchopt.autodiff.remat import remat
from torchopt.autodiff.scan_tracing import roll, rolling
from torchopt.autodiff.tracking import constant
from torchopt.diff import _adjoint
from torchopt.diff._offload import OnDisk, Store, on_host
from torchopt.diff._products import StepHVP, by_product, keep_gradient
from torchopt.diff._resume import Resumable
from torchopt.diff._solver_graph import run_with_graph
from torchopt.diff._steps import Unroll
from torchopt.diff.batches import batches_between, can_be_sliced
from torchopt.diff.kinds import Objective
from torchopt.diff.problem import InnerProblem, Iterate
from torchopt.diff.protocols import Differentiates
from torchopt.diff.solution import Solution
from torchopt.io.calls import CallRepr
from torchopt.pytree import flattening as pytree

Policy: TypeAlias = Literal["graph", "step", "sqrt", "tree", "forward"]
Offload: TypeAlias = Literal["cpu", "disk"]
_STORES: dict[str, Callable[[], Store]] = {"cpu": lambda: on_host, "disk": OnDisk}
# So few updates of tensors are compiled one by one: faster to run than a step that is repeated, but
# slower to compile.
_UNROLLED = 32


@dataclass(frozen=True)
class Explicit(CallRepr):
    r"""Backpropagate through the steps of the solver.

    With :math:`\theta_{k+1} = \Phi(\theta_k, \varphi)`, the best-response derivative is

    .. math::
        \frac{d\theta_K}{d\varphi} = \sum_{k=1}^{K}
            \left( \prod_{j=k+1}^{K} \frac{\partial \Phi(\theta_{j-1})}{\partial \theta} \right)
            \frac{\partial \Phi(\theta_{k-1})}{\partial \varphi}

    The derivative of the solver's output is exact, to any order. Use this mode for few steps, or if
    the starting point matters (MAML). The derivative reaches everything that the objective reads,
    passed or closed over.

    ``memory`` selects what is kept for the backward pass. The gradient is the same up to rounding
    under each policy, to any order:

    ==================  ===========================================  ==================================
    ``memory``          kept for ``K`` steps                         recomputed
    ==================  ===========================================  ==================================
    ``"graph"``         the graphs of all steps                      nothing
    ``"step"``          ``K`` carries, the graph of one step         each step once
    ``"sqrt"``          ``√(2K)`` carries, the graph of one step     each step twice at most
    ``"tree"``          ``log₂ K`` carries (``carries``), the        each step about ``log K`` times,
                        graph of one step                            or as few as that allows
    ``"forward"``       nothing                                      each step once for each entry of
                                                                     the variables, in forward mode
    ==================  ===========================================  ==================================

    A carry consists of parameters, optimizer state and buffers. A recomputed step sees the same random
    numbers, buffers, autocast settings and batches. :func:`torchopt.plan` measures what each policy
    needs for a problem. For a solver of ``torchopt.solver``, which stops by itself, there are
    ``"graph"`` and ``"step"``; its carry is the point and the solver's state. Inside
    ``torch.compile``, the compiler plans the memory instead. Inside :mod:`torch.func`, each policy
    except ``"graph"`` keeps only its input and repeats the steps in the backward pass; ``"forward"``
    works like ``"tree"`` there. In forward mode, as in ``jacfwd``, the steps are done as they are.

    Args:
        memory: The policy. Derivatives of the meta-gradient itself go through a graph of all steps.
        carries: The number of carries that ``memory="tree"`` keeps, beside the start (≥ 0); by
            default ``log₂ K``.
        truncate: The number of last steps to differentiate through; all by default. If it is less
            than the number of steps, the starting point gets no gradient.
        first_order: Whether to treat the objective's gradients as constants, which leaves out all
            second derivatives (first-order MAML).
        offload: Where to store what is kept: ``"cpu"``, the memory of the host, or ``"disk"``, files
            in the directory for temporary files (``TMPDIR``). By default it stays on its device.
        hvp: How to compute the product with the second derivatives of a step, under each policy except
            ``"graph"`` and ``"forward"``. ``"reverse"``: reverse mode over reverse mode.
            ``"forward"``: forward mode over reverse mode; it keeps no second-order graph and computes
            the gradient once more. ``"finite_difference"``: the difference of two nearby gradients; it
            needs the memory of plain training, works with any kernel, and has an error of about 1e-3
            in float32 and 1e-7 in float64. Two more gradients estimate it at steps 1, 2, 4, ... (at
            every step below float32). An objective that goes on with a value that it detaches, or reads
            as a number, is an error. A custom ``autograd.Function`` whose ``backward`` is visibly not
            the derivative of its ``forward`` is an error. ``"gauss_newton"``: without the second
            derivatives of the residuals, for :func:`torchopt.least_squares`. The argument has no
            effect inside :mod:`torch.func`.

    Raises:
        ValueError: If an argument is not one of these, ``truncate`` or ``carries`` is negative, or
            ``carries`` is there with another policy. When solving: if ``hvp`` does not fit the kind
            of problem, or if a solver's solution depends on no tensor that the function reads and that
            requires grad, for example because the solver runs under ``no_grad`` (not detected inside
            :mod:`torch.func`).
        RuntimeError: In the backward pass, if a recomputed step gives different gradients, parameters
            or outputs (a change of second derivatives alone is not detected), or if a finite
            difference is not accurate to a tenth.

    Warns:
        ReplayWarning: If a recomputed step differs by rounding, because of a nondeterministic kernel.

    Example:
        >>> import torch, torchopt
        >>> start = torch.tensor(1.0, requires_grad=True)
        >>> solution = torchopt.minimize(
        ...     lambda x: x ** 2, start, solver=torchopt.sgd(0.25), steps=3,
        ...     diff=torchopt.diff.Explicit(memory="step"))
        >>> solution.params.backward()
        >>> start.grad
        tensor(0.1250)

    References:
        Franceschi et al., *Forward and Reverse Gradient-Based Hyperparameter Optimization*, 2017.
        Shaban et al., *Truncated Back-propagation for Bilevel Optimization*, 2019 (``truncate``).
        Finn et al., *MAML*, 2017, section 5.2 (``first_order``). Griewank and Walther, *Algorithm 799:
        revolve*, 2000 (``"tree"``). Kemaev et al., *Scalable Meta-Learning via Mixed-Mode
        Differentiation*, 2025 (``hvp``).
    """

    differentiates: ClassVar[Differentiates] = "steps"
    __promised__: ClassVar[tuple[str, ...]] = (
        "__init__",
        "carries",
        "differentiate",
        "first_order",
        "hvp",
        "memory",
        "offload",
        "truncate",
    )

    memory: Policy = "graph"
    _: KW_ONLY
    carries: int | None = None
    truncate: int | None = None
    first_order: bool = False
    offload: Offload | None = None
    hvp: StepHVP = "reverse"

    def __post_init__(self) -> None:
        checks.check_choice("memory", self.memory, Policy)
        checks.check_count("carries", self.carries, of="checkpoints", optional=True)
        if self.carries is not None and self.memory != "tree":
            raise ValueError(
                f'`carries` is for memory="tree", not for memory={self.memory!r}: leave it out.'
            )
        checks.check_count("truncate", self.truncate, of="steps", optional=True)
        checks.check_choice("offload", self.offload, Offload, optional=True)
        checks.check_choice("hvp", self.hvp, StepHVP)
        if self.memory in ("graph", "forward") and self.hvp != "reverse":
            raise ValueError(
                f"`hvp` is for steps that are computed again: use it with "
                f'memory="step", not memory={self.memory!r}.'
            )
        if self.memory == "forward" and self.offload is not None:
            raise ValueError('memory="forward" keeps nothing for later: leave `offload` out.')

    @property
    def kept(self) -> Policy | int:
        """The policy, or the number of checkpoints."""
        return self.memory if self.carries is None else self.carries

    def differentiate(self, problem: InnerProblem) -> Solution:
        """Run the solver; see :class:`DifferentiationMode`."""
        if not problem.is_fixed_length:
            if self == Explicit("step") and problem.iterative:
                problem = replace(problem, block=remat)
            elif self != Explicit():
                raise ValueError(
                    "the options of `diff.Explicit` are for a given number of updates of a gradient "
                    'transformation; memory="step" is also for a solver of `torchopt.solver`: leave '
                    "the others and the tolerances out, or use `diff.Implicit()`."
                )
            return run_with_graph(problem)
        carry = problem.start()
        cut = 0 if self.truncate is None else max(problem.steps - self.truncate, 0)
        if cut:
            with cutting(f"truncate={self.truncate}"), torch.no_grad():
                carry = constant(problem.advanced(carry, range(cut), first_order=True))
        carry = self._through(problem, carry, range(cut, problem.steps))
        return carry.solution(iterations=torch.tensor(problem.steps, device="cpu"))

    def step(
        self, problem: InnerProblem, index: int, carry: Iterate, batch: tuple[Any, ...]
    ) -> Iterate:
        """Do one differentiable update, for callers that run the steps one by one.

        Each policy except ``"graph"`` then keeps the carry of each step, as ``"step"`` does.

        Args:
            problem: The problem.
            index: The number of the step.
            carry: What the step before returned; at first ``problem.start()``.
            batch: What ``problem.batch(index)`` returned.
        """
        batches = (lambda _: batch[0]) if batch else None
        mode = self if self.memory == "graph" else replace(self, memory="step", carries=None)
        return mode._through(replace(problem, batches=batches), carry, range(index, index + 1))

    def _through(self, problem: InnerProblem, carry: Iterate, indices: range) -> Iterate:
        compiling = torch.compiler.is_compiling()
        if compiling and len(indices) > 0 and rolling():
            few = len(indices) * len(pytree.leaves(carry.params)) <= _UNROLLED
            # The shapes of few batches may differ from step to step.
            if not few or (rolling(few=True) and can_be_sliced(problem.batches)):
                return self._rolled(problem, carry, indices, few=few)
        if self.memory == "graph" or compiling:
            asked = cutting("first_order=True") if self.first_order else nullcontext()
            with self._offloading(), asked:
                return problem.advanced(carry, indices, first_order=self.first_order)
        parts = problem.micro_batches > 1 and isinstance(problem.kind, Objective)
        is_whole = self.hvp == "reverse" and not parts
        pull = _adjoint.whole if is_whole else by_product(self.hvp, problem, self.first_order)
        pull = pull if problem.block is None else problem.block(pull)
        store = None if self.offload is None else _STORES[self.offload]()
        exact = not self.first_order and self.hvp != "finite_difference"
        symmetric = self.hvp != "reverse" or self.memory == "forward"
        keep = None if is_whole or store is None or self.hvp == "gauss_newton" else keep_gradient
        options = (self.first_order, self.kept, pull, exact, store, symmetric, keep)
        unroll = Unroll(problem, indices, *options)
        if problem.checkpoint is None:
            return _adjoint.run(unroll, carry)
        make = partial(Resumable, path=problem.checkpoint, mode=repr(self))
        return _adjoint.run(unroll, carry, make)

    def _rolled(
        self, problem: InnerProblem, carry: Iterate, indices: range, *, few: bool
    ) -> Iterate:
        """Do the steps as one step that is traced, and repeated."""

        def step(at: tuple[Any, Any, Any], batch: tuple[Any, ...]) -> tuple[Any, Any]:
            before = Iterate(at[0], at[1], carry=at[2])
            after = problem.stepped(indices[0], before, batch, first_order=self.first_order)
            return (after.params, after.state, after.carry), (after.aux, after.value)

        start = (carry.params, carry.state, carry.carry)
        batches = batches_between(problem.batches, indices)
        at, (aux, value) = roll(step, start, batches, len(indices), repeat=few)
        return Iterate(at[0], at[1], aux, at[2], value)

    def _offloading(self) -> AbstractContextManager[Any]:
        if self.offload is None or not torch.is_grad_enabled():
            return nullcontext()
        if checks.transforms_active():
            raise RuntimeError(
                'torch.func refuses hooks on saved tensors: leave `offload` out, or use memory="step".'
            )
        store = _STORES[self.offload]()
        return torch.autograd.graph.saved_tensors_hooks(lambda t: store([t])[0], lambda h: h.get())

"""Errors and warnings with their own classes, for programs that catch them.

Each inherits :class:`TorchOptError` or :class:`TorchOptWarning`, and the class of Python that fits it.
A wrong argument is a plain ``TypeError`` or ``ValueError``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

__all__ = [
    "CheckpointError",
    "CompileError",
    "DegenerateWarning",
    "FormulaError",
    "InconclusiveWarning",
    "LinearSolveError",
    "LinearSolveWarning",
    "LostGraphError",
    "MetaGradientError",
    "NonFiniteError",
    "NonFiniteWarning",
    "NotBatchedWarning",
    "NotCompiledWarning",
    "NotConvergedError",
    "NotConvergedWarning",
    "RemoteError",
    "ReplayError",
    "ReplayWarning",
    "RpcTimeoutError",
    "TorchOptError",
    "TorchOptWarning",
    "WorkerLostError",
    "WrappedModuleError",
]


class TorchOptError(Exception):
    """Base of the errors that this library has classes for.

    Example:
        >>> import torch, torchopt
        >>> singular = lambda x: torch.zeros(2)
        >>> cg = torchopt.linear_solve.CG(on_failure="raise")
        >>> try:
        ...     x = cg(singular, torch.ones(2))
        ... except torchopt.errors.TorchOptError as error:
        ...     print(type(error).__name__)
        LinearSolveError
    """


class TorchOptWarning(UserWarning):
    """Base of the warnings of this library; each points at the line of the program that led to it.

    Numbers that differ from call to call are attributes of the warning, and not in its text, so that
    Python gives a warning once for each line.

    Example:
        >>> import warnings, torchopt
        >>> warnings.simplefilter("error", torchopt.errors.TorchOptWarning)
    """


class LostGraphError(TorchOptError, RuntimeError, ValueError):
    """A gradient is differentiated that has no graph, though it depends on more than its value shows.

    Its backward pass computed outside of PyTorch, say, so that its derivative would be zero without a
    word. The function is what has to change, so this is a ``ValueError``, too.

    Example:
        >>> import torch, torchopt
        >>> phi, net = torch.tensor(3.0, requires_grad=True), torch.nn.Linear(1, 1, bias=False)
        >>> value = net.weight[0]
        >>> matrix = torch.sparse_coo_tensor([[0], [0]], value, (1, 1), check_invariants=False)
        >>> torchopt.MetaSGD(net, lr=0.1).step((matrix.to_dense() - phi).square().sum())
        >>> try:
        ...     net.weight.backward()
        ... except torchopt.errors.LostGraphError as error:
        ...     print(str(error)[:41])
        the objective reads a sparse tensor whose
    """


class ReplayError(TorchOptError, RuntimeError):
    """What the backward pass evaluates again is not what was evaluated at first.

    The function reads what has changed in between, or is random in a way that cannot be replayed: its
    gradient would be that of another function.
    """


class ReplayWarning(TorchOptWarning):
    """A step, or a block of ``torchopt.remat``, did not give the same bits when it was computed again.

    Attributes:
        difference: The largest difference, relative to the norm of what was compared.
    """

    difference: float


class _NotConverged:
    """How a solve ended; :class:`NotConvergedWarning` and :class:`LinearSolveWarning` explain it."""

    error: float
    iterations: int
    failed: int
    infeasible: Sequence[int | tuple[int, ...]] = ()
    unbounded: Sequence[int | tuple[int, ...]] = ()


class NotConvergedError(_NotConverged, TorchOptError, RuntimeError):
    """A solver with ``on_failure="raise"`` stopped before its tolerance was met.

    It has the attributes of :class:`NotConvergedWarning`, without ``derivative_error``.
    """


class NotConvergedWarning(_NotConverged, TorchOptWarning):
    """A solver stopped before its tolerance was met, or far from a solution.

    Attributes:
        error: The largest norm of the residual.
        iterations: The number of steps.
        failed: For how many problems it did not converge: more than one under ``vmap`` only.
        infeasible: The indices in their batch of quadratic programs that no point satisfies.
        unbounded: The indices of quadratic programs whose objective is unbounded below.
        derivative_error: The estimated relative error of an implicit derivative; None where it is not
            estimated.
    """

    derivative_error: float | None = None


class LinearSolveError(NotConvergedError):
    """A linear solve with ``on_failure="raise"`` did not converge.

    It has the attributes of :class:`LinearSolveWarning`.
    """

    tolerance: float


class LinearSolveWarning(NotConvergedWarning):
    """A linear solve did not converge.

    Attributes:
        error: The largest norm of ``b - A x``.
        tolerance: What it should be at most.
        iterations: The number of iterations.
        failed: For how many problems it did not converge: more than one under ``vmap`` only.
    """

    tolerance: float


class DegenerateWarning(TorchOptWarning):
    """The constraints at a solution are such that it has no derivative, or that multipliers differ.

    An inequality is active with a multiplier near zero, or gradients of active constraints depend on
    one another.

    Attributes:
        failed: For how many problems: more than one under ``vmap`` only.
    """

    failed: int


class NonFiniteError(TorchOptError, ValueError):
    """A loss is NaN, all vectors of a linear solve have NaN or infinity, or values of an estimate do.

    A run that has diverged ends in it. Infinity in a loss is no error, and inside of ``torch.func``
    and ``torch.compile`` nothing is looked at.

    Example:
        >>> import torch, torchopt
        >>> try:
        ...     x = torchopt.minimize(
        ...         lambda x: x.log(), torch.tensor(1.0), solver=torchopt.sgd(2.0), steps=2).params
        ... except torchopt.errors.NonFiniteError as error:
        ...     print(error)
        the objective's value at step 1 is NaN: nothing was updated; look at the inputs,
        or lower the learning rate.
    """


class NonFiniteWarning(TorchOptWarning):
    """Directions with values that are NaN or infinite were left out of a zero-order estimate.

    Attributes:
        dropped: How many.
        directions: Of how many.
    """

    dropped: int
    directions: int


class MetaGradientError(TorchOptError, AssertionError):
    """A meta-gradient differs from finite differences.

    Attributes:
        result: What was compared, a :class:`torchopt.meta.MetaGradCheck`.
    """

    result: Any

    def __init__(self, message: str, result: object) -> None:
        super().__init__(message, result)
        self.result = result

    def __str__(self) -> str:
        return str(self.args[0])


class InconclusiveWarning(TorchOptWarning):
    """Finite differences do not agree with each other, so that they tell nothing about a gradient."""


class NotBatchedWarning(TorchOptWarning):
    """A function could not be batched, and runs for one task after the other."""


class NotCompiledWarning(TorchOptWarning):
    """A function that should be compiled runs eagerly."""


class CompileError(TorchOptError, RuntimeError):
    """The compiler of a kernel is missing, or refused; the message has what it said."""


class FormulaError(TorchOptError, TypeError):
    """A formula uses what cannot be recorded."""


class WrappedModuleError(TorchOptError, TypeError):
    """A module is wrapped in what autograd does not see, such as ``DistributedDataParallel``."""


class CheckpointError(TorchOptError, ValueError):
    """A file is no checkpoint that can be loaded: it is incomplete, damaged, or not safe to read."""


class WorkerLostError(TorchOptError, RuntimeError):
    """A worker died, hung or was cut off; the call may be made again elsewhere.

    Attributes:
        worker: Its name.
        reason: What happened to it, as text.
    """

    worker: str
    reason: str

    def __init__(self, worker: str, reason: str) -> None:
        super().__init__(worker, reason)
        self.worker = worker
        self.reason = reason

    def __str__(self) -> str:
        return f"worker {self.worker!r} was lost: {self.reason}."


class RemoteError(TorchOptError, RuntimeError):
    """The origin of an error that a function raised on a worker: its cause, and its traceback there.

    The error itself is raised as it was on the worker, with this one as its ``__cause__``; where it
    cannot be sent, this one is raised in its place.

    Attributes:
        worker: The name of the worker.
        summary: The error, as the last line of a traceback has it.
        remote_traceback: The traceback there, as text.
    """

    worker: str
    summary: str
    remote_traceback: str

    def __init__(self, worker: str, summary: str, remote_traceback: str) -> None:
        super().__init__(worker, summary, remote_traceback)
        self.worker = worker
        self.summary = summary
        self.remote_traceback = remote_traceback

    def __str__(self) -> str:
        return f"on worker {self.worker!r}: {self.summary}\n\n{self.remote_traceback}"


class RpcTimeoutError(TorchOptError, TimeoutError, RuntimeError):
    """A call by RPC took longer than it may; ``RuntimeError`` is what RPC itself raises."""

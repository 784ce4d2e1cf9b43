"""The inner problem of one task, run for a batch of tasks: at once by ``vmap``, else one by one.

A trial under ``vmap`` decides whether a function can be batched. Its side effects are undone before the
loop runs, so that both ways have the same results up to rounding.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from typing import Any, Literal, ParamSpec, TypeAlias, TypeVar, overload

import torch

from torchopt import checks
from torchopt.autodiff import transforms
from torchopt.autodiff.exact_normalization import ExactDerivatives
from torchopt.errors import NotBatchedWarning
from torchopt.io.calls import explained
from torchopt.meta._batch import TaskResults, Tasks, join
from torchopt.meta._trial import Draws, Trial

_P = ParamSpec("_P")
_R = TypeVar("_R")
_Randomness: TypeAlias = Literal["different", "same", "error"]
_Dims: TypeAlias = int | tuple[Any, ...] | list[Any] | Mapping[str, Any] | None


@overload
def vmap_tasks(
    fn: Callable[_P, float],
    /,
    in_dims: _Dims = 0,
    out_dims: _Dims = 0,
    *,
    chunk_size: int | None = None,
    randomness: _Randomness = "different",
) -> Callable[_P, torch.Tensor]: ...
@overload
def vmap_tasks(
    fn: Callable[_P, _R],
    /,
    in_dims: _Dims = 0,
    out_dims: _Dims = 0,
    *,
    chunk_size: int | None = None,
    randomness: _Randomness = "different",
) -> Callable[_P, _R]: ...
@explained
def vmap_tasks(
    fn: Callable[..., Any],
    /,
    in_dims: _Dims = 0,
    out_dims: _Dims = 0,
    *,
    chunk_size: int | None = None,
    randomness: _Randomness = "different",
) -> Callable[..., Any]:
    r"""Run a function of one task for a batch of tasks.

    The function, with :func:`torchopt.minimize` or ``torch.func.grad`` inside, runs for all tasks at
    once, by :func:`torch.vmap`. If that fails (``.item()``, ``backward()``, optimizers that change a
    module), it runs one task after the other from then on, and a warning says why. In both cases
    results and derivatives are those of the loop. Inside ``torch.compile``, such code raises an error.

    Programs with many small operations gain most; convolutions gain little. Batch normalization in
    training mode uses the statistics of each task, and its running statistics are updated as in the
    loop. Other side effects happen once for all tasks of a chunk, and only buffers of called modules
    may be modified. Under autocast, PyTorch's ``vmap`` leaves linear layers in float32.

    Args:
        fn: The function of one task. It returns a tree: tensors and numbers are stacked; ``None`` and
            other objects must be the same for all tasks, and are returned once.
        in_dims: The task dimension of each tensor, as for :func:`torch.vmap`: an integer, None for
            shared arguments, or a tree of these, a prefix of the arguments. Keywords are shared.
        out_dims: The task dimension of each result, likewise; None for results that are the same for
            all tasks.
        chunk_size: The number of tasks to run at once; by default all. It bounds the memory of the
            computation, but not what autograd keeps for a backward pass.
        randomness: Whether tasks draw ``"different"`` random numbers, the ``"same"`` ones, or must not
            draw any (``"error"``). The numbers are not those of the loop.

    Returns:
        A function of a batch of tasks, with the arguments of ``fn``.

    Raises:
        TypeError: If an argument with a task dimension is not a tensor.
        ValueError: If the numbers of tasks disagree, or ``in_dims`` or ``out_dims`` do not fit.

    Warns:
        NotBatchedWarning: If the function runs in a loop; once.

    Example:
        Adapt a shared start to three tasks, and differentiate the mean loss after that:

        >>> import torch, torchopt
        >>> def adapted_loss(start, target):
        ...     solution = torchopt.minimize(
        ...         lambda w: (w - target) ** 2, start, solver=torchopt.sgd(0.25), steps=1)
        ...     return (solution.params - target) ** 2
        >>> targets = torch.tensor([0.0, 1.0, 5.0])
        >>> losses = vmap_tasks(adapted_loss, (None, 0))
        >>> losses(torch.tensor(1.0), targets)
        tensor([0.2500, 0.0000, 4.0000])
        >>> torch.func.grad(lambda start: losses(start, targets).mean())(torch.tensor(1.0))
        tensor(-0.5000)

    References:
        Finn et al., *Model-Agnostic Meta-Learning*, 2017: the batch of tasks of algorithm 1.
    """
    checks.check_choice("randomness", randomness, _Randomness)
    checks.check_count("chunk_size", chunk_size, 1, of="tasks", optional=True)
    reasons: list[str] = []

    @functools.wraps(fn)
    def batched(*args: Any, **kwargs: Any) -> Any:
        tasks = Tasks.of(args, in_dims)
        one = functools.partial(fn, **kwargs) if kwargs else fn
        if torch.compiler.is_compiling():
            if tasks.size == 1 and randomness != "error":  # smaller code than a batch of one
                return join(_looped(one, tasks, out_dims, randomness))
            with ExactDerivatives():
                return join(
                    [_vmapped(one, t, out_dims, randomness) for t in tasks.chunks(chunk_size)]
                )
        if not reasons:
            trial = Trial()
            try:
                parts = _try(trial, one, tasks.chunks(chunk_size), out_dims, randomness)
                result = join(parts)
                trial.finish()
                return result
            except torch.OutOfMemoryError:  # to be helped by `chunk_size`
                trial.rewind()
                raise
            except Exception as error:  # of PyTorch's many, or the function's own: the loop tells
                if tasks.size == 0:
                    raise
                lines = str(error).strip().splitlines() or ["no message"]
                reason = f"{type(error).__name__}: {lines[0]}"
            trial.rewind()
        result = join(_looped(one, tasks, out_dims, randomness))
        if not reasons:
            reasons.append(reason)
            name = getattr(fn, "__qualname__", type(fn).__name__)
            checks.warn(
                f"`{name}` cannot be batched and runs for one task after the other ({reason})",
                NotBatchedWarning,
            )
        return result

    return batched


def _vmapped(
    fn: Callable[..., Any],
    tasks: Tasks,
    out_dims: Any,
    randomness: str,
    trial: Trial | None = None,
) -> TaskResults:
    """Run some tasks at once."""
    parts: list[TaskResults] = []

    def flat(*tensors: torch.Tensor) -> tuple[torch.Tensor, ...]:
        args = tasks.arguments(tensors)
        if trial is None:
            out, owed = fn(*args), []
        else:
            with trial.running():
                out = fn(*args)
            owed = trial.statistics.taken()
        part = TaskResults.of(out, out_dims)
        if trial is not None:
            trial.reads.note(part.leaves)
        for i, leaf in enumerate(part.leaves):
            if part.dims[i] is None and isinstance(leaf, torch.Tensor):
                _check_shared(leaf, part.path(i))
        parts.append(part)
        return (*(part.leaves[i] for i in part.mapped()), *owed)

    mapped = tasks.mapped()
    dims = tuple(tasks.dims[i] for i in mapped)
    values = torch.func.vmap(flat, dims, randomness=randomness)(*(tasks.leaves[i] for i in mapped))
    (part,) = parts
    n = len(part.mapped())
    if trial is not None:
        trial.statistics.collect(values[n:])
    return part.batched(values[:n])


def _check_shared(leaf: torch.Tensor, path: str) -> None:
    # Compiled code cannot ask which transform a tensor belongs to.
    compiling = torch.compiler.is_compiling()
    inner = compiling or transforms.level_of(leaf) == transforms.current_level()
    if inner and transforms.is_batched(leaf):
        raise ValueError(
            f"`{path}` differs between tasks, but `out_dims` is None for it: use an integer."
        )


def _try(
    trial: Trial, fn: Callable[..., Any], chunks: list[Tasks], out_dims: Any, randomness: str
) -> list[TaskResults]:
    parts = []
    for number, tasks in enumerate(chunks):
        if randomness == "same" and number:
            trial.draws.rewind()
        parts.append(_vmapped(fn, tasks, out_dims, randomness, trial))
    return parts


def _looped(
    fn: Callable[..., Any], tasks: Tasks, out_dims: Any, randomness: str
) -> list[TaskResults]:
    """Run one task after the other."""
    parts = []
    watched = randomness == "error" or (randomness == "same" and tasks.size > 1)
    draws = Draws() if watched else None
    for number in range(tasks.size):
        rows = [tasks.leaves[i].select(tasks.dims[i], number) for i in tasks.mapped()]
        if draws is not None and randomness == "same" and number:
            draws.rewind()
        with ExactDerivatives(), draws or nullcontext():
            part = TaskResults.of(fn(*tasks.arguments(rows)), out_dims)
        if draws is not None and randomness == "error" and draws.happened():
            raise RuntimeError(
                'random numbers were drawn, but `randomness` is "error": use "different" or "same".'
            )
        parts.append(part.batched(part.leaves[i].unsqueeze(0) for i in part.mapped()))
    return parts

"""TorchOpt 0.7.3's functions that run on the workers of the RPC group, each with part of the arguments.

Arguments are divided by a partitioner, the parts are sent with :func:`remote_map`, and a reducer makes
one result of theirs; so the result is part of the caller's graph.
"""

from __future__ import annotations

import functools
import importlib
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextvars import copy_context
from dataclasses import KW_ONLY, dataclass
from typing import Any, ParamSpec, SupportsIndex, TypeAlias

import torch
from torch.distributed import rpc
from torch.futures import Future

from torchopt import checks, pytree
from torchopt.autodiff.conversion import as_tensor
from torchopt.autodiff.environment import TorchSettings
from torchopt.distributed._remote_map import remote_map
from torchopt.distributed._rpc import Ticket, group_executor, group_timeout, is_initialized
from torchopt.distributed.world import get_worker_id, get_world_rank, get_world_size
from torchopt.io.calls import CallRepr
from torchopt.io.names import publish as _publish

__all__ = [
    "TensorDimensionPartitioner",
    "batch_partitioner",
    "dim_partitioner",
    "mean_reducer",
    "parallelize",
    "parallelize_async",
    "parallelize_sync",
    "remote_async_call",
    "remote_sync_call",
    "sum_reducer",
]

_P = ParamSpec("_P")
PartitionFunction: TypeAlias = Callable[..., Sequence[tuple[Any, Any, Any]]]
Partitioner: TypeAlias = SupportsIndex | str | PartitionFunction
Reducer: TypeAlias = Callable[[Iterable[Any]], Any]

_PARTITIONER = checks.Word("use the name or number of a worker, or a function", holds=callable)
_PARTITION = checks.Word(
    "return a list with a worker, its arguments and its keyword arguments for each call",
    holds=lambda value: isinstance(value, Iterable),
)
_PART = checks.Word(
    "return a worker, a tuple of arguments and a dict of keyword arguments, or None for these",
    holds=lambda part: (
        isinstance(part, tuple | list)
        and len(part) == 3
        and isinstance(part[1], tuple | list | None)
        and isinstance(part[2], Mapping | None)
    ),
)
_UNSET = -1.0  # the time-out of the RPC group
_RREF: Any = getattr(rpc, "RRef", ())  # none where torch was built without RPC


class Weighted(list[Any]):
    """Parts, or their results, with the sizes of the parts.

    Attributes:
        weights: The sizes.
    """

    def __init__(self, items: Iterable[Any], weights: Sequence[int]) -> None:
        super().__init__(items)
        self.weights = tuple(weights)


@dataclass(frozen=True)
class TensorDimensionPartitioner(CallRepr):
    """Divides all tensors of the arguments along a dimension; other arguments go to all workers.

    The parts are as equal as can be: sizes differ by one at most.

    Args:
        dim: The dimension.
        exclusive: Whether each slice is a call of its own, rather than as many as there are workers.
        keepdim: Whether a slice keeps the dimension; only with ``exclusive`` it may be left out.
        workers: Numbers or names of the workers; by default all of the group that are alive.

    Raises:
        ValueError: If ``keepdim`` is False and ``exclusive`` is too.

    Example:
        >>> import torch
        >>> split = TensorDimensionPartitioner(0, keepdim=True, workers=[0, 1])
        >>> [(worker, args[0].tolist()) for worker, args, kwargs in split(torch.arange(5))]
        [(0, [0, 1, 2]), (1, [3, 4])]
    """

    dim: int
    _: KW_ONLY
    exclusive: bool = False
    keepdim: bool = False
    workers: Sequence[int | str] | None = None

    def __post_init__(self) -> None:
        if not self.keepdim and not self.exclusive:
            raise ValueError("keepdim=False is for exclusive=True: a part of several keeps it.")

    def __call__(self, *args: Any, **kwargs: Any) -> list[tuple[int, Any, Any]]:
        """Return for each part the number of its worker, its arguments and keyword arguments.

        Raises:
            ValueError: If tensors lack the dimension, differ in its size, or are empty there.
        """
        leaves, spec = pytree.tree_flatten((args, kwargs))
        size = self._size(leaves, spec)
        if size is None:
            return [(get_world_rank(), args, dict(kwargs))]
        workers = _alive() if self.workers is None else [get_worker_id(w) for w in self.workers]
        count = size if self.exclusive else min(size, len(workers))
        sizes = [size // count + (k < size % count) for k in range(count)]
        starts = [sum(sizes[:k]) for k in range(count)]
        parts = []
        for k, (start, length) in enumerate(zip(starts, sizes, strict=True)):
            part = [
                leaf if not isinstance(leaf, torch.Tensor) else self._slice(leaf, start, length)
                for leaf in leaves
            ]
            parts.append((workers[k % len(workers)], *pytree.tree_unflatten(spec, part)))
        return Weighted(parts, sizes)

    def _slice(self, tensor: torch.Tensor, start: int, length: int) -> torch.Tensor:
        if self.keepdim:
            return tensor.narrow(self.dim, start, length)
        return tensor.select(self.dim, start)

    def _size(self, leaves: Sequence[Any], spec: Any) -> int | None:
        size, first = None, 0
        for k, leaf in enumerate(leaves):
            if not isinstance(leaf, torch.Tensor):
                continue
            if not -leaf.ndim <= self.dim < leaf.ndim:
                raise ValueError(
                    f"{_path(spec, k)} has shape {tuple(leaf.shape)}, and no dimension {self.dim} "
                    f"along which it could be divided: pass what is not divided as an object that "
                    f"is no tensor, or use a partitioner of your own."
                )
            if size is None:
                size, first = leaf.shape[self.dim], k
            elif size != leaf.shape[self.dim]:
                raise ValueError(
                    f"{_path(spec, k)} has size {leaf.shape[self.dim]} along dimension {self.dim}, "
                    f"but {_path(spec, first)} has size {size}: all tensors are divided alike."
                )
        if size == 0:
            raise ValueError(f"{_path(spec, first)} is empty along dimension {self.dim}.")
        return size


def _path(spec: Any, index: int) -> str:
    position, _, rest = checks.leaf_path(spec, index, "").partition("]")
    return f"`{'args' if position == '[0' else 'kwargs'}{rest}`"


def _alive() -> list[int]:
    if is_initialized():
        return [get_worker_id(name) for name in group_executor().workers]
    return list(range(get_world_size()))


def dim_partitioner(
    dim: int = 0,
    *,
    exclusive: bool = False,
    keepdim: bool = True,
    workers: Sequence[int | str] | None = None,
) -> PartitionFunction:
    """Return a :class:`TensorDimensionPartitioner`, which see."""
    return TensorDimensionPartitioner(dim, exclusive=exclusive, keepdim=keepdim, workers=workers)


_BATCH = TensorDimensionPartitioner(0, keepdim=True)


def batch_partitioner(*args: Any, **kwargs: Any) -> list[tuple[int, Any, Any]]:
    """Divide all tensors along their first dimension, one part for each worker."""
    return _BATCH(*args, **kwargs)


def mean_reducer(results: Iterable[Any]) -> Any:
    """Return the mean of the results, which are tensors, numbers, or trees of them.

    Results of a :class:`TensorDimensionPartitioner` count as much as their parts are large: so the mean
    over the parts of a batch is that over the batch.

    Raises:
        ValueError: If there are no results.

    Example:
        >>> import torch
        >>> mean_reducer([torch.tensor(1.0), torch.tensor(3.0)])
        tensor(2.)
    """
    values = _checked(results)
    weights = results.weights if isinstance(results, Weighted) else (1,) * len(values)

    def mean(*leaves: torch.Tensor) -> torch.Tensor:
        total = sum(w * leaf for w, leaf in zip(weights, leaves, strict=True))
        return as_tensor(total) / sum(weights)

    return pytree.tree_map(mean, *values)


def sum_reducer(results: Iterable[Any]) -> Any:
    """Return the sum of the results, which are tensors, numbers, or trees of them.

    Raises:
        ValueError: If there are no results.

    Example:
        >>> import torch
        >>> sum_reducer([torch.tensor(1.0), torch.tensor(3.0)])
        tensor(4.)
    """

    def total(*leaves: Any) -> torch.Tensor:
        return torch.stack([as_tensor(leaf) for leaf in leaves]).sum(0)

    return pytree.tree_map(total, *_checked(results))


def _checked(results: Iterable[Any]) -> list[Any]:
    values = list(results)
    if not values:
        raise ValueError("there are no results to reduce.")
    return values


def remote_async_call(
    func: Callable[..., Any],
    *,
    args: tuple[Any, ...] | None = None,
    kwargs: dict[str, Any] | None = None,
    partitioner: Partitioner | None = None,
    reducer: Reducer | None = None,
    timeout: float | None = _UNSET,
) -> Future[Any]:
    """Call a function on workers of the RPC group; do not wait for the result.

    The result is part of the caller's graph, as that of :func:`remote_map` in the mode ``"retain"``,
    and the arguments are as they are now. Arguments that hold an RRef, which only RPC can send, are
    sent by RPC alone: their derivatives are those of :mod:`torchopt.distributed.autograd`.

    Args:
        func: A function that stands at the top level of a module.
        args: Its arguments.
        kwargs: Its keyword arguments.
        partitioner: The name or number of a worker, which makes the one call; or a function of the
            arguments that returns for each call the worker, its arguments and keyword arguments; by
            default :func:`batch_partitioner`.
        reducer: What makes one result of the list of them; by default nothing.
        timeout: After how many seconds it fails; 0 or None for never; by default the group's.

    Returns:
        A future of the list of results, or of what the reducer made of it.

    Raises:
        RuntimeError: If there is no RPC group.
        TypeError: If the function or an argument cannot be sent.
        ValueError: If the partitioner is none, or returns something else.
    """
    executor = group_executor()
    args, kwargs = args or (), kwargs or {}
    seconds = group_timeout() if timeout == _UNSET else timeout or 0.0
    parts = _parts(partitioner, args, kwargs)
    names = {get_worker_id(info): info for info in executor.workers}
    if any(isinstance(leaf, _RREF) for leaf in pytree.tree_leaves([part[1:] for part in parts])):
        sent = [rpc.rpc_async(w, func, a, k, timeout=seconds) for w, a, k in parts]
        return _future(lambda: [reply.wait() for reply in sent], parts, reducer, None)
    call = functools.partial(
        remote_map,
        _Applied(func),
        [a for _, a, _ in parts],
        [k for _, _, k in parts],
        executor=executor,
        mode="retain",  # a function may have a state: it is not evaluated anew unless it must be
        workers=[names.get(w) for w, _, _ in parts],
    )
    return _future(call, parts, reducer, Ticket(seconds, len(parts)))


def _parts(
    partitioner: Partitioner | None, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> list[tuple[int, Any, Any]]:
    if partitioner is None:
        partitioner = batch_partitioner
    if isinstance(partitioner, SupportsIndex | str):
        return [(_member(partitioner), args, kwargs)]
    checks.check("partitioner", partitioner, _PARTITIONER)
    partition = partitioner(*args, **kwargs)
    checks.check("the result of the partitioner", partition, _PARTITION)
    parts: list[tuple[int, Any, Any]] = []
    for k, part in enumerate(partition):
        checks.check(f"the partitioner's part {k}", part, _PART)
        parts.append((_member(part[0]), tuple(part[1] or ()), dict(part[2] or {})))
    if not parts:
        raise ValueError("the partitioner has returned no parts.")
    if isinstance(partition, Weighted) and len(partition.weights) == len(parts):
        return Weighted(parts, partition.weights)
    return parts


def _member(worker: SupportsIndex | str) -> int:
    number = get_worker_id(worker)
    if not 0 <= number < get_world_size():
        raise ValueError(f"there is no worker {number} in a group of {get_world_size()}.")
    return number


def _future(
    call: Callable[[], list[Any]],
    parts: list[Any],
    reducer: Reducer | None,
    ticket: Ticket | None,
) -> Future[Any]:
    """Make a call in a new thread, with the settings of this one."""
    devices: list[Any] = list(range(torch.cuda.device_count()))
    future: Future[Any] = Future(devices=devices)
    settings, grad = TorchSettings.current(), torch.is_grad_enabled()

    def work() -> None:
        try:
            with torch.set_grad_enabled(grad), settings.applied():
                if ticket is None:
                    results = call()
                else:
                    with ticket.used():
                        results = call()
                if isinstance(parts, Weighted):
                    results = Weighted(results, parts.weights)
                future.set_result(results if reducer is None else reducer(results))
        except Exception as error:
            future.set_exception(error)

    if checks.transforms_active():  # which other threads know nothing of
        work()
        return future
    thread = threading.Thread(
        target=copy_context().run, args=(work,), name="torchopt-call", daemon=True
    )
    try:
        thread.start()
    except RuntimeError:  # from Python 3.12 on, at the end of the program
        work()
    if ticket is not None:
        ticket.sent.wait()
    return future


def remote_sync_call(
    func: Callable[..., Any],
    *,
    args: tuple[Any, ...] | None = None,
    kwargs: dict[str, Any] | None = None,
    partitioner: Partitioner | None = None,
    reducer: Reducer | None = None,
    timeout: float | None = _UNSET,
) -> Any:
    """Call a function on workers of the RPC group, and wait: see :func:`remote_async_call`."""
    return remote_async_call(
        func, args=args, kwargs=kwargs, partitioner=partitioner, reducer=reducer, timeout=timeout
    ).wait()


def parallelize(
    partitioner: Partitioner | None = None,
    reducer: Reducer | None = None,
    timeout: float | None = _UNSET,
) -> Callable[[Callable[_P, Any]], Callable[_P, Any]]:
    """Return a decorator: the function runs on workers of the RPC group.

    Args:
        partitioner: See :func:`remote_async_call`.
        reducer: See there; by default :func:`mean_reducer`, if there is no partitioner either.
        timeout: See there.

    Returns:
        The decorator, which raises TypeError if a worker cannot find the function by its name.

    Example:
        >>> @parallelize(reducer=sum_reducer)
        ... def total(batch):
        ...     return batch.sum()
    """
    return _decorator(remote_sync_call, partitioner, reducer, timeout)


parallelize_sync = parallelize


def parallelize_async(
    partitioner: Partitioner | None = None,
    reducer: Reducer | None = None,
    timeout: float | None = _UNSET,
) -> Callable[[Callable[_P, Any]], Callable[_P, Future[Any]]]:
    """Return a decorator as :func:`parallelize`, of a function that returns a future."""
    return _decorator(remote_async_call, partitioner, reducer, timeout)


def _decorator(
    how: Callable[..., Any],
    partitioner: Partitioner | None,
    reducer: Reducer | None,
    timeout: float | None,
) -> Callable[[Callable[_P, Any]], Callable[_P, Any]]:
    if partitioner is None and reducer is None:
        reducer = mean_reducer

    def decorate(function: Callable[_P, Any]) -> Callable[_P, Any]:
        named = _Named(function)

        @functools.wraps(function)
        def call(*args: _P.args, **kwargs: _P.kwargs) -> Any:
            return how(
                named,
                args=args,
                kwargs=kwargs,
                partitioner=partitioner,
                reducer=reducer,
                timeout=timeout,
            )

        call._of = function  # type: ignore[attr-defined]
        return call

    return decorate


class _Applied:
    """A function of its arguments and its keyword arguments."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        self.__qualname__ = getattr(function, "__qualname__", type(function).__name__)

    def __call__(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return self._function(*args, **kwargs)


class _Named:
    """A function that is pickled by the name of its decorated form."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        self.__qualname__ = getattr(function, "__qualname__", type(function).__name__)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._function(*args, **kwargs)

    def __reduce__(self) -> tuple[Any, ...]:
        module = getattr(self._function, "__module__", None)
        if module is None or "<" in self.__qualname__:
            raise TypeError(f"`{self.__qualname__}` does not stand at the top level of a module")
        if _find(module, self.__qualname__) is not self._function:
            raise TypeError(f"`{self.__qualname__}` in {module} is another function")
        return _named, (module, self.__qualname__)


def _named(module: str, name: str) -> _Named:
    return _Named(_find(module, name))


def _find(module: str, name: str) -> Callable[..., Any]:
    """Return the undecorated function of a name."""
    target: Any = functools.reduce(getattr, name.split("."), importlib.import_module(module))
    inner = target
    while inner is not None and not hasattr(inner, "_of"):
        inner = getattr(inner, "__wrapped__", None)
    return target if inner is None else inner._of


_publish(__name__)

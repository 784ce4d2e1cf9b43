r"""A function that runs on workers, as one operator that autograd goes through to any order.

The vector-Jacobian product of a remote call is a remote call: of the same function, its inputs and the
cotangents, on any worker. So workers keep nothing, a call is repeated when its worker is lost, and all
parts of a backward pass run at once.
"""

from __future__ import annotations

import uuid
import weakref
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, NamedTuple, TypeAlias, TypeVar

import torch

from torchopt import checks
from torchopt.autodiff import transforms
from torchopt.autodiff.compiling import uncompiled
from torchopt.autodiff.environment import TorchSettings
from torchopt.autodiff.generators import seed_of
from torchopt.autodiff.tracking import is_differentiable, tracking
from torchopt.distributed._dispatch import Call, Dispatcher, Schedule
from torchopt.distributed._evaluate import Job, Level, Outcome, evaluate, evaluate_retained, forget
from torchopt.distributed._executor import Executor
from torchopt.distributed._executors import executor_of
from torchopt.distributed._pack import pack, unpack

RemoteMode: TypeAlias = Literal["eager", "recompute", "retain"]
"""Where the first derivative comes from."""

_T = TypeVar("_T")
_COLUMN = checks.of_type(Sequence, "a list, with one for each call")
_FUNCTION = checks.a_function("the arguments")
_MIX, _SEEDS = 0x9E3779B97F4A7C15, 1 << 63


@uncompiled
def remote_map(
    function: Callable[..., _T] | Sequence[Callable[..., _T]],
    /,
    values: Sequence[object],
    *more: Sequence[object],
    executor: Executor | str | None = None,
    mode: RemoteMode = "eager",
    schedule: Schedule = "static",
    workers: Sequence[str | None] | None = None,
    generator: torch.Generator | int | None = None,
    timeout: float | None = None,
    retries: int = 2,
) -> list[_T]:
    r"""Call a function several times on workers, differentiably, as ``map`` does.

    .. math:: ((x_1, \dots, x_n), (y_1, \dots, y_n)) \mapsto (f(x_1, y_1), \dots, f(x_n, y_n))

    The results are part of the caller's graph: they can be differentiated with respect to every tensor
    that was sent, in a tree, in a module, in an object or in a ``functools.partial``, to any order,
    by ``torch.autograd`` and ``torch.func``. What the function changes on a worker (buffers of a
    module, global variables) stays there.

    Args:
        function: A function that stands at the top level of a module, so that a worker can import it;
            or a list of one for each call (many programs).
        values: The values of its first argument, one for each call.
        *more: Those of its other arguments. What all calls share may be in a ``functools.partial``.
        executor: Where the calls run: an :class:`Executor`, or the name of one that is shared,
            ``"process"`` (the default), ``"local"``, ``"rpc"``, ``"ray"`` or ``"monarch"``.
        mode: Where the first derivative comes from: ``"eager"``, a result that is one scalar comes
            with its gradient; ``"recompute"``, the function is evaluated anew; ``"retain"``, as
            ``"eager"``, and of any other result the worker keeps the graph until it is used. Higher
            derivatives are computed anew in each of them, and
            so are those of a worker that was lost.
        schedule: ``"static"``: the workers take turns; ``"dynamic"``: who is idle takes the next, for
            calls or workers of unequal speed.
        workers: Who makes each call, by name; None for any. If that worker is lost, another does it.
        generator: Where the seeds of the calls come from: each call, and each evaluation of it anew,
            sees the same random numbers of PyTorch, on whichever worker it is made. By default
            PyTorch's default generator.
        timeout: After how many seconds without an answer a worker is given up; by default only its
            executor notices.
        retries: How often a call is made again when its worker was lost.

    Returns:
        The results, in the order of the calls.

    Raises:
        TypeError: If a function, an argument or a result cannot be sent.
        ValueError: If the values of an argument, the functions or the workers are not as many as the
            calls, or an option is unknown.
        WorkerLostError: If a call was lost more often than ``retries`` times.

    Example:
        >>> import torch, torchopt
        >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
        >>> losses = remote_map(torch.dot, [x, x], [x, 3 * x], executor="local")
        >>> torch.autograd.grad(sum(losses), x)[0]
        tensor([ 8., 16.])

    References:
        Ren et al., TorchOpt, 2023, section 4.3 (the distributed framework, on PyTorch's RPC).
    """
    checks.check_choice("mode", mode, RemoteMode)
    checks.check_choice("schedule", schedule, Schedule)
    columns = {f"values of argument {k}": x for k, x in enumerate((values, *more), 1)}
    for what, column in columns.items():
        checks.check(what, column, _COLUMN)
    calls = list(zip(*columns.values(), strict=False))
    count = len(calls)
    functions = [function] * count if callable(function) else list(function)
    names = [None] * count if workers is None else list(workers)
    for what, listed in {**columns, "functions": functions, "workers": names}.items():
        if len(listed) != count:
            raise ValueError(f"there are {count} calls, but {len(listed)} {what}.")
    flat, parts = _parts(functions, calls, names, seed_of(generator))
    if not parts:
        return []
    dispatcher = Dispatcher(executor_of(executor), schedule, timeout, retries)
    _check_names(dispatcher.executor, names)
    parts = [_with_first_derivative(part, flat, mode) for part in parts]
    sent = _Sent(dispatcher, parts)
    outputs = _RemoteMap.apply(sent, *flat)
    results = []
    for part, outcome in zip(sent.parts, _split(outputs, sent.sizes), strict=True):
        results.append(unpack(part.result, outcome))
    return results


@dataclass(frozen=True, eq=False)
class _Part:
    """One call.

    Attributes:
        job: The computation.
        inputs: The positions of its inputs among the tensors of all parts.
        worker: The worker that must run it; None for any.
        gradient: The gradient that came with a scalar, for each of the requested inputs.
        result: The result without its tensors.
        live: Which outputs depend on the inputs.
        keeper: Holds the graph that a worker retains.
    """

    job: Job
    inputs: tuple[int, ...]
    worker: str | None
    gradient: tuple[torch.Tensor | None, ...] | None = None
    result: bytes = b""
    live: tuple[bool, ...] | None = None
    keeper: _Keeper | None = None


class _Sent:
    """The parts of one operator; after the forward pass, also the sizes of their outputs."""

    def __init__(self, dispatcher: Dispatcher, parts: Sequence[_Part]) -> None:
        self.dispatcher = dispatcher
        self.parts = list(parts)
        self.sizes: list[int] = []

    def run(self, flat: Sequence[torch.Tensor]) -> tuple[torch.Tensor | None, ...]:
        _Keeper.free(self.dispatcher.executor)
        calls = [_call(part, flat) for part in self.parts]
        try:
            with transforms.outside():
                outcomes, by = self.dispatcher.run(calls)
        except BaseException:
            _Keeper.give_up(self.dispatcher.executor, [part.job.retain for part in self.parts])
            raise
        self.parts = [
            _with_outcome(self.dispatcher.executor, *row)
            for row in zip(self.parts, outcomes, by, strict=True)
        ]
        self.sizes = [len(outcome.tensors) for outcome in outcomes]
        return tuple(t for outcome in outcomes for t in outcome.tensors)


class _RemoteMap(torch.autograd.Function):
    @staticmethod
    def forward(sent: _Sent, *flat: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        return sent.run(flat)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        ctx.sent, *flat = inputs
        ctx.set_materialize_grads(False)
        ctx.size = len(flat)
        ctx.shapes = [
            [
                None if t is None or not is_differentiable(t) else _Like(t.shape, t.dtype, t.device)
                for t in ts
            ]
            for ts in _split(output, ctx.sent.sizes)
        ]
        dead = [
            t
            for part, ts in zip(ctx.sent.parts, _split(output, ctx.sent.sizes), strict=True)
            for k, t in enumerate(ts)
            if t is not None and not (is_differentiable(t) and (part.live is None or part.live[k]))
        ]
        ctx.mark_non_differentiable(*dead)
        ctx.save_for_backward(*flat)
        ctx.save_for_forward(*flat)

    @staticmethod
    def backward(ctx: Any, *cotangents: torch.Tensor | None) -> tuple[Any, ...]:
        sent, size = ctx.sent, ctx.size
        total: list[torch.Tensor | None] = [None] * size

        def add(index: int, gradient: torch.Tensor | None) -> None:
            if gradient is not None:
                before = total[index]
                total[index] = gradient if before is None else before + gradient

        extra: list[Any] = []
        products: list[_Part] = []
        for part, cs in zip(sent.parts, _split(cotangents, sent.sizes), strict=True):
            asked = [k for k, c in enumerate(cs) if c is not None]
            moving = [k for k, i in enumerate(part.inputs) if ctx.needs_input_grad[1 + i]]
            if not asked or not moving:
                continue
            if part.gradient is not None and not tracking():
                for k, gradient in zip(part.job.requires, part.gradient, strict=True):
                    if gradient is not None and ctx.needs_input_grad[1 + part.inputs[k]]:
                        add(part.inputs[k], gradient * cs[asked[0]])
                continue
            more = tuple(range(size + len(extra), size + len(extra) + len(asked)))
            extra += [cs[k] for k in asked]
            products.append(_product(part, Level(tuple(moving), tuple(asked)), more))
        if products:
            further = _Sent(sent.dispatcher, products)
            second = _RemoteMap.apply(further, *ctx.saved_tensors, *extra)
            for part, gradients in zip(further.parts, _split(second, further.sizes), strict=True):
                for k, gradient in zip(part.job.levels[-1].moving, gradients, strict=True):
                    add(part.inputs[k], gradient)
        return (None, *total)

    @staticmethod
    def jvp(ctx: Any, _sent: Any, *tangents: torch.Tensor | None) -> Any:
        # J v is the derivative of u -> Jᵀ u in the direction v, which is linear: u may be anything.
        flat, sent = ctx.saved_tensors, ctx.sent
        inputs = list(flat)
        products, empty = [], []
        for part, shapes in zip(sent.parts, ctx.shapes, strict=True):
            moving = tuple(k for k, i in enumerate(part.inputs) if tangents[i] is not None)
            asked = tuple(k for k, shape in enumerate(shapes) if shape is not None)
            if not moving or not asked:
                empty.append(part)
                continue
            u = [shape.zeros() for shape in shapes if shape is not None]
            v = [tangents[part.inputs[k]] for k in moving]
            size = part.job.inputs(len(part.job.levels))
            upper = Level(tuple(range(size, size + len(u))), tuple(range(len(v))))
            more = tuple(range(len(inputs), len(inputs) + len(u) + len(v)))
            inputs += [*u, *v]
            product = _product(part, Level(moving, asked), more)
            products.append(replace(product, job=product.job.vjp(upper)))
        outputs: Any = ()
        if products:
            further = _Sent(sent.dispatcher, products)
            outputs = list(_split(_RemoteMap.apply(further, *inputs), further.sizes))
        rows = iter(outputs)
        out: list[torch.Tensor | None] = []
        for part, shapes in zip(sent.parts, ctx.shapes, strict=True):
            row = iter(() if part in empty else next(rows))
            for shape in shapes:
                along = None if shape is None or part in empty else next(row)
                if shape is not None and along is None:
                    along = shape.zeros()
                out.append(along)
        return tuple(out)

    @staticmethod
    def vmap(info: Any, in_dims: Any, sent: _Sent, *flat: torch.Tensor) -> tuple[Any, Any]:
        # Each problem of the batch is a call of its own, and all of them run at once.
        rows: list[torch.Tensor] = []
        parts: list[_Part] = []
        for k in range(info.batch_size):
            at = {}
            for i, (t, d) in enumerate(zip(flat, in_dims[1:], strict=True)):
                at[i] = len(rows)
                rows.append(t if d is None else t.select(d, k))
            for part in sent.parts:
                job = part.job
                if info.randomness == "different":
                    job = replace(job, seed=_child(job.seed, k))
                parts.append(replace(part, job=job, inputs=tuple(at[i] for i in part.inputs)))
        batch = _Sent(sent.dispatcher, parts)
        outputs = _RemoteMap.apply(batch, *rows)
        count = len(sent.parts)
        sent.parts = [
            replace(old, result=new.result)
            for old, new in zip(sent.parts, batch.parts[:count], strict=True)
        ]
        sent.sizes = batch.sizes[:count]
        if any(part.result != batch.parts[k % count].result for k, part in enumerate(batch.parts)):
            raise ValueError(
                "the results of a remote call differ between the problems of a batch in more than "
                "their tensors: return tensors only, or use a loop in place of `torch.func.vmap`."
            )
        split = list(_split(outputs, batch.sizes))
        columns = [
            [split[b * count + k][j] for b in range(info.batch_size)]
            for k in range(count)
            for j in range(sent.sizes[k])
        ]
        stacked = [_stacked(column) for column in columns]
        return tuple(stacked), tuple(None if y is None else 0 for y in stacked)


def _parts(
    functions: Sequence[Callable[..., Any]],
    calls: Sequence[tuple[object, ...]],
    workers: Sequence[str | None],
    seed: int,
) -> tuple[list[torch.Tensor], list[_Part]]:
    flat: list[torch.Tensor] = []
    index: dict[int, int] = {}
    parts = []
    settings = TorchSettings.current()
    for k, (function, args, worker) in enumerate(zip(functions, calls, workers, strict=True)):
        checks.check(f"the function of call {k}", function, _FUNCTION)
        name = getattr(function, "__qualname__", type(function).__name__)
        packed = pack((function, args), f"`{name}`, or what it is called with in call {k},")
        for t in packed.tensors:
            if id(t) not in index:
                index[id(t)] = len(flat)
                flat.append(t)
        job = Job(packed.payload, len(packed.tensors), _child(seed, k), settings)
        parts.append(_Part(job, tuple(index[id(t)] for t in packed.tensors), worker))
    return flat, parts


_NAMES: weakref.WeakKeyDictionary[Executor, set[str]] = weakref.WeakKeyDictionary()


def _check_names(executor: Executor, names: Sequence[str | None]) -> None:
    """Raise if a name belongs to no worker, or to a lost one."""
    known = _NAMES.setdefault(executor, set())
    known.update(executor.workers)
    for name in filter(None, names):
        checks.check_known("worker", name, known)


def _with_first_derivative(part: _Part, flat: Sequence[torch.Tensor], mode: RemoteMode) -> _Part:
    """Request the gradient, or a retained graph, together with the value."""
    grad = torch.is_grad_enabled()
    requires = tuple(k for k, i in enumerate(part.inputs) if flat[i].requires_grad) if grad else ()
    job = replace(part.job, grad=grad, requires=requires)
    if mode != "recompute" and requires and not checks.transforms_active():
        key = uuid.uuid4().hex if mode == "retain" else None
        job = replace(job, eager=True, retain=key)
    return replace(part, job=job)


def _product(part: _Part, level: Level, more: tuple[int, ...]) -> _Part:
    """Return the call of a part's vector-Jacobian product."""
    keeper = None if tracking() else part.keeper
    worker = part.worker if keeper is None else keeper.worker
    job = part.job.vjp(level)
    if keeper is not None:
        job = replace(job, retain=part.job.retain)
    return _Part(job, (*part.inputs, *more), worker, keeper=keeper)


def _call(part: _Part, flat: Sequence[torch.Tensor]) -> Call:
    job, inputs = part.job, [flat[i] for i in part.inputs]
    if part.keeper is None:
        return Call(evaluate, (job, inputs), part.worker)
    size = job.inputs(len(job.levels) - 1)
    return Call(evaluate_retained, (job, inputs[:size], inputs[size:]), part.worker)


def _with_outcome(executor: Executor, part: _Part, outcome: Outcome, worker: str) -> _Part:
    key = part.job.retain
    kept = key is not None and not part.job.levels and outcome.gradient is None
    keeper = _Keeper(executor, worker, key) if kept and key is not None else None
    return replace(
        part, gradient=outcome.gradient, result=outcome.payload, live=outcome.live, keeper=keeper
    )


class _Keeper:
    """Refers to a graph that a worker retains; a later call frees the graph once this is gone."""

    unused: ClassVar[deque[tuple[weakref.ref[Executor], str, str]]] = deque()

    def __init__(self, executor: Executor, worker: str, key: str) -> None:
        self.worker = worker
        weakref.finalize(
            self, self.unused.append, (weakref.ref(executor), worker, key)
        ).atexit = False

    @classmethod
    def give_up(cls, executor: Executor, keys: Sequence[str | None]) -> None:
        """Mark the graphs as unused that workers may retain for an operator that failed."""
        for worker in executor.workers:
            cls.unused.extend(
                (weakref.ref(executor), worker, key) for key in keys if key is not None
            )

    @classmethod
    def free(cls, executor: Executor) -> None:
        """Free unused graphs on the workers of an executor."""
        keys: dict[str, list[str]] = {}
        for _ in range(len(cls.unused)):
            of, worker, key = cls.unused.popleft()
            if of() is executor:
                keys.setdefault(worker, []).append(key)
            elif of() is not None:
                cls.unused.append((of, worker, key))
        for worker in keys.keys() & set(executor.workers):
            executor.submit(worker, forget, keys[worker])


def _stacked(column: Sequence[torch.Tensor | None]) -> torch.Tensor | None:
    """Return the stacked tensors of a batch; None stands for a zero gradient."""
    like = next((t for t in column if t is not None), None)
    if like is None:
        return None
    return torch.stack([torch.zeros_like(like) if t is None else t for t in column])


class _Like(NamedTuple):
    shape: torch.Size
    dtype: torch.dtype
    device: torch.device

    def zeros(self) -> torch.Tensor:
        return torch.zeros(self.shape, dtype=self.dtype, device=self.device)


def _split(values: Sequence[Any], sizes: Sequence[int]) -> Iterator[Sequence[Any]]:
    start = 0
    for size in sizes:
        yield values[start : start + size]
        start += size


def _child(seed: int, index: int) -> int:
    return (seed * _MIX + index + 1) % _SEEDS

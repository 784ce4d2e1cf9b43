"""Scans: a step that is repeated, as one operation that can be batched, differentiated and compiled.

As ``jax.lax.scan``. A step is a function of tensors

    step(*carries, *slices, *constants) -> [*carries, *lasts, *stacked]

and a scan does it a number of times: what is carried goes from step to step, of what is sliced each
step gets its part, ``lasts`` are the values after the last step only, and what is stacked is collected.
The gradient of a scan is a scan, too, that runs backwards over the carries that were kept; under
``vmap`` it is a scan whose step is batched. So a step is traced and compiled once for each of
these, however often it runs.
"""

from __future__ import annotations

import itertools
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar, NamedTuple

import torch
from torch import fx

from torchopt.autodiff.transforms import outside

Tensors = list[torch.Tensor]
Step = Callable[..., Sequence[torch.Tensor]]
_NO_FORWARD = "a loop of compiled code has no forward mode: use reverse mode, or no `compile=True`"


class Meta(NamedTuple):
    """What is fixed of a tensor when code is compiled."""

    shape: tuple[int, ...]
    dtype: torch.dtype
    device: torch.device

    @classmethod
    def of(cls, tensor: torch.Tensor) -> Meta:
        """Return that of a tensor."""
        return cls(tuple(tensor.shape), tensor.dtype, tensor.device)

    def batched(self, size: int) -> Meta:
        """Return that of a batch."""
        return self._replace(shape=(size, *self.shape))

    def empty(self) -> torch.Tensor:
        """Return such a tensor."""
        return torch.empty(self.shape, dtype=self.dtype, device=self.device)

    @property
    def differentiable(self) -> bool:
        """Whether there are derivatives with respect to it."""
        return self.dtype.is_floating_point


class Shape(NamedTuple):
    """How many tensors of each sort a step takes and returns."""

    carries: int
    slices: int
    constants: int
    lasts: int

    @property
    def sliced(self) -> range:
        """The places of the slices among the operands."""
        return range(self.carries, self.carries + self.slices)

    @property
    def results(self) -> int:
        """How many results are not stacked."""
        return self.carries + self.lasts


class Scan:
    """A step, and how often it runs.

    Args:
        step: The step, a pure function.
        steps: How often it runs, at least once.
        shape: How many tensors of each sort it takes and returns.
        metas: What is fixed of its operands.
        reverse: Whether it takes the last slice first.
        keeps: Whether to stack what is carried into each step, too, after all other results.
    """

    has_steps: ClassVar[bool] = True

    def __init__(
        self,
        step: Step,
        steps: int,
        shape: Shape,
        metas: Sequence[Meta],
        *,
        reverse: bool = False,
        keeps: bool = False,
    ) -> None:
        self.step = step
        self.steps = steps
        self.shape = shape
        self.metas = tuple(metas)
        self.reverse = reverse
        self.keeps = keeps
        self.key = f"{_SESSION}-{next(_NUMBERS)}"
        self._derived: dict[Any, Any] = {}
        self.origin = self  # whose step is traced and compiled
        self._trace: tuple[fx.GraphModule, list[Meta]] | None = None
        self._compiled: Callable[..., Any] | None = None
        self._inlined = False
        _SCANS[self.key] = self

    def trace(self) -> tuple[fx.GraphModule, list[Meta]]:
        """Return one step as a graph of operations without transforms, and what it returns."""
        if self.origin is not self:
            return self.origin.trace()
        if self._trace is None:
            from torch._subclasses import FakeTensorMode
            from torch.fx.experimental.proxy_tensor import make_fx

            def flat(*operands: torch.Tensor) -> Tensors:
                return [y.contiguous() for y in self.step(*operands)]

            with outside_of_tracing(), FakeTensorMode():
                operands = [m.empty() for m in self.metas]
                with torch.enable_grad():
                    graph = make_fx(flat)(*operands)
            (output,) = graph.graph.find_nodes(op="output")
            self._trace = graph, [Meta.of(y.meta["val"]) for y in output.args[0]]
        return self._trace

    @property
    def graph(self) -> fx.GraphModule:
        """One step, as a graph of operations without transforms."""
        return self.trace()[0]

    @property
    def results(self) -> list[Meta]:
        """What is fixed of the results of one step."""
        return self.trace()[1]

    def keeping(self) -> Scan:
        """Return the scan that stacks what is carried into each step, too."""
        if self.keeps:
            return self
        one = self.step, self.steps, self.shape, self.metas
        scan: Scan = self._derive("keeping", lambda: Scan(*one, reverse=self.reverse, keeps=True))
        scan.origin = self.origin  # the step is the same
        return scan

    def batched(self, which: Sequence[bool], size: int) -> tuple[Scan, list[bool], list[bool]]:
        """Return the scan for a batch, and which of its operands and results are batched.

        Args:
            which: Which operands are batched; a carry is, too, where a step makes it depend on
                one that is.
            size: The size of the batch.
        """
        wanted = list(which)
        while True:
            is_batched = self._depends(wanted)
            carried = [
                w or (i < self.shape.carries and is_batched[i]) for i, w in enumerate(wanted)
            ]
            if carried == wanted:
                break
            wanted = carried
        in_dims: Any = tuple(0 if w else None for w in wanted)
        out_dims: Any = tuple(0 if f else None for f in is_batched)
        step = torch.vmap(lambda *operands: tuple(self.step(*operands)), in_dims, out_dims)
        metas = [m.batched(size) if w else m for w, m in zip(wanted, self.metas, strict=True)]
        key = ("batched", tuple(wanted), size)
        scan = self._derive(key, lambda: self._like_it(step, metas, size))
        return scan, wanted, is_batched

    def _like_it(self, step: Step, metas: Sequence[Meta], size: int) -> Scan:
        """Return the scan of another step, that of a batch."""
        return Scan(step, self.steps, self.shape, metas, reverse=self.reverse, keeps=self.keeps)

    def backward(self, needed: Sequence[bool], given: Sequence[bool]) -> Backward:
        """Return the scan that takes cotangents of the results to those of the operands.

        Args:
            needed: Which operands need one.
            given: Which results have one.
        """
        key = ("backward", tuple(needed), tuple(given))
        return self._derive(key, lambda: Backward(self, needed, given))

    def run(self, operands: Sequence[torch.Tensor]) -> Tensors:
        """Do all steps, without a graph."""
        step = self.origin._compiled or self.graph
        shape = self.shape
        operands = [t.contiguous() for t in operands]
        carries, constants = operands[: shape.carries], operands[shape.carries + shape.slices :]
        slices = [operands[i].unbind() for i in shape.sliced]
        rows: list[Tensors] = []
        order = range(self.steps)
        out: Any = ()
        with torch.no_grad():
            for k in reversed(order) if self.reverse else order:
                before = carries
                out = step(*carries, *(x[k] for x in slices), *constants)
                carries = out[: shape.carries]
                rows.append([*out[shape.results :], *(before if self.keeps else ())])
            rows = rows[::-1] if self.reverse else rows
            stacked = [torch.stack(column) for column in zip(*rows, strict=True)]
        return apart(out[: shape.results], operands) + stacked

    def empty(self) -> Tensors:
        """Return tensors like the results of all steps."""
        unstacked, stacked = self.results[: self.shape.results], self.results[self.shape.results :]
        if self.keeps:
            stacked = [*stacked, *self.metas[: self.shape.carries]]
        return [m.empty() for m in [*unstacked, *(m.batched(self.steps) for m in stacked)]]

    def compile(self, compiler: Callable[[fx.GraphModule], Callable[..., Any]]) -> None:
        """Compile a step, once."""
        if self.origin._compiled is None and not self._inlined:
            with outside_of_tracing(), torch.no_grad():
                self.origin._compiled = compiler(self.graph)

    def inlined(self) -> None:
        """Note that other code contains the steps, so that they need not be compiled."""
        self._inlined = True

    def _derive(self, key: Any, make: Callable[[], Any]) -> Any:
        if key not in self._derived:
            self._derived[key] = make()
        return self._derived[key]

    def _depends(self, which: Sequence[bool]) -> list[bool]:
        """Return which results depend on any of some operands."""
        operands = iter(which)
        reached: set[fx.Node] = set()
        for node in self.graph.graph.nodes:
            before = node.op == "placeholder" and next(operands)
            if before or any(x in reached for x in node.all_input_nodes):
                reached.add(node)
        (output,) = self.graph.graph.find_nodes(op="output")
        return [y in reached for y in output.args[0]]


class Backward:
    """The scan that is another's backward pass, and which tensors it takes and returns.

    It carries the cotangents of the carries, of the last values (zero but at the last step), and the
    sums of those of the constants; it stacks those of the slices.
    """

    def __init__(self, scan: Scan, needed: Sequence[bool], given: Sequence[bool]) -> None:
        shape, metas, results = scan.shape, scan.metas, scan.results
        carries, slices = range(shape.carries), shape.sliced
        constants = range(slices.stop, slices.stop + shape.constants)
        self.carries = [i for i in carries if metas[i].differentiable]
        self.slices = [i for i in slices if metas[i].differentiable and needed[i]]
        self.constants = [i for i in constants if metas[i].differentiable and needed[i]]
        self.lasts = [i for i in range(shape.carries, shape.results) if given[i]]
        self.stacked = [i for i in range(shape.results, len(results)) if given[i]]
        # Of carries that were kept, where this is a gradient of a gradient.
        self.kept = [i for i in self.carries if any(given[len(results) + i :][:1])]
        moving = self.carries + self.slices + self.constants

        def step(*operands: torch.Tensor) -> Tensors:
            it = iter(operands)

            def take(count: int) -> Tensors:
                return list(itertools.islice(it, count))

            d_carries, d_lasts = take(len(self.carries)), take(len(self.lasts))
            sums = take(len(self.constants))
            inputs = take(shape.carries + shape.slices)
            d_stacked, d_kept = take(len(self.stacked)), take(len(self.kept))
            inputs += it

            def forward(*values: torch.Tensor) -> tuple[torch.Tensor, ...]:
                filled = list(inputs)
                for i, value in zip(moving, values, strict=True):
                    filled[i] = value
                out = scan.step(*filled)
                return tuple(out[i] for i in self.carries + self.lasts + self.stacked)

            vjp: Any = torch.func.vjp(forward, *(inputs[i] for i in moving))[1]
            cotangents = iter(vjp((*d_carries, *d_lasts, *d_stacked)))
            before = list(itertools.islice(cotangents, len(self.carries)))
            for i, d in zip(self.kept, d_kept, strict=True):
                before[self.carries.index(i)] = before[self.carries.index(i)] + d
            d_slices = list(itertools.islice(cotangents, len(self.slices)))
            sums = [s + d for s, d in zip(sums, cotangents, strict=True)]
            return [*before, *(torch.zeros_like(d) for d in d_lasts), *sums, *d_slices]

        self.scan = Scan(
            step,
            scan.steps,
            Shape(
                len(self.carries) + len(self.lasts) + len(self.constants),
                shape.carries + shape.slices + len(self.stacked) + len(self.kept),
                shape.constants,
                0,
            ),
            [
                *(metas[i] for i in self.carries),
                *(results[i] for i in self.lasts),
                *(metas[i] for i in self.constants),
                *metas[: slices.stop],
                *(results[i] for i in self.stacked),
                *(metas[i] for i in self.kept),
                *metas[slices.stop :],
            ],
            reverse=not scan.reverse,
        )
        self._shape, self._results = shape, len(results)

    def __call__(
        self, inputs: Sequence[torch.Tensor], cotangents: Sequence[torch.Tensor | None]
    ) -> list[torch.Tensor | None]:
        """Return the cotangents of the operands.

        Args:
            inputs: The carries before each step, stacked, the slices, and the constants.
            cotangents: Those of the results, some of them None.
        """
        split = self._shape.sliced.stop
        given: list[Any] = list(cotangents)
        d_carries = [
            torch.zeros_like(inputs[i][0]) if given[i] is None else given[i] for i in self.carries
        ]
        sums = [torch.zeros_like(inputs[i]) for i in self.constants]
        cotangents = call(
            self.scan,
            *d_carries,
            *(given[i] for i in self.lasts),
            *sums,
            *inputs[:split],
            *(given[i] for i in self.stacked),
            *(given[self._results + i] for i in self.kept),
            *inputs[split:],
        )
        del cotangents[len(self.carries) : len(self.carries) + len(self.lasts)]
        out: list[torch.Tensor | None] = [None] * len(inputs)
        for i, cotangent in zip(
            [*self.carries, *self.constants, *self.slices], cotangents, strict=True
        ):
            out[i] = cotangent
        return out


class _Loop(torch.autograd.Function):
    """A scan as a differentiable function of its operands."""

    @staticmethod
    def forward(scan: Scan, *operands: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return run(scan, operands)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: tuple[torch.Tensor, ...]) -> None:
        scan, *operands = inputs
        ctx.scan = scan
        ctx.set_materialize_grads(False)
        if scan.keeps:
            carries = scan.shape.carries
            ctx.save_for_backward(*output[len(output) - carries :], *operands[carries:])
        fixed = (y for y in output if not (scan.keeps and y.is_floating_point()))
        ctx.mark_non_differentiable(*fixed)

    @staticmethod
    def vmap(info: Any, in_dims: tuple[Any, ...], scan: Scan, *operands: Any) -> Any:
        size = info.batch_size
        which = [d is not None for d in in_dims[1:]]
        batched, wanted, is_batched = scan.batched(which, size)
        if scan.keeps:
            is_batched = is_batched + wanted[: scan.shape.carries]
        moved = []
        for i, (x, d) in enumerate(zip(operands, in_dims[1:], strict=True)):
            place = 1 if i in scan.shape.sliced else 0
            if d is not None:
                x = x.movedim(d, place)
            elif wanted[i]:
                x = x.unsqueeze(place).expand(*x.shape[:place], size, *x.shape[place:])
            moved.append(x)
        unstacked = scan.shape.results
        out_dims = tuple((int(i >= unstacked) if f else None) for i, f in enumerate(is_batched))
        return _Loop.apply(batched, *moved), out_dims

    @staticmethod
    def backward(ctx: Any, *cotangents: torch.Tensor | None) -> tuple[Any, ...]:
        given = [c is not None for c in cotangents]
        backward = ctx.scan.backward(ctx.needs_input_grad[1:], given)
        return (None, *backward(ctx.saved_tensors, cotangents))

    @staticmethod
    def jvp(ctx: Any, *tangents: Any) -> None:
        if ctx.scan.has_steps:
            raise NotImplementedError(_NO_FORWARD)


def run(scan: Scan, operands: Sequence[torch.Tensor]) -> tuple[torch.Tensor, ...]:
    """Run a scan, as one operation of what is compiled."""
    scan.trace()  # here, where operations are seen as they are
    for used in _COLLECTING:
        used[scan.key] = scan
    return tuple(torch.ops.torchopt_scan.run(scan.key, list(operands)))


def apart(results: Sequence[torch.Tensor], operands: Sequence[torch.Tensor]) -> Tensors:
    """Return results that share no memory, as those of an operation must."""
    seen = {t.untyped_storage().data_ptr() for t in operands}
    out = []
    for t in results:
        place = t.untyped_storage().data_ptr()
        out.append(t.clone() if place in seen else t)
        seen.add(place)
    return out


def call(scan: Scan, *operands: torch.Tensor) -> Tensors:
    """Run a scan, differentiably where it keeps its carries: where there is a graph."""
    results = len(scan.results)
    out = _Loop.apply(scan.keeping() if torch.is_grad_enabled() else scan, *operands)
    return list(out[:results])


def of_key(key: str) -> Scan:
    """Return a scan from the key in its operation."""
    return _SCANS[key]


_OPERATION = type(torch.ops.aten.add.Tensor)


def is_pure(graph: fx.GraphModule) -> bool:
    """Whether a graph changes nothing in place and draws no random numbers."""
    nodes = graph.graph.nodes
    operations = [n.target for n in nodes if isinstance(n.target, _OPERATION)]
    return not any(
        torch.Tag.nondeterministic_seeded in operation.tags or operation._schema.is_mutable
        for operation in operations
    )


@contextmanager
def collecting() -> Iterator[dict[str, Scan]]:
    """Collect the scans that run in a block, by their keys."""
    used: dict[str, Scan] = {}
    _COLLECTING.append(used)
    try:
        yield used
    finally:
        _COLLECTING.remove(used)


@contextmanager
def outside_of_tracing() -> Iterator[None]:
    """Leave what traces the code around, to trace something by itself."""
    from torch.utils._python_dispatch import _disable_current_modes

    with _disable_current_modes(), outside(), torch._guards.tracing(None):
        yield


# The operation of a scan, which compilers see as one. Scans live as long as compiled code may.
_SESSION = uuid.uuid4().hex  # compiled code that is found on disk is not of another session's scans
_NUMBERS = itertools.count()
_SCANS: dict[str, Scan] = {}
_COLLECTING: list[dict[str, Scan]] = []
_LIBRARY = torch.library.Library("torchopt_scan", "DEF")
_LIBRARY.define("run(str key, Tensor[] operands) -> Tensor[]")
_LIBRARY.impl("run", lambda key, x: _SCANS[key].run(x), "CompositeExplicitAutograd")
torch.library.register_fake("torchopt_scan::run", lambda key, _: _SCANS[key].empty(), lib=_LIBRARY)

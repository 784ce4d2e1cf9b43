"""A recording of what the graph does not show: where values left it, with the user's lines.

A mode watches every function of PyTorch that is called. Where something that requires grad goes in and
something that does not comes out, the graph is *cut*. What was computed from the result, directly or
not, remembers the cut: plain tensors in a weak table, nodes of the graph in their own metadata.
"""

from __future__ import annotations

import copy
import linecache
import os
import re
import sys
import types
import weakref
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, ClassVar

import torch
from torch.autograd.graph import Node
from torch.multiprocessing.reductions import StorageWeakRef
from torch.overrides import TorchFunctionMode
from torch.utils.weak import WeakTensorKeyDictionary

from torchopt.autodiff.asked import OPTIONS
from torchopt.visual._names import is_update, metadata_of
from torchopt.visual.source import TORCH, TORCHOPT, is_library, line


@dataclass(frozen=True, eq=False)
class Cut:
    """A place where a value left the graph.

    Attributes:
        cause: ``"detach"``, ``"data"``, ``"copy"`` (``copy.deepcopy``), ``"no_grad"``,
            ``"in-place"`` (a leaf was written), ``"create_graph"`` (a gradient without graph),
            ``"backward"`` (the same, by ``backward()``), ``"number"`` (a Python or NumPy number),
            ``"no derivative"`` (a comparison, an index, a conversion to integers) or ``"flat"`` (a
            derivative that is zero everywhere, as that of ``round``), ``"first order"`` or
            ``"truncate"`` (the library did it since an option asked for it).
        what: What was called, such as ``".detach()"`` or ``"SGD.step()"``.
        source: The user's line, such as ``"train.py:12 y = x.detach()"``.
        reads: The graph behind the value that left it: nodes, and leaves.
        earlier: Cuts that this value had been through before.
        inside: Whether the line calls PyTorch itself, in a function that the library called.
    """

    cause: str
    what: str
    source: str
    reads: tuple[Node | torch.Tensor, ...] = field(repr=False)
    earlier: tuple[Cut, ...] = field(repr=False)
    inside: bool = False

    @property
    def place(self) -> str:
        """The call, and its line."""
        return f"`{self.what}` at {self.source}" if self.source else f"`{self.what}`"


@dataclass(eq=False)
class Recording:
    """What :func:`record` saw, for :func:`explain`. Its fields may change with any release."""

    __promised__: ClassVar[tuple[str, ...]] = ()

    #: In the order of time.
    cuts: list[Cut] = field(default_factory=list)
    _after: Any = field(default_factory=WeakTensorKeyDictionary, repr=False)
    _stored: dict[int | None, tuple[StorageWeakRef, tuple[Cut, ...]]] = field(
        default_factory=dict, repr=False
    )

    def cuts_before(self, value: torch.Tensor | Node) -> tuple[Cut, ...]:
        """Return the cuts that were met on the way to a tensor, or to constants that a node reads."""
        node: Any = value.grad_fn if isinstance(value, torch.Tensor) else value
        # What a custom function computes is connected afterwards, as an implicit solution is.
        connected = hasattr(node, "_forward_cls") and not is_update(node)
        if connected or not isinstance(value, torch.Tensor):
            return tuple(metadata_of(node).get(_KEY, ()))
        if value in self._after:
            return tuple(self._after[value])
        # A Parameter is made from a tensor where no mode sees it.
        shared = self._stored.get(_address(value)) if value.is_leaf else None
        return () if shared is None or shared[0].expired() else shared[1]

    def note(self, value: torch.Tensor, cuts: Iterable[Cut], *, instead: bool = False) -> None:
        """Add cuts on the way to a tensor, or replace the earlier ones."""
        known = () if instead else self._after.get(value, ())
        new = tuple(dict.fromkeys([*known, *cuts]))
        if len(new) == len(known):
            return
        self._after[value] = new
        if value.grad_fn is not None:
            metadata_of(value.grad_fn).setdefault(_KEY, {}).update(dict.fromkeys(new))
        elif not value.requires_grad and (address := _address(value)) is not None:
            self._stored[address] = (StorageWeakRef(value.untyped_storage()), new)

    def settle(self, leaf: torch.Tensor) -> None:
        """Ignore cuts of the memory of a leaf, which may have come from `.data`."""
        self._after[leaf] = self._after.get(leaf, ())


def _address(value: torch.Tensor) -> int | None:
    try:
        return int(value.untyped_storage()._cdata)
    except NotImplementedError:  # inside of torch.func, or sparse
        return None


_KEY = "torchopt_cuts"
_active: list[Recording] = []


def current() -> Recording | None:
    """Return the recording that is going on, if any."""
    return _active[-1] if _active else None


@contextmanager
def record() -> Iterator[Recording]:
    """Record the user's line of each operation, and the places where values leave the graph.

    With a recording, :func:`explain` gives the line at which a gradient was lost. It costs about
    0.1 ms per operation and keeps the graphs behind cut values alive: use it to find an error, not for
    training. It sees compiled functions and :mod:`torch.func` only in part.

    Yields:
        A :class:`Recording`, to be given to :func:`explain`.

    Example:
        >>> import torch
        >>> x = torch.ones(2, requires_grad=True)
        >>> with record() as recording:
        ...     y = x.detach() * 2
        >>> from torchopt.visual import explain
        >>> explain(y.sum() + (x * 0).sum(), x, recording=recording)[0].kind
        'zero'
    """
    recording = Recording()
    # The lines; values are not checked, as this would stop the program at the first NaN.
    with torch.autograd.set_detect_anomaly(True, check_nan=False), _Watch(recording):
        _active.append(recording)
        try:
            yield recording
        finally:
            _active.remove(recording)


_NUMBERS = {
    "item",
    "tolist",
    "numpy",
    "__float__",
    "__int__",
    "__complex__",
    "__array__",
    "__index__",
}
_FLAT = {"round", "floor", "ceil", "trunc", "fix", "sign", "sgn", "heaviside"}
# They look at a tensor, change only whether it requires grad, or take only its shape.
_IGNORED = re.compile(
    r"requires_grad_|retain_grad|register_\w*hook|__(repr|format|bool|len|hash)__|is_\w+|\w+_like|new_\w+"
)
# Kernels of optimizers that write without a new version: into their first argument.
_SILENT = re.compile(r"_fused_\w+_")


class _Watch(TorchFunctionMode):
    """A mode that compares the tensor arguments and the results of each function."""

    def __init__(self, recording: Recording) -> None:
        super().__init__()
        self._recording = recording
        self._backward: tuple[Cut, ...] = ()
        # `p.data` and `p.detach()` are other tensors that write into the same memory.
        self._aliases: WeakTensorKeyDictionary = WeakTensorKeyDictionary()

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Run a function, and record the values that left the graph in it."""
        kwargs = kwargs or {}
        name = _name(func)
        arguments = (
            [] if _IGNORED.fullmatch(name) else [_Argument(t) for t in _tensors((args, kwargs))]
        )
        result = func(*args, **kwargs)
        if not arguments:
            return result
        if name == "backward":
            self._backward = self._cut("backward", "backward()", arguments)
        elif name == ".grad":
            if isinstance(result, torch.Tensor) and not result.requires_grad:
                self._recording.note(result, self._backward)
        elif name == "grad" and kwargs.get("create_graph"):
            # A constant then is one. What the loss has been through, its gradient has, too.
            known = self._known(g.tensor for g in arguments)
            for t in _tensors(result):
                self._recording.note(t, known)
        elif name == ".data=":
            self._written(args[0], arguments[1:], "`.data = ...`")
        else:
            # Kernels of optimizers write into their first argument, without a new version.
            silent = list(_tensors(args[0])) if _SILENT.fullmatch(name) else []
            written = [g for g in arguments if g.was_written() or _contains(silent, g.tensor)]
            self._pass_on(name, arguments, written, result)
        return result

    def _pass_on(
        self, name: str, arguments: list[_Argument], written: list[_Argument], result: Any
    ) -> None:
        targets = [g.tensor for g in written]
        sources = [g for g in arguments if not _contains(targets, g.tensor)]
        results = [t for t in _tensors(result) if not _contains(targets, t)]
        for target in targets:
            leaf = self._leaf_of(target)
            if leaf is not None:
                self._written(leaf, sources, _call(name))
            else:
                results.append(target)
        known = self._known(g.tensor for g in arguments)
        if any(g.read is not None for g in sources):
            if name in _FLAT:
                known += self._cut("flat", _call(name), sources)
            elif not any(t.requires_grad for t in results) and (results or name in _NUMBERS):
                cause = _cause(name, results)
                known += self._cut(cause, _words(cause, name), sources)
        elif known and name in _NUMBERS:
            self._cut("number", _call(name), sources, known)
        for t in results:
            self._recording.note(t, known)
            if (
                name in ("detach", ".data")
                and arguments[0].tensor.is_leaf
                and t is not arguments[0].tensor
            ):
                self._aliases[t] = weakref.ref(arguments[0].tensor)

    def _written(self, leaf: torch.Tensor, values: list[_Argument], what: str) -> None:
        """Note that a leaf has been written to."""
        earlier = self._known([*(v.tensor for v in values), leaf])
        reads = [v.read for v in values if v.read is not None]
        # A value that was computed from this leaf alone, as a new dtype, or from nothing cuts nothing.
        if _reads_other(leaf, reads, earlier):
            optimizer = _stepping()
            what = f"{optimizer}.step()" if optimizer else what
            cut = self._cut("in-place", what, values, earlier)
            self._recording.note(leaf, cut, instead=True)
        else:
            self._recording.settle(leaf)

    def _leaf_of(self, target: torch.Tensor) -> torch.Tensor | None:
        alias = self._aliases.get(target)
        leaf = target if alias is None else alias()
        return leaf if leaf is not None and leaf.requires_grad and leaf.is_leaf else None

    def _known(self, values: Iterable[torch.Tensor]) -> tuple[Cut, ...]:
        before = self._recording.cuts_before
        return tuple(dict.fromkeys(cut for t in values for cut in before(t)))

    def _cut(
        self, cause: str, what: str, sources: list[_Argument], earlier: tuple[Cut, ...] = ()
    ) -> tuple[Cut, ...]:
        place = _place()
        if place is None:  # inside an autograd.Function, whose results are connected afterwards
            return ()
        if cause == "number" and not place.direct:  # a library looked at a value
            return ()
        if place.copying:
            cause, what = "copy", "copy.deepcopy()"
        elif OPTIONS and not place.direct:
            cause, what = OPTIONS[0].partition("=")[0].replace("_", " "), OPTIONS[0]
        reads = tuple(s.read for s in sources if s.read is not None)
        cut = Cut(cause, what, place.line, reads, earlier, place.inside)
        self._recording.cuts.append(cut)
        return (cut,)


class _Argument:
    """An argument, and its graph before the call, which may detach or overwrite it.

    Attributes:
        tensor: The argument.
        read: The node that computed it, or the tensor itself if it is a leaf; None without a graph.
    """

    __slots__ = ("_version", "read", "tensor")

    def __init__(self, tensor: torch.Tensor) -> None:
        self.tensor = tensor
        self.read: Node | torch.Tensor | None = tensor.grad_fn
        if self.read is None and tensor.requires_grad:
            self.read = tensor
        self._version = _version(tensor)

    def was_written(self) -> bool:
        return self._version != _version(self.tensor)


def _reads_other(
    leaf: torch.Tensor, reads: list[Node | torch.Tensor], earlier: tuple[Cut, ...]
) -> bool:
    """Whether a value was computed from tensors other than a given leaf."""
    met, stack = set(earlier), list(earlier)
    while all(read is leaf for read in reads):
        if not stack:
            return False
        cut = stack.pop()
        reads = list(cut.reads)
        stack.extend(c for c in cut.earlier if c not in met)
        met.update(cut.earlier)
    return True


def _words(cause: str, name: str) -> str:
    if cause == "create_graph":
        return "autograd.grad without create_graph=True"
    return f"{_call(name)} under no_grad" if cause == "no_grad" else _call(name)


def _cause(name: str, results: list[torch.Tensor]) -> str:
    if name in _NUMBERS or name == "tensor":
        return "number"
    if name == "grad":
        return "create_graph"
    if name in ("detach", "detach_"):
        return "detach"
    if name == ".data":
        return "data"
    if not any(t.is_floating_point() or t.is_complex() for t in results):
        return "no derivative"
    return "detach" if torch.is_grad_enabled() else "no_grad"


_METHODS = {"detach", "detach_", "item", "tolist", "numpy"}


def _call(name: str) -> str:
    """Return the name of a function in programs."""
    if name.startswith("."):
        return name
    if name in _METHODS:
        return f".{name}()"
    return f"{name.strip('_') if name.startswith('__') else name}()"


def _name(func: Any) -> str:
    """Return the name of a function; ``".data"`` for reading, and ``".data="`` for writing."""
    name = str(getattr(func, "__name__", func))
    if name in ("__get__", "__set__"):
        attribute = getattr(getattr(func, "__self__", None), "__name__", "")
        return f".{attribute}" + ("=" if name == "__set__" else "")
    return name


def _tensors(tree: Any) -> Iterator[torch.Tensor]:
    """Return the tensors in arguments: in lists, tuples and dictionaries, to any depth."""
    stack = [tree]
    while stack:
        value = stack.pop()
        if isinstance(value, torch.Tensor):
            yield value
        elif isinstance(value, (list, tuple)):
            stack.extend(reversed(value))
        elif isinstance(value, dict):
            stack.extend(reversed(list(value.values())))


def _contains(tensors: list[torch.Tensor], tensor: torch.Tensor) -> bool:
    return any(t is tensor for t in tensors)


def _version(t: torch.Tensor) -> int:
    return -1 if t.is_inference() else t._version


@dataclass(frozen=True)
class _Place:
    """A place in the user's program.

    Attributes:
        line: The file, the number of the line, and the line.
        direct: Whether the line calls PyTorch itself, not the library.
        inside: Whether, then, the library called the function that the line is in.
        copying: Whether a deep copy is being made.
    """

    line: str
    direct: bool
    inside: bool
    copying: bool


# An operation inside of an autograd.Function is no part of the graph.
_FUNCTIONS = (
    os.path.join(TORCH, "autograd", "function.py"),
    os.path.join(TORCHOPT, "ops", "function.py"),
)


def _forwards() -> set[Any]:
    """Return the code of the forward of each autograd.Function; PyTorch 2.15 calls it from C++."""
    kinds: list[type] = [torch.autograd.Function]
    for kind in kinds:  # which grows
        kinds += kind.__subclasses__()
    return {getattr(getattr(kind, "forward", None), "__code__", None) for kind in kinds}


def _frames() -> Iterator[types.FrameType]:
    frame: types.FrameType | None = sys._getframe(1)
    while frame is not None:
        if frame.f_code.co_filename != __file__:
            yield frame
        frame = frame.f_back


def _place() -> _Place | None:
    """Return the user's line; None inside of an autograd.Function."""
    source, direct, inside, copying = "", True, False, False
    forwards = _forwards()
    for frame in _frames():
        file = frame.f_code.co_filename
        if file in _FUNCTIONS or frame.f_code in forwards:
            return None
        if source:
            inside = inside or file.startswith(TORCHOPT)
            continue
        if is_library(file):
            copying = copying or file == copy.__file__
            # A mode of the library sees what the user's line calls.
            direct = frame.f_code.co_name == "__torch_function__" or (
                direct and not file.startswith(TORCHOPT)
            )
        else:
            code = linecache.getline(file, frame.f_lineno, frame.f_globals)
            source = line(file, frame.f_lineno, code)
    return _Place(source, direct, direct and inside, copying)


def _stepping() -> str | None:
    """Return the class of the optimizer whose ``step`` is running."""
    for frame in _frames():
        if frame.f_code.co_name == "step":
            owner = frame.f_locals.get("self")
            if isinstance(owner, torch.optim.Optimizer):
                return type(owner).__name__
    return None

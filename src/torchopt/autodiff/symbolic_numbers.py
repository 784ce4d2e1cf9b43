"""Floats that vary from call to call, as symbols of traced code and as tensors of compiled code.

A float is a constant of compiled code, and another value needs other code. Where a float has had two
values, ``torch.compile`` traces it as a symbol: for the function that is traced it is a float, whose
type, attributes and comparisons are those of a float, and each comparison becomes a guard. In the graph
that comes out, :func:`place_tensors` computes with 0-dimensional tensors instead, and keeps the dtypes
that floats give. What needs a number is traced again with constants.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import fx

from torchopt.autodiff import transforms


class NeedsNumbersError(Exception):
    """Raised where a graph needs numbers.

    Args:
        names: What Dynamo calls them.
    """

    def __init__(self, names: set[str]) -> None:
        super().__init__("it needs numbers")
        self.names = names


class VaryingFloats:
    """Decides which floats are symbols: those that vary, except where that was tried in vain."""

    def __init__(self) -> None:
        self._first: dict[str, float] = {}
        self._constant: set[str] = set()
        self._symbols: set[str] = set()

    @contextmanager
    def traced(self) -> Iterator[None]:
        """Enclose a call for which code may be traced."""
        _install()
        self._symbols = set()
        before, _TRACING.floats = _TRACING.floats, self
        try:
            yield
        finally:
            _TRACING.floats = before
        self._symbols = set()

    def wrap(self, plain: Callable[..., Any], builder: Any, number: float) -> Any:
        """Return what Dynamo traces for a float, as its method ``plain`` does."""
        name = builder.source.name
        if self._first.setdefault(name, number) == number or name in self._constant:
            return plain(builder, number)
        self._symbols.add(name)
        # Within `torch.func.grad`, too, a symbol comes from outside of it.
        with transforms.outside(), torch._dynamo.config.patch(assume_static_by_default=False):
            return plain(builder, number)

    def give_up(self, error: Exception) -> bool:
        """Make symbols constants, as a call has failed; return whether there were any.

        Args:
            error: The error, which may tell which of them.
        """
        cause = getattr(error, "inner_exception", error)
        names = self._symbols & getattr(cause, "names", self._symbols)
        self._constant |= names or self._symbols
        return bool(self._symbols)


class _Tracing(threading.local):
    floats: VaryingFloats | None = None


_TRACING = _Tracing()


@functools.cache
def _install() -> None:
    """Let Dynamo ask which floats are symbols, while it traces for us."""
    from torch._dynamo.variables import builder as builders
    from torch.fx.passes import _tensorify_python_scalars

    cls: Any = builders.VariableBuilder
    tensorify: Any = _tensorify_python_scalars
    plain, enabled = cls.wrap_symfloat, tensorify._is_tensorify_enabled

    def wrap(builder: Any, number: float) -> Any:
        floats = _TRACING.floats
        return plain(builder, number) if floats is None else floats.wrap(plain, builder, number)

    cls.wrap_symfloat = wrap
    # PyTorch's own pass, which does not know that there are no floats left.
    tensorify._is_tensorify_enabled = lambda: _TRACING.floats is None and enabled()


def place_tensors(graph: fx.GraphModule) -> None:
    """Put tensors in the place of symbolic floats.

    Raises:
        Exception: If an operation takes no tensor, or a condition is no plain comparison.
    """
    symbols = [_value(node) for node in graph.graph.nodes if _is_number(node)]
    if not symbols:
        return
    environment = symbols[0].node.shape_env
    for guard in environment.guards:
        if not all(part.is_Symbol or part.is_Number for part in guard.expr.args):
            _refuse(environment, guard.expr.free_symbols)
    _place(graph, environment)


def _place(graph: fx.GraphModule, environment: Any) -> None:
    for child in graph.children():
        if isinstance(child, fx.GraphModule):
            _place(child, environment)
    for node in reversed(graph.graph.nodes):
        if isinstance(_value(node), (float, *_SYMBOLIC)) and not node.users:
            graph.graph.erase_node(node)  # such as a condition, which is a guard now
    numbers: dict[Any, Any] = {}  # the symbols, by the nodes of their tensors
    for node in list(graph.graph.nodes):
        if _is_number(node) or not numbers.keys().isdisjoint(node.all_input_nodes):
            with graph.graph.inserting_before(node):
                if not _placed(graph.graph, node, numbers):
                    read = [numbers[n] for n in node.all_input_nodes if n in numbers]
                    _refuse(environment, {s for x in read for s in x.node.expr.free_symbols})
    graph.recompile()


def _placed(graph: fx.Graph, node: fx.Node, numbers: dict[Any, Any]) -> bool:
    """Rewrite an operation on numbers; return whether that is possible."""
    name, value = _name(node), _value(node)
    handed = isinstance(node.target, torch._ops.HigherOrderOperator) or name == "getitem"
    if _is_number(node):
        tensor: Any = node.args[0] if name == "item" else node
        numbers[tensor] = value
        if tensor is not node:
            node.replace_all_uses_with(tensor)
            graph.erase_node(node)
        elif node.op != "placeholder" and not handed:
            operation = _OF_NUMBERS.get(name)
            if operation is None or not _is_defined(name, [numbers.get(x, x) for x in node.args]):
                return False
            node.op, node.target = "call_function", operation
        return True
    if node.op == "output" or handed or name in ("item", "setitem", "fill_"):
        return True  # which take tensors, too
    if not isinstance(value, torch.Tensor) or "out" in node.kwargs:
        return False
    if name in _FULL:
        return _placed_in_full(graph, node, numbers)
    tensors = [
        x for n in node.args if n not in numbers and isinstance(x := _value(n), torch.Tensor)
    ]
    bounds = [x for x in (*node.args[1:], *node.kwargs.values()) if x is not None]
    if (
        name not in _OF_TENSORS
        or not tensors
        or (name == "clamp" and not numbers.keys() >= {*bounds})
    ):
        return False
    dtype = torch.result_type(tensors[0], 1.0)
    if value.dtype != torch.bool and tensors[0].dim():  # as PyTorch computes with numbers
        dtype = torch.promote_types(dtype, torch.float32)

    def shown(x: Any) -> Any:
        return graph.call_method("to", (x,), {"dtype": dtype}) if x in numbers else x

    node.args = tuple(map(shown, node.args))
    node.kwargs = {key: shown(x) for key, x in node.kwargs.items()}
    _keep_dtype(graph, node, value)
    return True


def _placed_in_full(graph: fx.Graph, node: fx.Node, numbers: dict[Any, Any]) -> bool:
    """Multiply ones by a number that a tensor is full of."""
    args, place = list(node.args), _FULL[_name(node)]
    number = args[place] if len(args) > place else None
    if number not in numbers or [n for n in node.all_input_nodes if n in numbers] != [number]:
        return False
    args[place] = 1.0
    node.args = tuple(args)
    with graph.inserting_after(node):
        product = graph.call_function(torch.mul, (node, number))
        node.replace_all_uses_with(product, lambda user: user is not product)
    _keep_dtype(graph, product, _value(node))
    return True


def _keep_dtype(graph: fx.Graph, node: fx.Node, value: torch.Tensor) -> None:
    """Let an operation return the dtype that it has with numbers."""
    if not _name(node).endswith("_"):
        with graph.inserting_after(node):
            same = graph.call_method("to", (node,), {"dtype": value.dtype})
            node.replace_all_uses_with(same, lambda user: user is not same)


def _is_defined(name: str, values: list[Any]) -> bool:
    """Whether Python computes a number as tensors do: otherwise it raises, or returns another type.

    A comparison of a symbol is a guard.
    """
    if name == "truediv":
        return bool(values[1] != 0)
    if name == "_sym_sqrt":
        return bool(values[0] >= 0)
    return all(isinstance(x, (float, int, torch.SymFloat)) for x in values)


def _refuse(environment: Any, symbols: Any) -> None:
    sources = environment.var_to_sources
    raise NeedsNumbersError({x.name for s in symbols for x in sources.get(s, ())})


def _value(x: Any) -> Any:
    return x.meta.get("example_value") if isinstance(x, fx.Node) else x


def _is_number(node: fx.Node) -> bool:
    return isinstance(_value(node), torch.SymFloat)


def _name(node: fx.Node) -> str:
    if not node.op.startswith("call"):
        return ""
    name = node.target if isinstance(node.target, str) else getattr(node.target, "__name__", "")
    return name.strip("_") if name.startswith("__") else name


_SYMBOLIC = (torch.SymFloat, torch.SymBool, torch.SymInt)

_OF_NUMBERS: dict[str, Callable[..., Any]] = {
    "add": torch.add,
    "sub": torch.sub,
    "mul": torch.mul,
    "truediv": torch.div,
    "neg": torch.neg,
    "abs": torch.abs,
    "_sym_sqrt": torch.sqrt,
    "_sym_sin": torch.sin,
    "_sym_cos": torch.cos,
    "_sym_tanh": torch.tanh,
}

_OF_TENSORS = {
    *("add", "sub", "rsub", "mul", "div", "truediv", "pow", "true_divide"),
    *("multiply", "divide", "subtract", "iadd", "isub", "imul", "itruediv"),
    *("add_", "sub_", "mul_", "div_", "pow_", "radd", "rmul", "rtruediv", "rpow", "rdiv"),
    *("gt", "lt", "ge", "le", "eq", "ne", "where", "lerp", "clamp", "clamp_min", "clamp_max"),
}

_FULL = {"full": 1, "full_like": 1, "new_full": 2, "scalar_tensor": 0, "tensor": 0}

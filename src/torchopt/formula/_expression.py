"""Symbolic scalars: a formula that is called with these, instead of with tensors, records itself.

A formula is ordinary PyTorch code on one element; :class:`Expression` answers Python's operators, the
methods of tensors and the functions of ``torch`` (by their names) by growing a graph. Nodes are shared
(the same operation on the same operands is one node) and live on a tape in the order in which they were
made, which is an order of evaluation.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable
from functools import partial
from numbers import Real
from typing import Any

from torchopt.errors import FormulaError


class Tape:
    """The nodes of one graph, in the order of evaluation."""

    def __init__(self) -> None:
        self.nodes: list[Expression] = []
        self._known: dict[tuple[Any, ...], Expression] = {}

    def node(self, op: str, *args: Any) -> Expression:
        """Return the node of an operation: the one that is there, or a new one."""
        values = [x.value for x in args if isinstance(x, Expression)]
        if op in _FOLDED and None not in values and not (op == "div" and values[1] == 0):
            return self.constant(_FOLDED[op](*values))
        # A float's text tells 0.0 from -0.0, which compare equal.
        key = (op, *(a.index if isinstance(a, Expression) else repr(a) for a in args))
        node = self._known.get(key)
        if node is None:
            node = self._known[key] = Expression(self, op, args, len(self.nodes))
            self.nodes.append(node)
        return node

    def constant(self, value: float) -> Expression:
        """Return the node of a number."""
        return self.node("constant", float(value))

    def tensor(self, name: str) -> Expression:
        """Return the node of an input that has a value for each element."""
        return self.node("tensor", name)

    def scalar(self, name: str) -> Expression:
        """Return the node of an input that is the same for all elements."""
        return self.node("scalar", name)

    def lift(self, value: Any) -> Expression:
        """Return a number, a boolean or a node as a node of this tape."""
        if isinstance(value, Expression):
            if value.tape is not self:
                raise FormulaError("a formula was given values of two different recordings.")
            return value
        if isinstance(value, Real):
            return self.constant(float(value))
        raise FormulaError(
            f"a formula combines its arguments with an object of type {type(value).__name__}: use "
            f"numbers, or make it an argument of the formula."
        )


# Only identities that hold for every number are used: the order of operations is the formula's, so
# that each backend rounds as the formula does. Zeros come from derivatives, where they are structural.


def _is(x: Expression, value: float) -> bool:
    return x.op == "constant" and x.args[0] == value


# Of numbers these are numbers.
_FOLDED: dict[str, Callable[..., float]] = {
    "div": operator.truediv,
    **{op: getattr(operator, op) for op in ("add", "sub", "mul", "neg")},
}


def _add(a: Expression, b: Expression) -> Expression:
    if _is(a, 0.0):
        return b
    if _is(b, 0.0):
        return a
    if b.op == "neg":
        return _sub(a, b.args[0])
    if a.op == "neg":
        return _sub(b, a.args[0])
    return a.tape.node("add", *sorted((a, b), key=lambda x: x.index))


def _sub(a: Expression, b: Expression) -> Expression:
    if _is(b, 0.0):
        return a
    if _is(a, 0.0):
        return _neg(b)
    if b.op == "neg":
        return _add(a, b.args[0])
    return a.tape.node("sub", a, b)


def _neg(a: Expression) -> Expression:
    return a.args[0] if a.op == "neg" else a.tape.node("neg", a)


def _mul(a: Expression, b: Expression) -> Expression:
    if _is(a, 0.0) or _is(b, 0.0):
        return a.tape.constant(0.0)
    if _is(a, 1.0):
        return b
    if _is(b, 1.0):
        return a
    if _is(a, -1.0):
        return _neg(b)
    if _is(b, -1.0):
        return _neg(a)
    if a.op == "neg":
        return _neg(_mul(a.args[0], b))
    if b.op == "neg":
        return _neg(_mul(a, b.args[0]))
    return a.tape.node("mul", *sorted((a, b), key=lambda x: x.index))


def _div(a: Expression, b: Expression) -> Expression:
    if _is(a, 0.0) or _is(b, 1.0):
        return a
    if a.op == "neg":
        return _neg(_div(a.args[0], b))
    return a.tape.node("div", a, b)


def _pow(a: Expression, b: Expression) -> Expression:
    exponent = b.value
    if exponent is not None and exponent.is_integer() and 1 <= exponent <= 4:
        out = a
        for _ in range(int(exponent) - 1):
            out = _mul(out, a)
        return out
    if exponent == 0.0:
        return a.tape.constant(1.0)
    if exponent == 0.5:
        return a.sqrt()
    return a.tape.node("pow", a, b)


def _infix(rule: Callable[[Expression, Expression], Any]) -> tuple[Any, Any]:
    """Return the methods of an operator, with the expression on the left and on the right."""

    def left(self: Expression, other: Any) -> Any:
        known = isinstance(other, (Expression, Real))
        return rule(self, self.tape.lift(other)) if known else NotImplemented

    def right(self: Expression, other: Any) -> Any:
        known = isinstance(other, (Expression, Real))
        return rule(self.tape.lift(other), self) if known else NotImplemented

    return left, right


def _comparison(op: str) -> tuple[Any, Any]:
    """Return the methods of a comparison, and of that which swaps the sides."""

    def left(self: Expression, other: Any) -> Condition:
        return Condition(op, self, self.tape.lift(other))

    def right(self: Expression, other: Any) -> Condition:
        return Condition(op, self.tape.lift(other), self)

    return left, right


class Expression:
    """One scalar of a formula: the result of ``op`` on ``args``.

    Attributes:
        tape: The tape that it is on.
        op: The name of the operation.
        args: Its operands: expressions, or the number or name of a leaf of the graph.
        index: Its place on the tape.
        uniform: Whether it is the same for all elements: it depends on no tensor.
    """

    __slots__ = ("args", "index", "op", "tape", "uniform")

    uniform: bool

    def __init__(self, tape: Tape, op: str, args: tuple[Any, ...], index: int) -> None:
        self.tape = tape
        self.op = op
        self.args = args
        self.index = index
        # The smallest normal number depends on the dtype, which scalars have none of.
        self.uniform = op not in ("tensor", "tiny") and all(x.uniform for x in self.operands)

    @property
    def operands(self) -> tuple[Expression, ...]:
        """The operands that are expressions."""
        return tuple(a for a in self.args if isinstance(a, Expression))

    @property
    def value(self) -> float | None:
        """The number that it is, or None."""
        return self.args[0] if self.op == "constant" else None

    def __repr__(self) -> str:
        return f"{self.op}({', '.join(map(repr, self.args))})"

    __add__, __radd__ = _infix(_add)
    __sub__, __rsub__ = _infix(_sub)
    __mul__, __rmul__ = _infix(_mul)
    __truediv__, __rtruediv__ = _infix(_div)
    __pow__, __rpow__ = _infix(_pow)
    __gt__, __lt__ = _comparison("select_gt")
    __ge__, __le__ = _comparison("select_ge")
    __eq__ = _comparison("select_eq")[0]

    def __neg__(self) -> Expression:
        return _neg(self)

    def __pos__(self) -> Expression:
        return self

    def __abs__(self) -> Expression:
        return _unary("abs", self)

    __hash__ = object.__hash__

    def __bool__(self) -> bool:
        raise FormulaError(
            "a formula branches on a value, which differs from element to element: use `torch.where`."
        )

    def clamp(self, min: Any = None, max: Any = None) -> Expression:
        """Return it, within bounds; the derivative is PyTorch 2.13's: 1 at a bound, 0 at NaN."""
        out = self
        if min is not None:
            lower = self.tape.lift(min)
            out = (out >= lower).select(out, (lower > out).select(lower, _unordered(out, lower)))
        if max is not None:
            upper = self.tape.lift(max)
            out = (upper >= out).select(out, (out > upper).select(upper, _unordered(out, upper)))
        return out

    clip = clamp

    def where(self, condition: Any, other: Any) -> Expression:
        """Return it where the condition holds, and the other value elsewhere."""
        return where(condition, self, other)

    def tiny(self) -> Expression:
        """Return the smallest normal number of the dtype."""
        return self.tape.node("tiny")

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if name in _FUNCTIONS:  # a method that is a function of torch
            return partial(_FUNCTIONS[name], self)
        raise FormulaError(
            f"a formula reads `.{name}` of an argument, which cannot be recorded: use arithmetic, and "
            f"functions such as `torch.sqrt` and `torch.where`."
        )

    def _refuse(self, *_: Any) -> Any:
        raise FormulaError(
            "a formula treats an argument as a number or a container, but it stands for one element "
            "of a tensor: use arithmetic, and functions such as `torch.sqrt` and `torch.where`."
        )

    __float__ = __int__ = __index__ = __len__ = __iter__ = __getitem__ = __contains__ = _refuse

    @classmethod
    def __torch_function__(
        cls, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Expression:
        name = getattr(func, "__name__", str(func))
        if name not in _FUNCTIONS:
            raise FormulaError(
                f"a formula calls `torch.{name}`, which cannot be recorded: use arithmetic, or one of "
                f"{', '.join(sorted(_FUNCTIONS))}."
            )
        return _FUNCTIONS[name](*args, **(kwargs or {}))


def _unordered(x: Expression, bound: Expression) -> Expression:
    """Return NaN, with derivative zero, where ``x`` or its bound is NaN."""
    number = bound.op == "tiny" or (bound.value is not None and bound.value == bound.value)
    return (x if number else x + bound).detach()


class Condition:
    """A comparison, which :func:`torch.where` takes."""

    __slots__ = ("left", "op", "right")

    def __init__(self, op: str, left: Expression, right: Expression) -> None:
        self.op = op
        self.left = left
        self.right = right

    def select(self, true: Any, false: Any) -> Expression:
        """Return one of two values."""
        tape = self.left.tape
        a, b = tape.lift(true), tape.lift(false)
        if a is b:
            return a
        if self.left.value is not None and self.right.value is not None:
            return a if COMPARISONS[self.op](self.left.value, self.right.value) else b
        return tape.node(self.op, self.left, self.right, a, b)

    def __bool__(self) -> bool:
        raise FormulaError(
            "a formula branches on a comparison, which differs from element to element: use "
            "`torch.where`."
        )

    __torch_function__ = Expression.__torch_function__


#: What a choice between two values compares, of numbers and of tensors.
COMPARISONS = {f"select_{test}": getattr(operator, test) for test in ("gt", "ge", "eq")}

#: The functions of one number, which PyTorch has by the same names.
UNARY: dict[str, Callable[[float], float]] = {
    "sqrt": math.sqrt,
    "exp": math.exp,
    "log": math.log,
    "tanh": math.tanh,
    "abs": abs,
    "sign": lambda x: float(x > 0) - float(x < 0),
    "sigmoid": lambda x: 1 / (1 + math.exp(-x)),
    "detach": lambda x: x,
}


def _unary(op: str, a: Expression) -> Expression:
    if a.op == "constant" and (a.args[0] > 0 or op in ("abs", "sign", "tanh", "exp", "detach")):
        return a.tape.constant(UNARY[op](a.args[0]))
    return a.tape.node(op, a)


def _tape_of(values: Iterable[Any]) -> Tape:
    for x in values:
        if isinstance(x, Expression):
            return x.tape
        if isinstance(x, Condition):
            return x.left.tape
    raise FormulaError("a formula's function was given no argument of the formula.")


def where(condition: Any, true: Any, false: Any) -> Expression:
    """Record ``torch.where``; one of the arguments is an expression or a comparison."""
    tape = _tape_of((condition, true, false))
    if isinstance(condition, Condition):
        return condition.select(true, false)
    # A number as a condition is true where it is not zero.
    return Condition("select_eq", tape.lift(condition), tape.constant(0.0)).select(false, true)


def _maximum(a: Any, b: Any) -> Expression:
    tape = _tape_of((a, b))
    return tape.node("max", tape.lift(a), tape.lift(b))


def _operator(function: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    def apply(a: Any, b: Any) -> Any:
        tape = _tape_of((a, b))
        return function(tape.lift(a), tape.lift(b))

    return apply


# The functions of torch that can be recorded.
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{name: partial(_unary, name) for name in UNARY},
    "neg": lambda x: -x,
    "rsqrt": lambda x: 1 / x.sqrt(),
    "reciprocal": lambda x: 1 / x,
    "square": lambda x: x * x,
    "clamp": Expression.clamp,
    "add": _operator(_add),
    "sub": _operator(_sub),
    "mul": _operator(_mul),
    "div": _operator(_div),
    "pow": _operator(_pow),
    "maximum": _maximum,
    "minimum": lambda a, b: -_maximum(-a, -b),
    "where": where,
    "lerp": lambda start, end, weight: start + weight * (end - start),
    "addcmul": lambda x, a, b, *, value=1: x + value * (a * b),
    "addcdiv": lambda x, a, b, *, value=1: x + value * (a / b),
}

"""A recorded formula, and what is derived from it: vjp, jvp, and the vjp's vjp.

The derivative of an elementwise map is an elementwise map, and that with respect to a scalar is a sum
over elements. A :class:`Graph` has both kinds of inputs (tensors, scalars) and both kinds of outputs
(elementwise, sums), so that its derivatives are graphs again, to any order.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from torchopt.errors import FormulaError
from torchopt.formula._expression import Condition, Expression, Tape


@dataclass(frozen=True, eq=False)
class Graph:
    """An elementwise function of tensors and scalars.

    Attributes:
        tensors: The names of the inputs that have a value for each element.
        scalars: The names of the inputs that are the same for all elements.
        outputs: The elementwise results.
        sums: Terms, of which the results are the sums over all elements.
        order: How often it was differentiated, as text: ``"forward"``, ``"vjp"``, ...
        root: The graph that it was derived from first; None for a formula itself.
    """

    tensors: tuple[str, ...]
    scalars: tuple[str, ...]
    outputs: tuple[Expression, ...]
    sums: tuple[Expression, ...]
    order: str = "forward"
    root: Graph | None = None

    @cached_property
    def live(self) -> tuple[Expression, ...]:
        """The nodes that results depend on, in the order of evaluation."""
        seen: set[int] = set()
        stack = [*self.outputs, *self.sums]
        while stack:
            x = stack.pop()
            if x.index not in seen:
                seen.add(x.index)
                stack.extend(x.operands)
        nodes = (*self.outputs, *self.sums)[0].tape.nodes
        return tuple(nodes[index] for index in sorted(seen))

    @cached_property
    def reads(self) -> frozenset[str]:
        """The names of the inputs that results depend on."""
        return frozenset().union(*self.dependencies)

    @cached_property
    def dependencies(self) -> tuple[frozenset[str], ...]:
        """For each output and sum, the names of the inputs that it depends on."""
        named: dict[int, frozenset[str]] = {}
        for x in self.live:
            own = {x.args[0]} if x.op in ("tensor", "scalar") else set()
            named[x.index] = frozenset(own).union(*(named[y.index] for y in x.operands))
        return tuple(named[x.index] for x in (*self.outputs, *self.sums))

    def replay(
        self, inputs: Mapping[str, Any], apply: Callable[[Expression, list[Any]], Any]
    ) -> Any:
        """Evaluate node by node: ``apply(node, values of its operands)``.

        Args:
            inputs: The value of each tensor and scalar, by name.
            apply: Evaluates a node that is no input.

        Returns:
            The list of the values of ``outputs`` and ``sums``.
        """
        values: dict[int, Any] = {}
        for x in self.live:
            if x.op in ("tensor", "scalar"):
                values[x.index] = inputs[x.args[0]]
            else:
                values[x.index] = apply(x, [values[y.index] for y in x.operands])
        return [values[x.index] for x in (*self.outputs, *self.sums)]

    @cached_property
    def vjp(self) -> Graph:
        """The vjp with respect to tensors: (tensors, cotangents) to gradients."""
        return self._vjp(of_scalars=False)

    @cached_property
    def vjps(self) -> Graph:
        """The vjp with respect to tensors and scalars; the gradients of scalars are sums."""
        return self._vjp(of_scalars=True)

    @cached_property
    def jvp(self) -> Graph:
        """The jvp, (tensors, tangents) to tangents: the transpose of the vjp, which is linear."""
        back = self.vjps._vjp(of_scalars=True)
        # Nothing depends on the cotangents: their places, behind the inputs, are left out.
        size, count = len(self.tensors), len(self.scalars)
        return Graph(
            tensors=(*self.tensors, *back.tensors[size + len(self.outputs) :]),
            scalars=(*self.scalars, *back.scalars[count + len(self.sums) :]),
            outputs=back.outputs[size:],
            sums=back.sums[count:],
            order=f"{self.order}_jvp".removeprefix("forward_"),
            root=self.root or self,
        )

    def _copy(self) -> tuple[Tape, dict[str, Expression], list[Expression], int]:
        """Return this graph on a tape of its own, so that derivatives do not depend on history."""
        tape = Tape()
        inputs = {name: tape.tensor(name) for name in self.tensors}
        inputs |= {name: tape.scalar(name) for name in self.scalars}
        copies = self.replay(inputs, lambda x, args: _rebuild(tape, x, args))
        return tape, inputs, copies, len(tape.nodes)

    def _vjp(self, *, of_scalars: bool) -> Graph:
        tape, inputs, copies, size = self._copy()
        numbers = [str(k) for k in range(len(self.outputs) + len(self.sums))]
        c = _prefix("c", numbers, inputs)
        elementwise = [tape.tensor(c + k) for k in numbers[: len(self.outputs)]]
        summed = [tape.scalar(c + k) for k in numbers[len(self.outputs) :]]
        zero = tape.constant(0.0)
        adjoint: dict[int, Expression] = {}
        for x, cotangent in zip(copies, [*elementwise, *summed], strict=True):
            adjoint[x.index] = adjoint.get(x.index, zero) + cotangent
        for x in reversed(tape.nodes[:size]):
            cotangent = adjoint.get(x.index, zero)
            if x.operands and cotangent.value != 0.0:
                for y, share in zip(x.operands, _pull(x, cotangent, zero), strict=True):
                    adjoint[y.index] = adjoint.get(y.index, zero) + share

        def gradients(names: Sequence[str]) -> tuple[Expression, ...]:
            return tuple(adjoint.get(inputs[name].index, zero) for name in names)

        order = "vjps" if of_scalars else "vjp"
        return Graph(
            tensors=(*self.tensors, *(x.args[0] for x in elementwise)),
            scalars=(*self.scalars, *(x.args[0] for x in summed)),
            outputs=gradients(self.tensors),
            sums=gradients(self.scalars) if of_scalars else (),
            order=f"{self.order}_{order}".removeprefix("forward_"),
            root=self.root or self,
        )


def derivatives(formula: Graph) -> tuple[Graph, ...]:
    """Return the graphs of a formula that get kernels, itself the first."""
    vjp, vjps = formula.vjp, formula.vjps
    return formula, vjp, vjps, formula.jvp, vjp.vjp, vjps.vjps


def _prefix(letter: str, names: Sequence[str], taken: Mapping[str, Any]) -> str:
    """Return the letter, as often as it takes for prefixed names to be new."""
    prefix = letter
    while any(prefix + name in taken for name in names):
        prefix += letter
    return prefix


def _rebuild(tape: Tape, x: Expression, args: list[Expression]) -> Expression:
    if x.op == "constant":
        return tape.constant(x.args[0])
    return tape.node(x.op, *args)


def _pull(x: Expression, c: Expression, zero: Expression) -> tuple[Expression, ...]:
    """Return the share of a cotangent that goes to each operand.

    What a branch not taken would send is selected away, never multiplied by zero.
    """
    a = x.operands
    match x.op:
        case "add":
            return c, c
        case "sub":
            return c, -c
        case "neg":
            return (-c,)
        case "mul":
            return c * a[1], c * a[0]
        case "div":
            share = c / a[1]
            return share, -(share * x)
        case "sqrt":
            return (0.5 * c / x,)
        case "exp":
            return (c * x,)
        case "log":
            return (c / a[0],)
        case "tanh":
            return (c * (1.0 - x * x),)
        case "abs":
            return (c * a[0].sign(),)
        case "sigmoid":
            return (c * (x * (1.0 - x)),)
        case "sign" | "detach":
            return (zero,)
        case "pow":
            of_base, of_exponent = _pow_partials(x)
            return c * of_base, zero if a[1].op == "constant" else c * of_exponent
        case "max":
            # A tie is shared, and NaN goes to both, as by torch.maximum.
            share = (a[0] == a[1]).select(0.5 * c, c)
            return (a[1] > a[0]).select(zero, share), (a[0] > a[1]).select(zero, share)
        case "select_gt" | "select_ge" | "select_eq":
            test = Condition(x.op, a[0], a[1])
            return zero, zero, test.select(c, zero), test.select(zero, c)
    raise AssertionError(f"no derivative of {x.op}")


def _pow_partials(x: Expression) -> tuple[Expression, Expression]:
    """Return the partial derivatives of a power: where the limit is zero, zero, as PyTorch's."""
    base, exponent = x.operands
    zero = x.tape.constant(0.0)
    of_base = exponent * base ** (exponent - 1.0)
    of_exponent = (base == 0.0).select((exponent >= 0.0).select(zero, -math.inf), x * base.log())
    return (exponent == 0.0).select(zero, of_base), of_exponent


def record(
    function: Callable[..., Sequence[Any]], tensors: Sequence[str], scalars: Sequence[str]
) -> Graph:
    """Record a function.

    Args:
        function: Called with an expression for each tensor and each scalar, by position; returns the
            results.
        tensors: The names of its first arguments.
        scalars: The names of the others.

    Raises:
        FormulaError: If it uses what cannot be recorded.
    """
    tape = Tape()
    inputs = [tape.tensor(name) for name in tensors] + [tape.scalar(name) for name in scalars]
    try:
        results = tuple(tape.lift(y) for y in function(*inputs))
    except FormulaError:
        raise
    except TypeError as error:
        raise FormulaError(f"a formula cannot be recorded: {error}.") from error
    if not results:
        raise FormulaError("a formula returns no result.")
    return Graph(tuple(tensors), tuple(scalars), results, ())


def trace(formula: Callable[..., Any]) -> Graph:
    """Record a formula by its signature.

    Args:
        formula: Its positional arguments are tensors, its keyword-only arguments scalars.

    Raises:
        FormulaError: If its signature is another, or it uses what cannot be recorded.

    Example:
        >>> graph = trace(lambda p, g, *, lr: (p - lr * g,))
        >>> graph.tensors, graph.scalars, len(graph.outputs)
        (('p', 'g'), ('lr',), 1)
    """
    tensors, scalars = [], []
    for name, parameter in inspect.signature(formula).parameters.items():
        if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
            tensors.append(name)
        elif parameter.kind is parameter.KEYWORD_ONLY:
            scalars.append(name)
        else:
            raise FormulaError(
                f"a formula's arguments are counted by its signature: write `{parameter}` out."
            )
    if not tensors:
        raise FormulaError("a formula needs at least one positional argument, which is a tensor.")

    def call(*arguments: Expression) -> Sequence[Any]:
        out = formula(
            *arguments[: len(tensors)],
            **dict(zip(scalars, arguments[len(tensors) :], strict=True)),
        )
        return out if isinstance(out, tuple) else (out,)

    return record(call, tensors, scalars)

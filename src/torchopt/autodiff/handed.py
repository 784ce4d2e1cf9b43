"""A function that `torch.compile` traces, handed to Python code as a function of all that it reads.

The compiler traces the function once, as the body of a higher-order operator, and finds the tensors
that it closes over. What is then done with it is decided by Python code, which the compiler does not
trace: it is called when the graph is differentiated and compiled, with tensors without values.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import torch
from torch import fx
from torch._ops import HigherOrderOperator

from torchopt.autodiff.compiling import uncompiled
from torchopt.autodiff.scan_tracing import at_level, current_level

Tensors = Sequence[torch.Tensor]


class Handler(Protocol):
    """What is done with a function that has been traced."""

    def __call__(
        self,
        function: Callable[[Tensors, Tensors], list[torch.Tensor]],
        x: Tensors,
        read: Tensors | None,
    ) -> list[torch.Tensor]:
        """Return tensors like those that the function returns.

        Args:
            function: ``function(x, read)``.
            x: Its arguments.
            read: All other tensors that it reads; None where the function was not traced, and finds
                these itself.
        """
        ...


_HANDLERS: dict[int, Handler] = {}
_NUMBERS = itertools.count()


def announce(make: Callable[..., Handler], *description: Any) -> int:
    """Make a handler, as what is traced is a constant; return its number."""
    _register()
    number = next(_NUMBERS)
    _HANDLERS[number] = make(*description)
    return number


# What `torch.compiler.assume_constant_result` does, without importing the compiler.
announce._dynamo_marked_constant = True  # type: ignore[attr-defined]


def constants(cls: type) -> tuple[str, ...]:
    """Return the names of the fields of a dataclass."""
    return tuple(field.name for field in dataclasses.fields(cls))


constants._dynamo_marked_constant = True  # type: ignore[attr-defined]


def hand(
    function: Callable[..., tuple[Tensors, Any]], x: Tensors, number: int
) -> tuple[list[torch.Tensor], Any]:
    """Return what a handler makes of a function, in code that is traced.

    Args:
        function: ``function(*x)``, without side effects; returns tensors, and what else is known.
        x: Its arguments.
        number: What :func:`announce` returned.

    Returns:
        The handler's tensors, and what else the function returned.
    """

    def marked(*x: torch.Tensor) -> tuple[list[torch.Tensor], Any]:
        out, known = function(*(_taken(t, i, number) for i, t in enumerate(x)))
        return [_given(t, i) for i, t in enumerate(out)], known

    # Aliases: a tensor that the function also closes over is another variable there.
    out, known = _HAND(marked, *(t.view_as(t) for t in x))
    return list(out), known


def _taken(x: torch.Tensor, place: int, number: int) -> torch.Tensor:
    """Mark an argument."""
    return x.view_as(x)


def _given(x: torch.Tensor, place: int) -> torch.Tensor:
    """Mark a result."""
    return x.view_as(x)


class _Hand(HigherOrderOperator):
    def __init__(self) -> None:
        super().__init__("torchopt_hand")
        # Traced as PyTorch's operator, by the name; a graph calls this one, by the module.
        self.__name__, self.__module__ = "wrap", __name__

    @uncompiled
    def __call__(self, function: Any, *operands: torch.Tensor) -> Any:
        if not isinstance(function, fx.GraphModule):  # the compiler has given it up
            return _without_graph(function, operands)
        known = function.meta
        parsed = known["torchopt_hand"] = known.get("torchopt_hand") or _Parsed(function)
        depth = current_level()
        places, read = parsed.places, parsed.read

        def call(x: Tensors, others: Tensors) -> list[torch.Tensor]:
            filled = list(operands)
            for place, t in zip((*places, *read), (*x, *others), strict=True):
                filled[place] = t
            out = at_level(function, current_level() - depth)(*filled)
            return [out[i] for i in parsed.results]

        handler = _HANDLERS[parsed.number]
        out = handler(call, [operands[i] for i in places], [operands[i] for i in read])
        ordered: list[Any] = [None] * len(out)
        for i, t in zip(parsed.results, out, strict=True):
            ordered[i] = t
        return tuple(ordered)


_HAND = _Hand()


class _Parsed:
    """What is what in a graph.

    Attributes:
        number: The handler.
        places: The operands that are arguments.
        read: All other operands.
        results: For each result of the function its place among the outputs of the graph.
    """

    def __init__(self, graph: fx.GraphModule) -> None:
        operands = graph.graph.find_nodes(op="placeholder")
        taken = graph.graph.find_nodes(op="call_function", target=_taken)
        self.number: int = taken[0].args[2]
        by_place = {node.args[1]: operands.index(node.args[0]) for node in taken}
        self.places = [by_place[i] for i in range(len(by_place))]
        self.read = [i for i in range(len(operands)) if i not in self.places]
        (output,) = graph.graph.find_nodes(op="output")
        given = [node.args[1] for node in output.args[0]]
        self.results = [given.index(i) for i in range(len(given))]


@uncompiled
def _without_graph(function: Any, x: Tensors) -> tuple[list[torch.Tensor], Any]:
    cells = [cell.cell_contents for cell in function.__closure__ or ()]
    number = next(cell for cell in cells if isinstance(cell, int))
    known: list[Any] = []

    def call(x: Tensors, _: Tensors) -> list[torch.Tensor]:
        out, rest = function(*x)
        known[:] = [rest]
        return list(out)

    return _HANDLERS[number](call, x, None), known[0]


@functools.cache
def _register() -> None:
    for mark in (_taken, _given):
        torch.compiler.allow_in_graph(mark)

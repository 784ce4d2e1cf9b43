"""Python numbers that a compiled function reads: constants, and tensors where they vary.

A number is a constant of compiled code, and another number needs other code. What has had two values
is passed as a tensor from then on, so that one more version of the code serves all values.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from operator import is_
from typing import Any

import torch

from torchopt.io.calls import Partial
from torchopt.pytree import flattening as pytree
from torchopt.transform.chaining import GradientTransformation
from torchopt.transform.options import with_numbers

__all__ = ["Numbers"]


class Numbers:
    """The floats that calls of one function read, and which of them vary.

    Those in its arguments, in containers, in what a function or a ``functools.partial`` among these
    closes over, and the hyperparameters of an optimizer.

    Attributes:
        refused: Whether the function needs numbers, such as for a condition.
    """

    def __init__(self) -> None:
        self.refused = False
        self._last: dict[Any, _CallRecord] = {}

    def varying(self, call: Any) -> tuple[Any, _CallRecord]:
        """Return a call with tensors in place of varying numbers, and the record of such calls.

        Args:
            call: A tuple of a function, its arguments, and those by keyword.
        """
        values: list[float] = []
        dtypes: list[torch.dtype] = []

        def look(x: Any) -> Any:
            if isinstance(x, torch.Tensor):
                dtypes.append(x.dtype)
            else:
                values.append(x)
            return x

        _map(look, call)
        seen = self._last.setdefault((len(values), tuple(dtypes)), _CallRecord(values))
        seen.places |= {k for k, x in enumerate(seen.values) if x != values[k]}
        # Zero stays a number, since it says that there is no momentum, no weight decay, ...
        places = {k for k in seen.places if values[k]}
        if self.refused or seen.outputs is None or not places:
            return call, seen
        count = iter(range(len(values)))

        def show(x: Any) -> Any:
            if isinstance(x, torch.Tensor) or next(count) not in places:
                return x
            return torch.tensor(x, dtype=torch.float64, device="cpu")

        return _map(show, call), seen


class _CallRecord:
    """The record of calls that read as many numbers, and tensors of the same dtypes.

    Attributes:
        values: The numbers of the first.
        places: Which of them vary.
        outputs: What the first returned: for each leaf its dtype or class.
    """

    def __init__(self, values: list[float]) -> None:
        self.values = values
        self.places: set[int] = set()
        self.outputs: list[Any] | None = None

    def note(self, out: Any) -> None:
        """Record the dtypes of results of numbers."""
        self.outputs = [
            x.dtype if isinstance(x, torch.Tensor) else type(x) for x in pytree.leaves(out)
        ]

    def as_of_numbers(self, out: Any) -> Any:
        """Return an output with the dtypes of a call with numbers; tensors promote otherwise."""
        leaves, spec = pytree.flatten(out)
        outputs = self.outputs or []
        if len(outputs) == len(leaves):
            leaves = [_like(x, kind) for x, kind in zip(leaves, outputs, strict=True)]
        return pytree.unflatten(spec, leaves)


def _like(x: Any, kind: Any) -> Any:
    if not isinstance(x, torch.Tensor):
        return x
    if kind is float:
        return float(x)
    return x.to(kind) if isinstance(kind, torch.dtype) else x


def _map(function: Callable[[Any], Any], value: Any) -> Any:
    """Return a value with floats and tensors mapped; parts without any stay the same objects."""
    kind = type(value)
    if kind is float or isinstance(value, torch.Tensor):
        return function(value)
    if kind in _CONTAINERS:
        items = [_map(function, x) for x in value]
        return value if all(map(is_, items, value)) else kind(items)
    if isinstance(value, GradientTransformation):
        return with_numbers(value, function)
    if isinstance(value, (functools.partial, Partial)):
        parts = (value.func, value.args, value.keywords)
        func, args, keywords = _map(function, parts)
        same = all(map(is_, parts, (func, args, keywords)))
        return value if same else kind(func, *args, **keywords)
    if kind is types.FunctionType:
        return _closed_over(function, value)
    if kind is dict:
        mapped = [_map(function, x) for x in value.values()]
        same = all(map(is_, mapped, value.values()))
        return value if same else dict(zip(value, mapped, strict=True))
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        items = [_map(function, x) for x in value]
        return value if all(map(is_, items, value)) else kind(*items)
    return value


_CONTAINERS = (tuple, list)


def _closed_over(function: Callable[[Any], Any], value: types.FunctionType) -> Any:
    changed = False
    cells = []
    for cell in value.__closure__ or ():
        try:
            content = cell.cell_contents
        except ValueError:  # not assigned yet
            content = None
        # Only numbers, and what is called: a function may write into a container.
        if type(content) is float or isinstance(
            content, (torch.Tensor, functools.partial, Partial)
        ):
            shown = _map(function, content)
        else:
            shown = content
        changed |= shown is not content
        cells.append(cell if shown is content else types.CellType(shown))
    if not changed:
        return value
    copy = types.FunctionType(
        value.__code__, value.__globals__, value.__name__, value.__defaults__, tuple(cells)
    )
    copy.__kwdefaults__ = value.__kwdefaults__
    copy.__qualname__ = value.__qualname__
    vars(copy).update(vars(value))
    return copy

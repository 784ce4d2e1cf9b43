"""Finds out whether what a function reads by name has changed between two calls.

Unlike :mod:`torchopt.autodiff.captured`, this needs no evaluation in this thread: a function may run in
other processes. It sees values that are no tensors, too.
"""

from __future__ import annotations

import types
from argparse import Namespace
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import is_dataclass
from typing import Any

import torch
from torch import nn

from torchopt.autodiff.module_tensors import FUNCTIONS, ModuleTensors, read_by
from torchopt.errors import ReplayError
from torchopt.pytree import flattening as pytree

_PLAIN = (bool, int, float, str)
# A larger container, such as a dataset, is not looked into.
_MOST_LEAVES = 1000
# A larger array is known by its identity only.
_MOST_BYTES = 1 << 20


class ClosureGuard:
    """Raises if the tensors, arrays, modules or numbers that functions read change between calls.

    It looks into closures, the globals that a function names, the arguments of a
    ``functools.partial``, and the attributes of callable objects, dataclasses and namespaces; and into
    the functions among these.

    Args:
        *functions: The functions.
        given: The tensors that they are called with.
        arguments: Their other arguments.
    """

    def __init__(
        self, *functions: Any, given: Sequence[torch.Tensor] = (), arguments: Sequence[Any] = ()
    ) -> None:
        self._functions = functions
        self._given = given
        self._arguments = arguments
        self._called = False
        self._seen = self._now()
        self._held = ModuleTensors()

    @property
    def variables(self) -> list[str]:
        """The names of tensors that require grad and are no arguments."""
        given = set(map(id, self._given))
        return [
            name
            for name, (value, _) in list(self._seen.items())[len(self._given) :]
            if isinstance(value, torch.Tensor)
            and value.requires_grad
            and not (": self." in name and id(value) in given)  # an attribute may be read as that
        ]

    def words(self) -> dict[str, str]:
        """Return the values that are no tensors, and the code of functions, alike in each process."""
        seen = [(name, x, state) for name, (x, state) in self._seen.items()]
        out = {name: repr(x) for name, x, _ in seen if isinstance(x, _PLAIN)}
        out |= {name: str(state) for name, x, state in seen if _is_array(x)}
        return out | {name: _text(x) for name, x, _ in seen if isinstance(x, types.CodeType)}

    @contextmanager
    def call(self) -> Iterator[None]:
        """Enclose a call. Values that the call itself changes are not compared later.

        During a later call, modules hold the parameters of the first one, since
        ``torch.func.functional_call`` replaces them when it ends.

        Raises:
            RuntimeError: If the functions would read other values than in the first call.
        """
        with self._held.holding():
            if self._called:
                self._check()
            yield
            now = self._now()
            self._seen = {name: x for name, x in self._seen.items() if _same(x, now.get(name))}
            if not self._called:
                modules = (x for x, _ in self._seen.values() if isinstance(x, nn.Module))
                self._held = ModuleTensors(*modules)
                self._called = True

    def _check(self) -> None:
        now = self._now()
        for name, value in self._seen.items():
            if not _same(value, now.get(name)):
                raise ReplayError(
                    f"the function is evaluated again in the backward pass, but `{name}`, which it "
                    f"reads, has changed since its value was computed: pass a copy as an argument, or "
                    f"call `backward` before it changes."
                )

    def _now(self) -> dict[str, tuple[Any, Any]]:
        values: dict[str, tuple[Any, Any]] = {}
        for k, tensor in enumerate(self._given):
            values[f"tensor {k} of the arguments"] = (tensor, _state_of(tensor))
        waiting: list[Any] = list(self._functions)
        for k, value in enumerate(self._arguments):
            self._note(f"argument {k} that is no tensor", value, values, waiting)
        visited: set[int] = set()
        names: Counter[str] = Counter()
        while waiting:
            function = waiting.pop()
            if id(function) in visited:
                continue
            visited.add(id(function))
            name = getattr(function, "__qualname__", type(function).__name__)
            names[name] += 1
            if names[name] > 1:  # as of two calls of a factory
                name = f"{name} {names[name]}"
            if isinstance(function, types.FunctionType):
                values[name] = (function.__code__, None)
            for key, value in read_by(function):
                self._note(f"{name}: {key}", value, values, waiting)
        return values

    def _note(self, name: str, value: Any, values: dict[str, Any], waiting: list[Any]) -> None:
        if isinstance(value, FUNCTIONS):
            waiting.append(value)
        elif isinstance(value, (torch.Tensor, *_PLAIN)) or _is_array(value):
            values[name] = (value, _state_of(value))
        elif isinstance(value, nn.Module):
            values[name] = (value, _state_of(value))
            for path, module in value.named_modules(prefix=name):
                for key, x in vars(module).items():
                    if isinstance(x, _PLAIN):
                        values[f"{path}.{key}"] = (x, None)
        elif callable(value) and hasattr(value, "__dict__") and not isinstance(value, type):
            waiting.append(value)
        elif isinstance(value, Namespace | types.SimpleNamespace) or is_dataclass(value):
            for key, x in getattr(value, "__dict__", {}).items():  # with slots, there is none
                if isinstance(x, _PLAIN):
                    values[f"{name}.{key}"] = (x, None)
        elif isinstance(value, (list, tuple, dict)) and len(value) <= _MOST_LEAVES:
            leaves = pytree.leaves(value)
            for k, leaf in enumerate(leaves[:_MOST_LEAVES]):
                if not isinstance(leaf, (list, tuple, dict)):
                    self._note(f"{name}[{k}]", leaf, values, waiting)


def _text(code: types.CodeType) -> str:
    """Return what code does, without the place where it is written."""
    constants = [
        _text(c) if isinstance(c, types.CodeType) else sorted(map(repr, c))
        if isinstance(c, frozenset) else repr(c)
        for c in code.co_consts
    ]  # fmt: skip
    return repr((code.co_code, code.co_names, constants))


def _is_array(value: Any) -> bool:
    return type(value).__module__ == "numpy" and hasattr(value, "shape")


def _state_of(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return None if value.is_inference() else value._version
    if isinstance(value, nn.Module):
        return [(id(p), p._version) for p in value.parameters() if not p.is_inference()]
    if _is_array(value) and value.nbytes <= _MOST_BYTES:
        return value.tobytes()
    return None


def _same(old: tuple[Any, Any], new: tuple[Any, Any] | None) -> bool:
    if new is None:
        return False
    if isinstance(old[0], _PLAIN):
        return type(old[0]) is type(new[0]) and bool(old[0] == new[0])
    return old[0] is new[0] and old[1] == new[1]

"""A debugging option: some calls of compiled code are evaluated eagerly, too, and compared."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import torch

from torchopt.autodiff.environment import Environment, TorchSettings
from torchopt.autodiff.fingerprint import Fingerprint, rounding
from torchopt.pytree import flattening as pytree


class EagerCheck:
    """Compares the second call of a function, and every so many later ones, with eager code.

    The environment variable ``TORCHOPT_CHECK_COMPILED`` is how many; without it nothing is compared.
    """

    def __init__(self) -> None:
        self._calls = 0

    def expected(self, function: Callable[..., Any], args: Any, kwargs: Any) -> list[Any] | None:
        """Return what eager code returns for a call; None for calls that are not compared.

        Buffers and generators are as before afterwards.
        """
        every = os.environ.get("TORCHOPT_CHECK_COMPILED")
        if not every:
            return None
        self._calls += 1
        if self._calls != 2 and (self._calls < 2 or self._calls % int(every)):
            return None
        with Environment(function, args, kwargs).evaluation():
            return [function(*args, **kwargs)]

    def compare(self, expected: Any, found: Any, name: str) -> None:
        """Raise if compiled code does not return what eager code does.

        Args:
            expected: What eager code returned.
            found: What compiled code returned.
            name: What the function is called.

        Raises:
            RuntimeError: If a tree, a type, a dtype, a shape or a value differs by more than rounding.
        """
        what = _difference(expected, found)
        if what is not None:
            raise RuntimeError(
                f"TORCHOPT_CHECK_COMPILED: call {self._calls} of `{name}` with compile=True did not "
                f"return what it returns without: {what}. The function reads what compiled code does "
                "not see change: pass that as an argument, or leave compile=True out."
            )


def _difference(expected: Any, found: Any) -> str | None:
    first, spec = pytree.flatten(expected)
    later, other = pytree.flatten(found)
    if spec != other:
        return f"the tree {other} instead of {spec}"
    for x, y in zip(first, later, strict=True):
        if _kind(x) != _kind(y):
            return f"{_kind(y)} instead of {_kind(x)}"
        if not isinstance(x, (torch.Tensor, float)) and x is not y and x != y:
            return f"{y!r} instead of {x!r}"
    before, after = _tensors(first), _tensors(later)
    autocast = [dtype for _, dtype in TorchSettings.current().autocast]
    largest = rounding([t.dtype for t in before], autocast)
    fingerprint = Fingerprint(before)
    distance = fingerprint.distance(after, floor=largest**2 * fingerprint.size)
    return f"tensors that are off by about {distance:.1e}" if not distance <= largest else None


def _tensors(leaves: list[Any]) -> list[torch.Tensor]:
    leaves = [torch.tensor(x) if isinstance(x, float) else x for x in leaves]
    return [x for x in leaves if isinstance(x, torch.Tensor)]


def _kind(x: Any) -> str:
    if isinstance(x, torch.Tensor):
        return f"a tensor of {x.dtype} and shape {tuple(x.shape)}"
    return f"an object of type {type(x).__name__}"

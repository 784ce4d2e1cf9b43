"""A function of trees as a function of their floating tensors, which can be sent to a worker."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any

import torch

from torchopt import checks
from torchopt.autodiff.conversion import as_floating
from torchopt.autodiff.tracking import copied
from torchopt.diff.problem import InnerProblem
from torchopt.diff.solution import Solution
from torchopt.pytree import flattening as pytree

_FLOATING = "floating"  # a tensor
_NUMBER = "number"  # of Python or NumPy, which is a tensor of double precision inside
_COUNT = "count"  # an integer or a Boolean, or a tensor of these: likewise


class TensorFunction:
    """A function of floating tensors.

    Args:
        fn: Takes trees; returns a tree, or with ``has_aux`` a pair of that and auxiliary output.
        trees: The trees.
        has_aux: Whether there is auxiliary output.

    Attributes:
        theta: The floating tensors of the trees.
        aux: The auxiliary output of the first call, and nothing more.

    Raises:
        TypeError: If a complex tensor requires grad.
        ValueError: If there is not a floating tensor.
    """

    def __init__(self, fn: Callable[..., Any], trees: Sequence[Any], has_aux: bool) -> None:
        self._fn, self._has_aux = fn, has_aux
        leaves, self._spec = pytree.flatten(tuple(trees))
        tensors = {k: t for k, t in enumerate(leaves) if isinstance(t, torch.Tensor)}
        if any(t.is_complex() and t.requires_grad for t in tensors.values()):
            raise TypeError(
                "a complex tensor among the arguments requires grad, but the zero-order mode moves "
                "real ones: pass it by `torch.view_as_real`."
            )
        self._places = [k for k, t in tensors.items() if t.is_floating_point()]
        if not self._places:
            raise ValueError(
                "there is nothing to differentiate: none of the arguments has a floating tensor."
            )
        self.theta: list[torch.Tensor] = [leaves[k] for k in self._places]
        self._constant = [None if k in self._places else x for k, x in enumerate(leaves)]
        self.aux: list[Any] = []
        self._first: _Result | None = None

    def __call__(self, theta: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        """Return the numbers of the function's value, as floating tensors."""
        filled = copied(self._constant)
        for k, t in zip(self._places, theta, strict=True):
            filled[k] = t
        value = self._without_aux(self._fn(*pytree.unflatten(self._spec, filled)))
        leaves, spec = pytree.flatten(value)
        kinds = [_kind_of(y) for y in leaves]
        out = [as_floating(y) for y, kind in zip(leaves, kinds, strict=True) if kind is not None]
        result = _Result(spec, leaves, kinds, [y.shape for y in out])
        if self._first is None:
            self._first = result
        if not out or not result.fits(self._first):
            raise ValueError(
                f"the function returned {result.show()} at a perturbed point, but "
                f"{self._first.show()} at the point itself: return numbers, in the same structure "
                f"everywhere, and floats instead of integers where it returns floats elsewhere."
            )
        return out

    def __getstate__(self) -> dict[str, Any]:
        # The results of calls stay in the process of the calls.
        return {**self.__dict__, "theta": [], "aux": [], "_first": None}

    @property
    def has_more(self) -> bool:
        """Whether a call has left auxiliary numbers, which are those of one problem only."""
        numbers = (int, float, complex)
        return any(isinstance(y, numbers) or hasattr(y, "dtype") for y in pytree.leaves(self.aux))

    def value(self, outputs: Sequence[torch.Tensor]) -> Any:
        """Return the function's value with tensors in the places of those that a call returned."""
        assert self._first is not None
        values = iter(outputs)
        # Half precision would round a count.
        like = reduce(torch.promote_types, (t.dtype for t in self.theta), torch.float32)
        leaves = [
            y if kind is None else next(values) if kind == _FLOATING else next(values).to(like)
            for y, kind in zip(self._first.leaves, self._first.kinds, strict=True)
        ]
        return pytree.unflatten(self._first.spec, leaves)

    def _without_aux(self, out: Any) -> Any:
        if not self._has_aux:
            return out
        value, aux = checks.pair_of(out, "has_aux=True: the function", "value, aux")
        if not self.aux:  # of the first call, at the point itself
            self.aux.append(aux)
        return value


@dataclass(frozen=True)
class _Result:
    spec: Any
    leaves: list[Any]
    kinds: list[str | None]
    shapes: list[torch.Size]

    def fits(self, other: _Result) -> bool:
        mine, theirs = (
            (result.spec, [k and k == _COUNT for k in result.kinds], result.shapes)
            for result in (self, other)
        )
        return bool(mine == theirs)

    def show(self) -> str:
        kinds = ["integers" if k == _COUNT else "floats" for k in self.kinds if k is not None]
        shown = zip(kinds, self.shapes, strict=True)
        return ", ".join(f"{kind} of shape {tuple(shape)}" for kind, shape in shown) or "no numbers"


def _kind_of(y: Any) -> str | None:
    """Return what a leaf of a value is, or None if it is passed through."""
    if isinstance(y, complex) or "complex" in str(getattr(y, "dtype", "")):
        raise TypeError(
            "the function returned complex values, which the zero-order mode does not differentiate: "
            "return their parts, by `torch.view_as_real`, or return them as auxiliary output."
        )
    if isinstance(y, torch.Tensor):
        return _FLOATING if y.is_floating_point() else _COUNT
    kind = getattr(getattr(y, "dtype", None), "kind", None)  # of NumPy
    if isinstance(y, float) or kind == "f":
        return _NUMBER
    return _COUNT if isinstance(y, int) or kind in ("b", "i", "u") else None


@dataclass(frozen=True, eq=False)
class PartialFunction:
    """A function of some of its positional arguments.

    Attributes:
        fn: The function.
        leaves: Those of all arguments, positional and by name.
        spec: Their structure.
        moving: The positions of the arguments that are given at a call.
    """

    fn: Callable[..., Any]
    leaves: list[Any]
    spec: Any
    moving: list[int]

    def __call__(self, *values: Any) -> Any:
        """Return the function's value."""
        positional, named = pytree.unflatten(self.spec, self.leaves)
        varied = dict(zip(self.moving, values, strict=True))
        filled = [varied[k] if k in varied else copied(x) for k, x in enumerate(positional)]
        return self.fn(*filled, **copied(named))


@dataclass(frozen=True, eq=False)
class SolutionMap:
    """The solution of a problem as a function of its start and its data."""

    problem: InnerProblem

    def __call__(self, params: Any, args: tuple[Any, ...], batches: Any) -> tuple[Any, Solution]:
        """Return the parameters, and the whole solution."""
        solution = replace(self.problem, params=params, args=args, batches=batches).run()
        return solution.params, solution

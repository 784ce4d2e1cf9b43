"""A user's own formula as a differentiable operator with kernels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from numbers import Real
from typing import Any

import torch

from torchopt import checks
from torchopt.formula import Graph, trace
from torchopt.ops._backend import PLAIN
from torchopt.ops._evaluate import evaluate
from torchopt.ops.function import call_columns
from torchopt.pytree import flattening as pytree


class ElementwiseUpdate:
    """A formula as an operator on trees of tensors; see ``elementwise_update``.

    Attributes:
        graph: The recorded formula.
    """

    def __init__(self, formula: Callable[..., Any]) -> None:
        self.graph: Graph = trace(formula)
        # Cached now: until Python 3.12 a cached property takes a lock, which the compiler cannot enter.
        _ = self.graph.live
        self._formula = formula

    def __call__(self, *trees: Any, **scalars: Any) -> Any:
        """Evaluate the formula.

        Args:
            *trees: A tensor, or a tree of tensors, for each positional argument of the formula, all
                of one structure; shapes, dtypes and devices agree leaf by leaf.
            **scalars: A number, or a tensor without dimensions (which may require grad), for each
                keyword-only argument.

        Returns:
            A tree for each result of the formula.

        Raises:
            TypeError: If arguments are missing or unknown, or a leaf is not a floating tensor.
            ValueError: If structures, shapes, dtypes or devices differ.
        """
        graph = self.graph
        if len(trees) != len(graph.tensors) or set(scalars) != set(graph.scalars):
            raise TypeError(
                f"the formula takes tensors ({', '.join(graph.tensors)}) by position and scalars "
                f"({', '.join(graph.scalars)}) by name; given were {len(trees)} tensors and "
                f"({', '.join(scalars)})."
            )
        columns, spec = self._columns(trees)
        values = [self._scalar(name, scalars[name]) for name in graph.scalars]
        if torch.compiler.is_compiling():
            return self._results(self._by_operations(columns, values), spec)
        out: list[list[Any]] = [[None] * len(columns[0]) for _ in graph.outputs]
        groups: dict[Any, list[int]] = {}
        for index, leaf in enumerate(columns[0]):
            groups.setdefault((leaf.dtype, leaf.device), []).append(index)
        for group in groups.values():
            done = self._run([[column[i] for i in group] for column in columns], values)
            for column, new in zip(out, done, strict=True):
                for i, x in zip(group, new, strict=True):
                    column[i] = x
        return self._results(out, spec)

    def _by_operations(
        self, columns: Sequence[Sequence[torch.Tensor]], values: Sequence[Any]
    ) -> list[Sequence[torch.Tensor]]:
        rows = [evaluate(self.graph, row, values)[0] for row in zip(*columns, strict=True)]
        return list(zip(*rows, strict=True))

    def _run(
        self, columns: Sequence[Sequence[torch.Tensor]], values: Sequence[Any]
    ) -> list[Sequence[torch.Tensor]]:
        done = None
        if all(type(t) in PLAIN for column in columns for t in column):
            outputs = len(self.graph.outputs)
            done = call_columns(self.graph, columns, outputs, values, compile=True)
        return done or self._by_operations(columns, values)

    def _columns(self, trees: Sequence[Any]) -> tuple[list[list[torch.Tensor]], Any]:
        names = self.graph.tensors
        first, spec = pytree.flatten(trees[0])
        checks.check_not_empty(spec, names[0])
        columns = []
        for name, tree in zip(names, trees, strict=True):
            leaves, found = pytree.flatten(tree)
            checks.check_same_structure(spec, found, root=name, reference=f"`{names[0]}`")
            for index, (leaf, like) in enumerate(zip(leaves, first, strict=True)):
                if not isinstance(leaf, torch.Tensor) or not leaf.is_floating_point():
                    path = checks.leaf_path(spec, index, name)
                    raise TypeError(f"`{path}` is no real floating-point tensor: convert it.")
                if leaf.shape != like.shape:
                    path = checks.leaf_path(spec, index, name)
                    checks.raise_shape_mismatch(path, leaf.shape, like.shape, f"`{names[0]}`")
                if leaf.dtype != like.dtype or leaf.device != like.device:
                    path = checks.leaf_path(spec, index, name)
                    raise ValueError(
                        f"`{path}` is {leaf.dtype} on {leaf.device}, but `{names[0]}` is "
                        f"{like.dtype} on {like.device}: convert one of them."
                    )
            columns.append(leaves)
        return columns, spec

    @staticmethod
    def _scalar(name: str, value: Any) -> Any:
        if not isinstance(value, torch.Tensor):
            if not isinstance(value, Real):
                raise TypeError(
                    f"scalar `{name}` is an object of type {type(value).__name__}: pass a number or a "
                    f"tensor without dimensions."
                )
            return float(value)
        if value.dim() > 0:
            raise ValueError(
                f"scalar `{name}` has shape {tuple(value.shape)}: pass a number or a tensor without "
                f"dimensions, or make it a positional argument of the formula."
            )
        return value

    def _results(self, columns: Sequence[Sequence[torch.Tensor]], spec: Any) -> Any:
        trees = tuple(pytree.unflatten(spec, list(column)) for column in columns)
        return trees[0] if len(trees) == 1 else trees

    def __repr__(self) -> str:
        return f"elementwise_update({getattr(self._formula, '__qualname__', self._formula)})"


def elementwise_update(formula: Callable[..., Any]) -> ElementwiseUpdate:
    """Make a differentiable operator with kernels from a formula on one element.

    The formula is recorded once; its vjp, jvp and second vjp, with respect to tensors and scalars, are
    derived from it, and each is compiled at the first call (seconds, once for a machine; see
    ``python -m torchopt.native status``). Where there is no compiler, and for order three and above,
    the same graphs run as PyTorch's operations. Works with autograd to any order, ``torch.func`` and
    ``torch.compile``.

    Args:
        formula: ``(*tensors, *, scalars) -> result or tuple of results``, in Python arithmetic and
            elementwise functions of PyTorch (``torch.sqrt``, ``torch.where``, ``torch.maximum``, ...).

    Returns:
        A callable on tensors, or trees of tensors.

    Raises:
        FormulaError: If the formula uses what cannot be recorded.

    Example:
        >>> import torch
        >>> @elementwise_update
        ... def lion(p, g, m, *, lr, beta1, beta2):
        ...     direction = torch.sign(beta1 * m + (1 - beta1) * g)
        ...     return p - lr * direction, beta2 * m + (1 - beta2) * g
        >>> p, g, m = torch.tensor([1.0, 2.0]), torch.tensor([3.0, -4.0]), torch.zeros(2)
        >>> p, m = lion(p, g, m, lr=0.5, beta1=0.9, beta2=0.75)
        >>> p, m
        (tensor([0.5000, 2.5000]), tensor([ 0.7500, -1.0000]))
    """
    return ElementwiseUpdate(formula)

"""Arguments and results of a batch of tasks: trees in which some tensors have a task dimension."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch

from torchopt import checks
from torchopt.autodiff.transforms import value_of
from torchopt.pytree import PyTreeSpec
from torchopt.pytree import flattening as pytree


@dataclass(frozen=True)
class _Mapped:
    """A tree, some leaves of which have a task dimension."""

    leaves: list[Any]
    dims: list[int | None]
    spec: PyTreeSpec

    def mapped(self) -> list[int]:
        """Return the positions of the leaves that have a task dimension."""
        return [i for i, dim in enumerate(self.dims) if dim is not None]

    def filled(self, tensors: Any) -> list[Any]:
        """Return the leaves with other tensors in place of those."""
        leaves = list(self.leaves)
        for i, tensor in zip(self.mapped(), tensors, strict=True):
            leaves[i] = tensor
        return leaves


@dataclass(frozen=True)
class Tasks(_Mapped):
    """The arguments of a batch of tasks."""

    size: int

    @classmethod
    def of(cls, args: tuple[Any, ...], in_dims: Any) -> Tasks:
        leaves, spec = pytree.flatten(args)
        leaf_dims = pytree.broadcast_prefix(in_dims, spec)
        if leaf_dims is None:
            checks.raise_not_prefix(spec, pytree.flatten(in_dims)[1], "in_dims", "the arguments")
        dims = [None if leaf is None else d for leaf, d in zip(leaves, leaf_dims, strict=True)]
        first: int | None = None
        for i, (leaf, dim) in enumerate(zip(leaves, dims, strict=True)):
            if dim is None:
                continue
            _check_has_dim(leaf, dim, spec, i)
            first = i if first is None else first
            tasks, at = leaves[first].shape[dims[first] or 0], dims[first]
            if leaf.shape[dim] != tasks:
                raise ValueError(
                    f"`{_path(spec, i)}` has {leaf.shape[dim]} tasks in dimension {dim}, but "
                    f"`{_path(spec, first)}` has {tasks} in dimension {at}: pass as many in each, "
                    f"or None in `in_dims` for what all tasks share."
                )
        if first is None:
            raise ValueError(
                "no argument has a dimension of tasks: pass a tensor, and say in `in_dims` which."
            )
        return cls(leaves, dims, spec, leaves[first].shape[dims[first] or 0])

    def arguments(self, tensors: Any) -> tuple[Any, ...]:
        """Return the arguments with other tensors in place of the mapped leaves."""
        return pytree.unflatten(self.spec, self.filled(tensors))

    def chunks(self, size: int | None) -> list[Tasks]:
        """Return the batch in chunks of at most ``size`` tasks."""
        if size is None or size >= self.size:
            return [self]
        parts = []
        for start in range(0, self.size, size):
            n = min(size, self.size - start)
            leaves = [
                leaf if dim is None else leaf.narrow(dim, start, n)
                for leaf, dim in zip(self.leaves, self.dims, strict=True)
            ]
            parts.append(Tasks(leaves, self.dims, self.spec, n))
        return parts


def _check_has_dim(leaf: Any, dim: Any, spec: PyTreeSpec, index: int) -> None:
    if not isinstance(dim, int) or isinstance(dim, bool):
        raise ValueError(
            f"`in_dims` for `{_path(spec, index)}` is {dim!r}: use an integer or None."
        )
    if not isinstance(leaf, torch.Tensor):
        raise TypeError(
            f"`{_path(spec, index)}` is an object of type {type(leaf).__name__}, which has no "
            f"dimension of tasks: pass a tensor, or None for it in `in_dims`."
        )
    if not -leaf.dim() <= dim < leaf.dim():
        raise ValueError(
            f"`{_path(spec, index)}` has shape {tuple(leaf.shape)} and no dimension {dim}, which "
            f"`in_dims` asks for: use None for what all tasks share."
        )


def _path(spec: PyTreeSpec, index: int) -> str:
    return checks.leaf_path(spec, index, "args")


@dataclass(frozen=True)
class TaskResults(_Mapped):
    """The results of some tasks: leaves with a dim that is not None have the tasks in dimension 0."""

    @classmethod
    def of(cls, out: Any, out_dims: Any) -> TaskResults:
        """Return the results of one task, without a task dimension."""
        leaves, spec = pytree.flatten(out)
        dims = pytree.broadcast_prefix(out_dims, spec)
        if dims is None:
            checks.raise_not_prefix(spec, pytree.flatten(out_dims)[1], "out_dims", "the result")
        for i, (leaf, dim) in enumerate(zip(leaves, dims, strict=True)):
            if isinstance(leaf, bool | int | float | complex) and dim is not None:
                leaves[i] = torch.as_tensor(leaf)
            elif not isinstance(leaf, torch.Tensor):
                dims[i] = None
        return cls(leaves, dims, spec)

    def batched(self, tensors: Any) -> TaskResults:
        """Return the results with other tensors in place of the mapped leaves."""
        return TaskResults(self.filled(tensors), self.dims, self.spec)

    def path(self, index: int) -> str:
        return checks.leaf_path(self.spec, index, "result")


def join(parts: list[TaskResults]) -> Any:
    """Concatenate the results of all tasks."""
    first = parts[0]
    for part in parts[1:]:
        checks.check_same_structure(
            first.spec, part.spec, root="result", reference="that of the first task"
        )
    leaves = []
    for i, dim in enumerate(first.dims):
        column = [part.leaves[i] for part in parts]
        if dim is None:
            _check_equal(column, first.path(i))
            leaves.append(column[0])
            continue
        shapes = {tuple(t.shape[1:]) for t in column}
        if len(shapes) > 1:
            raise ValueError(
                f"`{first.path(i)}` has shape {' for one task and '.join(map(str, shapes))} for "
                f"another: results must have one shape to be stacked."
            )
        joined = column[0] if len(column) == 1 else torch.cat(column)
        leaves.append(joined.movedim(0, dim) if dim else joined)
    return pytree.unflatten(first.spec, leaves)


def _check_equal(column: list[Any], path: str) -> None:
    for value in column[1:]:
        if value is column[0]:
            continue
        if isinstance(value, torch.Tensor):
            same = torch.equal(value_of(value), value_of(column[0]))
        else:
            same = type(value) is type(column[0]) and bool(value == column[0])
        if not same:
            raise ValueError(
                f"`{path}` differs between tasks, and is not stacked: return a tensor, with an integer "
                f"in `out_dims`."
            )

"""A layer whose output is a fixed point: a deep equilibrium model."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import nn

from torchopt import checks
from torchopt.autodiff.exact_normalization import ExactDerivatives
from torchopt.autodiff.running_statistics import BATCH_NORMS
from torchopt.diff import DifferentiationMode, Solution
from torchopt.io.calls import explained
from torchopt.pytree import flattening as pytree
from torchopt.pytree.typing import TensorTree
from torchopt.solver import fixed_point
from torchopt.solver.types import InnerSolver


class Equilibrium(nn.Module):
    r"""A layer whose output is a fixed point of a cell, :math:`z^* = T(z^*, x)`.

    Each row of a batch is a separate problem: it stops when its own residual is within the tolerance,
    and its derivative solves its own linear equation. The output and the gradient of a row therefore
    do not depend on the other rows. The cell is evaluated for all rows at once, by
    ``torch.func.vmap``, until the last row stops.

    *Rows that depend on each other* are one problem: use ``batch_dims=0``. Batch normalization in
    training mode is refused; in evaluation mode it acts on each row separately, as layer and group
    normalization do. Any other cell that mixes rows (such as attention across the batch) is called
    with one row at a time, and does not see the others.

    *Random numbers* in the cell, such as dropout, differ between evaluations, so the cell has no fixed
    point. Draw a mask first and pass it as an input.

    Args:
        cell: ``cell(z, *inputs, **shared)``, a module or a function, returns a tree like ``z``. With
            ``batch_dims`` it sees batches of one row, of the usual number of dimensions.
        batch_dims: The number of leading axes of ``z`` and of each input that count rows. With 0 a
            whole batch is one vector with one tolerance.
        solver: As for :func:`torchopt.fixed_point`; by default ``Anderson()``.
        steps: The exact number of steps of a gradient transformation (≥ 0). Solvers such as
            ``LBFGS()`` have their own ``maxiter``.
        maxiter: The maximal number of steps of a gradient transformation that stops by a tolerance;
            instead of ``steps``.
        atol: Its absolute tolerance on the Euclidean norm of the residual, as for
            :func:`torchopt.fixed_point`.
        rtol: Its relative one.
        diff: The differentiation mode, by default that of :func:`torchopt.fixed_point`.

    Raises:
        ValueError: If ``batch_dims`` is negative; in a call, if a tensor lacks these axes, their
            sizes differ, a batch is passed by keyword, or the cell has batch normalization in training
            mode.
        TypeError: If the cell cannot be called.

    Warns:
        NotConvergedWarning: If the tolerance is not reached, by ``failed`` rows.

    Example:
        >>> import torch, torchopt
        >>> layer = torchopt.nn.Equilibrium(lambda z, x: torch.cos(z) * x)
        >>> x = torch.tensor([[0.1], [1.0]], dtype=torch.float64, requires_grad=True)
        >>> layer(torch.zeros_like(x), x).detach().flatten()
        tensor([0.0995, 0.7391], dtype=torch.float64)
        >>> layer.solve(torch.zeros_like(x), x).iterations
        tensor([4, 7])

    References:
        Bai, Kolter and Koltun, *Deep Equilibrium Models*, NeurIPS 2019.
    """

    @explained
    def __init__(
        self,
        cell: Callable[..., TensorTree],
        *,
        batch_dims: int = 1,
        solver: InnerSolver[TensorTree] | None = None,
        steps: int | None = None,
        maxiter: int | None = None,
        atol: float | None = None,
        rtol: float | None = None,
        diff: DifferentiationMode | None = None,
    ) -> None:
        super().__init__()
        checks.check("cell", cell, checks.a_function("`(z, *inputs)`, or a module"))
        checks.check_count("batch_dims", batch_dims, of="leading axes that count rows")
        self.cell = cell
        self.batch_dims = batch_dims
        self.solver = solver
        self.steps = steps
        self.maxiter = maxiter
        self.atol = atol
        self.rtol = rtol
        self.diff = diff

    def forward(self, z: TensorTree, *inputs: TensorTree, **shared: object) -> TensorTree:
        """Return the fixed point, a tree like ``z``.

        Args:
            z: The starting point: a tree of floating tensors.
            *inputs: Further arguments of the cell; their tensors have the batch axes of ``z``.
            **shared: Keyword arguments of the cell, which all rows read as they are.
        """
        return self.solve(z, *inputs, **shared).params

    def solve(self, z: TensorTree, *inputs: TensorTree, **shared: object) -> Solution:
        """Return the fixed point with the iterations, error and convergence of each row."""
        dims = self.batch_dims
        if not dims:
            return self._solve(lambda z, *inputs: self.cell(z, *inputs, **shared), z, inputs)
        self._refuse_batch_norm()
        leaves, spec = pytree.flatten((z, *inputs))
        batch = _batch_of(leaves, spec, dims)
        rows = [t.flatten(0, dims - 1) if isinstance(t, torch.Tensor) else t for t in leaves]

        def cell(z: Any, *inputs: Any) -> Any:
            arguments = pytree.map_leaves(lambda t: _reshaped(t, 0, (1,) * dims), (z, *inputs))
            with ExactDerivatives():
                result = self.cell(*arguments, **shared)
            _check_row(result, dims, batch, shared)
            return pytree.map_leaves(lambda t: _reshaped(t, dims, ()), result)

        def row(*leaves: Any) -> Solution:
            z, *inputs = pytree.unflatten(spec, list(leaves))
            return self._solve(cell, z, tuple(inputs))

        axes = tuple(0 if isinstance(t, torch.Tensor) else None for t in rows)
        solved = torch.func.vmap(row, axes, randomness="different")(*rows)
        return pytree.map_leaves(lambda t: t.unflatten(0, batch), solved)

    def extra_repr(self) -> str:
        return f"batch_dims={self.batch_dims}, solver={self.solver}, diff={self.diff}"

    def _solve(self, function: Callable[..., Any], z: Any, inputs: tuple[Any, ...]) -> Solution:
        return fixed_point(
            function,
            z,
            inputs,
            solver=self.solver,
            steps=self.steps,
            maxiter=self.maxiter,
            atol=self.atol,
            rtol=self.rtol,
            diff=self.diff,
        )

    def _refuse_batch_norm(self) -> None:
        for name, module in self.named_modules():
            # Without running statistics it reads the batch in evaluation mode, too.
            if isinstance(module, BATCH_NORMS) and (module.training or module.running_mean is None):
                raise ValueError(
                    f"`{name}` is a {type(module).__name__} that normalizes by the whole batch, so "
                    f"that its rows are one problem: use `batch_dims=0`, or evaluation mode with "
                    f"running statistics, or normalize each row, by `LayerNorm` or `GroupNorm`."
                )


def _check_row(result: Any, dims: int, batch: tuple[int, ...], shared: dict[str, object]) -> None:
    """Raise ``ValueError`` for a result of the cell that is no batch of one row."""
    leaves, spec = pytree.flatten(result)
    for index, leaf in enumerate(leaves):
        if not isinstance(leaf, torch.Tensor) or leaf.shape[:dims] == (1,) * dims:
            continue
        trees = [(name, *pytree.flatten(tree)) for name, tree in shared.items()]
        batches = [
            f"`{checks.leaf_path(structure, i, name)}`"
            for name, tensors, structure in trees
            for i, t in enumerate(tensors)
            if isinstance(t, torch.Tensor) and tuple(t.shape[:dims]) == batch
        ]
        advice = "return one row for one row, or use `batch_dims=0`"
        if batches:
            advice = (
                f"what is passed by keyword is the same for all rows, and {' and '.join(batches)} has "
                f"a batch: pass it by position"
            )
        raise ValueError(
            f"`{checks.leaf_path(spec, index, 'cell(z)')}` has shape {tuple(leaf.shape)} for one row: "
            f"{advice}."
        )


def _reshaped(leaf: Any, start: int, shape: tuple[int, ...]) -> Any:
    """Return a tensor with other axes in the place of the first ones; anything else as it is."""
    if not isinstance(leaf, torch.Tensor):
        return leaf
    return leaf.reshape((*shape, *leaf.shape[start:]))


def _batch_of(leaves: list[Any], spec: Any, dims: int) -> tuple[int, ...]:
    """Return the common sizes of the leading axes of all tensors."""
    batch: tuple[int, ...] | None = None
    for index, leaf in enumerate(leaves):
        if not isinstance(leaf, torch.Tensor):
            continue
        shape = tuple(leaf.shape)
        batch = batch or shape[:dims]
        if len(shape) < dims or shape[:dims] != batch:
            path = checks.leaf_path(spec, index, "(z, *inputs)")
            raise ValueError(
                f"`{path}` has shape {shape}, but the first {dims} of its axes must count rows, of "
                f"which `z` has {batch}: pass what all rows share by keyword."
            )
    if batch is None or not all(batch):
        raise ValueError(f"`z` has no rows: its batch is {batch}.")
    return batch

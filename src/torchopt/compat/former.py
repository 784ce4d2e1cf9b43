"""What TorchOpt 0.7.3 had in its modules and nothing here replaces, with the same arguments."""

from __future__ import annotations

import functools
import itertools
import operator
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol, TypeAlias

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed import rpc

from torchopt import linear_solve, pytree
from torchopt.base import EmptyState, GradientTransformation
from torchopt.combine import chain
from torchopt.diff.implicit.nn import enable_implicit_gradients, make_optimality_from_objective
from torchopt.diff.zero_order.decorator import Method
from torchopt.diff.zero_order.nn import enable_zero_order_gradients
from torchopt.distributed import dim_partitioner
from torchopt.linalg import as_operator
from torchopt.modules.meta_module import MetaInputsContainer
from torchopt.modules.stateless import MISSING
from torchopt.transform import add_decayed_weights, safe_sqrt, scale, scale_by_learning_rate
from torchopt.transform.options import with_forms
from torchopt.typing import OptState, Params, TensorTree, Updates

__all__ = [
    "INT64_MAX",
    "MISSING",
    "UNSET_RPC_TIMEOUT",
    "AdamOp",
    "AddDecayedWeightsState",
    "Args",
    "ClipState",
    "KwArgs",
    "MaskedNode",
    "MetaInputsContainer",
    "Method",
    "PartitionFunction",
    "Partitioner",
    "TransformInitFn",
    "TransformUpdateFn",
    "WrappedSamplable",
    "acc_add",
    "acc_matmul",
    "acc_mul",
    "cat_shapes",
    "default_worker_name_format",
    "dist",
    "enable_implicit_gradients",
    "enable_zero_order_gradients",
    "exclusive_batch_partitioner",
    "extract_module_containers",
    "flip_sign_and_add_weight_decay",
    "inc_count",
    "make_normal_matvec",
    "make_optimality_from_objective",
    "make_ridge_matvec",
    "make_rmatvec",
    "materialize_matvec",
    "normalize_matvec",
    "rank_all",
    "rpc",
    "scale_by_neg_lr",
    "tree_local_value",
    "tree_map_flat",
    "tree_map_flat_",
    "update_moment",
]

# Transformations

INT64_MAX = torch.iinfo(torch.int64).max
ClipState = AddDecayedWeightsState = EmptyState


class TransformInitFn(Protocol):
    """The type of ``init``."""

    def __call__(self, params: Params) -> OptState:
        """Return the first state."""
        ...


class TransformUpdateFn(Protocol):
    """The type of ``update``."""

    def __call__(
        self, updates: Updates, state: OptState, *, params: Params = None, inplace: bool = True
    ) -> tuple[Updates, OptState]:
        """Return the transformed updates and the new state."""
        ...


class MaskedNode(NamedTuple):
    """A node without leaves. Masks here put None in the place of what they hide."""


@with_forms
def flip_sign_and_add_weight_decay(
    weight_decay: float = 0.0, maximize: bool = False
) -> GradientTransformation:
    """Negate gradients to maximize, and add weight decay."""
    decay = [add_decayed_weights(weight_decay)] if weight_decay else []
    return chain(*([scale(-1.0)] if maximize else []), *decay)


@with_forms
def scale_by_neg_lr(lr: Any) -> GradientTransformation:
    """Multiply by the negative learning rate, a number or a schedule."""
    return scale_by_learning_rate(lr)


_use_chain_flat = [True]


def _get_use_chain_flat() -> bool:
    return _use_chain_flat[-1]


def _set_use_chain_flat(use_chain_flat: bool) -> None:
    """Note the wish: both forms are the same here."""
    _use_chain_flat[:] = [use_chain_flat]


def tree_map_flat(
    func: Callable[..., Any], flat_arg: Any, *flat_args: Any, none_is_leaf: bool = False
) -> Any:
    """Map leaves of trees or flat lists; by default a None of the first stays None."""

    def apply(x: Any, *xs: Any) -> Any:
        return None if x is None and not none_is_leaf else func(x, *xs)

    return pytree.tree_map(apply, flat_arg, *flat_args, none_is_leaf=True)


def tree_map_flat_(
    func: Callable[..., Any], flat_arg: Any, *flat_args: Any, none_is_leaf: bool = False
) -> Any:
    """Call a function, which changes its arguments, on leaves; return the first tree."""
    tree_map_flat(func, flat_arg, *flat_args, none_is_leaf=none_is_leaf)
    return flat_arg


@with_forms
def inc_count(updates: Updates, count: TensorTree) -> TensorTree:
    """Count one more update of each leaf that has one, up to ``INT64_MAX``."""
    return tree_map_flat(
        lambda c, g: c if g is None else c + (c != INT64_MAX).to(torch.int64), count, updates
    )


@with_forms
def update_moment(
    updates: Updates, moments: TensorTree, decay: float, *, order: int, inplace: bool = True
) -> TensorTree:
    """Return the exponential moving average of the gradients' first or second powers.

    With a decay of 1 it is their sum.
    """
    if order not in (1, 2):
        raise ValueError(f"`order` is {order!r}: use 1 or 2.")

    def average(g: torch.Tensor | None, m: torch.Tensor) -> torch.Tensor:
        if g is None:
            return m
        m = m.mul_(decay) if inplace else m * decay
        factors = (g, g) if order == 2 else (g, torch.ones_like(g))
        return m.addcmul_(*factors, value=1 - decay if decay != 1 else 1)

    return tree_map_flat(average, updates, moments, none_is_leaf=True)


class AdamOp:
    """The arithmetic of Adam on one leaf: ``op(mu, nu, updates, count) -> (mu, nu, updates)``.

    With ``inplace`` the results are in the memory of the arguments.
    """

    def __init__(
        self,
        b1: float = 0.9,
        b2: float = 0.999,
        eps: float = 1e-8,
        *,
        eps_root: float = 0.0,
        inplace: bool = True,
    ) -> None:
        self.b1, self.b2, self.eps, self.eps_root, self.inplace = b1, b2, eps, eps_root, inplace

    def __call__(
        self, mu: torch.Tensor, nu: torch.Tensor, updates: torch.Tensor | None, count: Any
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor | None]:
        """Return the moments after an update, the number ``count``, and the rescaled update."""
        if updates is None:
            return mu, nu, None
        mu = update_moment(updates, mu, self.b1, order=1, inplace=self.inplace)
        nu = update_moment(updates, nu, self.b2, order=2, inplace=self.inplace)
        root = safe_sqrt(nu / (1 - self.b2**count) + self.eps_root)
        new = mu / (1 - self.b1**count) / (root + self.eps)
        return mu, nu, updates.copy_(new) if self.inplace else new


# Linear algebra


def cat_shapes(tree: TensorTree) -> tuple[int, ...]:
    """Return the sizes of all leaves, one after the other."""
    return tuple(itertools.chain.from_iterable(leaf.shape for leaf in pytree.tree_leaves(tree)))


def normalize_matvec(
    matvec: TensorTree | Callable[[TensorTree], TensorTree],
) -> Callable[[TensorTree], TensorTree]:
    """Return a function for a function, a square matrix or a tree of these, one for each leaf."""
    return matvec if callable(matvec) else as_operator(matvec, None)


def make_rmatvec(
    matvec: Callable[[TensorTree], TensorTree], example_x: TensorTree
) -> Callable[[TensorTree], TensorTree]:
    """Return the transpose of a linear function."""
    return as_operator(matvec, example_x).T


def make_normal_matvec(
    matvec: Callable[[TensorTree], TensorTree],
) -> Callable[[TensorTree], TensorTree]:
    """Return ``x -> A.T @ A @ x`` for ``x -> A @ x``."""
    return lambda x: make_rmatvec(matvec, x)(matvec(x))


def make_ridge_matvec(
    matvec: Callable[[TensorTree], TensorTree], ridge: float = 0.0
) -> Callable[[TensorTree], TensorTree]:
    """Return ``x -> A @ x + ridge * x`` for ``x -> A @ x``."""
    return lambda x: pytree.tree_add_scalar_mul(matvec(x), x, alpha=ridge)


def materialize_matvec(
    matvec: Callable[[TensorTree], TensorTree], x: TensorTree
) -> tuple[TensorTree, Callable[..., Any], Callable[..., Any], Callable[..., Any]]:
    """Return the diagonal blocks of a linear function's matrix, one for each leaf of the argument.

    Returns:
        The blocks; the function on trees of vectors; and what makes these of a tree, and back.
    """
    leaves, spec = pytree.tree_flatten(x)

    def ravel(tree: TensorTree) -> TensorTree:
        return pytree.tree_map(lambda leaf: leaf.reshape(-1), tree)

    def unravel(tree: TensorTree) -> TensorTree:
        flat = pytree.tree_leaves(tree)
        return spec.unflatten(v.reshape(leaf.shape) for v, leaf in zip(flat, leaves, strict=True))

    def on_vectors(tree: TensorTree) -> TensorTree:
        return ravel(matvec(unravel(tree)))

    def flat(*vectors: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return tuple(pytree.tree_leaves(on_vectors(spec.unflatten(vectors))))

    every = tuple(range(len(leaves)))
    rows = torch.func.jacfwd(flat, argnums=every)(*(leaf.reshape(-1) for leaf in leaves))
    return spec.unflatten(rows[i][i] for i in every), on_vectors, ravel, unravel


def _solve_cg(matvec: Any, b: TensorTree, *args: Any, **kwargs: Any) -> TensorTree:
    return _solve(linear_solve.solve_cg, "init", matvec, b, *args, **kwargs)


def _solve_normal_cg(matvec: Any, b: TensorTree, *args: Any, **kwargs: Any) -> TensorTree:
    return _solve(linear_solve.solve_normal_cg, "init", matvec, b, *args, **kwargs)


def _solve_inv(matvec: Any, b: TensorTree, *args: Any, **kwargs: Any) -> TensorTree:
    return _solve(linear_solve.solve_inv, "ns", matvec, b, *args, **kwargs)


def _solve(
    make: Any, second: str, matvec: Any, b: TensorTree, *args: Any, **kwargs: Any
) -> TensorTree:
    """Call a solver whose options are positional, too: the ridge and a second one."""
    return make(**dict(zip(("ridge", second), args, strict=False)), **kwargs)(matvec, b)


# Trees and modules


def acc_add(*args: Any) -> Any:
    """Return the sum of the arguments."""
    return functools.reduce(operator.add, args)


def acc_mul(*args: Any) -> Any:
    """Return the product of the arguments."""
    return functools.reduce(operator.mul, args)


def acc_matmul(*args: Any) -> Any:
    """Return the matrix product of the arguments."""
    return functools.reduce(operator.matmul, args)


def tree_local_value(rref_tree: Any) -> Any:
    """Return the values of references that this process owns."""
    return pytree.tree_map(lambda rref: rref.local_value(), rref_tree)


def extract_module_containers(
    module: nn.Module, with_buffers: bool = True
) -> tuple[tuple[dict[str, Any], ...], tuple[dict[str, Any], ...]]:
    """Return the tables of parameters and of buffers of a module that are not empty, themselves."""
    modules = list(module.modules())
    parameters = tuple(m._parameters for m in modules if m._parameters)
    return parameters, tuple(m._buffers for m in modules if m._buffers and with_buffers)


class WrappedSamplable:
    """A function that draws perturbations, as a distribution."""

    def __init__(self, sample_fn: Callable[[torch.Size], Any]) -> None:
        self.sample_fn = sample_fn

    def sample(self, sample_shape: torch.Size = torch.Size()) -> Any:  # noqa: B008
        """Call the function."""
        return self.sample_fn(sample_shape)


# Distribution

Args: TypeAlias = tuple[Any, ...]
KwArgs: TypeAlias = dict[str, Any]
PartitionFunction: TypeAlias = Callable[..., Sequence[tuple[int, Args | None, KwArgs | None]]]
Partitioner: TypeAlias = int | str | PartitionFunction
UNSET_RPC_TIMEOUT = rpc.constants.UNSET_RPC_TIMEOUT
exclusive_batch_partitioner = dim_partitioner(dim=0, keepdim=True, exclusive=True)


def default_worker_name_format(
    world_rank: int, world_size: int, local_rank: int, local_world_size: int
) -> str:
    """Return the name of a worker: its number among all, as wide as the largest."""
    return f"worker{world_rank:0{len(str(world_size))}d}"


def rank_all(func: Callable[..., Any]) -> Callable[..., Any]:
    """Let a function run on all ranks."""
    return func

"""The product of a Jacobian with a vector by forward mode."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.autograd import forward_ad

from torchopt import checks
from torchopt.autodiff.environment import eagerly
from torchopt.autodiff.exact import higher_order
from torchopt.autodiff.tracking import dual_numbers, make_dual, with_ends
from torchopt.operators._pullback import Map
from torchopt.pytree import flattening as pytree
from torchopt.pytree.typing import TensorTree


def forward_product(function: Map, x: TensorTree, gradient: bool, v: TensorTree) -> TensorTree:
    """Return ``J v`` by forward mode."""

    def exact(x: TensorTree) -> TensorTree:
        with eagerly(), higher_order():
            return function(x) if gradient else with_ends(function, x)

    if checks.transforms_active():
        tensors, combine = pytree.partition(x)
        tangents, _ = pytree.partition(v)
        structure: list[Any] = []

        def evaluate(*tensors: torch.Tensor) -> list[torch.Tensor]:
            outputs, combine_outputs = pytree.partition(exact(combine(tensors)))
            structure[:] = [combine_outputs]
            return outputs

        _, products, *_ = torch.func.jvp(evaluate, tuple(tensors), tuple(tangents))
        return structure[0](products)
    with dual_numbers():
        dual = zip_map(make_dual, x, v)
        return pytree.map_leaves(_tangent, exact(dual))


def _tangent(y: torch.Tensor) -> torch.Tensor:
    primal, tangent = forward_ad.unpack_dual(y)
    return torch.zeros_like(primal) if tangent is None else tangent


def zip_map(function: Callable[..., Any], x: TensorTree, y: TensorTree) -> TensorTree:
    xs, spec = pytree.flatten(x)
    ys, y_spec = pytree.flatten(y)
    checks.check_same_structure(spec, y_spec, root="vector", reference="the point")
    pairs = zip(xs, ys, strict=True)
    return pytree.unflatten(spec, [None if a is None else function(a, b) for a, b in pairs])

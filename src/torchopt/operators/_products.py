"""The product of a Jacobian with a vector: by forward mode, or by central differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.autograd import forward_ad

from torchopt import checks
from torchopt.autodiff.compiling import eagerly
from torchopt.autodiff.detaching import DetachedError, RefuseDetached
from torchopt.autodiff.exact import higher_order
from torchopt.autodiff.tracking import dual_numbers, with_ends
from torchopt.autodiff.transforms import requires_grad
from torchopt.operators._pullback import Map
from torchopt.operators.central_difference import Central, moved_by, unit_step
from torchopt.pytree import flattening as pytree
from torchopt.pytree.typing import TensorTree


def forward_product(function: Map, x: TensorTree, gradient: bool, v: TensorTree) -> TensorTree:
    """Return ``J v`` by forward mode."""

    def exact(x: TensorTree) -> TensorTree:
        with eagerly(), higher_order():
            return function(x) if gradient else with_ends(lambda: function(x))

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
        dual = zip_map(forward_ad.make_dual, x, v)
        return pytree.map_leaves(_tangent, exact(dual))


def _tangent(y: torch.Tensor) -> torch.Tensor:
    primal, tangent = forward_ad.unpack_dual(y)
    return torch.zeros_like(primal) if tangent is None else tangent


class DifferenceProduct:
    """``v -> J v`` by central differences, which a function that detaches values does not have.

    Args:
        function: A function of one tree.
        x: The point.
        gradient: Whether the function tracks a copy of its argument, and differentiates by that.
    """

    def __init__(self, function: Map, x: TensorTree, gradient: bool) -> None:
        self._function = function
        self._x = x
        self._tracks = gradient
        self._central: Central | None = None

    def __call__(self, v: TensorTree) -> TensorTree:
        if self._central is None:
            instead = 'use `"reverse"` or `"forward"` for the product, or a higher precision'
            self._central = Central(pytree.leaves(self._x), instead)
            self._look()
        structure: list[Any] = []

        def along(h: torch.Tensor) -> list[torch.Tensor | None]:
            leaves, spec = self._plain(zip_map(lambda a, d: moved_by(a, d, h), self._x, v))
            structure[:] = [spec]
            return leaves

        at, direction = (pytree.partition(tree)[0] for tree in (self._x, v))
        product = self._central(along, unit_step(at, direction, mean=False))
        return pytree.unflatten(structure[0], product.quotient)

    def _look(self) -> None:
        """Evaluate the function at the point, where it is differentiated; refuse what it detaches."""
        tensors, combine = pytree.partition(self._x)
        at = [t.detach() for t in tensors]
        watch = RefuseDetached('use `"reverse"` or `"forward"` for the product')
        seen: list[bool] = []
        partly = False

        def evaluate(*tensors: torch.Tensor) -> list[torch.Tensor]:
            nonlocal partly
            outputs = [y for y in self._plain(combine(tensors))[0] if y is not None]
            seen[:] = map(requires_grad, outputs)
            partly = any(map(watch.is_detached, outputs))
            return outputs

        def run() -> None:
            if self._tracks:
                evaluate(*at)
            elif checks.transforms_active():
                torch.func.vjp(evaluate, *at)
            else:
                with torch.enable_grad():
                    evaluate(*(t.requires_grad_().clone() for t in at))

        try:
            with watch:
                run()
        except DetachedError:
            if self._tracks:
                raise
            run()
            if any(seen):
                raise
        if self._tracks:
            return
        if not any(seen):  # it differentiates a copy by itself, or computes outside of PyTorch
            self._tracks = True
            self._look()
        elif partly:
            watch.refuse()

    def _plain(self, x: TensorTree) -> tuple[list[Any], Any]:
        with eagerly():
            return pytree.flatten(self._function(x))


def zip_map(function: Callable[..., Any], x: TensorTree, y: TensorTree) -> TensorTree:
    xs, spec = pytree.flatten(x)
    ys, y_spec = pytree.flatten(y)
    checks.check_same_structure(spec, y_spec, root="vector", reference="the point")
    pairs = zip(xs, ys, strict=True)
    return pytree.unflatten(spec, [None if a is None else function(a, b) for a, b in pairs])

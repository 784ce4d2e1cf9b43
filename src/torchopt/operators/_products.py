"""The product of a Jacobian with a vector: by forward mode, or by central differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.autograd import forward_ad

from torchopt import checks
from torchopt.autodiff.compiling import eagerly
from torchopt.autodiff.exact import higher_order
from torchopt.autodiff.freezing import FrozenConstants
from torchopt.autodiff.tracking import with_ends, without_graph, without_graph_to
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
    # Turned on, because linear solves run with forward mode off.
    with forward_ad._set_fwd_grad_enabled(True), forward_ad.dual_level():
        dual = zip_map(forward_ad.make_dual, x, v)
        return pytree.map_leaves(_tangent, exact(dual))


def _tangent(y: torch.Tensor) -> torch.Tensor:
    primal, tangent = forward_ad.unpack_dual(y)
    return torch.zeros_like(primal) if tangent is None else tangent


class DifferenceProduct:
    """``v -> J v`` by central differences; values that autograd holds constant stay constant.

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
        self._cuts = FrozenConstants(instead='use `"reverse"` for the product')
        self._depends: list[bool] = []  # whether autograd sees that an output depends on anything

    def __call__(self, v: TensorTree) -> TensorTree:
        if self._central is None:
            instead = 'use `"reverse"` or `"forward"` for the product, or a higher precision'
            self._central = Central(pytree.leaves(self._x), instead)
            self._look()
        structure: list[Any] = []

        def along(h: torch.Tensor) -> list[torch.Tensor | None]:
            leaves, spec = self._evaluated(zip_map(lambda a, d: moved_by(a, d, h), self._x, v))
            structure[:] = [spec]
            if not self._depends or self._tracks:
                return leaves
            pairs = zip(leaves, self._depends, strict=True)
            return [y if y is None or varies else torch.zeros_like(y) for y, varies in pairs]

        at, direction = (pytree.partition(tree)[0] for tree in (self._x, v))
        product = self._central(along, unit_step(at, direction, mean=False))
        return pytree.unflatten(structure[0], product.quotient)

    def _look(self) -> None:
        """Evaluate the function at the point, to record what it holds constant there."""
        transformed = checks.transforms_active()
        x = self._x
        if not transformed and not torch.is_grad_enabled():
            x = without_graph(x)  # as are the points nearby
        with self._cuts.recording() as watch:
            if transformed and not self._tracks:
                self._transformed()
            else:
                self._outputs(x)
            watch.close()
        if transformed and self._cuts.events:
            raise RuntimeError(
                f"the function reads values inside of a transform of `torch.func`, which finite "
                f"differences cannot hold constant there: {self._cuts.instead}."
            )
        if not transformed and not self._tracks and not any(self._depends):
            # It differentiates a copy by itself, or autograd sees nothing of it: no output is constant.
            self._tracks = True
            self._look()

    def _evaluated(self, x: TensorTree) -> tuple[list[Any], Any]:
        if not self._cuts.events:
            return self._plain(x)
        with self._cuts.holding() as watch:
            outputs = self._outputs(x)
            watch.close()
        return outputs

    def _outputs(self, x: TensorTree) -> tuple[list[Any], Any]:
        """Evaluate the function with grad mode on and a point that requires grad."""
        if self._tracks:
            return self._plain(x)
        tracking = torch.is_grad_enabled()
        with torch.enable_grad():
            at = pytree.map_leaves(_requiring_grad, x)
            leaves, spec = self._plain(pytree.map_leaves(torch.clone, at))  # it may write to copies
        pairs = zip(pytree.partition(at)[0], pytree.partition(x)[0], strict=True)
        own = [a for a, b in pairs if a is not b]
        self._depends = [y is not None and y.requires_grad for y in leaves]
        return without_graph_to(leaves, own) if tracking else without_graph(leaves), spec

    def _plain(self, x: TensorTree) -> tuple[list[Any], Any]:
        with eagerly():
            return pytree.flatten(self._function(x))

    def _transformed(self) -> None:
        """Evaluate the function inside of a transform, at a point that is differentiated there."""
        tensors, combine = pytree.partition(self._x)

        def evaluate(*tensors: torch.Tensor) -> list[torch.Tensor]:
            outputs, _ = self._plain(combine(tensors))
            return [y for y in outputs if y is not None]

        torch.func.vjp(evaluate, *tensors)


def _requiring_grad(t: torch.Tensor) -> torch.Tensor:
    return t if t.requires_grad else t.clone().requires_grad_()


def zip_map(function: Callable[..., Any], x: TensorTree, y: TensorTree) -> TensorTree:
    xs, spec = pytree.flatten(x)
    ys, y_spec = pytree.flatten(y)
    checks.check_same_structure(spec, y_spec, root="vector", reference="the point")
    pairs = zip(xs, ys, strict=True)
    return pytree.unflatten(spec, [None if a is None else function(a, b) for a, b in pairs])

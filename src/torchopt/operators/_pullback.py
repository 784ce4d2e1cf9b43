"""The pullback of a function at a point: the transpose of its Jacobian, on one held graph."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

import torch
from torch.autograd.graph import _engine_run_backward
from torch.overrides import has_torch_function

from torchopt import checks
from torchopt.autodiff.captured import Substitute
from torchopt.autodiff.environment import eagerly
from torchopt.autodiff.exact_normalization import ExactDerivatives
from torchopt.autodiff.functional import Reads
from torchopt.autodiff.second_order import Watch, gradient
from torchopt.autodiff.tracking import tracking
from torchopt.pytree import flattening as pytree
from torchopt.pytree.typing import TensorTree

_SHAPE = operator.attrgetter("shape")
Map: TypeAlias = Callable[[Any], Any]
"""A function of one tree."""


class Pullback:
    """``u -> Jᵀ u`` of a function at a point, on the graph of one evaluation, built at first use.

    Args:
        function: A function of one tree.
        point: Returns the point.
    """

    def __init__(self, function: Map, point: Callable[[], Any]) -> None:
        self._function = function
        self._point = point
        self._kept: _Held | None = None

    def __call__(self, u: TensorTree) -> TensorTree:
        """Return ``Jᵀ u``."""
        held = self._held
        cotangents, spec = pytree.flatten(u)
        checks.check_same_structure(
            held.spec, spec, root="vector", reference="what the operator's transpose returns"
        )
        present = [c for c, y in zip(cotangents, held.outputs, strict=True) if y is not None]
        return held.combine(held.vjp(present))

    def zeros(self) -> TensorTree:
        """Return the zero tree of cotangents."""
        held = self._held
        return pytree.map_leaves(torch.zeros_like, pytree.unflatten(held.spec, held.outputs))

    @property
    def _held(self) -> _Held:
        # Differentiable or observed products are evaluated each time, so that their reads are seen.
        modes = torch.overrides._get_current_function_mode_stack()
        watched = any(isinstance(mode, Reads | Substitute) for mode in modes)
        if tracking() or watched:
            return self._evaluated()
        # Not `cached_property`: its lock (Python 3.11) is held while backward passes run elsewhere.
        if self._kept is None:
            self._kept = self._evaluated()
        return self._kept

    def _evaluated(self) -> _Held:
        tensors, combine = pytree.partition(self._point())
        structure: list[Any] = []

        def evaluate(tensors: list[torch.Tensor]) -> list[torch.Tensor]:
            with eagerly():
                outputs, spec = pytree.flatten(self._function(combine(tensors)))
            structure[:] = [spec, [y is not None for y in outputs]]
            return [y for y in outputs if y is not None]

        outputs, vjp = vjp_at(evaluate, tensors)
        spec, present = structure
        it = iter(outputs)
        return _Held(combine, spec, [next(it).detach() if y else None for y in present], vjp)


class _Held(NamedTuple):
    """One evaluation, with its graph.

    Attributes:
        combine: Makes a tree like the point of its tensors.
        spec: The structure of what the function returned.
        outputs: Its leaves.
        vjp: Returns the cotangents of the point's tensors for those of the outputs.
    """

    combine: Callable[[list[torch.Tensor]], Any]
    spec: Any
    outputs: list[torch.Tensor | None]
    vjp: Callable[..., list[torch.Tensor]]


def vjp_at(
    evaluate: Callable[[list[torch.Tensor]], list[torch.Tensor]],
    tensors: list[torch.Tensor],
    *,
    constant: bool = False,
) -> tuple[list[torch.Tensor], Callable[..., list[torch.Tensor]]]:
    """Return the outputs of a function, and what returns the cotangents of tensors for theirs.

    Args:
        evaluate: The function.
        tensors: Where.
        constant: Whether it may be independent of the tensors; otherwise, the pullback raises.
    """
    if checks.transforms_active():
        return _functional_vjp(evaluate, tensors)
    if torch.is_inference_mode_enabled():
        raise RuntimeError(
            "there are no derivatives inside `torch.inference_mode()`, and this solver needs some: use "
            "`torch.no_grad()`."
        )
    # Others than the tensors, which may also be read as closures; connected to them only where that is
    # asked for: what was made of a variable without a graph requires grad, but has no leaf.
    connected = tracking()
    with torch.enable_grad():
        aliases = [t.view_as(t) if connected else t.detach() for t in tensors]
        inputs = [t if t.requires_grad else t.requires_grad_() for t in aliases]
        outputs = evaluate(inputs)
    return outputs, functools.partial(pulled_back, outputs, inputs, constant=constant)


def _functional_vjp(
    evaluate: Callable[[list[torch.Tensor]], list[torch.Tensor]], tensors: list[torch.Tensor]
) -> tuple[list[torch.Tensor], Callable[..., list[torch.Tensor]]]:
    watches: list[Watch] = []

    def exact(tensors: list[torch.Tensor]) -> list[torch.Tensor]:
        with ExactDerivatives():
            outputs = evaluate(tensors)
        watches.append(Watch(outputs, tensors, constant=True))
        return outputs

    outputs, vjp, *_ = torch.func.vjp(exact, tensors)

    def pull(cotangents: list[torch.Tensor]) -> list[Any]:
        with watches[0] as watch:
            return list(watch.checked(vjp(cotangents)[0], (*outputs, *cotangents)))

    return outputs, pull


def pulled_back(
    outputs: Sequence[torch.Tensor],
    inputs: Sequence[torch.Tensor],
    cotangents: Sequence[torch.Tensor],
    *,
    constant: bool = False,
) -> list[torch.Tensor]:
    """Return the cotangents of inputs for those of outputs, on a graph that is kept.

    Raises:
        ValueError: If no output depends on any input, but where ``constant`` allows it.
    """
    tracked = [(y, c) for y, c in zip(outputs, cotangents, strict=True) if y.requires_grad]
    grads: Sequence[torch.Tensor | None] = [None] * len(inputs)
    if tracked and inputs:
        ys, cs = zip(*tracked, strict=True)
        graph = torch.is_grad_enabled()
        checked = has_torch_function((*ys, *inputs)) or [*map(_SHAPE, ys)] != [*map(_SHAPE, cs)]
        if graph or checked:
            grads = gradient(
                ys, inputs, cs, retain_graph=True, create_graph=graph, allow_unused=True
            )
        else:  # without the checks, which take longer than a small product
            grads = _engine_run_backward(
                ys, cs, True, False, tuple(inputs), True, accumulate_grad=False
            )
    lost = all(g is None for g in grads) and any(t.numel() for t in inputs)
    if outputs and not constant and lost:
        raise ValueError(
            "a function does not depend on its argument (in a problem: on `params`), as far as "
            "autograd can see: compute it from that, without `.detach()` or `torch.no_grad()`."
        )
    return [torch.zeros_like(t) if g is None else g for g, t in zip(grads, inputs, strict=True)]

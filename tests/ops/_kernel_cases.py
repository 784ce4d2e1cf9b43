"""Every formula that ships with kernels; derivatives by autograd of a plain formula; data."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import torch

import torchopt
from _trees import generator, random_tensor
from torchopt.formula import compose
from torchopt.ops import LIST, Graph, call, signature
from torchopt.transform.chaining import owner_of, rules_of

Tensors = Sequence[torch.Tensor]
Function = Callable[[Tensors, Tensors], tuple[Tensors, Tensors]]

OPTIMIZERS: dict[str, tuple[Any, dict[str, Any]]] = {
    "sgd": (torchopt.sgd, {}),
    "sgd, momentum": (torchopt.sgd, {"momentum": 0.9}),
    "sgd, Nesterov": (torchopt.sgd, {"momentum": 0.9, "nesterov": True}),
    "sgd, dampening": (torchopt.sgd, {"momentum": 0.9, "dampening": 0.1}),
    "adam": (torchopt.adam, {}),
    "adam, amsgrad": (torchopt.adam, {"amsgrad": True}),
    "rmsprop": (torchopt.rmsprop, {}),
    "rmsprop, momentum": (torchopt.rmsprop, {"momentum": 0.9}),
    "rmsprop, Nesterov": (torchopt.rmsprop, {"momentum": 0.9, "nesterov": True}),
    "rmsprop, centered": (torchopt.rmsprop, {"centered": True}),
    "rmsprop, centered, momentum": (torchopt.rmsprop, {"centered": True, "momentum": 0.9}),
    "adagrad": (torchopt.adagrad, {}),
    "adagrad, decay": (torchopt.adagrad, {"lr_decay": 0.1}),
    "adadelta": (torchopt.adadelta, {}),
    "adamax": (torchopt.adamax, {}),
    "radam": (torchopt.radam, {}),
}
#: Scalars that are conditions: nothing is differentiated with respect to them.
CONDITIONS = ("first", "rectified")
#: A tail behind whole vectors, and a leaf of one element.
SIZES = [37, 1]
KINDS = ("forward", "vjp", "vjps", "jvp", "vjp_vjp", "vjps_vjps")


@dataclass(frozen=True)
class Plain:
    """A function of tensors and scalars to outputs and sums, as a graph is, in PyTorch's operations."""

    tensors: int
    scalars: int
    function: Function

    def vjp(self, *, of_scalars: bool) -> Plain:
        """Return the vjp, by autograd."""

        def function(tensors: Tensors, scalars: Tensors) -> tuple[Tensors, Tensors]:
            x, cotangents = tensors[: self.tensors], tensors[self.tensors :]
            h, of_sums = scalars[: self.scalars], scalars[self.scalars :]
            outputs, sums = self.function(x, h)
            wrt = [v for v in [*x, *(h if of_scalars else [])] if v.requires_grad]
            pairs = list(zip([*outputs, *sums], [*cotangents, *of_sums], strict=True))
            kept = [(y, c) for y, c in pairs if y.requires_grad]
            found = torch.autograd.grad(
                [y for y, _ in kept],
                wrt,
                [c for _, c in kept],
                create_graph=True,
                materialize_grads=True,
            )
            known = dict(zip(map(id, wrt), found, strict=True))
            zero = torch.zeros((), dtype=torch.float64)
            of_h = [known.get(id(v), zero) for v in h] if of_scalars else []
            return [known[id(v)] for v in x], of_h

        return Plain(-1, -1, function)

    def jvp(self) -> Plain:
        """Return the jvp, by forward-mode differentiation."""

        def function(tensors: Tensors, scalars: Tensors) -> tuple[Tensors, Tensors]:
            point = [*tensors[: self.tensors], *scalars[: self.scalars]]
            along = [*tensors[self.tensors :], *scalars[self.scalars :]]
            moving = [i for i, v in enumerate(point) if v.is_floating_point()]

            def move(*moved: torch.Tensor) -> list[torch.Tensor]:
                full = list(point)
                for i, v in zip(moving, moved, strict=True):
                    full[i] = v
                return self.function(full[: self.tensors], full[self.tensors :])[0]

            primals = tuple(point[i].detach() for i in moving)
            return torch.func.jvp(move, primals, tuple(along[i] for i in moving))[1], []

        return Plain(-1, -1, function)


class KernelCase(NamedTuple):
    """The recorded formula of an optimizer, and a name."""

    name: str
    graph: Graph


def _optimizers() -> Iterator[tuple[str, Any]]:
    for name, (make, options) in OPTIMIZERS.items():
        yield name, make(lr=0.1, **options)
        yield f"{name}, weight decay", make(lr=0.1, weight_decay=0.1, **options)
        if make is torchopt.adam:
            yield f"{name}, decoupled", torchopt.adamw(lr=0.1, weight_decay=0.1, **options)


def kernel_cases() -> list[KernelCase]:
    """Return every formula of every optimizer, as updates and as parameters."""
    return [
        KernelCase(f"{name}: {form}", owner_of(tx).segments[0].graph(apply))
        for name, tx in _optimizers()
        for apply, form in ((False, "update"), (True, "parameters"))
    ]


def counted_cases() -> list[KernelCase]:
    """Return the formulas, as on a GPU, that make bias corrections of the number of steps."""
    cases = []
    for name, (make, options) in OPTIMIZERS.items():
        parts = tuple(
            rule.part(rule.scalar_names(counted=True)) for rule in rules_of(make(lr=0.1, **options))
        )
        if any("count" in part.scalars for part in parts):
            cases.append(KernelCase(name, compose(parts, apply=True)))
    return cases


def emulated_cases() -> list[KernelCase]:
    """Return the formula of each optimizer as a GPU has it, as parameters.

    With weight decay, or with bias corrections: a formula's text is that of the processor's kernels.
    """
    counted = counted_cases()
    plain = OPTIMIZERS.keys() - {case.name for case in counted}
    names = {f"{name}, weight decay: parameters" for name in plain}
    return [*(case for case in kernel_cases() if case.name in names), *counted]


def draw(
    graph: Graph, root: Graph, seed: int, dtype: torch.dtype, *, condition: bool
) -> tuple[list[torch.Tensor], list[torch.Tensor]]:
    """Return tensors and scalars at which a formula and its derivatives are smooth.

    Slots are positive (roots), the first smaller than the others (a variance is positive too).
    """
    gen = generator(seed)
    tensors, scalars = [], []
    for name in graph.tensors:
        x = random_tensor(gen, (sum(SIZES),))
        if name in root.tensors and name.startswith("s"):
            x = 0.2 * x.abs() if name == "s0" and "s1" in root.tensors else 1 + x.abs()
        tensors.append(x.to(dtype))
    for name in graph.scalars:
        value = 0.3 + 0.6 * torch.rand((), generator=gen, dtype=torch.float64)
        if name.startswith("count"):
            value = value.new_tensor(7.0 if condition else 1.0)
        elif name.startswith("b2") and "count" in "".join(root.scalars):
            value = 0.85 + 0.1 * value  # RAdam's rectification is on at step 7
        is_condition = name in root.scalars and name.rstrip("0123456789") in CONDITIONS
        scalars.append(torch.tensor(condition) if is_condition else value)
    return tensors, scalars


def truth(plain: Plain, tensors: Tensors, scalars: Tensors) -> tuple[Tensors, Tensors]:
    """Evaluate in float64; leaves require grad, as derivatives of derivatives need."""
    x = [t.detach().double().requires_grad_() for t in tensors]
    h = [s if s.dtype == torch.bool else s.detach().clone().requires_grad_() for s in scalars]
    outputs, sums = plain.function(x, h)
    return [y.detach() for y in outputs], [y.detach() for y in sums]


def run_call(
    graph: Graph,
    columns: Sequence[Tensors],
    scalars: Sequence[Any],
    outputs: Sequence[int] | None = None,
) -> Sequence[torch.Tensor]:
    """Call the operator of a graph.

    Args:
        graph: The graph.
        columns: For each of its tensors a list of leaves.
        scalars: Numbers, or tensors without dimensions.
        outputs: How each output travels; by default a tensor for each leaf.
    """
    modes = (LIST,) * len(columns), tuple(outputs or (LIST,) * len(graph.outputs))
    how = signature(graph, len(columns[0]), *modes)
    tensors = [t for column in columns for t in column]
    knobs = [h for h in scalars if isinstance(h, torch.Tensor)]
    numbers = tuple(None if isinstance(h, torch.Tensor) else h for h in scalars)
    return call(how, numbers, [*tensors, *knobs])

"""A step of each optimizer of `torchopt.optimizers`: contenders of `benchmarks.optimizer`.

The case has the name as ``"optimizer"``. Parameters, gradients and the tensors of the state require
grad, and all of what the step returns has a cotangent.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import torch

import torchopt
from benchmarks._lane import Case
from torchopt.pytree import flattening as pytree
from torchopt.transform import advance
from torchopt.transform.chaining import owner_of

LR = 1e-3
Step = Callable[[], Sequence[torch.Tensor]]


def measured() -> list[str]:
    """Return the optimizers whose step is one formula, or that `torch.optim` has, too."""
    return [
        name
        for name in vars(torchopt.optimizers)["__all__"]
        if "use_accelerated_op" in inspect.signature(getattr(torchopt.optimizers, name)).parameters
        if twin(name) is not None or _is_one_formula(make(name, fused=None))
    ]


def _is_one_formula(tx: Any) -> bool:
    first, *rest = owner_of(tx).segments
    rules = getattr(first, "rules", ())
    whole = any(rule.leafwise or rule.prepare for rule in rules)
    return bool(rules) and not rest and not whole and first.graph(True) is not None


def make(name: str, *, fused: bool | None) -> Any:
    """Return an optimizer of `torchopt.optimizers` with its defaults but the learning rate."""
    return _with_learning_rate(getattr(torchopt.optimizers, name), use_accelerated_op=fused)


def twin(name: str) -> Any:
    """Return the class of `torch.optim` with this name, unless its step asks for a loss."""
    classes = {
        cls.__name__.lower(): cls
        for cls in vars(torch.optim).values()
        if isinstance(cls, type) and issubclass(cls, torch.optim.Optimizer)
    }
    cls = classes.get(name)
    if cls is None or inspect.signature(cls.step).parameters["closure"].default is not None:
        return None
    return cls


def shapes_for(name: str, shapes: list[list[int]]) -> list[list[int]]:
    """Return those of the shapes that the class of `torch.optim` takes."""
    return [s for s in shapes if len(s) == 2] if twin(name) is torch.optim.Muon else shapes


def kind_of_twin(name: str) -> str:
    """Return how a step of the class of `torch.optim` is made: fused, foreach, or a loop."""
    accepted = inspect.signature(twin(name)).parameters
    return next((kind for kind in ("fused", "foreach") if kind in accepted), "loop")


def _with_learning_rate(function: Callable[..., Any], *args: Any, **options: Any) -> Any:
    accepted = inspect.signature(function).parameters
    options["lr"] = LR
    return function(*args, **{k: x for k, x in options.items() if k in accepted})


def _draw(case: Case, seed: int) -> list[torch.Tensor]:
    dtype, generator = getattr(torch, case["dtype"]), torch.Generator().manual_seed(seed)
    uniform = [torch.rand(s, generator=generator, dtype=dtype) for s in case["shapes"]]
    return [x.mul_(1.8).sub_(0.9).to(case["device"]) for x in uniform]


def _differentiated(case: Case, *, fused: bool) -> Step:
    tx = make(case["optimizer"], fused=fused)
    params, grads = _draw(case, 0), _draw(case, 1)
    state = tx.init(params)
    for seed in (2, 3):  # so that no moment is zero
        params, state = advance(tx, _draw(case, seed), state, params)
    leaves, spec = pytree.flatten(state)

    def variable(x: Any) -> Any:
        learned = isinstance(x, torch.Tensor) and x.is_floating_point() and x.dim() > 0
        return x.detach().requires_grad_() if learned else x

    leaves = [variable(x) for x in leaves]
    params, grads = [variable(p) for p in params], [variable(g) for g in grads]
    before = pytree.unflatten(spec, leaves)
    inputs = [x for x in (*params, *grads, *leaves) if getattr(x, "requires_grad", False)]

    def outputs() -> list[torch.Tensor]:
        new, after = advance(tx, grads, before, params)
        return [x for x in (*new, *pytree.flatten(after)[0]) if getattr(x, "requires_grad", False)]

    generator = torch.Generator().manual_seed(4)
    cotangents = [
        torch.rand(y.shape, generator=generator, dtype=y.dtype).to(y.device) for y in outputs()
    ]
    return lambda: [
        x
        for x in torch.autograd.grad(outputs(), inputs, cotangents, allow_unused=True)
        if x is not None
    ]


def ours(case: Case) -> Step:
    """Forward and backward, fused: kernels that the package lacks are compiled before."""
    return _differentiated(case, fused=True)


def plain(case: Case) -> Step:
    """Forward and backward in PyTorch's operations."""
    return _differentiated(case, fused=False)


def forward(case: Case) -> Step:
    """In place and forward only, fused: `torchopt.Optimizer`, a class of `torch.optim`."""
    tx = make(case["optimizer"], fused=True)
    return _in_place(case, lambda params: torchopt.Optimizer(params, tx))


def theirs(case: Case) -> Step:
    """In place and forward only, the class of `torch.optim`."""
    kind = kind_of_twin(case["optimizer"])
    options = {} if kind == "loop" else {kind: True}
    return _in_place(
        case, lambda params: _with_learning_rate(twin(case["optimizer"]), params, **options)
    )


def _in_place(case: Case, optimizer_of: Callable[[list[torch.Tensor]], Any]) -> Step:
    params = [p.requires_grad_() for p in _draw(case, 0)]
    optimizer = optimizer_of(params)
    for p, g in zip(params, _draw(case, 1), strict=True):
        p.grad = g

    def step() -> Sequence[torch.Tensor]:
        optimizer.step()
        return params

    return step

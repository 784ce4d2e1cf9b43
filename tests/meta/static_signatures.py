"""What type checkers know of decorated functions and of modes; `make types` checks this file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor
from typing_extensions import assert_type

import torchopt
from torchopt import compat
from torchopt.diff.zero_order import zero_order

Meta = dict[str, Tensor]


def loss(meta: Meta, x: Tensor, scale: float = 1.0) -> Tensor:
    return scale * (meta["w"] * x).square().sum()


def loss_with_aux(meta: Meta, x: Tensor) -> tuple[Tensor, int]:
    return (meta["w"] * x).square().sum(), len(x)


META, X = {"w": torch.ones(3)}, torch.ones(3)

# The gradient has the type of the first argument; the others keep theirs.
grads, value = torchopt.meta_grad_and_value(loss)(META, X, scale=2.0)
assert_type(grads, Meta)
assert_type(value, Tensor)
grads, (value, number) = torchopt.meta_grad_and_value(loss_with_aux, has_aux=True)(META, X)
assert_type(grads, Meta)
assert_type(number, int)
torchopt.meta_grad_and_value(loss, argnums=(0, 1))(META, X)

# A batch of tasks has the arguments and the results of one; numbers become tensors.
assert_type(torchopt.vmap_tasks(loss_with_aux, (None, 0))(META, X), tuple[Tensor, int])
assert_type(torchopt.vmap_tasks(loss)(META, X, 2.0), Tensor)


def count(x: Tensor) -> int:
    return x.numel()


assert_type(torchopt.vmap_tasks(count)(X), Tensor)


def conditions(x: Tensor, y: Tensor) -> Tensor:
    return x - y


# Decorators return the function's own type. Type checkers call no module, so not `diff.zero_order`.
@compat.custom_root(conditions)
def solve(x: Tensor, y: Tensor) -> Tensor:
    return y


@zero_order(torch.distributions.Normal(0.0, 1.0), method="forward")
def steps(x: Tensor, scale: float) -> Tensor:
    return (scale * x).round()


@torchopt.remat
def block(x: Tensor, *, repeat: int = 1) -> tuple[Tensor, ...]:
    return (x,) * repeat


assert_type(solve(X, X), Tensor)
assert_type(steps(X, 2.0), Tensor)
assert_type(block(X, repeat=2), tuple[Tensor, ...])
assert_type(torchopt.diff.ZeroOrder()(loss)(META, X, scale=3.0), Tensor)

# What is a copy has the type of what is copied.
assert_type(torchopt.nn.module_clone(torch.nn.Linear(1, 1), by="copy"), torch.nn.Linear)

if TYPE_CHECKING:
    torchopt.meta_grad_and_value(loss)(X, X)  # type: ignore[arg-type]
    torchopt.meta_grad_and_value(loss)(META)  # type: ignore[call-arg]
    torchopt.vmap_tasks(loss)(META, X, factor=2.0)  # type: ignore[call-arg]
    torchopt.vmap_tasks(loss, randomness="none")  # type: ignore[call-overload]
    torchopt.diff.ZeroOrder()(loss)(META)  # type: ignore[call-arg]
    solve(X)  # type: ignore[call-arg]
    steps(X, "large")  # type: ignore[arg-type]
    block(X, times=2)  # type: ignore[call-arg]
    torchopt.diff.Explicit("square")  # type: ignore[arg-type]
    torchopt.diff.Explicit("step", offload="gpu")  # type: ignore[arg-type]
    torchopt.diff.Explicit("step", hvp="backward")  # type: ignore[arg-type]
    torchopt.nn.module_clone(torch.nn.Linear(1, 1), by="value")  # type: ignore[arg-type]
    zero_order(torch.randn, method="central")  # type: ignore[arg-type]

"""Each way in which a function can read a variable is seen by each kind of mode, to second order.

A row is a way: of a variable it makes a function that returns the variable, and arguments of it. A mode
solves a problem that reads the variable in this way; the truth is its closed form.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.autograd import forward_ad
from torch.func import grad, hessian, jacfwd, jacrev, vmap
from torch.utils.checkpoint import checkpoint

import torchopt
from _cases import covering, in_turn
from _functions import Hidden
from torchopt import linalg
from torchopt.diff import Explicit, Implicit, OneStep

F64 = torch.float64
POINT = torch.tensor([0.7, -0.4], dtype=F64)
ONES = torch.ones(2, dtype=F64)
Read = Callable[..., Tensor]
#: Of a variable: the function, and its arguments beside the unknowns.
Way = Callable[[Tensor], tuple[Read, tuple[Any, ...]]]


class Holder:
    """Holds a tensor where no search finds it."""

    __slots__ = ("w",)
    shared: Tensor

    def __init__(self, w: Tensor) -> None:
        self.w = w


def module(**tensors: Tensor) -> nn.Module:
    net = nn.Module()
    net._parameters.update(tensors)  # also tensors that are no leaves, as in a stateless call
    return net


def closed_over(read: Callable[[Tensor], Tensor]) -> Way:
    return lambda w: (lambda x: read(w), ())


def kept(make: Callable[[Tensor], Any], read: Callable[[Any], Tensor]) -> Way:
    """Read something that is made of the variable before the problem is posed."""

    def way(w: Tensor) -> tuple[Read, tuple[()]]:
        made = make(w)
        return lambda x: read(made), ()

    return way


def passed(make: Callable[[Tensor], Any], read: Callable[..., Tensor]) -> Way:
    """Read something that is an argument; the second argument is the variable itself, closed over."""
    return lambda w: (lambda x, made: read(made, w), (make(w),))


def of_the_class(w: Tensor) -> tuple[Read, tuple[()]]:
    Holder.shared = w.exp()
    return lambda x: Holder.shared.log(), ()


def a_default(w: Tensor) -> tuple[Read, tuple[()]]:
    return lambda x, w=w: w, ()


def a_view_of_what_was_changed(w: Tensor) -> Tensor:
    base = w * 1
    view = base[:2]
    base.mul_(2)
    return view


def by_indices(w: Tensor) -> Tensor:
    out = w.new_zeros(2)
    out[0] = w[0]
    out[1] = w[1]
    return out.mul_(4).div_(4)


def by_autograd(w: Tensor) -> Tensor:
    z = ONES.clone().requires_grad_()
    with torch.enable_grad():  # solvers evaluate without
        return torch.autograd.grad((z * w).sum(), z, create_graph=True)[0]


def by_dual_numbers(w: Tensor) -> Tensor:
    with forward_ad.dual_level():
        return forward_ad.unpack_dual(forward_ad.make_dual(ONES, ONES) * w).tangent


def by_a_meta_optimizer(w: Tensor) -> Tensor:
    net = nn.Linear(2, 1, bias=False, dtype=F64)
    nn.init.zeros_(net.weight)
    with torch.enable_grad():
        torchopt.MetaSGD(net, lr=1.0).step((net.weight[0] - w).square().sum() / 2)
    return net.weight[0]


def by_steps(w: Tensor) -> Tensor:
    return torchopt.minimize(
        lambda y: (y - w).square().sum() / 2, 0 * ONES, solver=torchopt.sgd(1.0), steps=1
    ).params


def by_a_root(w: Tensor) -> Tensor:
    return torchopt.root(lambda y: y - w, 0 * ONES, solver=torchopt.solver.Newton()).params


WAYS: dict[str, Way] = {
    "passed": passed(lambda w: w, lambda u, w: u),
    "passed and read from outside": passed(lambda w: w, lambda u, w: w),
    "passed and closed over": passed(lambda w: w, lambda u, w: (u + w) / 2),
    "passed twice": lambda w: (lambda x, u, v: (u + v) / 2, (w, w)),
    "passed in a tree": passed(lambda w: {"w": [w, None], "k": 2}, lambda u, w: u["w"][0]),
    "in an object that is passed": passed(Holder, lambda u, w: u.w),
    "in a module that is passed": passed(lambda w: module(w=w), lambda u, w: u.w),
    "made of it and passed": passed(lambda w: w.exp(), lambda u, w: (u.log() + w) / 2),
    "closed over": closed_over(lambda w: w),
    "made of it": kept(torch.exp, torch.log),
    "itself and made of it": kept(
        lambda w: (w, w.exp()), lambda pair: (pair[0] + pair[1].log()) / 2
    ),
    "parts in a list": kept(
        lambda w: [w[:1], w[1] * 2], lambda p: torch.cat([p[0], p[1][None] / 2])
    ),
    "a row of an expanded one": kept(lambda w: w.expand(3, 2), lambda wide: wide[1]),
    "a view of what was changed": kept(a_view_of_what_was_changed, lambda view: view / 2),
    "in an object": kept(Holder, lambda holder: holder.w),
    "of a class": of_the_class,
    "a default": a_default,
    "a keyword": lambda w: (functools.partial(lambda x, *, w: w, w=w), ()),
    "a parameter": kept(lambda w: module(w=w), lambda net: net.w),
    "tied parameters": kept(lambda w: module(a=w, b=w), lambda net: (net.a + net.b) / 2),
    "by indices and in place": closed_over(by_indices),
    "an embedding": closed_over(lambda w: F.embedding(torch.tensor([0, 1]), w[:, None])[:, 0]),
    "complex": closed_over(lambda w: torch.complex(w, 2 * w).real),
    "an operator": kept(
        lambda w: linalg.jacobian_operator(lambda v: w * v, ONES), lambda A: A(ONES)
    ),
    "by checkpoint": closed_over(lambda w: checkpoint(torch.mul, w, ONES, use_reentrant=False)),
    "by a block": closed_over(lambda w: torchopt.remat(lambda y: y * w)(ONES)),
    "by autograd": closed_over(by_autograd),
    "by dual numbers": closed_over(by_dual_numbers),
    "by a meta-optimizer": closed_over(by_a_meta_optimizer),
    "by steps": closed_over(by_steps),
    "by a root": closed_over(by_a_root),
    "by vmap": closed_over(vmap(lambda a: a * 1)),
    "by vmap twice": closed_over(lambda w: vmap(vmap(lambda a: a * 1))(w[None])[0]),
    "by grad": closed_over(grad(lambda a: (a**2).sum() / 2)),
    "by vmap of grad": closed_over(vmap(grad(lambda a: a**2 / 2))),
    "by grad of vmap": closed_over(grad(lambda a: vmap(lambda b: b**2 / 2)(a).sum())),
    "by jvp": closed_over(lambda w: torch.func.jvp(lambda a: a**2 / 2, (w,), (ONES,))[1]),
    "by vjp": closed_over(lambda w: torch.func.vjp(lambda a: a**2 / 2, w)[1](ONES)[0]),
    "by hessian": closed_over(lambda w: hessian(lambda a: (a**3).sum() / 6)(w).sum(0)),
    "a function": closed_over(lambda w: Hidden.apply(ONES, w)),
    "a function of what is passed": passed(lambda w: w, lambda u, w: Hidden.apply(ONES, u)),
    "a function of both": passed(
        lambda w: w, lambda u, w: (Hidden.apply(ONES, u) + Hidden.apply(ONES, w)) / 2
    ),
    "a function of what is made": kept(torch.exp, lambda made: Hidden.apply(ONES, made).log()),
    "a function of an object": kept(
        lambda w: Holder(w * 2), lambda holder: Hidden.apply(ONES, holder.w) / 2
    ),
}


def target(x: Tensor, w: Tensor) -> Tensor:
    return w**2 + 0.1 * x * w


def descent(w: Tensor, steps: int = 3, start: Tensor = ONES) -> Tensor:
    """Steps of 0.3 on half of the square of ``x - target(x, w)``."""
    x, a = start, 1 - 0.1 * w
    for _ in range(steps):
        x = x - 0.3 * a * (a * x - w**2)
    return x


def minimum(read: Read, args: tuple[Any, ...], diff: Any, **options: Any) -> Tensor:
    def objective(x: Tensor, *args: Any) -> Tensor:
        return (x - target(x, read(x, *args))).square().sum() / 2

    options = options or {"solver": torchopt.sgd(0.3), "steps": 3}
    return torchopt.minimize(objective, ONES, args, diff=diff, **options).params


def root(read: Read, args: tuple[Any, ...]) -> Tensor:
    newton = torchopt.solver.Newton(rtol=0.0, atol=1e-12)
    return torchopt.root(
        lambda x, *args: x - target(x, read(x, *args)), ONES, args, solver=newton
    ).params


def block(read: Read, args: tuple[Any, ...]) -> Tensor:
    return torchopt.remat(lambda x, *args: target(x, read(x, *args)))(2 * ONES, *args)


Solve = Callable[[Read, tuple[Any, ...]], Tensor]
EXPLICIT = {
    "step": Explicit("step"),
    "forward": Explicit("forward"),
    "forward over reverse": Explicit("step", hvp="forward"),
}
#: How a problem is solved, and the solution as a function of the variable.
MODES: dict[str, tuple[Solve, Callable[[Tensor], Tensor]]] = {
    **{name: (functools.partial(minimum, diff=diff), descent) for name, diff in EXPLICIT.items()},
    "implicit": (
        functools.partial(minimum, diff=Implicit(), solver=torchopt.solver.Newton()),
        lambda w: w**2 / (1 - 0.1 * w),
    ),
    "root": (root, lambda w: w**2 / (1 - 0.1 * w)),
    "one step": (
        functools.partial(minimum, diff=OneStep(), solver=torchopt.sgd(0.3), steps=0),
        lambda w: ONES + (step := descent(w, steps=1)) - step.detach(),
    ),
    "block": (block, lambda w: target(2 * ONES, w)),
}


def eager(f: Callable[[Tensor], Tensor]) -> list[Tensor]:
    w = POINT.clone().requires_grad_()
    (first,) = torch.autograd.grad(f(w), w, create_graph=True)
    return [first.detach(), torch.autograd.grad(first.sin().sum(), w)[0]]


ROUTES: dict[str, Callable[[Callable[[Tensor], Tensor]], list[Tensor]]] = {
    "grad": lambda f: [grad(f)(POINT), jacrev(grad(f))(POINT)],
    "jacfwd": lambda f: [jacfwd(f)(POINT)],
    "vmap": lambda f: [vmap(grad(f))(torch.stack([POINT, 2 * POINT]))],
}
#: Ways with a graph of their own.
GRAPHS = {"by grad", "by vmap of grad", "by grad of vmap", "by vjp"}
#: Ways that PyTorch refuses within `torch.func`; `test_what_is_read.py` has those by `grad` there.
EAGER = {"by checkpoint", "by autograd", "by dual numbers", "by a meta-optimizer"}
EAGER |= {way for way in WAYS if way.startswith("a function")}
#: Functions that no operation shows, without a rule for tangents.
CUSTOM = {way for way in WAYS if way.startswith("a function")}
#: Ways with tangents of their own.
TANGENTS = {"by dual numbers", "by jvp", "by hessian"}


def refusal(way: str, mode: str) -> str | None:
    """Return a word of the sentence that refuses a way in a mode."""
    if "forward" in mode and way in TANGENTS:
        return "Nested forward mode"
    if mode == "forward" and way in CUSTOM:
        return "custom autograd.Function"
    return "did not at first" if mode == "forward" and way in GRAPHS else None


def assert_derivatives_are_those_of_the_closed_form(way: str, mode: str, route: Any) -> None:
    solve, solution = MODES[mode]
    found = route(lambda w: solve(*WAYS[way](w)).pow(3).sum())
    expected = route(lambda w: solution(w).pow(3).sum())
    torch.testing.assert_close(found, expected, rtol=1e-7, atol=1e-9)


#: Modes that look for what is read alike: by what is computed again, by conditions, by dual numbers.
KINDS = [["step", "block"], ["root", "implicit", "one step"], ["forward"], ["forward over reverse"]]


@pytest.mark.parametrize(("way", "mode"), in_turn([*WAYS], KINDS))
def test_each_way_is_seen_by_each_kind_of_mode_or_refused(way: str, mode: str) -> None:
    words = refusal(way, mode)
    refused = pytest.raises(RuntimeError, match=words) if words else contextlib.nullcontext()
    with refused:
        assert_derivatives_are_those_of_the_closed_form(way, mode, eager)


@pytest.mark.parametrize(
    ("way", "mode", "route"),
    covering(
        [way for way in WAYS if way not in EAGER | GRAPHS], ["step", "implicit", "root"], [*ROUTES]
    ),
)
def test_each_way_is_seen_within_transforms(way: str, mode: str, route: str) -> None:
    assert_derivatives_are_those_of_the_closed_form(way, mode, ROUTES[route])

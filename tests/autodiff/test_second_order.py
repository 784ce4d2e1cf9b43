"""A gradient that lost its graph raises when it is differentiated; others are left alone."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable
from typing import Any, get_args

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

import torchopt
from torchopt.diff import Explicit, Implicit, OneStep
from torchopt.diff._explicit import Policy
from torchopt.errors import LostGraphError

pytestmark = pytest.mark.filterwarnings("ignore:Sparse:UserWarning")

F64 = torch.float64
INDICES = torch.tensor([[0, 0, 1], [0, 1, 1]])


def custom(
    backward: Callable[[Any, Tensor], Any], *, scalar: bool = False, array: bool = False
) -> Callable[[Tensor], Tensor]:
    """Return the cube, or its sum, with a backward pass of its own."""

    class Cube(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Tensor) -> Tensor:
            if array:
                ctx.x = x.detach().numpy()
            else:
                ctx.save_for_backward(x)
            return x.pow(3).sum() if scalar else x.pow(3)

    Cube.backward = staticmethod(backward)  # type: ignore[assignment]
    return Cube.apply


def by_numpy(ctx: Any, c: Tensor) -> Tensor:
    (x,) = ctx.saved_tensors
    return torch.as_tensor(3 * x.detach().numpy() ** 2 * c.detach().numpy())


def of_an_array(ctx: Any, c: Tensor) -> Tensor:
    return torch.from_numpy(3 * ctx.x**2 * c.detach().numpy())


@once_differentiable
def once(ctx: Any, c: Tensor) -> Tensor:
    return 3 * ctx.saved_tensors[0] ** 2 * c


def without_grad(ctx: Any, c: Tensor) -> Tensor:
    with torch.no_grad():
        return 3 * ctx.saved_tensors[0] ** 2 * c


def by_operations(ctx: Any, c: Tensor) -> Tensor:
    return 3 * ctx.saved_tensors[0] ** 2 * c


class Fused(torch.autograd.Function):
    """The sum of cubes, whose gradient the forward pass computes, as fused kernels of losses do."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.save_for_backward(3 * x.square())
        return x.pow(3).sum()

    @staticmethod
    def backward(ctx: Any, c: Tensor) -> Tensor:
        (slope,) = ctx.saved_tensors
        with torch.no_grad():
            return slope.mul_(c)


class FusedKernel(Fused):
    """The same by a kernel, whose writes PyTorch does not see."""

    @staticmethod
    def backward(ctx: Any, c: Tensor) -> Tensor:
        (slope,) = ctx.saved_tensors
        slope.data.mul_(c)
        return slope


LOST = {
    "fused": Fused.apply,
    "fused_kernel": FusedKernel.apply,
    "numpy": custom(by_numpy),
    "numpy_scalar": custom(by_numpy, scalar=True),
    "array": custom(of_an_array, array=True),
    "once": custom(once),
    "once_scalar": custom(once, scalar=True),
    "no_grad": custom(without_grad),
    "blocks": lambda x: x.expand(2, 3).to_sparse_bsr((1, 1)).values() ** 2,
}
ENDS: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "sum": lambda y, phi: y.sum(),
    "squares": lambda y, phi: (y - phi).square().sum(),
    "scaled": lambda y, phi: phi * y.sum(),
    "beside": lambda y, phi: y.sum() + x_squared(y),
}


def x_squared(y: Tensor) -> Tensor:
    return y.square().sum()


def solution(cube: Callable[[Tensor], Tensor], end: str, phi: Tensor, **options: Any) -> Tensor:
    def objective(x: Tensor) -> Tensor:
        return ENDS[end](cube(x * phi), phi) + 0.5 * (x - 1).square().sum()

    start = torch.tensor([1.0, 0.5, -0.3], dtype=F64)
    return torchopt.minimize(objective, start, **options).params.square().sum()


@pytest.mark.parametrize("memory", [p for p in get_args(Policy) if p != "forward"])
@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("name", LOST)
def test_steps_refuse_a_gradient_without_its_graph(name: str, end: str, memory: Any) -> None:
    phi = torch.tensor(0.5, dtype=F64, requires_grad=True)
    solver = torchopt.sgd(0.05)
    value = solution(LOST[name], end, phi, solver=solver, steps=2, diff=Explicit(memory))
    with pytest.raises(LostGraphError, match="cannot be differentiated again"):
        torch.autograd.grad(value, phi)


@pytest.mark.parametrize("hvp", ["reverse", "finite_difference"])
@pytest.mark.parametrize("name", LOST)
def test_the_implicit_mode_refuses_a_gradient_without_its_graph(name: str, hvp: Any) -> None:
    phi = torch.tensor(0.5, dtype=F64, requires_grad=True)
    solver = torchopt.solver.LBFGS()
    value = solution(LOST[name], "squares", phi, solver=solver, diff=Implicit(hvp=hvp))
    with pytest.raises(LostGraphError, match="cannot be differentiated again"):
        torch.autograd.grad(value, phi)


def test_the_one_step_mode_refuses_a_gradient_without_its_graph() -> None:
    phi = torch.tensor(0.5, dtype=F64, requires_grad=True)
    solver, diff = torchopt.sgd(0.05), OneStep(hvp="reverse")
    value = solution(LOST["numpy"], "squares", phi, solver=solver, steps=2, diff=diff)
    with pytest.raises(LostGraphError, match="cannot be differentiated again"):
        torch.autograd.grad(value, phi)


@pytest.mark.parametrize("name", LOST)
def test_values_and_first_derivatives_need_no_graph(name: str) -> None:
    phi = torch.tensor(0.5, dtype=F64, requires_grad=True)
    solver = torchopt.sgd(0.05)
    found = solution(LOST[name], "squares", phi, solver=solver, steps=2, diff=Explicit())
    cube = custom(by_operations, scalar="scalar" in name or "fused" in name)
    expected = solution(
        LOST[name] if name == "blocks" else cube, "squares", phi.detach(), solver=solver, steps=2
    )
    torch.testing.assert_close(found.detach(), expected, rtol=1e-12, atol=0)


def test_the_advice_is_a_mode_that_works() -> None:
    phi = torch.tensor(0.5, dtype=F64, requires_grad=True)
    solver = torchopt.sgd(0.05)
    value = solution(LOST["once"], "squares", phi, solver=solver, steps=2, diff=Explicit())
    with pytest.raises(LostGraphError, match="differentiate the steps by") as caught:
        torch.autograd.grad(value, phi)
    advised = re.search(r"`torchopt\.diff\.(Explicit\(.*?\))`", str(caught.value))
    assert advised is not None
    diff = eval(advised[1])
    value = solution(LOST["once"], "squares", phi, solver=solver, steps=2, diff=diff)
    assert torch.autograd.grad(value, phi)[0].isfinite()


@pytest.mark.parametrize("name", ["numpy", "array", "once", "no_grad", "numpy_scalar"])
def test_finite_differences_need_no_second_graph(name: str) -> None:
    phi = torch.tensor(0.5, dtype=F64, requires_grad=True)
    solver, diff = torchopt.sgd(0.05), Explicit("step", hvp="finite_difference")
    found, expected = (
        torch.autograd.grad(solution(cube, "squares", phi, solver=solver, steps=2, diff=diff), phi)[
            0
        ]
        for cube in (LOST[name], custom(by_operations, scalar="scalar" in name))
    )
    torch.testing.assert_close(found, expected, rtol=1e-6, atol=1e-8)


class Sign(torch.autograd.Function):
    """A straight-through estimator."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.save_for_backward(x)
        return x.sign()

    @staticmethod
    def backward(ctx: Any, c: Tensor) -> Tensor:
        return c


class Hinge(Sign):
    """A piecewise linear function."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.save_for_backward(x)
        return x.relu()

    @staticmethod
    def backward(ctx: Any, c: Tensor) -> Tensor:
        return c * (ctx.saved_tensors[0] > 0)


class WithAnotherLoss(Sign):
    """The identity, which adds the gradient of a loss whatever its cotangent is."""

    @staticmethod
    def backward(ctx: Any, c: Tensor) -> Tensor:
        return torch.ones_like(c)


KEPT: dict[str, Callable[[Tensor], Tensor]] = {
    "cube": custom(by_operations),
    "sign": Sign.apply,
    "hinge": Hinge.apply,
    "another_loss": WithAnotherLoss.apply,
    "linear": lambda x: 2 * x,
    "dense_of_sparse": lambda x: torch.sparse_coo_tensor(INDICES, x, (2, 2)).to_dense(),
    "checkpoint": lambda x: torch.utils.checkpoint.checkpoint(torch.exp, x, use_reentrant=False),
}


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("name", KEPT)
def test_gradients_that_are_constant_or_have_their_graph_are_left_alone(
    name: str, end: str
) -> None:
    phi = torch.tensor(0.5, dtype=F64, requires_grad=True)
    solver = torchopt.sgd(0.05)
    value = solution(KEPT[name], end, phi, solver=solver, steps=2, diff=Explicit())
    assert torch.autograd.grad(value, phi)[0].isfinite()


class Product(nn.Module):
    def __init__(self, layout: str) -> None:
        super().__init__()
        self.values = nn.Parameter(torch.tensor([1.0, 0.5, -0.3], dtype=F64))
        self.layout = layout

    def forward(self, x: Tensor) -> Tensor:
        if self.layout == "coo":
            return torch.sparse.mm(torch.sparse_coo_tensor(INDICES, self.values, (2, 2)), x)
        if self.layout == "csr":
            return torch.sparse_csr_tensor([0, 2, 3], INDICES[1], self.values, (2, 2)) @ x
        return torch.zeros(2, 2, dtype=F64).index_put(tuple(INDICES), self.values) @ x


def meta_gradient(layout: str, context: Callable[[], Any]) -> Tensor:
    x, phi = torch.tensor([[1.0, 2.0], [3.0, -1.0]], dtype=F64), torch.tensor(0.5, dtype=F64)
    net = Product(layout)
    optimizer = torchopt.MetaSGD(net, lr=0.05)
    phi.requires_grad_()
    for _ in range(3):
        with context():
            loss = (net(x) - phi).square().sum()
        optimizer.step(loss)
    return torch.autograd.grad(net(x).square().sum(), phi)[0]


@pytest.mark.parametrize("layout", ["coo", "csr"])
def test_meta_optimizers_refuse_sparse_products_outside_of_higher_order(layout: str) -> None:
    with pytest.raises(LostGraphError, match=r"reads a sparse tensor .*torchopt\.higher_order"):
        meta_gradient(layout, contextlib.nullcontext)
    found, expected = (meta_gradient(name, torchopt.higher_order) for name in (layout, "dense"))
    torch.testing.assert_close(found, expected, rtol=1e-12, atol=0)


def test_only_what_went_through_a_lost_node_is_refused() -> None:
    a, b = (torch.tensor(x, dtype=F64, requires_grad=True) for x in (2.0, 3.0))
    with torchopt.higher_order():
        g, h = torch.autograd.grad(a**3 + LOST["numpy"](b), (a, b), create_graph=True)
    assert torch.autograd.grad(g, a)[0].item() == pytest.approx(12.0)
    with pytest.raises(LostGraphError, match=r"custom autograd.Function \(Cube\)"):
        torch.autograd.grad(h, b)


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
def test_cross_entropy_in_chunks_has_second_derivatives(reduction: str) -> None:
    x, w = torch.randn(2, 6, 4, dtype=F64, generator=torch.Generator().manual_seed(0))
    w, target = w[:3].requires_grad_(), torch.tensor([0, 2, 1, 1, 0, 2])

    def second(**options: Any) -> Tensor:
        with torchopt.higher_order():
            loss = F.linear_cross_entropy(x, w, target, reduction=reduction, **options).sum()
        (g,) = torch.autograd.grad(loss, w, create_graph=True)
        return torch.autograd.grad(g.square().sum(), w)[0]

    h = 1e-6 * w.detach().sin()

    def slope(w: Tensor) -> Tensor:
        w = w.detach().requires_grad_()
        loss = F.cross_entropy(x @ w.mT, target, reduction=reduction).sum()
        return torch.autograd.grad(loss, w)[0].square().sum()

    difference = (slope(w + h) - slope(w - h)) / 2
    found = second(options=nn.LinearCrossEntropyOptions())
    torch.testing.assert_close((found * h).sum(), difference, rtol=1e-6, atol=1e-14)


def test_cross_entropy_in_chunks_outside_of_higher_order_is_refused() -> None:
    params = (torch.eye(3, dtype=F64, requires_grad=True),)
    optimizer = torchopt.FuncOptimizer(torchopt.sgd(0.1))
    options = nn.LinearCrossEntropyOptions()
    loss = F.linear_cross_entropy(params[0], params[0], torch.tensor([0, 2, 1]), options=options)
    (stepped,) = optimizer.step(loss, params)
    with pytest.raises(LostGraphError, match="without `options`"):
        torch.autograd.grad(stepped.square().sum(), params[0])

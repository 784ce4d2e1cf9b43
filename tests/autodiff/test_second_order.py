"""A gradient that lost its graph raises when it is differentiated; others are left alone."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, get_args

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

import torchopt
from torchopt.diff import Explicit, Implicit
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
                ctx.x = x.detach().cpu().numpy()
            else:
                ctx.save_for_backward(x)
            return x.pow(3).sum() if scalar else x.pow(3)

    Cube.backward = staticmethod(backward)  # type: ignore[assignment]
    return Cube.apply


def by_numpy(ctx: Any, c: Tensor) -> Tensor:
    (x,) = ctx.saved_tensors
    return torch.as_tensor(3 * x.detach().cpu().numpy() ** 2 * c.detach().cpu().numpy()).to(c)


def of_an_array(ctx: Any, c: Tensor) -> Tensor:
    return torch.as_tensor(3 * ctx.x**2 * c.detach().cpu().numpy()).to(c)


@once_differentiable
def once(ctx: Any, c: Tensor) -> Tensor:
    return 3 * ctx.saved_tensors[0] ** 2 * c


def without_grad(ctx: Any, c: Tensor) -> Tensor:
    with torch.no_grad():
        return 3 * ctx.saved_tensors[0] ** 2 * c


def of_a_leaf(ctx: Any, c: Tensor) -> Tensor:
    # As a DTensor's `to_local` before PyTorch 2.12: made anew, with the flag of the cotangent.
    return (3 * ctx.saved_tensors[0] ** 2 * c).detach().requires_grad_(c.requires_grad)


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
    "leaf": custom(of_a_leaf),
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


@pytest.mark.parametrize("name", LOST)
def test_the_implicit_mode_refuses_a_gradient_without_its_graph(name: str) -> None:
    phi = torch.tensor(0.5, dtype=F64, requires_grad=True)
    solver = torchopt.solver.LBFGS()
    value = solution(LOST[name], "squares", phi, solver=solver, diff=Implicit())
    with pytest.raises(LostGraphError, match="cannot be differentiated again"):
        torch.autograd.grad(value, phi)


@pytest.mark.parametrize("name", LOST)
def test_values_and_first_derivatives_need_no_graph(name: str) -> None:
    phi = torch.tensor(0.5, dtype=F64, requires_grad=True)
    solver = torchopt.sgd(0.05)
    found = solution(LOST[name], "squares", phi, solver=solver, steps=2, diff=Explicit())
    cube = custom(by_operations, scalar="scalar" in name or "fused" in name)
    expected = solution(cube, "squares", phi.detach(), solver=solver, steps=2)
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


def transformed(
    backward: Callable[[Any, Tensor], Tensor],
    forward: Callable[[Tensor], Tensor] = lambda x: x.pow(3),
    slope: Callable[[Tensor], Tensor] = lambda x: 3 * x.square(),
) -> Callable[[Tensor], Tensor]:
    """Return a custom function that ``torch.func`` can transform, by default the cube."""

    class Cube(torch.autograd.Function):
        generate_vmap_rule = True

        @staticmethod
        def forward(x: Tensor) -> Tensor:
            return forward(x)

        @staticmethod
        def setup_context(ctx: Any, inputs: tuple[Tensor, ...], output: Tensor) -> None:
            ctx.save_for_backward(*inputs)
            ctx.save_for_forward(*inputs)

        @staticmethod
        def jvp(ctx: Any, t: Tensor) -> Tensor:
            return slope(ctx.saved_tensors[0]) * t

    Cube.backward = staticmethod(backward)  # type: ignore[assignment]
    return Cube.apply


def detached(ctx: Any, c: Tensor) -> Tensor:
    return 3 * ctx.saved_tensors[0].detach() ** 2 * c.detach()


def on_a_mask(ctx: Any, c: Tensor) -> Tensor:
    return c * (ctx.saved_tensors[0] > 0)


IN_TRANSFORMS = {
    "cube": transformed(by_operations),
    "mask": transformed(on_a_mask, torch.relu, lambda x: x > 0),
    "detached": transformed(detached),
    "once": transformed(once),
    "no_grad": transformed(without_grad),
}
PHI = torch.tensor(0.5, dtype=F64)
Scalar = Callable[[Tensor], Tensor]
TRANSFORMS: dict[str, Callable[[Scalar], Tensor]] = {
    "grad": lambda f: torch.func.grad(f)(PHI),
    "vjp": lambda f: torch.func.vjp(f, PHI)[1](torch.ones_like(PHI))[0],
    "jvp": lambda f: torch.func.jvp(f, (PHI,), (torch.ones_like(PHI),))[1],
    "jacfwd": lambda f: torch.func.jacfwd(f)(PHI),
    "jacrev": lambda f: torch.func.jacrev(f)(PHI),
    "vmap_of_grad": lambda f: torch.func.vmap(torch.func.grad(f))(PHI.repeat(2))[0],
    "grad_of_vmap": lambda f: torch.func.grad(lambda p: torch.func.vmap(f)(p.repeat(2))[0])(PHI),
    "hessian": lambda f: torch.func.hessian(f)(PHI),
    "grad_of_grad": lambda f: torch.func.grad(torch.func.grad(f))(PHI),
}
INNER: dict[str, dict[str, Any]] = {
    "graph": {"solver": torchopt.sgd(0.05), "steps": 2, "diff": Explicit()},
    "step": {"solver": torchopt.sgd(0.05), "steps": 2, "diff": Explicit("step")},
    "tree": {"solver": torchopt.sgd(0.05), "steps": 2, "diff": Explicit("tree")},
    "implicit": {"solver": torchopt.solver.LBFGS(), "diff": Implicit()},
}


@pytest.mark.parametrize("mode", INNER)
@pytest.mark.parametrize("transform", TRANSFORMS)
@pytest.mark.parametrize("name", ["detached", "once"])
def test_a_gradient_without_its_graph_is_refused_under_transforms(
    name: str, transform: str, mode: str
) -> None:
    cube = IN_TRANSFORMS[name]
    with pytest.raises(LostGraphError, match=r"custom autograd.Function \(Cube\)"):
        TRANSFORMS[transform](lambda phi: solution(cube, "squares", phi, **INNER[mode]))


@pytest.mark.parametrize("mode", ["graph", "step", "implicit"])
@pytest.mark.parametrize("transform", TRANSFORMS)
@pytest.mark.parametrize(("name", "end"), [("cube", "squares"), ("mask", "sum")])
def test_gradients_with_their_graph_are_right_under_transforms(
    name: str, end: str, transform: str, mode: str
) -> None:
    plain = torch.relu if name == "mask" else lambda x: x.pow(3)
    options = INNER[mode]
    found = TRANSFORMS[transform](lambda phi: solution(IN_TRANSFORMS[name], end, phi, **options))
    phi = PHI.clone().requires_grad_()
    (expected,) = torch.autograd.grad(solution(plain, end, phi, **options), phi, create_graph=True)
    if transform in ("hessian", "grad_of_grad"):
        (expected,) = torch.autograd.grad(expected, phi)
    torch.testing.assert_close(found, expected.detach(), rtol=1e-6, atol=1e-8)


class Product(nn.Module):
    def __init__(self, layout: str) -> None:
        super().__init__()
        self.values = nn.Parameter(torch.tensor([1.0, 0.5, -0.3], dtype=F64))
        self.layout = layout

    def forward(self, x: Tensor) -> Tensor:
        if self.layout == "coo":
            return torch.sparse.mm(torch.sparse_coo_tensor(INDICES, self.values, (2, 2)), x)
        return torch.sparse_csr_tensor([0, 2, 3], INDICES[1], self.values, (2, 2)) @ x


def meta_gradient(layout: str) -> Tensor:
    x, phi = torch.tensor([[1.0, 2.0], [3.0, -1.0]], dtype=F64), torch.tensor(0.5, dtype=F64)
    net = Product(layout)
    optimizer = torchopt.MetaSGD(net, lr=0.05)
    phi.requires_grad_()
    for _ in range(3):
        optimizer.step((net(x) - phi).square().sum())
    return torch.autograd.grad(net(x).square().sum(), phi)[0]


@pytest.mark.parametrize("layout", ["coo", "csr"])
def test_meta_optimizers_refuse_sparse_products_outside_of_higher_order(layout: str) -> None:
    with pytest.raises(LostGraphError, match=r"reads a sparse tensor .*index_add"):
        meta_gradient(layout)


def test_only_what_went_through_a_lost_node_is_refused() -> None:
    a, b = (torch.tensor(x, dtype=F64, requires_grad=True) for x in (2.0, 3.0))
    with torchopt.higher_order():
        g, h = torch.autograd.grad(a**3 + LOST["numpy"](b), (a, b), create_graph=True)
    assert torch.autograd.grad(g, a)[0].item() == pytest.approx(12.0)
    with pytest.raises(LostGraphError, match=r"custom autograd.Function \(Cube\)"):
        torch.autograd.grad(h, b)


@pytest.mark.skipif(
    not hasattr(nn, "LinearCrossEntropyOptions"), reason="PyTorch has it from 2.13 on"
)
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


@pytest.mark.parametrize("name", ["detached", "once", "no_grad"])
@pytest.mark.parametrize("end", ["sum", "squares"])
@pytest.mark.parametrize(
    "diff", [Explicit("step", hvp="forward"), Explicit("forward")], ids=["hvp", "policy"]
)
def test_modes_by_tangents_are_right_or_refuse(diff: Explicit, end: str, name: str) -> None:
    def run(name: str) -> Tensor:
        phi = PHI.clone().requires_grad_()
        solver = torchopt.sgd(0.05)
        value = solution(IN_TRANSFORMS[name], end, phi, solver=solver, steps=2, diff=diff)
        return torch.autograd.grad(value, phi)[0]

    try:
        found = run(name)
    except LostGraphError:
        assert name != "no_grad"
    else:
        assert name != "detached"
        torch.testing.assert_close(found, run("cube"), rtol=1e-12, atol=0)


def test_a_cotangent_of_zero_hides_no_lost_graph() -> None:
    phi = torch.tensor(1.0, dtype=F64, requires_grad=True)
    x = torchopt.minimize(
        lambda x: (LOST["no_grad"](x) - phi).square().sum(),
        torch.ones(3, dtype=F64),  # where the gradient is zero, but not its derivative in phi
        solver=torchopt.sgd(0.05),
        steps=1,
        diff=Explicit(),
    ).params
    with pytest.raises(LostGraphError):
        torch.autograd.grad(x.sum(), phi)


def stepped_by_optimizer(cube: Callable[[Tensor], Tensor], phi: Tensor) -> Tensor:
    optimizer = torchopt.compat.FuncOptimizer(torchopt.sgd(0.05))
    params = (torch.tensor([1.0, 0.5], dtype=F64) * phi,)
    for _ in range(2):
        params = optimizer.step((cube(params[0]) - phi).square().sum(), params)
    return params[0].square().sum()


def batched_tasks(cube: Callable[[Tensor], Tensor], phi: Tensor) -> Tensor:
    def task(phi: Tensor, target: Tensor) -> Tensor:
        return solution(lambda x: cube(x) - target, "squares", phi, **INNER["graph"])

    targets = torch.tensor([0.3, 0.6], dtype=F64)
    return torchopt.meta.vmap_tasks(task, (None, 0))(phi, targets).sum()


def fixed_point(cube: Callable[[Tensor], Tensor], phi: Tensor) -> Tensor:
    start = torch.tensor([1.0, 0.5], dtype=F64)
    solved = torchopt.fixed_point(lambda x: 0.3 * (cube(0.5 * x) + phi), start)
    return solved.params.square().sum()


def with_a_gradient_of_its_own(cube: Callable[[Tensor], Tensor], phi: Tensor) -> Tensor:
    def slope(x: Tensor) -> Tensor:
        return torch.func.grad(lambda y: (cube(y) - phi).square().sum())(x)

    return solution(slope, "squares", phi, **INNER["graph"])


PROGRAMS: dict[str, tuple[Callable[..., Tensor], list[str]]] = {
    "optimizer": (stepped_by_optimizer, ["eager", "grad", "jacrev"]),
    "tasks": (batched_tasks, ["eager", "grad", "jvp"]),
    "meta_grad": (batched_tasks, ["meta_grad"]),
    "fixed_point": (fixed_point, ["jvp", "grad_of_grad", "hessian"]),
    "own_gradient": (with_a_gradient_of_its_own, ["eager", "grad", "vmap_of_grad"]),
    "batched": (
        lambda cube, phi: solution(torch.func.vmap(cube), "squares", phi, **INNER["graph"]),
        ["eager", "grad", "vmap_of_grad"],
    ),
}


def eager(f: Scalar) -> Tensor:
    phi = PHI.clone().requires_grad_()
    return torch.autograd.grad(f(phi), phi)[0]


@pytest.mark.parametrize(
    ("program", "transform"), [(p, t) for p, (_, names) in PROGRAMS.items() for t in names]
)
def test_programs_under_transforms_are_right_or_refuse(program: str, transform: str) -> None:
    run, _ = PROGRAMS[program]
    others = {"eager": eager, "meta_grad": lambda f: torchopt.meta_grad_and_value(f)(PHI)[0]}
    derivative = (TRANSFORMS | others)[transform]
    found = derivative(lambda phi: run(IN_TRANSFORMS["cube"], phi))
    h = 1e-4
    at = [run(lambda x: x.pow(3), (PHI + i * h).requires_grad_()).detach() for i in (-1, 0, 1)]
    second = transform in ("hessian", "grad_of_grad")
    expected = (at[2] - 2 * at[1] + at[0]) / h**2 if second else (at[2] - at[0]) / (2 * h)
    torch.testing.assert_close(found, expected, rtol=1e-3, atol=1e-6)
    with pytest.raises(LostGraphError):
        derivative(lambda phi: run(IN_TRANSFORMS["detached"], phi))

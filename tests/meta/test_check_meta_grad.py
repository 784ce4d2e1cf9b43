"""Right meta-gradients pass, wrong ones are found, and what makes them wrong is named."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.func import functional_call, grad, vmap
from torch.utils.checkpoint import checkpoint

import torchopt
from torchopt.errors import InconclusiveWarning, MetaGradientError
from torchopt.meta._check import MetaGradCheck, check_meta_grad
from torchopt.meta._differences import difference

F64 = torch.float64
Tree = dict[str, Tensor]


def randn(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=F64)


def parameters_of(net: nn.Module) -> Tree:
    return {name: p.detach() for name, p in net.named_parameters()}


def make(*layers: nn.Module) -> nn.Module:
    torch.manual_seed(0)
    for layer in layers:
        for module in layer.modules():
            if hasattr(module, "reset_parameters"):
                module.reset_parameters()
    return nn.Sequential(*layers).to(F64)


def descend(
    loss: Callable[[Tree], Tensor], start: Tree, lr: float | Tensor = 0.1, steps: int = 2
) -> Tree:
    params = start
    for _ in range(steps):
        grads = torch.autograd.grad(loss(params), list(params.values()), create_graph=True)
        params = {n: p - lr * g for (n, p), g in zip(params.items(), grads, strict=True)}
    return params


def maml(net: nn.Module, x: Tensor, call: Any = functional_call) -> Callable[[Tree], Tensor]:
    y = randn(*net(x).shape, seed=9)

    def risk(params: Tree) -> Tensor:
        return F.mse_loss(call(net, params, (x,)), y)

    return lambda params: risk(descend(risk, params))


def wrong(fn: Any, params: Any, **kwargs: Any) -> MetaGradCheck:
    found = check_meta_grad(fn, params, raise_exception=False, **kwargs)
    assert not found
    assert found.verdict == "wrong"
    return found


# Right programs.


@pytest.mark.parametrize(
    ("function", "slope"),
    [
        (math.exp, 1.0),
        (lambda x: math.sin(1 + 3 * x), 3 * math.cos(1)),
        (lambda x: math.log(2 + x), 0.5),
    ],
    ids=["exp", "sin", "log"],
)
def test_three_differences_of_smooth_functions_have_eleven_digits_and_know_it(
    function: Callable[[float], float], slope: float
) -> None:
    calls = []

    def counted(x: float) -> float:
        calls.append(x)
        return function(x)

    found = difference(counted, function(0.0), eps=torch.finfo(torch.float64).eps, rtol=1e-5)
    assert abs(found.value - slope) <= min(found.error, 1e-11)
    assert len(calls) == 6
    assert not found.kink


def test_maml_with_adam_is_right() -> None:
    net, x = make(nn.Linear(3, 5), nn.Tanh(), nn.Linear(5, 1)), randn(6, 3)
    y = randn(6, 1, seed=1)

    def outer(params: dict[str, Any]) -> Tensor:
        def risk(theta: Tree) -> Tensor:
            return F.mse_loss(functional_call(net, theta, (x,)), y)

        solver = torchopt.adam(params["log_lr"].exp())
        solution = torchopt.minimize(risk, params["start"], solver=solver, steps=3)
        return risk(solution.params)

    params = {"start": parameters_of(net), "log_lr": torch.tensor(-3.0, dtype=F64)}
    found = check_meta_grad(outer, params)
    assert found.verdict == "right"
    assert all(row.relative < 1e-7 for row in found.directions)
    assert params["start"]["0.weight"].grad is None


@pytest.mark.parametrize("order", [1, 2])
def test_relu_networks_are_right(order: int) -> None:
    net = make(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 1))
    assert check_meta_grad(maml(net, randn(7, 3)), parameters_of(net), order=order)


def test_batch_norm_and_dropout_are_replayed() -> None:
    net = make(
        nn.Conv2d(2, 3, 3),
        nn.BatchNorm2d(3),
        nn.ReLU(),
        nn.Dropout(0.3),
        nn.Flatten(),
        nn.Linear(12, 2),
    )
    x = randn(5, 2, 4, 4)
    before = {name: b.clone() for name, b in net.named_buffers()}
    fn, state = maml(net, x), torch.get_rng_state()
    before = {name: b.clone() for name, b in net.named_buffers()}
    assert check_meta_grad(fn, parameters_of(net))
    assert torch.equal(torch.get_rng_state(), state)
    assert all(torch.equal(b, before[name]) for name, b in net.named_buffers())


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.norm, self.qkv, self.out = nn.LayerNorm(4), nn.Linear(4, 12), nn.Linear(4, 4)

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = self.qkv(self.norm(x)).unflatten(-1, (3, 2, 2)).movedim(-3, 0).transpose(-2, -3)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return x + self.out(y.transpose(-2, -3).flatten(-2))


def test_modules_are_varied_in_place_and_restored() -> None:
    net, x = make(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1)), randn(6, 3)
    before = {name: p.detach().clone() for name, p in net.named_parameters()}
    net[0].bias.requires_grad_(False)

    def outer(net: nn.Module) -> Tensor:
        optimizer = torchopt.MetaSGD(net, lr=0.1)
        start = torchopt.extract_state_dict(net, by="reference")
        optimizer.step(net(x).square().mean())
        loss = (net(x) - 1).square().mean()
        torchopt.recover_state_dict(net, start)
        return loss

    assert check_meta_grad(outer, net)
    assert not net[0].bias.requires_grad
    for name, p in net.named_parameters():
        assert torch.equal(p, before[name])
        assert p.grad is None


def test_functional_programs_of_many_tasks_are_right() -> None:
    xs, ys = randn(4, 5, 2), randn(4, 5, seed=1)

    def outer(params: Tree) -> Tensor:
        def task(x: Tensor, y: Tensor) -> Tensor:
            def risk(p: Tree) -> Tensor:
                return (torch.tanh(x @ p["w"]) + p["b"] - y).square().mean()

            g = grad(risk)(params)
            return risk({n: p - 0.3 * g[n] for n, p in params.items()})

        return vmap(task)(xs, ys).mean()

    params = {"w": randn(2, seed=3), "b": randn(1, seed=4)}
    assert check_meta_grad(outer, params, grad=grad(outer))
    assert check_meta_grad(outer, params)


def test_float32_has_a_coarser_tolerance() -> None:
    def outer(p: Tensor) -> Tensor:
        (g,) = torch.autograd.grad((p.sin() * p).sum(), p, create_graph=True)
        return (p - 0.3 * g).square().sum()

    found = check_meta_grad(outer, randn(5).float())
    assert found.verdict == "right"
    assert max(row.relative for row in found.directions) > 1e-9


def test_a_kink_at_the_point_is_inconclusive() -> None:
    with pytest.warns(InconclusiveWarning, match="kink"):
        found = check_meta_grad(lambda p: p.relu().sum(), torch.zeros(3, dtype=F64))
    assert found.verdict == "inconclusive"
    assert not found


def test_leaves_without_influence_may_have_no_gradient() -> None:
    params = {"used": randn(3), "unused": randn(2), "none": None}
    assert check_meta_grad(lambda p: p["used"].square().sum(), params)


# Wrong programs.


class Doubled(torch.autograd.Function):
    """A sine with a wrong first derivative."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.save_for_backward(x)
        return x.sin()

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Tensor:
        return 2 * g * ctx.saved_tensors[0].cos()


class Frozen(Doubled):
    """A sine whose first derivative is a constant for the second."""

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Tensor:
        return g * ctx.saved_tensors[0].detach().cos()


class Numpy(Doubled):
    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Tensor:
        return g * torch.as_tensor(ctx.saved_tensors[0].detach().numpy()).cos()


class Once(Doubled):
    """PyTorch does not complain where what comes in requires no grad."""

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, g: Tensor) -> Tensor:
        return g * ctx.saved_tensors[0].cos()


@pytest.mark.parametrize(
    ("function", "order"),
    [(Doubled, "first"), (Frozen, "second"), (Numpy, "second"), (Once, "second")],
)
def test_wrong_backward_of_a_function_is_named(function: Any, order: str) -> None:
    def outer(p: Tensor) -> Tensor:
        def risk(theta: Tensor) -> Tensor:
            return (function.apply(theta) * p).sum()

        (g,) = torch.autograd.grad(risk(p), p, create_graph=True)
        return (p - 0.3 * g).square().sum()

    with pytest.raises(MetaGradientError, match="meta-gradient is wrong by") as caught:
        check_meta_grad(outer, randn(4))
    (cause,) = caught.value.result.causes
    assert cause.kind == "function"
    assert f"the {order} derivative of `{function.__name__}`" in cause.where
    assert "test_check_meta_grad.py" in cause.where


class FrozenForward(torch.autograd.Function):
    """A sine whose forward derivative is a constant for the gradient."""

    @staticmethod
    def forward(x: Tensor) -> Tensor:
        return x.sin()

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Tensor], output: Tensor) -> None:
        ctx.save_for_backward(*inputs)
        ctx.save_for_forward(*inputs)

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Tensor:
        return g * ctx.saved_tensors[0].cos()

    @staticmethod
    def jvp(ctx: Any, t: Tensor) -> Tensor:
        return t * torch.from_numpy(ctx.saved_tensors[0].detach().numpy()).cos()


@pytest.mark.parametrize("option", ["first_order", "truncate"])
def test_what_is_asked_to_be_inexact_is_named(option: str) -> None:
    mode = torchopt.diff.Explicit(**{option: 1 if option == "truncate" else True})

    def outer(p: Tensor) -> Tensor:
        solution = torchopt.minimize(
            lambda theta: (theta.sin() * theta).sum(),
            p,
            solver=torchopt.sgd(0.3),
            steps=3,
            diff=mode,
        )
        return (solution.params - 1).square().sum()

    causes = wrong(outer, randn(4)).causes
    assert causes
    for cause in causes:
        assert "test_check_meta_grad.py" in cause.where
        assert "`first_order`" in cause.advice


@pytest.mark.parametrize("cut", [pytest.param(False, marks=pytest.mark.slow), True])
def test_a_mode_that_approximates_is_named_and_what_else_may_be_wrong(cut: bool) -> None:
    def outer(weight: Tensor) -> Tensor:
        weight = (weight + weight.detach()) / 2 if cut else weight
        solution = torchopt.minimize(
            lambda x, w: (x - 1).square().sum() + w * x.exp().sum(),
            torch.zeros(2, dtype=F64),
            (weight,),
            solver=torchopt.solver.LBFGS(),
            diff=torchopt.diff.ValueFunction(),
        )
        return solution.params.square().sum()

    weight = torch.tensor(0.3, dtype=F64)
    approximation, *others = wrong(outer, weight).causes
    assert approximation.kind == "approximation"
    assert "`ValueFunction()` at " in approximation.where
    assert "test_check_meta_grad.py" in approximation.where
    assert [cause.kind for cause in others] == ["detach"] * cut
    if not cut:
        assert check_meta_grad(outer, weight, rtol=1e-3)


def test_nan_of_torchs_differentiable_adam_is_named() -> None:
    def outer(start: Tensor) -> Tensor:
        p = start.clone()
        optimizer = torch.optim.Adam([p], lr=0.1, differentiable=True)
        mask = torch.tensor([1.0, 0.0, 1.0, 0.0])  # as of hidden units that are off
        (p.grad,) = torch.autograd.grad((p.clone() * mask).sin().sum(), p, create_graph=True)
        optimizer.step()
        return (p - 1).square().sum()

    with pytest.raises(MetaGradientError, match="not finite") as caught:
        check_meta_grad(outer, randn(4))
    (cause,) = caught.value.result.causes
    assert cause.kind == "singular"
    assert "sqrt" in cause.where
    assert "optimizer.step()" in cause.where


def test_third_derivative_of_layer_norm_is_named() -> None:
    net = make(nn.Linear(3, 4), nn.LayerNorm(4), nn.Tanh(), nn.Linear(4, 1))
    fn, params = maml(net, randn(6, 3)), parameters_of(net)
    assert check_meta_grad(fn, params)
    (cause,) = wrong(fn, params, order=2).causes
    assert cause.kind == "operator"
    assert "`layer_norm`" in cause.where
    assert "higher_order" in cause.advice


def test_attention_without_second_derivative_is_named() -> None:
    net = make(Block())
    (cause,) = wrong(maml(net, randn(2, 3, 4)), parameters_of(net)).causes
    assert "`scaled_dot_product_attention`" in cause.where
    assert "has no derivative" in cause.where


class Checkpointed(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.a, self.b = nn.Linear(3, 4), nn.Linear(4, 2)

    def forward(self, x: Tensor) -> Tensor:
        return checkpoint(lambda x: self.b(self.a(x).tanh()).sin(), x, use_reentrant=False)


def test_functional_call_of_a_checkpointed_model_is_named() -> None:
    net = make(Checkpointed())
    x = randn(5, 3)
    assert check_meta_grad(maml(net, x, torchopt.nn.functional_call), parameters_of(net))
    (cause,) = wrong(maml(net, x), parameters_of(net)).causes
    assert cause.kind == "checkpoint"
    assert "torchopt.nn.functional_call" in cause.advice


@torch.library.custom_op("torchopt_tests::wrong_cube", mutates_args=())
def wrong_cube(x: Tensor) -> Tensor:
    return x**3


def _keep(ctx: Any, inputs: tuple[Tensor], output: Tensor) -> None:
    ctx.save_for_backward(*inputs)


wrong_cube.register_autograd(
    lambda ctx, g: g * 3 * ctx.saved_tensors[0].detach() ** 2, setup_context=_keep
)


def detached(p: Tree) -> Tensor:
    (g,) = torch.autograd.grad((p["a"].sin() * p["a"]).sum(), p["a"], create_graph=True)
    return (p["a"] - 0.3 * g.detach()).square().sum()


def without_create_graph(p: Tree) -> Tensor:
    (g,) = torch.autograd.grad((p["a"].sin() * p["a"]).sum(), p["a"])
    return (p["a"] - 0.3 * g).square().sum()


def without_grad(p: Tree) -> Tensor:
    with torch.no_grad():
        scale = p["a"].exp()
    keep = p["b"].detach()  # changes nothing
    return (p["b"] * scale).square().sum() + 0 * keep.sum()


def a_number(p: Tree) -> Tensor:
    return (p["b"] * float(p["a"].detach().sum())).square().sum()


def momentum_of_torchs_differentiable_sgd(start: Tree) -> Tensor:
    p = start["a"].clone()
    optimizer = torch.optim.SGD([p], lr=0.1, momentum=0.9, differentiable=True)
    for _ in range(2):
        (p.grad,) = torch.autograd.grad(p.clone().sin().square().sum(), p, create_graph=True)
        optimizer.step()
    return (p - 1).square().sum()


def an_update_in_place(p: Tree) -> Tensor:
    w = p["a"].clone()
    (g,) = torch.autograd.grad((w * p["b"]).sin().sum(), w, create_graph=True)
    w.data.sub_(0.5 * g.data)
    return (w * p["b"]).square().sum()


def an_operator(p: Tree) -> Tensor:
    (g,) = torch.autograd.grad(wrong_cube(p["a"]).sum(), p["a"], create_graph=True)
    return (p["a"].sin() - 0.3 * g).square().sum()


def a_forward_derivative(p: Tree) -> Tensor:
    with torch.autograd.forward_ad.dual_level():
        dual = torch.autograd.forward_ad.make_dual(p["a"], randn(4, seed=1))
        out = FrozenForward.apply(dual).square().sum()
        return torch.autograd.forward_ad.unpack_dual(out).tangent


def detached_in_an_objective(p: Tree) -> Tensor:
    def objective(x: Tensor, a: Tensor) -> Tensor:
        return (x.sin() - a.detach()).square().sum()

    solution = torchopt.minimize(
        objective, p["b"], args=(p["a"],), solver=torchopt.sgd(0.2), steps=2
    )
    return (solution.params - p["a"]).square().sum()


def detached_outside(p: Tree) -> Tensor:
    solution = torchopt.minimize(
        lambda x, a: (x.sin() * a).sum(), p["b"], args=(p["a"],), solver=torchopt.sgd(0.2), steps=2
    )
    return (solution.params * p["a"].detach()).square().sum()


class Detaching(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x.sin().detach() * x


def detached_in_a_module(p: Tree) -> Tensor:
    solution = torchopt.minimize(
        lambda x, a: (x - Detaching()(a)).square().sum(),
        torch.zeros(4, dtype=torch.float64),
        args=(p["a"],),
        solver=torchopt.solver.LBFGS(),
    )
    return (solution.params * p["b"]).square().sum()


#: A program, what makes its gradient wrong, and what is named.
WRONG = [
    (detached_in_an_objective, "detach", "a.detach()"),
    (detached_outside, "detach", 'p["a"].detach()'),
    (detached_in_a_module, "detach", "x.sin().detach()"),
    (detached, "detach", "g.detach()"),
    (
        without_create_graph,
        "create_graph",
        'torch.autograd.grad((p["a"].sin() * p["a"]).sum(), p["a"])',
    ),
    (without_grad, "no_grad", "with torch.no_grad()"),
    (a_number, "number detach", 'float(p["a"]'),
    (momentum_of_torchs_differentiable_sgd, "detach", "optimizer.step()"),
    (an_update_in_place, "data", "w.data.sub_"),
    (an_operator, "operator function", "wrong_cube"),
    (a_forward_derivative, "function", "`FrozenForward`"),
]


@pytest.mark.parametrize(
    ("program", "kinds", "named"), WRONG, ids=lambda x: getattr(x, "__name__", x)
)
def test_what_makes_a_gradient_wrong_is_named_with_its_line(
    program: Any, kinds: str, named: str
) -> None:
    found = wrong(program, {"a": randn(4), "b": randn(4, seed=1)})
    leaf = "b" if program is an_update_in_place else "a"
    assert [r.name for r in found.directions if r.verdict == "wrong"][-1] == f"params['{leaf}']"
    (cause,) = found.causes
    assert cause.kind in kinds.split()
    assert named in cause.where
    assert not cause.advice.startswith("the library")


# What cannot be checked.


def test_programs_that_are_no_function_are_refused() -> None:
    net = make(nn.Linear(3, 1))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)

    def outer(p: Tensor) -> Tensor:
        optimizer.zero_grad()
        loss = (net(randn(4, 3)) * p).square().sum()
        loss.backward(retain_graph=True)
        optimizer.step()
        return (net(randn(4, 3)) * p).sum()

    with pytest.raises(ValueError, match="two evaluations at the same point"):
        check_meta_grad(outer, randn(1))


def test_what_does_not_depend_is_refused() -> None:
    other = randn(3).requires_grad_()
    with pytest.raises(ValueError, match="does not depend on `params`"):
        check_meta_grad(lambda p: other.square().sum(), randn(3))
    with pytest.raises(ValueError, match="is nan"):
        check_meta_grad(lambda p: (p - 1e3).log().sum(), randn(3))
    with pytest.raises(TypeError, match=r"params\['n'\]"):
        check_meta_grad(lambda p: p["x"].sum(), {"x": randn(3), "n": torch.arange(2)})
    with pytest.raises(ValueError, match="order"):
        check_meta_grad(lambda p: p.sum(), randn(3), order=0)


def test_what_pytorch_refuses_for_another_reason_is_raised() -> None:
    def outer(p: Tensor) -> Tensor:
        (g,) = torch.autograd.grad(checkpoint(torch.sin, p, use_reentrant=True).sum(), p)
        return (p - g).square().sum()

    with pytest.raises(RuntimeError, match="use_reentrant"):
        check_meta_grad(outer, randn(3))

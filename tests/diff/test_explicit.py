"""The explicit mode against closed forms, finite differences and itself by other roads."""

from __future__ import annotations

import functools

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torch.func import functional_call, grad, jvp, vmap

import torchopt
from _cases import covering
from _differences import assert_derivatives_are_differences
from torchopt.diff import Explicit

DTYPE = torch.float64
SOLVERS = {
    "sgd": lambda: torchopt.sgd(0.1),
    "momentum": lambda: torchopt.sgd(0.05, momentum=0.9, nesterov=True, weight_decay=0.1),
    "adam": lambda: torchopt.adam(0.05),
    "adamw": lambda: torchopt.adamw(0.05, amsgrad=True),
    "rmsprop": lambda: torchopt.rmsprop(0.02, centered=True, momentum=0.5),
    "adagrad": lambda: torchopt.adagrad(0.1, lr_decay=0.1),
    "adadelta": lambda: torchopt.adadelta(1.0),
    "adamax": lambda: torchopt.adamax(0.05),
    "radam": lambda: torchopt.radam(0.05),
    "clipped": lambda: torchopt.chain(torchopt.transform.clip_grad_norm(0.3), torchopt.adam(0.05)),
}


def randn(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(*shape, dtype=DTYPE, generator=torch.Generator().manual_seed(seed))


def quadratic(n: int = 4) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    root = randn(n, n)
    return root @ root.T / n + 0.3 * torch.eye(n, dtype=DTYPE), randn(n, seed=1), randn(n, seed=2)


def bowl(x: torch.Tensor, hessian: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    return 0.5 * (x - target) @ hessian @ (x - target)


@pytest.mark.parametrize("memory", ["graph", "step"])
@pytest.mark.parametrize("steps", [0, 1, 7])
def test_jacobians_of_gradient_descent_on_a_quadratic_are_the_closed_form(
    memory: str, steps: int
) -> None:
    hessian, target, start = quadratic()
    lr = 0.2
    transition = torch.eye(4, dtype=DTYPE) - lr * hessian
    power = torch.linalg.matrix_power(transition, steps)

    def solve(start: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        return torchopt.minimize(
            bowl,
            start,
            (hessian, target),
            solver=torchopt.sgd(lr),
            steps=steps,
            diff=Explicit(memory=memory),
        ).params

    torch.testing.assert_close(solve(start, target), target + power @ (start - target))
    by_start, by_target = torch.autograd.functional.jacobian(solve, (start, target))
    torch.testing.assert_close(by_start, power, rtol=1e-12, atol=1e-12)
    expected = torch.eye(4, dtype=DTYPE) - power
    torch.testing.assert_close(by_target, expected, rtol=1e-12, atol=1e-12)


def test_derivative_by_the_learning_rate_is_the_closed_form() -> None:
    hessian, target, start = quadratic()
    lr = torch.tensor(0.2, dtype=DTYPE, requires_grad=True)
    steps, cotangent = 5, randn(4, seed=3)
    solution = torchopt.minimize(
        bowl, start, (hessian, target), solver=torchopt.sgd(lr), steps=steps
    )
    (found,) = torch.autograd.grad(solution.params @ cotangent, lr)
    transition = torch.eye(4, dtype=DTYPE) - lr.detach() * hessian
    derivative = -steps * torch.linalg.matrix_power(transition, steps - 1) @ hessian
    torch.testing.assert_close(found, cotangent @ derivative @ (start - target))


@pytest.mark.parametrize(("name", "memory"), covering([*SOLVERS], ["graph", "step"]))
def test_meta_gradient_equals_finite_differences_to_second_order(name: str, memory: str) -> None:
    x, y = randn(6, 3), randn(6, seed=1)

    def outer(start: torch.Tensor, phi: torch.Tensor) -> torch.Tensor:
        def inner(p: dict[str, torch.Tensor], phi: torch.Tensor) -> torch.Tensor:
            return ((torch.tanh(x @ p["w"]) - y) ** 2).mean() + phi.exp() * (p["w"] ** 2).sum()

        solution = torchopt.minimize(
            inner,
            {"w": start},
            (phi,),
            solver=SOLVERS[name](),
            steps=3,
            diff=Explicit(memory=memory),
        )
        return (torch.tanh(x @ solution.params["w"]) + y).pow(2).mean()

    inputs = (randn(3, seed=5), torch.tensor(-1.0, dtype=DTYPE))
    assert_derivatives_are_differences(outer, inputs)


class Task:
    """A few-shot regression task of an MLP, and MAML's meta-gradient by several roads."""

    def __init__(self, module: nn.Module | None = None) -> None:
        torch.manual_seed(0)
        self.net = (
            nn.Sequential(nn.Linear(3, 5), nn.Tanh(), nn.Linear(5, 2)) if module is None else module
        ).to(DTYPE)
        self.fmodel = functools.partial(torchopt.nn.functional_call, self.net)
        self.params = tuple(self.net.parameters())
        self.x, self.y = randn(2, 6, 3), randn(2, 6, 2, seed=1)
        self.query = self.x + 0.1

    def loss(
        self, params: tuple[torch.Tensor, ...], x: torch.Tensor, y: torch.Tensor
    ) -> torch.Tensor:
        return F.mse_loss(self.fmodel(params, x), y)

    def outer(
        self, params: tuple[torch.Tensor, ...], x: torch.Tensor, y: torch.Tensor, diff: Explicit
    ) -> torch.Tensor:
        solution = torchopt.minimize(
            self.loss, params, (x, y), solver=torchopt.adam(0.05), steps=3, diff=diff
        )
        return self.loss(solution.params, x + 0.1, y)

    def loop(self, params: tuple[torch.Tensor, ...], diff: Explicit) -> torch.Tensor:
        losses = [self.outer(params, x, y, diff) for x, y in zip(self.x, self.y, strict=True)]
        return torch.stack(losses).mean()

    def batched(self, params: tuple[torch.Tensor, ...], diff: Explicit) -> torch.Tensor:
        return vmap(lambda x, y: self.outer(params, x, y, diff))(self.x, self.y).mean()

    def leaves(self) -> tuple[torch.Tensor, ...]:
        return tuple(p.detach().requires_grad_() for p in self.params)

    def by_hand(self) -> list[torch.Tensor]:
        """Adam written out again, with plain operations and functional_call."""
        start = dict(zip(dict(self.net.named_parameters()), self.leaves(), strict=True))
        total = torch.zeros((), dtype=DTYPE)
        for x, y in zip(self.x, self.y, strict=True):
            params = start
            mu = {k: torch.zeros_like(p) for k, p in params.items()}
            nu = {k: torch.zeros_like(p) for k, p in params.items()}
            for t in range(1, 4):
                loss = F.mse_loss(functional_call(self.net, params, (x,)), y)
                grads = torch.autograd.grad(loss, list(params.values()), create_graph=True)
                stepped = {}
                for (k, p), g in zip(params.items(), grads, strict=True):
                    mu[k] = 0.9 * mu[k] + 0.1 * g
                    nu[k] = 0.999 * nu[k] + 0.001 * g**2
                    denominator = (nu[k] / (1 - 0.999**t)).sqrt() + 1e-8
                    stepped[k] = p - 0.05 * mu[k] / (1 - 0.9**t) / denominator
                params = stepped
            query = functional_call(self.net, params, (x + 0.1,))
            total = total + F.mse_loss(query, y) / len(self.x)
        return list(torch.autograd.grad(total, list(start.values())))


def roads(task: Task) -> dict[str, object]:
    graph, step = Explicit(), Explicit(memory="step")
    constants = tuple(p.detach() for p in task.params)

    def eager(run: object, diff: Explicit) -> list[torch.Tensor]:
        params = task.leaves()
        return list(torch.autograd.grad(run(params, diff), params))  # type: ignore[operator]

    def per_task(diff: Explicit) -> list[torch.Tensor]:
        each = vmap(grad(lambda p, x, y: task.outer(p, x, y, diff)), in_dims=(None, 0, 0))
        return [g.mean(0) for g in each(constants, task.x, task.y)]

    def object_oriented() -> list[torch.Tensor]:
        net = task.net
        meta_params = list(net.parameters())
        optimizer = torchopt.MetaAdam(net, lr=0.05)
        start = torchopt.extract_state_dict(net)
        fresh = torchopt.extract_state_dict(optimizer)
        total = torch.zeros((), dtype=DTYPE)
        for x, y in zip(task.x, task.y, strict=True):
            for _ in range(3):
                optimizer.step(F.mse_loss(net(x), y))
            total = total + F.mse_loss(net(x + 0.1), y) / len(task.x)
            torchopt.recover_state_dict(net, start)
            torchopt.recover_state_dict(optimizer, fresh)
        return list(torch.autograd.grad(total, meta_params))

    def compiled() -> list[torch.Tensor]:
        function = grad(lambda p: task.batched(p, graph))
        return list(torch.compile(function, fullgraph=True, backend="eager")(constants))

    return {
        "loop, step": lambda: eager(task.loop, step),
        "autograd over vmap": lambda: eager(task.batched, graph),
        "autograd over vmap, step": lambda: eager(task.batched, step),
        "grad of vmap": lambda: list(grad(lambda p: task.batched(p, graph))(constants)),
        "grad of vmap, step": lambda: list(grad(lambda p: task.batched(p, step))(constants)),
        "vmap of grad": lambda: per_task(graph),
        "vmap of grad, step": lambda: per_task(step),
        "object-oriented": object_oriented,
        "compiled vmap": compiled,
    }


@pytest.mark.parametrize(
    "road",
    [  # the fast tests have a compiled road in meta/test_compiled_steps.py
        pytest.param(r, marks=[pytest.mark.slow, pytest.mark.compiled] if "compiled" in r else ())
        for r in roads(Task())
    ],
)
def test_meta_gradient_of_maml_is_the_same_by_every_road(road: str) -> None:
    task = Task()
    expected = task.by_hand()
    for found, value in zip(roads(task)[road](), expected, strict=True):  # type: ignore[operator]
        torch.testing.assert_close(found, value, rtol=1e-10, atol=1e-13)


@pytest.mark.parametrize("memory", ["graph", "step"])
def test_forward_mode_agrees_with_reverse_mode(memory: str) -> None:
    task = Task()
    diff = Explicit(memory=memory)
    constants = tuple(p.detach() for p in task.params)
    tangents = tuple(randn(*p.shape, seed=9) for p in constants)
    _, directional = jvp(lambda *p: task.batched(p, diff), constants, tangents)
    expected = sum((g * v).sum() for g, v in zip(task.by_hand(), tangents, strict=True))
    torch.testing.assert_close(directional, expected)


@pytest.mark.parametrize("last", [2, 6, 9])
def test_truncation_cuts_the_graph_before_the_last_steps(last: int) -> None:
    hessian, target, start = quadratic()
    lr, steps, cotangent = 0.2, 6, randn(4, seed=3)

    def solve(start: torch.Tensor, target: torch.Tensor, diff: Explicit) -> torch.Tensor:
        return torchopt.minimize(
            bowl, start, (hessian, target), solver=torchopt.sgd(lr), steps=steps, diff=diff
        ).params

    whole = solve(start, target, Explicit())
    power = torch.linalg.matrix_power(torch.eye(4, dtype=DTYPE) - lr * hessian, min(last, steps))
    start.requires_grad_(), target.requires_grad_()
    found = solve(start, target, Explicit(truncate=last))
    assert torch.equal(found, whole)
    by_start, by_target = torch.autograd.grad(found @ cotangent, (start, target), allow_unused=True)
    if last < steps:
        assert by_start is None
    else:
        torch.testing.assert_close(by_start, cotangent @ power)
    torch.testing.assert_close(by_target, cotangent - cotangent @ power)
    functional = grad(lambda t: solve(start.detach(), t, Explicit(truncate=last)) @ cotangent)
    torch.testing.assert_close(functional(target.detach()), by_target)


@pytest.mark.parametrize("batched", [False, True])
def test_first_order_leaves_out_second_derivatives(batched: bool) -> None:
    hessian, target, start = quadratic()
    diff = Explicit(first_order=True)

    def outer(start: torch.Tensor, lr: torch.Tensor) -> torch.Tensor:
        return torchopt.minimize(
            bowl, start, (hessian, target), solver=torchopt.sgd(lr), steps=3, diff=diff
        ).params

    lr = torch.tensor(0.2, dtype=DTYPE)
    cotangent = randn(4, seed=3)
    by_start, by_lr = (
        grad(lambda s, r: outer(s, r) @ cotangent, argnums=(0, 1))(start, lr)
        if batched
        else torch.autograd.grad(
            outer(s := start.clone().requires_grad_(), r := lr.clone().requires_grad_())
            @ cotangent,
            (s, r),
        )
    )
    torch.testing.assert_close(by_start, cotangent)
    # Constants as they are, the gradients still multiply the learning rate.
    x, total = start, torch.zeros(4, dtype=DTYPE)
    for _ in range(3):
        g = hessian @ (x - target)
        total, x = total - g, x - lr * g
    torch.testing.assert_close(by_lr, total @ cotangent)


def test_reading_the_start_also_by_another_way_is_another_variable() -> None:
    """The proximal term of implicit MAML: its centre is the starting point itself."""
    phi = randn(3).requires_grad_()
    target = randn(3, seed=1)

    def inner(x: torch.Tensor, centre: torch.Tensor) -> torch.Tensor:
        return 0.5 * (x - target).pow(2).sum() + x @ centre

    solution = torchopt.minimize(inner, phi, (phi,), solver=torchopt.sgd(0.1), steps=1)
    torch.testing.assert_close(solution.params, phi - 0.1 * (phi - target + phi))
    (found,) = torch.autograd.grad(solution.params.sum(), phi)
    torch.testing.assert_close(found, torch.full((3,), 1 - 0.1 - 0.1, dtype=DTYPE))


NORMALIZATIONS = {
    "batch norm": lambda: nn.BatchNorm1d(4, track_running_stats=False),
    "instance norm": lambda: nn.InstanceNorm1d(4, affine=True),
    "layer norm": lambda: nn.LayerNorm((4, 5)),
    "group norm": lambda: nn.GroupNorm(2, 4),
    "rms norm": lambda: nn.RMSNorm((4, 5)),
}


@pytest.mark.parametrize("memory", ["graph", "step"])
@pytest.mark.parametrize("name", NORMALIZATIONS)
def test_normalizations_are_right_under_vmap(name: str, memory: str) -> None:
    """PyTorch's double backward of three of them is silently wrong with per-task weights."""
    torch.manual_seed(0)
    net = nn.Sequential(nn.Conv1d(3, 4, 3, padding=1), NORMALIZATIONS[name]()).to(DTYPE)
    fmodel = functools.partial(torchopt.nn.functional_call, net)
    params = tuple(
        p.detach() + 0.3 * randn(*p.shape, seed=i) for i, p in enumerate(net.parameters())
    )
    tangents = tuple(randn(*p.shape, seed=9 + i) for i, p in enumerate(params))
    x = randn(3, 6, 3, 5)

    def outer(*params: torch.Tensor) -> torch.Tensor:
        def one(x: torch.Tensor) -> torch.Tensor:
            solution = torchopt.minimize(
                lambda p: fmodel(p, x).tanh().pow(2).mean(),
                params,
                solver=torchopt.sgd(0.5),
                steps=2,
                diff=Explicit(memory=memory),
            )
            return fmodel(solution.params, x).sin().mean()

        return vmap(one)(x).sum()

    eps = 1e-6
    ahead = outer(*(p + eps * v for p, v in zip(params, tangents, strict=True)))
    behind = outer(*(p - eps * v for p, v in zip(params, tangents, strict=True)))
    found = grad(outer, argnums=tuple(range(len(params))))(*params)
    slope = sum((g * v).sum() for g, v in zip(found, tangents, strict=True))
    torch.testing.assert_close(slope, (ahead - behind) / (2 * eps), rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize(("memory", "batched"), covering(["graph", "step"], [False, True]))
def test_weight_normalization_is_right(memory: str, batched: bool) -> None:
    """PyTorch's double backward of it is silently wrong, with and without vmap."""
    torch.manual_seed(0)
    layer = nn.utils.parametrizations.weight_norm(nn.Linear(3, 2))
    net = nn.Sequential(layer, nn.Tanh(), nn.Linear(2, 1)).to(DTYPE)
    fmodel = functools.partial(torchopt.nn.functional_call, net)
    params = tuple(net.parameters())
    x = randn(2, 5, 3)

    def outer(*params: torch.Tensor) -> torch.Tensor:
        def one(x: torch.Tensor) -> torch.Tensor:
            solution = torchopt.minimize(
                lambda p: fmodel(p, x).pow(2).mean(),
                params,
                solver=torchopt.sgd(0.5),
                steps=2,
                diff=Explicit(memory=memory),
            )
            return fmodel(solution.params, x).sin().sum()

        return vmap(one)(x).sum() if batched else one(x[0]) + one(x[1])

    assert_derivatives_are_differences(outer, params, second=False)


@pytest.mark.parametrize("memory", ["graph", "step"])
def test_a_batch_is_asked_for_once_a_step(memory: str) -> None:
    """Also where a step is computed again, and where the batch depends on an outer variable."""
    phi = torch.tensor(0.7, dtype=DTYPE)
    data = randn(4, 3)

    def outer(phi: torch.Tensor) -> torch.Tensor:
        stream = iter(data)
        return torchopt.minimize(
            lambda p, batch: (p * batch).sin().sum() + p.pow(2).sum(),
            torch.ones(3, dtype=DTYPE),
            solver=torchopt.adam(0.1),
            steps=4,
            batches=lambda step: phi * next(stream),
            diff=Explicit(memory=memory),
        ).params.sum()

    assert torch.autograd.gradcheck(outer, (phi.clone().requires_grad_(),))
    (expected,) = torch.autograd.grad(outer(leaf := phi.clone().requires_grad_()), leaf)
    torch.testing.assert_close(grad(outer)(phi), expected)


def test_first_order_is_first_order_in_forward_mode_too() -> None:
    with torch.autograd.forward_ad.dual_level():
        target = torch.autograd.forward_ad.make_dual(torch.tensor(2.0), torch.tensor(1.0))
        solution = torchopt.minimize(
            lambda p: (p - target) ** 2,
            torch.tensor(0.0),
            solver=torchopt.sgd(0.1),
            steps=2,
            diff=Explicit(first_order=True),
        )
        tangent = torch.autograd.forward_ad.unpack_dual(solution.params).tangent
    assert tangent is None or tangent.item() == 0.0

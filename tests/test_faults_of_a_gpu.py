"""What has failed on a GPU, each as a program whose derivative has a closed form, or is one by hand.

``TORCHOPT_TEST_DEVICE`` names the device. ``make test-device`` runs them all on the one that is as a
GPU: backward passes run in its thread, tensors and generators of two devices do not mix.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.func import functional_call

import torchopt
from torchopt import diff
from torchopt.autodiff.edges import now
from torchopt.autodiff.graph import nodes_reached
from torchopt.multilevel import Engine, EngineConfig, Problem

F64 = torch.float64


def numbers(size: int = 3) -> Tensor:
    return torch.linspace(0.2, 0.9, size, dtype=F64)


def parameter(value: float | None = None) -> Tensor:
    made = numbers() if value is None else torch.tensor(value, dtype=F64)
    return made.requires_grad_()


def squares(x: Tensor, a: Tensor) -> Tensor:
    return (x - a).square().sum()


def solver_of_the_user() -> Any:
    def train(x: Tensor, a: Tensor) -> Tensor:
        x = x.detach().clone().requires_grad_()
        optimizer = torch.optim.SGD([x], 0.5)
        optimizer.zero_grad()
        squares(x, a.detach()).backward()
        optimizer.step()
        return x.detach()

    a = parameter()
    x = torchopt.minimize(squares, numbers() * 2, (a,), solver=train, diff=diff.Implicit()).params
    return torch.autograd.grad(x.square().sum(), a)[0], 2 * a


def within_a_set() -> Any:
    a, line = parameter(), torchopt.Constraints(equality=lambda x, a: x.sum())
    x = torchopt.minimize(squares, numbers(), (a,), subject_to=line).params
    weights = numbers() ** 2
    return torch.autograd.grad((weights * x).sum(), a)[0], weights - weights.mean()


def constraints_by_scipy() -> Any:
    pytest.importorskip("scipy", reason="scipy is optional")
    a, line = parameter(), torchopt.Constraints(equality=lambda x, a: x.sum() - 1)
    scipy = torchopt.solver.SciPy()
    x = torchopt.minimize(squares, numbers(), (a,), subject_to=line, solver=scipy).params
    weights = numbers() ** 2
    return torch.autograd.grad((weights * x).sum(), a)[0], weights - weights.mean()


def functional_imaml() -> Any:
    def objective(x: Any, prior: Any, data: Tensor) -> Tensor:
        return squares(x[0], data) + 3 * squares(x[0], prior[0])

    @diff.implicit.custom_root(torch.func.grad(objective, argnums=0), argnums=1)
    def train(x: Any, prior: Any, data: Tensor) -> Any:
        with torch.enable_grad():
            x = [x[0].detach().requires_grad_()]
            for _ in range(60):
                (slope,) = torch.autograd.grad(objective(x, prior, data), x)
                x = [(x[0] - 0.1 * slope).detach().requires_grad_()]
        return x

    a = parameter()
    (x,) = train([a.detach().clone()], [a], numbers() ** 2)
    return torch.autograd.grad(x.sum(), a)[0], torch.full_like(a, 3 / 4)


def hooks() -> Any:
    seen: list[Tensor] = []

    def objective(x: Tensor, a: Tensor) -> Tensor:
        y = x - a
        y.register_hook(seen.append)
        return y.square().sum() / 2

    a, start = parameter(), numbers() * 2
    sgd = torchopt.sgd(0.5)
    x = torchopt.minimize(objective, start, (a,), solver=sgd, steps=2, diff=diff.Explicit("step"))
    found = torch.autograd.grad(x.params.sum(), a)[0]
    assert seen
    torch.testing.assert_close(seen[0].detach(), start - a.detach())
    return found, torch.full_like(a, 3 / 4)


def checkpointed_activations() -> Any:
    def objective(x: Tensor, a: Tensor) -> Tensor:
        y = torch.utils.checkpoint.checkpoint(torch.exp, x, use_reentrant=False)
        return (y - a * x).sum()

    a = parameter(1.7)
    newton = torchopt.solver.Newton()
    x = torchopt.minimize(objective, numbers(), (a,), solver=newton, diff=diff.Implicit()).params
    return torch.autograd.grad(x.sum(), a)[0], 3 / a  # x = log a


def tensors_saved_elsewhere() -> Any:
    a = parameter(1.7)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t.cpu(), lambda t: t.to(a.device)):
        x = torchopt.minimize(
            lambda x, a: (x.exp() - a * x).sum(),
            numbers(),
            (a,),
            solver=torchopt.solver.Newton(),
            diff=diff.Implicit(),
        ).params
        return torch.autograd.grad(x.sum(), a)[0], 3 / a


def explicit_inside_implicit() -> Any:
    def objective(x: Tensor, a: Tensor) -> Tensor:
        inner = torchopt.minimize(
            squares, numbers(), (x,), solver=torchopt.sgd(0.5), steps=1, diff=diff.Explicit("step")
        )
        return squares(inner.params, a)  # one step finds x

    a = parameter()
    newton = torchopt.solver.Newton()
    x = torchopt.minimize(
        objective, numbers() * 2, (a,), solver=newton, diff=diff.Implicit()
    ).params
    return torch.autograd.grad(x.square().sum(), a)[0], 2 * a


def dropout_by_hand(x: Tensor, a: Tensor, seed: int) -> Tensor:
    """Return two steps on a loss with dropout, by plain PyTorch."""
    torch.manual_seed(seed)
    for _ in range(2):
        kept = F.dropout(torch.ones_like(x), 0.5)
        x = x - 0.1 * 2 * kept * (kept * x - a)
    return x


def with_dropout(x: Tensor, a: Tensor) -> Tensor:
    return squares(F.dropout(x, 0.5), a)


def dropout_in_steps_computed_again() -> Any:
    start = numbers()

    def adapted(a: Tensor) -> Tensor:
        torch.manual_seed(3)
        return (
            torchopt.minimize(
                with_dropout,
                start,
                (a,),
                solver=torchopt.sgd(0.1),
                steps=2,
                diff=diff.Explicit("step"),
            )
            .params.pow(2)
            .sum()
        )

    def by_hand(a: Tensor) -> Tensor:
        return dropout_by_hand(start, a, 3).pow(2).sum()

    expected = torch.func.grad(by_hand)(numbers())
    a = parameter()
    found = torch.autograd.grad(adapted(a), a)[0]
    torch.testing.assert_close(
        torch.func.grad(adapted)(numbers()), expected
    )  # inside torch.func, too
    return found, expected


def dropout_of_a_batch() -> Any:
    start = numbers(40)

    def task(a: Tensor) -> Tensor:
        return torchopt.minimize(
            with_dropout, start, (a,), solver=torchopt.sgd(0.1), steps=2, diff=diff.Explicit("step")
        ).params

    # A step takes 0.8 of a number that it keeps, and adds 0.4 a: the replay must keep the same ones.
    a = torch.zeros(2, dtype=F64, requires_grad=True)
    out = torch.func.vmap(task, randomness="different")(a)
    assert not torch.equal(out[0], out[1])
    left = (out / start).detach()  # 1, 0.2 or 0.04
    once, twice = (left - 0.2).abs() < 0.1, left < 0.1
    slopes = torch.autograd.grad(out.sum(), a)[0]
    return slopes, (0.4 * once + 0.48 * twice).sum(1).to(F64)


def estimates() -> Any:
    weights = numbers() ** 2
    found: list[Tensor] = []
    expected: list[Tensor] = []
    guided = diff.zero_order.Guided(subspace=torch.eye(1, 3, dtype=F64), num_samples=4)
    for estimator in (diff.zero_order.Coordinate(), guided):
        for device, gradients in ((weights.device, found), (torch.device("cpu"), expected)):
            x, w = numbers().to(device).requires_grad_(), weights.to(device)
            value = diff.ZeroOrder(estimator, generator=0)(lambda x, w=w: (w * x).sum())(x)
            gradients.append(torch.autograd.grad(value, x)[0].to(weights.device))
    torch.testing.assert_close(found[0], weights)  # of a linear function, along each axis
    return found[1], expected[1]  # a seed has the same directions on each device


def noise_with_a_learned_decay() -> Any:
    gamma, g = parameter(0.7), numbers()
    tx = torchopt.transform.add_noise(0.3, gamma)
    _, state = tx.update(g, tx.init(g), inplace=False)
    updates, _ = tx.update(g, state, inplace=False)
    slope = -torch.tensor(2.0, dtype=F64).log() / 2 * (updates - g).detach()
    return torch.autograd.grad(updates.sum(), gamma)[0], slope.sum()


def a_memory_format() -> Any:
    x = torch.linspace(-1, 1, 2 * 3 * 4 * 5, dtype=F64).view(2, 3, 4, 5)
    w = torch.linspace(-1, 1, 4 * 3 * 2 * 2, dtype=F64).view(4, 3, 2, 2)

    def loss(w: Tensor, a: Tensor, x: Tensor = x) -> Tensor:
        return (a * F.conv2d(x, w).tanh()).square().mean()

    a = parameter(1.3)
    b = w
    for _ in range(2):
        b = b - 0.3 * torch.autograd.grad(loss(b.requires_grad_(), a), b, create_graph=True)[0]
    expected = torch.autograd.grad(b.square().sum(), a)[0]
    nhwc = {"memory_format": torch.channels_last}
    found = torchopt.minimize(
        lambda w, a: loss(w, a, x.contiguous(**nhwc)),
        w.detach().contiguous(**nhwc),
        (a,),
        solver=torchopt.sgd(0.3),
        steps=2,
        diff=diff.Explicit("step"),
    ).params
    return torch.autograd.grad(found.square().sum(), a)[0], expected


def recurrent_layers() -> Any:
    torch.manual_seed(0)
    net, x = nn.LSTM(3, 4, device="cpu", dtype=F64), numbers(30).view(5, 2, 3)

    def loss(params: Any, a: Tensor) -> Tensor:
        out = functional_call(net, params, (x.to(a.device),))[0]
        return (a * out).square().mean() + a * sum(p.square().mean() for p in params.values())

    def size(params: dict[str, Tensor]) -> Tensor:
        return torch.stack([p.square().sum() for p in params.values()]).sum()

    plain = {k: p.detach().requires_grad_() for k, p in net.named_parameters()}
    start = {k: p.detach().to(x.device) for k, p in plain.items()}
    a = torch.tensor(1.3, dtype=F64, device="cpu", requires_grad=True)
    stepped = plain
    for _ in range(2):
        slopes = torch.autograd.grad(loss(stepped, a), [*stepped.values()], create_graph=True)
        stepped = {k: p - 0.3 * g for (k, p), g in zip(stepped.items(), slopes, strict=True)}
    expected = torch.autograd.grad(size(stepped), a)[0]
    a = parameter(1.3)
    for mode in (diff.Explicit(), diff.Explicit("step")):
        solution = torchopt.minimize(
            loss, start, (a,), solver=torchopt.sgd(0.3), steps=2, diff=mode
        ).params
        found = torch.autograd.grad(size(solution), a)[0]
        torch.testing.assert_close(found, expected.to(found.device))
    return found, expected.to(found.device)


FAULTS: dict[str, Callable[[], Any]] = {
    "a solver of the user, by torch.optim": solver_of_the_user,
    "subject_to": within_a_set,
    "constraints by SciPy": constraints_by_scipy,
    "functional iMAML": functional_imaml,
    "hooks": hooks,
    "checkpointed activations": checkpointed_activations,
    "hooks of saved tensors": tensors_saved_elsewhere,
    "an explicit problem inside of an implicit one": explicit_inside_implicit,
    "dropout in steps that are computed again": dropout_in_steps_computed_again,
    "dropout of a batch": dropout_of_a_batch,
    "Guided, Coordinate": estimates,
    "add_noise": noise_with_a_learned_decay,
    "a memory format": a_memory_format,
    "recurrent layers, of which cuDNN's have no second derivative": recurrent_layers,
}


@pytest.mark.parametrize("fault", FAULTS)
def test_what_failed_on_a_gpu_is_right(fault: str) -> None:
    found, expected = FAULTS[fault]()
    torch.testing.assert_close(found, expected.detach(), rtol=1e-6, atol=1e-9)


class WithPenalty(Problem):
    """Squares, and the slope of the squares, whose graph the problem makes itself."""

    def training_step(self, batch: Any) -> Tensor:
        value = self.module(numbers()).square().sum()
        (slope,) = torch.autograd.grad(value, [*self.module.parameters()], create_graph=True)
        self.made: Tensor = slope.square().sum() + value
        return self.made


def of_an_engine() -> Tensor:
    module = nn.Linear(3, 2, bias=False).to(F64)
    problem = WithPenalty("penalized", None, module, torch.optim.SGD(module.parameters(), 0.1))
    Engine([problem], EngineConfig(train_iters=1)).run()
    return problem.made


def of_steps() -> Tensor:
    a = parameter()
    return torchopt.minimize(squares, numbers(), (a,), solver=torchopt.sgd(0.1), steps=3).params


@pytest.mark.parametrize("made", [of_steps, of_an_engine])
def test_the_order_of_sums_does_not_depend_on_what_came_before(made: Callable[[], Tensor]) -> None:
    """Autograd adds up by the numbers of nodes, which the thread of a device counts for itself."""
    before = now()
    x = made()
    after = now()
    others = [
        node for node in nodes_reached([x]) if node.name() != "torch::autograd::AccumulateGrad"
    ]
    assert len(others) > 10
    assert all(before < node._sequence_nr() < after for node in others)

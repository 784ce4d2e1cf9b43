"""What the published engine gets wrong, one test each."""

from __future__ import annotations

import copy
from typing import Any

import pytest
import torch
from _toys import BILEVEL, TYPES, Inner, Outer, call, data, flat, net, reweight, run, tensors, typed
from torch import nn

import torchopt
from _cases import diagonal
from torchopt.multilevel import Config, Engine, EngineConfig, Problem

DIRECT_TYPES = [kind for kind in TYPES if kind != "zero_order"]


def exact(engine: Engine, inner: type[Problem] = Inner) -> dict[str, Any]:
    """Return the parts of the true derivatives at the present point, by autograd, densely."""
    low, top = engine.inner, engine.outer
    theta = [p.detach().clone().requires_grad_() for p in low.trainable_parameters()]
    phi = [p.detach().clone().requires_grad_() for p in top.trainable_parameters()]
    x, y = low.train_data_loader[(low.count - 1) % len(low.train_data_loader)]
    losses = (call(low.module, theta, x) - y).square()
    loss = (torch.sigmoid(call(top.module, phi, losses.detach())) * losses).mean()
    g = torch.autograd.grad(loss, theta, create_graph=True)
    g = torch.cat([t.flatten() for t in g])
    rows = [torch.autograd.grad(e, [*theta, *phi], retain_graph=True) for e in g]
    H = torch.stack([flat(r[: len(theta)]) for r in rows])
    M = torch.stack([flat(r[len(theta) :]) for r in rows])
    x, y = top.train_data_loader[top.count % len(top.train_data_loader)]
    v = flat(torch.autograd.grad((call(low.module, theta, x) - y).square().mean(), theta))
    return {"H": H, "M": M, "v": v}


def estimate(parts: dict[str, Any], kind: str, lr: float = 0.1) -> torch.Tensor:
    H, M, v = parts["H"], parts["M"], parts["v"]
    if kind == "cg":
        return -torch.linalg.solve(H, v) @ M
    if kind == "neumann":  # three further terms, alpha one half
        terms = [v]
        for _ in range(3):
            terms.append(terms[-1] - 0.5 * H @ terms[-1])
        return -0.5 * sum(terms) @ M
    return -lr * v @ M


class TwoLayers(nn.Sequential):
    """A linear model, so that the Hessian is positive."""

    def __init__(self) -> None:
        torch.manual_seed(5)
        super().__init__(nn.Linear(3, 1))
        self.double()


@pytest.mark.parametrize("kind", ["darts", "sama", "neumann", "cg"])
def test_a_loss_with_detach_has_the_exact_hypergradient(kind: str) -> None:
    config = typed(kind, cg_iterations=50, neumann_iterations=3, neumann_alpha=0.5)
    engine = run(reweight(config, module=TwoLayers()), 2)
    grads, _ = engine.hypergradient("outer")
    torch.testing.assert_close(flat(grads), estimate(exact(engine), kind), rtol=1e-6, atol=1e-8)


class Quadratic(Problem):
    """``½ aᵀ(w - φ)²``: its Hessian is the diagonal of a."""

    def training_step(self, batch: Any) -> torch.Tensor:
        return (batch * (self.params - self.outer.params).square()).sum() / 2


class Target(Problem):
    def training_step(self, batch: Any) -> torch.Tensor:
        return (self.inner.params - batch).square().sum() / 2


def quadratic(config: Config, curvature: torch.Tensor, lr: float = 0.1, **kwargs: Any) -> Engine:
    w = torch.tensor([0.3, -1.0, 2.0], dtype=torch.float64, requires_grad=True)
    phi = torch.tensor([1.0, 0.5, -0.7], dtype=torch.float64, requires_grad=True)
    goal = torch.tensor([-2.0, 1.0, 0.4], dtype=torch.float64)
    make = kwargs.get("optimizer", lambda p: torch.optim.SGD(p, lr))
    inner = Quadratic("inner", config, optimizer=make([w]), params=w, train_data_loader=[curvature])
    outer = Target(
        "outer", optimizer=torch.optim.SGD([phi], 1.0), params=phi, train_data_loader=[goal]
    )
    return Engine([inner, outer], EngineConfig(), BILEVEL)


@pytest.mark.parametrize("kind", DIRECT_TYPES)
def test_modes_agree_where_the_hessian_is_one_over_the_learning_rate(kind: str) -> None:
    """One scale: there one step solves the problem, and all modes are exact."""
    engine = quadratic(
        typed(type=kind, neumann_alpha=0.1), torch.full((3,), 10.0, dtype=torch.float64)
    )
    start = engine.outer.params.detach().clone()
    run(engine, 1)
    assert torch.allclose(engine.inner.params, start)
    moved = start - engine.outer.params.detach()
    torch.testing.assert_close(moved, start - engine.outer.train_data_loader[0])


def test_zero_order_is_on_the_same_scale() -> None:
    mode = torchopt.diff.ZeroOrder(torchopt.diff.zero_order.Coordinate(sigma=0.01))
    engine = quadratic(Config(diff=mode), torch.full((3,), 10.0, dtype=torch.float64))
    start = engine.outer.params.detach().clone()
    run(engine, 1)
    moved = start - engine.outer.params.detach()
    torch.testing.assert_close(
        moved, start - engine.outer.train_data_loader[0], rtol=0.1, atol=0.15
    )


def test_a_residual_that_reaches_zero_ends_the_iterations() -> None:
    """One iteration solves it; the rest must not divide zero by zero."""
    engine = run(
        quadratic(typed(type="cg", cg_iterations=20), torch.full((3,), 2.0, dtype=torch.float64)), 1
    )
    (found,), _ = engine.hypergradient("outer")
    truth = engine.inner.params.detach() - engine.outer.train_data_loader[0]
    torch.testing.assert_close(found, truth, rtol=1e-10, atol=1e-12)


class DropOut(Inner):
    """Counts how its masks differ."""

    def training_step(self, batch: Any) -> Any:
        x, y = batch
        losses = (
            nn.functional.dropout(x, 0.5, self.module.training) @ self.module.weight.T - y
        ) ** 2
        return (torch.sigmoid(self.outer(losses.detach())) * losses).mean()


@pytest.mark.parametrize("kind", ["darts", "sama", "neumann", "cg"])
def test_dropout_is_replayed(kind: str) -> None:
    """With one mask for all evaluations, the finite difference equals the exact product."""
    torch.manual_seed(0)
    linear = nn.Linear(3, 1, bias=False).double()
    config = typed(type=kind, cg_iterations=40, neumann_alpha=0.5, neumann_iterations=3)
    engine = run(reweight(config, inner=DropOut, module=linear), 1)
    torch.manual_seed(7)
    state = torch.get_rng_state()
    grads, _ = engine.hypergradient("outer")
    assert torch.equal(torch.get_rng_state(), state)
    mask = nn.functional.dropout(torch.ones(5, 3, dtype=torch.float64), 0.5)
    low = engine.inner
    x, y = low.train_data_loader[0]
    low.train_data_loader[0] = x * mask, y
    parts = exact(engine)
    low.train_data_loader[0] = x, y
    truth = estimate(parts, kind)
    torch.testing.assert_close(flat(grads), truth, rtol=1e-6, atol=1e-8)


def batch_normed() -> nn.Module:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Tanh(), nn.Linear(4, 1)).double()


@pytest.mark.parametrize("kind", TYPES)
def test_batch_norm_counts_one_evaluation_per_step(kind: str) -> None:
    """The statistics are those of the evaluations that trained, in their order."""
    seen: list[torch.Tensor] = []

    class Watched(Inner):
        def training_step(self, batch: Any) -> Any:
            seen.append(batch[0])
            return super().training_step(batch)

    class Watching(Outer):
        def training_step(self, batch: Any) -> Any:
            seen.append(batch[0])
            return super().training_step(batch)

    steps = 2 if kind in ("unroll", "zero_order") else 1
    config = typed(type=kind, unroll_steps=steps, neumann_alpha=0.1)
    engine = reweight(config, inner=Watched, outer=Watching, module=batch_normed())
    run(engine, 4)
    count = engine.inner.count + engine.outer.count
    assert engine.inner.module[1].num_batches_tracked == count == 4 + 4 // steps


@pytest.mark.parametrize("kind", DIRECT_TYPES)
def test_frozen_parameters_stay(kind: str) -> None:
    """Some are not in the optimizer; some are, and require no grad."""
    module = net(1)
    module[0].bias.requires_grad_(False)
    held = [module[0].weight, module[0].bias, module[2].weight]  # not the last bias
    engine = reweight(
        typed(type=kind, neumann_alpha=0.1),
        module=module,
        optimizer=lambda _: torch.optim.SGD(held, 0.1),
    )
    before = [p.detach().clone() for p in module.parameters()]
    run(engine, 3)
    same = [torch.equal(a, b) for a, b in zip(module.parameters(), before, strict=True)]
    assert same == [False, True, False, True]
    assert len(engine.inner.trainable_parameters()) == 2
    assert all(p.grad is None for p in module.parameters())


@pytest.mark.parametrize("kind", ["darts", "sama", "unroll"])
def test_parameter_groups_with_several_rates(kind: str) -> None:
    """One step of each coordinate at its own rate, one of which is zero."""
    lrs = torch.tensor([0.05, 0.0, 0.4], dtype=torch.float64)
    ws = [torch.tensor(v, dtype=torch.float64, requires_grad=True) for v in (0.3, -1.0, 2.0)]
    phi = torch.tensor([1.0, 0.5, -0.7], dtype=torch.float64, requires_grad=True)

    class Groups(Problem):
        def training_step(self, batch: Any) -> torch.Tensor:
            return (torch.stack(self.params) - self.outer.params).square().sum() * 1.5

    class Goal(Problem):
        def training_step(self, batch: Any) -> torch.Tensor:
            return (torch.stack(self.inner.params) - 2).square().sum() / 2

    groups = [{"params": [w], "lr": float(lr)} for w, lr in zip(ws, lrs, strict=True)]
    inner = Groups("inner", typed(type=kind), optimizer=torch.optim.SGD(groups, 1.0), params=ws)
    outer = Goal("outer", optimizer=torch.optim.SGD([phi], 1.0), params=phi)
    engine = Engine([inner, outer], EngineConfig(), BILEVEL)
    start, before = phi.detach().clone(), torch.stack(ws).detach()
    run(engine, 1)
    after = before - lrs * 3 * (before - start)
    torch.testing.assert_close(torch.stack(ws).detach(), after)
    torch.testing.assert_close(start - phi.detach(), 3 * lrs * (after - 2))


@pytest.mark.parametrize(
    ("kind", "shape"),
    diagonal(["darts", "unroll"], ["tensor", "dictionary", "list", "tuple of loaders"]),
)
def test_loaders_may_yield_anything(kind: str, shape: str) -> None:
    batches = data(4, 3)
    split = {
        "tensor": lambda b: b,
        "dictionary": lambda b: (b["x"], b["y"]["values"]),
        "list": lambda b: (b[0][0], b[1][0][0]),
        "tuple of loaders": lambda b: b,
    }
    loaders: dict[str, Any] = {
        "tensor": [torch.cat(b, 1) for b in batches],
        "dictionary": [{"x": x, "y": {"values": y}, "name": "a"} for x, y in batches],
        "list": [[[x], [[y]]] for x, y in batches],
        "tuple of loaders": ([x for x, _ in batches], [y for _, y in batches]),
    }

    class Reader(Inner):
        def training_step(self, batch: Any) -> Any:
            if shape == "tensor":
                batch = batch.split([3, 1], 1)
            return super().training_step(split[shape](batch))

    engine = run(reweight(typed(type=kind), inner=Reader, loader=loaders[shape]), 5)
    truth = run(reweight(typed(type=kind), loader=batches), 5)
    for a, b in zip(engine.problems, truth.problems, strict=True):
        torch.testing.assert_close(flat(tensors(a)), flat(tensors(b)), rtol=0, atol=0)


SCHEDULERS: dict[str, Any] = {
    "step": lambda o: torch.optim.lr_scheduler.StepLR(o, 2, 0.5),
    "lambda": lambda o: torch.optim.lr_scheduler.LambdaLR(o, lambda k: min(k / 3, 1.0)),
    "cosine": lambda o: torch.optim.lr_scheduler.CosineAnnealingLR(o, 5),
    "one cycle": lambda o: torch.optim.lr_scheduler.OneCycleLR(o, 0.1, total_steps=20),
    "plateau": lambda o: torch.optim.lr_scheduler.ReduceLROnPlateau(o, patience=0, factor=0.3),
    "sequential": lambda o: torch.optim.lr_scheduler.SequentialLR(
        o,
        [
            torch.optim.lr_scheduler.LinearLR(o, 0.1, total_iters=2),
            torch.optim.lr_scheduler.ExponentialLR(o, 0.8),
        ],
        [2],
    ),
}


def adamw(params: Any) -> Any:
    return torch.optim.AdamW(params, 0.05, weight_decay=0.1)


@pytest.mark.parametrize(("kind", "name"), diagonal(DIRECT_TYPES, [*SCHEDULERS]))
def test_adamw_and_every_scheduler_at_a_lower_level(kind: str, name: str) -> None:
    """It trains as a hand-written loop does, given the outer problem's values at each step."""
    engine = reweight(
        typed(type=kind, cg_iterations=3), optimizer=adamw, scheduler=SCHEDULERS[name]
    )
    module = net(1)
    optimizer = adamw(module.parameters())
    scheduler = SCHEDULERS[name](optimizer)
    for k in range(6):
        weights = copy.deepcopy(engine.outer.module)
        run(engine, 1)
        x, y = data(4, 3)[k % 4]
        losses = (module(x) - y).square()
        loss = (torch.sigmoid(weights(losses.detach())) * losses).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        scheduler.step(*([loss.detach()] if name == "plateau" else []))
        found, truth = flat(engine.inner.module.parameters()), flat(module.parameters())
        torch.testing.assert_close(found, truth, rtol=1e-10, atol=1e-12)
    assert rates(optimizer) == rates(engine.inner.optimizer)


@pytest.mark.parametrize("name", SCHEDULERS)
def test_adamw_and_every_scheduler_at_the_top(name: str) -> None:
    """It steps as it does by hand with the same gradients."""
    seen: list[Any] = []

    class Spy(Outer):
        def training_step(self, batch: Any) -> Any:
            out = super().training_step(batch)
            seen.append(out["loss"].detach())
            return out

        def grad_callback(self) -> None:
            seen.append([p.grad.clone() for p in self.module.parameters()])

    engine = reweight(Config(), outer=Spy, upper=adamw, check=False)
    top = engine.outer
    top.scheduler = SCHEDULERS[name](top.optimizer)
    mine = [p.detach().clone().requires_grad_() for p in top.module.parameters()]
    optimizer = adamw(mine)
    scheduler = SCHEDULERS[name](optimizer)
    for _ in range(6):
        seen.clear()
        run(engine, 1)
        loss, grads = seen
        for p, g in zip(mine, grads, strict=True):
            p.grad = g
        optimizer.step()
        scheduler.step(*([loss] if name == "plateau" else []))
    assert all(torch.equal(p, q) for p, q in zip(mine, top.module.parameters(), strict=True))
    assert rates(optimizer) == rates(top.optimizer)


def rates(optimizer: Any) -> list[float]:
    return [group["lr"] for group in optimizer.param_groups]

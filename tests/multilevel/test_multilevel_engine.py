"""What the engine offers, against hand-written loops."""

from __future__ import annotations

import gc
import json
import math
from typing import Any

import pytest
import torch
from _toys import (
    BILEVEL,
    TYPES,
    Inner,
    Outer,
    call,
    data,
    flat,
    net,
    reweight,
    run,
    same,
    tensors,
    typed,
)
from torch import nn

import torchopt
from _cases import diagonal
from torchopt.diff import Explicit, OneStep, Solution
from torchopt.multilevel import Config, Engine, EngineConfig, Problem


def config_of(kind: Any, **options: Any) -> Config:
    """Return a configuration of this type; of few samples, where it draws any."""
    if kind != "zero_order":
        return typed(type=kind, **options)
    estimator = torchopt.diff.zero_order.Antithetic(num_samples=2, sigma=0.01)
    return typed(diff=torchopt.diff.ZeroOrder(estimator), **options)


# Unrolled levels are hand-written loops


def sgd(params: Any, grads: Any, state: Any, lr: float, k: int) -> Any:
    state = [g if m is None else 0.9 * m + g for m, g in zip(state, grads, strict=True)]
    return [p - lr * m for p, m in zip(params, state, strict=True)], state


def adam(params: Any, grads: Any, state: Any, lr: float, k: int, decay: float = 0.0) -> Any:
    state = [(0, 0) if s is None else s for s in state]
    state = [
        (0.9 * m + 0.1 * g, 0.99 * v + 0.01 * g * g) for (m, v), g in zip(state, grads, strict=True)
    ]
    new = []
    for p, (m, v) in zip(params, state, strict=True):
        step = (m / (1 - 0.9**k)) / ((v / (1 - 0.99**k)).sqrt() + 1e-8)
        new.append(p * (1 - lr * decay) - lr * step)
    return new, state


def adamw(*args: Any) -> Any:
    return adam(*args, decay=0.1)


OPTIMIZERS: dict[str, Any] = {
    "sgd": (sgd, lambda p: torch.optim.SGD(p, 0.1, momentum=0.9)),
    "adam": (adam, lambda p: torch.optim.Adam(p, 0.1, betas=(0.9, 0.99))),
    "adamw": (adamw, lambda p: torch.optim.AdamW(p, 0.1, betas=(0.9, 0.99), weight_decay=0.1)),
    "torchopt.adam": (adam, lambda p: torchopt.adam(0.1, (0.9, 0.99))),
    "torchopt.optim.Adam": (adam, lambda p: torchopt.optim.Adam(p, 0.1, (0.9, 0.99))),
}


def by_hand(
    optimizer: Any,
    steps: int,
    rounds: int,
    gamma: float = 1.0,
    clip: float = 0.0,
    micro: int = 1,
    truncate: int | None = None,
    first_order: bool = False,
    reset: bool = False,
) -> tuple[Any, Any]:
    """Return inner and outer parameters of the reweighting program, after a loop by hand."""
    low, top = net(1), net(2, inputs=1)
    theta = [p.detach().clone() for p in low.parameters()]
    phi = [p.detach().clone().requires_grad_() for p in top.parameters()]
    batches, uppers = data(4, 3), data(3, 4)
    state: list[Any] = [None] * len(theta)
    drawn = lr_steps = 0
    for outer in range(rounds):
        theta = [t.detach().requires_grad_() for t in theta]
        for k in range(steps):
            loss = 0
            for _ in range(micro):
                x, y = batches[drawn % 4]
                drawn += 1
                losses = (call(low, theta, x) - y).square()
                weights = torch.sigmoid(call(top, phi, losses.detach()))
                loss = loss + (weights * losses).mean() / micro
            grads = list(torch.autograd.grad(loss, theta, create_graph=not first_order))
            if first_order:
                grads = [g.detach() for g in grads]
            if clip:
                norm = torch.cat([g.flatten() for g in grads]).norm()
                scale = (clip / (norm + 1e-6)).clamp(max=1.0)
                grads = [g * scale for g in grads]
            lr = 0.1 * gamma**lr_steps
            lr_steps += 1
            theta, state = optimizer(theta, grads, state, lr, lr_steps)
            if truncate is not None and k < steps - truncate:
                theta = [t.detach().requires_grad_() for t in theta]
                state = torch.utils._pytree.tree_map(
                    lambda s: s.detach() if isinstance(s, torch.Tensor) else s, state
                )
        x, y = uppers[outer % 3]
        loss = (call(low, theta, x) - y).square().mean()
        grads = torch.autograd.grad(loss, phi, allow_unused=True)
        with torch.no_grad():
            for p, g in zip(phi, grads, strict=True):
                if g is not None:
                    p -= 0.3 * g
        state = torch.utils._pytree.tree_map(
            lambda s: s.detach() if isinstance(s, torch.Tensor) else s, state
        )
    return theta, phi


def assert_like(engine: Engine, truth: tuple[Any, Any], rtol: float = 1e-10) -> None:
    for problem, expected in zip((engine.inner, engine.outer), truth, strict=True):
        found = flat(problem.parameters())
        torch.testing.assert_close(found, flat(expected), rtol=rtol, atol=1e-12)


@pytest.mark.parametrize("name", OPTIMIZERS)
@pytest.mark.parametrize("memory", ["graph", "step"])
def test_an_unrolled_level_equals_a_loop_by_hand(name: str, memory: str) -> None:
    mine, theirs = OPTIMIZERS[name]
    config = Config(diff=Explicit(memory=memory), unroll_steps=3)
    engine = run(reweight(config, optimizer=theirs), 6)
    assert_like(engine, by_hand(mine, 3, 2))


@pytest.mark.parametrize("name", ["sgd", "adamw"])
def test_an_unrolled_level_follows_its_scheduler(name: str) -> None:
    mine, theirs = OPTIMIZERS[name]
    engine = reweight(
        typed(type="unroll", unroll_steps=3),
        optimizer=theirs,
        scheduler=lambda o: torch.optim.lr_scheduler.ExponentialLR(o, 0.8),
    )
    assert_like(run(engine, 6), by_hand(mine, 3, 2, gamma=0.8))


def test_an_unrolled_level_clips_and_accumulates() -> None:
    config = typed(type="unroll", unroll_steps=3, gradient_clipping=0.2, gradient_accumulation=2)
    engine = reweight(config, optimizer=OPTIMIZERS["adam"][1])
    assert_like(run(engine, 9), by_hand(adam, 3, 3, clip=0.2, micro=2))


@pytest.mark.parametrize("truncate", [0, 2, 5])
def test_truncation_is_that_of_a_loop_by_hand(truncate: int) -> None:
    config = Config(diff=Explicit(truncate=truncate), unroll_steps=3)
    engine = reweight(config, optimizer=OPTIMIZERS["adam"][1])
    assert_like(run(engine, 6), by_hand(adam, 3, 2, truncate=truncate))


def test_first_order_is_that_of_a_loop_by_hand() -> None:
    config = Config(diff=Explicit(first_order=True), unroll_steps=3)
    engine = reweight(config, optimizer=OPTIMIZERS["sgd"][1])
    assert_like(run(engine, 9), by_hand(sgd, 3, 3, first_order=True))


# Steps


def counts(engine: Engine, ticks: int) -> list[tuple[int, int]]:
    found = []
    for _ in range(ticks):
        run(engine, 1)
        found.append((engine.inner.count, engine.outer.count))
    return found


def test_ratios_of_steps_either_way() -> None:
    assert counts(reweight(Config(unroll_steps=3)), 6) == [
        (1, 0), (2, 0), (3, 1), (4, 1), (5, 1), (6, 2),
    ]  # fmt: skip
    engine = reweight(Config(), upper_config=Config(repeat=3))
    assert counts(engine, 2) == [(1, 3), (2, 6)]


@pytest.mark.parametrize("kind", TYPES)
def test_accumulated_batches_equal_a_big_one(kind: str) -> None:
    """In both levels, and in the hypergradient."""
    torch.manual_seed(0)
    small, uppers = data(4, 3), data(4, 4)

    def joined(pair: Any) -> Any:
        return tuple(torch.cat(parts) for parts in zip(*pair, strict=True))

    big = [[joined(d[:2]), joined(d[2:])] for d in (small, uppers)]
    ends = []
    for count, loader, upper in ((2, small, uppers), (1, *big)):
        diff = None
        if kind == "zero_order":
            estimator = torchopt.diff.zero_order.Antithetic(num_samples=2, sigma=0.01)
            diff = torchopt.diff.ZeroOrder(estimator, generator=0)
        config = typed(
            None if diff else kind,
            diff=diff,
            gradient_accumulation=count,
            cg_iterations=3,
            neumann_alpha=0.1,
        )
        engine = reweight(
            config,
            upper_config=Config(gradient_accumulation=count),
            loader=loader,
            upper_loader=upper,
        )
        run(engine, 4)
        ends.append(engine)
    for a, b in zip(ends[0].problems, ends[1].problems, strict=True):
        torch.testing.assert_close(flat(tensors(a)), flat(tensors(b)), rtol=1e-5, atol=1e-7)


def test_one_problem_alone_equals_plain_training_bit_for_bit() -> None:
    class Alone(Problem):
        def training_step(self, batch: Any) -> Any:
            x, y = batch
            return (nn.functional.dropout(self(x), 0.1) - y).square().mean()

    def parts() -> tuple[Any, Any, Any]:
        module = net(1)
        optimizer = torch.optim.AdamW(module.parameters(), 0.05)
        return module, optimizer, torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 10)

    module, optimizer, scheduler = parts()
    engine = Engine(
        [
            Alone(
                "alone", None, module, optimizer, scheduler=scheduler, train_data_loader=data(4, 3)
            )
        ],
        EngineConfig(train_iters=10),
    )
    torch.manual_seed(3)
    engine.run()
    assert engine.alone.optimizer is optimizer
    other, their_optimizer, their_scheduler = parts()
    torch.manual_seed(3)
    for k in range(10):
        x, y = data(4, 3)[k % 4]
        their_optimizer.zero_grad()
        (nn.functional.dropout(other(x), 0.1) - y).square().mean().backward()
        their_optimizer.step()
        their_scheduler.step()
    assert all(
        torch.equal(a, b) for a, b in zip(module.parameters(), other.parameters(), strict=True)
    )
    assert same(optimizer.state_dict(), their_optimizer.state_dict())


# Hooks


def test_hooks_are_called_in_their_order() -> None:
    calls: list[str] = []

    def note(self: Problem, what: str) -> None:
        calls.append(f"{self.name}.{what}")

    class Hooked(Inner):
        def training_step(self, batch: Any) -> Any:
            note(self, "training_step")
            return super().training_step(batch)

        def on_inner_loop_start(self) -> None:
            note(self, "start")

        def grad_callback(self) -> None:
            assert all(p.grad is not None for p in self.module.parameters())
            note(self, "grad")

        def param_callback(self, params: Any) -> None:
            assert len(params) == 4
            note(self, "param")

        def epoch_callback(self) -> None:
            note(self, "epoch")

    engine = reweight(
        Config(unroll_steps=2, diff=OneStep(step_size=0.1, hvp="reverse")),
        inner=Hooked,
        loader=data(3, 3),
        check=False,
    )
    run(engine, 4)
    step = ["inner.training_step", "inner.grad", "inner.param"]
    response = ["inner.training_step"]
    assert calls == [
        "inner.start", *step, *step, *response,
        "inner.start", *step, "inner.epoch", *step, *response,
    ]  # fmt: skip


@pytest.mark.parametrize("kind", ["unroll", "zero_order"])
def test_a_window_starts_where_the_hook_puts_it(kind: str) -> None:
    """Every window from the same start, as in MAML: both are the same but for their data."""

    class Restarted(Inner):
        def on_inner_loop_start(self) -> None:
            self.module.load_state_dict(net(5).state_dict())

    estimator = torchopt.diff.zero_order.Antithetic(num_samples=4, sigma=1e-3)
    diff = torchopt.diff.ZeroOrder(estimator, generator=0) if kind == "zero_order" else Explicit()
    config = Config(diff=diff, unroll_steps=2)
    engine = run(reweight(config, inner=Restarted), 4)
    fresh = reweight(config, module=net(5), loader=data(4, 3)[2:], upper_loader=data(3, 4)[1:])
    once = run(reweight(config, inner=Restarted), 2)
    with torch.no_grad():  # after the first window
        for p, q in zip(fresh.outer.parameters(), once.outer.parameters(), strict=True):
            p.copy_(q)
    run(fresh, 2)
    for name in ("inner", "outer"):
        a, b = (flat(getattr(e, name).parameters()) for e in (engine, fresh))
        torch.testing.assert_close(a, b, rtol=1e-10, atol=1e-12)


def floats(batches: Any) -> Any:
    return [tuple(t.float() for t in batch) for batch in batches]


def in_single_precision(config: Config, upper: Config, **kinds: Any) -> Engine:
    made = reweight(
        config, upper_config=upper, module=net(1).float(), loader=floats(data(4, 3)),
        upper_loader=floats(data(3, 4)), **kinds,
    )  # fmt: skip
    made.outer.module.float()
    return made


@pytest.mark.parametrize("precision", ["bf16", "fp16"])
def test_gradients_are_unscaled_where_hooks_see_them(precision: str) -> None:
    seen: list[torch.Tensor] = []

    def look(self: Problem) -> None:
        seen.append(flat([p.grad for p in self.module.parameters() if p.grad is not None]))

    kinds = {
        "inner": type("Looking", (Inner,), {"grad_callback": look}),
        "outer": type("LookingUp", (Outer,), {"grad_callback": look}),
    }
    run(in_single_precision(Config(), Config(), **kinds), 1)
    truth = list(seen)
    seen.clear()
    half = Config(precision=precision)
    engine = run(in_single_precision(half, half, **kinds), 1)
    for found, expected in zip(seen, truth, strict=True):
        assert (found - expected).norm() < 0.2 * expected.norm()
    grads, _ = engine.hypergradient("outer")
    assert flat([g for g in grads if g is not None]).norm() < 10


@pytest.mark.parametrize("kind", ["darts", "sama", "neumann", "cg"])
def test_an_overflow_of_an_upper_problem_skips_its_step(kind: str) -> None:
    """Its gradient is infinite where the lower problem is differentiated, not only at its end."""
    scaled = Config(precision="fp16", initial_dynamic_scale=2.0**40)
    engine = in_single_precision(typed(type=kind, neumann_alpha=0.01), scaled)
    weights = engine.outer.module
    before = flat(weights.parameters())
    run(engine, 3)
    assert torch.equal(before, flat(weights.parameters()))
    while torch.equal(before, flat(weights.parameters())) and engine.global_step < 43:
        run(engine, 1)
    assert not torch.equal(before, flat(weights.parameters()))


# Rolling back


@pytest.mark.parametrize("kind", ["darts", "unroll", "zero_order"])
def test_rolling_back_undoes_the_steps_and_makes_the_last_again(kind: str) -> None:
    engine = reweight(typed(type=kind, unroll_steps=3, roll_back=True))
    low, batches = engine.inner, data(4, 3)
    for last in (2, 5):  # of each window
        theta = [p.detach().clone().requires_grad_() for p in low.module.parameters()]
        run(engine, 3)
        x, y = batches[last % 4]
        losses = (call(low.module, theta, x) - y).square()
        loss = (torch.sigmoid(engine.outer.module(losses.detach())) * losses).mean()
        grads = torch.autograd.grad(loss, theta)
        expected = [t - 0.1 * g for t, g in zip(theta, grads, strict=True)]
        torch.testing.assert_close(flat(low.module.parameters()), flat(expected))


@pytest.mark.parametrize("kind", ["sama", "unroll"])
def test_rolling_back_reaches_optimizer_scheduler_and_statistics(kind: str) -> None:
    module = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Linear(4, 1)).double()
    engine = reweight(
        typed(type=kind, unroll_steps=3),
        module=module,
        optimizer=lambda p: torch.optim.Adam(p, 0.05),
        scheduler=lambda o: torch.optim.lr_scheduler.ExponentialLR(o, 0.5),
        roll_back=True,
    )
    run(engine, 6)
    assert int(engine.inner.optimizer.state[module[0].weight]["step"]) == 2
    assert engine.inner.optimizer.param_groups[0]["lr"] == pytest.approx(0.05 * 0.25)
    assert module[1].num_batches_tracked == 2
    assert engine.inner.count == 6


@pytest.mark.parametrize(
    "config",
    [
        {"type": "unroll"},
        {"diff": torchopt.diff.ZeroOrder(torchopt.diff.zero_order.Coordinate(sigma=0.1))},
    ],
    ids=["unroll", "zero_order"],
)
def test_each_unrolled_step_keeps_its_own_random_numbers(config: dict[str, Any]) -> None:
    """Of ``w_k+1 = w_k - 0.1 (w_k - r_k v)``, by which ``w`` is linear in ``v``."""
    drawn: list[float] = []

    class Noisy(Problem):
        def training_step(self, batch: Any) -> Any:
            r = torch.rand((), dtype=torch.float64)
            drawn.append(r.item())
            return (self.module.weight - r * self.outer.module.weight).square().sum() / 2

    class Linear(Problem):
        def training_step(self, batch: Any) -> Any:
            return self.inner.module.weight.sum()

    def problem(kind: type[Problem], name: str, config: Config | None) -> Problem:
        module = nn.Linear(1, 1, bias=False, dtype=torch.float64)
        optimizer = torch.optim.SGD(module.parameters(), 0.1)
        return kind(name, config, module, optimizer, train_data_loader=data())

    torch.manual_seed(0)
    low = problem(Noisy, "inner", typed(**config, unroll_steps=4))
    engine = Engine([problem(Linear, "outer", None), low], EngineConfig(), BILEVEL)
    run(engine, 0)  # which evaluates each problem once
    drawn.clear()
    for _ in range(3):
        engine.train_step()
    truth = sum(0.1 * r * 0.9 ** (2 - k) for k, r in enumerate(drawn[:3]))
    (found,), _ = engine.hypergradient("outer")
    torch.testing.assert_close(found.item(), truth, rtol=1e-9, atol=0)


# The hypergradient by itself


@pytest.mark.parametrize(("kind", "ticks"), diagonal(TYPES, [3, 5]))
def test_the_hypergradient_changes_nothing(kind: str, ticks: int) -> None:
    """A run in which it is asked for everywhere is the same, bit for bit."""
    ends = []
    for asks in (False, True):
        torch.manual_seed(0)
        module = nn.Sequential(
            nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Dropout(0.2), nn.Linear(4, 1)
        ).double()
        pairs = torch.utils.data.TensorDataset(*data(1, 8)[0])
        loader = torch.utils.data.DataLoader(pairs, batch_size=2, shuffle=True, drop_last=True)
        engine = reweight(
            config_of(kind, unroll_steps=3, neumann_alpha=0.01),
            module=module,
            loader=loader,
            optimizer=lambda p: torch.optim.Adam(p, 0.05),
        )
        run(engine, 1)
        for _ in range(ticks):
            run(engine, 1)
            if asks:
                for name in ("outer", "inner"):
                    grads, loss = engine.hypergradient(name)
                    assert math.isfinite(loss)
                    assert any(g is not None for g in grads)
        engine._stepper.write_back()
        ends.append([*(t for p in engine.problems for t in tensors(p)), torch.get_rng_state()])
    assert same(*ends)


def test_the_hypergradient_amid_unrolled_steps_is_that_of_the_steps_so_far() -> None:
    engine = reweight(typed(type="unroll", unroll_steps=3))
    run(engine, 2)
    grads, _ = engine.hypergradient("outer")
    short = reweight(typed(type="unroll", unroll_steps=2))
    before = flat(short.outer.parameters())
    run(short, 2)
    moved = (before - flat(short.outer.parameters())) / 0.3
    torch.testing.assert_close(flat(grads), moved, rtol=1e-10, atol=1e-14)


def test_the_hypergradient_before_any_step() -> None:
    grads, _ = reweight(typed(type="darts")).hypergradient("outer")
    assert flat(grads).norm() > 0
    with pytest.raises(RuntimeError, match="'inner' is differentiated through its steps"):
        reweight(typed(type="unroll")).hypergradient("outer")


# Validation, logging


def test_validation_sees_present_values_and_no_graph() -> None:
    found: list[tuple[int, torch.Tensor]] = []

    class Validated(Engine):
        def validation(self) -> dict[str, Any]:
            assert not torch.is_grad_enabled()
            assert not self.inner.module.training
            values = flat(self.inner.module.parameters())
            assert torch.equal(values, flat(self.inner.trainable_parameters()))
            found.append((self.global_step, values))
            return {"loss": 1.0}

    engine = reweight(
        typed(type="unroll", unroll_steps=4), engine=Validated, train_iters=5, valid_step=1
    )
    engine.run()
    assert engine.inner.module.training
    assert [step for step, _ in found] == [1, 2, 3, 4, 5]
    assert len({tuple(v.tolist()) for _, v in found}) == 5


def test_early_stopping() -> None:
    scores = [3.0, 2.0, 2.5, 2.5, 2.5, 1.0]

    class Validated(Engine):
        def validation(self) -> dict[str, Any]:
            return {"score": scores[self.global_step - 1]}

    def program(mode: str) -> Engine:
        return reweight(
            engine=Validated, train_iters=6, valid_step=1, early_stopping=True,
            early_stopping_metric="score", early_stopping_mode=mode, early_stopping_tolerance=3,
        )  # fmt: skip

    engine = program("min")
    engine.run()
    assert engine.global_step == 5
    engine.run()
    assert engine.global_step == 5
    engine = program("max")
    engine.run()
    assert engine.global_step == 4


def test_metrics_are_logged_by_step(tmp_path: Any) -> None:
    class Measured(Inner):
        def training_step(self, batch: Any) -> Any:
            loss = super().training_step(batch)
            return {"loss": loss, "twice": 2 * loss}

    class Validated(Engine):
        def validation(self) -> dict[str, Any]:
            return {"accuracy": 0.5}

    engine = reweight(
        Config(log_step=2),
        inner=Measured,
        upper_config=Config(log_step=3),
        engine=Validated,
        train_iters=6,
        valid_step=3,
        sink="jsonl",
        folder=tmp_path,
    )
    engine.run()
    engine.sink.close()
    (path,) = tmp_path.iterdir()
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    keys = [k for line in lines for k in line]
    assert keys.count("inner/loss") == keys.count("inner/twice") == 3
    assert keys.count("outer/loss") == keys.count("outer/size") == 2
    assert keys.count("validation/accuracy") == 2
    for line in lines:
        if "inner/loss" in line:
            assert line["inner/twice"] == pytest.approx(2 * line["inner/loss"])


def test_progress_is_shown_to_those_who_watch(capfd: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    reweight(train_iters=2, progress=True).run()
    assert capfd.readouterr().err == ""  # a pipe
    monkeypatch.setenv("TORCHOPT_PROGRESS", "1")
    reweight(train_iters=2, progress=True).run()
    assert "2/2" in capfd.readouterr().err


# Problems of any kind


def test_problems_of_trees_of_parameters() -> None:
    class Tree(Problem):
        def training_step(self, batch: Any) -> Any:
            assert set(self.params) == {"w", "parts"}
            w, (a, b) = self.params["w"], self.params["parts"]
            return ((w - self.top.params["x"]) ** 2).sum() / 2 + (a * b - 1) ** 2 + a**2 / 2

    class Top(Problem):
        def training_step(self, batch: Any) -> Any:
            return (self.tree.params["w"] ** 2).sum() / 2

    def leaf(*values: float) -> torch.Tensor:
        return torch.tensor(values, dtype=torch.float64).squeeze().requires_grad_()

    params = {"w": leaf(1.0, 2.0), "parts": (leaf(0.5), leaf(0.7))}
    upper = {"x": leaf(0.3, -0.4), "unread": 3}
    tree = Tree("tree", typed(type="unroll"), params=params, optimizer=torchopt.sgd(0.1))
    top = Top("top", params=upper, optimizer=torch.optim.SGD([upper["x"]], 1.0))
    before = upper["x"].detach().clone()
    engine = Engine([tree, top], EngineConfig(), {"u2l": {top: [tree]}, "l2u": {tree: [top]}})
    run(engine, 1)
    torch.testing.assert_close(before - upper["x"].detach(), 0.1 * params["w"].detach())
    assert tree.params["parts"][0] is params["parts"][0]


def test_a_mode_of_ones_own() -> None:
    """It is given the window's start, its batches and its optimizer; this one has no derivative."""
    given: list[Any] = []

    class Mine:
        def differentiate(self, problem: Any) -> Solution:
            given.append(problem)
            with torch.no_grad():
                return problem.run()

    engine = reweight(Config(diff=Mine(), unroll_steps=3))
    start = [p.detach().clone() for p in engine.inner.module.parameters()]
    upper = flat(engine.outer.parameters())
    run(engine, 3)
    (problem,) = given
    assert same(list(problem.params), start)
    assert problem.steps == 3
    solved = problem.run().params
    torch.testing.assert_close(flat(solved), flat(engine.inner.module.parameters()))
    assert torch.equal(upper, flat(engine.outer.parameters()))


@pytest.mark.parametrize("kind", ["sama", "unroll"])
@pytest.mark.compiled
def test_a_compiled_module_is_evaluated_where_it_should_be(kind: str) -> None:
    engines = [
        run(reweight(typed(type=kind), module=module), 3)
        for module in (net(1), torch.compile(net(1), backend="eager"))
    ]
    a, b = (flat(engine.outer.parameters()) for engine in engines)
    torch.testing.assert_close(a, b, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("kind", ["neumann", "cg", "unroll", "zero_order"])
def test_no_graph_remains_after_a_step(kind: str) -> None:
    engine = reweight(config_of(kind, unroll_steps=2, neumann_alpha=0.01))

    def least() -> int:
        """Return how many tensors there are after the turn, of four, that leaves the fewest."""
        counts = []
        for _ in range(4):  # of a cycle of batches
            run(engine, 1)
            counts.append(sum(issubclass(type(x), torch.Tensor) for x in gc.get_objects()))
        return min(counts)

    gc.collect()
    gc.disable()
    try:
        before = least()
        run(engine, 24)
        assert least() < before + 12  # what is made once may stay; a tensor of each second step not
    finally:
        gc.enable()


def test_an_engine_prints_its_plan_and_draws_it_in_a_notebook() -> None:
    engine = reweight(typed(type="cg"), module=nn.Linear(3, 1).double(), train_iters=1)
    assert repr(engine) == repr(engine.plan()) == str(engine.plan())
    assert "hypergradients" in repr(engine)
    assert engine._repr_html_() == engine.plan().to_svg()

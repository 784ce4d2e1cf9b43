"""Programs with Betty's imports; ``test_compat.py`` has the numbers that Betty prints for them."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from torchopt.multilevel.compat.configs import Config, EngineConfig
from torchopt.multilevel.compat.engine import Engine
from torchopt.multilevel.compat.envs import Env
from torchopt.multilevel.compat.problems import ImplicitProblem

F64 = torch.float64


def batches(number: int, shift: float) -> list[Any]:
    """Return batches of five samples, the same in each run."""
    found = []
    for k in range(number):
        x = torch.sin(torch.arange(15, dtype=F64) * (1.3 + 0.2 * k) + shift).reshape(5, 3)
        found.append((x, x.sum(1, keepdim=True).cos() + 0.1 * k))
    return found


def linear(seed: float) -> nn.Linear:
    """Return a linear map of three inputs, the same in each run."""
    net = nn.Linear(3, 1, dtype=F64)
    with torch.no_grad():
        net.weight.copy_(torch.cos(torch.arange(3, dtype=F64) + seed).reshape(1, 3))
        net.bias.fill_(0.1 * seed)
    return net


class Inner(ImplicitProblem):
    """Weighted least squares."""

    def training_step(self, batch: Any) -> Any:
        x, y = batch
        weights = torch.sigmoid(self.outer(x))
        return (weights * (self.module(x) - y) ** 2).mean() + 0.01 * sum(
            p.square().sum() for p in self.parameters()
        )


class Detached(Inner):
    """Least squares, weighted by what the losses are."""

    def training_step(self, batch: Any) -> Any:
        x, y = batch
        losses = (self.module(x) - y) ** 2
        return (torch.sigmoid(self.outer(x) * losses.detach()) * losses).mean()


class Outer(ImplicitProblem):
    """Least squares of the lower problem's map."""

    def training_step(self, batch: Any) -> Any:
        x, y = batch
        return {"loss": ((self.inner(x) - y) ** 2).mean(), "size": len(x)}


class Middle(ImplicitProblem):
    """Least squares close to the lower problem's map."""

    def training_step(self, batch: Any) -> Any:
        x, y = batch
        mine, lower = self.module.parameters(), self.inner.module.parameters()
        near = sum((p - q).square().sum() for p, q in zip(mine, lower, strict=True))
        return ((self.module(x) - y) ** 2).mean() + 0.5 * near


class Upper(ImplicitProblem):
    """Least squares of the middle problem's map."""

    def training_step(self, batch: Any) -> Any:
        x, y = batch
        return ((self.middle(x) - y) ** 2).mean() + ((self.inner(x) - y) ** 2).mean()


def values(*problems: Any) -> list[float]:
    """Return the parameters of problems as numbers."""
    return [float(v) for p in problems for t in p.parameters() for v in t.detach().flatten()]


def bilevel(
    inner: dict[str, Any],
    outer: dict[str, Any] | None = None,
    engine: dict[str, Any] | None = None,
    *,
    steps: int = 12,
    number: int = 3,
    gamma: float = 1.0,
    kind: type[Inner] = Inner,
) -> list[float]:
    """Run a program of two levels, and return the parameters and the counts."""
    nets = linear(1.0), linear(2.0)
    optimizers = [torch.optim.SGD(nets[0].parameters(), 0.1)]
    optimizers.append(torch.optim.SGD(nets[1].parameters(), 0.3, momentum=0.9))
    scheduler = torch.optim.lr_scheduler.StepLR(optimizers[1], 2, gamma)
    low = kind("inner", Config(**inner), nets[0], optimizers[0], None, batches(number, 0.0))
    top = Outer(
        "outer", Config(**(outer or {})), nets[1], optimizers[1], scheduler, batches(2, 0.7)
    )
    run = Engine(
        config=EngineConfig(train_iters=steps, **(engine or {})),
        problems=[top, low],
        dependencies={"u2l": {top: [low]}, "l2u": {low: [top]}},
    )
    run.run()
    return [*values(top, low), low.count, top.count, run.global_step]


def trilevel(steps: int = 6) -> list[float]:
    """Run a program of three levels."""
    nets = linear(1.0), linear(2.0), linear(3.0)
    kinds = [Inner, Middle, Upper]
    made = [
        kind(name, Config(), net, torch.optim.SGD(net.parameters(), 0.1), None, batches(2, shift))
        for kind, name, net, shift in zip(
            kinds, ("inner", "middle", "outer"), nets, (0.0, 0.3, 0.7), strict=True
        )
    ]
    low, middle, top = made
    run = Engine(
        config=EngineConfig(train_iters=steps),
        problems=made[::-1],
        dependencies={"u2l": {top: [low]}, "l2u": {low: [middle, top], middle: [top]}},
    )
    run.run()
    return values(top, middle, low)


class Task(Env):
    """Tasks in turn: the lower problem adapts to one, the upper one is judged by it."""

    def __init__(self) -> None:
        super().__init__()
        self.number = -1
        self.batch: Any = None

    def step(self) -> None:
        """Go to the next task."""
        self.number += 1
        self.batch = batches(5, 0.1)[self.number % 5]


class Adapted(ImplicitProblem):
    """A task's map, close to the initial one."""

    def training_step(self, batch: Any) -> Any:
        x, y = batch
        pairs = zip(self.parameters(), self.initial.parameters(), strict=True)
        near = sum((p - q).square().sum() for p, q in pairs)
        return ((self.module(x) - y) ** 2).mean() + 0.5 * near

    def get_batch(self) -> Any:
        return self.env.batch

    def on_inner_loop_start(self) -> None:
        self.module.load_state_dict(self.initial.module.state_dict())


class Initial(ImplicitProblem):
    """The map from which each task begins."""

    def training_step(self, batch: Any) -> Any:
        x, y = batch
        return ((self.adapted(x) - y.sin()) ** 2).mean()

    def get_batch(self) -> Any:
        return self.env.batch


class TaskEngine(Engine):
    """Draws a task every third step."""

    def train_step(self) -> None:
        if self.global_step % 3 == 1:
            self.env.step()
        for leaf in self.leaves:
            leaf.step(global_step=self.global_step)

    def validation(self) -> Any:
        net = linear(4.0)
        net(batches(1, 0.0)[0][0]).sum().backward()
        return {"acc": self.global_step}


def implicit_maml(steps: int = 36) -> list[float]:
    """Learn an initial map over meta-batches of two tasks."""
    nets = linear(1.0), linear(2.0)
    tops = torch.optim.SGD(nets[1].parameters(), 0.2)
    scheduler = torch.optim.lr_scheduler.StepLR(tops, 4, 0.5)
    config = Config(type="neumann", neumann_iterations=4, neumann_alpha=0.2, unroll_steps=3)
    low = Adapted("adapted", config, nets[0], torch.optim.SGD(nets[0].parameters(), 0.1))
    top = Initial("initial", Config(gradient_accumulation=2), nets[1], tops, scheduler)
    run = TaskEngine(
        config=EngineConfig(train_iters=steps, valid_step=18),
        problems=[top, low],
        dependencies={"u2l": {top: [low]}, "l2u": {low: [top]}},
        env=Task(),
    )
    run.run()
    return [*values(top), low.count, top.count, run.global_step]


class Configured(ImplicitProblem):
    """Makes all that it needs, in random order."""

    starts = 0

    def configure_train_data_loader(self) -> Any:
        x = torch.randn(12, 3, dtype=F64)
        data = TensorDataset(x, x.sum(1, keepdim=True).cos())
        return DataLoader(data, batch_size=5, shuffle=True)

    def configure_module(self) -> Any:
        return nn.Linear(3, 1, dtype=F64)

    def configure_optimizer(self) -> Any:
        return torch.optim.SGD(self.module.parameters(), 0.1)

    def configure_scheduler(self) -> Any:
        return torch.optim.lr_scheduler.StepLR(self.optimizer, 3, 0.5)

    def on_inner_loop_start(self) -> None:
        self.starts += 1


class ConfiguredInner(Configured):
    """Weighted least squares."""

    training_step = Inner.training_step


class ConfiguredOuter(Configured):
    """Least squares of the lower problem's map."""

    training_step = Outer.training_step


def configured(steps: int = 10, *, roll_back: bool = False) -> list[float]:
    """Run a program that is determined by a seed."""
    torch.manual_seed(0)
    low, top = ConfiguredInner("inner", Config(unroll_steps=2)), ConfiguredOuter("outer", Config())
    run = Engine(
        config=EngineConfig(train_iters=steps, roll_back=roll_back),
        problems=[top, low],
        dependencies={"u2l": {top: [low]}, "l2u": {low: [top]}},
    )
    run.run()
    return [*values(top, low), low.count, top.count, low.starts, top.starts]


def all_programs() -> dict[str, list[float]]:
    """Run all programs."""
    return {
        "darts": bilevel({"unroll_steps": 2}),
        "detached": bilevel({"unroll_steps": 2, "darts_alpha": 0.3}, kind=Detached),
        "sama": bilevel({"type": "sama", "sama_adam_alpha": 0.5, "unroll_steps": 2}, kind=Detached),
        "neumann": bilevel({"type": "neumann", "neumann_iterations": 3, "neumann_alpha": 0.2}),
        "cg": bilevel({"type": "cg", "unroll_steps": 3}),
        "accumulated, clipped, scheduled": bilevel(
            {"unroll_steps": 2},
            {"gradient_accumulation": 2, "gradient_clipping": 0.05, "first_order": True},
            steps=24,
            gamma=0.5,
        ),
        "a lower problem accumulates": bilevel(
            {"gradient_accumulation": 2, "unroll_steps": 2}, steps=16, number=1
        ),
        "rolled back": bilevel({"unroll_steps": 2}, engine={"roll_back": True}),
        "warmed up": bilevel({"warmup_steps": 5}),
        "trilevel": trilevel(),
        "implicit_maml": implicit_maml(),
        "configured": configured(),
        "configured, rolled back": configured(roll_back=True),
    }


if __name__ == "__main__":
    for name, numbers in all_programs().items():
        print(f"    {name!r}: {[round(x, 12) for x in numbers]},")

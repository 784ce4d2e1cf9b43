"""Small programs of nets, and hand-written loops that say what is right."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import nn

from torchopt.diff import Explicit, Implicit, OneStep, ValueFunction, ZeroOrder
from torchopt.linear_solve import CG, Neumann
from torchopt.multilevel import Config, Engine, EngineConfig, Problem

#: What Betty's `type` names, so that tests have a name for each kind of mode.
TYPES = ("darts", "sama", "neumann", "cg", "unroll", "zero_order", "f2sa")


def typed(
    type: str | None = None,
    *,
    cg_iterations: int = 1,
    neumann_iterations: int = 1,
    neumann_alpha: float = 1.0,
    **settings: Any,
) -> Config:
    """Return settings with the mode of a name."""
    neumann = Neumann(
        step_size=neumann_alpha, maxiter=neumann_iterations + 1, rtol=0.0, on_failure="ignore"
    )
    modes: dict[str, Any] = {
        "sama": OneStep(),
        "neumann": Implicit(neumann),
        "cg": Implicit(CG(maxiter=cg_iterations, on_failure="ignore")),
        "unroll": Explicit(),
        "zero_order": ZeroOrder(),
        "f2sa": ValueFunction(steps=3, detached="moves"),
    }
    if type in modes:
        settings["diff"] = modes[type]
    return Config(**settings)


BILEVEL = {"u2l": {"outer": ["inner"]}, "l2u": {"inner": ["outer"]}}


def data(count: int = 6, seed: int = 0) -> list[tuple[torch.Tensor, torch.Tensor]]:
    """Return batches of inputs and targets."""
    g = torch.Generator().manual_seed(seed)

    def draw(*shape: int) -> torch.Tensor:
        return torch.randn(*shape, generator=g, dtype=torch.float64)

    return [(draw(5, 3), draw(5, 1)) for _ in range(count)]


def net(seed: int = 0, *, inputs: int = 3, hidden: int = 4) -> nn.Module:
    """Return a net of two layers."""
    torch.manual_seed(seed)
    return nn.Sequential(nn.Linear(inputs, hidden), nn.Tanh(), nn.Linear(hidden, 1)).double()


class Inner(Problem):
    """Weighted least squares; the weights come from the problem above."""

    def training_step(self, batch: Any) -> Any:
        x, y = batch
        losses = (self.module(x) - y).square()
        return (torch.sigmoid(self.outer(losses.detach())) * losses).mean()


class Outer(Problem):
    """Least squares of the lower problem's net."""

    def training_step(self, batch: Any) -> Any:
        x, y = batch
        return {"loss": (self.inner(x) - y).square().mean(), "size": len(x)}


def reweight(
    config: Config | None = None,
    *,
    inner: type[Problem] = Inner,
    outer: type[Problem] = Outer,
    module: nn.Module | None = None,
    optimizer: Callable[..., Any] = lambda p: torch.optim.SGD(p, 0.1),
    scheduler: Callable[..., Any] | None = None,
    upper: Callable[..., Any] = lambda p: torch.optim.SGD(p, 0.3),
    upper_config: Config | None = None,
    loader: Any = None,
    upper_loader: Any = None,
    engine: type[Engine] = Engine,
    **options: Any,
) -> Engine:
    """Return a program that learns weights of samples from their losses."""
    module = net(1) if module is None else module
    weights = net(2, inputs=1)
    mine = optimizer(module.parameters())
    low = inner(
        "inner",
        config,
        module,
        mine,
        scheduler=None if scheduler is None else scheduler(mine),
        train_data_loader=data(4, 3) if loader is None else loader,
    )
    top = outer(
        "outer",
        upper_config,
        weights,
        upper(weights.parameters()),
        train_data_loader=data(3, 4) if upper_loader is None else upper_loader,
    )
    return engine([top, low], EngineConfig(**options), BILEVEL)


def values(engine: Engine) -> dict[str, torch.Tensor]:
    """Return all that a program's modules hold, as one vector for each problem."""
    return {
        p.name: torch.cat([t.detach().double().flatten() for t in tensors(p)])
        for p in engine.problems
    }


def tensors(problem: Problem) -> list[torch.Tensor]:
    """Return the parameters and buffers of a problem."""
    buffers = () if problem.module is None else problem.module.buffers()
    return [*problem.parameters(), *buffers]


def flat(tensors: Any) -> torch.Tensor:
    """Return a list of tensors as one vector."""
    return torch.cat([t.detach().flatten() for t in tensors])


def call(module: nn.Module, params: Any, *args: Any) -> Any:
    """Call a module with a list of other parameters."""
    names = [name for name, _ in module.named_parameters()]
    return torch.func.functional_call(module, dict(zip(names, params, strict=True)), args)


def run(engine: Engine, ticks: int) -> Engine:
    """Make some global steps."""
    engine.check()
    engine.train()
    for _ in range(ticks):
        engine.train_step()
    return engine


def same(a: Any, b: Any) -> bool:
    """Whether two nests hold the same numbers, bit for bit."""
    if isinstance(a, torch.Tensor):
        return isinstance(b, torch.Tensor) and a.shape == b.shape and torch.equal(a, b)
    if isinstance(a, Mapping):
        return list(a) == list(b) and all(same(a[k], b[k]) for k in a)
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b, strict=True))
    return bool(a == b)

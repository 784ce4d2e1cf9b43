"""Programs that are saved and resumed."""

from __future__ import annotations

from typing import Any

import torch
from _toys import typed
from torch import nn

from torchopt.diff import ZeroOrder
from torchopt.diff.zero_order import Antithetic
from torchopt.multilevel import Config, Engine, EngineConfig, Env, Problem


class Low(Problem):
    def training_step(self, batch: Any) -> Any:
        x, y = batch
        losses = (self.module(x) - y).square()
        return (torch.sigmoid(self.mid(losses.detach())) * losses).mean()


class Mid(Problem):
    def training_step(self, batch: Any) -> Any:
        x, y = batch
        penalty = sum(p.square().sum() for p in self.module.parameters())
        scale = self.top.params.exp() if self.three else 1e-2
        return {"loss": (self.low(x) - y).square().mean() + scale * penalty}

    three = False


class Top(Problem):
    def training_step(self, batch: Any) -> Any:
        x, y = batch
        return (self.low(x) - y).abs().mean() + self.mid(y.square()).square().mean()


class Counting(Env):
    def __init__(self) -> None:
        self.seen = 0

    def state_dict(self) -> dict[str, Any]:
        return {"seen": self.seen}

    def load_state_dict(self, state: Any) -> None:
        self.seen = state["seen"]


class Validated(Engine):
    def validation(self) -> dict[str, Any]:
        self.env.seen += 1
        x = torch.linspace(-1, 1, 6, dtype=torch.float64).reshape(2, 3)
        return {"loss": self.low(x).square().sum()}


def loader(seed: int, *, own: bool = False) -> Any:
    g = torch.Generator().manual_seed(seed)
    x, y = (torch.randn(10, n, generator=g, dtype=torch.float64) for n in (3, 1))
    return torch.utils.data.DataLoader(
        torch.utils.data.TensorDataset(x, y),
        batch_size=4,
        shuffle=True,
        generator=torch.Generator().manual_seed(seed) if own else None,
    )


def program(kind: str, train_iters: int = 12, **options: Any) -> Engine:
    """Return a program with all that a checkpoint has to keep."""
    torch.manual_seed(1)
    three = kind in ("trilevel", "unrolled trilevel")
    net = nn.Sequential(
        nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Tanh(), nn.Dropout(0.3), nn.Linear(4, 1)
    ).double()
    weights = nn.Sequential(nn.Linear(1, 3), nn.Tanh(), nn.Linear(3, 1)).double()
    lr = torch.optim.lr_scheduler
    optimizer = torch.optim.AdamW(net.parameters(), 0.03)
    configs = {
        "trilevel": (typed(type="darts", unroll_steps=2), typed(type="cg", cg_iterations=2)),
        "unrolled trilevel": (
            typed(type="unroll", unroll_steps=2),
            typed(type="sama", unroll_steps=2),
        ),
        "rolled back": (typed(type="sama", unroll_steps=3, roll_back=True), Config()),
    }
    if kind in configs:
        low_config, mid_config = configs[kind]
    elif kind == "zero_order":
        few = Antithetic(num_samples=2, sigma=0.01)
        low_config, mid_config = Config(diff=ZeroOrder(few), unroll_steps=3), Config()
    else:
        low_config = typed(type=kind, unroll_steps=3, cg_iterations=2, neumann_alpha=0.01)
        mid_config = Config()
    cosine = lr.CosineAnnealingLR(optimizer, 7)
    low = Low("low", low_config, net, optimizer, scheduler=cosine, train_data_loader=loader(3))
    above = torch.optim.Adam(weights.parameters(), 0.02)
    plateau = lr.ReduceLROnPlateau(above, patience=0, factor=0.7)
    data = loader(4, own=True)
    mid = Mid("mid", mid_config, weights, above, scheduler=plateau, train_data_loader=data)
    problems: list[Problem] = [low, mid]
    edges: dict[str, Any] = {"u2l": {"mid": ["low"]}, "l2u": {"low": ["mid"]}}
    if three:
        mid.three = True
        scale = torch.tensor(-3.0, dtype=torch.float64, requires_grad=True)
        sgd = torch.optim.SGD([scale], 0.1, momentum=0.9)
        data = loader(5)
        problems.append(Top("top", optimizer=sgd, train_data_loader=data, params=scale))
        edges = {
            "u2l": {"mid": ["low"], "top": ["mid"]},
            "l2u": {"low": ["mid", "top"], "mid": ["top"]},
        }
    config = EngineConfig(train_iters=train_iters, valid_step=2, **options)
    return Validated(problems, config, edges, Counting())


def everything(engine: Engine) -> Any:
    """Return all that a run consists of."""
    found: list[Any] = [engine.global_step, engine.env.seen, torch.get_rng_state()]
    for p in engine.problems:
        found += [t.detach().clone() for t in p.parameters()]
        if p.module is not None:
            found += [b.clone() for b in p.module.buffers()]
        found += [p.optimizer.state_dict(), p.count]
        if p.scheduler is not None:
            state = p.scheduler.state_dict()
            found.append({k: v for k, v in state.items() if isinstance(v, (int, float, list))})
    return found

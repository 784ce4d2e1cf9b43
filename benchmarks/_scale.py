"""What a metagradient of a language model asks for: its weights of examples, and two-level programs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

import torchopt
from benchmarks._transformer import Transformer
from torchopt.diff import Explicit, Implicit, OneStep
from torchopt.multilevel import Config, Engine, EngineConfig, Problem

Step = Callable[[], tuple[Tensor, ...]]

#: The shapes of GPT-2's models, of one of 10 million parameters, and of one for tests.
SIZES: dict[str, dict[str, int]] = {
    "tiny": {"width": 8, "blocks": 1, "heads": 2, "tokens": 11, "length": 6},
    "10M": {"width": 256, "blocks": 6, "heads": 8, "tokens": 20_000, "length": 128},
    "124M": {"width": 768, "blocks": 12, "heads": 12, "tokens": 50_257, "length": 256},
    "355M": {"width": 1024, "blocks": 24, "heads": 16, "tokens": 50_257, "length": 256},
}
EXAMPLES, BATCH, RATE, EPS = 64, 8, 3e-4, 1e-6


def training(case: dict[str, Any]) -> Step:
    """Train by ``torch.optim.AdamW``: the unit of the other rows."""
    net, each, (train, _), order = _parts(case)
    optimizer = torch.optim.AdamW(net.parameters(), lr=RATE, eps=EPS)

    def step() -> tuple[Tensor, ...]:
        loss = each(net, train[order[0]]).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return (loss.detach(),)

    return step


def metagradient(case: dict[str, Any]) -> Step:
    """Differentiate a loss on other examples by the weights of those of ``case["steps"]`` steps."""
    net, each, (train, held), order = _parts(case)
    start = {name: p.detach() for name, p in net.named_parameters()}
    weights = _weights(case)
    tx = torchopt.adamw(RATE, eps=EPS)
    more = {"micro_batches": case["micro_batches"]} if "micro_batches" in case else {}

    def loss(params: Any, weights: Tensor, at: Tensor) -> Tensor:
        return (weights[at] * each(_at(net, params), train[at])).mean()

    def outer() -> Tensor:
        # The solution, which the backward pass does not need, would take three times the model.
        params = torchopt.minimize(
            *(loss, start, (weights,)),
            solver=tx,
            steps=case["steps"],
            batches=order,
            diff=Explicit(**case["mode"]),
            **more,
        ).params
        return each(_at(net, params), held).mean()

    return lambda: torch.autograd.grad(outer(), weights)


def implicit(case: dict[str, Any]) -> Step:
    """Differentiate at a given point by three products with the Hessian; the run is not counted."""
    net, each, (train, held), order = _parts(case)
    start = {name: p.detach() for name, p in net.named_parameters()}
    weights = _weights(case)
    solve = torchopt.linear_solve.CG(maxiter=3, ridge=1.0, rtol=0.0, on_failure="ignore")

    def loss(params: Any, weights: Tensor) -> Tensor:
        return (weights[order[0]] * each(_at(net, params), train[order[0]])).mean()

    def step() -> tuple[Tensor, ...]:
        solution = torchopt.minimize(
            *(loss, start, (weights,)),
            solver=lambda params, *_: params,
            diff=Implicit(linear_solve=solve),
        )
        return torch.autograd.grad(each(_at(net, solution.params), held).mean(), weights)

    return step


def program(case: dict[str, Any]) -> Step:
    """One turn of a two-level program, in which a network weighs the examples by their losses."""
    net, each, (train, held), order = _parts(case)
    torch.manual_seed(1)
    weigh = nn.Sequential(nn.Linear(1, 100), nn.ReLU(), nn.Linear(100, 1), nn.Sigmoid())
    weigh = weigh.to(case["device"], getattr(torch, case["dtype"]))

    class Model(Problem):
        def training_step(self, batch: Tensor) -> Tensor:
            losses = each(self.module, batch)
            known = losses.detach().to(next(weigh.parameters()).dtype)[:, None]
            return (self.weights.module(known)[:, 0] * losses).mean()

    class Weights(Problem):
        def training_step(self, batch: Tensor) -> Tensor:
            return each(self.model.module, batch).mean()

    modes = {"SAMA": OneStep(), "DARTS": OneStep(RATE)}
    lower = Model(
        "model",
        Config(diff=modes[case["mode"]], precision=case.get("precision")),
        net,
        torch.optim.AdamW(net.parameters(), lr=RATE, eps=EPS),
        train_data_loader=[train[at] for at in order],
    )
    upper = Weights(
        "weights",
        Config(precision=case.get("precision")),
        weigh,
        torch.optim.Adam(weigh.parameters(), lr=1e-4),
        train_data_loader=[held],
    )
    engine = Engine(
        [upper, lower],
        EngineConfig(train_iters=10**6),
        {"u2l": {upper: [lower]}, "l2u": {lower: [upper]}},
    )

    def step() -> tuple[Tensor, ...]:
        engine.train_step()
        return tuple(weigh.parameters())

    return step


def _parts(
    case: dict[str, Any],
) -> tuple[nn.Module, Callable[..., Tensor], tuple[Tensor, Tensor], Tensor]:
    """Return the network, its losses of some examples, examples, and which of them each step takes."""
    size = SIZES[case["size"]]
    torch.manual_seed(0)
    with torch.device(case["device"]):
        net = Transformer(**size, call=_remat if case.get("remat") else None)
    net.to(getattr(torch, case["dtype"]))
    net.head.weight = net.embed.weight  # as in GPT-2
    for p in net.parameters():
        if p.dim() > 1:
            nn.init.normal_(p, std=0.02)
    generator = torch.Generator().manual_seed(1)
    text = [
        torch.randint(5, (count, size["length"] + 1), generator=generator).cumsum(1)
        % size["tokens"]
        for count in (EXAMPLES, BATCH)
    ]
    order = torch.randperm(EXAMPLES, generator=generator).view(-1, BATCH)
    order = order.repeat(-(-case["steps"] // len(order)), 1)[: case["steps"]]

    def each(call: Callable[[Tensor], Tensor], text: Tensor) -> Tensor:
        """Return the loss of each example, with the scores of a call."""
        with torch.autocast(case["device"], torch.bfloat16, enabled=bool(case.get("autocast"))):
            before, after = text[:, :-1], text[:, 1:]
            scores = call(before)
            losses = cross_entropy(scores.flatten(0, 1), after.flatten(), reduction="none")
            return losses.view(len(text), -1).mean(1)

    train, held = (t.to(case["device"]) for t in text)
    return net, each, (train, held), order.to(case["device"])


def _at(net: nn.Module, params: Any) -> Callable[[Tensor], Tensor]:
    """Return a call of the network with other parameters."""
    return lambda text: torchopt.nn.functional_call(net, params, (text,))


def _weights(case: dict[str, Any]) -> Tensor:
    dtype = getattr(torch, case["dtype"])
    return torch.ones(EXAMPLES, dtype=dtype, device=case["device"], requires_grad=True)


def _remat(block: Callable[..., Any], *args: Any) -> Any:
    return torchopt.remat(block)(*args)

"""One long unroll with a memory policy: the meta-gradient of the start and of the learning rate."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

import torchopt
from benchmarks._maml import LEARNING_RATE
from benchmarks._transformer import Transformer, token_loss

Params = tuple[Tensor, ...]
Step = Callable[[], tuple[Tensor, ...]]
TOKENS, CLASSES, EPS = 128, 10, 1e-4


class Problem(NamedTuple):
    """A loss of parameters on a batch, where they start, their learning rate, and two batches."""

    loss: Callable[[Params, Any], Tensor]
    start: Params
    lr: Tensor
    data: tuple[Tensor, ...]
    held: tuple[Tensor, ...]


def problem(case: dict[str, Any]) -> Problem:
    """Return the problem of a case."""
    torch.manual_seed(0)
    place = {"dtype": getattr(torch, case["dtype"]), "device": case["device"]}
    make, draw, criterion = PROBLEMS[case["model"]]
    module = make(case).double().to(**place)
    data, held = (tuple(_put(t, place) for t in draw(case)) for _ in range(2))
    fmodel = functools.partial(torchopt.nn.functional_call, module)
    start = tuple(module.parameters())
    lr = torch.tensor(LEARNING_RATE[case["optimizer"]], **place, requires_grad=True)

    def loss(at: Params, batch: tuple[Tensor, ...]) -> Tensor:
        value: Tensor = criterion(fmodel(at, batch[0]), batch[1])
        return value

    return Problem(loss, start, lr, data, held)


def unroll(case: dict[str, Any]) -> Step:
    """Unroll ``case["steps"]`` steps with the policy of the case.

    Of forward mode it is the derivative by the learning rate alone: it is for few hyperparameters.
    """
    loss, start, lr, data, held = problem(case)
    adam = {"eps": EPS} if case["optimizer"] == "adam" else {}
    mode = torchopt.diff.Explicit(**case.get("mode", {}))
    micro_batches = {"micro_batches": case["micro_batches"]} if "micro_batches" in case else {}
    if mode.memory == "forward":
        start = tuple(p.detach() for p in start)
    meta = [lr, *(p for p in start if p.requires_grad)]

    def run() -> tuple[Tensor, ...]:
        solution = torchopt.minimize(
            loss,
            start,
            solver=getattr(torchopt.optimizers, case["optimizer"])(lr, **adam),
            steps=case["steps"],
            batches=lambda step: data,
            diff=mode,
            **micro_batches,
        )
        return torch.autograd.grad(loss(solution.params, held), meta)

    return run


def by_hand(case: dict[str, Any]) -> Step:
    """Unroll steps of gradient descent with nothing but torch, with the whole graph."""
    loss, start, lr, data, held = problem(case)

    def run() -> tuple[Tensor, ...]:
        params = start
        for _ in range(case["steps"]):
            grads = torch.autograd.grad(loss(params, data), params, create_graph=True)
            params = tuple(p - lr * g for p, g in zip(params, grads, strict=True))
        return torch.autograd.grad(loss(params, held), [lr, *start])

    return run


class Perceptron(nn.Module):
    """Linear layers, each after the first behind a normalization.

    Args:
        width: The number of channels of all layers, and of the input.
        blocks: The number of hidden layers.
        call: Calls a hidden layer with its input.
    """

    def __init__(self, width: int, blocks: int, call: Callable[..., Any] | None) -> None:
        super().__init__()
        self.call = call
        self.hidden = nn.Sequential(
            *(
                nn.Sequential(nn.Linear(width, width), nn.LayerNorm(width), nn.GELU())
                for _ in range(blocks)
            )
        )
        self.head = nn.Linear(width, CLASSES)

    def forward(self, x: Tensor) -> Tensor:
        """Return the scores of the classes."""
        for layer in self.hidden:
            x = layer(x) if self.call is None else self.call(layer, x)
        return self.head(x)


def _remat(block: Callable[..., Any], *args: Any) -> Any:
    return torchopt.remat(block)(*args)


CALLS: dict[str | None, Callable[..., Any] | None] = {None: None, "remat": _remat}


def _put(x: Tensor, place: dict[str, Any]) -> Tensor:
    return x.to(**place) if x.is_floating_point() else x.to(place["device"])


def _transformer(case: dict[str, Any]) -> nn.Module:
    return Transformer(
        width=case["width"],
        blocks=case["blocks"],
        heads=8,
        tokens=TOKENS,
        length=case["length"],
        call=CALLS[case.get("call")],
    )


def _text(case: dict[str, Any]) -> tuple[Tensor, Tensor]:
    text = torch.randint(TOKENS, (case["examples"], case["length"] + 1))
    return text[:, :-1], text[:, 1:]


def _perceptron(case: dict[str, Any]) -> nn.Module:
    return Perceptron(case["width"], case["blocks"], CALLS[case.get("call")])


def _classified(case: dict[str, Any]) -> tuple[Tensor, Tensor]:
    x = torch.randn(case["examples"], case["width"], dtype=torch.float64)
    return x, torch.randint(CLASSES, (case["examples"],))


PROBLEMS: dict[str, tuple[Callable[..., Any], ...]] = {
    "transformer": (_transformer, _text, token_loss),
    "mlp": (_perceptron, _classified, cross_entropy),
}

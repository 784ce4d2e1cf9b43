"""A program of a user, as type checkers see it: `make types` reads it, and ``test_classes`` runs it.

Each ``type: ignore`` is a mistake that a checker must refuse: an unused one is an error.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

import torchopt


class MyAdam(torchopt.optim.Adam):
    """Adam with other defaults."""

    def __init__(self, net: torch.nn.Module, lr: float) -> None:
        super().__init__(net.parameters(), lr, amsgrad=True)


class MyMetaSGD(torchopt.MetaSGD):
    """A subclass with the constructor of its base."""


def train(optimizer: torchopt.optim.Adam, net: torch.nn.Module) -> None:
    """Take an instance of a class, or of a subclass."""
    optimizer.zero_grad()
    torch.autograd.backward(net(torch.ones(1, 2)).sum())
    optimizer.step()


def hyperparameters(rate: torch.Tensor, rates: dict[str, float]) -> int:
    """Give hyperparameters in each form."""

    def schedule(step: torch.Tensor) -> torch.Tensor:
        return rate / (step + 1)

    made = [
        torchopt.adam(1),
        torchopt.adam(rate, (0.9, rate), eps=rate.square()),
        torchopt.adam(schedule, weight_decay=lambda step: 0.1 / (step + 1)),
        torchopt.adam(torchopt.schedule.linear_schedule(0.1, 0.0, 5)),
        torchopt.adam(torchopt.schedule.table_schedule(rate)),
        torchopt.adam({"w": rate, "b": 0.1}),
        torchopt.adam(rates, betas=(rates, 0.99)),
        torchopt.adam((rate, [0.1, schedule])),
        torchopt.adamw(0.1, mask={"w": True}),
        torchopt.adamw(0.1, mask=lambda params: dict.fromkeys(params, True)),
        torchopt.optimizers.adan(0.1, (0.9, 0.9, 0.99), eps=1e-6),
        torchopt.transform.scale_by_adam((0.9, rate)),
    ]
    return len(made)


def parameters(net: torch.nn.Module) -> int:
    """Give parameters in each form."""
    p = torch.nn.Parameter(torch.ones(1))
    made = [
        torchopt.optim.Adam(p),
        torchopt.optim.Adam([p]),
        torchopt.optim.Adam({"w": p}),
        torchopt.optim.Adam(net.named_parameters()),
        torchopt.optim.Adam([{"params": [p], "lr": 0.1}]),
        torchopt.optim.Adam([{"params": net.parameters(), "lr": 0.1}, {"params": [p]}]),
        torchopt.Optimizer((p, {"b": p.detach().clone().requires_grad_()}), torchopt.sgd(0.1)),
    ]
    return len(made)


def accepted(net: torch.nn.Module) -> list[torchopt.MetaOptimizer]:
    """Call constructors by position and by name."""
    train(MyAdam(net, 0.1), net)
    train(torchopt.optim.Adam(params=net.parameters(), lr=0.1, betas=(0.9, 0.99)), net)
    plain: list[torchopt.Optimizer] = [
        torchopt.optim.SGD(net.parameters(), 0.1, 0.9, weight_decay=0.0, maximize=True),
        torchopt.optim.SGD(net.parameters()),
        torchopt.optim.RMSprop(net.parameters()),
        torchopt.optim.RAdam(net.parameters()),
        torchopt.Optimizer(net.parameters(), torchopt.adam(0.1)),
    ]
    assert len(plain) == 5
    return [
        torchopt.MetaAdam(module=net, lr=0.1, moment_requires_grad=False),
        torchopt.MetaSGD(net, 0.1, 0.9, nesterov=False, moment_requires_grad=True),
        MyMetaSGD(net, lr=0.1),
        torchopt.optim.MetaAdamax(net),
    ]


if TYPE_CHECKING:
    some = torch.nn.Linear(2, 1)
    torchopt.optim.Adam(some.parameters(), learning_rate=0.1)  # type: ignore[call-arg]
    torchopt.optim.Adam(some.parameters(), maximize="yes")  # type: ignore[arg-type]
    torchopt.optim.Adam()  # type: ignore[call-arg]
    torchopt.optim.Adam(some.parameters(), 1, (0.9, 0.9), 1, 1, 1)  # type: ignore[call-arg]
    torchopt.MetaAdam(some.parameters())  # type: ignore[arg-type]
    torchopt.MetaAdam(params=some)  # type: ignore[call-arg]
    torchopt.MetaSGD(some, 0.1, 0.9, maximize="no")  # type: ignore[arg-type]
    torchopt.optim.SGD(some.parameters(), 0.1, 0.9, 0.0)  # type: ignore[call-arg]
    torchopt.adam(learning_rate=0.1)  # type: ignore[call-arg]
    torchopt.adam("0.1")  # type: ignore[arg-type]
    torchopt.adam(lr=None)  # type: ignore[arg-type]
    torchopt.adam(0.1, eps="1e-8")  # type: ignore[arg-type]
    torchopt.adam(0.1, betas=0.9)  # type: ignore[arg-type]
    torchopt.adam(0.1, (0.9, None))  # type: ignore[arg-type]
    torchopt.adamw(0.1, mask="w")  # type: ignore[arg-type]
    torchopt.optimizers.adan(0.1, (0.9, 0.9))  # type: ignore[arg-type]
    torchopt.optimizers.adan(0.1, (0.9, 0.9, 0.9), 1e-8)  # type: ignore[call-arg]
    torchopt.transform.scale_by_adam("0.9")  # type: ignore[arg-type]
    torchopt.sgd(0.1).update(some.weight, (), some.weight, True)  # type: ignore[call-arg]
    torchopt.sgd(0.1).update(some.weight, (), value=0.1)  # type: ignore[arg-type]
    torchopt.schedule.cosine_decay_schedule(0.1, 10, 0.5)  # type: ignore[call-arg]
    torchopt.schedule.table_schedule(0.1)  # type: ignore[arg-type]
    torchopt.optim.Adam(some.parameters(), "0.1")  # type: ignore[arg-type]
    torchopt.optim.Adam(some)  # type: ignore[arg-type]
    torchopt.MetaAdam(some, lr=None)  # type: ignore[arg-type]
    torchopt.optim.Adam(some.parameters()).forward()  # type: ignore[attr-defined]
    meta: torchopt.MetaAdam = torchopt.optim.Adam(some.parameters())  # type: ignore[assignment]
    stepped: str = torchopt.optim.Adam(some.parameters()).step(lambda: 1.0)  # type: ignore[assignment]
    taken: torchopt.optim.ModuleState = torchopt.extract_state_dict(some)
    named: torchopt.optim.ModuleState = torchopt.extract_state_dict(torchopt.MetaSGD(some))  # type: ignore[assignment]
    torchopt.recover_state_dict(some, 3)  # type: ignore[arg-type]
    torchopt.from_torch(some)  # type: ignore[arg-type]
    torchopt.transform.MultiSteps(torchopt.sgd(0.1), 2, False)  # type: ignore[call-arg]
    torchopt.transform.scale_by_kron(0.1, 0.9, 1e-9)  # type: ignore[call-arg]
    torchopt.transform.project(0.5)  # type: ignore[arg-type]
    torchopt.checkpoint.save({}, 3)  # type: ignore[arg-type]
    torchopt.vmap_tasks(torch.sum, in_dims=0.5)  # type: ignore[call-overload]
    torchopt.multilevel.Engine([]).save(None)  # type: ignore[arg-type]
    torchopt.logging.make_sink(3)  # type: ignore[arg-type]

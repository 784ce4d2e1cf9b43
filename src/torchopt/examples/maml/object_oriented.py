"""The same in object-oriented style: modules that change, and whose states are put back.

After the inner steps the module's parameters are functions of the ``Parameter`` objects that it was
made with, so that ``backward`` on the outer loss ends there.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

import torchopt
from torchopt.examples.maml.config import Config
from torchopt.examples.maml.outer import outer_lr
from torchopt.examples.maml.problem import Problem, Tasks

__all__ = ["ObjectOrientedLearner", "forget_graph"]


def forget_graph() -> torchopt.base.GradientTransformation:
    """Take gradients for constants, which makes an inner loop first-order."""
    return torchopt.base.GradientTransformation(
        init=lambda params: torchopt.base.EmptyState(),
        update=lambda updates, state, *, params=None, inplace=True: (
            torchopt.pytree.tree_map(torch.Tensor.detach, updates),
            state,
        ),
    )


class ObjectOrientedLearner:
    """Learns a start from which a few steps of gradient descent learn a task.

    Args:
        config: The algorithm and its settings.
        problem: The tasks.
        network: Where to start from; it is trained in place.
    """

    def __init__(self, config: Config, problem: Problem, network: nn.Module) -> None:
        self._config, self._problem, self._net = config, problem, network
        self._params = list(network.parameters())
        self._rates: dict[str, torch.Tensor] = {}
        if config.algorithm == "metasgd":
            self._rates = {
                name: torch.full_like(p, config.inner_lr, requires_grad=True)
                for name, p in network.named_parameters()
            }
        self._meta = [*self._params, *self._rates.values()]
        self._outer = torchopt.Adam(self._meta, lr=outer_lr(config))

    def step(self, tasks: Tasks) -> tuple[torch.Tensor, torch.Tensor]:
        """Do one meta-step; return the tasks' mean loss and score after adaptation."""
        self._outer.zero_grad()
        start = torchopt.extract_state_dict(self._net, by="reference", detach_buffers=True)
        losses, scores = [], []
        for task in zip(*tasks, strict=True):
            x, y, query_x, query_y = task
            if self._config.algorithm == "reptile":
                x = query_x = torch.cat([x, query_x])
                y = query_y = torch.cat([y, query_y])
            self._adapt(x, y, self._config.inner_steps)
            output = self._net(query_x)
            loss = self._problem.loss(output, query_y)
            if self._config.algorithm == "reptile":
                for p, adapted in zip(self._params, self._net.parameters(), strict=True):
                    away = (p - adapted).detach() / len(tasks.support_x)
                    p.grad = away if p.grad is None else p.grad + away
            else:
                (loss / len(tasks.support_x)).backward()
            torchopt.recover_state_dict(self._net, start)
            losses.append(loss.detach())
            scores.append(self._problem.score(output.detach(), query_y))
        self._outer.step()
        return torch.stack(losses).mean(), torch.stack(scores).mean()

    def predict(self, tasks: Tasks, *, steps: int) -> torch.Tensor:
        """Adapt to each task by so many steps; return the outputs for its queries."""
        start = torchopt.extract_state_dict(self._net, by="reference", detach_buffers=True)
        outputs = []
        for x, y, query_x, _ in zip(*tasks, strict=True):
            self._adapt(x, y, steps)
            outputs.append(self._net(query_x).detach())
            torchopt.recover_state_dict(self._net, start)
        return torch.stack(outputs)

    def _adapt(self, x: torch.Tensor, y: torch.Tensor, steps: int) -> None:
        """Do some steps of gradient descent on one task, in the module."""
        adapted = self._net.get_submodule("head") if self._config.algorithm == "anil" else self._net
        lr = self._rates or self._config.inner_lr
        inner: torchopt.MetaOptimizer
        if self._config.algorithm in ("fomaml", "reptile"):
            inner = torchopt.MetaOptimizer(
                adapted, torchopt.chain(forget_graph(), torchopt.sgd(lr))
            )
        else:
            inner = torchopt.MetaSGD(adapted, lr=lr)
        for _ in range(steps):
            inner.step(self._problem.loss(self._net(x), y))

    def state_dict(self) -> dict[str, Any]:
        """Return the meta-parameters and the outer optimizer's state."""
        return {"meta": [p.detach() for p in self._meta], "outer": self._outer.state_dict()}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Take over what :meth:`state_dict` returned."""
        with torch.no_grad():
            for p, value in zip(self._meta, state["meta"], strict=True):
                p.copy_(value)
        self._outer.load_state_dict(state["outer"])

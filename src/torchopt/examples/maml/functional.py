"""Meta-learning in functional style: the meta-gradient is the gradient of a function.

``adapt`` is the solution map from the start to the adapted parameters; the rest differentiates
through it, for all tasks at once.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from torch import nn

import torchopt
from torchopt.examples.maml.config import Config
from torchopt.examples.maml.outer import outer_lr
from torchopt.examples.maml.problem import Problem, Tasks
from torchopt.nn import functional_call

__all__ = ["FunctionalLearner", "Meta"]

Params = dict[str, torch.Tensor]


class Meta(NamedTuple):
    """What the outer loop learns.

    Attributes:
        params: The start of the inner loop.
        rates: Meta-SGD's learning rates, shaped like the parameters; otherwise none.
    """

    params: Params
    rates: Params


class FunctionalLearner:
    """Learns a start from which a few steps of gradient descent learn a task.

    Args:
        config: The algorithm and its settings.
        problem: The tasks.
        network: Where to start from; it is copied.
    """

    def __init__(self, config: Config, problem: Problem, network: nn.Module) -> None:
        self._config, self._problem = config, problem
        self._network = copy.deepcopy(network)
        params = {name: p.detach().clone() for name, p in network.named_parameters()}
        rates = {}
        if config.algorithm == "metasgd":
            rates = {name: torch.full_like(p, config.inner_lr) for name, p in params.items()}
        self.meta = Meta(params, rates)
        self._outer = torchopt.adam(outer_lr(config))
        self._state = self._outer.init(self.meta)
        gradient = self._reptile if config.algorithm == "reptile" else self._meta_gradient
        self._gradient = torch.compile(gradient, fullgraph=True) if config.compile else gradient

    def step(self, tasks: Tasks) -> tuple[torch.Tensor, torch.Tensor]:
        """Do one meta-step; return the tasks' mean loss and score after adaptation."""
        grads, loss, score = self._gradient(self.meta, tasks)
        updates, self._state = self._outer.update(
            grads, self._state, params=self.meta, inplace=False
        )
        self.meta = torchopt.apply_updates(self.meta, updates, inplace=False)
        return loss, score

    def outputs(self, params: Params, x: torch.Tensor) -> torch.Tensor:
        """Return what the network says with these parameters."""
        outputs: torch.Tensor = functional_call(self._network, params, x)
        return outputs

    def predict(self, tasks: Tasks, *, steps: int) -> torch.Tensor:
        """Adapt to each task by so many steps; return the outputs for its queries."""

        def predict_one(task: Tasks) -> torch.Tensor:
            adapted = self.adapt(self.meta, task.support_x, task.support_y, steps)
            return self.outputs(adapted, task.query_x)

        with torch.no_grad():
            return self._each(predict_one)(tasks)

    def adapt(self, meta: Meta, x: torch.Tensor, y: torch.Tensor, steps: int) -> Params:
        """Return the parameters after some steps of gradient descent on one task."""
        start = meta.params
        if self._config.algorithm == "anil":  # it adapts the head only
            start = {name: p for name, p in start.items() if name.startswith("head.")}

        def objective(params: Params) -> torch.Tensor:
            return self._problem.loss(self.outputs({**meta.params, **params}, x), y)

        solution = torchopt.minimize(
            objective,
            start,
            solver=torchopt.sgd(meta.rates or self._config.inner_lr),
            steps=steps,
            diff=torchopt.diff.Explicit(
                first_order=self._config.algorithm in ("fomaml", "reptile")
            ),
        )
        return {**meta.params, **solution.params}

    def _meta_gradient(self, meta: Meta, tasks: Tasks) -> tuple[Meta, torch.Tensor, torch.Tensor]:
        gradient = torch.func.grad_and_value(self._outer_loss, has_aux=True)
        grads, (loss, score) = gradient(meta, tasks)
        return grads, loss, score

    def _outer_loss(self, meta: Meta, tasks: Tasks) -> tuple[torch.Tensor, torch.Tensor]:
        def one(task: Tasks) -> tuple[torch.Tensor, torch.Tensor]:
            adapted = self.adapt(meta, task.support_x, task.support_y, self._config.inner_steps)
            return self._judge(adapted, task.query_x, task.query_y)

        loss, score = self._each(one)(tasks)
        return loss.mean(), score.detach().mean()

    def _reptile(self, meta: Meta, tasks: Tasks) -> tuple[Meta, torch.Tensor, torch.Tensor]:
        """Move the start towards the adapted parameters; learn from all examples of a task."""

        def one(task: Tasks) -> tuple[Params, torch.Tensor, torch.Tensor]:
            x, y = (
                torch.cat([task.support_x, task.query_x]),
                torch.cat([task.support_y, task.query_y]),
            )
            adapted = self.adapt(meta, x, y, self._config.inner_steps)
            return adapted, *self._judge(adapted, x, y)

        with torch.no_grad():
            adapted, loss, score = self._each(one)(tasks)
            away = {name: p - adapted[name].mean(0) for name, p in meta.params.items()}
        return Meta(away, {}), loss.mean(), score.mean()

    def _judge(
        self, params: Params, x: torch.Tensor, y: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        output = self.outputs(params, x)
        return self._problem.loss(output, y), self._problem.score(output, y)

    def _each(self, function: Callable[[Tasks], Any]) -> Callable[[Tasks], Any]:
        """Return the function of a batch of tasks: vmapped, or a loop that stacks the results."""
        if self._config.vmap:
            return torch.func.vmap(function)

        def loop(tasks: Tasks) -> Any:
            results = [function(Tasks(*task)) for task in zip(*tasks, strict=True)]
            return torchopt.pytree.tree_map(lambda *leaves: torch.stack(leaves), *results)

        return loop

    def __getstate__(self) -> dict[str, Any]:
        """Return what a worker needs to adapt: neither the data nor the outer loop."""
        kept = {name: self.__dict__[name] for name in ("_config", "_network")}
        return {**kept, "_problem": type(self._problem)}

    def state_dict(self) -> dict[str, list[torch.Tensor]]:
        """Return the meta-parameters and the outer optimizer's state."""
        return {
            "meta": torchopt.pytree.tree_leaves(self.meta),
            "outer": torchopt.pytree.tree_leaves(self._state),
        }

    def load_state_dict(self, state: dict[str, list[torch.Tensor]]) -> None:
        """Take over what :meth:`state_dict` returned."""
        self.meta = _with_leaves(self.meta, state["meta"])
        self._state = _with_leaves(self._state, state["outer"])


def _with_leaves(tree: Any, leaves: list[torch.Tensor]) -> Any:
    return torchopt.pytree.tree_unflatten(torchopt.pytree.tree_structure(tree), leaves)

"""The state of one problem: everything that its steps change."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch

from torchopt.multilevel._node import Node
from torchopt.multilevel._problem import Problem


def problem_state(node: Node) -> dict[str, Any]:
    """Return everything that a problem's steps change."""
    problem = node.problem
    return {
        **problem.state_dict(),
        "held": [p.detach().clone() for p in problem._held],
        "precision": node.precision.state_dict(),
        "count": problem.count,
        "partial": node.partial,
        "kinds": kinds_of(problem),
    }


def load_problem_state(node: Node, state: Mapping[str, Any]) -> None:
    """Restore a problem from what :func:`problem_state` returned."""
    problem = node.problem
    problem._restore(state)
    with torch.no_grad():
        for p, value in zip(problem._held, state["held"], strict=True):
            p.copy_(value)
    node.precision.load_state_dict(state["precision"])
    problem.count = state["count"]
    node.partial = state["partial"] and [
        g if g is None else g.to(p.device)
        for g, p in zip(state["partial"], node.tensors, strict=True)
    ]


def kinds_of(problem: Problem) -> dict[str, Any]:
    """Return the types of optimizer and scheduler, and the sizes of the parameter groups."""
    groups = problem.optimizer.param_groups
    return {
        "optimizer": type(problem.optimizer).__name__,
        "scheduler": type(problem.scheduler).__name__,
        "sizes of groups": [len(group["params"]) for group in groups],
    }

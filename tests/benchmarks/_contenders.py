"""Contenders for the tests of the runner and the lanes."""

import os
from collections.abc import Callable
from typing import Any

import torch


def square(case: dict[str, Any]) -> Callable[[], tuple[torch.Tensor, ...]]:
    x = torch.tensor([[1.0, 2.0], [3.0, case["last"]]], dtype=getattr(torch, case["dtype"]))

    def step() -> tuple[torch.Tensor, ...]:
        print("a package that talks")
        return x * x, x.sum()

    return step


def allocate(case: dict[str, Any]) -> Callable[[], object]:
    return lambda: torch.ones(case["steps"] * 2**18).sum()  # a MiB a step


def broken(case: dict[str, Any]) -> Callable[[], object]:
    raise KeyError("no such thing")


def deadly(case: dict[str, Any]) -> Callable[[], object]:
    os._exit(3)

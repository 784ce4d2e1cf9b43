"""Random formulas of every operation that can be recorded, at arguments where they are smooth."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch

Choose = Callable[[Sequence[Any]], Any]
#: What a formula is made of: the name of an argument, a number, or an operation and its operands.
Node = Any

UNARY: dict[str, Callable[[Any], Any]] = {
    "sqrt": lambda x: torch.sqrt(x * x + 0.5),
    "exp": lambda x: torch.exp(-x * x),
    "log": lambda x: torch.log(x * x + 0.5),
    "tanh": torch.tanh,
    "abs": lambda x: torch.abs(x + 0.0123),
    "sign": lambda x: torch.sign(x + 0.0123) * x,
    "neg": lambda x: -x,
    "square": torch.square,
    "rsqrt": lambda x: torch.rsqrt(x * x + 0.5),
    "reciprocal": lambda x: torch.reciprocal(x * x + 0.7),
    "sigmoid": torch.sigmoid,
    "clamp": lambda x: torch.clamp(x, -0.6543, 0.7654),
    "cube": lambda x: x**3,
    "power": lambda x: (x * x + 0.5) ** -1.3,
    "exponent": lambda x: 1.7 ** torch.tanh(x),
}
BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "mul": lambda x, y: x * y,
    "div": lambda x, y: x / (y * y + 0.7),
    "pow": lambda x, y: (x * x + 0.5) ** torch.tanh(y),
    "max": lambda x, y: torch.maximum(x, y + 0.0217),
    "min": lambda x, y: torch.minimum(x, y - 0.0317),
    "where >": lambda x, y: torch.where(x > y + 0.0413, x, 2 * y),
    "where <=": lambda x, y: torch.where(x <= y - 0.0513, x * y, y),
    "lerp": lambda x, y: torch.lerp(x, y, 0.3),
    "addcmul": lambda x, y: torch.addcmul(x, x, y, value=-0.4),
    "addcdiv": lambda x, y: torch.addcdiv(x, y, x * x + 0.7, value=0.4),
}
TENSORS = ("p", "g", "m")
SCALARS = ("lr", "beta")


def draw(choose: Choose, depth: int) -> Node:
    """Return a random expression."""
    kinds = ["leaf"] if depth == 0 else ["unary", "binary", "binary", "leaf"]
    kind = choose(kinds)
    if kind == "unary":
        return choose(sorted(UNARY)), draw(choose, depth - 1)
    if kind == "binary":
        return choose(sorted(BINARY)), draw(choose, depth - 1), draw(choose, depth - 1)
    return choose([*TENSORS, *TENSORS, *SCALARS, 0.7, -1.3])


def names(node: Node) -> Iterator[str]:
    """Yield the operations of an expression."""
    if isinstance(node, tuple):
        name, *operands = node
        yield name
        for operand in operands:
            yield from names(operand)


def evaluate(node: Node, values: dict[str, Any]) -> Any:
    """Evaluate an expression; numbers are met as tensors, as functions of PyTorch want them."""
    if isinstance(node, str):
        return values[node]
    if isinstance(node, float):
        return 0 * values["p"] + node
    name, *operands = node
    arguments = [evaluate(x, values) for x in operands]
    return (UNARY if len(operands) == 1 else BINARY)[name](*arguments)


def formula(nodes: Sequence[Node]) -> Callable[..., tuple[Any, ...]]:
    """Return a formula with one result for each expression; all arguments matter to the first."""

    def function(p: Any, g: Any, m: Any, *, lr: Any, beta: Any) -> tuple[Any, ...]:
        values = {"p": p, "g": g, "m": m, "lr": lr, "beta": beta}
        first, *rest = [evaluate(node, values) for node in nodes]
        return (first + lr * p * g - beta * m, *(p + y for y in rest))

    return function


def seeded(seed: int, depth: int = 3) -> list[Node]:
    """Return the expressions of a formula with two results."""
    choose = random.Random(seed).choice
    return [draw(choose, depth) for _ in range(2)]

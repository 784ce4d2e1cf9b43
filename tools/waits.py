"""Print what everything that steps waits for on a device, and how many Python calls an optimizer makes.

Counted on ``"pretend"`` (`tests/pretend.cpp`), a device that is a GPU to PyTorch and lies in the host's
memory: the operators that give the host a number or a shape, and copies to the host. None may be above
the number in ``waits.json``, as ``tests/test_pretended_device.py`` checks. A solver has one for each
iteration, and more where the step lengths that it guessed were not good. Usage::

    python tools/waits.py          # the table: in the file, now; exits with 1 if one has risen
    python tools/waits.py --write  # writes what has fallen to waits.json
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

ROOT = Path(__file__).resolve().parents[1]
NUMBERS = ROOT / "tools" / "waits.json"
sys.path[:0] = [str(ROOT / name) for name in ("src", "tests", "tools")]  # of this checkout
import trunk  # noqa: E402

import torchopt  # noqa: E402
from _device import pretend  # type: ignore[import-not-found] # noqa: E402
from _public import ALIASES, POLICIES, exported, other_solvers  # type: ignore # noqa: E402
from torchopt import linear_solve  # noqa: E402

OPERATORS = pretend()
DEVICE = torch.device("pretend")
FINDERS = {
    "minimum": lambda x, a: ((x - a) ** 2 * (1 + x.roll(1) ** 2)).sum() + (x.exp() - x).sum(),
    "root": lambda x, a: x.exp() - a + 0.3 * x.roll(1) ** 3,
    "fixed_point": lambda x, a: a - 0.3 * x.roll(1).exp(),
    "least_squares": lambda x, a: torch.cat([x.exp() - a, 1 - x.roll(1)]),
}


def waits(program: Callable[[], Any]) -> int:
    """Count the waits of a program."""
    before = OPERATORS.waits()
    program()
    return int(OPERATORS.waits() - before)


def numbers(size: int = 3, device: Any = DEVICE) -> Tensor:
    """Return some numbers between 0 and 1."""
    return torch.linspace(0.2, 0.9, size, dtype=torch.float64, device="cpu").to(device)


def optimizers() -> dict[str, float]:
    """Return the waits, and the Python calls on a CPU, of the third step of each optimizer."""
    counts: dict[str, float] = {}
    for name, make in ALIASES.items():
        for device in (DEVICE, torch.device("cpu")):
            params = {key: numbers(6, device).view(2, 3) for key in "abcd"}
            step = _stepping(make(lr=0.01), params)

            step()
            step()
            if device is DEVICE:
                counts[f"waits of a step, {name}"] = waits(step)
            else:
                counts[f"Python calls of a step, {name}"] = trunk.calls(step)["call"]
    return counts


def _stepping(optimizer: Any, params: Any) -> Callable[[], None]:
    state = optimizer.init(params)

    def step() -> None:
        nonlocal params, state
        updates, state = optimizer.update(params, state, params=params)
        params = torchopt.apply_updates(params, updates, inplace=False)

    return step


def policies() -> dict[str, float]:
    """Return the waits of a backward pass through four steps, and what each more step adds."""
    counts: dict[str, float] = {}

    def backward(mode: Any, steps: int) -> int:
        a = numbers().requires_grad_()
        solution = torchopt.minimize(
            FINDERS["minimum"], numbers(), (a,), solver=torchopt.adam(0.1), steps=steps, diff=mode
        )
        loss = solution.params.sum()
        return waits(lambda: torch.autograd.grad(loss, a))

    for name, mode in POLICIES.items():
        few, many = backward(mode, 4), backward(mode, 12)
        counts[f"waits of a backward pass of 4 steps, {name}"] = few
        counts[f"waits of each more step, {name}"] = (many - few) / 8
    return counts


def solvers() -> dict[str, float]:
    """Return the waits of an iteration of each solver: of some more, by their number."""
    counts: dict[str, float] = {}
    for name, (solver, kind) in other_solvers({}).items():
        find = torchopt.minimize if kind == "minimum" else getattr(torchopt, kind)

        def run(most: int, solver: Any = solver, find: Any = find, kind: str = kind) -> Any:
            method = replace(solver, maxiter=most, rtol=1e-200, atol=0.0)  # which none meets
            found: list[Any] = []
            count = waits(
                lambda: found.append(find(FINDERS[kind], numbers(), (numbers(),), solver=method))
            )
            return count, int(found[0].iterations)

        (few, first), (many, last) = run(1), run(4)
        if last > first:  # else it has found the very solution
            counts[f"waits of an iteration, {name}"] = (many - few) / (last - first)
    return counts


def linear_solvers() -> dict[str, float]:
    """Return the waits of each linear solver for a system of eight equations."""
    matrix = (numbers(64).view(8, 8) @ numbers(64).view(8, 8).mT + torch.eye(8, device=DEVICE)).mT
    counts: dict[str, float] = {}
    for name, cls in exported(linear_solve, linear_solve.LinearSolver).items():
        solve = partial(cls().solve, partial(torch.mv, matrix), numbers(8))
        counts[f"waits of a system, {name}"] = waits(solve)
    return counts


def measured(kept: dict[str, Any]) -> dict[str, float]:
    """Return all numbers; none if the file has them of other releases."""
    if kept["on"] != trunk.versions():
        return {}
    torch.set_num_threads(1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return optimizers() | policies() | solvers() | linear_solvers()


def main() -> int:
    """Print the table, and compare it with the file."""
    parser = argparse.ArgumentParser(description="Print what steps wait for on a device.")
    parser.add_argument("--write", action="store_true", help="write what has fallen to waits.json")
    options = parser.parse_args()
    kept = trunk.read(NUMBERS)
    now = measured(kept)
    if options.write:
        trunk.write(now, kept, NUMBERS)
    for name, count in now.items():
        print(f"{name:60}{kept['numbers'].get(name, float('nan')):>10,.6g}{count:>10,.6g}")
    print(*trunk.risen(now, kept), sep="\n", end="")
    return bool(trunk.risen(now, kept))


if __name__ == "__main__":
    sys.exit(main())

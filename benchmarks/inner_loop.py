"""Claim: which optimizer in the inner loop matters, for the solution and for its derivative.

Each optimizer of `torchopt.optimizers` does some steps on logistic regression with a penalty for each
feature, with the learning rate that reaches the lowest objective. The derivative of a validation loss
in the penalties, through these steps, is compared with that of the exact solution.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Sequence
from typing import Any

import torch

import torchopt
from benchmarks import _runner
from torchopt.linear_solve import Dense

STEPS = (20, 100)
RATES = [float(10 ** (k / 2)) for k in range(-8, 5)]
#: The width of the sign of optimizers by signs, which have no derivative without one.
WIDTH = 0.1

Objective = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]


def problem() -> tuple[Objective, Objective, torch.Tensor]:
    """Return the objective, the validation loss, and the logarithms of the penalties."""
    generator = torch.Generator().manual_seed(0)
    truth = torch.zeros(4, 5, dtype=torch.float64)
    truth[0, :3] = torch.tensor([2.0, -2.0, 1.5])
    scales = torch.logspace(-1, 0.5, 20, dtype=torch.float64).reshape(5, 4).T

    def sample(n: int) -> tuple[torch.Tensor, torch.Tensor]:
        x = scales * torch.randn(n, 4, 5, generator=generator, dtype=torch.float64)
        chance = (x * truth).sum((1, 2)).sigmoid()
        return x, torch.bernoulli(chance, generator=generator)

    train, validation = sample(60), sample(240)

    def loss(w: torch.Tensor, data: tuple[torch.Tensor, torch.Tensor]) -> torch.Tensor:
        logits = (data[0] * w).sum((1, 2))
        return torch.nn.functional.binary_cross_entropy_with_logits(logits, data[1])

    def objective(w: torch.Tensor, log_penalties: torch.Tensor) -> torch.Tensor:
        return loss(w, train) + 0.5 * (log_penalties.exp() * w.square()).sum()

    penalties = torch.full((4, 5), -3.0, dtype=torch.float64, requires_grad=True)
    return objective, lambda w, _: loss(w, validation), penalties


def variants() -> dict[str, Callable[[Any], Any]]:
    """Return a function of the learning rate for each optimizer, and for its smooth variant."""
    made = {}
    for name in vars(torchopt.optimizers)["__all__"]:
        function = getattr(torchopt.optimizers, name)
        accepted = inspect.signature(function).parameters
        for options in ({}, {"smooth": WIDTH}) if "smooth" in accepted else ({},):
            text = ", ".join([name, *(f"{k}={x}" for k, x in options.items())])
            made[text] = _with_rate(function, "lr" in accepted, options)
    return made


def _with_rate(
    function: Callable[..., Any], has_rate: bool, options: dict[str, float]
) -> Callable[[Any], Any]:
    return lambda lr: function(**options, **({"lr": lr} if has_rate else {}))


def row(name: str, make: Callable[[Any], Any], steps: Sequence[int]) -> list[str]:
    """Return the learning rate, the distance from the minimum, and the error of the derivative."""
    objective, validation, penalties = problem()
    start = torch.full_like(penalties, 0.1)  # trust ratios need a norm

    def derivative(solution: torch.Tensor) -> torch.Tensor:
        value = validation(solution, penalties)
        (found,) = torch.autograd.grad(value, penalties, materialize_grads=True)
        return found

    exact = torchopt.minimize(
        objective,
        start,
        (penalties,),
        solver=torchopt.solver.Newton(),
        diff=torchopt.diff.Implicit(linear_solve=Dense()),
    ).params
    least, truth = objective(exact, penalties).item(), derivative(exact)
    cells = [name]
    for count in steps:

        def reached(lr: Any, count: int = count) -> torch.Tensor:
            return torchopt.minimize(
                objective,
                start,
                (penalties,),
                solver=make(lr),
                steps=count,
                diff=torchopt.diff.Explicit(),
            ).params

        with torch.no_grad():
            ends = torch.func.vmap(reached, randomness="same")(
                torch.tensor(RATES, dtype=torch.float64)
            )
            values = [objective(end, penalties).item() for end in ends]
        best = min(range(len(RATES)), key=lambda k: (math.isnan(values[k]), values[k]))
        error = (derivative(reached(RATES[best])) - truth).norm() / truth.norm()
        cells += [f"{RATES[best]:.1g}", f"{values[best] - least:.1e}", f"{error:.1%}"]
    return cells


def main(argv: Sequence[str] | None = None) -> str:
    """Run the benchmark and return its report."""
    made = _runner.parser("inner_loop", __doc__)
    made.add_argument("--optimizers", nargs="*", help="those whose names begin so; default: all")
    made.add_argument("--steps", type=int, nargs="+", default=list(STEPS))
    options = made.parse_args(argv)
    torch.set_num_threads(options.threads)
    rows = []
    for name, make in variants().items():
        if options.optimizers is None or name.partition(",")[0] in options.optimizers:
            _runner.progress(name)
            rows.append(row(name, make, options.steps))
    header = ["optimizer"]
    for count in options.steps:
        header += [f"lr, {count} steps", "f - min f", "error of the derivative"]
    sections = [
        "The error is relative to the derivative at the exact solution.",
        _runner.table(header, rows),
    ]
    return _runner.write("Optimizers in the inner loop", sections, made=made, options=options)


if __name__ == "__main__":
    main()

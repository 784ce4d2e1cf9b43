"""One problem of a plan: how it is differentiated, in words, and at what cost."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from torchopt import linear_solve
from torchopt.diff import Explicit, Implicit, OneStep, ValueFunction, ZeroOrder
from torchopt.diff.zero_order import Coordinate
from torchopt.io.calls import value_text
from torchopt.multilevel._modes import Descent


@dataclass(frozen=True)
class Cost:
    """The cost of a level between two steps of the level above, including its own training.

    In a level with others below it, each evaluation and product is that of the *total* objective and
    includes the responses of the lower levels.

    Attributes:
        gradients: The number of gradients of the level's loss; None if unknown.
        products: The maximal number of products with second derivatives (Hessian or mixed), without
            those by which a linear solve checks itself; None if unknown.
        note: Further remarks, such as what is kept in memory.
    """

    gradients: int | None
    products: int | None
    note: str = ""

    def __str__(self) -> str:
        counts = [
            count(number, word)
            for number, word in ((self.gradients, "gradient"), (self.products, "product"))
            if number is not None and (number or word == "gradient")
        ]
        return ", ".join(filter(None, [*counts, self.note]))


def cost(mode: Any, steps: int) -> Cost:
    """Return what a level costs between two steps of the level above.

    Args:
        mode: Its differentiation mode; None for a level that is not differentiated.
        steps: How many steps it makes.

    Example:
        >>> import torchopt
        >>> from torchopt.multilevel._plan_entry import cost
        >>> print(cost(torchopt.diff.Explicit(memory="step"), 5))
        10 gradients, 5 products, keeps the parameters of 5 steps
        >>> print(cost(torchopt.diff.Implicit(torchopt.linear_solve.CG(maxiter=20)), 5))
        6 gradients, 21 products
    """
    if mode is None:
        return Cost(steps, 0)
    if isinstance(mode, Explicit):
        return _explicit_cost(mode, steps)
    if isinstance(mode, Implicit):
        return _implicit_cost(mode, steps)
    if isinstance(mode, ZeroOrder):
        return _zero_order_cost(mode, steps)
    if isinstance(mode, (OneStep, Descent)):
        if mode.hvp == "reverse":
            return Cost(steps + 1, 1)
        return Cost(steps + 6, 0)
    if isinstance(mode, ValueFunction) and mode.steps is not None:
        return Cost(steps + 4 + (2 if mode.two_sided else 1) * mode.steps, 0)
    return Cost(steps, None, f"and what {describe(mode)} takes")


def _explicit_cost(mode: Explicit, steps: int) -> Cost:
    tracked = steps if mode.truncate is None else min(mode.truncate, steps)
    products = 0 if mode.first_order else tracked
    if mode.memory != "graph":
        # Steps come one by one: each is kept, and computed again for its backward pass.
        return Cost(steps + tracked, products, f"keeps the parameters of {count(tracked, 'step')}")
    return Cost(steps, products, f"keeps the graph of {count(tracked, 'step')}")


def _implicit_cost(mode: Implicit, steps: int) -> Cost:
    iterations = _iterations(mode.linear_solve)
    if iterations is None:
        until = "products until the linear solve's tolerance"
        return Cost(steps + 1, None, f"and as many {until} is met")
    return Cost(steps + 1, iterations + 1)  # the last is the mixed one


def _iterations(solver: Any) -> int | None:
    """Return the number of Hessian products of a linear solve, without those of its checks."""
    if isinstance(solver, linear_solve.WarmStart):
        solver = solver.solver
    if isinstance(solver, linear_solve.JacobianFree):
        return 0
    if isinstance(solver, linear_solve.Phantom):
        return solver.steps - 1
    most = getattr(solver, "maxiter", None)
    if not isinstance(most, int):
        return None
    if isinstance(solver, linear_solve.Richardson):
        return most - 1  # the residual at zero is the right-hand side
    return 2 * most if isinstance(solver, (linear_solve.BiCGSTAB, linear_solve.NormalCG)) else most


def _zero_order_cost(mode: ZeroOrder, steps: int) -> Cost:
    estimator = mode.estimator
    if estimator.tangents:
        directions = count(estimator.num_samples, "direction")
        return Cost(None, None, f"solved with derivatives along {directions}")
    if isinstance(estimator, Coordinate):
        return Cost(None, 0, "solved again at two points for each unknown")
    points = estimator.num_samples * sum(offset != 0 for offset in estimator.offsets)
    return Cost(steps * (1 + points), 0, f"solved again at {count(points, 'point')}")


def describe(mode: Any) -> str:
    """Return a mode in words: its name, and the options that are not the default.

    Args:
        mode: A differentiation mode, words, or None.

    Example:
        >>> import torchopt
        >>> from torchopt.multilevel._plan_entry import describe
        >>> describe(torchopt.diff.Implicit(torchopt.linear_solve.CG(maxiter=20)))
        'Implicit(linear_solve=CG(maxiter=20))'
    """
    if mode is None:
        return ""
    return mode if isinstance(mode, str) else value_text(mode)


@dataclass(frozen=True)
class Entry:
    """One problem of a plan.

    Attributes:
        name: The problem.
        depth: How many levels are above it, on the longest way up.
        parameters: The number of its parameters; None if unknown.
        mode: How it is differentiated, in words; empty for a problem with nothing above it.
        steps: Its steps per turn of a problem right above it.
        repeat: Its steps per turn of its own.
        period: How many ticks there are from turn to turn, on the average.
        uppers: The problems right above it.
        lowers: The problems right below it.
        reads: The upper problems whose parameters its loss reads.
        solutions: The lower problems whose solution its loss reads.
        paths: The ways of its hypergradient, from it through responses back to it, the shortest
            first.
        complete: Whether these are all of them.
        cost: What it costs between two steps of a problem above; None if the mode is words only.
    """

    name: str
    depth: int
    parameters: int | None
    mode: str
    steps: int
    repeat: int
    period: Fraction
    uppers: tuple[str, ...]
    lowers: tuple[str, ...]
    reads: tuple[str, ...]
    solutions: tuple[str, ...]
    paths: tuple[tuple[str, ...], ...]
    complete: bool
    cost: Cost | None


def count(number: int, word: str) -> str:
    """Return a number of things in words, such as ``2 steps``."""
    return f"{number:,} {word}{'' if number == 1 else 's'}"

"""The plan: its entries, its costs, its table and its picture."""

from __future__ import annotations

import re
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import torch
from _shapes import SHAPES, linked

import torchopt
from torchopt.diff import Explicit, Implicit, ZeroOrder, zero_order
from torchopt.diff.one_step import OneStep
from torchopt.linear_solve import CG, BiCGSTAB, Dense, JacobianFree, Neumann, Phantom, WarmStart
from torchopt.multilevel._graph import Dependencies
from torchopt.multilevel._plan import Plan, make_plan
from torchopt.multilevel._plan_entry import cost, describe
from torchopt.multilevel._schedule import Schedule

_SVG = "{http://www.w3.org/2000/svg}"


def _plan(
    shape: str, modes: dict[str, Any], steps: dict[str, int] | None = None, **sizes: int
) -> Plan:
    graph = Dependencies.of(*SHAPES[shape])
    return make_plan(graph, Schedule(graph, steps), modes, sizes)


@pytest.fixture
def chain() -> Plan:
    modes = {"b": Implicit(CG(maxiter=20)), "c": Explicit(truncate=1)}
    return _plan("chain", modes, {"b": 3, "c": 2}, a=10, b=2_000, c=1_234_567)


# ---- the data


def test_entries_say_who_steps_when_and_through_what(chain: Plan) -> None:
    assert [entry.name for entry in chain.entries] == ["a", "b", "c"]
    assert chain.order == ("c", "b", "a")
    a, b, c = (chain[name] for name in "abc")
    assert [entry.depth for entry in (a, b, c)] == [0, 1, 2]
    assert [entry.period for entry in (a, b, c)] == [6, 2, 1]
    assert [entry.parameters for entry in (a, b, c)] == [10, 2_000, 1_234_567]
    assert (c.uppers, c.reads, c.steps) == (("a", "b"), ("a", "b"), 2)
    assert (a.solutions, a.lowers) == (("b",), ("b", "c"))
    assert a.paths == (("a", "b", "a"), ("a", "b", "c", "a"))
    assert a.complete
    assert b.mode == "Implicit(linear_solve=CG(maxiter=20))"
    assert a.mode == ""
    with pytest.raises(KeyError, match="x"):
        chain["x"]


def test_too_many_paths_are_cut_and_said_to_be() -> None:
    names = [f"p{k}" for k in range(12)]
    graph = Dependencies.of(names, linked(*combinations(names, 2)))
    plan = make_plan(graph, Schedule(graph), {})
    assert not plan["p0"].complete
    assert len(plan["p0"].paths) == 12
    assert "p0 -> ... (and more)" in str(plan)
    assert plan["p10"].complete


# ---- the cost


@pytest.mark.parametrize(
    ("mode", "words"),
    [
        (None, "5 gradients"),
        (Explicit(), "5 gradients, 5 products, keeps the graph of 5 steps"),
        (Explicit(truncate=2), "5 gradients, 2 products, keeps the graph of 2 steps"),
        (Explicit(truncate=9), "5 gradients, 5 products, keeps the graph of 5 steps"),
        (Explicit(first_order=True), "5 gradients, keeps the graph of 5 steps"),
        (Explicit("step"), "10 gradients, 5 products, keeps the parameters of 5 steps"),
        (Explicit("step", truncate=1), "6 gradients, 1 product, keeps the parameters of 1 step"),
        (Implicit(CG(maxiter=7)), "6 gradients, 8 products"),
        (Implicit(WarmStart(CG(maxiter=7))), "6 gradients, 8 products"),
        (Implicit(Neumann(maxiter=7)), "6 gradients, 7 products"),
        (Implicit(BiCGSTAB(maxiter=7)), "6 gradients, 15 products"),
        (Implicit(JacobianFree()), "6 gradients, 1 product"),
        (Implicit(Phantom(steps=3)), "6 gradients, 3 products"),
        (Implicit(), "6 gradients, and as many products until the linear solve's tolerance is met"),
        (OneStep(), "6 gradients, 1 product"),
        (OneStep(0.1, hvp="finite_difference"), "11 gradients"),
        (ZeroOrder(), "165 gradients, solved again at 32 points"),
        (
            ZeroOrder(zero_order.ForwardDifference(num_samples=4)),
            "25 gradients, solved again at 4 points",
        ),
        (ZeroOrder(zero_order.Coordinate()), "solved again at two points for each unknown"),
        (
            ZeroOrder(zero_order.ForwardGradient(num_samples=4)),
            "solved with derivatives along 4 directions",
        ),
    ],
    ids=describe,
)
def test_a_cost_in_words(mode: Any, words: str) -> None:
    assert str(cost(mode, 5)) == words


@pytest.mark.filterwarnings("ignore:`Implicit` differentiates a point")
@pytest.mark.parametrize(
    "mode",
    [
        None,
        Explicit(),
        Explicit(truncate=2),
        Explicit("step"),
        Explicit("step", truncate=2),
        Implicit(CG(maxiter=3, on_failure="ignore")),
        Implicit(Neumann(maxiter=3, on_failure="ignore")),
        OneStep(),
        OneStep(step_size=0.1),
        OneStep(hvp="reverse"),
        ZeroOrder(zero_order.Antithetic(num_samples=3, sigma=0.1), generator=0),
        ZeroOrder(zero_order.ForwardDifference(num_samples=3, sigma=0.1), generator=0),
    ],
    ids=describe,
)
def test_gradients_are_as_many_as_are_evaluated(mode: Any) -> None:
    count, target = 0, torch.tensor([1.0, -2.0], dtype=torch.float64, requires_grad=True)

    def objective(x: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        nonlocal count
        count += 1
        return (x - target).square().sum() + x.cosh().sum()

    start, steps = torch.tensor([0.3, 0.4], dtype=torch.float64), 5
    with torch.set_grad_enabled(mode is not None):
        params = torchopt.minimize(
            objective, start, (target,), solver=torchopt.adam(0.1), steps=steps,
            diff=mode or Explicit(),
        ).params  # fmt: skip
    if mode is not None:
        params.sum().backward()
    looks = isinstance(mode, ZeroOrder)  # at the objective's closure, once
    judges = isinstance(mode, Implicit)  # whether it is a solution, which no level of a program is
    assert cost(mode, steps).gradients == count - looks - judges


def test_the_cost_of_an_unknown_mode_names_it() -> None:
    class Mine:
        def __repr__(self) -> str:
            return "Mine(3)"

    assert str(cost(Mine(), 2)) == "2 gradients, and what Mine(3) takes"
    plan = _plan("bilevel", {"b": Mine()})
    assert plan["b"].mode == "Mine(3)"


# ---- the words


@pytest.mark.parametrize(
    ("mode", "words"),
    [
        (None, ""),
        ("by hand", "by hand"),
        (Explicit(), "Explicit()"),
        (Explicit("step", truncate=3), "Explicit(memory='step', truncate=3)"),
        (Implicit(hvp="forward"), "Implicit(hvp='forward')"),
        (
            Implicit(Dense(ridge=torch.tensor(0.1, device="cpu"))),
            "Implicit(linear_solve=Dense(ridge=tensor(0.1000)))",
        ),
        (
            ZeroOrder(zero_order.Antithetic(num_samples=4, sigma=0.1), generator=0),
            "ZeroOrder(estimator=Antithetic(num_samples=4, sigma=0.1), generator=0)",
        ),
        (Implicit(torch.linalg.solve), "Implicit(linear_solve=linalg_solve)"),
    ],
)
def test_a_mode_in_words_has_what_differs_from_its_defaults(mode: Any, words: str) -> None:
    assert describe(mode) == words


def test_the_table(chain: Plan) -> None:
    lines = str(chain).splitlines()
    assert lines[0].split() == [
        "level", "problem", "parameters", "steps", "turn", "derivative", "cost",
    ]  # fmt: skip
    assert set(lines[1]) == {"-"}
    assert lines[2].split() == ["0", "a", "10", "-", "every", "6", "ticks", "-", "1", "gradient"]
    assert "1,234,567  2 per step of a, b  every tick" in lines[4]
    assert "4 gradients, 21 products" in lines[3]
    assert "in a tick: c, then b, then a" in lines
    assert "  a -> b [Implicit] -> c [Explicit] -> a" in lines
    assert lines[-1] == "gradients of b are total: they include the responses of all below"
    columns = {re.search(r"(?<=  )(every|turn)", line).start() for line in lines[2:5] + lines[:1]}  # type: ignore[union-attr]
    assert len(columns) == 1


def test_a_problem_alone_has_a_plan() -> None:
    graph = Dependencies.of(["only"], None)
    plan = make_plan(graph, Schedule(graph), {})
    assert "hypergradients" not in str(plan)
    assert plan["only"].period == Fraction(1)
    assert ElementTree.fromstring(plan.to_svg()) is not None


# ---- the picture


def test_the_file_stands_for_itself(chain: Plan, tmp_path: Path) -> None:
    chain.to_svg(tmp_path / "plan.svg")
    text = (tmp_path / "plan.svg").read_text(encoding="utf-8")
    root = ElementTree.fromstring(text)
    assert root.tag == f"{_SVG}svg"
    titles = [element.text or "" for element in root.iter(f"{_SVG}title")]
    assert any("derivative: Implicit(linear_solve=CG(maxiter=20))" in title for title in titles)
    wires = [g for g in root.iter(f"{_SVG}g") if "tg-wire" in g.get("class", "")]
    assert len(wires) == 5
    assert sum("tg-dashed" in g.get("class", "") for g in wires) == 3
    assert "solution of b" in text
    assert "parameters of a" in text
    assert chain._repr_html_() == chain.to_svg() == text

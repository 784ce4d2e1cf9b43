"""Total gradients of quadratic programs equal linear algebra, on every shape of graph."""

from __future__ import annotations

import pytest
import torch
from _toys import typed
from quadratic_graphs import GRAPHS, Program

import torchopt
from _cases import diagonal
from torchopt.linear_solve import CG, GMRES, Dense, Neumann, NormalCG
from torchopt.multilevel import Config, Engine, EngineConfig

IMPLICIT = {
    "cg_forward": torchopt.diff.Implicit(CG(rtol=1e-14), hvp="forward"),
    "default": torchopt.diff.Implicit(),
    "gmres": torchopt.diff.Implicit(GMRES(rtol=1e-13)),
    "dense": torchopt.diff.Implicit(Dense()),
    "normal_cg": torchopt.diff.Implicit(NormalCG(rtol=1e-14)),
    "neumann": torchopt.diff.Implicit(Neumann(step_size=0.7, maxiter=200)),
    "cg": torchopt.diff.Implicit(CG(rtol=1e-14)),
}


# Coupled problems have no symmetric conditions, forward mode cannot be nested, and 200 products of
# 200 products of 200 are too many.
LEFT_OUT = {("diamond", "cg"), ("four", "neumann")} | {
    (shape, "cg_forward") for shape in GRAPHS if shape not in ("bilevel", "two_uppers")
}
CASES = [case for case in diagonal([*GRAPHS], [*IMPLICIT]) if case.values not in LEFT_OUT]


@pytest.mark.parametrize(("shape", "mode"), CASES)
def test_implicit_hypergradients_equal_closed_forms(shape: str, mode: str) -> None:
    edges, sizes = GRAPHS[shape]
    program = Program(edges, sizes, seed=len(shape))
    config = Config(diff=IMPLICIT[mode])
    for name in program.graph.names:
        if not program.graph.lowers(name):
            continue
        x = program.solved(name, program.start)
        problems = program.problems(dict.fromkeys(sizes, config), x, 0.1)
        engine = Engine(problems, EngineConfig(), edges)
        engine.check()
        (found,), _ = engine.hypergradient(name)
        torch.testing.assert_close(found, program.truth(name, x), rtol=1e-8, atol=1e-8)
        for problem in problems:
            assert torch.equal(problem.params.detach(), x[program.slices[problem.name]])


#: The problems that are unrolled: with weak coupling, 9 steps with rate one solve each of them.
UNROLLED = {
    "bilevel": ["low"],
    "chain": ["mid", "low"],
    "tree": ["left", "right", "low"],
    "diamond": ["left", "right", "low"],
    "two_uppers": ["low"],
}


@pytest.mark.parametrize(("shape", "mixed"), diagonal([*UNROLLED], [False, True]))
def test_unrolled_hypergradients_equal_closed_forms(shape: str, mixed: bool) -> None:
    """One step of the top problem, whose change is its gradient."""
    edges, sizes = GRAPHS[shape]
    program = Program(edges, sizes, seed=3, coupling=0.05)
    unroll, implicit = torchopt.diff.Explicit(), torchopt.diff.Implicit(GMRES(rtol=1e-13))
    leaves = [n for n in sizes if not program.graph.lowers(n)]
    configs = {
        name: Config(diff=implicit if mixed and name in leaves else unroll, unroll_steps=9)
        for name in UNROLLED[shape]
    }
    x = program.solved("top", program.start)
    noise = 0.1 * torch.ones_like(x)
    noise[program.slices["top"]] = 0
    if "side" in program.slices:
        noise[program.slices["side"]] = 0
    problems = program.problems(configs, x + noise, 1.0)
    engine = Engine(problems, EngineConfig(), edges)
    while not engine.top.count:
        engine.train_step()
    moved = program.start[program.slices["top"]] - engine.top.params.detach()
    torch.testing.assert_close(moved, program.truth("top", x), rtol=1e-7, atol=1e-7)


def test_implicit_over_unrolled_equals_the_closed_form() -> None:
    edges, sizes = GRAPHS["chain"]
    program = Program(edges, sizes, seed=5, coupling=0.05)
    configs = {
        "mid": Config(diff=torchopt.diff.Implicit(GMRES(rtol=1e-13)), unroll_steps=4),
        "low": typed(type="unroll", unroll_steps=9),
    }
    x = program.solved("top", program.start)
    problems = program.problems(configs, x, 1.0)
    engine = Engine(problems, EngineConfig(), edges)
    while not engine.top.count:
        engine.train_step()
    moved = program.start[program.slices["top"]] - engine.top.params.detach()
    torch.testing.assert_close(moved, program.truth("top", x), rtol=1e-7, atol=1e-7)


def test_nested_forward_mode_is_refused() -> None:
    edges, sizes = GRAPHS["chain"]
    program = Program(edges, sizes, seed=1)
    config = Config(diff=IMPLICIT["cg_forward"])
    problems = program.problems(dict.fromkeys(sizes, config), program.start, 0.1)
    with pytest.raises(ValueError, match=r"'mid' has hvp=\"forward\", and so has problem 'low'"):
        Engine(problems, EngineConfig(), edges)


def test_coupled_problems_are_refused_by_solvers_for_symmetric_systems() -> None:
    edges, sizes = GRAPHS["diamond"]
    program = Program(edges, sizes, seed=1)
    config = Config(diff=torchopt.diff.Implicit(CG()))
    problems = program.problems(dict.fromkeys(sizes, config), program.start, 0.1)
    engine = Engine(problems, EngineConfig(), edges)
    with pytest.raises(ValueError, match=r"'right', 'left' are above the same problem.*GMRES"):
        engine.hypergradient("top")

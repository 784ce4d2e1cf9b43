"""Any graph of problems: closed forms for implicit levels, and the program itself for unrolled ones."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from _shapes import programs
from _toys import typed
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from quadratic_graphs import GRAPHS, Program, Quadratic

import torchopt
from _cases import diagonal
from torchopt.linear_solve import GMRES, NormalCG
from torchopt.multilevel import Config, Engine, EngineConfig

EXACT = (GMRES(rtol=1e-13), NormalCG(rtol=1e-14))


@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
@given(programs(kinds="bbl", most=4), st.integers(0, 99), st.sampled_from(EXACT))
def test_implicit_hypergradients_on_random_graphs(drawn: Any, seed: int, solver: Any) -> None:
    names = [f"level_{name}" for name in drawn[0]]
    pairs = [(f"level_{upper}", f"level_{lower}", kind) for upper, lower, kind in drawn[1]]
    edges: dict[str, dict[str, list[str]]] = {"u2l": {}, "l2u": {}}
    for upper, lower, kind in pairs:
        if kind in "ub":
            edges["u2l"].setdefault(upper, []).append(lower)
        if kind in "lb":
            edges["l2u"].setdefault(lower, []).append(upper)
    sizes = {name: 1 + (seed + k) % 3 for k, name in enumerate(names)}
    try:
        program = Program(edges, sizes, seed)
    except ValueError:
        assume(False)
    config = Config(diff=torchopt.diff.Implicit(solver))
    for name in names:
        if not program.graph.lowers(name):
            continue
        x = program.solved(name, program.start)
        engine = Engine(
            program.problems(dict.fromkeys(names, config), x, 0.1), EngineConfig(), edges
        )
        (found,), _ = engine.hypergradient(name)
        torch.testing.assert_close(found, program.truth(name, x), rtol=1e-7, atol=1e-7)


class Wavy(Quadratic):
    """With derivatives of all orders."""

    def training_step(self, batch: Any) -> torch.Tensor:
        z = torch.cat(
            [self.params if n == self.name else getattr(self, n).params for n in self.names]
        )
        return z @ self.Q @ z / 2 + self.b @ torch.sin(z + 0.3)


class PutBack(Wavy):
    """Begins each of its windows at the same values."""

    first: torch.Tensor | None = None

    def on_inner_loop_start(self) -> None:
        self.first = self.params.detach().clone() if self.first is None else self.first
        self.params.data.copy_(self.first)


STEPS = {
    "bilevel": {"low": 3},
    "chain": {"mid": 2, "low": 3},
    "chain_direct": {"mid": 3, "low": 2},
    "four": {"mid": 2, "low": 2, "base": 2},
    "tree": {"left": 2, "right": 2, "low": 3},
    "diamond": {"left": 2, "right": 2, "low": 2},
    "two_uppers": {"low": 3},
}
OPTIMIZERS: dict[str, Any] = {
    "sgd": lambda p: torch.optim.SGD(p, 0.2, momentum=0.5),
    "adam": lambda p: torch.optim.Adam(p, 0.1, eps=1e-3),
}


UPPERS = [*(f"{shape}-top" for shape in STEPS), "two_uppers-side"]


@pytest.mark.parametrize(
    ("cls", "differentiated", "optimizer"),
    [
        *((Wavy, *pair.values) for pair in diagonal(UPPERS, [*OPTIMIZERS])),
        (PutBack, "chain_direct-top", "sgd"),
    ],
)
def test_unrolled_hypergradients_equal_differences_of_the_program(
    cls: type[Wavy], differentiated: str, optimizer: str
) -> None:
    """All levels below unrolled: the derivative of what the whole program has come to."""
    shape, upper = differentiated.split("-")
    edges, sizes = GRAPHS[shape]
    program = Program(edges, sizes, seed=11)
    place = program.slices[upper]

    def turn(start: torch.Tensor) -> tuple[float, torch.Tensor]:
        """Run to the upper problem's first step, and return its loss and its step."""
        problems = []
        for name, where in program.slices.items():
            p = start[where].clone().requires_grad_()
            steps = STEPS[shape].get(name)
            make = OPTIMIZERS[optimizer] if steps else lambda p: torch.optim.SGD(p, 1.0)
            config = typed(type="unroll", unroll_steps=steps) if steps else Config()
            problems.append(
                cls(
                    name, program.reads[name], program.Q[name], program.b[name],
                    params=p, optimizer=make([p]), config=config,
                )
            )  # fmt: skip
        engine = Engine(problems, EngineConfig(check=False), edges)
        while not getattr(engine, upper).count:
            engine.train_step()
        loss = float(engine._nodes[upper].metrics["loss"])
        return loss, start[place] - getattr(engine, upper).params.detach()

    _, found = turn(program.start)
    h, truth = 1e-5, []
    for e in torch.eye(len(program.start), dtype=torch.float64)[place]:
        losses = [turn(program.start + sign * h * e)[0] for sign in (1, -1)]
        truth.append((losses[0] - losses[1]) / (2 * h))
    torch.testing.assert_close(found, torch.tensor(truth, dtype=found.dtype), rtol=1e-6, atol=1e-8)


# One step of descent at each level, against its own formula


def stepped(value: torch.Tensor, gradient: Any) -> torch.Tensor:
    """Return a value with the derivative of a step of descent from it."""
    g = gradient(value)
    return value - 0.1 * (g - g.detach())


@pytest.mark.parametrize("mid", ["one_step", "difference"])
@pytest.mark.parametrize("low", ["one_step", "difference"])
def test_one_step_modes_nest(low: str, mid: str) -> None:
    """Each level moves by one step of descent, whose derivative has the lower one's step in it."""
    edges, sizes = GRAPHS["chain"]
    program = Program(edges, sizes, seed=7)
    configs = {
        "one_step": Config(diff=torchopt.diff.OneStep(step_size=0.1, hvp="reverse")),
        "difference": typed(type="darts"),
    }
    x = {name: program.start[place] for name, place in program.slices.items()}

    def loss(name: str, values: dict[str, torch.Tensor]) -> torch.Tensor:
        z = torch.cat([values[n] for n in program.reads[name]])
        return z @ program.Q[name] @ z / 2 + program.b[name] @ torch.sin(z + 0.3)

    def gradient_of(total: Any) -> Any:
        def gradient(value: torch.Tensor) -> torch.Tensor:
            t = value if value.requires_grad else value.detach().requires_grad_()
            return torch.autograd.grad(total(t), t, create_graph=True)[0]

        return gradient

    def total_mid(m: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
        inner = gradient_of(lambda v: loss("low", {"low": v, "mid": m, "top": t}))
        return loss("mid", {"mid": m, "top": t, "low": stepped(x["low"], inner)})

    def total_top(t: torch.Tensor) -> torch.Tensor:
        middle = stepped(x["mid"], gradient_of(lambda v: total_mid(v, t)))
        inner = gradient_of(lambda v: loss("low", {"low": v, "mid": middle, "top": t}))
        return loss("top", {"top": t, "mid": middle, "low": stepped(x["low"], inner)})

    problems = [
        Wavy(
            name, program.reads[name], program.Q[name], program.b[name],
            params=(p := x[name].clone().requires_grad_()), optimizer=torch.optim.SGD([p], 0.1),
            config={"low": configs[low], "mid": configs[mid]}.get(name, Config()),
        )
        for name in sizes
    ]  # fmt: skip
    engine = Engine(problems, EngineConfig(check=False), edges)
    for name, total in (("mid", lambda m: total_mid(m, x["top"])), ("top", total_top)):
        start = x[name].clone().requires_grad_()
        (truth,) = torch.autograd.grad(total(start), start)
        (found,), _ = engine.hypergradient(name)
        exact = {low, mid} == {"one_step"}
        rtol, atol = (1e-10, 1e-12) if exact else (1e-4, 1e-6)
        torch.testing.assert_close(found, truth, rtol=rtol, atol=atol)

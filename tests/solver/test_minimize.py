"""`minimize`: what it accepts, returns and refuses."""

from __future__ import annotations

import dataclasses
from typing import Any, NamedTuple

import pytest
import torch

import torchopt
from torchopt import prox, sets
from torchopt.diff import Explicit

DTYPE = torch.float64
ON_LINE = torchopt.Constraints(equality=lambda x: x.sum())


def test_plain_steps_equal_torch_optim() -> None:
    data = torch.randn(20, 4, 3, dtype=DTYPE, generator=torch.Generator().manual_seed(0))
    w = torch.ones(3, dtype=DTYPE, requires_grad=True)
    reference = torch.optim.Adam([w], lr=0.1)
    for x in data:
        reference.zero_grad()
        (x @ w).pow(2).mean().backward()
        reference.step()
    solution = torchopt.minimize(
        lambda p, x: (x @ p["w"]).pow(2).mean(),
        {"w": torch.ones(3, dtype=DTYPE)},
        solver=torchopt.adam(0.1),
        steps=20,
        batches=data,
    )
    torch.testing.assert_close(solution.params["w"], w.detach(), rtol=1e-12, atol=0)


def test_a_problem_of_a_batch_that_has_met_its_tolerance_stays_for_later_batches() -> None:
    """The first is at the minimum of the first batch, and not at that of the second."""

    def solved(start: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        solution = torchopt.minimize(
            lambda x, b: x * x / 2 - b * x,
            start,
            solver=torchopt.sgd(1.0),
            maxiter=4,
            atol=1e-3,
            batches=torch.tensor([0.0, 1.0, 0.0, 0.0]),
            diff=Explicit(),
        )
        assert solution.iterations is not None
        return solution.params, solution.iterations

    starts = torch.tensor([0.0, 3.0])
    params, iterations = torch.func.vmap(solved)(starts)
    assert params.tolist() == [solved(x)[0] for x in starts] == [0, 0]
    assert iterations.tolist() == [solved(x)[1] for x in starts] == [0, 3]


@pytest.mark.parametrize(
    ("unit", "scale"), [(1.0, 1.0), (1e-30, 1.0), (1e12, 1.0), (1.0, 1e-20), (1.0, 1e15)]
)
def test_a_relative_tolerance_bounds_the_relative_error_in_any_units(
    unit: float, scale: float
) -> None:
    curvature = torch.tensor([1.0, 0.05], dtype=DTYPE)
    minimum = torch.tensor([3.0, 2.0], dtype=DTYPE)

    def solved(tolerance: dict[str, float]) -> torchopt.Solution[torch.Tensor, None]:
        return torchopt.minimize(
            lambda x: scale * (curvature * (x - unit * minimum).square()).sum() / unit**2,
            torch.zeros(2, dtype=DTYPE),
            solver=torchopt.sgd(0.5 * unit**2 / scale),
            maxiter=2000,
            **tolerance,
        )

    near = solved({"rtol": 1e-4})
    assert near.iterations is not None
    assert near.stats.converged
    assert (near.params / unit - minimum).norm() <= 1.01e-4 * minimum.norm()
    # The step before, whose error is more by the slow rate 0.95, was not near enough.
    assert (near.params / unit - minimum).norm() >= 0.9e-4 * minimum.norm()
    # Either is enough.
    assert solved({"rtol": 1e-4, "atol": 1e300}).iterations == 0
    assert solved({"rtol": 1e-4, "atol": 0.0}).iterations == near.iterations


DEFAULTS: list[tuple[Any, dict[str, Any], str, list[float]]] = [
    (torchopt.minimize, {}, "LBFGS", [2.0, -3.0]),
    (torchopt.minimize, {"prox": prox.L1(1.0)}, "ProximalGradient", [1.5, -2.5]),
    (torchopt.minimize, {"subject_to": sets.NonNegative()}, "LBFGSB", [2.0, 0.0]),
    (torchopt.minimize, {"subject_to": sets.L2Ball(13**0.5 / 2)}, "Proximal", [1.0, -1.5]),
    (torchopt.minimize, {"subject_to": ON_LINE}, "AugmentedLagrangian", [2.5, -2.5]),
    (torchopt.least_squares, {}, "LevenbergMarquardt", [2.0, -3.0]),
    (torchopt.least_squares, {"subject_to": sets.Box(-1.0, 1.0)}, "LevenbergMarq", [1.0, -1.0]),
    (torchopt.least_squares, {"subject_to": sets.L2Ball(13**0.5 / 2)}, "Proximal", [1.0, -1.5]),
    (torchopt.least_squares, {"prox": prox.L1(1.0)}, "ProximalGradient", [1.0, -2.0]),
    (torchopt.root, {}, "Newton", [2.0, -3.0]),
    (torchopt.fixed_point, {}, "Anderson", [4.0, -6.0]),
]


@pytest.mark.parametrize(("face", "options", "name", "expected"), DEFAULTS)
def test_each_problem_has_a_solver_by_default(
    face: Any, options: dict[str, Any], name: str, expected: list[float]
) -> None:
    target = torch.tensor([2.0, -3.0], dtype=DTYPE)

    def function(x: torch.Tensor) -> torch.Tensor:
        if face is torchopt.fixed_point:
            return x / 2 + target
        return (x - target).square().sum() if face is torchopt.minimize else x - target

    solution = face(function, torch.ones(2, dtype=DTYPE), **options)
    torch.testing.assert_close(solution.params, torch.tensor(expected, dtype=DTYPE))
    assert type(solution.state).__name__.startswith(name)
    # What only a gradient transformation takes needs one.
    for word, own in (("steps", "maxiter"), ("maxiter", "maxiter"), ("atol", "atol")):
        words = rf"`{word}` is for gradient .*; pass `solver=torchopt.solver.{name}.*\({own}=3"
        with pytest.raises(ValueError, match=words):
            face(function, torch.ones(2, dtype=DTYPE), **options, **{word: 3})


def test_batches_need_a_gradient_transformation() -> None:
    words = r"`batches` is for gradient transformations, .*adam\(0.1\)`; pass all data in `args`\.$"
    with pytest.raises(ValueError, match=words):
        torchopt.minimize(lambda x, b: (x - b).square(), torch.ones(()), batches=torch.ones(3))


class Point(NamedTuple):
    x: torch.Tensor
    y: torch.Tensor


@dataclasses.dataclass(frozen=True)
class Layer:
    weight: torch.Tensor
    bias: torch.Tensor | None
    name: str = dataclasses.field(default="layer", metadata={"static": True})


@pytest.mark.parametrize("memory", ["graph", "step"])
@pytest.mark.parametrize(
    "make",
    [
        lambda a, b: [a, b],
        lambda a, b: (a, (b, None)),
        lambda a, b: {"z": a, "a": {"deep": b}},
        Point,
        lambda a, b: Layer(a, b),
        lambda a, b: [Layer(a, None), b],
    ],
)
def test_params_may_be_any_tree(make: object, memory: str) -> None:
    a = torch.tensor([1.0, 2.0], requires_grad=True)
    b = torch.tensor(3.0, requires_grad=True)
    tree = make(a, b)  # type: ignore[operator]

    def objective(p: object) -> torch.Tensor:
        leaves = [leaf for leaf in torchopt.pytree.flattening.flatten(p)[0] if leaf is not None]
        return torch.stack([(leaf**2).sum() for leaf in leaves]).sum()

    solution = torchopt.minimize(
        objective, tree, solver=torchopt.sgd(0.25), steps=2, diff=Explicit(memory=memory)
    )
    assert type(solution.params) is type(tree)
    leaves, spec = torchopt.pytree.flattening.flatten(solution.params)
    assert spec == torchopt.pytree.flattening.flatten(tree)[1]
    total = torch.stack([leaf.sum() for leaf in leaves if leaf is not None]).sum()
    assert torch.equal(total, torch.tensor(1.5))
    by_a, by_b = torch.autograd.grad(total, (a, b))
    assert by_a.tolist() == [0.25, 0.25]
    assert by_b.item() == 0.25


@pytest.mark.parametrize("rate", [0.1, 0.5])
def test_auxiliary_output_with_a_tolerance_is_that_at_the_end(rate: float) -> None:
    def run(start: torch.Tensor) -> torchopt.diff.Solution:
        return torchopt.minimize(
            lambda x: ((x - 3) ** 2, x),
            start,
            solver=torchopt.sgd(rate),
            maxiter=100,
            atol=1e-6,
            diff=torchopt.diff.Explicit(),
            has_aux=True,
        )

    starts = torch.tensor([4.0, 3.0, -100.0], dtype=torch.float64)
    for solution in (torch.func.vmap(run)(starts), run(starts[0]), run(starts[1])):
        torch.testing.assert_close(solution.aux, solution.params, rtol=0, atol=0)


@pytest.mark.parametrize("memory", ["graph", "step"])
def test_auxiliary_output_is_that_of_the_last_evaluation(memory: str) -> None:
    def objective(p: torch.Tensor) -> tuple[torch.Tensor, dict]:
        return p.pow(2), {"before": p, "name": "square", "none": None}

    def run(start: torch.Tensor) -> torchopt.diff.Solution:
        return torchopt.minimize(
            objective,
            start,
            solver=torchopt.sgd(0.25),
            steps=2,
            has_aux=True,
            diff=Explicit(memory=memory),
        )

    start = torch.tensor(4.0, requires_grad=True)
    solution = run(start)
    assert solution.aux["name"] == "square"
    assert solution.aux["none"] is None
    assert solution.aux["before"].item() == 2.0
    assert torch.autograd.grad(solution.aux["before"], start)[0].item() == 0.5
    batched = torch.func.vmap(lambda s: run(s).aux["before"])(torch.tensor([4.0, 8.0]))
    assert batched.tolist() == [2.0, 4.0]


def test_a_parameter_that_the_objective_does_not_read_has_gradient_zero_in_every_road() -> None:
    """Weight decay moves it, by autograd as inside torch.func."""
    params = {"used": torch.tensor(1.0), "unused": torch.tensor(2.0)}

    def run(params: dict) -> dict:
        return torchopt.minimize(
            lambda p: p["used"].pow(2),
            params,
            solver=torchopt.adamw(0.1, weight_decay=0.5),
            steps=3,
        ).params

    batched = torch.func.vmap(run)({k: v[None] for k, v in params.items()})
    for name, value in run(params).items():
        torch.testing.assert_close(batched[name][0], value)
    torch.testing.assert_close(run(params)["unused"], torch.tensor(2.0 * 0.95**3))

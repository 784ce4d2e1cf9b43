"""A meta-gradient that is noise is said to be, whatever the mode, and a sound one is not."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree

import numpy
import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

import torchopt
from torchopt.diff import Explicit, Implicit, OneStep, ValueFunction, ZeroOrder, problem
from torchopt.diff.zero_order import Antithetic, Coordinate, Orthogonal
from torchopt.linear_solve import CG
from torchopt.meta import SoundnessCheck
from torchopt.meta._precise import Precise

F64, BF16 = torch.float64, torch.bfloat16
Program = tuple[Callable[[Any], Tensor], Any]


def randn(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=F64)


# Programs: a function and its argument.


def quadratic(
    lr: float, diff: Any = None, steps: int = 30, solver: Any = None, momentum: float = 0.0
) -> Program:
    """Weights of examples in a least-squares problem with a condition number of about 50."""
    X, y, target = randn(6, 3) * torch.tensor([1.0, 0.5, 0.15]), randn(6, seed=1), randn(3, seed=2)

    def outer(w: Tensor) -> Tensor:
        given: dict[str, Any] = {"solver": torchopt.sgd(lr, momentum), "steps": steps}
        params = torchopt.minimize(
            lambda x, w: (w.exp() * (X @ x - y).square()).sum() / 2,
            torch.zeros(3, dtype=F64),
            (w,),
            diff=diff,
            **(given if solver is None else {"solver": solver}),
        ).params
        return (params - target).square().sum()

    return outer, torch.linspace(-0.5, 0.5, 6, dtype=F64)


def round_quadratic(diff: Any) -> Program:
    """The centre of a quadratic with equal eigenvalues: each mode has the right direction."""

    def outer(c: Tensor) -> Tensor:
        params = torchopt.minimize(
            lambda x, c: (x - c).square().sum() / 2,
            torch.zeros(3, dtype=F64),
            (c,),
            solver=torchopt.sgd(0.3),
            steps=10,
            diff=diff,
        ).params
        return (params - torch.tensor([1.0, 2.0, 3.0])).square().sum()

    return outer, randn(3)


def net(
    act: Any = torch.tanh,
    *,
    dtype: torch.dtype = torch.float32,
    autocast: bool = False,
    lr: float = 0.1,
    steps: int = 20,
    width: int = 16,
    solver: Any = torchopt.sgd,
    diff: Any = None,
    plain: bool = False,
    dropout: float = 0.0,
    seed: int = 0,
) -> Program:
    """Weights of examples in the training of a network; ``plain``: by a loop without the library."""
    X, V, direction = randn(32, 4, seed=seed), randn(32, 4, seed=seed + 5), randn(4, seed=seed + 1)
    start = [randn(4, width, seed=seed + 2) / 2, randn(width, width, seed=seed + 3) / 4]
    start.append(randn(width, seed=seed + 4) / 4)
    torch.manual_seed(0)  # of the dropout
    x, vx, y, vy = (t.to(dtype) for t in (X, V, torch.sin(X @ direction), torch.sin(V @ direction)))

    def risk(p: list[Tensor], x: Tensor, y: Tensor, w: Tensor | None = None) -> Tensor:
        with torch.autocast("cpu", dtype=BF16, enabled=autocast):
            drop = 0.0 if w is None else dropout
            out = F.dropout(act(F.dropout(act(x @ p[0]), drop) @ p[1]), drop) @ p[2]
        losses = (out - y).square()
        return (losses if w is None else losses * w.exp()).mean()

    def outer(w: Tensor) -> Tensor:
        w = w.to(dtype)
        p = [t.to(dtype) for t in start]
        if not plain:
            options = {"solver": solver(lr), "steps": steps, "diff": diff}
            p = torchopt.minimize(lambda p, w: risk(p, x, y, w), p, (w,), **options).params
            return risk(p, vx, vy)
        p = [t.requires_grad_() for t in p]
        for _ in range(steps):
            grads = torch.autograd.grad(risk(p, x, y, w), p, create_graph=True)
            p = [t - lr * g for t, g in zip(p, grads, strict=True)]
        return risk(p, vx, vy)

    return outer, torch.zeros(32, dtype=torch.float32 if dtype == BF16 else dtype)


def maml() -> Program:
    """A module whose parameters are the start; dropout draws random numbers."""
    torch.manual_seed(0)
    module = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Dropout(0.2), nn.Linear(8, 1))
    x, y = randn(20, 3).float(), randn(20, 1, seed=1).float()

    def outer(module: nn.Module) -> Tensor:
        def risk(params: dict[str, Tensor]) -> Tensor:
            return F.mse_loss(torch.func.functional_call(module, params, (x,)), y)

        start: dict[str, Tensor] = dict(module.named_parameters())
        return risk(torchopt.minimize(risk, start, solver=torchopt.adam(0.01), steps=5).params)

    return outer, module


def logistic(steps: int = 60) -> Program:
    """Steps x <- 4 x (1 - x) of many unknowns, as a descent."""

    def outer(x: Tensor) -> Tensor:
        return torchopt.minimize(
            lambda x: (x**2 / 2 - 4 * (x**2 / 2 - x**3 / 3)).sum(),
            x,
            solver=torchopt.sgd(1.0),
            steps=steps,
        ).params.sum()

    return outer, torch.linspace(0.2, 0.7, 64, dtype=F64)


def tasks(diff: Any = None) -> Program:
    """A batch of tasks."""
    y = randn(3, 4).float()

    def task(start: Tensor, y: Tensor) -> Tensor:
        def risk(x: Tensor) -> Tensor:
            return (x.tanh() - y).square().sum()

        solver = torchopt.sgd(0.1)
        return risk(torchopt.minimize(risk, start, solver=solver, steps=20, diff=diff).params)

    return lambda start: torch.func.vmap(task, (None, 0))(start, y).mean(), randn(4).float()


def normalized() -> Program:
    """A bias before a normalization, which Adam moves by rounding errors."""
    x, y = randn(32, 4).float(), randn(32, seed=1).float()

    def risk(p: dict[str, Tensor], w: Tensor) -> Tensor:
        hidden = x @ p["weight"] + p["bias"]
        out = torch.tanh((hidden - hidden.mean(0)) / hidden.std(0))
        return (w.exp() * (out.mean(1) - y).square()).mean()

    def outer(w: Tensor) -> Tensor:
        start = {"weight": randn(4, 16, seed=2).float(), "bias": torch.zeros(16)}
        solver = torchopt.adam(0.01)
        params = torchopt.minimize(risk, start, (w,), solver=solver, steps=20).params
        return risk(params, torch.zeros(()))

    return outer, torch.zeros(32)


def saddle() -> Program:
    """A point that is a saddle, not a minimum."""

    def outer(b: Tensor) -> Tensor:
        d = torch.tensor([1.0, -0.5], dtype=F64)
        return (
            torchopt.minimize(
                lambda x, b: (d * x.square() / 2 - b * x).sum(),
                torch.zeros(2, dtype=F64),
                (b,),
                solver=lambda x, b: b / d,
                diff=Implicit(torchopt.linear_solve.MINRES()),
            )
            .params.square()
            .sum()
        )

    return outer, randn(2)


def rough(samples: int, sigma: float = 0.1, unknowns: int = 4) -> Program:
    """A function without a gradient."""
    mode = ZeroOrder(Antithetic(num_samples=samples, sigma=sigma), generator=0)
    return mode(lambda x: torch.sin(3 * x).sum()), torch.linspace(0.1, 0.6, unknowns, dtype=F64)


def solved(**options: Any) -> Program:
    return quadratic(0.1, Implicit(options.pop("linear_solve", None)), **options)


def quartic(penalty: float, dtype: torch.dtype = F64) -> Program:
    """The mode by values has a bias here: of 0.77, 0.19 and 0.011 at 0.02, 0.3 and 3."""

    def outer(phi: Tensor) -> Tensor:
        return torchopt.minimize(
            lambda y, phi: (phi * y + y.square() / 2 + y**4 / 4).sum(),
            torch.zeros(1, dtype=dtype),
            (phi,),
            solver=torchopt.solver.Newton(),
            diff=ValueFunction(penalty),
        ).params.sum()

    return outer, torch.tensor([1.5], dtype=dtype)


EARLY = CG(maxiter=1, on_failure="ignore")
LBFGS = torchopt.solver.LBFGS()
LONGER: dict[str, Any] = {"solver": torchopt.adam, "lr": 0.003, "steps": 60}
SOUND: dict[str, Any] = {
    "descent": lambda: quadratic(0.1),
    "momentum": lambda: quadratic(0.05, momentum=0.9),
    "tree": lambda: quadratic(0.1, Explicit("tree")),
    "forward": lambda: quadratic(0.1, Explicit("forward"), steps=5),
    "difference": lambda: quadratic(0.1, Explicit("step", hvp="finite_difference")),
    "truncated, contracting": lambda: round_quadratic(Explicit(truncate=6)),
    "one step, round": lambda: round_quadratic(OneStep()),
    "implicit": lambda: solved(solver=LBFGS),
    "tilted a little": lambda: quartic(3.0),
    "tilted by less than a tolerance": lambda: quartic(1e4, torch.float32),
    "zero-order": lambda: rough(400),
    "coordinates": lambda: (ZeroOrder(Coordinate())(lambda x: x.square().sum()), randn(3)),
    "rotations": lambda: (ZeroOrder(Orthogonal(num_samples=3))(lambda x: (x**2).sum()), randn(3)),
    "float32": net,
    "adam": lambda: net(solver=torchopt.adam, lr=0.003),
    "bfloat16": lambda: net(dtype=BF16),
    "autocast": lambda: net(autocast=True),
    "relu": lambda: net(torch.relu),
    # Single parameters jump, but the outer loss goes as the gradient says.
    "dropout": lambda: net(torch.relu, **LONGER, dropout=0.3, seed=670),
    "dropout at a high rate": lambda: net(
        torch.relu, **LONGER | {"lr": 0.01}, dropout=0.3, seed=20
    ),
    "a slope of single moves": lambda: net(torch.relu, **LONGER, seed=60),
    "adam, relu": lambda: net(torch.relu, **LONGER, seed=400),
    "maml": maml,
    "tasks": tasks,
    "normalized": normalized,
    "one of two tensors is read": lambda: (
        lambda w: (
            torchopt.minimize(
                lambda p: (p["a"] - w).square().sum() + p["b"].square().sum(),
                {"a": torch.zeros(3), "b": torch.ones(2)},
                solver=torchopt.sgd(0.1),
                steps=4,
            )
            .params["a"]
            .sum()
        ),
        torch.ones(3),
    ),
    "a loop of one's own": lambda: net(plain=True, steps=5),
}
#: And what the check says of each.
NOISE: dict[str, tuple[Any, set[str]]] = {
    "too large a rate": (lambda: quadratic(3.0), {"growth"}),
    "chaos": (lambda: logistic(), {"growth", "metasmoothness"}),
    "jumps": (lambda: net(torch.relu, **LONGER, seed=140), {"metasmoothness"}),
    "chaos in bfloat16": (lambda: net(torch.relu, dtype=BF16, lr=0.5, width=32), {"cosine"}),
    "truncated": (lambda: quadratic(0.1, Explicit(truncate=1)), {"error"}),
    "first order": (lambda: quadratic(0.1, Explicit(first_order=True)), {"norm", "cosine"}),
    "one step": (lambda: quadratic(0.1, OneStep()), {"cosine"}),
    "unsolved": (lambda: solved(steps=3), {"error", "cosine"}),
    "linear solve": (lambda: solved(solver=LBFGS, linear_solve=EARLY), {"linear_residual"}),
    "saddle": (saddle, {"curvature"}),
    "tilted": (lambda: quartic(0.02), {"error"}),
    "few samples": (lambda: rough(6, unknowns=20), {"standard_error"}),
    "wide samples": (lambda: rough(2000, sigma=1.0, unknowns=1), {"bias"}),
}


def checked(program: Program, **options: Any) -> SoundnessCheck:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", torchopt.errors.NotConvergedWarning)
        return torchopt.check_training(*program, **options)


@pytest.mark.parametrize("name", SOUND)
def test_a_sound_gradient_is_not_called_noise(name: str) -> None:
    check = checked(SOUND[name]())
    assert check, check


@pytest.mark.parametrize("name", NOISE)
def test_noise_is_found_and_named(name: str) -> None:
    make, names = NOISE[name]
    check = checked(make(), last=20)
    assert not check
    assert names <= {m.name for m in check.measures if m.is_noise}, check
    assert check.sentence.startswith("The derivative may be noise: ")


# The numbers, against others.


def test_the_adjoint_of_a_linear_descent_is_a_power() -> None:
    rate, steps = 2.5, 20
    eigenvalues = torch.tensor([1.0, 0.1], dtype=F64)

    def outer(start: Tensor) -> Tensor:
        return torchopt.minimize(
            lambda x: (eigenvalues * x.square()).sum() / 2,
            start,
            solver=torchopt.sgd(rate),
            steps=steps,
        ).params.sum()

    check = checked((outer, torch.ones(2, dtype=F64)))
    left = torch.arange(steps - 1, -1, -1, dtype=F64)
    norms = ((1 - rate * eigenvalues) ** left[:, None]).norm(dim=1)
    assert check.adjoint == pytest.approx(norms.tolist(), rel=1e-12)
    assert check["growth"] == pytest.approx(float(norms[0] / norms[-1]))
    assert check["exponent"] == pytest.approx(math.log(1.5), rel=1e-2)
    assert check["metasmoothness"] == pytest.approx(1.0)

    check = checked((outer, torch.ones(2, dtype=F64)), steps=5)
    assert check.adjoint == pytest.approx(norms[-5:].tolist(), rel=1e-12)


def test_an_adjoint_whose_squares_overflow_is_told_in_numbers() -> None:
    def outer(start: Tensor) -> Tensor:
        return torchopt.minimize(
            lambda x: x.square().sum() / 2, start, solver=torchopt.sgd(11.0), steps=30
        ).params.sum()

    assert checked((outer, torch.ones(2)))["growth"] == pytest.approx(1e29)  # float32


def test_the_exponent_of_a_chaotic_descent_is_that_of_lyapunov() -> None:
    outer, start = logistic()
    check = checked((outer, start))
    assert check["exponent"] == pytest.approx(math.log(2), rel=0.1)  # of the logistic map, at 4


def cosine(a: Tensor, b: Tensor) -> float:
    return float(F.cosine_similarity(a.double(), b.double(), dim=0))


@pytest.mark.parametrize("chaotic", [False, True])
def test_the_cosine_is_that_of_loops_in_both_precisions(chaotic: bool) -> None:
    how: dict[str, Any] = {"act": torch.relu, "lr": 0.5, "width": 32} if chaotic else {}

    def gradient(dtype: torch.dtype) -> Tensor:
        fn, w = net(dtype=dtype, plain=True, **how)
        w = w.clone().requires_grad_()
        return torch.autograd.grad(fn(w), w)[0]

    by_loops = cosine(gradient(BF16), gradient(F64))
    found = checked(net(dtype=BF16, **how), last=20)["cosine"]
    assert (by_loops < 0.9) == (found < 0.9) == chaotic
    assert chaotic or abs(by_loops - found) < 0.01


def test_the_better_gradient_sees_the_same_random_numbers() -> None:
    x, y = randn(30, 3).float(), randn(30, seed=1).float()

    def outer(w: Tensor) -> Tensor:
        def risk(p: Tensor) -> Tensor:
            noise = 0.3 * torch.randn_like(x) * torch.rand(3)
            return ((w * (F.dropout(x + noise) @ p - y)) ** 2).mean()

        params = torchopt.minimize(risk, torch.zeros(3), solver=torchopt.sgd(0.2), steps=4).params
        return (x @ params - y).square().mean()

    assert checked((outer, torch.ones(30)), last=4)["error"] < 1e-5


def test_precise_operations_are_of_their_precision_whatever_they_are_given() -> None:
    low, index = randn(3).to(BF16), torch.tensor([2, 0])
    with Precise(F64, BF16):
        casts = [low.float(), low.half(), low.to(torch.float32), low.type_as(low)]
        made = [low + 1, low @ low, low[index], F.dropout(low), torch.zeros(2, dtype=BF16)]
        assert low.dtype == F64  # as the program sees it
        assert index.dtype == torch.int64
    assert {t.dtype for t in casts + made} == {F64}
    assert low.dtype == BF16


def test_the_standard_error_of_a_linear_function_is_the_known_one() -> None:
    n, d = 500, 6
    mode = ZeroOrder(Antithetic(num_samples=n), generator=1)
    check = checked((mode(lambda x: x.sum()), randn(d)))
    known = ((d + 1) / n) ** 0.5  # of `Antithetic`, relative to the gradient
    assert check["standard_error"] == pytest.approx(known, rel=0.25)


def test_a_rotation_that_is_not_whole_has_its_part_of_the_standard_error() -> None:
    d, n = 3, 7
    weights = torch.tensor([1.0, -2.0, 0.5], dtype=F64)

    def checked_by(seed: int) -> tuple[Tensor, float]:
        x = randn(d).requires_grad_()
        generator = torch.Generator().manual_seed(seed)
        mode = ZeroOrder(Orthogonal(num_samples=n), generator=generator)
        (gradient,) = torch.autograd.grad(mode(lambda x: x @ weights)(x), x)
        generator.manual_seed(seed)
        return gradient, checked((mode(lambda x: x @ weights), x.detach()))["standard_error"]

    gradients, errors = zip(*map(checked_by, range(100)), strict=True)
    off = torch.stack(gradients) - weights
    sizes = torch.stack(gradients).norm(dim=1) * torch.tensor(errors, dtype=F64)
    ratio = (sizes.square().mean() / off.square().sum(1).mean()).sqrt()
    assert 1 / 1.3 < ratio < 1.3


def cube(x: Tensor) -> Tensor:
    return x.pow(3).sum()


def cube_by_descent(x: Tensor) -> Tensor:
    return torchopt.minimize(
        lambda z: (z - x**3).square().sum() / 2, x * 0, solver=torchopt.sgd(0.5), steps=40
    ).params.sum()


@pytest.mark.parametrize("function", [cube, cube_by_descent])
def test_the_bias_of_a_cubic_function_is_the_known_one(function: Any) -> None:
    sigma = 0.5
    estimator = Antithetic(
        num_samples=64 if function is cube else 2,
        sigma=sigma,
        distribution=lambda shape: torch.randint(2, shape, dtype=F64) * 2 - 1,
    )
    check = checked((ZeroOrder(estimator)(function), torch.ones(1, dtype=F64)))
    assert check["bias"] == pytest.approx(sigma**2 / (3 + sigma**2))  # 3 x² + sigma²
    assert check["standard_error"] == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("lr", [0.1, 0.6])
def test_metasmoothness_is_that_of_the_definition(lr: float) -> None:
    X, y = randn(20, 5), randn(20, seed=1)

    def train(w: Tensor) -> Tensor:
        p = torch.zeros(5, dtype=F64) + 0.1
        for _ in range(8):
            loss = (w * (torch.relu(X @ p.requires_grad_()) - y).square()).mean()
            (g,) = torch.autograd.grad(loss, p, create_graph=True)
            p = p - lr * g
        return p

    def outer(w: Tensor) -> Tensor:
        start = torch.zeros(5, dtype=F64) + 0.1
        return (
            torchopt.minimize(
                lambda p: (w * (torch.relu(X @ p) - y).square()).mean(),
                start,
                solver=torchopt.sgd(lr),
                steps=8,
            )
            .params.square()
            .sum()
        )

    w = torch.ones(20, dtype=F64, requires_grad=True)
    (g,) = torch.autograd.grad(train(w).square().sum(), w)
    v = 0.2 * 20**0.5 * g / g.norm()
    before, at, first, second = (train((w + k * v).detach()).detach() for k in (-1, 0, 1, 2))
    one, two = first - at, second - first
    weight = 2 * at.abs()  # the derivative of the outer loss
    agreement = (weight * one.abs() * (one * two).sign()).sum() / (weight * one.abs()).sum()
    check = checked((outer, w.detach()), shift=0.2)
    assert check["metasmoothness"] == pytest.approx(float(agreement))
    losses = [float(t.square().sum()) for t in (before, at, first, second)]
    fit = numpy.polynomial.Polynomial.fit(range(-1, 3), losses, 1).convert().coef[1]
    assert check["slope"] == pytest.approx(fit / float(g @ v))
    slopes = weight * torch.stack([at - before, one, two]).abs().amax(0)
    bent = weight * (two - 2 * one + at - before).abs() > 0.1 * slopes
    assert check["kinks"] == pytest.approx(float(slopes[bent].sum() / slopes.sum()))


@pytest.mark.parametrize(("at", "share"), [(0.0, 1.0), (0.5, 0.0)])
def test_a_relu_at_zero_is_a_kink(at: float, share: float) -> None:
    def outer(phi: Tensor) -> Tensor:
        return torchopt.minimize(
            lambda x: (x - phi.relu()).square().sum() / 2,
            torch.zeros(3, dtype=F64),
            solver=torchopt.sgd(0.5),
            steps=3,
        ).params.sum()

    assert checked((outer, torch.full((3,), at, dtype=F64)))["kinks"] == share


# What it costs, and what it leaves.


def test_the_comparison_of_a_long_run_is_a_percent_of_its_steps() -> None:
    calls: list[torch.dtype] = []

    def outer(w: Tensor) -> Tensor:
        def risk(p: Tensor) -> Tensor:
            calls.append((p * w).dtype)
            return (w * (p - 1).square()).sum()

        return torchopt.minimize(
            risk, torch.zeros(3), solver=torchopt.sgd(0.01), steps=400
        ).params.sum()

    check = checked((outer, torch.ones(3)))
    assert check["cosine"] > 0.999
    assert calls.count(F64) == 2
    assert "slope" not in check  # the trainings nearby are shorter
    assert len(calls) == 400 + 400 + 2 + 2 + 4 * 100  # there, back, the last, precisely, nearby


def test_problems_inside_of_others_are_a_part_of_them() -> None:
    def outer(w: Tensor) -> Tensor:
        def loss(x: Tensor) -> Tensor:
            below = torchopt.minimize(
                lambda z: (z - x * w).square().sum(), w * 0, solver=torchopt.sgd(0.1), steps=3
            ).params
            return (x - 1).square().sum() + below.square().sum()

        return torchopt.minimize(loss, w * 0, solver=torchopt.sgd(0.1), steps=5).params.sum()

    check = checked((outer, torch.tensor([0.5, 0.7], dtype=F64)))
    assert check, check
    assert len(check.adjoint) == 5


def test_the_comparison_of_tasks_in_a_batch_is_that_of_a_loop() -> None:
    outer, start = tasks()
    y = randn(3, 4).float()

    def loop(start: Tensor) -> Tensor:
        def risk(x: Tensor, y: Tensor) -> Tensor:
            return (x.tanh() - y).square().sum()

        solver = torchopt.sgd(0.1)
        losses = []
        for row in y:
            solution = torchopt.minimize(risk, start, (row,), solver=solver, steps=20)
            losses.append(risk(solution.params, row))
        return torch.stack(losses).mean()

    batched, looped = checked((outer, start), last=20), checked((loop, start), last=20)
    assert batched["norm"] == pytest.approx(looped["norm"], rel=1e-5)
    assert batched["cosine"] == pytest.approx(1.0)
    assert batched["error"] < 1e-5
    assert batched["metasmoothness"] == pytest.approx(1.0)


def test_of_several_problems_the_worst_is_told() -> None:
    (fine, w), (bad, _) = quadratic(0.1, steps=7), quadratic(3.0, steps=25)
    check = checked((lambda w: fine(w) + 1e-9 * bad(w) + fine(w), w))
    assert len(check.adjoint) == 25
    assert check["growth"] > 1e4


def test_the_module_the_generators_and_the_watch_are_as_before() -> None:
    outer, module = maml()
    before, state = [p.detach().clone() for p in module.parameters()], torch.get_rng_state()
    checked((outer, module))
    assert all(map(torch.equal, before, module.parameters()))
    assert all(p.grad is None for p in module.parameters())
    assert torch.equal(state, torch.get_rng_state())

    def fails(w: Tensor) -> Tensor:
        torchopt.minimize(lambda x: (x - w).square().sum(), w, solver=torchopt.sgd(0.1), steps=1)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        checked((fails, torch.ones(1)))
    assert problem.WATCH.solver is None


def test_the_picture_has_a_point_for_each_step() -> None:
    check = checked(quadratic(0.1, steps=12))
    svg = ElementTree.fromstring(check.to_svg())
    (line,) = [e for e in svg.iter() if e.tag.endswith("path")]
    assert line.attrib["d"].count("L") == 11
    assert "12 steps" in check.to_svg()
    assert str(check._repr_html_()).endswith(check.to_svg())


def test_a_gradient_that_is_not_finite_or_zero_is_noise() -> None:
    check = checked((lambda w: w.sqrt().sum(), torch.zeros(2, dtype=F64)))
    assert not check
    assert "the gradient is inf" in check.sentence
    check = checked((lambda w: w.detach().sum() + 0 * w.sum(), torch.ones(2, dtype=F64)))
    assert "the gradient is 0" in check.sentence


@pytest.mark.parametrize("penalty", [0.02, 3.0])
def test_the_error_of_a_penalty_is_the_true_one(penalty: float) -> None:
    outer, phi = quartic(penalty)
    phi.requires_grad_()
    y = outer(phi)
    true = -1 / (1 + 3 * y.detach().square())
    (found,) = torch.autograd.grad(y, phi)
    error = float((found - true).abs() / true.abs())
    assert checked((outer, phi.detach()))["error"] == pytest.approx(error, rel=0.1)


def test_a_training_that_diverges_is_noise_and_its_step_is_told() -> None:
    def outer(rate: Tensor) -> Tensor:
        return torchopt.minimize(  # 1, then 1 - 0.4 = 0.6, then log(0.6 - 0.4 / 0.6) is NaN
            lambda x: x.log(), torch.ones((), dtype=F64), solver=torchopt.sgd(rate), steps=5
        ).params

    check = checked((outer, torch.tensor(0.4, dtype=F64)))
    assert not check
    assert "the gradient is nan: the objective's value at step 2 is NaN" in check.sentence


def test_a_better_gradient_that_is_not_finite_is_noise() -> None:
    mode = ZeroOrder(Coordinate(sigma=0.2))
    check = checked((mode(lambda x: x.sqrt().sum()), torch.full((1,), 0.3)))
    assert math.isfinite(check["norm"])
    assert math.isnan(check["bias"])  # by the root of 0.3 - 2 * 0.2
    assert not check


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"steps": 0}, "`steps` is 0"),
        ({"last": 0}, "`last` is 0"),
        ({"shift": 0.0}, "`shift` is 0.0: use a positive number"),
    ],
)
def test_a_wrong_argument_is_told(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        torchopt.check_training(lambda w: w.sum(), torch.ones(1), **options)

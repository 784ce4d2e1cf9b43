"""What is computed again in a backward pass is what was computed at first, or an error."""

from __future__ import annotations

import itertools
import re
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.func import grad, vmap

import _public
import torchopt
from _cases import covering
from _device import in_this_thread
from torchopt.autodiff.fingerprint import _directions
from torchopt.diff import Explicit, OneStep

DTYPE = torch.float64
POLICIES = {
    **_public.POLICIES,
    "1": Explicit("tree", carries=1),
    "forward over reverse": Explicit("step", hvp="forward"),
    "differences": Explicit("tree", hvp="finite_difference"),
}
Objective = Callable[[Any, Tensor], Any]


def draw(*shape: int, seed: int) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=DTYPE)


DATA, LABELS = draw(24, 4, seed=0), torch.arange(24) % 3
OUTER = draw(4, 3, seed=1)


def batches_of_a_softmax() -> Objective:
    """Its gradient sums to zero over the classes, whatever the batch is."""
    rng = np.random.default_rng(0)

    def objective(x: Tensor, v: Tensor) -> Tensor:
        at = torch.from_numpy(rng.integers(0, 24, 6))
        return F.cross_entropy(DATA[at] @ (x * v), LABELS[at])

    return objective


def a_loader() -> Objective:
    def forever() -> Any:
        while True:
            loader = torch.utils.data.DataLoader(
                torch.utils.data.TensorDataset(DATA, LABELS),
                batch_size=5,
                shuffle=True,
                generator=torch.Generator().manual_seed(3),
            )
            yield from loader

    data = forever()

    def objective(x: Tensor, v: Tensor) -> Tensor:
        inputs, labels = next(data)
        return F.cross_entropy(inputs @ (x * v), labels)

    return objective


def a_coordinate() -> Objective:
    """A permutation of the same update."""
    rng = np.random.default_rng(1)

    def objective(x: Tensor, v: Tensor) -> Tensor:
        return (x * v).flatten()[int(rng.integers(0, 12))]

    return objective


def a_permutation_of_the_classes() -> Objective:
    rng = np.random.default_rng(2)

    def objective(x: Tensor, v: Tensor) -> Tensor:
        return F.cross_entropy(DATA @ (x * v), torch.from_numpy(rng.permutation(3))[LABELS])

    return objective


def a_small_part() -> Objective:
    """Of one of many entries."""
    rng = np.random.default_rng(3)

    def objective(x: Tensor, v: Tensor) -> Tensor:
        noise = torch.zeros(4, 3, dtype=DTYPE)
        noise[1, 2] = 1e-3 * rng.standard_normal()
        return ((x - v) ** 2).sum() + (x * noise).sum()

    return objective


CHANGING = [
    batches_of_a_softmax,
    a_loader,
    a_coordinate,
    a_permutation_of_the_classes,
    a_small_part,
]


def solve(objective: Objective, v: Tensor, mode: Explicit, steps: int = 3) -> Tensor:
    solver = torchopt.sgd(0.5)
    start = torch.full((4, 3), 0.1, dtype=DTYPE)
    return torchopt.minimize(objective, start, (v,), solver=solver, steps=steps, diff=mode).params


@pytest.mark.parametrize(("changing", "policy", "steps"), covering(CHANGING, [*POLICIES], [1, 4]))
def test_an_objective_that_changes_is_an_error(changing: Any, policy: str, steps: int) -> None:
    v = OUTER.clone().requires_grad_()
    with pytest.raises(RuntimeError, match="when it was computed again"):
        solve(changing(), v, POLICIES[policy], steps).square().sum().backward()
    assert v.grad is None


@pytest.mark.parametrize(("changing", "policy"), covering(CHANGING, ["step", "tree"]))
def test_an_objective_that_changes_is_an_error_inside_torch_func(
    changing: Any, policy: str
) -> None:
    def value(objective: Objective, v: Tensor) -> Tensor:
        return solve(objective, v, POLICIES[policy]).square().sum()

    for derivative in (
        grad(value, argnums=1),
        vmap(grad(value, argnums=1), in_dims=(None, 0), randomness="same"),
    ):
        given = OUTER if derivative.__name__ != "wrapped" else OUTER.expand(2, 4, 3)
        with pytest.raises(RuntimeError, match="when it was computed again"):
            derivative(changing(), given)


@pytest.mark.parametrize("policy", POLICIES)
def test_a_solver_that_changes_is_an_error(policy: str) -> None:
    rng = np.random.default_rng(0)

    def update(grads: Any, state: Any, params: Any = None, *, inplace: bool = False) -> Any:
        mask = torch.zeros(12, dtype=DTYPE)
        mask[int(rng.integers(0, 12))] = -0.5
        return torchopt.pytree.tree_map(lambda g: g * mask.view(4, 3), grads), state

    solver = torchopt.GradientTransformation(lambda params: (), update)
    v = OUTER.clone().requires_grad_()
    with pytest.raises(RuntimeError, match="when it was computed again"):
        torchopt.minimize(
            lambda x, v: ((x - v) ** 2).sum(),
            torch.zeros(4, 3, dtype=DTYPE),
            (v,),
            solver=solver,
            steps=3,
            diff=POLICIES[policy],
        ).params.sum().backward()


@pytest.mark.parametrize("policy", POLICIES)
def test_a_gradient_that_no_parameter_shows_is_compared(policy: str) -> None:
    """A learned step size that is still zero: no step moves, whatever the batch is."""
    rate = torch.zeros((), dtype=DTYPE, requires_grad=True)
    with pytest.raises(RuntimeError, match="when it was computed again"):
        torchopt.minimize(
            batches_of_a_softmax(),
            torch.ones(4, 3, dtype=DTYPE),
            (OUTER,),
            solver=torchopt.sgd(rate),
            steps=2,
            diff=POLICIES[policy],
        ).params.square().sum().backward()


@pytest.mark.parametrize("policy", POLICIES)
def test_an_auxiliary_output_that_changes_is_an_error(policy: str) -> None:
    rng, v = np.random.default_rng(0), OUTER.clone().requires_grad_()

    def objective(x: Tensor) -> Any:
        weights = torch.from_numpy(rng.standard_normal(3))
        return ((x - v) ** 2).sum(), {"logits": (x * v) @ weights, "drawn": weights}

    def run() -> Any:
        return torchopt.minimize(
            objective,
            torch.ones(4, 3, dtype=DTYPE),
            solver=torchopt.sgd(0.1),
            steps=3,
            has_aux=True,
            diff=POLICIES[policy],
        )

    with pytest.raises(RuntimeError, match="gave another auxiliary output"):
        run().aux["logits"].sum().backward()


@pytest.mark.parametrize("policy", ["step", "forward"])
def test_what_is_reported_without_a_gradient_may_change(policy: str) -> None:
    rng, v = np.random.default_rng(0), OUTER.clone().requires_grad_()
    solution = torchopt.minimize(
        lambda x: (((x - v) ** 2).sum(), torch.tensor(rng.standard_normal())),
        torch.ones(4, 3, dtype=DTYPE),
        solver=torchopt.sgd(0.1),
        steps=3,
        has_aux=True,
        diff=POLICIES[policy],
    )
    solution.params.sum().backward()
    torch.testing.assert_close(v.grad, torch.full((4, 3), 1 - 0.8**3, dtype=DTYPE))


def test_a_replay_in_low_precision_may_round_as_it_does() -> None:
    """The rounding that counts is that of the computation, under autocast too."""
    v, calls = torch.ones(4, 3, requires_grad=True), [0]

    def objective(x: Tensor) -> Tensor:
        calls[0] += 1
        loss = ((x @ v.T).float() ** 2).mean()
        return loss * (1 + 4e-2 * (calls[0] > 2))  # a few units in the last place of bfloat16

    with torch.autocast("cpu", torch.bfloat16):
        solution = torchopt.minimize(
            objective, torch.ones(4, 3), solver=torchopt.sgd(0.1), steps=2, diff=Explicit("step")
        )
    with pytest.warns(torchopt.errors.ReplayWarning) as caught:
        solution.params.sum().backward()
    assert caught[0].filename == __file__
    assert 1e-2 < caught[0].message.difference < 0.08


# What is read by hooks, and by custom backward functions.


class Scaled(torch.autograd.Function):
    """The sine, with another derivative: the cosine times what was there when it was called."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, held: list[Tensor]) -> Tensor:
        ctx.save_for_backward(x)
        ctx.held = held
        return x.sin()

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Any:
        (x,) = ctx.saved_tensors
        return g * x.cos() * ctx.held[0], None


def by_a_backward_function(x: Tensor, v: Tensor) -> Tensor:
    return Scaled.apply(x, [v]).sum() + (x**2).sum()


def by_a_tensor_hook(x: Tensor, v: Tensor) -> Tensor:
    y = 2 * x
    y.register_hook(lambda g: g * v)
    return y.sin().sum()


def by_a_hook_of_a_node(x: Tensor, v: Tensor) -> Tensor:
    y = x.sin()
    y.grad_fn.register_hook(lambda gi, go: (gi[0] * v,))
    return (y**2).sum()


class Hooked(nn.Module):
    def __init__(self, v: Tensor, kind: str) -> None:
        super().__init__()
        self.inner = nn.Linear(3, 3, bias=False, dtype=DTYPE).requires_grad_(False)
        self.inner.weight.copy_(draw(3, 3, seed=5))
        if kind == "after":
            self.inner.register_full_backward_hook(lambda m, gi, go: (gi[0] * v,))
        else:
            self.inner.register_full_backward_pre_hook(lambda m, go: (go[0] * v,))

    def forward(self, x: Tensor) -> Tensor:
        return self.inner(x)


def by_a_module(kind: str) -> Callable[[Tensor, Tensor], Tensor]:
    def objective(x: Tensor, v: Tensor) -> Tensor:
        return Hooked(v, kind)(x).sin().sum()

    objective.__name__ = f"by_a_module_{kind}"
    return objective


READING = [
    by_a_backward_function,
    by_a_tensor_hook,
    by_a_hook_of_a_node,
    by_a_module("after"),
    by_a_module("before"),
]


@pytest.mark.parametrize(
    ("reading", "how"), covering(READING, [*itertools.product(POLICIES, [False, True])])
)
def test_what_is_read_in_the_backward_pass_is_right_or_refused(
    reading: Any, how: tuple[str, bool]
) -> None:
    policy, passed = how

    def derivatives(mode: Explicit) -> list[Tensor]:
        v = torch.tensor([0.3, -0.7, 1.1], dtype=DTYPE, requires_grad=True)
        start = torch.ones(3, dtype=DTYPE)
        function, args = (reading, (v,)) if passed else (lambda x: reading(x, v), ())
        solver = torchopt.sgd(0.1, momentum=0.9)
        solution = torchopt.minimize(function, start, args, solver=solver, steps=4, diff=mode)
        (first,) = torch.autograd.grad((solution.params**3).sum(), v, create_graph=True)
        return [first, *torch.autograd.grad(first.sin().sum(), v)]

    expected = derivatives(Explicit())
    mode = POLICIES[policy]
    if (
        reading is by_a_hook_of_a_node and not passed
    ):  # of which nobody can know: no derivative is left
        with pytest.raises(RuntimeError):
            derivatives(mode)
        return
    if mode.hvp != "reverse" or mode.memory == "forward":
        with pytest.raises(RuntimeError, match="changes its own gradient"):
            derivatives(mode)
        return
    for found, want in zip(derivatives(mode), expected, strict=True):
        torch.testing.assert_close(found, want, rtol=1e-9, atol=1e-12)


class Product(torch.autograd.Function):
    """The hyperbolic tangent of a product, with its derivative."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, v: Tensor) -> Tensor:
        ctx.save_for_backward(x, v)
        return (x * v).tanh()

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Any:
        x, v = ctx.saved_tensors
        slope = g * (1 - (x * v).tanh() ** 2)
        return slope * v, slope * x


class Reversed(torch.autograd.Function):
    """The identity, whose gradient goes the other way, as far as a variable says."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, v: Tensor) -> Tensor:
        ctx.save_for_backward(v)
        return x.view_as(x)

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Any:
        (v,) = ctx.saved_tensors
        return -v * g, None


class Rounded(torch.autograd.Function):
    """Straight through."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, v: Tensor) -> Tensor:
        return (4 * x).round() / 4

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Any:
        return g, None


@pytest.mark.parametrize("steps", [1, 3])
@pytest.mark.parametrize("function", [Reversed, Rounded, Product])
def test_differences_refuse_a_backward_function_that_is_not_the_derivative(
    function: Any, steps: int
) -> None:
    """Of what is no gradient, products with the second derivatives are not symmetric."""

    def derivative(mode: Explicit) -> Tensor:
        v = OUTER[0].clone().requires_grad_()

        def objective(x: Tensor, v: Tensor) -> Tensor:
            y = function.apply(DATA @ x, v.expand(24, 3))
            return F.cross_entropy(y * v.exp(), LABELS) + (x**2).sum()

        start, solver = draw(4, 3, seed=2), torchopt.sgd(0.1, momentum=0.5)
        found = torchopt.minimize(objective, start, (v,), solver=solver, steps=steps, diff=mode)
        return torch.autograd.grad(found.params.square().sum(), v)[0]

    mode = POLICIES["differences"]
    if function in (Reversed, Rounded):
        with pytest.raises(RuntimeError, match=r"changes its own gradient|not good to a tenth"):
            derivative(mode)
        return
    torch.testing.assert_close(derivative(mode), derivative(Explicit()), rtol=1e-6, atol=1e-6)


def test_hooks_in_a_block_are_right_or_refused() -> None:
    def second(wrap: Callable[[Any], Any], held: Callable[[Tensor], Tensor], read: bool) -> Tensor:
        v = torch.tensor([0.3, -0.7, 1.1], dtype=DTYPE, requires_grad=True)
        x = torch.ones(3, dtype=DTYPE, requires_grad=True)

        def block(x: Tensor) -> Tensor:
            y = x * v if read else 2 * x
            y.register_hook(lambda g: g * held(v))
            return y.sin()

        (g,) = torch.autograd.grad(wrap(block)(x).sum(), x, create_graph=True)
        return torch.autograd.grad((g**3).sum(), v, allow_unused=True)[0]

    def plain(function: Any) -> Any:
        return function

    found = second(torchopt.remat, lambda v: v, read=True)
    torch.testing.assert_close(found, second(plain, lambda v: v, read=True), rtol=1e-9, atol=1e-12)
    with pytest.raises(RuntimeError, match=r"hook.*reads a tensor of shape \(3,\)"):
        second(torchopt.remat, lambda v: v, read=False)
    detached = second(torchopt.remat, torch.Tensor.detach, read=True)
    torch.testing.assert_close(detached, second(plain, torch.Tensor.detach, read=True))


# Other threads, in which operations are seen by nobody.


@pytest.mark.parametrize("mode", ["step", "tree", "forward", "implicit"])
@pytest.mark.parametrize("what", ["all", "half", "variable"])
def test_a_function_that_computes_in_another_thread_is_refused(what: str, mode: str) -> None:
    diff = torchopt.diff.Implicit() if mode == "implicit" else POLICIES[mode]
    v = torch.tensor([0.7], dtype=DTYPE, requires_grad=True)
    data = draw(8, 3, seed=6)

    def part(x: Tensor, v: Tensor, data: Tensor) -> Tensor:
        return ((data @ x * v).tanh() ** 2).sum()

    def run(diff: Any, threads: ThreadPoolExecutor | None) -> Tensor:
        def call(function: Any, *args: Any) -> Any:
            return threads.submit(function, *args).result() if threads else function(*args)

        def objective(x: Tensor, v: Tensor) -> Tensor:
            near = 0.5 * ((x - 0.3) ** 2).sum()
            if what == "all":
                return call(part, x, v, data) + near
            if what == "half":
                return part(x, v, data[:4]) + call(part, x, v, data[4:]) + near
            return (x * call(torch.exp, v)).sum() + near

        params = torchopt.minimize(
            objective,
            torch.ones(3, dtype=DTYPE),
            (v,),
            solver=torchopt.sgd(0.1),
            steps=60 if mode == "implicit" else 6,
            diff=diff,
        ).params
        return torch.autograd.grad(params.sum(), v)[0]

    with ThreadPoolExecutor(1) as threads:
        torch.testing.assert_close(run(Explicit(), threads), run(Explicit(), None))
        with pytest.raises(RuntimeError, match="another thread"):
            run(diff, threads)


@pytest.mark.parametrize("policy", ["step", "tree", "forward"])
def test_one_hyperparameter_may_be_made_of_another(policy: str) -> None:
    def slope(diff: Any) -> Tensor:
        lr = torch.tensor(0.3, dtype=DTYPE, requires_grad=True)
        solver = torchopt.chain(torchopt.transform.ema(lr), torchopt.sgd(lr * 0.1))
        params = torchopt.minimize(
            lambda x: (x**2).sum(), draw(3, seed=2), solver=solver, steps=3, diff=diff
        ).params
        return torch.autograd.grad(params.sum(), lr)[0]

    torch.testing.assert_close(slope(POLICIES[policy]), slope(Explicit()))


@pytest.mark.parametrize("policy", ["step", "forward", "forward over reverse", "differences"])
def test_calls_are_in_proportion_to_the_leaves_and_to_the_steps(policy: str) -> None:
    differences = Explicit("step", hvp="finite_difference")

    def calls(leaves: int, steps: int) -> int:
        v, count = torch.tensor(0.5, dtype=DTYPE, requires_grad=True), 0

        def note(frame: Any, event: str, _: Any) -> None:
            nonlocal count
            count += event in ("call", "c_call")

        params = {str(k): torch.full((2,), 0.1, dtype=DTYPE) for k in range(leaves)}
        before = sys.getprofile()
        sys.setprofile(note)
        try:
            solution = torchopt.minimize(
                lambda x: ((torch.stack(list(x.values())) - v) ** 2).sum(),
                params,
                solver=torchopt.sgd(0.1),
                steps=steps,
                diff=differences if policy == "differences" else POLICIES[policy],
            )
            torch.autograd.grad(solution.params["0"].sum(), v)
        finally:
            sys.setprofile(before)
        return count

    calls(2, 2)  # what is made at the first call
    assert calls(200, 2) < 5 * calls(40, 2)
    assert calls(2, 90) < 3.1 * calls(2, 30)


@pytest.mark.parametrize("randomness", ["error", "same", "different"])
def test_the_first_comparison_of_a_program_may_be_inside_vmap(randomness: str) -> None:
    def meta(start: Tensor) -> Tensor:
        """Three steps of x <- 0.8 x + 0.2 start, from zero."""
        return torchopt.minimize(
            lambda x, target: ((x - target) ** 2).sum(),
            torch.zeros(3, dtype=DTYPE),
            (start,),
            solver=torchopt.sgd(0.1),
            steps=3,
            diff=Explicit("step"),
        ).params.sum()

    _directions.cache_clear()  # as at the start of a program
    starts = torch.linspace(-1, 2, 12, dtype=DTYPE).view(4, 3)
    expected = torch.full_like(starts, 1 - 0.8**3)
    torch.testing.assert_close(vmap(grad(meta), randomness=randomness)(starts), expected)
    torch.testing.assert_close(grad(meta)(starts[0]), expected[0])


# What is cut off, cached, or differentiated inside of the objective.


@in_this_thread
@pytest.mark.parametrize("composed", [False, True], ids=["leaf", "function of one"])
@pytest.mark.parametrize("policy", POLICIES)
def test_a_tensor_that_the_first_evaluation_leaves_in_a_cache_is_refused(
    policy: str, composed: bool
) -> None:
    v = torch.tensor([0.3, -0.7, 1.1], dtype=DTYPE, requires_grad=True)
    held = v.sin() if composed else v
    cache: dict[str, Tensor] = {}

    def objective(x: Tensor) -> Tensor:
        return ((x - cache.setdefault("w", held.exp())) ** 2).sum()

    with pytest.raises(RuntimeError, match=r"from an earlier evaluation"):
        torchopt.minimize(
            objective,
            torch.ones(3, dtype=DTYPE),
            solver=torchopt.sgd(0.1),
            steps=1,
            diff=POLICIES[policy],
        ).params.sum().backward()


@pytest.mark.parametrize("policy", ["graph", "step", "tree"])
def test_a_derivative_by_an_outer_variable_does_not_go_through_earlier_steps(policy: str) -> None:
    """As in physics-informed networks: the objective has a derivative by its own data."""

    def value(x: Tensor, mode: Explicit) -> Tensor:
        x = x if x.requires_grad else x.clone().requires_grad_()

        def objective(theta: Tensor) -> Tensor:
            (slope,) = torch.autograd.grad((theta * x).sin().sum(), x, create_graph=True)
            return (slope**2).sum() + ((theta - x) ** 2).sum()

        start = torch.ones(3, dtype=DTYPE)
        solver = torchopt.sgd(0.05)
        return torchopt.minimize(objective, start, solver=solver, steps=3, diff=mode).params.sum()

    x = torch.tensor([0.3, -0.7, 1.1], dtype=DTYPE, requires_grad=True)
    if policy == "graph":
        with pytest.raises(RuntimeError, match="would go through these"):
            value(x, Explicit())
        return
    (found,) = torch.autograd.grad(value(x, POLICIES[policy]), x)
    steps = 1e-6 * torch.eye(3, dtype=DTYPE)
    with torch.no_grad():
        pairs = [(value(x + s, POLICIES[policy]), value(x - s, POLICIES[policy])) for s in steps]
    expected = torch.stack([(a - b) / 2e-6 for a, b in pairs]).detach()
    torch.testing.assert_close(found, expected, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("call", ["grad", "backward", "method", "in an inner problem"])
def test_every_backward_pass_in_an_objective_is_kept_from_earlier_steps(call: str) -> None:
    x = torch.tensor([0.3, -0.7, 1.1], dtype=DTYPE, requires_grad=True)

    def objective(theta: Tensor) -> Tensor:
        y = (theta * x).sin().sum()
        if call == "grad":
            torch.autograd.grad(y, x, create_graph=True)
        elif call == "backward":
            torch.autograd.backward(y, retain_graph=True)
        elif call == "method":
            y.backward(inputs=[x], retain_graph=True)
        else:

            def inner(z: Tensor) -> Tensor:
                (slope,) = torch.autograd.grad((theta * x).sin().sum(), x, create_graph=True)
                return ((z - slope) ** 2).sum()

            solver = torchopt.sgd(0.1)
            torchopt.minimize(inner, theta.detach(), solver=solver, steps=1, diff=Explicit("step"))
        return (theta**2).sum() + ((theta - x) ** 2).sum()

    start, solver = torch.ones(3, dtype=DTYPE), torchopt.sgd(0.05)
    with pytest.raises(RuntimeError, match="would go through these"):
        torchopt.minimize(objective, start, solver=solver, steps=3)


@pytest.mark.parametrize("policy", ["step", "tree"])
def test_a_cast_that_autocast_keeps_is_no_hidden_variable(policy: str) -> None:
    def derivative(mode: Explicit) -> Tensor:
        w = draw(4, 4, seed=7).float().requires_grad_()
        data = draw(8, 4, seed=8).float()
        with torch.autocast("cpu", torch.bfloat16):
            _ = data @ w  # a cast that is there before
            solution = torchopt.minimize(
                lambda x: ((data @ w) @ x).float().pow(2).mean(),
                torch.ones(4, 1),
                solver=torchopt.sgd(0.1),
                steps=3,
                diff=mode,
            )
        return torch.autograd.grad(solution.params.sum(), w)[0]

    torch.testing.assert_close(
        derivative(POLICIES[policy]), derivative(Explicit()), rtol=0.05, atol=0.02
    )


# What is evaluated once more for a product of second derivatives.


PRODUCTS = {
    "reverse": (Explicit("step"), {"micro_batches": 2}),
    "forward": (Explicit("step", hvp="forward"), {}),
    "forward, micro-batches": (Explicit("step", hvp="forward"), {"micro_batches": 2}),
    "differences": (Explicit("step", hvp="finite_difference"), {}),
    "differences, micro-batches": (Explicit("step", hvp="finite_difference"), {"micro_batches": 2}),
    "Gauss-Newton": (Explicit("step", hvp="gauss_newton"), {}),
    "one step": (OneStep(hvp="finite_difference"), {}),
    "one step of a given size": (OneStep(step_size=0.1, hvp="finite_difference"), {}),
    "one step of a given difference": (OneStep(hvp="finite_difference", eps=0.01), {}),
}


@pytest.mark.parametrize("onwards", [False, True])
@pytest.mark.parametrize("product", PRODUCTS)
def test_any_evaluation_that_differs_is_noticed(product: str, onwards: bool) -> None:
    """One of the evaluations, or each from there on, goes through another layer."""
    mode, options = PRODUCTS[product]
    weights = draw(2, 4, 4, seed=3)
    data = draw(2, 6, 4, seed=4)
    squares = product == "Gauss-Newton"

    def derivative(other: Callable[[int], bool]) -> tuple[Tensor, int, int]:
        calls = 0

        def function(x: Tensor, v: Tensor, *batch: Tensor) -> Tensor:
            nonlocal calls
            layer = weights[int(other(calls))]
            calls += 1
            rows = batch[0] if batch else data[0]
            r = v * torch.tanh(rows @ layer * x) - rows.roll(1, 1)
            return r if squares else r.square().mean()

        v = draw(4, seed=5).requires_grad_()
        pose = torchopt.least_squares if squares else torchopt.minimize
        solution = pose(
            function,
            draw(4, seed=6),
            (v,),
            solver=torchopt.sgd(0.1),
            steps=1,
            diff=mode,
            **({} if squares else {"batches": data[:1], **options}),
        )
        first = calls
        return torch.autograd.grad((solution.params**3).sum(), v)[0], first, calls

    right, first, calls = derivative(lambda call: False)
    assert calls > first + 1
    refusals: list[str] = []
    for index in range(first, calls):
        try:
            found, *_ = derivative(
                lambda call, index=index: call >= index if onwards else call == index
            )
        except RuntimeError as error:
            refusals.append(str(error))
            continue
        assert (found - right).norm() < 1e-3 * right.norm(), index
    expected = re.compile("computed again|near the solution|evaluated again|not good to a tenth")
    assert refusals
    assert all(map(expected.search, refusals))


@pytest.mark.parametrize(
    ("act", "policy"),
    covering([F.silu, F.mish, torch.tanh], [*POLICIES]),
    ids=lambda x: getattr(x, "__name__", x),
)
def test_at_a_minimum_steps_that_are_computed_again_have_the_same_bits(
    act: Callable[[Tensor], Tensor], policy: str
) -> None:
    """There all digits of a gradient are rounding. A warning is an error here."""
    data = draw(12, 4, seed=9)
    labels = (data[:, 0] > 0).to(DTYPE)

    def end(start: Tensor, mode: Explicit, steps: int) -> Tensor:
        v = torch.tensor(0.3, dtype=DTYPE, requires_grad=True)
        x = torchopt.minimize(
            lambda x, v: (
                F.binary_cross_entropy_with_logits(act(data @ x), labels) + v * x.pow(2).sum()
            ),
            start,
            (v,),
            solver=torchopt.sgd(1.4),
            steps=steps,
            diff=mode,
        ).params
        x.sum().backward()
        assert v.grad is not None
        return x.detach()

    minimum = end(torch.full((4,), 0.1, dtype=DTYPE), POLICIES[policy], 40)
    end(minimum, POLICIES[policy], 5)


def test_a_solve_in_forward_mode_takes_what_it_reads_as_arguments() -> None:
    y = torch.tensor([0.5, -2.0], dtype=torch.float64, requires_grad=True)

    def nearest(passed: tuple[torch.Tensor, ...]) -> torch.Tensor:
        def objective(x: torch.Tensor) -> torch.Tensor:
            at = torchopt.minimize(
                lambda q, *given: (q - (given or (y,))[0]).square().sum(),
                torch.zeros_like(y),
                passed,
                solver=torchopt.solver.Newton(),
            ).params
            return (x - at).square().sum()

        mode = Explicit("step", hvp="forward")
        start = torch.ones_like(y)
        x = torchopt.minimize(objective, start, solver=torchopt.sgd(0.1), steps=3, diff=mode).params
        return torch.autograd.grad(x.sum(), y)[0]

    torch.testing.assert_close(nearest((y,)), torch.full_like(y, 1 - 0.8**3))
    with pytest.raises(
        torchopt.errors.ReplayError, match=r"in forward mode, .* closes over: .*`args`\.$"
    ):
        nearest(())

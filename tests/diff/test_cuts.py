"""What a function cuts off from the graph is constant in each product, or a difference is refused."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.autograd import forward_ad
from torch.utils.checkpoint import checkpoint

import torchopt
from _cases import RELEASE
from torchopt import diff, linalg, linear_solve

F64 = torch.float64
Objective = Callable[[Tensor, Tensor], Tensor]


def vector(*values: float) -> Tensor:
    return torch.tensor(values, dtype=F64)


def by_no_grad(x: Tensor, v: Tensor) -> Tensor:
    with torch.no_grad():
        target = (x * v).sin()
    return ((x * v - target) ** 2).sum() + (x * v * target).sum() + ((x - v) ** 2).sum()


def by_detach(x: Tensor, v: Tensor) -> Tensor:
    return ((x * v - (x * v).sin().detach()) ** 2).sum() + ((x - v) ** 2).sum()


def by_item(x: Tensor, v: Tensor) -> Tensor:
    return ((x - v) ** 2).sum() * (1 + (x * x).sum().item()) + (x**4).sum()


def by_numpy(x: Tensor, v: Tensor) -> Tensor:
    weights = torch.from_numpy((2 + x).detach().numpy().copy())
    return ((x - v) ** 2 * weights).sum() + 0.1 * (x**4).sum()


def by_mask(x: Tensor, v: Tensor) -> Tensor:
    weights = torch.where(x.detach() > v, x.detach().exp(), 2.0)
    return ((x - v) ** 2 * weights).sum() + (x**2).sum()


def by_data(x: Tensor, v: Tensor) -> Tensor:
    return ((x - v).data * x).sum() + ((x - v) ** 2).sum()


def by_a_branch(x: Tensor, v: Tensor) -> Tensor:
    return ((x - v) ** 2).sum() * (2 if (x * v).sum() > -9 else 1) + (x**4).sum()


def by_a_choice(x: Tensor, v: Tensor) -> Tensor:
    y = (x - v) ** 2
    return y[y.argsort()[:2]].sum() + (x**2).sum()


def by_writes(x: Tensor, v: Tensor) -> Tensor:
    weights = (2 + x).detach().clone()
    weights[1:] *= weights[0]
    return ((x - v) ** 2 * weights.add_(1)).sum() + (x**2).sum()


def by_an_alias(x: Tensor, v: Tensor) -> Tensor:
    y = x * 1
    same = y.detach()
    y.mul_(2.0).add_(v)  # seen through the detached alias, too
    return (same.sin() * y).sum() + (x - v).pow(2).sum() * 3


def by_a_write_that_autograd_does_not_see(x: Tensor, v: Tensor) -> Tensor:
    y = x * v
    with torch.no_grad():
        y.clamp_(min=0.0)
    return y.sum() + ((x - v) ** 2).sum()


def by_a_gradient(x: Tensor, v: Tensor) -> Tensor:
    """One adversarial step on the data."""
    noise = torch.zeros_like(v).requires_grad_()
    with torch.enable_grad():
        (slope,) = torch.autograd.grad(((v + noise) * x).sin().sum(), noise)
    return (x - v - 0.3 * slope).square().sum() + (x**2).sum()


def by_a_backward_pass(x: Tensor, v: Tensor) -> Tensor:
    noise = torch.zeros_like(v).requires_grad_()
    with torch.enable_grad():
        ((v + noise) * x).sin().sum().backward(inputs=[noise])
    assert noise.grad is not None
    return (x - v - 0.3 * noise.grad).square().sum() + (x**2).sum()


def by_an_optimizer(x: Tensor, v: Tensor) -> Tensor:
    copy = x.detach().clone().requires_grad_()
    with torch.enable_grad():
        optimizer = torch.optim.SGD([copy], lr=0.1)
        (copy * v).cos().sum().backward(inputs=[copy])
        optimizer.step()
    return (x - v * copy.detach()).square().sum() + (x**2).sum()


def by_a_sample(x: Tensor, v: Tensor) -> Tensor:
    """The estimator of the score function: samples have no derivative."""
    policy = torch.distributions.Normal(x, torch.ones_like(x))
    torch.manual_seed(3)
    return -(policy.sample() * v * policy.log_prob(v)).sum() * 0.1 + ((x - v) ** 2).sum()


def by_checkpoint(x: Tensor, v: Tensor) -> Tensor:
    part = checkpoint(lambda x: x.detach().sin() * x, x, use_reentrant=False)
    return (part * v).sum() + ((x - v) ** 2).sum()


def by_a_block(x: Tensor, v: Tensor) -> Tensor:
    part = torchopt.remat(lambda x: x.detach().sin() * x)(x)
    return (part * v).sum() + ((x - v) ** 2).sum()


def by_vmap(x: Tensor, v: Tensor) -> Tensor:
    return torch.func.vmap(lambda x, v: x.detach().sin() * x * v)(x, v).sum() + (x - v).pow(2).sum()


def by_nothing(x: Tensor, v: Tensor) -> Tensor:
    (x * v > 0).double().mean()  # nothing that counts
    return ((x - v) ** 2 * 2 + x**4).sum()


OBJECTIVES = [function for name, function in globals().items() if name.startswith("by_")]
if RELEASE < (2, 13):  # where regions cannot be left early, and have no forward mode
    OBJECTIVES.remove(by_checkpoint)


def hypergradient(objective: Objective, mode: Any, *, steps: int = 60) -> Tensor:
    v = vector(0.3, -0.7, 1.1).requires_grad_()
    start = torch.full((3,), 0.7, dtype=F64)
    solution = torchopt.minimize(
        objective, start, (v,), solver=torchopt.sgd(0.1), steps=steps, diff=mode
    )
    return torch.autograd.grad((solution.params**3).sum(), v)[0]


def derivative_of_the_gradient(objective: Objective, x: Tensor, v: Tensor, u: Tensor) -> Tensor:
    """The Hessian's product by plain autograd."""
    x = x.clone().requires_grad_()
    (gradient,) = torch.autograd.grad(objective(x, v), x, create_graph=True)
    return torch.autograd.grad(gradient, x, u)[0]


def refused_if(cut: bool) -> Any:
    if cut:
        return pytest.raises(RuntimeError, match=r"the objective detaches it.*use `.*\"reverse\"`")
    return contextlib.nullcontext()


#: How products are computed, as each operator names it.
WORD = {linalg.hessian_operator: "hvp", linalg.jacobian_operator: "jvp"}


def by_implicit(hvp: Any) -> Any:
    # What is cut makes the Hessian unsymmetric, or indefinite.
    return diff.Implicit(linear_solve.GMRES(), hvp=hvp)


def each_with(*products: Any) -> Any:
    """Parametrize a test by objectives, and by products with their Hessians."""
    return pytest.mark.parametrize(
        ("objective", "product"),
        [
            pytest.param(objective, product, id=f"{objective.__name__}-{product}")
            for objective in OBJECTIVES
            for product in products
        ],
    )


MODES = {
    "implicit": by_implicit,
    "explicit": lambda hvp: diff.Explicit("step", hvp=hvp),
    "one step": lambda hvp: diff.OneStep(hvp=hvp),
    "one step of a size": lambda hvp: diff.OneStep(0.2, hvp=hvp),
}


@pytest.mark.filterwarnings("ignore::torchopt.errors.NotConvergedWarning")  # some have no minimum
@each_with(
    *((mode, "finite_difference") for mode in MODES if mode != "implicit"),
    *((mode, "forward") for mode in ("implicit", "explicit")),
)
def test_hypergradients_are_those_of_reverse_mode_or_refused(
    objective: Objective, product: tuple[str, Any]
) -> None:
    mode, hvp = product
    steps = 60 if mode == "implicit" else 3
    expected = hypergradient(objective, MODES[mode]("reverse"), steps=steps)
    with refused_if(hvp == "finite_difference" and objective is not by_nothing):
        found = hypergradient(objective, MODES[mode](hvp), steps=steps)
        torch.testing.assert_close(found, expected, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("grad", [True, False])
@pytest.mark.parametrize("objective", OBJECTIVES)
def test_products_with_the_hessian_are_those_of_autograd(objective: Objective, grad: bool) -> None:
    x, v, u = vector(0.4, 0.9, -0.8), vector(0.3, -0.7, 1.1), vector(1.0, -0.5, 0.3)
    expected = derivative_of_the_gradient(objective, x, v, u)
    with torch.set_grad_enabled(grad):
        operator = linalg.hessian_operator(lambda x: objective(x, v), x, hvp="forward")
        found = operator(u).detach()
        torch.testing.assert_close(found, expected, rtol=1e-7, atol=1e-8)


class Maps:
    """Functions with a part that autograd takes for constant, and their Jacobians' products."""

    @staticmethod
    def no_grad(x: Tensor) -> Tensor:
        with torch.no_grad():
            factor = x.sin()
        return x**3 + x * factor

    @staticmethod
    def no_grad_product(x: Tensor, u: Tensor) -> Tensor:
        return (3 * x**2 + x.sin()) * u

    @staticmethod
    def number(x: Tensor) -> Tensor:
        return x**3 + x * x.sum().item()

    @staticmethod
    def number_product(x: Tensor, u: Tensor) -> Tensor:
        return (3 * x**2 + x.sum()) * u

    @staticmethod
    def apart(x: Tensor) -> Tensor:
        return x**2 + torch.where(x.detach() > 0, x.detach().exp(), 0.0)

    @staticmethod
    def apart_product(x: Tensor, u: Tensor) -> Tensor:
        return 2 * x * u


@pytest.mark.parametrize("grad", [True, False])
@pytest.mark.parametrize("name", ["no_grad", "number", "apart"])
def test_products_with_the_jacobian_are_those_by_hand(name: str, grad: bool) -> None:
    x, u = vector(0.4, 0.9, -0.8), vector(1.0, -0.5, 0.3)
    function, by_hand = getattr(Maps, name), getattr(Maps, f"{name}_product")
    with torch.set_grad_enabled(grad):
        found = linalg.jacobian_operator(function, x, jvp="forward")(u)
        squares = linalg.gauss_newton_operator(function, x, jvp="forward")(u).detach()
    assert not found.requires_grad
    torch.testing.assert_close(found, by_hand(x, u), rtol=1e-7, atol=1e-8)
    torch.testing.assert_close(squares, by_hand(x, by_hand(x, u)), rtol=1e-7, atol=1e-8)


def solved(x: Tensor, mode: Any, *, cut: bool = False) -> Tensor:
    """The solution of a problem inside of an objective."""

    def inner(y: Tensor) -> Tensor:
        seen = x.detach() if cut else x
        return ((y - x.sin()) ** 2).sum() + (y * y * seen.cos()).sum() / 2

    return torchopt.minimize(
        inner, torch.zeros(3, dtype=F64), solver=torchopt.sgd(0.4), steps=12, diff=mode
    ).params


DIFFERENCES = diff.Explicit(memory="step", hvp="finite_difference")


@pytest.mark.parametrize("inner", [diff.Explicit(), diff.Implicit(), diff.Explicit(memory="step")])
def test_problems_inside_of_an_objective_are_right_or_refused(inner: Any) -> None:
    def objective(cut: bool, x: Tensor, v: Tensor) -> Tensor:
        y = solved(x, inner, cut=cut)
        return ((x - v) ** 2).sum() + (y * y).sum() + (x * x * y).sum() / 4

    for cut in (False, True):
        of = functools.partial(objective, cut)
        with refused_if(cut or inner != diff.Explicit()):
            found, expected = (
                hypergradient(of, m, steps=2) for m in (DIFFERENCES, diff.Explicit())
            )
            torch.testing.assert_close(found, expected, rtol=1e-6, atol=1e-8)


def image(z: Tensor, v: Tensor) -> Tensor:
    with torch.no_grad():
        factor = (z * v).sin()
    return 0.3 * torch.tanh(z * v + factor) + v + 0.1 * factor * z


def solution_of(kind: str, v: Tensor, mode: Any) -> Tensor:
    start, options = torch.full((3,), 0.2, dtype=F64), {"solver": torchopt.sgd(0.5), "steps": 4}
    if kind == "fixed point":
        return torchopt.fixed_point(image, start, (v,), diff=mode, **options).params
    if kind == "root":
        return torchopt.root(lambda z, v: z - image(z, v), start, (v,), diff=mode, **options).params

    def residuals(z: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
        return z - image(z, v)

    if kind == "least squares":
        return torchopt.least_squares(residuals, start, (v,), diff=mode, **options).params

    def objective(z: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
        return residuals(z, v).square().sum()

    return torchopt.minimize(objective, start, (v,), diff=mode, **options).params


KINDS = ["fixed point", "root", "least squares", "minimum"]


@pytest.mark.parametrize("kind", KINDS)
def test_no_grad_ends_tangents_in_every_kind_of_problem(kind: str) -> None:
    v = vector(0.3, -0.7, 1.1).requires_grad_()
    found, expected = (
        torch.autograd.grad(solution_of(kind, v, mode).pow(3).sum(), v)[0]
        for mode in (diff.Explicit(memory="forward"), diff.Explicit())
    )
    torch.testing.assert_close(found, expected)


@pytest.mark.parametrize("kind", KINDS)
def test_forward_mode_through_the_steps_gives_the_jacobian_of_reverse_mode(kind: str) -> None:
    v, u = vector(0.3, -0.7, 1.1), vector(1.0, -0.5, 0.3)

    def solve(v: Tensor) -> Tensor:
        return solution_of(kind, v, diff.Explicit())

    expected = torch.autograd.functional.jacobian(solve, v)
    torch.testing.assert_close(torch.func.jacfwd(solve)(v), expected)
    with forward_ad.dual_level():
        found = forward_ad.unpack_dual(solve(forward_ad.make_dual(v, u))).tangent
    torch.testing.assert_close(found, expected @ u)
    several = torch.stack([v, 2 * v])
    found = torch.func.jvp(torch.func.vmap(solve), (several,), (torch.stack([u, u]),))[1]
    torch.testing.assert_close(found[0], expected @ u)


@pytest.mark.parametrize("of", [linalg.jacobian_operator, linalg.hessian_operator])
def test_forward_products_under_vmap_end_where_no_grad_begins(of: Any) -> None:
    v = vector(0.3, -0.7, 1.1)
    xs, us = torch.rand(2, 4, 3, dtype=F64, generator=torch.Generator().manual_seed(0))
    function = image if of is linalg.jacobian_operator else lambda z, v: image(z, v).square().sum()
    found, expected = (
        torch.func.vmap(lambda x, u, p=p: of(lambda x: function(x, v), x, **{WORD[of]: p})(u))(
            xs, us
        )
        for p in ("forward", "reverse")
    )
    torch.testing.assert_close(found.detach(), expected.detach())


def test_batched_cotangents_of_finite_differences_are_refused_or_those_of_vmap() -> None:
    v = vector(0.3, -0.7, 0.6).requires_grad_()
    solutions = [
        torchopt.minimize(
            by_nothing, torch.full((3,), 0.4, dtype=F64), (v,), solver=torchopt.sgd(0.1), steps=3,
            diff=mode,
        ).params
        for mode in (DIFFERENCES, diff.Explicit())
    ]  # fmt: skip
    found, expected = (
        torch.func.vmap(lambda c, y=y: torch.autograd.grad(y, v, c, retain_graph=True)[0])(
            torch.eye(3, dtype=F64)
        )
        for y in solutions
    )
    torch.testing.assert_close(found, expected, rtol=1e-6, atol=1e-8)
    with pytest.raises(RuntimeError, match="cannot be batched by `is_grads_batched=True`"):
        torch.autograd.grad(solutions[0], v, torch.eye(3, dtype=F64), is_grads_batched=True)


@pytest.mark.parametrize(
    "mode", [diff.Explicit(), diff.Implicit(), diff.Explicit(memory="forward")], ids=repr
)
def test_a_hook_where_no_graph_is_kept_has_a_sentence(mode: Any) -> None:
    def hooked(z: Tensor, v: Tensor) -> Tensor:
        y = 0.3 * torch.tanh(z)
        y.register_hook(lambda g: g * (1 + v))
        return y + v

    v = vector(0.3, -0.7, 1.1).requires_grad_()
    start, solver = torch.zeros(3, dtype=F64), torchopt.sgd(1.0)
    with pytest.raises(RuntimeError, match=r"register it only `if tensor\.requires_grad`"):
        torchopt.fixed_point(
            hooked, start, (v,), solver=solver, steps=3, diff=mode
        ).params.sum().backward()


@pytest.mark.parametrize("cut", [Tensor.detach, lambda y: y.new_tensor(y.tolist())])
def test_a_map_or_a_constraint_without_any_graph_is_refused(cut: Any) -> None:
    start, v = torch.zeros(3, dtype=F64), vector(0.3, -0.7, 1.1).requires_grad_()
    message = "does not require grad, as if it did not depend on the parameters: check for"
    with pytest.raises(ValueError, match=f"^the function's value {message}"):
        torchopt.fixed_point(lambda z, v: cut(0.3 * torch.tanh(z) + v), start, (v,))
    for name in ("equality", "inequality"):
        limits = torchopt.Constraints(**{name: lambda z, v: cut(z.sum() - v.sum())})
        with pytest.raises(ValueError, match=f"^`{name}` {message}"):
            torchopt.minimize(lambda z, v: (z - v).square().sum(), start, (v,), subject_to=limits)

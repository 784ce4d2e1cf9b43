"""The value-function mode against closed forms and the implicit mode, by first derivatives alone."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import cosine_similarity, scaled_dot_product_attention

import torchopt
from _alive import Alive
from _functions import FirstOnly, autocast
from torchopt.diff import Implicit, ValueFunction
from torchopt.errors import NotConvergedWarning

DTYPE = torch.float64
LBFGS = torchopt.solver.LBFGS(atol=1e-12, rtol=0.0)


def randn(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(*shape, dtype=DTYPE, generator=torch.Generator().manual_seed(seed))


ROOT, B, V = randn(3, 3), randn(3, seed=1), randn(3, seed=2)
M = ROOT @ ROOT.T + torch.eye(3, dtype=DTYPE)


def bowl(y: Tensor, phi: Tensor) -> Tensor:
    """Half of yᵀ (M + diag exp φ) y, minus bᵀ y."""
    return y @ M @ y / 2 + (phi.exp() * y.square()).sum() / 2 - B @ y


def upper() -> Tensor:
    return torch.tensor([0.3, -0.2, 0.5], dtype=DTYPE, requires_grad=True)


def exact(phi: Tensor) -> tuple[Tensor, Tensor]:
    """The derivative of vᵀ y*(φ), and half of the curvature of f in φ along H⁻¹ v: λ times the bias."""
    weights = phi.detach().exp()
    hessian = M + weights.diag()
    y, d = torch.linalg.solve(hessian, B), torch.linalg.solve(hessian, V)
    return -weights * y * d, weights * d.square() / 2


def hypergradient(mode: Any, objective: Any = bowl, **more: Any) -> Tensor:
    phi = upper()
    more = more or {"steps": 300}
    more = {"solver": torchopt.sgd(0.1), **more}
    solution = torchopt.minimize(objective, torch.zeros_like(B), (phi,), diff=mode, **more)
    return torch.autograd.grad(solution.params @ V, phi)[0]


@pytest.mark.parametrize("penalty", [0.5, 1000.0])
def test_bias_of_one_side_is_that_of_the_closed_form_and_two_sides_have_none(
    penalty: float,
) -> None:
    derivative, bias = exact(upper())
    one = hypergradient(ValueFunction(penalty, two_sided=False))
    torch.testing.assert_close(one, derivative + bias / penalty, rtol=1e-9, atol=0.0)
    two = hypergradient(ValueFunction(penalty))
    torch.testing.assert_close(two, derivative, rtol=1e-9, atol=0.0)


@pytest.mark.parametrize(("two_sided", "order"), [(False, 1), (True, 2)])
def test_bias_falls_with_the_order_of_the_sides(two_sided: bool, order: int) -> None:
    def quartic(y: Tensor, phi: Tensor) -> Tensor:
        return (phi * y + y.square() / 2 + y**4 / 4).sum()

    errors = []
    for penalty in (30.0, 300.0):
        phi = torch.tensor([1.5], dtype=DTYPE, requires_grad=True)
        y = torchopt.minimize(
            quartic, torch.zeros(1, dtype=DTYPE), (phi,), solver=torchopt.solver.Newton(atol=1e-14),
            diff=ValueFunction(penalty, two_sided=two_sided),
        ).params  # fmt: skip
        found = torch.autograd.grad(y.sum(), phi)[0]
        errors.append((found + 1 / (1 + 3 * y.detach().square())).abs().item())
    assert errors[0] / errors[1] == pytest.approx(10**order, rel=0.05)


SOLVERS: dict[str, dict[str, Any]] = {
    "momentum": {"solver": torchopt.sgd(0.05, momentum=0.8), "steps": 400},
    "by tolerance": {"maxiter": 2000, "atol": 1e-12},
    "LBFGS": {"solver": LBFGS},
    "Newton": {"solver": torchopt.solver.Newton(atol=1e-12)},
    "SciPy": {"solver": torchopt.solver.SciPy("BFGS", options={"gtol": 1e-11})},
    "another one": {"steps": 300, "mode": {"solver": LBFGS}},
    "fewer steps": {"steps": 300, "mode": {"steps": 200}},
    "a function": {
        "solver": lambda y, phi: torch.linalg.solve(M + phi.exp().diag(), B),
        "mode": {"solver": LBFGS},
    },
}


@pytest.mark.parametrize("name", SOLVERS)
def test_any_solver_solves_the_tilted_problems(name: str) -> None:
    options = dict(SOLVERS[name])
    mode = ValueFunction(10.0, **options.pop("mode", {}))
    found = hypergradient(mode, **options)
    torch.testing.assert_close(found, exact(upper())[0], rtol=1e-6, atol=0.0)


def test_steps_of_gradient_descent_are_terms_of_a_neumann_series() -> None:
    phi, steps, lr = upper(), 7, 0.1
    hessian, y = M + phi.detach().exp().diag(), torch.linalg.solve(M + phi.detach().exp().diag(), B)
    u = sum(
        lr * torch.linalg.matrix_power(torch.eye(3, dtype=DTYPE) - lr * hessian, k) @ V
        for k in range(steps)
    )
    mode = ValueFunction(1e3, solver=torchopt.sgd(lr), steps=steps)
    found = hypergradient(mode)
    torch.testing.assert_close(found, -phi.detach().exp() * y * u, rtol=1e-6, atol=0.0)


def test_derivatives_reach_what_is_passed_and_what_is_closed_over_and_batches() -> None:
    batch, shift = randn(4, 3).requires_grad_(), nn.Linear(3, 1).double()
    outside = torch.tensor(0.2, dtype=DTYPE, requires_grad=True)
    scale = outside.exp()  # no leaf

    def objective(y: Tensor, phi: Tensor, batch: Tensor) -> Tensor:
        fit = (batch @ y - shift(batch)[:, 0] - 1).square().mean()
        return fit / 8 + scale * (phi.exp() * (y + 1).square()).sum()

    def gradients(mode: Any) -> tuple[Tensor, ...]:
        phi = upper()
        y = torchopt.minimize(
            objective, torch.zeros(3, dtype=DTYPE), (phi,), solver=torchopt.sgd(0.3), steps=40,
            batches=[batch], diff=mode,
        ).params  # fmt: skip
        wanted = (phi, outside, *shift.parameters(), batch)
        return torch.autograd.grad(y @ V, wanted, retain_graph=True)

    found = gradients(ValueFunction())
    torch.testing.assert_close(found, gradients(Implicit()), rtol=1e-6, atol=0.0)


def test_over_batches_the_gradient_is_that_of_their_mean() -> None:
    data = randn(3, 3, seed=7)

    def objective(y: Tensor, phi: Tensor, batch: Tensor) -> Tensor:
        return ((y - phi * batch).square()).sum()

    phi = upper()
    y = torchopt.minimize(
        objective, torch.zeros(3, dtype=DTYPE), (phi,), solver=torchopt.sgd(0.5), steps=3,
        batches=data, diff=ValueFunction(10.0),
    ).params  # fmt: skip
    # One step of length 1/2 solves the problem of its batch: the last one, moved by v / (2 λ).
    found = torch.autograd.grad(y @ V, phi)[0]
    torch.testing.assert_close(found, data.mean(0) * V, rtol=1e-9, atol=0.0)


def test_no_second_derivative_is_taken() -> None:
    def kernel(y: Tensor, phi: Tensor) -> Tensor:
        return y @ M @ y / 2 + FirstOnly.apply(y.square(), phi.exp()).sum() / 2 - B @ y

    torch.testing.assert_close(hypergradient(ValueFunction(), kernel), exact(upper())[0])
    with pytest.raises(RuntimeError, match="cannot be differentiated again"):
        hypergradient(Implicit(), kernel)


TOKENS, TARGETS = randn(4, 1, 6, 8, seed=3), randn(4, 1, 6, 8, seed=4)


def attention(dtype: torch.dtype, wrap: Callable[[Any], Any] = lambda f: f) -> Any:
    """A ridge regression of values on fixed weights of attention, which the upper variables change."""
    x, y = TOKENS.to(dtype), TARGETS.to(dtype)

    def attended(values: Tensor, keys: Tensor) -> Tensor:
        return scaled_dot_product_attention(x, x @ keys, x @ values)

    attended = wrap(attended)

    def gradient(mode: Any) -> Tensor:
        keys = (0.3 * randn(8, 8, seed=5)).to(dtype).requires_grad_()
        values = torchopt.minimize(
            lambda w, keys: (attended(w, keys) - y).square().mean() + 0.05 * w.square().sum(),
            torch.zeros(8, 8, dtype=dtype), (keys,), solver=torchopt.sgd(2.0), steps=60, diff=mode,
        ).params  # fmt: skip
        weights = randn(8, 8, seed=6).to(dtype)
        return torch.autograd.grad((weights * values).sum(), keys)[0].double()

    return gradient


@pytest.mark.parametrize(
    ("dtype", "wrap", "penalty", "cosine"),
    [
        (torch.float64, lambda f: f, 10.0, 1 - 1e-6),
        (torch.float32, lambda f: f, 1.0, 1 - 1e-4),
        (torch.float32, autocast, 10.0, 0.999),
        (torch.float32, lambda f: torch.compile(f, backend="aot_eager"), 1.0, 1 - 1e-4),
    ],
    ids=["float64", "float32", "bfloat16", "compiled"],
)
def test_fused_attention(dtype: Any, wrap: Any, penalty: float, cosine: float) -> None:
    with sdpa_kernel(SDPBackend.MATH):
        expected = attention(DTYPE)(Implicit())
    with sdpa_kernel(SDPBackend.FLASH_ATTENTION):
        found = attention(dtype, wrap)(ValueFunction(penalty))
    assert cosine_similarity(found.flatten(), expected.flatten(), dim=0) > cosine
    assert (found - expected).norm() < 3 * (1 - cosine) ** 0.5 * expected.norm()


@pytest.mark.parametrize("two_sided", [False, True])
def test_backward_holds_two_copies_of_the_parameters_more_than_training(two_sided: bool) -> None:
    size = 4096

    def most(backward: bool) -> float:
        phi = torch.tensor(0.5, requires_grad=backward)
        with Alive(4 * size) as alive, torch.set_grad_enabled(backward):
            y = torchopt.minimize(
                lambda y, phi: (phi * y.sum()).square() / size + y.mean(), torch.zeros(size), (phi,),
                solver=torchopt.sgd(0.1), steps=4, diff=ValueFunction(two_sided=two_sided),
            ).params  # fmt: skip
            if backward:
                y.sum().backward()
        return alive.most / (4 * size)

    # The solution and its cotangent; a third one is that which is trained.
    assert most(backward=True) <= most(backward=False) + 2


def test_a_level_takes_it() -> None:
    lower = torchopt.multilevel.Level(
        "y", lambda y, values, batch: bowl(y, values["x"]), solver=torchopt.sgd(0.1), steps=300,
        diff=ValueFunction(),
    )  # fmt: skip
    program = torchopt.multilevel.Level(
        "x", lambda x, values, batch: values["y"] @ V, solver=torchopt.sgd(0.1), lowers=[lower]
    )
    state = program.init({"x": upper().detach(), "y": torch.zeros_like(B)})
    torch.testing.assert_close(program.gradient(state).grads, exact(upper())[0])


def test_dropout_is_the_same_on_both_sides_and_buffers_stay() -> None:
    torch.manual_seed(0)
    net = nn.Sequential(nn.BatchNorm1d(3, affine=False), nn.Dropout(0.5)).double()
    x = randn(50, 3, seed=8)

    def objective(y: Tensor, phi: Tensor) -> Tensor:
        return (net(x) @ y - 1).square().mean() + bowl(y, phi)

    phi = upper()
    y = torchopt.minimize(
        objective, torch.zeros_like(B), (phi,), solver=torchopt.sgd(0.1), steps=30,
        diff=ValueFunction(1e6),
    ).params  # fmt: skip
    kept = [torch.get_rng_state(), *(b.clone() for b in net.buffers())]
    found = torch.autograd.grad(y @ V, phi)[0]
    # Other noise on the other side would be multiplied by the penalty.
    assert found.norm() < 10
    assert all(map(torch.equal, kept, [torch.get_rng_state(), *net.buffers()]))


@pytest.mark.parametrize("two_sided", [False, True])
def test_gradients_are_taken_with_the_same_noise(two_sided: bool) -> None:
    def objective(y: Tensor, phi: Tensor) -> Tensor:
        return bowl(y, phi) + (nn.functional.dropout(torch.ones_like(phi)) * phi).sum()

    found = hypergradient(ValueFunction(1e4, two_sided=two_sided), objective)
    torch.testing.assert_close(found, exact(upper())[0], rtol=1e-3, atol=0.0)


def _solved(phi: Tensor | None = None, objective: Any = bowl, **more: Any) -> Tensor:
    more = {"solver": torchopt.sgd(0.1), "diff": ValueFunction(), **(more or {"steps": 5})}
    inputs = (upper() if phi is None else phi,)
    return torchopt.minimize(objective, torch.ones_like(B) / 9, inputs, **more).params


def _differentiated(create_graph: bool = False, **more: Any) -> Tensor:
    phi = upper()
    return torch.autograd.grad(_solved(phi, **more).sum(), phi, create_graph=create_graph)[0]


def _of_each(vectorized: bool) -> Any:
    phi, rows = upper(), torch.eye(3, dtype=DTYPE)
    y = _solved(phi)
    if vectorized:
        return torch.func.vmap(lambda v: torch.autograd.grad(y, phi, v)[0])(rows)
    return torch.autograd.grad(y, phi, rows, is_grads_batched=True)


REFUSED: dict[str, tuple[type[Exception], str, Callable[[], Any]]] = {
    "penalty": (ValueError, "`penalty` is 0", lambda: ValueFunction(0)),
    "steps": (ValueError, "`steps`", lambda: ValueFunction(steps=0)),
    "solver": (TypeError, "use a gradient transformation or", lambda: ValueFunction(solver="sgd")),  # type: ignore[arg-type]
    "both": (ValueError, "leave `steps` out", lambda: ValueFunction(solver=LBFGS, steps=3)),
    "no steps": (ValueError, "pass `steps=` to the mode", lambda: _solved(steps=0)),
    "a root": (
        TypeError,
        "but this is a `Root`",
        lambda: torchopt.root(
            lambda y, phi: y - phi, B, (upper(),), solver=torchopt.solver.Newton(), diff=ValueFunction()
        ),
    ),
    "a set": (
        TypeError,
        "but this is a `Composite`",
        lambda: _solved(subject_to=torchopt.sets.NonNegative(), steps=5),
    ),
    "a function": (TypeError, "pass `solver=` to the mode", lambda: torchopt.minimize(
        bowl, B, (upper(),), solver=lambda y, phi: y, diff=ValueFunction())),
    "batches": (ValueError, "pass a list of them", lambda: torchopt.minimize(
        lambda y, phi, k: bowl(y, phi) * k, B, (upper(),), solver=torchopt.sgd(0.1), steps=2,
        batches=lambda k: torch.tensor(k + 1.0), diff=ValueFunction())),
    "a sum of squares": (TypeError, "after which it is no sum of squares", lambda:
        torchopt.least_squares(lambda y, phi: y - phi, B, (upper(),), diff=ValueFunction())),
    "few batches": (ValueError, "pass a list of them, which is begun again", lambda: torchopt.minimize(
        lambda y, phi, k: bowl(y, phi) * k, B, (upper(),), solver=torchopt.sgd(0.1), steps=2,
        batches=torch.ones(2, dtype=DTYPE), diff=ValueFunction(steps=3))),
    "higher order": (RuntimeError, "has no derivative", lambda: _differentiated(True)),
    "a batch": (RuntimeError, "one cotangent at a time", lambda: _of_each(False)),
    "a batch by vmap": (RuntimeError, "one cotangent at a time", lambda: _of_each(True)),
    "torch.func": (RuntimeError, "inside of `torch.func`", lambda: torch.func.grad(
        lambda phi: torchopt.minimize(
            bowl, B, (phi,), solver=torchopt.sgd(0.1), steps=2, diff=ValueFunction()).params.sum()
        )(upper().detach())),
    "a learned rate": (ValueError, "it has gradient zero", lambda: _solved(
        solver=torchopt.sgd(torch.tensor(0.1, requires_grad=True)), steps=5)),
    "a rate that is zero by then": (RuntimeError, "does not leave the solution", lambda:
        _differentiated(solver=torchopt.sgd(lambda count: 0.1 * (count < 5)), steps=5)),
    "what is detached": (RuntimeError, 'let it move, by `ValueFunction(detached="moves")`', lambda:
        _differentiated(steps=5, objective=lambda y, phi: bowl(y.detach() * y, phi))),
    "a loose tolerance": (RuntimeError, "does not leave the solution", lambda: _differentiated(
        maxiter=500, atol=1e-2, diff=ValueFunction(1e4))),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_wrong_is_one_sentence(name: str) -> None:
    error, text, call = REFUSED[name]
    with pytest.raises(error, match=re.escape(text)) as info:
        call()
    assert str(info.value).count("\n") == 0


def test_an_inaccurate_tilted_solution_is_warned_of() -> None:
    with pytest.warns(NotConvergedWarning, match="a tilted problem of `ValueFunction`"):
        hypergradient(
            ValueFunction(10.0, solver=torchopt.solver.LBFGS(maxiter=1, on_failure="ignore"))
        )

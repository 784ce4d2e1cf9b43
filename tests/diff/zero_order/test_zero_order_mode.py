"""The mode: any function, any estimator, every order and transform; wrong use."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch.func import grad, hessian, jacrev, jvp, vmap

import torchopt
from _public import exported
from torchopt import diff
from torchopt.diff import zero_order as zo
from torchopt.diff.zero_order._estimator import Estimator
from torchopt.errors import NonFiniteWarning

D = 4
G = torch.tensor([0.7, -1.1, 0.4, 0.2], dtype=torch.float64)
X = torch.tensor([0.3, -0.2, 0.5, 1.1], dtype=torch.float64)
EXACT = zo.Coordinate(sigma=0.1)

ESTIMATORS: dict[str, Estimator] = {
    "naive": zo.Naive(num_samples=6, sigma=0.1),
    "naive, mean": zo.Naive(num_samples=6, sigma=0.1, baseline="mean"),
    "antithetic": zo.Antithetic(num_samples=6, sigma=0.1),
    "antithetic, ranks": zo.Antithetic(num_samples=6, sigma=0.1, shaping="rank"),
    "guided": zo.Guided(num_samples=6, sigma=0.1, subspace=G[None] + 0.1),
    "coordinate": EXACT,
    "forward gradient": zo.ForwardGradient(num_samples=6),
    "low rank": zo.LowRank(num_samples=6, sigma=0.1),
}
# Any other one has these numbers.
ESTIMATORS |= {
    name: cls(num_samples=6, sigma=0.1)
    for name, cls in exported(zo, Estimator).items()
    if cls not in set(map(type, ESTIMATORS.values()))
}


def smooth(x: torch.Tensor) -> torch.Tensor:
    return torch.sin(x * G).sum() + x.prod()


def gradient(
    estimator: Estimator,
    fn: Callable[..., Any] = smooth,
    seed: Any = 0,
    evaluation: zo.Evaluation | None = None,
) -> torch.Tensor:
    mode = diff.ZeroOrder(estimator, evaluation=evaluation or zo.Loop(), generator=seed)
    x = X.clone().requires_grad_()
    (found,) = torch.autograd.grad(mode(fn)(x), x)
    return found


@pytest.mark.parametrize("name", ESTIMATORS)
def test_a_loop_a_batch_and_chunks_give_the_same_numbers(name: str) -> None:
    loop = gradient(ESTIMATORS[name])
    for evaluation in (zo.Vmap(), zo.Vmap(chunk_size=1), zo.Vmap(chunk_size=5)):
        torch.testing.assert_close(gradient(ESTIMATORS[name], evaluation=evaluation), loop)


@pytest.mark.parametrize("name", sorted(set(ESTIMATORS) - {"coordinate"}))
def test_the_same_seed_gives_the_same_gradient_and_another_one_another(name: str) -> None:
    estimator = ESTIMATORS[name]
    assert torch.equal(gradient(estimator, seed=3), gradient(estimator, seed=3))
    assert not torch.equal(gradient(estimator, seed=3), gradient(estimator, seed=4))
    torch.manual_seed(5)
    first, second = gradient(estimator, seed=None), gradient(estimator, seed=None)
    assert not torch.equal(first, second)
    torch.manual_seed(5)
    assert torch.equal(first, gradient(estimator, seed=None))
    generators = [torch.Generator().manual_seed(7) for _ in range(2)]
    assert torch.equal(
        gradient(estimator, seed=generators[0]), gradient(estimator, seed=generators[1])
    )
    assert not torch.equal(
        gradient(estimator, seed=generators[0]),
        gradient(estimator, seed=generators[1].manual_seed(8)),
    )


# Higher orders and transforms; central differences are exact for these, up to known terms.


def cubic(x: torch.Tensor) -> torch.Tensor:
    return (G * x**3).sum() + x[0] * x[1] * x[2]


def test_three_backward_passes_of_central_differences_on_a_cubic_are_closed_form() -> None:
    fn = diff.ZeroOrder(EXACT)(lambda x: (G[0] * x**3).sum())
    x = X[:1].clone().requires_grad_()
    (first,) = torch.autograd.grad(fn(x), x, create_graph=True)
    torch.testing.assert_close(first, G[0] * (3 * X[:1] ** 2 + EXACT.sigma**2))
    (second,) = torch.autograd.grad(first, x, create_graph=True)
    torch.testing.assert_close(second, 6 * G[0] * X[:1])
    (third,) = torch.autograd.grad(second, x)
    torch.testing.assert_close(third, 6 * G[:1])


def test_hessian_jvp_and_vmap_of_central_differences_are_closed_form() -> None:
    fn = diff.ZeroOrder(EXACT)(cubic)
    torch.testing.assert_close(hessian(fn)(X), hessian(cubic)(X))
    v = torch.linspace(-1, 1, D, dtype=torch.float64)
    expected = (grad(cubic)(X) + EXACT.sigma**2 * G) @ v
    torch.testing.assert_close(jvp(fn, (X,), (v,))[1], expected)
    torch.testing.assert_close(jvp(grad(fn), (X,), (v,))[1], hessian(cubic)(X) @ v)
    rows = torch.stack([X, 2 * X, X - 1])
    torch.testing.assert_close(
        vmap(grad(fn))(rows), vmap(grad(cubic))(rows) + EXACT.sigma**2 * G, rtol=1e-6, atol=1e-9
    )


@pytest.mark.parametrize("name", sorted(set(ESTIMATORS) - {"antithetic, ranks"}))
def test_forward_mode_and_reverse_mode_are_one_estimate(name: str) -> None:
    fn = diff.ZeroOrder(ESTIMATORS[name], generator=0)(smooth)
    v = torch.linspace(-1, 1, D, dtype=torch.float64)
    torch.testing.assert_close(jvp(fn, (X,), (v,))[1], grad(fn)(X) @ v)


def signs(shape: Any) -> torch.Tensor:
    return 2.0 * torch.randint(2, shape) - 1


@pytest.mark.parametrize("evaluation", [zo.Loop(), zo.Vmap()], ids=["loop", "vmap"])
@pytest.mark.parametrize(
    "estimator",
    [
        zo.Antithetic(num_samples=2, sigma=0.1, distribution=signs),
        zo.SPSA(num_samples=2, sigma=0.1),
        zo.Orthogonal(num_samples=3, sigma=0.1),
        zo.ForwardGradient(num_samples=2, distribution=signs),
    ],
    ids=lambda e: type(e).__name__,
)
def test_the_second_derivative_is_an_estimate_of_estimates(
    estimator: Estimator, evaluation: zo.Evaluation
) -> None:
    # For one unknown these are exact on quadratics, whatever they draw.
    fn = diff.ZeroOrder(estimator, evaluation, generator=0)(lambda x: 3 * (x**2).sum())
    torch.testing.assert_close(hessian(fn)(X[:1]), torch.full((1, 1), 6.0).double())
    x = X[:1].clone().requires_grad_()
    (first,) = torch.autograd.grad(fn(x), x, create_graph=True)
    torch.testing.assert_close(first, 6 * X[:1])
    (second,) = torch.autograd.grad(first, x)
    torch.testing.assert_close(second, torch.full((1,), 6.0).double())


def test_the_derivatives_of_a_forward_gradient_are_those_of_a_product_with_its_directions() -> None:
    def estimated(function: Any) -> Any:
        return grad(diff.ZeroOrder(zo.ForwardGradient(num_samples=3), generator=0)(function))

    # The mean of the directions' outer products, of linear functions.
    outer = torch.stack([estimated(lambda x, i=i: x[i])(X) for i in range(D)])
    torch.testing.assert_close(estimated(smooth)(X), outer @ grad(smooth)(X))
    torch.testing.assert_close(jacrev(estimated(smooth))(X), outer @ hessian(smooth)(X))
    x = X.clone().requires_grad_()
    fn = diff.ZeroOrder(zo.ForwardGradient(num_samples=3), generator=0)(smooth)
    (first,) = torch.autograd.grad(fn(x), x, create_graph=True)
    (second,) = torch.autograd.grad(first.sum(), x)
    torch.testing.assert_close(second, outer.sum(0) @ hessian(smooth)(X))


def test_it_serves_inside_an_implicit_problem() -> None:
    blackbox = diff.ZeroOrder(EXACT)(lambda x, a: ((x - a**2) ** 2).sum() / 2)
    a = X.clone().requires_grad_()
    solution = torchopt.minimize(
        blackbox,
        torch.zeros(D).double(),
        (a,),
        solver=torchopt.sgd(0.5),
        steps=60,
        diff=diff.Implicit(),
    )
    (found,) = torch.autograd.grad(solution.params.sum(), a)
    torch.testing.assert_close(found, 2 * X)


def test_a_tensor_that_the_objective_closes_over_is_warned_of() -> None:
    outer = torch.tensor(1.0, requires_grad=True)
    with pytest.warns(UserWarning, match="perturbs arguments only"):
        torchopt.minimize(
            lambda x: (x - outer) ** 2,
            torch.tensor(0.0),
            solver=torchopt.sgd(0.1),
            steps=1,
            diff=diff.ZeroOrder(EXACT),
        )


# What a function may be.


def test_trees_in_and_out_constants_keywords_and_integers() -> None:
    def fn(tree: dict[str, Any], name: str, *, factor: float) -> dict[str, Any]:
        assert name == "ridge"
        a, b = tree["a"], tree["b"][0]
        return {
            "y": (a.sum() * factor, b * 2),
            "count": torch.tensor(3),
            "name": name,
            "none": None,
        }

    a = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
    b = torch.tensor([[3.0]], dtype=torch.float32, requires_grad=True)
    tree = {"a": a, "b": [b], "index": torch.tensor([1, 2]), "text": "x"}
    out = diff.ZeroOrder(EXACT)(fn, argnums=0)(tree, "ridge", factor=5.0)
    assert out["count"].item() == 3
    assert out["name"] == "ridge"
    assert out["none"] is None
    found = torch.autograd.grad(out["y"][0] + out["y"][1].sum(), [a, b])
    torch.testing.assert_close(found[0], torch.full_like(a, 5.0))
    torch.testing.assert_close(found[1], torch.full_like(b, 2.0))
    assert found[1].dtype == torch.float32


def test_functions_of_numpy_and_of_numbers() -> None:
    def simulator(x: torch.Tensor) -> Any:
        return np.sum(x.detach().numpy() ** 2)

    torch.testing.assert_close(gradient(EXACT, simulator), 2 * X)
    torch.testing.assert_close(gradient(EXACT, lambda x: float(x.sum())), torch.ones_like(X))
    torch.testing.assert_close(
        gradient(zo.LowRank(num_samples=6, sigma=0.1), simulator),
        gradient(zo.LowRank(num_samples=6, sigma=0.1), lambda x: (x**2).sum()),
    )


def test_auxiliary_output_is_that_of_the_point_itself_and_has_no_graph() -> None:
    calls = []

    def fn(x: torch.Tensor) -> tuple[torch.Tensor, dict[str, Any]]:
        calls.append(x.clone())
        return x.sum(), {"x": x.clone(), "calls": len(calls)}

    x = X.clone().requires_grad_()
    value, aux = diff.ZeroOrder(EXACT)(fn, has_aux=True)(x)
    value.backward()
    assert len(calls) == 1 + 2 * D
    assert aux["calls"] == 1
    assert torch.equal(aux["x"], X)
    assert not aux["x"].requires_grad


def test_only_chosen_arguments_are_perturbed() -> None:
    seen = []

    def fn(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        seen.append(y.clone())
        return (x * y).sum()

    x, y = X.clone().requires_grad_(), (X + 1).requires_grad_()
    diff.ZeroOrder(EXACT)(fn, argnums=0)(x, y).backward()
    torch.testing.assert_close(x.grad, X + 1)
    assert y.grad is None
    assert all(torch.equal(s, X + 1) for s in seen)


def test_evaluations_of_a_backward_pass_see_the_dropout_of_the_value() -> None:
    dropout = torch.nn.Dropout(0.5)
    torch.manual_seed(0)
    x = torch.ones(50, dtype=torch.float64, requires_grad=True)
    y = diff.ZeroOrder(EXACT)(lambda x: dropout(x))(x)
    before = torch.random.get_rng_state()
    (found,) = torch.autograd.grad(y.sum(), x)
    assert torch.equal(before, torch.random.get_rng_state())
    torch.testing.assert_close(found, (y != 0).double() * 2)
    assert 0 < int((y != 0).sum()) < 50


@pytest.mark.parametrize("name", ["antithetic", "low rank", "forward gradient"])
def test_a_loop_and_a_batch_see_the_same_dropout(name: str) -> None:
    def fn(x: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.dropout(torch.outer(x, x), 0.5).sin().sum()

    found = []
    for evaluation in (zo.Loop(), zo.Vmap(), zo.Vmap(chunk_size=4)):
        torch.manual_seed(0)
        found.append(gradient(ESTIMATORS[name], fn, evaluation=evaluation))
    torch.testing.assert_close(found[1], found[0])
    torch.testing.assert_close(found[2], found[0])


def test_vmap_refuses_to_batch_what_is_not_differentiated() -> None:
    rows = torch.stack([X, 2 * X])
    for aux in (lambda x: x * 1, lambda x: x.argmax(), lambda x: int(x.argmax())):
        fn = diff.ZeroOrder(EXACT)(lambda x, aux=aux: (x.sum(), {"y": aux(x)}), has_aux=True)
        with pytest.raises(ValueError, match="cannot batch what is not differentiated"):
            vmap(fn)(rows)
    torch.testing.assert_close(vmap(diff.ZeroOrder(EXACT)(lambda x: x.sum()))(rows), rows.sum(1))


LEVELS = torch.arange(-399.5, 400.5, dtype=torch.float64) / 100


def levels_under(x: torch.Tensor) -> torch.Tensor:
    """Return which levels, 0.01 apart, each entry is above."""
    return x.detach()[..., None] > LEVELS


COUNTS: dict[str, Callable[[torch.Tensor], Any]] = {
    "int64": lambda x: levels_under(x).sum(),
    "uint8": lambda x: levels_under(x).sum(-1).div(4, rounding_mode="floor").to(torch.uint8),
    "bool": levels_under,
    "a number": lambda x: int(levels_under(x).sum()),
    "a number of NumPy": lambda x: np.int64(levels_under(x).sum().item()),
    "an array without dimensions": lambda x: np.asarray(levels_under(x).sum().numpy()),
    "bools of NumPy": lambda x: levels_under(x).numpy(),
    "beside a float": lambda x: {"n": [levels_under(x).sum()], "zero": 0.0 * x, "text": "x"},
}


def total(value: Any) -> torch.Tensor:
    return sum(t.sum() for t in torchopt.pytree.tree_leaves(value) if torch.is_tensor(t))


@pytest.mark.parametrize("kind", COUNTS)
def test_the_derivative_of_a_count_is_the_density_of_what_is_counted(kind: str) -> None:
    mode = diff.ZeroOrder(zo.Coordinate(sigma=0.5))(COUNTS[kind])
    density = torch.full((2,), 25.0 if kind == "uint8" else 100.0, dtype=torch.float64)
    x = torch.tensor([0.25, 1.0], dtype=torch.float64)
    torch.testing.assert_close(grad(lambda x: total(mode(x)))(x), density)
    along = jvp(lambda x: total(mode(x)), (x,), (x,))[1]
    torch.testing.assert_close(along, density @ x)
    rows = torch.stack([x, -x])
    torch.testing.assert_close(vmap(grad(lambda x: total(mode(x))))(rows), density.expand(2, 2))


@pytest.mark.parametrize("name", [n for n, e in ESTIMATORS.items() if not e.tangents])
def test_a_count_has_the_estimate_of_the_same_numbers_as_floats(name: str) -> None:
    counted, floats = COUNTS["int64"], lambda x: COUNTS["int64"](x).double()
    found = gradient(ESTIMATORS[name], counted)
    assert found.norm() > 0
    assert torch.equal(found, gradient(ESTIMATORS[name], floats))
    batch = gradient(ESTIMATORS[name], counted, evaluation=zo.Vmap())
    torch.testing.assert_close(batch, found)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
def test_a_count_is_not_rounded_to_the_precision_of_the_arguments(dtype: torch.dtype) -> None:
    for count in (100_001, torch.tensor(100_001), np.int64(100_001)):
        value = diff.ZeroOrder()(lambda x, n=count: n)(torch.ones(2, dtype=dtype))
        assert value.item() == 100_001


def test_forward_mode_says_that_it_does_not_see_counts() -> None:
    for count in (COUNTS["int64"], COUNTS["a number"]):
        with pytest.raises(ValueError, match="use an estimator that needs values only"):
            gradient(ESTIMATORS["forward gradient"], count)


# Wrong use.


def test_the_mode_and_its_estimators_have_the_same_defaults() -> None:
    assert (
        diff.ZeroOrder().estimator == zo.Antithetic() == zo.Antithetic(num_samples=16, sigma=0.01)
    )
    for estimator in (zo.Naive(), zo.ForwardDifference(), zo.SPSA(), zo.Sobol(), zo.LowRank()):
        assert (estimator.num_samples, estimator.sigma) == (16, 0.01)
    assert zo.ForwardGradient().num_samples == 16


def test_samplers_of_unit_variance_are_taken() -> None:
    def signed(shape: torch.Size) -> torch.Tensor:
        return 2.0 * torch.randint(2, shape) - 1

    signs = gradient(zo.Antithetic(num_samples=1, sigma=0.1, distribution=signed))
    torch.testing.assert_close(signs.abs(), signs.abs().mean().expand_as(signs))
    gradient(zo.Naive(distribution=torch.distributions.Normal(0.0, 1.0)))
    gradient(
        zo.Naive(distribution=lambda shape: np.random.default_rng(0).normal(size=tuple(shape)))
    )
    gradient(zo.Naive(distribution=torch.distributions.Laplace(0.0, 0.5**0.5)))


def test_a_sampler_follows_the_seed_and_leaves_the_default_generator() -> None:
    estimator = zo.Antithetic(num_samples=2, distribution=torch.randn)
    before = torch.random.get_rng_state()
    assert torch.equal(gradient(estimator, seed=1), gradient(estimator, seed=1))
    assert torch.equal(before, torch.random.get_rng_state())


def rough(x: torch.Tensor) -> torch.Tensor:
    return x.sum() if float(x[0]) < 0.35 else torch.tensor(torch.nan)


def test_values_that_are_nan_raise_or_are_dropped_counted_and_reported() -> None:
    with pytest.raises(ValueError, match=r"of 20 directions have values that are NaN or infinite"):
        gradient(zo.Antithetic(num_samples=20, sigma=0.1), rough)
    with pytest.raises(ValueError, match=r"20 of 20 directions .* look at the function"):
        gradient(zo.Antithetic(num_samples=20, nonfinite="drop"), lambda x: x.sum() * torch.inf)
    estimator = zo.Antithetic(num_samples=400, sigma=0.1, nonfinite="drop")
    with pytest.warns(NonFiniteWarning, match="directions .* were left out") as told:
        found = gradient(estimator, rough)
    assert 0 < told[0].message.dropped < told[0].message.directions == 400
    torch.testing.assert_close(found[1:], torch.ones(D - 1).double(), atol=0.4, rtol=0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        gradient(estimator, lambda x: x.sum())


# The decorator.


def test_the_decorator_is_a_face_of_the_mode() -> None:
    for method, kind in (
        ("naive", zo.Naive),
        ("forward", zo.ForwardDifference),
        ("antithetic", zo.Antithetic),
    ):

        @torchopt.diff.zero_order(torch.randn, method=method, argnums=1, num_samples=5, sigma=0.1)
        def decorated(scale: float, x: torch.Tensor) -> torch.Tensor:
            return scale * smooth(x)

        def plain(scale: float, x: torch.Tensor) -> torch.Tensor:
            return scale * smooth(x)

        estimator = kind(num_samples=5, sigma=0.1, distribution=torch.randn)
        found = []
        for fn in (decorated, diff.ZeroOrder(estimator)(plain, argnums=1)):
            torch.manual_seed(0)
            x = X.clone().requires_grad_()
            fn(2.0, x).backward()
            found.append(x.grad)
        assert torch.equal(*found)
        assert decorated.__name__ == "decorated"

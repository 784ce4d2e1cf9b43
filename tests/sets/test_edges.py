"""Sets in other units and with wrong parameters, products, mirror steps, linear minimizers."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np
import pytest
import torch
from torch.func import jacrev

from _cases import by_error
from _public import exported
from sets._table import draw
from torchopt import prox, sets
from torchopt.errors import NotConvergedWarning

F64 = torch.float64
X = 2 * draw(41, 5)


@pytest.mark.parametrize("factor", [1e-200, 1e-12, 1e12, 1e200])
@pytest.mark.parametrize(
    "make", [sets.Simplex, sets.L1Ball, sets.L1Sphere, sets.L2Ball, sets.L2Sphere, sets.LinfBall]
)
def test_other_units_give_the_same_points(make: Any, factor: float) -> None:
    expected = make(1.3).project(X)
    torch.testing.assert_close(make(1.3 * factor).project(factor * X) / factor, expected)


@pytest.mark.parametrize("factor", [1e-200, 1e200])
def test_units_of_an_equation_do_not_matter(factor: float) -> None:
    a = draw(42, 2, 5)
    for make in (sets.Hyperplane, sets.HalfSpace):
        expected = make(a[0], 0.3).project(X)
        torch.testing.assert_close(make(factor * a[0], 0.3 * factor).project(X), expected)
    expected = sets.BoxSection(0.3, a[0]).project(X)
    found = sets.BoxSection(0.3 * factor, factor * a[0]).project(X)
    torch.testing.assert_close(found, expected)
    scale = torch.tensor([1.0, factor], dtype=F64)
    expected = sets.AffineSet(a, draw(43, 2)).project(X)
    found = sets.AffineSet(a * scale[:, None], draw(43, 2) * scale).project(X)
    torch.testing.assert_close(found, expected)
    torch.testing.assert_close(
        sets.SecondOrderCone().project(X * factor) / factor,
        X.new_tensor(sets.SecondOrderCone().project(X).tolist()),
    )


@pytest.mark.parametrize("size", [1e-30, 1.0, 1e30])
@pytest.mark.parametrize("offset", [[1.0, 3.0, 0.0], [1.0, 1.0, 1.0]])
def test_contradicting_equations_are_refused(size: float, offset: list[float]) -> None:
    a = torch.tensor([[1.0, 1.0], [1.0, 1.0], [0.0, 0.0]], dtype=F64)
    wrong = sets.AffineSet(a, size * torch.tensor(offset, dtype=F64))
    with pytest.raises(ValueError, match="equations of `A` and `b` contradict"):
        wrong.project(X[:2])
    assert torch.func.vmap(wrong.project)(X[None, :2]).isnan().all()
    # Their least-squares solutions are a set, which has the sum 2 or 1.
    nearest = sets.AffineSet(a.mT @ a, a.mT @ wrong.b).project(X[:2])
    torch.testing.assert_close(nearest.sum(), wrong.b[:2].mean())


@pytest.mark.parametrize("dtype", [torch.float32, F64])
@pytest.mark.parametrize("near", [0.0, 1e-3, 1e-6, 1e-9])
def test_equations_that_nearly_depend_on_others_are_no_contradiction(
    dtype: torch.dtype, near: float
) -> None:
    a = draw(42, 4, 5)
    a[3] = a[0] - 2 * a[1] + near * a[3]
    a, solution = a.to(dtype), draw(43, 5).to(dtype)
    out = sets.AffineSet(a, a @ solution).project(1e6 * draw(44, 5).to(dtype))
    assert out.isfinite().all()


def test_a_normal_vector_of_zero_leaves_vectors_where_they_are() -> None:
    for make, offset in ((sets.Hyperplane, 0.0), (sets.HalfSpace, 0.5)):
        normal = torch.zeros(5, dtype=F64)
        torch.testing.assert_close(make(normal, offset).project(X), X)
        assert jacrev(lambda a, m=make, b=offset: m(a, b).project(X))(normal).isfinite().all()


def test_infinite_bounds_bound_nothing() -> None:
    section = sets.BoxSection(1.0, lower=-torch.inf, upper=torch.inf)
    torch.testing.assert_close(section.project(X), sets.Hyperplane(1.0, 1.0).project(X))
    half = sets.BoxSection(1.0, upper=torch.inf)
    torch.testing.assert_close(half.project(X), sets.Simplex().project(X))
    torch.testing.assert_close(sets.Box(-torch.inf, torch.inf).project(X), X)


WRONG: dict[type[Exception], list[tuple[Any, str]]] = {
    ValueError: [
        (lambda: sets.Simplex(0.0), "`radius` is 0"),
        (lambda: sets.L2Ball(-1.0), "`radius` is -1"),
        (lambda: sets.L2Ball(1.0, float("nan")), "`center` is nan"),
        (lambda: sets.Box(1.0, 0.0), "the set is empty"),
        (lambda: sets.BoxSection(1.0, lower=2.0), "the set is empty"),
        (lambda: sets.AffineSet(torch.ones(3)), "pass a row for each equation"),
        (lambda: sets.AffineSet(torch.ones(2, 3)).project(X), "pass a column for each element"),
        (lambda: sets.SparseSimplex(k=0), "`k` is 0"),
        (lambda: sets.PositiveSemidefinite(-1.0), "`min_eigenvalue` is -1.0"),
        (lambda: sets.PositiveSemidefinite().project(draw(0, 2, 3)), "a square matrix has"),
        (lambda: sets.TransportPolytope(0.0, 1.0), "`rows` is 0.0"),
        (lambda: sets.TransportPolytope(1.0, 1.0).project(draw(0, 3)), "a matrix has"),
        (
            lambda: sets.TransportPolytope(torch.ones(2), 1.0).project(draw(0, 3, 2)),
            "pass a sum for each row",
        ),
        (lambda: sets.Birkhoff().project(draw(0, 2, 3)), "a square matrix has"),
        (lambda: sets.Polyhedron(), "there is no constraint"),
        (lambda: sets.Polyhedron(torch.ones(1, 2)), "a side is missing"),
        (
            lambda: sets.Polyhedron(torch.ones(1, 2), torch.ones(1)).project(draw(0, 3)),
            "for 3 unknowns",
        ),
    ],
    TypeError: [
        (lambda: sets.L1Ball(True), "`radius` is an object of type bool"),
        (lambda: sets.LinfBall(torch.tensor(1)), "tensor of torch.int64"),
        (lambda: sets.Box("0", 1.0), "`lower` is an object of type str"),
        (lambda: sets.BoxSection(None), "`total` is an object of type NoneType"),
        (lambda: sets.Hyperplane("a"), "`normal` is an object of type str"),
        (lambda: sets.AffineSet([[1.0]]), "`A` is an object of type list"),
        (lambda: sets.SparseSimplex(k=1.0), "`k` is an object of type float"),
        (lambda: sets.SecondOrderCone(dim="0"), "`dim` is an object of type str"),
        (lambda: sets.L2Ball().mirror_step(X, X, 1.0), "`L2Ball` has no mirror map"),
        (lambda: sets.SparseSimplex().mirror_step(X, X, 1.0), "has no mirror map"),
        (lambda: sets.HalfSpace(1.0).linear_minimizer(X), "has no `linear_minimizer`"),
        (lambda: sets.Product({"a": prox.L1(1.0)}), "use `torchopt.prox.SeparableSum`"),
        (lambda: sets.Product(3.0), "part of a sum is an object of type float"),
        (
            lambda: sets.TransportPolytope(1.0, 1.0).linear_minimizer(draw(0, 3, 3)),
            "has no `linear_minimizer`",
        ),
        (lambda: sets.Monotone(dim="x"), "`dim` is an object of type str"),
        (lambda: sets.Polyhedron(1.0, torch.ones(1)), "`G` is an object of type float"),
    ],
}


@pytest.mark.parametrize(("make", "error", "words"), by_error(WRONG))
def test_wrong_arguments_are_refused(make: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        make()


def test_mirror_steps_minimize_the_linear_function_and_the_divergence() -> None:
    x, g, t = torch.tensor([0.2, 0.5, 0.6], dtype=F64), draw(44, 3), 0.7

    def slope(z: torch.Tensor) -> torch.Tensor:
        return g + (z / x).log() / t  # of the function with the relative entropy

    z = sets.NonNegative().mirror_step(x, g, t)
    torch.testing.assert_close(slope(z), torch.zeros(3, dtype=F64), rtol=0, atol=1e-12)
    z = sets.Simplex(1.3).mirror_step(x, g, t)
    torch.testing.assert_close(slope(z), slope(z).mean().expand(3))  # normal to the simplex
    torch.testing.assert_close(z.sum(), torch.tensor(1.3, dtype=F64))


def test_mirror_steps_have_finite_derivatives_at_zero_and_do_not_overflow() -> None:
    x, g = torch.tensor([0.0, 0.4, 0.6], dtype=F64), torch.tensor([-1.0, 2.0, 0.5], dtype=F64)
    for i in (0, 1):
        derivative = jacrev(lambda x, g: sets.Simplex().mirror_step(x, g, 1.0), i)(x, g)
        assert derivative.isfinite().all()
    z = sets.Simplex().mirror_step(x.float(), 1e4 * g.float(), 1.0)
    torch.testing.assert_close(z, torch.tensor([0.0, 0.0, 1.0]))


def test_a_product_has_what_its_parts_have() -> None:
    product = sets.Product({"p": sets.Simplex(), "b": sets.Box(-1.0, 2.0)})
    tree = {"p": X[:3], "b": X[3:]}
    out = product.project(tree)
    torch.testing.assert_close(out["p"], sets.Simplex().project(X[:3]))
    torch.testing.assert_close(out["b"], sets.Box(-1.0, 2.0).project(X[3:]))
    corner = product.linear_minimizer(tree)
    assert corner["p"].tolist() == [float(i == X[:3].argmin()) for i in range(3)]
    free = sets.Product({"p": sets.Simplex(), "b": None})
    x = {"p": torch.full((3,), 1 / 3, dtype=F64), "b": X[3:]}
    moved = free.mirror_step(x, tree, 0.5)
    torch.testing.assert_close(moved["p"], (-0.5 * X[:3]).softmax(-1))
    torch.testing.assert_close(moved["b"], 0.5 * X[3:])
    with pytest.raises(TypeError, match="a part of the product is free"):
        free.linear_minimizer(tree)
    with pytest.raises(ValueError, match="no prefix of the parameters' structure"):
        product.project(X)


NAN, INF = float("nan"), float("inf")


@pytest.mark.parametrize(
    "make", [sets.Box, lambda low, high: sets.BoxSection(2.0, lower=low, upper=high)]
)
@pytest.mark.parametrize("dtype", [torch.float16, torch.float32, F64])
def test_bounds_that_cross_are_refused_with_their_place(make: Any, dtype: torch.dtype) -> None:
    lower = torch.tensor([[0.0, 1.0], [1.0, 1.0]], dtype=dtype)
    upper = torch.nn.Parameter(torch.tensor([1.5, 1.0], dtype=dtype))
    crossing = make(lower, upper)
    assert crossing.project(torch.ones(2, 2)).isfinite().all()
    with torch.no_grad():
        upper[1] = 0.5  # as an optimizer may, after the set was made
    message = r"the set is empty: `lower` is 1.0 and `upper` is 0.5 at \(0, 1\)"
    for refused in (
        lambda: make(lower, upper),
        lambda: crossing.project(torch.ones(2, 2)),
        lambda: crossing.linear_minimizer(torch.ones(2, 2)),
    ):
        with pytest.raises(ValueError, match=message):
            refused()
    with pytest.raises(ValueError, match=r"`lower` is 2\.0 and `upper` is 1\.0"):
        make(torch.tensor(2.0), 1.0)
    with pytest.raises(ValueError, match=r"`lower` has shape \(2,\) and `upper` \(3,\)"):
        make(torch.zeros(2), torch.ones(3))
    # Where values cannot be read.
    mapped = torch.func.vmap(lambda u: make(0.0, u).project(torch.ones(2)))
    assert mapped(torch.tensor([1.0, -1.0])).isnan().tolist() == [[False] * 2, [True] * 2]


NUMBERS = {
    "radius",
    "center",
    "lower",
    "upper",
    "total",
    "weights",
    "normal",
    "offset",
    "b",
    "l1",
    "l2",
}
NUMBERS |= {"penalty", "min_eigenvalue", "rows", "columns"}
#: These may be negative; of these some may be infinite.
SIGNED = {"center", "lower", "upper", "total", "weights", "normal", "offset", "A", "b"}
INFINITE = {("Box", "lower"), ("Box", "upper"), ("BoxSection", "lower"), ("BoxSection", "upper")}
INFINITE |= {("HalfSpace", "offset"), ("Hyperplane", "offset")}
TERMS = {**exported(sets, sets.Set), **exported(prox, prox.ProximalTerm)}
BY_NUMBER = {  # sides of polyhedra are tensors
    name: [f.name for f in dataclasses.fields(term) if f.init and f.name in NUMBERS]
    for name, term in TERMS.items()
    if name != "Polyhedron"
}
MORE = {
    "AffineSet": {"A": torch.ones(1, 3)},
    "BoxSection": {"total": 3.0},
    "GroupLasso": {"groups": [0, 0, 1]},
}
POINT = torch.tensor([[3.0, -0.5, 0.2], [1.0, 2.0, 3.0], [0.0, 4.0, 1.0]])


def of_ones(name: str, one: Any = 1.0, **parameters: Any) -> Any:
    """Return a set or term whose numbers are one, but for some."""
    given = {**dict.fromkeys(BY_NUMBER[name], one), **MORE.get(name, {}), **parameters}
    return TERMS[name](**given)


@pytest.mark.parametrize("number", [np.float64, np.float32, np.int64])
@pytest.mark.parametrize("name", [name for name, names in BY_NUMBER.items() if names])
def test_numbers_of_numpy_are_numbers(name: str, number: Any) -> None:
    x = POINT.clone().requires_grad_()
    found, expected = (of_ones(name, one).prox(x, one) for one in (number(1), 1.0))
    assert found.dtype == torch.float32
    assert torch.equal(found, expected)


def uses(term: Any, x: torch.Tensor) -> dict[str, Any]:
    """Return what a term computes of a leaf, as functions."""
    name, found = type(term).__name__, {"prox": lambda: term.prox(x)}
    if not term.is_set:
        found["value"] = lambda: term.value(x)
    elif term.linear_minimizer_leaf.__func__ is not sets.Set.linear_minimizer_leaf:
        found["linear_minimizer"] = lambda: term.linear_minimizer(x)
    if name in ("NonNegative", "Simplex", "TransportPolytope"):
        found["mirror_step"] = lambda: term.mirror_step(x.abs(), x, 1.0)
    return found


OUT_OF_RANGE = [
    (name, parameter, wrong)
    for name, names in BY_NUMBER.items()
    for parameter in (*names, *(["A"] if name == "AffineSet" else []))
    for wrong in (-1.0, NAN, INF, -INF)
    if not (
        (wrong == -1 and parameter in SIGNED) or (wrong == wrong and (name, parameter) in INFINITE)
    )
]


@pytest.mark.parametrize(("name", "parameter", "wrong"), OUT_OF_RANGE)
def test_a_tensor_out_of_its_range_is_refused(name: str, parameter: str, wrong: float) -> None:
    usual = torch.tensor(3.0 if parameter == "total" else 1.0)
    usual = usual.expand(1, 3) if parameter == "A" else usual
    tensor = torch.nn.Parameter(usual.clone())
    term = of_ones(name, **{parameter: tensor})
    x = POINT.abs() + 0.1
    assert all(use().isfinite().all() for use in uses(term, x).values())
    with torch.no_grad():
        tensor[..., -1:].fill_(wrong) if tensor.dim() else tensor.fill_(wrong)  # in place, later
    words = rf"`{parameter}` is {wrong}.*: use a "
    for refused in (lambda: of_ones(name, **{parameter: tensor}), *uses(term, x).values()):
        with pytest.raises(ValueError, match=words):
            refused()
    # Where it cannot be read, no plausible number.
    for word in uses(term, x):

        def used(t: torch.Tensor, word: str = word) -> torch.Tensor:
            return uses(of_ones(name, **{parameter: t}), x)[word]()

        mapped = torch.func.vmap(used)(torch.stack([usual, tensor.detach()]))
        assert mapped[0].isfinite().all()
        if parameter not in SIGNED or not math.isfinite(wrong):
            assert mapped[1].isnan().any(), word


def test_what_does_not_exist_has_no_derivative() -> None:
    for function, wrong in (
        (lambda r: sets.L2Ball(r), -1.0),
        (lambda r: sets.Hyperplane(0.0, r), 1.0),
        (lambda r: prox.L1(r), -1.0),
    ):
        slope = torch.func.grad(lambda r, f=function: f(r).prox(POINT[0]).sum())
        assert slope(torch.tensor(wrong)).isnan()
        jacobian = torch.func.jacfwd(lambda x, f=function, r=wrong: f(torch.tensor(r)).prox(x))
        assert jacobian(POINT[0]).isnan().all()


EMPTY: dict[str, tuple[Any, tuple[int, ...], str]] = {
    "zero normal": (
        lambda t: sets.Hyperplane(0 * t.new_ones(2), t),
        (2,),
        r"`offset` is 1\.0 where `normal` is zero",
    ),
    "half space": (
        lambda t: sets.HalfSpace(0.0, -t),
        (2,),
        r"`offset` is -1\.0 where `normal` is zero",
    ),
    "infinite offset": (lambda t: sets.Hyperplane(1.0, t / 0), (2,), "`offset` is inf"),
    "large total": (
        lambda t: sets.BoxSection(9 * t),
        (2,),
        "`total` is 9, and bounds allow sums from 0 to 2",
    ),
    "small total": (
        lambda t: sets.BoxSection(-t, torch.tensor([1.0, -2.0]), lower=0.0, upper=0.25),
        (2,),
        r"`total` is -1, and bounds allow sums from -0\.5 to 0\.25",
    ),
    "totals": (
        lambda t: sets.TransportPolytope(t * torch.tensor([0.5, 0.6]), torch.tensor([0.25, 0.75])),
        (2, 2),
        r"`rows` have the sum 1\.1, and `columns` 1: make both the same",
    ),
    "polyhedron": (
        lambda t: sets.Polyhedron(torch.tensor([[1.0, 0], [-1, 0]]), t * torch.tensor([-1.0, -1])),
        (2,),
        "no vector fulfils the inequalities and equations",
    ),
}


@pytest.mark.parametrize("name", EMPTY)
def test_an_empty_set_is_refused(name: str) -> None:
    make, shape, words = EMPTY[name]
    x, one = torch.linspace(0.2, 0.9, math.prod(shape)).reshape(shape), torch.ones(())
    empty = make(one)
    calls = [lambda: empty.project(x), lambda: empty.project({"a": torch.stack([x, x])})]
    if name == "totals":
        calls.append(lambda: empty.mirror_step(x, x, 1.0))
    if name.endswith("total"):
        calls.append(lambda: empty.linear_minimizer(x))
    for call in calls:
        with pytest.raises(ValueError, match=f"the set is empty: {words}"):
            call()
    assert torch.func.vmap(lambda t: make(t).project(x))(one[None]).isnan().all()
    x[0] = NAN  # a point that is NaN says nothing about the set
    for whole in (
        lambda: sets.BoxSection(1.0),
        lambda: sets.Hyperplane(0.0),
        lambda: sets.HalfSpace(1.0),
    ):
        assert whole().project(x).isnan().any()


def test_a_nearest_vector_that_is_not_found_is_told() -> None:
    G, h = torch.tensor([[1.0, 3], [-1, -3]], dtype=F64), torch.tensor([1.0, -1 - 1e-11], dtype=F64)
    with pytest.warns(NotConvergedWarning, match="nearest vector of a `Polyhedron` was not"):
        sets.Polyhedron(G, h).project(torch.tensor([3.0, -1.0], dtype=F64))


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32, F64])
def test_a_total_at_the_end_of_its_range_is_not_refused(dtype: torch.dtype) -> None:
    """In exact arithmetic these ends are reached; sums of what was rounded may miss them."""
    for n in (7, 10, 300):
        upper = torch.full((n,), 0.1, dtype=dtype)
        total = torch.tensor(n / 10, dtype=F64).to(dtype)
        out = sets.BoxSection(total, 1.0, lower=0.0, upper=upper).project(
            torch.zeros(n, dtype=dtype)
        )
        torch.testing.assert_close(out, upper, rtol=8 * torch.finfo(dtype).eps, atol=0)


@pytest.mark.parametrize(
    ("make", "name"),
    [
        (lambda t: sets.Box(0.0, t), "upper"),
        (lambda t: sets.Box(-t, 2.0), "lower"),
        (lambda t: sets.BoxSection(1.0, t), "weights"),
        (lambda t: sets.Hyperplane(t), "normal"),
        (lambda t: sets.L2Ball(1.0, t), "center"),
        (lambda t: sets.Simplex(t), "radius"),
        (lambda t: sets.LinfBall(t, dim=0), "radius"),
        (lambda t: sets.PositiveSemidefinite(t), "min_eigenvalue"),
        (lambda t: prox.L1(t), "penalty"),
        (lambda t: prox.ElasticNet(l1=1.0, l2=t), "l2"),
        (lambda t: prox.L2(t, dim=(-2, -1)), "penalty"),
        (lambda t: prox.NuclearNorm(t), "penalty"),
    ],
)
def test_a_parameter_that_does_not_broadcast_is_refused_with_its_leaf(make: Any, name: str) -> None:
    square = torch.ones(3, 3)
    term = make(torch.ones(2))
    words = rf"`x\['b'\]\[0\]` has shape \(3, 3\).*`{name}` of shape \(2,\) does not broadcast"
    for call in (
        lambda: term.prox({"b": [square], "a": None}),
        lambda: term.value({"b": [square], "a": None}),
        lambda: prox.SeparableSum({"b": [term], "a": None}).prox({"b": [square], "a": square}),
        lambda: torch.func.vmap(term.prox)({"b": [square[None]]}),
    ):
        with pytest.raises(ValueError, match=words):
            call()


@pytest.mark.parametrize("name", [n for n in TERMS if n not in ("Product", "SeparableSum")])
@pytest.mark.parametrize("shape", [(0, 3, 3), (2, 0, 0)])
def test_leaves_without_elements_stay(name: str, shape: tuple[int, ...]) -> None:
    term = of_ones(name) if name in BY_NUMBER else sets.Polyhedron(torch.ones(1, 3), torch.ones(1))
    x = torch.zeros(shape, requires_grad=True)
    for use in uses(term, x).values():
        out = use()
        assert out.sum() == 0
        assert torch.autograd.grad(out.sum(), x, allow_unused=True)[0].shape == shape


@pytest.mark.parametrize(
    "term",
    [
        *(
            of_ones(name, **({"dim": -1} if name in ("L2", "Linf") else {}))
            for name in BY_NUMBER
            if name not in ("Product", "SeparableSum")
        ),
        sets.Polyhedron(torch.ones(1, 3), torch.ones(1)),
    ],
    ids=lambda term: type(term).__name__,
)
def test_no_projection_hides_nan(term: prox.ProximalTerm) -> None:
    x = torch.stack([POINT, POINT])
    x[0, 0, 0] = NAN
    out = term.prox(x)
    assert out[0, 0].isnan().any()
    torch.testing.assert_close(out[1], term.prox(x[1]))

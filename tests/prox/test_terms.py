"""Proximal terms against brute force and stored numbers; `tests/sets` has what holds for sets, too."""

import pytest
import torch
from _terms import CASES, STEP, X, number
from torch.func import grad, hessian, jacfwd, jacrev

from _cases import by_error
from _public import exported
from torchopt import prox, sets
from torchopt.prox.separable_sum import as_term
from torchopt.prox.taut_string import taut_string

each_case = pytest.mark.parametrize("case", CASES.values(), ids=CASES)


def test_each_term_is_a_case():
    assert {name.split(",")[0] for name in CASES} == {*exported(prox, prox.ProximalTerm)}


@each_case
def test_the_value_is_that_of_the_formula(case):
    x = case.x.abs() if "NonNegative" in repr(case.make) or case.make is prox.LogBarrier else case.x
    expected = case.value(x, *case.parameters)
    torch.testing.assert_close(
        case.make(*case.parameters).value(x), expected, rtol=1e-13, atol=0, check_dtype=False
    )


@each_case
def test_no_other_point_has_a_lower_objective(case):
    gen = torch.Generator().manual_seed(0)
    found = case.prox(case.x, STEP, *case.parameters)

    def objective(z):
        return case.value(z, *case.parameters) + (z - case.x).square().sum() / (2 * STEP)

    # The objective is strongly convex, so that it grows at least as this square from its minimum.
    least = objective(found)
    for size in (1e-4, 1e-2, 1.0):
        for _ in range(20):
            move = size * torch.randn(case.x.shape, generator=gen, dtype=torch.float64)
            # In halves of the cases zeros stay, where the term has its kinks.
            z = torch.where((found == 0) & (torch.rand((), generator=gen) < 0.5), 0.0, found + move)
            if case.make in (prox.NonNegativeLasso, prox.NonNegativeRidge, prox.LogBarrier):
                z = z.abs()
            growth = (z - found).square().sum() / (2 * STEP)
            assert objective(z) >= least + growth - 1e-12


@pytest.mark.parametrize(
    "term",
    [
        *(kind(0.5) for kind in (prox.Linf, prox.L2, prox.TotalVariation)),
        *(kind(0.5) for kind in (sets.L1Ball, sets.L2Ball, sets.Simplex)),
        sets.BoxSection(0.2, lower=0.0, upper=0.5),
        sets.SecondOrderCone(),
        sets.Monotone(),
    ],
    ids=repr,
)
def test_points_move_by_rounding_errors_where_the_argument_does(term):
    gen = torch.Generator().manual_seed(0)
    x = torch.randint(-6, 7, (500, 5), generator=gen).double() / 10  # at many kinks
    move = 1e-15 * torch.randn(x.shape, generator=gen, dtype=torch.float64)
    torch.testing.assert_close(term.prox(x + move), term.prox(x), rtol=0.0, atol=3e-14)


@each_case
def test_forward_mode_and_reverse_mode_agree_to_the_third_order(case):
    move = torch.linspace(-0.01, 0.02, case.x.numel()).double().reshape(case.x.shape)

    def along(t):
        return (
            case.prox(case.x + t * move, STEP + t, *(p + t for p in case.parameters)).pow(3).sum()
        )

    zero = number(0.0)
    third = grad(grad(grad(along)))(zero)
    torch.testing.assert_close(jacfwd(jacfwd(jacfwd(along)))(zero), third, rtol=1e-9, atol=1e-9)
    h = 1e-4
    second = hessian(along)
    difference = (second(zero + h) - second(zero - h)) / (2 * h)
    torch.testing.assert_close(third, difference, rtol=1e-5, atol=1e-5)


@each_case
def test_derivatives_are_finite_at_zero(case):
    zero = torch.zeros_like(case.x)
    for derivative in (jacrev, jacfwd, hessian):
        assert derivative(case.prox)(zero, STEP, *case.parameters).isfinite().all()
    term = case.make(*case.parameters)
    if not isinstance(term, prox.LogBarrier):
        assert grad(term.value)(zero).isfinite().all()


@pytest.mark.parametrize("signal", ["steps", "geometric", "noise", "sawtooth", "constant", "one"])
@pytest.mark.parametrize("penalty", [0.0, 0.3, 5.0, 1e6])
def test_total_variation_fulfils_its_optimality_conditions(signal, penalty):
    n = torch.arange(200, dtype=torch.float64)
    x = {
        "steps": (n // 40 % 3) * 1.0,
        "geometric": 1.1**n / 1e6,
        "noise": torch.randn(200, generator=torch.Generator().manual_seed(0)).double(),
        "sawtooth": n % 7,
        "constant": torch.full((200,), 0.1, dtype=torch.float64),
        "one": n[5:6],
    }[signal]
    y = prox.TotalVariation(penalty).prox(x)
    scale = x.abs().max() * len(x)
    # The dual variable: sums of the difference. It is at a bound where the solution jumps.
    dual, jump = (x - y).cumsum(-1), y.diff()
    assert dual[-1].abs() < 1e-14 * scale
    assert (dual.abs() <= penalty + 1e-14 * scale).all()
    jumps = jump.abs() > 1e-12 * scale
    assert ((dual[:-1] + penalty * jump.sign()).abs()[jumps] < 1e-13 * scale).all()


def test_the_taut_string_of_a_batch_is_that_of_each_row():
    gen = torch.Generator().manual_seed(0)
    x = torch.randn(2, 3, 40, generator=gen, dtype=torch.float64)
    up = torch.rand(2, 3, 1, generator=gen, dtype=torch.float64)
    rows = [[taut_string(x[i, j], up[i, j], 0.4) for j in range(3)] for i in range(2)]
    torch.testing.assert_close(
        taut_string(x, up, 0.4), torch.stack([torch.stack(row) for row in rows])
    )


def test_total_variation_takes_few_rounds(monkeypatch):
    rounds = 0
    farthest = torch.Tensor.scatter_reduce

    def counted(*args, **kwargs):
        nonlocal rounds
        rounds += 1
        return farthest(*args, **kwargs)

    monkeypatch.setattr(torch.Tensor, "scatter_reduce", counted)
    gen = torch.Generator().manual_seed(0)
    prox.TotalVariation(0.1).prox(torch.randn(8, 2000, generator=gen))
    assert rounds < 100  # two of each round, for about 1700 pieces


WRONG = {
    ValueError: [
        (lambda: prox.L2(-1.0), "`penalty` is -1.0"),
        (lambda: prox.LogBarrier(0.0), "`penalty` is 0.0"),
        (lambda: prox.GroupLasso(1.0, [0, -1]), "`groups` is empty or has"),
        (lambda: prox.GroupLasso(1.0, [0, 1]).prox(X), "`groups` has 2 elements"),
        (
            lambda: prox.GroupLasso(torch.ones(2), [0, 0, 1, 1, 2]).prox(X),
            r"`penalty` has shape \(2,\)",
        ),
        (lambda: prox.L1(1.0).prox(X, -0.5), "`step_size` is -0.5"),
        (lambda: prox.L2(1.0, dim=2).prox(X), "lie along `dim=2`"),
        (lambda: prox.NuclearNorm(1.0).prox(X[0]), "a matrix has"),
    ],
    TypeError: [
        (lambda: prox.L2(1.0, dim=0.5), "`dim` is an object of type float"),
        (lambda: prox.ElasticNet(l1=1.0, l2="1"), "`l2` is an object of type str"),
        (lambda: prox.GroupLasso(1.0, [0.5]), "`groups` is a tensor of"),
        (lambda: as_term(prox.L1), "is the class L1"),
    ],
}


@pytest.mark.parametrize(("make", "error", "words"), by_error(WRONG))
def test_what_is_wrong_is_said(make, error, words):
    with pytest.raises(error, match=words):
        make()


@pytest.mark.parametrize(
    "make",
    [lambda: prox.L1(0.5), lambda: sets.Simplex(radius=2.0), lambda: sets.L2Ball(1.0, dim=(0,))],
    ids=["L1", "Simplex", "L2Ball"],
)
def test_a_term_can_be_made_in_compiled_code(make):
    x = torch.tensor([1.0, 2.0, -3.0])
    compiled = torch.compile(lambda x: make().prox(x), backend="eager", fullgraph=True)
    torch.testing.assert_close(compiled(x), make().prox(x))

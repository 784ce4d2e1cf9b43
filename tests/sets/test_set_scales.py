"""Each input of each set and term by itself, from 1e-30 to 1e30.

A point is accepted if it is that of inputs which differ by rounding errors: what an equation misses is
compared with what it misses after relative changes of this size.
"""

from __future__ import annotations

from typing import Any

import pytest
import torch

from prox._terms import CASES as TERMS
from sets._table import CASES, Case, draw
from torchopt import prox, sets

F64 = torch.float64
SCALES = {torch.float64: [1e-30, 1e30], torch.float32: [1e-12, 1e12]}
#: Relative changes that rounding may explain.
ROUNDING = {torch.float64: 1e-11, torch.float32: 1e-4}
#: Of these an iteration finds the point, which has tests of its own.
ITERATED = ("Birkhoff", "Polyhedron", "TransportPolytope")
SWEPT = [
    pytest.param(case, at, id=f"{case.name}-{['x', *case.parameters][at]}")
    for case in CASES
    if case.name not in ITERATED
    for at in range(1 + len(case.parameters))
]
each_dtype = pytest.mark.parametrize("dtype", SCALES, ids=str)


def missed(case: Case, p: torch.Tensor, *numbers: torch.Tensor) -> tuple[float, float]:
    """Return by how much a point is not in the set, and how much that changes by rounding errors."""
    exact = case.violation(p, *numbers)
    changes = []
    for seed in range(8):
        moved = (
            t * (1 + draw(10 * seed + k, *t.shape).clamp(-2, 2))
            for k, t in enumerate((p, *numbers))
        )
        changes.append(abs(case.violation(*moved) - exact))
    return float(exact), float(max(changes))


def is_empty(case: Any, numbers: Any) -> bool:
    """Whether no vector between bounds has the sum."""
    if not (isinstance(case, Case) and case.cls == "BoxSection"):
        return False
    defaults = (2.0, 1.0, 0.0, 1.0)
    total, weights, lower, upper = (*(t.double() for t in numbers), *defaults[len(numbers) :])
    ends = torch.stack([torch.ones(5, dtype=torch.float64) * weights * b for b in (lower, upper)])
    return not ends.amin(0).sum() <= total <= ends.amax(0).sum()


@pytest.mark.parametrize(("case", "at"), SWEPT)
@each_dtype
def test_nearest_points_at_any_scale_of_an_input(case: Case, at: int, dtype: torch.dtype) -> None:
    rounding = ROUNDING[dtype]
    for scale in SCALES[dtype]:
        for x in case.x:
            inputs = [
                (t * (scale if k == at else 1)).to(dtype) for k, t in enumerate((x, *case.numbers))
            ]
            x, *numbers = (t.double() for t in inputs)
            if is_empty(case, numbers):
                with pytest.raises(ValueError, match="the set is empty: `total` is"):
                    case.project(*inputs)
                continue
            p = case.project(*inputs).double()
            assert p.isfinite().all(), scale
            violation, change = missed(case, p, *numbers)
            assert violation <= rounding * change, scale
            z = case.points((x - p)[None], *numbers)
            z = z[z.flatten(1).isfinite().all(1)]  # there is no direction from a point to itself
            # How much farther a point is than another, without squares of the distance itself.
            nearer = (2 * (z - p) * x - (z - p) * (z + p)).flatten(1).sum(-1)
            sizes = [t.flatten(-x.dim()).norm(dim=-1) for t in (x, p, z)]
            assert (
                nearer <= 4 * rounding * (sizes[0] + sizes[1] + sizes[2]) * (sizes[1] + sizes[2])
            ).all()


POSITIVE = (prox.LogBarrier, prox.NonNegativeLasso, prox.NonNegativeRidge)
SWEPT_TERMS = [
    pytest.param(case, at, id=f"{name}-{['x', 'step', *range(len(case.parameters))][at]}")
    for name, case in TERMS.items()
    for at in range(2 + len(case.parameters))
]


@pytest.mark.parametrize(("case", "at"), SWEPT_TERMS)
@each_dtype
def test_proximal_points_at_any_scale_of_an_input(case: Any, at: int, dtype: torch.dtype) -> None:
    for scale in SCALES[dtype]:
        inputs = [(t * (scale if k == at else 1)).to(dtype) for k, t in enumerate(case.inputs)]
        p = case.prox(*inputs).double()
        assert p.isfinite().all(), scale
        x, step, *numbers = (t.double() for t in inputs)
        for seed in range(6):
            move = draw(seed, *x.shape)
            # Smaller steps, sparser ones, and to where it came from.
            z = [p * (1 + 1e-3 * move), torch.where(move < 0, 0.0, p), p + 1e-2 * move * (x - p)]
            z = z[seed % 3]
            z = z.abs() if case.make in POSITIVE else z
            values = [case.value(t, *numbers) for t in (z, p)]
            # Without squares of the distance itself.
            rise = values[0] - values[1] + ((z - p) * (z + p - 2 * x)).sum() / (2 * step)
            least = (z - p).square().sum() / (2 * step)
            sizes = [t.norm() for t in (z, p, x)]
            rounding = (sizes[0] + sizes[1]) * sum(sizes) / step + abs(values[0]) + abs(values[1])
            assert rise >= least - ROUNDING[dtype] * rounding, scale


#: The power of a unit of length that penalties have, for terms with one.
UNITS = {"LogBarrier": 2, "SquaredL2": 0, "NonNegativeRidge": 0}


@pytest.mark.parametrize("name", [n for n in TERMS if n.split(",")[0] != "ElasticNet"])
@pytest.mark.parametrize("scale", [1e-23, 1e19, 1e30])
def test_terms_know_no_units(name: str, scale: float) -> None:
    """In float32, squares of these vanish or overflow."""
    case = TERMS[name]
    if UNITS.get(name) == 2:
        scale = scale**0.5  # for a penalty of this size
    power = UNITS.get(name, 1)
    x, *penalties = (t.float() for t in (case.x, *case.parameters))
    scaled = [(p.double() * scale**power).float() for p in penalties]
    found = case.make(*scaled).prox((x.double() * scale).float()).double() / scale
    expected = case.make(*(p.double() for p in penalties)).prox(x.double())
    torch.testing.assert_close(found, expected, rtol=1e-5, atol=1e-6)
    if power == 1:
        x = case.x.abs() if case.make in POSITIVE else case.x
        value = case.make(*case.parameters).value(x.float() * scale).double() / scale
        torch.testing.assert_close(value, case.value(x, *case.parameters), rtol=1e-6, atol=0)


@pytest.mark.parametrize(("case", "at"), [*SWEPT, *SWEPT_TERMS])
@each_dtype
def test_derivatives_are_finite_at_any_scale(case: Any, at: int, dtype: torch.dtype) -> None:
    for scale in SCALES[dtype]:
        inputs = [
            (t * (scale if k == at else 1)).to(dtype).requires_grad_()
            for k, t in enumerate(case.inputs)
        ]
        if is_empty(case, inputs[1:]):
            continue
        out = case.function(*inputs)
        weights = draw(77, *out.shape).to(dtype)
        slopes = torch.autograd.grad((out * weights).sum(), inputs, materialize_grads=True)
        assert all(g.isfinite().all() for g in slopes), scale


#: Functions that divide by a norm or by eigenvalues, with a length, a number, as their parameter.
LENGTHS = {
    "L2": lambda size: prox.L2(0.7 * size),
    "GroupLasso": lambda size: prox.GroupLasso(0.5 * size, [0, 0, 1, 1, 2, 2]),
    "L2Ball": lambda size: sets.L2Ball(1.3 * size),
    "L2Sphere": lambda size: sets.L2Sphere(1.3 * size),
    "SecondOrderCone": lambda size: sets.SecondOrderCone(),
    "NuclearNorm": lambda size: prox.NuclearNorm(0.7 * size),
    "PositiveSemidefinite": lambda size: sets.PositiveSemidefinite(0.1 * size),
}
OF_MATRICES = ("NuclearNorm", "PositiveSemidefinite")


@pytest.mark.parametrize(
    ("name", "size"),
    [
        *((name, size) for name in LENGTHS for size in (1e-30, 1e-23, 1e19, 1e30)),
        *((name, size) for name in OF_MATRICES for size in (1e37, 8e37)),
    ],
)
def test_derivatives_know_no_units(name: str, size: float) -> None:
    """The first does not depend on it, the second is inverse to it; float32 has no square of it."""
    shape = (3, 3) if name in OF_MATRICES else (6,)

    def derivatives(size: float, dtype: torch.dtype) -> tuple[torch.Tensor, torch.Tensor]:
        x = (size * draw(5, *shape)).to(dtype).requires_grad_()
        weights, again = draw(6, *shape).to(dtype), draw(7, *shape).to(dtype)
        out = LENGTHS[name](size).prox(x)
        (first,) = torch.autograd.grad(out, x, weights, create_graph=True)
        (second,) = torch.autograd.grad(first, x, again)
        return first.detach().double(), second.double() * size

    found, expected = derivatives(size, torch.float32), derivatives(1.0, torch.float64)
    assert expected[1].abs().max() > 0.1
    torch.testing.assert_close(found[0], expected[0], rtol=1e-4, atol=1e-5)
    if size < 1e37:  # elsewhere it is no normal number
        torch.testing.assert_close(found[1], expected[1], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("dtype", [torch.float32, F64])
def test_matrices_with_nan_have_no_nearest_one(dtype: torch.dtype) -> None:
    x = draw(5, 2, 3, 3).to(dtype)
    x[0, 1, 1] = torch.nan
    for term in (prox.NuclearNorm(0.3), sets.PositiveSemidefinite()):
        out = term.prox(x)
        assert out[0].isnan().all()
        torch.testing.assert_close(out[1], term.prox(x[1]))


@pytest.mark.parametrize("x", [1e19, 1e30, 3e38])
def test_the_barrier_is_the_root_of_its_equation_far_away(x: float) -> None:
    """In float32, the square of these overflows."""
    found = prox.LogBarrier(0.5).prox(torch.tensor([x, -x]), 2.0)
    torch.testing.assert_close(found, torch.tensor([x, 1 / x]), rtol=1e-6, atol=0)


SIZES = {"zero": [0.0], "tiny": [6e-8], "huge": [1e3], "mixed": [0.0, 6e-8, 1e-3, 1.0, 300.0]}
#: Rows that are nearly the same at these sizes contradict one another to 16 bits.
ILL = ("AffineSet-matrix", "AffineSet-redundant-matrix")


@pytest.mark.parametrize(("case", "at"), [p for p in (*SWEPT, *SWEPT_TERMS) if p.id not in ILL])
@pytest.mark.parametrize(
    "dtype", [torch.float16, pytest.param(torch.bfloat16, marks=pytest.mark.slow)], ids=str
)
def test_16_bits_give_float64_rounded_at_any_size(case: Any, at: int, dtype: torch.dtype) -> None:
    info = torch.finfo(dtype)
    for name in SIZES if at == 0 else ("huge",):
        sizes = torch.tensor(SIZES[name], dtype=F64)
        inputs = [*case.inputs]
        place = (torch.arange(inputs[at].numel()) % len(sizes)).reshape(inputs[at].shape)
        inputs[at] = inputs[at] * sizes[place]
        halves = [t.to(dtype).requires_grad_() for t in inputs]
        exact = [t.detach().double().requires_grad_() for t in halves]
        if is_empty(case, exact[1:]):
            continue
        outs = [case.function(*tensors) for tensors in (halves, exact)]
        size = float(
            max(
                outs[1].detach().abs().max(),
                *(t.detach().abs().max() for t in halves[1:]),
                info.tiny,
            )
        )
        torch.testing.assert_close(outs[0].double(), outs[1], rtol=0, atol=8 * info.eps * size)
        weights = draw(77, *outs[1].shape)
        slopes = [
            torch.autograd.grad((out * weights).sum(), tensors, materialize_grads=True)
            for out, tensors in zip(outs, (halves, exact), strict=True)
        ]
        for found, slope in zip(*slopes, strict=True):
            most = slope.abs().max().item() + 1e-6
            atol = 64 * info.eps * most
            torch.testing.assert_close(found.double(), slope, rtol=0, atol=atol, msg=f"{name}")

"""Each set: nearest points, derivatives of any order in all tensors, batches, dtypes, axes, trees."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch.func import jacfwd, jacrev, vmap

import _public
from _cases import covering
from _differences import assert_derivatives_are_differences
from prox._terms import CASES as TERMS
from sets._table import CASES, COMPOSED, Case, draw
from torchopt import sets

#: Projections and proximal operators, functions of all tensors.
ROWS: dict[str, Any] = {**{case.name: case for case in CASES}, **TERMS}
by_row = pytest.mark.parametrize("row", ROWS.values(), ids=ROWS)
by_case = pytest.mark.parametrize("case", [pytest.param(c, id=c.name) for c in CASES])
convex = pytest.mark.parametrize("case", [pytest.param(c, id=c.name) for c in CASES if c.convex])
with_dim = pytest.mark.parametrize("case", [pytest.param(c, id=c.name) for c in CASES if c.dims])
bounded = pytest.mark.parametrize("case", [pytest.param(c, id=c.name) for c in CASES if c.support])
kinked = pytest.mark.parametrize("case", [pytest.param(c, id=c.name) for c in CASES if c.kinks])


def scale(x: torch.Tensor) -> float:
    return 1 + float(x.abs().max())


def test_each_set_that_is_exported_is_in_the_table() -> None:
    assert set(_public.exported(sets, sets.Set)) == {case.cls for case in CASES} | COMPOSED


@by_case
def test_the_projection_is_in_the_set(case: Case) -> None:
    for x in case.x:
        violation = case.violation(case.project(x, *case.numbers), *case.numbers)
        assert violation <= case.tolerance * scale(x)


@convex
def test_no_point_of_the_set_lies_on_the_side_of_the_projected_point(case: Case) -> None:
    for x in case.x:
        p = case.project(x, *case.numbers)
        normal = (x - p).reshape(-1)
        points = case.points(case.x - p, *case.numbers).flatten(1)
        assert ((points - p.reshape(-1)) @ normal).max() <= case.tolerance * scale(x) ** 2
        if case.support is not None:
            gap = case.support(x - p, *case.numbers) - normal @ p.reshape(-1)
            assert gap.abs() <= case.tolerance * scale(x) ** 2


@by_case
def test_no_point_of_the_set_is_nearer(case: Case) -> None:
    for x in case.x:
        p = case.project(x, *case.numbers)
        points = case.points(case.x - p, *case.numbers)
        distances = (points - x).flatten(1).norm(dim=-1)
        assert (x - p).norm() <= distances.min() + case.tolerance * scale(x)


@by_case
def test_points_of_the_set_stay_where_they_are(case: Case) -> None:
    for p in case.points(case.x, *case.numbers)[:8]:
        there = case.project(p, *case.numbers)
        torch.testing.assert_close(there, p, rtol=0, atol=case.tolerance * scale(p))


@by_row
def test_derivatives_are_those_of_differences_in_all_tensors(row: Any) -> None:
    x, *others = row.inputs
    points = row.x[:3] if isinstance(row, Case) else [x]
    for k, x in enumerate(points):
        last = k == len(points) - 1
        assert_derivatives_are_differences(row.function, (x, *others), second=last)


@by_row
def test_forward_and_reverse_mode_agree_to_second_order(row: Any) -> None:
    """Along a direction of all inputs at once, of which a wrong derivative in one of them is a part."""
    weights = draw(31, *row.inputs[0].shape)
    directions = [draw(37 + i, *t.shape) for i, t in enumerate(row.inputs)]

    def f(t: torch.Tensor) -> torch.Tensor:
        moved = (x + t * d for x, d in zip(row.inputs, directions, strict=True))
        return (weights * row.function(*moved)).sum()

    t = torch.zeros((), dtype=torch.float64)
    torch.testing.assert_close(jacfwd(f)(t), jacrev(f)(t))
    torch.testing.assert_close(jacfwd(jacfwd(f))(t), jacrev(jacrev(f))(t))


@by_row
def test_a_batch_of_any_input_is_that_of_single_ones(row: Any) -> None:
    one = row.inputs
    many = tuple(t + 0.05 * draw(32 + i, 2, *t.shape) for i, t in enumerate(one))

    def derivative(*tensors: torch.Tensor) -> Any:
        return jacrev(row.function, tuple(range(len(tensors))))(*tensors)

    places = [tuple(j == i for j in range(len(one))) for i in range(len(one))]
    for batched in [*places, (True,) * len(one)]:
        tensors = [m if b else o for o, m, b in zip(one, many, batched, strict=True)]
        axes = tuple(0 if b else None for b in batched)
        rows = [[t[k] if b else t for t, b in zip(tensors, batched, strict=True)] for k in range(2)]
        out = vmap(row.function, axes)(*tensors)
        torch.testing.assert_close(out, torch.stack([row.function(*each) for each in rows]))
        for found, *single in zip(
            vmap(derivative, axes)(*tensors), *(derivative(*each) for each in rows), strict=True
        ):
            torch.testing.assert_close(found, torch.stack(single), rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize(
    ("name", "dtype"), covering([*ROWS], [torch.float32, torch.float16, torch.bfloat16]), ids=str
)
def test_half_and_single_precision_are_kept(name: str, dtype: torch.dtype) -> None:
    function, inputs = ROWS[name].function, [t.to(dtype) for t in ROWS[name].inputs]
    out = function(*inputs)
    assert out.dtype == dtype
    exact = function(*(t.double() for t in inputs))
    tolerance = 20 * torch.finfo(dtype).eps * scale(exact)
    torch.testing.assert_close(out.double(), exact, rtol=0, atol=tolerance)


@with_dim
def test_vectors_along_any_axes(case: Case) -> None:
    shape = case.x.shape[1:]
    if len(shape) != 1:
        pytest.skip("leaves are no vectors")
    x = torch.stack([case.x[:2], case.x[1:3], case.x[2:4]])  # (3, 2, n)
    numbers = case.numbers
    expected = torch.stack([torch.stack([case.project(v, *numbers) for v in m]) for m in x])
    torch.testing.assert_close(case.project(x, *numbers), expected)
    placed = [t if t.shape != shape else t[:, None] for t in numbers]
    torch.testing.assert_close(case.project(x.mT, *placed, dim=1), expected.mT)
    torch.testing.assert_close(
        case.project(x[0, 0][:, None], *placed, dim=None), expected[0, 0][:, None]
    )
    placed = [t if t.shape != shape else t[:, None, None, None] for t in numbers]
    torch.testing.assert_close(
        case.project(x.movedim(-1, 0)[:, :, None], *placed, dim=(2, 0)),
        expected.movedim(-1, 0)[:, :, None],
    )


@with_dim
def test_a_leaf_without_the_axis_is_refused(case: Case) -> None:
    with pytest.raises(ValueError, match="lie along `dim=7`"):
        case.project(case.x[0], *case.numbers, dim=7)
    with pytest.raises(TypeError, match="`dim` is"):
        case.make(*case.numbers, dim=1.5)


@by_case
def test_each_leaf_of_a_tree_is_projected(case: Case) -> None:
    tree = {"a": case.x[0], "b": [case.x[1], None]}
    out = case.make(*case.numbers).project(tree)
    torch.testing.assert_close(out["a"], case.project(case.x[0], *case.numbers))
    torch.testing.assert_close(out["b"][0], case.project(case.x[1], *case.numbers))
    assert out["b"][1] is None


@kinked
def test_at_a_kink_derivatives_are_those_of_one_piece(case: Case) -> None:
    for x in case.kinks:
        tensors = (x, *case.numbers)
        for i in range(len(tensors)):
            first = jacrev(case.project, i)(*tensors)
            assert first.isfinite().all()
            assert jacfwd(case.project, i)(*tensors).isfinite().all()
            assert jacfwd(jacrev(case.project, i), i)(*tensors).isfinite().all()
        if not case.convex:  # the projection may jump
            continue
        found = jacrev(case.project)(*tensors)
        derivative = vmap(jacrev(case.project), (0, *(None for _ in case.numbers)))
        for count in (100, 4000):  # some pieces are small
            pieces = derivative(x + 1e-7 * draw(33, count, *x.shape), *case.numbers)
            distances = (pieces - found).flatten(1).abs().amax(-1)
            if distances.min() <= 1e-5:
                break
        assert distances.min() <= 1e-5


@bounded
def test_linear_minimizer_has_the_least_product(case: Case) -> None:
    assert case.support is not None
    for g in (*case.x, 0 * case.x[0]):
        z = case.make(*case.numbers).linear_minimizer(g)
        assert case.violation(z, *case.numbers) <= 1e-12
        least = -case.support(-g, *case.numbers)
        torch.testing.assert_close((g * z).sum(), least, rtol=1e-12, atol=1e-12)


@by_case
def test_printed_as_its_call(case: Case) -> None:
    assert repr(case.make(*case.numbers)).startswith(f"{case.cls}(")

"""Systems on trees: the same solution as that of the matrix of all leaves together."""

import hypothesis.strategies as st
import pytest
import torch
from hypothesis import given

from linear_solve._systems import EXACT, F64, SOLVERS, vector
from torchopt import linear_solve as ls
from torchopt import pytree

shapes = st.lists(st.integers(0, 3), max_size=2).map(tuple)
trees = st.recursive(
    shapes,
    lambda inner: st.one_of(
        st.dictionaries(st.sampled_from("abc"), inner, min_size=1, max_size=3),
        st.lists(inner, min_size=1, max_size=3),
        st.lists(inner, min_size=2, max_size=2).map(lambda pair: {"pair": pair}),
    ),
    max_leaves=4,
)


def fill(shapes, flat):
    """The tree of tensors of these shapes with the elements of a vector, and the rest of it."""
    if isinstance(shapes, tuple):
        size = torch.Size(shapes).numel()
        return flat[:size].reshape(shapes), flat[size:]
    if isinstance(shapes, dict):
        out = {}
        for key in sorted(shapes):
            out[key], flat = fill(shapes[key], flat)
        return out, flat
    items = []
    for inner in shapes:
        item, flat = fill(inner, flat)
        items.append(item)
    return items, flat


def ravel(tree):
    return pytree.tree_ravel(tree)[0]


@pytest.mark.parametrize("name", ["cg", "normal_cg", "gmres", "dense-lu", "minres", "neumann"])
@given(shapes=trees)
def test_solution_of_a_tree_is_that_of_its_elements(name, shapes):
    solver, make = EXACT[name]
    tree, _ = fill(shapes, vector(60))
    flat = ravel(tree)
    A = make(flat.numel()) if flat.numel() else torch.zeros(0, 0, dtype=F64)

    def matvec(v):
        return fill(shapes, A @ ravel(v))[0]

    x = solver(matvec, tree)
    assert pytree.tree_structure(x) == pytree.tree_structure(tree)
    torch.testing.assert_close(ravel(x), torch.linalg.solve(A, flat), rtol=1e-7, atol=1e-8)
    assert [t.shape for t in pytree.tree_leaves(x)] == [t.shape for t in pytree.tree_leaves(tree)]


@pytest.mark.parametrize(("solver", "make"), SOLVERS.values(), ids=SOLVERS.keys())
def test_scalars_are_solved(solver, make):
    a = make(1)[0, 0]
    x = solver(lambda v: {"w": a * v["w"]}, {"w": torch.tensor(3.0, dtype=F64)})
    assert x["w"].shape == ()
    torch.testing.assert_close(x["w"], 3 / a, rtol=1e-8, atol=1e-8)


def test_blocks_off_the_diagonal_count():
    def matvec(v):
        return {"a": 2 * v["a"] + v["b"].sum(), "b": 5 * v["b"] + v["a"].sum()}

    b = {"a": vector(2), "b": vector(3, 2)}
    x = ls.Dense()(matvec, b)
    back = matvec(x)
    torch.testing.assert_close((back["a"], back["b"]), (b["a"], b["b"]))


def test_none_holds_its_place():
    x = ls.CG()(lambda v: {"w": 2 * v["w"], "n": None}, {"w": vector(2), "n": None})
    assert x["n"] is None
    torch.testing.assert_close(x["w"], vector(2) / 2)


def test_leaves_of_several_dtypes_come_back_in_their_own():
    b = {"a": vector(2).float(), "b": vector(2)}
    x = ls.CG()(lambda v: {"a": 2 * v["a"], "b": 4 * v["b"]}, b)
    assert (x["a"].dtype, x["b"].dtype) == (torch.float32, F64)
    torch.testing.assert_close(x["a"], b["a"] / 2)
    torch.testing.assert_close(x["b"], b["b"] / 4)

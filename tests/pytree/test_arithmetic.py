"""Arithmetic on trees is arithmetic on the concatenated vector of the leaves."""

import dataclasses
from typing import NamedTuple

import optree
import pytest
import torch

from torchopt import pytree
from torchopt.pytree import flattening


class Pair(NamedTuple):
    first: object
    second: object


@dataclasses.dataclass
class Box:
    content: object
    label: str = dataclasses.field(default="box", metadata={"static": True})


flattening.flatten(Box(0))  # which optree knows from then on


def drawn(number):
    """Return trees of the same structure."""
    generator = torch.Generator().manual_seed(0)

    def tensor(*shape):
        return torch.randn(shape, generator=generator, dtype=torch.float64) + 2.5

    def one():
        pair = Pair(tensor(3), Box([tensor(1, 2), tensor(2, 1, 3)]))
        return {"b": [tensor(2, 3), None, (tensor(),)], "a": pair, "c": {}}

    return [one() for _ in range(number)]


def vector(tree):
    """Concatenate the leaves, found by optree itself and not by the library."""
    return torch.cat([x.reshape(-1) for x in optree.tree_leaves(tree, namespace="torchopt")])


def check(result, like, truth):
    found, expected = (optree.tree_structure(x, namespace="torchopt") for x in (result, like))
    assert found == expected
    torch.testing.assert_close(vector(result), truth, rtol=1e-12, atol=1e-12)


def test_sums_products_and_quotients_are_those_of_the_vectors():
    x, y, z = trees = drawn(3)
    u, v, w = map(vector, trees)
    before = [t.clone() for t in (u, v, w)]
    check(pytree.tree_add(x, y, z), x, u + v + w)
    check(pytree.tree_mul(x, y, z), x, u * v * w)
    check(pytree.tree_sub(x, y), x, u - v)
    check(pytree.tree_truediv(x, y), x, u / v)
    check(pytree.tree_neg(x), x, -u)
    for tree, old in zip(trees, before, strict=True):
        assert torch.equal(vector(tree), old)


@pytest.mark.parametrize("alpha", [-2.3, 0.0, 0.7])
def test_multiples_and_the_inner_product_are_those_of_the_vectors(alpha):
    x, y = drawn(2)
    u, v = vector(x), vector(y)
    for scalar in (alpha, torch.tensor(alpha, dtype=torch.float64)):
        check(pytree.tree_scalar_mul(scalar, x), x, alpha * u)
        check(pytree.tree_add_scalar_mul(x, y, scalar), x, u + alpha * v)
        check(pytree.tree_sub_scalar_mul(x, y, scalar), x, u - alpha * v)
    check(pytree.tree_add_scalar_mul(x, y), x, u + v)
    check(pytree.tree_sub_scalar_mul(x, y), x, u - v)
    torch.testing.assert_close(vector(y), v, rtol=0, atol=0)
    found = pytree.tree_vdot_real(pytree.tree_scalar_mul(alpha, x), y)
    torch.testing.assert_close(found, alpha * (u * v).sum(), rtol=1e-12, atol=1e-12)


def test_one_tree_is_its_own_sum_and_no_tree_is_an_error():
    assert pytree.tree_add({"a": 2}) == pytree.tree_mul({"a": 2}) == {"a": 2}
    for function in (pytree.tree_add, pytree.tree_mul):
        with pytest.raises(TypeError, match="one or more trees"):
            function()


@pytest.mark.parametrize("dtype", [torch.complex64, torch.complex128])
def test_the_inner_product_of_complex_leaves_conjugates_the_first(dtype):
    x = torch.tensor([1.0 + 2.0j, -3.0j])
    y = torch.tensor([2.0 - 1.0j, 4.0 + 1.0j], dtype=dtype)
    truth = sum((a.conjugate() * b).real for a, b in zip(x.tolist(), y.tolist(), strict=True))
    result = pytree.tree_vdot_real({"z": x}, {"z": y})
    assert not result.is_complex()
    assert result.item() == pytest.approx(truth)


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (torch.float32, torch.float64, torch.float64),
        (torch.int64, torch.float32, torch.float32),
        (torch.bfloat16, torch.float32, torch.float32),
        (torch.complex64, torch.float64, torch.float64),
        (torch.int64, torch.int64, torch.int64),
    ],
)
def test_the_inner_product_promotes_mixed_dtypes(first, second, expected):
    x, y = torch.tensor([1.0, 2.0, -3.0]).to(first), torch.tensor([4.0, 5.0, 6.0]).to(second)
    for result in (pytree.tree_vdot_real((x,), (y,)), pytree.tree_vdot_real((y,), (x,))):
        assert (result.dtype, result.item()) == (expected, -4.0)


def test_the_inner_product_without_leaves_is_a_zero_tensor():
    for empty in ({}, None, (None, [])):
        result = pytree.tree_vdot_real(empty, empty)
        assert isinstance(result, torch.Tensor)
        assert result.item() == 0.0


FUNCTIONS = {
    "add": lambda x, y, a: pytree.tree_add(x, y),
    "sub": lambda x, y, a: pytree.tree_sub(x, y),
    "mul": lambda x, y, a: pytree.tree_mul(x, y),
    "truediv": lambda x, y, a: pytree.tree_truediv(x, y),
    "neg": lambda x, y, a: pytree.tree_neg(x),
    "scalar_mul": lambda x, y, a: pytree.tree_scalar_mul(a, x),
    "add_scalar_mul": lambda x, y, a: pytree.tree_add_scalar_mul(x, y, a),
    "sub_scalar_mul": lambda x, y, a: pytree.tree_sub_scalar_mul(x, y, a),
    "vdot_real": lambda x, y, a: {"dot": pytree.tree_vdot_real(x, y)},
}
each_function = pytest.mark.parametrize("function", FUNCTIONS.values(), ids=FUNCTIONS.keys())


def inputs(*batch, dtype=torch.float64):
    generator = torch.Generator().manual_seed(0)
    shapes = [(2, 3), (3,), (2, 3), (3,), ()]
    return [torch.randn((*batch, *s), generator=generator, dtype=dtype) + 2 for s in shapes]


def as_trees(function):
    def call(xw, xb, yw, yb, alpha):
        result = function({"w": xw, "b": xb}, {"w": yw, "b": yb}, alpha)
        return tuple(result[key] for key in sorted(result))

    return call


@each_function
@pytest.mark.parametrize("dtype", [torch.float64, torch.complex128])
def test_every_function_is_twice_differentiable(function, dtype):
    leaves = [leaf.requires_grad_() for leaf in inputs(dtype=dtype)]
    assert torch.autograd.gradcheck(as_trees(function), leaves)
    assert torch.autograd.gradgradcheck(as_trees(function), leaves)


@each_function
def test_every_function_vmaps_to_the_loop(function):
    leaves = inputs(4)
    call = as_trees(function)
    batched = torch.func.vmap(call)(*leaves)
    looped = [call(*(leaf[i] for leaf in leaves)) for i in range(4)]
    for column, values in zip(zip(*looped, strict=True), batched, strict=True):
        torch.testing.assert_close(values, torch.stack(column))


@pytest.mark.compiled
def test_every_function_compiles_into_one_graph():
    torch.compiler.reset()
    leaves = inputs()

    def call(*leaves):
        return {name: as_trees(function)(*leaves) for name, function in FUNCTIONS.items()}

    torch.testing.assert_close(
        torch.compile(call, fullgraph=True, backend="eager")(*leaves), call(*leaves)
    )


def tree(shape=(2, 3), key="w"):
    return {"layers": [{key: torch.ones(shape)}], "b": None}


BINARY = [
    pytree.tree_add,
    pytree.tree_mul,
    pytree.tree_sub,
    pytree.tree_truediv,
    pytree.tree_add_scalar_mul,
    pytree.tree_sub_scalar_mul,
    pytree.tree_vdot_real,
]
each_binary = pytest.mark.parametrize("function", BINARY, ids=lambda f: f.__name__)


@each_binary
def test_a_shape_that_does_not_fit_is_named_with_its_path(function):
    with pytest.raises(ValueError, match=r"\['layers'\]\[0\]\['w'\]` has shape \(4,\)"):
        function(tree(), tree((4,)))


@each_binary
def test_a_leaf_that_is_missing_is_named_with_its_path(function):
    with pytest.raises(ValueError, match=r"\['layers'\]\[0\]\['w'\]` is missing"):
        function(tree(), tree(key="v"))


@each_binary
def test_none_on_one_side_only_is_named_with_its_path(function):
    for pair in ((tree(), {**tree(), "b": torch.ones(1)}), ({**tree(), "b": 1.0}, tree())):
        with pytest.raises(ValueError, match=r"\['b'\]` is None, but"):
            function(*pair)


def test_elementwise_functions_broadcast_and_the_inner_product_does_not():
    x, y = (torch.full((2, 3), 2.0),), (torch.tensor([1.0, 2.0, 3.0]),)
    assert pytree.tree_mul(x, y)[0].tolist() == [[2.0, 4.0, 6.0]] * 2
    with pytest.raises(ValueError, match=r"`tree_y\[0\]` has shape \(3,\)"):
        pytree.tree_vdot_real(x, y)

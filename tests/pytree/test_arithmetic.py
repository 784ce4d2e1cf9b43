"""Arithmetic on trees is arithmetic on the concatenated vector of the leaves."""

import concurrent.futures
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
    check(pytree.tree_pos(x), x, u)
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


def test_matmul_multiplies_leaves_from_left_to_right():
    a, b, c = torch.randn(2, 3), torch.randn(3, 4), torch.randn(4)
    result = pytree.tree_matmul({"w": a, "n": None}, {"w": b, "n": None}, {"w": c, "n": None})
    torch.testing.assert_close(result["w"], torch.mv(torch.mm(a, b), c))
    assert result["n"] is None


def test_one_tree_is_its_own_sum_and_no_tree_is_an_error():
    assert pytree.tree_add({"a": 2}) == pytree.tree_mul({"a": 2}) == {"a": 2}
    for function in (pytree.tree_add, pytree.tree_mul, pytree.tree_matmul):
        with pytest.raises(TypeError, match="one or more trees"):
            function()


def test_flatten_as_tuple_is_flatten_with_a_tuple():
    tree = {"b": (2, None), "a": 1}
    for options in ({}, {"none_is_leaf": True}, {"is_leaf": lambda t: isinstance(t, tuple)}):
        leaves, spec = pytree.tree_flatten_as_tuple(tree, **options)
        expected = pytree.tree_flatten(tree, **options)
        assert (list(leaves), spec) == expected
        assert isinstance(leaves, tuple)


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
    "matmul": lambda x, y, a: pytree.tree_matmul(x, {"w": y["w"].mT, "b": y["b"]}),
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


@pytest.mark.parametrize(
    ("x", "y"), [((2, 3), (2, 3)), ((), (3,)), ((3,), ()), ((2,), (3,)), ((2, 2, 3), (5, 3, 1))]
)
def test_matrices_that_do_not_fit_are_named_with_their_path(x, y):
    with pytest.raises(ValueError, match=r"`trees\[1\]\['w'\]` has shape"):
        pytree.tree_matmul({"w": torch.ones(x)}, {"w": torch.ones(y)})


def test_wait_returns_the_results_of_both_kinds_of_futures():
    ours = torch.futures.Future()
    ours.set_result("torch")
    with concurrent.futures.ThreadPoolExecutor() as pool:
        result = pytree.tree_wait({"a": ours, "b": [pool.submit(pow, 2, 5), None]})
    assert result == {"a": "torch", "b": [32, None]}


def test_wait_raises_what_the_future_raised():
    with concurrent.futures.ThreadPoolExecutor() as pool:
        future = pool.submit(divmod, 1, 0)
        with pytest.raises(ZeroDivisionError):
            pytree.tree_wait([future])


def test_what_is_no_future_or_reference_is_named_with_its_path():
    with pytest.raises(TypeError, match=r"`future_tree\['a'\]` is an object of type int"):
        pytree.tree_wait({"a": 1})
    with pytest.raises(TypeError, match=r"`rref_tree\['a'\]` is an object of type int"):
        pytree.tree_to_here({"a": 1})


# Raised inside PyTorch, by its own start of RPC.
own_warning_of_rpc = pytest.mark.filterwarnings("ignore:You are using a Backend:UserWarning")


@pytest.fixture
def rpc(tmp_path, monkeypatch):
    """Run RPC with this process as the only worker."""
    if not torch.distributed.rpc.is_available():
        pytest.skip("this torch was built without RPC")
    monkeypatch.setenv("GLOO_SOCKET_IFNAME", "lo")
    monkeypatch.setenv("TP_SOCKET_IFNAME", "lo")
    options = torch.distributed.rpc.TensorPipeRpcBackendOptions(
        init_method=f"file://{tmp_path / 'store'}", num_worker_threads=2
    )
    torch.distributed.rpc.init_rpc("solo", rank=0, world_size=1, rpc_backend_options=options)
    yield torch.distributed.rpc
    torch.distributed.rpc.shutdown()


@own_warning_of_rpc
def test_references_to_a_tree_bring_the_same_tree_back(rpc):
    original = {"w": torch.tensor([1.0, 2.0]), "n": [None, 3]}
    references = pytree.tree_as_rref(original)
    assert isinstance(references["w"], rpc.RRef)
    assert references["n"][0] is None
    back = pytree.tree_to_here(references, timeout=30.0)
    assert torch.equal(back["w"], original["w"])
    assert back["n"] == [None, 3]


@own_warning_of_rpc
def test_results_of_remote_calls_can_be_waited_for_and_fetched(rpc):
    one = torch.ones(2)
    futures = {"sum": rpc.rpc_async("solo", torch.add, args=(one, 2))}
    references = {"sum": rpc.remote("solo", torch.add, args=(one, 2))}
    assert pytree.tree_wait(futures)["sum"].tolist() == [3.0, 3.0]
    assert pytree.tree_to_here(references)["sum"].tolist() == [3.0, 3.0]


def test_where_torch_was_built_without_rpc_the_error_says_so(monkeypatch):
    monkeypatch.setattr(torch.distributed.rpc, "is_available", lambda: False)
    for function in (pytree.tree_as_rref, pytree.tree_to_here):
        with pytest.raises(RuntimeError, match="built without it"):
            function({"a": 1})

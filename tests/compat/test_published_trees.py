"""What `torchopt.pytree` has for programs of 0.7.3, and in no list of its names."""

import concurrent.futures

import pytest
import torch

from torchopt import pytree


def test_names_of_old_programs_are_found_and_not_listed():
    for name in ("tree_wait", "treespec_leaf", "PyTreeDef", "tree_map_", "PyTreeKind"):
        assert getattr(pytree, name) is not None
        assert name not in pytree.__all__
        assert name not in dir(pytree)
    assert pytree.tree_reduce(lambda x, y: x + y, {"b": 1, "a": [2, None]}) == 3
    with pytest.raises(AttributeError, match=r"'torchopt\.pytree' has no attribute 'tree_wat'"):
        pytree.tree_wat  # noqa: B018


def test_flatten_as_tuple_is_flatten_with_a_tuple():
    tree = {"b": (2, None), "a": 1}
    for options in ({}, {"none_is_leaf": True}, {"is_leaf": lambda t: isinstance(t, tuple)}):
        leaves, spec = pytree.tree_flatten_as_tuple(tree, **options)
        expected = pytree.tree_flatten(tree, **options)
        assert (list(leaves), spec) == expected
        assert isinstance(leaves, tuple)


def test_matmul_multiplies_leaves_from_left_to_right():
    a, b, c = torch.randn(2, 3), torch.randn(3, 4), torch.randn(4)
    result = pytree.tree_matmul({"w": a, "n": None}, {"w": b, "n": None}, {"w": c, "n": None})
    torch.testing.assert_close(result["w"], torch.mv(torch.mm(a, b), c))
    assert result["n"] is None
    assert pytree.tree_matmul({"w": a}) == {"w": a}
    with pytest.raises(TypeError):
        pytree.tree_matmul()
    with pytest.raises(ValueError, match=r"'v'"):
        pytree.tree_matmul({"w": a}, {"v": b})


def test_pos_has_the_values_of_each_leaf():
    tree = {"b": [torch.tensor([1.0, -2.0]), None], "a": (-3,)}
    found = pytree.tree_pos(tree)
    assert torch.equal(found["b"][0], tree["b"][0])
    assert (found["b"][1], found["a"]) == (None, (-3,))


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

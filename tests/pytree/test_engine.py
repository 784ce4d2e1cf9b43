"""The native engine: it is there, remembers structures, leaks nothing, survives hostile user code."""

import gc
import os
import subprocess
import sys
import threading
import weakref
from collections import OrderedDict, deque
from contextlib import nullcontext, suppress
from pathlib import Path

import pytest
from _random_trees import NAMESPACE, Pair, Point, same

from torchopt import pytree
from torchopt.native import _build
from torchopt.pytree import _engine

TREE = {
    "b": [1, (2, None), {}],
    "a": OrderedDict(z=Point(3, [4.0]), y={"k": 5, "j": deque([6], maxlen=2)}),
    "c": {f"key{i}": (i,) for i in range(40)},
}


def test_the_native_engine_is_live_where_it_can_be_built():
    buildable = _build.compiler() is not None and bool(_build.extensions())
    wanted = os.environ.get("TORCHOPT_NATIVE") != "off" and _engine._HAS_GIL
    if buildable and wanted:
        assert pytree.backend() == "native"


def test_environment_turns_it_off(monkeypatch):
    before = pytree.backend()
    with monkeypatch.context() as patch:
        patch.setenv("TORCHOPT_NATIVE", "off")
        for name in ("_name", "_native"):  # as before the first use
            patch.setattr(_engine, name, None)
        assert pytree.backend() == "python"
        assert pytree.tree_leaves({"b": 1, "a": 2}) == [2, 1]
    _engine.select(before)
    assert pytree.backend() == before


def test_an_engine_that_is_not_there_cannot_be_selected(monkeypatch):
    monkeypatch.setattr(_engine, "_load", lambda: None)
    with pytest.raises(RuntimeError, match="no native tree engine"):
        _engine.select("native")


def test_a_structure_seen_before_is_the_same_object(native):
    def make():
        return {"".join(["la", "yer"]): (1, [2, {"b": 3, "a": 4}]), "x": Point(5, None)}

    first, before = pytree.tree_structure(make()), native.statistics()
    assert pytree.tree_structure(make()) is first
    after = native.statistics()
    assert (after["hits"] - before["hits"], after["misses"] - before["misses"]) == (1, 0)


@pytest.mark.parametrize(
    "change",
    [
        lambda tree: tree["b"].append(1),
        lambda tree: tree["b"].pop(),
        lambda tree: tree.update(new=1),
        lambda tree: tree.pop("a"),
        lambda tree: tree.update(b=tuple(tree["b"])),
        lambda tree: tree["b"].__setitem__(0, [1]),
        lambda tree: tree["b"].__setitem__(0, None),
        lambda tree: tree["b"].__setitem__(1, 5),
        lambda tree: tree["a"].move_to_end("z"),
        lambda tree: tree["a"].update(y=Point(1, 2)),
        lambda tree: tree["c"].update(key0=0),
        lambda tree: tree.update(c=tree["c"] | {"other": tree["c"].pop("key7")}),
        lambda tree: tree.update(c=dict(reversed(tree["c"].items()))),
    ],
)
def test_a_changed_tree_is_not_taken_for_the_one_seen_before(engine, change):
    def make():
        tree = dict(TREE)
        tree["a"] = OrderedDict(z=Point(3, [4.0]), y={"k": 5})  # nothing that is not remembered
        return tree | {"b": list(TREE["b"]), "c": dict(TREE["c"])}

    for _ in range(2):
        pytree.tree_flatten(make())
    tree = make()
    change(tree)
    leaves, spec = pytree.tree_flatten(tree)
    assert same(spec.unflatten(leaves), tree)
    assert spec != pytree.tree_structure(make()) or list(tree["c"]) != list(TREE["c"])


def test_the_memory_of_structures_is_bounded(native):
    limit = 64
    for i in range(10 * limit):
        pytree.tree_flatten({f"key{i}": i, "other": [0] * (i % 50)})
    assert 0 < native.statistics()["structures"] <= limit
    native.forget()
    assert native.statistics()["structures"] == 0


def test_types_and_namespaces_beyond_the_memory_are_still_known(engine):
    classes = [type(f"Class{i}", (), {}) for i in range(1500)]
    objects = [cls() for cls in classes]
    assert pytree.tree_leaves(objects) == objects
    for i in range(100):
        assert pytree.tree_leaves([1, Pair(2, 3)], namespace=f"other-{i}")[0] == 1
    assert pytree.tree_leaves([1, Pair(2, 3)], namespace=NAMESPACE) == [1, 2, 3]


def test_keys_of_a_subclass_of_str_are_compared_as_they_want(engine):
    class Key(str):
        __slots__ = ()

        def __lt__(self, other):
            return str.__gt__(self, other)

    tree = {Key("a"): 1, Key("b"): 2}
    for _ in range(2):
        assert pytree.tree_leaves(tree) == [2, 1]


def everything(tree):
    """Call all that the engine does."""
    leaves, spec = pytree.tree_flatten(tree, namespace=NAMESPACE)
    spec.unflatten(leaves)
    spec.flatten_up_to(tree)
    pytree.tree_map(lambda x, y: x, tree, tree, namespace=NAMESPACE)
    pytree.tree_map_(lambda x: x, tree, namespace=NAMESPACE)
    pytree.tree_leaves(tree, is_leaf=lambda x: False)
    spec.children(), hash(spec), spec == pytree.tree_structure(tree), repr(spec)
    for wrong in (lambda: spec.unflatten([]), lambda: spec.flatten_up_to([])):
        with pytest.raises(ValueError, match="expected"):
            wrong()
    with pytest.raises(ZeroDivisionError):
        pytree.tree_map(lambda x: 1 / 0, tree, namespace=NAMESPACE)


def test_references_are_given_back(engine):
    leaf, key = object(), "".join(["some", "key"])
    tree = [
        {"b": leaf, key: Pair(leaf, 1)},
        (leaf, Point(leaf, deque([leaf]))),
        OrderedDict(x=leaf),
    ]
    everything(tree)
    objects = [leaf, key, *tree, Pair, Point, tree[0][key], tree[1][1]]
    before = [sys.getrefcount(x) for x in objects]
    for _ in range(50):
        everything(tree)
    gc.collect()
    assert [sys.getrefcount(x) for x in objects] == before


def test_memory_is_steady_over_many_calls(engine):
    statm = Path("/proc/self/statm")
    if not statm.exists():
        pytest.skip("resident memory is read from /proc")

    def resident():
        gc.collect()
        return int(statm.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    tree = {
        "b": [1, (2, 3)],
        "a": {"x": 4, "y": Pair(5, deque([6]))},
        **{f"k{i}": i for i in range(9)},
    }

    def calls(count):
        for i in range(count):
            leaves, spec = pytree.tree_flatten(tree, namespace=NAMESPACE if i % 10 == 0 else "")
            spec.unflatten(leaves)

    count = 100_000 if engine == "native" else 1_000
    calls(count // 10)
    before = resident()
    calls(count)
    assert resident() - before < 2**20


def test_cycles_through_structures_are_collected(engine):
    class Tag:
        pass

    tag = Tag()
    tag.spec = pytree.tree_structure(Pair(1, 2, tag), namespace=NAMESPACE)
    gone = weakref.ref(tag)
    del tag
    gc.collect()
    assert gone() is None


def test_a_predicate_that_changes_the_tree(engine):
    def emptied(make, empty):
        tree = make()
        calls = []

        def is_leaf(x):
            calls.append(x)
            if len(calls) == 3:
                empty(tree)
            return False

        return pytree.tree_flatten(tree, is_leaf)

    with pytest.raises((RuntimeError, AssertionError)) if engine == "native" else nullcontext():
        emptied(lambda: [[object()] for _ in range(9)], list.clear)
    for make in (
        lambda: {i: [object()] for i in range(9)},
        lambda: OrderedDict(a=[1], b=[2], c=[3]),
    ):
        leaves, _ = emptied(make, lambda tree: tree.clear())
        assert len(leaves) in (3, 9)


def test_user_code_that_changes_the_tree_while_it_is_matched(engine):
    """Custom nodes run code in the middle of `flatten_up_to`; the tree may lose anything then."""

    class Wiper:
        victims = ()

        def flatten(self):
            for victim in Wiper.victims:
                victim.clear()
            gc.collect()
            return ([object()], None)

    pytree.register_pytree_node(
        Wiper, Wiper.flatten, lambda *_: Wiper(), namespace="wiper-" + engine
    )
    for build in (
        lambda w: [[w, [object()]], [object()]],
        lambda w: {"a": {"a": w, "b": [object()]}, "b": [object()]},
        lambda w: OrderedDict(a=OrderedDict(a=w, b=[object()]), b=[object()]),
        lambda w: deque([[w, [object()]], [object()]]),
    ):
        Wiper.victims = ()
        spec = pytree.tree_structure(build(Wiper()), namespace="wiper-" + engine)
        tree = build(Wiper())
        inner = tree["a"] if isinstance(tree, dict) else tree[0]
        Wiper.victims = (tree, inner)
        twin = suppress(ValueError, KeyError)  # it holds copies and may well succeed
        with pytest.raises((ValueError, KeyError)) if engine == "native" else twin:
            spec.flatten_up_to(tree)


def test_user_code_that_changes_the_leaves_while_the_tree_is_built(engine):
    class Greedy(Pair):
        pass

    leaves = [object() for _ in range(6)]

    def unflatten(_, children):
        leaves.clear()
        gc.collect()
        return Greedy(*children)

    space = "greedy-" + engine
    flatten = lambda x: ((x.first, x.second), None)  # noqa: E731
    pytree.register_pytree_node(Greedy, flatten, unflatten, namespace=space)
    spec = pytree.tree_structure([Greedy(1, 2), {"a": 3, "b": 4}, (5, 6)], namespace=space)
    kept = list(leaves)
    if engine == "native":
        with pytest.raises(RuntimeError, match="leaves changed size while the tree was built"):
            spec.unflatten(leaves)
        leaves = list(kept)
    built = spec.unflatten(tuple(leaves))
    assert pytree.tree_leaves(built, namespace=space) == kept


def test_the_engine_may_be_called_from_within(engine):
    inner = {"x": [1, 2]}

    def function(x):
        return pytree.tree_map(lambda y: y + x, inner)

    assert pytree.tree_map(function, [1, (2,)]) == [{"x": [2, 3]}, ({"x": [3, 4]},)]

    class Outer(Pair):
        pass

    space = "outer-" + engine
    pytree.register_pytree_node(
        Outer,
        lambda x: (pytree.tree_leaves([x.first, x.second]), pytree.tree_structure(x.first)),
        lambda spec, children: Outer(*children, spec),
        namespace=space,
    )
    leaves, spec = pytree.tree_flatten([Outer(1, 2)], namespace=space)
    assert (leaves, spec.unflatten([3, 4])[0].first) == ([1, 2], 3)

    def forgetful(x):
        _engine._load() and _engine._load().forget()
        return False

    assert pytree.tree_leaves(TREE, forgetful) == pytree.tree_leaves(TREE)


def test_exceptions_of_user_code_come_through(engine):
    class Broken(Pair):
        pass

    def refuse(*_):
        raise KeyError("no")

    space = "broken-" + engine
    pytree.register_pytree_node(Broken, lambda x: ((x.first,), None), refuse, namespace=space)
    leaves, spec = pytree.tree_flatten([1, Broken(2, 3)], namespace=space)
    for call in (
        lambda: spec.unflatten(leaves),
        lambda: pytree.tree_map(lambda x: x, [1, Broken(2, 3)], namespace=space),
        lambda: pytree.tree_leaves([1, [2]], is_leaf=refuse),
        lambda: pytree.tree_map(refuse, [1, [2]]),
        lambda: pytree.tree_is_leaf(1, is_leaf=refuse),
    ):
        with pytest.raises(KeyError, match="no"):
            call()

    class Ambiguous:
        def __bool__(self):
            raise KeyError("no")

    with pytest.raises(KeyError, match="no"):
        pytree.tree_leaves([1], is_leaf=lambda x: Ambiguous())


def test_keys_whose_comparison_raises(engine):
    class Key:
        def __init__(self, name):
            self.name = name

        def __hash__(self):
            return 1

        def __eq__(self, other):
            if Key.angry:
                raise KeyError("no")
            return self.name == other.name

    Key.angry = False
    tree, other = ({Key("a"): 1, Key("b"): 2} for _ in range(2))
    spec = pytree.tree_structure(tree)
    assert spec.flatten_up_to(other) == [1, 2]
    Key.angry = True
    with pytest.raises(KeyError, match="no"):
        spec.flatten_up_to(other)


def test_many_threads(engine):
    trees = [{"k" * (i + 1): [i, (i, {"x": i})], "z": Point(i, None)} for i in range(8)]
    expected = [pytree.tree_leaves(tree) for tree in trees]
    failures = []

    def work(index):
        for i in range(200):
            tree = trees[(index + i) % 8]
            leaves, spec = pytree.tree_flatten(tree)
            if leaves != expected[(index + i) % 8] or spec.unflatten(leaves) != tree:
                failures.append(index)
            if i % 50 == index and engine == "native":
                _engine._load().forget()

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


SUBINTERPRETER = """
import importlib.machinery, importlib.util

def load():
    loader = importlib.machinery.ExtensionFileLoader("torchopt.native._pytree", {path!r})
    spec = importlib.util.spec_from_loader(loader.name, loader)
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module

class Base:
    __slots__ = ()

builtin = {{tuple: 3, list: 4, dict: 5}}

def resolve(space, cls):
    return (builtin[cls], cls, None, None, None, False, False) if cls in builtin else None

module = load()
module.connect(Base, resolve, sorted, None, None, None)
for _ in range(3):
    leaves, spec = module.flatten({{"b": [1, 2], "a": (3,)}}, None, False, "")
    assert leaves == [3, 1, 2], leaves
    assert spec.unflatten(leaves) == {{"b": [1, 2], "a": (3,)}}
assert isinstance(spec, Base)
"""


@pytest.mark.processes
def test_interpreters_do_not_share_state(native):
    """Each interpreter loads a module of its own; the state of one that ended is not touched."""
    program = SUBINTERPRETER.format(path=native.__file__)
    outer = (
        f"program = {program!r}\n"
        "import sys\n"
        "name = '_interpreters' if sys.version_info >= (3, 13) else '_xxsubinterpreters'\n"
        "interpreters = __import__(name)\n"
        "exec(program)\n"
        "for _ in range(3):\n"
        "    each = interpreters.create()\n"
        "    failure = interpreters.run_string(each, program)\n"
        "    assert failure is None, failure\n"
        "    interpreters.destroy(each)\n"
        "exec(program)\n"
        "print('done')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", outer], capture_output=True, text=True, check=False
    )
    assert done.stdout == "done\n", done.stderr

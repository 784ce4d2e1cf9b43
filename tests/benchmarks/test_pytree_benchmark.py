"""The benchmark of trees runs with tiny settings; its trees have the sizes of the paper's."""

from pathlib import Path

import pytest

from benchmarks import _pytree, pytree
from torchopt.pytree import tree_structure


@pytest.mark.parametrize(
    ("name", "nodes"),
    [("ResNet18", 698), ("ResNet50", 1702), ("ResNet101", 3317), ("ResNet152", 4932)],
)
def test_module_trees_have_the_number_of_nodes_of_the_paper(name: str, nodes: int) -> None:
    assert tree_structure(_pytree.make_tree(name)).num_nodes == nodes


def test_state_dicts_have_one_leaf_a_parameter() -> None:
    found = [len(_pytree.make_tree(f"{name}, state dict")) for name in _pytree.BLOCKS]
    assert found == [62, 161, 314, 467]


def test_runs_and_says_who_took_part(tmp_path: Path) -> None:
    tiny = ["--rounds", "1", "--budget", "0", "--output", str(tmp_path / "out.md")]
    text = pytree.main([*tiny, "--trees", "MLP, dict of dicts"])
    assert "Engine: " in text
    assert text.count("| MLP, dict of dicts ") == 3
    for name in pytree.PEERS:
        assert name in text

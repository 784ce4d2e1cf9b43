"""The graph example: pictures, pages and tables of three problems."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

import pytest
import torch

from examples.graph import PROBLEMS, Config, Problem, implicit, main, maml, run, trilevel
from examples.tools.report import Report
from torchopt import pytree
from torchopt.visual import GradGraph, record
from torchopt.visual.data import Group


@pytest.mark.usefixtures("few_threads")
def test_command_writes_pictures_and_pages_and_prints_tables(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([f"--runs={tmp_path}", f"--out={tmp_path / 'new'}", "--threads=1"]) == 0
    out = capsys.readouterr().out
    for name in PROBLEMS:
        assert f"== {name}: " in out
        ElementTree.parse(tmp_path / "new" / f"{name}.svg")
        page = (tmp_path / "new" / f"{name}.html").read_text(encoding="utf-8")
        assert page.startswith("<!DOCTYPE html>")
    for text in ("inner step 5", "log_penalty", "importance", "lr", "reached"):
        assert text in out


def _sine() -> Problem:
    """A sum of sines."""
    x = torch.ones(2, requires_grad=True)
    return Problem(x.sin().sum(), {"x": x})


def test_pictures_go_to_the_folder_of_the_report_and_nowhere_without_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    problems = dict.fromkeys(["one", "another"], _sine)
    monkeypatch.setattr("examples.graph.PROBLEMS", problems)
    monkeypatch.chdir(tmp_path)
    assert run(Config()).keys() == problems.keys()
    assert not [*tmp_path.iterdir()]
    assert run(Config(), Report(folder=tmp_path)).keys() == problems.keys()
    assert {path.name for path in tmp_path.iterdir()} == {
        f"{name}.{kind}" for name in problems for kind in ("svg", "html")
    }


@pytest.mark.parametrize("name", PROBLEMS)
def test_gradient_reaches_every_input(name: str) -> None:
    torch.manual_seed(0)
    problem = PROBLEMS[name]()
    inputs = pytree.tree_leaves(problem.inputs)
    for grad in torch.autograd.grad(problem.loss, inputs):
        assert grad.isfinite().all()
        assert grad.norm() > 0


def test_steps_are_those_of_the_problem() -> None:
    graph = GradGraph((problem := maml(steps=4)).loss, problem.inputs)
    assert [g.step for g in graph.groups if g.kind == "step"] == [1, 2, 3, 4]
    assert not [g for g in GradGraph(implicit().loss).groups if g.kind == "step"]


def test_levels_of_the_trilevel_problem_are_nested() -> None:
    with record():
        problem = trilevel(outer_steps=2, inner_steps=3)
    graph = GradGraph(problem.loss)

    def outer_steps(group: Group) -> int:
        """How many steps a group lies in."""
        if group.parent is None:
            return 0
        parent = graph.groups[group.parent]
        return outer_steps(parent) + (parent.kind == "step")

    depths = Counter(outer_steps(group) for group in graph.groups if group.kind == "step")
    # Two outer steps with three inner steps each, and the weights that are tested at the end.
    assert depths == {0: 2 + 3, 1: 2 * 3}

"""`torchopt.typing`: its words, and the published names, without import cycles and without RPC."""

import importlib.util
from importlib import resources
from pathlib import Path

import pytest
import torch

import torchopt
from _fresh import run
from torchopt import typing
from torchopt.compat import types

PUBLISHED = [
    "ChainedGradientTransformation",
    "Device",
    "Distribution",
    "EmptyState",
    "Future",
    "GradientTransformation",
    "LinearSolver",
    "ListOfOptionalTensors",
    "ListOfTensors",
    "ModuleTensorContainers",
    "Numeric",
    "OptState",
    "OptionalTensor",
    "OptionalTensorOrOptionalTensors",
    "OptionalTensorTree",
    "Params",
    "PyTree",
    "Samplable",
    "SampleFunc",
    "Scalar",
    "ScalarOrSchedule",
    "Schedule",
    "SequenceOfOptionalTensors",
    "SequenceOfTensors",
    "Size",
    "Tensor",
    "TensorContainer",
    "TensorOrTensors",
    "TensorTree",
    "TupleOfOptionalTensors",
    "TupleOfTensors",
    "UninitializedState",
    "Updates",
    "RRef",
]


@pytest.mark.parametrize("name", PUBLISHED)
def test_each_published_name_is_found_and_only_words_of_signatures_are_listed(name):
    assert getattr(typing, name) is not None
    listed = name in {"Numeric", "Samplable", "Schedule", "TensorTree"}
    assert (name in typing.__all__, name in dir(typing)) == (listed, listed)


def test_what_a_published_alias_stands_for():
    assert typing.Params is typing.Updates is typing.OptState is typing.TensorTree
    assert typing.ListOfOptionalTensors == list[torch.Tensor | None]
    assert typing.Device == torch.device | str | int
    # The class of solvers has the name, too.
    assert typing.LinearSolver is not torchopt.linear_solve.LinearSolver


@pytest.mark.parametrize(
    "name",
    ["GradientTransformation", "ChainedGradientTransformation", "EmptyState", "UninitializedState"],
)
def test_types_of_transformations_are_those_of_base(name):
    assert getattr(typing, name) is getattr(torchopt.base, name)


def test_an_unknown_name_is_an_attribute_error_that_names_it():
    with pytest.raises(AttributeError, match="has no attribute 'Nonsense'"):
        typing.Nonsense  # noqa: B018


@pytest.mark.processes
def test_a_fresh_process_finds_the_types_of_transformations():
    run("from torchopt.typing import GradientTransformation, UninitializedState")


def test_a_class_of_ones_own_with_sample_is_samplable():
    class Coin:
        def sample(self, sample_shape=()):
            return torch.randint(2, sample_shape)

    assert isinstance(Coin(), typing.Samplable)


def test_the_module_imports_where_torch_was_built_without_rpc(monkeypatch):
    monkeypatch.setattr(torch.distributed.rpc, "is_available", lambda: False)
    spec = importlib.util.spec_from_file_location("typing_without_rpc", types.__file__)
    fresh = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(fresh)
    assert fresh.RRef is not typing.RRef
    assert fresh.RRef[int] is not None


def test_type_checkers_are_told_that_the_package_has_types() -> None:
    assert (resources.files(torchopt) / "py.typed").is_file()
    project = Path(__file__).resolve().parents[1] / "pyproject.toml"
    assert '"py.typed"' in project.read_text().partition("[tool.setuptools.package-data]")[2]

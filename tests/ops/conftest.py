"""The emulated GPU, compiled once for the formulas that the tests ask of it."""

from __future__ import annotations

import pytest
from _kernel_cases import kernel_cases

from torchopt.native.cuda._emulation import Emulator, build
from torchopt.ops import derivatives
from torchopt.ops._backend import functor_of


@pytest.fixture(scope="session")
def emulator(tmp_path_factory: pytest.TempPathFactory) -> Emulator:
    """The CUDA kernels of every formula that gives parameters."""
    graphs = [
        graph
        for case in kernel_cases()
        if case.name.endswith("parameters")
        for graph in derivatives(case.graph)
    ]
    functors = [functor_of(graph) for graph in graphs]
    return Emulator(build({f.name: f.text for f in functors}, tmp_path_factory.mktemp("emulated")))

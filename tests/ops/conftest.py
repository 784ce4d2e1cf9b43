"""The emulated GPU, compiled once for the formulas that the tests ask of it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest
from _kernel_cases import KernelCase, counted_cases, emulated_cases

from _emulation import Emulator, build
from torchopt.ops import derivatives
from torchopt.ops._backend import functor_of


def emulated(cases: Iterable[KernelCase], folder: Path) -> Emulator:
    """Return the CUDA kernels of formulas and their derivatives."""
    functors = [functor_of(graph) for case in cases for graph in derivatives(case.graph)]
    return Emulator(build({f.name: f.text for f in functors}, folder))


@pytest.fixture(scope="session")
def emulator(tmp_path_factory: pytest.TempPathFactory) -> Emulator:
    """The CUDA kernels of every optimizer."""
    return emulated(emulated_cases(), tmp_path_factory.mktemp("emulated"))


@pytest.fixture(scope="session")
def stepping_emulator(tmp_path_factory: pytest.TempPathFactory) -> Emulator:
    """Those of Adam and RAdam with bias corrections: of few formulas, it is compiled soon."""
    cases = (case for case in counted_cases() if case.name in ("adam", "radam"))
    return emulated(cases, tmp_path_factory.mktemp("stepping"))

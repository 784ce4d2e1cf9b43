"""The driver's tests run formulas written by hand, compiled as a user's formulas are."""

import pytest
from _formulas import HEADER

from torchopt import native


@pytest.fixture(scope="session")
def kernels():
    """The address of each formula of the sample header."""
    assert native.is_live(), native.status().reason
    return native.compile_kernels(HEADER.read_text())

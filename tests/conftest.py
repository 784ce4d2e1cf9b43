"""Settings of the suite: property tests draw the same examples on every run, without a clock.

``TORCHOPT_TEST_ULP=1`` runs the tests on a processor that rounds otherwise (`_ulp`).
"""

import os

from hypothesis import settings

import _ulp

settings.register_profile("suite", deadline=None, derandomize=True, max_examples=30)
settings.load_profile("suite")

KERNELS = _ulp.perturb() if os.environ.get("TORCHOPT_TEST_ULP") else None

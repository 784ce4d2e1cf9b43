"""Settings of the suite: property tests draw the same examples on every run, without a clock."""

from hypothesis import settings

settings.register_profile("suite", deadline=None, derandomize=True, max_examples=30)
settings.load_profile("suite")

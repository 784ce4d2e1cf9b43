"""The version of the package, read by the build and by ``torchopt.__version__``."""

__version__ = "0.8.0"

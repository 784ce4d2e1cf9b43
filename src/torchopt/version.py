"""The version of the package, read by the build and by ``torchopt.__version__``; its name for pip."""

__version__ = "0.8.0"
DISTRIBUTION = "torchopt-diff"

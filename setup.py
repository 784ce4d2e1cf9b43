"""What pyproject.toml cannot say: the native libraries are compiled with the package.

Without a compiler, or with ``TORCHOPT_NO_NATIVE=1``, the package is pure Python; a library that fails
to compile is left out with a note. The kernels' C++ is generated from the optimizers' formulas, which
needs no torch.
"""

import importlib.util
import os
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

# Packages whose `__init__`, which would import torch, is not run.
for _name in ("torchopt", "torchopt.native"):
    _init = Path(__file__).parent.joinpath("src", *_name.split("."), "__init__.py")
    _spec = importlib.util.spec_from_file_location(_name, _init)
    sys.modules[_name] = importlib.util.module_from_spec(_spec)

from torchopt.native import _build  # noqa: E402


def _wanted():
    if os.name != "posix" or os.environ.get("TORCHOPT_NO_NATIVE", "") not in ("", "0"):
        return {}
    if _build.compiler() is None:
        print("torchopt: no C++ compiler, so no native libraries: plain torch runs instead.")
        return {}
    return {library.name: library for library in _build.packaged_libraries()}


_LIBRARIES = _wanted()


class BuildLibraries(build_ext):
    """Compiles each library by `_build`, without distutils' own flags."""

    def build_extension(self, ext):
        """Compile one library; a checkout's own processor needs the kernels of one set only."""
        library = _LIBRARIES[ext.name.rpartition(".")[2]]
        others = _build.instruction_sets()[:-1]  # which an older processor compiles at first use
        if self.editable_mode and library in map(_build.kernels, others):
            return
        try:
            _build.compile_library(library, Path(self.get_ext_fullpath(ext.name)))
        except _build.CompileError as error:
            print(f"torchopt: left out {ext.name}: {error}")

    def get_ext_filename(self, fullname):
        """Return a library's path from the name of a module, with or without its package."""
        *package, name = fullname.split(".")
        return os.path.join(*package, _LIBRARIES[name].filename)

    def finalize_options(self):
        """Compile as many libraries at a time as there are processors."""
        super().finalize_options()
        self.parallel = self.parallel or os.cpu_count()


setup(
    ext_modules=[
        Extension(f"torchopt.native.{name}", sources=[], optional=True) for name in _LIBRARIES
    ],
    cmdclass={"build_ext": BuildLibraries},
)

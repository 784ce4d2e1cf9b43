"""Fused update kernels on GPUs: the functors of :mod:`torchopt.ops`, compiled by NVRTC at first use.

No compiler is needed but NVRTC, which PyTorch's CUDA wheels bring. Where there is no GPU, the same
source runs in ``_emulation.Emulator``.
"""

from torchopt.native.cuda._driver import gpu
from torchopt.native.cuda._functor import Functor
from torchopt.native.cuda._launch import ABSENT, LIST, fused
from torchopt.native.cuda._launcher import Kernels, Launcher
from torchopt.native.cuda._layout import offsets
from torchopt.native.cuda._nvrtc import compile_functors
from torchopt.native.cuda._status import unavailable

__all__ = [
    "ABSENT",
    "LIST",
    "Functor",
    "Kernels",
    "Launcher",
    "compile_functors",
    "fused",
    "gpu",
    "offsets",
    "unavailable",
]

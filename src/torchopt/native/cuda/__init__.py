"""Fused update kernels on GPUs: the functors of :mod:`torchopt.ops`, compiled by NVRTC at first use.

No compiler is needed but NVRTC, which PyTorch's CUDA wheels bring. Where there is no GPU, the same
source runs in the tests' emulator.
"""

from torchopt.native.cuda._driver import gpu as gpu
from torchopt.native.cuda._functor import Functor as Functor
from torchopt.native.cuda._launch import ABSENT as ABSENT
from torchopt.native.cuda._launch import LIST as LIST
from torchopt.native.cuda._launch import fused as fused
from torchopt.native.cuda._launcher import Kernels as Kernels
from torchopt.native.cuda._launcher import Launcher as Launcher
from torchopt.native.cuda._layout import offsets as offsets
from torchopt.native.cuda._nvrtc import compile_functors as compile_functors
from torchopt.native.cuda._status import unavailable as unavailable

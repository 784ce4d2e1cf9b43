"""Whether GPU kernels can run here, and why not."""

from __future__ import annotations

import torch

from torchopt.native.cuda import _nvrtc
from torchopt.native.cuda._driver import gpu


def unavailable() -> str | None:
    """Return why there are no GPU kernels on this machine, or None where there are.

    Example:
        >>> reason = unavailable()
        >>> reason is None or reason.endswith(".")
        True
    """
    if not torch.cuda.is_available():
        return "PyTorch sees no GPU."
    if torch.version.hip is not None:
        return "PyTorch runs on ROCm; the kernels are for CUDA."
    try:
        _nvrtc.library()
        gpu()
    except RuntimeError as error:
        return str(error)
    return None

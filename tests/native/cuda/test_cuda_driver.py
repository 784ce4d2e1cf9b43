"""The calls to CUDA's driver, against a stand-in for its library that runs the emulator."""

from __future__ import annotations

import ctypes
import subprocess
from pathlib import Path

import pytest
import torch
from _cuda_functors import AXPY, MIXED

from _emulation import Emulator
from torchopt.native.cuda import LIST, Functor, fused
from torchopt.native.cuda import _nvrtc as nvrtc
from torchopt.native.cuda._driver import Gpu

STREAM = 0x123456789A  # a pointer: more than 32 bits


class FakeGpu(Gpu):
    """The real launcher, but its tensors and stream."""

    device_type = "cpu"
    current = STREAM

    def stream(self, device: torch.device) -> int:
        return self.current


@pytest.fixture(scope="module")
def fake_library(tmp_path_factory: pytest.TempPathFactory, emulator_library: Path) -> Path:
    path = tmp_path_factory.mktemp("driver") / "libcuda.so"
    source = Path(__file__).with_name("fake_libcuda.cpp")
    subprocess.run(["g++", "-std=c++17", "-shared", "-fPIC", source, "-o", path], check=True)
    emulator, driver = ctypes.CDLL(str(emulator_library)), ctypes.CDLL(str(path))
    functions = (emulator.torchopt_emulated_function, emulator.torchopt_emulated_launch)
    driver.fake_connect(*(ctypes.cast(f, ctypes.c_void_p) for f in functions))
    return path


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Names that the stand-in understands, and a list of what was compiled for."""
    archs = []

    def compile_functors(texts: dict[str, str], dtype: torch.dtype, arch: int) -> nvrtc.Module:
        archs.append(arch)
        return nvrtc.Module(bytes(16), {name: f"{name}:{dtype}" for name in [*texts, "finish"]})

    monkeypatch.setattr(nvrtc, "compile_functors", compile_functors)
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda device: (9, 0))
    return archs


def test_kernels_are_loaded_once_and_launched_in_the_context(
    fake_library, compiled, emulator_library
):
    driver = ctypes.CDLL(str(fake_library))
    loaded, launched = driver.fake_loaded(), driver.fake_launched()
    launcher = FakeGpu(str(fake_library))
    for dtype in (torch.float32, torch.float64):
        x = [torch.linspace(-1, 1, n, dtype=dtype) for n in (3, 2000)]
        y = [t.cos() for t in x]
        for _ in range(3):
            results = fused(MIXED, [*x, *y], [LIST] * 5, 2, [0.7], launcher=launcher)
        same = Emulator(emulator_library)
        expected = fused(MIXED, [*x, *y], [LIST] * 5, 2, [0.7], launcher=same)
        assert all(torch.equal(a, b) for a, b in zip(results, expected, strict=True))
    assert compiled == [90, 90]
    assert driver.fake_loaded() - loaded == 2
    assert driver.fake_launched() - launched == 12  # with the sums'
    assert driver.fake_depth() == 0


def test_errors_are_exceptions_and_leave_the_context(fake_library, compiled):
    driver = ctypes.CDLL(str(fake_library))
    launcher = FakeGpu(str(fake_library))
    x = [torch.ones(3), torch.ones(3)]
    unknown = Functor("k_unknown", "", inputs=2, outputs=1, scalars=1, sums=0)
    with pytest.raises(RuntimeError, match=r"cuModuleGetFunction failed: named symbol not found\."):
        fused(unknown, x, [LIST] * 3, 1, [1.0], launcher=launcher)
    launcher.current = 666
    with pytest.raises(RuntimeError, match=r"cuLaunchKernel failed: error 999\."):
        fused(AXPY, x, [LIST] * 3, 1, [1.0], launcher=launcher)
    assert driver.fake_depth() == 0
    launcher.current = STREAM
    (result,) = fused(AXPY, x, [LIST] * 3, 1, [1.0], launcher=launcher)
    assert torch.equal(result, torch.full((3,), 2.0))

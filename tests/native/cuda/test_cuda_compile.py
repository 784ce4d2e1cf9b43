"""The kernels compile for real GPUs, by NVRTC or else nvcc; what is compiled is kept."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Collection
from pathlib import Path

import pytest
import torch
from _cuda_functors import AXPY, TEXTS

import _cases
from torchopt.native.cuda import _layout, compile_functors
from torchopt.native.cuda import _nvrtc as nvrtc
from torchopt.native.cuda._functor import C_TYPES, kernel_source, program

NVCC = shutil.which("nvcc")
needs_nvrtc = pytest.mark.skipif(
    not nvrtc.supported(), reason="needs NVRTC: a CUDA build of PyTorch, or nvidia-cuda-nvrtc"
)


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TORCHOPT_CACHE", str(tmp_path))
    return tmp_path


def nvcc_command(
    arch: int, tmp_path: Path, *flags: str, kinds: Collection[str] = C_TYPES.values()
) -> list[str]:
    instances = "".join(
        f"template __global__ void torchopt::fused<torchopt::{name}<{kind}, {kind}>, {kind}>"
        f"(const __grid_constant__ torchopt::Table<torchopt::{name}<{kind}, {kind}>>);\n"
        for name in TEXTS
        for kind in kinds
    )
    source = tmp_path / "kernels.cu"
    source.write_text(program(TEXTS.values()) + instances)
    assert NVCC is not None
    common = [NVCC, "-std=c++17", "-fmad=false", "-Werror", "all-warnings", f"-arch=sm_{arch}"]
    return [*common, *flags, str(source), "-o", str(tmp_path / "kernels.cubin")]


@pytest.mark.skipif(
    not nvrtc.supported() and NVCC is None, reason="needs NVRTC (nvidia-cuda-nvrtc) or nvcc"
)
@pytest.mark.parametrize(
    ("arch", "dtype"),
    _cases.first_of_each({f"{a}-{t}": (a, t) for a in (90, 80) for t in C_TYPES}, lambda case: 0),
)
@pytest.mark.processes
def test_all_kernels_compile(arch, dtype, tmp_path):
    if nvrtc.supported():
        module = compile_functors(TEXTS, dtype, arch)
        assert module.image.startswith(b"\x7fELF")
        assert module.names.keys() == {*TEXTS, "finish"}
        assert all(symbol.encode() in module.image for symbol in module.names.values())
    else:
        command = nvcc_command(arch, tmp_path, "-cubin", kinds=[C_TYPES[dtype]])
        subprocess.run(command, check=True)


@pytest.mark.slow
@pytest.mark.skipif(NVCC is None, reason="needs nvcc, whose assembler reports registers")
@pytest.mark.processes
def test_nothing_is_spilled_to_local_memory(tmp_path):
    command = nvcc_command(90, tmp_path, "-cubin", "-Xptxas", "-v")
    told = subprocess.run(command, check=True, capture_output=True, text=True)
    frames = re.findall(r"(\d+) bytes stack frame, (\d+) bytes spill stores", told.stderr)
    assert len(frames) >= 2 * len(TEXTS)
    assert set(frames) == {("0", "0")}


@needs_nvrtc
def test_products_and_sums_are_not_contracted():
    # PTX, since this GPU is newer than any compiler knows.
    module = compile_functors({AXPY.name: AXPY.text}, torch.float32, 999)
    text = module.image.decode()
    assert "mul.rn.f32" in text
    assert "add.rn.f32" in text
    assert "fma" not in text
    assert re.search(r"ld\.global\.v4\.[bf]32", text)


@needs_nvrtc
def test_compiled_kernels_are_kept_and_spoiled_files_are_replaced(own_cache, monkeypatch):
    texts = {AXPY.name: AXPY.text}
    first = compile_functors(texts, torch.float32, 90)
    (path,) = own_cache.rglob("*.bin")
    whole = path.read_bytes()
    path.write_bytes(whole[:-100])
    assert compile_functors(texts, torch.float32, 90) == first
    assert path.read_bytes() == whole
    assert [p for p in own_cache.rglob("*") if p.is_file()] == [path]

    def refuse(*args: object) -> None:
        raise AssertionError("compiled again")

    monkeypatch.setattr(nvrtc._Nvrtc, "compile", refuse)
    assert compile_functors(texts, torch.float32, 90) == first
    for change in ((texts, torch.float64, 90), (texts, torch.float32, 80)):
        with pytest.raises(AssertionError, match="compiled again"):
            compile_functors(*change)


@needs_nvrtc
def test_gpus_older_than_the_compiler_are_refused():
    with pytest.raises(RuntimeError, match="this GPU is sm_10"):
        compile_functors(TEXTS, torch.float32, 10)


def test_without_nvrtc_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setattr(nvrtc, "_candidates", lambda: iter([Path("missing.so")]))
    nvrtc.library.cache_clear()
    try:
        with pytest.raises(RuntimeError, match=r"missing\.so.*install nvidia-cuda-nvrtc"):
            nvrtc.library()
        assert not nvrtc.supported()
    finally:
        nvrtc.library.cache_clear()


def test_python_and_cuda_have_the_same_numbers():
    for name, value in (("threads", _layout.THREADS), ("parameter_bytes", _layout.PARAMETER_BYTES)):
        assert f"constexpr int {name} = {value};" in kernel_source()

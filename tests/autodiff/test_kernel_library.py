"""The kernels of a graph are one library, which computes what each computes."""

import threading

import pytest
import torch

from torchopt.autodiff.kernel_library import _Library, kernels_in_libraries

KERNEL = """
#include <torch/csrc/inductor/cpp_prefix.h>
extern "C"  void  kernel(const float* in_ptr0, float* out_ptr0)
{
    out_ptr0[0] = in_ptr0[0];
}
"""


@pytest.fixture
def libraries(monkeypatch):
    """The sources that are compiled, as scalar code and without what pays for many kernels.

    Else the first compilation of a machine tries vector instructions and precompiles headers: 15 s.
    """
    from torch._inductor import config, cpu_vec_isa
    from torch._inductor.codecache import CppPythonBindingsCodeCache

    monkeypatch.setattr(cpu_vec_isa, "valid_vec_isa_list", list)
    sources = []
    load = CppPythonBindingsCodeCache.load_async

    def record(source, *args, **kwargs):
        sources.append(source)
        return load(source, *args, **kwargs)

    monkeypatch.setattr(CppPythonBindingsCodeCache, "load_async", record)
    with config.patch(cpp_cache_precompile_headers=False):
        yield sources


@pytest.mark.compiled
def test_kernels_of_a_graph_are_one_library(libraries):
    from torch._inductor.compile_fx import compile_fx
    from torch.fx.experimental.proxy_tensor import make_fx

    def function(x, y, n):
        z = torch.sin(x) @ y  # between two kernels
        return torch.tanh(z) + n, torch.flip(z, [0]).exp()

    generator = torch.Generator().manual_seed(0)
    x, y = torch.randn(5, 7, generator=generator), torch.randn(7, 3, generator=generator)
    inputs = [x, y, torch.tensor(2)]
    with kernels_in_libraries(), torch.no_grad():
        compiled = compile_fx(make_fx(function, tracing_mode="fake")(*inputs), inputs)
    torch.testing.assert_close(tuple(compiled(*inputs)), function(*inputs))
    (source,) = libraries
    assert source.count("static PyObject* kernel_") >= 2


@pytest.mark.compiled
def test_the_files_of_a_library_are_built_at_the_same_time_and_linked_then(monkeypatch):
    from torch._inductor import codecache

    both, built = threading.Barrier(2, timeout=60), []

    def build(lock, builders):
        (name,) = builders
        if name != "library":
            both.wait()
        built.append((name, lock))

    monkeypatch.setattr(codecache, "_worker_compile_cpp", build)
    with kernels_in_libraries():
        codecache._worker_compile_cpp("lock", ("code", "kernels", "library"))
    assert built[2] == ("library", "lock")
    assert len(dict(built)) == len({lock for _, lock in built}) == 3


@pytest.mark.parametrize(
    "source", [KERNEL.replace("{", "{\n#if 1\n#endif", 1), KERNEL + KERNEL, "int x;"]
)
def test_a_kernel_with_macros_or_another_function_is_compiled_alone(source):
    assert _Library.takes(KERNEL)
    assert not _Library.takes(source)

"""The C++ kernels of compiled graphs in one library for each graph.

Inductor compiles each kernel by itself, and each time the compiler reads the same headers for longer
than it compiles the kernel. Here the kernels of a graph are one source file, which is compiled while
Python goes on to the next graph. The two files of a graph that is called from C++, its kernels and the
code that calls them, are compiled at the same time.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any
from unittest import mock


@contextmanager
def kernels_in_libraries() -> Iterator[None]:
    """Compile the kernels of each graph in this block as one library.

    Compiled graphs can be called when the block has ended.
    """
    from torch._inductor import codecache
    from torch._inductor.async_compile import AsyncCompile

    thread = threading.get_ident()
    alone, wait = AsyncCompile.cpp_pybinding, AsyncCompile.wait
    build = codecache._worker_compile_cpp
    opened: dict[AsyncCompile, _Library] = {}
    pending: list[tuple[_Library, Callable[[], Any], dict[str, Any]]] = []

    def add(self: AsyncCompile, argtypes: list[str], source: str) -> Any:
        if threading.get_ident() != thread or not _Library.takes(source):
            return alone(self, argtypes, source)
        return opened.setdefault(self, _Library()).add(argtypes, source)

    def start(self: AsyncCompile, scope: dict[str, Any]) -> None:
        if self in opened:
            library = opened.pop(self)
            pending.append((library, library.load(pool), scope))
        wait(self, scope)

    def build_together(lock: str, builders: Sequence[Any]) -> None:
        *files, last = builders  # the last one links
        for file in [pool.submit(build, f"{lock}.{n}", [x]) for n, x in enumerate(files)]:
            file.result()
        build(lock, [last])

    with (
        ThreadPoolExecutor() as pool,
        mock.patch.object(AsyncCompile, "cpp_pybinding", add),
        mock.patch.object(AsyncCompile, "wait", start),
        mock.patch.object(codecache, "_worker_compile_cpp", build_together),
    ):
        yield
        for library, load, scope in pending:
            module = load()
            for name, value in scope.items():
                if isinstance(value, _Kernel) and value.library is library:
                    scope[name] = getattr(module, value.name)


class _Kernel:
    """What the generated code names until its library is there."""

    def __init__(self, library: _Library, name: str) -> None:
        self.library = library
        self.name = name


class _Library:
    """Kernels that become one Python module."""

    def __init__(self) -> None:
        self._sources: list[tuple[list[str], str]] = []

    @staticmethod
    def takes(source: str) -> bool:
        """Whether a source can share a file: one function, and no macros of its own."""
        directives = (line for line in source.splitlines() if line.startswith("#"))
        return source.count('extern "C"') == 1 and all(
            line.startswith("#include") for line in directives
        )

    def add(self, argtypes: list[str], source: str) -> _Kernel:
        """Add a kernel, the function ``kernel`` of these types of arguments."""
        self._sources.append((argtypes, source))
        return _Kernel(self, f"kernel_{len(self._sources) - 1}")

    def load(self, pool: ThreadPoolExecutor) -> Callable[[], Any]:
        """Begin to compile, and return a function that returns the module."""
        from torch._inductor.codecache import CppPythonBindingsCodeCache

        load: Callable[[], Any] = CppPythonBindingsCodeCache.load_async(
            self._source(), submit_fn=pool.submit
        )
        return load

    def _source(self) -> str:
        includes: dict[str, None] = {}
        bodies, bindings, methods = [], [], []
        for index, (argtypes, source) in enumerate(self._sources):
            lines = source.replace('extern "C"', "static").splitlines()
            includes |= dict.fromkeys(line for line in lines if line.startswith("#"))
            body = "\n".join(line for line in lines if not line.startswith("#"))
            bodies.append(f"namespace library_{index} {{\n{body}\n}}")
            values = ", ".join(
                f"argument<{argtype.replace('const ', '')}>(args[{n}])"
                for n, argtype in enumerate(argtypes)
            )
            bindings.append(
                _BINDING.format(index=index, count=len(argtypes), call=f"kernel({values})")
            )
            name = f"kernel_{index}"
            methods.append(f'{{"{name}", (PyCFunction)(void*){name}, METH_FASTCALL, ""}},')
        module = _MODULE.replace("METHODS", "\n".join(methods))
        return "\n".join([*includes, *bodies, _ARGUMENTS, *bindings, module])


# As Inductor binds a single kernel: the address of what reads a tensor's pointer is an environment
# variable, so that no header of PyTorch is read.
_ARGUMENTS = """
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <cstdlib>

static void* (*tensor_data)(PyObject*);

template <typename T> static T argument(PyObject* value) {
    if constexpr (std::is_pointer_v<T>) {
        return static_cast<T>(tensor_data(value));
    } else if constexpr (std::is_floating_point_v<T>) {
        double number = PyFloat_AsDouble(value);
        if (number == -1.0 && PyErr_Occurred()) throw std::runtime_error("expected float arg");
        return static_cast<T>(number);
    } else if constexpr (std::is_unsigned_v<T>) {
        void* number = PyLong_AsVoidPtr(value);
        if (!number && PyErr_Occurred()) throw std::runtime_error("expected int arg");
        return static_cast<T>(reinterpret_cast<uintptr_t>(number));
    } else {
        Py_ssize_t number = PyLong_AsSsize_t(value);
        if (number == -1 && PyErr_Occurred()) throw std::runtime_error("expected int arg");
        return static_cast<T>(number);
    }
}
"""
_BINDING = """
static PyObject* kernel_{index}(PyObject*, PyObject* const* args, Py_ssize_t count) {{
    try {{
        if (count != {count}) throw std::runtime_error("requires {count} args");
        library_{index}::{call};
        Py_RETURN_NONE;
    }} catch (std::exception const& e) {{
        PyErr_SetString(PyExc_RuntimeError, e.what());
        return nullptr;
    }}
}}
"""
_MODULE = """
static PyMethodDef methods[] = {
METHODS
{NULL, NULL, 0, NULL}};
static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "kernel", NULL, -1, methods};

PyMODINIT_FUNC PyInit_kernel(void) {
    const char* address = std::getenv("_TORCHINDUCTOR_PYOBJECT_TENSOR_DATA_PTR");
    if (!address) {
        PyErr_SetString(PyExc_RuntimeError, "_TORCHINDUCTOR_PYOBJECT_TENSOR_DATA_PTR is not set");
        return nullptr;
    }
    tensor_data = reinterpret_cast<decltype(tensor_data)>(std::strtoull(address, nullptr, 10));
    return PyModule_Create(&definition);
}
"""

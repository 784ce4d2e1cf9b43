"""Which vector instructions compiled code uses: the best that work.

Inductor compiles and loads ten programs to see which sets of instructions work, and then takes the best
one. Here they are tried from the best one on, until one works, in a thread while Python traces.
"""

from __future__ import annotations

import contextlib
import contextvars
import functools
import itertools
import os
import threading
from collections.abc import Iterator
from typing import Any
from unittest import mock


@functools.cache
def prepare() -> threading.Thread:
    """Begin to try them; return the thread that does."""
    from torch._inductor import codecache, cpp_builder  # noqa: F401 - not in the thread

    def look() -> None:
        with contextlib.suppress(Exception):  # raised again where Inductor asks
            _best()

    thread = threading.Thread(target=contextvars.copy_context().run, args=(look,), daemon=True)
    thread.start()
    return thread


@contextlib.contextmanager
def best_only() -> Iterator[str]:
    """Let Inductor know the best ones only, in a block; yield the name of those that it uses."""
    from torch._inductor import config, cpu_vec_isa

    settings: Any = config
    if settings.cpp.simdlen is not None or "ATEN_CPU_CAPABILITY" in os.environ:
        yield str(cpu_vec_isa.pick_vec_isa())  # others are asked for
        return
    prepare().join()
    with mock.patch.object(cpu_vec_isa, "valid_vec_isa_list", _best):
        yield str(cpu_vec_isa.pick_vec_isa())


@functools.cache
def _best() -> list[Any]:
    from torch._inductor import cpu_vec_isa

    has = cpu_vec_isa.x86_isa_checker()
    if not has:  # of other processors, Inductor tries one
        return cpu_vec_isa.valid_vec_isa_list.__wrapped__()
    known = cpu_vec_isa.supported_vec_isa_list  # the best first
    works = (isa for isa in known if all(flag in has for flag in str(isa).split()) and isa)
    return list(itertools.islice(works, 1))

"""What a compilation needs is found out while a function is traced."""

import threading

import pytest

from torchopt.autodiff import compiler


@pytest.fixture
def anew():
    """Nothing is known of the processor, before the test and after it."""
    compiler._vector_instructions.cache_clear()
    yield
    compiler._vector_instructions.cache_clear()


@pytest.mark.compiled
@pytest.mark.parametrize("fails", [False, True])
def test_vector_instructions_are_tried_in_a_thread_once(anew, monkeypatch, fails):
    from torch._inductor import cpu_vec_isa

    go_on, tried = threading.Event(), []

    def look():
        assert go_on.wait(60)
        tried.append(threading.get_ident())
        if fails:
            raise RuntimeError("there is no compiler")

    monkeypatch.setattr(cpu_vec_isa, "valid_vec_isa_list", look)
    compiler.prepare()  # waits for nothing
    compiler.prepare()
    go_on.set()
    compiler._vector_instructions().join()
    (thread,) = tried
    assert thread != threading.get_ident()


def test_nothing_is_tried_where_nothing_is_compiled(anew, monkeypatch):
    monkeypatch.setattr(compiler, "current", compiler.TRACED)
    compiler.prepare()
    assert compiler._vector_instructions.cache_info().currsize == 0

"""Of the sets of vector instructions that a processor has, compiled code uses the best that work."""

import threading

import pytest

from torchopt.autodiff import compiler, vector_instructions


@pytest.fixture(autouse=True)
def anew():
    """Nothing is known of the processor, before the test and after it."""

    def forget():
        vector_instructions.prepare.cache_clear()
        vector_instructions._best.cache_clear()

    forget()
    yield
    forget()


class Instructions:
    """Stands for a set of instructions; its truth is whether a program with them works."""

    def __init__(self, name, tried, *, works=True):
        self.name, self.works, self.tried = name, works, tried

    def __str__(self):
        return self.name

    def __bool__(self):
        self.tried.append(self.name)
        return self.works


@pytest.fixture
def tried(monkeypatch):
    """Inductor knows four sets of instructions, of which one does not work; returns what is tried."""
    from torch._inductor import cpu_vec_isa

    tried = []
    known = [
        Instructions("wide tiles", tried),
        Instructions("wide new", tried, works=False),
        Instructions("wide", tried),
        Instructions("narrow", tried),
    ]
    monkeypatch.setattr(cpu_vec_isa, "supported_vec_isa_list", known)
    monkeypatch.delenv("ATEN_CPU_CAPABILITY", raising=False)
    return tried


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("has", "asked"),
    [(["wide", "narrow"], ["wide"]), (["new", "wide", "narrow"], ["wide new", "wide"])],
)
def test_the_best_that_work_are_used_and_no_others_are_tried(tried, monkeypatch, has, asked):
    from torch._inductor import cpu_vec_isa

    monkeypatch.setattr(cpu_vec_isa, "x86_isa_checker", lambda: has)
    everywhere = cpu_vec_isa.valid_vec_isa_list
    with vector_instructions.best_only() as best:
        assert best == str(cpu_vec_isa.pick_vec_isa()) == "wide"
    assert tried == asked
    assert cpu_vec_isa.valid_vec_isa_list is everywhere


@pytest.mark.compiled
def test_what_is_asked_for_is_used(tried, monkeypatch):
    from torch._inductor import cpu_vec_isa

    everywhere = [Instructions("avx512", tried), Instructions("avx2", tried)]
    monkeypatch.setattr(cpu_vec_isa, "valid_vec_isa_list", everywhere.copy)
    monkeypatch.setenv("ATEN_CPU_CAPABILITY", "avx2")
    with vector_instructions.best_only() as best:
        assert best == "avx2"
        assert cpu_vec_isa.valid_vec_isa_list() == everywhere
    assert not tried


@pytest.mark.compiled
@pytest.mark.slow
def test_inductor_itself_uses_the_same():
    from torch._inductor import cpu_vec_isa

    with vector_instructions.best_only():
        best = cpu_vec_isa.pick_vec_isa()
    assert str(cpu_vec_isa.pick_vec_isa()) == str(best)


@pytest.mark.compiled
@pytest.mark.parametrize("fails", [False, True])
def test_they_are_tried_in_a_thread_once(monkeypatch, fails):
    from torch._inductor import cpu_vec_isa

    go_on, tried = threading.Event(), []

    def look():
        assert go_on.wait(60)
        tried.append(threading.get_ident())
        if fails:
            raise RuntimeError("there is no compiler")
        return ["none that Inductor knows"]

    monkeypatch.setattr(cpu_vec_isa, "x86_isa_checker", look)
    compiler.prepare()  # waits for nothing
    compiler.prepare()
    go_on.set()
    vector_instructions.prepare().join()
    assert tried[0] != threading.get_ident()
    assert len(tried) == 1


def test_nothing_is_tried_where_nothing_is_compiled(monkeypatch):
    monkeypatch.setattr(compiler, "current", compiler.TRACED)
    compiler.prepare()
    assert vector_instructions.prepare.cache_info().currsize == 0

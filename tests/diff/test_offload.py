"""Tensors that are put away come back bit for bit, and nothing stays behind."""

from __future__ import annotations

import gc
import os
import signal
import sys
import weakref
from pathlib import Path
from typing import Any

import pytest
import torch
from torch.func import grad, vmap

import _public
import torchopt
from torchopt.diff import Explicit
from torchopt.diff._offload import OnDisk, Store, on_host

LARGE = 5000
TENSORS = {
    "float32": torch.linspace(-1, 1, LARGE * 2),
    "transposed": torch.randn(100, 200).t(),
    "expanded": torch.randn(10, 1, 2000).expand(10, 3, 2000),
    "a slice of bfloat16": torch.randn(200, 100, 2).bfloat16()[..., 0],
    "complex": torch.randn(LARGE, dtype=torch.complex64),
    "with gaps": torch.empty_strided((100, 100), (1, 128)).normal_(),
    "a conjugate": torch.randn(LARGE, dtype=torch.complex64).conj(),
    "an imaginary part": torch.randn(LARGE, dtype=torch.complex64).conj().imag,
    "integers": torch.arange(LARGE),
    "nothing": torch.empty(0),
    "a scalar": torch.tensor(3.0),
}


@pytest.mark.parametrize("store", [OnDisk(), on_host])
@pytest.mark.parametrize("name", TENSORS)
def test_a_tensor_comes_back_bit_for_bit(name: str, store: Store) -> None:
    tensor = TENSORS[name].clone() if name == "float32" else TENSORS[name]
    (kept,) = store([tensor])
    found = kept.get()
    assert found.dtype == tensor.dtype
    assert torch.equal(found, tensor)
    assert not found.requires_grad


def test_a_tensor_that_is_saved_twice_is_written_once_unless_it_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    store = OnDisk()
    tensor = torch.zeros(LARGE)
    (first,), (again,) = store([tensor]), store([tensor.view(-1)])
    assert first is again
    tensor.add_(1)
    assert torch.equal(store([tensor])[0].get(), tensor)
    assert torch.equal(first.get(), torch.zeros(LARGE))


def test_a_tensor_and_its_conjugate_are_two_though_they_share_memory() -> None:
    store, z = OnDisk(), torch.randn(LARGE, dtype=torch.complex64)
    views = [z, z.conj(), z.imag, z.conj().imag]
    assert all(map(torch.equal, [kept.get() for kept in store(views)], views))


def test_a_small_view_does_not_keep_a_large_storage() -> None:
    large = torch.randn(LARGE, LARGE // 100)
    expected = large[0, :3].clone()
    gone = weakref.ref(large.untyped_storage())
    store = OnDisk()
    (handle,) = store([large[0, :3]])
    del large
    gc.collect()
    assert gone() is None
    assert torch.equal(handle.get(), expected)


def mapped(folder: Path) -> int:
    """Count the files of a folder that are parts of this process's memory."""
    return Path("/proc/self/maps").read_text().count(str(folder))


@pytest.mark.skipif(sys.platform != "linux", reason="reads what is mapped")
def test_what_is_stored_at_once_lies_in_one_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    store, known = OnDisk(), torch.randn(LARGE)
    (kept,) = store([known])
    leaves = ["no tensor", known, *TENSORS.values(), torch.arange(3), torch.ones(LARGE)]
    handles = store(leaves)
    assert handles[:2] == ["no tensor", kept]
    assert mapped(tmp_path) == 2
    for _ in range(2):  # what one reads, and then drops from memory, is still there for the next
        assert all(map(torch.equal, [h.get() for h in handles[1:]], leaves[1:]))


@pytest.mark.skipif(sys.platform != "linux", reason="reads what is mapped")
@pytest.mark.parametrize("memory", ["graph", "step"])
def test_files_vanish_with_the_graph(
    memory: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    start = torch.randn(LARGE, requires_grad=True)

    def run() -> torch.Tensor:
        solution = torchopt.minimize(
            lambda p: p.pow(4).sum(),
            start,
            solver=torchopt.adam(0.01),
            steps=3,
            diff=Explicit(memory, offload="disk"),
        )
        return solution.params.sum()

    value = run()
    assert list(tmp_path.iterdir()) == []  # they have no names
    assert mapped(tmp_path) >= 2
    (found,) = torch.autograd.grad(value, start)
    del value
    gc.collect()
    assert mapped(tmp_path) == 0
    expected = torch.autograd.grad(
        torchopt.minimize(
            lambda p: p.pow(4).sum(), start, solver=torchopt.adam(0.01), steps=3
        ).params.sum(),
        start,
    )[0]
    torch.testing.assert_close(found, expected)


def put_away(memory: Any) -> torch.Tensor:
    start = torch.linspace(-1, 1, LARGE, requires_grad=True)
    return torchopt.minimize(
        lambda p: p.pow(4).sum(),
        start,
        solver=torchopt.adam(0.01),
        steps=4,
        diff=_public.keeping(memory, offload="disk"),
    ).params


@pytest.mark.skipif(os.name == "nt", reason="limits the size of files")
@pytest.mark.parametrize(  # Adam's carry: parameters, two moments, and a count
    ("memory", "size"), [("graph", 20000), ("step", 60008), ("tree", 60008), (2, 60008)]
)
@pytest.mark.processes
def test_a_disk_that_is_full_is_an_error_and_nothing_stays(
    memory: Any, size: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import resource

    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4 * LARGE - 1, before[1]))
    try:
        with pytest.raises(OSError, match=rf"File too large, at {size} bytes.*set TMPDIR"):
            put_away(memory)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    gc.collect()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks a process")
@pytest.mark.processes
def test_no_file_stays_of_a_process_that_is_killed_and_a_fork_removes_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    store = OnDisk()
    (handle,) = store([torch.ones(LARGE)])
    child = os.fork()
    if not child:
        kept = store([torch.zeros(LARGE)])  # noqa: F841
        del store, handle
        os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)
    assert list(tmp_path.iterdir()) == []
    assert handle.get().sum() == LARGE


def test_what_is_kept_and_then_changed_is_refused_and_a_file_is_not_changed() -> None:
    store = OnDisk()
    (kept,), (in_file,) = store([torch.ones(3)]), store([torch.ones(LARGE)])
    kept.get().add_(1)
    in_file.get().add_(1)
    with pytest.raises(RuntimeError, match="changed in place"):
        kept.get()
    assert in_file.get().sum() == LARGE


def test_a_graph_on_disk_is_refused_inside_torch_func() -> None:
    def outer(p: torch.Tensor) -> torch.Tensor:
        return torchopt.minimize(
            lambda q: q.pow(2).sum(),
            p,
            solver=torchopt.sgd(0.1),
            steps=2,
            diff=Explicit(offload="disk"),
        ).params.sum()

    with pytest.raises(RuntimeError, match="leave `offload` out"):
        torch.func.grad(outer)(torch.ones(3))


@pytest.mark.parametrize("size", [3, LARGE])
@pytest.mark.parametrize("offload", ["cpu", "disk"])
def test_checkpoints_of_a_batch_are_put_away(size: int, offload: str) -> None:
    def meta(target: torch.Tensor) -> torch.Tensor:
        """Four steps of x <- 0.8 x + 0.2 target, from zero."""
        return torchopt.minimize(
            lambda x, target: ((x - target) ** 2).sum(),
            torch.zeros(size, dtype=torch.float64),
            (target,),
            solver=torchopt.sgd(0.1),
            steps=4,
            diff=Explicit("step", offload=offload),
        ).params.sum()

    targets = torch.linspace(-1, 2, 3 * size, dtype=torch.float64).view(3, size)
    expected = torch.full_like(targets, 1 - 0.8**4)
    torch.testing.assert_close(vmap(grad(meta))(targets), expected)
    torch.testing.assert_close(
        grad(lambda t: vmap(meta, in_dims=1)(t).sum())(targets.T), expected.T
    )


def test_a_checkpoint_in_a_file_holds_no_tensor_for_each_leaf() -> None:
    weight = torch.ones((), dtype=torch.float64, requires_grad=True)
    start = [torch.full((300,), 0.1, dtype=torch.float64) for _ in range(20)]

    def alive(steps: int) -> int:
        solution = torchopt.minimize(
            lambda params: weight * torch.stack([(x**2).sum() for x in params]).sum(),
            start,
            solver=torchopt.adam(0.1),
            steps=steps,
            diff=Explicit("step", offload="disk"),
        )
        gc.collect()
        found = sum(issubclass(type(x), torch.Tensor) for x in gc.get_objects())
        torch.autograd.grad(solution.params[0].sum(), weight)
        return found

    alive(2)
    assert alive(12) - alive(2) <= 10 * 10  # a file, states of generators, projections

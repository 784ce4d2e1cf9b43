"""A program on several processes is the program on all data: real processes, with gloo."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import parallel_programs as programs
import pytest
import torch

from distributed._programs import launch
from distributed._ranks import Ranks

pytestmark = pytest.mark.processes


@pytest.fixture(scope="module")
def two() -> Iterator[Ranks]:
    pool = Ranks(2, timeout=30)
    yield pool
    pool.close()


def run(pool: Ranks, name: str, *args: Any, **options: Any) -> list[Any]:
    return pool.run(call, name, args, options)


def call(_: Any, name: str, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
    return getattr(programs, name)(*args, **options)


def check(found: list[dict[str, Any]], wanted: dict[str, Any], *, sharded: bool = False) -> None:
    rtol, atol = (1e-8, 1e-10) if sharded else (1e-10, 1e-12)
    for each in found:
        for key in ("loss", "grads", "values"):
            torch.testing.assert_close(each[key], wanted[key], rtol=rtol, atol=atol)
            torch.testing.assert_close(each[key], found[0][key], rtol=0, atol=0)


UNEVEN = {"inner": (7, 3), "outer": (1, 4)}  # samples of each process
CLIPPED = {"gradient_clipping": 0.05, "gradient_accumulation": 2}
MODES = ("darts", "sama", "neumann", "cg", "implicit", "unroll", "zero_order", "f2sa")
# A program, its mode and its options.
SAME: list[tuple[str, str, dict[str, Any]]] = [
    *(("bilevel", mode, {}) for mode in ("implicit_forward", "unroll_recomputed")),
    *(("bilevel", mode, UNEVEN) for mode in MODES),
    ("bilevel", "unroll", {"inner": (7, 3), "outer": (4, 6), **CLIPPED}),
    ("bilevel", "darts", {"sharded": "inner and outer"}),
    ("bilevel", "sama", {"sharded": "inner", "inner": (7, 3), "outer": (2, 5)}),
    ("bilevel", "darts", {"sharded": "inner", **CLIPPED}),
    ("bilevel", "f2sa", {"sharded": "inner and outer"}),
    *(("trilevel", mode, {}) for mode in ("unroll", "reverse")),
    *(("branching", mode, {}) for mode in ("darts", "unroll")),
    ("summed", "cg", {"sizes": (7, 3)}),
]


@pytest.mark.parametrize(("program", "mode", "options"), SAME)
def test_two_processes_are_one_on_all_data(
    two: Ranks, program: str, mode: str, options: dict[str, Any]
) -> None:
    sharded = "sharded" in options
    found = run(two, program, mode, "fsdp" if sharded else "distributed", **options)
    check(found, getattr(programs, program)(mode, "default", **options), sharded=sharded)


# A program, its arguments, and what each process is told.
TOLD: list[tuple[str, tuple[str, ...], str]] = [
    *(
        ("unlike", (what,), text)
        for what, text in {
            "empty": "the batch of problem 'inner' has no examples in process 0",
            "graph": "define `num_examples(self, batch)`",
            "object": "define `num_examples(self, batch)`",
            "train_iters": "`train_iters` of `EngineConfig` is 4 in process 0, and 5 in process 1",
            "unroll_steps": "`unroll_steps` of the config of problem 'inner' is 1 in process 0, and 2",
            "shapes": "the list of shapes and dtypes of problem 'inner' is ",
            "number of steps": "process 1 is at step 1 of problem 'inner', and process 0 at step 0",
        }.items()
    ),
    *(
        ("refused", (mode, "fsdp"), "sharded by `fully_shard` cannot be differentiated again")
        for mode in ("reverse", "cg", "unroll", "zero_order")
    ),
    *(("refused", ("darts", x), 'set strategy="fsdp"') for x in ("default", "distributed")),
    ("refused", ("sama", "fsdp", "clipped"), "leave `gradient_clipping` out"),
    ("diverged", (), "the loss of problem 'inner' is NaN"),
]


@pytest.mark.parametrize(("program", "args", "text"), TOLD)
def test_what_is_wrong_is_told_to_all_processes_alike(
    two: Ranks, program: str, args: tuple[str, ...], text: str
) -> None:
    first, second = run(two, program, *args)
    assert first == second
    assert text in first


SAID = {
    "lengths": "the loaders of problem 'inner' have 2, 3 batches in the processes, in order",
    "no tensors": "problem 'inner' has batches without tensors, and its loss differs",
    "buffers": "the buffer `running_mean` in the module of problem 'inner' depends on each process's",
    "inside": "the shapes of the processes' batches of problem 'inner' differ not only in their first",
}


@pytest.mark.parametrize("what", [*SAID, "nothing"])
def test_what_makes_it_another_run_than_that_of_one_process_is_said(two: Ranks, what: str) -> None:
    for texts in run(two, "said", what):
        assert len(texts) == (what in SAID)
        assert all(text.startswith(SAID[what]) for text in texts)


def test_synchronized_batch_normalization_is_that_of_one_process(two: Ranks) -> None:
    found = run(two, "normalized", "cg", "distributed", (7, 3), True)
    check(found, programs.normalized("cg", "default", (7, 3), False))
    assert [each["said"] for each in found] == [[], []]


def test_batch_normalization_by_parts_is_another_problem_and_said(two: Ranks) -> None:
    wanted = programs.normalized("cg", "default", (7, 3), False)["grads"]
    for found in run(two, "normalized", "cg", "distributed", (7, 3), False):
        text, again = found["said"]
        assert text == again
        assert text.startswith(
            "`1` in the module of problem 'inner' normalizes by the statistics of"
        )
        assert "spmd.sync_batch_norm" in text
        assert max((a - b).abs().max() for a, b in zip(found["grads"], wanted, strict=True)) > 1e-4


@pytest.mark.slow
def test_the_variables_of_torchrun_make_the_group(tmp_path: Path) -> None:
    ended = launch([programs.__file__, "darts", str(tmp_path)], 2)
    assert ended.codes == [0, 0], ended.errors
    found = [torch.load(tmp_path / f"darts{rank}") for rank in range(2)]
    check(found, programs.bilevel("darts", "default"))


@pytest.mark.parametrize("mode", ["unroll", "zero_order_drawn"])
def test_replicas_are_the_same_after_many_steps_with_dropout(two: Ranks, mode: str) -> None:
    first, second = run(two, "long_run", mode, 6)
    assert all(torch.isfinite(t).all() for t in first)
    for a, b in zip(first, second, strict=True):
        assert torch.equal(a, b)


def test_resumed_is_uninterrupted_bit_for_bit(two: Ranks, tmp_path: Path) -> None:
    assert run(two, "resumed", "unroll", str(tmp_path)) == [(True, True)] * 2


def test_a_file_that_a_process_has_not_is_an_error_in_all(two: Ranks, tmp_path: Path) -> None:
    first, second = run(two, "resumed_apart", str(tmp_path), True)
    assert first.startswith("RuntimeError: process 1 has failed: FileNotFoundError")
    assert second.startswith("FileNotFoundError")


def test_processes_that_resume_from_other_files_are_told_so(two: Ranks, tmp_path: Path) -> None:
    first, second = run(two, "resumed_apart", str(tmp_path), False)
    assert first == second
    assert "the digest of the file that is resumed is" in first


def test_the_first_process_validates_logs_and_stops_all(two: Ranks, tmp_path: Path) -> None:
    first, second = run(two, "roles", str(tmp_path))
    assert (first["validated"], second["validated"]) == (5, 0)
    assert first["step"] == second["step"] == 10
    assert (first["sink"], second["sink"]) != ("JSONLines", "JSONLines")
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize("mode", ["darts", "sama", "f2sa"])
def test_probes_leave_a_sharded_module_bit_for_bit_as_it_is(two: Ranks, mode: str) -> None:
    assert run(two, "in_place", mode) == [True, True]


@pytest.mark.parametrize("mode", ["sama", pytest.param("f2sa", marks=pytest.mark.slow)])
def test_a_sharded_run_is_resumed_bit_for_bit(two: Ranks, tmp_path: Path, mode: str) -> None:
    assert run(two, "sharded_and_resumed", mode, str(tmp_path)) == [True, True]


def test_a_program_of_betty_finds_its_module_in_the_wrapper(two: Ranks) -> None:
    expected = programs.as_wrapped("default")
    for found in run(two, "as_wrapped", "distributed"):
        torch.testing.assert_close(found, expected, rtol=1e-9, atol=1e-12)


def test_same_data_in_all_processes_is_said(two: Ranks) -> None:
    for (text,) in run(two, "same_data"):
        assert "DistributedSampler" in text


def test_what_is_not_started_by_torchrun_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RANK", raising=False)
    with pytest.raises(RuntimeError, match="RANK is not set: start the program with `torchrun`"):
        programs.reweighting("darts", "distributed")

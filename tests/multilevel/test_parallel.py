"""A program on several processes is the program on all data: real processes, with gloo."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import parallel_programs as programs
import pytest
import torch

from distributed._ranks import Ranks

pytestmark = pytest.mark.processes


def slow(*cases: Any) -> list[Any]:
    """Return cases as parameters that are slow, since a faster case or test shows the same."""
    return [
        pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=pytest.mark.slow)
        for case in cases
    ]


@pytest.fixture(scope="module")
def two() -> Iterator[Ranks]:
    pool = Ranks(2, timeout=30)
    yield pool
    pool.close()


@pytest.fixture(scope="module")
def four() -> Iterator[Ranks]:
    pool = Ranks(4, timeout=30)
    yield pool
    pool.close()


def run(pool: Ranks, name: str, *args: Any) -> list[Any]:
    return pool.run(call, name, args)


def call(_: Any, name: str, args: tuple[Any, ...]) -> Any:
    return getattr(programs, name)(*args)


def call_with(_: Any, name: str, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
    return getattr(programs, name)(*args, **options)


def check(found: list[dict[str, Any]], wanted: dict[str, Any]) -> None:
    for each in found:
        for key in ("loss", "grads", "values"):
            torch.testing.assert_close(each[key], wanted[key], rtol=1e-10, atol=1e-12)
            torch.testing.assert_close(each[key], found[0][key], rtol=0, atol=0)


# The other modes have unequal parts, of which equal ones are a case, or are those of a nested program.
@pytest.mark.parametrize(
    "mode", ["implicit_forward", "unroll_recomputed", *slow("reverse", "darts", "unroll")]
)
def test_two_processes_are_one_on_the_concatenated_batch(two: Ranks, mode: str) -> None:
    check(run(two, "bilevel", mode, "distributed"), programs.bilevel(mode, "default"))


@pytest.mark.parametrize("mode", ["unroll", "reverse", *slow("neumann", "implicit", "darts")])
def test_two_processes_are_one_in_a_nested_program(two: Ranks, mode: str) -> None:
    check(run(two, "trilevel", mode, "distributed"), programs.trilevel(mode, "default"))


@pytest.mark.slow  # four unequal parts, below, are not
@pytest.mark.parametrize("mode", ["darts", "cg", "unroll"])
def test_four_processes_are_one_on_the_concatenated_batch(four: Ranks, mode: str) -> None:
    check(run(four, "bilevel", mode, "distributed"), programs.bilevel(mode, "default"))


@pytest.mark.parametrize(
    "mode", ["darts", "sama", "neumann", "cg", "implicit", "unroll", "zero_order"]
)
def test_unequal_parts_are_one_process_on_the_concatenated_batch(two: Ranks, mode: str) -> None:
    sizes = (7, 3), (1, 4)  # of the inner and of the outer problem
    found = two.run(call, "uneven", (mode, "distributed", *sizes))
    check(found, programs.uneven(mode, "default", *sizes))


@pytest.mark.parametrize(
    ("ranks", "mode"), [("two", "unroll"), *slow(("four", "unroll"), ("four", "cg"))]
)
def test_unequal_parts_accumulated_and_clipped(
    ranks: str, mode: str, request: pytest.FixtureRequest
) -> None:
    settings = {"gradient_clipping": 0.05, "gradient_accumulation": 2}
    sizes = {"two": ((7, 3), (4, 6)), "four": ((4, 3, 1, 2), (1, 6, 2, 1))}[ranks]
    found = request.getfixturevalue(ranks).run(
        call_with, "uneven", (mode, "distributed", *sizes), settings
    )
    check(found, programs.uneven(mode, "default", *sizes, **settings))


def test_unequal_parts_of_a_sharded_level(two: Ranks) -> None:
    wanted = programs.uneven("sama", "default", (7, 3), (2, 5), sharded="inner")
    for found in two.run(
        call_with, "uneven", ("sama", "fsdp", (7, 3), (2, 5)), {"sharded": "inner"}
    ):
        for key in ("loss", "grads", "values"):
            torch.testing.assert_close(found[key], wanted[key], rtol=1e-8, atol=1e-10)


def test_losses_and_a_hypergradient_of_unequal_parts_in_closed_form(two: Ranks) -> None:
    mean = {"a": (0.5 + 4 + 1 + 2.5) / 4, "b": (3 + 0.2 + 0.1 + 0.7) / 4}
    inner, outer = mean["a"] * 0.5**2 / 2 - 0.5, (0.5 - 3) ** 2 * mean["b"]
    gradient = 2 * (0.5 - 3) * mean["b"] / mean["a"]
    for sizes in ([3, 1], [1, 3]):
        for found in run(two, "uneven_toy", sizes):
            assert found == pytest.approx((inner, outer, gradient), rel=1e-12)


@pytest.mark.parametrize("mode", ["cg", *slow("darts")])
def test_losses_that_are_sums_are_added(two: Ranks, mode: str) -> None:
    found = run(two, "summed", mode, "distributed", (7, 3))
    check(found, programs.summed(mode, "default", (7, 3)))


def test_losses_are_weighted_by_what_a_problem_counts(two: Ranks) -> None:
    check(run(two, "tokens", "distributed"), programs.tokens("default"))


SENTENCES = {
    "empty": "the batch of problem 'inner' has no examples in process 0",
    "graph": "define `num_examples(self, batch)`",
    "object": "define `num_examples(self, batch)`",
    "train_iters": "`train_iters` of `EngineConfig` is 4 in process 0, and 5 in process 1",
    "unroll_steps": "`unroll_steps` of the config of problem 'inner' is 1 in process 0, and 2 in",
    "shapes": "the list of shapes and dtypes of problem 'inner' is ",
    "number of steps": "process 1 is at step 1 of problem 'inner', and process 0 at step 0",
}


@pytest.mark.parametrize("what", SENTENCES)
def test_processes_that_differ_are_told_so_alike(two: Ranks, what: str) -> None:
    first, second = run(two, "unlike", what)
    assert first == second
    assert SENTENCES[what] in first


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


@pytest.mark.parametrize("mode", ["cg", *slow("darts", "unroll")])
def test_synchronized_batch_normalization_is_that_of_one_process(two: Ranks, mode: str) -> None:
    found = run(two, "normalized", mode, "distributed", (7, 3), True)
    check(found, programs.normalized(mode, "default", (7, 3), False))
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


@pytest.mark.parametrize("mode", ["darts", "cg", "unroll", *slow("sama")])
def test_a_loss_may_read_less_in_one_process_than_in_another(two: Ranks, mode: str) -> None:
    check(run(two, "branching", mode, "distributed"), programs.branching(mode, "default"))


def test_a_gradient_that_is_missing_in_one_process_counts_as_zero(two: Ranks) -> None:
    for both, one, none in run(two, "mean_of_some"):
        assert both.tolist() == one.tolist() == [0.5, 0.5]
        assert none is None


@pytest.mark.slow
def test_torchrun_makes_the_group(tmp_path: Path) -> None:
    command = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join(sys.path),
        "GLOO_SOCKET_IFNAME": "lo",
        "OMP_NUM_THREADS": "1",
    }
    subprocess.run(
        [sys.executable, *command, programs.__file__, "darts", str(tmp_path)],
        env=environment,
        check=True,
        timeout=120,
    )
    found = [torch.load(tmp_path / f"darts{rank}") for rank in range(2)]
    check(found, programs.bilevel("darts", "default"))


def test_the_mean_of_hypergradients_of_processes_is_another_number(two: Ranks) -> None:
    truth, whole = programs.toy("default")
    assert truth == pytest.approx(2 * (1 / 5.05 - 3) / 5.05, rel=1e-10)
    assert whole == pytest.approx(truth)
    for right, mean_of_each in run(two, "toy", "distributed"):
        assert right == pytest.approx(truth, rel=1e-10)
        assert abs(mean_of_each - truth) > abs(truth)


def test_one_reduction_has_the_direct_gradient_and_the_vector_that_is_pulled(two: Ranks) -> None:
    inner, outer = 21, 10  # parameters; with each, one mark of its presence, and the loss
    direct = inner + outer + 4 + 4 + 2
    for sent in run(two, "messages", "darts"):
        assert sent["inner"] == [inner + 4 + 2]
        # Then a step of the lower problem, twice, two probes, and two that check them; each loss
        # travels too, since every process is to know that it is a number.
        probe = [inner, outer]
        assert [n for n in sent["outer"] if n > 1] == [direct, inner, inner, *probe * 4]


@pytest.mark.parametrize("mode", ["darts", "unroll", "zero_order_drawn", *slow("sama")])
def test_replicas_are_the_same_after_many_steps_with_dropout(two: Ranks, mode: str) -> None:
    first, second = run(two, "long_run", mode, 6)
    assert all(torch.isfinite(t).all() for t in first)
    for a, b in zip(first, second, strict=True):
        assert torch.equal(a, b)


@pytest.mark.parametrize("mode", ["unroll", *slow("sama", "zero_order_drawn")])
def test_resumed_is_uninterrupted_bit_for_bit(two: Ranks, mode: str, tmp_path: Path) -> None:
    assert run(two, "resumed", mode, str(tmp_path)) == [(True, True)] * 2


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


@pytest.mark.parametrize(
    ("mode", "which"),
    [
        ("darts", "inner and outer"),
        *slow(("darts", "inner"), ("sama", "inner"), ("sama", "outer")),
    ],
)
def test_a_sharded_level_is_the_whole_one(two: Ranks, mode: str, which: str) -> None:
    wanted = programs.sharded(mode, "", "default")
    for found in run(two, "sharded", mode, which):
        for key in ("loss", "grads", "values"):
            torch.testing.assert_close(found[key], wanted[key], rtol=1e-8, atol=1e-10)


@pytest.mark.slow  # two shards of a layer with one output have an empty one, too
def test_a_level_in_four_shards_is_the_whole_one(four: Ranks) -> None:
    """Some of which are empty."""
    wanted = programs.sharded("sama", "", "default")
    for found in run(four, "sharded", "sama", "inner"):
        for key in ("loss", "grads", "values"):
            torch.testing.assert_close(found[key], wanted[key], rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("mode", ["darts", "sama"])
def test_probes_leave_a_sharded_module_bit_for_bit_as_it_is(two: Ranks, mode: str) -> None:
    assert run(two, "in_place", mode) == [True, True]


def test_a_sharded_run_is_resumed_bit_for_bit(two: Ranks, tmp_path: Path) -> None:
    assert run(two, "sharded_and_resumed", "sama", str(tmp_path)) == [True, True]


@pytest.mark.parametrize("mode", ["reverse", "cg", "unroll", "zero_order"])
def test_modes_of_second_order_are_refused_where_a_module_is_sharded(two: Ranks, mode: str) -> None:
    for message in run(two, "refused", mode, "fsdp"):
        assert "sharded by `fully_shard` cannot be differentiated again: choose" in message


def test_a_sharded_module_is_refused_by_other_strategies(two: Ranks) -> None:
    for strategy in ("default", "distributed"):
        for message in run(two, "refused", "darts", strategy):
            assert 'set strategy="fsdp"' in message


def test_a_loss_that_is_not_a_number_in_one_process_is_an_error_in_all(two: Ranks) -> None:
    for message in run(two, "diverged"):
        assert "the loss of problem 'inner' is NaN" in message


def test_a_program_of_betty_finds_its_module_in_the_wrapper(two: Ranks) -> None:
    expected = programs.as_wrapped("default")
    for found in run(two, "as_wrapped", "distributed"):
        torch.testing.assert_close(found, expected, rtol=1e-9, atol=1e-12)


@pytest.mark.slow
def test_a_process_that_fails_does_not_let_others_wait_for_ever() -> None:
    pool = Ranks(2, timeout=4)
    try:
        first, second = run(pool, "failing", 1)
    finally:
        pool.close()
    assert "all ranks are alive" in first
    assert "not callable" in second


def test_same_data_in_all_processes_is_said(two: Ranks) -> None:
    for (text,) in run(two, "same_data"):
        assert "DistributedSampler" in text


def test_what_is_not_started_by_torchrun_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RANK", raising=False)
    with pytest.raises(RuntimeError, match="RANK is not set: start the program with `torchrun`"):
        programs.reweighting("darts", "distributed")


def test_a_sharded_level_is_clipped_and_accumulates_as_the_whole_one(two: Ranks) -> None:
    wanted = programs.sharded_and_clipped("default", 2)
    for found in run(two, "sharded_and_clipped", "fsdp", 2):
        for key in ("loss", "grads", "values"):
            torch.testing.assert_close(found[key], wanted[key], rtol=1e-8, atol=1e-10)


def test_clipping_is_refused_where_it_would_be_differentiated_in_shards(two: Ranks) -> None:
    for message in run(two, "refused_clipping"):
        assert "leave `gradient_clipping` out" in message


@pytest.mark.parametrize("mode", ["darts", *slow("sama")])
def test_noise_and_buffers_are_those_of_a_module_that_is_not_sharded(two: Ranks, mode: str) -> None:
    wanted = run(two, "sharded_and_noisy", mode, "distributed")
    found = run(two, "sharded_and_noisy", mode, "fsdp")
    torch.testing.assert_close(found, wanted, rtol=1e-8, atol=1e-10)
    assert not torch.equal(found[0]["next"], found[1]["next"])


def test_a_module_that_is_wrapped_is_refused(two: Ranks) -> None:
    for message in run(two, "wrapped"):
        assert "the module of problem 'inner'" in message
        assert "pass the module itself" in message

"""Who is who is read when it is asked for; functions on some ranks only; a world of one."""

from __future__ import annotations

import pickle
import textwrap

import pytest
import torch

import torchopt.distributed as todist
import torchopt.distributed.autograd as todist_autograd
from distributed._programs import launch


@pytest.fixture
def rank(monkeypatch):
    def be(number, size=4):
        monkeypatch.setenv("RANK", str(number))
        monkeypatch.setenv("WORLD_SIZE", str(size))
        monkeypatch.setenv("LOCAL_RANK", str(number % 2))
        monkeypatch.setenv("LOCAL_WORLD_SIZE", "2")

    return be


def test_the_world_is_read_when_it_is_asked_for(rank):
    assert tuple(todist.get_world_info()) == (0, 1, 0, 1)
    for number in (3, 1):
        rank(number)
        assert tuple(todist.get_world_info()) == (number, 4, number % 2, 2)
        assert todist.get_rank() == todist.get_world_rank() == number
        assert todist.get_world_info().rank == number
        assert todist.get_world_size() == 4
        assert todist.get_local_rank() == number % 2
        assert todist.get_local_world_size() == 2
    rank(7, size=12)
    assert todist.get_world_info().worker_name == "worker07"


def test_an_environment_that_makes_no_sense_is_refused(monkeypatch):
    monkeypatch.setenv("RANK", "first")
    with pytest.raises(ValueError, match="RANK is 'first'"):
        todist.get_rank()


def test_functions_run_on_their_ranks_only(rank):
    functions = {
        "zero": todist.rank_zero_only(lambda: "yes"),
        "others": todist.rank_non_zero_only(lambda: "yes"),
        "some": todist.on_rank(1, 2)(lambda: "yes"),
        "not": todist.not_on_rank(1, 2)(lambda: "yes"),
    }
    ran = {}
    for number in range(3):
        rank(number)
        ran[number] = {name for name, function in functions.items() if function() == "yes"}
    assert ran == {0: {"zero", "not"}, 1: {"others", "some"}, 2: {"others", "some"}}


def test_what_needs_a_group_says_so():
    x = torch.ones(2)
    for what in (
        lambda: todist.get_worker_id(),
        lambda: todist.get_worker_id("worker0"),
        lambda: todist.barrier(),
        lambda: todist.remote_sync_call(torch.sum, args=(x,)),
        lambda: todist.remote_async_call(torch.sum, args=(x,), partitioner=0),
        lambda: todist_autograd.context().__enter__(),
    ):
        with pytest.raises(RuntimeError, match="RPC is not initialized"):
            what()
    assert todist.get_worker_id(3) == 3
    assert todist.is_available()
    assert todist_autograd.is_available()


def test_several_processes_need_an_address(rank, monkeypatch):
    rank(0, size=2)
    monkeypatch.delenv("MASTER_ADDR", raising=False)
    with pytest.raises(RuntimeError, match=r"MASTER_ADDR is not set: start .* with `torchrun`"):
        todist.auto_init_rpc()(lambda: None)()


WORLD_OF_ONE = """
    import json
    import torch
    import torchopt.distributed as todist

    def square(x):
        return x**2

    @todist.parallelize(reducer=todist.sum_reducer)
    def total(x):
        return square(x).sum()

    @todist.auto_init_rpc(worker_name_format=lambda **place: f"one-of-{place['world_size']}")
    def main():
        x = torch.tensor([3.0, 1.0], requires_grad=True)
        total(x).backward()
        (there,) = todist.remote_sync_call(square, args=(x,), partitioner="one-of-1")
        todist.barrier()
        found = [x.grad.tolist(), there.tolist(), todist.get_worker_id(), todist.get_world_size()]
        print("FOUND " + json.dumps(found))
        if __import__("sys").argv[1:] == ["fail"]:
            raise ValueError("as it was asked to")

    if __name__ == "__main__":
        main()
"""


@pytest.mark.processes
def test_a_program_started_by_itself_is_a_group_of_one(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(textwrap.dedent(WORLD_OF_ONE))
    assert launch([str(program)], None).found == [[6.0, 2.0], [9.0, 1.0], 0, 1]
    failed = launch([str(program), "fail"], None)
    assert failed.codes == [1]
    assert "ValueError: as it was asked to" in failed.errors[0]


# Partitioners and reducers


@pytest.mark.parametrize("size", [1, 3, 7, 15])
@pytest.mark.parametrize("workers", [1, 4, 8])
def test_parts_differ_by_one_at_most_and_make_up_the_whole(size, workers):
    x = torch.arange(2.0 * size).reshape(2, size)
    split = todist.dim_partitioner(-1, workers=range(workers))
    found = split(x, "label", scale=2)
    lengths = [args[0].shape[1] for _, args, _ in found]
    assert len(found) == min(size, workers)
    assert max(lengths) - min(lengths) <= 1
    assert torch.equal(torch.cat([args[0] for _, args, _ in found], dim=1), x)
    assert all(args[1] == "label" and kwargs == {"scale": 2} for _, args, kwargs in found)


def test_partitioners_use_the_whole_world_and_pickle(rank):
    rank(0, size=3)
    split = pickle.loads(pickle.dumps(todist.dim_partitioner(0)))
    assert [w for w, *_ in split(torch.arange(7))] == [0, 1, 2]
    assert [w for w, *_ in todist.batch_partitioner(torch.arange(2))] == [0, 1]
    with pytest.raises(ValueError, match="exclusive=True"):
        todist.TensorDimensionPartitioner(0)


def test_parts_belong_to_the_graph():
    x = torch.arange(5.0, dtype=torch.float64).requires_grad_()
    found = todist.dim_partitioner(0, workers=[0, 1])(x)
    sum((args[0] ** 2).sum() * (k + 1) for k, (_, args, _) in enumerate(found)).backward()
    assert x.grad.tolist() == [0.0, 2.0, 4.0, 12.0, 16.0]


def test_reducers_take_trees_and_refuse_nothing():
    results = [{"a": torch.tensor([1.0, 2.0])}, {"a": torch.tensor([5.0, 4.0])}]
    assert todist.mean_reducer(results)["a"].tolist() == [3.0, 3.0]
    assert todist.sum_reducer(iter(results))["a"].tolist() == [6.0, 6.0]
    assert todist.mean_reducer([torch.tensor(3), torch.tensor(4)]).item() == 3.5
    assert todist.mean_reducer([1.0, 2.5]).item() == 1.75
    assert todist.sum_reducer([{"n": 1.0}, {"n": 2.5}])["n"].item() == 3.5
    for reducer in (todist.mean_reducer, todist.sum_reducer):
        with pytest.raises(ValueError, match="no results"):
            reducer([])

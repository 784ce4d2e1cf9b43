"""A run that is interrupted ends with the bits of one that is not."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import torch
from _ranks import Ranks, shared_ranks

import torchopt
from torchopt.distributed import spmd
from torchopt.experimental import elastic

STEPS = 6
HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def ranks() -> Ranks:
    return shared_ranks()


class State(NamedTuple):
    params: dict[str, torch.Tensor]
    moments: Any
    note: str


OPTIMIZER = torchopt.adam(0.1)


def begin() -> State:
    params = {
        "w": torch.linspace(-1, 1, 5, dtype=torch.float64),
        "b": torch.tensor(0.3, dtype=torch.float64),
    }
    return State(params, OPTIMIZER.init(params), "plain values are kept")


def step(state: State, index: int, group: Any = None) -> State:
    """A meta-step on random tasks, through two data-parallel steps of the optimizer's."""
    tasks = [torch.randn(3, 5, dtype=torch.float64) for _ in range(3)]

    def loss(params: dict[str, torch.Tensor], x: torch.Tensor) -> torch.Tensor:
        inner = torch.func.grad(lambda w: (x @ w + params["b"]).square().mean())
        return (x @ (params["w"] - 0.1 * inner(params["w"]))).cos().mean() + params["b"] ** 2

    total = torch.func.grad(lambda p: spmd.task_map(loss, p, tasks, group=group).mean())
    grads = total(state.params)
    updates, moments = OPTIMIZER.update(grads, state.moments, inplace=False)
    return State(torchopt.apply_updates(state.params, updates, inplace=False), moments, state.note)


def same(a: Any, b: Any) -> bool:
    (xs, one), (ys, other) = (
        torchopt.pytree.flattening.flatten(a),
        torchopt.pytree.flattening.flatten(b),
    )
    return one == other and all(
        torch.equal(x, y) if isinstance(x, torch.Tensor) else x == y
        for x, y in zip(xs, ys, strict=True)
    )


def test_a_run_that_failed_goes_on_from_its_last_checkpoint(tmp_path: Path) -> None:
    expected = elastic.run(step, begin(), steps=STEPS, checkpoint=tmp_path / "whole", generator=5)
    made: list[int] = []

    def fails_once(state: State, index: int) -> State:
        made.append(index)
        torch.rand(index)  # random numbers do not depend on what was drawn before
        if index == 3 and made.count(3) == 1:
            raise OSError("the power is out")
        with torch.random.fork_rng():
            return step(state, index)

    def plain(state: State, index: int) -> State:
        torch.rand(index)
        return step(state, index)

    expected = elastic.run(
        plain, begin(), steps=STEPS, checkpoint=tmp_path / "w", generator=5, every=2
    )
    with pytest.raises(OSError, match="power"):
        elastic.run(
            fails_once, begin(), steps=STEPS, checkpoint=tmp_path / "x", generator=5, every=2
        )
    (tmp_path / "x" / "step-0000000003-rank-0.abc.tmp").write_bytes(b"half of a checkpoint")
    found = elastic.run(
        fails_once, begin(), steps=STEPS, checkpoint=tmp_path / "x", generator=5, every=2
    )
    assert made == [0, 1, 2, 3, 2, 3, 4, 5]
    assert same(found, expected)
    names = sorted(path.name for path in (tmp_path / "x").iterdir())
    assert names == ["step-0000000004-rank-0.pt", "step-0000000006-rank-0.pt"]


@pytest.mark.parametrize(
    ("change", "state", "path"),
    [
        (
            lambda s, i: s / 2,
            8,
            "`state` is an object of type float after step 0, but an object of",
        ),
        (
            lambda s, i: [*s, i],
            [0],
            r"`state\[1\]` is an object of type int after step 0, but miss",
        ),
        (lambda s, i: s.double(), torch.ones(1), "float64 after step 0, but .*float32"),
    ],
)
def test_a_state_that_could_not_be_restored_is_refused_when_it_is_saved(
    tmp_path: Path, change: Any, state: Any, path: str
) -> None:
    with pytest.raises(ValueError, match=path):
        elastic.run(change, state, steps=3, checkpoint=tmp_path)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("damage", [b"", b"xx", None])
def test_a_damaged_checkpoint_is_passed_over_for_the_one_before(
    tmp_path: Path, damage: bytes | None
) -> None:
    def add(state: torch.Tensor, index: int) -> torch.Tensor:
        return state + torch.rand(3)

    whole = elastic.run(add, torch.zeros(3), steps=5, checkpoint=tmp_path / "whole")
    elastic.run(add, torch.zeros(3), steps=4, checkpoint=tmp_path / "a")
    (tmp_path / "a" / "step-old-rank-0.pt").touch()  # somebody else's
    last = tmp_path / "a" / "step-0000000004-rank-0.pt"
    last.write_bytes(last.read_bytes()[:-200] if damage is None else damage)
    with pytest.warns(UserWarning, match=r"0004-rank-0.pt is damaged \(.*trying the one before"):
        assert same(elastic.run(add, torch.zeros(3), steps=5, checkpoint=tmp_path / "a"), whole)
    assert (tmp_path / "a" / "step-old-rank-0.pt").exists()
    for path in (tmp_path / "a").glob("step-0*"):
        path.write_bytes(b"xx")
    with (
        pytest.warns(UserWarning, match="is damaged"),
        pytest.raises(ValueError, match="none before it"),
    ):
        elastic.run(add, torch.zeros(3), steps=6, checkpoint=tmp_path / "a")


def in_turns(group: Any, directory: str) -> list[Any]:
    """Ranks that cannot see one another's files, and ranks with states of their own."""
    own = Path(directory) / str(group.rank())

    def part(state: torch.Tensor, index: int) -> torch.Tensor:
        return state + torch.rand(()) + spmd.psum(state, group=group)

    found = []
    for per_rank in (False, True):
        start = torch.tensor(1.0 + group.rank() * per_rank)
        for steps in (2, 4):
            keywords: Any = {"per_rank": per_rank, "group": group}
            path = own / str(per_rank)
            resumed = elastic.run(part, start, steps=steps, checkpoint=path, **keywords)
        whole = elastic.run(part, start, steps=4, checkpoint=f"{path}-whole", **keywords)
        found.append([bool(resumed == whole), float(whole)])
    return found


@pytest.mark.processes
def test_states_of_all_ranks_are_restored(ranks: Ranks, tmp_path: Path) -> None:
    rows = ranks.run(in_turns, str(tmp_path), size=2)
    assert all(good for row in rows for good, _ in row)
    assert rows[0][0] == rows[1][0]
    assert rows[0][1] != rows[1][1]


def uninterrupted(group: Any, directory: str) -> State:
    return elastic.run(
        lambda state, index: step(state, index, group),
        begin(),
        steps=STEPS,
        checkpoint=directory,
        group=group,
    )


def main(directory: str) -> None:
    """The program that `torchrun` starts: the second rank kills itself, once, in a backward pass."""
    torch.set_num_threads(1)
    elastic.init_process_group("gloo", timeout=60.0)
    rank, restarts = int(os.environ["RANK"]), int(os.environ["TORCHELASTIC_RESTART_COUNT"])

    def fatal(state: State, index: int) -> State:
        if index == 3 and restarts == 0:
            varying = spmd.pvary(state.params["w"].clone().requires_grad_())
            if rank == 1:
                varying.register_hook(lambda _: os.kill(os.getpid(), signal.SIGKILL))
            spmd.psum(varying.sum()).backward()
            Path(directory, f"survived-{rank}").touch()
        return step(state, index)

    found = elastic.run(fatal, begin(), steps=STEPS, checkpoint=Path(directory) / "saved")
    torch.save(torchopt.pytree.flattening.flatten(found)[0], Path(directory) / f"end-{rank}.pt")
    assert restarts == 1
    torch.distributed.destroy_process_group()


@pytest.mark.slow
@pytest.mark.processes
def test_a_killed_process_is_started_again_and_nothing_is_lost(
    ranks: Ranks, tmp_path: Path
) -> None:
    command = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2"]
    command += ["--max-restarts=1", "--monitor-interval=0.1", __file__, str(tmp_path)]
    paths = [str(HERE), *sys.path]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(paths), "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, *command], env=environment, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    assert "worker 'rank 1 (host" in done.stderr or "SIGTERM" in done.stderr
    assert not list(tmp_path.glob("survived-*"))
    (expected, _) = ranks.run(uninterrupted, str(tmp_path / "whole"), size=2)
    for rank in range(2):
        found = torch.load(tmp_path / f"end-{rank}.pt", weights_only=True)
        assert same(found, torchopt.pytree.flattening.flatten(expected)[0])


if __name__ == "__main__":
    main(sys.argv[1])

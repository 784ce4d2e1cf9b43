"""A resumed run equals an uninterrupted one, bit for bit."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import pytest
import torch
from _toys import TYPES, Inner, flat, reweight, run, same, typed
from resumed_programs import everything, program

import torchopt
from _cases import diagonal
from torchopt import checkpoint
from torchopt.multilevel import Config, Engine, EngineConfig, Problem

KINDS = (*TYPES, "trilevel", "unrolled trilevel", "rolled back")


@functools.cache
def uninterrupted(kind: str) -> Any:
    """Return what a run is at its end."""
    whole = program(kind, 8)
    torch.manual_seed(5)
    whole.run()
    return everything(whole)


@pytest.mark.parametrize(
    ("kind", "stop"),
    [
        *diagonal([kind for kind in KINDS if kind != "trilevel"], [1, 4]),
        # The other one has three levels, too.
        pytest.param("trilevel", 4, marks=pytest.mark.slow),
    ],
)
def test_resumed_equals_uninterrupted(kind: str, stop: int, tmp_path: Path) -> None:
    path = tmp_path / "run.pt"
    first = program(kind, 8)
    torch.manual_seed(5)
    first.train()
    while first.global_step < stop or any(n.pending for n in first._nodes.values()):
        first.train_step()
        if first.global_step % 2 == 0:
            first._validate()
    first.save(path)
    before = everything(first)
    resumed = program(kind, 8)
    torch.manual_seed(77)
    resumed.hypergradient("low")  # what was drawn ahead is forgotten
    resumed.resume(path)
    assert same(everything(resumed), before)
    resumed.run()
    assert same(everything(resumed), uninterrupted(kind))


@pytest.mark.parametrize("kind", ["sama", "unroll"])
def test_a_run_goes_on_from_its_own_checkpoints(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "run.pt"
    torch.manual_seed(5)
    whole = program(kind)
    torch.manual_seed(5)
    whole.run()
    first = program(kind, 6, checkpoint=path, checkpoint_step=2)
    torch.manual_seed(5)
    first.run()
    resumed = program(kind, checkpoint=path)
    resumed.resume(path)
    assert resumed.global_step == 6
    resumed.run()
    assert same(everything(resumed), everything(whole))


@pytest.mark.parametrize("kind", ["unroll", "zero_order"])
def test_saving_amid_steps_that_are_differentiated_as_a_whole_is_refused(
    kind: str, tmp_path: Path
) -> None:
    engine = run(reweight(typed(type=kind, unroll_steps=3)), 2)
    with pytest.raises(RuntimeError, match=r"'inner' is amid steps .*\(2 of 3\)"):
        engine.save(tmp_path / "run.pt")
    run(engine, 1).save(tmp_path / "run.pt")


def test_a_run_that_ends_amid_unrolled_steps_keeps_its_last_checkpoint(tmp_path: Path) -> None:
    path = tmp_path / "run.pt"
    config = typed(type="unroll", unroll_steps=3)
    engine = reweight(config, train_iters=8, checkpoint=path, checkpoint_step=1)
    with pytest.warns(UserWarning, match="ended amid steps of problem 'inner'"):
        engine.run()
    resumed = reweight(config, train_iters=12, checkpoint=path)
    resumed.resume(path)
    assert resumed.global_step == 6
    resumed.run()
    truth = reweight(config, train_iters=12)
    truth.run()
    for a, b in zip(resumed.problems, truth.problems, strict=True):
        assert torch.equal(flat(a.parameters()), flat(b.parameters()))


def test_batches_of_ones_own_that_were_drawn_ahead_are_kept(tmp_path: Path) -> None:
    class Own(Problem):
        def get_batch(self) -> Any:
            return torch.randn(3, dtype=torch.float64)

        def training_step(self, batch: Any) -> Any:
            return (self.params - batch).square().sum()

    def make() -> Engine:
        w = torch.ones(3, dtype=torch.float64, requires_grad=True)
        return Engine([Own("own", params=w, optimizer=torch.optim.SGD([w], 0.1))], EngineConfig())

    torch.manual_seed(0)
    engine = run(make(), 2)
    engine.hypergradient("own")
    engine.save(tmp_path / "run.pt")
    run(engine, 2)
    resumed = make()
    resumed.resume(tmp_path / "run.pt")
    run(resumed, 2)
    assert torch.equal(engine.own.params, resumed.own.params)


def test_generators_of_problems_and_modes_are_kept(tmp_path: Path) -> None:
    class Noisy(Inner):
        noise: torch.Generator

        def training_step(self, batch: Any) -> Any:
            x, y = batch
            return super().training_step((x + torch.randn(x.shape, generator=self.noise), y))

    def make() -> Engine:
        estimator = torchopt.diff.zero_order.Antithetic(num_samples=2, sigma=0.01)
        mode = torchopt.diff.ZeroOrder(estimator, generator=torch.Generator().manual_seed(3))
        engine = reweight(Config(diff=mode), inner=Noisy)
        engine.inner.noise = torch.Generator().manual_seed(4)
        return engine

    engine = make()
    run(engine, 2).save(tmp_path / "run.pt")
    run(engine, 2)
    resumed = make()
    resumed.resume(tmp_path / "run.pt")
    run(resumed, 2)
    assert torch.equal(flat(engine.outer.parameters()), flat(resumed.outer.parameters()))
    assert torch.equal(flat(engine.inner.parameters()), flat(resumed.inner.parameters()))


# What cannot be resumed


def refused(saved: Engine, other: Engine, path: Path, match: str) -> None:
    run(saved, 3).save(path)
    before = everything_of(other)
    with pytest.raises(ValueError, match=match):
        other.resume(path)
    assert same(everything_of(other), before)
    assert other.global_step == 0


def everything_of(engine: Engine) -> Any:
    return [
        [
            [t.detach().clone() for t in p.parameters()],
            p.optimizer.state_dict(),
            None if p.scheduler is None else p.scheduler.last_epoch,
            p.count,
        ]
        for p in engine.problems
    ]


def scheduled(o: Any) -> Any:
    return torch.optim.lr_scheduler.StepLR(o, 2)


OTHERS: dict[str, tuple[dict[str, Any], str]] = {
    "another optimizer": (
        {"optimizer": lambda p: torch.optim.Adam(p, 0.1)},
        "the optimizer of problem 'inner' was SGD, and is Adam here",
    ),
    "another scheduler": (
        {"scheduler": scheduled},
        "the scheduler of problem 'inner' was NoneType, and is StepLR here",
    ),
    "other groups": (
        {"optimizer": lambda p: torch.optim.SGD([{"params": [q]} for q in p], 0.1)},
        r"the sizes of groups of problem 'inner' was \[4\], and is \[1, 1, 1, 1\] here",
    ),
    "another precision": (
        {"config": Config(precision="bf16")},
        "the precision of problem 'inner' was fp32, and is bf16 here",
    ),
    "other loaders": (
        {"loader": ([1], [2])},
        "the number of loaders of problem 'inner' was 1, and is 2 here",
    ),
}


@pytest.mark.parametrize("name", OTHERS)
def test_another_program_is_refused_and_unchanged(name: str, tmp_path: Path) -> None:
    options, match = OTHERS[name]
    refused(reweight(), reweight(**options), tmp_path / "run.pt", match)


def test_other_problems_are_refused(tmp_path: Path) -> None:
    match = "its problems are inner, outer, and those of this engine low, mid"
    refused(reweight(), program("sama"), tmp_path / "run.pt", match)


def test_other_dependencies_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "run.pt"
    run(reweight(), 3).save(path)
    engine = reweight()
    other = Engine(engine.problems, EngineConfig(check=False), {"l2u": {"outer": ["inner"]}})
    with pytest.raises(ValueError, match="cannot be resumed here"):
        other.resume(path)


def test_a_file_that_is_no_checkpoint_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.pt"
    checkpoint.save({"a": 1}, path)
    with pytest.raises(ValueError, match=r"was not written by `Engine.save`"):
        reweight().resume(path)
    path.write_bytes(b"nothing that was ever saved")
    with pytest.raises(ValueError, match="not a complete checkpoint"):
        reweight().resume(path)
    with pytest.raises(FileNotFoundError):
        reweight().resume(tmp_path / "missing.pt")

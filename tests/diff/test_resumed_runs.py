"""A run that is killed anywhere goes on, and ends with the bits of one that is not."""

from __future__ import annotations

import itertools
import os
import random
import re
import shutil
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

import _killed
import torchopt
from _cases import diagonal
from _warm import CONTEXT
from torchopt import checkpoint
from torchopt.diff import Explicit, _resume
from torchopt.errors import CheckpointError

POLICIES = {
    "step": Explicit("step"),
    "sqrt": Explicit("sqrt", offload="disk"),
    "tree": Explicit("tree", hvp="forward"),
    "two": Explicit("tree", carries=2),
}
KINDS = ["network", "assigned", "late"]


class Killed(BaseException):
    """Stands for the end of a process."""


@pytest.fixture
def writes(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Let each step be written; return the names of the files."""
    monkeypatch.setattr(_resume, "SHARE", 1.0)
    names: list[str] = []
    save = checkpoint.save

    def saved(state: Any, path: Any) -> None:
        save(state, path)
        names.append(Path(path).name)

    monkeypatch.setattr(checkpoint, "save", saved)
    return names


def killed_after(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the program end after some writes."""
    save, count = checkpoint.save, itertools.count(1)

    def saved(state: Any, path: Any) -> None:
        save(state, path)
        if next(count) == number:
            raise Killed

    monkeypatch.setattr(checkpoint, "save", saved)


def check_same(found: list[Tensor], expected: list[Tensor]) -> None:
    """Check that no bit differs."""
    assert [i for i, (a, b) in enumerate(zip(found, expected, strict=True)) if not a.equal(b)] == []


@pytest.mark.parametrize(("kind", "policy"), diagonal(KINDS, [*POLICIES]))
def test_a_run_that_ends_after_each_file_goes_on_to_the_same_bits(
    kind: str, policy: str, tmp_path: Path, writes: list[str]
) -> None:
    expected = _killed.run(kind, None, POLICIES[policy])
    evaluations, found = [], None
    for _ in range(5 * _killed.STEPS):
        calls = itertools.count()
        with pytest.MonkeyPatch.context() as patch:
            killed_after(2, patch)
            try:
                found = _killed.run(kind, str(tmp_path), POLICIES[policy], lambda c=calls: next(c))
            except Killed:
                evaluations.append(next(calls))
            else:
                break
    assert found is not None
    check_same(found, expected)
    assert len(evaluations) >= _killed.STEPS - 2
    assert len([*tmp_path.iterdir()]) == 1


def test_steps_that_were_done_are_not_done_again(tmp_path: Path, writes: list[str]) -> None:
    counts = []
    for number in (
        7,
        7 + _killed.STEPS,
        None,
    ):  # in the first pass, in the backward pass, at the end
        calls = itertools.count()
        with pytest.MonkeyPatch.context() as patch:
            if number:
                killed_after(number - len(writes), patch)
            with suppress(Killed):
                _killed.run("network", str(tmp_path), Explicit("step"), lambda c=calls: next(c))
        counts.append(next(calls))
    # A step is evaluated once, and once more in the backward pass; the first one and the last one
    # are looked at again. 6 are done before the sixth file, then 3 and the first, ...
    first, second, third = counts
    assert first == 7
    assert second < 2 * _killed.STEPS
    assert third <= _killed.STEPS


def test_a_copy_of_a_module_for_each_call_is_nothing_new(tmp_path: Path) -> None:
    net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Sequential(torch.nn.Linear(4, 1)))
    net[1].forward = torchopt.remat(net[1].forward)  # keeps the copies
    start, x = dict(net.named_parameters()), torch.randn(5, 3)
    solution = torchopt.minimize(
        lambda p: torchopt.nn.functional_call(net, p, x).square().mean(),
        start,
        solver=torchopt.sgd(0.1),
        steps=6,
        diff=Explicit("tree"),
        checkpoint=tmp_path,
    )
    solution.params["0.bias"].sum().backward()
    assert [path.name for path in tmp_path.glob("*/point-*")] == ["point-000000005.pt"]


@pytest.mark.slow
@pytest.mark.processes
@pytest.mark.skipif(os.name == "nt", reason="kills processes by a signal")
@pytest.mark.parametrize(
    ("memory", "kind"), [("step", "network"), ("sqrt", "late"), ("tree", "assigned")]
)
def test_a_process_that_is_killed_twenty_times_goes_on_to_the_same_bits(
    memory: str, kind: str, tmp_path: Path
) -> None:
    """At moments that a seed draws."""
    draws, result = random.Random(f"{memory} {kind}"), tmp_path / "result.pt"
    killed = 0
    while killed < 20 and not result.exists():
        event = draws.randrange(1, 12 * _killed.STEPS // 20 + 12)
        arguments = event, kind, str(tmp_path / "run"), Explicit(memory), str(result)  # type: ignore[arg-type]
        process = CONTEXT.Process(target=_killed.die_at, args=arguments)
        process.start()
        process.join()
        assert process.exitcode in (0, -9)
        killed += process.exitcode == -9
    assert killed > 10
    found = _killed.run(kind, str(tmp_path / "run"), Explicit(memory))  # type: ignore[arg-type]
    check_same(found, _killed.run(kind, None, Explicit(memory)))  # type: ignore[arg-type]


@pytest.mark.parametrize("number", [5, 5 + _killed.STEPS])
@pytest.mark.parametrize("damage", ["cut", "flipped", "exchanged"])
def test_a_damaged_file_is_noticed_and_the_one_before_it_is_used(
    damage: str, number: int, tmp_path: Path, writes: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = _killed.run("network", None, Explicit("sqrt"))
    with pytest.MonkeyPatch.context() as patch, suppress(Killed):
        killed_after(number, patch)
        _killed.run("network", str(tmp_path), Explicit("sqrt"))
    (newest,) = tmp_path.glob(f"*/{writes[-1]}")
    content = bytearray(newest.read_bytes())
    content[len(content) // 2] ^= 1
    (before,) = tmp_path.glob(f"*/{writes[-2]}")
    wrong = {"cut": content[:-100], "flipped": content, "exchanged": before.read_bytes()}
    newest.write_bytes(wrong[damage])
    newest.with_name("point-copy.pt").touch()  # none of the run's files
    with pytest.warns(UserWarning, match="What was written before it is used"):
        found = _killed.run("network", str(tmp_path), Explicit("sqrt"))
    check_same(found, expected)


@pytest.mark.skipif(os.name == "nt", reason="limits the size of files")
@pytest.mark.processes
@pytest.mark.parametrize("number", [4, 4 + _killed.STEPS])
def test_a_disk_that_is_full_is_an_error_after_which_the_run_goes_on(
    number: int, tmp_path: Path, writes: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    import resource

    before = resource.getrlimit(resource.RLIMIT_FSIZE)

    def full() -> None:
        if len(writes) == number:
            resource.setrlimit(resource.RLIMIT_FSIZE, (4096, before[1]))

    try:
        with pytest.raises(OSError, match="File too large"):
            _killed.run("network", str(tmp_path), Explicit("step"), full)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    found = _killed.run("network", str(tmp_path), Explicit("step"))
    check_same(found, _killed.run("network", None, Explicit("step")))


def test_a_folder_that_is_removed_amid_a_write_is_an_error_that_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def remove(_: int) -> None:
        for folder in tmp_path.iterdir():
            shutil.rmtree(folder)

    monkeypatch.setattr(os, "fsync", remove)  # the file is written, and not yet in its place
    with pytest.raises(OSError, match="a folder of its own"):
        _killed.run("network", str(tmp_path), Explicit("step"))


def descend(
    phi: Tensor,
    folder: Path | None,
    *,
    steps: int = 4,
    batches: Any = None,
    scale: float = 1.0,
    late: float = 1.0,
    lr: Any = 0.01,
) -> Tensor:
    """Return the derivative by ``phi`` of a short run of gradient descent."""
    solution = torchopt.minimize(
        lambda x, *batch: (scale * (x - phi - sum(batch)).pow(4) + late * (x - 1).pow(2)).sum(),
        torch.ones(3),
        solver=torchopt.sgd(lr),
        steps=steps,
        batches=batches,
        diff=Explicit("step"),
        checkpoint=folder,
    )
    (gradient,) = torch.autograd.grad(solution.params.square().sum(), phi)
    return gradient


def outer_loop(folder: Path | None, **options: Any) -> list[Tensor]:
    """Return the values of a variable that is trained by the derivatives of runs."""
    phi = torch.tensor([0.5, -0.5, 2.0], requires_grad=True)
    values = []
    for _ in range(4):
        phi = (phi - 0.1 * descend(phi, folder, **options)).detach().requires_grad_()
        values.append(phi.detach())
    return values


def test_an_outer_loop_uses_one_folder_for_all_its_runs(
    tmp_path: Path, writes: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = outer_loop(None)
    with pytest.MonkeyPatch.context() as patch, suppress(Killed):
        killed_after(13, patch)  # in the second run, of 7 files each
        outer_loop(tmp_path)
    assert len(writes) == 13
    # It begins with the first run again, and does not disturb the second one, which goes on.
    check_same(outer_loop(tmp_path), expected)
    assert len(writes) == 13 + 7 + 1 + 2 * 7
    assert len([*tmp_path.iterdir()]) == 1  # of the last run, which may be asked for again


def test_two_runs_whose_passes_alternate_have_one_folder(tmp_path: Path, writes: list[str]) -> None:
    phi = torch.tensor(0.5, requires_grad=True)

    def both(folder: Path | None) -> list[Tensor]:
        starts = [torch.full((3,), k).requires_grad_() for k in (1.0, 2.0)]
        ends = [
            torchopt.minimize(
                lambda x: (x - phi).pow(4).sum(),
                start,
                solver=torchopt.sgd(0.01),
                steps=4,
                diff=Explicit("sqrt"),
                checkpoint=folder,
            ).params
            for start in starts
        ]
        return [*torch.autograd.grad(ends[0].prod() + ends[1].sum(), [phi, *starts])]

    check_same(both(tmp_path), both(None))


@pytest.mark.parametrize("kept", [True, False])
def test_two_losses_of_one_run_have_their_own_backward_passes(
    kept: bool, tmp_path: Path, writes: list[str]
) -> None:
    phi = torch.tensor(0.5, requires_grad=True)
    x = torchopt.minimize(
        lambda x: (x - phi).pow(4).sum(),
        torch.ones(3),
        solver=torchopt.sgd(0.01),
        steps=4,
        diff=Explicit("step"),
        checkpoint=tmp_path if kept else None,
    ).params
    grads = [torch.autograd.grad(y, phi, retain_graph=True)[0] for y in (x.sum(), x.prod())]
    (second,) = torch.autograd.grad(torch.autograd.grad(x.sum(), phi, create_graph=True)[0], phi)
    reference = torch.tensor(0.5, dtype=torch.float64, requires_grad=True)
    w = torch.ones(3, dtype=torch.float64)
    for _ in range(4):
        w = w - 0.04 * (w - reference).pow(3)
    truth = [torch.autograd.grad(y, reference, create_graph=True)[0] for y in (w.sum(), w.prod())]
    truth.append(torch.autograd.grad(truth[0], reference)[0])
    torch.testing.assert_close(
        torch.stack([*grads, second]).double(), torch.stack(truth).detach(), rtol=1e-5, atol=1e-7
    )


def test_a_run_without_a_derivative_goes_on(
    tmp_path: Path, writes: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def end(folder: Path | None) -> Tensor:
        with torch.no_grad():
            return torchopt.minimize(
                lambda x: x.pow(4).sum(),
                torch.ones(3),
                solver=torchopt.adam(0.1),
                steps=6,
                diff=Explicit("tree"),
                checkpoint=folder,
            ).params

    with pytest.MonkeyPatch.context() as patch, suppress(Killed):
        killed_after(3, patch)
        end(tmp_path)
    check_same([end(tmp_path)], [end(None)])
    assert writes == [f"point-{k:09d}.pt" for k in (1, 2, 3, 4, 5)] + ["pulled-000000000.pt"]


@pytest.mark.parametrize("what", ["scale", "late", "schedule", "batches", "random"])
def test_a_folder_of_another_program_is_not_mixed_with_it(
    what: str, tmp_path: Path, writes: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    phi = torch.tensor([0.5, -0.5, 2.0], requires_grad=True)
    data = {k: torch.randn(4, 3) for k in range(2)}

    def options(other: bool) -> dict[str, Any]:
        if what == "scale":
            return {"scale": 2.0 if other else 1.0}
        if what == "late":  # a term that does nothing in the first step
            return {"late": 2.0 if other else 1.0}
        if what == "schedule":
            between = 0.02 if other else 0.01  # of steps that a run that has ended does not repeat
            return {"lr": lambda step: between if step == 1 else 0.01}
        if what == "random":
            return {"batches": lambda step: torch.randn(3) if step else torch.zeros(3)}
        return {"batches": lambda step: data[other and step == 2][step]}

    torch.manual_seed(0)
    with pytest.MonkeyPatch.context() as patch, suppress(Killed):
        killed_after(3 if what != "schedule" else 99, patch)
        descend(phi, tmp_path, **options(other=False))
    if what == "batches":
        with pytest.raises(CheckpointError, match=r"of another program: the batch of step 2 is"):
            descend(phi, tmp_path, **options(other=True))
        return
    torch.manual_seed(1)
    found = descend(phi, tmp_path, **options(other=True))
    torch.manual_seed(1)
    check_same([found], [descend(phi, None, **options(other=True))])


LR = torch.tensor(0.1)
WRONG: dict[str, tuple[dict[str, Any], type[Exception], str]] = {
    "a path": ({"checkpoint": 3}, TypeError, "pass the path of a folder"),
    "graph": ({"diff": Explicit()}, ValueError, r'Explicit\("sqrt"\)`, "step" or "tree"'),
    "default": ({"diff": None}, ValueError, "for a number of steps that are computed again"),
    "truncate": ({"diff": Explicit("step", truncate=2)}, ValueError, "without `truncate`"),
    "forward": ({"diff": Explicit("forward")}, ValueError, "or leave `checkpoint` out"),
    "implicit": ({"diff": torchopt.diff.Implicit()}, ValueError, "or leave `checkpoint` out"),
    "compiled": ({"compile": True}, ValueError, "leave it or `compile` out"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_cannot_go_on_is_refused(name: str, tmp_path: Path) -> None:
    options, kind, words = WRONG[name]
    given = {"diff": Explicit("step"), "checkpoint": tmp_path, "steps": 3, **options}
    with pytest.raises(kind, match=words):
        torchopt.minimize(lambda x: x.square(), LR, solver=torchopt.sgd(0.1), **given)


def test_a_checkpoint_is_refused_inside_torch_func(tmp_path: Path) -> None:
    def outer(x: Tensor) -> Tensor:
        return torchopt.minimize(
            lambda y: (y - x).square(),
            LR,
            solver=torchopt.sgd(0.1),
            steps=3,
            diff=Explicit("step"),
            checkpoint=tmp_path,
        ).params

    with pytest.raises(RuntimeError, match="leave `checkpoint` out"):
        torch.func.grad(outer)(LR)


def test_a_folder_holds_no_more_points_than_the_policy(tmp_path: Path, writes: list[str]) -> None:
    phi = torch.ones(3, requires_grad=True)
    most = []
    for _ in range(40):
        with pytest.MonkeyPatch.context() as patch, suppress(Killed):
            killed_after(2, patch)
            descend(phi, tmp_path, steps=50)
        most.append(len([*tmp_path.glob("*/point-*.pt")]))
        if not [*tmp_path.glob("*/pulled-*.pt")]:
            points = sorted(int(f.stem[6:]) for f in tmp_path.glob("*/point-*.pt"))
    assert (
        max(most) == 1 + 8
    )  # one more when the process dies before it removes one; the square root of twice the steps
    gaps = [b - a for a, b in itertools.pairwise([0, *points, 50])]
    assert max(gaps) <= 2 * 50 / 8


def test_both_passes_show_how_far_they_are(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TORCHOPT_PROGRESS", "1")
    monkeypatch.setattr("torchopt.io.terminal._bar", lambda *_: None)
    monkeypatch.setattr("torchopt.io.terminal._REDRAW", -1.0)
    phi = torch.ones((), requires_grad=True)
    solution = torchopt.minimize(
        lambda x: (x - phi).square(),
        torch.zeros(()),
        solver=torchopt.sgd(0.1),
        steps=3,
        diff=Explicit("step"),
        verbose=True,
    )
    solution.params.backward()
    shown = [line.strip() for line in capsys.readouterr().err.split("\r")]
    assert re.fullmatch(r"\S+ 2/3 0 s left value 0.64", shown[2])
    assert shown[-4:-1] == ["Backward pass 1/3", "Backward pass 2/3 0 s left", "Backward pass 3/3"]

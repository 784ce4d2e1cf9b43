"""Checkpoints: complete at every moment, and loaded without running anybody's code."""

from __future__ import annotations

import os
import random
import signal
import textwrap
import time
from collections import OrderedDict
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn
from torch.optim import lr_scheduler

import torchopt
from _public import ALIASES
from _warm import Program
from torchopt import checkpoint

SCHEDULERS = {
    "StepLR": lambda o: lr_scheduler.StepLR(o, 2),
    "MultiStepLR": lambda o: lr_scheduler.MultiStepLR(o, [1, 3]),
    "LambdaLR": lambda o: lr_scheduler.LambdaLR(o, lambda n: 1 / (n + 1)),
    "OneCycleLR": lambda o: lr_scheduler.OneCycleLR(o, 0.1, total_steps=9),
    "CyclicLR": lambda o: lr_scheduler.CyclicLR(o, 0.1, 0.5, cycle_momentum=False),
    "CosineAnnealingWarmRestarts": lambda o: lr_scheduler.CosineAnnealingWarmRestarts(o, 2),
    "SequentialLR": lambda o: lr_scheduler.SequentialLR(
        o, [lr_scheduler.LinearLR(o), lr_scheduler.ExponentialLR(o, 0.5)], [2]
    ),
    "ReduceLROnPlateau": lr_scheduler.ReduceLROnPlateau,
}
OPTIMIZERS = ["SGD", "Adam", "AdamW", "RMSprop", "Adagrad", "Adadelta", "Adamax", "RAdam", "NAdam"]


def assert_same(a: Any, b: Any) -> None:
    assert type(a) is type(b)
    if isinstance(a, torch.Tensor):
        torch.testing.assert_close(a, b, rtol=0, atol=0, equal_nan=True)
    elif isinstance(a, dict):
        assert list(a) == list(b)
        for key in a:
            assert_same(a[key], b[key])
    elif isinstance(a, (list, tuple)):
        assert len(a) == len(b)
        for x, y in zip(a, b, strict=True):
            assert_same(x, y)
    else:
        assert a == b


def round_trip(state: Any, folder: Path) -> Any:
    checkpoint.save(state, folder / "state.pt")
    return checkpoint.load(folder / "state.pt")


def test_nests_come_back_as_they_were(tmp_path: Path) -> None:
    state = {
        "tensors": [
            torch.randn(3, 2, dtype=torch.float64),
            torch.tensor(7),
            torch.rand(2).bfloat16(),
        ],
        "plain": (1, 2.5, True, None, "text", b"\x00\xff", 2**200, -(2**70), 1 + 2j, float("inf")),
        3: OrderedDict(a=(), b=[], c={}),
        "set": {1, 2},
        "dtype": torch.float16,
        "device": torch.device("cpu"),
        "generators": [torch.get_rng_state(), torch.Generator().manual_seed(3).get_state()],
        "python": random.getstate(),
        "parameter": nn.Parameter(torch.ones(2)),
        "module": nn.BatchNorm1d(3).state_dict(),
    }
    assert_same(round_trip(state, tmp_path), state)


@pytest.mark.parametrize("name", SCHEDULERS)
def test_schedulers_are_saved(name: str, tmp_path: Path) -> None:
    optimizer = torch.optim.SGD(nn.Linear(2, 1).parameters(), lr=0.1)
    scheduler = SCHEDULERS[name](optimizer)
    for _ in range(4):
        optimizer.step()
        scheduler.step(*([0.3] if name == "ReduceLROnPlateau" else []))
    saved = round_trip([scheduler.state_dict(), optimizer.state_dict()], tmp_path)
    other = torch.optim.SGD(nn.Linear(2, 1).parameters(), lr=0.1)
    again = SCHEDULERS[name](other)
    again.load_state_dict(saved[0])
    other.load_state_dict(saved[1])
    for _ in range(3):
        for each, rates in ((optimizer, scheduler), (other, again)):
            each.step()
            rates.step(*([0.3] if name == "ReduceLROnPlateau" else []))
    assert optimizer.param_groups[0]["lr"] == other.param_groups[0]["lr"]


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_optimizers_are_saved(name: str, tmp_path: Path) -> None:
    module = nn.Linear(3, 2)
    optimizer = getattr(torch.optim, name)(module.parameters())
    for _ in range(2):
        module(torch.randn(5, 3)).square().mean().backward()
        optimizer.step()
    assert_same(round_trip(optimizer.state_dict(), tmp_path), optimizer.state_dict())


def test_states_of_ours_are_saved(tmp_path: Path) -> None:
    params = {"w": torch.randn(3), "b": torch.randn(2)}
    for transformation in (
        *(make(0.1) for make in ALIASES.values()),
        torchopt.sgd(torchopt.schedule.linear_schedule(0.1, 0.0, 5), momentum=0.9),
        torchopt.chain(
            torchopt.transform.clip_grad_norm(1.0), torchopt.rmsprop(0.1, centered=True)
        ),
    ):
        state = transformation.init(params)
        for _ in range(2):
            _, state = transformation.update(params, state, params=params, inplace=False)
        assert_same(round_trip(state, tmp_path), state)
    module = nn.Linear(3, 2)
    optimizer = torchopt.optim.Adam(module.parameters(), lr=0.1)
    module(torch.randn(5, 3)).square().mean().backward()
    optimizer.step()
    assert_same(round_trip(optimizer.state_dict(), tmp_path), optimizer.state_dict())


class Unknown:
    """A class that nobody has called safe."""


class Evil:
    def __reduce__(self) -> Any:
        return os.system, ("exit 1",)


@pytest.mark.parametrize("thing", [Unknown(), Evil(), lambda: 3, Unknown])
def test_what_cannot_be_loaded_is_refused_when_it_is_saved(thing: Any, tmp_path: Path) -> None:
    path = tmp_path / "a.pt"
    checkpoint.save({"step": 1}, path)
    with pytest.raises(TypeError, match=r"The state for `.*a\.pt` (holds|cannot be saved)"):
        checkpoint.save({"step": 2, "thing": thing}, path)
    assert checkpoint.load(path) == {"step": 1}
    assert os.listdir(tmp_path) == ["a.pt"]


def test_an_exception_while_writing_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.pt"
    checkpoint.save({"step": 1}, path)
    for module, name in ((torch, "save"), (os, "fsync"), (os, "replace")):
        with monkeypatch.context() as patched:

            def full(*_: Any, **__: Any) -> None:
                raise OSError("No space left on device")

            patched.setattr(module, name, full)
            with pytest.raises(OSError, match="No space left"):
                checkpoint.save({"step": 2}, path)
        assert checkpoint.load(path) == {"step": 1}
        assert os.listdir(tmp_path) == ["a.pt"]


def test_evil_torn_and_other_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.pt"
    torch.save({"thing": Evil()}, path)
    with pytest.raises(ValueError, match=r"`.*a\.pt` is not a complete checkpoint"):
        checkpoint.load(path)
    checkpoint.save({"x": torch.randn(1000)}, path)
    content = path.read_bytes()
    for size in (0, 1, 100, len(content) // 2, len(content) - 1):
        path.write_bytes(content[:size])
        with pytest.raises(ValueError, match=r"`.*a\.pt` is not a complete checkpoint"):
            checkpoint.load(path)
    with pytest.raises(FileNotFoundError):
        checkpoint.load(tmp_path / "b.pt")
    with pytest.raises(IsADirectoryError, match="is a folder"):
        checkpoint.save({}, tmp_path)


def test_a_path_that_is_given_first_is_refused(tmp_path: Path) -> None:
    sentence = r"`path` is an object of type dict: .* after the state: `save\(state, path\)`\."
    with pytest.raises(TypeError, match=sentence):
        checkpoint.save(tmp_path / "a.pt", {"step": 1})  # type: ignore[arg-type]
    assert not os.listdir(tmp_path)


ACCIDENTS = (
    "bit", "bytes", "zeros", "lost", "cut", "end", "swapped", "twice", "inserted", "appended",
)  # fmt: skip


def damaged(content: bytes, draw: random.Random) -> bytes:
    """Bytes of a file after an accident of a disk, of memory or of a transfer."""
    data, i = bytearray(content), draw.randrange(len(content))
    sector = i // 512 * 512
    match draw.choice(ACCIDENTS):
        case "bit":
            data[i] ^= 1 << draw.randrange(8)
        case "bytes":
            for _ in range(4):
                data[draw.randrange(len(data))] = draw.randrange(256)
        case "zeros":
            data[sector : sector + 512] = bytes(len(data[sector : sector + 512]))
        case "lost":
            del data[sector : sector + 512]
        case "cut":
            del data[i:]
        case "end":
            del data[-draw.randrange(1, 300) :]
        case "swapped":
            other = draw.randrange(len(data) // 512) * 512
            first, second = data[sector : sector + 512], data[other : other + 512]
            data[sector : sector + len(second)] = second
            data[other : other + len(first)] = first
        case "twice":
            data[sector:sector] = data[sector : sector + 512]
        case "inserted":
            data[i:i] = draw.randbytes(7)
        case "appended":
            data += draw.choice([bytes(data[-300:]), bytes(512), draw.randbytes(80)])
    return bytes(data)


@pytest.mark.parametrize("seed", range(3))
def test_every_damage_is_found(seed: int, tmp_path: Path) -> None:
    module = nn.Sequential(nn.Linear(20, 30), nn.BatchNorm1d(30))
    optimizer = torch.optim.Adam(module.parameters())
    module(torch.randn(9, 20)).square().sum().backward()
    optimizer.step()
    states = [
        {"w": torch.randn(1000), "step": 3, "rate": 0.125, "name": "run"},
        {"module": module.state_dict(), "optimizer": optimizer.state_dict()},
        [torchopt.adam(0.1).init({"w": torch.randn(40, 30).bfloat16()}), [*range(300)]],
    ]
    path, draw = tmp_path / "a.pt", random.Random(seed)
    checkpoint.save(states[seed], path)
    content = path.read_bytes()
    found = 0
    for _ in range(150):
        if (other := damaged(content, draw)) != content:
            path.write_bytes(other)
            with pytest.raises(ValueError, match=r"`.*a\.pt` is not a complete checkpoint"):
                checkpoint.load(path)
            found += 1
    assert found > 100
    path.write_bytes(content)
    assert_same(checkpoint.load(path), states[seed])


@pytest.mark.parametrize("checksums", [True, False])
def test_a_file_without_a_digest_is_loaded_with_a_warning(checksums: bool, tmp_path: Path) -> None:
    path, state = tmp_path / "a.pt", {"x": torch.randn(300), "n": 2}
    torch.serialization.set_crc32_options(checksums)
    try:
        torch.save(state, path)
    finally:
        torch.serialization.set_crc32_options(True)
    with pytest.warns(UserWarning, match=r"`.*a\.pt` has no digest") as caught:
        assert_same(checkpoint.load(path), state)
    assert caught[0].filename == __file__


@pytest.mark.skipif(os.name == "nt", reason="limits the size of files")
@pytest.mark.parametrize("kind", ["one tensor", "many tensors", "numbers"])
def test_an_error_of_the_disk_is_raised_as_such_and_the_old_file_stays(
    kind: str, tmp_path: Path
) -> None:
    import resource

    path = tmp_path / "a.pt"
    checkpoint.save({"step": 1}, path)
    states: dict[str, Any] = {
        "one tensor": torch.ones(1_000_000),
        "many tensors": [torch.ones(100_000) for _ in range(10)],
        "numbers": [float(k) for k in range(300_000)],
    }
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, before[1]))
    try:
        with pytest.raises(OSError, match=r"File too large.*a\.pt"):
            checkpoint.save(states[kind], path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert checkpoint.load(path) == {"step": 1}
    assert os.listdir(tmp_path) == ["a.pt"]


def test_what_is_no_regular_file_is_not_replaced(tmp_path: Path) -> None:
    pipe, link = tmp_path / "pipe", tmp_path / "link"
    os.mkfifo(pipe)
    link.symlink_to(pipe)
    for path in (pipe, link):
        with pytest.raises(FileExistsError, match="is no regular file and is not replaced"):
            torchopt.checkpoint.save({"a": torch.ones(2)}, path)
    assert pipe.is_fifo()


def test_folders_are_made_and_links_stay(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "er" / "a.pt"
    checkpoint.save({"step": 1}, str(path))
    (tmp_path / "latest.pt").symlink_to(path)
    checkpoint.save({"step": 2}, tmp_path / "latest.pt")
    assert (tmp_path / "latest.pt").is_symlink()
    assert checkpoint.load(path) == {"step": 2}


# Kills


def run(program: str, path: Path) -> Program:
    words = ["-c", textwrap.dedent(program), str(path)]
    return Program(words, {**os.environ, "OMP_NUM_THREADS": "1"})


WRITER = """
    import itertools, sys
    import torch
    from torchopt import checkpoint

    for n in itertools.count(1):
        checkpoint.save({"n": n, "x": torch.full((1000,), float(n))}, sys.argv[1])
        print(n, flush=True)
"""


def test_a_program_killed_from_outside_leaves_what_it_saved_last(tmp_path: Path) -> None:
    path = tmp_path / "a.pt"
    program = run(WRITER, path)
    until = time.monotonic() + 120
    while program.printed().count("\n") < 12:
        assert program.process.is_alive()
        assert time.monotonic() < until
        time.sleep(0.01)
    status, out, _ = program.end(timeout=0)
    assert status == -signal.SIGKILL
    said = out.count("\n")
    found = checkpoint.load(path)
    assert said <= found["n"] <= said + 1
    assert (found["x"] == found["n"]).all()
    checkpoint.save({}, path)
    assert os.listdir(tmp_path) == ["a.pt"]

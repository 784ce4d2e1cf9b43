"""Batches: a resumed run sees what the uninterrupted one sees, bit for bit."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import pytest
import torch
from torch.utils.data import DataLoader, Dataset, IterableDataset, Sampler, TensorDataset
from torch.utils.data.distributed import DistributedSampler

from _cases import diagonal
from torchopt import checkpoint
from torchopt.multilevel._data import Batches, to_device
from torchopt.multilevel._random import random_state, set_random_state
from torchopt.pytree import tree_flatten

N = 23
DATA = TensorDataset(torch.arange(N), torch.linspace(-1.0, 2.0, N).square())


class Noisy(Dataset[Any]):
    """Draws from each default generator, as augmentations do."""

    def __len__(self) -> int:
        return N

    def __getitem__(self, index: int) -> Any:
        noise = torch.rand(()) + random.random() + float(np.random.rand())
        return index, noise


class OwnNoise(Noisy):
    def __init__(self, kind: str) -> None:
        self.generator: Any = {
            "torch": lambda: torch.Generator().manual_seed(5),
            "python": lambda: random.Random(5),
            "numpy": lambda: np.random.default_rng(5),
            "legacy": lambda: np.random.RandomState(5),
        }[kind]()

    def __getitem__(self, index: int) -> Any:
        if isinstance(self.generator, torch.Generator):
            return index, torch.rand((), generator=self.generator)
        return index, self.generator.random()


class Stream(IterableDataset[Any]):
    """Shuffles within a buffer: what it yields depends on all numbers that it has drawn."""

    def __iter__(self) -> Iterator[Any]:
        buffer: list[int] = []
        for index in range(N):
            buffer.append(index)
            if len(buffer) > 5:
                yield buffer.pop(int(torch.randint(len(buffer), ()))), torch.rand(())
        while buffer:
            yield buffer.pop(random.randrange(len(buffer))), torch.rand(())


class WithoutReplacement(Sampler[int]):
    """Draws lazily and remembers what it has drawn."""

    def __init__(self, generator: Any = None) -> None:
        self.generator = generator

    def __iter__(self) -> Iterator[int]:
        left = list(range(N))
        while left:
            yield left.pop(int(torch.randint(len(left), (), generator=self.generator)))

    def __len__(self) -> int:
        return N


class Counting:
    """A loader of the user's, shuffled by the number of its epoch."""

    def __init__(self) -> None:
        self.epoch = 0

    def __iter__(self) -> Iterator[torch.Tensor]:
        self.epoch += 1
        order = torch.randperm(N, generator=torch.Generator().manual_seed(self.epoch))
        return iter(order.split(4))


class Restarting:
    """An iterator that begins anew at `__iter__`, and makes its attributes there."""

    def __iter__(self) -> Restarting:
        self.i = 0
        self.generator = torch.Generator().manual_seed(3)
        return self

    def __next__(self) -> torch.Tensor:
        if self.i == 6:
            raise StopIteration
        self.i += 1
        return torch.rand(2, generator=self.generator)


class Keeping:
    """A loader that keeps its position, with the protocol of torchdata."""

    def __init__(self) -> None:
        self.position = 0
        self.order: Any = None
        self.goes_on = False

    def __iter__(self) -> Iterator[Any]:
        if not self.goes_on:
            self.position, self.order = 0, torch.randperm(N)
        self.goes_on = False
        while self.position < 6:
            self.position += 1
            yield self.order[4 * self.position - 4 : 4 * self.position]

    def state_dict(self) -> dict[str, Any]:
        torch.rand(3)  # a careless one
        return {"position": self.position, "order": self.order}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.position, self.order = state["position"], state["order"]
        self.goes_on = self.order is not None


def g(seed: int = 7) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def flip(samples: list[Any]) -> Any:
    return [sample[0] * random.choice([-1, 1]) for sample in samples], float(np.random.rand())


def shuffled(data: Any = DATA, **options: Any) -> DataLoader[Any]:
    return DataLoader(data, batch_size=4, shuffle=True, **options)


LOADERS: dict[str, Callable[[], Any]] = {
    "plain": lambda: DataLoader(DATA, batch_size=4),
    "shuffled": shuffled,
    "own generator": lambda: shuffled(generator=g()),
    "augmented": lambda: shuffled(Noisy()),
    "augmented when collated": lambda: DataLoader(DATA, batch_size=4, collate_fn=flip),
    **{
        f"augmented by {kind}": lambda kind=kind: shuffled(OwnNoise(kind))
        for kind in ("torch", "python", "numpy", "legacy")
    },
    "lazy sampler with own generator": lambda: DataLoader(
        DATA, batch_size=4, sampler=WithoutReplacement(g())
    ),
    "distributed": lambda: DataLoader(
        DATA, batch_size=2, sampler=DistributedSampler(DATA, num_replicas=2, rank=1)
    ),
    "stream": lambda: DataLoader(Stream(), batch_size=4),
    "list": lambda: [*DATA.tensors[1].split(4)],
    "counting": Counting,
    "restarting": Restarting,
    "keeping": Keeping,
    "none": lambda: None,
}
WORKERS: dict[str, Callable[[], Any]] = {
    "shuffled by workers": lambda: shuffled(Noisy(), num_workers=2),
    "stream of workers": lambda: DataLoader(Stream(), batch_size=4, num_workers=2),
    "persistent workers": lambda: shuffled(num_workers=2, persistent_workers=True, generator=g()),
}


def train(batches: Batches, steps: int, *, peek: bool = False) -> list[Any]:
    """Use batches, drawing from the default generators between them."""
    seen = []
    for _ in range(steps):
        batch = batches.next()
        torch.nn.functional.dropout(torch.ones(7))
        random.random()
        seen.append((batch, batches.epoch, float(torch.rand(()))))
        if peek:
            batches.peek()
            torch.rand(1)
    return seen


def seed(value: int) -> None:
    torch.manual_seed(value)
    random.seed(value)
    np.random.seed(value)


def assert_same(a: Any, b: Any) -> None:
    (x, spec), (y, other) = tree_flatten(a), tree_flatten(b)
    assert spec == other
    for p, q in zip(x, y, strict=True):
        assert torch.equal(p, q) if isinstance(p, torch.Tensor) else p == q


def assert_resumes(
    make: Callable[[], Any],
    used: int,
    path: Any,
    *,
    peek: bool = False,
    into: int | None = None,
    steps: int = 15,
) -> None:
    seed(0)
    batches = Batches(make())
    train(batches, used, peek=peek)
    state = {"data": batches.state_dict(), "random": random_state()}
    checkpoint.save(state, path)
    expected = train(batches, steps, peek=peek)

    seed(99)
    resumed = Batches(make())
    if into is not None:
        train(resumed, into)
    state = checkpoint.load(path)
    for _ in range(2):
        resumed.load_state_dict(state["data"])
        set_random_state(state["random"])
    assert_same(train(resumed, steps, peek=peek), expected)


USED = [0, 3, 6, 8]


@pytest.mark.parametrize(("name", "used"), diagonal([*LOADERS], USED))
def test_a_resumed_run_sees_the_same_batches(name: str, used: int, tmp_path: Any) -> None:
    # Either way of each loader, and in the short run of half of them.
    peek = bool(([*LOADERS].index(name) + USED.index(used) // 2) % 2)
    if name == "restarting" and used == 0:
        used = 2
    into = None if name == "restarting" and used <= 6 else 3
    assert_resumes(LOADERS[name], used, tmp_path / "a", peek=peek)
    if into is not None:
        assert_resumes(LOADERS[name], used, tmp_path / "b", peek=peek, into=into)


@pytest.mark.parametrize(("name", "used"), diagonal([*WORKERS], [2, 8]))
def test_a_resumed_run_sees_the_same_batches_from_workers(
    name: str, used: int, tmp_path: Any
) -> None:
    # Workers are opened in each epoch, of six batches: into the next one.
    assert_resumes(WORKERS[name], used, tmp_path / "a", peek=used == 8, into=1, steps=8)


def test_persistent_workers_that_draw_are_warned_of_after_the_first_epoch(tmp_path: Any) -> None:
    def make() -> DataLoader[Any]:
        return shuffled(Noisy(), num_workers=1, persistent_workers=True)

    assert_resumes(make, 2, tmp_path / "a", steps=8)  # in the first epoch, without a warning
    batches = Batches(make(), name="the loader of `inner`")
    train(batches, 8)
    sentence = "the loader of `inner` has persistent workers: .* set `persistent_workers=False`"
    with pytest.warns(UserWarning, match=sentence) as saved:
        state = batches.state_dict()
    resumed = Batches(make(), name="the loader of `inner`")
    with pytest.warns(UserWarning, match=sentence) as loaded:
        resumed.load_state_dict(state)
    ours = [w for w in (*saved, *loaded) if w.category is not DeprecationWarning]  # that of `fork`
    assert [w.filename for w in ours] == [__file__] * 2


@pytest.mark.parametrize("order", [-1, 1])
def test_loaders_that_share_a_generator_resume(order: int) -> None:
    def make() -> tuple[Batches, Batches]:
        shared = g()
        return Batches(shuffled(generator=shared)), Batches(
            shuffled(OwnNoise("torch"), generator=shared)
        )

    first = make()
    for batches, steps in zip(first, (5, 8), strict=True):
        train(batches, steps)
    states = [batches.state_dict() for batches in first]
    expected = [train(batches, 9) for batches in first]
    second = make()
    for batches, state in list(zip(second, states, strict=True))[::order]:
        batches.load_state_dict(state)
    found = [train(batches, 9) for batches in second]
    assert_same([[s[0] for s in t] for t in found], [[s[0] for s in t] for t in expected])


def test_peek_draws_ahead_and_epochs_are_counted_for_the_batch_that_is_used() -> None:
    ended: list[int] = []
    batches = Batches([1, 2], on_epoch_end=lambda: ended.append(batches.epoch))
    assert [batches.next(), batches.next(), batches.epoch, ended] == [1, 2, 0, []]
    assert [batches.peek(), batches.peek(), batches.epoch, ended] == [1, 1, 0, [0]]
    assert [batches.next(), batches.epoch, batches.next(), batches.peek()] == [1, 1, 2, 1]
    assert ended == [0, 1]


def test_resuming_ends_no_epoch() -> None:
    for make in (Keeping, lambda: [1, 2, 3, 4, 5, 6]):
        batches = Batches(make())
        for _ in range(6):
            batches.next()
        batches.peek()
        ended: list[int] = []
        resumed = Batches(make(), on_epoch_end=lambda ended=ended: ended.append(1))
        resumed.load_state_dict(batches.state_dict())
        assert not ended
        resumed.next()
        assert resumed.epoch == 1


def test_samplers_and_data_sets_are_told_the_epoch() -> None:
    class Told:
        def __init__(self) -> None:
            self.told: list[int] = []

        def set_epoch(self, epoch: int) -> None:
            self.told.append(epoch)

    class Loader(Told):
        def __init__(self) -> None:
            super().__init__()
            self.sampler = self.dataset = Told()
            self.batch_sampler = Told()
            self.batch_sampler.sampler = Told()  # type: ignore[attr-defined]

        def __iter__(self) -> Iterator[int]:
            return iter(range(3))

    loader = Loader()
    batches = Batches(loader)
    for _ in range(7):
        batches.next()
    parts = loader, loader.sampler, loader.batch_sampler, loader.batch_sampler.sampler  # type: ignore[attr-defined]
    assert [part.told for part in parts] == [[0, 1, 2]] * 4

    batches = Batches(DataLoader(DATA, batch_size=23, sampler=DistributedSampler(DATA, 1, 0)))
    (a, _), (b, _) = batches.next(), batches.next()
    assert a.sort()[0].tolist() == b.sort()[0].tolist() == list(range(N))
    assert a.tolist() != b.tolist()


# An iterator, which is read once


def test_a_fresh_iterator_is_skipped_forward() -> None:
    batches = Batches(iter(range(10)))
    assert [batches.next() for _ in range(4)] == [0, 1, 2, 3]
    batches.peek()
    resumed = Batches(i for i in range(10))
    resumed.load_state_dict(batches.state_dict())
    assert [resumed.next() for _ in range(3)] == [4, 5, 6]


def test_an_iterator_goes_forward_but_not_back() -> None:
    def at(used: int, *, peek: bool = False) -> Batches:
        batches = Batches(iter(range(10)))
        for _ in range(used):
            batches.next()
        if peek:
            batches.peek()
        return batches

    for start, peeked in ((2, False), (2, True), (4, True), (5, False)):
        batches = at(start, peek=peeked)
        batches.load_state_dict(at(5).state_dict())
        assert batches.next() == 5
    for start in (2, 4):
        batches = at(start, peek=True)
        batches.load_state_dict(at(4, peek=True).state_dict())
        assert [batches.next(), batches.next()] == [4, 5]
    for start, end in ((at(6), at(5)), (at(5), at(4, peek=True)), (at(1), at(0))):
        with pytest.raises(
            ValueError, match="beyond the position of the saved run and cannot go back"
        ):
            start.load_state_dict(end.state_dict())
    with pytest.raises(ValueError, match="yields 3 batches, but the saved run had used 5"):
        Batches(iter(range(3))).load_state_dict(at(5).state_dict())


def test_an_iterator_that_ends_is_an_error() -> None:
    batches = Batches((i for i in range(2)), name="the loader of problem `inner`")
    batches.next(), batches.next()
    with pytest.raises(
        ValueError, match=r"^the loader of problem `inner` is an iterator that has ended"
    ):
        batches.next()
    with pytest.raises(ValueError, match="yields no batch"):
        Batches([]).next()
    with pytest.raises(ValueError, match="yields no batch"):
        Batches(iter(())).next()


def test_stacked_tensors_come_row_by_row_and_must_have_as_many() -> None:
    x = torch.arange(6.0).view(3, 2)
    batches = Batches({"x": x, "y": torch.arange(3)})
    drawn = [batches.next() for _ in range(4)]
    assert batches.epoch == 1
    assert all(torch.equal(b["x"], x[k % 3]) and b["y"] == k % 3 for k, b in enumerate(drawn))
    with pytest.raises(ValueError, match=r"the loader\['y'\]` is a tensor of shape \(2,\)"):
        Batches({"x": x, "y": torch.arange(2)}, name="the loader")


def test_a_function_of_the_step_is_called_for_each_step_once_and_resumes_where_it_was() -> None:
    asked: list[int] = []

    def batch_of(step: int) -> int:
        asked.append(step)
        return 10 * step

    batches = Batches(batch_of)
    assert [batches.next() for _ in range(3)] == [0, 10, 20]
    assert (batches.peek(), batches.epoch) == (30, 0)
    resumed = Batches(batch_of)
    resumed.load_state_dict(batches.state_dict())
    asked.clear()
    assert [resumed.next(), resumed.next()] == [30, 40]
    assert asked == [4]  # step 3, the one that was peeked at, was asked for when it was loaded


def test_other_data_or_generators_are_refused() -> None:
    batches = Batches(shuffled(generator=g()))
    train(batches, 3)
    with pytest.raises(ValueError, match=r"generator `loader.sampler.generator`, which is missing"):
        Batches(shuffled()).load_state_dict(batches.state_dict())
    batches = Batches([1, 2, 3])
    batches.next(), batches.next()
    with pytest.raises(ValueError, match="yields 1 batches, but the saved run had used 2"):
        Batches([1]).load_state_dict(batches.state_dict())


# Devices, random states


class Pair(NamedTuple):
    a: Any
    b: Any


def test_to_device_moves_the_tensors_of_any_nest() -> None:
    class Odd:
        def to(self, device: Any) -> str:
            return f"on {device}"

    x = torch.ones(2)
    with torch.device("cpu"):  # where PyTorch wants lengths
        packed = torch.nn.utils.rnn.pack_sequence([torch.ones(3), torch.ones(2)])
    batch = {"b": [x, (x, None)], "a": Pair(x, "word"), "c": Odd(), "d": 3, "p": packed, "t": Odd}
    moved = to_device(batch, "meta")
    assert list(moved) == list(batch)
    assert isinstance(moved["a"], Pair)
    tensors = [moved["b"][0], moved["b"][1][0], moved["a"].a, moved["p"].data]
    assert all(t.device.type == "meta" for t in tensors)
    assert moved["p"].batch_sizes.device.type == "cpu"
    assert (moved["b"][1][1], moved["a"].b, moved["c"], moved["d"]) == (None, "word", "on meta", 3)
    assert moved["t"] is Odd
    assert to_device(x, "meta").device.type == "meta"
    assert to_device(batch, None) is batch
    assert to_device(None, "cpu") is None

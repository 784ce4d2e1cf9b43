"""Each collective, inside of a program, against the same program written for one process.

A program is a scalar function of a replicated vector, in which each rank has its own data.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
import torch
from _ranks import WORLD, Ranks, shared_ranks

from _cases import diagonal
from torchopt.distributed import spmd

pytestmark = pytest.mark.processes

Tensor = torch.Tensor
LENGTHS = (4, 1, 3, 2)  # of the ranks' data


@pytest.fixture(scope="module")
def ranks() -> Ranks:
    return shared_ranks()


def theta() -> Tensor:
    return torch.tensor([0.3, -0.7, 0.9, 0.4, -0.2], dtype=torch.float64)


GEN = torch.Generator().manual_seed(0)
DATA = [torch.randn(length, 5, generator=GEN, dtype=torch.float64) for length in LENGTHS]


def data(rank: int) -> Tensor:
    return DATA[rank]


def local(t: Tensor, d: Tensor) -> Tensor:
    """What a rank computes: as many rows as it has data, of three columns."""
    return torch.tanh(d * t)[:, :3] + (d @ t).sin().pow(2).sum() * t[2:]


def ending(y: Tensor, d: Tensor) -> Tensor:
    """A scalar of what a collective gave, and of the data of the rank again."""
    return (y * (1 + y.cos()) * d.mean()).sum() + (y**3).sum()


class Program(NamedTuple):
    """``parallel(group, t)`` on each rank; ``serial(n, t)`` is what it means."""

    parallel: Callable[[Any, Tensor], Tensor]
    serial: Callable[[int, Tensor], Tensor]


def serial(n: int, t: Tensor, collective: Callable[[list[Tensor]], list[Tensor]]) -> Tensor:
    found = collective([local(t, data(r)) for r in range(n)])
    return sum((ending(y, data(r)) for r, y in enumerate(found)), torch.zeros(()).double())


def parallel(group: Any, t: Tensor, collective: Callable[[Tensor, Any], Tensor]) -> Tensor:
    mine = data(group.rank())
    y = collective(local(spmd.pvary(t, group=group), mine), group)
    return spmd.psum(ending(y, mine), group=group)


def uneven(n: int, length: int) -> tuple[int, ...]:
    """Parts of a length, the first much longer, the last empty."""
    return (length,) if n == 1 else (length - n + 2, *[1] * (n - 2), 0)


def rolled(n: int) -> list[tuple[int, int]]:
    return [(r, (r + 1) % n) for r in range(n)][: max(1, n - 1)]  # the last one sends nothing


# What is communicated: the sums of each rank's columns (of equal shape), or its rows (uneven).


def on_sums(f: Callable[[Tensor, Any], Tensor]) -> Callable[[Tensor, Any], Tensor]:
    return lambda x, group: f(x.sum(0), group)


def to_all(f: Callable[[list[Tensor]], Tensor]) -> Callable[[list[Tensor]], list[Tensor]]:
    return lambda xs: [f(xs)] * len(xs)


def wide(x: Tensor) -> Tensor:
    return torch.cat([x, x.sin(), 2 * x])


def serial_reduce_scatter(xs: list[Tensor]) -> list[Tensor]:
    return list(sum(wide(x.sum(0)) for x in xs).split(uneven(len(xs), 9)))  # type: ignore[union-attr]


def serial_ppermute(xs: list[Tensor]) -> list[Tensor]:
    source = {b: a for a, b in rolled(len(xs))}
    sums = [x.sum(0) for x in xs]
    return [sums[source[r]] if r in source else 0 * sums[r] for r in range(len(xs))]


def program(
    collective: Callable[[Tensor, Any], Tensor], reference: Callable[[list[Tensor]], list[Tensor]]
) -> Program:
    return Program(
        functools.partial(parallel, collective=collective),
        functools.partial(serial, collective=reference),
    )


def inner_loop(group: Any, t: Tensor) -> Tensor:
    """Data-parallel inner steps, then a data-parallel outer loss."""
    mine = data(group.rank())

    def loss(w: Tensor) -> Tensor:
        penalty = (spmd.pvary(t, group=group).exp() * spmd.pvary(w, group=group) ** 2).sum()
        return spmd.psum((mine @ spmd.pvary(w, group=group)).tanh().sum() + penalty, group=group)

    w = t
    for _ in range(2):
        w = w - 0.1 * torch.func.grad(loss)(w)
    return spmd.psum((mine @ spmd.pvary(w, group=group)).sin().sum(), group=group)


def serial_inner_loop(n: int, t: Tensor) -> Tensor:
    def loss(w: Tensor) -> Tensor:
        parts = [(data(r) @ w).tanh().sum() + (t.exp() * w**2).sum() for r in range(n)]
        return torch.stack(parts).sum()

    w = t
    for _ in range(2):
        w = w - 0.1 * torch.func.grad(loss)(w)
    return torch.stack([(data(r) @ w).sin().sum() for r in range(n)]).sum()


def sharded_then_whole(group: Any, t: Tensor) -> Tensor:
    """All that is replicated stays so: no sum over ranks at the end."""
    sizes = uneven(group.size(), 5)
    part = spmd.shard(t, group=group, sizes=sizes)
    whole = spmd.all_gather((part * part.sin()), group=group, sizes=sizes)
    return (whole.cumsum(0) ** 3).sum()


PROGRAMS = {
    "psum": program(
        on_sums(
            lambda x, g: spmd.pvary(spmd.psum({"a": x, "b": [x.sin()]}, group=g)["a"], group=g)
        ),
        to_all(lambda xs: sum(x.sum(0) for x in xs)),  # type: ignore[arg-type,return-value]
    ),
    "pmean": program(
        lambda x, g: spmd.pvary(spmd.pmean(x.mean(0), group=g, weight=len(x)), group=g),
        to_all(lambda xs: torch.cat(xs).mean(0)),
    ),
    "all_gather": program(
        lambda x, g: spmd.pvary(spmd.all_gather(x, 0, group=g), group=g),
        to_all(lambda xs: torch.cat(xs)),
    ),
    "all_gather varying": program(
        lambda x, g: spmd.all_gather(x.mT, -1, group=g, varying=True),
        to_all(lambda xs: torch.cat(xs).mT),
    ),
    "reduce_scatter": program(
        on_sums(lambda x, g: spmd.reduce_scatter(wide(x), group=g, sizes=uneven(g.size(), 9))),
        serial_reduce_scatter,
    ),
    "inner loop": Program(inner_loop, serial_inner_loop),
    "ppermute": program(
        on_sums(lambda x, g: spmd.ppermute(x, rolled(g.size()), group=g)), serial_ppermute
    ),
    "broadcast": program(
        on_sums(lambda x, g: spmd.pvary(spmd.broadcast(x, g.size() - 1, group=g), group=g)),
        to_all(lambda xs: xs[-1].sum(0)),
    ),
    "shard and all_gather": Program(
        sharded_then_whole, lambda n, t: ((t * t.sin()).cumsum(0) ** 3).sum()
    ),
}


def derivatives(f: Callable[[Tensor], Tensor], *, all_ways: bool) -> dict[str, Tensor]:
    """A scalar function's derivatives to third order; in all ways, or in the two most used."""
    t = theta()
    v = torch.linspace(-1, 1, 5, dtype=torch.float64)
    first = torch.func.grad(f)
    second = torch.func.grad(lambda t: (first(t) ** 2).sum())
    third = torch.func.grad(lambda t: (second(t) ** 2).sum())
    batch = torch.stack([t, 2 * t, -t])
    x = theta().requires_grad_()
    (g1,) = torch.autograd.grad(f(x), x, create_graph=True)
    (g2,) = torch.autograd.grad((g1**2).sum(), x, create_graph=True)
    (g3,) = torch.autograd.grad((g2**2).sum(), x)
    found = {
        "value": f(t),
        "first": first(t),
        "second": second(t),
        "third": third(t),
        "autograd first": g1.detach(),
        "autograd second": g2.detach(),
        "autograd third": g3,
    }
    if not all_ways:
        return found
    return found | {
        "jvp": torch.func.jvp(f, (t,), (v,))[1],
        "jvp of jvp": torch.func.jvp(
            lambda t: torch.func.jvp(f, (t,), (v,))[1], (t,), (v.flip(0),)
        )[1],
        "forward over reverse": torch.func.jvp(first, (t,), (v,))[1],
        "reverse over forward": torch.func.grad(lambda t: torch.func.jvp(f, (t,), (v,))[1])(t),
        "hessian": torch.func.hessian(f)(t),
        "vmap": torch.func.vmap(f)(batch),
        "vmap of grad": torch.func.vmap(first, in_dims=1)(batch.mT),
        "vmap of hessian": torch.func.vmap(torch.func.hessian(f))(batch[:2]),
    }


def derivatives_on_rank(group: Any, name: str) -> dict[str, Tensor]:
    f = functools.partial(PROGRAMS[name].parallel, group)
    return derivatives(f, all_ways=group.size() == 3)


@pytest.mark.parametrize(("name", "size"), diagonal([*PROGRAMS], range(1, WORLD + 1)))
def test_every_derivative_is_that_of_the_serial_program(ranks: Ranks, name: str, size: int) -> None:
    expected = derivatives(functools.partial(PROGRAMS[name].serial, size), all_ways=size == 3)
    for found in ranks.run(derivatives_on_rank, name, size=size):
        for what, value in expected.items():
            torch.testing.assert_close(
                found[what], value, rtol=1e-12, atol=1e-12 * float(value.abs().max() + 1), msg=what
            )


def values(group: Any) -> dict[str, Any]:
    r, n = group.rank(), group.size()
    x = torch.arange(6).reshape(2, 3) + 10 * r  # integers
    z = torch.complex(torch.tensor([1.0 + r]), torch.tensor([2.0])).requires_grad_()
    total = spmd.psum(z.conj(), group=group)
    (slope,) = torch.autograd.grad((total * total.conj()).real.sum(), z)
    return {
        "psum": spmd.psum({"i": x, "none": None, "h": x.to(torch.float16)}, group=group),
        "shard": spmd.shard(x, 1, group=group),
        "all_gather": spmd.all_gather(x[: r % 2], 0, group=group),
        "reduce_scatter": spmd.reduce_scatter(x, 0, group=group, sizes=[2, *[0] * (n - 1)]),
        "broadcast": spmd.broadcast(x, 1, group=group),
        "ppermute": spmd.ppermute(x, [(0, 1)], group=group),
        "pmean": [
            spmd.pmean(x, group=group, weight=w).tolist() for w in (None, 0.5, 0.25 + 0.5 * r)
        ],
        "complex": (total.detach(), slope.resolve_conj()),  # the flag is lost on the way
    }


def test_integers_half_precision_complex_numbers_and_missing_leaves(ranks: Ranks) -> None:
    x = torch.arange(6).reshape(2, 3)
    found = ranks.run(values, size=2)
    for r, row in enumerate(found):
        assert row["psum"]["none"] is None
        assert torch.equal(row["psum"]["i"], 2 * x + 10)
        assert torch.equal(row["psum"]["h"], (2 * x + 10).half())
        assert torch.equal(row["shard"], (x + 10 * r)[:, :2] if r == 0 else (x + 10 * r)[:, 2:])
        assert torch.equal(row["all_gather"], x[:1] + 10)
        assert torch.equal(row["reduce_scatter"], 2 * x + 10 if r == 0 else x[:0])
        assert torch.equal(row["broadcast"], x + 10)
        assert torch.equal(row["ppermute"], x if r == 1 else 0 * x)
        means = [x + 5.0, x + 5.0, x + 7.5]
        assert row["pmean"] == [mean.tolist() for mean in means]
        total, slope = row["complex"]
        assert torch.equal(total, torch.tensor([3.0 - 4.0j]))
        assert torch.equal(slope, torch.tensor([6.0 + 8.0j]))  # 2 conj(total), as PyTorch has it


# Misuse


SPARSE = (torch.Tensor.to_sparse_csr, torch.Tensor.to_sparse_csc, torch.Tensor.to_sparse)


def mistakes(group: Any) -> dict[str, str]:
    def message(f: Callable[[], Any]) -> str:
        try:
            f()
        except (TypeError, ValueError, RuntimeError) as error:
            return f"{type(error).__name__}: {error}"
        return "nothing was raised"

    r, x, eye = group.rank(), torch.ones(3), torch.eye(3)
    calls: dict[str, Callable[[], Any]] = {
        "no tensor": lambda: spmd.psum({"a": [x, 1.0]}, group=group),
        "no dimension": lambda: spmd.all_gather({"a": x[0]}, group=group),
        "sizes do not add up": lambda: spmd.shard(x, group=group, sizes=[1, 1]),
        "sizes of other ranks": lambda: spmd.all_gather(x, group=group, sizes=[2, 2]),
        "too few sizes": lambda: spmd.reduce_scatter(x, group=group, sizes=[3]),
        "no such rank": lambda: spmd.broadcast(x, 2, group=group),
        "sends twice": lambda: spmd.ppermute(x, [(0, 1), (0, 0)], group=group),
        "no group": lambda: spmd.psum(x, group="dp"),  # type: ignore[arg-type]
        "dtype": lambda: spmd.psum(x.to(torch.int16), group=group),
        "not replicated": lambda: spmd.check_replicated(
            {"w": [x, x + r]}, group=group, name="grads"
        ),
        "sparse": lambda: spmd.check_replicated(
            [same for kind in SPARSE for same in (kind(eye), kind(eye))]
            + [eye.to_sparse() + r * eye.to_sparse()],
            group=group,
        ),
    }
    found = {name: message(call) for name, call in calls.items()}
    with spmd.checked():
        found["shapes"] = message(lambda: spmd.psum(torch.ones(3 + r), group=group))
        found["calls"] = message(lambda: (spmd.psum if r else spmd.broadcast)(x, group=group))
        found["pvary"] = message(lambda: spmd.pvary(x + r, group=group))

        def without_pvary(t: Tensor) -> Tensor:
            return spmd.psum((t * (1 + r)).sum(), group=group)

        def step() -> None:
            moved = x - torch.func.grad(without_pvary)(x)
            torch.func.grad(without_pvary)(spmd.pvary(moved, group=group))

        def on_one_rank() -> None:
            t = x.clone().requires_grad_()
            (spmd.psum((spmd.pvary(t, group=group) ** 2).sum(), group=group) * (r == 0)).backward()

        found["gradient of one rank"] = message(step)
        found["loss of one rank"] = message(on_one_rank)
        found["right"] = message(
            lambda: torch.func.hessian(lambda t: inner_loop(group, t))(theta())
        )
    return found


def test_misuse_is_told(ranks: Ranks) -> None:
    expected = {
        "no tensor": "TypeError: `tree['a'][1]` is an object of type float",
        "no dimension": "ValueError: `tree['a']` has shape (), and so no dimension 0",
        "sizes do not add up": "`sizes` adds up to 2",
        "sizes of other ranks": "`sizes` says 2",
        "too few sizes": "a length for each of the 2 ranks",
        "no such rank": "`source`, a rank of the group, is 2: use a number at least 0 and at most 1",
        "sends twice": "rank 0 sends twice",
        "no group": "TypeError: `group` is an object of type str",
        "dtype": "TypeError: the backend of the process group has no all_reduce of torch.int16",
        "not replicated": "`grads['w'][1]` is not replicated",
        "sparse": "`tree[6]` is not replicated",
        "shapes": "rank 0 of the group psum of torch.float32 (3,)",
        "calls": "rank 0 of the group broadcast of torch.float32 (3,)",
        "pvary": "must be replicated",
        "gradient of one rank": "is a `pvary` missing",
        "loss of one rank": "is a loss used on some ranks only",
        "right": "nothing was raised",
    }
    for found in ranks.run(mistakes, size=2):
        for name, text in expected.items():
            assert text in found[name], name
        assert "test_collectives.py:" in found["calls"]

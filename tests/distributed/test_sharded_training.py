"""Solutions of sharded parameters and their derivatives: those of one process with whole ones."""

from __future__ import annotations

import functools
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import torch
from _ranks import WORLD, Ranks, shared_ranks
from torch import nn
from torch.func import functional_call
from torch.multiprocessing.reductions import StorageWeakRef
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

import torchopt
from _cases import diagonal
from torchopt import optimizers
from torchopt.diff import Explicit, Implicit, OneStep, ValueFunction, ZeroOrder, _resume
from torchopt.diff.zero_order import Antithetic
from torchopt.distributed import spmd
from torchopt.errors import ReplayError
from torchopt.multilevel import BOME, F2SA, PBGD, Level, MoreauEnvelope, SingleLoop

pytestmark = pytest.mark.processes

Tensor = torch.Tensor
Forward = Callable[[Any, Tensor], Tensor]
WIDTH, STEPS = 8, 4
GEN = torch.Generator().manual_seed(0)
X, Y = (torch.randn(8, n, generator=GEN, dtype=torch.float64) for n in (3, 1))

MODES: dict[str, Any] = {
    "graph": Explicit(),
    "truncated": Explicit(truncate=2),
    "offloaded": Explicit(offload="disk"),
    "step": Explicit("step"),
    "step, first order": Explicit("step", first_order=True),
    "step, offloaded": Explicit("step", offload="disk"),
    "step, on the host": Explicit("step", offload="cpu"),
    "step, by differences": Explicit("step", hvp="finite_difference"),
    "sqrt": Explicit("sqrt"),
    "tree": Explicit("tree"),
    "tree, truncated": Explicit("tree", truncate=3),
    "two checkpoints": Explicit("tree", carries=2),
    "one step": OneStep(),
    "one step, by differences": OneStep(hvp="finite_difference"),
    "implicit": Implicit(torchopt.linear_solve.CG(rtol=1e-14, ridge=10.0)),
    "zero order": ZeroOrder(Antithetic(num_samples=2), generator=0),
    "value function": ValueFunction(),
}
SOLVERS: dict[str, Callable[[], Any]] = {
    "sgd": lambda: optimizers.sgd(0.1),
    "momentum": lambda: optimizers.sgd(0.1, momentum=0.9),
    "adam": lambda: optimizers.adam(0.1),
    "adamw": lambda: optimizers.adamw(0.1),
    "lion": lambda: optimizers.lion(0.1),
    "muon": lambda: optimizers.muon(0.1),
    "lamb": lambda: optimizers.lamb(0.1),
    "adafactor": lambda: optimizers.adafactor(0.1),
    "shampoo": lambda: optimizers.shampoo(0.1),
    "kron": lambda: optimizers.kron(0.1),
    "momo": lambda: optimizers.momo(0.1),
    "dog": lambda: optimizers.dog(),
    "noisy_sgd": lambda: optimizers.noisy_sgd(0.1),
    "clipped": lambda: torchopt.chain(torchopt.transform.clip_grad_norm(0.1), optimizers.adam(0.1)),
    "projected": lambda: torchopt.chain(
        optimizers.sgd(0.1), torchopt.transform.project(torchopt.sets.L1Ball(0.5))
    ),
}
#: Of a rounding of 1e-16, a difference makes one of 1e-11.
LOOSE = ("step, by differences", "one step, by differences")


def net(width: int) -> nn.Module:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(3, width), nn.Tanh(), nn.Linear(width, 1)).double()


# Each returns the parameters, and the call of a module with parameters.


def whole(group: Any, width: int) -> tuple[dict[str, Tensor], Forward]:
    model = net(width)
    return dict(model.named_parameters()), lambda p, x: functional_call(model, p, (x,))


def fully_sharded(group: Any, width: int, dims: int = 1) -> tuple[dict[str, Tensor], Forward]:
    from torch.distributed.fsdp import fully_shard

    model, wrapped = net(width), fully_shard(net(width), mesh=mesh_of(group, dims))

    def call(params: Any, x: Tensor) -> Tensor:
        return functional_call(model, spmd.unshard(params, varying=False), (x,))

    return dict(wrapped.named_parameters()), call


def hybrid(group: Any, width: int) -> tuple[dict[str, Tensor], Forward]:
    return fully_sharded(group, width, dims=2)


def tensor_parallel(group: Any, width: int) -> tuple[dict[str, Tensor], Forward]:
    from torch.distributed.tensor import parallel

    plan = {"0": parallel.ColwiseParallel(), "2": parallel.RowwiseParallel()}
    model = parallel.parallelize_module(net(width), mesh_of(group), plan)
    return dict(model.named_parameters()), lambda p, x: functional_call(model, p, (x,))


def by_operations(group: Any, width: int) -> tuple[dict[str, Tensor], Forward]:
    from torch.distributed.tensor import DTensor, Replicate, Shard, distribute_tensor

    mesh, model = mesh_of(group), net(width)
    params = {
        k: distribute_tensor(p.detach(), mesh, [Shard(0)], src_data_rank=None).requires_grad_()
        for k, p in model.named_parameters()
    }

    def call(params: Any, x: Tensor) -> Tensor:
        every = DTensor.from_local(x, mesh, [Replicate()], run_check=False)
        result: Tensor = functional_call(model, params, (every,)).full_tensor()
        return result

    return params, call


LAYOUTS = {f.__name__: f for f in (fully_sharded, tensor_parallel, by_operations)}


def mesh_of(group: Any, dims: int = 1) -> Any:
    from torch.distributed.device_mesh import DeviceMesh, init_device_mesh

    if dims == 2:
        return init_device_mesh("cpu", (2, WORLD // 2), mesh_dim_names=("copies", "parts"))
    return DeviceMesh.from_group(group, "cpu")


@pytest.fixture(scope="module")
def ranks() -> Ranks:
    return shared_ranks()


def full(t: Any) -> Any:
    return t.full_tensor().detach() if hasattr(t, "full_tensor") else t.detach()


def solved(
    group: Any,
    layout: Callable[..., Any],
    mode: str,
    solver: str,
    parts: int,
    width: int,
    folder: str | None = None,
) -> list[Tensor | None]:
    """Return the solution, and the gradient of an outer loss by all that it depends on."""
    params, forward = layout(group, width)
    weights = torch.linspace(0.5, 1.5, len(X), dtype=torch.float64).requires_grad_()
    decay = torch.tensor(0.1, dtype=torch.float64, requires_grad=True)

    def objective(params: Any, weights: Tensor, decay: Tensor, batch: Any) -> Tensor:
        x, y, rows = batch
        loss = (weights[rows, None] * (forward(params, x) - y).square()).mean()
        squares = [p.square().sum() for p in params.values()]
        sums = [s.full_tensor() if hasattr(s, "full_tensor") else s for s in squares]
        return loss + decay * torch.stack(sums).sum()

    solution = torchopt.minimize(
        objective,
        params,
        (weights, decay),
        solver=SOLVERS[solver](),
        steps=STEPS,
        batches=[(X, Y, torch.arange(len(X)))] * STEPS,
        micro_batches=parts,
        diff=MODES[mode],
        checkpoint=folder,
    )
    for before, after in zip(params.values(), solution.params.values(), strict=True):
        assert getattr(before, "placements", None) == getattr(after, "placements", None)
    outer = (forward(solution.params, X[:4].flip(0)) - 1).square().sum()
    inputs = [weights, decay, *params.values()]
    grads = torch.autograd.grad(outer, inputs, allow_unused=True)
    return [*map(full, solution.params.values()), *(None if g is None else full(g) for g in grads)]


@functools.cache
def expected(mode: str, solver: str, parts: int, width: int) -> list[Tensor | None]:
    return solved(None, whole, mode, solver, parts, width)


def check(
    ranks: Ranks, size: int, layout: str, mode: str, solver: str, parts: int = 1, width: int = WIDTH
) -> None:
    tolerance = 1e-9 if mode in LOOSE else 1e-12
    truth = expected(mode, solver, parts, width)
    try:
        results = ranks.run(solved, ALL[layout], mode, solver, parts, width, size=size)
    except AssertionError as error:
        if torch.__version__ < (2, 12) and "before PyTorch 2.12, the gradient" in str(error):
            return
        raise
    for found in results:
        for a, b in zip(found, truth, strict=True):
            assert (a is None) == (b is None)
            if a is not None and b is not None:
                assert (a - b).abs().max() <= tolerance * b.abs().max()


ALL: dict[str, Any] = {**LAYOUTS, "hybrid": hybrid}


#: The others differ in what any parameters show.
FAST = (
    *("graph", "step", "step, by differences", "tree", "one step", "implicit", "zero order"),
    "value function",
)
#: Of a model's copies, each sharded, in four processes; the graph is that of the optimizers below.
COPIED = ("step", "one step", "implicit", "zero order", "value function")


@pytest.mark.parametrize(("mode", "layout"), diagonal(FAST, [*LAYOUTS]))
def test_a_mode_of_sharded_parameters(ranks: Ranks, mode: str, layout: str) -> None:
    check(ranks, 2, layout, mode, "adam")


@pytest.mark.parametrize("mode", ["offloaded", "step, offloaded"])
def test_parts_that_are_large_enough_for_files(ranks: Ranks, mode: str) -> None:
    check(ranks, 2, "fully_sharded", mode, "sgd", width=4096)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mode", "layout"),
    [
        *((mode, "hybrid") for mode in COPIED),
        *diagonal([m for m in MODES if m not in FAST], ["hybrid", "tensor_parallel"]),
    ],
)
def test_a_mode_of_copies_and_a_rare_one(ranks: Ranks, mode: str, layout: str) -> None:
    solver = "adam" if mode == "implicit" else "momentum"  # which ends far from a solution
    check(ranks, WORLD if layout == "hybrid" else 2, layout, mode, solver)


@pytest.mark.slow
@pytest.mark.parametrize(("solver", "layout"), diagonal([*SOLVERS], [*ALL]))
def test_an_optimizer_of_each_layout(ranks: Ranks, solver: str, layout: str) -> None:
    # Shards of 2, 2, 1 and 0 rows; tensor parallel layers are divided evenly.
    width, parts = 8 if layout == "tensor_parallel" else 5, 1 + (solver == "clipped")
    check(ranks, WORLD, layout, "graph", solver, parts, width)


METHODS = {repr(m): m for m in (F2SA(), PBGD(), BOME(), MoreauEnvelope())}


def looped(group: Any, layout: Callable[..., Any], method: str) -> list[Tensor]:
    """Return what a single loop has after some steps, the lower level of which is sharded."""
    params, forward = layout(group, WIDTH)

    def train(params: Any, values: Any, batch: Any) -> Tensor:
        return (values["weights"].exp() * (forward(params, X) - Y)[:, 0].square()).mean()

    def validate(weights: Tensor, values: Any, batch: Any) -> Tensor:
        off = (forward(values["net"], X[:4].flip(0)) - 1).square().sum()
        return off + weights.square().sum()

    lower = Level("net", train, solver=optimizers.adam(0.05), steps=2)
    upper = Level("weights", validate, solver=optimizers.sgd(0.1), lowers=[lower])
    loop = SingleLoop(upper, METHODS[method])
    weights = torch.linspace(-0.5, 0.5, len(X), dtype=torch.float64)
    state = loop.init({"weights": weights, "net": params})
    for _ in range(3):
        state = loop.step(state).state
    params = state.levels.lowers["net"].params
    return [state.levels.params, *map(full, params.values())]


@pytest.mark.parametrize(
    ("method", "layout"), diagonal([*METHODS], ["fully_sharded", "tensor_parallel"])
)
def test_a_single_loop_of_a_sharded_level(ranks: Ranks, method: str, layout: str) -> None:
    truth = looped(None, whole, method)
    for found in ranks.run(looped, LAYOUTS[layout], method, size=2):
        for a, b in zip(found, truth, strict=True):
            torch.testing.assert_close(a, b, rtol=1e-11, atol=1e-13)


def tensors_in(tree: Any) -> list[Tensor]:
    return [t for t in tree_leaves(tree) if isinstance(t, Tensor)]


def storage_of(t: Any) -> Any:
    return getattr(t, "_local_tensor", t).untyped_storage()


class Held(TorchDispatchMode):
    """Counts the bytes that lie in this process of tensors that operations have made."""

    def __init__(self) -> None:
        super().__init__()
        self.storages: dict[int, tuple[StorageWeakRef, int]] = {}
        self.peak = 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        out = func(*args, **(kwargs or {}))
        given = {s._cdata for s in map(storage_of, tensors_in((args, kwargs)))}
        for storage in map(storage_of, tensors_in(out)):
            if storage._cdata not in given:  # not of views of what was there before
                self.storages[storage._cdata] = (StorageWeakRef(storage), storage.nbytes())
        self.peak = max(self.peak, self.now)
        return out

    @property
    def now(self) -> int:
        self.storages = {k: v for k, v in self.storages.items() if not v[0].expired()}
        return sum(size for _, size in self.storages.values())


def held(group: Any, memory: str) -> tuple[int, int, int]:
    """Return the bytes of a carry by `torchopt.plan`, those held after the steps, and at most."""
    from torch.distributed.tensor import Shard, distribute_tensor

    start = torch.randn(64, 32, generator=GEN, dtype=torch.float64)
    params = distribute_tensor(start, mesh_of(group), [Shard(0)], src_data_rank=None)
    weight = torch.ones((), dtype=torch.float64, requires_grad=True)

    def objective(params: Tensor, weight: Tensor) -> Tensor:
        return (weight * spmd.unshard(params, varying=False).cos()).mean()

    options: Any = {"solver": optimizers.sgd(0.1, momentum=0.9), "steps": 8}
    carry = torchopt.plan(objective, params, (weight,), **options).carry
    mode = Explicit(memory)  # type: ignore[arg-type]
    torchopt.minimize(objective, params, (weight,), **options, diff=mode)  # what is made once
    # A thread of gloo may hold what has been sent for a moment longer, which only adds.
    kept, peaks = [], []
    for _ in range(4):
        with Held() as count:
            solution = torchopt.minimize(objective, params, (weight,), **options, diff=mode)
            kept.append(count.now)
            whole = spmd.unshard(solution.params, varying=False)
            torch.autograd.grad(whole.square().sum(), [weight])
        peaks.append(count.peak)
        del solution, whole
    return carry, min(kept), min(peaks)


@pytest.mark.parametrize(
    ("memory", "size"), [("step", 2), pytest.param("tree", WORLD, marks=pytest.mark.slow)]
)
def test_a_process_holds_its_part_of_checkpoints(ranks: Ranks, memory: str, size: int) -> None:
    (carry, kept, peak), (part, kept_here, peak_here) = (
        ranks.run(held, memory, size=n)[0] for n in (1, size)
    )
    few = 1024  # bytes of numbers that each process has
    assert abs(part - carry / size) < few
    assert abs(kept_here - kept / size) < few
    # A step gathers what it reads, for as long as it runs.
    assert peak_here - kept_here <= peak - kept


def refused(group: Any, mode: Explicit) -> str:
    params, forward = fully_sharded(group, WIDTH)
    with pytest.raises(ValueError, match="not for DTensors") as caught:
        torchopt.minimize(
            lambda params: forward(params, X).square().mean(),
            params,
            solver=optimizers.sgd(0.1),
            steps=2,
            diff=mode,
        )
    return str(caught.value)


@pytest.mark.parametrize(
    "mode", [Explicit("forward"), Explicit("step", hvp="forward")], ids=["memory", "hvp"]
)
def test_forward_mode_is_refused(ranks: Ranks, mode: Explicit) -> None:
    assert all("forward mode" in text for text in ranks.run(refused, mode, size=1))


def changed(group: Any, hvp: Any) -> str:
    """Return the error of all processes where what one of them reads has changed."""
    params, forward = fully_sharded(group, WIDTH)
    weight = torch.ones((), dtype=torch.float64, requires_grad=True)
    scale = torch.ones(())
    solution = torchopt.minimize(
        lambda params, weight: (scale * weight * forward(params, X).square()).mean(),
        params,
        (weight,),
        solver=optimizers.sgd(0.1),
        steps=2,
        diff=Explicit("step", hvp=hvp),
    )
    scale = scale + float(torch.distributed.get_rank() == 1)
    outer = forward(solution.params, X).square().sum()
    with pytest.raises(ReplayError) as caught:
        torch.autograd.grad(outer, [weight])
    return str(caught.value)


@pytest.mark.parametrize("hvp", ["reverse", "finite_difference"])
def test_processes_agree_that_a_step_is_another(ranks: Ranks, hvp: str) -> None:
    first, second = ranks.run(changed, hvp, size=2)
    assert first == second


def of_own_data(group: Any, mode: str, size: int) -> list[Tensor]:
    """Return the solution, the gradient by the starting point, and this process's part of others."""
    params, _ = fully_sharded(group, WIDTH) if size > 1 else whole(group, WIDTH)
    model, rank = net(WIDTH), torch.distributed.get_rank(group) if size > 1 else 0
    mine = torch.arange(len(X)).chunk(size)[rank]
    weights = torch.linspace(0.5, 1.5, len(X), dtype=torch.float64).requires_grad_()

    def loss(params: Any, weights: Tensor, rows: Tensor) -> Tensor:
        gathered = spmd.unshard(params)
        errors = (functional_call(model, gathered, (X[rows],)) - Y[rows]).square()
        ridge = sum(p.square().sum() for p in gathered.values()) / (10 * size)
        return (weights[rows, None] * errors).sum() / len(X) + ridge

    solution = torchopt.minimize(
        loss,
        params,
        (weights,),
        solver=optimizers.adam(0.1),
        steps=STEPS,
        batches=[mine] * STEPS,
        micro_batches=2,
        diff=MODES[mode],
    )
    outer = loss(solution.params, torch.ones(len(X), dtype=torch.float64), mine)
    grads = torch.autograd.grad(outer, [*params.values(), weights], allow_unused=True)
    starts = [torch.zeros(()) if g is None else full(g) for g in grads[:-1]]
    assert grads[-1] is not None
    return [*map(full, solution.params.values()), *starts, grads[-1]]


@pytest.mark.parametrize(
    "mode", ["graph", "step", pytest.param("one step", marks=pytest.mark.slow), "implicit"]
)
def test_processes_with_data_of_their_own(ranks: Ranks, mode: str) -> None:
    *truth, weights = of_own_data(None, mode, 1)
    answers = ranks.run(of_own_data, mode, 2, size=2)
    for *found, _ in answers:
        torch.testing.assert_close(found, truth, rtol=1e-12, atol=1e-14)
    parts = sum(own for *_, own in answers)
    torch.testing.assert_close(parts, weights, rtol=1e-12, atol=1e-14)


class Killed(BaseException):
    """Stands for the end of a process."""


def killed(group: Any, number: int, *arguments: Any) -> list[str] | list[Tensor | None]:
    """Run until some files are written; each step is."""
    names: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        save = _resume.Folder.save

        def saved(self: Any, kind: str, index: int, state: Any) -> None:
            save(self, kind, index, state)
            names.append(f"{kind} {index}")
            if len(names) == number:
                raise Killed

        patch.setattr(_resume.Folder, "save", saved)
        patch.setattr(_resume, "SHARE", 1.0)
        with suppress(Killed):
            return solved(group, *arguments)
    return names


def close(found: list[Tensor | None], truth: list[Tensor | None]) -> None:
    for a, b in zip(found, truth, strict=True):
        assert a is not None
        assert b is not None
        assert (a - b).abs().max() <= 1e-12 * b.abs().max()


@pytest.mark.parametrize(
    ("layout", "sizes"),
    [
        pytest.param("fully_sharded", (WORLD, 2, 1), marks=pytest.mark.slow),
        ("fully_sharded", (2, 2, 1)),
        # PyTorch 2.13 has no products of one process's shards: a view of them fails.
        pytest.param("by_operations", (2, WORLD, 2), marks=pytest.mark.slow),
    ],
)
def test_a_run_goes_on_on_another_number_of_processes(
    ranks: Ranks, layout: str, sizes: tuple[int, int, int], tmp_path: Path
) -> None:
    arguments = ALL[layout], "sqrt", "adam", 1, WIDTH
    before = ranks.run(killed, 2, *arguments, str(tmp_path), size=sizes[0])
    assert before == [["point 1", "point 2"]] * sizes[0]
    before = ranks.run(killed, 3, *arguments, str(tmp_path), size=sizes[1])
    assert before == [["point 3", "pulled 3", "pulled 2"]] * sizes[1]
    after = ranks.run(killed, 3, *arguments, str(tmp_path), size=sizes[2])
    truth = expected("sqrt", "adam", 1, WIDTH)
    again = ranks.run(killed, 1, *arguments, str(tmp_path), size=sizes[2])
    for found in [*after, *again]:
        close(found, truth)
    assert len([*tmp_path.iterdir()]) == 1


def test_a_damaged_part_is_noticed(ranks: Ranks, tmp_path: Path) -> None:
    arguments = ALL["fully_sharded"], "step", "sgd", 1, WIDTH
    ranks.run(killed, 3, *arguments, str(tmp_path), size=2)
    (part,) = tmp_path.glob("*/point-000000003/__1_0.distcp")
    content = bytearray(part.read_bytes())
    content[len(content) // 2] ^= 1
    part.write_bytes(content)

    for found in ranks.run(warned, *arguments, str(tmp_path), size=2):
        close(found, expected("step", "sgd", 1, WIDTH))


def warned(group: Any, *arguments: Any) -> list[Tensor | None]:
    with pytest.warns(UserWarning, match="is damaged or missing"):
        return solved(group, *arguments)

"""Models as `fully_shard` leaves them, in a functional call: the numbers of one process."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import pytest
import torch
from _ranks import Ranks, shared_ranks
from torch import nn
from torch.multiprocessing.reductions import StorageWeakRef
from torch.nn import functional as F

import torchopt
from torchopt.autodiff.shards import local
from torchopt.collectives.group import Ranks as Ranks_
from torchopt.diff import Explicit, Implicit, OneStep
from torchopt.distributed import spmd
from torchopt.modules import functional
from torchopt.modules.sharded import Gathered

pytestmark = pytest.mark.processes

Tensor = torch.Tensor
F64 = torch.float64
VOCAB, LENGTH, WIDTH, STEPS = 11, 6, 8, 3
TOKENS = torch.randint(VOCAB, (8, LENGTH), generator=torch.Generator().manual_seed(0))

MODES: dict[str, Any] = {
    "graph": Explicit(),
    "step": Explicit("step"),
    "tree": Explicit("tree", truncate=2),
    "one step": OneStep(),
}


class Block(nn.Module):
    """Attention by a fused kernel, which has no second derivative, and dropout."""

    def __init__(self, dropout: float) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(WIDTH)
        self.heads = nn.Linear(WIDTH, 3 * WIDTH, bias=False)
        self.out = nn.Linear(WIDTH, WIDTH)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = self.heads(self.norm(x)).unflatten(-1, (3, 2, -1)).permute(2, 0, 3, 1, 4)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return x + self.dropout(self.out(y.transpose(1, 2).flatten(2)))


class Model(nn.Module):
    """A language model whose head has the weights of its embedding, and a buffer."""

    positions: Tensor

    def __init__(self, dropout: float = 0.0, again: bool = False, blocks: int = 2) -> None:
        torch.manual_seed(0)
        super().__init__()
        self.embedding = nn.Embedding(VOCAB, WIDTH)
        self.blocks = nn.ModuleList(Block(dropout) for _ in range(blocks))
        self.head = nn.Linear(WIDTH, VOCAB, bias=False)
        self.head.weight = self.embedding.weight
        self.register_buffer("positions", torch.randn(LENGTH, WIDTH))
        if again:
            for block in self.blocks:
                block.forward = torchopt.remat(block.forward)  # type: ignore[method-assign]

    def forward(self, tokens: Tensor) -> Tensor:
        x = self.embedding(tokens) + self.positions
        for block in self.blocks:
            x = block(x)
        scores: Tensor = self.head(x)
        return scores


def sharded(model: Model, group: Any, **policy: Any) -> Model:
    """Divide a model as people do: each block, and the rest; casts of outputs are those of the rest."""
    from torch.distributed.device_mesh import DeviceMesh
    from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard

    mesh = DeviceMesh.from_group(group, "cpu")
    for block in model.blocks:
        inner = MixedPrecisionPolicy(**{**policy, "output_dtype": None})
        fully_shard(block, mesh=mesh, mp_policy=inner)
    return fully_shard(model, mesh=mesh, mp_policy=MixedPrecisionPolicy(**policy))


def losses(model: nn.Module, params: Any, tokens: Tensor) -> Tensor:
    scores = torchopt.nn.functional_call(model, params, tokens)
    each = F.cross_entropy(scores[:, :-1].transpose(1, 2), tokens[:, 1:], reduction="none")
    return each.mean(1)


def full(t: Any) -> Tensor:
    whole: Tensor = t.full_tensor() if hasattr(t, "full_tensor") else t
    return whole.detach()


def trained(group: Any, mode: str, again: bool, size: int, same: bool) -> list[Tensor]:
    """Return the solution, and the gradients of a loss by weights, learning rates and the start."""
    model = Model(dropout=0.2 if same else 0.0, again=again, blocks=1).double()
    shown: Callable[[Any], Any] = lambda params: params  # noqa: E731
    rows = torch.arange(len(TOKENS))
    if size > 1:
        model = sharded(model, group)
        if same:
            shown = functools.partial(spmd.unshard, varying=False)
        else:
            rows = rows.chunk(size)[torch.distributed.get_rank(group)]
    weights = torch.linspace(0.5, 1.5, len(TOKENS), dtype=F64).requires_grad_()
    rates = torch.linspace(0.03, 0.01, STEPS + 1, dtype=F64).requires_grad_()
    params = dict(model.named_parameters())
    assert "head.weight" not in params
    total = (lambda x: x) if same else functools.partial(spmd.psum, group=group)
    every = (lambda x: x) if same else functools.partial(spmd.pvary, group=group)
    if size == 1:
        total = every = lambda x: x

    def loss(params: Any, weights: Tensor, rows: Tensor) -> Tensor:
        mine = every(weights)[rows] * losses(model, shown(params), TOKENS[rows])
        return mine.sum() / len(TOKENS)

    torch.manual_seed(1)
    solution = torchopt.minimize(
        loss,
        params,
        (weights,),
        solver=torchopt.adamw(torchopt.schedule.table_schedule(rates)),
        steps=STEPS,
        batches=[rows] * STEPS,
        micro_batches=2,
        diff=MODES[mode],
    )
    assert solution.params.keys() == params.keys()
    outer = total(losses(model.eval(), shown(solution.params), TOKENS[rows]).square().sum())
    inputs = [weights, rates, *params.values()]
    grads = torch.autograd.grad(outer, inputs, materialize_grads=True)
    assert type(grads[1]) is Tensor
    return [*map(full, solution.params.values()), *map(full, grads)]


@pytest.fixture(scope="module")
def ranks() -> Ranks:
    return shared_ranks()


@pytest.mark.parametrize(
    ("mode", "again", "same"),
    [
        *((mode, mode == "step", False) for mode in MODES if mode != "one step"),
        pytest.param("one step", False, False, marks=pytest.mark.slow),
        ("tree", False, True),
    ],
)
def test_a_metagradient_of_a_fully_sharded_model(
    ranks: Ranks, mode: str, again: bool, same: bool
) -> None:
    truth = trained(None, mode, False, 1, same)
    for found in ranks.run(trained, mode, again, 2, same, size=2):
        torch.testing.assert_close(found, truth, rtol=1e-12, atol=1e-14)


def most_gathered(group: Any, again: bool) -> int:
    """Return how many numbers that were gathered there are at most, in a second derivative."""
    held: dict[int, tuple[StorageWeakRef, int]] = {}
    most = 0

    class Watched(Gathered):
        def __getitem__(self, name: str) -> Any:
            nonlocal most
            whole = super().__getitem__(name)
            if whole is not None:
                storage = whole.untyped_storage()
                held[storage._cdata] = StorageWeakRef(storage), whole.numel()
            most = max(most, sum(n for storage, n in held.values() if not storage.expired()))
            return whole

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(functional, "Gathered", Watched)
        model = sharded(Model(again=again, blocks=6), group)
        params = dict(model.named_parameters())
        with torchopt.higher_order():
            value = losses(model, params, TOKENS).mean()
        inputs = list(params.values())
        grads = torch.autograd.grad(value, inputs, create_graph=True)
        squares = torch.stack([g.to_local().square().sum() for g in grads])  # type: ignore[attr-defined]
        torch.autograd.grad(squares.sum(), inputs, materialize_grads=True)
    return most


@pytest.mark.parametrize(("again", "blocks"), [(False, 6), (True, 1)])
def test_a_block_that_is_computed_again_is_gathered_again(
    ranks: Ranks, again: bool, blocks: int
) -> None:
    block = sum(p.numel() for p in Block(0.0).parameters())
    for most in ranks.run(most_gathered, again, size=2):
        assert blocks * block - WIDTH <= most <= blocks * block + VOCAB * WIDTH


def messages(group: Any, again: bool) -> list[tuple[int, int]]:
    """Return the gathers and sums of a value, its gradient, and the gradient of a part of that."""
    model = sharded(Model(again=again), group)
    params = dict(model.named_parameters())
    sent: list[str] = []
    exchange = Ranks_._exchange

    def counted(self: Any, launch: Any, *args: Any, **kwargs: Any) -> None:
        sent.append(launch.__name__)
        exchange(self, launch, *args, **kwargs)

    def taken() -> tuple[int, int]:
        gathers = sent.count("all_gather")
        found = gathers, len(sent) - gathers
        sent.clear()
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Ranks_, "_exchange", counted)
        with torchopt.higher_order():
            value = losses(model, params, TOKENS).mean()
        counts = [taken()]
        inputs = list(params.values())
        grads = torch.autograd.grad(value, inputs, create_graph=True)
        counts.append(taken())
        total = torch.stack([local(g).square().sum() for g in grads]).sum()
        torch.autograd.grad(total, inputs, materialize_grads=True)
        counts.append(taken())
        with torch.no_grad():
            losses(model, params, TOKENS)
        counts.append(taken())
    return counts


@pytest.mark.parametrize(
    ("again", "counts"),
    [
        (False, [(3, 0), (0, 3), (3, 3), (3, 0)]),
        (True, [(3, 0), (2, 3), (7, 7), (3, 0)]),
    ],
)
def test_what_is_sharded_together_is_gathered_once_in_an_evaluation(
    ranks: Ranks, again: bool, counts: list[tuple[int, int]]
) -> None:
    for found in ranks.run(messages, again, size=2):
        assert found == counts


class Balanced(nn.Module):
    """What reads a weight of its own before, in and after the condition of a problem inside."""

    def __init__(self) -> None:
        torch.manual_seed(0)
        super().__init__()
        self.weight = nn.Parameter(torch.randn(3, 3, dtype=F64) / 4)
        self.unread = nn.Parameter(torch.zeros(2, dtype=F64))

    def forward(self, x: Tensor) -> Tensor:
        start = x @ self.weight
        point = torchopt.fixed_point(
            lambda z: torch.tanh(z @ self.weight + x),
            start.detach(),
            diff=Implicit(linear_solve=torchopt.linear_solve.GMRES(rtol=1e-14)),
            solver=torchopt.solver.Anderson(atol=1e-14, rtol=0.0),
        )
        return point.params @ self.weight


def balanced(group: Any) -> list[Tensor]:
    model: Any = Balanced()
    if group is not None:
        from torch.distributed.device_mesh import DeviceMesh
        from torch.distributed.fsdp import fully_shard

        model = fully_shard(model, mesh=DeviceMesh.from_group(group, "cpu"))
    params = dict(model.named_parameters())
    x = torch.linspace(-1, 1, 6, dtype=F64).view(2, 3)
    value = torchopt.nn.functional_call(model, params, x).square().sum()
    inputs = [params["weight"], params["unread"]]
    grad, unread = torch.autograd.grad(value, inputs, create_graph=True, allow_unused=True)
    assert unread is None
    (second,) = torch.autograd.grad(local(grad).square().sum(), inputs[:1])
    return [value.detach(), full(grad), full(second)]


def test_a_problem_inside_of_a_sharded_module_reads_what_it_reads_outside(ranks: Ranks) -> None:
    value, grad, second = balanced(None)
    for found in ranks.run(balanced, size=2):
        # Each of two processes adds the same to a gradient.
        expected = [value, 2 * grad, 4 * second]
        torch.testing.assert_close(found, expected, rtol=1e-10, atol=1e-12)


POLICIES: dict[str, dict[str, torch.dtype]] = {
    "none": {},
    "half": {"param_dtype": torch.bfloat16},
    "sums in float32": {"param_dtype": torch.bfloat16, "reduce_dtype": torch.float32},
    "output": {"param_dtype": torch.float32, "output_dtype": F64},
    "sums in half": {"param_dtype": F64, "reduce_dtype": torch.float32},
}


def gradients(group: Any, policy: str) -> tuple[list[Tensor], list[Tensor]]:
    """Return output and gradients of a functional call, and those of `fully_shard` itself."""
    model = sharded(Model().double(), group, **POLICIES[policy])
    seen: list[int] = []
    model.blocks[0].register_forward_hook(lambda *_: seen.append(1))
    params = dict(model.named_parameters())
    mine = TOKENS[2 * torch.distributed.get_rank(group) :][:3]
    found = torchopt.nn.functional_call(model, params, mine)
    grads = torch.autograd.grad(found.double().square().mean(), list(params.values()))
    theirs = model(mine)
    assert len(seen) == 2
    # Each process has the mean of their gradients.
    (2 * theirs.double().square().mean()).backward()
    expected = [p.grad for p in params.values()]
    return [*map(full, (found, *grads))], [*map(full, (theirs, *expected))]


@pytest.mark.parametrize("policy", POLICIES)
def test_gradients_are_those_of_fully_shard(ranks: Ranks, policy: str) -> None:
    half = "half" in policy or "float32" in policy
    close = {"rtol": 2e-2, "atol": 2e-3} if half else {"rtol": 1e-6, "atol": 1e-7}
    for found, expected in ranks.run(gradients, policy, size=2):
        torch.testing.assert_close(found, expected, **close)
        torch.testing.assert_close(found[0], expected[0], rtol=0, atol=0)


def refusals(group: Any) -> dict[str, str]:
    from torch.distributed.device_mesh import DeviceMesh, init_device_mesh
    from torch.distributed.fsdp import fully_shard
    from torch.distributed.tensor import parallel

    model = sharded(Model(), group)
    params = dict(model.named_parameters())
    found: dict[str, str] = {}

    def note(what: str, call: Callable[[], Any]) -> None:
        try:
            call()
        except (TypeError, ValueError) as error:
            found[what] = str(error)

    with torch.no_grad():
        model(TOKENS)
    note("gathered", lambda: losses(model, params, TOKENS))
    model.reshard()  # type: ignore[operator]
    note("fine", lambda: losses(model, params, TOKENS))
    note("inside torch.func", lambda: torch.func.vmap(lambda t: losses(model, params, t))(TOKENS))
    # Of all ranks: a group that some of them make is waited for by those that the others make next.
    mesh = init_device_mesh("cpu", (group.size(), 1), mesh_dim_names=("data", "parts"))
    twice: Any = nn.Sequential(nn.Linear(2, 2))
    parallel.parallelize_module(twice, mesh["parts"], {"0": parallel.ColwiseParallel()})
    fully_shard(twice, mesh=mesh["data"])
    note("twice", lambda: torchopt.nn.functional_call(twice, {}, torch.ones(3, 2)))
    both = nn.Sequential(nn.Linear(2, 2), nn.Tanh(), nn.Linear(2, 2))
    fully_shard([both[0], both[2]], mesh=DeviceMesh.from_group(group, "cpu"))
    x = torch.ones(3, 2)
    a = torchopt.nn.functional_call(both, dict(both.named_parameters()), x)
    root = fully_shard(both, mesh=DeviceMesh.from_group(group, "cpu"))
    torch.testing.assert_close(a, root(x))
    return found


def test_what_a_functional_call_of_a_sharded_model_is_not_for(ranks: Ranks) -> None:
    for found in ranks.run(refusals):
        assert found.keys() == {"gathered", "inside torch.func", "twice"}
        assert "`weight` is divided by `fully_shard` and by `parallel" in found["twice"]
        assert "call its method `reshard()`" in found["gathered"]
        assert "outside of `torch.func`" in found["inside torch.func"]


def continued(group: Any) -> list[Tensor]:
    """Train by torch's AdamW, by a transformation, and by torch's again; without a group by torch's."""
    from torch.distributed.checkpoint.state_dict import get_optimizer_state_dict

    model: Any = Model().double()
    if group is not None:
        model = sharded(model, group)

    def train(optimizer: torch.optim.Optimizer, steps: int) -> None:
        for _ in range(steps):
            optimizer.zero_grad()
            model(TOKENS).square().mean().backward()
            optimizer.step()

    first = torch.optim.AdamW(model.parameters(), lr=0.02)
    train(first, 2)
    if group is None:
        train(first, 4)
        return [p.detach() for p in model.parameters()]
    model.reshard()
    params = dict(model.named_parameters())
    rates = torch.full((4,), 0.02, dtype=F64).requires_grad_()
    tx = torchopt.adamw(torchopt.schedule.table_schedule(rates))
    tx, state = torchopt.from_torch(get_optimizer_state_dict(model, first), params, tx=tx)

    def loss(params: Any) -> Tensor:
        whole = spmd.unshard(params, varying=False)
        scores: Tensor = torchopt.nn.functional_call(model, whole, TOKENS)
        return scores.square().mean()

    begun = torchopt.transform.GradientTransformation(lambda params: state, tx.update)
    solution = torchopt.minimize(loss, params, solver=begun, steps=2, diff=Explicit("step"))
    (slope,) = torch.autograd.grad(loss(solution.params), rates)
    assert (slope == 0).tolist() == [True, True, False, False]
    model.load_state_dict(solution.params, strict=False)
    train(torchopt.to_torch(torchopt.adamw(0.02), params, solution.state), 2)
    return [full(p) for p in model.parameters()]


def test_adamw_of_a_sharded_model_goes_on_in_a_transformation_and_back(ranks: Ranks) -> None:
    truth = continued(None)
    for found in ranks.run(continued, size=2):
        torch.testing.assert_close(found, truth, rtol=1e-12, atol=1e-14)

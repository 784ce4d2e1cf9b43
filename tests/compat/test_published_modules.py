"""Modules of the published package import, and what is in them is what it was."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from pathlib import Path
from typing import Any

import pytest
import torch

import torchopt
from _fresh import run
from torchopt.io import published

# As programs write `from torchopt.alias.utils import ...`, which no type checker can follow.
chains: Any = importlib.import_module("torchopt.alias.utils")
leaves: Any = importlib.import_module("torchopt.transform.utils")
products: Any = importlib.import_module("torchopt.linear_solve.utils")
matrices: Any = importlib.import_module("torchopt.linalg.utils")

DOUBLE = torch.float64
SOURCE = Path(torchopt.__file__).parent
TABLE = published.names()


def tensors(seed: int, **shapes: tuple[int, ...]) -> dict[str, torch.Tensor]:
    generator = torch.Generator().manual_seed(seed)
    return {k: torch.randn(s, dtype=DOUBLE, generator=generator) for k, s in shapes.items()}


@pytest.mark.parametrize("path", TABLE)
def test_every_name_of_a_published_module_is_there(path: str) -> None:
    module = importlib.import_module(path)
    assert module is sys.modules[path]
    for name in TABLE[path]:
        assert getattr(module, name) is not None
        public = [getattr(room, name, None) for room in (torchopt, torchopt.transform)]
        thing = getattr(module, name)
        if name in torchopt.__all__ and name != "is_available":
            assert thing is public[0]
        elif name in torchopt.transform.__all__:
            assert thing is public[1]
    with pytest.raises(AttributeError, match=f"module '{path}' has no attribute 'nonsense'"):
        module.nonsense  # noqa: B018


@pytest.mark.parametrize(
    ("path", "names"),
    [
        ("alias.adadelta", "GradientTransformation chain scale_by_adadelta scale_by_neg_lr"),
        ("alias.adam", "flip_sign_and_add_weight_decay scale_by_accelerated_adam"),
        ("alias.utils", "EmptyState identity pytree scale scale_by_schedule"),
        ("diff.implicit.decorator", "linear_solve pytree"),
        ("diff.zero_order.nn.module", "Samplable reparametrize zero_order"),
        ("distributed.api", "get_worker_id get_world_rank get_world_size pytree rpc"),
        ("linalg.cg", "pytree tree_vdot_real"),
        ("linear_solve.normal_cg", "linalg"),
        ("optim.adam", "Optimizer alias"),
        ("optim.meta.base", "UninitializedState apply_updates pytree"),
        ("transform.add_decayed_weights", "EmptyState identity pytree"),
        ("transform.trace", "GradientTransformation identity pytree"),
    ],
)
def test_a_published_module_has_what_it_imported(path: str, names: str) -> None:
    module = importlib.import_module(f"torchopt.{path}")
    for name in names.split():
        assert getattr(module, name) is not None
        if name in torchopt.__all__:
            assert getattr(module, name) is getattr(torchopt, name)


def test_modules_of_the_package_are_not_hidden() -> None:
    made = [path for path in TABLE if sys.modules[path].__spec__.loader is None]  # type: ignore[union-attr]
    assert len(made) > 50
    for path in made:
        file = SOURCE.joinpath(*path.split(".")[1:])
        assert not file.with_suffix(".py").exists()
        assert not file.is_dir()
        assert importlib.util.find_spec(path) is not None


@pytest.mark.parametrize(
    ("path", "function"),
    [
        ("torchopt.alias.adam", torchopt.adam),
        ("torchopt.alias.sgd", torchopt.sgd),
        ("torchopt.transform.trace", torchopt.transform.trace),
        ("torchopt.transform.scale", torchopt.transform.scale),
        ("torchopt.linalg.cg", torchopt.linalg.cg),
        ("torchopt.schedule.exponential_decay", torchopt.schedule.exponential_decay),
    ],
)
def test_a_function_stays_when_the_module_of_its_name_is_imported(path: str, function: Any) -> None:
    room, _, name = path.rpartition(".")
    module = importlib.import_module(path)
    assert getattr(module, name) is function
    assert getattr(importlib.import_module(room), name) is function


def test_the_idioms_of_programs_import_in_a_new_process() -> None:
    program = """
import sys
import torchopt
assert "torchopt.compat.former" not in sys.modules, "loaded before it is asked for"
assert torchopt.optim.meta.MetaAdam is torchopt.MetaAdam
assert torchopt.distributed.api.parallelize is torchopt.distributed.parallelize
import torchopt.optim.meta.adam
import torchopt.linear_solve.cg as cg
from torchopt.optim.func import FuncOptimizer
from torchopt.optim import base, meta
from torchopt.optim.base import Optimizer
from torchopt.nn.module import MetaGradientModule
from torchopt.diff.implicit.nn.module import ImplicitMetaGradientModule
from torchopt.diff.zero_order.decorator import zero_order
from torchopt.alias.adamw import *
from torchopt.transform.utils import Updates, tree_map_flat
import torchopt.distributed as todist
assert adamw is torchopt.adamw and cg.solve_cg is torchopt.linear_solve.solve_cg
assert todist.rpc is torch.distributed.rpc if (torch := sys.modules["torch"]) else None
assert issubclass(base.Optimizer, Optimizer) and meta.MetaSGD is torchopt.MetaSGD
assert torchopt.pytree.treespec_leaf().num_leaves == 1
"""
    run(program)


# An optimizer that is written as those of the published package are.


def written_as_published(lr: Any, decay: float, maximize: bool) -> Any:
    chain: Any = torchopt.chain
    flip: Any = chains.flip_sign_and_add_weight_decay
    rescale: Any = torchopt.transform.scale_by_adam
    descend: Any = chains.scale_by_neg_lr
    if chains._get_use_chain_flat():
        chain, flip, rescale, descend = chain.flat, flip.flat, rescale.flat, descend.flat
    return chain(flip(weight_decay=decay, maximize=maximize), rescale(), descend(lr))


@pytest.mark.parametrize("flat", [True, False])
@pytest.mark.parametrize("maximize", [True, False])
@pytest.mark.parametrize("decay", [0.0, 0.1])
def test_an_optimizer_of_private_parts_is_that_of_torch(
    flat: bool, maximize: bool, decay: float
) -> None:
    params = tensors(0, w=(2, 3), b=(3,))
    theirs = [p.clone().requires_grad_() for p in params.values()]
    reference = torch.optim.Adam(theirs, lr=0.1, weight_decay=decay, maximize=maximize)
    chains._set_use_chain_flat(flat)
    try:
        assert chains._get_use_chain_flat() is flat
        ours = written_as_published(lambda count: 0.1, decay, maximize)
    finally:
        chains._set_use_chain_flat(True)
    state = ours.init(params)
    for step in range(4):
        grads = tensors(step + 1, w=(2, 3), b=(3,))
        for p, g in zip(theirs, grads.values(), strict=True):
            p.grad = g.clone()
        reference.step()
        updates, state = ours.update(grads, state, params=params, inplace=False)
        params = torchopt.apply_updates(params, updates, inplace=False)
    for p, q in zip(params.values(), theirs, strict=True):
        torch.testing.assert_close(p, q.detach(), rtol=1e-12, atol=1e-14)


def test_forms_for_flat_lists_take_the_same_arguments() -> None:
    grads = tensors(0, w=(2, 3), b=(3,))
    scale: Any = torchopt.transform.scale
    for form in (scale.impl, chains.scale_by_neg_lr.impl):
        tx = form(0.5, already_flattened=True)
        updates, _ = tx.update([*grads.values()], tx.init([*grads.values()]), inplace=False)
        assert torch.equal(updates[0].abs(), 0.5 * grads["w"].abs())


@pytest.mark.parametrize("inplace", [True, False])
@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("decay", [0.9, 1.0])
def test_moments(inplace: bool, order: int, decay: float) -> None:
    g, m = tensors(0, w=(2, 3), b=(3,)), tensors(1, w=(2, 3), b=(3,))
    old = {k: t.clone() for k, t in m.items()}
    new = leaves.update_moment({**g, "b": None}, m, decay, order=order, inplace=inplace)
    expected = decay * old["w"] + (1 - decay if decay < 1 else 1) * g["w"] ** order
    torch.testing.assert_close(new["w"], expected, rtol=1e-14, atol=1e-14)
    assert torch.equal(new["b"], old["b"])
    assert (new["w"] is m["w"]) is inplace
    with pytest.raises(ValueError, match="`order` is 3"):
        leaves.update_moment(g, m, decay, order=3)


def test_counts_and_maps_of_leaves() -> None:
    counts = [torch.tensor(3), torch.tensor(leaves.INT64_MAX), torch.tensor(7)]
    assert leaves.inc_count([torch.ones(1), torch.ones(1), None], counts) == [
        4,
        leaves.INT64_MAX,
        7,
    ]
    seen: list[Any] = []
    assert leaves.tree_map_flat(lambda x, y: (x, y), (1, None), (2, 3)) == ((1, 2), None)
    assert leaves.tree_map_flat(lambda x: x is None, [1, None], none_is_leaf=True) == [False, True]
    assert leaves.tree_map_flat_(seen.append, first := [1, None, 2]) is first
    assert seen == [1, 2]


@pytest.mark.parametrize("inplace", [True, False])
def test_the_operator_of_adam_is_torchs(inplace: bool) -> None:
    operators: Any = importlib.import_module("torchopt.accelerated_op.adam_op")
    op = operators.AdamOp(0.8, 0.95, 1e-6, inplace=inplace)
    p = torch.zeros(3, dtype=DOUBLE, requires_grad=True)
    reference = torch.optim.Adam([p], lr=1.0, betas=(0.8, 0.95), eps=1e-6)
    mu, nu, total = (torch.zeros(3, dtype=DOUBLE) for _ in range(3))
    for count in (1, 2, 3):
        (g,) = tensors(count, g=(3,)).values()
        p.grad = g.clone()
        reference.step()
        mu, nu, update = op(mu, nu, g, count)
        assert (update is g) is inplace
        total = total - update
    torch.testing.assert_close(total, p.detach(), rtol=1e-12, atol=1e-14)
    assert op(mu, nu, None, 4) == (mu, nu, None)


# Linear algebra


def test_products_of_matrices() -> None:
    given = tensors(0, A=(3, 3), B=(2, 2), x=(3,), y=(2,), z=(3,), w=(2,))
    A, B, x, y, z, w = given.values()
    blocks = matrices.normalize_matvec({"a": A, "b": B})
    vector, other = {"a": x, "b": y}, {"a": z, "b": w}
    assert matrices.normalize_matvec(blocks) is blocks
    close = torch.testing.assert_close
    close(blocks(vector), {"a": A @ x, "b": B @ y})
    close(products.make_rmatvec(blocks, vector)(other), {"a": A.T @ z, "b": B.T @ w})
    close(products.make_normal_matvec(blocks)(vector), {"a": A.T @ (A @ x), "b": B.T @ (B @ y)})
    close(products.make_ridge_matvec(blocks, 0.5)(vector), {"a": A @ x + x / 2, "b": B @ y + y / 2})
    assert matrices.cat_shapes({"a": A, "b": y}) == (3, 3, 2)


def test_materialized_blocks_and_their_layout() -> None:
    given = tensors(0, A=(4, 4), B=(3, 3), x=(2, 2), y=(3,))
    A, B, x, y = given.values()

    def matvec(v: Any) -> Any:  # which also mixes the leaves
        return {"a": (A @ v["a"].reshape(-1)).reshape(2, 2), "b": B @ v["b"] + v["a"].sum()}

    blocks, product, ravel, unravel = products.materialize_matvec(matvec, {"a": x, "b": y})
    torch.testing.assert_close(blocks, {"a": A, "b": B})
    torch.testing.assert_close(unravel(product(ravel({"a": x, "b": y}))), matvec({"a": x, "b": y}))


@pytest.mark.parametrize("ridge", [None, 0.3])
@pytest.mark.parametrize("kind", ["cg", "normal_cg", "inv"])
def test_solvers_take_options_when_made_and_when_called(kind: str, ridge: float | None) -> None:
    given = tensors(0, Q=(3, 3), b=(3,))
    Q, b = given.values()
    A = Q @ Q.T + torch.eye(3, dtype=DOUBLE)
    plain = getattr(torchopt.linear_solve, f"solve_{kind}")
    positional = getattr(importlib.import_module(f"torchopt.linear_solve.{kind}"), f"_solve_{kind}")
    N, c = (A.T @ A, A.T @ b) if kind == "normal_cg" else (A, b)
    expected = torch.linalg.solve(N + (ridge or 0.0) * torch.eye(3, dtype=DOUBLE), c)
    for x in (
        plain(ridge=ridge)(lambda v: A @ v, b),
        plain()(lambda v: A @ v, b, ridge=ridge),
        positional(lambda v: A @ v, b, ridge),
    ):
        torch.testing.assert_close(x, expected, rtol=1e-8, atol=1e-8)


def test_what_is_forwarded_by_published_solvers_is_taken() -> None:
    (b,) = tensors(0, b=(3,)).values()
    A = torch.diag(torch.tensor([1.0, 2.0, 4.0], dtype=DOUBLE))
    for options in (
        {"rtol": 1e-9, "atol": 1e-12, "maxiter": 40},
        {"M": torch.linalg.inv(A)},
        {"M": lambda v: v / 2},
        {"init": torch.ones(3, dtype=DOUBLE)},
    ):
        for kind in (torchopt.linear_solve.solve_cg, torchopt.linear_solve.solve_normal_cg):
            x = kind(**options)(lambda v: A @ v, b)
            torch.testing.assert_close(x, b / A.diagonal(), rtol=1e-8, atol=1e-8)
    inverse = torchopt.linear_solve.solve_inv(ns=False, maxiter=5, alpha=0.5)
    torch.testing.assert_close(inverse(lambda v: A @ v, b), b / A.diagonal())
    bound = torchopt.linear_solve.solve_inv(matvec=lambda v: A @ v, b=b, ridge=1.0)
    for x, rhs in ((bound(), b), (bound(matvec=lambda v: A @ v, b=2 * b), 2 * b)):
        torch.testing.assert_close(x, rhs / (A.diagonal() + 1))


# Modules, distribution


def test_tables_of_a_module_are_its_own() -> None:
    net = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Tanh(), torch.nn.BatchNorm1d(2))
    extract: Any = getattr(torchopt.utils, "extract_module_containers")  # noqa: B009
    parameters, buffers = extract(net)
    assert parameters[0] is net[0]._parameters
    assert parameters[1] is net[2]._parameters
    assert len(parameters) == 2
    assert buffers[0] is net[2]._buffers
    assert extract(net, with_buffers=False)[1] == ()


def test_small_things_of_distribution() -> None:
    world = importlib.import_module("torchopt.distributed.world")
    api = importlib.import_module("torchopt.distributed.api")
    assert world.default_worker_name_format(3, 12, 1, 4) == "worker03"
    assert world.rank_all(len) is len
    assert api.UNSET_RPC_TIMEOUT == torch.distributed.rpc.api.UNSET_RPC_TIMEOUT
    parts = api.exclusive_batch_partitioner
    assert isinstance(parts, torchopt.distributed.TensorDimensionPartitioner)


def test_a_gpu_that_is_not_there_is_not_available() -> None:
    available = torchopt.accelerated_op_available
    assert available("meta")
    assert available(["cpu", "meta"]) == available("cpu")
    if not torch.cuda.is_available():
        assert not any(map(available, (None, "cuda", 0, ["cpu", 0])))


def test_a_step_that_is_written_for_the_published_meta_optimizer() -> None:
    class Halving(torchopt.MetaOptimizer):
        """Halves gradients, by the attributes that 0.7.3's own `step` uses."""

        def step(self, loss: torch.Tensor) -> None:
            groups = zip(self.param_containers_groups, self.state_groups, strict=True)
            for i, (tables, state) in enumerate(groups):
                flat, spec = torchopt.pytree.tree_flatten_as_tuple(tables)
                if isinstance(state, torchopt.base.UninitializedState):
                    state = self.impl.init(flat)
                grads = torch.autograd.grad(loss, flat, create_graph=True, allow_unused=True)
                updates, self.state_groups[i] = self.impl.update(
                    tuple(g / 2 for g in grads), state, params=flat, inplace=False
                )
                new = torchopt.apply_updates(flat, updates, inplace=False)
                for table, values in zip(tables, spec.unflatten(new), strict=True):
                    table.update(values)

    x, y = tensors(3, x=(5, 2), y=(5, 1)).values()
    gradients = []
    for make in (
        lambda net: Halving(net, torchopt.sgd(0.2, momentum=0.9)),
        lambda net: torchopt.MetaSGD(net, lr=0.1, momentum=0.9),
    ):
        torch.manual_seed(0)
        net = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Tanh(), torch.nn.Linear(3, 1))
        meta = list(net.double().parameters())
        optimizer = make(net)
        for _ in range(3):
            optimizer.step((net(x) - y).square().mean())
        gradients.append(torch.autograd.grad((net(x) - y).square().mean(), meta))
    torch.testing.assert_close(*gradients, rtol=1e-12, atol=1e-14)


def test_sums_products_and_samplers_of_the_published_package() -> None:
    former: Any = importlib.import_module("torchopt.compat.former")
    A, B = torch.tensor([[1.0, 2.0], [0.5, 3.0]]), torch.tensor([[0.0, 1.0], [-1.0, 2.0]])
    assert former.acc_add(1, 2, 5) == 8
    assert former.acc_mul(2, 3, 5) == 30
    torch.testing.assert_close(former.acc_matmul(A, B, A), A @ B @ A)
    assert former.WrappedSamplable(torch.ones).sample(torch.Size([2, 3])).shape == (2, 3)

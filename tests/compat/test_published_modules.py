"""Modules of the published package import, and what is in them is what it was."""

from __future__ import annotations

import importlib
import importlib.util
import pickle
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


# What `import torchopt` of 0.7.3 binds, room by room.
TOP = {
    "": """
        accelerated_op alias base clip combine diff distributed hook linalg linear_solve nn optim pytree
        schedule typing update utils visual
    """,
    "accelerated_op": "accelerated_op_available",
    "alias": "adadelta adagrad adam adamax adamw radam rmsprop sgd",
    "clip": "clip_grad_norm",
    "combine": "chain",
    "hook": "register_hook",
    "optim": """
        SGD AdaDelta Adadelta AdaGrad Adagrad Adam AdaMax Adamax AdamW Optimizer RAdam RMSProp RMSprop
    """,
    "optim.func": "FuncOptimizer",
    "optim.meta": """
        MetaAdaDelta MetaAdadelta MetaAdaGrad MetaAdagrad MetaAdam MetaAdaMax MetaAdamax MetaAdamW
        MetaOptimizer MetaRAdam MetaRMSProp MetaRMSprop MetaSGD
    """,
    "transform": "nan_to_num",
    "update": "apply_updates",
    "utils": """
        extract_state_dict module_clone module_detach_ recover_state_dict stop_gradient
    """,
}


@pytest.mark.parametrize("room", TOP)
def test_what_the_published_package_binds_is_found_in_it_and_in_its_room(room: str) -> None:
    for name in TOP[room].split():
        thing = getattr(torchopt, name)
        if room:
            module = importlib.import_module(f"torchopt.{room}")
            assert thing is getattr(module, name)
        else:
            assert thing is importlib.import_module(f"torchopt.{name}")
        assert pickle.loads(f"ctorchopt\n{name}\n.".encode()) is thing


def test_old_names_of_the_package_are_in_no_completion() -> None:
    rooms = {room for room in published.ROOMS.split() if "." not in room}
    old = {*rooms, *published.TOP, "compat"}
    assert old <= {"compat", *(name for names in TOP.values() for name in names.split())}
    for name in old:
        getattr(torchopt, name)
    assert not old & {*torchopt.__all__, *dir(torchopt)}


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
        ("torchopt.schedule.exponential_decay", torchopt.compat.exponential_decay),
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
from torchopt.transform.trace import Updates
import torchopt.distributed as todist
assert adamw is torchopt.adamw and cg.solve_cg is torchopt.linear_solve.solve_cg
assert todist.rpc is torch.distributed.rpc if (torch := sys.modules["torch"]) else None
assert issubclass(base.Optimizer, Optimizer) and meta.MetaSGD is torchopt.MetaSGD
assert torchopt.pytree.treespec_leaf().num_leaves == 1
"""
    run(program)


# An optimizer that is written as those of the published package are.


def written_as_published(flat: bool, lr: Any, decay: float, maximize: bool) -> Any:
    chain: Any = torchopt.chain
    flip: Any = chains.flip_sign_and_add_weight_decay
    rescale: Any = torchopt.transform.scale_by_adam
    descend: Any = chains.scale_by_neg_lr
    if flat:
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
    ours = written_as_published(flat, lambda count: 0.1, decay, maximize)
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


def test_rescalings_take_two_decay_rates_as_the_published_ones() -> None:
    rescale: dict[str, Any] = vars(torchopt.transform)
    for name in ("scale_by_adam", "scale_by_adamax", "scale_by_radam"):
        make, betas = rescale[name], f"{name}(betas="
        assert str(make(0.5, 0.6, 1e-3)) == f"{betas}(0.5, 0.6), eps=0.001)"
        assert str(make(b1=0.5, eps=1e-3)) == f"{betas}(0.5, 0.999), eps=0.001)"
        assert str(make(0.5, b2=0.6)) == f"{betas}(0.5, 0.6))"
        with pytest.raises(TypeError, match=r"argument 'b1': did you mean `betas`"):
            make(b1=0.5, betas=(0.5, 0.6))


@pytest.mark.parametrize("inplace", [True, False])
def test_an_adam_op_is_a_step_of_torch_s_adam(inplace: bool) -> None:
    adam_op: Any = importlib.import_module("torchopt.accelerated_op.adam_op")
    p = torch.zeros(3, dtype=DOUBLE, requires_grad=True)
    reference = torch.optim.Adam([p], lr=1.0, betas=(0.8, 0.95), eps=1e-3)
    op = adam_op.AdamOp(0.8, 0.95, 1e-3, inplace=inplace)
    mu, nu = torch.zeros(2, 3, dtype=DOUBLE)
    for count in (1, 2, 3):
        (g,) = tensors(count, g=(3,)).values()
        p.grad, before, given = g.clone(), p.detach().clone(), (mu, nu, g.clone())
        reference.step()
        mu, nu, updates = op(*given, count)
        torch.testing.assert_close(before - updates, p.detach(), rtol=1e-12, atol=1e-14)
        same = [a is b for a, b in zip((mu, nu, updates), given, strict=True)]
        assert same == [inplace] * 3
    assert op(mu, nu, None, 4) == (mu, nu, None)


def test_an_adam_op_is_differentiable() -> None:
    adam_op: Any = importlib.import_module("torchopt.accelerated_op.adam_op")
    mu, nu, g = (t.requires_grad_() for t in tensors(0, mu=(3,), nu=(3,), g=(3,)).values())
    op = adam_op.AdamOp(inplace=False)
    assert torch.autograd.gradcheck(lambda mu, nu, g: op(mu, nu.square(), g, 5), (mu, nu, g))


def test_helpers_of_linear_algebra_take_a_function_and_a_tree_of_matrices() -> None:
    utils: Any = importlib.import_module("torchopt.linalg.utils")
    given = tensors(0, A=(2, 2), B=(3, 3), x=(2,), y=(3,))
    A, B, x, y = given.values()
    assert utils.cat_shapes([A, {"y": y}]) == (2, 2, 3)
    for product in (lambda v: {"a": A @ v["a"], "b": B @ v["b"]}, {"a": A, "b": B}):
        found = utils.normalize_matvec(product)({"a": x, "b": y})
        assert torch.equal(found["a"], A @ x)
        assert torch.equal(found["b"], B @ y)
    with pytest.raises(TypeError, match="square"):
        utils.normalize_matvec(torch.ones(2, 3))


def test_forms_for_flat_lists_take_the_same_arguments() -> None:
    grads = tensors(0, w=(2, 3), b=(3,))
    scale: Any = torchopt.transform.scale
    for form in (scale.impl, chains.scale_by_neg_lr.impl):
        tx = form(0.5, already_flattened=True)
        updates, _ = tx.update([*grads.values()], tx.init([*grads.values()]), inplace=False)
        assert torch.equal(updates[0].abs(), 0.5 * grads["w"].abs())


@pytest.mark.parametrize("ridge", [None, 0.3])
@pytest.mark.parametrize("kind", ["cg", "normal_cg", "inv"])
def test_solvers_take_options_when_made_and_when_called(kind: str, ridge: float | None) -> None:
    given = tensors(0, Q=(3, 3), b=(3,))
    Q, b = given.values()
    A = Q @ Q.T + torch.eye(3, dtype=DOUBLE)
    plain = getattr(torchopt.linear_solve, f"solve_{kind}")
    N, c = (A.T @ A, A.T @ b) if kind == "normal_cg" else (A, b)
    expected = torch.linalg.solve(N + (ridge or 0.0) * torch.eye(3, dtype=DOUBLE), c)
    for x in (plain(ridge=ridge)(lambda v: A @ v, b), plain()(lambda v: A @ v, b, ridge=ridge)):
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


def test_what_published_transformations_are_made_of() -> None:
    utils: Any = importlib.import_module("torchopt.transform.utils")
    top = torch.iinfo(torch.int64).max
    counts = {"a": torch.tensor(3), "b": torch.tensor(top), "c": torch.tensor(5)}
    grads = {"a": torch.tensor(2.0), "b": torch.tensor(1.0), "c": None}
    assert utils.inc_count(grads, counts) == {"a": 4, "b": top, "c": 5}
    assert utils.inc_count.flat([*grads.values()], [*counts.values()]) == [4, top, 5]
    for order, decay, expected in [(1, 0.5, 3.0), (2, 0.5, 4.0), (1, 1.0, 6.0), (2, 1.0, 8.0)]:
        for inplace in (True, False):
            moment = torch.tensor(4.0)
            new = utils.update_moment(
                {"a": grads["a"], "c": None},
                {"a": moment, "c": counts["c"]},
                decay,
                order=order,
                inplace=inplace,
            )
            assert new == {"a": expected, "c": 5}
            assert (new["a"] is moment) == inplace
            assert moment == (expected if inplace else 4.0)
    assert utils.tree_map_flat(lambda x, y: x + y, (1, None), (2, 3)) == (3, None)
    assert utils.tree_map_flat(lambda x: x, [None], none_is_leaf=True) == [None]
    given = [torch.tensor(1.0), None]
    assert utils.tree_map_flat_(lambda x: x.add_(1), given) is given
    assert given == [2.0, None]

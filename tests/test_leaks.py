"""Calls of each public function leave no tensor behind, with the garbage collector off.

The cases are the examples in the docstrings of all public names, and below what these leave out.
"""

from __future__ import annotations

import doctest
import functools
import gc
import inspect
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
import torch

import _public
import torchopt
from torchopt import diff, distributed, linalg, multilevel, nn, optim, pytree, solver, visual
from torchopt import linear_solve as ls
from torchopt.diff import zero_order as zo
from torchopt.distributed import autograd as remote

X = torch.linspace(-1, 1, 5)
Case = Callable[[], Any]
CASES: dict[str, Case] = {}


def case(function: Case) -> Case:
    CASES[function.__name__] = function
    return function


def cases(name: str, function: Callable[[Any], Any], arguments: dict[str, Any]) -> None:
    CASES.update({f"{name}-{key}": lambda a=a: function(a) for key, a in arguments.items()})


# Optimizers, and the gradient transformations that are not inside of one


def objective(w: torch.Tensor) -> torch.Tensor:
    return ((X * w).tanh().exp()).mean() + (w**2).sum()


def transformed(tx: Any) -> None:
    """Functional, through its graph, and in place."""
    w = torch.ones(5, requires_grad=True)
    state = tx.init(w)
    for _ in range(2):
        (g,) = torch.autograd.grad(objective(w), w, create_graph=True)
        updates, state = tx.update(g, state, params=w, inplace=False)
        w = torchopt.apply_updates(w, updates, inplace=False)
    torch.autograd.grad(w.sum(), g)
    w = torch.ones(5)
    tx.update(torch.ones(5), tx.init(w), params=w, inplace=True)


def optimized(make: Any) -> None:
    net = torch.nn.Linear(5, 1)
    optimizer = make(net.parameters(), lr=0.1)
    for _ in range(2):
        optimizer.zero_grad()
        net(X).tanh().sum().backward()
        optimizer.step()
    optimizer.load_state_dict(optimizer.state_dict())


def meta_optimized(make: Any, net: Any = None) -> None:
    net = net or torch.nn.Linear(5, 1)
    optimizer = make(net, lr=0.1)
    start = [torchopt.extract_state_dict(x, by="reference") for x in (net, optimizer)]
    for _ in range(2):
        optimizer.step(net(X).tanh().sum())
    net(X).sum().backward()
    for x, state in zip((net, optimizer), start, strict=True):
        torchopt.recover_state_dict(x, state)


RULES = _public.ALIASES
cases("transformed", transformed, {name: rule(0.1) for name, rule in RULES.items()})
BASES = (optim.Optimizer, optim.MetaOptimizer)
CLASSES = {n: x for n in optim.__all__ if inspect.isclass(x := getattr(optim, n))}
CLASSES = {n: x for n, x in CLASSES.items() if issubclass(x, BASES) and x not in BASES}
CLASSES["LBFGS"] = functools.partial(CLASSES["LBFGS"], linesearch=None)
for read in ("MoMo", "PolyakSGD"):  # their steps take a closure
    del CLASSES[read]
META = {name: make for name, make in CLASSES.items() if name.startswith("Meta")}
cases("optimized", optimized, {n: make for n, make in CLASSES.items() if n not in META})
cases("optimized", meta_optimized, META)


# Faces, modes and policies


def minimized(mode: Any) -> None:
    start = torch.zeros(5, requires_grad=True)
    options = {"solver": torchopt.adam(0.1), "steps": 3, "diff": mode}
    solution = torchopt.minimize(objective, start, **options)  # type: ignore[arg-type]
    torch.autograd.grad(solution.params.sum(), start)


@case
def plan() -> None:
    torchopt.plan(objective, torch.zeros(5), solver=torchopt.adam(0.1), steps=10)


@case
def remat() -> None:
    w = torch.ones(5, requires_grad=True)
    y = torchopt.remat(lambda a: (a * X).tanh().exp())(w)
    (g,) = torch.autograd.grad(y.sum(), w, create_graph=True)
    torch.autograd.grad(g.sum(), w)


@case
def meta_grad_and_value() -> None:
    torchopt.meta_grad_and_value(
        lambda p: torchopt.minimize(objective, p, solver=torchopt.sgd(0.1), steps=2).params.sum()
    )(torch.zeros(5))


@case
def custom_root() -> None:
    a = torch.full((4,), 2.0, requires_grad=True)
    solve = torchopt.compat.custom_root(lambda z, a: z**3 - a, argnums=1)(lambda z, a: a ** (1 / 3))
    solve(torch.ones(4), a).sum().backward()


@case
def vmap_tasks() -> None:
    start = torch.zeros(5, requires_grad=True)

    def adapted(target: torch.Tensor) -> torch.Tensor:
        return torchopt.minimize(
            lambda w: (w - target).cosh().sum(), start, solver=torchopt.sgd(0.1), steps=2
        ).params.sum()

    torchopt.vmap_tasks(adapted)(torch.arange(3.0)).sum().backward()


@case
def higher_order() -> None:
    x = torch.ones(5, requires_grad=True)
    with torchopt.higher_order():
        y = torch.nn.functional.layer_norm(x * X, (5,))[1]
    (g,) = torch.autograd.grad(y, x, create_graph=True)
    g.sum().backward()


@case
def level() -> None:
    lower = multilevel.Level(
        "weight",
        lambda w, values, _: (w - 3).square() + values["penalty"] * w.square(),
        solver=torchopt.adam(0.1),
        steps=2,
    )
    program = multilevel.Level(
        "penalty",
        lambda _, values, __: (values["weight"] - 2).square(),
        solver=torchopt.sgd(0.1),
        lowers=[lower],
    )
    state = program.init({"penalty": torch.tensor(0.1), "weight": torch.tensor(0.0)})
    for _ in range(2):
        state = program.step(state).state


class Inner(multilevel.Problem):
    def training_step(self, batch: Any) -> torch.Tensor:
        return ((self.module.weight - batch[0] * self.outer.module.weight) ** 2).sum()


class Outer(multilevel.Problem):
    def training_step(self, batch: Any) -> torch.Tensor:
        return (self.module.weight * self.inner.module.weight).sum()


@case
def engine() -> None:
    def problem(cls: type[multilevel.Problem], name: str, **config: Any) -> multilevel.Problem:
        module = torch.nn.Linear(1, 1, bias=False)
        optimizer = torch.optim.SGD(module.parameters(), lr=0.1)
        return cls(name, multilevel.Config(**config), module=module, optimizer=optimizer,
                   train_data_loader=[(torch.ones(1),)])  # fmt: skip

    inner = problem(Inner, "inner", diff=diff.Explicit(), unroll_steps=2)
    outer = problem(Outer, "outer")
    edges = {"u2l": {outer: [inner]}, "l2u": {inner: [outer]}}
    program = multilevel.Engine([outer, inner], multilevel.EngineConfig(train_iters=4), edges)
    program.plan()
    program.run()


@case
def explain() -> None:
    w = torch.tensor([0.3, 1.7], requires_grad=True)
    with visual.record() as recording:
        y = (w.detach() * w.round()).sum()
    str(visual.explain(y, {"w": w}, recording=recording))
    visual.GradGraph(w.sin().sum(), {"w": w}).summary()


MODES = {
    **{f"{m}": _public.keeping(m) for m in ("graph", *_public.POLICIES, 2) if m != "forward"},
    "forward products": diff.Explicit(memory="step", hvp="forward"),
    "offloaded": diff.Explicit(memory="step", offload="cpu"),
    "offloaded graph": diff.Explicit(offload="cpu"),
    "implicit": diff.Implicit(),
    "first order": diff.Explicit(first_order=True),
    "forward": diff.Explicit(memory="forward"),
}
cases("minimize", minimized, MODES)


def solved(method: Any) -> None:
    a = torch.full((4,), 0.5, requires_grad=True)
    face, function = {
        "least_squares": (torchopt.least_squares, lambda x, a: (-x).exp() - a),
        "fixed_point": (torchopt.fixed_point, lambda x, a: (x.cos() + a) / 2),
        "root": (torchopt.root, lambda x, a: x**3 + x - a),
        "minimize": (torchopt.minimize, lambda x, a: (x.cosh() - a * x).sum()),
    }[KINDS[type(method).__name__]]
    solution = face(function, torch.full((4,), 0.1), (a,), solver=method)
    (g,) = torch.autograd.grad(solution.params.sum(), a, create_graph=True)
    g.sum().backward()


KINDS = {
    **dict.fromkeys(("Anderson", "FixedPointIteration"), "fixed_point"),
    **dict.fromkeys(("Broyden", "Newton"), "root"),
    **dict.fromkeys(("GaussNewton", "LevenbergMarquardt"), "least_squares"),
    "LBFGS": "minimize",
}
cases("solved", solved, {name: getattr(solver, name)() for name in KINDS})


def linear(solve: Any) -> None:
    a = torch.tensor([[0.9, 0.3], [0.3, 0.8]], requires_grad=True)
    b = torch.tensor([1.0, 2.0], requires_grad=True)
    solve(lambda v: a @ v, b).sum().backward()


cases("linear", lambda make: linear(make()), _public.exported(ls, ls.LinearSolver))
cases("linear", linear, {"warm": ls.WarmStart(ls.CG())})


@case
def operators() -> None:
    w = torch.ones(5, requires_grad=True)
    h = linalg.hessian_operator(objective, w)
    j = linalg.jacobian_operator(lambda w: (X * w).tanh(), w)
    g = linalg.gauss_newton_operator(lambda w: (X * w).tanh(), w)
    (h(X) + j.T(j(X)) + g(X) + ls.CG()(h, X)).sum().backward()


ESTIMATORS = _public.exported(zo, zo.Estimator)
del ESTIMATORS["Guided"]  # whose directions its example has


def estimated(make: Any) -> None:
    options = {} if make is zo.Coordinate else {"num_samples": 2}
    mode = zo.ZeroOrder(make(**options), generator=0)
    weight = torch.full((2, 5), 0.1, requires_grad=True)
    mode(lambda w: torch.nn.functional.linear(X, w).cosh().sum())(weight).backward()


cases("estimated", estimated, ESTIMATORS)


@case
def check_meta_grad() -> None:
    torchopt.check_meta_grad(objective, torch.linspace(0.1, 1, 5).double(), order=2)


@case
def check_training() -> None:
    def outer(w: torch.Tensor, **how: Any) -> torch.Tensor:
        return torchopt.minimize(
            lambda x, w: (x - w).square().sum(), w.detach() + 1, (w,), **how
        ).params.sum()

    unrolled = {"solver": torchopt.sgd(0.1), "steps": 3}
    for mode in (diff.Explicit(truncate=1), diff.OneStep(), diff.ZeroOrder(generator=0)):
        torchopt.check_training(functools.partial(outer, diff=mode, **unrolled), torch.ones(3))
    torchopt.check_training(outer, torch.ones(3))


# Modules


class Block(torch.nn.Module):
    """Has buffers, and is computed again."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = torch.nn.Linear(5, 5)
        self.norm = torch.nn.BatchNorm1d(5)

    def layers(self, x: torch.Tensor) -> torch.Tensor:
        return self.norm(self.linear(x)).tanh()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torchopt.remat(self.layers)(torch.stack([x, 2 * x])).sum()


@case
def functional_modules() -> None:
    net = Block()
    function, params = torchopt.compat.make_functional(net)
    function(params, X).backward()
    copies = {name: p.detach().clone().requires_grad_() for name, p in net.named_parameters()}
    nn.functional_call(net, copies, X).backward()
    with torchopt.compat.reparametrize(net, copies):
        net(X).backward()
    meta_optimized(torchopt.MetaSGD, torch.nn.Sequential(net.linear, torch.nn.Tanh()))
    with pytest.raises(RuntimeError, match="shapes cannot be multiplied"):
        nn.functional_call(net, copies, X[:3])


class Shrunk(torchopt.compat.ImplicitMetaGradientModule):
    def __init__(self, penalty: Any, meta: torch.nn.Module) -> None:
        super().__init__()
        self.penalty = penalty
        self.meta = meta
        self.inner = Block()

    def objective(self, x: torch.Tensor) -> torch.Tensor:
        norms = [p.square().sum() for p in self.inner.parameters()]
        return (self.inner(x) - self.meta(x)).square().sum() + self.penalty * sum(norms)

    def solve(self, x: torch.Tensor) -> None:
        with torch.enable_grad():
            grads = torch.autograd.grad(self.objective(x), list(self.parameters()))
        for p, g in zip(self.parameters(), grads, strict=True):
            p.sub_(g, alpha=0.1)


@case
def implicit_module() -> None:
    module = Shrunk(torch.tensor(1.0, requires_grad=True), torch.nn.Linear(5, 1))
    for _ in range(2):
        module.solve(X)
        module.inner(X).sum().backward()


# Processes: here a world and an RPC group of one


@case
def group_of_one() -> None:
    @distributed.auto_init_rpc()
    def main() -> None:
        w = torch.ones(5, requires_grad=True)
        evaluated = distributed.parallelize_async(distributed.dim_partitioner())(objective)
        for _ in range(3):
            loss = evaluated(w).wait()[0] + distributed.remote_sync_call(objective, args=(w,))[0]
            with remote.context() as number:
                remote.grad(number, loss, w)
            with remote.context() as number:
                remote.backward(number, distributed.remote_async_call(objective, args=(w,)).wait())
            pytree.tree_to_here(pytree.tree_as_rref({"w": w.detach()}))

    with mock.patch.dict(os.environ):  # where a group notes its interface
        main()
        torch.distributed.rpc.shutdown()


# The docstrings' examples


def example(thing: Any) -> Case | None:
    """Return the example of a docstring as a function."""
    ours = hasattr(thing, "__qualname__") and thing.__module__.startswith("torchopt")
    raised = inspect.isclass(thing) and issubclass(thing, Exception)
    if raised or not (ours and thing.__doc__):
        return None
    examples = doctest.DocTestParser().get_examples(thing.__doc__)
    source = "".join(e.source for e in examples if e.exc_msg is None)
    code = compile(source, thing.__qualname__, "exec")

    def run() -> None:
        namespace = dict(vars(sys.modules[thing.__module__]))
        exec(code, namespace)
        namespace.clear()  # functions and their globals are a cycle

    return run if source else None


#: How many calls there are; fewer where one takes long.
CALLS = {"multilevel.Level": 3, "group_of_one": 5}
PUBLIC = {name.removeprefix("torchopt."): thing for name, (_, thing) in _public.names().items()}
CASES |= {name: run for name, thing in PUBLIC.items() if (run := example(thing))}


@pytest.fixture(scope="module", autouse=True)
def without_collector() -> Iterator[None]:
    gc.disable()
    yield
    gc.enable()


def alive() -> int:
    """Return how many tensors and nodes of graphs there are that were made since ``gc.freeze()``."""
    kinds = (torch.Tensor, torch.autograd.graph.Node)
    return sum(issubclass(type(x), kinds) for x in gc.get_objects())


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the examples write their files."""
    return tmp_path_factory.mktemp("examples")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", CASES)
def test_calls_leave_no_tensors(name: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    call = CASES[name]
    forget()
    call()
    if alive() == 0:
        return
    call()
    forget()  # what is kept once
    left: list[int] = []
    while all(n > calls for calls, n in enumerate(left)):  # a leak has one for each call
        assert len(left) < CALLS.get(name, 10), left
        call()
        left.append(alive())


def forget() -> None:
    """Do not count what is alive now, also what other threads still hold of earlier cases."""
    gc.collect()
    gc.freeze()

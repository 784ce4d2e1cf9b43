"""Compiled meta-steps give the numbers of eager ones.

Most tests stop after tracing: what is traced is what is compiled, and compiling takes long.
"""

import os
import sys
import types

import pytest
import torch
import torch.nn.functional as F

import torchopt
from _public import ALIASES
from _traced import TRACED
from _warm import Program
from torchopt import pytree
from torchopt.autodiff import compiler, scan
from torchopt.compiled.call import call_compiled
from torchopt.diff import _explicit
from torchopt.errors import NotCompiledWarning
from torchopt.meta._meta_grad import meta_grad_and_value

F64 = torch.float64
SGD = torchopt.sgd(0.1)  # made here, where it need not be traced
pytestmark = pytest.mark.compiled


@pytest.fixture
def traced(monkeypatch):
    monkeypatch.setattr(compiler, "current", TRACED)
    monkeypatch.setattr(_explicit, "_UNROLLED", 0)  # as of many steps


def test_forward_mode_through_a_loop_names_what_to_do():
    x = torch.ones(2)
    loop = scan.Scan(lambda x: [x.sin()], 2, scan.Shape(1, 0, 0, 0), [scan.Meta.of(x)])
    with pytest.raises(NotImplementedError, match="use reverse mode, or no `compile=True`"):
        torch.func.jvp(lambda x: scan.call(loop, x)[0], (x,), (x,))


def draw(*shape, seed=0):
    generator = torch.Generator().manual_seed(seed + sum(shape))
    return torch.randn(shape, generator=generator, dtype=F64)


def assert_close(found, expected):
    a, spec = pytree.tree_flatten(found)
    b, expected_spec = pytree.tree_flatten(expected)
    assert spec == expected_spec
    torch.testing.assert_close(a, b, rtol=1e-9, atol=1e-12)


def assert_compiled_equals_eager(outer, *args, argnums=0, again=()):
    """Also for other values, without compiling anew."""
    compiled = meta_grad_and_value(outer, argnums, compile=True)
    eager = meta_grad_and_value(outer, argnums)
    assert_close(compiled(*args), eager(*args))
    for other in again:
        with torch.compiler.set_stance("fail_on_recompile"):
            found = compiled(*other)
        assert_close(found, eager(*other))


def test_an_import_compiles_nothing_anew(monkeypatch, traced):
    net = torch.nn.Linear(3, 1, dtype=F64)

    def outer(weights, w, x):
        def inner(w):
            return (weights * torchopt.nn.functional_call(net, w, x).square().squeeze(-1)).mean()

        solution = torchopt.minimize(inner, w, solver=SGD, steps=2)
        return torchopt.nn.functional_call(net, solution.params, x).mean()

    compiled = meta_grad_and_value(outer, compile=True)
    given = torch.ones(5, dtype=F64), {k: p.detach() for k, p in net.named_parameters()}, draw(5, 3)
    compiled(*given)
    with torch.compiler.set_stance("fail_on_recompile"):
        compiled(*given)  # the first call has imported the compiler
        monkeypatch.setitem(sys.modules, "a_module_of_the_program", types.ModuleType("a"))
        found = compiled(*given)
    assert_close(found, meta_grad_and_value(outer)(*given))


def tasks(seed=0):
    return draw(5, 7, 3, seed=seed), draw(5, 7, 1, seed=seed)


def maml(meta, xs, ys, batches):
    """Batched tasks with a learning rate that varies, and data that changes from step to step."""

    def task(x, y):
        def inner(w, batch):
            return F.mse_loss((x @ w).tanh(), y) + (batch @ w).tanh().square().mean()

        solution = torchopt.minimize(
            inner,
            meta["weights"],
            solver=torchopt.adam(meta["lr"][0], eps_root=1e-8),
            steps=len(batches),
            batches=batches,
        )
        return F.mse_loss((x @ solution.params).tanh(), y)

    return torch.vmap(task)(xs, ys).mean()


@pytest.mark.usefixtures("traced")
def test_batched_tasks_with_tensor_hyperparameters_and_batches():
    torch._dynamo.reset()

    def given(seed):
        lr = torch.tensor([0.05 + 0.01 * seed], dtype=F64)  # Dynamo traces twice for one number
        meta = {"weights": draw(3, 1, seed=seed), "lr": lr}
        return meta, *tasks(seed), draw(2, 2, 3, seed=seed)

    assert_compiled_equals_eager(maml, *given(0), argnums=(0, 1, 2, 3), again=[given(1)])


@pytest.mark.usefixtures("traced")
def test_as_much_is_traced_for_many_steps_as_for_few():
    def outer(start, data):
        return torchopt.minimize(
            lambda x, batch: ((x - batch) ** 2).sin().sum(),
            start,
            solver=SGD,
            steps=len(data),
            batches=data,
        ).params.sum()

    def count(steps):
        before = set(scan._SCANS)
        args = draw(2), draw(steps, 2)
        torch._dynamo.reset()
        assert_close(
            meta_grad_and_value(outer, (0, 1), compile=True)(*args),
            meta_grad_and_value(outer, (0, 1))(*args),
        )
        made = [p for key, p in scan._SCANS.items() if key not in before]
        return sum(len(p.graph.graph.nodes) for p in made)

    assert count(3) == count(9) > 0


def solve(objective, params, args=(), **options):
    """What ``minimize(..., compile=True)`` does."""
    return call_compiled(torchopt.minimize, (objective, params, args), options, owner=objective)


@pytest.mark.usefixtures("traced")
def test_a_solution_has_gradients_in_all_that_is_read_but_no_second_ones():
    def run(minimize, start, arg, closed, lr):
        def objective(x, a):
            return ((x - a) ** 2 * closed.exp()).sum() + (x**4).sum()

        solution = minimize(objective, start, (arg,), solver=torchopt.sgd(lr), steps=5)
        value, read = (solution.params**2).sum(), [start, arg, closed, lr]
        if minimize is solve:
            with pytest.raises(RuntimeError, match="pass compile=False"):
                torch.autograd.grad(value, read, create_graph=True)
        return torch.autograd.grad(value, read)

    def given(seed):
        read = [draw(2, seed=seed), draw(2, seed=seed + 1), draw(2, seed=seed + 2)]
        lr = torch.tensor([0.1, 0.1 + seed / 50], dtype=F64)  # Dynamo traces twice for one number
        return [t.requires_grad_() for t in (*read, lr)]

    torch._dynamo.reset()
    assert_close(run(solve, *given(0)), run(torchopt.minimize, *given(0)))
    # The closure is made again; nothing is compiled again.
    with torch.compiler.set_stance("fail_on_recompile"):
        found = run(solve, *given(1))
    assert_close(found, run(torchopt.minimize, *given(1)))


class Attention(torch.nn.Module):
    """Of three heads: the method that splits is Python code, which the compiler must not read."""

    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(4, 12)

    def forward(self, x):
        split = torch.unflatten(self.linear(x), -1, (6, -1)).unflatten(-2, (2, 3))
        q, k = split.movedim(-2, -4).unbind(-2)
        return ((q @ k.mT).softmax(-1) @ q).sum(0)


@pytest.mark.usefixtures("traced")
def test_modules_with_dropout_and_labels_and_a_dimension_that_is_split():
    """Random numbers are drawn once, and the same ones are seen by the backward pass."""
    net = torch.nn.Sequential(Attention(), torch.nn.Dropout(0.5)).double()
    labels = torch.tensor([0, 1, 1, 1, 0])
    x = draw(5, 4)

    def outer(params):
        def inner(p):
            return F.cross_entropy(torch.func.functional_call(net, p, (x,)), labels)

        return inner(torchopt.minimize(inner, params, solver=SGD, steps=2).params)

    params = {k: p.detach() for k, p in net.named_parameters()}
    compiled, eager = meta_grad_and_value(outer, compile=True), meta_grad_and_value(outer)
    torch._dynamo.reset()
    found = []
    for f in (compiled, eager):
        torch.manual_seed(3)
        found.append(f(params))
    assert_close(*found)


@pytest.mark.usefixtures("traced")
def test_a_problem_inside_of_a_problem():
    def outer(start):
        def middle(y):
            inner = torchopt.minimize(
                lambda x: ((x - y) ** 4).sum(), y.detach() + start, solver=SGD, steps=3
            )
            return ((inner.params + y) ** 2).sum()

        return torchopt.minimize(middle, start, solver=SGD, steps=3).params.sum()

    torch._dynamo.reset()
    assert_compiled_equals_eager(outer, draw(2))


class Wrapped(torch.Tensor):
    """A tensor in a tensor."""

    @staticmethod
    def __new__(cls, inner):
        return torch.Tensor._make_wrapper_subclass(
            cls, inner.shape, dtype=inner.dtype, device=inner.device
        )

    def __init__(self, inner):
        self.inner = inner

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        args, kwargs = pytree.tree_map(
            lambda x: x.inner if isinstance(x, Wrapped) else x, (args, kwargs or {})
        )
        return pytree.tree_map(
            lambda y: Wrapped(y) if isinstance(y, torch.Tensor) else y, func(*args, **kwargs)
        )


class Opened(Wrapped):
    """The compiler takes it apart, and then does not know what its operations return."""

    def __tensor_flatten__(self):
        return ["inner"], None

    @staticmethod
    def __tensor_unflatten__(parts, context, size, stride):
        return Opened(parts["inner"])


@pytest.mark.usefixtures("traced")
def test_a_subclass_that_cannot_be_dispatched_runs_eagerly():
    def objective(x, w):
        return ((x - w) ** 2).sum()

    w = draw(3).requires_grad_()
    with pytest.warns(NotCompiledWarning, match="runs eagerly"):
        solution = torchopt.minimize(
            objective, Opened(torch.zeros(3, dtype=F64)), (w,), solver=SGD, steps=3, compile=True
        )
    (found,) = torch.autograd.grad(solution.params.sum(), w)
    torch.testing.assert_close(found.inner, torch.full((3,), 1 - 0.8**3, dtype=F64))


@pytest.mark.usefixtures("traced")
def test_what_cannot_be_compiled_runs_eagerly_and_says_why_once():
    def outer(x):
        solution = torchopt.minimize(
            lambda y: (y**2).sum() * (1 if float(y.detach().sum()) > 0 else 2),
            x,
            solver=SGD,
            steps=2,
        )
        return solution.params.sum()

    compiled = meta_grad_and_value(outer, compile=True)
    with pytest.warns(NotCompiledWarning, match=r"outer` runs eagerly, because .*data-dependent"):
        found = compiled(draw(3))
    assert_close(found, meta_grad_and_value(outer)(draw(3)))
    compiled(draw(3))  # warnings are errors


@pytest.mark.usefixtures("traced")
def test_a_step_that_counts_itself_is_not_traced_as_one():
    seen = []

    def outer(x):
        def inner(y):
            seen.append(len(seen))
            return (y**2).sum() * (1 + seen[-1])

        return torchopt.minimize(inner, x, solver=SGD, steps=3).params.sum()

    with pytest.warns(NotCompiledWarning, match="side effect"):
        found = meta_grad_and_value(outer, compile=True)(draw(3))
    seen.clear()
    assert_close(found, meta_grad_and_value(outer)(draw(3)))


def test_batches_of_few_steps_may_differ_in_shape(monkeypatch):
    monkeypatch.setattr(compiler, "current", TRACED)

    batches = [draw(3), draw(2, 3)]

    def outer(x):
        solution = torchopt.minimize(
            lambda y, b: ((y - b) ** 2).sum(), x, solver=SGD, steps=2, batches=batches
        )
        return solution.params.sum()

    assert_compiled_equals_eager(outer, draw(3))


_BY_INDUCTOR = """
import warnings
import torch, torchopt
from torch._dynamo.utils import counters
from torch._inductor import cpu_vec_isa
from torchopt.diff import Implicit
from torchopt.pytree import tree_leaves

# Which vectors this processor has is found by a compilation and a process for each kind.
cpu_vec_isa.valid_vec_isa_list = list
warnings.simplefilter("error", torchopt.errors.NotCompiledWarning)
torch.set_default_dtype(torch.float64)

def program(steps):
    def outer(meta, y, x):
        def task(x, y):
            def inner(p):
                return (x @ p["w"] + p["b"] - y).square().mean()
            solution = torchopt.minimize(inner, meta["p"], steps=steps,
                solver=torchopt.adam(meta["lr"], eps_root=1e-8))
            return inner(solution.params)
        return torch.vmap(task)(x, y).mean()
    return outer

def given():
    params = {"w": torch.randn(3), "b": torch.randn(1)}  # of parts of one vector
    return {"p": params, "lr": torch.tensor(0.1)}, torch.randn(2, 4), torch.randn(2, 4, 3)

torch.manual_seed(0)
for steps in (3, 40):  # one after the other, and a loop
    both = [torchopt.meta_grad_and_value(program(steps), (0, 1), compile=c) for c in (True, False)]
    for stance in ("default", "fail_on_recompile"):
        args = given()
        with torch.compiler.set_stance(stance):
            found, expected = (tree_leaves(f(*args)) for f in both)
        torch.testing.assert_close(found, expected, rtol=1e-9, atol=1e-12)
    print(counters["aot_autograd"]["autograd_cache_hit"], *[t.tolist() for t in found])
warnings.resetwarnings()
# Compiled code that calls what only its process knows (a solver's loop), and steps without a gradient.
x = torch.arange(1.0, 4.0)
def ridge(a):
    return torchopt.minimize(lambda y, a: (a * y * y).sum() + ((y - 1) ** 2).sum(),
        torch.zeros(3), (a,), solver=torchopt.solver.LBFGS(), diff=Implicit()).params.sum()
gradient, _ = torchopt.meta_grad_and_value(ridge, compile=True)(x)
torch.testing.assert_close(gradient, -1 / (1 + x) ** 2, rtol=1e-4, atol=1e-6)
def fit(**options):
    return torchopt.minimize(lambda y: (y ** 4).sum(), x, solver=torchopt.adam(0.1), steps=20,
        **options).params
torch.testing.assert_close(fit(compile=True), fit())
"""


@pytest.mark.slow  # the fast tests look at what is traced
def test_inductor_gives_the_numbers_of_eager_code_and_a_second_process_finds_it_on_disk(tmp_path):
    def run():
        environment = {**os.environ, "TORCHINDUCTOR_CACHE_DIR": str(tmp_path)}
        status, out, err = Program(["-c", _BY_INDUCTOR], environment).end()
        assert status == 0, err
        lines = [line.split(" ", 1) for line in out.splitlines()]
        return [int(hits) for hits, _ in lines], [values for _, values in lines]

    (none, first), (hits, second) = run(), run()
    assert none == [0, 0]
    assert hits == [1, 2]
    assert first == second  # to the last bit


@pytest.mark.usefixtures("traced")
def test_errors_of_the_function_stay_errors():
    def outer(x):
        return torchopt.minimize(
            lambda y: y @ torch.ones(7, dtype=F64), x, solver=SGD, steps=2
        ).params.sum()

    with pytest.raises(RuntimeError, match=r"inconsistent tensor size|size mismatch"):
        meta_grad_and_value(outer, compile=True)(draw(3))


@pytest.mark.usefixtures("traced")
def test_inside_of_torch_func_it_says_where_to_compile():
    start = draw(3, 2)

    def one(x):
        return solve(lambda y: (y**2).sum(), x, solver=torchopt.sgd(0.1), steps=1).params

    with pytest.warns(NotCompiledWarning, match="torchopt.meta_grad_and_value"):
        found = torch.vmap(one)(start)
    assert_close(found, 0.8 * start)


@pytest.mark.slow  # Inductor alone indexes the rows of what is empty
@pytest.mark.filterwarnings("error::torchopt.errors.NotCompiledWarning")
def test_empty_leaves_among_others_are_compiled(monkeypatch):
    monkeypatch.setattr(_explicit, "_UNROLLED", 0)

    def outer(meta, batches):
        solution = torchopt.minimize(
            lambda p, b: ((p["w"] - 1) ** 2).sum() + p["e"].sum() + b[0] @ p["w"] + b[1].sum(),
            meta,
            solver=torchopt.sgd(0.1),
            steps=2,
            batches=batches,
        )
        return (solution.params["w"] ** 2).sum()

    meta, batches = {"w": draw(3), "e": draw(0)}, (draw(2, 3), draw(2, 0))
    assert_compiled_equals_eager(outer, meta, batches, argnums=(0, 1))


OPTIMIZERS = {
    "shampoo": ALIASES["shampoo"],
    "prodigy": ALIASES["prodigy"],
    "chain": lambda lr: torchopt.chain(
        torchopt.transform.clip_grad_norm(0.5),
        torchopt.sgd(
            torchopt.schedule.exponential_decay_schedule(lr, transition_steps=2, decay_rate=0.5),
            momentum=0.9,
            nesterov=True,
            weight_decay=0.01,
        ),
    ),
}


@pytest.mark.usefixtures("traced")
# The update of each is compiled in tests/transform; these are whole solutions, seconds each, of
# those whose states differ most. Adam's are in the test above.
@pytest.mark.slow
@pytest.mark.parametrize("name", OPTIMIZERS)
def test_an_optimizer_compiles_whole(name):
    data = draw(3)

    def outer(lrs, start):
        solution = torchopt.minimize(
            lambda x: ((x - data) ** 4).sum() + x.prod(),
            start,
            solver=OPTIMIZERS[name](lrs[0]),
            steps=6,
        )
        return solution.params.square().sum()

    given = torch.tensor([0.05], dtype=F64), draw(3, seed=1)
    torch._dynamo.reset()
    assert_compiled_equals_eager(outer, *given, argnums=(0, 1))

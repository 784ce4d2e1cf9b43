"""The truth is a Python loop over tasks, and closed forms."""

from __future__ import annotations

import copy
import math
import warnings
from dataclasses import dataclass
from typing import Any, NamedTuple

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torch.func import functional_call
from torch.utils.checkpoint import checkpoint

import torchopt
from torchopt.errors import NotBatchedWarning
from torchopt.meta._vmap_tasks import vmap_tasks
from torchopt.pytree import tree_flatten, tree_map

TASKS = 5
SILENT = pytest.mark.filterwarnings("ignore::torchopt.errors.NotBatchedWarning")


def loop(fn: Any, *args: Any, mapped: int = 1) -> Any:
    """Run a function for one task after the other, of which the last arguments have one each."""
    shared, rows = args[: len(args) - mapped], args[len(args) - mapped :]
    results = [fn(*shared, *row) for row in zip(*rows, strict=True)]
    return tree_map(lambda *leaves: torch.stack(leaves), *results)


def close(found: Any, expected: Any) -> None:
    leaves, spec = tree_flatten(found)
    wanted, wanted_spec = tree_flatten(expected)
    assert spec == wanted_spec
    for a, b in zip(leaves, wanted, strict=True):
        torch.testing.assert_close(a, b, rtol=1e-10, atol=1e-10)


@pytest.fixture(autouse=True)
def _seed():
    torch.manual_seed(7)


@pytest.fixture
def data():
    return torch.randn(TASKS, 6, 3).double(), torch.randn(TASKS, 6, 2).double()


def mlp() -> nn.Sequential:
    return nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2)).double()


def parameters(net: nn.Module) -> dict[str, torch.Tensor]:
    return {name: p.detach().clone() for name, p in net.named_parameters()}


def by_minimize(net, solver=torchopt.adam(0.05), **options):  # noqa: B008
    def fn(params, x, y):
        def loss(p, x, y):
            return ((functional_call(net, p, (x,)) - y) ** 2).mean()

        solution = torchopt.minimize(loss, params, (x, y), solver=solver, steps=3, **options)
        return loss(solution.params, x, y)

    return fn


def by_optimizer(net):
    def fn(params, x, y):
        def loss(p):
            return ((functional_call(net, p, (x,)) - y) ** 2).mean()

        optimizer = torchopt.adam(0.05)
        state = optimizer.init(params)
        for _ in range(3):
            updates, state = optimizer.update(torch.func.grad(loss)(params), state, inplace=False)
            params = torchopt.apply_updates(params, updates, inplace=False)
        return loss(params)

    return fn


def by_hand(net):
    def fn(params, x, y):
        def loss(p):
            return ((functional_call(net, p, (x,)) - y) ** 2).mean()

        for _ in range(3):
            grads = torch.func.grad(loss)(params)
            params = {name: p - 0.1 * grads[name] for name, p in params.items()}
        return loss(params)

    return fn


INNER = {"minimize": by_minimize, "optimizer": by_optimizer, "hand": by_hand}


def total(fn, *args):
    return (fn(*args) * torch.linspace(0.5, 2, TASKS).double()).sum()


# Derivatives


@pytest.mark.parametrize("chunk_size", [None, 2])
@pytest.mark.parametrize("inner", INNER)
def test_value_and_gradients_by_every_route_equal_those_of_the_loop(inner, chunk_size, data):
    net = mlp()
    fn, params = INNER[inner](net), parameters(net)
    batched = vmap_tasks(fn, (None, 0, 0), chunk_size=chunk_size)

    def looped(params, x, y):
        return loop(fn, params, x, y, mapped=2)

    close(batched(params, *data), looped(params, *data))
    expected = torch.func.grad(lambda p: total(looped, p, *data))(params)
    close(torch.func.grad(lambda p: total(batched, p, *data))(params), expected)
    leaves = {name: p.clone().requires_grad_() for name, p in params.items()}
    total(batched, leaves, *data).backward()
    close({name: p.grad for name, p in leaves.items()}, expected)
    tangents = {name: torch.randn_like(p) for name, p in params.items()}
    close(
        torch.func.jvp(lambda p: batched(p, *data), (params,), (tangents,)),
        torch.func.jvp(lambda p: looped(p, *data), (params,), (tangents,)),
    )


def test_double_backward_equals_that_of_the_loop(data):
    fn = by_minimize(mlp())
    results = []
    for run in (vmap_tasks(fn, (None, 0, 0)), lambda *a: loop(fn, *a, mapped=2)):
        torch.manual_seed(3)
        params = {name: p.requires_grad_() for name, p in parameters(mlp()).items()}
        leaves = list(params.values())
        first = torch.autograd.grad(total(run, params, *data), leaves, create_graph=True)
        norm = sum((g**2).sum() for g in first)
        results.append(torch.autograd.grad(norm, leaves))
    close(results[0], results[1])


def test_gradient_reaches_what_the_function_closes_over(data):
    x, y = data
    net = mlp()
    rate = torch.tensor(0.2).double().requires_grad_()

    def fn(x, y):
        def loss(w):
            return F.mse_loss(net(x) * w, y)

        w = torchopt.minimize(loss, rate.new_ones(2), solver=torchopt.sgd(rate), steps=2).params
        return loss(w)

    leaves = [rate, *net.parameters()]
    found = torch.autograd.grad(total(vmap_tasks(fn), x, y), leaves)
    expected = torch.autograd.grad(total(lambda *a: loop(fn, *a, mapped=2), x, y), leaves)
    close(found, expected)


def test_meta_gradient_has_its_closed_form():
    # One step of rate r on (w - t)^2 leaves (1 - 2 r) (w - t): the loss is its square.
    targets = torch.randn(TASKS).double()

    def fn(w, rate, target):
        step = torchopt.minimize(
            lambda w: (w - target) ** 2, w, solver=torchopt.sgd(rate), steps=1
        ).params
        return (step - target) ** 2

    w, rate = torch.tensor(0.7).double(), torch.tensor(0.2).double()
    batched = vmap_tasks(fn, (None, None, 0))
    found = torch.func.grad(lambda *a: batched(*a, targets).sum(), (0, 1))(w, rate)
    d, left = w - targets, 1 - 2 * rate
    close(found, (2 * left**2 * d.sum(), -4 * left * (d**2).sum()))


def test_nested_batches_equal_nested_loops(data):
    net = mlp()
    fn, params = by_minimize(net), parameters(net)
    x, y = torch.randn(3, 2, 6, 3).double(), torch.randn(3, 2, 6, 2).double()
    nested = vmap_tasks(vmap_tasks(fn, (None, 0, 0), chunk_size=1), (None, 0, 0))
    found = torch.func.grad(lambda p: (nested(p, x, y) ** 2).sum())(params)
    expected = torch.func.grad(
        lambda p: (loop(fn, p, x.flatten(0, 1), y.flatten(0, 1), mapped=2) ** 2).sum()
    )(params)
    close(found, expected)


W = torch.linspace(0.5, 2, TASKS).double()


# Trees


class Pair(NamedTuple):
    first: Any
    second: Any


@dataclass
class Task:
    x: Any
    y: Any
    extra: Any = None


def test_trees_of_any_kind_go_in_and_out():
    x, y, shared = torch.randn(TASKS, 3), torch.randn(2, TASKS), torch.randn(3)

    def fn(pair, task):
        assert pair.first.shape == (3,)
        assert task.x.shape == (2,)
        assert task.extra is None
        return Task(Pair(pair.first * pair.second, task.x), None, {"name": "sgd", "steps": 4})

    dims = (Pair(0, None), Task(-1, 0, None))
    out = vmap_tasks(fn, dims)(Pair(x, shared), Task(y, None))
    assert isinstance(out, Task)
    close(out.x, Pair(x * shared, y.T))
    assert out.y is None
    assert out.extra["name"] == "sgd"
    assert torch.equal(out.extra["steps"], torch.full((TASKS,), 4))


@pytest.mark.parametrize("falls_back", [False, pytest.param(True, marks=SILENT)])
@pytest.mark.parametrize("chunk_size", [None, 2])
def test_results_have_the_dimension_of_tasks_where_out_dims_says(falls_back, chunk_size):
    x, shared = torch.randn(TASKS, 3, 4), torch.randn(3)

    def fn(x, shared):
        if falls_back:
            x.sum().item()
        return {"a": x, "b": (x[0], x), "c": shared + 1, "d": 2.5}

    out_dims = {"a": 1, "b": (-1, -2), "c": None, "d": 0}
    out = vmap_tasks(fn, (0, None), out_dims, chunk_size=chunk_size)(x, shared)
    expected = {
        "a": x.movedim(0, 1),
        "b": (x[:, 0].T, x.movedim(0, -2)),
        "c": shared + 1,
        "d": torch.full((TASKS,), 2.5),
    }
    close(out, expected)


def test_keyword_arguments_are_shared():
    x = torch.randn(TASKS, 3)
    out = vmap_tasks(lambda x, *, scale: x * scale)(x, scale=torch.arange(3.0))
    close(out, x * torch.arange(3.0))


def test_the_solution_of_an_inner_problem_is_a_result():
    targets = torch.randn(TASKS, 2).double()

    def fn(target):
        return torchopt.minimize(
            lambda w: ((w - target) ** 2).sum(), target * 0, solver=torchopt.adam(0.1), steps=4
        )

    out = vmap_tasks(fn)(targets)
    close(out, loop(fn, targets))


def test_the_last_chunk_is_smaller():
    seen = []

    def fn(x):
        seen.append(torch._C._functorch.get_unwrapped(x).shape[0])
        return x

    vmap_tasks(fn, chunk_size=2)(torch.randn(TASKS))
    assert seen == [2, 2, 1]


def test_a_batch_of_no_tasks_has_no_results():
    assert vmap_tasks(lambda x: x.sum())(torch.randn(0, 3)).shape == (0,)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda: vmap_tasks(torch.add)(torch.ones(3), torch.ones(4)),
            ValueError,
            r"`args\[1\]` has 4 tasks in dimension 0, but `args\[0\]` has 3 in dimension 0",
        ),
        (
            lambda: vmap_tasks(lambda t: t, (Task(0, 1),))(
                Task(torch.ones(3, 2), torch.ones(3, 2))
            ),
            ValueError,
            r"`args\[0\]\.y` has 2 tasks in dimension 1, but `args\[0\]\.x` has 3",
        ),
        (
            lambda: vmap_tasks(lambda d: d)({"x": torch.ones(3), "k": 2}),
            TypeError,
            r"`args\[0\]\['k'\]` is an object of type int",
        ),
        (
            lambda: vmap_tasks(torch.add, (0, 1))(torch.ones(3), torch.ones(3)),
            ValueError,
            r"`args\[1\]` has shape \(3,\) and no dimension 1",
        ),
        (lambda: vmap_tasks(torch.sin, None)(torch.ones(3)), ValueError, "no argument has a dim"),
        (lambda: vmap_tasks(torch.sin, "x")(torch.ones(3)), ValueError, r"`args\[0\]` is 'x'"),
        (
            lambda: vmap_tasks(lambda d: d, ({"x": 0},))({"y": torch.ones(3)}),
            ValueError,
            r"`in_dims` does not have the tree structure of the arguments",
        ),
        (
            lambda: vmap_tasks(torch.sin, 0, {"x": 0})(torch.ones(3)),
            ValueError,
            r"`out_dims` does not have the tree structure of the result",
        ),
        (
            lambda: vmap_tasks(torch.sin, 0, None)(torch.arange(3.0)),
            ValueError,
            "`result` differs between tasks",
        ),
        (lambda: vmap_tasks(torch.sin, chunk_size=0), ValueError, "`chunk_size` is 0"),
        (lambda: vmap_tasks(torch.sin, randomness="none"), ValueError, "`randomness` is 'none'"),
    ],
)
def test_wrong_arguments_are_named(call, error, message):
    with pytest.raises(error, match=message):
        call()


@SILENT
@pytest.mark.parametrize(
    ("result", "message"),
    [
        (
            lambda n: {"x": torch.ones(n)},
            r"`result\['x'\]` has shape \(1,\) .* \(2,\)|\(2,\) .* \(1,\)",
        ),
        (lambda n: [torch.ones(1)] * n, r"`result` does not have the tree structure"),
        (lambda n: (str(n),), r"`result\[0\]` differs between tasks"),
    ],
)
def test_results_of_a_loop_that_cannot_be_stacked_are_named(result, message):
    with pytest.raises(ValueError, match=message):
        vmap_tasks(lambda x: result(int(x.item())))(torch.tensor([1, 2]))


# Random numbers


@pytest.mark.parametrize("falls_back", [False, pytest.param(True, marks=SILENT)])
@pytest.mark.parametrize("chunk_size", [None, 2])
@pytest.mark.parametrize("explicit", [False, True])
@pytest.mark.parametrize("randomness", ["different", "same"])
def test_random_numbers_are_different_or_the_same(randomness, explicit, chunk_size, falls_back):
    generator = torch.Generator().manual_seed(1) if explicit else torch.default_generator
    x = torch.zeros(TASKS, 50)

    def fn(x):
        if falls_back:
            x.sum().item()
        return x + torch.rand(50, generator=generator if explicit else None)

    batched = vmap_tasks(fn, chunk_size=chunk_size, randomness=randomness)
    before = generator.get_state()
    first = batched(x)
    after = generator.get_state()
    generator.set_state(before)
    assert torch.equal(batched(x), first)  # deterministic
    distinct = len(torch.unique(first, dim=0))
    assert distinct == (1 if randomness == "same" else TASKS)
    generator.set_state(before)
    alone = fn(x[0])
    if randomness == "same":
        assert torch.equal(first[0], alone)
        assert torch.equal(generator.get_state(), after)
    elif falls_back:
        assert torch.equal(first[0], alone)
        assert torch.equal(first[1], fn(x[1]))


@pytest.mark.parametrize("tasks", [1, TASKS])
@SILENT
@pytest.mark.parametrize("falls_back", [False, True])
def test_randomness_error_refuses_random_numbers(falls_back, tasks):
    def fn(x):
        if falls_back:
            x.sum().item()
        return F.dropout(x)

    with pytest.raises(RuntimeError, match='`randomness` is "error"'):
        vmap_tasks(fn, randomness="error")(torch.ones(tasks, 3))
    assert vmap_tasks(torch.sin, randomness="error")(torch.ones(3)).shape == (3,)


# Normalization


class Normalized(nn.Module):
    """Two linear layers with a normalization, which is called twice."""

    def __init__(self, norm: nn.Module) -> None:
        super().__init__()
        self.first, self.norm, self.second = nn.Linear(3, 4), norm, nn.Linear(4, 2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        h = self.first(x)
        if isinstance(self.norm, nn.BatchNorm1d):
            return self.second(self.norm(torch.tanh(self.norm(h))))
        h = h.unflatten(0, (2, 3)).transpose(1, 2)  # to batch, channels, positions
        return self.second(self.norm(torch.tanh(self.norm(h))).transpose(1, 2).flatten(0, 1))


NORMS = {
    "batch": lambda: nn.BatchNorm1d(4),
    "momentum": lambda: nn.BatchNorm1d(4, momentum=0.3),
    "cumulative": lambda: nn.BatchNorm1d(4, momentum=None),
    "plain": lambda: nn.BatchNorm1d(4, affine=False),
    "untracked": lambda: nn.BatchNorm1d(4, track_running_stats=False),
    "instance": lambda: nn.InstanceNorm1d(4, affine=True, track_running_stats=True),
}


def started(norm: str) -> Normalized:
    net = Normalized(NORMS[norm]()).double()
    net(torch.randn(6, 3).double())  # so that the running statistics are not those of the start
    return net


@pytest.mark.parametrize("chunk_size", [None, 2])
@pytest.mark.parametrize("norm", NORMS)
def test_normalization_in_training_mode_equals_the_loop(norm, chunk_size, data):
    net = started(norm)
    alike = copy.deepcopy(net)
    params = {name: p.requires_grad_() for name, p in parameters(net).items()}
    leaves = list(params.values())
    # Not Adam, which scales up the rounding errors of gradients that are zero.
    solver = torchopt.sgd(0.1, momentum=0.9)
    batched = vmap_tasks(by_minimize(net, solver), (None, 0, 0), chunk_size=chunk_size)
    found = torch.autograd.grad(total(batched, params, *data), leaves)
    one = by_minimize(alike, solver)
    expected = torch.autograd.grad(loop(one, params, *data, mapped=2) @ W, leaves)
    close(found, expected)
    close(dict(net.named_buffers()), dict(alike.named_buffers()))


def test_running_statistics_have_their_closed_form():
    net = nn.BatchNorm1d(3, momentum=0.25).double()
    x = torch.randn(TASKS, 6, 3).double()
    vmap_tasks(net)(x)
    mean, var = torch.zeros(3).double(), torch.ones(3).double()
    for task in x:
        mean = 0.75 * mean + 0.25 * task.mean(0)
        var = 0.75 * var + 0.25 * task.var(0)
    close((net.running_mean, net.running_var), (mean, var))
    assert net.num_batches_tracked == TASKS


def test_evaluation_mode_uses_running_statistics_and_leaves_them(data):
    net = started("batch").eval()
    before = copy.deepcopy(dict(net.named_buffers()))
    close(vmap_tasks(net)(data[0]), net(data[0].flatten(0, 1)).unflatten(0, (TASKS, 6)))
    close(dict(net.named_buffers()), before)


READERS = {
    "after": lambda norm, out: out * norm.running_mean.sum(),
    "branch": lambda norm, out: out * 3 if norm.num_batches_tracked > 1 else out,
    "number": lambda norm, out: out / int(norm.num_batches_tracked),
    "in a list": lambda norm, out: out * torch.stack([norm.running_mean, norm.running_var]).sum(),
    "returned": lambda norm, out: (out, norm.running_var.clone()),
}


@pytest.mark.parametrize("reader", READERS)
def test_statistics_that_the_program_itself_reads_need_the_loop(reader, data):
    net = started("batch")
    alike = copy.deepcopy(net)

    def fn(net):
        norm = next(m for m in net.modules() if isinstance(m, nn.BatchNorm1d))
        return lambda x: READERS[reader](norm, net(x))

    with pytest.warns(NotBatchedWarning, match="running statistics of `BatchNorm1d` are read"):
        found = vmap_tasks(fn(net))(data[0])
    one = fn(alike)
    rows = [one(x) for x in data[0]]
    close(found, torch.utils._pytree.tree_map(lambda *r: torch.stack(r), *rows))
    close(dict(net.named_buffers()), dict(alike.named_buffers()))


def test_statistics_of_each_task_are_written_to_its_own_buffers(data):
    net = started("batch")
    buffers = {k: v.expand(TASKS, *v.shape).clone() for k, v in net.named_buffers()}
    means = vmap_tasks(lambda b, x: (functional_call(net, b, (x,)), b)[1])(buffers, data[0])
    for i in range(TASKS):
        alone = {k: v.clone() for k, v in net.named_buffers()}
        functional_call(net, alone, (data[0][i],))
        close({k: v[i] for k, v in means.items()}, alone)


# What cannot be batched


class Counter(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("calls", torch.zeros(()).double())

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.calls += 1
        return x + self.calls


class Cache(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.last, self.calls = None, 0

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.last, self.calls = x * 2, self.calls + 1
        return self.last


class Sine(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.sin()

    @staticmethod
    def backward(ctx, g):
        return g * ctx.saved_tensors[0].cos()


class Everything(nn.Module):
    """A layer, and what cannot be batched."""

    def __init__(self, what: str) -> None:
        super().__init__()
        self.what, self.net = what, mlp()
        self.norm = nn.BatchNorm1d(3).double()
        self.counter, self.cache = Counter(), Cache()
        self.optimizer = torchopt.MetaAdam(self.net, lr=0.1)
        if what == "backward hook":
            self.net[1].register_full_backward_hook(lambda _, before, __: (before[0] * 2,))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = F.dropout(self.norm(x), 0.3)
        leaves = list(self.net.parameters())
        loss = self.net(x).pow(2).mean()
        if self.what == "item":
            return loss * loss.item()
        if self.what == "branch":
            return loss if loss > 0.1 else -loss
        if self.what == "mask":
            return loss * x[x > 0].sum()
        if self.what == "autograd.grad":
            grads = torch.autograd.grad(loss, leaves, create_graph=True)
            new = [p - 0.1 * g for p, g in zip(leaves, grads, strict=True)]
            names = [name for name, _ in self.net.named_parameters()]
            return functional_call(self.net, dict(zip(names, new, strict=True)), (x,)).sum()
        if self.what == "requires_grad_":
            w = x.detach().requires_grad_()
            (g,) = torch.autograd.grad((w**3).sum(), w)
            return loss * g.sum()
        if self.what == "optimizer":
            start = torchopt.extract_state_dict(self.net, by="reference")
            state = torchopt.extract_state_dict(self.optimizer, by="reference")
            self.optimizer.step(loss)
            out = self.net(x).pow(2).mean()
            torchopt.recover_state_dict(self.net, start)
            torchopt.recover_state_dict(self.optimizer, state)
            return out
        if self.what == "backward":
            loss.backward()
            return (loss * x.sum()).detach()
        if self.what == "backward hook":
            return loss
        if self.what == "tensor hook":
            loss.register_hook(lambda g: 2 * g)
            return loss
        if self.what == "function":
            return Sine.apply(loss)
        if self.what == "checkpoint":
            return checkpoint(self.net, x, use_reentrant=False).pow(3).sum()
        if self.what == "in place":
            return torch.zeros(6, 3).double().add_(x).sum() * loss
        if self.what == "counter":
            return self.counter(loss)
        if self.what == "cache":
            return self.cache(loss)
        raise AssertionError(self.what)


WHATS = {
    "item": r"\.item\(\)",
    "branch": "control flow",
    "mask": "dynamic shape",
    "autograd.grad": "does not require grad",
    "requires_grad_": "requires_grad_",
    "optimizer": "does not require grad",
    "backward": "backward\\(\\) called inside",
    "backward hook": "`Tanh` has backward hooks",
    "tensor hook": "cannot register a hook",
    "function": "setup_context",
    # The second is a part of checkpoints before PyTorch 2.13.
    "checkpoint": "hooks on saved tensors are not batched|vmap over _NoopSaveInputs",
    "in place": "shape",
    "counter": "`Counter.calls` is written",
    "cache": "`Cache.last` keeps a tensor of a task",
}


@pytest.mark.parametrize("chunk_size", [None, 2])
@pytest.mark.parametrize("what", WHATS)
def test_what_cannot_be_batched_runs_in_a_loop_as_if_nothing_had_been_tried(what, chunk_size, data):
    net = Everything(what)
    alike = copy.deepcopy(net)
    batched = vmap_tasks(lambda x: net(x), chunk_size=chunk_size)
    state = torch.get_rng_state()
    with pytest.warns(NotBatchedWarning, match=WHATS[what]) as warned:
        found = batched(data[0])
    assert len(warned) == 1
    end = torch.get_rng_state()
    torch.set_rng_state(state)
    expected = loop(alike, data[0])
    assert torch.equal(torch.get_rng_state(), end)
    close(found, expected)
    if found.requires_grad:
        (found @ W).backward()
        (expected @ W).backward()
    close([p.grad for p in net.parameters()], [p.grad for p in alike.parameters()])
    close(dict(net.named_buffers()), dict(alike.named_buffers()))
    assert net.cache.calls == alike.cache.calls
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        batched(data[0])  # the reason is given once


def test_forward_hooks_run_for_a_batch(data):
    net = mlp()
    net[0].register_forward_hook(lambda _, __, out: out * 2)
    close(vmap_tasks(net)(data[0]), net(data[0]))


@SILENT
def test_a_loop_is_differentiated_by_torch_func(data):
    net = mlp()
    params = parameters(net)

    def fn(p, x):
        out = functional_call(net, p, (x,)).pow(2).sum()
        return out if out > 1 else 2 * out

    found = torch.func.grad(lambda p: vmap_tasks(fn, (None, 0))(p, data[0]) @ W)(params)
    close(found, torch.func.grad(lambda p: loop(fn, p, data[0]) @ W)(params))


def test_wrong_code_raises_its_own_error(data):
    def fn(x):
        if x.sum() != math.inf:
            raise KeyError("of the function")

    with pytest.raises(KeyError, match="of the function"):
        vmap_tasks(fn)(data[0])
    with pytest.raises(RuntimeError, match=r"shapes cannot be multiplied|same reduction dim"):
        vmap_tasks(lambda x: x @ x)(data[0])


def test_modules_are_whole_after_an_error_in_the_middle_of_them(data):
    net = started("batch")
    net.norm.register_forward_pre_hook(lambda *_: 1 / 0)
    buffers = dict(net.named_buffers())
    with pytest.raises(ZeroDivisionError):
        vmap_tasks(net)(data[0])
    assert all(value is buffers[name] for name, value in net.named_buffers())
    assert not nn.modules.module._global_forward_hooks
    assert not nn.modules.module._global_forward_pre_hooks


# Compiled


@pytest.mark.compiled
def test_it_compiles_without_a_break():
    x, start = torch.randn(TASKS, 3).double(), torch.randn(3).double()
    solver = torchopt.sgd(0.1)

    def fn(start, x):
        w = torchopt.minimize(lambda w: ((w - x) ** 2).sum(), start, solver=solver, steps=1).params
        return ((w * x) ** 2).sum(), {"steps": 1}

    def meta(start, x):
        batched = vmap_tasks(fn, (None, 0), chunk_size=3)
        return torch.func.grad(lambda w: batched(w, x)[0] @ W)(start)

    torch.compiler.reset()
    compiled = torch.compile(meta, fullgraph=True, backend="eager")
    close(compiled(start, x), meta(start, x))


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("tasks", "randomness"), [(1, "different"), (1, "error"), (2, "different")]
)
def test_one_task_is_compiled_without_a_batch(tasks, randomness):
    graphs = []

    def backend(graph, _):
        graphs.append(graph.code)
        return graph

    def fn(matrix, x):
        return {"product": matrix @ x, "shared": matrix, "name": "of a task"}

    out_dims = {"product": 1, "shared": None, "name": None}
    batched = vmap_tasks(fn, (None, 1), out_dims, randomness=randomness)
    matrix, x = torch.randn(2, 3).double(), torch.randn(3, tasks).double()
    out = torch.compile(batched, fullgraph=True, backend=backend)(matrix, x)
    assert out["name"] == "of a task"
    close((out["product"], out["shared"]), (matrix @ x, matrix))
    (code,) = graphs
    # Only a batch can tell whether random numbers are drawn.
    assert ("vmap" in code) == (tasks > 1 or randomness == "error")


@SILENT
def test_a_batch_of_one_task_has_the_effects_of_one() -> None:
    net = nn.BatchNorm1d(3, dtype=torch.float64)
    expected, x = copy.deepcopy(net), torch.randn(1, 4, 3, dtype=torch.float64)

    def task(x: torch.Tensor) -> torch.Tensor:
        net(x)

        def inner(w: torch.Tensor) -> torch.Tensor:
            return net(x * w).pow(3).sum() + w**2

        return torch.func.grad(inner)(torch.tensor(2.0, dtype=torch.float64))

    batched = vmap_tasks(task)
    for _ in range(2):
        batched(x)
        expected(x[0])
        expected(2 * x[0])
        close(dict(net.named_buffers()), dict(expected.named_buffers()))


def test_running_statistics_are_updated_under_an_outer_gradient(data):
    net = started("batch")
    alike = copy.deepcopy(net)
    batched = vmap_tasks(by_hand(net), (None, 0, 0))
    torch.func.grad(lambda p: total(batched, p, *data))(parameters(net))
    for x, y in zip(*data, strict=True):
        vmap_tasks(by_hand(alike), (None, 0, 0))(parameters(net), x[None], y[None])
    close(dict(net.named_buffers()), dict(alike.named_buffers()))


class OwnNorm(nn.Module):
    """A normalization of a user's own, given to all tasks alike."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("running_mean", torch.zeros(3).double())
        self.register_buffer("running_var", torch.ones(3).double())

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return F.batch_norm(x, self.running_mean, self.running_var, training=True)


def test_buffers_that_all_tasks_write_alike_are_written_by_each(data):
    net, alike, shared = OwnNorm(), OwnNorm(), data[0][0]

    def fn(net):
        return lambda x: net(shared) * x.mean()

    with pytest.warns(NotBatchedWarning, match=r"buffer `OwnNorm.running_"):
        found = vmap_tasks(fn(net))(data[0])
    close(found, loop(fn(alike), data[0]))
    close(dict(net.named_buffers()), dict(alike.named_buffers()))

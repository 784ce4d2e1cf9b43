"""Blocks that are computed again: the derivatives of the plain program, in less memory."""

from __future__ import annotations

import contextlib
import copy
import math
import pickle
import threading
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.autograd import forward_ad
from torch.utils.checkpoint import checkpoint

import torchopt
from _alive import Alive
from _device import in_this_thread
from _functions import Hidden

F64 = torch.float64
Wrap = Callable[[Any], Any]


def plain(function: Any) -> Any:
    return function


def randn(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=F64)


def variable(*shape: int, seed: int = 0) -> Tensor:
    return randn(*shape, seed=seed).requires_grad_()


def assert_all_close(found: Any, expected: Any, tolerance: float = 1e-9) -> None:
    for a, b in zip(found, expected, strict=True):
        torch.testing.assert_close(a, b, rtol=tolerance, atol=tolerance)


@contextlib.contextmanager
def seeded(seed: int = 3) -> Iterator[None]:
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        yield


def derivatives(value: Tensor, variables: list[Tensor], orders: int = 3) -> list[Tensor]:
    """Return the gradient, and of random combinations of it the gradient, and so on."""
    found: list[Tensor] = []
    for order in range(orders):
        grads = torch.autograd.grad(value, variables, create_graph=order < orders - 1)
        found += grads
        value = sum((g * randn(*g.shape, seed=order + 7)).sum() for g in grads)  # type: ignore[assignment]
    return found


class Residual(nn.Module):
    """Normalizations, attention, dropout, buffers; ``how`` wraps its inside."""

    def __init__(self, how: Wrap, shared: nn.Linear | None = None) -> None:
        super().__init__()
        self.how = how
        self.norm, self.batch, self.drop = nn.LayerNorm(4), nn.BatchNorm1d(3), nn.Dropout(0.3)
        self.qkv, self.out = nn.Linear(4, 12), shared or nn.Linear(4, 4)
        self.register_buffer("scale", torch.linspace(0.5, 1.5, 4))

    def inner(self, x: Tensor) -> Tensor:
        q, k, v = self.qkv(self.norm(x)).unflatten(-1, (3, 2, 2)).movedim(-3, 0).transpose(-2, -3)
        y = F.scaled_dot_product_attention(q, k, v).transpose(-2, -3).flatten(-2)
        y = self.drop(self.batch(self.out(y).tanh())) * self.scale
        return x + F.dropout(y, 0.2, self.training)

    def forward(self, x: Tensor) -> Tensor:
        return self.how(self.inner)(x)


def network(how: Wrap) -> nn.Module:
    """Two blocks with a tied weight."""
    torch.manual_seed(0)
    first = Residual(how)
    return nn.Sequential(first, Residual(how, first.out)).to(F64)


X, Y = randn(5, 3, 4), randn(5, 3, 4, seed=1)


def test_derivatives_of_every_order_are_those_of_the_plain_program() -> None:
    found = []
    for how in (plain, torchopt.remat):
        net, x = network(how), X.clone().requires_grad_()
        with seeded(), torchopt.higher_order():
            value = F.mse_loss(net(x), Y)
        found.append([*derivatives(value, [x, *net.parameters()]), *net.buffers()])
    assert_all_close(found[1], found[0], 1e-8)


def test_derivatives_of_every_order_equal_finite_differences() -> None:
    w = variable(2, 2)

    def through(x: Tensor, w: Tensor) -> Tensor:
        def block(x: Tensor) -> Tensor:
            return torch.tanh(x @ w) + x.sin()

        return torchopt.remat(block)(torchopt.remat(block)(x))  # type: ignore[no-any-return]

    x = variable(3, 2, seed=1)
    assert torch.autograd.gradcheck(through, (x, w))
    assert torch.autograd.gradgradcheck(through, (x, w))

    def gradient(x: Tensor, w: Tensor) -> tuple[Tensor, ...]:
        return torch.autograd.grad(through(x, w).pow(3).sum(), (x, w), create_graph=True)

    assert torch.autograd.gradgradcheck(gradient, (variable(1, 2, seed=1), w))


def test_trees_constants_and_results_of_any_kind_are_passed_on() -> None:
    @dataclass
    class Pair:
        left: Tensor
        right: Any

    def block(pair: Pair, *, table: dict[str, Any]) -> dict[str, Any]:
        y = pair.left * table["w"] + pair.right
        return {
            "y": Pair(y, "name"),
            "index": table["labels"] + 1,
            "same": table["w"],
            "cut": y.detach(),
            "none": None,
            "twice": (y, y.view(-1)),
        }

    x, w, labels = variable(3, 4), variable(4, seed=1), torch.arange(3)
    found = torchopt.remat(block)(Pair(x, 2.0), table={"w": w, "labels": labels})
    expected = block(Pair(x, 2.0), table={"w": w, "labels": labels})
    assert isinstance(found["y"], Pair)
    assert found["y"].right == "name"
    assert found["none"] is None
    assert torch.equal(found["index"], labels + 1)
    assert not found["cut"].requires_grad
    value = {
        name: r["y"].left.pow(2).sum() + r["same"].pow(3).sum() + r["twice"][1].exp().sum()
        for name, r in (("found", found), ("expected", expected))
    }
    assert_all_close(derivatives(value["found"], [x, w]), derivatives(value["expected"], [x, w]))
    # Results have memory of their own, since nobody knows of others when one is changed in place.
    same = torchopt.remat(block)(Pair(x, 2.0), table={"w": w, "labels": labels})["same"].mul_(3)
    assert_all_close([w], [variable(4, seed=1)])
    assert_all_close(torch.autograd.grad(same.sum(), w), [torch.full_like(w, 3)])


def test_it_is_a_decorator_of_methods_and_keeps_the_name() -> None:
    class Layer(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.linear = nn.Linear(4, 4).to(F64)

        @torchopt.remat
        def forward(self, x: Tensor) -> Tensor:
            """Return a result."""
            return self.linear(x).tanh()  # type: ignore[no-any-return]

    layer = Layer()
    assert layer.forward.__doc__ == "Return a result."
    y = layer(X)
    assert y.grad_fn is not None
    assert y.grad_fn.name() == "_NodeBackward"
    found = derivatives(layer(X).pow(2).sum(), list(layer.parameters()))
    expected = derivatives(layer.linear(X).tanh().pow(2).sum(), list(layer.parameters()))
    assert_all_close(found, expected)
    wrapped = torchopt.remat(layer.linear)
    assert_all_close(derivatives(wrapped(X).sin().sum(), list(layer.parameters())),
                     derivatives(layer.linear(X).sin().sum(), list(layer.parameters())))  # fmt: skip


def test_what_is_unused_has_no_gradient_and_what_is_closed_over_has_one() -> None:
    x, w, made_of = variable(3), variable(3, seed=1), variable(3, seed=2)
    made = made_of.exp()
    block = torchopt.remat(lambda x, unused: (x * made + (w.detach() * w)).sin())
    unused = variable(2, seed=3)
    value = block(x, unused).sum()
    found = torch.autograd.grad(value, [x, w, made_of, unused], allow_unused=True)
    assert found[3] is None
    expected = (x * made_of.exp() + w.detach() * w).sin().sum()
    assert_all_close(found[:3], torch.autograd.grad(expected, [x, w, made_of]))


def test_a_variable_that_is_returned_as_it_is_keeps_its_gradient() -> None:
    x, w = variable(3), variable(3, seed=1)
    blocks: list[Any] = [lambda x: (x * w, w), lambda x: (x.sin(), w), lambda z: (z * x + w, x)]
    for block in blocks:
        for how in (plain, torchopt.remat):
            y, same = how(block)(x)
            value = (y.exp() + same.pow(3)).sum() + w.sin().sum()
            found = derivatives(value, [x, w])
            if how is plain:
                expected = found
        assert_all_close(found, expected)


class Wrapped(nn.Module):
    """A method that is wrapped where the module is made."""

    def __init__(self, how: Wrap) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.linear = nn.Linear(4, 4).to(F64)
        self.block = how(self.inner)
        self.blocks = [how(self.linear)]

    def inner(self, x: Tensor) -> Tensor:
        return self.linear(x).tanh()  # type: ignore[no-any-return]

    def forward(self, x: Tensor) -> Tensor:
        return self.blocks[0](self.block(x))  # type: ignore[no-any-return]


def test_a_block_that_is_an_attribute_is_copied_with_its_module() -> None:
    net = Wrapped(torchopt.remat)
    for other in (copy.deepcopy(net), pickle.loads(pickle.dumps(net))):
        with torch.no_grad():
            other.linear.weight.mul_(2)
        params = list(other.parameters())
        found = derivatives(other(X).sin().sum(), params)
        expected = derivatives(other.linear(other.linear(X).tanh()).sin().sum(), params)
        assert_all_close(found, expected)
    assert_all_close([net.linear.weight * 2], [other.linear.weight])


@torchopt.remat
def decorated(x: Tensor) -> Tensor:
    """Return a sine."""
    return x.sin()


def test_a_decorated_function_is_copied_by_its_name() -> None:
    assert copy.deepcopy([decorated])[0] is decorated
    assert pickle.loads(pickle.dumps(decorated)) is decorated
    assert decorated.__name__ == "decorated"


# Stateless calls.


def by_pytorch(net: nn.Module, params: dict[str, Tensor]) -> Tensor:
    return torch.func.functional_call(net, params, (X,))  # type: ignore[no-any-return]


def by_functional_call(net: nn.Module, params: dict[str, Tensor]) -> Tensor:
    return torchopt.nn.functional_call(net, params, (X,))  # type: ignore[no-any-return]


def by_make_functional(net: nn.Module, params: dict[str, Tensor]) -> Tensor:
    fmodel, _ = torchopt.compat.make_functional(net)
    return fmodel(tuple(params.values()), X)  # type: ignore[no-any-return]


def by_reparametrize(net: nn.Module, params: dict[str, Tensor]) -> Tensor:
    with torchopt.compat.reparametrize(net, params):
        return net(X)  # type: ignore[no-any-return]


def around(net: nn.Module, params: dict[str, Tensor]) -> Tensor:
    return torchopt.remat(lambda: torch.func.functional_call(net, params, (X,)))()


CALLS = (by_pytorch, by_functional_call, by_make_functional, by_reparametrize, around)


@pytest.mark.parametrize("call", CALLS)
def test_stateless_calls_are_computed_again_with_their_own_tensors(call: Any) -> None:
    found = []
    for how in (plain, torchopt.remat):
        if how is plain and call is around:
            call_of: Any = by_pytorch
        else:
            call_of = call
        net = network(how)
        names, own = [n for n, _ in net.named_parameters()], list(net.parameters())
        leaves = [p.detach() + 0.1 * randn(*p.shape, seed=5) for p in own]
        params = {n: p.requires_grad_() for n, p in zip(names, leaves, strict=True)}
        theta = params
        with seeded(), torchopt.higher_order():
            value = F.mse_loss(call_of(net, theta), Y)
            grads = torch.autograd.grad(value, list(theta.values()), create_graph=True)
            theta = {n: p - 0.1 * g for (n, p), g in zip(theta.items(), grads, strict=True)}
            value = F.mse_loss(call_of(net, theta), Y)
        with torch.no_grad():  # what happens to the module afterwards is of no importance
            for p in own:
                p.zero_()
        net.eval()
        found.append([*derivatives(value, leaves, 2), *net.buffers()])
    assert_all_close(found[1], found[0])


@pytest.mark.parametrize("call", CALLS[:4])
def test_stateless_calls_reach_a_block_that_is_an_attribute(call: Any) -> None:
    found = []
    for how in (plain, torchopt.remat):
        net = Wrapped(how)
        params = {n: p.detach() + 0.1 for n, p in net.named_parameters()}
        leaves = [p.requires_grad_() for p in params.values()]
        found.append(derivatives(F.mse_loss(call(net, params), Y), leaves))
    assert_all_close(found[1], found[0])


def test_buffers_of_a_stateless_call_may_be_changed() -> None:
    found = []
    for how in (plain, torchopt.remat):
        net, x = nn.BatchNorm1d(3).to(F64), X.clone().requires_grad_()
        state = {n: t.detach().clone() for n, t in net.state_dict().items()}
        call = how(lambda x, net=net, state=state: torch.func.functional_call(net, state, (x,)))
        value = call(call(x)).pow(3).sum()
        # PyTorch 2.15 refuses a third derivative of plain batch normalization.
        found.append([*derivatives(value, [x], orders=2), *state.values()])
    assert_all_close(found[1], found[0])


@pytest.mark.parametrize("nested", [True, False])
@pytest.mark.parametrize("grad", [True, False])
def test_the_tensors_of_a_stateless_call_may_be_constants(grad: bool, nested: bool) -> None:
    net, x = nn.Linear(4, 4).to(F64), X.clone().requires_grad_()
    weight = randn(4, 4, seed=4).requires_grad_(grad)
    inner = torchopt.remat(lambda x: torch.tanh(x @ net.weight))
    block = torchopt.remat(lambda x: inner(x)) if nested else inner

    class Outer(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.net = net

        def forward(self, x: Tensor) -> Tensor:
            return block(x)

    value = torch.func.functional_call(Outer(), {"net.weight": weight}, (x,)).sum()
    assert_all_close(derivatives(value, [x]), derivatives(torch.tanh(x @ weight).sum(), [x]))


# Random numbers, buffers, modes.


def test_statistics_that_have_changed_since_are_put_back_for_the_recomputation() -> None:
    net = nn.BatchNorm1d(3).to(F64).eval()
    x = X.clone().requires_grad_()
    expected = derivatives(net(x).pow(3).sum(), [x, *net.parameters()])
    value = torchopt.remat(net)(x).pow(3).sum()
    net.train()
    net(X + 1)
    buffers = [b.clone() for b in net.buffers()]
    assert_all_close(derivatives(value, [x, *net.parameters()]), expected)
    assert_all_close(net.buffers(), buffers, 0.0)
    assert net.num_batches_tracked == 1


def test_large_constant_buffers_are_not_copied_and_must_stay() -> None:
    class Masked(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("mask", randn(100, 100))

        def forward(self, x: Tensor) -> Tensor:
            return torch.tanh(x @ self.mask)

    net, x = Masked(), variable(3, 100)
    with Alive(net.mask.nbytes) as alive:
        value = torchopt.remat(net)(torchopt.remat(net)(x)).sum()
    assert alive.now <= net.mask.nbytes  # itself
    expected = derivatives(net(net(x)).sum(), [x])
    assert_all_close(derivatives(value, [x]), expected)
    value = torchopt.remat(net)(x).sum()
    net.mask.add_(1)
    with pytest.raises(RuntimeError, match=r"buffer of shape \(100, 100\) was changed in place"):
        torch.autograd.grad(value, x)


def test_a_mode_of_operators_is_on_again_without_its_context() -> None:
    x, w = variable(4, 3), variable(3, seed=1)

    def third(how: Wrap) -> list[Tensor]:
        with torchopt.higher_order():
            value = how(lambda x: F.layer_norm(x, (3,), w).pow(3))(x).sum()
        return derivatives(value, [x, w], 3)

    def by_hand(x: Tensor) -> Tensor:
        centred = x - x.mean(-1, keepdim=True)
        variance = centred.pow(2).mean(-1, keepdim=True)
        return (centred / (variance + 1e-5).sqrt() * w).pow(3)

    assert_all_close(third(torchopt.remat), derivatives(by_hand(x).sum(), [x, w], 3), 1e-8)
    assert_all_close(third(torchopt.remat), third(plain), 1e-9)


# Other ways to differentiate.


@pytest.mark.compiled
def test_in_forward_mode_and_in_transforms_it_is_the_function_itself() -> None:
    w = variable(4, 4)

    def function(x: Tensor) -> Tensor:
        return torch.tanh(x @ w).pow(2)

    block, x, v = torchopt.remat(function), randn(3, 4, seed=1), randn(3, 4, seed=2)
    with forward_ad.dual_level():
        along = forward_ad.unpack_dual(block(forward_ad.make_dual(x, v))).tangent
    expected = torch.func.jvp(function, (x,), (v,))[1]
    assert_all_close([along, torch.func.jvp(block, (x,), (v,))[1]], [expected, expected])
    found = torch.func.vmap(torch.func.grad(lambda x: block(x).sum()))(x)
    assert_all_close([found], [torch.func.grad(lambda x: function(x).sum())(x)])
    compiled = torch.compile(block, backend="eager", fullgraph=True)
    assert_all_close(derivatives(compiled(x).sum(), [w], 2), derivatives(function(x).sum(), [w], 2))
    with torch.no_grad():
        assert not block(x).requires_grad


@pytest.mark.parametrize("batched", ["func", "autograd"])
def test_cotangents_may_be_batched(batched: str) -> None:
    x, w = variable(4), variable(4, 4, seed=1)
    y = torchopt.remat(lambda x: torch.tanh(x @ w))(x)
    if batched == "func":
        (found,) = torch.func.vmap(lambda c: torch.autograd.grad(y, x, c, retain_graph=True))(
            torch.eye(4, dtype=F64)
        )
    else:
        (found,) = torch.autograd.grad(y, x, torch.eye(4, dtype=F64), is_grads_batched=True)
    expected = torch.autograd.functional.jacobian(lambda x: torch.tanh(x @ w), x)
    assert_all_close([found], [expected])


def test_a_tangent_may_come_with_the_cotangent() -> None:
    x, w = variable(4), variable(4, 4, seed=1)
    c, v = randn(4, seed=2), randn(4, seed=3)
    found = []
    for how in (torchopt.remat, plain):
        y = how(lambda x: torch.tanh(x @ w))(x)
        with forward_ad.dual_level():
            (g,) = torch.autograd.grad(y, x, forward_ad.make_dual(c, v))
            found.append(forward_ad.unpack_dual(g).tangent)
    assert_all_close(found[:1], found[1:])


def test_checkpointed_regions_may_be_around_blocks() -> None:
    found = []
    for remat in (False, True):
        net = network(plain)
        first, second = net

        def region(function: Any, x: Tensor) -> Tensor:
            return checkpoint(function, x, use_reentrant=False)  # type: ignore[no-any-return]

        def forward(x: Tensor, remat: bool = remat, blocks: Any = (first, second)) -> Tensor:
            for block in blocks:
                block.batch.eval()  # PyTorch's own regions count each batch again
                x = region(torchopt.remat(block), x) if remat else block(x)
            return x

        x = X.clone().requires_grad_()
        with seeded(), torchopt.higher_order():
            value = F.mse_loss(forward(x), Y)
        found.append(derivatives(value, [x, *net.parameters()], 3))
    assert_all_close(found[1], found[0], 1e-8)


def test_the_backward_pass_may_be_in_another_thread() -> None:
    found: list[list[Tensor]] = []
    for how in (plain, torchopt.remat):
        net, x = network(how), X.clone().requires_grad_()
        with seeded(), torchopt.higher_order(), torch.autocast("cpu", enabled=False):
            value = F.mse_loss(net(x), Y)

        def run(value: Tensor = value, net: nn.Module = net, x: Tensor = x) -> None:
            found.append(derivatives(value, [x, *net.parameters()]))

        thread = threading.Thread(target=run)
        thread.start()
        thread.join()
    assert_all_close(found[1], found[0], 1e-8)


def test_parameters_may_be_frozen_at_first_only() -> None:
    torch.manual_seed(0)
    judge, x = nn.Linear(3, 3).to(F64).requires_grad_(False), variable(3)
    value = torchopt.remat(lambda x: judge(x).tanh())(x).pow(2).sum()
    judge.requires_grad_(True)
    found = derivatives(value, [x])
    judge.requires_grad_(False)
    assert_all_close(found, derivatives(judge(x).tanh().pow(2).sum(), [x]))


def test_gradients_of_an_embedding_may_be_sparse() -> None:
    table, index = randn(5, 3), torch.tensor([1, 2, 1])
    found = []
    for how in (plain, torchopt.remat):
        emb = nn.Embedding.from_pretrained(table.clone(), freeze=False, sparse=True)
        how(lambda i, emb=emb: emb(i).sin())(index).sum().backward()
        assert emb.weight.grad.is_sparse
        found.append([emb.weight.grad.to_dense()])
    assert_all_close(found[1], found[0])


@pytest.mark.filterwarnings("ignore:Using `torch.compile.module.` when there are global hooks")
@pytest.mark.compiled
def test_what_is_compiled_runs_inside_as_it_is_written() -> None:
    torch.manual_seed(0)
    net, x, w = nn.Sequential(nn.Linear(3, 3), nn.Tanh()).to(F64), variable(3), variable(3, seed=1)
    compiled = torch.compile(net, backend="eager")
    function = torch.compile(lambda x: (x * w).sin(), backend="eager")
    variables = [x, w, *net.parameters()]
    for order in (1, 2):
        found = torchopt.remat(lambda x: function(compiled(x)))(x)
        expected = (net(x) * w).sin()
        assert_all_close(
            derivatives(found.pow(2).sum(), variables, order),
            derivatives(expected.pow(2).sum(), variables, order),
        )


@pytest.mark.compiled
def test_blocks_can_be_compiled_as_methods_and_attributes() -> None:
    class Decorated(Wrapped):
        @torchopt.remat
        def forward(self, x: Tensor) -> Tensor:
            return self.blocks[0](self.block(x))  # type: ignore[no-any-return]

    net = Decorated(torchopt.remat)
    compiled = torch.compile(net, backend="eager", fullgraph=True)
    params = list(net.parameters())
    expected = torch.autograd.grad(net(X).sin().sum(), params)
    assert_all_close(torch.autograd.grad(compiled(X).sin().sum(), params), expected)


def test_an_argument_may_be_an_inference_tensor() -> None:
    x, w = variable(4), variable(4, seed=1)
    with torch.inference_mode():
        c = randn(4, seed=2)
    value = torchopt.remat(lambda x, c: (x + c).sin() * w)(x, c).sum()
    expected = ((x + randn(4, seed=2)).sin() * w).sum()
    assert_all_close(derivatives(value, [x, w]), derivatives(expected, [x, w]))


# Memory.


def test_a_graph_can_be_gone_through_twice_and_is_then_freed() -> None:
    x, w = variable(3, 4), variable(4, 4, seed=1)
    value = torchopt.remat(lambda x: torch.tanh(x @ w))(x).sum()
    first = torch.autograd.grad(value, [x, w], retain_graph=True)
    assert_all_close(torch.autograd.grad(value, [x, w]), first, 0.0)
    with pytest.raises(RuntimeError, match="second time"):
        torch.autograd.grad(value, [x, w])


def most_alive(how: Wrap, depth: int, order: int) -> int:
    weights = [variable(3, 3, seed=k) for k in range(depth)]
    start = randn(67, 3)

    def inside(x: Tensor, w: Tensor) -> Tensor:
        for _ in range(4):
            x = torch.tanh(x @ w)
        return x

    with Alive(start.nbytes) as alive:
        x = start
        for w in weights:
            x = how(inside)(x, w)
        value = x.sum()
        del x
        derivatives(value, weights, order)
    return alive.most // start.nbytes


@pytest.mark.parametrize(("order", "kept", "many"), [(1, 1, 18), (2, 2, 18), (3, 5, 8)])
def test_derivatives_keep_what_blocks_are_given_and_the_graph_of_one(
    order: int, kept: int, many: int
) -> None:
    one = most_alive(plain, 1, order)  # and that of a block alone
    for depth in (4, many):
        most = most_alive(torchopt.remat, depth, order)
        assert most <= kept * depth + one
    assert most_alive(plain, depth, order) >= 3 * most


def test_what_is_saved_goes_through_hooks_and_nothing_else_does() -> None:
    packed: list[Tensor] = []

    def pack(t: Tensor) -> Tensor:
        packed.append(t)
        return t

    x, w = variable(3, 4), variable(4, 4, seed=1)
    with torch.autograd.graph.saved_tensors_hooks(pack, lambda t: t.clone()):
        y = torchopt.remat(lambda x: torch.tanh(torch.tanh(x @ w) @ w))(x)
        assert [t.data_ptr() for t in packed] == [x.data_ptr(), w.data_ptr()]
        value = y.pow(2).sum()
        packed.clear()
        grads = torch.autograd.grad(value, [x, w], create_graph=True)
        assert sum(t.data_ptr() == w.data_ptr() or t.shape == (4, 4) for t in packed) <= 1
        found = torch.autograd.grad(sum(g.sin().sum() for g in grads), [x, w])  # type: ignore[arg-type]
    plainly = torch.tanh(torch.tanh(x @ w) @ w).pow(2).sum()
    grads = torch.autograd.grad(plainly, [x, w], create_graph=True)
    assert_all_close(found, torch.autograd.grad(sum(g.sin().sum() for g in grads), [x, w]))  # type: ignore[arg-type]


# What cannot be.


def test_hooks_of_what_a_custom_function_reads_run_once() -> None:
    x, w = variable(3), variable(3, seed=1)
    seen: list[int] = []
    w.register_hook(lambda g: [seen.append(1), 2 * g][1])
    found = torch.autograd.grad(torchopt.remat(lambda x: Hidden.apply(x, w).sin())(x).sum(), [x, w])
    assert len(seen) == 1
    assert_all_close(found, [(x * w).cos() * w, 2 * (x * w).cos() * x])


def test_scripted_parameters_are_seen() -> None:
    torch.manual_seed(0)
    net = nn.Linear(4, 4).to(F64)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scripted = torch.jit.trace(net, X)
    found = derivatives(torchopt.remat(scripted)(X).sin().sum(), list(scripted.parameters()))
    assert_all_close(found, derivatives(net(X).sin().sum(), list(net.parameters())))


def test_what_a_block_must_not_do_is_said() -> None:
    x = variable(3)
    with pytest.raises(TypeError, match="pass a function or a module"):
        torchopt.remat(3)  # type: ignore[arg-type]
    with pytest.raises(RuntimeError, match=r"changes what it is given in place"):
        torchopt.remat(lambda x: x.mul_(2))(x * 1)
    with pytest.raises(TypeError, match=r"`result\['y'\]` .* type generator"):
        torchopt.remat(lambda x: {"y": (t for t in x)})(x)

    class Box:
        def __init__(self, y: Tensor) -> None:
            self.y = y

    with pytest.raises(TypeError, match=r"`result\[1\]` .* type Box, which is no tree"):
        torchopt.remat(lambda x: (x.sin(), Box(x)))(x)
    y = x * 1
    value = torchopt.remat(torch.sin)(y).sum()
    y.mul_(2)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        value.backward()
    tensors = [variable(3, seed=1)]
    value = torchopt.remat(lambda x: (x * tensors[0]).sin())(x).sum()
    tensors[0] = variable(3, seed=2)
    with pytest.raises(RuntimeError, match=r"read a tensor of shape \(3,\).*not again"):
        value.backward()
    elsewhere: Any = pytest.raises(RuntimeError, match="another thread")
    with ThreadPoolExecutor(1) as threads, elsewhere:
        torchopt.remat(lambda x: threads.submit(torch.sin, x).result())(x)
    leaf = variable(3, seed=1)
    value = torchopt.remat(lambda x: Hidden.apply(x, leaf))(x).sum()
    leaf.requires_grad_(False)
    value.backward()  # as it is without a block
    parts = [x]
    value = torchopt.remat(lambda x: tuple(x * k for k in range(1, 1 + len(parts))))(x)[0].sum()
    parts.append(x)
    with pytest.raises(RuntimeError, match="returned another tree"):
        value.backward()


def test_a_block_whose_surroundings_have_changed_raises() -> None:
    x, w = variable(3), variable(3, seed=1)
    changed: Any = pytest.raises(RuntimeError, match=r"gave other results .* has changed since")

    y = x
    for act in (torch.tanh, torch.sin, torch.exp):
        y = torchopt.remat(lambda y: act(y * w))(y)  # noqa: B023
    with changed:
        y.sum().backward()

    state, out = randn(3, seed=2), x

    def step(x: Tensor) -> Tensor:
        return (x * w + state).tanh()

    for _ in range(2):
        out = torchopt.remat(step)(x)
        state = out.detach()
    with changed:
        out.sum().backward()

    order, many = torch.arange(3), variable(3, 2)
    value = torchopt.remat(lambda x: (x[order] * 2).exp())(many).pow(2).sum()
    order = order.flip(0)
    with changed:
        value.backward()

    frozen = nn.Linear(3, 3).to(F64).requires_grad_(False)
    value = torchopt.remat(lambda x: frozen(x).sin())(x).sum()
    with torch.no_grad():
        frozen.weight.mul_(2)
    with changed:
        value.backward()

    held = [w]
    value = torchopt.remat(lambda x: (x * held[0]).sin())(x).sum()
    held[0] = w.detach()
    with pytest.raises(RuntimeError, match=r"read a tensor of shape \(3,\).*not again"):
        value.backward()


def test_a_block_that_changes_its_surroundings_raises() -> None:
    x = variable(3)
    code, number = nn.Parameter(randn(3), requires_grad=False), [0]

    def moving(x: Tensor) -> Tensor:
        with torch.no_grad():
            code.mul_(0.5)
        return (x * code.clone()).sin()

    def numbering(x: Tensor) -> Tensor:
        number[0] += 1
        return (x * number[0]).sin()

    given = torch.ones(3, dtype=F64)
    blocks = (moving, numbering, lambda x: (x * given.add_(1)).sin())
    for value in [torchopt.remat(block)(x).sum() for block in blocks]:
        with pytest.raises(RuntimeError, match="by the block itself"):
            value.backward()
    value = torchopt.remat(lambda x, t: (x * t.mul_(2)).sin())(x, given).sum()
    with pytest.raises(RuntimeError, match="by the block itself"):
        value.backward()


@in_this_thread
def test_a_constant_that_becomes_a_variable_is_refused() -> None:
    x, kept = variable(3), [torch.ones(3, dtype=F64)]
    value = torchopt.remat(lambda x: (x * kept[0]).sin())(x).sum()
    kept[0] = variable(3, seed=1) * 0 + 1
    with pytest.raises(RuntimeError, match="did not at first"):
        value.backward()


def test_results_that_nearly_are_what_they_were_warn() -> None:
    x, noise = variable(3), [0.0]
    value = torchopt.remat(lambda x: (x + noise[0]).sin())(x).sum()
    noise[0] = 1e-9
    with pytest.warns(torchopt.errors.ReplayWarning, match="not quite the same") as caught:
        value.backward()
    assert caught[0].filename == __file__
    assert 0 < caught[0].message.difference < 1e-8


def test_results_that_are_not_numbers_are_equal_to_themselves() -> None:
    x = variable(3)
    block = torchopt.remat(lambda x: (x * torch.tensor([math.nan, math.inf, 1.0])).exp())
    (found,) = torch.autograd.grad(block(x)[2], x)
    assert_all_close([found[2]], [x[2].exp()])


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.complex64])
def test_large_results_are_compared_in_parts(dtype: torch.dtype) -> None:
    start = torch.randn(3, 100_000, generator=torch.Generator().manual_seed(0)).to(dtype)
    x, factor = start.requires_grad_(), torch.ones(100_000, dtype=dtype)
    value = torchopt.remat(lambda x: (x * factor).sin())(x).abs().sum()
    torch.autograd.grad(value, x, retain_graph=True)
    factor[70_000] = 1.01  # of many, and of no weight in the norm
    with pytest.warns(torchopt.errors.ReplayWarning):
        torch.autograd.grad(value, x)

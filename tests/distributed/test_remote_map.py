"""The remote call is right to any order, on every executor, in every mode."""

from __future__ import annotations

import functools
import gc

import pytest
import torch
from torch import nn
from torch.func import grad, hessian, jvp, vmap

import torchopt
from distributed import remote_programs as programs
from torchopt.distributed import LocalExecutor, remote_map
from torchopt.distributed import _evaluate as worker_side

MODES = ["eager", "recompute", "retain"]


def randn(*shape, seed=0):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(*shape, dtype=torch.float64, generator=generator).requires_grad_()


def remote(function, *args, **options):
    return remote_map(function, *([x] for x in args), **options)[0]


@pytest.mark.parametrize("mode", MODES)
def test_first_and_second_derivatives_equal_finite_differences(executor, mode):
    def both(x, w):
        rows = remote_map(programs.cubic, [x, w], [w, x], executor=executor, mode=mode)
        return tuple(t for row in rows for t in row)

    inputs = (randn(2), randn(2, seed=1))
    assert torch.autograd.gradcheck(both, inputs)
    assert torch.autograd.gradgradcheck(both, inputs)


@pytest.mark.parametrize("mode", MODES)
def test_scalar_results_have_all_orders(executor, mode):
    x, w = randn(3), randn(3, seed=1)

    def third(one, two):
        y = one(x, w) * two(w, x)
        for _ in range(2):
            (g,) = torch.autograd.grad(y, x, create_graph=True)
            y = (g**2).sum()
        return torch.autograd.grad(y, [x, w])

    functions = [
        functools.partial(remote, f, executor=executor, mode=mode)
        for f in (programs.player_one, programs.player_two)
    ]
    expected = third(programs.player_one, programs.player_two)
    torch.testing.assert_close(third(*functions), expected, rtol=1e-12, atol=1e-12)


def test_torch_func_goes_through(executor):
    x, w = randn(3).detach(), randn(3, seed=1).detach()

    def theirs(x):
        functions = [programs.player_one, programs.player_two]
        return sum(remote_map(functions, [x, w], [w, x], executor=executor))

    def ours(x):
        return programs.player_one(x, w) + programs.player_two(w, x)

    for transform in (
        grad,
        hessian,
        lambda f: grad(lambda x: grad(f)(x).square().sum()),
        lambda f: lambda x: jvp(f, (x,), (w,)),
        lambda f: lambda x: jvp(grad(f), (x,), (w,)),
        lambda f: lambda x: jvp(lambda x: jvp(f, (x,), (w,))[1], (x,), (w.flip(0),)),
        lambda f: lambda x: grad(lambda x: jvp(f, (x,), (w,))[1])(x),
        lambda f: lambda x: vmap(f)(torch.stack([x, 2 * x, w])),
        lambda f: lambda x: vmap(grad(f))(torch.stack([x, 2 * x, w])),
        lambda f: lambda x: grad(lambda x: vmap(f)(torch.stack([x, 2 * w])).prod())(x),
    ):
        torch.testing.assert_close(transform(theirs)(x), transform(ours)(x), rtol=1e-11, atol=1e-11)


def test_results_keep_their_structure_and_are_connected(executor):
    x, scale = randn(4), randn(1, seed=1)
    found = remote(programs.with_structure, {"x": x, "name": "a"}, scale, executor=executor)
    expected = programs.with_structure({"x": x}, scale)
    assert isinstance(found, programs.Result)
    assert found.label == "task"
    assert found.correct == expected.correct
    assert not found.correct.requires_grad
    for one, two in ((found.loss, expected.loss), *zip(found.logits, expected.logits, strict=True)):
        gradients = [
            torch.autograd.grad(y.sum(), [x, scale], allow_unused=True, retain_graph=True)
            for y in (one, two)
        ]
        torch.testing.assert_close(one, two)
        torch.testing.assert_close(gradients[0][0], gradients[1][0])


def test_an_input_that_is_not_used_has_no_gradient(executor):
    x, y = randn(2), randn(2, seed=1)
    for mode in MODES:
        loss = remote(programs.unused, x, y, executor=executor, mode=mode)
        assert torch.autograd.grad(loss, [x, y], allow_unused=True)[1] is None
        loss = remote(programs.unused, x, y, executor=executor, mode=mode)
        with pytest.raises(RuntimeError, match="not have been used"):
            torch.autograd.grad(loss, [x, y])


def test_modules_travel_with_their_parameters(executor):
    x = randn(5, 3).detach()
    for net in (
        nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.BatchNorm1d(4), nn.Linear(4, 1)).double(),
        programs.Tied().double(),
    ):
        found = remote(programs.dropped, net, x, executor=executor)
        expected = programs.dropped(net, x)
        params = list(net.parameters())
        torch.testing.assert_close(
            torch.autograd.grad(found, params), torch.autograd.grad(expected, params)
        )
    net = nn.LSTM(3, 2).double()
    params = list(net.parameters())
    found = remote(programs.recurrent, net, x[:, None], executor=executor)
    expected = programs.recurrent(net, x[:, None])
    torch.testing.assert_close(
        torch.autograd.grad(found, params), torch.autograd.grad(expected, params)
    )


def test_parametrized_modules_are_refused(executor):
    net = nn.utils.parametrizations.weight_norm(nn.Linear(3, 2))
    with pytest.raises(TypeError, match=r"cannot be sent to a worker .*parametrized"):
        remote(programs.dropped, net, torch.randn(2, 3), executor=executor)


def test_inner_parameters_of_an_unrolled_loop_travel(executor):
    x = randn(5, 3).detach()

    def outer(call):
        torch.manual_seed(0)
        net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1)).double()
        start = list(net.parameters())
        optimizer = torchopt.MetaSGD(net, lr=0.1)
        for _ in range(2):
            optimizer.step(call(programs.dropped, net, x))
        return torch.autograd.grad(call(programs.dropped, net, x), start)

    remotely = functools.partial(remote, executor=executor)
    torch.testing.assert_close(outer(remotely), outer(lambda f, *args: f(*args)))


@pytest.mark.parametrize("mode", MODES)
def test_random_numbers_are_the_same_in_value_and_derivative(executor, mode):
    x = randn(4)
    first = remote(programs.noisy, x, 2.0, executor=executor, mode=mode, generator=3)
    (gradient,) = torch.autograd.grad(first, x, create_graph=True)
    torch.testing.assert_close((gradient * x).sum(), first)  # it is linear
    again = remote(programs.noisy, x, 2.0, executor=executor, mode=mode, generator=3)
    assert torch.equal(first, again)
    other = remote(programs.noisy, x, 2.0, executor=executor, mode=mode, generator=4)
    assert not torch.equal(first, other)


def test_settings_travel(executor):
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        (found,) = remote_map(programs.in_default_dtype, [3], executor=executor)
    finally:
        torch.set_default_dtype(before)
    assert found.dtype == torch.float64
    a, b = torch.randn(2, 2, requires_grad=True), torch.randn(2, 2)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        found = remote(programs.matmul, a, b, executor=executor)
        expected = programs.matmul(a, b)
    assert found.dtype == torch.bfloat16
    torch.testing.assert_close(
        torch.autograd.grad(found.float().sum(), a), torch.autograd.grad(expected.float().sum(), a)
    )


def test_other_dtypes_and_shapes_travel(executor):
    for value in (
        torch.tensor(3),
        torch.empty(0, 3),
        torch.tensor([True, False]),
        torch.randn(3, 4).T,
        torch.randn(2, 3).to(torch.bfloat16),
        torch.randn(3, dtype=torch.complex128),
        torch.randn(3, dtype=torch.complex64).conj(),
        torch.randn(3).to_sparse(),
    ):
        (found,) = remote_map(programs.value_of, [value], executor=executor)
        torch.testing.assert_close(found, value)


def test_retained_graphs_are_freed():
    executor = LocalExecutor()
    x = randn(3)
    before = len(worker_side._RETAINED)
    results = [remote(programs.cubic, x, x, executor=executor, mode="retain")[0] for _ in range(3)]
    assert len(worker_side._RETAINED) == before + 3
    results[0].backward()
    assert len(worker_side._RETAINED) == before + 2
    del results
    gc.collect()
    remote(programs.cubic, x.detach(), x.detach(), executor=executor)
    assert len(worker_side._RETAINED) == before


def test_wrong_options_are_named():
    x = randn(2)
    with pytest.raises(ValueError, match="`mode` is 'lazy'"):
        remote_map(programs.unused, [x], [x], executor="local", mode="lazy")
    with pytest.raises(ValueError, match="`schedule` is"):
        remote_map(programs.unused, [x], [x], executor="local", schedule="random")
    with pytest.raises(ValueError, match="there are 2 calls, but 1 functions"):
        remote_map([programs.unused], [x, x], [x, x], executor="local")
    with pytest.raises(ValueError, match="there are 1 calls, but 2 workers"):
        remote_map(programs.unused, [x], [x], executor="local", workers=[None, None])
    with pytest.raises(ValueError, match="there are 1 calls, but 2 values of argument 1"):
        remote_map(programs.unused, [x, x], [x], executor="local")
    with pytest.raises(TypeError, match="`values of argument 1` is an object of type function"):
        remote_map([x], programs.unused, executor="local")
    with pytest.raises(ValueError, match="use an executor, or one of"):
        remote_map(programs.unused, [x], [x], executor="mail")
    assert remote_map(programs.unused, [], executor="local") == []


def test_a_tuple_is_one_argument():
    assert remote_map(len, [(1, 2, 3)], executor="local") == [3]


def test_what_cannot_be_sent_is_refused_before_anything_starts(executor):
    x = randn(2)

    def inner(a):
        return a.sum()

    for function in (lambda a: a.sum(), inner):
        with pytest.raises(TypeError, match="cannot be sent to a worker"):
            remote_map(function, [x], executor=executor)
    with pytest.raises(TypeError, match="in call 1, cannot be sent"):
        remote_map(programs.unused, [x, x], [1, lambda: 0], executor=executor)


# Raised inside Dynamo, which looks at what comes after the break.
@pytest.mark.filterwarnings("ignore:The .grad attribute:UserWarning")
@pytest.mark.compiled
def test_a_compiled_program_breaks_its_graph_there():
    x = randn(3)

    def program(x):
        return (remote(programs.player_one, 2 * x, x, executor="local") ** 2).sum()

    found = torch.autograd.grad(torch.compile(program, backend="eager")(x), x)
    torch.testing.assert_close(found, torch.autograd.grad(program(x), x))


@pytest.mark.parametrize("mode", MODES)
def test_functions_may_differentiate_by_themselves(executor, mode):
    torch.testing.assert_close(
        remote(programs.trains_its_own, 3, executor=executor, mode=mode), programs.trains_its_own(3)
    )
    w, x = randn(3), randn(3, seed=1)
    found = remote(programs.adapts, w, x, executor=executor, mode=mode)
    expected = programs.adapts(w, x)
    torch.testing.assert_close(
        torch.autograd.grad(found, [w, x]), torch.autograd.grad(expected, [w, x])
    )


def test_the_backward_pass_is_outside_of_autocast(executor):
    x = torch.randn(4, 4, generator=torch.Generator().manual_seed(0)).requires_grad_()
    for mode in MODES:
        with torch.autocast("cpu", dtype=torch.bfloat16):
            found = remote(programs.inverse, x, executor=executor, mode=mode)
            expected = programs.inverse(x)
        torch.testing.assert_close(
            torch.autograd.grad(found, x), torch.autograd.grad(expected, x), rtol=1e-5, atol=1e-6
        )

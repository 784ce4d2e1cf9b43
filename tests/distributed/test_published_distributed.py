"""A program for the published package runs as it is, and gives what one process gives."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from distributed import published_program as program
from distributed._programs import launch

pytestmark = pytest.mark.processes

FLOAT = {"rtol": 1e-12, "atol": 1e-12}


@pytest.fixture(scope="module")
def found():
    return launch([str(Path(program.__file__)), "--new"], 3).found


def close(found, exact):
    torch.testing.assert_close(torch.tensor(found, dtype=torch.float64), exact.detach(), **FLOAT)


def residual(weights, x, y):
    w, b = weights
    return x @ w + b - y


@pytest.fixture
def data():
    return program.make_data(8)


def test_the_program_imports_without_a_group():
    assert program.place() == {"rank": 0, "prepared": False, "info": (0, 1)}


def test_each_rank_makes_its_own_call(found):
    assert [place["rank"] for place in found["places"]] == [0, 1, 2]
    assert all(place["prepared"] and place["info"][1] == 3 for place in found["places"])
    assert found["by_name"][0]["rank"] == 1
    assert found["by_rank"][0]["rank"] == 2
    assert found["custom"] == [6.0, 2.0]


def test_the_remainder_of_a_batch_is_balanced(found):
    assert found["sizes"] == [3, 3, 2]
    assert found["exclusive"] == [8, 8, 8]


def test_keyword_arguments_and_futures_arrive(found):
    assert found["kwargs"]
    assert found["tree_wait"]
    assert found["tree_rref"]


def test_gradients_of_a_sum_are_accumulated(found, data):
    x, y = data
    weights = program.make_weights()
    loss = residual(weights, x, y).square().sum()
    close(found["sum"][0], loss)
    first = torch.autograd.grad(loss, weights)
    (more,) = torch.autograd.grad(residual(weights, x[:4], y[:4]).square().sum(), weights[:1])
    close(found["sum"][1][0], first[0] + more)
    close(found["sum"][1][1], first[1])


def test_meta_gradients_equal_those_of_one_process(found, data):
    x, y = data
    weights = program.make_weights()
    losses = []
    for xs, ys in zip(x.reshape(2, 4, 3), y.reshape(2, 4, 1), strict=True):
        inner = residual(weights, xs[:2], ys[:2]).square().mean()
        steps = torch.autograd.grad(inner, weights, create_graph=True)
        after = [v - 0.1 * g for v, g in zip(weights, steps, strict=True)]
        losses.append(residual(after, xs[2:], ys[2:]).square().mean())
    loss = torch.stack(losses).mean()
    close(found["maml"][0], loss)
    for gradient, exact in zip(found["maml"][1], torch.autograd.grad(loss, weights), strict=True):
        close(gradient, exact)


def test_results_are_trees_and_unused_inputs_have_no_gradient(found, data):
    x, _ = data
    w, _ = program.make_weights()
    loss = (x @ w).square().mean()
    value, gradient, unused, count = found["tree"]
    close(value, loss)
    close(gradient, torch.autograd.grad(loss, w)[0])
    assert unused is None
    assert count == 8
    assert found["right"] == (x @ w > 0).sum().item()


def test_a_function_with_a_state_is_differentiated_where_it_was_called(found):
    assert found["stateful"] == [2.0, [1.0, 1.0], [2.0, 2.0]]


def test_remote_references_are_differentiated_by_distributed_autograd(found, data):
    x, _ = data
    w, _ = program.make_weights()
    loss = (x @ w).square().sum()
    close(found["rref"][0], loss)
    close(found["rref"][1], torch.autograd.grad(loss, w)[0])
    assert found["rref"][2] == 1


def test_a_referenced_module_is_adapted_on_workers_with_loaders_of_their_own(found):
    net = program.make_net()
    params = dict(net.named_parameters())
    losses = []
    for task in range(program.TASKS):
        x, y = program.next_batch(task)
        inner = mean_loss(net, x[:2], y[:2])
        steps = torch.autograd.grad(inner, list(params.values()), create_graph=True)
        after = {k: p - 0.1 * g for (k, p), g in zip(params.items(), steps, strict=True)}
        losses.append((torch.func.functional_call(net, after, x[2:]) - y[2:]).square().mean())
    loss = torch.stack(losses).mean()
    value, tasks, gradients = found["module_rref"]
    close(value, loss)
    assert tasks == [0, 1, 2]
    exact = torch.autograd.grad(loss, list(params.values()))
    for gradient, wanted in zip(gradients, exact, strict=True):
        close(gradient, wanted)


def test_a_call_that_takes_too_long_fails(found):
    name, message = found["timeout"]
    assert name == "RpcTimeoutError"
    assert message == "worker 'worker1' did not answer within 0.3 s."


def mean_loss(net, x, y):
    return (net(x) - y).square().mean()


def test_the_mean_weighs_unequal_parts_and_belongs_to_the_graph(found, data):
    net = program.make_net()
    loss = mean_loss(net, *data)
    value, gradients = found["new"]["connected"]
    close(value, loss)
    exact = torch.autograd.grad(loss, list(net.parameters()))
    for gradient, wanted in zip(gradients, exact, strict=True):
        close(gradient, wanted)


def test_a_module_may_be_adapted_on_a_worker(found, data):
    x, y = data
    net = program.make_net()
    params = dict(net.named_parameters())
    losses = []
    for xs, ys in zip(x.reshape(2, 4, 3), y.reshape(2, 4, 1), strict=True):
        inner = mean_loss(net, xs[:2], ys[:2])
        steps = torch.autograd.grad(inner, list(params.values()), create_graph=True)
        after = {k: p - 0.1 * g for (k, p), g in zip(params.items(), steps, strict=True)}
        predicted = torch.func.functional_call(net, after, (xs[2:],))
        losses.append((predicted - ys[2:]).square().mean())
    values, gradients = found["new"]["adapted"]
    close(values, torch.stack(losses))
    exact = torch.autograd.grad(torch.stack(losses).mean(), list(params.values()))
    for gradient, wanted in zip(gradients, exact, strict=True):
        close(gradient, wanted)


def test_results_can_be_differentiated_twice_and_by_torch_func(found):
    assert found["new"]["second"] < 1e-12
    assert found["new"]["functional"] == [1.0, -2.0, 4.0]


def test_arguments_are_sent_as_they_are_at_the_call(found):
    assert found["new"]["as_they_were"]


@pytest.mark.parametrize(
    ("what", "kind", "message"),
    [
        ("lambda", "TypeError", "functions that stand at the top level of a module"),
        ("local", "TypeError", "functions that stand at the top level of a module"),
        ("partitioner", "ValueError", "`partitioner` is 1.5: use the name or number of a worker"),
        ("bad_part", "ValueError", "the partitioner's part 0 is (0, ()): return a worker"),
        ("no_parts", "ValueError", "the result of the partitioner is None: return a list"),
        ("zero_parts", "ValueError", "the partitioner has returned no parts"),
        ("bad_args", "ValueError", "part 0 is (0, tensor([1., 1.]), {}): return a worker, a tuple"),
        ("no_worker", "ValueError", "there is no worker 'nobody'; there are 'worker0', 'worker1'"),
        ("no_rank", "ValueError", "there is no worker 9 in a group of 3"),
        (
            "shapes",
            "ValueError",
            "`args[2]` has size 5 along dimension 0, but `args[1]` has size 8",
        ),
        ("scalar", "ValueError", "`kwargs['y']` has shape (), and no dimension 0"),
        ("empty", "ValueError", "`args[1]` is empty along dimension 0"),
        ("leaf", "RuntimeError", "use `torch.autograd.grad`"),
        ("remote_error", "RuntimeError", "mat1 and mat2 shapes cannot be multiplied"),
    ],
)
def test_what_is_wrong_is_said(found, what, kind, message):
    name, text = found["new"][what]
    assert name == kind
    assert message in text


def test_a_worker_may_be_named_by_any_kind_of_integer(found):
    assert found["new"]["number"] == [True, True]


def test_a_worker_may_give_work_to_all_and_to_itself(found):
    assert found["new"]["nested"] == pytest.approx(found["new"]["connected"][0], rel=1e-12)

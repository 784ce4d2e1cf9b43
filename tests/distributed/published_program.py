"""A program for the published package: nothing in it is new. Rank 0 prints what it has found."""

import json
import sys

import numpy as np
import torch
import torch.distributed.rpc as rpc
from torch import nn

import torchopt
import torchopt.distributed as todist
import torchopt.distributed.autograd as todist_autograd
from torchopt import pytree

STATE = {"prepared": False, "calls": 0}


def worker_init():
    torch.manual_seed(todist.get_rank())
    torch.set_num_threads(1)
    STATE["prepared"] = True


def make_weights():
    torch.manual_seed(7)
    return [torch.randn(3, 1).double().requires_grad_(), torch.randn(1).double().requires_grad_()]


def make_net():
    torch.manual_seed(7)
    return nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1)).double()


def make_data(size):
    torch.manual_seed(11)
    return torch.randn(size, 3).double(), torch.randn(size, 1).double()


def place(*_):
    return {
        "rank": todist.get_rank(),
        "prepared": STATE["prepared"],
        "info": todist.get_world_info()[:2],
    }


def replicate(weights, x, y):
    """Divide the data, and give the weights to everybody."""
    return [(worker, (weights, *args), None) for worker, args, _ in todist.batch_partitioner(x, y)]


@todist.parallelize(partitioner=replicate, reducer=todist.sum_reducer)
def summed_loss(weights, x, y):
    w, b = weights
    return (x @ w + b - y).square().sum()


@todist.parallelize_async(partitioner=replicate, reducer=todist.mean_reducer)
def maml_task(weights, x, y):
    """An inner step on a task of its own, and the loss after it."""
    x, y = x.squeeze(0), y.squeeze(0)
    w, b = (v.clone() for v in weights)
    inner = (x[:2] @ w + b - y[:2]).square().mean()
    updates = torchopt.sgd(0.1)
    grads = torch.autograd.grad(inner, (w, b), create_graph=True)
    updates, _ = updates.update(list(grads), updates.init([w, b]), inplace=False)
    w, b = torchopt.apply_updates([w, b], updates, inplace=False)
    return (x[2:] @ w + b - y[2:]).square().mean()


TASKS = 3
LOADERS = {}  # each worker has those of its tasks


def next_batch(task):
    if task not in LOADERS:
        x, y = make_data(4 * TASKS)
        LOADERS[task] = [(x[task::TASKS], y[task::TASKS])]
    return LOADERS[task][0]


def each_task(rref, _):
    """Give the tasks to the workers in turn; their data are there."""
    return [(task % todist.get_world_size(), (rref, task), None) for task in range(TASKS)]


def mean_loss_and_tasks(results):
    losses, tasks = zip(*results, strict=True)
    return torch.stack(losses).mean(), tasks


@todist.parallelize(partitioner=each_task, reducer=mean_loss_and_tasks)
def adapt_by_reference(rref, task):
    net = torchopt.module_clone(rref.to_here(), by="reference", detach_buffers=True)
    x, y = next_batch(task)
    optimizer = torchopt.MetaSGD(net, lr=0.1)
    optimizer.step((net(x[:2]) - y[:2]).square().mean())
    return (net(x[2:]) - y[2:]).square().mean(), task


def with_count(w, x):
    loss = (x @ w).square().mean()
    return loss, {"count": x.shape[0], "right": (x @ w > 0).sum()}


def draws(x):
    """Its data are its own, as those of a worker with a loader: no two calls are alike."""
    STATE["calls"] += 1
    return (x * STATE["calls"]).sum(), x * STATE["calls"] ** 2


def through_rref(rref, x):
    return (x @ rref.to_here()).square().sum()


def scaled(x, *, factor):
    return x * factor


def sleeps(x):
    import time

    time.sleep(1.5)
    return x


def grads(params):
    return [p.grad.tolist() for p in params]


def caught(function):
    try:
        function()
    except Exception as error:
        return [type(error).__name__, str(error)]
    return None


@todist.rank_zero_only
def train(new):
    found = {"backend": torchopt.__version__, "here": place()}
    x, y = make_data(8)
    found["places"] = todist.remote_sync_call(place, args=(torch.arange(3.0),))
    found["by_name"] = todist.remote_sync_call(place, partitioner="worker1")
    found["by_rank"] = todist.remote_sync_call(place, partitioner=2)
    found["sizes"] = todist.remote_sync_call(len, args=(x,))
    found["exclusive"] = todist.remote_sync_call(
        torch.numel, args=(x,), partitioner=todist.dim_partitioner(1, exclusive=True, keepdim=False)
    )
    future = todist.remote_async_call(scaled, args=(x,), kwargs={"factor": 3.0}, reducer=torch.cat)
    found["kwargs"] = torch.equal(future.wait(), 3 * x)
    many = pytree.tree_wait(
        {"a": todist.remote_async_call(scaled, args=(x,), kwargs={"factor": 2}, partitioner=1)}
    )
    found["tree_wait"] = torch.equal(many["a"][0], 2 * x)
    custom = lambda x: [(w, (x + w,), None) for w in (2, 0)]  # noqa: E731
    found["custom"] = [
        t.tolist()
        for t in todist.remote_sync_call(torch.sum, args=(torch.ones(2),), partitioner=custom)
    ]

    weights = make_weights()
    with todist_autograd.context() as context_id:
        loss = summed_loss(weights, x, y)
        todist_autograd.backward(context_id, loss)
    with todist_autograd.context() as context_id:
        again = summed_loss(weights, x[:4], y[:4])
        todist_autograd.backward(context_id, again, inputs=weights[:1])
    found["sum"] = [loss.item(), grads(weights)]

    weights = make_weights()
    with todist_autograd.context() as context_id:
        loss = maml_task(weights, x.reshape(2, 4, 3), y.reshape(2, 4, 1)).wait()
        first = todist_autograd.grad(context_id, loss, weights)
    found["maml"] = [loss.item(), [g.tolist() for g in first]]

    (w, unused) = make_weights()
    with todist_autograd.context() as context_id:
        ((loss, counts),) = todist.remote_sync_call(with_count, args=(w, x), partitioner=1)
        first = todist_autograd.grad(context_id, loss, [w, unused], allow_unused=True)
    found["tree"] = [loss.item(), first[0].tolist(), first[1], counts["count"]]
    found["right"] = counts["right"].item()

    z = torch.ones(2, dtype=torch.float64, requires_grad=True)
    with todist_autograd.context() as context_id:
        ((s, v),) = todist.remote_sync_call(draws, args=(z,), partitioner=2)
        (g,) = todist_autograd.grad(context_id, s + v.sum(), z)
    found["stateful"] = [s.item(), v.tolist(), g.tolist()]

    (w, _) = make_weights()
    with todist_autograd.context() as context_id:
        (loss,) = todist.remote_sync_call(through_rref, args=(rpc.RRef(w), x), partitioner=1)
        todist_autograd.backward(context_id, [loss])
        local = todist_autograd.get_gradients(context_id)
    found["rref"] = [loss.item(), w.grad.tolist(), len(local)]
    net = make_net()
    # A module's parameters would be sent as leaves; the copies belong to the graph.
    net_rref = todist.rpc.RRef(torchopt.module_clone(net, by="copy"))
    with todist.autograd.context() as context_id:
        loss, tasks = adapt_by_reference(net_rref, None)
        todist.autograd.backward(context_id, loss)
    found["module_rref"] = [loss.item(), tasks, grads(net.parameters())]
    found["tree_rref"] = torch.equal(pytree.tree_to_here(pytree.tree_as_rref({"a": x}))["a"], x)

    found["timeout"] = caught(
        lambda: todist.remote_sync_call(sleeps, args=(z,), partitioner=1, timeout=0.3)
    )
    if new:
        found["new"] = new_claims(x, y)
    return found


@todist.parallelize()
def mean_loss(net, x, y):
    return (net(x) - y).square().mean()


@todist.parallelize(partitioner=todist.dim_partitioner(0, exclusive=True, keepdim=False))
def adapted_loss(net, x, y):
    optimizer = torchopt.MetaSGD(net, lr=0.1)
    optimizer.step((net(x[:2]) - y[:2]).square().mean())
    return (net(x[2:]) - y[2:]).square().mean()


def outer(net, x, y):
    return mean_loss(net, x, y)


def new_claims(x, y):
    """What the published package does not do."""
    found = {}
    net = make_net()
    loss = mean_loss(net, x, y)  # 3, 3 and 2 samples
    loss.backward()
    found["connected"] = [loss.item(), grads(net.parameters())]
    net = make_net()
    losses = adapted_loss(net, x.reshape(2, 4, 3), y.reshape(2, 4, 1))
    torch.stack(losses).mean().backward()
    found["adapted"] = [[loss.item() for loss in losses], grads(net.parameters())]
    w = torch.tensor([0.5, -1.0, 2.0], dtype=torch.float64, requires_grad=True)
    (cubes,) = todist.remote_sync_call(torch.pow, args=(w, 3), partitioner=1)
    (first,) = torch.autograd.grad(cubes.sum(), w, create_graph=True)
    (second,) = torch.autograd.grad(first.sum(), w)
    found["second"] = (second - 6 * w).abs().max().item()
    found["functional"] = torch.func.grad(
        lambda w: todist.remote_sync_call(torch.pow, args=(w, 2), partitioner=1)[0].sum()
    )(w.detach()).tolist()
    before = w.detach().clone()
    v = w.detach().clone()
    future = todist.remote_async_call(scaled, args=(v,), kwargs={"factor": 1.0}, partitioner=1)
    v.zero_()
    found["as_they_were"] = torch.equal(future.wait()[0], before)
    found["lambda"] = caught(lambda: todist.remote_sync_call(lambda x: x, args=(x,)))
    found["local"] = caught(lambda: todist.parallelize()(lambda x: x)(x))
    found["partitioner"] = caught(lambda: todist.remote_sync_call(scaled, partitioner=1.5))
    found["bad_part"] = caught(
        lambda: todist.remote_sync_call(scaled, partitioner=lambda: [(0, ())])
    )
    found["no_parts"] = caught(lambda: todist.remote_sync_call(scaled, partitioner=lambda: None))
    found["zero_parts"] = caught(lambda: todist.remote_sync_call(scaled, partitioner=list))
    found["bad_args"] = caught(
        lambda: todist.remote_sync_call(scaled, partitioner=lambda: [(0, torch.ones(2), {})])
    )
    number = np.int64(1)
    found["number"] = [
        todist.remote_sync_call(torch.square, args=(x,), partitioner=p)[0].equal(x * x)
        for p in (number, lambda x: [(number, (x,), None)])
    ]
    found["no_worker"] = caught(lambda: todist.remote_sync_call(scaled, partitioner="nobody"))
    found["no_rank"] = caught(lambda: todist.remote_sync_call(scaled, partitioner=9))
    found["shapes"] = caught(lambda: mean_loss(net, x, y[:5]))
    found["scalar"] = caught(lambda: mean_loss(net, x, y=y.sum()))
    found["empty"] = caught(lambda: mean_loss(net, x[:0], y[:0]))
    found["leaf"] = caught(lambda: todist_autograd.grad(0, (2 * w).sum(), 2 * w))
    found["remote_error"] = caught(lambda: todist.remote_sync_call(torch.mm, args=(x, x)))
    # A worker that gives work to all, itself too, does not wait for itself.
    (nested,) = todist.remote_sync_call(outer, args=(net, x, y), partitioner=1)
    found["nested"] = nested.item()
    return found


@todist.auto_init_rpc(worker_init)
def main(new):
    found = train(new)
    todist.barrier()
    if found is not None:
        print("FOUND " + json.dumps(found), flush=True)


if __name__ == "__main__":
    main("--new" in sys.argv)

r"""A learned optimizer: a small network takes the steps, and beats a tuned Adam on tasks never seen.

Each task is to read five digits, whose labels are shuffled. The network of the optimizer sees features
of each weight's gradients (Metz et al., *Practical Tradeoffs between Memory, Compute, and
Performance in Learned Optimizers*, 2022). It is trained on tasks of the digits 0 to 4, such that the
loss on other images is low after each truncation; the gradient of that is backpropagated through
the steps of the truncation, or estimated by persistent evolution strategies (Vicol et al., 2021).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, Literal, NamedTuple

import torch
from torch import nn
from torch.func import functional_call, vmap
from torch.nn.functional import cross_entropy

import torchopt
from torchopt.base import GradientTransformation
from torchopt.diff.zero_order import PersistentES
from torchopt.examples.tools.command import command
from torchopt.examples.tools.digits import split_digits
from torchopt.examples.tools.pictures import line_figure
from torchopt.examples.tools.report import Report
from torchopt.examples.tools.statistics import interval
from torchopt.transform import ParameterFeatures, learned

Weights = dict[str, torch.Tensor]
FEATURES = ParameterFeatures(timescales=(1, 3, 10, 30, 100))
NETWORKS = ((torch.relu, (16,)), (torch.tanh, (16,)), (torch.relu, (16, 16)))  # to train on
UNSEEN = ((torch.relu, (32,)), (torch.tanh, (12, 12)), (torch.relu, (24, 16)))
RATES = torch.logspace(-2.75, -0.5, 10).tolist()  # of Adam, of which the best is taken


@dataclass(frozen=True)
class Config:
    """Settings, which determine the results."""

    estimator: Annotated[Literal["unroll", "persistent"], "of the meta-gradient"] = "unroll"
    pairs: Annotated[int, "of particles of the persistent estimator"] = 4
    sigma: Annotated[float, "of its perturbations"] = 0.01
    steps: Annotated[int, "of training in a task"] = 50
    truncation: Annotated[int, "steps to differentiate through"] = 25
    batch: Annotated[int, "images in a step"] = 20
    tasks: Annotated[int, "in a meta-step"] = 8
    hidden: Annotated[int, "width of the optimizer's two hidden layers"] = 16
    episodes: Annotated[int, "batches of tasks to train the optimizer on"] = 500
    lr: Annotated[float, "of the optimizer's weights; it falls to 0 along a line"] = 4e-3
    test_tasks: Annotated[int, "for each network, in each test"] = 40
    save_every: Annotated[int, "episodes between checkpoints"] = 50
    seed: Annotated[int, "of the optimizer's start and the tasks to train on"] = 0
    threads: Annotated[int, "CPU threads"] = 1


class Tasks(NamedTuple):
    """Tasks of one kind of network: first weights, a batch for each step, and images to test on."""

    weights: Weights
    x: torch.Tensor  # (tasks, steps, batch, 64)
    y: torch.Tensor
    test_x: torch.Tensor
    test_y: torch.Tensor  # (tasks, images)


Network = tuple[Callable[[torch.Tensor], torch.Tensor], Sequence[int]]


def draw(digits: range, network: Network, number: int, config: Config, gen: torch.Generator) -> Tasks:
    """Draw tasks of reading five digits; a third of the images is for testing only."""
    (data,) = split_digits(0)
    chosen = (data.y >= digits.start) & (data.y < digits.stop)
    x, y, cut = data.x[chosen], data.y[chosen] - digits.start, 2 * int(chosen.sum()) // 3
    sizes, weights = (64, *network[1], 5), {}
    for k, (inputs, outputs) in enumerate(zip(sizes, sizes[1:], strict=False)):
        noise = torch.rand(number, inputs, outputs, generator=gen) * 2 - 1
        weights[f"weight{k}"] = noise / inputs**0.5
        weights[f"bias{k}"] = torch.zeros(number, outputs)
    index = torch.randint(cut, (number, config.steps, config.batch), generator=gen)
    labels = torch.rand(number, 5, generator=gen).argsort(1)  # shuffled
    shuffled = labels[:, y]
    taken = shuffled.gather(1, index.flatten(1)).view_as(index)
    return Tasks(weights, x[index], taken, x[cut:], shuffled[:, cut:])


def loss_of(network: Network, weights: Weights, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """Return the cross entropy of a perceptron on some images."""
    last = len(network[1])
    for k in range(last):
        x = network[0](x @ weights[f"weight{k}"] + weights[f"bias{k}"])
    return cross_entropy(x @ weights[f"weight{last}"] + weights[f"bias{last}"], y)


def go_on(
    tx: GradientTransformation, network: Network, carry: Any, tasks: Tasks, start: int, stop: int
) -> tuple[torch.Tensor, Any]:
    """Train all tasks for some steps; return the losses on their test images, and where they are."""
    loss = partial(loss_of, network)

    def train(carry: Any, batches: Any, test_y: torch.Tensor) -> tuple[torch.Tensor, Any]:
        weights, state = carry
        resumed = GradientTransformation(lambda _: state, tx.update)
        s = torchopt.minimize(loss, weights, solver=resumed, steps=stop - start, batches=batches)
        return loss(s.params, tasks.test_x, test_y), (s.params, s.state)

    batches = (tasks.x[:, start:stop], tasks.y[:, start:stop])
    return vmap(train)(carry, batches, tasks.test_y)


def begin(tx: GradientTransformation, tasks: Tasks) -> Any:
    """Return the first weights of all tasks, and the optimizer's state for each."""
    return tasks.weights, vmap(tx.init)(tasks.weights)


def optimizer(net: nn.Module, theta: Weights) -> GradientTransformation:
    """Return the learned optimizer with some weights."""
    module = partial(functional_call, net, theta)
    return learned(module, features=FEATURES, step_size=0.03, exp_mult=0.1)


def meta_train(config: Config, report: Report) -> tuple[nn.Module, Weights]:
    """Train the weights of the optimizer on tasks of the digits 0 to 4."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(config.seed)
        sizes = (FEATURES.size, config.hidden, config.hidden, 2)
        layers = [nn.Linear(m, n) for m, n in zip(sizes, sizes[1:], strict=False)]
        net = nn.Sequential(layers[0], nn.ReLU(), layers[1], nn.ReLU(), layers[2])
    theta = {name: p.detach() for name, p in net.named_parameters()}
    lr = torchopt.schedule.linear_schedule(config.lr, 0.0, config.episodes * config.steps // config.truncation)
    outer = torchopt.chain(torchopt.clip_grad_norm(1.0), torchopt.adam(lr))
    gen = torch.Generator().manual_seed(config.seed)
    estimator = PersistentES(num_samples=config.pairs, sigma=config.sigma)
    begun = report.load([theta, outer.init(theta), gen.get_state(), 0])
    theta, state, random, done = begun
    gen.set_state(random)
    with report.progress("meta-training", config.episodes - done) as advance:
        while done < config.episodes:
            network = NETWORKS[done % len(NETWORKS)]
            tasks = draw(range(5), network, config.tasks, config, gen)
            def truncated(theta: Weights, carry: Any, start: int) -> tuple[torch.Tensor, Any]:
                end = min(start + config.truncation, config.steps)
                losses, carry = go_on(optimizer(net, theta), network, carry, tasks, start, end)
                return losses.mean(), carry

            carry = begin(optimizer(net, theta), tasks)
            if config.estimator == "persistent":
                carry = estimator.init(theta, carry, generator=gen)
            for start in range(0, config.steps, config.truncation):
                if config.estimator == "persistent":
                    grads, carry, loss = estimator(truncated, theta, carry, start)
                else:
                    gradient = torchopt.meta_grad_and_value(truncated, has_aux=True)
                    grads, (loss, carry) = gradient(theta, carry, start)
                updates, state = outer.update(grads, state)
                theta = torchopt.apply_updates(theta, updates, inplace=False)
            done += 1
            advance(f"loss {loss:.3f}")
            if done % config.save_every == 0:
                report.save([theta, state, gen.get_state(), done])
    return net, theta

r"""A learned optimizer: a small network takes the steps, and beats a tuned Adam on tasks never seen.

A task is to train a network to read five digits. The optimizer sees features of gradients (Metz et al.,
*Practical Tradeoffs ... in Learned Optimizers*, 2022), and is trained so that the test loss is low
after each truncation, by the gradient through its steps or by persistent evolution strategies.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, Literal

import torch
from torch import nn

import torchopt
from examples.tools.command import command
from examples.tools.pictures import line_figure
from examples.tools.report import Report
from examples.tools.statistics import interval
from examples.tools.trainings import Network, begin, draw, go_on, vary
from torchopt.diff.zero_order import PersistentES
from torchopt.schedule import linear_schedule
from torchopt.transform import GradientTransformation, ParameterFeatures, learned

Weights = dict[str, torch.Tensor]
FEATURES = ParameterFeatures(timescales=(1, 3, 10, 30, 100))
NETWORKS = ((torch.relu, (16,)), (torch.tanh, (16,)), (torch.relu, (16, 16)))  # to train on
OTHERS = ((torch.relu, (32,)), (torch.tanh, (12, 12)), (torch.relu, (24, 16)))
TESTS: dict[str, tuple[range, Sequence[Network]]] = {
    "digits 0 to 4": (range(5), NETWORKS),
    "digits 5 to 9": (range(5, 10), NETWORKS),
    "other networks": (range(5, 10), OTHERS),
}
RATES = torch.logspace(-2.75, -0.5, 10).tolist()  # of Adam, of which the best is taken


@dataclass(frozen=True)
class Config:
    """Settings, which determine the results."""

    estimator: Annotated[Literal["unroll", "persistent"], "of the meta-gradient"] = "unroll"
    pairs: Annotated[int, "of particles of the persistent estimator"] = 4
    sigma: Annotated[float, "of its perturbations"] = 0.01
    steps: Annotated[int, "of training in a task"] = 50
    truncation: Annotated[int, "steps between two meta-steps; a divisor of the steps"] = 25
    batch: Annotated[int, "images in a step"] = 20
    tasks: Annotated[int, "in an episode"] = 8
    hidden: Annotated[int, "width of the optimizer's two hidden layers"] = 16
    episodes: Annotated[int, "of meta-training"] = 420
    lr: Annotated[float, "of the optimizer's weights; it falls to 0 along a line"] = 4e-3
    test_tasks: Annotated[int, "for each network, in each test"] = 40
    save_every: Annotated[int, "episodes between checkpoints"] = 20
    seed: Annotated[int, "of the optimizer's start and the tasks of meta-training"] = 0
    threads: Annotated[int, "CPU threads"] = 1


def optimizer(net: nn.Module, theta: Weights) -> GradientTransformation:
    """Return the learned optimizer, given the weights of its network."""
    module = partial(torch.func.functional_call, net, theta)
    return learned(module, features=FEATURES, step_size=0.03, exp_mult=0.1)


def meta_train(config: Config, report: Report) -> GradientTransformation:
    """Train the optimizer on tasks with the digits 0 to 4; return it."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(config.seed)
        first, second = (nn.Linear(n, config.hidden) for n in (FEATURES.size, config.hidden))
        net = nn.Sequential(first, nn.ReLU(), second, nn.ReLU(), nn.Linear(config.hidden, 2))
    k, persistent = config.truncation, config.estimator == "persistent"
    lr = linear_schedule(config.lr, 0.0, config.episodes * config.steps // k)
    outer = torchopt.chain(torchopt.transform.clip_grad_norm(1.0), torchopt.adam(lr))
    estimator = PersistentES(num_samples=config.pairs, sigma=config.sigma)
    gen = torch.Generator().manual_seed(config.seed)
    size = {"number": config.tasks, "steps": config.steps, "batch": config.batch}
    theta = {name: p.detach() for name, p in net.named_parameters()}
    theta, state, random, done = report.load([theta, outer.init(theta), gen.get_state(), 0])
    gen.set_state(random)
    with report.progress("meta-training", config.episodes - done) as advance:
        while done < config.episodes:
            tasks = vary(draw(NETWORKS[done % len(NETWORKS)], range(5), gen, **size), gen)

            def truncation(theta: Any, carry: Any, at: int, tasks: Any = tasks) -> Any:
                losses, carry = go_on(optimizer(net, theta), tasks, carry, at, k)
                return losses.mean(), carry

            carry = begin(optimizer(net, theta), tasks)
            carry = estimator.init(theta, carry, generator=gen) if persistent else carry
            for at in range(0, config.steps, k):
                if persistent:
                    found = estimator(truncation, theta, carry, at)
                    grads, carry, loss = found.grads, found.particles, found.loss
                else:
                    gradient = torchopt.meta_grad_and_value(truncation, has_aux=True)
                    grads, (loss, carry) = gradient(theta, carry, at)
                updates, state = outer.update(grads, state)
                theta = torchopt.apply_updates(theta, updates, inplace=False)
            done += 1
            advance(f"loss {loss:.3f}")
            if done % config.save_every == 0:
                report.save([theta, state, gen.get_state(), done])
    return optimizer(net, theta)


@torch.no_grad()
def curves(config: Config, tx: GradientTransformation, test: str, seed: int) -> torch.Tensor:
    """Return the test loss of each task after every fifth step, ``(tasks, steps / 5)``."""
    (digits, networks), rows = TESTS[test], []
    size = {"number": config.test_tasks, "steps": config.steps, "batch": config.batch}
    for network in networks:
        tasks = draw(network, digits, torch.Generator().manual_seed(seed), **size)
        carry, row = begin(tx, tasks), []
        for start in range(0, config.steps, 5):
            losses, carry = go_on(tx, tasks, carry, start, 5)
            row.append(losses)
        rows.append(torch.stack(row, 1))
    return torch.cat(rows)


def run(config: Config, report: Report = Report()) -> dict[str, torch.Tensor]:
    """Train the optimizer, and compare it with Adam; return the losses, (tests, tasks, steps / 5)."""
    methods = {"learned": meta_train(config, report)}
    decaying: Any = partial(linear_schedule, end_value=0.0, transition_steps=config.steps)
    for name, rate in {"Adam": float, "Adam, decaying": decaying}.items():
        made = [torchopt.adam(rate(lr)) for lr in RATES]
        last = [curves(config, tx, "digits 0 to 4", 1)[:, -1].mean() for tx in made]
        best = int(torch.stack(last).nan_to_num(torch.inf).argmin())
        methods[f"{name} ({RATES[best]:.3f})"] = made[best]
    result, rows = {}, []
    for name, tx in methods.items():
        result[name] = torch.stack([curves(config, tx, test, 2) for test in TESTS])
        rows.append((name, *(interval(losses[:, -1]) for losses in result[name])))
    report.table(f"test loss after {config.steps} steps", ("optimizer", *TESTS), rows)
    lines = {name: losses[1:].mean((0, 1)).tolist() for name, losses in result.items()}
    axes = {"xlabel": "step", "ylabel": "test loss, digits 5 to 9", "yscale": "log"}
    report.picture("curves", line_figure(lines, range(5, config.steps + 1, 5), **axes))
    return result


PRESETS = {
    "quick": Config(episodes=40, test_tasks=10),
    "default": Config(),
    "full": Config(episodes=3000, test_tasks=100),
}
main = command(run, PRESETS, resumable=True)

if __name__ == "__main__":
    raise SystemExit(main())

r"""MAML-RL: learn a policy that one step of policy gradient takes to a goal it has never seen.

A point in the plane is rewarded by minus its distance to a goal that it does not see. Each goal is a
task (Finn, Abbeel and Levine, *Model-Agnostic Meta-Learning*, 2017, section 5.3):

.. math:: \max_\theta\; \mathbb{E}_{\text{goal}}\,
          J_{\text{goal}}\bigl(\theta + \alpha \nabla J_{\text{goal}}(\theta)\bigr)

Its gradient has the Hessian of :math:`J`, an expectation over trajectories that depend on
:math:`\theta` themselves. The usual policy-gradient loss has a wrong Hessian. With a magic box it has
the right one (Foerster et al., *DiCE*, 2018; Farquhar et al., *Loaded DiCE*, 2019).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import torch
from matplotlib.figure import Figure
from torch.distributions import Normal

import torchopt
from torchopt.examples.tools.command import command
from torchopt.examples.tools.dice import magic_box
from torchopt.examples.tools.navigation import Trajectories, explore
from torchopt.examples.tools.pictures import draw_lines
from torchopt.examples.tools.report import Report

Params = dict[str, torch.Tensor]


@dataclass(frozen=True)
class Config:
    """The settings of a run."""

    tasks: Annotated[int, "goals in a meta-step"] = 20
    trajectories: Annotated[int, "for each goal, before and after the inner step"] = 20
    horizon: Annotated[int, "steps of a trajectory"] = 100
    width: Annotated[int, "of the policy's two hidden layers"] = 64
    inner_lr: Annotated[float, "of the inner step; half of it for further ones"] = 0.5
    lr: Annotated[float, "of the meta-parameters, by Adam; it falls along a straight line"] = 3e-3
    steps: Annotated[int, "meta-steps"] = 300
    test_goals: Annotated[int, "new goals, to judge by"] = 40
    seed: Annotated[int, "of the start, the goals and the actions"] = 0
    threads: Annotated[int, "CPU threads; part of the numbers' last digits"] = 1


def make_policy(config: Config) -> Params:
    """Return the weights of two hidden layers, and the logarithm of the deviation."""
    sizes, params = (2, config.width, config.width, 2), {"log_std": torch.zeros(1, 2)}
    for i, gain in enumerate((1.0, 1.0, 0.1)):
        params[f"w{i}"] = gain * torch.randn(sizes[i : i + 2]) * (2 / sizes[i]) ** 0.5
        params[f"b{i}"] = torch.zeros(1, sizes[i + 1])
    return params


def policy(params: Params, states: torch.Tensor) -> Normal:
    """Return the distribution of actions; each goal has its own parameters and states (goals, n, 2)."""
    for i in range(2):
        states = (states @ params[f"w{i}"] + params[f"b{i}"]).relu()
    return Normal(states @ params["w2"] + params["b2"], params["log_std"].exp())


def dice(log_probs: torch.Tensor, advantages: torch.Tensor) -> torch.Tensor:
    """Return a surrogate of each return; both arguments have the shape (goals, steps, ...).

    Its value is zero. All its derivatives are those of the expected return (Loaded DiCE, equation 8).
    """
    so_far = log_probs.cumsum(1)
    return ((magic_box(so_far) - magic_box(so_far - log_probs)) * advantages).sum(1)


def loss(params: Params, seen: Trajectories) -> torch.Tensor:
    """Return minus the surrogate per step, summed over goals, of which each has its parameters."""
    actions = policy(params, seen.states.flatten(1, 2))
    log_probs = (
        actions.log_prob(seen.actions.flatten(1, 2)).sum(-1).view_as(seen.alive) * seen.alive
    )
    return -(dice(log_probs, seen.advantages).sum(1) / seen.alive.sum((1, 2))).sum()


def adapt(params: Params, seen: Trajectories, lr: float) -> Params:
    """Return each goal's parameters after a step of policy gradient, as functions of those before."""
    return torchopt.minimize(loss, params, args=(seen,), solver=torchopt.sgd(lr), steps=1).params


def visit(params: Params, goals: torch.Tensor, config: Config) -> Trajectories:
    """Let each goal's policy move."""
    return explore(lambda s: policy(params, s), goals, config.trajectories, config.horizon)


def train(config: Config, inner_steps: int, report: Report) -> tuple[Params, list[float]]:
    """Train with one inner step (MAML) or none (pretraining); return the policy and its returns."""
    torch.manual_seed(config.seed)
    params, returns = make_policy(config), []
    optimizer = torch.optim.Adam([p.requires_grad_() for p in params.values()], config.lr)
    schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.0, config.steps)
    with report.progress("MAML" if inner_steps else "pretraining", config.steps) as advance:
        for _ in range(config.steps):
            goals = torch.rand(config.tasks, 2) - 0.5
            theta = {name: p.expand(len(goals), *p.shape) for name, p in params.items()}
            seen = visit(theta, goals, config)
            for _ in range(inner_steps):
                theta = adapt(theta, seen, config.inner_lr)
                seen = visit(theta, goals, config)
            optimizer.zero_grad()
            (loss(theta, seen) / len(goals)).backward()
            torch.nn.utils.clip_grad_norm_(params.values(), 1.0)
            optimizer.step()
            schedule.step()
            returns.append(float(seen.total))
            advance(f"return {returns[-1]:.1f}")
    return {name: p.detach() for name, p in params.items()}, returns


def evaluate(config: Config, params: Params, steps: int = 3) -> list[float]:
    """Return the mean return on new goals before and after each step of policy gradient."""
    torch.manual_seed(config.seed + 1)
    goals = torch.rand(config.test_goals, 2) - 0.5
    theta, returns = {k: p.expand(len(goals), *p.shape) for k, p in params.items()}, []
    for step in range(steps + 1):
        seen = visit(theta, goals, config)
        returns.append(float(seen.total))
        theta = adapt(theta, seen, config.inner_lr / (2 if step else 1))
    return returns


def run(config: Config, report: Report = Report()) -> dict[str, list[float]]:
    """Return the returns of each policy on new goals, after 0 to 3 steps of policy gradient."""
    maml, curve = train(config, 1, report)
    pretrained, flat = train(config, 0, report)
    policies = {"MAML": maml, "pretrained": pretrained, "random": make_policy(config)}
    result = {name: evaluate(config, params) for name, params in policies.items()}
    rows = [(name, *(f"{x:.1f}" for x in returns)) for name, returns in result.items()]
    columns = ("policy", "before", "after 1 step", "2 steps", "3 steps")
    report.table(f"mean return on {config.test_goals} new goals", columns, rows)
    figure = Figure(figsize=(9, 3.5), layout="constrained")
    left, right = figure.subplots(1, 2)
    curves = {"MAML, after the inner step": curve, "pretraining": flat}
    draw_lines(left, curves, xlabel="meta-step", ylabel="return in training")
    draw_lines(right, result, range(4), style="o-", xlabel="steps", ylabel="return, new goals")
    report.picture("maml_rl", figure)
    return result


PRESETS = {"quick": Config(steps=40, width=32), "default": Config()}
main = command(run, PRESETS)

if __name__ == "__main__":
    raise SystemExit(main())

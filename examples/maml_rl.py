r"""MAML-RL: learn a policy that one step of policy gradient takes to a goal it has never seen.

A point in the plane is rewarded by minus its distance to a goal that it does not see. Each goal is a
task (Finn, Abbeel and Levine, *Model-Agnostic Meta-Learning*, 2017, section 5.3):

.. math:: \max_\theta\; \mathbb{E}_{\text{goal}}\,
          J_{\text{goal}}\bigl(\theta + \alpha \nabla J_{\text{goal}}(\theta)\bigr)

Its gradient needs the Hessian of :math:`J`, which the usual policy-gradient loss gets wrong and a
magic box gets right (Foerster et al., *DiCE*, 2018; Farquhar et al., *Loaded DiCE*, 2019).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import torch
from matplotlib.figure import Figure
from torch.distributions import Normal

import torchopt
from examples.tools.command import command
from examples.tools.dice import magic_box
from examples.tools.navigation import Trajectories, explore
from examples.tools.pictures import draw_lines
from examples.tools.report import Report

Params = dict[str, torch.Tensor]


@dataclass(frozen=True)
class Config:
    """The settings of a run."""

    tasks: Annotated[int, "goals in a meta-step"] = 20
    trajectories: Annotated[int, "for each goal, before and after the inner step"] = 20
    horizon: Annotated[int, "steps of a trajectory"] = 100
    width: Annotated[int, "of the policy's two hidden layers"] = 64
    inner_lr: Annotated[float, "of the inner step"] = 0.5
    decay: Annotated[float, "of past actions in second derivatives; 1 has no bias"] = 0.9
    lr: Annotated[float, "of the meta-parameters, by Adam; it falls along a straight line"] = 3e-3
    steps: Annotated[int, "meta-steps"] = 150
    test_goals: Annotated[int, "new goals, to judge by"] = 40
    seed: Annotated[int, "of the start, the goals and the actions"] = 0
    threads: Annotated[int, "CPU threads; part of the numbers' last digits"] = 1


def make_policy(config: Config) -> Params:
    """Return the weights of two hidden layers, and the logarithm of the deviation."""
    sizes, params = (2, config.width, config.width, 2), {"log_std": -torch.ones(1, 2)}
    for i, gain in enumerate((2.0, 2.0, 0.02)):
        params[f"w{i}"] = torch.randn(sizes[i : i + 2]) * (gain / sizes[i]) ** 0.5
        params[f"b{i}"] = torch.zeros(1, sizes[i + 1])
    return params


def policy(params: Params, states: torch.Tensor) -> Normal:
    """Return the distribution of actions; each goal has its own parameters and states (goals, n, 2)."""
    for i in range(2):
        states = (states @ params[f"w{i}"] + params[f"b{i}"]).relu()
    return Normal(states @ params["w2"] + params["b2"], params["log_std"].exp())


def dice(log_probs: torch.Tensor, advantages: torch.Tensor, decay: float) -> torch.Tensor:
    """Return a surrogate of each return; both arguments have the shape (goals, steps, ...).

    Its value is zero. Its derivatives are, on average, those of the expected return; a decay below one
    forgets distant actions in second derivatives, for less noise and some bias (Loaded DiCE).
    """
    so_far = [log_probs[:, 0]]
    for now in log_probs[:, 1:].unbind(1):
        so_far.append(decay * so_far[-1] + now)
    until = torch.stack(so_far, 1)
    return ((magic_box(until) - magic_box(until - log_probs)) * advantages).sum(1)


def loss(params: Params, seen: Trajectories, decay: float) -> torch.Tensor:
    """Return minus the surrogate per step, summed over goals, of which each has its parameters."""
    actions = policy(params, seen.states.flatten(1, 2))
    log_probs = (
        actions.log_prob(seen.actions.flatten(1, 2)).sum(-1).view_as(seen.alive) * seen.alive
    )
    return -(dice(log_probs, seen.advantages, decay).sum(1) / seen.alive.sum((1, 2))).sum()


def adapt(params: Params, seen: Trajectories, config: Config) -> Params:
    """Return each goal's parameters after a step of policy gradient, as functions of those before."""
    solver = torchopt.sgd(config.inner_lr)
    return torchopt.minimize(loss, params, (seen, config.decay), solver=solver, steps=1).params


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
                theta = adapt(theta, seen, config)
                seen = visit(theta, goals, config)
            optimizer.zero_grad()
            (loss(theta, seen, config.decay) / len(goals)).backward()
            torch.nn.utils.clip_grad_norm_(params.values(), 1.0)
            optimizer.step()
            schedule.step()
            returns.append(float(seen.total))
            advance(f"return {returns[-1]:.1f}")
    return {name: p.detach() for name, p in params.items()}, returns


def evaluate(config: Config, params: Params) -> list[float]:
    """Return the mean return on new goals before and after a step of policy gradient."""
    torch.manual_seed(config.seed + 1)
    goals = torch.rand(config.test_goals, 2) - 0.5
    theta = {name: p.expand(len(goals), *p.shape) for name, p in params.items()}
    seen = visit(theta, goals, config)
    return [float(seen.total), float(visit(adapt(theta, seen, config), goals, config).total)]


def run(config: Config, report: Report = Report()) -> dict[str, list[float]]:
    """Return the mean returns of each policy on new goals, before and after one inner step."""
    maml, curve = train(config, 1, report)
    pretrained, flat = train(config, 0, report)
    policies = {"MAML": maml, "pretrained": pretrained, "random": make_policy(config)}
    result = {name: evaluate(config, params) for name, params in policies.items()}
    rows = [(name, f"{before:.1f}", f"{after:.1f}") for name, (before, after) in result.items()]
    report.table(f"return on {config.test_goals} new goals", ("policy", "before", "after"), rows)
    figure = Figure(figsize=(6, 3.5), layout="constrained")
    curves = {"MAML, after the inner step": curve, "pretraining": flat}
    draw_lines(figure.subplots(), curves, xlabel="meta-step", ylabel="mean return of new goals")
    report.picture("maml_rl", figure)
    return result


PRESETS = {"quick": Config(steps=40, width=32), "default": Config()}
main = command(run, PRESETS)

if __name__ == "__main__":
    raise SystemExit(main())

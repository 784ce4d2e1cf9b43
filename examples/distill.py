r"""Dataset distillation: learn ten images, one for each digit, that teach a fresh network to read.

The images :math:`X` and the learning rate :math:`\eta` change so that a network from a random start,
trained on them for a few steps, reads real images (Wang et al., *Dataset Distillation*, 2018):

.. math::
    \min_{X, \eta}\; \mathbb{E}_{\theta_0}\, \ell(\theta_K; \text{real images}) \quad\text{with}\quad
    \theta_{k+1} = \theta_k - \eta\, \nabla_\theta\, \ell(\theta_k; X)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import torch
from matplotlib.figure import Figure
from torch import nn
from torch.utils.data import BatchSampler, DataLoader, RandomSampler, TensorDataset

from examples.tools.command import command
from examples.tools.digits import Data, accuracy, split_digits
from examples.tools.engine import engine_config, run_engine
from examples.tools.report import Report
from torchopt import multilevel
from torchopt.diff import Explicit

LABELS = torch.arange(10)


@dataclass(frozen=True)
class Config:
    """Settings; the command line's options."""

    inner_steps: Annotated[int, "of a fresh network, on the ten images"] = 20
    rate: Annotated[float, "learning rate of the network at the start; it is learned too"] = 0.5
    steps: Annotated[int, "of the images"] = 500
    lr: Annotated[float, "Adam's learning rate, of the images"] = 0.01
    rate_lr: Annotated[float, "the same, of the logarithm of the network's learning rate"] = 0.002
    batch: Annotated[int, "real images in a step"] = 256
    width: Annotated[int, "of the network's hidden layer"] = 64
    networks: Annotated[int, "fresh ones in the final test"] = 20
    validate_every: Annotated[int, "steps of the images between tests and checkpoints"] = 25
    seed: Annotated[int, "of the split and the networks' starts"] = 0
    threads: Annotated[int, "CPU threads; part of the numbers' last digits"] = 1


def make_network(config: Config) -> nn.Sequential:
    """Return a network with a random start."""
    return nn.Sequential(nn.Linear(64, config.width), nn.ReLU(), nn.Linear(config.width, 10))


def make_engine(config: Config, real: Data, test: Data, report: Report) -> multilevel.Engine:
    """Return the program; each step of the images is differentiated through all of the network."""

    class Student(multilevel.Problem):  # lower: learn from ten images, from the beginning
        def training_step(self, batch: None) -> torch.Tensor:
            images, log_rate = self.teacher.params
            # The optimizer's learning rate is 1: this factor takes its place, and has a gradient.
            return log_rate.exp() * nn.functional.cross_entropy(self.module(images), LABELS)

        def on_inner_loop_start(self) -> None:
            for layer in self.module[::2]:
                layer.reset_parameters()

    class Teacher(multilevel.Problem):  # upper: the trained student should read real images
        def training_step(self, batch: list[torch.Tensor]) -> torch.Tensor:
            return nn.functional.cross_entropy(self.student(batch[0]), batch[1])

        def param_callback(self) -> None:
            self.params[0].data.clamp_(0.0, 1.0)  # between white and black

    class Distillation(multilevel.Engine):
        def validation(self) -> dict[str, float]:
            images, log_rate = self.teacher.params
            return {"accuracy": teach(config, images.detach(), log_rate.exp().item(), test)}

    images = torch.stack([real.x[real.y == label].mean(0) for label in LABELS]).requires_grad_()
    net, log_rate = make_network(config), torch.tensor(config.rate).log().requires_grad_()
    mode = multilevel.Config(diff=Explicit(), unroll_steps=config.inner_steps)
    student = Student("student", mode, net, torch.optim.SGD(net.parameters(), 1.0))
    order = RandomSampler(real.y, generator=torch.Generator().manual_seed(config.seed))
    batches = BatchSampler(order, config.batch, drop_last=True)
    groups = [{"params": [images], "lr": config.lr}, {"params": [log_rate], "lr": config.rate_lr}]
    adam, params = torch.optim.Adam(groups), (images, log_rate)
    loader = DataLoader(TensorDataset(*real), batch_size=None, sampler=batches)
    clip = multilevel.Config(gradient_clipping=1.0)  # large steps make the student's loss steep
    teacher = Teacher("teacher", clip, optimizer=adam, train_data_loader=loader, params=params)
    edges = {"u2l": {teacher: [student]}, "l2u": {student: [teacher]}}
    steps, every = (n * config.inner_steps for n in (config.steps, config.validate_every))
    return Distillation([teacher, student], engine_config(report, steps, every), edges)


@torch.enable_grad()
def teach(config: Config, images: torch.Tensor, rate: float, test: Data) -> float:
    """Train fresh networks on ten images, or on ten for each; return their mean accuracy."""
    scores = []
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(config.seed + 1)
        for x in images.expand(config.networks, 10, 64):
            net = make_network(config)
            optimizer = torch.optim.SGD(net.parameters(), rate)
            for _ in range(config.inner_steps):
                optimizer.zero_grad()
                nn.functional.cross_entropy(net(x), LABELS).backward()
                optimizer.step()
            scores.append(accuracy(net, test))
    return sum(scores) / len(scores)


def run(config: Config, report: Report = Report()) -> dict[str, float]:
    """Learn ten images, and compare them with averages and real images; return the accuracies."""
    test, real = split_digits(config.seed, 500)
    torch.manual_seed(config.seed)
    engine = make_engine(config, real, test, report)
    images = {"average": engine.teacher.params[0].detach().clone()}
    run_engine(engine, report, "distillation")
    images["learned"], log_rate = (p.detach() for p in engine.teacher.params)
    generator, ten = torch.Generator().manual_seed(config.seed), []
    for x in (real.x[real.y == label] for label in LABELS):
        ten.append(x[torch.randint(len(x), (config.networks,), generator=generator)])
    images["real"] = torch.stack(ten, 1)  # other ones for each network
    rates, result = {"learned": log_rate.exp().item()}, {}
    for name in images:
        if name not in rates:  # the rate that suits these images best
            scores = {lr: teach(config, images[name], lr, real) for lr in (0.1, 0.2, 0.5, 1.0, 2.0)}
            rates[name] = max(scores, key=scores.__getitem__)
        result[name] = teach(config, images[name], rates[name], test)
    rows = [(name, f"{rates[name]:.2f}", f"{100 * score:.1f} %") for name, score in result.items()]
    report.table("fresh networks", ("ten images", "learning rate", "accuracy"), rows)
    figure = Figure(figsize=(9, 3.2), layout="constrained")
    shown = torch.cat([images["real"][0], images["average"], images["learned"]])
    for axes, image in zip(figure.subplots(3, 10).flat, shown, strict=True):
        axes.imshow(image.view(8, 8).numpy(), cmap="gray_r", vmin=0, vmax=1)
        axes.axis("off")
    figure.suptitle("real, average and learned images")
    report.picture("images", figure)
    return result


PRESETS = {
    "quick": Config(steps=100, networks=5),
    "default": Config(),
    "full": Config(steps=3000, width=128, validate_every=100),
}

main = command(run, PRESETS, resumable=True)

if __name__ == "__main__":
    raise SystemExit(main())

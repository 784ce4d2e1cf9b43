"""`schedule.from_torch` gives the learning rates of every scheduler that is a function of the step."""

import math

import pytest
import torch
from torch.optim import lr_scheduler as theirs
from torch.optim.swa_utils import SWALR

from _cases import by_error
from torchopt import schedule

STEPS = 200
LRS = (0.3, 0.05)


def decay(count):
    return 0.97**count


def wave(count):
    return 1 + 0.01 * math.sin(count)


def damped(count):
    return 1 / (1 + 0.3 * count)


def constant_then(second):
    def make(optimizer):
        first = theirs.ConstantLR(optimizer, 0.25, total_iters=9)
        return theirs.SequentialLR(optimizer, [first, second(optimizer)], [14])

    return make


def chained(*parts):
    return lambda o: theirs.ChainedScheduler([part(o) for part in parts])


def restarts(o, *args, **options):
    return theirs.CosineAnnealingWarmRestarts(o, *args, **options)


def cyclic(o, down=None, **options):
    return theirs.CyclicLR(o, 0.1, 0.7, 20, down, **options)


def slowly(o):
    return theirs.ExponentialLR(o, 0.99)


def linear(o):
    return theirs.LinearLR(o, 0.2, 0.9, total_iters=12)


MAKERS = {
    "LambdaLR": lambda o: theirs.LambdaLR(o, [decay, damped]),
    "StepLR": lambda o: theirs.StepLR(o, 30, gamma=0.7),
    "MultiStepLR": lambda o: theirs.MultiStepLR(o, [20, 20, 70, 150], gamma=0.4),
    "ConstantLR": lambda o: theirs.ConstantLR(o, 0.3, total_iters=40),
    "ConstantLR, always": lambda o: theirs.ConstantLR(o, 0.3, total_iters=0),
    "LinearLR": lambda o: theirs.LinearLR(o, 0.1, 0.8, total_iters=90),
    "LinearLR, at once": lambda o: theirs.LinearLR(o, 0.1, 0.8, total_iters=0),
    "ExponentialLR": lambda o: theirs.ExponentialLR(o, 0.98),
    "PolynomialLR": lambda o: theirs.PolynomialLR(o, total_iters=150, power=2.3),
    "PolynomialLR, never": lambda o: theirs.PolynomialLR(o, total_iters=0),
    "CosineAnnealingLR": lambda o: theirs.CosineAnnealingLR(o, 33, eta_min=0.01),
    "CosineAnnealingLR, once": lambda o: theirs.CosineAnnealingLR(o, STEPS),
    "CosineAnnealingWarmRestarts": lambda o: restarts(o, 17, eta_min=0.01),
    "CosineAnnealingWarmRestarts, 2": lambda o: restarts(o, 5, T_mult=2),
    "CosineAnnealingWarmRestarts, 5": lambda o: restarts(o, 1, T_mult=5),
    "CyclicLR": lambda o: theirs.CyclicLR(o, [0.1, 0.2], 0.7, 20, 31, cycle_momentum=False),
    "CyclicLR, halved": lambda o: cyclic(o, mode="triangular2", base_momentum=0.7),
    "CyclicLR, damped": lambda o: cyclic(o, 3, mode="exp_range", gamma=0.99),
    "CyclicLR, own": lambda o: cyclic(o, scale_fn=damped),
    "CyclicLR, own by step": lambda o: cyclic(o, scale_fn=decay, scale_mode="iterations"),
    "CyclicLR, saw": lambda o: cyclic(o, 0),
    "OneCycleLR": lambda o: theirs.OneCycleLR(o, [0.9, 0.4], total_steps=STEPS),
    "OneCycleLR, three": lambda o: theirs.OneCycleLR(
        o, 0.9, total_steps=STEPS, three_phase=True, anneal_strategy="linear", pct_start=0.4
    ),
    "SequentialLR": constant_then(lambda o: theirs.CosineAnnealingLR(o, 60, 0.002)),
    "SequentialLR, restarts": constant_then(lambda o: restarts(o, 11)),
    "SequentialLR, three": lambda o: theirs.SequentialLR(
        o, [linear(o), theirs.StepLR(o, 20), theirs.ExponentialLR(o, 0.9)], [15, 90]
    ),
    "ChainedScheduler": chained(linear, slowly, lambda o: theirs.StepLR(o, 50)),
    "SWALR": lambda o: SWALR(o, [0.02, 0.5], anneal_epochs=40),
    "SWALR, linear": lambda o: SWALR(o, 0.02, anneal_epochs=40, anneal_strategy="linear"),
    "SWALR, at once": lambda o: SWALR(o, 0.02, anneal_epochs=0),
    "LambdaLR, numbers only": lambda o: theirs.LambdaLR(o, wave),
    "MultiplicativeLR": lambda o: theirs.MultiplicativeLR(o, [wave, lambda e: 0.99]),
    "SequentialLR, multiplied": constant_then(lambda o: theirs.MultiplicativeLR(o, wave)),
    "SequentialLR, lambda": constant_then(lambda o: theirs.LambdaLR(o, wave)),
    "ChainedScheduler, cosine": chained(
        linear, lambda o: theirs.CosineAnnealingLR(o, 45, 0.01), slowly
    ),
    "ChainedScheduler, lambda": chained(lambda o: theirs.LambdaLR(o, wave), slowly),
}
each = pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)


def optimizer_of_two_groups():
    groups = [{"params": [torch.nn.Parameter(torch.ones(2))], "lr": lr} for lr in LRS]
    return torch.optim.SGD(groups, momentum=0.5)


def learning_rates(scheduler):
    """Return those of each group at each step."""
    optimizer, found = scheduler.optimizer, []
    for _ in range(STEPS):
        found.append([group["lr"] for group in optimizer.param_groups])
        optimizer.step()
        scheduler.step()
    return [*zip(*found, strict=True)]


def made(make):
    scheduler = make(optimizer_of_two_groups())
    return scheduler, [schedule.from_torch(scheduler, k, steps=STEPS) for k in range(2)]


def test_every_scheduler_that_is_a_function_of_the_step_is_compared():
    compared = {name.partition(",")[0] for name in MAKERS}
    assert compared == {*theirs.__all__, "SWALR"} - {"LRScheduler", "ReduceLROnPlateau"}


@each
def test_learning_rates_equal_those_of_torch(make):
    scheduler, schedules = made(make)
    # The scheduler has stayed as it was: its own learning rates come afterwards.
    for form, truth in zip(schedules, learning_rates(scheduler), strict=True):
        assert [form(count) for count in range(STEPS)] == list(truth)
        batch = torch.func.vmap(form)(torch.arange(STEPS))
        assert batch.dtype == torch.float64
        assert batch.tolist() == list(truth)


def test_a_learning_rate_that_is_a_tensor_is_read_and_kept():
    lr = torch.tensor(0.25)
    optimizer = torch.optim.SGD([torch.nn.Parameter(torch.ones(2))], lr=lr)
    form = schedule.from_torch(theirs.StepLR(optimizer, 1, gamma=0.5), steps=3)
    assert [form(count) for count in range(3)] == [0.25, 0.125, 0.0625]
    assert optimizer.param_groups[0]["lr"] is lr
    assert lr == 0.25


def sgd():
    return torch.optim.SGD([torch.nn.Parameter(torch.ones(2))], lr=0.3)


def stepped(make):
    def after_two_steps(optimizer):
        scheduler = make(optimizer)
        for _ in range(2):
            optimizer.step()
            scheduler.step()
        return scheduler

    return after_two_steps


def learned(optimizer):
    scheduler = linear(optimizer)
    scheduler.base_lrs = [torch.tensor(0.25, requires_grad=True)]
    return scheduler


def computed(optimizer):
    optimizer.param_groups[0]["lr"] = torch.tensor(0.25, requires_grad=True) * 1
    return linear(optimizer)


LEARNED = r"the learning rate .* is tensor\(.*: pass its `detach\(\)`, since a table has no deriv"
DONE = "the scheduler has done 2 steps: make its schedule before"
WRONG = {
    TypeError: [
        (theirs.ReduceLROnPlateau, {}, "ReduceLROnPlateau, which depends on a metric"),
        (lambda o: 0.3, {}, "`scheduler` is an object of type float"),
    ],
    ValueError: [
        (linear, {"steps": 0}, "`steps` is 0: use a whole number of steps"),
        (linear, {"group": 1}, "`group` is 1, but the optimizer has 1 parameter groups"),
        (
            lambda o: linear(optimizer_of_two_groups()),
            {},
            "`group` is None, but the optimizer has 2 parameter groups: pass the index",
        ),
        (learned, {}, LEARNED),
        (computed, {}, LEARNED),
        (stepped(linear), {}, DONE),
        (stepped(chained(linear, slowly)), {}, DONE),
        (stepped(constant_then(slowly)), {}, DONE),
        (lambda o: theirs.OneCycleLR(o, 0.9, total_steps=5), {}, "Tried to step 6 times"),
    ],
}


@pytest.mark.parametrize(("make", "arguments", "error", "words"), by_error(WRONG))
def test_what_cannot_be_a_schedule_is_an_error(make, arguments, error, words):
    scheduler = make(sgd())
    with pytest.raises(error, match=words):
        schedule.from_torch(scheduler, **{"steps": 9, **arguments})

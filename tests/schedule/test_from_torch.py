"""`schedule.from_torch` gives the learning rates of every scheduler that is a function of the step."""

import copy
import math
import pickle

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
}
#: Those that need `steps`: they become tables.
TABLES = {
    "LambdaLR, table": lambda o: theirs.LambdaLR(o, wave),
    "MultiplicativeLR": lambda o: theirs.MultiplicativeLR(o, [wave, lambda e: 0.99]),
    "SequentialLR, table": constant_then(lambda o: theirs.MultiplicativeLR(o, wave)),
    "SequentialLR, lambda in a table": constant_then(lambda o: theirs.LambdaLR(o, wave)),
    "ChainedScheduler, cosine": chained(
        linear, lambda o: theirs.CosineAnnealingLR(o, 45, 0.01), slowly
    ),
    "ChainedScheduler, lambda": chained(lambda o: theirs.LambdaLR(o, wave), slowly),
}
each = pytest.mark.parametrize(
    ("make", "steps"),
    [
        pytest.param(make, steps, id=name)
        for makers, steps in ((MAKERS, None), (TABLES, STEPS))
        for name, make in makers.items()
    ],
)


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


def made(make, steps):
    scheduler = make(optimizer_of_two_groups())
    return scheduler, [schedule.from_torch(scheduler, group, steps=steps) for group in range(2)]


def test_every_scheduler_that_is_a_function_of_the_step_is_compared():
    compared = {name.partition(",")[0] for name in MAKERS | TABLES}
    assert compared == {*theirs.__all__, "SWALR"} - {"LRScheduler", "ReduceLROnPlateau"}


@each
def test_learning_rates_equal_those_of_torch(make, steps):
    scheduler, schedules = made(make, steps)
    for form, truth in zip(schedules, learning_rates(scheduler), strict=True):
        found = [form(count) for count in range(STEPS)]
        assert all(type(value) is float for value in found)
        assert found == pytest.approx(truth, rel=1e-12, abs=1e-14)
        counts = torch.arange(STEPS)
        batch = torch.func.vmap(form)(counts)
        assert batch.dtype == torch.float64
        assert batch.tolist() == pytest.approx(truth, rel=1e-12, abs=1e-14)
        assert [form(n).item() for n in counts[::9]] == pytest.approx(truth[::9], rel=1e-12)


@each
def test_a_scheduler_that_has_stepped_gives_the_same_schedule(make, steps):
    scheduler, (fresh, _) = made(make, steps)
    for _ in range(30):
        scheduler.optimizer.step()
        scheduler.step()
    later = schedule.from_torch(scheduler, 0, steps=steps)
    assert [later(n) for n in range(50)] == pytest.approx([fresh(n) for n in range(50)], rel=1e-11)


@each
def test_it_pickles_and_prints_as_a_call(make, steps):
    _, (form, _) = made(make, steps)
    again = pickle.loads(pickle.dumps(form))
    assert [again(n) for n in range(0, STEPS, 7)] == [form(n) for n in range(0, STEPS, 7)]
    assert repr(copy.deepcopy(form)) == repr(form)


def test_a_learning_rate_that_is_a_tensor_stays_learnable():
    lr = torch.tensor(0.3, dtype=torch.float64, requires_grad=True)
    scheduler = theirs.CosineAnnealingLR(
        torch.optim.SGD([torch.nn.Parameter(torch.ones(2))], lr=lr.detach().clone()), 20
    )
    scheduler.base_lrs = [lr]
    value = schedule.from_torch(scheduler)(torch.tensor(5))
    (gradient,) = torch.autograd.grad(value, lr)
    assert gradient.item() == pytest.approx((1 + math.cos(math.pi / 4)) / 2, rel=1e-14)


class Own(theirs.LambdaLR):
    """A scheduler that the library does not know."""


def sgd():
    return torch.optim.SGD([torch.nn.Parameter(torch.ones(2))], lr=0.3)


WRONG = {
    TypeError: [
        (theirs.ReduceLROnPlateau, {}, "ReduceLROnPlateau .* depends on a metric"),
        (lambda o: Own(o, decay), {}, "a Own cannot be a schedule: write"),
        (lambda o: 0.3, {}, "a float cannot be a schedule"),
        (chained(lambda o: SWALR(o, 0.1)), {}, "a ChainedScheduler of SWALR cannot be a schedule:"),
        (chained(lambda o: Own(o, decay)), {}, "a Own cannot be a schedule"),
    ],
    ValueError: [
        (TABLES["LambdaLR, table"], {"steps": 0}, "`steps` is 0: use a number of steps"),
        (
            lambda o: theirs.MultiplicativeLR(o, wave),
            {},
            "a MultiplicativeLR has no closed form: pass `steps`",
        ),
        (
            chained(lambda o: theirs.CosineAnnealingLR(o, 9)),
            {},
            "a ChainedScheduler of CosineAnnealingLR has no closed form: pass `steps`",
        ),
        (linear, {"group": 1}, "`group` is 1, but the optimizer has 1 parameter groups"),
        (
            lambda o: linear(optimizer_of_two_groups()),
            {},
            "the optimizer has 2 parameter groups: pass `group`",
        ),
    ],
}


@pytest.mark.parametrize(("make", "arguments", "error", "words"), by_error(WRONG))
def test_what_cannot_be_a_schedule_is_an_error(make, arguments, error, words):
    scheduler = make(sgd())
    with pytest.raises(error, match=words):
        schedule.from_torch(scheduler, **arguments)

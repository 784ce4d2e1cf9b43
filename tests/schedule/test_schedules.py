"""`torchopt.schedule` against formulas written here, Optax's stored numbers, and `torch.optim`."""

import importlib.util
import json
import math
import pickle
from pathlib import Path

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import torchopt
from _cases import covering
from _public import POLICIES, exported
from torchopt import schedule
from torchopt.schedule import (
    exponential_decay_schedule,
    inverse_sqrt_schedule,
    linear_schedule,
    polynomial_schedule,
    warmup_stable_decay_schedule,
)

REFERENCE = Path(__file__).parents[1] / "reference"
_SPEC = importlib.util.spec_from_file_location("make_schedules", REFERENCE / "make_schedules.py")
MAKER = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(MAKER)
STORED = json.loads((REFERENCE / "schedules.json").read_text())["results"]
OPTAX = {name: MAKER.build(schedule, *case) for name, case in MAKER.CASES.items()}


settled = settings(deadline=None, derandomize=True)
finite = st.floats(-10, 10, allow_subnormal=False)
counts = st.integers(0, 60)
lengths = st.integers(1, 25)
begins = st.integers(0, 15)


def test_both_ends_of_a_polynomial_schedule_are_exact():
    # 0.1 - 0.3 + 0.3 is not 0.1 in floating point.
    schedule = polynomial_schedule(0.1, 0.3, 1.7, 5, 2)
    assert [schedule(count) for count in (0, 2, 7, 100)] == [0.1, 0.1, 0.3, 0.3]


def test_growth_beyond_the_floats_stops_at_its_bound():
    assert exponential_decay_schedule(1.0, 2.0, end_value=3.0)(100_000) == 3.0
    assert exponential_decay_schedule(1.0, 2.0)(100_000) == math.inf


LEARNED = {
    "constant_schedule": lambda a: schedule.constant_schedule(a),
    "linear_schedule": lambda a, b, n, m: linear_schedule(a, b, n, m),
    "polynomial_schedule": lambda a, b, n, m, p: polynomial_schedule(a, b, p, n, m),
    "exponential_decay_schedule": lambda a, b, n, m: exponential_decay_schedule(
        a, b, transition_begin=m, transition_steps=n
    ),
    "cosine_decay_schedule": lambda a, b, n, m, p: schedule.cosine_decay_schedule(
        a, n, alpha=b, exponent=p
    ),
    "warmup_constant_schedule": lambda a, b, n: schedule.warmup_constant_schedule(
        a, b, warmup_steps=n
    ),
    "warmup_cosine_decay_schedule": lambda a, b, n, m, p, e: schedule.warmup_cosine_decay_schedule(
        a, b, warmup_steps=m, decay_steps=n, end_value=e, exponent=p
    ),
    "warmup_exponential_decay_schedule": (
        lambda a, b, n, m, p, e: schedule.warmup_exponential_decay_schedule(
            a, b, warmup_steps=m, transition_steps=n, decay_rate=e
        )
    ),
    "warmup_stable_decay_schedule": lambda a, b, n, m, p, e: warmup_stable_decay_schedule(
        a, b, warmup_steps=m, stable_steps=1.7 * m, decay_steps=n, end_value=e, decay_type="1-sqrt"
    ),
    "inverse_sqrt_schedule": lambda a, b, n, m: inverse_sqrt_schedule(
        a, b, warmup_steps=m, timescale=n
    ),
    "piecewise_constant_schedule": lambda a, b, n, m: schedule.piecewise_constant_schedule(
        a, {3: b, 8: m}
    ),
    "piecewise_interpolate_schedule": lambda a, b, n, m: schedule.piecewise_interpolate_schedule(
        "cosine", a, boundaries_and_scales={m: b, n: 0.5}
    ),
    "linear_onecycle_schedule": lambda a, b, n, m, p, e: schedule.linear_onecycle_schedule(
        n, a, pct_start=0.3 * b, pct_final=0.7 * b, div_factor=m, final_div_factor=p
    ),
    "cosine_onecycle_schedule": lambda a, b, n, m, p, e: schedule.cosine_onecycle_schedule(
        n, a, pct_start=0.3 * b, div_factor=m, final_div_factor=p
    ),
    "sgdr_schedule": lambda a, b, n, m, p, e: schedule.sgdr_schedule(
        [
            {"init_value": a, "peak_value": b, "warmup_steps": m, "decay_steps": 0.6 * n},
            {"init_value": e, "peak_value": b, "warmup_steps": 0, "decay_steps": n},
        ]
    ),
    "table_schedule": lambda a, b, n, m: schedule.table_schedule([a, b, n, m] * 16),
    "join_schedules": lambda a, b, n, m: schedule.join_schedules(
        [linear_schedule(a, b, n), exponential_decay_schedule(a, b)], [m]
    ),
}
VALUES = (0.9, 1.13, 11.3, 2.6, 1.7, 0.37)
SCHEDULES = {
    **{f"{MAKER.CASES[name][0]}, {name}": made for name, made in OPTAX.items()},
    **{
        f"{name}, learned": made(*VALUES[: made.__code__.co_argcount])
        for name, made in LEARNED.items()
    },
}


def test_every_schedule_of_the_package_is_in_the_list():
    named = set(exported(schedule, "Schedule"))
    optax = {"exponential_decay": "exponential_decay_schedule"}
    known = [name.partition(", ")[0] for name in SCHEDULES]
    assert {optax.get(name, name) for name in known} | {"from_torch"} == named
    assert {name for name in named if not name.endswith("_schedule")} == {
        *("from_torch", "join_schedules")
    }


@pytest.mark.parametrize("case", STORED)
def test_values_equal_those_of_optax(case):
    for count, truth in zip(MAKER.COUNTS, STORED[case], strict=True):
        for now in (count, torch.tensor(count)):
            assert float(OPTAX[case](now)) == pytest.approx(truth, rel=1e-12, abs=1e-15)


def test_every_case_of_optax_is_stored():
    assert STORED.keys() == OPTAX.keys()


each_schedule = pytest.mark.parametrize("schedule", SCHEDULES.values(), ids=SCHEDULES.keys())


@each_schedule
def test_a_number_gives_a_float(schedule):
    assert all(type(schedule(count)) is float for count in (0, 3, 4.5, 30))


@each_schedule
@pytest.mark.parametrize("dtype", [torch.int32, torch.int64, torch.float32])
def test_a_tensor_gives_a_scalar_float64_tensor(schedule, dtype):
    for count in (0, 4, 30):
        value = schedule(torch.tensor(count, dtype=dtype))
        assert (value.dtype, value.shape) == (torch.float64, ())
        assert value.item() == pytest.approx(schedule(count), rel=1e-14)


@each_schedule
def test_counts_can_be_vmapped(schedule):
    values = torch.func.vmap(schedule)(torch.arange(20))
    truth = torch.tensor([schedule(count) for count in range(20)], dtype=torch.float64)
    torch.testing.assert_close(values, truth, rtol=1e-13, atol=0)


@pytest.mark.slow
@pytest.mark.compiled
def test_schedules_compile_into_one_graph():
    def values(count):
        return {name: schedule(count) for name, schedule in SCHEDULES.items()}

    torch.compiler.reset()
    compiled = torch.compile(values, fullgraph=True, backend="eager")
    for count in (0, 5, 40):
        count = torch.tensor(count)
        torch.testing.assert_close(compiled(count), values(count), rtol=1e-14, atol=0)


@each_schedule
def test_a_pickled_schedule_gives_the_same_values(schedule):
    again = pickle.loads(pickle.dumps(schedule))
    assert [again(count) for count in range(20)] == [schedule(count) for count in range(20)]


@pytest.mark.parametrize("decay", ["linear", "cosine", "1-sqrt"])
@settled
@given(counts, finite, finite, finite, lengths, begins, lengths)
def test_warmup_stable_decay_equals_the_formula(decay, count, init, peak, end, warm, stable, steps):
    done = min(max((count - warm - stable) / steps, 0), 1)
    weight = {
        "linear": 1 - done,
        "cosine": (1 + math.cos(math.pi * done)) / 2,
        "1-sqrt": 1 - math.sqrt(done),
    }[decay]
    truth = end + (peak - end) * weight if count >= warm else init + (peak - init) * count / warm
    made = warmup_stable_decay_schedule(
        init,
        peak,
        warmup_steps=warm,
        stable_steps=stable,
        decay_steps=steps,
        end_value=end,
        decay_type=decay,
    )
    assert made(count) == pytest.approx(truth, rel=1e-12, abs=1e-12)


@settled
@given(counts, finite, finite, begins, st.none() | st.floats(1, 30))
def test_inverse_sqrt_equals_the_formula(count, init, peak, warm, timescale):
    scale = timescale or warm or 10_000
    shift = scale - warm
    truth = peak / math.sqrt((count + shift) / scale)
    truth = truth if count >= warm else init + (peak - init) * count / warm
    made = inverse_sqrt_schedule(init, peak, warmup_steps=warm, timescale=timescale)
    assert made(count) == pytest.approx(truth, rel=1e-12, abs=1e-12)


def tensors(*values):
    return tuple(torch.tensor(v, dtype=torch.float64, requires_grad=True) for v in values)


def test_every_schedule_is_learned():
    assert {*LEARNED, "from_torch"} == set(exported(schedule, "Schedule"))


@pytest.mark.parametrize(
    ("name", "count"), covering([*LEARNED], [0, 1, 9, torch.tensor(4), torch.tensor(30)])
)
def test_all_arguments_and_lengths_are_learnable(name, count):
    values = tensors(*VALUES)
    made = LEARNED[name]
    values = values[: made.__code__.co_argcount]
    truth = made(*(v.item() for v in values))(count)
    if "onecycle" not in name:  # whose numbers are rounded to whole steps
        assert made(*values)(count).item() == pytest.approx(float(truth), rel=1e-13)
    assert torch.autograd.gradcheck(lambda *values: made(*values)(count), values)
    assert torch.autograd.gradgradcheck(lambda *values: made(*values)(count), values)
    batch = [torch.stack((v, 1.1 * v)).detach() for v in values]
    found = torch.func.vmap(lambda *values: made(*values)(count))(*batch)
    for index in range(2):
        alone = made(*(v[index] for v in batch))(count)
        torch.testing.assert_close(found[index], alone, rtol=1e-13, atol=1e-15)


def test_a_part_leaves_no_trace_in_derivatives_elsewhere():
    (rate,) = tensors(2.0)
    joined = schedule.join_schedules(
        [exponential_decay_schedule(1.0, rate), lambda count: 3.0 * rate * (count + 1.0) ** -0.5],
        [3],
    )
    value = joined(torch.tensor(5_000))
    assert torch.autograd.grad(value, rate)[0].item() == pytest.approx(3 / math.sqrt(4_998))
    assert torch.autograd.grad(joined(torch.tensor(2)), rate)[0].item() == pytest.approx(4.0)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: linear_schedule(1.0, 0.0, 0), "`transition_steps` is 0: use a positive number"),
        (lambda: linear_schedule(1.0, 0.0, 5, -1), "`transition_begin` is -1"),
        (lambda: linear_schedule(math.nan, 0.0, 5), "`init_value` is nan"),
        (lambda: linear_schedule(1.0, "zero", 5), "`end_value` is 'zero'"),
        (lambda: linear_schedule(1.0, 0.0, math.inf), "`transition_steps` is inf"),
        (lambda: polynomial_schedule(1.0, 0.0, 0, 5), "`power` is 0: use a positive number"),
        (lambda: polynomial_schedule(1.0, 0.0, None, 5), "`power` is None"),
        (
            lambda: exponential_decay_schedule(1.0, 0.0),
            "`decay_rate` is 0.0: use a positive number",
        ),
        (lambda: exponential_decay_schedule(1.0, -0.5), "`decay_rate` is -0.5"),
        (
            lambda: exponential_decay_schedule(1.0, 0.5, transition_steps=-2),
            "`transition_steps` is -2",
        ),
        (
            lambda: exponential_decay_schedule(1.0, 0.5, transition_begin=-2),
            "`transition_begin` is -2",
        ),
        (lambda: exponential_decay_schedule(1.0, 0.5, end_value=math.inf), "`end_value` is inf"),
        (lambda: schedule.constant_schedule(math.nan), "`value` is nan"),
        (lambda: schedule.cosine_decay_schedule(1.0, 0), "`decay_steps` is 0"),
        (
            lambda: schedule.warmup_constant_schedule(0.0, 1.0, warmup_steps=-1),
            "`warmup_steps` is -1",
        ),
        (
            lambda: schedule.warmup_cosine_decay_schedule(0.0, 1.0, warmup_steps=9, decay_steps=9),
            "`decay_steps - warmup_steps` is 0: use a positive number",
        ),
        (lambda: schedule.join_schedules([], []), "0 `schedules` and 0 `boundaries`"),
        (
            lambda: schedule.join_schedules([schedule.constant_schedule(1.0)] * 3, [5, 2]),
            r"`boundaries` are \(5, 2\), but they must be in increasing order",
        ),
        (lambda: schedule.sgdr_schedule([]), "`cosine_kwargs` is empty"),
        (
            lambda: schedule.piecewise_constant_schedule(1.0, {3: -2.0}),
            r"`boundaries_and_scales\[3\]` is -2.0: use a number that is not negative",
        ),
        (
            lambda: schedule.piecewise_interpolate_schedule(
                "cubic", 1.0, boundaries_and_scales={3: 2.0}
            ),
            r"`interpolate_type` is 'cubic': use one of 'linear', 'cosine'",
        ),
        (
            lambda: warmup_stable_decay_schedule(
                0, 1, warmup_steps=1, stable_steps=1, decay_steps=1, end_value=0, decay_type="cubic"
            ),
            "`decay_type` is 'cubic'",
        ),
        (lambda: inverse_sqrt_schedule(0, 1, warmup_steps=1, timescale=0), "`timescale` is 0"),
    ],
)
def test_a_bad_argument_is_a_value_error_when_the_schedule_is_made(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_boundaries_without_scales_are_refused() -> None:
    with pytest.raises(TypeError, match="`boundaries_and_scales` is an object of type list: pass"):
        schedule.piecewise_constant_schedule(0.1, [5])


RATES = [0.3 + 0.01 * k for k in range(7)]


@pytest.mark.parametrize(
    "form", [list, tuple, torch.tensor, lambda r: [torch.tensor(x) for x in r]]
)
@pytest.mark.parametrize("count", [0, 6, 3.7, torch.tensor(6), torch.tensor(3.7)])
def test_a_table_has_a_rate_for_each_step(form, count):
    assert float(schedule.table_schedule(form(RATES))(count)) == pytest.approx(RATES[int(count)])


@pytest.mark.parametrize("first", [torch.tensor(1), torch.tensor(1.0, dtype=torch.float16)])
def test_the_dtype_of_one_rate_of_a_table_does_not_round_another(first):
    assert float(schedule.table_schedule([first, 0.1234567])(1)) == 0.1234567


@pytest.mark.parametrize("count", [7, -1, torch.tensor(7), torch.tensor(7.0, dtype=torch.float64)])
def test_a_step_beyond_a_table_says_so(count):
    made = schedule.table_schedule(torch.tensor(RATES))
    with pytest.raises(ValueError, match=r"for 7 steps, the last for step 6, but step (7|-1) was"):
        made(count)
    # Where no number may be read, the value is NaN, and so is every loss after it.
    assert torch.func.vmap(made)(torch.tensor([6, count])).isnan().tolist() == [False, True]


@pytest.mark.parametrize(
    ("rates", "message"),
    [
        ([], r"`rates` is \(\): use one dimension, with a value for each step"),
        (torch.ones(0), r"`rates` has shape \(0,\)"),
        (torch.ones(1, 500), r"`rates` has shape \(1, 500\): use one dimension"),
        (torch.tensor(0.1), r"`rates` is tensor\(0.1000\)"),
        ([0.1, math.nan], r"`rates\[1\]` is nan"),
        ([0.1, "0.2"], r"`rates\[1\]` is '0.2'"),
        (torch.tensor([0.1, math.nan], requires_grad=True), r"`rates\[1\]` is nan"),
        ([0.1, torch.tensor(math.inf)], r"`rates\[1\]` is inf"),
        (torch.tensor([0.1, 2j]), r"`rates\[0\]` is \(0.1.*: use a finite number or a real tensor"),
        ([0.1, torch.tensor(2j)], r"`rates\[1\]` is tensor"),
        (0.1, "`rates` is an object of type float: use one dimension"),
    ],
)
def test_a_table_that_is_none_is_refused(rates, message):
    with pytest.raises((TypeError, ValueError), match=message):
        schedule.table_schedule(rates)


def test_a_table_may_be_a_part_of_a_joined_schedule():
    parts = [
        linear_schedule(0.0, 0.3, 2),
        schedule.table_schedule(RATES[:3]),
        schedule.table_schedule(RATES[3:5]),
    ]
    joined = schedule.join_schedules(parts, [2, 5])
    truth = [0.0, 0.15, *RATES[:5]]
    for kind in (int, torch.tensor):
        assert [float(joined(kind(count))) for count in range(7)] == pytest.approx(truth)


@pytest.mark.parametrize("policy", [None, *POLICIES])
@pytest.mark.parametrize("optimizer", [torchopt.sgd, torchopt.adam])
def test_learned_tables_have_the_gradient_of_an_unrolled_loop(policy, optimizer):
    steps, grain = 5, torch.tensor([0.7, -1.3], dtype=torch.float64)

    def loss(x):
        return (x - grain).square().sum() + x.prod().square()

    def end(rates):
        # Independently of tables: a new optimizer for each step, with a number of its own.
        x, state = grain.flip(0), optimizer(0.1).init(grain)
        for rate in rates:
            tx = optimizer(rate)
            updates, state = tx.update(torch.func.grad(loss)(x), state, params=x, inplace=False)
            x = x + updates
        return loss(x)

    (rates,) = tensors(RATES[:steps])
    more = {} if policy is None else {"diff": POLICIES[policy]}
    solver = optimizer(schedule.table_schedule(rates))
    x = torchopt.minimize(loss, grain.flip(0), solver=solver, steps=steps, **more).params
    (found,) = torch.autograd.grad(loss(x), rates)
    (truth,) = torch.autograd.grad(end(rates.unbind()), rates)
    torch.testing.assert_close(found, truth, rtol=1e-10, atol=1e-12)

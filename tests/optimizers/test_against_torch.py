"""Every optimizer gives the numbers of its twin in ``torch.optim``, or of its published formula."""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import test_against_peers
import torch

import torchopt
from _cases import covering
from _trees import SHAPES, generator, random_like, random_params
from torchopt import schedule

STEPS = 30


def assert_same(actual: dict[str, Any], expected: dict[str, Any]) -> None:
    assert actual.keys() == expected.keys()
    for name, value in expected.items():
        torch.testing.assert_close(
            actual[name].detach(),
            value.detach(),
            rtol=1e-12,
            atol=1e-14,
            msg=lambda m, n=name: f"{n}: {m}",
        )


def draw_gradients(params: dict[str, Any], *, missing: bool, seed: int = 7) -> list[dict[str, Any]]:
    """Return the gradients of all steps; with ``missing``, each leaf lacks its own in some steps."""
    gen = generator(seed)
    steps = []
    for step in range(STEPS):
        grads = random_like(gen, params)
        if missing:
            # The first leaf has none at first, the second none later, the third every other step.
            for index, absent in enumerate((step < 3, 12 <= step < 18, step % 2 == 1)):
                if absent:
                    grads[list(grads)[index]] = None
        steps.append(grads)
    return steps


@contextmanager
def doubles() -> Iterator[None]:
    """NAdam and ASGD of ``torch.optim`` keep scalars in the default dtype."""
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        yield
    finally:
        torch.set_default_dtype(before)


@doubles()
def run_torch(
    make: Callable[..., Any],
    params: dict[str, Any],
    gradients: list[dict[str, Any]],
    make_scheduler: Callable[[Any], Any] | None = None,
    **options: Any,
) -> dict[str, Any]:
    twins = {name: p.clone().requires_grad_() for name, p in params.items()}
    optimizer = make(list(twins.values()), **options)
    scheduler = make_scheduler(optimizer) if make_scheduler else None
    for grads in gradients:
        for name, p in twins.items():
            p.grad = None if grads[name] is None else grads[name].clone()
        optimizer.step()
        if scheduler is not None:
            scheduler.step()
    return twins


def run_functional(
    tx: Any, params: dict[str, Any], gradients: list[dict[str, Any]], *, inplace: bool
) -> dict[str, Any]:
    params = {name: p.clone() for name, p in params.items()}
    state = tx.init(params)
    for grads in gradients:
        updates, state = tx.update(grads, state, params=params, inplace=inplace)
        params = torchopt.apply_updates(params, updates, inplace=inplace)
    return params


_DECAY = {"lr": 0.03, "weight_decay": 0.1}
_ASCENT = {**_DECAY, "maximize": True}
_HALF = {"ns_dtype": torch.bfloat16}
#: The options of each class, which have the same names in the function and in ``torch.optim``.
OPTIONS: dict[str, list[dict[str, Any]]] = {
    "SGD": [
        {"lr": 0.03},
        _DECAY,
        _ASCENT,
        {"lr": 0.03, "momentum": 0.9},
        {"lr": 0.03, "momentum": 0.9, "dampening": 0.4},
        {**_ASCENT, "momentum": 0.9, "dampening": 0.4},
        {"lr": 0.03, "momentum": 0.9, "nesterov": True},
        {**_ASCENT, "momentum": 0.9, "nesterov": True},
    ],
    "Adam": [
        {},
        {"lr": 0.03, "betas": (0.8, 0.95), "eps": 1e-5},
        {"lr": 0.03, "betas": (0.0, 0.0)},
        _DECAY,
        {"lr": 0.03, "amsgrad": True},
        {**_ASCENT, "betas": (0.8, 0.6), "amsgrad": True},
        {"lr": 0.03, "maximize": True},
    ],
    "AdamW": [
        {},
        {"lr": 0.03, "betas": (0.8, 0.95), "eps": 1e-5, "weight_decay": 0.3},
        {"lr": 0.03, "weight_decay": 0.0},
        {"lr": 0.03, "betas": (0.8, 0.6), "amsgrad": True, "weight_decay": 0.3},
        _ASCENT,
    ],
    "RMSprop": [
        {},
        {**_DECAY, "alpha": 0.9, "eps": 1e-5},
        {"lr": 0.03, "momentum": 0.9},
        {"lr": 0.03, "centered": True},
        {**_ASCENT, "centered": True, "momentum": 0.9},
        {"lr": 0.03, "maximize": True},
    ],
    "Adagrad": [
        {},
        {"lr": 0.3, "lr_decay": 0.1},
        {"lr": 0.3, "initial_accumulator_value": 0.7, "eps": 1e-5},
        {**_DECAY, "lr_decay": 0.1, "initial_accumulator_value": 0.7},
        {**_ASCENT, "lr_decay": 0.1},
    ],
    "Adadelta": [{"lr": 1.0}, {"lr": 0.3, "rho": 0.7, "eps": 1e-4}, _DECAY, _ASCENT],
    "Adamax": [
        {"lr": 0.002, "eps": 1e-8},
        {"lr": 0.03, "betas": (0.8, 0.6), "eps": 1e-3},
        {**_DECAY, "eps": 1e-8},
        {**_ASCENT, "eps": 1e-8},
    ],
    "RAdam": [
        {"lr": 0.001, "eps": 1e-8},
        {"lr": 0.03, "betas": (0.8, 0.95), "eps": 1e-3},
        # The variance of such a short memory is never rectified.
        {"lr": 0.03, "betas": (0.8, 0.6), "eps": 1e-3},
        {**_DECAY, "eps": 1e-8},
        {**_ASCENT, "eps": 1e-8},
    ],
    "NAdam": [
        {},
        {"lr": 0.03, "betas": (0.8, 0.95), "eps": 1e-5, "momentum_decay": 0.3},
        {"lr": 0.03, "momentum_decay": 0.0, "maximize": True},
        {**_ASCENT, "decoupled_weight_decay": True},
        _DECAY,
    ],
    "NAdamW": [{"lr": 0.03, "weight_decay": 0.3, "momentum_decay": 0.1}],
    "ASGD": [{}, {"lr": 0.03, "lambd": 0.1, "alpha": 0.6, "t0": 4.0}, {**_ASCENT, "lambd": 0.1}],
    "Rprop": [
        {},
        {"lr": 0.3, "maximize": True},
        {"lr": 0.03, "etas": (0.6, 1.4), "step_sizes": (0.01, 0.3)},
    ],
    "Adafactor": [
        {},
        {"lr": 0.3, "beta2_decay": -0.6, "eps": (1e-4, 0.5), "d": 1.2},
        _DECAY,
        _ASCENT,
    ],
    "Muon": [
        {},
        {"lr": 0.03, "momentum": 0.8, "nesterov": False, "weight_decay": 0.3},
        {"lr": 0.03, "ns_coefficients": (1.5, -0.5, 0.0), "ns_steps": 7, "eps": 1e-3},
        {"lr": 0.03, "adjust_lr_fn": "match_rms_adamw"},
        {"lr": 0.03, "adjust_lr_fn": "original", "weight_decay": 0.0},
    ],
}


def ours(name: str) -> Any:
    """Return our function or class; Muon as in PyTorch, which rounds to bfloat16."""
    made = getattr(torchopt.optim if name[0].isupper() else torchopt.optimizers, name)
    return functools.partial(made, **_HALF) if name.lower() == "muon" else made


def theirs(name: str) -> Any:
    """Return the class of ``torch.optim``."""
    if name == "NAdamW":
        return functools.partial(torch.optim.NAdam, decoupled_weight_decay=True)
    return getattr(torch.optim, name)


#: Name, our function, our class, its torch twin, options.
TWINS = [
    (name.lower(), ours(name.lower()), ours(name), theirs(name), options)
    for name, every in OPTIONS.items()
    for options in every
]
#: The shapes of parameters that an optimizer takes, if not all.
MATRICES = {"row": (1, 3), "tall": (4, 3), "wide": (2, 5)}
#: Optimizers of whole leaves, whose hyperparameters have no value for each element.
WHOLE = {"adafactor", "muon"}


def draw_params(twin: tuple[Any, ...], seed: int) -> dict[str, Any]:
    """Return parameters that an optimizer takes."""
    return random_params(generator(seed), MATRICES if twin[0] == "muon" else SHAPES)


def _twin_id(twin: tuple[Any, ...]) -> str:
    return "-".join([twin[0], *(f"{k}={v}" for k, v in twin[4].items())]).replace(" ", "")


NAMES = [*dict.fromkeys(name for name, *_ in TWINS)]


def late(rate: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return a schedule one step late, as ``torch.optim.ASGD`` reads its learning rate."""
    return lambda count: rate((count - 1).clamp(min=0))


LAST = {name: next(t for t in TWINS[::-1] if t[0] == name) for name in NAMES}
every_name = pytest.mark.parametrize("twin", LAST.values(), ids=_twin_id)


@pytest.mark.parametrize(
    ("twin", "way"),
    [
        case
        for case in covering(TWINS, ["all-gradients-inplace", "missing-gradients"])
        if not case.marks or case.values[0] is LAST[case.values[0][0]]
    ],
    ids=lambda x: x if isinstance(x, str) else _twin_id(x),
)
def test_function_equals_torch_optim_after_many_steps(twin: tuple[Any, ...], way: str) -> None:
    missing = way == "missing-gradients"
    _, function, _, reference, options = twin
    params = draw_params(twin, 1)
    gradients = draw_gradients(params, missing=missing)
    expected = run_torch(reference, params, gradients, **options)
    found = run_functional(function(**options), params, gradients, inplace=not missing)
    assert_same(found, expected)


@every_name
def test_gradients_and_parameters_of_any_size_give_the_numbers_of_torch_optim(
    twin: tuple[Any, ...],
) -> None:
    _, function, _, reference, options = twin
    for of_params, of_gradients in (
        (1, 1e-30),
        (1, 1e-8),
        (1, 1e8),
        (1, 1e30),
        (1e-30, 1),
        (1e30, 1),
    ):
        params = {k: of_params * p for k, p in draw_params(twin, 1).items()}
        gradients = [
            {k: of_gradients * g for k, g in grads.items()}
            for grads in draw_gradients(params, missing=False)[:4]
        ]
        found = run_functional(function(**options), params, gradients, inplace=False)
        expected = run_torch(reference, params, gradients, **options)
        for name, p in params.items():
            # What has been added to the parameter, to the rounding errors of the sum.
            size = float(max(p.abs().max(), (expected[name] - p).detach().abs().max()))
            moved = [(x[name] - p).detach() for x in (found, expected)]
            torch.testing.assert_close(*moved, rtol=1e-12, atol=1e-15 * size)


SCHEDULES = {
    "linear": (
        lambda lr: schedule.linear_schedule(lr, 0.25 * lr, transition_steps=18),
        lambda opt: torch.optim.lr_scheduler.LinearLR(opt, 1.0, 0.25, total_iters=18),
    ),
    "own": (
        lambda lr: lambda count: lr / (1 + 0.1 * count),
        lambda opt: torch.optim.lr_scheduler.LambdaLR(opt, lambda count: 1 / (1 + 0.1 * count)),
    ),
    "branching": (
        lambda lr: lambda count: lr if count < 9 else 0.1 * lr,
        lambda opt: torch.optim.lr_scheduler.MultiStepLR(opt, [9], gamma=0.1),
    ),
}


@pytest.mark.parametrize(
    # Rprop reads its learning rate once.
    ("twin", "kind"),
    covering([twin for name, twin in LAST.items() if name != "rprop"], [*SCHEDULES]),
    ids=lambda x: x if isinstance(x, str) else _twin_id(x),
)
def test_learning_rate_schedule_equals_torch_lr_scheduler(twin: tuple[Any, ...], kind: str) -> None:
    _, function, cls, reference, options = twin
    ours, theirs = SCHEDULES[kind]
    params = random_params(generator(5), {"matrix": (3, 2), "scalar": ()})
    if twin[0] == "muon":
        del params["scalar"]
    gradients = draw_gradients(params, missing=False)
    expected = run_torch(reference, params, gradients, theirs, **options)
    rate = ours(options["lr"])
    options = {**options, "lr": late(rate) if function is torchopt.optimizers.asgd else rate}
    assert_same(run_functional(function(**options), params, gradients, inplace=False), expected)
    if kind == "linear":
        assert_same(run_torch(cls, params, gradients, **options), expected)


@every_name
def test_tensor_hyperparameters_give_the_numbers_of_floats(twin: tuple[Any, ...]) -> None:
    _, function, _, reference, options = twin
    params = draw_params(twin, 6)
    gradients = draw_gradients(params, missing=True)

    def as_tensor(value: Any) -> Any:
        if isinstance(value, tuple):
            return tuple(map(as_tensor, value))
        return torch.tensor(value, dtype=torch.float64) if type(value) is float else value

    def per_element(value: Any) -> Any:
        if isinstance(value, tuple):
            return tuple(map(per_element, value))
        if type(value) is not float:
            return value
        if twin[0] in WHOLE:
            return {name: torch.tensor(value, dtype=torch.float64) for name in params}
        return {name: torch.full_like(p, value) for name, p in params.items()}

    expected = run_torch(reference, params, gradients, **options)
    # What fills the initial state is a number or a tensor for all leaves.
    fixed = {k: v for k, v in options.items() if k == "initial_accumulator_value"}
    for convert in (as_tensor, per_element):
        tx = function(**{**{k: convert(v) for k, v in options.items()}, **fixed})
        assert_same(run_functional(tx, params, gradients, inplace=False), expected)


def by_adam(
    p: Any,
    grads: Any,
    *,
    eps_root: float = 1e-3,
    l2: float = 0.0,
    decay: Any = 0.0,
    amsgrad: bool = False,
    sign: float = 1.0,
) -> Any:
    """AdamW; the root is that of TorchOpt, and AMSGrad that of PyTorch."""
    m = v = largest = 0 * p
    for t, g in enumerate(grads, start=1):
        g = sign * g + l2 * p
        m, v = 0.8 * m + 0.2 * g, 0.95 * v + 0.05 * g * g
        largest = torch.maximum(largest, v)
        v_hat = (largest if amsgrad else v) / (1 - 0.95**t)
        p = p - 0.03 * (m / (1 - 0.8**t) / ((v_hat + eps_root).sqrt() + 1e-6) + decay * p)
    return p


def by_rmsprop(
    p: Any,
    grads: Any,
    *,
    momentum: float = 0.0,
    centered: bool = False,
    l2: float = 0.0,
    sign: float = 1.0,
) -> Any:
    """Tieleman and Hinton; centered as Graves 2013; Nesterov's momentum after the division (Optax)."""
    nu, mean, buffer = 0 * p + 1.5, 0 * p, 0 * p
    for g in grads:
        g = sign * g + l2 * p
        nu, mean = 0.9 * nu + 0.1 * g * g, 0.9 * mean + 0.1 * g
        u = g / ((nu - mean * mean if centered else nu).sqrt() + 1e-6)
        buffer = momentum * buffer + u
        p = p - 0.02 * (u + momentum * buffer)
    return p


_ADAM = {"lr": 0.03, "betas": (0.8, 0.95), "eps": 1e-6, "eps_root": 1e-3}
_RMS = {"lr": 0.02, "alpha": 0.9, "eps": 1e-6, "initial_scale": 1.5}
_NESTEROV = {**_RMS, "momentum": 0.7, "nesterov": True}
_MASK = {"matrix": True, "scalar": False, "single": False, "tensor": True, "vector": False}
#: Options that ``torch.optim`` lacks, and what the formula has for them.
FORMULAS: dict[str, tuple[Any, Any, dict[str, Any]]] = {
    "adam": (torchopt.adam(**_ADAM), by_adam, {}),
    "adam-l2": (torchopt.adam(**_ADAM, weight_decay=0.1), by_adam, {"l2": 0.1}),
    "adam-amsgrad": (
        torchopt.adam(**_ADAM, amsgrad=True, maximize=True),
        by_adam,
        {"amsgrad": True, "sign": -1.0},
    ),
    "adamw": (torchopt.adamw(**_ADAM, weight_decay=0.1), by_adam, {"decay": 0.1}),
    "adamw-mask": (
        torchopt.adamw(**_ADAM, weight_decay=0.1, mask=_MASK),
        by_adam,
        {"decay": _MASK},
    ),
    "rmsprop": (torchopt.rmsprop(**_RMS), by_rmsprop, {}),
    "rmsprop-centered": (torchopt.rmsprop(**_RMS, centered=True), by_rmsprop, {"centered": True}),
    "rmsprop-nesterov": (
        torchopt.rmsprop(**_NESTEROV, weight_decay=0.1),
        by_rmsprop,
        {"momentum": 0.7, "l2": 0.1},
    ),
    "rmsprop-nesterov-centered": (
        torchopt.rmsprop(**_NESTEROV, centered=True, maximize=True),
        by_rmsprop,
        {"momentum": 0.7, "centered": True, "sign": -1.0},
    ),
}


@pytest.mark.parametrize("case", FORMULAS)
def test_options_that_torch_lacks_equal_the_formula(case: str) -> None:
    tx, formula, options = FORMULAS[case]
    params = random_params(generator(11))
    gradients = draw_gradients(params, missing=False)
    masked = options.get("decay") is _MASK
    expected = {
        k: formula(
            p,
            [g[k] for g in gradients],
            **(options | {"decay": 0.1 * _MASK[k]} if masked else options),
        )
        for k, p in params.items()
    }
    for inplace in (False, True):
        assert_same(run_functional(tx, params, gradients, inplace=inplace), expected)


def test_every_optimizer_is_compared() -> None:
    peers = {name.partition("-")[0] for _, name in test_against_peers.CASES}
    compared = {name for name, *_ in TWINS} | {case.partition("-")[0] for case in FORMULAS} | peers
    assert compared >= set(torchopt.optimizers.__all__)


CLASSES = ("SGD", "Adam", "AdamW", "RMSprop", "Adagrad", "Adadelta", "Adamax", "RAdam")
CLASSES += ("NAdam", "ASGD", "Rprop")
CLASSES += ("Adafactor", "Muon", "LBFGS")


def defaults_of(function: Any) -> dict[str, str]:
    """Return the numeric defaults of a function or class, as the table writes them."""
    found = {}
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.default is inspect.Parameter.empty:
            found[name] = "required"
        elif type(parameter.default) in (int, float):
            found[name] = str(float(parameter.default))
    return found


def test_table_of_defaults_that_differ_from_those_of_torch_is_complete() -> None:
    page = (Path(__file__).parents[2] / "docs/api/optimizers.md").read_text()
    rows = re.findall(r"^\| `(\w+)`, `(\w+)` \| (\S+) \| (\S+) \| (\S+) \|$", page, re.MULTILINE)
    rows = [tuple(f"{x}.0" if x.isdigit() else x for x in row) for row in rows]
    found = []
    for name in CLASSES:
        ours, theirs = getattr(torchopt.optim, name), defaults_of(getattr(torch.optim, name))
        function, plain = defaults_of(getattr(torchopt.optimizers, name.lower())), defaults_of(ours)
        meta = defaults_of(getattr(torchopt.optim, f"Meta{name}", ours))
        for argument in theirs.keys() & function.keys():
            values = (function[argument], plain[argument], theirs[argument])
            assert meta[argument] == plain[argument]
            if values[0] != values[1]:  # each docstring has the other's default
                default = inspect.signature(ours).parameters[argument].default
                make = getattr(torchopt.optimizers, name.lower())
                assert f"``{argument}={default!r}``" in str(make.__doc__)
                assert f"{argument}={default!r}" in str(ours.__doc__)
            if len({*values}) > 1:
                found.append((name.lower(), argument, *values))
    assert sorted(rows) == sorted(found)

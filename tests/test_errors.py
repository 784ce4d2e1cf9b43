"""Wrong input is refused in one sentence that names the leaf, and nothing has changed."""

from __future__ import annotations

import inspect
import itertools
import math
from collections.abc import Callable
from typing import Any

import optree
import pytest
import torch

import _public
import torchopt
from _cases import diagonal
from _trees import (
    ALIASES,
    TRANSFORMS,
    Case,
    Pair,
    Record,
    assert_trees_equal,
    generator,
    leaves,
    random_like,
    random_params,
    random_tensor,
    snapshot,
)
from torchopt import transform

#: With a state for each leaf, or weight decay: they know the parameters.
STATEFUL = [
    case
    for case in TRANSFORMS + ALIASES
    if case.name.startswith(("scale_by_a", "scale_by_r", "scale_by_stddev", "trace"))
    or case in ALIASES
]
OPTIMIZERS = dict(_public.ALIASES)
OPTIMIZERS["sgd"] = lambda **o: torchopt.sgd(**{"lr": 0.1, **o})
SHAPES = {"b": (), "w": (2, 3)}
#: Their learning rate fills the state: `init` refuses what does not fit.
LR_FILLS_STATE = {"cocob", "rprop"}


def named(x: Any) -> Any:
    """Return what stands for an argument in the name of a test; none for those that pytest names."""
    return x.name if isinstance(x, Case) else None


def takes(name: str, option: str) -> bool:
    """Whether an optimizer has an argument."""
    return option in inspect.signature(getattr(torchopt.optimizers, name)).parameters


DECAYING = [name for name in OPTIMIZERS if takes(name, "weight_decay")]


def sentence(caught: pytest.ExceptionInfo[BaseException]) -> str:
    """Return the message, which must be one plain sentence (a colon or a semicolon may join)."""
    text = str(caught.value)
    assert 0 < len(text) < 400, text
    assert "\n" not in text, text
    assert ". " not in text, text
    assert text.endswith("."), text
    return text


def refused(call: Callable[[], Any], kind: type[Exception], *words: str, unchanged: Any) -> None:
    """Check the refusal, its words, and that these trees are bitwise what they were."""
    before = snapshot(unchanged)
    with pytest.raises(kind) as caught:
        call()
    text = sentence(caught)
    for word in words:
        assert word in text, text
    assert_trees_equal(unchanged, before)


def started(tx: Any, params: Any, seed: int = 1) -> Any:
    """Return the state after one step."""
    grads = random_like(generator(seed), params)
    return tx.update(grads, tx.init(params), params=params, inplace=False)[1]


# --- trees that changed between steps -------------------------------------------------------------


@pytest.mark.parametrize(("case", "inplace"), diagonal(STATEFUL, [False, True]), ids=named)
def test_changed_shape_is_refused_with_path_and_both_shapes(case: Case, inplace: bool) -> None:
    params = random_params(generator(1), SHAPES)
    tx = case.build()
    state = started(tx, params)
    grads = {"b": params["b"], "w": random_tensor(generator(2), (3, 2))}
    refused(
        lambda: torchopt.apply_updates(
            params, tx.update(grads, state, params=params, inplace=inplace)[0]
        ),
        ValueError,
        "['w']",
        "(1, 3)" if case.name == "galore" else "(2, 3)",  # of a projection on one row
        "(3, 2)" if "decay" not in case.name else "",
        unchanged=(params, grads, state),
    )


@pytest.mark.parametrize(("case", "inplace"), diagonal(STATEFUL, [False, True]), ids=named)
def test_changed_structure_is_refused_with_path(case: Case, inplace: bool) -> None:
    params = random_params(generator(1), SHAPES)
    tx = case.build()
    state = started(tx, params)
    extra = {**params, "new": random_tensor(generator(2), (2,))}
    missing = {"b": params["b"]}
    for grads, path in ((extra, "['new']"), (missing, "['w']")):
        refused(
            lambda g=grads: torchopt.apply_updates(
                params, tx.update(g, state, params=params, inplace=inplace)[0]
            ),
            ValueError,
            path,
            unchanged=(params, grads, state),
        )


@pytest.mark.parametrize(
    ("wrap", "path"),
    [
        (lambda x: {"net": [{"w": x}]}, "['net'][0]['w']"),
        (lambda x: (None, [x]), "[1][0]"),
        (lambda x: Pair(None, x), ".right"),
        (lambda x: Record(weight=x, bias=None), ".weight"),
    ],
    ids=["dict", "tuple", "namedtuple", "dataclass"],
)
def test_path_is_python_source_in_every_container(wrap: Any, path: str) -> None:
    tx = transform.scale_by_adam()
    params = wrap(random_tensor(generator(1), (2, 3)))
    state = tx.init(params)
    wrong = wrap(random_tensor(generator(1), (4,)))
    refused(
        lambda: tx.update(wrong, state), ValueError, f"updates{path}`", unchanged=(state, wrong)
    )
    refused(
        lambda: tx.init(wrap(torch.ones(3, dtype=torch.int64))),
        TypeError,
        f"params{path}`",
        unchanged=(),
    )


def test_changed_kind_of_container_is_refused() -> None:
    tx = transform.scale_by_adam()
    g = random_tensor(generator(1), (2,))
    state = tx.init([g, g])
    refused(lambda: tx.update({"a": g, "b": g}, state), ValueError, "structure", unchanged=state)


# --- leaves ---------------------------------------------------------------------------------------

WRONG_LEAVES = {
    "int64": torch.tensor([1, 2]),
    "bool": torch.tensor([True, False]),
    "complex": torch.tensor([1.0 + 2.0j]),
    "float": 1.5,
    "str": "weights",
}


@pytest.mark.parametrize(("name", "kind"), diagonal([*OPTIMIZERS], [*WRONG_LEAVES]))
def test_leaves_that_are_no_real_floating_tensors_are_refused(name: str, kind: str) -> None:
    tx = OPTIMIZERS[name]()
    good = random_tensor(generator(1), (2,))
    bad = {"layers": [good, WRONG_LEAVES[kind]]}
    fine = {"layers": [good, good.clone()]}
    word = "dtype" if isinstance(WRONG_LEAVES[kind], torch.Tensor) else "type"
    refused(lambda: tx.init(bad), TypeError, "params['layers'][1]", word, unchanged=bad)
    state = tx.init(fine)
    for inplace in (False, True):
        refused(
            lambda i=inplace: tx.update(bad, state, params=fine, inplace=i),
            TypeError,
            "updates['layers'][1]",
            word,
            unchanged=(fine, state),
        )


# --- apply_updates --------------------------------------------------------------------------------


@pytest.mark.parametrize("inplace", [False, True])
def test_apply_updates_refuses_before_it_writes(inplace: bool) -> None:
    def tree(last: Any) -> dict[str, Any]:
        return {"a": random_tensor(generator(1), (2,)), "z": last}

    good = random_tensor(generator(2), (3,))
    for params, updates, kind in (
        (tree(good), tree(random_tensor(generator(3), (4,))), ValueError),
        (tree(good), {"a": good}, ValueError),
        (tree(None), tree(good), ValueError),
        (tree(good), tree(good + 1j), TypeError),
        (tree(torch.tensor([1, 2, 3])), tree(good), TypeError),
        (tree(good), tree(1.0), TypeError),
        (tree(2.0), tree(good), TypeError),
    ):
        refused(
            lambda p=params, u=updates: torchopt.apply_updates(p, u, inplace=inplace),
            kind,
            "['z']",
            unchanged=(params, updates),
        )


def test_apply_updates_warns_before_it_cuts_a_graph() -> None:
    p = torch.tensor([1.0], requires_grad=True)
    u = torch.tensor([2.0], requires_grad=True) * 1.0
    with pytest.warns(UserWarning, match="inplace=False"):
        torchopt.apply_updates((p,), (u,))
    assert p.is_leaf
    assert p.item() == 3.0


# --- states ---------------------------------------------------------------------------------------

WRONG_STATES = {
    "none": None,
    "empty": torchopt.transform.EmptyState(),
    "uninitialized": torchopt.transform.UninitializedState(),
    "tuple": (1, 2, 3, 4),
    "other": torchopt.transform.ScaleByRmsState(nu=None),
}

#: What the same transformation has with other hyperparameters.
TAKEN = {("trace", "empty"), ("scale_by_rms", "other"), ("scale_by_stddev", "other")}


@pytest.mark.parametrize(("case", "kind"), diagonal(STATEFUL, [*WRONG_STATES]), ids=named)
def test_wrong_state_is_refused(case: Case, kind: str) -> None:
    if (case.name.partition("-")[0], kind) in TAKEN:
        return
    params = random_params(generator(1), SHAPES)
    with pytest.raises((TypeError, ValueError)) as caught:
        case.build().update(params, WRONG_STATES[kind], params=params, inplace=False)
    assert "state" in sentence(caught)


# --- hyperparameters ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_negative_learning_rates_and_weight_decays_are_refused(name: str) -> None:
    for option in filter(lambda o: takes(name, o), ("lr", "weight_decay")):
        for value in (-0.1, -1e-30, math.nan, -math.inf):
            refused(
                lambda o=option, v=value: OPTIMIZERS[name](**{o: v}),
                ValueError,
                f"`{option}`",
                unchanged=(),
            )
        refused(
            lambda o=option: OPTIMIZERS[name](**{o: {"w": 0.1, "b": [-0.2]}}),
            ValueError,
            f"`{option}['b'][0]`",
            "-0.2",
            unchanged=(),
        )


@pytest.mark.parametrize(
    ("name", "value"),
    diagonal([*OPTIMIZERS], ["0.1", None, True, 1j, object()]),
    ids=lambda v: v if isinstance(v, str) else type(v).__name__,
)
def test_learning_rates_that_are_no_numbers_are_refused(name: str, value: Any) -> None:
    refused(lambda: OPTIMIZERS[name](lr=value), TypeError, "`lr`", unchanged=())


OUT_OF_RANGE = [
    *(
        (name, {"betas": betas}, word)
        for name in ("adam", "adamw", "adamax", "radam", "adopt", "amsgrad", "optimistic_adam")
        for betas, word in (
            ((1.0, 0.9), "betas[0]"),
            ((-0.1, 0.9), "betas[0]"),
            ((0.9, 1.0), "betas[1]"),
            ((0.9, -0.1), "betas[1]"),
        )
    ),
    *((name, {"eps": -1e-8}, "eps") for name in OPTIMIZERS if takes(name, "eps")),
    ("adam", {"eps_root": -1e-8}, "eps_root"),
    ("adamw", {"eps_root": -1e-8}, "eps_root"),
    ("sgd", {"momentum": -0.1}, "momentum"),
    ("rmsprop", {"momentum": -0.1}, "momentum"),
    ("rmsprop", {"alpha": -0.1}, "alpha"),
    ("rmsprop", {"alpha": 1.0}, "alpha"),
    ("rmsprop", {"initial_scale": -1.0}, "initial_scale"),
    ("adagrad", {"lr_decay": -0.1}, "lr_decay"),
    ("adagrad", {"initial_accumulator_value": -0.1}, "initial_accumulator_value"),
    ("adadelta", {"rho": -0.1}, "rho"),
    ("adadelta", {"rho": 1.5}, "rho"),
    ("asgd", {"lambd": -0.1}, "lambd"),
    ("asgd", {"t0": -1.0}, "t0"),
    ("nadam", {"momentum_decay": -0.1}, "momentum_decay"),
    ("rprop", {"etas": (1.0, 1.2)}, "etas[0]"),
    ("rprop", {"etas": (0.5, 0.9)}, "etas[1]"),
    ("rprop", {"step_sizes": (-1.0, 1.0)}, "step_sizes[0]"),
    ("lion", {"smooth": -0.1}, "smooth"),
    ("yogi", {"smooth": -0.1}, "smooth"),
    ("yogi", {"initial_accumulator_value": -0.1}, "initial_accumulator_value"),
    ("adan", {"betas": (0.9, 0.9)}, "betas"),
    ("adan", {"betas": (0.9, 0.9, 1.0)}, "betas[2]"),
    *(("ademamix", {"betas": (0.9, 0.9, x)}, "betas[2]") for x in (1.0, -0.1)),
    ("ademamix", {"alpha": -0.1}, "alpha"),
    ("adopt", {"clip_value_fn": -0.1}, "clip_value_fn"),
    ("cocob", {"alpha": -0.1}, "alpha"),
    ("madgrad", {"momentum": 1.0}, "momentum"),
    ("noisy_sgd", {"eta": -0.1}, "eta"),
    ("polyak_sgd", {"lr": -0.1}, "lr"),
    ("polyak_sgd", {"scaling": -0.1}, "scaling"),
    ("sign_sgd", {"smooth": -0.1}, "smooth"),
    ("signum", {"momentum": 1.0}, "momentum"),
    ("sgd", {"nesterov": True}, "Nesterov"),
    ("sgd", {"nesterov": True, "momentum": 0.9, "dampening": 0.1}, "Nesterov"),
    ("rmsprop", {"nesterov": True}, "Nesterov"),
]


@pytest.mark.parametrize("name", [name for name in _public.FUNCTIONS if takes(name, "betas")])
def test_a_tree_of_betas_that_does_not_fit_is_named_as_the_argument(name: str) -> None:
    make = _public.FUNCTIONS[name]
    defaults = inspect.signature(make).parameters["betas"].default
    params = torch.ones(2)
    for i, beta in enumerate(defaults):
        betas = (*defaults[:i], {"w": beta}, *defaults[i + 1 :])

        def step(betas: Any = betas) -> None:
            tx = make(betas=betas)
            options = {"params": params, "value_fn": lambda x: x.square().sum()}
            tx.update(params.clone(), tx.init(params), inplace=False, **options)

        refused(step, ValueError, f"betas[{i}]", unchanged=())


@pytest.mark.parametrize("name", [name for name in _public.FUNCTIONS if takes(name, "betas")])
def test_betas_that_leave_their_range_by_a_schedule_are_named(name: str) -> None:
    make = _public.FUNCTIONS[name]
    defaults = inspect.signature(make).parameters["betas"].default
    params = torch.ones(2)
    options = {"params": params, "value_fn": lambda x: x.square().sum()}
    schedules: list[Any] = [
        lambda count: 0.5 if count < 1 else 2,
        lambda count: 0.5 + count,
        lambda count: 0.5 - count,
        lambda count: 0.5 / (1 - count) * (1 - count),  # NaN
    ]
    for i, schedule in itertools.product(range(len(defaults)), schedules):
        if (name, i) == ("schedule_free_adamw", 0):  # no schedule is taken
            continue
        tx = make(betas=(*defaults[:i], schedule, *defaults[i + 1 :]))
        _, state = tx.update(params.clone(), tx.init(params), inplace=False, **options)
        bound = "less than 1" if schedule(torch.tensor(1.0)) > 1 else "at least 0"
        refused(
            lambda tx=tx, state=state: tx.update(params.clone(), state, **options),
            ValueError,
            f"`betas[{i}]` is ",
            f" by its schedule, but it must be {bound}.",
            unchanged=(),
        )


@pytest.mark.parametrize(("name", "options", "word"), OUT_OF_RANGE)
def test_hyperparameters_out_of_range_are_refused(name: str, options: Any, word: str) -> None:
    make = OPTIMIZERS.get(name, _public.FUNCTIONS[name])
    refused(lambda: make(**options), ValueError, word, unchanged=())


P = torch.ones(2, requires_grad=True)
# Calls that are wrong whatever the trees are, their error, and what it names.
WRONG_CALLS: list[tuple[Callable[[], Any], type[Exception], str]] = [
    *(
        (lambda x=x: torchopt.transform.clip_grad_norm(x), ValueError, "`max_norm`")
        for x in (0.0, math.nan)
    ),
    *(
        (lambda x=x: torchopt.transform.clip_grad_norm(x), TypeError, "`max_norm`")
        for x in ("1", None, len)
    ),
    (lambda: torchopt.transform.clip_grad_norm(1.0, -1.0), ValueError, "`norm_type`"),
    (lambda: torchopt.transform.register_hook(1.0), TypeError, "`hook`"),
    (lambda: transform.scale_by_schedule(0.1), TypeError, "`step_size_fn`"),
    *(
        (lambda call=call, x=x: call(x), TypeError, "transformation")
        for x in (None, 0.1, torchopt.adam, "adam")
        for call in (
            lambda x: torchopt.chain(torchopt.sgd(0.1), x),
            lambda x: torchopt.sgd(0.1).chain(x),
            lambda x: torchopt.Optimizer([P], x),
            torchopt.compat.FuncOptimizer,
        )
    ),
]
ADAM = torchopt.adam(0.1)
WRONG_CALLS += [
    (lambda g=g: ADAM.update(g, ADAM.init([P]), params=[P]), TypeError, f"it, `torch.tensor({n})`")
    for g, n in ((0.5, 0.5), ([True], 1.0))
]


WRONG_CALLS += [
    (lambda: torchopt.chain([ADAM]), TypeError, r"one after the other, `chain(*transformations)`"),
    (lambda: torchopt.chain(torchopt.transform.clip), TypeError, "call it, and pass"),
    (
        lambda: torchopt.transform.masked({"a": True}, ADAM),
        TypeError,
        "`inner` is an object of type dict",
    ),
    (
        lambda: torchopt.to_torch(torch.optim.SGD([P]), [P]),
        TypeError,
        "`tx` is an object of type SGD",
    ),
    (lambda: torchopt.minimize(torch.sum, P, ADAM), TypeError, "pass it by name, as `solver=`"),
    (
        lambda: torchopt.meta_grad_and_value(torch.sum, P),
        TypeError,
        "pass the position of an argument",
    ),
    (lambda: torchopt.meta_grad_and_value(torch.sum, 3)(P), ValueError, "`argnums` has 3, but 1"),
    (lambda: torchopt.diff.MemoryPlan(1, 1, 1, ()).within("1GB"), TypeError, "a number of bytes"),
]


@pytest.mark.parametrize(("call", "error", "word"), WRONG_CALLS)
def test_a_wrong_call_is_refused(
    call: Callable[[], Any], error: type[Exception], word: str
) -> None:
    refused(call, error, word, unchanged=())


@pytest.mark.parametrize("betas", [0.9, (0.9,), (0.9, 0.99, 0.999)], ids=str)
def test_betas_that_are_no_pair_are_refused(betas: Any) -> None:
    for name in ("adam", "adamw", "adamax", "radam", "nadam", "nadamw", "lion", "yogi"):
        with pytest.raises((TypeError, ValueError)) as caught:
            OPTIMIZERS[name](betas=betas)
        assert "`betas`" in sentence(caught)


#: What is read for matrices only.
OF_MATRICES = {("muon", "weight_decay")}


@pytest.mark.parametrize("option", ["lr", "weight_decay"])
@pytest.mark.parametrize("name", OPTIMIZERS)
def test_hyperparameter_tree_of_wrong_structure_is_refused_with_path(
    name: str, option: str
) -> None:
    params = random_params(generator(1), SHAPES)
    if not takes(name, option) or (option == "lr" and name in LR_FILLS_STATE):
        return
    if (name, option) in OF_MATRICES:
        return
    for value, path in (({"w": 0.1}, "['b']"), ({"w": 0.1, "b": 0.1, "c": 0.1}, "['c']")):
        tx = OPTIMIZERS[name](**{option: value})
        state = tx.init(params)
        refused(
            lambda t=tx, s=state: t.update(params, s, params=params, inplace=False),
            ValueError,
            option,
            path,
            unchanged=(params, state),
        )


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_hyperparameter_that_does_not_broadcast_is_refused_with_both_shapes(name: str) -> None:
    params = random_params(generator(1), SHAPES)
    for shape, path in (((2, 2), "['w']"), ((3,), "['b']"), ((1,), "['b']"), ((1, 2, 3), "['w']")):
        value = {"w": 0.1, "b": 0.1, path[2]: random_tensor(generator(2), shape).abs()}
        for option in ("lr", "weight_decay")[name in LR_FILLS_STATE :]:
            if not takes(name, option) or ((name, option) in OF_MATRICES and path == "['b']"):
                continue
            tx = OPTIMIZERS[name](**{option: value})
            state = tx.init(params)
            refused(
                lambda t=tx, s=state: t.update(params, s, params=params, inplace=False),
                ValueError,
                option,
                path,
                str(shape),
                unchanged=(params, state),
            )


def test_initial_value_that_does_not_broadcast_is_refused_with_path() -> None:
    params = random_params(generator(1), SHAPES)
    for tx, name in (
        (torchopt.rmsprop(initial_scale=torch.ones(7)), "initial_scale"),
        (torchopt.adagrad(initial_accumulator_value=torch.ones(7)), "initial_accumulator_value"),
        (torchopt.adagrad(initial_accumulator_value={"w": 1.0}), "initial_accumulator_value"),
        (torchopt.optimizers.rprop(lr=torch.ones(7)), "lr"),
        (torchopt.optimizers.rprop(lr={"w": 1.0}), "lr"),
    ):
        refused(lambda t=tx: t.init(params), ValueError, name, "['b']", unchanged=params)


# --- weight decay and masks -----------------------------------------------------------------------


@pytest.mark.parametrize("name", DECAYING)
def test_weight_decay_without_parameters_is_refused(name: str) -> None:
    params = random_params(generator(1), SHAPES)
    tx = OPTIMIZERS[name](weight_decay=0.1)
    state = started(tx, params)
    refused(
        lambda: tx.update(params, state), ValueError, "params=params", unchanged=(params, state)
    )


def test_weight_decay_with_other_parameters_is_refused_with_path() -> None:
    params = random_params(generator(1), SHAPES)
    tx = torchopt.adamw()
    state = started(tx, params)
    for other, kind in (
        ({**params, "w": params["w"].T}, ValueError),
        ({**params, "w": None}, ValueError),
        ({"b": params["b"]}, ValueError),
        ({**params, "w": 1.0}, TypeError),
        ({**params, "w": params["w"].to(torch.int64)}, TypeError),
    ):
        refused(
            lambda o=other: tx.update(params, state, params=o),
            kind,
            "params['w']",
            unchanged=(params, state),
        )


@pytest.mark.parametrize(
    "mask_of", [lambda m: m, lambda m: lambda tree: m], ids=["tree", "callable"]
)
def test_mask_of_wrong_structure_is_refused_with_path(mask_of: Any) -> None:
    params = random_params(generator(1), SHAPES)
    good = torchopt.adamw(mask={"b": False, "w": True})
    state = started(good, params)
    for mask, kind, path in (
        ({"w": True}, ValueError, "mask['b']"),
        ({"w": True, "b": False, "c": True}, ValueError, "mask['c']"),
        ({"w": True, "b": "no"}, TypeError, "mask['b']"),
        ({"w": True, "b": 1}, TypeError, "mask['b']"),
        ({"w": torch.ones(2, 3) > 0, "b": True}, TypeError, "mask['w']"),
    ):
        for tx in (
            torchopt.adamw(mask=mask_of(mask)),
            transform.masked(transform.trace(0.9), mask_of(mask)),
        ):
            refused(lambda t=tx: t.init(params), kind, path, unchanged=params)
        refused(
            lambda m=mask: torchopt.adamw(mask=mask_of(m)).update(
                params, state, params=params, inplace=False
            ),
            kind,
            path,
            unchanged=(params, state),
        )


# --- combinators ----------------------------------------------------------------------------------


def test_errors_inside_torch_func_name_the_leaf_too() -> None:
    params = random_params(generator(1), SHAPES)
    tx = torchopt.adam()
    state = tx.init(params)

    def step(grads: Any) -> Any:
        return sum(u.sum() for u in leaves(tx.update(grads, state, inplace=False)[0]))

    wrong = {"b": params["b"], "w": params["w"].T.clone()}
    refused(
        lambda: torch.func.grad(step)(wrong), ValueError, "updates['w']", unchanged=(wrong, state)
    )
    stacked = optree.tree_map(lambda x: torch.stack([x, x]), wrong)
    refused(
        lambda: torch.func.vmap(step)(stacked),
        ValueError,
        "updates['w']",
        unchanged=(stacked, state),
    )


@pytest.mark.parametrize(
    "take",
    [
        lambda params: torchopt.adamw(0.1).init(params),
        lambda params: torchopt.compat.FuncOptimizer(torchopt.sgd(0.1)).step(
            torch.ones((), requires_grad=True) * 2, params
        ),
        lambda params: torchopt.minimize(
            lambda p: p, {"encoder": params}, solver=torchopt.sgd(0.1), steps=1
        ),
    ],
    ids=["init", "FuncOptimizer", "minimize"],
)
def test_a_module_and_an_iterator_are_told_from_their_parameters(take: Callable[..., Any]) -> None:
    net = torch.nn.GRU(2, 3)
    with pytest.raises(
        TypeError, match=r"is a module \(GRU\): pass .*`dict\(module\.named_param"
    ) as e:
        take(net)
    sentence(e)
    with pytest.raises(TypeError, match="is a generator, which can be read once only: pass") as e:
        take(net.parameters())
    sentence(e)

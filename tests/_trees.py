"""What the tests of the optimizers share: random trees, and one list of all transformations."""

from __future__ import annotations

import dataclasses
import inspect
import io
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple

import optree
import torch
from hypothesis import strategies as st

import _own_rules
import _public
import torchopt
from torchopt import transform
from torchopt.pytree import flattening as pytree
from torchopt.transform._tree_scalars import dot, gradient_at
from torchopt.transform.chaining import from_rule, rule_of
from torchopt.transform.extra_args import select

SHAPES = {"matrix": (3, 2), "scalar": (), "single": (1,), "tensor": (2, 1, 4), "vector": (5,)}


def generator(seed: int) -> torch.Generator:
    """Return the only source of randomness of a test."""
    return torch.Generator().manual_seed(seed)


def random_tensor(
    gen: torch.Generator, shape: tuple[int, ...], dtype: torch.dtype = torch.float64
) -> torch.Tensor:
    """Return values whose size is between 0.2 and 2: no zeros, no ties, both signs."""
    size = 0.2 + 1.8 * torch.rand(shape, generator=gen, dtype=torch.float64)
    sign = torch.randint(0, 2, shape, generator=gen) * 2 - 1
    return (size * sign).to(dtype)


def random_params(
    gen: torch.Generator,
    shapes: dict[str, tuple[int, ...]] = SHAPES,
    dtype: torch.dtype = torch.float64,
) -> dict[str, torch.Tensor]:
    """Return a dictionary of tensors of these shapes."""
    return {name: random_tensor(gen, shape, dtype) for name, shape in shapes.items()}


def random_like(gen: torch.Generator, tree: Any) -> Any:
    """Return random gradients for a tree of parameters."""
    return pytree.map_leaves(lambda p: random_tensor(gen, tuple(p.shape), p.dtype), tree)


def leaves(tree: Any) -> list[torch.Tensor]:
    """Return the tensors of a tree, found by optree itself and not by the library."""
    found = optree.tree_leaves(tree, namespace="torchopt")
    return [leaf for leaf in found if isinstance(leaf, torch.Tensor)]


def assert_trees_equal(found: Any, expected: Any, *, rtol: float = 0.0, atol: float = 0.0) -> None:
    """Compare structure, dtypes and values; by default bit for bit (NaN equals NaN)."""
    a, spec_a = optree.tree_flatten(found, none_is_leaf=True, namespace="torchopt")
    b, spec_b = optree.tree_flatten(expected, none_is_leaf=True, namespace="torchopt")
    assert spec_a == spec_b
    for x, y in zip(a, b, strict=True):
        if isinstance(y, torch.Tensor):
            torch.testing.assert_close(x, y, rtol=rtol, atol=atol, equal_nan=True)
        else:
            assert x is y or x == y


def assert_trees_close(found: Any, expected: Any, *, ulps: int = 32) -> None:
    """Compare structure, dtypes and values, to some ulps of the largest value of each leaf.

    What two ways of computing one formula have in common on every processor: roots, powers and sums
    differ in their last bit between processors, and three steps of an optimizer by a few ulps.
    """
    for x, y in zip(leaves(found), leaves(expected), strict=True):
        if y.is_floating_point() and y.numel():
            unit = ulps * torch.finfo(y.dtype).eps
            size = float(y.detach().abs().nan_to_num(posinf=0.0).max())
            assert_trees_equal(x, y, rtol=unit, atol=unit * size)
        else:
            assert_trees_equal(x, y)


def saved(thing: Any) -> Any:
    """Return what comes back from a file, with weights only."""
    file = io.BytesIO()
    torch.save(thing, file)
    file.seek(0)
    return torch.load(file, weights_only=True)


def drawn(seed: int, steps: int, shapes: Any = SHAPES) -> tuple[Any, list[Any]]:
    """Return parameters, and the gradients of some steps."""
    gen = generator(seed)
    params = random_params(gen, shapes)
    return params, [random_like(gen, params) for _ in range(steps)]


def trained(tx: Any, params: Any, gradients: list[Any], *, inplace: bool = False) -> Any:
    """Return parameters and state after steps."""
    state, params = tx.init(params), snapshot(params) if inplace else params
    for grads in gradients:
        grads = snapshot(grads) if inplace else grads
        updates, state = tx.update(grads, state, params=params, inplace=inplace)
        params = torchopt.apply_updates(params, updates, inplace=False)
    return params, state


def snapshot(tree: Any) -> Any:
    """Return a copy that later writes do not reach."""
    return optree.tree_map(
        lambda x: x.detach().clone() if isinstance(x, torch.Tensor) else x,
        tree,
        namespace="torchopt",
    )


class Pair(NamedTuple):
    """A container with fields."""

    left: Any
    right: Any


@dataclass
class Record:
    """A container that the library registers on sight."""

    weight: Any
    bias: Any
    label: str = dataclasses.field(default="static", metadata={"static": True})


def trees(*, nones: bool = True) -> st.SearchStrategy[Any]:
    """Return random trees of float64 tensors with at least one tensor."""
    shapes = st.sampled_from([(), (1,), (3,), (2, 3), (1, 2), (0,)])
    tensors = st.builds(
        lambda shape, seed: random_tensor(generator(seed), shape), shapes, st.integers(0, 2**20)
    )
    leaf = st.one_of(tensors, tensors, st.none()) if nones else tensors
    inner = st.recursive(
        leaf,
        lambda children: st.one_of(
            st.lists(children, min_size=1, max_size=3),
            st.lists(children, min_size=1, max_size=3).map(tuple),
            st.dictionaries(st.sampled_from("abcd"), children, min_size=1, max_size=3),
            st.builds(Pair, children, children),
            st.builds(Record, children, children),
        ),
        max_leaves=6,
    )
    return st.builds(lambda first, rest: {"first": first, "rest": rest}, tensors, inner)


@dataclass(frozen=True)
class Case:
    """A transformation with its differentiable hyperparameters at generic values."""

    name: str
    make: Callable[..., Any]
    hyper: dict[str, Any] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)
    #: Steps before the derivative is looked at.
    warm_up: int = 2
    #: Hyperparameters that are one number for all leaves, and those that are one for each leaf.
    whole: tuple[str, ...] = ()
    per_leaf: tuple[str, ...] = ()

    def build(self, **hyper: Any) -> Any:
        """Return the transformation, with some hyperparameters replaced."""
        return self.make(**{**self.hyper, **hyper}, **self.options)


#: Arguments of several hyperparameters, by what the tests call these.
_TUPLES = {
    "betas": ("b1", "b2", "b3"),
    "ns_coefficients": ("a", "b", "c"),
    "eps": ("eps1", "eps2"),
    "etas": ("eta_minus", "eta_plus"),
    "step_sizes": ("low", "high"),
}


def with_tuples(make: Callable[..., Any], **hyper: Any) -> Any:
    """Call a maker with its own arguments in place of those of `_TUPLES`."""
    for argument, names in _TUPLES.items():
        known = [name for name in names if name in hyper]
        if known and argument in (parameters := inspect.signature(make).parameters):
            defaults = zip(names, parameters[argument].default, strict=False)
            hyper[argument] = tuple(hyper.pop(name, default) for name, default in defaults)
    return make(**hyper)


def _dog(*, first: Any, kind: str = "heuristic", **rest: Any) -> Any:
    return torchopt.optimizers.dog(init_step=(kind, first), **rest)


def _scale_by_dog(*, first: Any, eps: Any) -> Any:
    return transform.scale_by_dog(("learning_rate", first), eps)


def _scale_by_line(*, begin: Any, end: Any) -> Any:
    return transform.scale_by_schedule(torchopt.schedule.linear_schedule(begin, end, 7))


def _schedule_free(*, begin: Any, end: Any, **rest: Any) -> Any:
    lr = torchopt.schedule.linear_schedule(begin, end, 7)
    return transform.schedule_free(transform.scale(-0.7), lr, **rest)


def _project_onto_box(*, lower: Any, upper: Any) -> Any:
    return transform.project(torchopt.sets.Box(lower, upper))


def _project_onto_ball(*, radius: Any) -> Any:
    return transform.project(torchopt.sets.L2Ball(radius, dim=None))


def _masked_adam(**hyper: Any) -> Any:
    return transform.masked(with_tuples(transform.scale_by_adam, **hyper), {"w": True, "b": False})


def _shapes(tree: Any) -> Any:
    return pytree.map_leaves(lambda p: "matrix" if p.dim() > 1 else "rest", tree)


def _partition(**hyper: Any) -> Any:
    rest = transform.scale_by_adam((0.7, 0.8))
    return transform.partition(
        {"matrix": with_tuples(transform.scale_by_adam, **hyper), "rest": rest}, _shapes
    )


def _named_chain(*, step_size: Any, **hyper: Any) -> Any:
    parts = (with_tuples(transform.scale_by_adam, **hyper), transform.scale(step_size))
    return transform.named_chain(*zip(("adam", "descent"), parts, strict=True))


def _freeze(mask: Any = False) -> Any:
    return transform.freeze(mask)


def _selective_transform(mask: Any = False, **hyper: Any) -> Any:
    return transform.selective_transform(
        with_tuples(transform.scale_by_adam, **hyper), freeze_mask=mask
    )


def _apply_if_finite(**hyper: Any) -> Any:
    return transform.apply_if_finite(with_tuples(transform.scale_by_adam, **hyper), 3)


def _not_second(step: torch.Tensor) -> torch.Tensor:
    return step != 1


def _two_then_one(step: torch.Tensor) -> torch.Tensor:
    return torch.where(step < 1, 2, 1)


def _conditionally(wrap: Any, **hyper: Any) -> Any:
    return wrap(with_tuples(transform.scale_by_adam, **hyper), _not_second)


def _multi_steps(**hyper: Any) -> Any:
    return transform.MultiSteps(with_tuples(transform.scale_by_adam, **hyper), _two_then_one)


def _waiting(**hyper: Any) -> Any:
    return transform.MultiSteps(
        with_tuples(transform.scale_by_adam, **hyper), 4, use_grad_mean=False
    )


def _lookahead(*, sync_period: int, lr: Any, slow_step_size: Any, reset: bool = False) -> Any:
    fast = torchopt.adam(lr) if reset else torchopt.sgd(lr)
    return transform.lookahead(fast, sync_period, slow_step_size, reset_state=reset)


class _Examples:
    """Updates of which an example is made several, with a dimension of their own."""

    @staticmethod
    def init(params: Any) -> Any:
        return torchopt.transform.EmptyState()

    @staticmethod
    def update(updates: Any, state: Any, **_: Any) -> Any:
        def examples(g: torch.Tensor) -> torch.Tensor:
            return torch.stack([0.1 * g, -0.4 * g, 1.5 * g])

        return pytree.map_leaves(examples, updates), state


def _aggregate(**hyper: Any) -> Any:
    examples = torchopt.GradientTransformation(_Examples.init, _Examples.update)
    aggregate = transform.differentially_private_aggregate(**hyper, generator=3)
    return torchopt.chain(examples, aggregate)


def squares(updates: Any) -> Any:
    """Return the squares of updates; a measurement that can be pickled."""
    return pytree.map_leaves(torch.square, updates)


def _snapshot() -> Any:
    return transform.snapshot("squares", squares)


def _monitor() -> Any:
    mean = transform.measure_with_ema(squares, 0.8)
    return transform.monitor({"squares": squares, "mean": mean})


def double(g: torch.Tensor) -> torch.Tensor:
    """Return twice a gradient; a hook that can be pickled."""
    return 2 * g


class Rule(torch.nn.Module):
    """A smooth network for a learned optimizer, at generic weights that require no grad."""

    def __init__(self, size: int) -> None:
        super().__init__()
        gen = generator(7)
        first, last = random_tensor(gen, (size, 4)) / size, random_tensor(gen, (4, 2)) / 2
        self.first, self.last = torch.nn.Parameter(first), torch.nn.Parameter(last)
        self.requires_grad_(False)

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        """Return direction and magnitude."""
        return (features @ self.first).tanh() @ self.last


def _learned(features: transform.ParameterFeatures, **hyper: Any) -> Any:
    return transform.learned(
        Rule(features.size), features=features, multiply_by_parameter_scale=True, **hyper
    )


_CELO = transform.ParameterFeatures(clip=0.1, timescales=())


def loss(params: Any) -> torch.Tensor:
    """Return a positive function of all leaves, whose second derivatives are no diagonal."""
    terms = [(p.square() * (1 + 0.3 * p.sin())).sum() for p in leaves(params)]
    return 3 * (sum(terms[1:], terms[0]) if terms else torch.zeros(())).add(1).log()


def diagonal(value_fn: Any, params: Any) -> Any:
    """Return what stands for the diagonal of a Hessian: positive, and a function of the parameters."""
    return pytree.map_leaves(lambda p: 1 + 0.2 * p.square(), params)


@dataclass(frozen=True)
class _WithLoss:
    """A transformation that reads the loss, given the one above."""

    tx: Any

    def init(self, params: Any) -> Any:
        return self.tx.init(params)

    def update(
        self, updates: Any, state: Any, *, params: Any = None, inplace: bool = True
    ) -> tuple[Any, Any]:
        params = updates if params is None else params
        extra = select(self.tx, {"value": loss(params), "value_fn": loss, "grad": updates})
        if "grad" in extra:
            # Downhill, as a line search needs it.
            grad = extra["grad"] = gradient_at(loss, params, track=True)
            uphill = (dot(grad, updates) > 0).detach()
            updates = pytree.map_leaves(lambda u: torch.where(uphill, -u, u), updates)
        return self.tx.update(updates, state, params=params, inplace=inplace, **extra)


def with_loss(make: Callable[..., Any], *parts: Any) -> Callable[..., Any]:
    """Return a maker of transformations that need nothing besides gradients and parameters."""

    def build(**options: Any) -> Any:
        given = _WithLoss(with_tuples(partial(make, *parts), **options))
        return torchopt.GradientTransformation(given.init, given.update)

    return build


def _masked_muon(*, a: Any, b: Any, c: Any, **hyper: Any) -> Any:
    tx = transform.scale_by_muon(ns_coefficients=(a, b, c), **hyper)
    return transform.masked(tx, _matrices)


def _matrices(tree: Any) -> Any:
    return pytree.map_leaves(lambda x: x.dim() > 1, tree)


#: Values of hyperparameters that are generic: nothing cancels, and no root is at zero.
VALUES: dict[str, Any] = {
    **{"lr": 0.3, "weight_decay": 0.2, "lr_decay": 0.2, "momentum": 0.8, "dampening": 0.3},
    **{"b1": 0.8, "b2": 0.9, "b3": 0.7, "eps": 0.05, "eps_root": 0.03, "alpha": 0.8, "beta": 1.3},
    **{"rho": 0.8, "initial_accumulator_value": 0.3, "initial_scale": 0.4, "smooth": 0.7},
    **{"step_size": -0.7, "decay": 0.8, "eta": 0.3, "gamma": 0.7, "momentum_decay": 2.0},
    **{"begin": 0.2, "end": 0.9, "lower": -0.9, "upper": 1.1, "radius": 0.6, "max_norm": 0.9},
    **{"eta_minus": 0.5, "eta_plus": 1.3, "lambd": 0.2, "t0": 0.6, "weight_lr_power": 1.7},
    **{"trust_coefficient": 0.7, "min_norm": 9.0, "estim_lr0": 0.3, "first": 0.3, "factor": 0.5},
    **{"exp_mult": 0.2, "slow_step_size": 0.6, "f_min": 0.3, "rate": 0.5, "b": 0.8, "c": 0.3},
    **{"eps1": 1.3, "eps2": 1.1, "beta2_decay": -0.8, "d": 0.3, "a": 1.9, "matrix_eps": 0.3},
    **{"precondition_lr": 0.6, "bound_decay": 0.8, "damping": 0.4, "max_update_rms": 0.4},
    **{"scale": 0.7, "adam_lr": 0.2, "clipping": 0.4, "threshold": 0.15, "scale_factor": -0.7},
}


def row(
    name: str,
    hyper: str = "",
    make: Callable[..., Any] | None = None,
    *,
    warm_up: int = 2,
    whole: str = "",
    per_leaf: str = "",
    loss: tuple[Any, ...] | None = None,
    options: dict[str, Any] | None = None,
    **values: Any,
) -> Case:
    """Return a case of some hyperparameters, at the values of the table unless others are given.

    With `loss`, it is given the loss, and its maker these arguments.
    """
    word = name.partition("-")[0]
    make = make or getattr(transform, word, None) or getattr(torchopt.optimizers, word)
    make = partial(with_tuples, make) if loss is None else with_loss(make, *loss)
    numbers = {**{key: VALUES[key] for key in hyper.split()}, **values}
    groups = tuple(whole.split()), tuple(per_leaf.split())
    return Case(name, make, numbers, options or {}, warm_up, *groups)


ADAM, MOMENTS, DECAY = "b1 b2 eps eps_root", "b1 b2 eps", "lr weight_decay"
MASK, NESTEROV = {"mask": {"w": True, "b": False}}, {"nesterov": True}
ESTIMATE = "lr b1 b2 estim_lr0"
KRON, FACTOR, MUON = (
    "precondition_lr bound_decay damping",
    "lr beta2_decay eps1 eps2 d",
    "momentum a b c",
)

TRANSFORMS = [
    row("identity", make=torchopt.transform.identity),
    row("scale", "step_size"),
    row("scale_by_learning_rate", lr=0.7),
    row("scale_by_schedule", make=_scale_by_line, begin=0.9, end=0.2),
    row("add_decayed_weights", "weight_decay"),
    row("add_decayed_weights-mask", "weight_decay", options=MASK),
    row("trace", "momentum"),
    row("trace-dampening", "momentum dampening"),
    row("trace-first", "momentum dampening", warm_up=0),
    row("trace-nesterov", "momentum", options=NESTEROV),
    row("scale_by_adam", ADAM),
    row("scale_by_adam-first", ADAM, warm_up=0),
    row("scale_by_adam-nesterov", ADAM, options=NESTEROV),
    row("scale_by_amsgrad", ADAM, warm_up=3),
    row("scale_by_adamax", MOMENTS, b2=0.95),
    row("scale_by_radam-plain", MOMENTS, b2=0.95),
    row("scale_by_radam-rectified", MOMENTS, b2=0.95, warm_up=9),
    row("scale_by_adadelta", "rho eps"),
    row("scale_by_rms", "alpha eps initial_scale"),
    row("scale_by_rms-corrected", "alpha eps", options={"bias_correction": True}),
    row("scale_by_stddev", "alpha eps", initial_scale=2.4),
    row("scale_by_rss", "initial_accumulator_value eps"),
    row("scale_by_ademamix", ADAM, b3=0.95, alpha=4.0),
    row("scale_by_adopt", b1=0.8, b2=0.8, eps=0.9, clip_value_fn=1.2),
    row("scale_by_adopt-nesterov", b1=0.8, b2=0.8, eps=0.9, clip_value_fn=1.2, options=NESTEROV),
    row("scale_by_adopt-first", "b1", warm_up=0),
    row("scale_by_optimistic_gradient", "alpha beta"),
    row("scale_by_madgrad", "lr momentum eps"),
    row("scale_by_cocob", alpha=5.0, options={"eps": 0.05}, warm_up=3),
    row("scale_by_sign"),
    row("scale_by_sign-smooth", "smooth"),
    row("scale_by_signum"),
    row("scale_by_signum-smooth", "momentum smooth"),
    row("add_noise", "eta gamma"),
    row(
        "schedule_free",
        "begin end weight_lr_power",
        _schedule_free,
        beta=0.8,
        whole="weight_lr_power",
    ),
    row("schedule_free-first", "begin end", _schedule_free, beta=0.8, warm_up=0),
    row("project", "lower upper", _project_onto_box, whole="lower upper"),
    row("project-ball", "radius", _project_onto_ball, whole="radius"),
    row("scale_by_nadam", "b1 eps momentum_decay", b2=0.95),
    row("scale_by_lion"),
    row("scale_by_lion-smooth", "b1 b2 smooth"),
    row("scale_by_belief", ADAM),
    row("scale_by_belief-nesterov", ADAM, options=NESTEROV),
    row("scale_by_yogi", f"{ADAM} initial_accumulator_value"),
    row("scale_by_yogi-smooth", f"{ADAM} initial_accumulator_value", smooth=0.5),
    row("scale_by_adan", f"{ADAM} b3"),
    row("scale_by_adan-first", "eps", warm_up=0),
    row("scale_by_asgd", "lr lambd t0", alpha=0.7),
    # Later states have zeros, where the sign jumps.
    row("scale_by_rprop-first", "lr", warm_up=0),
    row("scale_by_rprop-smooth", "lr eta_minus eta_plus", smooth=0.8),
    row("scale_by_rprop-bounds", low=0.3, high=0.34, smooth=0.8, options={"lr": 0.32}),
    row("nan_to_num"),
    row("register_hook", options={"hook": torchopt.transform.zero_nan_hook}),
    row("clip_grad_norm", "max_norm"),
    row("clip_grad_norm-idle", max_norm=90.0),
    row("clip_grad_norm-1", "max_norm", options={"norm_type": 1}),
    row("clip_grad_norm-3", "max_norm", options={"norm_type": 3.0}),
    row("clip_grad_norm-inf", max_norm=0.1, options={"norm_type": "inf"}),
    row("masked", ADAM, _masked_adam),
    row(
        "learned",
        "exp_mult",
        step_size=0.3,
        options={"module": Rule(39)},
        per_leaf="step_size exp_mult",
    ),
    row(
        "learned-celo",
        "exp_mult",
        partial(_learned, _CELO),
        step_size=0.3,
        per_leaf="step_size exp_mult",
    ),
    row("scale_by_trust_ratio", "trust_coefficient", eps=0.2, per_leaf="trust_coefficient eps"),
    row(
        "scale_by_trust_ratio-least",
        "min_norm trust_coefficient",
        eps=0.2,
        per_leaf="min_norm trust_coefficient eps",
    ),
    row("normalize_by_update_norm", "scale_factor", eps=0.2, whole="scale_factor eps"),
    row("clip_by_block_rms", "threshold", per_leaf="threshold"),
    row("scale_by_novograd", f"{ADAM} weight_decay", b2=0.4, per_leaf="b2 eps eps_root"),
    row(
        "scale_by_prodigy",
        f"{ESTIMATE} eps",
        whole=ESTIMATE,
        options={"beta3": 0.7, "safeguard_warmup": True, "weight_decay": 0.1},
    ),
    row("scale_by_dadapt_adam", f"{ESTIMATE} eps", whole=f"{ESTIMATE} eps"),
    row("scale_by_dog-first", "first eps", _scale_by_dog, warm_up=0, whole="first eps"),
    row("partition", ADAM, _partition),
    row("named_chain", f"{ADAM} step_size", _named_chain),
    row("set_to_zero"),
    row("freeze", make=_freeze, options=MASK),
    row(
        "selective_transform", ADAM, _selective_transform, options={"mask": {"w": False, "b": True}}
    ),
    row("apply_if_finite", ADAM, _apply_if_finite),
    *(
        case
        for name, wrap in (
            ("conditionally_transform", transform.conditionally_transform),
            ("conditionally_mask", transform.conditionally_mask),
        )
        for case in (
            row(name, ADAM, partial(_conditionally, wrap)),
            row(f"{name}-skipped", make=partial(_conditionally, wrap, b1=0.8), warm_up=1),
        )
    ),
    row("MultiSteps", ADAM, _multi_steps, warm_up=3),
    row("MultiSteps-waiting", make=_waiting),
    row("clip", max_delta=0.7),
    row(
        "differentially_private_aggregate",
        make=_aggregate,
        l2_norm_clip=1.2,
        noise_multiplier=0.4,
        whole="l2_norm_clip noise_multiplier",
    ),
    row("ema", "decay"),
    row("ema-biased", "decay", options={"debias": False}),
    row("polyak_average"),
    row("polyak_average-decay", options={"decay": 0.8}),
    row("polyak_average-first", "decay", warm_up=0, whole="decay"),
    row("lookahead", "lr slow_step_size", _lookahead, options={"sync_period": 2}),
    row("lookahead-each", "lr slow_step_size", _lookahead, options={"sync_period": 1}),
    row("lookahead-first", "lr slow_step_size", _lookahead, options={"sync_period": 1}, warm_up=0),
    row(
        "lookahead-reset",
        "lr slow_step_size",
        _lookahead,
        options={"sync_period": 2, "reset": True},
    ),
    row("snapshot", make=_snapshot),
    row("monitor", make=_monitor),
    row("measure_with_ema", "decay", partial(transform.measure_with_ema, squares)),
    row(
        "reduce_on_plateau", "factor", loss=(), whole="factor", options={"patience": 1, "rtol": 0.9}
    ),
    row("sam", loss=(torchopt.sgd(0.3),), rho=0.4, whole="rho", options={"sync_period": 3}),
    row("asam", loss=(transform.scale_by_adam((0.8, 0.9)),), rho=0.4, eta=0.2, whole="rho eta"),
    row(
        "scale_by_sophia",
        loss=(),
        b1=0.8,
        b2=0.7,
        gamma=2.0,
        clip_threshold=0.9,
        warm_up=3,
        options={"update_interval": 2, "hessian_diagonal_fn": diagonal},
    ),
    row(
        "scale_by_sophia-free",
        loss=(),
        b1=0.8,
        eps=5.0,
        warm_up=0,
        options={"clip_threshold": None, "update_interval": 2, "hessian_diagonal_fn": diagonal},
    ),
    row(
        "mechanize",
        "weight_decay eps",
        loss=(torchopt.adam(0.3, betas=(0.8, 0.9), eps=0.05),),
        s_init=0.3,
        whole="weight_decay eps s_init",
        options={"num_betas": 3},
    ),
    row(
        "scale_by_backtracking_linesearch",
        loss=(),
        decrease_factor=0.7,
        increase_factor=1.3,
        whole="decrease_factor increase_factor",
        options={"max_backtracking_steps": 3, "slope_rtol": 0.9, "max_learning_rate": 50.0},
    ),
    row("scale_by_zoom_linesearch", loss=(), options={"curv_rtol": 0.1}),
    row("scale_by_lbfgs", options={"history_size": 3}, warm_up=4),
    row("scale_by_polyak", "f_min", loss=(), eps=0.2, whole="f_min eps"),
    row("scale_by_polyak-most", loss=(), max_learning_rate=0.01, whole="max_learning_rate"),
    row(
        "scale_by_momo",
        loss=(),
        lr=5.3,
        beta=0.8,
        lower_bound=0.2,
        weight_decay=0.1,
        whole="lr beta lower_bound weight_decay",
    ),
    row("scale_by_momo-first", loss=(), lr=0.01, warm_up=0, whole="lr"),
    row("leafwise", make=_own_rules.along_axes, decay=0.9, per_leaf="decay"),
    row("reduced", "b rate", _own_rules.by_running_norm, per_leaf="b rate"),
    row("reduced-tree", "b rate", partial(_own_rules.by_running_norm, "tree"), whole="rate"),
    row("centralize"),
    row("adaptive_grad_clip", "clipping", eps=1.2, per_leaf="clipping eps"),
    row("scale_by_adafactor", FACTOR, lr=0.7, per_leaf=FACTOR),
    row("scale_by_sm3", "momentum alpha eps", per_leaf="momentum alpha eps"),
    row("scale_by_muon", MUON, _masked_muon, b=-1.2, per_leaf=MUON, options={"ns_steps": 2}),
    row(
        "scale_by_muon-plain",
        MUON,
        _masked_muon,
        b=-1.2,
        per_leaf=MUON,
        options={"ns_steps": 2, "nesterov": False, "adjust_lr_fn": "match_rms_adamw"},
    ),
    row("scale_by_shampoo", "matrix_eps", per_leaf="matrix_eps"),
    row("scale_by_soap", MOMENTS, per_leaf=MOMENTS),
    row("scale_by_kron", KRON, per_leaf=KRON),
    row("scale_by_galore", f"scale {MOMENTS}", per_leaf=f"scale {MOMENTS}", options={"rank": 1}),
]
#: Rules as a user writes them, with squares that are no numbers of few bits.
OWN_RULES = ("leafwise", "reduced")

ALIASES = [
    row("sgd", DECAY),
    row("sgd-maximize", DECAY, options={"maximize": True}),
    row("sgd-momentum", f"{DECAY} momentum dampening"),
    row("sgd-nesterov", f"{DECAY} momentum", options=NESTEROV),
    row("adam", f"{DECAY} {ADAM}"),
    row("adam-amsgrad", f"{DECAY} {ADAM}", options={"amsgrad": True}),
    row("adamw", f"{DECAY} {ADAM}"),
    row("adamw-mask", f"{DECAY} {ADAM}", options={**MASK, "maximize": True}),
    row("rmsprop", f"{DECAY} alpha eps"),
    row(
        "rmsprop-centered",
        f"{DECAY} alpha eps",
        momentum=0.7,
        initial_scale=2.4,
        options={"centered": True, "nesterov": True},
    ),
    row("adagrad", f"{DECAY} lr_decay initial_accumulator_value eps"),
    row("adadelta", f"{DECAY} rho eps"),
    row("adamax", f"{DECAY} {MOMENTS}", b2=0.95),
    row("radam-plain", f"{DECAY} {MOMENTS}", b2=0.95),
    row("radam-rectified", f"{DECAY} {MOMENTS}", b2=0.95, warm_up=9),
    row("ademamix", f"{DECAY} {ADAM}", b3=0.95, alpha=4.0),
    row("adopt", DECAY, b1=0.8, b2=0.8, eps=0.9, clip_value_fn=1.2),
    row("amsgrad", f"{DECAY} {ADAM}", warm_up=3),
    row("sign_sgd", f"{DECAY} smooth"),
    row("signum", f"{DECAY} momentum smooth"),
    row("optimistic_gradient_descent", f"{DECAY} alpha beta"),
    row("optimistic_adam", f"{DECAY} {ADAM} alpha beta"),
    row("madgrad", f"{DECAY} momentum eps"),
    row("cocob", DECAY, alpha=5.0, options={"eps": 0.05}, warm_up=3),
    row("schedule_free_sgd", DECAY, beta=0.8, whole="lr"),
    row(
        "schedule_free_adamw",
        f"{DECAY} {MOMENTS}",
        b2=0.95,
        whole="lr",
        options={"weight_lr_power": 1.7},
    ),
    row("noisy_sgd", f"{DECAY} eta gamma"),
    row("nadam", f"{DECAY} {MOMENTS} momentum_decay", b2=0.95),
    row("nadamw-mask", f"{DECAY} {MOMENTS}", b2=0.95, options={**MASK, "maximize": True}),
    row("lion", DECAY),
    row("lion-smooth", f"{DECAY} b1 b2 smooth"),
    row("adabelief", f"{DECAY} {ADAM}"),
    row("yogi", f"{DECAY} {ADAM} initial_accumulator_value"),
    row("yogi-smooth", f"{DECAY} {ADAM} initial_accumulator_value", smooth=0.5),
    row("adan", f"{DECAY} {ADAM} b3"),
    row("adamaxw", f"{DECAY} {MOMENTS}", b2=0.95),
    row("asgd", f"{DECAY} lambd", alpha=0.7, options={"t0": 0.6}),
    row("rprop", "lr", warm_up=0),
    row("rprop-smooth", f"{DECAY} eta_minus eta_plus", low=0.2, high=0.42, smooth=0.8),
    row("lamb", f"{DECAY} {ADAM}"),
    row("lars", f"{DECAY} momentum trust_coefficient", eps=0.2, per_leaf="trust_coefficient eps"),
    row("fromage", "lr min_norm", per_leaf="min_norm"),
    row("novograd", f"{DECAY} {ADAM}", b2=0.4, per_leaf="b2 eps eps_root"),
    row("prodigy", f"{ESTIMATE} eps weight_decay", whole=ESTIMATE),
    row("dadapt_adamw", f"{ESTIMATE} eps weight_decay", whole=f"{ESTIMATE} eps"),
    row("dog", f"{DECAY} first eps", _dog, whole="first eps"),
    row(
        "dog-layer_wise",
        f"{DECAY} first eps",
        _dog,
        per_leaf="first eps",
        options={"kind": "distance", "layer_wise": True},
    ),
    row("adafactor", f"{DECAY} {FACTOR}", lr=0.7, per_leaf=FACTOR),
    row("sm3", f"{DECAY} momentum eps", per_leaf="lr momentum eps"),
    row(
        "muon",
        f"{DECAY} {MUON} adam_lr",
        b=-1.2,
        per_leaf=f"lr {MUON}",
        options={"adam_eps": 0.05, "ns_steps": 2},
    ),
    row(
        "shampoo",
        f"{DECAY} momentum matrix_eps",
        per_leaf="lr momentum matrix_eps",
        options={"maximize": True},
    ),
    row("soap", f"{DECAY} {MOMENTS}", per_leaf=f"lr {MOMENTS}", options={"precondition_1d": True}),
    row(
        "kron",
        f"{DECAY} momentum {KRON} max_update_rms",
        per_leaf=f"lr momentum {KRON} max_update_rms",
        options={"precondition_1d": True},
    ),
    row("galore", f"{DECAY} scale {MOMENTS}", per_leaf=f"lr scale {MOMENTS}", options={"rank": 1}),
]
_NAMED = {case.name.partition("-")[0] for case in ALIASES}
# Any other one is run with its defaults.
ALIASES += [
    Case(name, make, {"lr": 0.3}) for name, make in _public.ALIASES.items() if name not in _NAMED
]

CASES = TRANSFORMS + ALIASES


def makers(**others: Callable[[], Any]) -> dict[str, Callable[[], Any]]:
    """Return each optimizer with its defaults, and once each transformation that is not all of one.

    Args:
        **others: What takes the place of some.
    """
    made: dict[str, Callable[[], Any]] = {
        name: lambda make=make: make(lr=1e-3) for name, make in _public.ALIASES.items()
    }
    known = {f"scale_by_{name}" for name in made}
    for case in TRANSFORMS:
        built = repr((case.make, case.hyper, case.options))
        if not case.name.startswith(OWN_RULES) and not {case.name, built} & known:
            made[case.name] = case.build
        known.add(built)
    return made | others


def case_id(case: Case) -> str:
    """Name a case in the output of pytest."""
    return case.name


def advance(tx: Any, params: Any, steps: int, gen: torch.Generator) -> tuple[Any, Any]:
    """Return parameters and state after steps on random gradients."""
    state = tx.init(params)
    for _ in range(steps):
        updates, state = tx.update(random_like(gen, params), state, params=params, inplace=False)
        params = torchopt.apply_updates(params, updates, inplace=False)
    return params, state


def with_options(tx: Any, **options: Any) -> Any:
    """Return a transformation with other options of its rules: ``fused``, ``container``."""
    parts = getattr(tx, "transformations", (tx,))
    rules = map(rule_of, parts)
    made = [
        part if rule is None else from_rule(replace(rule, **options))
        for part, rule in zip(parts, rules, strict=True)
    ]
    return torchopt.chain(*made)

"""What the tests of the optimizers share: random trees, and one list of all transformations."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple

import optree
import torch
from hypothesis import strategies as st

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


def _with_betas(make: Callable[..., Any]) -> Callable[..., Any]:
    def build(*, b1: Any, b2: Any, **rest: Any) -> Any:
        return make(betas=(b1, b2), **rest)

    return build


def _with_three_betas(make: Callable[..., Any]) -> Callable[..., Any]:
    def build(*, b1: Any, b2: Any, b3: Any, **rest: Any) -> Any:
        return make(betas=(b1, b2, b3), **rest)

    return build


def _adan(*, b1: Any, b2: Any, b3: Any, **rest: Any) -> Any:
    return torchopt.adan(betas=(b1, b2, b3), **rest)


def _rprop(*, eta_minus: Any = 0.5, eta_plus: Any = 1.3, low: Any = 0.01, **rest: Any) -> Any:
    return torchopt.rprop(etas=(eta_minus, eta_plus), step_sizes=(low, 0.42), **rest)


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
    return transform.masked(transform.scale_by_adam(**hyper), {"w": True, "b": False})


def _shapes(tree: Any) -> Any:
    return pytree.map_leaves(lambda p: "matrix" if p.dim() > 1 else "rest", tree)


def _partition(**hyper: Any) -> Any:
    rest = transform.scale_by_adam(0.7, 0.8)
    return transform.partition({"matrix": transform.scale_by_adam(**hyper), "rest": rest}, _shapes)


def _named_chain(*, step_size: Any, **hyper: Any) -> Any:
    parts = (transform.scale_by_adam(**hyper), transform.scale(step_size))
    return transform.named_chain(*zip(("adam", "descent"), parts, strict=True))


def _freeze(mask: Any = False) -> Any:
    return transform.freeze(mask)


def _selective_transform(mask: Any = False, **hyper: Any) -> Any:
    return transform.selective_transform(transform.scale_by_adam(**hyper), freeze_mask=mask)


def _apply_if_finite(**hyper: Any) -> Any:
    return transform.apply_if_finite(transform.scale_by_adam(**hyper), 3)


def _not_second(step: torch.Tensor) -> torch.Tensor:
    return step != 1


def _two_then_one(step: torch.Tensor) -> torch.Tensor:
    return torch.where(step < 1, 2, 1)


def _conditionally(wrap: Any, **hyper: Any) -> Any:
    return wrap(transform.scale_by_adam(**hyper), _not_second)


def _multi_steps(**hyper: Any) -> Any:
    return transform.MultiSteps(transform.scale_by_adam(**hyper), _two_then_one)


def _waiting(**hyper: Any) -> Any:
    return transform.MultiSteps(transform.scale_by_adam(**hyper), 4, use_grad_mean=False)


def _lookahead(*, sync_period: int, lr: Any, slow_step_size: Any, reset: bool = False) -> Any:
    fast = torchopt.adam(lr) if reset else torchopt.sgd(lr)
    return transform.lookahead(fast, sync_period, slow_step_size, reset_state=reset)


class _Examples:
    """Updates of which an example is made several, with a dimension of their own."""

    @staticmethod
    def init(params: Any) -> Any:
        return torchopt.base.EmptyState()

    @staticmethod
    def update(updates: Any, state: Any, **_: Any) -> Any:
        def examples(g: torch.Tensor) -> torch.Tensor:
            return torch.stack([0.1 * g, -0.4 * g, 1.5 * g])

        return pytree.map_leaves(examples, updates), state


def _aggregate(**hyper: Any) -> Any:
    examples = torchopt.base.GradientTransformation(_Examples.init, _Examples.update)
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

ADAM = {"b1": 0.8, "b2": 0.9, "eps": 0.05, "eps_root": 0.03}
MOMENTS = {"b1": 0.8, "b2": 0.95, "eps": 0.05}
AVERAGE = {"b1": 0.8, "weight_lr_power": 1.7}
ADEMAMIX = {**ADAM, "b3": 0.95, "alpha": 4.0}
ADOPT = {"b1": 0.8, "b2": 0.8, "eps": 0.9, "clip_value_fn": 1.2}
MADGRAD = {"lr": 0.3, "momentum": 0.8, "eps": 0.05}

YOGI = {**ADAM, "initial_accumulator_value": 0.3}
RPROP = {"lr": 0.3, "eta_minus": 0.5, "eta_plus": 1.3}

TRANSFORMS = [
    Case("identity", torchopt.base.identity),
    Case("scale", transform.scale, {"step_size": -0.7}),
    Case("scale_by_learning_rate", transform.scale_by_learning_rate, {"lr": 0.7}),
    Case("scale_by_schedule", _scale_by_line, {"begin": 0.9, "end": 0.2}),
    Case("add_decayed_weights", transform.add_decayed_weights, {"weight_decay": 0.3}),
    Case(
        "add_decayed_weights-mask",
        transform.add_decayed_weights,
        {"weight_decay": 0.3},
        {"mask": {"w": True, "b": False}},
    ),
    Case("trace", transform.trace, {"momentum": 0.8}),
    Case("trace-dampening", transform.trace, {"momentum": 0.8, "dampening": 0.3}),
    Case("trace-first", transform.trace, {"momentum": 0.8, "dampening": 0.3}, warm_up=0),
    Case("trace-nesterov", transform.trace, {"momentum": 0.8}, {"nesterov": True}),
    Case("scale_by_adam", transform.scale_by_adam, ADAM),
    Case("scale_by_adam-first", transform.scale_by_adam, ADAM, warm_up=0),
    Case("scale_by_accelerated_adam", transform.scale_by_accelerated_adam, ADAM),
    Case("scale_by_amsgrad", transform.scale_by_amsgrad, ADAM, warm_up=3),
    Case("scale_by_adamax", transform.scale_by_adamax, MOMENTS),
    Case("scale_by_radam-plain", transform.scale_by_radam, MOMENTS),
    Case("scale_by_radam-rectified", transform.scale_by_radam, MOMENTS, warm_up=9),
    Case("scale_by_adadelta", transform.scale_by_adadelta, {"rho": 0.8, "eps": 0.05}),
    Case("scale_by_rms", transform.scale_by_rms, {"alpha": 0.8, "eps": 0.05, "initial_scale": 0.4}),
    Case(
        "scale_by_stddev",
        transform.scale_by_stddev,
        {"alpha": 0.8, "eps": 0.05, "initial_scale": 2.4},
    ),
    Case("scale_by_rss", transform.scale_by_rss, {"initial_accumulator_value": 0.3, "eps": 0.05}),
    Case("scale_by_adam-nesterov", transform.scale_by_adam, ADAM, {"nesterov": True}),
    Case("scale_by_ademamix", transform.scale_by_ademamix, ADEMAMIX),
    Case("scale_by_adopt", transform.scale_by_adopt, ADOPT),
    Case("scale_by_adopt-nesterov", transform.scale_by_adopt, ADOPT, {"nesterov": True}),
    Case("scale_by_adopt-first", transform.scale_by_adopt, {"b1": 0.8}, warm_up=0),
    Case(
        "scale_by_optimistic_gradient",
        transform.scale_by_optimistic_gradient,
        {"alpha": 0.8, "beta": 1.3},
    ),
    Case("scale_by_madgrad", transform.scale_by_madgrad, MADGRAD),
    Case("scale_by_cocob", transform.scale_by_cocob, {"alpha": 5.0}, {"eps": 0.05}, warm_up=3),
    Case("scale_by_sign", transform.scale_by_sign),
    Case("scale_by_sign-smooth", transform.scale_by_sign, {"smooth": 0.7}),
    Case("scale_by_signum", transform.scale_by_signum),
    Case("scale_by_signum-smooth", transform.scale_by_signum, {"momentum": 0.8, "smooth": 0.7}),
    Case("add_noise", transform.add_noise, {"eta": 0.3, "gamma": 0.7}),
    Case(
        "schedule_free",
        _schedule_free,
        {"begin": 0.2, "end": 0.9, **AVERAGE},
        whole=("weight_lr_power",),
    ),
    Case("schedule_free-first", _schedule_free, {"begin": 0.2, "end": 0.9, "b1": 0.8}, warm_up=0),
    Case("project", _project_onto_box, {"lower": -0.9, "upper": 1.1}, whole=("lower", "upper")),
    Case("project-ball", _project_onto_ball, {"radius": 0.6}, whole=("radius",)),
    Case(
        "scale_by_rms-corrected",
        transform.scale_by_rms,
        {"alpha": 0.8, "eps": 0.05},
        {"bias_correction": True},
    ),
    Case("scale_by_nadam", transform.scale_by_nadam, {**MOMENTS, "momentum_decay": 2.0}),
    Case("scale_by_lion", transform.scale_by_lion),
    Case("scale_by_lion-smooth", transform.scale_by_lion, {"b1": 0.8, "b2": 0.9, "smooth": 0.7}),
    Case("scale_by_belief", transform.scale_by_belief, ADAM),
    Case("scale_by_belief-nesterov", transform.scale_by_belief, ADAM, {"nesterov": True}),
    Case("scale_by_yogi", transform.scale_by_yogi, YOGI),
    Case("scale_by_yogi-smooth", transform.scale_by_yogi, {**YOGI, "smooth": 0.5}),
    Case("scale_by_adan", transform.scale_by_adan, {**ADAM, "b3": 0.7}),
    Case("scale_by_adan-first", transform.scale_by_adan, {"eps": 0.05}, warm_up=0),
    Case(
        "scale_by_asgd",
        transform.scale_by_asgd,
        {"lr": 0.3, "lambd": 0.2, "alpha": 0.7, "t0": 0.6},
    ),
    # Later states have zeros, where the sign jumps.
    Case("scale_by_rprop-first", transform.scale_by_rprop, {"lr": 0.3}, warm_up=0),
    Case("scale_by_rprop-smooth", transform.scale_by_rprop, {**RPROP, "smooth": 0.8}),
    Case(
        "scale_by_rprop-bounds",
        transform.scale_by_rprop,
        {"min_step_size": 0.3, "max_step_size": 0.34, "smooth": 0.8},
        {"lr": 0.32},
    ),
    Case("nan_to_num", transform.nan_to_num),
    Case("register_hook", torchopt.register_hook, options={"hook": torchopt.hook.zero_nan_hook}),
    Case("clip_grad_norm", torchopt.clip_grad_norm, {"max_norm": 0.9}),
    Case("clip_grad_norm-idle", torchopt.clip_grad_norm, {"max_norm": 90.0}),
    Case("clip_grad_norm-1", torchopt.clip_grad_norm, {"max_norm": 0.9}, {"norm_type": 1}),
    Case("clip_grad_norm-3", torchopt.clip_grad_norm, {"max_norm": 0.9}, {"norm_type": 3.0}),
    Case("clip_grad_norm-inf", torchopt.clip_grad_norm, {"max_norm": 0.1}, {"norm_type": "inf"}),
    Case("masked", _masked_adam, ADAM),
    Case(
        "learned",
        transform.learned,
        {"step_size": 0.3, "exp_mult": 0.2},
        {"module": Rule(39)},
        per_leaf=("step_size", "exp_mult"),
    ),
    Case(
        "learned-celo",
        partial(_learned, _CELO),
        {"step_size": 0.3, "exp_mult": 0.2},
        per_leaf=("step_size", "exp_mult"),
    ),
]
TRANSFORMS += [
    Case(
        "scale_by_trust_ratio",
        transform.scale_by_trust_ratio,
        {"trust_coefficient": 0.7, "eps": 0.2},
        per_leaf=("trust_coefficient", "eps"),
    ),
    Case(
        "scale_by_trust_ratio-least",
        transform.scale_by_trust_ratio,
        {"min_norm": 9.0, "trust_coefficient": 0.7, "eps": 0.2},
        per_leaf=("min_norm", "trust_coefficient", "eps"),
    ),
    Case(
        "normalize_by_update_norm",
        transform.normalize_by_update_norm,
        {"scale_factor": -0.7, "eps": 0.2},
        whole=("scale_factor", "eps"),
    ),
    Case(
        "clip_by_block_rms",
        transform.clip_by_block_rms,
        {"threshold": 0.15},
        per_leaf=("threshold",),
    ),
    Case(
        "scale_by_novograd",
        transform.scale_by_novograd,
        {"b1": 0.8, "b2": 0.4, "eps": 0.05, "eps_root": 0.03, "weight_decay": 0.2},
        per_leaf=("b2", "eps", "eps_root"),
    ),
    Case(
        "scale_by_prodigy",
        transform.scale_by_prodigy,
        {"lr": 0.3, "b1": 0.8, "b2": 0.9, "eps": 0.05, "estim_lr0": 0.3},
        {"b3": 0.7, "safeguard_warmup": True, "weight_decay": 0.1},
        whole=("lr", "b1", "b2", "estim_lr0"),
    ),
    Case(
        "scale_by_dadapt_adam",
        transform.scale_by_dadapt_adam,
        {"lr": 0.3, "b1": 0.8, "b2": 0.9, "eps": 0.05, "estim_lr0": 0.3},
        whole=("lr", "b1", "b2", "eps", "estim_lr0"),
    ),
    Case(
        "scale_by_dog-first",
        lambda first, eps: transform.scale_by_dog(("learning_rate", first), eps),
        {"first": 0.3, "eps": 0.05},
        warm_up=0,
        whole=("first", "eps"),
    ),
]

_LOOKAHEAD = {"lr": 0.3, "slow_step_size": 0.6}

TRANSFORMS += [
    Case("partition", _partition, ADAM),
    Case("named_chain", _named_chain, {**ADAM, "step_size": -0.7}),
    Case("set_to_zero", transform.set_to_zero),
    Case("freeze", _freeze, options={"mask": {"w": True, "b": False}}),
    Case("selective_transform", _selective_transform, ADAM, {"mask": {"w": False, "b": True}}),
    Case("apply_if_finite", _apply_if_finite, ADAM),
    Case(
        "conditionally_transform",
        partial(_conditionally, transform.conditionally_transform),
        ADAM,
    ),
    Case(
        "conditionally_transform-skipped",
        partial(_conditionally, transform.conditionally_transform, b1=0.8),
        warm_up=1,
    ),
    Case("conditionally_mask", partial(_conditionally, transform.conditionally_mask), ADAM),
    Case(
        "conditionally_mask-skipped",
        partial(_conditionally, transform.conditionally_mask, b1=0.8),
        warm_up=1,
    ),
    Case("MultiSteps", _multi_steps, ADAM, warm_up=3),
    Case("MultiSteps-waiting", _waiting),
    Case("clip", transform.clip, {"max_delta": 0.7}),
    Case(
        "differentially_private_aggregate",
        _aggregate,
        {"l2_norm_clip": 1.2, "noise_multiplier": 0.4},
        whole=("l2_norm_clip", "noise_multiplier"),
    ),
    Case("ema", transform.ema, {"decay": 0.8}),
    Case("ema-biased", transform.ema, {"decay": 0.8}, {"debias": False}),
    Case("polyak_average", transform.polyak_average),
    Case("polyak_average-decay", transform.polyak_average, options={"decay": 0.8}),
    Case(
        "polyak_average-first",
        transform.polyak_average,
        {"decay": 0.8},
        warm_up=0,
        whole=("decay",),
    ),
    Case("lookahead", _lookahead, _LOOKAHEAD, {"sync_period": 2}),
    Case("lookahead-each", _lookahead, _LOOKAHEAD, {"sync_period": 1}),
    Case("lookahead-first", _lookahead, _LOOKAHEAD, {"sync_period": 1}, warm_up=0),
    Case("lookahead-reset", _lookahead, _LOOKAHEAD, {"sync_period": 2, "reset": True}),
    Case("snapshot", _snapshot),
    Case("monitor", _monitor),
    Case("measure_with_ema", partial(transform.measure_with_ema, squares), {"decay": 0.8}),
]


def loss(params: Any) -> torch.Tensor:
    """Return a positive function of all leaves, whose second derivatives are no diagonal."""
    terms = [(p.square() * (1 + 0.3 * p.sin())).sum() for p in leaves(params)]
    zero = torch.zeros((), dtype=terms[0].dtype if terms else None)
    return 3 * sum(terms, zero).add(1).log()


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
        given = _WithLoss(make(*parts, **options))
        return torchopt.base.GradientTransformation(given.init, given.update)

    return build


_SOPHIA = {"b1": 0.8, "b2": 0.7, "gamma": 2.0}

TRANSFORMS += [
    Case(
        "reduce_on_plateau",
        with_loss(transform.reduce_on_plateau),
        {"factor": 0.5},
        {"patience": 1, "rtol": 0.9},
        whole=("factor",),
    ),
    Case(
        "sam",
        with_loss(transform.sam, torchopt.sgd(0.3)),
        {"rho": 0.4},
        {"sync_period": 3},
        whole=("rho",),
    ),
    Case(
        "asam",
        with_loss(transform.asam, transform.scale_by_adam(0.8, 0.9)),
        {"rho": 0.4, "eta": 0.2},
        whole=("rho", "eta"),
    ),
    Case(
        "scale_by_sophia",
        with_loss(transform.scale_by_sophia),
        {**_SOPHIA, "clip_threshold": 0.9},
        {"update_interval": 2, "hessian_diagonal_fn": diagonal},
        warm_up=3,
    ),
    Case(
        "scale_by_sophia-free",
        with_loss(transform.scale_by_sophia),
        {"b1": 0.8, "eps": 5.0},
        {"clip_threshold": None, "update_interval": 2, "hessian_diagonal_fn": diagonal},
        warm_up=0,
    ),
    Case(
        "mechanize",
        with_loss(transform.mechanize, torchopt.adam(0.3, betas=(0.8, 0.9), eps=0.05)),
        {"weight_decay": 0.2, "eps": 0.05, "s_init": 0.3},
        {"num_betas": 3},
        whole=("weight_decay", "eps", "s_init"),
    ),
]

TRANSFORMS += [
    Case(
        "scale_by_backtracking_linesearch",
        with_loss(transform.scale_by_backtracking_linesearch),
        {"decrease_factor": 0.7, "increase_factor": 1.3},
        {"max_backtracking_steps": 3, "slope_rtol": 0.9, "max_learning_rate": 50.0},
        whole=("decrease_factor", "increase_factor"),
    ),
    Case(
        "scale_by_zoom_linesearch",
        with_loss(transform.scale_by_zoom_linesearch),
        options={"curv_rtol": 0.1},
    ),
    Case("scale_by_lbfgs", transform.scale_by_lbfgs, options={"memory_size": 3}, warm_up=4),
]

_MOMO = {"lr": 5.3, "beta": 0.8, "lower_bound": 0.2, "weight_decay": 0.1}

TRANSFORMS += [
    Case(
        "scale_by_polyak",
        with_loss(transform.scale_by_polyak),
        {"f_min": 0.3, "eps": 0.2},
        whole=("f_min", "eps"),
    ),
    Case(
        "scale_by_polyak-most",
        with_loss(transform.scale_by_polyak),
        {"max_learning_rate": 0.01},
        whole=("max_learning_rate",),
    ),
    Case("scale_by_momo", with_loss(transform.scale_by_momo), _MOMO, whole=tuple(_MOMO)),
    Case(
        "scale_by_momo-first",
        with_loss(transform.scale_by_momo),
        {"lr": 0.01},
        warm_up=0,
        whole=("lr",),
    ),
]

_DECAY = {"lr": 0.3, "weight_decay": 0.2}


def _leafwise(name: str, make: Callable[..., Any], hyper: dict[str, Any], **options: Any) -> Case:
    """Return a case whose hyperparameters but for these two are scalars for each leaf."""
    return Case(
        name, make, hyper, options, per_leaf=(*(hyper.keys() - {"weight_decay", "adam_lr"}),)
    )


def _with_eps(make: Callable[..., Any]) -> Callable[..., Any]:
    def build(*, eps1: Any, eps2: Any, **rest: Any) -> Any:
        return make(eps=(eps1, eps2), **rest)

    return build


def _with_coefficients(make: Callable[..., Any]) -> Callable[..., Any]:
    def build(*, a: Any, b: Any, c: Any, **rest: Any) -> Any:
        return make(ns_coefficients=(a, b, c), **rest)

    return build


def _masked_muon(**hyper: Any) -> Any:
    return transform.masked(transform.scale_by_muon(**hyper), _matrices)


def _matrices(tree: Any) -> Any:
    return pytree.map_leaves(lambda x: x.dim() > 1, tree)


_FACTOR = {"lr": 0.7, "beta2_decay": -0.8, "eps1": 1.3, "eps2": 1.1, "d": 0.3}
_MUON = {"momentum": 0.8, "a": 1.9, "b": -1.2, "c": 0.3}
_SOAP = {"b1": 0.8, "b2": 0.9, "eps": 0.05}
_KRON = {"precondition_lr": 0.6, "bound_decay": 0.8, "damping": 0.4}
_LOW_RANK = {"scale": 0.7, "b1": 0.8, "b2": 0.9, "eps": 0.05}

TRANSFORMS += [
    _leafwise("centralize", transform.centralize, {}),
    _leafwise("adaptive_grad_clip", transform.adaptive_grad_clip, {"clipping": 0.4, "eps": 1.2}),
    _leafwise("scale_by_adafactor", _with_eps(transform.scale_by_adafactor), _FACTOR),
    _leafwise("scale_by_sm3", transform.scale_by_sm3, {"b1": 0.8, "b2": 0.9, "eps": 0.05}),
    _leafwise("scale_by_muon", _with_coefficients(_masked_muon), _MUON, ns_steps=2),
    _leafwise(
        "scale_by_muon-plain",
        _with_coefficients(_masked_muon),
        _MUON,
        ns_steps=2,
        nesterov=False,
        adjust_lr_fn="match_rms_adamw",
    ),
    _leafwise("scale_by_shampoo", transform.scale_by_shampoo, {"matrix_eps": 0.3}),
    _leafwise("scale_by_soap", transform.scale_by_soap, _SOAP),
    _leafwise("scale_by_kron", transform.scale_by_kron, _KRON),
    _leafwise("scale_by_galore", transform.scale_by_galore, _LOW_RANK, rank=1),
]

ALIASES = [
    Case("sgd", torchopt.sgd, _DECAY),
    Case("sgd-maximize", torchopt.sgd, _DECAY, {"maximize": True}),
    Case("sgd-momentum", torchopt.sgd, {**_DECAY, "momentum": 0.8, "dampening": 0.3}),
    Case("sgd-nesterov", torchopt.sgd, {**_DECAY, "momentum": 0.8}, {"nesterov": True}),
    Case("adam", _with_betas(torchopt.adam), {**_DECAY, **ADAM}),
    Case("adam-amsgrad", _with_betas(torchopt.adam), {**_DECAY, **ADAM}, {"amsgrad": True}),
    Case("adamw", _with_betas(torchopt.adamw), {**_DECAY, **ADAM}),
    Case(
        "adamw-mask",
        _with_betas(torchopt.adamw),
        {**_DECAY, **ADAM},
        {"mask": {"w": True, "b": False}, "maximize": True},
    ),
    Case("rmsprop", torchopt.rmsprop, {**_DECAY, "alpha": 0.8, "eps": 0.05}),
    Case(
        "rmsprop-centered",
        torchopt.rmsprop,
        {**_DECAY, "alpha": 0.8, "eps": 0.05, "momentum": 0.7, "initial_scale": 2.4},
        {"centered": True, "nesterov": True},
    ),
    Case(
        "adagrad",
        torchopt.adagrad,
        {**_DECAY, "lr_decay": 0.2, "initial_accumulator_value": 0.3, "eps": 0.05},
    ),
    Case("adadelta", torchopt.adadelta, {**_DECAY, "rho": 0.8, "eps": 0.05}),
    Case("adamax", _with_betas(torchopt.adamax), {**_DECAY, **MOMENTS}),
    Case("radam-plain", _with_betas(torchopt.radam), {**_DECAY, **MOMENTS}),
    Case("radam-rectified", _with_betas(torchopt.radam), {**_DECAY, **MOMENTS}, warm_up=9),
    Case("ademamix", _with_three_betas(torchopt.ademamix), {**_DECAY, **ADEMAMIX}),
    Case("adopt", _with_betas(torchopt.adopt), {**_DECAY, **ADOPT}),
    Case("amsgrad", _with_betas(torchopt.amsgrad), {**_DECAY, **ADAM}, warm_up=3),
    Case("sign_sgd", torchopt.sign_sgd, {**_DECAY, "smooth": 0.7}),
    Case("signum", torchopt.signum, {**_DECAY, "momentum": 0.8, "smooth": 0.7}),
    Case(
        "optimistic_gradient_descent",
        torchopt.optimistic_gradient_descent,
        {**_DECAY, "alpha": 0.8, "beta": 1.3},
    ),
    Case(
        "optimistic_adam",
        _with_betas(torchopt.optimistic_adam),
        {**_DECAY, **ADAM, "alpha": 0.8, "beta": 1.3},
    ),
    Case("madgrad", torchopt.madgrad, {"weight_decay": 0.2, **MADGRAD}),
    Case("cocob", torchopt.cocob, {**_DECAY, "alpha": 5.0}, {"eps": 0.05}, warm_up=3),
    Case("schedule_free_sgd", torchopt.schedule_free_sgd, {**_DECAY, "b1": 0.8}, whole=("lr",)),
    Case(
        "schedule_free_adamw",
        _with_betas(torchopt.schedule_free_adamw),
        {**_DECAY, "b1": 0.8, "b2": 0.95, "eps": 0.05},
        {"weight_lr_power": 1.7},
        whole=("lr",),
    ),
    Case("noisy_sgd", torchopt.noisy_sgd, {**_DECAY, "eta": 0.3, "gamma": 0.7}),
]
_FIRST = ("first", "eps")


def _with_first(make: Callable[..., Any]) -> Callable[..., Any]:
    def build(*, first: Any, kind: str = "heuristic", **rest: Any) -> Any:
        return make(init_step=(kind, first), **rest)

    return build


ALIASES += [
    Case("nadam", _with_betas(torchopt.nadam), {**_DECAY, **MOMENTS, "momentum_decay": 2.0}),
    Case(
        "nadamw-mask",
        _with_betas(torchopt.nadamw),
        {**_DECAY, **MOMENTS},
        {"mask": {"w": True, "b": False}, "maximize": True},
    ),
    Case("lion", torchopt.lion, _DECAY),
    Case(
        "lion-smooth", _with_betas(torchopt.lion), {**_DECAY, "b1": 0.8, "b2": 0.9, "smooth": 0.7}
    ),
    Case("adabelief", _with_betas(torchopt.adabelief), {**_DECAY, **ADAM}),
    Case("yogi", _with_betas(torchopt.yogi), {**_DECAY, **YOGI}),
    Case("yogi-smooth", _with_betas(torchopt.yogi), {**_DECAY, **YOGI, "smooth": 0.5}),
    Case("adan", _with_three_betas(torchopt.adan), {**_DECAY, **ADAM, "b3": 0.7}),
    Case("adamaxw", _with_betas(torchopt.adamaxw), {**_DECAY, **MOMENTS}),
    Case("asgd", torchopt.asgd, {**_DECAY, "lambd": 0.2, "alpha": 0.7}, {"t0": 0.6}),
    Case("rprop", torchopt.rprop, {"lr": 0.3}, warm_up=0),
    Case("rprop-smooth", _rprop, {**RPROP, "weight_decay": 0.2, "low": 0.2, "smooth": 0.8}),
    Case("lamb", _with_betas(torchopt.lamb), {**_DECAY, **ADAM}),
    Case(
        "lars",
        torchopt.lars,
        {**_DECAY, "momentum": 0.8, "trust_coefficient": 0.7, "eps": 0.2},
        per_leaf=("trust_coefficient", "eps"),
    ),
    Case("fromage", torchopt.fromage, {"lr": 0.3, "min_norm": 9.0}, per_leaf=("min_norm",)),
    Case(
        "novograd",
        _with_betas(torchopt.novograd),
        {**_DECAY, "b1": 0.8, "b2": 0.4, "eps": 0.05, "eps_root": 0.03},
        per_leaf=("b2", "eps", "eps_root"),
    ),
    Case(
        "prodigy",
        _with_betas(torchopt.prodigy),
        {"lr": 0.3, "b1": 0.8, "b2": 0.9, "eps": 0.05, "weight_decay": 0.2, "estim_lr0": 0.3},
        whole=("lr", "b1", "b2", "estim_lr0"),
    ),
    Case(
        "dadapt_adamw",
        _with_betas(torchopt.dadapt_adamw),
        {"lr": 0.3, "b1": 0.8, "b2": 0.9, "eps": 0.05, "weight_decay": 0.2, "estim_lr0": 0.3},
        whole=("lr", "b1", "b2", "eps", "estim_lr0"),
    ),
    Case("dog", _with_first(torchopt.dog), {**_DECAY, "first": 0.3, "eps": 0.05}, whole=_FIRST),
    Case(
        "dog-layer_wise",
        _with_first(torchopt.dog),
        {**_DECAY, "first": 0.3, "eps": 0.05},
        {"kind": "distance", "layer_wise": True},
        per_leaf=_FIRST,
    ),
]
ALIASES += [
    _leafwise("adafactor", _with_eps(torchopt.adafactor), {**_DECAY, **_FACTOR}),
    _leafwise("sm3", torchopt.sm3, {**_DECAY, "momentum": 0.8, "eps": 0.05}),
    _leafwise(
        "muon",
        _with_coefficients(torchopt.muon),
        {**_DECAY, **_MUON, "adam_lr": 0.2},
        adam_eps=0.05,
        ns_steps=2,
    ),
    _leafwise(
        "shampoo", torchopt.shampoo, {**_DECAY, "momentum": 0.8, "matrix_eps": 0.3}, maximize=True
    ),
    _leafwise("soap", _with_betas(torchopt.soap), {**_DECAY, **_SOAP}, precondition_1d=True),
    _leafwise(
        "kron",
        torchopt.kron,
        {**_DECAY, "momentum": 0.8, **_KRON, "max_update_rms": 0.4},
        precondition_1d=True,
    ),
    _leafwise("galore", _with_betas(torchopt.galore), {**_DECAY, **_LOW_RANK}, rank=1),
]
_NAMED = {case.name.partition("-")[0] for case in ALIASES}
# Any other one is run with its defaults.
ALIASES += [
    Case(name, make, {"lr": 0.3}) for name, make in _public.ALIASES.items() if name not in _NAMED
]

CASES = TRANSFORMS + ALIASES


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

"""What the tests of the optimizers share: random trees, and one list of all transformations."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

import optree
import torch
from hypothesis import strategies as st

import _public
import torchopt
from torchopt import transform
from torchopt.pytree import flattening as pytree

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

    def build(self, **hyper: Any) -> Any:
        """Return the transformation, with some hyperparameters replaced."""
        return self.make(**{**self.hyper, **hyper}, **self.options)


def _with_betas(make: Callable[..., Any]) -> Callable[..., Any]:
    def build(*, b1: Any, b2: Any, **rest: Any) -> Any:
        return make(betas=(b1, b2), **rest)

    return build


def _scale_by_line(*, begin: Any, end: Any) -> Any:
    return transform.scale_by_schedule(torchopt.schedule.linear_schedule(begin, end, 7))


def _masked_adam(**hyper: Any) -> Any:
    return transform.masked(transform.scale_by_adam(**hyper), {"w": True, "b": False})


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
    ),
    Case("learned-celo", partial(_learned, _CELO), {"step_size": 0.3, "exp_mult": 0.2}),
]

_DECAY = {"lr": 0.3, "weight_decay": 0.2}

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

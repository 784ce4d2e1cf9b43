"""Betty's settings: its fields and defaults, which may be changed after they were made."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from inspect import Parameter, Signature, signature
from typing import Any, ClassVar, Literal

import torch
from torch import distributed as dist

from torchopt import checks, multilevel
from torchopt.diff import DifferentiationMode, OneStep
from torchopt.multilevel._config import _ONE, _POSITIVE
from torchopt.multilevel.compat._modes import READY
from torchopt.operators.linear import MixedHVP

__all__ = ["Config", "EngineConfig"]

Type = Literal["darts", "sama", "neumann", "cg", "unroll", "zero_order", "f2sa"]
Scale = Literal["exact", "betty"]
Precision = Literal["fp32", "bf16", "fp16"]

#: What means nothing here, and what to use instead.
_INSTEAD = dict.fromkeys(
    ("darts_multitask", "sama_multitask"),
    "the parameters come back from a finite difference bit for bit; move them in "
    "`on_inner_loop_start` if they are to be moved",
)

#: The fields of Betty 0.2.1, in its order; further ones are passed by name.
_CONFIG = """
    type unroll_steps first_order retain_graph allow_unused gradient_accumulation gradient_clipping
    precision initial_dynamic_scale scale_factor warmup_steps log_step log_local_step darts_alpha
    darts_multitask sama_adam_alpha sama_multitask neumann_iterations neumann_alpha cg_iterations
    cg_alpha
"""
_ENGINE = """
    train_iters valid_step logger_type roll_back backend strategy early_stopping early_stopping_mode
    early_stopping_tolerance early_stopping_metric
"""


def _in_order(cls: Any, order: str, **named: str) -> Signature:
    """Return the signature of a class whose fields of some names come first, in their order.

    Args:
        cls: The class.
        order: The names that come first.
        **named: The names of fields of the class by Betty's for them.
    """
    fields, names = dict(signature(cls).parameters), order.split()
    fields |= {name: fields.pop(own).replace(name=name) for name, own in named.items()}
    first = [fields[name].replace(kind=Parameter.POSITIONAL_OR_KEYWORD) for name in names]
    rest = [p.replace(kind=p.KEYWORD_ONLY) for name, p in fields.items() if name not in names]
    return Signature([*first, *rest])


def _warn(name: str, instead: str) -> None:
    checks.warn(f"`{name}` is accepted for programs written for Betty, but {instead}.")


@dataclass(frozen=True)
class _Config(multilevel.Config):
    type: Type | None = checks.field("darts", checks.or_none(checks.one_of(Type)))
    accumulate: Literal["batches", "turns"] = "turns"
    scale: Scale = checks.field("betty", checks.one_of(Scale))
    gradient_clipping: float | None = checks.field(0.0, checks.or_none(checks.NOT_NEGATIVE))
    # As in Betty, where "fp32" is the parameters' own dtype.
    precision: Precision = checks.field("fp32", checks.one_of(Precision))  # type: ignore[assignment]
    log_step: int | None = checks.field(-1, checks.or_none(checks.count(-1)))
    darts_alpha: float | None = checks.field(0.01, checks.or_none(_POSITIVE))
    neumann_iterations: int = checks.field(1, checks.count())
    neumann_alpha: float = checks.field(1.0, _POSITIVE)
    cg_iterations: int = checks.field(1, _ONE)
    cg_alpha: float = checks.field(1.0, _POSITIVE)
    f2sa_steps: int = checks.field(10, _ONE)
    f2sa_penalty: float = checks.field(10.0, _POSITIVE)
    first_order: bool = True
    retain_graph: bool = False
    allow_unused: bool = True
    darts_multitask: bool = False
    sama_adam_alpha: float = 1.0
    sama_multitask: bool = False
    fp16: bool = False

    _of_lowers: ClassVar[tuple[str, ...]] = (
        *multilevel.Config._of_lowers,
        *("type", "darts_alpha", "neumann_iterations", "neumann_alpha"),
        *("cg_iterations", "cg_alpha", "f2sa_steps", "f2sa_penalty"),
    )

    def __post_init__(self) -> None:
        if self.diff is not None and self.type == "darts":
            object.__setattr__(self, "type", None)
        if self.fp16:
            _warn("fp16", 'it is `precision="fp16"` here')
            object.__setattr__(self, "precision", "fp16")
        for name, instead in _INSTEAD.items():
            if getattr(self, name):
                _warn(name, f"it changes nothing: {instead}")
        self._check()

    def _check(self) -> None:
        multilevel.Config.__post_init__(self)
        if self.diff is not None and self.type is not None:
            raise ValueError(
                f"both `type` ({self.type!r}) and `diff` name a differentiation mode: pass one."
            )

    @property
    def _difference(self) -> float | None:
        """The relative size of the mode's finite difference; None for that which rounding asks for."""
        return self.sama_adam_alpha if self.type == "sama" else self.darts_alpha

    def _mode(
        self, rates: Callable[[], list[float]], *, has_lower: bool, adam: bool, sharded: bool
    ) -> DifferentiationMode:
        if self.diff is not None:
            return self.diff
        kind = self.type or "darts"
        differs = sharded or self.scale == "betty" or self._difference is not None
        hvp: MixedHVP = "finite_difference" if differs and not has_lower else "reverse"
        if self.scale == "betty" and (kind == "darts" or (kind == "sama" and not adam)):
            return OneStep(1.0, hvp=hvp, eps=self._difference, detached="moves")
        return READY[kind](self, rates, hvp)


class Config(_Config):
    """:class:`torchopt.multilevel.Config` with Betty's further fields and its defaults.

    ``type`` names a differentiation mode, instead of ``diff``: ``"darts"`` is the default ``diff`` of
    :class:`torchopt.multilevel.Config`, ``"sama"`` is ``OneStep()``, ``"neumann"`` and ``"cg"`` are
    ``Implicit()`` with so many steps of these linear solvers, ``"unroll"`` is ``Explicit()``,
    ``"zero_order"`` is ``ZeroOrder()``, and ``"f2sa"``, which Betty does not have, is
    ``ValueFunction(f2sa_penalty, steps=f2sa_steps, detached="moves")``.

    With ``scale="betty"``, the default, ``"darts"`` lacks the learning rate, ``"sama"`` lacks it unless
    the optimizer is an Adam, and both take finite differences, which move values that the loss
    detaches; with ``scale="exact"`` they are as above. The size of the finite difference, relative to
    the vector, is ``darts_alpha=0.01`` for ``"darts"``, and ``sama_adam_alpha=1.0`` for ``"sama"``;
    with None and the exact scale, the derivative is computed by autograd. ``accumulate="turns"`` is
    what Betty does. ``cg_alpha``, ``first_order``, ``retain_graph`` and ``allow_unused`` have no effect
    on the results. ``fp16=True``
    is ``precision="fp16"``, with a warning. ``darts_multitask`` and ``sama_multitask`` change nothing,
    with a warning. Betty's fields may be passed by position, in its order, and all others by name.

    Raises:
        ValueError: If a value is out of its range, also one that is assigned later.

    Example:
        >>> from torchopt.multilevel.compat.configs import Config
        >>> config = Config(unroll_steps=2)
        >>> config.type, config.scale, config.darts_alpha
        ('darts', 'betty', 0.01)
        >>> config.unroll_steps = 3
        >>> config.unroll_steps
        3
    """

    __signature__ = _in_order(_Config, _CONFIG)

    def __init__(self, *args: Any, **fields: Any) -> None:
        checks.check_keywords(type(self), fields)
        super().__init__(**self.__signature__.bind(*args, **fields).arguments)

    def __setattr__(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)
        self._check()


@dataclass(frozen=True)
class _EngineConfig(multilevel.EngineConfig):
    backend: str | None = "nccl"
    distributed: bool = False
    strategy: Any = "default"
    check: bool = False
    device: Any = None

    def __post_init__(self) -> None:
        several = dist.is_initialized() or int(os.environ.get("WORLD_SIZE", "1")) > 1
        changed: dict[str, Any] = {}
        if self.backend == "nccl" and not torch.cuda.is_available():
            changed["backend"] = "gloo"
        if self.strategy in ("cpu", "gpu"):
            device = "cpu" if self.strategy == "cpu" else "cuda"
            changed |= {"strategy": "default", "device": device}
        elif self.strategy == "zero":
            _warn(
                'strategy="zero"',
                'each process has the whole optimizer state, as with "distributed"; '
                'strategy="fsdp" divides it',
            )
            changed["strategy"] = "distributed"
        elif self.strategy == "accelerate":
            _warn(
                'strategy="accelerate"',
                'Accelerate is not used: start the program with `torchrun` and use "distributed"',
            )
            changed["strategy"] = "distributed" if several else "default"
        if self.distributed and not several:
            _warn("distributed=True", "this is one process: start several with `torchrun`")
            changed["distributed"] = False
        elif self.distributed and self.strategy == "default":
            changed["strategy"] = "distributed"
        for name, value in changed.items():
            object.__setattr__(self, name, value)
        super().__post_init__()


class EngineConfig(_EngineConfig):
    """:class:`torchopt.multilevel.EngineConfig` with Betty's names of strategies.

    ``"cpu"`` and ``"gpu"`` are one process there, ``"zero"`` and ``"accelerate"`` are
    ``"distributed"``, with a warning. ``backend`` is ``"nccl"``, and ``"gloo"`` where there is no GPU.
    Betty's fields may be passed by position, in its order, and all others by name.
    With ``check=True`` each training step is evaluated once more, before its first step, and a warning
    says where it does not read what the dependencies say.

    Raises:
        ValueError: If a value is out of its range, also one that is assigned later.

    Example:
        >>> from torchopt.multilevel.compat.configs import EngineConfig
        >>> EngineConfig(strategy="cpu").device
        'cpu'
    """

    __signature__ = _in_order(_EngineConfig, _ENGINE, logger_type="sink")

    def __init__(self, *args: Any, **fields: Any) -> None:
        if "sink" in fields:  # of `dataclasses.replace`
            fields["logger_type"] = fields.pop("sink")
        checks.check_keywords(type(self), fields)
        values = self.__signature__.bind(*args, **fields).arguments
        super().__init__(sink=values.pop("logger_type", "none"), **values)

    @property
    def logger_type(self) -> Any:
        """Where metrics go: ``sink`` of :class:`torchopt.multilevel.EngineConfig`."""
        return self.sink

    @logger_type.setter
    def logger_type(self, sink: Any) -> None:
        object.__setattr__(self, "sink", sink)

    def __setattr__(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)
        multilevel.EngineConfig.__post_init__(self)

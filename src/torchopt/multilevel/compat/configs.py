"""Betty's settings: its fields and defaults, which may be changed after they were made."""

from __future__ import annotations

import os
from dataclasses import dataclass
from inspect import Parameter, Signature, signature
from typing import Any, Literal

import torch
from torch import distributed as dist

from torchopt import checks, multilevel
from torchopt.multilevel._config import Type

__all__ = ["Config", "EngineConfig"]

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


def _in_order(cls: Any, order: str) -> Signature:
    """Return the signature of a class whose fields of some names come first, in their order."""
    fields, names = signature(cls).parameters, order.split()
    first = [fields[name].replace(kind=Parameter.POSITIONAL_OR_KEYWORD) for name in names]
    rest = [p.replace(kind=p.KEYWORD_ONLY) for name, p in fields.items() if name not in names]
    return Signature([*first, *rest])


def _warn(name: str, instead: str) -> None:
    checks.warn(f"`{name}` is accepted for programs written for Betty, but {instead}.")


@dataclass(frozen=True)
class _Config(multilevel.Config):
    type: Type | None = "darts"
    accumulate: Literal["batches", "turns"] = "turns"
    scale: Literal["exact", "betty"] = "betty"
    darts_alpha: float | None = 0.01
    darts_multitask: bool = False
    sama_adam_alpha: float = 1.0
    sama_multitask: bool = False
    fp16: bool = False

    def __post_init__(self) -> None:
        if self.diff is not None and self.type == "darts":
            object.__setattr__(self, "type", None)
        if self.fp16:
            _warn("fp16", 'it is `precision="fp16"` here')
            object.__setattr__(self, "precision", "fp16")
        for name, instead in _INSTEAD.items():
            if getattr(self, name):
                _warn(name, f"it changes nothing: {instead}")
        super().__post_init__()

    @property
    def _difference(self) -> float | None:
        return self.sama_adam_alpha if self.type == "sama" else self.darts_alpha


class Config(_Config):
    """:class:`torchopt.multilevel.Config` with Betty's further fields and its defaults.

    ``scale="betty"`` and ``accumulate="turns"`` are what Betty does; the size of the finite difference
    is ``darts_alpha=0.01`` for ``"darts"``, and ``sama_adam_alpha=1.0`` for ``"sama"``. ``fp16=True``
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
        super().__init__(**self.__signature__.bind(*args, **fields).arguments)

    def __setattr__(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)
        multilevel.Config.__post_init__(self)


@dataclass(frozen=True)
class _EngineConfig(multilevel.EngineConfig):
    backend: str | None = "nccl"
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

    __signature__ = _in_order(_EngineConfig, _ENGINE)

    def __init__(self, *args: Any, **fields: Any) -> None:
        super().__init__(**self.__signature__.bind(*args, **fields).arguments)

    def __setattr__(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)
        multilevel.EngineConfig.__post_init__(self)

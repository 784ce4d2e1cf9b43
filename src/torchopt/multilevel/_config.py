"""The settings of a problem and of a run."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from torchopt import checks
from torchopt.diff import DifferentiationMode
from torchopt.diff.modes import refuse_mode
from torchopt.diff.problem import is_mode
from torchopt.io.calls import CallRepr
from torchopt.logging import Sink
from torchopt.logging.making import check_sink
from torchopt.multilevel._modes import Descent

Accumulate = Literal["batches", "turns"]
Reduction = Literal["mean", "sum"]
Precision = Literal["bf16", "fp16"]
Mode = Literal["min", "max"]
Strategy = Literal["default", "distributed", "fsdp"]


_ONE = checks.count(1)
_POSITIVE = checks.Word(
    "use a positive number",
    holds=lambda x: isinstance(x, (int, float)) and not isinstance(x, bool) and x > 0,
)


@dataclass(frozen=True, kw_only=True)
class Config(checks.Checked, CallRepr):
    r"""How a problem trains, and how its solution is differentiated.

    Args:
        diff: How the solution is differentiated, such as ``diff.Implicit(CG())``: an estimate of
            :math:`v^\top d\theta^*/d\varphi`, where :math:`v` is the gradient of an upper loss in this
            problem's parameters :math:`\theta`. None is one step of gradient descent, :math:`-\eta\,
            v^\top \partial^2_{\theta\varphi} f`, with its own loss :math:`f` and the learning rate
            :math:`\eta` of its optimizer.
        unroll_steps: The number of steps of this problem per step of a problem above it.
        repeat: The number of steps that it makes in one turn, while the problems below it stay
            unchanged.
        gradient_accumulation: The number of batches for one step. The loss is their mean, also in the
            hypergradient.
        accumulate: Whether a step takes all ``"batches"`` at once, or one at each of as many
            ``"turns"`` of the problem. Between two turns, the problems below make their steps, so that
            an upper problem accumulates over the tasks of a meta-batch; ``count``, ``log_step`` and
            the scheduler then count turns. A mode that repeats the problem's steps takes the batches
            at once.
        reduction: Whether the loss of a batch is a ``"mean"`` over its examples (plus terms that do not
            depend on the batch), or a ``"sum"``. Only several processes need this: means are weighted
            by their numbers of examples (:meth:`Problem.num_examples`), and sums are added.
        gradient_clipping: The largest norm of a gradient; None for no bound.
        precision: None for the parameters' own dtype, ``"bf16"`` for autocast, or ``"fp16"`` for
            autocast with a scaled loss. Finite differences, and the derivatives of a solution with
            ``"fp16"``, are taken outside of autocast.
        initial_dynamic_scale: The first scale of ``"fp16"``.
        scale_factor: The factor by which the scale grows after 2,000 steps without overflow.
        warmup_steps: The number of steps that it makes before the problems above it begin.
        roll_back: Whether to undo its steps after an upper problem's step, and to repeat only the last
            one with the new upper parameters.
        log_step: The number of its steps between two logs of its metrics; None for never.
        log_local_step: Whether to log under the number of its own steps, instead of the number of the
            global step.

    Raises:
        TypeError: If ``diff`` is no differentiation mode.
        ValueError: If a value is out of its range, or a name is unknown.

    Example:
        >>> from torchopt.diff import Explicit
        >>> from torchopt.multilevel import Config
        >>> Config(diff=Explicit(), unroll_steps=10).unroll_steps
        10

    References:
        Choe et al., *Betty: An Automatic Differentiation Library for Multilevel Optimization*, 2023.
    """

    diff: DifferentiationMode | None = None
    unroll_steps: int = checks.field(1, _ONE)
    repeat: int = checks.field(1, _ONE)
    gradient_accumulation: int = checks.field(1, _ONE)
    accumulate: Accumulate = checks.field("batches", checks.one_of(Accumulate))
    reduction: Reduction = checks.field("mean", checks.one_of(Reduction))
    gradient_clipping: float | None = checks.field(None, checks.or_none(_POSITIVE))
    precision: Precision | None = checks.field(None, checks.or_none(checks.one_of(Precision)))
    initial_dynamic_scale: float = checks.field(4096.0, _POSITIVE)
    scale_factor: float = checks.field(2.0, _POSITIVE)
    warmup_steps: int = checks.field(0, checks.count())
    roll_back: bool = False
    log_step: int | None = checks.field(None, checks.or_none(_ONE))
    log_local_step: bool = False

    #: The settings that say how the solution is differentiated.
    _of_lowers: ClassVar[tuple[str, ...]] = ("diff", "unroll_steps")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.diff is not None and not is_mode(self.diff):
            refuse_mode(self.diff)

    def _mode(
        self, rates: Callable[[], list[float]], *, has_lower: bool, adam: bool, sharded: bool
    ) -> DifferentiationMode:
        """Return the mode of a problem.

        Args:
            rates: Returns the present learning rates of its optimizer, one for each tensor.
            has_lower: Whether there are problems below it. Their solutions do not move with the points
                of a finite difference, so mixed derivatives are always computed by autograd there.
            adam: Whether its optimizer is an Adam, which Betty's scale asks for.
            sharded: Whether modules may be sharded, so that they have first derivatives only.
        """
        differs = sharded and not has_lower
        return self.diff or Descent(rates, "finite_difference" if differs else "reverse", None)


@dataclass(frozen=True, kw_only=True)
class EngineConfig(checks.Checked, CallRepr):
    """The settings of a run of an :class:`Engine`.

    In a *global step*, each problem without lower problems makes a step (or waits for others), and the
    problems above make theirs when their turn comes.

    Args:
        train_iters: The number of global steps.
        valid_step: The number of global steps between two calls of ``Engine.validation``.
        sink: Where metrics go: ``"none"``, ``"console"``, ``"jsonl"``, ``"csv"``,
            ``"tensorboard"``, ``"wandb"``, a sink of :mod:`torchopt.logging`, or several of these.
        folder: The folder for the files of sinks.
        progress: Whether to show a progress bar; on a terminal only, see
            :class:`torchopt.logging.Progress`.
        early_stopping: Whether to stop when validation no longer improves.
        early_stopping_metric: The metric of ``validation`` that decides.
        early_stopping_mode: Whether ``"min"`` or ``"max"`` is better.
        early_stopping_tolerance: The number of validations without improvement before the run stops.
        roll_back: Whether all problems with an upper problem are rolled back; see :class:`Config`.
        checkpoint: The file to save the run to; None for none.
        checkpoint_step: The number of global steps between two checkpoints (a checkpoint waits while
            unrolled steps wait for an upper problem). The end of the run is saved, too.
        strategy: ``"default"`` is one process. With ``"distributed"``, several processes under
            ``torchrun`` run the program, each with its own
            part of the data (from a loader with a ``torch.utils.data.DistributedSampler``). Losses and
            hypergradients are those of all batches together, weighted by
            :meth:`Problem.num_examples`. All processes start with the parameters and buffers of the
            first process, and have its buffers after each step. Only the first process validates,
            logs and saves. Batch normalization uses the statistics of each process's part, unless
            :func:`torchopt.distributed.spmd.sync_batch_norm` has converted the module. ``"fsdp"`` also
            allows modules sharded by ``fully_shard`` over all processes, with the default ``diff``,
            ``OneStep(hvp="finite_difference")`` or ``ValueFunction(steps=K)``; then all processes
            validate.
        backend: The backend of the process group, if there is none yet; by default ``"nccl"`` on a
            GPU (with the GPU number ``LOCAL_RANK``), and ``"gloo"`` elsewhere.
        check: Whether to evaluate each training step once before the first step, without side
            effects, to compare what it reads with the dependencies.

    Raises:
        TypeError: If ``sink`` contains an object that is not a sink.
        ValueError: If a value is out of its range, or a name is unknown.
    """

    train_iters: int = checks.field(50000, checks.count())
    valid_step: int = checks.field(500, _ONE)
    sink: str | Sink | Sequence[str | Sink] = "none"
    folder: str | os.PathLike[str] | None = None
    progress: bool = False
    early_stopping: bool = False
    early_stopping_metric: str = "loss"
    early_stopping_mode: Mode = checks.field("min", checks.one_of(Mode))
    early_stopping_tolerance: int = checks.field(5, _ONE)
    roll_back: bool = False
    checkpoint: str | os.PathLike[str] | None = None
    checkpoint_step: int = checks.field(500, _ONE)
    strategy: Strategy = checks.field("default", checks.one_of(Strategy))
    backend: str | None = None
    check: bool = True

    def __post_init__(self) -> None:
        super().__post_init__()
        try:
            check_sink(self.sink)
        except (TypeError, ValueError) as error:
            raise type(error)(f"`sink` names no sink. {error}") from None

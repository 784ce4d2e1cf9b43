"""Learned optimizers: a network that makes each element's update of features of its gradients."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import torch
from torch import nn

from torchopt import checks
from torchopt.io.calls import CallRepr, records_call
from torchopt.ops import running_mean
from torchopt.transform import hyperparameters
from torchopt.transform.chaining import GradientTransformation, leafwise

__all__ = ["LearnedState", "ParameterFeatures", "learned"]

Decays = Sequence[float] | torch.Tensor


class LearnedState(NamedTuple):
    """For each leaf the tuple of the running means, with a last axis of decays; and its updates.

    The means are :math:`(m, v, r, c)` of :class:`ParameterFeatures`.
    """

    means: Any
    count: Any
    step: Any = ()


@dataclass(frozen=True, kw_only=True)
class ParameterFeatures(CallRepr):
    r"""What the network of a learned optimizer sees of each element of a parameter.

    With running means :math:`m` of gradients, :math:`v` of squared gradients, and :math:`r` and
    :math:`c` of the means of squared gradients over the longest axis and over the second longest one,
    as in Adafactor (of a leaf with fewer than two axes, both are running means of its squared
    gradients), the features are, in this order,

    .. math::
        g, \quad \theta, \quad m, \quad v, \quad \frac{m}{\sqrt v}, \quad \frac{1}{\sqrt v}, \quad
        \frac{g}{\sqrt{\hat r c}}, \quad r, \quad c, \quad \frac{1}{\sqrt r}, \quad
        \frac{1}{\sqrt c}, \quad \frac{m}{\sqrt{\hat r c}}, \quad
        \tanh\Bigl(\frac{t}{\tau} - 1\Bigr),

    where :math:`\hat r` is :math:`r` divided by its mean, and :math:`t` is the number of earlier updates
    of the leaf. There is one :math:`m`, :math:`v`, :math:`r` and :math:`c` for each decay, and small
    numbers are added below the roots. All but the last are divided by their root mean square over the
    leaf, so that units do not matter.

    The defaults are the 39 features of Metz et al., 2022. ``ParameterFeatures(momentum_decays=(0.1, 0.5,
    0.9, 0.99, 0.999, 0.9999), rms_decays=(), factored_decays=())`` are the 19 of Metz et al., 2020, and
    ``ParameterFeatures(clip=0.1, timescales=())`` the 30 of Celo.

    Args:
        momentum_decays: The decays of :math:`m`: numbers, or a vector, which may be learned.
        rms_decays: The decays of :math:`v`: none, one, or as many as of :math:`m`.
        factored_decays: The decays of :math:`r` and :math:`c`: none, one, or as many as of :math:`m`.
        timescales: The timescales :math:`\tau`, in updates.
        clip: If it is given, there are also :math:`g` clamped to :math:`\pm` this (after :math:`g`) and
            :math:`g / \sqrt v` (after :math:`g / \sqrt{\hat r c}`).

    Raises:
        ValueError: If there are no decays of :math:`m`, if the numbers of decays do not fit, or if a number
            is out of its range.

    Example:
        >>> ParameterFeatures().size
        39
        >>> ParameterFeatures(clip=0.1, timescales=()).size
        30

    References:
        Metz et al., *Practical Tradeoffs between Memory, Compute, and Performance in Learned
        Optimizers*, 2022, appendix A. Metz et al., *Tasks, Stability, Architecture, and Compute:
        Training More Effective Learned Optimizers, and Using Them to Train Themselves*, 2020.
    """

    momentum_decays: Decays = (0.9, 0.99, 0.999)
    rms_decays: Decays = (0.999,)
    factored_decays: Decays = (0.9, 0.99, 0.999)
    timescales: Sequence[float] = (1, 3, 10, 30, 100, 300, 1000, 3000, 10_000, 30_000, 100_000)
    clip: float | None = None

    def __post_init__(self) -> None:
        number = len(self.momentum_decays)
        if not number:
            raise ValueError("`momentum_decays` is empty: give one decay at least, such as (0.9,).")
        for name in ("momentum_decays", "rms_decays", "factored_decays"):
            decays = getattr(self, name)
            if len(decays) not in (0, 1, number):
                raise ValueError(
                    f"`{name}` has {len(decays)} decays, but `momentum_decays` has {number}: use none, "
                    f"one, or as many."
                )
            if not isinstance(decays, torch.Tensor):
                object.__setattr__(self, name, tuple(decays))
                for decay in decays:
                    hyperparameters.check(name, decay, upper=1.0, schedules=False)
        object.__setattr__(self, "timescales", tuple(self.timescales))
        if not all(tau > 0 for tau in self.timescales):
            raise ValueError(f"`timescales` is {self.timescales}: use positive numbers.")
        if self.clip is not None and not self.clip > 0:
            raise ValueError(f"`clip` is {self.clip}: use a positive number, or None.")

    @property
    def size(self) -> int:
        """The number of features."""
        m, v, r = len(self.momentum_decays), len(self.rms_decays), len(self.factored_decays)
        of_rms = (m + 2 * v if v else 0) + (0 if self.clip is None else 1 + v)
        return 2 + m + of_rms + (m + 5 * r if r else 0) + len(self.timescales)

    def init(self, p: torch.Tensor) -> tuple[torch.Tensor, ...]:
        """Return the means of a leaf at the beginning: zeros."""
        shape, at = list(p.shape), _factored_axes(p.shape)
        rows, columns = [*shape], [*shape] if at else [0]
        if at:
            rows[at[0]] = columns[at[1]] = 1
        m, v, r = len(self.momentum_decays), len(self.rms_decays), len(self.factored_decays)
        shapes = ([*shape, m], [*shape, v], [*rows, r], [*columns, r])
        return tuple(p.new_zeros(s, dtype=_precision(p)) for s in shapes)

    def advance(self, g: torch.Tensor, means: Sequence[torch.Tensor]) -> tuple[torch.Tensor, ...]:
        """Return the means after a gradient."""
        momentum, rms, rows, columns = means
        g, at = g[..., None], _factored_axes(g.shape)
        square = g * g
        momentum = running_mean(momentum, g, _vector(self.momentum_decays, g))
        rms = running_mean(rms, square, _vector(self.rms_decays, g))
        decays = _vector(self.factored_decays, g)
        if at is None:
            return momentum, rms, running_mean(rows, square + _TINY, decays), columns
        longest, second = at
        rows = running_mean(rows, square.mean(longest, keepdim=True) + _TINY, decays)
        columns = running_mean(columns, square.mean(second, keepdim=True) + _TINY, decays)
        return momentum, rms, rows, columns

    def __call__(
        self, g: torch.Tensor, p: torch.Tensor, means: Sequence[torch.Tensor], t: Any
    ) -> torch.Tensor:
        """Return the features of a leaf, along a last axis.

        Args:
            g: Its gradient.
            p: The parameter.
            means: What :meth:`advance` returned.
            t: The number of updates before this one.
        """
        momentum, rms, rows, columns = means
        at = _factored_axes(g.shape)
        g, p = g[..., None], p[..., None]
        features = [g] if self.clip is None else [g, g.clamp(-self.clip, self.clip)]
        features += [p, momentum]
        root = (rms + 1e-6).rsqrt()
        if rms.shape[-1]:
            features += [rms, momentum * root, root]
        if rows.shape[-1]:
            if at is None:
                columns, of_g, of_m = rows, _safe_rsqrt(rows + 1e-9), (rows + 1e-6).rsqrt()
            else:
                relative = rows / (rows.mean(at[1], keepdim=True) + 1e-9)
                of_g = of_m = _safe_rsqrt(relative) * _safe_rsqrt(columns)
            features.append(g * of_g)
        if self.clip is not None and rms.shape[-1]:
            features.append(g * root)
        if rows.shape[-1]:
            features += [rows, columns, (rows + 1e-8).rsqrt(), (columns + 1e-8).rsqrt()]
            features.append(momentum * of_m)
        axes = tuple(range(g.dim() - 1))
        shape = g.shape[:-1]
        seen = torch.cat([f.expand(*shape, f.shape[-1]) for f in features], -1)
        # A leaf without axes is its own mean.
        square = seen.square()
        seen = seen * ((square.mean(axes, keepdim=True) if axes else square) + 1e-5).rsqrt()
        ages = torch.tanh(t / _vector(self.timescales, seen) - 1).to(seen.dtype)
        return torch.cat([seen, ages.expand(*shape, len(self.timescales))], -1)


_DEFAULT = ParameterFeatures()
_TINY = 1e-30  # as in Adafactor


def _precision(t: torch.Tensor) -> torch.dtype:
    """Return the dtype of the features: the smallest terms below roots vanish in half precision."""
    return torch.promote_types(t.dtype, torch.float32)


def _vector(values: Any, like: torch.Tensor) -> torch.Tensor:
    return torch.as_tensor(values, dtype=like.dtype, device=like.device)


def _factored_axes(shape: Sequence[int]) -> tuple[int, int] | None:
    """Return the longest axis and the second longest one, or None if there are fewer than two."""
    order = sorted(range(len(shape)), key=shape.__getitem__)
    return (order[-1], order[-2]) if len(order) > 1 else None


def _safe_rsqrt(x: torch.Tensor) -> torch.Tensor:
    return x.clamp(min=1e-9).rsqrt()


@dataclass(frozen=True)
class _Formula:
    """The update of a leaf."""

    module: Callable[[torch.Tensor], torch.Tensor]
    features: ParameterFeatures
    multiply_by_parameter_scale: bool

    def __call__(
        self,
        g: torch.Tensor,
        p: torch.Tensor,
        means: tuple[torch.Tensor, ...],
        *,
        step_size: Any,
        exp_mult: Any,
        t: Any,
    ) -> tuple[torch.Tensor, tuple[torch.Tensor, ...]]:
        dtype = _precision(g)
        g, p = g.to(dtype), p.to(dtype)
        means = self.features.advance(g, means)
        seen = self.features(g, p, means, t - 1)
        parameter = next(self.module.parameters(), seen) if isinstance(self.module, nn.Module) else seen
        out = self.module(seen.to(parameter.dtype))
        if out.shape[:-1] != seen.shape[:-1] or out.dim() != seen.dim() or not out.shape[-1]:
            raise ValueError(
                f"the module made outputs of shape {tuple(out.shape)} of features of shape "
                f"{tuple(seen.shape)}: return a direction and, if it likes, a magnitude, along the last "
                f"axis, in place of the {seen.shape[-1]} features."
            )
        step = out[..., 0].to(dtype) * step_size
        if out.shape[-1] > 1:
            step = step * (exp_mult * out[..., 1].to(dtype)).exp()
        if self.multiply_by_parameter_scale:
            step = step * (p.square().mean() + 1e-9).sqrt()
        return -step, means


def _age(t: Any, **hyper: Any) -> dict[str, Any]:
    return {"t": t}


@records_call
def learned(
    module: Callable[[torch.Tensor], torch.Tensor],
    *,
    features: ParameterFeatures = _DEFAULT,
    step_size: Any = 0.001,
    exp_mult: Any = 0.001,
    multiply_by_parameter_scale: bool = False,
) -> GradientTransformation:
    r"""Let a network make the update of each element of a parameter of some features.

    With :math:`x` the features of an element, and two outputs :math:`(d, m) = \text{module}(x)`,

    .. math:: u = -\alpha \, d \, \exp(\lambda m)

    The tensors that the module reads are hyperparameters: they are learned like any other, by
    differentiating through the steps, under each policy of :class:`torchopt.diff.Explicit`; or by
    :class:`torchopt.diff.zero_order.PersistentES`, where backpropagation through many steps explodes. Give
    ``module`` as ``partial(torch.func.functional_call, net, weights)`` to pass them explicitly. The update
    has its sign, and needs no learning rate.

    A schedule as ``step_size`` may be learned, too: with a function of the step whose tensors
    require grad, this is the two-stage optimizer Celo, but for its scheduler's recurrence and loss
    features. First learn the module with a constant ``step_size``, then freeze it and learn the
    schedule.

    Args:
        module: A function, such as a ``torch.nn.Module``, of features of shape ``(*shape, features.size)``
            to outputs of shape ``(*shape, 2)``: direction and magnitude. With one output it is the direction.
            Further ones are ignored. Features are in the dtype of the module's parameters; if it is
            no module or has none, in that of the gradient, but at least in float32.
        features: What the network sees.
        step_size: The factor :math:`\alpha`: a number, a schedule, a tensor, or a tree of these.
        exp_mult: The factor :math:`\lambda` of the magnitude.
        multiply_by_parameter_scale: Whether to multiply the update of a leaf by the root mean square of
            the parameter, as Celo does.

    Returns:
        A gradient transformation. It reads the parameters. Its state has the dtype of the leaf,
        but at least float32. A NaN in a gradient makes the updates of that leaf NaN.

    Raises:
        ValueError: At an update, if the module's outputs do not have the shape of its features but for
            the last axis.

    Example:
        One meta-step: 20 steps on a quadratic, and the derivative of the loss after them.

        >>> import torch, torchopt
        >>> features = ParameterFeatures(timescales=(1, 10, 100))
        >>> net = torch.nn.Sequential(
        ...     torch.nn.Linear(features.size, 8), torch.nn.ReLU(), torch.nn.Linear(8, 2))
        >>> tx = learned(net, features=features, step_size=0.1)
        >>> objective = lambda x: (x**2).sum()
        >>> solution = torchopt.minimize(objective, torch.ones(3), solver=tx, steps=20)
        >>> objective(solution.params).backward()
        >>> net[0].weight.grad.shape
        torch.Size([8, 31])

    References:
        Metz et al., *Practical Tradeoffs between Memory, Compute, and Performance in Learned
        Optimizers*, 2022. Moudgil et al., *Celo: Training Versatile Learned Optimizers on a Compute
        Diet*, 2025.
    """
    hyperparameters.check("step_size", step_size, lower=None)
    hyperparameters.check("exp_mult", exp_mult, lower=None)
    return leafwise(
        _Formula(module, features, multiply_by_parameter_scale),
        state=LearnedState,
        slots={"means": features.init},
        hyper={"step_size": step_size, "exp_mult": exp_mult},
        scalars=_age,
        needs_params=True,
    )

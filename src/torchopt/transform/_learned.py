"""Learned optimizers: a network makes the update of each element from features of its gradients."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import torch
from torch import nn

from torchopt import checks
from torchopt.io.calls import CallRepr, records_call
from torchopt.ops import running_mean
from torchopt.prox.vectors import bounded, unit
from torchopt.pytree.typing import Hyperparameter, Numeric
from torchopt.transform import hyperparameters
from torchopt.transform.beyond_elements import leafwise
from torchopt.transform.chaining import GradientTransformation

Means = tuple[torch.Tensor, ...]


class LearnedState(NamedTuple):
    """The running means of :class:`ParameterFeatures`, the updates of each leaf, and all updates.

    The means of a leaf are the tuple ``(m, v, r, c)``, without ``c`` if the leaf has fewer than two
    axes. Their last axis is that of the decays. All updates are counted if there is a schedule.
    """

    means: Any
    count: Any
    step: Any = ()


@dataclass(frozen=True, kw_only=True)
class ParameterFeatures(CallRepr):
    r"""What the network of a learned optimizer sees of each element of a parameter.

    For each decay there are running means: :math:`m` of the gradient :math:`g`, :math:`v` of its
    square, and, as in Adafactor, :math:`r` and :math:`c` of the mean of its square over the longest
    axis of the leaf and over the second longest one. Of a leaf with fewer than two axes, :math:`r` and
    :math:`c` are both the running mean of the square. The features are, in this order,

    .. math::
        g, \quad \theta, \quad m, \quad v, \quad \frac{m}{\sqrt v}, \quad \frac{1}{\sqrt v}, \quad
        \frac{g}{\sqrt{\hat r c}}, \quad r, \quad c, \quad \frac{1}{\sqrt r}, \quad
        \frac{1}{\sqrt c}, \quad \frac{m}{\sqrt{\hat r c}}, \quad
        \tanh\Bigl(\frac{t}{\tau} - 1\Bigr),

    where :math:`\hat r` is :math:`r` divided by its mean, and :math:`t` is the number of earlier
    updates of the leaf. All but the last are divided by their root mean square over the leaf. Small
    numbers below the roots, those of the paper's code, keep the features and their derivatives finite
    at zero gradients. Which features there are, and so the arguments, may change with any release.

    The defaults are the 39 features of Metz et al., 2022. The 19 of Metz et al., 2020, are
    ``ParameterFeatures(momentum_decays=(0.1, 0.5, 0.9, 0.99, 0.999, 0.9999), rms_decays=(),
    factored_decays=())``, and the 30 of Celo are ``ParameterFeatures(clip=0.1, timescales=())``.

    Args:
        momentum_decays: The decays of :math:`m`: numbers, or a vector, which may require grad.
        rms_decays: The decays of :math:`v`: none, one, or as many as of :math:`m`.
        factored_decays: The decays of :math:`r` and :math:`c`: none, one, or as many as of :math:`m`.
        timescales: The timescales :math:`\tau`, in updates.
        clip: If given, :math:`g` clamped to :math:`\pm` this number follows :math:`g`, and
            :math:`g / \sqrt v` follows :math:`g / \sqrt{\hat r c}`.

    Raises:
        ValueError: If there are no decays of :math:`m`, the numbers of decays do not fit, or a number
            is out of its range.
        TypeError: If decays are a sequence of tensors.

    Example:
        >>> ParameterFeatures().size
        39
        >>> ParameterFeatures(clip=0.1, timescales=()).size
        30

    References:
        Metz et al., *Practical Tradeoffs between Memory, Compute, and Performance in Learned
        Optimizers*, 2022 (``adafac_mlp_lopt`` of their code). Metz et al., *Tasks, Stability,
        Architecture, and Compute*, 2020 (``mlp_lopt``). Moudgil et al., *Celo: Training Versatile
        Learned Optimizers on a Compute Diet*, 2025.
    """

    __promised__: ClassVar[tuple[str, ...]] = ("size",)
    momentum_decays: Sequence[float] | torch.Tensor = (0.9, 0.99, 0.999)
    rms_decays: Sequence[float] | torch.Tensor = (0.999,)
    factored_decays: Sequence[float] | torch.Tensor = (0.9, 0.99, 0.999)
    timescales: Sequence[float] = (1, 3, 10, 30, 100, 300, 1000, 3000, 10_000, 30_000, 100_000)
    clip: float | None = None

    def __post_init__(self) -> None:
        number = len(self.momentum_decays)
        if not number:
            raise ValueError("`momentum_decays` is empty: give at least one decay, such as (0.9,).")
        for name in ("momentum_decays", "rms_decays", "factored_decays"):
            decays = getattr(self, name)
            if len(decays) not in (0, 1, number):
                raise ValueError(
                    f"`{name}` has {len(decays)} decays, but `momentum_decays` has {number}: use "
                    f"none, one, or as many."
                )
            if not isinstance(decays, torch.Tensor):
                if any(isinstance(decay, torch.Tensor) for decay in decays):
                    raise TypeError(f"`{name}` has tensors in it: stack them into one vector.")
                object.__setattr__(self, name, tuple(decays))
                hyperparameters.check(name, tuple(decays), upper=1.0, schedules=False)
        object.__setattr__(self, "timescales", tuple(self.timescales))
        for index, tau in enumerate(self.timescales):
            checks.check(f"timescales[{index}]", tau, checks.POSITIVE)
        checks.check("clip", self.clip, checks.or_none(checks.POSITIVE))

    @property
    def size(self) -> int:
        """The number of features."""
        m, v, r = len(self.momentum_decays), len(self.rms_decays), len(self.factored_decays)
        of_rms = (m + 2 * v if v else 0) + (0 if self.clip is None else 1 + v)
        return 2 + m + of_rms + (m + 5 * r if r else 0) + len(self.timescales)

    def init(self, p: torch.Tensor) -> Means:
        """Return the running means of a leaf at the beginning, zeros."""
        m, v, r = len(self.momentum_decays), len(self.rms_decays), len(self.factored_decays)
        sizes = [[*p.shape, m], [*p.shape, v]]
        for axis in _factored_axes(p) or (None,):
            sizes.append([1 if k == axis else size for k, size in enumerate(p.shape)] + [r])
        return tuple(map(p.new_zeros, sizes))

    def advance(self, g: torch.Tensor, means: Means) -> Means:
        """Return the running means after a gradient."""
        momentum, rms, *factors = means
        axes, g = _factored_axes(g), g[..., None]
        square = g * g
        momentum = running_mean(momentum, g, _vector(self.momentum_decays, g))
        rms = running_mean(rms, square, _vector(self.rms_decays, g))
        decays, square = _vector(self.factored_decays, g), square + 1e-30
        squares = [square.mean(k, keepdim=True) for k in axes] if axes else [square]
        new = (running_mean(old, x, decays) for old, x in zip(factors, squares, strict=True))
        return momentum, rms, *new

    def __call__(self, g: torch.Tensor, p: torch.Tensor, means: Means, t: Numeric) -> torch.Tensor:
        """Return the features of a leaf, with a last axis of features.

        Args:
            g: Its gradient.
            p: The parameter.
            means: What :meth:`advance` returned.
            t: The number of earlier updates.
        """
        momentum, rms, rows = means[:3]
        axes, shape = _factored_axes(g), g.shape
        g, p = g[..., None], p[..., None]
        features = [g] if self.clip is None else [g, g.clamp(-self.clip, self.clip)]
        features += [p, momentum]
        inverse_root = (rms + 1e-6).rsqrt()
        if len(self.rms_decays):
            features += [rms, momentum * inverse_root, inverse_root]
        if len(self.factored_decays):
            if axes is None:
                columns, of_g, of_m = rows, _safe_rsqrt(rows + 1e-9), (rows + 1e-6).rsqrt()
            else:
                columns = means[3]
                relative = rows / (rows.mean(axes[1], keepdim=True) + 1e-9)
                of_g = of_m = _safe_rsqrt(relative) * _safe_rsqrt(columns)
            features.append(g * of_g)
        if self.clip is not None:
            features.append(g * inverse_root)
        if len(self.factored_decays):
            features += [rows, columns, (rows + 1e-8).rsqrt(), (columns + 1e-8).rsqrt()]
            features.append(momentum * of_m)
        seen = torch.cat([x.expand(*shape, x.shape[-1]) for x in features], -1)
        over_leaf = tuple(range(len(shape)))
        # Squares of second moments are fourth powers, which may be no numbers.
        largest = seen.detach().abs()
        if over_leaf:  # of a leaf without elements, nothing is the largest
            reduce = torch.amax if seen.numel() else torch.sum
            largest = reduce(largest, over_leaf, keepdim=True)
        scale = unit(largest).clamp(min=1)
        seen = seen / scale
        # A mean over no axes would be one over all.
        square = seen.square().mean(over_leaf, keepdim=True) if over_leaf else seen.square()
        ages = torch.tanh(t / _vector(self.timescales, seen) - 1).to(seen.dtype)
        normal = seen * (square + 1e-5 / (scale * scale)).rsqrt()
        return torch.cat([normal, ages.expand(*shape, -1)], -1)


_DEFAULT = ParameterFeatures()


def _vector(values: Any, like: torch.Tensor) -> torch.Tensor:
    return torch.as_tensor(values, dtype=like.dtype, device=like.device)


def _factored_axes(leaf: torch.Tensor) -> tuple[int, int] | None:
    """Return the longest axis and the second longest one; None if there are fewer."""
    order = sorted(range(leaf.dim()), key=leaf.shape.__getitem__)
    return (order[-1], order[-2]) if len(order) > 1 else None


def _safe_rsqrt(x: torch.Tensor) -> torch.Tensor:
    return x.clamp(min=1e-9).rsqrt()


@dataclass(frozen=True)
class _Formula:
    """The update of a leaf, and its new means."""

    module: Callable[[torch.Tensor], torch.Tensor]
    features: ParameterFeatures
    multiply_by_parameter_scale: bool

    def __call__(
        self,
        g: torch.Tensor,
        p: torch.Tensor,
        means: Means,
        *,
        step_size: Any,
        exp_mult: Any,
        t: Any,
    ) -> tuple[torch.Tensor, Means]:
        dtype = p.dtype
        g = bounded(g.to(dtype))
        means = self.features.advance(g, tuple(x.to(dtype) for x in means))
        seen = self.features(g, p, means, t - 1)
        weights = self.module.parameters() if isinstance(self.module, nn.Module) else iter(())
        out = self.module(seen.to(next(weights, seen).dtype)).to(dtype)
        if out.shape[:-1] != seen.shape[:-1] or not out.shape[-1]:
            raise ValueError(
                f"the module made outputs of shape {tuple(out.shape)} of features of shape "
                f"{tuple(seen.shape)}: return a direction and a magnitude along the last axis."
            )
        step = step_size * out[..., 0]
        if out.shape[-1] > 1:
            step = step * (exp_mult * out[..., 1]).exp()
        if self.multiply_by_parameter_scale:
            step = step * (p.square().mean() + 1e-9).sqrt()
        return -step, means


def _count(t: Any, **hyper: Any) -> dict[str, Any]:
    return {"t": t}


@records_call
def learned(
    module: Callable[[torch.Tensor], torch.Tensor],
    *,
    features: ParameterFeatures = _DEFAULT,
    step_size: Hyperparameter = 0.001,
    exp_mult: Hyperparameter = 0.001,
    multiply_by_parameter_scale: bool = False,
) -> GradientTransformation:
    r"""Let a network make the update of each element of the parameters.

    With the features :math:`x` of an element and the outputs :math:`(d, m) = \text{module}(x)`, the
    update is

    .. math:: u = -\alpha \, d \, \exp(\lambda m)

    It has its sign, and needs no learning rate. The tensors that the module reads are hyperparameters:
    their gradient comes from the steps, under each policy of :class:`torchopt.diff.Explicit`. Where
    backpropagation through many steps explodes, :class:`torchopt.diff.zero_order.PersistentES`
    estimates it. To pass them explicitly, give ``module`` as
    ``functools.partial(torch.func.functional_call, net, weights)``.

    Celo is a learned rule with a learned scheduler, trained one after the other. The rule has
    ``ParameterFeatures(clip=0.1, timescales=())`` and ``multiply_by_parameter_scale=True``. The
    scheduler can be any schedule as ``step_size``, such as a network of the fraction of steps done.
    Celo's own is an LSTM that also sees the losses so far; a schedule sees the step only.

    Args:
        module: A function, such as a ``torch.nn.Module``, of features of shape
            ``(*shape, features.size)``. It returns a tensor of shape ``(*shape, 2)``: direction and
            magnitude. With one output, it is the direction; further ones are ignored. The features
            have the dtype of the module's parameters; if there are none, that of the leaf, or
            float32 if that is larger.
        features: What the module sees.
        step_size: The factor :math:`\alpha`: a number, a schedule, a tensor, or a tree of these.
        exp_mult: The factor :math:`\lambda` of the magnitude.
        multiply_by_parameter_scale: Whether to multiply the update of a leaf by the root mean square
            of the parameter.

    Returns:
        A gradient transformation, which reads the parameters. If the gradient of a leaf has a NaN, its
        update and its state become NaN. Fused kernels do not run it.

    Raises:
        ValueError: At an update, if the outputs of the module do not have the shape of the features,
            but for the last axis.

    Example:
        The gradient of a meta-step: of the loss after twenty steps, by the weights of the network.

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
    return leafwise(
        _Formula(module, features, multiply_by_parameter_scale),
        state=LearnedState,
        slots={"means": features.init},
        hyper=hyperparameters.checked(step_size=step_size, exp_mult=exp_mult),
        scalars=_count,
        needs_params=True,
    )

"""Batch normalization by the statistics of all ranks' examples together."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

from torchopt import checks
from torchopt.autodiff.detaching import unwatched
from torchopt.autodiff.running_statistics import BATCH_NORMS
from torchopt.collectives.group import Group, Ranks, ranks_of
from torchopt.collectives.typed import all_gather, pvary

_HALF = (torch.float16, torch.bfloat16)


def sync_batch_norm(module: nn.Module, *, group: Group = None) -> nn.Module:
    r"""Let the batch normalizations of a module take the statistics of all ranks' examples.

    .. math::
        \mu = \sum_r n_r \mu_r \Big/ n, \qquad
        \sigma^2 = \sum_r n_r \left(\sigma_r^2 + (\mu_r - \mu)^2\right) \Big/ n, \qquad
        n = \sum_r n_r

    Normalized outputs, running statistics and derivatives of any order are then those of one process
    on the concatenated batch, also where the parts are not equal; with any backend. (PyTorch's own
    ``nn.SyncBatchNorm`` is for GPUs, and can be differentiated once.) A call in training mode sends a
    mean and a variance for each channel; every rank must make it, and so must every rank make each
    derivative. In evaluation mode nothing is sent.

    What a rank differentiates is then the sum of the losses of all ranks, with the weight that each
    has given its own. So weights of unequal parts belong into the losses, as by ``pmean(loss,
    weight=n)``; that of :func:`all_reduce_grads` comes too late.

    Args:
        module: Any module. Its parts of the types ``nn.BatchNorm1d``, ``2d``, ``3d`` and
            ``nn.SyncBatchNorm`` are replaced in place, and keep their parameters and buffers, so that
            an optimizer that holds these may have been made before.
        group: As for :func:`psum`; it is looked up when the module is called.

    Returns:
        The module; its replacement if it is a batch normalization itself.

    Raises:
        TypeError: If a batch normalization has a ``forward`` of its own.
        ValueError: If a lazy module has not seen its first batch.

    Example:
        >>> import torch
        >>> net = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.BatchNorm1d(3))
        >>> optimizer = torch.optim.SGD(net.parameters(), lr=0.1)  # before or after
        >>> type(sync_batch_norm(net)[1]).__name__
        'SyncBatchNorm'

    References:
        Ioffe and Szegedy, Batch Normalization, 2015. Chan, Golub and LeVeque, Updating Formulae and a
        Pairwise Algorithm for Computing Sample Variances, 1979 (how the variances are joined).
    """
    for path, part in module.named_modules():
        if not isinstance(part, BATCH_NORMS):
            continue
        what = f"`{path or 'module'}` is a {type(part).__name__}"
        if isinstance(part, nn.modules.lazy.LazyModuleMixin):
            raise ValueError(
                f"{what} that has not seen its first batch: call the module once before."
            )
        if type(part).forward not in (nn.BatchNorm1d.forward, *_FORWARDS):
            raise TypeError(
                f"{what}, whose own `forward` would be lost: build it of a `torch.nn.BatchNorm` module "
                f"and the rest."
            )
    return _converted(module, group, {})


def _converted(module: nn.Module, group: Group, done: dict[int, nn.Module]) -> nn.Module:
    if id(module) not in done:
        plain = isinstance(module, BATCH_NORMS) and not isinstance(module, SyncBatchNorm)
        done[id(module)] = SyncBatchNorm._of(module, group) if plain else module
        for name, child in module._modules.items():
            if child is not None:
                module._modules[name] = _converted(child, group, done)
    return done[id(module)]


class SyncBatchNorm(nn.BatchNorm1d):
    """The module by which :func:`sync_batch_norm` replaces a batch normalization."""

    group: Group = None

    @classmethod
    def _of(cls, module: Any, group: Group) -> SyncBatchNorm:
        # With all that it has: parameters, buffers, hooks, mode.
        converted = cls.__new__(cls)
        converted.__dict__.update(module.__dict__)
        converted.group = group
        return converted

    def _check_input_dim(self, input: torch.Tensor) -> None:
        if input.dim() < 2:
            raise ValueError(f"expected at least 2D input (got {input.dim()}D input)")

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        """Normalize; in training mode by the statistics of all ranks' examples."""
        ranks = ranks_of(self.group) if self.training else None
        if ranks is None or ranks.size == 1:
            return super().forward(input)
        self._check_input_dim(input)
        x = input.float() if input.dtype in _HALF else input
        with torch.autocast(x.device.type, enabled=False):
            mean, var, count = _statistics(x, ranks)
            self._track(mean.detach(), var.detach(), count)
            mean, var = pvary((mean, var), group=ranks)
            shape = (-1, *[1] * (x.dim() - 2))
            out = (x - mean.view(shape)) * torch.rsqrt(var + self.eps).view(shape)
            if self.weight is not None:
                out = out * self.weight.to(x.dtype).view(shape)
            if self.bias is not None:
                out = out + self.bias.to(x.dtype).view(shape)
        return out.to(input.dtype)

    def _track(self, mean: torch.Tensor, var: torch.Tensor, count: torch.Tensor) -> None:
        if not self.track_running_stats or self.running_mean is None or self.running_var is None:
            return
        momentum = self.momentum
        if self.num_batches_tracked is not None:
            self.num_batches_tracked.add_(1)
            if momentum is None:
                momentum = 1.0 / float(self.num_batches_tracked)
        with torch.no_grad():
            unbiased = var * (count / (count - 1))
            for running, new in ((self.running_mean, mean), (self.running_var, unbiased)):
                running.lerp_(new.to(running.dtype), momentum or 0.0)

    def _statistics_of(self, input: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the mean and the variance with which a call updates the running statistics."""
        mean, var, count = _statistics(input, ranks_of(self.group))
        return mean, var * (count / (count - 1))


def _statistics(x: torch.Tensor, ranks: Ranks) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return mean, variance and number of all ranks' examples, replicated."""
    dims = (0, *range(2, x.dim()))
    own = x.numel() // x.shape[1]
    mean = x.sum(dims) / max(own, 1)
    shape = (-1, *[1] * (x.dim() - 2))
    squares = (x - mean.view(shape)).square().sum(dims)
    row = torch.stack([torch.full_like(mean, own), mean, squares])
    rows = all_gather(row[None], 0, group=ranks, sizes=[1] * ranks.size)
    counts, means, squares = rows.unbind(1)
    with unwatched():  # they do not depend on the values
        counts = counts.detach()
    count = counts.sum(0)
    if own <= 1 and not checks.transforms_active() and float(count[0]) <= 1:
        raise ValueError(
            f"expected more than 1 value per channel when training, got input size {tuple(x.shape)} "
            f"on rank {ranks.rank} and none on others"
        )
    mean = (counts * means).sum(0) / count
    var = (squares + counts * (means - mean).square()).sum(0) / count
    return mean, var, count


_FORWARDS = (nn.SyncBatchNorm.forward, SyncBatchNorm.forward)

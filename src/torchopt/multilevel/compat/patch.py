"""Betty's makers of optimizers, schedulers and loaders like given ones."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator
from typing import Any

import torch
from torch import distributed as dist
from torch.utils.data import DataLoader, Sampler

__all__ = [
    "DistributedBatchSampler",
    "get_distributed_data_loader",
    "patch_optimizer",
    "patch_scheduler",
]


def patch_optimizer(optimizer: Any, params: Iterable[Any], is_zero: bool = False) -> Any:
    """Return an optimizer of the same class and defaults on other parameters or groups."""
    if is_zero:
        raise NotImplementedError(
            'optimizer states are divided by EngineConfig(strategy="fsdp"), not by `is_zero`.'
        )
    return type(optimizer)(params, **optimizer.defaults)


def patch_scheduler(scheduler: Any, optimizer: Any) -> Any:
    """Return a scheduler of the same class and arguments for another optimizer."""
    arguments: dict[str, Any] = {"optimizer": optimizer}
    for name in inspect.signature(type(scheduler)).parameters:
        if name == "last_epoch":
            arguments[name] = scheduler.last_epoch - 1
        elif name == "lr_lambda":
            arguments[name] = scheduler.lr_lambdas
        elif name != "optimizer" and hasattr(scheduler, name):
            arguments[name] = getattr(scheduler, name)
    return type(scheduler)(**arguments)


class DistributedBatchSampler(Sampler[list[Any]]):
    """Every ``world_size``-th batch of a batch sampler, from the ``rank``-th on.

    All processes draw the same batches, and each keeps its own: the sampler's generator is seeded with
    the number of the epoch. Batches of an incomplete round are left out.

    Args:
        batch_sampler: The batch sampler of a ``DataLoader``.
        world_size: How many processes there are.
        rank: The number of this one.
    """

    def __init__(self, batch_sampler: Any, world_size: int, rank: int) -> None:
        self.batch_sampler = batch_sampler
        self.world_size, self.rank = world_size, rank
        self._generator = torch.Generator()
        if hasattr(getattr(batch_sampler, "sampler", None), "generator"):
            batch_sampler.sampler.generator = self._generator
        self.set_epoch(0)

    def __len__(self) -> int:
        return len(self.batch_sampler) // self.world_size

    def __iter__(self) -> Iterator[list[Any]]:
        round_: list[list[Any]] = []
        for batch in self.batch_sampler:
            round_.append(batch)
            if len(round_) == self.world_size:
                yield round_[self.rank]
                round_ = []

    def set_epoch(self, epoch: int) -> None:
        """Let the next epoch have an order of its own, the same in all processes."""
        self._generator.manual_seed(epoch)


def get_distributed_data_loader(
    dataloader: Any, world_size: int | None = None, rank: int | None = None
) -> Any:
    """Return a ``DataLoader`` of this process's batches of another; what is none stays as it is."""
    if not isinstance(dataloader, DataLoader) or dataloader.batch_sampler is None:
        return dataloader
    sampler = DistributedBatchSampler(
        dataloader.batch_sampler,
        dist.get_world_size() if world_size is None else world_size,
        dist.get_rank() if rank is None else rank,
    )
    names = ("num_workers", "collate_fn", "pin_memory", "timeout", "worker_init_fn")
    kept = {name: getattr(dataloader, name) for name in names}
    return DataLoader(dataloader.dataset, batch_sampler=sampler, **kept)

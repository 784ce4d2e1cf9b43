"""The processes that have parts of one run's tensors, and their files.

By PyTorch's distributed checkpoint, each process writes its parts; then the first one writes the file
that makes them count. On another number of processes, each reads the parts that it has there.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from torch import distributed as dist

from torchopt.autodiff.shards import agreed, is_sharded, meshes_of
from torchopt.io.atomic import digest_of

_SHARDS = "shards"  # the key of what is said of them


class Processes:
    """The processes of the meshes of some tensors; without DTensors, this one alone.

    Args:
        tensors: The tensors.
    """

    def __init__(self, tensors: list[torch.Tensor]) -> None:
        self.meshes = meshes_of(tensors)
        self._group = None
        if len(self.meshes) == 1 and self.meshes[0].ndim == 1:
            self._group = self.meshes[0].get_group()
        self.rank = dist.get_rank(self._group) if self.meshes else 0
        self.size = dist.get_world_size(self._group) if self.meshes else 1

    def agree(self, value: float) -> float:
        """Return the largest of the values of all, when all are here."""
        return agreed(value, self.meshes)

    def gathered(self, value: Any) -> list[Any]:
        """Return the values of all."""
        values = [value] * self.size
        if self.meshes:
            dist.all_gather_object(values, value, self._group)
        return values

    def save(self, state: dict[str, Any], folder: Path) -> None:
        """Write the DTensors in the lists of a state to a folder, and put words in their places."""
        if not self.meshes:
            return
        from torch.distributed.checkpoint.state_dict_saver import save

        tensors: dict[str, Any] = {}
        for key, values in state.items():
            for i, x in enumerate(values if isinstance(values, list) else []):
                if is_sharded(x):
                    tensors[f"{key} {i}"] = x = _whole_or_sharded(x)
                    dims = [getattr(p, "dim", -1) for p in x.placements]
                    mesh = [m is x.device_mesh for m in self.meshes].index(True)
                    values[i] = {_SHARDS: [list(x.shape), x.dtype, mesh, dims]}
        save(tensors, checkpoint_id=folder, process_group=self._group)
        self.agree(0.0)
        state[_SHARDS] = {
            k: v for part in self.gathered(self._digests(folder)) for k, v in part.items()
        }

    def _digests(self, folder: Path) -> dict[str, str]:
        """Return the digests of those files of a folder that are for this process to look at."""
        digests = {}
        for path in sorted(folder.iterdir())[self.rank :: self.size]:
            with open(path, "rb") as file:
                digests[path.name] = digest_of(file, path.stat().st_size).decode()
        return digests

    def load(self, state: dict[str, Any], folder: Path) -> None:
        """Put the parts of this process in the places of the words.

        Raises:
            ValueError: If a file is damaged, on each process.
        """
        if not self.meshes:
            return
        from torch.distributed import tensor as dtensor
        from torch.distributed.checkpoint.state_dict_loader import load

        try:
            damaged = not self._digests(folder).items() <= state[_SHARDS].items()
        except OSError:
            damaged = True
        if self.agree(damaged):
            raise ValueError(f"a file in `{folder}` is damaged or missing.")
        tensors: dict[str, Any] = {}
        for key, values in state.items():
            for i, x in enumerate(values if isinstance(values, list) else []):
                if isinstance(x, dict) and _SHARDS in x:
                    shape, dtype, mesh, dims = x[_SHARDS]
                    places = [dtensor.Replicate() if d < 0 else dtensor.Shard(d) for d in dims]
                    where = {"device_mesh": self.meshes[mesh], "placements": places}
                    values[i] = tensors[f"{key} {i}"] = dtensor.empty(*shape, dtype=dtype, **where)
        load(tensors, checkpoint_id=folder, process_group=self._group)


def _whole_or_sharded(x: Any) -> Any:
    """Return a DTensor without sums that are yet to be done."""
    from torch.distributed.tensor import Replicate

    x = x.detach()
    places = [Replicate() if p.is_partial() else p for p in x.placements]
    return x if places == list(x.placements) else x.redistribute(placements=places)

"""Betty's environment, which knows the device and the problems by their names."""

from __future__ import annotations

from typing import Any

from torchopt import multilevel
from torchopt.multilevel.compat.patch import get_distributed_data_loader
from torchopt.multilevel.compat.utils import is_one_of_several, with_alias

__all__ = ["Env"]


class Env(multilevel.Env):
    """An environment with Betty's attributes; the engine sets ``device``, and calls :meth:`initialize`.

    Example:
        >>> from torchopt.multilevel.compat.envs import Env
        >>> class Tasks(Env):
        ...     def step(self):
        ...         self.batch = {"train": 0, "test": 1}
        >>> tasks = Tasks()
        >>> tasks.step()
        >>> tasks.batch["test"]
        1
    """

    env: Any = None
    train_data_loader: Any = None
    device: Any = None
    accelerator: Any = None

    def initialize(self) -> None:
        """Called by the engine before its problems are set up."""
        if self.train_data_loader is not None:
            self.train_data_loader = self.patch_data_loader(self.train_data_loader)

    def configure_device(self, device: Any) -> None:
        """Set the device."""
        self.device = device

    def patch_module(self, module: Any) -> Any:
        """Move a module to the device; one of several processes finds it as ``module.module`` too."""
        module = module.to(self.device)
        return with_alias(module) if is_one_of_several() else module

    def patch_data_loader(self, loader: Any) -> Any:
        """Return a loader of this process's batches."""
        return get_distributed_data_loader(loader) if is_one_of_several() else loader

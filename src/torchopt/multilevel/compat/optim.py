"""Betty's functions that make an optimizer differentiable; here any optimizer is."""

from torchopt.multilevel.compat.patch import patch_optimizer, patch_scheduler

__all__ = ["patch_optimizer", "patch_scheduler"]

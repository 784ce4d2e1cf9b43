"""Checkpoints: saved whole or not at all, and loaded without running code that lies in the file."""

from __future__ import annotations

import os
import pickle
from typing import Any

import torch

from torchopt._atomic import replacing

__all__ = ["load", "save"]


def save(path: str | os.PathLike[str], state: Any) -> None:
    """Save a state to a file, so that a program killed at any moment leaves a complete checkpoint.

    The state is written to a temporary file beside ``path``, brought to disk, and renamed. Whatever
    happens meanwhile, ``path`` is the old checkpoint or the new one. What :func:`load` would refuse is
    refused now, while the old checkpoint is still there.

    Args:
        path: The file. Folders that are missing are made.
        state: Dictionaries, lists, tuples and sets of tensors, numbers, strings, bytes and ``None``;
            TorchOpt's states; ``state_dict()`` of modules, optimizers, schedulers and generators.

    Raises:
        TypeError: If the state holds an object of another type.
        IsADirectoryError: If ``path`` is a folder.

    Example:
        >>> import tempfile, torch, torchopt
        >>> path = tempfile.mkdtemp() + "/run.pt"
        >>> torchopt.checkpoint.save(path, {"step": 3, "params": [torch.ones(2)]})
        >>> torchopt.checkpoint.load(path)
        {'step': 3, 'params': [tensor([1., 1.])]}
    """
    with replacing(path) as file:
        try:
            torch.save(state, file)
        except (pickle.PicklingError, AttributeError, TypeError) as error:
            raise TypeError(f"The state for `{path}` cannot be saved: {error}.") from error
        file.seek(0)
        unsafe = torch.serialization.get_unsafe_globals_in_checkpoint(file)
        if unsafe:
            raise TypeError(
                f"The state for `{path}` holds `{unsafe[0]}`, which cannot be loaded safely: save it "
                f"as tensors and numbers, or trust it by `torch.serialization.add_safe_globals`."
            )
        file.seek(0, os.SEEK_END)


def load(path: str | os.PathLike[str], *, map_location: Any = "cpu") -> Any:
    """Load what :func:`save` has saved. No code of the file is run.

    Args:
        path: The file.
        map_location: Where tensors are put, as in ``torch.load``. ``load_state_dict`` of modules and
            optimizers moves them on, and the states of generators belong on the CPU.

    Returns:
        The state.

    Raises:
        FileNotFoundError: If there is no such file.
        ValueError: If the file is not a checkpoint, is incomplete, or holds what is not safe to load.
    """
    with open(path, "rb") as file:
        try:
            return torch.load(file, map_location=map_location, weights_only=True)
        except (RuntimeError, OSError, EOFError, pickle.UnpicklingError) as error:
            reason = str(error).strip().partition("\n")[0]
            raise ValueError(
                f"`{path}` is not a complete checkpoint that `torchopt.checkpoint.save` has written: "
                f"{reason}"
            ) from error

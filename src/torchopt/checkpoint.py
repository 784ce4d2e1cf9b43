"""Checkpoints: saved whole or not at all, and loaded unchanged or not at all, without running code.

A checkpoint is a file of ``torch.save``, which is a zip archive. Its comment, with which the file ends,
holds a digest of all bytes before it.
"""

from __future__ import annotations

import os
import pickle
import zipfile
from collections.abc import Callable
from typing import Any, BinaryIO

import torch

from torchopt import checks
from torchopt.errors import CheckpointError
from torchopt.io.atomic import digest_of, replacing
from torchopt.io.names import publish as _publish

__all__ = ["load", "save"]

_MARK = b"torchopt sha256 "
_DIGITS = 64  # of the digest, after the mark
_PATH = checks.Word(
    "pass the path of a file, after the state: `save(state, path)`", (str, os.PathLike)
)


def save(state: object, path: str | os.PathLike[str]) -> None:
    """Save a state to a file, so that a program killed at any moment leaves a complete checkpoint.

    The state is written to a temporary file beside ``path``, brought to disk, and renamed. Whatever
    happens meanwhile, ``path`` is the old checkpoint or the new one. What :func:`load` would refuse is
    refused now, while the old checkpoint is still there. The file ends with a digest of its bytes, by
    which :func:`load` notices any damage; ``torch.load`` reads the file, too, but does not look at it.

    Args:
        state: Dictionaries, lists, tuples and sets of tensors, numbers, strings, bytes and ``None``;
            TorchOpt's states; ``state_dict()`` of modules, optimizers, schedulers and generators.
        path: The file, after the state as in ``torch.save``. Folders that are missing are made.

    Raises:
        TypeError: If the state holds an object of another type, or ``path`` is no path.
        IsADirectoryError: If ``path`` is a folder.
        FileExistsError: If ``path`` is a device, a socket or a pipe.
        OSError: If the file cannot be written, as on a full disk; the old checkpoint stays.

    Example:
        >>> import tempfile, torch, torchopt
        >>> path = tempfile.mkdtemp() + "/run.pt"
        >>> torchopt.checkpoint.save({"step": 3, "params": [torch.ones(2)]}, path)
        >>> torchopt.checkpoint.load(path)
        {'step': 3, 'params': [tensor([1., 1.])]}
    """
    checks.check("path", path, _PATH)
    with replacing(path) as file:
        try:
            torch.save(state, file)
        except (pickle.PicklingError, AttributeError, TypeError) as error:
            raise TypeError(f"The state for `{path}` cannot be saved: {error}.") from error
        except RuntimeError as error:
            if isinstance(error.__context__, OSError):  # PyTorch words a failed write anew
                raise error.__context__ from None
            raise
        file.seek(0)
        unsafe = torch.serialization.get_unsafe_globals_in_checkpoint(file)
        if unsafe:
            raise TypeError(
                f"The state for `{path}` holds `{unsafe[0]}`, which cannot be loaded safely: save it "
                f"as tensors and numbers, or trust it by `torch.serialization.add_safe_globals`."
            )
        _seal(file)


def load(
    path: str | os.PathLike[str],
    map_location: torch.device | str | dict[str, str] | Callable[..., Any] | None = "cpu",
) -> Any:
    """Load what :func:`save` has saved. No code of the file is run.

    Args:
        path: The file.
        map_location: Where tensors are put, as in ``torch.load``; there the default None puts them on
            the device that they were saved from. ``load_state_dict`` of modules and optimizers moves
            them on from the CPU, and the states of generators belong there.

    Returns:
        The state.

    Raises:
        FileNotFoundError: If there is no such file.
        torchopt.errors.CheckpointError: If the file is not a checkpoint, is incomplete or damaged in
            any byte, or holds what is not safe to load.

    Warns:
        UserWarning: If the file has no digest, as those that older versions or ``torch.save`` have
            written. It is then compared with the weaker checksums that it has.
    """
    with open(path, "rb") as file:
        try:
            sealed = _check(file)
            file.seek(0)
            state = torch.load(file, map_location=map_location, weights_only=True)
        except Exception as error:  # what is read, and by whom, depends on the damage
            reason = str(error).strip().partition("\n")[0] or type(error).__name__
            raise CheckpointError(
                f"`{path}` is not a complete checkpoint that `torchopt.checkpoint.save` has written: "
                f"{reason}"
            ) from error
    if not sealed:
        checks.warn(
            f"`{path}` has no digest, since an older version has written it: not every damage of it "
            f"would be noticed; save it anew."
        )
    return state


def _seal(file: BinaryIO) -> None:
    """Put a digest of an archive's bytes into its comment."""
    file.seek(-2, os.SEEK_END)  # the length of the comment
    file.write((len(_MARK) + _DIGITS).to_bytes(2, "little") + _MARK)
    file.write(digest_of(file, file.tell()))


def _check(file: BinaryIO) -> bool:
    """Return whether a file has a digest; raise if it is damaged as far as can be told."""
    size = file.seek(0, os.SEEK_END)
    file.seek(max(size - len(_MARK) - _DIGITS, 0))
    end = file.read()
    if end.startswith(_MARK):
        if digest_of(file, size - _DIGITS) != end[-_DIGITS:]:
            raise ValueError("it is damaged: its digest is not that of its content.")
        return True
    # An archive without comment ends so. One whose digest was cut off has still the comment's length.
    if end[-22:-18] != b"PK\5\6" or end[-2:] != b"\0\0":
        raise ValueError("it is damaged: it does not end as a checkpoint does.")
    with zipfile.ZipFile(file) as archive:
        for record in archive.infolist():
            if record.CRC:  # 0 where `torch.serialization.set_crc32_options(False)` was set
                archive.read(record)
    return False


_publish(__name__)

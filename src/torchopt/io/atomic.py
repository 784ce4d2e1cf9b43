"""A file that is replaced as a whole: whoever looks finds the old one or the new one, complete."""

from __future__ import annotations

import hashlib
import os
import re
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

_CHUNK = 1 << 20  # bytes that are read at once


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Write a file beside ``path``, to disk, and put it in the place of ``path`` at the end.

    On an exception the file that is written goes, and the one at ``path`` stays. What a writer that was
    killed has left behind is removed by the next one.

    Args:
        path: The file that is to be replaced or made. Folders that are missing are made.

    Yields:
        The new file, open for binary writing and reading.

    Raises:
        IsADirectoryError: If ``path`` is a folder.
        FileExistsError: If ``path`` is a device, a socket or a pipe.
        OSError: If it cannot be written; the error names ``path``.
    """
    target = Path(os.path.realpath(path))  # a link stays one
    if target.is_dir():
        raise IsADirectoryError(f"`{path}` is a folder: give the path of a file in it.")
    if target.exists() and not target.is_file():  # a device, such as /dev/null, would be lost
        raise FileExistsError(
            f"`{path}` is no regular file and is not replaced: give another path."
        )
    target.parent.mkdir(parents=True, exist_ok=True)
    _clean(target)
    temporary = target.with_name(f".{target.name}.{_writer()}.tmp")
    try:
        with open(temporary, "w+b") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
    except BaseException as error:
        if isinstance(error, OSError) and error.errno is not None and error.filename is None:
            error.filename = os.fspath(path)
        temporary.unlink(missing_ok=True)
        raise
    _sync(target.parent)


def digest_of(file: BinaryIO, size: int) -> bytes:
    """Return the SHA-256 of the first ``size`` bytes of a file, as text; the file stands after them."""
    sha = hashlib.sha256()
    file.seek(0)
    while chunk := file.read(min(_CHUNK, size - file.tell())):
        sha.update(chunk)
    return sha.hexdigest().encode()


def _writer() -> str:
    """Return host, process and thread: nobody else writes under this name."""
    host = re.sub(r"\W", "-", socket.gethostname())
    return f"{host}.{os.getpid()}.{threading.get_ident()}"


def _clean(target: Path) -> None:
    """Remove what dead writers of this host have left."""
    host, _, _ = _writer().split(".")
    left = re.compile(rf"\.{re.escape(target.name)}\.{host}\.(\d+)\.\d+\.tmp")
    for neighbour in target.parent.iterdir():
        match = left.fullmatch(neighbour.name)
        if match and not _alive(int(match[1])):
            neighbour.unlink(missing_ok=True)


def _alive(process: int) -> bool:
    if os.name == "nt":  # pragma: no cover - there, signal 0 is not a question
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # it lives, and is somebody else's
        return True
    return True


def _sync(folder: Path) -> None:
    """Write a folder's entries to disk, where the system can."""
    if os.name == "nt":  # pragma: no cover - folders cannot be opened there
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):  # some network file systems refuse; the rename has been done
            os.fsync(descriptor)
    finally:
        os.close(descriptor)

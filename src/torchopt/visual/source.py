"""Lines of the user's program: which files are the user's, and the line that made a node."""

from __future__ import annotations

import copy
import os
import re

import torch
from torch.autograd.graph import Node

from torchopt import errors
from torchopt.visual._names import metadata_of

__all__ = ["TORCH", "TORCHOPT", "is_library", "line", "source_of"]

TORCH, TORCHOPT, _STDLIB = (
    os.path.join(os.path.dirname(path), "")
    for path in (torch.__file__, errors.__file__, copy.__file__)
)
_FRAME = re.compile(r'^\s*File "(?P<file>[^"]*)", line (?P<number>\d+), in .*\n\s*(?P<code>.*)')


def is_library(file: str) -> bool:
    """Whether a file belongs to a library."""
    if file.startswith((TORCH, TORCHOPT)):
        return True
    stdlib = file.startswith(_STDLIB) and "-packages" not in file
    return stdlib or file.startswith(("<frozen", "<string>"))


def line(file: str, number: int | str, code: str) -> str:
    """Return a line of a program as text, such as ``train.py:12 y = x.detach()``."""
    return f"{os.path.basename(file)}:{number} {code.strip()}".rstrip()


def source_of(node: Node) -> str | None:
    """Return the user's line that made a node, if anomaly mode (or ``record``) was on."""
    for frame in reversed(metadata_of(node).get("traceback_", ())):
        match = _FRAME.match(frame)
        if match and not is_library(match["file"]):
            return line(match["file"], match["number"], match["code"])
    return None

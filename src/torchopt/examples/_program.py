"""The command line of a program: a preset, changed by options that are its settings' fields."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, Protocol, TypeVar, get_args, get_origin, get_type_hints

import torch
from rich.console import Console

__all__ = ["Settings", "add_options", "run_program"]


class Settings(Protocol):
    """A frozen dataclass of annotated fields, ``name: Annotated[type, "help"]``.

    Attributes:
        threads: How many threads PyTorch uses.
    """

    @property
    def threads(self) -> int:
        """How many threads PyTorch uses."""
        ...


Config = TypeVar("Config", bound=Settings)


def add_options(parser: argparse.ArgumentParser, settings: type[Any]) -> None:
    """Add an option for each annotated field of a dataclass; without a value it is None."""
    for name, hint in get_type_hints(settings, include_extras=True).items():
        kind, text = get_args(hint)
        options: dict[str, Any] = {"help": text.replace("%", "%%"), "default": None}
        if kind is bool:
            options["action"] = argparse.BooleanOptionalAction
        elif get_origin(kind) is Literal:
            options["choices"] = get_args(kind)
        else:
            options["type"] = kind
        parser.add_argument(f"--{name.replace('_', '-')}", **options)


def run_program(
    run: Callable[[Config, Path, Console], None],
    argv: Sequence[str] | None,
    *,
    name: str,
    description: str,
    presets: Mapping[str, Config],
) -> int:
    """Read the command line and run a program.

    Args:
        run: ``run(config, folder, console)`` does the work; the folder exists.
        argv: The arguments; by default the command line's.
        name: Of the program.
        description: What it does, for its help.
        presets: Its settings; there is a preset called ``"default"``.

    Returns:
        The exit status: 0, 1 for a bad setting, 130 if it was interrupted.
    """
    settings = type(presets["default"])
    parser = argparse.ArgumentParser(
        prog=f"python -m torchopt.examples {name}",
        description=description,
        epilog="Options that are left out have the values of the preset.",
    )
    parser.add_argument("--preset", choices=[*presets], default="default")
    parser.add_argument("--runs", type=Path, default=Path("runs"), help="the folder of all runs")
    parser.add_argument("--name", help=f"the folder of the run; by default {name}-PRESET")
    add_options(parser, settings)
    arguments = vars(parser.parse_args(argv))
    preset, runs, folder = (arguments.pop(key) for key in ("preset", "runs", "name"))
    chosen = {key: value for key, value in arguments.items() if value is not None}
    try:
        config = replace(presets[preset], **chosen)  # type: ignore[type-var]
    except ValueError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    torch.set_num_threads(config.threads)
    path = runs / (folder or f"{name}-{preset}")
    path.mkdir(parents=True, exist_ok=True)
    console = Console()
    try:
        run(config, path, console)
    except KeyboardInterrupt:
        console.print("interrupted.")
        return 130
    console.print(f"{path}: {', '.join(sorted(p.name for p in path.iterdir()))}")
    return 0

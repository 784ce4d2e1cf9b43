"""The command line of a program: a preset, changed by options that are its settings' fields."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Literal, Protocol, TypeVar, get_args, get_origin, get_type_hints

import torch
from rich.console import Console

from examples.tools.report import Report

__all__ = ["Settings", "command"]


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


def _add_options(parser: argparse.ArgumentParser, settings: type[Any]) -> None:
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


def command(
    run: Callable[[Config, Report], object],
    presets: Mapping[str, Config],
    *,
    resumable: bool = False,
) -> Callable[..., int]:
    """Return the ``main(argv=None)`` of an example: it reads the command line and calls ``run``.

    The example has the name of its module, and is described by the module's docstring.

    Args:
        run: ``run(config, report)`` does the work.
        presets: Settings by name; there is one called ``"default"``.
        resumable: Whether it has ``--resume``: ``run`` then goes on from the ``checkpoint.pt`` in
            ``report.folder``, if there is one; without the option there is none.

    Returns:
        ``main``, whose result is the exit status: 0, 1 for a bad setting or a missing file, 130 if it
        was interrupted.
    """
    module = sys.modules[run.__module__]
    name = Path(str(module.__file__)).stem

    def main(argv: Sequence[str] | None = None) -> int:
        settings = type(presets["default"])
        parser = argparse.ArgumentParser(
            prog=f"python -m examples {name}",
            description=(module.__doc__ or "").partition("\n\n")[0],
            epilog="Options that are left out have the values of the preset.",
        )
        parser.add_argument("--preset", choices=[*presets], default="default")
        parser.add_argument(
            "--runs", type=Path, default=Path("runs"), help="the folder of all runs"
        )
        parser.add_argument("--name", help=f"the folder of the run; by default {name}-PRESET")
        if resumable:
            parser.add_argument(
                "--resume", action="store_true", help="go on from the run's last checkpoint"
            )
        _add_options(parser, settings)
        arguments = vars(parser.parse_args(argv))
        preset, runs, folder = (arguments.pop(key) for key in ("preset", "runs", "name"))
        resume = arguments.pop("resume", False)
        chosen = {key: value for key, value in arguments.items() if value is not None}
        path = runs / (folder or f"{name}-{preset}")
        try:
            config = replace(presets[preset], **chosen)  # type: ignore[type-var]
            _check_positive(config, presets["default"])
            if resumable:
                config = _settle(config, path, chosen if resume else None)
        except (FileNotFoundError, ValueError) as error:
            print(f"error: {error}", file=sys.stderr)
            return 1
        torch.set_num_threads(config.threads)
        path.mkdir(parents=True, exist_ok=True)
        console = Console()
        try:
            run(config, Report(console, path))
        except KeyboardInterrupt:
            again = ": the same command with --resume goes on from the last checkpoint"
            console.print(f"interrupted{again if resumable else ''}.")
            return 130
        except FileNotFoundError as error:  # of data that the user names
            print(f"error: {error}", file=sys.stderr)
            return 1
        console.print(f"{path}: {', '.join(sorted(p.name for p in path.iterdir()))}")
        return 0

    return main


def _check_positive(config: Settings, standard: Settings) -> None:
    """Raise for a number that is not positive where the preset's is."""
    for name, value in asdict(config).items():  # type: ignore[call-overload]
        usual = getattr(standard, name)
        if isinstance(value, (int, float)) and value <= 0 < usual and not isinstance(usual, bool):
            raise ValueError(f"`{name}` is {value}: use a positive number.")


def _settle(config: Config, folder: Path, chosen: Mapping[str, Any] | None) -> Config:
    """Return the settings of a new run, or, with the options that were chosen, of one that goes on."""
    settings = folder / "settings.json"
    if chosen is None:
        folder.mkdir(parents=True, exist_ok=True)
        for checkpoint in folder.rglob("checkpoint.pt"):
            checkpoint.unlink()
        settings.write_text(json.dumps(asdict(config), indent=2) + "\n", encoding="utf-8")  # type: ignore[call-overload]
        return config
    if not settings.exists():
        raise FileNotFoundError(f"there is no `{settings}` to resume: start without --resume.")
    saved = json.loads(settings.read_text(encoding="utf-8"))
    for key, value in chosen.items():
        if saved[key] != value:
            raise ValueError(
                f"the run was started with `{key}` {saved[key]!r}, not {value!r}: leave the option "
                f"out, or start another run with --name."
            )
    return replace(config, **saved)  # type: ignore[type-var]

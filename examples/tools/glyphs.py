"""Handwriting made from a font: the letters of matplotlib's DejaVu Sans, each by many "writers".

Each image is the outline of a letter under its own random affine map, elastic bending and stroke
width. Whole scripts are held out, so that meta-test asks to read letters of unseen alphabets.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import unicodedata
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import matplotlib
import numpy as np
import torch
from matplotlib.ft2font import FT2Font
from PIL import Image, ImageDraw, ImageFont
from PIL import __version__ as pillow_version
from torch.nn import functional

from torchopt import checkpoint

__all__ = ["SCRIPTS", "Handwriting", "find_letters", "load_glyphs", "write"]

# By the first word of the letters' Unicode names ("OLD" is Old Italic).
SCRIPTS = {
    "train": ("LATIN", "CANADIAN", "CYRILLIC", "GEORGIAN", "ARABIC", "GREEK"),
    "validation": ("OLD", "OGHAM", "COPTIC", "LISU"),
    "test": ("ARMENIAN", "TIFINAGH", "LAO", "HEBREW", "NKO"),
}

_CANVAS = 84  # pixels of the outline, thrice those of the image
_POINTS = 60


@dataclass(frozen=True)
class Handwriting:
    """How writers differ.

    Attributes:
        writers: Images of each letter.
        size: Their height and width.
        rotation: Largest turn, in degrees.
        shear: Largest slant.
        scale: Range of the size, drawn for width and height apart.
        shift: Largest move, as a fraction of half the image.
        bend: Standard deviation of the elastic field's 5 by 5 nodes, in the same unit.
        stroke: Range of the level at which the blurred outline is cut; low is thick.
        seed: Of all of this.
    """

    writers: int = 20
    size: int = 28
    rotation: float = 15.0
    shear: float = 0.2
    scale: tuple[float, float] = (0.75, 1.1)
    shift: float = 0.1
    bend: float = 0.06
    stroke: tuple[float, float] = (0.25, 0.65)
    seed: int = 0


def load_glyphs(hand: Handwriting = Handwriting()) -> dict[str, torch.Tensor]:
    """Return the letters for ``"train"``, ``"validation"`` and ``"test"``.

    They are rendered once (some seconds) and then kept in ``$XDG_CACHE_HOME/torchopt`` (by default
    ``~/.cache/torchopt``), under a name that depends on all settings.

    Args:
        hand: How writers differ.

    Returns:
        By split, bytes of shape ``(letters, writers, size, size)``, ink bright; the scripts of each
        split are in :data:`SCRIPTS`. No two letters have the same outline.
    """
    path = _cache_path(hand)
    try:
        images = checkpoint.load(path)
    except (FileNotFoundError, ValueError):  # none there, or damaged
        scripts = [script for names in SCRIPTS.values() for script in names]
        letters = find_letters(scripts)
        generator = torch.Generator().manual_seed(hand.seed)
        images = {s: write([outline(c) for c in letters[s]], hand, generator) for s in scripts}
        checkpoint.save(images, path)
    return {split: torch.cat([images[s] for s in names]) for split, names in SCRIPTS.items()}


def find_letters(scripts: Sequence[str]) -> dict[str, list[str]]:
    """Return the letters of each script that the font can draw, each outline once.

    Args:
        scripts: First words of Unicode names. Where two scripts share an outline (as the Latin and
            the Cyrillic A), it belongs to the one that comes first here.
    """
    known = {script: [] for script in scripts}  # type: dict[str, list[str]]
    for code in sorted(FT2Font(str(_font_file())).get_charmap()):
        character = chr(code)
        script = unicodedata.name(character, "?").split()[0]
        is_letter = unicodedata.category(character) in ("Ll", "Lu", "Lo")
        if script in known and is_letter and not unicodedata.decomposition(character):
            known[script].append(character)
    seen: set[bytes] = set()
    distinct: dict[str, list[str]] = {script: [] for script in scripts}
    for script, characters in known.items():
        for character in characters:
            drawn = outline(character)
            if drawn.any() and drawn.tobytes() not in seen:
                seen.add(drawn.tobytes())
                distinct[script].append(character)
    return distinct


def outline(character: str) -> np.ndarray:
    """Draw a letter, in white in the middle of a black square."""
    # The basic layout: the same pixels with and without the optional text-shaping library.
    font = ImageFont.truetype(_font_file(), _POINTS, layout_engine=ImageFont.Layout.BASIC)
    image = Image.new("L", (_CANVAS, _CANVAS))
    draw = ImageDraw.Draw(image)
    left, top, right, bottom = draw.textbbox((0, 0), character, font=font)
    corner = ((_CANVAS - left - right) / 2, (_CANVAS - top - bottom) / 2)
    draw.text(corner, character, font=font, fill=255)
    return np.array(image)


def write(
    outlines: Sequence[np.ndarray], hand: Handwriting, generator: torch.Generator
) -> torch.Tensor:
    """Let each writer write each letter once.

    Args:
        outlines: The letters.
        hand: How writers differ.
        generator: The source of randomness.

    Returns:
        Bytes of shape ``(letters, writers, size, size)``.
    """
    ink = torch.from_numpy(np.stack(outlines))[:, None].float() / 255
    ink = _blur(ink, sigma=1.5)
    count, fine = len(outlines), 2 * hand.size

    def uniform(low: float, high: float, *shape: int) -> torch.Tensor:
        return low + (high - low) * torch.rand(count, *shape, generator=generator)

    def one_writer() -> torch.Tensor:
        angle = uniform(-hand.rotation, hand.rotation) * (math.pi / 180)
        slant = uniform(-hand.shear, hand.shear)
        # The map goes from the image back to the outline: a larger letter is a smaller step.
        x, y = 1 / uniform(*hand.scale), 1 / uniform(*hand.scale)
        cos, sin = angle.cos(), angle.sin()
        linear = torch.stack(
            [
                torch.stack([cos * x, (cos * slant - sin) * y], dim=-1),
                torch.stack([sin * x, (sin * slant + cos) * y], dim=-1),
            ],
            dim=-2,
        )
        move = uniform(-hand.shift, hand.shift, 2, 1)
        affine = torch.cat([linear, move], dim=-1)
        grid = functional.affine_grid(affine, [count, 1, fine, fine], align_corners=False)
        nodes = hand.bend * torch.randn(count, 2, 5, 5, generator=generator)
        field = functional.interpolate(nodes, (fine, fine), mode="bicubic", align_corners=True)
        warped = functional.grid_sample(ink, grid + field.permute(0, 2, 3, 1), align_corners=False)
        sharp = (3 * (warped - uniform(*hand.stroke, 1, 1, 1)) + 0.5).clamp(0, 1)
        return (255 * functional.avg_pool2d(sharp, 2)[:, 0]).round().to(torch.uint8)

    return torch.stack([one_writer() for _ in range(hand.writers)], dim=1)


def _blur(x: torch.Tensor, *, sigma: float) -> torch.Tensor:
    radius = math.ceil(3 * sigma)
    kernel = torch.exp(-(torch.arange(-radius, radius + 1.0) ** 2) / (2 * sigma**2))
    kernel = kernel / kernel.sum()
    x = functional.conv2d(x, kernel.view(1, 1, 1, -1), padding=(0, radius))
    return functional.conv2d(x, kernel.view(1, 1, -1, 1), padding=(radius, 0))


def _font_file() -> Path:
    return Path(matplotlib.get_data_path(), "fonts", "ttf", "DejaVuSans.ttf")


def _cache_path(hand: Handwriting) -> Path:
    settings = [
        asdict(hand),
        SCRIPTS,
        (_CANVAS, _POINTS),
        hashlib.sha256(_font_file().read_bytes()).hexdigest(),
        pillow_version,
        unicodedata.unidata_version,
        hashlib.sha256(Path(__file__).read_bytes()).hexdigest(),
    ]
    key = hashlib.sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()[:16]
    root = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(root, "torchopt", f"glyphs-{key}.pt")

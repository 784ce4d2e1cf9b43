"""The real Omniglot letters, from the folders that its authors publish."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from PIL import Image

__all__ = ["load_omniglot"]

_VALIDATION_ALPHABETS = 5


def load_omniglot(root: str | Path, *, size: int = 28) -> dict[str, torch.Tensor]:
    """Read ``root/images_background`` and ``root/images_evaluation``.

    Args:
        root: The folder that holds both. In each, ``Alphabet/characterNN/*.png``.
        size: Height and width to which the images are resized.

    Returns:
        By split, bytes of shape ``(letters, writers, size, size)``, ink bright. ``"train"`` has the
        background alphabets but the last five, which are ``"validation"``; ``"test"`` has the
        evaluation alphabets.

    Raises:
        FileNotFoundError: If the folders are not there or hold no such images.
        ValueError: If the letters have different numbers of drawings, or there are too few
            background alphabets.

    References:
        Lake et al., *Human-level concept learning through probabilistic program induction*, 2015.
    """
    background = _alphabets(Path(root, "images_background"))
    evaluation = _alphabets(Path(root, "images_evaluation"))
    if len(background) <= _VALIDATION_ALPHABETS:
        raise ValueError(
            f"`{Path(root, 'images_background')}` has {len(background)} alphabets, but "
            f"{_VALIDATION_ALPHABETS} are kept for validation: use the whole background set."
        )
    return {
        "train": _read(background[:-_VALIDATION_ALPHABETS], size),
        "validation": _read(background[-_VALIDATION_ALPHABETS:], size),
        "test": _read(evaluation, size),
    }


def _alphabets(folder: Path) -> list[Path]:
    alphabets = sorted({path.parent.parent for path in folder.glob("*/character*/*.png")})
    if not alphabets:
        raise FileNotFoundError(
            f"`{folder}` has no images `Alphabet/characterNN/*.png`: give `--omniglot` the folder in "
            f"which Omniglot's images_background.zip and images_evaluation.zip were unpacked."
        )
    return alphabets


def _read(alphabets: list[Path], size: int) -> torch.Tensor:
    letters = [letter for alphabet in alphabets for letter in sorted(alphabet.glob("character*"))]
    drawings = [sorted(letter.glob("*.png")) for letter in letters]
    for letter, files in zip(letters, drawings, strict=True):
        if len(files) != len(drawings[0]):
            raise ValueError(
                f"`{letter}` has {len(files)} drawings, but `{letters[0]}` has {len(drawings[0])}: "
                f"unpack the archives anew."
            )
    images = np.stack([[_image(file, size) for file in files] for files in drawings])
    return torch.from_numpy(images)


def _image(file: Path, size: int) -> np.ndarray:
    """Read black ink on white paper as bright ink on black."""
    with Image.open(file) as image:
        small = image.convert("L").resize((size, size), Image.Resampling.BOX)
    return 255 - np.array(small)

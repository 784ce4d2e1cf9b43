"""Rendered letters, Omniglot's folders, and the tasks made of them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
import pytest
import torch
from PIL import Image, ImageFont

from examples.tools import glyphs, letters
from examples.tools.glyphs import (
    SCRIPTS,
    Handwriting,
    find_letters,
    load_glyphs,
    outline,
    write,
)
from examples.tools.omniglot import load_omniglot
from examples.tools.tasks import ZERO_ERROR, sample_waves

_TINY = Handwriting(writers=3)


def _write(hand: Handwriting) -> torch.Tensor:
    outlines = [outline(c) for c in "ABC"]
    return write(outlines, hand, torch.Generator().manual_seed(hand.seed))


def test_font_has_about_1580_letters_in_15_scripts_and_no_outline_twice() -> None:
    scripts = [script for names in SCRIPTS.values() for script in names]
    letters = find_letters(scripts)
    assert len(scripts) == len(set(scripts)) == 15
    assert 1500 < sum(map(len, letters.values())) < 1650
    assert all(len(found) >= 10 for found in letters.values())
    drawn = [outline(c).tobytes() for found in letters.values() for c in found]
    assert len(drawn) == len(set(drawn))


def test_writing_is_a_function_of_the_seed() -> None:
    images = _write(_TINY)
    assert images.dtype == torch.uint8
    assert images.shape == (3, 3, 28, 28)
    assert torch.equal(images, _write(_TINY))
    assert not torch.equal(images, _write(replace(_TINY, seed=1)))


def test_writers_differ_and_leave_the_paper_blank() -> None:
    images = _write(_TINY)
    assert len({image.numpy().tobytes() for letter in images for image in letter}) == 9
    assert (images.flatten(2).max(-1).values > 200).all()
    assert (images[:, :, 0, 0] == 0).all()


def test_letters_are_cached_by_their_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(
        glyphs, "SCRIPTS", {"train": ("COPTIC",), "validation": ("LISU",), "test": ("HEBREW",)}
    )
    first = load_glyphs(_TINY)
    assert first["test"].shape == (30, 3, 28, 28)
    (cached,) = (tmp_path / "torchopt").iterdir()
    with monkeypatch.context() as patch:
        patch.setattr(glyphs, "write", lambda *_: pytest.fail("rendered although it is cached"))
        assert torch.equal(load_glyphs(_TINY)["test"], first["test"])
    load_glyphs(replace(_TINY, seed=1))
    assert len(list((tmp_path / "torchopt").iterdir())) == 2
    assert cached.exists()


def _drawing(path: Path, column: int) -> None:
    """Write a black stroke on white, as Omniglot's."""
    paper = np.full((105, 105), 255, dtype=np.uint8)
    paper[20:80, column : column + 12] = 0
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(paper).convert("1").save(path)


@pytest.fixture
def omniglot(tmp_path: Path) -> Path:
    for part, alphabets in (("images_background", 7), ("images_evaluation", 2)):
        for alphabet in range(alphabets):
            for letter in range(1, 3):
                for writer in range(4):
                    name = f"{letter:04d}_{writer:02d}.png"
                    folder = tmp_path / part / f"Alphabet{alphabet}" / f"character{letter:02d}"
                    _drawing(folder / name, column=10 * letter + 5 * writer)
    return tmp_path


def test_omniglot_is_split_by_alphabet_and_inverted(omniglot: Path) -> None:
    splits = load_omniglot(omniglot)
    assert {name: tuple(x.shape) for name, x in splits.items()} == {
        "train": (4, 4, 28, 28),
        "validation": (10, 4, 28, 28),
        "test": (4, 4, 28, 28),
    }
    image = splits["train"][0, 0]
    assert image[0, 0] == 0
    assert image[12, 4] == 255
    # The stroke of letter 2, writer 3 begins at column 35 of 105, that is 9 of 28.
    assert splits["train"][1, 3, 12].argmax() in (9, 10)


def test_omniglot_says_which_folder_is_wrong(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"images_background.*--omniglot"):
        load_omniglot(tmp_path)


def test_omniglot_says_which_letter_is_incomplete(omniglot: Path) -> None:
    broken = omniglot / "images_evaluation" / "Alphabet1" / "character02"
    (broken / "0002_03.png").unlink()
    with pytest.raises(ValueError, match=r"Alphabet1.*character02.*3 drawings.*has 4"):
        load_omniglot(omniglot)


def _coded(letters: int = 9, writers: int = 7) -> torch.Tensor:
    """Images that say which letter and which writer they are."""
    images = torch.zeros(letters, writers, 2, 2, dtype=torch.uint8)
    images[:, :, 0, 0] = torch.arange(letters)[:, None]
    images[:, :, 1, 1] = torch.arange(writers)
    return images


def test_an_episode_has_distinct_letters_and_no_image_twice() -> None:
    generator = torch.Generator().manual_seed(0)
    tasks = letters.sample(_coded(), 50, 4, 2, 3, generator)
    assert tasks.support_x.shape == (50, 8, 1, 2, 2)
    assert tasks.query_x.shape == (50, 12, 1, 2, 2)
    for x, y, query_x, query_y in zip(*tasks, strict=True):
        code = (torch.cat([x, query_x]) * 255).round().int()[:, 0]
        letter, writer, label = code[:, 0, 0], code[:, 1, 1], torch.cat([y, query_y])
        pairs = set(zip(letter.tolist(), label.tolist(), strict=True))
        assert len(pairs) == 4 == len({a for a, _ in pairs}) == len({b for _, b in pairs})
        assert len(set(zip(letter.tolist(), writer.tolist(), strict=True))) == 20


def test_episodes_are_a_function_of_the_generator_and_reach_all_letters() -> None:
    def draw(seed: int) -> torch.Tensor:
        generator = torch.Generator().manual_seed(seed)
        return letters.sample(_coded(), 100, 4, 1, 1, generator).support_x

    assert torch.equal(draw(0), draw(0))
    assert not torch.equal(draw(0), draw(1))
    assert len((draw(0)[:, :, 0, 0, 0] * 255).round().unique()) == 9


def test_too_few_letters_are_refused() -> None:
    with pytest.raises(ValueError, match="9 letters by 7 writers, too few for 10 ways"):
        letters.sample(_coded(), 1, 10, 1, 1, torch.Generator())


def test_waves_are_those_of_the_paper() -> None:
    tasks = sample_waves(400, 5, 200, torch.Generator().manual_seed(0), torch.float64)
    assert tasks.support_x.shape == (400, 5, 1)
    assert tasks.query_x.abs().max() <= 5
    largest = tasks.query_y.abs().amax((1, 2))
    assert 4.9 < largest.max() <= 5
    assert 0.05 < largest.min() < 0.3
    assert tasks.query_y.square().mean().item() == pytest.approx(ZERO_ERROR, rel=0.1)
    # A wave is a combination of sin x and cos x.
    x, y = tasks.query_x[..., 0], tasks.query_y[..., 0]
    basis = torch.stack([x.sin(), x.cos()], -1)
    fit = basis @ torch.linalg.lstsq(basis[:, :20], y[:, :20, None]).solution
    torch.testing.assert_close(fit[..., 0], y, rtol=1e-8, atol=1e-10)


def test_letters_need_no_font_of_the_system(monkeypatch: pytest.MonkeyPatch) -> None:
    opened = []
    real = ImageFont.truetype

    def record(font: Path, *args: Any, **kwargs: Any) -> ImageFont.FreeTypeFont:
        opened.append(Path(font))
        return real(font, *args, **kwargs)

    monkeypatch.setattr(ImageFont, "truetype", record)
    assert outline("A").any()
    assert opened
    assert all(Path(matplotlib.get_data_path()) in font.parents for font in opened)

"""Omniglot's folders, and the tasks made of letters."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image

from examples.tools import letters
from examples.tools.omniglot import load_omniglot
from examples.tools.tasks import Tasks


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


def test_letters_are_drawn_in_text_with_what_was_read() -> None:
    above, left = torch.zeros(2, 1, 8, 8)
    above[:, :4], left[:, :, :4] = 1, 1
    labels = torch.tensor([0, 1])
    images = torch.stack([above, left])
    task = Tasks(images, labels, images.flip(0), labels.flip(0))
    outputs = torch.tensor([[0.0, 1.0], [1.0, 2.0]])  # both are read as letter 1
    drawn = letters.draw_text(Tasks(*(part[None] for part in task)), outputs[None]).splitlines()
    assert [line.split() for line in drawn] == [
        ["learn", "0", "learn", "1"],
        ["████", "██"],
        ["██"],
        ["read", "1", "read", "1"],
        ["████", "██"],
        ["██"],
    ]

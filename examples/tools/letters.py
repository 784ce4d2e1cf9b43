"""Tasks of telling a few letters apart, of scripts that differ in training and test."""

from __future__ import annotations

import torch
from matplotlib.figure import Figure
from torch import nn
from torch.nn.functional import avg_pool2d, cross_entropy, pad

from examples.tools.glyphs import load_glyphs
from examples.tools.omniglot import load_omniglot
from examples.tools.report import Report
from examples.tools.tasks import Tasks

__all__ = ["accuracy", "draw", "draw_text", "learn_features", "load", "sample"]


def load(omniglot: str = "") -> dict[str, torch.Tensor]:
    """Return images of letters for ``"train"``, ``"validation"`` and ``"test"``, of different scripts.

    Args:
        omniglot: The folder of Omniglot's images; by default, the letters come from a font.

    Returns:
        Bytes of shape ``(letters, writers, height, width)``; ink is bright.
    """
    return load_omniglot(omniglot) if omniglot else load_glyphs()


def sample(
    images: torch.Tensor,
    count: int,
    ways: int,
    shots: int,
    queries: int,
    generator: torch.Generator,
) -> Tasks:
    """Draw classification tasks; a letter's examples in a task are by different writers.

    Args:
        images: Bytes of shape ``(letters, writers, height, width)``.
        count: Number of tasks.
        ways: Letters in a task.
        shots: Support examples of each letter.
        queries: Query examples of each letter.
        generator: The source of randomness.

    Returns:
        Images of shape ``(count, examples, 1, height, width)`` in [0, 1], labels ``0 .. ways - 1``.

    Raises:
        ValueError: If there are too few letters or writers for a task.
    """
    letters, writers, *size = images.shape
    if letters < ways or writers < shots + queries:
        raise ValueError(
            f"there are {letters} letters by {writers} writers, too few for {ways} ways, {shots} shots "
            f"and {queries} queries."
        )
    # The largest of random keys: a draw without replacement for all tasks at once.
    chosen = torch.rand(count, letters, generator=generator).topk(ways).indices
    by = torch.rand(count, ways, writers, generator=generator).topk(shots + queries).indices
    x = images[chosen[..., None], by].float() / 255
    y = torch.arange(ways)[None, :, None].expand(count, ways, shots + queries)

    def part(start: int, stop: int) -> tuple[torch.Tensor, torch.Tensor]:
        return (
            x[:, :, start:stop].reshape(count, -1, 1, *size),
            y[:, :, start:stop].reshape(count, -1),
        )

    return Tasks(*part(0, shots), *part(shots, shots + queries))


def accuracy(outputs: torch.Tensor, tasks: Tasks) -> torch.Tensor:
    """Return the fraction of each task's queries that outputs ``(tasks, queries, ways)`` read right."""
    return (outputs.argmax(-1) == tasks.query_y).float().mean(-1)


def draw(tasks: Tasks, outputs: torch.Tensor, *, rows: int = 3, shown: int = 10) -> Figure:
    """Draw what was learned from, and how some queries were read.

    Args:
        tasks: Tasks of letters.
        outputs: The network's outputs for the queries, of shape ``(tasks, queries, ways)``.
        rows: Number of tasks drawn.
        shown: Number of queries drawn of each task.
    """
    tasks, outputs = Tasks(*(t[:rows] for t in tasks)), outputs[:rows]
    ways = outputs.shape[-1]
    figure = Figure(figsize=(0.8 * (ways + 1 + shown), 1.25 * len(outputs)), layout="constrained")
    grid = figure.subplots(len(outputs), ways + 1 + shown, squeeze=False)
    for row, (x, y, query_x, query_y, output) in enumerate(zip(*tasks, outputs, strict=True)):
        first = [int((y == way).nonzero()[0]) for way in range(ways)]
        picked = torch.linspace(0, len(query_x) - 1, min(shown, len(query_x))).long().tolist()
        for column, axes in enumerate(grid[row]):
            axes.axis("off")
            if column < ways:
                axes.imshow(x[first[column], 0].numpy(), cmap="gray_r")
                axes.set_title(f"learn {column}", fontsize=8)
            elif 0 <= column - ways - 1 < len(picked):
                query = picked[column - ways - 1]
                guess, truth = int(output[query].argmax()), int(query_y[query])
                axes.imshow(query_x[query, 0].numpy(), cmap="gray_r")
                axes.set_title(
                    f"read {guess}" if guess == truth else f"read {guess}, is {truth}",
                    fontsize=8,
                    color="green" if guess == truth else "red",
                )
    return figure


def draw_text(tasks: Tasks, outputs: torch.Tensor) -> str:
    """Draw a task's letters, and below each how another example of it was read, in blocks of text.

    Args:
        tasks: Tasks of letters, of which the first is drawn.
        outputs: The network's outputs for the queries, of shape ``(tasks, queries, ways)``.

    Returns:
        Lines, where a character is two halves, of 2 by 2 pixels each: 15 for a letter of 28 pixels.
    """
    x, y, query_x, query_y = (part[0] for part in tasks)
    lines = []
    for images, labels, read in ((x, y, None), (query_x, query_y, outputs[0].argmax(-1))):
        first = [int((labels == way).nonzero()[0]) for way in range(outputs.shape[-1])]
        ink = avg_pool2d(images[first], 2)[:, 0] > 0.25
        halves = pad(ink, (0, 1)).unflatten(1, (-1, 2)).int()
        blocks = (2 * halves[:, :, 0] + halves[:, :, 1]).permute(1, 0, 2).flatten(1)
        names = [
            f"learn {k}" if read is None else f"read {int(read[i])}" for k, i in enumerate(first)
        ]
        lines += ["".join(f"{name:15}" for name in names)]
        lines += ["".join(" ▄▀█"[k] for k in row) for row in blocks.tolist()]
    return "\n".join(lines)


def learn_features(
    network: nn.Sequential, images: torch.Tensor, steps: int, seed: int, report: Report
) -> None:
    """Train all layers but the last one, in place, to tell many letters apart.

    Args:
        network: The last layer, a linear one, is left as it is; another one is trained, and dropped.
        images: Bytes of shape ``(letters, writers, height, width)``.
        steps: Number of steps of Adam, with 64 examples each.
        seed: Of the examples and of the layer that is dropped.
        report: Shows a bar.
    """
    features, head = network[:-1], network.get_submodule(str(len(network) - 1))
    like = head.get_parameter("weight")
    classes, writers = images.shape[:2]
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        classifier = nn.Linear(like.shape[1], classes, dtype=like.dtype)
    generator = torch.Generator().manual_seed(seed)
    optimizer = torch.optim.Adam([*features.parameters(), *classifier.parameters()], 3e-3)
    schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.01, steps)
    with report.progress("features", steps) as advance:
        for _ in range(steps):
            y = torch.randint(classes, (64,), generator=generator)
            by = torch.randint(writers, (64,), generator=generator)
            loss = cross_entropy(
                classifier(features(images[y, by][:, None].to(like.dtype) / 255)), y
            )
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
            advance(f"loss {loss:.3f}")

"""The learned optimizer's example: resumed meta-training."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from examples.learned_optimizer import Config, meta_train
from examples.tools.report import Report
from examples.tools.trainings import begin, draw, go_on

_TINY = Config(steps=10, truncation=5, batch=4, tasks=2, hidden=4, episodes=2, test_tasks=2)


def _generator() -> torch.Generator:
    return torch.Generator().manual_seed(0)


@pytest.mark.parametrize(
    "estimator", [pytest.param("unroll", marks=pytest.mark.slow), "persistent"]
)
def test_meta_training_that_is_resumed_is_that_of_one_run(estimator: str, tmp_path: Path) -> None:
    config = replace(_TINY, estimator=estimator, save_every=1, pairs=1, steps=4, truncation=2)
    whole, first, resumed = tmp_path / "whole", tmp_path / "first", Report(folder=tmp_path)
    for folder in (whole, first):
        folder.mkdir()
    tasks = draw((torch.relu, (4,)), range(5), _generator(), number=2, steps=5, batch=4)

    def after(report: Report) -> torch.Tensor:
        tx = meta_train(config, report)
        return go_on(tx, tasks, begin(tx, tasks), 0, 5)[0]

    expected = after(Report(folder=whole))
    saved: list[object] = []
    resumed.save = lambda state: saved.append(deepcopy(state))  # type: ignore[method-assign]
    after(resumed)
    Report(folder=first).save(saved[0])  # after one of two episodes
    torch.testing.assert_close(after(Report(folder=first)), expected, rtol=0, atol=0)

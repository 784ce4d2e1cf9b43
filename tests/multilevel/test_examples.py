"""How many examples a batch has, and what processes' losses count by them."""

from __future__ import annotations

from collections import UserDict
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from torchopt.multilevel import Problem
from torchopt.multilevel._examples import count_examples, weights_of
from torchopt.multilevel._problem import examples_of


@dataclass
class Pair:
    x: torch.Tensor
    y: torch.Tensor


def tensors(*lengths: int) -> list[torch.Tensor]:
    return [torch.ones(n, k + 2) for k, n in enumerate(lengths)]


BATCHES = {
    "a tensor": (torch.ones(4, 2), 4),
    "a pair": (tensors(3, 3), 3),
    "a dictionary": ({"x": torch.ones(5), "names": ["a", "b"], "none": None, "k": 3}, 5),
    "a user's dictionary": (UserDict(ids=torch.ones(6, 2), mask=torch.ones(6, 2)), 6),
    "a dataclass": (Pair(*tensors(2, 2)), 2),
    "arrays of NumPy": ((np.ones((3, 2)), np.ones(3)), 3),
    "a scalar beside": ((torch.ones(3, 2), torch.tensor(0.1)), 3),
    "nested": ([tensors(2, 2), {"z": tensors(2)}], 2),
    "nothing": (torch.ones(0, 2), 0),
    "unequal lengths": (tensors(5, 15), None),
    "no tensor": (["a", "b"], None),
    "no data": (None, None),
    "only a scalar": (torch.tensor(1.0), None),
    "an object": ((torch.ones(3), object()), None),
}


@pytest.mark.parametrize("which", BATCHES)
def test_the_number_of_examples(which: str) -> None:
    batch, number = BATCHES[which]
    assert count_examples(batch) == number


class Some(Problem):
    pass


class Told(Some):
    def num_examples(self, batch: Any) -> Any:
        return batch[1]


def weights(*batches: Any, kind: type[Problem] = Some) -> list[float]:
    problem = kind("low", module=nn.Linear(1, 1))
    return weights_of("low", [examples_of(problem, batch) for batch in batches])


def test_weights_are_the_shares_of_examples() -> None:
    assert weights(torch.ones(7), torch.ones(3)) == pytest.approx([1.4, 0.6])
    assert weights(*map(torch.ones, (4, 3, 3))) == pytest.approx([1.2, 0.9, 0.9])
    assert weights(*map(torch.ones, (6, 6, 6))) == [1, 1, 1]  # not by rounding
    assert weights((0, 2.5), (0, torch.tensor(0.5)), (0, 0), kind=Told) == [2.5, 0.5, 0]


def test_parts_of_the_same_shapes_count_the_same() -> None:
    for batch in (tensors(5, 15), None, ["a", "b"], torch.tensor(0.2)):
        assert weights(batch, batch) == [1, 1]


def test_a_process_without_examples_is_refused() -> None:
    with pytest.raises(ValueError, match="of problem 'low' has no examples in process 1"):
        weights(torch.ones(3), torch.ones(0))
    with pytest.raises(ValueError, match="no examples in process 0"):
        weights((0, 0), (0, 0), kind=Told)
    for number in (-1, float("nan")):
        with pytest.raises(ValueError, match="`num_examples` of problem 'low' is"):
            weights((0, number), (0, 1), kind=Told)

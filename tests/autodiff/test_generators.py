"""An argument ``generator`` is a generator, a number or None."""

from __future__ import annotations

from typing import Any

import pytest
import torch

import torchopt
from torchopt.autodiff.generators import generator_of, seed_of


def test_a_number_is_the_seed() -> None:
    assert seed_of(5) == seed_of(5) == 5
    assert generator_of(5).initial_seed() == 5


def test_a_generator_is_drawn_from_and_none_is_that_of_pytorch() -> None:
    draws = torch.randint(1 << 62, (2,), generator=torch.Generator().manual_seed(3)).tolist()
    generator = torch.Generator().manual_seed(3)
    assert [seed_of(generator), seed_of(generator)] == draws
    assert generator_of(generator) is generator
    torch.manual_seed(3)
    assert [seed_of(None), seed_of(None)] == draws
    assert generator_of(None) is torch.default_generator


@pytest.mark.parametrize("wrong", [True, 1.0, "0"])
@pytest.mark.parametrize("make", [seed_of, generator_of])
def test_anything_else_is_refused(wrong: Any, make: Any) -> None:
    with pytest.raises(TypeError, match="`generator` is"):
        make(wrong)
    with pytest.raises(ValueError, match="at most 63 bits"):
        make(1 << 63)


def test_a_number_chooses_the_same_columns_in_each_solve_and_a_generator_others() -> None:
    a = torch.diag(torch.arange(1.0, 31.0, dtype=torch.float64))
    b = torch.ones(30, dtype=torch.float64)

    def solutions(generator: Any) -> list[torch.Tensor]:
        solver = torchopt.linear_solve.Nystrom(rank=3, rho=0.1, generator=generator)
        return [solver(a, b) for _ in range(2)]

    first, second = solutions(4)
    assert torch.equal(first, second)
    first, second = solutions(torch.Generator().manual_seed(4))
    assert not torch.equal(first, second)

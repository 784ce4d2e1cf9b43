"""A fingerprint tells results from others; a difference within rounding warns."""

from __future__ import annotations

import warnings

import pytest
import torch

from torchopt.autodiff.fingerprint import Fingerprint, ReplayCheck, rounding
from torchopt.errors import ReplayWarning


def values(dtype: torch.dtype = torch.float64) -> list[torch.Tensor]:
    generator = torch.Generator().manual_seed(0)
    return [torch.randn(shape, generator=generator).to(dtype) for shape in ((), (5,), (300, 400))]


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16, torch.complex64])
def test_the_distance_of_the_same_bits_is_zero(dtype: torch.dtype) -> None:
    assert Fingerprint(values(dtype)).distance(values(dtype)) == 0


def test_tensors_of_several_dtypes_are_told_apart_each_by_itself() -> None:
    dtypes = [torch.float32, torch.bfloat16, torch.complex64, torch.float32, torch.float64]
    first = [t.to(dtype) for dtype, t in zip(dtypes * 2, values() * 4, strict=False)]
    assert Fingerprint(first).distance([t.clone() for t in first]) == 0
    for place in range(len(first)):
        later = [2 * t if k == place else t for k, t in enumerate(first)]
        prints = Fingerprint(first), Fingerprint(later, later=True)
        parts = [[whole.part(slice(k, k + 1)) for whole in prints] for k in range(len(first))]
        apart = [one.distance(other) > 1e-3 for one, other in parts]
        assert apart == [k == place for k in range(len(first))]


def test_numbers_that_are_nan_again_are_the_same_and_others_infinitely_far() -> None:
    first, *rest = values()
    nan = torch.full_like(rest[0], torch.nan)
    assert Fingerprint([first, nan]).distance([first, nan.clone()]) == 0
    for before, after in ((nan, rest[0]), (rest[0], nan)):
        assert Fingerprint([before]).distance([after]) == torch.inf


@pytest.mark.parametrize("place", range(3))
@pytest.mark.parametrize("size", [1e-10, 1e-3, 0.5])
def test_the_distance_is_about_the_norm_of_the_difference(place: int, size: float) -> None:
    first, later = values(), values()
    generator = torch.Generator().manual_seed(1)
    direction = torch.randn(later[place].shape, generator=generator, dtype=torch.float64)
    direction /= direction.norm()
    later[place] = later[place] + size * first[place].norm() * direction
    assert 0.01 * size < Fingerprint(first).distance(later) < 10 * size


def test_another_number_of_tensors_is_infinitely_far() -> None:
    assert Fingerprint(values()).distance(values()[:2]) == float("inf")


def test_rounding_is_half_of_the_digits_of_the_least_precise_dtype() -> None:
    dtypes = [torch.float32, torch.float64, torch.int64]
    assert rounding(dtypes) == torch.finfo(torch.float32).eps ** 0.5
    assert rounding(dtypes, [torch.bfloat16]) == torch.finfo(torch.bfloat16).eps ** 0.5
    assert rounding(dtypes[2:]) == 0


def test_a_check_warns_once_of_the_largest_difference_within_rounding() -> None:
    check, dtypes = ReplayCheck(()), [torch.float32]
    assert not check.accepts(1e-3, dtypes)
    assert not check.accepts(float("nan"), dtypes)
    assert all(check.accepts(distance, dtypes) for distance in (0.0, 1e-5, 1e-6))
    with pytest.warns(ReplayWarning, match="nearly") as caught:
        check.warn("nearly the same")
    assert caught[0].message.difference == 1e-5  # type: ignore[union-attr]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check.warn("nearly the same")


def test_entries_of_a_large_tensor_cannot_change_places() -> None:
    first = torch.zeros(200_000, dtype=torch.float64)
    first[1] = 1.0
    for place in (65_536, 65_537, 131_072, 2):
        later = torch.zeros_like(first)
        later[place] = 1.0
        assert Fingerprint([first]).distance([later]) > 1e-3

"""A fingerprint tells results from others; a difference within rounding warns."""

from __future__ import annotations

import warnings

import pytest
import torch

from torchopt.autodiff import fingerprint
from torchopt.autodiff.fingerprint import Fingerprint, ReplayCheck
from torchopt.errors import ReplayWarning


@pytest.fixture(autouse=True, params=["kernel", "operations"])
def by(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Where there is a kernel: also without it."""
    if request.param == "operations":
        monkeypatch.setattr(fingerprint, "_kernel", lambda: None)
    return request.param


def values(dtype: torch.dtype = torch.float64) -> list[torch.Tensor]:
    generator = torch.Generator().manual_seed(0)
    return [torch.randn(shape, generator=generator).to(dtype) for shape in ((), (5,), (300, 400))]


DTYPES = [
    *(torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.float8_e4m3fn),
    *(
        torch.complex64,
        torch.complex128,
        torch.bool,
        torch.uint8,
        torch.int16,
        torch.int32,
        torch.int64,
    ),
]
LAYOUTS = {
    "contiguous": lambda t: t.clone(),
    "transposed": lambda t: t.clone().mT,
    "strided": lambda t: t.clone()[1::2, ::3],
    "part": lambda t: t.clone().flatten()[3:],
    "of several rooms": lambda t: t.flatten().repeat(80_000),
    "conjugate": torch.conj,
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_one_other_number_is_noticed_and_the_same_bits_are_not(
    dtype: torch.dtype, layout: str
) -> None:
    numbers = (
        torch.arange(20).view(4, 5) % 2 if dtype is torch.bool else torch.arange(20).view(4, 5)
    )
    beside = torch.ones(3), torch.ones(0, 4), torch.ones(2, 1).expand(2, 3)
    first, again = (LAYOUTS[layout](numbers.to(dtype)) for _ in range(2))
    before = Fingerprint([*beside, first, *beside])
    assert before.distance(Fingerprint([*beside, again, *beside], later=True)) == 0
    flat = again.reshape(-1).clone()
    flat[-1] = 1 - flat[-1].item()
    after = Fingerprint([*beside, flat.view(first.shape), *beside], later=True)
    assert before.distance(after) > 1e-6
    assert before.part(slice(3)).distance(after.part(slice(3))) == 0


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.float16, torch.bfloat16])
def test_norms_are_those_of_numbers_as_small_and_as_large_as_they_can_be(
    dtype: torch.dtype,
) -> None:
    info = torch.finfo(dtype)
    for size in (info.smallest_normal, info.smallest_normal * info.eps, info.eps, info.max**0.5):
        t = torch.tensor([size, -size, 0.0, -0.0], dtype=dtype)
        expected = t.double().norm() if size**2 else torch.zeros(())
        torch.testing.assert_close(
            float(Fingerprint([t]).norms), float(expected), atol=0, rtol=1e-12
        )
    for t in (torch.tensor([torch.inf, 1.0]), torch.tensor([torch.nan, 1.0])):
        torch.testing.assert_close(
            float(Fingerprint([t.to(dtype)]).norms), float(t.norm()), equal_nan=True
        )


def test_the_kernel_and_operations_project_alike_and_zeros_without_memory_are_zeros() -> None:
    negative = torch.ones(3, dtype=torch.complex64).mul(1j).conj().imag
    for t in (negative, torch.ones(200_000), torch._efficientzerotensor((3,))):
        directions = fingerprint._directions(t.device)
        parts = [(directions[: len(p)] * p).sum() for p in t.split(len(directions))]
        along = (
            directions.flip(0)[: len(parts)] if len(parts) > 1 else torch.ones(1, device=t.device)
        )
        expected = (torch.stack(parts) * along).sum().view(1)
        torch.testing.assert_close(Fingerprint([t]).projections, expected)


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
    assert ReplayCheck([]).rounding(dtypes) == torch.finfo(torch.float32).eps ** 0.5
    autocast = ReplayCheck([torch.bfloat16])
    assert autocast.rounding(dtypes) == torch.finfo(torch.bfloat16).eps ** 0.5
    assert ReplayCheck([]).rounding(dtypes[2:]) == 0


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

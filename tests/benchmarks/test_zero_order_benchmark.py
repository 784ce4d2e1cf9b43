"""The benchmark of zero-order estimates runs with tiny settings; its measures are what they say."""

import math

import pytest
import torch

from benchmarks import _zero_order, _zero_order_mode, zero_order

TINY = {"a": {"examples": 8, "features": 2, "hidden": 3}}
PLACE = {"dtype": "float64", "device": "cpu", "evaluations": 4}


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("zero_order")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(zero_order, "CASES", TINY)
        patch.setattr(zero_order, "LARGE", {"2 x 3": TINY["a"]})
        tiny = "--cases a --evaluations 4 --seeds 2 --rounds 1 --budget 0"
        paths = ["--peers", str(folder / "absent"), "--output", str(folder / "out.md")]
        return zero_order.main([*tiny.split(), *paths])


def test_has_a_row_for_each_case_method_and_estimator(report: str) -> None:
    assert report.count("| a  ") == 2
    assert "| 2 x 3 " in report
    for name in (*zero_order.METHODS, *zero_order.ESTIMATORS):
        assert report.count(f"| a, {name} ") == 1


def test_without_peers_says_how_to_install_them(report: str) -> None:
    assert "The peers are absent" in report
    assert "0.7.3: zero_order |" not in report


def test_the_truth_is_the_difference_quotient() -> None:
    case = {**TINY["a"], **PLACE}
    given = _zero_order.problem(case)
    found = _zero_order.exact(case)()
    for k, (p, g) in enumerate(zip(given.start, found, strict=True)):
        direction = torch.linspace(1, 2, p.numel(), dtype=p.dtype).reshape(p.shape)

        def moved(step: float, k: int = k, direction: torch.Tensor = direction) -> torch.Tensor:
            params = list(given.start)
            params[k] = params[k] + step * direction
            return given.loss(tuple(params))

        quotient = (moved(1e-5) - moved(-1e-5)) / 2e-5
        assert quotient.abs() > 1e-4
        torch.testing.assert_close((g * direction).sum(), quotient, rtol=1e-6, atol=1e-10)


def test_quality_of_known_estimates() -> None:
    truth = [3.0, 4.0]
    same = zero_order.quality([[6.0, 8.0], [3.0, 4.0]], truth)
    assert same.cosine == (1.0, 0.0)
    assert same.scale == (1.5, pytest.approx(0.5))
    askew = zero_order.quality([[4.0, 3.0]], truth)
    assert askew.cosine[0] == pytest.approx(24 / 25)
    assert math.isclose(zero_order.quality([[-4.0, 3.0]], truth).scale[0], 0, abs_tol=1e-12)


def test_surrogates_are_as_rough_as_they_say() -> None:
    case = {"examples": 8, "features": 30, "hidden": 20, **PLACE}
    truth = torch.cat([t.reshape(-1) for t in _zero_order.exact(case)()])
    found = torch.cosine_similarity(_zero_order_mode._surrogates(case), truth[None])
    torch.testing.assert_close(found, torch.full_like(found, _zero_order_mode.COSINE))


def test_looped_and_batched_estimates_that_differ_stop_the_benchmark(
    monkeypatch: pytest.MonkeyPatch, tmp_path: object
) -> None:
    monkeypatch.setattr(zero_order, "CASES", TINY)
    monkeypatch.setitem(zero_order.TARGETS, zero_order.LOOPED, zero_order.TRUTH)
    paths = ["--peers", f"{tmp_path}/absent", "--output", f"{tmp_path}/out.md"]
    with pytest.raises(ValueError, match="ours, batched differs by"):
        zero_order.main(["--cases", "a", "--evaluations", "4", "--rounds", "1", *paths])

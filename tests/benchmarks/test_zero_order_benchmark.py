"""The benchmark of zero-order estimates runs with tiny settings; its truth is a difference quotient."""

import pytest
import torch

from benchmarks import _zero_order, zero_order

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

"""The benchmark of meta-steps runs with tiny settings; its contenders compute the same."""

import pytest
import torch

from _cases import diagonal
from benchmarks import _maml_minimize, _maml_plain, _runner, meta_step

TINY = {
    "sinusoid": {"width": 5, "shots": 4},
    "deep": {"width": 3, "shots": 4},
    "cnn": {"width": 4, "shots": 1},
    "transformer": {"width": 8, "shots": 4},
}
CASE = {"tasks": 2, "steps": 2, "eps": meta_step.EPS, "dtype": "float64", "device": "cpu"}


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("meta_step")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(meta_step, "MODELS", TINY)
        patch.setattr(meta_step, "LONGEST", {"deep": {meta_step.LOOP: 3}})
        tiny = "--models sinusoid deep --steps 2 --tasks 2 --rounds 1 --budget 0 --first"
        eager = [x for x in meta_step.TARGETS if x != meta_step.COMPILED]  # a minute less
        paths = ["--peers", str(folder / "absent"), "--output", str(folder / "out.md")]
        return meta_step.main([*tiny.split(), "--contenders", *eager, *paths])


def test_has_a_row_for_each_case_in_each_table(report: str) -> None:
    for model in ("sinusoid", "deep"):
        assert report.count(f"| {model}, 2 tasks, 2 steps") == 3


@pytest.mark.parametrize(
    ("model", "optimizer", "target"), diagonal([*TINY], ["sgd", "adam"], ["loop", "vmapped"])
)
def test_ours_is_the_gradient_by_hand(model: str, optimizer: str, target: str) -> None:
    case = {"model": model, **TINY[model], **CASE, "optimizer": optimizer}
    torch.testing.assert_close(
        getattr(_maml_minimize, target)(case)(), _maml_plain.loop(case)(), rtol=1e-8, atol=1e-12
    )


class _Constant:
    """A lane whose gradients are given."""

    def __init__(self, gradient: list[float]) -> None:
        self._gradient = gradient

    def gradient(self, target: str, case: dict[str, object]) -> list[float]:
        return self._gradient


@pytest.mark.parametrize("name", [meta_step.COMPILED, meta_step.JAX])
def test_a_wrong_gradient_stops_the_benchmark(name: str) -> None:
    hand = _runner.Contender(meta_step.HAND, "", _Constant([1.0, 2.0]))  # type: ignore[arg-type]
    off = _runner.Contender(name, "", _Constant([1.0, 2.1]))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=f"{name} differs by 5.0e-02"):
        meta_step.check(hand, [hand, off], {"optimizer": "adam", "model": "sinusoid"})

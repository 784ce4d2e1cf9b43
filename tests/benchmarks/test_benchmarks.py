"""Each benchmark runs with tiny settings and without the peers."""

import re
from pathlib import Path

import pytest

from benchmarks import (
    _every_optimizer,
    _runner,
    constraints,
    import_time,
    inner_loop,
    maml_step,
    optimizer,
    resume,
)
from benchmarks._lane import Lane


@pytest.fixture(scope="module")
def meta_step(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("maml")
    tiny = "--models mlp cnn --optimizers adam --steps 2 --tasks 2 --width 8 --rounds 1 --budget 0"
    paths = ["--peers", str(folder / "absent"), "--output", str(folder / "out.md")]
    return maml_step.main([*tiny.split(), *paths])


def test_maml_step_has_a_row_for_each_case_in_each_table(meta_step: str) -> None:
    for case in ("mlp, adam", "cnn, adam"):
        assert meta_step.count(f"| {case}, 2 steps") == 3


def test_optimizer_compares_gradients_with_those_of_plain_operations(tmp_path: Path) -> None:
    case = ["--cases", "MLP, 6 tensors", "--compile", "0", "--rounds", "1", "--budget", "0"]
    paths = ["--peers", str(tmp_path / "absent"), "--output", str(tmp_path / "out.md")]
    table = optimizer.main([*case, *paths, "--optimizers", "adam", "sgd"])
    for contender in (optimizer.OURS, optimizer.UNFUSED):
        assert f"| {contender} " in table or f" {contender} |" in table
    assert all(f"| {name} " in table for name in ("adam", "sgd"))


def _kind(name: str) -> str | None:
    return None if _every_optimizer.twin(name) is None else _every_optimizer.kind_of_twin(name)


# That each kernel has the gradient of plain operations is shown in tests/transform/test_fused.py.
@pytest.mark.parametrize(
    "name", {_kind(name): name for name in _every_optimizer.measured()[::-1]}.values()
)
def test_an_optimizer_of_each_kind_has_the_same_gradient_fused_and_plain(name: str) -> None:
    case = {"shapes": [[7, 3], [5, 2]], "device": "cpu", "optimizer": name}
    lane = Lane()
    plain, fused = (
        lane.gradient(f"benchmarks._every_optimizer:{target}", case) for target in ("plain", "ours")
    )
    assert _runner.difference(plain, fused) <= 1e-9
    for target in ("forward", "theirs"):
        if target == "forward" or _every_optimizer.twin(name) is not None:
            assert (
                lane.open(f"benchmarks._every_optimizer:{target}", {**case, "dtype": "float32"}) > 0
            )


def test_inner_loop_says_that_a_sign_has_no_derivative(tmp_path: Path) -> None:
    few = ["--optimizers", "sgd", "sign_sgd", "--steps", "3"]
    table = inner_loop.main([*few, "--output", str(tmp_path / "out.md")])
    errors = dict(re.findall(r"^\| (.*?) +\|.* ([\d.]+)% \|$", table, re.MULTILINE))
    assert errors.keys() == {"sgd", "sign_sgd", "sign_sgd, smooth=0.1"}
    assert errors["sign_sgd"] == "100.0" != errors["sign_sgd, smooth=0.1"]


def test_import_time_has_a_row_for_each_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    base, other = "import json", "import decimal"  # which do not take seconds
    monkeypatch.setattr(import_time, "BASE", base)
    monkeypatch.setattr(import_time, "PROGRAMS", (base, other))
    report = import_time.main(["--rounds", "1", "--output", str(tmp_path / "out.md")])
    assert all(f"| `{program}` " in report for program in (base, other))


def test_every_benchmark_is_run() -> None:
    folder = Path(__file__).parent
    tests = "".join(path.read_text() for path in folder.glob("test_*.py"))
    modules = Path(_runner.__file__).parent.glob("[!_]*.py")
    runnable = [m.stem for m in modules if "def main(" in m.read_text() and m.stem != "peers"]
    assert [name for name in runnable if f"{name}.main(" not in tests] == []


def test_runs_that_go_on_have_the_same_bits(tmp_path: Path) -> None:
    tiny = ["--policies", "sqrt", "--width", "8", "--depth", "2", "--steps", "8"]
    report = resume.main([*tiny, "--folder", str(tmp_path), "--output", str(tmp_path / "out.md")])
    rows = re.findall(r"\| sqrt .*", report)
    assert [row.split("|")[-2].strip() for row in rows] == ["True"] * 4


def test_quadratic_programs_have_a_row_with_the_error_of_their_gradient(
    capsys: pytest.CaptureFixture[str],
) -> None:
    constraints.main(["--sizes", "5", "--batch", "3", "--rounds", "1", "--contenders", "ours"])
    (row,) = re.findall(r"\| 5 \| 3 \| ours \|.*", capsys.readouterr().out)
    assert float(row.split("|")[-2]) < 1e-10


class _Constant:
    """A lane whose gradients are given."""

    def __init__(self, gradient: list[float]) -> None:
        self._gradient = gradient

    def gradient(self, target: str, case: dict[str, object]) -> list[float]:
        return self._gradient


def test_a_wrong_gradient_stops_the_benchmark() -> None:
    hand = _runner.Contender(maml_step.HAND, "", _Constant([1.0, 2.0]))  # type: ignore[arg-type]
    off = _runner.Contender(maml_step.OOP, "", _Constant([1.0, 2.1]))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"ours: OOP differs by 5.0e-02"):
        maml_step.check([hand, off], {"optimizer": "adam"})

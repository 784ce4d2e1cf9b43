"""The benchmark of distributed runtimes runs with tiny settings; its model is arithmetic."""

from types import SimpleNamespace

import pytest

from _warm import CONTEXT
from benchmarks import _distributed_runtimes, distributed
from benchmarks._distributed_model import Model, Wire, fit, wire
from benchmarks._distributed_runtimes import SPMD, Report


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> str:
    output = tmp_path_factory.mktemp("distributed") / "out.md"
    tiny = "--quick --workers 1 2 --rounds 1 --calls 2"
    runtimes = ["--runtimes", SPMD, "process executor"]
    with pytest.MonkeyPatch.context() as patch:  # copies of a process that has imported PyTorch
        contexts = SimpleNamespace(get_context=lambda kind: CONTEXT)
        patch.setattr(_distributed_runtimes, "multiprocessing", contexts)
        return distributed.main([*tiny.split(), *runtimes, "--output", str(output)])


@pytest.mark.slow
@pytest.mark.processes
def test_has_a_row_for_each_runtime_in_each_table(report: str) -> None:
    for name in (SPMD, "process executor"):
        assert report.count(f"| {name} ") == 7
        assert report.count(f"tasks, {name} ") == 2


def test_a_wrong_gradient_stops_the_benchmark() -> None:
    with pytest.raises(ValueError, match=r"differs by 5\.0e-02 from the gradient of one process"):
        distributed.check("it", Report([1.0, 2.1]), Report([1.0, 2.0]))


def test_the_model_finds_the_numbers_that_made_the_times() -> None:
    truth = Model(0.25, 0.02, 0.001, 0.003, Wire(1e-3, 1e-9), 8e4, reduces=False)
    busiest = {n: truth.terms(16, n)["compute"] + truth.fixed for n in (1, 2, 8)}
    controller = {n: truth.terms(16, n)["controller"] for n in (1, 2, 8)}
    sizes = [4, 1 << 20]
    message = wire(sizes, [truth.wire.seconds(s) for s in sizes])
    found = fit(busiest, controller, 16, message, 8e4, reduces=False)
    for n in (1, 8, 100):
        assert found.seconds(64, n) == pytest.approx(truth.seconds(64, n))

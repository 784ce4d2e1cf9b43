"""The benchmark of distributed runtimes runs with tiny settings; its model is arithmetic."""

import pytest
import torch

from benchmarks import _distributed, distributed
from benchmarks._distributed_model import Model, Wire, fit, wire
from benchmarks._distributed_runtimes import SPMD, Report


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> str:
    output = tmp_path_factory.mktemp("distributed") / "out.md"
    tiny = "--quick --workers 1 2 --rounds 1 --calls 2"
    runtimes = ["--runtimes", SPMD, "process executor"]
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


def test_the_meta_step_differentiates_through_the_inner_steps() -> None:
    size = _distributed.Size(tasks=2, shots=1, queries=2, width=4, image=8, steps=2)
    params = [p.detach().double() for p in _distributed.start(size)]
    given = [
        tuple(t.double() if t.is_floating_point() else t for t in task)
        for task in _distributed.tasks(size)
    ]

    def loss(last: torch.Tensor) -> torch.Tensor:
        moved = (*params[:-1], last)
        return sum(_distributed.task_loss(moved, task, 2, 0.1) for task in given)

    for p in params:
        p.requires_grad_()
    assert torch.autograd.gradcheck(loss, params[-1])


def test_the_model_finds_the_numbers_that_made_the_times() -> None:
    truth = Model(0.25, 0.02, 0.001, 0.003, Wire(1e-3, 1e-9), 8e4, reduces=False)
    busiest = {n: truth.terms(16, n)["compute"] + truth.fixed for n in (1, 2, 8)}
    controller = {n: truth.terms(16, n)["controller"] for n in (1, 2, 8)}
    sizes = [4, 1 << 20]
    message = wire(sizes, [truth.wire.seconds(s) for s in sizes])
    found = fit(busiest, controller, 16, message, 8e4, reduces=False)
    for n in (1, 8, 100):
        assert found.seconds(64, n) == pytest.approx(truth.seconds(64, n))


def test_the_model_says_what_bounds_it() -> None:
    model = Model(0.25, 0.0, 0.001, 0.001, Wire(1e-3, 1e-9), 8e4, reduces=False)
    assert model.bound(16, 2).startswith("compute")
    assert "48 workers are idle" in model.bound(16, 64)
    assert model.bound(1024, 1024).startswith("controller")
    ranks = Model(0.25, 0.0, 0.0, 0.0, Wire(1e-3, 0.0), 8e4, reduces=True)
    assert ranks.seconds(1024, 1024) == pytest.approx(0.25 + 20 * 1e-3)

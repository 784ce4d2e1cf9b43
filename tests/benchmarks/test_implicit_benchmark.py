"""The benchmark of hypergradients runs with tiny settings; its baselines compute the same."""

import pytest
import torch

from benchmarks import _implicit, _implicit_hypertorch, _runner, implicit

TINY = {
    "ridge": {"problem": "ridge", "examples": 30, "features": 4},
    "logistic": {"problem": "logistic", "examples": 60, "features": 3},
    "mlp": {"problem": "mlp", "examples": 60, "features": 3, "hidden": 2},
}
PLACE = {"dtype": "float64", "device": "cpu"}
# Two steps of gradient descent solve nothing, and `Implicit` says so.
pytestmark = pytest.mark.filterwarnings("ignore::torchopt.errors.NotConvergedWarning")


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("implicit")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(implicit, "CASES", TINY)
        patch.setattr(implicit, "ITERATIONS", 2)
        tiny = "--cases ridge mlp --weighed mlp --unroll ridge --steps 2 --rounds 1 --budget 0"
        paths = ["--peers", str(folder / "absent"), "--output", str(folder / "out.md")]
        return implicit.main([*tiny.split(), *paths])


@pytest.mark.slow
def test_has_a_row_for_each_case_in_each_table(report: str) -> None:
    assert report.count("| ridge  ") == 5
    assert report.count("| ridge, ") == 3
    assert report.count("| mlp  ") == 7


@pytest.mark.parametrize("name", ["ridge", "logistic", "mlp"])
def test_the_truth_is_the_difference_quotient_of_a_tightly_solved_problem(name: str) -> None:
    given = _implicit.problem({**TINY[name], **PLACE})
    [found] = _implicit.exact({**TINY[name], **PLACE})()

    def outer(hyper: torch.Tensor) -> torch.Tensor:
        params = [p.clone().requires_grad_() for p in given.solution]
        for _ in range(3):  # Newton's steps, from a solution near by
            flat = torch.cat([p.detach().reshape(-1) for p in params]).requires_grad_()

            def objective(x: torch.Tensor) -> torch.Tensor:
                parts = x.split([p.numel() for p in given.solution])
                shaped = (a.reshape(p.shape) for a, p in zip(parts, given.solution, strict=True))
                return given.inner(tuple(shaped), hyper)

            [g] = torch.autograd.grad(objective(flat), flat)
            x = flat.detach() - torch.linalg.solve(
                torch.autograd.functional.hessian(objective, flat), g
            )
            parts = x.split([p.numel() for p in given.solution])
            params = [a.reshape(p.shape) for a, p in zip(parts, given.solution, strict=True)]
        return given.outer(tuple(params))

    direction = torch.linspace(1, 2, len(found), dtype=torch.float64)
    hyper, eps = given.hyper.detach(), 1e-4
    quotient = (outer(hyper + eps * direction) - outer(hyper - eps * direction)) / (2 * eps)
    torch.testing.assert_close(found @ direction, quotient.detach(), rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("method", ["cg", "cg_anew", "fixed_point", "neumann"])
def test_the_methods_by_hand_are_right(method: str) -> None:
    case = {**TINY["logistic"], **PLACE}
    [truth] = _implicit.exact(case)()
    [found] = getattr(_implicit_hypertorch, method)(case)()
    assert _runner.difference(truth.tolist(), found.tolist()) < 1e-8

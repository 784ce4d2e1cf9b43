"""Write `tests/solver/bounded.json`: what SciPy computes for classic problems with bounds.

    python tests/reference/make_bounded.py

needs SciPy and PyTorch, whose derivatives SciPy is given. The iterations of L-BFGS-B are those after
which the norm of the gradient without its parts that push against a bound is at most 1e-6.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import scipy
import torch
from scipy.optimize import least_squares, minimize

TESTS = Path(__file__).parents[1] / "solver"
sys.path[:0] = [str(TESTS), str(TESTS.parent)]

from _bounded import CLASSICS, FITS, Bounded  # noqa: E402

TOLERANCE = 1e-6


def solve(problem: Bounded) -> dict[str, Any]:
    lower, upper = np.array(problem.lower, float), np.array(problem.upper, float)

    def evaluate(x: np.ndarray) -> tuple[float, np.ndarray]:
        point = torch.tensor(x, dtype=torch.float64, requires_grad=True)
        value = problem.function(point)
        return float(value.detach()), torch.autograd.grad(value, point)[0].numpy()

    def reduced(x: np.ndarray) -> float:
        g = evaluate(x)[1]
        against = ((x <= lower) & (g > 0)) | ((x >= upper) & (g < 0))
        return float(np.linalg.norm(np.where(against, 0.0, g)))

    errors: list[float] = []
    result = minimize(
        evaluate,
        np.array(problem.start, float),
        jac=True,
        method="L-BFGS-B",
        bounds=list(zip(lower, upper, strict=True)),
        callback=lambda x: errors.append(reduced(x)),
        options={"maxcor": 10, "ftol": 0.0, "gtol": 1e-10, "maxiter": 2000, "maxfun": 10000},
    )
    enough = [k + 1 for k, error in enumerate(errors) if error <= TOLERANCE]
    assert enough, errors[-3:]
    return {"iterations": enough[0], "solution": result.x.tolist(), "value": float(result.fun)}


def fit(problem: Bounded) -> dict[str, Any]:
    """Return the better of the solutions of SciPy's two methods, and how far they are apart."""

    def residuals(x: np.ndarray) -> np.ndarray:
        return problem.function(torch.tensor(x)).numpy()

    def jacobian(x: np.ndarray) -> np.ndarray:
        return torch.func.jacrev(problem.function)(torch.tensor(x)).numpy()

    results = [
        least_squares(
            residuals,
            np.array(problem.start, float),
            jac=jacobian,
            bounds=(problem.lower, problem.upper),
            method=method,
            x_scale="jac",
            ftol=1e-15,
            xtol=1e-15,
            gtol=1e-15,
            max_nfev=5000,
        )
        for method in ("trf", "dogbox")
    ]
    best = min(results, key=lambda result: result.cost)
    return {
        "solution": best.x.tolist(),
        "value": float(best.cost),
        "apart": float(abs(results[0].x - results[1].x).max()),
        "evaluations": [int(result.nfev) for result in results],
    }


if __name__ == "__main__":
    cases = {name: solve(problem) for name, problem in CLASSICS.items()}
    fits = {name: fit(problem) for name, problem in FITS.items()}
    text = json.dumps({"scipy": scipy.__version__, "lbfgsb": cases, "fits": fits}, indent=1)
    (TESTS / "bounded.json").write_text(text + "\n")

r"""How much each training image moves the loss of each target: one number, by several ways.

The score of image :math:`i` for target :math:`j` is :math:`\partial \ell_j(\theta_K(w)) / \partial
w_i` at :math:`w = 1`: negative for an image that helps. Every way is the same derivative by another
differentiation mode, and only the metagradient is exact.

References:
    Hara, Nitanda and Maehara, *Data Cleansing for Models Trained with SGD*, 2019. Engstrom et al.,
    *Optimizing ML Training with Metagradient Descent*, 2025. Ilyas and Engstrom, *MAGIC: Near-Optimal
    Data Attribution for Deep Learning*, 2025. Koh and Liang, *Understanding Black-box Predictions via
    Influence Functions*, 2017. Pruthi et al., *Estimating Training Data Influence by Tracing Gradient
    Descent*, 2020 (TracInCP).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import torch

import torchopt
from torchopt.diff import DifferentiationMode, Explicit, Implicit, OneStep
from torchopt.examples.attribution.training import Params, Training
from torchopt.examples.tools.digits import Data

__all__ = ["at_point", "metagradient", "ways"]

_CHECKPOINTS = 10  # of training, where gradients are multiplied (TracIn)
_DAMPINGS = (0.003, 0.01, 0.03)  # around the best, as retraining judges


def metagradient(training: Training, targets: Data, diff: DifferentiationMode) -> torch.Tensor:
    """Return the scores through the steps of training, of shape ``(targets, images)``."""

    def losses(weights: torch.Tensor) -> torch.Tensor:
        return training.losses(training.run(weights, diff=diff), targets)

    return _jacobian(losses, training)


def at_point(
    training: Training, params: Params, targets: Data, diff: DifferentiationMode
) -> torch.Tensor:
    """Return the scores from where training has led, and not from the way to it."""
    places = torch.arange(len(training.data.y))

    def losses(weights: torch.Tensor) -> torch.Tensor:
        solution = torchopt.minimize(
            lambda params, weights: training.objective(params, weights, places),
            params,
            (weights,),
            solver=lambda params, _: params,
            diff=diff,
        )
        return training.losses(solution.params, targets)

    return _jacobian(losses, training)


def ways(training: Training, targets: Data) -> dict[str, Callable[[], torch.Tensor]]:
    """Return the ways to scores: functions that find them."""
    steps = training.config.steps
    through = partial(metagradient, training, targets)

    def influence(damping: float) -> torch.Tensor:
        # The Hessian of a network has negative eigenvalues, so that conjugate gradients may fail.
        solve = torchopt.linear_solve.solve_minres(
            ridge=damping, rtol=1e-3, maxiter=200, on_failure="ignore"
        )
        return at_point(training, training.trained(), targets, Implicit(linear_solve=solve))

    def products() -> torch.Tensor:
        after = [k * steps // _CHECKPOINTS for k in range(1, _CHECKPOINTS + 1)]
        parts = [
            at_point(
                training,
                training.trained(step),
                targets,
                OneStep(step_size=float(training.lr(step - 1)), hvp="reverse"),
            )
            for step in after
        ]
        return torch.stack(parts).sum(0)

    def unrelated() -> torch.Tensor:
        generator = torch.Generator().manual_seed(training.config.seed)
        scores = torch.randn(len(targets.y), len(training.data.y), generator=generator)
        return scores.to(training.data.x.dtype)

    return {
        "metagradient": partial(through, Explicit(memory=training.config.memory)),
        **{
            f"last {steps // part} steps": partial(through, Explicit(truncate=steps // part))
            for part in (2, 10)
        },
        **{f"influence, {damping}": partial(influence, damping) for damping in _DAMPINGS},
        "gradient products": products,
        "random": unrelated,
    }


def _jacobian(losses: Callable[[torch.Tensor], torch.Tensor], training: Training) -> torch.Tensor:
    """Return the derivative of all losses with respect to all weights, where all weights are 1."""
    found: torch.Tensor = torch.func.jacrev(losses)(training.all_images)
    return found

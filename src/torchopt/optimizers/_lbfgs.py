"""L-BFGS with a line search."""

from __future__ import annotations

from torchopt.io.calls import records_call
from torchopt.optimizers.descent import descend
from torchopt.pytree.typing import Hyperparameter
from torchopt.transform import scale_by_lbfgs, scale_by_zoom_linesearch
from torchopt.transform.chaining import GradientTransformation, absent

_ZOOM = scale_by_zoom_linesearch(20, initial_guess_strategy="one")


@records_call
def lbfgs(
    lr: Hyperparameter = 1.0,
    *,
    history_size: int = 10,
    scale_init_precond: bool = True,
    linesearch: GradientTransformation | None = _ZOOM,
) -> GradientTransformation:
    r"""L-BFGS as an optimizer for deterministic losses: each update is one iteration.

    It has no stopping rule; :class:`torchopt.solver.LBFGS` runs until it has converged.

    .. math:: \theta_{k+1} = \theta_k - \alpha_k \, \eta \, P_k g_k

    :math:`P_k` approximates the inverse Hessian by the last changes of parameters and gradients
    (:func:`torchopt.transform.scale_by_lbfgs`), and the line search chooses :math:`\alpha_k`, for which
    it reads the loss and a function that returns it: see
    :class:`torchopt.transform.GradientTransformationExtraArgs`. To maximize, negate the loss.

    Args:
        lr: Learning rate :math:`\eta`, not negative: a number, a schedule, or a tensor. Leave it at 1
            with a line search.
        history_size: The number of pairs to keep.
        scale_init_precond: Whether the approximation starts from the identity scaled by the last pair,
            instead of the identity.
        linesearch: A transformation that scales the step, by default
            :func:`torchopt.transform.scale_by_zoom_linesearch` with 20 lengths, starting at 1. With
            None :math:`\alpha_k = 1`, and updates read only gradients.

    Returns:
        A gradient transformation like Optax's ``lbfgs``, with another line search.

    Raises:
        ValueError: If a number is out of range. In ``update``, without the parameters.
        TypeError: In ``update``, without the loss or its function, if there is a line search.

    Example:
        >>> import torch, torchopt
        >>> rosenbrock = lambda x: (1 - x[0]) ** 2 + 100 * (x[1] - x[0] ** 2) ** 2
        >>> start = torch.tensor([-1.2, 1.0], dtype=torch.float64)
        >>> found = torchopt.minimize(rosenbrock, start, solver=torchopt.lbfgs(), steps=50)
        >>> found.params.round(decimals=6)
        tensor([1., 1.], dtype=torch.float64)

    References:
        Liu and Nocedal, *On the limited memory BFGS method*, 1989. Nocedal and Wright, *Numerical
        Optimization*, 2006, algorithms 7.4 and 7.5.
    """
    search = absent() if linesearch is None else linesearch
    return descend(scale_by_lbfgs(history_size, scale_init_precond), lr=lr, after=(search,))

"""Optimizers that estimate their learning rate: what they estimate, and its derivatives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

import torchopt
from _trees import generator, random_params

TARGET = 4.0
ESTIMATING: dict[str, tuple[Callable[..., Any], dict[str, float]]] = {
    "prodigy": (
        lambda b1, b2, **rest: torchopt.optimizers.prodigy(betas=(b1, b2), **rest),
        {"lr": 0.9, "b1": 0.7, "b2": 0.8, "beta3": 0.9, "estim_lr0": 0.2, "estim_lr_coef": 1.3},
    ),
    "prodigy-safeguard_warmup": (
        lambda b1, b2, **rest: torchopt.optimizers.prodigy(
            betas=(b1, b2), safeguard_warmup=True, **rest
        ),
        {"lr": 0.9, "b1": 0.7, "b2": 0.8, "estim_lr0": 0.2, "estim_lr_coef": 2.3},
    ),
    "dadapt_adamw": (
        lambda b1, b2, **rest: torchopt.optimizers.dadapt_adamw(betas=(b1, b2), **rest),
        {"lr": 0.9, "b1": 0.7, "b2": 0.8, "eps": 0.1, "estim_lr0": 0.2},
    ),
    "dog": (
        lambda r, **rest: torchopt.optimizers.dog(init_step=("heuristic", r), **rest),
        {"lr": 1.1, "r": 0.3},
    ),
    "dog-layer_wise": (
        lambda r, **rest: torchopt.optimizers.dog(
            init_step=("distance", r), layer_wise=True, **rest
        ),
        {"lr": 1.1, "r": 0.3},
    ),
}


def descend(tx: Any, params: Any, steps: int, *, inplace: bool = False) -> tuple[Any, list[Any]]:
    """Return parameters after steps on a quadratic function, and what was estimated in each."""
    state, estimates = tx.init(params), []
    for _ in range(steps):
        grads = {name: p - TARGET for name, p in params.items()}
        updates, state = tx.update(grads, state, params=params, inplace=inplace)
        params = torchopt.apply_updates(params, updates, inplace=False)
        part = next(s for s in state if hasattr(s, "estim_lr") or hasattr(s, "max_dist"))
        estimate = getattr(part, "estim_lr", getattr(part, "max_dist", None))
        estimates.append(sum(estimate) if isinstance(estimate, list) else estimate)
    return params, [x.detach().clone() for x in estimates]


@pytest.mark.parametrize("name", ESTIMATING)
def test_derivatives_go_through_a_growing_estimate(name: str) -> None:
    make, hyper = ESTIMATING[name]
    start = random_params(generator(1), {"w": (2, 2), "b": ()})

    def end(numbers: torch.Tensor) -> tuple[torch.Tensor, ...]:
        w, b, values = numbers[:4].view(2, 2), numbers[4], numbers[5:]
        tx = make(**dict(zip(hyper, values, strict=True)))
        params, estimates = descend(tx, {"w": w, "b": b}, 5)
        assert estimates[-1] > estimates[0]
        return tuple(params.values())

    values = torch.tensor([*hyper.values()], dtype=torch.float64)
    numbers = torch.cat([start["w"].flatten(), start["b"].flatten(), values]).requires_grad_()
    # Along a direction of all at once, in which each has to be right.
    close: dict[str, Any] = {"rtol": 1e-6, "atol": 1e-7, "fast_mode": True}
    assert torch.autograd.gradcheck(end, numbers, **close)
    assert torch.autograd.gradgradcheck(end, numbers, **close)


@pytest.mark.parametrize("name", ESTIMATING)
def test_with_their_defaults_they_go_far(name: str) -> None:
    start = {"w": torch.zeros(3), "b": torch.ones(())}
    alias, _, option = name.partition("-")
    tx = getattr(torchopt.optimizers, alias)(**({option: True} if option else {}))
    params, estimates = descend(tx, start, 400, inplace=True)
    assert 0.5 < estimates[-1] < 40.0  # from 1e-6
    assert all((p - TARGET).abs().max() < 0.2 for p in params.values())


def test_another_first_step_is_refused() -> None:
    with pytest.raises(ValueError, match="`init_step` begins with 'norm', but it must be one of"):
        torchopt.optimizers.dog(init_step=("norm", 1.0))  # type: ignore[arg-type]

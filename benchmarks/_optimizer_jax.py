"""Adam's step, differentiated by JAX: a contender of `benchmarks.optimizer`."""

from __future__ import annotations

from typing import Any

import jax  # type: ignore[import-not-found]  # in the environment of the peers
import jax.numpy as jnp  # type: ignore[import-not-found]
import numpy as np
import torch

from benchmarks._lane import Case
from benchmarks._optimizer import B1, B2, EPS, LR, Step, problem


def compiled(case: Case) -> Step:
    """The step and its vjp in `jax.jit`."""
    p = problem({**case, "device": "cpu"})  # JAX moves the arrays to its own device
    *inputs, cotangents = ([jnp.asarray(x.detach().numpy()) for x in column] for column in p)

    def adam(params: Any, grads: Any, mu: Any, nu: Any) -> Any:
        mu = [B1 * m + (1 - B1) * g for m, g in zip(mu, grads, strict=True)]
        nu = [B2 * n + (1 - B2) * g * g for n, g in zip(nu, grads, strict=True)]
        params = [
            w - LR * (m / (1 - B1)) / (jnp.sqrt(n / (1 - B2)) + EPS)
            for w, m, n in zip(params, mu, nu, strict=True)
        ]
        return params, mu, nu

    def both(inputs: Any, cotangents: Any) -> Any:
        outputs, vjp = jax.vjp(adam, *inputs)
        return outputs, vjp((cotangents,) * 3)

    run = jax.jit(both)

    def step() -> tuple[torch.Tensor, ...]:
        _, gradients = jax.block_until_ready(run(inputs, cotangents))
        if case["dtype"] == "float32":  # what is timed is not copied
            return ()
        return tuple(torch.from_numpy(np.array(x)) for column in gradients for x in column)

    return step

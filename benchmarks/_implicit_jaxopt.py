"""Hypergradients by JAXopt's `custom_root`, the whole of it compiled by `jax.jit`."""

from __future__ import annotations

from typing import Any

import jax  # type: ignore[import-not-found]  # in the environment of the peers
import jax.numpy as jnp  # type: ignore[import-not-found]
import jaxopt  # type: ignore[import-not-found]
import numpy as np
import torch
from torch import Tensor

from benchmarks._implicit import Step, problem


def cg(case: dict[str, Any]) -> Step:
    """`custom_root` with conjugate gradients; it is compiled before it is returned."""
    given = problem(case)
    x, y, held_x, held_y = (jnp.asarray(t.numpy()) for t in given.data)
    solution = tuple(jnp.asarray(p.numpy()) for p in given.solution)
    hyper = jnp.asarray(given.hyper.detach().numpy())
    loss, penalty = FUNCTIONS[case["problem"]]

    # The data are arguments: constants would be folded for seconds.
    def inner(params: Any, hyper: Any, x: Any, y: Any) -> Any:
        return loss(params, x, y) + penalty(params, hyper)

    def solve(matvec: Any, b: Any) -> Any:
        return jaxopt.linear_solve.solve_cg(matvec, b, tol=given.rtol, maxiter=given.maxiter)

    def given_one(params: Any, hyper: Any, x: Any, y: Any) -> Any:
        return params

    solver = jaxopt.implicit_diff.custom_root(jax.grad(inner), solve=solve)(given_one)

    def outer(hyper: Any, params: Any, x: Any, y: Any, held_x: Any, held_y: Any) -> Any:
        return loss(solver(params, hyper, x, y), held_x, held_y)

    compiled = jax.jit(jax.grad(outer))

    def run() -> tuple[Tensor, ...]:
        return (torch.from_numpy(np.array(compiled(hyper, solution, x, y, held_x, held_y))),)

    run()
    return run


def _squared_error(params: Any, x: Any, y: Any) -> Any:
    return jnp.square(x @ params[0] - y).mean() / 2


def _linear(params: Any, x: Any, y: Any) -> Any:
    return _cross_entropy(x @ params[0], y)


def _perceptron(params: Any, x: Any, y: Any) -> Any:
    into, into_bias, out, out_bias = params
    return _cross_entropy(jnp.tanh(x @ into + into_bias) @ out + out_bias, y)


def _cross_entropy(scores: Any, y: Any) -> Any:
    # Not `take_along_axis`: inside `jit` its derivative is NaN at some sizes (jaxlib 0.10.2, CPU).
    chosen = (jax.nn.one_hot(y, scores.shape[1], dtype=scores.dtype) * scores).sum(1)
    return (jax.nn.logsumexp(scores, axis=1) - chosen).mean()


def _by_feature(params: Any, hyper: Any) -> Any:
    [weight] = params
    squares = jnp.square(weight).reshape(len(hyper), -1).sum(1)
    return (jnp.exp(hyper) * squares).sum() / 2


def _by_tensor(params: Any, hyper: Any) -> Any:
    return (jnp.exp(hyper) * jnp.stack([jnp.square(p).sum() for p in params])).sum() / 2


FUNCTIONS = {
    "ridge": (_squared_error, _by_feature),
    "logistic": (_linear, _by_feature),
    "mlp": (_perceptron, _by_tensor),
}

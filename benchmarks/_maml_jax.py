"""MAML with Optax, the whole meta-step of all tasks compiled by `jax.jit` in its first call.

The networks are those of `benchmarks/_maml.py`, on the same arrays, written again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax  # type: ignore[import-not-found]  # in the environment of the peers
import jax.numpy as jnp  # type: ignore[import-not-found]
import numpy as np
import optax  # type: ignore[import-not-found]
import torch
from torch import Tensor

from benchmarks._maml import problem

Step = Callable[[], tuple[Tensor, ...]]


def scanned(case: dict[str, Any]) -> Step:
    """The inner steps in `jax.lax.scan`."""
    return _compiled(case, unroll=1)


def unrolled(case: dict[str, Any]) -> Step:
    """The inner steps one after the other in one program."""
    return _compiled(case, unroll=case["steps"])


def compiler(case: dict[str, Any]) -> Step:
    """Compile something small: what loads with the compiler is not charged to the first call."""
    x = jnp.ones(2, case["dtype"])
    return lambda: (torch.from_numpy(np.array(jax.jit(jax.grad(lambda x: jnp.sin(x).sum()))(x))),)


def _compiled(case: dict[str, Any], *, unroll: int) -> Step:
    given = problem({**case, "device": "cpu"})  # JAX moves the arrays to its own device
    params = {k: jnp.asarray(p.detach().numpy()) for k, p in given.module.named_parameters()}
    tasks = tuple(jnp.asarray(t.numpy()) for t in given.stacked)
    forward, loss_of = NETWORKS[case["model"]]
    optimizer = getattr(optax, given.optimizer)(given.lr, **given.options)

    def loss(params: Any, x: Any, y: Any) -> Any:
        return loss_of(forward(params, x), y)

    def query_loss(params: Any, x: Any, y: Any, query_x: Any, query_y: Any) -> Any:
        def step(carry: Any, _: None) -> Any:
            params, state = carry
            updates, state = optimizer.update(jax.grad(loss)(params, x, y), state, params)
            return (optax.apply_updates(params, updates), state), None

        start = (params, optimizer.init(params))
        (adapted, _), _ = jax.lax.scan(step, start, length=given.steps, unroll=unroll)
        return loss(adapted, query_x, query_y)

    def outer(params: Any, tasks: Any) -> Any:
        return jax.vmap(query_loss, (None, 0, 0, 0, 0))(params, *tasks).mean()

    meta = jax.jit(jax.grad(outer))

    def run() -> tuple[Tensor, ...]:
        grads = meta(params, tasks)
        return tuple(torch.from_numpy(np.array(grads[k])) for k in params)

    return run


def _linear(params: Any, name: str, x: Any) -> Any:
    x = x @ params[f"{name}.weight"].T
    return x + params[f"{name}.bias"] if f"{name}.bias" in params else x


def _layers(params: Any) -> list[str]:
    # JAX sorts the keys of a dict as text: "16" before "2".
    return sorted((k.removesuffix(".weight") for k in params if k.endswith(".weight")), key=int)


def _perceptron(params: Any, x: Any) -> Any:
    *hidden, last = _layers(params)
    for name in hidden:
        x = jnp.tanh(_linear(params, name, x))
    return _linear(params, last, x)


def _cnn(params: Any, x: Any) -> Any:
    *hidden, last = _layers(params)
    for name in hidden:
        kernel, bias = params[f"{name}.weight"], params[f"{name}.bias"]
        x = jnp.tanh(_convolution(x, kernel) + bias[:, None, None])
    return _linear(params, last, x.reshape(len(x), -1))


def _convolution(x: Any, kernel: Any) -> Any:
    """Convolve with 3 x 3 kernels at stride 2, as one matrix product.

    XLA's own convolution, with weights of their own for each task, takes 40 s a step on a CPU.
    """
    size = x.shape[-1]
    x = jnp.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    shifts = [x[..., i : i + size : 2, j : j + size : 2] for i in range(3) for j in range(3)]
    return jnp.einsum("kncyx,ock->noyx", jnp.stack(shifts), kernel.reshape(*kernel.shape[:2], 9))


def _transformer(params: Any, text: Any) -> Any:
    length, heads = text.shape[-1], 4
    x = params["embed.weight"][text] + params["position.weight"][:length]
    mask = jnp.where(jnp.tri(length, dtype=bool), 0.0, -jnp.inf).astype(x.dtype)

    def norm(name: str, x: Any) -> Any:
        centred = x - x.mean(-1, keepdims=True)
        scale = jax.lax.rsqrt(jnp.square(centred).mean(-1, keepdims=True) + 1e-5)
        return centred * scale * params[f"{name}.weight"] + params[f"{name}.bias"]

    def attend(block: str, x: Any) -> Any:
        qkv = _linear(params, f"{block}.qkv", x).reshape(*x.shape[:-1], 3, heads, -1)
        q, k, v = (jnp.moveaxis(qkv[..., i, :, :], -2, -3) for i in range(3))
        scores = q @ k.mT / q.shape[-1] ** 0.5 + mask
        mixed = jnp.moveaxis(jax.nn.softmax(scores) @ v, -3, -2)
        return _linear(params, f"{block}.out", mixed.reshape(x.shape))

    for i in range(2):
        block = f"blocks.{i}"
        x = x + attend(block, norm(f"{block}.norm", x))
        up = _linear(params, f"{block}.up", norm(f"{block}.norm2", x))
        x = x + _linear(params, f"{block}.down", jax.nn.gelu(up, approximate=False))
    return _linear(params, "head", norm("norm", x))


def _squared_error(found: Any, y: Any) -> Any:
    return jnp.square(found - y).mean()


def _cross_entropy(scores: Any, y: Any) -> Any:
    # Not `take_along_axis`: inside `jit` its derivative is NaN at some sizes (jaxlib 0.10.2, CPU).
    chosen = (jax.nn.one_hot(y, scores.shape[-1], dtype=scores.dtype) * scores).sum(-1)
    return (jax.nn.logsumexp(scores, axis=-1) - chosen).mean()


NETWORKS = {
    "sinusoid": (_perceptron, _squared_error),
    "deep": (_perceptron, _squared_error),
    "cnn": (_cnn, _cross_entropy),
    "transformer": (_transformer, _cross_entropy),
}

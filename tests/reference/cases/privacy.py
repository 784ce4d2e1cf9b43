"""The mean of clipped gradients, without noise: Optax has other random numbers."""

import numpy as np

RATES = (0.1, -0.3, 0.7, 1.5, -2.0)


def _steps(params, gradients, init, update):
    """Return the parameters after each step on the gradients of several examples, as arrays."""
    state = init(params)
    for grads in gradients:
        examples = {name: np.stack([rate * g for rate in RATES]) for name, g in grads.items()}
        params, state = update(examples, state, params)
        yield params


def peers():
    import jax
    import jax.numpy as jnp
    import optax
    from optax import contrib

    aggregate = contrib.differentially_private_aggregate(1.3, 0.0, key=0)
    tx = optax.chain(aggregate, optax.sgd(0.1, 0.9))

    def update(grads, state, params):
        updates, state = tx.update(jax.tree.map(jnp.asarray, grads), state, params)
        return optax.apply_updates(params, updates), state

    def run(params, gradients):
        params = jax.tree.map(jnp.asarray, params)
        return _steps(params, gradients, tx.init, update)

    run.runs = True
    return {"differentially_private_aggregate": run}


def ours():
    import torch

    import torchopt
    from torchopt import transform

    aggregate = transform.differentially_private_aggregate(1.3, 0.0)
    tx = torchopt.chain(aggregate, torchopt.sgd(0.1, 0.9))

    def update(grads, state, params):
        grads = {name: torch.tensor(g).to(params[name]) for name, g in grads.items()}
        updates, state = tx.update(grads, state, params=params, inplace=False)
        return torchopt.apply_updates(params, updates, inplace=False), state

    def run(params, gradients):
        arrays = [{name: g.numpy() for name, g in grads.items()} for grads in gradients]
        return _steps(params, arrays, tx.init, update)

    run.runs = True
    return {"differentially_private_aggregate": run}

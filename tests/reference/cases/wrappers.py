"""Combinators and wrappers, as Optax computes them."""

import functools

import numpy as np

LABELS = {"kernel": "adam", "bias": "sgd", "scalar": "sgd"}
MASK = {"kernel": False, "bias": True, "scalar": False}


def _bad(gradients):
    """Return gradients of which some have an element that is not finite."""
    changed = [dict(grads) for grads in gradients]
    for step, value in ((2, np.nan), (3, np.inf), (7, np.nan), (8, np.nan), (20, -np.inf)):
        changed[step]["kernel"] = changed[step]["kernel"] * np.array([1.0, 1.0, value])
    return changed


def _runs(function):
    function.runs = True
    return function


def peers():
    import jax
    import jax.numpy as jnp
    import optax

    adam = optax.adam(0.03, 0.8, 0.95, 1e-6)

    def steps(tx, change=lambda gradients: gradients):
        def run(params, gradients):
            params = {name: jnp.asarray(p) for name, p in params.items()}
            state = tx.init(params)
            for grads in change(gradients):
                grads = {name: jnp.asarray(g) for name, g in grads.items()}
                updates, state = tx.update(grads, state, params)
                params = optax.apply_updates(params, updates)
                yield {name: np.asarray(p) for name, p in params.items()}

        return _runs(run)

    def lookahead(fast, reset):
        def run(params, gradients):
            tx = optax.lookahead(fast, 4, 0.6, reset_state=reset)
            params = optax.LookaheadParams.init_synced(jax.tree.map(jnp.asarray, params))
            state = tx.init(params)
            for grads in gradients:
                updates, state = tx.update(jax.tree.map(jnp.asarray, grads), state, params)
                params = optax.apply_updates(params, updates)
                yield {name: np.asarray(p) for name, p in params.fast.items()}

        return _runs(run)

    def injected(params, gradients):
        # Optax's own schedules are of float32.
        def schedule(count):
            return 0.1 - 0.09 * jnp.minimum(count, 20).astype(jnp.float64) / 20

        tx = optax.inject_hyperparams(optax.adam, hyperparam_dtype=jnp.float64)(schedule, b1=0.8)
        params = jax.tree.map(jnp.asarray, params)
        state = tx.init(params)
        for step, grads in enumerate(gradients):
            if step == 5:
                state.hyperparams["b1"] = 0.5
            updates, state = tx.update(jax.tree.map(jnp.asarray, grads), state, params)
            params = optax.apply_updates(params, updates)
            yield {name: np.asarray(p) for name, p in params.items()}

    float64 = {"accumulator_dtype": jnp.float64}
    large = functools.partial(optax.skip_large_updates, max_squared_norm=17.0)
    return {
        "partition": optax.partition({"adam": adam, "sgd": optax.sgd(0.1, 0.9)}, LABELS),
        "named_chain": optax.named_chain(("clip", optax.clip(0.9)), ("adam", adam)),
        "freeze": optax.chain(adam, optax.freeze(MASK)),
        "selective_transform": optax.selective_transform(adam, freeze_mask=MASK),
        "ema": optax.chain(optax.ema(0.8), optax.scale(-0.1)),
        "ema-biased": optax.chain(optax.ema(0.8, debias=False), optax.scale(-0.1)),
        "clip": optax.chain(optax.clip(0.7), optax.scale(-0.1)),
        "multi_steps": optax.MultiSteps(adam, 3, **float64).gradient_transformation(),
        "multi_steps-sum": optax.MultiSteps(
            adam, lambda step: 1 + step % 3, use_grad_mean=False, **float64
        ).gradient_transformation(),
        "multi_steps-large": optax.MultiSteps(
            adam, 2, should_skip_update_fn=large, **float64
        ).gradient_transformation(),
        "multi_steps-finite": steps(
            optax.MultiSteps(adam, 2, should_skip_update_fn=optax.skip_not_finite, **float64), _bad
        ),
        "apply_if_finite": steps(optax.apply_if_finite(adam, 2), _bad),
        "conditionally_transform": optax.chain(
            optax.conditionally_transform(optax.scale_by_adam(), lambda step: step % 3 == 1),
            optax.scale(-0.1),
        ),
        "conditionally_mask": optax.conditionally_mask(adam, lambda step: step % 3 != 1),
        "lookahead": lookahead(adam, False),
        "lookahead-reset": lookahead(adam, True),
        "inject_hyperparams": _runs(injected),
    }


def ours():
    import torch

    import torchopt
    from torchopt import transform

    adam = torchopt.adam(0.03, (0.8, 0.95), 1e-6)

    def steps(tx, change):
        def run(params, gradients):
            state = tx.init(params)
            arrays = [{k: g.numpy() for k, g in grads.items()} for grads in gradients]
            for grads in change(arrays):
                grads = {k: torch.tensor(g).to(params[k]) for k, g in grads.items()}
                updates, state = tx.update(grads, state, params=params, inplace=False)
                params = torchopt.apply_updates(params, updates, inplace=False)
                yield params

        return _runs(run)

    def injected(params, gradients):
        schedule = torchopt.schedule.linear_schedule(0.1, 0.01, 20)
        tx = transform.inject_hyperparams(torchopt.adam)(schedule, (0.8, 0.999))
        state = tx.init(params)
        for step, grads in enumerate(gradients):
            if step == 5:
                state.hyperparams["betas"] = (0.5, 0.999)
            updates, state = tx.update(grads, state, params=params)
            params = torchopt.apply_updates(params, updates, inplace=False)
            yield params

    large = functools.partial(transform.skip_large_updates, max_squared_norm=17.0)
    return {
        "partition": transform.partition({"adam": adam, "sgd": torchopt.sgd(0.1, 0.9)}, LABELS),
        "named_chain": transform.named_chain(("clip", transform.clip(0.9)), ("adam", adam)),
        "freeze": torchopt.chain(adam, transform.freeze(MASK)),
        "selective_transform": transform.selective_transform(adam, freeze_mask=MASK),
        "ema": torchopt.chain(transform.ema(0.8), transform.scale(-0.1)),
        "ema-biased": torchopt.chain(transform.ema(0.8, debias=False), transform.scale(-0.1)),
        "clip": torchopt.chain(transform.clip(0.7), transform.scale(-0.1)),
        "multi_steps": transform.MultiSteps(adam, 3),
        "multi_steps-sum": transform.MultiSteps(
            adam, lambda step: 1 + step % 3, use_grad_mean=False
        ),
        "multi_steps-large": transform.MultiSteps(adam, 2, should_skip_update_fn=large),
        "multi_steps-finite": steps(
            transform.MultiSteps(adam, 2, should_skip_update_fn=transform.skip_not_finite), _bad
        ),
        "apply_if_finite": steps(transform.apply_if_finite(adam, 2), _bad),
        "conditionally_transform": torchopt.chain(
            transform.conditionally_transform(
                transform.scale_by_adam((0.9, 0.999), 1e-8), lambda step: step % 3 == 1
            ),
            transform.scale(-0.1),
        ),
        "conditionally_mask": transform.conditionally_mask(adam, lambda step: step % 3 != 1),
        "lookahead": transform.lookahead(adam, 4, 0.6),
        "lookahead-reset": transform.lookahead(adam, 4, 0.6, reset_state=True),
        "inject_hyperparams": _runs(injected),
    }

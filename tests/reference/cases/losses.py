"""What reads the loss: a function of parameters, with a step's gradients as its linear terms.

So each step has another loss, whose Hessian is diagonal; for L-BFGS all have the same one.
"""

COEFFICIENTS = {"kernel": 1.3, "bias": 0.7, "scalar": 2.1}


def _terms(params, linear, sin):
    return sum(
        (COEFFICIENTS[name] * p * p * (1 + 0.2 * sin(p))).sum() / 2 + 0.3 * (linear[name] * p).sum()
        for name, p in params.items()
    )


def _with_optax(make, *, value=False, obj_fn=False, grad_fn=False, linesearch=False, same=False):
    def run(params, gradients):
        import jax
        import jax.numpy as jnp
        import numpy as np
        import optax

        tx = make(optax)
        params = {name: jnp.asarray(p) for name, p in params.items()}
        state = tx.init(params)
        for linear in [gradients[0]] * len(gradients) if same else gradients:

            def loss(p, linear=linear):
                return _terms(p, linear, jnp.sin)

            now, grads = jax.value_and_grad(loss)(params)
            extra = {"value": now} if value else {}
            if obj_fn:
                extra["obj_fn"] = loss
            if grad_fn:
                extra["grad_fn"] = lambda p, _, loss=loss: jax.grad(loss)(p)
            if linesearch:
                extra = {"value": now, "grad": grads, "value_fn": loss}
            updates, state = tx.update(grads, state, params, **extra)
            params = optax.apply_updates(params, updates)
            yield {name: np.asarray(p) for name, p in params.items()}

    run.runs = True
    return run


def _ours(tx, *, same=False):
    def run(params, gradients):
        import torch

        import torchopt

        state = tx.init(params)
        for linear in [gradients[0]] * len(gradients) if same else gradients:

            def loss(p, linear=linear):
                return _terms(p, linear, torch.sin)

            grads, value = torch.func.grad_and_value(loss)(params)
            params, state = torchopt.transform.advance(
                tx, grads, state, params, value=value, value_fn=loss
            )
            yield params

    run.runs = True
    return run


def peers():
    def sam(optax):
        ascent = optax.chain(optax.contrib.normalize(), optax.sgd(0.2))
        return optax.contrib.sam(optax.adam(0.05), ascent, sync_period=3, opaque_mode=True)

    def plateau(optax):
        options = {"factor": 0.5, "patience": 2, "rtol": 0.05, "cooldown": 1}
        return optax.chain(
            optax.sgd(0.1),
            optax.contrib.reduce_on_plateau(**options, accumulation_size=2, min_scale=0.1),
        )

    return {
        "sam-optax": _with_optax(sam, grad_fn=True),
        "reduce_on_plateau-optax": _with_optax(plateau, value=True),
        # The Hessian is diagonal, so that random signs do not matter.
        "sophia-optax": _with_optax(
            lambda optax: optax.contrib.sophia(
                0.1, 0.9, 0.95, 1e-6, weight_decay=0.01, gamma=0.3, update_interval=3
            ),
            obj_fn=True,
        ),
        "mechanize-optax": _with_optax(
            lambda optax: optax.contrib.mechanize(optax.adam(0.3), s_init=0.1)
        ),
        "backtracking-optax": _with_optax(
            lambda optax: optax.chain(
                optax.sgd(2.0), optax.scale_by_backtracking_linesearch(4, 0.1, 0.7, 1.6)
            ),
            linesearch=True,
        ),
        "lbfgs-optax": _with_optax(
            lambda optax: optax.chain(optax.scale_by_lbfgs(4), optax.scale(-0.1)), same=True
        ),
        "lbfgs-unscaled-optax": _with_optax(
            lambda optax: optax.chain(optax.scale_by_lbfgs(3, False), optax.scale(-0.1)), same=True
        ),
        "polyak_sgd-optax": _with_optax(lambda optax: optax.polyak_sgd(0.4, 0.9), value=True),
        "polyak_sgd-options-optax": _with_optax(
            lambda optax: optax.polyak_sgd(0.4, 0.9, 1.0, 0.1, "sps+"), value=True
        ),
        "momo-optax": _with_optax(lambda optax: optax.contrib.momo(3.0), value=True),
        "momo-options-optax": _with_optax(
            lambda optax: optax.contrib.momo(0.7, 0.8, -0.5, 0.1, adapt_lower_bound=True),
            value=True,
        ),
    }


def ours():
    import torchopt
    from torchopt import transform

    return {
        "sam-optax": _ours(transform.sam(torchopt.adam(0.05), 0.2, sync_period=3)),
        "reduce_on_plateau-optax": _ours(
            torchopt.chain(
                torchopt.sgd(0.1),
                transform.reduce_on_plateau(
                    0.5, 2, rtol=0.05, atol=0.0, cooldown=1, accumulation_size=2, min_scale=0.1
                ),
            )
        ),
        "sophia-optax": _ours(
            torchopt.optimizers.sophia(
                0.1, (0.9, 0.95), eps=1e-6, weight_decay=0.01, gamma=0.3, update_interval=3
            )
        ),
        "mechanize-optax": _ours(transform.mechanize(torchopt.adam(0.3), s_init=0.1)),
        "backtracking-optax": _ours(
            torchopt.chain(
                torchopt.sgd(2.0),
                transform.scale_by_backtracking_linesearch(
                    4, 0.1, decrease_factor=0.7, increase_factor=1.6
                ),
            )
        ),
        "lbfgs-optax": _ours(torchopt.lbfgs(0.1, history_size=4, linesearch=None), same=True),
        "lbfgs-unscaled-optax": _ours(
            torchopt.lbfgs(0.1, history_size=3, scale_init_precond=False, linesearch=None),
            same=True,
        ),
        "polyak_sgd-optax": _ours(torchopt.optimizers.polyak_sgd(0.4, scaling=0.9)),
        "polyak_sgd-options-optax": _ours(
            torchopt.optimizers.polyak_sgd(0.4, scaling=0.9, f_min=1.0, eps=0.1, variant="sps+")
        ),
        "momo-optax": _ours(torchopt.optimizers.momo(3.0)),
        "momo-options-optax": _ours(
            torchopt.optimizers.momo(
                0.7, beta=0.8, lower_bound=-0.5, weight_decay=0.1, adapt_lower_bound=True
            )
        ),
    }

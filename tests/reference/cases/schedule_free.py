"""Schedule-free averaging: parameters of schedulefree and Optax, and the averages."""


def averages(make):
    """Parameters after each step, and the average with them, as other leaves."""

    def run(params, gradients):
        import torch

        tensors = {name: torch.tensor(p, requires_grad=True) for name, p in params.items()}
        optimizer = make(list(tensors.values()))
        optimizer.train()
        for grads in gradients:
            for name, p in tensors.items():
                p.grad = torch.tensor(grads[name])
            optimizer.step()
            step = {name: p.detach().numpy().copy() for name, p in tensors.items()}
            optimizer.eval()
            for name, p in tensors.items():
                step[f"average of {name}"] = p.detach().numpy().copy()
            optimizer.train()
            yield step

    run.runs = True
    return run


def optax_averages(tx):
    def run(params, gradients):
        import jax.numpy as jnp
        import numpy as np
        import optax

        params = {name: jnp.asarray(p) for name, p in params.items()}
        state = tx.init(params)
        for grads in gradients:
            grads = {name: jnp.asarray(g) for name, g in grads.items()}
            updates, state = tx.update(grads, state, params)
            params = optax.apply_updates(params, updates)
            found = optax.contrib.schedule_free_eval_params(state, params)
            step = {name: np.asarray(p) for name, p in params.items()}
            yield step | {f"average of {name}": np.asarray(p) for name, p in found.items()}

    run.runs = True
    return run


def our_averages(tx):
    def run(params, gradients):
        import torchopt
        from torchopt.transform import schedule_free_eval_params

        state = tx.init(params)
        for grads in gradients:
            updates, state = tx.update(grads, state, params=params, inplace=False)
            params = torchopt.apply_updates(params, updates, inplace=False)
            found = schedule_free_eval_params(state, params)
            yield {**params, **{f"average of {name}": p for name, p in found.items()}}

    run.runs = True
    return run


def rate(count):
    return 0.03 + 0.001 * count


def earlier(count):
    # Optax reads the rate one step ahead.
    return rate(count - 1)


def peers():
    import optax
    from optax import contrib
    from schedulefree import AdamWScheduleFree, AdamWScheduleFreeReference, SGDScheduleFree

    return {
        "schedule_free_sgd": averages(
            lambda p: SGDScheduleFree(p, 0.03, 0.8, 0.1, warmup_steps=7, foreach=False)
        ),
        "schedule_free_sgd-power": averages(
            lambda p: SGDScheduleFree(p, 0.03, warmup_steps=9, weight_lr_power=0.5, foreach=False)
        ),
        "schedule_free_sgd-optax": optax_averages(contrib.schedule_free_sgd(0.03, None, 0.8, 0.1)),
        "schedule_free_adamw": averages(
            lambda p: AdamWScheduleFree(
                p, 0.03, (0.8, 0.95), 1e-6, 0.1, warmup_steps=7, foreach=False
            )
        ),
        "schedule_free_adamw-reference": averages(lambda p: AdamWScheduleFreeReference(p)),
        "schedule_free_adamw-optax": optax_averages(contrib.schedule_free_adamw(0.03)),
        "schedule_free-optax": optax_averages(
            contrib.schedule_free(optax.adamw(rate, b1=0.0), earlier, 0.7, 1.3)
        ),
    }


def ours():
    import torchopt
    from torchopt import transform

    results = {
        "schedule_free_sgd": torchopt.optimizers.schedule_free_sgd(
            0.03, beta=0.8, weight_decay=0.1, warmup_steps=7
        ),
        "schedule_free_sgd-power": torchopt.optimizers.schedule_free_sgd(
            0.03, warmup_steps=9, weight_lr_power=0.5
        ),
        "schedule_free_sgd-optax": torchopt.optimizers.schedule_free_sgd(
            0.03, beta=0.8, weight_decay=0.1
        ),
        "schedule_free_adamw": torchopt.optimizers.schedule_free_adamw(
            0.03, (0.8, 0.95), eps=1e-6, weight_decay=0.1, warmup_steps=7
        ),
        "schedule_free_adamw-reference": torchopt.optimizers.schedule_free_adamw(),
        "schedule_free_adamw-optax": torchopt.optimizers.schedule_free_adamw(0.03),
        "schedule_free-optax": transform.schedule_free(
            torchopt.adamw(rate, (0.0, 0.999), weight_decay=1e-4),
            rate,
            beta=0.7,
            weight_lr_power=1.3,
        ),
    }
    return {name: our_averages(tx) for name, tx in results.items()}

"""Optimizers whose formulas read sums over a leaf, or over all leaves."""


def downhill(function):
    """Return a function that steps with the gradients of a quadratic function, not with random ones.

    Estimated distances grow.
    """

    def run(params, gradients):
        start = params
        state = function.init(params)
        for _ in gradients:
            grads = {name: p - 3.0 - 0.3 * start[name] for name, p in params.items()}
            updates, state = step(function, grads, state, params)
            params = {name: p + updates[name] for name, p in params.items()}
            yield params

    def step(function, grads, state, params):
        if type(function).__module__.startswith("optax"):
            return function.update(grads, state, params)
        return function.update(grads, state, params=params, inplace=False)

    run.runs = True
    return run


def peers():
    import jax.numpy as jnp
    import optax
    from optax import contrib

    def schedule(count):
        return 0.03 * jnp.exp(-0.05 * count)

    descend = optax.scale_by_learning_rate(0.03)
    mask = {"kernel": True, "bias": False, "scalar": True}
    return {
        "lamb": optax.lamb(0.03, 0.8, 0.95, 1e-5, 1e-4, 0.1),
        "lamb-schedule-mask": optax.lamb(schedule, weight_decay=0.1, mask=mask),
        "lars": optax.lars(0.03, 0.1, trust_coefficient=0.7, eps=0.01, momentum=0.8),
        "lars-schedule-nesterov": optax.lars(
            schedule, 0.1, mask, trust_ratio_mask=mask, momentum=0.8, nesterov=True
        ),
        "fromage": optax.fromage(0.03),
        "fromage-schedule": optax.fromage(schedule, 2.0),
        "novograd": optax.novograd(0.03),
        "novograd-options": optax.novograd(0.03, 0.8, 0.6, 1e-3, 1e-2, 0.1),
        "scale_by_trust_ratio": optax.chain(optax.scale_by_trust_ratio(1.5, 0.7, 0.1), descend),
        "normalize_by_update_norm": optax.normalize_by_update_norm(-0.03, 0.1),
        "clip_by_block_rms": optax.chain(optax.clip_by_block_rms(0.9), descend),
        "prodigy": contrib.prodigy(estim_lr0=0.01),
        "prodigy-options": contrib.prodigy(
            schedule, (0.8, 0.95), 0.9, 1e-3, 0.1, 0.7, 0.1, safeguard_warmup=True
        ),
        "dadapt_adamw": contrib.dadapt_adamw(estim_lr0=0.01),
        "dadapt_adamw-options": contrib.dadapt_adamw(schedule, (0.8, 0.95), 1e-3, 0.1, 0.1),
        "dog": contrib.dog(),
        "dog-distance": contrib.dog(schedule, ("distance", 0.1), 1e-3, 0.1, mask),
        "dog-learning_rate": contrib.dog(0.5, ("learning_rate", 0.1)),
        "prodigy-downhill": downhill(contrib.prodigy(0.5, (0.8, 0.95), estim_lr0=0.01)),
        "dadapt_adamw-downhill": downhill(contrib.dadapt_adamw(0.5, (0.8, 0.95), estim_lr0=0.01)),
        "dog-downhill": downhill(contrib.dog(init_step=("heuristic", 0.05))),
    }


def ours():
    import torch

    import torchopt
    from torchopt import transform

    def schedule(count):
        return 0.03 * torch.exp(-0.05 * count)

    descend = transform.scale_by_learning_rate(0.03)
    mask = {"kernel": True, "bias": False, "scalar": True}
    return {
        "lamb": torchopt.optimizers.lamb(
            0.03, (0.8, 0.95), eps=1e-5, weight_decay=0.1, eps_root=1e-4
        ),
        "lamb-schedule-mask": torchopt.optimizers.lamb(schedule, weight_decay=0.1, mask=mask),
        "lars": torchopt.optimizers.lars(
            0.03, momentum=0.8, weight_decay=0.1, trust_coefficient=0.7, eps=0.01
        ),
        "lars-schedule-nesterov": torchopt.optimizers.lars(
            schedule,
            momentum=0.8,
            weight_decay=0.1,
            nesterov=True,
            weight_decay_mask=mask,
            trust_ratio_mask=mask,
        ),
        "fromage": torchopt.optimizers.fromage(0.03),
        "fromage-schedule": torchopt.optimizers.fromage(schedule, min_norm=2.0),
        "novograd": torchopt.optimizers.novograd(0.03),
        "novograd-options": torchopt.optimizers.novograd(
            0.03, (0.8, 0.6), eps=1e-3, weight_decay=0.1, eps_root=1e-2
        ),
        "scale_by_trust_ratio": transform.chain(
            transform.scale_by_trust_ratio(1.5, 0.7, 0.1), descend
        ),
        "normalize_by_update_norm": transform.normalize_by_update_norm(-0.03, 0.1),
        "clip_by_block_rms": transform.chain(transform.clip_by_block_rms(0.9), descend),
        "prodigy": torchopt.optimizers.prodigy(estim_lr0=0.01),
        "prodigy-options": torchopt.optimizers.prodigy(
            schedule,
            (0.8, 0.95),
            beta3=0.9,
            eps=1e-3,
            estim_lr0=0.1,
            estim_lr_coef=0.7,
            weight_decay=0.1,
            safeguard_warmup=True,
        ),
        "dadapt_adamw": torchopt.optimizers.dadapt_adamw(estim_lr0=0.01),
        "dadapt_adamw-options": torchopt.optimizers.dadapt_adamw(
            schedule, (0.8, 0.95), eps=1e-3, estim_lr0=0.1, weight_decay=0.1
        ),
        "dog": torchopt.optimizers.dog(),
        "dog-distance": torchopt.optimizers.dog(
            schedule, init_step=("distance", 0.1), eps=1e-3, weight_decay=0.1, mask=mask
        ),
        "dog-learning_rate": torchopt.optimizers.dog(0.5, init_step=("learning_rate", 0.1)),
        "prodigy-downhill": downhill(torchopt.optimizers.prodigy(0.5, (0.8, 0.95), estim_lr0=0.01)),
        "dadapt_adamw-downhill": downhill(
            torchopt.optimizers.dadapt_adamw(0.5, (0.8, 0.95), estim_lr0=0.01)
        ),
        "dog-downhill": downhill(torchopt.optimizers.dog(init_step=("heuristic", 0.05))),
    }

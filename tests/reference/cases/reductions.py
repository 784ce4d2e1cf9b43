"""Optimizers whose formulas read sums over a leaf, or over all leaves."""


def peers():
    import jax.numpy as jnp
    import optax

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
        "lamb": torchopt.lamb(0.03, (0.8, 0.95), 1e-5, 0.1, eps_root=1e-4),
        "lamb-schedule-mask": torchopt.lamb(schedule, weight_decay=0.1, mask=mask),
        "lars": torchopt.lars(0.03, 0.8, 0.1, 0.7, 0.01),
        "lars-schedule-nesterov": torchopt.lars(
            schedule, 0.8, 0.1, nesterov=True, weight_decay_mask=mask, trust_ratio_mask=mask
        ),
        "fromage": torchopt.fromage(0.03),
        "fromage-schedule": torchopt.fromage(schedule, 2.0),
        "novograd": torchopt.novograd(0.03),
        "novograd-options": torchopt.novograd(0.03, (0.8, 0.6), 1e-3, 0.1, eps_root=1e-2),
        "scale_by_trust_ratio": transform.chain(
            transform.scale_by_trust_ratio(1.5, 0.7, 0.1), descend
        ),
        "normalize_by_update_norm": transform.normalize_by_update_norm(-0.03, 0.1),
        "clip_by_block_rms": transform.chain(transform.clip_by_block_rms(0.9), descend),
    }

"""NAdam, whose momentum does not grow in Optax."""

import math


def peers():
    import optax

    return {
        "nadam-optax": optax.nadam(0.03, 0.8, 0.95, 1e-6),
        "nadamw-optax": optax.nadamw(0.03, weight_decay=0.1),
    }


def ours():
    import torchopt

    options = {"lr": 0.03, "momentum_decay": math.inf}
    return {
        "nadam-optax": torchopt.nadam(betas=(0.8, 0.95), eps=1e-6, **options),
        "nadamw-optax": torchopt.nadamw(weight_decay=0.1, **options),
    }

"""Adan."""


def peers():
    import optax

    return {
        "adan": optax.adan(0.03),
        "adan-decay": optax.adan(0.03, 0.8, 0.7, 0.95, 1e-6, 1e-4, 0.1),
    }


def ours():
    import torchopt

    return {
        "adan": torchopt.adan(0.03),
        "adan-decay": torchopt.adan(0.03, (0.8, 0.7, 0.95), 1e-6, 0.1, eps_root=1e-4),
    }

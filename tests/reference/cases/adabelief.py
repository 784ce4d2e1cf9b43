"""AdaBelief."""


def peers():
    import optax

    return {
        "adabelief": optax.adabelief(0.03),
        "adabelief-eps": optax.adabelief(0.03, 0.8, 0.95, 1e-6, 1e-4),
        "adabelief-nesterov": optax.adabelief(0.03, 0.8, 0.95, nesterov=True),
    }


def ours():
    import torchopt

    return {
        "adabelief": torchopt.adabelief(0.03),
        "adabelief-eps": torchopt.adabelief(0.03, (0.8, 0.95), 1e-6, eps_root=1e-4),
        "adabelief-nesterov": torchopt.adabelief(0.03, (0.8, 0.95), nesterov=True),
    }

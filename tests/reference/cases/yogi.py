"""Yogi."""


def peers():
    import optax

    return {
        "yogi": optax.yogi(0.03),
        "yogi-betas": optax.yogi(0.03, 0.8, 0.95, 1e-5),
        "yogi-initial": optax.chain(
            optax.scale_by_yogi(0.8, 0.95, 1e-5, 1e-4, 0.3), optax.scale_by_learning_rate(0.03)
        ),
    }


def ours():
    import torchopt

    return {
        "yogi": torchopt.yogi(0.03),
        "yogi-betas": torchopt.yogi(0.03, (0.8, 0.95), 1e-5),
        "yogi-initial": torchopt.yogi(
            0.03, (0.8, 0.95), 1e-5, eps_root=1e-4, initial_accumulator_value=0.3
        ),
    }

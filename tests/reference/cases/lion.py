"""Lion."""

OPTIONS = {"weight_decay": 0.1}


def peers():
    import optax

    return {
        "lion": optax.lion(0.03, 0.8, 0.95),
        "lion-decay": optax.lion(0.03, 0.8, 0.95, **OPTIONS),
        "lion-smooth": optax.chain(
            optax.scale_by_lion(0.8, 0.95, mode="smooth", smooth_beta=2.0),
            optax.scale_by_learning_rate(0.03),
        ),
    }


def ours():
    import torchopt

    return {
        "lion": torchopt.lion(0.03, (0.8, 0.95)),
        "lion-decay": torchopt.lion(0.03, (0.8, 0.95), **OPTIONS),
        "lion-smooth": torchopt.lion(0.03, (0.8, 0.95), weight_decay=0.0, smooth=0.5),
    }

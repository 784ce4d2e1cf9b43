"""Adamax with decoupled weight decay."""


def peers():
    import optax

    return {
        "adamaxw": optax.adamaxw(0.03),
        "adamaxw-decay": optax.adamaxw(0.03, 0.8, 0.95, 1e-4, 0.1),
    }


def ours():
    import torchopt

    return {
        "adamaxw": torchopt.adamaxw(0.03),
        "adamaxw-decay": torchopt.adamaxw(0.03, (0.8, 0.95), 1e-4, 0.1),
    }

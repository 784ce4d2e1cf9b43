"""Adam: that stored numbers are those of the libraries."""


def peers():
    import optax
    import torch

    return {
        "adam-optax": optax.adam(0.03, 0.8, 0.95, 1e-6, 1e-4),
        "adam-torch": lambda params: torch.optim.Adam(params, 0.03),
    }


def ours():
    import torchopt

    return {
        "adam-optax": torchopt.adam(0.03, (0.8, 0.95), 1e-6, eps_root=1e-4),
        "adam-torch": torchopt.adam(0.03),
    }

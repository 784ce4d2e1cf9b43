"""Formulas on one element, of Optax and of PyTorch. In Optax, the momentum of NAdam does not grow."""

import math


def peers():
    import optax
    import torch

    return {
        "adabelief": optax.adabelief(0.03),
        "adabelief-eps": optax.adabelief(0.03, 0.8, 0.95, 1e-6, 1e-4),
        "adabelief-nesterov": optax.adabelief(0.03, 0.8, 0.95, nesterov=True),
        "adam-optax": optax.adam(0.03, 0.8, 0.95, 1e-6, 1e-4),
        "adam-torch": lambda params: torch.optim.Adam(params, 0.03),
        "adamaxw": optax.adamaxw(0.03),
        "adamaxw-decay": optax.adamaxw(0.03, 0.8, 0.95, 1e-4, 0.1),
        "adan": optax.adan(0.03),
        "adan-decay": optax.adan(0.03, 0.8, 0.7, 0.95, 1e-6, 1e-4, 0.1),
        "lion": optax.lion(0.03, 0.8, 0.95),
        "lion-decay": optax.lion(0.03, 0.8, 0.95, weight_decay=0.1),
        "lion-smooth": optax.chain(
            optax.scale_by_lion(0.8, 0.95, mode="smooth", smooth_beta=2.0),
            optax.scale_by_learning_rate(0.03),
        ),
        "nadam-optax": optax.nadam(0.03, 0.8, 0.95, 1e-6),
        "nadamw-optax": optax.nadamw(0.03, weight_decay=0.1),
        "yogi": optax.yogi(0.03),
        "yogi-betas": optax.yogi(0.03, 0.8, 0.95, 1e-5),
        "yogi-initial": optax.chain(
            optax.scale_by_yogi(0.8, 0.95, 1e-5, 1e-4, 0.3), optax.scale_by_learning_rate(0.03)
        ),
    }


def ours():
    import torchopt

    return {
        "adabelief": torchopt.optimizers.adabelief(0.03),
        "adabelief-eps": torchopt.optimizers.adabelief(0.03, (0.8, 0.95), eps=1e-6, eps_root=1e-4),
        "adabelief-nesterov": torchopt.optimizers.adabelief(0.03, (0.8, 0.95), nesterov=True),
        "adam-optax": torchopt.adam(0.03, (0.8, 0.95), 1e-6, eps_root=1e-4),
        "adam-torch": torchopt.adam(0.03),
        "adamaxw": torchopt.optimizers.adamaxw(0.03),
        "adamaxw-decay": torchopt.optimizers.adamaxw(0.03, (0.8, 0.95), eps=1e-4, weight_decay=0.1),
        "adan": torchopt.optimizers.adan(0.03),
        "adan-decay": torchopt.optimizers.adan(
            0.03, (0.8, 0.7, 0.95), eps=1e-6, weight_decay=0.1, eps_root=1e-4
        ),
        "lion": torchopt.lion(0.03, (0.8, 0.95)),
        "lion-decay": torchopt.lion(0.03, (0.8, 0.95), weight_decay=0.1),
        "lion-smooth": torchopt.lion(0.03, (0.8, 0.95), weight_decay=0.0, smooth=0.5),
        "nadam-optax": torchopt.optimizers.nadam(
            betas=(0.8, 0.95), eps=1e-6, lr=0.03, momentum_decay=math.inf
        ),
        "nadamw-optax": torchopt.optimizers.nadamw(
            weight_decay=0.1, lr=0.03, momentum_decay=math.inf
        ),
        "yogi": torchopt.optimizers.yogi(0.03),
        "yogi-betas": torchopt.optimizers.yogi(0.03, (0.8, 0.95), eps=1e-5),
        "yogi-initial": torchopt.optimizers.yogi(
            0.03, (0.8, 0.95), eps=1e-5, eps_root=1e-4, initial_accumulator_value=0.3
        ),
    }

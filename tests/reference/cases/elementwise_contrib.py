"""Formulas on one element, of Optax, its contrib and pytorch_optimizer."""


def linear(start, end, steps):
    def schedule(count):
        return start + (end - start) * count / steps

    return schedule


def noisy_sgd(lr, eta, gamma, key, decay):
    """Neelakantan et al., 2015, with normal numbers by SplitMix64 in unsigned integers."""
    import math
    from statistics import NormalDist

    import numpy as np

    def mix(x):
        x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
        x = (x ^ (x >> 27)) * 0x94D049BB133111EB % 2**64
        return x ^ (x >> 31)

    def normal(key, place):
        bits = mix((mix(key) + 0x9E3779B97F4A7C15 * (place + 1)) % 2**64)
        return NormalDist().inv_cdf(((bits >> 11) + 0.5) / 2**53)

    def run(params, gradients):
        for step, grads in enumerate(gradients, start=1):
            start = mix((mix(key) + step) % 2**64)
            noise = {
                name: np.array([normal(start + index, k) for k in range(grads[name].size)])
                for index, name in enumerate(sorted(grads))
            }
            params = {
                name: p
                - lr
                * (
                    grads[name]
                    + decay * p
                    + math.sqrt(eta / step**gamma) * noise[name].reshape(p.shape)
                )
                for name, p in params.items()
            }
            yield params

    run.runs = True
    return run


def peers():
    import optax
    import torch
    from optax import contrib
    from pytorch_optimizer import ADOPT, MADGRAD, AdEMAMix, SignSGD

    return {
        "ademamix": contrib.ademamix(0.03, 0.8, 0.95, 0.99, 4.0, 1e-6, 1e-4, weight_decay=0.1),
        "ademamix-schedules": contrib.ademamix(
            0.03, b3=linear(0.9, 0.99, 40), alpha=linear(0.0, 5.0, 40)
        ),
        "ademamix-defaults": lambda params: AdEMAMix(params, 1e-3, foreach=False),
        "adopt": contrib.adopt(0.03, 0.8, 0.95, 1e-3),
        "adopt-nesterov": contrib.adopt(0.03, 0.8, 0.95, 0.7, nesterov=True, use_clipping=False),
        "adopt-clip": contrib.adopt(0.03, clip_value_fn=linear(0.2, 0.6, 30)),
        # Its step is one ahead of that of the paper's implementation.
        "adopt-decay": lambda params: ADOPT(
            params,
            0.03,
            clip_lambda=lambda step: (step - 1) ** 0.25,
            weight_decay=0.1,
            foreach=False,
        ),
        "amsgrad": lambda params: torch.optim.Adam(
            params, 0.03, (0.8, 0.6), weight_decay=0.1, amsgrad=True
        ),
        "noisy_sgd": noisy_sgd(0.03, 0.3, 0.7, 12345, 0.1),
        "sign_sgd": optax.sign_sgd(0.03),
        "sign_sgd-decay": lambda params: SignSGD(
            params, 0.03, momentum=0.0, weight_decay=0.1, foreach=False
        ),
        "signum": lambda params: SignSGD(
            params, 0.03, momentum=0.8, weight_decay=0.1, foreach=False
        ),
        "optimistic_gradient_descent": optax.optimistic_gradient_descent(0.03, 0.8, 1.3),
        "optimistic_adam": optax.optimistic_adam_v2(
            0.03, alpha=0.8, beta=1.3, b1=0.8, b2=0.95, eps=1e-6, eps_root=1e-4
        ),
        "optimistic_adam-plain": optax.optimistic_adam_v2(0.03, nesterov=False),
        # Optax takes the root of the step in float32.
        "madgrad": lambda params: MADGRAD(params, 0.03, foreach=False),
        "madgrad-decay": lambda params: MADGRAD(params, 0.03, 0.8, 0.1, eps=1e-4, foreach=False),
        "cocob": contrib.cocob(),
        "cocob-options": contrib.cocob(0.7, 3.0, 0.5, 0.1),
    }


def ours():
    import torchopt

    return {
        "ademamix": torchopt.optimizers.ademamix(
            0.03, (0.8, 0.95, 0.99), alpha=4.0, eps=1e-6, weight_decay=0.1, eps_root=1e-4
        ),
        "ademamix-schedules": torchopt.optimizers.ademamix(
            0.03, (0.9, 0.999, linear(0.9, 0.99, 40)), alpha=linear(0.0, 5.0, 40)
        ),
        "ademamix-defaults": torchopt.optimizers.ademamix(),
        "adopt": torchopt.optimizers.adopt(0.03, (0.8, 0.95), eps=1e-3),
        "adopt-nesterov": torchopt.optimizers.adopt(
            0.03, (0.8, 0.95), eps=0.7, nesterov=True, use_clipping=False
        ),
        "adopt-clip": torchopt.optimizers.adopt(0.03, clip_value_fn=linear(0.2, 0.6, 30)),
        "adopt-decay": torchopt.optimizers.adopt(0.03, weight_decay=0.1),
        "amsgrad": torchopt.optimizers.amsgrad(0.03, (0.8, 0.6), weight_decay=0.1),
        "noisy_sgd": torchopt.optimizers.noisy_sgd(
            0.03, eta=0.3, gamma=0.7, generator=12345, weight_decay=0.1
        ),
        "sign_sgd": torchopt.optimizers.sign_sgd(0.03),
        "sign_sgd-decay": torchopt.optimizers.sign_sgd(0.03, weight_decay=0.1),
        "signum": torchopt.optimizers.signum(0.03, momentum=0.8, weight_decay=0.1),
        "optimistic_gradient_descent": torchopt.optimizers.optimistic_gradient_descent(
            0.03, alpha=0.8, beta=1.3
        ),
        "optimistic_adam": torchopt.optimizers.optimistic_adam(
            0.03, (0.8, 0.95), eps=1e-6, alpha=0.8, beta=1.3, eps_root=1e-4
        ),
        "optimistic_adam-plain": torchopt.optimizers.optimistic_adam(0.03, nesterov=False),
        "madgrad": torchopt.optimizers.madgrad(0.03),
        "madgrad-decay": torchopt.optimizers.madgrad(
            0.03, momentum=0.8, weight_decay=0.1, eps=1e-4
        ),
        "cocob": torchopt.optimizers.cocob(),
        "cocob-options": torchopt.optimizers.cocob(0.7, alpha=3.0, eps=0.5, weight_decay=0.1),
    }

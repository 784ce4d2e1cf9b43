"""Kron, against the functions of the author of PSGD.

torchzero has psgd.py of https://github.com/lixilinx/psgd_torch of September 2025. Its lower bound of a
norm draws random numbers; that of pytorch_optimizer, an earlier one by the same author, does not.
Noise is multiplied by a damping of zero. Factors are balanced here after each fit, there never: that
must not change a step.
"""

PLAIN = {"lr": 0.03, "momentum": 0.8, "precondition_lr": 0.2, "damping": 0.0}
OPTIONS = {**PLAIN, "weight_decay": 0.1, "precondition_lr": 0.5, "bound_decay": 0.7}
MIXED = {"max_precondition_dim": 3, "precondition_frequency": 3, "precondition_init_scale": 0.5}


def peers():
    from unittest import mock

    import numpy as np
    import torch
    from pytorch_optimizer.optimizer.utils.psgd import norm_lower_bound
    from torchzero.modules.adaptive.psgd import psgd

    def kron(
        *,
        lr,
        momentum,
        precondition_lr,
        damping,
        weight_decay=0.0,
        bound_decay=0.9,
        max_precondition_dim=8192,
        precondition_1d=False,
        precondition_frequency=1,
        precondition_init_scale=1.0,
    ):
        def run(params, gradients):
            params = {name: torch.tensor(p) for name, p in params.items()}
            means = {name: torch.zeros_like(p) for name, p in params.items()}
            fits = {}
            for name, p in params.items():
                size = max_precondition_dim if p.dim() > (0 if precondition_1d else 1) else 1
                fits[name] = psgd.init_kron(
                    p, precondition_init_scale, size, max_skew=float("inf"), dQ="QUAD"
                )
            for index, grads in enumerate(gradients):
                for name, p in params.items():
                    fit, mean = fits[name], means[name]
                    mean.lerp_(torch.tensor(grads[name]), 1 - momentum)
                    g = mean / (1 - momentum ** (index + 1))
                    if index % precondition_frequency == 0:
                        psgd.update_precond_kron_whiten_quad(
                            *fit, g, precondition_lr, bound_decay, damping, balance_prob=0.0
                        )
                    u = psgd.precond_grad_kron(*fit, g)
                    u = u / (u.square().mean().sqrt() / 1.1).clamp(min=1.0)
                    p -= lr * (u + weight_decay * p)
                yield {name: np.array(p) for name, p in params.items()}

        def patched(params, gradients):
            bound = mock.patch.object(
                psgd, "norm_lower_bound_spd", lambda a: norm_lower_bound(a.clone())
            )
            with bound:
                return list(run(params, gradients))

        patched.runs = True
        return patched

    return {
        "kron-psgd_torch": kron(**PLAIN),
        "kron-matrices-psgd_torch": kron(**OPTIONS, precondition_1d=True),
        "kron-mixed-psgd_torch": kron(**OPTIONS, **MIXED),
    }


def ours():
    import torchopt

    return {
        "kron-psgd_torch": torchopt.optimizers.kron(**PLAIN),
        "kron-matrices-psgd_torch": torchopt.optimizers.kron(**OPTIONS, precondition_1d=True),
        "kron-mixed-psgd_torch": torchopt.optimizers.kron(**OPTIONS, **MIXED),
    }

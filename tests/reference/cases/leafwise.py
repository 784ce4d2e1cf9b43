"""Optimizers and transformations that see whole leaves.

The others compute singular vectors and QR factors in float32; here they do in float64. Some of them
take no scalars.
"""


def without_scalar(steps):
    """Return a function of the problem without its scalar parameter."""

    def run(params, gradients):
        trees = [{k: x for k, x in tree.items() if k != "scalar"} for tree in (params, *gradients)]
        return steps(trees[0], trees[1:])

    run.runs = True
    return run


def peers():
    from unittest import mock

    import optax
    import pytorch_optimizer
    import torch
    from make_optimizers import with_optax, with_torch

    def of_optax(tx):
        return without_scalar(lambda params, gradients: with_optax(tx, params, gradients))

    def of_torch(make):
        return without_scalar(lambda params, gradients: with_torch(make, params, gradients))

    def wide(steps):
        def run(params, gradients):
            double = mock.patch.object(torch.Tensor, "float", torch.Tensor.double)
            with double, mock.patch.object(torch, "float32", torch.float64):
                return list(with_torch(steps, params, gradients))

        run.runs = True
        return run

    def galore(params):
        options = {"rank": 2, "update_proj_gap": 7, "scale": 0.7, "projection_type": "std"}
        groups = [{"params": params, **options}]
        return pytorch_optimizer.GaLore(groups, 0.03, (0.8, 0.95), eps=0.0)

    def soap(**options):
        return wide(
            lambda params: pytorch_optimizer.SOAP(
                params, 0.03, (0.9, 0.95), weight_decay=0.0, precondition_frequency=7, **options
            )
        )

    def shampoo(params):
        return pytorch_optimizer.Shampoo(params, 0.3, weight_decay=0.1, matrix_eps=0.3)

    adamw = {"adam_b1": 0.8, "adam_b2": 0.95, "adam_weight_decay": 0.2, "adam_learning_rate": 0.02}
    muon = {"weight_decay": 0.1, "beta": 0.9, "eps": 0.0, "nesterov": False, "consistent_rms": 0.2}
    return {
        "sm3-optax": of_optax(optax.sm3(0.3, 0.8)),
        "centralize-optax": optax.chain(optax.centralize(), optax.sgd(0.03)),
        "adaptive_grad_clip-optax": of_optax(
            optax.chain(optax.adaptive_grad_clip(0.3, 0.5, axis=0), optax.sgd(0.3))
        ),
        "muon-optax": optax.contrib.muon(0.03, **muon, **adamw),
        "shampoo-pytorch_optimizer": of_torch(shampoo),
        "soap-pytorch_optimizer": soap(),
        "soap-shampoo_beta-pytorch_optimizer": soap(shampoo_beta=0.8),
        "galore-pytorch_optimizer": wide(galore),
    }


def ours():
    import torchopt
    from torchopt import transform

    def steps(tx, params, gradients):
        state = tx.init(params)
        for grads in gradients:
            updates, state = tx.update(grads, state, params=params, inplace=False)
            params = torchopt.apply_updates(params, updates, inplace=False)
            yield params

    def without(tx):
        return without_scalar(lambda params, gradients: steps(tx, params, gradients))

    clip = transform.adaptive_grad_clip(0.3, 0.5, dim=0)
    adamw = {"adam_lr": 0.02, "adam_betas": (0.8, 0.95), "adam_eps": 0.0, "adam_weight_decay": 0.2}
    muon = {"momentum": 0.9, "nesterov": False, "eps": 0.0, "adjust_lr_fn": "match_rms_adamw"}
    soap = {"weight_decay": 0.0, "precondition_frequency": 7}
    return {
        "sm3-optax": without(torchopt.optimizers.sm3(0.3, momentum=0.8)),
        "centralize-optax": torchopt.chain(transform.centralize(), torchopt.sgd(0.03)),
        "adaptive_grad_clip-optax": without(torchopt.chain(clip, torchopt.sgd(0.3))),
        "muon-optax": torchopt.muon(0.03, **muon, **adamw),
        "shampoo-pytorch_optimizer": without(
            torchopt.optimizers.shampoo(0.3, weight_decay=0.1, matrix_eps=0.3)
        ),
        "soap-pytorch_optimizer": torchopt.optimizers.soap(0.03, (0.9, 0.95), **soap),
        "soap-shampoo_beta-pytorch_optimizer": torchopt.optimizers.soap(
            0.03, (0.9, 0.95), shampoo_beta=0.8, **soap
        ),
        "galore-pytorch_optimizer": torchopt.optimizers.galore(
            0.03, (0.8, 0.95), eps=0.0, rank=2, update_proj_gap=7, scale=0.7
        ),
    }

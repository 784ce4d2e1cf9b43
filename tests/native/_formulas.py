"""The sample formulas in plain torch, and calls of the driver that read like them."""

from pathlib import Path

import torch

HEADER = Path(__file__).with_name("sample_kernels.h")
ADAM = [1e-2, 0.9, 0.99, 1e-6, 1 / (1 - 0.9**3), 1 / (1 - 0.99**3)]
ABSENT, LEAVES, INTO = 0, 1, 2


def adam(g, m, v, scalars):
    lr, beta1, beta2, eps, correction1, correction2 = scalars
    m = beta1 * m + (1 - beta1) * g
    v = beta2 * v + (1 - beta2) * (g * g)
    return -lr * correction1 * m / (torch.sqrt(v * correction2) + eps), m, v


def adam_vjp(g, m, v, du, dm, dv, scalars):
    """The cotangents of g, m, v, and of the learning rate, by autograd."""
    lr = torch.tensor(scalars[0], dtype=torch.float64, requires_grad=True)
    inputs = [x.detach().double().requires_grad_() for x in (g, m, v)]
    outputs = adam(*inputs, [lr, *scalars[1:]])
    cotangents = [x.double() for x in (du, dm, dv)]
    return torch.autograd.grad(outputs, [*inputs, lr], cotangents)


def fused(kernel, arguments, outputs, scalars=(), leaves=None):
    """Run a kernel.

    Args:
        kernel: Its address.
        arguments: A list of leaves or None for each input.
        outputs: A mode for each output.
        scalars: The formula's scalars.
        leaves: How many; by default that of the lists.

    Returns:
        A list of leaves or None for each output; the sums at the end, if there are.
    """
    tensors, modes = _flatten(arguments)
    if leaves is None:
        leaves = next(len(one) for one in arguments if isinstance(one, list))
    results = torch.ops.torchopt.fused(tensors, kernel, leaves, modes + outputs, list(scalars))
    found = []
    for mode in outputs:
        if mode == ABSENT:
            found.append(None)
        else:
            found.append([results.pop(0) for _ in range(leaves)])
    return found + results


def _flatten(arguments):
    tensors, modes = [], []
    for one in arguments:
        if one is None:
            modes.append(ABSENT)
        else:
            modes.append(LEAVES)
            tensors += one
    return tensors, modes


def state(shapes, dtype=torch.float32, seed=0, count=3):
    """Random leaves of each argument; the third is positive, as a second moment is."""
    generator = torch.Generator().manual_seed(seed)
    arguments = [
        [torch.randn(shape, dtype=dtype, generator=generator) for shape in shapes]
        for _ in range(count)
    ]
    arguments[2] = [x.abs() for x in arguments[2]]
    return arguments

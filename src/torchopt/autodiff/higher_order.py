"""The context in which operators are evaluated in ways that are right to any order."""

from __future__ import annotations

import contextlib
from typing import Any

from torchopt.autodiff.exact import HigherOrder, decomposes

__all__ = ["higher_order"]


def higher_order() -> contextlib.AbstractContextManager[Any]:
    """Make derivatives of any order right, where PyTorch's own are wrong or missing.

    In PyTorch 2.13 the third derivatives of layer, batch and instance normalization are wrong by 5 to
    80 % without a word, and so are derivatives of a forward-mode derivative through these and through
    ``linalg.solve``, ``det`` and ``slogdet``; attention and some losses have no second derivative. In
    this context such operators are evaluated by plain operations: the same values to rounding, some
    of them slower, and right on every route (reverse, forward, and any nesting of the two).

    A function has to be *evaluated* inside; the derivatives may be taken outside, also where the
    function checkpoints activations. The context is of this thread, costs nothing when entered again
    inside of itself, and works under :mod:`torch.func`, ``vmap``, autocast (the dtypes are PyTorch's)
    and ``torch.compile``, but the latter shows it neither ``weight_norm`` nor ``hardsigmoid``. It does
    not see into TorchScript, nor into operators written in C++. Random numbers of dropout inside of
    attention may differ from those of a fused kernel with the same seed.

    :func:`torchopt.minimize` and its kin enter it where a gradient is to be differentiated again.

    What is decomposed: ``batch_norm``, ``instance_norm``, ``layer_norm``, ``weight_norm``;
    ``scaled_dot_product_attention``; ``linalg.solve``, ``solve_ex``, ``tensorsolve``, ``det``,
    ``slogdet``, ``logdet``, ``cholesky_inverse``, ``householder_product``; ``norm``,
    ``linalg.vector_norm``, ``renorm``, ``normalize``, ``std``, ``cdist``, ``pdist``, ``dist``,
    ``pairwise_distance``, ``cosine_similarity``; ``glu``, ``hardsigmoid``; ``embedding_bag``,
    ``scatter_reduce`` of products; ``huber_loss``, ``soft_margin_loss``, ``multi_margin_loss``,
    ``triplet_margin_loss``, ``cosine_embedding_loss``, ``binary_cross_entropy_with_logits``; and, in
    forward mode only, ``group_norm``, ``logit``, ``lstm``, ``mish``, ``mse_loss``, ``silu``.

    What is not: ``ctc_loss``, ``multilabel_margin_loss`` and ``segment_reduce`` have no second
    derivative, ``grid_sample``, ``index_reduce`` and ``ormqr`` no forward one, and raise;
    ``linalg.eigh``'s derivatives of forward derivatives, and the third of ``logcumsumexp``, are NaN;
    those of ``linalg.eig`` of forward derivatives are wrong, or NaN (in reverse mode alone they are
    right).

    Returns:
        A context manager.

    Example:
        >>> import torch, torchopt
        >>> from torch.func import grad
        >>> def f(x):
        ...     with torchopt.higher_order():
        ...         x = torch.stack([x, x**2, x**3])
        ...         return torch.nn.functional.layer_norm(x, (3,))[1]
        >>> x = torch.tensor(0.5, dtype=torch.float64)
        >>> third = grad(grad(grad(f)))(x)
        >>> h = 1e-4
        >>> difference = (grad(grad(f))(x + h) - grad(grad(f))(x - h)) / (2 * h)
        >>> torch.allclose(third, difference, rtol=1e-5)
        True

    References:
        PyTorch issue 198017 collects the faults.
    """
    return contextlib.nullcontext() if decomposes() else HigherOrder()

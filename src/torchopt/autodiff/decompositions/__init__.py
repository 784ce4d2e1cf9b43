"""Operators of PyTorch (2.13) that lack a higher derivative or have a wrong one, in plain operations.

What is here was measured, on every route to a second or third derivative (reverse over reverse,
forward over reverse, reverse over forward, and their compositions), to be wrong without a word, or
to raise, on at least one of them. Multiplications, sums and triangular solves are right on all.
Each topic has a module with its rules; the table of all is here.
"""

from __future__ import annotations

from torchopt.autodiff.decompositions import (
    activations,
    indexing,
    layers,
    linear_algebra,
    losses,
    normalization,
    norms,
    sparse,
)
from torchopt.autodiff.decompositions.layers import COMPOSITES
from torchopt.autodiff.decompositions.normalization import weight_norm
from torchopt.autodiff.decompositions.wrappers import IN_FORWARD_MODE, Rules

__all__ = ["ALWAYS", "COMPOSITES", "DECOMPOSITIONS", "SPARSE", "weight_norm"]

SPARSE: Rules = sparse.RULES
"""Those that refuse sparse tensors, where a graph would be lost."""

DECOMPOSITIONS: Rules = {
    **normalization.RULES,
    **norms.RULES,
    **linear_algebra.RULES,
    **indexing.RULES,
    **layers.RULES,
    **activations.RULES,
    **losses.RULES,
    **SPARSE,
}

ALWAYS: Rules = {func: IN_FORWARD_MODE.get(rule, rule) for func, rule in DECOMPOSITIONS.items()}
"""The same, in every mode: gradients have the same bits with a graph, without, and with tangents.

PyTorch's of SiLU, Mish, logit and group normalization are computed otherwise where it keeps a graph; so
are those of RMS normalization and of GRU cells on a GPU, which are left as they are.
"""

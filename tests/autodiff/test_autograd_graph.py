"""Walks of the autograd graph find the nodes and leaves that outputs depend on."""

from __future__ import annotations

import torch

from torchopt.autodiff.graph import alias, leaf, nodes_reached


def names(nodes: list[object]) -> list[str]:
    return sorted(type(node).__name__.removesuffix("Backward0") for node in nodes)


def test_nodes_reached_stop_at_the_ends() -> None:
    a, b = (torch.tensor(x, requires_grad=True) for x in (1.0, 2.0))
    middle = a.sin()
    out = middle.exp() + b.cos()
    assert "Sin" not in names(nodes_reached([out], {middle.grad_fn}))


def test_an_alias_is_another_variable_and_a_leaf_ends_the_graph() -> None:
    a = torch.tensor([1.0, 2.0], requires_grad=True)
    other = alias(a)
    assert torch.autograd.grad(a.sum(), other, allow_unused=True) == (None,)
    assert torch.autograd.grad(other.sum(), a)[0].tolist() == [1, 1]
    assert leaf(a).requires_grad
    assert leaf(a).grad_fn is None
    assert not leaf(a.detach()).requires_grad

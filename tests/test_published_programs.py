"""Programs written for the published TorchOpt, as its paper and its documentation print them."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F
from torch import nn

import torchopt
from torchopt.compat import make_functional


def test_listing_1_of_the_paper_runs_as_printed() -> None:
    torch.manual_seed(0)
    model = nn.Linear(2, 1)
    iter_times = 3
    x = torch.randn(5, 2)

    def inner_loss(fmodel, params, meta_params):  # type: ignore[no-untyped-def]
        return fmodel(params, x).pow(2).mean() + meta_params * fmodel(params, x).sum()

    def outer_loss(fmodel, params, meta_params):  # type: ignore[no-untyped-def]
        return fmodel(params, x).sum() + meta_params

    # Functional API
    opt = torchopt.adam()
    # Define meta and inner parameters
    meta_params = torch.tensor(1.0, requires_grad=True)
    fmodel, params = make_functional(model)
    # Initialize optimizer state
    state = opt.init(params)
    for iter in range(iter_times):  # noqa: B007
        loss = inner_loss(fmodel, params, meta_params)
        grads = torch.autograd.grad(loss, params)
        # Apply non-inplace parameter update
        updates, state = opt.update(grads, state, inplace=False)
        params = torchopt.apply_updates(params, updates)
    loss = outer_loss(fmodel, params, meta_params)
    meta_grads = torch.autograd.grad(loss, meta_params)
    assert meta_grads[0].item() == 1.0

    def inner(model, meta_params):  # type: ignore[no-untyped-def]
        return model(x).pow(2).mean() * meta_params

    # OOP API
    # Define meta and inner parameters
    meta_params = torch.tensor(1.0, requires_grad=True)
    # Define differentiable optimizer
    optimizer = torchopt.MetaAdam(model)
    for iter in range(iter_times):  # noqa: B007
        # Perform the inner update
        loss = inner(model, meta_params)
        optimizer.step(loss)
    loss = model(x).sum() + 0.0 * meta_params
    loss.backward()
    assert meta_params.grad is not None
    assert meta_params.grad.item() != 0.0


def test_maml_with_extract_and_recover_state_trains() -> None:
    """The published documentation's pattern of several tasks from one start."""
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(1, 16), nn.Tanh(), nn.Linear(16, 1))
    meta_opt = torch.optim.Adam(net.parameters(), lr=1e-2)
    inner_opt = torchopt.MetaSGD(net, lr=5e-2)
    losses = []
    for _ in range(60):
        outer_losses = []
        net_state_dict = torchopt.extract_state_dict(net, by="reference", detach_buffers=True)
        optim_state_dict = torchopt.extract_state_dict(inner_opt, by="reference")
        for slope in (-1.0, 1.0, 2.0):
            x = torch.linspace(-1, 1, 11).reshape(-1, 1)
            for _ in range(2):
                inner_opt.step(F.mse_loss(net(x), slope * x))
            outer_losses.append(F.mse_loss(net(x), slope * x))
            torchopt.recover_state_dict(net, net_state_dict)
            torchopt.recover_state_dict(inner_opt, optim_state_dict)
        meta_opt.zero_grad()
        loss = sum(outer_losses) / len(outer_losses)
        loss.backward()
        meta_opt.step()
        losses.append(float(loss.detach()))
    assert losses[-1] < 0.5 * losses[0]


def test_functional_training_in_place_grows_no_graph() -> None:
    """`optimizer.update(grads, state)` with its default, weight decay, and leaf parameters."""
    model = nn.Linear(3, 1)
    params = tuple(model.parameters())
    optimizer = torchopt.adam(0.1, weight_decay=0.1)
    state = optimizer.init(params)
    for _ in range(3):
        loss = model(torch.ones(2, 3)).pow(2).mean()
        grads = torch.autograd.grad(loss, params)
        updates, state = optimizer.update(grads, state, params=params)
        params = torchopt.apply_updates(params, updates)
    assert params[0] is model.weight
    leaves = torchopt.pytree.flattening.flatten(state)[0]
    assert all(t.grad_fn is None for t in leaves if isinstance(t, torch.Tensor))


def test_the_sgd_classes_take_no_argument_at_a_position_where_torch_has_another() -> None:
    p = nn.Parameter(torch.tensor([2.0]))
    # Third are `weight_decay` in 0.7.3 and `dampening` in `torch.optim`.
    for make, first in (torchopt.SGD, [p]), (torchopt.MetaSGD, nn.Linear(1, 1)):
        with pytest.raises(TypeError, match="pass the others by name, such as `dampening=`"):
            make(first, 0.5, 0.0, 0.1)
    optimizer = torchopt.SGD([p], 0.5, 0.0, weight_decay=0.1)
    p.grad = torch.zeros(1)
    optimizer.step()
    assert torch.allclose(p, torch.tensor([2.0 - 0.5 * 0.1 * 2.0]))


def test_every_transformation_has_a_flat_form() -> None:
    for name in ("scale_by_adam", "scale_by_rms", "trace", "scale_by_accelerated_adam"):
        tx = getattr(torchopt.transform, name).flat()
        grads = [torch.ones(2), None, torch.ones(3)]
        updates, _ = tx.update(grads, tx.init([torch.ones(2), torch.ones(1), torch.ones(3)]))
        assert updates[1] is None
    tx = torchopt.combine.chain_flat(
        torchopt.transform.scale.flat(2.0), torchopt.transform.scale.flat(3.0)
    )
    grads = [torch.ones(2), None, torch.ones(3)]
    assert tx.update(grads, tx.init(grads))[0][0].tolist() == [6.0, 6.0]
    assert torchopt.chain.flat is torchopt.combine.chain_flat

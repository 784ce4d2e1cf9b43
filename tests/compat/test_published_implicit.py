"""Programs that use implicit differentiation as the published TorchOpt's paper and pages print them."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F
from torch import nn

import torchopt
from torchopt import pytree
from torchopt.compat import make_functional
from torchopt.diff.implicit import ImplicitMetaGradientModule

# What the published programs leave unsaid: their linear solver is stopped after five steps.
pytestmark = pytest.mark.filterwarnings("ignore::torchopt.errors.LinearSolveWarning")


def clone(params):  # type: ignore[no-untyped-def]
    return pytree.tree_map(
        lambda t: t.clone().detach_().requires_grad_(requires_grad=t.requires_grad), params
    )


def affine_data(dtype: torch.dtype = torch.float32) -> tuple[torch.Tensor, torch.Tensor]:
    torch.manual_seed(0)
    x = torch.randn(20, 4, dtype=dtype)
    w = torch.randn(4, 1, dtype=dtype)
    b = torch.randn(1, dtype=dtype)
    return x, x @ w + b + 0.5 * torch.randn(20, 1, dtype=dtype)


def prox_truth(
    x: torch.Tensor, y: torch.Tensor, theta: tuple[torch.Tensor, torch.Tensor]
) -> tuple[torch.Tensor, torch.Tensor]:
    """Minimize mean (x w + b - y)^2 + 1/2 |(w, b) - theta|^2."""
    X = torch.cat([x, torch.ones_like(x[:, :1])], dim=1)
    prior = torch.cat([theta[0].reshape(-1), theta[1]])
    matrix = 2 * X.T @ X / len(X) + torch.eye(X.shape[1], dtype=x.dtype)
    z = torch.linalg.solve(matrix, 2 * X.T @ y[:, 0] / len(X) + prior)
    return z[:-1].reshape(theta[0].shape), z[-1:]


class OneLayer(nn.Module):
    def __init__(self, dim: int) -> None:
        super().__init__()
        self.fc = nn.Linear(dim, 1, bias=True)
        nn.init.ones_(self.fc.weight)
        nn.init.zeros_(self.fc.bias)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.fc(x)


def test_the_implicit_tutorial_prints_what_it_printed() -> None:
    def imaml_objective(optimal_params, init_params, data):  # type: ignore[no-untyped-def]
        x, y, fmodel = data
        y_pred = fmodel(optimal_params, x)
        regularization_loss = 0.0
        for p1, p2 in zip(optimal_params, init_params):  # noqa: B905
            regularization_loss += 0.5 * torch.sum(torch.square(p1.view(-1) - p2.view(-1)))
        return F.mse_loss(y_pred, y) + regularization_loss

    @torchopt.diff.implicit.custom_root(torch.func.grad(imaml_objective, argnums=0), argnums=1)
    def inner_solver(init_params_copy, init_params, data):  # type: ignore[no-untyped-def]
        x, y, fmodel = data
        params = init_params_copy
        optimizer = torchopt.sgd(lr=2e-2)
        opt_state = optimizer.init(params)
        with torch.enable_grad():
            for _ in range(100):
                pred = fmodel(params, x)
                loss = F.mse_loss(pred, y)
                regularization_loss = 0.0
                for p1, p2 in zip(params, init_params):  # noqa: B905
                    regularization_loss += 0.5 * torch.sum(torch.square(p1.view(-1) - p2.view(-1)))
                final_loss = loss + regularization_loss
                grads = torch.autograd.grad(final_loss, params)
                updates, opt_state = optimizer.update(grads, opt_state)
                params = torchopt.apply_updates(params, updates)
        return params

    x, y = affine_data()
    fmodel, meta_params = make_functional(OneLayer(4))
    optimal_params = inner_solver(clone(meta_params), meta_params, (x, y, fmodel))
    outer_loss = fmodel(optimal_params, x).mean()
    weight, bias = torch.autograd.grad(outer_loss, meta_params)
    # The numbers that the notebook shows.
    printed = torch.tensor([[-0.0369, 0.0248, 0.0347, 0.0067]])
    torch.testing.assert_close(weight, printed, rtol=0, atol=6e-5)
    torch.testing.assert_close(bias, torch.tensor([0.3156]), rtol=0, atol=6e-5)


@pytest.mark.parametrize(
    "solve",
    [
        torchopt.linear_solve.solve_normal_cg(),
        torchopt.linear_solve.solve_inv(ns=False),
        torchopt.linear_solve.solve_inv(ns=True, maxiter=2000, alpha=0.1),
        torchopt.linear_solve.solve_cg(),
    ],
    ids=["normal_cg", "inv", "ns", "cg"],
)
def test_functional_imaml_updates_in_place_and_passes_its_network_along(solve) -> None:  # type: ignore[no-untyped-def]
    x, y = affine_data(torch.float64)
    fnet, meta_params = make_functional(OneLayer(4).double())

    def imaml_objective(params, meta_params, data, aux):  # type: ignore[no-untyped-def]
        x_spt, y_spt = data
        fnet, _, reg_param = aux
        regularization_loss = 0
        for p1, p2 in zip(params, meta_params):  # noqa: B905
            regularization_loss += 0.5 * reg_param * torch.sum(torch.square(p1 - p2))
        return F.mse_loss(fnet(params, x_spt), y_spt) + regularization_loss

    @torchopt.diff.implicit.custom_root(
        torch.func.grad(imaml_objective, argnums=0), argnums=1, has_aux=True, solve=solve
    )
    def train_imaml_inner_solver(params, meta_params, data, aux):  # type: ignore[no-untyped-def]
        x_spt, y_spt = data
        fnet, n_inner_iter, reg_param = aux
        inner_opt = torchopt.sgd(lr=1e-1)
        inner_opt_state = inner_opt.init(params)
        with torch.enable_grad():
            for _ in range(n_inner_iter):
                loss = F.mse_loss(fnet(params, x_spt), y_spt)
                regularization_loss = 0
                for p1, p2 in zip(params, meta_params):  # noqa: B905
                    regularization_loss += 0.5 * reg_param * torch.sum(torch.square(p1 - p2))
                grads = torch.autograd.grad(loss + regularization_loss, params)
                updates, inner_opt_state = inner_opt.update(grads, inner_opt_state, inplace=True)
                params = torchopt.apply_updates(params, updates, inplace=True)
        return params, (0, {"a": 1, "b": 2})

    meta_opt = torchopt.adam(lr=1e-3)
    meta_opt_state = meta_opt.init(meta_params)
    for _ in range(2):
        init_params = clone(meta_params)
        optimal_params, aux = train_imaml_inner_solver(
            init_params, meta_params, (x, y), (fnet, 100, 1.0)
        )
        assert aux == (0, {"a": 1, "b": 2})
        qry_loss = fnet(optimal_params, x).square().mean()
        meta_grads = torch.autograd.grad(qry_loss, meta_params)
        truth = fnet(prox_truth(x, y, meta_params), x).square().mean()
        torch.testing.assert_close(
            meta_grads, torch.autograd.grad(truth, meta_params), rtol=1e-4, atol=1e-7
        )
        meta_updates, meta_opt_state = meta_opt.update(meta_grads, meta_opt_state)
        meta_params = torchopt.apply_updates(meta_params, meta_updates)


class InnerNet(
    ImplicitMetaGradientModule,
    linear_solve=torchopt.linear_solve.solve_normal_cg(maxiter=5, atol=0),
):
    """As in the published iMAML example."""

    def __init__(self, meta_net, n_inner_iter, reg_param):  # type: ignore[no-untyped-def]
        super().__init__()
        self.meta_net = meta_net
        self.net = torchopt.module_clone(meta_net, by="deepcopy", detach_buffers=True)
        self.n_inner_iter = n_inner_iter
        self.reg_param = reg_param
        self.reset_parameters()

    def reset_parameters(self):  # type: ignore[no-untyped-def]
        with torch.no_grad():
            for p1, p2 in zip(self.parameters(), self.meta_parameters()):  # noqa: B905
                p1.data.copy_(p2.data)
                p1.detach_().requires_grad_()

    def forward(self, x):  # type: ignore[no-untyped-def]
        return self.net(x)

    def objective(self, x, y):  # type: ignore[no-untyped-def]
        y_pred = self(x)
        loss = F.mse_loss(y_pred, y)
        regularization_loss = 0
        for p1, p2 in zip(self.parameters(), self.meta_parameters()):  # noqa: B905
            regularization_loss += 0.5 * self.reg_param * torch.sum(torch.square(p1 - p2))
        return loss + regularization_loss

    def solve(self, x, y):  # type: ignore[no-untyped-def]
        params = tuple(self.parameters())
        inner_optim = torchopt.optim.SGD(params, lr=1e-1)
        with torch.enable_grad():
            for _ in range(self.n_inner_iter):
                loss = self.objective(x, y)
                inner_optim.zero_grad()
                loss.backward(inputs=params)
                inner_optim.step()
        return self


def test_imaml_modules_are_reset_and_solved_again_for_several_tasks() -> None:
    x, y = affine_data(torch.float64)
    tasks = [(x[k : k + 10], y[k : k + 10]) for k in (0, 10)]
    net = OneLayer(4).double()
    net.train()
    meta_opt = torchopt.optim.Adam(net.parameters(), lr=1e-2)
    inner_nets = [InnerNet(net, 150, 1.0) for _ in tasks]
    for _ in range(2):
        meta_opt.zero_grad()
        losses = []
        for inner_net, task in zip(inner_nets, tasks, strict=True):
            inner_net.reset_parameters()
            optimal_inner_net = inner_net.solve(*task)
            losses.append(optimal_inner_net(x).square().mean())
        torch.mean(torch.stack(losses)).backward()
        theta = (net.fc.weight, net.fc.bias)
        solutions = [prox_truth(*task, theta) for task in tasks]
        truth = sum(F.linear(x, *s).square().mean() for s in solutions) / len(tasks)
        torch.testing.assert_close(
            [p.grad for p in theta], list(torch.autograd.grad(truth, theta)), rtol=1e-4, atol=1e-8
        )
        meta_opt.step()
    inner_net = InnerNet(net, 150, 1.0)
    with torch.no_grad():
        optimal_inner_net = inner_net.solve(*tasks[0])
    assert optimal_inner_net is inner_net
    torch.testing.assert_close(
        tuple(inner_net.parameters()), prox_truth(*tasks[0], (net.fc.weight, net.fc.bias))
    )


def test_listing_2_of_the_paper_with_optimality_and_with_objective() -> None:
    x, y = affine_data(torch.float64)

    class InnerNet(
        ImplicitMetaGradientModule, linear_solve=torchopt.linear_solve.solve_cg(maxiter=50)
    ):
        def __init__(self, meta_param):  # type: ignore[no-untyped-def]
            super().__init__()
            self.meta_param = meta_param
            self.w = nn.Parameter(torch.zeros(4, dtype=torch.float64))

        def forward(self, batch):  # type: ignore[no-untyped-def]
            return batch @ self.w

        def objective(self, batch, labels):  # type: ignore[no-untyped-def]
            error = self(batch) - labels[:, 0]
            return error.square().mean() / 2 + self.meta_param * self.w.square().sum() / 2

        def solve(self, batch, labels):  # type: ignore[no-untyped-def]
            matrix = batch.T @ batch / len(batch)
            matrix = matrix + self.meta_param * torch.eye(4, dtype=batch.dtype)
            self.w.data.copy_(torch.linalg.solve(matrix, batch.T @ labels[:, 0] / len(batch)))
            return self

    class WithOptimality(InnerNet):
        def optimality(self, batch, labels):  # type: ignore[no-untyped-def]
            error = self(batch) - labels[:, 0]
            return (batch.T @ error / len(batch) + self.meta_param * self.w,)

    meta_params = torch.tensor(0.3, dtype=torch.float64, requires_grad=True)
    matrix = x.T @ x / len(x) + meta_params * torch.eye(4, dtype=x.dtype)
    truth = torch.linalg.solve(matrix, x.T @ y[:, 0] / len(x)).square().sum()
    (expected,) = torch.autograd.grad(truth, meta_params)
    for cls in (InnerNet, WithOptimality):
        inner_net = cls(meta_params)
        optimal_inner_net = inner_net.solve(x, y)
        loss = optimal_inner_net.w.square().sum()
        (meta_grad,) = torch.autograd.grad(loss, meta_params)
        torch.testing.assert_close(meta_grad, expected)

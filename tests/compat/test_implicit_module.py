"""Modules whose inner parameters are solved for."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torch.func import grad, jacfwd, jacrev

import torchopt
from torchopt.compat import ImplicitMetaGradientModule
from torchopt.compat.implicit_module import enable_implicit_gradients

DOUBLE = torch.float64
Tensors = tuple[torch.Tensor, ...]


def normal(seed: int, *shape: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(shape, dtype=DOUBLE, generator=generator)


X, Y = normal(0, 5, 3), normal(1, 5)


def metas() -> Tensors:
    """A prior and a strength."""
    return normal(2, 3).requires_grad_(), torch.tensor(1.5, dtype=DOUBLE, requires_grad=True)


def truth(
    prior: torch.Tensor, strength: torch.Tensor, X: torch.Tensor = X, y: torch.Tensor = Y
) -> torch.Tensor:
    matrix = X.T @ X + strength * torch.eye(3, dtype=X.dtype)
    return torch.linalg.solve(matrix, X.T @ y + strength * prior)


class Proximal(ImplicitMetaGradientModule):
    """Minimize |X w - y|^2 / 2 + strength |w - prior|^2 / 2."""

    def __init__(self, prior: torch.Tensor, strength: torch.Tensor) -> None:
        super().__init__()
        self.prior = prior
        self.strength = strength
        self.w = nn.Parameter(torch.zeros(3, dtype=DOUBLE))

    def forward(self, X: torch.Tensor) -> torch.Tensor:
        return X @ self.w

    def objective(self, X: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        distance = (self.w - self.prior).square().sum()
        return (self(X) - y).square().sum() / 2 + self.strength * distance / 2

    def solve(self, X: torch.Tensor, y: torch.Tensor) -> Any:
        self.w.copy_(truth(self.prior, self.strength, X, y))
        return self


class ByOptimality(Proximal):
    def optimality(self, X: torch.Tensor, y: torch.Tensor) -> Any:
        return (X.T @ (self(X) - y) + self.strength * (self.w - self.prior),)


class ByName(Proximal):
    def optimality(self, X: torch.Tensor, y: torch.Tensor) -> Any:
        return {"w": X.T @ (self(X) - y) + self.strength * (self.w - self.prior)}


class ByDescent(Proximal, linear_solve=torchopt.linear_solve.GMRES()):
    def solve(self, X: torch.Tensor, y: torch.Tensor) -> str:
        parameters = list(self.parameters())
        optimizer = torch.optim.SGD(parameters, lr=0.1)
        with torch.enable_grad():
            for _ in range(400):
                optimizer.zero_grad()
                self.objective(X, y).backward(inputs=parameters)
                optimizer.step()
        return "done"


def check_gradient(
    w: torch.Tensor, theta: Tensors, exact: Callable[..., torch.Tensor] = truth, **close: float
) -> None:
    """Check the gradient of the sum of cubes of a solution."""
    again = [t.detach().clone().requires_grad_() for t in theta]
    expected = torch.autograd.grad((exact(*again) ** 3).sum(), again)
    torch.testing.assert_close(torch.autograd.grad((w**3).sum(), theta), expected, **close)


def three_orders(w: torch.Tensor, theta: Tensors) -> list[torch.Tensor]:
    loss, found = (w**3).sum(), []
    for _ in range(3):
        gradients = torch.autograd.grad(loss, theta, create_graph=True)
        found += [g.detach() for g in gradients]
        loss = sum((g.square().sum() for g in gradients), torch.zeros((), dtype=DOUBLE))
    return found


@pytest.mark.parametrize("cls", [Proximal, ByOptimality, ByName, ByDescent])
def test_three_orders_equal_the_closed_form(cls: type[Proximal]) -> None:
    theta = metas()
    module = cls(*theta)
    module.solve(X, Y)
    again = metas()
    torch.testing.assert_close(
        three_orders(module.w, theta), three_orders(truth(*again), again), rtol=1e-6, atol=1e-8
    )


def test_gradients_reach_what_solve_is_given_by_position_and_by_name() -> None:
    class Named(Proximal):
        def objective(self, X: torch.Tensor, *, y: torch.Tensor, scale: int = 1) -> torch.Tensor:
            return super().objective(X, y * scale)

        def solve(self, X: torch.Tensor, *, y: torch.Tensor, scale: int = 1) -> None:
            self.w.copy_(truth(self.prior, self.strength, X, y * scale))

    theta = (*metas(), X.clone().requires_grad_(), Y.clone().requires_grad_())
    module = Named(*theta[:2])
    module.solve(theta[2], y=theta[3], scale=2)
    check_gradient(module.w, theta, lambda *theta: truth(*theta[:3], theta[3] * 2))


def test_a_module_solved_for_another_task_keeps_the_first_gradient() -> None:
    theta = metas()
    module = Proximal(*theta)
    first = module.solve(X, Y).w
    second = module.solve(2 * X, Y - 1).w
    ((first**3).sum() + (second**2).sum()).backward()
    again = metas()
    loss = (truth(*again) ** 3).sum() + (truth(*again, 2 * X, Y - 1) ** 2).sum()
    expected = torch.autograd.grad(loss, again)
    torch.testing.assert_close([t.grad for t in theta], list(expected))


def test_reset_through_data_before_the_backward_of_an_earlier_task() -> None:
    """As `reset_parameters` of the published iMAML example does, with one module for all tasks."""

    class Quartic(Proximal):
        def objective(self, X: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
            return super().objective(X, y) + (self.w**4).sum()

        def solve(self, X: torch.Tensor, y: torch.Tensor) -> None:
            self.w.copy_(self.newton(X, y, self.prior, self.strength))

        def newton(
            self, X: torch.Tensor, y: torch.Tensor, prior: torch.Tensor, strength: torch.Tensor
        ) -> torch.Tensor:
            w = torch.zeros(3, dtype=DOUBLE)
            for _ in range(12):
                gradient = X.T @ (X @ w - y) + strength * (w - prior) + 4 * w**3
                matrix = X.T @ X + strength * torch.eye(3, dtype=DOUBLE) + torch.diag(12 * w**2)
                w = w - torch.linalg.solve(matrix, gradient)
            return w

    theta = metas()
    module = Quartic(*theta)
    tasks = [(X, Y), (2 * X, Y - 1)]
    losses = []
    for task in tasks:
        with torch.no_grad():
            for p in module.parameters():
                p.data.copy_(torch.full((3,), 7.0, dtype=DOUBLE))
                p.detach_().requires_grad_()
        module.solve(*task)
        losses.append((2 * module.w).sum())  # saves nothing that `detach_` would cut off
    found = torch.autograd.grad(sum(losses), theta)
    expected_losses = [(2 * module.newton(*task, *theta)).sum() for task in tasks]
    expected = torch.autograd.grad(sum(expected_losses), theta)
    torch.testing.assert_close(found, expected)


@pytest.mark.parametrize("transform", [grad, jacfwd, jacrev])
def test_a_module_made_inside_a_transform(transform: Any) -> None:
    prior, strength = (t.detach() for t in metas())

    def loss(prior: torch.Tensor) -> torch.Tensor:
        return (Proximal(prior, strength).solve(X, Y).w ** 2).sum()

    expected = transform(lambda prior: (truth(prior, strength) ** 2).sum())(prior)
    torch.testing.assert_close(transform(loss)(prior), expected)


# A solver that raises.


class Fails(Proximal):
    fails = True

    def solve(self, X: torch.Tensor, y: torch.Tensor) -> Any:
        if self.fails:
            self.break_something()
            raise KeyError("mine")
        self.w.copy_(truth(self.prior, self.strength, X, y))

    def break_something(self) -> None:
        with torch.no_grad():
            self.w.add_(1)
            self.w.data.mul_(3)


class Replaces(Fails):
    def break_something(self) -> None:
        self.w = nn.Parameter(torch.ones(3, dtype=DOUBLE))


@pytest.mark.parametrize("cls", [Fails, Replaces])
def test_a_solver_that_raises_leaves_the_parameters_as_they_were(cls: type[Fails]) -> None:
    module = cls(*metas())
    parameter = module.w
    with pytest.raises(KeyError, match="mine"):
        module.solve(X, Y)
    assert module.w is parameter
    assert parameter.is_leaf
    assert parameter.requires_grad
    assert parameter.tolist() == [0, 0, 0]


# Networks.


class Network(ImplicitMetaGradientModule):
    """A small network that is to stay near another."""

    def __init__(self, meta: nn.Module, make: Callable[[], nn.Module]) -> None:
        super().__init__()
        self.meta = meta
        self.net = make()

    def objective(self, X: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        pairs = zip(self.net.parameters(), self.meta.parameters(), strict=True)
        near = sum((p - q).square().sum() for p, q in pairs)
        return (self.net(X)[:, 0] - y).square().mean() + near

    def solve(self, X: torch.Tensor, y: torch.Tensor) -> None:
        parameters = list(self.net.parameters())
        optimizer = torch.optim.LBFGS(
            parameters,
            max_iter=200,
            tolerance_grad=1e-12,
            tolerance_change=1e-16,
            line_search_fn="strong_wolfe",
        )

        def closure() -> torch.Tensor:
            optimizer.zero_grad()
            loss = self.objective(X, y)
            loss.backward(inputs=parameters)
            return loss

        with torch.enable_grad():
            optimizer.step(closure)


def two_layers() -> nn.Module:
    return nn.Sequential(nn.Linear(3, 2), nn.Tanh(), nn.Linear(2, 1)).double()


def tied() -> nn.Module:
    first, second = nn.Linear(3, 3, bias=False), nn.Linear(3, 3, bias=False)
    second.weight = first.weight
    return nn.Sequential(first, nn.Tanh(), second).double()


@pytest.mark.parametrize("make", [two_layers, tied])
def test_hypergradient_of_a_network_equals_the_dense_formula(make: Callable[[], nn.Module]) -> None:
    """v = argmin f(v) + |v - t|^2, hence dv/dt = 2 H^-1."""
    torch.manual_seed(1)
    module = Network(make(), make)
    module.solve(X, Y)
    priors = list(module.meta.parameters())
    found = torch.autograd.grad(module.net(X).sum(), priors)
    names = [name for name, _ in module.net.named_parameters()]
    point = [p.detach() for p in module.net.parameters()]
    sizes = [p.numel() for p in point]
    skeleton = make()

    def network(v: torch.Tensor) -> torch.Tensor:
        parts = [t.view_as(p) for t, p in zip(v.split(sizes), point, strict=True)]
        return torch.func.functional_call(
            skeleton, dict(zip(names, parts, strict=True)), (X,), tie_weights=True
        )

    v = torch.cat([p.reshape(-1) for p in point])
    H = torch.func.hessian(lambda v: (network(v)[:, 0] - Y).square().mean())(v)
    H = H + 2 * torch.eye(len(v), dtype=DOUBLE)
    expected = 2 * torch.linalg.solve(H, grad(lambda v: network(v).sum())(v))
    flat = torch.cat([g.reshape(-1) for g in found])
    torch.testing.assert_close(flat, expected, rtol=1e-5, atol=1e-7)


def test_batch_norm_and_dropout_advance_for_the_solver_only() -> None:
    class Noisy(ImplicitMetaGradientModule):
        def __init__(self, log_penalty: torch.Tensor) -> None:
            super().__init__()
            self.log_penalty = log_penalty
            layers = nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Dropout(0.5), nn.Tanh(), nn.Linear(4, 1)
            self.net = nn.Sequential(*layers).double()

        def objective(self, X: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
            size = sum(p.square().sum() for p in self.parameters())
            return F.mse_loss(self.net(X)[:, 0], y) + self.log_penalty.exp() * size

        def solve(self, X: torch.Tensor, y: torch.Tensor) -> None:
            parameters = list(self.parameters())
            optimizer = torch.optim.SGD(parameters, lr=0.05)
            with torch.enable_grad():
                for _ in range(7):
                    optimizer.zero_grad()
                    self.objective(X, y).backward(inputs=parameters)
                    optimizer.step()

    torch.manual_seed(0)
    log_penalty = torch.tensor(0.0, dtype=DOUBLE, requires_grad=True)
    module = Noisy(log_penalty)
    module.solve(X, Y)
    normalize = module.net[1]
    assert int(normalize.num_batches_tracked) == 7
    mean, state = normalize.running_mean.clone(), torch.get_rng_state()
    weight = module.net[0].weight
    first = torch.autograd.grad(weight.sum(), log_penalty, retain_graph=True)
    second = torch.autograd.grad(weight.sum(), log_penalty)
    assert torch.equal(first[0], second[0])
    assert int(normalize.num_batches_tracked) == 7
    assert torch.equal(normalize.running_mean, mean)
    assert torch.equal(torch.get_rng_state(), state)


@pytest.mark.parametrize("how", ["data", "new", "meta_optimizer"])
def test_whatever_way_solve_changes_its_parameters(how: str) -> None:
    class Trained(Proximal):
        def solve(self, X: torch.Tensor, y: torch.Tensor) -> None:
            solution = truth(self.prior, self.strength, X, y).detach()
            if how == "data":
                self.w.data = solution
            elif how == "new":
                self.w = nn.Parameter(solution)
            else:
                optimizer = torchopt.MetaSGD(self, lr=0.1)
                with torch.enable_grad():
                    for _ in range(200):
                        optimizer.step(self.objective(X, y))

    theta = metas()
    module = Trained(*theta)
    for _ in range(2):
        module.solve(X, Y)
        check_gradient(module.w, theta, rtol=1e-5, atol=1e-7)


# What modules are used for besides.


def test_state_dict_holds_both_kinds_and_loads_into_a_solved_module() -> None:
    module = Proximal(*metas())
    module.solve(X, Y)
    state = {name: t.detach().clone() for name, t in module.state_dict().items()}
    assert set(state) == {"w", "prior", "strength"}
    torch.testing.assert_close(state["w"], truth(*metas()).detach())
    module.load_state_dict({**state, "w": torch.full((3,), 7.0, dtype=DOUBLE)})
    assert module.w.tolist() == [7, 7, 7]
    fresh = Proximal(*metas())
    fresh.load_state_dict(state)
    torch.testing.assert_close(fresh.w.detach(), state["w"])


# What is wrong is said.


def test_a_class_without_solve_or_conditions_is_refused() -> None:
    class NoSolve(ImplicitMetaGradientModule):
        def objective(self) -> torch.Tensor:
            return torch.zeros(())

    with pytest.raises(TypeError, match=r"Can't instantiate abstract class NoSolve .*solve"):
        NoSolve()

    with pytest.raises(
        TypeError, match=r"either an optimality\(\) method or an objective\(\) method"
    ):

        class NoConditions(ImplicitMetaGradientModule):
            def solve(self) -> None:
                pass


@pytest.mark.parametrize("name", ["solve", "objective", "optimality"])
@pytest.mark.parametrize(
    ("wrap", "wrong"),
    [
        (staticmethod, "must not be a staticmethod."),
        (classmethod, "must not be a classmethod."),
        (lambda f: 3, "must be callable."),
    ],
)
def test_what_is_no_method_of_instances_is_refused(name: str, wrap: Any, wrong: str) -> None:
    methods = {"solve": lambda self: None, "objective": lambda self: None}
    with pytest.raises(TypeError, match=re.escape(f"method {name}() {wrong}")):
        type(ImplicitMetaGradientModule)(
            "Wrong", (ImplicitMetaGradientModule,), {**methods, name: wrap(lambda self: None)}
        )


def test_a_module_without_parameters_is_refused() -> None:
    class Empty(ImplicitMetaGradientModule):
        def objective(self) -> torch.Tensor:
            return torch.zeros(())

        def solve(self) -> None:
            pass

    with pytest.raises(RuntimeError, match=r"^The module has no parameters\. .*`Empty`"):
        Empty().solve()
    with pytest.raises(RuntimeError, match=r"^The module has no parameters\."):
        Empty().optimality()


def test_conditions_are_made_differentiable_once() -> None:
    with pytest.raises(TypeError, match="already enabled for the `solve` method"):
        enable_implicit_gradients(Proximal)
    cls: Any = type("Later", (Proximal,), {})
    cls.solve = Proximal.solve.__wrapped__  # type: ignore[attr-defined]
    assert enable_implicit_gradients(cls) is cls
    metas_of_both = metas(), metas()
    gradients = []
    for kind, outer in zip((Proximal, cls), metas_of_both, strict=True):
        module = kind(*outer)
        module.solve(X, Y)
        gradients.append(torch.autograd.grad(module.w.square().sum(), outer))
    assert all(map(torch.equal, *gradients))


@pytest.mark.parametrize(
    ("output", "error"),
    [
        (lambda self: (self.w, self.w), "returned 2 tensors, but the module has 1"),
        (lambda self: (self.w.sum(),), "shape"),
        (lambda self: {"v": self.w}, "v|structure"),
        (lambda self: None, "None|structure"),
    ],
)
def test_optimality_that_is_not_like_the_parameters(output: Any, error: str) -> None:
    class Wrong(Proximal):
        def optimality(self, X: torch.Tensor, y: torch.Tensor) -> Any:
            return output(self)

    with pytest.raises((TypeError, ValueError), match=error):
        Wrong(*metas()).solve(X, Y)

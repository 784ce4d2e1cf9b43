"""The one-step mode against a step unrolled by hand, closed forms and autograd."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn
from torch.func import functional_call
from torch.utils.checkpoint import checkpoint

import torchopt
from torchopt.diff import Implicit, OneStep
from torchopt.diff.equations import FixedPoint
from torchopt.diff.kinds import Minimum
from torchopt.diff.problem import InnerProblem

DTYPE = torch.float64
difference = functools.partial(OneStep, hvp="finite_difference")
moving = functools.partial(difference, epsilon=1e-3, detached="moves")
SOLVERS = {
    "sgd": lambda: torchopt.sgd(0.1),
    "momentum": lambda: torchopt.sgd(0.05, momentum=0.9, nesterov=True, weight_decay=0.1),
    "adam": lambda: torchopt.adam(0.05, weight_decay=0.1),
    "adamw": lambda: torchopt.adamw(0.05, weight_decay=0.1, amsgrad=True),
    "rmsprop": lambda: torchopt.rmsprop(0.02, centered=True, momentum=0.5),
    "adagrad": lambda: torchopt.adagrad(0.1),
    "clipped": lambda: torchopt.chain(torchopt.clip_grad_norm(0.3), torchopt.adamw(0.05)),
}
Params = dict[str, torch.Tensor]


def randn(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(*shape, dtype=DTYPE, generator=torch.Generator().manual_seed(seed))


def network(dtype: torch.dtype = DTYPE) -> Params:
    shapes = {"a": (3, 6), "b": (6,), "c": (6, 2)}
    return {k: (0.6 * randn(*s, seed=i)).to(dtype) for i, (k, s) in enumerate(shapes.items())}


X, Y = randn(9, 3, seed=10), randn(9, 2, seed=11)


def losses(params: Params) -> torch.Tensor:
    x, y = X.to(params["a"].dtype), Y.to(params["a"].dtype)
    hidden = torch.tanh(x @ params["a"] + params["b"])
    return (hidden @ params["c"] - y).square().sum(1)


def weighted(params: Params, logits: torch.Tensor, penalty: torch.Tensor) -> torch.Tensor:
    decay = penalty.exp() * sum(p.square().sum() for p in params.values())
    return (logits.sigmoid() * losses(params)).mean() + decay


def upper_tensors() -> tuple[torch.Tensor, torch.Tensor]:
    return randn(9, seed=12).requires_grad_(), torch.tensor(-2.0, dtype=DTYPE, requires_grad=True)


def trained(
    solver: Any,
    objective: Callable[..., Any],
    params: Params,
    args: tuple[Any, ...],
    steps: int = 3,
) -> tuple[Params, Any]:
    solution = torchopt.minimize(
        objective, params, args, solver=solver, steps=steps, diff=torchopt.diff.Explicit()
    )
    return torchopt.pytree.tree_map(torch.Tensor.detach, (solution.params, solution.state))


def attached(
    mode: Any, objective: Callable[..., Any], params: Any, args: tuple[Any, ...], **more: Any
) -> Any:
    more = {"solver": torchopt.sgd(1.0), **more}
    return mode.solve(InnerProblem(Minimum(objective), params, args, **more)).params


def cotangents(params: Params) -> list[torch.Tensor]:
    return [randn(*p.shape, seed=20 + i).to(p.dtype) for i, p in enumerate(params.values())]


def hypergradient(
    mode: Any, objective: Callable[..., Any], params: Params, args: tuple[Any, ...], **more: Any
) -> tuple[torch.Tensor, ...]:
    found = attached(mode, objective, params, args, **more)
    moving = [t for t in args if isinstance(t, torch.Tensor) and t.requires_grad]
    return torch.autograd.grad(list(found.values()), moving, cotangents(params))


def by_hand(
    solver: Any, state: Any, objective: Callable[..., Any], params: Params, args: tuple[Any, ...]
) -> tuple[torch.Tensor, ...]:
    """Autograd through one step, with parameters and state as constants."""
    theta = {k: p.clone().requires_grad_() for k, p in params.items()}
    g = torch.autograd.grad(
        objective(theta, *args),
        list(theta.values()),
        create_graph=True,
        allow_unused=True,
        materialize_grads=True,
    )
    grads = dict(zip(theta, g, strict=True))
    updates, _ = solver.update(grads, state, params=params, inplace=False)
    moving = [t for t in args if isinstance(t, torch.Tensor) and t.requires_grad]
    return torch.autograd.grad(list(updates.values()), moving, cotangents(params))


def assert_near(found: Any, expected: Any, tolerance: float) -> None:
    for a, b in zip(found, expected, strict=True):
        assert b.abs().max() > 0
        assert torch.linalg.vector_norm(a - b) <= tolerance * torch.linalg.vector_norm(b)


@pytest.mark.parametrize("hvp", ["reverse", "finite_difference"])
@pytest.mark.parametrize("name", SOLVERS)
def test_hypergradient_is_that_of_one_more_step_of_the_solver(name: str, hvp: Any) -> None:
    solver, args = SOLVERS[name](), upper_tensors()
    params, state = trained(solver, weighted, network(), args)
    expected = by_hand(solver, state, weighted, params, args)
    mode = OneStep(hvp=hvp)
    found = hypergradient(mode, weighted, params, args, solver=solver, state=state)
    assert_near(found, expected, 1e-12 if hvp == "reverse" else 1e-8)


@pytest.mark.parametrize("hvp", ["reverse", "finite_difference"])
def test_steps_are_done_first_and_the_last_state_is_used(hvp: Any) -> None:
    solver, args = torchopt.adam(0.05), upper_tensors()
    params, state = trained(solver, weighted, network(), args, steps=4)
    expected = by_hand(solver, state, weighted, params, args)
    solution = torchopt.minimize(
        weighted, network(), args, solver=solver, steps=4, diff=OneStep(hvp=hvp)
    )
    for key, p in params.items():
        torch.testing.assert_close(solution.params[key], p, rtol=1e-12, atol=0)
    found = torch.autograd.grad(list(solution.params.values()), args, cotangents(params))
    assert_near(found, expected, 1e-8)


@pytest.mark.parametrize("hvp", ["reverse", "finite_difference"])
@pytest.mark.parametrize("size", [1e-30, 1e-6, 1.0, 1e6])
def test_step_of_gradient_descent_on_a_quadratic_is_the_closed_form(size: float, hvp: Any) -> None:
    root, x, v = randn(4, 4), randn(4, seed=1), size * randn(4, seed=2)
    hessian = (root @ root.T).requires_grad_()
    target = randn(4, seed=3).requires_grad_()

    def bowl(x: torch.Tensor, hessian: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        return 0.5 * (x - target) @ hessian @ (x - target)

    found = attached(OneStep(0.3, hvp=hvp), bowl, x, (hessian, target))
    by_hessian, by_target = torch.autograd.grad(found, (hessian, target), v)
    assert_near([by_target], [0.3 * hessian.detach() @ v], 1e-9)
    outer = torch.outer(v, x - target.detach())
    assert_near([by_hessian], [-0.15 * (outer + outer.T)], 1e-9)


def test_values_are_those_of_the_parameters_bit_for_bit() -> None:
    params = {"a": torch.tensor([-0.0, 0.0, 1e-310, 1.0], dtype=DTYPE), "b": randn(3)}
    phi = randn(3).requires_grad_()

    def objective(p: Params, phi: torch.Tensor) -> torch.Tensor:
        return (p["a"].exp().sum() * phi * p["b"]).sum()

    for mode in (
        difference(),
        difference(0.1),
        OneStep(hvp="reverse"),
        OneStep(0.1, hvp="reverse"),
    ):
        found = attached(mode, objective, params, (phi,))
        for key, p in params.items():
            assert found[key].requires_grad
            assert torch.equal(found[key].detach().view(torch.int64), p.view(torch.int64))


@pytest.mark.parametrize(
    ("dtype", "tolerance"), [(torch.float64, 1e-8), (torch.float32, 1e-3), (torch.bfloat16, 0.1)]
)
def test_difference_is_as_good_as_the_precision_allows(dtype: Any, tolerance: float) -> None:
    args = upper_tensors()
    expected = hypergradient(OneStep(0.1, hvp="reverse"), weighted, network(), args)
    cast = tuple(t.detach().to(dtype).requires_grad_() for t in args)
    found = hypergradient(difference(0.1), weighted, network(dtype), cast)
    assert all(t.dtype == dtype for t in found)
    assert_near([t.to(DTYPE) for t in found], expected, tolerance)


def test_epsilon_is_the_rule_of_darts() -> None:
    phi = torch.tensor(1.0, dtype=DTYPE, requires_grad=True)
    x, v = randn(3), randn(3, seed=1)

    def objective(x: torch.Tensor, phi: torch.Tensor) -> torch.Tensor:
        return phi * x.pow(3).sum()

    def product(x: torch.Tensor) -> torch.Tensor:
        return x.pow(3).sum()

    step = 0.01 / torch.linalg.vector_norm(v)
    expected = -0.1 * (product(x + step * v) - product(x - step * v)) / (2 * step)
    found = attached(difference(0.1, epsilon=0.01), objective, x, (phi,))
    (found,) = torch.autograd.grad(found, phi, v)
    torch.testing.assert_close(found, expected, rtol=1e-12, atol=0)


class Detaching:
    """Objectives that autograd sees parts of as constants."""

    @staticmethod
    def loss_into_weights(p: Params, phi: torch.Tensor) -> torch.Tensor:
        each = losses(p)
        return ((phi * each.detach()).sigmoid() * each).mean()

    @staticmethod
    def data(p: Params, phi: torch.Tensor) -> torch.Tensor:
        return (losses(p).data * phi * p["a"].sum()).sum() + losses(p).mean()

    @staticmethod
    def no_grad(p: Params, phi: torch.Tensor) -> torch.Tensor:
        each = losses(p)
        with torch.no_grad():
            scaled = each / each.sum()
            scaled += each.max()
            weights = scaled[:9].clone()
            weights.clamp_(max=2.0).mul_(0.5)
        return (phi * weights * each).mean()

    @staticmethod
    def number(p: Params, phi: torch.Tensor) -> torch.Tensor:
        each = losses(p)
        return (phi * each).mean() / float(each.detach().sum()) + (
            each.mean() * phi.sum() * each.detach().max().item() * sum(each.tolist())
        )

    @staticmethod
    def array(p: Params, phi: torch.Tensor) -> torch.Tensor:
        each = losses(p)
        return (phi * torch.from_numpy(each.detach().numpy() ** 2) * each).mean()

    @staticmethod
    def written_to(p: Params, phi: torch.Tensor) -> torch.Tensor:
        each = losses(p)
        weights = each.detach().clone()
        weights += 1
        weights[2] = 0.5
        weights[3:] *= weights[0]
        before = (weights.exp() * phi * each).mean()
        weights.mul_(each.detach().mean())
        return before + (weights * phi.square() * each).mean()

    @staticmethod
    def filled(p: Params, phi: torch.Tensor) -> torch.Tensor:
        each = losses(p)
        out = each.detach() * 2
        out[1:] = phi[1:] * each[1:]
        return out.square().mean()

    @staticmethod
    def sharing(p: Params, phi: torch.Tensor) -> torch.Tensor:
        hidden = X @ p["a"]
        same = hidden.detach()
        hidden.mul_(2.0).add_(p["b"])  # seen through the detached alias, too
        return (phi[:, None] * same * hidden.sin()).mean()

    @staticmethod
    def proximal(p: Params, phi: torch.Tensor) -> torch.Tensor:
        return losses(p).mean() + phi.sum() * sum(
            ((q - 2 * q.detach()).cos()).sum() for q in p.values()
        )

    @staticmethod
    def mask(p: Params, phi: torch.Tensor) -> torch.Tensor:
        each = losses(p)
        kept = each[each > each.median()]
        index = each.argsort()[:4]
        return (phi[index] * each[index]).sum() + phi[0] * kept.sum().sin()

    @staticmethod
    def branch(p: Params, phi: torch.Tensor) -> torch.Tensor:
        each = losses(p)
        return (phi * each).sum() if each.sum() > 3 else (phi * each.sin()).mean()

    @staticmethod
    def inner_gradient(p: Params, phi: torch.Tensor) -> torch.Tensor:
        """One adversarial step on the inputs."""
        noise = torch.zeros_like(X).requires_grad_()
        for _ in range(2):
            hit = ((X + noise) @ p["a"]).tanh().square().sum()
            (slope,) = torch.autograd.grad(hit, noise)
            with torch.no_grad():
                noise += 0.3 * slope
        return (phi[:, None] * ((X + noise) @ p["a"]).tanh()).square().sum()

    @staticmethod
    def penalty(p: Params, phi: torch.Tensor) -> torch.Tensor:
        """A penalty on the gradient at points that are themselves functions of the parameters."""
        points = (X @ p["a"]).detach().requires_grad_()
        value = (points + p["b"]).sin() @ p["c"]
        (slope,) = torch.autograd.grad(value.sum(), points, create_graph=True)
        return (phi[:, None] * slope.square()).sum()

    @staticmethod
    def inner_optimizer(p: Params, phi: torch.Tensor) -> torch.Tensor:
        """The user's own steps from a copy, whose result is a constant."""
        copy = p["a"].detach().clone().requires_grad_()
        optimizer = torch.optim.Adam([copy], lr=0.1)
        for _ in range(2):
            optimizer.zero_grad()
            (X @ copy).cos().sum().backward()
            optimizer.step()
        return (phi[:, None] * (X @ (p["a"] * copy)).sin()).mean()

    @staticmethod
    def sampled(p: Params, phi: torch.Tensor) -> torch.Tensor:
        """The score function estimator: samples depend on the parameters, and have no derivative."""
        policy = torch.distributions.Normal(X @ p["a"], 1.0)
        actions = policy.sample()
        reward = torch.distributions.Categorical(logits=actions @ p["c"]).sample() + actions[:, 0]
        return (phi * reward * policy.log_prob(actions).sum(1)).mean()


OBJECTIVES = [name for name in vars(Detaching) if not name.startswith("__")]


@pytest.mark.parametrize("step_size", [0.1, None], ids=["descent", "adam"])
@pytest.mark.parametrize("name", OBJECTIVES)
def test_what_the_objective_detaches_is_constant_and_differences_are_refused(
    name: str, step_size: float | None
) -> None:
    objective, phi = getattr(Detaching, name), randn(9, seed=12).requires_grad_()
    solver = torchopt.adam(0.05)
    params, state = trained(solver, objective, network(), (phi,))
    torch.manual_seed(3)
    descent = torchopt.sgd(step_size or 1.0)
    one = (solver, state) if step_size is None else (descent, descent.init(params))
    expected = by_hand(*one, objective, params, (phi,))

    def found(mode: OneStep) -> tuple[torch.Tensor, ...]:
        torch.manual_seed(3)
        out = attached(mode, objective, params, (phi,), solver=solver, state=state)
        pairs = [
            (t, v) for t, v in zip(out.values(), cotangents(params), strict=True) if t.requires_grad
        ]
        outputs, vectors = zip(*pairs, strict=True)
        return torch.autograd.grad(outputs, phi, vectors)

    assert_near(found(OneStep(step_size)), expected, 1e-10)
    with pytest.raises(RuntimeError, match=r'reads it as a number.*use `hvp="reverse"`'):
        found(difference(step_size))


def counted(objective: Callable[..., Any]) -> tuple[Callable[..., Any], list[int]]:
    calls = [0]

    def function(*args: Any) -> Any:
        calls[0] += 1
        return objective(*args)

    return function, calls


@pytest.mark.parametrize("step_size", [0.1, None])
def test_evaluations_are_two_at_the_solution_and_four_near_it(step_size: float | None) -> None:
    function, calls = counted(lambda p, phi: (phi * losses(p)).mean())
    phi = randn(9, seed=1).requires_grad_()
    out = attached(difference(step_size), function, network(), (phi,))
    assert calls == [1]
    torch.autograd.grad(list(out.values()), phi, cotangents(network()))
    assert calls == [6]


class Noisy(nn.Module):
    """Dropout, a generator of its own, batch statistics."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.first, self.last = nn.Linear(3, 8), nn.Linear(8, 2)
        self.norm, self.drop = nn.BatchNorm1d(8), nn.Dropout(0.4)
        self.generator = torch.Generator().manual_seed(5)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        hidden = torch.tanh(self.norm(self.first(x)))
        noise = torch.randn(hidden.shape, generator=self.generator, dtype=x.dtype)
        return self.last(self.drop(hidden + 0.1 * noise))


def noisy_objective() -> tuple[Noisy, Callable[..., Any]]:
    net = Noisy().to(DTYPE)

    def objective(p: Params, phi: torch.Tensor) -> torch.Tensor:
        each = (functional_call(net, p, (X,)) - Y).square().sum(1)
        late = functional_call(net, p, (X.flip(0),)).square().sum(1)
        return (phi * (each + late)).mean()

    return net, objective


@pytest.mark.parametrize("step_size", [0.1, None])
def test_all_evaluations_see_the_same_noise_and_leave_buffers_and_generators(
    step_size: float | None,
) -> None:
    net, objective = noisy_objective()
    net(X)
    params = {k: p.detach().clone() for k, p in net.named_parameters()}
    before = {k: b.clone() for k, b in net.named_buffers()}
    phi = randn(9, seed=1).requires_grad_()
    states = torch.get_rng_state(), net.generator.get_state()

    solver = torchopt.adam(0.1)
    params, state = trained(solver, objective, params, (phi,))
    for generator, was in zip((torch.default_generator, net.generator), states, strict=True):
        generator.set_state(was)
    for key, buffer in net.named_buffers():
        buffer.copy_(before[key])

    def found(hvp: Any) -> list[torch.Tensor]:
        mode = OneStep(step_size, hvp=hvp)
        out = attached(mode, objective, params, (phi,), solver=solver, state=state)
        v = [randn(*p.shape, seed=2) for p in params.values()]
        torch.rand(())  # what is drawn in between
        (grad,) = torch.autograd.grad(list(out.values()), phi, v)
        torch.set_rng_state(states[0])
        return [grad]

    assert_near(found("finite_difference"), found("reverse"), 1e-7)
    assert torch.equal(net.generator.get_state(), states[1])
    attached(difference(0.1), objective, params, (phi,))
    assert torch.equal(torch.get_rng_state(), states[0])
    for key, buffer in net.named_buffers():
        assert torch.equal(buffer, before[key]), key


def test_nothing_is_changed_where_the_objective_raises() -> None:
    net, objective = noisy_objective()
    params = {k: p.detach().clone() for k, p in net.named_parameters()}
    before = [t.clone() for t in (*params.values(), *net.buffers())]
    calls = [0]

    def failing(p: Params, phi: torch.Tensor) -> torch.Tensor:
        calls[0] += 1
        loss = objective(p, phi)
        if calls[0] == 3:
            raise ArithmeticError("no more")
        return loss

    phi = randn(9).requires_grad_()
    out = attached(difference(0.1), failing, params, (phi,))
    states = torch.get_rng_state(), net.generator.get_state()
    with pytest.raises(ArithmeticError, match="no more"):
        sum(t.sum() for t in out.values()).backward()
    assert calls == [3]
    assert phi.grad is None
    assert torch.equal(torch.get_rng_state(), states[0])
    assert torch.equal(net.generator.get_state(), states[1])
    for was, now in zip(before, (*params.values(), *net.buffers()), strict=True):
        assert torch.equal(was, now)
    assert not torch.overrides._get_current_function_mode_stack()


def test_parameters_are_never_written_to() -> None:
    params, phi = network(), randn(9).requires_grad_()
    versions = [p._version for p in params.values()]
    hypergradient(difference(), lambda p, phi: (phi * losses(p)).mean(), params, (phi,))
    assert [p._version for p in params.values()] == versions


@pytest.mark.parametrize("step_size", [0.1, None])
def test_zero_cotangent_gives_zero(step_size: float | None) -> None:
    phi = randn(9).requires_grad_()
    out = attached(
        difference(step_size), lambda p, phi: (phi * losses(p)).mean(), network(), (phi,)
    )
    zeros = [torch.zeros_like(t) for t in out.values()]
    (found,) = torch.autograd.grad(list(out.values()), phi, zeros)
    assert torch.equal(found, torch.zeros_like(phi))


@pytest.mark.parametrize("hvp", ["reverse", "finite_difference"])
def test_frozen_and_unread_parameters_stay_where_they_are(hvp: Any) -> None:
    params = {"frozen": None, "unread": randn(3), **network()}
    phi, unread = randn(9).requires_grad_(), randn(2).requires_grad_()

    def objective(p: Any, phi: torch.Tensor, unread: torch.Tensor, word: str) -> torch.Tensor:
        assert p["frozen"] is None
        assert word == "word"
        return (phi * losses(p)).mean()

    solver, args = torchopt.adam(0.1), (phi, unread, "word")
    out = attached(OneStep(hvp=hvp), objective, params, args, solver=solver)
    assert out["frozen"] is None
    v = {"unread": 1e6 * randn(3), **dict(zip(network(), cotangents(network()), strict=True))}
    loss = sum((out[key] * c).sum() for key, c in v.items())
    found, none = torch.autograd.grad(loss, (phi, unread), materialize_grads=True)
    assert torch.equal(none, torch.zeros(2, dtype=DTYPE))
    bare = lambda p, phi: (phi * losses(p)).mean()  # noqa: E731
    expected = by_hand(solver, solver.init(network()), bare, network(), (phi,))
    assert_near([found], expected, 1e-8)


def test_only_what_needs_a_gradient_gets_one() -> None:
    logits, penalty = upper_tensors()
    mode, constant = difference(0.1), penalty.detach()
    (found,) = hypergradient(mode, weighted, network(), (logits, constant))
    assert_near([found], hypergradient(mode, weighted, network(), (logits, penalty))[:1], 1e-9)
    out = attached(mode, weighted, network(), (logits.detach(), constant))
    assert not any(t.requires_grad for t in out.values())
    with torch.no_grad():
        out = attached(mode, weighted, network(), (logits, penalty))
    assert not any(t.requires_grad for t in out.values())


@pytest.mark.parametrize("hvp", ["reverse", "finite_difference"])
def test_an_argument_may_be_a_function_of_another(hvp: Any) -> None:
    phi = randn(9).requires_grad_()

    def hyper(objective: Any, *args: torch.Tensor) -> torch.Tensor:
        out = attached(OneStep(0.1, hvp=hvp), objective, network(), args)
        return torch.autograd.grad(list(out.values()), phi, cotangents(network()))[0]

    two = hyper(lambda p, a, b: (a * b * losses(p)).mean(), phi, phi.exp())
    one = hyper(lambda p, a: (a * a.exp() * losses(p)).mean(), phi)
    assert_near([two], [one], 1e-7)


def test_dead_units_do_not_drown_the_difference_in_rounding() -> None:
    params = {k: p.float() for k, p in network().items()}
    params["b"][:3] = -6.0  # their gradient is zero, and Adam's step there has slope 1 / eps
    x, y = X.float(), Y.float()

    def objective(p: Params, phi: torch.Tensor) -> torch.Tensor:
        hidden = (x @ p["a"] + p["b"]).relu().square()
        return (phi * (hidden @ p["c"] - y).square().sum(1)).mean()

    phi = randn(9).float().requires_grad_()
    solver = torchopt.adam(0.05)
    params, state = trained(solver, objective, params, (phi,), steps=3)
    expected = by_hand(solver, state, objective, params, (phi,))
    found = hypergradient(difference(), objective, params, (phi,), solver=solver, state=state)
    assert_near(found, expected, 1e-2)


def test_autocast_is_that_of_the_call() -> None:
    seen = []

    def objective(p: Params, phi: torch.Tensor) -> torch.Tensor:
        hidden = X.float() @ p["a"]
        seen.append(hidden.dtype)
        return (phi * hidden.float().square().sum(1)).mean()

    params, phi = {"a": network()["a"].float()}, randn(9).float().requires_grad_()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        out = attached(difference(0.1), objective, params, (phi,))
    v = randn(3, 6, seed=3).float()
    (found,) = torch.autograd.grad(out["a"], phi, v)
    assert set(seen) == {torch.bfloat16}
    expected = -0.2 / 9 * ((X.float() @ params["a"]) * (X.float() @ v)).sum(1)
    assert_near([found], [expected], 0.05)


@pytest.mark.parametrize("name", ["sgd", "adam", "clipped"])
def test_reverse_is_differentiable_again_exactly(name: str) -> None:
    solver = SOLVERS[name]()
    params, state = trained(solver, weighted, network(), upper_tensors())
    mode = OneStep(hvp="reverse")

    def solve(*args: torch.Tensor) -> torch.Tensor:
        out = attached(mode, Detaching.loss_into_weights, params, args, solver=solver, state=state)
        return torch.cat([t.flatten() for t in out.values()])

    phi = randn(9, seed=1).requires_grad_()
    assert torch.autograd.gradgradcheck(solve, (phi,))


@pytest.mark.parametrize("step_size", [0.1, None])
def test_difference_is_differentiable_again(step_size: float | None) -> None:
    solver = torchopt.adam(0.05)
    phi, w = randn(9, seed=1).requires_grad_(), randn(9, seed=2)

    def objective(p: Params, phi: torch.Tensor) -> torch.Tensor:
        return (phi.exp() * losses(p)).sigmoid().mean()

    params, state = trained(solver, objective, network(), (phi,))
    v = [c.requires_grad_() for c in cotangents(params)]

    def second(hvp: Any) -> tuple[torch.Tensor, ...]:
        mode = OneStep(step_size, hvp=hvp)
        out = attached(mode, objective, params, (phi,), solver=solver, state=state)
        (first,) = torch.autograd.grad(list(out.values()), phi, v, create_graph=True)
        return torch.autograd.grad(first, (phi, *v), w)

    assert_near(second("finite_difference"), second("reverse"), 1e-5)


def test_derivative_by_a_zero_cotangent_is_the_mixed_derivative() -> None:
    phi, w = randn(9, seed=1).requires_grad_(), randn(9, seed=2)
    v = [torch.zeros_like(p).requires_grad_() for p in network().values()]

    def second(hvp: Any) -> tuple[torch.Tensor, ...]:
        out = attached(
            OneStep(0.1, hvp=hvp), lambda p, f: (f * losses(p)).mean(), network(), (phi,)
        )
        (first,) = torch.autograd.grad(list(out.values()), phi, v, create_graph=True)
        return torch.autograd.grad(first, v, w)

    assert_near(second("finite_difference"), second("reverse"), 1e-7)


@pytest.mark.parametrize("low", [difference(0.1), difference(), OneStep(0.1, hvp="reverse")])
@pytest.mark.parametrize("middle", [OneStep(0.2), OneStep()])
def test_a_level_between_two_others_is_differentiated_through_the_lower_one(
    middle: OneStep, low: OneStep
) -> None:
    theta, phi, top = randn(4, seed=1), randn(3, seed=2), randn(3, seed=3).requires_grad_()
    A, B = randn(5, 4, seed=4), randn(3, 5, seed=5)

    def lowest(x: torch.Tensor, phi: torch.Tensor, top: torch.Tensor) -> torch.Tensor:
        each = torch.tanh(A @ x) - phi @ B
        weights = each.square().sigmoid()
        return (weights * each.square()).sum() + top.exp().sum() * x.square().sum() * phi.sum()

    def objective(low: OneStep) -> Callable[..., torch.Tensor]:
        def between(phi: torch.Tensor, top: torch.Tensor) -> torch.Tensor:
            x = attached(low, lowest, theta, (phi, top), solver=torchopt.adam(0.1))
            return (torch.sin(A @ x).sum() + (phi * top).sum()).square()

        return between

    def total(middle: OneStep, low: OneStep) -> list[torch.Tensor]:
        out = attached(middle, objective(low), phi, (top,), solver=torchopt.adam(0.1))
        return list(torch.autograd.grad(out, top, randn(3, seed=6)))

    exact = total(OneStep(middle.step_size, hvp="reverse"), OneStep(low.step_size, hvp="reverse"))
    assert_near(total(middle, low), exact, 1e-6)


@pytest.mark.parametrize("low", [difference(0.1), difference()])
@pytest.mark.parametrize(
    "middle",
    [Implicit(), torchopt.diff.Explicit(), torchopt.diff.Explicit(memory="step")],
    ids=["implicit", "explicit", "rematerialized"],
)
def test_other_modes_go_through_a_level_that_is_differentiated_by_differences(
    middle: Any, low: OneStep
) -> None:
    theta, phi, top = randn(4, seed=1), randn(3, seed=2), randn(3, seed=3).requires_grad_()
    A = randn(3, 4, seed=4)

    def lowest(x: torch.Tensor, phi: torch.Tensor) -> torch.Tensor:
        each = torch.tanh(A @ x) - phi
        return (each.sigmoid() * each.square()).sum() + phi.exp().sum() * x.square().sum()

    def total(low: OneStep) -> torch.Tensor:
        def between(phi: torch.Tensor, top: torch.Tensor) -> torch.Tensor:
            x = attached(low, lowest, theta, (phi,), solver=torchopt.adam(0.1))
            return (A @ x).sin().sum() * (phi * top).sum() + 5 * phi.square().sum()

        out = attached(middle, between, phi, (top,), solver=torchopt.sgd(0.05), steps=2)
        return torch.autograd.grad(out, top, randn(3, seed=6))[0]

    assert_near([total(low)], [total(OneStep(low.step_size, hvp="reverse"))], 1e-6)


def test_exact_nesting_equals_unrolled_steps_from_constants() -> None:
    theta, phi, top = randn(4, seed=1), randn(3, seed=2), randn(3, seed=3).requires_grad_()
    A = randn(3, 4, seed=4)

    def lowest(x: torch.Tensor, phi: torch.Tensor) -> torch.Tensor:
        return (torch.tanh(A @ x) - phi).square().sum()

    def between(x: torch.Tensor, phi: torch.Tensor, top: torch.Tensor) -> torch.Tensor:
        return (A @ x).sin().sum() * (phi * top).sum()

    def modes(phi: torch.Tensor, top: torch.Tensor) -> torch.Tensor:
        return between(attached(OneStep(0.1), lowest, theta, (phi,)), phi, top)

    out = attached(OneStep(0.2), modes, phi, (top,))
    (found,) = torch.autograd.grad(out, top, randn(3, seed=6))

    # θ' - θ'(φ₀) + θ has the value of θ, and the derivative of a step from it.
    def best_response(phi: torch.Tensor) -> torch.Tensor:
        x = theta.clone().requires_grad_()
        (g,) = torch.autograd.grad(lowest(x, phi), x, create_graph=True)
        return theta - 0.1 * (g - g.detach())

    p = phi.clone().requires_grad_()
    (g,) = torch.autograd.grad(between(best_response(p), p, top), p, create_graph=True)
    (expected,) = torch.autograd.grad(-0.2 * g, top, randn(3, seed=6))
    assert_near([found], [expected], 1e-7)


def test_what_is_closed_over_is_reached() -> None:
    phi, free = randn(9).requires_grad_(), randn(9, seed=1).requires_grad_()

    def objective(p: Params, phi: torch.Tensor) -> torch.Tensor:
        return (free * phi * losses(p)).mean()

    out = attached(OneStep(0.1, hvp="reverse"), objective, network(), (phi,))
    found = torch.autograd.grad(list(out.values()), (phi, free), cotangents(network()))
    passed = hypergradient(
        difference(0.1), lambda p, a, b: (a * b * losses(p)).mean(), network(), (phi, free)
    )
    assert_near(passed, found, 1e-8)
    out = attached(difference(0.1), objective, network(), (phi,))
    closed = torch.autograd.grad(list(out.values()), (phi, free), cotangents(network()))
    assert_near(closed, found, 1e-8)


@pytest.mark.parametrize("hvp", ["reverse", "finite_difference"])
def test_hyperparameters_of_the_solver_are_reached(hvp: Any) -> None:
    lr, phi = torch.tensor(0.1, dtype=DTYPE, requires_grad=True), randn(9).requires_grad_()

    def objective(p: Params, phi: torch.Tensor) -> torch.Tensor:
        return (phi * losses(p)).mean()

    solver = torchopt.sgd(lr)
    out = attached(OneStep(hvp=hvp), objective, network(), (phi,), solver=solver)
    (found,) = torch.autograd.grad(list(out.values()), lr, cotangents(network()))
    theta = {k: p.requires_grad_() for k, p in network().items()}
    g = torch.autograd.grad(objective(theta, phi), list(theta.values()))
    expected = -sum((a * b).sum() for a, b in zip(g, cotangents(network()), strict=True))
    torch.testing.assert_close(found, expected)


def test_a_solution_that_does_not_move_is_refused_inside_a_difference() -> None:
    phi = randn(3).requires_grad_()

    def objective(x: torch.Tensor, phi: torch.Tensor) -> torch.Tensor:
        inner = attached(Implicit(), lambda y, x: (y - x).square().sum(), randn(3), (x,), steps=1)
        return (inner * phi).square().sum()

    out = attached(difference(0.1), objective, randn(3, seed=1), (phi,))
    with pytest.raises(RuntimeError, match=r'a solver inside.*use `hvp="reverse"`'):
        out.sum().backward()
    attached(OneStep(0.1, hvp="reverse"), objective, randn(3, seed=1), (phi,)).sum().backward()
    assert phi.grad is not None


@pytest.mark.parametrize("hvp", ["reverse", "finite_difference"])
def test_checkpointed_parts_are_computed_again_with_the_same_constants(hvp: Any) -> None:
    phi = randn(9).requires_grad_()

    def objective(p: Params, phi: torch.Tensor) -> torch.Tensor:
        hidden = checkpoint(lambda a, b: torch.tanh(X @ a + b), p["a"], p["b"], use_reentrant=False)
        each = (hidden @ p["c"] - Y).square().sum(1)
        return (phi * scale(each) * each).mean()

    # A difference is taken of what does not detach.
    scale = torch.Tensor.detach if hvp == "reverse" else torch.sin
    plain = hypergradient(
        OneStep(0.1, hvp="reverse"), lambda p, f: (f * scale(losses(p)) * losses(p)).mean(),
        network(), (phi,),
    )  # fmt: skip
    assert_near(hypergradient(OneStep(0.1, hvp=hvp), objective, network(), (phi,)), plain, 1e-7)


class Refused:
    """Objectives that finite differences cannot follow."""

    @staticmethod
    def write_to_alias(p: Params, phi: torch.Tensor) -> torch.Tensor:
        hidden = torch.tanh(X @ p["a"])
        hidden.data.clamp_(min=0.0)
        return (phi[:, None] * hidden).sum()

    @staticmethod
    def write_untracked(p: Params, phi: torch.Tensor) -> torch.Tensor:
        hidden = X @ p["a"]
        with torch.no_grad():
            hidden.clamp_(min=0.0)
        return (phi[:, None] * hidden).sum()

    @staticmethod
    def checkpointed(p: Params, phi: torch.Tensor) -> torch.Tensor:
        def part(a: torch.Tensor, phi: torch.Tensor) -> torch.Tensor:
            hidden = X @ a
            return hidden.detach().sin() * hidden * phi[:, None]

        return checkpoint(part, p["a"], phi, use_reentrant=False).sum()

    @staticmethod
    def transformed(p: Params, phi: torch.Tensor) -> torch.Tensor:
        each = torch.func.vmap(lambda x: (x @ p["a"]).detach().sin().sum() * (x @ p["a"]).sum())(X)
        return (phi * each).sum()


@pytest.mark.parametrize("name", [name for name in vars(Refused) if not name.startswith("__")])
def test_what_a_difference_cannot_follow_is_refused(name: str) -> None:
    phi = randn(9).requires_grad_()
    out = attached(difference(0.1), getattr(Refused, name), network(), (phi,))
    with pytest.raises(RuntimeError, match=r'use\s+`hvp="reverse"`'):
        torch.autograd.grad(out["a"], phi, cotangents(network())[0])


def test_batched_cotangents_are_refused() -> None:
    phi = randn(9).requires_grad_()
    out = attached(difference(0.1), lambda p, phi: (phi * losses(p)).mean(), network(), (phi,))
    with pytest.raises(RuntimeError, match="cannot be batched"):
        torch.autograd.grad(out["b"], phi, torch.eye(6, dtype=DTYPE), is_grads_batched=True)


def test_parameters_that_have_changed_since_are_an_error() -> None:
    params, phi = network(), randn(9).requires_grad_()
    out = attached(difference(0.1), lambda p, phi: (phi * losses(p)).mean(), params, (phi,))
    params["a"].add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        out["a"].sum().backward()


@pytest.mark.parametrize("hvp", ["reverse", "finite_difference"])
def test_objective_must_depend_on_the_parameters_and_not_be_nan(hvp: Any) -> None:
    phi = randn(9).requires_grad_()
    for objective, message in (
        (lambda p, phi: phi.sum(), "does not depend on the parameters"),
        (lambda p, phi: losses(p).sum() * phi.sum() * float("nan"), "is NaN"),
    ):
        with pytest.raises(ValueError, match=message):
            attached(OneStep(0.1, hvp=hvp), objective, network(), (phi,))


def test_batches_are_the_last_ones() -> None:
    data = randn(4, 9, seed=3).requires_grad_()
    phi = randn(9).requires_grad_()

    def objective(p: Params, phi: torch.Tensor, batch: torch.Tensor) -> torch.Tensor:
        return (phi * batch * losses(p)).mean()

    found = []
    for hvp in ("finite_difference", "reverse"):
        solution = torchopt.minimize(
            objective, network(), (phi,), solver=torchopt.sgd(0.1), steps=4, batches=data,
            diff=OneStep(hvp=hvp),
        )  # fmt: skip
        v = cotangents(network())
        found.append(torch.autograd.grad(list(solution.params.values()), (phi, data), v))
        assert torch.equal(found[-1][1][:3], torch.zeros(3, 9, dtype=DTYPE))
    assert_near(*found, 1e-7)


@pytest.mark.parametrize("hvp", ["reverse", "finite_difference"])
def test_auxiliary_output_is_that_at_the_solution(hvp: Any) -> None:
    phi = randn(9).requires_grad_()

    def objective(p: Params, phi: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        each = losses(p)
        return (phi * each).mean(), each

    problem = InnerProblem(
        Minimum(objective, has_aux=True), network(), (phi,), torchopt.sgd(0.1), steps=0
    )
    solution = OneStep(hvp=hvp).solve(problem)
    torch.testing.assert_close(solution.aux, losses(network()))
    assert not solution.aux.requires_grad


def test_transforms_take_the_exact_derivative() -> None:
    phi = randn(9)

    def solve(phi: torch.Tensor, mode: OneStep) -> torch.Tensor:
        objective = lambda p, phi: (phi.sigmoid() * losses(p)).mean()  # noqa: E731
        return attached(mode, objective, network(), (phi,), solver=torchopt.adam(0.1))["a"]

    (expected,) = torch.autograd.functional.jacobian(
        lambda phi: solve(phi, OneStep(hvp="reverse")), (phi,)
    )
    found = torch.func.jacrev(lambda phi: solve(phi, OneStep(hvp="reverse")))(phi)
    torch.testing.assert_close(found, expected)
    found = torch.func.jacrev(lambda phi: solve(phi, difference()))(phi)
    torch.testing.assert_close(found, expected)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"hvp": "forward"}, "`hvp` is 'forward'"),
        ({"step_size": 0.0}, "`step_size` is 0.0"),
        ({"step_size": -1.0}, "`step_size` is -1.0"),
        ({"epsilon": float("nan")}, "`epsilon` is nan"),
    ],
)
def test_options_are_checked(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        OneStep(**options)


def test_problems_that_have_no_such_step_are_refused() -> None:
    phi = randn(3).requires_grad_()
    with pytest.raises(TypeError, match="a step of descent, but this is a fixed_point"):
        difference().solve(InnerProblem(FixedPoint(lambda x, a: a), phi, (phi,), torchopt.sgd(1.0)))
    loss = Minimum(lambda x, a: (x * a).sum())
    with pytest.raises(TypeError, match="without an update"):
        difference().solve(InnerProblem(loss, phi, (phi,), lambda x, a: x))
    with pytest.raises(ValueError, match="`batches` is a function"):
        difference().solve(InnerProblem(loss, phi, (), torchopt.sgd(1.0), 1, batches=lambda k: phi))
    still = torchopt.base.GradientTransformation(
        lambda params: None, lambda g, s, *, params=None, inplace=True: (torch.zeros(3), s)
    )
    # A step that does not depend on the gradient has no derivative.
    assert not OneStep().solve(InnerProblem(loss, phi, (phi,), still)).params.requires_grad


class Times(torch.autograd.Function):
    """A product that no function mode sees."""

    @staticmethod
    def forward(ctx: Any, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(a, b)
        return a * b

    @staticmethod
    def backward(ctx: Any, g: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        a, b = ctx.saved_tensors
        return g * b, g * a


@pytest.mark.parametrize("detached", [False, True])
def test_a_function_of_the_user_is_followed_unless_it_meets_a_constant(detached: bool) -> None:
    def objective(p: Params, phi: torch.Tensor) -> torch.Tensor:
        each = (X @ p["a"]).square().reshape(len(X), -1).sum(1)
        seen = each.detach() if detached else each
        return (Times.apply(phi, seen).sigmoid() * each).sum()

    v = cotangents(network())[0]
    phi = randn(len(X)).requires_grad_()
    found = attached(difference(0.1), objective, network(), (phi,))["a"]
    if detached:
        with pytest.raises((RuntimeError, ValueError), match=r'use `hvp="reverse"`'):
            torch.autograd.grad(found, phi, v)
        return
    exact = attached(OneStep(0.1), objective, network(), (phi,))["a"]
    (found,), (truth,) = (torch.autograd.grad(y, phi, v) for y in (found, exact))
    torch.testing.assert_close(found, truth, rtol=1e-5, atol=1e-8)


@pytest.mark.parametrize("step_size", [0.1, None])
def test_variables_that_are_closed_over_are_reached_without_any_that_is_passed(
    step_size: float | None,
) -> None:
    scale, phi = randn(9, seed=4).requires_grad_(), randn(9, seed=5)

    def passed_nothing(p: Params) -> torch.Tensor:
        return (scale * losses(p)).mean()

    def passed_constants(p: Params, phi: torch.Tensor) -> torch.Tensor:
        inner = torch.ones(9, dtype=DTYPE, requires_grad=True)
        (slope,) = torch.autograd.grad((inner**2 * phi).sum(), inner, create_graph=True)
        return ((scale * phi).sigmoid() * losses(p)).mean() + slope.sum() * p["a"].sum()

    for objective, args in ((passed_nothing, ()), (passed_constants, (phi,))):
        out = attached(difference(step_size), objective, network(), args)["a"]
        exact = attached(OneStep(step_size), objective, network(), args)["a"]
        pairs = [torch.autograd.grad(t, scale, cotangents(network())[0]) for t in (out, exact)]
        assert_near(*pairs, 1e-7)
    still = attached(
        difference(step_size), lambda p, phi: (phi * losses(p)).mean(), network(), (phi,)
    )
    assert not still["a"].requires_grad


@pytest.mark.parametrize("step_size", [0.5, None])
def test_detached_values_move_where_that_is_asked_for(step_size: float | None) -> None:
    """``f = φ sg(x) x²``: autograd's mixed derivative is 2 x², that of moving values 3 x²."""
    evaluations: list[torch.Tensor] = []

    def objective(x: torch.Tensor, phi: torch.Tensor) -> torch.Tensor:
        evaluations.append(x)
        return phi * x.detach() * x.square()

    for mode, number in ((OneStep(step_size), -4.0), (moving(step_size), -6.0)):
        phi = torch.tensor(1.0, dtype=DTYPE, requires_grad=True)
        start = torch.tensor(2.0, dtype=DTYPE)
        x = attached(mode, objective, start, (phi,), solver=torchopt.sgd(0.5))
        evaluations.clear()
        (g,) = torch.autograd.grad(x, phi)
        torch.testing.assert_close(g, torch.tensor(number, dtype=DTYPE))
    assert len(evaluations) == 5
    with pytest.raises(ValueError, match="`detached`"):
        OneStep(detached="other")  # type: ignore[arg-type]

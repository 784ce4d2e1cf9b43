"""The bilevel problems that all contenders of `benchmarks.implicit` differentiate, and their truth.

A contender is given the solution of the inner problem, so that what is timed is the hypergradient. It
needs torch alone, so that every environment can import it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

Params: TypeAlias = tuple[Tensor, ...]
Step: TypeAlias = Callable[[], tuple[Tensor, ...]]

CLASSES = 10


class Data(NamedTuple):
    """Examples to train on, and to validate with."""

    x: Tensor
    y: Tensor
    held_x: Tensor
    held_y: Tensor


@dataclass(frozen=True)
class Problem:
    """An inner and an outer objective, and the solution of the inner one.

    Attributes:
        loss: The loss of parameters on examples.
        penalty: The penalty of parameters, given the logarithms of its weights.
        data: The examples.
        start: Where an inner optimizer starts.
        solution: The minimizer of :meth:`inner`, computed in float64.
        hyper: The logarithms of the penalty's weights.
        step: The inverse of the largest eigenvalue of the Hessian at the solution.
        rtol: The relative tolerance of the linear solve.
        maxiter: The most iterations of it.
    """

    loss: Callable[[Params, Tensor, Tensor], Tensor]
    penalty: Callable[[Params, Tensor], Tensor]
    data: Data
    start: Params
    solution: Params
    hyper: Tensor
    step: float
    rtol: float
    maxiter: int

    def inner(self, params: Params, hyper: Tensor) -> Tensor:
        """Return what the parameters minimize."""
        return self.loss(params, self.data.x, self.data.y) + self.penalty(params, hyper)

    def outer(self, params: Params) -> Tensor:
        """Return what is differentiated with respect to the penalty's weights."""
        return self.loss(params, self.data.held_x, self.data.held_y)


def problem(case: dict[str, Any]) -> Problem:
    """Return the problem of a case.

    With ``iterations`` in the case, a linear solve does so many, however far it gets; ``cache`` is a
    folder in which processes share solutions.
    """
    loss, penalty = FUNCTIONS[case["problem"]]
    key = case["problem"], case["examples"], case["features"], case.get("hidden", 0)
    data, start, solution, hyper, step = _solved(*key, case.get("cache"))
    place = {"dtype": getattr(torch, case["dtype"]), "device": case["device"]}

    def put(tensors: tuple[Tensor, ...]) -> Any:
        return tuple(
            t.to(**place) if t.is_floating_point() else t.to(place["device"]) for t in tensors
        )

    iterations = case.get("iterations")
    rtol = 1e-11 if case["dtype"] == "float64" else 1e-5
    return Problem(
        loss=loss,
        penalty=penalty,
        data=Data(*put(data)),
        start=put(start),
        solution=put(solution),
        hyper=hyper.to(**place).requires_grad_(),
        step=step,
        rtol=rtol if iterations is None else 0.0,
        maxiter=10_000 if iterations is None else iterations,
    )


def exact(case: dict[str, Any]) -> Step:
    """Return the truth: ridge regression's closed form; else the Hessian itself, factorized."""
    given = problem(case)
    return functools.partial(_closed_form if case["problem"] == "ridge" else _factorized, given)


def gradient(given: Problem, params: Params, hyper: Tensor, *, graph: bool) -> Params:
    """Return the gradient of the inner objective."""
    return torch.autograd.grad(given.inner(params, hyper), params, create_graph=graph)


def _closed_form(given: Problem) -> tuple[Tensor, ...]:
    solution = (_normal_equations(given.data, given.hyper),)
    return torch.autograd.grad(given.outer(solution), given.hyper)


def _normal_equations(data: Data, hyper: Tensor) -> Tensor:
    x, y, *_ = data
    return torch.linalg.solve(x.T @ x / len(x) + hyper.exp().diag(), x.T @ y / len(x))


def _factorized(given: Problem) -> tuple[Tensor, ...]:
    params = tuple(p.clone().requires_grad_() for p in given.solution)
    found = _flat(gradient(given, params, given.hyper, graph=True))
    cotangent = _flat(torch.autograd.grad(given.outer(params), params))
    rows = [_flat(torch.autograd.grad(g, params, retain_graph=True)) for g in found]
    u = torch.cholesky_solve(cotangent[:, None], torch.linalg.cholesky(torch.stack(rows)))
    return torch.autograd.grad(found, given.hyper, -u[:, 0])


def _flat(tensors: Params) -> Tensor:
    return torch.cat([t.reshape(-1) for t in tensors])


@functools.cache
def _solved(
    name: str, examples: int, features: int, hidden: int, cache: str | None
) -> tuple[Data, Params, Params, Tensor, float]:
    generator = torch.Generator().manual_seed(0)
    draw = functools.partial(torch.randn, generator=generator, dtype=torch.float64)
    shapes = _shapes(name, features, hidden)
    scale = torch.logspace(0, -0.5, features, dtype=torch.float64)
    teacher = draw(*shapes[0][:1], *([] if name == "ridge" else [CLASSES]))

    def examples_of() -> tuple[Tensor, Tensor]:
        x = draw(examples, features) * scale
        scores = x @ teacher
        noisy = scores + 0.5 * draw(*scores.shape)
        return x, noisy if name == "ridge" else noisy.argmax(1)

    data = Data(*examples_of(), *examples_of())
    start = tuple(draw(*shape) / max(shape[0], 1) ** 0.5 for shape in shapes)
    count = len(shapes) if name == "mlp" else features
    hyper = torch.linspace(-6, -4, count, dtype=torch.float64)
    loss, penalty = FUNCTIONS[name]

    def inner(params: Params) -> Tensor:
        return loss(params, data.x, data.y) + penalty(params, hyper)

    if name == "ridge":
        solution: Params = (_normal_equations(data, hyper),)
    else:
        solution = _shared(
            cache, f"{name}-{examples}-{features}-{hidden}", lambda: _minimize(inner, start)
        )
    return data, start, solution, hyper, 1 / _largest_eigenvalue(inner, solution)


def _shared(cache: str | None, name: str, make: Callable[[], Params]) -> Params:
    if cache is None:
        return make()
    path = Path(cache, f"{name}.pt")
    if not path.exists():
        torch.save(make(), path)
    found: Params = torch.load(path)
    return found


def _shapes(name: str, features: int, hidden: int) -> list[tuple[int, ...]]:
    if name == "ridge":
        return [(features,)]
    if name == "logistic":
        return [(features, CLASSES)]
    return [(features, hidden), (hidden,), (hidden, CLASSES), (CLASSES,)]


def _minimize(inner: Callable[[Params], Tensor], start: Params) -> Params:
    params = tuple(p.clone().requires_grad_() for p in start)
    optimizer = torch.optim.LBFGS(
        params,
        max_iter=20_000,
        max_eval=30_000,
        tolerance_grad=1e-9,
        tolerance_change=0.0,
        history_size=50,
        line_search_fn="strong_wolfe",
    )

    def closure() -> Tensor:
        value = inner(params)
        for p, g in zip(params, torch.autograd.grad(value, params), strict=True):
            p.grad = g
        return value

    optimizer.step(closure)
    closure()
    norm = _flat(tuple(p.grad for p in params if p.grad is not None)).norm()
    if not norm <= 1e-6:
        raise RuntimeError(f"the inner problem is not solved: the gradient's norm is {norm:.1e}")
    return tuple(p.detach() for p in params)


def _largest_eigenvalue(inner: Callable[[Params], Tensor], at: Params) -> float:
    params = tuple(p.clone().requires_grad_() for p in at)
    found = torch.autograd.grad(inner(params), params, create_graph=True)
    v: Params = tuple(torch.ones_like(p) for p in params)
    norm = _flat(v).norm()
    for _ in range(200):
        v = torch.autograd.grad(found, params, [x / norm for x in v], retain_graph=True)
        norm = _flat(v).norm()
    return float(1.05 * norm)  # the power method comes from below


def _squared_error(params: Params, x: Tensor, y: Tensor) -> Tensor:
    return (x @ params[0] - y).square().mean() / 2


def _linear(params: Params, x: Tensor, y: Tensor) -> Tensor:
    return cross_entropy(x @ params[0], y)


def _perceptron(params: Params, x: Tensor, y: Tensor) -> Tensor:
    into, into_bias, out, out_bias = params
    return cross_entropy((x @ into + into_bias).tanh() @ out + out_bias, y)


def _by_feature(params: Params, hyper: Tensor) -> Tensor:
    [weight] = params
    squares = weight.square() if weight.dim() == 1 else weight.square().sum(1)
    return (hyper.exp() * squares).sum() / 2


def _by_tensor(params: Params, hyper: Tensor) -> Tensor:
    return (hyper.exp() * torch.stack([p.square().sum() for p in params])).sum() / 2


FUNCTIONS = {
    "ridge": (_squared_error, _by_feature),
    "logistic": (_linear, _by_feature),
    "mlp": (_perceptron, _by_tensor),
}

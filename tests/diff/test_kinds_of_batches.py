"""Each kind of batches gives the same numbers, in every mode; what is ambiguous is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch.utils.data import DataLoader, TensorDataset

import _public
import torchopt
from torchopt.diff import Explicit, Implicit, OneStep, ZeroOrder
from torchopt.diff.zero_order import Coordinate

_STEPS = 5
_X = torch.randn(_STEPS, 3, 2, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
_Y = torch.randn(_STEPS, 3, dtype=torch.float64, generator=torch.Generator().manual_seed(1))


class _Twice:
    """What can be iterated again; it counts how often it was."""

    def __init__(self, batches: list[Any]) -> None:
        self.batches, self.opened = batches, 0

    def __iter__(self) -> Any:
        self.opened += 1
        yield from self.batches


_KINDS: dict[str, Callable[[], Any]] = {
    "function": lambda: lambda step: (_X[step], _Y[step]),
    "tuple of stacked tensors": lambda: (_X, _Y),
    "list of batches": lambda: list(zip(_X, _Y, strict=True)),
    "object": lambda: _Twice(list(zip(_X, _Y, strict=True))),
    "DataLoader": lambda: DataLoader(
        TensorDataset(_X.flatten(0, 1), _Y.flatten(0, 1)), batch_size=3
    ),
}


def _loss(w: torch.Tensor, phi: torch.Tensor, batch: Any) -> torch.Tensor:
    x, y = batch
    return (x @ w - y).square().mean() + phi * w.square().sum()


def _solve(batches: Any, diff: Any, steps: int = _STEPS, **options: Any) -> list[torch.Tensor]:
    start = torch.ones(2, dtype=torch.float64)
    phi = torch.tensor(0.3, dtype=torch.float64, requires_grad=True)
    solution = torchopt.minimize(
        options.pop("loss", _loss),
        start,
        (phi,),
        solver=torchopt.sgd(0.1),
        steps=steps,
        batches=batches,
        diff=diff,
        **options,
    )
    return [solution.params.detach(), *torch.autograd.grad(solution.params.sum(), phi)]


@pytest.mark.parametrize("kind", _KINDS)
@pytest.mark.parametrize("memory", ["graph", "step", "tree"])
def test_each_kind_gives_the_numbers_of_a_loop_written_by_hand(kind: str, memory: str) -> None:
    w = torch.ones(2, dtype=torch.float64)
    phi = torch.tensor(0.3, dtype=torch.float64, requires_grad=True)
    for x, y in zip(_X, _Y, strict=True):
        residual = x @ w - y
        w = w - 0.1 * (2 * x.T @ residual / 3 + 2 * phi * w)
    (expected,) = torch.autograd.grad(w.sum(), phi)
    params, gradient = _solve(_KINDS[kind](), Explicit(memory=memory))
    torch.testing.assert_close(params, w.detach())
    torch.testing.assert_close(gradient, expected)


@pytest.mark.parametrize("memory", ["step", "tree"])
def test_an_objective_may_take_its_batch_apart(memory: str) -> None:
    def apart(w: torch.Tensor, phi: torch.Tensor, batch: dict[str, torch.Tensor]) -> torch.Tensor:
        return _loss(w, phi, (batch.pop("x"), batch.pop("y")))

    batches = [{"x": x, "y": y} for x, y in zip(_X, _Y, strict=True)]
    numbers = _solve(batches, Explicit(memory=memory), loss=apart)
    torch.testing.assert_close(numbers, _solve(_KINDS["function"](), Explicit()))


@pytest.mark.filterwarnings("ignore::torchopt.errors.NotConvergedWarning")
@pytest.mark.parametrize(
    "mode", [Implicit(), OneStep(hvp="reverse"), ZeroOrder(Coordinate(sigma=1e-4))]
)
def test_modes_that_read_batches_again_take_what_is_iterated(mode: Any) -> None:
    expected = _solve((_X, _Y), mode)
    for kind in ("list of batches", "object", "DataLoader"):
        for a, b in zip(_solve(_KINDS[kind](), mode), expected, strict=True):
            torch.testing.assert_close(a, b)


@pytest.mark.parametrize("memory", _public.POLICIES)
def test_a_shuffled_loader_gives_a_step_that_is_computed_again_the_same_batch(memory: Any) -> None:
    data = TensorDataset(_X.flatten(0, 1), _Y.flatten(0, 1))

    def noisy(w: torch.Tensor, phi: torch.Tensor, batch: Any) -> torch.Tensor:
        return _loss(torch.nn.functional.dropout(w, 0.5), phi, batch)

    def found(memory: Any) -> list[torch.Tensor]:
        torch.manual_seed(3)
        loader = DataLoader(data, batch_size=4, shuffle=True)  # 4 batches, the last of 3
        return _solve(loader, Explicit(memory=memory), steps=10, loss=noisy)

    for a, b in zip(found(memory), found("graph"), strict=True):
        torch.testing.assert_close(a, b)


@pytest.mark.parametrize("inside", [False, True])
@pytest.mark.parametrize(
    "mode",
    [
        *_public.POLICIES.values(),
        Explicit("step", hvp="forward"),
        Explicit("tree", carries=2, offload="disk"),
    ],
    ids=str,
)
def test_a_function_draws_from_the_generator_of_dropout(mode: Explicit, inside: bool) -> None:
    start = torch.ones(2, dtype=torch.float64)

    def draw(step: int) -> tuple[torch.Tensor, torch.Tensor]:
        if step == 3:  # not each batch draws
            return _X[0], _Y[0]
        index = torch.randint(_STEPS, ())
        return _X[index], _Y[index]

    def noisy(w: torch.Tensor, phi: torch.Tensor, batch: Any) -> torch.Tensor:
        return _loss(torch.nn.functional.dropout(w, 0.5), phi, batch)

    def by_hand(phi: torch.Tensor) -> torch.Tensor:
        w = start.clone().requires_grad_()
        for step in range(7):
            (g,) = torch.autograd.grad(noisy(w, phi, draw(step)), w, create_graph=True)
            w = w - 0.1 * g
        return w.pow(2).sum()

    def by_minimize(phi: torch.Tensor) -> torch.Tensor:
        solution = torchopt.minimize(
            noisy, start, (phi,), solver=torchopt.sgd(0.1), steps=7, batches=draw, diff=mode
        )
        return solution.params.pow(2).sum()

    phi = torch.tensor(0.3, dtype=torch.float64, requires_grad=True)
    torch.manual_seed(3)
    (expected,) = torch.autograd.grad(by_hand(phi), phi)
    drawn = torch.rand(3)
    torch.manual_seed(3)
    if inside:
        found = torch.func.grad(by_minimize)(phi.detach())
    else:
        (found,) = torch.autograd.grad(by_minimize(phi), phi)
    assert torch.rand(3).equal(drawn)
    torch.testing.assert_close(found, expected)


def test_a_list_and_a_loader_start_over_and_a_loader_is_opened_as_often_as_needed() -> None:
    batches = list(zip(_X[:2], _Y[:2], strict=True))
    loader = _Twice(batches)
    expected = _solve(lambda step: batches[step % 2], Explicit())
    for given in (batches, loader):
        for a, b in zip(_solve(given, Explicit()), expected, strict=True):
            assert torch.equal(a, b)
    assert loader.opened == 3


def test_batches_of_different_sizes_are_a_list() -> None:
    batches = [(_X[0], _Y[0]), (_X[1, :2], _Y[1, :2]), (_X[2, :1], _Y[2, :1])]
    for mode in (Explicit(), Explicit(memory="step")):
        params, _ = _solve(batches, mode, steps=3)
        expected, _ = _solve(lambda step: batches[step], mode, steps=3)
        assert torch.equal(params, expected)


def test_two_stacked_tensors_for_two_steps_are_a_tuple_and_two_batches_of_two_rows_a_list() -> None:
    stacked, steps = (_X[:2], _Y[:2]), list(zip(_X[:2], _Y[:2], strict=True))
    found, expected = (_solve(b, Explicit(), 2)[0] for b in (stacked, steps))
    assert torch.equal(found, expected)


def test_a_plan_and_micro_batches_take_a_loader() -> None:
    phi = torch.tensor(0.3, dtype=torch.float64)
    plan = torchopt.plan(
        lambda w, batch: _loss(w, phi, batch),
        torch.ones(2, dtype=torch.float64),
        solver=torchopt.sgd(0.1),
        steps=4,
        batches=_KINDS["DataLoader"](),
    )
    assert plan.steps == 4
    for a, b in zip(
        _solve(_KINDS["DataLoader"](), Explicit(memory="step"), micro_batches=3),
        _solve((_X, _Y), Explicit()),
        strict=True,
    ):
        torch.testing.assert_close(a, b)


@pytest.mark.parametrize(
    ("batches", "error", "message"),
    [
        (iter([_X]), TypeError, "`batches` is an iterator .* which cannot be iterated again"),
        ((b for b in _X), TypeError, "is an iterator"),
        ("abc", TypeError, "`batches` is an object of type str: pass a function of the step"),
        (7, TypeError, "an object of type int: pass a function of the step"),
        ([], ValueError, "`batches` is an empty list"),
        (_Twice([]), ValueError, "`batches`, a _Twice, yields no batch"),
        ([_X, _Y], ValueError, "is a list, so one of 2 batches, but its tensors look stacked"),
        (tuple(zip(_X, _Y, strict=True)), ValueError, r"`batches\[0\]\[0\]` is a tensor of shape"),
        ((_X, _Y[:4]), ValueError, r"`batches\[1\]` is a tensor .* must count the 5 steps"),
    ],
)
def test_what_is_ambiguous_or_of_no_kind_is_refused(
    batches: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        _solve(batches, Explicit())

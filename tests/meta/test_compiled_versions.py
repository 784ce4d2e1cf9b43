"""How often functions are compiled: numbers that vary, limits, and whose they are.

Tests stop after tracing, as those of compiled steps.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest
import torch

from _traced import collect_graphs
from torchopt import meta_grad_and_value
from torchopt.compiled import call as compiled_call
from torchopt.errors import NotCompiledWarning

F64 = torch.float64
pytestmark = pytest.mark.compiled


@pytest.fixture
def graphs(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Any]]:
    """Collect the graphs that are compiled."""
    made = collect_graphs(monkeypatch)
    with torch._dynamo.config.patch(recompile_limit=2):
        yield made


def points(n: int = 3, dtype: torch.dtype = F64) -> torch.Tensor:
    return torch.linspace(-1, 2, n, dtype=dtype)


def solved(x: torch.Tensor, lr: Any, weight: Any = 1.0) -> torch.Tensor:
    """Two steps on ``weight / 2 * sum(y ** 2)``; a solver would take seconds to trace."""
    for _ in range(2):
        x = x - lr * (weight * x)
    return x


def check(found: Any, x: torch.Tensor, lr: float, weight: float = 1.0) -> None:
    """Against the closed form: the parameters shrink by ``1 - lr * weight`` at each step."""
    factor = (1 - lr * weight) ** 2
    torch.testing.assert_close(found[0], 2 * factor**2 * x)
    torch.testing.assert_close(found[1], (factor * x).square().sum())


def by_argument(lr: Any) -> Callable[[torch.Tensor], Any]:
    return lambda x: ARGUMENT(x, {"rates": [lr, None]})


ARGUMENT = meta_grad_and_value(
    lambda x, options: solved(x, options["rates"][0]).square().sum(), compile=True
)


def warnings_of(function: Callable[[Any], Any], each: Iterable[float]) -> list[Any]:
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        for k in each:
            function(k)
    # On Python 3.13.0 Dynamo warns that its guards are slow.
    return [warning for warning in told if "Guards may run slower" not in str(warning.message)]


def by_closure(lr: Any) -> Callable[[torch.Tensor], Any]:
    return meta_grad_and_value(lambda x: solved(x, lr).square().sum(), compile=True)


@pytest.mark.parametrize("given", [by_argument, by_closure])
def test_a_number_that_varies_needs_one_version_as_a_tensor(given: Any, graphs: list[Any]) -> None:
    x = points()
    for k in range(5):  # warnings are errors here
        lr = torch.tensor(0.03 * (k + 1), dtype=F64)
        check(given(lr)(x), x, lr.item())
    assert len(graphs) == 1


def test_each_value_of_a_float_needs_a_version_until_the_limit(graphs: list[Any]) -> None:
    x = points()
    told = warnings_of(
        lambda k: check(by_closure(0.03 * k)(x), x, 0.03 * k), [1, 2, 1, 3, 2, 4, 1, 0, -0.0]
    )
    assert len(graphs) == 2
    (warning,) = told
    assert "runs eagerly, because it has been compiled for as many" in str(warning.message)
    assert "pass a tensor in place of what varies" in str(warning.message)
    assert warning.filename == __file__


def test_what_exceeds_the_limit_runs_eagerly_and_the_rest_stays_compiled(graphs: list[Any]) -> None:
    compiled = meta_grad_and_value(lambda x: solved(x, 0.1).square().sum(), compile=True)
    told = warnings_of(lambda n: check(compiled(points(n)), points(n), 0.1), range(2, 6))
    assert [warning.category for warning in told] == [NotCompiledWarning]
    assert len(graphs) == 2
    with torch.compiler.set_stance("fail_on_recompile"):
        for n in range(2, 4):
            check(compiled(points(n)), points(n), 0.1)


def decorated(function: Callable[..., Any]) -> Callable[..., Any]:
    def run(x: torch.Tensor) -> Any:
        return function(x).square().sum()

    return run


class Decorated:
    """A callable without a hash, which equals all others."""

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function

    def __eq__(self, other: object) -> bool:
        return True

    def __call__(self, x: torch.Tensor) -> Any:
        return self.function(x).square().sum()

    def method(self, x: torch.Tensor) -> Any:
        return self(x)


# Closures are in the tests below.
def test_functions_behind_one_decorator_share_neither_verdict_nor_limit(graphs: list[Any]) -> None:
    def reads_values(x: torch.Tensor) -> torch.Tensor:
        return solved(x, 0.1 if float(x.detach().sum()) > 0 else 0.2)

    bad = meta_grad_and_value(Decorated(reads_values).method, compile=True)
    with pytest.warns(NotCompiledWarning, match="data-dependent"):
        check(bad(points()), points(), 0.1)
    good = [
        meta_grad_and_value(Decorated(functools.partial(solved, lr=0.1 * k)).method, compile=True)
        for k in (1, 2)
    ]
    for n in range(2, 4):  # warnings are errors here
        check(good[0](points(n)), points(n), 0.1)
        check(good[1](points(n)), points(n), 0.2)
    assert len(graphs) == 4


def test_a_function_that_has_died_leaves_its_verdict_to_those_made_like_it_only(
    graphs: list[Any],
) -> None:
    def reads_values(x: torch.Tensor) -> torch.Tensor:
        return solved(x, 0.1 if float(x.detach().sum()) > 0 else 0.2)

    x = points()
    told = warnings_of(
        lambda _: check(meta_grad_and_value(decorated(reads_values), compile=True)(x), x, 0.1),
        range(4),
    )
    assert 1 <= len(told) <= 2  # the compiler may keep the first one alive for a while
    for _ in range(3):
        check(meta_grad_and_value(decorated(lambda x: solved(x, 0.1)), compile=True)(x), x, 0.1)
    assert len(graphs) == 1


def test_nothing_is_kept_of_functions_that_have_died(graphs: list[Any]) -> None:
    kept = compiled_call._ENTRIES
    before = len(kept._living)
    functions = [decorated(lambda x: solved(x, 0.1)) for _ in range(2)]
    for function in functions:
        meta_grad_and_value(function, compile=True)(points())
    assert len(kept._living) == before + 2
    functions.clear()
    del function
    assert len(kept._living) <= before


def test_beyond_the_limit_nothing_is_traced_again(
    graphs: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    compiled = meta_grad_and_value(lambda x: solved(x, 0.1).square().sum(), compile=True)
    for n in (3, 4):
        check(compiled(points(n)), points(n), 0.1)
    with pytest.warns(NotCompiledWarning, match="recompile_limit"):
        check(compiled(points(5)), points(5), 0.1)
    versions = len(graphs)
    # An attempt to compile would raise, and ask whether that is why.
    asked = property(lambda _: pytest.fail("it is traced again"))
    monkeypatch.setattr(compiled_call._Entry, "has_most_versions", asked)
    for n in (6, 3, 7, 4):  # those that were compiled still are
        check(compiled(points(n)), points(n), 0.1)
    assert len(graphs) == versions

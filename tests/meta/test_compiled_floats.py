"""Floats that vary from call to call are floats for the function that is compiled.

They are traced once as symbols, and computed with as tensors whose results have the dtypes that floats
give. Tests stop after tracing, as those of compiled steps.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import pytest
import torch

from _traced import collect_graphs
from torchopt import meta_grad_and_value

F64 = torch.float64
pytestmark = pytest.mark.compiled


@pytest.fixture
def graphs(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Any]]:
    """Collect the graphs that are compiled."""
    torch._dynamo.reset()
    made = collect_graphs(monkeypatch)
    with torch._dynamo.config.patch(recompile_limit=4):
        yield made


class Options(NamedTuple):
    weight: float


class Holder:
    def __init__(self, weight: float) -> None:
        self.weight = weight


def if_float(weight: Any, x: torch.Tensor) -> torch.Tensor:
    is_float = isinstance(weight, float) and type(weight) is float and not torch.is_tensor(weight)
    return (weight * x).sum() if is_float else (9 * x).sum()


#: A loss and its argument, by a weight that is its gradient.
PLACES: dict[str, Callable[[float], tuple[Callable[..., Any], Any]]] = {
    "an argument": lambda k: (lambda x, a: if_float(a, x), k),
    "a tuple": lambda k: (lambda x, a: if_float(a.weight, x), Options(k)),
    "a partial": lambda k: (lambda x, a: a(x), functools.partial(if_float, k)),
    "an object": lambda k: (lambda x, a: if_float(a.weight, x), Holder(k)),
}


@pytest.mark.parametrize(
    "name", [n if n == "an argument" else pytest.param(n, marks=pytest.mark.slow) for n in PLACES]
)
def test_a_float_stays_a_float(name: str, graphs: list[Any]) -> None:
    loss = PLACES[name](0.0)[0]
    compiled = meta_grad_and_value(loss, compile=True)
    for k in (0.25, 0.5, 0.75, 3.0):
        assert compiled(torch.ones(3, dtype=F64), PLACES[name](k)[1])[0].tolist() == [k] * 3
    assert len(graphs) == 2


@pytest.mark.parametrize(
    "read",
    [
        pytest.param(lambda k: 2.0 if k > 0.5 else 5.0, id="a comparison"),
        pytest.param(lambda k: 2.0 if k in (0.75, 1.0) else 5.0, id="in"),
        pytest.param(lambda k: {0.25: 5.0, 0.5: 5.0}.get(k, 2.0), id="a key"),
        pytest.param(lambda k: 5.0 if hasattr(k, "hex") and k <= 0.5 else 2.0, id="hasattr"),
        pytest.param(lambda k: 2.0 if len(str(k)) == 4 and k > 0.3 else 5.0, id="its text"),
        pytest.param(lambda k: math.copysign(1.5, k - 0.6) * -1 + 3.5, id="its sign"),
    ],
)
@pytest.mark.slow
def test_what_is_decided_by_a_float_is_decided_at_each_call(
    read: Callable[[float], float], graphs: list[Any]
) -> None:
    compiled = meta_grad_and_value(lambda x, k: read(k) * x.sum(), compile=True)
    for k in (0.25, 0.5, 0.75, 0.5, 0.75):
        assert compiled(torch.ones(3, dtype=F64), k)[0].tolist() == [read(k)] * 3


@pytest.mark.slow
def test_a_comparison_is_exact(graphs: list[Any]) -> None:
    limit = 0.1 + 0.2
    compiled = meta_grad_and_value(lambda x, k: (2.0 if k > limit else k) * x.sum(), compile=True)
    for k in (0.25, 0.3, limit, math.nextafter(limit, 1)):
        expected = 2.0 if k > limit else k
        assert compiled(torch.ones(3, dtype=F64), k)[0].tolist() == [expected] * 3


def of_dtypes(t: torch.Tensor, k: float) -> tuple[torch.Tensor, ...]:
    """Return what operations of a tensor and a float return."""
    new = torch.full((2,), k), t.new_full((2,), 2 * k), torch.full_like(t, k), torch.tensor(k)
    bounds = t.clamp(k, 2 * k), t.clamp_min(k), torch.where(t > k, t, k), torch.lerp(t, 2 * t, k)
    filled = torch.zeros(3, dtype=t.dtype).fill_(k)
    filled[0] = 2 * k
    return t * k, k * t, t + k, k - t, t / k, k / t, t**k, t > k, t == k, filled, *new, *bounds


@pytest.mark.slow
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, F64])
@pytest.mark.parametrize("shape", [(), (3,)], ids=str)
def test_operations_have_the_dtypes_and_values_that_floats_give(
    shape: Any, dtype: torch.dtype, graphs: list[Any]
) -> None:
    t = torch.linspace(0.1, 0.9, 3)[: shape[0] if shape else 1].reshape(shape).to(dtype)
    loss = lambda x, k: (k * x.sum(), of_dtypes(t, k))  # noqa: E731
    compiled = meta_grad_and_value(loss, has_aux=True, compile=True)
    for k in (0.3, 0.1, 0.25, 0.7):
        _, (_, found) = compiled(torch.ones(3), k)
        # Strictly: the same dtypes, and bits but for the last one.
        torch.testing.assert_close(found, of_dtypes(t, k), rtol=torch.finfo(dtype).eps, atol=0)
    assert len(graphs) == 2


@pytest.mark.slow
def test_results_of_floats_are_floats(graphs: list[Any]) -> None:
    def loss(x: torch.Tensor, k: float) -> Any:
        return k * x.sum(), {"k": k, "half": k / 2, "root": math.sqrt(k), "over": k > 0.3, "n": 3}

    compiled = meta_grad_and_value(loss, has_aux=True, compile=True)
    for k in (0.25, 0.5, 1.0):
        aux = compiled(torch.ones(3), k)[1][1]
        assert aux == {"k": k, "half": k / 2, "root": math.sqrt(k), "over": k > 0.3, "n": 3}
        assert [type(v) for v in aux.values()] == [float, float, float, bool, int]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("read", "error", "wrong"),
    [
        pytest.param(lambda k: 1 / k, ZeroDivisionError, 0.0, id="division"),
        pytest.param(lambda k: 1 / (k - 1), ZeroDivisionError, 1.0, id="division by a difference"),
        pytest.param(math.sqrt, ValueError, -1.0, id="root"),
        pytest.param(lambda k: k**2, OverflowError, 1e200, id="power"),
        pytest.param(math.log, ValueError, 0.0, id="logarithm"),
    ],
)
def test_what_raises_for_a_float_raises(
    read: Callable[[float], float], error: type[Exception], wrong: float, graphs: list[Any]
) -> None:
    compiled = meta_grad_and_value(lambda x, k: read(k) * x.sum(), compile=True)
    x = torch.ones(3, dtype=F64)
    with torch._dynamo.config.patch(recompile_limit=20):
        for k in (2.0, 3.0, 4.0):
            assert compiled(x, k)[0].tolist() == pytest.approx([read(k)] * 3, rel=1e-15)
        with pytest.raises(error):
            compiled(x, wrong)


@pytest.mark.slow
def test_an_output_that_was_a_count_may_become_a_rate(graphs: list[Any]) -> None:
    def made(measure: Callable[[torch.Tensor], torch.Tensor]) -> Any:
        return meta_grad_and_value(lambda x: (x.sum(), measure(x)), has_aux=True, compile=True)

    x = torch.tensor([0.25, 0.75, 1.0], dtype=F64)
    measures = [lambda x: (x > 0.5).sum(), lambda x: (x > 0.5).to(F64).mean()]
    for _ in range(2):
        count, rate = (made(measure)(x)[1][1] for measure in measures)
        assert (int(count), count.dtype) == (2, torch.int64)
        assert (float(rate), rate.dtype) == (2 / 3, F64)

"""Small products of a compiled graph are loops, with the same values."""

import pytest
import torch
from torch.fx.experimental.proxy_tensor import make_fx

from torchopt.autodiff.small_products import inline, nodes

aten = torch.ops.aten
PRODUCTS = {aten.mm.default, aten.bmm.default, aten.addmm.default}


def draw(*shape, dtype=torch.float64):
    return torch.randn(*shape, dtype=dtype, generator=torch.Generator().manual_seed(sum(shape)))


def inlined(function, *inputs):
    graph = make_fx(function, tracing_mode="fake")(*inputs)
    inline(graph)
    return graph


def products_left(graph):
    return [node.target for _, node in nodes(graph) if node.target in PRODUCTS]


@pytest.mark.parametrize(
    ("function", "inputs"),
    [
        pytest.param(torch.mm, (draw(3, 5), draw(5, 4)), id="mm"),
        pytest.param(torch.mm, (draw(5, 3).T, draw(4, 5).T), id="transposed"),
        pytest.param(torch.mm, (draw(3, 1), draw(1, 4)), id="outer"),
        pytest.param(torch.mm, (draw(1, 7), draw(7, 1)), id="inner"),
        pytest.param(torch.bmm, (draw(2, 3, 5), draw(2, 5, 4)), id="bmm"),
        pytest.param(
            torch.bmm, (draw(3, 1, 2).permute(2, 0, 1), draw(2, 1, 4)), id="outer products"
        ),
        pytest.param(torch.addmm, (draw(4), draw(3, 5), draw(5, 4)), id="addmm"),
        pytest.param(
            torch.addmm, (draw(3, 4), draw(3, 1), draw(1, 4)), id="addmm of a whole matrix"
        ),
        pytest.param(torch.mm, (draw(20, 10), draw(10, 20)), id="4,000 multiplications"),
    ],
)
def test_small_products_are_loops_with_the_same_values(function, inputs):
    graph = inlined(function, *inputs)
    assert not products_left(graph)
    expected = function(*inputs)
    out = graph(*inputs)
    torch.testing.assert_close(out, expected)
    assert out.stride() == expected.stride()
    (result,) = [node for _, node in nodes(graph) if node.op == "output"]
    assert result.args[0].meta["val"].stride() == expected.stride()


@pytest.mark.parametrize(
    ("function", "inputs"),
    [
        pytest.param(torch.mm, (draw(20, 10), draw(10, 21)), id="large"),
        pytest.param(torch.mm, (draw(0, 3), draw(3, 2)), id="of no rows"),
        pytest.param(torch.mm, (draw(2, 0), draw(0, 2)), id="of no columns"),
        pytest.param(torch.mm, (draw(2, 3).bfloat16(), draw(3, 2).bfloat16()), id="bfloat16"),
        pytest.param(
            lambda *x: torch.addmm(*x, beta=2), (draw(4), draw(3, 5), draw(5, 4)), id="scaled"
        ),
    ],
)
def test_other_products_stay(function, inputs):
    graph = inlined(function, *inputs)
    assert len(products_left(graph)) == 1
    torch.testing.assert_close(graph(*inputs), function(*inputs))


def test_products_in_the_steps_of_a_loop_are_loops_too():
    from torch._higher_order_ops.while_loop import while_loop

    def function(x, y):
        def step(n, y):
            return n + 1, torch.mm(x, y)

        return while_loop(lambda n, y: n < 3, step, (torch.tensor(0), y))[1]

    x, y = draw(3, 3), draw(3, 2)
    graph = inlined(function, x, y)
    assert not products_left(graph)
    torch.testing.assert_close(graph(x, y), x @ x @ x @ y)

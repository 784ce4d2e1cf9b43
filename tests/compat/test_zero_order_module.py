"""The module whose output has an estimated derivative."""

from __future__ import annotations

from typing import Any

import pytest
import torch

import torchopt
from torchopt.compat import ZeroOrderGradientModule
from torchopt.compat.zero_order_module import enable_zero_order_gradients
from torchopt.diff import zero_order as zo


class Quadratic(ZeroOrderGradientModule, method="antithetic", num_samples=3000, sigma=0.1):
    def __init__(self) -> None:
        super().__init__()
        self.x = torch.nn.Parameter(torch.tensor([1.0, -2.0, 0.5]))
        self.inner = torch.nn.Linear(3, 2, bias=False)
        self.register_buffer("count", torch.tensor(0))

    def forward(self, scale: float, *, power: int = 2) -> torch.Tensor:
        self.count += 1
        value = scale * (self.inner.weight.detach() ** power).sum()
        return value + scale * (self.x.detach() ** power).sum()

    def sample(self, sample_shape: torch.Size = torch.Size()) -> torch.Tensor:  # noqa: B008
        return torch.randn(sample_shape)


class Balanced(Quadratic, num_samples=32):
    """Its directions have the unit covariance exactly, and so the gradient of a quadratic."""

    def sample(self, sample_shape: torch.Size = torch.Size()) -> torch.Tensor:  # noqa: B008
        signs = torch.ones(1, 1)
        while len(signs) < 16:  # Hadamard's matrix, whose columns are orthogonal
            signs = torch.cat([torch.cat([signs, signs], 1), torch.cat([signs, -signs], 1)])
        rows = torch.cat([signs, -signs])[:, :9].flatten()
        count = sample_shape.numel()
        return rows.repeat(count // len(rows) + 1)[:count].view(sample_shape)


def test_the_gradient_of_all_parameters_is_estimated() -> None:
    torch.manual_seed(0)
    module = Balanced()
    y = module(3.0, power=2)
    assert y.item() == pytest.approx(
        3 * (module.x.square().sum() + module.inner.weight.square().sum()).item(), rel=1e-5
    )
    y.backward()
    for p in module.parameters():
        torch.testing.assert_close(p.grad, 6 * p.detach(), atol=1e-3, rtol=0)
    assert module.count == 1


def test_the_arguments_of_forward_are_no_unknowns() -> None:
    class Product(Quadratic, num_samples=2):
        def forward(self, data: torch.Tensor) -> torch.Tensor:
            return (data * self.x).sum()

    data = torch.ones(3, requires_grad=True)
    module = Product()
    with pytest.warns(UserWarning, match="no gradient flows to it"):
        value = module(data)
    value.backward()
    assert data.grad is None
    assert module.x.grad is not None


@pytest.mark.parametrize("method", ["naive", "forward", "antithetic"])
def test_it_is_the_mode_with_the_estimator_of_the_method(method: Any) -> None:
    class Method(Quadratic, method=method, num_samples=4):
        pass

    kind = {"naive": zo.Naive, "forward": zo.ForwardDifference, "antithetic": zo.Antithetic}[method]
    module = Method()
    torch.manual_seed(0)
    module(1.0).backward()
    params = {"x": module.x.detach(), "w": module.inner.weight.detach()}
    params = {k: p.clone().requires_grad_() for k, p in params.items()}
    estimator = kind(num_samples=4, sigma=0.1, distribution=torch.randn)
    torch.manual_seed(0)
    fn = torchopt.diff.ZeroOrder(estimator)(lambda w, x: (x**2).sum() + (w**2).sum())
    fn(params["w"], params["x"]).backward()
    torch.testing.assert_close(module.x.grad, params["x"].grad)
    torch.testing.assert_close(module.inner.weight.grad, params["w"].grad)


def test_subclasses_inherit_the_settings_and_may_change_them() -> None:
    class Child(Quadratic, sigma=0.5):
        pass

    assert Child._mode == ("antithetic", 3000, 0.5)
    assert Quadratic._mode == ("antithetic", 3000, 0.1)


def test_a_forward_that_calls_the_parent_is_estimated_once() -> None:
    calls = []

    class Parent(Quadratic, num_samples=3):
        def forward(self, scale: float) -> torch.Tensor:
            calls.append(scale)
            return scale * self.x.detach().sum()

    class Child(Parent):
        def forward(self, scale: float) -> torch.Tensor:
            return 2 * super().forward(scale)

    module = Child()
    module(1.0).backward()
    assert len(calls) == 1 + 2 * 3


def test_no_grad_evaluates_once() -> None:
    module = Quadratic()
    with torch.no_grad():
        assert not module(1.0).requires_grad
    assert module.count == 1


def test_wrong_use_gets_one_sentence() -> None:
    with pytest.raises(ValueError, match="`method` is 'central': use one of 'naive'"):

        class Wrong(Quadratic, method="central"):  # type: ignore[arg-type]
            pass

    with pytest.raises(ValueError, match="`num_samples` is 0"):

        class Wrong(Quadratic, num_samples=0):
            pass

    class NoSample(ZeroOrderGradientModule):
        def __init__(self) -> None:
            super().__init__()
            self.x = torch.nn.Parameter(torch.ones(1))

        def forward(self) -> torch.Tensor:
            return self.x.sum()

    with pytest.raises(TypeError, match=r"Can't instantiate abstract class NoSample .*sample"):
        NoSample()

    class NoForward(ZeroOrderGradientModule):
        pass

    with pytest.raises(TypeError, match=r"Can't instantiate abstract class NoForward .*forward"):
        NoForward()

    with pytest.raises(TypeError, match="already enabled for the `forward` method"):
        enable_zero_order_gradients(Quadratic)

    class NoParameters(Quadratic):
        def __init__(self) -> None:
            ZeroOrderGradientModule.__init__(self)

    with pytest.raises(RuntimeError, match=r"^The module has no parameters\. .*`NoParameters`"):
        NoParameters()(1.0)

    class Wide(Quadratic):
        def sample(self, sample_shape: torch.Size = torch.Size()) -> torch.Tensor:  # noqa: B008
            return 3 * torch.randn(sample_shape)

    with pytest.raises(ValueError, match="unit variance"):
        Wide()(1.0)

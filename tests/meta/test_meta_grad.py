"""The gradient of an outer loss, against closed forms and hand-written loops."""

import pytest
import torch

import torchopt
from torchopt.meta._meta_grad import meta_grad_and_value


def tensor(*values):
    return torch.tensor(values, dtype=torch.float64)


def after_one_step(meta, target):
    """(1 - 2 lr)² (start - target)², summed."""
    solution = torchopt.minimize(
        lambda x: ((x - target) ** 2).sum(), meta["start"], solver=torchopt.sgd(meta["lr"]), steps=1
    )
    return ((solution.params - target) ** 2).sum()


def test_gradient_and_value_equal_the_closed_form():
    meta = {"start": tensor(1.0, -2.0), "lr": torch.tensor(0.3, dtype=torch.float64)}
    target = tensor(0.5, 0.25)
    grads, value = meta_grad_and_value(after_one_step)(meta, target)
    gap, rate = meta["start"] - target, 1 - 2 * meta["lr"]
    torch.testing.assert_close(value, (rate * gap).square().sum())
    torch.testing.assert_close(grads["start"], 2 * rate**2 * gap)
    torch.testing.assert_close(grads["lr"], -4 * rate * gap.square().sum())
    assert not value.requires_grad
    assert not grads["lr"].requires_grad
    assert not any(x.requires_grad for x in meta.values())  # what is given is left as it is


def test_leaves_that_are_not_read_have_gradient_zero_and_none_stays_none():
    meta = {"read": tensor(2.0), "other": tensor(3.0, 4.0), "none": None}
    grads, _ = meta_grad_and_value(lambda m: (m["read"] ** 2).sum())(meta)
    assert grads["none"] is None
    torch.testing.assert_close(grads["read"], tensor(4.0))
    torch.testing.assert_close(grads["other"], tensor(0.0, 0.0))


def test_parameters_keep_their_own_gradients():
    p = torch.nn.Parameter(tensor(2.0))
    grads, _ = meta_grad_and_value(lambda q: (q**3).sum())(p)
    torch.testing.assert_close(grads, tensor(12.0))
    assert p.grad is None


def test_auxiliary_output_comes_beside_the_value_without_a_graph():
    def outer(x):
        return (x**2).sum(), {"twice": 2 * x, "name": "a"}

    grads, (value, aux) = meta_grad_and_value(outer, has_aux=True)(tensor(1.5))
    torch.testing.assert_close(value, torch.tensor(2.25, dtype=torch.float64))
    torch.testing.assert_close(aux["twice"], tensor(3.0))
    assert aux["name"] == "a"
    assert not aux["twice"].requires_grad
    torch.testing.assert_close(grads, tensor(3.0))


def test_it_nests_in_torch_func():
    target = tensor(0.5, 0.25)

    def first(lr):
        meta = {"start": tensor(1.0, -2.0), "lr": lr}
        return meta_grad_and_value(after_one_step)(meta, target)[0]["lr"]

    second = torch.func.grad(first)(torch.tensor(0.3, dtype=torch.float64))
    torch.testing.assert_close(second, 8 * (tensor(1.0, -2.0) - target).square().sum())


def test_what_cannot_be_differentiated_is_said():
    with pytest.raises(TypeError, match=r"args\[0\]\['n'\]` is a tensor of dtype torch.int64"):
        meta_grad_and_value(lambda m: m["n"].sum())({"n": torch.tensor([1])})
    with pytest.raises(ValueError, match="does not require grad"):
        meta_grad_and_value(lambda x: torch.tensor(1.0))(tensor(1.0))
    other = torch.tensor(1.0, requires_grad=True)
    with pytest.raises(ValueError, match="does not depend on the arguments"):
        meta_grad_and_value(lambda x: other**2)(tensor(1.0))
    with pytest.raises(TypeError, match="type tuple: pass `has_aux=True`"):
        meta_grad_and_value(lambda x: (x.sum(), 1))(tensor(1.0))
    with pytest.raises(TypeError, match="must return a pair"):
        meta_grad_and_value(lambda x: x.sum(), has_aux=True)(tensor(1.0))

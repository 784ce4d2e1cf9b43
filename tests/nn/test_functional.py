"""Modules as functions: the right tensors, also for activations that are recomputed later."""

from __future__ import annotations

import weakref

import pytest
import torch
from torch import nn

import torchopt
from nn._checkpointed import DTYPE, REMATERIALIZED, Net, randn


@pytest.mark.parametrize("remat", REMATERIALIZED)
def test_a_call_is_right_where_activations_are_checkpointed(remat: str) -> None:
    """torch.func.functional_call is silently wrong here: it has swapped its tensors out again."""
    plain, net = Net().to(DTYPE), Net(remat).to(DTYPE)
    before = dict(net.named_parameters())
    new = {k: randn(*p.shape, seed=i).requires_grad_() for i, (k, p) in enumerate(before.items())}
    found = []
    for run, of in ((torchopt.nn.functional_call, net), (torch.func.functional_call, plain)):
        value = run(of, new, randn(4, 3)).pow(2).sum()
        first = torch.autograd.grad(value, list(new.values()), create_graph=True)
        second = torch.autograd.grad(sum(g.sin().sum() for g in first), list(new.values()))
        found.append([*first, *second])
    torch.testing.assert_close(*found, rtol=1e-12, atol=1e-14)
    assert all(p is before[k] for k, p in net.named_parameters())


def test_functional_call_leaves_the_module_as_it_was() -> None:
    net = Net().to(DTYPE)
    before = {k: (p, p.detach().clone()) for k, p in net.named_parameters()}
    keys = set(vars(net))
    with pytest.raises(RuntimeError):
        torchopt.nn.functional_call(net, {"a.weight": randn(3, 3)}, randn(4, 5))
    torchopt.nn.functional_call(net, {"a.weight": randn(3, 3)}, randn(4, 3))
    assert set(vars(net)) == keys
    for k, p in net.named_parameters():
        assert p is before[k][0]
        assert torch.equal(p, before[k][1])


class Assigning(nn.Module):
    """Assigns attributes, a buffer and a submodule when it is called."""

    mean: torch.Tensor

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(2))
        self.register_buffer("mean", torch.zeros(2))
        self.calls, self.last = 0, None

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.calls, self.last = self.calls + 1, x
        self.mean = self.mean + x
        if self.calls == 1:
            self.late = nn.Linear(2, 2)
        return self.weight * x


def test_what_a_call_assigns_is_kept_by_the_module_and_its_parts() -> None:
    net = nn.Sequential(Assigning(), Assigning())
    own = list(net.parameters())
    x = torch.tensor([1.0, 2.0])
    late = []
    for factor in (3.0, 5.0):
        new = {"0.weight": torch.full((2,), factor), "1.weight": torch.full((2,), factor)}
        assert torch.equal(torchopt.nn.functional_call(net, new, x), factor**2 * x)
        late.append([part.late for part in net])
    for part, seen, mean in zip(net, (x, 5.0 * x), (2.0 * x, 8.0 * x), strict=True):
        assert part.calls == 2
        assert torch.equal(part.last, seen)
        assert torch.equal(part.mean, mean)
    assert [part.weight for part in net] == own
    assert late[0] == late[1]


def test_functional_call_replaces_tied_weights_under_each_name() -> None:
    net = nn.Sequential(nn.Linear(2, 2, bias=False), nn.Linear(2, 2, bias=False))
    net[1].weight = net[0].weight
    new = torch.eye(2) * 3
    assert torch.equal(
        torchopt.nn.functional_call(net, {"0.weight": new}, torch.eye(2)), torch.eye(2) * 9
    )
    with pytest.raises(ValueError, match="is tied to another name"):
        torchopt.nn.functional_call(net, {"0.weight": new, "1.weight": new * 2}, torch.eye(2))


@pytest.mark.compiled
def test_functional_call_works_inside_vmap_and_compile() -> None:
    net = nn.Linear(3, 2)
    weights = torch.randn(4, 2, 3)
    x = torch.randn(5, 3)
    out = torch.func.vmap(lambda w: torchopt.nn.functional_call(net, {"weight": w}, x))(weights)
    torch.testing.assert_close(out[2], x @ weights[2].T + net.bias)
    call = torch.compile(
        lambda w: torchopt.nn.functional_call(net, {"weight": w}, x),
        fullgraph=True,
        backend="aot_eager",
    )
    torch.testing.assert_close(call(weights[1]), x @ weights[1].T + net.bias)


@pytest.mark.parametrize(
    ("tensors", "error", "message"),
    [
        (
            {"wieght": torch.ones(1)},
            ValueError,
            "`wieght` is neither a parameter nor a buffer of Linear",
        ),
        ({"weight": 3.0}, TypeError, "`weight` is replaced by an object of type float"),
    ],
)
def test_functional_call_refuses_what_it_cannot_place(
    tensors: dict, error: type, message: str
) -> None:
    with pytest.raises(error, match=message):
        torchopt.nn.functional_call(nn.Linear(1, 1), tensors, torch.ones(1, 1))


@pytest.mark.parametrize(
    "make",
    [
        lambda net: net,
        lambda net: nn.Sequential(net),
        lambda net: torch.ones(3, 2),
        lambda net: None,
    ],
    ids=["module", "sequential", "input", "none"],
)
def test_tensors_that_are_not_by_name_are_refused(make):
    net = nn.Linear(2, 1)
    with pytest.raises(TypeError, match=r"pass new tensors by name, .*named_parameters.*third"):
        torchopt.nn.functional_call(net, make(net), torch.ones(3, 2))


@pytest.mark.parametrize("value", [3, nn.Linear])
def test_what_is_no_module_is_refused(value):
    with pytest.raises(TypeError, match=r"`module` of `functional_call` is .*: (pass a|make an)"):
        torchopt.nn.functional_call(value, {})


# A copy that serves for many calls


def test_changes_of_a_module_between_calls_are_seen() -> None:
    torch.manual_seed(0)
    net, x = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Dropout(0.5)), torch.randn(4, 2)
    params = {name: torch.randn_like(p) for name, p in net.named_parameters()}

    def call() -> torch.Tensor:
        return torchopt.nn.functional_call(net, params, x)

    plain = torch.nn.functional.linear(x, params["0.weight"], params["0.bias"])
    net.eval()
    for _ in range(2):
        assert torch.equal(call(), plain)
    net.train()
    assert (call() == 0).any()
    net.eval()
    net[1] = torch.nn.Tanh()
    assert torch.equal(call(), plain.tanh())
    handle = net[1].register_forward_hook(lambda module, args, out: out + 1)
    assert torch.equal(call(), plain.tanh() + 1)
    handle.remove()
    net[0].bias = None
    del params["0.bias"]
    assert torch.equal(call(), (x @ params["0.weight"].T).tanh())
    # Parameters that are not replaced are those that the module has at the time.
    net[0].weight = torch.nn.Parameter(torch.ones(3, 2))
    assert torch.equal(torchopt.nn.functional_call(net, {}, x), (x @ torch.ones(2, 3)).tanh())


def test_a_hook_that_is_a_method_reads_the_new_tensors() -> None:
    class Scaled(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.scale, self.inner = nn.Parameter(torch.tensor(2.0)), nn.Tanh()
            self.inner.register_forward_hook(self.multiplied)

        def multiplied(self, _module: nn.Module, _args: object, out: torch.Tensor) -> torch.Tensor:
            return self.scale * out

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return self.inner(x)

    net, x = Scaled(), torch.randn(3)
    out = torchopt.nn.functional_call(net, {"scale": torch.tensor(3.0)}, x)
    assert torch.equal(out, 3 * x.tanh())


def test_a_copy_that_a_hook_still_reads_is_not_used_again() -> None:
    class Delayed(torch.nn.Linear):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            out = super().forward(x).sum()
            out.register_hook(lambda g: g * self.bias.detach().sum())  # of this call
            return out

    net, x = Delayed(2, 1), torch.ones(2, requires_grad=True)
    weight = torch.ones(1, 2)
    outs = [
        torchopt.nn.functional_call(net, {"weight": weight, "bias": torch.tensor([bias])}, x)
        for bias in (3.0, 5.0, 7.0)
    ]
    grads = [torch.autograd.grad(out, x)[0][0].item() for out in outs]
    assert grads == [3.0, 5.0, 7.0]


def test_tensors_of_a_call_end_with_its_graph() -> None:
    net = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Tanh())
    for _ in range(2):
        params = {name: p * 2 for name, p in net.named_parameters()}
        alive = [weakref.ref(p) for p in params.values()]
        out = torchopt.nn.functional_call(net, params, torch.ones(2))
        del params, out
        assert [ref() for ref in alive] == [None, None]
    root = weakref.ref(net)
    del net
    assert root() is None


def test_a_copy_does_not_serve_for_a_module_that_is_equal() -> None:
    class Equal(nn.Linear):
        def __eq__(self, other: object) -> bool:
            return isinstance(other, Equal)

        def __hash__(self) -> int:
            return 0

    x, a, b = torch.ones(1, 2), Equal(2, 2), Equal(2, 2)
    for net in (a, b, a):
        assert torch.equal(torchopt.nn.functional_call(net, {}, (x,)), net(x))

"""`MetaGradientModule`: what comes in through the constructor is the outer problem's."""

import copy
import io

import pytest
import torch
from torch import nn

from torchopt.nn import MetaGradientModule


class Inner(MetaGradientModule):
    """One meta-parameter, one meta-module, and inner ones of each kind."""

    def __init__(self, penalty, prior):
        super().__init__()
        self.penalty = penalty
        self.prior = prior
        self.own = nn.Linear(3, 2)
        self.scale = nn.Parameter(torch.tensor([1.5, -0.5]))
        self.register_buffer("seen", torch.tensor(7.0))

    def forward(self, x):
        return self.scale * self.own(x) + self.penalty * self.prior(x)


class Outer(MetaGradientModule):
    """Makes the inner module itself, inside an ordinary container."""

    def __init__(self, penalty, prior, shift):
        super().__init__()
        self.shift = shift
        self.body = nn.Sequential(nn.Linear(3, 3), Inner(penalty, prior))

    def forward(self, x):
        return self.body(x) + self.shift


def tensor(*values):
    return torch.tensor(values, requires_grad=True)


@pytest.fixture
def parts():
    torch.manual_seed(0)
    return tensor(0.3), nn.Sequential(nn.Linear(3, 2), nn.BatchNorm1d(2))


@pytest.fixture
def module(parts):
    return Inner(*parts)


def names(pairs):
    return [name for name, _ in pairs]


META = ["penalty", "prior.0.weight", "prior.0.bias", "prior.1.weight", "prior.1.bias"]
INNER = ["scale", "own.weight", "own.bias"]


def test_constructor_tensors_and_modules_are_meta_and_the_rest_is_inner(module, parts):
    assert names(module.named_meta_parameters()) == META
    assert names(module.named_parameters()) == INNER
    assert [id(t) for t in module.meta_parameters()] == [
        id(t) for t in (parts[0], *parts[1].parameters())
    ]
    assert names(module.named_meta_modules()) == ["prior", "prior.0", "prior.1"]
    assert list(module.meta_modules()) == list(parts[1].modules())
    assert names(module.named_meta_children()) == ["prior"]
    assert list(module.meta_children()) == [parts[1]]
    assert names(module.named_modules()) == ["", "own"]
    assert names(module.named_children()) == ["own"]
    assert names(module.named_buffers()) == ["seen"]


def test_attributes_are_the_identical_objects(module, parts):
    assert module.penalty is parts[0]
    assert module.prior is parts[1]
    assert {"penalty", "prior", "own", "scale", "seen"} <= set(dir(module))
    with pytest.raises(AttributeError, match="'Inner' object has no attribute 'nope'"):
        module.nope  # noqa: B018


def test_constructor_tensors_without_grad_are_ordinary_attributes():
    module = Inner(torch.tensor(0.3), nn.Linear(3, 2))
    assert names(module.named_meta_parameters()) == ["prior.weight", "prior.bias"]
    assert "penalty" not in module.state_dict()


def test_meta_parts_of_inner_modules_are_found(parts):
    shift = tensor(0.1, 0.2)
    outer = Outer(*parts, shift)
    assert names(outer.named_meta_parameters()) == ["shift", *(f"body.1.{name}" for name in META)]
    assert outer.body[1].penalty is parts[0]


def test_everything_in_a_meta_module_is_meta(module):
    class Holds(MetaGradientModule):
        def __init__(self, inner):
            super().__init__()
            self.inner = inner

    holder = Holds(module)
    found = names(holder.named_meta_parameters())
    assert sorted(found) == sorted(f"inner.{name}" for name in (*META, *INNER))
    assert list(holder.parameters()) == []


def test_a_shared_meta_parameter_is_yielded_once():
    class Twice(MetaGradientModule):
        def __init__(self, x):
            super().__init__()
            self.first, self.second = x, x
            self.inner = Inner(x, nn.Linear(3, 2))

    module = Twice(tensor(1.0))
    expected = ["first", "inner.prior.weight", "inner.prior.bias"]
    assert names(module.named_meta_parameters()) == expected


# State


def test_the_state_dict_holds_meta_and_inner_parts(parts):
    module = Inner(*parts)
    state = module.state_dict()
    buffers = ["prior.1.running_mean", "prior.1.running_var", "prior.1.num_batches_tracked"]
    assert sorted(state) == sorted([*META, *INNER, "seen", *buffers])
    assert torch.equal(state["penalty"], parts[0])
    assert not state["penalty"].requires_grad
    assert module.state_dict(keep_vars=True)["penalty"] is parts[0]


@pytest.mark.parametrize("wrap", [lambda m: m, nn.Sequential], ids=["bare", "nested"])
def test_a_saved_state_is_restored_into_the_same_tensors(parts, wrap):
    source = wrap(Inner(*parts))
    target = wrap(Inner(tensor(9.0), nn.Sequential(nn.Linear(3, 2), nn.BatchNorm1d(2))))
    before = target.state_dict(keep_vars=True)
    buffer = io.BytesIO()
    torch.save(source.state_dict(), buffer)
    buffer.seek(0)
    result = target.load_state_dict(torch.load(buffer, weights_only=True))
    assert (result.missing_keys, result.unexpected_keys) == ([], [])
    for name, value in target.state_dict(keep_vars=True).items():
        assert value is before[name]
        assert torch.equal(value, source.state_dict()[name])


def test_assigning_a_state_keeps_meta_parameters_meta():
    for penalty in (tensor(9.0), nn.Parameter(torch.tensor([9.0]))):
        source, target = Inner(tensor(0.3), nn.Linear(3, 2)), Inner(penalty, nn.Linear(3, 2))
        target.load_state_dict(source.state_dict(), assign=True)
        assert names(target.named_meta_parameters()) == ["penalty", "prior.weight", "prior.bias"]
        assert names(target.named_parameters()) == INNER
        assert target.penalty.requires_grad
        assert target.penalty.item() == pytest.approx(0.3)
        assert penalty.item() == 9.0


def test_missing_unexpected_and_misshapen_meta_parameters_are_reported(module):
    state = module.state_dict()
    value = state.pop("penalty")
    with pytest.raises(RuntimeError, match=r'Missing key\(s\) in state_dict: "penalty"'):
        module.load_state_dict(state)
    assert module.load_state_dict(state, strict=False).missing_keys == ["penalty"]
    state["penalty"] = torch.ones(4)
    with pytest.raises(RuntimeError, match="size mismatch for penalty"):
        module.load_state_dict(state)
    state.update(penalty=value, surplus=value)
    with pytest.raises(RuntimeError, match=r'Unexpected key\(s\) in state_dict: "surplus"'):
        module.load_state_dict(state)


@pytest.mark.parametrize("wrap", [lambda m: m, nn.Sequential], ids=["bare", "nested"])
def test_conversion_moves_everything_and_keeps_leaves_identical(parts, wrap):
    module = wrap(Inner(*parts))
    parts[0].grad = torch.tensor([2.0])
    before = {n: t for n, t in module.state_dict(keep_vars=True).items() if t.requires_grad}
    module.to(torch.float64)
    after = module.state_dict(keep_vars=True)
    for name, old in before.items():
        assert after[name] is old
        assert old.dtype == torch.float64
    assert parts[0].grad.dtype == torch.float64
    assert parts[1][1].running_mean.dtype == torch.float64


def test_a_deep_copy_is_independent_and_has_the_same_parts(module):
    twin = copy.deepcopy(module)
    assert names(twin.named_meta_parameters()) == META
    assert names(twin.named_parameters()) == INNER
    assert not {id(t) for t in twin.meta_parameters()} & {id(t) for t in module.meta_parameters()}
    x = torch.randn(5, 3)
    assert torch.equal(twin(x), module(x))
    twin.again = twin.penalty  # the copy knows which tensors are its constructor's
    assert "again" not in names(twin.named_parameters())
    assert "again" in twin.state_dict()


# What the inner problem must not touch


def test_training_mode_zero_grad_and_freezing_reach_the_inner_part_only(module, parts):
    penalty, prior = parts
    module(torch.randn(4, 3)).sum().backward()
    module.eval()
    assert not module.own.training
    assert prior.training
    module.requires_grad_(False)
    assert penalty.requires_grad
    assert all(p.requires_grad for p in prior.parameters())
    module.zero_grad()
    assert module.scale.grad is None
    assert penalty.grad is not None
    visited = []
    module.apply(visited.append)
    assert visited == [module.own, module]


def test_gradients_reach_both_parts(module):
    out = module(torch.randn(4, 3)).square().sum()
    tensors = [*module.parameters(), *module.meta_parameters()]
    gradients = torch.autograd.grad(out, tensors)
    sizes = {n: g.abs().max() for n, g in zip([*INNER, *META], gradients, strict=True)}
    assert sizes.pop("prior.0.bias") < 1e-5  # batch norm cancels it
    assert min(sizes.values()) > 1e-3


def test_meta_parameters_can_be_swapped_in_under_vmap():
    module = Inner(tensor(0.3), nn.Linear(3, 2))
    x, penalties = torch.randn(4, 3), torch.tensor([[0.1], [0.7]])

    def call(penalty):
        return torch.func.functional_call(module, {"penalty": penalty}, (x,))

    results = torch.func.vmap(call)(penalties)
    for result, penalty in zip(results, penalties, strict=True):
        truth = module.scale * module.own(x) + penalty * module.prior(x)
        torch.testing.assert_close(result, truth)
    assert names(module.named_meta_parameters(recurse=False)) == ["penalty"]
    assert module.penalty.item() == pytest.approx(0.3)


# Assignment and registration


def test_any_tensor_that_requires_grad_may_be_an_inner_parameter(module):
    module.leaf = tensor(1.0)
    module.computed = 2 * module.leaf
    module.register_parameter("registered", tensor(1.0))
    module.constant = torch.tensor(1.0)
    inner = ["scale", "leaf", "computed", "registered", "own.weight", "own.bias"]
    assert names(module.named_parameters()) == inner
    assert names(module.named_meta_parameters()) == META


def test_a_plain_tensor_or_none_over_a_meta_parameter_stays_meta(module):
    fresh = tensor(0.9)
    module.penalty = fresh
    assert module.penalty is fresh
    assert names(module.named_meta_parameters()) == META
    module.penalty = None
    assert module.penalty is None
    assert names(module.named_meta_parameters()) == META[1:]
    assert "penalty" not in module.state_dict()
    assert module.double().penalty is None
    with pytest.raises(TypeError, match="cannot assign 'int' as meta-parameter 'penalty'"):
        module.penalty = 3


def test_a_new_parameter_or_module_over_a_meta_name_is_inner(module):
    module.penalty = nn.Parameter(torch.ones(1))
    module.prior = nn.Linear(3, 2)
    assert list(module.meta_parameters()) == []
    assert list(module.meta_modules()) == []
    assert sorted(names(module.named_parameters())) == sorted(
        [*INNER, "penalty", "prior.weight", "prior.bias"]
    )


REFUSED = [
    (
        lambda m: m.register_parameter("z", m.penalty),
        ValueError,
        "cannot assign Tensor that is a meta-parameter to parameter 'z'. Use "
        "self.register_meta_parameter() instead.",
    ),
    (
        lambda m: m.register_parameter("z", torch.ones(1)),
        ValueError,
        "cannot assign Tensor that `requires_grad=False` to parameter 'z'",
    ),
    (lambda m: m.register_parameter("z", 3), TypeError, "'int' object to parameter 'z'"),
    (lambda m: m.register_parameter("a.b", tensor(1.0)), KeyError, "name can't contain '.'"),
    (lambda m: m.register_parameter("", tensor(1.0)), KeyError, "can't be empty string ''"),
    (lambda m: m.register_parameter(b"z", tensor(1.0)), TypeError, "should be a string. Got"),
    (lambda m: m.register_parameter("penalty", m.penalty), KeyError, "'penalty' already exists"),
    (lambda m: m.register_meta_parameter("z", torch.ones(1)), ValueError, "requires_grad"),
    (
        lambda m: m.register_meta_parameter("z", 3),
        TypeError,
        "cannot assign 'int' object to meta-parameter 'z' (torch.Tensor or None required)",
    ),
    (lambda m: m.register_meta_parameter("scale", tensor(1.0)), KeyError, "already exists"),
    (lambda m: m.register_meta_parameter("forward", tensor(1.0)), KeyError, "already exists"),
    (lambda m: m.register_meta_parameter("a.b", tensor(1.0)), KeyError, "contain"),
    (lambda m: m.register_meta_parameter("", None), KeyError, "name can't be empty string"),
    (
        lambda m: m.add_module("z", m.prior),
        ValueError,
        "cannot add module that is a meta-module to module 'z'. Use self.add_meta_module() instead.",
    ),
    (lambda m: m.add_module("a.b", nn.Tanh()), KeyError, "name can't contain '.', got: 'a.b'"),
    (lambda m: m.add_module("prior", nn.Linear(1, 1)), KeyError, "already exists"),
    (lambda m: m.add_meta_module("own", nn.Linear(1, 1)), KeyError, "already exists"),
    (lambda m: m.add_meta_module("penalty", nn.Linear(1, 1)), KeyError, "already exists"),
    (lambda m: m.add_meta_module("z", 3), TypeError, "not a Module subclass"),
    (lambda m: m.add_meta_module("", nn.Linear(1, 1)), KeyError, "empty"),
    (lambda m: m.add_meta_module("z.z", nn.Tanh()), KeyError, "meta-module name can't contain"),
]


@pytest.mark.parametrize(("register", "error", "message"), REFUSED)
def test_a_bad_registration_is_refused_as_published_and_changes_nothing(
    module, register, error, message
):
    before = (repr(module), names(module.state_dict().items()))
    with pytest.raises(error) as caught:
        register(module)
    assert message in str(caught.value.args[0])
    assert (repr(module), names(module.state_dict().items())) == before


def test_the_tables_of_the_meta_part_are_those_of_the_published_package(module, parts):
    penalty, prior = parts
    assert dict(module._meta_parameters) == {"penalty": penalty}
    assert module._meta_modules == {"prior": prior}
    assert module._meta_inputs.meta_modules == set(prior.modules())
    assert module._meta_inputs.meta_parameters == {penalty, *prior.parameters()}
    module.add_meta_module("late", None)
    assert module._meta_modules == {"prior": prior, "late": None}
    del module.prior
    assert module._meta_modules == {"late": None}


@pytest.mark.compiled
def test_a_module_with_meta_parameters_compiles_into_one_graph():
    torch.compiler.reset()
    module = Inner(tensor(0.3), nn.Linear(3, 2))
    x = torch.randn(4, 3)
    compiled = torch.compile(module, fullgraph=True, backend="aot_eager")
    torch.testing.assert_close(compiled(x), module(x))

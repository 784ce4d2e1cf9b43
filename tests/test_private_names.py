"""The private names of PyTorch that the library uses, and what it needs of each.

A public name is used wherever one does the same. A test reads the source, so that this list has each
private name. Another tries each by itself: if a release of PyTorch changes one, the test names it.
"""

from __future__ import annotations

import ast
import functools
import importlib
import inspect
import os
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import pytest
import torch
from torch import nn
from torch._C import _functorch
from torch.autograd import forward_ad
from torch.autograd.graph import saved_tensors_hooks
from torch.fx.experimental.proxy_tensor import make_fx
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

from _warm import Program

SOURCE = Path(__file__).resolve().parents[1] / "src" / "torchopt"
Check = Callable[[], None]
CHECKS: dict[str, Check] = {}


def needed(*names: str) -> Callable[[Check], Check]:
    """Note what tries these names: full names, or attributes of objects, which start with a dot."""

    def note(check: Check) -> Check:
        CHECKS.update(dict.fromkeys(names, check))
        return check

    return note


class Double(torch.autograd.Function):
    """Notes whether the cotangent of its backward pass is batched."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        return 2 * x

    @staticmethod
    def backward(ctx: Any, g: torch.Tensor) -> torch.Tensor:
        SEEN.append(_functorch.is_legacy_batchedtensor(g))
        return 2 * g


#: Of each backward pass of `Double`: whether its cotangent is batched.
SEEN: list[bool] = []


class Seeing(TorchFunctionMode):
    """Notes the operations that a mode sees."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[Any] = []

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.seen.append(func)
        return func(*args, **(kwargs or {}))


def variable(*values: float) -> torch.Tensor:
    return torch.tensor(values, requires_grad=True)


# The list is complete.


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


@functools.cache
def attributes() -> frozenset[str]:
    """Return the private attributes of the objects of PyTorch that the library looks into."""
    x = variable(1.0, 2.0)
    things = [
        *(x, nn.Parameter(x.detach()), x.untyped_storage()),
        *(y.grad_fn for y in (x * x.exp(), x**2.0, Double.apply(x))),
        *(Double, nn.Linear(1, 1), nn.BatchNorm1d(2), nn.InstanceNorm1d(2)),
        *(torch.optim.SGD([x]), torch.ops.aten.add.Tensor, torch.Generator()),
        *(torch.distributed.rpc.api, torch.serialization, _functorch),
    ]
    return frozenset(name for thing in things for name in dir(thing) if is_private(name))


def words(node: ast.expr) -> list[str]:
    """Return the words of ``a.b.c``; without those after a call or an index, and its own last one."""
    found: list[str] = []
    while isinstance(node, (ast.Attribute, ast.Call, ast.Subscript)):
        if isinstance(node, ast.Attribute):
            found.append(node.attr)
            node = node.value
        else:
            found = ["()"]
            node = node.func if isinstance(node, ast.Call) else node.value
    return [*([node.id] if isinstance(node, ast.Name) else ["()"]), *reversed(found)]


def names_used(tree: ast.Module) -> Iterator[str]:
    """Yield PyTorch's private names in a module: imported ones by full names, attributes with a dot."""
    imported = {"torch": "torch"}
    nodes = [*ast.walk(tree)]
    own = {n.name for n in nodes if isinstance(n, (ast.FunctionDef, ast.ClassDef))}
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "torch":
            names = {a.asname or a.name: f"{node.module}.{a.name}" for a in node.names}
            imported |= names
            yield from filter(None, map(private_part, names.values()))
        elif isinstance(node, ast.Import):
            imported |= {a.asname: a.name for a in node.names if a.asname}
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            own.add(node.attr if words(node.value) == ["self"] else "")
    for node in nodes:
        if isinstance(node, ast.Attribute):
            head, *rest = words(node)
            if imported.get(head, "").startswith("torch") and all(
                part.isidentifier() for part in rest
            ):
                if name := private_part(".".join([imported[head], *rest])):
                    yield name
            elif node.attr in attributes() and not (head == "self" and node.attr in own):
                yield f".{node.attr}"
        elif isinstance(node, ast.Constant) and isinstance(text := node.value, str):
            # Asked for by `getattr`, or compared with what PyTorch says.
            prefix = text.endswith("_")
            if (
                len(text) > 2
                and is_private(text)
                and any(  # a shorter one is a type variable
                    name == text or (prefix and name.startswith(text)) for name in attributes()
                )
            ):
                yield f".{text}"


def private_part(name: str) -> str | None:
    """Return a name up to its first private part that is no module."""
    parts = name.split(".")
    if not any(map(is_private, parts)):
        return None
    thing: Any = torch
    private = False
    for k, part in enumerate(parts[1:], start=1):
        private = private or is_private(part)
        if hasattr(thing, part):
            thing = getattr(thing, part)
        else:  # some packages delete the names of their modules
            try:
                thing = importlib.import_module(".".join(parts[: k + 1]))
            except ModuleNotFoundError:  # a module of newer releases
                return ".".join([*parts[: k + 1], *filter(is_private, parts[k + 1 :])])
        if private and not isinstance(thing, ModuleType):
            return ".".join(parts[: k + 1])
    return None


def test_names_are_found_however_they_are_imported() -> None:
    source = """
import torch.distributed as dist
from torch import _C as inner
from torch.nn.modules.batchnorm import _BatchNorm as Base
store = dist.distributed_c10d._get_default_store()
level = inner._functorch.maybe_current_level()
version, saved = x._version, getattr(node, "_saved_self")
self._own = torch._ops.OpOverload
"""
    assert set(names_used(ast.parse(source))) == {
        "torch.distributed.distributed_c10d._get_default_store",
        "torch._C._functorch.maybe_current_level",
        "torch.nn.modules.batchnorm._BatchNorm",
        "torch._ops.OpOverload",
        "._version",
        "._saved_self",
    }


def test_the_list_has_each_private_name_of_pytorch_in_the_source() -> None:
    used: dict[str, str] = {}
    for file in SOURCE.rglob("*.py"):
        found = names_used(ast.parse(file.read_text(encoding="utf-8")))
        used |= dict.fromkeys(found, file.relative_to(SOURCE).as_posix())
    unknown = {name: used[name] for name in used.keys() - CHECKS.keys()}
    assert not unknown, f"add what the library needs of these: {unknown}"
    unused = CHECKS.keys() - used.keys()
    assert not unused, f"the library does not use these any more: {unused}"


# Levels of torch.func.


@needed(
    "torch._C._are_functorch_transforms_active",
    "torch._C._functorch.get_interpreter_stack",
    "torch._C._functorch.maybe_current_level",
)
def the_running_transforms_are_counted_from_one() -> None:
    def look(x: torch.Tensor) -> torch.Tensor:
        stack = _functorch.get_interpreter_stack()
        assert torch._C._are_functorch_transforms_active()
        seen.append((_functorch.maybe_current_level(), stack and len(stack)))
        return x

    seen: list[Any] = []
    assert not torch._C._are_functorch_transforms_active()
    assert not _functorch.maybe_current_level()
    assert not _functorch.get_interpreter_stack()
    torch.vmap(look)(torch.ones(3))
    torch.vmap(torch.vmap(look))(torch.ones(3, 2))
    assert seen == [(1, 1), (2, 2)]


@needed("torch._C._functorch.CVmapInterpreterPtr")
def a_running_vmap_says_the_size_of_its_batch() -> None:
    def look(x: torch.Tensor) -> torch.Tensor:
        for i in _functorch.get_interpreter_stack() or ():
            seen.append((i.level(), _functorch.CVmapInterpreterPtr(i).batchSize()))
        return x

    seen: list[tuple[int, int]] = []
    torch.vmap(torch.vmap(look))(torch.ones(3, 2))
    assert seen == [(1, 3), (2, 2)]


@needed("torch._C._functorch.TransformType")
def a_transform_says_whether_it_is_forward_mode() -> None:
    def look(x: torch.Tensor) -> torch.Tensor:
        for interpreter in _functorch.get_interpreter_stack() or ():
            seen.append(interpreter.key() == _functorch.TransformType.Jvp)
        return x

    seen: list[bool] = []
    torch.func.vmap(lambda x: torch.func.jvp(look, (x,), (x,)))(torch.ones(3))
    assert seen == [False, True]


@needed(
    "torch._C._functorch.get_unwrapped",
    "torch._C._functorch.is_batchedtensor",
    "torch._C._functorch.is_functorch_wrapped_tensor",
    "torch._C._functorch.maybe_get_bdim",
    "torch._C._functorch.maybe_get_level",
)
def a_wrapped_tensor_says_its_level_its_dimension_and_what_it_wraps() -> None:
    def about(x: torch.Tensor) -> tuple[Any, ...]:
        wrapped, batched = _functorch.is_functorch_wrapped_tensor(x), _functorch.is_batchedtensor(x)
        return wrapped, batched, _functorch.maybe_get_bdim(x), _functorch.maybe_get_level(x)

    def look(x: torch.Tensor) -> torch.Tensor:
        assert about(x) == (True, True, 1, 1)
        assert _functorch.get_unwrapped(x).shape == (2, 3)
        torch.func.grad(look_deeper)(x)
        return x

    def look_deeper(x: torch.Tensor) -> torch.Tensor:
        assert about(x)[:2] == (True, False)
        assert about(x)[2] < 0
        assert about(x)[3] == 2
        assert about(_functorch.get_unwrapped(x)) == (True, True, 1, 1)
        return x.sum()

    plain = about(torch.ones(2, 3))
    assert plain[:2] == (False, False)
    assert plain[2] < 0 > plain[3]
    torch.vmap(look, in_dims=1)(torch.ones(2, 3))


@needed("torch._C._functorch.unwrap_if_dead")
def what_has_left_its_transform_is_unwrapped() -> None:
    def look(x: torch.Tensor) -> torch.Tensor:
        assert _functorch.unwrap_if_dead(x) is x
        left.append(x)
        return x.sum()

    left: list[torch.Tensor] = []
    torch.func.grad(look)(torch.ones(2))
    assert _functorch.is_functorch_wrapped_tensor(left[0])
    assert not _functorch.is_functorch_wrapped_tensor(_functorch.unwrap_if_dead(left[0]))


@needed("torch._C._functorch._add_batch_dim")
def a_dimension_is_mapped_at_a_level() -> None:
    def look(x: torch.Tensor) -> torch.Tensor:
        level = _functorch.maybe_current_level()
        y = _functorch._add_batch_dim(rows, 0, level)
        assert y.shape == (2,)
        return x.sum() * y

    rows = torch.arange(6.0).reshape(3, 2)
    out = torch.vmap(look)(torch.ones(3, 4))
    torch.testing.assert_close(out, 4 * rows)


@needed("torch._functorch.pyfunctorch.temporarily_pop_interpreter_stack")
def a_block_can_leave_a_transform() -> None:
    from torch._functorch.pyfunctorch import temporarily_pop_interpreter_stack

    def look(x: torch.Tensor) -> torch.Tensor:
        with temporarily_pop_interpreter_stack():
            assert not _functorch.maybe_current_level()
            torch.rand(2)  # is an error below `vmap`
        assert _functorch.maybe_current_level() == 1
        return x

    torch.vmap(look)(torch.ones(3))


@needed("torch._C._functorch.is_legacy_batchedtensor")
def batched_gradients_are_known_from_others() -> None:
    x = variable(1.0, 2.0)
    SEEN.clear()
    torch.autograd.grad(Double.apply(x), x, torch.eye(2), is_grads_batched=True)
    torch.autograd.grad(Double.apply(x), x, torch.ones(2))
    assert SEEN == [True, False]


# Modes.


@needed("torch._C.DisableTorchFunction", "torch.overrides._get_current_function_mode_stack")
def modes_are_listed_from_the_outermost_and_can_be_blind() -> None:
    x = torch.ones(2)
    with Seeing() as outer, Seeing() as inner:
        modes = torch.overrides._get_current_function_mode_stack()
        outer.seen.clear()
        with torch._C.DisableTorchFunction():
            x.exp()
        assert not outer.seen
        x.exp()
        assert torch.Tensor.exp in outer.seen
    assert modes == [outer, inner]


@needed("torch._C._set_grad_enabled")
def modes_see_that_gradients_are_turned_off() -> None:
    with Seeing() as mode, torch.no_grad():
        pass
    assert torch._C._set_grad_enabled in mode.seen
    torch._C._set_grad_enabled(False)
    off = torch.is_grad_enabled()
    torch._C._set_grad_enabled(True)
    assert not off


class Dispatched(TorchDispatchMode):
    """Notes whether autograd is above it."""

    def __init__(self) -> None:
        super().__init__()
        self.below: list[bool] = []

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        key = torch._C.DispatchKey.AutogradFunctionality
        self.below.append(torch._C._dispatch_tls_is_dispatch_key_excluded(key))
        return func(*args, **(kwargs or {}))


@needed("torch._C.DispatchKey", "torch._C._dispatch_tls_is_dispatch_key_excluded")
def autograd_is_excluded_inside_of_an_operation() -> None:
    key = torch._C.DispatchKey.AutogradFunctionality
    assert not torch._C._dispatch_tls_is_dispatch_key_excluded(key)
    with Dispatched() as mode:
        torch.ones(2).exp()
    assert mode.below
    assert all(mode.below)


@needed("torch.utils._python_dispatch._disable_current_modes")
def dispatch_modes_can_be_left() -> None:
    from torch.utils._python_dispatch import _disable_current_modes

    with Dispatched() as mode, Dispatched():
        with _disable_current_modes():
            torch.ones(2).exp()
        assert not mode.below
        torch.ones(2).exp()
        assert mode.below


# Autograd.


@needed(
    "torch._C._current_autograd_node",
    "torch._C._autograd._get_current_graph_task_keep_graph",
)
def a_hook_knows_the_backward_pass_that_it_is_in() -> None:
    def look(_: Any) -> None:
        node = torch._C._current_autograd_node()
        kept = torch._C._autograd._get_current_graph_task_keep_graph()
        seen.append((node is y.grad_fn, kept))

    x, seen = variable(1.0), list[Any]()
    y = x.exp()
    y.grad_fn.register_prehook(look)
    for keep in (True, False):
        torch.autograd.grad(y, x, retain_graph=keep)
    assert seen == [(True, True), (True, False)]
    assert torch._C._current_autograd_node() is None
    assert torch._C._autograd._get_current_graph_task_keep_graph()


@needed("torch.autograd.graph._engine_run_backward")
def the_engine_runs_unseen_by_modes_and_under_its_name() -> None:
    from torch.autograd.graph import _engine_run_backward

    def look(_: Any) -> None:
        frames.extend(frame.function for frame in inspect.stack())

    x, frames = variable(2.0), list[str]()
    y = (x * x).sum()
    y.register_hook(look)
    one = torch.tensor(1.0)
    with Seeing() as mode:
        (g,) = _engine_run_backward((y,), (one,), True, True, (x,), True, accumulate_grad=False)
    assert not mode.seen
    assert "_engine_run_backward" in frames
    assert g.requires_grad
    torch.testing.assert_close(g.detach(), torch.tensor([4.0]))


@needed("torch._C._autograd._top_saved_tensors_default_hooks")
def hooks_on_saved_tensors_are_a_stack() -> None:
    top: Callable[[bool], Any] = torch._C._autograd._top_saved_tensors_default_hooks

    def pack(x: torch.Tensor) -> torch.Tensor:
        packed.append(x)
        return x

    def unpack(x: torch.Tensor) -> torch.Tensor:
        return x

    packed: list[torch.Tensor] = []
    assert top(True) is None
    with saved_tensors_hooks(pack, unpack):
        assert top(True) == (pack, unpack)
        saved_tensors_hooks(pack, unpack).__exit__()
        assert top(True) is None
        variable(1.0).exp()
        assert not packed
        saved_tensors_hooks(pack, unpack).__enter__()
        variable(1.0).exp()
        assert packed
    assert top(True) is None


@needed(
    "torch._C._is_fwd_grad_enabled",
    "torch.autograd.forward_ad._current_level",
    "torch.autograd.forward_ad._set_fwd_grad_enabled",
)
def forward_mode_can_be_turned_off() -> None:
    assert forward_ad._current_level < 0
    assert torch._C._is_fwd_grad_enabled()
    with forward_ad.dual_level():
        assert forward_ad._current_level >= 0
        x = forward_ad.make_dual(torch.tensor(1.0), torch.tensor(2.0))
        with forward_ad._set_fwd_grad_enabled(False):
            assert not torch._C._is_fwd_grad_enabled()
            assert forward_ad.unpack_dual(x * x).tangent is None
        assert forward_ad.unpack_dual(x * x).tangent == 4


@needed("._version")
def each_write_is_a_version_unless_it_is_kept() -> None:
    x = torch.ones(2)
    before = x._version
    x.detach().add_(1.0)  # shares memory and version
    assert x._version == before + 1
    y = (variable(1.0, 2.0) * x).sum()
    x.data.mul_(2.0)
    assert x._version == before + 1
    y.backward()  # did not notice


@needed("._sequence_nr")
def nodes_are_numbered_in_the_order_in_which_they_were_made() -> None:
    x = variable(1.0)
    first, second, third = x.exp(), x.sin(), x.cos()
    numbers = [y.grad_fn._sequence_nr() for y in (first, second, third)]
    assert numbers == sorted(set(numbers))
    # A leaf's node counts as the latest; it is known by its variable.
    assert first.grad_fn.next_functions[0][0].variable is x


@needed("._input_metadata")
def a_node_knows_the_shapes_and_dtypes_of_its_results() -> None:
    values, _ = torch.ones(2, 3, dtype=torch.float64, requires_grad=True).max(dim=1)
    (about, *_) = values.grad_fn._input_metadata
    assert (tuple(about.shape), about.dtype, about.device) == ((2,), torch.float64, values.device)


@needed("._forward_cls")
def the_node_of_a_custom_function_knows_its_class() -> None:
    node = Double.apply(variable(1.0)).grad_fn
    assert node._forward_cls is type(node)._forward_cls is Double
    assert not hasattr(variable(1.0).exp().grad_fn, "_forward_cls")


@needed("._raw_saved_", "._raw_saved_other", "._raw_saved_self", "._saved_")
def what_a_node_saves_can_be_looked_at_until_it_is_freed() -> None:
    x = variable(1.0, 2.0)
    scaled = (x * 0.5).grad_fn
    assert scaled._raw_saved_other.data.dim() == 0  # a number
    assert scaled._raw_saved_self.data is None  # not needed
    y = x * x.exp()
    slot = y.grad_fn._raw_saved_self
    assert slot.data.data_ptr() == y.grad_fn._saved_self.data_ptr() == x.data_ptr()
    y.sum().backward()
    assert slot.data is None
    with pytest.raises(RuntimeError, match="already been freed"):
        y.grad_fn._saved_self  # noqa: B018


# Tensors.


@needed("._base")
def a_view_knows_its_base() -> None:
    x = torch.ones(4)
    assert x[1:]._base is x[1:][1:]._base is x
    assert x._base is None
    assert (x * 1)._base is None


@needed("._cdata")
def a_storage_has_an_identity() -> None:
    x = torch.ones(4)
    assert x.untyped_storage()._cdata == x[1:].untyped_storage()._cdata
    empty, other = torch.ones(0), torch.ones(0)
    assert empty.untyped_storage()._cdata != other.untyped_storage()._cdata


@needed("._backward_hooks", "._backward_pre_hooks")
def hooks_of_tensors_and_modules_are_in_tables() -> None:
    x, fired = variable(1.0), list[int]()
    x.register_hook(lambda g: fired.append(1))
    kept = dict(x._backward_hooks)
    x._backward_hooks.clear()
    x.exp().backward()
    assert not fired
    x._backward_hooks.update(kept)
    x.exp().backward()
    assert fired == [1]
    module = nn.Linear(1, 1)
    assert not module._backward_hooks
    assert not module._backward_pre_hooks
    module.register_full_backward_hook(lambda *_: None)
    module.register_full_backward_pre_hook(lambda *_: None)
    assert module._backward_hooks
    assert module._backward_pre_hooks


@needed("torch._linalg_check_errors")
def a_singular_matrix_is_an_error_with_the_name_of_the_function() -> None:
    torch._linalg_check_errors(
        torch.tensor(0, dtype=torch.int32), "torch.linalg.solve", is_matrix=True
    )
    with pytest.raises(torch.linalg.LinAlgError, match=r"torch\.linalg\.solve"):
        torch._linalg_check_errors(
            torch.tensor(2, dtype=torch.int32), "torch.linalg.solve", is_matrix=True
        )


# Modules, optimizers, data.


@needed("torch._weight_norm", "torch.nn.utils.parametrizations._WeightNorm")
def weight_normalization_is_one_operation_of_a_parametrization() -> None:
    linear = nn.utils.parametrizations.weight_norm(nn.Linear(3, 2), dim=0)
    (part,) = linear.parametrizations["weight"]
    assert type(part) is nn.utils.parametrizations._WeightNorm
    assert part.dim == 0
    g, v = torch.tensor([[2.0], [3.0]]), torch.tensor([[3.0, 0.0, 4.0], [0.0, 1.0, 0.0]])
    with Seeing() as mode:
        out = part(g, v)
    assert torch._weight_norm in mode.seen
    torch.testing.assert_close(out, torch.tensor([[1.2, 0.0, 1.6], [0.0, 3.0, 0.0]]))
    torch.testing.assert_close(torch._weight_norm(v, g, 0), out)


@needed("._get_no_batch_dim")
def instance_normalization_knows_the_dimensions_of_one_example() -> None:
    assert [nn.InstanceNorm1d(1)._get_no_batch_dim(), nn.InstanceNorm3d(1)._get_no_batch_dim()] == [
        2,
        4,
    ]


@needed("torch.nn.modules.module._global_forward_hooks_with_kwargs")
def a_global_hook_with_keywords_is_in_a_table_by_its_number() -> None:
    table = nn.modules.module._global_forward_hooks_with_kwargs
    handle = nn.modules.module.register_module_forward_hook(lambda *_: None, with_kwargs=True)
    assert handle.id in table
    handle.remove()
    table.pop(handle.id, None)


@needed("._buffers", "._modules", "._non_persistent_buffers_set", "._parameters")
def a_module_has_its_parts_in_tables() -> None:
    module = nn.Module()
    module.weight, module.part = nn.Parameter(torch.ones(1)), nn.Linear(1, 1)
    module.register_buffer("kept", torch.zeros(1))
    module.register_buffer("lost", torch.zeros(1), persistent=False)
    tables = ("_parameters", "_buffers", "_modules")
    assert [[*vars(module)[name]] for name in tables] == [["weight"], ["kept", "lost"], ["part"]]
    assert module._non_persistent_buffers_set == {"lost"}
    module._parameters["weight"] = new = torch.full((1,), 2.0)
    module._modules["part"] = other = nn.Identity()
    assert module.weight is new
    assert module.part is other


@needed("._apply", "._load_from_state_dict", "._save_to_state_dict")
def a_module_moves_saves_and_loads_its_own_part_by_methods() -> None:
    class Own(nn.Linear):
        def _apply(self, fn: Any, recurse: bool = True) -> Any:
            called.append("apply")
            return super()._apply(fn, recurse)

        def _save_to_state_dict(self, destination: Any, prefix: str, keep_vars: bool) -> None:
            called.append(f"save {prefix}")
            super()._save_to_state_dict(destination, prefix, keep_vars)

        def _load_from_state_dict(self, state: Any, prefix: str, metadata: Any, *rest: Any) -> None:
            strict, missing, unexpected, errors = rest
            called.append(f"load {prefix} {metadata.get('assign_to_params_buffers', False)}")
            super()._load_from_state_dict(
                state, prefix, metadata, strict, missing, unexpected, errors
            )

    called: list[str] = []
    net = nn.Sequential(Own(1, 1)).double()
    state = net.state_dict()
    net.load_state_dict(state)
    net.load_state_dict(state, assign=True)
    assert [*state] == ["0.weight", "0.bias"]
    assert called == ["apply", "save 0.", "load 0. False", "load 0. True"]


@needed("._init_group", "._optimizer_step_post_hooks", "._optimizer_step_pre_hooks")
def an_optimizers_step_is_made_of_these() -> None:
    class Own(torch.optim.SGD):
        def _init_group(self, *args: Any) -> Any:
            called.append("own")
            return super()._init_group(*args)

    called: list[str] = []
    x = variable(1.0)
    x.grad = torch.ones(1)
    optimizer = Own([x], 0.1)
    assert not optimizer._optimizer_step_pre_hooks
    assert not optimizer._optimizer_step_post_hooks
    optimizer.register_step_pre_hook(lambda *_: called.append("before"))
    optimizer.register_step_post_hook(lambda *_: called.append("after"))
    assert optimizer._optimizer_step_pre_hooks
    assert optimizer._optimizer_step_post_hooks
    optimizer.step()
    assert called == ["before", "own", "after"]


@needed(
    "torch.optim.optimizer._global_optimizer_post_hooks",
    "torch.optim.optimizer._global_optimizer_pre_hooks",
    "torch.autograd._profiler_enabled",
)
def a_step_is_observed_if_one_of_these_is_there() -> None:
    from torch.optim import optimizer

    hooks = optimizer._global_optimizer_pre_hooks, optimizer._global_optimizer_post_hooks
    assert not any(hooks)
    handles = [
        optimizer.register_optimizer_step_pre_hook(lambda *_: None),
        optimizer.register_optimizer_step_post_hook(lambda *_: None),
    ]
    assert all(hooks)
    for handle in handles:
        handle.remove()
    assert not torch.autograd._profiler_enabled()
    with torch.profiler.profile(acc_events=True):
        assert torch.autograd._profiler_enabled()


@needed("torch._foreach_add_")
def tensors_of_several_shapes_are_added_at_once() -> None:
    tensors = [torch.ones(2), torch.ones(3, 1)]
    torch._foreach_add_(tensors, [torch.ones(2), torch.full((3, 1), 2.0)])
    assert [x.flatten().tolist() for x in tensors] == [[2.0, 2.0], [3.0, 3.0, 3.0]]


@needed("torch.utils._pytree.register_pytree_node")
def vmap_takes_and_returns_a_registered_class() -> None:
    from torch.utils._pytree import register_pytree_node

    class Pair:
        def __init__(self, x: Any, y: Any) -> None:
            self.x, self.y = x, y

    register_pytree_node(Pair, lambda p: ([p.x, p.y], "context"), lambda xy, _: Pair(*xy))
    out = torch.vmap(lambda p: Pair(p.y, p.x.sum()))(Pair(torch.ones(3, 2), torch.zeros(3)))
    assert isinstance(out, Pair)
    assert (out.x.shape, out.y.tolist()) == ((3,), [2.0, 2.0, 2.0])


@needed("._forward_hooks", "._forward_pre_hooks")
def a_hook_of_fully_shard_is_a_method_of_what_has_the_policy() -> None:
    from torch.distributed.fsdp._fully_shard._fsdp_state import FSDPState

    module = nn.Linear(1, 1)
    state = FSDPState()
    state._mp_policy = None  # type: ignore[assignment]
    module.register_forward_pre_hook(state._pre_forward, with_kwargs=True)
    module.register_forward_hook(state._post_forward)
    for hooks in (module._forward_pre_hooks, module._forward_hooks):
        assert [hook.__self__ for hook in hooks.values()] == [state]
    one = vars(state).get("_fsdp_param_group")  # up to PyTorch 2.11
    assert not vars(state).get("_fsdp_param_groups", one)


# Processes.


@needed(
    "._get_current_rpc_agent",
    "._is_current_rpc_agent_set",
    "torch.distributed.distributed_c10d._get_default_store",
)
def a_process_has_one_agent_and_one_store() -> None:
    program = """
import tempfile, torch.distributed as dist
from torch.distributed import rpc

assert not rpc.api._is_current_rpc_agent_set()
with tempfile.TemporaryDirectory() as folder:
    options = rpc.TensorPipeRpcBackendOptions(init_method=f"file://{folder}/rpc")
    rpc.init_rpc("worker", rank=0, world_size=1, rpc_backend_options=options)
    assert rpc.api._is_current_rpc_agent_set()
    agent = rpc.api._get_current_rpc_agent()
    assert agent is rpc.api._get_current_rpc_agent()
    assert agent.get_worker_info().name == "worker"
    rpc.shutdown()
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    store = dist.distributed_c10d._get_default_store()
    store.set("key", "value")
    assert store.get("key") == b"value" and store.check(["key"]) and not store.check(["other"])
    dist.destroy_process_group()
"""
    status, _, err = Program(["-c", program], dict(os.environ)).end()
    assert status == 0, err


# The compiler.


@needed("._schema", "torch._subclasses.FakeTensorMode")
def a_traced_operation_says_whether_it_writes() -> None:
    from torch._subclasses import FakeTensorMode

    with FakeTensorMode():
        x = torch.empty(1 << 40)  # takes no memory
        graph = make_fx(lambda x: x.sin().cos_())(x).graph
    operations = [node.target for node in graph.nodes if node.op == "call_function"]
    assert [operation._schema.is_mutable for operation in operations] == [False, True]


@needed("torch._dynamo.symbolic_convert.TensorifyState")
@pytest.mark.compiled
def a_tensor_of_one_number_need_not_be_traced_again() -> None:
    from torch._dynamo.backends.debugging import aot_eager
    from torch._dynamo.symbolic_convert import TensorifyState

    def times_compiled(keep: bool) -> int:
        traced: list[Any] = []

        def backend(graph: Any, inputs: Any) -> Any:
            traced.append(graph)
            for node in graph.graph.find_nodes(op="placeholder"):
                number = node.meta["example_value"].item_memo
                if keep and isinstance(number, torch.SymFloat):
                    TensorifyState.specialize(str(number.node.expr))
            return aot_eager(graph, inputs)

        def function(x: torch.Tensor, k: torch.Tensor) -> torch.Tensor:
            return x * k

        torch._dynamo.reset()
        compiled = torch.compile(function, backend=backend, dynamic=False)
        for k in (2.0, 3.0):
            assert compiled(torch.ones(1), torch.tensor(k, dtype=torch.float64)).item() == k
        return len(traced)

    assert times_compiled(keep=True) == 1
    assert times_compiled(keep=False) == 2  # else this name is not needed any more


@needed("torch._guards.tracing")
def the_context_of_a_trace_can_be_left() -> None:
    context = torch._guards.TracingContext(None)
    with torch._guards.tracing(context):
        assert torch._guards.TracingContext.try_get() is context
        with torch._guards.tracing(None):
            assert torch._guards.TracingContext.try_get() is None
        assert torch._guards.TracingContext.try_get() is context


@needed("torch._C._dynamo.eval_frame.get_eval_frame_callback", "torch._compile._disable_dynamo")
@pytest.mark.compiled
def a_function_can_be_left_out_and_the_compiler_is_asked_for() -> None:
    from torch._C._dynamo.eval_frame import get_eval_frame_callback
    from torch._compile import _disable_dynamo

    @_disable_dynamo
    def apart(x: torch.Tensor) -> torch.Tensor:
        callbacks.append(get_eval_frame_callback())
        return x.sin()

    @torch.compiler.disable(recursive=False)
    def between(x: torch.Tensor) -> torch.Tensor:
        callbacks.append(get_eval_frame_callback())
        return x

    def backend(graph: Any, _: Any) -> Any:
        traced.extend(node.target for node in graph.graph.nodes)
        return graph

    callbacks, traced = list[Any](), list[Any]()
    assert not get_eval_frame_callback()
    torch.compile(lambda x: between(apart(x.exp()).cos()), backend=backend)(torch.ones(2))
    assert not get_eval_frame_callback()
    assert [bool(callback) for callback in callbacks] == [False, True]
    assert {"exp", "cos"} <= set(traced)
    assert "sin" not in traced


@needed(
    "torch._C._dynamo.eval_frame._debug_get_cache_entry_list",
    "torch._dynamo.config.patch",
    "torch._dynamo.eval_frame._stance",
)
@pytest.mark.compiled
def the_versions_of_a_compiled_function_can_be_called_and_know_their_arguments() -> None:
    from torch._C._dynamo.eval_frame import _debug_get_cache_entry_list

    def function(x: torch.Tensor, factor: int) -> torch.Tensor:
        return x * factor

    x = torch.arange(3.0)
    assert not _debug_get_cache_entry_list(function.__code__)
    with torch._dynamo.config.patch(record_runtime_overhead=False):
        torch.compile(function, backend="eager", dynamic=False)(x, 5)
    (entry,) = _debug_get_cache_entry_list(function.__code__)
    check = entry.guard_manager.check
    assert check({"x": x + 1, "factor": 5})
    assert not check({"x": x, "factor": 6})
    assert not check({"x": x.double(), "factor": 5})
    version = FunctionType(entry.code, function.__globals__)
    assert version(x + 1, 5).tolist() == [5.0, 10.0, 15.0]
    stance = torch._dynamo.eval_frame._stance
    assert (stance.stance, stance.backend) == ("default", None)
    with torch.compiler.set_stance("force_eager"):
        assert torch._dynamo.eval_frame._stance.stance == "force_eager"
    with torch.compiler.set_stance("default", force_backend="eager"):
        assert torch._dynamo.eval_frame._stance.backend == "eager"


@needed("torch._dynamo.guards._get_closure_vars")
@pytest.mark.compiled
def guards_can_check_more() -> None:
    from torch._C._dynamo.eval_frame import _debug_get_cache_entry_list
    from torch._dynamo.guards import _get_closure_vars

    def completed(create: Any, builder: Any, guard: Any) -> None:
        create(builder, guard)
        names = {**_get_closure_vars(), "_check": lambda table: "no" not in table}
        builder.add_python_lambda_leaf_guard_to_root([f"_check({guard.name})"], ["a check"], names)

    def complete(guards: Any) -> list[bool]:
        for g in guards:
            if g.has_value and g.guard_type == "TYPE_MATCH" and isinstance(g.value, dict):
                g.orig_guard.create_fn = functools.partial(completed, g.orig_guard.create_fn)
        return [True] * len(guards)

    def function(x: torch.Tensor, plain: Any, ordered: Any) -> torch.Tensor:
        for factor in ordered.values():
            x = x * factor
        return x * plain["k"]

    x, plain, ordered = torch.ones(2), {"k": 2}, {"k": 3}
    options: Any = {"guard_filter_fn": complete}
    torch.compile(function, backend="eager", options=options)(x, plain, ordered)
    (entry,) = _debug_get_cache_entry_list(function.__code__)
    check = entry.guard_manager.check
    assert check({"x": x, "plain": plain, "ordered": ordered})
    assert not check({"x": x, "plain": {"k": 2, "no": 1}, "ordered": ordered})
    assert not check({"x": x, "plain": None, "ordered": ordered})


@needed("torch._dynamo.variables.object_protocol._get_cached_slots")
def the_slots_of_a_class_are_cached() -> None:
    module = "torch._dynamo.variables.object_protocol"
    _get_cached_slots = pytest.importorskip(module, reason="since 2.13")._get_cached_slots
    made = type("Made", (), {})
    before = _get_cached_slots(made)
    made.__bool__ = lambda self: False  # type: ignore[attr-defined]
    assert _get_cached_slots(made) == before
    _get_cached_slots.cache_clear()
    assert _get_cached_slots(made) != before


@needed("._add_batch_dim", "._remove_batch_dim", "._unwrap_for_grad", "._wrap_for_grad")
@pytest.mark.compiled
def a_graph_has_the_levels_of_transforms_as_arguments() -> None:
    def backend(graph: Any, _: Any) -> Any:
        for node in graph.graph.nodes:
            place = places.get(getattr(node.target, "__name__", ""))
            if place is not None:
                levels.setdefault(node.target.__name__, set()).add(node.args[place])
        return graph

    places = {
        "_add_batch_dim": 2,
        "_remove_batch_dim": 1,
        "_unwrap_for_grad": 1,
        "_wrap_for_grad": 1,
    }
    levels: dict[str, set[int]] = {}
    gradients = torch.func.vmap(torch.func.grad(lambda x: x.sin().sum()))
    torch.compile(gradients, backend=backend)(torch.ones(3, 2))
    assert levels == {name: {1} if "batch" in name else {2} for name in places}


@needed("torch._inductor.compile_fx.compile_fx")
@pytest.mark.compiled
@pytest.mark.slow  # Inductor's code; the fast tests have it in test_compiled_steps.py
def a_graph_is_compiled_for_its_inputs() -> None:
    from torch._inductor.compile_fx import compile_fx

    def backend(graph: Any, inputs: Any) -> Any:
        return compile_fx(graph, inputs, config_patches={"triton.cudagraphs": False})

    x = torch.tensor([0.5, 1.5])
    y = torch.compile(lambda x: x.sin().exp(), backend=backend)(x)
    torch.testing.assert_close(y, x.sin().exp())
    graph = make_fx(lambda x: [x.sin(), x.cos()])(x)
    torch.testing.assert_close(list(compile_fx(graph, [x])(x)), [x.sin(), x.cos()])


@needed("torch._dynamo.graph_break")
@pytest.mark.compiled
def a_graph_ends_where_it_is_told_and_the_reason_is_said() -> None:
    def backend(graph: Any, _: Any) -> Any:
        graphs.append(graph)
        return graph

    def broken(x: torch.Tensor) -> torch.Tensor:
        y = x.sin()
        torch._dynamo.graph_break(msg="for this reason")
        return y.cos()

    graphs: list[Any] = []
    x = torch.ones(2)
    torch.testing.assert_close(torch.compile(broken, backend=backend)(x), broken(x))
    assert len(graphs) == 2
    with pytest.raises(torch._dynamo.exc.Unsupported, match="for this reason"):
        torch.compile(broken, backend="eager", fullgraph=True)(x)


@needed("torch._ops.HigherOrderOperator")
@pytest.mark.compiled
def an_operator_that_is_named_as_wrap_is_traced_as_wrap_and_called_with_a_graph() -> None:
    from torch._ops import HigherOrderOperator

    class Hand(HigherOrderOperator):
        def __init__(self) -> None:
            super().__init__("torchopt_private_hand")
            self.__name__, self.__module__ = "wrap", __name__

        @torch.compiler.disable
        def __call__(self, function: Any, *operands: torch.Tensor) -> Any:
            called.append(function)
            return function(*operands)

    called: list[Any] = []
    hand = Hand()
    y = torch.compile(lambda x: hand(lambda x: (x.sin(),), x)[0], backend="eager")(torch.ones(2))
    torch.testing.assert_close(y, torch.ones(2).sin())
    assert isinstance(called[0], torch.fx.GraphModule)
    assert len(called) == len(called[0].graph.find_nodes(op="call_method", target="sin")) == 1


@needed("torch._functorch.config.patch")
@pytest.mark.compiled
def a_backward_pass_is_compiled_with_the_forward_pass() -> None:
    from functorch.compile import make_boxed_func
    from torch._dynamo.backends.common import aot_autograd

    def compiles(name: str) -> Callable[..., Any]:
        def backend(graph: Any, _: Any) -> Any:
            compiled.append(name)
            return make_boxed_func(graph)

        return backend

    backend = aot_autograd(fw_compiler=compiles("forward"), bw_compiler=compiles("backward"))
    for now, expected in ((False, ["forward"]), (True, ["forward", "backward"])):
        compiled: list[str] = []
        torch._dynamo.reset()
        with torch._functorch.config.patch(force_non_lazy_backward_lowering=now):
            torch.compile(lambda x: x.sin(), backend=backend)(variable(0.5))
        assert compiled == expected


@needed("torch._inductor.decomposition.select_decomp_table")
@pytest.mark.compiled
def the_table_of_inductor_has_a_product_of_a_matrix_and_a_vector() -> None:
    from torch._inductor.decomposition import select_decomp_table

    def product(matrix: torch.Tensor, vector: torch.Tensor) -> torch.Tensor:
        return (matrix * vector).sum(1)

    mv = torch.ops.aten.mv.default
    matrix, vector = torch.ones(40, 30), torch.arange(30.0)
    table = select_decomp_table()
    torch.testing.assert_close(table[mv](matrix, vector), matrix @ vector)
    graph = make_fx(torch.mv, decomposition_table={**table, mv: product})(matrix, vector).graph
    assert graph.find_nodes(op="call_function", target=torch.ops.aten.mul.Tensor)
    assert not graph.find_nodes(op="call_function", target=mv)


@needed("torch._check")
def a_row_is_taken_by_a_number_that_is_not_known() -> None:
    from torch._subclasses import FakeTensorMode
    from torch.fx.experimental.symbolic_shapes import GuardOnDataDependentSymNode, ShapeEnv

    def row(counter: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
        number: Any = counter.item()
        if known:
            torch._check(number >= 0)
            torch._check(number < 3)
        if number < 0 or number >= 3:
            raise IndexError
        return torch.ops.aten.select.int(rows, 0, number)

    for known in (True, False):
        with FakeTensorMode(shape_env=ShapeEnv()) as fake:
            counter, rows = torch.zeros((), dtype=torch.int64), torch.ones(3, 2)
        mode: Any = rows.fake_mode  # type: ignore[attr-defined]
        assert mode is fake
        mode.allow_scalar_outputs = True
        refused = pytest.raises(GuardOnDataDependentSymNode)
        with mode, nullcontext() if known else refused:
            graph = make_fx(row)(counter, rows).graph
            target = torch.ops.aten.select.int
            assert graph.find_nodes(op="call_function", target=target)


@needed("torch._inductor.compile_fx.compile_fx_inner", "torch.ops._inductor_test.realize")
@pytest.mark.compiled
@pytest.mark.slow  # Inductor's code; the fast tests have it in autodiff/test_small_products.py
def a_graph_of_aten_can_be_changed_before_it_is_lowered() -> None:
    from torch._inductor.compile_fx import compile_fx, compile_fx_inner

    def inner(graph: Any, inputs: Any, **options: Any) -> Any:
        places = graph.graph.find_nodes(op="placeholder")
        assert [n.meta["val"].shape for n in places] == [t.shape for t in inputs]
        (node,) = graph.graph.find_nodes(op="call_function", target=torch.ops.aten.mul.Tensor)
        node.target = torch.ops.aten.add.Tensor
        graph.recompile()
        return compile_fx_inner(graph, inputs, **options)

    x, power = torch.ones(5), torch.tensor(0.25)
    graph = make_fx(lambda x, s: [x * torch.ops._inductor_test.realize(s.exp())])(x, power)
    (y,) = compile_fx(graph, [x, power], inner)(x, power)
    torch.testing.assert_close(y, x + power.exp())


@pytest.mark.parametrize(
    "check",
    [
        pytest.param(check, marks=getattr(check, "pytestmark", ()), id=check.__name__)
        for check in dict.fromkeys(CHECKS.values())
    ],
)
def test_pytorch_does_what_the_library_needs(check: Check) -> None:
    check()

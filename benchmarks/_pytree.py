"""The trees of `benchmarks.pytree` and what each library does with them."""

from __future__ import annotations

import importlib
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import torch

from benchmarks._lane import Case

BLOCKS = {
    "ResNet18": (2, 2, 2, 2),
    "ResNet50": (3, 4, 6, 3),
    "ResNet101": (3, 4, 23, 3),
    "ResNet152": (3, 8, 36, 3),
}
TREES = [
    *BLOCKS,
    *(f"{name}, state dict" for name in BLOCKS),
    "ResNet18, dict of dicts",
    "MLP, dict of dicts",
]
OPERATIONS = ["flatten", "unflatten", "map"]


def make_tree(name: str) -> Any:
    """Return the tree of this name in `TREES`.

    The first ones are module trees of mixed containers, filled up to the numbers of nodes in the
    paper's table: 698, 1702, 3317 and 4932.
    """
    model, _, form = name.partition(", ")
    if model == "MLP":
        return {f"layer{i}": {"weight": torch.zeros(1), "bias": torch.zeros(1)} for i in range(3)}
    modules = _modules(model)
    if not form:
        return modules
    named = _parameters(modules)
    if form == "state dict":
        return {f"{path}.{key}": x for path, table in named.items() for key, x in table.items()}
    return named


def _modules(model: str) -> OrderedDict[str, Any]:
    blocks = BLOCKS[model]
    convolutions = 2 if model == "ResNet18" else 3
    net: OrderedDict[str, Any] = OrderedDict(conv1=_conv(), bn1=_norm(), relu=_relu())
    net["maxpool"] = _pool(kernel_size=3, stride=2, padding=1, ceil_mode=False)
    for i, count in enumerate(blocks):
        layer = net[f"layer{i + 1}"] = OrderedDict()
        for j in range(count):
            block = layer[str(j)] = OrderedDict()
            for k in range(convolutions):
                block[f"conv{k + 1}"], block[f"bn{k + 1}"] = _conv(), _norm()
            block["relu"] = _relu()
            if j == 0 and (i > 0 or convolutions == 3):
                block["downsample"] = OrderedDict([("0", _conv()), ("1", _norm())])
    net["avgpool"] = _pool(output_size=1, ceil_mode=False, divisor=1, padding=0)
    parameters = {"weight": torch.zeros(1), "bias": torch.zeros(1)}
    net["fc"] = _module(parameters, {}, inputs=1, outputs=1, device=None)
    return net


def _module(parameters: Any, buffers: Any, **options: Any) -> dict[str, Any]:
    return {"training": True, "parameters": parameters, "buffers": buffers, **options}


def _conv() -> dict[str, Any]:
    parameters = {"weight": torch.zeros(1), "bias": None}
    return _module(parameters, {}, stride=(1, 1), padding=(1, 1), groups=1)


def _norm() -> dict[str, Any]:
    parameters = {"weight": torch.zeros(1), "bias": torch.zeros(1)}
    names = ("running_mean", "running_var", "num_batches_tracked")
    buffers = {name: torch.zeros(1) for name in names}
    return _module(
        parameters, buffers, num_features=1, eps=1e-5, momentum=0.1, affine=True, track=1
    )


def _relu() -> dict[str, Any]:
    hooks: dict[str, Any] = {name: {} for name in ("forward", "forward_pre", "backward", "load")}
    return _module({}, {}, inplace=True, hooks=[hooks, {}, {}])


def _pool(**options: Any) -> dict[str, Any]:
    return _module({}, {}, **options)


def _parameters(modules: Any, path: str = "") -> dict[str, dict[str, torch.Tensor]]:
    """Return the parameters of each module that has some, by its path."""
    found: dict[str, dict[str, torch.Tensor]] = {}
    for name, module in modules.items():
        inner = f"{path}.{name}" if path else name
        if "parameters" not in module:
            found |= _parameters(module, inner)
        elif table := {k: x for k, x in module["parameters"].items() if x is not None}:
            found[inner] = table
    return found


def same(leaf: Any) -> Any:
    """Return its argument: what is mapped over the leaves, so that the tree is what is timed."""
    return leaf


def _step(case: Case, flatten: Any, unflatten: Any, map_: Any) -> Callable[[], Any]:
    tree = make_tree(case["tree"])
    operation = case["operation"]
    if operation == "flatten":
        return lambda: flatten(tree)
    if operation == "map":
        return lambda: map_(same, tree)
    return unflatten(tree)


def _with_structure(module: Any) -> Callable[[Case], Callable[[], Any]]:
    """Return the contender for a library with the interface of JAX's and optree's."""

    def unflatten(tree: Any) -> Callable[[], Any]:
        leaves, structure = module.tree_flatten(tree)
        return lambda: module.tree_unflatten(structure, leaves)

    return lambda case: _step(case, module.tree_flatten, unflatten, module.tree_map)


def ours(case: Case) -> Callable[[], Any]:
    """`torchopt.pytree`."""
    return _with_structure(importlib.import_module("torchopt.pytree"))(case)


def optree(case: Case) -> Callable[[], Any]:
    """The library optree."""
    return _with_structure(importlib.import_module("optree"))(case)


def jax(case: Case) -> Callable[[], Any]:
    """JAX."""
    return _with_structure(importlib.import_module("jax.tree_util"))(case)


def torch_pytree(case: Case) -> Callable[[], Any]:
    """PyTorch's own, which takes the leaves first."""
    module = importlib.import_module("torch.utils._pytree")

    def unflatten(tree: Any) -> Callable[[], Any]:
        leaves, structure = module.tree_flatten(tree)
        return lambda: module.tree_unflatten(leaves, structure)

    return _step(case, module.tree_flatten, unflatten, module.tree_map)


def dm_tree(case: Case) -> Callable[[], Any]:
    """dm-tree, which takes a tree for the structure."""
    module = importlib.import_module("tree")

    def unflatten(tree: Any) -> Callable[[], Any]:
        leaves = module.flatten(tree)
        return lambda: module.unflatten_as(tree, leaves)

    return _step(case, module.flatten, unflatten, module.map_structure)

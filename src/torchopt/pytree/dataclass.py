"""Dataclasses as nodes of other libraries' trees."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import Any, TypeVar

import optree
from torch.utils import _pytree as torch_pytree

from torchopt.pytree._spec import PyTreeSpec
from torchopt.pytree.flattening import flatten, unflatten

_Class = TypeVar("_Class", bound=type[Any])


def register_dataclass(cls: _Class) -> _Class:
    """Make a dataclass a node of PyTorch's and of optree's trees, as it is one of the library's.

    PyTorch sees the tensors in it and no ``None``, so that it can come out of ``torch.func.vmap``.
    """

    def tensors(value: Any) -> tuple[list[Any], tuple[PyTreeSpec, list[bool]]]:
        leaves, spec = flatten(value)
        return [x for x in leaves if x is not None], (spec, [x is not None for x in leaves])

    def put_back(children: Iterable[Any], context: tuple[PyTreeSpec, list[bool]]) -> Any:
        spec, here = context
        it = iter(children)
        return unflatten(spec, [next(it) if is_here else None for is_here in here])

    names = tuple(field.name for field in dataclasses.fields(cls))
    optree.register_pytree_node(
        cls,
        lambda value: (tuple(getattr(value, name) for name in names), None, names),
        lambda _, children: cls(**dict(zip(names, children, strict=True))),
        path_entry_type=optree.DataclassEntry,
        namespace=optree.registry.__GLOBAL_NAMESPACE,
    )
    torch_pytree.register_pytree_node(cls, tensors, put_back)
    return cls

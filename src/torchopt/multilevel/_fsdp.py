"""Levels whose modules are sharded by ``fully_shard`` (FSDP2): evaluated as they are.

Such a module ignores the parameters of a functional call, and returns its gradients (reduced and
sharded) by ``backward()`` only. So an evaluation writes the values into the shards, computes loss and
gradient together, and restores the shards. The result is a function of this process's shards that can
be differentiated once.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import torch
from torch import distributed as dist
from torch.distributed.fsdp import FSDPModule
from torch.distributed.tensor import DTensor, Replicate, Shard

from torchopt.autodiff.function_mode import unseen
from torchopt.autodiff.loops import norm
from torchopt.autodiff.shards import Layout, any_sharded, is_sharded, joined, local
from torchopt.diff import OneStep, ValueFunction
from torchopt.diff.kinds import Minimum
from torchopt.distributed import spmd
from torchopt.multilevel._modes import Descent
from torchopt.multilevel._parallel import Grads, Replicas, Values
from torchopt.pytree import flattening as pytree
from torchopt.pytree import tree_map

if TYPE_CHECKING:
    from torchopt.diff.problem import InnerProblem
    from torchopt.multilevel._node import Node
    from torchopt.multilevel._problem import Problem

_PART = "part of a sharded tensor"
_ONCE = (
    "gradients of a module that is sharded by `fully_shard` cannot be differentiated again: choose "
    'diff=OneStep(hvp="finite_difference") or diff=ValueFunction(), or leave `diff` out'
)


class Shards(Replicas):
    """Processes that hold parts of some problems' parameters, and the same values of all others."""

    def __init__(self) -> None:
        super().__init__()
        self.validates = True  # a sharded module is called by all processes at once
        self._sharded: dict[str, Problem] = {}
        self._params: list[torch.Tensor] = []

    def begin(self, problems: Sequence[Problem]) -> None:
        for problem in problems:
            if any_sharded(problem._held):
                self._check_shards(problem)
                self._sharded[problem.name] = problem
        self._params = [p for problem in problems for p in problem.parameters()]
        super().begin(problems)

    def check_mode(self, node: Node, read: Sequence[Node]) -> None:
        touched = [n.name for n in (node, *read) if n.name in self._sharded]
        if node.mode is None or not touched:
            return
        by_differences = isinstance(node.mode, (OneStep, Descent)) and node.mode.hvp != "reverse"
        if not (by_differences or isinstance(node.mode, ValueFunction)):
            raise ValueError(
                f"problem {node.name!r} is differentiated by {node.mode!r}, but the module of problem "
                f"{touched[0]!r}, which its loss reads, is sharded, and {_ONCE}."
            )
        clips = node.preconditioned and node.problem.config.gradient_clipping
        if node.name in self._sharded and clips:
            raise ValueError(
                f"problem {node.name!r} is sharded and clips its gradients by the norm of all, while "
                f"its optimizer is differentiated in each process's part: leave `gradient_clipping` "
                f"out, or leave out `diff`."
            )

    def mean(self, grads: Grads, like: Sequence[torch.Tensor]) -> Grads:
        reduced = list(grads)  # those of shards are means already
        plain = [i for i, t in enumerate(like) if not is_sharded(t)]
        if not plain:
            return reduced
        means = super().mean([grads[i] for i in plain], [like[i] for i in plain])
        for i, g in zip(plain, means, strict=True):
            reduced[i] = g
        return reduced

    def differentiate(self, loss: torch.Tensor, inputs: Sequence[torch.Tensor]) -> Grads:
        if not any_sharded(inputs):
            return super().differentiate(loss, inputs)
        tensors = list({id(t): t for t in (*self._params, *inputs)}.values())
        before = [t.grad for t in tensors]
        for t in tensors:
            t.grad = None
        try:
            loss.backward()
            return [t.grad for t in inputs]
        finally:
            for t, g in zip(tensors, before, strict=True):
                t.grad = g

    def loss(self, function: Callable[[Values], torch.Tensor], values: Values) -> torch.Tensor:
        if not self._sharded.keys() & values.keys():
            return super().loss(function, values)
        track = torch.is_grad_enabled()

        def evaluate(tensors: Sequence[torch.Tensor], needed: Sequence[bool]) -> Any:
            rest = iter(tensors)
            parts = {name: [next(rest) for _ in each] for name, each in values.items()}
            return self._evaluate(function, parts, needed, track)

        flat = (local(t) for tensors in values.values() for t in tensors)
        loss: torch.Tensor = _Once.apply(evaluate, *flat)
        return loss

    def parts(self, tensors: Grads) -> Grads:
        return [None if t is None else local(t) for t in tensors]

    def localized(self, node: Node, problem: InnerProblem) -> InnerProblem:
        kind = _Divided if node.name in self._sharded else _InPlace
        whole = (problem.params, problem.args, problem.state)
        params, args, state = pytree.map_leaves(local, whole)
        function = problem.kind.function
        return replace(problem, kind=kind(function), params=params, args=args, state=state)

    def packed(self, problem: Problem, state: Any) -> Any:
        return pytree.map_leaves(_pack, state)

    def unpacked(self, problem: Problem, state: Any) -> Any:
        if problem.name not in self._sharded:
            return state
        self._reshard([problem.name])
        mesh = next(p.device_mesh for p in problem._held if is_sharded(p))
        return tree_map(functools.partial(_unpack, mesh), state, is_leaf=_is_packed)

    def in_place(self, problem: Problem) -> bool:
        return problem.name in self._sharded

    def _check_shards(self, problem: Problem) -> None:
        for p in problem._held:
            places = p.placements if is_sharded(p) else ()
            size = p.device_mesh.size() if is_sharded(p) else 1
            if size != self.size or not all(isinstance(place, Shard) for place in places):
                raise ValueError(
                    f"a parameter of problem {problem.name!r}, of shape {tuple(p.shape)}, is not "
                    f"divided among all {self.size} processes, but another is: call `fully_shard` on "
                    f"the whole module, with a mesh of one dimension."
                )

    def _check_module(self, problem: Problem) -> None:
        if problem.name not in self._sharded:
            super()._check_module(problem)

    def _evaluate(
        self,
        function: Callable[[Values], torch.Tensor],
        values: Values,
        needed: Sequence[bool],
        track: bool,
    ) -> tuple[torch.Tensor, Grads]:
        """Return the mean of a loss, and its gradient where it is needed."""
        inputs: dict[str, list[torch.Tensor]] = {}
        with unseen():
            for name, tensors in values.items():
                own = self._sharded[name]._held if name in self._sharded else None
                inputs[name] = own or [t.detach() for t in tensors]
            flat = [t for tensors in inputs.values() for t in tensors]
            variables = [
                t.requires_grad_() for t, n in zip(flat, needed, strict=True) if track and n
            ]
        with self._written({name: values[name] for name in values if name in self._sharded}):
            with torch.set_grad_enabled(track):
                loss = function(inputs)
            with unseen():
                gradients = self.differentiate(loss, variables) if variables else []
                means = iter(self.parts(self.mean(gradients, variables)))
                grads = [next(means) if track and n else None for n in needed]
                return spmd.pmean(loss.detach()), grads

    @contextmanager
    def _written(self, values: Values) -> Iterator[None]:
        """Write values into the shards for a block, and restore the old ones bit for bit."""
        kept = []
        with torch.no_grad(), unseen():
            for name, tensors in values.items():
                for p, new in zip(self._sharded[name]._held, tensors, strict=True):
                    here, there = local(p), local(new)
                    if here.data_ptr() != there.data_ptr():
                        kept.append((here, here.clone()))
                        _write(here, there)
            self._reshard(values)
        try:
            yield
        finally:
            with torch.no_grad(), unseen():
                for here, value in kept:
                    _write(here, value)
                self._reshard(values)

    def _reshard(self, names: Iterable[str]) -> None:
        # What an evaluation has gathered may be of other values.
        for name in names:
            module = self._sharded[name]._module
            for part in () if module is None else module.modules():
                if isinstance(part, FSDPModule):
                    part.reshard()


class _Once(torch.autograd.Function):
    """A loss that computes its gradient with its value; it can be differentiated once."""

    @staticmethod
    def forward(ctx: Any, evaluate: Any, *tensors: torch.Tensor) -> torch.Tensor:
        loss, ctx.grads = evaluate(tensors, ctx.needs_input_grad[1:])
        return loss

    @staticmethod
    def backward(ctx: Any, cotangent: torch.Tensor) -> tuple[Any, ...]:
        if torch.is_grad_enabled():
            raise RuntimeError(f"{_ONCE}.")
        return None, *[None if g is None else g * cotangent for g in ctx.grads]


class _InPlace(Minimum):
    """The minimum of a loss that reads the parameters from the modules themselves."""

    def worst(self, error: torch.Tensor) -> torch.Tensor:
        return _of_each(error).max()


class _Divided(_InPlace):
    """The same, for parameters that are sharded: each process has a part of the norm."""

    def norm(self, tree: Any, order: float = 2.0) -> torch.Tensor:
        return norm(_of_each(super().norm(tree, order)), order)


def _of_each(number: torch.Tensor) -> torch.Tensor:
    """Return the numbers of all processes."""
    numbers: torch.Tensor = spmd.all_gather(number.reshape(1), sizes=[1] * dist.get_world_size())
    return numbers


def _write(here: torch.Tensor, value: torch.Tensor) -> None:
    # Not as a new version: by the time that a graph is used, the values are what they were.
    here.data.copy_(value)


def _pack(leaf: Any) -> Any:
    if not is_sharded(leaf):
        return leaf
    dims = [p.dim if isinstance(p, Shard) else None for p in leaf.placements]
    return {_PART: local(leaf).detach().cpu(), "shape": list(leaf.shape), "dims": dims}


def _is_packed(tree: Any) -> bool:
    return isinstance(tree, dict) and _PART in tree


def _unpack(mesh: Any, leaf: Any) -> Any:
    if not _is_packed(leaf):
        return leaf
    shape = torch.Size(leaf["shape"])
    placements = [Replicate() if dim is None else Shard(dim) for dim in leaf["dims"]]
    stride = torch.empty(shape, device="meta").stride()
    return joined(
        leaf[_PART].to(mesh.device_type), Layout(DTensor, mesh, placements, shape, stride)
    )

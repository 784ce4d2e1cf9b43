"""The run of a solver whose own graph is differentiated, and the error where it keeps none."""

from __future__ import annotations

import weakref
from collections.abc import Iterable
from typing import Any

import torch

from torchopt import checks
from torchopt.autodiff.environment import leaving_no_trace
from torchopt.autodiff.graph import alias, leaves_reached
from torchopt.diff.problem import InnerProblem
from torchopt.diff.solution import Solution
from torchopt.pytree import flattening as pytree
from torchopt.transform.chaining import GradientTransformation


def run_with_graph(problem: InnerProblem) -> Solution:
    """Run a solver, and return its solution with the graph of what it did.

    Raises:
        ValueError: If the solution depends on nothing that the problem depends on.
    """
    if not torch.is_grad_enabled() or checks.transforms_active():
        return problem.run()
    # Aliases: what is reached through the start is not reached by what the solver does.
    start = pytree.map_leaves(alias, problem.params)
    solution = problem.at(start, problem.args).run()
    inputs, solved, args = (
        pytree.partition(tree)[0] for tree in (start, solution.params, problem.args)
    )
    if _leaves(args) & _leaves(solved, inputs):
        return solution
    stayed = all(map(torch.equal, inputs, solved))
    if isinstance(problem.solver, GradientTransformation) and not stayed:
        return solution  # its updates keep the graph, as those of a given number do
    # The start counts only where the function depends on nothing else.
    read = _read(problem, solution.params)
    reached = _leaves(solved, inputs if read else ())
    read = read or _leaves(inputs)
    if read and not read & reached:
        why = (
            "returned its start, whose derivative is not that of a solution"
            if stayed
            else "runs under `no_grad`, detaches, or takes gradients without `create_graph`"
        )
        raise ValueError(
            f"`diff.Explicit()` differentiates what the solver does, but its solution does not depend "
            f"on {_name(problem, read)}, which requires grad: the solver {why}. Use "
            f"`diff.Implicit()`, which differentiates a solution however it was found, or a solver "
            f"that keeps the graph."
        )
    return solution


def _leaves(tensors: Iterable[torch.Tensor], inputs: Iterable[torch.Tensor] = ()) -> set[int]:
    """Return the leaves of the graph of some tensors, by identity, up to the inputs."""
    ends = {t.grad_fn for t in inputs}
    # Aliases: a mode that replaces tensors, where the whole is evaluated again, replaces these, too.
    return {id(t) for t in leaves_reached([*map(alias, tensors)], ends)}


def _read(problem: InnerProblem, x: Any) -> set[int]:
    """Return the leaves that the function's output depends on besides its variables, by identity."""
    x = pytree.map_leaves(lambda t: t.detach().requires_grad_(), x)
    # Random numbers and buffers are left as they are.
    with leaving_no_trace():
        out, aux = problem.kind.output(x, problem.arguments(problem.carry, problem.batch(0)))
    leaves = [weakref.ref(t) for t in leaves_reached(pytree.partition(out)[0])]
    del x, out, aux  # a leaf that nothing else holds was made by the function
    return {id(t) for leaf in leaves if (t := leaf()) is not None}


def _name(problem: InnerProblem, read: set[int]) -> str:
    """Return the name of an input that depends on one of some leaves."""
    for root, tree in (("args", problem.args), ("params", problem.params)):
        leaves, spec = pytree.flatten(tree)
        for index, leaf in enumerate(leaves):
            if isinstance(leaf, torch.Tensor) and read & _leaves([leaf]):
                return f"`{checks.leaf_path(spec, index, root)}`"
    return f"a tensor that the {problem.kind.word} closes over"

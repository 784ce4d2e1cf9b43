"""One function on many tasks, a part of them on each rank."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeVar

import torch

from torchopt import checks
from torchopt.collectives.group import Group, ranks_of
from torchopt.collectives.typed import Replicated, all_gather, balanced, pvary
from torchopt.distributed.spmd.tie import tied
from torchopt.pytree import flattening as pytree
from torchopt.pytree.typing import TensorTree

_Item = TypeVar("_Item", covariant=True)
_Task = TypeVar("_Task")


_TENSOR = checks.Word("return tensors", torch.Tensor)


class Tasks(Protocol[_Item]):
    """An object with a length and items: a list, a tensor, a dataset."""

    def __len__(self) -> int: ...

    def __getitem__(self, index: int, /) -> _Item: ...


def task_map(
    function: Callable[[Replicated, _Task], TensorTree],
    /,
    params: Replicated,
    tasks: Tasks[_Task],
    *,
    group: Group = None,
) -> Replicated:
    r"""Call a function with each of many tasks, differentiably, on all ranks together.

    .. math:: \theta \mapsto (f(\theta, \tau_1), \dots, f(\theta, \tau_n))

    Replicated → replicated: the results are those of the loop over all tasks, and so are their
    derivatives with respect to ``params``, of any order. The forward pass gathers the results (the
    losses, not gradients), a backward pass stays local until one sum over the ranks at its end. Where
    the numbers are not equal, some ranks have a task more.

    Args:
        function: ``function(params, task)``, which returns tensors in any containers, of the same
            shapes for each task. It must depend on what is differentiated by ``params`` only, and on
            random numbers by the task only (a seed in it), not by the rank.
        params: What is differentiated: parameters, hyperparameters; the same on each rank. Tensors
            that are not floating pass through.
        tasks: All tasks, on each rank; a rank asks for its own only, so that a dataset may load them.
        group: As for :func:`psum`.

    Returns:
        The results, stacked along a first dimension in the order of the tasks.

    Raises:
        TypeError: If a result or a parameter is not a tensor.
        ValueError: If there are no tasks.

    Example:
        >>> import torch
        >>> tasks = torch.tensor([1.0, 2.0, 3.0])
        >>> meta_loss = lambda t: task_map(lambda t, task: (t - task) ** 2, t, tasks).mean()
        >>> torch.func.grad(meta_loss)(torch.tensor(0.0))
        tensor(-4.)

    References:
        Finn et al., Model-Agnostic Meta-Learning, 2017. Ren et al., TorchOpt, 2023, section 4.3.
    """
    ranks = ranks_of(group)
    count = len(tasks)
    if count == 0:
        raise ValueError("`tasks` is empty: there is nothing to call the function with.")
    sizes = balanced(count, ranks.size)
    first, own = sum(sizes[: ranks.rank]), sizes[ranks.rank]
    varying = pvary(params, group=group)
    # A rank without a task does the first one and drops it, for the shapes of its results.
    rows = [function(varying, tasks[k]) for k in range(first, first + own) or (0,)]
    leaves = [_tensors(row) for row in rows]
    stacked = [torch.stack(column)[:own] for column in zip(*leaves, strict=True)]
    results = all_gather(tied(stacked, varying), 0, group=group, sizes=sizes)
    return pytree.unflatten(pytree.flatten(rows[0])[1], results)


def _tensors(result: Any) -> list[torch.Tensor]:
    leaves, spec = pytree.flatten(result)
    for index, leaf in enumerate(leaves):
        checks.check(f"`{checks.leaf_path(spec, index, 'result')}` of the function", leaf, _TENSOR)
    return leaves

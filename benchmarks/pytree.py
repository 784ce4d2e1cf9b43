"""Claim: `torchopt.pytree` is ahead of all peers, in flattening and mapping by a factor of two.

All libraries run interleaved in this process, JAX and dm-tree from where `benchmarks.peers install` has
put them.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

import optree

from benchmarks import _pytree, _runner, peers
from benchmarks._lane import Lane
from benchmarks._runner import Contender
from torchopt import pytree

OURS = "torchopt.pytree"
# What the report calls it: the function in `_pytree`, the module, the distribution.
PEERS = {
    "optree": ("optree", "optree", "optree"),
    "JAX": ("jax", "jax", "jax"),
    "torch.utils._pytree": ("torch_pytree", "torch", "torch"),
    "dm-tree": ("dm_tree", "tree", "dm-tree"),
}


def main(argv: Sequence[str] | None = None) -> str:
    """Run the benchmark and return its report."""
    made = _runner.parser("pytree", __doc__)
    made.add_argument("--trees", nargs="+", default=_pytree.TREES, choices=_pytree.TREES)
    made.add_argument("--budget", type=float, default=0.02, help="least seconds of one turn")
    made.add_argument("--peers", type=Path, default=peers.ENVIRONMENT, help="their environment")
    options = made.parse_args(argv)
    packages = peers.packages(options.peers)
    if packages is not None:
        sys.path.append(str(packages))  # the last place: what is here already stays

    lane = Lane(options.threads)
    contenders = [Contender(OURS, "benchmarks._pytree:ours", lane)]
    found, absent = [], []
    for name, (function, module, distribution) in PEERS.items():
        if importlib.util.find_spec(module) is None:
            absent.append(name)
            continue
        contenders.append(Contender(name, f"benchmarks._pytree:{function}", lane))
        found.append(f"{name} ({distribution} {version(distribution)})")

    sections = [
        f"Engine: {pytree.backend()}. Peers: {', '.join(found)}."
        + (f" Not installed here: {', '.join(absent)}." if absent else ""),
        "Microseconds, medians. The last column is the time of the fastest peer over ours: the median "
        "and the quartiles of the ratios within rounds.",
    ]
    for operation in _pytree.OPERATIONS:
        rows = []
        for tree in options.trees:
            _runner.progress(f"{operation}: {tree}")
            rows.append(_row(contenders, tree, operation, options.rounds, options.budget))
        header = ["tree", "nodes", "leaves", *(each.name for each in contenders), "fastest / ours"]
        sections += [f"## {operation.capitalize()}", _runner.table(header, rows)]
    return _runner.write("Trees", sections, made=made, options=options)


def _row(
    contenders: Sequence[Contender], name: str, operation: str, rounds: int, budget: float
) -> list[str]:
    spec = check(name)
    case = {"tree": name, "operation": operation}
    times = _runner.measure(contenders, case, rounds=rounds, budget=budget)
    medians = {peer: _runner.summarize(sample).median for peer, sample in times.items()}
    fastest = min((peer for peer in times if peer != OURS), key=medians.__getitem__)
    return [
        name,
        str(spec.num_nodes),
        str(spec.num_leaves),
        *(f"{1e6 * medians[each.name]:.2f}" for each in contenders),
        _runner.ratio(times[fastest], times[OURS]).show(),
    ]


def check(name: str) -> pytree.PyTreeSpec:
    """Return the structure of a tree, after a comparison of ours with optree's.

    Raises:
        ValueError: If leaves or structures differ.
    """
    tree = _pytree.make_tree(name)
    leaves, spec = pytree.tree_flatten(tree)
    expected, reference = optree.tree_flatten(tree)
    same = len(leaves) == len(expected) and all(map(lambda a, b: a is b, leaves, expected))
    if not same or repr(spec) != repr(reference):
        raise ValueError(f"the tree {name} is flattened to other leaves than optree's")
    return spec


if __name__ == "__main__":
    main()

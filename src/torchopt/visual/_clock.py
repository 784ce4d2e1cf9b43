"""One clock for nodes that two threads made.

A node's sequence number counts the nodes of its own thread only, and PyTorch runs the backward pass of
another device in a thread of that device. After some iterations the two counts differ. Then the nodes
of the other thread get numbers of the first one: after the nodes that they were computed from, and
before the next node of the first thread.
"""

from __future__ import annotations

from itertools import pairwise

Inputs = list[list[tuple[int, int] | None]]


def one_clock(times: list[int], inputs: Inputs, root: int, leaf: int) -> list[int]:
    """Return numbers that grow along all edges, if two threads can be told apart.

    Args:
        times: The number of each node.
        inputs: Where the inputs of each come from.
        root: A node that the first thread made, such as that of the output.
        leaf: What stands for a number where there is none.

    Returns:
        New numbers, with breaks where something is missing; the old ones if nothing is wrong with
        them, or nothing can be done.
    """
    edges = [
        (entry[0], k)
        for k, entries in enumerate(inputs)
        for entry in entries
        if entry is not None and leaf not in (times[entry[0]], times[k])
    ]
    if all(times[source] < times[k] for source, k in edges):
        return times
    known = sorted({time for time in times if time != leaf})
    _, split = max((b - a, b) for a, b in pairwise(known))
    upper = times[root] >= split
    first = [(time >= split) == upper for time in times]  # whether made by the first thread
    if any(times[a] >= times[b] for a, b in edges if first[a] == first[b]):
        return times
    return _merged(times, inputs, first, leaf)


def _merged(times: list[int], inputs: Inputs, first: list[bool], leaf: int) -> list[int]:
    made = sorted((k for k, time in enumerate(times) if time != leaf), key=times.__getitem__)
    main, other = [k for k in made if first[k]], [k for k in made if not first[k]]
    # When the first thread had last made something that a node of the other depends on.
    since: dict[int, int] = {}
    latest = leaf
    for k in other:
        for entry in inputs[k]:
            if entry is not None and times[entry[0]] != leaf:
                source = entry[0]
                latest = max(latest, times[source] if first[source] else since[source])
        since[k] = latest
    merged, shift, at = list(times), 0, 0
    for before, k in pairwise([-1, *main, -1]):
        block = []
        while at < len(other) and (k < 0 or since[other[at]] < times[k]):
            block.append(other[at])
            at += 1
        following = times[k] if k >= 0 else times[before] + 2
        for node in block:
            merged[node] = following + shift + times[node] - times[block[0]]
        if block:
            shift += times[block[-1]] - times[block[0]] + 1
        if k >= 0:
            merged[k] = times[k] + shift
    return merged

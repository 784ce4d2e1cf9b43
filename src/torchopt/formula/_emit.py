"""A graph as text: one C++ functor for the vectors of a processor and the threads of a GPU alike."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping

from torchopt.formula._expression import COMPARISONS, Expression
from torchopt.formula._graph import Graph, derivatives

_FORMS = {
    "add": "{0} + {1}",
    "sub": "{0} - {1}",
    "mul": "{0} * {1}",
    "div": "{0} / {1}",
    "neg": "-{0}",
    **{op: f"{op}_({{0}})" for op in ("sqrt", "exp", "log", "tanh", "abs", "sign")},
    "sigmoid": "1 / (1 + exp_(-{0}))",
    "detach": "{0}",
    "pow": "pow_({0}, {1})",
    # The first operand where it is the larger one or NaN.
    "max": "select_gt({0}, {1}, {0}, select_eq({0}, {0}, {1}, {0}))",
    **{op: f"{op}({{0}}, {{1}}, {{2}}, {{3}})" for op in COMPARISONS},
}


def kernel_name(graph: Graph) -> str:
    """Return the name of a graph's kernel: a hash of the formula's own text, and the order."""
    root = graph.root or graph
    return f"k_{_key(root)}_{graph.order}"


def _key(root: Graph) -> str:
    found = root.__dict__.get("_key")
    if found is None:
        found = hashlib.sha256(_body(root).encode()).hexdigest()[:12]
        root.__dict__["_key"] = found
    return str(found)


def functor(graph: Graph) -> str:
    """Return the functor of a graph."""
    return f"template <class S, class V>\nstruct {kernel_name(graph)} {{\n{_body(graph)}}};\n"


def _body(graph: Graph) -> str:
    results = [*graph.outputs, *graph.sums]
    outer, inner = [], []
    # What the elements need of the uniform values: those that a varying node or a result reads.
    places: dict[int, int] = {}

    def hand(x: Expression) -> None:
        if x.uniform and x.op != "constant":
            places.setdefault(x.index, len(places))

    for x in graph.live:
        if x.op in ("constant", "tensor", "scalar", "tiny"):
            continue
        if x.uniform:
            args = [_scalar(y, graph) for y in x.operands]
            outer.append(f"    const double t{x.index} = {_FORMS[x.op].format(*args)};")
            continue
        for y in x.operands:
            hand(y)
        args = [_vector(y, graph, places) for y in x.operands]
        inner.append(f"    const V t{x.index} = {_FORMS[x.op].format(*args)};")
    for x in results:
        hand(x)
    uniforms = {index: x for x in graph.live if (index := x.index) in places}
    outer += [f"    u[{k}] = S({_scalar(uniforms[index], graph)});" for index, k in places.items()]
    spread = [f"    const V u{k} = splat<V>(u[{k}]);" for k in range(len(places))]
    stores = [f"    y[{k}] = {_vector(x, graph, places)};" for k, x in enumerate(results)]
    sizes = {
        "inputs": len(graph.tensors),
        "outputs": len(graph.outputs),
        "scalars": len(graph.scalars),
        "sums": len(graph.sums),
        "uniforms": len(places),
    }
    constants = ", ".join(f"{name} = {size}" for name, size in sizes.items())
    reads = sum(1 << k for k, name in enumerate(graph.tensors) if name in graph.reads)
    return "\n".join(
        [
            f"  static constexpr int {constants};",
            f"  static constexpr unsigned long long reads = {reads:#x};  // bits: which inputs",
            "  static TORCHOPT_INLINE void prepare(const double* h, S* u) {",
            *(outer or ["    (void)h, (void)u;"]),
            "  }",
            "  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {",
            *(spread or ["    (void)u;"]),
            *inner,
            *stores,
            "  }",
            "",
        ]
    )


def _literal(value: float) -> str:
    if value != value:
        return "(0.0 / 0.0)"
    if value in (float("inf"), float("-inf")):
        return "(1.0 / 0.0)" if value > 0 else "(-1.0 / 0.0)"
    return repr(value)


def _scalar(x: Expression, graph: Graph) -> str:
    if x.op == "constant":
        return f"double({_literal(x.args[0])})"
    if x.op == "scalar":
        return f"h[{graph.scalars.index(x.args[0])}]"
    return f"t{x.index}"


def _vector(x: Expression, graph: Graph, places: dict[int, int]) -> str:
    if x.op == "constant":
        return f"splat<V>(S({_literal(x.args[0])}))"
    if x.op == "tensor":
        return f"x[{graph.tensors.index(x.args[0])}]"
    if x.op == "tiny":
        return "tiny<V>()"
    return f"u{places[x.index]}" if x.uniform else f"t{x.index}"


def header(formulas: Iterable[Graph]) -> str:
    """Return the source of the kernels of formulas and their derivatives."""
    graphs = [graph for formula in formulas for graph in derivatives(formula)]
    return listed({kernel_name(graph): functor(graph) for graph in graphs})


def listed(functors: Mapping[str, str]) -> str:
    """Return functors, by their names, and the macro ``TORCHOPT_KERNELS`` that lists them."""
    names = "".join(f" \\\n  KERNEL({name})" for name in functors)
    return "\n".join(
        ["#pragma once", *functors.values(), f"#define TORCHOPT_KERNELS(KERNEL){names}", ""]
    )

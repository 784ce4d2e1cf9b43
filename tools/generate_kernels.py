"""Write the source of the kernels that ship with the library: ``python tools/generate_kernels.py``.

Every named optimizer, in every variant that is a formula of its own, with and without weight decay, as
updates and as new parameters: the formula, and its derivatives (``vjps`` are with scalars).
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torchopt
from torchopt.ops import Graph
from torchopt.ops._backend import derivatives
from torchopt.ops._emit import header
from torchopt.transform.chaining import formula_of

TARGET = Path(torchopt.__file__).parent / "native" / "csrc" / "kernels.h"

OPTIMIZERS: dict[str, tuple[Any, dict[str, Any]]] = {
    "sgd": (torchopt.sgd, {}),
    "sgd, momentum": (torchopt.sgd, {"momentum": 0.9}),
    "sgd, Nesterov": (torchopt.sgd, {"momentum": 0.9, "nesterov": True}),
    "sgd, dampening": (torchopt.sgd, {"momentum": 0.9, "dampening": 0.1}),
    "adam": (torchopt.adam, {}),
    "adam, amsgrad": (torchopt.adam, {"amsgrad": True}),
    "rmsprop": (torchopt.rmsprop, {}),
    "rmsprop, momentum": (torchopt.rmsprop, {"momentum": 0.9}),
    "rmsprop, Nesterov": (torchopt.rmsprop, {"momentum": 0.9, "nesterov": True}),
    "rmsprop, centered": (torchopt.rmsprop, {"centered": True}),
    "rmsprop, centered, momentum": (torchopt.rmsprop, {"centered": True, "momentum": 0.9}),
    "adagrad": (torchopt.adagrad, {}),
    "adagrad, decay": (torchopt.adagrad, {"lr_decay": 0.1}),
    "adadelta": (torchopt.adadelta, {}),
    "adamax": (torchopt.adamax, {}),
    "radam": (torchopt.radam, {}),
}


def formulas() -> Iterator[tuple[str, Graph]]:
    """Return the name and the graph of each formula."""
    for name, (optimizer, options) in OPTIMIZERS.items():
        for decay in (0.0, 0.1):
            tx = optimizer(lr=0.1, weight_decay=decay, **options)
            yield from _forms(f"{name}, weight decay" if decay else name, tx)
        if optimizer is torchopt.adam:
            tx = torchopt.adamw(lr=0.1, weight_decay=0.1, **options)
            yield from _forms(name.replace("adam", "adamw"), tx)


def _forms(name: str, tx: Any) -> Iterator[tuple[str, Graph]]:
    for apply, form in ((False, "update"), (True, "parameters")):
        graph = formula_of(tx, apply=apply)
        assert graph is not None, name
        yield f"{name}: {form}", graph


def kernels() -> Iterator[tuple[Graph, str]]:
    """Return each graph that gets a kernel, and what it is."""
    for name, formula in formulas():
        for graph in derivatives(formula):
            yield graph, f"{name}, {graph.order}"


def main() -> None:
    """Write the source, or with ``--check`` compare it."""
    text = header(kernels())
    if "--check" in sys.argv[1:]:
        if TARGET.read_text(encoding="utf-8") != text:
            sys.exit(f"{TARGET.name} is not what the formulas give: run {Path(__file__).name}.")
    else:
        TARGET.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()

"""A room imports public names of rooms below it, and one room alone knows the insides of PyTorch."""

from __future__ import annotations

import ast
import functools
import graphlib
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[1] / "src"
DESIGN = SOURCE.parent / "docs" / "design.md"
#: From the lowest to the highest; a line is a layer, whose rooms may import those to their left.
LAYERS = """
errors checks version io formula native pytree
autodiff ops modules
transform base clip combine hook update typing compiled schedule accelerated_op alias optim utils
operators linear_solve linalg visual
diff solver nn
meta checkpoint logging distributed multilevel
experimental compat
examples
"""
ROOMS = LAYERS.split()
INSIDES = re.compile(r"torch\._(C|functorch|dynamo|inductor|higher_order_ops|subclasses)\b")
FILES = {
    ".".join(file.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__"): file
    for file in sorted((SOURCE / "torchopt").rglob("*.py"))
}


@functools.cache
def parsed(module: str) -> ast.Module:
    return ast.parse(FILES[module].read_text())


def imports(module: str) -> Iterator[str]:
    """Yield the full name of everything that a module imports, wherever in its text."""
    for node in ast.walk(parsed(module)):
        if isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def room(name: str) -> str:
    """Return the room of a module, or of a name in it; none for the library as a whole."""
    return (*name.split("."), "")[1]


@pytest.mark.parametrize("module", [name for name in FILES if name != "torchopt"])
def test_a_room_imports_public_names_of_rooms_below_it(module: str) -> None:
    here = room(module)
    for name in imports(module):
        if name.split(".")[0] == "torchopt" and room(name) != here:
            assert here == "examples" or ROOMS.index(room(name)) < ROOMS.index(here), name
            assert not re.search(r"\._(?!_version__)", name), f"{name} is private"


@pytest.mark.parametrize("module", [name for name in FILES if room(name) != "autodiff"])
def test_one_room_knows_the_insides_of_pytorch(module: str) -> None:
    nodes = ast.walk(parsed(module))
    attributes = {ast.unparse(node) for node in nodes if isinstance(node, ast.Attribute)}
    inside = {name for name in (*imports(module), *attributes) if INSIDES.match(name)}
    # Below all rooms, and not able to look at a value while a transform is running.
    question = {"torch._C", "torch._C._are_functorch_transforms_active"}
    assert inside == (question if module == "torchopt.checks" else set())


def test_no_module_imports_one_that_imports_it() -> None:
    graph = {
        module: {
            name if name in FILES else name.rpartition(".")[0]
            for name in imports(module)
            if name.startswith("torchopt.")
        }
        - {module}
        for module in FILES
    }
    graphlib.TopologicalSorter(graph).prepare()  # raises CycleError, with the circle


def test_the_design_draws_and_explains_this_order() -> None:
    text = DESIGN.read_text().partition("## The rooms")[2].partition("\n## ")[0]
    figure = text.split("```")[1].splitlines()[:0:-1]
    assert figure == LAYERS.strip().splitlines()
    explained = [line.split("|")[1] for line in text.splitlines() if line.startswith("| `")]
    assert re.findall(r"`(\w+)`", " ".join(explained)) == ROOMS


def test_the_package_root_holds_public_modules_only() -> None:
    private = [name for name in FILES if re.fullmatch(r"torchopt\._[a-z]\w*", name)]
    assert not private

"""A room imports public names of rooms below it, and one room alone knows the insides of PyTorch."""

from __future__ import annotations

import ast
import functools
import graphlib
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from _source import full_names

SOURCE = Path(__file__).resolve().parents[1] / "src"
DESIGN = SOURCE.parent / "docs" / "design.md"
#: From the lowest to the highest; a line is a layer, whose rooms may import those to their left.
LAYERS = """
errors checks version io checkpoint formula native pytree
autodiff ops collectives modules operators quadratic prox sets
transform typing compiled schedule
optimizers optim
linear_solve linalg visual
diff solver nn
meta logging distributed multilevel
experimental compat accelerated_op alias base clip combine hook update utils
"""
ROOMS = LAYERS.split()
INSIDES = re.compile(r"torch\._(C|functorch|dynamo|inductor|higher_order_ops|subclasses)\b")
IMPORT = {"import_module", "__import__"}
#: They import what users name, or what the rooms above have told them.
LOOKING_UP = {"torchopt"} | {
    f"torchopt.{name}"
    for name in ("compat", "distributed.api", "io.names", "io.optional", "io.published")
}
FILES = {
    ".".join(file.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__"): file
    for file in sorted((SOURCE / "torchopt").rglob("*.py"))
}


@functools.cache
def imports(module: str) -> tuple[str, ...]:
    """Return the full name of everything that a module imports, wherever in its text."""
    return tuple(_imports(module))


def _imports(module: str) -> Iterator[str]:
    for node in ast.walk(tree(module)):
        match node:
            case ast.ImportFrom():
                assert not node.level, f"{module} imports by a relative name: write it in full"
                yield from (f"{node.module}.{alias.name}" for alias in node.names)
            case ast.Import():
                yield from (alias.name for alias in node.names)
            case ast.Call(
                func=ast.Name(id=function) | ast.Attribute(attr=function), args=[name, *_]
            ) if function in IMPORT:
                known = isinstance(name, ast.Constant)
                assert known or module in LOOKING_UP, f"{module} imports by a name that it computes"
                yield from [str(name.value)] if isinstance(name, ast.Constant) else []


@functools.cache
def names(module: str) -> set[str]:
    """Return the full names of what a module imports, and of what it reaches through it."""
    return {*imports(module), *full_names(tree(module))}


@functools.cache
def tree(module: str) -> ast.Module:
    parsed = ast.parse(FILES[module].read_text())
    # What moved up to `compat` is told to type checkers where 0.7.3 has it.
    moved = re.compile(
        r"if TYPE_CHECKING:\n(    from torchopt\.compat(\.\w+)? import (\w+ as \w+|\*)\n?)+"
    )
    parsed.body = [
        node
        for node in parsed.body
        if not (isinstance(node, ast.If) and moved.fullmatch(ast.unparse(node)))
    ]
    return parsed


def room(name: str) -> str:
    """Return the room of a module, or of a name in it; none for the library as a whole."""
    return (*name.removesuffix(".__main__").split("."), "")[1]


def files(here: str) -> list[str]:
    """Return the modules of a room."""
    return [module for module in FILES if room(module) == here]


@pytest.mark.parametrize("here", ["", *ROOMS])
def test_a_room_imports_public_names_of_rooms_below_it(here: str) -> None:
    for module in files(here):
        for name in names(module):
            if name.split(".")[0] == "torchopt" and room(name) != here:
                # Nothing is above the library as a whole.
                if here:
                    assert room(name), f"{module} imports the library as a whole"
                    assert ROOMS.index(room(name)) < ROOMS.index(here), f"{module} imports {name}"
                assert not re.search(r"\._(?!_)", name), f"{module} imports {name}: it is private"


def test_the_package_needs_no_example_and_examples_use_public_names_only() -> None:
    assert not [m for m in FILES for name in imports(m) if name.split(".")[0] == "examples"]
    for file in sorted((SOURCE.parent / "examples").rglob("*.py")):
        for name in full_names(ast.parse(file.read_text())):
            if name.split(".")[0] == "torchopt":
                assert not re.search(r"\._(?!_)", name), (
                    f"{file.name} imports {name}: it is private"
                )


@pytest.mark.parametrize("here", ["", *(name for name in ROOMS if name != "autodiff")])
def test_one_room_knows_the_insides_of_pytorch(here: str) -> None:
    inside = {(file, name) for file in files(here) for name in names(file) if INSIDES.match(name)}
    # Below all rooms, and not able to look at a value while a transform is running.
    question = {"torch._C", "torch._C._are_functorch_transforms_active"}
    allowed = {("torchopt.checks._arguments", name) for name in question}
    assert inside == (allowed if here == "checks" else set())


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
    assert {room(name) for name in FILES} == {"", *ROOMS}


def test_the_package_root_holds_public_modules_only() -> None:
    assert not [name for name in FILES if room(name).startswith("_")]

"""README, CONTRIBUTING and `docs/` as programs: every block runs, every command line is accepted.

The ``python`` blocks of a page are one program, run as they stand from the top of the page. Pages of
the gallery run when they are built (`test_pages`). Every public name has a test, an example and a page.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import doctest
import importlib
import inspect
import io
import pkgutil
import re
import shlex
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple, NoReturn

import pytest
import torch
from typing_extensions import TypeAliasType

import _public
import torchopt
from _source import full_names
from torchopt import optim, solver

ROOT = Path(__file__).parents[1]
PAGES = [
    "README.md",
    "CONTRIBUTING.md",
    *sorted(
        page.relative_to(ROOT).as_posix()
        for page in (ROOT / "docs").rglob("*.md")
        if "_build" not in page.parts
    ),
]
# `text` is for what is not ours to run; names in braces are Sphinx directives, and the build runs
# the cells of `{code-cell}`.
LANGUAGES = {
    *("python", "console", "text", "make"),
    "{code-block}",  # programs of several processes, which tests in tests/distributed start
    *(
        "{index}",
        "{toctree}",
        "{eval-rst}",
        "{figure}",
        "{code-cell}",
        "{gallery}",
        "{trend}",
        "{trend-chart}",
    ),
}
FENCE = re.compile(r"^(?P<indent> *)(?P<ticks>`{3,}|~{3,})(?P<info>.*)$")
INLINE_COMMAND = re.compile(r"`((?:\S*python -m|make|pip install) [^`]+)`")


class Block(NamedTuple):
    """A fenced block, with the number of its first line, and the packages that it needs.

    ``shown`` is what a page says that a program prints: a ``text`` block with nothing but empty
    lines before it.
    """

    language: str
    line: int
    text: str
    needs: tuple[str, ...] = ()
    shown: str = ""


def blocks(text: str) -> list[Block]:
    """Return the fenced blocks of a Markdown text."""
    found: list[Block] = []
    between = False  # whether there is text since the last block
    lines = iter(enumerate(text.splitlines(), start=1))
    for number, line in lines:
        opening = FENCE.match(line)
        if opening is None:
            between = between or bool(line.strip())
            continue
        body = []
        for _, inner in lines:
            if inner.strip() == opening["ticks"]:
                break
            body.append(inner)
        else:
            raise AssertionError(f"line {number}: the block is never closed")
        language, _, needs = opening["info"].strip().partition(" needs=")
        text = textwrap.dedent("\n".join(body))
        if language == "text" and found and found[-1].language == "python" and not between:
            found[-1] = found[-1]._replace(shown=text)
        between = False
        found.append(
            Block(language.split(" ")[0], number + 1, text, (*filter(None, needs.split(",")),))
        )
    return found


def read(page: str) -> list[Block]:
    return blocks((ROOT / page).read_text(encoding="utf-8"))


def commands(block: Block) -> Iterator[tuple[int, str]]:
    """Yield the line number and the text of each command of a console block."""
    lines = iter(enumerate(block.text.splitlines(), start=block.line))
    for number, line in lines:
        if not line.startswith("$ "):
            continue
        command = line[2:]
        while command.endswith("\\"):
            command = command[:-1] + next(lines)[1]
        yield number, command


@pytest.mark.parametrize("page", PAGES)
def test_every_block_has_a_language_that_is_checked(page: str) -> None:
    unknown = [
        f"{page}:{b.line - 1}: {b.language!r}" for b in read(page) if b.language not in LANGUAGES
    ]
    assert not unknown


@pytest.mark.parametrize("page", PAGES)
def test_a_page_is_wide_enough_for_its_programs(page: str) -> None:
    programs = [b for b in read(page) if b.language in ("python", "{code-cell}")]
    lines = [(b.line + i, t) for b in programs for i, t in enumerate(b.text.splitlines())]
    assert [(number, text) for number, text in lines if len(text) > 88] == []


#: Pages whose programs take seconds.
SLOW = ("concepts", "force_matching", "integrations", "api/memory", "api/multilevel")


@pytest.mark.parametrize(
    "page", [pytest.param(p, marks=pytest.mark.slow if p[5:-3] in SLOW else ()) for p in PAGES]
)
def test_python_blocks_run_as_they_stand(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run(page, monkeypatch)


@pytest.mark.filterwarnings("default")  # those of other packages are theirs
@pytest.mark.parametrize(
    ("page", "needs"), sorted({(p, b.needs) for p in PAGES for b in read(p) if b.needs})
)
def test_python_blocks_run_with_packages_that_are_installed(
    page: str, needs: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for package in needs:
        pytest.importorskip(package, reason=f"{package} is optional")
    monkeypatch.chdir(tmp_path)
    run(page, monkeypatch, needs)


OUTPUT = doctest.OutputChecker()
EXACTLY = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def run(page: str, monkeypatch: pytest.MonkeyPatch, needs: tuple[str, ...] = ()) -> ModuleType:
    """Run the blocks of a page as one program; return the module that they have filled.

    Each prints what the page shows after it, where ``...`` stands for anything and a line may be
    broken. Blocks that need other packages than ``needs`` are left out.
    """
    # Its own module, because dataclasses and pickle look a class's module up by name.
    program = ModuleType("page")
    monkeypatch.setitem(sys.modules, "page", program)
    torch.manual_seed(0)
    for block in read(page):
        if block.language == "python" and set(block.needs) <= set(needs):
            # Line numbers of the page, so that a traceback shows the page itself.
            source = "\n" * (block.line - 1) + block.text
            with contextlib.redirect_stdout(io.StringIO()) as printed:
                exec(compile(source, str(ROOT / page), "exec"), vars(program))
            lines = "\n".join(line.rstrip() for line in printed.getvalue().strip().splitlines())
            if not OUTPUT.check_output(block.shown, lines, EXACTLY):
                raise AssertionError(f"{page}:{block.line} prints, and does not show:\n{lines}")
    return program


HOW = "docs/how-it-works.md"


def test_the_page_on_how_it_works_names_what_is_in_the_code() -> None:
    text = (ROOT / HOW).read_text(encoding="utf-8")
    named = re.findall(r"`([\w/]+\.py):([\w.]+)`", text)
    assert len(named) > 50
    missing: list[str] = []
    classes: dict[str, type] = {}
    for path, name in named:
        thing: Any = importlib.import_module("torchopt." + path[:-3].replace("/", "."))
        for part in name.split("."):
            thing = getattr(thing, part, None)
            if inspect.isclass(thing):
                classes[part] = thing
        if thing is None:
            missing.append(f"{path}:{name}")
    # And by the name of a class alone, where its file has been named.
    members = [pair for pair in re.findall(r"`(\w+)\.(\w+)`", text) if pair[0] in classes]
    assert len(members) > 15
    missing += [f"{owner}.{name}" for owner, name in members if not hasattr(classes[owner], name)]
    assert missing == []


@pytest.mark.parametrize("page", PAGES)
def test_console_commands_are_accepted(page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT))
    shown = [pair for b in read(page) if b.language == "console" for pair in commands(b)]
    text = (ROOT / page).read_text(encoding="utf-8")
    for number, line in enumerate(text.splitlines(), start=1):
        shown += [(number, command) for command in INLINE_COMMAND.findall(line)]
    for line, command in shown:
        try:
            check(shlex.split(command, comments=True), monkeypatch)
        except AssertionError as error:
            raise AssertionError(f"{page}:{line}: `{command}`: {error}") from error


def test_figures_of_the_readme_are_those_of_the_examples() -> None:
    readme, results = (
        set(re.findall(r"[\d.]+ %", (ROOT / page).read_text(encoding="utf-8")))
        for page in ("README.md", "docs/examples.md")
    )
    chance = {"20 %"}
    assert len(readme) > 1
    assert readme - chance <= results


def test_each_claim_has_a_command() -> None:
    rows = re.findall(r"^\| (.*) \|$", (ROOT / "docs/tested.md").read_text(), re.MULTILINE)
    claims = [row.split(" | ") for row in rows if row != "claim | command"]
    assert len(claims) >= 24
    assert [claim for claim, command in claims if not INLINE_COMMAND.fullmatch(command)] == []


# Command lines


def check(words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Raise AssertionError unless a command line is one that a reader can run."""
    while words and re.fullmatch(r"[A-Z_]+=\S*", words[0]):
        words = words[1:]
    assert words, "there is no command"
    name, *rest = words
    if name == "torchrun":
        processes, flag = rest[:2], rest[2:3]
        known = processes[0] == "--nproc-per-node" and processes[1].isdigit() and flag == ["-m"]
        assert known, "torchrun starts `--nproc-per-node N -m MODULE`"
        name, rest = "python", rest[2:]
    if name.split("/")[-1] in ("python", "python3") and rest[:1] == ["-m"]:
        assert len(rest) > 1, "there is no module"
        _, name, *rest = rest
    if name.split("/")[-1] == "python" and rest[:1] == ["tools/test_matrix.py"]:
        name, *rest = "tools.test_matrix", *rest[1:]
    if name == "make":
        targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
        asked = {word for word in rest if "=" not in word}
        assert asked <= targets, f"no such target: {asked - targets}"
    elif name == "pip":
        check_extras(rest)
    elif name in PROGRAMS or name.startswith(("benchmarks.", "tools.")):
        check_arguments(name, rest, monkeypatch)
    elif name == "bash":
        assert (ROOT / rest[0]).exists(), f"no such program: {rest[0]}"
    elif name in ("pytest", "ruff", "mypy", "sphinx", "build"):
        paths = [w.split("::")[0] for w in rest if re.match(r"(tests|src|docs|benchmarks)/", w)]
        missing = [p for p in paths if not (ROOT / p).exists() and "_build" not in p]
        assert not missing, f"no such path: {missing}"
    else:
        assert name in ("git", "cd"), "the test knows no such command"


PROGRAMS = ("torchopt", "examples", "torchopt.native")


def check_extras(words: list[str]) -> None:
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    table = project.partition("[project.optional-dependencies]\n")[2].partition("\n[")[0]
    known = set(re.findall(r"^(\w+) = ", table, re.MULTILINE))
    for word in words:
        asked = re.fullmatch(r"(?:\.|torchopt-diff)\[([\w,]+)\]", word)
        extras = set(asked[1].split(",")) if asked else set()
        assert extras <= known, f"no such extra: {extras - known}"


class Parsed(Exception):  # noqa: N818
    """The program has accepted its arguments; it is not run."""


def check_arguments(name: str, arguments: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Run a program as far as its parser has accepted the arguments."""
    parse: Callable[..., Any] = argparse.ArgumentParser.parse_args

    def accept(self: argparse.ArgumentParser, args: Any = None, namespace: Any = None) -> NoReturn:
        parse(self, args, namespace)
        raise Parsed

    try:
        module = importlib.import_module(f"{name}.__main__" if name in PROGRAMS else name)
    except ModuleNotFoundError as error:
        raise AssertionError(str(error)) from error
    with monkeypatch.context() as patched:
        patched.setattr(argparse.ArgumentParser, "parse_args", accept)
        try:
            status = module.main(arguments)
        except Parsed:
            return
        except SystemExit as stop:
            status = stop.code
    assert not status, f"{name} refuses these arguments"


# Public names

PUBLIC = {
    name: (names, thing)
    for name, (names, thing) in _public.names().items()
    if not inspect.ismodule(thing) and not name.endswith("__")
}


def runs(thing: Any) -> bool:
    """Whether this is a function of ours, or a class of ours that is no tuple, exception or alias."""
    alias = isinstance(thing, TypeAliasType)
    if alias or (inspect.isclass(thing) and issubclass(thing, (tuple, Exception))):
        return False
    return callable(thing) and getattr(thing, "__module__", "").startswith("torchopt")


def assert_excepted(found: set[str], exceptions: dict[str, str]) -> None:
    """What was found to lack something is what may lack it; what lacks it no more is listed no more."""
    listed = [name for names in exceptions.values() for name in names.split()]
    assert found - set(listed) == set(), "public names without it"
    assert set(listed) - found == set(), "exceptions that have it"


@pytest.mark.slow
def test_each_public_name_occurs_in_a_test() -> None:
    # Tests ask the package for these.
    asked = {
        *_public.FUNCTIONS,
        *_public.exported(optim, optim.Optimizer),
        *_public.exported(optim, optim.MetaOptimizer),
        *_public.exported(solver, solver.Solver),
    }
    used = set()
    for path in {*(ROOT / "tests").rglob("*.py")} - {Path(__file__)}:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        used.update(name for name in full_names(tree) if name.startswith("torchopt"))
        # Looked up by a test that has a list of names.
        asked.update(n.value for n in ast.walk(tree) if isinstance(n, ast.Constant))
    things = {id(thing) for name in used if (thing := resolved(name)) is not None}
    found = {
        name.removeprefix("torchopt.")
        for name, (names, thing) in PUBLIC.items()
        if runs(thing) and id(thing) not in things
        if not asked & {n.rpartition(".")[2] for n in names}
    }
    assert_excepted(found, UNTESTED)


def resolved(name: str) -> Any:
    try:
        return pkgutil.resolve_name(name)
    except (AttributeError, ModuleNotFoundError):  # of an instance, or of the published package
        return None


def test_each_public_name_has_an_example_in_its_docstring() -> None:
    docs = {name: thing.__doc__ or "" for name, (_, thing) in PUBLIC.items() if runs(thing)}
    found = {name for name, doc in docs.items() if ">>>" not in doc}
    assert_excepted({name.removeprefix("torchopt.") for name in found}, WITHOUT_EXAMPLE)


def test_each_public_name_is_on_a_page() -> None:
    described = set()
    for path in (ROOT / "docs" / "api").glob("*.md"):
        module = ""
        for line in path.read_text(encoding="utf-8").splitlines():
            if directive := re.match(r"\.\. (\w+):: ([\w.]+)(?:\(\))?$", line):
                kind, name = directive.groups()
                if kind.endswith("module"):
                    module = name
                if kind == "automodule":
                    described |= {f"{name}.{n}" for n in importlib.import_module(name).__all__}
                described |= {name, f"{module}.{name}"}
            described |= {f"{module}.{name}" for name in re.findall(r"`(\w+)`", line)}
    described |= _public.lists()["data"].keys()  # `second-names` has them
    found = {name for name, (names, _) in PUBLIC.items() if not described & set(names)}
    assert found == set()


@pytest.mark.parametrize(
    ("names", "docstring", "pages"),
    [(_public.POLICIES, torchopt.diff.Explicit, ["choose.md"])],
    ids=["memory policies"],
)
def test_each_policy_and_mode_that_has_a_name_is_explained(
    names: Iterable[str], docstring: Any, pages: list[str]
) -> None:
    texts = [docstring.__doc__, *((ROOT / "docs" / p).read_text(encoding="utf-8") for p in pages)]
    missing = [
        name for name in names for text in texts if not re.search(rf"`[^`\n]*\"{name}\"", text)
    ]
    assert not missing


# Public names that have none, and why: not to grow.
UNTESTED = {
    "made by functions whose tests read it": """
        diff.PolicyCost linear_solve.Preconditioner
        meta.Cause meta.Direction """
}
WITHOUT_EXAMPLE = {
    "needs several processes, or packages that tests do without": """
        experimental.MonarchExecutor distributed.ProcessExecutor distributed.RayExecutor
        distributed.spmd.SyncBatchNorm logging.TensorBoard logging.WandB
        solver.from_cvxpy
    """,
    "a base class, or made by functions that have one": """
        diff.MemoryPlan diff.PolicyCost diff.Problem
        diff.zero_order.Estimator diff.zero_order.Evaluation diff.zero_order.Loop
        diff.zero_order.TruncatedGradient diff.zero_order.Vmap distributed.Executor
        distributed.spmd.Sharded
        linear_solve.IterativeLinearSolver linear_solve.LinearSystem linear_solve.Preconditioner
        logging.Sink meta.Cause meta.Direction meta.Measure meta.MetaGradCheck meta.SoundnessCheck
        multilevel.EngineConfig multilevel.LevelState multilevel.Plan
        solver.FlatProblem typing.Samplable visual.Finding visual.Recording
    """,
    "for those who extend the library": """
        transform.elementwise
    """,
    "says all in a line": """
        checkpoint.load
        pytree.tree_mul pytree.tree_neg pytree.tree_scalar_mul
        pytree.tree_structure pytree.tree_sub pytree.tree_sub_scalar_mul pytree.tree_truediv
        recover_state_dict transform.identity
    """,
}

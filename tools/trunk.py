"""Print what a step enters, executes and costs, and how much code carries it, beside the goals.

None may be above the one in ``trunk.json``, as ``tests/test_trunk.py`` checks. What is counted while
code runs depends on the releases of Python and PyTorch, and is compared only on those that the file
names; what is counted in the source is compared everywhere. Usage::

    python tools/trunk.py          # the table: in the file, now, goal; exits with 1 if one has risen
    python tools/trunk.py --files  # and the files that steps enter
    python tools/trunk.py --time   # and times, for a quiet machine
    python tools/trunk.py --write  # writes what has fallen to trunk.json

*Lines of code* are those with anything but blanks, comments and docstrings. *Files entered*, *lines
executed* and *functions entered* are distinct ones of the package, in the second of two runs with one
step and its backward pass, so that imports and the loading of kernels are left out. *Python calls* are
the ``"call"`` events of `sys.setprofile`, calls of C functions not among them; a step's are half
of the difference between four steps and two, forward and backward. *Waits* are what a GPU would be
waited for in the backward pass: operators that give the host a number or a shape, and the methods that
copy to it. They are counted on a CPU, where a copy by `Tensor.to` is not seen.
"""

from __future__ import annotations

import argparse
import ast
import gc
import json
import math
import platform
import re
import statistics
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from fnmatch import fnmatch
from functools import partial
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.utils._python_dispatch import TorchDispatchMode

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "torchopt"
NUMBERS = ROOT / "tools" / "trunk.json"
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests")]  # of this checkout
import torchopt  # noqa: E402
from test_private_names import CHECKS, words  # type: ignore[import-not-found] # noqa: E402
from torchopt.diff import Explicit  # noqa: E402

STEP = 'Adam step in Explicit("step")'
#: What each number must reach. All numbers are better if they are smaller.
GOALS: dict[str, float] = {
    f"{STEP}: files entered": 14,
    f"{STEP}: lines of these files": 3200,
    f"{STEP}: lines executed": 450,
    f"{STEP}: functions entered": 120,
    "Adam step in Explicit(): files entered": 11,
    "adam and apply_updates: files entered": 8,
    "lines of code: trunk": 10_000,
    "lines of code: src/torchopt without examples": 38_000,
    "private names of PyTorch": 40,
    "patched names of PyTorch": 0,
    'Python calls of a step, MLP, "step"': 1500,
    'Python calls of a step, transformer, "step"': 5000,
    "waits in a backward pass of 4 steps, MLP": 1,
    "waits in a backward pass of 4 steps, transformer": 1,
    "minor release of the oldest PyTorch, 2.x": 10,
    'time "step" / by hand, MLP': 1.25,
    'time "step" / "graph", MLP': 2.1,
    'time "step" / "graph", transformer': 1.8,
    'time "tree" / "graph", MLP, 16 steps': 2.8,
}

#: What is no trunk, by the reason. All other files are: a new one counts until it is listed.
LEAVES = {
    "processes": "collectives distributed",
    "rooms above the trunk": "alias compat experimental multilevel nn optim visual",
    "rooms of leaves, each a file": "linalg linear_solve optimizers prox quadratic schedule sets",
    "files, words and names": "checks io logging transform/__init__ diff/__init__ solver/__init__",
    "rescalings": "transform/_scale* transform/_trace transform/_schedule_free",
    "clipping and noise": "transform/_*clip* transform/_add_noise transform/_differentially*",
    "other updates": """transform/_centralize transform/_ema
        transform/_nan_to_num transform/_normalize* transform/_polyak_average transform/_project
        transform/_learned""",
    "transformations of transformations": """transform/_apply_if_finite transform/_conditionally
        transform/_freeze transform/_inject* transform/_linesearch transform/_lookahead
        transform/_m[aeou]* transform/_n[ao][mw]* transform/_partition transform/_reduce_on*
        transform/_sam transform/_select""",
    "estimators by values": "diff/zero_order",
    "one kind of problem": """diff/_active_set diff/central_path diff/constrained diff/newton_step
        diff/quadratic_problem diff/_learned""",
    "advice": "diff/plan meta/_check_solution meta/_check_training meta/_noise meta/_precise",
    "solvers, each a file": """solver/_a[nu]* solver/_bfgs solver/_bl* solver/_broyden solver/_cvxpy
        solver/_do* solver/_fixed_point_iteration solver/_fr* solver/_gauss_newton
        solver/_interior_point solver/_l[bi]* solver/_levenberg* solver/_mirror* solver/_n[eo]*
        solver/_pro* solver/_quadratic* solver/_scipy""",
}

# What code mentions to ask whether a transform of `torch.func`, or the compiler, is at work.
_FUNC = r"torch\.func\b|\b_?functorch\b|\btransforms\.|autodiff\.transforms\b|transforms_active"
_COMPILER = r"torch\.compiler\b|\b_dynamo\b|\b_inductor\b|compiling\b|autodiff\.compile"


# What is written.


def is_leaf(path: Path) -> bool:
    """Whether a file belongs to none of the rooms on which the others stand."""
    name = path.relative_to(SOURCE).with_suffix("").as_posix()
    patterns = " ".join(LEAVES.values()).split()
    return "/" not in name or any(fnmatch(name, p) or name.startswith(f"{p}/") for p in patterns)


def code(text: str, nodes: list[ast.AST]) -> list[str]:
    """Return the lines with anything but blanks, comments and docstrings."""
    lines = {k: line for k, line in enumerate(text.splitlines(), 1) if re.match(r"\s*[^\s#]", line)}
    for node in nodes:
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(
            node
        ):
            for k in range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1):
                lines.pop(k, None)
    return [*lines.values()]


def patched(nodes: list[ast.AST]) -> Iterator[str]:
    """Yield what a module sets or deletes in PyTorch, and calls of `mock.patch`."""
    theirs = {"torch"}
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "torch":
            theirs |= {a.asname or a.name for a in node.names}
        elif isinstance(node, ast.Import):
            theirs |= {a.asname for a in node.names if a.asname and a.name.startswith("torch.")}
        elif isinstance(node, ast.Assign):
            head, *rest = words(node.value)
            if head in theirs and "()" not in rest:
                theirs |= {t.id for t in node.targets if isinstance(t, ast.Name)}
    for node in nodes:
        match node:
            case ast.Call(func=ast.Attribute() as name) if words(name)[:2] == ["mock", "patch"]:
                yield ast.unparse(node)
            case (
                ast.Call(func=ast.Name("setattr" | "delattr"), args=[owner, *_])
                | ast.Attribute(value=owner, ctx=ast.Store() | ast.Del())
                | ast.Subscript(value=owner, ctx=ast.Store() | ast.Del())
            ) if words(owner)[0] in theirs:
                yield ast.unparse(node)


def written() -> dict[str, float]:
    """Return what is counted in the source."""
    paths = [*SOURCE.rglob("*.py")]
    texts = {path: path.read_text() for path in paths}
    nodes = {path: [*ast.walk(ast.parse(text))] for path, text in texts.items()}
    lines = {path: code(text, nodes[path]) for path, text in texts.items()}
    raised = [node for found in nodes.values() for node in found if isinstance(node, ast.Raise)]
    numbers: dict[str, float] = {
        "lines of code: trunk": sum(len(lines[p]) for p in paths if not is_leaf(p)),
        "lines of code: src/torchopt without examples": sum(map(len, lines.values())),
        "private names of PyTorch": sum(not name.startswith(".") for name in CHECKS),
        "private attributes of its objects": sum(name.startswith(".") for name in CHECKS),
        "patched names of PyTorch": sum(len([*patched(found)]) for found in nodes.values()),
        "raise: statements": len(raised),
        "raise: their lines": sum((n.end_lineno or 0) - n.lineno + 1 for n in raised),
    }
    for name, pattern in (("torch.func", _FUNC), ("the compiler", _COMPILER)):
        found = [len(re.findall(pattern, "\n".join(lines[path]))) for path in paths]
        numbers[f"mentions of {name}"] = sum(found)
        numbers[f"files that mention {name}"] = sum(map(bool, found))
    oldest = re.search(r'"torch>=2\.(\d+)', (ROOT / "pyproject.toml").read_text())
    numbers["minor release of the oldest PyTorch, 2.x"] = int(oldest[1]) if oldest else 0
    return numbers


# What is executed.


class Problem(NamedTuple):
    """An objective of parameters and one variable, and where the parameters start."""

    objective: Callable[[dict[str, Tensor], Tensor], Tensor]
    start: dict[str, Tensor]
    variable: Tensor


def _problem(module: nn.Module, x: Tensor, y: Tensor) -> Problem:
    def objective(params: dict[str, Tensor], weight: Tensor) -> Tensor:
        outputs = torch.func.functional_call(module, params, (x,))
        return (weight * (outputs - y).square().flatten(1).mean(1)).mean()

    start = {name: p.detach().clone() for name, p in module.named_parameters()}
    return Problem(objective, start, torch.ones(len(x), requires_grad=True))


def problems() -> tuple[Problem, Problem]:
    """Return three linear layers, and two layers of an encoder with dropout."""
    hidden = [nn.Linear(20, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh()]
    mlp = _problem(
        nn.Sequential(*hidden, nn.Linear(64, 5)), torch.randn(25, 20), torch.randn(25, 5)
    )
    layer = nn.TransformerEncoderLayer(32, 4, 64, batch_first=True)
    encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
    return mlp, _problem(encoder, torch.randn(4, 10, 32), torch.randn(4, 10, 32))


def forward(problem: Problem, memory: Any, steps: int) -> Tensor:
    """Run Adam, and return a sum of the parameters that it arrives at."""
    mode, adam = Explicit(memory), torchopt.adam(1e-3)
    arguments = problem.objective, problem.start, (problem.variable,)
    params = torchopt.minimize(*arguments, solver=adam, steps=steps, diff=mode).params
    return torch.stack([p.pow(3).sum() for p in params.values()]).sum()


def unroll(problem: Problem, memory: Any, steps: int) -> Tensor:
    """Return the derivative of :func:`forward`."""
    return torch.autograd.grad(forward(problem, memory, steps), problem.variable)[0]


def one_step(memory: Any) -> None:
    """Take one step with two parameters, forward and backward."""
    start, scale = torch.tensor([1.0, 2.0]), torch.tensor(3.0, requires_grad=True)
    unroll(Problem(lambda x, a: (a * x["w"]).square().sum(), {"w": start}, scale), memory, 1)


def adam_alone() -> None:
    """Take one step without a mode."""
    params = {"w": torch.tensor([1.0, 2.0])}
    adam = torchopt.adam(0.1)
    updates, _ = adam.update({"w": torch.ones(2)}, adam.init(params))
    torchopt.apply_updates(params, updates)


def entered(program: Callable[[], None]) -> tuple[set[CodeType], set[tuple[str, int]]]:
    """Return the functions and the lines of the package that the second run of a program executes."""
    functions: set[CodeType] = set()
    lines: set[tuple[str, int]] = set()

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        if not frame.f_code.co_filename.startswith(str(SOURCE)):
            return None
        functions.add(frame.f_code)
        if event == "line":
            lines.add((frame.f_code.co_filename, frame.f_lineno))
        return trace

    program()
    sys.settrace(trace)
    try:
        program()
    finally:
        sys.settrace(None)
    return functions, lines


def calls(program: Callable[[], Any]) -> Counter[str]:
    """Count a program's Python calls, and as "waits" the methods of tensors that copy to the host."""
    counts: Counter[str] = Counter()

    def profile(frame: FrameType, event: str, argument: Any) -> None:
        counts[event] += 1
        if event == "c_call" and isinstance(getattr(argument, "__self__", None), Tensor):
            counts["waits"] += argument.__name__ in ("cpu", "numpy", "tolist")

    gc.disable()  # collections call finalizers
    sys.setprofile(profile)
    try:
        program()
    finally:
        sys.setprofile(None)
        gc.enable()
    return counts


class Waits(TorchDispatchMode):
    """Counts the operators that give the host a number or a shape."""

    count = 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        names = "_local_scalar_dense equal is_nonzero nonzero masked_select _unique2 unique_dim"
        # A counter of steps is read where it is on the CPU only.
        counter = isinstance(args[0], Tensor) and args[0].dtype == torch.int64 and not args[0].dim()
        self.count += func.overloadpacket.__name__ in names.split() and not counter
        return func(*args, **(kwargs or {}))


def waits(program: Callable[[], Tensor], variable: Tensor) -> int:
    """Count what a GPU would be waited for in the backward pass of a program."""
    output = program()
    with Waits() as counted:
        copies = calls(lambda: torch.autograd.grad(output, variable))["waits"]
    return counted.count + copies


def executed(*, files: bool = False) -> dict[str, float]:
    """Return what is counted while steps run."""
    numbers: dict[str, float] = {}
    programs = (
        (STEP, lambda: one_step("step")),
        ("Adam step in Explicit()", lambda: one_step("graph")),
    )
    for name, program in (*programs, ("adam and apply_updates", adam_alone)):
        functions, lines = entered(program)
        paths = sorted({Path(function.co_filename) for function in functions})
        numbers[f"{name}: files entered"] = len(paths)
        sizes = [len(path.read_text().splitlines()) for path in paths]
        numbers[f"{name}: lines of these files"] = sum(sizes)
        numbers[f"{name}: lines executed"] = len(lines)
        numbers[f"{name}: functions entered"] = len(functions)
        for path, size in zip(paths, sizes, strict=True) if files else ():
            print(f"{size:7} {path.relative_to(SOURCE)}  ({name})")
    models = dict(zip(("MLP", "transformer"), problems(), strict=True))
    for name, problem in models.items():
        for memory in ("graph", "step"):
            unroll(problem, memory, 1)
            few, many = (calls(partial(unroll, problem, memory, k))["call"] for k in (2, 4))
            numbers[f'Python calls of a step, {name}, "{memory}"'] = (many - few) / 2
    with Waits():
        torch.ones_like(torch.ones(1))  # imports the compiler: after all that is faster without it
    for name, problem in models.items():
        cases = (partial(forward, problem, "step", k) for k in (2, 4))
        few, many = (waits(case, problem.variable) for case in cases)
        numbers[f"waits in a backward pass of 4 steps, {name}"] = many
        numbers[f"waits in a backward pass for each step, {name}"] = (many - few) / 2
    return numbers


# Times.


def by_hand(problem: Problem, steps: int) -> Tensor:
    """Unroll in bounded memory with nothing checked: the bound for ``"step"``."""
    adam, weight = torchopt.adam(1e-3), problem.variable

    def step(carry: Any, graph: bool) -> Any:
        params, state = carry
        with torch.enable_grad():
            at = params if graph else torchopt.pytree.tree_map(free, params)
            grads = torch.autograd.grad(
                problem.objective(at, weight), [*at.values()], create_graph=graph
            )
        with torch.set_grad_enabled(graph):
            updates, state = adam.update(dict(zip(at, grads, strict=True)), state, inplace=False)
            return {k: p + updates[k] for k, p in params.items()}, state

    def floats(tree: Any) -> list[Tensor]:
        return [t for t in torchopt.pytree.tree_leaves(tree) if t.is_floating_point()]

    def free(t: Tensor) -> Tensor:
        return t.detach().requires_grad_() if t.is_floating_point() else t

    kept: list[Any] = [(problem.start, adam.init(problem.start))]
    for _ in range(steps):
        kept.append(step(kept[-1], graph=False))
    cotangents = [3 * p.square() for p in floats(kept.pop()[0])]  # none of the last state
    total = torch.zeros_like(weight)
    for before in reversed(kept):
        carry = torchopt.pytree.tree_map(free, before)
        pairs = zip(floats(step(carry, graph=True)), cotangents, strict=False)
        outputs, vectors = zip(*((y, v) for y, v in pairs if y.requires_grad), strict=True)
        inputs = [*floats(carry), weight]
        *cotangents, gradient = torch.autograd.grad(
            outputs, inputs, vectors, materialize_grads=True
        )
        total += gradient
    return total


def timed(rounds: int = 25) -> dict[str, float]:
    """Return ratios of the medians of interleaved times."""
    first, second = problems()
    cases = {
        '"step" / by hand, MLP': (partial(unroll, first, "step", 10), partial(by_hand, first, 10)),
        '"step" / "graph", MLP': [partial(unroll, first, m, 10) for m in ("step", "graph")],
        '"step" / "graph", transformer': [
            partial(unroll, second, m, 10) for m in ("step", "graph")
        ],
        '"tree" / "graph", MLP, 16 steps': [
            partial(unroll, first, m, 16) for m in ("tree", "graph")
        ],
    }
    numbers = {}
    for name, programs in cases.items():
        times: list[list[float]] = [[] for _ in programs]
        for _ in range(rounds + 2):
            for program, taken in zip(programs, times, strict=True):
                start = time.perf_counter()
                program()
                taken.append(time.perf_counter() - start)
        ours, theirs = (statistics.median(taken[2:]) for taken in times)
        numbers[f"time {name}"] = ours / theirs
    return numbers


# The file.


def versions() -> str:
    """Return on what numbers are counted while code runs."""
    python = ".".join(platform.python_version_tuple()[:2])
    return (
        f"Python {python}, torch {torch.__version__[:4]}, {platform.system()} {platform.machine()}"
    )


def risen(numbers: dict[str, float], kept: dict[str, Any]) -> list[str]:
    """Return a sentence for each number above the one in the file, of those that can be compared."""
    return [
        f"{name} has risen from {old:,g} to {numbers[name]:,g}."
        for name, old in kept["numbers"].items()
        if numbers.get(name, 0) > old
    ]


def measured(kept: dict[str, Any], *, files: bool = False) -> dict[str, float]:
    """Return the numbers; without those of steps if the file has them of other releases."""
    torch.manual_seed(0)
    torch.set_num_threads(1)
    return (executed(files=files) if kept["on"] == versions() else {}) | written()


def read(path: Path | None = None) -> dict[str, Any]:
    """Return the releases on which the file's numbers were counted, and the numbers."""
    path = path or NUMBERS
    return json.loads(path.read_text()) if path.exists() else {"on": versions(), "numbers": {}}


def write(numbers: dict[str, float], kept: dict[str, Any], path: Path | None = None) -> None:
    """Write what has fallen, or is new."""
    old = kept["numbers"]
    lower = {name: min(x, old.get(name, x)) for name, x in numbers.items()}
    lower |= {} if kept["on"] == versions() else {k: x for k, x in old.items() if k not in lower}
    (path or NUMBERS).write_text(json.dumps({"on": kept["on"], "numbers": lower}, indent=1) + "\n")


def main() -> int:
    """Print the table, and compare it with the file."""
    parser = argparse.ArgumentParser(description="Print how much code carries a step.")
    parser.add_argument("--files", action="store_true", help="name the files that steps enter")
    parser.add_argument("--time", action="store_true", help="measure times, too")
    parser.add_argument("--write", action="store_true", help="write what has fallen to trunk.json")
    options = parser.parse_args()
    kept = read()
    numbers = measured(kept, files=options.files)
    if options.write:
        write(numbers, kept)
    for name, now in (numbers | (timed() if options.time else {})).items():
        old = kept["numbers"].get(name, math.nan)
        goal = f"{GOALS[name]:,g}" if name in GOALS else ""
        print(f"{name:55}{old:>10,.6g}{now:>10,.6g}{goal:>8}".rstrip())
    print(*risen(numbers, kept), sep="\n", end="")
    return bool(risen(numbers, kept))


if __name__ == "__main__":
    sys.exit(main())

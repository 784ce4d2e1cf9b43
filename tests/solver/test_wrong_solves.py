"""Wrong calls of the faces and of what makes a solver: each is one sentence, and no solve begins."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from typing import Any

import pytest
import torch

import torchopt
from torchopt import Constraints, diff, linear_solve, nn, prox, sets, solver
from torchopt.diff import Explicit, Implicit
from torchopt.linear_solve import CG, GMRES, MINRES

FACES: dict[str, Callable[..., Any]] = {
    "minimize": torchopt.minimize,
    "root": torchopt.root,
    "fixed_point": torchopt.fixed_point,
    "least_squares": torchopt.least_squares,
}
faces = pytest.mark.parametrize("face", FACES)
Wrong = tuple[dict[str, Any], type[Exception], str]
TWO, EYE = torch.ones(2), torch.eye(2, dtype=torch.float64)
ONE = EYE.sum(1)
SGD = torchopt.sgd(0.1)
NEWTON = solver.Newton


def refused(call: Callable[[], Any], error: Any, words: str) -> None:
    """Whether a call is refused in one sentence."""
    with pytest.raises(error, match=words) as caught:
        call()
    assert "\n" not in str(caught.value)


def named(wrong: Wrong) -> str:
    return f"{', '.join(wrong[0])}: {wrong[2]}"


def call(name: str, params: Any = None, function: Any = None, **options: Any) -> Any:
    def posed(x: torch.Tensor, a: Any = 2.0) -> torch.Tensor:
        return (x - a).square().sum() if name == "minimize" else 0.5 * (x + a)

    options = {"solver": SGD, "steps": 200, **options}
    options = {key: value for key, value in options.items() if value != "left out"}
    return FACES[name](function or posed, torch.ones(3) if params is None else params, **options)


#: What is wrong for every face.
OF_EVERY_FACE: list[Wrong] = [
    ({"diff": mode}, TypeError, f"`diff` is the {words}")
    for mode, words in (
        ("implicit", "string 'implicit': pass a differentiation mode, such as"),
        (Implicit, r"class Implicit: .* `diff=Implicit\(\)`"),
        (Explicit, r"class Explicit: .* `diff=Explicit\(\)`"),
        (MINRES(), r"linear solver MINRES: .*`diff=torchopt\.diff\.Implicit\(linear_solve"),
        (CG, "linear solver CG: pass it to the mode"),
        (linear_solve.WarmStart(CG()), "linear solver WarmStart"),
        (diff.zero_order.SPSA(), r"estimator SPSA: .*`diff=torchopt\.diff\.ZeroOrder"),
        (solver.InteriorPoint(), "solver InteriorPoint: pass it as `solver=`"),
        (solver.LBFGS(), "solver LBFGS: pass it as `solver=`"),
        (solver.SciPy(), "solver SciPy: pass it as `solver=`"),
        (torchopt.adam(0.1), r"solver \w*GradientTransformation: pass it as `solver=`"),
        (torchopt.compat.FuncOptimizer, "class FuncOptimizer: pass a differentiation mode"),
    )
]
_OWN = "which changes parameters of its own"
OF_EVERY_FACE += [
    ({"solver": method, "steps": steps}, TypeError, f"`solver` is {words}")
    for steps in ("left out", 3)
    for method, words in (
        (torchopt.sgd, r"the function `sgd` itself: call it, .*`torchopt\.sgd\(0\.1\)`"),
        (torchopt.adamw, "the function `adamw` itself: call it"),
        (torchopt.optim.SGD, f"the class SGD, {_OWN} in place"),
        (
            torchopt.optim.LBFGS,
            rf"the class LBFGS, {_OWN}.* such as `torchopt.optimizers.lbfgs\(\)`",
        ),
        (torchopt.MetaAdam, f"the class MetaAdam, {_OWN}"),
        (torch.optim.Adam, f"the class Adam, {_OWN}"),
        (
            torchopt.optim.SGD([torch.zeros(2, requires_grad=True)]),
            f"an object of type SGD, {_OWN}",
        ),
        (torch.optim.SGD([torch.zeros(2, requires_grad=True)]), "an object of type SGD"),
        (NEWTON, r"the class Newton: .* `Newton\(\)`"),
        (
            functools.partial(functools.partial(torchopt.adam, 0.1), eps=1e-6),
            r"the function `adam` itself: call it, .*`torchopt\.adam\(0\.1\)`",
        ),
        (
            torchopt.transform.scale_by_adam,
            r"the function `scale_by_adam` itself: .*`torchopt\.sgd\(0\.1\)`",
        ),
        (torchopt.compat.FuncOptimizer, r"the class FuncOptimizer: .*`torchopt\.sgd\(0\.1\)`"),
        (GMRES(), r"the linear solver GMRES, .*`diff=torchopt\.diff\.Implicit\(linear_solve"),
        ("newton", "an object of type str"),
        (
            diff.zero_order.GaussianSearch(),
            r"an object of type GaussianSearch.*`solver=search\.solver\(steps",
        ),
        (0.1, "an object of type float"),
    )
]
_NONE = {"steps": "left out"}
OF_EVERY_FACE += [
    (_NONE, ValueError, r"needs a number of steps: pass `steps=`, or a solver .*LBFGS\(\)`"),
    ({**_NONE, "atol": 0.1}, ValueError, "needs the most steps .*: pass `maxiter=`, or a solver"),
    ({**_NONE, "maxiter": 3}, ValueError, "there is none: pass"),
    ({**_NONE, "maxiter": 3, "atol": -1.0}, ValueError, "`atol` is -1"),
    ({**_NONE, "maxiter": 3, "rtol": float("nan")}, ValueError, "`rtol` is nan"),
    ({"atol": 0.1}, ValueError, "`steps` is exact"),
    ({"steps": -1}, ValueError, "`steps` is -1"),
    ({"steps": 2.0}, ValueError, "`steps` is 2.0"),
    (
        {**_NONE, "maxiter": 7, "solver": solver.LBFGS()},
        ValueError,
        r"`maxiter` is for gradient transformations.*; pass `solver=torchopt.*LBFGS\(maxiter=7\)`",
    ),
    (
        {"steps": 7, "solver": NEWTON()},
        ValueError,
        r"`steps` is for gradient transformations.*; pass `solver=torchopt.*Newton\(maxiter=7\)`",
    ),
    (
        {**_NONE, "atol": 0.5, "solver": NEWTON()},
        ValueError,
        r"`atol` is for gradient transformations.*; pass `solver=torchopt.*Newton\(atol=0\.5\)`",
    ),
    ({"steps": 7, "solver": lambda x: x}, ValueError, "a function stops by itself: leave it out"),
    ({"params": torch.nn.Linear(3, 2)}, TypeError, r"`params` is a module \(Linear\).*named_param"),
    ({"params": {}}, ValueError, "`params` has no leaves"),
    ({"params": {"w": None}}, ValueError, "no tensors"),
    ({"params": {"n": [torch.tensor(1)]}}, TypeError, r"`params\['n'\]\[0\]` is .* torch.int64"),
    ({"params": (TWO, TWO.cfloat())}, TypeError, r"`params\[1\]` is .* torch.complex64"),
    ({"params": [TWO, "w"]}, TypeError, r"`params\[1\]` is an object of type str"),
    ({"function": 3}, TypeError, "is an object of type int"),
    ({"args": [TWO]}, TypeError, "`args` is an object of type list"),
    ({"has_aux": True}, TypeError, "must return a pair"),
]


@faces
@pytest.mark.parametrize("wrong", OF_EVERY_FACE, ids=named)
def test_wrong_arguments_of_every_face_are_refused(face: str, wrong: Wrong) -> None:
    options, error, words = wrong
    refused(lambda: call(face, **options), error, words)


#: What an objective may return, by what it does return.
OBJECTIVES: list[tuple[Any, type[Exception], str]] = [
    (lambda p: 1.0, TypeError, r"type float.*is minimized as `torchopt.diff.ZeroOrder\("),
    (lambda p: (p**2, 1), TypeError, r"step 0 is an object of type tuple: pass `has_aux=True`"),
    (lambda p: p * torch.ones(3), ValueError, r"step 0 has shape \(3,\), but it must be a scalar"),
    (lambda p: p.detach().long(), TypeError, "has dtype torch.int64"),
    (
        lambda p: p.detach() ** 2,
        ValueError,
        r"does not require grad.*as `torchopt.diff.ZeroOrder\(",
    ),
    (lambda p: p * float("nan"), ValueError, "step 0 is NaN"),
    (
        lambda p: torch.ones((), requires_grad=True) * 2,
        ValueError,
        "step 0 does not depend on the parameters",
    ),
]


@pytest.mark.parametrize("memory", ["graph", "step"])
@pytest.mark.parametrize(("function", "error", "words"), OBJECTIVES)
def test_what_is_no_loss_is_refused(function: Any, error: Any, words: str, memory: str) -> None:
    options = {"solver": SGD, "steps": 2, "diff": Explicit(memory)}
    refused(lambda: torchopt.minimize(function, torch.tensor(1.0), **options), error, words)


W, NESTED = {"w": TWO}, {"z": {"a": TWO}}
#: A face, a function, a start, and what is wrong with the result.
RESULTS: list[tuple[str, Any, Any, str]] = [
    ("root", lambda x: x["w"], W, "structure"),
    ("root", lambda x: {"w": x["w"].sum()}, W, r"shape \(\)"),
    ("root", lambda x: {"w": None}, W, "NoneType"),
    ("root", lambda x: {"w": 1.0}, W, "float"),
    ("root", lambda x: {"w": x["w"], "v": x["w"]}, W, "v"),
    ("root", lambda x: None, W, "structure|NoneType|missing"),
    ("fixed_point", lambda z: 1, W, "structure"),
    ("least_squares", lambda w: {}, TWO, "no leaves|empty|residuals"),
    ("least_squares", lambda w: None, TWO, "residuals"),
    ("least_squares", lambda w: 3.0, TWO, "float"),
    ("least_squares", lambda w: (w > 0).long(), TWO, "int64"),
    ("least_squares", lambda w: torch.ones(2), TWO, "depend|grad"),
]
_SHAPES = r"`function\(params\)\['z'\]\['a'\]` has shape \(1,\), but .* of `params` .* \(2,\)"
RESULTS += [
    (face, function, start, words)
    for face in ("root", "fixed_point")
    for function, start, words in (
        (lambda x: (x, 1), TWO, r"`function\(params\)` is of type tuple, where one leaf is exp"),
        (lambda p: {"w": [p["w"]]}, W, r"\['w'\]` is of type list, where one leaf is expect"),
        (lambda p: {"w": p["w"]}, {"w": TWO, "b": TWO}, r"\['b'\]` is missing"),
        (lambda p: {"z": {"a": p["z"]["a"][:1]}}, NESTED, _SHAPES),
    )
]


@pytest.mark.parametrize(("face", "function", "start", "words"), RESULTS)
def test_a_function_that_returns_another_tree_is_refused(
    face: str, function: Any, start: Any, words: str
) -> None:
    refused(lambda: FACES[face](function, start), (TypeError, ValueError), words)


BALL = Constraints(inequality=lambda x: x.sum() - 1)
LAGRANGIAN = solver.AugmentedLagrangian()
#: Terms and constraints of `minimize`.
TERMS: list[Wrong] = [
    ({"prox": prox.L1(1.0)}, ValueError, "ProximalGradient"),
    ({"prox": 1.0}, TypeError, "`prox` is an object of type float"),
    (
        {"prox": prox.L1(1.0), "solver": solver.ProjectedGradient()},
        ValueError,
        r"^`ProjectedGradient` .*ProximalGradient\(\)`\.$",
    ),
    *(
        ({"prox": prox.L1(1.0), "solver": method()}, TypeError, "^the solver needs a set")
        for method in (solver.MirrorDescent, solver.FrankWolfe)
    ),
    *(
        ({"solver": method()}, ValueError, "is a solver for")
        for method in (solver.MirrorDescent, solver.FrankWolfe)
    ),
    *(
        ({**term, "solver": solver.SciPy()}, ValueError, "bounds only: use .*sets.Box")
        for term in ({"prox": prox.L1(0.1)}, {"subject_to": sets.Simplex()})
    ),
    ({"subject_to": BALL}, ValueError, "a gradient transformation knows no `Constraints`"),
    ({"subject_to": BALL, "solver": solver.LBFGS()}, ValueError, "use `torchopt.solver.Augmented"),
    (
        {"subject_to": sets.Box(0.0, 1.0), "solver": solver.LBFGS()},
        ValueError,
        "use `torchopt.solver",
    ),
    ({"subject_to": 1.0}, TypeError, r"`subject_to` is an object of type float: pass a set of"),
    ({"subject_to": sets.Box}, TypeError, r"`subject_to` is the class Box: make an object of it"),
    ({"subject_to": prox.L1(1.0)}, TypeError, r"L1\(penalty=1.0\), which is a term: .*`prox=`"),
    ({"prox": sets.NonNegative()}, TypeError, r"NonNegative\(\), which is a set: .*`subject_to=`"),
    ({"subject_to": [BALL]}, TypeError, "has `Constraints` where .*: pass one `Constraints`"),
    (
        {"prox": prox.L1(1.0), "subject_to": sets.NonNegative()},
        ValueError,
        r"`params` has the term L1\(.* set NonNegative\(\) .*`torchopt.prox.NonNegativeLasso`",
    ),
    (
        {"subject_to": BALL, "prox": prox.L1(1.0), "solver": LAGRANGIAN},
        ValueError,
        "`subject_to` is `Constraints`, and no solver takes them with the term `prox` L1",
    ),
    (
        {"subject_to": Constraints(equality=lambda x: x.long()), "solver": LAGRANGIAN},
        TypeError,
        "equality",
    ),
    ({"solver": solver.LBFGS(), "diff": diff.CentralPath(0.1)}, TypeError, "quadratic program"),
    ({"batches": {"x": torch.zeros(3, 2)}}, ValueError, r"`batches\['x'\]` .* count the 2 steps"),
]


@pytest.mark.parametrize("wrong", TERMS, ids=named)
def test_terms_and_constraints_that_do_not_fit_are_refused(wrong: Wrong) -> None:
    options, error, words = wrong
    if isinstance(options.get("solver"), solver.SciPy):
        pytest.importorskip("scipy", reason="scipy is optional")
    steps = {} if "solver" in options else {"solver": SGD, "steps": 2}
    refused(
        lambda: torchopt.minimize(lambda x, *_: x.square().sum(), TWO, **steps, **options),
        error,
        words,
    )


G = -EYE
#: Quadratic programs.
PROGRAMS: list[tuple[Any, dict[str, Any], type[Exception], str]] = [
    ((EYE, ONE), {"G": G}, ValueError, "`G` is there and `h` is missing"),
    ((EYE, ONE), {"b": ONE}, ValueError, "`b` is there and `A` is missing"),
    ((EYE, torch.ones(3)), {}, ValueError, "`c` has (3,)"),
    ((EYE, ONE), {"G": G, "h": torch.ones(3)}, ValueError, "`h` has (3,)"),
    ((EYE, ONE.long()), {}, TypeError, "`c` is a tensor of torch.int64"),
    (([1.0], ONE), {}, TypeError, "`Q` is an object of type list"),
    ((EYE.expand(2, 2, 2), ONE.expand(3, 2)), {}, ValueError, "do not broadcast"),
    ((EYE, ONE), {"solver": 3}, TypeError, "`solver` is an object of type int"),
    ((EYE, ONE), {"solver": solver.InteriorPoint}, TypeError, "`InteriorPoint()`"),
    ((EYE, ONE), {"diff": Explicit()}, TypeError, "of type Explicit"),
    ((EYE, ONE), {"diff": Implicit(hvp="forward")}, ValueError, "without options"),
]


@pytest.mark.parametrize(("blocks", "options", "error", "words"), PROGRAMS)
def test_wrong_quadratic_programs_are_refused(
    blocks: Any, options: dict[str, Any], error: Any, words: str
) -> None:
    refused(lambda: torchopt.quadratic_program(*blocks, **options), error, re.escape(words))


NAN = float("nan")
#: What makes a solver, an argument of it, a value, and the error.
MADE: list[tuple[Any, str, Any, type[Exception]]] = [
    (NEWTON, "atol", -1.0, ValueError),
    (NEWTON, "atol", NAN, ValueError),
    (NEWTON, "rtol", -1.0, ValueError),
    (NEWTON, "rtol", "small", TypeError),
    (NEWTON, "on_failure", "shout", ValueError),
    (NEWTON, "maxiter", -1, ValueError),
    (NEWTON, "maxiter", 2.5, ValueError),
    (NEWTON, "maxiter", True, ValueError),
    (NEWTON, "c1", 0.5, ValueError),
    (NEWTON, "linear_solve", 3, TypeError),
    (solver.GaussNewton, "line_search_maxiter", 0, ValueError),
    (solver.LBFGS, "history_size", 0, ValueError),
    (solver.LBFGS, "c2", 1.0, ValueError),
    (functools.partial(solver.LBFGS, c1=0.3), "c2", 0.2, ValueError),
    (functools.partial(solver.BFGS, c1=0.5), "c2", 0.4, ValueError),
    (solver.Anderson, "history_size", 0, ValueError),
    (solver.Anderson, "relaxation", 0.0, ValueError),
    (solver.Anderson, "ridge", 0.0, ValueError),
    (solver.Broyden, "history_size", 0, ValueError),
    (solver.Broyden, "scale", 0.0, ValueError),
    (solver.FixedPointIteration, "relaxation", 0.0, ValueError),
    (solver.FixedPointIteration, "relaxation", 1.5, ValueError),
    (solver.LevenbergMarquardt, "damping", 0.0, ValueError),
    (solver.LevenbergMarquardt, "scaling", "none", ValueError),
    (solver.LevenbergMarquardt, "linear_solve", 3, TypeError),
    (solver.NonlinearCG, "method", "newton", ValueError),
    (solver.NonlinearCG, "restart", 0, ValueError),
    (solver.Dogleg, "radius", 0.0, ValueError),
    (solver.BlockCoordinateDescent, "inner_steps", 0, ValueError),
    (solver.ProximalGradient, "restart", "often", ValueError),
    (solver.ProximalGradient, "step_size", 0.0, ValueError),
    (solver.ProximalGradient, "step_size", "long", TypeError),
    (solver.ProjectedGradient, "line_search_maxiter", 0, ValueError),
    (solver.MirrorDescent, "step_size", NAN, ValueError),
    (solver.FrankWolfe, "variant", "towards", ValueError),
    (solver.FrankWolfe, "line_search", "fixed", ValueError),
    (solver.FrankWolfe, "atoms", 1, ValueError),
    (solver.DouglasRachford, "objective_prox", 3, TypeError),
    (solver.DouglasRachford, "inner", "newton", TypeError),
    (solver.DouglasRachford, "relaxation", 2.0, ValueError),
    (solver.AugmentedLagrangian, "inner", SGD, TypeError),
    (solver.SciPy, "method", "bfgs", ValueError),
    (Constraints, "equality", 1.0, TypeError),
    (diff.CentralPath, "mu", 0, ValueError),
    (CG, "ridge", "a", TypeError),
    *((CG, "preconditioner", M, TypeError) for M in (3, CG, {"w": 1.0})),
    *(
        (make, name, CG, TypeError)  # not called yet
        for make, name in (
            (NEWTON, "linear_solve"),
            (Implicit, "linear_solve"),
            (linear_solve.WarmStart, "solver"),
        )
    ),
]


@pytest.mark.parametrize(("make", "name", "value", "error"), MADE)
def test_arguments_are_checked_when_the_object_is_made(
    make: Any, name: str, value: Any, error: type[Exception]
) -> None:
    refused(lambda: make(**{name: value}), error, f"^`{name}` is ")


def test_what_else_is_refused() -> None:
    refused(Constraints, ValueError, "no constraints")
    root = torchopt.compat.custom_root(lambda x: x, argnums=0, solve=CG)
    refused(lambda: root(lambda x: x), TypeError, r"`solve` is the class CG.*`CG\(\)`")
    layer = nn.Equilibrium(torch.add)  # which has a `solve`, too
    refused(
        lambda: call("root", diff=layer), TypeError, "a Equilibrium: pass a differentiation mode"
    )
    words = "`SciPy` minimizes, but the problem is a `Root`"
    refused(lambda: torchopt.root(lambda x: x - 1, TWO, solver=solver.SciPy()), ValueError, words)
    with pytest.raises(AttributeError):
        NEWTON().maxiter = 3  # type: ignore[misc]


@pytest.mark.parametrize("options", [{"diff": "implicit"}, {"solver": torchopt.sgd}])
@pytest.mark.compiled
def test_the_sentences_reach_through_compiled_meta_gradients(options: dict[str, Any]) -> None:
    word = next(iter(options))

    def outer(a: torch.Tensor) -> torch.Tensor:
        return call("minimize", **options).params.sum() * a

    with pytest.raises(TypeError, match=f"`{word}` is the"):
        torchopt.meta_grad_and_value(outer)(torch.tensor(1.0))
    with pytest.raises(TypeError, match=f"`{word}` is the"):
        call("minimize", compile=True, **options)

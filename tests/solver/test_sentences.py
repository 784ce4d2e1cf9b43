"""Arguments of the faces that are not what they should be get one clear sentence, at the call."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import pytest
import torch

import torchopt
from torchopt import diff
from torchopt.errors import NotConvergedWarning

FACES: dict[str, Callable[..., Any]] = {
    "minimize": torchopt.minimize,
    "root": torchopt.root,
    "fixed_point": torchopt.fixed_point,
    "least_squares": torchopt.least_squares,
}
faces = pytest.mark.parametrize("face", FACES)


def call(name: str, params: Any = None, **options: Any) -> Any:
    def function(x: torch.Tensor, a: Any = 2.0) -> torch.Tensor:
        return (x - a).square().sum() if name == "minimize" else 0.5 * (x + a)

    options = {"solver": torchopt.sgd(0.1), "steps": 200, **options}
    return FACES[name](function, torch.ones(3) if params is None else params, **options)


@faces
@pytest.mark.parametrize(
    ("mode", "sentence"),
    [
        ("implicit", "`diff` is the string 'implicit': pass a differentiation mode, such as"),
        (diff.Implicit, r"`diff` is the class Implicit: .* `diff=Implicit\(\)`"),
        (diff.Explicit, r"`diff` is the class Explicit: .* `diff=Explicit\(\)`"),
        (
            torchopt.linear_solve.solve_minres(),
            r"`diff` is the linear solver MINRES: .*`diff=torchopt\.diff\.Implicit\(linear_solve",
        ),
        (torchopt.linear_solve.solve_cg, "`diff` is the linear solver CG: pass it to the mode"),
        (
            torchopt.linear_solve.WarmStart(torchopt.linear_solve.solve_cg()),
            "`diff` is the linear solver WarmStart",
        ),
        (
            diff.zero_order.SPSA(num_samples=2, sigma=0.1),
            r"`diff` is the estimator SPSA: .*`diff=torchopt\.diff\.ZeroOrder",
        ),
        (torchopt.FuncOptimizer, "`diff` is the class FuncOptimizer: pass a differentiation mode"),
    ],
)
def test_a_mode_that_is_none(face: str, mode: Any, sentence: str) -> None:
    with pytest.raises(TypeError, match=sentence):
        call(face, diff=mode)


@faces
@pytest.mark.parametrize(
    ("solver", "sentence"),
    [
        (
            torchopt.sgd,
            r"`solver` is the function `sgd` itself: call it, .*`torchopt\.sgd\(0\.1\)`",
        ),
        (torchopt.adamw, "`solver` is the function `adamw` itself: call it"),
        (torchopt.SGD, "`solver` is the class SGD, which changes parameters of its own in place"),
        (torchopt.MetaAdam, "`solver` is the class MetaAdam, which changes parameters of its own"),
        (torch.optim.Adam, "`solver` is the class Adam, which changes parameters of its own"),
        (
            torchopt.SGD([torch.zeros(2, requires_grad=True)], lr=0.1),
            "`solver` is an object of type SGD, which changes",
        ),
        (torchopt.solver.Newton, r"`solver` is the class Newton: .* `Newton\(\)`"),
        (
            functools.partial(functools.partial(torchopt.adam, 0.1), eps=1e-6),
            r"`solver` is the function `adam` itself: call it, .*`torchopt\.adam\(0\.1\)`",
        ),
        (
            torchopt.transform.scale_by_adam,
            r"`solver` is the function `scale_by_adam` itself: .*`torchopt\.sgd\(0\.1\)`",
        ),
        (torchopt.FuncOptimizer, r"`solver` is the class FuncOptimizer: .*`torchopt\.sgd\(0\.1\)`"),
        (
            torchopt.linear_solve.solve_gmres(),
            r"`solver` is the linear solver GMRES, .*`diff=torchopt\.diff\.Implicit\(linear_solve",
        ),
    ],
)
@pytest.mark.parametrize("steps", [None, 3])
def test_a_solver_that_is_none(face: str, solver: Any, sentence: str, steps: int | None) -> None:
    with pytest.raises(TypeError, match=sentence):
        call(face, solver=solver, steps=steps)


@faces
def test_a_module_as_params(face: str) -> None:
    with pytest.raises(TypeError, match=r"`params` is a module \(Linear\): .*named_parameters"):
        call(face, torch.nn.Linear(3, 2))


@pytest.mark.parametrize(
    "make",
    [
        torchopt.sgd,
        lambda lr: torchopt.chain(torchopt.clip_grad_norm(1.0), torchopt.adam(lr)),
        lambda lr: torchopt.sgd(0.1, weight_decay=lr),
        lambda lr: torchopt.sgd(lambda step: lr / (1 + step)),
    ],
    ids=["sgd", "chain", "weight_decay", "schedule"],
)
@faces
@pytest.mark.filterwarnings("ignore:`Implicit` differentiates a point")
def test_a_learning_rate_that_an_implicit_derivative_does_not_reach(face: str, make: Any) -> None:
    lr = torch.tensor(0.1, requires_grad=True)

    def solve(lr: torch.Tensor) -> Any:
        return call(face, solver=make(lr), diff=diff.Implicit(), steps=20)

    with pytest.raises(
        ValueError, match=r"a hyperparameter of the solver.* by `Implicit` its gradient"
    ):
        solve(lr)
    with pytest.raises(ValueError, match="a hyperparameter of the solver"):
        torch.func.grad(lambda lr: solve(lr).params.sum())(lr.detach())
    with torch.no_grad():
        solve(lr)
    solve(lr.detach())


@pytest.mark.parametrize(
    "mode", [diff.ZeroOrder(), diff.OneStep(step_size=0.1)], ids=["zero_order", "one_step"]
)
@pytest.mark.parametrize(
    "make",
    [
        torchopt.adam,
        lambda bound: torchopt.chain(torchopt.clip_grad_norm(bound), torchopt.sgd(0.1)),
    ],
    ids=["rate", "bound"],
)
def test_hyperparameters_that_a_mode_does_not_reach_are_refused(mode: Any, make: Any) -> None:
    """Their gradient would be that of the rest of the loss."""
    learned = torch.tensor(0.2, requires_grad=True)
    with pytest.raises(ValueError, match=r"a hyperparameter of the solver.* requires grad, but"):
        call("minimize", solver=make(learned), diff=mode)
    with torch.no_grad():
        call("minimize", solver=make(learned), diff=mode)
    call("minimize", solver=make(learned.detach()), diff=mode)


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


@pytest.mark.parametrize(
    ("function", "start", "sentence"),
    [
        (lambda x: (x, 1), torch.ones(3), "value` is of type tuple, where one leaf is expected"),
        (
            lambda p: {"w": [p["w"]], "b": p["b"]},
            {"w": torch.ones(3), "b": torch.ones(2)},
            r"value\['w'\]` is of type list, where one leaf is expected",
        ),
        (lambda p: {"w": p["w"]}, {"w": torch.ones(3), "b": torch.ones(2)}, r"\['b'\]` is missing"),
    ],
)
def test_a_container_in_the_place_of_a_tensor_is_not_said_to_be_missing(
    function: Any, start: Any, sentence: str
) -> None:
    for face in (torchopt.root, torchopt.fixed_point):
        with pytest.raises(ValueError, match=sentence):
            face(function, start, solver=torchopt.solver.Newton())


@faces
@pytest.mark.parametrize("make", [torchopt.linear_solve.solve_cg, torchopt.linear_solve.solve_inv])
def test_a_linear_solver_that_is_not_made_yet(face: str, make: Any) -> None:
    sentence = r"`linear_solve` is (the class CG|an object of type function): .*such as `\w+\(\)`"
    with pytest.raises(TypeError, match=sentence):
        call(face, solver=torchopt.solver.Newton(linear_solve=make), steps=None)
    with pytest.raises(TypeError, match=sentence):
        call(face, diff=diff.Implicit(linear_solve=make))
    with pytest.raises(TypeError, match=sentence.replace("linear_solve", "solve", 1)):
        diff.implicit.custom_root(lambda x: x, argnums=0, solve=make)(lambda x: x)
    with pytest.raises(TypeError, match=sentence.replace("linear_solve", "solver", 1)):
        torchopt.linear_solve.WarmStart(make)


@faces
@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"steps": None}, r"needs a number of steps: pass `steps=`, or a solver .*LBFGS\(\)`"),
        ({"steps": None, "tol": 0.1}, "needs the most steps .*: pass `maxiter=`, or a solver"),
        (
            {"steps": None, "maxiter": 7, "solver": torchopt.solver.LBFGS()},
            r"`maxiter` is for gradient transformations; pass `solver=LBFGS\(maxiter=7\)`",
        ),
        (
            {"steps": 7, "solver": torchopt.solver.Newton()},
            r"`steps` is for gradient transformations; pass `solver=Newton\(maxiter=7\)`",
        ),
        (
            {"steps": None, "tol": 0.5, "solver": torchopt.solver.Newton()},
            r"`tol` is for gradient transformations; pass `solver=Newton\(atol=0\.5\)`",
        ),
        ({"steps": 7, "solver": lambda x: x}, "a function stops by itself: leave it out"),
    ],
)
def test_a_number_of_steps_that_is_missing_or_in_the_wrong_place(
    face: str, options: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(ValueError, match=sentence):
        call(face, **options)


@pytest.mark.parametrize("face", [torchopt.root, torchopt.fixed_point])
def test_another_shape_names_the_leaf_and_both_shapes(face: Any) -> None:
    start = {"z": {"a": torch.ones(2)}}
    sentence = (
        r"the function's `value\['z'\]\['a'\]` has shape \(1,\), but "
        r"`params\['z'\]\['a'\]` has shape \(2,\)"
    )
    with pytest.raises(ValueError, match=sentence):
        face(lambda p: {"z": {"a": p["z"]["a"][:1]}}, start)


START = {"zero": torch.zeros(2), "other": torch.tensor([3.0, -1.0])}
FUNCTIONS: dict[str, Any] = {
    "minimize": lambda x, a: (x - a).square().sum(),
    "root": lambda x, a: x - a,
    "fixed_point": lambda x, a: 0.5 * (x + a),
    "least_squares": lambda x, a: x - a,
}


@faces
@pytest.mark.parametrize("start", START)
@pytest.mark.parametrize("known", [False, True])
def test_a_function_that_returns_its_start_warns_unless_that_is_the_solution(
    face: str, start: str, known: bool
) -> None:
    """As from a solver elsewhere, which is exact to rounding."""
    x = START[start]
    rounding = 1 + 3e-7 * torch.tensor([1.0, -1.0])
    a = (x * rounding + (1e-8 if known else 2.0)).requires_grad_()

    def solve() -> Any:
        return FACES[face](FUNCTIONS[face], x, (a,), solver=lambda x, a: x)

    if known:
        solve()
    else:
        with pytest.warns(NotConvergedWarning, match="the solver returned its start"):
            solve()

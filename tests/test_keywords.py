"""A keyword of another library is answered with ours, in Python's own error."""

from __future__ import annotations

import copy
import pickle
import re
from collections.abc import Callable
from typing import Any

import pytest
import torch

import torchopt
from torchopt import diff, linear_solve, multilevel, nn, prox, sets, solver
from torchopt.multilevel.compat import configs

X = torch.ones(2)


def loss(x: torch.Tensor) -> torch.Tensor:
    return (x - 1).square().sum()


#: A callable with a keyword that it has not, and what may be meant; "" for nothing.
WRONG: list[tuple[Callable[..., Any], tuple[Any, ...], str, str]] = [
    *(
        (face, (loss, X), word, meant)
        for face in (torchopt.minimize, torchopt.root, torchopt.fixed_point, torchopt.least_squares)
        for word, meant in (
            ("tol", "`atol` or `rtol`"),
            ("tolerance", "`atol` or `rtol`"),
            ("num_steps", "`steps` or `maxiter`"),
            ("n_steps", "`steps` or `maxiter`"),
            ("max_iter", "`maxiter` or `steps`"),
            ("callback", "`verbose`"),
            ("solvr", "`solver`"),
            ("color", ""),
        )
    ),
    (torchopt.minimize, (loss, X), "plus", "`prox` or `subject_to`"),
    (torchopt.minimize, (loss, X), "bounds", "`subject_to`"),
    (torchopt.minimize, (loss, X), "lr", "`solver`"),
    (torchopt.minimize, (loss, X), "memory", "`diff`"),
    (torchopt.minimize, (loss, X), "resume", "`checkpoint`"),
    (torchopt.minimize, (loss, X), "state", "`solver`"),
    (torchopt.Constraints, (), "ineq", "`inequality`"),
    (torchopt.vmap_tasks, (loss,), "in_dim", "`in_dims`"),
    (torchopt.vmap_tasks, (loss,), "in_axes", "`in_dims`"),
    (torchopt.meta_grad_and_value, (loss,), "argnum", "`argnums`"),
    (solver.solve, (diff.Minimum(loss), X), "tol", "`atol` or `rtol`"),
    (torchopt.quadratic_program, (torch.eye(2), X), "method", "`solver`"),
    (nn.Equilibrium, (loss,), "tol", "`atol` or `rtol`"),
    (solver.LBFGS, (), "tol", "`atol` or `rtol`"),
    (solver.LBFGS, (), "max_iter", "`maxiter`"),
    (solver.LBFGS, (), "tolerance_grad", "`rtol` or `atol`"),
    (solver.LBFGS, (), "steps", "`maxiter`"),
    (solver.ProximalGradient, (), "learning_rate", "`step_size`"),
    (solver.InteriorPoint, (), "atol", "`rtol`"),
    (solver.SciPy, (), "maxiter", "`options`"),
    (torchopt.quadratic_program, (torch.eye(2),), "p", "`c`"),
    (torchopt.quadratic_program, (torch.eye(2), X), "P", "`Q`"),
    (torchopt.quadratic_program, (torch.eye(2), X), "lower", "`h_lower`"),
    (sets.Polyhedron, (), "lower", "`h_lower`"),
    (diff.ZeroOrder, (), "num_samples", "`estimator`"),
    (multilevel.Config, (), "type", "`diff`"),
    (multilevel.Config, (), "unroll", "`unroll_steps` or `diff`"),
    (multilevel.Problem, ("a",), "data_loader", "`train_data_loader`"),
    (multilevel.Problem, ("a",), "model", "`module`"),
    (configs.Config, (), "cg_iters", "`cg_iterations`"),
    (configs.EngineConfig, (), "epochs", "`train_iters`"),
    (multilevel.EngineConfig, (), "logger_type", "`sink`"),
    (multilevel.EngineConfig, (), "steps", "`train_iters`"),
    (multilevel.Level, ("a", loss), "optimizer", "`solver`"),
    (solver.SciPy, (), "tol", "`atol` or `rtol`"),
    (linear_solve.CG, (), "tol", "`rtol` or `atol`|`atol` or `rtol`"),
    (linear_solve.CG, (), "init", "`x0`"),
    (linear_solve.CG, (), "damping", "`ridge`"),
    (linear_solve.CG, (), "M", "`preconditioner`"),
    (solver.Anderson, (), "mixing", "`relaxation`"),
    (solver.FixedPointIteration, (), "damping", "`relaxation`"),
    (diff.OneStep, (), "epsilon", "`eps`"),
    (diff.ValueFunction, (), "penality", "`penalty`"),
    (diff.Implicit, (), "linear_solver", "`linear_solve`"),
    (diff.Implicit, (), "solver", "`linear_solve`"),
    (diff.Explicit, (), "checkpoints", "`memory` or `carries`"),
    (torchopt.Constraints, (), "equalities", "`equality`"),
    (prox.L1, (), "penalti", "`penalty`"),
    (torchopt.sgd, (), "learning_rate", "`lr`"),
    (torchopt.adam, (), "beta1", "`betas`"),
    (torchopt.optim.Adam, ([X.clone().requires_grad_()],), "learning_rate", "`lr`"),
    (torchopt.MetaAdam, (torch.nn.Linear(1, 1),), "learning_rate", "`lr`"),
    (torchopt.sgd, (), "wd", "`weight_decay`"),
    (torchopt.sgd, (), "momentums", "`momentum`"),
    (torchopt.lbfgs, (), "memory_size", "`history_size`"),
    (torchopt.optim.SGD, ([X.clone().requires_grad_()],), "weightdecay", "`weight_decay`"),
    (torchopt.MetaSGD, (torch.nn.Linear(1, 1),), "learning_rate", "`lr`"),
    (torchopt.transform.adaptive_grad_clip, (0.1,), "axis", "`dim`"),
    (torchopt.transform.clip_grad_norm, (), "maximum_norm", "`max_norm`"),
]


@pytest.mark.parametrize(("function", "args", "word", "meant"), WRONG)
def test_a_wrong_keyword_is_answered_with_the_right_one(
    function: Any, args: Any, word: str, meant: str
) -> None:
    hint = f": did you mean (?:{meant})\\?" if meant else "; it has `.*`"
    with pytest.raises(TypeError, match=rf" unexpected keyword argument '{word}'{hint}$"):
        function(*args, **{word: 1})


@pytest.mark.parametrize(
    ("given", "options"),
    [(iter, {}), (iter, {"lr": 0.1}), (list, {"lr": 0.1})],
    ids=["alone", "with lr", "a list"],
)
@pytest.mark.parametrize("function", [torchopt.sgd, torchopt.adam])
def test_an_optimizer_as_functions_sends_parameters_elsewhere(
    function: Any, given: Any, options: Any
) -> None:
    kind = "list" if given is list else "generator"
    with pytest.raises(TypeError, match=f"was given a {kind}: pass parameters to the `init` of "):
        function(given(torch.nn.Linear(1, 1).parameters()), **options)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (
            lambda: torchopt.quadratic_program(*[torch.eye(2)] * 6),  # type: ignore[arg-type]
            "quadratic_program() takes 2 positional arguments but 6 were given: pass by name `G`, "
            "`h`, `A`, `b`, `h_lower`, `solver`, `diff`",
        ),
        (
            lambda: torchopt.root(loss, X, X, X),  # type: ignore[call-arg]
            r"root() takes 3 positional arguments but 4 were given: pass by name `solver`, `steps`, "
            r"`maxiter`, `atol`, `rtol`, `diff`, `has_aux`, `compile`, `verbose`",
        ),
    ],
)
def test_too_many_positional_arguments_are_answered_with_names(
    call: Callable[[], Any], sentence: str
) -> None:
    with pytest.raises(TypeError, match=f"^{re.escape(sentence)}"):
        call()


def test_errors_within_a_function_are_those_of_the_function() -> None:
    def narrow(x: torch.Tensor) -> torch.Tensor:
        return loss(x, tol=1)  # type: ignore[call-arg]

    with pytest.raises(TypeError) as raised:
        torchopt.minimize(narrow, X)
    assert str(raised.value) == "loss() got an unexpected keyword argument 'tol'"
    with pytest.raises(TypeError, match=r"^minimize\(\) missing 1 required positional"):
        torchopt.minimize(loss)  # type: ignore[call-overload, call-arg]
    with pytest.raises(TypeError, match="multiple values for argument 'args'"):
        torchopt.minimize(loss, X, (), args=())  # type: ignore[call-overload, misc]


def test_a_class_with_arguments_of_its_own_takes_them_by_name() -> None:
    class Distance(prox.ProximalTerm):
        def __init__(self, point: float, **more: Any) -> None:
            object.__setattr__(self, "point", point)
            object.__setattr__(self, "more", more)

        def prox_leaf(self, x: torch.Tensor, step: Any) -> torch.Tensor:
            return x

        def value_leaf(self, x: torch.Tensor) -> torch.Tensor:
            return x.sum()

    assert Distance(point=3.0, weight=2.0).more == {"weight": 2.0}  # type: ignore[attr-defined]
    method = solver.LBFGS(rtol=1e-3)
    for same in (copy.deepcopy(method), pickle.loads(pickle.dumps(method))):
        assert repr(same) == "LBFGS(rtol=0.001)"


def test_compiled_code_makes_solvers_and_calls_functions() -> None:
    def solved(x: torch.Tensor) -> torch.Tensor:
        mode = diff.Implicit(linear_solve=linear_solve.CG(maxiter=3))
        return torchopt.minimize(loss, x, solver=torchopt.sgd(lr=0.25), steps=2, diff=mode).params

    compiled = torch.compile(solved, backend="eager", fullgraph=True)(torch.full((2,), 5.0))
    torch.testing.assert_close(compiled, torch.full((2,), 2.0))

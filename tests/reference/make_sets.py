"""Write what JAXopt computes for each of its projections, with gradients, and their names.

Nothing here imports the library. Run it with an interpreter that has JAXopt 0.8.5:

    JAX_ENABLE_X64=1 python tests/reference/make_sets.py

A case has the arguments after `x`, the projection, and the gradient of its product with `weights`. The
projections that JAXopt computes iteratively have the tolerance 1e-12.
"""

import json
from pathlib import Path

import jax
import jax.numpy as jnp
import jaxopt
import numpy as np

FILE = Path(__file__).with_name("sets.json")
PROJECTIONS = jaxopt.projection
NAMES = sorted(n for n in vars(PROJECTIONS) if n.startswith(("projection_", "kl_projection_")))
RNG = np.random.default_rng(0)
N = 6


def normal(*shape):
    return RNG.normal(size=shape)


def lbfgs(function):
    return jaxopt.LBFGS(fun=function, tol=1e-12, maxiter=2000, linesearch="zoom")


def iterative(name):
    def project(x, *arguments):
        return getattr(PROJECTIONS, name)(x, *arguments, make_solver=lbfgs)

    return project


def polyhedron(x, matrix, right, normals, offsets):
    solver = jaxopt.OSQP(matvec_Q=lambda _, v: v, tol=1e-12, maxiter=20000)
    return solver.run(
        params_obj=(None, -x), params_eq=(matrix, right), params_ineq=(normals, offsets)
    ).params.primal


def section(x, *arguments):
    """Return `projection_box_section`, whose bisection stops at 1e-5, with another tolerance."""

    def excess(multiplier, x, arguments):
        lower, upper, weights, total = arguments
        return weights @ jnp.clip(weights * multiplier + x, lower, upper) - total

    root = jaxopt.Bisection(excess, -10.0, 10.0, tol=1e-14, maxiter=200)
    multiplier = root.run(x=x, arguments=arguments).params
    lower, upper, weights, _ = arguments
    return jnp.clip(weights * multiplier + x, lower, upper)


def jaxopt_cases():
    x, a, b = 2 * normal(N), normal(N), 0.7
    matrix = normal(2, N)
    inside = normal(N) / 5
    sums, others = np.array([0.4, 0.9, 0.7]), np.array([0.6, 0.5, 0.3, 0.6])

    def one():
        return {"x": x, "arguments": [1.3]}

    return {
        "projection_non_negative": {"x": x, "arguments": []},
        "projection_box": {"x": x, "arguments": [-np.abs(a), np.abs(a) + 0.1]},
        "projection_hypercube": one(),
        "projection_simplex": one(),
        "projection_sparse_simplex": {"x": np.abs(x), "arguments": [2, 1.3]},
        "projection_l1_sphere": one(),
        "projection_l1_ball": one(),
        "projection_l2_sphere": one(),
        "projection_l2_ball": one(),
        "projection_linf_ball": one(),
        "projection_hyperplane": {"x": x, "arguments": [a, b]},
        "projection_halfspace": {"x": x, "arguments": [a, float(a @ x) - 1.0]},
        "projection_affine_set": {"x": x, "arguments": [matrix, normal(2)]},
        "projection_polyhedron": {
            "x": x,
            "arguments": [matrix, matrix @ inside, normal(3, N), np.abs(normal(3)) + 1],
        },
        "projection_box_section": {
            "x": x,
            "arguments": [-np.abs(normal(N)), np.abs(normal(N)), np.abs(a) + 0.2, 0.4],
        },
        "projection_transport": {"x": normal(3, 4), "arguments": [sums, others]},
        "kl_projection_transport": {"x": normal(3, 4), "arguments": [sums, others]},
        "projection_birkhoff": {"x": normal(4, 4), "arguments": []},
        "kl_projection_birkhoff": {"x": normal(4, 4), "arguments": []},
    }


def function(name):
    """Return a projection of JAXopt as a function of `x` and further arguments."""
    plain = getattr(PROJECTIONS, name)
    if name in ("projection_polyhedron", "projection_box_section"):
        return {"projection_polyhedron": polyhedron, "projection_box_section": section}[name]
    if name in ("projection_box", "projection_hyperplane", "projection_halfspace"):
        return lambda x, *pair: plain(x, pair)
    if name == "projection_affine_set":
        return lambda x, *pair: plain(x, pair)
    if name == "projection_sparse_simplex":
        return lambda x, count, value: plain(x, count, value=value)
    if name.endswith("transport"):
        return lambda x, *marginals: iterative(name)(x, marginals)
    return iterative(name) if name.endswith("birkhoff") else plain


def evaluated(project, x, arguments):
    """Return the case of a projection, evaluated."""
    tensors = [jnp.asarray(a) if isinstance(a, np.ndarray) else a for a in arguments]
    weights = np.cos(np.arange(x.size)).reshape(x.shape)
    return {
        "x": x,
        "arguments": arguments,
        "value": project(jnp.asarray(x), *tensors),
        "weights": weights,
        # Of `projection_transport` and `projection_birkhoff` it is zero, which is wrong.
        "gradient": jax.grad(lambda x: (weights * project(x, *tensors)).sum())(jnp.asarray(x)),
    }


def of_jaxopt():
    cases = jaxopt_cases()
    assert sorted(cases) == NAMES
    return {name: evaluated(function(name), **case) for name, case in cases.items()}


def plain(tree):
    if isinstance(tree, dict):
        return {key: plain(value) for key, value in tree.items()}
    if isinstance(tree, (list, tuple)):
        return [plain(value) for value in tree]
    return np.asarray(tree).tolist()


written = {"names": NAMES, "jaxopt": of_jaxopt()}
text = json.dumps(
    {key: value if key == "names" else plain(value) for key, value in written.items()}
)
FILE.write_text(text + "\n")
